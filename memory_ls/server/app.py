"""The server: which methods it answers, each handed to the function that knows."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer

from memory_ls import __version__
from memory_ls.server import convert, parent
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.commands import COMMANDS, Commands
from memory_ls.server.diagnostics import PulledDiagnostics, converted
from memory_ls.server.keeping import JournalKeeper
from memory_ls.server.log import log_to_stderr
from memory_ls.server.progress import ProgressReports
from memory_ls.server.protocol import MemoryProtocol, converter, without_text
from memory_ls.server.registrations import Registrations, file_watchers
from memory_ls.server.requests import add_requests
from memory_ls.server.session import Session
from memory_ls.server.transport import serve_pipes, serve_tcp
from memory_ls.server.watching import Watcher
from memory_ls.server.workspace import SECTION
from memory_ls.store.store import Store

log = logging.getLogger(__name__)


# Tells a client that lists memories to ask for them again.
CHANGED = "memoryLs/changed"
# How long, in seconds, a client has to say that it watches files before the server does.
_PATIENCE = 3.0
# How long, in seconds, a thread may work on while another one waits for its turn: less than Python's own 5 ms.
_SWITCH = 0.001
# When to look for garbage in what is young, older and old. A look at all that thousands of memories consist of holds
# everything up for a tenth of a second, and finds nothing: what goes is gone without it, and what is new is looked at.
_COLLECTIONS = (5_000, 5, 2_000)


class MemoryServer(LanguageServer):
    """The language server and its session."""

    def __init__(self) -> None:
        super().__init__(
            "memory-ls",
            __version__,
            protocol_cls=MemoryProtocol,
            converter_factory=converter,
            text_document_sync_kind=types.TextDocumentSyncKind.Full,
        )
        self.support = ClientSupport()
        self.shown_progress = ProgressReports(self.protocol.notify, self.ask)
        keeper = JournalKeeper(self._tell)
        self.session = Session(self._publish, self._watch, self._refresh_shown, self._show_progress, keeper)
        self.pulled: PulledDiagnostics | None = None
        self.registrations = Registrations(self.ask)
        self._watcher = Watcher(self.session.disk_changed, self.session.rescan)
        # The requests to ask again that the client has not answered, and whether there is news since.
        self._refreshing: dict[str, bool] = {}
        self._plans: set[Path] = set()  # the directories of plans that the client watches
        assert isinstance(self.protocol, MemoryProtocol)
        self.protocol.offer = self._offer
        self.protocol.execute = Commands(self.session, self.shown_progress, self._tell_changed).execute
        self.protocol.cancel_progress = self.shown_progress.cancel

    def meet(self, params: types.InitializeParams) -> None:
        """Takes in what the client is and can."""
        self.support = ClientSupport.of(params)
        self.shown_progress.is_shown = self.support.shows_progress
        if self.support.pulls_diagnostics:
            self.pulled = PulledDiagnostics(self.support, lambda: self._refresh(types.WORKSPACE_DIAGNOSTIC_REFRESH))
        self.session.configure(_folders(params), params.initialization_options)
        self.session.encoding = self.support.encoding
        self.session.complete = self.ask_and_wait if self.session.workspace.completes else None
        parent.watch(params.process_id)

    def start(self) -> None:
        """Begins to look for memories, and asks the client for what it keeps."""
        self.session.start()
        if self.support.registers_configuration:
            options = types.DidChangeConfigurationRegistrationOptions(SECTION)
            self.registrations.register(types.WORKSPACE_DID_CHANGE_CONFIGURATION, options)
        self.ask_for_settings()

    def stop(self) -> None:
        """Ends all that goes on in the background."""
        self.session.close()
        self._watcher.close()

    def ask(
        self,
        method: str,
        params: object = None,
        then: Callable[[Any], None] | None = None,
        refused: Callable[[], None] | None = None,
    ) -> None:
        """Sends a request of ours; ``then`` gets the answer, and ``refused`` hears when there is an error instead."""

        def answered(future: Future[Any]) -> None:
            try:
                if future.cancelled() or future.exception() is not None:
                    if refused is not None:
                        refused()
                elif then is not None:
                    then(future.result())
            except Exception as error:  # nobody else would hear of it without the text of its message
                log.error("An answer could not be handled: %s", without_text(error))

        self.protocol.send_request(method, params).add_done_callback(answered)

    async def ask_and_wait(self, method: str, params: object) -> object:
        """Sends a request of ours and gives the answer; when nobody waits for that any more, the client may stop.

        Raises:
            JsonRpcException: the client answered with an error.
        """
        message_id = f"memory-ls-{uuid.uuid4()}"
        try:
            return await self.protocol.send_request_async(method, params, message_id)
        except asyncio.CancelledError:
            self.protocol.notify(types.CANCEL_REQUEST, types.CancelParams(message_id))
            raise

    def ask_for_settings(self) -> None:
        """Asks for the settings, where the client has them for those who ask."""
        if self.support.has_configuration:
            items = [types.ConfigurationItem(section=SECTION)]
            self.ask(
                types.WORKSPACE_CONFIGURATION,
                types.ConfigurationParams(items),
                lambda answer: self.session.settings_given(answer[0] if answer else None),
            )

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Writes to the log only: a fault of ours is nothing to interrupt the user with."""
        # Of what was refused the client has its answer.
        if not isinstance(error, JsonRpcException) or error.code == types.ErrorCodes.InternalError:
            log.error("%s", without_text(error))

    def _offer(self, capabilities: types.ServerCapabilities) -> None:
        """Sets what pygls leaves out, and takes back what this client is not to use."""
        capabilities.execute_command_provider = types.ExecuteCommandOptions(list(COMMANDS), work_done_progress=True)
        if not self.support.code_action_kinds:
            capabilities.code_action_provider = None
        capabilities.diagnostic_provider = None
        if self.pulled is not None:
            capabilities.diagnostic_provider = types.DiagnosticOptions(
                identifier=convert.SOURCE, inter_file_dependencies=True, workspace_diagnostics=True
            )

    def _publish(self, findings: convert.Findings) -> None:
        if self.pulled is not None:
            self.pulled(findings)
            return
        params = types.PublishDiagnosticsParams(findings.uri, converted(findings, self.support), findings.version)
        self.text_document_publish_diagnostics(params)

    def _watch(self, directories: frozenset[str]) -> None:
        if self.support.watches_files:
            roots = [held.path for held in self.session.held()]
            # Another server, or the command line, may plan something, or apply what waits.
            self._plans = {Store(root).plans_path for root in roots if self.support.hears_changes}
            watchers = file_watchers(self.session.workspace.folders, roots, self._plans)
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            # Who neither agrees nor refuses does not watch either.
            timer = asyncio.get_running_loop().call_later(_PATIENCE, self._watcher.watch, directories)

            def agreed(_: object) -> None:
                timer.cancel()
                self._watcher.close()
                self.session.rescan()  # what happened until the client began to watch, it does not tell

            def refused() -> None:
                timer.cancel()
                self._watcher.watch(directories)

            self.registrations.register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options, agreed, refused)
        else:
            self._watcher.watch(directories)

    def disk_changed(self, paths: Iterable[Path]) -> None:
        """The client tells of files that changed."""
        paths = set(paths)
        plans = {path for path in paths if self._plans & {path, path.parent}}
        if plans:
            self._tell_changed()
        self.session.disk_changed(paths - plans)

    def _tell(self, sentence: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def _show_progress(self, title: str) -> AbstractAsyncContextManager[None]:
        return self.shown_progress.of(title, cancellable=False)

    def _refresh_shown(self) -> None:
        """Has the client ask again for what it shows between the lines, since that changes with other files."""
        if self.support.refreshes_code_lenses:
            self._refresh(types.WORKSPACE_CODE_LENS_REFRESH)
        if self.support.refreshes_inlay_hints:
            self._refresh(types.WORKSPACE_INLAY_HINT_REFRESH)
        self._tell_changed()

    def _tell_changed(self) -> None:
        if self.support.hears_changes:
            self.protocol.notify(CHANGED, {})

    def _refresh(self, method: str) -> None:
        """Has the client ask again; once more when it has answered, where there was news in the meantime."""
        if method in self._refreshing:
            self._refreshing[method] = True
            return

        def answered(*_: object) -> None:
            if self._refreshing.pop(method):
                self._refresh(method)

        self._refreshing[method] = False
        self.ask(method, None, answered, answered)


def create() -> MemoryServer:
    """A server with all its methods, not yet connected to anything."""
    server = MemoryServer()
    _add_life_cycle(server)
    _add_sync(server)
    _add_diagnostics(server)
    add_requests(server)
    return server


def _add_life_cycle(server: MemoryServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.meet(params)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        server.start()

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.stop()


def _folders(params: types.InitializeParams) -> list[Path]:
    uris = [folder.uri for folder in params.workspace_folders or []]
    if not uris and params.root_uri:
        uris = [params.root_uri]
    elif not uris and params.root_path and os.path.isabs(params.root_path):
        uris = [convert.uri_of(params.root_path)]
    return _paths(uris)


def _paths(uris: Iterable[str]) -> list[Path]:
    return [path for path in map(convert.path_of, uris) if path is not None]


def _add_sync(server: MemoryServer) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        session.opened(document.uri, document.version, document.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        # We ask for all of the text with each change, but a client that sends ranges must not lose its document.
        text = convert.with_changes(session.text_of(document.uri), params.content_changes, server.support.encoding)
        if text is not None:
            session.changed(document.uri, document.version, text)
        elif params.content_changes:
            log.warning("A change of a part of a document that is not open was ignored")

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        session.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.disk_changed(_paths(change.uri for change in params.changes))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        # Some send the settings themselves, others only tell that there is something to ask for.
        session.settings_given(params.settings)
        server.ask_for_settings()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        added, removed = params.event.added, params.event.removed
        session.folders_changed(_paths(each.uri for each in added), _paths(each.uri for each in removed))


def _add_diagnostics(server: MemoryServer) -> None:
    def pulled(method: str) -> PulledDiagnostics:
        if server.pulled is None:  # this client is told without asking, and must not be told twice
            raise JsonRpcMethodNotFound.of(method)
        return server.pulled

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def document_diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        kept = pulled(types.TEXT_DOCUMENT_DIAGNOSTIC)
        return kept.document(await server.session.looked_at(params.text_document.uri), params.previous_result_id)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        kept = pulled(types.WORKSPACE_DIAGNOSTIC)
        previous = {each.uri: each.value for each in params.previous_result_ids}
        token = params.partial_result_token
        if token is not None:
            # A client that takes the answer in parts gets a part whenever there is news.
            await kept.stream(
                previous,
                lambda news: server.protocol.notify(
                    types.PROGRESS, types.ProgressParams(token, types.WorkspaceDiagnosticReportPartialResult(news))
                ),
            )
        await server.session.ready()
        return types.WorkspaceDiagnosticReport(kept.workspace(previous))


def _log_without_text(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs what failed in the background; asyncio would log the message of the error too."""
    error = context.get("exception")
    log.error("%s", without_text(error) if error is not None else context.get("message"))


def run(address: tuple[str, int] | None = None) -> NoReturn:
    """Serves one client until it leaves, and ends the process with the exit status.

    Over standard input and output, or with ``address`` over TCP, there for the first who connects.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    log_to_stderr()
    # A thread that works holds up the loop for so long, each time that the loop waits for it.
    sys.setswitchinterval(_SWITCH)
    gc.set_threshold(*_COLLECTIONS)
    protocol = create().protocol
    assert isinstance(protocol, MemoryProtocol)
    try:
        # Not asyncio.run, which waits for the library's threads before it gives back the word.
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(_log_without_text)
        status = loop.run_until_complete(serve_tcp(protocol, *address) if address else serve_pipes(protocol))
    except KeyboardInterrupt:
        status = 1
    except OSError as error:
        print(f"memory-ls: {error.strerror or error}", file=sys.stderr)
        status = 2
    # Threads of the library must not keep the process alive when the editor is gone.
    os._exit(status)
