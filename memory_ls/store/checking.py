"""Compares a plan with what is on the disk: which operations can be done, and what they make of which file."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from memory_ls.changes.plan import (
    GROUND,
    CannotChangeError,
    Change,
    FileChange,
    Plan,
    combined,
)
from memory_ls.directory.loader import BOM, decode
from memory_ls.directory.snapshot import FileFacts
from memory_ls.documents.edits import CannotEditError
from memory_ls.documents.names import fold_path
from memory_ls.store import files
from memory_ls.store.journal import FileEffect, Step
from memory_ls.store.refusals import Refusal, reason_of, refusal


class OutsideError(Exception):
    """A path leads out of the memory directory."""


def key_in(root: str, path: str) -> str:
    """The path, relative to the real path ``root``, of the file that ``path`` means, through links.

    Raises:
        OutsideError: it lies elsewhere, or is no path of a file.
    """
    parts = path.split("/")
    is_drive = os.name == "nt" and ("\\" in path or ":" in path)
    if "\0" in path or is_drive or any(part in ("", ".", "..") for part in parts):
        raise OutsideError(path)
    try:
        real = os.path.realpath(os.path.join(root, *parts))
    except (OSError, ValueError):
        raise OutsideError(path) from None
    inside = os.path.join(root, "")
    if not real.startswith(inside):
        raise OutsideError(path)
    return real[len(inside) :].replace(os.sep, "/")


class Checked:
    """What can be done of a plan now. ``operations`` is ``None`` where that is all of it."""

    def __init__(self, root: str, plan: Plan, chosen: Collection[int] | None, unsaved: Collection[str]) -> None:
        self._root = root
        self._unsaved = unsaved
        self._names: dict[str, dict[str, list[str]]] = {}
        self.refused: dict[int, Refusal] = {}
        self._changes = self._inside(plan.changes, chosen)
        self._all = set(plan.operations) | {change.operation for change in plan.changes}
        self._chosen = set(self._all if chosen is None else chosen)
        self._is_whole = chosen is None
        self.changes: list[FileChange] = []
        self.steps: list[Step] = []
        self.effects: list[FileEffect] = []
        self.check()

    @property
    def applied(self) -> tuple[int, ...]:
        """The operations that can be done, in order."""
        return tuple(sorted(self._chosen - self.refused.keys() - {GROUND}))

    def refuse(self, path: str, reason: str) -> None:
        """Refuses the operations that have a part in a file; all of them when none has."""
        left = self._chosen - self.refused.keys()
        touching = {change.operation for change in self._changes if path in (change.path, change.new_path)}
        for number in touching & left or left:
            self.refused[number] = refusal(number, path, reason)

    def refuse_all(self, path: str, reason: str, detail: str = "") -> None:
        """Refuses what could be done so far."""
        for number in self._chosen - self.refused.keys():
            self.refused[number] = refusal(number, path, reason, detail)

    def check(self) -> None:
        """Looks until what is left can be done together: one operation may need what another one does."""
        while True:
            changes = self._combined()
            known = len(self.refused)
            moved = {change.path for change in changes if change.after is None or change.new_path is not None}
            befores: dict[str, bytes | None] = {}
            targets: set[str] = set()
            for change in changes:
                found = self._problem(change, moved, befores) or _collision(change, targets)
                if found is not None:
                    self._refuse_change(change, *found)
            if len(self.refused) == known:
                self.changes = changes
                self.steps, self.effects = _steps(self._root, changes, befores)
                return

    def _inside(self, changes: Iterable[Change], chosen: Collection[int] | None) -> list[Change]:
        """The changes with the paths of the files that they mean; those outside are refused."""
        inside = []
        for change in changes:
            try:
                new_path = None if change.new_path is None else key_in(self._root, change.new_path)
                inside.append(replace(change, path=key_in(self._root, change.path), new_path=new_path))
            except OutsideError as error:
                if chosen is None or change.operation in chosen or change.operation == GROUND:
                    path = str(error)
                    self.refused.setdefault(change.operation, refusal(change.operation, path, "outside"))
        return inside

    def _combined(self) -> list[FileChange]:
        """What the operations left make of each file. Those that exclude an earlier one are refused."""
        left = self._chosen - self.refused.keys()
        if not left:
            return []
        operations = None if self._is_whole and not self.refused else left
        try:
            return combined(self._changes, operations)
        except (CannotEditError, CannotChangeError):
            return combined(self._changes, self._compatible(left))

    def _compatible(self, operations: Collection[int]) -> set[int]:
        """Those that can be done together. What was made from texts that are no more comes last."""
        kept: set[int] = set()
        old = {change.operation: change.path for change in self._changes if self._is_outdated(change)}
        for number in sorted(operations, key=lambda number: (number in old, number)):
            try:
                combined(self._changes, kept | {number})
                kept.add(number)
            except (CannotEditError, CannotChangeError):
                path = next(change.path for change in self._changes if change.operation == number)
                reason = "changed" if number in old else "conflict"
                self.refused[number] = refusal(number, old.get(number, path), reason)
        return kept

    def _is_outdated(self, change: Change) -> bool:
        try:
            data = files.read(self._path(change.path))
        except OSError:
            return False
        return data is not None and change.before is not None and decode(data, FileFacts())[0] != change.before

    def _refuse_change(self, change: FileChange, path: str, reason: str, detail: str) -> None:
        numbers = change.operations - {GROUND} or change.operations
        for number in numbers:
            if number in self._chosen or number == GROUND:
                self.refused.setdefault(number, refusal(number, path, reason, detail))

    def _problem(
        self, change: FileChange, moved: Collection[str], befores: dict[str, bytes | None]
    ) -> tuple[str, str, str] | None:
        """Why a file can't be changed: the path, the reason and a detail; ``None`` when it can."""
        for path in filter(None, (change.path, change.new_path)):
            if path in self._unsaved:
                return path, "unsaved", ""
        try:
            befores[change.path] = data = files.read(self._path(change.path))
            reason = _difference(change, data) or self._obstacle(change, moved)
        except OSError as error:
            return change.path, reason_of(error), error.strerror or ""
        path = change.new_path if reason == "exists" and change.new_path is not None else change.path
        return None if reason is None else (path, reason, "")

    def _obstacle(self, change: FileChange, moved: Collection[str]) -> str | None:
        target = change.path if change.before is None else change.new_path
        if target is not None and self._is_taken(target, moved):
            return "exists"
        for path in filter(None, (change.path, change.new_path)):
            if not self._may_write(path):
                return "readOnly"
        return None

    def _is_taken(self, target: str, moved: Collection[str]) -> bool:
        """Whether a name is that of another file, on any system: there are those that don't tell cases apart."""
        *folders, name = target.split("/")
        folder = ""
        for part in folders:
            alike = self._names_in(folder).get(fold_path(part), [part])
            if part not in alike:
                return True
            folder = f"{folder}/{part}" if folder else part
        taken = self._names_in(folder).get(fold_path(name), [])
        keys = [f"{folder}/{each}" if folder else each for each in taken]
        if any(key not in moved for key in keys):
            return True
        # A disk that takes both names for one can't be told to change the case alone in one safe step.
        return target not in moved and os.path.lexists(self._path(target))

    def _names_in(self, folder: str) -> dict[str, list[str]]:
        if folder not in self._names:
            names: dict[str, list[str]] = {}
            try:
                for name in os.listdir(self._path(folder) if folder else self._root):
                    names.setdefault(fold_path(name), []).append(name)
            except (FileNotFoundError, NotADirectoryError):
                pass
            self._names[folder] = names
        return self._names[folder]

    def _may_write(self, key: str) -> bool:
        path = self._path(key)
        if os.path.exists(path) and not os.access(path, os.W_OK):
            return False
        folder = os.path.dirname(path)
        missing = files.missing_directories(folder)
        return os.access(os.path.dirname(missing[0]) if missing else folder, os.W_OK | os.X_OK)

    def _path(self, key: str) -> str:
        return os.path.join(self._root, *key.split("/"))


