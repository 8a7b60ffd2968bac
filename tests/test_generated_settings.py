"""What is generated from the settings table is up to date."""

from __future__ import annotations

import json
from pathlib import Path

import memory_ls.settings
from memory_ls.settings import json_schema, json_schema_text, vscode_settings

SCHEMA_FILE = Path(memory_ls.settings.__file__).with_name("settings.schema.json")
REGENERATE = "run: python -m memory_ls.settings schema > memory_ls/settings.schema.json"

VSCODE_FILE = Path(__file__).parents[1] / "editor-clients" / "vscode" / "package.json"
REGENERATE_VSCODE = "run: npm run settings (in editor-clients/vscode)"
# The client's own, which the server does not know.
VSCODE_PATH = "memoryLs.server.path"
VSCODE_TRACE = "memoryLs.trace.server"


def test_schema_file_equals_the_table() -> None:
    assert json.loads(SCHEMA_FILE.read_text("utf-8")) == json_schema(), REGENERATE


def test_schema_file_is_written_as_the_command_writes_it() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == json_schema_text(), REGENERATE


def test_the_settings_of_vs_code_equal_the_table() -> None:
    contributed = json.loads(VSCODE_FILE.read_text("utf-8"))["contributes"]["configuration"]["properties"]
    own = {VSCODE_PATH, VSCODE_TRACE}
    assert own < contributed.keys()
    others = {key: value for key, value in contributed.items() if key not in own}
    assert others == vscode_settings()["properties"], REGENERATE_VSCODE


def test_a_text_has_a_field_to_type_into_in_vs_code() -> None:
    properties = vscode_settings()["properties"]
    assert isinstance(properties, dict)
    for key in ("directory", "model", "baseUrl"):
        told = properties[f"memoryLs.{key}"]
        assert (told["type"], told["default"]) == ("string", "")


def test_vs_code_takes_no_setting_from_an_untrusted_workspace_that_only_a_trusted_source_may_give() -> None:
    capability = json.loads(VSCODE_FILE.read_text("utf-8"))["capabilities"]["untrustedWorkspaces"]
    assert capability["supported"] == "limited"
    restricted = vscode_settings()["restricted"]
    assert isinstance(restricted, list)
    assert capability["restrictedConfigurations"] == [VSCODE_PATH, *restricted], REGENERATE_VSCODE
