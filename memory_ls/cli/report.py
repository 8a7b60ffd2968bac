"""How findings are printed: for people, and as JSON, SARIF and GitHub annotations."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import click

from memory_ls import __version__
from memory_ls.cli.targets import shown
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.fixes.fix_all import edits_of
from memory_ls.rules.fixes.fixes_of import fixes_of
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related, Severity
from memory_ls.secret_scan import find_secrets
from memory_ls.secret_scan import shown as shown_secret
from memory_ls.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class FileFindings:
    """One file that was checked: its absolute path, its text, and what was found.

    ``secrets`` are the places of secrets in it, where they are known; ``None`` has them looked for again. ``context``
    and ``key`` are what the findings were made from.
    """

    absolute_path: str
    source: SourceText
    diagnostics: list[Diagnostic]
    directory: MemoryDirectory | None
    is_settings: bool = False
    secrets: tuple[Span, ...] | None = None
    context: Context | None = None
    key: str = ""

    def fix_of(self, finding: Diagnostic) -> Fix | None:
        """What mends a finding best; ``None`` where nothing does."""
        return next(iter(fixes_of(self.context, self.key, finding)), None) if self.context is not None else None

    def places_of_secrets(self) -> tuple[Span, ...]:
        """Where secrets stand, which no output may show."""
        if self.secrets is not None:
            return self.secrets
        return tuple(Span(secret.start, secret.end) for secret in find_secrets(self.source.text))

    @property
    def path(self) -> str:
        """The path as it is printed."""
        folder, name = os.path.split(self.absolute_path)
        return _in_folder(folder, os.getcwd()) + name

    def related_place(self, related: Related) -> tuple[str, SourceText]:
        """The file that a related place is in (no key means this one): its path as printed, and its text."""
        if not related.key or self.directory is None:
            return self.path, self.source
        document = self.directory.document(related.key)
        return shown(self.directory.path_of(related.key)), document.source if document else SourceText("")


@lru_cache(maxsize=64)
def _in_folder(folder: str, here: str) -> str:
    """What stands before the name of a file in ``folder`` as it is printed when ``here`` is the current directory.

    Kept, since finding the way from one directory to another takes longer than most rules.
    """
    way = shown(folder)
    return "" if way == "." else way if way.endswith("/") else f"{way}/"


_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFORMATION: "cyan", Severity.HINT: "blue"}
_WIDTH = 100
_LEAD = 30
# No more characters than this on either side of a mark are looked at: a line may be a megabyte long.
_NEAR = 400


def print_text(files: list[FileFindings]) -> None:
    """For people: each finding with its line and a mark below the exact place, and a summary."""
    counts: Counter[Severity] = Counter()
    lines: list[str] = []
    for file in files:
        if not file.diagnostics:
            continue
        secrets, path = file.places_of_secrets(), printable(file.path)
        for finding in file.diagnostics:
            counts[finding.severity] += 1
            lines += [*_finding_lines(file, path, finding, secrets), ""]
    checked = sum(not file.is_settings for file in files)
    files_word = f"{checked:,} file{'' if checked == 1 else 's'}"
    if not counts:
        click.secho(f"Checked {files_word}: nothing to report.", fg="green")
        return
    parts = []
    for severity in Severity:
        count = counts[severity]
        if count:
            parts.append(click.style(counted(count, severity), fg=_COLOURS[severity]))
    lines.append(f"Found {', '.join(parts)} in {files_word}.")
    safe = sum(is_safe(file.fix_of(finding)) for file in files for finding in file.diagnostics)
    if safe:
        lines.append(f"{safe:,} can be mended with --fix; --diff shows how.")
    click.echo("\n".join(lines))


def is_safe(fix: Fix | None) -> bool:
    """Whether there is a fix that may be made without asking."""
    return fix is not None and fix.safe


def counted(count: int, severity: Severity) -> str:
    """So many findings of a severity, in words."""
    return f"{count:,} {severity.word}{'' if count == 1 or severity is Severity.INFORMATION else 's'}"


def _finding_lines(file: FileFindings, path: str, finding: Diagnostic, secrets: tuple[Span, ...]) -> Iterator[str]:
    position = file.source.position(finding.span.start)
    place = f"{path}:{position.line + 1}:{position.column + 1}"
    label = click.style(f"{finding.severity.word}[{finding.code}]", fg=_COLOURS[finding.severity], bold=True)
    yield f"{click.style(place, bold=True)}: {label}"
    yield f"  {printable(finding.message)}"
    yield from _source_lines(file.source, finding, secrets)
    for related in finding.related:
        other, source = file.related_place(related)
        line, column = source.position(related.span.start)
        see = click.style("see", fg="blue")
        yield f"  {see} {printable(other)}:{line + 1}:{column + 1}: {printable(related.message)}"


def _source_lines(source: SourceText, finding: Diagnostic, secrets: tuple[Span, ...]) -> Iterator[str]:
    line = source.line_of(min(finding.span.start, len(source)))
    span = source.line_span(line)
    start = min(finding.span.start, span.end)
    end = max(start, min(finding.span.end, span.end, start + _NEAR))
    first, last = max(span.start, start - _NEAR), min(span.end, end + _NEAR)
    text = _masked(source.text, first, last, secrets)
    if not text.strip():
        return
    before, marked, after = _window(text[: start - first], text[start - first : end - first], text[end - first :])
    number = str(line + 1)
    bar = click.style("|", fg="blue")
    yield f"  {click.style(number, fg='blue')} {bar} {before}{marked}{after}"
    caret = click.style("^" * max(1, width(marked)), fg=_COLOURS[finding.severity])
    yield f"  {' ' * len(number)} {bar} {' ' * width(before)}{caret}"


def _window(before: str, marked: str, after: str) -> tuple[str, str, str]:
    """A line cut to fit, around the marked part."""
    before, marked, after = printable(before), printable(marked), printable(after)
    if width(before + marked + after) <= _WIDTH:
        return before, marked, after
    if width(before) > _LEAD and width(before + marked) > _WIDTH:
        before = f"…{before[-_LEAD:]}"
    room = max(_WIDTH - width(before), _LEAD)
    if width(marked) > room:
        return before, f"{_cut(marked, room)}…", ""
    return before, marked, f"{_cut(after, room - width(marked))}…"


def _cut(text: str, columns: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += width(character)
        if used > columns:
            return text[:index]
    return text


def _masked(text: str, first: int, last: int, secrets: tuple[Span, ...]) -> str:
    """The characters from ``first`` to ``last`` without what may not be shown of the secrets, at the same width."""
    shown_text = text[first:last]
    for secret in secrets:
        value = text[secret.start : secret.end]
        kept = len(shown_secret(value)) - 1
        start, end = max(secret.start + kept, first), min(secret.end, last)
        if start < end:
            shown_text = f"{shown_text[: start - first]}{'…' * (end - start)}{shown_text[end - first :]}"
        # The same value may stand where nothing says that it is a secret.
        shown_text = shown_text.replace(value, value[:kept] + "…" * (len(value) - kept))
    return shown_text


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth

    columns = wcswidth(text)
    return columns if columns >= 0 else len(text)


def printable(text: str) -> str:
    """A text that can be shown on one line: line breaks as spaces, other control characters as U+FFFD.

    Characters that steer the direction of text are among them, so that no file can disguise another's line.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character.isprintable() or character == "\u200d":
        return character
    return " " if character.isspace() else "\ufffd"


