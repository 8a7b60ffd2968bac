"""An entry less or elsewhere, and nothing else of the index changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.index_edits import move_entry, remove_entries
from memory_ls.changes.index_lines import entries_of
from memory_ls.documents.edits import CannotEditError, applied
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from tests.changes.making import FERRY, FILES, INDEXES, LOG, TIDES, added
from tests.making import directory_of


def removed(index: str, *keys: str, files: dict[str, str] = FILES) -> str:
    directory = directory_of({**files, INDEX_NAME: index})
    assert directory.index is not None
    return applied(index, remove_entries(directory.index, entries_of(directory, keys)))


@pytest.mark.parametrize(
    ("old", "keys", "new"),
    [
        (f"# H\n\n{FERRY}{LOG}{TIDES}", ["quay-log.md"], f"# H\n\n{FERRY}{TIDES}"),
        (f"{FERRY}  and more\nlazily\n{TIDES}", ["ferry.md"], TIDES),
        (f"{FERRY}{LOG}".replace("\n", "\r\n"), ["quay-log.md"], FERRY.replace("\n", "\r\n")),
        (f"{FERRY}{LOG[:-1]}", ["quay-log.md"], FERRY[:-1]),
        (f"{FERRY}{LOG[:-1]}", ["ferry.md"], LOG[:-1]),
        (f"{FERRY}{LOG}{TIDES[:-1]}", ["quay-log.md", "tide-tables.md"], FERRY[:-1]),
        (f"{FERRY}{LOG[:-1]}", ["ferry.md", "quay-log.md"], ""),
        (f"## A\n\n{FERRY}\n## B\n\n{LOG}", ["ferry.md"], f"## A\n\n\n## B\n\n{LOG}"),
        (f"{FERRY}\n{LOG}\n{TIDES}", ["quay-log.md"], f"{FERRY}\n{TIDES}"),
        (f"{FERRY}\n{LOG}", ["quay-log.md"], FERRY),
        ("- [a](ferry.md) · [b](quay-log.md) · [c](tide-tables.md) — all\n", ["ferry.md"],
         "- [b](quay-log.md) · [c](tide-tables.md) — all\n"),
        ("- [a](ferry.md) · [b](quay-log.md) · [c](tide-tables.md) — all\n", ["quay-log.md", "tide-tables.md"],
         "- [a](ferry.md) — all\n"),
        ("- [a](ferry.md) · [b](quay-log.md) — all\n", ["quay-log.md", "ferry.md"], ""),
        ("| F | A |\n|---|---|\n| [a](ferry.md) | x |\n| `quay-log.md` | y |\n", ["quay-log.md"],
         "| F | A |\n|---|---|\n| [a](ferry.md) | x |\n"),
        (f"{FERRY}    - [q](quay-log.md)\n      more\n{TIDES}", ["ferry.md"], f"- [q](quay-log.md)\n  more\n{TIDES}"),
        (f"{FERRY}  - [q](quay-log.md)\n{TIDES}", ["quay-log.md"], f"{FERRY}{TIDES}"),
        ("See [ferry](ferry.md) for boats.\n", ["ferry.md"], "See ferry for boats.\n"),
        ("## [Ferry](ferry.md)\n\nWords.\n", ["ferry.md"], "## Ferry\n\nWords.\n"),
        ("[Ferry](ferry.md) — x\nmore\n\n[Log](quay-log.md)\n", ["ferry.md"], "\n[Log](quay-log.md)\n"),
        ("- [[ferry]] — x\n- [[Quay Log]] — y\n", ["quay-log.md"], "- [[ferry]] — x\n"),
        (f"{FERRY}- [x](ferry.md) again\n{LOG}", ["ferry.md"], LOG),
        (FERRY, [], FERRY),
    ],
)  # fmt: skip
def test_an_entry_goes_and_nothing_else(old: str, keys: list[str], new: str) -> None:
    assert removed(old, *keys) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"# H\n\n{FERRY}{TIDES}{LOG}", f"# H\n\n{LOG}{FERRY}{TIDES}"),
        (f"{FERRY}{TIDES}{LOG[:-1]}", f"{LOG}{FERRY}{TIDES[:-1]}"),
        (f"{FERRY}{LOG}  - nested\n{TIDES}", f"{LOG}  - nested\n{FERRY}{TIDES}"),
    ],
)
def test_an_entry_moves_with_what_belongs_to_it(old: str, new: str) -> None:
    directory = directory_of({**FILES, INDEX_NAME: old})
    assert directory.index is not None
    (log,), (ferry,) = (entries_of(directory, [key]) for key in ("quay-log.md", "ferry.md"))
    assert applied(old, move_entry(directory.index, log, ferry)) == new
    assert move_entry(directory.index, ferry, ferry) == ()


def test_an_entry_does_not_move_into_itself_or_into_prose() -> None:
    for text in (f"{FERRY}  - [q](quay-log.md)\n", f"{FERRY}\nSee [q](quay-log.md).\n"):
        index = IndexDocument.parse(text)
        first, second = index.entries()
        with pytest.raises(CannotEditError):
            move_entry(index, first, second)


@given(INDEXES)
@settings(deadline=None)
def test_an_entry_put_into_a_list_and_taken_out_leaves_the_same_bytes(old: str) -> None:
    has_list = any(line.lstrip().startswith(("-", "*", "1.", "|")) and ".md" in line for line in old.splitlines())
    new = added(old)
    if has_list and len(IndexDocument.parse(new).headings) == len(IndexDocument.parse(old).headings):
        back = removed(new, "quay-log.md")
        # Below a heading or prose a blank line goes before the first entry, and stays.
        assert back == old or ("## Project" in old and back.split() == old.split())


@given(INDEXES, st.lists(st.sampled_from(sorted(FILES)), max_size=3))
@settings(deadline=None)
def test_what_is_taken_out_is_gone_and_all_other_entries_stay(old: str, keys: list[str]) -> None:
    directory = directory_of({**FILES, INDEX_NAME: old})
    gone = {entry.link.start for entry in entries_of(directory, keys)}
    assert directory.index is not None
    kept = [e.link.span.of(old) for e in directory.index.entries() if e.link.start not in gone]
    new = removed(old, *keys)
    assert [e.link.span.of(new) for e in IndexDocument.parse(new).entries()] == kept
    assert new.count("prose") == old.count("prose")
    assert new.count("note") == old.count("note")
