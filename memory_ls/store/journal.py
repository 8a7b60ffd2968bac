"""The journal: what each applied plan made of which files, with their bytes before and after, so that it can be undone.

An entry is one file. Its first line, the head, tells everything but the bytes; these follow, compressed. It is on the
disk before the first memory file changes. Its name ends in what has become of it: ``open`` while files change, and
after that ``done``, or ``failed`` when everything was put back.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from memory_ls.changes.plan import ChangeKind, FileChange
from memory_ls.store import files
from memory_ls.store.state import DamagedError, StateDirectory, as_json, names_in, read_json

_FOLDER = "journal"
_FORM = "journal"
_NAME = re.compile(r"(\d+)-([0-9a-f]{4})\.(open|done|failed)")


class Source(Enum):
    """Where the changes of an entry come from."""

    PLAN = "plan"
    UNDO = "undo"
    EXTERNAL = "external"


class Progress(Enum):
    """What has become of an entry."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileEffect:
    """What happened to one file, as people see it. ``operations`` are those of the plan, none for other sources."""

    path: str
    kind: ChangeKind
    new_path: str | None = None
    operations: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The effect as commands tell it."""
        return {"path": self.path, "kind": self.kind.value, "newPath": self.new_path}

    @property
    def reversed(self) -> FileEffect:
        """What happens to the file when this is undone."""
        if self.new_path is not None:
            return replace(self, path=self.new_path, new_path=self.path)
        back = {ChangeKind.CREATE: ChangeKind.DELETE, ChangeKind.DELETE: ChangeKind.CREATE}
        return replace(self, kind=back.get(self.kind, self.kind))


@dataclass(frozen=True, slots=True)
class Step:
    """One file of the directory becomes another: bytes before and after, ``None`` where there is no file.

    ``mode`` are the permission bits that it has where it is there. ``source`` is the file that it is moved from.
    """

    path: str
    old: bytes | None
    new: bytes | None
    mode: int | None = None
    source: str | None = None


class _Blob(NamedTuple):
    """Bytes in an entry's file: where they begin behind the head, how many they are, compressed, and their digest."""

    at: int
    length: int
    digest: str


@dataclass(frozen=True, slots=True)
class StepHead:
    """A step without the bytes, but with what tells them from others."""

    path: str
    old: _Blob | None
    new: _Blob | None
    mode: int | None
    source: str | None

    @property
    def old_digest(self) -> str | None:
        """As :func:`digest_of` the bytes before."""
        return self.old.digest if self.old else None

    @property
    def new_digest(self) -> str | None:
        """As :func:`digest_of` the bytes after."""
        return self.new.digest if self.new else None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the journal, without the bytes. ``undoes`` is the entry that it took back.

    ``made`` are the directories, as absolute paths, that were made for it. ``undone`` is known where all entries are.
    """

    id: str
    time: datetime
    title: str
    source: Source
    files: tuple[FileEffect, ...]
    undoes: str | None = None
    made: tuple[str, ...] = ()
    progress: Progress = Progress.OPEN
    undone: bool = False
    steps: tuple[StepHead, ...] = ()
    head_length: int = 0

    @property
    def operations(self) -> tuple[int, ...]:
        """The numbers of the operations that were applied, in order."""
        return tuple(sorted({number for file in self.files for number in file.operations if number}))

    def as_json(self) -> dict[str, Any]:
        """The entry as commands tell it."""
        return {
            "id": self.id,
            "time": self.time.isoformat(),
            "title": self.title,
            "source": self.source.value,
            "undone": self.undone,
            "undoes": self.undoes,
            "files": [effect.as_json() for effect in self.files],
        }

    @property
    def number(self) -> int:
        """The place of the entry in the order of all."""
        return int(self.id.partition("-")[0])


def as_file_changes(effects: Iterable[FileEffect], steps: Iterable[Step]) -> list[FileChange]:
    """What happened to each file, with its texts before and after, as people are shown it."""
    old, new = {}, {}
    for step in steps:
        old[step.path], new[step.path] = _text(step.old), _text(step.new)
    return [
        FileChange(
            effect.path,
            effect.kind,
            old.get(effect.path),
            new.get(effect.new_path or effect.path),
            effect.new_path,
            frozenset(effect.operations),
        )
        for effect in effects
    ]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8-sig", "replace")


def digest_of(data: bytes | None) -> str | None:
    """What tells bytes from others; ``None`` for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


