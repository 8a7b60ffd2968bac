"""Claude Code's transcripts: a JSON line for each block of a message, and many lines of bookkeeping between them.

The lines form a tree: whoever goes back and says something else starts a new branch, and the old one stays in the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_ls.chats.branches import Tree
from memory_ls.chats.content import blocks_of, call_in, is_call, is_result, result_in, said_in, text_of
from memory_ls.chats.conversation import Conversation, message
from memory_ls.chats.message import ChatLog, Message, Role
from memory_ls.chats.records import Records
from memory_ls.chats.values import mapping, string, time_of

FORMAT = "claude-code"
TYPES = frozenset(
    {
        *("user", "assistant", "system", "summary", "attachment", "progress", "queue-operation", "result", "mode"),
        *("file-history-snapshot", "file-history-delta", "custom-title", "agent-name", "ai-title", "last-prompt"),
        "pr-link",
    }
)
# A message is written block by block; a block that comes again is looked for among so many of the last.
_LAST = 20


def read(records: Records) -> ChatLog:
    """The conversation up to its last message."""
    found = Conversation(FORMAT)
    tree = Tree()
    turns: list[_Turn] = []
    answers: dict[str, _Turn] = {}
    for record in records:
        row = record.value
        found.session_id = found.session_id or string(row.get("sessionId")) or string(row.get("session_id"))
        found.working_directory = found.working_directory or string(row.get("cwd"))
        if row.get("isSidechain") is True or string(row.get("parent_tool_use_id")):
            continue
        node = tree.add(row)
        if node is None:
            continue  # this line was there before
        if row.get("type") == "assistant":
            _add_answer(row, node, record.line, turns, answers)
        elif (heard := _heard(row, record.line)) is not None:
            turns.append(_Turn(node, heard.time, heard.id, heard.line, heard))
            if heard.role is Role.USER and row.get("type") == "user":
                tree.prompts.add(node)
    dropped = tree.taken_back({turn.node for turn in turns if turn.heard is None})
    for turn in turns:
        if turn.node not in dropped and (made := turn.message()) is not None:
            found.messages.append(made)
    return found.log(records.unreadable)


@dataclass(slots=True)
class _Turn:
    """A message that was heard, or one of the assistant's while its blocks come in."""

    node: int
    time: datetime | None
    id: str | None
    line: int | None
    heard: Message | None = None
    parts: list[tuple[str | None, str]] = field(default_factory=list)

    def add(self, key: str | None, text: str) -> None:
        """Adds a block unless it is there. Of a text that was written while it grew the longest copy stays."""
        for number in range(max(0, len(self.parts) - _LAST), len(self.parts)):
            other_key, other = self.parts[number]
            if key is not None and key == other_key:
                return
            if key is None and other_key is None:
                if other.startswith(text):
                    return
                if text.startswith(other):
                    self.parts[number] = (None, text)
                    return
        self.parts.append((key, text))

    def message(self) -> Message | None:
        """The whole message; ``None`` if nothing was said."""
        if self.heard is not None:
            return self.heard
        text = "\n\n".join(text for _, text in self.parts)
        return message(Role.ASSISTANT, text, self.time, self.id, self.line)


def _add_answer(
    row: dict[str, Any], node: int, line: int | None, turns: list[_Turn], answers: dict[str, _Turn]
) -> None:
    body = mapping(row.get("message"))
    if body.get("model") == "<synthetic>" or row.get("isApiErrorMessage") is True:
        return
    uuid = string(row.get("uuid"))
    key = string(body.get("id")) or uuid or f"line {line}"
    turn = answers.get(key)
    if turn is None:
        turn = answers[key] = _Turn(node, time_of(row.get("timestamp")), uuid, line)
        turns.append(turn)
    for block in blocks_of(body.get("content")):
        if is_call(block):
            turn.add(string(block.get("id")) or f"{line}", call_in(block))
        elif text := text_of(block).strip():
            turn.add(None, text)


def _heard(row: dict[str, Any], line: int | None) -> Message | None:
    """What the user or a tool said in a line, if anything."""
    time, uuid = time_of(row.get("timestamp")), string(row.get("uuid"))
    if row.get("type") == "attachment":
        return _queued(mapping(row.get("attachment")), time, uuid, line)
    if row.get("type") != "user" or not _is_typed(row):
        return None
    blocks = blocks_of(mapping(row.get("message")).get("content"))
    if "toolUseResult" in row or any(map(is_result, blocks)):
        # What stands beside a result was put there by the agent.
        results = (result_in(block.get("content")) for block in blocks if is_result(block))
        return message(Role.TOOL, "\n".join(results), time, uuid, line)
    if row.get("isCompactSummary") is True:
        return message(Role.SUMMARY, said_in(blocks), time, uuid, line)
    if row.get("isVisibleInTranscriptOnly") is True:
        return None
    return message(Role.USER, said_in(blocks, Role.USER), time, uuid, line)


def _queued(attachment: dict[str, Any], time: datetime | None, uuid: str | None, line: int | None) -> Message | None:
    """What the user typed while the agent was at work."""
    is_prompt = attachment.get("type") == "queued_command" and attachment.get("commandMode") in (None, "prompt")
    if not is_prompt or not _is_typed(attachment):
        return None
    return message(Role.USER, said_in(attachment.get("prompt"), Role.USER), time, uuid, line)


def _is_typed(row: dict[str, Any]) -> bool:
    """Whether nothing says that a message came from elsewhere than a person."""
    is_made = row.get("isMeta") is True or row.get("isSynthetic") is True
    return not is_made and mapping(row.get("origin")).get("kind") in (None, "human")
