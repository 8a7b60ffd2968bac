"""Where a new entry goes in the index, and how it is written there: as its neighbours are.

An index is somebody's own text, so a new entry goes where they would have put it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from memory_ls.changes.index_lines import (
    LEAD,
    LINE_END,
    EntryLine,
    Order,
    behind_line,
    entry_lines,
    is_spaced,
    key_of,
    line_end_before,
    lists_of,
    order_of,
    outer_lists,
    place_in,
    sort_key,
)
from memory_ls.directory.listing import one_line, summary
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.directory.writing import entry_link, entry_text, fitting
from memory_ls.documents.body import BlockKind, LinkKind
from memory_ls.documents.edits import CannotEditError, Edit
from memory_ls.documents.frontmatter_edits import line_end
from memory_ls.documents.index import IndexDocument, IndexEntry
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, fold, stem_of

NEW_INDEX = "# Memory Index\n\n"

_ARCHIVE = re.compile(r"archiv|deprecat|obsolete|stale|\bold\b|归档|存档|过期|보관|アーカイブ", re.IGNORECASE)


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
        self._loose = [is_spaced(self._text, lines) for lines in self.lists]
        self._keys: dict[int, tuple[list[str], bool]] = {}

    @cached_property
    def order(self) -> Order | None:
        """By what the entries are sorted."""
        return order_of(self._index, self.lists)

    @cached_property
    def _list_by_kind(self) -> dict[str, int]:
        """For each type of which most memories of just one list are, the number of that list."""
        keys = ((key_of(self._directory, entry) for line in lines for entry in line.entries) for lines in self.lists)
        counts = [Counter(self._directory.documents[key].type for key in each if key is not None) for each in keys]
        leading = [
            (kind, number)
            for number, each in enumerate(counts)
            for kind, count in each.most_common(1)
            if kind is not None and 2 * count > each.total()
        ]
        lists = Counter(kind for kind, _ in leading)
        return {kind: number for kind, number in leading if lists[kind] == 1}

    @cached_property
    def _lists_by_word(self) -> dict[str, list[int]]:
        """The lists that hold a word in a label or a path, for words that fewer than half of them hold."""
        words = (
            words_of(" ".join(_named(self._text, entry) for line in lines for entry in line.entries))
            for lines in self.lists
        )
        found = _inverted(words)
        return {word: numbers for word, numbers in found.items() if 2 * len(numbers) <= len(self.lists)}

    @cached_property
    def _lists_by_heading(self) -> dict[str, list[int]]:
        """The lists whose heading holds a word."""
        return _inverted(map(words_of, self._headings))

    @cached_property
    def _archived(self) -> frozenset[int]:
        return frozenset(number for number, heading in enumerate(self._headings) if _ARCHIVE.search(heading))

    @cached_property
    def _empty_sections(self) -> dict[str, int]:
        """For the types that no list's heading names, the number of a heading that does."""
        found: dict[str, int] = {}
        for number, heading in enumerate(self._index.headings):
            kind = type_in(heading.text)
            if kind is not None and kind not in self.types:
                found.setdefault(kind, number)
        return found

    @cached_property
    def _has_prose(self) -> bool:
        lines = LINE_END.split(self._text[self._index.body_start :])
        return any(line.strip() and not line.startswith("#") for line in lines)

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
        document = directory.documents[key]
        section = self._empty_sections.get(document.type or "")
        if section is not None:
            return _in_empty_section(self._index, entry, section)
        if not self.lists:
            return _behind_prose(self._index, entry, has_prose=self._has_prose)
        number = self._list_for(document, key)
        if number is None:
            kind = document.type or ""
            last = max(self.lists, key=lambda lines: lines[-1].end)
            heading = "" if kind in opened else _new_heading(self._index, last, kind)
            return Insertion(_in_new_section(self._text, last, entry, heading), section=kind)
        return self._in_list(directory, key, style, number, entry)

    def _list_for(self, document: MemoryDocument, key: str) -> int | None:
        """The number of the list that a new memory belongs into; ``None`` where it needs a section of its own.

        It is the one whose heading names the type; else one whose heading shares a word with it; else the only one of
        its type; else the one with which it shares most words; else the last that is no archive.
        """
        last = len(self.lists) - 1
        kind = document.type or ""
        if not last:
            return last
        if kind and kind in self.types:
            return last - self.types[::-1].index(kind)
        if all(self.types) and kind in MEMORY_TYPES:
            return None
        words = words_of(f"{document.name} {stem_of(key)} {document.description}")
        by_heading = Counter(number for word in words for number in self._lists_by_heading.get(word, ()))
        if not by_heading and kind in self._list_by_kind:
            return self._list_by_kind[kind]
        by_word = Counter(number for word in words for number in self._lists_by_word.get(word, ()))
        current = [number for number in {*by_heading, *by_word} if number not in self._archived]
        if current:
            return max(current, key=lambda number: (by_heading[number], by_word[number], number))
        return next((number for number in range(last, -1, -1) if number not in self._archived), last)

    def _in_list(self, directory: MemoryDirectory, key: str, style: Style, number: int, entry: str) -> Insertion:
        lines, text = self.lists[number], self._text
        place, wanted = len(lines), ""
        if self.order is not None:
            wanted = _order_key(directory, key, style, self.order)
            keys, is_sorted = self._sort_keys(number, self.order)
            place = bisect_right(keys, wanted) if is_sorted else place_in(keys, wanted)
        neighbour = lines[place - 1] if place else lines[0]
        written = _written_as(text, directory, key, style, neighbour, entry, is_after=place > 0)
        # As the neighbour's line ends, where an index mixes ways of ending lines.
        eol = text[neighbour.end - line_end_before(text, neighbour.end) : neighbour.end] or line_end(text)
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


