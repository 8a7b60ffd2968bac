"""Rules about the dates a memory gives, and about its age."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from memory_ls.documents.dates import is_impossible, looks_like_date, read_date_or_none
from memory_ls.documents.frontmatter import Key
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related
from memory_ls.text import Span

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _paired(*units: str) -> tuple[str, ...]:
    return tuple(f"{which} {unit}" for which in ("next", "last", "this") for unit in units)


# Words that mean another day on every day, in the languages memories are most often written in, each by a piece of it
# that few texts hold. French "hier" is not among them, since it is "here" in German and Dutch. They are found by plain
# search in the lower-case text: one regular expression for all of them takes ten times as long.
_WORDS_BY_SIGN = {
    "day": ("yesterday", "today", *_paired(*WEEKDAYS)), "week": _paired("week"), "month": _paired("month"),
    "quarter": _paired("quarter"), "year": _paired("year"), "tonight": ("tonight",), "tomorrow": ("tomorrow",),
    "gestern": ("gestern",), "heute": ("heute",), "ayer": ("ayer",), "demain": ("demain",), "aujourd": ("aujourd'hui",),
}  # fmt: skip
_WORDS_BY_SIGN_OF_SCRIPTS = {
    "今": ("今天", "今週"), "昨": ("昨天", "昨日"), "明": ("明天", "明日"), "前": ("前天",), "后": ("后天",),
    "上": ("上周", "上个月", "上週"), "下": ("下周", "下个月", "下週"), "本": ("本周",), "来": ("来週", "来月"),
    "先": ("先週", "先月"), "어": ("어제",), "오": ("오늘",), "내": ("내일",), "그": ("그저께",), "지": ("지난주", "지난달"),
    "다": ("다음주", "다음 주", "다음달", "다음 달"), "이": ("이번주", "이번 주"), "ñ": ("mañana",),
}  # fmt: skip
_AGO = " ago"
_COUNT = re.compile(r"(?:\ban?|one|two|three|few|couple of|\d{1,3}) (?:days?|weeks?|months?)\Z")
_LONGEST_COUNT = len("couple of months")
# "Today" as a word for "nowadays", in a quotation or as a thing's name is no date.
_NO_DATE_BEFORE = re.compile(
    r"(?:as of|until|even|still|e\.g\.|like|say|says|said|the word|[\"'“‘`「『])\s*\Z", re.IGNORECASE
)
_NO_DATE_AFTER = re.compile(r"\s*(?:['’]s\b|[\"”’`」』]|[-_/])")


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the dates of one memory, except its age."""
    if document.frontmatter is None:
        return
    yield from _values(context, document)
    yield from _order(document)
    yield from _relative(document)


def _values(context: Context, document: MemoryDocument) -> Iterator[Diagnostic]:
    latest = context.today + timedelta(days=1)
    for path, key in document.date_keys.items():
        name = key.name
        day = read_date_or_none(key.value)
        if day is None:
            if is_impossible(key.value):
                yield RULES["date-invalid"].at(
                    key.value_span,
                    f"There is no such day, so nobody can tell how old this memory is. Write `{name}` as YYYY-MM-DD.",
                    key=path,
                )
            elif key.value.strip() and not looks_like_date(key.value):
                yield RULES["date-invalid"].at(
                    key.value_span,
                    f"`{name}` holds no date, so nobody can tell how old this memory is. Write it as YYYY-MM-DD.",
                    key=path,
                )
        elif day > latest:
            yield RULES["date-future"].at(
                key.value_span, f"`{name}` lies in the future: the memory will count as fresh for too long.", key=path
            )


def _order(document: MemoryDocument) -> Iterator[Diagnostic]:
    created, updated = document.dated
    if created is None or updated is None or _is_month(updated[0]) or _is_month(created[0]):
        return
    # A day here may still be the day before in UTC, in which programs write times.
    slack = timedelta(days=1 if _has_time(updated[0]) != _has_time(created[0]) else 0)
    if updated[1] + slack >= created[1]:
        return
    yield RULES["date-order"].at(
        updated[0].value_span,
        f"`{updated[0].name}` is earlier than `{created[0].name}` ({created[1].isoformat()}): one of the two is wrong.",
        related=(Related("", created[0].value_span, f"`{created[0].name}`"),),
    )


def _has_time(key: Key) -> bool:
    return ":" in key.value


def _is_month(key: Key) -> bool:
    """Whether a date names no day, so that a day in the same month can't be told to be before or after it."""
    return len(key.value.strip()) <= len("2026-12")


def _relative(document: MemoryDocument) -> Iterator[Diagnostic]:
    if document.frontmatter is None or document.updated is None:
        return
    text = document.source.text
    lowered = text.lower()
    if len(lowered) != len(text):
        return
    for start, end in sorted(_relative_words(lowered, document.frontmatter.body_start)):
        if _inside_word(lowered, start, end) or document.in_code(start) or _NO_DATE_AFTER.match(text, end):
            continue
        if _NO_DATE_BEFORE.search(text[max(0, start - 12) : start]):
            continue
        yield RULES["relative-date"].at(
            Span(start, end),
            f"“{text[start:end]}” is only right on the day it was written; the memory says {document.updated.isoformat()}. "
            "Write the date itself.",
            written=document.updated.isoformat(),
        )


def _relative_words(lowered: str, body_start: int) -> Iterator[tuple[int, int]]:
    tables = (_WORDS_BY_SIGN,) if lowered.isascii() else (_WORDS_BY_SIGN, _WORDS_BY_SIGN_OF_SCRIPTS)
    for table in tables:
        for sign in filter(lowered.__contains__, table):
            for word in table[sign]:
                yield from ((at, at + len(word)) for at in _places(lowered, word, body_start))
    for at in _places(lowered, _AGO, body_start):
        first = max(body_start, at - _LONGEST_COUNT)
        count = _COUNT.search(lowered[first:at])
        if count is not None:
            yield first + count.start(), at + len(_AGO)


def _places(text: str, word: str, start: int) -> Iterator[int]:
    at = text.find(word, start)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


def _inside_word(text: str, start: int, end: int) -> bool:
    """Whether a match in letters that are written with spaces between words is only a part of one."""
    if text[start] > "\u024f":
        return False
    return (start > 0 and text[start - 1].isalnum()) or (end < len(text) and text[end].isalnum())


def check_age(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """Whether a memory is marked as stale, or has not been touched for ``staleDays``."""
    status = document.status_key
    if status is not None and document.is_marked_stale:
        yield RULES["stale"].at(
            status.value_span,
            "This memory is marked as stale: agents should no longer rely on it. Bring it up to date or delete it.",
            deprecated=True,
            marked=True,
        )
        return
    dated = document.dated.last
    if dated is None:
        return
    age = (context.today - dated[1]).days
    if age > context.settings.stale_days:
        yield RULES["stale"].at(
            dated[0].value_span,
            f"This memory was last touched {age} days ago. Check that it still holds, then renew its date or delete it.",
            marked=False,
            days=age,
        )
