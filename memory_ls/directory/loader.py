"""Reads a memory directory from the disk, in bulk and in steps, so that a server can do other things between."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from pathlib import Path

from memory_ls.directory.discover import is_lenient
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.directory.steps import result_of
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument

_MOST_MEMORY_BYTES = 1 << 20
# An index of 10,000 memories takes about 1.5 MB: it is loaded in part by agents, and whole by us.
_MOST_INDEX_BYTES = 8 << 20
MEMBER_DEPTH = 2
_LISTING_DEPTH = 4
MOST_ENTRIES = 50_000
_STEP = 64
# Read in pieces of this size: one large buffer for each file costs four times as much.
_PIECE = 32 * 1024
# Not blocking, since opening a named pipe waits for a writer.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
BOM = b"\xef\xbb\xbf"
_NOT_MEMBERS = frozenset({"logs", "archive"})


def load(root: Path, *, lenient: bool | None = None) -> MemoryDirectory:
    """The memory directory at ``root`` as it is on the disk.

    Raises:
        OSError: the directory itself can't be read.
    """
    return result_of(load_in_steps(root, lenient=lenient))


def load_in_steps(root: Path, *, lenient: bool | None = None) -> Generator[int, None, MemoryDirectory]:
    """As :func:`load`, a few files at each step; yields how many were read, and returns the directory."""
    listing = list_files(root)
    documents: dict[str, MemoryDocument] = {}
    facts: dict[str, FileFacts] = {}
    index: IndexDocument | None = None
    for count, key in enumerate(listing.candidates):
        if count % _STEP == 0:
            yield count
        text, facts[key] = read_file(listing.path_of(key), most=most_bytes(key))
        if text is None:
            continue
        if key == INDEX_NAME:
            index = IndexDocument.parse(text)
        else:
            documents[key] = MemoryDocument.parse(text)
    return MemoryDirectory.of(
        str(root),
        documents,
        index,
        files=listing.files,
        facts=facts,
        lenient=is_lenient(root) if lenient is None else lenient,
    )


class Listing:
    """The files of a directory: all of them, and which could be memories or the index; and its sub-directories."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._prefix = os.path.join(self._root, "")
        self.directories: list[str] = [self._root]  # as paths, those without a file too
        self.files: list[str] = []
        self.candidates: list[str] = []
        self._seen: set[str] = set()

    def path_of(self, key: str) -> str:
        """The path of the file ``key``."""
        return self._prefix + key.replace("/", os.sep)

    def fill(self) -> None:
        """Walks the directory.

        Raises:
            OSError: the directory itself can't be read.
        """
        links: list[tuple[str, str, int, bool]] = []
        self._walk(self._root, "", 0, True, links, must_read=True)
        # Symlinks come last, so that a file that is there under its own name keeps that name.
        for path, key, depth, counts in sorted(links):
            self._follow(path, key, depth, counts)
        self.candidates.sort()

    def _walk(
        self,
        path: str,
        prefix: str,
        depth: int,
        counts: bool,
        links: list[tuple[str, str, int, bool]] | None,
        must_read: bool = False,
    ) -> None:
        try:
            with os.scandir(path) as scan:
                entries = list(scan)
        except OSError:
            if must_read:
                raise
            return
        if depth and any(entry.name == INDEX_NAME and os.path.isfile(entry.path) for entry in entries):
            counts = False  # a memory directory of its own
        for entry in entries:
            if len(self.files) >= MOST_ENTRIES:
                return
            name = entry.name
            key = prefix + name
            if entry.is_symlink():
                if links is not None:
                    links.append((entry.path, key, depth, counts))
            elif entry.is_dir(follow_symlinks=False):
                if is_candidate_directory(name) and name != INDEX_NAME and depth < _LISTING_DEPTH:
                    self.directories.append(entry.path)
                    below = counts and depth < MEMBER_DEPTH and name not in _NOT_MEMBERS
                    self._walk(entry.path, f"{key}/", depth + 1, below, links)
                if name.endswith(".md"):
                    # Somebody meant a memory, or the index: reading it will say what is wrong.
                    self._add(key, depth, counts)
            elif links is None and entry.path in self._seen:
                self.files.append(key)  # another link led to it before
            else:
                if links is None:
                    self._seen.add(entry.path)
                self._add(key, depth, counts)

    def _add(self, key: str, depth: int, counts: bool) -> None:
        self.files.append(key)
        name = key.rpartition("/")[2]
        if counts and name.endswith(".md") and not name.startswith(".") and (not depth or name != INDEX_NAME):
            self.candidates.append(key)

    def _follow(self, path: str, key: str, depth: int, counts: bool) -> None:
        real = os.path.realpath(path)
        inside = real == self._root or real.startswith(self._root + os.sep)
        leads_up = self._root.startswith(real.rstrip(os.sep) + os.sep)
        if real in self._seen or leads_up or (inside and os.path.exists(real)):
            self.files.append(key)  # the file is there under its own name
            return
        self._seen.add(real)
        if os.path.isdir(real):
            if depth < MEMBER_DEPTH and key.rpartition("/")[2] not in _NOT_MEMBERS:
                self._walk(real, f"{key}/", depth + 1, counts, None)
        else:
            self._add(key, depth, counts)


