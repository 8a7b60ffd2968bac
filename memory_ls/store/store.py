"""Applies plans to a memory directory, and takes them back: under a lock, by way of the journal, and never by halves."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_ls.changes.plan import ChangeKind, FileChange, Plan
from memory_ls.changes.reporting import title_of
from memory_ls.directory.listing import one_line
from memory_ls.documents.index import INDEX_NAME
from memory_ls.store import files
from memory_ls.store.checking import Checked, linked
from memory_ls.store.evidence import EvidenceFiles, Grounds
from memory_ls.store.files import OvertakenError
from memory_ls.store.journal import (
    Entry,
    FileEffect,
    Journal,
    Progress,
    Source,
    Step,
    StepHead,
    as_file_changes,
    digest_of,
)
from memory_ls.store.plans import PendingPlan, PendingPlans
from memory_ls.store.refusals import Refusal, reason_of, refusal
from memory_ls.store.state import DamagedError, LockedError, StateDirectory
from memory_ls.store.transaction import carry_out, remove_directories, roll_back
from memory_ls.store.watermarks import Watermark, Watermarks

_LOCK_SECONDS = 5.0
_MOST_OF_A_TITLE = 80
_MOST_NAMED = 50  # files of one change


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attempt to change files. ``journal_id`` is ``None`` when nothing changed.

    ``applied`` are the numbers of the operations that went through, ``files`` what happened to each file.
    """

    journal_id: str | None = None
    applied: tuple[int, ...] = ()
    refused: tuple[Refusal, ...] = ()
    warnings: tuple[str, ...] = ()
    files: tuple[FileEffect, ...] = ()


@dataclass(slots=True)
class _Attempt:
    """Changes that are ready to be made, and what the journal is to say of them."""

    title: str
    source: Source
    steps: list[Step]
    effects: list[FileEffect]
    time: datetime
    undoes: str | None = None
    unmade: tuple[str, ...] = ()  # directories to be removed afterwards, where they are empty


class _FailedError(Exception):
    """An attempt failed and was taken back; nothing has changed."""

    def __init__(self, path: str, reason: str, detail: str = "", *, is_overtaken: bool = False) -> None:
        super().__init__(reason)
        self.path, self.reason, self.detail, self.is_overtaken = path, reason, detail, is_overtaken


