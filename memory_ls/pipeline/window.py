"""Cuts the messages of a chat log into windows, each fit for one prompt, and says how a message is shown in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_ls.chats.message import Message, Role

# What the user and the agent said is shown in full. Of the rest, so many characters tell what it was about.
_SHOWN_IN_FULL = (Role.USER, Role.ASSISTANT, Role.SUMMARY)
_MOST_OF_OTHERS = 200
# What stands around a message when it is shown, in characters, about.
_FRAME = 40
# A piece is not cut smaller than this.
_LEAST_PIECE = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """A message, or a piece of one, as a model sees it. ``number`` counts from 1 among the messages that were given."""

    number: int
    role: Role
    text: str
    date: str | None = None
    part: int = 1
    parts: int = 1

    @property
    def size(self) -> int:
        """About how many characters it takes in a prompt."""
        return len(self.text) + _FRAME


@dataclass(frozen=True, slots=True)
class Window:
    """What goes into one prompt."""

    shown: tuple[Shown, ...]

    @property
    def first(self) -> int:
        """The number of the first message."""
        return self.shown[0].number

    @property
    def last(self) -> int:
        """The number of the last message."""
        return self.shown[-1].number

    def halves(self) -> tuple[Window, Window] | None:
        """Two windows that together show the same; ``None`` when it is too small to be cut."""
        if len(self.shown) > 1:
            middle = _middle(self.shown)
            return Window(self.shown[:middle]), Window(self.shown[middle:])
        (only,) = self.shown
        if len(only.text) < 2 * _LEAST_PIECE:
            return None
        pieces = _pieces(only.text, -(-len(only.text) // 2))
        first, *rest = (Shown(only.number, only.role, text, only.date, only.part, only.parts) for text in pieces)
        return Window((first,)), Window(tuple(rest))


def windows_of(messages: Sequence[Message], characters: int) -> Iterator[Window]:
    """The windows of about ``characters`` characters that show all messages, each from the start of a turn if it can.

    A turn begins with what the user says. Windows are made one by one, as they are asked for.
    """
    held: list[Shown] = []
    size = 0
    for turn in _turns(messages, characters):
        turn_size = sum(each.size for each in turn)
        if held and size + turn_size > characters:
            yield Window(tuple(held))
            held, size = [], 0
        for each in turn:
            if held and size + each.size > characters:  # a turn longer than a window
                yield Window(tuple(held))
                held, size = [], 0
            held.append(each)
            size += each.size
    if held:
        yield Window(tuple(held))


def _turns(messages: Sequence[Message], characters: int) -> Iterator[list[Shown]]:
    turn: list[Shown] = []
    for number, message in enumerate(messages, 1):
        if message.role is Role.USER and turn:
            yield turn
            turn = []
        turn += _shown(number, message, characters)
    if turn:
        yield turn


def _shown(number: int, message: Message, characters: int) -> list[Shown]:
    date = message.time.date().isoformat() if message.time is not None else None
    if message.role not in _SHOWN_IN_FULL:
        return [Shown(number, message.role, _shortened(message.text), date)]
    pieces = _pieces(message.text, max(characters - _FRAME, _LEAST_PIECE))
    return [Shown(number, message.role, text, date, part, len(pieces)) for part, text in enumerate(pieces, 1)]


def _shortened(text: str) -> str:
    """The first words of a text on one line, and how much was left out."""
    start = " ".join(text[: 4 * _MOST_OF_OTHERS].split())
    if len(start) <= _MOST_OF_OTHERS and len(text) <= 4 * _MOST_OF_OTHERS:
        return start
    return f"{start[: _MOST_OF_OTHERS - 1]}…"


def _pieces(text: str, most: int) -> list[str]:
    """``text`` cut into pieces of at most ``most`` characters, at ends of lines or words where there are any."""
    pieces = []
    start = 0
    while len(text) - start > most:
        end = _cut(text, start, start + most)
        pieces.append(text[start:end])
        start = end
    return [*pieces, text[start:]]


def _cut(text: str, start: int, end: int) -> int:
    """Where a piece from ``start`` ends: after a line or a word in its last quarter, else at ``end``."""
    least = end - (end - start) // 4
    for mark in ("\n\n", "\n", "。", ". ", " "):
        found = text.rfind(mark, least, end)
        if found >= 0:
            return found + len(mark)
    return end


def _middle(shown: Sequence[Shown]) -> int:
    """Where to cut in two, from 1 to one less than all: at the turn nearest to the middle, if there is one."""
    half = sum(each.size for each in shown) / 2
    before = 0
    distances = []
    for place, each in enumerate(shown):
        if place:
            distances.append((abs(before - half), place))
        before += each.size
    turns = [(distance, place) for distance, place in distances if shown[place].role is Role.USER]
    near = [each for each in turns if each[0] < half / 2]
    return min(near or distances)[1]
