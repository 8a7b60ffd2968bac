"""A server with a workspace of two memory directories, which each test has to itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_ls.store.store import Store
from tests.making import memory, write_files
from tests.server.client import Client
from tests.server.commands.asking import run

FILES = {
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md)\n",
    "ferry.md": memory("ferry", "The boat", kind="reference", body="It leaves at six.\n\n## Why\n\nThe tide.\n"),
    "team/user_rota.md": memory("停航", "Who works", body="[[nobody]]\n"),
    "Buoy.md": memory("Buoy", "", kind="feedback", body=""),
    "README.md": "# Not a memory\n",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home directory of the server."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def shared(home: Path) -> Iterator[Client]:
    client = Client(home)
    client.initialize("vscode")
    yield client
    try:
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


@pytest.fixture
def work(shared: Client, tmp_path: Path) -> Iterator[Path]:
    """Two memory directories, ``one/memory`` and ``two/notes``, in the workspace."""
    write_files(tmp_path / "one/memory", FILES)
    write_files(tmp_path / "two/notes", {"MEMORY.md": "- [[ferry]]\n", "ferry.md": memory("ferry", "Another boat")})
    shared.change_folders(added=[tmp_path / "one", tmp_path / "two"])
    yield tmp_path
    shared.change_folders(removed=[tmp_path / "one", tmp_path / "two"])
    shared.wait(lambda: run(shared, "status")["directories"] == [], "an empty workspace")


@pytest.fixture
def store(home: Path, work: Path) -> Store:
    """The server's own store of ``one/memory``."""
    return Store(work / "one/memory", home / "state/memory-ls")


def contents(root: Path) -> dict[str, bytes]:
    """Every file below ``root`` with its bytes."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