class Store:
    """Writes the files of one memory directory. Nothing is made on the disk before something is written."""

    def __init__(self, directory: Path, state_home: Path | None = None, *, lock_seconds: float = _LOCK_SECONDS) -> None:
        """The directory need not be there yet. ``state_home`` is the user's state directory by default."""
        self._state = StateDirectory(directory, state_home)
        self._root = self._state.root
        self._journal = Journal(self._state)
        self._plans = PendingPlans(self._state)
        self._evidence = EvidenceFiles(self._state)
        self.watermarks = Watermarks(self._state)
        self._lock_seconds = lock_seconds

    @property
    def state_path(self) -> Path:
        """Where what is remembered of the directory lies; it need not be there."""
        return self._state.path

    @property
    def plans_path(self) -> Path:
        """Where its pending plans lie; it need not be there."""
        return self._plans.path

    def recover(self) -> list[str]:
        """Takes back what a process left unfinished that died while changing files; sentences for people.

        Another process that holds the lock does this by itself, and so does the next one to apply something.
        """
        if not self._journal.unfinished():
            return self._state.take_messages()
        messages: list[str] = []
        try:
            with self._state.locked(self._lock_seconds):
                self._recover(messages)
        except LockedError:
            pass
        except (OSError, _FailedError) as error:
            messages.append(f"An unfinished change can't be taken back yet: {_told(error)}.")
        return [*messages, *self._state.take_messages()]

    def apply(
        self,
        plan: Plan,
        *,
        only: Collection[int | str] | None = None,
        unsaved: Collection[str] = (),
        now: datetime | None = None,
    ) -> Outcome:
        """Does the operations of a plan, or those ``only`` that have these numbers or a part in these files.

        ``unsaved`` are the files, relative to the directory, whose text in an editor is not on the disk.
        """
        if os.path.realpath(plan.directory) != self._root:
            return Outcome(refused=(refusal(None, plan.directory, "outside"),))
        unknown = tuple(refusal(None, str(each), "unknown") for each in only or () if not _numbers(plan, [each]))
        if unknown:
            return Outcome(refused=unknown)
        return self._locked(lambda messages: self._apply(plan, _numbers(plan, only), unsaved, _time(now), messages))

    def undo(
        self, journal_id: str | None = None, *, unsaved: Collection[str] = (), now: datetime | None = None
    ) -> Outcome:
        """Gives files the bytes that they had before an entry; by default before the last plan that still stands.

        When one of them has changed since, nothing is done.
        """
        return self._locked(lambda messages: self._undo(journal_id, unsaved, _time(now), messages))

    def history(self) -> list[Entry]:
        """What was changed, the newest first."""
        return self._journal.entries()

    def to_undo(self, journal_id: str | None = None) -> Entry | Refusal:
        """The entry that :meth:`undo` would take back, or why there is none."""
        entries = [entry for entry in self._journal.entries() if entry.progress is Progress.DONE]
        if journal_id is None:
            standing = (entry for entry in entries if entry.source is Source.PLAN and not entry.undone)
            return next(standing, _refused_undo("There is nothing to undo."))
        entry = next((entry for entry in entries if entry.id == journal_id), None)
        if entry is None:
            return _refused_undo(f"The history has no entry {journal_id}.")
        return _refused_undo(f"“{entry.title}” was undone already.") if entry.undone else entry

    def changes_of(self, entry: Entry, *, backwards: bool = False) -> list[FileChange]:
        """What the entry, or else undoing it, makes of each file.

        Raises:
            DamagedError: the texts are lost.
            OSError: they can't be read.
        """
        steps = self._journal.steps(entry)
        if not backwards:
            return as_file_changes(entry.files, steps)
        effects = [effect.reversed for effect in reversed(entry.files)]
        return as_file_changes(effects, [replace(step, old=step.new, new=step.old) for step in steps])

    def purge(self, older_than_days: int, *, now: datetime | None = None) -> int:
        """Forgets the entries that are as old or older, and says how many they were; they can't be undone any more.

        How far chat logs were read that long ago is forgotten too.

        Raises:
            LockedError: another process is changing the directory.
            OSError: the journal can't be written.
        """
        if not self._state.path.is_dir():
            return 0
        with self._state.locked(self._lock_seconds):
            before = _time(now) - timedelta(days=older_than_days)
            count = self._journal.purge(before)
            self.watermarks.purge(before)
            if self._evidence.ids():
                self._evidence.keep_only({entry.id for entry in self._journal.entries()})
            return count

    def note_external(
        self,
        changed: Mapping[str, tuple[bytes | None, bytes | None]],
        *,
        now: datetime | None = None,
    ) -> str | None:
        """Remembers what other programs made of files (bytes before and after), and returns the id of the entry.

        What we wrote ourselves is no such thing. ``None`` when there is nothing to remember, or it can't be.
        """
        changed = {path: texts for path, texts in changed.items() if texts[0] != texts[1]}
        if not changed:
            return None
        try:
            with self._state.locked(self._lock_seconds):
                steps = self._external_steps(changed)
                if not steps:
                    return None
                effects = [FileEffect(step.path, _kind(step)) for step in steps]
                entry = self._journal.add(
                    _external_title(effects, steps),
                    Source.EXTERNAL,
                    effects,
                    steps,
                    time=_time(now),
                    progress=Progress.DONE,
                )
        except (LockedError, OSError):
            return None
        return entry.id

    def save_plan(
        self,
        plan: Plan,
        report: Mapping[str, Any],
        *,
        mark: Watermark | None = None,
        log: str = "",
        quotes: Mapping[int, tuple[str, ...]] | None = None,
        now: datetime | None = None,
    ) -> None:
        """Keeps a plan until it is applied or discarded, with the report on it.

        One from a chat log has a ``mark``, to which the log counts as read then, and takes the place of an earlier one
        from the same log. ``quotes`` are words of that log, by operation, and ``log`` tells which it was.

        Raises:
            OSError: it can't be written.
        """
        self._plans.save(PendingPlan(_time(now), plan, report, mark, log, quotes or {}))

    def plans(self) -> list[PendingPlan]:
        """The plans that wait to be applied or discarded, the newest first."""
        return self._plans.all()

    def load_plan(self, plan_id: str) -> PendingPlan | None:
        """A pending plan; ``None`` when there is none of that id."""
        return self._plans.load(plan_id)

    def replace_plan(self, plan_id: str, left: PendingPlan) -> None:
        """What is ``left`` to do of a plan waits in its place; the chat log that it comes from does not count as read.

        Raises:
            OSError: it can't be written.
        """
        self._plans.save(left)
        if left.id != plan_id:
            self._plans.discard(plan_id)

    def discard_plan(self, plan_id: str) -> bool:
        """Forgets a pending plan, and says whether there was one. The chat log that it comes from counts as read.

        Raises:
            OSError: that can't be written.
        """
        pending = self._plans.load(plan_id)
        if pending is not None and pending.mark is not None:
            self.watermarks.save(pending.mark)
        return self._plans.discard(plan_id)

    def mark_read(self, mark: Watermark, *, replaces_plans: bool) -> None:
        """A log counts as read so far. Plans from it that still wait go, where what they propose ``replaces_plans``.

        Raises:
            OSError: it can't be written.
        """
        self.watermarks.save(mark)
        if replaces_plans:
            self._plans.discard_from(mark.key)

    def keep_evidence(self, plan: Plan, outcome: Outcome, quotes: Mapping[int, tuple[str, ...]], log: str = "") -> None:
        """Remembers what the operations of a plan rest on that were applied: words of a chat log.

        Raises:
            OSError: it can't be written.
        """
        by_path: dict[str, list[str]] = {}
        for change in plan.changes:
            if change.operation in outcome.applied and change.path != INDEX_NAME:
                by_path.setdefault(change.path, []).extend(quotes.get(change.operation, ()))
        kept = {path: tuple(dict.fromkeys(each)) for path, each in by_path.items() if each}
        if outcome.journal_id is not None and kept:
            self._evidence.save(outcome.journal_id, Grounds(log, kept))

    def evidence(self) -> dict[str, list[str]]:
        """What memories rest on as they stand, by path: quotes, the newest first."""
        known = self._evidence.ids()
        if not known:
            return {}
        found: dict[str, list[str]] = {}
        for entry in self._journal.entries():
            grounds = self._evidence.load(entry.id) if entry.id in known and not entry.undone else None
            for path, quotes in grounds.quotes.items() if grounds else ():
                found.setdefault(path, []).extend(quote for quote in quotes if quote not in found.get(path, ()))
        return found

    def move_evidence(self, moves: Mapping[str, str]) -> None:
        """What memories rest on goes with their files, which lie elsewhere now: their old and new paths.

        Raises:
            LockedError: another process is changing the directory.
            OSError: it can't be written.
        """
        if self._evidence.ids():
            with self._state.locked(self._lock_seconds):
                self._evidence.move(moves)

    def take_messages(self) -> list[str]:
        """What was found wrong with the state since this was last asked, as sentences."""
        return self._state.take_messages()

    def _locked(self, work: Callable[[list[str]], Outcome]) -> Outcome:
        messages: list[str] = []
        try:
            with self._state.locked(self._lock_seconds):
                self._recover(messages)
                outcome = work(messages)
        except LockedError:
            outcome = Outcome(refused=(refusal(None, self._root, "locked"),))
        except (_FailedError, OSError) as error:
            failed = error if isinstance(error, _FailedError) else self._state_failed(error)
            outcome = Outcome(refused=(refusal(None, failed.path, failed.reason, failed.detail),))
        return replace(outcome, warnings=(*outcome.warnings, *messages, *self._state.take_messages()))

    def _state_failed(self, error: OSError) -> _FailedError:
        reason = reason_of(error)
        reason = "stateReadOnly" if reason == "readOnly" else reason
        return _FailedError(str(self._state.path), reason, error.strerror or "")

    def _recover(self, messages: list[str]) -> None:
        for entry in self._journal.unfinished():
            try:
                steps = self._journal.steps(entry)
            except DamagedError:
                continue  # set aside, with a message
            left = self._take_back(entry, steps)
            messages.append(f"{_cut_off(entry)} was cut off, and was taken back.")
            messages += [f"{path} has changed since then, and was left as it is." for path in left]
        self._journal.remove_unfinished()

    def _take_back(self, entry: Entry, steps: list[Step]) -> list[str]:
        try:
            left = roll_back(self._root, entry.id, steps, entry.made)
            self._journal.mark(entry, Progress.FAILED)
        except OSError as error:
            path = str(error.filename or self._root)
            raise _FailedError(path, "unfinished", error.strerror or "") from error
        return left

    def _apply(
        self,
        plan: Plan,
        chosen: Collection[int] | None,
        unsaved: Collection[str],
        time: datetime,
        messages: list[str],
    ) -> Outcome:
        checked = Checked(self._root, plan, chosen, unsaved)
        entry_id = None
        while checked.steps:
            # The history tells what was done, which may be less than what was planned.
            is_whole = set(checked.applied) == set(plan.operations)
            title = plan.title if is_whole else title_of(checked.changes) or plan.title
            attempt = _Attempt(title, Source.PLAN, checked.steps, checked.effects, time)
            try:
                entry_id = self._carry_out(attempt, messages).id
                break
            except _FailedError as error:
                known = len(checked.refused)
                if not error.is_overtaken:
                    checked.refuse_all(error.path, error.reason, error.detail)
                # What others have changed meanwhile concerns its operations alone; the rest is tried again.
                checked.check()
                if len(checked.refused) == known:
                    checked.refuse(error.path, "changed")
                    checked.check()
        refused = tuple(checked.refused[number] for number in sorted(checked.refused))
        return Outcome(entry_id, checked.applied, refused, files=tuple(checked.effects if entry_id else ()))

    def _carry_out(self, attempt: _Attempt, messages: list[str]) -> Entry:
        """Writes the journal, then the files.

        Raises:
            _FailedError: something went wrong; what was done was taken back.
        """
        made = sorted({each for step in attempt.steps if step.new is not None for each in self._missing(step)}, key=len)
        try:
            entry = self._journal.add(
                attempt.title,
                attempt.source,
                attempt.effects,
                attempt.steps,
                time=attempt.time,
                made=made,
                undoes=attempt.undoes,
            )
        except OSError as error:
            raise self._state_failed(error) from error
        try:
            carry_out(self._root, entry.id, attempt.steps)
            remove_directories(attempt.unmade)
            self._journal.mark(entry, Progress.DONE)
        except OvertakenError as error:
            self._note_left(self._take_back(entry, attempt.steps), messages)
            raise _FailedError(self._key(error.path), "changed", is_overtaken=True) from error
        except BaseException as error:
            self._note_left(self._take_back(entry, attempt.steps), messages)
            if not isinstance(error, OSError):
                raise
            path = self._key(str(error.filename or self._root))
            raise _FailedError(path, reason_of(error), error.strerror or "") from error
        return entry

    def _note_left(self, left: list[str], messages: list[str]) -> None:
        messages += [f"{path} was changed by another program meanwhile, and was left as it is." for path in left]

    def _missing(self, step: Step) -> list[str]:
        return files.missing_directories(os.path.dirname(os.path.join(self._root, *step.path.split("/"))))

    def _key(self, path: str) -> str:
        inside = os.path.join(self._root, "")
        return path.removeprefix(inside).replace(os.sep, "/")

    def _undo(self, journal_id: str | None, unsaved: Collection[str], time: datetime, messages: list[str]) -> Outcome:
        entry = self.to_undo(journal_id)
        if isinstance(entry, Refusal):
            return Outcome(refused=(entry,))
        try:
            steps = self._backwards(self._journal.steps(entry))
        except DamagedError:
            return Outcome(refused=(_refused_undo("The bytes of this entry are lost, so it can't be undone."),))
        if all(step.source is None for step in steps):  # what is moved depends on where it came from
            steps = [step for step in map(self._from_now, steps) if step is not None]
        if not steps:
            return Outcome(refused=(_refused_undo(f"The files are as they were before “{entry.title}” already."),))
        refused = tuple(self._later_edits(entry, steps, unsaved))
        if refused:
            return Outcome(refused=refused)
        effects = [effect.reversed for effect in reversed(entry.files)]
        attempt = _Attempt(_undo_title(entry), Source.UNDO, steps, effects, time, entry.id, entry.made)
        try:
            done = self._carry_out(attempt, messages)
        except _FailedError as error:
            reason = "changedSince" if error.is_overtaken else error.reason
            return Outcome(refused=(refusal(None, error.path, reason, error.detail),))
        return Outcome(done.id, files=tuple(effects))

    def _from_now(self, step: Step) -> Step | None:
        """A step of undoing; where its file is taken back already, as in an editor, it does nothing, or is none."""
        try:
            current = files.read(os.path.join(self._root, *step.path.split("/")))
        except OSError:
            return step
        if current != step.new:
            return step
        return replace(step, old=step.new) if step.new is not None else None

    def _backwards(self, steps: list[Step]) -> list[Step]:
        sources = {step.source: step.path for step in steps if step.source is not None}
        back = []
        for step in reversed(steps):
            owner = files.owner_of(os.path.join(self._root, *step.path.split("/")))
            mode = owner.mode if owner is not None else step.mode
            back.append(Step(step.path, step.new, step.old, mode, sources.get(step.path)))
        return linked(back)

    def _later_edits(self, entry: Entry, steps: list[Step], unsaved: Collection[str]) -> list[Refusal]:
        found: dict[tuple[str, str], list[str]] = {}
        for step in steps:
            reason = self._later_edit(entry, step, unsaved)
            if reason is not None:
                found.setdefault(reason, []).append(step.path)
        return [
            refusal(None, path, reason, detail, alike=paths)
            for (reason, detail), paths in found.items()
            for path in paths
        ]

    def _later_edit(self, entry: Entry, step: Step, unsaved: Collection[str]) -> tuple[str, str] | None:
        """Why a step of undoing an entry can't be done: the reason and a detail; ``None`` when it can."""
        path = os.path.join(self._root, *step.path.split("/"))
        try:
            current = files.read(path)
        except OSError as error:
            return reason_of(error), error.strerror or ""
        if step.path in unsaved:
            return "unsaved", ""
        if current == step.old and os.path.realpath(path) == path:
            return None
        later = self._later_entry(entry, step.path, current)
        return ("changedBy", one_line(later.title, _MOST_OF_A_TITLE)) if later is not None else ("changedSince", "")

    def _later_entry(self, entry: Entry, path: str, current: bytes | None) -> Entry | None:
        """The entry after ``entry`` that made a file what it is now and still stands; ``None`` when there is none."""
        newer = [each for each in self._journal.entries() if each.number > entry.number]
        ids = {each.id for each in newer}
        # What was undone is as if it had never been, and so is the undoing of it.
        standing = (each for each in newer if not each.undone and each.undoes not in ids)
        changes = ((each, step) for each in standing for step in each.steps if step.path == path)
        last = next(((each, step) for each, step in changes if each.progress is Progress.DONE), None)
        return last[0] if last is not None and last[1].new_digest == digest_of(current) else None

    def _external_steps(self, changed: Mapping[str, tuple[bytes | None, bytes | None]]) -> list[Step]:
        """What of the changes came from others; what they changed after one of ours begins with what ours left."""
        last = self._last_changes(set(changed))
        overlaid = {
            path: entry
            for path, (entry, step) in last.items()
            if entry.progress is Progress.DONE and digest_of(changed[path][0]) == step.old_digest
        }
        left = self._left_by(overlaid)
        steps = []
        for path, (before, after) in sorted(changed.items()):
            is_ours = path in last and digest_of(after) == _digest_left(*last[path])
            began_with = left.get(path, before)
            if not is_ours and began_with != after:
                steps.append(Step(path, began_with, after))
        return steps

    def _last_changes(self, paths: set[str]) -> dict[str, tuple[Entry, StepHead]]:
        """The last entry that changed each of the files, and how, where there is one."""
        last: dict[str, tuple[Entry, StepHead]] = {}
        for entry in self._journal.entries():
            for step in entry.steps:
                if step.path in paths:
                    last.setdefault(step.path, (entry, step))
            if len(last) == len(paths):
                break
        return last

    def _left_by(self, entries: Mapping[str, Entry]) -> dict[str, bytes | None]:
        """What the entries left in the files that they are told for, as far as that can be read."""
        left: dict[str, bytes | None] = {}
        for entry in {entry.id: entry for entry in entries.values()}.values():
            with suppress(DamagedError, OSError):
                steps = self._journal.steps(entry)
                left |= {step.path: step.new for step in steps if entries.get(step.path) is entry}
        return left


