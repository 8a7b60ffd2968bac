"""Between our values and LSP's: places, files, diagnostics."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from lsprotocol import types
from pygls import uris

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.registry import Diagnostic
from memory_ls.server.capabilities import ClientSupport
from memory_ls.text import PositionEncoding, SourceText, Span

SOURCE = "memory-ls"


def path_of(uri: str) -> Path | None:
    """The path of a ``file:`` URI; ``None`` for any other (``untitled:``, ``git:`` …)."""
    if not uri.startswith("file:"):
        return None
    try:
        path = uris.to_fs_path(uri)
    except ValueError:
        return None
    return Path(os.path.normpath(path)) if path and "\0" not in path else None


def uri_of(path: str | Path) -> str:
    """The ``file:`` URI of a path."""
    return uris.from_fs_path(str(path)) or ""


def to_range(source: SourceText, span: Span, encoding: PositionEncoding) -> types.Range:
    """A span as the client counts."""
    start, end = source.position(span.start, encoding), source.position(span.end, encoding)
    return types.Range(types.Position(start.line, start.column), types.Position(end.line, end.column))


def to_offset(source: SourceText, position: types.Position, encoding: PositionEncoding) -> int:
    """A client's position as an offset."""
    return source.offset((position.line, position.character), encoding)


def source_of(directory: MemoryDirectory, key: str) -> SourceText:
    """The text of a document; an empty one where it can't be read."""
    document = directory.document(key)
    return document.source if document is not None else SourceText("")


def to_diagnostic(
    directory: MemoryDirectory, key: str, uri: str, diagnostic: Diagnostic, support: ClientSupport
) -> types.Diagnostic:
    """A finding as LSP has it, with nothing that the client did not declare."""
    source = source_of(directory, key)
    converted = types.Diagnostic(
        range=to_range(source, diagnostic.span, support.encoding),
        message=diagnostic.message,
        severity=types.DiagnosticSeverity(diagnostic.severity.value),
        code=diagnostic.code,
        source=SOURCE,
    )
    if support.code_descriptions:
        converted.code_description = types.CodeDescription(_page_uri(diagnostic.code))
    if support.diagnostic_data:
        converted.data = dict(diagnostic.data)
    if support.diagnostic_tags and diagnostic.deprecated:
        converted.tags = [types.DiagnosticTag.Deprecated]
    if support.related_information and diagnostic.related:
        converted.related_information = [
            types.DiagnosticRelatedInformation(
                location=types.Location(
                    uri if not related.key else uri_of(directory.path_of(related.key)),
                    to_range(source_of(directory, related.key or key), related.span, support.encoding),
                ),
                message=related.message,
            )
            for related in diagnostic.related
        ]
    return converted


def _page_uri(code: str) -> str:
    return uri_of(str(resources.files("memory_ls.rules").joinpath("pages", f"{code}.md")))
