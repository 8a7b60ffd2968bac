"""From a chat log to a plan and a report on it: reads, asks, decides, drafts; and settles what becomes of the plan.

Whatever is found appears once in the report: as a decision, or among what was dropped, with the reason.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from memory_ls.changes.plan import GROUND, Plan, Report
from memory_ls.changes.rebase import rebased
from memory_ls.chats.message import ChatLog
from memory_ls.directory.listing import summaries
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.pipeline.decisions import decisions_after, with_decisions
from memory_ls.pipeline.drafting import Drafted, Judgement, drafted, memories_of
from memory_ls.pipeline.evidence import is_unverified
from memory_ls.pipeline.extract import UNREADABLE, ModelExtractor
from memory_ls.pipeline.portion import Portion, key_of, portion_of
from memory_ls.pipeline.projects import other_project
from memory_ls.pipeline.prompts import Prompt
from memory_ls.pipeline.providers import Provider
from memory_ls.pipeline.redact import redacted
from memory_ls.pipeline.screening import doubt, objection, tellable
from memory_ls.pipeline.values import Action, Candidate, Dropped, Evidence, Extraction, Operation
from memory_ls.settings import Settings
from memory_ls.store.store import Outcome, Store
from memory_ls.store.watermarks import BusyError, Watermark

_MOST_OF_A_QUOTE = 400


@dataclass(frozen=True, slots=True)
class Found:
    """What extraction brought: candidates, whose evidence counts messages from 1 in the log, and the rest."""

    candidates: tuple[Candidate, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    unverified: frozenset[int] = frozenset()
    skipped_reason: str = ""
    mark: Watermark | None = None  # where the log is read to; None where nothing came of a look at it
    portion: Portion | None = None

    def as_json(self) -> dict[str, Any]:
        """As the command that only extracts answers it."""
        return {
            "candidates": [
                {**each.as_json(), "unverified": number in self.unverified}
                for number, each in enumerate(self.candidates, 1)
            ],
            "dropped": [{"name": each.name, "reason": each.reason} for each in self.dropped],
            "warnings": list(self.warnings),
            "skippedReason": self.skipped_reason,
            "messages": self.portion.counts() if self.portion else _NO_MESSAGES,
        }


_NOT_UNDERSTOOD = (
    "The model did not answer with the JSON that it was asked for, so nothing was found: choose another model or "
    "program, or the provider `offline`. The log will be looked at again."
)
_LEFT = "Not all of what was found could be saved. The log will be looked at again for the rest."
_NO_MESSAGES = {"total": 0, "new": 0, "unreadable": 0}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed for a directory: a plan, and all that a report tells of it."""

    found: Found
    judgement: Judgement
    drafted: Drafted
    provider: Provider
    warnings: tuple[str, ...] = ()
    elapsed_ms: int = 0
    undecided: frozenset[int] = frozenset()

    @property
    def mark(self) -> Watermark | None:
        """Where the log is read to; ``None`` where that is not to be noted, since nothing came of it that counts.

        Where something is left to be looked for again, the log counts as read no further than it did.
        """
        return None if self._has_failed else self._unmoved if self.drafted.is_overtaken else self.found.mark

    def mark_after(self, outcome: Outcome | None) -> Watermark | None:
        """Where the log is read to once the plan was applied: no further than it was, where something was refused."""
        return self._unmoved if outcome is not None and outcome.refused else self.mark

    @property
    def _unmoved(self) -> Watermark | None:
        return self.found.portion.mark(0) if self.found.mark and self.found.portion else None

    @property
    def _has_failed(self) -> bool:
        """Whether nothing is saved though something was found that may be saved another time."""
        return not self.plan.changes and (bool(self.undecided) or self.drafted.is_overtaken)

    @property
    def plan(self) -> Plan:
        """What would be changed."""
        return self.drafted.plan

    @property
    def quotes(self) -> dict[int, tuple[str, ...]]:
        """The words of the log that each operation of the plan rests on."""
        found: dict[int, tuple[str, ...]] = {}
        for decision in self.drafted.decisions:
            if decision.operation is not None:
                quotes = tuple(each.quote for each in self._evidence(decision.candidate))
                found[decision.operation] = (*found.get(decision.operation, ()), *quotes)
        return found

    def _evidence(self, candidate: int) -> list[Evidence]:
        """The words that a candidate rests on, as they may be told; its number counts from 1."""
        return [
            # Candidates may come from anywhere, and their quotes with them.
            Evidence(each.message, redacted(each.quote.strip())[:_MOST_OF_A_QUOTE])
            for each in self.found.candidates[candidate - 1].evidence
            if each.quote.strip()
        ]

    def report(self, status: str) -> Report:
        """The report, as long as nothing has become of the plan."""
        report = Report(
            status if self.plan.changes else "skipped",
            skipped_reason="" if self.plan.changes else self._why_nothing(),
            dropped=tuple({"name": each.name, "reason": each.reason} for each in self.found.dropped),
            warnings=tuple(dict.fromkeys([*self.found.warnings, *self.warnings, *self.plan.warnings, *self._left()])),
            provider=self.provider.name,
            model=self.provider.meter.model_name if self.provider.meter else None,
            elapsed_ms=self.elapsed_ms,
            messages=self.found.portion.counts() if self.found.portion else _NO_MESSAGES,
            changes=self.plan.changes,
        )
        if self.provider.meter is not None:
            report = replace(report, usage=self.provider.meter.usage.as_json())
        return with_decisions(report, self._told())

    def _left(self) -> list[str]:
        return [_LEFT] if self.plan.changes and self.drafted.is_overtaken and self.mark is not None else []

    def _why_nothing(self) -> str:
        if self.found.skipped_reason:
            return self.found.skipped_reason
        if self._has_failed:
            return "Nothing of what was found could be saved. The log will be looked at again."
        if self.found.candidates:
            return "Nothing of what was found needs to be saved."
        return "Nothing was found that is worth saving."

    def applied(self, outcome: Outcome) -> Report:
        """The report once the plan was applied, as far as it could be."""
        report = with_decisions(self.report("applied"), decisions_after(self._told(), outcome))
        return replace(
            report,
            journal_id=outcome.journal_id,
            changes=tuple(each for each in self.plan.changes if each.operation in (GROUND, *outcome.applied)),
            warnings=tuple(dict.fromkeys([*report.warnings, *outcome.warnings])),
        )

    def _told(self) -> list[Mapping[str, Any]]:
        return [
            {**each.as_json(), "evidence": [words.as_json() for words in self._evidence(each.candidate)]}
            for each in self.drafted.decisions
        ]


