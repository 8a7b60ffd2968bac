"""``memory-ls check``: finds the directories, runs the rules, and hands the findings to a format."""

from __future__ import annotations

import gc
import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

import click

from memory_ls.cli import fixing, report
from memory_ls.cli.apart import Apart, Found
from memory_ls.cli.report import FileFindings, printable
from memory_ls.cli.targets import (
    NOTHING_FOUND,
    Failure,
    around_part,
    default_directories,
    directories_in,
    exclusion,
    load_directory,
    named_directories,
    settings_for,
    shown,
)
from memory_ls.directory import discover, loader
from memory_ls.directory.snapshot import MemoryDirectory, is_member
from memory_ls.documents.index import INDEX_NAME
from memory_ls.rules import suppress
from memory_ls.rules.check import (
    all_keys,
    check_among_others,
    check_costly,
    check_directory,
    check_together,
    sort_key,
)
from memory_ls.rules.registry import RULES, Context, Diagnostic, Severity
from memory_ls.rules.settings_file import setting_diagnostics
from memory_ls.settings import LoadedSettings
from memory_ls.text import SourceText, Span


def codes(given: Iterable[str], option: str) -> frozenset[str]:
    """The rule codes in an option's values.

    Raises:
        click.UsageError: one of them is no rule.
    """
    from memory_ls.documents.names import closest

    found = frozenset(code.strip() for value in given for code in value.split(",") if code.strip())
    for code in sorted(found - RULES.keys()):
        meant = closest(code, RULES.keys())
        hint = f" Did you mean {meant}?" if meant else " `memory-ls rules` lists them."
        raise click.UsageError(f"{option}: there is no rule {code}.{hint}")
    return found


def run(
    paths: list[Path],
    *,
    config: Path | None,
    output_format: str,
    select: Collection[str],
    ignore: Collection[str],
    fail_on: str,
    suppressions: bool,
    fix: bool = False,
    diff: bool = False,
    skip_others: bool = False,
) -> int:
    """Checks what ``paths`` name and prints the findings; returns the exit status.

    With ``fix`` it mends first what is safe to mend; with ``diff`` it only shows what that would change. With
    ``skip_others`` files that are no memories are passed over without a word, wherever they lie.
    """
    gc.disable()  # nothing made here is garbage before the end, and looking for some takes a quarter of the time
    wanted = _wanted(paths, config, skip_others)
    files: list[FileFindings] = []
    missed: list[str] = []
    seen_settings: set[Path] = set()
    outcome = fixing.Outcome()
    would_change = False
    for root, only in wanted.items():
        loaded = settings_for(root, config)
        # A file that could not be read is only among the problems.
        for path in (*loaded.files, *(Path(problem.source) for problem in loaded.problems)):
            if path not in seen_settings:
                seen_settings.add(path)
                files.extend(_settings_findings(path, loaded))
        apart = Apart.start(root, loaded.settings, suppressions) if only is None else None
        context = Context(load_directory(root, config), loaded.settings, date.today())
        found = _check_all(context, only, apart, suppressions)
        if fix or diff:
            mending = fixing.mended(context, found, partial(_is_among, only), select, ignore)
            if diff:
                fixing.print_diff(context, mending)
                would_change |= bool(mending.changes)
            elif mending.changes:
                outcome.add(fixing.apply(context, mending))
                context = replace(context, directory=load_directory(root, config))
                found = _check_all(context, only, None, suppressions)
        files.extend(found)
        if not skip_others:
            missed += _missed(context.directory, only, [file.absolute_path for file in found])
    if paths and missed and all(file.is_settings for file in files):
        raise Failure("\n".join(missed))
    for sentence in [*missed, *outcome.notes]:
        click.echo(printable(sentence), err=True)
    if diff:
        return int(would_change)
    if outcome.counts:
        click.secho(outcome.sentence(), fg="green", err=output_format != "text")
    if select or ignore:
        files = [_selected(file, select, ignore) for file in files]
    files.sort(key=lambda file: file.path)
    report.FORMATS[output_format](files)
    worst = min((finding.severity.value for file in files for finding in file.diagnostics), default=None)
    return 1 if worst is not None and worst <= Severity[fail_on.upper()].value else 0


def _wanted(paths: list[Path], config: Path | None, skip_others: bool) -> dict[Path, set[str] | None]:
    """The memory directories to check, each with what of it is asked for: files and sub-directories, ``None`` for all."""
    excluded = exclusion(config) if skip_others else ()
    wanted: dict[Path, set[str] | None] = {}
    if not paths:
        wanted = dict.fromkeys(default_directories(config))
    for path in paths:
        if os.path.isdir(path):
            around = around_part(path, config)
            if around is not None:
                _want_part(wanted, around, Path(os.path.realpath(path)))
                continue
            found = directories_in(path, config)
            if not found:
                raise Failure(f"{path}: no memory directory here, and no markdown file.")
            wanted.update(dict.fromkeys(found))
        elif os.path.lexists(path):
            absolute = Path(os.path.realpath(path.parent)) / path.name
            root = discover.directory_of(absolute, named_directories(config), excluded)
            if root is not None or not skip_others:
                _want_part(wanted, root or absolute.parent, absolute)
        else:
            raise Failure(f"{path}: no such file or directory.")
    if not wanted and not (paths and skip_others):
        raise Failure(NOTHING_FOUND)
    return wanted


