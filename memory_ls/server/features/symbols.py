"""Symbols: the outline of a document, and a search over all memories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, zip_longest
from pathlib import Path

from lsprotocol import types

from memory_ls.directory.listing import one_line, summary
from memory_ls.directory.search import is_called, memories
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Heading
from memory_ls.documents.index import IndexDocument, IndexEntry
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.session import Place
from memory_ls.text import SourceText, Span

# A longer list is of no use to anybody: who looks for something types on.
_MOST_FOUND = 100
_MOST_DETAIL = 100


@dataclass(slots=True)
class _Symbol:
    """One line of an outline. ``span`` grows with what lies below it, and ``name_span`` is what to go to."""

    name: str
    detail: str
    kind: types.SymbolKind
    span: Span
    name_span: Span
    level: int
    children: list[_Symbol] = field(default_factory=list)

    def cover_children(self) -> None:
        """Makes the span hold what it must: the name, and everything below."""
        for child in self.children:
            child.cover_children()
        inner = [self.name_span, *(child.span for child in self.children)]
        self.span = Span(
            min(self.span.start, *(span.start for span in inner)), max(self.span.end, *(span.end for span in inner))
        )


def outline(place: Place, support: ClientSupport) -> list[types.DocumentSymbol] | list[types.SymbolInformation]:
    """A memory with its headings below it, or the sections of the index with their entries."""
    document = place.document
    if isinstance(document, IndexDocument):
        parts = sorted((*_heading_symbols(document), *_entry_symbols(document)), key=lambda symbol: symbol.span.start)
        found = _nested(parts, document.source)
    else:
        root = _memory_symbol(place.key, document)
        if not support.has_markdown_features:
            root.children = _nested(_heading_symbols(document), document.source)
        found = [root]
    for symbol in found:
        symbol.cover_children()
    if support.nested_symbols:
        return [_to_nested(symbol, document.source, support) for symbol in found]
    return list(_to_flat(found, "", place, support))


def _memory_symbol(key: str, document: MemoryDocument) -> _Symbol:
    item = summary(key, document)
    description = one_line(item.description)
    detail = " — ".join(part for part in (item.type, description) if part)
    name_span = document.name_key.value_span if document.name_key else Span(0, 0)
    name = one_line(item.name) or "untitled"
    return _Symbol(name, detail, types.SymbolKind.File, Span(0, len(document.source)), name_span, 0)


# Below every heading.
_ENTRY_LEVEL = 7
# An outline of more lines helps nobody, and takes long to send.
_MOST_ENTRIES = 2_000


def _heading_symbols(document: MemoryDocument | IndexDocument) -> Iterator[_Symbol]:
    for heading in document.headings:
        yield _Symbol(
            _heading_name(heading), "", types.SymbolKind.String, heading.span, heading.text_span, heading.level
        )


def _heading_name(heading: Heading) -> str:
    """The text; of a heading without one its signs, since no symbol may be without a name."""
    return one_line(heading.text) or "#" * heading.level


def _entry_symbols(index: IndexDocument) -> Iterator[_Symbol]:
    for entry in islice(index.entries(), _MOST_ENTRIES):
        text = index.source.text
        span = Span(entry.link.start, max(entry.link.end, entry.description_span.end))
        detail = one_line(entry.description_span.of(text), _MOST_DETAIL)
        name = _entry_name(entry, text)
        yield _Symbol(name, detail, types.SymbolKind.File, span, entry.link.span, _ENTRY_LEVEL)


def _entry_name(entry: IndexEntry, text: str) -> str:
    return one_line(entry.link.label_span.of(text)) or one_line(entry.link.target) or entry.link.span.of(text)


def _nested(symbols: Iterable[_Symbol], source: SourceText) -> list[_Symbol]:
    """Symbols in the order of the text, each put below the last one before it that has a lower level."""
    top: list[_Symbol] = []
    above: list[_Symbol] = []
    for symbol in symbols:
        while above and above[-1].level >= symbol.level:
            _end_section(above.pop(), symbol.span.start, source)
        (above[-1].children if above else top).append(symbol)
        above.append(symbol)
    for symbol in above:
        _end_section(symbol, len(source), source)
    return top


def _end_section(symbol: _Symbol, end: int, source: SourceText) -> None:
    """Makes a heading reach over the text below it, up to the line on which ``end`` is."""
    if symbol.level < _ENTRY_LEVEL:
        start = symbol.span.start
        if end < len(source):
            end = source.line_starts[source.line_of(end)]  # what stands before the next heading (`> #`) is not ours
        symbol.span = Span(start, max(symbol.span.end, start + len(source.text[start:end].rstrip())))


def _to_nested(symbol: _Symbol, source: SourceText, support: ClientSupport) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=symbol.kind,
        range=convert.to_range(source, symbol.span, support.encoding),
        selection_range=convert.to_range(source, symbol.name_span, support.encoding),
        detail=symbol.detail or None,
        children=[_to_nested(child, source, support) for child in symbol.children] or None,
    )


def _to_flat(
    symbols: list[_Symbol], container: str, place: Place, support: ClientSupport
) -> Iterator[types.SymbolInformation]:
    for symbol in symbols:
        where = types.Location(place.uri, convert.to_range(place.document.source, symbol.span, support.encoding))
        yield types.SymbolInformation(where, symbol.name, symbol.kind, container_name=container or None)
        yield from _to_flat(symbol.children, symbol.name, place, support)


# ---- all memories


def search(
    directories: list[MemoryDirectory], query: str, support: ClientSupport, uri_of: UriOf
) -> list[types.SymbolInformation]:
    """The memories of all directories whose name, file name or else description is meant by ``query``, the best first.

    Headings are left out: to know them all, every text would have to be parsed.
    """
    best = [
        [(directory, key) for key in memories(directory, query, lambda key: True, _MOST_FOUND).keys]
        for directory in directories
    ]
    # A directory that has just what was typed comes first; apart from that, the best of every directory do.
    best.sort(key=lambda found: not any(is_called(directory, key, query) for directory, key in found[:1]))
    found = (each for row in zip_longest(*best) for each in row if each is not None)
    return [_found(directory, key, support, uri_of) for directory, key in islice(found, _MOST_FOUND)]


def _found(directory: MemoryDirectory, key: str, support: ClientSupport, uri_of: UriOf) -> types.SymbolInformation:
    document = directory.documents[key]
    item = summary(key, document)
    folder = "/".join([_short(directory.root), *key.split("/")[:-1]])
    span = document.name_key.value_span if document.name_key else Span(0, 0)
    return types.SymbolInformation(
        types.Location(uri_of(directory, key), convert.to_range(document.source, span, support.encoding)),
        one_line(item.name) or key,
        types.SymbolKind.File,
        container_name=" · ".join(part for part in (item.type and one_line(item.type), folder) if part),
    )


@lru_cache(maxsize=64)
def _short(root: str) -> str:
    """A directory by its own name and that of what it lies in, since several may be called `memory`."""
    return "/".join(Path(root).parts[-2:])
