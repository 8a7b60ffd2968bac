"""``memory-ls list``, ``memory-ls read`` and ``memory-ls inject``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memory_ls.agents.injection import injection
from memory_ls.cli.report import json_bytes, printable
from memory_ls.cli.targets import Failure, default_directories, load_directory, one_directory, settings_for
from memory_ls.directory.listing import as_agents_read, described, summaries, summary
from memory_ls.directory.resolve import TargetKind, resolve_name
from memory_ls.directory.snapshot import MemoryDirectory

_NONE = "No memories stored."


def _open(directory: Path | None, config: Path | None) -> MemoryDirectory:
    return load_directory(one_directory(directory, config), config)


def run_list(directory: Path | None, config: Path | None, output_format: str) -> None:
    """Prints every memory in a line, sorted by name."""
    found = summaries(_open(directory, config))
    if output_format == "json":
        click.echo(json_bytes([described(item) for item in found]))
        return
    if not found:
        click.echo(_NONE)
    for item in found:
        kind = click.style(f" ({item.type})", fg="cyan") if item.type else ""
        description = f" - {printable(item.description)}" if item.description else ""
        click.echo(f"{click.style(printable(item.name), bold=True)}{description}{kind}")


def run_inject(
    directory: Path | None, config: Path | None, form: str | None, limit: int | None, output_format: str
) -> None:
    """Prints the memories as a part of a system prompt; nothing where there are none, or no memory directory."""
    if directory is None and not default_directories(config):
        text = ""
    else:
        root = one_directory(directory, config)
        text = injection(load_directory(root, config), settings_for(root, config).settings, form, limit)
    if output_format == "json":
        click.echo(json_bytes({"text": text}))
    else:
        click.echo(text.encode("utf-8", "replace"), nl=False)


def run_read(name: str | None, directory: Path | None, config: Path | None, output_format: str) -> None:
    """Prints one memory, or all of them, as agents read them."""
    opened = _open(directory, config)
    keys = [item.key for item in summaries(opened)] if name is None else [_named(opened, name)]
    if output_format == "json":
        documents = [(key, opened.documents[key]) for key in keys]
        items = [{**described(summary(*each)), "text": as_agents_read(*each)} for each in documents]
        click.echo(json_bytes(items))
        return
    text = "\n\n".join(as_agents_read(key, opened.documents[key]) for key in keys) or _NONE
    if sys.stdout.isatty():
        # A program gets the text as it is; a terminal must not obey what stands in it.
        text = "\n".join(map(printable, text.split("\n")))
    click.echo(text, color=True)  # that is, with what looks like a colour left in


def _named(directory: MemoryDirectory, name: str) -> str:
    target = resolve_name(directory, name)
    if target.kind is TargetKind.AMBIGUOUS:
        choices = "\n".join(f"  {key}" for key in target.keys)
        raise Failure(f"{name} may mean several memories. Say which:\n{choices}")
    if target.kind is not TargetKind.MEMORY:
        raise Failure(f"Memory not found: {name}. Use `memory-ls list` to see all memories.")
    return target.keys[0]
