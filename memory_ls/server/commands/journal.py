"""The commands about what was changed and what is to be: history and undo, and the plans that wait."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_ls.changes.plan import CannotChangeError, FileChange, Report, changes_as_json, combined, unified_diff
from memory_ls.documents.edits import CannotEditError
from memory_ls.pipeline.decisions import decisions_after, lists_of
from memory_ls.pipeline.left_over import left_over, told_of
from memory_ls.server import writer
from memory_ls.server.commands.errors import failed, refused, wrong_argument
from memory_ls.server.commands.targets import (
    Arguments,
    directories_of,
    possible_directories,
    possible_directory,
)
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from memory_ls.server.writer import Now
from memory_ls.store.journal import Entry, Progress, Source
from memory_ls.store.plans import PendingPlan
from memory_ls.store.state import DamagedError
from memory_ls.store.store import Outcome, Store
from memory_ls.text import without_surrogates

# ---- history and undo


async def history(session: Session, arguments: Arguments) -> object:
    """What was changed in the directories, the newest first; of one entry that is named also how."""
    directories = await directories_of(session, arguments)
    wanted = arguments.get("journalId")
    if wanted is not None:
        held, entry = await _entry(session, directories, wanted)
        diffs = await writer.asked(session, held, lambda store: _diffs(store, entry))
        return [{**_told(held, entry), "files": diffs}]
    entries = [(held, entry) for held in directories for entry in await _entries(session, held)]
    entries.sort(key=lambda found: found[1].time, reverse=True)
    return [_told(held, entry) for held, entry in entries]


async def undo(session: Session, arguments: Arguments) -> object:
    """Takes back what was applied last, or the entry that is named."""
    directories = await directories_of(session, arguments)
    wanted = arguments.get("journalId")
    if wanted is not None:
        held, entry = await _entry(session, directories, wanted)
    else:
        held, entry = await _last(session, directories)
    outcome = await writer.undo(session, held, entry.id)
    if outcome.journal_id is None:
        raise refused(outcome)
    return {
        "journalId": outcome.journal_id,
        "undone": entry.id,
        "title": entry.title,
        "directory": str(held.path),
        "files": [effect.as_json() for effect in outcome.files],
        "warnings": list(outcome.warnings),
    }


async def _entries(session: Session, held: Held) -> list[Entry]:
    entries = await writer.asked(session, held, Store.history)
    return [entry for entry in entries if entry.progress is Progress.DONE]


async def _entry(session: Session, directories: Iterable[Held], journal_id: str) -> tuple[Held, Entry]:
    """The entry with an id, which tells it from the others of its directory."""
    found = [(held, each) for held in directories for each in await _entries(session, held) if each.id == journal_id]
    if not found:
        raise failed("notFound", "The history has no such entry any more.", "memoryLs.history tells all entries.")
    if len(found) > 1:
        choices = [str(held.path) for held, _ in found]
        raise wrong_argument("directory", "Several directories have such an entry: say which.", choices=choices)
    return found[0]


async def _last(session: Session, directories: Iterable[Held]) -> tuple[Held, Entry]:
    """The last change of ours that still stands."""
    standing = [
        (entry.time, number, held, entry)
        for number, held in enumerate(directories)
        for entry in await _entries(session, held)
        if entry.source is Source.PLAN and not entry.undone
    ]
    if not standing:
        raise failed("notFound", "There is nothing to undo.", "memoryLs.history tells what was changed.")
    _, _, held, entry = max(standing, key=lambda each: each[:2])
    return held, entry


def _told(held: Held, entry: Entry) -> dict[str, Any]:
    return {**entry.as_json(), "directory": str(held.path)}


def _diffs(store: Store, entry: Entry) -> list[dict[str, Any]]:
    try:
        changes = store.changes_of(entry)
    except (DamagedError, OSError):
        return [{**effect.as_json(), "diff": None, "before": None, "after": None} for effect in entry.files]
    return [
        {**effect.as_json(), "diff": unified_diff(change), **_texts(change)}
        for effect, change in zip(entry.files, changes, strict=True)
    ]


def _texts(change: FileChange) -> dict[str, str | None]:
    """The whole texts of a file before and after; null where there is no file."""
    return {
        "before": without_surrogates(change.before) if change.before is not None else None,
        "after": without_surrogates(change.after) if change.after is not None else None,
    }


# ---- pending plans

_WAITING = "memoryLs.plans tells those that wait."


async def plans(session: Session, arguments: Arguments) -> object:
    """The plans that wait to be applied or discarded, the newest first.

    Of one that is named also what it makes of the files, all of it or only some operations.
    """
    if "planId" in arguments:
        held, pending = await _plan(session, arguments)
        only = arguments.get("only")
        if only is not None and not all(isinstance(each, int) and not isinstance(each, bool) for each in only):
            raise wrong_argument("only", "only must be a list of numbers of operations.")
        now = await writer.as_of_now(session, held, pending.plan)
        return await asyncio.to_thread(lambda: [{**_pending(held.path, pending, now), "files": _files(now, only)}])
    found = await pending_plans(session, await _paths(session, arguments))
    return [await _as_of_now(session, path, plan) for path, plan in found]


async def _as_of_now(session: Session, path: Path, pending: PendingPlan) -> dict[str, Any]:
    now = await writer.as_of_now(session, session.held_at(path), pending.plan)
    return await asyncio.to_thread(_pending, path, pending, now)


async def pending_plans(session: Session, paths: Iterable[Path]) -> list[tuple[Path, PendingPlan]]:
    """The plans that wait, with the directories that they are for, the newest first."""
    found = [(path, plan) for path in paths for plan in await writer.asked(session, session.held_at(path), Store.plans)]
    return sorted(found, key=lambda each: each[1].time, reverse=True)


def _pending(path: Path, pending: PendingPlan, now: Now) -> dict[str, Any]:
    """A pending plan as it would be applied ``now``; ``outdated`` are the operations that can't be any more."""
    return {
        **pending.report,
        "planId": pending.id,
        "time": pending.time.isoformat(),
        "title": pending.plan.title,
        "directory": str(path),
        "changes": changes_as_json(now.plan.changes),
        "outdated": list(now.outdated),
        "log": pending.log,
    }


