"""Where every reader puts what it finds: the one door through which a text becomes a message."""

from __future__ import annotations

from datetime import datetime

from memory_ls.chats.injected import is_summary, said, without_data, without_memory
from memory_ls.chats.message import ChatLog, Message, Role
from memory_ls.text import without_surrogates

# Longer texts are pasted files; what people say of them stands before or behind.
MOST_CHARACTERS = 100_000
# Of a tool's output a model is shown far less. The rest is for finding secrets, which must not be cut before they are found.
MOST_TOOL_CHARACTERS = 2_000
_LONGEST_WORD = 500


def message(
    role: Role,
    text: str,
    time: datetime | None = None,
    id: str | None = None,
    line: int | None = None,
) -> Message | None:
    """The message, without what was put into it and no longer than messages may be; ``None`` if nothing is left."""
    if role is Role.TOOL:
        text = capped(text, MOST_TOOL_CHARACTERS).strip()
    elif role is Role.USER and not is_summary(text):
        text = said(text)
    elif role is Role.ASSISTANT:
        text = text.strip()
    else:
        role = Role.SUMMARY if is_summary(text) else role
        text = without_memory(text)
    if role is not Role.TOOL:
        text = capped(without_data(text), MOST_CHARACTERS)
    return Message(role, without_surrogates(text), time, id, line) if text else None


def capped(text: str, most: int) -> str:
    """The start and the end of a text that has more than ``most`` characters, cut between words.

    Half a secret would not be known for one.
    """
    if len(text) <= most:
        return text
    start, end = text[: most // 2], text[-(most // 2) :]
    start = start[: _last_gap(start)]
    end = end[len(end) - _last_gap(end[::-1]) :]
    # The dots are ASCII: one character that is not doubles what a long text takes.
    return f"{start}\n[...]\n{end}"


def _last_gap(text: str) -> int:
    """Where the last word begins, if it is no longer than words are; else the end."""
    near = max(0, len(text) - _LONGEST_WORD)
    gap = max(text.rfind(" ", near), text.rfind("\n", near))
    return gap if gap >= 0 else len(text)


class Conversation:
    """The messages of a log while it is being read."""

    def __init__(self, format: str) -> None:
        self.messages: list[Message] = []
        self.session_id: str | None = None
        self.working_directory: str | None = None
        self._format = format

    def add(
        self,
        role: Role,
        text: str,
        time: datetime | None = None,
        id: str | None = None,
        line: int | None = None,
    ) -> None:
        """Adds a message, unless nothing of it was said."""
        made = message(role, text, time, id, line)
        if made is not None:
            self.messages.append(made)

    def log(self, unreadable: int = 0) -> ChatLog:
        """What was read, as a value."""
        return ChatLog(tuple(self.messages), self._format, self.session_id, self.working_directory, unreadable)
