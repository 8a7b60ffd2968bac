"""Refactorings over the wire: merging what is alike, and links that follow what somebody moved without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Client
from tests.server.conftest import Start
from tests.server.editor import apply_edit

ALIKE = (
    "The ferry leaves the north quay at six every morning, and the captain wants the tide tables on board by then.\n"
)
FILES = {
    "ferry.md": memory("ferry", "When it leaves", body=ALIKE, extra="  createdAt: 2026-05-01\n"),
    "boat.md": memory("boat", "When it leaves", body=f"{ALIKE}\r\n[[boat]]\r\n", extra="  createdAt: 2026-01-01\n"),
    "tide.md": memory("tide", "The water", body="😀 [[boat#When]] and [t](boat.md), [[ferry|it]]\n"),
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — d\n- [boat](boat.md) — d\n- [tide](tide.md)\n",
}


def actions(client: Client, name: str, at: JSON, only: str | None = None, to: JSON | None = None) -> list[JSON]:
    context: JSON = {"diagnostics": [], **({"only": [only]} if only else {})}
    found = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": name}, "range": {"start": at, "end": to or at}, "context": context},
    )
    return found or []


def chosen(client: Client, found: list[JSON], title: str) -> JSON:
    [action] = [action for action in found if title in action["title"]]
    if "edit" not in action:
        # Neovim leaves out what is null.
        action["data"] = {key: value for key, value in action["data"].items() if value is not None}
        action = client.request("codeAction/resolve", action)
    edit: JSON = action["edit"]
    return edit


@pytest.fixture(params=["vscode", "neovim", "emacs"])
def editor(request: pytest.FixtureRequest, start: Start, tmp_path: Path) -> Client:
    client = start()
    client.initialize(request.param, write_files(tmp_path / "memory", FILES))
    return client


def test_a_near_twin_is_merged(editor: Client, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    name = editor.open(root / "ferry.md")
    editor.wait_for_code(root / "ferry.md", "near-duplicate")
    start, body = {"line": 1, "character": 8}, {"line": 9, "character": 0}
    if editor.name == "emacs":  # it deletes no files for a server
        assert not [action for action in actions(editor, name, start) if "Merge" in action["title"]]
        return
    assert [action["kind"] for action in actions(editor, name, body, "refactor")] == ["refactor.rewrite"]
    edit = chosen(editor, actions(editor, name, start), "Merge `boat.md` into this memory")
    apply_edit(edit, editor.encoding, {name: (1, FILES["ferry.md"])})
    assert not (root / "boat.md").exists()
    merged = (root / "ferry.md").read_bytes().decode()
    assert merged.count(ALIKE.strip()) == 2
    assert merged.endswith("\n\n[[ferry]]\n")
    assert "createdAt: 2026-01-01" in merged
    assert "😀 [[ferry#When]] and [t](ferry.md), [[ferry|it]]" in (root / "tide.md").read_text()
    assert (root / "MEMORY.md").read_text() == "# Index\n\n- [ferry](ferry.md) — d\n- [tide](tide.md)\n"


def test_links_follow_a_memory_that_was_moved_without_a_word(editor: Client, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    name = editor.open(root / "tide.md")
    editor.wait_for_codes(root / "tide.md", "link-dead-anchor")
    at = {"line": 7, "character": 8}
    assert not [action for action in actions(editor, name, at) if "follow" in action["title"]]
    (root / "boat.md").rename(root / "small craft.md")
    (root / "small craft.md").write_text(FILES["boat.md"].replace("name: boat", "name: small-craft"))
    editor.watched(root / "boat.md", root / "small craft.md")
    editor.wait_for_code(root / "tide.md", "link-dead")
    edit = chosen(editor, actions(editor, name, at), "Let all links to `boat` follow it to `small craft.md`")
    apply_edit(edit, editor.encoding, {name: (1, FILES["tide.md"])})
    text = (root / "tide.md").read_text()
    assert "😀 [[small craft#When]] and [t](small%20craft.md), [[ferry|it]]" in text
    assert "- [small craft](small%20craft.md) — d" in (root / "MEMORY.md").read_text()


def test_a_selection_becomes_a_memory(editor: Client, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    name = editor.open(root / "ferry.md")
    start, end = {"line": 8, "character": 0}, {"line": 8, "character": len(ALIKE) - 1}
    text = FILES["ferry.md"]
    assert text.split("\n")[8] == ALIKE.strip()
    found = actions(editor, name, start, "refactor.extract", end)
    if editor.name == "emacs":
        assert found == []
        return
    edit = chosen(editor, found, "Extract the selection into a memory")
    apply_edit(edit, editor.encoding, {name: (1, text)})
    [new] = {path.name for path in root.iterdir()} - FILES.keys()
    assert ALIKE.strip() in (root / new).read_text()
    assert (root / "ferry.md").read_text().endswith(f"---\n\n[[{new.removesuffix('.md')}]]\n")
    assert new in (root / "MEMORY.md").read_text()


def test_nothing_is_extracted_where_nothing_is_selected(editor: Client, tmp_path: Path) -> None:
    name = editor.open(tmp_path / "memory" / "ferry.md")
    for start, end in (((8, 3), (8, 3)), ((1, 0), (1, 4)), ((7, 0), (8, 0))):
        places = [{"line": line, "character": character} for line, character in (start, end)]
        assert actions(editor, name, places[0], "refactor.extract", places[1]) == []


def test_a_bullet_of_the_index_becomes_a_memory(editor: Client, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    text = FILES["MEMORY.md"] + "- The 漢 harbour master answers on channel 12 until six.\n"
    (root / "MEMORY.md").write_text(text)
    name = editor.open(root / "MEMORY.md")
    editor.watched(root / "MEMORY.md")
    found = actions(editor, name, {"line": 5, "character": 4}, "refactor.extract")
    if editor.name != "emacs":
        apply_edit(chosen(editor, found, "Extract the bullet"), editor.encoding, {name: (1, text)})
        [new] = {path.name for path in root.iterdir()} - FILES.keys()
        assert "The 漢 harbour master answers on channel 12 until six." in (root / new).read_text()
        assert (root / "MEMORY.md").read_text().count(f"]({new})") == 1
