"""``memory-ls doctor``: what memory-ls sees on this machine and in this place."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import click

from memory_ls import __version__
from memory_ls.cli.report import counted, printable
from memory_ls.cli.targets import Failure, default_directories, directories_in, load_directory, settings_for, shown
from memory_ls.documents.index import INDEX_NAME
from memory_ls.rules.check import check_directory
from memory_ls.rules.registry import Context, Severity

_NAME = re.compile(r"[\w.-]+")


def run(directory: Path | None, config: Path | None) -> int:
    """Prints the state of things; returns 1 when something keeps memory-ls from working."""
    click.secho(f"memory-ls {__version__}", bold=True)
    ok = _print_versions()
    found = directories_in(directory, config) if directory else default_directories(config)
    _print_provider(config)
    click.secho("\nMemory directories", bold=True)
    if not found:
        click.echo("  none here: make one with an index MEMORY.md, or name it with --directory")
    for path in found:
        ok &= _print_directory(path, config)
    return 0 if ok else 1


def _print_versions() -> bool:
    click.echo(f"  Python {platform.python_version()} at {sys.executable}")
    ok = True
    versions = []
    for name in _libraries():
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"{name} MISSING")
            ok = False
    click.echo(f"  {', '.join(versions) or 'memory-ls is not installed here, so its libraries are not known'}")
    try:
        from yaml._yaml import CParser  # noqa: F401
    except ImportError:
        click.echo("  PyYAML is built without libyaml: all works, but reading is several times slower")
    command = shutil.which("memory-ls")
    click.echo(f"  editors start: {command or 'nothing, since memory-ls is not on PATH; give them its full path'}")
    return ok


def _print_provider(config: Path | None) -> None:
    from memory_ls.pipeline.providers import provider_name

    name = provider_name(settings_for(Path.cwd(), config).settings)
    click.echo(f"  chat logs are read by: {name}{_OFFLINE if name == 'offline' else ''}")


_OFFLINE = " (no model; for one set ANTHROPIC_API_KEY, or `command` in your own settings)"


def _libraries() -> list[str]:
    """The libraries that memory-ls needs; none are known where it runs without being installed."""
    try:
        needed = importlib.metadata.requires("memory-ls") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return [match.group() for item in needed if "extra ==" not in item and (match := _NAME.match(item))]


def _print_directory(path: Path, config: Path | None) -> bool:
    click.echo(f"  {click.style(printable(shown(path)), bold=True)}")
    loaded = settings_for(path, config)
    for file in loaded.files:
        click.echo(f"    settings from {printable(shown(file))}")
    for problem in loaded.problems:
        click.secho(f"    {problem.code}: {printable(problem.message)}", fg="yellow")
    try:
        directory = load_directory(path, config)
    except Failure as failure:
        click.secho(f"    {failure.format_message()}", fg="red")
        return False
    types = Counter(document.type or "no type" for document in directory.documents.values())
    listed = ", ".join(f"{count} {printable(kind)}" for kind, count in types.most_common())
    count = len(directory.documents)
    click.echo(f"    {count:,} {'memory' if count == 1 else 'memories'}{f' ({listed})' if listed else ''}")
    settings = loaded.settings
    if directory.index is None:
        click.echo(f"    no index {INDEX_NAME}")
    else:
        load_ = directory.index.load(settings.index_max_lines, settings.index_max_bytes)
        click.echo(
            f"    index: {load_.lines:,} of {settings.index_max_lines:,} lines, "
            f"{load_.size:,} of {settings.index_max_bytes:,} bytes that agents load"
        )
    context = Context(directory, settings, date.today())
    found = check_directory(context)
    counts = Counter(finding.severity for diagnostics in found.values() for finding in diagnostics)
    if counts:
        findings = ", ".join(counted(counts[severity], severity) for severity in Severity if counts[severity])
        click.echo(f"    findings: {findings} (memory-ls check {printable(shown(path))})")
    if not os.access(path, os.W_OK):
        click.echo("    not writable: checking works, changing does not")
    return True
