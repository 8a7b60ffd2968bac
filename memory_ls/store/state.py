"""Where the store keeps what it remembers of a memory directory: files that only the user can read, outside of it.

Every file carries the version of its format. One that is damaged, or comes from a newer version, is set aside under
another name, and everything else goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from memory_ls.store import files

VERSION = 1
_SLUG_LENGTH = 60
_TEMPORARY = ".new"


class DamagedError(Exception):
    """A file of the state can't be used; the message says why, in a few words."""


class LockedError(Exception):
    """Another process is changing the same memory directory."""


class StateDirectory:
    """The state of one memory directory. Nothing is made on the disk before something is written."""

    def __init__(self, directory: Path, state_home: Path | None = None) -> None:
        self.root = os.path.realpath(directory)
        self.path = (state_home or _user_state()) / "directories" / _key(self.root)
        self._messages: list[str] = []

    def folder(self, name: str) -> Path:
        """The path of a folder of the state; it need not be there."""
        return self.path / name

    def made_folder(self, name: str) -> Path:
        """A folder of the state, made where it was missing.

        Raises:
            OSError: it can't be made.
        """
        folder = self.path / name
        self._make(folder)
        return folder

    def _make(self, folder: Path) -> None:
        if folder.is_dir():
            return
        files.make_directories(os.fspath(self.path.parent.parent))
        for each in (self.path.parent, self.path, folder):
            with suppress(FileExistsError):
                os.mkdir(each, 0o700)
                files.sync_directory(os.fspath(each.parent))

    @contextmanager
    def locked(self, seconds: float) -> Iterator[None]:
        """Keeps every other process of ours from changing the memory directory.

        Raises:
            LockedError: another one kept us from it for so many seconds.
            OSError: the state can't be written.
        """
        from filelock import FileLock, Timeout

        self._make(self.path)
        lock = FileLock(self.path / "lock", timeout=seconds, mode=0o600)
        try:
            lock.acquire()
        except Timeout as error:
            raise LockedError from error
        try:
            yield
        finally:
            lock.release()

    def write(self, path: Path, data: bytes) -> None:
        """Writes a file of the state, whole or not at all, and waits until it is on the disk.

        Raises:
            OSError: it can't be written.
        """
        temporary = os.fspath(path) + _TEMPORARY
        files.remove(temporary)
        files.write_new(temporary, data, mode=0o600)
        try:
            os.replace(temporary, path)
        except OSError:
            files.remove(temporary)
            raise
        files.sync_directory(os.fspath(path.parent))

    def remove_unfinished(self, name: str) -> None:
        """Removes what a process that died while writing left in a folder. Only under the lock."""
        for path in names_in(self.folder(name)):
            if path.endswith(_TEMPORARY):
                files.remove(os.fspath(self.folder(name) / path))

    def set_aside(self, path: Path, reason: str) -> None:
        """Renames a file that can't be used, so that nothing falls over it again."""
        aside = path.with_name(f"{path.name}.aside")
        with suppress(OSError):
            os.replace(path, aside)
            self._messages.append(f"{aside}: {reason} It was set aside; everything else works as before.")

    def take_messages(self) -> list[str]:
        """What was found wrong with the state since this was last asked, as sentences."""
        messages, self._messages = self._messages, []
        return messages


def names_in(folder: Path) -> list[str]:
    """The names of the files in a folder, sorted; none when it is not there."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def read_json(data: bytes, form: str) -> dict[str, Any]:
    """A file's JSON object, after a look at its form and version.

    Raises:
        DamagedError: it is none, or comes from a newer version.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise DamagedError("The file is damaged.") from None
    if not isinstance(value, dict) or value.get("form") != form or not isinstance(value.get("version"), int):
        raise DamagedError("The file is damaged.")
    if value["version"] > VERSION:
        raise DamagedError("The file comes from a newer version of memory-ls.")
    return value


def as_json(form: str, value: dict[str, Any]) -> bytes:
    """A value as JSON on one line, with its form and version."""
    return json.dumps({"form": form, "version": VERSION, **value}, separators=(",", ":")).encode("ascii")


def _key(root: str) -> str:
    slug = re.sub(r"[^A-Za-z0-9]+", "-", root).strip("-").lower()[-_SLUG_LENGTH:].strip("-")
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return f"{slug}-{digest}" if slug else digest


def _user_state() -> Path:
    from platformdirs import user_state_path

    return user_state_path("memory-ls", appauthor=False)
