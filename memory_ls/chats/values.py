"""Values out of a log's JSON, which may be of any type whatever its format says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memory_ls.text import without_surrogates

# Larger numbers count milliseconds: as seconds this one is in the year 5138.
_MOST_SECONDS = 1e11


def mapping(value: object) -> dict[str, Any]:
    """``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    """``value`` if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def string(value: object) -> str | None:
    """``value`` without lone surrogates if it is a text with something in it."""
    return without_surrogates(value) if isinstance(value, str) and value else None


def words(value: object) -> str:
    """``value`` if it is a text, else none."""
    return value if isinstance(value, str) else ""


def time_of(value: object) -> datetime | None:
    """A time written as ISO 8601, or as seconds or milliseconds since 1970. One without a zone is taken as UTC."""
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.strip())
        elif isinstance(value, int | float) and not isinstance(value, bool):
            time = datetime.fromtimestamp(value / 1000 if abs(value) > _MOST_SECONDS else value, UTC)
        else:
            return None
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        time.astimezone(UTC)  # fails at the ends of what datetime can hold, where later sums would
    except (ValueError, OverflowError, OSError):
        return None
    return time
