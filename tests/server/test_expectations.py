"""What an edit will make of files is told beforehand: the same as an editor makes of them."""

from __future__ import annotations

import pytest
from lsprotocol import types

from memory_ls.server.expectations import texts_after
from memory_ls.text import PositionEncoding

FERRY = "file:///m/ferry.md"
BOAT = "file:///m/boat.md"
TEXTS = {FERRY: "😀 漢 one\r\ntwo\n"}


def edit(line: int, start: int, end: int, text: str) -> types.TextEdit:
    return types.TextEdit(types.Range(types.Position(line, start), types.Position(line, end)), text)


def document_edit(uri: str, *edits: types.TextEdit) -> types.TextDocumentEdit:
    return types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri, None), list(edits))


@pytest.mark.parametrize(
    ("encoding", "start"), [(PositionEncoding.UTF8, 9), (PositionEncoding.UTF16, 5), (PositionEncoding.UTF32, 4)]
)
def test_edits_count_in_the_text_as_it_was(encoding: PositionEncoding, start: int) -> None:
    edits = [edit(1, 0, 3, "2"), edit(0, start, start + 3, "eins zwei")]
    wanted = {FERRY: "😀 漢 eins zwei\r\n2\n"}
    assert texts_after(types.WorkspaceEdit(changes={FERRY: edits}), TEXTS.get, encoding) == wanted
    parts = types.WorkspaceEdit(document_changes=[document_edit(FERRY, *edits)])
    assert texts_after(parts, TEXTS.get, encoding) == wanted


def test_files_are_renamed_made_and_deleted_in_order() -> None:
    parts = types.WorkspaceEdit(
        document_changes=[
            document_edit(FERRY, edit(1, 0, 3, "2")),
            types.RenameFile(FERRY, BOAT),
            types.CreateFile("file:///m/new.md"),
            document_edit("file:///m/new.md", edit(0, 0, 0, "New.\n")),
            types.DeleteFile("file:///m/old.md"),
        ]
    )
    assert texts_after(parts, TEXTS.get, PositionEncoding.UTF16) == {
        FERRY: None,
        BOAT: "😀 漢 one\r\n2\n",
        "file:///m/new.md": "New.\n",
        "file:///m/old.md": None,
    }
