"""The index is put right, and nobody's words are lost."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from memory_ls.changes.plan import CannotChangeError, combined
from memory_ls.changes.reindex import organise, regenerate, repair
from memory_ls.directory.snapshot import FileFacts, Trouble
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.settings import Settings
from tests.changes.making import FERRY, FILES, INDEXES, LOG, MOCKS, ROLE, TIDES, after
from tests.making import DEFAULTS, codes_in, directory_of, memory

ALL = f"{FERRY}{MOCKS}{LOG}{TIDES}{ROLE}"


def repaired(index: str | None, files: dict[str, str] = FILES) -> str:
    texts = files if index is None else {**files, INDEX_NAME: index}
    return after(texts, repair(directory_of(texts), settings=DEFAULTS).changes).get(INDEX_NAME, "")


def organised(index: str, files: dict[str, str] = FILES) -> str:
    texts = {**files, INDEX_NAME: index}
    return after(texts, organise(directory_of(texts), settings=DEFAULTS).changes)[INDEX_NAME]


def regenerated(index: str, files: dict[str, str] = FILES) -> tuple[str, tuple[str, ...]]:
    texts = {**files, INDEX_NAME: index}
    plan = regenerate(directory_of(texts), settings=DEFAULTS)
    return after(texts, plan.changes)[INDEX_NAME], plan.warnings


# --- repair ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (None, f"# Memory Index\n\n{ALL}"),
        ("# Mine\n", f"# Mine\n\n{ALL}"),
        (ALL, ALL),
        (f"{FERRY}{TIDES}{ROLE}", ALL),
        (f"{ALL}- [gone](gone.md) — lost\n", ALL),
        (f"{ALL}{FERRY}", ALL),
        (f"{ALL}- [ferry](ferry.md) — other words\n", f"{ALL}- [ferry](ferry.md) — other words\n"),
        (f"{ALL}- [out](../x.md)\n- [web](https://example.org)\n", f"{ALL}- [out](../x.md)\n- [web](https://example.org)\n"),
        (f"{ALL}\nSee [gone](gone.md) for more.\n", f"{ALL}\nSee [gone](gone.md) for more.\n"),
        (f"{ALL}- [a](gone.md) · [b](ferry.md) — both\n", f"{ALL}- [b](ferry.md) — both\n"),
        (f"{ALL}- [[gone]] — lost\n- [[...]]\n", f"{ALL}- [[...]]\n"),
        (f"# 索引\n\n- [gone](gone.md)\n  继续\n{ALL}\n尾声\n", f"# 索引\n\n{ALL}\n尾声\n"),
        (f"{FERRY}- [gone](gone.md) — see [[no-mocks]]\n{LOG}{TIDES}{ROLE}", ALL),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_repair_brings_in_what_is_missing_and_drops_what_is_dead(old: str | None, new: str, eol: str) -> None:
    if old is None:
        assert repaired(None) == new
        return
    found = repaired(old.replace("\n", eol))
    assert found == new.replace("\n", eol)
    assert repaired(found) == found


def test_what_was_dropped_is_told() -> None:
    texts = {**FILES, INDEX_NAME: f"{ALL}- [gone](gone.md)\n"}
    assert repair(directory_of(texts), settings=DEFAULTS).warnings == (
        "Entries without a memory, or told twice, were dropped: gone.md.",
    )


def test_entries_past_the_load_limit_are_told() -> None:
    texts = {**FILES, INDEX_NAME: FERRY}
    (warning,) = repair(directory_of(texts), settings=Settings(index_max_lines=3)).warnings
    assert "longer than agents load" in warning


@pytest.mark.parametrize("most", [1, 3])
def test_entries_past_a_limit_that_was_passed_before_are_told_too(most: int) -> None:
    texts = {**FILES, INDEX_NAME: FERRY}
    (warning,) = repair(directory_of(texts), settings=Settings(index_max_lines=most)).warnings
    assert "longer than agents load" in warning
    del texts[INDEX_NAME]
    (warning,) = repair(directory_of(texts), settings=Settings(index_max_lines=most)).warnings
    assert "longer than agents load" in warning


def test_an_index_that_cannot_be_read_is_left_alone() -> None:
    facts = {INDEX_NAME: FileFacts(trouble=Trouble.UNREADABLE)}
    directory = directory_of(FILES, files=[INDEX_NAME], facts=facts)
    with pytest.raises(CannotChangeError, match="can't be read"):
        repair(directory, settings=DEFAULTS)


def test_nothing_is_made_of_nothing() -> None:
    assert repair(directory_of({}), settings=DEFAULTS).changes == ()


@given(INDEXES)
@settings(deadline=None)
def test_after_a_repair_nothing_is_left_to_repair(old: str) -> None:
    new = repaired(old)
    assert repaired(new) == new
    codes = [code for found in codes_in({**FILES, INDEX_NAME: new}).values() for code in found]
    assert "memory-not-indexed" not in codes
    kept = [
        line
        for line in old.splitlines()
        if ".md" not in line and "[[" not in line and line.strip() not in ("", "wrapped")
    ]
    assert not Counter(kept) - Counter(new.splitlines())


# --- organise ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"# H\n\n{ROLE}{FERRY}{TIDES}{MOCKS}{LOG}", f"# H\n\n{ALL}"),
        (f"{ROLE}  wrapped\n  - nested\n{FERRY}{TIDES}{MOCKS}{LOG[:-1]}",
         f"{FERRY}{MOCKS}{LOG}{TIDES}{ROLE}  wrapped\n  - nested"),
        (f"{TIDES}\n{FERRY}\n{MOCKS}{LOG}{ROLE}", f"{FERRY}\n{MOCKS}\n{LOG}{TIDES}{ROLE}"),
        (f"{TIDES}{LOG}<!-- pinned -->\n{ROLE}{MOCKS}{FERRY}", f"{LOG}{TIDES}<!-- pinned -->\n{ROLE}{FERRY}{MOCKS}"),
        ("1. [t](tide-tables.md)\n2. [f](ferry.md)\n3. [n](no-mocks.md)\n4. [l](quay-log.md)\n5. [u](user-role.md)\n",
         "1. [f](ferry.md)\n2. [n](no-mocks.md)\n3. [l](quay-log.md)\n4. [t](tide-tables.md)\n5. [u](user-role.md)\n"),
        (f"## User\n{ROLE}{TIDES}\nProse.\n## Project\n{LOG}{FERRY}\n## Reference\n- [x](../x.md)\n## Feedback\n{MOCKS}",
         f"## User\n{ROLE}\nProse.\n## Project\n{FERRY}{LOG}\n## Reference\n- [x](../x.md)\n{TIDES}## Feedback\n{MOCKS}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_organise_sorts_and_groups_and_loses_nothing(old: str, new: str, eol: str) -> None:
    found = organised(old.replace("\n", eol))
    assert found == new.replace("\n", eol)
    assert organised(found) == found


def test_inner_lists_are_sorted_and_stay_with_what_holds_them() -> None:
    old = (
        f"- [tide-tables](tide-tables.md)\n  - [u](user-role.md)\n  - [m](no-mocks.md)\n{FERRY}  - [log](quay-log.md)\n"
    )
    new = (
        f"{FERRY}  - [log](quay-log.md)\n- [tide-tables](tide-tables.md)\n  - [m](no-mocks.md)\n  - [u](user-role.md)\n"
    )
    assert organised(old) == new


@given(INDEXES)
@settings(deadline=None)
def test_organise_loses_no_line_and_is_done_at_once(old: str) -> None:
    start = repaired(old)
    new = organised(start)
    assert organised(new) == new
    before, now = (Counter(line.strip() for line in text.splitlines()) for text in (start, new))
    assert before == now
    assert [h.text for h in IndexDocument.parse(new).headings] == [h.text for h in IndexDocument.parse(start).headings]


# --- regenerate --------------------------------------------------------------------------------------


def test_regenerate_keeps_what_the_index_says_of_a_memory() -> None:
    old = f"# Mine\n\nProse.\n\n## Old\n- [Tides!](tide-tables.md): low and\n  high\n{FERRY}- [gone](gone.md) — x\n"
    new, warnings = regenerated(old)
    assert new == f"# Mine\n\n{FERRY}{MOCKS}{LOG}- [Tides!](tide-tables.md) — low and high\n{ROLE}"
    assert warnings == (
        "Entries that link no memory are left out: gone.md.",
        "2 lines of `MEMORY.md` that are no entries are left out.",
    )
    assert regenerated(new) == (new, ())


@given(INDEXES)
@settings(deadline=None)
def test_what_is_written_anew_lists_every_memory_once(old: str) -> None:
    new, _ = regenerated(old)
    assert regenerated(new)[0] == new
    codes = [code for found in codes_in({**FILES, INDEX_NAME: new}).values() for code in found]
    assert not {"memory-not-indexed", "index-dead-link", "index-duplicate-entry", "link-dead"} & set(codes)


def test_titles_that_markdown_could_misread_are_still_listed() -> None:
    files = {"a.md": memory("'[x] `y`'", nested=False), "b 1.md": memory('"a: b"', nested=False)}
    new = repaired(None, files)
    assert [entry.path for entry in IndexDocument.parse(new).entries()] == ["a.md", "b 1.md"]


def test_an_index_written_anew_twice_is_the_same_where_few_memories_have_a_name() -> None:
    texts = {"a.md": memory(None), "b.md": memory(None), "ferry.md": memory("Ferry times", nested=False)}
    once = combined(regenerate(directory_of(texts), settings=DEFAULTS).changes)[0].after
    assert once is not None
    assert "[Ferry times](ferry.md)" in once
    assert regenerate(directory_of({**texts, INDEX_NAME: once}), settings=DEFAULTS).changes == ()
