"""Comments that silence a finding, put where they are read as such and change nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.fixes.fix import Fix, document_of, edit_fix, line_end_of
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.rules.suppress import WORD, suppressions, unsuppressed

# What is told of a whole file that can't be read, and of settings: no comment in a memory silences it.
_NOT_IN_A_TEXT = frozenset(
    {"file-encoding", "file-too-large", "file-unreadable", "setting-invalid", "setting-not-trusted"}
)

_Document = MemoryDocument | IndexDocument


def silencing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The rule silenced on the line of the finding, and in the whole file."""
    if finding.code in _NOT_IN_A_TEXT:
        return
    document = document_of(context, key)
    on_line = f"Silence `{finding.code}` on this line"
    yield edit_fix(context, key, on_line, lambda: [_first_that_works(document, finding, _on_line(document, finding))])
    in_file = f"Silence `{finding.code}` in this file"
    yield edit_fix(context, key, in_file, lambda: [_first_that_works(document, finding, _in_file(document, finding))])


def _on_line(document: _Document, finding: Diagnostic) -> Iterator[Edit]:
    source, code = document.source, finding.code
    line = source.line_of(finding.span.start)
    yield from _added(document, line, code)
    span = source.line_span(line)
    content = span.of(source.text)
    indent = content[: len(content) - len(content.lstrip(" "))]
    end = line_end_of(source.text, span.start)
    block = document.frontmatter
    if block is not None and span.start < block.body_start:
        yield Edit(span.start, span.start, f"{indent}# {WORD}-next-line {code}{end}")
        return
    # Behind what is said, so that spaces at the end of a line still mean what they mean.
    at = span.start + len(content.rstrip())
    yield Edit(at, at, f" <!-- {WORD}-line {code} -->")
    if line:  # what is told of the first line as such would be told of the comment
        yield Edit(span.start, span.start, f"{indent}<!-- {WORD}-next-line {code} -->{end}")


def _in_file(document: _Document, finding: Diagnostic) -> Iterator[Edit]:
    text, code = document.source.text, finding.code
    yield from _added(document, None, code)
    end = line_end_of(text)
    if document.frontmatter is not None:
        at = document.frontmatter.yaml_span.start
        yield Edit(at, at, f"# {WORD} {code}{end}")
    at = int(text.startswith("\ufeff")) if document.frontmatter is None else document.body_start
    yield Edit(at, at, f"<!-- {WORD} {code} -->{end}{end}")


def _added(document: _Document, line: int | None, code: str) -> Iterator[Edit]:
    """The code behind those of a comment that is there already and speaks of the same line."""
    if WORD in document.source.text:
        for suppression in suppressions(document):
            if suppression.line == line and suppression.codes:
                yield Edit(suppression.end, suppression.end, f", {code}")


def _first_that_works(document: _Document, finding: Diagnostic, edits: Iterator[Edit]) -> Edit:
    """The first of the edits that silences the finding and changes nothing that the document says.

    Raises:
        CannotEditError: none does.
    """
    for edit in edits:
        text = applied(document.source.text, [edit])
        after: _Document = (
            IndexDocument.parse(text) if isinstance(document, IndexDocument) else MemoryDocument.parse(text)
        )
        start = finding.span.start + (len(edit.text) if edit.start <= finding.span.start else 0)
        moved = replace(finding, span=finding.span.shifted(start - finding.span.start))
        if not unsuppressed(after, [moved]) and _says(document) == _says(after):
            return edit
    raise CannotEditError("No comment can stand there. Silence the rule in the whole file, or in `.memory-ls.toml`.")


def _says(document: _Document) -> list[object]:
    """What a comment must not change: keys and values, headings, links."""
    block = document.frontmatter
    keys = [(path, key.kind, key.value) for path, key in block.walk()] if block is not None else []
    faults = [problem.message for problem in block.invalid] if block is not None else []
    links = document.body.links if isinstance(document, MemoryDocument) else document.links()
    headings = [(heading.level, heading.text) for heading in document.headings]
    return [block is None, keys, faults, headings, [(link.kind, link.target, link.anchor) for link in links]]
