"""The state of a running server: what is open, what was loaded, what was published.

Only this module changes in place, and only on the event loop. Everything else is given a snapshot.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from memory_ls.directory import discover
from memory_ls.directory.affected import affected
from memory_ls.directory.loader import (
    MOST_INDEX_BYTES,
    MOST_MEMORY_BYTES,
    is_candidate,
    load_in_steps,
    read_file,
)
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.directory.style import Style, style_of
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import all_keys, check_costly, check_document, check_together, sort_key
from memory_ls.rules.registry import RULES, Context, Diagnostic
from memory_ls.server.convert import path_of, uri_of
from memory_ls.settings import Settings
from memory_ls.settings import load as load_settings

log = logging.getLogger(__name__)

# How long the user must pause, in seconds, before the costly rules run.
_IDLE = 0.35
# How long the loop may be held by one piece of background work, in seconds.
_SLICE = 0.005
# How long background work steps aside, in seconds, after each piece while the user is typing.
_ASIDE = 0.02
_NOT_SETTINGS = frozenset({"complete", "apiKey", "apiKeys"})


@dataclass(slots=True)
class OpenText:
    """A document that the client has open. ``place`` is its directory's root and key, if it is in one."""

    uri: str
    version: int | None
    text: str
    place: tuple[str, str] | None = None


@dataclass(slots=True)
class Held:
    """A memory directory that the server holds.

    ``root`` is its real path; the snapshot's own root is the path as the client writes it. ``directory``
    is ``None`` until it is loaded.
    """

    root: str
    path: Path
    settings: Settings
    directory: MemoryDirectory | None = None
    style: Style = field(default_factory=Style)
    quick: dict[str, list[Diagnostic]] = field(default_factory=dict)
    costly: dict[str, list[Diagnostic]] = field(default_factory=dict)
    together: dict[str, list[Diagnostic]] = field(default_factory=dict)
    costly_due: set[str] = field(default_factory=set)
    published: dict[str, list[Diagnostic]] = field(default_factory=dict)
    loading: asyncio.Task[None] | None = None

    def diagnostics(self, key: str) -> list[Diagnostic]:
        """All that is known about one document, in the order of the text."""
        found = [*self.quick.get(key, ()), *self.costly.get(key, ()), *self.together.get(key, ())]
        return sorted(found, key=sort_key)


class Place(NamedTuple):
    """A document in its directory, as the features see it."""

    directory: MemoryDirectory
    settings: Settings
    key: str
    uri: str
    document: MemoryDocument | IndexDocument
    style: Style


Publish = Callable[[Held, str, str, int | None, list[Diagnostic]], None]


