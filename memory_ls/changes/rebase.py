"""A plan that was made a while ago, made anew for the texts that the files have now.

Whatever others wrote meanwhile stays as it is. What can't be placed beyond doubt keeps the text that it was made from, so
that it is refused when it is applied.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from memory_ls.changes.entries import Draft
from memory_ls.changes.index_lines import LINE_END
from memory_ls.changes.plan import GROUND, CannotChangeError, Change, ChangeKind, Plan
from memory_ls.directory.listed import is_listed
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.edits import Edit, applied, edits_between
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.settings import Settings


def rebased(plan: Plan, directory: MemoryDirectory, settings: Settings) -> Plan:
    """The plan for what stands in the ``directory`` now; the operations keep their numbers.

    Entries of new memories are put where the index as it is now has its place for them, other edits where their old text
    still stands.
    """
    plan = replace(plan, changes=_grounded(plan.changes))
    texts = {change.path: text_of(directory, change.path) for change in plan.changes}
    if not outdated(plan, texts):
        return plan
    changes = [_moved(change, texts[change.path]) for change in plan.changes if change.path != INDEX_NAME]
    entries = [change for change in plan.changes if change.path == INDEX_NAME]
    if any(change.before != texts[INDEX_NAME] for change in entries):
        return _with_entries(plan, changes, entries, directory, settings)
    return replace(plan, changes=(*changes, *entries))


def outdated(plan: Plan, texts: dict[str, str | None]) -> tuple[int, ...]:
    """The operations that were made from other texts than these, by path; ``None`` where there is no such file."""
    old = [change for change in plan.changes if change.before != texts[change.path]]
    fallen = {change.path for change in old if change.operation == GROUND}
    standing = {change.operation for change in plan.changes if change.path in fallen}
    return tuple(sorted(({change.operation for change in old} | standing) - {GROUND}))


def text_of(directory: MemoryDirectory, key: str) -> str | None:
    """The text of a file of the directory; ``None`` where there is none, or it can't be read."""
    if key == INDEX_NAME:
        return directory.index.source.text if directory.index is not None else None
    document = directory.documents.get(key) or directory.others.get(key)
    return document.source.text if document is not None else None


# ---- the index


def _with_entries(
    plan: Plan, changes: list[Change], entries: list[Change], directory: MemoryDirectory, settings: Settings
) -> Plan:
    """The plan with those changes of memories, and the changes of the index, ``entries``, made anew."""
    draft = Draft(directory, settings, date.min)  # no day is written: the memories are there already
    made = {change.operation: change for change in changes if change.kind is ChangeKind.CREATE}
    placed: set[int] = set()
    for change in entries:
        memory = made.get(change.operation)
        if memory is not None and _is_entry(change):
            text = applied("", memory.edits)
            listed = is_listed(directory.with_document(memory.path, text), memory.path)  # by hand, meanwhile
            try:
                draft.put(change.operation, memory.path, text, is_listed=not listed)
                placed.add(change.operation)
            except CannotChangeError:
                continue
    try:
        anew = draft.plan("")
    except CannotChangeError:
        anew, placed = Plan(plan.directory, "", ()), set()
    now = text_of(directory, INDEX_NAME)
    left = [_moved(each, now) for each in entries if each.operation not in placed and (not placed or each.operation)]
    # What the index says of a memory that is updated may be somebody's own words by now, which stay.
    updated = {change.operation for change in changes if change.kind is ChangeKind.EDIT}
    left = [each for each in left if each.before == now or each.operation not in updated]
    index = [each for each in anew.changes if each.path == INDEX_NAME]
    warnings = tuple(dict.fromkeys((*plan.warnings, *anew.warnings)))
    return replace(plan, changes=_grounded((*changes, *index, *left)), warnings=warnings)


