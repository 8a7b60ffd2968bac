"""Go to definition: to memories, headings and files, and to nothing where there is nothing."""

from __future__ import annotations

import copy
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Client, recording
from tests.server.conftest import Start
from tests.server.positions import covered, position

FERRY = memory("ferry", "The boat", body="Text.\n\n## Why 漢\n\nTides.\n\nSetext\n------\n\n## Why 漢\n")
FILES = {
    "ferry.md": FERRY,
    "user_role.md": memory("user_role", "Who", "user", body="She leads.\n"),
    "title.md": memory('"Decision: tides"', "A title", body="Yes.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "team/rota.md": memory("rota", "Who works", body="[up](../ferry.md)\n"),
    "one.md": memory("same-name", body="1.\n"),
    "two.md": memory("same-name", body="2.\n"),
    "README.md": "# Readme\n\n## Setup\n\nText.\n",
    "plan.txt": "plan",
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md)\n- `user_role.md`\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "notes", FILES)


def define(client: Client, path: Path, marked: str) -> list[JSON]:
    """Where the link at the ``‸`` leads."""
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = position(text, offset, client.encoding)
    return client.at("definition", name, where["line"], where["character"]) or []


def body(text: str) -> str:
    return memory("writing", body=f"{text}\n")


def targets(found: list[JSON], root: Path) -> list[str]:
    prefix = root.as_uri() + "/"
    return [unquote(item["targetUri"].removeprefix(prefix)) for item in found]


WIKI = [
    ("[[fer‸ry]]", ["ferry.md"]),
    ("[[FER‸RY|boat]]", ["ferry.md"]),
    ("[[Decision:‸ tides]]", ["title.md"]),
    ("[[tit‸le]]", ["title.md"]),
    ("[[user role‸]]", ["user_role.md"]),
    ("[[ro‸le]]", ["user_role.md"]),
    ("[[rot‸a]]", ["team/rota.md"]),
    ("[[team/ro‸ta]]", ["team/rota.md"]),
    ("[[ferry.md‸]]", ["ferry.md"]),
    ("[[same‸-name]]", ["one.md", "two.md"]),
    ("[[MEMO‸RY]]", ["MEMORY.md"]),
    ("[[READ‸ME]]", ["README.md"]),
    ("[[no‸where]]", []),
    ("`[[fer‸ry]]`", []),
    ("pla‸in", []),
]
PATHS = [
    ("[x](fer‸ry.md)", ["ferry.md"]),
    ("[x](<fer‸ry.md>)", ["ferry.md"]),
    ("[x](fer‸ry)", ["ferry.md"]),
    ("[x](%E5%81%9C%E8%88%AA‸.md)", ["停航.md"]),
    ("[x](team/ro‸ta.md)", ["team/rota.md"]),
    ("[x](READ‸ME.md)", ["README.md"]),
    ("[x](pl‸an.txt)", ["plan.txt"]),
    ("[x](team‸/)", []),
    ("[x](no‸where.md)", []),
    ("[x](https‸://quay.example)", []),
    ("[x][r‸ef]\n\n[ref]: ferry.md", ["ferry.md"]),
]


@pytest.mark.parametrize(("link", "expected"), WIKI)
def test_of_a_name(client: Client, directory: Path, link: str, expected: list[str]) -> None:
    assert targets(define(client, directory / "writing.md", body(link)), directory) == expected


@pytest.mark.parametrize(("link", "expected"), PATHS)
def test_of_a_path(emacs: Client, directory: Path, link: str, expected: list[str]) -> None:
    assert targets(define(emacs, directory / "writing.md", body(link)), directory) == expected


def test_from_a_sub_directory(emacs: Client, directory: Path) -> None:
    marked = FILES["team/rota.md"].replace("../ferry", "../fer‸ry")
    assert targets(define(emacs, directory / "team/rota.md", marked), directory) == ["ferry.md"]


