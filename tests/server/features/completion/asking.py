"""Asks for completions: a running server as its clients do, or the functions themselves, and applies what they offer.

In a text the cursor is the ``‸``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from lsprotocol import types

from memory_ls.directory.style import Style, style_of
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features import completion
from memory_ls.server.session import Place
from memory_ls.settings import Settings
from memory_ls.text import PositionEncoding
from tests.making import directory_of, memory, write_files
from tests.server.client import JSON, Client
from tests.server.positions import lines, place, position

FILES = {
    "ferry.md": memory("ferry", "The boat that leaves at six", body="It leaves at six.\n\n## Why\n\nTides.\n"),
    "user_role.md": memory("user_role", "Who she is", "user", body="She leads.\n"),
    "berth-codes.md": memory("berth-codes", "What a code means", "reference", body="Two letters.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "MEMORY.md": "- [ferry](ferry.md) — the boat\n- [user_role](user_role.md)\n- [停航](停航.md)\n",
}


def quay(root: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    """A memory directory below ``root``."""
    return write_files(root / "memory", files)


def body(text: str) -> str:
    """A memory with this text."""
    return memory("writing", body=f"{text}\n")


# ---- over the wire


def complete(client: Client, path: Path, marked: str) -> JSON | None:
    """What is offered at the cursor in a text."""
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = position(text, offset, client.encoding)
    result: JSON | None = client.at("completion", name, where["line"], where["character"])
    return result


def labels(result: JSON | None) -> list[str]:
    return [item["label"] for item in result["items"]] if result else []


def inserted(client: Client, marked: str, item: JSON) -> str:
    """The text after an item was chosen, in lines that end alike."""
    return applied(marked.replace("‸", ""), item["textEdit"], client.encoding, item.get("insertTextFormat") == 2)


def applied(text: str, edit: JSON, encoding: str, is_snippet: bool = False) -> str:
    """A text after an edit on one line, in lines that end alike; of a snippet nothing is typed at its stops."""
    line, start = place(text, edit["range"]["start"], encoding)
    end_line, end = place(text, edit["range"]["end"], encoding)
    assert line == end_line, "a client takes only edits on one line"
    new = re.sub(r"\\([\\$}])|\$\d+", r"\1", edit["newText"]) if is_snippet else edit["newText"]
    rows = lines(text)
    rows[line] = rows[line][:start] + new + rows[line][end:]
    return "\n".join(rows)


# ---- the functions themselves


class Desk:
    """A text in a directory, and what is offered at its cursor."""

    def __init__(
        self,
        key: str,
        marked: str,
        texts: Mapping[str, str],
        *,
        files: Iterable[str] = (),
        support: ClientSupport = ClientSupport(snippets=True),  # noqa: B008 (it is frozen)
        settings: Settings = Settings(),  # noqa: B008 (so is this)
        style: Style | None = None,
    ) -> None:
        self.key = key
        self.support = support
        self.text = marked.replace("‸", "")
        self.texts = {**texts, key: self.text}
        self.directory = directory_of(self.texts, files=files)
        document = self.directory.document(key) or self.directory.others[key]
        uri = f"file:///w/quay/memory/{key}"
        self.place = Place(self.directory, settings, key, uri, document, style or style_of(self.directory))
        found = completion.complete(self.place, marked.index("‸"), support)
        self.items = found.items if found is not None else []
        self.is_incomplete = found is not None and found.is_incomplete

    @property
    def labels(self) -> list[str]:
        return [item.label for item in self.items]

    def item(self, label: str) -> types.CompletionItem:
        [item] = [item for item in self.items if item.label == label]
        return item

    def after(self, item: types.CompletionItem | str) -> str:
        """The text after an item was chosen."""
        chosen = self.item(item) if isinstance(item, str) else item
        edit = chosen.text_edit
        assert isinstance(edit, types.TextEdit)
        encoding = self.support.encoding.value
        is_snippet = chosen.insert_text_format is types.InsertTextFormat.Snippet
        assert self.support.snippets or not is_snippet
        text = applied(self.text, _json(edit), encoding, is_snippet)
        for more in chosen.additional_text_edits or []:
            begin, end = more.range.start, more.range.end
            assert (begin.line, begin.character, end.character, more.new_text) == (0, 0, 0, "")
            text = "\n".join(lines(text)[end.line :])
        return text

    def line_after(self, item: types.CompletionItem | str) -> str:
        """The line of the cursor after an item was chosen."""
        chosen = self.item(item) if isinstance(item, str) else item
        assert chosen.text_edit is not None
        assert isinstance(chosen.text_edit, types.TextEdit)
        return lines(self.after(chosen))[chosen.text_edit.range.start.line]


def _json(edit: types.TextEdit) -> JSON:
    ends = {"start": edit.range.start, "end": edit.range.end}
    return {
        "newText": edit.new_text,
        "range": {name: {"line": end.line, "character": end.character} for name, end in ends.items()},
    }


ENCODINGS = tuple(PositionEncoding)
