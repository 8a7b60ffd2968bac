"""Places in a text, as each of the three clients counts them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, uri
from tests.server.positions import covered, position, units

LINE = "😀 é 漢 [[missing]] 👩‍👩‍👧 [[ferry]] e\u0301 [t](ferry.md#why-漢) end"
TEXT = memory(
    "wide",
    '"😀 漢字 description"',
    body=f"Before\u2028one\x0cline.\n\n{LINE}\n\n| 漢 | 😀 |\n|---|---|\n| 😀 [[ferry\\|漢]] | [[missing\\|😀]] |\n",
)
FERRY = memory("ferry", "The boat", body="Text.\n\n## 😀 Why 漢\n\nSince.\n")
INDEX = "# 漢 Index\n\n- 😀 [漢字](wide.md) — 😀\n- [ferry](ferry.md) — the boat\n"


@pytest.fixture(params=["\n", "\r\n", "bom"])
def wide(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """The file with wide characters, and its text as an editor has it."""
    text = TEXT if request.param == "bom" else TEXT.replace("\n", request.param)
    data = (b"\xef\xbb\xbf" if request.param == "bom" else b"") + text.encode()
    root = write_files(tmp_path / "memory", {"ferry.md": FERRY, "MEMORY.md": INDEX, "wide.md": data})
    return root / "wide.md", text


def ask(client: Client, method: str, name: str, text: str, offset: int) -> Any:
    place = position(text, offset, client.encoding)
    return client.at(method, name, place["line"], place["character"])


def test_of_diagnostics(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    client.open(path.parent / "ferry.md")
    found = client.wait_for_codes(path, "link-dead", "link-dead-anchor", "link-dead")
    expected = ["missing", "why-漢", "missing"]
    assert [covered(text, item["range"], client.encoding) for item in found] == expected
    client.open(path, text)
    client.wait(lambda: (client.published(path) or {}).get("version") == 1, "the open text's findings")
    assert client.diagnostics(path) == found


@pytest.mark.parametrize("target", ["[[ferry]]", "[t](ferry.md#why-漢)", "[[ferry\\|漢]]"])
def test_of_hover_and_definition(client: Client, wide: tuple[Path, str], target: str) -> None:
    path, text = wide
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "findings")
    start = text.index(target)
    for offset in (start, start + 3, start + len(target)):
        hover = ask(client, "hover", name, text, offset)
        assert hover is not None
        assert covered(text, hover["range"], client.encoding) == target
        found = ask(client, "definition", name, text, offset)
        if found is not None:
            assert covered(text, found[0]["originSelectionRange"], client.encoding) == target
    assert ask(client, "hover", name, text, start - 1) is None


def test_of_a_heading_that_is_the_target(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    linked = text.replace("[[ferry]]", "[[ferry#😀 Why 漢]]")
    name = client.open(path, linked)
    client.wait(lambda: client.published(path), "findings")
    [link] = ask(client, "definition", name, linked, linked.index("[[ferry#") + 4)
    assert covered(FERRY, link["targetSelectionRange"], client.encoding) == "😀 Why 漢"
    assert covered(FERRY, link["targetRange"], client.encoding) == "## 😀 Why 漢"


@pytest.mark.parametrize("behind", ["", "]]", "ry]]", "ry|漢]]", "ry\\|漢]] |"])
def test_of_what_completion_replaces(client: Client, wide: tuple[Path, str], behind: str) -> None:
    path, text = wide
    edited = text.replace(LINE, f"😀 é 漢 [[fer{behind} 😀")
    name = client.open(path, edited)
    client.wait(lambda: client.published(path), "findings")
    result = ask(client, "completion", name, edited, edited.index("[[fer") + 5)
    assert result is not None
    [edit] = [item["textEdit"] for item in result["items"] if item["label"] == "ferry"]
    item = client.capabilities["textDocument"]["completion"]["completionItem"]
    if behind == "]]" and not item.get("insertReplaceSupport"):
        # The client may leave what stands behind the cursor, and then the brackets must not be written again.
        assert covered(edited, edit["range"], client.encoding) == edit["newText"][:3] == "fer"
        assert edit["newText"] == "ferry"
        return
    rest = {"": "", "]]": "]]", "ry]]": "ry]]", "ry|漢]]": "ry", "ry\\|漢]] |": "ry"}[behind]
    assert covered(edited, edit["range"], client.encoding) == f"fer{rest}"
    assert edit["newText"] == ("ferry" if "漢" in behind else "ferry]]")


def test_of_frontmatter_keys(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    edited = text.replace("metadata:", "😀: 漢\nmetadata:")
    name = client.open(path, edited)
    client.wait(lambda: client.published(path), "findings")
    hover = ask(client, "hover", name, edited, edited.index("description") + 2)
    assert hover is not None
    assert covered(edited, hover["range"], client.encoding) == "description"


def test_of_entries_in_the_index(client: Client, wide: tuple[Path, str]) -> None:
    path, _ = wide
    index = path.parent / "MEMORY.md"
    text = INDEX.replace("\n- [ferry](ferry.md) — the boat", "\n- [漢字 😀](gone.md)\n- ")
    name = client.open(index, text)
    [dead] = client.wait_for_codes(index, "index-dead-link")
    assert covered(text, dead["range"], client.encoding) == "gone.md"
    hover = ask(client, "hover", name, text, text.index("wide.md"))
    assert hover is not None
    assert covered(text, hover["range"], client.encoding) == "[漢字](wide.md)"
    result = ask(client, "completion", name, text, len(text) - 1)
    assert result is not None
    assert [item["label"] for item in result["items"]] == ["ferry"]


@pytest.mark.parametrize("line", [0, 7, 8, 10, 999, 2**31 - 1])
@pytest.mark.parametrize("character", [0, 1, 999, 2**31 - 1])
def test_outside_of_the_text_there_is_nothing_to_fear(
    client: Client, tmp_path: Path, line: int, character: int
) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    name = client.open(root / "empty.md", "")
    client.wait(lambda: client.published(name), "findings")
    assert client.at("hover", name, line, character) is None
    assert client.at("definition", name, line, character) in (None, [])
    client.at("completion", name, line, character)


def test_past_the_end_of_a_line_is_its_end(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    edited = text.replace(LINE, "漢 [[ferry]]")
    name = client.open(path, edited)
    client.wait(lambda: client.published(path), "findings")
    place = position(edited, edited.index("漢 [[ferry]]"), client.encoding)
    hover = client.at("hover", name, place["line"], 10_000)
    assert covered(edited, hover["range"], client.encoding) == "[[ferry]]"


def test_inside_a_character_is_its_start(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    edited = text.replace(LINE, "[[ferry]]😀")
    name = client.open(path, edited)
    client.wait(lambda: client.published(path), "findings")
    place = position(edited, edited.index("[[ferry]]😀"), client.encoding)
    for inside in range(units("😀", client.encoding)):
        hover = client.at("hover", name, place["line"], len("[[ferry]]") + inside)
        assert covered(edited, hover["range"], client.encoding) == "[[ferry]]"


def test_the_uri_is_the_clients_own(client: Client, wide: tuple[Path, str]) -> None:
    path, text = wide
    name = client.open(path, text)
    assert name == uri(path)
