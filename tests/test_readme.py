"""What the README tells is so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import yaml

from memory_ls.cli.main import cli
from memory_ls.rules.registry import RULES
from memory_ls.server.workspace import SECTION
from memory_ls.settings import SETTINGS, markdown_table

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_table_of_settings_is_the_one_that_the_program_has() -> None:
    table = README.partition("<!-- settings -->")[2].partition("<!-- /settings -->")[0]
    assert table.strip() == markdown_table().strip()


def test_all_settings_are_used() -> None:
    modules = [path for path in (ROOT / "memory_ls").rglob("*.py") if path.name != "settings.py"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    unused = {setting.key for setting in SETTINGS if not re.search(rf"settings\.{_attribute(setting.key)}\b", code)}
    assert unused == set()


def _attribute(key: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", key)


def test_every_command_it_shows_exists() -> None:
    assert isinstance(cli, click.Group)
    shown = set(re.findall(r"^\$ memory-ls ([a-z]+)", README, re.MULTILINE))
    assert shown == set(cli.commands) - {"serve"}


def test_every_file_it_links_and_every_script_it_names_is_there() -> None:
    links = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target]
    scripts = re.findall(r"^\$ ((?:editor-clients|tests)/\S+)", README, re.MULTILINE)
    assert len(links) >= 3
    assert scripts == ["editor-clients/try"]
    for path in [*links, *scripts]:
        assert (ROOT / path).exists(), path


def test_the_finding_it_shows_is_the_one_in_the_sample() -> None:
    (shown,) = re.findall(r"```text\n(memory/.*?)```", README, re.DOTALL)
    sample = ROOT / "editor-clients" / "sample"
    done = subprocess.run(
        [sys.executable, "-m", "memory_ls", "check", "memory/seat-hold.md"],
        cwd=sample,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.startswith(shown)


def test_the_hooks_of_its_example_exist() -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repository,) = yaml.safe_load(shown)["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}
    assert set(re.findall(r"\bmemory-ls-(?:check|fix)\b", README)) == {hook["id"] for hook in hooks}


def test_settings_and_rules_in_its_examples_exist() -> None:
    examples = "\n".join(re.findall(r"```(?:toml|lua)\n(.*?)```", README, re.DOTALL))
    settings = {SECTION, *(setting.key for setting in SETTINGS)}
    assert "staleDays" in examples
    for key in re.findall(r"\b([a-z]+[A-Z]\w+)\s*=", examples):
        assert key in settings, key
    for code in re.findall(r"[\"']?([a-z]+(?:-[a-z]+)+)[\"']?\]?\s*=\s*[\"'](?:off|error)", examples):
        assert code in RULES, code
