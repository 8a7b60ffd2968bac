"""Edits of a text that leave every other character as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from memory_ls.text import Span, unchanged_ends


class CannotEditError(Exception):
    """An edit that can't be made without the risk of changing something else; the message says why, in a sentence."""


class Edit(NamedTuple):
    """The characters from ``start`` to ``end`` (offsets from 0, ``end`` exclusive) become ``text``."""

    start: int
    end: int
    text: str

    @property
    def span(self) -> Span:
        """What is replaced; empty where text is only inserted."""
        return Span(self.start, self.end)

    def shifted(self, by: int) -> Edit:
        """The same edit, ``by`` characters further on."""
        return Edit(self.start + by, self.end + by, self.text)


def in_order(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits sorted by place, those that insert at one place in the order given; the same edit twice counts once.

    Raises:
        CannotEditError: two of them touch the same characters.
    """
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if kept and edit.start < edit.end and edit == kept[-1]:
            continue
        if kept and edit.start < kept[-1].end:
            raise CannotEditError("Two changes touch the same place.")
        kept.append(edit)
    return tuple(kept)


def applied(text: str, edits: Iterable[Edit]) -> str:
    """``text`` after all ``edits``, each of which counts in ``text`` as it was before any of them.

    Raises:
        CannotEditError: two of them touch the same characters.
    """
    pieces: list[str] = []
    at = 0
    for edit in in_order(edits):
        pieces += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*pieces, text[at:]))


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


def edits_between(old: str, new: str) -> tuple[Edit, ...]:
    """Edits by whole lines that make ``new`` of ``old`` and leave the lines alone that the two share."""
    first, last = unchanged_ends(old, new)
    if old[first - 1 : first + 1] == "\r\n":
        first -= 1
    start = max(old.rfind("\n", 0, first), old.rfind("\r", 0, first)) + 1
    while last and not (_begins_line(old, len(old) - last) and _begins_line(new, len(new) - last)):
        line = _LINE.match(old, len(old) - last)
        assert line is not None  # it matches anywhere
        last -= len(line[0])
    old_lines, new_lines = (_LINE.findall(text[start : len(text) - last]) for text in (old, new))
    places = list(accumulate(map(len, old_lines), initial=start))
    if len(old_lines) * len(new_lines) > _MOST_PAIRS:
        return (Edit(places[0], places[-1], "".join(new_lines)),)
    from rapidfuzz.distance import LCSseq  # difflib takes a hundred times as long for an index of thousands of lines

    steps = [step for step in LCSseq.opcodes(old_lines, new_lines) if step.tag != "equal"]
    found: list[Edit] = []
    for step in steps:
        edit = Edit(places[step.src_start], places[step.src_end], "".join(new_lines[step.dest_start : step.dest_end]))
        if found and found[-1].end == edit.start:  # lines that go and those that take their place
            edit = Edit(found[-1].start, edit.end, found.pop().text + edit.text)
        found.append(edit)
    return tuple(found)


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n" or (text[at - 1] == "\r" and not text.startswith("\n", at))


# Beyond this the comparison takes too much memory, and what lies between the ends that are equal is one edit.
_MOST_PAIRS = 400_000_000
