"""Shows what a plan would change, asks, applies it, and tells what came of it: the same for every command."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from memory_ls.changes.plan import Plan, Report, combined
from memory_ls.cli.diffs import print_diffs
from memory_ls.cli.report import json_bytes, printable
from memory_ls.cli.targets import Failure, shown
from memory_ls.store.store import Outcome, Store

# What a shell has for a command that was stopped (128 and the number of SIGINT).
CANCELLED = 130


@dataclass(frozen=True, slots=True)
class Manner:
    """How a command that writes is to go about it."""

    yes: bool = False
    dry_run: bool = False
    output_format: str = "text"


class OvertakenFailure(Failure):
    """Another program changed the files between the plan and its application; nothing was written."""


def carry_out(directory: Path, plan: Plan, report: Report, manner: Manner) -> int:
    """Applies a plan, once whoever runs the command has agreed; returns the exit status.

    Raises:
        Failure: nobody agreed or could be asked, or none of it could be done.
    """
    is_text = manner.output_format == "text"
    if not plan.changes:
        return _told(replace(report, status="skipped"), manner, "There is nothing to change.")
    if is_text and (manner.dry_run or not manner.yes):
        print_diffs(plan.directory, combined(plan.changes))
        _say(plan.warnings)
    if manner.dry_run:
        return _told(
            replace(report, status="dryRun", changes=plan.changes), manner, f"{plan.title}: nothing was written."
        )
    if not manner.yes and not agreed(f"{plan.title}?", asks=is_text):
        return CANCELLED
    outcome = Store(directory).apply(plan)
    if outcome.journal_id is None and {refusal.kind for refusal in outcome.refused} <= {"changed", "exists"}:
        raise OvertakenFailure("\n".join([*refusals_of(outcome), "Nothing was written."]))
    _say(refusals_of(outcome))
    if outcome.journal_id is None:
        raise Failure("Nothing was written.")
    warnings = (*plan.warnings, *outcome.warnings)
    if is_text:
        _say([*(plan.warnings if manner.yes else ()), *outcome.warnings])
    done = replace(report, status="applied", warnings=warnings, journal_id=outcome.journal_id, changes=plan.changes)
    _told(done, manner, f"{plan.title}: done. To take it back: {undo_command(outcome.journal_id, directory)}")
    return 2 if outcome.refused else 0


def agreed(question: str, *, asks: bool = True) -> bool:
    """Whether whoever sits at the terminal wants it.

    Raises:
        Failure: there is nobody to ask.
    """
    if not asks or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Failure("Nothing was written, since nobody can be asked here. Add --yes to write, or --dry-run to look.")
    try:
        return click.confirm(printable(question), default=False)
    except click.Abort:  # there is no more input, or it was interrupted
        click.echo()
        return False


def undo_command(journal_id: str, directory: Path) -> str:
    """The command that takes an entry of the journal back."""
    return f"memory-ls undo {journal_id} -d {shlex.quote(shown(directory))}"


def refusals_of(outcome: Outcome) -> list[str]:
    """A sentence for each operation that was refused."""
    return [refusal.message for refusal in outcome.refused]


def _told(report: Report, manner: Manner, sentence: str) -> int:
    click.echo(json_bytes(report.as_json()) if manner.output_format == "json" else printable(sentence))
    return 0


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        click.echo(printable(sentence), err=True)
