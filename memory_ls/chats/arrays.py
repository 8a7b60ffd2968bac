"""Messages as the two chat APIs take them: an array, an object with ``messages``, or one message a line."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memory_ls.chats.content import (
    answered_in,
    blocks_of,
    call_in,
    is_call,
    is_result,
    kind_of,
    names_called,
    result_in,
    said_in,
)
from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.records import Record, Records
from memory_ls.chats.values import mapping, sequence, string, time_of, words

OPENAI = "openai"
ANTHROPIC = "anthropic"
_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}


def read_openai(records: Records) -> ChatLog:
    """The messages of an array in OpenAI's form."""
    return _read(records, OPENAI)


def read_anthropic(records: Records) -> ChatLog:
    """The messages of an array in Anthropic's form."""
    return _read(records, ANTHROPIC)


def looks_like_anthropics(row: dict[str, Any]) -> bool:
    """Whether a message holds what only Anthropic's form has."""
    return "system" in row or any(
        is_call(block) or is_result(block) or kind_of(block) == "thinking" for block in blocks_of(_content(row))
    )


def is_message(row: dict[str, Any]) -> bool:
    """Whether an object is a message of either form."""
    return isinstance(row.get("role"), str) and ("content" in row or "tool_calls" in row or "message" in row)


def _read(records: Records, format: str) -> ChatLog:
    # Both forms are read alike: many programs mix them.
    found = Conversation(format)
    for record in records:
        found.session_id = found.session_id or _session_of(record.value)
        found.working_directory = found.working_directory or string(record.value.get("cwd"))
        for row in _messages_in(record):
            _add(found, row, record.line)
    return found.log(records.unreadable)


def _session_of(row: dict[str, Any]) -> str | None:
    return string(row.get("session_id")) or string(row.get("sessionId")) or string(row.get("conversation_id"))


def _messages_in(record: Record) -> Iterator[dict[str, Any]]:
    row = record.value
    if record.container is None and "role" not in row:
        if "system" in row:
            yield {"role": "system", "content": row["system"]}
        yield from map(mapping, sequence(row.get("messages")))
    else:
        yield row


def _content(row: dict[str, Any]) -> object:
    return row["content"] if "content" in row else mapping(row.get("message")).get("content")


def _add(found: Conversation, row: dict[str, Any], line: int | None) -> None:
    role = _ROLES.get(words(row.get("role")).lower())
    id, time = string(row.get("id")), _time_in(row)
    content = _content(row)
    if role is Role.ASSISTANT:
        found.add(role, _answer(row, content), time, id, line)
    elif role is Role.TOOL:
        found.add(role, result_in(content), time, id, line)
    elif role is Role.USER:
        blocks = blocks_of(content)
        results = [result_in(block.get("content") or block.get("output")) for block in blocks if is_result(block)]
        found.add(Role.TOOL, "\n".join(results), time, id, line)
        found.add(role, said_in(content, role), time, id, line)
    elif role is not None:
        found.add(role, said_in(content, role), time, id, line)


def _answer(row: dict[str, Any], content: object) -> str:
    parts = [answered_in(content), *names_called(row.get("tool_calls"))]
    if isinstance(row.get("function_call"), dict):
        parts.append(call_in(row["function_call"]))
    return "\n\n".join(filter(None, parts))


def _time_in(row: dict[str, Any]) -> datetime | None:
    times = (time_of(row.get(key)) for key in ("timestamp", "created_at", "createdAt", "time"))
    return next(filter(None, times), None)
