"""Renaming a memory: what follows, in which form, and what can't be."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from memory_ls.changes.plan import CannotChangeError, ChangeKind
from memory_ls.changes.rename import rename_dead, rename_memory
from memory_ls.directory.style import Style, style_of
from tests.changes.applying import applied_to
from tests.making import directory_of, memory


def renamed(
    texts: dict[str, str], key: str, new: str, *, by_stem: bool = False, lenient: bool = True
) -> dict[str, str]:
    """The files after a rename."""
    directory = directory_of(texts, lenient=lenient)
    return applied_to(texts, rename_memory(directory, key, new, style_of(directory), by_stem=by_stem))


def body_after(link: str, new: str = "night-boat", *, key: str = "ferry.md", name: str = "ferry") -> str:
    """What becomes of ``link`` in another memory when ``ferry`` is renamed."""
    texts = {key: memory(name), "tide.md": memory("tide", body=f"{link}\n")}
    return renamed(texts, key, new)["tide.md"].rpartition("---\n\n")[2].removesuffix("\n")


FORMS = [
    ("[[ferry]]", "[[night-boat]]"),
    ("[[ferry|the ferry]]", "[[night-boat|the ferry]]"),
    ("[[ferry#When|x]]", "[[night-boat#When|x]]"),
    ("![[ferry]]", "![[night-boat]]"),
    ("[[ ferry ]]", "[[ night-boat ]]"),
    ("[[ferry.md]]", "[[night-boat.md]]"),
    ("[[FERRY]]", "[[NIGHT-BOAT]]"),
    ("[[./ferry]]", "[[./night-boat]]"),
    (
        "| a | b |\n|---|---|\n| [[ferry\\|x]] | [t](ferry.md) |",
        "| a | b |\n|---|---|\n| [[night-boat\\|x]] | [t](night-boat.md) |",
    ),
    ("[ferry](ferry.md)", "[ferry](night-boat.md)"),
    ("[t](./ferry.md)", "[t](./night-boat.md)"),
    ("[t](../memory/ferry.md)", "[t](../memory/night-boat.md)"),
    ("[t](ferry)", "[t](night-boat)"),
    ("[t](<ferry.md>)", "[t](<night-boat.md>)"),
    ("[t](%66erry.md)", "[t](night-boat.md)"),
    ("[t](FERRY.md)", "[t](NIGHT-BOAT.md)"),
    ("[t](/w/quay/memory/ferry.md)", "[t](/w/quay/memory/night-boat.md)"),
    ("[t](/ferry.md#when 'T')", "[t](/night-boat.md#when 'T')"),
    ("![t](ferry.md)", "![t](night-boat.md)"),
    ("[t][r] [r]\n\n[r]: ferry.md 'T'", "[t][r] [r]\n\n[r]: night-boat.md 'T'"),
]
KEPT = [
    "`[[ferry]]`", "```\n[[ferry]]\n```", "<!-- [[ferry]] -->", "    [[ferry]]", "\\[[ferry]]", "ferry", "[[ferry house]]",
    "[ferry](https://quay.example/ferry.md)", "`ferry.md`", "[[gone]]", "[t](team/ferry.md)", "[t](~/ferry.md)",
]  # fmt: skip


@pytest.mark.parametrize(("link", "expected"), FORMS)
def test_a_link_keeps_its_form(link: str, expected: str) -> None:
    assert body_after(link) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_link_to_it_stays(text: str) -> None:
    assert body_after(text) == text


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[[ferry]] [t](ferry.md)", "[[a b]] [t](a%20b.md)"),
        ("[t](<ferry.md>)", "[t](<a b.md>)"),
        ("[[ferry|x]] [t](ferry)", "[[a b|x]] [t](a%20b)"),
    ],
)
def test_spaces_are_encoded_in_paths_alone(link: str, expected: str) -> None:
    assert body_after(link, "a b") == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("%E5%81%9C%E8%88%AA.md", "%E8%88%B9.md"), ("停航.md", "船.md"), ("<停航.md>", "<船.md>")],
)
def test_letters_stay_encoded_or_not(raw: str, expected: str) -> None:
    assert body_after(f"[t]({raw})", "船", key="停航.md", name="停航") == f"[t]({expected})"


@pytest.mark.parametrize(
    ("stem", "name", "nested", "new", "expected"),
    [
        ("ferry", "ferry", True, "boat", "boat"),
        ("ferry_times", "ferry-times", True, "night-boat", "night_boat"),
        ("Ferry-Times", "ferry-times", True, "night-boat", "Night-Boat"),
        ("user_role", "role", True, "captain", "user_captain"),
        ("user-role", "role", True, "captain", "user-captain"),
        ("feedback_branch-policy", "branch-policy", True, "merge-policy", "feedback_merge-policy"),
        ("role", "user_role", True, "user_captain", "captain"),
        ("user_role", "role", True, "user_captain", "user_captain"),
        ("project_ci_quay", '"CI: Quay!"', False, "Night boats (new)", "project_night_boats_new"),
        ("project_ferry", "Ferry", False, "Night boats", "project_night_boats"),
        ("reference_停航", "停航", False, "新 船", "reference_新_船"),
        ("notes-2024", "Ferry", False, "Boats", "notes-2024"),
        ("something", "ferry", True, "boat", "something"),
        ("ferry", "ferry", True, "a | b #1 [x]", "a-b-1-x"),
    ],
)
def test_the_file_follows_where_its_name_came_from_the_name(
    stem: str, name: str, nested: bool, new: str, expected: str
) -> None:
    texts = {f"{stem}.md": memory(name, "d", nested=nested, body="Text.\n")}
    assert list(renamed(texts, f"{stem}.md", new)) == [f"{expected}.md"]


def test_one_word_is_joined_as_the_neighbours_are() -> None:
    texts = {
        "ferry.md": memory("ferry"),
        "tide_tables.md": memory("tide-tables"),
        "north_quay.md": memory("north-quay"),
    }
    assert "night_boat.md" in renamed(texts, "ferry.md", "night-boat")


@pytest.mark.parametrize(
    ("stem", "name", "nested", "new", "expected"),
    [
        ("ferry", "ferry", True, "boat", "boat"),
        ("user_role", "role", True, "user_captain", "captain"),
        ("user_role", "role", True, "captain", "captain"),
        ("ferry_times", "ferry-times", True, "night_boats", "night-boats"),
        ("project_ferry_times", "Ferry times", False, "project_boats", "Ferry times"),
        ("notes", "ferry", True, "boat", "ferry"),
        ("ferry", "ferry", False, "boat.md", "boat"),
    ],
)
def test_renaming_the_file_takes_a_name_along_that_was_the_same(
    stem: str, name: str, nested: bool, new: str, expected: str
) -> None:
    now = renamed({f"{stem}.md": memory(name, "d", nested=nested)}, f"{stem}.md", new, by_stem=True)
    assert list(now) == [f"{new.removesuffix('.md')}.md"]
    assert f"\nname: {expected}\n" in next(iter(now.values()))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ferry](ferry.md) — the boat", "- [boat](boat.md) — the boat"),
        ("- [**ferry**](./ferry.md)", "- [**boat**](./boat.md)"),
        ("- **[ferry.md](ferry.md)**: x", "- **[boat.md](boat.md)**: x"),
        ("- [`ferry`](ferry.md)", "- [`boat`](boat.md)"),
        ("- [🚢 ferry](ferry.md) · [t](tide.md)", "- [🚢 boat](boat.md) · [t](tide.md)"),
        ("- [The ferry](ferry.md)", "- [The ferry](boat.md)"),
        ("- [Ferry](ferry.md) — ferry", "- [Ferry](boat.md) — ferry"),
        ("- `ferry.md` — d", "- `boat.md` — d"),
        ("| [ferry](ferry.md) | ferry |\n|---|---|", "| [boat](boat.md) | ferry |\n|---|---|"),
        ("| a | b |\n|---|---|\n| `ferry.md` | x |", "| a | b |\n|---|---|\n| `boat.md` | x |"),
        ("- [[ferry]] — d", "- [[boat]] — d"),
        ("- [[ferry|ferry]] — d", "- [[boat|boat]] — d"),
        ("See [ferry](ferry.md), ferry.", "See [boat](boat.md), ferry."),
        ("See `ferry.md` and `ferry`, not `the ferry.md`.", "See `boat.md` and `ferry`, not `the ferry.md`."),
        ("- [t](tide.md), with `ferry.md`", "- [t](tide.md), with `boat.md`"),
        ("- [ferry][f]\n\n[f]: ferry.md", "- [boat][f]\n\n[f]: boat.md"),
        ("- [ferry]\n\n[ferry]: ferry.md", "- [ferry]\n\n[ferry]: boat.md"),
    ],
)  # fmt: skip
def test_an_entry_of_the_index(line: str, expected: str) -> None:
    texts = {"ferry.md": memory("ferry"), "tide.md": memory("tide"), "MEMORY.md": f"# Index\n\n{line}\n"}
    assert renamed(texts, "ferry.md", "boat")["MEMORY.md"] == f"# Index\n\n{expected}\n"


def test_a_label_that_was_the_title_is_the_new_one_in_markdown() -> None:
    texts = {"a.md": memory('"CI [old]"', "d", nested=False), "MEMORY.md": "- [CI \\[old\\]](a.md)\n"}
    assert renamed(texts, "a.md", "CD [new] `x`")["MEMORY.md"] == "- [CD \\[new\\] \\`x\\`](a.md)\n"


def test_a_link_that_another_memory_would_capture_gets_another_form() -> None:
    texts = {
        "user_role.md": memory("Captain", "d", "user", nested=False),
        "ferry.md": memory("ferry"),
        "tide.md": memory("tide", body="[[role]] [[ferry]]\n"),
    }
    now = renamed(texts, "ferry.md", "role")
    assert now["tide.md"].endswith("[[Captain]] [[role]]\n")


@pytest.mark.parametrize(
    ("new", "expected"),
    [("Rule: tides", "[[Rule: tides]]"), ("a#b", "[[tides]]"), ("a|b", "[[tides]]"), ("a]]b", "[[tides]]")],
)
def test_a_title_that_no_link_can_hold_is_linked_by_its_file(new: str, expected: str) -> None:
    texts = {"tides.md": memory("Old title", "d", nested=False), "b.md": memory("b", body="[[Old title]]\n")}
    assert renamed(texts, "tides.md", new)["b.md"].endswith(f"{expected}\n")


def test_an_ambiguous_link_stays() -> None:
    texts = {"a.md": memory("same"), "b.md": memory("same"), "c.md": memory("c", body="[[same]]\n")}
    assert renamed(texts, "a.md", "other")["c.md"] == texts["c.md"]


def test_links_in_files_that_are_no_memories_follow_too() -> None:
    texts = {"ferry.md": memory("ferry"), "README.md": "# R\n\n[f](ferry.md)\n", "MEMORY.md": "- [f](ferry.md)\n"}
    now = renamed(texts, "ferry.md", "boat", lenient=False)
    assert now["README.md"] == "# R\n\n[f](boat.md)\n"
    assert "boat.md" in now


def test_a_listed_memory_without_frontmatter() -> None:
    texts = {
        "notes.md": "Text [[notes]].\n",
        "a.md": memory("a", body="[[notes]]\n"),
        "MEMORY.md": "- [notes](notes.md)\n",
    }
    now = renamed(texts, "notes.md", "odds", lenient=False)
    assert now["odds.md"] == "Text [[odds]].\n"
    assert now["a.md"].endswith("[[odds]]\n")
    assert now["MEMORY.md"] == "- [odds](odds.md)\n"


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_all_other_bytes_stay(eol: str) -> None:
    text = f"---{eol}# mine{eol}name:   'ferry'   # sure{eol}description: d{eol}x: [a, b]{eol}---{eol}{eol}[[ferry]]  {eol}\t"
    now = renamed({"ferry.md": text}, "ferry.md", "boat")
    assert now == {"boat.md": text.replace("ferry", "boat")}


@pytest.mark.parametrize("new", ["Ferry", "FERRY"])
def test_another_case_alone(new: str) -> None:
    texts = {"ferry.md": memory("ferry"), "MEMORY.md": "- [ferry](ferry.md)\n"}
    now = renamed(texts, "ferry.md", new)
    assert now["MEMORY.md"] == f"- [{new}]({new}.md)\n"


TEXTS = {
    "ferry.md": memory("ferry"),
    "user_role.md": memory("Captain", "d", "user", nested=False),
    "project_x.md": memory("Ferry times", "d", nested=False),
    "team/rota.md": memory("rota"),
    "Notes.txt.md": memory("notes"),
    "MEMORY.md": "# Index\n",
}


@pytest.mark.parametrize(
    ("new", "word"),
    [
        ("", "blank"),
        (" \t ", "blank"),
        ("a/b", "path separator"),
        ("../x", "path separator"),
        ("a\\b", "path separator"),
        ("CON", "device"),
        ("lpt1", "device"),
        (".hidden", "dot"),
        ("a\nb", "line breaks"),
        ("a\u2028b", "line breaks"),
        ("a\x00b", "control"),
        ("\ud800", "control"),
        ("rota", "already"),
        ("Rota", "already"),
        ("captain", "already"),
        ("USER-ROLE", "already"),
        ("memory", "index"),
        ("MEMORY", "index"),
        ("x" * 300, "too long"),
        ("漢" * 90, "too long"),
    ],
)
@pytest.mark.parametrize("by_stem", [False, True])
def test_a_name_that_can_not_be(new: str, word: str, by_stem: bool) -> None:
    directory = directory_of(TEXTS)
    with pytest.raises(CannotChangeError) as raised:
        rename_memory(directory, "ferry.md", new, style_of(directory), by_stem=by_stem)
    assert word in str(raised.value)
    assert str(raised.value).endswith(".")


def test_a_title_may_hold_what_a_file_may_not() -> None:
    now = renamed(TEXTS, "project_x.md", "CI/CD: set up")
    assert '\nname: "CI/CD: set up"\n' in now["project_x.md"]


def test_a_file_that_is_no_memory_is_in_the_way_too() -> None:
    directory = directory_of({"ferry.md": memory("ferry")}, files=["Boat.md"])
    with pytest.raises(CannotChangeError, match=r"Boat\.md"):
        rename_memory(directory, "ferry.md", "boat", style_of(directory))


def test_a_block_that_can_not_be_read_is_not_written_into() -> None:
    directory = directory_of({"ferry.md": "---\nname: ferry\ndescription: a: b\n---\n"})
    with pytest.raises(CannotChangeError, match="YAML"):
        rename_memory(directory, "ferry.md", "boat", style_of(directory))


def test_the_name_it_has_changes_nothing() -> None:
    directory = directory_of(TEXTS)
    assert rename_memory(directory, "ferry.md", " ferry ", style_of(directory)) == ()


def test_only_what_it_touches_is_read() -> None:
    texts = {f"m{number}.md": memory(f"m{number}", body=f"[[m{number + 1}]]\n") for number in range(300)}
    directory = directory_of(texts).with_sources()
    changes = rename_memory(directory, "m7.md", "boat", Style())
    assert [(change.path, change.kind) for change in changes] == [
        ("m6.md", ChangeKind.EDIT), ("m7.md", ChangeKind.RENAME)
    ]  # fmt: skip
    read = [key for key, document in directory.documents.items() if "body" in document.__dict__]
    assert set(read) == {"m6.md"}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_in_either_form(form: Literal["NFC", "NFD"]) -> None:
    links = unicodedata.normalize(form, "[[café]] [t](café.md)\n")
    texts = {"tide.md": memory("tide", body=links), "café.md": memory("café")}
    now = renamed(texts, "café.md", "bar")
    assert now["tide.md"].endswith("[[bar]] [t](bar.md)\n")


@pytest.mark.parametrize("nested", [True, False])
def test_an_ending_that_was_typed_is_no_part_of_a_name_that_is_no_title(nested: bool) -> None:
    now = renamed({"tide.md": memory("tide", nested=nested)}, "tide.md", "flood.md")
    name = "flood" if nested else "flood.md"
    assert f"\nname: {name}\n" in now[f"{name}.md"]


@pytest.mark.parametrize("new", ["night-boat", "night-boat.md"])
def test_a_dead_name_in_all_links_that_would_find_the_same(new: str) -> None:
    texts = {
        "a.md": memory(
            "a", body="[[Gone Boat]] [[gone-boat#x|y]] [t](gone-boat.md) [t](./gone-boat) `[[gone-boat]]` [[gone]]\n"
        ),
        "team/b.md": memory("b", body="[t](../gone-boat.md) [t](gone-boat.md)\n"),
        "MEMORY.md": "- [Gone](gone-boat.md)\n",
    }
    directory = directory_of(texts)
    link = directory.documents["a.md"].body.links[1]
    now = applied_to(texts, rename_dead(directory, "a.md", link, new))
    assert now["a.md"].endswith(
        "[[Night Boat]] [[night-boat#x|y]] [t](night-boat.md) [t](./night-boat) `[[gone-boat]]` [[gone]]\n"
    )
    assert now["team/b.md"].endswith("[t](../night-boat.md) [t](gone-boat.md)\n")
    assert now["MEMORY.md"] == "- [Gone](night-boat.md)\n"


@pytest.mark.parametrize("new", ["", "a]]b", "a|b", "a\nb", "#x"])
def test_a_dead_name_must_fit_into_a_link(new: str) -> None:
    directory = directory_of({"a.md": memory("a", body="[[gone]]\n")})
    with pytest.raises(CannotChangeError):
        rename_dead(directory, "a.md", directory.documents["a.md"].body.links[0], new)
