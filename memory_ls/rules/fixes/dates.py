"""Fixes of dates that are only right on the day they were written: the day itself, counted from the memory's own date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from memory_ls.documents.edits import Edit
from memory_ls.rules.dates import WEEKDAYS
from memory_ls.rules.fixes.fix import Fix, edit_fix, memory_of
from memory_ls.rules.registry import Context, Diagnostic

_DAYS = {
    "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1, "gestern": -1, "heute": 0, "ayer": -1, "mañana": 1,
    "demain": 1, "aujourd'hui": 0, "今天": 0, "昨天": -1, "昨日": -1, "明天": 1, "明日": 1, "前天": -2, "后天": 2,
    "어제": -1, "오늘": 0, "내일": 1, "그저께": -2,
}  # fmt: skip
_WEEKS = {
    "last week": -1, "this week": 0, "next week": 1, "今週": 0, "来週": 1, "先週": -1, "上周": -1, "上週": -1, "下周": 1,
    "下週": 1, "本周": 0, "지난주": -1, "다음주": 1, "다음 주": 1, "이번주": 0, "이번 주": 0,
}  # fmt: skip
_MONTHS = {
    "last month": -1, "this month": 0, "next month": 1, "上个月": -1, "下个月": 1, "来月": 1, "先月": -1, "지난달": -1,
    "다음달": 1, "다음 달": 1,
}  # fmt: skip
_STEPS = {"last": -1, "this": 0, "next": 1}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "couple of": 2}
_AGO = re.compile(r"(an?|one|two|three|couple of|\d{1,3}) (day|week|month)s? ago\Z")
# Behind these a date needs no "on" and no "in".
_LEADS = re.compile(
    r"\b(?:since|until|till|by|from|of|on|in|before|after|for|to|than|around|about|during|between|and|or|as|is|was|"
    r"updated|dated)\s+\Z|[(\[:,]\s*\Z",
    re.IGNORECASE,
)


def relative(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """What the word means when it was written with the last change; else when it was written with the memory."""
    document = memory_of(context, key)
    text = document.source.text
    word = finding.span.of(text)
    bases = dict.fromkeys((date.fromisoformat(str(finding.data["written"])), document.created))
    offered: set[str] = set()
    for base in filter(None, bases):
        for meant in _meanings(word.lower(), base):
            new = meant if not word.isascii() or not _is_english(word.lower()) else _in_a_sentence(text, finding, meant)
            if new not in offered:
                offered.add(new)
                since = "" if len(offered) == 1 else f", counted from {base.isoformat()}"
                yield edit_fix(context, key, f"Write `{new}`{since}", _writing(finding, new))


def _writing(finding: Diagnostic, new: str) -> Callable[[], list[Edit]]:
    return lambda: [Edit(*finding.span, new)]


def _meanings(word: str, base: date) -> Iterator[str]:
    """The days, weeks, months or years that a word may mean that was written on the day ``base``, the likeliest first."""
    which, _, unit = word.partition(" ")
    ago = _AGO.match(word)
    if word in _DAYS:
        yield _day(base, _DAYS[word])
    elif word in _WEEKS:
        yield _week(base, _WEEKS[word])
    elif word in _MONTHS:
        yield _month(base, _MONTHS[word])
    elif ago is not None:
        count = _COUNTS.get(ago.group(1)) or int(ago.group(1))
        if ago.group(2) == "month":
            yield _month(base, -count)
        else:
            yield _day(base, -count * (7 if ago.group(2) == "week" else 1))
    elif which in _STEPS and unit in WEEKDAYS:
        yield from (day.isoformat() for day in _weekdays(base, _STEPS[which], WEEKDAYS.index(unit)))
    elif which in _STEPS and unit == "quarter":
        number = base.year * 4 + (base.month - 1) // 3 + _STEPS[which]
        yield f"{number // 4}-Q{number % 4 + 1}"
    elif which in _STEPS and unit == "year":
        yield str(base.year + _STEPS[which])


def _day(base: date, days: int) -> str:
    return (base + timedelta(days=days)).isoformat()


def _week(base: date, weeks: int) -> str:
    """A week, as ISO 8601 counts them."""
    year, week, _ = (base + timedelta(weeks=weeks)).isocalendar()
    return f"{year}-W{week:02}"


def _month(base: date, months: int) -> str:
    number = base.year * 12 + base.month - 1 + months
    return f"{number // 12}-{number % 12 + 1:02}"


def _weekdays(base: date, step: int, weekday: int) -> list[date]:
    """Which days "last", "this" or "next" Thursday may be: of a day in this week, some mean the one in the next."""
    monday = base - timedelta(days=base.weekday())
    this = monday + timedelta(days=weekday)
    if step == 0:
        return [this]
    nearest = this if (this - base).days * step > 0 else this + timedelta(weeks=step)
    other = this + timedelta(weeks=step)
    return [nearest] if nearest == other else [nearest, other]


def _is_english(word: str) -> bool:
    return word.endswith(" ago") or " " in word or word in ("yesterday", "today", "tonight", "tomorrow")


def _in_a_sentence(text: str, finding: Diagnostic, meant: str) -> str:
    """A date with the word before it that English wants there."""
    if _LEADS.search(text, max(0, finding.span.start - 20), finding.span.start):
        return meant
    lead = "on" if len(meant) == len("2026-11-30") else "in"
    if finding.span.of(text)[0].isupper():
        lead = lead.capitalize()
    return f"{lead} {meant}"
