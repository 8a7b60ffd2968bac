"""The command ``memory-ls`` and its sub-commands.

Every sub-command imports what it needs when it runs: whoever checks files does not wait for the
language server's libraries to load.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memory_ls import __version__

if TYPE_CHECKING:
    from memory_ls.cli.apply import Manner
    from memory_ls.cli.consolidate import Source

_DIRECTORY = click.option(
    "--directory",
    "-d",
    type=click.Path(path_type=Path),
    help="The memory directory. Default: the one around or below the current directory, else the project's.",
)
_CONFIG = click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A settings file to use instead of the nearest .memory-ls.toml.",
)


def _format(*choices: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "--format", "output_format", type=click.Choice(choices), default=choices[0], show_default=True, help="Output."
    )


_YES = click.option("--yes", "-y", is_flag=True, help="Write without asking.")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")


def _writes(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all commands have that write."""
    for option in (_format("text", "json"), _DRY_RUN, _YES, _CONFIG, _DIRECTORY):
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="memory-ls")
def cli() -> None:
    """Check, read and serve the memory that coding agents keep in markdown files."""


@cli.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_DIRECTORY
@_CONFIG
@_format("text", "json", "sarif", "github")
@click.option("--select", multiple=True, metavar="CODES", help="Only these rules (separated by commas).")
@click.option("--ignore", multiple=True, metavar="CODES", help="All rules but these.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "information", "hint"]),
    default="warning",
    show_default=True,
    help="The least severe finding that makes the exit status 1.",
)
@click.option("--no-suppressions", is_flag=True, help="Also show what comments in the files silence.")
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, then tell what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("--skip-others", is_flag=True, help="Pass over files that are no memories, wherever they lie.")
def check(
    paths: tuple[Path, ...],
    directory: Path | None,
    config: Path | None,
    output_format: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fail_on: str,
    no_suppressions: bool,
    fix: bool,
    diff: bool,
    skip_others: bool,
) -> None:
    """Check memory directories, or single files of them.

    PATHS are memory directories, projects that hold some, or memory files. Exit status: 0 when nothing at or
    above --fail-on was found, or is left after --fix; 1 when something was, or --diff shows anything; 2 when the
    check could not be made.
    """
    from memory_ls.cli import check as command

    if diff and output_format != "text":
        raise click.UsageError("--diff shows a diff and has no other --format.")

    sys.exit(
        command.run(
            [*paths, *([directory] if directory else [])],
            config=config,
            output_format=output_format,
            select=command.codes(select, "--select"),
            ignore=command.codes(ignore, "--ignore"),
            fail_on=fail_on,
            suppressions=not no_suppressions,
            fix=fix,
            diff=diff,
            skip_others=skip_others,
        )
    )


