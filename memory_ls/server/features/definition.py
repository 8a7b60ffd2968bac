"""Go to definition: from a link to what it points at."""

from __future__ import annotations

from lsprotocol import types

from memory_ls.directory.resolve import TargetKind, find_heading, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.session import Place
from memory_ls.text import Span


def link_at(place: Place, offset: int) -> Link | None:
    """The link that the cursor touches; a file name in backticks counts where it is an entry of the index."""
    document = place.document
    if isinstance(document, MemoryDocument):
        return document.body.link_at(offset)
    link = document.link_at(offset)
    if link is None:
        entry = document.entry_at(offset)
        link = entry.link if entry is not None and entry.link.span.touches(offset) else None
    return link


def is_left_to_editor(place: Place, link: Link, support: ClientSupport) -> bool:
    """Whether the editor itself answers for such a link, so that an answer of ours would be a second one."""
    return link.kind not in (LinkKind.WIKI, LinkKind.CODE) and are_paths_left_to_editor(place, support)


def are_paths_left_to_editor(place: Place, support: ClientSupport) -> bool:
    """Whether the editor itself completes and follows paths in markdown links."""
    if place.settings.markdown_links == "auto":
        return support.has_markdown_features
    return place.settings.markdown_links == "off"


def define(
    place: Place, offset: int, support: ClientSupport, uri_of: UriOf
) -> list[types.Location] | list[types.LocationLink] | None:
    """Where the link at ``offset`` leads: to several places when it is ambiguous."""
    link = link_at(place, offset)
    if link is None or is_left_to_editor(place, link, support):
        return None
    target = resolve(place.directory, place.key, link)
    if target.kind in (TargetKind.DEAD, TargetKind.ELSEWHERE):
        return None
    # Of a link to a directory there is nothing that an editor could open.
    keys = [key for key in target.keys if key not in ("", ".") and key not in place.directory.files.directories]
    found = [(key, _target_span(place.directory, key, link.anchor)) for key in keys]
    encoding = support.encoding
    if support.definition_links:
        origin = convert.to_range(place.document.source, link.span, encoding)
        return [
            types.LocationLink(
                uri_of(place.directory, key),
                convert.to_range(convert.source_of(place.directory, key), whole, encoding),
                convert.to_range(convert.source_of(place.directory, key), name, encoding),
                origin,
            )
            for key, (whole, name) in found
        ]
    return [
        types.Location(
            uri_of(place.directory, key), convert.to_range(convert.source_of(place.directory, key), name, encoding)
        )
        for key, (_, name) in found
    ]


def _target_span(directory: MemoryDirectory, key: str, anchor: str | None) -> tuple[Span, Span]:
    """What a link shows of its target, and the place in it to go to: the heading, else the start of the file."""
    document = directory.document(key) or directory.others.get(key)
    if document is None:
        return Span(0, 0), Span(0, 0)
    if anchor:
        heading = find_heading(document.headings, anchor)
        if heading is not None:
            return heading.span, heading.text_span
    if key == INDEX_NAME or isinstance(document, IndexDocument):
        return Span(0, 0), Span(0, 0)
    start = Span(0, 0)
    return Span(0, document.frontmatter.body_start if document.frontmatter else 0), start
