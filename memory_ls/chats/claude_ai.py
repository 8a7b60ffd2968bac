"""Exports of claude.ai: one conversation, or a list of them; in each a tree of messages, of which one branch is current."""

from __future__ import annotations

from typing import Any, NamedTuple

from memory_ls.chats.content import answered_in, blocks_of, is_result, result_in, said_in
from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.records import Records
from memory_ls.chats.values import mapping, sequence, string, time_of, words

FORMAT = "claude-ai"
_ROLES = {"human": Role.USER, "assistant": Role.ASSISTANT}
_KEY = "chat_messages"


class _Row(NamedTuple):
    line: int | None
    value: dict[str, Any]


def read(records: Records) -> ChatLog:
    """All conversations of an export, one after the other."""
    found = Conversation(FORMAT)
    sessions: list[str | None] = []
    open_rows: list[_Row] = []
    open_leaf: str | None = None
    for record in records:
        row = record.value
        if record.container == _KEY:
            open_rows.append(_Row(record.line, row))
        elif isinstance(row.get(_KEY), list) and row[_KEY]:
            _add_all(found, [_Row(record.line, mapping(each)) for each in row[_KEY]], _leaf_in(row))
            sessions.append(string(row.get("uuid")))
        else:  # a key of the one conversation that the whole text is
            open_leaf = open_leaf or _leaf_in(row)
            sessions += [string(row["uuid"])] if "uuid" in row else []
    _add_all(found, open_rows, open_leaf)
    found.session_id = sessions[0] if len(sessions) == 1 else None
    return found.log(records.unreadable)


def _leaf_in(row: dict[str, Any]) -> str | None:
    return string(row.get("current_leaf_message_uuid"))


def _add_all(found: Conversation, rows: list[_Row], leaf: str | None) -> None:
    for row in _current(rows, leaf):
        _add(found, row)


def _current(rows: list[_Row], leaf: str | None) -> list[_Row]:
    """The branch that ends in ``leaf``, or in the last message; every message where they are not linked."""
    numbers = {id: number for number, row in enumerate(rows) if (id := string(row.value.get("uuid"))) is not None}
    parents = [numbers.get(string(row.value.get("parent_message_uuid")) or "") for row in rows]
    if not any(parent is not None for parent in parents):
        return rows
    inner = set(parents)
    leaves = [number for number in range(len(rows)) if number not in inner]
    node: int | None = numbers.get(leaf or "", leaves[-1] if leaves else len(rows) - 1)
    way: list[int] = []
    seen: set[int] = set()
    while node is not None and node not in seen:
        seen.add(node)
        way.append(node)
        node = parents[node]
    return [rows[number] for number in reversed(way)]


def _add(found: Conversation, row: _Row) -> None:
    value = row.value
    role = _ROLES.get(words(value.get("sender")))
    if role is None:
        return
    id, time = string(value.get("uuid")), time_of(value.get("created_at"))
    blocks = [block for each in [value.get("content")] if isinstance(each, list) for block in blocks_of(each)]
    results = [result_in(block.get("content")) for block in blocks if is_result(block)]
    text = answered_in(blocks) if role is Role.ASSISTANT else said_in(blocks, role)
    text = text or words(value.get("text"))
    found.add(role, text, time, id, row.line)
    found.add(Role.TOOL, "\n".join(results), time, id, row.line)


def is_conversation(row: dict[str, Any]) -> bool:
    """Whether an object is a conversation, or the part of one that says so."""
    return (
        _KEY in row
        and bool(isinstance(row[_KEY], list))
        and all(isinstance(each, dict) for each in sequence(row[_KEY]))
    )
