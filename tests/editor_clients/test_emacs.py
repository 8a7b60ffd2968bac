"""The server in the real Emacs, through Eglot, with the settings that the README of the clients gives."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.editor


def test_eglot_works_with_the_settings_of_the_readme(emacs: str, environment: dict[str, str], tmp_path: Path) -> None:
    readme = (ROOT / "editor-clients" / "README.md").read_text(encoding="utf-8")
    configuration = tmp_path / "init.el"
    configuration.write_text("\n".join(re.findall(r"```elisp\n(.*?)```", readme, re.DOTALL)), encoding="utf-8")
    assert "eglot" in configuration.read_text(encoding="utf-8")
    work = Path(os.path.realpath(tmp_path)) / "work"
    work.mkdir()
    spec = Path(__file__).with_name("emacs_spec.el")
    done = subprocess.run(
        [emacs, "-Q", "--batch", "-l", str(spec), "-f", "memory-ls-spec", str(configuration), str(work)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("passed, 0 failed")
