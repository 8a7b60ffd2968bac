"""One memory directory as a running server holds it: its newest value, and what was found and told about it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from memory_ls.changes.moves import moves_between
from memory_ls.directory.content import Content, Unknown, text_in
from memory_ls.directory.loader import is_candidate, list_files, most_bytes, read_file
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.directory.style import Style
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.rules.check import sort_key
from memory_ls.rules.duplicates import Twins
from memory_ls.rules.registry import Diagnostic
from memory_ls.server.convert import uri_of
from memory_ls.settings import Settings
from memory_ls.text import unchanged_ends


@dataclass(slots=True)
class OpenText:
    """A document that the client has open. ``place`` is its directory's root and key, if it is in one.

    ``on_disk`` are the bytes that the disk had for it when that was last known. ``clean`` is the text that it had when
    it was last known to be the disk's: while it has that, the user has not edited it, whatever the disk has by now.
    """

    uri: str
    version: int | None
    text: str
    place: tuple[str, str] | None = None
    on_disk: Content = Unknown.UNKNOWN
    clean: str | None = None
    _disk_text: str | None = None

    @property
    def is_left(self) -> bool:
        """Whether its file is gone and the user has not edited it since: what an editor still shows is no memory then."""
        return self.on_disk is None and self.text == self.clean

    def put_into(self, directory: MemoryDirectory, key: str) -> MemoryDirectory:
        """The directory with this text in place of what it has."""
        return directory.without(key) if self.is_left else with_text(directory, key, self.text)

    def note_disk(self, content: Content) -> None:
        """The disk has these bytes for it."""
        self.on_disk, self._disk_text = content, text_in(content)
        self.note_text()

    def note_text(self) -> None:
        """Its text is another now, or the disk's is."""
        if self.text == self._disk_text:
            self.clean = self.text


class Ways(NamedTuple):
    """How the way to a file may be written: as it was given, by its directory's real path, and by its own.

    ``real`` is there when the file is a symlink to another.
    """

    given: str
    named: str
    real: str | None


def ways_to(path: Path, real_parents: dict[Path, str] | None = None) -> Ways:
    """The ways to ``path``; ``real_parents`` keeps what is known of directories from one file to the next."""
    known = real_parents if real_parents is not None else {}
    parent = known.get(path.parent)
    if parent is None:
        parent = known[path.parent] = os.path.realpath(path.parent)
    named = os.path.join(parent, path.name)
    real = os.path.realpath(named) if os.path.islink(named) else None
    return Ways(str(path), named, real if real is not None and os.path.exists(real) else None)


# So many memories that came or went last are remembered, to know them again.
_MOST_REMEMBERED = 500


@dataclass(slots=True)
class WatchedMoves:
    """Which memories somebody moved: one went, and one with the same text or name came, in whatever order."""

    away: dict[str, str] = field(default_factory=dict)
    _gone: dict[str, MemoryDocument] = field(default_factory=dict)
    _came: dict[str, None] = field(default_factory=dict)

    def note(self, old: MemoryDirectory, new: MemoryDirectory, keys: Iterable[str]) -> dict[str, str]:
        """Takes in what became of the files ``keys``; returns the moves that are seen by that, from old to new key."""
        is_news = False
        for key in keys:
            was, now = old.documents.get(key), new.documents.get(key)
            if now is not None and was is None:
                self._gone.pop(key, None)
                self.away.pop(key, None)
                self._came[key] = None
                is_news = True
            elif was is not None and now is None:
                self._came.pop(key, None)
                self._gone[key] = was
                is_news = True
        if not is_news:
            return {}
        self._gone = dict(list(self._gone.items())[-_MOST_REMEMBERED:])
        self._came = dict(list(self._came.items())[-_MOST_REMEMBERED:])
        came = {key: new.documents[key] for key in self._came if key in new.documents}
        moved = moves_between(self._gone, came)
        seen = {gone: key for gone, key in moved.items() if self.away.get(gone) != key}
        self.away = dict(list({**self.away, **moved}.items())[-_MOST_REMEMBERED:])
        return seen


