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
CASES = ROOT / "tests" / "directory" / "discovery_cases.json"
SPECS = sorted(Path(__file__).with_name("neovim").glob("*_spec.lua"))

pytestmark = pytest.mark.editor


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem.removesuffix("_spec"))
def test_the_client_works_through_neovims_own_language_client(
    nvim: str, environment: dict[str, str], tmp_path: Path, spec: Path
) -> None:
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
    steps = ("Diagnostics", "Hover", "Completion", "Definition", "References", "Symbols", "Code lenses", "Inlay hints")
    for step in (
        *steps,
        "The disk",
        "Quick fix",
        "Rename",
        "A new memory",
        ":Memory consolidate",
        "Undo",
        "That was the tour",
    ):
        assert step in done.stdout


_PLAIN_PATH = f"vim.opt.runtimepath:append({str(CLIENT)!r})"


@pytest.mark.parametrize(
    ("place", "first"),
    [(None, _PLAIN_PATH), ("start", ""), ("opt", "vim.cmd.packadd('memory-ls')")],
    ids=["plain path", "start package", "opt package"],
)
def test_it_is_installed_as_the_readme_says(
    nvim: str, environment: dict[str, str], tmp_path: Path, place: str | None, first: str
) -> None:
    if place is not None:
        package = Path(environment["XDG_DATA_HOME"], "nvim", "site", "pack", "memory-ls", place)
        package.mkdir(parents=True)
        (package / "memory-ls").symlink_to(CLIENT)
    config = Path(environment["XDG_CONFIG_HOME"], "nvim")
    config.mkdir()
    (config / "init.lua").write_text(f"{first}\nvim.lsp.enable('memory_ls')\n", encoding="utf-8")
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("- [Lost](lost.md)\n", encoding="utf-8")
    done = subprocess.run(
        [nvim, "--headless", "MEMORY.md", "-c", f"luafile {Path(__file__).with_name('neovim') / 'installed.lua'}"],
        cwd=memory,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "index-dead-link\nmemory_ls.commands is loaded by :Memory\n"), (
        done.stderr
    )