def _inverted(words: Iterable[Collection[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, each in enumerate(words):
        for word in each:
            found.setdefault(word, []).append(number)
    return found


def _in_empty_section(index: IndexDocument, entry: str, number: int) -> Insertion:
    """The entry below the heading ``number``, where no list is yet."""
    text = index.source.text
    eol = line_end(text)
    at = behind_line(index, index.headings[number].span.end)
    end = index.headings[number + 1].span.start if number + 1 < len(index.headings) else len(text)
    content = text[at:end].rstrip()
    if content:
        at = behind_line(index, at + len(content))
        last = max(text.rfind("\n", 0, at - 1), text.rfind("\r", 0, at - 1)) + 1
        lead = LEAD.match(text, last)
        needs_blank = lead is None or not lead.group(2)
    else:
        blanks = LINE_END.findall(text, at, end)
        needs_blank = end == len(text) and not blanks
        # One blank line stays before the next heading.
        at += len(blanks[0]) if len(blanks) > 1 or (blanks and end == len(text)) else 0
    ground = (Edit(at, at, eol),) if needs_blank else ()
    written = f"- {entry}{eol}" if text.endswith(("\n", "\r"), 0, at) else f"{eol}- {entry}"
    return Insertion(Edit(at, at, written), ground)


def _behind_prose(index: IndexDocument, entry: str, *, has_prose: bool) -> Insertion:
    text = index.source.text
    eol = line_end(text)
    end = len(text)
    before = line_end_before(text, end)
    if not text[index.body_start :].strip("\ufeff \t\r\n"):
        return Insertion(Edit(end, end, f"- {entry}{eol}"))
    if not before:
        return Insertion(Edit(end, end, f"{eol}- {entry}"), (Edit(end, end, eol),), is_after_prose=has_prose)
    ground = () if line_end_before(text, end - before) else (Edit(end, end, eol),)
    return Insertion(Edit(end, end, f"- {entry}{eol}"), ground, is_after_prose=has_prose)


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
            written.append("  ")
        elif cell.strip() in MEMORY_TYPES:
            written.append(f" {item.type or ''} ")
        else:
            written.append(cell if not cell.strip() else " ")
    if widest is not None:
        told = one_line(item.description)
        used = len("|".join(written)) + told.count("|")
        told = _escaped_cell(fitting(told, style, used))
        written[widest] = f" {told} "
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
