"""How fast memory-ls is, beside the least that its libraries allow on the same machine in the same minutes.

``python tests/benchmarks/run.py [--files 100 1000 10000] [--rounds N] [--json FILE] [--gate]``

Machines differ and are noisy, so what counts is the ratio to the floor of the same run: a bare pygls server
(``floor_server.py``) for latencies, a bare read and parse of all files (``floor_check.py``) for whole
directories. Values are medians over the rounds, with the least and the greatest in parentheses; ``ratio`` is the
median of the rounds' ratios, ``best`` compares the best round of each, which says more where others use the machine.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    # Run by its path, Python looks for modules beside this file, and they are named from the project's root.
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from tests.benchmarks.generate import generate
from tests.benchmarks.measure import QUICK, Effort, Series, growth, rounds

MOST_GROWTH = 1.3
_GATE_FILES = 2_000
# From this spread of the floor's own values on, a row is called noisy.
_NOISY = 1.5


class Row(NamedTuple):
    """A line of the table: a measured value, and the value of the floor that it is compared with."""

    label: str
    ours: str
    floor: str
    unit: str = "ms"


ROWS = (
    Row("check, whole process", "check", "check"),
    Row("check, processor time", "check cpu", "check cpu"),
    Row("start to initialize answered", "init", "init"),
    Row("initialized to first diagnostics of an open memory", "ready", "ready"),
    Row("initialized to whole directory settled / check floor", "settled", "check"),
    Row("keystroke in a memory p50", "key p50", "key p50"),
    Row("keystroke in a memory p95", "key p95", "key p95"),
    Row("keystroke after a pause, worst", "key after pause", "key after pause"),
    Row("keystroke in the index p50", "index key p50", "index key p50"),
    Row("keystroke in the index p95", "index key p95", "index key p95"),
    Row("completion of [[ while typing p50", "completion p50", "completion p50"),
    Row("completion of [[ while typing p95", "completion p95", "completion p95"),
    Row("hover p50", "hover p50", "hover p50"),
    Row("hover p95", "hover p95", "hover p95"),
    Row("definition p50", "definition p50", "definition p50"),
    Row("references p50", "references p50", "references p50"),
    Row("references p95", "references p95", "references p95"),
    Row("outline of a memory p50", "outline p50", "outline p50"),
    Row("search over all memories p50", "search p50", "search p50"),
    Row("search over all memories p95", "search p95", "search p95"),
    Row("told of a file on the disk p50", "told p50", "told p50"),
    Row("told of a file on the disk p95", "told p95", "told p95"),
    Row("peak memory", "peak", "peak", "MB"),
)


class Target(NamedTuple):
    """What is wanted at a size: a ratio of at most ``limit`` to the floor or, with no floor, so many milliseconds."""

    label: str
    files: int
    ours: str
    floor: str
    limit: float


TARGETS = (
    Target("check / check floor", 10_000, "check", "check", 2.5),
    Target("keystroke p95 / bare round trip p95", 1_000, "key p95", "key p95", 3.0),
    Target("keystroke p95 / bare round trip p95", 10_000, "key p95", "key p95", 3.0),
    Target("keystroke in the index p50, ms", 10_000, "index key p50", "", 21.0),
    Target("references p50, ms", 10_000, "references p50", "", 10.0),
    Target("search over all memories p50, ms", 10_000, "search p50", "", 10.0),
    Target("a file on the disk, seen by the server, p50, ms", 10_000, "seen p50", "", 150.0),
    Target("first diagnostics / check floor", 10_000, "ready", "check", 2.9),
)

_Results = dict[int, Series]


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints the tables, and returns the exit status: 1 when the growth gate fails."""
    given = _arguments(argv)
    with tempfile.TemporaryDirectory(prefix="memory-ls-benchmark-") as scratch:
        place = Path(os.path.realpath(scratch))
        if given.gate:
            return _gate(place, given.rounds or 5, given.quick)
        results = _measured(place, given.files, given.rounds or (1 if given.quick else 5), given.quick)
    for files, series in results.items():
        print("\n".join(_table(files, series)), end="\n\n")
    print("\n".join(_targets(results)))
    if given.json:
        given.json.write_text(json.dumps(_record(results), indent=1), encoding="utf-8")
    return 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[100, 1_000, 10_000], help="sizes of the directory")
    parser.add_argument("--rounds", type=int, help="how often everything is measured (5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every round's values to FILE")
    parser.add_argument(
        "--gate",
        action="store_true",
        help=f"only see whether a keystroke takes more than {MOST_GROWTH} times as long in a directory twice the size",
    )
    parser.add_argument("--quick", action="store_true", help="few repetitions: shows that it runs, not how fast")
    return parser.parse_args(argv)


