"""``memory-ls check --fix`` and ``--diff``: mends what is safe to mend, or shows what that would change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from memory_ls.changes.plan import Plan, combined
from memory_ls.cli.diffs import print_diffs
from memory_ls.cli.report import FileFindings, is_safe
from memory_ls.rules.fixes.fix_all import Mended, fix_all
from memory_ls.rules.registry import RULES, Context


@dataclass(slots=True)
class Outcome:
    """What was mended: how many findings of each rule, in which files; and what else there is to say, in sentences."""

    counts: Counter[str] = field(default_factory=Counter)
    files: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Takes in what was mended in another directory."""
        self.counts += other.counts
        self.files += other.files
        self.notes += other.notes

    def sentence(self) -> str:
        """What was mended, for people."""
        kinds = ", ".join(f"{count:,} {code}" for code, count in sorted(self.counts.items()))
        return f"Mended {_counted(self.counts.total(), 'finding')} in {_counted(self.files, 'file')}: {kinds}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def mended(
    context: Context,
    files: Iterable[FileFindings],
    wanted: Callable[[str], bool],
    select: Collection[str],
    ignore: Collection[str],
) -> Mended:
    """What becomes of a directory in which ``files`` are what was found; ``wanted`` tells which may be changed."""
    codes = frozenset(code for code in RULES if (not select or code in select) and code not in ignore)
    keys = [
        file.key
        for file in files
        if any(finding.code in codes and is_safe(file.fix_of(finding)) for finding in file.diagnostics)
    ]
    return fix_all(context, keys, codes, may_change=wanted)


def apply(context: Context, what: Mended) -> Outcome:
    """Writes what was mended, and tells what came of it."""
    from memory_ls.store.store import Store  # here, since who only checks writes nothing

    root = context.directory.root
    count = sum(counts.total() for counts in what.counts.values())
    done = Store(Path(root)).apply(Plan(root, f"Mend {_counted(count, 'finding')}", what.changes))
    outcome = Outcome(notes=[*(refusal.message for refusal in done.refused), *done.warnings])
    for change in what.changes:
        if change.operation in done.applied:
            outcome.files += 1
            outcome.counts += what.counts[change.path]
    return outcome


def print_diff(context: Context, what: Mended) -> None:
    """Prints what would be mended, as a unified diff with paths from the current directory."""
    print_diffs(context.directory.root, combined(what.changes))