class Session:
    """Open texts, loaded directories, and what the client was told about them."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._open: dict[str, OpenText] = {}
        self._held: dict[str, Held] = {}
        self._options: Mapping[str, object] = {}
        self._folders: list[Path] = []
        self._idle: asyncio.TimerHandle | None = None
        self._costly: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._last_edit = 0.0

    def configure(self, folders: Iterable[Path], options: object) -> None:
        """Takes the workspace folders and the initialization options."""
        self._folders = list(folders)
        given = options if isinstance(options, Mapping) else {}
        self._options = {key: value for key, value in given.items() if key not in _NOT_SETTINGS}

    def start(self) -> None:
        """Looks for memory directories in the workspace folders, in the background."""
        self._run(self._discover())

    def close(self) -> None:
        """Ends all background work."""
        if self._idle is not None:
            self._idle.cancel()
        for task in list(self._tasks):
            task.cancel()

    # ---- what the client tells

    def opened(self, uri: str, version: int | None, text: str) -> None:
        """The client opened a document."""
        opened = self._open[uri] = OpenText(uri, version, text)
        path = path_of(uri)
        if path is None or path.suffix.lower() != ".md":
            return
        root = discover.directory_of(path, self._named())
        if root is None:
            return
        held = self._hold(root)
        key = self._key(held, path)
        if key is not None:
            opened.place = (held.root, key)
            if held.directory is not None:
                self._put(held, key, text)
            elif held.loading is None:
                self._load(held)

    def changed(self, uri: str, version: int | None, text: str) -> None:
        """The client changed a document; ``text`` is all of it."""
        opened = self._open.get(uri)
        if opened is None:
            # Some clients send a change for what they never opened: the text is what counts.
            self.opened(uri, version, text)
            return
        opened.version, opened.text = version, text
        held, key = self._placed(opened)
        if held is not None and held.directory is not None:
            self._put(held, key, text)

    def closed(self, uri: str) -> None:
        """The client closed a document: what is on the disk counts again."""
        opened = self._open.pop(uri, None)
        if opened is None:
            return
        held, key = self._placed(opened)
        if held is not None and held.directory is not None:
            self.refresh(held, [key])

    def disk_changed(self, paths: Iterable[Path]) -> None:
        """Files were made, written or deleted outside the editor."""
        by_root: dict[str, list[str]] = {}
        for path in paths:
            for held in self._held.values():
                key = self._key(held, path)
                if key is not None and held.directory is not None:
                    by_root.setdefault(held.root, []).append(key)
        for root, keys in by_root.items():
            self.refresh(self._held[root], keys)

    def refresh(self, held: Held, keys: Iterable[str]) -> None:
        """Takes the files ``keys`` from the disk again, except those that are open."""
        open_keys = {opened.place[1] for opened in self._open.values() if opened.place and opened.place[0] == held.root}
        old = new = held.directory
        assert old is not None
        assert new is not None
        keys = [key for key in keys if key not in open_keys]
        for key in keys:
            new = _from_disk(new, key)
        self._replace(held, old, new, keys)

    # ---- what the features ask

    def place(self, uri: str) -> Place | None:
        """The document ``uri`` in its directory; ``None`` while that is loading, or when it is no memory."""
        opened = self._open.get(uri)
        if opened is None:
            path = path_of(uri)
            return self._place_on_disk(uri, path) if path is not None else None
        held, key = self._placed(opened)
        if held is None:
            # No file, or one outside of all memory directories: its own text is all there is.
            return Place(MemoryDirectory(root=os.sep), Settings(), "", uri, MemoryDocument.parse(opened.text), Style())
        if held.directory is None:
            return None
        document = held.directory.document(key) or held.directory.others.get(key)
        return Place(held.directory, held.settings, key, uri, document, held.style) if document else None

    def uri_of(self, directory: MemoryDirectory, key: str) -> str:
        """The URI of a document, as the client has it where it is open."""
        real = os.path.realpath(directory.root)
        for opened in self._open.values():
            if opened.place == (real, key):
                return opened.uri
        return uri_of(directory.path_of(key))

    # ---- directories

    def _named(self) -> tuple[Path, ...]:
        names = self._options.get("directories")
        given = names if isinstance(names, list) else []
        return tuple(Path(os.path.realpath(os.path.expanduser(name))) for name in given if isinstance(name, str))

    def _hold(self, path: Path) -> Held:
        root = os.path.realpath(path)
        held = self._held.get(root)
        if held is None:
            stop = next((folder for folder in self._folders if folder == path or folder in path.parents), None)
            loaded = load_settings(path, stop=stop, overrides=self._options, known_rules=RULES.keys())
            for problem in loaded.problems:
                log.warning("%s: %s", problem.source, problem.message)
            held = self._held[root] = Held(root, path, loaded.settings)
        return held

    def _key(self, held: Held, path: Path) -> str | None:
        """The key that the file ``path`` has, or would have, in a directory."""
        for root, file in (
            (str(held.path), str(path)),
            (held.root, os.path.realpath(path.parent) + os.sep + path.name),
        ):
            if file.startswith(root + os.sep):
                key = file[len(root) + 1 :].replace(os.sep, "/")
                return key if key == INDEX_NAME or is_candidate(key) else None
        return None

    def _placed(self, opened: OpenText) -> tuple[Held | None, str]:
        if opened.place is None:
            return None, ""
        return self._held.get(opened.place[0]), opened.place[1]

    def _place_on_disk(self, uri: str, path: Path) -> Place | None:
        for held in self._held.values():
            key = self._key(held, path)
            document = held.directory.document(key) if held.directory is not None and key is not None else None
            if document is not None and held.directory is not None and key is not None:
                return Place(held.directory, held.settings, key, uri, document, held.style)
        return None

    async def _discover(self) -> None:
        loop = asyncio.get_running_loop()
        named = self._named()
        for folder in self._folders:
            for path in await loop.run_in_executor(None, discover.directories_below, folder, named):
                self._load(self._hold(path))
            project = discover.project_directory(folder)
            if discover.is_memory_directory(project, named):
                self._load(self._hold(project))
        for path in named:
            if path.is_dir():
                self._load(self._hold(path))

    def _load(self, held: Held) -> None:
        if held.loading is None:
            held.loading = self._run(self._load_and_check(held))

    async def _load_and_check(self, held: Held) -> None:
        gc.disable()  # nothing that is read here is garbage, and looking for some takes longer than reading
        try:
            directory = await self._in_slices(
                load_in_steps(held.path, lenient=discover.is_lenient(held.path, self._named()))
            )
        except OSError as error:
            log.error("A memory directory can't be read: %s", error.strerror)
            self._held.pop(held.root, None)
            return
        finally:
            gc.enable()
        assert isinstance(directory, MemoryDirectory)
        for opened in self._open.values():
            if opened.place and opened.place[0] == held.root:
                directory = _with_text(directory, opened.place[1], opened.text)
        held.directory = directory
        held.style = style_of(directory)
        # What was loaded stays: the collector need not walk over it again and again.
        gc.freeze()
        # What is on the screen first.
        keys = all_keys(self._context(held))
        on_screen = {opened.place[1] for opened in self._open.values() if opened.place and opened.place[0] == held.root}
        await self._in_slices(self._check_in_steps(held, sorted(keys, key=lambda key: key not in on_screen)))
        held.costly_due.update(keys)
        self._wake()

    def _check_in_steps(self, held: Held, keys: list[str]) -> Iterator[None]:
        for key in keys:
            if key not in held.quick:
                self._check(held, key)
            yield

    def _context(self, held: Held) -> Context:
        assert held.directory is not None
        return Context(held.directory, held.settings, date.today())

    # ---- edits

    def _put(self, held: Held, key: str, text: str) -> None:
        self._last_edit = asyncio.get_running_loop().time()
        old = held.directory
        assert old is not None
        self._replace(held, old, _with_text(old, key, text), [key])

    def _replace(self, held: Held, old: MemoryDirectory, new: MemoryDirectory, keys: Iterable[str]) -> None:
        """Puts a new value in place of the old and checks what may have changed."""
        held.directory = new
        keys = list(keys)
        # What was edited first, since that is what the user looks at.
        for key in [*keys, *(affected(old, new, keys) - set(keys))]:
            self._check(held, key, edited=key in keys)
        held.costly_due.update(keys)
        self._wake()

    def _check(self, held: Held, key: str, *, edited: bool = False) -> None:
        held.quick[key] = check_document(self._context(held), key)
        self._tell(held, key, edited=edited)

    def _tell(self, held: Held, key: str, *, edited: bool = False) -> None:
        """Publishes what is known about one document, when that differs from what the client was told."""
        assert held.directory is not None
        diagnostics = held.diagnostics(key)
        opened = next((o for o in self._open.values() if o.place == (held.root, key)), None)
        if held.settings.diagnostic_scope == "open" and opened is None:
            diagnostics = []
        if diagnostics == held.published.get(key, []) and not (edited and opened):
            return
        held.published[key] = diagnostics
        uri = opened.uri if opened else uri_of(held.directory.path_of(key))
        self._publish(held, key, uri, opened.version if opened else None, diagnostics)

    # ---- costly rules, when idle

    def _wake(self) -> None:
        """Puts the costly rules off until the user has paused; what they were at stops, and goes on then."""
        if self._idle is not None:
            self._idle.cancel()
        if self._costly is not None:
            self._costly.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE, self._start_costly)

    def _start_costly(self) -> None:
        self._costly = self._run(self._check_costly())

    async def _check_costly(self) -> None:
        for held in list(self._held.values()):
            if held.directory is not None and held.costly_due:
                await self._in_slices(self._costly_in_steps(held))

    def _costly_in_steps(self, held: Held) -> Iterator[None]:
        while held.costly_due and held.directory is not None:
            key = held.costly_due.pop()
            held.costly[key] = check_costly(self._context(held), key)
            self._tell(held, key)
            yield
        if held.directory is None:
            return
        held.style = style_of(held.directory)
        together = check_together(self._context(held))
        changed = {key for key in held.together.keys() | together.keys() if held.together.get(key) != together.get(key)}
        held.together = together
        for key in changed:
            self._tell(held, key)
            yield

    async def _in_slices(self, steps: Iterator[object]) -> object:
        """Runs a generator to its end, a few milliseconds at a time, so that messages are answered between."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _SLICE
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value
            if loop.time() >= until:
                await asyncio.sleep(_ASIDE if loop.time() - self._last_edit < _IDLE else 0)
                until = loop.time() + _SLICE

    def _run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Background work failed", exc_info=error)


def _with_text(directory: MemoryDirectory, key: str, text: str) -> MemoryDirectory:
    """The directory with the text of an editor; one over the limit is not read, as on the disk."""
    limit = MOST_INDEX_BYTES if key == INDEX_NAME else MOST_MEMORY_BYTES
    # A character takes at least one byte, so most texts need no counting.
    if len(text) > limit // 4 and len(text.encode("utf-8", "surrogatepass")) > limit:
        return directory.with_trouble(key, FileFacts(len(text), trouble=Trouble.TOO_LARGE))
    return directory.with_document(key, text, FileFacts(len(text)))


def _from_disk(directory: MemoryDirectory, key: str) -> MemoryDirectory:
    path = directory.path_of(key)
    if not os.path.lexists(path):
        return directory.without(key)
    text, facts = read_file(path, is_index=key == INDEX_NAME)
    return directory.with_trouble(key, facts) if text is None else directory.with_document(key, text, facts)
