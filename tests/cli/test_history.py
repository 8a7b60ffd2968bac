"""``memory-ls history`` and ``memory-ls undo``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_ls.changes.plan import Plan
from memory_ls.store.store import Store
from tests.cli.conftest import Run, environment_with
from tests.store.changing import bytes_in, create, edit, plan, rename

INDEX = "- [Tide tables](tide-tables.md) — where they are kept\n"
LINE = "- [Ferry](ferry.md)\n"


def ferry(root: Path) -> Plan:
    return plan(root, create(1, "ferry.md", "At six.\n"), edit(1, "MEMORY.md", INDEX, INDEX + LINE), title="Add ferry")


def test_an_empty_history(run: Run, clean: Path) -> None:
    assert run("history").out == "Nothing was changed here yet.\n"
    assert run("history", "--format", "json").out == "[]\n"
    outcome = run("undo", "--yes")
    assert outcome.status == 2
    assert outcome.err == "Error: There is nothing to undo. `memory-ls history` shows what there is.\n"


def test_history_tells_what_was_changed_and_by_whom(run: Run, clean: Path) -> None:
    store, time = Store(clean), datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
    first = store.apply(ferry(clean), now=time).journal_id
    moved = plan(clean, rename(1, "ferry.md", "漢\x1b字.md", "At six.\n"), title="Rename \x1b[31m\nferry")
    second = store.apply(moved, now=time).journal_id
    third = store.undo(now=time).journal_id
    fourth = store.note_external({"x.md": (None, b"x")}, now=time)
    local = f"{time.astimezone():%Y-%m-%d %H:%M}"
    assert run("history").out == (
        f"{fourth} {local} Add x (not by memory-ls)\n"
        f"  create x.md\n"
        f"{third} {local} Undo: Rename \ufffd[31m ferry (undoes {second})\n"
        f"  rename 漢\ufffd字.md -> ferry.md\n"
        f"{second} {local} Rename \ufffd[31m ferry (undone)\n"
        f"  rename ferry.md -> 漢\ufffd字.md\n"
        f"{first} {local} Add ferry\n"
        f"  create ferry.md\n"
        f"  edit   MEMORY.md\n"
    )
    entries = json.loads(run("history", "--format", "json").out)
    assert [entry["id"] for entry in entries] == [fourth, third, second, first]
    assert entries[1] == {
        "id": third,
        "time": time.astimezone().isoformat(),
        "title": "Undo: Rename \x1b[31m\nferry",
        "source": "undo",
        "undone": False,
        "undoes": second,
        "files": [{"path": "漢\x1b字.md", "kind": "rename", "newPath": "ferry.md"}],
    }


def test_many_files_are_counted(run: Run, clean: Path) -> None:
    Store(clean).apply(plan(clean, *(create(number, f"{number:02}.md", "x") for number in range(1, 14))))
    assert run("history").out.endswith("  create 10.md\n  … and 3 more\n")


def test_undo_needs_somebody_to_agree(run: Run, clean: Path) -> None:
    Store(clean).apply(ferry(clean))
    before = bytes_in(clean)
    outcome = run("undo")
    assert outcome.status == 2
    assert "Add --yes" in outcome.err
    assert bytes_in(clean) == before


def test_undo_and_undo_of_the_undo(run: Run, clean: Path) -> None:
    first = bytes_in(clean)
    Store(clean).apply(ferry(clean))
    second = bytes_in(clean)
    outcome = run("undo", "--yes")
    assert outcome.status == 0
    assert bytes_in(clean) == first
    again = outcome.out.partition("memory-ls undo ")[2].partition(" ")[0]
    assert outcome.out == f"Undone: Add ferry. To do it again: memory-ls undo {again} -d .claude/memory\n"
    assert run("undo", again, "--yes").status == 0
    assert bytes_in(clean) == second


def test_a_dry_run_shows_what_undo_would_change(run: Run, clean: Path) -> None:
    Store(clean).apply(ferry(clean))
    before = bytes_in(clean)
    outcome = run("undo", "--dry-run")
    assert outcome.status == 0
    assert outcome.out == (
        "--- a/.claude/memory/MEMORY.md\n"
        "+++ b/.claude/memory/MEMORY.md\n"
        "@@ -1,2 +1 @@\n"
        f" {INDEX}"
        f"-{LINE}"
        "--- a/.claude/memory/ferry.md\n"
        "+++ /dev/null\n"
        "@@ -1 +0,0 @@\n"
        "-At six.\n"
    )
    assert bytes_in(clean) == before


def test_undo_refuses_over_later_edits(run: Run, clean: Path) -> None:
    Store(clean).apply(ferry(clean))
    (clean / "ferry.md").write_text("At seven.\n")
    before = bytes_in(clean)
    outcome = run("undo", "--yes")
    assert outcome.status == 2
    assert outcome.err == (
        "Undoing this would lose what was changed in ferry.md after it, so nothing was undone. "
        "Take that back first, or undo this by hand: a memory that was added can be deleted.\n"
        "Error: Nothing was undone.\n"
    )
    assert bytes_in(clean) == before


@pytest.mark.parametrize("journal_id", ["9-abcd", "../x", "\x1b[31m"])
def test_undo_of_what_is_not_there(run: Run, clean: Path, journal_id: str) -> None:
    outcome = run("undo", journal_id, "--yes")
    assert outcome.status == 2
    assert "has no entry" in outcome.err
    assert "\x1b" not in outcome.err


def test_undo_of_what_was_undone_before(run: Run, clean: Path) -> None:
    done = Store(clean).apply(ferry(clean)).journal_id
    assert run("undo", str(done), "--yes").status == 0
    assert "“Add ferry” was undone already." in run("undo", str(done), "--yes").err


@pytest.mark.parametrize(("arguments", "left"), [(["5"], 1), ([], 2), (["0"], 0), (["400"], 3)])
def test_purge(run: Run, clean: Path, arguments: list[str], left: int) -> None:
    store = Store(clean)
    for days in (90, 20, 1):
        store.apply(plan(clean, create(1, f"{days}.md", "x")), now=datetime.now(UTC) - timedelta(days=days))
    outcome = run("history", "--purge", *arguments)
    gone = 3 - left
    assert outcome.out == f"Forgot {gone} {'entry' if gone == 1 else 'entries'} of the history.\n"
    assert len(json.loads(run("history", "--format", "json").out)) == left


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.parametrize(("answer", "status", "is_undone"), [(b"y\n", 0, True), (b"\n", 130, False)])
def test_a_terminal_is_shown_the_diff_and_asked(
    clean: Path, project: Path, answer: bytes, status: int, is_undone: bool
) -> None:
    before = bytes_in(clean)
    Store(clean).apply(ferry(clean))
    ours, theirs = os.openpty()
    os.write(ours, answer)
    done = subprocess.run(
        [sys.executable, "-m", "memory_ls", "undo"],
        cwd=project,
        env=environment_with({"TERM": "xterm"}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,  # the system asks its questions there
        check=False,
        timeout=60,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert (done.returncode, bytes_in(clean) == before) == (status, is_undone)
    assert "\x1b[31m-At six.\x1b[0m" in shown
    assert "Undo “Add ferry” of 20" in shown
