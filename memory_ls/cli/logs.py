"""``memory-ls logs``."""

from __future__ import annotations

from pathlib import Path

import click

from memory_ls.cli.report import json_bytes, printable
from memory_ls.pipeline.logs import LogFile, find_logs

_NONE = (
    "No chat logs found for this directory. Looked for those of Claude Code, Codex, Gemini CLI and Copilot Chat in your "
    "home directory, and for those of SpecStory, Aider and Cursor here."
)


def run(output_format: str) -> None:
    """Prints the chat logs of the current directory, the newest first."""
    found = find_logs(Path.cwd())
    if output_format == "json":
        click.echo(json_bytes([log.as_json() for log in found]))
        return
    if not found:
        click.echo(_NONE)
    for log in found:
        click.echo(_described(log))


def _described(log: LogFile) -> str:
    time = click.style(f"{log.time.astimezone():%Y-%m-%d %H:%M}", fg="cyan")
    title = click.style(printable(log.title) or "(no title)", bold=True)
    return f"{time}  {title}\n  {printable(str(log.path))} ({log.format}, {_size(log.size)})"


def _size(size: int) -> str:
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1_000:,.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"
