"""A memory directory, a state home beside it, and the store of the one in the other."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_ls.store.store import Store
from tests.making import write_files

INDEX = "- [Tide tables](tide-tables.md) — where they are kept\n- [채팅](채팅.md)\n"
TIDES = "---\nname: tide-tables\n---\n\nIn the harbour office.\n"
CHAT = "---\r\nname: 채팅\r\n---\r\n\r\n漢字 and 😀\r\n"


@pytest.fixture(autouse=True)
def _not_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the disk has it shows only when the power fails; waiting takes most of the time. Other processes wait."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def state_home(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with an index, a memory, and one with CRLF and a byte order mark."""
    return write_files(
        tmp_path / "quay" / "memory",
        {"MEMORY.md": INDEX, "tide-tables.md": TIDES, "채팅.md": b"\xef\xbb\xbf" + CHAT.encode()},
    )


@pytest.fixture
def store(root: Path, state_home: Path) -> Store:
    return Store(root, state_home, lock_seconds=0.2)
