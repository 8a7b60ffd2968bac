"""Tells people what was found in a chat log, what is to become of it, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from memory_ls.changes.plan import Report
from memory_ls.cli.report import printable
from memory_ls.directory.listing import one_line
from memory_ls.pipeline.values import Action, Candidate

TO_DO = {Action.ADD: "Add", Action.UPDATE: "Update", Action.STALE: "Mark as stale", Action.SKIP: "Skip"}
_DONE = {Action.ADD: "Added", Action.UPDATE: "Updated", Action.STALE: "Marked as stale", Action.SKIP: "Skipped"}
_MOST_OF_A_QUOTE = 160


def print_report(report: Report, candidates: Sequence[Candidate]) -> None:
    """Prints a report: who read what, each candidate under what becomes of it, and what was dropped."""
    click.secho(printable(_first_line(report)), dim=True)
    say(report.warnings)
    words = _DONE if report.status == "applied" else TO_DO
    for action in (Action.ADD, Action.UPDATE, Action.STALE, Action.SKIP):
        found = [each for each in report.decisions if each["action"] == action.value]
        if found:
            click.secho(f"\n{words[action]}", bold=True)
        for decision in found:
            _print_decision(decision, candidates[decision["candidate"] - 1])
    print_listed("Dropped", [(each["name"], each["reason"]) for each in report.dropped])
    if report.decisions or report.dropped:
        click.echo()


def _first_line(report: Report) -> str:
    messages, usage = report.messages, report.usage
    by = f"{report.provider} ({report.model})" if report.model else str(report.provider)
    line = (
        f"{messages['new']:,} new of {messages['total']:,} messages, read by {by} in {report.elapsed_ms / 1000:.1f} s"
    )
    if not usage["calls"]:
        return line
    calls = "1 call" if usage["calls"] == 1 else f"{usage['calls']:,} calls"
    if not usage["inputTokens"] + usage["outputTokens"]:  # nobody counted them
        return f"{line}; {calls}"
    return f"{line}; {calls}, {usage['inputTokens']:,} tokens read and {usage['outputTokens']:,} written"


def _print_decision(decision: Mapping[str, Any], candidate: Candidate) -> None:
    name, reason = decision["name"], decision["reason"]
    is_skipped = decision["action"] == Action.SKIP.value
    about = f" ({candidate.type})" if decision["action"] == Action.ADD.value else ""
    click.echo(f"  {click.style(printable(name), fg='yellow' if is_skipped else 'green')}{about}", nl=False)
    click.echo(printable(f": {reason}") if reason else "")
    for evidence in candidate.evidence[:2]:
        click.secho(
            printable(f"    message {evidence.message}: “{one_line(evidence.quote, _MOST_OF_A_QUOTE)}”"), dim=True
        )
    if decision["unverified"] and not is_skipped:
        click.secho("    unverified: no words of the user say so", fg="yellow")


def print_candidate(candidate: Candidate) -> None:
    """Prints one candidate with the words that it rests on."""
    click.echo(f"{click.style(printable(candidate.name), bold=True)} ({candidate.type}): ", nl=False)
    click.echo(printable(one_line(candidate.description)))
    for line in candidate.content.split("\n"):
        click.echo(printable(f"  {line}").rstrip())
    for evidence in candidate.evidence:
        click.secho(
            printable(f"  message {evidence.message}: “{one_line(evidence.quote, _MOST_OF_A_QUOTE)}”"), dim=True
        )
    click.echo()


def print_listed(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Prints names with a reason for each."""
    rows = list(rows)
    if rows:
        click.secho(f"\n{title}", bold=True)
    for name, reason in rows:
        click.echo(printable(f"  {name or '(no name)'}: {reason}"))


def say(sentences: Iterable[str]) -> None:
    """Prints sentences to standard error."""
    for sentence in sentences:
        click.echo(printable(sentence), err=True)
