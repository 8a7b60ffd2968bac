"""All safe fixes at once: as far as they go, in order, and no further."""

from __future__ import annotations

from memory_ls.rules.check import all_keys
from memory_ls.rules.fixes.fix_all import Mended, fix_all
from memory_ls.settings import Settings
from tests.growth import assert_grows_linearly
from tests.making import DEFAULTS, Texts, memory
from tests.rules.fixes.applying import changed, context_of

_FAULTY = """---
name: a
description: Use when: it rains #3
metadata:
type: project
---
The cafÃ© [[A]].
"""
_MENDED = """---
name: a
description: "Use when: it rains #3"
metadata:
  type: project
---
The café A.
"""


def mended(texts: Texts, *, settings: Settings = DEFAULTS) -> Mended:
    context = context_of(texts, settings=settings)
    return fix_all(context, all_keys(context))


def test_one_fix_makes_room_for_the_next() -> None:
    what = mended({"a.md": _FAULTY})
    assert changed({"a.md": _FAULTY}, what.changes) == {"a.md": _MENDED}
    assert sorted(what.counts["a.md"]) == [
        "damaged-metadata",
        "frontmatter-invalid",
        "link-self",
        "mojibake",
    ]


def test_the_changes_are_edits_of_the_first_text() -> None:
    [change] = mended({"a.md": _FAULTY}).changes
    assert change.before == _FAULTY
    assert [edit.span.of(_FAULTY) for edit in change.edits] == ["Use when: it rains #3", "", "Ã©", "[[A]]"]


def test_the_directory_is_what_comes_of_it() -> None:
    directory = mended({"a.md": _FAULTY}).directory
    assert directory.documents["a.md"].source.text == _MENDED


def test_each_file_is_an_operation_of_its_own() -> None:
    what = mended({"a.md": _FAULTY, "b.md": memory("b", "See #3 and #4"), "c.md": memory("c")})
    assert [(change.operation, change.path) for change in what.changes] == [(1, "a.md"), (2, "b.md")]


def test_a_name_that_one_memory_was_given_is_taken_for_the_next() -> None:
    texts = {"ferry.md": memory(None, "x"), "team/ferry.md": memory(None, "y"), "a.md": memory("a"), "b.md": memory("b"),
             "c.md": memory("c")}  # fmt: skip
    names = [document.name for document in mended(texts).directory.documents.values()]
    assert sorted(filter(None, names)) == ["a", "b", "c", "ferry", "ferry-2"]


def test_only_rules_that_are_asked_for() -> None:
    context = context_of({"a.md": _FAULTY})
    assert dict(fix_all(context, ["a.md"], ["mojibake"]).counts) == {"a.md": {"mojibake": 1}}


def test_rules_that_are_off_mend_nothing() -> None:
    settings = Settings(rules=(("mojibake", "off"), ("link-case", "off")))
    assert {"mojibake", "link-case"}.isdisjoint(mended({"a.md": _FAULTY}, settings=settings).counts["a.md"])


def test_what_is_silenced_is_left_alone() -> None:
    text = memory("a", body="The cafÃ©. <!-- memory-ls-disable-line mojibake -->\n")
    assert mended({"a.md": text}).changes == ()


def test_nothing_that_one_has_to_be_asked_for() -> None:
    text = memory("a", kind="feedback", body="See [[no-such]] yesterday.\n", extra="updated: 2026-01-01\n")
    assert mended({"a.md": text}).changes == ()


def test_a_file_with_many_faults_takes_time_that_grows_with_it() -> None:
    def mend(size: int) -> Mended:
        return mended({"a.md": memory("a", body="A line\r\nwith a cafÃ©\n\n" * size)})

    assert_grows_linearly(mend, 150)
