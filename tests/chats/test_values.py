"""Values out of JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_ls.chats.values import mapping, sequence, string, time_of, words


@pytest.mark.parametrize("value", [None, 7, True, 1.5, "x", [1], {"a": 1}])
def test_values_of_another_type_count_as_none(value: Any) -> None:
    assert mapping(value) == (value if isinstance(value, dict) else {})
    assert sequence(value) == (value if isinstance(value, list) else [])
    assert words(value) == (value if isinstance(value, str) else "")
    assert string(value) == (value if isinstance(value, str) else None)


def test_lone_surrogates_and_empty_texts() -> None:
    assert string("a\ud83d") == "a\ufffd"
    assert string("") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-08-10T12:00:00Z", datetime(2026, 8, 10, 12, tzinfo=UTC)),
        ("2026-08-10T12:00:00.123456789Z", datetime(2026, 8, 10, 12, 0, 0, 123456, UTC)),
        (" 2026-08-10 12:00:00\n", datetime(2026, 8, 10, 12, tzinfo=UTC)),
        (1755347728047, datetime(2025, 8, 16, 12, 35, 28, 47000, UTC)),
        (1755347728.5, datetime(2025, 8, 16, 12, 35, 28, 500000, UTC)),
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_times(value: Any, expected: datetime) -> None:
    assert time_of(value) == expected


def test_the_writers_zone_is_kept() -> None:
    time = time_of("2026-08-10T01:00:00+09:00")
    assert time is not None
    assert time.utcoffset() == timedelta(hours=9)
    assert time.date().isoformat() == "2026-08-10"


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "noon",
        "2026-02-31",
        [],
        {},
        float("nan"),
        float("inf"),
        1e300,
        10**400,
        -(10**20),
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_what_is_no_time(value: Any) -> None:
    assert time_of(value) is None
