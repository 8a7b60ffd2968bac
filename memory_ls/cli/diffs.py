"""What becomes of files, as unified diffs: coloured for people, and as patches for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace

import click

from memory_ls.changes.plan import FileChange, unified_diff
from memory_ls.cli.report import printable
from memory_ls.cli.targets import shown
from memory_ls.secret_scan import find_secrets
from memory_ls.secret_scan import shown as shown_secret


def print_diffs(root: str, files: Iterable[FileChange]) -> None:
    """Prints what becomes of files in the directory ``root``, with paths from the current directory.

    A secret is cut to what may be shown of it.
    """
    on_terminal = sys.stdout.isatty()
    for file in files:
        diff = _without_secrets(file, _diff_from_here(root, file))
        click.echo(_coloured(diff) if on_terminal else diff.encode("utf-8", "replace"), nl=False)


def _diff_from_here(root: str, file: FileChange) -> str:
    path = _from_here(root, file.path)
    new_path = _from_here(root, file.new_path) if file.new_path is not None else None
    moved = f"rename from {path}\nrename to {new_path}\n" if new_path is not None else ""
    return moved + unified_diff(replace(file, path=path, new_path=new_path))


def _from_here(root: str, key: str) -> str:
    return shown(os.path.join(root, *key.split("/")))


def _without_secrets(file: FileChange, diff: str) -> str:
    values = {
        text[secret.start : secret.end]
        for text in (file.before or "", file.after or "")
        for secret in find_secrets(text)
    }
    # The longest first, since one may be a part of another.
    for value in sorted(values, key=lambda value: (-len(value), value)):
        for line in value.split("\n"):  # a private key has many
            if line.strip():
                diff = diff.replace(line, shown_secret(line))
    return diff


_COLOURS = {"+": "green", "-": "red", "@": "cyan", "\\": "bright_black"}


def _coloured(diff: str) -> str:
    """A diff for people: in colours, and with nothing in it that steers the terminal."""
    lines = []
    for line in diff.split("\n")[:-1]:
        # Line ends may be all that changes.
        text = printable(line.replace("\t", "    ").replace("\r", "^M"))
        is_header = line.startswith(("--- ", "+++ ", "rename "))
        lines.append(click.style(text, bold=True) if is_header else click.style(text, fg=_COLOURS.get(line[:1])))
    return "".join(f"{line}\n" for line in lines)
