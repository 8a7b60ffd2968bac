"""Cursor's export of a chat as markdown."""

from __future__ import annotations

from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.turns import Header, fenced, headers_in, turns

FORMAT = "cursor"
_ROLES = {"**User**": Role.USER, "**Cursor**": Role.ASSISTANT}


def read(lines: list[str]) -> ChatLog:
    """The turns; a ``---`` ends one only where the next begins behind it."""
    found = Conversation(FORMAT)
    for turn in turns(lines, headers_in(lines, "**", _header_of, fenced(lines)), ruled=True):
        if turn.role is not None:
            found.add(turn.role, turn.text, line=turn.line)
    return found.log()


def is_export(lines: list[str]) -> bool:
    """Whether the first lines of a text say that Cursor wrote it."""
    return any(line.startswith("_Exported on ") and "from Cursor" in line for line in lines[:20])


def _header_of(line: str) -> Header | None:
    role = _ROLES.get(line.rstrip())
    return Header(role) if role is not None else None
