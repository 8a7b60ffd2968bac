"""Work that goes on between messages, and never keeps one waiting."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from memory_ls.server.protocol import without_text

log = logging.getLogger(__name__)

_Result = TypeVar("_Result")

# How long the loop may be held by one piece of background work, in seconds.
_SLICE = 0.002
# How long background work steps aside, in seconds, when the last keystroke was no longer ago than that.
_ASIDE = 0.02


class Background:
    """The tasks that go on. ``tasks`` are those that are not done."""

    def __init__(self) -> None:
        self.tasks: set[asyncio.Task[None]] = set()
        self._last_edit = 0.0

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Has work done from the next turn of the event loop on; what goes wrong is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def step_aside(self) -> None:
        """The user has just typed: whatever is in slices leaves the loop to the next keys."""
        self._last_edit = asyncio.get_running_loop().time()

    async def in_slices(self, steps: Generator[object, None, _Result]) -> _Result:
        """Runs a generator to its end, a few milliseconds at a time, so that messages are answered between."""
        loop = asyncio.get_running_loop()
        until = loop.time() + _SLICE
        while True:
            try:
                next(steps)
            except StopIteration as done:
                result: _Result = done.value
                return result
            if loop.time() >= until:
                await asyncio.sleep(_ASIDE if loop.time() - self._last_edit < _ASIDE else 0)
                until = loop.time() + _SLICE

    def close(self) -> None:
        """Ends all of it."""
        for task in list(self.tasks):
            task.cancel()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Background work failed: %s", without_text(error))
