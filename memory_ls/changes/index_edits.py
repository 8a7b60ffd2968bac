"""Edits of the index, an entry at a time: a line more, a line less, a line elsewhere.

An index is somebody's own text. A new entry is written as its neighbours are and goes where they would have put it;
whatever else stands in the index is left as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from memory_ls.directory.listing import summary
from memory_ls.directory.resolve import TargetKind, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.directory.writing import entry_link, entry_text, one_line
from memory_ls.documents.body import Block, BlockKind, LinkKind
from memory_ls.documents.edits import CannotEditError, Edit
from memory_ls.documents.frontmatter_edits import line_end
from memory_ls.documents.index import INDEX_NAME, IndexDocument, IndexEntry
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, fold, stem_of

NEW_INDEX = "# Memory Index\n\n"

_LINE_END = re.compile(r"\r\n|\n|\r")
LEAD = re.compile(r"([ \t>]*)((?:[-*+]|(\d{1,9})[.)])[ \t]+)?")
_ARCHIVE = re.compile(r"archiv|deprecat|obsolete|stale|\bold\b|归档|存档|过期|보관|アーカイブ", re.IGNORECASE)


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


@dataclass(frozen=True, slots=True)
class Insertion:
    """How a new entry comes into the index.

    ``ground`` is what must stand before it whichever entries are put in at the place. ``section`` is the type for which
    it is put into a section of its own, ``list`` the number of the list that it is put into, ``order`` what that is
    sorted by. ``is_after_prose`` tells that there was no list.
    """

    edit: Edit
    ground: tuple[Edit, ...] = ()
    section: str = ""
    list: int = 0
    order: str = ""
    is_after_prose: bool = False

    @property
    def rank(self) -> tuple[str, int, str]:
        """By this insertions must be sorted, since several may go to one place."""
        return self.section, self.list, self.order


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
    """Every line that holds an entry, in the order of the text."""
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
    own_end = _behind_line(index, own.end)
    end = own_end
    if block.kind is BlockKind.ITEM:
        whole = text[base + block.span.start : base + block.span.end].rstrip()
        end = max(own_end, _behind_line(index, base + block.span.start + len(whole)))
    return EntryLine(entries, block.kind, base + block.span.start, start, own_end, end, in_list)


def _behind_line(index: IndexDocument, offset: int) -> int:
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


# ---- one more


class Layout:
    """How the entries of an index are laid out: what its lists are, what they hold, how they are sorted.

    ``types`` are those that the headings of the ``lists`` name.
    Worked out once for however many entries are to go in.
    """

    def __init__(self, directory: MemoryDirectory) -> None:
        """``directory`` must have an index."""
        assert directory.index is not None
        self._directory = directory
        self._index = directory.index
        self._text = directory.index.source.text
        self.lists = outer_lists(lists_of(entry_lines(directory.index)))
        self._headings = [_heading_of(directory.index, lines) for lines in self.lists]
        self.types = [type_in(heading) for heading in self._headings]
        self._loose = [_is_loose(self._text, lines) for lines in self.lists]
        self._keys: dict[int, tuple[list[str], bool]] = {}

    @cached_property
    def order(self) -> Order | None:
        """By what the entries are sorted."""
        return order_of(self._index, self.lists)

    @cached_property
    def _kinds(self) -> list[str | None]:
        """The type of which the memories of every list are, nothing where a list is of no one type.

        Told only where lists really are by type: where there are as many of one type as of another, they are by topic.
        """
        keys = ((key_of(self._directory, entry) for line in lines for entry in line.entries) for lines in self.lists)
        counts = [Counter(self._directory.documents[key].type for key in each if key is not None) for each in keys]
        leading = [each.most_common(1)[0] if each else (None, 0) for each in counts]
        kinds = [
            kind if 2 * count > each.total() else None for (kind, count), each in zip(leading, counts, strict=True)
        ]
        named = [kind for kind in kinds if kind]
        return kinds if len(set(named)) == len(named) > 1 else [None] * len(kinds)

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        """The words of every list's heading, labels and paths, but for those that half of the lists have."""
        texts = [
            " ".join([heading, *(_named(self._text, entry) for line in lines for entry in line.entries)])
            for heading, lines in zip(self._headings, self.lists, strict=True)
        ]
        words = [words_of(text) for text in texts]
        counts = Counter(word for each in words for word in each)
        return [frozenset(word for word in each if 2 * counts[word] <= len(words)) for each in words]

    def insertion(
        self, directory: MemoryDirectory, key: str, style: Style, *, opened: Collection[str] = ()
    ) -> Insertion:
        """The entry for the memory ``key`` of ``directory``, where the index's own order puts it.

        ``directory`` may hold new memories beside those that the index was laid out with. ``opened`` are the types for
        which an insertion before this one makes a section.

        Raises:
            CannotEditError: no link of the index's kind finds the memory.
        """
        entry = entry_text(directory, key, style)
        if entry is None:
            raise CannotEditError(f"No link in the index can mean {key} and nothing else.")
        if not self.lists:
            return _behind_prose(self._index, entry)
        document = directory.documents[key]
        number = self._list_for(document, key)
        if number is None:
            kind = document.type or ""
            last = max(self.lists, key=lambda lines: lines[-1].end)
            heading = "" if kind in opened else _new_heading(self._index, last, kind)
            return Insertion(_in_new_section(self._text, last, entry, heading), section=kind)
        return self._in_list(directory, key, style, number, entry)

    def _list_for(self, document: MemoryDocument, key: str) -> int | None:
        """The number of the list that a new memory belongs into; ``None`` where it needs a section of its own.

        Where lists are by type it is the one of that type; else the one with which it shares most words, and where it
        shares none, the last that is no archive.
        """
        last = len(self.lists) - 1
        kind = document.type
        if not last:
            return last
        if kind in self.types and kind:
            return last - self.types[::-1].index(kind)
        if all(self.types) and kind in MEMORY_TYPES:
            return None
        words = words_of(f"{document.name} {stem_of(key)} {document.description}")
        by_heading = [len(words & words_of(heading)) for heading in self._headings]
        if not any(by_heading) and kind in self._kinds and kind:
            return last - self._kinds[::-1].index(kind)
        current = [number for number, heading in enumerate(self._headings) if not _ARCHIVE.search(heading)] or [last]
        return max(current, key=lambda number: (by_heading[number], len(words & self._words[number]), number))

    def _in_list(self, directory: MemoryDirectory, key: str, style: Style, number: int, entry: str) -> Insertion:
        lines, text = self.lists[number], self._text
        eol = line_end(text)
        place, wanted = len(lines), ""
        if self.order is not None:
            wanted = _order_key(directory, key, style, self.order)
            keys, is_sorted = self._sort_keys(number, self.order)
            place = bisect_right(keys, wanted) if is_sorted else place_in(keys, wanted)
        neighbour = lines[place - 1] if place else lines[0]
        written = _written_as(text, directory, key, style, neighbour, entry, is_after=place > 0)
        gap = eol if self._loose[number] and neighbour.kind is BlockKind.ITEM else ""
        at = neighbour.end if place else neighbour.start
        before = line_end_before(text, at)
        if text.endswith(("\n", "\r")) or (not place and not before):
            edit = Edit(at, at, f"{gap}{written}{eol}" if place else f"{written}{eol}{gap}")
        else:
            # As a line goes there: each takes the end of the one before.
            edit = Edit(at - before, at - before, f"{eol}{gap}{written}" if place else f"{eol}{written}{gap}")
        return Insertion(edit, list=number, order=wanted)

    def _sort_keys(self, number: int, order: Order) -> tuple[list[str], bool]:
        """What the lines of a list are sorted by, and whether they really are."""
        if number not in self._keys:
            keys = [sort_key(self._text, line.entries[0], order) for line in self.lists[number]]
            self._keys[number] = keys, all(first <= second for first, second in pairwise(keys))
        return self._keys[number]