class Journal:
    """The entries of one memory directory. Whatever writes must hold the lock."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state
        # Heads never change, so each is read once.
        self._heads: dict[str, Entry] = {}

    def entries(self) -> list[Entry]:
        """All entries that can be read, the newest first."""
        found = [entry for name in names_in(self._state.folder(_FOLDER)) if (entry := self._entry(name)) is not None]
        found.sort(key=lambda entry: entry.number, reverse=True)
        return _with_undone(found)

    def unfinished(self) -> list[Entry]:
        """The entries whose process died, the newest first; no other is read."""
        names = [name for name in names_in(self._state.folder(_FOLDER)) if name.endswith(f".{Progress.OPEN.value}")]
        found = [entry for name in names if (entry := self._entry(name)) is not None]
        return sorted(found, key=lambda entry: entry.number, reverse=True)

    def add(
        self,
        title: str,
        source: Source,
        effects: Iterable[FileEffect],
        steps: Iterable[Step],
        *,
        time: datetime,
        made: Iterable[str] = (),
        undoes: str | None = None,
        progress: Progress = Progress.OPEN,
    ) -> Entry:
        """Writes an entry and waits until it is on the disk.

        Raises:
            OSError: it can't be written.
        """
        folder = self._state.made_folder(_FOLDER)
        last = max((int(match[1]) for name in names_in(folder) if (match := _NAME.match(name))), default=0)
        entry_id = f"{last + 1}-{secrets.token_hex(2)}"
        heads, blobs = _packed(steps)
        head = as_json(
            _FORM,
            {
                "time": time.isoformat(),
                "title": title,
                "source": source.value,
                "undoes": undoes,
                "made": list(made),
                "files": [_effect_as_json(effect) for effect in effects],
                "steps": heads,
            },
        )
        path = folder / f"{entry_id}.{progress.value}"
        self._state.write(path, head + b"\n" + blobs)
        return _entry_of(entry_id, progress, head)

    def mark(self, entry: Entry, progress: Progress) -> None:
        """Writes down what has become of an entry.

        Raises:
            OSError: it can't be written.
        """
        folder = self._state.folder(_FOLDER)
        os.replace(_path(folder, entry.id, entry.progress), _path(folder, entry.id, progress))
        files.sync_directory(os.fspath(folder))

    def steps(self, entry: Entry) -> list[Step]:
        """What the entry did to each file, with the bytes.

        Raises:
            DamagedError: they are not what was written; the entry is set aside.
            OSError: the entry can't be read.
        """
        path = _path(self._state.folder(_FOLDER), entry.id, entry.progress)
        data = path.read_bytes()[entry.head_length + 1 :]
        try:
            return [
                Step(step.path, _unpacked(data, step.old), _unpacked(data, step.new), step.mode, step.source)
                for step in entry.steps
            ]
        except DamagedError as error:
            self._set_aside(path, error, entry.progress)
            raise

    def purge(self, before: datetime) -> int:
        """Removes the finished entries that are not newer than ``before``, and says how many they were.

        What was set aside goes too, when it is as old.
        """
        folder, count = self._state.folder(_FOLDER), 0
        for entry in self.entries():
            if entry.time <= before and entry.progress is not Progress.OPEN:
                files.remove(os.fspath(_path(folder, entry.id, entry.progress)))
                count += 1
        for name in names_in(folder):
            path = folder / name
            with suppress(OSError):
                if name.endswith(".aside") and path.stat().st_mtime <= before.timestamp():
                    path.unlink()
        return count

    def remove_unfinished(self) -> None:
        """Removes entries that were not written to their end; nothing was changed for them."""
        self._state.remove_unfinished(_FOLDER)

    def _set_aside(self, path: Path, error: DamagedError, progress: Progress) -> None:
        reason = str(error)
        if progress is Progress.OPEN:
            reason += " The change that it tells of was cut off and can't be taken back: look at what changed last."
        self._state.set_aside(path, reason)

    def _entry(self, name: str) -> Entry | None:
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        entry_id, progress = f"{match[1]}-{match[2]}", Progress(match[3])
        if entry_id not in self._heads:
            path = self._state.folder(_FOLDER) / name
            try:
                self._heads[entry_id] = _read_entry(path, entry_id, progress)
            except OSError:
                return None
            except DamagedError as error:
                self._set_aside(path, error, progress)
                return None
        return replace(self._heads[entry_id], progress=progress)


def _path(folder: Path, entry_id: str, progress: Progress) -> Path:
    return folder / f"{entry_id}.{progress.value}"


def _with_undone(entries: list[Entry]) -> list[Entry]:
    """The entries, newest first, each with whether a later one took it back and was not taken back itself."""
    undone: set[str] = set()
    found = []
    for entry in entries:
        is_undone = entry.id in undone
        if entry.undoes is not None and not is_undone and entry.progress is Progress.DONE:
            undone.add(entry.undoes)
        found.append(replace(entry, undone=is_undone))
    return found


def _read_entry(path: Path, entry_id: str, progress: Progress) -> Entry:
    with path.open("rb") as file:
        head = file.readline()
        entry = _entry_of(entry_id, progress, head.removesuffix(b"\n"))
        if os.fstat(file.fileno()).st_size != len(head) + sum(_length(step) for step in entry.steps):
            raise DamagedError("The file is damaged.")
    return entry


def _length(step: StepHead) -> int:
    return sum(blob.length for blob in (step.old, step.new) if blob is not None)


def _packed(steps: Iterable[Step]) -> tuple[list[dict[str, Any]], bytes]:
    heads, blobs, size = [], [], 0
    for step in steps:
        head: dict[str, Any] = {"path": step.path, "mode": step.mode, "source": step.source}
        for key, data in (("old", step.old), ("new", step.new)):
            head[key] = None
            if data is not None:
                packed = zlib.compress(data, 1)
                head[key] = [size, len(packed), digest_of(data)]
                blobs.append(packed)
                size += len(packed)
        heads.append(head)
    return heads, b"".join(blobs)


def _unpacked(data: bytes, blob: _Blob | None) -> bytes | None:
    if blob is None:
        return None
    try:
        found = zlib.decompress(data[blob.at : blob.at + blob.length])
    except zlib.error:
        found = None
    if digest_of(found) != blob.digest:
        raise DamagedError("The file is damaged.")
    return found


def _effect_as_json(effect: FileEffect) -> dict[str, Any]:
    return {**effect.as_json(), "operations": list(effect.operations)}


def _entry_of(entry_id: str, progress: Progress, head: bytes) -> Entry:
    value = read_json(head, _FORM)
    try:
        return Entry(
            entry_id,
            datetime.fromisoformat(value["time"]).astimezone(),
            str(value["title"]),
            Source(value["source"]),
            tuple(_effect_of(effect) for effect in value["files"]),
            value["undoes"],
            tuple(value["made"]),
            progress,
            steps=tuple(_step_of(step) for step in value["steps"]),
            head_length=len(head),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DamagedError("The file is damaged.") from None


def _effect_of(value: Mapping[str, Any]) -> FileEffect:
    return FileEffect(value["path"], ChangeKind(value["kind"]), value["newPath"], tuple(value["operations"]))


def _step_of(value: Mapping[str, Any]) -> StepHead:
    old, new = (None if value[key] is None else _Blob(*value[key]) for key in ("old", "new"))
    return StepHead(value["path"], old, new, value["mode"], value["source"])
