"""What a plan would do, as a report tells it."""

from __future__ import annotations

from collections.abc import Iterable

from memory_ls.changes.plan import ChangeKind, FileChange, Plan, Report, combined
from memory_ls.directory.listing import one_line
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of

_TITLE_NAMES = 3
_MOST_OF_A_NAME = 60


def title_of(changes: Iterable[FileChange]) -> str:
    """What changes of memories do, as a history shows it; "" where they change none."""
    names: dict[str, list[str]] = {}
    for change in changes:
        if change.path != INDEX_NAME:
            text = change.after if change.after is not None else change.before
            document = MemoryDocument.parse(text or "")
            name = document.name or stem_of(change.new_path or change.path)
            names.setdefault(_verb(change, document), []).append(one_line(name, _MOST_OF_A_NAME))
    parts = []
    for verb in (verb for verb in _VERBS if verb in names):
        shown = ", ".join(names[verb][:_TITLE_NAMES])
        more = f" and {len(names[verb]) - _TITLE_NAMES} more" if len(names[verb]) > _TITLE_NAMES else ""
        parts.append(f"{verb} {shown}{more}")
    title = "; ".join(parts)
    return title[:1].upper() + title[1:]


_VERBS = ("add", "update", "mark as stale", "delete")


def _verb(change: FileChange, document: MemoryDocument) -> str:
    if change.before is None:
        return "add"
    if change.after is None:
        return "delete"
    is_marked = document.is_marked_stale and not MemoryDocument.parse(change.before).is_marked_stale
    return "mark as stale" if is_marked else "update"


def report_on(plan: Plan, *, marks_stale: bool = False) -> Report:
    """The report on a plan that is not applied yet: which memories come and which change, by name.

    ``marks_stale`` tells that the memories which change do so by being marked as stale.
    """
    added: list[str] = []
    changed: list[str] = []
    for file in combined(plan.changes):
        if file.path == INDEX_NAME or file.after is None:
            continue
        name = MemoryDocument.parse(file.after).name or stem_of(file.new_path or file.path)
        (added if file.kind is ChangeKind.CREATE else changed).append(name)
    return Report(
        "planned" if plan.changes else "skipped",
        added=tuple(added),
        updated=() if marks_stale else tuple(changed),
        stale=tuple(changed) if marks_stale else (),
        skipped_reason="" if plan.changes else "There is nothing to change.",
        warnings=plan.warnings,
        changes=plan.changes,
    )
