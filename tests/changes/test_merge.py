"""Two memories become one: nothing that either says is lost."""

from __future__ import annotations

from datetime import date

import pytest

from memory_ls.changes.merge import merge
from memory_ls.changes.plan import CannotChangeError
from memory_ls.directory.style import style_of
from tests.changes.applying import applied_to, codes
from tests.making import directory_of, memory

TODAY = date(2026, 8, 10)
DATES = "  createdAt: 2026-03-01\n  updatedAt: 2026-03-02\n"


def merged(texts: dict[str, str], kept: str = "ferry.md", other: str = "team/boat.md") -> dict[str, str]:
    directory = directory_of(texts)
    return applied_to(texts, merge(directory, kept, other, style_of(directory), TODAY))


def test_bodies_dates_links_and_entry() -> None:
    body_of_boat = "Two [[boat]] [t](../tide.md).\r\n\r\nThree.\r\n"
    now = merged(
        {
            "ferry.md": memory("ferry", "It sails", body="One [[boat]].\n\n", extra=DATES),
            "team/boat.md": memory("boat", "It floats", body=body_of_boat, extra="  createdAt: 2026-01-01\n"),
            "tide.md": memory("tide", body="[[boat|x]] [f](./team/boat.md#y)\n"),
            "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — d\n- [boat](team/boat.md) — d\n\nSee [[boat]].\n",
        }
    )  # fmt: skip
    dates = DATES.replace("03-01", "01-01").replace("2026-03-02", "2026-08-10")
    body = "One [[ferry]].\n\nIt floats\n\nTwo [[ferry]] [t](tide.md).\n\nThree.\n\n"
    assert now == {
        "ferry.md": memory("ferry", "It sails", body=body, extra=dates),
        "tide.md": memory("tide", body="[[ferry|x]] [f](./ferry.md#y)\n"),
        "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — d\n\nSee [[ferry]].\n",
    }


def test_the_entry_becomes_that_of_the_kept_one_where_it_has_none() -> None:
    texts = {
        "ferry.md": memory("ferry"),
        "team/boat.md": memory("boat"),
        "MEMORY.md": "- [boat](team/boat.md) — by hand\n",
    }
    assert merged(texts)["MEMORY.md"] == "- [ferry](ferry.md) — by hand\n"


def test_what_both_say_is_said_once() -> None:
    texts = {
        "ferry.md": memory("ferry", "d", body="The same.\n"),
        "team/boat.md": memory("boat", "d", body="The same.\n"),
    }
    assert merged(texts) == {"ferry.md": texts["ferry.md"]}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n  \n"])
def test_line_ends_and_the_end_of_the_file_stay(eol: str, end: str) -> None:
    kept = f"---\nname: ferry\ndescription: d\n---\n\nOne.{end}".replace("\n", eol)
    now = merged({"ferry.md": kept, "team/boat.md": memory("boat", None, body="Two.\nThree.")})["ferry.md"]
    assert now == kept.rstrip() + f"{eol}{eol}Two.{eol}Three." + (kept[len(kept.rstrip()) :])


def test_an_empty_memory_gets_a_body() -> None:
    now = merged({"ferry.md": "---\nname: ferry\n---\n", "team/boat.md": memory("boat", None, body="Two.\n")})[
        "ferry.md"
    ]
    assert now == "---\nname: ferry\n---\n\nTwo.\n"


@pytest.mark.parametrize(
    "body",
    ["```\nnever closed\n", "<!-- never closed\n", "[r]: tide.md\n\n[t][r]\n"],
    ids=["fence", "comment", "definition"],
)
def test_what_would_come_to_mean_something_else_is_refused(body: str) -> None:
    texts = {
        "ferry.md": memory("ferry", "d", body=body),
        "team/boat.md": memory("boat", "d", body="[[tide]] [x][r]\n\n[r]: ../ferry.md\n"),
        "tide.md": memory("tide"),
    }
    with pytest.raises(CannotChangeError, match="something else"):
        merged(texts)


@pytest.mark.parametrize(
    ("kept", "other"), [("ferry.md", "ferry.md"), ("ferry.md", "gone.md"), ("MEMORY.md", "ferry.md")]
)
def test_it_takes_two_memories(kept: str, other: str) -> None:
    with pytest.raises(CannotChangeError):
        merged({"ferry.md": memory("ferry"), "MEMORY.md": "# Index\n"}, kept, other)


def test_no_new_finding_comes() -> None:
    texts = {
        "ferry.md": memory("ferry", body="One [t](tide.md).\n"),
        "team/boat.md": memory("boat", body="Two.\n\n## Why\n\n[w](#why) [[rota]]\n"),
        "team/rota.md": memory("rota", body="[b](boat.md#why) [[boat#Why]]\n"),
        "tide.md": memory("tide", body="[[boat]] [[ferry]]\n"),
        "MEMORY.md": "- [f](ferry.md)\n- [b](team/boat.md)\n- [t](tide.md)\n- [r](team/rota.md)\n",
    }
    assert codes(directory_of(merged(texts))) <= codes(directory_of(texts))
