"""Fixes of the text of a memory or the index."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.fixes.fix import Fix, document_of, edit_fix, line_end_of, memory_of
from memory_ls.rules.registry import Context, Diagnostic

_LINE_ENDS = re.compile(r"\r\n|\n|\r")


def mojibake(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """What was meant, in place of what it became."""
    meant = str(finding.data["meant"])
    document = document_of(context, key)
    # Others may refer to a name, or a link to a file, by just these characters.
    name = document.name_key if isinstance(document, MemoryDocument) else None
    is_reference = name is not None and name.value_start <= finding.span.start < name.value_end
    links = document.body.links if isinstance(document, MemoryDocument) else document.links_near(finding.span)
    is_reference |= any(link.target_start <= finding.span.start < link.target_end for link in links)
    yield edit_fix(context, key, f"Write `{meant}`", lambda: [Edit(*finding.span, meant)], safe=not is_reference)


def line_endings(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The line end that most lines have, on all."""
    ending = str(finding.data["ending"])
    text = document_of(context, key).source.text

    def edits() -> Iterator[Edit]:
        for found in _LINE_ENDS.finditer(text):
            if found.group() != ending:
                yield Edit(*found.span(), ending)

    name = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}[ending]
    yield edit_fix(context, key, f"End all lines with {name}", edits, safe=True)


def feedback_structure(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The two labels at the end of the text, for the author to write behind."""
    yield edit_fix(context, key, "Add `**Why:**` and `**How to apply:**`", lambda: _structure(memory_of(context, key)))


def _structure(document: MemoryDocument) -> Iterator[Edit]:
    text = document.source.text
    at = len(text.rstrip())
    end = line_end_of(text)
    edit = Edit(at, at, f"{end}{end}**Why:**{end}{end}**How to apply:**")
    after = MemoryDocument.parse(applied(text, [edit]))
    if after.in_code(at + len(edit.text) - 1) or any(c.span.end > at for c in after.body.comments):
        raise CannotEditError("The text ends in code or a comment that is not closed.")
    yield edit
