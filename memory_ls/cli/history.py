"""``memory-ls history`` and ``memory-ls undo``: what was changed here, and the way back."""

from __future__ import annotations

from pathlib import Path

import click

from memory_ls.cli.apply import CANCELLED, agreed, refusals_of, undo_command
from memory_ls.cli.diffs import print_diffs
from memory_ls.cli.report import json_bytes, printable
from memory_ls.cli.targets import Failure, one_directory, settings_for
from memory_ls.store.journal import Entry, FileEffect, Progress, Source
from memory_ls.store.refusals import Refusal
from memory_ls.store.state import DamagedError, LockedError
from memory_ls.store.store import Store

# So many files of an entry are listed for people.
_MOST_FILES = 10


def run_history(directory: Path | None, config: Path | None, output_format: str) -> None:
    """Prints what was changed, the newest first."""
    store = Store(one_directory(directory, config))
    entries = [entry for entry in store.history() if entry.progress is Progress.DONE]
    _say(store.take_messages())
    if output_format == "json":
        click.echo(json_bytes([entry.as_json() for entry in entries]))
        return
    if not entries:
        click.echo("Nothing was changed here yet.")
    for entry in entries:
        click.echo("\n".join(_lines(entry)))


def run_purge(directory: Path | None, config: Path | None, days: int | None) -> None:
    """Forgets the entries that are so many days old; by default as many as the settings say.

    Raises:
        Failure: another process is writing.
    """
    root = one_directory(directory, config)
    if days is None:
        days = settings_for(root, config).settings.journal_days
    try:
        count = Store(root).purge(days)
    except LockedError:
        raise Failure("Another process is changing this memory directory. Try again in a moment.") from None
    click.echo(f"Forgot {count:,} {'entry' if count == 1 else 'entries'} of the history.")


def run_undo(journal_id: str | None, directory: Path | None, config: Path | None, *, yes: bool, dry_run: bool) -> int:
    """Takes back an entry, once whoever runs the command has agreed; returns the exit status.

    Raises:
        Failure: there is no such entry, nobody could be asked, or it can't be taken back.
    """
    root = one_directory(directory, config)
    store = Store(root)
    _say(store.recover())
    entry = store.to_undo(journal_id)
    if isinstance(entry, Refusal):
        raise Failure(f"{entry.message} `memory-ls history` shows what there is.")
    if dry_run or not yes:
        try:
            print_diffs(str(root), store.changes_of(entry, backwards=True))
        except (DamagedError, OSError):
            raise Failure(f"What {entry.id} changed is lost, so it can't be undone.") from None
    if dry_run:
        return 0
    if not yes and not agreed(f"Undo “{entry.title}” of {_time(entry)}?"):
        return CANCELLED
    outcome = store.undo(entry.id)
    _say([*outcome.warnings, *refusals_of(outcome)])
    if outcome.journal_id is None:
        raise Failure("Nothing was undone.")
    click.echo(printable(f"Undone: {entry.title}. To do it again: {undo_command(outcome.journal_id, root)}"))
    return 0


def _say(sentences: list[str]) -> None:
    for sentence in sentences:
        click.echo(printable(sentence), err=True)


def _lines(entry: Entry) -> list[str]:
    notes = [f"(undoes {entry.undoes})"] if entry.undoes else []
    notes += ["(not by memory-ls)"] if entry.source is Source.EXTERNAL else []
    notes += ["(undone)"] if entry.undone else []
    title = click.style(printable(entry.title), bold=not entry.undone, dim=entry.undone)
    lines = [" ".join([click.style(entry.id, fg="yellow"), _time(entry), title, *notes])]
    lines += [f"  {_line(effect)}" for effect in entry.files[:_MOST_FILES]]
    more = len(entry.files) - _MOST_FILES
    return [*lines, f"  … and {more:,} more"] if more > 0 else lines


def _line(effect: FileEffect) -> str:
    target = f" -> {printable(effect.new_path)}" if effect.new_path is not None else ""
    return f"{effect.kind.value:6} {printable(effect.path)}{target}"


def _time(entry: Entry) -> str:
    return f"{entry.time.astimezone():%Y-%m-%d %H:%M}"
