"""``memory-ls doctor``: what memory-ls sees here."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

import pytest

from memory_ls import __version__
from memory_ls.directory import loader
from tests.cli.conftest import Run, memory, write_files


def test_versions_are_told(run: Run, clean: Path) -> None:
    outcome = run("doctor")
    assert outcome.status == 0
    assert outcome.out.startswith(f"memory-ls {__version__}\n  Python {platform.python_version()} at ")
    for name in ("pyyaml", "click", "ftfy"):
        assert f"{name} {importlib.metadata.version(name)}" in outcome.out.replace("PyYAML", "pyyaml")
    assert "pytest" not in outcome.out


def test_libraries_are_not_known_where_it_is_not_installed(
    run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def requires(name: str) -> list[str]:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "requires", requires)
    outcome = run("doctor")
    assert outcome.status == 0
    assert "memory-ls is not installed here, so its libraries are not known" in outcome.out


def test_missing_library_is_status_1(run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name == "pyromark":
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    outcome = run("doctor")
    assert outcome.status == 1
    assert "pyromark MISSING" in outcome.out


def test_command_that_is_not_on_path_is_told(run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "editors start: nothing, since memory-ls is not on PATH" in run("doctor").out


def test_directory_is_told_with_its_memories_and_index(run: Run, clean: Path) -> None:
    write_files(clean, {"user_role.md": memory("role", kind="user"), "plain.md": "Text.\n"})
    out = run("doctor").out
    assert "\n  .claude/memory\n    3 memories (" in out
    for part in ("1 project", "1 user", "1 no type"):
        assert part in out
    assert "    index: 1 of 200 lines, 55 of 25,000 bytes that agents load\n" in out


def test_directory_without_an_index_is_told(run: Run, project: Path) -> None:
    write_files(project / ".claude" / "memory", {"a.md": memory("a")})
    assert "    no index MEMORY.md\n" in run("doctor").out


def test_counts_are_those_of_check(run: Run, clean: Path) -> None:
    body = "The tables hang beside the door, and a copy of them is in the drawer.\n"
    write_files(
        clean,
        {
            "MEMORY.md": "- [a](tide-tables.md)\n- [b](twin.md)\n- [c](gone.md)\n",
            "tide-tables.md": memory(body=body),
            "twin.md": memory("Twin", body=body),
        },
    )
    summary = run("check").out.splitlines()[-1]
    assert summary == "Found 1 error, 2 information, 1 hint in 3 files."
    out = run("doctor").out
    assert "    findings: 1 error, 2 information, 1 hint (memory-ls check .claude/memory)\n" in out


def test_settings_files_and_their_faults_are_told(run: Run, clean: Path) -> None:
    write_files(clean, {".memory-ls.toml": "indexMaxLine = 3\n"})
    out = run("doctor").out
    assert "    settings from .claude/memory/.memory-ls.toml\n" in out
    assert '    setting-invalid: There is no setting "indexMaxLine".' in out


def test_no_directory_is_told_and_no_failure(run: Run) -> None:
    outcome = run("doctor")
    assert outcome.status == 0
    assert "  none here: make one with an index MEMORY.md, or name it with --directory\n" in outcome.out


def test_directory_that_cannot_be_read_is_status_1(run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(root: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(loader, "load", refuse)
    outcome = run("doctor")
    assert outcome.status == 1
    assert "can't be read: Permission denied." in outcome.out


def test_directory_that_cannot_be_written_is_told(run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "    not writable: checking works, changing does not\n" in run("doctor").out


def test_directory_may_be_named(run: Run, clean: Path, project: Path) -> None:
    write_files(project / "notes", {"a.md": memory("a")})
    out = run("doctor", "-d", "notes").out
    assert "  notes\n    1 memory" in out
    assert ".claude" not in out


def test_nothing_that_steers_a_terminal_is_shown(run: Run, project: Path) -> None:
    write_files(
        project / "a\x1b[31m" / "memory",
        {"MEMORY.md": "- [a](a.md)\n", "a.md": '---\nname: a\ntype: "x\\e[31m\\u202E"\n---\nText.\n'},
    )
    out = run("doctor").out
    assert "\x1b" not in out
    assert "\u202e" not in out
