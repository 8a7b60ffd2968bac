"""What happens when another program writes the same file in the same moment, on disks of several abilities."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_ls.store import files
from memory_ls.store.store import Store
from tests.store.changing import bytes_in, create, delete, edit, kinds, plan, rename
from tests.store.conftest import INDEX, TIDES

NEW = "Ours.\n"
THEIRS = b"Theirs.\n"
Act = Callable[[], object]


@pytest.fixture(params=["all", "no exchange", "no links"])
def disk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A disk that can do everything, or can't exchange files, or can't give them a second name either."""
    if request.param != "all":
        monkeypatch.setattr(files, "_exchanging", lambda: None)
    if request.param == "no links":
        monkeypatch.setattr(os, "link", _not_supported)
    return str(request.param)


def _not_supported(*arguments: object, **options: object) -> None:
    raise OSError(95, "Operation not supported")


def around(
    monkeypatch: pytest.MonkeyPatch, name: str, file: str, *, before: Act | None = None, after: Act | None = None
) -> list[str]:
    """Has something else happen before or after the first call of ``files.<name>`` for a file; the calls are listed."""
    real, calls = getattr(files, name), list[str]()

    def called(*paths: Any, **options: Any) -> Any:
        is_first = any(str(path).endswith(f"/{file}") for path in paths) and not calls
        if is_first:
            calls.append(name)
            if before is not None:
                before()
        result = real(*paths, **options)
        if is_first and after is not None:
            after()
        return result

    monkeypatch.setattr(files, name, called)
    return calls


def test_everything_works_on_each_disk(disk: str, store: Store, root: Path) -> None:
    before = bytes_in(root)
    everything = plan(
        root,
        create(1, "deep/new.md", NEW),
        rename(2, "tide-tables.md", "tides.md", TIDES),
        edit(2, "MEMORY.md", INDEX, INDEX.replace("tide-tables.md", "tides.md")),
    )
    assert store.apply(everything).applied == (1, 2)
    assert sorted(bytes_in(root)) == ["MEMORY.md", "deep/new.md", "tides.md", "채팅.md"]
    assert store.undo().journal_id
    assert bytes_in(root) == before


@pytest.mark.parametrize("moment", ["_exchange", "read"])
def test_a_text_written_just_before_ours_stays(
    moment: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "tide-tables.md"
    calls = around(monkeypatch, moment, "tide-tables.md", before=lambda: path.write_bytes(THEIRS))
    two = plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(2, "new.md", NEW))
    outcome = store.apply(two)
    assert calls
    assert (outcome.applied, kinds(outcome)) == ((2,), [(1, "tide-tables.md", "changed")])
    assert path.read_bytes() == THEIRS
    assert sorted(bytes_in(root)) == ["MEMORY.md", "new.md", "tide-tables.md", "채팅.md"]


def test_a_text_written_after_the_check_stays(
    disk: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "tide-tables.md"
    around(monkeypatch, "put", "tide-tables.md", before=lambda: path.write_bytes(THEIRS))
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW)))
    assert kinds(outcome) == [(1, "tide-tables.md", "changed")]
    assert path.read_bytes() == THEIRS


def test_a_file_put_in_place_of_ours_in_that_moment_stays(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replace() -> None:
        (root / "theirs").write_bytes(THEIRS)
        os.replace(root / "theirs", root / "tide-tables.md")

    around(monkeypatch, "_exchange", "tide-tables.md", before=replace)
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW)))
    assert kinds(outcome) == [(1, "tide-tables.md", "changed")]
    assert bytes_in(root)["tide-tables.md"] == THEIRS


@pytest.mark.parametrize(
    ("moment", "name", "kind"),
    # What is gone while it is deleted comes back: whose deletion it was can't be seen any more.
    [("_exchange", "채팅.md", "notFound"), ("_patiently", "tide-tables.md", "changed")],
)
def test_a_file_that_vanishes_in_that_moment(
    moment: str, name: str, kind: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = plan(root, delete(1, "tide-tables.md", TIDES), edit(2, "채팅.md", _chat(root), NEW))
    around(monkeypatch, moment, name, before=(root / name).unlink)
    outcome = store.apply(gone)
    assert [kind for *_, kind in kinds(outcome)] == [kind]
    assert len(outcome.applied) == 1


def _chat(root: Path) -> str:
    return (root / "채팅.md").read_bytes().decode("utf-8-sig")


def test_what_is_written_back_from_before_is_overwritten_once(
    disk: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "tide-tables.md"
    path.chmod(0o604)
    around(monkeypatch, "_exchange", "tide-tables.md", after=lambda: path.write_bytes(TIDES.encode()))
    if disk != "all":
        monkeypatch.setattr(files, "_exchange", lambda one, other: False)
        around(monkeypatch, "_patiently", "tide-tables.md", after=lambda: path.write_bytes(TIDES.encode()))
    assert store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW))).applied == (1,)
    assert path.read_bytes() == NEW.encode()
    assert path.stat().st_mode & 0o777 == 0o604
    assert sorted(bytes_in(root)) == ["MEMORY.md", "tide-tables.md", "채팅.md"]


