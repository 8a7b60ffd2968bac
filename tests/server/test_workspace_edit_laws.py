"""What an editor makes of an edit is what the changes say, whatever unit it counts in."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from lsprotocol import converters

from memory_ls.changes.plan import CannotChangeError
from memory_ls.changes.rename import rename_memory
from memory_ls.directory.loader import load
from memory_ls.directory.style import style_of
from memory_ls.server.workspace_edit import workspace_edit
from tests.changes.applying import applied_to
from tests.changes.test_rename_laws import Drawn, directories
from tests.making import write_files
from tests.server.client import ENCODINGS
from tests.server.editor import apply_edit
from tests.server.test_workspace_edit import of, uri_of


@pytest.mark.parametrize("client", ["vscode", "neovim", "emacs"])
@settings(max_examples=30, deadline=None)
@given(directories())
def test_an_editor_makes_of_a_rename_what_it_is(client: str, drawn: Drawn) -> None:
    texts, key, new, by_stem = drawn
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder) / "memory", texts)
        directory = load(root, lenient=True)
        try:
            changes = rename_memory(directory, key, f"😀 {new}", style_of(directory), by_stem=by_stem)
        except CannotChangeError:
            assume(False)
        support = of(client)
        if not support.renames_files:
            changes = tuple(change for change in changes if change.new_path is None)
        edit = workspace_edit(changes, directory, support, uri_of, lambda uri: None)
        apply_edit(json.loads(json.dumps(converters.get_converter().unstructure(edit))), ENCODINGS[client])
        files = (path for path in root.rglob("*") if path.is_file())
        now = {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}
    assert now == applied_to(texts, changes)
