"""What the extension for VS Code says of itself, in package.json and in its README, fits together."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

EXTENSION = Path(__file__).resolve().parents[2] / "editor-clients" / "vscode"
MANIFEST: dict[str, Any] = json.loads((EXTENSION / "package.json").read_text("utf-8"))
CONTRIBUTES: dict[str, Any] = MANIFEST["contributes"]
README = (EXTENSION / "README.md").read_text("utf-8")
COMMANDS = {each["command"]: each for each in CONTRIBUTES["commands"]}
MOST_BYTES = 80_000


def _palette() -> dict[str, str]:
    """When a command is in the palette, for those that are not always."""
    return {each["command"]: each["when"] for each in CONTRIBUTES["menus"]["commandPalette"]}


def test_the_readme_tells_every_command_that_is_always_in_the_palette() -> None:
    missing = [
        each["title"] for name, each in COMMANDS.items() if name not in _palette() and each["title"] not in README
    ]
    assert missing == []


def test_a_command_that_the_palette_hides_is_in_a_menu_or_behind_a_click() -> None:
    menus = [
        each["command"] for place, menu in CONTRIBUTES["menus"].items() if place != "commandPalette" for each in menu
    ]
    sources = "".join(file.read_text("utf-8") for file in (EXTENSION / "src").glob("*.ts"))
    hidden = [name for name, when in _palette().items() if when == "false"]
    assert hidden
    assert [name for name in hidden if name not in menus and f"command: '{name}'" not in sources] == []


def test_menus_keys_and_texts_name_commands_that_are_contributed() -> None:
    named = {each["command"] for menu in CONTRIBUTES["menus"].values() for each in menu}
    texts = [each["contents"] for each in CONTRIBUTES["viewsWelcome"]]
    for walkthrough in CONTRIBUTES["walkthroughs"]:
        for step in walkthrough["steps"]:
            texts.append(step["description"])
            named |= {event.removeprefix("onCommand:") for event in step["completionEvents"]}
    named |= set(re.findall(r"\(command:([\w.]+)", "\n".join(texts)))
    ours = {name for name in named if name.startswith("memoryLs.ui.") and not name.endswith(".selected")}
    assert ours <= COMMANDS.keys()
    assert len(ours) > 10


def test_no_text_of_the_walkthrough_has_brackets_but_those_of_its_links() -> None:
    # VS Code takes what stands from any bracket on for a link.
    steps = [step for walkthrough in CONTRIBUTES["walkthroughs"] for step in walkthrough["steps"]]
    for step in steps:
        assert "[" not in re.sub(r"\[[^\[\]]+\]\(command:[^()]+\)", "", step["description"]), step["id"]


def test_the_link_to_the_walkthrough_names_it() -> None:
    (walkthrough,) = CONTRIBUTES["walkthroughs"]
    whole = f"%22{MANIFEST['publisher']}.{MANIFEST['name']}%23{walkthrough['id']}%22"
    assert any(whole in each["contents"] for each in CONTRIBUTES["viewsWelcome"])
    assert walkthrough["title"] in README


def test_pictures_are_there_and_small() -> None:
    steps = [step for walkthrough in CONTRIBUTES["walkthroughs"] for step in walkthrough["steps"]]
    shown = re.findall(r"!\[[^\]]+\]\((\S+)\)", README)
    named = {*shown, *(step["media"]["image"] for step in steps), MANIFEST["icon"]}
    assert len(shown) >= 3
    for name in named:
        data = (EXTENSION / name).read_bytes()
        assert data.startswith(b"\x89PNG"), name
        assert len(data) <= MOST_BYTES, name
    drawn = {f"media/{file.name}" for file in (EXTENSION / "media").glob("*.png")}
    assert drawn == named
    assert all(step["media"]["altText"] for step in steps)


def test_settings_are_in_an_order() -> None:
    properties = CONTRIBUTES["configuration"]["properties"]
    orders = [each["order"] for each in properties.values()]
    assert len(set(orders)) == len(orders)
    assert all(each["markdownDescription"].endswith(".") for each in properties.values())


def test_all_messages_go_where_what_others_wrote_stays_text() -> None:
    callers = {
        file.name
        for file in (EXTENSION / "src").glob("*.ts")
        if re.search(r"\.show\w+Message\b", file.read_text("utf-8"))
    }
    assert callers == {"messages.ts"}
