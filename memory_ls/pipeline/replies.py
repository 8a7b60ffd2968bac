"""Reads what a model replied: JSON, with whatever it has put around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memory_ls.text import without_surrogates

# A reply in which more places than this look like the start of an object is none.
_MOST_STARTS = 64
_START = re.compile(r"[{\[]")
# A string, or a comma before a closing bracket.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_DECODER = json.JSONDecoder(strict=False)  # line breaks within strings are a common slip


class UnreadableReplyError(ValueError):
    """A reply that holds no JSON of the form that was asked for."""


def listed_in(reply: str, key: str) -> list[Any]:
    """The list under ``key`` in a reply: its last object that has one, or a bare list where there is no such object.

    Fences and prose around it, and commas before closing brackets, are tolerated.

    Raises:
        UnreadableReplyError: there is none.
    """
    for text in (reply, _TRAILING_COMMA.sub(lambda match: match[1] or "", reply)):
        values = list(_values(text))
        lists = [each[key] for _, each in values if isinstance(each, dict) and isinstance(each.get(key), list)]
        if not lists and values:
            start, value = values[0]
            is_bare = _START.search(text, 0, start) is None  # and no part of something that can't be read
            lists = [value] if is_bare and _is_list_of_objects(value) else []
        if lists:
            cleaned: list[Any] = _cleaned(lists[-1])
            return cleaned
    raise UnreadableReplyError(f"no JSON with `{key}`")


def begun_in(reply: str, key: str) -> list[Any]:
    """The whole items of the list under ``key`` in a reply that ends too early."""
    start = reply.find(f'"{key}"')
    place = reply.find("[", start) + 1 if start >= 0 else 0
    items = []
    while place > 0 and (start := reply.find("{", place)) >= 0:
        try:
            value, place = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            break
        items.append(_cleaned(value))
    return items


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """The JSON objects and lists in a text, one after the other, with where they start."""
    place = 0
    for _ in range(_MOST_STARTS):
        start = _START.search(text, place)
        if start is None:
            return
        try:
            value, place = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            place = start.end()
            continue
        yield start.start(), value


def _cleaned(value: Any) -> Any:
    """The value without characters that belong into no file: lone surrogates, and controls but tabs and line ends."""
    if isinstance(value, str):
        return _CONTROLS.sub("", without_surrogates(value)).replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(value, dict):
        return {key: _cleaned(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return value
