"""Watches directories for changes on the disk, for clients that do not."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles import Change

log = logging.getLogger(__name__)

# How long, in milliseconds, nothing must happen before what happened is told, and for how long at most it is gathered.
_QUIET = 40
_LONGEST = 400
# How often, in milliseconds, a thread that watches gives a sign of life, and directories are looked at that the
# operating system can't watch.
_SIGN = 500
_Changes = set[tuple["Change", str]]


class Watcher:
    """Watches a set of directories, each without those below it, in a thread of its own.

    ``changed`` is given the paths that changed, and ``started`` hears that the watch has begun: what happened
    before that went unseen. Both are called on the event loop.
    """

    def __init__(self, changed: Callable[[Iterable[Path]], None], started: Callable[[], None]) -> None:
        self._changed = changed
        self._started = started
        self._stop = threading.Event()

    def watch(self, directories: frozenset[str]) -> None:
        """Watches these directories from now on, and no others."""
        self.close()
        self._stop = threading.Event()
        arguments = (directories, self._stop, asyncio.get_running_loop())
        # A daemon, since it sleeps in the operating system and must not hold up the end of the process.
        threading.Thread(target=self._run, args=arguments, name="watching", daemon=True).start()

    def close(self) -> None:
        """Watches nothing any more."""
        self._stop.set()

    def _run(self, directories: frozenset[str], stop: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
        polling = False
        while not stop.is_set():
            present = sorted(filter(os.path.isdir, directories))
            try:
                for number, changes in enumerate(_changes(present, stop, polling)):
                    if stop.is_set():
                        return
                    if number == 0:
                        loop.call_soon_threadsafe(self._started)
                    if changes:
                        loop.call_soon_threadsafe(self._changed, {Path(path) for _, path in changes})
                    # Where one of the directories came or went: if it comes again, it is another than it was.
                    if any(path in directories and change.name != "modified" for change, path in changes):
                        break
            except FileNotFoundError:
                continue  # one went while the watch was set up
            except OSError as error:
                if polling:
                    log.warning("Changes on the disk can't be watched: %s", error.strerror)
                    return
                log.warning("The system can't watch %d directories, so they are looked at instead", len(present))
                polling = True
            except RuntimeError:
                return  # the event loop is closed


def _changes(directories: list[str], stop: threading.Event, polling: bool) -> Iterator[_Changes]:
    """What changed, a set for each burst; an empty one now and then, the first when the watch has begun."""
    from watchfiles import watch  # takes a while, and here nobody waits for it

    return watch(
        *directories,
        watch_filter=None,
        debounce=_LONGEST,
        step=_QUIET,
        stop_event=stop,
        rust_timeout=_SIGN,
        yield_on_timeout=True,
        recursive=False,
        raise_interrupt=False,
        force_polling=polling or None,
        poll_delay_ms=_SIGN,
        ignore_permission_denied=True,
    )
