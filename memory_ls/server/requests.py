"""Which request is answered by which feature."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import quote

from lsprotocol import types

from memory_ls.server import convert
from memory_ls.server.expectations import texts_after
from memory_ls.server.features import (
    code_actions,
    code_lens,
    completion,
    definition,
    document_links,
    file_operations,
    hover,
    inlay_hints,
    references,
    rename,
    symbols,
)
from memory_ls.server.session import Place

if TYPE_CHECKING:
    from memory_ls.server.app import MemoryServer

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class _OfDocument(Protocol):
    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...


class _AtPosition(_OfDocument, Protocol):
    @property
    def position(self) -> types.Position: ...


def add_requests(server: MemoryServer) -> None:
    """Makes the server answer what is asked about documents.

    An answer waits until the directory was read, since editors ask when they have opened a document, and
    take what they get for the last word.
    """
    _add_places(server)
    _add_actions(server)
    _add_overviews(server)
    _add_resolves(server)
    _add_file_operations(server)


def _add_places(server: MemoryServer) -> None:
    """What is asked about a place in a document."""
    uri_of = server.session.uri_of

    async def at(params: _AtPosition, answer: Callable[[Place, int], _Result]) -> _Result | None:
        place = await server.session.placed(params.text_document.uri)
        if place is None:
            return None
        return answer(place, convert.to_offset(place.document.source, params.position, server.support.encoding))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION,
        types.CompletionOptions(trigger_characters=completion.TRIGGERS, resolve_provider=True),
    )
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        return await at(params, lambda place, offset: completion.complete(place, offset, server.support))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def show_hover(params: types.HoverParams) -> types.Hover | None:
        return await at(params, lambda place, offset: hover.hover(place, offset, server.support))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def define(params: types.DefinitionParams) -> list[types.Location] | list[types.LocationLink] | None:
        return await at(params, lambda place, offset: definition.define(place, offset, server.support, uri_of))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def refer(params: types.ReferenceParams) -> list[types.Location] | None:
        declared = params.context.include_declaration
        return await at(
            params,
            lambda place, offset: references.references(
                place, offset, server.support, uri_of, with_declaration=declared
            ),
        )

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight] | None:
        return await at(params, lambda place, offset: references.highlights(place, offset, server.support))

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        return await at(params, lambda place, offset: rename.prepare_rename(place, offset, server.support))

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename_all(params: types.RenameParams) -> types.WorkspaceEdit | None:
        version_of = server.session.version_of

        def answer(place: Place, offset: int) -> types.WorkspaceEdit | None:
            edit = rename.rename(place, offset, params.new_name, server.support, uri_of, version_of)
            if edit is None:
                return None
            others = [held for held in server.session.held() if held.directory is not place.directory]
            return file_operations.with_other_directories(edit, others, server.support, uri_of, version_of)

        edit = await at(params, answer)
        _expect(server, edit)
        return edit


def _add_actions(server: MemoryServer) -> None:
    """What is offered to be done about a place."""
    session = server.session

    def client() -> code_actions.Client:
        return code_actions.Client(server.support, session.uri_of, session.version_of)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(code_actions.KINDS), resolve_provider=True),
    )
    async def offer(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        place = await session.placed(params.text_document.uri)
        if place is None:
            return None
        asked = code_actions.asked_by(place, session.findings(place.uri), params, server.support)
        actions = code_actions.code_actions(asked, params.context.diagnostics, client())
        for action in actions:
            _expect(server, action.edit)  # whichever of them it is
        return actions

    @server.feature(types.CODE_ACTION_RESOLVE)
    def resolve_action(action: types.CodeAction) -> types.CodeAction:
        uri = action.data.get("uri") if isinstance(action.data, dict) else None
        place = session.place(uri) if isinstance(uri, str) else None
        findings = session.findings(place.uri) if place is not None else []
        resolved = code_actions.resolve(place, findings, action, client())
        _expect(server, resolved.edit)
        return resolved


def _add_overviews(server: MemoryServer) -> None:
    """What is asked of a whole document, or of all."""
    uri_of = server.session.uri_of

    async def of_all(params: _OfDocument, answer: Callable[[Place], _Result]) -> _Result | None:
        place = await server.session.placed(params.text_document.uri)
        return answer(place) if place is not None else None

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def link(params: types.DocumentLinkParams) -> list[types.DocumentLink] | None:
        return await of_all(params, lambda place: document_links.document_links(place, server.support, uri_of))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(
        params: types.DocumentSymbolParams,
    ) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
        return await of_all(params, lambda place: symbols.outline(place, server.support))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def count(params: types.CodeLensParams) -> list[types.CodeLens] | None:
        return await of_all(params, lambda place: code_lens.lenses(place, server.support))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hint(params: types.InlayHintParams) -> list[types.InlayHint] | None:
        return await of_all(params, lambda place: inlay_hints.inlay_hints(place, params.range, server.support))

    @server.feature(types.WORKSPACE_SYMBOL)
    async def search(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        await server.session.ready()
        return symbols.search(server.session.loaded(), params.query, server.support, uri_of)


def _add_resolves(server: MemoryServer) -> None:
    """What completes an answer that was given in short."""

    def place_in(data: object) -> Place | None:
        uri = data.get("uri") if isinstance(data, dict) else None
        return server.session.place(uri) if isinstance(uri, str) else None

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    def resolve_item(item: types.CompletionItem) -> types.CompletionItem:
        place = place_in(item.data)
        return completion.resolve(place, item, server.support) if place else item

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve_lens(lens: types.CodeLens) -> types.CodeLens:
        return code_lens.resolve(place_in(lens.data), lens, server.support, server.session.uri_of)


def _add_file_operations(server: MemoryServer) -> None:
    """What the editor tells when its user moves, makes or deletes files."""
    session = server.session

    @server.feature(types.WORKSPACE_WILL_RENAME_FILES, file_operations.FILTERS)
    async def will_rename(params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
        await session.ready()
        edit = file_operations.will_rename(
            session.held(), params.files, server.support, session.uri_of, session.version_of
        )
        _expect(server, edit, {file.old_uri: file.new_uri for file in params.files})
        return edit

    @server.feature(types.WORKSPACE_WILL_DELETE_FILES, file_operations.FILTERS)
    async def will_delete(params: types.DeleteFilesParams) -> types.WorkspaceEdit | None:
        await session.ready()
        edit = file_operations.will_delete(
            session.held(), params.files, server.support, session.uri_of, session.version_of
        )
        _expect(server, edit, dict.fromkeys(file.uri for file in params.files))
        return edit

    def changed(*uris: str) -> None:
        # Also what nobody announced, as when the user takes back a move: it is the editor's own all the same.
        session.expect(_on_disk(uris))
        session.disk_changed([path for path in map(convert.path_of, uris) if path is not None])

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, file_operations.FILTERS)
    def did_rename(params: types.RenameFilesParams) -> None:
        changed(*(uri for file in params.files for uri in (file.old_uri, file.new_uri)))

    @server.feature(types.WORKSPACE_DID_CREATE_FILES, file_operations.FILTERS)
    def did_create(params: types.CreateFilesParams) -> None:
        changed(*(file.uri for file in params.files))

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, file_operations.FILTERS)
    def did_delete(params: types.DeleteFilesParams) -> None:
        changed(*(file.uri for file in params.files))


def _on_disk(uris: Iterable[str]) -> dict[str, str | None]:
    """The texts of files as they are now, ``None`` where there is none; without what is no text."""
    texts: dict[str, str | None] = {}
    for uri in uris:
        path = convert.path_of(uri)
        try:
            if path is not None and not path.is_dir():
                texts[uri] = path.read_bytes().decode("utf-8-sig") if path.exists() else None
        except (OSError, UnicodeDecodeError) as error:
            log.info("A file that the editor moved or made could not be read: %s", type(error).__name__)
    return texts


def _expect(
    server: MemoryServer, edit: types.WorkspaceEdit | None, moves: Mapping[str, str | None] | None = None
) -> None:
    """Lets it be known that the client is about to carry out ``edit``, and then to move files, or delete them."""
    session = server.session

    def text_of(uri: str) -> str | None:
        place = session.place(uri)
        return place.document.source.text if place is not None else None

    if edit is None and not moves:
        return
    texts = texts_after(edit or types.WorkspaceEdit(), text_of, server.support.encoding)
    for old, new in (moves or {}).items():
        for below, text in session.texts_below(old).items():
            file = old + quote(below)
            if new is not None:
                texts[new + quote(below)] = texts.get(file) or text
            texts[file] = None
    session.expect(texts)
