"""Between our values and LSP's: places, files, diagnostics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from lsprotocol import types
from pygls import uris

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.registry import Diagnostic, Related
from memory_ls.server.capabilities import ClientSupport
from memory_ls.text import PositionEncoding, SourceText, Span

SOURCE = "memory-ls"

# The URI of a document of a directory, as the client has it.
UriOf = Callable[[MemoryDirectory, str], str]


class Findings(NamedTuple):
    """What the client is to be told about one file.

    ``directory`` and ``uri_of`` are for places in other files. ``answers_edit`` tells that the client itself
    has just changed the text.
    """

    uri: str
    version: int | None
    source: SourceText
    diagnostics: list[Diagnostic]
    directory: MemoryDirectory | None = None
    uri_of: Callable[[str], str] | None = None
    answers_edit: bool = False


def path_of(uri: str) -> Path | None:
    """The absolute path of a ``file:`` URI; ``None`` for any other (``untitled:``, ``git:`` …).

    A file name need not be text: its bytes stand in the URI, and come back from :func:`uri_of`.
    """
    if uri[:5].lower() != "file:":
        return None
    try:
        if os.name == "nt":
            path = uris.to_fs_path(uri) or ""
        else:
            parts = urlsplit(uri)
            # Another machine's file is none of ours.
            path = os.fsdecode(unquote_to_bytes(parts.path)) if parts.netloc in ("", "localhost") else ""
    except ValueError:
        return None
    # A drive of another system (`file:///c%3A/…`) would be taken for a directory below the current one.
    if "\0" in path or not os.path.isabs(path) or (os.name != "nt" and path[2:3] == ":"):
        return None
    return Path(os.path.normpath(path))


def uri_of(path: str | Path) -> str:
    """The ``file:`` URI of an absolute path."""
    return Path(path).as_uri()


def to_range(source: SourceText, span: Span, encoding: PositionEncoding) -> types.Range:
    """A span as the client counts."""
    start, end = source.position(span.start, encoding), source.position(span.end, encoding)
    return types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column))


def to_offset(source: SourceText, position: types.Position, encoding: PositionEncoding) -> int:
    """A client's position as an offset."""
    return source.offset((position.line, position.character), encoding)


def with_changes(
    text: str | None, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: PositionEncoding
) -> str | None:
    """The text after a client's changes, each of which counts in what those before it made of the text.

    ``None`` as ``text`` is one that nobody knows: it remains so until a change has all of it.
    """
    source = SourceText(text) if text is not None else None
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            source = SourceText(change.text)
        elif source is not None:
            start, end = sorted(to_offset(source, at, encoding) for at in (change.range.start, change.range.end))
            after = source.text[end:]
            source = source.edited(source.text[:start] + change.text + after, start, len(after))
    return source.text if source is not None else None


def source_of(directory: MemoryDirectory | None, key: str) -> SourceText:
    """The text of a markdown file in the directory; an empty one where it can't be read."""
    document = (directory.document(key) or directory.others.get(key)) if directory is not None else None
    return document.source if document is not None else SourceText("")


def to_diagnostic(findings: Findings, diagnostic: Diagnostic, support: ClientSupport) -> types.Diagnostic:
    """One of the findings as LSP has it, with nothing that the client did not declare."""
    converted = types.Diagnostic(
        range=to_range(findings.source, diagnostic.span, support.encoding),
        message=diagnostic.message,
        severity=types.DiagnosticSeverity(diagnostic.severity.value),
        code=diagnostic.code,
        source=SOURCE,
    )
    if support.code_descriptions:
        converted.code_description = types.CodeDescription(_page_uri(diagnostic.code))
    if support.diagnostic_data:
        converted.data = dict(diagnostic.data)
    if support.deprecated_tag and diagnostic.deprecated:
        converted.tags = [types.DiagnosticTag.Deprecated]
    if support.related_information and diagnostic.related:
        converted.related_information = [_related(findings, related, support) for related in diagnostic.related]
    return converted


def _related(findings: Findings, related: Related, support: ClientSupport) -> types.DiagnosticRelatedInformation:
    uri, source = findings.uri, findings.source
    if related.key and findings.uri_of is not None:
        uri, source = findings.uri_of(related.key), source_of(findings.directory, related.key)
    place = types.Location(uri, to_range(source, related.span, support.encoding))
    return types.DiagnosticRelatedInformation(place, related.message)


@lru_cache
def _page_uri(code: str) -> str:
    return uri_of(str(resources.files("memory_ls.rules").joinpath("pages", f"{code}.md")))
