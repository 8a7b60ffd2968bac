"""``memory-ls logs``."""

from __future__ import annotations

import json
from pathlib import Path

from memory_ls.directory.discover import agents_key
from tests.chats.making import claude, lines_of
from tests.cli.conftest import Run, write_files


def log_of(project: Path, text: str) -> Path:
    directory = project.parent / "home" / ".claude" / "projects" / agents_key(project)
    write_files(directory, {"a.jsonl": lines_of(claude("user", "u-1", None, text, cwd=str(project)))})
    return directory / "a.jsonl"


def test_logs_are_listed_with_time_title_path_format_and_size(run: Run, project: Path) -> None:
    path = log_of(project, "Buche den Kai")
    outcome = run("logs")
    assert outcome.status == 0
    first, second = outcome.out.splitlines()
    assert first.endswith("  Buche den Kai")
    assert second == f"  {path} (claude-code, {path.stat().st_size} bytes)"


def test_logs_as_json(run: Run, project: Path) -> None:
    path = log_of(project, "预订码头")
    (item,) = json.loads(run("logs", "--format", "json").out)
    assert item.keys() == {"path", "format", "title", "time", "size"}
    assert (item["path"], item["format"], item["title"]) == (str(path), "claude-code", "预订码头")


def test_titles_do_not_steer_a_terminal(run: Run, project: Path) -> None:
    log_of(project, "\x1b[31mred\u202e")
    assert "\x1b" not in run("logs").out
    assert "\u202e" not in run("logs", "--format", "json").out


def test_no_logs_is_no_error(run: Run, project: Path) -> None:
    assert run("logs").out.startswith("No chat logs found")
    assert json.loads(run("logs", "--format", "json").out) == []
