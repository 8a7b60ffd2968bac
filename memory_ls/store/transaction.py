"""Carries out the steps of one journal entry, or takes them back; both know the same temporary files by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from memory_ls.documents.index import INDEX_NAME
from memory_ls.store import files
from memory_ls.store.files import OvertakenError, Owner
from memory_ls.store.journal import Step

# With a leading dot, so that no agent and no editor takes it for a memory.
_TEMPORARY = ".memory-ls-{entry}-{number}"

# From so many files on, waiting for the disk once, though for all that is written to it, is faster than for each.
_BULK = 100


def carry_out(root: str, entry_id: str, steps: Sequence[Step]) -> None:
    """Changes the files as the steps say: memories, and after them the index.

    What needs room on the disk is written before the first file changes.

    Raises:
        OvertakenError: a file is not what a step begins with.
        OSError: a file can't be written. In both cases some steps may have been carried out.
    """
    places = [_place(root, entry_id, number, step) for number, step in enumerate(steps)]
    is_bulk = len(steps) > _BULK and hasattr(os, "sync")
    for step, (path, temporary) in zip(steps, places, strict=True):
        with _about(path):
            files.make_directories(os.path.dirname(path))
            if step.new is not None and step.source is None:
                owner = files.owner_of(path) if step.old is not None else _owner(step)
                files.write_new(temporary, step.new, owner, is_awaited=not is_bulk)
    if is_bulk:
        os.sync()
    sources = {step.source for step in steps}
    for number in sorted(range(len(steps)), key=lambda number: _turn(steps[number], sources)):
        step, (path, temporary) = steps[number], places[number]
        source = None if step.source is None else _absolute(root, step.source)
        with _about(path):
            files.put(path, step.old, step.new, temporary, source=source)
    for step, (path, temporary) in zip(steps, places, strict=True):
        _let_go(step, path, temporary)
    _sync(path for path, _ in places)


def _let_go(step: Step, path: str, temporary: str) -> None:
    # Whoever had opened the file before it was exchanged wrote to the old one, and may be through with it only now.
    held = files.read(temporary)
    if held is not None and step.old is not None and held != step.old:
        raise OvertakenError(path)
    files.remove(temporary)


def _turn(step: Step, sources: Collection[str | None]) -> tuple[bool, bool, bool]:
    # What is moved gets its new name before it loses the old one.
    return step.path in sources, step.path == INDEX_NAME, step.new is None


def roll_back(root: str, entry_id: str, steps: Sequence[Step], made: Iterable[str]) -> list[str]:
    """Takes back those steps that were carried out, and returns the paths of files that others have changed since.

    Raises:
        OSError: a file can't be written; doing it again does the rest.
    """
    places = [_place(root, entry_id, number, step) for number, step in enumerate(steps)]
    left = []
    for step, (path, temporary) in reversed(list(zip(steps, places, strict=True))):
        with _about(path):
            if not _is_taken_back(step, path, temporary):
                left.append(step.path)
        files.remove(temporary)
    remove_directories(made)
    _sync(path for path, _ in places)
    return left


def _is_taken_back(step: Step, path: str, temporary: str) -> bool:
    """Takes back a step if it was carried out; ``False`` when the file holds what somebody else has written."""
    if os.path.realpath(os.path.dirname(path)) != os.path.dirname(path) or _is_no_file(path):
        return False
    current, held = files.read(path), files.read(temporary)
    if current != step.new:
        return current == step.old or _is_reserved(step, path, current)
    # What is held is the file as it was until the end: what another program wrote, when it wrote last.
    is_original = held is not None and (step.new is None or not step.new.startswith(held))
    before = held if is_original else step.old
    if not is_original:
        files.remove(temporary)
        if before is not None:
            files.make_directories(os.path.dirname(path))
            files.write_new(temporary, before, files.owner_of(path) or _owner(step))
    try:
        files.put(path, step.new, before, temporary)
    except OvertakenError:
        return False
    return True


@contextmanager
def _about(path: str) -> Iterator[None]:
    """Errors of the system are about this file, whatever else was touched for it."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = path, None
        raise


def _is_no_file(path: str) -> bool:
    """Whether there is something else than a file of a name, such as a directory or a link."""
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _is_reserved(step: Step, path: str, current: bytes | None) -> bool:
    """Removes the empty file that stands for one to be created, where a disk asks for that."""
    if step.old is not None or current != b"":
        return False
    files.remove(path)
    return True


def remove_directories(made: Iterable[str]) -> None:
    """Removes the directories that were made, the lowest first, as far as they are empty."""
    for directory in sorted(made, key=len, reverse=True):
        try:
            os.rmdir(directory)
        except OSError:
            continue


def _place(root: str, entry_id: str, number: int, step: Step) -> tuple[str, str]:
    path = _absolute(root, step.path)
    return path, os.path.join(os.path.dirname(path), _TEMPORARY.format(entry=entry_id, number=number))


def _absolute(root: str, key: str) -> str:
    return os.path.join(root, *key.split("/"))


def _owner(step: Step) -> Owner | None:
    return None if step.mode is None else Owner(step.mode)


def _sync(paths: Iterable[str]) -> None:
    for directory in dict.fromkeys(map(os.path.dirname, paths)):
        files.sync_directory(directory)
