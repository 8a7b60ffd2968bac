"""Which links lead to a document or to a heading of it: the links of a directory, followed backwards.

The table of sources tells in which memories to look, so that an answer costs what it finds and not what the
directory holds; each link found there is then resolved as any other.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from memory_ls.directory.resolve import TargetKind, relative_key, resolve
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.documents.body import Heading, Link, LinkKind, anchors, heading_slug
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, tokens_of

# From this many memories on that may link a document, they are counted without a look at each.
_MANY = 200


class Backlink(NamedTuple):
    """A link, and the key of the document that holds it."""

    source: str
    link: Link


class Point(NamedTuple):
    """What a link leads to: a document, or with ``anchor`` a heading of it, there or not.

    Of a dead link ``key`` is the target that is not there, in the form that all links to it share.
    """

    key: str
    anchor: str | None = None
    is_dead: bool = False


def links_to(directory: MemoryDirectory, key: str) -> list[Backlink]:
    """Every link in the memories and the index that leads, or may lead, to the document ``key``.

    Sorted by source and place. A link to a heading counts unless it names the heading alone (``[[#heading]]``).
    """
    return links_to_points(directory, [Point(key)])


def links_by_heading(directory: MemoryDirectory, key: str) -> dict[str, list[Backlink]]:
    """The links to each heading of the document ``key`` that any link names, by the heading's anchor."""
    follow = _Follower(directory)
    found: dict[str, list[Backlink]] = {}
    for source, link in _candidates(directory, [Point(key, "")]):
        for point in follow.points(source, link) if link.anchor is not None else ():
            if point.key == key and not point.is_dead and point.anchor is not None:
                found.setdefault(point.anchor, []).append(Backlink(source, link))
    return found


def linking_memories(directory: MemoryDirectory, key: str) -> list[str]:
    """The memories, without ``key`` itself, that hold a link to the document ``key``; sorted."""
    found = {source for source, _ in links_to(directory, key)}
    return sorted(found - {key, INDEX_NAME})


def count_linking(directory: MemoryDirectory, key: str) -> int:
    """How many memories link the document ``key``.

    Where they are many the table alone is asked, and a link that stands in code counts too.
    """
    sources = _sources(directory, _tokens(directory, Point(key))) - {key}
    return len(sources) if len(sources) >= _MANY else len(linking_memories(directory, key))


def links_to_points(directory: MemoryDirectory, points: Collection[Point]) -> list[Backlink]:
    """Every link that leads to any of ``points``, sorted by source and place."""
    return only_to_points(directory, _candidates(directory, points), points)


def only_to_points(directory: MemoryDirectory, places: Iterable[Backlink], points: Collection[Point]) -> list[Backlink]:
    """Those of the links ``places`` that lead to any of ``points``."""
    wanted = frozenset(points)
    follow = _Follower(directory)
    return [place for place in places if not wanted.isdisjoint(follow.points_at_all(*place))]


def points_of(directory: MemoryDirectory, source: str, link: Link, *, with_anchor: bool) -> tuple[Point, ...]:
    """What ``link`` in the document ``source`` leads to: several points when it is ambiguous, none out of the directory.

    Without ``with_anchor`` the documents alone; then a link that is nothing but an anchor leads nowhere.
    """
    follow = _Follower(directory)
    return follow.points(source, link) if with_anchor else follow.documents(source, link)


def heading_point(directory: MemoryDirectory, key: str, heading: Heading) -> Point:
    """The point of a heading of the document ``key``."""
    slugs = (slug for slug, other in anchors(_headings(directory, key)) if other == heading)
    return Point(key, next(slugs, heading_slug(heading.text)))


def find_heading_at(directory: MemoryDirectory, point: Point) -> Heading | None:
    """The heading that a point means, if it is there."""
    return dict(reversed(list(anchors(_headings(directory, point.key))))).get(point.anchor or "")


class _Follower:
    """Follows the links of one directory, and remembers what each target means: many links share theirs."""

    def __init__(self, directory: MemoryDirectory) -> None:
        self._directory = directory
        self._documents: dict[tuple[bool, str, str], tuple[Point, ...]] = {}
        self._slugs: dict[str, dict[str, str]] = {}

    def documents(self, source: str, link: Link) -> tuple[Point, ...]:
        """The documents that ``link`` may mean; none for one that is an anchor alone."""
        return self._targets(source, link) if link.target else ()

    def points(self, source: str, link: Link) -> tuple[Point, ...]:
        """What ``link`` leads to, its anchor taken in."""
        documents = self._targets(source, link)
        if link.anchor is None:
            return documents
        return tuple(
            point if point.is_dead else point._replace(anchor=self._slug(point.key, link.anchor)) for point in documents
        )

    def points_at_all(self, source: str, link: Link) -> tuple[Point, ...]:
        """What ``link`` leads to, and the documents in which that lies."""
        documents = self.documents(source, link)
        return documents if link.anchor is None else (*documents, *self.points(source, link))

    def _targets(self, source: str, link: Link) -> tuple[Point, ...]:
        where = source if not link.target else posixpath.dirname(source)
        asked = (link.kind is LinkKind.WIKI, link.target, where)
        if asked not in self._documents:
            self._documents[asked] = tuple(_documents(self._directory, source, link))
        return self._documents[asked]

    def _slug(self, key: str, anchor: str) -> str:
        """An anchor in the form that all links to its heading share."""
        slugs = self._slugs.get(key)
        if slugs is None:
            slugs = self._slugs[key] = {slug: slug for slug, _ in anchors(_headings(self._directory, key))}
        wanted = heading_slug(anchor)
        return next((slug for slug in slugs if slug in (anchor, wanted)), wanted)


def _documents(directory: MemoryDirectory, source: str, link: Link) -> Iterator[Point]:
    target = resolve(directory, source, link)
    if target.kind is TargetKind.DEAD:
        yield Point(_dead_key(directory, source, link), is_dead=True)
    for key in target.keys:
        if key not in ("", ".") and key not in directory.files.directories:
            yield Point(key)


def _dead_key(directory: MemoryDirectory, source: str, link: Link) -> str:
    """What all dead links share that the same new memory would bring to life."""
    target = link.target
    if link.kind is not LinkKind.WIKI or "/" in target:
        target = relative_key(directory, "" if link.kind is LinkKind.WIKI else source, target) or target
    return fold(target[:-3] if target.lower().endswith(".md") else target)


def _headings(directory: MemoryDirectory, key: str) -> tuple[Heading, ...]:
    document = directory.document(key) or directory.others.get(key)
    return document.headings if document is not None else ()


# ---- where to look


def _candidates(directory: MemoryDirectory, points: Collection[Point]) -> Iterator[Backlink]:
    """The links among which are all that lead to ``points``, sorted by source and place."""
    tokens = frozenset().union(*(_tokens(directory, point) for point in points))
    # What names its own heading (`[[#heading]]`) is in no table.
    own = {point.key for point in points if point.anchor is not None and not point.is_dead}
    sources = _sources(directory, tokens) | (own & directory.documents.keys())
    headings_alone = all(point.anchor is not None for point in points)
    for source in sorted({*sources, INDEX_NAME}):
        document = directory.document(source)
        if document is None or (headings_alone and not _may_link_headings(document)):
            continue
        if isinstance(document, IndexDocument) and source not in own:
            links: Iterable[Link] = document.links_for(tokens)
        else:
            links = links_in(document)
        for link in links:
            yield Backlink(source, link)


def _may_link_headings(document: MemoryDocument | IndexDocument) -> bool:
    return isinstance(document, IndexDocument) or document.may_link_headings


def _tokens(directory: MemoryDirectory, point: Point) -> frozenset[str]:
    """Every folded name that a link to ``point`` may look for."""
    document = directory.documents.get(point.key)
    return name_tokens(point.key, document) if document is not None else tokens_of(point.key)


def _sources(directory: MemoryDirectory, tokens: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*(directory.sources.get(token, ()) for token in tokens))


def links_in(document: MemoryDocument | IndexDocument) -> Iterable[Link]:
    """Every link of a document, in the order of the text."""
    return document.links() if isinstance(document, IndexDocument) else document.body.links
