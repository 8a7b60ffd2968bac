"""How one memory file changes on the disk: whole or not at all, for good, and without losing what others write.

Other programs take no lock of ours. So a file is exchanged with its new text in one step, and what came out is looked
at: when it is not the text that the new one was made from, it is put back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_PIECE = 1 << 20
_IS_WINDOWS = os.name == "nt"
# Where a system or a disk can't exchange two files, or have two names for one.
_UNSUPPORTED = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK, errno.EXDEV}
_PATIENCE = 1.0  # seconds; on Windows a file that another program has open can't be replaced


class OvertakenError(Exception):
    """Another program changed the file in the moment in which we did; its text was left, or put back."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True)
class Owner:
    """The permission bits of a file, and whose it is."""

    mode: int
    user: int | None = None
    group: int | None = None


def read(path: str) -> bytes | None:
    """The bytes of a file; ``None`` when there is none.

    Raises:
        OSError: it can't be read, or is no regular file.
    """
    try:
        descriptor = os.open(path, _READ)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        pieces = []
        while piece := os.read(descriptor, _PIECE):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def owner_of(path: str) -> Owner | None:
    """Mode and owner of a file; ``None`` when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return Owner(stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid)


def write_new(
    path: str, data: bytes, owner: Owner | None = None, *, mode: int = 0o666, is_awaited: bool = True
) -> None:
    """Writes a file that is not there yet; nothing is left of it after an error.

    It waits until the file is on the disk, unless it is not ``is_awaited``.

    Raises:
        OSError: it can't be written.
    """
    descriptor = os.open(path, _CREATE, mode)
    try:
        try:
            _write_all(descriptor, data)
            if owner is not None and not _IS_WINDOWS:
                _give(descriptor, owner)
            if is_awaited:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        remove(path)
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _give(descriptor: int, owner: Owner) -> None:
    status = os.fstat(descriptor)
    if owner.user is not None and (status.st_uid, status.st_gid) != (owner.user, owner.group):
        with suppress(OSError):  # only root may give files away
            os.fchown(descriptor, owner.user, -1 if owner.group is None else owner.group)
    with suppress(OSError):  # a disk that knows no modes
        os.fchmod(descriptor, owner.mode)


def remove(path: str) -> None:
    """Removes a file of our own; it does not matter whether it is there."""
    with suppress(OSError):
        os.unlink(path)


def sync_directory(path: str) -> None:
    """Waits until the names in a directory are on the disk, where a system can."""
    if _IS_WINDOWS:
        return
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_directories(path: str) -> None:
    """Makes a directory and those above it, so that they survive a loss of power too.

    Raises:
        OSError: one can't be made.
    """
    missing = missing_directories(path)
    for directory in missing:
        with suppress(FileExistsError):
            os.mkdir(directory)
            sync_directory(os.path.dirname(directory))


def missing_directories(path: str) -> list[str]:
    """The directories that must be made so that ``path`` is there, the uppermost first."""
    missing: list[str] = []
    while not os.path.lexists(path):
        missing.append(path)
        above = os.path.dirname(path)
        if above == path:
            break  # a drive that is not there
        path = above
    return missing[::-1]


def put(path: str, old: bytes | None, new: bytes | None, temporary: str, *, source: str | None = None) -> None:
    """Makes the file that holds ``old`` hold ``new``; ``None`` is no file.

    ``temporary`` is a file in the same directory that holds ``new``. Afterwards it may hold what the file held before,
    for a way back. A file that is created can be given the name as another name of ``source``, which holds the same.

    Raises:
        OvertakenError: the file does not hold ``old``, or not for long enough.
        OSError: it can't be written.
    """
    if new is None:
        _take_away(path, old, temporary)
    elif old is None:
        _create(path, new, temporary, source)
    else:
        _replace(path, old, new, temporary)


def _replace(path: str, old: bytes, new: bytes, temporary: str) -> None:
    owner = owner_of(temporary)
    for is_last in (False, True):
        _replace_once(path, old, temporary)
        found = read(path)
        if found is not None and new in found:
            return  # another program may have added something to ours
        if found != old or is_last:
            raise OvertakenError(path)
        # Another program had read the file before and wrote it back: once more, since nothing of it is lost.
        remove(temporary)
        write_new(temporary, new, owner)


def _replace_once(path: str, old: bytes, temporary: str) -> None:
    if read(path) != old:
        raise OvertakenError(path)
    if not _exchange(path, temporary):
        _patiently(os.replace, temporary, path)
    elif read(temporary) != old:
        _exchange(path, temporary)
        raise OvertakenError(path)


def _take_away(path: str, old: bytes | None, temporary: str) -> None:
    if read(path) != old:
        raise OvertakenError(path)
    if old is None:
        return
    try:
        _patiently(os.rename, path, temporary)
    except FileNotFoundError:
        raise OvertakenError(path) from None
    if read(temporary) != old:
        put_back(temporary, path)
        raise OvertakenError(path)


def put_back(temporary: str, path: str) -> None:
    """Gives a file that was taken away its name again, unless there is a new one.

    Raises:
        OSError: it can't be done.
    """
    with suppress(FileExistsError):
        _name(temporary, path)
    remove(temporary)


def _create(path: str, new: bytes, temporary: str, source: str | None) -> None:
    try:
        if source is None or not _is_linked(source, path):
            if source is not None:
                write_new(temporary, new, owner_of(source))
            _name(temporary, path)
    except FileExistsError:
        raise OvertakenError(path) from None
    found = read(path)
    if found is None or new not in found:
        raise OvertakenError(path)


def _is_linked(source: str, path: str) -> bool:
    """Whether ``path``, which must be free, could be made another name of the file ``source``."""
    try:
        os.link(source, path)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    return True


def _name(source: str, path: str) -> None:
    """Gives the file ``source`` the name ``path``, which must be free."""
    if not _is_linked(source, path):
        # The name is taken first, so that nobody else's file can be overwritten.
        os.close(os.open(path, _CREATE, 0o600))
        try:
            _patiently(os.replace, source, path)
        except OSError:
            remove(path)
            raise


@cache
def _exchanging() -> Callable[[bytes, bytes], int] | None:
    """The system's call that exchanges two files, where there is one; Python has no name for it."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "linux":
            linux = library.renameat2
            return lambda one, other: int(linux(-100, one, -100, other, 2))  # AT_FDCWD, RENAME_EXCHANGE
        if sys.platform == "darwin":
            mac = library.renamex_np
            return lambda one, other: int(mac(one, other, 2))  # RENAME_SWAP
    except (OSError, AttributeError, TypeError):
        pass
    return None


def _exchange(path: str, temporary: str) -> bool:
    """Exchanges two files in one step; ``False`` where that can't be done.

    In this order: of what is told to those who watch the directory, the last is that there is a file ``path``.
    """
    call = _exchanging()
    if call is None:
        return False
    if call(os.fsencode(path), os.fsencode(temporary)) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    if number == errno.ENOENT:
        raise OvertakenError(path)
    raise OSError(number, os.strerror(number), path)


def _patiently(call: Callable[[str, str], Any], *paths: str) -> None:
    """Calls again for a while where another program has the file open, which matters on Windows alone."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            call(*paths)
            return
        except PermissionError:
            if not _IS_WINDOWS or time.monotonic() > until:
                raise
            time.sleep(0.05)
