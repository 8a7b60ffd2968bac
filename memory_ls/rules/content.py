"""Rules about the text of a memory: present, whole, and in one encoding."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.pieces import piecewise
from memory_ls.rules.registry import RULES, Context, Diagnostic
from memory_ls.text import Span

_CONFLICT_START = re.compile(r"^<{7}(?: [^\r\n]*)?(?=\r?$)", re.MULTILINE)
_CONFLICT_END = re.compile(r"^>{7}(?: [^\r\n]*)?\r?$", re.MULTILINE)
_CONFLICT_MIDDLE = re.compile(r"^={7}\r?$", re.MULTILINE)

# Why and How to apply, in any spelling and in the languages memories are most often written in.
_STRUCTURE = re.compile(
    r"\b(?:why|how to apply|reason|rationale|because|context|apply when|when to apply)\b"
    r"|为什么|原因|如何应用|怎么用|应用方法|理由|因为|適用|背景|なぜ|이유|왜|적용|배경|warum|grund|pourquoi|por qué|motivo"
    r"|anwend|comment l['’]appliquer|c[óo]mo aplicar|porque|perch[ée]|come applicar|как применять|почему",
    re.IGNORECASE,
)
# The English ones, as plain search finds them: the expression above takes twenty times as long.
_USUAL_STRUCTURE = ("why", "how to apply", "because", "reason")

# What UTF-8's first bytes become, by itself: nearly all texts are done with when none of it is there.
_MOJIBAKE_START = re.compile("[\u00c2-\u00f4]")
# A character that UTF-8's first bytes become in cp1252 or Latin-1, and one that its later bytes become.
_MOJIBAKE = re.compile(
    "(?:[\u00c2-\u00f4][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    "\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{1,3})+"
)


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the text of one memory."""
    if not document.body_text.strip() and "\0" not in document.source.text:
        yield _empty(document)
    if document.type == "feedback" and document.frontmatter is not None:
        yield from _feedback(document)
    yield from check_text(document)


def check_text(document: MemoryDocument | IndexDocument) -> Iterator[Diagnostic]:
    """The findings that a memory and an index have in common."""
    text = document.source.text
    if "<<<<<<<" in text and (span := conflict_span(document)) is not None:
        yield RULES["conflict-marker"].at(
            span,
            "A merge left both versions here: agents read the two as one text. Keep one version and delete the "
            "marker lines.",
        )
    if not text.isascii():
        yield from _mojibake(document)
    if "\r" in text:
        yield from _line_endings(document)


def _empty(document: MemoryDocument) -> Diagnostic:
    block = document.frontmatter
    span = Span(0, 0)
    if block is not None:
        span = block.close_span or block.open_span
    return RULES["body-empty"].at(
        span,
        "Nothing stands below the frontmatter: an agent that opens this memory learns no more than its description. "
        "Write the fact down, or delete the memory.",
    )


def conflict_span(document: MemoryDocument | IndexDocument) -> Span | None:
    """The first line of an unresolved merge conflict outside code, or ``None``."""
    text = document.source.text
    for start in _CONFLICT_START.finditer(text):
        middle = _CONFLICT_MIDDLE.search(text, start.end())
        if middle is None or _CONFLICT_END.search(text, middle.end()) is None:
            return None
        if not document.in_code(start.start()):
            return Span(start.start(), start.end())
    return None


def _feedback(document: MemoryDocument) -> Iterator[Diagnostic]:
    if not document.body_text.strip() or _has_structure(document.body_text):
        return
    assert document.type_key is not None
    yield RULES["feedback-structure"].at(
        document.type_key.value_span,
        "Feedback helps most when it says why it was given and how to apply it: an agent then knows where it holds. "
        "Add `**Why:**` and `**How to apply:**`.",
    )


def _has_structure(text: str) -> bool:
    lowered = text.lower()
    places = (lowered.find(word) for word in _USUAL_STRUCTURE)
    return any(at >= 0 and _STRUCTURE.match(text, at) for at in places) or _STRUCTURE.search(text) is not None


def _mojibake(document: MemoryDocument | IndexDocument) -> Iterator[Diagnostic]:
    text = document.source.text
    for start, (found, meant) in _garbled(document):
        span = found.shifted(start)
        if document.in_code(span.start):
            continue
        yield RULES["mojibake"].at(
            span,
            f"`{span.of(text)}` is what `{meant}` becomes when UTF-8 is read as another encoding. Write `{meant}`.",
            meant=meant,
        )


@piecewise
def _garbled(text: str) -> tuple[tuple[Span, str], ...]:
    """Where a text was read in the wrong encoding, and what was meant there."""
    first = _MOJIBAKE_START.search(text)
    if first is None:
        return ()
    matches = _MOJIBAKE.finditer(text, first.start())
    return tuple((Span(*match.span()), meant) for match in matches if (meant := _reencoded(match.group())) is not None)


def _reencoded(garbled: str) -> str | None:
    """The text that ``garbled`` was before it was read as cp1252, when that can be told for certain."""
    import ftfy.bad_codecs  # registers the codec "sloppy-windows-1252"; imported late, since hardly any file needs it
    import ftfy.badness

    ftfy.bad_codecs.ok()
    if not ftfy.badness.is_bad(garbled):
        return None  # «CAFÉ» and “café”— could be read as UTF-8 too, and are what they look like
    for encoding in ("sloppy-windows-1252", "latin-1"):
        try:
            meant = garbled.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        if meant.isprintable():
            return meant
    return None


def _line_endings(document: MemoryDocument | IndexDocument) -> Iterator[Diagnostic]:
    text = document.source.text
    windows = text.count("\r\n")
    unix = text.count("\n") - windows
    mac = text.count("\r") - windows
    kinds = {"\r\n": windows, "\n": unix, "\r": mac}
    used = sorted((ending for ending, count in kinds.items() if count), key=kinds.__getitem__, reverse=True)
    if len(used) < 2:
        return
    rarer = next(match for match in re.finditer(r"\r\n|\n|\r", text) if match.group() != used[0])
    line = document.source.line_span(document.source.line_of(rarer.start()))
    names = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}
    yield RULES["line-endings-mixed"].at(
        line,
        f"This line ends with {names[rarer.group()]}, most lines of the file with {names[used[0]]}. Mixed line ends make "
        "whole files show up as changed.",
        ending=used[0],
    )
