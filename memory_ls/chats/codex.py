"""Codex's rollouts: JSON lines in an envelope, in which most messages stand twice, for the model and for the screen."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from typing import Any

from memory_ls.chats.content import call_in, result_in, said_in
from memory_ls.chats.conversation import Conversation, message
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.records import Records
from memory_ls.chats.values import string, time_of, words

FORMAT = "codex"
TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "developer": Role.SYSTEM}
_SHOWN = {"user_message": Role.USER, "agent_message": Role.ASSISTANT}
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
# The two tell an image in different ways.
_IMAGE = re.compile(r"\[Image #\d+\]")


def read(records: Records) -> ChatLog:
    """The conversation, each message once."""
    reading = _Reading()
    for record in records:
        row = record.value
        payload = row.get("payload")
        # The first versions had no envelope.
        inner = payload if isinstance(payload, dict) else row
        reading.add(words(row.get("type")), inner, time_of(row.get("timestamp")), record.line)
    return reading.found.log(records.unreadable)


class _Reading:
    def __init__(self) -> None:
        self.found = Conversation(FORMAT)
        # How often a message, known by a hash, was said in one of the two places and not yet in the other.
        self._once: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}

    def add(self, kind: str, payload: dict[str, Any], time: datetime | None, line: int | None) -> None:
        found = self.found
        if kind in ("session_meta", "turn_context"):
            found.working_directory = found.working_directory or string(payload.get("cwd"))
            if kind == "session_meta":
                found.session_id = found.session_id or string(payload.get("id")) or string(payload.get("session_id"))
        elif kind == "compacted":
            found.add(Role.SUMMARY, words(payload.get("message")), time, None, line)
        elif kind == "event_msg":
            self._add_event(payload, time, line)
        else:
            self._add_item(payload, time, line)

    def _add_event(self, payload: dict[str, Any], time: datetime | None, line: int | None) -> None:
        kind = words(payload.get("type"))
        if kind in _SHOWN:
            self._add_once(True, _SHOWN[kind], words(payload.get("message")), time, None, line)
        elif kind == "thread_rolled_back":
            self._take_back(payload.get("num_turns"))

    def _add_item(self, payload: dict[str, Any], time: datetime | None, line: int | None) -> None:
        kind, id = words(payload.get("type")), string(payload.get("id")) or string(payload.get("call_id"))
        if kind == "message":
            role = _ROLES.get(words(payload.get("role")))
            if role is not None:
                self._add_once(False, role, said_in(payload.get("content"), role), time, id, line)
        elif kind in _CALLS:
            called = payload if string(payload.get("name")) else {"name": kind.removesuffix("_call")}
            self.found.add(Role.ASSISTANT, call_in(called), time, id, line)
        elif kind in _RESULTS:
            self.found.add(Role.TOOL, result_in(payload.get("output")), time, id, line)

    def _add_once(
        self, is_shown: bool, role: Role, text: str, time: datetime | None, id: str | None, line: int | None
    ) -> None:
        made = message(role, text, time, id, line)
        if made is None:
            return
        key = hash((made.role, " ".join(_IMAGE.sub("", made.text).split())))
        if self._once[not is_shown][key]:
            self._once[not is_shown][key] -= 1
            return
        self._once[is_shown][key] += 1
        self.found.messages.append(made)

    def _take_back(self, turns: object) -> None:
        """Drops the last so many turns, each from what the user said on."""
        messages = self.found.messages
        starts = [number for number, each in enumerate(messages) if each.role is Role.USER]
        if isinstance(turns, int) and not isinstance(turns, bool) and turns > 0 and starts:
            del messages[starts[max(0, len(starts) - turns)] :]
