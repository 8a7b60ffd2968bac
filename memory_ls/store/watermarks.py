"""How far each chat log has been read into a memory directory, so that nothing of it is looked at twice."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_ls.store import files
from memory_ls.store.state import DamagedError, StateDirectory, as_json, names_in, read_json

_FOLDER = "logs"
_FORM = "watermark"
_LOCK = ".lock"


class BusyError(Exception):
    """The same chat log is being read into the same memory directory already."""


@dataclass(frozen=True, slots=True)
class Watermark:
    """How far a log was read: its key, so many messages from the first on, and a digest of these."""

    key: str
    count: int
    digest: str

    def as_json(self) -> dict[str, Any]:
        """As the state keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Watermark:
        """Reads what :meth:`as_json` gives.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(str(value["key"]), int(value["count"]), str(value["digest"]))


class Watermarks:
    """The watermarks of one memory directory: a file for each log."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state

    def load(self, key: str) -> Watermark | None:
        """How far a log was read; ``None`` when it never was, or that can't be read."""
        path = self._path(key)
        try:
            return Watermark.from_json(read_json(path.read_bytes(), _FORM))
        except OSError:
            return None
        except (DamagedError, KeyError, TypeError, ValueError) as error:
            self._state.set_aside(path, str(error) if isinstance(error, DamagedError) else "The file is damaged.")
            return None

    def save(self, mark: Watermark) -> None:
        """Moves a watermark.

        Raises:
            OSError: it can't be written.
        """
        self._state.made_folder(_FOLDER)
        self._state.write(self._path(mark.key), as_json(_FORM, mark.as_json()))

    @contextmanager
    def reading(self, key: str) -> Iterator[None]:
        """Keeps the same log from being read by anybody else meanwhile.

        Raises:
            BusyError: somebody is at it.
            OSError: the state can't be written.
        """
        self._state.made_folder(_FOLDER)
        with self._alone(self._path(key).with_suffix(_LOCK)):
            yield

    def purge(self, before: datetime) -> None:
        """Forgets the logs that nobody has read since then."""
        folder = self._state.folder(_FOLDER)
        logs: dict[str, list[Path]] = {}
        for name in names_in(folder):
            logs.setdefault(name.partition(".")[0], []).append(folder / name)
        for stem, paths in logs.items():
            # A log that is being read is held, and the lock goes with the rest.
            with suppress(FileNotFoundError, BusyError):
                if max(path.stat().st_mtime for path in paths) <= before.timestamp():
                    with self._alone(folder / f"{stem}{_LOCK}"):
                        for path in {*paths, folder / f"{stem}{_LOCK}"}:
                            files.remove(os.fspath(path))

    @contextmanager
    def _alone(self, path: Path) -> Iterator[None]:
        from filelock import FileLock, Timeout

        lock = FileLock(path, timeout=0, mode=0o600)
        try:
            lock.acquire()
        except Timeout:
            raise BusyError from None
        try:
            yield
        finally:
            lock.release()

    def _path(self, key: str) -> Path:
        return self._state.folder(_FOLDER) / f"{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:32]}.json"
