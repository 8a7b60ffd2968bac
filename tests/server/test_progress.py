"""Progress: shown where somebody wants to see it, ended exactly once, and a way to end the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from memory_ls.server import progress as module
from memory_ls.server.app import create
from memory_ls.server.progress import ProgressReports
from tests.making import memory, write_files
from tests.server.client import CLIENTS, JSON, Answer, Client, recording
from tests.server.conftest import Start

CREATE = "window/workDoneProgress/create"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory directory that takes a while to read."""
    files = {f"n{number:04}.md": memory(f"n{number:04}", body="Text.\n" * 20) for number in range(4000)}
    return write_files(tmp_path_factory.mktemp("many") / "memory", {**files, "MEMORY.md": "# I\n"})


@pytest.fixture(scope="module", params=list(CLIENTS))
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    client = Client(tmp_path_factory.mktemp("home"))
    client.initialize(request.param)
    yield client
    try:
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


def ask(client: Client, command: str, token: object = None) -> int:
    more = {"workDoneToken": token} if token is not None else {}
    return client.ask("workspace/executeCommand", {"command": f"memoryLs.{command}", "arguments": [], **more})


def begin(start: Start, root: Path, command: str = "list", token: object = None) -> tuple[Client, int, list[JSON]]:
    """A command that has to wait until a large directory is read, and what is told of its progress."""
    client = start()
    heard: list[JSON] = []
    if token is not None:
        client.heard[token] = heard
    client.initialize("neovim", root)
    return client, ask(client, command, token), heard


def kinds(values: list[JSON]) -> list[str]:
    return [value["kind"] for value in values]


@pytest.mark.parametrize("token", ["mine", 7, ""])
def test_with_the_clients_token_it_shows_from_the_start(shared: Client, token: object) -> None:
    heard = shared.heard[token] = []
    assert shared.answer(ask(shared, "status", token)) is not None
    assert kinds(heard) == ["begin", "end"]
    assert heard[0]["title"] == "Memory status"
    assert heard[0]["cancellable"] is True
    assert shared.requested(CREATE) == []


def test_it_ends_also_when_the_command_fails(shared: Client) -> None:
    heard = shared.heard["failing"] = []
    with pytest.raises(Answer):
        shared.answer(ask(shared, "list", "failing"))  # there is no directory
    assert kinds(heard) == ["begin", "end"]


def test_nothing_shows_of_a_command_that_is_refused(shared: Client) -> None:
    heard = shared.heard["refused"] = []
    with pytest.raises(Answer):
        shared.answer(ask(shared, "none", "refused"))
    assert heard == []


@pytest.mark.parametrize("way", ["$/cancelRequest", "window/workDoneProgress/cancel"])
def test_work_is_cancelled(start: Start, many: Path, way: str) -> None:
    client, number, heard = begin(start, many, token="mine")
    client.wait(lambda: kinds(heard) == ["begin"], "the begin")
    assert client.answers.get(number) is None
    client.notify(way, {"id": number} if way == "$/cancelRequest" else {"token": "mine"})
    with pytest.raises(Answer) as error:
        client.answer(number)
    assert error.value.code == -32800
    client.barrier()
    assert kinds(heard) == ["begin", "end"]
    # Once more, and what is over, and what never was: all the same.
    client.notify(way, {"id": number} if way == "$/cancelRequest" else {"token": "mine"})
    client.notify("window/workDoneProgress/cancel", {"token": "never"})
    client.notify("window/workDoneProgress/cancel", {"token": 3})
    assert len(client.answer(ask(client, "list"))) == 4000


def test_one_of_two_is_cancelled(start: Start, many: Path) -> None:
    client, first, heard = begin(start, many, token="first")
    other = client.heard["second"] = []
    second = ask(client, "read", "second")
    client.wait(lambda: kinds(other) == ["begin"], "the begin")
    client.notify("window/workDoneProgress/cancel", {"token": "first"})
    with pytest.raises(Answer):
        client.answer(first)
    assert len(client.answer(second)) == 4000
    assert (kinds(heard), kinds(other)) == (["begin", "end"], ["begin", "end"])


# ---- without a server


class Shown:
    """What a client is shown. It answers the request for a token when it is told to."""

    def __init__(self, *, is_shown: bool = True) -> None:
        self.values: list[tuple[int | str, str]] = []
        self.asked: list[types.WorkDoneProgressCreateParams] = []
        self.answers: list[Callable[[Any], None]] = []
        self.reports = ProgressReports(self._notify, self._ask)
        self.reports.is_shown = is_shown

    def _notify(self, method: str, params: object) -> None:
        assert method == "$/progress"
        assert isinstance(params, types.ProgressParams)
        assert params.value is not None
        self.values.append((params.token, params.value.kind))

    def _ask(self, method: str, params: object, then: Callable[[Any], None]) -> None:
        assert method == CREATE
        assert isinstance(params, types.WorkDoneProgressCreateParams)
        self.asked.append(params)
        self.answers.append(then)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LONG", 0.01)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def awaited() -> None:
        await asyncio.wait_for(_awaited(scenario), 10)

    asyncio.run(awaited())


