"""Any program as a model: it reads the prompt on standard input and writes its answer on standard output.

So a coding agent's own command line serves, and with it a subscription instead of a key.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from memory_ls.pipeline.models.model import (
    Completion,
    ModelError,
    ModelErrorKind,
    StopReason,
    Usage,
    quotable,
)
from memory_ls.settings import Settings

# How agents are asked one question without tools, without a terminal and without keeping the conversation: the bare
# name in `command` stands for all of it. Each takes `--model`.
PRESETS: Mapping[str, tuple[str, ...]] = {
    "claude": (
        *("claude", "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--no-session-persistence"),
        *("--setting-sources", ""),  # no hooks, which would take this for a conversation of the user's
    ),
    "codex": (
        *("codex", "exec", "--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "--color", "never"),
        "-",
    ),
    "gemini": ("gemini", "--output-format", "json"),
}

# Set for the program and all that it starts, so that a hook in there can tell and won't start it all over again.
WITHIN = "MEMORY_LS_MODEL_CALL"

_MOST_BYTES = 4_000_000
_MOST_ERROR_BYTES = 64_000

# What programs say when they can't, in lower case, and what kind of failure that is.
_SIGNS: tuple[tuple[ModelErrorKind, tuple[str, ...]], ...] = (
    ("rateLimited", ("rate limit", "rate_limit", "usage limit", "quota", "too many requests", "resource_exhausted", "429")),
    ("overloaded", ("overloaded", "529", "503 service")),
    ("noKey", ("not logged in", "log in", "/login", "login required", "api key not found", "no api key", "set an auth")),
    ("wrongKey", ("invalid api key", "invalid x-api-key", "unauthorized", "authentication", "401")),
    ("contextTooLong", ("prompt is too long", "context window", "context length", "too many tokens")),
    ("unknownModel", ("model not found", "unknown model", "no such model", "not_found_error", "issue with the selected model")),
    ("network", ("connection error", "enotfound", "econnrefused", "etimedout", "network error", "getaddrinfo")),
)  # fmt: skip


class CommandModel:
    """A program that answers prompts. It is run for each of them, in an empty directory, and not through a shell."""

    def __init__(self, settings: Settings) -> None:
        self._arguments = arguments_of(settings.command, settings.model)
        self._timeout = settings.timeout_seconds
        self.name = settings.model

    async def complete(self, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """The answer to ``prompt``. A program is not told of ``max_tokens``: none has an option for it.

        Raises:
            ModelError: the program is not there, fails, or takes longer than ``timeoutSeconds``.
        """
        whole = f"{system}\n\n{prompt}\n\nThe answer's JSON schema:\n{json.dumps(schema)}\n"
        status, out, err = await self._run(whole.encode("utf-8", "replace"))
        answer = _answer(out.decode("utf-8", "replace"))
        if status != 0 or answer.failure is not None:
            said = answer.failure or err.decode("utf-8", "replace") or (answer.text if status else "")
            raise self._failed(status, said, whole, answer.usage)
        stop = StopReason.CUT if answer.is_cut else StopReason.END
        return Completion(answer.text, answer.usage, stop, answer.model or self.name)

    async def _run(self, prompt: bytes) -> tuple[int, bytes, bytes]:
        """Runs the program once. Its whole process group is gone when this ends, however it ends."""
        program = shutil.which(self._arguments[0]) if self._arguments else None
        if program is None:
            raise self._not_found()
        with tempfile.TemporaryDirectory(prefix="memory-ls-", ignore_cleanup_errors=True) as empty:
            try:
                process = await asyncio.create_subprocess_exec(
                    os.path.abspath(program),
                    *self._arguments[1:],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=empty,  # a project's own settings, hooks and instructions for agents have no say here
                    env={**os.environ, WITHIN: "1", "NO_COLOR": "1"},
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise self._not_found(error) from None
            try:
                async with asyncio.timeout(self._timeout):
                    out, err = await _talk(process, prompt)
                    return await process.wait(), out, err
            except TimeoutError:
                raise self._too_slow() from None
            finally:
                await _end(process)

    # --- What went wrong

    @property
    def _program(self) -> str:
        return os.path.basename(self._arguments[0]) if self._arguments else ""

    def _not_found(self, error: Exception | None = None) -> ModelError:
        if not self._arguments:
            return ModelError("notFound", "No program is named.", "Set `command`.", Usage())
        reason = "can't be started" if error or os.path.exists(self._arguments[0]) else "is not there"
        return ModelError(
            "notFound",
            f"The program `{self._program}` {reason}.",
            "Correct `command`, or install the program where PATH has it.",
            Usage(),
        )

    def _too_slow(self) -> ModelError:
        return ModelError(
            "failed",
            f"`{self._program}` gave no answer within {self._timeout:g} seconds, and was stopped.",
            "Run it by hand to see whether it waits for something, or raise `timeoutSeconds`.",
        )

    def _failed(self, status: int, said: str, prompt: str, usage: Usage) -> ModelError:
        kind = _kind_of(said)
        reason = quotable(said, prompt)
        ended = (
            f"ended with status {status}" if status > 0 else f"was ended by signal {-status}" if status else "failed"
        )
        return ModelError(kind, f"`{self._program}` {ended}{f': {reason}' if reason else ''}.", _HINTS[kind], usage)


def _kind_of(said: str) -> ModelErrorKind:
    """What kind of failure a program speaks of. Only its last words count: before them it may have told anything."""
    last = "\n".join(said[-2000:].splitlines()[-4:]).lower()
    for kind, signs in _SIGNS:
        if any(sign in last for sign in signs):
            return kind
    return "failed"


_HINTS: Mapping[ModelErrorKind, str] = {
    "rateLimited": "Try again later, or lower `concurrency`.",
    "overloaded": "Try again in a few minutes.",
    "noKey": "Run the program by hand and log in.",
    "wrongKey": "Run the program by hand and log in again.",
    "contextTooLong": "Lower `windowCharacters`.",
    "unknownModel": "Correct `model`, or leave it out for the program's default.",
    "network": "Look at the network, and at a proxy.",
    "failed": "Run the program by hand to see what it needs.",
}


def is_configured(settings: Settings) -> bool:
    """Whether a program is named."""
    return bool(settings.command)


def arguments_of(command: Sequence[str], model: str | None) -> tuple[str, ...]:
    """What is run for the setting ``command``: a known agent's name alone stands for its ready arguments."""
    if len(command) != 1 or command[0] not in PRESETS:
        return tuple(command)
    name, *rest = PRESETS[command[0]]
    before_input = len(rest) - 1 if rest[-1] == "-" else len(rest)
    return (name, *rest[:before_input], *(("--model", model) if model else ()), *rest[before_input:])


