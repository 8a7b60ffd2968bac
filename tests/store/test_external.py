"""What other programs change behind the editor's back."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_ls.changes.plan import ChangeKind
from memory_ls.store.journal import FileEffect, Source
from memory_ls.store.state import StateDirectory
from memory_ls.store.store import Store
from tests.store.changing import bytes_in, create, edit, kinds, plan
from tests.store.conftest import TIDES
from tests.store.test_recovery import cut_off

OLD = TIDES.encode()


def test_it_is_seen_and_can_be_undone(store: Store, root: Path) -> None:
    before = bytes_in(root)
    (root / "tide-tables.md").write_bytes(b"\xffOther.\n")
    (root / "new.md").write_bytes(b"New.\n")
    gone = before["채팅.md"]
    (root / "채팅.md").unlink()
    files = {"tide-tables.md": (OLD, b"\xffOther.\n"), "new.md": (None, b"New.\n"), "채팅.md": (gone, None)}
    journal_id = store.note_external(files)
    [entry] = store.history()
    assert (entry.id, entry.source, entry.operations) == (journal_id, Source.EXTERNAL, ())
    assert entry.title == "Add new; update tide-tables; delete 채팅"
    assert set(entry.files) == {
        FileEffect("tide-tables.md", ChangeKind.EDIT),
        FileEffect("new.md", ChangeKind.CREATE),
        FileEffect("채팅.md", ChangeKind.DELETE),
    }
    assert store.undo(journal_id).journal_id
    assert bytes_in(root) == before


def test_it_is_called_by_what_was_changed_however_much_that_is(store: Store) -> None:
    store.note_external({"MEMORY.md": (b"", b"# Index\n")})
    store.note_external({f"{number}.md": (None, b"x") for number in range(2000)})
    assert [entry.title for entry in store.history()] == ["Change 2,000 files", "Update MEMORY.md"]


def test_it_is_not_what_undo_without_an_id_means(store: Store, root: Path) -> None:
    store.apply(plan(root, create(1, "a.md", "A\n")))
    (root / "tide-tables.md").write_bytes(b"Other.\n")
    store.note_external({"tide-tables.md": (OLD, b"Other.\n")})
    store.undo()
    assert (root / "tide-tables.md").read_bytes() == b"Other.\n"
    assert not (root / "a.md").exists()


def test_what_we_wrote_ourselves_is_not_noted(store: Store, root: Path) -> None:
    store.apply(plan(root, edit(1, "tide-tables.md", TIDES, "Ours.\n"), create(2, "a.md", "A\n")))
    assert store.note_external({"tide-tables.md": (OLD, b"Ours.\n"), "a.md": (None, b"A\n")}) is None
    store.undo()
    assert store.note_external({"tide-tables.md": (b"Ours.\n", OLD), "a.md": (b"A\n", None)}) is None
    assert len(store.history()) == 2


def test_what_comes_after_ours_begins_with_ours(store: Store, root: Path) -> None:
    # Whoever watches may see our change and that of another program as one.
    store.apply(plan(root, edit(1, "tide-tables.md", TIDES, "Ours.\n")))
    (root / "tide-tables.md").write_bytes(b"Theirs.\n")
    journal_id = store.note_external({"tide-tables.md": (OLD, b"Theirs.\n")})
    assert store.undo(journal_id).journal_id
    assert (root / "tide-tables.md").read_bytes() == b"Ours.\n"
    assert store.undo().journal_id
    assert (root / "tide-tables.md").read_bytes() == OLD


def test_going_back_to_an_earlier_text_is_noted(store: Store, root: Path) -> None:
    store.note_external({"tide-tables.md": (OLD, b"One.\n")})
    assert store.note_external({"tide-tables.md": (b"One.\n", OLD)})
    assert store.note_external({"tide-tables.md": (OLD, b"One.\n")})
    assert store.note_external({"tide-tables.md": (OLD, b"One.\n")}) is None


def test_nothing_is_noted_where_nothing_changed(store: Store, root: Path, state_home: Path) -> None:
    assert store.note_external({}) is None
    assert store.note_external({"tide-tables.md": (OLD, OLD), "x.md": (None, None)}) is None
    assert not state_home.exists()


def test_a_file_that_did_not_change_is_not_noted_with_others_that_did(store: Store, root: Path) -> None:
    store.apply(plan(root, edit(1, "tide-tables.md", TIDES, "Ours.\n")))
    store.note_external({"tide-tables.md": (OLD, OLD), "x.md": (None, b"x")})
    assert store.history()[0].files == (FileEffect("x.md", ChangeKind.CREATE),)


def test_a_plan_can_be_undone_only_after_what_came_on_top(store: Store, root: Path) -> None:
    store.apply(plan(root, edit(1, "tide-tables.md", TIDES, "Ours.\n")))
    (root / "tide-tables.md").write_bytes(b"Theirs.\n")
    store.note_external({"tide-tables.md": (b"Ours.\n", b"Theirs.\n")})
    assert kinds(store.undo()) == [(None, "tide-tables.md", "changed")]


def test_nothing_is_noted_while_another_process_writes(store: Store, root: Path, state_home: Path) -> None:
    with StateDirectory(root, state_home).locked(1):
        assert store.note_external({"tide-tables.md": (OLD, b"x")}) is None


def test_what_was_cut_off_and_taken_back_is_ours_too(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(store, root, monkeypatch)
    half_done = (root / "tide-tables.md").read_bytes()
    assert half_done != OLD
    assert store.note_external({"tide-tables.md": (OLD, half_done)}) is None
    assert Store(root, state_home).recover()
    assert store.note_external({"tide-tables.md": (half_done, OLD)}) is None
    assert store.note_external({"tide-tables.md": (OLD, b"Theirs.\n")})
    undone = store.undo(store.history()[0].id)
    assert undone.journal_id
    assert (root / "tide-tables.md").read_bytes() == OLD  # as it was: theirs is not there at all
