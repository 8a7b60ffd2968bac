"""The commands that change memories: each makes a plan, and applies it or has it wait."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

from memory_ls.changes import entries, reindex
from memory_ls.changes.init import init
from memory_ls.changes.plan import CannotChangeError, Plan
from memory_ls.changes.rename import rename
from memory_ls.changes.reporting import report_on
from memory_ls.directory import discover
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME
from memory_ls.server import writer
from memory_ls.server.commands.errors import cannot, failed, refused, wrong_argument
from memory_ls.server.commands.journal import refusals_as_json
from memory_ls.server.commands.targets import Arguments, directories_of, named_memory, new_directory, target_of
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from memory_ls.server.writer import Written
from memory_ls.store.refusals import refusal
from memory_ls.store.store import Outcome, Store

_Make = Callable[[MemoryDirectory], Plan]


async def write(session: Session, arguments: Arguments) -> object:
    """Adds a memory, or updates the one that the name means."""
    name, kind = _required(arguments, "name"), arguments.get("type")
    description, content = arguments.get("description", ""), arguments.get("content", "")
    held = await target_of(session, arguments)
    return await _written(
        session,
        held,
        arguments,
        lambda directory: entries.write(
            directory, name, kind, description, content, settings=held.settings, today=date.today()
        ),
    )


async def init_directory(session: Session, arguments: Arguments) -> object:
    """Makes a memory directory: the one that is named, else that of the project."""
    await session.ready()
    path = new_directory(session, arguments)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise failed("exists", f"{path} is no directory.", "Choose another place.")
    if (why := discover.too_wide(path)) is not None:
        raise failed("outside", f"{path} {why}", "")
    if os.path.lexists(path / INDEX_NAME):
        raise failed("exists", f"{path} is a memory directory already.", "Open its MEMORY.md.")
    held = session.held_at(path)
    return await _written(session, held, arguments, lambda directory: init(directory.root, str(path)))


async def delete(session: Session, arguments: Arguments) -> object:
    """Deletes a memory and its entry."""
    name = _required(arguments, "name")
    held, key = await _saved_memory(session, arguments, name)
    # Named by its path from here on, so that it is the one that was meant when others come or go.
    path = f"./{key}"
    return await _written(
        session,
        held,
        arguments,
        lambda directory: entries.delete(directory, path, settings=held.settings, today=date.today()),
    )


async def rename_memory(session: Session, arguments: Arguments) -> object:
    """Gives a memory another name: its file, the links to it and its entry follow."""
    name, to = _required(arguments, "name"), _required(arguments, "to")
    held, key = await _saved_memory(session, arguments, name)

    def make(directory: MemoryDirectory) -> Plan:
        try:
            return rename(directory, key, to, settings=held.settings)
        except CannotChangeError as error:
            raise CannotChangeError(str(error), kind=error.kind, key=error.key and "to") from error

    return await _written(session, held, arguments, make)


async def _saved_memory(session: Session, arguments: Arguments, name: str) -> tuple[Held, str]:
    """The memory that a name means; one that has no file yet, as it is new in an editor, is to be saved first."""
    held, key = named_memory(await directories_of(session, arguments), name)
    directory, unsaved = session.as_on_disk(held)
    if key in unsaved and key not in directory.documents:
        raise refused(Outcome(refused=(refusal(None, key, "unsaved"),)))
    return held, key


async def clear(session: Session, arguments: Arguments) -> object:
    """Deletes all memories of a directory."""
    if arguments.get("confirm") is not True and not arguments.get("dryRun"):
        raise wrong_argument("confirm", "This deletes all memories of the directory. Say `confirm: true` to do so.")
    held = await target_of(session, arguments)
    return await _written(
        session, held, arguments, lambda directory: entries.clear(directory, settings=held.settings, today=date.today())
    )


async def reindex_memories(session: Session, arguments: Arguments) -> object:
    """Repairs, organises or makes anew the index of a directory."""
    mode = arguments.get("mode", "repair")
    if mode not in reindex.MODES:
        choices = list(reindex.MODES)
        raise wrong_argument("mode", f"mode must be one of {', '.join(choices)}.", choices=choices)
    held = await target_of(session, arguments)
    return await _reported(
        session, held, arguments, lambda directory: reindex.MODES[mode](directory, settings=held.settings)
    )


async def mark_stale(session: Session, arguments: Arguments) -> object:
    """Marks memories as stale: those with these names, or those that are old."""
    names = arguments.get("names", [])
    if not all(isinstance(name, str) for name in names):
        raise wrong_argument("names", "names must be a list of texts.")
    if arguments.get("olderThanDays", 0) < 0:
        raise wrong_argument("olderThanDays", "olderThanDays must not be less than 0.")
    held = await target_of(session, arguments)

    def make(directory: MemoryDirectory) -> Plan:
        days, today = arguments.get("olderThanDays"), date.today()
        try:
            return entries.mark_stale(directory, settings=held.settings, today=today, names=names, older_than_days=days)
        except CannotChangeError as error:
            raise CannotChangeError(str(error), kind=error.kind, key="names", choices=error.choices) from error

    return await _reported(session, held, arguments, make, marks_stale=True)


async def _written(session: Session, held: Held, arguments: Arguments, make: _Make) -> dict[str, Any]:
    """Applies a plan of one operation: all of it is done, or an error tells why not.

    With `dryRun: true` it is told what would be done, or why it can't be.
    """
    if arguments.get("dryRun"):
        plan, outcome = _planned_over_saved(session, held, make), Outcome()
    else:
        plan, outcome = await _carried_out(session, held, make)
    if outcome.refused:
        raise refused(outcome, is_new=True)
    report = report_on(plan)
    return {
        "journalId": outcome.journal_id,
        "title": plan.title,
        "directory": str(held.path),
        "added": list(report.added),
        "updated": list(report.updated),
        "files": [change.path for change in plan.changes],
        "renamed": {change.path: change.new_path for change in plan.changes if change.new_path is not None},
        "warnings": [*plan.warnings, *outcome.warnings],
    }


async def _reported(
    session: Session, held: Held, arguments: Arguments, make: _Make, *, marks_stale: bool = False
) -> dict[str, Any]:
    """Applies a plan and reports on it; with `preview: true` it waits to be applied, with `dryRun: true` it is only told."""
    if arguments.get("dryRun"):
        report = report_on(_planned_over_saved(session, held, make), marks_stale=marks_stale)
        return {
            **replace(report, status="dryRun" if report.changes else report.status).as_json(),
            "directory": str(held.path),
        }
    if arguments.get("preview"):
        return await _previewed(session, held, make, marks_stale=marks_stale)
    plan, outcome = await _carried_out(session, held, make)
    if outcome.refused and outcome.journal_id is None:
        raise refused(outcome, is_new=True)
    done = replace(plan, changes=tuple(each for each in plan.changes if each.operation in (0, *outcome.applied)))
    report = report_on(done if outcome.journal_id else plan, marks_stale=marks_stale)
    if outcome.journal_id is not None:
        report = replace(report, status="applied", journal_id=outcome.journal_id)
    warnings = (*report.warnings, *outcome.warnings)
    told = replace(report, warnings=warnings).as_json()
    return {**told, "directory": str(held.path), "refused": refusals_as_json(outcome)}


async def _previewed(session: Session, held: Held, make: _Make, *, marks_stale: bool) -> dict[str, Any]:
    plan = _planned_over_saved(session, held, make)
    report = report_on(plan, marks_stale=marks_stale)
    if plan.changes:
        report = replace(report, plan_id=plan.id)
        await writer.to_its_end(lambda: Store(held.path).save_plan(plan, report.as_json()))
    return {**report.as_json(), "directory": str(held.path)}


async def _carried_out(session: Session, held: Held, make: _Make) -> Written:
    return await writer.carry_out(session, held, lambda directory: _planned(make, directory))


def _planned_over_saved(session: Session, held: Held, make: _Make) -> Plan:
    """A plan that could be carried out: it is refused at once where unsaved text is in the way."""
    directory, unsaved = session.as_on_disk(held)
    plan = _planned(make, directory)
    for change in plan.changes:
        if change.path in unsaved:
            raise refused(Outcome(refused=(refusal(change.operation, change.path, "unsaved"),)))
    return plan


def _planned(make: _Make, directory: MemoryDirectory) -> Plan:
    try:
        return make(directory)
    except CannotChangeError as error:
        raise cannot(error) from error


def _required(arguments: Arguments, key: str) -> str:
    value = arguments.get(key, "")
    if not isinstance(value, str) or not value.strip():
        raise wrong_argument(key, f"{key} must be given, and not be empty.")
    return value
