"""Changes as an edit that a client carries out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from lsprotocol import converters
from pygls.exceptions import JsonRpcException

from memory_ls.changes.plan import Change, ChangeKind
from memory_ls.directory.loader import load
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.edits import Edit
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.workspace_edit import workspace_edit
from tests.making import write_files
from tests.server.client import CLIENTS, ENCODINGS, JSON, recording
from tests.server.editor import apply_edit
from tests.server.test_capabilities import support_of

FERRY = "---\r\nname: ferry\r\n---\r\n\r\n😀 é 漢 [[ferry]] at six\r\nlast"
FILES = {"ferry.md": FERRY, "tide.md": "\ufeff[[ferry]]\n", "team/rota.md": "rota\n", "MEMORY.md": "- [f](ferry.md)\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "my notes", FILES)


def of(client: str) -> ClientSupport:
    return support_of(recording(client)["capabilities"])


def made(
    root: Path, changes: Sequence[Change], client: str = "vscode", versions: dict[str, int] | None = None
) -> tuple[JSON, MemoryDirectory]:
    """The edit, as it travels."""
    directory = load(root)
    edit = workspace_edit(changes, directory, of(client), uri_of, (versions or {}).get)
    return json.loads(json.dumps(converters.get_converter().unstructure(edit))), directory


def uri_of(directory: MemoryDirectory, key: str) -> str:
    return convert.uri_of(directory.path_of(key))


def change(path: str, *edits: Edit, kind: ChangeKind = ChangeKind.EDIT, new: str | None = None) -> Change:
    before = FILES.get(path)
    return Change(1, path, kind, before.removeprefix("\ufeff") if before is not None else None, edits, new)


def at(path: str, piece: str, text: str) -> Edit:
    start = FILES[path].removeprefix("\ufeff").index(piece)
    return Edit(start, start + len(piece), text)


def refusal(root: Path, *changes: Change, client: str = "vscode", versions: dict[str, int] | None = None) -> str:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with pytest.raises(JsonRpcException) as raised:
        made(root, changes, client, versions)
    assert raised.value.code == -32803
    assert before == {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return str(raised.value)


RENAME = (
    change(
        "ferry.md", at("ferry.md", "ferry", "boat"), at("ferry.md", "[ferry", "[boat"), kind=ChangeKind.RENAME,
        new="fähre.md",
    ),
    change("tide.md", at("tide.md", "ferry", "boat")),
    change("MEMORY.md", at("MEMORY.md", "ferry", "f%C3%A4hre")),
)  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_edits_of_texts_are_counted_as_the_client_does(root: Path, client: str) -> None:
    edits = (at("ferry.md", "ferry]]", "渡船]]"), at("ferry.md", "漢", "😀"), at("ferry.md", "at six\r\n", "\r\n"))
    edit, _ = made(root, [change("ferry.md", *edits), change("tide.md", at("tide.md", "ferry", "x"))], client)
    apply_edit(edit, ENCODINGS[client])
    expected = FERRY.replace("ferry]]", "渡船]]").replace("漢", "😀").replace("at six", "")
    assert (root / "ferry.md").read_bytes().decode() == expected
    assert (root / "tide.md").read_bytes().decode() == "\ufeff[[x]]\n"


@pytest.mark.parametrize("client", ["vscode", "vscode-2022", "neovim"])
def test_a_file_is_renamed_after_its_text_was_edited(root: Path, client: str) -> None:
    edit, _ = made(root, RENAME, client)
    apply_edit(edit, ENCODINGS[client])
    assert not (root / "ferry.md").exists()
    assert (root / "fähre.md").read_bytes().decode() == FERRY.replace("ferry", "boat")
    assert (root / "MEMORY.md").read_text() == "- [f](f%C3%A4hre.md)\n"
    [rename] = [part for part in edit["documentChanges"] if "kind" in part]
    assert rename["options"] == {"overwrite": False, "ignoreIfExists": False}
    assert edit["documentChanges"].index(rename) == len(edit["documentChanges"]) - 1


@pytest.mark.parametrize("client", ["emacs", "eglot"])
def test_a_client_that_renames_no_files_gets_no_part_of_it(root: Path, client: str) -> None:
    assert "can't rename files" in refusal(root, *RENAME, client=client)


def test_a_client_without_versions_gets_plain_changes(root: Path) -> None:
    edit = workspace_edit(
        [change("tide.md", at("tide.md", "ferry", "x"))], load(root), ClientSupport(), uri_of, lambda uri: 1
    )
    assert edit.document_changes is None
    assert list(edit.changes or {}) == [(root / "tide.md").as_uri()]


def test_versions_are_those_of_open_documents(root: Path) -> None:
    opened = (root / "tide.md").as_uri()
    edit, _ = made(root, RENAME, versions={opened: 7})
    versions = {
        part["textDocument"]["uri"]: part["textDocument"]["version"]
        for part in edit["documentChanges"]
        if "edits" in part
    }
    assert versions.pop(opened) == 7
    assert set(versions.values()) == {None}
    apply_edit(edit, "utf-16", {opened: (7, "[[ferry]]\n")})


def test_the_clients_own_spelling_of_a_directory_stays(root: Path) -> None:
    edit = workspace_edit(
        RENAME, load(root), of("vscode"), lambda _, key: f"file:///c%3A/Notes/my%20notes/{key}", lambda uri: None
    )
    assert edit.document_changes
    assert edit.document_changes[-1].new_uri == "file:///c%3A/Notes/my%20notes/f%C3%A4hre.md"  # type: ignore[union-attr]


def test_a_file_is_moved_to_another_directory(root: Path) -> None:
    edit, _ = made(root, [change("tide.md", kind=ChangeKind.RENAME, new="team/tide.md")])
    apply_edit(edit, "utf-16")
    assert (root / "team/tide.md").read_bytes().decode() == FILES["tide.md"]


@pytest.mark.parametrize("client", ["vscode", "neovim"])
def test_a_file_is_made_with_its_text(root: Path, client: str) -> None:
    new = Change(
        1, "team/new 漢.md", ChangeKind.CREATE, None, (Edit(0, 0, "---\nname: 漢\n---\n"), Edit(0, 0, "End\n"))
    )
    edit, _ = made(root, [new, change("MEMORY.md", Edit(0, 0, "- [n](n.md)\n"))], client)
    [create] = [part for part in edit["documentChanges"] if part.get("kind") == "create"]
    assert create["options"]["ignoreIfExists"] is True
    apply_edit(edit, ENCODINGS[client])
    assert (root / "team/new 漢.md").read_text() == "---\nname: 漢\n---\nEnd\n"
    assert (root / "MEMORY.md").read_text() == "- [n](n.md)\n- [f](ferry.md)\n"


def test_a_file_is_deleted_when_all_else_is_done(root: Path) -> None:
    changes = [change("tide.md", kind=ChangeKind.DELETE), change("ferry.md", Edit(0, 0, "x"))]
    edit, _ = made(root, changes)
    assert edit["documentChanges"][-1]["kind"] == "delete"
    [annotation] = edit["changeAnnotations"].values()
    assert annotation["needsConfirmation"]
    apply_edit(edit, "utf-16")
    assert not (root / "tide.md").exists()
    plain, _ = made(write_files(root, FILES), changes, "neovim")
    assert "changeAnnotations" not in plain
    assert "annotationId" not in plain["documentChanges"][-1]


def _create(path: str) -> Change:
    return Change(1, path, ChangeKind.CREATE, None, (Edit(0, 0, "x"),))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([_create("tide.md")], "already a file tide.md"),
        ([change("ferry.md", kind=ChangeKind.RENAME, new="tide.md")], "already a file tide.md"),
        ([Change(1, "tide.md", ChangeKind.EDIT, "other", ())], "changed in the meantime"),
        ([Change(1, "gone.md", ChangeKind.DELETE, "x")], "changed in the meantime"),
        ([change("tide.md", at("tide.md", "ferry", "a")), change("tide.md", at("tide.md", "[ferry", "b"))], "same place"),
        ([change("tide.md", Edit(0, 0, "a")), change("tide.md", kind=ChangeKind.DELETE)], "exclude"),
        ([_create("")], "no file yet"),
    ],
)  # fmt: skip
def test_what_can_not_be_done_is_refused_as_a_whole(root: Path, wrong: list[Change], message: str) -> None:
    assert message in refusal(root, change("ferry.md", Edit(0, 0, "y")), *wrong)


def test_a_document_that_is_not_saved_yet_is_in_the_way_too(root: Path) -> None:
    versions = {(root / "fähre.md").as_uri(): 1}
    assert "already a file" in refusal(root, *RENAME, versions=versions)


def test_what_is_not_on_the_disk_yet_is_not_renamed(root: Path) -> None:
    directory = load(root)
    (root / "ferry.md").unlink()
    with pytest.raises(JsonRpcException, match="Save it first"):
        workspace_edit(RENAME, directory, of("neovim"), uri_of, lambda uri: None)


def test_bytes_that_are_no_text_are_not_put_at_risk(root: Path) -> None:
    (root / "tide.md").write_bytes(b"[[ferry]] \xff\n")
    edit = Change(1, "tide.md", ChangeKind.EDIT, "[[ferry]] \ufffd\n", (Edit(2, 7, "boat"),))
    assert "not UTF-8" in refusal(root, edit)
