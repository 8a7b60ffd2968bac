"""Why an operation was not applied, in a word for programs and a sentence for people."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_MOST_PATHS = 3

# What is wrong, and what can be done about it.
_SENTENCES = {
    "unsaved": ("{path} has unsaved text in the editor.", "Save it or take it back, then try again."),
    "changed": ("{path} has changed since this was planned, so it was left as it is.", "Make a new plan."),
    "changedSince": (
        "Undoing this would lose what was changed in {path} after it, so nothing was undone.",
        "Take that back first, or undo this by hand: a memory that was added can be deleted.",
    ),
    "changedBy": ("“{detail}” changed {path} after this, so nothing was undone.", "Undo that first."),
    "notFound": ("{path} is not there any more.", "Make a new plan."),
    "unknown": ("The plan has no operation and no file {path}.", ""),
    "exists": ("There is {path} already, or a name that differs from it in case alone.", "Make a new plan."),
    "outside": ("{path} leads out of the memory directory, where nothing is written.", "Change the file itself."),
    "encoding": (
        "{path} holds bytes that are not UTF-8, so it can't be edited without losing them.",
        "Save it as UTF-8.",
    ),
    "text": ("The new text of {path} holds half a character, which no file can hold.", ""),
    "readOnly": ("{path} may not be written.", "Look at its permissions and those of its directory."),
    "stateReadOnly": (
        "The journal may not be written in {path}, so nothing was changed.",
        "Look at its permissions.",
    ),
    "full": ("There is no room on the disk for {path}. Nothing was changed.", "Make room and try again."),
    "locked": (
        "Another process is changing this memory directory, or has {path} open.",
        "Try again in a moment.",
    ),
    "failed": ("{path} can't be read or written ({detail}). Nothing was changed.", ""),
    "conflict": (
        "What is to become of {path} excludes another operation of the same plan.",
        "Apply one of them.",
    ),
    "unfinished": (
        "A change of {path} was cut off and can't be taken back yet ({detail}). "
        "Nothing else is changed before that is done.",
        "",
    ),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One operation (``None``: all that was asked for) that was not done because of the file ``path``.

    ``kind`` is one of unsaved, changed, notFound, exists, outside, encoding, readOnly, full, locked, conflict, failed.
    ``problem`` says what is wrong, ``advice`` what can be done.
    """

    operation: int | None
    path: str
    kind: str
    problem: str
    advice: str = ""

    @property
    def message(self) -> str:
        """What is wrong and what can be done."""
        return f"{self.problem} {self.advice}".rstrip()


_KINDS = {
    "unknown": "notFound",
    "changedSince": "changed",
    "changedBy": "changed",
    "text": "encoding",
    "stateReadOnly": "readOnly",
    "unfinished": "failed",
}


def refusal(operation: int | None, path: str, reason: str, detail: str = "", *, alike: Sequence[str] = ()) -> Refusal:
    """A refusal for one of the reasons known here; the sentence names all files to which it is ``alike``."""
    problem, advice = _SENTENCES[reason]
    told = problem.format(path=_listed(alike or (path,)), detail=detail)
    return Refusal(operation, path, _KINDS.get(reason, reason), told, advice)


def _listed(paths: Sequence[str]) -> str:
    shown = [*paths[:_MOST_PATHS], *([f"{len(paths) - _MOST_PATHS} more"] if len(paths) > _MOST_PATHS else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]


def reason_of(error: OSError) -> str:
    """The reason for a refusal that an error of the system is."""
    if error.errno in _FULL:
        return "full"
    if error.errno in _READ_ONLY:
        # On Windows this is what a file is like that another program has open.
        return "locked" if getattr(error, "winerror", None) in (5, 32, 33) else "readOnly"
    return "failed"
