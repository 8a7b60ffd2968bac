"""Code lenses: how many links lead to a memory, and to each of its headings that any link names."""

from __future__ import annotations

from lsprotocol import types

from memory_ls.directory.backlinks import Point, links_by_heading, links_to, links_to_points
from memory_ls.documents.body import anchors
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.features.references import link_locations
from memory_ls.server.session import Place
from memory_ls.text import Span

# A command of the client: it takes a URI, a position and locations, and shows those.
SHOW_REFERENCES = "memoryLs.ui.showReferences"


def lenses(place: Place, support: ClientSupport) -> list[types.CodeLens]:
    """The lenses of a document, the memory's own first.

    A client that can show the references is told how many, and which, when it asks for one lens; any other at once.
    """
    own = _own(place, support)
    found = [own] if own is not None else []
    by_heading = links_by_heading(place.directory, place.key)
    for anchor, heading in anchors(place.document.headings) if by_heading else ():
        links = by_heading.pop(anchor, None)
        if links:
            found.append(_lens(place, heading.span.start, anchor, len(links), support))
    return found


def _own(place: Place, support: ClientSupport) -> types.CodeLens | None:
    """The lens of the document itself, where its name stands."""
    is_memory = place.key in place.directory.documents
    # To count takes as long as to find them, and a client that asks for each lens will be told then.
    count = 0 if is_memory and support.shows_references else len(links_to(place.directory, place.key))
    # A memory to which nothing leads may be forgotten. Other files are not meant to be linked.
    if not count and not is_memory:
        return None
    key = place.document.name_key if isinstance(place.document, MemoryDocument) else None
    return _lens(place, key.start if key else 0, None, count, support)


def _lens(place: Place, offset: int, anchor: str | None, count: int, support: ClientSupport) -> types.CodeLens:
    lens = types.CodeLens(convert.to_range(place.document.source, Span(offset, offset), support.encoding))
    if support.shows_references:
        lens.data = {"uri": place.uri, "anchor": anchor}
    else:
        lens.command = _label(count)
    return lens


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


def _label(count: int) -> types.Command:
    """A lens that only tells the number: clients do nothing on a command without a name."""
    return types.Command(f"{count:,} reference{'' if count == 1 else 's'}", "")
