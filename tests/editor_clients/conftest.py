"""What the tests in real editors share: an environment of their own, and the editors."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

_SCRIPTS = Path(sys.executable).parent
_ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment of its own for each test: no settings of the user's, and `memory-ls`, from here, on the PATH."""
    variables = dict(os.environ)
    variables["PATH"] = f"{_SCRIPTS}{os.pathsep}{variables['PATH']}"
    variables["PYTHONPATH"] = str(_ROOT)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        variables[name] = str(tmp_path / name.lower())
        os.makedirs(variables[name])
    return variables


def _editor(command: str, environment: dict[str, str]) -> str:
    """The path of an editor; without it the test is skipped, except where the editors are required."""
    found = shutil.which(command, path=environment["PATH"])
    if found is not None:
        return found
    if os.environ.get("MEMORY_LS_REQUIRE_EDITORS"):
        pytest.fail(f"{command} is required here and not on the PATH")
    pytest.skip(f"there is no {command} on this machine")


@pytest.fixture
def nvim(environment: dict[str, str]) -> str:
    """The path of Neovim."""
    return _editor("nvim", environment)


@pytest.fixture
def emacs(environment: dict[str, str]) -> str:
    """The path of Emacs."""
    return _editor("emacs", environment)
