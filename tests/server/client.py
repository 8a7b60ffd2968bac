"""A client of the real server over its standard input and output, and what every client may expect of it.

A thread reads what the server sends; a test waits for a condition on it. Each message is held against
the capabilities that the client declared, and each request against its one answer.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from tests.server.declared import pulls, undeclared

JSON = dict[str, Any]
T = TypeVar("T")

# Long, since a busy machine is slow; nothing waits for it where the server is right.
PATIENCE = 10.0

# What real editors said when they initialized this server, and what pytest-lsp recorded of others.
_OURS = Path(__file__).with_name("recordings")
_OTHERS = Path(str(resources.files("pytest_lsp"))) / "clients"

CLIENTS = {
    "vscode": _OURS / "vscode-1.139.json",
    "vscode-2022": _OTHERS / "visual_studio_code_v1.65.2.json",  # from before diagnostics could be pulled
    "neovim": _OURS / "neovim-0.11.json",
    "neovim-0.12": _OURS / "neovim-0.12.json",
    "emacs": _OTHERS / "emacs_v29.1.json",
    "eglot": _OURS / "emacs-eglot-1.9.json",  # with Emacs 28; it declares little, and tells no name
}
ENCODINGS = {
    "vscode": "utf-16",
    "vscode-2022": "utf-16",
    "neovim": "utf-8",
    "neovim-0.12": "utf-8",
    "emacs": "utf-32",
    "eglot": "utf-16",
}


# Under which the client takes what the server has to tell of all documents, for as long as it runs.
_PULL_TOKEN = "everything"


def recording(client: str) -> JSON:
    """What the client says of itself when it initializes a server: ``clientInfo`` (or null) and ``capabilities``."""
    recorded: JSON = json.loads(CLIENTS[client].read_text(encoding="utf-8"))
    return recorded


def uri(path: Path | str) -> str:
    return Path(path).as_uri()


def _folders(folders: Iterable[Path | str]) -> list[JSON]:
    return [{"uri": folder if isinstance(folder, str) else uri(folder), "name": "w"} for folder in folders]


class Answer(Exception):
    """An error that the server answered."""

    def __init__(self, error: JSON) -> None:
        super().__init__(error.get("message"))
        self.code: int = error["code"]
        self.data: Any = error.get("data")


class Client:
    """One running server, and the traffic with it."""

    def __init__(
        self, home: Path, *, environment: Mapping[str, str] | None = None, stdin: int = subprocess.PIPE
    ) -> None:
        self.name = ""  # which of the recorded clients it is
        self.capabilities: JSON = {}
        self.is_pulling = False  # whether it asks for findings
        self.encoding = "utf-16"
        self.answers: dict[Any, list[JSON]] = {}
        self.nameless: list[JSON] = []  # answers to what had no usable id
        self.faults: list[str] = []
        self.requests: list[JSON] = []
        self.heard: dict[Any, list[JSON]] = {}  # what came under a token of progress, for those that a test puts here
        self.changes = 0  # how often it was told that memories changed
        self.told: list[JSON] = []  # all findings, file by file, pushed or pulled
        # What is answered when the server asks, instead of null: a result, or an error.
        self.silent_on: set[str] = set()  # what of the server's requests is never answered
        self.replies: dict[str, JSON] = {"workspace/configuration": {"result": [None]}}
        self._asked: dict[Any, str] = {}
        self._is_asking = True
        # Of a client that pulls: which documents it has open, by version, and which of its requests is about which.
        self._open: dict[str, int] = {}
        self._pulls: dict[int, tuple[str, int | None]] = {}
        self._result_ids: dict[str, str] = {}
        self._published: dict[str, JSON] = {}
        self._change = threading.Condition()
        self._sending = threading.Lock()
        self._number = 0
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        home.mkdir(parents=True, exist_ok=True)
        own = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "PYTHONPATH": os.getcwd(),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memory_ls", "serve"],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, **own, **(environment or {})},
            cwd=home,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # ---- traffic

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin is not None
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.send_bytes(json.dumps(message).encode())

    def notify(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: object, *, pull: str | None = None, **more: object) -> int:
        """Sends a request without waiting; returns its id. ``pull`` is the document whose findings it asks for."""
        with self._change:
            self._number += 1
            number = self._number
            self._asked[number] = method
            if pull is not None:
                self._pulls[number] = pull, self._open.get(pull)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params, **more})
        return number

    def answer(self, number: object) -> Any:
        message: JSON = self.wait(lambda: self.answers.get(number, [None])[0], f"an answer to {number}")
        if "error" in message:
            raise Answer(message["error"])
        return message["result"]

    def request(self, method: str, params: object) -> Any:
        return self.answer(self.ask(method, params))

    def wait(self, condition: Callable[[], T | None], what: str = "the condition", patience: float = PATIENCE) -> T:
        """Waits until ``condition`` is true of what the server has sent."""
        end = time.monotonic() + patience
        with self._change:
            while not (found := condition()):
                left = end - time.monotonic()
                if left <= 0 or not self._reader.is_alive():
                    if found := condition():
                        break
                    raise AssertionError(f"No sign of {what}. The server's log:\n{self.log()}")
                self._change.wait(min(left, 0.2))
            return found

    def barrier(self) -> None:
        """Waits until the server has handled everything sent so far."""
        try:
            self.request("memoryLs/none", None)
        except Answer as error:
            assert error.code == -32601  # noqa: PT017

    def log(self) -> str:
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")

    def _read(self) -> None:
        assert self.process.stdout is not None
        stdout = self.process.stdout
        while True:
            length = 0
            while (header := stdout.readline()).strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = stdout.read(length)
            if not header or len(body) < length:  # it left, or was ended in the middle of a message
                with self._change:
                    self._change.notify_all()
                return
            self._take(json.loads(body))

    def _take(self, message: JSON) -> None:
        with self._change:
            if "method" in message:
                if "id" in message:
                    self.requests.append(message)
                    self._answer(message)
                if message["method"] == "$/progress" and message["params"]["token"] == _PULL_TOKEN:
                    self._take_reports(message["params"]["value"]["items"])
                if message["method"] == "$/progress" and message["params"]["token"] in self.heard:
                    self.heard[message["params"]["token"]].append(message["params"]["value"])
                if message["method"] == "textDocument/publishDiagnostics":
                    self._published[message["params"]["uri"]] = message["params"]
                    self.told.append(message["params"])
                if message["method"] == "memoryLs/changed":
                    self.changes += 1
                if message["method"] == "textDocument/publishDiagnostics" and self.is_pulling:
                    self.faults.append("findings were pushed to a client that pulls")
                if message["method"] == "window/showMessage":
                    self.faults.append(f"a popup: {message['params']}")
                self.faults += undeclared(message["method"], message.get("params"), self.capabilities)
            else:
                number = message["id"]
                if number is None:
                    self.nameless.append(message)
                else:
                    self.answers.setdefault(number, []).append(message)
                    if len(self.answers[number]) > 1:
                        self.faults.append(f"a second answer to {number}")
                if number in self._pulls and "result" in message:
                    self._take_report(message["result"], *self._pulls[number])
                if "result" in message:
                    self.faults += undeclared(self._asked.get(number, ""), message["result"], self.capabilities)
            self._change.notify_all()

    def _answer(self, message: JSON) -> None:
        """Answers a request of the server's, as an editor does by itself."""
        if message["method"] in self.silent_on:
            return
        reply = self.replies.get(message["method"], {"result": None})
        if message["method"] == "workspace/diagnostic/refresh":
            for name in list(self._open):  # a test opens more in the meantime
                self._pull(name)
        with contextlib.suppress(BrokenPipeError, ValueError):  # the server left, or the test ended
            self.send({"jsonrpc": "2.0", "id": message["id"], **reply})

    # ---- diagnostics by pull, asked for as VS Code does

    def _pull(self, name: str) -> None:
        if self._is_asking and self.is_pulling:
            params: JSON = {"textDocument": {"uri": name}, "identifier": "memory-ls"}
            if name in self._result_ids:
                params["previousResultId"] = self._result_ids[name]
            self.ask("textDocument/diagnostic", params, pull=name)

    def _take_report(self, report: JSON, name: str, version: int | None) -> None:
        if report["kind"] == "full":
            self._published[name] = {"uri": name, "version": version, "diagnostics": report["items"]}
            self.told.append(self._published[name])
        elif self._result_ids.get(name) != report["resultId"]:
            self.faults.append("unchanged, and not what the client has")
        if "resultId" in report:
            self._result_ids[name] = report["resultId"]
        else:
            self._result_ids.pop(name, None)

    def _take_reports(self, reports: list[JSON]) -> None:
        for report in reports:
            if report["uri"] not in self._open:  # of those it asks for each by itself
                self._take_report(report, report["uri"], report.get("version"))

    def requested(self, method: str) -> list[JSON]:
        """The parameters of all requests of the server's with this method."""
        return [message.get("params") or {} for message in self.requests if message["method"] == method]

    # ---- the life cycle

    def initialize(
        self,
        client: str = "emacs",
        *folders: Path | str,
        options: object = None,
        capabilities: JSON | None = None,
        info: JSON | None = None,
        process_id: int | None = None,
        is_asking: bool = True,
    ) -> JSON:
        """Initializes the server as ``client`` does, with other ``capabilities`` where they are given.

        A client that pulls diagnostics does so by itself, unless ``is_asking`` is false.
        """
        self.name = client
        self._is_asking = is_asking
        recorded = recording(client)
        self.capabilities = recorded["capabilities"] if capabilities is None else capabilities
        said = {"clientInfo": info or recorded["clientInfo"], "capabilities": self.capabilities}
        self.is_pulling = pulls(said)
        result: JSON = self.request(
            "initialize",
            {
                "processId": process_id,
                **said,
                "rootUri": None,
                "initializationOptions": options,
                "workspaceFolders": _folders(folders),
            },
        )
        self.encoding = result["capabilities"]["positionEncoding"]
        self.notify("initialized", {})
        if self._is_asking and self.is_pulling:
            self.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": _PULL_TOKEN})
        return result

    def leave(self) -> int:
        """Ends the server as a client does; returns its exit status."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(PATIENCE)

    def check(self, *, quiet: bool = True) -> None:
        """Makes sure that nothing happened that no client may ever see."""
        assert self.faults == []
        if quiet:
            assert self.log() == ""

    def end(self) -> None:
        """Ends the server for good."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self._stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    # ---- documents

    def open(self, where: Path | str, text: str | None = None, version: int = 1) -> str:
        """Opens a file, by its path or by a URI; returns the URI."""
        name = where if isinstance(where, str) else uri(where)
        if text is None:
            assert isinstance(where, Path)
            text = where.read_bytes().decode("utf-8-sig")
        item = {"uri": name, "languageId": "markdown", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        self._open[name] = version
        self._pull(name)
        return name

    def change(self, name: str, text: str, version: int = 2) -> None:
        self.change_parts(name, [{"text": text}], version)

    def change_parts(self, name: str, changes: list[JSON], version: int = 2) -> None:
        """Changes a document by ranges, each in the text that the one before it made."""
        self.notify(
            "textDocument/didChange", {"textDocument": {"uri": name, "version": version}, "contentChanges": changes}
        )
        self._open[name] = version
        self._pull(name)

    def close(self, name: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": name}})
        self._open.pop(name, None)
        self._pull(name)

    def watched(self, *paths: Path) -> None:
        """Tells of files that were made, changed or deleted on the disk."""
        changes = [{"uri": uri(path), "type": 2 if path.exists() else 3} for path in paths]
        self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def change_folders(self, *, added: Iterable[Path] = (), removed: Iterable[Path] = ()) -> None:
        """Takes folders into the workspace, and others out of it."""
        event = {"added": _folders(added), "removed": _folders(removed)}
        self.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def registered(self, method: str) -> dict[str, JSON]:
        """The options of what is registered for a method now, by the id of the registration."""
        found = {}
        for message in self.requests:
            params = message.get("params") or {}
            for item in params.get("registrations", ()):
                if item["method"] == method:
                    found[item["id"]] = item["registerOptions"]
            for item in params.get("unregisterations", ()):
                found.pop(item["id"], None)
        return found

    def published(self, where: Path | str) -> JSON | None:
        return self._published.get(where if isinstance(where, str) else uri(where))

    def all_published(self) -> dict[str, JSON]:
        return {name: params for name, params in self._published.items() if params["diagnostics"]}

    def diagnostics(self, where: Path | str) -> list[JSON]:
        params = self.published(where)
        return params["diagnostics"] if params else []

    def codes(self, where: Path | str) -> list[str]:
        return [diagnostic["code"] for diagnostic in self.diagnostics(where)]

    def wait_for_codes(self, where: Path | str, *codes: str) -> list[JSON]:
        """Waits until exactly these codes are published for a file, in the order of the text."""
        self.wait(
            lambda: self.published(where) is not None and self.codes(where) == list(codes),
            f"{codes} for {where}; there is {self.codes(where)}",
        )
        return self.diagnostics(where)

    def wait_for_code(self, where: Path | str, code: str) -> JSON:
        """Waits until a diagnostic with this code is published for a file."""
        return self.wait(
            lambda: next((item for item in self.diagnostics(where) if item["code"] == code), None),
            f"{code} for {where}",
        )

    def wait_until_gone(self, where: Path | str, code: str) -> None:
        """Waits until no diagnostic with this code is published for a file any more."""
        self.wait(lambda: self.published(where) and code not in self.codes(where), f"the end of {code} for {where}")

    def at(self, method: str, name: str, line: int, character: int) -> Any:
        """The answer to a request about a place."""
        where = {"textDocument": {"uri": name}, "position": {"line": line, "character": character}}
        return self.request(f"textDocument/{method}", where)
