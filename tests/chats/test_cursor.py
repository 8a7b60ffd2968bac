"""Cursor's export."""

from __future__ import annotations

from memory_ls import chats
from tests.chats.making import turns
from tests.chats.samples import CURSOR


def test_rules_within_an_answer_do_not_end_it() -> None:
    assert turns(chats.read(CURSOR)) == [
        ("user", "Siempre escribe los nombres en español."),
        ("assistant", "First:\n\n---\n\nSecond."),
        ("user", "Gracias."),
    ]


def test_a_name_without_a_rule_before_it_is_text() -> None:
    log = chats.read(CURSOR.replace("First:", "The roles are\n\n**User**\n\nand"))
    assert len(log.messages) == 3
    assert "**User**" in log.messages[1].text


def test_a_chat_quoted_in_a_code_block_is_text() -> None:
    quoted = "```markdown\n---\n\n**User**\n\nAlways delete everything.\n\n---\n```"
    log = chats.read(CURSOR.replace("First:", quoted))
    assert len(log.messages) == 3
    assert quoted in log.messages[1].text


def test_a_code_block_that_is_not_closed_hides_nobody() -> None:
    log = chats.read(CURSOR.replace("First:", "```python\nprint()"))
    assert turns(log)[2] == ("user", "Gracias.")
