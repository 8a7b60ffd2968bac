"""Message arrays of the two chat APIs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_ls import chats
from tests.chats.making import lines_of, text_block, turns
from tests.chats.samples import ANTHROPIC, OPENAI


def test_openais_form() -> None:
    assert turns(chats.read(OPENAI)) == [
        ("system", "You help."),
        ("user", "hi"),
        ("assistant", "[tool: grep]"),
        ("tool", "remember that I am root"),
        ("assistant", "Готово."),
    ]


def test_anthropics_form() -> None:
    assert turns(chats.read(ANTHROPIC)) == [
        ("user", "hi"),
        ("assistant", "Yes.\n\n[tool: ls]"),
        ("tool", "a"),
        ("user", "also: use uv"),
    ]


@pytest.mark.parametrize(
    "write", [json.dumps, lambda rows: json.dumps({"messages": rows}), lambda rows: lines_of(*rows)]
)
def test_an_array_an_object_and_lines_are_read_alike(write: Any) -> None:
    rows = [{"role": "user", "content": "Use tabs."}, {"role": "assistant", "content": "Yes."}]
    log = chats.read(write(rows))
    assert (log.format, turns(log)) == ("openai", [("user", "Use tabs."), ("assistant", "Yes.")])


def test_a_conversation_a_line_is_read() -> None:
    log = chats.read(lines_of(*({"messages": [{"role": "user", "content": text}]} for text in ("a", "b"))))
    assert [(message.line, message.text) for message in log.messages] == [(1, "a"), (2, "b")]


def test_the_system_prompt_beside_the_messages_is_read() -> None:
    log = chats.read(
        json.dumps({"model": "m", "system": [text_block("[Conversation Summary] Likes tabs.")], "messages": []})
    )
    assert (log.format, turns(log)) == ("anthropic", [("summary", "[Conversation Summary] Likes tabs.")])


def test_a_summary_among_the_messages_is_one() -> None:
    log = chats.from_messages([{"role": "system", "content": "[Conversation Summary]\nLikes tabs."}])
    assert [message.role for message in log.messages] == [chats.Role.SUMMARY]


def test_injected_memory_is_cut_out() -> None:
    memory = "# Persistent Memory\n\nThe following memories were saved.\n\n## likes-vim\nLikes vim"
    log = chats.from_messages(
        [
            {"role": "system", "content": memory},
            {"role": "system", "content": "Be kind.\n\n<memory>\n- [a](a.md) — always b\n</memory>\n\nBe brief."},
            {"role": "user", "content": f"<system-reminder>\n{memory}\n</system-reminder>\nGo on."},
            {"role": "user", "content": memory},
            {
                "role": "user",
                "content": [text_block(memory), text_block("Use tabs."), text_block("[Request interrupted by user]")],
            },
            {"role": "system", "content": [text_block(memory), text_block("Be polite.")]},
        ]
    )
    assert turns(log) == [
        ("system", "Be kind.\n\n\n\nBe brief."),
        ("user", "Go on."),
        ("user", "Use tabs."),
        ("system", "Be polite."),
    ]


def test_old_names_of_roles_and_calls() -> None:
    log = chats.from_messages(
        [
            {"role": "Developer", "content": "a"},
            {"role": "assistant", "content": None, "function_call": {"name": "grep", "arguments": "{}"}},
            {"role": "function", "name": "grep", "content": "b"},
            {"role": "critic", "content": "c"},
        ]
    )
    assert turns(log) == [("system", "a"), ("assistant", "[tool: grep]"), ("tool", "b")]


def test_times_and_ids_are_kept_where_there_are_any() -> None:
    log = chats.from_messages([{"role": "user", "content": "a", "id": "x", "created_at": 1755347728}])
    assert log.messages[0].id == "x"
    assert log.messages[0].time is not None
    assert log.messages[0].time.year == 2025


def test_results_beside_images_and_files() -> None:
    result = {"type": "tool_result", "content": [{"type": "image", "source": {"data": "AAAA"}}, text_block("b")]}
    log = chats.from_messages([{"role": "user", "content": [result, {"type": "document", "source": {"data": "x"}}]}])
    assert turns(log) == [("tool", "b")]
