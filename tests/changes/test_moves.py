"""Files and directories that move: what of their links changes, and what was moved without a word."""

from __future__ import annotations

import pytest

from memory_ls.changes.moves import deleted, follow, moved, moved_away
from memory_ls.directory.style import style_of
from tests.changes.applying import applied_to
from tests.making import directory_of, memory

TEXTS = {
    "ferry.md": memory(
        "ferry", body="[[ferry]] [r](team/rota.md) ![p](pic.png) [s](../../src/a.py) [g](gone.md) [h](#x)\n"
    ),
    "tide.md": memory(
        "tide", body="[[ferry]] [f](./ferry.md#x) [t](team/) [t](team) [p](../docs/plan) [[team/rota]] [[rota]]\n"
    ),
    "team/rota.md": memory("rota", body="[up](../ferry.md) [[ferry]] [me](./rota.md) [n](<tim b.md>)\n"),
    "team/tim b.md": memory("tim", body="[r](rota.md)\n"),
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md)\n- [rota](team/rota.md) · [tim](<team/tim b.md>)\n",
}


def after(paths: dict[str, str]) -> dict[str, str]:
    """The last line of each file after a move, by its old path."""
    directory = directory_of(TEXTS, files=["pic.png"])
    now = applied_to(TEXTS, moved(directory, paths, style_of(directory)))
    return {key: text.removesuffix("\n").rpartition("\n")[2] for key, text in now.items()}


def body(key: str) -> str:
    return TEXTS[key].removesuffix("\n").rpartition("\n")[2]


def test_into_a_directory() -> None:
    now = after({"ferry.md": "team/ferry.md"})
    assert now["ferry.md"] == "[[ferry]] [r](rota.md) ![p](../pic.png) [s](../../../src/a.py) [g](../gone.md) [h](#x)"
    assert now["tide.md"] == body("tide.md").replace("./ferry.md", "./team/ferry.md")
    assert now["team/rota.md"] == body("team/rota.md").replace("../ferry.md", "ferry.md")


def test_out_of_a_directory() -> None:
    now = after({"team/rota.md": "rota.md"})
    assert now["team/rota.md"] == "[up](ferry.md) [[ferry]] [me](./rota.md) [n](<team/tim b.md>)"
    assert now["team/tim b.md"] == "[r](../rota.md)"
    assert now["tide.md"] == body("tide.md").replace("[[team/rota]]", "[[rota]]")
    assert now["MEMORY.md"] == "- [rota](rota.md) · [tim](<team/tim b.md>)"


def test_a_directory_gets_another_name() -> None:
    now = after({"team": "mi equipo"})
    assert now["tide.md"] == (
        "[[ferry]] [f](./ferry.md#x) [t](mi%20equipo/) [t](mi%20equipo) [p](../docs/plan) [[mi equipo/rota]] [[rota]]"
    )
    assert now["team/rota.md"] == body("team/rota.md")
    assert now["MEMORY.md"] == "- [rota](mi%20equipo/rota.md) · [tim](<mi equipo/tim b.md>)"


def test_files_one_by_one_are_as_the_directory_whole() -> None:
    one_by_one = after({"team/rota.md": "crew/rota.md", "team/tim b.md": "crew/tim b.md"})
    whole = after({"team": "crew"})
    assert {**one_by_one, "tide.md": ""} == {**whole, "tide.md": ""}


def test_out_of_the_memory_directory_and_into_it() -> None:
    now = after({"ferry.md": "../docs/ferry.md", "../docs/plan.md": "plan.md"})
    assert now["ferry.md"].startswith(
        "[[ferry]] [r](../memory/team/rota.md) ![p](../memory/pic.png) [s](../../src/a.py)"
    )
    # No name leads out of the directory, so what was linked by name is dead.
    assert now["tide.md"].startswith("[[ferry]] [f](../docs/ferry.md#x) [t](team/) [t](team) [p](plan)")


@pytest.mark.parametrize(
    "paths", [{".": "../notes"}, {"..": "../../pier", ".": "../../pier/memory"}, {"other.md": "x.md"}, {}]
)
def test_what_moves_along_needs_no_change(paths: dict[str, str]) -> None:
    directory = directory_of(TEXTS, files=["pic.png"])
    assert moved(directory, paths, style_of(directory)) == ()


