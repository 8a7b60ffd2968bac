"""Dates in the forms that people and programs write."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.documents.dates import ImpossibleDateError, is_impossible, looks_like_date, read_date, read_date_or_none


@pytest.mark.parametrize(
    "text",
    [
        "2026-04-01",
        "2026-4-1",
        "2026/04/01",
        "2026.04.01",
        "2026年4月1日",
        "2026-04",
        "2026-04-01T10:00:00Z",
        "2026-04-01 10:00:00 +0900",
        " 2026-04-01 ",
        "2026-04-01 (Mittwoch)",
        "2026-04-01-2",
        "20260401",
        "20260401T101112Z",
        "1775001600",
        "1775001600000",
        "1775001600.5",
    ],
)
def test_a_date_is_read_in_each_form(text: str) -> None:
    assert read_date(text) == read_date_or_none(text) == date(2026, 4, 1)
    assert not is_impossible(text)


@pytest.mark.parametrize(
    "text", ["2026-02-31", "2026-13-01", "2026-00-10", "0000-01-01", "20261301", "2023-02-29", "2026-13"]
)
def test_a_day_that_does_not_exist_is_told(text: str) -> None:
    with pytest.raises(ImpossibleDateError):
        read_date(text)
    assert read_date_or_none(text) is None
    assert is_impossible(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "April",
        "April 2026",
        "3.4.26",
        "v2",
        "12:30",
        "2026",
        "123456",
        "99999-01-01",
        "2026-04-011",
        "어제",
        "x 2026-04-01",
    ],
)
def test_what_is_no_certain_date_is_none(text: str) -> None:
    assert read_date(text) is None
    assert not is_impossible(text)


@pytest.mark.parametrize(
    ("text", "loose"),
    [
        ("April 2026", True),
        ("3.4.26", True),
        ("notes_apr", True),
        ("in 2025", True),
        ("1/2/2026", True),
        ("v2", False),
        ("market", False),
    ],
)
def test_loose_dates_are_recognised(text: str, loose: bool) -> None:
    assert looks_like_date(text) is loose


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_iso_date_is_read_back(day: date) -> None:
    assert read_date(day.isoformat()) == day
    assert read_date(f"{day.isoformat()}T23:59:59.999Z") == day


@given(st.datetimes(min_value=datetime(2002, 1, 1), max_value=datetime(2200, 1, 1)))
def test_seconds_and_milliseconds_since_1970_are_the_day_in_utc(moment: datetime) -> None:
    seconds = int(moment.replace(tzinfo=UTC).timestamp())
    assert read_date(str(seconds)) == read_date(str(seconds * 1000)) == moment.date()


@given(st.text(max_size=12) | st.from_regex(r"\d{3,5}[-/.年]?\d{0,3}[-/.月]?\d{0,3}", fullmatch=True))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        found = read_date(text)
    except ImpossibleDateError:
        found = None
    assert read_date_or_none(text) == found
    looks_like_date(text)
