"""Symbols: outlines, and the search over all memories."""

from __future__ import annotations

import copy
from pathlib import Path
from urllib.parse import unquote

import pytest

from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import uri_of
from memory_ls.server.features.symbols import search
from tests.making import directory_of, memory, write_files
from tests.server.client import CLIENTS, JSON, Client, recording
from tests.server.conftest import Start
from tests.server.positions import covered, lines

FERRY = memory(
    "ferry",
    "The boat 😀",
    extra="# a comment\n",
    body="# Top 漢\n\nText [[停航]].\n\n### Deep 😀\n\na\u2028b\n\nSetext\n------\n\n> ## Quoted\n> x\n\n- # In a list\n\n##\n\n"
    "```\n# no heading\n```\n",
)
INDEX = (
    "- [first](ferry.md) — before any section\n\n# Index\n\n## 😀 Boats\n\n- [ferry](ferry.md) — the boat\n"
    "- `停航.md`: 停\n- [[ferry|the boat]] · [[停航]]\n\n## Empty\n"
)
FILES = {
    "ferry.md": FERRY,
    "停航.md": memory("停航", "船长决定", "feedback", body="停。\n"),
    "plain.md": "No frontmatter.\n",
    "MEMORY.md": INDEX,
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "quay/memory", FILES)


def outline(client: Client, path: Path, text: str) -> list[JSON]:
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    found: list[JSON] = client.request("textDocument/documentSymbol", {"textDocument": {"uri": name}})
    return found


def tree(symbols: list[JSON], indent: str = "") -> list[str]:
    shown = []
    for symbol in symbols:
        shown.append(indent + " | ".join([symbol["name"], *([symbol["detail"]] if "detail" in symbol else [])]))
        shown += tree(symbol.get("children", []), indent + "  ")
    return shown


def everything(symbols: list[JSON]) -> list[JSON]:
    return [each for symbol in symbols for each in (symbol, *everything(symbol.get("children", [])))]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_of_a_memory(client: Client, directory: Path, end: str) -> None:
    text = FERRY.replace("\n", end)
    if client.name.startswith("vscode"):  # whose own markdown features show the headings
        assert tree(outline(client, directory / "ferry.md", text)) == ["ferry | project — The boat 😀"]
        return
    found = outline(client, directory / "ferry.md", text)
    assert tree(found) == [
        "ferry | project — The boat 😀",
        "  Top 漢",
        "    Deep 😀",
        "    Setext",
        "    Quoted",
        "  In a list",
        "    ##",
    ]
    assert [covered(text, item["selectionRange"], client.encoding) for item in everything(found)] == [
        "ferry", "Top 漢", "Deep 😀", "Setext", "Quoted", "In a list", "",
    ]  # fmt: skip
    starts = [item["range"]["start"]["line"] for item in everything(found)]
    assert [lines(text)[line].lstrip("-> #") for line in starts[1:]] == [
        "Top 漢", "Deep 😀", "Setext", "Quoted", "In a list", "",
    ]  # fmt: skip
    ends = [item["range"]["end"]["line"] for item in everything(found)]
    assert [lines(text)[line] for line in ends[1:4]] == ["> x", "a\u2028b", "------"]


def test_of_the_index(client: Client, directory: Path) -> None:
    found = outline(client, directory / "MEMORY.md", INDEX)
    assert tree(found) == [
        "first | before any section",
        "Index",
        "  😀 Boats",
        "    ferry | the boat",
        "    停航.md | 停",
        "    the boat",
        "    停航",
        "  Empty",
    ]
    assert [covered(INDEX, item["selectionRange"], client.encoding) for item in everything(found)] == [
        "[first](ferry.md)", "Index", "😀 Boats", "[ferry](ferry.md)", "`停航.md`", "[[ferry|the boat]]", "[[停航]]",
        "Empty",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["writing"]),
        ("Text.\n", ["writing"]),
        ("---\nname:\n---\n", ["writing"]),
        ('---\nname: "  "\n---\n# \u3000\n', ["writing", "  #"]),
        ("---\nname: 'a  b'\ntype: user\n---\n", ["a b | user"]),
        ("---\nname: x\n# no heading\n", ["x"]),
        ("# One\n\n# One\n", ["writing", "  One", "  One"]),
        ("###### Six\n# One\n", ["writing", "  Six", "  One"]),
        ("# A `code` *b* [[ferry|c]]\n", ["writing", "  A code b c"]),
    ],
)
def test_no_symbol_is_without_a_name(emacs: Client, directory: Path, text: str, expected: list[str]) -> None:
    assert tree(outline(emacs, directory / "writing.md", text)) == expected


def test_of_a_text_that_is_no_file(emacs: Client) -> None:
    name = emacs.open("untitled:Untitled-9", "# Top\n\n## Below\n")
    found = emacs.request("textDocument/documentSymbol", {"textDocument": {"uri": name}})
    assert tree(found) == ["untitled", "  Top", "    Below"]
    emacs.close(name)