def test_another_text_written_over_ours_at_once_stays(
    disk: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "tide-tables.md"
    if disk == "all":
        around(monkeypatch, "_exchange", "tide-tables.md", after=lambda: path.write_bytes(THEIRS))
    else:
        around(monkeypatch, "_patiently", "tide-tables.md", after=lambda: path.write_bytes(THEIRS))
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(1, "new.md", NEW)))
    assert kinds(outcome) == [(1, "tide-tables.md", "changed")]
    assert bytes_in(root).keys() == {"MEMORY.md", "tide-tables.md", "채팅.md"}
    assert path.read_bytes() == THEIRS
    assert any("tide-tables.md" in warning for warning in outcome.warnings)


def test_what_is_added_to_ours_at_once_stays_with_it(store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "tide-tables.md"
    around(monkeypatch, "_exchange", "tide-tables.md", after=lambda: path.write_bytes(NEW.encode() + THEIRS))
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(1, "new.md", NEW)))
    assert (outcome.applied, outcome.refused) == ((1,), ())
    assert path.read_bytes() == NEW.encode() + THEIRS
    assert kinds(store.undo()) == [(None, "tide-tables.md", "changed")]


def test_what_is_written_to_the_old_file_after_the_exchange_is_not_lost(
    store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # By a program that opened the file before and writes only now.
    with (root / "tide-tables.md").open("ab", buffering=0) as file:
        around(monkeypatch, "_create", "new.md", before=lambda: file.write(THEIRS))
        two = plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(2, "zoo/new.md", NEW))
        outcome = store.apply(two)
    assert (root / "tide-tables.md").read_bytes() == TIDES.encode() + THEIRS
    assert (outcome.applied, kinds(outcome)) == ((2,), [(1, "tide-tables.md", "changed")])


def test_a_file_changed_while_it_is_taken_away_comes_back(
    disk: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = root / "tide-tables.md"
    around(monkeypatch, "_patiently", "tide-tables.md", before=lambda: path.write_bytes(THEIRS))
    outcome = store.apply(plan(root, delete(1, "tide-tables.md", TIDES)))
    assert kinds(outcome) == [(1, "tide-tables.md", "changed")]
    assert bytes_in(root)["tide-tables.md"] == THEIRS
    assert sorted(bytes_in(root)) == ["MEMORY.md", "tide-tables.md", "채팅.md"]


def test_a_name_taken_in_that_moment(disk: str, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    around(monkeypatch, "_name", "new.md", before=lambda: (root / "new.md").write_bytes(THEIRS))
    outcome = store.apply(plan(root, create(1, "new.md", NEW)))
    assert kinds(outcome) == [(1, "new.md", "exists")]
    assert bytes_in(root)["new.md"] == THEIRS
    assert len(bytes_in(root)) == 4


def test_other_names_of_a_file_keep_the_old_text(store: Store, root: Path, tmp_path: Path) -> None:
    os.link(root / "tide-tables.md", tmp_path / "copy")
    assert store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW))).applied == (1,)
    assert (tmp_path / "copy").read_text() == TIDES
    assert store.undo().journal_id


def test_what_is_no_file(store: Store, root: Path) -> None:
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    outcome = store.apply(
        plan(
            root,
            edit(1, "folder.md", "x", "y"),
            edit(2, "pipe.md", "x", "y"),
            create(3, "folder.md", NEW),
            create(4, "tide-tables.md/x.md", NEW),
            delete(5, "pipe.md", "x"),
        )
    )
    assert outcome.journal_id is None
    assert [number for number, *_ in kinds(outcome)] == [1, 2, 3, 4, 5]
    assert (root / "tide-tables.md").read_text() == TIDES


@pytest.mark.parametrize(("refusals", "is_done"), [(2, True), (1000, False)])
def test_where_open_files_can_not_be_replaced_it_is_tried_for_a_while(
    refusals: int, is_done: bool, store: Store, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, left = os.replace, [refusals]

    def replace(source: str, target: str) -> None:
        if str(target).endswith("tide-tables.md") and left[0]:
            left[0] -= 1
            error = PermissionError(13, "Access is denied", target)
            error.winerror = 32  # type: ignore[attr-defined,unused-ignore]
            raise error
        real(source, target)

    before = bytes_in(root)
    monkeypatch.setattr(files, "_IS_WINDOWS", True)
    monkeypatch.setattr(files, "_PATIENCE", 0.2)
    monkeypatch.setattr(files, "_exchanging", lambda: None)
    monkeypatch.setattr(os, "replace", replace)
    outcome = store.apply(plan(root, edit(1, "tide-tables.md", TIDES, NEW), create(2, "new.md", NEW)))
    assert bool(outcome.journal_id) == is_done
    if not is_done:
        assert [kind for *_, kind in kinds(outcome)] == ["locked", "locked"]
        assert bytes_in(root) == before