def _behind_prose(index: IndexDocument, entry: str) -> Insertion:
    text = index.source.text
    eol = line_end(text)
    end = len(text)
    has_content = any(line.strip() and not line.startswith("#") for line in _LINE_END.split(text[index.body_start :]))
    if not text[index.body_start :].strip("\ufeff \t\r\n"):
        return Insertion(Edit(end, end, f"- {entry}{eol}"))
    if not text.endswith(("\n", "\r")):
        return Insertion(Edit(end, end, f"{eol}- {entry}"), (Edit(end, end, eol),), is_after_prose=has_content)
    is_blank = _LINE_END.split(text)[-2].strip() == ""
    ground = () if is_blank else (Edit(end, end, eol),)
    return Insertion(Edit(end, end, f"- {entry}{eol}"), ground, is_after_prose=has_content)


def _is_loose(text: str, lines: list[EntryLine]) -> bool:
    """Whether blank lines stand between all items of a list."""
    between = [text[a.end : b.start] for a, b in pairwise(lines)]
    return bool(between) and all(blank and not blank.strip() for blank in between)


def _order_key(directory: MemoryDirectory, key: str, style: Style, order: Order) -> str:
    """What the entry that a memory is to get will be sorted by."""
    text = f"- {entry_link(directory, key, style) or key}\n"
    return next((sort_key(text, entry, order) for entry in IndexDocument.parse(text).entries()), fold(key))


def _written_as(
    text: str, directory: MemoryDirectory, key: str, style: Style, neighbour: EntryLine, entry: str, *, is_after: bool
) -> str:
    """The line of a new entry, in the form of its neighbour."""
    if neighbour.kind is BlockKind.ROW:
        return _row_as(text, directory, key, style, neighbour)
    lead = LEAD.match(text, neighbour.start)
    assert lead is not None
    bullet = lead.group(2) or "- "
    if lead.group(3) is not None and is_after:
        bullet = bullet.replace(lead.group(3), str(int(lead.group(3)) + 1), 1)
    return f"{lead.group(1)}{bullet}{entry}"


