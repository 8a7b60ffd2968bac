"""No lock file names a package registry: everybody installs from the one that is set up on their own machine."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_NAMES = re.compile(r"(?:^|[-._])(?:lock|shrinkwrap)(?:[-._](?!.*py$)|$)|^requirements.*\.txt$", re.IGNORECASE)
_ADDRESS = re.compile(r"\b(?:git\+)?(?:https?|ssh|ftp)://[^\s\"'<>]+")


def _lock_files() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if _NAMES.search(name.rpartition("/")[2])]


def _addresses(text: str) -> list[str]:
    """The addresses in a lock file, without those that only tell how to give a package's authors money."""
    try:
        return [address for told in _texts(json.loads(text)) for address in _ADDRESS.findall(told)]
    except json.JSONDecodeError:
        return _ADDRESS.findall(text)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            if key != "funding":
                yield from _texts(each)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only git tells which files belong to the project")
def test_no_lock_file_names_an_address() -> None:
    files = _lock_files()
    assert ROOT / "editor-clients" / "vscode" / "package-lock.json" in files
    assert {str(file): found for file in files if (found := _addresses(file.read_text(encoding="utf-8")))} == {}


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ('{"a": {"resolved": "https://server.example/a.tgz", "funding": {"url": "https://a.example"}}}', 1),
        ('{"a": [{"version": "git+ssh://git@code.example/a.git"}]}', 1),
        ('[[package]]\nsource = { registry = "https://server.example/index" }\n', 1),
        ('{"packages": {"node_modules/http-proxy-agent": {"version": "7.0.2"}}}', 0),
    ],
)
def test_addresses_are_seen_in_every_form_of_lock_file(text: str, addresses: int) -> None:
    assert len(_addresses(text)) == addresses


def test_lock_files_are_known_by_their_names() -> None:
    known = [
        "package-lock.json",
        "yarn.lock",
        "uv.lock",
        "pnpm-lock.yaml",
        "npm-shrinkwrap.json",
        "requirements-dev.txt",
    ]
    assert [name for name in known if not _NAMES.search(name)] == []
    assert [
        name for name in ("locks.py", "blocks.json", "flock.mjs", "test_lock_files.py") if _NAMES.search(name)
    ] == []
