"""What is left to do of a plan from a chat log once it was applied: whatever was refused waits on, and is not lost."""

from __future__ import annotations

from dataclasses import replace

from memory_ls.changes.plan import GROUND, CannotChangeError, Change, Plan, combined
from memory_ls.changes.reporting import title_of
from memory_ls.documents.edits import CannotEditError
from memory_ls.pipeline.decisions import lists_of
from memory_ls.store.plans import PendingPlan
from memory_ls.store.store import Outcome


def left_over(pending: PendingPlan, plan: Plan, outcome: Outcome) -> PendingPlan | None:
    """The operations of ``plan``, as the pending one was applied, that were refused; ``None`` where none was.

    What does not come from a chat log can be asked for again at any time, and is not kept.
    """
    refused = {each.operation for each in outcome.refused} - {None, GROUND}
    decisions = [each for each in pending.report.get("decisions", ()) if each.get("operation") in refused]
    if not decisions:
        return None
    changes = tuple(each for each in plan.changes if each.operation in refused or each.operation == GROUND)
    left = Plan(plan.directory, _title(plan, changes), changes)
    report = {
        **pending.report,
        **lists_of(decisions),
        "decisions": decisions,
        "candidatesFound": len(decisions),
        "dropped": [],
        "warnings": [],
        "planId": left.id,
    }
    quotes = {number: words for number, words in pending.quotes.items() if number in refused}
    return replace(pending, plan=left, report=report, quotes=quotes)


def _title(plan: Plan, changes: tuple[Change, ...]) -> str:
    try:
        return title_of(combined(changes)) or plan.title
    except (CannotChangeError, CannotEditError):  # some of it was planned for other texts than the rest
        return plan.title


def told_of(left: PendingPlan) -> str:
    """A sentence that says that something is left, and what can be done."""
    count = len(left.plan.operations)
    told = "1 change was left out and waits" if count == 1 else f"{count} changes were left out and wait"
    again = " Consolidating the chat log again plans it for what is there now." if left.mark is not None else ""
    return f"{told} still.{again}"
