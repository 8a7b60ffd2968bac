"""Recognises the format of a chat log by what it holds, and reads it. Nothing in a log makes this raise."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from itertools import chain, islice
from typing import Any

from memory_ls.chats import aider, arrays, claude_ai, claude_code, codex, copilot, cursor, gemini, plain, specstory
from memory_ls.chats.content import blocks_of, kind_of
from memory_ls.chats.message import ChatLog
from memory_ls.chats.records import CONTAINERS, Record, Records, from_document, from_lines, from_values, parsed_line
from memory_ls.chats.values import mapping, sequence

_OF_RECORDS: dict[str, Callable[[Records], ChatLog]] = {
    claude_code.FORMAT: claude_code.read,
    codex.FORMAT: codex.read,
    gemini.FORMAT: gemini.read,
    copilot.FORMAT: copilot.read,
    arrays.OPENAI: arrays.read_openai,
    arrays.ANTHROPIC: arrays.read_anthropic,
    claude_ai.FORMAT: claude_ai.read,
}
_OF_LINES: dict[str, Callable[[list[str]], ChatLog]] = {
    cursor.FORMAT: cursor.read,
    aider.FORMAT: aider.read,
    specstory.FORMAT: specstory.read,
    plain.FORMAT: plain.read,
}
FORMATS = (*_OF_RECORDS, *_OF_LINES)

_BOM = "\ufeff"
# What is looked at to recognise a format.
_HEAD_LINES = 100
_HEAD_CHARACTERS = 1_000_000
_HEAD_RECORDS = 200
_ARRAY = re.compile(r"\s*\[\s*[\[{\]]")
_CONTAINER = re.compile(rf'"(?:{"|".join(sorted(CONTAINERS))})"\s*:\s*\[')


def read(text: str, format: str | None = None) -> ChatLog:
    """The messages of a chat log, in ``format`` or else in the one that it is recognised to have.

    Raises:
        ValueError: there is no such format.
    """
    text = text.removeprefix(_BOM)
    return _read(_lines_of(text), format, text)


def read_lines(lines: Iterable[str], format: str | None = None) -> ChatLog:
    """As :func:`read`, line by line. A log in JSON lines is never held whole: only what was said in it is kept.

    Raises:
        ValueError: there is no such format.
    """
    return _read(_without_ends(lines), format, None)


def from_messages(messages: Iterable[object]) -> ChatLog:
    """The messages of an array as chat APIs have it; they have no line."""
    values = list(messages)
    format = _format_of(islice(Records(from_values(values)), _HEAD_RECORDS)) or arrays.OPENAI
    return _OF_RECORDS[format](Records(from_values(values)))


def _read(lines: Iterator[str], format: str | None, text: str | None) -> ChatLog:
    if format is not None and format not in FORMATS:
        raise ValueError(f"{format!r} is no format of chat logs; there are {', '.join(FORMATS)}.")
    head = _head(lines)
    shape = _shape(head)
    lines = chain(head, lines)
    if format in _OF_LINES or (format is None and shape is _Shape.TEXT):
        kept = list(lines)
        return _OF_LINES[format or _format_of_text(kept)](kept)
    if shape is _Shape.DOCUMENT:
        whole = "\n".join(lines) if text is None else text
        format = format or _format_of(islice(Records(from_document(whole)), _HEAD_RECORDS))
        return _OF_RECORDS[format](Records(from_document(whole))) if format else plain.read(whole.split("\n"))
    format = format or _format_of(Records(from_lines(head)))
    return _OF_RECORDS[format](Records(from_lines(lines))) if format else plain.read(list(lines))


class _Shape(Enum):
    LINES = auto()
    DOCUMENT = auto()
    TEXT = auto()


def _shape(head: list[str]) -> _Shape:
    """How a log that begins so is written: a JSON object a line, one JSON value, or text."""
    written = [line for line in head if line and not line.isspace()]
    if not written:
        return _Shape.TEXT
    start = written[0].lstrip()
    is_array = _ARRAY.match("\n".join(written[:5])[:1000]) is not None
    is_object = start.startswith("{")
    if is_array:
        return _Shape.DOCUMENT
    if is_object and len(written) == 1:
        # A line may be the whole log, so it is not parsed to see.
        return _Shape.DOCUMENT if _CONTAINER.search(start[:_HEAD_CHARACTERS]) and _is_whole(start) else _Shape.LINES
    objects = sum(_is_object(line) for line in written)
    if 2 * objects >= len(written):
        return _Shape.LINES
    return _Shape.DOCUMENT if is_object else _Shape.TEXT


def _is_object(line: str) -> bool:
    if len(line) > _HEAD_CHARACTERS:
        return line.lstrip().startswith("{")
    return parsed_line(line) is not None


def _is_whole(start: str) -> bool:
    """Whether the keys of a log's first object are those of a whole chat, and not of one message in it."""
    return _format_of(islice(Records(from_document(start)), _HEAD_RECORDS)) is not None


