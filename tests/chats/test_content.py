"""The content of messages."""

from __future__ import annotations

from typing import Any

import pytest

from memory_ls.chats import Role
from memory_ls.chats.content import answered_in, blocks_of, names_called, result_in, said_in
from tests.chats.making import text_block


@pytest.mark.parametrize(
    "content", [None, 7, True, [], {}, [None, 7, []], {"type": 7, "text": "x"}, {"text": 7}, [[["x"]]]]
)
def test_content_of_another_type_says_nothing(content: Any) -> None:
    assert said_in(content) == answered_in(content) == ""
    assert all(isinstance(block, dict) for block in blocks_of(content))


def test_texts_are_joined_and_all_else_is_left_out() -> None:
    content = [
        "a",
        text_block(" b "),
        {"type": "thinking", "thinking": "c"},
        {"type": "image_url"},
        {"type": "input_text", "text": "d"},
    ]
    assert said_in(content) == "a\n\nb\n\nd"


def test_what_an_agent_put_there_is_a_block_of_its_own() -> None:
    content = [
        text_block("# Persistent Memory\n\n## a"),
        text_block("Go on."),
        text_block("<image name=x>"),
        text_block("</image>"),
    ]
    assert said_in(content, Role.USER) == "Go on."
    assert said_in(content[:2], Role.SYSTEM) == "Go on."


def test_calls_are_named_where_they_stand() -> None:
    content = [text_block("a"), {"type": "tool_use", "name": "ls"}, {"type": "tool_use", "name": 7}, text_block("b")]
    assert answered_in(content) == "a\n\n[tool: ls]\n\n[tool: ?]\n\nb"
    assert names_called([{"function": {"name": "ls"}}, {"name": "cat"}, None]) == [
        "[tool: ls]",
        "[tool: cat]",
        "[tool: ?]",
    ]
    assert names_called("x") == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("ok", "ok"),
        (None, ""),
        (7, ""),
        ([text_block("a"), "b", {"type": "image", "source": {"data": "AAAA"}}], "a\nb"),
        ({"content": [text_block("a")], "structured": {"x": "y"}}, "a"),
        ({"stdout": "a", "stderr": "b"}, "a"),
        ([[[["a"]]]], "a"),
    ],
)
def test_the_text_of_a_result(value: Any, text: str) -> None:
    assert result_in(value) == text


def test_of_a_large_result_not_much_is_taken() -> None:
    assert len(result_in([text_block("x" * 1000)] * 1000)) < 5_000
    assert len(result_in("x" * 10_000_000)) < 5_000
