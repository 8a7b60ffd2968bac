"""Follows a text through several rounds of edits, so that in the end they are edits of the text as it was at first."""

from __future__ import annotations

from collections.abc import Iterable

from memory_ls.documents.edits import Edit, in_order
from memory_ls.text import Span

# Characters that the text had at first, or new ones.
_Piece = Span | str


class Followed:
    """A text that began as ``before``."""

    def __init__(self, before: str) -> None:
        self.before = before
        self._pieces: list[_Piece] = [Span(0, len(before))]

    def take(self, edits: Iterable[Edit]) -> None:
        """Takes edits of the text as it is now."""
        rest, kept = self._pieces[::-1], list[_Piece]()
        at = 0
        for edit in in_order(edits):
            _move(rest, edit.start - at, kept)
            _move(rest, edit.end - edit.start, [])
            if edit.text:
                kept.append(edit.text)
            at = edit.end
        self._pieces = kept + rest[::-1]

    def edits(self) -> tuple[Edit, ...]:
        """All that was taken, as edits of the first text."""
        found: list[Edit] = []
        at, new = 0, ""
        for piece in [*self._pieces, Span(len(self.before), len(self.before))]:
            if isinstance(piece, str):
                new += piece
                continue
            if new or piece.start > at:
                found.append(Edit(at, piece.start, new))
            at, new = piece.end, ""
        return tuple(edit for edit in found if edit.text != edit.span.of(self.before))


def _move(rest: list[_Piece], count: int, to: list[_Piece]) -> None:
    """Moves the next ``count`` characters of ``rest``, whose last piece is the next, to the end of ``to``."""
    while count:
        piece = rest.pop()
        length = len(piece) if isinstance(piece, str) else piece.end - piece.start
        if length > count:
            rest.append(_cut(piece, count, length))
            piece, length = _cut(piece, 0, count), count
        to.append(piece)
        count -= length


def _cut(piece: _Piece, start: int, end: int) -> _Piece:
    return piece[start:end] if isinstance(piece, str) else Span(piece.start + start, piece.start + end)
