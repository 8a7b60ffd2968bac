"""A small LSP client that takes the time as a user would: from just before a write to the answer's last byte."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter
from types import TracebackType
from typing import IO, Any, NamedTuple, TypeVar

Json = dict[str, Any]
_T = TypeVar("_T")

# How long an answer may take, in seconds, before the benchmark gives up.
PATIENCE = 60.0
_CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"workspaceFolders": True, "configuration": True},
    "textDocument": {
        "publishDiagnostics": {
            "versionSupport": True,
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "completion": {
            "contextSupport": True,
            "completionItem": {"labelDetailsSupport": True, "documentationFormat": ["markdown"]},
        },
        "hover": {"contentFormat": ["markdown"]},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}


class Answer(NamedTuple):
    """A result, and when its last byte was read (``perf_counter`` seconds)."""

    at: float
    result: Any


class Published(NamedTuple):
    """The diagnostics of one document, and when their last byte was read (``perf_counter`` seconds)."""

    at: float
    uri: str
    version: int | None
    diagnostics: list[Json]


class ServerFailed(Exception):
    """The server gave an error, or ended."""


class Client:
    """A server process and the conversation with it. Use it as a context manager, so that the process ends."""

    def __init__(self, command: Sequence[str], folder: Path, home: Path) -> None:
        self.published: dict[str, Published] = {}
        # What became of the requests that were only begun: answers, or the error.
        self.ended: dict[int, Answer] = {}
        self._begun: set[int] = set()
        self._folder = folder
        self._sequence = 0
        self._inbox: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the client)
        self.started_at = perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=folder,
            env=environment(home),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin: IO[bytes] = self._process.stdin
        # Read on a thread of its own: a server that waits for us to read must not keep us from writing.
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._process.kill()
        self._stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(10)
        self._log.close()

    # ---- the conversation

    def initialize(self) -> Answer:
        """The first request; its answer has come when the server is up."""
        folder = {"uri": self._folder.as_uri(), "name": self._folder.name}
        return self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": _CAPABILITIES,
            },
        )

    def shutdown(self) -> None:
        """Asks the server to leave."""
        self.request("shutdown", None)
        self.notify("exit", None)

    def notify(self, method: str, params: Json | None) -> float:
        """Sends a notification; returns the time just before it was written."""
        return self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Json | None) -> Answer:
        """Sends a request and waits for its answer."""
        self._sequence += 1
        wanted = self._sequence
        self._write({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params})

        def is_answer(at: float, message: Json) -> Answer | None:
            if message.get("id") != wanted or "method" in message:
                return None
            if "error" in message:
                raise ServerFailed(f"{method}: {message['error']}")
            return Answer(at, message.get("result"))

        return self._until(is_answer, PATIENCE)

    def begin(self, method: str, params: Json | None) -> int:
        """Sends a request without waiting; its answer is in ``ended``, by this number, once it was read."""
        self._sequence += 1
        self._begun.add(self._sequence)
        self._write({"jsonrpc": "2.0", "id": self._sequence, "method": method, "params": params})
        return self._sequence

    def timed_request(self, method: str, params: Json | None) -> tuple[float, Any]:
        """How long a request took, in milliseconds, and its result."""
        before = perf_counter()
        answer = self.request(method, params)
        return (answer.at - before) * 1e3, answer.result

    def wait_published(self, uri: str, version: int) -> Published:
        """The diagnostics of a document in the given version."""
        return self._until(
            lambda at, message: found if (found := _published(at, message)) and found[1:3] == (uri, version) else None,
            PATIENCE,
        )

    def next_published(self, patience: float) -> Published | None:
        """The next diagnostics of any document; ``None`` when there are none for ``patience`` seconds."""
        try:
            return self._until(_published, patience)
        except TimeoutError:
            return None

    def peak_megabytes(self) -> float | None:
        """The most memory that the server has held so far; ``None`` where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        except OSError:
            return None
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        return int(match[1]) / 1024 if match else None

    # ---- messages

    def _write(self, message: Json) -> float:
        body = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        data = b"Content-Length: %d\r\n\r\n" % len(body) + body
        before = perf_counter()
        self._stdin.write(data)
        self._stdin.flush()
        return before

    def _read(self, stdout: IO[bytes]) -> None:
        while True:
            length = 0
            while header := stdout.readline().strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = stdout.read(length)
            self._inbox.put((perf_counter(), body))  # an empty one says that the server has closed
            if not body:
                return

    def _until(self, take: Callable[[float, Json], _T | None], patience: float) -> _T:
        """Handles messages until ``take`` makes something of one.

        Raises:
            TimeoutError: no message came for ``patience`` seconds.
        """
        while True:
            try:
                at, body = self._inbox.get(timeout=patience)
            except Empty:
                raise TimeoutError(f"The server has said nothing for {patience:g} s.") from None
            if not body:
                self._log.seek(0)
                raise ServerFailed(f"The server has ended:\n{self._log.read().decode(errors='replace')[-2000:]}")
            message: Json = json.loads(body)
            if "id" in message and "method" in message:
                self._answer(message)
            elif message.get("id") in self._begun:
                if "error" in message:
                    raise ServerFailed(f"{message['error']}")
                self.ended[message["id"]] = Answer(at, message.get("result"))
            if found := _published(at, message):
                self.published[found.uri] = found
            taken = take(at, message)
            if taken is not None:
                return taken

    def _answer(self, message: Json) -> None:
        """Settings are asked for and there are none; whatever else a server asks, the answer is yes and empty."""
        asked = message["method"] == "workspace/configuration"
        result = [None] * len(message["params"]["items"]) if asked else None
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": result})


