"""A second way to count, apart from the server's, to hold its positions against."""

from __future__ import annotations

import re
from typing import Any

_UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def lines(text: str) -> list[str]:
    """The lines of a text as LSP has them, without their ends."""
    return re.split(r"\r\n|\n|\r", text)


def units(text: str, encoding: str) -> int:
    """How long a text is for a client."""
    return len(text.encode(_UNITS[encoding], "surrogatepass")) // _WIDTH[encoding]


def characters(text: str, encoding: str, count: int) -> int:
    """How many characters the first ``count`` units are; it fails in the middle of one."""
    data = text.encode(_UNITS[encoding], "surrogatepass")[: count * _WIDTH[encoding]]
    assert len(data) == count * _WIDTH[encoding], "past the end of the line"
    return len(data.decode(_UNITS[encoding], "surrogatepass"))


def place(text: str, position: dict[str, int], encoding: str) -> tuple[int, int]:
    """A client's position as line and character, both from 0."""
    line = position["line"]
    return line, characters(lines(text)[line], encoding, position["character"])


def covered(text: str, span: dict[str, Any], encoding: str) -> str:
    """What a range on one line of a text covers."""
    start, end = place(text, span["start"], encoding), place(text, span["end"], encoding)
    assert start[0] == end[0]
    return lines(text)[start[0]][start[1] : end[1]]


def position(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The place of a character as a client counts."""
    before = lines(text[:offset])
    return {"line": len(before) - 1, "character": units(before[-1], encoding)}
