"""What a link may lead to: names and headings in ``[[…]]``, paths and headings in ``](…)`` and ``[ref]: …``.

Where a link would be one is left to the markdown parser: what is typed is completed for a try, and read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from lsprotocol import types

from memory_ls.directory import search
from memory_ls.directory.listing import summary
from memory_ls.directory.resolve import relative_key, resolve_name, resolve_path
from memory_ls.directory.writing import heading_texts, is_encoded, is_plain, link_text, path_text
from memory_ls.documents.body import Link, LinkKind, heading_slug, is_external
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.completion.gaps import Gap, decoded, link_with, path_gap, wiki_gap
from memory_ls.server.features.completion.offer import MOST_ITEMS, Offer
from memory_ls.server.features.definition import are_paths_left_to_editor
from memory_ls.server.session import Place


def complete_link(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """What the link at ``offset`` may lead to; ``None`` where there is none."""
    source = place.document.source
    start = source.line_starts[source.line_of(offset)]
    gap, complete_in = wiki_gap(source.text, start, offset), _in_wiki_link
    if gap is None and not are_paths_left_to_editor(place, support):
        gap, complete_in = path_gap(source.text, start, offset), _in_path_link
    if gap is None:
        return None
    return complete_in(
        place, gap if support.replaces_behind_cursor else gap.without_brackets_behind(source.text), support
    )


# ---- [[names]]


def _in_wiki_link(place: Place, gap: Gap, support: ClientSupport) -> types.CompletionList | None:
    link = link_with(place.document, gap.span, f"x{gap.closing}")
    if link is None or link.kind is not LinkKind.WIKI:
        return None
    if gap.target is None:
        return _names(place, gap, support)
    target = resolve_name(place.directory, gap.target, place.key).keys if gap.target else (place.key,)
    return _headings(place, gap, target, support, by_slug=_writes_slugs(place, link))


def _names(place: Place, gap: Gap, support: ClientSupport) -> types.CompletionList | None:
    directory, text = place.directory, place.document.source.text
    found = search.memories(directory, gap.typed(text), lambda key: key != place.key, MOST_ITEMS)
    offer = Offer(place, gap.span, gap.cursor, support)
    for key in found.keys:
        name = link_text(directory, key, place.style)
        if name is None or not _is_whole(place, gap, name):
            continue
        data = {"uri": place.uri, "key": key}
        item = offer.add_found(name, f"{name}{gap.closing}", types.CompletionItemKind.Reference, data)
        _describe(item, place, key)
    return offer.result(more=found.more)


def _is_whole(place: Place, gap: Gap, text: str) -> bool:
    """Whether a name or a heading's words would be the target or the anchor of the link just here, and nothing else."""
    if is_plain(text) and place.document.source.text[gap.span.start - 1] in "[#":
        return True
    link = link_with(place.document, gap.span, f"{text}{gap.closing}")
    return link is not None and text == (link.target if gap.target is None else link.anchor)


def _describe(item: types.CompletionItem, place: Place, key: str) -> None:
    document = place.directory.documents.get(key)
    if document is not None:
        # Nothing longer: beside it the name, by which one chooses, would be cut. What it says is told of one item at a time.
        item.detail = summary(key, document).type


# ---- headings


def _headings(
    place: Place, gap: Gap, target: tuple[str, ...], support: ClientSupport, *, by_slug: bool, in_path: bool = False
) -> types.CompletionList | None:
    key = target[0] if len(target) == 1 else None
    if key is None:
        return None
    document = place.document if key == place.key else place.directory.document(key) or place.directory.others.get(key)
    if document is None:
        return None
    choices = {
        str(heading.span.start): (heading, anchor)
        for heading, anchor in heading_texts(document.headings, by_slug=by_slug)
        if not in_path or anchor == heading_slug(anchor)  # other programs know no words there
    }
    typed = unquote(gap.typed(place.document.source.text))
    found = search.texts(((at, heading.text) for at, (heading, _) in choices.items()), typed, MOST_ITEMS)
    if not found.keys:  # a slug may be typed as well
        found = search.texts(((at, anchor) for at, (_, anchor) in choices.items()), typed, MOST_ITEMS)
    offer = Offer(place, gap.span, gap.cursor, support)
    for at in found.keys:
        heading, anchor = choices[at]
        if not (in_path or _is_whole(place, gap, anchor)):
            continue
        data = {"uri": place.uri, "key": key, "anchor": anchor}
        item = offer.add_found(anchor, f"{anchor}{gap.closing}", types.CompletionItemKind.Reference, data)
        item.detail = f"{'#' * heading.level} {heading.text}"
    return offer.result(more=found.more)


