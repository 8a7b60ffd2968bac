"""What is to change, as values: changes of single files, and the plans and reports that they belong to.

A change tells its edits in the text that it was made from. So operations of one plan can share a file (each new
memory has its own line in the index), and any of them can be left out while the others are applied.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from memory_ls.documents.edits import Edit, applied
from memory_ls.text import without_surrogates

# The operation of what others stand on, such as an index that is made for them: it is no operation by itself.
GROUND = 0
# How many lines around a change a diff shows.
_CONTEXT = 3
_HUNK_START = re.compile(r"([-+])(\d+)")


class ChangeKind(Enum):
    """What happens to a file."""

    CREATE = "create"
    EDIT = "edit"
    RENAME = "rename"
    DELETE = "delete"


class CannotChangeError(Exception):
    """What is asked for can't be planned; the message says why and what to do.

    ``kind`` is a word for programs: ``notFound``, ``ambiguous``, ``invalid`` … ``key`` names the argument that is
    wrong, ``choices`` what it may be instead.
    """

    def __init__(
        self, message: str, *, kind: str = "invalid", key: str | None = None, choices: Collection[str] = ()
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.key = key
        self.choices = tuple(choices)


@dataclass(frozen=True, slots=True)
class Change:
    """One file's part in an operation (numbered from 1, or :data:`GROUND`).

    ``path`` is relative to the directory, with ``/``. ``before`` is the text that the change was made from, without a
    byte order mark; ``None`` where there must be no such file. ``edits`` are places of that text, of an empty one where
    the file is created. A file that is renamed may be edited too.
    """

    operation: int
    path: str
    kind: ChangeKind
    before: str | None = None
    edits: tuple[Edit, ...] = ()
    new_path: str | None = None


@dataclass(frozen=True, slots=True)
class FileChange:
    """What several operations together make of one file. ``before`` and ``after`` are ``None`` where there is no file."""

    path: str
    kind: ChangeKind
    before: str | None
    after: str | None
    new_path: str | None
    operations: frozenset[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that belong together, not yet applied. ``directory`` is the memory directory's absolute path.

    ``title`` says in a few words what it is for (``Delete tide-tables``), as a history shows it.
    """

    directory: str
    title: str
    changes: tuple[Change, ...]
    warnings: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """A short name for the plan; the same for the same changes to the same texts."""
        digest = hashlib.sha256()
        for change in self.changes:
            parts = (
                change.operation,
                change.path,
                change.kind.value,
                digest_of(change.before),
                change.edits,
                change.new_path,
            )
            digest.update(repr(parts).encode("utf-8", "surrogatepass"))
        digest.update(repr((self.directory, self.title)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    @property
    def operations(self) -> tuple[int, ...]:
        """The numbers of the operations, in order."""
        return tuple(sorted({change.operation for change in self.changes} - {GROUND}))


def digest_of(text: str | None) -> str | None:
    """What tells a text from another; ``None`` for no text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() if text is not None else None


def combined(changes: Iterable[Change], operations: Collection[int] | None = None) -> list[FileChange]:
    """What the ``operations`` (all, by default) make of each file, in the order in which the files are first named.

    Raises:
        CannotEditError: two operations change the same place.
        CannotChangeError: they can't both be done, as when one edits what the other deletes.
    """
    by_path: dict[str, list[Change]] = {}
    for change in changes:
        if operations is None or change.operation in operations or change.operation == GROUND:
            by_path.setdefault(change.path, []).append(change)
    found = []
    for path, several in by_path.items():
        if operations is not None and all(change.operation == GROUND for change in several):
            continue  # nothing stands on it
        found.append(_combined_file(path, several))
    return found


def _combined_file(path: str, changes: list[Change]) -> FileChange:
    befores = {change.before for change in changes}
    special = [change for change in changes if change.kind is not ChangeKind.EDIT]
    is_gone = any(change.kind is ChangeKind.DELETE for change in special)
    if len(befores) > 1 or len(special) > 1 or (is_gone and len(changes) > 1):
        raise CannotChangeError(f"{path} would be changed in two ways that exclude each other.")
    kind = special[0].kind if special else ChangeKind.EDIT
    before = changes[0].before
    after = None if is_gone else applied(before or "", (edit for change in changes for edit in change.edits))
    new_path = special[0].new_path if special else None
    return FileChange(path, kind, before, after, new_path, frozenset(change.operation for change in changes))


def unified_diff(change: FileChange) -> str:
    """What becomes of a file, as a unified diff with paths relative to the directory; empty for a bare rename."""
    old = f"a/{change.path}" if change.before is not None else "/dev/null"
    new = f"b/{change.new_path or change.path}" if change.after is not None else "/dev/null"
    before, after, above = _around_changes(_lines(change.before), _lines(change.after))
    lines = difflib.unified_diff(before, after, old, new, lineterm="\n")
    moved = (_moved(line, above) if line.startswith("@@") else line for line in lines)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in moved)


def _around_changes(before: list[str], after: list[str]) -> tuple[list[str], list[str], int]:
    """The lines without most of those that are equal at both ends, and how many are gone at the start.

    A comparison of all lines of an index would take long, and there is one for each operation.
    """
    least = min(len(before), len(after))
    start = next((at for at in range(least) if before[at] != after[at]), least)
    end = next((at for at in range(least - start) if before[-1 - at] != after[-1 - at]), least - start)
    start, end = max(start - _CONTEXT, 0), max(end - _CONTEXT, 0)
    return before[start : len(before) - end], after[start : len(after) - end], start


def _moved(header: str, lines: int) -> str:
    """The header of a hunk that begins so many lines further down."""
    return _HUNK_START.sub(lambda found: f"{found[1]}{int(found[2]) + lines}", header)


def _lines(text: str | None) -> list[str]:
    # Not splitlines, which breaks at characters that end no line of a file.
    pieces = without_surrogates(text or "").split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


@dataclass(frozen=True, slots=True)
class Report:
    """What came, or would come, of a plan. The lists hold names of memories.

    ``status`` is one of ``planned``, ``applied``, ``dryRun``, ``skipped``.
    """

    status: str
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    skipped_reason: str = ""
    candidates_found: int = 0
    decisions: tuple[Mapping[str, Any], ...] = ()
    dropped: tuple[Mapping[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    provider: str | None = None
    model: str | None = None
    usage: Mapping[str, int] = field(default_factory=lambda: {"calls": 0, "inputTokens": 0, "outputTokens": 0})
    elapsed_ms: int = 0
    messages: Mapping[str, int] = field(default_factory=lambda: {"total": 0, "new": 0, "unreadable": 0})
    plan_id: str | None = None
    journal_id: str | None = None
    changes: tuple[Change, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The report as commands answer it."""
        return {
            "status": self.status,
            "candidatesFound": self.candidates_found,
            "added": list(self.added),
            "updated": list(self.updated),
            "skipped": list(self.skipped),
            "stale": list(self.stale),
            "skippedReason": self.skipped_reason,
            "decisions": [dict(each) for each in self.decisions],
            "dropped": [dict(each) for each in self.dropped],
            "warnings": list(self.warnings),
            "provider": self.provider,
            "model": self.model,
            "usage": dict(self.usage),
            "elapsedMs": self.elapsed_ms,
            "messages": dict(self.messages),
            "planId": self.plan_id,
            "journalId": self.journal_id,
            "changes": changes_as_json(self.changes),
        }


def changes_as_json(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """The changes, each operation's by itself, with what it does as a unified diff."""
    listed = []
    for change in changes:
        diff = unified_diff(_combined_file(change.path, [change]))
        listed.append(
            {
                "operation": change.operation,
                "path": change.path,
                "kind": change.kind.value,
                "newPath": change.new_path,
                "diff": diff,
            }
        )
    return listed
