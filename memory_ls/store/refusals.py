"""Why an operation was not applied, in a word for programs and a sentence for people."""

from __future__ import annotations

import errno
from dataclasses import dataclass

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}

_MESSAGES = {
    "unsaved": "{path} has unsaved text in the editor. Save it or take it back, then try again.",
    "changed": "{path} has changed since this was planned, so it was left as it is. Make a new plan.",
    "changedSince": "{path} was changed after this. Undoing it would lose that, so nothing was undone.",
    "changedBy": "{path} was changed again after this, by {detail}. Undo that first; nothing was undone.",
    "notFound": "{path} is not there any more. Make a new plan.",
    "unknown": "The plan has no operation and no file {path}.",
    "exists": "There is {path} already, or a name that differs from it in case alone. Choose another name.",
    "outside": "{path} leads out of the memory directory, where nothing is written. Change the file itself.",
    "encoding": "{path} holds bytes that are not UTF-8, so it can't be edited without losing them. Convert it first.",
    "text": "The new text of {path} holds half a character, which no file can hold.",
    "readOnly": "{path} may not be written. Look at its permissions and those of its directory.",
    "stateReadOnly": "The journal may not be written in {path}, so nothing was changed. Look at its permissions.",
    "full": "There is no room on the disk for {path}. Nothing was changed; make room and try again.",
    "locked": "Another process is changing this memory directory, or has {path} open. Try again in a moment.",
    "failed": "{path} can't be read or written ({detail}). Nothing was changed.",
    "conflict": "What is to become of {path} excludes another operation of the same plan. Apply one of them.",
    "unfinished": "A change of {path} was cut off and can't be taken back yet ({detail}). "
    "Nothing else is changed before that is done.",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """One operation (``None``: all that was asked for) that was not done because of the file ``path``.

    ``kind`` is one of unsaved, changed, notFound, exists, outside, encoding, readOnly, full, locked, conflict, failed.
    """

    operation: int | None
    path: str
    kind: str
    message: str


_KINDS = {
    "unknown": "notFound",
    "changedSince": "changed",
    "changedBy": "changed",
    "text": "encoding",
    "stateReadOnly": "readOnly",
    "unfinished": "failed",
}


def refusal(operation: int | None, path: str, reason: str, detail: str = "") -> Refusal:
    """A refusal for one of the reasons known here."""
    return Refusal(operation, path, _KINDS.get(reason, reason), _MESSAGES[reason].format(path=path, detail=detail))


def reason_of(error: OSError) -> str:
    """The reason for a refusal that an error of the system is."""
    if error.errno in _FULL:
        return "full"
    if error.errno in _READ_ONLY:
        # On Windows this is what a file is like that another program has open.
        return "locked" if getattr(error, "winerror", None) in (5, 32, 33) else "readOnly"
    return "failed"
