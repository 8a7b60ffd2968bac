"""``memory-ls consolidate`` and ``extract``: from a chat log to memories, looked at before they are saved."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from memory_ls.changes.plan import Report, combined
from memory_ls.chats.message import ChatLog
from memory_ls.cli.apply import CANCELLED, Manner, agreed, undo_command
from memory_ls.cli.diffs import print_diffs
from memory_ls.cli.proposals import TO_DO, print_candidate, print_listed, print_report, say
from memory_ls.cli.report import json_bytes, printable
from memory_ls.cli.targets import Failure, default_directories, load_directory, named_directories, settings_for, shown
from memory_ls.cli.write import directory_to_write
from memory_ls.directory import discover
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.pipeline.logs import read_log, read_stream
from memory_ls.pipeline.manager import Found, Manager, Proposal, alone_with
from memory_ls.pipeline.models.model import ModelError
from memory_ls.pipeline.prompts import estimated
from memory_ls.pipeline.providers import provider_for
from memory_ls.store.store import Outcome, Store
from memory_ls.store.watermarks import BusyError

_Result = TypeVar("_Result")

# A run of more calls than so many is announced, and on a terminal asked about.
_FEW_CALLS = 4
_STDIN = "-"
# So often what was decided is planned anew when others write at the same time.
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Source:
    """Which log is read, by whom, and from where on."""

    log: str
    log_format: str | None = None
    provider: str | None = None
    model: str | None = None
    from_start: bool = False
    show_prompt: bool = False


def run_consolidate(source: Source, directory: Path | None, config: Path | None, manner: Manner) -> int:
    """Proposes memories from a log and, if that is wanted, saves them; returns the exit status."""
    if not (manner.yes or manner.dry_run or source.show_prompt):
        _need_somebody(manner)
    log = _read(source)
    root = _directory_for(log, directory, config)
    manager = _manager(root, config, source)
    if source.show_prompt:
        return _run(_show_prompts(manager, log, source))
    return _run(_consolidate(manager, log, root, source, manner))


def run_extract(source: Source, directory: Path | None, config: Path | None, output_format: str) -> int:
    """Prints the candidates in a log; nothing is saved."""
    log = _read(source)
    manager = _manager(_directory_for(log, directory, config), config, source)
    if source.show_prompt:
        return _run(_show_prompts(manager, log, source))
    found = _run(_extract(manager, log, source))
    if found is None:
        return CANCELLED
    if output_format == "json":
        click.echo(json_bytes(found.as_json()))
        return 0
    say(found.warnings)
    for candidate in found.candidates:
        print_candidate(candidate)
    print_listed("Dropped", [(each.name, each.reason) for each in found.dropped])
    if not found.candidates:
        click.echo(printable(found.skipped_reason))
    return 0


# ---- what it works with


def _need_somebody(manner: Manner) -> None:
    if manner.output_format != "text" or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("Nobody can be asked here. Add --yes to save what is found, or --dry-run to look at it.")


def _read(source: Source) -> ChatLog:
    try:
        if source.log == _STDIN:
            return read_stream(cast(io.BufferedReader, sys.stdin.buffer), source.log_format)
        return read_log(Path(source.log), source.log_format)
    except OSError as error:
        raise Failure(f"{source.log}: {error.strerror}.") from error
    except ValueError as error:  # no such format
        raise click.BadParameter(str(error), param_hint="--log-format") from error


def _directory_for(log: ChatLog, directory: Path | None, config: Path | None) -> Path:
    """The named memory directory, else the setting's, else that of the project the log names, else the usual one."""
    if directory is None and not settings_for(Path.cwd(), config).settings.directory:
        found = _of_project(log, config)
        if found is not None:
            return found
    return directory_to_write(directory, config)


