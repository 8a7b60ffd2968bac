"""A chat log as a value: who said what, when, and where in the log it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# Tools have short names; a log may say anything.
_NAME_LENGTH = 100


class Role(StrEnum):
    """Who really spoke, whatever the log calls it."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"  # what a tool gave back
    SUMMARY = "summary"  # an earlier part of the conversation, retold by the agent


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat log.

    ``text`` is never blank and has no lone surrogates. In an assistant's message a tool call is the line that
    :func:`tool_call` makes of its name. ``time`` is aware. ``line`` counts from 1 and is that of the message's start.
    """

    role: Role
    text: str
    time: datetime | None = None
    id: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ChatLog:
    """The messages of a log in the order of the conversation, without what was taken back or only repeated.

    ``format`` is one of :data:`memory_ls.chats.FORMATS`. ``unreadable`` counts the lines, or in one large JSON value
    the parts, that had to be skipped.
    """

    messages: tuple[Message, ...]
    format: str
    session_id: str | None = None
    working_directory: str | None = None
    unreadable: int = 0


def tool_call(name: str) -> str:
    """How a tool call reads within an assistant's message."""
    return f"[tool: {' '.join(name.split())[:_NAME_LENGTH]}]"
