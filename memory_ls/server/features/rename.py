"""Rename: the memory, the heading or the dead name under the cursor, with every link to it, in one edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from lsprotocol import types

from memory_ls.changes.headings import rename_heading
from memory_ls.changes.plan import CannotChangeError, Change
from memory_ls.changes.rename import rename_dead, rename_memory
from memory_ls.directory.backlinks import Point, find_heading_at, points_of
from memory_ls.directory.resolve import TargetKind, resolve
from memory_ls.documents.body import Heading, Link, LinkKind
from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, stem_of
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.features.definition import link_at
from memory_ls.server.features.references import heading_on_line
from memory_ls.server.session import Place
from memory_ls.server.workspace_edit import VersionOf, refused, uris_of, workspace_edit
from memory_ls.text import Span


class _Renamed(NamedTuple):
    """What the cursor is on: where it stands, what it is called now, and what a new name for it changes."""

    span: Span
    text: str
    changes: Callable[[str], tuple[Change, ...]]


def prepare_rename(place: Place, offset: int, support: ClientSupport) -> types.PrepareRenamePlaceholder | None:
    """What would be renamed at ``offset``; ``None`` where that is nothing."""
    found = _at(_with_itself(place), offset)
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(
        convert.to_range(place.document.source, found.span, support.encoding), found.text
    )


def rename(
    place: Place, offset: int, new: str, support: ClientSupport, uri_of: UriOf, version_of: VersionOf
) -> types.WorkspaceEdit | None:
    """The edit that renames what stands at ``offset``; ``None`` where that is nothing, or called so already.

    Raises:
        JsonRpcException: it can't be called so, or not by this client. The message says why.
    """
    place = _with_itself(place)
    found = _at(place, offset)
    if found is None:
        raise refused("There is no memory, heading or link here that could be renamed.")
    try:
        changes = found.changes(new)
    except CannotChangeError as error:
        raise refused(str(error), error.kind) from None
    if not changes:
        return None
    uris = uris_of(place, uri_of)
    return workspace_edit(changes, place.directory, support, uris, version_of)


def _with_itself(place: Place) -> Place:
    """A document that is no file stands in a directory of its own, for links from it to itself."""
    if place.key or not isinstance(place.document, MemoryDocument):
        return place
    return place._replace(directory=replace(place.directory, documents={"": place.document}))


def _at(place: Place, offset: int) -> _Renamed | None:
    link = link_at(place, offset)
    if link is not None:
        return _at_link(place, link, offset)
    heading = heading_on_line(place, offset)
    if heading is not None:
        return _of_heading(place, place.key, heading, heading.text_span)
    return _at_name(place, offset)


def _at_name(place: Place, offset: int) -> _Renamed | None:
    """The name in the frontmatter, with the cursor on the key or the value."""
    document = place.document
    key = document.name_key if isinstance(document, MemoryDocument) else None
    if key is None or not (key.span.touches(offset) or key.value_span.touches(offset)):
        return None
    if not isinstance(document, MemoryDocument) or not document.name or key.kind is ValueKind.INVALID:
        return None
    if not place.key or place.key not in place.directory.documents:
        return None
    span = key.value_span
    if key.style in ("'", '"'):
        span = Span(span.start + 1, span.end - 1)
    return _Renamed(span, document.name, lambda new: rename_memory(place.directory, place.key, new, place.style))


def _of_heading(place: Place, key: str, heading: Heading, span: Span) -> _Renamed:
    document = place.directory.document(key) or place.directory.others.get(key) or place.document
    text = heading.text_span.of(document.source.text)
    return _Renamed(span, text, lambda new: rename_heading(place.directory, key, heading, new))


def _at_link(place: Place, link: Link, offset: int) -> _Renamed | None:
    on_anchor = link.anchor is not None and (not link.target or link.anchor_span.touches(offset))
    if (on_anchor and not link.target_span.touches(offset)) or not link.target:
        points = points_of(place.directory, place.key, link, with_anchor=True)
        return _at_anchor(place, points, link)
    target = resolve(place.directory, place.key, link)
    if target.kind is TargetKind.DEAD:
        return _of_dead(place, link)
    if target.kind is not TargetKind.MEMORY:
        return None
    return _of_memory(place, link, target.keys[0])


def _at_anchor(place: Place, points: tuple[Point, ...], link: Link) -> _Renamed | None:
    heading = find_heading_at(place.directory, points[0]) if len(points) == 1 and not points[0].is_dead else None
    return _of_heading(place, points[0].key, heading, link.anchor_span) if heading is not None else None


def _of_memory(place: Place, link: Link, key: str) -> _Renamed:
    """The memory that a link means: by the name in it, or else by its file's."""
    name, stem = place.directory.documents[key].name, stem_of(key)
    by_stem = link.kind is not LinkKind.WIKI or name is None or not _finds_by_name(link.target, name, stem)
    return _Renamed(
        _name_span(place, link),
        stem if by_stem or name is None else name,
        lambda new: rename_memory(place.directory, key, new, place.style, by_stem=by_stem),
    )


def _finds_by_name(target: str, name: str, stem: str) -> bool:
    target = stem_of(target)
    return target == name or (target != stem and (fold(target) == fold(name) or fold(target) != fold(stem)))


def _name_span(place: Place, link: Link) -> Span:
    """What of a link says which memory it means: the target without directories and ``.md``."""
    raw = link.target_span.of(place.document.source.text)
    is_name = link.kind in (LinkKind.WIKI, LinkKind.REFERENCE)
    lead = 0 if is_name else len(raw) - len(raw.rpartition("/")[2])
    return Span(link.target_start + lead, link.target_start + lead + len(stem_of(raw[lead:])))


def _of_dead(place: Place, link: Link) -> _Renamed | None:
    """A name that no memory has yet: all links to it change together."""
    if not place.key or place.directory.document(place.key) is None:
        return None
    name = stem_of(link.target) if link.kind is not LinkKind.WIKI else link.target.removesuffix(".md")
    return _Renamed(_name_span(place, link), name, lambda new: rename_dead(place.directory, place.key, link, new))
