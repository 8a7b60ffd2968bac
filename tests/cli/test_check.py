"""``memory-ls check``: what is checked, and with what exit status it ends."""

from __future__ import annotations

import json
import os
import pickle
import signal
from pathlib import Path
from typing import Any

import pytest

from memory_ls.cli import apart
from memory_ls.directory import loader
from tests.cli.conftest import Command, Run, memory, write_files
from tests.making import refuse_all_in


def checked(run: Run, *arguments: str) -> dict[str, Any]:
    """What ``check --format json`` prints."""
    outcome = run("check", "--format", "json", *arguments)
    assert outcome.status in (0, 1), outcome.err
    document: dict[str, Any] = json.loads(outcome.out)
    return document


def found(run: Run, *arguments: str) -> list[tuple[str, str]]:
    """Path and code of each finding."""
    return [(finding["path"], finding["code"]) for finding in checked(run, *arguments)["diagnostics"]]


INDEX, TABLES = ".claude/memory/MEMORY.md", ".claude/memory/tide-tables.md"


# --- Exit status


def test_nothing_found_is_status_0(run: Run, clean: Path) -> None:
    outcome = run("check")
    assert (outcome.status, outcome.out, outcome.err) == (0, "Checked 2 files: nothing to report.\n", "")


def test_an_error_is_status_1(run: Run, faulty: Path) -> None:
    outcome = run("check")
    assert outcome.status == 1
    assert outcome.out.endswith("Found 1 error, 1 hint in 2 files.\n")


@pytest.mark.parametrize(
    ("level", "failing"),
    [
        ("error", {"error"}),
        ("warning", {"error", "warning"}),
        ("information", {"error", "warning", "information"}),
        ("hint", {"error", "warning", "information", "hint"}),
    ],
)
@pytest.mark.parametrize("severity", ["error", "warning", "information", "hint"])
def test_fail_on_names_the_least_severity_that_fails(
    run: Run, faulty: Path, severity: str, level: str, failing: set[str]
) -> None:
    write_files(faulty, {".memory-ls.toml": f'[rules]\nindex-dead-link = "{severity}"\nname-not-kebab = "off"\n'})
    assert run("check", str(faulty), "--fail-on", level).status == (1 if severity in failing else 0)


def test_findings_below_warning_do_not_fail_by_default(run: Run, faulty: Path) -> None:
    outcome = run("check", "--ignore", "index-dead-link")
    assert outcome.status == 0
    assert "hint[name-not-kebab]" in outcome.out


def test_unknown_severity_is_a_usage_error(run: Run, faulty: Path) -> None:
    assert run("check", "--fail-on", "fatal").status == 2


def test_real_command_ends_with_the_status(command: Command, faulty: Path, project: Path) -> None:
    assert command("check", cwd=project).status == 1
    assert command("check", "--select", "stale", cwd=project).status == 0
    assert command("check", "no-such-thing", cwd=project).status == 2


# --- Which rules


def test_select_keeps_only_the_named_rules(run: Run, faulty: Path) -> None:
    assert found(run, "--select", "name-not-kebab") == [(TABLES, "name-not-kebab")]


def test_ignore_drops_the_named_rules(run: Run, faulty: Path) -> None:
    assert found(run, "--ignore", "name-not-kebab") == [(INDEX, "index-dead-link")]


def test_codes_may_be_joined_by_commas_and_repeated(run: Run, faulty: Path) -> None:
    both = [(INDEX, "index-dead-link"), (TABLES, "name-not-kebab")]
    assert found(run, "--select", "name-not-kebab, index-dead-link") == both
    assert found(run, "--select", "name-not-kebab", "--select", "index-dead-link") == both
    assert found(run, "--ignore", "name-not-kebab,index-dead-link") == []


