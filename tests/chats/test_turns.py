"""Cutting transcripts into turns."""

from __future__ import annotations

import pytest

from memory_ls.chats import Role
from memory_ls.chats.turns import Header, fenced, headers_in, turns


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("a\n```\nb\n```\nc", "01110"[:5]),
        ("```py\nb\n```", "111"),
        ("~~~\n```\n~~~\nx", "1110"),
        ("````\n```\n````", "111"),
        ("```\nnever closed", "00"),
        ("```\n```py\n```", "111"),
        ("``` a ` b\nx\n```\n", "0000"),
        ("    ```\nx\n    ```", "000"),
        ("", "0"),
    ],
)
def test_fenced_code(text: str, inside: str) -> None:
    lines = text.split("\n")
    assert "".join(map(str, fenced(lines))) == inside[: len(lines)]


def header(line: str) -> Header | None:
    roles = {"@u": Role.USER, "@a": Role.ASSISTANT, "@x": None}
    return Header(roles[line]) if line in roles else None


def cut(text: str, *, ruled: bool = False) -> list[tuple[str | None, int, str]]:
    lines = text.split("\n")
    found = turns(lines, headers_in(lines, "@", header, fenced(lines)), ruled=ruled)
    return [(turn.role, turn.line, turn.text) for turn in found]


def test_a_turn_goes_from_its_header_to_the_next() -> None:
    assert cut("before\n@u\na\nb\n@x\nc\n@a\nd") == [("user", 2, "a\nb"), (None, 5, "c"), ("assistant", 7, "d")]


def test_a_header_in_code_is_none() -> None:
    assert cut("@u\n```\n@a\n```\nb") == [("user", 1, "```\n@a\n```\nb")]


def test_a_rule_stands_before_a_header() -> None:
    assert cut("@u\na\n---\nb\n\n---\n\n@a\nc\n---\n", ruled=True) == [
        ("user", 1, "a\n---\nb\n"),
        ("assistant", 8, "c"),
    ]


def test_without_a_rule_only_the_agent_begins_to_speak() -> None:
    assert cut("@a\na\n\n@u\nb\n\n@a\nc", ruled=True) == [("assistant", 1, "a\n\n@u\nb\n"), ("assistant", 7, "c")]


def test_no_headers_are_no_turns() -> None:
    assert cut("a\n---\n\nb", ruled=True) == []
