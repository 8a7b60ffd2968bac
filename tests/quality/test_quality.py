"""The thresholds that offline extraction and consolidation keep on the gold set, and that the set is worth it."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from memory_ls import chats
from memory_ls.chats.message import Role
from memory_ls.directory.loader import load
from memory_ls.pipeline.drafting import memories_of
from memory_ls.pipeline.offline import OfflineConsolidator, OfflineExtractor
from memory_ls.pipeline.values import Action, Candidate, Memory, Operation
from tests.quality.formats import FORMATS
from tests.quality.gold import SPLITS, Case, cases
from tests.quality.score import Counts, Outcome, rate, score, score_all

SAMPLE = Path(__file__).parents[2] / "editor-clients/sample/memory"


@pytest.fixture(scope="module", params=SPLITS)
def counts(request: pytest.FixtureRequest) -> Counts:
    return asyncio.run(score_all(OfflineExtractor(), OfflineConsolidator(), request.param))["all"]


def test_false_memories_are_resisted(counts: Counts) -> None:
    assert rate(counts.resisted, counts.distractors) >= 95, counts.faults


def test_outright_statements_are_found(counts: Counts) -> None:
    assert rate(counts.outright_found, counts.outright) >= 90, counts.faults


def test_what_is_extracted_is_right(counts: Counts) -> None:
    assert rate(counts.right, counts.extracted) >= 90, counts.faults


def test_types_are_right(counts: Counts) -> None:
    assert rate(counts.types_right, counts.found) >= 90, counts.faults


def test_nothing_known_is_saved_twice(counts: Counts) -> None:
    assert counts.saved_twice == 0, counts.faults


def test_updates_are_correct(counts: Counts) -> None:
    assert rate(counts.updates_correct, counts.updates) >= 80, counts.faults
    assert counts.updates_unasked == 0, counts.faults


def test_memories_of_other_matters_are_left_alone() -> None:
    """What is said in all these logs, held against a directory that has nothing to do with them."""
    strangers = memories_of(load(SAMPLE))

    async def changed() -> tuple[int, list[str]]:
        count, updates = 0, []
        for case in cases():
            found = await OfflineExtractor().extract(chats.read(case.log).messages, case.summaries)
            decided = await OfflineConsolidator().consolidate(found.candidates, strangers)
            count += len(found.candidates)
            for candidate, operation in zip(found.candidates, decided.operations, strict=True):
                if operation.action is Action.UPDATE:
                    updates.append(f"{operation.target}: {candidate.content}")
        return count, updates

    count, updates = asyncio.run(changed())
    assert count > 300
    # A few do say the opposite of what stands there, in another project.
    assert len(updates) <= 0.02 * count, updates


def test_what_was_saved_is_known_when_the_log_is_read_again() -> None:
    async def saved_again(case: Case) -> list[str]:
        found = await OfflineExtractor().extract(chats.read(case.log).messages, case.summaries)
        memories = {memory.name: memory for memory in case.known}
        for operation in (await OfflineConsolidator().consolidate(found.candidates, case.known)).operations:
            if (entry := operation.entry) is not None:
                name = operation.target or entry.name
                memories[name] = Memory(name, entry.description, entry.type, entry.content)
        again = await OfflineConsolidator().consolidate(found.candidates, list(memories.values()))
        return [f"{case.id}: {each}" for each in again.operations if each.action is not Action.SKIP]

    assert [fault for case in cases() for fault in asyncio.run(saved_again(case))] == []


def test_the_set_is_as_large_and_mixed_as_it_should_be() -> None:
    languages = Counter(case.id.split("-")[0] for case in cases())
    assert len(cases()) >= 50
    assert languages["en"] >= 15
    assert languages["zh"] >= 8
    assert {"de", "fr", "es", "ko", "ja"} <= languages.keys()
    assert {case.format for case in cases()} == set(FORMATS)
    assert len({case.id for case in cases()}) == len(cases())
    assert sum(len(chats.read(case.log).messages) > 150 for case in cases()) >= 4
    kinds = {distractor.kind for case in cases() for distractor in case.distractors}
    wanted = {"hypothetical", "one-off", "question", "quotation", "sarcasm", "small-talk", "tool", "assistant"}
    assert wanted | {"injected", "secret", "permission", "refused", "changed", "narrative"} <= kinds


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_a_log_is_read_as_it_was_meant(case: Case) -> None:
    """A case that is not read as its format would measure nothing."""
    log = chats.read(case.log)
    # Without a tool's result, a message array is the same for both APIs.
    assert log.format in ({"openai", "anthropic"} if case.format == "anthropic" else {case.format})
    assert log.unreadable == 0
    roles = Counter(message.role for message in log.messages)
    assert roles[Role.USER]
    assert roles[Role.ASSISTANT]


def _outcome(content: str, action: Action, target: str | None = None) -> Outcome:
    candidate = Candidate("feedback", "a-name", content, content)
    return Outcome(candidate, Operation(1, action, target, candidate if action is not Action.SKIP else None, "said"))


def _case(name: str) -> Case:
    return next(case for case in cases() if case.id == name)


def test_a_saved_distractor_is_counted() -> None:
    case = _case("en-package-manager")
    bad = score(case, [_outcome("Make the toggle blue.", Action.ADD)])
    assert (bad.distractors, bad.resisted, bad.right, bad.found) == (3, 2, 0, 0)


def test_a_memory_that_fits_is_counted_once() -> None:
    case = _case("en-package-manager")
    fits = _outcome("Use pnpm instead of npm.", Action.ADD)
    good = score(case, [fits, fits])
    assert (good.wanted, good.found, good.types_right, good.extracted, good.right) == (1, 1, 1, 2, 2)


def test_updates_are_correct_wrong_or_omitted() -> None:
    case = _case("en-updates")
    text = "The dev server listens on port 8081 now. Start it with `make serve`."
    good = score(case, [_outcome(text, Action.UPDATE, "dev-server-port")])
    assert (good.updates, good.updates_correct, good.updates_wrong, good.updates_omitted) == (4, 1, 0, 3)
    lost = score(case, [_outcome("Port 8081.", Action.UPDATE, "dev-server-port")])
    assert (lost.updates_correct, lost.updates_wrong) == (0, 1)
    beside = score(case, [_outcome("The dev server listens on port 8081.", Action.ADD)])
    assert (beside.updates_correct, beside.updates_wrong) == (0, 1)


def test_what_is_known_must_not_be_saved_again() -> None:
    case = _case("en-already-known")
    again = score(case, [_outcome("We run the tests with make test.", Action.ADD)])
    assert (again.known, again.saved_twice) == (3, 1)
    skipped = score(case, [_outcome("We run the tests with make test.", Action.SKIP, "test-command")])
    assert (skipped.saved_twice, skipped.right) == (0, 1)
