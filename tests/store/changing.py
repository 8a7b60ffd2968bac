"""Makes changes and plans in a word, and looks at what is on the disk."""

from __future__ import annotations

from pathlib import Path

from memory_ls.changes.plan import Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.store.store import Outcome
from memory_ls.text import unchanged_ends


def create(operation: int, path: str, text: str) -> Change:
    return Change(operation, path, ChangeKind.CREATE, None, (Edit(0, 0, text),))


def edit(operation: int, path: str, before: str | None, after: str) -> Change:
    old = before or ""
    start, end = unchanged_ends(old, after)
    edits = (Edit(start, len(old) - end, after[start : len(after) - end]),)
    return Change(operation, path, ChangeKind.EDIT, before, edits)


def delete(operation: int, path: str, before: str) -> Change:
    return Change(operation, path, ChangeKind.DELETE, before)


def rename(operation: int, path: str, new_path: str, before: str, after: str | None = None) -> Change:
    edits = edit(operation, path, before, after).edits if after is not None else ()
    return Change(operation, path, ChangeKind.RENAME, before, edits, new_path)


def plan(root: Path, *changes: Change, title: str = "A plan") -> Plan:
    return Plan(str(root), title, changes)


def bytes_in(root: Path) -> dict[str, bytes]:
    """Every file below ``root``, also hidden ones, by its path relative to it."""
    if not root.exists():
        return {}
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def kinds(outcome: Outcome) -> list[tuple[int | None, str, str]]:
    """Operation, path and kind of each refusal."""
    for refusal in outcome.refused:
        assert refusal.message.endswith("."), refusal.message
    return [(refusal.operation, refusal.path, refusal.kind) for refusal in outcome.refused]
