"""What holds for every model: what is counted, and what may be told of a failure."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.pipeline.models.model import Completion, Meter, ModelError, Usage, estimated_tokens, quotable
from tests.pipeline.test_redact import GITHUB

PROMPT = "The harbour master wants tide tables in metres. 潮汐表里的单位一律用米，不要用英尺。"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("loading…\n\nno such model\n", "no such model"),
        ("no\tsuch   model", "no such model"),
        ("", ""),
        ("x" * 500, "x" * 159 + "…"),
        ("bad input: The harbour master wants", ""),
        ("BAD: theHARBOURmaster", ""),
        ("单位一律用米，不要用英尺", ""),
        ("harbour", ""),
        (f"token {GITHUB}", ""),
    ],
)
def test_last_line_is_told_where_it_repeats_nothing(said: str, told: str) -> None:
    assert quotable(said, PROMPT) == told


@given(st.text(max_size=60), st.integers(0, 30), st.integers(12, 40), st.text(max_size=60))
def test_no_dozen_letters_of_a_prompt_are_told(before: str, start: int, length: int, after: str) -> None:
    part = PROMPT[start : start + length]
    assert part not in quotable(f"{before}{part}{after}", PROMPT) or len("".join(part.split())) < 12


@given(st.text())
def test_tokens_are_never_estimated_below_a_quarter_of_the_letters(text: str) -> None:
    assert estimated_tokens(text) >= len(text) / 4
    assert estimated_tokens(text) <= len(text)


class Half:
    """A model that answers every second prompt."""

    def __init__(self) -> None:
        self.asked = 0

    async def complete(self, system: str, prompt: str, schema: Any, max_tokens: int) -> Completion:
        self.asked += 1
        if self.asked % 2:
            return Completion("{}", Usage(1, 100, 10), model="quay-1")
        raise ModelError("refused", "No.", "Ask another.", Usage(1, 50, 1))


def test_meter_counts_what_failed_too() -> None:
    meter = Meter(Half())

    async def four() -> None:
        for _ in range(2):
            await meter.complete("", "", {}, 1)
            with pytest.raises(ModelError):
                await meter.complete("", "", {}, 1)

    asyncio.run(four())
    assert meter.usage == Usage(4, 300, 22)
    assert meter.usage.as_json() == {"calls": 4, "inputTokens": 300, "outputTokens": 22}
    assert meter.model_name == "quay-1"


def test_meter_counts_what_was_given_up() -> None:
    class Slow:
        async def complete(self, system: str, prompt: str, schema: Any, max_tokens: int) -> Completion:
            await asyncio.sleep(60)
            return Completion("")

    meter = Meter(Slow())

    async def cancelled() -> None:
        task = asyncio.create_task(meter.complete("", "", {}, 1))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert meter.usage == Usage(1)
