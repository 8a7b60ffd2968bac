"""A log of any size is cut into windows that show all of it once, in order."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.redact import redacted_messages
from memory_ls.pipeline.window import Shown, Window, windows_of
from tests.pipeline.test_redact import GITHUB


def message(role: str, text: str) -> Message:
    return Message(Role(role), text)


def cut(messages: list[Message], characters: int = 60_000) -> list[Window]:
    return list(windows_of(messages, characters))


def test_short_log_is_one_window_with_numbers_roles_and_dates() -> None:
    log = [
        Message(Role.USER, "Use tabs here.", time=datetime(2026, 8, 10, 12, tzinfo=UTC)),
        message("assistant", "Will do.\n[tool: read_file]"),
        message("tool", "x" * 5_000),
        message("system", "Be brief.\n\nBe kind."),
    ]
    (window,) = cut(log)
    assert window.shown == (
        Shown(1, Role.USER, "Use tabs here.", "2026-08-10"),
        Shown(2, Role.ASSISTANT, "Will do.\n[tool: read_file]"),
        Shown(3, Role.TOOL, "x" * 199 + "…"),
        Shown(4, Role.SYSTEM, "Be brief. Be kind."),
    )


def test_empty_log_has_no_window() -> None:
    assert cut([]) == []


def test_windows_begin_with_a_turn() -> None:
    log = [message(role, f"{role} {number} " + "x" * 300) for number in range(20) for role in ("user", "assistant")]
    windows = cut(log, 2_000)
    assert len(windows) > 3
    assert all(window.shown[0].role is Role.USER for window in windows)


def test_turn_that_is_too_long_is_cut_between_messages() -> None:
    log = [message("user", "Go on."), *(message("assistant", "y" * 400) for _ in range(10))]
    windows = cut(log, 1_000)
    assert len(windows) == 5
    assert [window.first for window in windows][1:] == [each.last + 1 for each in windows][:-1]


def test_message_that_is_too_long_is_cut_into_pieces() -> None:
    text = "\n".join(f"line {number} of a long story" for number in range(500))
    windows = cut([message("user", text)], 2_000)
    shown = [each for window in windows for each in window.shown]
    assert "".join(each.text for each in shown) == text
    assert [each.part for each in shown] == list(range(1, len(shown) + 1))
    assert {each.parts for each in shown} == {len(shown)}
    assert all(each.text.endswith("\n") for each in shown[:-1])


MESSAGES = st.lists(
    st.builds(
        lambda role, text, times: Message(role, text * times),
        st.sampled_from(list(Role)),
        st.text(min_size=1, max_size=30),
        st.integers(1, 120),
    ),
    max_size=30,
)


@given(MESSAGES, st.integers(600, 5_000))
def test_all_is_shown_once_and_in_order(messages: list[Message], characters: int) -> None:
    windows = cut(messages, characters)
    shown = [each for window in windows for each in window.shown]
    numbers = [each.number for each in shown]
    assert sorted(set(numbers)) == list(range(1, len(messages) + 1))
    assert all(first <= second for first, second in pairwise(numbers))
    for number, each in enumerate(messages, 1):
        text = "".join(piece.text for piece in shown if piece.number == number)
        if each.role in (Role.TOOL, Role.SYSTEM):
            assert len(text) <= 200
        else:
            assert text == each.text
    assert all(sum(each.size for each in window.shown) <= characters for window in windows)


@given(MESSAGES.filter(bool))
def test_halves_show_the_same(messages: list[Message]) -> None:
    (window,) = cut(messages, 10_000_000)
    halves = window.halves()
    if halves is None:
        assert len(window.shown) == 1
        assert len(window.shown[0].text) < 1_000
        return
    assert all(half.shown for half in halves)
    joined = [each for half in halves for each in half.shown]
    assert "".join(each.text for each in joined) == "".join(each.text for each in window.shown)


def test_ten_thousand_messages_are_redacted_and_cut_within_two_seconds() -> None:
    roles = ("user", "assistant", "tool", "assistant")
    texts = {
        "user": "Please look at the tide tables again, 水位 should be in metres and never in feet. " * 3,
        "assistant": "I have changed `tables.py`: the unit is metres now.\n[tool: edit_file]\n" * 5,
        "tool": "wrote 312 lines to tables.py\n" * 60 + f"TOKEN={GITHUB}\n",
    }
    log = [message(roles[number % 4], f"{number} {texts[roles[number % 4]]}") for number in range(10_000)]
    started = time.process_time()
    windows = cut(list(redacted_messages(log)))
    taken = time.process_time() - started
    assert len(windows) > 10
    assert GITHUB not in str(windows)
    assert taken < 2