def print_json(files: list[FileFindings]) -> None:
    """As JSON, version 1: lines and columns from 1, columns in characters, ends exclusive."""
    diagnostics = [_as_json(file, finding) for file in files for finding in file.diagnostics]
    checked = sum(not file.is_settings for file in files)
    click.echo(json_bytes({"version": 1, "filesChecked": checked, "diagnostics": diagnostics}))


# What JSON does not ask to escape and a terminal obeys, or shows as nothing or in another order.
_UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def json_bytes(value: object) -> bytes:
    """``value`` as JSON for people and programs: readable, and with nothing in it that steers a terminal."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _UNSEEN.sub(lambda match: json.dumps(match.group())[1:-1], text).encode("utf-8", "replace")


def _as_json(file: FileFindings, finding: Diagnostic) -> dict[str, object]:
    fix = file.fix_of(finding)
    related = []
    for other in finding.related:
        path, source = file.related_place(other)
        related.append({"path": path, "range": _range(source, other.span), "message": other.message})
    return {
        "path": file.path,
        "range": _range(file.source, finding.span),
        "severity": finding.severity.word,
        "code": finding.code,
        "message": finding.message,
        "fix": None if fix is None else {"title": fix.title, "safe": fix.safe},
        "related": related,
    }


def _range(source: SourceText, span: Span) -> dict[str, dict[str, int]]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "start": {"line": start.line + 1, "column": start.column + 1},
        "end": {"line": end.line + 1, "column": end.column + 1},
    }


_SARIF_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "note",
}


def print_sarif(files: list[FileFindings]) -> None:
    """As SARIF 2.1.0, for code scanning."""
    used = sorted({finding.code for file in files for finding in file.diagnostics})
    results = [_as_sarif(file, finding, used.index(finding.code)) for file in files for finding in file.diagnostics]
    rules = [
        {
            "id": code,
            "shortDescription": {"text": RULES[code].summary},
            "help": {"text": RULES[code].page, "markdown": RULES[code].page},
            "defaultConfiguration": {"level": _SARIF_LEVELS[RULES[code].severity]},
        }
        for code in used
    ]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "memory-ls", "version": __version__, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }
    click.echo(json_bytes(log))


def _as_sarif(file: FileFindings, finding: Diagnostic, rule_index: int) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _SARIF_LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _sarif_place(file.path, file.source, finding.span)}],
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "physicalLocation": _sarif_place(*file.related_place(related), related.span),
                "message": {"text": related.message},
            }
            for related in finding.related
        ]
    if fixes := _sarif_fixes(file, finding):
        result["fixes"] = fixes
    return result


def _sarif_fixes(file: FileFindings, finding: Diagnostic) -> list[dict[str, object]]:
    """What ``--fix`` would do; what has to be chosen can't be told, nor what would show a secret."""
    fix = file.fix_of(finding)
    edits = edits_of(fix, file.key) if fix is not None and fix.safe else None
    if fix is None or not edits:
        return []
    secrets = file.places_of_secrets()
    if any(edit.start < secret.end and secret.start < edit.end for edit in edits for secret in secrets):
        return []
    replacements = []
    place: dict[str, object] = {}
    for edit in edits:
        place = _sarif_place(file.path, file.source, edit.span)
        replacements.append({"deletedRegion": place["region"], "insertedContent": {"text": edit.text}})
    change = {"artifactLocation": place["artifactLocation"], "replacements": replacements}
    return [{"description": {"text": fix.title}, "artifactChanges": [change]}]