def _row_as(text: str, directory: MemoryDirectory, key: str, style: Style, neighbour: EntryLine) -> str:
    """A row of a table as its neighbour is: the link where that has one, the description in the widest other cell."""
    row = text[neighbour.start : neighbour.own_end].rstrip("\r\n")
    cells = _CELL.split(row)
    link = neighbour.entries[0].link
    at = len(_CELL.split(row[: link.start - neighbour.start])) - 1
    item = summary(key, directory.documents[key])
    others = [number for number in range(len(cells)) if number != at and cells[number].strip()]
    widest = max(others, key=lambda number: len(cells[number]), default=None)
    written = []
    for number, cell in enumerate(cells):
        if number == at and link.kind is LinkKind.CODE:
            written.append(f" `{key}` ")
        elif number == at:
            written.append(f" {_escaped_cell(entry_link(directory, key, style) or key)} ")
        elif number == widest:
            written.append(f" {_escaped_cell(one_line(item.description))} ")
        elif cell.strip() in MEMORY_TYPES:
            written.append(f" {item.type or ''} ")
        else:
            written.append(cell if not cell.strip() else " ")
    return "|".join(written)


_CELL = re.compile(r"(?<!\\)\|")


def _escaped_cell(text: str) -> str:
    return _CELL.sub(r"\\|", text)


# ---- which list


def _heading_of(index: IndexDocument, lines: list[EntryLine]) -> str:
    section = lines[0].list[0]
    return index.headings[section - 1].text if section else ""


# What headings call the types, in several languages in the same order.
_TYPE_WORDS = {
    "user": ("user", "用户", "사용자", "ユーザー"),
    "feedback": ("feedback", "反馈", "피드백", "フィードバック"),
    "project": ("project", "项目", "프로젝트", "プロジェクト"),
    "reference": ("reference", "参考", "참고", "リファレンス"),
}
_KIND_OF = {form: kind for kind, words in _TYPE_WORDS.items() for word in words for form in (word, f"{word}s")}
_GENERIC = frozenset(
    (
        "the",
        "memory",
        "memories",
        "note",
        "notes",
        "preference",
        "preferences",
        "context",
        "about",
        "记忆",
        "메모리",
        "メモリ",
    )
)
_WORD = re.compile(r"[^\W_]+")


def type_in(heading: str) -> str | None:
    """The type that a heading names, if it names nothing else: "Project memories", and not "The ferry project"."""
    words = {word for word in _WORD.findall(heading.casefold()) if word not in _GENERIC}
    kinds = {_KIND_OF.get(word) for word in words}
    return kinds.pop() if len(kinds) == 1 else None


def words_of(text: str) -> frozenset[str]:
    """The words of a text by which things of one topic are told: two letters or more, no types and no file ending."""
    words = _WORD.findall(text.casefold())
    return frozenset(word for word in words if len(word) > 1 and word not in _KIND_OF and word not in _COMMON)


_COMMON = frozenset(
    ["md", "the", "and", "for", "not", "with", "are", "is", "of", "to", "in", "on", "no", "an", "by", "or", "as", "at"]
)


def _named(text: str, entry: IndexEntry) -> str:
    """What an entry is called, label and path."""
    return f"{entry.link.label_span.of(text)} {entry.path or entry.link.target}"


def _new_heading(index: IndexDocument, last: list[EntryLine], kind: str) -> str:
    """The heading of a section for a type, as the last section's is written."""
    heading = index.headings[last[0].list[0] - 1]
    named = next(word for word in _WORD.findall(heading.text) if word.casefold() in _KIND_OF)
    words = _TYPE_WORDS[_KIND_OF[named.casefold()]]
    language = next(number for number, word in enumerate(words) if word in named.casefold())
    plural = "s" if named.casefold() == f"{words[language]}s" and kind != "feedback" else ""
    written = f"{_TYPE_WORDS[kind][language]}{plural}"
    return f"{'#' * heading.level} {written.capitalize() if named[:1].isupper() else written}"


def _in_new_section(text: str, last: list[EntryLine], entry: str, heading: str) -> Edit:
    eol = line_end(text)
    end = last[-1].end
    opening = f"{eol}{heading}{eol}{eol}" if heading else ""
    if text.endswith(("\n", "\r")):
        return Edit(end, end, f"{opening}- {entry}{eol}")
    end -= line_end_before(text, end)
    return Edit(end, end, f"{eol}{opening}- {entry}")


# ---- one less


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
        is_loose = _is_loose(text, lines)
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
    is_loose = siblings.is_loose or end == len(text) or _LINE_END.match(text, end) is not None
    takes_blank = is_between and is_loose and _is_blank_line_before(text, start)
    blank = _LINE_END.match(text, end) if not is_between and siblings.is_loose else None
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


def line_end_before(text: str, offset: int) -> int:
    """How many characters the line end has that stands just before ``offset``."""
    if text.endswith("\r\n", 0, offset):
        return 2
    return 1 if text.endswith(("\n", "\r"), 0, offset) else 0


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
    end = _behind_line(index, last.end)
    while end < line.own_end and not text[end : line.own_end].lstrip(" \t>*_").startswith("["):
        end = _behind_line(index, end)
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
