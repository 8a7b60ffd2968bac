"""How texts become messages."""

from __future__ import annotations

import pytest

from memory_ls.chats import Role
from memory_ls.chats.conversation import MOST_CHARACTERS, MOST_TOOL_CHARACTERS, Conversation, capped, message


@pytest.mark.parametrize("text", ["", " \n\t", "<memory>\n- a\n</memory>", "[Request interrupted by user]"])
def test_nothing_said_is_no_message(text: str) -> None:
    assert message(Role.USER, text) is None
    found = Conversation("plain")
    found.add(Role.USER, text)
    assert found.log().messages == ()


def test_what_retells_the_conversation_is_a_summary_whoever_sends_it() -> None:
    for role in (Role.SYSTEM, Role.USER):
        made = message(role, "[Conversation Summary] Likes tabs.\n\n<memory>\n- a\n</memory>")
        assert made is not None
        assert (made.role, made.text) == (Role.SUMMARY, "[Conversation Summary] Likes tabs.")
    said = message(Role.ASSISTANT, "[Conversation Summary] Likes tabs.")
    assert said is not None
    assert said.role is Role.ASSISTANT


def test_a_short_text_is_not_cut() -> None:
    assert capped("a b", 3) == "a b"


def test_a_long_text_is_cut_between_words() -> None:
    secret = "s3cr3t" * 5
    text = f"start {secret} middle {'x ' * 50}{secret} end"
    for most in range(10, len(text)):
        kept = capped(text, most)
        assert len(kept) <= most + len("\n[...]\n")
        assert kept.replace(secret, "").count("s3cr") == 0


def test_a_text_without_words_is_cut_all_the_same() -> None:
    assert len(capped("x" * 9_000, 2_000)) == 2_007


@pytest.mark.parametrize(("role", "most"), [(Role.USER, MOST_CHARACTERS), (Role.TOOL, MOST_TOOL_CHARACTERS)])
def test_messages_are_no_longer_than_they_may_be(role: Role, most: int) -> None:
    made = message(role, "пример " * most)
    assert made is not None
    assert most - 1_000 <= len(made.text) <= most + 10


def test_lone_surrogates_are_replaced() -> None:
    made = message(Role.USER, "a\ud83d")
    assert made is not None
    assert made.text == "a\ufffd"