def _writes_slugs(place: Place, here: Link) -> bool:
    """Whether the ``[[links]]`` of this memory name headings by their slugs; most name them by their own words."""
    if not isinstance(place.document, MemoryDocument):
        return False
    slugs = words = 0
    for link in place.document.body.links:
        if link.kind is LinkKind.WIKI and link.anchor and link.start != here.start:
            is_slug = link.anchor == heading_slug(link.anchor)
            words += not is_slug
            slugs += is_slug and "-" in link.anchor
    return slugs > words


# ---- paths


def _in_path_link(place: Place, gap: Gap, support: ClientSupport) -> types.CompletionList | None:
    opening = "<" if gap.in_angles and gap.target is None else ""
    link = link_with(place.document, gap.span, f"{opening}x{gap.closing}")
    if link is None or link.kind is LinkKind.WIKI:
        return None
    if gap.target is None:
        return _paths(place, gap, support)
    target = resolve_path(place.directory, place.key, gap.target).keys if gap.target else (place.key,)
    return _headings(place, gap, target, support, by_slug=True, in_path=True)


def _paths(place: Place, gap: Gap, support: ClientSupport) -> types.CompletionList | None:
    typed = decoded(gap.typed(place.document.source.text))
    if typed.rpartition("/")[2] in (".", ".."):
        typed += "/"
    last = typed.rpartition("/")[2]
    folder = typed[: len(typed) - len(last)]
    base = relative_key(place.directory, place.key, folder or ".")
    if typed.startswith("/") or base is None:
        return None
    writing = _Writing.of(place, gap)
    prefix = "" if folder == "" or base == "." else f"{base}/"
    found = _files(place, last, prefix)
    offer = Offer(place, gap.span, gap.cursor, support)
    for key in found.keys:
        path = (
            folder + key[len(prefix) :] if folder else posixpath.relpath(f"/{key}", f"/{posixpath.dirname(place.key)}")
        )
        if not folder and writing.is_dotted and not path.startswith("../"):
            path = f"./{path}"
        path += "/" * (key in place.directory.files.directories)
        if resolve_path(place.directory, place.key, path).keys != (key,):
            continue
        data = {"uri": place.uri, "key": key}
        item = offer.add_found(path, writing.text(path, gap.closing), types.CompletionItemKind.File, data)
        _describe(item, place, key)
    return offer.result(more=found.more)


# No part of a memory's name.
_SUFFIX = re.compile(r"\.(?:m|md)?\Z", re.IGNORECASE)


def _files(place: Place, typed: str, prefix: str) -> search.Found:
    """The files below ``prefix`` that are meant best: memories, then other files and directories."""
    directory = place.directory

    def fits(key: str) -> bool:
        return key.startswith(prefix) and key != place.key

    found = search.memories(directory, _SUFFIX.sub("", typed), fits, MOST_ITEMS)
    if found.more:
        return found
    others = ((key, key.removeprefix(prefix)) for key in _other_files(place, typed) if fits(key))
    more = search.texts(others, typed, MOST_ITEMS - len(found.keys))
    return search.Found([*found.keys, *more.keys], more.more)


def _other_files(place: Place, typed: str) -> Iterator[str]:
    """Every file that is no memory, and every directory; hidden ones only when a dot is typed."""
    directory = place.directory
    if directory.index is not None:
        yield INDEX_NAME
    names = directory.files.names - directory.documents.keys() - {INDEX_NAME}
    # A link to a directory that the document itself lies in leads nowhere new.
    folders = (folder for folder in directory.files.directories if not place.key.startswith(f"{folder}/"))
    for key in (*sorted(names), *sorted(folders)):
        if typed.startswith(".") or not (key.startswith(".") or "/." in key):
            yield key


class _Writing(NamedTuple):
    """How this document writes paths: with ``./`` before them, and those that need it in ``<…>``."""

    is_dotted: bool
    has_angles: bool
    in_angles: bool

    @classmethod
    def of(cls, place: Place, gap: Gap) -> _Writing:
        """As the other links of a memory have it; in the index, and where there are none, as the directory does."""
        dotted = plain = angles = encoded = 0
        document = place.document
        for link in document.body.links if isinstance(document, MemoryDocument) else ():
            if link.kind in (LinkKind.WIKI, LinkKind.REFERENCE) or not link.target or is_external(link.target):
                continue
            if not gap.span.start <= link.target_start <= gap.span.end:
                dotted += link.target.startswith("./")
                plain += not link.target.startswith(("./", "../"))
                angles += document.source.text.startswith("<", link.target_start - 1)
                encoded += "%20" in link.target_span.of(document.source.text)
        is_dotted = dotted > plain if dotted or plain else place.style.dot_slash
        return cls(is_dotted, angles > encoded, gap.in_angles)

    def text(self, path: str, closing: str) -> str:
        """A path as an item inserts it."""
        if self.in_angles:
            whole = path_text(path, in_angles=True)
            return f"{whole[:-1]}{closing}"
        return path_text(path, in_angles=self.has_angles and is_encoded(path)) + closing
