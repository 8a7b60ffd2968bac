"""Decides with a language model how candidates come together with the memories that there are."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from memory_ls.directory.listing import one_line
from memory_ls.documents.names import MEMORY_TYPES, fold
from memory_ls.pipeline import prompts
from memory_ls.pipeline.extract import Progress
from memory_ls.pipeline.folding import folded_text
from memory_ls.pipeline.models.model import Model, StopReason
from memory_ls.pipeline.prompts import Prompt, Related
from memory_ls.pipeline.redact import redacted
from memory_ls.pipeline.related import related
from memory_ls.pipeline.replies import UnreadableReplyError, listed_in
from memory_ls.pipeline.screening import objection, tellable
from memory_ls.pipeline.values import Action, Candidate, Consolidation, Memory, Operation
from memory_ls.settings import Settings

MOST_CANDIDATES = 8
_MOST_RELATED = 5
# Of what a prompt may have, so much at most goes to the candidates, and so much to names alone.
_CANDIDATES_SHARE = 2
_NAMES_SHARE = 6
# What stands around a memory or a candidate in a prompt, in characters, about.
_FRAME = 60
# The start of a memory that is too long is shown if there is room for so many characters of it.
_LEAST_SHOWN = 500
_MOST_OF_A_REASON = 300
_NO_LETTERS = re.compile(r"[\W_]+")
# Likeness in per cent from which on a line counts as another one changed.
_CHANGED = 60


class ModelConsolidator:
    """Asks a model about the candidates, at most eight at once, each time with what was decided before."""

    def __init__(self, model: Model, settings: Settings, progress: Progress | None = None) -> None:
        self._model = model
        self._settings = settings
        self._progress = progress or (lambda done, total: None)

    async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
        """One operation for each candidate, in their order.

        Raises:
            ModelError: the model did not answer; nothing is decided.
        """
        run = await asyncio.to_thread(_Run, candidates, existing)
        pending = await asyncio.to_thread(run.open_questions)
        while pending:
            batch = self._batch(run, pending)
            again = await self._decide(run, batch)
            pending = [*again, *pending[len(batch) :]]
            self._progress(len(candidates) - len(pending), len(candidates))
        return run.consolidation()

    def prompts(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> list[Prompt]:
        """What would be asked; what is decided on the way may still change it."""
        run = _Run(candidates, existing)
        pending = run.open_questions()
        asked = []
        while pending:
            batch = self._batch(run, pending)
            asked.append(self._question(run, batch).prompt)
            pending = pending[len(batch) :]
        return asked

    def _batch(self, run: _Run, pending: Sequence[int]) -> list[int]:
        """The first of the candidates that are still to be decided on, as many as one prompt may hold."""
        room = self._settings.window_characters // _CANDIDATES_SHARE
        batch: list[int] = []
        for number in pending[:MOST_CANDIDATES]:
            room -= _size(run.candidate(number))
            if room < 0 and batch:
                break
            batch.append(number)
        return batch

    async def _decide(self, run: _Run, batch: Sequence[int]) -> list[int]:
        """Decides on some candidates; gives back those that have to be asked about once more."""
        question = await asyncio.to_thread(self._question, run, batch)
        prompt = question.prompt
        answer = await self._model.complete(prompt.system, prompt.text, prompt.schema, self._settings.max_tokens)
        if answer.stop_reason is StopReason.CUT:
            if len(batch) == 1:
                run.leave(batch[0], "the model's answer was cut: raise `maxTokens`")
                return []
            middle = len(batch) // 2
            return [*await self._decide(run, batch[:middle]), *await self._decide(run, batch[middle:])]
        try:
            items = await asyncio.to_thread(listed_in, answer.text, "operations")
        except UnreadableReplyError:
            run.warnings.append("A model's answer could not be read: what it was to decide on was skipped.")
            for number in batch:
                run.leave(number, "The model's answer could not be read.")
            return []
        decisions = run.decisions_in(items, batch)
        return await asyncio.to_thread(
            lambda: [number for number in batch if not run.settle(number, decisions.get(number), question)]
        )

    def _question(self, run: _Run, batch: Sequence[int]) -> _Question:
        """The prompt about some candidates, within its budget."""
        candidates = [run.candidate(number) for number in batch]
        most = self._settings.window_characters
        names_room = most // _NAMES_SHARE
        room = most - names_room - sum(map(_size, candidates))
        shown: dict[int, Related] = {}
        for place in run.related_to(batch):
            memory = run.memories[place]
            size = len(memory.content) + len(memory.description) + len(memory.name) + _FRAME
            if size <= room:
                shown[place] = Related(memory)
            elif run.is_wanted(place) and room >= _LEAST_SHOWN:
                content = f"{memory.content[: room - _FRAME * 2]}\n[the rest is left out]"
                shown[place] = Related(replace(memory, content=content), shortened=True)
                size = room
            else:
                continue
            room -= size
        names: list[str] = []
        left_out = 0
        for place, memory in enumerate(run.memories):
            if place in shown:
                continue
            names_room -= len(memory.name) + 3
            if names_room < 0:
                left_out = len(run.memories) - len(shown) - len(names)
                break
            names.append(memory.name)
        numbered = list(zip(batch, candidates, strict=True))
        prompt = prompts.consolidation(numbered, list(shown.values()), names, left_out)
        return _Question(prompt, frozenset(place for place, each in shown.items() if not each.shortened))


@dataclass(frozen=True, slots=True)
class _Question:
    """A prompt, and the places of the memories that it shows in full."""

    prompt: Prompt
    in_full: frozenset[int]


@dataclass
class _Touched:
    """Who has changed a memory in this run: the candidate, and the question that was about it."""

    number: int
    question: _Question


@dataclass
class _Run:
    """What is known and decided in the course of one consolidation. Candidates are numbered from 1."""

    candidates: Sequence[Candidate]
    existing: Sequence[Memory]
    warnings: list[str] = field(default_factory=list)
    # Places of memories that a model wants to update and has not seen.
    wanted: dict[int, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.memories = list(self.existing)  # as they will be
        self._operations: dict[int, Operation] = {}
        self._undecided: set[int] = set()
        self._touched: dict[int, _Touched] = {}
        self._near: dict[int, list[int]] = {}
        self._places: dict[str, int] = {}
        for place, memory in enumerate(self.memories):
            self._places.setdefault(fold(memory.name), place)
        self._exact = {memory.name: place for place, memory in enumerate(self.memories)}

    def candidate(self, number: int) -> Candidate:
        """The candidate of that number."""
        return self.candidates[number - 1]

    def consolidation(self) -> Consolidation:
        """What was decided."""
        numbers = range(1, len(self.candidates) + 1)
        operations = tuple(self._operations[number] for number in numbers)
        return Consolidation(operations, tuple(dict.fromkeys(self.warnings)), frozenset(self._undecided))

    # --- What needs no model

    def open_questions(self) -> list[int]:
        """The numbers of the candidates that a model has to decide on; the others are decided."""
        if not self.candidates:
            return []
        # Looked for once: it takes its time with thousands of memories.
        self._near = dict(enumerate(related(self.candidates, self.existing, _MOST_RELATED), 1))
        known_as = self._known_as()
        seen: dict[str, int] = {}
        pending = []
        for number, candidate in enumerate(self.candidates, 1):
            text = folded_text(candidate.content)
            known = known_as.get(text)
            reason = objection(candidate)
            if reason is not None:
                self.skip(number, reason)
            elif known is not None:
                name = self.memories[known].name
                self.skip(number, f"`{name}` says so already.", name)
            elif text in seen:
                self.skip(number, "The same was found more than once.")
            else:
                seen[text] = number
                pending.append(number)
        return pending

    def _known_as(self) -> dict[str, int]:
        """For the candidates' texts, folded, that a memory has already: the place of the first such memory."""
        texts = {folded_text(candidate.content) for candidate in self.candidates}
        letters = {_letters(text) for text in texts}
        shortest, longest = min(map(len, letters)), max(map(len, texts))
        known: dict[str, int] = {}
        for place, memory in enumerate(self.existing):
            # Folding takes its time, so first what is cheap: most memories differ in length or letters.
            if shortest <= len(memory.content) <= 4 * longest + 100 and _letters(memory.content) in letters:
                known.setdefault(folded_text(memory.content), place)
        return known

    def related_to(self, numbers: Sequence[int]) -> list[int]:
        """The places of the memories that some candidates have to do with, the nearest of each first."""
        wanted = [place for number in numbers for place in sorted(self.wanted.get(number, ()))]
        changed = list(self._touched)
        texts = [self.memories[place] for place in changed]
        found = related([self.candidate(number) for number in numbers], texts, _MOST_RELATED) if texts else []
        now = [[changed[at] for at in each] for each in found]
        ranks = zip_longest(*now, *(self._near[number] for number in numbers))
        return list(dict.fromkeys([*wanted, *(place for rank in ranks for place in rank if place is not None)]))

    def is_wanted(self, place: int) -> bool:
        """Whether a model wants to update a memory that it has not seen."""
        return any(place in places for places in self.wanted.values())

    # --- What a model has said

    def decisions_in(self, items: Sequence[Any], batch: Sequence[int]) -> dict[int, Mapping[str, Any]]:
        """The first decision on each candidate of a batch."""
        decisions: dict[int, Mapping[str, Any]] = {}
        for item in items:
            number = _number(item.get("candidate")) if isinstance(item, dict) else None
            if number is None or number not in batch:
                self.warnings.append("The model decided on something that it was not asked about, which was ignored.")
            elif number in decisions:
                self.warnings.append(
                    f"The model decided twice on `{tellable(self.candidate(number).name)}`: only the first counts."
                )
            else:
                decisions[number] = item
        return decisions

    def skip(self, number: int, reason: str, target: str | None = None) -> bool:
        """Leaves a candidate out, and says why."""
        self._operations[number] = Operation(number, Action.SKIP, target, None, reason)
        return True

    def leave(self, number: int, reason: str) -> bool:
        """Leaves out a candidate on which nothing was decided, and says why."""
        self._undecided.add(number)
        return self.skip(number, reason)

    def settle(self, number: int, decision: Mapping[str, Any] | None, question: _Question) -> bool:
        """Takes a decision over, as far as it can be carried out; ``False`` when it must be asked for again."""
        if decision is None:
            return self.leave(number, "The model left it out.")
        action = _text(decision, "action").lower()
        target = _text(decision, "target") or None
        reason = redacted(one_line(_text(decision, "reason"), _MOST_OF_A_REASON))
        place = self._place_of(target)
        if action == "add":
            return self._add(number, decision, reason, question)
        if action == "update":
            if target is None:
                return self.skip(number, "The model named no memory to update.")
            if place is None:
                return self._add(number, decision, reason, question, name=target)
            return self._update(number, decision, reason, question, place)
        name = self.memories[place].name if place is not None else None
        if action == "stale":
            if name is None:
                return self.skip(number, "The model named no memory that is there.")
            if place in self._touched:
                return self.skip(number, f"`{name}` was changed just now.", name)
            self._operations[number] = Operation(number, Action.STALE, name, None, reason)
            if place is not None:
                self._touched[place] = _Touched(number, question)
            return True
        if action == "skip":
            return self.skip(number, reason or "The model gave no reason.", name)
        return self.leave(number, "The model's decision could not be read.")

    def _add(
        self, number: int, decision: Mapping[str, Any], reason: str, question: _Question, name: str | None = None
    ) -> bool:
        candidate = self.candidate(number)
        entry = _entry(decision, candidate, candidate.type, candidate.description, candidate.content)
        if entry is None:
            return self.skip(number, "The model gave no text for it.")
        entry = replace(entry, name=name or entry.name)
        place = self._place_of(entry.name)
        if place is not None:  # it would take the place of that one
            return self._update(number, decision, reason, question, place)
        wrong = objection(entry)
        if wrong is not None:
            return self.skip(number, f"The model's text was not taken. {wrong}")
        self._operations[number] = Operation(number, Action.ADD, None, entry, reason)
        self._touched[len(self.memories)] = _Touched(number, question)
        self._places.setdefault(fold(entry.name), len(self.memories))
        self._exact[entry.name] = len(self.memories)
        self.memories.append(Memory(entry.name, entry.description, entry.type, entry.content))
        return True

    def _update(self, number: int, decision: Mapping[str, Any], reason: str, question: _Question, place: int) -> bool:
        memory = self.memories[place]
        kind = memory.type if memory.type in MEMORY_TYPES else self.candidate(number).type
        entry = _entry(decision, self.candidate(number), kind or "", memory.description, "")
        if entry is None:
            return self.skip(number, "The model gave no text for it.", memory.name)
        touched = self._touched.get(place)
        if touched is not None and touched.question is question:
            return False  # another candidate of this prompt has changed it: once more, with what it says now
        if place not in question.in_full:
            if place in self.wanted.get(number, ()):
                return self.skip(number, f"`{memory.name}` is too long to be written anew.", memory.name)
            self.wanted.setdefault(number, set()).add(place)
            return False
        entry = replace(entry, name=memory.name)
        wrong = objection(replace(entry, name="x"))  # the name is there already
        if wrong is not None:
            return self.skip(number, f"The model's text was not taken. {wrong}", memory.name)
        if loses_lines(memory.content, entry.content):
            self.warnings.append(f"The update of {tellable(memory.name)} leaves out more than half of its lines.")
        if touched is not None and self._operations[touched.number].action is Action.STALE:
            self.skip(touched.number, f"`{memory.name}` is updated instead.", memory.name)
            touched = None
        if touched is None:
            self._operations[number] = Operation(number, Action.UPDATE, memory.name, entry, reason)
            self._touched[place] = _Touched(number, question)
        else:  # one memory is written once: by the first that changed it
            first = self._operations[touched.number]
            self._operations[touched.number] = replace(first, entry=replace(entry, evidence=_both(first, entry)))
            self.skip(
                number,
                f"It went into `{memory.name}`.",
                memory.name,
            )
        self.memories[place] = replace(memory, description=entry.description, type=entry.type, content=entry.content)
        return True

    def _place_of(self, name: str | None) -> int | None:
        if name is None:
            return None
        return self._exact.get(name, self._places.get(fold(name)))


