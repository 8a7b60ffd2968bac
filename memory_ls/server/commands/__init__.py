"""What `workspace/executeCommand` runs: one dispatcher.

A command takes one argument, a JSON object, and answers with JSON.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple

from lsprotocol import types

from memory_ls.server.commands import journal, pipeline, reading, writing
from memory_ls.server.commands.errors import wrong_argument
from memory_ls.server.commands.targets import Arguments
from memory_ls.server.progress import ProgressReports
from memory_ls.server.session import Session


class _Command(NamedTuple):
    """A command: what runs it, what the user sees meanwhile, and the keys that its argument may have."""

    run: Callable[[Session, Arguments], Awaitable[object]]
    title: str
    keys: Mapping[str, type]


class Commands:
    """Carries out commands. ``changed`` hears of each that may have changed memories or plans."""

    def __init__(self, session: Session, progress: ProgressReports, changed: Callable[[], None]) -> None:
        self._session = session
        self._progress = progress
        self._changed = changed

    async def execute(self, params: types.ExecuteCommandParams) -> object:
        """The command's answer.

        Raises:
            CommandError: it was not carried out.
        """
        command = COMMANDS.get(params.command)
        if command is None:
            raise wrong_argument("command", f"There is no command {params.command:.100}.")
        arguments = _checked(params.arguments or (), command.keys)
        async with self._progress.of(_title(command, arguments), params.work_done_token):
            answer = await command.run(self._session, arguments)
        if params.command not in _TELL_ONLY:
            self._changed()
        return answer


def _title(command: _Command, arguments: Arguments) -> str:
    """What the user sees, with the name of the chat log: two may be read at once."""
    log = arguments.get("log")
    given = log.get("uri") if isinstance(log, Mapping) else None
    name = pipeline.name_of(given) if isinstance(given, str) else ""
    return f"{command.title}: {name}" if name else command.title


def _checked(given: Sequence[object], keys: Mapping[str, type]) -> Arguments:
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
        if value is not None and not _is_a(value, keys[key]):
            raise wrong_argument(key, f"{key} must be {_TYPE_WORDS[keys[key]]}.")
    return {key: value for key, value in argument.items() if value is not None}


def _is_a(value: object, kind: type) -> bool:
    # In Python, true and false are numbers; in JSON they are not.
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


_TYPE_WORDS: Mapping[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}


# ``minMessages`` is for a log of which the user has chosen a part.
_LOG_KEYS: Mapping[str, type] = {"log": dict, "fromStart": bool, "minMessages": int, "directory": str}
# Tells what would be done, and does nothing.
_DRY_RUN: Mapping[str, type] = {"dryRun": bool}

COMMANDS: Mapping[str, _Command] = {
    "memoryLs.status": _Command(reading.status, "Memory status", {}),
    "memoryLs.check": _Command(reading.check, "Checking memories", {"directory": str}),
    "memoryLs.list": _Command(reading.list_memories, "Listing memories", {"directory": str}),
    "memoryLs.read": _Command(reading.read, "Reading memories", {"name": str, "directory": str}),
    "memoryLs.write": _Command(
        writing.write,
        "Writing a memory",
        {"name": str, "type": str, "description": str, "content": str, **_DRY_RUN, "directory": str},
    ),
    "memoryLs.init": _Command(writing.init_directory, "Making a memory directory", {"directory": str}),
    "memoryLs.delete": _Command(writing.delete, "Deleting a memory", {"name": str, **_DRY_RUN, "directory": str}),
    "memoryLs.rename": _Command(
        writing.rename_memory, "Renaming a memory", {"name": str, "to": str, **_DRY_RUN, "directory": str}
    ),
    "memoryLs.clear": _Command(writing.clear, "Clearing memories", {"confirm": bool, **_DRY_RUN, "directory": str}),
    "memoryLs.reindex": _Command(
        writing.reindex_memories, "Rebuilding the index", {"mode": str, "preview": bool, "directory": str}
    ),
    "memoryLs.markStale": _Command(
        writing.mark_stale,
        "Marking stale memories",
        {"olderThanDays": int, "names": list, "preview": bool, **_DRY_RUN, "directory": str},
    ),
    "memoryLs.history": _Command(journal.history, "Memory history", {"journalId": str, "directory": str}),
    "memoryLs.undo": _Command(journal.undo, "Undoing a change of memories", {"journalId": str, "directory": str}),
    "memoryLs.plans": _Command(
        journal.plans, "Pending changes of memories", {"planId": str, "only": list, "directory": str}
    ),
    "memoryLs.applyPlan": _Command(
        journal.apply_plan, "Changing memories", {"planId": str, "only": list, "directory": str}
    ),
    "memoryLs.extractAndConsolidate": _Command(
        pipeline.extract_and_consolidate,
        "Consolidating a chat log",
        {**_LOG_KEYS, "mode": str},
    ),
    "memoryLs.extract": _Command(pipeline.extract, "Reading a chat log", _LOG_KEYS),
    "memoryLs.prompts": _Command(pipeline.prompts, "Reading a chat log", _LOG_KEYS),
    "memoryLs.consolidate": _Command(
        pipeline.consolidate, "Consolidating", {"candidates": list, "mode": str, "directory": str}
    ),
    "memoryLs.chatLogs": _Command(pipeline.chat_logs, "Looking for chat logs", {}),
    "memoryLs.injection": _Command(
        reading.injection, "Memories for a prompt", {"form": str, "limit": int, "directory": str}
    ),
    "memoryLs.discardPlan": _Command(journal.discard_plan, "Discarding a plan", {"planId": str, "directory": str}),
}

_TELL_ONLY = frozenset(
    f"memoryLs.{name}"
    for name in (
        *("status", "check", "list", "read", "injection", "history", "plans"),
        *("extract", "prompts", "chatLogs"),
    )
)
