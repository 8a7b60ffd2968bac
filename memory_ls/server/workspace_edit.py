"""Changes as the edit that a client carries out, with nothing in it that the client did not declare.

A client gets all of it or an error: half of a rename would leave links that lead nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import quote

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind, combined
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.edits import CannotEditError, Edit, in_order
from memory_ls.documents.index import INDEX_NAME
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.session import Place
from memory_ls.text import PositionEncoding, SourceText

VersionOf = Callable[[str], int | None]

_DELETION = "deletion"


def refused(message: str, kind: str = "invalid") -> JsonRpcException:
    """The error for what is asked for and can't be done; ``message`` is a sentence for the user."""
    return JsonRpcException(message, types.LSPErrorCodes.RequestFailed.value, {"kind": kind})


def workspace_edit(
    changes: Iterable[Change],
    directory: MemoryDirectory,
    support: ClientSupport,
    uri_of: UriOf,
    version_of: VersionOf,
) -> types.WorkspaceEdit:
    """All ``changes``, made from ``directory``, as one edit.

    ``version_of`` tells the version of a document by its URI, ``None`` when the client does not have it open. Texts are
    edited first and under their old names, then files renamed, made and deleted, in this order.

    Raises:
        JsonRpcException: the client can't do it, a text is no longer what the change was made from, or a file is in the
            way. The message says so.
    """
    by_path: dict[str, list[Change]] = {}
    for change in changes:
        by_path.setdefault(change.path, []).append(change)
    maker = _Maker(directory, support, uri_of, version_of)
    try:
        for path, several in by_path.items():
            [file] = combined(several)  # whether all of them can be done together
            edits = in_order(edit for change in several for edit in change.edits)
            maker.add(path, file.kind, file.before, edits, file.new_path)
    except (CannotChangeError, CannotEditError) as error:
        raise refused(str(error)) from None
    return maker.result()


def uris_of(place: Place, uri_of: UriOf) -> UriOf:
    """As ``uri_of``, with the document ``place`` called what the client called it when it asked; it may be no file."""
    return lambda directory, key: place.uri if key == place.key else uri_of(directory, key)


class _Maker:
    """Gathers the parts of one edit."""

    def __init__(
        self, directory: MemoryDirectory, support: ClientSupport, uri_of: UriOf, version_of: VersionOf
    ) -> None:
        self._directory = directory
        self._support = support
        self._uri_of = uri_of
        self._version_of = version_of
        self._texts: list[types.TextDocumentEdit] = []
        self._renamed: list[types.RenameFile] = []
        self._created: list[types.CreateFile | types.TextDocumentEdit] = []
        self._deleted: list[types.DeleteFile] = []

    def add(self, path: str, kind: ChangeKind, before: str | None, edits: Sequence[Edit], new_path: str | None) -> None:
        """Takes in what becomes of one file."""
        if kind is ChangeKind.CREATE:
            self._create(path, edits)
            return
        source = self._source(path, before)
        uri = self._uri_of(self._directory, path)
        if edits:
            self._texts.append(self._edit(uri, source, edits))
        if kind is ChangeKind.RENAME:
            assert new_path is not None
            self._rename(path, uri, new_path)
        elif kind is ChangeKind.DELETE:
            self._delete(path, uri)

    def _source(self, path: str, before: str | None) -> SourceText:
        """The text of a file that is to be changed."""
        directory = self._directory
        document = directory.document(path) or directory.others.get(path)
        if document is None or document.source.text != before:
            raise refused(f"{path or 'The document'} has changed in the meantime. Try again.", "changed")
        facts = directory.facts.get(path)
        if facts is not None and facts.bad_byte is not None:
            raise refused(f"{path} is not UTF-8: an edit would destroy the bytes that are not. Mend the file first.")
        return document.source

    def _edit(self, uri: str, source: SourceText, edits: Sequence[Edit]) -> types.TextDocumentEdit:
        encoding = self._support.encoding
        return types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, self._version_of(uri)),
            [text_edit(source, edit, encoding) for edit in edits],
        )

    def _rename(self, path: str, uri: str, new_path: str) -> None:
        self._must_be_able(self._support.renames_files, "rename", path)
        new_uri = _beside(uri, new_path) if _parent(path) == _parent(new_path) else None
        new_uri = new_uri or self._uri_of(self._directory, new_path)
        self._must_be_on_disk(path)
        self._must_be_free(new_path, new_uri, old=path)
        options = types.RenameFileOptions(overwrite=False, ignore_if_exists=False)
        self._renamed.append(types.RenameFile(uri, new_uri, options=options))

    def _create(self, path: str, edits: Sequence[Edit]) -> None:
        self._must_be_able(self._support.creates_files, "make", path)
        uri = self._uri_of(self._directory, path)
        self._must_be_free(path, uri)
        # There is no such file, as was just seen; but one that comes in between must not be emptied.
        self._created.append(types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)))
        if edits:
            self._created.append(self._edit(uri, SourceText(""), edits))

    def _delete(self, path: str, uri: str) -> None:
        self._must_be_able(self._support.deletes_files, "delete", path)
        self._must_be_on_disk(path)
        options = types.DeleteFileOptions(recursive=False, ignore_if_not_exists=False)
        annotation = _DELETION if self._support.annotates_changes else None
        self._deleted.append(types.DeleteFile(uri, options=options, annotation_id=annotation))

    def _must_be_able(self, is_able: bool, what: str, path: str) -> None:
        if not path:
            raise refused("The document is no file yet. Save it in a memory directory first.")
        if not is_able:
            raise refused(f"This editor can't {what} files for a language server, as {path} would need.")

    def _must_be_on_disk(self, path: str) -> None:
        if not os.path.lexists(self._directory.path_of(path)):
            raise refused(f"{path} is not on the disk yet. Save it first.", "unsaved")

    def _must_be_free(self, path: str, uri: str, old: str | None = None) -> None:
        """Makes sure that ``path`` is nobody's; on many systems a name that differs in case alone is the same file's."""
        there = self._directory.path_of(path)
        is_itself = old is not None and os.path.exists(there) and os.path.samefile(there, self._directory.path_of(old))
        is_there = os.path.lexists(there) and not is_itself
        if is_there or self._version_of(uri) is not None:
            raise refused(f"There is already a file {path}.")

    def result(self) -> types.WorkspaceEdit:
        """The edit, in the form that the client takes."""
        # What agents read first is written last, so that it never names what is not there yet.
        index_last = sorted(self._texts, key=lambda edit: edit.text_document.uri.endswith(f"/{INDEX_NAME}"))
        if not self._support.versioned_edits:
            return types.WorkspaceEdit(changes={edit.text_document.uri: _plain(edit) for edit in index_last})
        found = types.WorkspaceEdit(document_changes=[*index_last, *self._renamed, *self._created, *self._deleted])
        if self._deleted and self._support.annotates_changes:
            label = types.ChangeAnnotation("Delete the file", needs_confirmation=True)
            found.change_annotations = {_DELETION: label}
        return found


def text_edit(source: SourceText, edit: Edit, encoding: PositionEncoding) -> types.TextEdit:
    """An edit of a text as the client counts."""
    return types.TextEdit(convert.to_range(source, edit.span, encoding), edit.text)


def _plain(edit: types.TextDocumentEdit) -> list[types.TextEdit]:
    return [each for each in edit.edits if isinstance(each, types.TextEdit)]


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _beside(uri: str, path: str) -> str:
    """The URI of a file that lies in the same directory as ``uri``: whatever the client writes before it, stays."""
    return f"{uri.rpartition('/')[0]}/{quote(os.fsencode(path.rpartition('/')[2]))}"
