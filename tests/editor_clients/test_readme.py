"""What the README of the clients tells is so; its settings for Emacs are tried in Emacs by another test."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from memory_ls.server.commands import COMMANDS

CLIENTS = Path(__file__).resolve().parents[2] / "editor-clients"
README = (CLIENTS / "README.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL))
SERVE = ["memory-ls", "serve"]


def _block(section: str, language: str) -> str:
    (block,) = re.findall(rf"```{language}\n(.*?)```", SECTIONS[section], re.DOTALL)
    return str(block)


def test_helix_gets_toml_with_the_keys_that_it_knows() -> None:
    settings: dict[str, Any] = tomllib.loads(_block("Helix", "toml"))
    assert settings.keys() == {"language-server", "language"}
    ((name, server),) = settings["language-server"].items()
    assert server.keys() <= {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
    assert [server["command"], *server["args"]] == SERVE
    (language,) = settings["language"]
    assert language["name"] == "markdown"
    assert name in language["language-servers"]


def test_sublime_text_gets_json_with_the_keys_that_its_client_knows() -> None:
    settings: dict[str, Any] = json.loads(_block("Sublime Text", "json"))
    (client,) = settings["clients"].values()
    assert client == {"enabled": True, "command": SERVE, "selector": "text.html.markdown"}


def test_kate_gets_json_with_the_keys_that_its_client_knows() -> None:
    settings: dict[str, Any] = json.loads(_block("Kate", "json"))
    server = settings["servers"]["markdown"]
    assert server.keys() == {"command", "rootIndicationFileNames", "highlightingModeRegex"}
    assert server["command"] == SERVE
    assert re.search(server["highlightingModeRegex"], "Markdown")


def test_what_was_not_tried_says_so() -> None:
    assert SECTIONS["Sublime Text"].lstrip().startswith("Not tried.")


def test_the_table_has_every_command_of_the_server() -> None:
    rows = re.findall(r"^\| (`memoryLs\..*?) \|", README, re.MULTILINE)
    told = [name for row in rows for name in re.findall(r"`(memoryLs\.\w+)`", row)]
    assert sorted(told) == sorted(COMMANDS)


def test_every_place_it_links_is_there() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) >= 6
    for link in links:
        file, _, anchor = link.partition("#")
        text = ((CLIENTS / file) if file else CLIENTS / "README.md").read_text(encoding="utf-8")
        headings = [heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
        assert not anchor or anchor in headings, link
