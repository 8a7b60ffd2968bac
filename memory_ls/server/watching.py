"""Watches directories for changes on the disk, for clients that do not."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles import Change

log = logging.getLogger(__name__)

# How long, in milliseconds, nothing must happen before what happened is told, and for how long at most it is gathered.
_QUIET = 40
_LONGEST = 400
# How often, in milliseconds, a thread that watches gives a sign of life; the first tells that the watch has begun.
_SIGN = 100
# How often, in milliseconds, directories are looked at that the operating system can't watch.
_LOOK = 500
# Whoever looks tells times apart by the second. What changes twice in one is found this long, in seconds, afterwards.
_SECOND = 1.1
_Changes = set[tuple["Change", str]]


class Watcher:
    """Watches a set of directories, each without those below it, in a thread of its own.

    ``changed`` is given the paths that changed, and ``started`` hears that the watch has begun: what happened
    before that went unseen. It hears the same when something else may have. Both are called on the event loop.
    """

    def __init__(self, changed: Callable[[Iterable[Path]], None], started: Callable[[], None]) -> None:
        self._changed = changed
        self._started = started
        # One for each watch that goes on, the newest last.
        self._stops: list[threading.Event] = []
        self._directories: frozenset[str] = frozenset()
        self._is_due = False

    def watch(self, directories: frozenset[str]) -> None:
        """Watches these directories from now on, and soon no others."""
        self._directories = directories
        stop = threading.Event()
        self._stops.append(stop)
        # A daemon, since it sleeps in the operating system and must not hold up the end of the process.
        arguments = (directories, stop, asyncio.get_running_loop())
        threading.Thread(target=self._run, args=arguments, name="watching", daemon=True).start()

    def close(self) -> None:
        """Watches nothing any more."""
        while self._stops:
            self._stops.pop().set()

    def _begun(self, stop: threading.Event) -> None:
        if stop in self._stops:
            # Those before this one go on until now, so that nothing is missed between.
            while self._stops[0] is not stop:
                self._stops.pop(0).set()
            self._started()
            if self._is_due and stop is self._stops[-1]:
                self._is_due = False
                self.watch(self._directories)

    def _heard(self, stop: threading.Event, paths: Iterable[Path]) -> None:
        if not stop.is_set():
            self._changed(paths)

    def _came_or_went(self, stop: threading.Event) -> None:
        """One of the directories did: if it comes again, it is another than the one that is watched."""
        if stop in self._stops:
            # A watch that is still being set up may have looked before, or may not: it is followed by another.
            self._is_due = len(self._stops) > 1
            if not self._is_due:
                self.watch(self._directories)

    def _run(self, directories: frozenset[str], stop: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
        try:
            try:
                self._tell(directories, stop, loop, polling=None)
            except OSError:  # a limit of the system's, most likely
                log.warning("The system can't watch %d directories, so they are looked at instead", len(directories))
                self._tell(directories, stop, loop, polling=True)
        except OSError as error:
            log.warning("Changes on the disk can't be watched: %s", error.strerror)
        except RuntimeError:
            return  # the event loop is closed

    def _tell(
        self,
        directories: frozenset[str],
        stop: threading.Event,
        loop: asyncio.AbstractEventLoop,
        *,
        polling: bool | None,
    ) -> None:
        is_coarse = polling or _is_polled_anyway()
        unseen_until = 0.0
        for number, changes in enumerate(_changes(directories, stop, polling)):
            if stop.is_set():
                return
            if number == 0 or 0 < unseen_until <= time.monotonic():
                loop.call_soon_threadsafe(self._begun, stop)
                unseen_until = 0.0
            if is_coarse and (number == 0 or changes):
                unseen_until = time.monotonic() + _SECOND
            if changes:
                loop.call_soon_threadsafe(self._heard, stop, {Path(path) for _, path in changes})
            if any(path in directories and change.name != "modified" for change, path in changes):
                loop.call_soon_threadsafe(self._came_or_went, stop)


def _is_polled_anyway() -> bool:
    """Whether watchfiles looks instead of having the system watch: where the user wants it so, and on Windows' Linux."""
    wish = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    return wish not in ("false", "disable", "disabled") if wish else "microsoft-standard" in platform.release().lower()


def _changes(directories: Iterable[str], stop: threading.Event, polling: bool | None) -> Iterator[_Changes]:
    """What changed, a set for each burst; an empty one now and then, the first when the watch has begun."""
    from watchfiles import watch  # takes a while, and here nobody waits for it

    while not stop.is_set():
        try:
            yield from watch(
                *sorted(filter(_can_be_watched, directories)),
                watch_filter=None,
                debounce=_LONGEST,
                step=_QUIET,
                stop_event=stop,
                rust_timeout=_SIGN,
                yield_on_timeout=True,
                recursive=False,
                raise_interrupt=False,
                force_polling=polling,
                poll_delay_ms=_LOOK,
                ignore_permission_denied=True,
            )
        except FileNotFoundError:
            continue  # one went while the watch was set up


def _can_be_watched(directory: str) -> bool:
    """Whether a directory is there, and has a name that the library can take: one of bytes that are no text it can't."""
    try:
        directory.encode()
    except UnicodeEncodeError:
        return False
    return os.path.isdir(directory)
