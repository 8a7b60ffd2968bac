"""The benchmark's tools run and tell all they should; and a keystroke does not grow with the directory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks import hovers
from tests.benchmarks.generate import generate
from tests.benchmarks.run import MOST_GROWTH, ROWS, growth_ratio, main


def test_same_count_and_seed_give_the_same_directory(tmp_path: Path) -> None:
    for name in ("a", "b"):
        generate(tmp_path / name, 30)
    a, b = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("a", "b"))
    assert a == b
    assert len(a) == 31


def test_sizes_and_lines_are_like_those_of_real_memories(tmp_path: Path) -> None:
    sample = generate(tmp_path / "memory", 400)
    sizes = sorted(file.stat().st_size for file in sample.root.iterdir() if file != sample.index)
    assert 1_400 <= sizes[200] <= 2_000
    assert 100 <= sorted(map(len, sample.index.read_text(encoding="utf-8").splitlines()))[200] <= 160


def test_quick_run_reports_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record.json"
    assert main(["--files", "40", "--quick", "--json", str(record)]) == 0
    printed = capsys.readouterr().out
    assert [row.label for row in ROWS if row.label not in printed] == []
    sizes = json.loads(record.read_text(encoding="utf-8"))["sizes"]
    assert sizes["40"]["ours"]["unlike"] == [0]
    assert all(len(values) == 1 for side in sizes["40"].values() for values in side.values())


def test_keystroke_costs_no_more_in_a_directory_twice_the_size(tmp_path: Path) -> None:
    # A ratio, since machines differ; thrice, since they are noisy: a true growth fails every time.
    ratios = []
    for attempt in range(3):
        ratios.append(growth_ratio(tmp_path / str(attempt), 400, 3, 40))
        if ratios[-1] <= MOST_GROWTH:
            return
    pytest.fail(f"A keystroke takes {ratios} times as long in twice as many memories; {MOST_GROWTH} is allowed.")


def test_hovers_are_measured_while_a_log_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert hovers.main(["--memories", "40", "--messages", "400", "--only", "dryRun"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["offline", "anthropic"]
    assert all("worst" in line and " 0 candidates" not in line for line in lines)
