"""Full disks, files and directories that may not be written, and calls of the system that fail at any point."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import filelock  # before another user runs, who may not be allowed to read it
import pytest

from memory_ls.changes.plan import Plan
from memory_ls.store import files
from memory_ls.store.store import Outcome, Store
from tests.making import write_files
from tests.store.changing import bytes_in, create, delete, edit, kinds, plan, rename
from tests.store.conftest import CHAT, INDEX, TIDES

NOBODY = 65534
NEW = "---\nname: ferry\n---\n\nLeaves at nine.\n"
assert filelock


def big_plan(root: Path) -> Plan:
    return plan(
        root,
        create(1, "sub/ferry.md", NEW),
        rename(2, "채팅.md", "chat.md", CHAT),
        rename(3, "tide-tables.md", "tides.md", TIDES, TIDES + "More.\n"),
        edit(3, "MEMORY.md", INDEX, INDEX + "- [Ferry](sub/ferry.md)\n"),
    )


def in_child(work: Callable[[], Outcome], *, prepare: Callable[[], None]) -> list[tuple[int | None, str, str]]:
    """What was refused in a process of its own, which ``prepare`` puts under some constraint first."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = "failed"
        try:
            prepare()
            answer = json.dumps(kinds(work()))
        except BaseException as error:
            answer = repr(error)
        finally:
            os.write(writing, answer.encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return [(number, path, kind) for number, path, kind in json.loads(answer)]


@pytest.fixture
def shared() -> Iterator[Path]:
    """A place that every user can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody() -> None:
    os.setgid(NOBODY)
    os.setuid(NOBODY)


as_root = pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become somebody else")


@as_root
def test_a_directory_that_may_not_be_written(shared: Path) -> None:
    root, state_home = write_files(shared / "memory", {"MEMORY.md": INDEX, "tide-tables.md": TIDES}), shared / "state"
    state_home.mkdir()
    os.chown(state_home, NOBODY, NOBODY)
    before, store = bytes_in(root), Store(root, state_home)
    changed = plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(2, "new.md", NEW))
    refused = in_child(lambda: store.apply(changed), prepare=as_nobody)
    assert refused == [(1, "tide-tables.md", "readOnly"), (2, "new.md", "readOnly")]
    assert bytes_in(root) == before
    assert store.history() == []


@as_root
def test_one_file_that_may_not_be_written_refuses_its_operation_alone(shared: Path) -> None:
    root, state_home = write_files(shared / "memory", {"MEMORY.md": INDEX, "tide-tables.md": TIDES}), shared / "state"
    state_home.mkdir()
    for path in (state_home, root, root / "MEMORY.md"):
        os.chown(path, NOBODY, NOBODY)
    store = Store(root, state_home)
    changed = plan(root, edit(1, "tide-tables.md", TIDES, NEW), edit(2, "MEMORY.md", INDEX, NEW))
    assert in_child(lambda: store.apply(changed), prepare=as_nobody) == [(1, "tide-tables.md", "readOnly")]
    assert bytes_in(root) == {"MEMORY.md": NEW.encode(), "tide-tables.md": TIDES.encode()}
    assert (root / "MEMORY.md").stat().st_uid == NOBODY
    assert Store(root, state_home).undo().journal_id
    assert (root / "MEMORY.md").stat().st_uid == NOBODY


@as_root
def test_a_file_that_may_not_be_read(shared: Path) -> None:
    root, state_home = write_files(shared / "memory", {"tide-tables.md": TIDES}), shared / "state"
    state_home.mkdir()
    for path in (state_home, root):
        os.chown(path, NOBODY, NOBODY)
    (root / "tide-tables.md").chmod(0o600)
    store = Store(root, state_home)
    changed = plan(root, edit(1, "tide-tables.md", TIDES, NEW))
    assert in_child(lambda: store.apply(changed), prepare=as_nobody) == [(1, "tide-tables.md", "readOnly")]


@as_root
def test_a_state_that_may_not_be_written(shared: Path) -> None:
    root, state_home = write_files(shared / "memory", {"tide-tables.md": TIDES}), shared / "state"
    state_home.mkdir(mode=0o755)
    os.chown(root, NOBODY, NOBODY)
    os.chown(root / "tide-tables.md", NOBODY, NOBODY)
    before, store = bytes_in(root), Store(root, state_home)
    changed = plan(root, edit(1, "tide-tables.md", TIDES, NEW))
    assert in_child(lambda: store.apply(changed), prepare=as_nobody) == [(None, str(store.state_path), "readOnly")]
    assert in_child(lambda: store.undo(), prepare=as_nobody) == [(None, str(store.state_path), "readOnly")]
    assert bytes_in(root) == before


def limited_to(size: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [0, 100, 2_000, 20_000])
def test_files_that_become_too_large_for_the_disk(size: int, store: Store, root: Path) -> None:
    before = bytes_in(root)
    large = "".join(f"{number} is unlike any other\n" for number in range(10_000))
    changed = plan(root, edit(1, "tide-tables.md", TIDES, TIDES + "x"), create(2, "large.md", large))
    refused = in_child(lambda: store.apply(changed), prepare=limited_to(size))
    assert {kind for *_, kind in refused} == {"full"}
    assert bytes_in(root) == before
    assert store.apply(changed).applied == (1, 2)


def test_no_room_for_a_memory_while_there_is_some_for_the_journal(store: Store, root: Path) -> None:
    before = bytes_in(root)
    changed = plan(root, edit(1, "tide-tables.md", TIDES, TIDES + "x"), create(2, "large.md", "x\n" * 20_000))
    refused = in_child(lambda: store.apply(changed), prepare=limited_to(10_000))
    assert refused == [(1, "large.md", "full"), (2, "large.md", "full")]
    assert bytes_in(root) == before
    assert store.undo().journal_id is None


CALLS = ("open", "write", "fsync", "replace", "rename", "link", "mkdir", "fchmod", "read")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES])
@pytest.mark.parametrize("exchanges", [True, False])
def test_a_call_that_fails_at_any_point(
    number: int, exchanges: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails: all is as before and refused, or all is done."""
    if not exchanges:
        monkeypatch.setattr(files, "_exchanging", lambda: None)
    refusals = 0
    for call in range(1, 500):
        root = write_files(
            tmp_path / str(call) / "memory", {"MEMORY.md": INDEX, "tide-tables.md": TIDES, "채팅.md": CHAT}
        )
        before, store = bytes_in(root), Store(root, tmp_path / str(call) / "state")
        with monkeypatch.context() as patch:
            happened = fail_at(patch, call, number)
            outcome = store.apply(big_plan(root))
        if outcome.journal_id is None:
            assert outcome.refused
            assert bytes_in(root) == before
            assert not (root / "sub").exists()
            refusals += 1
        assert store.recover() == []
        if outcome.journal_id is not None:
            # A file that can't be looked at refuses its operation alone.
            assert {*outcome.applied, *(refusal.operation for refusal in outcome.refused)} == {1, 2, 3}
            files_now = {1: {"sub/ferry.md"} if 1 in outcome.applied else set(), 2: {"채팅.md"}, 3: {"tide-tables.md"}}
            files_now |= {each: {name} for each, name in ((2, "chat.md"), (3, "tides.md")) if each in outcome.applied}
            assert bytes_in(root).keys() == {"MEMORY.md"}.union(*files_now.values())
            assert store.undo().journal_id
            assert bytes_in(root) == before
        if not happened:
            break
    assert refusals > 20


def fail_at(patch: pytest.MonkeyPatch, call: int, number: int, *, for_ever: bool = False) -> list[str]:
    """Has the ``call``-th of the calls that matter fail, and all after it ``for_ever``; those that did are listed."""
    count, failed = 0, list[str]()

    def failing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == call or (for_ever and count > call):
                failed.append(name)
                raise OSError(number, os.strerror(number))
            return real(*arguments, **options)

        return called

    for name in CALLS:
        patch.setattr(os, name, failing(name, getattr(os, name)))
    patch.setattr(files, "_exchange", failing("_exchange", files._exchange))
    return failed


@pytest.mark.parametrize("failing_calls", [("write",), ("write", "open", "mkdir")])
def test_a_disk_that_stays_full_needs_no_room_for_the_way_back(
    failing_calls: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_write = os.write
    for good in range(1, 12):
        root = write_files(
            tmp_path / str(good) / "memory", {"MEMORY.md": INDEX, "tide-tables.md": TIDES, "채팅.md": CHAT}
        )
        before, store = bytes_in(root), Store(root, tmp_path / str(good) / "state")
        count = 0

        def write(descriptor: int, data: bytes, good: int = good) -> int:
            nonlocal count
            count += 1
            if count > good:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real_write(descriptor, data)

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write)
            outcome = store.apply(big_plan(root))
        if outcome.journal_id is not None:
            break
        assert {kind for *_, kind in kinds(outcome)} == {"full"}
        assert bytes_in(root) == before
    assert good > 3


def test_what_can_not_be_taken_back_now_is_taken_back_later(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bytes_in(root)
    for call in range(20, 200):
        with monkeypatch.context() as patch:
            fail_at(patch, call, errno.EIO, for_ever=True)
            outcome = store.apply(big_plan(root))
        if bytes_in(root) != before:
            break
        store.recover()
    assert outcome.journal_id is None
    assert [kind for *_, kind in kinds(outcome)] == ["failed"] * 3
    with monkeypatch.context() as patch:
        fail_at(patch, 12, errno.EIO, for_ever=True)
        again = store.apply(plan(root, delete(1, "chat.md", CHAT)))
    assert again.journal_id is None
    assert again.refused
    assert len(store.recover()) == 1
    assert bytes_in(root) == before
