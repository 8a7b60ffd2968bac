"""Hover: what stands at the other end of a link."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, recording
from tests.server.conftest import Start
from tests.server.positions import position

DAY = date.today() - timedelta(days=3)
FERRY = memory("ferry", "The boat", extra=f"updated: {DAY}\n", body="It **leaves** at six.\n\n## Why\n\nTides.\n")
INDEX = (
    "# Index\n\n- [ferry](ferry.md) — the boat\n- `rota.md` — the rota\n- [[停航]]\n"
    "| [map](<quay map.md>) | [[ferry\\|x]] |\n- [gone](gone.md)\n\nprose with `ferry.md` in it\n"
)
FILES = {
    "ferry.md": FERRY,
    "rota.md": memory("rota", "Who works", body="Anna.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "quay map.md": memory("quay-map", "Where the ramps are", body="North.\n"),
    "feedback_rota.md": memory("same-name", "One", "feedback", body="One.\n"),
    "project_rota.md": memory("same-name", "Two", body="Two.\n"),
    "MEMORY.md": INDEX,
    "notes/plan.txt": "x",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def hover(client: Client, path: Path, marked: str) -> str | None:
    """What is shown at the ``‸`` in a text."""
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = position(text, offset, client.encoding)
    answer = client.at("hover", name, where["line"], where["character"])
    shown: str | None = answer and answer["contents"]["value"]
    return shown


def body(text: str) -> str:
    return memory("writing", body=f"{text}\n")


def test_shows_the_memory(client: Client, directory: Path) -> None:
    shown = hover(client, directory / "writing.md", body("See [[fer‸ry]]."))
    assert shown is not None
    strong = "" if client.name == "eglot" else "**"  # the one that takes plain text alone
    assert shown.startswith(f"{strong}ferry{strong}\n")
    assert f"project · updated 3 days ago ({DAY}) · `ferry.md`" in shown
    assert "The boat" in shown
    assert f"It {strong}leaves{strong} at six." in shown


@pytest.mark.parametrize(
    ("link", "file"),
    [
        ("[[ferry‸]]", "ferry.md"),
        ("[[‸Ferry|the boat]]", "ferry.md"),
        ("[[ferry#Why‸]]", "ferry.md"),
        ("![[ferry‸]]", "ferry.md"),
        ("[the ‸boat](ferry.md)", "ferry.md"),
        ("[b](./fer‸ry.md#why)", "ferry.md"),
        ("[b](<quay‸ map.md>)", "quay map.md"),
        ("[b](quay%20m‸ap.md)", "quay map.md"),
        ("[b](%E5%81%9C‸%E8%88%AA.md)", "停航.md"),
        ("[b][on‸e]\n\n[one]: ferry.md", "ferry.md"),
        ("[b][one]\n\n[one]: fer‸ry.md", "ferry.md"),
        ("| a |\n|---|\n| [[ferry\\|‸x]] |", "ferry.md"),
        ("[[quay_‸map]]", "quay map.md"),
    ],
)
def test_on_every_kind_of_link(emacs: Client, directory: Path, link: str, file: str) -> None:
    shown = hover(emacs, directory / "writing.md", body(link))
    assert shown is not None
    assert f"`{file}`" in shown


@pytest.mark.parametrize(
    ("cursor", "file"),
    [
        ("- [fer‸ry](ferry.md)", "ferry.md"),
        ("(ferry‸.md)", "ferry.md"),
        ("`ro‸ta.md`", "rota.md"),
        ("[[停‸航]]", "停航.md"),
        ("<quay m‸ap.md>", "quay map.md"),
        ("[[ferry\\|‸x]]", "ferry.md"),
    ],
)
def test_in_the_index(emacs: Client, directory: Path, cursor: str, file: str) -> None:
    marked = INDEX.replace(cursor.replace("‸", ""), cursor, 1)
    shown = hover(emacs, directory / "MEMORY.md", marked)
    assert shown is not None
    assert f"`{file}`" in shown


@pytest.mark.parametrize("cursor", ["(gone‸.md)", "prose with `ferry‸.md`", "— the ‸boat"])
def test_nothing_in_the_index_where_there_is_nothing(emacs: Client, directory: Path, cursor: str) -> None:
    assert hover(emacs, directory / "MEMORY.md", INDEX.replace(cursor.replace("‸", ""), cursor, 1)) is None


def test_on_an_ambiguous_link_the_choices(emacs: Client, directory: Path) -> None:
    shown = hover(emacs, directory / "writing.md", body("[[same‸-name]]"))
    assert shown is not None
    assert shown.splitlines()[2:] == ["- `feedback_rota.md` — One", "- `project_rota.md` — Two"]


@pytest.mark.parametrize(
    "text",
    ["[[no‸where]]", "[x](no‸where.md)", "[x](https‸://quay.example)", "[x](notes/pl‸an.txt)", "`[[fer‸ry]]`", "pla‸in",
     "<!-- [[fer‸ry]] -->", "```\n[[fer‸ry]]\n```"],
)  # fmt: skip
def test_nothing_on_what_leads_to_no_memory(emacs: Client, directory: Path, text: str) -> None:
    assert hover(emacs, directory / "writing.md", body(text)) is None


def test_on_a_link_to_the_index_what_is_used_of_the_limit(emacs: Client, directory: Path) -> None:
    shown = hover(emacs, directory / "writing.md", body("[[MEM‸ORY]]"))
    assert shown is not None
    assert "7 memories" in shown
    assert "of 200 lines" in shown


@pytest.mark.parametrize("key", ["name", "description", "metadata", "type"])
def test_on_a_key_what_it_means(emacs: Client, directory: Path, key: str) -> None:
    shown = hover(emacs, directory / "writing.md", body("x").replace(f"{key}:", f"{key[:2]}‸{key[2:]}:", 1))
    assert shown is not None
    assert shown.startswith(f"**{key}**")


def test_a_long_body_is_cut(emacs: Client, directory: Path) -> None:
    write_files(directory, {"long.md": memory("long", body="word " * 2_000)})
    shown = hover(emacs, directory / "writing.md", body("[[lo‸ng]]"))
    assert shown is not None
    assert len(shown) < 3_500
    assert "9,999 characters" in shown


def test_plain_text_for_a_client_without_markdown(start: Start, directory: Path) -> None:
    capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    client = start()
    client.initialize("emacs", capabilities=capabilities, info=recording("emacs")["clientInfo"])
    shown = hover(client, directory / "writing.md", body("[[ro‸ta]]"))
    assert shown is not None
    assert shown.startswith("rota\n")