@dataclass
class Manager:
    """Runs the pipeline for one memory directory. ``snapshot`` gives what the disk has of the directory now."""

    store: Store
    settings: Settings
    provider: Provider
    snapshot: Callable[[], MemoryDirectory]
    today: date = field(default_factory=date.today)

    async def propose(self, log: ChatLog, *, from_start: bool = False, is_part: bool = False) -> Proposal:
        """What to make of the new messages of a log. Nothing is written.

        Where only a part of a log is given, that says nothing of how far the log was read.

        Raises:
            ModelError: a model did not answer.
        """
        begun = time.monotonic()
        directory = self.snapshot()
        found = await self._found(log, directory, from_start)
        if is_part:
            found = replace(found, mark=None)
        stranger = other_project(log, directory.root)
        warnings = [*([stranger] if stranger else []), *self.store.take_messages()]
        return await self._proposed(found, directory, begun, warnings)

    async def propose_candidates(
        self, candidates: Sequence[Candidate], dropped: Sequence[Dropped], doubtful: Collection[Candidate]
    ) -> Proposal:
        """What to make of candidates that come from elsewhere; of those that are ``doubtful`` no user's words are known.

        Raises:
            ModelError: a model did not answer.
        """
        begun = time.monotonic()
        taken = _screened(Extraction(tuple(candidates), tuple(dropped)), self.settings)
        unverified = frozenset(
            number for number, each in enumerate(taken.candidates, 1) if not each.evidence or each in doubtful
        )
        found = Found(taken.candidates, taken.dropped, unverified=unverified)
        return await self._proposed(found, self.snapshot(), begun, [])

    async def extract(self, log: ChatLog, *, from_start: bool = False) -> Found:
        """The candidates in the new messages of a log; it does not count as read.

        Raises:
            ModelError: a model did not answer.
        """
        return await self._found(log, self.snapshot(), from_start)

    async def prompts(self, log: ChatLog, *, from_start: bool = False) -> list[Prompt]:
        """What a model would be asked about the new messages of a log; nothing where none would be asked."""
        extractor = self.provider.extractor
        if not isinstance(extractor, ModelExtractor):
            return []
        portion = await self.portion(log, from_start=from_start)
        if too_short(portion, self.settings):
            return []
        return await asyncio.to_thread(lambda: extractor.prompts(portion.messages, summaries(self.snapshot())))

    async def portion(self, log: ChatLog, *, from_start: bool = False) -> Portion:
        """What of the log is new."""
        return await asyncio.to_thread(self._portion, log, from_start)

    def _portion(self, log: ChatLog, from_start: bool) -> Portion:
        return portion_of(log, self.store.watermarks.load(key_of(log)), from_start=from_start)

    async def _found(self, log: ChatLog, directory: MemoryDirectory, from_start: bool) -> Found:
        portion = await self.portion(log, from_start=from_start)
        reason = too_short(portion, self.settings)
        if reason:
            return Found(warnings=portion.warnings, skipped_reason=reason, portion=portion)
        known = await asyncio.to_thread(summaries, directory)
        extraction = await self.provider.extractor.extract(portion.messages, known)
        taken = await asyncio.to_thread(_screened, extraction, self.settings)
        return Found(
            tuple(_in_log(each, portion.start) for each in taken.candidates),
            taken.dropped,
            (*portion.warnings, *(each for each in taken.warnings if taken.read != 0 or each != UNREADABLE)),
            frozenset(
                number for number, each in enumerate(taken.candidates, 1) if is_unverified(each, portion.messages)
            ),
            ""
            if taken.candidates
            else _NOT_UNDERSTOOD
            if taken.read == 0
            else "Nothing was found that is worth saving.",
            None if taken.read == 0 else await asyncio.to_thread(portion.mark, taken.read),
            portion,
        )

    async def _proposed(
        self, found: Found, directory: MemoryDirectory, begun: float, warnings: Sequence[str]
    ) -> Proposal:
        operations: tuple[Operation, ...] = ()
        undecided: frozenset[int] = frozenset()
        if found.candidates:
            existing = await asyncio.to_thread(memories_of, directory)
            consolidation = await self.provider.consolidator.consolidate(found.candidates, existing)
            operations = _complete(consolidation.operations, len(found.candidates))
            undecided = consolidation.undecided
            warnings = [*warnings, *consolidation.warnings]
        judgement = Judgement(found.candidates, operations, directory, found.unverified)
        made = await asyncio.to_thread(drafted, judgement, self.snapshot(), self.settings, self.today)
        elapsed = round((time.monotonic() - begun) * 1000)
        return Proposal(found, judgement, made, self.provider, tuple(warnings), elapsed, undecided)

    def drafted_again(self, proposal: Proposal, directory: MemoryDirectory) -> Drafted:
        """The plan anew, for a directory in which something has changed since."""
        return drafted(proposal.judgement, directory, self.settings, self.today)

    def as_of_now(self, proposal: Proposal) -> Proposal:
        """The same proposal, its plan made anew for what others may have written since."""
        plan = rebased(proposal.plan, self.snapshot(), self.settings)
        return replace(proposal, drafted=replace(proposal.drafted, plan=plan))

    # ---- what becomes of a proposal: these write, and are called in a thread

    def keep(self, proposal: Proposal, log_name: str = "") -> Report:
        """Has the plan wait to be applied or discarded; without a plan, the log counts as read.

        Raises:
            OSError: it can't be written.
        """
        report = proposal.report("planned")
        if not proposal.plan.changes:
            return replace(report, warnings=(*report.warnings, *self.settle(proposal)))
        report = replace(report, plan_id=proposal.plan.id)
        self.store.save_plan(proposal.plan, report.as_json(), mark=proposal.mark, log=log_name, quotes=proposal.quotes)
        return report

    def settle(self, proposal: Proposal, outcome: Outcome | None = None, log_name: str = "") -> list[str]:
        """The log counts as read, and what was applied keeps its evidence; returns what went wrong with that."""
        try:
            if outcome is not None:
                self.store.keep_evidence(proposal.plan, outcome, proposal.quotes, log_name)
            mark = proposal.mark_after(outcome)
            if mark is not None:
                self.store.mark_read(mark, replaces_plans=bool(outcome and outcome.applied))
        except OSError as error:
            return [f"It could not be noted how far the log was read ({error.strerror}): it will be read again."]
        return [_LEFT] if mark is not None and outcome is not None and outcome.refused else []