def is_candidate_directory(name: str) -> bool:
    """Whether a sub-directory called ``name`` is looked into."""
    return not name.startswith(".") and name != "node_modules"


def list_files(root: Path) -> Listing:
    """The files of the memory directory ``root``.

    Raises:
        OSError: the directory itself can't be read.
    """
    listing = Listing(root)
    listing.fill()
    return listing


def is_candidate(key: str) -> bool:
    """Whether a file with the key ``key`` could be a memory, by its path alone."""
    *parents, name = key.split("/")
    return (
        name.endswith(".md")
        and not name.startswith(".")
        and name != INDEX_NAME
        and len(parents) <= MEMBER_DEPTH
        and all(is_candidate_directory(parent) and parent not in _NOT_MEMBERS for parent in parents)
    )


def most_bytes(key: str) -> int:
    """The size in bytes up to which the file ``key`` is read."""
    return _MOST_INDEX_BYTES if key == INDEX_NAME else _MOST_MEMORY_BYTES


def read_file(path: str, *, most: int = _MOST_MEMORY_BYTES) -> tuple[str | None, FileFacts]:
    """The text of a file without a byte order mark, and what the disk says of it; ``None`` when it has no text.

    It has none when it is larger than ``most`` bytes. Bytes that are not UTF-8 become U+FFFD, so that the
    rest of the file is still served.
    """
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        trouble = Trouble.DANGLING if isinstance(error, FileNotFoundError) and os.path.islink(path) else None
        trouble = trouble or (Trouble.NOT_A_FILE if os.path.isdir(path) else Trouble.UNREADABLE)
        return None, FileFacts(trouble=trouble, detail=error.strerror or "")
    try:
        status = os.fstat(descriptor)
        facts = FileFacts(status.st_size, status.st_mtime_ns)
        if not stat.S_ISREG(status.st_mode):
            return None, FileFacts(status.st_size, status.st_mtime_ns, Trouble.NOT_A_FILE)
        if status.st_size > most:
            return None, FileFacts(status.st_size, status.st_mtime_ns, Trouble.TOO_LARGE)
        pieces = []
        while piece := os.read(descriptor, _PIECE):
            pieces.append(piece)
            if len(piece) < _PIECE and sum(map(len, pieces)) >= status.st_size:
                break
    except OSError as error:
        return None, FileFacts(trouble=Trouble.UNREADABLE, detail=error.strerror or "")
    finally:
        os.close(descriptor)
    return decode(pieces[0] if len(pieces) == 1 else b"".join(pieces), facts)


def decode(data: bytes, facts: FileFacts) -> tuple[str, FileFacts]:
    """The text of a file's bytes without a byte order mark, and ``facts`` with what decoding showed."""
    has_bom = data.startswith(BOM)
    if has_bom:
        data = data[len(BOM) :]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        return text, FileFacts(facts.size, facts.modified_ns, None, error.start + (3 if has_bom else 0), has_bom)
    return text, FileFacts(facts.size, facts.modified_ns, has_bom=True) if has_bom else facts
