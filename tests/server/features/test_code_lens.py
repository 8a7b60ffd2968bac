"""Code lenses: how many links lead here, and a command that shows them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Client
from tests.server.conftest import Start
from tests.server.positions import covered, lines

FERRY = memory(
    "ferry", "The boat", body="[[#Why 漢]]\n\n## Why 漢\n\nTides.\n\n## Nobody's\n\nSetext\n------\n\n> ## Quoted\n"
)
FILES = {
    "ferry.md": FERRY,
    "one.md": memory("one", "One", body="😀 [[ferry]] [x](ferry.md#why-漢) `[[ferry]]`\n"),
    "two.md": memory("two", "Two", body="[[FERRY#setext|boat]] [[MEMORY#Boats]]\n"),
    "MEMORY.md": "# Index\n\n## Boats\n\n- [ferry](ferry.md#quoted) — the boat\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def lenses(client: Client, path: Path, text: str) -> list[JSON]:
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    found: list[JSON] = client.request("textDocument/codeLens", {"textDocument": {"uri": name}})
    return found


def shown(found: list[JSON], text: str) -> list[str]:
    return [f"{lines(text)[item['range']['start']['line']]}: {item['command']['title']}" for item in found]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tells_how_many_links_lead_to_a_memory_and_its_headings(client: Client, directory: Path, end: str) -> None:
    found = lenses(client, directory / "ferry.md", FERRY.replace("\n", end))
    assert shown(found, FERRY) == [
        "name: ferry: 4 references",
        "## Why 漢: 2 references",
        "Setext: 1 reference",
        "> ## Quoted: 1 reference",
    ]
    # Without a name a command is none: Neovim and VS Code show the title, and do nothing.
    assert {item["command"]["command"] for item in found} == {""}


def test_of_the_index_only_what_is_linked(emacs: Client, directory: Path) -> None:
    text = FILES["MEMORY.md"]
    assert shown(lenses(emacs, directory / "MEMORY.md", text), text) == [
        "# Index: 1 reference",
        "## Boats: 1 reference",
    ]
    text = "# Index\n"
    write_files(directory.parent / "other", {"MEMORY.md": text, "a.md": memory("a")})
    assert lenses(emacs, directory.parent / "other/MEMORY.md", text) == []


@pytest.mark.parametrize("text", ["Text.\n", "---\ntype: user\n---\n", ""])
def test_stands_on_the_first_line_where_there_is_no_name(emacs: Client, directory: Path, text: str) -> None:
    [found] = lenses(emacs, directory / "writing.md", text)
    assert found["range"]["start"] == {"line": 0, "character": 0}
    assert found["command"]["title"] == "0 references"


def test_follows_what_is_typed_elsewhere(emacs: Client, directory: Path) -> None:
    name = emacs.open(directory / "one.md")
    emacs.change(name, memory("one", body="Nothing.\n"))
    assert shown(lenses(emacs, directory / "ferry.md", FERRY), FERRY)[0] == "name: ferry: 2 references"


def test_a_client_that_can_is_told_what_to_show(start: Start, directory: Path) -> None:
    client = start()
    client.initialize("vscode", options={"showReferences": True})
    found = lenses(client, directory / "ferry.md", FERRY)
    assert [item.get("command") for item in found] == [None] * 4
    resolved = [client.request("codeLens/resolve", item) for item in found]
    assert shown(resolved, FERRY)[:2] == ["name: ferry: 4 references", "## Why 漢: 2 references"]
    command = resolved[1]["command"]
    assert command["command"] == "memoryLs.ui.showReferences"
    uri, position, locations = command["arguments"]
    assert uri == (directory / "ferry.md").as_uri()
    assert position == found[1]["range"]["start"]
    assert [
        f"{unquote(item['uri']).rpartition('/')[2]}: "
        + covered(FILES[unquote(item["uri"]).rpartition("/")[2]], item["range"], client.encoding)
        for item in locations
    ] == ["ferry.md: #Why 漢", "one.md: ferry.md#why-漢"]


def test_nothing_to_show_is_told_without_a_command(start: Start, directory: Path) -> None:
    client = start()
    client.initialize("vscode", options={"showReferences": True})
    [lens] = lenses(client, directory / "two.md", FILES["two.md"])
    assert client.request("codeLens/resolve", lens)["command"] == {"title": "0 references", "command": ""}


@pytest.mark.parametrize(
    "data", [None, 7, {}, {"uri": 7}, {"uri": "untitled:x"}, {"uri": "file:///none.md", "anchor": 7}]
)
def test_a_lens_of_somebody_else_comes_back_as_it_is(emacs: Client, data: object) -> None:
    place = {"line": 0, "character": 0}
    lens = {"range": {"start": place, "end": place}, "data": data}
    assert emacs.request("codeLens/resolve", lens)["command"]["title"] == "0 references"


def test_none_in_a_text_that_is_no_file(emacs: Client) -> None:
    name = emacs.open("untitled:Untitled-10", "# Top\n\n[[#Top]]\n")
    assert emacs.request("textDocument/codeLens", {"textDocument": {"uri": name}}) == []
    emacs.close(name)
