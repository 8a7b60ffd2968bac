"""A process that dies at any moment leaves each file old or new, and no operation half done after the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_processes_killed_at_random_points_lose_nothing() -> None:
    program = Path(__file__).with_name("kill.py")
    done = subprocess.run([sys.executable, program, "--runs", "50"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runs 50" in done.stdout
    assert "cut off" in done.stdout
