"""Code lenses: how many links lead to a memory, and to each of its headings that any link names."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from memory_ls.directory.backlinks import Point, links_by_heading, links_to_points
from memory_ls.documents.body import anchors
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.definition import UriOf
from memory_ls.server.features.references import link_locations
from memory_ls.server.session import Place
from memory_ls.text import Span

# A command of the client: it takes a URI, a position and locations, and shows those.
SHOW_REFERENCES = "memoryLs.ui.showReferences"


def lenses(place: Place, support: ClientSupport) -> list[types.CodeLens]:
    """The lenses of a document, the memory's own first.

    A client that can show the references is told how many, and which, when it asks for one lens; any other at once.
    """
    found = []
    for span, anchor, count in _counted(place):
        lens = types.CodeLens(convert.to_range(place.document.source, span, support.encoding))
        if support.shows_references:
            lens.data = {"uri": place.uri, "anchor": anchor}
        else:
            lens.command = _label(count)
        found.append(lens)
    return found


def resolve(place: Place | None, lens: types.CodeLens, support: ClientSupport, uri_of: UriOf) -> types.CodeLens:
    """The lens with its command, which shows the links that it counts."""
    if place is None:
        lens.command = _label(0)
        return lens
    anchor = lens.data.get("anchor") if isinstance(lens.data, dict) else None
    point = Point(place.key, anchor if isinstance(anchor, str) else None)
    links = links_to_points(place.directory, [point])
    lens.command = _label(len(links))
    if links:
        lens.command.command = SHOW_REFERENCES
        lens.command.arguments = [place.uri, lens.range.start, link_locations(place.directory, links, support, uri_of)]
    return lens


def _counted(place: Place) -> Iterator[tuple[Span, str | None, int]]:
    """What has a lens: where it stands, its anchor if it is a heading, and how many links lead there."""
    document = place.document
    count = len(links_to_points(place.directory, [Point(place.key)]))
    # Also where there are none: a memory that nothing leads to may be forgotten. Other files are not meant to be linked.
    if count or place.key in place.directory.documents:
        key = document.name_key if isinstance(document, MemoryDocument) else None
        yield (key.span if key else Span(0, 0)), None, count
    by_heading = links_by_heading(place.directory, place.key)
    for anchor, heading in anchors(document.headings) if by_heading else ():
        links = by_heading.pop(anchor, None)
        if links:
            yield Span(heading.span.start, heading.span.start), anchor, len(links)


def _label(count: int) -> types.Command:
    """A lens that only tells the number: clients do nothing on a command without a name."""
    return types.Command(f"{count:,} reference{'' if count == 1 else 's'}", "")
