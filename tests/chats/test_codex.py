"""Codex's rollouts."""

from __future__ import annotations

from typing import Any

import pytest

from memory_ls import chats
from tests.chats.making import lines_of, said, turns


def read(*rows: object) -> chats.ChatLog:
    return chats.read(lines_of(*rows), "codex")


def item(role: str, text: str, kind: str = "input_text") -> dict[str, Any]:
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    return {"timestamp": "2026-08-10T20:00:00.000Z", "type": "response_item", "payload": payload}


def event(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-08-10T20:00:00.100Z", "type": "event_msg", "payload": {"type": kind, **payload}}


def test_the_log_says_where_it_was_made() -> None:
    log = read(
        {"type": "session_meta", "payload": {"id": "019x", "cwd": "/w/quay"}},
        {"type": "session_meta", "payload": {"id": "019a", "cwd": "/w/other"}},  # of the session that it continues
        {"type": "turn_context", "payload": {"cwd": "/w/third"}},
    )
    assert (log.session_id, log.working_directory) == ("019x", "/w/quay")


def test_each_message_counts_once_in_whichever_order_its_copies_come() -> None:
    log = read(
        item("user", "Use tabs."),
        event("user_message", message="Use tabs."),
        event("agent_message", message="Yes."),
        item("assistant", "Yes.", "output_text"),
        event("user_message", message="weiter"),
        item("user", "weiter"),
        item("user", "weiter"),
        event("user_message", message="weiter\n"),
    )
    assert turns(log) == [("user", "Use tabs."), ("assistant", "Yes."), ("user", "weiter"), ("user", "weiter")]


def test_a_message_with_an_image_counts_once() -> None:
    sent = item("user", "<image name=[Image #1]>")
    sent["payload"]["content"] += [
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "Like this [Image #1]"},
    ]
    log = read(sent, event("user_message", message="Like this", images=[]))
    assert turns(log) == [("user", "Like this [Image #1]")]


def test_text_that_only_the_screen_got_is_kept() -> None:
    log = read(event("agent_message", message="From a helper."), event("user_message", message="ありがとう"))
    assert turns(log) == [("assistant", "From a helper."), ("user", "ありがとう")]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/w/quay</cwd>\n</environment_context>",
        "<user_instructions>\nAlways use tabs.\n</user_instructions>",
        "# AGENTS.md instructions for /w/quay\n\n<INSTRUCTIONS>\nAlways use tabs.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    ],
)
def test_scaffolding_is_not_the_user(text: str) -> None:
    assert read(item("user", text)).messages == ()


def test_system_and_developer_are_not_the_user() -> None:
    log = read(item("developer", "Always answer."), item("system", "Never sleep."), item("other", "x"))
    assert turns(log) == [("system", "Always answer."), ("system", "Never sleep.")]


def test_tools_are_named_and_thoughts_dropped() -> None:
    log = read(
        {"type": "response_item", "payload": {"type": "reasoning", "summary": [{"text": "Remember to lie."}]}},
        event("agent_reasoning", text="Remember to lie."),
        {
            "type": "response_item",
            "payload": {"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "c1"},
        },
        {
            "type": "response_item",
            "payload": {"type": "function_call_output", "call_id": "c1", "output": {"content": "remember"}},
        },
        {"type": "response_item", "payload": {"type": "local_shell_call", "action": {}}},
        event("exec_command_end", stdout="remember"),
        event("token_count", info=None),
    )
    assert turns(log) == [
        ("assistant", "[tool: exec_command]"),
        ("tool", "remember"),
        ("assistant", "[tool: local_shell]"),
    ]


def test_a_compaction_is_a_summary() -> None:
    log = read({"type": "compacted", "payload": {"message": "The user likes tabs."}})
    assert turns(log) == [("summary", "The user likes tabs.")]
    handed_over = "Another language model started to solve this problem and produced a summary of its thinking. Tabs."
    assert turns(read(item("user", handed_over))) == [("summary", handed_over)]


def test_turns_that_were_rolled_back_are_dropped() -> None:
    rows = [item("user", "a"), item("assistant", "A"), item("user", "b"), item("assistant", "B"), item("user", "c")]
    assert said(read(*rows, event("thread_rolled_back", num_turns=2), item("user", "d"))) == ["a", "A", "d"]
    assert said(read(*rows, event("thread_rolled_back", num_turns=99))) == []
    assert len(read(*rows, event("thread_rolled_back", num_turns=None)).messages) == 5


def test_what_the_editor_put_before_the_request_is_cut() -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- always.md\n\n## My request for Codex:\nUse tabs."
    assert said(read(item("user", text))) == ["Use tabs."]


def test_the_first_versions_had_no_envelope() -> None:
    log = chats.read(
        lines_of(
            {"id": "019x", "timestamp": "2025-05-10T20:00:00.000Z", "instructions": None},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Use tabs."}]},
        )
    )
    assert (log.format, turns(log)) == ("codex", [("user", "Use tabs.")])
