"""Programs as models: real ones, small scripts that read a prompt and answer it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_ls.pipeline.models.command import PRESETS, CommandModel, arguments_of
from memory_ls.pipeline.models.model import Completion, ModelError, StopReason, Usage
from memory_ls.settings import Settings

SYSTEM = "Find what is worth remembering."
PROMPT = "The harbour master wants tide tables in metres. 潮汐表用米。"
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}

Script = Callable[[str], tuple[str, ...]]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Makes a program of Python lines, and gives the command that runs it."""

    def made(code: str) -> tuple[str, ...]:
        path = tmp_path / "answer.py"
        path.write_text(f"import json, os, sys, time\n{code}", encoding="utf-8")
        return sys.executable, str(path)

    return made


def complete(command: tuple[str, ...], **settings: Any) -> Completion:
    return asyncio.run(CommandModel(Settings(command=command, **settings)).complete(SYSTEM, PROMPT, SCHEMA, 100))


def failing(command: tuple[str, ...], **settings: Any) -> ModelError:
    with pytest.raises(ModelError) as caught:
        complete(command, **settings)
    assert "harbour" not in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint.endswith(".")
    return caught.value


def test_program_reads_the_prompt_and_writes_the_answer(script: Script) -> None:
    command = script("data = sys.stdin.buffer.read().decode('utf-8'); sys.stdout.buffer.write(data.encode())")
    answer = complete(command)
    assert SYSTEM in answer.text
    assert PROMPT in answer.text
    assert json.dumps(SCHEMA) in answer.text
    assert (answer.usage, answer.stop_reason) == (Usage(1), StopReason.END)


def test_large_prompt_and_large_answer_do_not_wait_for_each_other(script: Script) -> None:
    command = script("for line in sys.stdin: sys.stdout.write(line)")
    model = CommandModel(Settings(command=command))
    text = "a line of the log\n" * 60_000
    assert text in asyncio.run(model.complete(SYSTEM, text, SCHEMA, 100)).text


def test_program_need_not_read_its_prompt(script: Script) -> None:
    model = CommandModel(Settings(command=script("print('{}')")))
    assert asyncio.run(model.complete(SYSTEM, "x" * 1_000_000, SCHEMA, 100)).text == "{}\n"


def test_arguments_reach_the_program_as_they_are(script: Script) -> None:
    command = (*script("print(sys.argv[1:])"), "$(touch x)", "a b", "", "*")
    assert complete(command).text.strip() == "['$(touch x)', 'a b', '', '*']"


def test_program_runs_in_an_empty_directory_and_is_told_why(script: Script) -> None:
    command = script("print(os.listdir('.'), os.environ['MEMORY_LS_MODEL_CALL'])")
    assert complete(command).text.strip() == "[] 1"


def test_failing_program_is_told_with_its_last_words(script: Script) -> None:
    error = failing(script("sys.stderr.write('loading\\nno model file\\n'); sys.exit(3)"))
    assert error.kind == "failed"
    assert "ended with status 3: no model file" in error.message


def test_words_of_the_prompt_are_not_told(script: Script) -> None:
    error = failing(script("sys.stderr.write('bad input: ' + sys.stdin.read()); sys.exit(1)"))
    assert error.message.endswith("ended with status 1.")
    secret = "ghp_" + "k3Zt9QwB7xLm2VfR8yPd5NcJ1hGs6TaW0eUo"
    error = failing(script(f"sys.stderr.write('token {secret}'); sys.exit(1)"))
    assert error.message.endswith("ended with status 1.")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Error: You are not logged in. Run login first", "noKey"),
        ("Usage limit reached, resets at 4 pm", "rateLimited"),
        ("API Error: 529 overloaded_error", "overloaded"),
        ("401 Unauthorized", "wrongKey"),
        ("Prompt is too long", "contextTooLong"),
        ("getaddrinfo ENOTFOUND api.example.net", "network"),
    ],
)
def test_known_failures_have_their_kind(script: Script, said: str, kind: str) -> None:
    assert failing(script(f"sys.stderr.write({said!r}); sys.exit(1)")).kind == kind


def test_program_that_is_not_there_is_told() -> None:
    error = failing(("no-such-program-here", "-p"))
    assert (error.kind, error.usage.calls) == ("notFound", 0)
    assert "`no-such-program-here` is not there" in error.message


