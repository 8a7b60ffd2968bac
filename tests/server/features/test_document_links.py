"""Document links: what is underlined, and where a click leads."""

from __future__ import annotations

import copy
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, recording
from tests.server.conftest import Start
from tests.server.positions import covered

FILES = {
    "ferry.md": memory("ferry", "The boat", body="Text.\n\n## Why 漢\n\nTides.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "quay map.md": memory("quay-map", "Ramps", body="North.\n"),
    "one.md": memory("same-name", "One", body="1.\n"),
    "two.md": memory("same-name", "Two", body="2.\n"),
    "plan.txt": "plan",
    "MEMORY.md": "# Index\r\n\r\n- 😀 [ferry](ferry.md) — the boat\r\n- `停航.md`\r\n- [[quay map]]\r\n- [gone](gone.md)\r\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def links(client: Client, path: Path, text: str) -> list[str]:
    """What is underlined, each with the file and line it leads to."""
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    found = client.request("textDocument/documentLink", {"textDocument": {"uri": name}})
    prefix = path.parent.as_uri() + "/"
    return [
        f"{covered(text, item['range'], client.encoding)} -> {unquote(item['target'].removeprefix(prefix))}"
        for item in found
    ]


WIKI = "😀 é 漢 [[ferry]] [[ferry#Why 漢|boat]] [[#Here]]\u2028[[FERRY]] ![[quay map]] [[MEMORY]]\n\n# Here\n"
PATHS = "[a](ferry.md#why-漢) [b](<quay map.md>) [c][ref] [d](plan.txt)\n\n[ref]: %E5%81%9C%E8%88%AA.md\n"
NONE = "[[gone]] [x](gone.md) [[same-name]] `[[ferry]]` [w](https://quay.example) [u](../up.md) [[ferry#No|x]]\n"


def test_of_names(client: Client, directory: Path) -> None:
    assert links(client, directory / "writing.md", memory("writing", body=WIKI)) == [
        "ferry -> ferry.md",
        "ferry#Why 漢 -> ferry.md#L10",
        "#Here -> writing.md#L10",
        "FERRY -> ferry.md",
        "quay map -> quay map.md",
        "MEMORY -> MEMORY.md",
    ]


def test_of_paths(emacs: Client, directory: Path) -> None:
    assert links(emacs, directory / "writing.md", memory("writing", body=PATHS)) == [
        "ferry.md#why-漢 -> ferry.md#L10",
        "quay map.md -> quay map.md",
        "ref -> 停航.md",
        "plan.txt -> plan.txt",
        "%E5%81%9C%E8%88%AA.md -> 停航.md",
    ]


def test_only_of_what_leads_to_one_file_here(emacs: Client, directory: Path) -> None:
    assert links(emacs, directory / "writing.md", memory("writing", body=NONE)) == ["ferry#No -> ferry.md"]


def test_path_links_are_left_to_vs_code(client: Client, directory: Path) -> None:
    found = links(client, directory / "MEMORY.md", FILES["MEMORY.md"])
    own = ["停航.md -> 停航.md", "quay map -> quay map.md"]
    assert found == (own if client.name.startswith("vscode") else ["ferry.md -> ferry.md", *own])


@pytest.mark.parametrize("declared", [True, False])
def test_a_tooltip_where_the_client_shows_it(start: Start, directory: Path, declared: bool) -> None:
    capabilities = copy.deepcopy(recording("emacs")["capabilities"])
    capabilities["textDocument"]["documentLink"] = {"tooltipSupport": declared}
    client = start()
    client.initialize("emacs", capabilities=capabilities)
    name = client.open(directory / "writing.md", memory("writing", body="[[ferry]] [[MEMORY]]\n"))
    client.wait(lambda: client.published(name), "the directory")
    found = client.request("textDocument/documentLink", {"textDocument": {"uri": name}})
    expected = ["ferry — The boat", "MEMORY.md"] if declared else [None, None]
    assert [item.get("tooltip") for item in found] == expected


def test_of_a_file_that_is_not_open_and_of_a_text_that_is_no_file(emacs: Client, directory: Path) -> None:
    emacs.open(directory / "one.md")
    emacs.wait(lambda: emacs.published(directory / "one.md"), "the directory")
    index = {"textDocument": {"uri": (directory / "MEMORY.md").as_uri()}}
    assert len(emacs.request("textDocument/documentLink", index)) == 3
    name = emacs.open("untitled:Untitled-8", "[[ferry]] [[#Here]]\n\n# Here\n")
    assert emacs.request("textDocument/documentLink", {"textDocument": {"uri": name}}) == []
    emacs.close(name)
