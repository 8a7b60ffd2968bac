"""A log in JSON as a stream of records: one a line, or the elements of the one large value that it is.

Neither way is the whole log held as objects: a hundred megabytes of JSON would become several times as many.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

# The keys under which one large object holds its messages.
CONTAINERS = frozenset({"messages", "requests", "chat_messages"})
# A record inside an array that does not parse is stepped over, but not more of them than this.
_MOST_BROKEN = 50
_BLANK = re.compile(r"[ \t\r\n,]*")
_BRACKET_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
# Control characters within strings are no reason to lose a message.
_DECODER = json.JSONDecoder(strict=False)
_BROKEN = (ValueError, RecursionError)


class Record(NamedTuple):
    """One object of a log. ``line`` counts from 1; ``container`` is the key of the array that it is an element of."""

    line: int | None
    value: dict[str, Any]
    container: str | None = None


class Records:
    """The records of a log, to be gone through once; ``unreadable`` counts what was no object so far."""

    def __init__(self, parsed: Iterable[Record | None]) -> None:
        self._parsed = parsed
        self.unreadable = 0

    def __iter__(self) -> Iterator[Record]:
        for record in self._parsed:
            if record is None:
                self.unreadable += 1
            else:
                yield record


def from_lines(lines: Iterable[str]) -> Iterator[Record | None]:
    """A record for each line that is not blank; ``None`` for one that is no JSON object."""
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            value = parsed_line(line)
            yield None if value is None else Record(number, value)


def parsed_line(line: str) -> dict[str, Any] | None:
    """The object that a line holds."""
    try:
        value = _DECODER.decode(line)
    except _BROKEN:
        return None
    return value if isinstance(value, dict) else None


def from_values(values: Iterable[object]) -> Iterator[Record | None]:
    """A record for each value that is an object; ``None`` for any other."""
    for value in values:
        yield Record(None, value) if isinstance(value, dict) else None


def from_document(text: str) -> Iterator[Record | None]:
    """The elements of an array; of an object those of its :data:`CONTAINERS`, and each other key as a record of its own.

    A text that was cut gives what comes before the cut, and ``None`` for the rest.
    """
    return _Document(text).records()


class _Document:
    """Steps through the two upper levels of a JSON text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        self._broken = 0
        self._is_cut = False

    def records(self) -> Iterator[Record | None]:
        self._skip_blank()
        if self._peek() == "[":
            yield from self._elements(None)
        elif self._peek() == "{":
            yield from self._members()
        elif self._peek():
            yield None

    def _members(self) -> Iterator[Record | None]:
        self._at += 1
        while True:
            self._skip_blank()
            if self._peek() == "}":
                return
            line = self._line_here()
            try:
                key = self._value() if self._peek() == '"' else None
                self._skip_blank()
                if not isinstance(key, str) or self._peek() != ":":
                    yield None
                    return
                self._at += 1
                self._skip_blank()
                if key in CONTAINERS and self._peek() == "[":
                    is_empty = self._text.startswith("]", _end_of_blank(self._text, self._at + 1))
                    yield from [Record(line, {key: []})] if is_empty else []
                    yield from self._elements(key)
                    if self._is_cut:
                        return
                else:
                    yield Record(line, {key: self._value()})
            except _BROKEN:
                yield None
                if not self._step_over():
                    return

    def _elements(self, container: str | None) -> Iterator[Record | None]:
        self._at += 1
        while True:
            self._skip_blank()
            if self._peek() == "]":
                self._at += 1
                return
            if not self._peek():
                self._is_cut = True
                yield None
                return
            line = self._line_here()
            try:
                value = self._value()
                yield Record(line, value, container) if isinstance(value, dict) else None
            except _BROKEN:
                yield None
                if not self._step_over():
                    self._is_cut = True
                    return

    def _value(self) -> object:
        """The value that begins here.

        Raises:
            ValueError: it is none.
            RecursionError: it is nested too deeply.
        """
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def _step_over(self) -> bool:
        """Goes behind the object or array that begins here and does not parse; whether it has an end."""
        self._broken += 1
        depth = 0
        if self._broken > _MOST_BROKEN or self._peek() not in ("{", "["):
            return False
        for match in _BRACKET_OR_STRING.finditer(self._text, self._at):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match.group(), 0)
            if depth == 0:
                self._at = match.end()
                return True
        return False

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_blank(self) -> None:
        self._at = _end_of_blank(self._text, self._at)

    def _line_here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line


def _end_of_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at
