"""Chat logs on the disk: which there are of a project, and what is in one."""

from __future__ import annotations

import errno
import io
import json
import os
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memory_ls import chats
from memory_ls.pipeline.log_places import Place, places_of
from memory_ls.secret_scan import find_secrets, shown

_TITLE_LENGTH = 100
# The first message of a user comes behind all that an agent is told first, which is rarely more than a little.
_HEAD_BYTES = (32 * 1024, 512 * 1024)
_MOST_HEADS = 3_000
_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\]|\\.)*+")')
# Sessions that an agent, and not a person, began.
_SUBAGENTS = {
    "codex": re.compile(rb'"source"\s*:\s*\{\s*"subagent"|"thread_source"\s*:\s*"subagent"'),
    "gemini": re.compile(rb'"kind"\s*:\s*"subagent"'),
}
_FIRST_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class LogFile:
    """A chat log on the disk. ``title`` is what the user said first, in one line; ``size`` is in bytes."""

    path: Path
    format: str
    title: str
    time: datetime
    size: int

    def as_json(self) -> dict[str, str | int]:
        """The log as commands answer it."""
        return {
            "path": str(self.path),
            "format": self.format,
            "title": self.title,
            "time": self.time.isoformat(timespec="seconds"),
            "size": self.size,
        }


def read_log(path: Path, format: str | None = None) -> chats.ChatLog:
    """The chat log in a file.

    Raises:
        OSError: the file can't be read, or is no text.
        ValueError: there is no such format.
    """
    with open(path, "rb") as file:
        return read_stream(file, format)


def read_stream(stream: io.BufferedReader, format: str | None = None) -> chats.ChatLog:
    """The chat log that a stream of bytes holds: UTF-8 or UTF-16. What is neither is read as U+FFFD.

    Raises:
        OSError: the stream can't be read, or is no text.
        ValueError: there is no such format.
    """
    head = stream.peek(_FIRST_BYTES)[:_FIRST_BYTES]
    encoding = _encoding_of(head)
    lines = io.TextIOWrapper(stream, encoding=encoding, errors="replace")
    try:
        log = chats.read_lines(lines, format)
    finally:
        lines.detach()
    # A log that a crash left with zeros in it is a log all the same.
    if not log.messages and encoding == "utf-8" and b"\0" in head:
        raise OSError(errno.EILSEQ, "it is no text, and so no chat log")
    return log


def _encoding_of(head: bytes) -> str:
    """UTF-16 where a mark says so, or where every other byte is zero as in nearly all of its texts; else UTF-8."""
    if head[:2] in (BOM_UTF16_LE, BOM_UTF16_BE):
        return "utf-16"
    zeros = head[::2].count(0), head[1::2].count(0)
    if min(zeros) == 0 and 10 * max(zeros) > len(head):
        return "utf-16-be" if zeros[0] else "utf-16-le"
    return "utf-8"


def find_logs(folder: Path, home: Path | None = None, *, most: int = 100) -> list[LogFile]:
    """The chat logs of the project in ``folder`` and below it, the newest first, at most ``most``.

    Logs in which nobody said anything are left out. Only the head of a log is read.
    """
    folders = list(dict.fromkeys((Path(os.path.abspath(folder)), Path(os.path.realpath(folder)))))
    found: list[LogFile] = []
    for place in places_of(folders, home or Path.home())[:_MOST_HEADS]:
        log = _log_at(place, folders)
        if log is not None:
            found.append(log)
            if len(found) == most:
                break
    return found


def _log_at(place: Place, folders: list[Path]) -> LogFile | None:
    title = ""
    for most in _HEAD_BYTES:
        head = _head_of(place, folders, most)
        log = chats.read(head.decode("utf-8", "replace"), place.format)
        if not _is_of(log.working_directory, folders, place.certain):
            return None
        title = next((message.text for message in log.messages if message.role is chats.Role.USER), "")
        if title:
            break
        if len(head) < most:
            return None
    time = datetime.fromtimestamp(place.time, UTC)
    return LogFile(Path(place.path), place.format, _one_line(title), time, place.size)


def _head_of(place: Place, folders: list[Path], most: int) -> bytes:
    """The head of a log; nothing of one whose first bytes say that it is another project's, as most are."""
    try:
        with open(place.path, "rb") as file:
            first = file.read(_FIRST_BYTES)
            subagents = _SUBAGENTS.get(place.format)
            if (subagents and subagents.search(first)) or not (place.certain or _may_be_of(first, folders)):
                return b""
            return first + file.read(most - len(first))
    except OSError:
        return b""


def _may_be_of(first: bytes, folders: list[Path]) -> bool:
    """Whether the first bytes of a log don't name a directory, or one of the project."""
    found = _CWD.search(first)
    if found is None:
        return True
    try:
        return _is_of(json.loads(found.group(1)), folders, True)
    except ValueError:
        return True


def _is_of(directory: str | None, folders: list[Path], certain: bool) -> bool:
    """Whether a log that was made in ``directory`` is the project's."""
    if directory is None:
        return certain
    path = Path(directory)
    return any(path == folder or folder in path.parents for folder in folders)


def _one_line(text: str) -> str:
    """The start of a message without its line ends, and without the secrets in it."""
    line = " ".join(text[: 20 * _TITLE_LENGTH].split())
    for secret in reversed(find_secrets(line)):
        line = line[: secret.start] + shown(line[secret.start : secret.end]) + line[secret.end :]
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rstrip() + "…"
