"""Applying plans and taking them back."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_ls.changes.plan import GROUND, Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.store import files
from memory_ls.store.journal import Entry, FileEffect, Journal, Progress, Source
from memory_ls.store.state import StateDirectory
from memory_ls.store.store import Outcome, Store
from tests.making import write_files
from tests.store.changing import bytes_in, create, delete, edit, kinds, plan, rename
from tests.store.conftest import CHAT, INDEX, TIDES

NEW = "---\nname: ferry\n---\n\nLeaves at nine.\n"
FERRY_LINE = "- [Ferry](ferry.md)\n"
BOM = b"\xef\xbb\xbf"


def add_ferry(root: Path, operation: int = 1) -> Plan:
    return plan(root, create(operation, "ferry.md", NEW), edit(operation, "MEMORY.md", INDEX, INDEX + FERRY_LINE))


def test_a_memory_and_its_entry_are_written(store: Store, root: Path) -> None:
    before = bytes_in(root)
    outcome = store.apply(add_ferry(root))
    assert (outcome.applied, outcome.refused, outcome.warnings) == ((1,), (), ())
    assert outcome.files == (
        FileEffect("ferry.md", ChangeKind.CREATE, None, (1,)),
        FileEffect("MEMORY.md", ChangeKind.EDIT, None, (1,)),
    )
    assert bytes_in(root) == {**before, "ferry.md": NEW.encode(), "MEMORY.md": (INDEX + FERRY_LINE).encode()}


def test_undo_gives_back_the_very_bytes(store: Store, root: Path) -> None:
    before = bytes_in(root)
    changed = plan(
        root,
        create(1, "sub/ferry.md", NEW),
        edit(2, "채팅.md", CHAT, CHAT + "more\r\n"),
        delete(3, "tide-tables.md", TIDES),
        edit(3, "MEMORY.md", INDEX, INDEX[INDEX.index("\n") + 1 :]),
    )
    assert store.apply(changed).applied == (1, 2, 3)
    assert bytes_in(root)["채팅.md"] == BOM + (CHAT + "more\r\n").encode()
    assert store.undo().files == (
        FileEffect("MEMORY.md", ChangeKind.EDIT, None, (3,)),
        FileEffect("tide-tables.md", ChangeKind.CREATE, None, (3,)),
        FileEffect("채팅.md", ChangeKind.EDIT, None, (2,)),
        FileEffect("sub/ferry.md", ChangeKind.DELETE, None, (1,)),
    )
    assert bytes_in(root) == before
    assert not (root / "sub").exists()


def test_undo_goes_back_one_plan_at_a_time_and_forward_by_its_own_id(store: Store, root: Path) -> None:
    states = [bytes_in(root)]
    for number in (1, 2):
        store.apply(plan(root, create(1, f"{number}.md", NEW)))
        states.append(bytes_in(root))
    second = store.undo()
    assert bytes_in(root) == states[1]
    first = store.undo()
    assert bytes_in(root) == states[0]
    assert kinds(store.undo()) == [(None, "", "notFound")]
    assert store.undo(first.journal_id).journal_id
    assert bytes_in(root) == states[1]
    assert store.undo(second.journal_id).journal_id
    assert bytes_in(root) == states[2]
    titles = [entry.title for entry in store.history()]
    assert titles == ["Redo: A plan", "Redo: A plan", "Undo: A plan", "Undo: A plan", "A plan", "A plan"]
    assert [entry.undone for entry in store.history()] == [False, False, True, True, False, False]
    assert store.undo().journal_id
    assert bytes_in(root) == states[1]


def test_undo_refuses_over_later_edits_and_then_does_nothing(store: Store, root: Path) -> None:
    store.apply(add_ferry(root))
    (root / "ferry.md").write_text(f"{NEW}Later.\n", encoding="utf-8")
    before = bytes_in(root)
    assert kinds(store.undo()) == [(None, "ferry.md", "changed")]
    assert bytes_in(root) == before


def test_undo_goes_on_where_some_of_it_was_taken_back_by_hand(store: Store, root: Path) -> None:
    before = bytes_in(root)
    store.apply(add_ferry(root))
    (root / "ferry.md").unlink()
    assert store.undo().journal_id
    assert bytes_in(root) == before
    store.apply(add_ferry(root))
    after = bytes_in(root)
    (root / "MEMORY.md").write_bytes(before["MEMORY.md"])
    undone = store.undo()
    assert undone.journal_id
    assert bytes_in(root) == before
    assert store.undo(undone.journal_id).journal_id
    assert bytes_in(root) == {**after, "MEMORY.md": before["MEMORY.md"]}, "what was taken back by hand stays so"


def test_undo_of_what_was_taken_back_by_hand_says_so(store: Store, root: Path) -> None:
    before = bytes_in(root)
    store.apply(add_ferry(root))
    (root / "ferry.md").unlink()
    (root / "MEMORY.md").write_bytes(before["MEMORY.md"])
    assert store.undo().journal_id
    made = store.apply(plan(root, create(1, "lamp.md", NEW)))
    (root / "lamp.md").unlink()
    outcome = store.undo(made.journal_id)
    assert kinds(outcome) == [(None, "", "notFound")]
    assert outcome.refused[0].message == "The files are as they were before “A plan” already."
    assert bytes_in(root) == before


def test_undo_names_the_entry_that_came_on_top(store: Store, root: Path) -> None:
    first = store.apply(add_ferry(root))
    second = store.apply(plan(root, edit(1, "ferry.md", NEW, NEW + "Later.\n")))
    outcome = store.undo(first.journal_id)
    assert kinds(outcome) == [(None, "ferry.md", "changed")]
    assert outcome.refused[0].problem == "“A plan” changed ferry.md after this, so nothing was undone."
    assert outcome.refused[0].advice == "Undo that first."
    (root / "ferry.md").write_text("By somebody else.\n")
    assert "Undo that first" not in store.undo(first.journal_id).refused[0].message
    (root / "ferry.md").write_text(NEW + "Later.\n")
    assert store.undo(second.journal_id).journal_id
    assert store.undo(first.journal_id).journal_id


def test_undo_says_what_was_changed_by_hand_also_when_something_else_was_undone_since(store: Store, root: Path) -> None:
    first = store.apply(add_ferry(root))
    for name, text in (("ferry.md", f"{NEW}Mine.\n"), ("MEMORY.md", f"{INDEX}{FERRY_LINE}Mine.\n")):
        (root / name).write_text(text, encoding="utf-8")
    index = f"{INDEX}{FERRY_LINE}Mine.\n"
    clear = plan(root, delete(1, "ferry.md", f"{NEW}Mine.\n"), edit(1, "MEMORY.md", index, ""), title="Clear")
    assert store.apply(clear).journal_id
    assert {each.problem for each in store.undo(first.journal_id).refused} == {
        "“Clear” changed MEMORY.md after this, so nothing was undone."
    }
    undone = store.undo()
    redone = store.undo(undone.journal_id)
    assert {each.advice for each in store.undo(first.journal_id).refused} == {"Undo that first."}
    store.undo(redone.journal_id)
    before = bytes_in(root)
    outcome = store.undo(first.journal_id)
    assert kinds(outcome) == [(None, "MEMORY.md", "changed"), (None, "ferry.md", "changed")]
    [message] = {each.message for each in outcome.refused}
    assert message.startswith("Undoing this would lose what was changed in MEMORY.md and ferry.md after it")
    assert bytes_in(root) == before


def test_an_entry_is_called_by_what_was_applied(store: Store, root: Path) -> None:
    several = plan(
        root,
        create(1, "ferry.md", NEW),
        create(2, "漢字.md", "---\nname: 漢字\n---\n"),
        edit(3, "tide-tables.md", TIDES, f"{TIDES}More.\n"),
        title="Add ferry, 漢字; update tide-tables",
    )
    (root / "ferry.md").write_text("Somebody was faster.\n")
    store.apply(several, only=[1, 2, 3])
    assert store.history()[0].title == "Add 漢字; update tide-tables"
    (root / "ferry.md").unlink()
    store.apply(several, only=[1])
    assert store.history()[0].title == "Add ferry"
    store.undo()
    assert store.history()[0].title == "Undo: Add ferry"


def test_operations_that_were_planned_for_other_texts_give_way(store: Store, root: Path) -> None:
    old = plan(
        root,
        edit(1, "MEMORY.md", "Another index.\n", "Another index!\n"),
        edit(2, "MEMORY.md", INDEX, INDEX + FERRY_LINE),
    )
    outcome = store.apply(old)
    assert (outcome.applied, kinds(outcome)) == ((2,), [(1, "MEMORY.md", "changed")])


def test_undo_refuses_over_unsaved_text(store: Store, root: Path) -> None:
    store.apply(add_ferry(root))
    before = bytes_in(root)
    assert kinds(store.undo(unsaved={"ferry.md"})) == [(None, "ferry.md", "unsaved")]
    assert bytes_in(root) == before


def test_undo_of_what_is_not_there(store: Store, root: Path) -> None:
    outcome = store.apply(add_ferry(root))
    assert kinds(store.undo("7-abcd")) == [(None, "", "notFound")]
    assert kinds(store.undo("../../x")) == [(None, "", "notFound")]
    store.undo()
    assert kinds(store.undo(outcome.journal_id)) == [(None, "", "notFound")]


def test_an_operation_is_done_whole_or_not_at_all(store: Store, root: Path) -> None:
    (root / "ferry.md").write_bytes(b"Somebody was faster.\n")
    before = bytes_in(root)
    two = plan(
        root,
        create(1, "ferry.md", NEW),
        edit(1, "MEMORY.md", INDEX, INDEX + FERRY_LINE),
        create(2, "lamp.md", NEW),
        edit(2, "MEMORY.md", INDEX, f"- [Lamp](lamp.md)\n{INDEX}"),
    )
    outcome = store.apply(two)
    assert (outcome.applied, kinds(outcome)) == ((2,), [(1, "ferry.md", "exists")])
    expected = f"- [Lamp](lamp.md)\n{INDEX}".encode()
    assert bytes_in(root) == {**before, "lamp.md": NEW.encode(), "MEMORY.md": expected}


def test_nothing_is_written_and_remembered_when_all_is_refused(store: Store, root: Path) -> None:
    (root / "MEMORY.md").write_bytes(b"Another index.\n")
    before = bytes_in(root)
    outcome = store.apply(add_ferry(root))
    assert (outcome.journal_id, kinds(outcome)) == (None, [(1, "MEMORY.md", "changed")])
    assert bytes_in(root) == before
    assert store.history() == []


def test_each_reason_for_a_refusal(store: Store, root: Path) -> None:
    (root / "latin.md").write_bytes(b"caf\xe9\n")
    (root / "Quay.md").write_bytes(b"x\n")
    (root / "open.md").write_bytes(b"x\n")
    before = bytes_in(root)
    outcome = store.apply(
        plan(
            root,
            edit(1, "tide-tables.md", TIDES + "?", TIDES),
            edit(2, "gone.md", "x", "y"),
            delete(3, "gone.md", "x"),
            create(4, "quay.md", NEW),
            edit(5, "latin.md", "caf\ufffd\n", "cafe\n"),
            edit(6, "open.md", "x\n", "y\n"),
            create(7, "half.md", "\ud83d"),
            rename(8, "채팅.md", "tide-tables.md", CHAT),
        ),
        unsaved={"open.md"},
    )
    assert outcome.applied == ()
    assert kinds(outcome) == [
        (1, "tide-tables.md", "changed"),
        (2, "gone.md", "notFound"),
        (3, "gone.md", "conflict"),
        (4, "quay.md", "exists"),
        (5, "latin.md", "encoding"),
        (6, "open.md", "unsaved"),
        (7, "half.md", "encoding"),
        (8, "tide-tables.md", "exists"),
    ]
    assert bytes_in(root) == before


def test_bytes_that_are_not_utf_8_may_be_deleted_and_moved_and_come_back(store: Store, root: Path) -> None:
    write_files(root, {"one.md": b"caf\xe9\n", "two.md": b"\xef\xbb\xbf\xff\n"})
    before = bytes_in(root)
    assert store.apply(
        plan(root, delete(1, "one.md", "caf\ufffd\n"), rename(2, "two.md", "three.md", "\ufffd\n"))
    ).applied == (1, 2)
    assert bytes_in(root)["three.md"] == before["two.md"]
    store.undo()
    assert bytes_in(root) == before


def test_only_the_operations_asked_for(store: Store, root: Path) -> None:
    def three() -> Plan:
        return plan(
            root,
            Change(GROUND, "notes/MEMORY.md", ChangeKind.CREATE, None, (Edit(0, 0, "# Index\n"),)),
            *(create(number, f"notes/{number}.md", NEW) for number in (1, 2, 3)),
            Change(2, "notes/MEMORY.md", ChangeKind.EDIT, None, (Edit(0, 0, "- [2](2.md)\n"),)),
        )

    assert store.apply(three(), only=[3]).applied == (3,)
    assert sorted(path for path in bytes_in(root) if path.startswith("notes")) == ["notes/3.md"]
    assert store.apply(three(), only=["notes/2.md"]).applied == (2,)
    assert (root / "notes" / "MEMORY.md").read_text() == "# Index\n- [2](2.md)\n"
    unknown = store.apply(three(), only=[1, 9, "none.md"])
    assert kinds(unknown) == [(None, "9", "notFound"), (None, "none.md", "notFound")]
    rest = store.apply(three())
    assert (rest.applied, kinds(rest)) == ((1,), [(2, "notes/MEMORY.md", "exists"), (3, "notes/3.md", "exists")])


def test_what_operations_stand_on_is_refused_with_them(store: Store, root: Path) -> None:
    ground = Change(GROUND, "MEMORY.md", ChangeKind.CREATE, None, (Edit(0, 0, "# Index\n"),))
    line = Change(1, "MEMORY.md", ChangeKind.EDIT, None, (Edit(0, 0, FERRY_LINE),))
    before = bytes_in(root)
    outcome = store.apply(plan(root, ground, create(1, "ferry.md", NEW), line))
    assert (outcome.applied, kinds(outcome)) == ((), [(1, "MEMORY.md", "exists")])
    assert kinds(store.apply(plan(root, ground))) == [(0, "MEMORY.md", "exists")]
    assert bytes_in(root) == before
    (root / "MEMORY.md").unlink()
    assert store.apply(plan(root, ground)).journal_id
    assert (root / "MEMORY.md").read_bytes() == b"# Index\n"


def test_operations_that_exclude_each_other(store: Store, root: Path) -> None:
    outcome = store.apply(
        plan(root, edit(1, "tide-tables.md", TIDES, TIDES + "x\n"), delete(2, "tide-tables.md", TIDES))
    )
    assert (outcome.applied, kinds(outcome)) == ((1,), [(2, "tide-tables.md", "conflict")])


def test_an_operation_may_need_the_room_that_another_makes(store: Store, root: Path) -> None:
    before = bytes_in(root)
    swapped = [rename(1, "tide-tables.md", "채팅.md", TIDES), rename(2, "채팅.md", "tide-tables.md", CHAT)]
    assert store.apply(plan(root, *swapped)).applied == (1, 2)
    assert bytes_in(root) == {
        **before,
        "tide-tables.md": before["채팅.md"],
        "채팅.md": before["tide-tables.md"],
    }
    store.undo()
    assert bytes_in(root) == before
    outcome = store.apply(plan(root, *swapped), unsaved={"채팅.md"})
    assert outcome.journal_id is None
    assert bytes_in(root) == before


def test_a_chain_of_renames(store: Store, root: Path) -> None:
    before = bytes_in(root)
    chain = plan(root, rename(1, "tide-tables.md", "채팅.md", TIDES), rename(2, "채팅.md", "new.md", CHAT, CHAT + "x"))
    assert store.apply(chain, only=[1]).journal_id is None
    assert bytes_in(root) == before
    assert store.apply(chain).applied == (1, 2)
    after = bytes_in(root)
    assert (after["채팅.md"], after["new.md"]) == (before["tide-tables.md"], before["채팅.md"] + b"x")
    assert "tide-tables.md" not in after
    store.undo()
    assert bytes_in(root) == before


def test_a_file_that_is_only_moved_stays_the_same_file(store: Store, root: Path) -> None:
    path = root / "tide-tables.md"
    path.chmod(0o640)
    number = path.stat().st_ino
    assert store.apply(plan(root, rename(1, "tide-tables.md", "deep/er/tides.md", TIDES))).applied == (1,)
    assert (root / "deep" / "er" / "tides.md").stat().st_ino == number
    assert store.history()[0].files == (FileEffect("tide-tables.md", ChangeKind.RENAME, "deep/er/tides.md", (1,)),)
    outcome = store.undo()
    assert outcome.files == (FileEffect("deep/er/tides.md", ChangeKind.RENAME, "tide-tables.md", (1,)),)
    assert (path.stat().st_ino, stat.S_IMODE(path.stat().st_mode)) == (number, 0o640)
    assert not (root / "deep").exists()


def test_a_name_may_change_in_case_alone(store: Store, root: Path) -> None:
    before = bytes_in(root)
    assert store.apply(plan(root, rename(1, "tide-tables.md", "Tide-Tables.md", TIDES, TIDES + "x"))).applied == (1,)
    assert "tide-tables.md" not in bytes_in(root)
    store.undo()
    assert bytes_in(root) == before


def test_two_new_names_that_some_systems_take_for_one(store: Store, root: Path) -> None:
    outcome = store.apply(plan(root, create(1, "Ferry.md", NEW), create(2, "ferry.md", NEW)))
    assert (outcome.applied, kinds(outcome)) == ((1,), [(2, "ferry.md", "exists")])


def test_a_folder_that_some_systems_take_for_another(store: Store, root: Path) -> None:
    (root / "Sub" / "er").mkdir(parents=True)
    outcome = store.apply(
        plan(
            root,
            create(1, "sub/x.md", NEW),
            create(2, "Sub/ER/x.md", NEW),
            create(3, "Sub/er/x.md", NEW),
            create(4, "new/er/x.md", NEW),
            rename(5, "채팅.md", "SUB/chat.md", CHAT),
        )
    )
    assert outcome.applied == (3, 4)
    assert [(number, kind) for number, _, kind in kinds(outcome)] == [(1, "exists"), (2, "exists"), (5, "exists")]


def test_modes_are_kept(store: Store, root: Path) -> None:
    path = root / "tide-tables.md"
    path.chmod(0o604)
    store.apply(plan(root, edit(1, "tide-tables.md", TIDES, TIDES + "x")))
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    store.apply(plan(root, delete(1, "tide-tables.md", TIDES + "x")))
    store.undo()
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_mode_that_was_given_later_comes_back_too(store: Store, root: Path) -> None:
    store.apply(plan(root, create(1, "private.md", NEW)))
    (root / "private.md").chmod(0o600)
    undone = store.undo()
    store.undo(undone.journal_id)
    assert stat.S_IMODE((root / "private.md").stat().st_mode) == 0o600


def test_undo_does_not_follow_a_folder_that_was_moved_out(store: Store, root: Path, tmp_path: Path) -> None:
    store.apply(plan(root, create(1, "sub/ferry.md", NEW)))
    (root / "sub").rename(tmp_path / "sub")
    (root / "sub").symlink_to(tmp_path / "sub")
    assert kinds(store.undo()) == [(None, "sub/ferry.md", "changed")]
    assert bytes_in(tmp_path / "sub") == {"ferry.md": NEW.encode()}


def test_a_missing_directory_is_made_and_taken_back(tmp_path: Path, state_home: Path) -> None:
    root = tmp_path / "a" / "b" / "memory"
    store = Store(root, state_home)
    assert store.history() == []
    assert store.recover() == []
    assert not state_home.exists()
    assert store.apply(plan(root, create(1, "x.md", NEW))).applied == (1,)
    assert bytes_in(root) == {"x.md": NEW.encode()}
    store.undo()
    assert not (tmp_path / "a").exists()


def test_paths_that_lead_out(store: Store, root: Path, tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"x.md": "x\n"})
    (root / "link.md").symlink_to(outside / "x.md")
    (root / "folder").symlink_to(outside)
    (root / "dangling.md").symlink_to(outside / "gone.md")
    outcome = store.apply(
        plan(
            root,
            create(1, "../x.md", NEW),
            create(2, str(tmp_path / "y.md"), NEW),
            edit(3, "link.md", "x\n", "y\n"),
            edit(4, "folder/x.md", "x\n", "y\n"),
            create(5, "folder/new.md", NEW),
            create(6, "dangling.md", NEW),
            rename(7, "tide-tables.md", "folder/tides.md", TIDES),
            create(8, "", NEW),
            create(9, "a//b.md", NEW),
            create(10, "nul\0.md", NEW),
            delete(11, "link.md", "x\n"),
        )
    )
    assert [(number, kind) for number, _, kind in kinds(outcome)] == [(number, "outside") for number in range(1, 12)]
    assert bytes_in(outside) == {"x.md": b"x\n"}


def test_links_inside_mean_the_file_that_they_lead_to(store: Store, root: Path) -> None:
    (root / "link.md").symlink_to(root / "tide-tables.md")
    (root / "sub").mkdir()
    (root / "there").symlink_to(root / "sub")
    done = plan(root, edit(1, "link.md", TIDES, TIDES + "x"), create(2, "there/x.md", NEW))
    assert store.apply(done).applied == (1, 2)
    assert (root / "link.md").is_symlink()
    assert bytes_in(root)["tide-tables.md"] == (TIDES + "x").encode()
    assert (root / "sub" / "x.md").read_text() == NEW
    assert [effect.path for effect in store.history()[0].files] == ["tide-tables.md", "sub/x.md"]


def test_a_link_to_nowhere_is_a_file_that_exists(store: Store, root: Path) -> None:
    (root / "link.md").symlink_to(root / "gone.md")
    assert store.apply(plan(root, create(1, "link.md", NEW))).applied == (1,)
    assert (root / "gone.md").read_text() == NEW


def test_the_directory_may_be_reached_through_a_link(tmp_path: Path, root: Path, state_home: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    Store(tmp_path / "alias", state_home).apply(add_ferry(tmp_path / "alias"))
    assert [entry.title for entry in Store(root, state_home).history()] == ["A plan"]


def test_a_plan_for_another_directory(store: Store, tmp_path: Path) -> None:
    assert [kind for *_, kind in kinds(store.apply(plan(tmp_path, create(1, "x.md", NEW))))] == ["outside"]


def test_a_second_process_has_to_wait(store: Store, root: Path, state_home: Path) -> None:
    with StateDirectory(root, state_home).locked(1):
        assert [kind for *_, kind in kinds(store.apply(add_ferry(root)))] == ["locked"]
        assert [kind for *_, kind in kinds(store.undo())] == ["locked"]
    assert store.apply(add_ferry(root)).applied == (1,)


def test_changes_that_change_nothing(store: Store, root: Path) -> None:
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, TIDES)))
    assert outcome == Outcome(applied=(1,))
    assert store.apply(plan(root)) == Outcome()


def test_history_tells_what_there_was(store: Store, root: Path) -> None:
    time = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
    outcome = store.apply(add_ferry(root, 2), now=time)
    [entry] = store.history()
    assert (entry.id, entry.time, entry.title, entry.source) == (outcome.journal_id, time, "A plan", Source.PLAN)
    assert (entry.operations, entry.undone) == ((2,), False)
    store.undo()
    undo, entry = store.history()
    assert (undo.undoes, undo.source, entry.undone, undo.undone) == (entry.id, Source.UNDO, True, False)


def test_purge_forgets_what_is_old(store: Store, root: Path) -> None:
    assert store.purge(0) == 0
    now = datetime(2026, 3, 4, tzinfo=UTC)
    for number in range(4):
        store.apply(plan(root, create(1, f"{number}.md", NEW)), now=now - timedelta(days=10 * number))
    assert store.purge(20, now=now) == 2
    assert [(now - entry.time).days for entry in store.history()] == [10, 0]
    assert store.purge(0, now=now) == 2
    assert store.history() == []


def test_the_state_is_for_the_user_alone_and_lies_elsewhere(store: Store, root: Path, state_home: Path) -> None:
    os.umask(0o022)
    store.apply(add_ferry(root))
    store.save_plan(add_ferry(root), {})
    assert sorted(path.name for path in root.iterdir()) == ["MEMORY.md", "ferry.md", "tide-tables.md", "채팅.md"]
    below = list((state_home / "directories").rglob("*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in below if path.is_file()} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in below if path.is_dir()} == {0o700}
    assert "quay-memory-" in store.state_path.name


def test_the_journal_is_on_the_disk_before_a_file_changes_and_the_files_before_it_is_done(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, order = set[int](), list[str]()
    sync, put, mark = os.fsync, files.put, Journal.mark

    def fsync(descriptor: int) -> None:
        sync(descriptor)
        synced.add(os.fstat(descriptor).st_ino)

    def watched_put(path: str, *arguments: Any, **options: Any) -> None:
        [entry] = (store.state_path / "journal").iterdir()
        assert entry.suffix == ".open"
        assert {entry.stat().st_ino, entry.parent.stat().st_ino, store.state_path.stat().st_ino} <= synced
        order.append(os.path.relpath(path, root))
        put(path, *arguments, **options)

    def watched_mark(journal: Journal, entry: Entry, progress: Progress) -> None:
        changed = (root / path for path in ("MEMORY.md", "ferry.md", ".", "sub"))
        assert {path.stat().st_ino for path in changed} <= synced
        mark(journal, entry, progress)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(files, "put", watched_put)
    monkeypatch.setattr(Journal, "mark", watched_mark)
    changed = plan(
        root,
        edit(1, "MEMORY.md", INDEX, INDEX + FERRY_LINE),
        delete(2, "채팅.md", CHAT),
        create(1, "ferry.md", NEW),
        rename(3, "tide-tables.md", "sub/tides.md", TIDES),
    )
    assert store.apply(changed).applied == (1, 2, 3)
    assert order == ["ferry.md", "sub/tides.md", "채팅.md", "MEMORY.md", "tide-tables.md"]


def test_no_message_and_no_log_holds_the_text_of_a_memory(
    store: Store, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    secret = "Leaves at nine"
    (root / "ferry.md").write_text(f"{secret} already.\n")
    outcomes = [
        store.apply(add_ferry(root)),
        store.apply(plan(root, edit(1, "ferry.md", NEW, NEW + "x"), create(2, "ferry2.md", f"{secret}\ud83d"))),
        store.apply(plan(root, create(3, "new.md", NEW))),
    ]
    (root / "new.md").write_text(f"{secret}!\n")
    outcomes.append(store.undo())
    told = [refusal.message for outcome in outcomes for refusal in outcome.refused]
    assert len(told) == 4
    assert not any(secret in text for text in [*told, caplog.text])