def _sarif_place(path: str, source: SourceText, span: Span) -> dict[str, object]:
    from urllib.parse import quote

    place = _range(source, span)
    quoted = quote(os.fsencode(path))  # a file name need not be valid text
    return {
        "artifactLocation": {"uri": f"file://{quoted}" if os.path.isabs(path) else quoted},
        "region": {
            "startLine": place["start"]["line"],
            "startColumn": place["start"]["column"],
            "endLine": place["end"]["line"],
            "endColumn": place["end"]["column"],
        },
    }


_GITHUB_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "notice",
    Severity.HINT: "notice",
}


def print_github(files: list[FileFindings]) -> None:
    """As workflow commands that GitHub shows as annotations."""
    lines: list[str] = []
    for file in files:
        if file.diagnostics:
            path = _escaped(file.path, is_property=True)
            lines.extend(_github_line(path, file, finding) for finding in file.diagnostics)
    if lines:
        click.echo("\n".join(lines))


def _github_line(path: str, file: FileFindings, finding: Diagnostic) -> str:
    start, end = file.source.position(finding.span.start), file.source.position(finding.span.end)
    place = f"line={start.line + 1},endLine={end.line + 1}"
    if start.line == end.line:  # GitHub takes columns only within one line
        place = f"{place},col={start.column + 1},endColumn={end.column + 1}"
    level = _GITHUB_LEVELS[finding.severity]
    return f"::{level} file={path},{place},title={finding.code}::{_escaped(finding.message)}"


def _escaped(text: str, *, is_property: bool = False) -> str:
    if not (text.isascii() and text.isprintable()):
        text = "".join(part if part in "\r\n" else printable(part) for part in re.split(r"([\r\n])", text))
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text


FORMATS: dict[str, Callable[[list[FileFindings]], None]] = {
    "text": print_text,
    "json": print_json,
    "sarif": print_sarif,
    "github": print_github,
}
