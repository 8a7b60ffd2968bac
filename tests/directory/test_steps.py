"""Work done in steps."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from memory_ls.directory.steps import result_of


def test_every_step_is_done_before_the_result_comes() -> None:
    done: list[int] = []

    def steps() -> Generator[None, None, str]:
        for step in range(3):
            yield
            done.append(step)
        return "tides"

    assert result_of(steps()) == "tides"
    assert done == [0, 1, 2]


def test_what_a_step_raises_comes_through() -> None:
    def steps() -> Generator[None, None, str]:
        yield
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        result_of(steps())
