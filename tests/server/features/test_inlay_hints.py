"""Inlay hints: descriptions beside bare links, and the load limit's line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Client
from tests.server.conftest import Start
from tests.server.positions import lines, place, units

LONG = "A long description 漢 " * 10
FILES = {
    "ferry.md": memory("ferry", "The boat 😀", body="## Why\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "long.md": memory("long", LONG, body="x\n"),
    "silent.md": memory("silent", None, body="x\n"),
    "one.md": memory("same-name", "One", body="1.\n"),
    "two.md": memory("same-name", "Two", body="2.\n"),
    "MEMORY.md": "# Index\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def hints(client: Client, path: Path, text: str, first: int = 0, last: int = 10_000) -> list[JSON]:
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    shown = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
    found: list[JSON] = client.request("textDocument/inlayHint", {"textDocument": {"uri": name}, "range": shown})
    return found


def shown(client: Client, text: str, found: list[JSON]) -> list[str]:
    """Each line that has a hint, with the hint where it stands."""
    result = []
    for item in found:
        line, column = place(text, item["position"], client.encoding)
        result.append(f"{lines(text)[line][:column]}‹{item['label']}›{lines(text)[line][column:]}")
    return result


BARE = [
    "- [[ferry]]‹The boat 😀›",
    "* 😀 [[ferry]]",
    "- [漢](停航.md)‹船长决定›",
    "2. **[[FERRY|boat]]**‹The boat 😀›",
    "  - [ ] [[ferry#Why]] —‹The boat 😀›",
    "> - [x](ferry.md).‹The boat 😀›",
    "- [x][ref]‹The boat 😀›",
]
NOT_BARE = [
    "- [[ferry]] — the boat",
    "- The boat: [[ferry]]",
    "- [[ferry]] and [[停航]]",
    "- [[ferry]]\n  which leaves at six",
    "- [[silent]]",
    "- [[same-name]]",
    "- [[gone]]",
    "- ![[ferry]]",
    "- `[[ferry]]`",
    "- [w](https://quay.example)",
    "[[ferry]]",
    "# [[ferry]]",
    "```\n- [[ferry]]\n```",
]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("file", ["MEMORY.md", "writing.md"])
def test_of_lists_in_the_index_and_in_memories(client: Client, directory: Path, file: str, end: str) -> None:
    marked = "\n\n".join([*BARE, *NOT_BARE, "[ref]: ferry.md", ""]).replace("\n", end)
    text = "".join(part.partition("›")[2] if number else part for number, part in enumerate(marked.split("‹")))
    assert shown(client, text, hints(client, directory / file, text)) == [line for line in BARE if "‹" in line]


def test_of_a_file_name_in_backticks(emacs: Client, directory: Path) -> None:
    text = "# Index\n\n- `ferry.md`\n- `停航.md` — x\n"
    assert shown(emacs, text, hints(emacs, directory / "MEMORY.md", text)) == ["- `ferry.md`‹The boat 😀›"]


def test_a_long_description_is_cut_and_whole_in_the_tooltip(emacs: Client, directory: Path) -> None:
    long, ferry = hints(emacs, directory / "writing.md", memory("writing", body="- [[long]]\n- [[ferry]]\n"))
    assert len(long["label"]) == 80
    assert long["label"].endswith("…")
    assert long["tooltip"] == LONG.strip()
    assert long["paddingLeft"] is True
    assert "tooltip" not in ferry


def test_only_in_the_part_that_is_asked_for(client: Client, directory: Path) -> None:
    text = "- [[ferry]]\n" * 400
    path = directory / "MEMORY.md"
    found = hints(client, path, text, 100, 103)
    assert [item["position"]["line"] for item in found] == [100, 101, 102]
    assert hints(client, path, text, 103, 100) == []
    assert len(hints(client, path, text, 0, 2**31 - 1)) == 401


@pytest.mark.parametrize(
    ("options", "line"), [({}, 200), ({"indexMaxLines": 10}, 10), ({"indexMaxBytes": 40}, 2), ({"indexMaxLines": 300}, None)]
)  # fmt: skip
def test_where_agents_stop_loading_the_index(start: Start, directory: Path, options: JSON, line: int | None) -> None:
    client = start()
    client.initialize("neovim", options=options)
    text = "- 漢 line 😀\n" * 250
    found = hints(client, directory / "MEMORY.md", text)
    assert [item["position"]["line"] for item in found] == ([] if line is None else [line])
    if line is not None:
        assert found[0]["position"]["character"] == units("- 漢 line 😀", client.encoding)
        limit = f"{options.get('indexMaxLines', 200)} lines or {options.get('indexMaxBytes', 25_000):,} bytes"
        assert found[0]["label"] == f"— agents load only what is above ({limit})"
        assert hints(client, directory / "MEMORY.md", text, 0, line - 1) == []


def test_of_a_text_that_is_no_file_there_are_none(emacs: Client) -> None:
    name = emacs.open("untitled:Untitled-11", "- [[ferry]]\n")
    place_ = {"line": 0, "character": 0}
    params = {"textDocument": {"uri": name}, "range": {"start": place_, "end": {"line": 9, "character": 0}}}
    assert emacs.request("textDocument/inlayHint", params) == []
    emacs.close(name)
