"""Comments that silence a rule: for the whole file, a line, or the next line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.registry import Diagnostic

WORD = "memory-ls-disable"
_IN_COMMENT = re.compile(r"\s*memory-ls-disable(-next-line|-line)?(?![\w-])(.*)", re.DOTALL)
_IN_YAML = re.compile(r"(?:^|[ \t])#[ \t]*memory-ls-disable(-next-line|-line)?(?![\w-])([^\r\n]*)", re.MULTILINE)
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One such comment. ``line`` is the line it speaks of, from 0, ``None`` for the whole file; no codes mean all.

    ``end`` is the offset behind its last code, where another one can be added.
    """

    line: int | None
    codes: frozenset[str]
    end: int


def unsuppressed(document: MemoryDocument | IndexDocument, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that no comment in ``document`` silences."""
    if not diagnostics or WORD not in document.source.text:
        return diagnostics
    in_text = list(suppressions(document))
    line_of = document.source.line_of
    return [
        diagnostic
        for diagnostic in diagnostics
        if not any(
            (not suppression.codes or diagnostic.code in suppression.codes)
            and suppression.line in (None, line_of(diagnostic.span.start))
            for suppression in in_text
        )
    ]


def suppressions(document: MemoryDocument | IndexDocument) -> Iterator[Suppression]:
    """Every such comment of a document."""
    source = document.source
    comments = document.body.comments if isinstance(document, MemoryDocument) else document.comments
    for comment in comments:
        match = _IN_COMMENT.match(comment.text)
        if match is not None:
            first, last = source.line_of(comment.span.start), source.line_of(comment.span.end - 1)
            yield _suppression(match, first, last, comment.span.start + len("<!--"))
    if document.frontmatter is not None:
        span = document.frontmatter.yaml_span
        texts = [key.value_span for _, key in document.frontmatter.walk() if key.style]
        for match in _IN_YAML.finditer(source.text, span.start, span.end):
            if any(text.start < match.end() <= text.end for text in texts):
                continue  # a `#` in quotes or in a block of lines is none
            line = source.line_of(match.end() - 1)
            yield _suppression(match, line, line, 0)


def _suppression(match: re.Match[str], first_line: int, last_line: int, base: int) -> Suppression:
    # What follows two hyphens is the author's reason.
    found = list(_CODE.finditer(match.group(2).partition("--")[0].lower()))
    line = {"-line": first_line, "-next-line": last_line + 1}.get(match.group(1) or "")
    end = match.start(2) + (found[-1].end() if found else 0)
    return Suppression(line, frozenset(code.group() for code in found), base + end)
