"""The commands about what was changed and what is to be: history and undo, and the plans that wait."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memory_ls.changes.plan import Report, changes_as_json, unified_diff
from memory_ls.server import writer
from memory_ls.server.commands.errors import failed, refused, wrong_argument
from memory_ls.server.commands.targets import Arguments, directories_of
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from memory_ls.store.journal import Entry, Progress, Source
from memory_ls.store.plans import PendingPlan
from memory_ls.store.state import DamagedError
from memory_ls.store.store import Outcome, Store

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
        raise failed("notFound", f"The history has no entry {journal_id:.40}.", "memoryLs.history tells all entries.")
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
        return [{**effect.as_json(), "diff": None} for effect in entry.files]
    return [
        {**effect.as_json(), "diff": unified_diff(change)} for effect, change in zip(entry.files, changes, strict=True)
    ]


# ---- pending plans


async def plans(session: Session, arguments: Arguments) -> object:
    """The plans that wait to be applied or discarded, the newest first."""
    directories = await directories_of(session, arguments)
    found = [(held, plan) for held in directories for plan in await writer.asked(session, held, Store.plans)]
    found.sort(key=lambda each: each[1].time, reverse=True)
    return [_pending(held, plan) for held, plan in found]


def _pending(held: Held, pending: PendingPlan) -> dict[str, Any]:
    return {
        **pending.report,
        "planId": pending.id,
        "time": pending.time.isoformat(),
        "title": pending.plan.title,
        "directory": str(held.path),
        "changes": changes_as_json(pending.plan.changes),
    }


async def apply_plan(session: Session, arguments: Arguments) -> object:
    """Applies a pending plan, or a part of it; the rest is discarded with it."""
    held, pending = await _plan(session, arguments)
    only = arguments.get("only")
    if only is not None and not all(isinstance(each, int | str) and not isinstance(each, bool) for each in only):
        raise wrong_argument("only", "only must be a list of numbers of operations, or of paths.")
    outcome = await writer.apply(session, held, pending.plan, only=only)
    if outcome.journal_id is None:
        raise refused(outcome)
    await writer.asked(session, held, lambda store: store.discard_plan(pending.id))
    return applied_report(pending, outcome)


def applied_report(pending: PendingPlan, outcome: Outcome) -> dict[str, Any]:
    """The report of a plan's maker, with what came of the plan."""
    done = Report(
        "applied",
        journal_id=outcome.journal_id,
        changes=tuple(each for each in pending.plan.changes if each.operation in (0, *outcome.applied)),
    ).as_json()
    warnings = [*pending.report.get("warnings", ()), *outcome.warnings]
    told = {key: done[key] for key in ("status", "journalId", "changes")}
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
    await writer.asked(session, held, lambda store: store.discard_plan(pending.id))
    return {"planId": pending.id, "title": pending.plan.title, "directory": str(held.path)}


async def _plan(session: Session, arguments: Arguments) -> tuple[Held, PendingPlan]:
    plan_id = arguments.get("planId")
    if plan_id is None:
        raise wrong_argument("planId", "planId must name a plan. memoryLs.plans tells those that wait.")
    for held in await directories_of(session, arguments):
        pending = await writer.asked(session, held, lambda store: store.load_plan(plan_id))
        if pending is not None:
            return held, pending
    raise failed("notFound", f"There is no plan {plan_id:.40}.", "memoryLs.plans tells those that wait.")
