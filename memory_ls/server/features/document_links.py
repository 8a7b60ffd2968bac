"""Document links: what an editor underlines and opens with a click."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from memory_ls.directory.backlinks import Point, find_heading_at, links_in, points_of
from memory_ls.directory.listing import one_line, summary
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.features.definition import is_left_to_editor
from memory_ls.server.session import Place


def document_links(place: Place, support: ClientSupport, uri_of: UriOf) -> list[types.DocumentLink]:
    """Every link of the document that leads to one file of the directory, underlined where its target stands.

    One that may mean several is left to go to definition, which can offer the choice.
    """
    return list(_links(place, support, uri_of))


def _links(place: Place, support: ClientSupport, uri_of: UriOf) -> Iterator[types.DocumentLink]:
    source = place.document.source
    for link in links_in(place.document):
        if is_left_to_editor(place, link, support):
            continue
        points = points_of(place.directory, place.key, link, with_anchor=True)
        if len(points) != 1 or points[0].is_dead:
            continue
        found = types.DocumentLink(
            convert.to_range(source, link.destination_span, support.encoding),
            f"{uri_of(place.directory, points[0].key)}{_fragment(place.directory, points[0])}",
        )
        if support.link_tooltips:
            found.tooltip = _tooltip(place.directory, points[0].key)
        yield found


def _fragment(directory: MemoryDirectory, point: Point) -> str:
    """The line of a heading, from 1, as editors read it in a URI."""
    heading = find_heading_at(directory, point) if point.anchor is not None else None
    return f"#L{convert.source_of(directory, point.key).line_of(heading.span.start) + 1}" if heading else ""


def _tooltip(directory: MemoryDirectory, key: str) -> str:
    document = directory.documents.get(key)
    if document is None:
        return key
    item = summary(key, document)
    return one_line(f"{item.name} — {item.description}" if item.description.strip() else item.name)
