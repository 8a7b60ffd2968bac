"""Completion in frontmatter: keys that are missing, and values."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import Client
from tests.server.features.completion.asking import FILES, Desk, complete, inserted, labels

TODAY = date.today().isoformat()


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("---\n‸\n---\n", ["name", "description", "metadata"]),
        ("---\nname: a\n‸\n---\n", ["description", "metadata"]),
        ("---\nname: a\ndesc‸\n---\n", ["description", "metadata"]),
        ("---\nname: a\ntype: user\n‸\n---\n", ["description"]),
        ("---\nname: a\nmetadata:\n  ‸\n---\n", ["type", "createdAt", "updatedAt"]),
        ("---\nname: a\nmetadata:\n  type: user\n  ‸\n---\n", ["createdAt", "updatedAt"]),
        ("---\nna‸", ["name", "description", "metadata"]),
        ("---\nname: a\n‸", ["description", "metadata"]),
        ("---\nname: a\ntype: ‸\n---\n", ["user", "feedback", "project", "reference"]),
        ("---\nname: a\nmetadata:\n  type: us‸\n---\n", ["user", "feedback", "project", "reference"]),
        ("---\nname: ‸\n---\n", []),
        ("---\nname: a\n‸---\n", []),
        ("---\nname: a\n---\n‸\n", []),
        ("text\n---\n‸\n---\n", []),
    ],
)
def test_keys_that_are_missing(emacs: Client, directory: Path, marked: str, expected: list[str]) -> None:
    assert labels(complete(emacs, directory / "writing.md", marked)) == expected


def test_keys_of_the_flat_dialect(emacs: Client, tmp_path: Path) -> None:
    flat = {f"{name}.md": memory(name, nested=False, body="T.\n") for name in ("one", "two")}
    root = write_files(tmp_path / "memory", {**flat, "MEMORY.md": "x\n"})
    result = complete(emacs, root / "writing.md", "---\nname: a\n‸\n---\n")
    assert labels(result) == ["description", "type"]
    assert result is not None
    assert result["items"][0]["textEdit"]["newText"] == "description: "


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_chosen_type_stands_behind_one_space(emacs: Client, directory: Path, ending: str) -> None:
    marked = "---\nname: a\ntype:‸\n---\n".replace("\n", ending)
    result = complete(emacs, directory / "writing.md", marked)
    assert result is not None
    assert "type: user" in inserted(emacs, marked, result["items"][0])


def test_the_dialect_of_the_settings_wins_over_that_of_the_neighbours(client: Client, directory: Path) -> None:
    write_files(directory, {".memory-ls.toml": 'dialect = "flat"\n'})
    result = complete(client, directory / "writing.md", "---\nname: x\n‸\n---\n")
    assert "type" in labels(result)
    assert "metadata" not in labels(result)


DATED = {f"{name}.md": memory(name, nested=False, extra="created: 2026-01-02\nupdated: 2026-01-03\n") for name in "abc"}


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("---\nname: x\n‸\n---\n", ["description", "type", "created", "updated"]),
        ("---\nname: x\ntype: user\ncreated: 2026-01-01\n‸\n---\n", ["description", "updated"]),
        ("---\nname: x\ncreated: ‸\n---\n", [TODAY]),
        ('---\nname: x\nmodified: "20‸"\n---\n', [TODAY]),
        ("---\nname: x\nstatus: ‸\n---\n", ["stale"]),
        ("---\nname: x\nmetadata:\n  updatedAt:‸\n---\n", [TODAY]),
        ("---\nname: x\nother:\n  type: ‸\n---\n", []),
        ("---\nname: x\ndescription: |\n  some ‸\n---\n", []),
        ("---\nname: x\ndescription: |\n  te‸\n---\n", []),
        ("---\nname: x\n# comm‸\n---\n", []),
        ("---\nname: x\nother: ‸\n---\n", []),
    ],
)
def test_dates_as_the_neighbours_have_them_and_values(marked: str, expected: list[str]) -> None:
    assert Desk("x.md", marked, DATED).labels == expected


@pytest.mark.parametrize(
    ("marked", "label", "expected"),
    [
        ("---\nna‸me: x\n---\n", "name", "---\nname: x\n---\n"),
        ("---\nname: x\nde‸script: y\n---\n", "description", "---\nname: x\ndescription: y\n---\n"),
        ("---\nname: x\ntype: us‸erish\n---\n", "feedback", "---\nname: x\ntype: feedback\n---\n"),
        ("---\nname: x\ntype: 'us‸er'\n---\n", "project", "---\nname: x\ntype: 'project'\n---\n"),
        ("---\nname: x\ncreated: 2026-‸01-01T10:00:00Z\n---\n", TODAY, f"---\nname: x\ncreated: {TODAY}\n---\n"),
        ("---\nname: 漢😀\nother: é\ntype:‸\n---\n", "user", "---\nname: 漢😀\nother: é\ntype: user\n---\n"),
        ("\ufeff---\nname: x\nde‸\n---\n", "description", "\ufeff---\nname: x\ndescription: \n---\n"),
    ],
)
def test_the_rest_of_a_word_is_replaced_too(marked: str, label: str, expected: str) -> None:
    for line_end in ("\n", "\r\n"):
        assert Desk("x.md", marked.replace("\n", line_end), DATED).after(label) == expected


def test_a_value_says_what_it_means() -> None:
    desk = Desk("x.md", "---\nname: x\ntype: ‸\n---\n", FILES)
    texts = [item.documentation.value for item in desk.items]  # type: ignore[union-attr]
    assert len(set(texts)) == 4
    assert "corrections" in texts[desk.labels.index("feedback")]
