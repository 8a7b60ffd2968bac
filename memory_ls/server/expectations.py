"""What files will hold once a client has carried out an edit that was made for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lsprotocol import types

from memory_ls.documents.edits import Edit, applied
from memory_ls.server.convert import to_offset
from memory_ls.text import PositionEncoding, SourceText

TextOf = Callable[[str], str | None]


def texts_after(edit: types.WorkspaceEdit, text_of: TextOf, encoding: PositionEncoding) -> dict[str, str | None]:
    """The texts by URI, ``None`` for files that go; ``text_of`` tells what is there now."""
    texts: dict[str, str | None] = {}

    def now(uri: str) -> str | None:
        return texts[uri] if uri in texts else text_of(uri)

    for uri, edits in (edit.changes or {}).items():
        texts[uri] = _edited(now(uri), edits, encoding)
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit):
            edits = [each for each in change.edits if isinstance(each, types.TextEdit)]
            texts[change.text_document.uri] = _edited(now(change.text_document.uri), edits, encoding)
        elif isinstance(change, types.RenameFile):
            texts[change.new_uri], texts[change.old_uri] = now(change.old_uri), None
        elif isinstance(change, types.CreateFile):
            texts[change.uri] = ""
        else:
            texts[change.uri] = None
    return texts


def _edited(text: str | None, edits: Iterable[types.TextEdit], encoding: PositionEncoding) -> str | None:
    """A text after edits that all count in it as it was."""
    if text is None:
        return None
    source = SourceText(text)
    return applied(
        text,
        (
            Edit(
                to_offset(source, each.range.start, encoding),
                to_offset(source, each.range.end, encoding),
                each.new_text,
            )
            for each in edits
        ),
    )
