"""A project in a directory of its own, a home that is empty, and two ways to run the command in it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from click.testing import CliRunner

from memory_ls.cli.main import cli

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it wrote."""

    status: int
    out: str
    err: str


class Run(Protocol):
    """Runs ``memory-ls`` in this process."""

    def __call__(self, *arguments: str) -> Outcome: ...


class Command(Protocol):
    """Runs ``python -m memory_ls`` as a process of its own."""

    def __call__(
        self, *arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> Outcome: ...


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, empty, with an empty home beside it."""
    home, here = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    here.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".state"))
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.chdir(here)
    return here


@pytest.fixture(autouse=True)
def _collecting() -> Iterator[None]:
    """The command turns garbage collection off for the rest of its process, which here is that of all tests."""
    yield
    gc.enable()


@pytest.fixture
def run() -> Run:
    def run_here(*arguments: str) -> Outcome:
        result = CliRunner().invoke(cli, list(arguments), prog_name="memory-ls")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout_bytes.decode(), result.stderr_bytes.decode())

    return run_here


@pytest.fixture
def command() -> Command:
    def run_apart(*arguments: str, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "memory_ls", *arguments],
            cwd=cwd,
            env=environment_with(environment or {}),
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    return run_apart


def memory(
    name: str = "tide-tables",
    description: str = "Where the tide tables are kept",
    kind: str = "project",
    body: str = "The tables hang beside the door.\n",
    *,
    nested: bool = True,
) -> str:
    """The text of a memory, in the nested form or else the flat one."""
    type_lines = f"metadata:\n  type: {kind}" if nested else f"type: {kind}"
    return f"---\nname: {name}\ndescription: {description}\n{type_lines}\n---\n\n{body}"


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes ``files`` below ``root`` and returns it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def environment_with(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that finds the package wherever it runs."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **changes}


@pytest.fixture
def clean(project: Path) -> Path:
    """A memory directory in the project in which no rule finds anything."""
    return write_files(
        project / ".claude" / "memory",
        {"MEMORY.md": "- [Tide tables](tide-tables.md) — where they are kept\n", "tide-tables.md": memory()},
    )


@pytest.fixture
def faulty(clean: Path) -> Path:
    """A memory directory with a dead link in its index, an error, and a hint in a memory."""
    return write_files(
        clean,
        {
            "MEMORY.md": "- [Tide tables](tide-tables.md) — where they are kept\n- [Gone](gone.md) — not there\n",
            "tide-tables.md": memory(name="Tide Tables"),
        },
    )