def _want_part(wanted: dict[Path, set[str] | None], root: Path, part: Path) -> None:
    only = wanted.setdefault(root, set())
    if only is not None:
        only.add(part.relative_to(root).as_posix())


def _missed(directory: MemoryDirectory, only: set[str] | None, checked: Collection[str]) -> list[str]:
    """A sentence for each part that was asked for and in which nothing was found to check."""
    if only is None:
        return [] if checked else [f"{shown(directory.root)} holds no memory."]
    sentences = []
    for part in sorted(only):
        path = directory.path_of(part)
        if not any(file == path or file.startswith(path + os.sep) for file in checked):
            sentences.append(_why_no_memory(directory, part))
    return sentences


_LEFT_OUT = (
    "what is hidden, lies in a directory called archive or logs, "
    f"or lies more than {loader.MEMBER_DEPTH} directories deep is left out."
)


def _why_no_memory(directory: MemoryDirectory, part: str) -> str:
    path = directory.path_of(part)
    if os.path.isdir(path) and not part.endswith(".md"):
        holds_none = f"{shown(path)} holds no memory"
        return f"{holds_none}." if loader.is_candidate(f"{part}/a.md") else f"{holds_none}: {_LEFT_OUT}"
    is_none = f"{shown(path)} is no memory of its directory"
    if not part.endswith(".md"):
        return f"{is_none}: it is no markdown file (.md)."
    if not loader.is_candidate(part):
        return f"{is_none}: {_LEFT_OUT}"
    document = directory.others.get(part)
    if document is None:
        return f"{is_none}."
    lacks = "frontmatter" if is_member(part, document, listed=False, lenient=True) else "`name`"
    return f"{is_none}: no {lacks}{', and the index does not list it' if directory.index else ''}."


def _check_all(context: Context, only: set[str] | None, apart: Apart | None, suppressions: bool) -> list[FileFindings]:
    keys = [key for key in all_keys(context) if _is_among(only, key)]
    by_key = _with_help(context, keys, apart, suppressions) if apart is not None else None
    if by_key is None:
        by_key = check_directory(context, keys=keys, suppressions=suppressions)
    found = []
    for key in keys:
        document = context.directory.document(key)
        source = document.source if document else SourceText("")
        secrets = _secrets_among(context, source, by_key[key], suppressions)
        path = context.directory.path_of(key)
        found.append(
            FileFindings(path, source, by_key[key], context.directory, secrets=secrets, context=context, key=key)
        )
    return found


def _is_among(only: Collection[str] | None, key: str) -> bool:
    """Whether a file is asked for: by itself, or with the sub-directory it lies in."""
    return only is None or key in only or any(key.startswith(f"{part}/") for part in only)


def _secrets_among(
    context: Context, source: SourceText, diagnostics: list[Diagnostic], suppressions: bool
) -> tuple[Span, ...] | None:
    """Where the secrets of a file are, told from what was found in it; ``None`` when the rule was kept from telling."""
    if context.settings.severity_of("secret") == "off" or (suppressions and suppress.WORD in source.text):
        return None
    return tuple(diagnostic.span for diagnostic in diagnostics if diagnostic.code == "secret")


def _with_help(context: Context, keys: list[str], apart: Apart, suppressions: bool) -> Found | None:
    """As :func:`check_directory`, a part of it in the second process; ``None`` when that one failed."""
    together = check_together(context, suppressions=suppressions)
    found = {key: check_among_others(context, key, suppressions=suppressions) for key in keys}
    if INDEX_NAME in found:
        found[INDEX_NAME] += check_costly(context, INDEX_NAME, suppressions=suppressions)
    alone = apart.found()
    if alone is None:
        return None
    # Files that are no memories were looked at there too.
    return {key: sorted([*found[key], *alone.get(key, ()), *together.get(key, ())], key=sort_key) for key in keys}


def _settings_findings(path: Path, loaded: LoadedSettings) -> list[FileFindings]:
    source, diagnostics = setting_diagnostics(path, loaded)
    return [FileFindings(str(path), source, diagnostics, None, is_settings=True)] if diagnostics else []


def _selected(file: FileFindings, select: Collection[str], ignore: Collection[str]) -> FileFindings:
    kept = [
        finding for finding in file.diagnostics if (not select or finding.code in select) and finding.code not in ignore
    ]
    return replace(file, diagnostics=kept)
