"""Dates as people and programs write them into frontmatter."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache

_ISO_LIKE = re.compile(r"\s*(\d{4})[-/.年](\d{1,2})(?:[-/.月](\d{1,2})(?!\d)|(?![-/.月]?\d))")
_COMPACT = re.compile(r"\s*(\d{4})(\d{2})(\d{2})(?:T?\d{0,6}Z?)?\s*\Z")
_EPOCH = re.compile(r"\s*(\d{10}|\d{13})(?:\.\d+)?\s*\Z")
_LOOSE = re.compile(
    r"(?:\b|_)(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\b\d{4}\b|\d{1,2}[/.\-]\d{1,2}[/.\-]\d{2,4}",
    re.IGNORECASE,
)


class ImpossibleDateError(ValueError):
    """A text has the form of a date, but the calendar has no such day."""


@lru_cache(maxsize=4096)
def read_date_or_none(text: str) -> date | None:
    """As :func:`read_date`, with ``None`` also for a day that does not exist."""
    try:
        return read_date(text)
    except ImpossibleDateError:
        return None


def read_date(text: str) -> date | None:
    """The day that ``text`` begins with; a month alone counts as its first day.

    ``None`` when the text is no date in a form that can be read for certain (``April``, ``v2``).

    Raises:
        ImpossibleDateError: the form is right and the day does not exist (``2026-02-31``).
    """
    epoch = _EPOCH.match(text)
    if epoch:
        seconds = int(epoch.group(1))
        return datetime.fromtimestamp(seconds / 1000 if len(epoch.group(1)) == 13 else seconds, UTC).date()
    match = _ISO_LIKE.match(text) or _COMPACT.match(text)
    if match is None:
        return None
    try:
        return date(int(match.group(1)), int(match.group(2)), int(match.group(3) or 1))
    except ValueError as error:
        raise ImpossibleDateError(str(error)) from error


def is_impossible(text: str) -> bool:
    """Whether a text has the form of a date and the calendar has no such day."""
    try:
        read_date(text)
    except ImpossibleDateError:
        return True
    return False


def looks_like_date(text: str) -> bool:
    """Whether a person would take ``text`` for a date, if only a loose one (``April 2026``, ``3.4.26``)."""
    return _LOOSE.search(text) is not None
