"""Servers for the tests: one for each recorded client that many tests share, and fresh ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.server.client import CLIENTS, Client

Start = Callable[..., Client]


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Client]]:
    """The servers that tests share, started when first asked for. A directory is loaded when a file in it is opened."""
    running: dict[str, Client] = {}

    def get(name: str) -> Client:
        if name not in running:
            running[name] = Client(tmp_path_factory.mktemp("home"))
            running[name].initialize(name)
        return running[name]

    with ExitStack() as stack:
        yield get
        for client in running.values():
            stack.callback(client.end)
        for client in running.values():
            assert client.leave() == 0
            client.check()


@pytest.fixture(params=list(CLIENTS))
def client(request: pytest.FixtureRequest, servers: Callable[[str], Client]) -> Iterator[Client]:
    """Each of the recorded clients, with a server that other tests use too."""
    shared = servers(request.param)
    yield shared
    shared.check()


@pytest.fixture
def emacs(servers: Callable[[str], Client]) -> Iterator[Client]:
    """The client that counts characters as Python does, with a server that other tests use too."""
    shared = servers("emacs")
    yield shared
    shared.check()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a server of the test's own; its log must be empty at the end unless ``quiet`` is false."""
    with ExitStack() as stack:
        started: list[tuple[Client, bool]] = []

        def make(*, quiet: bool = True, **more: Any) -> Client:
            own = Client(tmp_path / f"home{len(started)}", **more)
            stack.callback(own.end)
            started.append((own, quiet))
            return own

        yield make
        for own, quiet in started:
            own.check(quiet=quiet)
