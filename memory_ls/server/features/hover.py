"""Hover: what stands at the other end of a link, what a frontmatter key means, and what the index uses of its limit."""

from __future__ import annotations

from lsprotocol import types

from memory_ls.directory.listing import summary
from memory_ls.directory.resolve import TargetKind, is_meant, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Link
from memory_ls.documents.dates import read_date_or_none
from memory_ls.documents.frontmatter import Key
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.about import (
    KEY_TEXTS,
    TYPE_TEXTS,
    about_document,
    about_index,
    ago,
    comes_from,
    index_load,
    is_lost,
    linked_from,
)
from memory_ls.server.features.definition import link_at
from memory_ls.server.markup import bold, code, plain
from memory_ls.server.session import Place
from memory_ls.text import Span

_NOT_LOADED = "Agents do not load this line: it lies beyond the limit of the index."


def hover(place: Place, offset: int, support: ClientSupport) -> types.Hover | None:
    """What to show for the place at ``offset``."""
    link = link_at(place, offset)
    if link is not None:
        return _hover(place, link.span, _of_link(place, link), support)
    if isinstance(place.document, IndexDocument):
        return _hover(place, _line_at(place, offset), _of_index_line(place, offset), support)
    key = _key_at(place, offset)
    if key is None:
        return None
    if key.span.touches(offset):
        text = f"**{key.name}**\n\n{KEY_TEXTS[key.name]}" if key.name in KEY_TEXTS else None
        return _hover(place, key.span, text, support)
    return _hover(place, key.value_span, _of_value(place, key), support)


def _hover(place: Place, span: Span, text: str | None, support: ClientSupport) -> types.Hover | None:
    if not text:
        return None
    markdown = support.markdown_hover
    content = types.MarkupContent(
        types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText, text if markdown else plain(text)
    )
    return types.Hover(content, convert.to_range(place.document.source, span, support.encoding))


# ---- links


def _of_link(place: Place, link: Link) -> str | None:
    text = _of_target(place, link)
    is_entry = isinstance(place.document, IndexDocument) and place.document is place.directory.index
    if is_entry and is_lost(index_load(place), link.start):
        return "\n\n".join(filter(None, (_NOT_LOADED, text)))
    return text


def _of_target(place: Place, link: Link) -> str | None:
    directory = place.directory
    if not link.target:  # a heading of the same file
        return about_document(place, place.key, link.anchor)
    target = resolve(directory, place.key, link)
    if target.kind is TargetKind.AMBIGUOUS:
        choices = "\n".join(f"- {_line(directory, key)}" for key in target.keys)
        return f"**May mean any of these memories**\n\n{choices}"
    if target.kind is TargetKind.DEAD:
        meant = directory.names.closest(stem_of(link.target)) if is_meant(link) else None
        return f"**Did you mean**\n\n{_line(directory, meant)}" if meant else None
    return about_document(place, target.keys[0], link.anchor) if target.keys else None


def _line(directory: MemoryDirectory, key: str) -> str:
    item = summary(key, directory.documents[key])
    return f"{code(key)}{f' — {item.description}' if item.description else ''}"


# ---- the index


def _line_at(place: Place, offset: int) -> Span:
    source = place.document.source
    return source.line_span(source.line_of(offset))


def _of_index_line(place: Place, offset: int) -> str | None:
    """On the first line what the index uses of its limit; on one beyond the limit that it is."""
    index = place.document
    line = _line_at(place, offset)
    if not line.of(index.source.text).strip():
        return None
    if not index.source.text[: line.start].strip("\ufeff \t\r\n"):
        return about_index(place)
    return _NOT_LOADED if is_lost(index_load(place), line.start) else None


# ---- frontmatter


def _key_at(place: Place, offset: int) -> Key | None:
    """The innermost key that the cursor touches, or whose value it touches."""
    block = place.document.frontmatter
    found = None
    for _, key in block.walk() if block is not None else ():
        if key.span.touches(offset) or (key.value_span.touches(offset) and not key.children):
            found = key
    return found


def _of_value(place: Place, key: Key) -> str | None:
    document, value = place.document, key.value.strip()
    assert isinstance(document, MemoryDocument)
    if key.name == "type":
        meaning = TYPE_TEXTS.get(value.lower())
        return f"{bold(value)}\n\n{meaning}" if meaning else None
    if key.name == "name":
        links = linked_from(place.directory, place.key) or "No memory links here."
        return "\n\n".join(filter(None, (links, comes_from(place, place.key))))
    day = read_date_or_none(value) if key in document.date_keys.values() else None
    return ago(day) if day is not None else None