# --- Talking with the program


async def _talk(process: asyncio.subprocess.Process, prompt: bytes) -> tuple[bytes, bytes]:
    """Gives the program its prompt, and takes what it says."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors = asyncio.create_task(_read_end(process.stderr, _MOST_ERROR_BYTES))
    written = asyncio.create_task(_write(process.stdin, prompt))
    try:
        return await _read(process.stdout, _MOST_BYTES), await errors
    finally:
        errors.cancel()
        written.cancel()
        await asyncio.gather(errors, written, return_exceptions=True)


async def _write(stream: asyncio.StreamWriter, data: bytes) -> None:
    """Writes all of it, and closes."""
    # A program may end, or close its input, without having read all.
    with suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()
        await stream.wait_closed()


async def _read(stream: asyncio.StreamReader, most: int) -> bytes:
    """All that comes, unless it is more than ``most`` bytes."""
    data = bytearray()
    while piece := await stream.read(65_536):
        data += piece
        if len(data) > most:
            raise ModelError(
                "failed", "The program writes without end, and was stopped.", "Look at what `command` runs."
            )
    return bytes(data)


async def _read_end(stream: asyncio.StreamReader, most: int) -> bytes:
    """The last ``most`` bytes of all that comes."""
    data = bytearray()
    while piece := await stream.read(65_536):
        data += piece
        del data[:-most]
    return bytes(data)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends the program and everything that it has started."""
    is_running = process.returncode is None
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        elif is_running:
            subprocess.run(("taskkill", "/T", "/F", "/PID", str(process.pid)), capture_output=True, check=False)
    if is_running:
        with suppress(TimeoutError):  # what has left the group may hold on to the pipes
            await asyncio.wait_for(process.communicate(), 0.5)


# --- Understanding the program


class _Answer:
    """What a program has answered: the text, and what else its envelope tells."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.failure: str | None = None
        self.usage = Usage(1)
        self.is_cut = False
        self.model: str | None = None


def _answer(out: str) -> _Answer:
    """The answer in what a program wrote. Some agents put it into an object with the costs beside it."""
    answer = _Answer(out)
    value = _json(out) or _json(out[out.find("{") :])  # some say a word before it
    if isinstance(value, list):  # every event of the conversation
        value = next((each for each in reversed(value) if _is_result(each)), None)
    if _is_result(value):
        _read_claude(answer, value)
    elif isinstance(value, dict) and _is_geminis(value):
        _read_gemini(answer, value)
    return answer


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_geminis(value: Mapping[str, Any]) -> bool:
    return ("response" in value and ("stats" in value or "session_id" in value)) or (
        "error" in value and value.keys() <= {"error", "session_id", "stats", "response"}
    )


def _is_result(value: object) -> bool:
    return isinstance(value, dict) and value.get("type") == "result"


def _read_claude(answer: _Answer, value: Mapping[str, Any]) -> None:
    result = value.get("result")
    answer.text = result if isinstance(result, str) else ""
    if value.get("is_error") or not isinstance(result, str):
        answer.failure = answer.text or str(value.get("subtype") or "no result")
    usage = value.get("usage")
    if isinstance(usage, dict):
        given = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        answer.usage = Usage(1, sum(_count(usage, name) for name in given), _count(usage, "output_tokens"))
    answer.is_cut = value.get("stop_reason") == "max_tokens"
    models = value.get("modelUsage")
    if isinstance(models, dict) and len(models) == 1:
        answer.model = str(next(iter(models)))


def _read_gemini(answer: _Answer, value: Mapping[str, Any]) -> None:
    response, error = value.get("response"), value.get("error")
    answer.text = response if isinstance(response, str) else ""
    if error or not isinstance(response, str):
        message = error.get("message") if isinstance(error, dict) else error
        answer.failure = str(message or "no response")
    stats = value.get("stats")
    models = stats.get("models") if isinstance(stats, dict) else None
    for name, each in models.items() if isinstance(models, dict) else ():
        tokens = each.get("tokens") if isinstance(each, dict) else None
        if isinstance(tokens, dict):
            answer.usage += Usage(0, _count(tokens, "prompt"), _count(tokens, "candidates"))
            answer.model = str(name)


def _count(values: Mapping[str, Any], name: str) -> int:
    count = values.get(name)
    return count if isinstance(count, int) and count > 0 else 0