def _numbers(plan: Plan, only: Collection[int | str] | None) -> set[int] | None:
    """The operations that have these numbers or a part in these files."""
    if only is None:
        return None
    return {
        change.operation
        for change in plan.changes
        if change.operation in only or change.path in only or change.new_path in only
    } & set(plan.operations)


def _time(now: datetime | None) -> datetime:
    return now or datetime.now(UTC)


def _digest_left(entry: Entry, step: StepHead) -> str | None:
    """The digest of what an entry left in a file; one that was taken back left what was there before."""
    return step.old_digest if entry.progress is Progress.FAILED else step.new_digest


def _kind(step: Step) -> ChangeKind:
    if step.old is None:
        return ChangeKind.CREATE
    return ChangeKind.DELETE if step.new is None else ChangeKind.EDIT


def _external_title(effects: list[FileEffect], steps: list[Step]) -> str:
    # Names are read from the texts, which takes its time where a whole directory was changed.
    if len(effects) > _MOST_NAMED:
        return f"Change {len(effects):,} files"
    return title_of(as_file_changes(effects, steps)) or f"Update {INDEX_NAME}"


def _undo_title(entry: Entry) -> str:
    title = entry.title.removeprefix("Undo: ").removeprefix("Redo: ")
    return f"Redo: {title}" if entry.source is Source.UNDO and entry.title.startswith("Undo: ") else f"Undo: {title}"


def _refused_undo(message: str) -> Refusal:
    return Refusal(None, "", "notFound", message)


def _cut_off(entry: Entry) -> str:
    return f"“{entry.title}” ({entry.time:%Y-%m-%d %H:%M})"


def _told(error: OSError | _FailedError) -> str:
    if isinstance(error, _FailedError):
        return f"{error.path}: {error.detail or error.reason}"
    return error.strerror or "the journal can't be written"
