"""How time grows with input: doubling the input must not take much more than twice as long."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def _seconds(work: Callable[[int], object], size: int) -> float:
    gc.collect()
    gc.disable()  # a collection walks whatever else the test run holds
    try:
        start = time.process_time()
        work(size)
        return time.process_time() - start
    finally:
        gc.enable()


def assert_grows_linearly(work: Callable[[int], object], size: int, *, at_most: float = 3.0) -> None:
    """Asserts that ``work(2 * size)`` takes at most ``at_most`` times as long as ``work(size)``.

    The best of several runs on both sides, and more runs when the first look bad: what else the
    machine does can only make a run slower. Absolute times are never asserted. What takes next to
    no time is accepted, since there is nothing to measure.
    """
    single = double = float("inf")
    for _ in range(6):
        single = min(single, _seconds(work, size))
        double = min(double, _seconds(work, 2 * size))
        if double <= max(at_most * single, 0.01):
            return
    raise AssertionError(f"twice the input takes {double / single:.1f} times as long ({single:.3f} s, {double:.3f} s)")
