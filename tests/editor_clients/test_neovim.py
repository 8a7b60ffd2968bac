"""The client for Neovim, in the real Neovim, and the command that shows it to people."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "editor-clients" / "neovim"
SCRIPTS = Path(sys.executable).parent
CASES = ROOT / "tests" / "directory" / "discovery_cases.json"

pytestmark = pytest.mark.editor


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment of its own for each test: no settings of the user's, and `memory-ls` on the PATH."""
    variables = dict(os.environ)
    variables["PATH"] = f"{SCRIPTS}{os.pathsep}{variables['PATH']}"
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        variables[name] = str(tmp_path / name.lower())
        os.makedirs(variables[name])
    return variables


@pytest.fixture
def nvim(environment: dict[str, str]) -> str:
    """The path of Neovim; without one the test is skipped, except where the editors are required."""
    found = shutil.which("nvim", path=environment["PATH"])
    if found is None:
        if os.environ.get("MEMORY_LS_REQUIRE_EDITORS"):
            pytest.fail("Neovim is required here and not on the PATH")
        pytest.skip("there is no Neovim on this machine")
    return found


def test_the_client_works_through_neovims_own_language_client(
    nvim: str, environment: dict[str, str], tmp_path: Path
) -> None:
    spec = Path(__file__).with_name("neovim_spec.lua")
    work = Path(os.path.realpath(tmp_path)) / "work"
    work.mkdir()
    done = subprocess.run(
        [nvim, "--clean", "--headless", "-l", str(spec), str(CLIENT), str(work), str(CASES)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("passed, 0 failed")


def test_the_tour_walks_the_whole_road_without_a_terminal(nvim: str, environment: dict[str, str]) -> None:
    environment["PYTHON"] = sys.executable
    done = subprocess.run(
        [nvim, "--clean", "--headless", "-l", str(CLIENT / "try" / "tour.lua"), str(CLIENT)],
        cwd=shutil.copytree(ROOT / "editor-clients" / "sample", Path(environment["HOME"]) / "sample") / "memory",
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for step in ("Diagnostics", "Hover", "Completion", "Definition", "Mending", "That was the tour"):
        assert step in done.stdout
