"""Applies plans to the directories that a session holds, and lets it see at once what came of them.

Plans are made from the texts on the disk. They are applied in a thread, and to their end once begun: a client that
cancels then is told what was done.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

from memory_ls.changes.plan import Plan
from memory_ls.changes.rebase import outdated, rebased, text_of
from memory_ls.directory.loader import most_bytes, read_file
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.server.held import Held, from_disk
from memory_ls.server.session import Session
from memory_ls.store.store import Outcome, Store

_Result = TypeVar("_Result")

# A file that another program has just written may be a step ahead of what is held: the plan is made again then.
_TRIES = 3


class Written(NamedTuple):
    """A plan that was applied, and what came of it."""

    plan: Plan
    outcome: Outcome


async def carry_out(session: Session, held: Held, make: Callable[[MemoryDirectory], Plan]) -> Written:
    """Makes a plan from what the disk has of a directory, and applies it.

    Raises:
        CannotChangeError: there can be no such plan.
    """
    for left in reversed(range(_TRIES)):
        # In a thread: with a long index it takes its time.
        plan = await asyncio.to_thread(make, session.as_on_disk(held)[0])
        if not plan.changes:
            return Written(plan, Outcome())
        outcome = await apply(session, held, plan)
        is_stale = outcome.journal_id is None and {"changed", "exists"} & {each.kind for each in outcome.refused}
        if not left or not is_stale:
            break
    return Written(plan, outcome)


class Now(NamedTuple):
    """A plan for what is there now, and the operations that can't be done there any more."""

    plan: Plan
    outdated: tuple[int, ...]


async def as_of_now(session: Session, held: Held, plan: Plan) -> Now:
    """A plan that was made before, for the texts that its files have on the disk now."""
    directory = session.as_on_disk(held)[0]
    return await asyncio.to_thread(_as_of_now, directory, held, plan)


def _as_of_now(directory: MemoryDirectory, held: Held, plan: Plan) -> Now:
    # Whoever watches the disk may be a step behind.
    for key in dict.fromkeys(change.path for change in plan.changes):
        if text_of(directory, key) != _read(directory, key):
            directory = from_disk(directory, key)
    anew = rebased(plan, directory, held.settings)
    return Now(anew, outdated(anew, {change.path: text_of(directory, change.path) for change in anew.changes}))


def _read(directory: MemoryDirectory, key: str) -> str | None:
    path = directory.path_of(key)
    return read_file(path, most=most_bytes(key))[0] if os.path.lexists(path) else None


async def apply(
    session: Session,
    held: Held,
    plan: Plan,
    *,
    only: Collection[int | str] | None = None,
    unsaved: Collection[str] | None = None,
) -> Outcome:
    """Applies a plan that was made before, or a part of it."""
    texts = session.as_on_disk(held)[1] if unsaved is None else unsaved
    outcome = await to_its_end(lambda: Store(held.path).apply(plan, only=only, unsaved=texts))
    paths = {change.path for change in plan.changes} | {change.new_path for change in plan.changes if change.new_path}
    took_in(session, held, paths)
    return outcome


async def undo(session: Session, held: Held, journal_id: str | None) -> Outcome:
    """Takes back what was applied: the last of it, or the entry of the journal that is named."""
    unsaved = session.as_on_disk(held)[1]
    outcome = await to_its_end(lambda: Store(held.path).undo(journal_id, unsaved=unsaved))
    took_in(session, held, {path for file in outcome.files for path in (file.path, file.new_path) if path is not None})
    session.read_evidence(held)
    return outcome


async def asked(session: Session, held: Held, question: Callable[[Store], _Result]) -> _Result:
    """What the store of a directory answers; the user hears of what was wrong with what it remembers."""
    store = Store(held.path)
    answer = await to_its_end(lambda: question(store))
    session.tell(store.take_messages())
    return answer


def took_in(session: Session, held: Held, keys: Iterable[str]) -> None:
    """Has the session see what was written, without waiting for whoever watches the disk."""
    session.disk_changed([Path(held.path, *key.split("/")) for key in sorted(keys)])


async def to_its_end(work: Callable[[], _Result]) -> _Result:
    """What ``work`` gives, done in a thread; a cancel in the meantime changes nothing, since half of it is done."""
    done = asyncio.get_running_loop().run_in_executor(None, work)
    while not done.done():
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:
            if done.cancelled():
                raise
    return done.result()