def _grounded(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """The changes without a ground that no entry stands on: what was done before need not be done again."""
    needed = {change.path for change in changes if _is_entry(change)}
    return tuple(change for change in changes if change.operation != GROUND or change.path in needed)


def _is_entry(change: Change) -> bool:
    """Whether a change of the index puts something in and changes nothing else."""
    return change.operation != GROUND and bool(change.edits) and all(edit.start == edit.end for edit in change.edits)


# ---- other edits


def _moved(change: Change, now: str | None) -> Change:
    """The change with its edits in the text that the file has now; as it is, where they have no sure place there."""
    if change.kind is not ChangeKind.EDIT or change.before is None or now is None or change.before == now:
        return change
    edits = _moved_edits(change.before, change.edits, now)
    if edits is None or (change.path != INDEX_NAME and not _says_the_same(change, now, edits)):
        return change
    return replace(change, before=now, edits=edits)


def _moved_edits(before: str, edits: tuple[Edit, ...], now: str) -> tuple[Edit, ...] | None:
    """The edits of ``before`` as edits of ``now``, line by line; ``None`` where one of them has no one place there."""
    found: list[Edit] = []
    for edit in edits_between(before, applied(before, edits)):
        place = _place_of(before, edit, now)
        if place is not None:
            found.append(edit.shifted(place - edit.start))
        elif not _is_done(before[edit.start : edit.end], edit.text, now):
            return None
    # What lies in another order now has been moved about, and may mean something else there.
    ends = [0, *(edit.end for edit in found)]
    return tuple(found) if all(end <= edit.start for end, edit in zip(ends, found, strict=False)) else None


def _place_of(before: str, edit: Edit, now: str) -> int | None:
    """Where the lines that an edit replaces stand in ``now``, if they stand once in both texts.

    What replaces no words goes between the two lines, or ends of the text, that it stood between.
    """
    start, end = edit.span
    is_open = False, False
    if not before[start:end].strip():
        is_open = start == 0, end == len(before)
        borders = [0, *(match.end() for match in LINE_END.finditer(before)), len(before)]
        start = borders[max(bisect_left(borders, start) - 1, 0)]
        end = borders[min(bisect_right(borders, end), len(borders) - 1)]
    block = before[start:end]
    places = list(_places(block, now, *is_open))
    if len(places) != 1 or len(list(_places(block, before, False, False))) != 1:
        return None
    return places[0] + edit.start - start


def _places(block: str, text: str, at_start: bool, at_end: bool) -> Iterator[int]:
    """Where whole lines stand in a text: at its start or its end, where that is asked."""
    at = text.find(block)
    while at >= 0:
        end = at + len(block)
        begins = at == 0 or (text[at - 1] in "\r\n" and text[at - 1 : at + 1] != "\r\n")
        ends = end == len(text) or (block.endswith(("\n", "\r")) and text[end - 1 : end + 1] != "\r\n")
        if begins and ends and (at == 0 or not at_start) and (end == len(text) or not at_end):
            yield at
        at = text.find(block, at + 1)


def _is_done(old: str, new: str, now: str) -> bool:
    """Whether somebody else has made the same of these lines."""
    words = [line for line in _lines(old) if line.strip()]
    is_gone = bool(words) and not set(words) & set(_lines(now))
    return is_gone and bool(new.strip()) and len(list(_places(new, now, False, False))) == 1


def _lines(text: str) -> list[str]:
    return LINE_END.split(text)


def _says_the_same(change: Change, now: str, edits: tuple[Edit, ...]) -> bool:
    """Whether the frontmatter means, after the edits of ``now``, what was planned and what was changed meanwhile."""
    assert change.before is not None
    old, planned = MemoryDocument.parse(change.before), MemoryDocument.parse(applied(change.before, change.edits))
    there, result = MemoryDocument.parse(now), MemoryDocument.parse(applied(now, edits))
    return all(
        after == (wanted if wanted != before else current)
        for before, wanted, current, after in zip(*map(_meaning, (old, planned, there, result)), strict=True)
    )


def _meaning(document: MemoryDocument) -> tuple[object, ...]:
    block = document.frontmatter
    return (
        block is None,
        block is not None and bool(block.invalid),
        document.name,
        document.description,
        document.type,
        document.is_marked_stale,
    )