def _format_of(records: Iterable[Record]) -> str | None:
    guess: str | None = None
    for record in records:
        found = _format_of_record(record)
        if found not in (None, arrays.OPENAI):
            return found
        guess = guess or found
    return guess


def _format_of_record(record: Record) -> str | None:
    row = record.value
    kind = row.get("type")
    if not isinstance(kind, str):
        kind = None
    if claude_ai.is_conversation(row) or record.container == "chat_messages":
        return claude_ai.FORMAT
    if "requests" in row or record.container == "requests" or copilot.is_change(row):
        return copilot.FORMAT
    if kind in codex.TYPES and isinstance(row.get("payload"), dict):
        return codex.FORMAT
    if kind in claude_code.TYPES and _is_claude_codes(row):
        return claude_code.FORMAT
    if _is_geminis(row, kind):
        return gemini.FORMAT
    if arrays.is_message(row) or isinstance(row.get("messages"), list):
        messages = [row, *map(mapping, sequence(row.get("messages")))]
        return _api_of(row, messages)
    return arrays.ANTHROPIC if isinstance(row.get("system"), str | list) else None


def _api_of(row: dict[str, Any], messages: list[Any]) -> str:
    if row.get("type") == "message" and any(kind_of(block) == "input_text" for block in blocks_of(row.get("content"))):
        return codex.FORMAT  # as its first versions wrote it
    return arrays.ANTHROPIC if any(map(arrays.looks_like_anthropics, messages)) else arrays.OPENAI


def _is_claude_codes(row: dict[str, Any]) -> bool:
    return isinstance(row.get("message"), dict) or any(
        key in row for key in ("uuid", "parentUuid", "leafUuid", "isSidechain", "messageId", "session_id")
    )


def _is_geminis(row: dict[str, Any], kind: str | None) -> bool:
    if "$set" in row or "$rewindTo" in row or ("sessionId" in row and "startTime" in row):
        return True
    if set(row) in ({"startTime"}, {"projectHash"}):
        return True
    return kind in ("user", "gemini", "info", "error", "warning") and "content" in row and "role" not in row


def _format_of_text(lines: list[str]) -> str:
    if aider.is_history(lines):
        return aider.FORMAT
    if specstory.is_transcript(lines):
        return specstory.FORMAT
    return cursor.FORMAT if cursor.is_export(lines) else plain.FORMAT


def _head(lines: Iterator[str]) -> list[str]:
    head: list[str] = []
    left = _HEAD_CHARACTERS
    for line in lines:
        head.append(line)
        left -= len(line)
        if len(head) == _HEAD_LINES or left < 0:
            break
    return head


def _lines_of(text: str) -> Iterator[str]:
    """The lines of a text without their ends; a copy of all of them at once would double a large log."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    yield text[at:]


def _without_ends(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield (line if number else line.removeprefix(_BOM)).rstrip("\r\n")
