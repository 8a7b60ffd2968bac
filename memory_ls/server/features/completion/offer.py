"""What all kinds of completion have in common: items that replace the same piece of a text."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types

from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.markup import plain
from memory_ls.server.session import Place
from memory_ls.text import Span

# A list of this length reaches the user at once; a longer one costs more to send than to ask for again.
MOST_ITEMS = 50

# What means something in a snippet (LSP 3.17, "Snippet Syntax").
_SNIPPET_SIGN = re.compile(r"[\\$}]")


class Offer:
    """Items that all replace ``span``, in which the cursor stands at ``cursor``; the best first."""

    def __init__(self, place: Place, span: Span, cursor: int, support: ClientSupport) -> None:
        self._support = support
        self._typed = place.document.source.text[span.start : cursor]
        self._range = convert.to_range(place.document.source, span, support.encoding)
        self._is_found_otherwise = False
        self.items: list[types.CompletionItem] = []

    def add(self, label: str, text: str, kind: types.CompletionItemKind, data: Any = None) -> types.CompletionItem:
        """Adds an item that puts ``text`` in the place, and which the editor may filter by its label."""
        if self._support.snippets and any(map(str.isspace, text)):
            # Neovim inserts of a plain text only what stands before its first space, and all of a snippet.
            return self.add_snippet(label, escaped(text), kind, data)
        return self._add(types.CompletionItem(label=label, kind=kind, data=data), text)

    def add_snippet(
        self, label: str, snippet: str, kind: types.CompletionItemKind, data: Any = None
    ) -> types.CompletionItem:
        """Adds an item that puts a snippet in the place; only for a client that knows them."""
        item = types.CompletionItem(label=label, kind=kind, data=data)
        item.insert_text_format = types.InsertTextFormat.Snippet
        return self._add(item, snippet)

    def add_found(self, label: str, text: str, kind: types.CompletionItemKind, data: Any) -> types.CompletionItem:
        """As :meth:`add`, an item that was found by what is typed, be it by another spelling or its description."""
        item = self.add(label, text, kind, data)
        if not label.startswith(self._typed):
            # The editor filters by this text, and would drop the item.
            item.filter_text = text if text.startswith(self._typed) else f"{self._typed} {label}"
            # For the same reason it must ask again when more is typed.
            self._is_found_otherwise |= item.filter_text != text
        return item

    def _add(self, item: types.CompletionItem, text: str) -> types.CompletionItem:
        item.sort_text = f"{len(self.items):03}"
        item.text_edit = types.TextEdit(self._range, text)
        self.items.append(item)
        return item

    def result(self, *, more: bool = False) -> types.CompletionList | None:
        """The list as the client takes it; ``more`` tells that what is typed next may bring other items."""
        if not self.items and not more:
            return None
        return types.CompletionList(more or self._is_found_otherwise, self.items)


def escaped(text: str) -> str:
    """``text`` as a snippet that inserts just it."""
    return _SNIPPET_SIGN.sub(r"\\\g<0>", text)


def documentation(text: str, support: ClientSupport) -> types.MarkupContent:
    """Markdown of ours as the client shows it beside an item."""
    if support.markdown_documentation:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain(text))
