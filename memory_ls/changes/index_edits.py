"""Entries of the index that go or move; whatever else stands in it is left as it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from memory_ls.changes.index_lines import (
    LEAD,
    LINE_END,
    EntryLine,
    behind_line,
    entry_lines,
    is_spaced,
    line_end_before,
    lists_of,
)
from memory_ls.documents.body import BlockKind
from memory_ls.documents.edits import CannotEditError, Edit
from memory_ls.documents.frontmatter_edits import line_end
from memory_ls.documents.index import IndexDocument, IndexEntry


def remove_entries(index: IndexDocument, entries: Collection[IndexEntry]) -> tuple[Edit, ...]:
    """The ``entries`` go: with their lines, or, where others share the line, each with its link alone.

    A line of prose keeps its words: there only the link is taken off its label.
    """
    gone = {entry.link.start for entry in entries}
    edits: list[Edit] = []
    lines = entry_lines(index)
    siblings = _siblings(index.source.text, lists_of(lines))
    for line in lines:
        leaving = [entry for entry in line.entries if entry.link.start in gone]
        if not leaving:
            continue
        if len(leaving) < len(line.entries):
            edits.extend(_without_links(line, gone))
        elif line.kind in (BlockKind.ITEM, BlockKind.ROW):
            edits.extend(_without_line(index, line, siblings[line.place]))
        else:
            edits.extend(_without_paragraph(index, line))
    return tuple(_apart(edits))


class _Siblings(NamedTuple):
    """What stands around a line in its list: where the line before ends, and whether blank lines part all of them."""

    end_before: int | None
    is_loose: bool


_ALONE = _Siblings(None, False)


def _siblings(text: str, lists: list[list[EntryLine]]) -> dict[int, _Siblings]:
    found: dict[int, _Siblings] = {}
    for lines in lists:
        is_loose = is_spaced(text, lines)
        for before, line in zip([None, *lines], lines, strict=False):
            found[line.place] = _Siblings(before.end if before else None, is_loose)
    return found


def _without_links(line: EntryLine, gone: set[int]) -> Iterator[Edit]:
    """Some of the links that share a line go, each with what joins it to the next or, at the end, to the one before."""
    kept = [number for number, entry in enumerate(line.entries) if entry.link.start not in gone]
    for number, entry in enumerate(line.entries):
        if entry.link.start in gone and number < kept[-1]:
            yield Edit(entry.link.start, line.entries[number + 1].link.start, "")
    if kept[-1] + 1 < len(line.entries):
        yield Edit(line.entries[kept[-1]].link.end, line.entries[-1].link.end, "")


def _without_line(index: IndexDocument, line: EntryLine, siblings: _Siblings) -> Iterator[Edit]:
    text = index.source.text
    yield from _line_removed(index, line.start, line.own_end, siblings)
    if line.end > line.own_end:
        # What is nested below it moves out by as much as it was moved in.
        lead = LEAD.match(text, line.start)
        first = LEAD.match(text, line.own_end)
        depth = len(first.group(1)) - len(lead.group(1)) if lead and first else 0
        source = index.source
        for number in range(source.line_of(line.own_end), source.line_of(line.end - 1) + 1):
            start = source.line_starts[number]
            if depth > 0 and text[start : start + depth].strip(" \t") == "" and len(text) >= start + depth:
                yield Edit(start, start + depth, "")


def _line_removed(index: IndexDocument, start: int, end: int, siblings: _Siblings = _ALONE) -> Iterator[Edit]:
    """The lines from ``start`` to ``end`` go. A file whose last line has no end keeps none."""
    text = index.source.text
    # In a list with blank lines between the items, two of them would be left.
    is_between = siblings.end_before is not None and not text[siblings.end_before : start].strip()
    is_loose = siblings.is_loose or end == len(text) or LINE_END.match(text, end) is not None
    takes_blank = is_between and is_loose and _is_blank_line_before(text, start)
    blank = LINE_END.match(text, end) if not is_between and siblings.is_loose else None
    taken = end
    before = line_end_before(text, start)
    if before and not text.endswith(("\n", "\r")):
        # Every line takes the end of the one before, so that the last one can go as any other.
        start, end = start - before, end - line_end_before(text, end)
    # The blank line by itself, so that other edits may put something between the two.
    yield Edit(start, end, "")
    if takes_blank:
        yield Edit(start - line_end_before(text, start), start, "")
    elif blank is not None:
        yield Edit(end, end + blank.end() - taken, "")


def _is_blank_line_before(text: str, offset: int) -> bool:
    first = line_end_before(text, offset)
    return first > 0 and line_end_before(text, offset - first) > 0


def _without_paragraph(index: IndexDocument, line: EntryLine) -> Iterator[Edit]:
    text, source = index.source.text, index.source
    first, last = line.entries[0].link, line.entries[-1].link
    start = source.line_starts[source.line_of(first.start)]
    is_first = not text[start : first.start].strip(" \t>*_")
    if line.kind is BlockKind.HEADING or not is_first:
        for entry in line.entries:
            label = entry.link.label_span.of(text) or entry.link.target
            yield Edit(entry.link.start, entry.link.end, label)
        return
    # Up to the next line of the paragraph that begins with a link of its own.
    end = behind_line(index, last.end)
    while end < line.own_end and not text[end : line.own_end].lstrip(" \t>*_").startswith("["):
        end = behind_line(index, end)
    yield from _line_removed(index, start, end)


def _apart(edits: list[Edit]) -> Iterator[Edit]:
    """The edits, those that take a line end which the one before takes too beginning behind it."""
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        kept = edit if edit.start >= at else Edit(at, max(edit.end, at), edit.text)
        at = kept.end
        yield kept


# ---- one elsewhere


def move_entry(index: IndexDocument, entry: IndexEntry, before: IndexEntry) -> tuple[Edit, ...]:
    """The line of ``entry``, with what is nested below it, goes before the line of the entry ``before``.

    Raises:
        CannotEditError: one of the two is no line of a list or table, or holds the other.
    """
    lines = entry_lines(index)
    line = next((each for each in lines if entry.link.start in {one.link.start for one in each.entries}), None)
    target = next((each for each in lines if before.link.start in {one.link.start for one in each.entries}), None)
    if line is None or target is None or {line.kind, target.kind} not in ({BlockKind.ITEM}, {BlockKind.ROW}):
        raise CannotEditError("Only an entry of a list can be moved, to a place in a list.")
    if line is target:
        return ()
    if line.start < target.start < line.end or target.start < line.start < target.own_end:
        raise CannotEditError("The one entry holds the other.")
    text = index.source.text
    moved = text[line.start : line.end].rstrip("\r\n") + line_end(text)
    return (Edit(target.start, target.start, moved), *_line_removed(index, line.start, line.end))