def test_a_memory_that_goes_to_where_none_lies_is_linked_as_a_file() -> None:
    assert after({"ferry.md": "archive/ferry.md"})["team/rota.md"].startswith(
        "[up](../archive/ferry.md) [[./archive/ferry.md]]"
    )


def test_a_name_that_came_from_the_file_follows_it_unless_it_is_taken() -> None:
    texts = {**TEXTS, "b.md": memory("boat")}
    directory = directory_of(texts)
    free = applied_to(texts, moved(directory, {"ferry.md": "night.md"}, style_of(directory)))
    assert "\nname: night\n" in free["ferry.md"]
    taken = applied_to(texts, moved(directory, {"ferry.md": "boat.md"}, style_of(directory)))
    assert "\nname: ferry\n" in taken["ferry.md"]
    assert "[[ferry]] [f](./boat.md#x)" in taken["tide.md"]


def test_two_files_that_change_places() -> None:
    texts = {"a.md": memory("one", body="1 [b](b.md)\n"), "b.md": memory("two", body="2 [[one]]\n")}
    directory = directory_of(texts)
    now = applied_to(texts, moved(directory, {"a.md": "b.md", "b.md": "a.md"}, style_of(directory)))
    assert now["a.md"].endswith("1 [b](a.md)\n")
    assert now["b.md"].endswith("2 [[one]]\n")


def test_many_files_are_moved_as_few_are() -> None:
    texts = {
        f"m{number}.md": memory(f"m{number}", body=f"[[m{number + 1}]] [n](m{number + 1}.md)\n") for number in range(30)
    }
    directory = directory_of({**texts, "README.md": "# R\n\n[m](m3.md)\n"}, lenient=False)
    changes = {
        c.path: c for c in moved(directory, {f"m{n}.md": f"team/m{n}.md" for n in range(20)}, style_of(directory))
    }
    assert set(changes) == {"README.md", "m19.md"}


def test_entries_of_what_is_deleted_go() -> None:
    directory = directory_of(TEXTS)
    assert applied_to(TEXTS, deleted(directory, ["team"]))["MEMORY.md"] == "# Index\n\n- [ferry](ferry.md)\n"
    one = applied_to(TEXTS, deleted(directory, ["team/rota.md"]))["MEMORY.md"]
    assert one == "# Index\n\n- [ferry](ferry.md)\n- [tim](<team/tim b.md>)\n"
    for nothing in ([], ["MEMORY.md"], ["."], ["pic.png"], ["tide.md"]):
        assert deleted(directory, nothing) == ()


def test_what_went_and_came_with_the_same_text_body_or_name_was_moved() -> None:
    before = {
        "a.md": memory("one", body="A.\n"),
        "b.md": memory("two", body="B.\n"),
        "c.md": memory("three", body="C.\n"),
    }
    before |= {"x.md": memory("same", body="S.\n"), "y.md": memory("same", body="S.\n")}
    now = {
        "a2.md": before["a.md"],
        "b2.md": memory("other", body="B.\n"),
        "team/c.md": memory("three", body="Quite another.\n"),
        "z.md": before["x.md"],
        "new.md": memory("new"),
    }
    found = moved_away(directory_of(before), directory_of(now))
    assert found == {"a.md": "a2.md", "b.md": "b2.md", "c.md": "team/c.md"}


def test_links_follow_what_was_moved_away() -> None:
    texts = {key if key != "ferry.md" else "boat.md": text for key, text in TEXTS.items()}
    directory = directory_of(texts, files=["pic.png"])
    now = applied_to(texts, follow(directory, "ferry.md", "boat.md", style_of(directory)))
    assert "\nname: boat\n" in now["boat.md"]
    assert now["tide.md"].endswith(
        "[[boat]] [f](./boat.md#x) [t](team/) [t](team) [p](../docs/plan) [[team/rota]] [[rota]]\n"
    )
    assert "- [boat](boat.md)\n" in now["MEMORY.md"]
    assert follow(directory, "tide.md", "boat.md", style_of(directory)) == ()
    assert follow(directory, "ferry.md", "gone.md", style_of(directory)) == ()
