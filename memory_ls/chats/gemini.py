"""Gemini CLI's chats: one JSON object, or JSON lines that also change and take back what earlier lines said."""

from __future__ import annotations

import re
from typing import Any

from memory_ls.chats.content import blocks_of, names_called, said_in
from memory_ls.chats.conversation import Conversation, message
from memory_ls.chats.message import ChatLog, Message, Role
from memory_ls.chats.records import Records
from memory_ls.chats.values import mapping, sequence, string, time_of, words

FORMAT = "gemini"
_ROLES = {"user": Role.USER, "gemini": Role.ASSISTANT}
_REFERENCED = "--- Content from referenced files ---"
_DIRECTORY = re.compile(r"(?:Workspace Directories:\**\s*\n\s*- |working in the directory: )([^\n]+)")


def read(records: Records) -> ChatLog:
    """The conversation without what was rewound; a message that was written again stands where it first stood."""
    found = Conversation(FORMAT)
    entries = _Entries()
    for record in records:
        row = record.value
        changed = mapping(row.get("$set"))
        found.session_id = found.session_id or string(row.get("sessionId")) or string(changed.get("sessionId"))
        if "$rewindTo" in row:
            entries.rewind(row["$rewindTo"])
        elif "type" in row:
            entries.keep(row, record.line)
        listed = sequence(changed.get("messages") if changed else row.get("messages"))
        for each in map(mapping, listed):
            entries.keep_new(each, record.line)
        found.working_directory = found.working_directory or _directory_in(row, listed)
    found.messages = entries.messages()
    return found.log(records.unreadable)


class _Entries:
    """The messages by id, in the order in which they were first written; ``None`` for one in which nothing was said."""

    def __init__(self) -> None:
        self._by_id: dict[str, Message | None] = {}
        self._said: set[int] = set()

    def keep(self, row: dict[str, Any], line: int | None) -> None:
        """Adds a message, or puts it in the place of the one with its id."""
        id = string(row.get("id"))
        made = _message(row, id, line)
        self._by_id[id or f"\0{len(self._by_id)}"] = made
        if made is not None:
            self._said.add(_key(made))

    def keep_new(self, row: dict[str, Any], line: int | None) -> None:
        """Adds a message of a list, unless it was said before.

        Such a list is what the model is to see from here on. When it grew too long for it, earlier messages are left
        out and the others come again under new ids, but all of them were said.
        """
        made = _message(row, None, line)
        if string(row.get("id")) in self._by_id or (made is not None and _key(made) not in self._said):
            self.keep(row, line)

    def rewind(self, to: object) -> None:
        """Drops the message ``to`` and all that follow it; nothing if it is not there."""
        while isinstance(to, str) and to in self._by_id:
            _, dropped = self._by_id.popitem()
            if dropped is not None:
                self._said.discard(_key(dropped))

    def messages(self) -> list[Message]:
        """Those in which something was said."""
        return [each for each in self._by_id.values() if each is not None]


def _key(said: Message) -> int:
    return hash((said.role, said.text))


def _message(row: dict[str, Any], id: str | None, line: int | None) -> Message | None:
    role = _ROLES.get(words(row.get("type")))
    if role is None:
        return None  # what the program told of itself
    time = time_of(row.get("timestamp"))
    if role is Role.USER:
        typed = said_in(row.get("displayContent"), role) or said_in(row.get("content"), role).partition(_REFERENCED)[0]
        return message(role, typed, time, id, line)
    calls = names_called(row.get("toolCalls")) or names_called(
        [block["functionCall"] for block in blocks_of(row.get("content")) if "functionCall" in block]
    )
    return message(role, "\n\n".join(filter(None, [said_in(row.get("content")), *calls])), time, id, line)


def _directory_in(row: dict[str, Any], listed: list[Any]) -> str | None:
    """Where the chat was held, which only the model is told, and first of all."""
    for each in (row, *map(mapping, listed[:1])):
        if each.get("type") == "user" and (found := _DIRECTORY.search(said_in(each.get("content"))[:20_000])):
            return string(found.group(1).strip())
    return None