def _files(now: Now, only: Collection[int] | None) -> list[dict[str, Any]]:
    possible = set(now.plan.operations if only is None else only) - set(now.outdated)
    try:
        # What can't be done any more is shown by itself, as it was planned.
        files = combined(now.plan.changes, possible or only)
    except (CannotChangeError, CannotEditError) as error:
        raise failed("conflict", str(error), "Apply one of the operations alone.") from error
    return [
        {
            "path": file.path,
            "kind": file.kind.value,
            "newPath": file.new_path,
            **_texts(file),
        }
        for file in files
    ]


async def apply_plan(session: Session, arguments: Arguments) -> object:
    """Applies a pending plan, or a part of it; the rest is discarded with it. What is refused of it waits on."""
    held, pending = await _plan(session, arguments)
    only = arguments.get("only")
    if only is not None and not all(isinstance(each, int | str) and not isinstance(each, bool) for each in only):
        raise wrong_argument("only", "only must be a list of numbers of operations, or of paths.")
    plan = (await writer.as_of_now(session, held, pending.plan)).plan
    outcome = await writer.apply(session, held, plan, only=only)
    if outcome.journal_id is None:
        raise refused(outcome)
    left = left_over(pending, plan, outcome)
    warnings = await writer.asked(session, held, lambda store: _finish(store, pending, left, outcome))
    session.read_evidence(held)
    outcome = replace(outcome, warnings=(*outcome.warnings, *warnings))
    # Diffs of a long index take their time.
    report = await asyncio.to_thread(applied_report, replace(pending, plan=plan), outcome)
    return {**report, "leftPlanId": left.id if left is not None else None}


def _finish(store: Store, pending: PendingPlan, left: PendingPlan | None, outcome: Outcome) -> list[str]:
    try:
        store.keep_evidence(pending.plan, outcome, pending.quotes, pending.log)
        if left is None:
            store.discard_plan(pending.id)
        else:
            store.replace_plan(pending.id, left)
    except OSError as error:
        return [f"It could not be noted what was done ({error.strerror}): the plan may be proposed again."]
    return [told_of(left)] if left is not None else []


def applied_report(pending: PendingPlan, outcome: Outcome) -> dict[str, Any]:
    """The report of a plan's maker, with what came of the plan."""
    done = Report(
        "applied",
        journal_id=outcome.journal_id,
        changes=tuple(each for each in pending.plan.changes if each.operation in (0, *outcome.applied)),
    ).as_json()
    # What the plan warns of is said of all of it: of 1,500 new entries agents may not see some, of three they do.
    is_whole = set(pending.plan.operations) <= set(outcome.applied)
    made = [each for each in pending.report.get("warnings", ()) if is_whole or each not in pending.plan.warnings]
    warnings = [*made, *outcome.warnings]
    told = {key: done[key] for key in ("status", "journalId", "changes")}
    if decisions := pending.report.get("decisions"):
        after = decisions_after(decisions, outcome)
        told |= {"decisions": after, **lists_of(after)}
    return {
        **done,
        **pending.report,
        **told,
        "planId": None,
        "warnings": warnings,
        "refused": refusals_as_json(outcome),
    }


def refusals_as_json(outcome: Outcome) -> list[dict[str, Any]]:
    """The operations that were not done, and why."""
    return [
        {"operation": each.operation, "path": each.path, "kind": each.kind, "message": each.message}
        for each in outcome.refused
    ]


async def discard_plan(session: Session, arguments: Arguments) -> object:
    """Forgets a pending plan."""
    held, pending = await _plan(session, arguments)
    try:
        await writer.asked(session, held, lambda store: store.discard_plan(pending.id))
    except OSError as error:
        raise failed(
            "readOnly", f"It could not be written down: {error.strerror}.", "Look at the state directory."
        ) from error
    return {"planId": pending.id, "title": pending.plan.title, "directory": str(held.path)}


async def _paths(session: Session, arguments: Arguments) -> list[Path]:
    """The directories whose plans are asked about; a plan may be there before its directory is."""
    await session.ready()
    wanted = arguments.get("directory")
    named = possible_directory(session, wanted) if wanted is not None else None
    paths = possible_directories(session) if wanted is None else [named] if named is not None else []
    return paths or [held.path for held in await directories_of(session, arguments)]


async def _plan(session: Session, arguments: Arguments) -> tuple[Held, PendingPlan]:
    plan_id = arguments.get("planId")
    if plan_id is None:
        raise wrong_argument("planId", "planId must name a plan.", hint=_WAITING)
    for path in await _paths(session, arguments):
        held = session.held_at(path)
        pending = await writer.asked(session, held, lambda store: store.load_plan(plan_id))
        if pending is not None:
            return held, pending
    told = "These changes wait no longer: they were applied, discarded, or planned anew."
    raise failed("notFound", told, _WAITING)
