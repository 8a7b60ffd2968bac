"""Whether a log and a memory directory belong to one project."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_ls.chats.message import ChatLog
from memory_ls.directory.discover import project_directory
from memory_ls.pipeline.projects import other_project


def log_in(directory: object) -> ChatLog:
    return ChatLog((), "plain", None, str(directory) if directory is not None else None)


@pytest.mark.parametrize("worked_in", ["", "src", "src/deep", ".claude"])
@pytest.mark.parametrize("place", [".claude/memory", ".claude/agent-memory/tester", "docs/memory"])
def test_a_log_from_anywhere_in_the_project_is_its_own(tmp_path: Path, place: str, worked_in: str) -> None:
    (tmp_path / "quay/.git").mkdir(parents=True)
    assert other_project(log_in(tmp_path / "quay" / worked_in), str(tmp_path / "quay" / place), tmp_path) is None


@pytest.mark.parametrize("place", [".claude/memory", "docs/memory"])
def test_a_log_from_elsewhere_is_told_of(tmp_path: Path, place: str) -> None:
    (tmp_path / "quay/.git").mkdir(parents=True)
    told = other_project(log_in(tmp_path / "pier"), str(tmp_path / "quay" / place), tmp_path)
    assert told == f"The log is from another project: {tmp_path / 'pier'}."


def test_memories_of_all_projects_take_logs_from_all_of_them(tmp_path: Path) -> None:
    assert other_project(log_in(tmp_path / "pier"), str(tmp_path / ".cat-code/memory"), tmp_path) is None


def test_the_agents_own_directory_of_a_project_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    own = project_directory(tmp_path / "quay")
    assert other_project(log_in(tmp_path / "quay"), str(own), tmp_path) is None
    assert other_project(log_in(tmp_path / "pier"), str(own), tmp_path) is not None


@pytest.mark.parametrize("named", [None, "", "quay", "C:\\quay"])
def test_a_log_that_names_no_place_here_is_nobodys(tmp_path: Path, named: str | None) -> None:
    assert other_project(log_in(named), str(tmp_path / "memory"), tmp_path) is None