def _collision(change: FileChange, targets: set[str]) -> tuple[str, str, str] | None:
    """Why a file can't be made beside others of the same plan; ``targets`` are the folded paths of those so far."""
    target = change.path if change.before is None else change.new_path
    if target is None:
        return None
    if fold_path(target) in targets:
        return target, "exists", ""
    targets.add(fold_path(target))
    return None


def _difference(change: FileChange, data: bytes | None) -> str | None:
    """Why a file is not the one that the change was made from, or can't become what it says."""
    if data is None or change.before is None:
        if data is None and change.before is None:
            return None if _is_text(change.after) else "text"
        return "notFound" if data is None else "exists"
    text, facts = decode(data, FileFacts())
    if text != change.before:
        return "changed"
    if change.after is None or change.after == change.before:
        return None
    if facts.bad_byte is not None:
        return "encoding"
    return None if _is_text(change.after) else "text"


def _is_text(text: str | None) -> bool:
    try:
        (text or "").encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _steps(
    root: str, changes: Sequence[FileChange], befores: dict[str, bytes | None]
) -> tuple[list[Step], list[FileEffect]]:
    """What the changes make of the bytes of each file, and how that is told to people."""
    after: dict[str, bytes | None] = {}
    sources: dict[str, str] = {}
    effects = []
    for change in changes:
        data = befores[change.path]
        new = _encoded(change, data)
        if change.new_path is not None and change.new_path != change.path:
            after.setdefault(change.path, None)
            after[change.new_path] = new
            sources[change.new_path] = change.path
        else:
            after[change.path] = new
        if new != data or change.new_path is not None:
            effects.append(FileEffect(change.path, change.kind, change.new_path, tuple(sorted(change.operations))))
    steps = [_step(root, path, befores.get(path), new, sources.get(path)) for path, new in after.items()]
    steps = [step for step in steps if step.old != step.new]
    return linked(steps), effects


def _step(root: str, path: str, old: bytes | None, new: bytes | None, source: str | None) -> Step:
    owner = files.owner_of(os.path.join(root, *(source or path).split("/")))
    return Step(path, old, new, owner.mode if owner else None, source)


def linked(steps: Sequence[Step]) -> list[Step]:
    """The steps, those alone with a source that can be moved as they are: what is there goes, and nothing was there."""
    going = {step.path: step.old for step in steps if step.new is None}
    return [
        step
        if step.source is None or (step.old is None and going.get(step.source) == step.new)
        else replace(step, source=None)
        for step in steps
    ]


def _encoded(change: FileChange, data: bytes | None) -> bytes | None:
    if change.after is None:
        return None
    if data is not None and change.after == change.before:
        return data
    bom = BOM if data is not None and data.startswith(BOM) else b""
    return bom + change.after.encode("utf-8")
