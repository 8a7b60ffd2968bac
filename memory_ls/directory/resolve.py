"""What a link means: the memory, file or heading it points at."""

from __future__ import annotations

import os
import posixpath
import re
from enum import Enum
from typing import NamedTuple

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Heading, Link, LinkKind, anchors, heading_slug, is_external
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.names import fold, fold_path, nfc, stem_of


class TargetKind(Enum):
    """What stands at the other end of a link."""

    MEMORY = "memory"
    INDEX = "index"
    FILE = "file"  # in the directory, but no memory
    ELSEWHERE = "elsewhere"  # a URL, or a path out of the directory: not ours to judge
    AMBIGUOUS = "ambiguous"
    DEAD = "dead"


class Target(NamedTuple):
    """What a link points at. ``keys`` are the memories it may mean, more than one when ambiguous.

    ``spelling`` is how the target is really spelt when the link differs from it in case alone.
    """

    kind: TargetKind
    keys: tuple[str, ...] = ()
    spelling: str | None = None


_ELSEWHERE = Target(TargetKind.ELSEWHERE)
_DEAD = Target(TargetKind.DEAD)


def resolve(directory: MemoryDirectory, source: str, link: Link) -> Target:
    """What ``link`` in the document ``source`` points at."""
    if link.kind is LinkKind.WIKI:
        return resolve_name(directory, link.target, source)
    return resolve_path(directory, source, link.target)


def resolve_name(directory: MemoryDirectory, target: str, source: str = "") -> Target:
    """What ``[[target]]`` means; without a target (``[[#heading]]``) the document ``source`` itself."""
    if not target:
        return _of_key(directory, source)
    for name in (target, target[:-3]) if target.lower().endswith(".md") else (target,):
        if name == "MEMORY" and directory.index is not None:
            return Target(TargetKind.INDEX, (INDEX_NAME,))
        hits, folded = memories_called(directory, name)
        if len(hits) > 1:
            return Target(TargetKind.AMBIGUOUS, hits)
        if hits:
            return Target(TargetKind.MEMORY, hits, _spelling(directory, name, hits[0]) if folded else None)
    if is_external(target) and ": " not in target:  # asked so late, and not of all, since a title may hold a colon
        return _ELSEWHERE
    if "/" in target:
        return resolve_path(directory, "", target)
    # A file that is no memory (a README) can still be meant.
    file = f"{target}.md"
    return Target(TargetKind.FILE, (file,)) if file in directory.files.names else _DEAD


def memories_called(directory: MemoryDirectory, name: str) -> tuple[tuple[str, ...], bool]:
    """The memories called ``name`` at the first step of resolution that has any, and whether that took folding."""
    tables, folded = directory.names, fold(name)
    exact = tables.by_name.get(name) or tables.by_stem.get(name)
    if exact:
        return exact, False
    hits = tables.by_folded_name.get(folded) or tables.by_folded_stem.get(folded) or tables.by_unprefixed.get(folded)
    return hits or (), True


def _spelling(directory: MemoryDirectory, name: str, key: str) -> str | None:
    """The name or stem of ``key`` that ``name`` equals but for case."""
    for spelt in (directory.documents[key].name, stem_of(key)):
        if spelt and spelt != name and spelt.casefold() == name.casefold():
            return spelt
    return None


def resolve_path(directory: MemoryDirectory, source: str, target: str) -> Target:
    """What the path ``target``, written in the document ``source``, means."""
    if not target:
        return _of_key(directory, source)
    if is_external(target) or target.startswith("~"):
        return _ELSEWHERE
    relative = relative_key(directory, source, target)
    if relative is None:
        return _ELSEWHERE
    if relative == "." or relative in directory.files.directories:
        return Target(TargetKind.FILE, (relative,))
    for name in (relative, f"{relative}.md"):
        if name in directory.files.names or name in directory.documents:
            return _of_key(directory, name)
    for name in (relative, f"{relative}.md"):
        spelt = directory.files.by_folded.get(fold_path(name))
        if spelt is not None:
            shown = spelt if name == relative else spelt[:-3]
            return _of_key(directory, spelt)._replace(spelling=shown if nfc(shown) != nfc(relative) else None)
    return _DEAD


def relative_key(directory: MemoryDirectory, source: str, target: str) -> str | None:
    """The path ``target``, written in ``source``, relative to the directory; ``None`` when it leads out of it.

    A path that begins with ``/`` is one of this machine, or else counts from the directory.
    """
    root = root_of(directory)
    if target.startswith("/"):
        if target.startswith(f"{root}/"):
            return posixpath.normpath(target[len(root) + 1 :])
        inside = posixpath.normpath(target.lstrip("/") or ".")
        return inside if inside in directory.files.names else None
    path = posixpath.normpath(posixpath.join(root, posixpath.dirname(source), target))
    if path == root:
        return "."
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else None


def root_of(directory: MemoryDirectory) -> str:
    """The directory's absolute path with ``/``, as links write paths."""
    return directory.root.replace(os.sep, "/")


def _of_key(directory: MemoryDirectory, key: str) -> Target:
    if key == INDEX_NAME:
        return Target(TargetKind.INDEX, (key,))
    return Target(TargetKind.MEMORY if key in directory.documents else TargetKind.FILE, (key,))


def find_heading(headings: tuple[Heading, ...], anchor: str) -> Heading | None:
    """The heading that ``anchor`` (a slug, or the heading's own words) means."""
    wanted = heading_slug(anchor)
    return next((heading for slug, heading in anchors(headings) if slug in (anchor, wanted)), None)


# What people write when they explain how links look, and what a shell or TOML writes in double brackets.
_PLACEHOLDER = re.compile(
    r"[.…<>{}$*\d,\s-]*\Z|:\w+:|tool\.[\w.]+\Z|(?:nodiscard|deprecated|maybe_unused|noreturn|fallthrough|likely|unlikely)\Z|(?:name|names|link|links|wiki-?links?|slug|stem|memory-name|other-memory|foo|bar|x)\Z|.*[<>{}*$]",
    re.IGNORECASE,
)
# A picture or a source file: `![[map.png]]` shows it, and where it lies is not known.
_OTHER_FILE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|pdf|mp4|py|ts|js|json|ya?ml|toml|sh|txt|csv|html|css|go|rs|java|kt|sql)\Z",
    re.IGNORECASE,
)


def is_meant(link: Link) -> bool:
    """Whether a link is sure to mean a memory, or a file in this directory.

    No placeholder does; nor does a path to code or data, since these are named as the project has them.
    """
    if link.kind is LinkKind.WIKI:
        return _PLACEHOLDER.match(link.target) is None and _OTHER_FILE.search(link.target) is None
    if link.kind is LinkKind.IMAGE:
        return "/" not in link.target
    return posixpath.splitext(link.target)[1].lower() == ".md"
