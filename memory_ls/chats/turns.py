"""Cuts a transcript in markdown or plain text into turns, each under a line that says who speaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from memory_ls.chats.message import Role

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_RULE = "---"


class Header(NamedTuple):
    """A line that begins a turn; without a role, of one that is not part of the conversation."""

    role: Role | None
    time: datetime | None = None
    rest: str = ""


class Turn(NamedTuple):
    """What one side said; ``line`` is that of the header, from 1."""

    role: Role | None
    time: datetime | None
    line: int
    lines: list[str]

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def fenced(lines: Sequence[str]) -> bytearray:
    """For each line whether it belongs to a fenced code block, where nobody speaks. One without an end is none."""
    inside = bytearray(len(lines))
    start, mark = -1, ""
    for number, line in enumerate(lines):
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if found is None:
            continue
        run, info = found.group(1), found.group(2)
        if start < 0:
            if run[0] == "~" or "`" not in info:
                start, mark = number, run
        elif run[0] == mark[0] and len(run) >= len(mark) and not info.strip():
            inside[start : number + 1] = b"\1" * (number + 1 - start)
            start = -1
    return inside


def headers_in(
    lines: Sequence[str], start: str, header_of: Callable[[str], Header | None], quoted: Sequence[int]
) -> dict[int, Header]:
    """The headers by line from 0, all of which begin with ``start``; none in lines that are ``quoted``."""
    possible = (number for number, line in enumerate(lines) if line.startswith(start) and not quoted[number])
    return {number: header for number in possible if (header := header_of(lines[number])) is not None}


def turns(
    lines: Sequence[str], headers: Mapping[int, Header], *, ruled: bool = False, folded: Sequence[int] | None = None
) -> Iterator[Turn]:
    """The turns that begin with ``headers``, which are told by line from 0; nothing of what comes before the first.

    In a ``ruled`` transcript a line ``---`` stands before each header but the first, with at most blank and ``folded``
    lines between. Where it is missing, the agent's turn begins all the same: what is wrongly taken for the user's does
    more harm than what is not.
    """
    header: Header | None = None
    start = 0
    for number in [*sorted(headers), len(lines)]:
        end = number
        if ruled and header is not None:
            rule = _rule_before(lines, start + 1, number, folded)
            is_apart = number == len(lines) or (headers[number].role is not Role.USER and not lines[number - 1].strip())
            if rule is None and not is_apart:
                continue
            end = number if rule is None else rule
        if header is not None:
            first = [header.rest] if header.rest else []
            yield Turn(header.role, header.time, start + 1, first + list(lines[start + 1 : end]))
        if number < len(lines):
            header, start = headers[number], number


def _rule_before(lines: Sequence[str], start: int, end: int, folded: Sequence[int] | None) -> int | None:
    """Where a rule is the last line, of those from ``start`` to before ``end``, that is neither blank nor folded."""
    last = end - 1
    while last >= start and (not lines[last].strip() or (folded and folded[last])):
        last -= 1
    return last if last >= start and lines[last].strip() == _RULE else None
