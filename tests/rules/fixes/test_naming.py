"""Fixes of names, by example: the name goes, and every link to it goes along."""

from __future__ import annotations

import pytest

from memory_ls.changes.plan import CannotChangeError, ChangeKind
from tests.making import memory
from tests.rules.fixes.applying import changed, fixes, titles

_OTHERS = {f"{name}.md": memory(name) for name in ("berth", "ferry")}


def test_a_name_becomes_words_joined_by_hyphens_also_in_links() -> None:
    texts = {**_OTHERS, "seat-hold.md": memory("Seat Hold"), "a.md": memory("a", body="See [[Seat Hold|it]].\n")}
    [fix] = fixes("name-not-kebab", texts, "seat-hold.md")
    assert (fix.title, fix.safe, fix.needs) == ("Name it `seat-hold`, also in all links", False, ChangeKind.EDIT)
    new = changed(texts, fix.changes())
    assert "name: seat-hold\n" in new["seat-hold.md"]
    assert "See [[seat-hold|it]].\n" in new["a.md"]


def test_the_file_goes_along_where_it_was_made_from_the_name() -> None:
    texts = {**_OTHERS, "Seat Hold.md": memory("Seat Hold"), "a.md": memory("a", body="[x](Seat%20Hold.md)\n")}
    [fix] = fixes("name-not-kebab", texts, "Seat Hold.md")
    assert fix.needs is ChangeKind.RENAME
    new = changed(texts, fix.changes())
    assert "name: seat-hold\n" in new["seat-hold.md"]
    assert "[x](seat-hold.md)\n" in new["a.md"]


def test_name_and_file_become_alike_in_either_way() -> None:
    texts = {**_OTHERS, "seat-hold.md": memory("waiting-seats"), "a.md": memory("a", body="[[waiting-seats]]\n")}
    assert titles("name-differs-from-file", texts, "seat-hold.md") == [
        "Name it `seat-hold`, also in all links",
        "Rename the file to `waiting-seats.md`",
    ]
    named, moved = fixes("name-differs-from-file", texts, "seat-hold.md")
    new = changed(texts, named.changes())
    assert "name: seat-hold\n" in new["seat-hold.md"]
    assert "[[seat-hold]]\n" in new["a.md"]
    assert changed(texts, moved.changes())["waiting-seats.md"] == texts["seat-hold.md"]


def test_no_file_is_offered_that_is_there_already() -> None:
    texts = {**_OTHERS, "seat-hold.md": memory("waiting-seats"), "waiting-seats.md": memory("seats")}
    assert titles("name-differs-from-file", texts, "seat-hold.md") == ["Name it `seat-hold`, also in all links"]


def test_a_name_that_no_file_can_have() -> None:
    texts = {**_OTHERS, "seat-hold.md": memory("a/b"), "c.md": memory("c", body="[[a/b]]\n")}
    assert titles("name-unsafe", texts, "seat-hold.md") == [
        "Name it `seat-hold`, also in all links",
        "Name it `a-b`, also in all links",
    ]
    new = changed(texts, fixes("name-unsafe", texts, "seat-hold.md")[0].changes())
    assert "name: seat-hold\n" in new["seat-hold.md"]


def test_a_name_that_is_taken_is_refused() -> None:
    texts = {**_OTHERS, "x.md": memory("Ferry")}
    [fix] = fixes("name-not-kebab", texts, "x.md")
    with pytest.raises(CannotChangeError, match="ferry"):
        fix.changes()
