"""Why a command was not carried out, as the client is told it."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls.changes.plan import CannotChangeError
from memory_ls.store.store import Outcome


class CommandError(JsonRpcException):
    """Why a command was not carried out, as the client is told it."""


def wrong_argument(key: str, message: str, **more: object) -> CommandError:
    """The error for an argument that can't be taken; ``key`` names it."""
    return CommandError(message, types.ErrorCodes.InvalidParams.value, {"key": key, **more})


def failed(kind: str, message: str, hint: str) -> CommandError:
    """The error for what failed in doing; ``hint`` says what to do."""
    return CommandError(message, types.LSPErrorCodes.RequestFailed.value, {"kind": kind, "hint": hint})


# What to do about what kept the store from writing, where its sentence does not say so.
_HINTS = {
    "changed": "Try again: what is on the disk now will count.",
    "notFound": "Try again: what is on the disk now will count.",
    "failed": "The log may tell more.",
}


def refused(outcome: Outcome) -> CommandError:
    """The error for an outcome in which nothing was done."""
    first, *others = outcome.refused
    messages = " ".join(dict.fromkeys([first.message, *(each.message for each in others[:4])]))
    return failed(first.kind, messages, _HINTS.get(first.kind, ""))


def cannot(error: CannotChangeError) -> CommandError:
    """The error for what can't be planned."""
    if error.key is not None:
        return wrong_argument(error.key, str(error), choices=list(error.choices))
    return failed(error.kind, str(error), "")