def _address(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, int] | None:
    """HOST:PORT of this machine. Whoever connects may read all memories, so nobody from elsewhere can."""
    if value is None:
        return None
    host, _, port = value.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65535:
        raise click.BadParameter("it must be HOST:PORT, such as 127.0.0.1:2087; port 0 takes any that is free")
    try:
        addresses = {str(found[4][0]) for found in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        addresses = set()
    if not addresses or not all(ip_address(address.partition("%")[0]).is_loopback for address in addresses):
        raise click.BadParameter(f"{host} is not this machine's own address; use 127.0.0.1, ::1 or localhost")
    return host, int(port)


@cli.command("list")
@_DIRECTORY
@_CONFIG
@_format("text", "json")
def list_memories(directory: Path | None, config: Path | None, output_format: str) -> None:
    """List the memories: name, description, type."""
    from memory_ls.cli import read as command

    command.run_list(directory, config, output_format)


@cli.command()
@click.option("--form", type=click.Choice(["summaries", "index"]), help="What to print. Default: as the settings say.")
@click.option("--limit", type=click.IntRange(0), metavar="N", help="At most so many summaries. Default: maxInjected.")
@_DIRECTORY
@_CONFIG
@_format("text", "json")
def inject(form: str | None, limit: int | None, **options: Any) -> None:
    """Print the memories as an agent is to know them from the start: a part of its system prompt.

    Nothing is printed where nothing is known.
    """
    from memory_ls.cli import read as command

    command.run_inject(options["directory"], options["config"], form, limit, options["output_format"])


@cli.command()
@click.argument("name", required=False)
@_DIRECTORY
@_CONFIG
@_format("text", "json")
def read(name: str | None, directory: Path | None, config: Path | None, output_format: str) -> None:
    """Print a memory as an agent reads it; without NAME, all of them.

    NAME is resolved as a link is: by name or file name, without regard to case, hyphens or a type prefix.
    """
    from memory_ls.cli import read as command

    command.run_read(name, directory, config, output_format)


@cli.command()
@click.argument("name")
@click.option("--type", "kind", metavar="TYPE", help="user, feedback, project or reference; needed for a new memory.")
@click.option("--description", default="", metavar="TEXT", help="What it is about, in a line: agents choose by it.")
@click.option("--content", default="", metavar="TEXT", help="What it holds; - reads it from standard input.")
@_writes
def write(name: str, kind: str | None, description: str, content: str, **options: Any) -> None:
    """Add the memory NAME, or bring it up to date.

    What is not given stays as it is. A new memory is written as its neighbours are, and listed in the index.
    """
    from memory_ls.cli import write as command

    sys.exit(command.run_write(name, kind, description, content, *_where_and_how(options)))


@cli.command()
@click.argument("name")
@_writes
def delete(name: str, **options: Any) -> None:
    """Delete the memory NAME and its entry in the index."""
    from memory_ls.cli import write as command

    sys.exit(command.run_delete(name, *_where_and_how(options)))


@cli.command()
@_writes
def clear(**options: Any) -> None:
    """Delete all memories of a directory. Headings and prose of the index stay, and so do other files."""
    from memory_ls.cli import write as command

    sys.exit(command.run_clear(*_where_and_how(options)))


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--older-than", type=click.IntRange(0), metavar="DAYS", help="Those not touched for so many days.")
@_writes
def stale(names: tuple[str, ...], older_than: int | None, **options: Any) -> None:
    """Mark memories as stale: those with these names, or those that are old. None is deleted."""
    from memory_ls.cli import write as command

    sys.exit(command.run_stale(names, older_than, *_where_and_how(options)))


@cli.command()
@click.option("--organise", "mode", flag_value="organise", help="Also put the entries in order.")
@click.option("--regenerate", "mode", flag_value="regenerate", help="Make the whole index anew.")
@_writes
def reindex(mode: str | None, **options: Any) -> None:
    """Repair the index: list what is missing, drop what leads nowhere. All else in it stays as it is."""
    from memory_ls.cli import write as command

    sys.exit(command.run_reindex(mode or "repair", *_where_and_how(options)))


@cli.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@_CONFIG
@_YES
@_DRY_RUN
@_format("text", "json")
def init(path: Path | None, config: Path | None, **options: Any) -> None:
    """Make a memory directory at PATH; without one, where the settings or the project's agent keep it."""
    from memory_ls.cli import write as command

    sys.exit(command.run_init(path, config, _manner(options)))


def _where_and_how(options: dict[str, Any]) -> tuple[Path | None, Path | None, Manner]:
    return options["directory"], options["config"], _manner(options)


def _manner(options: dict[str, Any]) -> Manner:
    from memory_ls.cli.apply import Manner

    return Manner(options["yes"], options["dry_run"], options["output_format"])


@cli.command()
@click.argument("code", required=False)
@_format("text", "json")
def rules(code: str | None, output_format: str) -> None:
    """List the rules; with CODE, explain one."""
    from memory_ls.cli import rules as command

    command.run(code, output_format)


@cli.command()
@_DIRECTORY
@_CONFIG
def doctor(directory: Path | None, config: Path | None) -> None:
    """Tell what memory-ls sees here: versions, settings, memory directories, and what is wrong with them."""
    from memory_ls.cli import doctor as command

    sys.exit(command.run(directory, config))


@cli.command()
@_DIRECTORY
@_CONFIG
@_format("text", "json")
@click.option(
    "--purge",
    metavar="[DAYS]",
    type=int,
    is_flag=False,
    flag_value=-1,
    help="Forget what is so many days old or older, for good. Default: as the setting journalDays says.",
)
def history(directory: Path | None, config: Path | None, output_format: str, purge: int | None) -> None:
    """Tell what memory-ls has changed here, the newest first, and what other programs changed beside it."""
    from memory_ls.cli import history as command

    if purge is None:
        command.run_history(directory, config, output_format)
    else:
        command.run_purge(directory, config, purge if purge >= 0 else None)


@cli.command()
@click.argument("journal_id", metavar="[ID]", required=False)
@_DIRECTORY
@_CONFIG
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--dry-run", is_flag=True, help="Show what it would change, and change nothing.")
def undo(journal_id: str | None, directory: Path | None, config: Path | None, yes: bool, dry_run: bool) -> None:
    """Take back the last change, or the one with the ID that `memory-ls history` tells.

    Files get back the very bytes that they had; when one of them has changed since, nothing is done. An undo has an
    ID too: with it, the change is made again.
    """
    from memory_ls.cli import history as command

    sys.exit(command.run_undo(journal_id, directory, config, yes=yes, dry_run=dry_run))


def _reads_log(command: Callable[..., Any]) -> Callable[..., Any]:
    """The argument and the options that all commands have that read a chat log."""
    for option in (
        click.option("--show-prompt", is_flag=True, help="Print what a model would be sent, and do nothing."),
        click.option(
            "--from-start", is_flag=True, help="Read all of it, and not only what is new since the last time."
        ),
        click.option("--model", metavar="NAME", help="The model to ask."),
        click.option(
            "--provider",
            type=click.Choice(["auto", "anthropic", "command", "offline"]),
            help="Who finds and decides. Default: as the settings say.",
        ),
        click.option(
            "--log-format",
            metavar="FORMAT",
            help="How the log is written. Default: as it looks.",
        ),
        click.argument("log", type=click.Path(allow_dash=True)),
    ):
        command = option(command)
    return command


@cli.command()
@_reads_log
@_writes
def consolidate(**options: Any) -> None:
    """Save what a chat LOG holds that is worth remembering; - reads the log from standard input.

    Only what is new since the last time is read. What is found is compared with the memories that there are, shown,
    and saved when you say so. Exit status: 0, also when there was nothing to save; 2 when it failed; 130 when it was
    cancelled.
    """
    from memory_ls.cli import consolidate as command

    sys.exit(command.run_consolidate(_source(options), *_where_and_how(options)))


@cli.command()
@_reads_log
@_DIRECTORY
@_CONFIG
@_format("text", "json")
def extract(**options: Any) -> None:
    """Print what a chat LOG holds that is worth remembering, and save nothing; - reads standard input."""
    from memory_ls.cli import consolidate as command

    where = options["directory"], options["config"]
    sys.exit(command.run_extract(_source(options), *where, options["output_format"]))


def _source(options: dict[str, Any]) -> Source:
    from memory_ls.cli.consolidate import Source

    keys = ("log", "log_format", "provider", "model", "from_start", "show_prompt")
    return Source(**{key: options[key] for key in keys})


@cli.command()
@_format("text", "json")
def logs(output_format: str) -> None:
    """List the chat logs that agents keep of the current directory and what is below it, the newest first."""
    from memory_ls.cli import logs as command

    command.run(output_format)


@cli.command()
@click.option("--stdio", is_flag=True, hidden=True, help="Speak over standard input and output; this is the default.")
@click.option("--tcp", "address", metavar="HOST:PORT", callback=_address, help="Listen here, for one client.")
def serve(stdio: bool, address: tuple[str, int] | None) -> None:
    """Run the language server over standard input and output, or over TCP on this machine."""
    from memory_ls.server.app import run

    sys.exit(run(address))


def main() -> None:
    """Runs the command line.

    A file name that is no valid text must not end the program where it is printed.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGINT, _cancel)
    try:
        cli(prog_name="memory-ls")
    except SystemExit as ended:
        if isinstance(ended.code, int) and threading.active_count() == 1:
            _leave(ended.code)
        raise
    except OSError as error:  # a disk that is full, say; a reader that stopped reading was seen to before
        with suppress(OSError):
            click.echo(_sentence(error), err=True)
        _leave(2)
    except Exception:  # a fault of ours; 1 would say that something was found
        traceback.print_exc()
        click.echo("Error: memory-ls failed. Please report this with the lines above.", err=True)
        _leave(2)


def _sentence(error: OSError) -> str:
    from memory_ls.cli.report import printable

    reason = error.strerror or str(error)
    names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
    return f"Error: {printable(': '.join([*names, reason]))}."


def _cancel(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _leave(status: int) -> None:
    """Ends the process as it is: to take a large directory apart, object by object, takes as long as to read it."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