def _measured(place: Path, sizes: Sequence[int], count: int, quick: bool) -> _Results:
    results: _Results = {}
    for files in sizes:
        sample = generate(place / f"{files}" / "memory", files)
        results[files] = rounds(sample, count, QUICK if quick else Effort(), _teller(files))
    return results


def _teller(files: int) -> Callable[[str], None]:
    return lambda text: print(f"{files:,} memories: {text}", file=sys.stderr, flush=True)


# ---- the growth gate


def growth_ratio(place: Path, files: int, count: int, keystrokes: int) -> float:
    """How many times as long a keystroke takes in twice as many memories as ``files``: the median of the rounds."""
    small = generate(place / "small" / "memory", files)
    large = generate(place / "large" / "memory", 2 * files)
    return statistics.median(growth(small, large, count, keystrokes))


def _gate(place: Path, count: int, quick: bool) -> int:
    files, keystrokes = (100, 10) if quick else (_GATE_FILES, 60)
    ratio = growth_ratio(place, files, count, keystrokes)
    passed = ratio <= MOST_GROWTH
    print(
        f"A keystroke in {2 * files:,} memories takes {ratio:.2f} times as long as in {files:,}; "
        f"at most {MOST_GROWTH} is allowed: {'pass' if passed else 'MISS'}"
    )
    return 0 if passed else 1


# ---- what is printed


def _table(files: int, series: Series) -> Iterator[str]:
    yield f"{files:,} memories {'memory-ls (min-max)':>68} {'floor (min-max)':>30} {'ratio':>8} {'best':>8}"
    for row in ROWS:
        ours, floor = series.ours[row.ours], series.floor[row.floor]
        noisy = "  noisy" if max(floor) > _NOISY * min(floor) else ""
        values = f"{_spread(ours, row.unit):>30} {_spread(floor, row.unit):>30}"
        yield f"{row.label:<54} {values} {_ratio(ours, floor):>7.2f}x {_quotient(min(ours), min(floor)):>7.2f}x{noisy}"
    if any(series.ours["unlike"]):
        yield f"When all was quiet, {max(series.ours['unlike']):.0f} documents had other findings than `check` has."


def _spread(values: Sequence[float], unit: str) -> str:
    if math.isnan(values[0]):
        return "not known here"
    return f"{_short(statistics.median(values))} {unit} ({_short(min(values))}-{_short(max(values))})"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"


def _ratio(ours: Sequence[float], floor: Sequence[float]) -> float:
    """The median of the rounds' ratios: what slowed a whole round slowed both."""
    return statistics.median(_quotient(a, b) for a, b in zip(ours, floor, strict=True))


def _quotient(ours: float, floor: float) -> float:
    """A ratio; not a number where the system does not tell what it is of."""
    return ours / floor if floor else math.nan


def _targets(results: _Results) -> Iterator[str]:
    wanted = [target for target in TARGETS if target.files in results]
    if wanted:
        yield f"{'target':<54} {'memories':>8} {'at most':>8} {'measured':>9}"
    for target in wanted:
        measured = _reached(target, results[target.files])
        verdict = "pass" if measured <= target.limit else "MISS"
        yield f"{target.label:<54} {target.files:>8,} {target.limit:>8g} {measured:>9.2f}  {verdict}"


def _reached(target: Target, series: Series) -> float:
    ours = series.ours[target.ours]
    return _ratio(ours, series.floor[target.floor]) if target.floor else statistics.median(ours)


def _record(results: _Results) -> dict[str, Any]:
    machine = {"python": platform.python_version(), "system": platform.platform(), "processors": os.cpu_count()}
    sizes = {str(files): {"ours": series.ours, "floor": series.floor} for files, series in results.items()}
    return {"version": 1, "machine": machine, "sizes": sizes}


if __name__ == "__main__":
    sys.exit(main())
