"""All safe fixes at once, until nothing is left that one can mend: for ``check --fix`` and for an editor's "fix all"."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.directory.affected import affected
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.rules.check import check_document
from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.fixes.fixes_of import preferred_fix, safe_fix
from memory_ls.rules.fixes.followed import Followed
from memory_ls.rules.registry import Context, Diagnostic

# One fix can make room for another, but not for ever.
_MOST_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Mended:
    """What all fixes together change, each document by an operation of its own.

    ``counts`` are how many findings of each rule that mends, by document; ``directory`` is what comes of it.
    """

    directory: MemoryDirectory
    changes: tuple[Change, ...]
    counts: Mapping[str, Counter[str]]


def fix_all(
    context: Context,
    keys: Iterable[str],
    codes: Collection[str] | None = None,
    *,
    may_change: Callable[[str], bool] | None = None,
) -> Mended:
    """Mends what is safe to mend in the documents ``keys``, of the rules ``codes`` where they are given.

    One document is mended after the other, as by somebody who goes through them, so that a name that one was given is
    taken when the next needs one. ``may_change`` tells in which documents what then comes up may be mended too; by
    itself, in ``keys``.
    """
    mender = _Mender(context, codes, safe_fix)
    due = sorted(keys)
    is_alone = may_change is None and len(due) == 1
    may_change = may_change or frozenset(due).__contains__
    for _ in range(_MOST_ROUNDS):
        before = mender.context.directory
        changed = [key for key in due if mender.mend(key)]
        if not changed or is_alone:
            break
        # What one document says can make room for a fix in another.
        due = sorted(filter(may_change, affected(before, mender.context.directory, changed)))
    return mender.result()


def fix_kind(context: Context, key: str, code: str) -> Mended:
    """Mends every finding of the rule ``code`` in one document in the preferred way, where there is one to prefer."""
    mender = _Mender(context, [code], preferred_fix)
    mender.mend(key)
    return mender.result()


class _Mender:
    def __init__(
        self,
        context: Context,
        codes: Collection[str] | None,
        choose: Callable[[Context, str, Diagnostic], Fix | None],
    ) -> None:
        self.context = context
        self.counts: dict[str, Counter[str]] = {}
        self.given_up: set[str] = set()
        self._codes = codes
        self._choose = choose
        self._followed: dict[str, Followed] = {}

    def result(self) -> Mended:
        changes = [
            Change(number, key, ChangeKind.EDIT, followed.before, followed.edits())
            for number, (key, followed) in enumerate(sorted(self._followed.items()), start=1)
        ]
        return Mended(self.context.directory, tuple(change for change in changes if change.edits), self.counts)

    def mend(self, key: str) -> bool:
        """Mends one document as far as it can be; whether anything was."""
        if self.context.directory.document(key) is None:
            return False
        is_changed = False
        findings = self._findings(key)
        for _ in range(_MOST_ROUNDS):
            if key in self.given_up or not findings:
                break
            after = self._mend_once(key, findings)
            if after is None:
                break
            findings, is_changed = after, True
        return is_changed

    def _findings(self, key: str) -> list[Diagnostic]:
        found = check_document(self.context, key)
        wanted = [finding for finding in found if self._codes is None or finding.code in self._codes]
        # What is found about all of a link comes before what is found about a part of it.
        return sorted(wanted, key=lambda finding: (finding.span.start, -finding.span.end))

    def _mend_once(self, key: str, findings: list[Diagnostic]) -> list[Diagnostic] | None:
        """Makes every fix that does not touch another; what is found then, or ``None`` when there was none to make."""
        edits = _Apart()
        mended: list[Diagnostic] = []
        for finding in findings:
            fix = self._choose(self.context, key, finding)
            new = edits_of(fix, key) if fix is not None else None
            if new and edits.take(new):
                mended.append(finding)
        if not mended:
            return None
        before = self.context
        document = before.directory.document(key)
        assert document is not None
        text = document.source.text
        facts = before.directory.facts.get(key)
        self.context = replace(before, directory=before.directory.with_document(key, applied(text, edits.edits), facts))
        after = self._findings(key)
        if _is_in_vain(mended, edits.edits, findings, after):
            self.context = before
            self.given_up.add(key)
            return None
        self._followed.setdefault(key, Followed(text)).take(edits.edits)
        self.counts.setdefault(key, Counter()).update(finding.code for finding in mended)
        return after


def edits_of(fix: Fix, key: str) -> list[Edit] | None:
    """The edits of a fix in the document ``key``; ``None`` when it can't be made, or changes anything else."""
    try:
        changes = fix.changes()
    except (CannotEditError, CannotChangeError):
        return None
    if any(change.path != key or change.kind is not ChangeKind.EDIT for change in changes):
        return None
    return [edit for change in changes for edit in change.edits]


class _Apart:
    """Edits that do not touch each other."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._known: set[Edit] = set()

    def take(self, edits: Collection[Edit]) -> bool:
        """Takes ``edits`` when they touch none that is there; also when they are all among those. Whether it did."""
        if self._known.issuperset(edits):
            return True
        if any(self._touches(edit) for edit in edits):
            return False
        self.edits = sorted([*self.edits, *edits])
        self._known.update(edits)
        return True

    def _touches(self, edit: Edit) -> bool:
        # They lie apart, so the last that begins before this one ends is the one that reaches furthest.
        number = bisect_right(self.edits, edit.end, key=lambda other: other.start)
        return any(_touch(edit, other) for other in self.edits[max(number - 2, 0) : number])


def _touch(edit: Edit, other: Edit) -> bool:
    """Whether two edits have characters in common; what is put in between others must not even stand beside them."""
    if edit.start < edit.end and other.start < other.end:
        return edit.start < other.end and other.start < edit.end
    return edit.start <= other.end and other.start <= edit.end


def _is_in_vain(
    mended: Iterable[Diagnostic], edits: Collection[Edit], before: Iterable[Diagnostic], after: Collection[Diagnostic]
) -> bool:
    """Whether what was mended is still found at its place, and as often: it would be mended for ever."""
    left = {(finding.code, finding.message, finding.span.start) for finding in after}
    old, new = (Counter((finding.code, finding.message) for finding in findings) for findings in (before, after))
    return any(
        (finding.code, finding.message, _moved(finding.span.start, edits)) in left
        and new[finding.code, finding.message] >= old[finding.code, finding.message]
        for finding in mended
    )


def _moved(offset: int, edits: Iterable[Edit]) -> int:
    """Where what stood at ``offset`` stands after the edits."""
    return offset + sum(len(edit.text) - (edit.end - edit.start) for edit in edits if edit.end <= offset)
