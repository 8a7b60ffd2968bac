"""Text as the Language Server Protocol sees it: lines, spans and the three position units.

Everything inside memory-ls speaks in offsets: characters (Unicode code points) from the start of
the text, counted from 0. This module is the only place that turns offsets into lines and columns,
into UTF-8 bytes or UTF-16 units, and back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum
from functools import cached_property
from typing import NamedTuple

# LSP 3.17, "Text Documents": these three end a line, and nothing else does. str.splitlines would
# also break at U+2028, U+2029, U+0085, form feed and others, and shift every later line.
_LINE_END = re.compile(r"\r\n|\n|\r")

_SURROGATE = re.compile("[\ud800-\udfff]")


class PositionEncoding(Enum):
    """The unit in which a client counts characters within a line."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class Span(NamedTuple):
    """A range of characters: ``start`` inclusive, ``end`` exclusive, both offsets from 0.

    A named tuple and not a dataclass, since a directory of 10,000 memories holds a few hundred
    thousand of them and tuples are the cheapest immutable value Python has.
    """

    start: int
    end: int

    def shifted(self, by: int) -> Span:
        """The same range, ``by`` characters further on."""
        return Span(self.start + by, self.end + by)

    def of(self, text: str) -> str:
        """The characters of ``text`` inside this range."""
        return text[self.start : self.end]

    def touches(self, offset: int) -> bool:
        """Whether a cursor at ``offset`` is inside this range or at either edge of it."""
        return self.start <= offset <= self.end


class Position(NamedTuple):
    """A place in a text: ``line`` from 0, ``column`` from 0 in the unit that was asked for."""

    line: int
    column: int


def without_surrogates(text: str) -> str:
    """``text`` with U+FFFD for every lone surrogate: of the same length, and fit for UTF-8.

    A lone surrogate is legal in JSON, so a client can send one; PyYAML and pyromark raise on it.
    """
    if text.isascii():
        return text
    return _SURROGATE.sub("\ufffd", text)


def unit_length(text: str, encoding: PositionEncoding) -> int:
    """How many units of ``encoding`` the characters of ``text`` take."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return len(text)
    if encoding is PositionEncoding.UTF16:
        return len(text.encode("utf-16-le", "surrogatepass")) // 2
    return len(text.encode("utf-8", "surrogatepass"))


# Chinese, Japanese and Korean.
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


def estimated_tokens(text: str) -> int:
    """How many tokens a language model is likely to take ``text`` for: an estimate, since each model counts its own way.

    Four characters of ASCII are about one token, two of other alphabets, and one of Chinese, Japanese or Korean.
    """
    if text.isascii():
        return -(-len(text) // 4)
    wide = len(_WIDE.findall(text))
    narrow = len(text.encode("ascii", "ignore"))
    return -(-(4 * wide + narrow + 2 * (len(text) - wide - narrow)) // 4)


def _characters_in(text: str, units: int, encoding: PositionEncoding) -> int:
    """How many whole characters of ``text`` fit into ``units`` units; all of them at the most."""
    if encoding is PositionEncoding.UTF32 or text.isascii():
        return min(units, len(text))
    wide, limit = (2, 0xFFFF) if encoding is PositionEncoding.UTF16 else (0, 0)
    used = 0
    for index, character in enumerate(text):
        code = ord(character)
        if wide:
            used += wide if code > limit else 1
        else:
            used += 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
        if used > units:
            return index
    return len(text)


# Whole characters, and not too many of them: an offset inside such a piece is found by decoding what lies before it.
_NOT_ASCII = re.compile(rb"[\xc0-\xff][\x80-\xff]{0,1000}[\x80-\xbf]*")


class ByteOffsets:
    """Turns byte offsets of a text's UTF-8 form into character offsets, in any order.

    pyromark tells ranges in bytes. Only the pieces that are not ASCII are remembered, few and short ones in most
    texts; for an offset between them it is enough to know how many bytes more than characters lie before it.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts, self._ends, self._more = [0], [0], [0]
        for piece in _NOT_ASCII.finditer(data):
            start, end = piece.span()
            self._starts.append(start)
            self._ends.append(end)
            self._more.append(self._more[-1] + end - start - len(piece.group().decode("utf-8", "replace")))

    def character(self, byte: int) -> int:
        """The character offset of byte offset ``byte``, which must be a character's first byte."""
        number = bisect_right(self._starts, byte) - 1
        if byte >= self._ends[number]:
            return byte - self._more[number]
        start = self._starts[number]
        return start - self._more[number - 1] + len(self._data[start:byte].decode("utf-8", "replace"))