def _of_project(log: ChatLog, config: Path | None) -> Path | None:
    project = log.working_directory
    if not project or not os.path.isabs(project) or not os.path.isdir(project):
        return None
    folder = Path(os.path.realpath(project))
    named = named_directories(config)
    around = discover.directory_of(folder / "x.md", named)
    if around is not None and discover.is_memory_directory(around, named):
        return around
    here = default_directories(config)
    below = [path for path in discover.directories_below(folder, named) if not here or path in here] or here
    if len(below) == 1 and folder in below[0].parents:
        return below[0]
    agents = discover.project_directory(folder)
    return agents if not below and discover.is_memory_directory(agents, named) else None


def _manager(root: Path, config: Path | None, source: Source) -> Manager:
    given = {"provider": source.provider, "model": source.model}
    overrides = {key: value for key, value in given.items() if value is not None}
    settings = settings_for(root, config, overrides).settings
    progress = _progress("Read") if sys.stderr.isatty() else None
    deciding = _progress("Decided on") if sys.stderr.isatty() else None
    try:
        provider = provider_for(settings, extracting=progress, consolidating=deciding)
    except ModelError as error:
        raise _failure(error) from error
    return Manager(Store(root), settings, provider, lambda: _snapshot(root, config), date.today())


def _snapshot(root: Path, config: Path | None) -> MemoryDirectory:
    return load_directory(root, config) if os.path.isdir(root) else MemoryDirectory(str(root))


def _progress(word: str) -> Callable[[int, int], None]:
    def tell(done: int, total: int) -> None:
        if total > 1:
            click.echo(f"{word} {done} of {total} …", err=True)

    return tell


def _run(work: Coroutine[Any, Any, _Result]) -> _Result:
    try:
        return asyncio.run(work)
    except ModelError as error:
        raise _failure(error) from error
    except BusyError:
        raise Failure(
            "This log is being read into this memory directory already. Try again when that is done."
        ) from None


def _failure(error: ModelError) -> Failure:
    return Failure(f"{error.message} {error.hint}".strip())


# ---- the work


async def _show_prompts(manager: Manager, log: ChatLog, source: Source) -> int:
    asked = await manager.prompts(log, from_start=source.from_start)
    if manager.provider.meter is None:
        click.echo("Nothing would be sent: the provider is offline.")
    elif not asked:
        click.echo("Nothing would be sent: the log has too little that is new.")
    for number, prompt in enumerate(asked, 1):
        click.echo(f"=== {number} of {len(asked)} ===\n{_readable(prompt.shown())}\n")
    if asked:
        click.echo("What is found is then sent once more, with the memories that it may belong to.", err=True)
    return 0


