"""Where memory directories are: the shared table of cases, and what only this side knows."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_ls.directory import discover
from memory_ls.directory.discover import (
    Exclusion,
    directories_below,
    directory_of,
    is_known_place,
    is_lenient,
    is_memory_directory,
    project_directory,
)
from memory_ls.directory.loader import load
from memory_ls.documents.index import INDEX_NAME
from tests.making import refuse_all_in, write_files

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("discovery_cases.json").read_text("utf-8"))["cases"]


def _with(question: str) -> list[Any]:
    return [pytest.param(case, id=case["title"]) for case in CASES if question in case["questions"]]


@pytest.fixture(autouse=True)
def _no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/nobody's/home"))


def _made(case: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[Path]]:
    write_files(root, {name: text or "" for name, text in case["files"].items()})
    for name, target in case.get("symlinks", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, root / name)
    if "home" in case:
        monkeypatch.setattr(Path, "home", lambda: root / case["home"])
    return root, [root / name for name in case.get("named", ())]


def _relative(path: Path | None, root: Path) -> str | None:
    return None if path is None else path.relative_to(root).as_posix()


@pytest.mark.parametrize("case", _with("directoryOf"))
def test_the_directory_of_a_file(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, named = _made(case, tmp_path, monkeypatch)
    questions = case["questions"]["directoryOf"]
    assert {name: _relative(directory_of(root / name, named), root) for name in questions} == questions


@pytest.mark.parametrize("case", _with("directoriesBelow"))
def test_the_directories_below_a_root(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, named = _made(case, tmp_path, monkeypatch)
    for start, expected in case["questions"]["directoriesBelow"].items():
        found = [_relative(path, root) for path in directories_below(root / start, named)]
        assert sorted(map(str, found)) == expected


@pytest.mark.parametrize("case", _with("members"))
def test_the_members_of_a_directory(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, named = _made(case, tmp_path, monkeypatch)
    for name, expected in case["questions"]["members"].items():
        value = load(root / name, lenient=is_lenient(root / name, named))
        unreadable = {key for key, facts in value.facts.items() if facts.trouble and key != INDEX_NAME}
        assert sorted({*value.documents, *unreadable}) == expected


def test_every_case_has_a_title_of_its_own_and_asks_something() -> None:
    assert len({case["title"] for case in CASES}) == len(CASES)
    assert all(case["questions"] for case in CASES)


def test_where_every_case_looks_from_its_answer_is_a_memory_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, case in enumerate(CASES):
        root, named = _made(case, tmp_path / str(number), monkeypatch)
        for paths in case["questions"].get("directoriesBelow", {}).values():
            assert all(is_memory_directory(root / path, named) for path in paths), case["title"]


def test_the_file_system_root_is_searched_for_known_places_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(root: Path, excluded: Sequence[Path]) -> None:
        raise AssertionError("walked")

    monkeypatch.setattr(discover, "_walk", walk)
    assert isinstance(directories_below(Path("/")), list)


def test_excluded_directories_are_neither_found_nor_looked_into(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/memory/MEMORY.md": "", "b/memory/MEMORY.md": "", "c/MEMORY.md": ""})
    assert directories_below(tmp_path, (), [tmp_path / "a", tmp_path / "c"]) == [tmp_path / "b/memory"]


def test_a_named_directory_that_is_excluded_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/a.md": ""})
    assert directories_below(tmp_path, [tmp_path / "docs"], [tmp_path / "docs"]) == []


def test_a_named_directory_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    assert directories_below(tmp_path, [tmp_path / "docs"]) == []


def test_a_named_directory_outside_the_root_is_left_out(tmp_path: Path) -> None:
    write_files(tmp_path, {"a/x.md": "", "b/x.md": ""})
    assert directories_below(tmp_path / "a", [tmp_path / "b"]) == []


def test_a_limit_on_entries_cuts_the_deepest_directories_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {f"many/{number}/x.txt": "" for number in range(30)})
    write_files(tmp_path, {"near/MEMORY.md": "", "many/7/deep/deeper/MEMORY.md": ""})
    monkeypatch.setattr(discover, "MOST_ENTRIES", 20)
    assert directories_below(tmp_path) == [tmp_path / "near"]


def test_a_directory_that_may_not_be_read_hides_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"closed/memory/MEMORY.md": "", "open/memory/MEMORY.md": ""})
    refuse_all_in(tmp_path / "closed", monkeypatch)
    assert directories_below(tmp_path) == [tmp_path / "open/memory"]
    assert directories_below(tmp_path / "closed") == []


def test_a_directory_whose_files_may_not_be_looked_at_hides_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"closed/memory/MEMORY.md": "", "open/memory/MEMORY.md": "", "open/memory/a/b.md": ""})
    refuse_all_in(tmp_path / "closed/memory", monkeypatch)
    assert directories_below(tmp_path) == [tmp_path / "open/memory"]
    assert not is_memory_directory(tmp_path / "closed/memory")
    assert directory_of(tmp_path / "closed/memory/team/a.md") is None


def test_a_known_place_that_may_not_be_looked_at_hides_no_other_in_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {".claude/memory/a.md": "", ".agents/memory/a.md": "", ".claude/projects/p/memory/a.md": ""})
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    refuse_all_in(tmp_path / ".claude", monkeypatch)
    assert directories_below(tmp_path) == [tmp_path / ".agents/memory"]


def test_a_name_too_long_for_a_file_is_nowhere(tmp_path: Path) -> None:
    root = tmp_path / ("x" * 300)
    write_files(tmp_path, {"MEMORY.md": ""})
    assert directory_of(root / "a.md") == tmp_path
    assert directories_below(root) == []
    assert directories_below(tmp_path, [root, root / "y"]) == [tmp_path]
    assert not is_memory_directory(root)
    assert project_directory(root, tmp_path).name == "memory"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/w/.claude/memory", True),
        ("/.claude/memory", True),
        ("/w/.claude/agent-memory/审查", True),
        ("/w/.claude/agent-memory", False),
        ("/w/.claude/agent-memory/a/b", False),
        ("/w/claude/memory", False),
        ("/w/.claude/projects/-w-quay/memory", True),
        ("/w/.claude/projects/memory", False),
    ],
)
def test_a_known_place_is_told_by_its_path_alone(path: str, expected: bool) -> None:
    assert is_known_place(Path(path)) is expected


class TestTheProjectsDirectoryInTheAgentsHome:
    def test_the_key_is_the_path_with_every_other_character_replaced(self, tmp_path: Path) -> None:
        folder = tmp_path / "my quay_1.2/船"
        folder.mkdir(parents=True)
        home = tmp_path / "home"
        key = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(folder))
        assert project_directory(folder, home) == home / ".claude/projects" / key / "memory"

    def test_a_folder_inside_a_repository_has_the_repositorys(self, tmp_path: Path) -> None:
        (tmp_path / "repo/.git").mkdir(parents=True)
        (tmp_path / "repo/src/deep").mkdir(parents=True)
        assert project_directory(tmp_path / "repo/src/deep", tmp_path) == project_directory(tmp_path / "repo", tmp_path)

    @pytest.mark.parametrize("absolute", [True, False])
    def test_a_linked_work_tree_has_that_of_the_main_one(self, tmp_path: Path, absolute: bool) -> None:
        git = tmp_path / "repo/.git/worktrees/tree"
        write_files(git, {"commondir": "../..\n"})
        pointer = str(git) if absolute else "../repo/.git/worktrees/tree"
        write_files(tmp_path / "tree", {".git": f"gitdir: {pointer}\n"})
        assert project_directory(tmp_path / "tree", tmp_path) == project_directory(tmp_path / "repo", tmp_path)

    def test_a_pointer_that_leads_nowhere_means_the_folder_itself(self, tmp_path: Path) -> None:
        write_files(tmp_path / "tree", {".git": b"gitdir: /no/where\xff\n"})
        assert project_directory(tmp_path / "tree", tmp_path).parent.name.endswith("-tree")

    def test_a_long_path_is_found_by_what_its_key_keeps(self, tmp_path: Path) -> None:
        folder = tmp_path / ("long-" * 30) / ("path-" * 30)
        folder.mkdir(parents=True)
        cut = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(folder))[:200]
        (tmp_path / "home/.claude/projects" / f"{cut}-h4sh").mkdir(parents=True)
        assert (
            project_directory(folder, tmp_path / "home")
            == tmp_path / "home/.claude/projects" / f"{cut}-h4sh" / "memory"
        )


def _left_out(patterns: list[str], *paths: str, base: str = "/tmp/app") -> list[str]:
    excluded = Exclusion(patterns, Path(base))
    return [path for path in paths if Path(path) in excluded]


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("**/memory", ["memory", "a/memory", "a/b/memory", "a/memory/team"], ["memories", "a/my-memory"]),
        ("./**/memory", ["memory", "a/memory"], ["a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b/z"], ["a", "b", "a/x", "x/a/b"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/c", "a/b/b/c"], ["a/c/b", "a/c"]),
        ("a/**", ["a", "a/x", "a/x/y"], ["b", "ab"]),
        ("a/**/", ["a", "a/x"], ["b"]),
        ("**/**/a/**", ["a", "x/a/y"], ["b"]),
        ("**/a-*/[mn]ot?s", ["a-1/notes", "x/a-2/motis/y"], ["a-1/x/notes", "a/notes"]),
        ("docs/*", ["docs/a", "docs/a/b"], ["docs"]),
        ("docs/*/memory", ["docs/a/memory"], ["docs/memory", "docs/a/b/memory"]),
        ("étude/記憶", ["étude/記憶", "étude/記憶/x"], ["記憶"]),
    ],
)
def test_an_excluded_path_may_lead_through_any_number_of_directories(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    paths = [f"/tmp/app/{path}" for path in (*inside, *outside)]
    assert _left_out([pattern], *paths) == paths[: len(inside)]


def test_two_stars_at_the_start_stand_for_the_base_itself_too() -> None:
    assert _left_out(["**"], "/tmp/app", "/tmp/app/a", "/srv/a") == ["/tmp/app", "/tmp/app/a", "/srv/a"]
    assert _left_out(["./**"], "/tmp/app", "/tmp/app/a", "/srv/a") == ["/tmp/app", "/tmp/app/a"]
    assert _left_out(["/**/cold"], "/cold", "/tmp/app/cold", "/tmp/app") == ["/cold", "/tmp/app/cold"]


def test_an_excluded_name_is_not_looked_for_in_the_path_to_the_base() -> None:
    paths = ["/tmp/app", "/tmp/app/memory", "/tmp/app/a/tmp", "/tmp/app/tmp/memory", "/tmp/other", "/srv/tmp/x"]
    assert _left_out(["tmp"], *paths) == paths[2:]
    assert _left_out(["ap?/"], "/tmp/app", "/tmp/app/x", "/srv/app/x") == ["/srv/app/x"]
    assert _left_out(["memory"], "/", "/memory", "/a/memory/b", base="/") == ["/memory", "/a/memory/b"]


def test_the_path_to_the_base_is_no_pattern() -> None:
    assert _left_out(["a"], "/w[x]/a", "/wx/b", base="/w[x]") == ["/w[x]/a"]
    assert _left_out(["./a"], "/w[x]/a", "/wx/a", base="/w[x]") == ["/w[x]/a"]


@pytest.mark.skipif(os.name == "nt", reason="makes a link")
def test_what_is_excluded_is_so_by_its_real_path_too(tmp_path: Path) -> None:
    (tmp_path / "tmp/real").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "tmp/real")
    excluded = Exclusion(["./attic", "tmp"], tmp_path / "link")
    assert tmp_path / "link/attic/x" in excluded
    assert tmp_path / "tmp/real/attic/x" in excluded
    assert tmp_path / "tmp/real/memory" not in excluded


def test_excluding_by_a_pattern_of_many_stars_takes_no_time() -> None:
    pattern = "**/" * 500 + "a/**/" * 50 + "b"
    deep = "/tmp/app/" + "a/" * 1000
    assert _left_out([pattern], deep + "c", deep + "b") == [deep + "b"]