class Document:
    """An open document into which a user types at one place, ``before`` and ``after`` which its text stays."""

    def __init__(self, client: Client, path: Path, before: str, after: str) -> None:
        self._client = client
        self._before, self._after = before, after
        self._line_start = before.rfind("\n") + 1
        self._line = before.count("\n")
        self.uri = path.as_uri()
        self.version = 1
        self.typed = ""
        item = {"uri": self.uri, "languageId": "markdown", "version": 1, "text": before + after}
        self.opened_at = client.notify("textDocument/didOpen", {"textDocument": item})

    def set(self, typed: str) -> float:
        """Makes ``typed`` what the user has typed so far; returns the time just before that was written."""
        self.typed = typed
        self.version += 1
        return self._client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"text": self._before + typed + self._after}],
            },
        )

    def wait(self) -> Published:
        """The diagnostics of the text as it is now."""
        return self._client.wait_published(self.uri, self.version)

    def at(self, offset: int) -> Json:
        """The place in the typed text, as parameters of a request (UTF-16 columns)."""
        line = self._before[self._line_start :] + self.typed[:offset]
        position = {"line": self._line, "character": len(line.encode("utf-16-le")) // 2}
        return {"textDocument": {"uri": self.uri}, "position": position}


def _published(at: float, message: Json) -> Published | None:
    if message.get("method") != "textDocument/publishDiagnostics":
        return None
    params = message["params"]
    return Published(at, params["uri"], params.get("version"), params["diagnostics"])


def environment(home: Path) -> dict[str, str]:
    """The environment of a measured process: no settings, memories or caches of the one who runs it."""
    places = {
        "XDG_CONFIG_HOME": "config",
        "XDG_STATE_HOME": "state",
        "XDG_CACHE_HOME": "cache",
        "XDG_DATA_HOME": "data",
    }
    own = {"HOME": str(home), "USERPROFILE": str(home), "PYTHONWARNINGS": "ignore"}
    return {**os.environ, **own, **{key: str(home / name) for key, name in places.items()}}


def python(*arguments: str) -> list[str]:
    """A command for this interpreter."""
    return [sys.executable, *arguments]
