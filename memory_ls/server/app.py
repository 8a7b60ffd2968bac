"""The server: which methods it answers, each handed to the function that knows."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer

from memory_ls import __version__
from memory_ls.server import convert, parent
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features import completion, definition, hover, references
from memory_ls.server.protocol import MemoryProtocol, serve, without_text
from memory_ls.server.session import Place, Session

log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class MemoryServer(LanguageServer):
    """The language server and its session."""

    def __init__(self) -> None:
        super().__init__(
            "memory-ls",
            __version__,
            protocol_cls=MemoryProtocol,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self.support = ClientSupport()
        self.session = Session(self._publish)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Writes to the log only: a fault of ours is nothing to interrupt the user with."""
        if not isinstance(error, JsonRpcInvalidParams):  # the client's, which has its answer
            log.error("%s", without_text(error))

    def _publish(self, findings: convert.Findings) -> None:
        converted = [convert.to_diagnostic(findings, item, self.support) for item in findings.diagnostics]
        params = types.PublishDiagnosticsParams(findings.uri, converted, findings.version)
        self.text_document_publish_diagnostics(params)


def create() -> MemoryServer:
    """A server with all its methods, not yet connected to anything."""
    server = MemoryServer()
    _add_life_cycle(server)
    _add_sync(server)
    _add_features(server)
    return server


def _add_life_cycle(server: MemoryServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.support = ClientSupport.of(params)
        server.session.configure(_folders(params), params.initialization_options)
        parent.watch(params.process_id)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        server.session.start()

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.session.close()


def _folders(params: types.InitializeParams) -> list[Path]:
    uris = [folder.uri for folder in params.workspace_folders or []]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    elif not uris and params.root_path and os.path.isabs(params.root_path):
        uris = [convert.uri_of(params.root_path)]
    paths = [convert.path_of(uri) for uri in uris]
    return [path for path in paths if path is not None]


def _add_sync(server: MemoryServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session.opened(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        # Full text sync: the last change is the whole text.
        for change in params.content_changes[-1:]:
            session.changed(params.text_document.uri, params.text_document.version, change.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        paths = [convert.path_of(change.uri) for change in params.changes]
        session.disk_changed(path for path in paths if path is not None)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        """Settings come with initialization; a client that sends others is not told that it may not."""


def _add_features(server: MemoryServer) -> None:
    def at(uri: str, position: types.Position, answer: Callable[[Place, int], _Result]) -> _Result | None:
        place = server.session.place(uri)
        if place is None:
            return None
        return answer(place, convert.to_offset(place.document.source, position, server.support.encoding))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=["[", "#", ":"], resolve_provider=True),
    )
    def complete(params: types.CompletionParams) -> types.CompletionList | None:
        return at(
            params.text_document.uri,
            params.position,
            lambda place, offset: completion.complete(place, offset, server.support),
        )

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve(item: types.CompletionItem) -> types.CompletionItem:
        uri = item.data.get("uri") if isinstance(item.data, dict) else None
        place = server.session.place(uri) if isinstance(uri, str) else None
        return completion.resolve(place, item, server.support) if place else item

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def show_hover(params: types.HoverParams) -> types.Hover | None:
        return at(
            params.text_document.uri,
            params.position,
            lambda place, offset: hover.hover(place, offset, server.support),
        )

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def define(params: types.DefinitionParams) -> list[types.Location] | list[types.LocationLink] | None:
        return at(
            params.text_document.uri,
            params.position,
            lambda place, offset: definition.define(place, offset, server.support, server.session.uri_of),
        )

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def refer(params: types.ReferenceParams) -> list[types.Location] | None:
        return at(
            params.text_document.uri,
            params.position,
            lambda place, offset: references.references(
                place,
                offset,
                server.support,
                server.session.uri_of,
                with_declaration=params.context.include_declaration,
            ),
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        return at(
            params.text_document.uri,
            params.position,
            lambda place, offset: references.highlights(place, offset, server.support),
        )


def run() -> NoReturn:
    """Serves over standard input and output until the client leaves, and ends the process with the exit status."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="memory-ls: %(levelname)s: %(message)s")
    # pygls logs parameters and whole messages, and they hold the text of memories.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = create()
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # Whatever else writes to standard output would break the protocol.
    sys.stdout = sys.stderr
    server.protocol.set_writer(StdoutWriter(stdout))
    status = 1
    try:
        # Not asyncio.run, which waits for the library's threads before it gives back the word.
        asyncio.new_event_loop().run_until_complete(serve(server.protocol, stdin))  # type: ignore[arg-type]
    except (BrokenPipeError, KeyboardInterrupt):
        status = 1
    except SystemExit as exit_:
        status = exit_.code if isinstance(exit_.code, int) else 1
    # Threads of the library must not keep the process alive when the editor is gone.
    sys.stderr.flush()
    os._exit(status)
