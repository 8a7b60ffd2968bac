"""References and highlights: all links that lead where the one under the cursor does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from memory_ls.directory.backlinks import (
    Backlink,
    Point,
    find_heading_at,
    heading_point,
    links_in,
    links_to_points,
    only_to_points,
    points_of,
)
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Heading, Link
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.features.definition import link_at
from memory_ls.server.session import Place
from memory_ls.text import Span


def references(
    place: Place, offset: int, support: ClientSupport, uri_of: UriOf, *, with_declaration: bool
) -> list[types.Location] | None:
    """Every link to what stands at ``offset``: a link's target or heading, a heading, or this memory's name."""
    points = _points_at(place, offset)
    if not points:
        return None
    declared = _declarations(place.directory, points) if with_declaration else ()
    found = [_location(place.directory, key, span, support, uri_of) for key, span in declared]
    return found + link_locations(place.directory, links_to_points(place.directory, points), support, uri_of)


def link_locations(
    directory: MemoryDirectory, links: Iterable[Backlink], support: ClientSupport, uri_of: UriOf
) -> list[types.Location]:
    """Where the destinations of links stand: target and anchor together."""
    return [_location(directory, source, link.destination_span, support, uri_of) for source, link in links]


def _location(
    directory: MemoryDirectory, key: str, span: Span, support: ClientSupport, uri_of: UriOf
) -> types.Location:
    where = convert.to_range(convert.source_of(directory, key), span, support.encoding)
    return types.Location(uri_of(directory, key), where)


def highlights(place: Place, offset: int, support: ClientSupport) -> list[types.DocumentHighlight] | None:
    """As :func:`references`, in this document alone."""
    points = _points_at(place, offset)
    if not points:
        return None
    links = (Backlink(place.key, link) for link in links_in(place.document))
    of_heading = any(point.anchor is not None for point in points)
    found = [
        (_pointing(link, of_heading), types.DocumentHighlightKind.Read)
        for _, link in only_to_points(place.directory, links, points)
    ]
    for key, span in _declarations(place.directory, points):
        if key == place.key and span.start < span.end:
            found.append((span, types.DocumentHighlightKind.Write))
    source = place.document.source
    return [
        types.DocumentHighlight(convert.to_range(source, span, support.encoding), kind) for span, kind in sorted(found)
    ]


def _points_at(place: Place, offset: int) -> tuple[Point, ...]:
    """What is asked about with the cursor at ``offset``."""
    link = link_at(place, offset)
    if link is not None:
        on_anchor = link.anchor is not None and (not link.target or link.anchor_span.touches(offset))
        return points_of(place.directory, place.key, link, with_anchor=on_anchor)
    heading = heading_on_line(place, offset)
    if heading is not None:
        return (heading_point(place.directory, place.key, heading),)
    return (Point(place.key),) if _is_on_name(place, offset) else ()


def heading_on_line(place: Place, offset: int) -> Heading | None:
    """The heading whose line, or one of whose lines, holds ``offset``."""
    source = place.document.source
    line = source.line_span(source.line_of(offset))
    found = (h for h in place.document.headings if h.span.start <= line.end and h.span.end >= line.start)
    return next(found, None)


def _is_on_name(place: Place, offset: int) -> bool:
    """Whether the line is the one that says what the document is called; the first where none does."""
    source, document = place.document.source, place.document
    key = document.name_key if isinstance(document, MemoryDocument) else None
    line = source.line_of(offset)
    if key is None:
        return line == 0
    return line == source.line_of(key.span.start) or key.value_span.touches(offset)


def _declarations(directory: MemoryDirectory, points: tuple[Point, ...]) -> Iterator[tuple[str, Span]]:
    """Where what links lead to stands: the heading's text, the memory's name, or the start of a file."""
    for point in points:
        document = directory.document(point.key) or directory.others.get(point.key)
        if document is None:
            continue
        if point.anchor is not None:
            heading = find_heading_at(directory, point)
            if heading is not None:
                yield point.key, heading.text_span
        elif isinstance(document, MemoryDocument) and document.name_key is not None:
            yield point.key, document.name_key.value_span
        else:
            yield point.key, Span(0, 0)


def _pointing(link: Link, of_heading: bool) -> Span:
    """The part of a link that leads to the heading, or else to the document."""
    return link.anchor_span if of_heading and link.anchor_start < link.anchor_end else link.target_span
