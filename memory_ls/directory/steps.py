"""Work done in steps: a generator that yields between them and returns what came out of it."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

_Result = TypeVar("_Result")


def result_of(steps: Generator[object, None, _Result]) -> _Result:
    """Runs ``steps`` to their end without a pause; what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: _Result = done.value
            return result
