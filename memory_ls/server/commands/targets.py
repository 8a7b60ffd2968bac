"""Which directories and which memory a command is about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_ls.directory import discover
from memory_ls.directory.listing import described, summary
from memory_ls.directory.resolve import TargetKind, resolve_name
from memory_ls.server.commands.errors import failed, wrong_argument
from memory_ls.server.convert import path_of
from memory_ls.server.held import Held
from memory_ls.server.session import Session

Arguments = Mapping[str, Any]


async def directories_of(session: Session, arguments: Arguments) -> list[Held]:
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


def new_directory(session: Session, arguments: Arguments) -> Path:
    """Where a memory directory is to be made: where the argument says, else where the setting or the project has it."""
    wanted = arguments.get("directory")
    if wanted is not None:
        root = _root_of(wanted)
        if root is None or not (":" in wanted or os.path.isabs(wanted)):
            raise wrong_argument("directory", "directory must be an absolute path, or the URI of a file.")
        return Path(root)
    usual = list(map(discover.project_directory, session.workspace.folders))
    places = [session.workspace.target] if session.workspace.target is not None else usual
    if len(places) != 1:
        raise wrong_argument("directory", "Say where the memory directory is to be.", choices=list(map(str, places)))
    return places[0]


def _root_of(given: str) -> str | None:
    """The real path of what is given as a path or a URI; ``None`` when it is neither."""
    path = path_of(given) if ":" in given and not os.path.isabs(given) else Path(given)
    try:
        return os.path.realpath(path) if path is not None else None
    except ValueError:  # no file can have such a name
        return None


def named_memory(found: Sequence[Held], name: str) -> tuple[Held, str]:
    """The one memory that a name means, as in a link."""
    hits = []
    for held in found:
        if held.directory is not None:
            target = resolve_name(held.directory, name)
            if target.kind in (TargetKind.MEMORY, TargetKind.AMBIGUOUS):
                hits += [(held, key) for key in target.keys]
    if len(hits) > 1:
        choices = [described_in(held, key) for held, key in hits]
        raise wrong_argument("name", f"{name:.100} may mean several memories.", choices=choices)
    if not hits:
        raise failed("notFound", f"Memory not found: {name:.100}.", "memoryLs.list tells all memories.")
    return hits[0]


def described_in(held: Held, key: str) -> dict[str, object]:
    """The summary of a memory as JSON has it, with the directory it is in."""
    assert held.directory is not None
    return {**described(summary(key, held.directory.documents[key])), "directory": str(held.path)}


async def pipeline_target(session: Session, arguments: Arguments, worked_in: str | None = None) -> Held:
    """The directory that memories from a chat log go to; it need not be there.

    The argument's, else the setting's, else that of the project in the directory ``worked_in`` that the log names, else
    the only one, else that of the project in the only workspace folder.
    """
    await session.ready()
    wanted, target = arguments.get("directory"), session.workspace.target
    if wanted is not None:
        path = possible_directory(session, wanted)
        return session.held_at(path) if path is not None else (await directories_of(session, arguments))[0]
    if target is not None:
        return session.held_at(target)
    found = [held for held in session.held() if held.directory is not None]
    if len(found) > 1 and worked_in is not None and os.path.isabs(worked_in):
        project = os.path.realpath(worked_in)
        agents = os.path.realpath(discover.project_directory(Path(project)))
        found = [held for held in found if held.root == agents or _is_below(held.root, project)] or found
    if not found and len(session.workspace.folders) == 1:
        return session.held_at(discover.project_directory(session.workspace.folders[0]))
    return found[0] if len(found) == 1 else await target_of(session, arguments)


def possible_directories(session: Session) -> list[Path]:
    """All directories that memories can go to, those that are still to be made too."""
    paths = [held.path for held in session.held() if held.directory is not None]
    paths += [session.workspace.target] if session.workspace.target is not None else []
    return list(dict.fromkeys([*paths, *map(discover.project_directory, session.workspace.folders)]))


def possible_directory(session: Session, wanted: str) -> Path | None:
    """The one of them that is named by a path or a URI."""
    root = _root_of(wanted)
    return next((path for path in possible_directories(session) if os.path.realpath(path) == root), None)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


async def target_of(session: Session, arguments: Arguments) -> Held:
    """The one directory that is to be changed: the argument's, else that of the setting, else the only one."""
    await session.ready()
    wanted = session.workspace.target
    if "directory" not in arguments and wanted is not None:
        return session.held_at(wanted)
    found = await directories_of(session, arguments)
    if len(found) > 1:
        choices = [str(held.path) for held in found]
        raise wrong_argument("directory", "There are several memory directories here: say which.", choices=choices)
    return found[0]
