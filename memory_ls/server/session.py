"""The state of a running server: what is open, what was loaded, what was published.

It changes in place, and only on the event loop; what is held is checked by :mod:`memory_ls.server.checker`. The
features are given a snapshot.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from memory_ls.directory import discover
from memory_ls.directory.affected import affected
from memory_ls.directory.content import Content, content_of, content_on_disk
from memory_ls.directory.loader import load_in_steps
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style, style_of
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.registry import Diagnostic
from memory_ls.rules.settings_file import setting_diagnostics
from memory_ls.server.background import Background
from memory_ls.server.checker import Checker
from memory_ls.server.convert import Findings, path_of, source_of, uri_of
from memory_ls.server.editor_model import Ask
from memory_ls.server.held import Held, OpenText, changed_on_disk, from_disk, ways_to
from memory_ls.server.witness import Changed, Witness
from memory_ls.server.workspace import Workspace
from memory_ls.settings import PROJECT_FILE, Settings, user_file
from memory_ls.text import PositionEncoding

log = logging.getLogger(__name__)

# So many files that changed are taken from the disk at once; more, between messages.
_FEW = 8
# So many of those are taken before it is asked what else they change: that takes long, for one as for many.
_PORTION = 128
# More files than so many, and than this share of all, are sooner read anew with all the others than one by one.
_MANY = 256
_SHARE = 0.25
# How long, in seconds, after one look for memory directories the next may begin: a build makes directories all the time.
_BETWEEN_LOOKS = 0.3


class Place(NamedTuple):
    """A document in its directory, as the features see it.

    ``moved_away`` are memories that somebody moved without a word of it: their old and new keys. ``evidence`` are the
    words of chat logs that memories rest on, by key.
    """

    directory: MemoryDirectory
    settings: Settings
    key: str
    uri: str
    document: MemoryDocument | IndexDocument
    style: Style
    moved_away: Mapping[str, str] = MappingProxyType({})
    evidence: Mapping[str, Sequence[str]] = MappingProxyType({})


class Keeper:
    """What is done for a directory beside serving it; by this one, nothing."""

    def begin(self, directory: Path, settings: Settings) -> list[str]:
        """The directory is about to be read for the first time. Called in a thread; returns what the user should know."""
        return []

    def evidence(self, directory: Path) -> Mapping[str, Sequence[str]]:
        """The words of chat logs that memories rest on, by key. Called in a thread."""
        return {}

    def moved(self, directory: Path, moves: Mapping[str, str]) -> None:
        """Memories have other keys now. Called in a thread."""

    def tell(self, sentences: Iterable[str]) -> None:
        """Tells the user."""

    def keep(self, directory: Path, files: Mapping[str, Changed]) -> None:
        """Other programs changed these files. Called in a thread."""


class Session:
    """Open texts, loaded directories, and what the client was told about them.

    ``publish`` tells the client what was found, ``watch`` has directories watched for changes on the disk,
    ``settled`` hears when the user has paused after something changed, and when what other programs changed is kept;
    ``shown`` shows the user that work with this title goes on. ``keeper`` keeps what other programs changed in a
    directory, and mends it when it is first read. ``complete`` asks the model that the client runs, if it does,
    ``encoding`` is how it counts positions, and ``work`` tells what goes on that takes its time.
    """

    def __init__(
        self,
        publish: Callable[[Findings], None],
        watch: Callable[[frozenset[str]], None] = lambda directories: None,
        settled: Callable[[], None] = lambda: None,
        shown: Callable[[str], AbstractAsyncContextManager[None]] = lambda title: nullcontext(),
        keeper: Keeper | None = None,
    ) -> None:
        self.workspace = Workspace()
        self.complete: Ask | None = None
        self.encoding = PositionEncoding.UTF16
        self.work: list[str] = []
        self._to_client = publish
        self._watch = watch
        self._shown = shown
        self._open: dict[str, OpenText] = {}
        self._open_at: dict[tuple[str, str], OpenText] = {}
        self._held: dict[str, Held] = {}
        # The roots of the directories that are held for the workspace's sake, and not because a file in one is open.
        self._found: set[str] = set()
        # What was told about settings files, with the text that it was told of.
        self._faulty_settings: dict[Path, tuple[str, list[Diagnostic]]] = {}
        self._background = Background()
        self._keeper = keeper or Keeper()
        self.witness = Witness(self._background, self._keeper.keep, settled)
        self._checker = Checker(self._publish, settled, self._background, self._held, self._open_at)
        self._looking: asyncio.Task[None] | None = None
        self._is_looking_due = False
        self._reading = 0
        self._watched: frozenset[str] = frozenset()
        self._places: set[str] = set()
        self._watching: asyncio.Task[None] | None = None
        self._is_watching_due = False

    def configure(self, folders: Iterable[Path], options: object) -> None:
        """Takes the workspace folders and the initialization options."""
        self.workspace.configure(folders, options)

    def tell(self, sentences: Iterable[str]) -> None:
        """Tells the user what happened to the memories, or to what is remembered of them."""
        self._keeper.tell(sentences)

    def close(self) -> None:
        """Ends all background work."""
        self._checker.close()
        self._background.close()
        self.witness.close()

    def _publish(self, findings: Findings) -> None:
        """Tells the client what was found in a file.

        A file whose sub-directory becomes a memory directory of its own is let go by one directory and taken up by
        another, in any order: who lets it go says nothing when the other has already told what it found.
        """
        if findings.diagnostics or not self._is_told_of_by_another(findings):
            self._to_client(findings)

    def _is_told_of_by_another(self, findings: Findings) -> bool:
        path = path_of(findings.uri)
        if path is None:
            return False
        others = [held for held in self._held.values() if held.directory is not findings.directory]
        return any((key := held.key_of(path)) is not None and bool(held.published.get(key)) for held in others)

    # ---- what the client tells

    def opened(self, uri: str, version: int | None, text: str) -> None:
        """The client opened a document."""
        if uri in self._open:
            self.changed(uri, version, text)
            return
        opened = self._open[uri] = OpenText(uri, version, text)
        self._attach(opened, by_client=True)

    def changed(self, uri: str, version: int | None, text: str) -> None:
        """The client changed a document; ``text`` is all of it."""
        opened = self._open.get(uri)
        if opened is None:
            # Some clients send a change for what they never opened: the text is what counts.
            self.opened(uri, version, text)
            return
        opened.version, opened.text = version, text
        opened.note_text()
        self._take(opened, by_client=True)

    def saved(self, uri: str) -> None:
        """The client wrote a document to the disk."""
        opened = self._open.get(uri)
        held, key = self._placed(opened) if opened is not None else (None, "")
        if opened is not None and held is not None and held.directory is not None:
            self._note_disk(opened, content_on_disk(held.directory, key))
            self.witness.forget(held, key)

    def expect(self, texts: Mapping[str, str | None]) -> None:
        """The client is about to give files these texts (by URI), or to delete them (``None``)."""
        for uri, text in texts.items():
            path = path_of(uri)
            if path is None:
                continue
            for held in self._held.values():
                key = held.key_of(path)
                if key is not None:
                    self.witness.expect(held, {key: text})

    def texts_below(self, uri: str) -> dict[str, str]:
        """The texts of the file or of all files of the directory ``uri``, as far as they are known, by path below it.

        The file itself is there under an empty path.
        """
        path = path_of(uri)
        texts: dict[str, str] = {}
        if path is None:
            return texts
        for held in self._held.values():
            directory, key = held.directory, held.relative(path)
            if directory is None or key is None:
                continue
            for each in {*directory.documents, INDEX_NAME}:
                if each == key or each.startswith(f"{key}/"):
                    texts[each[len(key) :]] = source_of(directory, each).text
        return texts

    def text_of(self, uri: str) -> str | None:
        """The text of a document that the client has open."""
        opened = self._open.get(uri)
        return opened.text if opened is not None else None

    def version_of(self, uri: str) -> int | None:
        """The version of a document that the client has open; ``None`` for any other."""
        opened = self._open.get(uri)
        return opened.version if opened is not None else None

    def closed(self, uri: str) -> None:
        """The client closed a document: what is on the disk counts again."""
        opened = self._open.pop(uri, None)
        if opened is None or opened.place is None or self._open_at.get(opened.place) is not opened:
            return
        del self._open_at[opened.place]
        # The same file may be open a second time, under another spelling of its URI.
        other = next((other for other in self._open.values() if other.place == opened.place), None)
        held, key = self._placed(opened)
        if other is not None:
            self._attach(other)
        elif held is not None and not self._drop_if_idle(held) and held.directory is not None:
            self._refresh(held, [key])

    def folders_changed(self, added: Iterable[Path], removed: Iterable[Path]) -> None:
        """The client took folders into its workspace, or out of it."""
        self.workspace.change_folders(added, removed)
        self._settings_changed()
        self.start()

    def settings_given(self, settings: object) -> None:
        """The client sent its settings anew."""
        named, excluded = self.workspace.named, self.workspace.settings.exclude
        self.workspace.change_settings(settings)
        self._settings_changed()
        if (named, excluded) != (self.workspace.named, self.workspace.settings.exclude):
            self.start()

    def disk_changed(self, paths: Iterable[Path]) -> None:
        """Files or directories were made, written or deleted outside the editor."""
        changed: dict[str, set[str]] = {}
        is_news = settings_changed = False
        own_settings = user_file()
        # What many files have in common is asked of the disk once.
        real_parents: dict[Path, str] = {}
        for path in paths:
            ways = ways_to(path, real_parents)
            # A directory that came or went may have anything in it.
            is_directory = os.path.isdir(path)
            settings_changed |= path.name == PROJECT_FILE or path == own_settings or is_directory or not path.suffix
            is_news |= is_directory
            for held in self._held.values():
                keys = held.keys_at(path, ways)
                if keys:
                    changed.setdefault(held.root, set()).update(keys)
            # What is a memory directory hangs on its index, or on where it is.
            is_index = path.name == INDEX_NAME
            if is_index or discover.is_known_place(path.parent):
                is_news |= os.path.realpath(path.parent) not in self._held or (is_index and not os.path.exists(path))
        if settings_changed:
            self.settings_given(None)
        # The innermost first: what it no longer counts as its own may be another's then.
        for root in sorted(changed, key=len, reverse=True):
            held = self._held[root]
            is_news |= not self.workspace.is_memory_directory(held.path)  # an agent's directory without memories
            self._changed_in(held, changed[root])
        if is_news:
            self._watch_anew()
            self.start()

    # ---- what the features ask

    def place(self, uri: str) -> Place | None:
        """The document ``uri`` in its directory; ``None`` while that is loading, or when it is no memory."""
        opened = self._open.get(uri)
        path = path_of(uri)
        if opened is None:
            return self._place_on_disk(uri, path) if path is not None else None
        if path is None:
            # No file: its own text is all there is.
            return Place(MemoryDirectory(root=os.sep), Settings(), "", uri, MemoryDocument.parse(opened.text), Style())
        held, key = self._placed(opened)
        if held is None or held.directory is None:
            return None
        document = held.directory.document(key) or held.directory.others.get(key)
        return _place(held, held.directory, key, uri, document) if document else None

    def findings(self, uri: str) -> list[Diagnostic]:
        """What is found in a document as :meth:`place` has it, in the order of the text."""
        place = self.place(uri)
        held = self._held.get(os.path.realpath(place.directory.root)) if place is not None else None
        if place is None or held is None or held.directory is not place.directory:
            return []
        if place.key in held.unchecked:
            self._checker.check(held, place.key)
        return held.diagnostics(place.key)

    async def placed(self, uri: str) -> Place | None:
        """As :meth:`place`, once the directory of an open document has been read.

        For what editors ask as soon as they have opened a document, and not again before it changes.
        """
        while (opened := self._open.get(uri)) is not None:
            held, _ = self._placed(opened)
            if held is None or held.directory is not None or held.loading is None or held.loading.done():
                break
            was_read = asyncio.ensure_future(held.was_read.wait())
            try:
                await asyncio.wait([held.loading, was_read], return_when=asyncio.FIRST_COMPLETED)
            finally:
                was_read.cancel()
        return self.place(uri)

    def uri_of(self, directory: MemoryDirectory, key: str) -> str:
        """The URI of a document, as the client has it where it ever had it open."""
        # Asked once for each place in an answer, so the file system is left out of it where it can be.
        held = next((held for held in self._held.values() if held.directory is directory), None)
        held = held or self._held.get(os.path.realpath(directory.root))
        return held.uri_of(key) if held is not None else uri_of(directory.path_of(key))

    def _place_on_disk(self, uri: str, path: Path) -> Place | None:
        for held in self._held.values():
            key = held.key_of(path)
            document = held.directory.document(key) if held.directory is not None and key is not None else None
            if document is not None and held.directory is not None and key is not None:
                return _place(held, held.directory, key, uri, document)
        return None

    def held_at(self, path: Path) -> Held:
        """The directory at ``path``, read or, where there is none yet, empty."""
        held = self._held.get(os.path.realpath(path))
        if held is not None and held.directory is not None:
            return held
        settings = self.workspace.settings_for(path).settings
        return Held(os.path.realpath(path), path, settings, directory=MemoryDirectory(str(path)))

    def as_on_disk(self, held: Held) -> tuple[MemoryDirectory, frozenset[str]]:
        """A directory that was read with the texts that the disk has, and the files that the client has edited and not saved."""
        directory = held.directory
        assert directory is not None
        unsaved = set()
        for (root, key), opened in self._open_at.items():
            if root == held.root:
                directory = from_disk(directory, key)
                if opened.text not in (source_of(directory, key).text, opened.clean):
                    unsaved.add(key)
        return directory, frozenset(unsaved)

    def read_evidence(self, held: Held) -> None:
        """Finds out by and by what the memories of a directory rest on."""

        async def read() -> None:
            found = await asyncio.to_thread(self._keeper.evidence, held.path)
            # It may be held anew by now.
            (self._held.get(held.root) or held).evidence = found

        self._background.run(read())

    def _note_moves(self, held: Held, old: MemoryDirectory, new: MemoryDirectory, keys: Iterable[str]) -> None:
        """Takes in which memories were moved, by whomever; what they rest on goes with them."""
        moves = held.moves.note(old, new, keys)
        if not held.evidence or not moves:
            return

        async def follow() -> None:
            await asyncio.to_thread(self._keeper.moved, held.path, moves)
            self.read_evidence(held)

        self._background.run(follow())

    def loaded(self) -> list[MemoryDirectory]:
        """The newest value of every directory that has been read."""
        return [held.directory for held in self._held.values() if held.directory is not None]

    def held(self) -> list[Held]:
        """All that is held, read or not."""
        return list(self._held.values())

    async def ready(self) -> None:
        """Waits until every memory directory is found, read and looked at; the costly rules may still be at it."""
        while pending := [task for task in self._readers() if not task.done()]:
            await asyncio.wait(pending)

    async def all_checked(self) -> None:
        """Waits until every rule, also the costly ones, has looked at all."""
        await self.ready()
        await self._checker.check_costly()

    def _readers(self) -> Iterator[asyncio.Task[None]]:
        if self._looking is not None:
            yield self._looking
        for held in self._held.values():
            yield from filter(None, (held.loading, held.taking))

    async def looked_at(self, uri: str) -> str:
        """Waits until a document was looked at; returns the URI under which its findings are told."""
        await self.placed(uri)
        opened = self._open.get(uri)
        if opened is None:
            return await self._told_as(uri)
        held, key = self._placed(opened)
        if held is None or held.directory is None:
            return uri
        if key in held.unchecked:
            self._checker.check(held, key, edited=True, by_client=True)
        return held.uri_of(key)

    async def _told_as(self, uri: str) -> str:
        """The URI under which the findings of a file are told that is not open under this one."""
        path = path_of(uri)
        if path is None:
            return uri
        await self.ready()
        for held in self._held.values():
            key = held.key_of(path)
            if key is not None and (key in held.published or key in held.quick):
                return held.uri_of(key)
        return uri_of(path)

    # ---- open documents

    def _attach(self, opened: OpenText, *, by_client: bool = False) -> None:
        """Finds the directory of an open document, and puts the text into it."""
        found = self._find(path_of(opened.uri))
        if found is None:
            return
        held, key = found
        opened.place = (held.root, key)
        if held.directory is not None and opened.place not in self._open_at:
            opened.note_disk(content_of(held.directory, key))
        self._open_at[opened.place] = opened
        self._use_uri(held, key, opened.uri)
        self._take(opened, by_client=by_client)
        self._load(held)

    def _find(self, path: Path | None) -> tuple[Held, str] | None:
        """The directory that a markdown file belongs to, and its key there."""
        if path is None or path.suffix.lower() != ".md":
            return None
        found = self.workspace.directory_of(path)
        if found is None:
            return None
        root = os.path.realpath(found)
        held = self._held.get(root) or Held(root, found)
        key = held.key_of(path)
        # Held only now: for a file that is none of its own, a directory would be held, and never read.
        return (self._hold(found), key) if key is not None else None

    def _attach_all(self) -> None:
        """Finds the directories of all open documents anew, since directories came or went."""
        for opened in list(self._open.values()):
            found = self._find(path_of(opened.uri))
            if opened.place == ((found[0].root, found[1]) if found else None):
                continue
            held, key = self._placed(opened)
            if opened.place is not None:
                self._open_at.pop(opened.place, None)
                opened.place = None
            if held is not None and held.directory is not None:
                self._refresh(held, [key])
            self._attach(opened)

    def _take(self, opened: OpenText, *, by_client: bool = False) -> None:
        """Puts the text of an open document in place of what the directory has; ``by_client`` when it has just come."""
        held, key = self._placed(opened)
        if held is None or held.directory is None or self._open_at.get((held.root, key)) is not opened:
            return
        self._background.step_aside()
        directory = opened.put_into(held.directory, key)
        self._replace(held, held.directory, directory, [key], by_client=by_client)

    def _note_disk(self, opened: OpenText, content: Content) -> None:
        """The disk has these bytes for an open document."""
        was_left = opened.is_left
        opened.note_disk(content)
        if opened.is_left != was_left:
            self._take(opened)

    def _use_uri(self, held: Held, key: str, uri: str) -> None:
        """From now on, speaks of a document by the URI that the client uses; forgets it under any other."""
        known = held.uri_of(key)
        if known != uri and held.published.pop(key, []):
            self._publish(Findings(known, None, source_of(held.directory, key), []))
        held.uris[key] = uri

    def _placed(self, opened: OpenText) -> tuple[Held | None, str]:
        if opened.place is None:
            return None, ""
        return self._held.get(opened.place[0]), opened.place[1]

    # ---- directories

    def _hold(self, path: Path) -> Held:
        root = os.path.realpath(path)
        held = self._held.get(root)
        if held is None:
            held = self._held[root] = Held(root, path)
            self._read_settings(held)
        return held

    def start(self) -> None:
        """Looks for memory directories in the workspace folders, in the background; once more when it is at that."""
        self._is_looking_due = True
        if self._looking is None or self._looking.done():
            self._looking = self._background.run(self._look())

    async def _look(self) -> None:
        while self._is_looking_due:
            self._is_looking_due = False
            await self._discover()
            if self._is_looking_due:
                await asyncio.sleep(_BETWEEN_LOOKS)

    async def _discover(self) -> None:
        loop = asyncio.get_running_loop()
        looked_for = await loop.run_in_executor(None, self.workspace.look)
        self._places = await loop.run_in_executor(None, self.workspace.places_to_watch)
        # Asked again, since looking took a while.
        found = [self._hold(path) for path in looked_for if self.workspace.is_memory_directory(path)]
        self._found = {held.root for held in found}
        for held in found:
            self._load(held)
        self._attach_all()
        for held in self.held():
            if not self._drop_if_idle(held):
                self._load_if_otherwise(held)
        self._watch_anew()

    def _load(self, held: Held, *, again: bool = False) -> None:
        if held.loading is not None:
            if not again:
                return
            held.loading.cancel()
        held.is_reading = True
        held.missed |= held.due
        held.due.clear()
        held.loading = self._background.run(self._load_shown(held))

    async def _load_shown(self, held: Held) -> None:
        async with self._shown(f"Reading memories in {held.path.name}"):
            await self._load_and_check(held)

    async def _load_and_check(self, held: Held) -> None:
        try:
            directory = await self._read(held)
            if directory is not None and self._held.get(held.root) is held:
                self._take_up(held, directory)
        finally:
            if held.loading is asyncio.current_task() and held.is_reading:
                held.is_reading, held.loading = False, None  # so that it can be tried again
        if held.directory is None or self._held.get(held.root) is not held or held.is_reading:
            return
        await self._checker.check_all(held)
        # Who links to a name is asked when one changes. The answer takes every text: each is looked at in advance,
        # a few at a time, and the answer itself is then quickly put together.
        await self._background.in_slices(held.directory.sources_in_steps())
        held.directory = held.directory.with_sources()
        gc.freeze()

    def _take_up(self, held: Held, directory: MemoryDirectory) -> None:
        """Puts a directory that was read into use, with the texts that are open and what changed in the meantime."""
        if held.directory is not None:
            self._witness_closed(
                held, held.directory, directory, {*held.directory.documents, *directory.documents, INDEX_NAME}
            )
            self._note_moves(
                held, held.directory, directory, held.directory.documents.keys() ^ directory.documents.keys()
            )
        for (root, key), opened in self._open_at.items():
            if root == held.root:
                before = opened.on_disk
                opened.note_disk(content_of(directory, key))
                self.witness.saw_content(held, key, before, opened.on_disk)
                directory = opened.put_into(directory, key)
        held.is_reading = False
        held.directory = directory
        held.was_read.set()
        held.style = style_of(directory)
        self._watch_anew()
        # What was loaded stays: the collector need not walk over it again and again.
        gc.freeze()
        self._load_if_otherwise(held)
        missed, held.missed = held.missed, set()
        if missed:
            self._changed_in(held, missed)

    async def _read(self, held: Held) -> MemoryDirectory | None:
        if held.directory is None:
            loop = asyncio.get_running_loop()
            self.tell(await loop.run_in_executor(None, self._keeper.begin, held.path, held.settings))
            self.read_evidence(held)
        lenient = self._is_lenient(held)
        gc.disable()  # nothing that is read here is garbage, and looking for some takes longer than reading
        self._reading += 1
        try:
            return await self._background.in_slices(load_in_steps(held.path, lenient=lenient))
        except (FileNotFoundError, NotADirectoryError):
            # The client has the first memory of a new directory open, and has not saved it yet.
            return MemoryDirectory(str(held.path), lenient)
        except OSError as error:
            log.error("A memory directory can't be read: %s", error.strerror)
            self._forget(held)
            return None
        finally:
            self._reading -= 1
            if not self._reading:
                gc.freeze()  # the first look at all that was read would hold up a key
                gc.enable()

    def _is_lenient(self, held: Held) -> bool:
        """Whether every markdown file in a directory counts as a memory."""
        return any(discover.is_lenient(path, self.workspace.named) for path in (held.path, Path(held.root)))

    def _load_if_otherwise(self, held: Held) -> None:
        """Reads a directory again when other files count: settings that name it make a memory of every one in it."""
        if held.directory is not None and not held.is_reading and held.directory.lenient != self._is_lenient(held):
            self._load(held, again=True)

    def _forget(self, held: Held) -> None:
        """Lets go of a directory and of the places of open documents in it."""
        self._held.pop(held.root, None)
        held.due.clear()
        for place in [place for place in self._open_at if place[0] == held.root]:
            self._open_at.pop(place).place = None

    def _changed_in(self, held: Held, keys: set[str]) -> None:
        """Takes what changed on the disk in one directory."""
        if held.is_reading:
            held.missed |= keys
            return
        directory = held.directory
        if directory is None:
            return
        # Nobody tells of the files in a directory that came, and many files are sooner read anew than one by one.
        is_many = len(keys | held.due) > max(_MANY, _SHARE * len(directory.files.names))
        if is_many or any(os.path.isdir(directory.path_of(key)) for key in keys - {INDEX_NAME}):
            held.missed |= keys & {INDEX_NAME}
            self._load(held, again=True)
            return
        # What became of a directory, or of the index in it, concerns all files below.
        below = {f"{key}/" for key in keys if key in directory.files.directories}
        below |= {key.removesuffix(INDEX_NAME) for key in keys if key.endswith(f"/{INDEX_NAME}")}
        keys = keys | {name for name in directory.files.names if below and name.startswith(tuple(below))}
        self._look_at_open(held, keys)
        if len(keys) > _FEW:
            self._take_by_and_by(held, keys)
            return
        held.due -= keys
        old = held.directory
        assert old is not None
        new = self._refresh(held, sorted(keys))
        self._witness_closed(held, old, new, keys)
        self._drop_if_none(held, keys)

    def _take_by_and_by(self, held: Held, keys: set[str]) -> None:
        """Takes many files from the disk again, between messages."""
        held.due |= keys
        if held.taking is None or held.taking.done():
            held.taking = self._background.run(self._take_due(held))

    async def _take_due(self, held: Held) -> None:
        while held.due:
            await self._take_portion(held)

    async def _take_portion(self, held: Held) -> None:
        """Takes a part of what is due, and checks what that may have changed."""
        old = held.directory
        assert old is not None
        new, texts_changed = await self._background.in_slices(self._take_in_steps(held, old))
        keys = texts_changed.keys()
        # Asked in a thread, since names that come or go take long: the answer is of two values, whatever happens now.
        touched = await asyncio.get_running_loop().run_in_executor(None, affected, old, new, keys)
        if self._held.get(held.root) is not held:
            return
        self._witness_closed(held, old, new, keys)
        self._note_moves(held, old, new, keys)
        self._watch_if_others(old, new)
        held.costly_due |= _costly_after(old, new, keys, touched)
        edited = {key for key, is_changed in texts_changed.items() if is_changed}
        await self._checker.check_some(held, keys | touched, edited=edited)
        self._checker.wake()
        if self._held.get(held.root) is held:
            self._drop_if_none(held, keys)

    def _take_in_steps(
        self, held: Held, directory: MemoryDirectory
    ) -> Generator[None, None, tuple[MemoryDirectory, dict[str, bool]]]:
        """Takes files that are due, each in a step, until there are many or something else changed the directory.

        Had it gone on then, what changed there and back would be no change, and who was checked between kept wrong.
        Returns the last value that it made, and which files it took: whether each has another text than before.
        """
        taken: dict[str, bool] = {}
        for key in sorted(held.due)[:_PORTION]:
            if held.directory is not directory:
                break
            if key in held.due:
                held.due.discard(key)
                if (held.root, key) not in self._open_at:
                    directory, before = from_disk(directory, key), directory
                    held.directory = directory
                    # Told when it was checked: until then, what is known of it is of its old text.
                    held.unchecked.add(key)
                    taken[key] = _carry(held, before, directory, key)
                yield
        return directory, taken

    def _look_at_open(self, held: Held, keys: Collection[str]) -> None:
        """Takes in, and tells the witness, what became on the disk of those of the files ``keys`` that are open."""
        for key in sorted(keys):
            opened = self._open_at.get((held.root, key))
            if opened is not None and held.directory is not None:
                before = opened.on_disk
                self._note_disk(opened, content_on_disk(held.directory, key))
                # What the client has just saved is seen here before it says so, and then forgotten.
                self.witness.saw_content(held, key, before, opened.on_disk)

    def _witness_closed(self, held: Held, old: MemoryDirectory, new: MemoryDirectory, keys: Collection[str]) -> None:
        """Tells the witness what became on the disk of those of the files ``keys`` that are not open."""
        self.witness.saw(held, old, new, sorted(key for key in keys if (held.root, key) not in self._open_at))

    def _drop_if_none(self, held: Held, changed: Collection[str]) -> bool:
        """Forgets a directory that is no memory directory any more, since its index went."""
        if INDEX_NAME not in changed or os.path.isfile(held.path / INDEX_NAME):
            return False
        named = self.workspace.named
        if discover.is_known_place(held.path) or held.path in named or held.root in map(str, named):
            return False
        self._drop(held)
        return True

    def _drop_if_idle(self, held: Held) -> bool:
        """Forgets a directory that is not the workspace's, once no file in it is open."""
        is_looking = self._looking is not None and not self._looking.done() and not self._is_in_discovery()
        if is_looking or held.root in self._found or any(root == held.root for root, _ in self._open_at):
            return False
        self._drop(held)
        return True

    def _is_in_discovery(self) -> bool:
        return asyncio.current_task() is self._looking

    def _drop(self, held: Held) -> None:
        """Forgets a directory and takes back what was told about it."""
        if held.loading is not None and held.loading is not asyncio.current_task():
            held.loading.cancel()
        told, held.published = held.published, {}
        for key in [key for key, diagnostics in told.items() if diagnostics]:
            self._publish(Findings(held.uri_of(key), None, source_of(held.directory, key), []))
        self._forget(held)
        self._settings_changed()  # its settings file is nobody's now
        self._watch_anew()
        self._checker.wake()

    # ---- the disk

    def _watch_anew(self) -> None:
        """Has what is to be watched now watched, once the work at hand is done."""
        self._is_watching_due = True
        if self._watching is None or self._watching.done():
            self._watching = self._background.run(self._watch_now())

    def _watch_if_others(self, old: MemoryDirectory, new: MemoryDirectory) -> None:
        """As :meth:`_watch_anew`, when sub-directories came or went."""
        if old.files is not new.files and old.files.directories != new.files.directories:
            self._watch_anew()

    async def _watch_now(self) -> None:
        # One at a time: who began earlier may know less, and must not have the last word.
        while self._is_watching_due:
            await asyncio.sleep(0)
            self._is_watching_due = False
            loop = asyncio.get_running_loop()
            # Without what went since it was looked for.
            wanted = await loop.run_in_executor(None, set, filter(os.path.isdir, list(self._places)))
            for held in self.held():
                wanted |= await loop.run_in_executor(None, held.places_to_watch)
            if wanted != self._watched and not self._is_watching_due:
                self._watched = frozenset(wanted)
                self._watch(self._watched)

    def rescan(self) -> None:
        """Looks for what changed on the disk while nobody watched."""
        self.settings_given(None)
        self.start()
        self._background.run(self._rescan())

    async def _rescan(self) -> None:
        loop = asyncio.get_running_loop()
        for held in self.held():
            if held.directory is not None:
                keys = await loop.run_in_executor(None, changed_on_disk, held.path, held.directory)
                if keys and self._held.get(held.root) is held:
                    self._changed_in(held, keys)

    # ---- settings

    def _read_settings(self, held: Held) -> set[Path]:
        """Reads the settings that hold in a directory and tells what is wrong in their files; returns those files."""
        loaded = self.workspace.settings_for(held.path)
        held.settings = loaded.settings
        held.settings_places = self.workspace.settings_places(held.path)
        faulty = {Path(problem.source) for problem in loaded.problems if os.path.isabs(problem.source)}
        for path in faulty:
            source, found = setting_diagnostics(path, loaded)
            if self._faulty_settings.get(path) != (source.text, found):
                self._faulty_settings[path] = source.text, found
                self._publish(Findings(uri_of(path), None, source, found))
        return faulty

    def _settings_changed(self) -> None:
        """Reads the settings of all directories again, and takes back what was told about files that are right now."""
        faulty: set[Path] = set()
        for held in self._held.values():
            before = held.settings
            faulty |= self._read_settings(held)
            if held.settings != before and held.directory is not None:
                self._background.run(self._checker.check_all(held))
        for path in self._faulty_settings.keys() - faulty:
            del self._faulty_settings[path]
            self._publish(Findings(uri_of(path), None, source_of(None, ""), []))

    # ---- edits and checks

    def _refresh(self, held: Held, keys: Iterable[str]) -> MemoryDirectory:
        """Takes the files ``keys`` from the disk again, except those that are open; returns what that made."""
        old = new = held.directory
        assert old is not None
        assert new is not None
        keys = [key for key in keys if (held.root, key) not in self._open_at]
        for key in keys:
            new = from_disk(new, key)
        self._replace(held, old, new, keys)
        return new

    def _replace(
        self,
        held: Held,
        old: MemoryDirectory,
        new: MemoryDirectory,
        keys: Iterable[str],
        *,
        by_client: bool = False,
    ) -> None:
        """Puts a new value in place of the old and checks what may have changed."""
        held.directory = new
        self._watch_if_others(old, new)
        keys = list(keys)
        self._note_moves(held, old, new, keys)
        edited = {key for key in keys if _carry(held, old, new, key) or (held.root, key) in self._open_at}
        touched = affected(old, new, keys) - set(keys)
        # What was edited first, since that is what the user looks at.
        for key in [*keys, *touched]:
            self._checker.check(held, key, edited=key in edited, by_client=by_client and key in edited)
        held.costly_due |= _costly_after(old, new, keys, touched)
        self._checker.wake()


def _place(
    held: Held, directory: MemoryDirectory, key: str, uri: str, document: MemoryDocument | IndexDocument
) -> Place:
    return Place(directory, held.settings, key, uri, document, held.style_in_use, held.moves.away, held.evidence)


def _carry(held: Held, old: MemoryDirectory, new: MemoryDirectory, key: str) -> bool:
    """Moves what was found in a document along with its text; whether that is another now."""
    before, after = source_of(old, key).text, source_of(new, key).text
    held.carry(key, before, after)
    return before != after


def _costly_after(
    old: MemoryDirectory, new: MemoryDirectory, changed: Iterable[str], touched: Iterable[str]
) -> set[str]:
    """What the costly rules have to look at: what changed, and what the index made a memory of, or no longer does."""
    return {*changed, *(key for key in touched if (key in old.documents) != (key in new.documents))}
