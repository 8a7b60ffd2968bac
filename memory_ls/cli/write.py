"""``memory-ls write``, ``delete``, ``clear``, ``stale``, ``reindex`` and ``init``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

from memory_ls.changes import entries, reindex
from memory_ls.changes.init import init
from memory_ls.changes.plan import CannotChangeError, Plan
from memory_ls.changes.reporting import report_on
from memory_ls.cli.apply import Manner, OvertakenFailure, carry_out
from memory_ls.cli.targets import (
    Failure,
    default_directories,
    load_directory,
    named_directories,
    one_directory,
    settings_for,
    shown,
)
from memory_ls.directory import discover
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME
from memory_ls.settings import Settings

# Agents write one after the other, and each finds the index a line longer than it was.
_TRIES = 5

_Make = Callable[[MemoryDirectory, Settings], Plan]


def run_write(
    name: str,
    kind: str | None,
    description: str,
    content: str,
    directory: Path | None,
    config: Path | None,
    manner: Manner,
) -> int:
    """Adds a memory, or updates the one that ``name`` means; content ``-`` is read from standard input."""
    text = sys.stdin.read() if content == "-" else content
    root = directory_to_write(directory, config)
    return _carried_out(
        root,
        config,
        manner,
        lambda opened, settings: entries.write(
            opened, name, kind, description, text, settings=settings, today=date.today()
        ),
    )


def run_delete(name: str, directory: Path | None, config: Path | None, manner: Manner) -> int:
    """Deletes a memory and its entry."""
    return _carried_out(
        one_directory(directory, config),
        config,
        manner,
        lambda opened, settings: entries.delete(opened, name, settings=settings, today=date.today()),
    )


def run_clear(directory: Path | None, config: Path | None, manner: Manner) -> int:
    """Deletes all memories and their entries."""
    return _carried_out(
        one_directory(directory, config),
        config,
        manner,
        lambda opened, settings: entries.clear(opened, settings=settings, today=date.today()),
    )


def run_stale(
    names: tuple[str, ...], older_than: int | None, directory: Path | None, config: Path | None, manner: Manner
) -> int:
    """Marks memories as stale: the named ones, or those that are old."""
    return _carried_out(
        one_directory(directory, config),
        config,
        manner,
        lambda opened, settings: entries.mark_stale(
            opened, settings=settings, today=date.today(), names=names, older_than_days=older_than
        ),
        marks_stale=True,
    )


def run_reindex(mode: str, directory: Path | None, config: Path | None, manner: Manner) -> int:
    """Repairs, organises or makes anew the index."""
    return _carried_out(
        one_directory(directory, config),
        config,
        manner,
        lambda opened, settings: reindex.MODES[mode](opened, settings=settings),
    )


def run_init(path: Path | None, config: Path | None, manner: Manner) -> int:
    """Makes a memory directory: its index, and the directory itself where it is missing.

    Raises:
        Failure: there is one already, or something else in its place.
    """
    root = Path(os.path.realpath(path if path is not None else _usual(config)))
    if os.path.lexists(root) and not os.path.isdir(root):
        raise Failure(f"{shown(root)} is no directory.")
    if os.path.lexists(root / INDEX_NAME):
        raise Failure(f"{shown(root)} is a memory directory already.")
    if (why := discover.too_wide(root)) is not None:
        raise Failure(f"{shown(root)} {why}")
    plan = init(str(root), shown(root))
    return carry_out(root, plan, report_on(plan), manner)


def _usual(config: Path | None) -> Path:
    """Where the memories of the project around the current directory belong: where the settings or its agent say so."""
    settings = settings_for(Path.cwd(), config).settings
    return named_directories(config)[-1] if settings.directory else discover.project_directory(Path.cwd())


def directory_to_write(directory: Path | None, config: Path | None) -> Path:
    """The directory that a memory goes to: the one that is named, also where it is still to be made; else the usual one."""
    if directory is not None and not os.path.lexists(directory):
        return Path(os.path.realpath(directory))
    settings = settings_for(Path.cwd(), config).settings
    if directory is None and (settings.directory or not default_directories(config)):
        return _usual(config)
    return one_directory(directory, config)


def _carried_out(root: Path, config: Path | None, manner: Manner, make: _Make, *, marks_stale: bool = False) -> int:
    """Plans and applies; where nobody has to look at the plan, once more when other programs were in between."""
    for left in reversed(range(_TRIES if manner.yes else 1)):
        settings = settings_for(root, config).settings
        opened = load_directory(root, config) if os.path.isdir(root) else MemoryDirectory(str(root))
        try:
            plan = make(opened, settings)
        except CannotChangeError as error:
            raise Failure(str(error)) from error
        try:
            return carry_out(root, plan, report_on(plan, marks_stale=marks_stale), manner)
        except OvertakenFailure:
            if not left:
                raise
    raise AssertionError
