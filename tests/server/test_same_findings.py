"""The command line and the server find the same, at the same places, in the same words."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from tests.server.client import CLIENTS, Client
from tests.server.conftest import Start
from tests.server.generated import write_directory
from tests.server.positions import place

_SAMPLE = Path(__file__).parents[2] / "editor-clients" / "sample" / "memory"
_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}
_DIRECTORIES = 24


class Finding(NamedTuple):
    path: str
    start: tuple[int, int]
    end: tuple[int, int]
    severity: str
    code: str
    message: str


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("work")
    for seed in range(_DIRECTORIES):
        write_directory(root / f"project{seed}" / ".claude" / "memory", seed)
    shutil.copytree(_SAMPLE, root / "sample" / "memory")
    return root


@pytest.fixture(scope="module")
def expected(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """What the command line finds."""
    home = str(tmp_path_factory.mktemp("home"))
    done = subprocess.run(
        [sys.executable, "-m", "memory_ls", "check", "--format", "json", str(workspace)],
        cwd=workspace,
        env={**os.environ, "HOME": home, "XDG_CONFIG_HOME": home, "PYTHONPATH": os.getcwd()},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    return sorted(
        Finding(
            item["path"],
            (item["range"]["start"]["line"] - 1, item["range"]["start"]["column"] - 1),
            (item["range"]["end"]["line"] - 1, item["range"]["end"]["column"] - 1),
            item["severity"],
            item["code"],
            item["message"],
        )
        for item in json.loads(done.stdout)["diagnostics"]
    )


@cache
def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig", "replace") if path.is_file() else ""


def published(client: Client, root: Path) -> Iterator[Finding]:
    for name, params in client.all_published().items():
        path = Path(unquote(name.removeprefix("file://")))
        text = read(path)
        for item in params["diagnostics"]:
            yield Finding(
                path.relative_to(root).as_posix(),
                place(text, item["range"]["start"], client.encoding),
                place(text, item["range"]["end"], client.encoding),
                _SEVERITIES[item["severity"]],
                item["code"],
                item["message"],
            )


@pytest.mark.parametrize("name", CLIENTS)
def test_the_server_finds_what_the_command_line_finds(
    start: Start, workspace: Path, expected: list[Finding], name: str
) -> None:
    client = start()
    client.initialize(name, workspace)

    def is_same() -> bool:
        # Counted first, since to compare all at each of a thousand messages takes long.
        count = sum(len(params["diagnostics"]) for params in client.all_published().values())
        return count == len(expected) and sorted(published(client, workspace)) == expected

    try:
        client.wait(is_same, "the same findings")
    except AssertionError:
        # Told here since the difference says more than that there is one.
        found = sorted(published(client, workspace))
        assert [item for item in found if item not in expected] == []
        assert [item for item in expected if item not in found] == []
        assert found == expected
        raise
    client.barrier()
    assert sorted(published(client, workspace)) == expected


def test_the_generated_directories_hold_nearly_every_fault(expected: list[Finding]) -> None:
    assert len({finding.code for finding in expected}) >= 40