def test_waits_until_the_directory_was_read(start: Start, directory: Path) -> None:
    client = start()
    client.initialize("neovim")
    document = {"textDocument": {"uri": client.open(directory / "ferry.md")}}
    # At once, as editors ask, who would show that there is nothing until the next change.
    numbers = [
        client.ask(f"textDocument/{method}", document) for method in ("documentSymbol", "documentLink", "codeLens")
    ]
    assert [bool(client.answer(number)) for number in numbers] == [True, True, True]
    elsewhere = client.open(directory.parent / "no-memory.md", "# Top\n")
    assert client.request("textDocument/documentSymbol", {"textDocument": {"uri": elsewhere}}) is None


def test_a_flat_list_for_a_client_that_knows_no_tree(start: Start, directory: Path) -> None:
    capabilities = copy.deepcopy(recording("emacs")["capabilities"])
    del capabilities["textDocument"]["documentSymbol"]["hierarchicalDocumentSymbolSupport"]
    client = start()
    client.initialize("emacs", capabilities=capabilities)
    found = outline(client, directory / "MEMORY.md", INDEX)
    assert [(item["name"], item.get("containerName")) for item in found] == [
        ("first", None),
        ("Index", None),
        ("😀 Boats", "Index"),
        ("ferry", "😀 Boats"),
        ("停航.md", "😀 Boats"),
        ("the boat", "😀 Boats"),
        ("停航", "😀 Boats"),
        ("Empty", "Index"),
    ]
    assert {item["location"]["uri"] for item in found} == {(directory / "MEMORY.md").as_uri()}


@pytest.mark.parametrize("editor", CLIENTS)
def test_the_search_leads_to_the_name(start: Start, directory: Path, editor: str) -> None:
    client = start()
    client.initialize(editor)
    name = client.open(directory / "ferry.md")
    client.wait(lambda: client.published(name), "the directory")
    [item] = client.request("workspace/symbol", {"query": "停航"})
    assert item["name"] == "停航"
    assert item["containerName"] == "feedback · quay/memory"
    assert unquote(item["location"]["uri"]) == unquote((directory / "停航.md").as_uri())
    assert covered(FILES["停航.md"], item["location"]["range"], client.encoding) == "停航"


def test_the_search_covers_all_directories_and_what_is_open(start: Start, tmp_path: Path) -> None:
    one = write_files(tmp_path / "w/one/memory", {"a.md": memory("alpha"), "MEMORY.md": ""})
    texts = {"b.md": memory("beta"), "deep/c.md": memory("gamma"), "MEMORY.md": ""}
    two = write_files(tmp_path / "w/two/memory", texts)
    client = start()
    client.initialize("neovim")
    names = [client.open(one / "a.md"), client.open(two / "b.md")]
    client.wait(lambda: all(client.published(name) for name in names), "both directories")
    client.change((one / "a.md").as_uri(), memory("alpha-two"))
    client.barrier()
    found = client.request("workspace/symbol", {"query": ""})
    assert [(item["name"], item["containerName"]) for item in found] == [
        ("alpha-two", "project · one/memory"),
        ("beta", "project · two/memory"),
        ("gamma", "project · two/memory/deep"),
    ]


NAMED = directory_of(
    {
        "boat.md": memory("boat", "A vessel"),
        "boathouse.md": memory("boathouse", "Where it sleeps"),
        "steam-boat.md": memory("steam-boat", "Old"),
        "lifeboats.md": memory("lifeboats", "Two of them"),
        "bring-oats.md": memory("bring-oats", "For the horse"),
        "user_role.md": memory('"Who leads: Ann"', "Ann leads", "user"),
        "nameless.md": "Text of a boat.\n",
    }
)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("boat", ["boat", "boathouse", "steam-boat", "lifeboats"]),
        ("  BOAT ", ["boat", "boathouse", "steam-boat", "lifeboats"]),
        ("steam boat", ["steam-boat"]),
        ("stmbt", ["steam-boat"]),
        ("brgo", ["bring-oats"]),
        ("user role", ["Who leads: Ann"]),
        ("leads: a", ["Who leads: Ann"]),
        ("nameless", ["nameless"]),
        ("the horse", ["bring-oats"]),
        ("zebra", []),
        ("\\d[^a]*+(", []),
        ("-", ["Who leads: Ann", "bring-oats", "steam-boat"]),
    ],
)
def test_the_best_come_first(query: str, expected: list[str]) -> None:
    found = search([NAMED], query, ClientSupport(), lambda directory, key: uri_of(directory.path_of(key)))
    assert [item.name for item in found] == expected


def test_a_long_list_is_cut_and_the_best_of_all_directories_are_kept() -> None:
    many = directory_of({f"tide-{n:03}.md": memory(f"tide-{n:03}") for n in range(300)})
    found = search([many, NAMED], "", ClientSupport(), lambda directory, key: uri_of(directory.path_of(key)))
    assert len(found) == 100
    assert [item.name for item in found[:4]] == ["tide-000", "boat", "tide-001", "boathouse"]
    exact = directory_of({"tide.md": memory("tide")})
    found = search([many, exact], "tide", ClientSupport(), lambda directory, key: uri_of(directory.path_of(key)))
    assert len(found) == 100
    assert found[0].name == "tide"


def test_a_text_that_was_pasted_is_searched_for_at_once() -> None:
    assert search([NAMED], "tide " * 100_000, ClientSupport(), lambda directory, key: "") == []