def _readable(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


async def _extract(manager: Manager, log: ChatLog, source: Source) -> Found | None:
    if not await _is_wanted(manager, log, source):
        return None
    return await manager.extract(log, from_start=source.from_start)


async def _consolidate(manager: Manager, log: ChatLog, root: Path, source: Source, manner: Manner) -> int:
    async with alone_with(manager.store, log, writes=not manner.dry_run):
        if not (await _is_wanted(manager, log, source, asks=not manner.yes)):
            return CANCELLED
        proposal = await manager.propose(log, from_start=source.from_start)
        if manner.dry_run:
            return _told(proposal.report("dryRun"), proposal, root, manner)
        if not proposal.plan.changes:
            warnings = manager.settle(proposal)
            report = proposal.report("skipped")
            return _told(replace(report, warnings=(*report.warnings, *warnings)), proposal, root, manner)
        only: list[int] | None = None
        if not manner.yes:
            _told(proposal.report("planned"), proposal, root, manner)
            only = _chosen(proposal)
            if only is None:
                click.echo("Nothing was saved. The next run will propose it again.")
                return CANCELLED
            if not only:
                manager.settle(proposal)
                click.echo("Nothing was saved. These messages will not be looked at again, except with --from-start.")
                return 0
            proposal = manager.as_of_now(proposal)
        outcome = manager.store.apply(proposal.plan, only=only)
        for _ in range(_TRIES if manner.yes else 0):
            if not _is_overtaken(outcome):
                break
            # Others write here too: what was decided is planned anew, and nobody has looked at the plan.
            proposal = replace(proposal, drafted=manager.drafted_again(proposal, manager.snapshot()))
            outcome = manager.store.apply(proposal.plan)
        if outcome.journal_id is None:
            raise Failure("\n".join(["Nothing was saved.", *(each.message for each in outcome.refused)]))
        warnings = manager.settle(proposal, outcome, Path(source.log).name if source.log != _STDIN else "")
        return _saved(proposal, outcome, warnings, root, manner)


def _is_overtaken(outcome: Outcome) -> bool:
    """Whether nothing was done, since another program changed the files between the plan and its application."""
    kinds = {refusal.kind for refusal in outcome.refused}
    return outcome.journal_id is None and bool(kinds) and kinds <= {"changed", "exists"}


async def _is_wanted(manager: Manager, log: ChatLog, source: Source, *, asks: bool = True) -> bool:
    """Whether a run that may cost a lot is still wanted."""
    asked = await manager.prompts(log, from_start=source.from_start)
    if len(asked) <= _FEW_CALLS:
        return True
    cost = estimated(asked, manager.settings.max_tokens)
    told = (
        f"This takes {cost.calls} calls and about {cost.input_tokens:,} tokens to be read, with up to "
        f"{cost.output_tokens:,} of answers, and a few calls more to put together what is found."
    )
    click.echo(told, err=True)
    if not asks or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return True
    return agreed("Go on?")


_ANSWERS = ("yes", "select", "no", "later")


def _answer(given: str) -> str:
    """The answer that is meant by it or by its beginning."""
    wanted = given.strip().casefold()
    for answer in _ANSWERS:
        if wanted and answer.startswith(wanted):
            return answer
    raise click.BadParameter(f"{given!r} is none of y, s, n and l.")


def _chosen(proposal: Proposal) -> list[int] | None:
    """The operations that whoever sits at the terminal wants: none of them; ``None`` to leave everything as it is."""
    try:
        return _asked_for(proposal)
    except click.Abort:  # there is no more input, or it was interrupted
        click.echo()
        return None


def _asked_for(proposal: Proposal) -> list[int] | None:
    click.echo()
    question = "Save this? [y]es, [s]elect, [n]o and don't propose it again, [l]ater"
    choice = click.prompt(question, value_proc=_answer, default="l")
    operations = list(proposal.plan.operations)
    if choice == "yes":
        return operations
    if choice == "later":
        return None
    if choice == "no":
        return []
    titles = {each.operation: f"{TO_DO[each.action]} {each.name}" for each in proposal.drafted.decisions}
    return [number for number in operations if click.confirm(printable(f"{titles[number]}?"), default=True)]


# ---- what is told


def _told(report: Report, proposal: Proposal, root: Path, manner: Manner) -> int:
    """Tells what would become of the log."""
    if manner.output_format == "json":
        click.echo(json_bytes(report.as_json()))
        return 0
    print_report(report, proposal.found.candidates)
    if proposal.plan.changes:
        print_diffs(str(root), combined(proposal.plan.changes))
    if report.status == "skipped":
        click.echo(printable(report.skipped_reason))
    elif report.status == "dryRun":
        click.echo("\nNothing was saved: this was a dry run.")
    return 0


def _saved(proposal: Proposal, outcome: Outcome, warnings: Sequence[str], root: Path, manner: Manner) -> int:
    report = proposal.applied(outcome)
    report = replace(report, warnings=(*report.warnings, *warnings))
    assert outcome.journal_id is not None
    if manner.output_format == "json":
        click.echo(json_bytes(report.as_json()))
    else:
        if manner.yes:
            print_report(report, proposal.found.candidates)
        else:
            say([*(each.message for each in outcome.refused), *outcome.warnings, *warnings])
        click.echo(f"\nSaved in {printable(shown(root))}. To take it back: {undo_command(outcome.journal_id, root)}")
    return 2 if outcome.refused else 0
