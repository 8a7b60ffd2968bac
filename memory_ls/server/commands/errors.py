"""Why a command was not carried out, as the client is told it."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls.changes.plan import CannotChangeError
from memory_ls.store.store import Outcome


class CommandError(JsonRpcException):
    """Why a command was not carried out, as the client is told it."""


def wrong_argument(key: str, message: str, **more: object) -> CommandError:
    """The error for an argument that can't be taken; ``key`` names it. A ``hint`` may be given as for :func:`failed`."""
    return CommandError(message, types.ErrorCodes.InvalidParams.value, {"key": key, **more})


def failed(kind: str, message: str, hint: str) -> CommandError:
    """The error for what failed in doing. ``hint`` says what to do, by ids of commands, which clients call otherwise."""
    return CommandError(message, types.LSPErrorCodes.RequestFailed.value, {"kind": kind, "hint": hint})


# What was planned for what is there a moment ago can be planned again.
_AGAIN = "Try again: what is on the disk now will count."
_OVERTAKEN = ("changed", "notFound", "exists")
_MOST_SENTENCES = 5


def refused(outcome: Outcome, *, is_new: bool = False) -> CommandError:
    """The error for an outcome in which nothing was done; ``is_new`` tells that the command made the plan itself."""
    first = outcome.refused[0]
    problems = list(dict.fromkeys(each.problem for each in outcome.refused))
    hint = _AGAIN if is_new and first.kind in _OVERTAKEN else first.advice
    return failed(first.kind, " ".join(problems[:_MOST_SENTENCES]), hint or "The log may tell more.")


def cannot(error: CannotChangeError) -> CommandError:
    """The error for what can't be planned."""
    if error.key is not None:
        return wrong_argument(error.key, str(error), choices=list(error.choices))
    return failed(error.kind, str(error), "")
