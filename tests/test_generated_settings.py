"""What is generated from the settings table is up to date."""

from __future__ import annotations

import json
from pathlib import Path

import memory_ls.settings
from memory_ls.settings import json_schema, json_schema_text

SCHEMA_FILE = Path(memory_ls.settings.__file__).with_name("settings.schema.json")
REGENERATE = "run: python -m memory_ls.settings schema > memory_ls/settings.schema.json"


def test_schema_file_equals_the_table() -> None:
    assert json.loads(SCHEMA_FILE.read_text("utf-8")) == json_schema(), REGENERATE


def test_schema_file_is_written_as_the_command_writes_it() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == json_schema_text(), REGENERATE
