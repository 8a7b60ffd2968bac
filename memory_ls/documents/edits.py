"""Edits of a text that leave every other character as it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memory_ls.text import Span


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
