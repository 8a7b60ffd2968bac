"""Fixes of relative dates, by example. The memories were last changed on Thursday, 5 November 2026."""

from __future__ import annotations

import pytest

from tests.making import memory
from tests.rules.fixes.applying import after, titles


def text_of(body: str, dates: str = "updated: 2026-11-05\n") -> str:
    return memory("a", body=body, extra=dates)


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("It sank yesterday.", "It sank on 2026-11-04."),
        ("Yesterday it sank.", "On 2026-11-04 it sank."),
        ("Open since yesterday.", "Open since 2026-11-04."),
        ("It sails tomorrow!", "It sails on 2026-11-06!"),
        ("Due next week.", "Due in 2026-W46."),
        ("Decided last month.", "Decided in 2026-10."),
        ("Decided three days ago.", "Decided on 2026-11-02."),
        ("Decided 2 weeks ago.", "Decided on 2026-10-22."),
        ("Decided 2 months ago.", "Decided in 2026-09."),
        ("Planned for next quarter.", "Planned for 2027-Q1."),
        ("It ends next year.", "It ends in 2027."),
        ("It sails this Saturday.", "It sails on 2026-11-07."),
        ("It sailed last Monday.", "It sailed on 2026-11-02."),
        ("昨天决定的。", "2026-11-04决定的。"),
        ("上个月", "2026-10"),
        ("어제 결정", "2026-11-04 결정"),
        ("Gestern beschlossen.", "2026-11-04 beschlossen."),
    ],
)
def test_the_day_that_was_meant(body: str, fixed: str) -> None:
    text = text_of(body)
    assert after("relative-date", {"a.md": text}, "a.md") == text.replace(body, fixed)


def test_a_weekday_may_be_two_days() -> None:
    texts = {"a.md": text_of("It sails next Saturday.")}
    assert titles("relative-date", texts, "a.md") == [
        "Write `on 2026-11-07`",
        "Write `on 2026-11-14`, counted from 2026-11-05",
    ]


def test_the_word_may_be_as_old_as_the_memory() -> None:
    texts = {"a.md": text_of("It sank yesterday.", "created: 2026-10-02\nupdated: 2026-11-05\n")}
    assert titles("relative-date", texts, "a.md") == [
        "Write `on 2026-11-04`",
        "Write `on 2026-10-01`, counted from 2026-10-02",
    ]


def test_what_may_be_any_day_has_no_fix() -> None:
    assert titles("relative-date", {"a.md": text_of("A few days ago it sank.")}, "a.md") == []