class SourceText:
    """One immutable text with LSP's lines."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __len__(self) -> int:
        return len(self.text)

    def edited(self, text: str, start: int, end: int) -> SourceText:
        """The text after an edit that left its first ``start`` and last ``end`` characters as they were.

        Line starts that are known are carried over: counting them anew takes longer than all else that a
        keystroke in a long text needs.
        """
        edited = SourceText(text)
        known = self.__dict__.get("line_starts")
        if known is None or "\r" in text or "\r" in self.text:
            return edited
        shift = len(text) - len(self.text)
        before = bisect_right(known, start)
        after = bisect_right(known, len(self.text) - end, before)
        between = [match.end() for match in _LINE_END.finditer(text, start, len(text) - end)]
        edited.line_starts = [*known[:before], *between, *(at + shift for at in known[after:])]
        return edited

    @cached_property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character; the first is 0, so there is always one."""
        text = self.text
        if "\r" in text:
            return [0, *(match.end() for match in _LINE_END.finditer(text))]
        starts = [0]
        at = 0
        for line in text.split("\n"):
            at += len(line) + 1
            starts.append(at)
        starts.pop()
        return starts

    @property
    def line_count(self) -> int:
        """The number of lines; a text that ends in a line end has an empty last line."""
        return len(self.line_starts)

    def line_of(self, offset: int) -> int:
        """The line, from 0, that holds the character at ``offset``."""
        return bisect_right(self.line_starts, offset) - 1

    def line_span(self, line: int) -> Span:
        """The range of line ``line`` (from 0) without its line end."""
        starts = self.line_starts
        start = starts[line]
        if line + 1 == len(starts):
            return Span(start, len(self.text))
        end = starts[line + 1] - 1
        if end > start and self.text[end] == "\n" and self.text[end - 1] == "\r":
            end -= 1
        return Span(start, end)

    def position(self, offset: int, encoding: PositionEncoding = PositionEncoding.UTF32) -> Position:
        """Where ``offset`` is. An offset outside the text or within a line end is moved to the nearest place."""
        offset = max(0, min(offset, len(self.text)))
        line = self.line_of(offset)
        span = self.line_span(line)
        column = self.text[span.start : min(offset, span.end)]
        return Position(line, unit_length(column, encoding))

    def offset(self, position: tuple[int, int], encoding: PositionEncoding = PositionEncoding.UTF32) -> int:
        """The offset of a client's position (line from 0, column in units of ``encoding``).

        As LSP asks, a column past the end of the line means the line's end; a line past the last
        one means the end of the text, and a column inside a character means its start.
        """
        line, units = position
        if line < 0:
            return 0
        if line >= self.line_count:
            return len(self.text)
        span = self.line_span(line)
        return span.start + _characters_in(span.of(self.text), max(0, units), encoding)


def unchanged_ends(old: str, new: str) -> tuple[int, int]:
    """How many characters two versions of a text share at their start and, behind those, at their end."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    start, low, high = low, 0, min(len(old), len(new)) - low
    while low < high:
        middle = (low + high + 1) // 2
        if old[len(old) - middle : len(old) - low] == new[len(new) - middle : len(new) - low]:
            low = middle
        else:
            high = middle - 1
    return start, low
