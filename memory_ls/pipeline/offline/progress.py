"""How far work in a thread is, told to the loop that waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import TypeVar

from memory_ls.pipeline.extract import Progress

# So many times in all something is told, and never for fewer items than these.
_TIMES = 50
_LEAST = 20

_Item = TypeVar("_Item")


def from_thread(progress: Progress | None) -> Progress | None:
    """What may be called from another thread in place of ``progress``, which belongs to this loop."""
    loop = asyncio.get_running_loop()
    if progress is None:
        return None
    return lambda done, total: _tell(loop, progress, done, total)


def _tell(loop: asyncio.AbstractEventLoop, progress: Progress, done: int, total: int) -> None:
    if not loop.is_closed():  # who waited may have given up
        loop.call_soon_threadsafe(progress, done, total)


def told(items: Sequence[_Item], progress: Progress | None) -> Iterator[tuple[int, _Item]]:
    """The items with their numbers from 1; now and then it is told how many are done."""
    step = max(len(items) // _TIMES, _LEAST)
    for number, item in enumerate(items, 1):
        yield number, item
        if progress is not None and (number % step == 0 or number == len(items)):
            progress(number, len(items))
