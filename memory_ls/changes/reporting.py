"""What a plan would do, as a report tells it."""

from __future__ import annotations

from memory_ls.changes.plan import ChangeKind, Plan, Report, combined
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of


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
