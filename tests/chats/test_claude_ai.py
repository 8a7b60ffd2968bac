"""Exports of claude.ai."""

from __future__ import annotations

import json
from typing import Any

from memory_ls import chats
from tests.chats.making import said, text_block, turns
from tests.chats.samples import CLAUDE_AI


def message(uuid: str, parent: str | None, text: str, sender: str = "human", **more: Any) -> dict[str, Any]:
    return {"uuid": uuid, "sender": sender, "text": text, "parent_message_uuid": parent, **more}


def chat(*messages: dict[str, Any], leaf: str | None = None, uuid: str = "conv-1") -> dict[str, Any]:
    return {"uuid": uuid, "name": "Tides", "chat_messages": list(messages), "current_leaf_message_uuid": leaf}


def test_a_conversation_is_read() -> None:
    log = chats.read(CLAUDE_AI)
    assert turns(log) == [("user", "Prefiro respostas curtas."), ("assistant", "Certo."), ("user", "E em português.")]
    assert log.session_id == "conv-1"
    assert log.messages[0].time is not None


FORKED = (
    message("m-1", "00000000-0000-4000-8000-000000000000", "Hi"),
    message("m-2", "m-1", "Use spaces"),
    message("m-3", "m-1", "Use tabs"),
    message("m-4", "m-3", "Tabs.", "assistant"),
)


def test_only_the_current_branch_counts() -> None:
    assert said(chats.read(json.dumps(chat(*FORKED, leaf="m-2")))) == ["Hi", "Use spaces"]
    assert said(chats.read(json.dumps(chat(*FORKED, leaf="m-4"), indent=1))) == ["Hi", "Use tabs", "Tabs."]


def test_without_a_known_leaf_the_last_message_is_it() -> None:
    assert said(chats.read(json.dumps(chat(*FORKED)))) == ["Hi", "Use tabs", "Tabs."]
    assert said(chats.read(json.dumps(chat(*FORKED, leaf="gone")))) == ["Hi", "Use tabs", "Tabs."]


def test_the_last_leaf_is_no_message_that_was_answered() -> None:
    late = (FORKED[0], FORKED[3], FORKED[2])
    assert said(chats.read(json.dumps(chat(*late)))) == ["Hi", "Use tabs", "Tabs."]


def test_messages_that_are_not_linked_all_count() -> None:
    assert said(chats.read(json.dumps(chat(message("a", None, "A"), message("b", None, "B"))))) == ["A", "B"]


def test_messages_in_a_circle_end() -> None:
    assert len(chats.read(json.dumps(chat(message("a", "b", "A"), message("b", "a", "B")))).messages) == 2


def test_a_list_of_conversations_is_read_one_after_the_other() -> None:
    text = json.dumps(
        [chat(*FORKED, leaf="m-2"), chat(message("x", None, "第二个"), uuid="conv-2")], ensure_ascii=False
    )
    log = chats.read(text)
    assert said(log) == ["Hi", "Use spaces", "第二个"]
    assert log.session_id is None


def test_blocks_are_read_where_there_are_any() -> None:
    content = [
        text_block("Here."),
        {"type": "tool_use", "name": "search"},
        {"type": "tool_result", "content": "remember"},
    ]
    log = chats.read(json.dumps(chat(message("a", None, "Here. remember", "assistant", content=content))))
    assert turns(log) == [("assistant", "Here.\n\n[tool: search]"), ("tool", "remember")]


def test_files_that_the_user_attached_are_not_the_users_words() -> None:
    log = chats.read(json.dumps(chat(message("a", None, "See this", attachments=[{"extracted_content": "Always x"}]))))
    assert said(log) == ["See this"]
