"""Transcripts that people or simple programs write: any text whose turns begin with the name of who speaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory_ls.chats.conversation import Conversation
from memory_ls.chats.message import ChatLog, Role
from memory_ls.chats.role_words import ROLE_OF, WORDS
from memory_ls.chats.turns import Header, fenced, turns
from memory_ls.chats.values import time_of

FORMAT = "plain"
_WORD = "(?P<word>" + "|".join(map(re.escape, sorted(WORDS, key=len, reverse=True))) + ")"
_TIME = r"(?:[ \t]*[(（\[](?P<time>[^()（）\[\]\n]{1,60})[)）\]])?"
# How a turn may begin. All turns of one log begin alike.
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"#{{1,6}}[ \t]+(?:\W{{1,3}}[ \t]+)?{_WORD}{_TIME}[ \t]*(?:[:：](?P<rest>.*)|)\Z",
        rf"\*\*{_WORD}{_TIME}[ \t]*(?:[:：][ \t]*\*\*|\*\*[ \t]*[:：])(?P<rest>.*)\Z",
        rf"\*\*{_WORD}{_TIME}\*\*[ \t]*(?P<rest>)\Z",
        rf"\[{_WORD}\]{_TIME}[ \t]*[:：]?(?P<rest>.*)\Z",
        rf"(?:\[(?P<before>[^\[\]\n]{{1,60}})\][ \t]*)?{_WORD}{_TIME}[ \t]*[:：](?P<rest>.*)\Z",
    )
)


class _Found(NamedTuple):
    line: int
    word: str
    role: Role
    header: Header


def read(lines: list[str]) -> ChatLog:
    """The turns; a text without any has none, and nobody is taken to have said it."""
    found = Conversation(FORMAT)
    headers = _headers(lines)
    if not headers:
        return found.log(sum(not line.isspace() for line in lines if line))
    for turn in turns(lines, headers):
        if turn.role is not None:
            found.add(turn.role, turn.text, turn.time, line=turn.line)
    return found.log()


def _headers(lines: list[str]) -> dict[int, Header]:
    """The headers by line from 0, of the form that comes first among those in which both sides speak, else of the first."""
    quoted = fenced(lines)
    possible = [number for number, line in enumerate(lines) if _may_be_header(line) and not quoted[number]]
    by_form = [list(_of_form(form, lines, possible)) for form in _FORMS]
    by_form.sort(key=lambda found: (not _is_dialogue(found), found[0].line if found else len(lines)))
    spelled: dict[str, str] = {}
    headers: dict[int, Header] = {}
    for found in by_form[0]:
        # `user: root` in somebody's configuration is not how a log speaks whose turns begin with `User:`.
        if spelled.setdefault(found.word.casefold(), found.word) == found.word:
            headers[found.line] = found.header
    return headers


def _is_dialogue(found: list[_Found]) -> bool:
    return {Role.USER, Role.ASSISTANT} <= {each.role for each in found}


def _may_be_header(line: str) -> bool:
    """Whether it is worth a closer look; most lines are not."""
    return line[:1] not in " \t>" and (line[0] in "#*[" or ":" in line or "：" in line)


def _of_form(form: re.Pattern[str], lines: list[str], possible: list[int]) -> Iterator[_Found]:
    for number in possible:
        match = form.match(lines[number])
        role = ROLE_OF.get(match.group("word").casefold()) if match else None
        if match is None or role is None:
            continue
        parts = match.groupdict()
        time = time_of(parts.get("time") or parts.get("before"))
        yield _Found(number, match.group("word"), role, Header(role, time, (parts.get("rest") or "").strip()))
