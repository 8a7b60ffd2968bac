"""What a process left that died, and state files that can't be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_ls.changes.plan import Plan
from memory_ls.store import files, transaction
from memory_ls.store.journal import Entry, Journal, Progress
from memory_ls.store.store import Store
from tests.store.changing import bytes_in, create, delete, edit, kinds, plan, rename
from tests.store.conftest import CHAT, INDEX, TIDES

NEW = "---\nname: ferry\n---\n\nLeaves at nine.\n"


class PowerLoss(BaseException):
    """The process ends here."""


def big_plan(root: Path) -> Plan:
    return plan(
        root,
        create(1, "sub/ferry.md", NEW),
        rename(2, "채팅.md", "chat.md", CHAT),
        edit(3, "tide-tables.md", TIDES, TIDES + "More.\n"),
        edit(3, "MEMORY.md", INDEX, INDEX + "- [Ferry](sub/ferry.md)\n"),
        title="Much at once",
    )


def cut_off(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Applies a plan, and ends after all files are changed, before that is written down."""

    def no_more(journal: Journal, entry: Entry, progress: Progress) -> None:
        raise PowerLoss

    def nothing(*arguments: object) -> list[str]:
        raise PowerLoss

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "mark", no_more)
        patch.setattr("memory_ls.store.store.roll_back", nothing)
        with pytest.raises(PowerLoss):
            store.apply(big_plan(root))