async def _awaited(scenario: Callable[[], Awaitable[None]]) -> None:
    await scenario()


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_long_work_is_shown_to_those_who_want_to_see_it() -> None:
    async def scenario() -> None:
        shown = Shown()
        async with shown.reports.of("Reading"):
            await until(lambda: shown.answers)
            assert shown.values == []  # the client has not agreed yet
            shown.answers[0](None)
            [token] = [params.token for params in shown.asked]
            assert isinstance(token, str)  # the one kind that all editors take
            assert shown.values == [(token, "begin")]
        assert shown.values == [(token, "begin"), (token, "end")]

    run(scenario)


@pytest.mark.parametrize("name", CLIENTS)
def test_it_is_the_client_who_says_whether_it_wants_to_see_it(name: str) -> None:
    recorded = recording(name)
    raw = {"processId": None, "capabilities": recorded["capabilities"]}
    server = create()
    assert not server.shown_progress.is_shown
    server.meet(get_converter().structure(raw, types.InitializeParams))
    assert server.shown_progress.is_shown == bool(recorded["capabilities"].get("window", {}).get("workDoneProgress"))


def test_short_work_is_shown_to_nobody() -> None:
    async def scenario() -> None:
        shown = Shown()
        async with shown.reports.of("Reading"):
            pass
        await asyncio.sleep(0.05)
        assert (shown.values, shown.asked) == ([], [])

    run(scenario)


def test_a_client_that_offers_nothing_is_shown_nothing_but_what_it_asked_for() -> None:
    async def scenario() -> None:
        shown = Shown(is_shown=False)
        async with shown.reports.of("Reading"):
            await asyncio.sleep(0.05)
        assert (shown.values, shown.asked) == ([], [])
        async with shown.reports.of("Reading", 3):
            assert shown.values == [(3, "begin")]
        assert shown.values == [(3, "begin"), (3, "end")]

    run(scenario)


def test_the_clients_agreement_comes_too_late() -> None:
    async def scenario() -> None:
        shown = Shown()
        async with shown.reports.of("Reading"):
            await until(lambda: shown.answers)
        shown.answers[0](None)
        assert shown.values == []

    run(scenario)


def test_the_client_refuses() -> None:
    async def scenario() -> None:
        shown = Shown()
        async with shown.reports.of("Reading"):
            await until(lambda: shown.answers)  # and no answer ever comes
        assert shown.values == []

    run(scenario)


def test_tokens_differ() -> None:
    async def scenario() -> None:
        shown = Shown()
        async with shown.reports.of("Reading"), shown.reports.of("Writing"):
            await until(lambda: len(shown.answers) == 2)
        assert len({params.token for params in shown.asked}) == 2

    run(scenario)


def test_what_may_not_be_cancelled_goes_on() -> None:
    async def scenario() -> None:
        shown = Shown()

        async def work(*, cancellable: bool) -> str:
            async with shown.reports.of("Writing", "t", cancellable=cancellable):
                await asyncio.sleep(0.02)
                return "done"

        kept = asyncio.create_task(work(cancellable=False))
        await until(lambda: shown.values)
        shown.reports.cancel("t")
        assert await kept == "done"
        ended = asyncio.create_task(work(cancellable=True))
        await until(lambda: len(shown.values) == 3)
        shown.reports.cancel("t")
        shown.reports.cancel("t")
        with pytest.raises(asyncio.CancelledError):
            await ended
        assert [kind for _, kind in shown.values] == ["begin", "end", "begin", "end"]
        shown.reports.cancel("t")

    run(scenario)


def test_a_token_that_is_in_use_twice_ends_each_work_once() -> None:
    async def scenario() -> None:
        shown = Shown()

        async def work(until_set: asyncio.Event) -> None:
            async with shown.reports.of("Reading", "t"):
                await until_set.wait()

        one, two = asyncio.Event(), asyncio.Event()
        first, second = asyncio.create_task(work(one)), asyncio.create_task(work(two))
        await until(lambda: len(shown.values) == 2)
        one.set()
        await first
        # The other can still be cancelled.
        shown.reports.cancel("t")
        with pytest.raises(asyncio.CancelledError):
            await second
        assert [kind for _, kind in shown.values] == ["begin", "begin", "end", "end"]

    run(scenario)
