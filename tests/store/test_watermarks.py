"""How far logs were read, and who is at it."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_ls.changes.plan import Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.store.store import Store
from memory_ls.store.watermarks import BusyError, Watermark

MARK = Watermark("session 潮 \ud800", 5, "abc")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "memory").mkdir()
    return Store(tmp_path / "memory", tmp_path / "state")


def plan_of(store: Store, tmp_path: Path, name: str = "a") -> Plan:
    change = Change(1, f"{name}.md", ChangeKind.CREATE, None, (Edit(0, 0, f"---\nname: {name}\n---\n\nText.\n"),))
    return Plan(str(tmp_path / "memory"), f"Add {name}", (change,))


def test_a_watermark_is_there_for_the_next_process(store: Store, tmp_path: Path) -> None:
    assert store.watermarks.load("other") is None
    store.watermarks.save(MARK)
    assert Store(tmp_path / "memory", tmp_path / "state").watermarks.load(MARK.key) == MARK
    assert store.watermarks.load("other") is None
    store.watermarks.save(Watermark(MARK.key, 3, "d"))
    assert store.watermarks.load(MARK.key) == Watermark(MARK.key, 3, "d")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"form": "watermark", "version": 99}', '{"form": "watermark", "version": 1}']
)
def test_a_damaged_watermark_is_set_aside_and_told(store: Store, text: str) -> None:
    store.watermarks.save(MARK)
    [path] = store.state_path.glob("logs/*.json")
    path.write_text(text)
    assert store.watermarks.load(MARK.key) is None
    assert len(store.take_messages()) == 1
    store.watermarks.save(MARK)
    assert store.watermarks.load(MARK.key) == MARK


def test_only_one_at_a_time_reads_a_log(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "memory", tmp_path / "state")
    with store.watermarks.reading("s"):
        with pytest.raises(BusyError), other.watermarks.reading("s"):
            pass
        with other.watermarks.reading("t"):
            pass
    with other.watermarks.reading("s"):
        pass


def test_logs_that_were_read_long_ago_are_forgotten_and_no_others(store: Store) -> None:
    for key in ("old", "new", "held"):
        with store.watermarks.reading(key):
            store.watermarks.save(Watermark(key, 3, "d"))
    with store.watermarks.reading("only looked at"):
        pass
    long_ago = (datetime.now(UTC) - timedelta(days=31)).timestamp()
    for path in store.state_path.glob("logs/*"):
        os.utime(path, (long_ago, long_ago))
    store.watermarks.save(Watermark("new", 4, "e"))
    with store.watermarks.reading("held"):
        for path in store.state_path.glob("logs/*"):
            if path.stat().st_mtime > long_ago and path.suffix == ".lock":
                os.utime(path, (long_ago, long_ago))
        store.purge(30)
    assert [store.watermarks.load(key) is not None for key in ("old", "new", "held")] == [False, True, True]
    assert len(list(store.state_path.glob("logs/*.lock"))) == 2


def test_evidence_goes_with_a_memory_that_is_moved(store: Store, tmp_path: Path) -> None:
    plan = plan_of(store, tmp_path)
    store.keep_evidence(plan, store.apply(plan), {1: ("as I said",)}, "chat.txt")
    store.move_evidence({"a.md": "b.md", "c.md": "a.md"})
    assert store.evidence() == {"b.md": ["as I said"]}
    store.move_evidence({"b.md": "a.md"})
    assert store.evidence() == {"a.md": ["as I said"]}


def test_a_plan_moves_the_watermark_when_it_is_discarded_and_takes_the_place_of_one_from_the_same_log(
    store: Store, tmp_path: Path
) -> None:
    first, second, other = (plan_of(store, tmp_path, name) for name in "abc")
    store.save_plan(first, {}, mark=MARK)
    store.save_plan(other, {}, mark=Watermark("another", 1, "x"))
    store.save_plan(second, {}, mark=Watermark(MARK.key, 9, "y"))
    assert {pending.id for pending in store.plans()} == {second.id, other.id}
    assert store.watermarks.load(MARK.key) is None
    assert store.discard_plan(second.id)
    assert store.watermarks.load(MARK.key) == Watermark(MARK.key, 9, "y")
    assert store.watermarks.load("another") is None


def test_a_plan_that_waits_goes_when_what_it_proposes_was_saved_from_the_same_log(store: Store, tmp_path: Path) -> None:
    first, other = (plan_of(store, tmp_path, name) for name in "ab")
    store.save_plan(first, {}, mark=MARK)
    store.save_plan(other, {}, mark=Watermark("another", 1, "x"))
    later = Watermark(MARK.key, 9, "y")
    store.mark_read(later, replaces_plans=False)
    assert len(store.plans()) == 2
    store.mark_read(later, replaces_plans=True)
    assert [pending.id for pending in store.plans()] == [other.id]
    assert store.watermarks.load(MARK.key) == later


def test_evidence_goes_with_what_rests_on_it(store: Store, tmp_path: Path) -> None:
    plan = plan_of(store, tmp_path)
    outcome = store.apply(plan)
    store.keep_evidence(plan, outcome, {1: ("as I said", "as I said", "again")}, "chat.txt")
    assert store.evidence() == {"a.md": ["as I said", "again"]}
    undone = store.undo()
    assert store.evidence() == {}
    store.undo(undone.journal_id)
    assert store.evidence() == {"a.md": ["as I said", "again"]}
    store.purge(0)
    assert store.evidence() == {}
    assert list(store.state_path.glob("evidence/*")) == []


def test_damaged_evidence_is_set_aside(store: Store, tmp_path: Path) -> None:
    plan = plan_of(store, tmp_path)
    store.keep_evidence(plan, store.apply(plan), {1: ("said",)})
    [path] = store.state_path.glob("evidence/*.json")
    path.write_text(json.dumps({"form": "evidence", "version": 1, "log": "", "quotes": [1]}))
    assert store.evidence() == {}
    assert len(store.take_messages()) == 1


def test_the_state_is_for_the_user_alone(store: Store, tmp_path: Path) -> None:
    store.watermarks.save(MARK)
    plan = plan_of(store, tmp_path)
    store.keep_evidence(plan, store.apply(plan), {1: ("said",)})
    for path in store.state_path.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
