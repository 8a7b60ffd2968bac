"""A second process for large directories: it runs the rules that look at a memory alone, while the rest goes on here.

It reads the files by itself, so nothing but findings travels between the two, and most memories have none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import date
from pathlib import Path

from memory_ls.directory.loader import list_files, read_file
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import check_alone, check_costly_alone
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.settings import Settings

# From this many files on, a second process pays for what it costs to start.
_WORTH_A_PROCESS = 1_000

Found = dict[str, list[Diagnostic]]


class Apart:
    """A running second process."""

    def __init__(self, child: int, results: int) -> None:
        self._child = child
        self._results = results

    @classmethod
    def start(cls, root: Path, settings: Settings, suppressions: bool) -> Apart | None:
        """Starts one for the memory directory ``root``; ``None`` where it does not pay or can't be had."""
        if not hasattr(os, "fork") or (os.cpu_count() or 1) < 2 or not _is_large(root):
            return None
        reading, writing = os.pipe()
        try:
            child = os.fork()
        except OSError:  # no room for another process
            os.close(reading)
            os.close(writing)
            return None
        if child == 0:
            os.close(reading)
            _run(root, settings, suppressions, writing)
        os.close(writing)
        return cls(child, reading)

    def found(self) -> Found | None:
        """What it found, by document; ``None`` when anything went wrong there."""
        import pickle  # here, since a small directory needs none

        with os.fdopen(self._results, "rb") as results:
            data = results.read()
        _, status = os.waitpid(self._child, 0)
        return pickle.loads(data) if status == 0 else None


def check_all_alone(root: Path, settings: Settings, suppressions: bool) -> Found:
    """What the rules that look at a memory alone find in each file of ``root`` that could be one."""
    context = Context(MemoryDirectory(str(root)), settings, date.today())
    listing = list_files(root)
    found: Found = {}
    for key in listing.candidates:
        text, facts = read_file(listing.path_of(key)) if key != INDEX_NAME else (None, None)
        if text is not None:
            document = MemoryDocument.parse(text)
            quick = check_alone(context, key, document, facts, suppressions=suppressions)
            found[key] = quick + check_costly_alone(context, key, document, suppressions=suppressions)
    return found


def _is_large(root: Path) -> bool:
    try:
        return len(os.listdir(root)) >= _WORTH_A_PROCESS
    except OSError:
        return False


def _run(root: Path, settings: Settings, suppressions: bool, writing: int) -> None:
    """What the second process does; it never comes back."""
    import pickle

    status = 1
    with suppress(BaseException):
        with os.fdopen(writing, "wb") as pipe:
            pickle.dump(check_all_alone(root, settings, suppressions), pipe, pickle.HIGHEST_PROTOCOL)
        status = 0
    os._exit(status)