@pytest.mark.parametrize("cursor", ["(ferry‸.md)", "`user_‸role.md`"])
def test_in_the_index(emacs: Client, directory: Path, cursor: str) -> None:
    marked = FILES["MEMORY.md"].replace(cursor.replace("‸", ""), cursor)
    [found] = define(emacs, directory / "MEMORY.md", marked)
    assert found["targetUri"].endswith(cursor.strip("()`").replace("‸", ""))


@pytest.mark.parametrize(
    ("link", "text", "heading"),
    [
        ("[[ferry#Why 漢‸]]", "Why 漢", 0),
        ("[x](ferry.md#why-漢‸)", "Why 漢", 0),
        ("[x](ferry.md#why-漢-1‸)", "Why 漢", 1),
        ("[x](ferry.md#why-%E6%BC%A2‸)", "Why 漢", 0),
        ("[[ferry#setext‸]]", "Setext", 0),
        ("[x](README.md#setup‸)", "Setup", 0),
    ],
)
def test_an_anchor_leads_to_its_heading(emacs: Client, directory: Path, link: str, text: str, heading: int) -> None:
    [found] = define(emacs, directory / "writing.md", body(link))
    target = FILES[unquote(found["targetUri"]).rpartition("/")[2]]
    assert covered(target, found["targetSelectionRange"], emacs.encoding) == text
    at = [number for number, line in enumerate(target.split("\n")) if line.removeprefix("## ") == text][heading]
    assert found["targetSelectionRange"]["start"]["line"] == at
    whole, name = found["targetRange"], found["targetSelectionRange"]
    assert (whole["start"]["line"], whole["start"]["character"]) <= (name["start"]["line"], name["start"]["character"])
    assert (whole["end"]["line"], whole["end"]["character"]) >= (name["end"]["line"], name["end"]["character"])


def test_a_heading_that_is_not_there_leads_to_the_file(emacs: Client, directory: Path) -> None:
    [found] = define(emacs, directory / "writing.md", body("[[ferry#No‸where]]"))
    assert found["targetSelectionRange"]["start"] == {"line": 0, "character": 0}


def test_an_anchor_alone_is_in_this_file(emacs: Client, directory: Path) -> None:
    [found] = define(emacs, directory / "writing.md", body("[[#He‸re]]\n\n## Here\n\n"))
    assert found["targetUri"] == (directory / "writing.md").as_uri()
    assert found["targetSelectionRange"]["start"]["line"] == 9


def test_the_open_text_counts(emacs: Client, directory: Path) -> None:
    emacs.open(directory / "title.md", memory("brand-new", body="\n" * 5 + "# Deep\n"))
    [found] = define(emacs, directory / "writing.md", body("[[brand-new#De‸ep]]"))
    assert found["targetSelectionRange"]["start"]["line"] == 12


def test_path_links_are_left_to_vs_code(client: Client, directory: Path) -> None:
    is_followed = bool(define(client, directory / "writing.md", body("[x](fer‸ry.md)")))
    assert is_followed is not client.name.startswith("vscode")
    assert define(client, directory / "writing.md", body("[[fer‸ry]]"))


@pytest.mark.parametrize(("name", "setting"), [("vscode", "on"), ("neovim", "off")])
def test_the_setting_rules_over_that(start: Start, directory: Path, name: str, setting: str) -> None:
    client = start()
    client.initialize(name, options={"markdownLinks": setting})
    assert bool(define(client, directory / "writing.md", body("[x](fer‸ry.md)"))) is (setting == "on")
    assert define(client, directory / "writing.md", body("[[fer‸ry]]"))


def test_plain_locations_for_a_client_without_links(start: Start, directory: Path) -> None:
    capabilities = copy.deepcopy(recording("emacs")["capabilities"])
    del capabilities["textDocument"]["definition"]["linkSupport"]
    client = start()
    client.initialize("emacs", capabilities=capabilities)
    [found] = define(client, directory / "writing.md", body("[[ferry#Why‸ 漢]]"))
    assert found["uri"] == (directory / "ferry.md").as_uri()
    assert covered(FERRY, found["range"], client.encoding) == "Why 漢"
