"""Renaming a heading: every link to it, and to those whose number changes with it, keeps leading there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.headings import rename_heading
from memory_ls.changes.plan import CannotChangeError
from memory_ls.directory.resolve import find_heading, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from tests.changes.applying import applied_to, links_of
from tests.making import directory_of, memory


def renamed(texts: dict[str, str], number: int, new: str, key: str = "ferry.md") -> dict[str, str]:
    directory = directory_of(texts)
    document = directory.document(key) or directory.others[key]
    return applied_to(texts, rename_heading(directory, key, document.headings[number], new))


def in_other(link: str, new: str = "How to apply", body: str = "## Why\n\nText.\n") -> str:
    texts = {"ferry.md": memory("ferry", body=body), "tide.md": memory("tide", body=f"{link}\n")}
    return renamed(texts, 0, new)["tide.md"].rpartition("---\n\n")[2].removesuffix("\n")


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[[ferry#Why]]", "[[ferry#How to apply]]"),
        ("[[ferry#why|x]]", "[[ferry#how-to-apply|x]]"),
        ("[[ferry.md#Why]]", "[[ferry.md#How to apply]]"),
        ("[t](ferry.md#why)", "[t](ferry.md#how-to-apply)"),
        ("[t](<ferry.md#why> 'T')", "[t](<ferry.md#how-to-apply> 'T')"),
        ("[t][r]\n\n[r]: ./ferry.md#why", "[t][r]\n\n[r]: ./ferry.md#how-to-apply"),
        ("[[ferry#Whyever]]", "[[ferry#Whyever]]"),
        ("[[tide#Why]] `[[ferry#Why]]` [Why](ferry.md)", "[[tide#Why]] `[[ferry#Why]]` [Why](ferry.md)"),
    ],
)
def test_an_anchor_keeps_its_form(link: str, expected: str) -> None:
    assert in_other(link) == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [("[t](ferry.md#why-%E6%BC%A2)", "[t](ferry.md#%E8%88%B9)"), ("[t](ferry.md#why-漢)", "[t](ferry.md#船)")],
)
def test_letters_stay_encoded_or_not(link: str, expected: str) -> None:
    assert in_other(link, "船", "## Why 漢\n\nText.\n") == expected


def test_a_table_of_contents_changes_with_its_headings() -> None:
    body = "- [Why](#why)\n- [because](#why)\n- [[#Why]]\n\n## Why\n\nText.\n"
    now = renamed({"ferry.md": memory("ferry", body=body)}, 0, "How")["ferry.md"]
    assert now.endswith("- [How](#how)\n- [because](#how)\n- [[#How]]\n\n## How\n\nText.\n")


def test_the_second_of_a_name_becomes_the_first() -> None:
    body = "[a](#why) [b](#why-1) [c](#why-2) [[#Why]]\n\n## Why\n\n## Why\n\n## Why\n"
    now = renamed({"ferry.md": memory("ferry", body=body)}, 0, "How")["ferry.md"]
    assert now.endswith("[a](#how) [b](#why) [c](#why-1) [[#How]]\n\n## How\n\n## Why\n\n## Why\n")


@pytest.mark.parametrize(
    ("heading", "new", "expected"),
    [
        ("Setext\n======", "Other", "Other\n======"),
        ("## Why ##", "How", "## How ##"),
        ("> ## Why", "How", "> ## How"),
        ("### `a` *b*", "`c` d", "### `c` d"),
        ("#\tWhy  ", "How", "#\tHow  "),
    ],
)
def test_what_stands_around_the_words_stays(heading: str, new: str, expected: str) -> None:
    now = renamed({"ferry.md": memory("ferry", body=f"{heading}\n\nText.\n")}, 0, new)["ferry.md"]
    assert now.endswith(f"{expected}\n\nText.\n")


def test_a_heading_of_the_index_and_of_another_file() -> None:
    texts = {
        "tide.md": memory("tide", body="[[MEMORY#Boats]] [r](README.md#setup)\n"),
        "MEMORY.md": "# Boats\n\n[t](#boats)\n",
    }
    assert renamed(texts, 0, "Ships", "MEMORY.md")["tide.md"].endswith("[[MEMORY#Ships]] [r](README.md#setup)\n")


@pytest.mark.parametrize("new", ["", " ", "a\nb", "a\u2028b", "Why #", "\x00"])
def test_words_that_can_not_be(new: str) -> None:
    directory = directory_of({"ferry.md": memory("ferry", body="## Why\n")})
    with pytest.raises(CannotChangeError):
        rename_heading(directory, "ferry.md", directory.documents["ferry.md"].headings[0], new)


def test_the_words_it_has_change_nothing() -> None:
    directory = directory_of({"ferry.md": memory("ferry", body="## Why\n\n[[#why]]\n")})
    assert rename_heading(directory, "ferry.md", directory.documents["ferry.md"].headings[0], " Why ") == ()


_HEADINGS = ("Why", "How to apply", "漢 字", "why", "Why 1", "Why-1", "Ferry & tide")
_ANCHORS = (
    "Why",
    "why",
    "why-1",
    "why-2",
    "How to apply",
    "how-to-apply",
    "漢-字",
    "漢 字",
    "Why 1",
    "ferry--tide",
    "gone",
)
_LINKS = st.sampled_from(_ANCHORS).flatmap(
    lambda anchor: st.sampled_from([f"[[ferry#{anchor}]]", f"[t](<ferry.md#{anchor}>)", f"[[ferry#{anchor}|x]]"])
)


def _led_to(directory: MemoryDirectory) -> list[int | None]:
    """Which heading each link leads to, by its number."""
    headings = directory.documents["ferry.md"].headings
    found = []
    for source, links in sorted(links_of(directory).items()):
        for link in links:
            if link.anchor is not None and resolve(directory, source, link).keys == ("ferry.md",):
                heading = find_heading(headings, link.anchor)
                found.append(headings.index(heading) if heading is not None else None)
    return found


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(_HEADINGS), min_size=1, max_size=5),
    st.lists(_LINKS, max_size=6),
    st.sampled_from((*_HEADINGS, "Other words")),
)
def test_every_link_leads_to_the_heading_it_led_to(headings: list[str], links: list[str], new: str) -> None:
    body = "".join(f"## {heading}\n\nText.\n\n" for heading in headings)
    texts = {"ferry.md": memory("ferry", body=body), "tide.md": memory("tide", body=" ".join(links) + "\n")}
    try:
        now = renamed(texts, 0, new)
    except CannotChangeError:
        return  # of headings that are called alike, some can be told apart by no anchor
    for before, after in zip(_led_to(directory_of(texts)), _led_to(directory_of(now)), strict=True):
        assert before is None or before == after
