"""``memory-ls list`` and ``memory-ls read``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_ls.directory import loader
from tests.cli.conftest import Run, environment_with, memory, write_files


@pytest.fixture
def harbour(project: Path) -> Path:
    """A directory with memories of several forms."""
    return write_files(
        project / ".claude" / "memory",
        {
            "MEMORY.md": "# Index\n\n- [Tides](tide-tables.md)\n",
            "tide-tables.md": memory(),
            "user_role.md": memory("Harbour master", "", "user", "Works nights.\n\n\n", nested=False),
            "부두.md": memory("부두", "부두는 셋이다", "reference"),
            "plain.md": "Only text.\n",
        },
    )


# --- list


def test_list_gives_a_line_for_each_memory_sorted_by_name(run: Run, harbour: Path) -> None:
    outcome = run("list")
    assert outcome.status == 0
    assert outcome.out.splitlines() == [
        "Harbour master (user)",
        "plain",
        "tide-tables - Where the tide tables are kept (project)",
        "부두 - 부두는 셋이다 (reference)",
    ]


def test_list_as_json(run: Run, harbour: Path) -> None:
    items = json.loads(run("list", "--format", "json").out)
    assert items[0] == {"name": "Harbour master", "description": "", "type": "user", "path": "user_role.md"}
    assert items[1] == {"name": "plain", "description": "", "type": None, "path": "plain.md"}
    assert [item["path"] for item in items] == ["user_role.md", "plain.md", "tide-tables.md", "부두.md"]


def test_list_of_no_memories_says_so(run: Run, project: Path) -> None:
    write_files(project / "memory", {"MEMORY.md": "Nothing yet.\n"})
    assert run("list").out == "No memories stored.\n"
    assert json.loads(run("list", "--format", "json").out) == []


def test_list_shows_nothing_that_steers_a_terminal(run: Run, harbour: Path) -> None:
    write_files(harbour, {"evil.md": '---\nname: "a\\e[31mb"\ndescription: "c\\u202Ed\\ne"\n---\n'})
    out = run("list").out
    assert "a\ufffd[31mb - c\ufffdd e\n" in out
    out = run("list", "--format", "json").out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert json.loads(out)[0]["description"] == "c\u202ed\ne"


# --- read


def test_read_prints_a_memory_as_agents_read_it(run: Run, harbour: Path) -> None:
    expected = "## tide-tables (project)\nWhere the tide tables are kept\n\nThe tables hang beside the door.\n"
    assert run("read", "tide-tables").out == expected


@pytest.mark.parametrize("name", ["tide-tables", "Tide_Tables", "tide tables", "tide-tables.md"])
def test_read_resolves_a_name_as_a_link_does(run: Run, harbour: Path, name: str) -> None:
    assert run("read", name).out.startswith("## tide-tables (project)\n")


@pytest.mark.parametrize("name", ["Harbour master", "user_role", "role"])
def test_read_finds_by_name_by_file_and_without_the_type(run: Run, harbour: Path, name: str) -> None:
    assert run("read", name).out == "## Harbour master (user)\n\nWorks nights.\n"


def test_read_without_a_name_prints_all(run: Run, harbour: Path) -> None:
    out = run("read").out
    assert [line for line in out.splitlines() if line.startswith("## ")] == [
        "## Harbour master (user)",
        "## plain",
        "## tide-tables (project)",
        "## 부두 (reference)",
    ]
    assert "Works nights.\n\n## plain\n" in out


def test_read_as_json(run: Run, harbour: Path) -> None:
    assert json.loads(run("read", "plain", "--format", "json").out) == [
        {"name": "plain", "description": "", "type": None, "path": "plain.md", "text": "## plain\n\nOnly text."}
    ]
    assert len(json.loads(run("read", "--format", "json").out)) == 4


def test_read_of_no_memories_says_so(run: Run, project: Path) -> None:
    write_files(project / "memory", {"MEMORY.md": "Nothing yet.\n"})
    outcome = run("read")
    assert (outcome.status, outcome.out) == (0, "No memories stored.\n")


def test_read_of_an_unknown_name_names_the_way_out(run: Run, harbour: Path) -> None:
    outcome = run("read", "nowhere")
    assert outcome.status == 2
    assert outcome.err == "Error: Memory not found: nowhere. Use `memory-ls list` to see all memories.\n"


def test_read_of_an_ambiguous_name_lists_the_choices(run: Run, harbour: Path) -> None:
    write_files(harbour, {"project_role.md": memory("Watch")})
    outcome = run("read", "role")
    assert outcome.status == 2
    assert outcome.err == ("Error: role may mean several memories. Say which:\n  project_role.md\n  user_role.md\n")
    assert run("read", "user_role").status == 0


def test_read_gives_a_program_the_text_as_it_is(run: Run, harbour: Path) -> None:
    write_files(harbour, {"colours.md": "Red is \x1b[31m and\ttab \u202e.\n"})
    assert "Red is \x1b[31m and\ttab \u202e.\n" in run("read", "colours").out


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
def test_read_gives_a_terminal_nothing_that_steers_it(harbour: Path, project: Path) -> None:
    write_files(harbour, {"colours.md": "Red is \x1b]0;owned\x07 and \u202e.\n\nSecond\rline.\n"})
    ours, theirs = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "memory_ls", "read", "colours"],
        cwd=project,
        env=environment_with({"TERM": "dumb", "PYTHONIOENCODING": "utf-8"}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode().replace("\r\n", "\n")
    os.close(ours)
    assert done.stderr == b""
    assert shown == "## colours\n\nRed is \ufffd]0;owned\ufffd and \ufffd.\n\nSecond line.\n"


# --- Which directory


@pytest.mark.parametrize("command", ["list", "read"])
def test_several_directories_are_listed_to_choose_from(run: Run, harbour: Path, project: Path, command: str) -> None:
    write_files(project / "docs" / "memory", {"MEMORY.md": "Prose.\n"})
    outcome = run(command)
    assert outcome.status == 2
    assert outcome.out == ""
    assert outcome.err == (
        "Error: There are several memory directories here. Choose one with --directory:\n"
        "  .claude/memory\n  docs/memory\n"
    )
    assert run(command, "--directory", "docs/memory").out == "No memories stored.\n"


@pytest.mark.parametrize("command", ["list", "read"])
def test_no_directory_is_status_2(run: Run, command: str) -> None:
    outcome = run(command)
    assert outcome.status == 2
    assert "No memory directory found here." in outcome.err


@pytest.mark.parametrize("command", ["list", "read"])
def test_directory_that_is_not_there_is_status_2(run: Run, command: str) -> None:
    outcome = run(command, "-d", "nowhere")
    assert outcome.status == 2
    assert outcome.err == "Error: nowhere: no such directory.\n"


@pytest.mark.parametrize("command", ["list", "read"])
def test_directory_that_cannot_be_read_is_status_2(
    run: Run, harbour: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(root: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(loader, "load", refuse)
    outcome = run(command)
    assert outcome.status == 2
    assert "can't be read: Permission denied." in outcome.err


def test_directory_named_outright_without_an_index_is_read_whole(run: Run, project: Path) -> None:
    write_files(project / "notes", {"a.md": "Text without frontmatter.\n", "b.md": memory("b")})
    assert [line.split()[0] for line in run("list", "-d", "notes").out.splitlines()] == ["a", "b"]


def test_directory_that_the_settings_name_is_read_whole(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path / "notes", {"MEMORY.md": "Prose.\n", "a.md": "Text without frontmatter.\n"})
    write_files(Path.home(), {".config/memory-ls/memory-ls.toml": f'directories = ["{tmp_path}/notes"]\n'})
    assert run("list").out == "a\n"


@pytest.mark.parametrize("command", ["list", "read"])
def test_directory_around_the_current_one_is_taken(
    run: Run, harbour: Path, project: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    write_files(project / "docs" / "memory", {"MEMORY.md": "Prose.\n"})
    monkeypatch.chdir(harbour)
    assert "tide-tables" in run(command).out


def test_choices_show_nothing_that_steers_a_terminal(run: Run, project: Path, harbour: Path) -> None:
    make: Callable[[str], Path] = lambda name: write_files(project / name / "memory", {"MEMORY.md": "Prose.\n"})  # noqa: E731
    make("a\x1b[31m")
    outcome = run("list")
    assert outcome.status == 2
    assert "\x1b" not in outcome.err
    assert "  a\ufffd[31m/memory\n" in outcome.err


def test_project_may_be_named_in_place_of_its_one_directory(run: Run, project: Path) -> None:
    write_files(project / "app" / ".claude" / "memory", {"berths.md": memory("berths", "Where the boats lie")})
    assert run("list", "-d", "app").out == "berths - Where the boats lie (project)\n"
    write_files(project / "app" / ".agents" / "memory", {"rota.md": memory("rota")})
    several = run("list", "-d", "app")
    assert several.status == 2
    assert "app/.agents/memory" in several.err
    assert run("list", "-d", "app/.claude/memory").status == 0
