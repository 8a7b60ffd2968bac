"""The command ``memory-ls`` as a process: its help, its streams, and what it loads."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from memory_ls import __version__
from memory_ls.cli.main import cli
from tests.cli.conftest import Command, Run, environment_with, memory, write_files


def test_version_is_told(command: Command) -> None:
    outcome = command("--version")
    assert (outcome.status, outcome.out) == (0, f"memory-ls, version {__version__}\n")


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", ["", *sorted(cli.commands)])
def test_help_is_given_for_every_command(run: Run, name: str, flag: str) -> None:
    outcome = run(*([name] if name else []), flag)
    assert outcome.status == 0
    assert outcome.out.startswith(f"Usage: memory-ls {name}".rstrip())
    assert len(outcome.out.splitlines()) > 5


def test_every_command_is_in_the_help_with_a_sentence(run: Run) -> None:
    out = run("--help").out
    for name, command in cli.commands.items():
        assert command.help
        assert f"\n  {name} " in out


def test_unknown_command_is_status_2(run: Run) -> None:
    outcome = run("chekc")
    assert outcome.status == 2
    assert "No such command 'chekc'" in outcome.err


def test_unknown_format_is_status_2(run: Run, clean: Path) -> None:
    assert run("check", "--format", "xml").status == 2
    assert run("list", "--format", "sarif").status == 2


def test_installed_script_is_the_same_command(project: Path) -> None:
    script = Path(sys.executable).with_name("memory-ls")
    if not script.exists():
        pytest.skip("the package is not installed here")
    done = subprocess.run([script, "--version"], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout == f"memory-ls, version {__version__}\n"


# --- Streams


@pytest.fixture
def verbose(clean: Path) -> Path:
    """A directory with more findings than a pipe holds, in several scripts."""
    lines = [f"- [조석표 {number}](潮汐-{number}.md) — 🌊 gone" for number in range(1_500)]
    return write_files(clean, {"MEMORY.md": "\n".join(lines), "두 단어\n표.md": memory("이름", body="[[없음]]\n")})


@pytest.mark.parametrize("arguments", ["check", "check --format json", "check --format sarif", "check --format github"])
def test_reader_that_stops_reading_causes_no_traceback(verbose: Path, project: Path, arguments: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.quote(sys.executable)} -m memory_ls {arguments} | head -1"],
        cwd=project,
        env=environment_with({}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


@pytest.mark.parametrize("arguments", ["list", "read", "rules", "rules link-dead", "doctor"])
def test_closed_output_causes_no_traceback(verbose: Path, project: Path, arguments: str) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.quote(sys.executable)} -m memory_ls {arguments} | true"],
        cwd=project,
        env=environment_with({}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "euc-kr"])
@pytest.mark.parametrize("arguments", [("check",), ("check", "--format", "github"), ("list",), ("read",), ("doctor",)])
def test_output_in_another_encoding_causes_no_traceback(
    command: Command, verbose: Path, encoding: str, arguments: tuple[str, ...]
) -> None:
    outcome = command(*arguments, environment={"PYTHONIOENCODING": encoding})
    assert outcome.err == ""
    assert outcome.status == (1 if "check" in arguments else 0)
    assert outcome.out


@pytest.mark.parametrize("output_format", ["json", "sarif"])
def test_json_is_utf_8_whatever_the_encoding_of_the_output(command: Command, verbose: Path, output_format: str) -> None:
    outcome = command("check", "--format", output_format, environment={"PYTHONIOENCODING": "ascii"})
    assert outcome.err == ""
    assert "潮汐-7.md" in json.dumps(json.loads(outcome.out), ensure_ascii=False)


def test_plain_c_locale_causes_no_traceback(command: Command, verbose: Path) -> None:
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    outcome = command("check", environment=environment)
    assert outcome.status == 1
    assert outcome.err == ""


def test_error_about_a_name_in_any_script_causes_no_traceback(command: Command, project: Path) -> None:
    outcome = command("check", "없는 것.md", environment={"PYTHONIOENCODING": "ascii"})
    assert outcome.status == 2
    assert "Traceback" not in outcome.err
    assert "no such file or directory" in outcome.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full here")
@pytest.mark.parametrize("arguments", ["list", "read", "check", "check --format json", "rules", "doctor", "--help"])
def test_output_that_takes_nothing_is_status_2_with_a_sentence(clean: Path, project: Path, arguments: str) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memory_ls", *arguments.split()],
            cwd=project,
            env=environment_with({}),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (2, b"Error: No space left on device.\n")


def test_output_and_errors_that_take_nothing_are_status_2(clean: Path, project: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device that is always full here")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "memory_ls", "check"],
            cwd=project,
            env=environment_with({}),
            stdout=full,
            stderr=full,
            check=False,
            timeout=60,
        )
    assert done.returncode == 2


def test_output_that_is_no_terminal_has_no_colours(command: Command, faulty: Path) -> None:
    assert "\x1b" not in command("check").out
    assert "\x1b" not in command("doctor").out


def test_interrupted_ends_with_status_130_and_no_traceback(project: Path) -> None:
    write_files(project / "notes", {"MEMORY.md": "# Index\n"})
    running = subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED, str(project)],
        env=environment_with({}),
        stderr=subprocess.PIPE,
    )
    _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, b"")


_INTERRUPTED = """
import os, signal, sys
from memory_ls.cli import check, main
check.run = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGINT)
sys.argv = ["memory-ls", "check", sys.argv[1]]
main.main()
"""


def test_a_fault_of_ours_ends_with_status_2(project: Path) -> None:
    write_files(project / "notes", {"MEMORY.md": "# Index\n"})
    done = subprocess.run(
        [sys.executable, "-c", _FAULTY, str(project)], env=environment_with({}), capture_output=True, check=False
    )
    assert done.returncode == 2
    assert b"ZeroDivisionError" in done.stderr
    assert done.stderr.endswith(b"Please report this with the lines above.\n")


_FAULTY = """
import sys
from memory_ls.cli import check, main
check.run = lambda *arguments, **options: 1 / 0
sys.argv = ["memory-ls", "check", sys.argv[1]]
main.main()
"""
