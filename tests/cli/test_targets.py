"""Which memory directories a command is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_ls.cli.targets import (
    Failure,
    default_directories,
    directories_in,
    load_directory,
    named_directories,
    one_directory,
    settings_for,
    shown,
)
from tests.cli.conftest import memory, write_files


def test_directory_around_comes_before_those_below(clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(clean / "team" / "memory", {"MEMORY.md": "Prose.\n"})
    monkeypatch.chdir(clean)
    assert default_directories(None) == [clean]


def test_directories_below_come_before_the_projects(clean: Path, project: Path) -> None:
    home_directory(project)
    assert default_directories(None) == [clean]


def home_directory(project: Path) -> Path:
    key = "".join(character if character.isascii() and character.isalnum() else "-" for character in str(project))
    return write_files(Path.home() / ".claude" / "projects" / key / "memory", {"a.md": memory("a")})


def test_projects_directory_comes_before_those_of_the_settings(project: Path, tmp_path: Path) -> None:
    named = write_files(tmp_path / "notes", {"a.md": memory("a")})
    write_files(Path.home(), {".config/memory-ls/memory-ls.toml": f'directory = "{named}"\n'})
    assert default_directories(None) == [named]
    in_home = home_directory(project)
    assert default_directories(None) == [in_home]


def test_known_place_without_markdown_is_none(project: Path) -> None:
    (project / ".claude" / "memory").mkdir(parents=True)
    assert default_directories(None) == []


def test_settings_name_directories_with_home_and_links_worked_out(project: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    config = write_files(tmp_path, {"mine.toml": f'directory = "~/mem"\ndirectories = ["{tmp_path}/link"]\n'})
    assert set(named_directories(config / "mine.toml")) == {tmp_path / "real", Path.home() / "mem"}


def test_project_may_not_name_directories(project: Path, tmp_path: Path) -> None:
    named = write_files(tmp_path / "notes", {"a.md": memory("a")})
    write_files(project, {".memory-ls.toml": f'directories = ["{named}"]\n'})
    assert named_directories(None) == ()
    assert default_directories(None) == []


def test_directory_that_the_settings_name_and_that_is_gone_is_left_out(project: Path) -> None:
    write_files(Path.home(), {".config/memory-ls/memory-ls.toml": 'directory = "/nowhere/at/all"\n'})
    assert default_directories(None) == []


def test_directory_stands_for_those_below_it_or_for_itself(clean: Path, project: Path) -> None:
    write_files(project, {"README.md": "Text.\n"})
    write_files(project / "notes", {"a.md": "Text.\n"})
    assert directories_in(project, None) == [clean]
    assert directories_in(clean, None) == [clean]
    assert directories_in(project / "notes", None) == [project / "notes"]
    assert directories_in(project / "nowhere", None) == []


def test_directory_is_found_through_a_link(clean: Path, project: Path) -> None:
    (project / "link").symlink_to(clean)
    assert directories_in(Path("link"), None) == [clean]
    assert one_directory(Path("link"), None) == clean


def test_several_directories_are_too_many_for_one(clean: Path, project: Path) -> None:
    write_files(project / "b" / "memory", {"MEMORY.md": "Prose.\n"})
    with pytest.raises(Failure, match="several memory directories") as raised:
        one_directory(None, None)
    assert raised.value.exit_code == 2
    assert raised.value.format_message().endswith("\n  .claude/memory\n  b/memory")


def test_none_is_too_few_for_one(project: Path) -> None:
    with pytest.raises(Failure, match="No memory directory found here"):
        one_directory(None, None)


@pytest.mark.parametrize(
    ("name", "index", "counts"),
    [("notes", False, True), ("notes", True, False), ("memory", True, True), (".claude/memory", True, True)],
)
def test_text_without_frontmatter_counts_where_all_markdown_does(
    project: Path, name: str, index: bool, counts: bool
) -> None:
    root = write_files(project / name, {"a.md": "Text.\n", **({"MEMORY.md": "Prose.\n"} if index else {})})
    assert ("a.md" in load_directory(root, None).documents) == counts


def test_settings_are_looked_for_up_to_the_current_directory(project: Path) -> None:
    root = project / "a" / "memory"
    root.mkdir(parents=True)
    write_files(project.parent, {".memory-ls.toml": "staleDays = 1\n"})
    assert settings_for(root, None).settings.stale_days == 180
    write_files(project, {".memory-ls.toml": "staleDays = 2\n"})
    assert settings_for(root, None).settings.stale_days == 2
    write_files(project / "a", {".memory-ls.toml": "staleDays = 3\n"})
    assert settings_for(root, None).settings.stale_days == 3


def test_settings_of_a_directory_elsewhere_are_its_own(project: Path, tmp_path: Path) -> None:
    write_files(project, {".memory-ls.toml": "staleDays = 2\n"})
    write_files(tmp_path / "notes", {"memory/a.md": "Text.\n", ".memory-ls.toml": "staleDays = 3\n"})
    assert settings_for(tmp_path / "notes" / "memory", None).settings.stale_days == 180
    assert settings_for(tmp_path / "notes", None).settings.stale_days == 3


def test_path_is_shown_from_the_current_directory(project: Path) -> None:
    assert shown(project / "a" / "b.md") == "a/b.md"
    assert shown(project) == "."
    assert shown(project.parent / "c.md") == "../c.md"
