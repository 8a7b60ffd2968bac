"""``memory-ls write``, ``delete``, ``clear``, ``stale`` and ``init``: what is written, asked, and refused."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.cli.conftest import Run, environment_with, memory, write_files

SECRET = "ghp_" + "a8Kd02mXzQpLrT7vWnYbCeFgHjUiOs35Nx4B"
TODAY = date.today().isoformat()


@pytest.fixture
def harbour(project: Path) -> Path:
    return write_files(
        project / ".claude/memory",
        {
            "MEMORY.md": "# 索引\n\n- [tide-tables](tide-tables.md) — where they are kept\n\nProse stays.\n",
            "tide-tables.md": memory(),
            "winch.md": memory("winch", "Which winch", body="See [[tide-tables]].\n"),
            "notes.txt": "not a memory\n",
        },
    )


def state(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(root.iterdir())}


def at_terminal(answer: str, *arguments: str) -> tuple[int, str]:
    """Runs the command at a terminal where somebody types ``answer``; its exit status, and what stood on the screen."""
    mine, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_ls", *arguments],
        stdin=its,
        stdout=its,
        stderr=its,
        env=environment_with({"TERM": "xterm", "COLUMNS": "200"}),
        close_fds=True,
    )
    os.close(its)
    os.write(mine, answer.encode())
    shown = b""
    while True:
        try:
            piece = os.read(mine, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(mine)
    return process.wait(timeout=30), shown.decode(errors="replace")


# --- write


def test_write_adds_a_memory_with_its_entry(run: Run, harbour: Path) -> None:
    outcome = run(
        "write", "ramp letters", "--type", "reference", "--description", "A: east", "--content", "A。", "--yes"
    )
    assert (outcome.status, outcome.err) == (0, "")
    assert "memory-ls undo" in outcome.out
    [made] = set(os.listdir(harbour)) - {"MEMORY.md", "tide-tables.md", "winch.md", "notes.txt"}
    assert (harbour / made).read_text().startswith("---\nname: ramp letters\ndescription: ")
    assert (harbour / made).read_text().endswith("---\n\nA。\n")
    index = (harbour / "MEMORY.md").read_text()
    assert index.startswith("# 索引\n\n")
    assert index.endswith("\n\nProse stays.\n")
    assert f"({made})" in index


def test_write_takes_the_content_from_standard_input(harbour: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memory_ls", "write", "winch", "--content", "-", "--yes"],
        input="From a pipe: 漢\n".encode(),
        env=environment_with({}),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (harbour / "winch.md").read_text().endswith("---\n\nFrom a pipe: 漢\n")


def test_write_of_a_name_that_is_there_updates_it(run: Run, harbour: Path) -> None:
    before = (harbour / "MEMORY.md").read_bytes()
    assert run("write", "Tide_Tables", "--description", "Now by the window", "--yes").status == 0
    text = (harbour / "tide-tables.md").read_text()
    assert text == memory(description="Now by the window")
    assert (harbour / "MEMORY.md").read_bytes() == before


def test_write_makes_the_first_directory_where_the_agent_keeps_it(run: Run, project: Path) -> None:
    assert run("write", "first", "--type", "user", "--description", "One", "--yes").status == 0
    [made] = (Path(os.environ["HOME"]) / ".claude/projects").iterdir()
    assert (made / "memory/MEMORY.md").read_text() == "# Memory Index\n\n- [first](first.md) — One\n"
    assert f"createdAt: {TODAY}\n" in (made / "memory/first.md").read_text()


def test_json_is_a_report(run: Run, harbour: Path) -> None:
    outcome = run("write", "winch", "--content", "Both.", "--yes", "--format", "json")
    report = json.loads(outcome.out)
    assert (report["status"], report["updated"], report["added"]) == ("applied", ["winch"], [])
    assert [(change["path"], change["kind"]) for change in report["changes"]] == [("winch.md", "edit")]
    assert report["journalId"]
    planned = json.loads(run("write", "winch", "--content", "One.", "--dry-run", "--format", "json").out)
    assert (planned["status"], planned["journalId"]) == ("dryRun", None)
    assert "+One.\n" in planned["changes"][0]["diff"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("write", "../up", "--type", "user"), "path separator"),
        (("write", "up|down", "--type", "user"), "holds `|`, which not every system and link can"),
        (("write", "new"), "needs a type"),
        (("write", "new", "--type", "opinion"), "user, feedback, project, reference"),
        (("write", "new", "--type", "user", "--content", f"Token: {SECRET}"), "secret"),
        (("delete", "nobody"), "nobody"),
        (("stale", "nobody"), "nobody"),
        (("write", "new", "--type", "user", "-d", "notes.txt"), "no such directory"),
    ],
)
def test_what_can_not_be_done_is_said_and_has_no_effect(
    run: Run, harbour: Path, project: Path, arguments: tuple[str, ...], said: str
) -> None:
    (project / "notes.txt").write_text("x")
    before = state(harbour)
    outcome = run(*arguments, "--yes")
    assert outcome.status == 2
    assert said in outcome.err
    assert SECRET not in outcome.out + outcome.err
    assert state(harbour) == before


def test_many_who_write_at_once_all_get_their_line(harbour: Path) -> None:
    writers = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "memory_ls",
                "write",
                f"boat-{number}",
                "--type",
                "user",
                "--content",
                "B.",
                "--yes",
            ],
            env=environment_with({}),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    for writer in writers:
        _, said = writer.communicate(timeout=60)
        assert (writer.returncode, said) == (0, b"")
    index = (harbour / "MEMORY.md").read_text()
    assert all(f"(boat-{number}.md)" in index for number in range(4))


# --- asking


def test_nothing_is_written_where_nobody_can_be_asked(run: Run, harbour: Path) -> None:
    before = state(harbour)
    outcome = run("delete", "winch")
    assert outcome.status == 2
    assert "--yes" in outcome.err
    assert "-name: winch" in outcome.out
    assert state(harbour) == before


def test_a_dry_run_shows_the_diff_and_writes_nothing(run: Run, harbour: Path) -> None:
    before = state(harbour)
    outcome = run("delete", "tide-tables", "--dry-run")
    assert outcome.status == 0
    assert "-- [tide-tables](tide-tables.md) — where they are kept" in outcome.out
    assert "winch.md" in outcome.err  # whose link goes dead
    assert state(harbour) == before


def test_at_a_terminal_the_plan_is_shown_in_colour_and_asked_about(harbour: Path) -> None:
    before = state(harbour)
    status, screen = at_terminal("n\n", "delete", "winch")
    assert status == 130
    assert "\x1b[31m-name: winch" in screen
    assert "Delete winch? [y/N]" in screen
    assert state(harbour) == before
    status, screen = at_terminal("y\n", "delete", "winch")
    assert status == 0
    assert "memory-ls undo" in screen
    assert not (harbour / "winch.md").exists()


def test_what_a_file_holds_does_not_steer_the_terminal(harbour: Path) -> None:
    (harbour / "winch.md").write_text(memory("winch", body="\x1b[2J\x1b]0;owned\x07 and \u202egnp.exe\n"))
    status, screen = at_terminal("n\n", "delete", "winch")
    assert status == 130
    assert "\x1b[2J" not in screen
    assert "\x1b]0" not in screen
    assert "\u202e" not in screen


def test_a_secret_is_not_shown_in_a_diff(run: Run, harbour: Path) -> None:
    (harbour / "winch.md").write_text(memory("winch", body=f"Token: {SECRET}\n"))
    outcome = run("delete", "winch", "--dry-run")
    assert SECRET not in outcome.out
    assert "ghp_…" in outcome.out


# --- delete, clear, stale


def test_delete_takes_file_and_entry(run: Run, harbour: Path) -> None:
    assert run("delete", "tide-tables", "--yes").status == 0
    assert not (harbour / "tide-tables.md").exists()
    assert (harbour / "MEMORY.md").read_text() == "# 索引\n\n\nProse stays.\n"


def test_clear_leaves_headings_prose_and_other_files(run: Run, harbour: Path) -> None:
    assert run("clear", "--yes").status == 0
    assert set(os.listdir(harbour)) == {"MEMORY.md", "notes.txt"}
    assert (harbour / "MEMORY.md").read_text() == "# 索引\n\n\nProse stays.\n"
    again = run("clear", "--yes")
    assert (again.status, again.out) == (0, "There is nothing to change.\n")


def test_stale_marks_the_named_and_the_old(run: Run, harbour: Path) -> None:
    old = memory("old", "Long ago").replace("  type: project\n", "  type: project\n  updatedAt: 2020-01-01\n")
    new = memory("new", "Just now").replace("  type: project\n", f"  type: project\n  updatedAt: {TODAY}\n")
    write_files(harbour, {"old.md": old, "new.md": new})
    assert run("stale", "winch", "--yes").status == 0
    assert "status: stale" in (harbour / "winch.md").read_text()
    assert run("stale", "--older-than", "30", "--yes").status == 0
    assert (harbour / "old.md").read_text() == old.replace("  updatedAt", "  status: stale\n  updatedAt")
    assert (harbour / "new.md").read_text() == new
    # An update is what ends it.
    assert run("write", "winch", "--content", "Still so.", "--yes").status == 0
    assert "stale" not in (harbour / "winch.md").read_text()


# --- init


def test_init_makes_a_directory_with_an_index(run: Run, project: Path) -> None:
    assert run("init", ".claude/memory", "--yes").status == 0
    assert (project / ".claude/memory/MEMORY.md").read_text() == "# Memory Index\n\n"
    assert run("check").status == 0
    again = run("init", ".claude/memory", "--yes")
    assert (again.status, again.out) == (2, "")
    assert "already" in again.err
    (project / "file").write_text("x")
    assert "no directory" in run("init", "file", "--yes").err
    assert "holds far more than memories" in run("init", "/", "--yes").err


def test_init_without_a_path_takes_the_place_of_the_projects_agent(run: Run, project: Path) -> None:
    assert run("init", "--yes").status == 0
    [made] = (Path(os.environ["HOME"]) / ".claude/projects").iterdir()
    assert (made / "memory/MEMORY.md").is_file()
    assert run("write", "first", "--type", "user", "--yes").status == 0
    assert (made / "memory/first.md").is_file()


# --- reindex


def test_reindex_repairs_and_leaves_the_rest(run: Run, harbour: Path) -> None:
    assert run("reindex", "--yes").status == 0
    index = (harbour / "MEMORY.md").read_text()
    assert "- [tide-tables](tide-tables.md) — where they are kept\n" in index
    assert "- [winch](winch.md) — Which winch\n" in index
    assert index.endswith("\n\nProse stays.\n")
    again = run("reindex", "--yes")
    assert (again.status, again.out) == (0, "There is nothing to change.\n")


def test_reindex_anew_says_what_is_lost(run: Run, harbour: Path) -> None:
    outcome = run("reindex", "--regenerate", "--dry-run")
    assert outcome.status == 0
    assert "-Prose stays." in outcome.out
    assert outcome.err
