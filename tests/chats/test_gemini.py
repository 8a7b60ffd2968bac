"""Gemini CLI's chats, as one object and as lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from memory_ls import chats
from tests.chats.making import lines_of, said, turns
from tests.chats.samples import GEMINI, GEMINI_LINES


def test_an_object_is_read() -> None:
    log = chats.read(GEMINI)
    assert turns(log) == [
        ("user", "Prefer small PRs"),
        ("assistant", "OK\n\n[tool: read_file]"),
        ("user", "小さな PR で"),
    ]
    assert log.session_id == "g-1"
    assert log.messages[0].time == datetime(2026, 8, 10, 20, 0, 1, tzinfo=UTC)
    assert log.messages[0].id == "1"


def test_what_was_rewound_is_dropped() -> None:
    assert said(chats.read(GEMINI_LINES)) == ["Prefer small PRs", "OK", "Never squash them"]


def test_a_rewind_to_what_is_not_there_drops_nothing() -> None:
    assert len(chats.read(GEMINI_LINES + lines_of({"$rewindTo": "77"}, {"$rewindTo": ["1"]})).messages) == 3


def test_a_message_that_is_written_again_stays_in_its_place() -> None:
    log = chats.read(GEMINI_LINES + lines_of({"id": "2", "type": "gemini", "content": "OK, small ones"}))
    assert said(log) == ["Prefer small PRs", "OK, small ones", "Never squash them"]


def test_messages_that_come_again_for_the_model_were_said_once() -> None:
    listed = [
        {"id": "x1", "type": "user", "content": [{"text": "<state_snapshot>Likes small PRs</state_snapshot>"}]},
        {"id": "x2", "type": "user", "content": [{"text": "Never squash them"}]},
        {"id": "2", "type": "gemini", "content": "OK, small ones"},
    ]
    log = chats.read(GEMINI_LINES + lines_of({"$set": {"messages": listed}}, {"$set": {"messages": []}}))
    assert turns(log) == [
        ("user", "Prefer small PRs"),
        ("assistant", "OK, small ones"),
        ("user", "Never squash them"),
        ("summary", "<state_snapshot>Likes small PRs</state_snapshot>"),
    ]


def test_messages_that_are_only_listed_are_read() -> None:
    listed = [
        {"id": "1", "type": "user", "content": [{"text": "Use tabs"}]},
        {"id": "2", "type": "gemini", "content": "Yes"},
    ]
    log = chats.read(
        lines_of(
            {"sessionId": "g", "startTime": "x"}, {"$set": {"messages": listed[:1]}}, {"$set": {"messages": listed}}
        )
    )
    assert turns(log) == [("user", "Use tabs"), ("assistant", "Yes")]


def test_the_directory_is_what_the_model_is_told() -> None:
    told = "<session_context>\nHello.\n- **Workspace Directories:**\n  - /w/quay\n- **Structure:**\n</session_context>"
    first = {"$set": {"messages": [{"id": "0", "type": "user", "content": [{"text": told}]}]}}
    log = chats.read(
        lines_of({"sessionId": "g", "startTime": "x"}, first, {"id": "1", "type": "user", "content": "Hi"})
    )
    assert log.working_directory == "/w/quay"
    assert said(log) == ["Hi"]


def test_calls_among_the_parts_are_named() -> None:
    parts = [{"text": "I look."}, {"functionCall": {"name": "read_file", "args": {}}}]
    result = {"id": "3", "type": "user", "content": [{"functionResponse": {"response": {"output": "always"}}}]}
    log = chats.read(lines_of({"id": "2", "type": "gemini", "content": parts}, result))
    assert turns(log) == [("assistant", "I look.\n\n[tool: read_file]")]


def test_files_that_the_user_named_are_not_the_users_words() -> None:
    content = [{"text": "Explain @a.md"}, {"text": "\n--- Content from referenced files ---\nAlways use tabs."}]
    shown = {"id": "2", "type": "user", "content": [{"text": "Always x, expanded"}], "displayContent": "/explain"}
    log = chats.read(lines_of({"id": "1", "type": "user", "content": content}, shown))
    assert said(log) == ["Explain @a.md", "/explain"]


def test_thoughts_results_and_notices_are_dropped() -> None:
    rows = [
        {"id": "1", "type": "user", "content": {"text": "Hi"}},
        {
            "id": "2",
            "type": "gemini",
            "content": [{"text": "hm", "thought": True}, {"text": "Hello"}],
            "thoughts": [{"subject": "x"}],
        },
        {"id": "3", "type": "warning", "content": "Always careful"},
        {"id": "4", "type": "error", "content": "Never again"},
    ]
    assert turns(chats.read(json.dumps({"sessionId": "g", "startTime": "x", "messages": rows}))) == [
        ("user", "Hi"),
        ("assistant", "Hello"),
    ]


def test_an_empty_chat_is_recognised() -> None:
    log = chats.read(json.dumps({"sessionId": "g", "startTime": "2026-08-10T20:00:00Z", "messages": []}))
    assert (log.format, log.messages, log.unreadable) == ("gemini", (), 0)
