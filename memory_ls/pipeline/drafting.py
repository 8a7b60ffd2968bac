"""Turns the decisions on candidates into a plan, and says of each of them what became of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from memory_ls.changes.entries import Draft
from memory_ls.changes.plan import CannotChangeError, Plan, combined
from memory_ls.changes.reporting import title_of
from memory_ls.directory.listing import shortened
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, stem_of
from memory_ls.pipeline.values import Action, Candidate, Memory, Operation
from memory_ls.settings import Settings


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one candidate. ``name`` is the memory that comes, changes or goes stale; else the candidate's.

    ``operation`` is the operation of the plan that does it: where several candidates change one memory, the last one's.
    """

    candidate: int
    name: str
    action: Action
    target: str | None
    reason: str
    is_unverified: bool
    operation: int | None = None

    def as_json(self) -> dict[str, Any]:
        """As a report tells it."""
        return {
            "candidate": self.candidate,
            "name": self.name,
            "action": self.action.value,
            "target": self.target,
            "reason": self.reason,
            "unverified": self.is_unverified,
            "operation": self.operation,
        }


@dataclass(frozen=True, slots=True)
class Drafted:
    """A plan, and the decisions that it carries out, one for each candidate in their order.

    ``is_overtaken`` says that something could not be done that may go well another time.
    """

    plan: Plan
    decisions: tuple[Decision, ...]
    is_overtaken: bool = False


def memories_of(directory: MemoryDirectory) -> list[Memory]:
    """All memories of a directory in full, sorted by name."""
    found = [_memory(key, document) for key, document in directory.documents.items()]
    return sorted(found, key=lambda memory: memory.name.casefold())


def _memory(key: str, document: MemoryDocument) -> Memory:
    return Memory(
        document.name or stem_of(key),
        document.description or "",
        document.type,
        document.body_text.strip(),
        document.created,
        document.updated,
    )


@dataclass(frozen=True, slots=True)
class Judgement:
    """Candidates, the operations that were decided on for them, and what was known then.

    ``unverified`` are the numbers of those candidates that no words of the user stand behind.
    """

    candidates: tuple[Candidate, ...]
    operations: tuple[Operation, ...]
    seen: MemoryDirectory
    unverified: frozenset[int] = frozenset()


def drafted(judgement: Judgement, directory: MemoryDirectory, settings: Settings, today: date) -> Drafted:
    """The plan for a directory, which may have changed since; what can't be done as decided is skipped, and why."""
    work = _Drafting(judgement, directory, Draft(directory, settings, today), settings.description_length)
    for group in work.groups():
        work.carry_out(group)
    try:
        plan = work.draft.plan("")
    except CannotChangeError as error:
        # None of it: what was decided on one by one would not be what was decided on together.
        plan = Plan(directory.root, "", ())
        work.is_overtaken = True
        work.reasons = {each.candidate: str(error) for each in judgement.operations if each.action is not Action.SKIP}
    decisions = tuple(work.decision(operation, plan) for operation in judgement.operations)
    return Drafted(replace(plan, title=title_of(combined(plan.changes))), decisions, work.is_overtaken)


class _Drafting:
    """The drafting of one plan, and what has become of each candidate so far."""

    def __init__(self, judgement: Judgement, directory: MemoryDirectory, draft: Draft, longest: int) -> None:
        self._judgement = judgement
        self._longest_description = longest
        self._directory = directory
        self.draft = draft
        # By candidates' numbers: why something is not done, and the operation and name of what is.
        self.reasons: dict[int, str] = {}
        self._done: dict[int, tuple[int, str]] = {}
        self._new: set[int] = set()
        self.is_overtaken = False

    def groups(self) -> list[list[Operation]]:
        """The operations that change something, those on one memory together."""
        found: dict[str, list[Operation]] = {}
        for operation in self._judgement.operations:
            if operation.action is Action.STALE:
                found[f"stale {operation.candidate}"] = [operation]
            elif operation.action is not Action.SKIP:
                try:
                    key = self.draft.find(_target(operation)) or fold(_target(operation))
                except CannotChangeError:
                    key = fold(_target(operation))
                found.setdefault(key, []).append(operation)
        return list(found.values())

    def carry_out(self, operations: list[Operation]) -> None:
        """Drafts operations on one memory. Each has its whole text, with what the ones before it wanted."""
        for place in reversed(range(len(operations))):
            operation = operations[place]
            try:
                name, is_new = self._drafted(operation)
            except CannotChangeError as error:
                self.reasons[operation.candidate] = str(error)
                self.is_overtaken |= error.kind == "changed"
                continue
            for each in operations[: place + 1]:
                self._done[each.candidate] = operation.candidate, name
            if is_new:
                self._new.add(operations[0].candidate)
            return

    def _drafted(self, operation: Operation) -> tuple[str, bool]:
        target, entry = _target(operation), operation.entry
        key = self.draft.find(target)
        if key is None and operation.action is not Action.STALE:
            target = self.draft.fit_name(target)
            key = self.draft.find(target)
        self._refuse_news(key)
        if operation.action is Action.STALE:
            if key is None:
                raise CannotChangeError(f"There is no memory `{target}`.")
            return self.draft.mark_stale(operation.candidate, key), False
        if entry is None:
            raise CannotChangeError("What to write is missing.")
        if key is not None:
            known = self._directory.documents[key].description
            description = self._description(entry) if entry.description != known else entry.description
            return self.draft.update(operation.candidate, key, entry.type, description, entry.content), False
        return self.draft.add(operation.candidate, target, entry.type, self._description(entry), entry.content), True

    def _description(self, entry: Candidate) -> str:
        """The description of an entry, no longer than is meant."""
        return shortened(entry.description, self._longest_description)

    def _refuse_news(self, key: str | None) -> None:
        """What was decided without knowing what is there now would undo that."""
        if key is None:
            return
        seen, now = self._judgement.seen.documents.get(key), self._directory.documents.get(key)
        if now is not None and (seen is None or seen.source.text != now.source.text):
            raise CannotChangeError(f"{key} has changed since this was decided.", kind="changed")

    def decision(self, operation: Operation, plan: Plan) -> Decision:
        """What has become of a candidate in the plan."""
        number = operation.candidate
        candidate = self._judgement.candidates[number - 1]
        unverified = number in self._judgement.unverified
        reason = self.reasons.get(number)
        by, name = self._done.get(number, (None, candidate.name))
        if operation.action is Action.SKIP or reason is not None or by is None:
            told = reason or operation.reason
            return Decision(number, candidate.name, Action.SKIP, operation.target, told, unverified)
        if by not in plan.operations:
            return Decision(number, candidate.name, Action.SKIP, name, f"`{name}` says so already.", unverified)
        action = operation.action
        if action is not Action.STALE:
            action = Action.ADD if number in self._new else Action.UPDATE
        other = self._judgement.candidates[by - 1].name
        told = operation.reason if by == number else f"{operation.reason} One change with `{other}`.".strip()
        return Decision(number, name, action, None if action is Action.ADD else name, told, unverified, by)


def _target(operation: Operation) -> str:
    """The name of the memory that an operation is about."""
    if operation.target and operation.action is not Action.ADD:
        return operation.target
    return operation.entry.name if operation.entry is not None else operation.target or ""
