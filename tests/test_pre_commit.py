"""The hooks for pre-commit do before a commit what they should: each is run as pre-commit runs it, without its network."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}

GOOD = "---\nname: harbour-pilot\ndescription: 谁掌舵\nmetadata:\n  type: user\n---\n\nSteers by hand.\n"
DEAD_LINK = GOOD.replace("by hand", "as [[nobody]] does")
SAFE_TO_MEND = GOOD.replace("name: harbour-pilot\n", "")
INDEX = "- [Harbour pilot](harbour-pilot.md) — 谁掌舵\n"
MEMORY = ".claude/memory/harbour-pilot.md"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository with a memory directory, and with markdown that is none of its memories."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    root = tmp_path / "repository"
    root.mkdir()
    _git(root, "init", "-q")
    _write(root, "README.md", "# Hafen\n\n[[nobody]]\n")
    _write(root, "posts/first.md", "---\ntitle: First\n---\n\n[[nobody]]\n")
    _write(root, "pilot.py", "print('steer')\n")
    _write(root, ".claude/memory/README.md", "About this directory.\n")
    _write(root, ".claude/memory/MEMORY.md", INDEX)
    _write(root, MEMORY, GOOD)
    return root


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def _write(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text, encoding="utf-8")


def _run(name: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Runs a hook over all files that git has staged, as pre-commit does."""
    hook = HOOKS[name]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "memory-ls"
    assert hook["types"] == ["markdown"]
    _git(root, "add", "--all")
    staged = _git(root, "diff", "--cached", "--name-only", "--diff-filter=ACMRTUXB").splitlines()
    files = [file for file in staged if file.endswith(".md")]
    assert hook.keys() & {"args", "pass_filenames", "files", "exclude"} == set()
    return subprocess.run(
        [sys.executable, "-m", "memory_ls", *arguments, *files],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_package_installs_the_program_that_the_hooks_run() -> None:
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "memory-ls" in package["project"]["scripts"]
    assert {hook["language"] for hook in HOOKS.values()} == {"python"}


@pytest.mark.parametrize("name", HOOKS)
def test_good_memories_and_other_markdown_pass(name: str, repository: Path) -> None:
    done = _run(name, repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert _git(repository, "diff") == ""


@pytest.mark.parametrize("name", HOOKS)
def test_a_commit_without_any_memory_passes(name: str, repository: Path) -> None:
    for path in (MEMORY, ".claude/memory/MEMORY.md"):
        (repository / path).unlink()
    done = _run(name, repository)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", HOOKS)
def test_what_is_wrong_in_a_memory_stops_the_commit_and_is_told(name: str, repository: Path) -> None:
    _write(repository, MEMORY, DEAD_LINK)
    done = _run(name, repository)
    assert done.returncode == 1
    assert f"{MEMORY}:8:13: warning[link-dead]" in done.stdout
    assert "posts" not in done.stdout
    assert _git(repository, "diff") == ""


def test_what_is_safe_to_mend_is_mended_by_its_own_hook_alone(repository: Path) -> None:
    _write(repository, MEMORY, SAFE_TO_MEND)
    assert _run("memory-ls-check", repository).returncode == 1
    assert _git(repository, "diff") == ""
    assert _run("memory-ls-fix", repository).returncode == 0
    assert (repository / MEMORY).read_text(encoding="utf-8") == GOOD
    # What a hook changed stops the commit; git has to be given it first.
    assert MEMORY in _git(repository, "diff", "--name-only")
