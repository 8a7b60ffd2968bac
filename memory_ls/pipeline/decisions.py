"""What a report tells of decisions, before and after a plan was applied. A decision is as the report has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory_ls.changes.plan import Report
from memory_ls.pipeline.values import Action
from memory_ls.store.store import Outcome

# The lists of a report, by the action whose names they hold.
_LISTS = {Action.ADD: "added", Action.UPDATE: "updated", Action.SKIP: "skipped", Action.STALE: "stale"}
_LEFT_OUT = "It was not chosen."


def with_decisions(report: Report, decisions: Sequence[Mapping[str, Any]]) -> Report:
    """The report with these decisions, and the lists of names that they make."""
    lists = lists_of(decisions)
    return replace(
        report,
        candidates_found=len(decisions),
        decisions=tuple(decisions),
        added=tuple(lists["added"]),
        updated=tuple(lists["updated"]),
        skipped=tuple(lists["skipped"]),
        stale=tuple(lists["stale"]),
    )


def lists_of(decisions: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The names of memories by what becomes of them, each list under its name in a report."""
    lists: dict[str, list[str]] = {name: [] for name in _LISTS.values()}
    for each in decisions:
        lists[_LISTS[Action(each["action"])]].append(each["name"])
    return lists


def decisions_after(decisions: Iterable[Mapping[str, Any]], outcome: Outcome) -> list[Mapping[str, Any]]:
    """The decisions once the plan was applied: what was refused or not chosen is skipped, and why."""
    refused = {each.operation: each.message for each in outcome.refused}
    return [
        each
        if each["operation"] is None or each["operation"] in outcome.applied
        else {
            **each,
            "action": Action.SKIP.value,
            "operation": None,
            "reason": refused.get(each["operation"]) or refused.get(None) or _LEFT_OUT,
        }
        for each in decisions
    ]
