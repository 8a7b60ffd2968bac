"""Plans that wait to be applied."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_ls.changes.plan import Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.store.store import Store
from tests.store.changing import create, delete, edit, plan, rename
from tests.store.conftest import CHAT, INDEX, TIDES

NOW = datetime(2026, 3, 4, tzinfo=UTC)


def everything(root: Path) -> Plan:
    return Plan(
        str(root),
        "Of all kinds",
        (
            create(1, "漢字.md", "😀\r\n\ud83d"),
            edit(1, "MEMORY.md", INDEX, INDEX + "x"),
            edit(2, "MEMORY.md", INDEX, "y" + INDEX),
            rename(3, "채팅.md", "b.md", CHAT, "x"),
            delete(4, "tide-tables.md", TIDES),
            Change(0, "ground.md", ChangeKind.CREATE, None, (Edit(0, 0, ""),)),
        ),
        ("A warning.",),
    )


def test_a_plan_comes_back_as_it_was(store: Store, root: Path, state_home: Path) -> None:
    saved = everything(root)
    store.save_plan(saved, {"status": "planned", "added": ["漢字"]}, now=NOW)
    loaded = Store(root, state_home).load_plan(saved.id)
    assert loaded is not None
    assert (loaded.plan, loaded.id, loaded.time) == (saved, saved.id, NOW)
    assert loaded.report == {"status": "planned", "added": ["漢字"]}


def test_the_newest_comes_first_and_the_same_plan_once(store: Store, root: Path) -> None:
    plans = [plan(root, create(1, f"{number}.md", "x")) for number in range(3)]
    for hour, each in enumerate([*plans, plans[0]]):
        store.save_plan(each, {}, now=NOW + timedelta(hours=hour))
    assert [pending.id for pending in store.plans()] == [plans[0].id, plans[2].id, plans[1].id]


def test_a_plan_is_discarded_once(store: Store, root: Path) -> None:
    saved = everything(root)
    assert not store.discard_plan(saved.id)
    store.save_plan(saved, {}, now=NOW)
    assert store.discard_plan(saved.id)
    assert not store.discard_plan(saved.id)
    assert (store.load_plan(saved.id), store.plans()) == (None, [])


def test_an_id_is_no_path(store: Store, root: Path) -> None:
    store.save_plan(everything(root), {}, now=NOW)
    for name in ("", "../lock", "/etc/passwd", f"{'0' * 16}\n", "*"):
        assert store.load_plan(name) is None
        assert not store.discard_plan(name)


def test_a_text_that_many_changes_share_is_kept_once(store: Store, root: Path) -> None:
    index = "".join(f"- [m{number}](m{number}.md)\n" for number in range(2000))
    store.save_plan(plan(root, *(edit(n, "MEMORY.md", index, f"{index}{n}\n") for n in range(1, 50))), {})
    [path] = (store.state_path / "plans").iterdir()
    assert path.stat().st_size < 2 * len(index)


def test_damaged_and_newer_plans_are_set_aside_alone(store: Store, root: Path) -> None:
    plans = [plan(root, create(1, f"{number}.md", "x")) for number in range(4)]
    for each in plans:
        store.save_plan(each, {}, now=NOW)
    folder = store.state_path / "plans"
    damages = (b"", b'{"form":"plan","version":2}', b'{"form":"plan","version":1,"changes":[3]}')
    for each, data in zip(plans, damages, strict=False):
        (folder / f"{each.id}.json").write_bytes(data)
    assert [pending.plan for pending in store.plans()] == [plans[3]]
    messages = store.take_messages()
    assert len(messages) == 3
    assert sum("newer version" in message for message in messages) == 1
    assert store.take_messages() == []
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".aside") == sorted(
        f"{each.id}.json.aside" for each in plans[:3]
    )
    assert len(store.plans()) == 1
