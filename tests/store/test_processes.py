"""Several processes write one directory at once: nothing is lost, and every refusal is told."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
from pathlib import Path
from typing import NamedTuple

from memory_ls.changes.plan import Plan
from memory_ls.store.store import Store
from tests.making import write_files
from tests.store.changing import bytes_in, edit

NAMES = ("a.md", "b.md", "c.md")
_TOKEN = re.compile(r"<(\w+)>\n")
_MOST_HELD_UP = 3


class Told(NamedTuple):
    """The tokens that a process wrote by its own account, those that were refused, and the kinds of refusals."""

    written: list[str]
    refused: list[str]
    kinds: set[str]


def add_tokens(root: Path, state_home: Path, who: str, attempts: int) -> Told:
    """Adds a token to a memory and to the index by plans, made from what is there then."""
    store, chance, told = Store(root, state_home), random.Random(who), Told([], [], set())
    for number in range(attempts):
        token, name = f"{who}{number}", chance.choice(NAMES)
        before, index = ((root / path).read_text(encoding="utf-8") for path in (name, "MEMORY.md"))
        line = f"<{token}>\n"
        changes = edit(1, name, before, line + before), edit(1, "MEMORY.md", index, line + index)
        outcome = store.apply(Plan(str(root), token, changes))
        assert bool(outcome.journal_id) == (outcome.applied == (1,)) == (not outcome.refused)
        (told.written if outcome.journal_id else told.refused).append(token)
        told.kinds.update(refusal.kind for refusal in outcome.refused)
    return told


def append_tokens(root: Path, state_home: Path, who: str, attempts: int) -> Told:
    """Adds tokens at the end of memories, as a program does that knows of no store."""
    chance, told = random.Random(who), Told([], [], set())
    for number in range(attempts):
        with (root / chance.choice(NAMES)).open("ab", buffering=0) as file:
            file.write(f"<{who}{number}>\n".encode())
        told.written.append(f"{who}{number}")
    return told


def test_two_processes_of_ours_and_one_of_others(root: Path, state_home: Path) -> None:
    write_files(root, {"MEMORY.md": "", **dict.fromkeys(NAMES, "")})
    others = bytes_in(root).keys() - {"MEMORY.md", *NAMES}
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
    with context.Pool(3) as pool:
        works = [
            pool.apply_async(add_tokens, (root, state_home, "first", 40)),
            pool.apply_async(add_tokens, (root, state_home, "second", 40)),
            pool.apply_async(append_tokens, (root, state_home, "third", 3000)),
        ]
        first, second, third = (work.get(timeout=60) for work in works)
    found = {name: _TOKEN.findall((root / name).read_text(encoding="utf-8")) for name in (*NAMES, "MEMORY.md")}
    in_memories = [token for name in NAMES for token in found[name]]
    assert len(in_memories) == len(set(in_memories))
    assert set(in_memories) <= {*first.written, *second.written, *third.written}
    assert set(in_memories) >= {*first.written, *second.written}
    # Who is held up between opening a file and writing to it, for as long as a whole change takes, writes to what is gone:
    # that happens now and then on a busy machine, and nothing can be done about it.
    assert len(set(third.written) - set(in_memories)) <= _MOST_HELD_UP
    assert set(found["MEMORY.md"]) == {*first.written, *second.written}
    assert first.kinds | second.kinds <= {"changed"}
    assert first.written
    assert second.written
    assert bytes_in(root).keys() == {"MEMORY.md", *NAMES, *others}
    assert [entry.title for entry in Store(root, state_home).history() if not entry.undone]
