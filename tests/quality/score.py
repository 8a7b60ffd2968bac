"""Scores a provider on the gold set: ``python -m tests.quality.score --provider offline [--split NAME] [--show]``.

The providers that ask a model are set up as for ``memory-ls``, by the user's settings file and the environment.
Recall, accuracy, resistance to false memories and the outcome of updates are told apart, since a provider can be good
at one and useless at another.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from memory_ls import chats
from memory_ls.pipeline.models.model import ModelError
from memory_ls.pipeline.providers import provider_for
from memory_ls.pipeline.values import Action, Candidate, Consolidator, Extractor, Operation
from memory_ls.settings import load
from tests.quality.gold import SPLITS, Case, Want, cases, folded


@dataclass
class Counts:
    """What was counted; two can be added."""

    wanted: int = 0
    found: int = 0
    outright: int = 0
    outright_found: int = 0
    types_right: int = 0
    extracted: int = 0
    right: int = 0
    distractors: int = 0
    resisted: int = 0
    updates: int = 0
    updates_correct: int = 0
    updates_wrong: int = 0
    updates_unasked: int = 0
    known: int = 0
    saved_twice: int = 0
    faults: list[str] = field(default_factory=list)

    def __iadd__(self, other: Counts) -> Counts:
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
        return self

    @property
    def updates_omitted(self) -> int:
        """Expected updates of which nothing came."""
        return self.updates - self.updates_correct - self.updates_wrong


def rate(part: int, whole: int) -> float:
    """A share in per cent; of nothing everything."""
    return 100 * part / whole if whole else 100.0


@dataclass(frozen=True)
class Outcome:
    """What came of one candidate."""

    candidate: Candidate
    operation: Operation

    @property
    def saved(self) -> str:
        """The text that is saved, name and description with it; empty when none is."""
        entry = self.operation.entry if self.operation.action in (Action.ADD, Action.UPDATE) else None
        return f"{entry.name}\n{entry.description}\n{entry.content}" if entry else ""


async def outcomes(case: Case, extractor: Extractor, consolidator: Consolidator) -> list[Outcome]:
    """Reads the log of a case, extracts and consolidates."""
    log = chats.read(case.log)
    extraction = await extractor.extract(log.messages, case.summaries)
    consolidation = await consolidator.consolidate(extraction.candidates, case.known)
    assert [each.candidate for each in consolidation.operations] == list(range(1, len(extraction.candidates) + 1))
    return [Outcome(*pair) for pair in zip(extraction.candidates, consolidation.operations, strict=True)]


def score(case: Case, came: Sequence[Outcome]) -> Counts:
    """Compares what came of a case with what should."""
    counts = Counts()
    for want in case.wants:
        if want.update is None:
            _score_want(case, want, came, counts)
        else:
            _score_update(case, want, came, counts)
    _score_accuracy(case, came, counts)
    _score_unasked(case, came, counts)
    for distractor in case.distractors:
        counts.distractors += 1
        saved = [
            outcome
            for outcome in came
            if outcome.saved and distractor.is_in(outcome.saved) and not _holds_known(case, outcome, distractor.words)
        ]
        counts.resisted += not saved
        counts.faults += [f"{case.id}: saved a {distractor.kind}: {each.saved.splitlines()[-1]}" for each in saved[:1]]
    for name in case.known_again:
        counts.known += 1
        again = [outcome for outcome in came if outcome.saved and _tells_again(case, name, outcome)]
        counts.saved_twice += bool(again)
        counts.faults += (
            [f"{case.id}: {name} is known and was saved again: {again[0].saved.splitlines()[-1]}"] if again else []
        )
    return counts


def _text(candidate: Candidate) -> str:
    return f"{candidate.name}\n{candidate.description}\n{candidate.content}"


def _score_want(case: Case, want: Want, came: Sequence[Outcome], counts: Counts) -> None:
    counts.wanted += 1
    counts.outright += want.outright
    fitting = [outcome for outcome in came if outcome.saved and want.fits(outcome.saved)]
    clean = [outcome for outcome in fitting if not any(folded(word) in folded(outcome.saved) for word in want.never)]
    if not clean:
        counts.faults.append(
            f"{case.id}: missed {', '.join(want.must)}" + (" (holds what it must not)" if fitting else "")
        )
        return
    counts.found += 1
    counts.outright_found += want.outright
    is_right = any(outcome.candidate.type in want.types for outcome in clean)
    counts.types_right += is_right
    if not is_right:
        counts.faults.append(f"{case.id}: {', '.join(want.must)} is of type {clean[0].candidate.type}")


def _score_update(case: Case, want: Want, came: Sequence[Outcome], counts: Counts) -> None:
    counts.updates += 1
    about = [outcome for outcome in came if outcome.operation.target == want.update and outcome.saved]
    if about:
        final = folded(about[-1].saved)
        if want.fits(final) and not any(folded(word) in final for word in want.never):
            counts.updates_correct += 1
            return
        counts.updates_wrong += 1
        counts.faults.append(f"{case.id}: update of {want.update} is wrong: {about[-1].saved!r}")
        return
    elsewhere = [
        outcome
        for outcome in came
        if outcome.saved and any(folded(word) in folded(_text(outcome.candidate)) for word in want.must)
    ]
    counts.updates_wrong += bool(elsewhere)
    how = f"became {elsewhere[0].operation.action.value} of {elsewhere[0].operation.target}" if elsewhere else "omitted"
    counts.faults.append(f"{case.id}: update of {want.update} {how}")


def _score_unasked(case: Case, came: Sequence[Outcome], counts: Counts) -> None:
    """Updates of memories that nobody spoke of: each has put something else in the place of what was right."""
    expected = {want.update for want in case.wants}
    for outcome in came:
        if outcome.operation.action is Action.UPDATE and outcome.operation.target not in expected:
            counts.updates_unasked += 1
            counts.faults.append(f"{case.id}: {outcome.operation.target} was updated unasked: {outcome.saved!r}")


def _score_accuracy(case: Case, came: Sequence[Outcome], counts: Counts) -> None:
    for outcome in came:
        text = _text(outcome.candidate)
        is_right = (
            any(want.fits(text) or (want.update is not None and want.fits(outcome.saved)) for want in case.wants)
            or outcome.operation.target in case.known_again
        ) and not any(distractor.is_in(text) for distractor in case.distractors)
        counts.extracted += 1
        counts.right += is_right
        if not is_right:
            counts.faults.append(f"{case.id}: nobody asked for {outcome.candidate.content!r}")


def _holds_known(case: Case, outcome: Outcome, words: Sequence[str]) -> bool:
    """Whether the words stood in the updated memory before."""
    before = [
        folded(f"{each.name}\n{each.description}\n{each.content}")
        for each in case.known
        if each.name == outcome.operation.target
    ]
    return any(all(folded(word) in text for word in words) for text in before)


def _tells_again(case: Case, name: str, outcome: Outcome) -> bool:
    if outcome.operation.target == name:
        return True
    memory = next(each for each in case.known if each.name == name)
    from rapidfuzz import fuzz

    return fuzz.token_set_ratio(folded(memory.content), folded(outcome.candidate.content)) > 75


async def score_all(extractor: Extractor, consolidator: Consolidator, split: str | None = None) -> dict[str, Counts]:
    """The counts by half of the set, by language, and of all together."""
    found: dict[str, Counts] = {}
    for case in cases(split):
        counts = score(case, await outcomes(case, extractor, consolidator))
        for group in (case.split, case.id.split("-")[0], "all"):
            found.setdefault(group, Counts())
            found[group] += counts
    return found


_COLUMNS = (
    "recall",
    "outright",
    "type",
    "accuracy",
    "resistance",
    "updates right",
    "wrong",
    "omitted",
    "unasked",
    "known twice",
)


def row(counts: Counts) -> list[str]:
    """One line of the table."""
    return [
        f"{rate(counts.found, counts.wanted):.0f} % of {counts.wanted}",
        f"{rate(counts.outright_found, counts.outright):.0f} % of {counts.outright}",
        f"{rate(counts.types_right, counts.found):.0f} %",
        f"{rate(counts.right, counts.extracted):.0f} % of {counts.extracted}",
        f"{rate(counts.resisted, counts.distractors):.1f} % of {counts.distractors}",
        f"{rate(counts.updates_correct, counts.updates):.0f} % of {counts.updates}",
        str(counts.updates_wrong),
        str(counts.updates_omitted),
        str(counts.updates_unasked),
        f"{counts.saved_twice} of {counts.known}",
    ]


def table(found: dict[str, Counts]) -> str:
    """The counts as a markdown table."""
    lines = [["", *_COLUMNS], ["---"] * (len(_COLUMNS) + 1)]
    lines += [[group, *row(counts)] for group, counts in found.items() if group != "all"] + [
        ["all", *row(found["all"])]
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--provider", choices=["offline", "anthropic", "command"], default="offline")
    parser.add_argument("--model", help="another model than the settings name")
    parser.add_argument("--split", choices=SPLITS)
    parser.add_argument("--show", action="store_true", help="tell what went wrong")
    arguments = parser.parse_args()
    overrides = {"provider": arguments.provider, **({"model": arguments.model} if arguments.model else {})}
    try:
        provider = provider_for(load(Path.cwd(), overrides=overrides, overrides_source="command line").settings)
        found = asyncio.run(score_all(provider.extractor, provider.consolidator, arguments.split))
    except ModelError as error:
        sys.exit(f"{error.message} {error.hint}".strip())
    print(table(found))
    if provider.meter is not None:
        print(f"\n{provider.meter.usage}")
    if arguments.show:
        print("\n".join(["", *found["all"].faults]))


if __name__ == "__main__":
    main()
