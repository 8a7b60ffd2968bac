"""Files and directories that the editor moves or deletes: the links that go with them, before it does."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls.changes.moves import deleted, moved
from memory_ls.changes.plan import CannotChangeError, Change
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf, path_of
from memory_ls.server.held import Held
from memory_ls.server.workspace_edit import VersionOf, workspace_edit

log = logging.getLogger(__name__)

# Any file may be linked, and any directory may hold memories.
FILTERS = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)


def will_rename(
    every: Iterable[Held],
    files: Iterable[types.FileRename],
    support: ClientSupport,
    uri_of: UriOf,
    version_of: VersionOf,
) -> types.WorkspaceEdit | None:
    """What keeps links alive when ``files`` are moved; ``None`` where that is nothing."""
    moves = [(path_of(file.old_uri), path_of(file.new_uri)) for file in files]
    pairs = [(old, new) for old, new in moves if old is not None and new is not None and old != new]

    def changes(held: Held, directory: MemoryDirectory) -> Sequence[Change]:
        paths = _moves_in(held, pairs)
        return moved(directory, paths, held.style_in_use) if paths else ()

    return _edit_of_all(every, changes, support, uri_of, version_of)


def with_other_directories(
    edit: types.WorkspaceEdit,
    others: Iterable[Held],
    support: ClientSupport,
    uri_of: UriOf,
    version_of: VersionOf,
) -> types.WorkspaceEdit:
    """An edit that renames files, with the links to them in other directories; texts are edited first."""
    renames = [part for part in edit.document_changes or () if isinstance(part, types.RenameFile)]
    files = [types.FileRename(part.old_uri, part.new_uri) for part in renames]
    more = will_rename(others, files, support, uri_of, version_of) if files else None
    if more is not None:
        edit.document_changes = [*(more.document_changes or ()), *(edit.document_changes or ())]
    return edit


def will_delete(
    every: Iterable[Held],
    files: Iterable[types.FileDelete],
    support: ClientSupport,
    uri_of: UriOf,
    version_of: VersionOf,
) -> types.WorkspaceEdit | None:
    """What takes the entries of memories out of the index when ``files`` are deleted; ``None`` where that is nothing."""
    gone = [path for path in (path_of(file.uri) for file in files) if path is not None]

    def changes(held: Held, directory: MemoryDirectory) -> Sequence[Change]:
        paths = [path for path in (held.relative(path) for path in gone) if path is not None]
        return deleted(directory, paths) if paths else ()

    return _edit_of_all(every, changes, support, uri_of, version_of)


def _edit_of_all(
    every: Iterable[Held],
    changes: Callable[[Held, MemoryDirectory], Sequence[Change]],
    support: ClientSupport,
    uri_of: UriOf,
    version_of: VersionOf,
) -> types.WorkspaceEdit | None:
    """The changes in all directories as one edit.

    What can't be changed is left out: the editor goes ahead in any case, and an error of ours would only interrupt it.
    """
    edits = []
    for held in every:
        if held.directory is None:
            continue
        try:
            found = [change for change in changes(held, held.directory) if _is_text(held.directory, change.path)]
            if found:
                edits.append(workspace_edit(found, held.directory, support, uri_of, version_of))
        except (CannotChangeError, JsonRpcException):
            log.warning("The links in a directory could not follow files that the editor moves or deletes")
    return _joined(edits)


def _is_text(directory: MemoryDirectory, key: str) -> bool:
    facts = directory.facts.get(key)
    return facts is None or facts.bad_byte is None


def _joined(edits: Sequence[types.WorkspaceEdit]) -> types.WorkspaceEdit | None:
    if not edits:
        return None
    if edits[0].changes is not None:
        return types.WorkspaceEdit(
            changes={uri: texts for edit in edits for uri, texts in (edit.changes or {}).items()}
        )
    return types.WorkspaceEdit(document_changes=[part for edit in edits for part in edit.document_changes or ()])


def _moves_in(held: Held, pairs: Iterable[tuple[Path, Path]]) -> dict[str, str]:
    """The moves as one directory sees them, by paths relative to it."""
    paths: dict[str, str] = {}
    for old, new in pairs:
        before, after = _relative(held, old), _relative(held, new)
        if before is None or after is None:
            continue
        paths[before] = after
        if set(before.split("/")) == {".."}:  # the directory goes along
            there = _relative(held, new / os.path.relpath(held.path, old))
            paths |= {".": there} if there is not None else {}
    return paths


def _relative(held: Held, path: Path) -> str | None:
    """A path relative to the directory, ``../…`` outside of it; ``None`` where no relative path leads there."""
    inside = held.relative(path)
    if inside is not None:
        return inside
    try:
        return os.path.relpath(path, held.path).replace(os.sep, "/")
    except ValueError:  # another drive
        return None
