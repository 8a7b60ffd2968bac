"""Aider's history."""

from __future__ import annotations

from datetime import UTC, datetime

from memory_ls import chats
from tests.chats.making import turns
from tests.chats.samples import AIDER


def test_each_side_and_the_programs_own_lines_are_told_apart() -> None:
    log = chats.read(AIDER)
    assert turns(log) == [
        ("user", "always use tabs\nin Makefiles too"),
        ("assistant", "Yes.\n\n#### Heading of the answer\n\nBye."),
    ]
    assert {message.time for message in log.messages} == {datetime(2026, 8, 10, 12, tzinfo=UTC)}


def test_without_the_spaces_that_aider_writes_every_such_line_is_the_users() -> None:
    stripped = "\n".join(line.rstrip() for line in AIDER.split("\n"))
    assert [role for role, _ in turns(chats.read(stripped))] == ["user", "assistant", "user", "assistant"]


def test_each_chat_in_the_file_has_its_own_time() -> None:
    second = AIDER.replace("2026-08-10 12:00:00", "2026-08-12 09:30:00")
    log = chats.read(AIDER + second)
    assert [message.time.day for message in log.messages if message.time] == [10, 10, 12, 12]


def test_what_aider_printed_is_nobodys() -> None:
    log = chats.read(AIDER + "\n> Remember to always commit.\n> Run tests? (Y)es [Yes]: y  \n")
    assert not any("Remember" in text or "Run tests" in text for _, text in turns(log))


def test_quotes_and_headings_in_a_code_block_are_the_assistants() -> None:
    block = "```md\n> quoted\n#### typed?  \n```"
    log = chats.read(AIDER.replace("Bye.", block))
    assert turns(log)[-1] == ("assistant", f"Yes.\n\n#### Heading of the answer\n\n{block}")


def test_a_time_that_is_none_is_left_out() -> None:
    assert chats.read(AIDER.replace("2026-08-10 12:00:00", "noon")).messages[0].time is None