def test_file_that_is_no_program_is_told(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no program", encoding="utf-8")
    assert failing((str(path),)).kind == "notFound"
    path.chmod(0o755)
    assert failing((str(path),)).kind == "notFound"


def test_program_that_dies_is_told(script: Script) -> None:
    assert "signal 9" in failing(script("os.kill(os.getpid(), 9)")).message


def test_program_that_writes_without_end_is_stopped(script: Script) -> None:
    started = time.monotonic()
    assert "without end" in failing(script("while True: print('x' * 10_000)")).message
    assert time.monotonic() - started < 20


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


# A program whose child would live on, and both say who they are.
FAMILY = """
import subprocess
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({path!r}, "w").write(f"{{os.getpid()}} {{child.pid}}\\n")
time.sleep(60)
"""


def wait_for(path: Path) -> list[int]:
    while not path.exists() or "\n" not in path.read_text(encoding="utf-8"):
        time.sleep(0.02)
    return [int(each) for each in path.read_text(encoding="utf-8").split()]


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no groups there")
def test_slow_program_is_stopped_with_all_that_it_started(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    error = failing(script(FAMILY.format(path=str(path))), timeout_seconds=1)
    assert error.kind == "failed"
    assert "timeoutSeconds" in error.hint
    assert all(map(gone, wait_for(path)))


@pytest.mark.skipif(sys.platform == "win32", reason="processes have no groups there")
def test_cancel_stops_the_program_within_a_second(script: Script, tmp_path: Path) -> None:
    path = tmp_path / "pids"
    command = script(FAMILY.format(path=str(path)))

    async def cancelled() -> float:
        model = CommandModel(Settings(command=command))
        task = asyncio.create_task(model.complete(SYSTEM, PROMPT, SCHEMA, 100))
        await asyncio.to_thread(wait_for, path)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(cancelled()) < 1
    assert all(map(gone, wait_for(path)))


def envelope(**values: Any) -> str:
    return f"print({json.dumps(json.dumps(values, ensure_ascii=False))})"


def test_claude_s_envelope_is_opened(script: Script) -> None:
    told = envelope(
        type="result",
        subtype="success",
        is_error=False,
        result='{"candidates": []}',
        usage={"input_tokens": 3, "cache_read_input_tokens": 100, "output_tokens": 6},
        modelUsage={"claude-sonnet-5-5": {}},
    )
    assert complete(script(told)) == Completion(
        '{"candidates": []}', Usage(1, 103, 6), StopReason.END, "claude-sonnet-5-5"
    )


def test_claude_s_failure_is_one(script: Script) -> None:
    told = envelope(type="result", subtype="success", is_error=True, result="Credit balance is too low")
    assert "Credit balance is too low" in failing(script(told)).message
    assert failing(script(envelope(type="result", subtype="error_max_turns", is_error=True))).kind == "failed"


def test_claude_s_cut_answer_is_cut(script: Script) -> None:
    told = envelope(type="result", is_error=False, result="{", stop_reason="max_tokens")
    assert complete(script(told)).stop_reason is StopReason.CUT


def test_gemini_s_envelope_is_opened(script: Script) -> None:
    stats = {"models": {"gemini-3": {"tokens": {"prompt": 20, "candidates": 4}}}}
    told = envelope(session_id="s", response="{}", stats=stats)
    assert complete(script(told)) == Completion("{}", Usage(1, 20, 4), StopReason.END, "gemini-3")
    assert complete(script(f"print('Loaded cached credentials.'); {told}")).text == "{}"
    assert failing(script(envelope(error={"message": "quota exceeded", "code": 429}))).kind == "rateLimited"


@pytest.mark.parametrize("text", ['{"candidates": []}', "[1, 2]", "plain", "", "[" * 100_000])
def test_what_is_no_envelope_is_the_answer(script: Script, text: str) -> None:
    path_free = f"sys.stdout.write({text!r})" if len(text) < 100 else f"sys.stdout.write('[' * {len(text)})"
    assert complete(script(path_free)).text == text


def test_name_of_an_agent_stands_for_its_arguments() -> None:
    assert arguments_of(("claude",), None) == PRESETS["claude"]
    assert arguments_of(("claude",), "opus")[-2:] == ("--model", "opus")
    assert arguments_of(("codex",), "o5")[-3:] == ("--model", "o5", "-")
    assert arguments_of(("gemini", "-p"), "x") == ("gemini", "-p")
    assert arguments_of((), None) == ()


@pytest.mark.skipif(sys.platform == "win32", reason="a program is no script there")
def test_agent_is_found_and_asked_with_its_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "claude"
    told = "json.dumps({'type': 'result', 'is_error': False, 'result': repr(sys.argv[1:]) + sys.stdin.read()})"
    program.write_text(f"#!{sys.executable}\nimport json, sys\nprint({told})\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = complete(("claude",), model="haiku")
    assert answer.text.startswith(repr([*PRESETS["claude"][1:], "--model", "haiku"]))
    assert PROMPT in answer.text
    assert answer.model == "haiku"
    monkeypatch.chdir(tmp_path)
    assert PROMPT in complete(("./claude",)).text


def test_no_command_is_told() -> None:
    assert failing(()).kind == "notFound"
