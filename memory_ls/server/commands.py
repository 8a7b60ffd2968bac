"""What `workspace/executeCommand` runs: one dispatcher, and the commands that read.

A command takes one argument, a JSON object, and answers with JSON.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls import __version__
from memory_ls.directory.listing import as_agents_read, described, summaries, summary
from memory_ls.directory.resolve import TargetKind, resolve_name
from memory_ls.rules.registry import Severity
from memory_ls.server.convert import path_of
from memory_ls.server.held import Held
from memory_ls.server.progress import ProgressReports
from memory_ls.server.session import Session

_Arguments = Mapping[str, Any]


class CommandError(JsonRpcException):
    """Why a command was not carried out, as the client is told it."""


def wrong_argument(key: str, message: str, **more: object) -> CommandError:
    """The error for an argument that can't be taken; ``key`` names it."""
    return CommandError(message, types.ErrorCodes.InvalidParams.value, {"key": key, **more})


def failed(kind: str, message: str, hint: str) -> CommandError:
    """The error for what failed in doing; ``hint`` says what to do."""
    return CommandError(message, types.LSPErrorCodes.RequestFailed.value, {"kind": kind, "hint": hint})


class _Command(NamedTuple):
    """A command: what runs it, what the user sees meanwhile, and the keys that its argument may have."""

    run: Callable[[Session, _Arguments], Awaitable[object]]
    title: str
    keys: Mapping[str, type]


class Commands:
    """Carries out commands."""

    def __init__(self, session: Session, progress: ProgressReports) -> None:
        self._session = session
        self._progress = progress

    async def execute(self, params: types.ExecuteCommandParams) -> object:
        """The command's answer.

        Raises:
            CommandError: it was not carried out.
        """
        command = COMMANDS.get(params.command)
        if command is None:
            raise wrong_argument("command", f"There is no command {params.command:.100}.")
        arguments = _checked(params.arguments or (), command.keys)
        async with self._progress.of(command.title, params.work_done_token):
            return await command.run(self._session, arguments)


def _checked(given: Sequence[object], keys: Mapping[str, type]) -> _Arguments:
    """The one argument, with nothing in it but known keys of the right type; null stands for a key left out."""
    if len(given) > 1:
        raise wrong_argument("arguments", "A command takes one argument, a JSON object.")
    argument = given[0] if given and given[0] is not None else {}
    if not isinstance(argument, Mapping):
        raise wrong_argument("arguments", "The argument of a command must be a JSON object.")
    for key, value in argument.items():
        if key not in keys:
            known = f"It takes {', '.join(keys)}." if keys else "It takes none."
            raise wrong_argument(str(key), f"This command has no argument {key:.100}. {known}")
        if value is not None and not isinstance(value, keys[key]):
            raise wrong_argument(key, f"{key} must be {_TYPE_WORDS[keys[key]]}.")
    return {key: value for key, value in argument.items() if value is not None}


_TYPE_WORDS: Mapping[type, str] = {str: "text"}


# ---- which directory is meant


async def _directories(session: Session, arguments: _Arguments) -> list[Held]:
    """The directories that are asked about, all of them read: the one that the argument names, or all."""
    await session.ready()
    every = [held for held in session.held() if held.directory is not None]
    wanted = arguments.get("directory")
    if wanted is not None:
        root = _root_of(wanted)
        every = [held for held in every if held.root == root]
        if not every:
            choices = [str(held.path) for held in session.held()]
            raise wrong_argument("directory", "This is none of the memory directories here.", choices=choices)
    if not every:
        raise failed("noDirectory", "There is no memory directory here.", "Make one with an index MEMORY.md.")
    return every


def _root_of(given: str) -> str | None:
    """The real path of what is given as a path or a URI; ``None`` when it is neither."""
    path = path_of(given) if ":" in given and not os.path.isabs(given) else Path(given)
    try:
        return os.path.realpath(path) if path is not None else None
    except ValueError:  # no file can have such a name
        return None


# ---- the commands


async def _status(session: Session, arguments: _Arguments) -> object:
    """What the server holds, at once, however far it is."""
    settings = session.workspace.settings
    return {
        "version": __version__,
        "trusted": session.workspace.is_trusted,
        "provider": settings.provider if session.workspace.is_trusted else "offline",
        "directories": [_status_of(held) for held in session.held()],
        "work": ["reading" for held in session.held() if held.is_reading],
        "pendingPlans": [],
    }


def _status_of(held: Held) -> dict[str, object]:
    directory, settings = held.directory, held.settings
    index = None
    if directory is not None and directory.index is not None:
        load = directory.index.load(settings.index_max_lines, settings.index_max_bytes)
        index = {
            "lines": load.lines,
            "maxLines": settings.index_max_lines,
            "bytes": load.size,
            "maxBytes": settings.index_max_bytes,
        }
    counts = Counter(found.severity for diagnostics in held.published.values() for found in diagnostics)
    return {
        "path": str(held.path),
        "reading": held.is_reading,
        "memories": len(directory.documents) if directory is not None else 0,
        "index": index,
        "findings": {severity.word: counts[severity] for severity in Severity},
    }


async def _list(session: Session, arguments: _Arguments) -> object:
    """The summaries of all memories."""
    return [
        {**_described(held, item.key), "uri": held.uri_of(item.key)}
        for held in await _directories(session, arguments)
        if held.directory is not None
        for item in summaries(held.directory)
    ]


def _described(held: Held, key: str) -> dict[str, object]:
    assert held.directory is not None
    return {**described(summary(key, held.directory.documents[key])), "directory": str(held.path)}


async def _read(session: Session, arguments: _Arguments) -> object:
    """Memories as agents read them: the one with a name, or all."""
    found = await _directories(session, arguments)
    places = [(held, item.key) for held in found if held.directory is not None for item in summaries(held.directory)]
    if "name" in arguments:
        places = [_named(found, arguments["name"])]
    return [
        {**_described(held, key), "text": as_agents_read(key, held.directory.documents[key])}
        for held, key in places
        if held.directory is not None
    ]


def _named(found: Sequence[Held], name: str) -> tuple[Held, str]:
    """The one memory that a name means, as in a link."""
    hits = []
    for held in found:
        if held.directory is not None:
            target = resolve_name(held.directory, name)
            if target.kind in (TargetKind.MEMORY, TargetKind.AMBIGUOUS):
                hits += [(held, key) for key in target.keys]
    if len(hits) > 1:
        choices = [_described(held, key) for held, key in hits]
        raise wrong_argument("name", f"{name:.100} may mean several memories.", choices=choices)
    if not hits:
        raise failed("notFound", f"Memory not found: {name:.100}.", "memoryLs.list tells all memories.")
    return hits[0]


COMMANDS: Mapping[str, _Command] = {
    "memoryLs.status": _Command(_status, "Memory status", {}),
    "memoryLs.list": _Command(_list, "Listing memories", {"directory": str}),
    "memoryLs.read": _Command(_read, "Reading memories", {"name": str, "directory": str}),
}