def _both(operation: Operation, entry: Candidate) -> tuple[Any, ...]:
    first = operation.entry.evidence if operation.entry is not None else ()
    return tuple(dict.fromkeys([*first, *entry.evidence]))


def _entry(
    decision: Mapping[str, Any], candidate: Candidate, kind: str, description: str, content: str
) -> Candidate | None:
    """The entry that a model has written; what it has left out is as given here. ``None`` without any content."""
    given = decision.get("entry")
    if not isinstance(given, dict):
        return None
    content = _text(given, "content") or content
    if not content:
        return None
    written = _text(given, "type").lower()
    return replace(
        candidate,
        type=written if written in MEMORY_TYPES else kind,
        name=_text(given, "name") or candidate.name,
        description=one_line(_text(given, "description")) or description,
        content=content,
    )


def loses_lines(old: str, new: str) -> bool:
    """Whether more than half of the lines of ``old`` are not in ``new``, not even changed or on one line with others."""
    from rapidfuzz import fuzz, process

    lines = [line for line in map(folded_text, old.splitlines()) if line]
    left = [line for line in map(folded_text, new.splitlines()) if line]
    whole = folded_text(new)
    gone = []
    for line in lines:
        if line in left:
            left.remove(line)
        elif line not in whole:
            gone.append(line)
    lost = 0
    for line in gone:
        match = process.extractOne(line, left, scorer=fuzz.ratio, score_cutoff=_CHANGED)
        if match is None:
            lost += 1
        else:
            left.remove(match[0])
    return lost * 2 > len(lines)


def _letters(text: str) -> str:
    """The letters and digits of a text, in one form for those that are equal when they are folded."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFC", text).casefold())


def _size(candidate: Candidate) -> int:
    return len(candidate.name) + len(candidate.description) + len(candidate.content) + _FRAME


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    return text.strip() if isinstance(text, str) else ""
