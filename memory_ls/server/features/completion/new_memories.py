"""A whole new memory, on top of a file that has no frontmatter yet."""

from __future__ import annotations

import re
from datetime import date

from lsprotocol import types

from memory_ls.directory.new_memory import HOLE, Piece, new_memory, new_name
from memory_ls.documents.memory import Dialect
from memory_ls.documents.names import MEMORY_TYPES, without_type_prefix
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.about import TYPE_TEXTS
from memory_ls.server.features.completion.offer import Offer, documentation, escaped
from memory_ls.server.session import Place
from memory_ls.text import Span

# A word, or the first line of a block.
_TYPED = re.compile(r"-{1,3}\Z|\w*\Z")
_REST_OF_LINE_IS_BLANK = re.compile(r"[ \t]*(?:[\r\n]|\Z)")


def complete_new_memory(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """A new memory of each type, where nothing stands before the cursor but what asks for one."""
    if place.document.frontmatter is not None:
        return None
    source = place.document.source
    text = source.text
    start = source.line_starts[source.line_of(offset)]
    start += text.startswith("\ufeff", start)
    typed = text[start:offset]
    if text[:start].strip("\ufeff \t\r\n") or not _TYPED.match(typed):
        return None
    rest = text[offset:]
    # A word before others is prose; `---` on a line of its own is not.
    if rest.strip() and typed and (typed[0] != "-" or not _REST_OF_LINE_IS_BLANK.match(rest)):
        return None
    offer = Offer(place, Span(start, offset), offset, support)
    for kind in _kinds(place):
        pieces = new_memory(new_name(place.directory, place.key, place.style), kind, place.style, date.today())
        label = "New memory" if place.style.dialect is Dialect.BARE else f"New {kind} memory"
        item = _add(offer, label, pieces, text, support)
        item.detail = "the frontmatter, and what belongs below it"
        item.documentation = documentation(TYPE_TEXTS[kind], support)
        if typed.startswith("-"):
            item.filter_text = f"--- {label}"
        if text[:start].strip("\ufeff"):
            # Frontmatter begins on the first line.
            begin = int(text.startswith("\ufeff"))
            blank = convert.to_range(source, Span(begin, start), support.encoding)
            item.additional_text_edits = [types.TextEdit(blank, "")]
    return offer.result()


def _kinds(place: Place) -> tuple[str, ...]:
    """The types of memory, the one that the file's name begins with first."""
    if place.style.dialect is Dialect.BARE:
        return ("project",)
    stem = place.key.rpartition("/")[2]
    prefixed = [kind for kind in MEMORY_TYPES if stem.lower().startswith(kind) and without_type_prefix(stem)]
    return tuple(dict.fromkeys((*prefixed, *MEMORY_TYPES)))


def _add(offer: Offer, label: str, pieces: list[Piece], text: str, support: ClientSupport) -> types.CompletionItem:
    if not support.snippets:
        whole = "".join(piece or "" for piece in pieces)
        line_end = "\r\n" if "\r\n" in text else "\n"
        return offer.add(label, whole.replace("\n", line_end), types.CompletionItemKind.Snippet)
    holes = pieces.count(HOLE)
    numbers = iter([*range(1, holes), 0])  # the last is where the cursor stays
    snippet = "".join(f"${next(numbers)}" if piece is HOLE else escaped(piece or "") for piece in pieces)
    return offer.add_snippet(label, snippet, types.CompletionItemKind.Snippet)
