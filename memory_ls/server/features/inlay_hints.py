"""Inlay hints: descriptions beside bare links, and where agents stop loading the index."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsprotocol import types

from memory_ls.directory.backlinks import points_of
from memory_ls.directory.listing import one_line
from memory_ls.documents.body import Link
from memory_ls.documents.index import IndexDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.session import Place
from memory_ls.text import Span

_MOST_CHARACTERS = 80


def inlay_hints(place: Place, shown: types.Range, support: ClientSupport) -> list[types.InlayHint]:
    """The hints in the part of the document that the editor shows."""
    source = place.document.source
    start, end = (convert.to_offset(source, position, support.encoding) for position in (shown.start, shown.end))
    return [
        types.InlayHint(_position(place, offset, support), label, padding_left=True, tooltip=tooltip)
        for offset, label, tooltip in (*_limit(place), *_descriptions(place, Span(start, end)))
        if start <= offset <= end
    ]


def _position(place: Place, offset: int, support: ClientSupport) -> types.Position:
    return convert.to_range(place.document.source, Span(offset, offset), support.encoding).start


def _limit(place: Place) -> Iterator[tuple[int, str, str | None]]:
    """Where agents stop loading the index: the end of the first line that they no longer read."""
    index, settings = place.document, place.settings
    if not isinstance(index, IndexDocument):
        return
    first_lost = index.load(settings.index_max_lines, settings.index_max_bytes).first_lost
    if first_lost is not None:
        limit = f"{settings.index_max_lines:,} lines or {settings.index_max_bytes:,} bytes"
        yield (
            index.source.line_span(index.source.line_of(first_lost)).end,
            f"— agents load only what is above ({limit})",
            None,
        )


def _descriptions(place: Place, shown: Span) -> Iterator[tuple[int, str, str | None]]:
    """What a memory is about, behind each item of a list that is nothing but a link to it."""
    document = place.document
    links = document.links_near(shown) if isinstance(document, IndexDocument) else document.body.links
    for link in links:
        if not (shown.start <= link.end <= shown.end and _is_bare(document.source.text, link)):
            continue
        points = points_of(place.directory, place.key, link, with_anchor=False)
        memory = place.directory.documents.get(points[0].key) if len(points) == 1 and not points[0].is_dead else None
        description = one_line(memory.description or "") if memory is not None else ""
        if description:
            label = one_line(description, _MOST_CHARACTERS)
            yield _line_end(document.source.text, link.end), label, description if description != label else None


_BULLET = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?[*_~]*\Z")
# Nothing but signs up to the end of the line, and a next line that does not go on with the text.
_NO_MORE = re.compile(r"[^\w\r\n]*(?:\Z|(?:\r\n|\n|\r(?!\n))[ \t>]*(?:\Z|[\r\n]|[-*+#|`~<]|\d{1,9}[.)]))")
_LINE_REST = re.compile(r"[^\r\n]*")


def _is_bare(text: str, link: Link) -> bool:
    """Whether a list's item is this link and nothing else."""
    if text.startswith("!", link.start):  # a picture, or what is shown as one
        return False
    line_start = max(text.rfind("\n", 0, link.start), text.rfind("\r", 0, link.start)) + 1
    return _BULLET.match(text[line_start : link.start]) is not None and _NO_MORE.match(text, link.end) is not None


def _line_end(text: str, offset: int) -> int:
    """Where what is written on the line of ``offset`` ends."""
    rest = _LINE_REST.match(text, offset)
    return offset + len(rest.group().rstrip()) if rest else offset
