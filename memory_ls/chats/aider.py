"""Aider's history of chats, one file for all chats in a directory."""

from __future__ import annotations

from datetime import datetime

from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.turns import fenced
from memory_ls.chats.values import time_of

FORMAT = "aider"
START = "# aider chat started at "
_USER = "####"
_OWN = ">"


def read(lines: list[str]) -> ChatLog:
    """The turns of all chats in the file, each with the time at which its chat began."""
    reading = _Reading()
    code = fenced(lines)
    is_typed = _typed(lines)
    for number, line in enumerate(lines):
        if line.startswith(START):
            reading.begin(None, number)
            reading.time = time_of(line.removeprefix(START))
        elif not code[number] and is_typed[number]:
            reading.begin(Role.USER, number)
            reading.lines.append(line[len(_USER) :].strip())
        elif not code[number] and line.startswith(_OWN):
            reading.begin(None, number)
        else:
            reading.begin(Role.ASSISTANT if line.strip() else reading.role, number)
            reading.lines.append(line)
    reading.begin(None, len(lines))
    return reading.found.log()


def is_history(lines: list[str]) -> bool:
    """Whether a text begins as the history does."""
    return next((line.startswith(START) for line in lines if line.strip()), False)


def _typed(lines: list[str]) -> list[bool]:
    """For each line whether the user typed it.

    Aider ends what was typed with two spaces. Without them, where any line has them, it is a heading of the assistant's.
    """
    headed = [line.startswith(f"{_USER} ") or line.rstrip() == _USER for line in lines]
    ended = [is_headed and line.endswith("  ") for is_headed, line in zip(headed, lines, strict=True)]
    return ended if any(ended) else headed


class _Reading:
    """The turn that is being read, and those before it."""

    def __init__(self) -> None:
        self.found = Conversation(FORMAT)
        self.time: datetime | None = None
        self.role: Role | None = None
        self.lines: list[str] = []
        self._line = 0

    def begin(self, role: Role | None, number: int) -> None:
        """Ends the turn that is being read if ``role`` has another; line ``number``, from 0, is the first of the new one."""
        if role is self.role:
            return
        if self.role is not None:
            self.found.add(self.role, "\n".join(self.lines), self.time, line=self._line)
        self.role, self.lines, self._line = role, [], number + 1
