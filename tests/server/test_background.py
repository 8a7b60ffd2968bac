"""Background work: whatever it is at, messages are handled between, and what goes wrong is logged without text."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator

import pytest

from memory_ls.server.background import Background

SECRET = "what a memory says"


def test_long_work_lets_others_have_their_turn() -> None:
    turns: list[str] = []

    def steps() -> Generator[None, None, str]:
        for number in range(20):
            end = time.perf_counter() + 0.003
            while time.perf_counter() < end:
                pass
            turns.append(f"step {number}")
            yield
        return "done"

    async def others() -> None:
        while len(turns) < 20:
            turns.append("another")
            await asyncio.sleep(0)

    async def scenario() -> None:
        background = Background()
        other = asyncio.ensure_future(others())
        assert await background.in_slices(steps()) == "done"
        other.cancel()

    asyncio.run(scenario())
    assert turns.count("another") >= 5
    assert turns.index("another") < turns.index("step 5")


def test_a_fault_is_logged_without_its_message(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError(SECRET)

    async def scenario() -> None:
        background = Background()
        task = background.run(fail())
        await asyncio.wait([task])
        await asyncio.sleep(0)
        assert background.tasks == set()

    asyncio.run(scenario())
    assert "ValueError" in caplog.text
    assert SECRET not in caplog.text


def test_after_the_end_nothing_goes_on() -> None:
    async def scenario() -> None:
        background = Background()
        task = background.run(asyncio.sleep(60))
        background.close()
        await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(scenario())