def test_ignore_wins_over_select(run: Run, faulty: Path) -> None:
    assert found(run, "--select", "index-dead-link", "--ignore", "index-dead-link") == []


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_unknown_code_is_a_usage_error_that_names_the_one_meant(run: Run, faulty: Path, option: str) -> None:
    outcome = run("check", option, "link-ded")
    assert outcome.status == 2
    assert f"{option}: there is no rule link-ded. Did you mean link-dead?" in outcome.err
    assert outcome.out == ""


def test_unknown_code_like_no_other_points_to_the_list(run: Run, faulty: Path) -> None:
    outcome = run("check", "--select", "zzz")
    assert outcome.status == 2
    assert "there is no rule zzz. `memory-ls rules` lists them." in outcome.err


def test_comments_silence_unless_asked_not_to(run: Run, clean: Path) -> None:
    silent = "<!-- memory-ls-disable-next-line link-dead -->\nSee [[the harbour]].\n"
    write_files(clean, {"tide-tables.md": memory(body=silent)})
    assert found(run) == []
    assert found(run, "--no-suppressions") == [(TABLES, "link-dead")]
    assert run("check", "--no-suppressions").status == 1


def test_costly_rules_and_comparisons_are_run(run: Run, clean: Path) -> None:
    text = memory(body="The tables hang beside the door, and a copy of them is in the drawer.\n")
    write_files(
        clean,
        {
            "MEMORY.md": "- [a](tide-tables.md)\n- [b](tide-copy.md)\n",
            "tide-tables.md": text.replace("---\n\n", "status: stale\n---\n\n"),
            "tide-copy.md": text.replace("name: tide-tables", "name: tide-copy"),
        },
    )
    assert {code for _, code in found(run)} == {"stale", "near-duplicate"}


# --- What is checked


def test_file_path_loads_its_directory_and_prints_its_own_findings(run: Run, faulty: Path) -> None:
    write_files(faulty, {"buoys.md": memory(name="buoys", body="See [[tide-tables]] and [[Tide Tables]].\n")})
    document = checked(run, str(faulty / "buoys.md"))
    assert document["filesChecked"] == 1
    # The links are alive, since the neighbour was read; the index does not list the file, since that was read too.
    assert [finding["code"] for finding in document["diagnostics"]] == ["memory-not-indexed"]


def test_file_that_is_a_memory_is_not_called_none(run: Run, faulty: Path) -> None:
    write_files(faulty, {"team/buoys.md": memory(name="buoys")})
    for path in (TABLES, INDEX, str(faulty / "team"), str(faulty / "team" / "buoys.md")):
        assert run("check", path).err == "", path


def test_index_may_be_named_as_a_file(run: Run, faulty: Path) -> None:
    assert found(run, INDEX) == [(INDEX, "index-dead-link")]


def test_file_in_a_sub_directory_belongs_to_the_directory_above(run: Run, clean: Path) -> None:
    write_files(clean, {"team/buoys.md": memory(name="buoys", body="See [[tide-tables]] and [[nowhere]].\n")})
    codes = [code for _, code in found(run, str(clean / "team" / "buoys.md"))]
    assert codes == ["memory-not-indexed", "link-dead"]


LEFT_OUT = (
    "what is hidden, lies in a directory called archive or logs, or lies more than 2 directories deep is left out."
)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("README.md", "is no memory of its directory: no `name`, and the index does not list it."),
        ("notes.txt", "is no memory of its directory: it is no markdown file (.md)."),
        ("archive/o.md", f"is no memory of its directory: {LEFT_OUT}"),
        ("archive", f"holds no memory: {LEFT_OUT}"),
        ("empty", "holds no memory."),
    ],
)
def test_path_that_selects_no_memory_is_status_2_and_says_why(run: Run, clean: Path, name: str, sentence: str) -> None:
    files = {"README.md": "See [[nowhere]].\n", "notes.txt": "[[nowhere]]", "archive/o.md": "[[x]]", "empty/a.txt": ""}
    write_files(clean, files)
    outcome = run("check", str(clean / name))
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"Error: .claude/memory/{name} {sentence}\n"