def test_an_unfinished_change_is_taken_back(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bytes_in(root)
    cut_off(store, root, monkeypatch)
    assert bytes_in(root) != before
    [message] = Store(root, state_home).recover()
    assert message.startswith("“Much at once” (20")
    assert bytes_in(root) == before
    assert not (root / "sub").exists()
    assert Store(root, state_home).recover() == []
    assert [entry.progress for entry in store.history()] == [Progress.FAILED]
    assert kinds(store.undo()) == [(None, "", "notFound")]


def test_whoever_applies_next_takes_it_back_first(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(store, root, monkeypatch)
    outcome = store.apply(big_plan(root))
    assert (outcome.applied, len(outcome.warnings)) == ((1, 2, 3), 1)


def test_what_others_have_written_since_is_left(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bytes_in(root)
    cut_off(store, root, monkeypatch)
    (root / "tide-tables.md").write_bytes(b"Mine.\n")
    messages = Store(root, state_home).recover()
    assert len(messages) == 2
    assert messages[1].startswith("tide-tables.md ")
    assert bytes_in(root) == {**before, "tide-tables.md": b"Mine.\n"}


def test_what_is_no_file_any_more_is_left_and_stops_nothing(
    store: Store, root: Path, state_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(store, root, monkeypatch)
    (tmp_path / "elsewhere").mkdir()
    (root / "sub").rename(tmp_path / "elsewhere" / "sub")
    (root / "sub").symlink_to(tmp_path / "elsewhere" / "sub")
    (root / "tide-tables.md").unlink()
    (root / "tide-tables.md").mkdir()
    (root / "chat.md").unlink()
    (root / "chat.md").symlink_to(root / "MEMORY.md")
    messages = Store(root, state_home).recover()
    assert [message.split(" ")[0] for message in messages[1:]] == ["tide-tables.md", "chat.md", "sub/ferry.md"]
    assert bytes_in(tmp_path / "elsewhere") == {"sub/ferry.md": NEW.encode()}
    assert (root / "MEMORY.md").read_text() == INDEX
    assert store.apply(plan(root, create(1, "new.md", NEW))).applied == (1,)


def test_an_empty_file_that_holds_the_place_of_a_new_one_goes(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That is how a file is created on a disk that can't give a file two names.
    before = bytes_in(root)
    cut_off(store, root, monkeypatch)
    (root / "sub" / "ferry.md").write_bytes(b"")
    assert len(Store(root, state_home).recover()) == 1
    assert bytes_in(root) == before


def test_an_interrupt_takes_everything_back(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: str, *arguments: object, **options: object) -> None:
        if path.endswith("MEMORY.md"):
            raise KeyboardInterrupt
        put(path, *arguments, **options)  # type: ignore[arg-type]

    before, put = bytes_in(root), files.put
    with monkeypatch.context() as patch:
        patch.setattr(files, "put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.apply(big_plan(root))
    assert bytes_in(root) == before
    assert Store(root, state_home).recover() == []


def test_what_is_unfinished_is_not_purged(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(store, root, monkeypatch)
    assert store.purge(0) == 0
    assert len(store.recover()) == 1


def test_the_last_text_of_another_program_is_put_back(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It was written between our last look and the exchange, and then the power went.
    cut_off(store, root, monkeypatch)
    entry = store.history()[0]
    number = next(number for number, step in enumerate(entry.steps) if step.path == "tide-tables.md")
    temporary = root / transaction._TEMPORARY.format(entry=entry.id, number=number)
    temporary.write_bytes(b"Mine.\n")
    Store(root, state_home).recover()
    assert (root / "tide-tables.md").read_bytes() == b"Mine.\n"
    assert not temporary.exists()


def test_a_half_written_temporary_file_is_no_text_of_others(
    store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = bytes_in(root)
    cut_off(store, root, monkeypatch)
    entry = store.history()[0]
    for number, step in enumerate(entry.steps):
        if step.path == "tide-tables.md":
            (root / transaction._TEMPORARY.format(entry=entry.id, number=number)).write_bytes(TIDES.encode()[:9])
    Store(root, state_home).recover()
    assert bytes_in(root) == before


def first_bytes(data: bytes) -> bytes:
    return data[:10]


def without_an_end(data: bytes) -> bytes:
    return data[:-3]


def other_bytes(data: bytes) -> bytes:
    return data[:-9] + bytes(byte ^ 255 for byte in data[-9:])


def newer(data: bytes) -> bytes:
    return data.replace(b'"version":1', b'"version":2', 1)


def empty(data: bytes) -> bytes:
    return b""


def deep(data: bytes) -> bytes:
    return b"[" * 100_000


DAMAGES = (first_bytes, without_an_end, newer, empty, deep)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_hides_no_other(
    damage: Callable[[bytes], bytes], store: Store, root: Path, state_home: Path
) -> None:
    ids = [store.apply(plan(root, create(1, f"{number}.md", NEW))).journal_id for number in range(3)]
    path = store.state_path / "journal" / f"{ids[1]}.done"
    path.write_bytes(damage(path.read_bytes()))
    again = Store(root, state_home)
    assert [entry.id for entry in again.history()] == [ids[2], ids[0]]
    [message] = again.take_messages()
    assert str(path) in message
    assert ("newer" in message) == (damage is newer)
    assert kinds(again.undo(ids[1])) == [(None, "", "notFound")]
    assert again.undo(ids[2]).journal_id
    assert again.undo().journal_id
    assert sorted(bytes_in(root)) == ["1.md", "MEMORY.md", "tide-tables.md", "채팅.md"]


def test_an_entry_whose_bytes_are_damaged_is_not_undone(store: Store, root: Path, state_home: Path) -> None:
    ids = [store.apply(plan(root, create(1, f"{number}.md", NEW))).journal_id for number in range(2)]
    path = store.state_path / "journal" / f"{ids[1]}.done"
    path.write_bytes(other_bytes(path.read_bytes()))
    before = bytes_in(root)
    outcome = Store(root, state_home).undo()
    assert kinds(outcome) == [(None, "", "notFound")]
    assert len(outcome.warnings) == 1
    assert bytes_in(root) == before
    assert Store(root, state_home).undo().journal_id


@pytest.mark.parametrize("damage", [*DAMAGES, other_bytes])
def test_an_unfinished_entry_that_is_damaged_stops_nothing(
    damage: Callable[[bytes], bytes], store: Store, root: Path, state_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(store, root, monkeypatch)
    [path] = (store.state_path / "journal").glob("*.open")
    path.write_bytes(damage(path.read_bytes()))
    again = Store(root, state_home)
    assert len(again.recover()) == 1
    assert again.apply(plan(root, delete(1, "sub/ferry.md", NEW))).applied == (1,)


def test_an_entry_that_was_not_written_to_its_end_counts_for_nothing(store: Store, root: Path) -> None:
    store.apply(plan(root, create(1, "a.md", NEW)))
    rest = store.state_path / "journal" / "2-abcd.open.new"
    rest.write_bytes(b"{")
    assert len(store.history()) == 1
    assert store.apply(plan(root, create(1, "b.md", NEW))).warnings == ()
    assert not rest.exists()
