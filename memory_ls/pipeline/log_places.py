"""Where agents keep their chat logs: in their homes by project, and in the project itself."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

from memory_ls.chats import FORMATS
from memory_ls.directory.discover import KEY_LENGTH, agents_key

_MOST_ENTRIES = 20_000
_MOST_MARKDOWN = 300
_SMALL = 64 * 1024
# Below the home directory, by platform, then by edition.
_EDITORS_DATA = ((".config",), ("Library", "Application Support"), ("AppData", "Roaming"))
_EDITIONS = ("Code", "Code - Insiders", "VSCodium")


class Place(NamedTuple):
    """A file that may be a chat log of a folder. Unless that is ``certain``, the log itself must say that it is."""

    path: str
    format: str
    time: float
    size: int
    certain: bool


def places_of(folders: Iterable[Path], home: Path) -> list[Place]:
    """The files in the usual places that may be logs of the project in a folder, the newest first.

    ``folders`` are the ways to write its path; nothing but names, times and sizes is looked at in most places.
    """
    found: dict[str, Place] = {}
    for folder in folders:
        for searched in (_claude_code, _codex, _gemini, _copilot, _in_project):
            for place in searched(folder, home):
                kept = found.get(place.path)
                if kept is None or not kept.certain:
                    found[place.path] = place
    return sorted(found.values(), key=lambda place: (-place.time, place.path))


def _claude_code(folder: Path, home: Path) -> Iterator[Place]:
    key = agents_key(folder)
    # Of directories below the folder too, and of others whose paths only look so once they have become keys.
    start = f"{key.rstrip('-')}-"[:KEY_LENGTH]
    for directory in _scan(home / ".claude" / "projects"):
        if directory.name == key or directory.name.startswith(start):
            for entry in _scan(directory):
                if entry.name.endswith(".jsonl") and not entry.name.startswith("agent-"):
                    yield from _place(entry, "claude-code", certain=directory.name == key)


def _codex(folder: Path, home: Path) -> Iterator[Place]:
    left = _MOST_ENTRIES
    for directory in _codex_directories(home / ".codex"):
        for entry in _scan(directory):
            left -= 1
            if entry.name.startswith("rollout-") and entry.name.endswith(".jsonl"):
                yield from _place(entry, "codex", certain=False)
        if left < 0:
            return


def _codex_directories(root: Path) -> Iterator[Path | os.DirEntry[str]]:
    """By year, month and day, the newest first, since there may be more than can be looked at; then the archive."""
    for year in _newest(root / "sessions"):
        for month in _newest(year):
            yield from _newest(month)
    yield root / "archived_sessions"


def _gemini(folder: Path, home: Path) -> Iterator[Place]:
    names = {hashlib.sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest()}
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        names.add(json.loads(_small_text(str(home / ".gemini" / "projects.json")))["projects"][str(folder)])
    for project in _scan(home / ".gemini" / "tmp"):
        if project.name in names or _small_text(os.path.join(project.path, ".project_root")).strip() == str(folder):
            for entry in _scan(os.path.join(project.path, "chats")):
                if entry.name.endswith((".json", ".jsonl")):
                    yield from _place(entry, "gemini", certain=True)


def _copilot(folder: Path, home: Path) -> Iterator[Place]:
    for data in _EDITORS_DATA:
        for edition in _EDITIONS:
            for workspace in _scan(home.joinpath(*data, edition, "User", "workspaceStorage")):
                if _folder_of(workspace.path) == folder:
                    for entry in _scan(os.path.join(workspace.path, "chatSessions")):
                        if entry.name.endswith((".json", ".jsonl")):
                            yield from _place(entry, "copilot", certain=True)


def _folder_of(workspace: str) -> Path | None:
    """The folder that VS Code keeps the data of a workspace for."""
    try:
        uri = json.loads(_small_text(os.path.join(workspace, "workspace.json")))["folder"]
        return Path(url2pathname(urlsplit(uri).path))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _in_project(folder: Path, home: Path) -> Iterator[Place]:
    for entry in _scan(folder / ".specstory" / "history"):
        if entry.name.endswith(".md"):
            yield from _place(entry, "specstory", certain=True)
    left = _MOST_MARKDOWN
    for entry in _scan(folder):
        if entry.name == ".aider.chat.history.md":
            yield from _place(entry, "aider", certain=True)
        elif entry.name.endswith(".md") and left > 0:
            left -= 1
            if re.search("^_Exported on .* from Cursor", _small_text(entry.path, 400), re.MULTILINE):
                yield from _place(entry, "cursor", certain=True)


def _place(entry: os.DirEntry[str], format: str, *, certain: bool) -> Iterator[Place]:
    assert format in FORMATS
    try:
        if entry.is_file():
            found = entry.stat()
            yield Place(entry.path, format, found.st_mtime, found.st_size, certain)
    except OSError:
        return


def _newest(directory: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    return sorted(_scan(directory), key=lambda entry: entry.name, reverse=True)


def _scan(directory: Path | os.DirEntry[str] | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return [entry for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)]
    except OSError:
        return []


def _small_text(path: str, most: int = _SMALL) -> str:
    """The start of a small file; nothing if it is none."""
    try:
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""
