"""The least that a language server can cost with pygls as it comes: it answers always the same, and reads nothing.

Full text synchronisation as memory-ls has; lists as long as memory-ls sends them, made beforehand.
"""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

_RANGE = types.Range(types.Position(0, 0), types.Position(0, 3))
_DIAGNOSTIC = types.Diagnostic(
    _RANGE, "Something is wrong here.", types.DiagnosticSeverity.Warning, "floor", source="floor"
)
_ITEMS = [
    types.CompletionItem(
        label=f"some-memory-name-{number}",
        kind=types.CompletionItemKind.Reference,
        detail="project",
        sort_text=f"{number:03}",
        filter_text=f"some-memory-name-{number}",
        text_edit=types.TextEdit(_RANGE, f"some-memory-name-{number}]]"),
        data={"uri": "file:///somewhere/memory/some-memory.md", "key": f"some-memory-name-{number}.md"},
    )
    for number in range(50)
]
_HOVER = types.Hover(
    types.MarkupContent(types.MarkupKind.Markdown, "**some-memory-name** (project)\n\n" + "word " * 200)
)

_LOCATIONS = [types.Location(f"file:///somewhere/memory/some-memory-{number}.md", _RANGE) for number in range(6)]
_OUTLINE = [
    types.DocumentSymbol(
        "some-memory-name",
        types.SymbolKind.File,
        _RANGE,
        _RANGE,
        detail="project — what it is about",
        children=[types.DocumentSymbol("A heading", types.SymbolKind.String, _RANGE, _RANGE) for _ in range(4)],
    )
]
_FOUND = [
    types.SymbolInformation(
        types.Location(f"file:///somewhere/memory/some-memory-{number}.md", _RANGE),
        f"some-memory-name-{number}",
        types.SymbolKind.File,
        container_name="project · somewhere/memory",
    )
    for number in range(100)
]

server = LanguageServer("floor", "0", text_document_sync_kind=types.TextDocumentSyncKind.Full)


@server.feature(types.TEXT_DOCUMENT_DID_OPEN)
def did_open(params: types.DidOpenTextDocumentParams) -> None:
    """Publishes one finding."""
    _publish(params.text_document.uri, params.text_document.version)


@server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def did_change(params: types.DidChangeTextDocumentParams) -> None:
    """Publishes one finding."""
    _publish(params.text_document.uri, params.text_document.version)


@server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
    """Publishes one finding, of the document that is open."""
    for uri in server.workspace.text_documents:
        _publish(uri, 0)


def _publish(uri: str, version: int) -> None:
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [_DIAGNOSTIC], version))


@server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["["]))
def complete(params: types.CompletionParams) -> types.CompletionList:
    """Fifty items."""
    return types.CompletionList(is_incomplete=True, items=_ITEMS)


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover:
    """About a kilobyte of text."""
    return _HOVER


@server.feature(types.TEXT_DOCUMENT_DEFINITION)
def define(params: types.DefinitionParams) -> list[types.LocationLink]:
    """One place."""
    return [types.LocationLink(params.text_document.uri, _RANGE, _RANGE, _RANGE)]


@server.feature(types.TEXT_DOCUMENT_REFERENCES)
def refer(params: types.ReferenceParams) -> list[types.Location]:
    """A few places."""
    return _LOCATIONS


@server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    """A memory with a few headings."""
    return _OUTLINE


@server.feature(types.WORKSPACE_SYMBOL)
def search(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """A hundred memories."""
    return _FOUND


if __name__ == "__main__":
    server.start_io()
