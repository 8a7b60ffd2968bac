"""Whether a chat log and a memory directory belong to one project."""

from __future__ import annotations

import os
from pathlib import Path

from memory_ls.chats.message import ChatLog
from memory_ls.directory.discover import is_known_place, project_directory
from memory_ls.directory.listing import one_line
from memory_ls.pipeline.redact import redacted


def other_project(log: ChatLog, directory: str, home: Path | None = None) -> str | None:
    """A sentence that warns of it when the log is from another project than the memory ``directory``."""
    named = log.working_directory
    if not named or not os.path.isabs(named):
        return None
    home = Path(os.path.realpath(home or Path.home()))
    root, worked_in = Path(os.path.realpath(directory)), Path(os.path.realpath(named))
    if worked_in == root or worked_in in root.parents or root == Path(os.path.realpath(project_directory(worked_in))):
        return None
    project = _project_of(root)
    if project is not None and (project in (home, worked_in) or project in worked_in.parents):
        return None
    return f"The log is from another project: {redacted(one_line(named, 300))}."


def _project_of(root: Path) -> Path | None:
    """The folder of the project whose memories ``root`` holds, as far as its path and git tell."""
    if is_known_place(root):
        agents = next(path for path in root.parents if path.name.startswith("."))
        if root.relative_to(agents).parts[0] != "projects":  # in there are those of all projects
            return agents.parent
    return next((path for path in (root, *root.parents) if os.path.exists(path / ".git")), None)
