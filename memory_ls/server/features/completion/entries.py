"""Whole entries of the index, for the memories that it does not list yet."""

from __future__ import annotations

import re

from lsprotocol import types

from memory_ls.directory import search
from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import one_line, summary
from memory_ls.directory.writing import entry_text
from memory_ls.documents.index import IndexDocument
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.completion.gaps import behind_closing
from memory_ls.server.features.completion.offer import MOST_ITEMS, Offer
from memory_ls.server.session import Place
from memory_ls.text import Span

_ENTRY_START = re.compile(r"(\s*+(?:[-*+]|\d{1,9}[.)])\s++)\[?([^\[\]()]*)\Z")
_CLOSING_ONLY = re.compile(r"\]{0,2}[ \t]*(?:[\r\n]|\Z)")


def complete_entry(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """Entries, where the cursor is behind a bullet on a line that holds nothing else."""
    directory, index = place.directory, place.document
    assert isinstance(index, IndexDocument)
    text = index.source.text
    start = index.source.line_starts[index.source.line_of(offset)]
    bullet = _ENTRY_START.match(text[start:offset])
    if bullet is None or not _CLOSING_ONLY.match(text, offset) or _is_literal(index, offset):
        return None
    typed = bullet.group(2)
    found = search.memories(directory, typed, lambda key: not is_listed(directory, key), MOST_ITEMS)
    offer = Offer(place, Span(start + bullet.end(1), behind_closing(text, offset)), offset, support)
    for key in found.keys:
        entry = entry_text(directory, key, place.style)
        if entry is None:
            continue
        memory = summary(key, directory.documents[key])
        data = {"uri": place.uri, "key": key}
        item = offer.add(one_line(memory.name), entry, types.CompletionItemKind.File, data)
        item.filter_text = f"{text[start + bullet.end(1) : offset]}{item.label}"
        item.detail = memory.type
    # What is typed next is no part of the texts that the editor filters by, so it must ask again.
    return offer.result(more=found.more or bool(typed)) if offer.items or found.more else None


def _is_literal(index: IndexDocument, offset: int) -> bool:
    """Whether what is typed at ``offset`` is code or a comment, where no entry is an entry."""
    for comment in index.comments:
        # Nobody may have closed it yet.
        is_open = comment.span.end == offset and not comment.span.of(index.source.text).endswith("-->")
        if comment.span.start < offset < comment.span.end or is_open:
            return True
    return index.in_code(offset) or index.in_code(offset - 1)
