"""Why a command was not carried out, as the client is told it."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException


class CommandError(JsonRpcException):
    """Why a command was not carried out, as the client is told it."""


def wrong_argument(key: str, message: str, **more: object) -> CommandError:
    """The error for an argument that can't be taken; ``key`` names it."""
    return CommandError(message, types.ErrorCodes.InvalidParams.value, {"key": key, **more})


def failed(kind: str, message: str, hint: str) -> CommandError:
    """The error for what failed in doing; ``hint`` says what to do."""
    return CommandError(message, types.LSPErrorCodes.RequestFailed.value, {"kind": kind, "hint": hint})
