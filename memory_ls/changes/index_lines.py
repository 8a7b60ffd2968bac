"""The lines of an index that hold entries: where they are, which of them make a list, and how lists are sorted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

from memory_ls.directory.resolve import TargetKind, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Block, BlockKind
from memory_ls.documents.index import INDEX_NAME, IndexDocument, IndexEntry
from memory_ls.documents.names import fold

LINE_END = re.compile(r"\r\n|\n|\r")
LEAD = re.compile(r"([ \t>]*)((?:[-*+]|(\d{1,9})[.)])[ \t]+)?")


class EntryLine(NamedTuple):
    """The line of one entry, or of several that share it.

    ``start`` is the offset of its first line's first character; ``own_end`` and ``end`` those behind the line end of
    its last line, without and with what is nested below it. ``place`` is where the item begins, ``list`` tells lists
    apart: the number of headings before it and the place of the item that holds the list, -1 where none does.
    """

    entries: tuple[IndexEntry, ...]
    kind: BlockKind
    place: int
    start: int
    own_end: int
    end: int
    list: tuple[int, int]


def key_of(directory: MemoryDirectory, entry: IndexEntry) -> str | None:
    """The memory that an entry links; ``None`` when it is dead, ambiguous, or links something else."""
    if entry.path in directory.documents:
        return entry.path
    target = resolve(directory, INDEX_NAME, entry.link)
    return target.keys[0] if target.kind is TargetKind.MEMORY else None


def entries_of(directory: MemoryDirectory, keys: Collection[str]) -> list[IndexEntry]:
    """The entries of the memories ``keys``."""
    entries = directory.index.entries() if directory.index else ()
    return [entry for entry in entries if key_of(directory, entry) in keys]


# ---- the lines of entries


def entry_lines(index: IndexDocument) -> list[EntryLine]:
    """Every line that holds an entry, in the order of the text.

    Worked out once for each value of the index, since many entries may be asked about one by one.
    """
    known = index.__dict__.get(_ENTRY_LINES)
    if known is None:
        known = index.__dict__[_ENTRY_LINES] = _entry_lines(index)
    lines: list[EntryLine] = known
    return lines


_ENTRY_LINES = "_entry_lines"


def _entry_lines(index: IndexDocument) -> list[EntryLine]:
    headings = [heading.span.start for heading in index.headings]
    found = []
    for start, chunk in index.placed_chunks():
        parents = _parents(chunk.body.blocks)
        by_block: dict[int, list[IndexEntry]] = {}
        for entry in chunk.entries:
            by_block.setdefault(entry.link.block, []).append(entry.shifted(start))
        for number, entries in by_block.items():
            block = chunk.body.blocks[number]
            parent = parents[number]
            place = -1 if parent is None else start + chunk.body.blocks[parent].span.start
            section = bisect_right(headings, entries[0].span.start)
            found.append(_entry_line(index, block, start, tuple(entries), (section, place)))
    return found


def _parents(blocks: tuple[Block, ...]) -> list[int | None]:
    """For each block the innermost item that holds it."""
    found: list[int | None] = []
    open_items: list[int] = []
    for number, block in enumerate(blocks):
        while open_items and blocks[open_items[-1]].span.end <= block.span.start:
            open_items.pop()
        found.append(open_items[-1] if open_items else None)
        if block.kind is BlockKind.ITEM:
            open_items.append(number)
    return found


def _entry_line(
    index: IndexDocument, block: Block, base: int, entries: tuple[IndexEntry, ...], in_list: tuple[int, int]
) -> EntryLine:
    text = index.source.text
    own = entries[0].span
    start = index.source.line_starts[index.source.line_of(own.start)]
    own_end = behind_line(index, own.end)
    end = own_end
    if block.kind is BlockKind.ITEM:
        whole = text[base + block.span.start : base + block.span.end].rstrip()
        end = max(own_end, behind_line(index, base + block.span.start + len(whole)))
    return EntryLine(entries, block.kind, base + block.span.start, start, own_end, end, in_list)


def behind_line(index: IndexDocument, offset: int) -> int:
    """The offset behind the line end of the line that holds ``offset``."""
    source = index.source
    line = source.line_of(offset)
    return source.line_starts[line + 1] if line + 1 < source.line_count else len(source.text)


def lists_of(lines: Iterable[EntryLine]) -> list[list[EntryLine]]:
    """The lines of list items and table rows, each list by itself."""
    found: dict[object, list[EntryLine]] = {}
    for line in lines:
        if line.kind in (BlockKind.ITEM, BlockKind.ROW):
            found.setdefault((line.list, line.kind), []).append(line)
    return list(found.values())


def outer_lists(lists: list[list[EntryLine]]) -> list[list[EntryLine]]:
    """The lists that hang below no entry."""
    places = {line.place for lines in lists for line in lines}
    return [lines for lines in lists if lines[0].list[1] not in places]


# ---- order


class Order(Enum):
    """By what the entries of an index are sorted."""

    LABEL = "label"
    PATH = "path"


def order_of(index: IndexDocument, lists: list[list[EntryLine]]) -> Order | None:
    """By what the entries of an index are sorted; ``None`` when they are not, but stand as they were added.

    Where there is too little to tell, they are sorted by label.
    """
    counts = [(order, *_ascending(index.source.text, lists, order)) for order in Order]
    for order, good, pairs in counts:
        if good == pairs:
            return order
    return next((order for order, good, pairs in counts if pairs >= _ENOUGH_PAIRS and good >= _MOSTLY * pairs), None)


def likeliest_order(index: IndexDocument, lists: list[list[EntryLine]]) -> Order:
    """By what the entries of an index are sorted, or would be if they were."""
    text = index.source.text
    return order_of(index, lists) or max(Order, key=lambda order: _ascending(text, lists, order)[0])


def _ascending(text: str, lists: list[list[EntryLine]], order: Order) -> tuple[int, int]:
    """How many neighbours stand in order, and how many there are."""
    keys = [[sort_key(text, line.entries[0], order) for line in lines] for lines in lists]
    pairs = [first <= second for each in keys for first, second in pairwise(each)]
    return sum(pairs), len(pairs)


# One slip in a long list does not make it unsorted.
_ENOUGH_PAIRS = 10
_MOSTLY = 0.9
_NO_WORD = re.compile(r"^\W+")


def sort_key(text: str, entry: IndexEntry, order: Order) -> str:
    """What an entry of the index ``text`` is sorted by."""
    if order is Order.PATH:
        return fold(entry.path or entry.link.target)
    label = entry.link.label_span.of(text) or entry.link.target
    return fold(_NO_WORD.sub("", label) or label)


def place_in(keys: list[str], key: str) -> int:
    """Before which of ``keys``, sorted more or less, ``key`` belongs: where the fewest are on its wrong side."""
    wrong = sum(each <= key for each in keys)  # before all
    best, place = wrong, 0
    for number, each in enumerate(keys, 1):
        wrong += -1 if each <= key else 1
        if wrong < best:
            best, place = wrong, number
    return place


def is_spaced(text: str, lines: list[EntryLine]) -> bool:
    """Whether blank lines stand between all items of a list."""
    between = [text[a.end : b.start] for a, b in pairwise(lines)]
    return bool(between) and all(blank and not blank.strip() for blank in between)


def line_end_before(text: str, offset: int) -> int:
    """How many characters the line end has that stands just before ``offset``."""
    if text.endswith("\r\n", 0, offset):
        return 2
    return 1 if text.endswith(("\n", "\r"), 0, offset) else 0
