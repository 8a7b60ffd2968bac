"""Rename over the wire: what stands under the cursor, and everything that names it, in one edit or none."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import ENCODINGS, JSON, Answer, Client, recording
from tests.server.conftest import Start
from tests.server.editor import apply_edit
from tests.server.positions import covered, position

RENAMING = ("vscode", "vscode-2022", "neovim", "neovim-0.12")  # the clients that rename files

FILES = {
    "ferry.md": memory("ferry", "The boat", body="😀 é 漢 [[ferry]].\n\n## Why 漢\n\nTides.\n\n## Why 漢\n"),
    "tide.md": memory(
        "tide", "The water", body="😀 é 漢 [[ferry#Why 漢|boat]], [x](./ferry.md#why-漢-1) and `[[ferry]]`.\r\n"
    ),
    "user_role.md": memory(
        '"Captain of the quay"', "Who", "user", body="[[gone]] [[Gone]] [x](gone.md)\n", nested=False
    ),
    "停航.md": memory("停航", "船长决定", body="停。[[停航]] [x](%E5%81%9C%E8%88%AA.md)\n"),
    "one.md": memory("same-name", body="1.\n"),
    "two.md": memory("same-name", body="2. [[same-name]]\n"),
    "team/rota.md": memory("rota", "Who works", body="[up](<../ferry.md>) [[Captain of the quay]]\n"),
    "README.md": "# Readme\n\n[f](ferry.md)\n",
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — 😀 the boat\n- `tide.md` — d\n- [Captain of the quay](user_role.md)\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "notes", FILES)


def opened(client: Client, directory: Path, marked: tuple[str, str], key: str | None = None) -> tuple[str, JSON]:
    """Opens the file that holds ``marked``, and tells its URI and the place of the ``‸``."""
    key = key or marked[0]
    cursor = marked[1].replace("‸", "")
    text = FILES[key]
    assert cursor in text
    name = client.open(directory / key)
    return name, position(text, text.index(cursor) + marked[1].index("‸"), client.encoding)


def prepared(client: Client, directory: Path, *marked: str) -> tuple[str, str] | None:
    """What the editor would show: the text that is marked, and what stands in the box for the new name."""
    name, where = opened(client, directory, (marked[0], marked[1]))
    found = client.at("prepareRename", name, where["line"], where["character"])
    return (covered(FILES[marked[0]], found["range"], client.encoding), found["placeholder"]) if found else None


def rename(client: Client, directory: Path, key: str, marked: str, new: str) -> JSON | None:
    name, where = opened(client, directory, (key, marked))
    edit: JSON | None = client.request(
        "textDocument/rename", {"textDocument": {"uri": name}, "position": where, "newName": new}
    )
    return edit


def open_texts(directory: Path, *keys: str) -> dict[str, tuple[int, str]]:
    return {(directory / key).as_uri(): (1, FILES[key]) for key in keys}


def texts(directory: Path) -> dict[str, str]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes().decode() for path in files}


def refusal(client: Client, directory: Path, key: str, marked: str, new: str) -> str:
    with pytest.raises(Answer) as raised:
        rename(client, directory, key, marked, new)
    assert raised.value.code == -32803
    assert texts(directory) == FILES
    return str(raised.value)


PREPARED = [
    ("ferry.md", "na‸me: ferry", ("ferry", "ferry")),
    ("ferry.md", "name: fer‸ry", ("ferry", "ferry")),
    ("ferry.md", "[[fer‸ry]]", ("ferry", "ferry")),
    ("ferry.md", "## Wh‸y 漢", ("Why 漢", "Why 漢")),
    ("ferry.md", "Ti‸des.", None),
    ("ferry.md", "descrip‸tion", None),
    ("tide.md", "[[fer‸ry#Why", ("ferry", "ferry")),
    ("tide.md", "[[ferry#Wh‸y", ("Why 漢", "Why 漢")),
    ("tide.md", "[[ferry#Why 漢|bo‸at]]", ("ferry", "ferry")),
    ("tide.md", "(./fer‸ry.md", ("ferry", "ferry")),
    ("tide.md", "#why-漢-‸1)", ("why-漢-1", "Why 漢")),
    ("tide.md", "`[[fer‸ry]]`", None),
    ("user_role.md", "name: \"Captain‸ of", ("Captain of the quay", "Captain of the quay")),
    ("user_role.md", "[[go‸ne]]", ("gone", "gone")),
    ("user_role.md", "(go‸ne.md)", ("gone", "gone")),
    ("team/rota.md", "[[Cap‸tain", ("Captain of the quay", "Captain of the quay")),
    ("停航.md", "[[停‸航]]", ("停航", "停航")),
    ("停航.md", "(%E5‸%81", ("%E5%81%9C%E8%88%AA", "停航")),
    ("two.md", "[[same‸-name]]", None),
    ("MEMORY.md", "[fer‸ry](ferry.md)", ("ferry", "ferry")),
    ("MEMORY.md", "`tid‸e.md`", ("tide", "tide")),
    ("MEMORY.md", "the bo‸at", None),
    ("MEMORY.md", "# In‸dex", ("Index", "Index")),
    ("MEMORY.md", "(user_‸role.md)", ("user_role", "user_role")),
    ("README.md", "(ferry‸.md)", ("ferry", "ferry")),
]  # fmt: skip


@pytest.mark.parametrize(("key", "marked", "expected"), PREPARED)
def test_what_would_be_renamed(emacs: Client, directory: Path, key: str, marked: str, expected: object) -> None:
    assert prepared(emacs, directory, key, marked) == expected


def test_what_would_be_renamed_is_counted_as_the_client_does(client: Client, directory: Path) -> None:
    assert prepared(client, directory, "tide.md", "[[fer‸ry#Why") == ("ferry", "ferry")


@pytest.mark.parametrize(
    "cursor", [("tide.md", "[[fer‸ry#"), ("ferry.md", "name: f‸erry"), ("tide.md", "(./f‸erry.md")]
)
def test_a_memory_with_its_file_links_and_entry(client: Client, directory: Path, cursor: tuple[str, str]) -> None:
    if client.name not in RENAMING:
        assert "can't rename files" in refusal(client, directory, *cursor, "night boat")
        return
    edit = rename(client, directory, *cursor, "night boat")
    assert edit
    apply_edit(edit, client.encoding, open_texts(directory, cursor[0]))
    expected = {
        key.replace("ferry", "night boat"): text.replace("[[ferry]].", "[[night boat]].")
        .replace("name: ferry", "name: night boat")
        .replace("ferry#", "night boat#")
        .replace("(./ferry.md", "(./night%20boat.md")
        .replace("(<../ferry.md", "(<../night boat.md")
        .replace("[ferry](ferry.md)", "[night boat](night%20boat.md)")
        .replace("[f](ferry.md)", "[f](night%20boat.md)")
        for key, text in FILES.items()
    }
    assert texts(directory) == expected


def test_a_title_leaves_a_file_that_was_not_made_from_it(client: Client, directory: Path) -> None:
    edit = rename(client, directory, "team/rota.md", "[[Capt‸ain", "Harbour: master")
    assert edit
    assert all("kind" not in part for part in edit.get("documentChanges", ()))
    apply_edit(edit, client.encoding, open_texts(directory, "team/rota.md"))
    now = texts(directory)
    assert 'name: "Harbour: master"' in now["user_role.md"]
    assert "[[Harbour: master]]" in now["team/rota.md"]
    assert "- [Harbour: master](user_role.md)" in now["MEMORY.md"]
    assert now["ferry.md"] == FILES["ferry.md"]


def test_a_heading_with_all_anchors(client: Client, directory: Path) -> None:
    edit = rename(client, directory, "ferry.md", "## Wh‸y 漢", "How 😀")
    assert edit
    apply_edit(edit, client.encoding, open_texts(directory, "ferry.md"))
    now = texts(directory)
    assert now["ferry.md"] == FILES["ferry.md"].replace("Why 漢", "How 😀", 1)
    # The other heading of that name is the first one now.
    assert "[[ferry#How 😀|boat]], [x](./ferry.md#why-漢)" in now["tide.md"]


@pytest.mark.parametrize("cursor", ["[[go‸ne]]", "(go‸ne.md)"])
def test_a_name_that_no_memory_has_changes_in_all_links(client: Client, directory: Path, cursor: str) -> None:
    edit = rename(client, directory, "user_role.md", cursor, "tide")
    assert edit
    apply_edit(edit, client.encoding, open_texts(directory, "user_role.md"))
    assert texts(directory)["user_role.md"].endswith("[[tide]] [[Tide]] [x](tide.md)\n")


@pytest.mark.parametrize(
    "new", ["", " ", "a/b", "../x", "CON", "tide", "Tide", "MEMORY", "memory", ".x", "a\nb", "x" * 300]
)
def test_a_name_that_can_not_be(emacs: Client, directory: Path, new: str) -> None:
    assert refusal(emacs, directory, "tide.md", "[[fer‸ry#", new).endswith(".")


def test_where_is_nothing_is_an_error(emacs: Client, directory: Path) -> None:
    assert "no memory" in refusal(emacs, directory, "ferry.md", "Ti‸des.", "x")


def test_the_same_name_changes_nothing(emacs: Client, directory: Path) -> None:
    assert rename(emacs, directory, "ferry.md", "name: f‸erry", "ferry") is None


@pytest.mark.parametrize("new", ["Ferry", "FERRY"])
def test_another_case_alone(client: Client, directory: Path, new: str) -> None:
    if client.name in RENAMING:
        edit = rename(client, directory, "ferry.md", "name: f‸erry", new)
        assert edit
        apply_edit(edit, client.encoding, open_texts(directory, "ferry.md"))
        assert f"- [{new}]({new}.md)" in texts(directory)["MEMORY.md"]


def test_the_unsaved_text_counts(start: Start, directory: Path) -> None:
    client = start()
    client.initialize("vscode")
    unsaved = FILES["tide.md"].replace("and", "and [[ferry]], also")
    name = client.open(directory / "tide.md", unsaved, version=3)
    edit = rename(client, directory, "ferry.md", "name: f‸erry", "boat")
    assert edit
    apply_edit(edit, client.encoding, {**open_texts(directory, "ferry.md"), name: (3, unsaved)})
    assert "[[boat]], also" in texts(directory)["tide.md"]


def test_a_document_that_is_no_file(start: Start) -> None:
    client = start()
    client.initialize("emacs")
    text = "---\nname: x\n---\n\n[[#Why]] [[gone]]\n\n## Why\n"
    name = client.open("untitled:Untitled-1", text)
    for line, character in ((1, 7), (4, 10)):
        assert client.at("prepareRename", name, line, character) is None
    where = {"line": 6, "character": 4}
    assert client.at("prepareRename", name, **where)["placeholder"] == "Why"
    edit = client.request("textDocument/rename", {"textDocument": {"uri": name}, "position": where, "newName": "How"})
    [part] = edit["documentChanges"]
    assert part["textDocument"] == {"uri": name, "version": 1}
    assert sorted(each["newText"] for each in part["edits"]) == ["How", "How"]


def test_a_client_that_knows_plain_changes_alone(start: Start, directory: Path) -> None:
    capabilities = copy.deepcopy(recording("emacs")["capabilities"])
    del capabilities["workspace"]["workspaceEdit"]
    client = start()
    client.initialize("emacs", capabilities=capabilities)
    edit = rename(client, directory, "ferry.md", "## Wh‸y 漢", "How")
    assert edit
    assert set(edit) == {"changes"}
    apply_edit(edit, ENCODINGS["emacs"], open_texts(directory, "ferry.md"))
    assert "## How" in texts(directory)["ferry.md"]


def test_links_from_another_memory_directory_follow_the_file(start: Start, directory: Path) -> None:
    other = write_files(directory.parent / "other", {"MEMORY.md": "- [f](../notes/ferry.md) — elsewhere\n"})
    client = start()
    client.initialize("neovim", directory.parent)
    client.wait(lambda: client.published(directory / "two.md"), "all directories")
    edit = rename(client, directory, "ferry.md", "name: f‸erry", "boat")
    assert edit
    apply_edit(edit, client.encoding, open_texts(directory, "ferry.md"))
    assert (other / "MEMORY.md").read_text() == "- [f](../notes/boat.md) — elsewhere\n"
    assert (directory / "boat.md").exists()
