"""References and highlights: every link to what stands under the cursor."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Client
from tests.server.positions import covered, position

FERRY = memory(
    "ferry", "The boat", body="😀 é 漢 [[#Why 漢]].\n\n## Why 漢\n\nTides.\n\nSetext\n------\n\n> # Quoted\n"
)
FILES = {
    "ferry.md": FERRY,
    "user_role.md": memory("user_role", "Who", "user", body="😀 é 漢 [[FERRY|the boat]] and [x][one]\n\n[one]: ferry.md\n"),
    "停航.md": memory("停航", "船长决定", body="停。[x](ferry.md#why-漢) [y](<ferry.md#setext>)\n").replace("\n", "\r\n"),
    "team/rota.md": memory("rota", "Who works", body="a\u2028b [up](../ferry.md) `[[ferry]]` [[gone]] [g](../gone.md)\n"),
    "one.md": memory("same-name", "One", body="[[same-name]]\n"),
    "two.md": memory("same-name", "Two", body="2.\n"),
    "plain.md": "Without a name, [[role]].\n",
    "README.md": "# Readme\n\n[[ferry]]\n",
    "MEMORY.md": "# Index\n\n- 😀 [ferry](ferry.md) — the boat\n- `user_role.md`\n"
    "- [r](README.md) — [[ferry#Quoted]]\n- [p](plan.txt)\n",
    "plan.txt": "plan",
}  # fmt: skip
TO_FERRY = [
    "MEMORY.md: ferry.md",
    "MEMORY.md: ferry#Quoted",
    "README.md: ferry",
    "team/rota.md: ../ferry.md",
    "user_role.md: FERRY",
    "user_role.md: one",
    "user_role.md: ferry.md",
    "停航.md: ferry.md#why-漢",
    "停航.md: ferry.md#setext",
]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def marked_in(file: str, cursor: str) -> str:
    """The text of a file with the cursor, ``‸``, put where ``cursor`` has it."""
    plain = cursor.replace("‸", "")
    assert plain in FILES[file]
    return FILES[file].replace(plain, cursor, 1)


def ask(client: Client, method: str, path: Path, marked: str, **more: Any) -> Any:
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = {"textDocument": {"uri": name}, "position": position(text, offset, client.encoding), **more}
    return client.request(f"textDocument/{method}", where)


def refer(client: Client, root: Path, file: str, marked: str, *, declaration: bool = False) -> list[str] | None:
    """The places that are found, each as its file and the text there."""
    found = ask(client, "references", root / file, marked, context={"includeDeclaration": declaration})
    texts = {**FILES, file: marked.replace("‸", "")}
    return found and [_shown(client, root, item, texts) for item in found]


def _shown(client: Client, root: Path, item: JSON, texts: dict[str, str]) -> str:
    file = unquote(item["uri"].removeprefix(root.as_uri() + "/"))
    return f"{file}: {covered(texts[file], item['range'], client.encoding)}"


@pytest.mark.parametrize(
    ("file", "cursor"),
    [
        ("user_role.md", "[[FER‸RY|the boat]]"),
        ("user_role.md", "[[FERRY|the‸ boat]]"),
        ("user_role.md", "[x][on‸e]"),
        ("user_role.md", "[one]: fer‸ry.md"),
        ("停航.md", "(fer‸ry.md#why-漢)"),
        ("team/rota.md", "[u‸p](../ferry.md)"),
        ("MEMORY.md", "[ferry](ferry.md‸)"),
        ("MEMORY.md", "[[fer‸ry#Quoted]]"),
        ("ferry.md", "name: fer‸ry"),
        ("ferry.md", "na‸me: ferry"),
    ],
)
def test_of_a_memory(client: Client, directory: Path, file: str, cursor: str) -> None:
    assert refer(client, directory, file, marked_in(file, cursor)) == TO_FERRY


@pytest.mark.parametrize(
    ("file", "cursor"),
    [("ferry.md", "## Wh‸y 漢"), ("ferry.md", "‸## Why"), ("ferry.md", "[[#Wh‸y 漢]]"), ("停航.md", "#why‸-漢")],
)
def test_of_a_heading(client: Client, directory: Path, file: str, cursor: str) -> None:
    assert refer(client, directory, file, marked_in(file, cursor), declaration=True) == [
        "ferry.md: Why 漢",
        "ferry.md: #Why 漢",
        "停航.md: ferry.md#why-漢",
    ]


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [
        ("Set‸ext", ["停航.md: ferry.md#setext"]),
        ("----‸--", ["停航.md: ferry.md#setext"]),
        ("> #‸ Q", ["MEMORY.md: ferry#Quoted"]),
    ],
)
def test_of_other_headings(emacs: Client, directory: Path, cursor: str, expected: list[str]) -> None:
    assert refer(emacs, directory, "ferry.md", marked_in("ferry.md", cursor)) == expected


def test_the_declaration_is_the_name(client: Client, directory: Path) -> None:
    marked = marked_in("user_role.md", "[[FER‸RY|the boat]]")
    assert refer(client, directory, "user_role.md", marked, declaration=True) == ["ferry.md: ferry", *TO_FERRY]


def test_without_a_name_it_is_the_start_of_the_file(emacs: Client, directory: Path) -> None:
    marked = "With‸out a name, [[plain]].\n"
    assert refer(emacs, directory, "plain.md", marked, declaration=True) == ["plain.md: ", "plain.md: plain"]


def test_of_a_file_that_is_no_memory_and_of_the_index(emacs: Client, directory: Path) -> None:
    marked = marked_in("MEMORY.md", "(pla‸n.txt)")
    assert refer(emacs, directory, "MEMORY.md", marked, declaration=True) == ["MEMORY.md: plan.txt"]
    marked = memory("writing", body="See [[MEM‸ORY]].\n")
    assert refer(emacs, directory, "writing.md", marked, declaration=True) == ["MEMORY.md: ", "writing.md: MEMORY"]


def test_of_an_entry_in_backticks(emacs: Client, directory: Path) -> None:
    marked = marked_in("MEMORY.md", "`user‸_role.md`")
    assert refer(emacs, directory, "MEMORY.md", marked) == ["MEMORY.md: user_role.md", "plain.md: role"]


def test_of_an_ambiguous_link_all_that_it_may_mean(emacs: Client, directory: Path) -> None:
    marked = marked_in("one.md", "[[same‸-name]]")
    assert refer(emacs, directory, "one.md", marked, declaration=True) == [
        "one.md: same-name",
        "two.md: same-name",
        "one.md: same-name",
    ]


def test_of_a_dead_link_all_that_one_memory_would_mend(emacs: Client, directory: Path) -> None:
    marked = marked_in("team/rota.md", "[[go‸ne]]")
    assert refer(emacs, directory, "team/rota.md", marked, declaration=True) == [
        "team/rota.md: gone",
        "team/rota.md: ../gone.md",
    ]


def test_of_a_heading_that_is_not_there(emacs: Client, directory: Path) -> None:
    marked = memory("writing", body="[[ferry#No‸where]] [x](ferry.md#nowhere) [[rota#Nowhere]]\n")
    assert refer(emacs, directory, "writing.md", marked, declaration=True) == [
        "writing.md: ferry#Nowhere",
        "writing.md: ferry.md#nowhere",
    ]


@pytest.mark.parametrize("cursor", ["Tid‸es.", "desc‸ription", "type: pro‸ject", "\n--‸-\n\n😀"])
def test_of_nothing_there_are_none(emacs: Client, directory: Path, cursor: str) -> None:
    assert refer(emacs, directory, "ferry.md", marked_in("ferry.md", cursor)) is None


@pytest.mark.parametrize("link", ["[x](https‸://quay.example)", "`[[fer‸ry]]`", "[x](../../o‸ut.md)", "[x](team‸/)"])
def test_of_what_leads_nowhere_here_there_are_none(emacs: Client, directory: Path, link: str) -> None:
    assert refer(emacs, directory, "writing.md", memory("writing", body=f"{link}\n")) is None


def test_links_in_code_are_none(emacs: Client, directory: Path) -> None:
    body = "[[ro‸ta]]\n\n```\n[[rota]]\n```\n\n1. x\n   ~~~\n   [[rota]]\n   ~~~\n\n`[[rota]]` \\`[[rota]]\\` <!-- [[rota]] -->\n"
    found = refer(emacs, directory, "writing.md", memory("writing", body=body))
    assert found == ["writing.md: rota", "writing.md: rota"]


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("[[v1.2 no‸tes]]", "v1.2 notes"),
        ("[t](v1.2%20no‸tes)", "v1.2%20notes"),
        ("[a](/v1.2%20no‸tes.md)", "/v1.2%20notes.md"),
        ("| a |\n|---|\n| [[v1.2 notes\\|‸x]] |", "v1.2 notes"),
        ("[t](v1.2 no‸tes.md)", None),
        ("[!NO‸TE]", None),
        ("- [‸ ] x", None),
    ],
)
def test_of_what_other_tools_take_for_something_else(
    emacs: Client, directory: Path, link: str, shown: str | None
) -> None:
    write_files(directory, {"v1.2 notes.md": memory("v-notes", body="# v1.2 notes\n")})
    marked = memory("writing", body=f"{link}\n\n[t](<v1.2 notes.md>)\n")
    found = refer(emacs, directory, "writing.md", marked)
    assert found == (shown and [f"writing.md: {shown}", "writing.md: v1.2 notes.md"])


def test_the_open_text_counts(emacs: Client, directory: Path) -> None:
    emacs.open(directory / "two.md", memory("brand-new", body="[[one]]\n"))
    found = refer(emacs, directory, "writing.md", memory("writing", body="[[brand-‸new]]\n"), declaration=True)
    assert found is not None
    assert found[1:] == ["writing.md: brand-new"]


def highlight(client: Client, path: Path, marked: str) -> list[str] | None:
    """What is highlighted, with ``w:`` before what is declared there."""
    found = ask(client, "documentHighlight", path, marked)
    text = marked.replace("‸", "")
    kinds = {2: "", 3: "w:"}
    return found and [kinds[item["kind"]] + covered(text, item["range"], client.encoding) for item in found]


def test_highlights_a_memory_in_one_document(client: Client, directory: Path) -> None:
    marked = marked_in("user_role.md", "[[FER‸RY|the boat]]")
    assert highlight(client, directory / "user_role.md", marked) == ["FERRY", "one", "ferry.md"]


def test_highlights_a_heading_and_its_links(client: Client, directory: Path) -> None:
    for cursor in ("## Wh‸y 漢", "[[#Wh‸y 漢]]"):
        assert highlight(client, directory / "ferry.md", marked_in("ferry.md", cursor)) == ["Why 漢", "w:Why 漢"]
    marked = marked_in("停航.md", "#why‸-漢")
    assert highlight(client, directory / "停航.md", marked) == ["why-漢"]


def test_highlights_the_name_and_links_to_the_memory_itself(client: Client, directory: Path) -> None:
    marked = marked_in("one.md", "[[same‸-name]]")
    assert highlight(client, directory / "one.md", marked) == ["w:same-name", "same-name"]


def test_highlights_in_a_text_that_is_no_file(client: Client) -> None:
    text = "😀 [[ferry]] and [[Ferry|boat]]\n"
    name = client.open("untitled:Untitled-7", text)
    where = position(text, text.index("erry"), client.encoding)
    found = client.at("documentHighlight", name, **where)
    assert [covered(text, item["range"], client.encoding) for item in found] == ["ferry", "Ferry"]
    params = {"textDocument": {"uri": name}, "position": where, "context": {"includeDeclaration": True}}
    assert client.request("textDocument/references", params) == []
    client.close(name)