def test_file_without_frontmatter_in_a_directory_of_other_files_is_no_memory(run: Run, project: Path) -> None:
    write_files(project / "notes", {"MEMORY.md": "- [A](a.md)\n", "a.md": memory("a"), "plan.md": "[[nowhere]]\n"})
    outcome = run("check", "notes/plan.md")
    assert outcome.status == 2
    assert "notes/plan.md is no memory of its directory: no frontmatter, and the index does not" in outcome.err


def test_directory_with_nothing_but_a_readme_is_status_2(run: Run, project: Path) -> None:
    write_files(project / "docs", {"README.md": "See [[nowhere]].\n"})
    outcome = run("check", "docs")
    assert (outcome.status, outcome.out, outcome.err) == (2, "", "Error: docs holds no memory.\n")


def test_path_that_is_no_memory_is_told_beside_the_findings_of_others(run: Run, faulty: Path) -> None:
    write_files(faulty, {"README.md": "Text.\n"})
    outcome = run("check", str(faulty / "README.md"), TABLES, "--fail-on", "hint")
    assert outcome.status == 1
    assert outcome.out.endswith("Found 1 hint in 1 file.\n")
    assert outcome.err.startswith(".claude/memory/README.md is no memory of its directory: ")


def test_of_many_files_those_that_are_no_memories_can_be_passed_over(run: Run, faulty: Path, project: Path) -> None:
    write_files(faulty, {"README.md": "Text.\n", "notes.txt": "[[nowhere]]", "archive/o.md": "[[x]]"})
    write_files(project / "docs", {"post.md": "---\ntitle: Post\n---\n\n[[nowhere]]\n"})
    others = ["docs/post.md", *(f".claude/memory/{name}" for name in ("README.md", "notes.txt", "archive/o.md"))]
    outcome = run("check", "--skip-others", *others)
    assert (outcome.status, outcome.err) == (0, "")
    assert found(run, "--skip-others", *others, TABLES, INDEX) == found(run, TABLES, INDEX)
    assert run("check", "--skip-others", *others, INDEX).err == ""


def test_excluded_directories_are_passed_over_too(run: Run, faulty: Path) -> None:
    write_files(Path.home(), {".config/memory-ls/memory-ls.toml": 'exclude = [".claude/memory"]\n'})
    assert run("check", "--skip-others", INDEX).status == 0
    assert run("check", INDEX).status == 1


def test_directory_and_a_file_of_it_are_checked_once(run: Run, faulty: Path) -> None:
    both = [(INDEX, "index-dead-link"), (TABLES, "name-not-kebab")]
    assert found(run, str(faulty), INDEX) == both
    assert found(run, INDEX, str(faulty)) == both
    assert found(run, str(faulty), f"{faulty}/../memory") == both


def test_directory_named_outright_counts_as_one(run: Run, project: Path) -> None:
    write_files(project / "notes", {"a.md": memory(name="a", body="See [[nowhere]].\n"), "b.md": "No frontmatter.\n"})
    assert found(run, "notes") == [("notes/a.md", "link-dead"), ("notes/b.md", "frontmatter-missing")]
    assert found(run, "-d", "notes") == found(run, "notes")


def test_project_named_outright_stands_for_the_directories_in_it(run: Run, faulty: Path, project: Path) -> None:
    write_files(project, {"README.md": "See [[nowhere]].\n"})
    assert found(run, ".") == found(run, str(project)) == [(INDEX, "index-dead-link"), (TABLES, "name-not-kebab")]


def test_part_of_a_memory_directory_is_checked_with_all_of_it_known(run: Run, project: Path) -> None:
    write_files(
        project / "notes",
        {
            "MEMORY.md": "- [Berths](berths.md)\n- [Rota](team/rota.md)\n",
            "berths.md": memory("berths", body="[[gone]]\n"),
            "team/rota.md": memory("rota", body="[[berths]] and [[lost]]\n"),
        },
    )
    assert found(run, "notes/team") == [("notes/team/rota.md", "link-dead")]


