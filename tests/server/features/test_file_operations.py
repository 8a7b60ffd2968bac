"""Files and directories moved or deleted in the editor: links go with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import CLIENTS, JSON, Client, recording
from tests.server.conftest import Start
from tests.server.editor import apply_edit

MOVING = ["vscode", "vscode-2022"]  # the clients that tell before they move files

FILES = {
    "memory/ferry.md": memory("ferry", body="[[tide]] [r](team/rota.md) ![p](pic.png) [s](../src/a.py)\n"),
    "memory/tide.md": memory("tide", body="😀 [[ferry]] [f](./ferry.md#x) [t](team/) [p](../docs/plan.md)\n"),
    "memory/team/rota.md": memory("rota", body="[up](../ferry.md) [[ferry]]\r\n"),
    "memory/pic.png": "png",
    "memory/MEMORY.md": "# Index\n\n- [ferry](ferry.md) — the boat\n- [rota](team/rota.md) — who\n",
    "docs/plan.md": "# Plan\n",
    "other/MEMORY.md": "- [f](../memory/ferry.md) — elsewhere\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "w", FILES)


@pytest.fixture(params=MOVING)
def mover(request: pytest.FixtureRequest, start: Start, folder: Path) -> Client:
    client = start()
    client.initialize(request.param, folder)
    return client


def move(client: Client, folder: Path, *moves: tuple[str, str]) -> dict[str, str]:
    """Moves files as an editor does, with the edits that it asks for before; the texts afterwards."""
    files = [{"oldUri": (folder / old).as_uri(), "newUri": (folder / new).as_uri()} for old, new in moves]
    edit = client.request("workspace/willRenameFiles", {"files": files})
    if edit:
        apply_edit(edit, client.encoding)
    for old, new in moves:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)
    client.notify("workspace/didRenameFiles", {"files": files})
    return texts(folder)


def texts(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


def test_a_file_gets_another_name(mover: Client, folder: Path) -> None:
    now = move(mover, folder, ("memory/ferry.md", "memory/night boat.md"))
    assert now == {
        key.replace("ferry", "night boat"): text.replace("name: ferry", "name: night boat")
        .replace("[[ferry]]", "[[night boat]]")
        .replace("ferry.md", "night%20boat.md")
        .replace("[ferry]", "[night boat]")
        for key, text in FILES.items()
    }


def test_a_file_goes_to_another_directory(mover: Client, folder: Path) -> None:
    now = move(mover, folder, ("memory/ferry.md", "memory/team/ferry.md"))
    assert "[r](rota.md) ![p](../pic.png) [s](../../src/a.py)" in now["memory/team/ferry.md"]
    assert "[f](./team/ferry.md#x)" in now["memory/tide.md"]
    assert "[up](ferry.md) [[ferry]]\r\n" in now["memory/team/rota.md"]
    assert "- [ferry](team/ferry.md) — the boat" in now["memory/MEMORY.md"]
    assert "(../memory/team/ferry.md)" in now["other/MEMORY.md"]


def test_a_directory_with_all_that_is_in_it(mover: Client, folder: Path) -> None:
    now = move(mover, folder, ("memory/team", "memory/mi equipo"))
    assert "[r](mi%20equipo/rota.md)" in now["memory/ferry.md"]
    assert "[t](mi%20equipo/)" in now["memory/tide.md"]
    assert "(mi%20equipo/rota.md)" in now["memory/MEMORY.md"]
    assert now["memory/mi equipo/rota.md"] == FILES["memory/team/rota.md"]


def test_a_file_leaves_the_directory_or_comes_in(mover: Client, folder: Path) -> None:
    now = move(mover, folder, ("memory/ferry.md", "docs/ferry.md"), ("docs/plan.md", "memory/plan.md"))
    assert "[r](../memory/team/rota.md)" in now["docs/ferry.md"]
    assert "[f](../docs/ferry.md#x) [t](team/) [p](plan.md)" in now["memory/tide.md"]
    assert "- [ferry](../docs/ferry.md)" in now["memory/MEMORY.md"]
    assert "(../docs/ferry.md)" in now["other/MEMORY.md"]


def test_a_file_goes_from_one_memory_directory_to_another(mover: Client, folder: Path) -> None:
    now = move(mover, folder, ("memory/ferry.md", "other/ferry.md"))
    assert "(../other/ferry.md)" in now["memory/MEMORY.md"]
    assert "[f](ferry.md) — elsewhere" in now["other/MEMORY.md"]


@pytest.mark.parametrize(("old", "new"), [("memory", "notes"), ("memory/pic.png", "memory/img/pic.png")])
def test_other_things_that_links_lead_to(mover: Client, folder: Path, old: str, new: str) -> None:
    now = move(mover, folder, (old, new))
    if old == "memory":
        assert now["notes/ferry.md"] == FILES["memory/ferry.md"]
        assert "(../notes/ferry.md)" in now["other/MEMORY.md"]
    else:
        assert "![p](img/pic.png)" in now["memory/ferry.md"]


def test_the_project_around_the_directory_moves(mover: Client, folder: Path) -> None:
    params = {"files": [{"oldUri": folder.as_uri(), "newUri": folder.with_name("v").as_uri()}]}
    assert mover.request("workspace/willRenameFiles", params) is None


def test_what_nobody_links_changes_nothing(mover: Client, folder: Path) -> None:
    assert move(mover, folder, ("docs/plan.md", "docs/plan 2.md"))["memory/ferry.md"] == FILES["memory/ferry.md"]
    params = {"files": [{"oldUri": "untitled:a", "newUri": "untitled:b"}]}
    assert mover.request("workspace/willRenameFiles", params) is None


def test_the_server_knows_the_new_place(mover: Client, folder: Path) -> None:
    move(mover, folder, ("memory/ferry.md", "memory/boat.md"))
    name = mover.open(folder / "memory/tide.md")
    text = (folder / "memory/tide.md").read_text()
    line = text.split("\n").index(next(line for line in text.split("\n") if "[[boat]]" in line))
    [found] = mover.at("definition", name, line, 7)
    assert found["targetUri"].endswith("/memory/boat.md")


@pytest.mark.parametrize("gone", [["memory/ferry.md"], ["memory/team"], ["memory/ferry.md", "memory/team/rota.md"]])
def test_entries_of_deleted_memories_go(mover: Client, folder: Path, gone: list[str]) -> None:
    params = {"files": [{"uri": (folder / path).as_uri()} for path in gone]}
    edit: JSON = mover.request("workspace/willDeleteFiles", params)
    apply_edit(edit, mover.encoding)
    index = texts(folder)["memory/MEMORY.md"]
    assert ("[ferry]" in index) is ("memory/ferry.md" not in gone)
    assert ("[rota]" in index) is (len(gone) == 1 and "team" not in gone[0])


def test_deleting_the_directory_itself_edits_nothing(mover: Client, folder: Path) -> None:
    params = {"files": [{"uri": (folder / "memory").as_uri()}]}
    assert mover.request("workspace/willDeleteFiles", params) is None


@pytest.mark.parametrize("name", CLIENTS)
def test_offered_to_those_alone_who_tell(start: Start, name: str) -> None:
    offered = start().initialize(name)["capabilities"]["workspace"].get("fileOperations", {})
    declared = recording(name)["capabilities"]["workspace"].get("fileOperations") or {}
    told = {each for each, is_told in declared.items() if is_told}
    assert set(offered) == told - {"dynamicRegistration", "willCreate"}