@dataclass(slots=True)
class Held:
    """A memory directory that the server holds.

    ``root`` is its real path; the snapshot's own root is ``path``, as the client writes it. ``directory``
    is ``None`` until it is loaded. ``missed`` are the files that changed on the disk while it was read,
    ``due`` those that changed on it and are taken from it by and by, which is what ``taking`` does.
    ``unchecked`` are those that no rule has looked at since. ``uris`` are the URIs that
    the client used. ``settings_places`` are the directories that may hold its settings file.
    ``evidence`` are the words of chat logs that memories rest on, by key.
    """

    root: str
    path: Path
    settings: Settings = field(default_factory=Settings)
    settings_places: tuple[Path, ...] = ()
    directory: MemoryDirectory | None = None
    style: Style = field(default_factory=Style)
    quick: dict[str, list[Diagnostic]] = field(default_factory=dict)
    costly: dict[str, list[Diagnostic]] = field(default_factory=dict)
    alike: dict[str, list[Diagnostic]] = field(default_factory=dict)
    twins: Twins = field(default_factory=Twins)
    unchecked: set[str] = field(default_factory=set)
    costly_due: set[str] = field(default_factory=set)
    alike_due: set[str] = field(default_factory=set)
    published: dict[str, list[Diagnostic]] = field(default_factory=dict)
    uris: dict[str, str] = field(default_factory=dict)
    loading: asyncio.Task[None] | None = None
    is_reading: bool = False
    was_read: asyncio.Event = field(default_factory=asyncio.Event)
    missed: set[str] = field(default_factory=set)
    due: set[str] = field(default_factory=set)
    taking: asyncio.Task[None] | None = None
    moves: WatchedMoves = field(default_factory=WatchedMoves)
    evidence: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def style_in_use(self) -> Style:
        """How the directory writes, or is to write where the settings say so."""
        if self.settings.dialect == "auto":
            return self.style
        return self.style.with_dialect(Dialect(self.settings.dialect))

    def diagnostics(self, key: str) -> list[Diagnostic]:
        """All that is known about one document, in the order of the text."""
        found = [*self.quick.get(key, ()), *self.costly.get(key, ()), *self.alike.get(key, ())]
        return sorted(found, key=sort_key)

    def uri_of(self, key: str) -> str:
        """The URI of a document: the one that the client used, if it ever did."""
        return self.uris.get(key) or uri_of(os.path.join(self.path, *key.split("/")))

    def relative(self, path: Path, ways: Ways | None = None) -> str | None:
        """The path of a file relative to this directory, with ``/``; ``None`` when it lies elsewhere.

        A symlink to a file of this directory is that file: one memory must not be held twice.
        """
        given, named, real = ways or ways_to(path)
        for root, file in ((self.root, real), (str(self.path), given), (self.root, named)):
            if file is not None and file.startswith(root + os.sep):
                return file[len(root) + 1 :].replace(os.sep, "/")
        return None

    def keys_at(self, path: Path, ways: Ways | None = None) -> set[str]:
        """The files of this directory that an event about the file or directory ``path`` concerns."""
        key = self.relative(path, ways)
        if key is not None:
            return {key}
        start = str(path).rstrip(os.sep) + os.sep
        if any((root + os.sep).startswith(start) for root in (str(self.path), self.root)):  # it came or went itself
            return {".", INDEX_NAME, *(self.directory.files.names if self.directory is not None else ())}
        return set()

    def key_of(self, path: Path) -> str | None:
        """The key that the file ``path`` has, or would have, as the index or a memory of this directory."""
        key = self.relative(path)
        return key if key is not None and (key == INDEX_NAME or is_candidate(key)) else None

    def places_to_watch(self) -> set[str]:
        """The directories in which a change on the disk concerns this one, as the disk has them now.

        The one it lies in and all that may hold its settings are among them. Takes a while: it reads the disk.
        """
        try:
            inside = list_files(self.path).directories
        except OSError:
            inside = []
        return {str(self.path.parent), *inside, *map(str, self.settings_places)}

    def carry(self, key: str, old: str, new: str) -> None:
        """Moves what the costly rules found along with the text, until they run again; drops what was edited itself."""
        if not (self.costly.get(key) or self.alike.get(key)):
            return
        start, end = unchanged_ends(old, new)
        for found in (self.costly, self.alike):
            found[key] = [
                replace(item, span=item.span if item.span.end <= start else item.span.shifted(len(new) - len(old)))
                for item in found.get(key, ())
                if item.span.end <= start or item.span.start >= len(old) - end
            ]


def with_text(directory: MemoryDirectory, key: str, text: str) -> MemoryDirectory:
    """The directory with the text of an editor; one over the limit is not read, as on the disk."""
    document = directory.document(key)
    if document is not None and document.source.text == text:
        return directory
    limit = most_bytes(key)
    # A character takes at least one byte, so most texts need no counting.
    if len(text) > limit // 4 and (size := len(text.encode("utf-8", "surrogatepass"))) > limit:
        return directory.with_trouble(key, FileFacts(size, trouble=Trouble.TOO_LARGE))
    return directory.with_document(key, text, FileFacts())


def from_disk(directory: MemoryDirectory, key: str) -> MemoryDirectory:
    """The directory after the file ``key``, memory or not, was looked at on the disk again."""
    path = directory.path_of(key)
    if not os.path.lexists(path):
        return directory.without(key)
    if key != INDEX_NAME and not (is_candidate(key) and _is_own(directory, key)):
        return directory.without(key).with_files((key,))
    text, facts = read_file(path, most=most_bytes(key))
    return directory.with_trouble(key, facts) if text is None else directory.with_document(key, text, facts)


def changed_on_disk(path: Path, known: MemoryDirectory) -> set[str]:
    """The files below ``path`` that are other than ``known`` has them, by their names, sizes and times.

    A directory that is gone is reported as its index gone, and one that can't be read as unchanged.
    """
    try:
        listing = list_files(path)
    except (FileNotFoundError, NotADirectoryError):
        return {INDEX_NAME, *known.files.names}
    except OSError:
        return set()
    changed = set(listing.files) ^ known.files.names
    for key in listing.candidates:
        try:
            status = os.stat(listing.path_of(key))
        except OSError:
            changed.add(key)
            continue
        facts = known.facts.get(key)
        if facts is None or (facts.size, facts.modified_ns) != (status.st_size, status.st_mtime_ns):
            changed.add(key)
    return changed


def _is_own(directory: MemoryDirectory, key: str) -> bool:
    """Whether no sub-directory on the way to ``key`` is a memory directory of its own."""
    parents = key.split("/")[:-1]
    return not any(
        os.path.isfile(os.path.join(directory.root, *parents[: depth + 1], INDEX_NAME)) for depth in range(len(parents))
    )