def test_excluded_directories_are_left_out(run: Run, project: Path, tmp_path: Path) -> None:
    for place in ("notes", "attic/notes", "old-1/notes"):
        write_files(project / place, {"MEMORY.md": "- [Gone](gone.md)\n"})
    settings = tmp_path / "mine.toml"
    settings.write_text('exclude = ["attic", "./old-*"]\n', encoding="utf-8")
    assert found(run, "--config", str(settings)) == [("notes/MEMORY.md", "index-dead-link")]


def test_all_directories_below_are_checked(run: Run, faulty: Path, project: Path) -> None:
    write_files(project / "docs" / "memory", {"MEMORY.md": "- [x](x.md)\n"})
    assert found(run) == [
        (INDEX, "index-dead-link"),
        (TABLES, "name-not-kebab"),
        ("docs/memory/MEMORY.md", "index-dead-link"),
    ]


def test_directory_around_the_current_one_is_checked(run: Run, faulty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (faulty / "team").mkdir()
    monkeypatch.chdir(faulty / "team")
    assert found(run) == [("../MEMORY.md", "index-dead-link"), ("../tide-tables.md", "name-not-kebab")]


def test_projects_directory_in_the_agents_home_is_checked(run: Run, project: Path) -> None:
    key = "".join(character if character.isascii() and character.isalnum() else "-" for character in str(project))
    write_files(Path.home() / ".claude" / "projects" / key / "memory", {"MEMORY.md": "- [x](x.md)\n"})
    assert [code for _, code in found(run)] == ["index-dead-link"]


def test_no_memory_directory_is_status_2_and_says_what_one_is(run: Run) -> None:
    outcome = run("check")
    assert outcome.status == 2
    assert outcome.out == ""
    assert "No memory directory found here." in outcome.err
    assert "MEMORY.md" in outcome.err
    assert "memory-ls check PATH" in outcome.err


def test_named_directory_without_markdown_is_status_2(run: Run, project: Path) -> None:
    (project / "empty").mkdir()
    outcome = run("check", "empty")
    assert outcome.status == 2
    assert outcome.err == "Error: empty: no memory directory here, and no markdown file.\n"


def test_path_that_is_not_there_is_status_2(run: Run, clean: Path) -> None:
    outcome = run("check", str(clean), "nowhere.md")
    assert outcome.status == 2
    assert outcome.err == "Error: nowhere.md: no such file or directory.\n"


@pytest.mark.parametrize("command_name", ["check", "list", "read", "doctor"])
def test_name_too_long_for_a_file_causes_no_traceback(command: Command, project: Path, command_name: str) -> None:
    name = "x" * 300
    outcome = command(command_name, *(["-d"] if command_name != "check" else []), name)
    assert outcome.status == (0 if command_name == "doctor" else 2)
    assert "Traceback" not in outcome.err
    if command_name == "check":
        assert outcome.err == f"Error: {name}: no such file or directory.\n"


def test_place_that_may_not_be_looked_at_hides_no_other(
    run: Run, clean: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(project, {"closed/memory/MEMORY.md": "- [Gone](gone.md)\n", "open/memory/MEMORY.md": "- [G](g.md)\n"})
    refuse_all_in(project / "closed", monkeypatch)
    assert found(run) == [("open/memory/MEMORY.md", "index-dead-link")]
    assert found(run, ".") == found(run)


def test_directory_that_cannot_be_read_is_status_2(run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(root: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(root))

    monkeypatch.setattr(loader, "load", refuse)
    outcome = run("check")
    assert outcome.status == 2
    assert outcome.err == f"Error: {clean}: can't be read: Permission denied.\n"


def test_files_that_cannot_be_read_are_findings(run: Run, clean: Path) -> None:
    (clean / "gone.md").symlink_to("nowhere")
    write_files(clean, {"old.md": b"---\nname: old\n---\n\xc4\xe3\xba\xc3\n", "large.md": b"x" * (1 << 20 | 1)})
    codes = [code for _, code in found(run)]
    assert codes == ["file-unreadable", "file-too-large", "file-encoding"]


def test_dangling_link_may_be_named_as_a_file(run: Run, clean: Path) -> None:
    (clean / "gone.md").symlink_to("nowhere")
    assert [code for _, code in found(run, str(clean / "gone.md"))] == ["file-unreadable"]


# --- Paths


def test_path_from_another_directory_is_relative_to_the_current_one(
    run: Run, faulty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert found(run, str(faulty))[0] == (f"../project/{INDEX}", "index-dead-link")


@pytest.mark.parametrize("name", ["two words.md", "조석표.md", "潮汐 表.md", "a\nb.md", "a\tb.md", "q'\".md", "%41.md"])
def test_any_file_name_is_told_as_it_is(run: Run, clean: Path, name: str) -> None:
    write_files(clean, {name: memory(body="See [[nowhere]].\n")})
    document = checked(run, "--select", "link-dead")
    assert [finding["path"] for finding in document["diagnostics"]] == [f".claude/memory/{name}"]
    assert checked(run, str(clean / name), "--select", "link-dead")["diagnostics"] == document["diagnostics"]


@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github"])
def test_file_name_that_is_no_text_ends_no_format(command: Command, clean: Path, output_format: str) -> None:
    with open(os.fsencode(clean) + b"/caf\xe9.md", "wb") as file:
        file.write(memory(body="See [[nowhere]].\n").encode())
    outcome = command("check", "--format", output_format)
    assert outcome.status == 1
    assert outcome.err == ""
    assert "link-dead" in outcome.out


# --- Settings


def test_settings_file_of_the_directory_holds(run: Run, faulty: Path) -> None:
    write_files(faulty, {".memory-ls.toml": '[rules]\nindex-dead-link = "off"\nname-not-kebab = "error"\n'})
    document = checked(run)
    assert [(f["code"], f["severity"]) for f in document["diagnostics"]] == [("name-not-kebab", "error")]


def test_settings_file_of_the_current_directory_holds_without_git(run: Run, faulty: Path, project: Path) -> None:
    write_files(project, {".memory-ls.toml": '[rules]\nindex-dead-link = "off"\n'})
    assert found(run) == [(TABLES, "name-not-kebab")]


def test_settings_file_at_the_git_root_holds_from_below(
    run: Run, faulty: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(project, {".memory-ls.toml": '[rules]\nindex-dead-link = "off"\n', ".git/HEAD": "ref: x\n"})
    monkeypatch.chdir(faulty)
    assert found(run) == [("tide-tables.md", "name-not-kebab")]


def test_config_replaces_the_projects_file(run: Run, faulty: Path, project: Path) -> None:
    write_files(faulty, {".memory-ls.toml": '[rules]\nindex-dead-link = "off"\n'})
    write_files(project, {"mine.toml": '[rules]\nname-not-kebab = "off"\n'})
    assert found(run, "--config", "mine.toml") == [(INDEX, "index-dead-link")]


def test_config_that_is_not_there_is_a_usage_error(run: Run, faulty: Path) -> None:
    assert run("check", "--config", "nowhere.toml").status == 2


def test_directory_that_the_users_settings_name_is_checked(run: Run, project: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "elsewhere", {"a.md": memory(name="a", body="See [[nowhere]].\n"), "b.md": "Text\n"})
    write_files(Path.home(), {".config/memory-ls/memory-ls.toml": f'directories = ["{tmp_path}/elsewhere"]\n'})
    assert found(run) == [("../elsewhere/a.md", "link-dead"), ("../elsewhere/b.md", "frontmatter-missing")]


def test_fault_in_settings_is_a_finding_at_its_place(run: Run, clean: Path) -> None:
    write_files(clean, {".memory-ls.toml": 'staleDays = 90\nindexMaxLine = 3\nmodel = "x"\n'})
    document = checked(run)
    assert document["filesChecked"] == 2
    assert [(f["path"], f["code"], f["range"]["start"]) for f in document["diagnostics"]] == [
        (".claude/memory/.memory-ls.toml", "setting-invalid", {"line": 2, "column": 1}),
        (".claude/memory/.memory-ls.toml", "setting-not-trusted", {"line": 3, "column": 1}),
    ]


def test_level_of_the_rules_about_settings_can_be_set(run: Run, clean: Path) -> None:
    settings = 'indexMaxLine = 3\nmodel = "x"\n[rules]\nsetting-invalid = "error"\nsetting-not-trusted = "off"\n'
    write_files(clean, {".memory-ls.toml": settings})
    assert [(f["code"], f["severity"]) for f in checked(run)["diagnostics"]] == [("setting-invalid", "error")]


def test_settings_file_that_cannot_be_used_is_a_finding(run: Run, clean: Path) -> None:
    write_files(clean, {".memory-ls.toml": b'model = "\xe9"\n'})
    assert found(run) == [(".claude/memory/.memory-ls.toml", "setting-invalid")]


def test_settings_file_shared_by_two_directories_is_told_once(run: Run, clean: Path, project: Path) -> None:
    write_files(project, {".memory-ls.toml": "unheard = 1\n", "docs/memory/MEMORY.md": "Prose.\n"})
    assert found(run) == [(".memory-ls.toml", "setting-invalid")]


# --- Large directories


@pytest.fixture
def many(clean: Path) -> Path:
    """A directory with findings in most files, and twins in both halves of it."""
    bodies = [f"See [[nowhere {number}]], which is tower {number * 7919 % 1000} of them.\n" for number in range(12)]
    twin = "The tables hang beside the door, and a copy of them is in the drawer.\n"
    files = {
        f"tower-{number:02}.md": memory(name=f"tower-{number:02}", body=body) for number, body in enumerate(bodies)
    }
    return write_files(
        clean, {**files, "a-twin.md": memory(name="a-twin", body=twin), "z-twin.md": memory(name="z-twin", body=twin)}
    )


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Makes every directory a large one; lists the processes that were started."""
    started: list[int] = []
    real_fork = os.fork

    def fork() -> int:
        child = real_fork()
        started.append(child)
        return child

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(apart, "_WORTH_A_PROCESS", 2)
    return started


def in_one_process(run: Run, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        patch.setattr(apart, "_WORTH_A_PROCESS", 1_000_000)
        return checked(run)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_two_processes_find_what_one_finds(
    run: Run, many: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = in_one_process(run, monkeypatch)
    assert {f["code"] for f in expected["diagnostics"]} >= {"link-dead", "near-duplicate"}
    assert not forked
    assert checked(run) == expected
    assert len(forked) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("death", ["raises", "killed", "killed half way"])
def test_findings_are_whole_when_the_second_process_dies(
    run: Run, many: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch, death: str
) -> None:
    expected = in_one_process(run, monkeypatch)
    parent, real_check = os.getpid(), apart.check_all_alone

    def check_all_alone(*arguments: Any) -> Any:
        if os.getpid() != parent and death == "raises":
            raise RuntimeError("made up")
        if os.getpid() != parent and death == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return real_check(*arguments)

    def dump(value: object, file: Any, protocol: int) -> None:
        file.write(b"\x80\x05half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(apart, "check_all_alone", check_all_alone)
    if death == "killed half way":
        monkeypatch.setattr(pickle, "dump", dump)
    assert checked(run) == expected
    assert len(forked) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_findings_are_whole_when_no_second_process_can_be_started(
    run: Run, many: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = in_one_process(run, monkeypatch)

    def fork() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", fork)
    assert checked(run) == expected


def test_two_processes_leave_no_file_open(run: Run, many: Path, forked: list[int]) -> None:
    descriptors = Path("/proc/self/fd")
    if not descriptors.is_dir():
        pytest.skip("no list of open files here")
    before = len(list(descriptors.iterdir()))
    checked(run)
    assert len(list(descriptors.iterdir())) == before
