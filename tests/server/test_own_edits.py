"""What an editor writes by an edit of ours is not taken for another program's work; what others write is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, uri
from tests.server.commands.asking import run
from tests.server.editor import apply_edit

FILES = {
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — the boat\n- [rota](rota.md)\n",
    "ferry.md": memory("ferry", "The boat", body="😀 漢\n"),
    "rota.md": memory("rota", "Who works", body="On the [[ferry]].\n"),
}


@pytest.mark.parametrize("name", ["vscode", "neovim"])
def test_a_rename_on_the_disk_is_the_editors_own(name: str, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)
    client = Client(tmp_path / "home")
    try:
        client.initialize(name, tmp_path)
        client.wait(lambda: len(run(client, "list")) == 2, "the memories")
        document = client.open(root / "rota.md", FILES["rota.md"])
        position = {"line": 7, "character": 10}
        params = {"textDocument": {"uri": document}, "position": position, "newName": "轮渡"}
        edit = client.request("textDocument/rename", params)
        apply_edit(edit, client.encoding, {document: (1, FILES["rota.md"])})
        client.change(document, (root / "rota.md").read_text())
        assert (root / "轮渡.md").exists()
        client.watched(*(root / key for key in ("ferry.md", "轮渡.md", "MEMORY.md", "rota.md")))
        client.notify("textDocument/didSave", {"textDocument": {"uri": document}})
        (root / "other.md").write_text("By another program.\n")
        client.watched(root / "other.md")
        [entry] = client.wait(lambda: run(client, "history"), "what the other program wrote")
        assert [(file["path"], file["kind"]) for file in entry["files"]] == [("other.md", "create")]
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


def test_a_move_in_the_explorer_is_the_editors_own(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)
    client = Client(tmp_path / "home")
    try:
        client.initialize("vscode", tmp_path)
        client.wait(lambda: len(run(client, "list")) == 2, "the memories")
        files = {"files": [{"oldUri": uri(root / "ferry.md"), "newUri": uri(root / "team/ferry.md")}]}
        edit = client.request("workspace/willRenameFiles", files)
        apply_edit(edit, client.encoding)
        (root / "team").mkdir()
        (root / "ferry.md").rename(root / "team/ferry.md")
        client.notify("workspace/didRenameFiles", files)
        client.watched(root / "MEMORY.md")
        gone = {"files": [{"uri": uri(root / "rota.md")}]}
        apply_edit(client.request("workspace/willDeleteFiles", gone), client.encoding)
        (root / "rota.md").unlink()
        client.notify("workspace/didDeleteFiles", gone)
        (root / "other.md").write_text("By another program.\n")
        client.watched(*(root / key for key in ("other.md", "MEMORY.md", "team/ferry.md")))
        [entry] = client.wait(lambda: run(client, "history"), "what the other program wrote")
        assert [(file["path"], file["kind"]) for file in entry["files"]] == [("other.md", "create")]
        assert "(team/ferry.md)" in (root / "MEMORY.md").read_text()
        assert "rota" not in (root / "MEMORY.md").read_text()
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


def test_what_the_editor_moves_and_makes_unannounced_is_its_own_too(tmp_path: Path) -> None:
    """As where the user takes back a move, or makes a file in the explorer."""
    root = write_files(tmp_path / "memory", FILES)
    client = Client(tmp_path / "home")
    try:
        client.initialize("vscode", tmp_path)
        client.wait(lambda: len(run(client, "list")) == 2, "the memories")
        (root / "ferry.md").rename(root / "渡船.md")
        client.watched(root / "ferry.md", root / "渡船.md")
        files = {"files": [{"oldUri": uri(root / "ferry.md"), "newUri": uri(root / "渡船.md")}]}
        client.notify("workspace/didRenameFiles", files)
        (root / "new.md").write_bytes(b"\xef\xbb\xbfNew.\r\n")
        client.notify("workspace/didCreateFiles", {"files": [{"uri": uri(root / "new.md")}]})
        (root / "rota.md").unlink()
        client.notify("workspace/didDeleteFiles", {"files": [{"uri": uri(root / "rota.md")}]})
        (root / "other.md").write_text("By another program.\n")
        client.watched(*(root / key for key in ("new.md", "rota.md", "other.md")))
        [entry] = client.wait(lambda: run(client, "history"), "what the other program wrote")
        assert [(file["path"], file["kind"]) for file in entry["files"]] == [("other.md", "create")]
        assert client.leave() == 0
        client.check()
    finally:
        client.end()
