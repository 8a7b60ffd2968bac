"""Kills processes while they apply plans and undo them, and looks at what they leave.

``python tests/store/kill.py --runs 500`` prints what was seen and ends with 1 when something was wrong. Half of the
processes end in or next to a certain call of the system, the others after a certain time.

Every operation changes a memory and its line in the index in the same way, so that one that was half done shows: the
memory and the line then tell different numbers. A memory says its number first and last, so that a torn file shows too.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from memory_ls.changes.plan import Change, Plan
from memory_ls.store import files
from memory_ls.store.journal import Progress, Source
from memory_ls.store.store import Store
from tests.store.changing import bytes_in, create, delete, edit, rename

CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod", "close")
_ROUNDS = 6
_RUNS_OF_ONE_DIRECTORY = 5
_LINE = re.compile(r"- \[(?P<name>[^]]+)\]\((?P=name)\.md\) (?P<number>\d+)\n")
_MEMORY = re.compile(r"number (?P<number>\d+)\n(?:filler\n)*last (?P=number)\n")


def memory_text(number: int) -> str:
    filler = "filler\n" * (number % 50)
    return f"number {number}\n{filler}last {number}\n"


def line_of(name: str, number: int) -> str:
    return f"- [{name}]({name}.md) {number}\n"


def numbers_in(root: Path) -> dict[str, int]:
    """The number of each memory, after making sure that every file is whole and the index tells the same.

    Raises:
        AssertionError: it is not so.
    """
    memories = {}
    for path, data in bytes_in(root).items():
        if path == "MEMORY.md":
            continue
        found = _MEMORY.fullmatch(data.decode())
        assert found, f"{path} is torn: {data[:60]!r}"
        memories[path.removesuffix(".md")] = int(found["number"])
    text = (root / "MEMORY.md").read_text(encoding="utf-8")
    listed = {found["name"]: int(found["number"]) for found in _LINE.finditer(text)}
    assert "".join(line_of(*each) for each in listed.items()) == text, "the index is torn"
    assert listed == memories, f"half done: {set(listed.items()) ^ set(memories.items())}"
    return memories


def whole_files_in(root: Path) -> None:
    """Makes sure that each file is an old one or a new one, right after a process died."""
    for path, data in bytes_in(root).items():
        if not path.rpartition("/")[2].startswith(".") and path != "MEMORY.md":
            assert _MEMORY.fullmatch(data.decode()), f"{path} is torn: {data[:60]!r}"
    text = (root / "MEMORY.md").read_text(encoding="utf-8")
    assert "".join(found.group() for found in _LINE.finditer(text)) == text, "the index is torn"


def random_plan(root: Path, chance: random.Random) -> Plan:
    """A plan of one to three operations, each on a memory of its own and on the index."""
    numbers, index = numbers_in(root), (root / "MEMORY.md").read_text(encoding="utf-8")
    free = [f"{folder}m{number}" for number in range(12) for folder in ("", "sub/", "sub/er/")]
    free = [name for name in free if name not in numbers]
    chance.shuffle(free)
    changes: list[Change] = []
    for operation, name in enumerate(chance.sample(sorted(numbers), min(len(numbers), chance.randint(1, 3))), 1):
        new_number = chance.randrange(10**6)
        before, line = memory_text(numbers[name]), line_of(name, numbers[name])
        kind = chance.choice(("edit", "edit", "delete", "rename", "move"))
        if kind == "delete":
            changes += (delete(operation, f"{name}.md", before), _in_index(operation, index, line, ""))
        elif kind == "edit":
            changes.append(edit(operation, f"{name}.md", before, memory_text(new_number)))
            changes.append(_in_index(operation, index, line, line_of(name, new_number)))
        else:
            number, target = (new_number if kind == "rename" else numbers[name]), free.pop()
            changes.append(rename(operation, f"{name}.md", f"{target}.md", before, memory_text(number)))
            changes.append(_in_index(operation, index, line, line_of(target, number)))
    number = chance.randrange(10**6)
    changes.append(create(9, f"{free[-1]}.md", memory_text(number)))
    changes.append(edit(9, "MEMORY.md", index, index + line_of(free[-1], number)))
    return Plan(str(root), "A random plan", tuple(changes))


def _in_index(operation: int, index: str, line: str, new: str) -> Change:
    return edit(operation, "MEMORY.md", index, index.replace(line, new))


def work(root: Path, state_home: Path, seed: int) -> None:
    """What the process does until it is killed."""
    chance, store = random.Random(seed), Store(root, state_home)
    store.recover()
    for _ in range(_ROUNDS):
        if chance.random() < 0.3:
            store.undo()
        else:
            store.apply(random_plan(root, chance))


def die_at(call: int, when: str) -> None:
    """Has this process kill itself at the ``call``-th call of the system that changes something."""
    count = 0

    def deadly(real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count != call:
                return real(*arguments, **options)
            if when == "after":
                real(*arguments, **options)
            elif when == "in" and real.__name__ == "write":
                real(arguments[0], arguments[1][: len(arguments[1]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError

        return called

    for name in CALLS:
        setattr(os, name, deadly(getattr(os, name)))
    files._exchange = deadly(files._exchange)


def killed_process(root: Path, state_home: Path, chance: random.Random) -> bool:
    """Runs a process that is killed, and says whether it was before it came to its end."""
    seed, by_call = chance.randrange(10**9), chance.random() < 0.5
    call, when, seconds = chance.randint(1, 300), chance.choice(("before", "in", "after")), chance.uniform(0, 0.12)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if by_call:
                die_at(call, when)
            work(root, state_home, seed)
            status = 0
        except BaseException as error:
            print(repr(error), file=sys.stderr)
        finally:
            os._exit(status)
    if not by_call:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL), "the process failed by itself"
    return os.WIFSIGNALED(status)


def runs(number: int, seed: int) -> Iterator[Counter[str]]:
    """What was seen, one count a run.

    Raises:
        AssertionError: something was lost, torn or half done.
    """
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for run in range(number):
            root, state_home = Path(folder, "memory"), Path(folder, "state")
            if run % _RUNS_OF_ONE_DIRECTORY == 0:
                shutil.rmtree(root, ignore_errors=True)
                shutil.rmtree(state_home, ignore_errors=True)
                first = _first_state(root, chance)
            seen = Counter({"runs": 1, "killed": killed_process(root, state_home, chance)})
            whole_files_in(root)
            store = Store(root, state_home)
            seen["cut off"] = len(store._journal.unfinished())
            messages = store.recover()
            assert len(messages) == seen["cut off"], messages
            numbers_in(root)
            assert not any(".memory-ls" in path for path in bytes_in(root)), "a temporary file is left"
            if run % _RUNS_OF_ONE_DIRECTORY == _RUNS_OF_ONE_DIRECTORY - 1:
                seen["undone"] = _undo_all(store)
                assert bytes_in(root) == first, "undoing everything does not give the first state"
                assert [path for path in root.rglob("*") if path.is_dir()] == [], "a directory is left"
            yield seen


def _first_state(root: Path, chance: random.Random) -> dict[str, bytes]:
    root.mkdir()
    numbers = {f"m{number}": chance.randrange(10**6) for number in range(4)}
    for name, number in numbers.items():
        (root / f"{name}.md").write_text(memory_text(number), encoding="utf-8")
    (root / "MEMORY.md").write_text("".join(line_of(*each) for each in numbers.items()), encoding="utf-8")
    return bytes_in(root)


def _undo_all(store: Store) -> int:
    count = 0
    while any(
        entry.source is Source.PLAN and not entry.undone and entry.progress is Progress.DONE
        for entry in store.history()
    ):
        outcome = store.undo()
        assert outcome.journal_id is not None, outcome.refused
        count += 1
    return count


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=500)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    chosen = options.parse_args()
    total: Counter[str] = Counter()
    try:
        for seen in runs(chosen.runs, chosen.seed):
            total += seen
    except AssertionError as error:
        print(f"seed {chosen.seed}, run {total['runs'] + 1}: {error}")
        return 1
    print(f"seed {chosen.seed}: " + ", ".join(f"{key} {count}" for key, count in total.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
