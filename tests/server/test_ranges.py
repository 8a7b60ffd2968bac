"""Places in a text, as each of the three clients counts them."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.making import memory, write_files
from tests.server.client import CLIENTS, JSON, Client, uri
from tests.server.conftest import Start
from tests.server.generated import write_directory
from tests.server.positions import covered, place, position, units

_SAMPLE = Path(__file__).parents[2] / "editor-clients" / "sample" / "memory"
_DIRECTORIES = 8

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
    if behind == "]]" and (client.name.startswith("neovim") or not item.get("insertReplaceSupport")):
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
    assert client.at("documentHighlight", name, line, character) in (None, [])
    client.at("completion", name, line, character)
    where = {"textDocument": {"uri": name}, "position": {"line": line, "character": character}}
    client.request("textDocument/references", {**where, "context": {"includeDeclaration": True}})
    end = {"line": 2**31 - 1, "character": 2**31 - 1}
    shown = {"textDocument": {"uri": name}, "range": {"start": where["position"], "end": end}}
    assert client.request("textDocument/inlayHint", shown) == []


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


@cache
def _text(name: str) -> str:
    return Path(unquote(name.removeprefix("file://"))).read_bytes().decode("utf-8-sig", "replace")


def _ranges(answer: Any, name: str) -> Iterator[tuple[str, JSON]]:
    """Every range in an answer about the document ``name``, with the document that it is in."""
    if isinstance(answer, list):
        for item in answer:
            yield from _ranges(item, name)
    elif isinstance(answer, dict):
        here = answer.get("uri", name)
        for key, value in answer.items():
            if key == "targetRange" or key == "targetSelectionRange":
                yield answer["targetUri"], value
            elif isinstance(value, dict) and value.keys() == {"start", "end"}:
                yield here, value
            elif key == "position":
                yield here, {"start": value, "end": value}
            else:
                yield from _ranges(value, here)


def _answers(client: Client, name: str, chance: random.Random) -> Iterator[Any]:
    """What the server says about a document as a whole, and about places all over it."""
    document = {"textDocument": {"uri": name}}
    for method in ("documentSymbol", "documentLink", "codeLens"):
        yield client.request(f"textDocument/{method}", document)
    end = {"line": 10_000, "character": 0}
    whole = {"start": {"line": 0, "character": 0}, "end": end}
    yield client.request("textDocument/inlayHint", {**document, "range": whole})
    text = _text(name)
    for _ in range(12):
        offset = chance.choice([at for at, sign in enumerate(text) if sign in "[(#:n"] or [0])
        where = {**document, "position": position(text, offset + chance.randint(0, 3), client.encoding)}
        yield client.request("textDocument/references", {**where, "context": {"includeDeclaration": True}})
        for method in ("documentHighlight", "definition", "hover"):
            yield client.request(f"textDocument/{method}", where)


@pytest.mark.parametrize("editor", CLIENTS)
def test_every_range_lies_in_its_document(start: Start, tmp_path: Path, editor: str) -> None:
    for seed in range(_DIRECTORIES):
        write_directory(tmp_path / "w" / f"project{seed}" / ".claude" / "memory", seed)
    shutil.copytree(_SAMPLE, tmp_path / "w" / "sample" / "memory")
    client = start()
    client.initialize(editor, tmp_path / "w", options={"showReferences": editor == "vscode"})
    chance = random.Random(editor)
    count = 0
    for path in sorted((tmp_path / "w").rglob("*.md")):
        if not path.is_file() or path.stat().st_size > 1_000_000:
            continue
        name = client.open(path, _text(uri(path)))
        client.wait(lambda name=name: client.published(name), "the directory")  # type: ignore[misc]
        for answer in _answers(client, name, chance):
            for where, found in _ranges(answer, name):
                count += 1
                start_place, end_place = (
                    place(_text(where), found[edge], client.encoding) for edge in ("start", "end")
                )
                assert start_place <= end_place
    assert count > 3_000
