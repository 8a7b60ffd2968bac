"""Rules about the dates a memory gives, and about its age."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta

from memory_ls.documents.dates import ImpossibleDateError, looks_like_date, read_date
from memory_ls.documents.frontmatter import Key
from memory_ls.documents.memory import CREATED_KEYS, UPDATED_KEYS, MemoryDocument
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related
from memory_ls.text import Span

# Words that mean another day on every day, in the languages memories are most often written in.
_RELATIVE = re.compile(
    r"""\b(?:yesterday|today|tonight|tomorrow
        |(?:next|last|this)[ ](?:week|month|quarter|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)
        |(?:a|one|two|three|few|couple[ ]of|\d{1,3})[ ](?:days?|weeks?|months?)[ ]ago)\b
    |今天|昨天|明天|前天|后天|上周|下周|上个月|下个月|本周|上週|下週
    |어제|오늘|내일|그저께|지난주|다음[ ]?주|이번[ ]?주|지난달|다음[ ]?달
    |昨日|明日|来週|先週|今週|先月|来月
    |\b(?:gestern|heute|morgen[ ]früh|ayer|mañana|hier|demain|aujourd'hui)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# A quick look for a piece that every match holds.
_HINTS = (
    "day", "night", "tomorrow", "next ", "last ", "this ", " ago", "天", "周", "週", "个月", "日", "月",
    "어제", "오늘", "내일", "그저께", "주", "달", "gestern", "heute", "morgen", "ayer", "mañana", "hier", "demain",
)  # fmt: skip
# "Today" as a word for "nowadays", in a quotation or as a thing's name is no date.
_NO_DATE_BEFORE = re.compile(r"(?:as of|until|even|still|e\.g\.|like|say|says|said|the word|[\"'“‘`「『])\s*\Z", re.IGNORECASE)
_NO_DATE_AFTER = re.compile(r"\s*(?:['’]s\b|[\"”’`」』]|[-_/])")


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the dates of one memory, except its age."""
    if document.frontmatter is None:
        return
    yield from _values(context, document)
    yield from _order(document)
    yield from _relative(document)


def _values(context: Context, document: MemoryDocument) -> Iterator[Diagnostic]:
    for path in (*UPDATED_KEYS, *CREATED_KEYS):
        key = document.key_at(path)
        if key is None or not key.value.strip():
            continue
        name = path.rpartition(".")[2]
        try:
            day = read_date(key.value)
        except ImpossibleDateError:
            yield RULES["date-invalid"].at(
                key.value_span,
                f"There is no such day, so nobody can tell how old this memory is. Write `{name}` as YYYY-MM-DD.",
                key=path,
            )
            continue
        if day is None:
            if not looks_like_date(key.value):
                yield RULES["date-invalid"].at(
                    key.value_span,
                    f"`{name}` holds no date, so nobody can tell how old this memory is. Write it as YYYY-MM-DD.",
                    key=path,
                )
        elif day > context.today + timedelta(days=1):
            yield RULES["date-future"].at(
                key.value_span, f"`{name}` lies in the future: the memory will count as fresh for too long.", key=path
            )


def _order(document: MemoryDocument) -> Iterator[Diagnostic]:
    created = next(document.dates(CREATED_KEYS), None)
    updated = next(document.dates(UPDATED_KEYS), None)
    if created is None or updated is None or updated[1] >= created[1] or _is_month(updated[0]) or _is_month(created[0]):
        return
    yield RULES["date-order"].at(
        updated[0].value_span,
        f"`{updated[0].name}` is earlier than `{created[0].name}` ({created[1].isoformat()}): one of the two is wrong.",
        related=(Related("", created[0].value_span, f"`{created[0].name}`"),),
    )


def _is_month(key: Key) -> bool:
    """Whether a date names no day, so that a day in the same month can't be told to be before or after it."""
    return len(key.value.strip()) <= len("2026-12")


def _relative(document: MemoryDocument) -> Iterator[Diagnostic]:
    text = document.source.text
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS) or document.updated is None or document.frontmatter is None:
        return
    for match in _RELATIVE.finditer(text, document.frontmatter.body_start):
        if document.body.in_code(match.start()) or _NO_DATE_AFTER.match(text, match.end()):
            continue
        if _NO_DATE_BEFORE.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        yield RULES["relative-date"].at(
            Span(*match.span()),
            f"“{match.group()}” is only right on the day it was written; the memory says {document.updated.isoformat()}. "
            "Write the date itself.",
            written=document.updated.isoformat(),
        )


def check_age(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """Whether a memory is marked as stale, or has not been touched for ``staleDays``."""
    status = document.key_at("metadata.status") or document.key_at("status")
    if status is not None and status.value.strip().lower() == "stale":
        yield RULES["stale"].at(
            status.value_span,
            "This memory is marked as stale: agents should no longer rely on it. Bring it up to date or delete it.",
            deprecated=True,
            marked=True,
        )
        return
    dated = next(document.dates((*UPDATED_KEYS, *CREATED_KEYS)), None)
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