def too_short(portion: Portion, settings: Settings) -> str:
    """Why a log is not worth a look; "" where it is."""
    spoken, least = portion.spoken, settings.min_messages
    if not portion.log.messages:
        told = "No messages were found in the log"
        return f"{told}: a message begins with who speaks, as in `User: …`." if portion.log.unreadable else f"{told}."
    if not portion.messages:
        return "The log has nothing new since it was last read. It can be read from its start again."
    if spoken < least:
        new = "1 new message" if spoken == 1 else f"{spoken} new messages"
        return f"Only {new} of the user and the assistant; from {least} on the log is read (`minMessages`)."
    return ""


# What is being read in this process: memory directories with logs.
_running: set[tuple[str, str]] = set()


@asynccontextmanager
async def alone_with(store: Store, log: ChatLog, *, writes: bool = True) -> AsyncIterator[None]:
    """Keeps the same log from being read into the same directory twice at a time, also by another process.

    Raises:
        BusyError: somebody is at it.
    """
    key = str(store.state_path), key_of(log)
    if key in _running:
        raise BusyError
    _running.add(key)
    try:
        with ExitStack() as stack:
            if writes:
                with suppress(OSError):  # where no state can be kept, there is nothing to guard
                    stack.enter_context(store.watermarks.reading(key[1]))
            yield
    finally:
        _running.discard(key)


def _screened(extraction: Extraction, settings: Settings) -> Extraction:
    """The extraction without what must not become a memory, whoever proposed it."""
    candidates, dropped = [], list(extraction.dropped)
    for each in extraction.candidates:
        reason = objection(each) or doubt(each, settings.min_confidence)
        if reason is None:
            candidates.append(each)
        else:
            dropped.append(Dropped(tellable(each.name), reason))
    return replace(extraction, candidates=tuple(candidates), dropped=tuple(dropped))


def _in_log(candidate: Candidate, start: int) -> Candidate:
    """The candidate with evidence that counts the messages of the whole log."""
    evidence = tuple(replace(each, message=each.message + start if each.message else 0) for each in candidate.evidence)
    return replace(candidate, evidence=evidence)


def _complete(operations: Sequence[Operation], count: int) -> tuple[Operation, ...]:
    """One operation for each candidate, in their order, whatever a consolidator gave."""
    given: dict[int, Operation] = {}
    for operation in operations:
        given.setdefault(operation.candidate, operation)
    missing = "No decision was made on it."
    return tuple(given.get(number) or Operation(number, Action.SKIP, reason=missing) for number in range(1, count + 1))
