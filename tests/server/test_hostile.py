"""Whatever a client sends, in whatever order, and whatever happens on the disk meanwhile: the server keeps its word.

A failure is told with the steps that led to it, made as few as they can be, and with a line that plays
them again.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.making import memory, write_files
from tests.server.client import CLIENTS, JSON, uri
from tests.server.generated import write_directory
from tests.server.hostile import MARK, Hostile

# So many steps in all, and so many at most with one server.
_STEPS = 10_000
_LONGEST = 500

# Every step draws one number, and everything else from that: so much else would be more than an example can hold.
SEEDS = st.integers(0, 2**32 - 1)

_BROKEN_TEXT = f"---\nname: [a\n\ud800: {MARK}\n[[no\ud83dbody]] 😀 \udc00\n"
_TEXTS = [
    "",
    MARK,
    f"---\nname: {MARK}\ndescription: {MARK} [[x\n---\n[[{MARK}]] [[ferry]] [[",
    _BROKEN_TEXT,
    memory("ferry", f"{MARK} 😀", body=f"[[tide-tables]] {MARK}\r\n[a](b.md)\r[[ferry|\u2028]]\n"),
    f"- [{MARK}](ferry.md) — {MARK}\n- [[ferry]]\n- []()\n- [\ud800](\ud800.md)\n",
    f"{'> ' * 500}{MARK} {'[' * 2000} {'[[a|' * 300}",
    f"---\n{MARK}: {'[' * 3000}\n---\n" + "- " * 2000,
    f"{MARK} [[ferry]] 漢 " * 1_000,
    "\r" * 3000 + MARK,
    f"---\na: &a [*a, *a]\nb: !!python/object {MARK}\n<<: *a\nname: 2026-02-31\n---\n\0\f\v\x85{MARK}\n",
]

_ODD_NAMES = [
    "untitled:Untitled-1", "untitled:/a/b.md", "git:/x/MEMORY.md?ref", "vscode-notebook-cell:/a.md#c", "file:", "file://",
    "file:///", "file:///c%3A/Users/a/memory/a.md", "file:///C:/a/memory/MEMORY.md", "file://server/share/memory/a.md",
    "file:///%ff%fe/memory/a.md", "file:///\ud800/memory/\udfff.md", "file:///a%00b.md", "file://[/a.md", "http://[::1",
    "FILE:///tmp/a.md", "file:///tmp/../../a.md", "file:///" + "a/" * 3000 + "a.md", "file:///" + "b" * 5000 + ".md", "",
    "\0", "MEMORY.md", "a b", "%", "file:///%", "file:///%zz.md", "file:///dev/null.md", "file:///proc/self/mem", "😀:😀",
    "file:relative.md", "file:////a//b.md", "file:///a.md?query#part", "data:text/markdown,x",
]  # fmt: skip

_NONSENSE: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**31, 2**53 + 1, 2**80, -(2**63), 1e300, "", "x", MARK, "\ud800", "\0", "y" * 70_000,
    [], {}, [[]], [None], [{}], {"uri": 7}, {"": ""}, {"uri": "file:///x.md"}, {"line": -1, "character": -1}, [1] * 3000,
]  # fmt: skip

_SETTINGS: list[Any] = [
    {"rules": {"link-dead": "off"}}, {"rules": 7}, {"exclude": ["**"]}, {"exclude": [7, "["]}, {"directories": ["quay", "/"]},
    {"directory": "\0"}, {"diagnosticScope": "open"}, {"diagnosticScope": "directory"}, {"memoryLs": None}, {"memoryLs": {}},
    {"memoryLs": {"dialect": "flat", "x": "quay"}}, {"dialect": "auto", "staleDays": -1}, {"staleDays": 1e300},
    {"indexMaxLines": 2**80}, {"trusted": False}, {"trusted": "no"}, {}, [], None, 7, "quay", {"quay": "quay"},
    {"rules": {"\ud800": []}}, {"descriptionLength": True, "exclude": "\ud800"}, {"directories": ["a\ud800", "x" * 5000]},
    {"exclude": ["[" * 500, "**/" * 500]},
]  # fmt: skip

_REQUESTS = (
    "textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/references",
    "textDocument/documentHighlight", "textDocument/documentLink", "textDocument/documentSymbol", "textDocument/codeLens",
    "textDocument/inlayHint", "textDocument/diagnostic", "workspace/diagnostic", "workspace/symbol",
    "workspace/executeCommand", "completionItem/resolve", "codeLens/resolve", "textDocument/codeAction", "codeAction/resolve",
)  # fmt: skip
_NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
    "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders",
    "$/cancelRequest", "$/setTrace", "$/progress", "$/logTrace", "window/workDoneProgress/cancel", "initialized",
    "notebookDocument/didOpen", "notebookDocument/didChange", "notebookDocument/didClose",
)  # fmt: skip
_UNKNOWN = (
    "no/such",
    "$/none",
    "",
    "\ud800",
    "textDocument/rename",
    "client/registerCapability",
    "a" * 10_000,
    "$/progress",
)
_COMMANDS = ("memoryLs.status", "memoryLs.list", "memoryLs.read", "no.such", "", "\ud800")
_ARGUMENTS: list[Any] = [
    [], [{}], [None], None, [7], [{}, {}], [{"name": "ferry"}], [{"name": MARK}], [{"name": 7}], [{"name": "\ud800", "x": 1}],
    [{"directory": ""}], [{"directory": "\0"}], [{"directory": "x" * 5000}],
]  # fmt: skip
_TEMPERS = ("kind", "kind", "refuses", "confused", "wrong", "silent", "twice")


class AnyClient(RuleBasedStateMachine):
    """Each step is one thing that a client may do, or the disk."""

    place: ClassVar[Path]
    texts: ClassVar[list[str]]
    spare: ClassVar[Hostile | None] = None
    started: ClassVar[int] = 0
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        cls = type(self)
        self.client = cls.spare or cls.fresh()
        # The next one comes up while this one runs.
        cls.spare = cls.fresh()
        self.root = self.place / f"w{cls.started}"
        self.memory = self.root / ".claude" / "memory"
        self.names: list[str] = []
        self.opened: list[str] = []
        self.used: list[int | str] = []
        self.kept_back = 0

    @classmethod
    def fresh(cls) -> Hostile:
        cls.started += 1
        return Hostile(cls.place / f"home{cls.started}")

    # ---- the beginning and the end

    @initialize(seed=SEEDS)
    def begin(self, seed: int) -> None:
        chance = random.Random(seed)
        write_directory(self.memory, seed % 50)
        write_directory(self.root / "team" / "memory", seed % 49)
        self._note_files()
        self.names += [uri(self.memory / name) for name in ("MEMORY.md", "ferry.md", "new.md", "sub/a.md", "loop.md")]
        self.names += [uri(self.root / "notes.md"), uri(self.root / "team" / "memory" / "MEMORY.md")]
        self.names += [self._spelled_otherwise(chance, name) for name in self.names] + _ODD_NAMES
        params: JSON = {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": []}
        for _ in range(3):  # a server must stay ready for a client that comes to its senses
            self._call(
                {"id": self._number(chance), "method": "initialize", "params": _spoiled(chance, params)}, usual=False
            )
        self._wait_for_beginning(chance)

    def _wait_for_beginning(self, chance: random.Random) -> None:
        client = self.client
        client.keep_back(False)
        client.barrier()
        code = client.answers[f"barrier-{client._number}"][0]["error"]["code"]
        if code == -32601:  # what was spoiled did no harm
            client.capabilities = {}
            client.notify("initialized", {})
            return
        folders: list[Path | str] = [self.root, chance.choice(_ODD_NAMES)]
        client.initialize(chance.choice(list(CLIENTS)), *folders, options=chance.choice(_SETTINGS))

    def teardown(self) -> None:
        try:
            if self.client.process.poll() is None and self.client.wanted:
                self.client.settle()
                self.client.end_in_peace()
        finally:
            self.client.end()
            shutil.rmtree(self.root, ignore_errors=True)

    def _step(self, seed: int) -> random.Random:
        type(self).steps += 1
        chance = random.Random(seed)
        if self.kept_back:
            self.kept_back -= 1
            if not self.kept_back:
                self.client.keep_back(False)
        self.client.look()
        return chance

    # ---- what a client does

    @rule(seed=SEEDS)
    def asks(self, seed: int) -> None:
        chance = self._step(seed)
        for _ in range(chance.randint(1, 2)):
            method = chance.choice(_REQUESTS)
            name = self._name(chance)
            params = self._params(chance, method, name)
            self._call({"id": self._number(chance), "method": method, "params": params}, name)

    @rule(seed=SEEDS)
    def asks_for_all_of_a_document(self, seed: int) -> None:
        chance = self._step(seed)
        name = self._name(chance)
        for method in _REQUESTS:
            params = self._params(chance, method, name)
            self._call({"id": self._number(chance), "method": method, "params": params}, name)

    @rule(seed=SEEDS)
    def edits(self, seed: int) -> None:
        chance = self._step(seed)
        for _ in range(chance.randint(1, 2)):
            self._edit(chance)

    @rule(seed=SEEDS)
    def types(self, seed: int) -> None:
        chance = self._step(seed)
        name = self._name(chance)
        text = chance.choice(self.texts)[:5000]
        for version in range(chance.randint(2, 8)):
            at = chance.randint(0, len(text))
            text = text[:at] + chance.choice(["[[", "]]", "\n", "😀", "\r", "-", MARK, "\ud800", "`"]) + text[at:]
            self._note(name, text)
            self.client.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": name, "version": version}, "contentChanges": [{"text": text}]},
            )
            if chance.random() < 0.5:
                method = chance.choice(_REQUESTS[:9])
                params = self._params(chance, method, name)
                self._call({"id": self._number(chance), "method": method, "params": params}, name)

    @rule(seed=SEEDS)
    def asks_wrongly(self, seed: int) -> None:
        chance = self._step(seed)
        for _ in range(chance.randint(1, 2)):
            method = chance.choice(_REQUESTS)
            params = self._params(chance, method, self._name(chance))
            message = {"jsonrpc": "2.0", "id": self._number(chance), "method": method, "params": params}
            self.client.call(_spoiled(chance, message))

    @rule(seed=SEEDS)
    def tells_wrongly(self, seed: int) -> None:
        chance = self._step(seed)
        for _ in range(chance.randint(1, 2)):
            method = chance.choice(_NOTIFICATIONS)
            message: JSON = {"jsonrpc": "2.0", "method": method, "params": self._told(chance, method)}
            if method != "initialized" or chance.random() < 0.2:
                message = _spoiled(chance, message)
            self._note_any(message)
            self.client.call(message)

    @rule(seed=SEEDS)
    def tells(self, seed: int) -> None:
        chance = self._step(seed)
        method = chance.choice(_NOTIFICATIONS)
        message: JSON = {"method": method, "params": self._told(chance, method)}
        self._note_any(message)
        self._call(message)

    @rule(seed=SEEDS)
    def changes_folders_and_settings(self, seed: int) -> None:
        chance = self._step(seed)
        method = chance.choice(("workspace/didChangeWorkspaceFolders", "workspace/didChangeConfiguration"))
        self._call({"method": method, "params": self._told(chance, method)})

    @rule(seed=SEEDS)
    def asks_for_what_there_is_not(self, seed: int) -> None:
        chance = self._step(seed)
        for method in chance.sample(_UNKNOWN, 3):
            message: JSON = {"method": method}
            if chance.random() < 0.7:
                message["params"] = chance.choice(_NONSENSE)
            if chance.random() < 0.7:
                message["id"] = self._number(chance)
            self._call(message)
        self._call(
            {"id": self._number(chance), "method": "initialize", "params": {"processId": None, "capabilities": {}}}
        )

    @rule(seed=SEEDS)
    def uses_odd_ids(self, seed: int) -> None:
        chance = self._step(seed)
        odd: list[Any] = [
            "",
            "1",
            "0",
            0,
            -1,
            2**70,
            "\ud800",
            "é" * 1000,
            None,
            True,
            1.5,
            [],
            {},
            [1],
            *self.used[-3:],
        ]
        for number in chance.sample(odd, 5):
            method = chance.choice(_REQUESTS)
            self._call({"id": number, "method": method, "params": self._params(chance, method, self._name(chance))})

    @rule(seed=SEEDS)
    def cancels(self, seed: int) -> None:
        chance = self._step(seed)
        number = self._number(chance)
        method = chance.choice(_REQUESTS)
        ask = {"id": number, "method": method, "params": self._params(chance, method, self._name(chance))}
        cancel = {"method": "$/cancelRequest", "params": {"id": number}}
        for message in chance.choice([[cancel, ask], [ask, cancel], [ask, cancel, cancel], [cancel, ask, cancel]]):
            self._call(message)
        for number in chance.sample([*self.used[-10:], "none", -1, 2**70], 3):
            self._call({"method": "$/cancelRequest", "params": {"id": number}})
        tokens = ["t", 0, -1, "memory-ls-1", "\ud800", 2**70]
        self._call({"method": "window/workDoneProgress/cancel", "params": {"token": chance.choice(tokens)}})

    @rule(seed=SEEDS)
    def answers_what_nobody_asked(self, seed: int) -> None:
        chance = self._step(seed)
        numbers: list[Any] = [*self.used[-5:], "none", -1, 2**70, None, [], {}, [1], 1.5, True]
        numbers += [request["id"] for request in self.client.requests[-5:]]
        for number in chance.sample(numbers, 4):
            body: JSON = chance.choice(
                [{"result": MARK}, {"error": {"code": 1, "message": MARK}}, {"error": MARK}, {}, {"result": 7}]
            )
            self._call({"id": number, **body})

    @rule(seed=SEEDS)
    def sends_what_is_no_message(self, seed: int) -> None:
        chance = self._step(seed)
        whole = {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {"text": MARK}}
        for message in chance.sample(
            [[], [whole], [whole, whole], 7, MARK, None, {}, True, 1.5, {"jsonrpc": "2.0"}], 3
        ):
            self.client.call(message)

    @rule(seed=SEEDS)
    def sends_what_is_no_json(self, seed: int) -> None:
        chance = self._step(seed)
        bodies = [
            b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", MARK.encode(), b"[" * 100_000, b'{"a":' * 100_000, b"1" * 10_000, b"\0", b" ",
            b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":NaN}', b'{"id": Infinity}',
            b'{"jsonrpc":"2.0","id":1,"method":"\xff\xc0\x80"}',
        ]  # fmt: skip
        for body in chance.sample(bodies, 3):
            self.client.nameless_wanted += 1
            self.client.send_bytes(body)

    @rule(seed=SEEDS)
    def nests_deeply(self, seed: int) -> None:
        chance = self._step(seed)
        method = chance.choice([*_REQUESTS, *_NOTIFICATIONS])
        number = self._number(chance)
        depth = chance.choice([10, 100, 300, 500, 700, 800, 900])
        opening, closing = chance.choice([("[", "]"), ('{"a":', "}"), ('{"children":[', "]}")])
        depth //= len(closing)  # of what is too deep to be read nobody can tell the id
        inner = opening * depth + "1" + closing * depth
        label = chance.choice(['"label":"x",', '"settings":', '"command":"memoryLs.list","arguments":[', ""])
        ends = {"": "", '"settings":': inner + ',"a":', '"command":"memoryLs.list","arguments":[': inner + '],"b":'}
        params = '{"textDocument":{"uri":"untitled:x"},' + label + ends.get(label, '"data":' + inner + ',"c":') + "1}"
        params = inner if label == "" else params
        body = f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"method":"{method}","params":{params}}}'
        self.client.expect({"jsonrpc": "2.0", "id": number, "method": method})
        # What can be read may still be too deep to be written back.
        self.client.deep.add(number)
        self.client.send_bytes(body.encode())

    @rule(seed=SEEDS)
    def writes_odd_frames(self, seed: int) -> None:
        chance = self._step(seed)
        name = self._name(chance)
        message = {"jsonrpc": "2.0", "id": self._number(chance), "method": "textDocument/hover"}
        message["params"] = self._params(chance, "textDocument/hover", name)
        body = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
        if b"\xed\xa0" in body or b"\xed\xbf" in body:
            body = json.dumps(message).encode()
        size = b"%d" % len(body)
        head = chance.choice([
            b"content-length: %b\r\n\r\n", b"CONTENT-LENGTH:%b\r\n\r\n", b"X: y\r\nContent-Length: %b\r\nZ\r\n\r\n",
            b"Content-Length: %b\n\n", b"Content-Length: 1\r\nContent-Length: %b\r\n\r\n", b"Content-Length : %b \r\n\r\n",
            b"Content-Type: application/vscode-jsonrpc; charset=utf8\r\nContent-Length: %b\r\n\r\n",
            b"Content-Length: 000%b\r\n\r\n", b"\xff\xfe: \0\r\nContent-Length: %b\r\n\r\n",
        ])  # fmt: skip
        self.client.expect(message, name)
        self.client.send_frames(head % size + body, piece=chance.choice([0, 1, 7]))

    @rule(seed=SEEDS)
    def holds_back(self, seed: int) -> None:
        chance = self._step(seed)
        self.client.keep_back(True)
        self.kept_back = chance.randint(2, 12)

    @rule(seed=SEEDS)
    def changes_its_temper(self, seed: int) -> None:
        chance = self._step(seed)
        self.client.chance = random.Random(seed)
        self.client.temper = chance.choice(_TEMPERS)

    @rule(seed=SEEDS)
    def waits_for_all_answers(self, seed: int) -> None:
        self._step(seed)
        self.kept_back = 0
        self.client.settle()

    # ---- what the disk does

    @rule(seed=SEEDS)
    def writes_files(self, seed: int) -> None:
        chance = self._step(seed)
        for _ in range(chance.randint(1, 3)):
            path = self._path(chance)
            text = chance.choice(self.texts)
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._note(uri(path), text)
                path.write_bytes(text.encode("utf-8", "replace"))
        self._tell_of(chance, path)

    @rule(seed=SEEDS)
    def does_worse_to_files(self, seed: int) -> None:
        chance = self._step(seed)
        path = self._path(chance)
        with suppress(OSError):
            chance.choice(_BLOWS)(path)
        self._note_files()
        self._tell_of(chance, path)

    @rule(seed=SEEDS)
    def does_worse_to_directories(self, seed: int) -> None:
        chance = self._step(seed)
        path = chance.choice([self.memory, self.memory.parent, self.memory / "sub", self.root / "team" / "memory"])
        with suppress(OSError):
            if path.is_dir():
                if chance.random() < 0.5:
                    shutil.rmtree(path)
                else:
                    path.rename(self.root / f"aside{chance.randint(0, 2)}")
            else:
                write_directory(path, chance.randint(0, 40))
        self._note_files()
        self._tell_of(chance, path)

    @rule(seed=SEEDS)
    def writes_settings(self, seed: int) -> None:
        chance = self._step(seed)
        files: list[str | bytes] = [
            "quay", "[rules]\nlink-dead = 'off'\n", "exclude = ['**']\n", "\xff", b"\xff\xfe", "rules = 7\n", "a = [" * 500,
            "diagnosticScope = 'open'\n", "", "directory = 'quay'\nstaleDays = 'x'\n",
        ]  # fmt: skip
        where = chance.choice([self.root, self.memory])
        with suppress(OSError):
            content = chance.choice(files)
            write_files(where, {".memory-ls.toml": content})
            text = content if isinstance(content, str) else content.decode("utf-8", "replace")
            self._note(uri(where / ".memory-ls.toml"), text)
        self._tell_of(chance, where / ".memory-ls.toml")

    # ---- how it is done

    def _call(self, message: JSON, name: str | None = None, *, usual: bool = True) -> None:
        self.client.call({"jsonrpc": "2.0", **message} if usual or isinstance(message, dict) else message, name)

    def _number(self, chance: random.Random) -> int | str:
        self.client._number += 1
        number: int | str = self.client._number
        if chance.random() < 0.1:
            number = f"n-{number}"
        self.used.append(number)
        return number

    def _name(self, chance: random.Random) -> str:
        if self.opened and chance.random() < 0.6:
            return chance.choice(self.opened)
        return chance.choice(self.names)

    def _path(self, chance: random.Random) -> Path:
        names = [
            "MEMORY.md",
            "ferry.md",
            "new.md",
            "sub/a.md",
            "sub/MEMORY.md",
            "loop.md",
            "tide-tables.md",
            "a\udcff.md",
        ]
        path = chance.choice([self.memory, self.memory, self.root / "team" / "memory"]) / chance.choice(names)
        if path.is_fifo():  # whoever opened it would wait for ever; that goes for the server too
            path.unlink()
        return path

    def _spelled_otherwise(self, chance: random.Random, name: str) -> str:
        return chance.choice([
            name.replace("memory", "%6Demory"), name.replace("file:///", "file://localhost/"), name.replace("MEMORY", "MEM%4FRY"),
            name.replace("/w", "/./w"), name.replace("file:", "FILE:"), name + "?x", name.replace(".md", ".MD"),
            "file://" + quote(name.removeprefix("file://"), safe=""),
        ])  # fmt: skip

    def _edit(self, chance: random.Random) -> None:
        text, version = chance.choice(self.texts), chance.choice([None, -1, 0, 1, 1, 2, 3, 2**31 - 1])
        roll = chance.random()
        name = self._name(chance)
        if roll < 0.5:
            self.opened.append(name)
            self._note(name, text)
            item = {"uri": name, "languageId": "markdown", "version": version or 0, "text": text}
            self._call({"method": "textDocument/didOpen", "params": {"textDocument": item}})
        elif roll < 0.8:
            self._note(name, text)
            changes = [{"text": MARK}, {"text": text}][chance.randint(0, 1) :]
            params = {"textDocument": {"uri": name, "version": version}, "contentChanges": changes}
            self._call({"method": "textDocument/didChange", "params": params})
        else:
            if name in self.opened:
                self.opened.remove(name)
            self._call({"method": "textDocument/didClose", "params": {"textDocument": {"uri": name}}})

    def _position(self, chance: random.Random) -> JSON:
        far = [0, 0, 1, 2, 3, 4, 5, 7, 9, 12, 20, 999, 2**31 - 1]
        return {"line": chance.choice(far), "character": chance.choice(far)}

    def _params(self, chance: random.Random, method: str, name: str) -> Any:
        params: JSON = {"textDocument": {"uri": name}}
        if method in ("textDocument/inlayHint",):
            return {**params, "range": {"start": self._position(chance), "end": self._position(chance)}}
        if method == "textDocument/diagnostic":
            return {**params, "previousResultId": chance.choice([None, "", MARK, "1"])}
        if method == "workspace/diagnostic":
            streams = {"partialResultToken": chance.choice([None, "s", 7])}
            return {"previousResultIds": [{"uri": name, "value": MARK}][chance.randint(0, 1) :], **streams}
        if method == "workspace/symbol":
            return {"query": chance.choice(["", "fer", "漢", "\ud800", "x" * 10_000, MARK])}
        if method == "workspace/executeCommand":
            token = {"workDoneToken": chance.choice([None, "t", 0, 7])}
            arguments = [{"directory": name}] if chance.random() < 0.3 else chance.choice(_ARGUMENTS)
            return {"command": chance.choice(_COMMANDS), "arguments": arguments, **token}
        if (known := self.client.unresolved.get(method)) and chance.random() < 0.5:
            return chance.choice(known)
        if method == "completionItem/resolve":
            return {"label": MARK, "data": chance.choice([{"uri": name}, {"uri": name, "key": "ferry.md"}, *_NONSENSE])}
        if method == "codeLens/resolve":
            span = {"start": self._position(chance), "end": self._position(chance)}
            data = chance.choice(
                [{"uri": name, "key": "ferry.md"}, {"uri": name, "kind": "x"}, {"uri": name}, *_NONSENSE]
            )
            return {"range": span, "data": data}
        if method == "codeAction/resolve":
            known_data = {"uri": name, "span": [0, chance.choice([0, 7, 2**31])], "title": MARK}
            data = chance.choice([known_data, {**known_data, "finding": ["link-dead", 0, 5]}, *_NONSENSE])
            return {"title": MARK, "kind": chance.choice(["quickfix", "source.fixAll.memory-ls", MARK]), "data": data}
        if method == "textDocument/codeAction":
            span = {"start": self._position(chance), "end": self._position(chance)}
            shown = {
                "range": span,
                "message": MARK,
                "code": chance.choice(["link-dead", 7, None]),
                "source": "memory-ls",
            }
            only = chance.choice([None, [], ["quickfix"], ["source"], [""], [MARK]])
            return {**params, "range": span, "context": {"diagnostics": [shown][chance.randint(0, 1) :], "only": only}}
        params["position"] = self._position(chance)
        if method == "textDocument/references":
            params["context"] = {"includeDeclaration": chance.random() < 0.5}
        if method == "textDocument/completion":
            params["context"] = {
                "triggerKind": chance.choice([1, 2, 3]),
                "triggerCharacter": chance.choice(["[", None, "\ud800"]),
            }
        return params

    def _told(self, chance: random.Random, method: str) -> Any:
        name, text = self._name(chance), chance.choice(self.texts)
        version = chance.choice([-1, 0, 1, 2**31 - 1])
        folders = [
            {"uri": chance.choice([*_ODD_NAMES, uri(self.root), uri(self.memory), uri("/")]), "name": "w"}
            for _ in range(2)
        ]
        events = [
            {"uri": self._name(chance), "type": chance.randint(1, 3)} for _ in range(chance.choice([0, 1, 3, 300]))
        ]
        told: dict[str, Any] = {
            "textDocument/didOpen": {
                "textDocument": {"uri": name, "languageId": "markdown", "version": version, "text": text}
            },
            "textDocument/didChange": {
                "textDocument": {"uri": name, "version": version}, "contentChanges": [{"text": text}]
            },
            "textDocument/didClose": {"textDocument": {"uri": name}},
            "textDocument/didSave": {"textDocument": {"uri": name}, "text": text},
            "workspace/didChangeWatchedFiles": {"changes": events},
            "workspace/didChangeConfiguration": {"settings": chance.choice(_SETTINGS)},
            "workspace/didChangeWorkspaceFolders": {"event": {"added": folders[:1], "removed": folders[1:]}},
            "$/cancelRequest": {"id": chance.choice([*self.used[-3:], "x"])},
            "$/setTrace": {"value": chance.choice(["off", "messages", "verbose"])},
            "window/workDoneProgress/cancel": {"token": "t"},
            "initialized": {},
            "notebookDocument/didOpen": {
                "notebookDocument": {"uri": name, "notebookType": "x", "version": 1, "cells": [{"kind": 1, "document": name}]},
                "cellTextDocuments": [{"uri": name, "languageId": "markdown", "version": 1, "text": MARK}],
            },
            "notebookDocument/didChange": {
                "notebookDocument": {"uri": name, "version": 1}, "change": {"cells": {"textContent": []}}
            },
            "notebookDocument/didClose": {"notebookDocument": {"uri": name}, "cellTextDocuments": [{"uri": name}]},
        }  # fmt: skip
        return told.get(method, {"value": text})

    def _note(self, name: str, text: str) -> None:
        self.client.remember(name, text)

    def _note_any(self, message: JSON) -> None:
        """Notes the text that a message may bring, spoiled as it may be."""
        params = message.get("params")
        document = params.get("textDocument") if isinstance(params, dict) else None
        if not isinstance(document, dict) or not isinstance(document.get("uri"), str):
            return
        assert isinstance(params, dict)
        if isinstance(document.get("text"), str):
            self._note(document["uri"], document["text"])
        changes = params.get("contentChanges")
        for change in changes if isinstance(changes, list) else ():
            if isinstance(change, dict) and isinstance(change.get("text"), str):
                self._note(document["uri"], change["text"])

    def _note_files(self) -> None:
        for path in self.root.rglob("*"):
            with suppress(OSError):
                if path.is_file():
                    text = path.read_bytes().decode("utf-8-sig", "replace")
                    known = self.client.texts.get(str(path), [])
                    if not known or known[-1] != text:
                        self._note(uri(path), text)

    def _tell_of(self, chance: random.Random, path: Path) -> None:
        if chance.random() < 0.7:
            changes = [{"uri": uri(path), "type": chance.randint(1, 3)}]
            self._call({"method": "workspace/didChangeWatchedFiles", "params": {"changes": changes}})


def _replace_by_directory(path: Path) -> None:
    path.unlink(missing_ok=True)
    (path / "inside.md").mkdir(parents=True)


def _replace_by_loop(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(path)


def _replace_by_parent(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("..", target_is_directory=True)


def _replace_by_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


_BLOWS: list[Callable[[Path], object]] = [
    Path.unlink,
    Path.unlink,
    _replace_by_directory,
    _replace_by_loop,
    _replace_by_parent,
    _replace_by_pipe,
    shutil.rmtree,
    lambda path: path.chmod(0),
    lambda path: path.rename(path.with_name("moved.md")),
    lambda path: path.write_bytes(b"\xff\xfe\0" + MARK.encode()),
    lambda path: path.write_bytes(b"---\nname: latin\n---\ncaf\xe9 " + MARK.encode()),
]


def _spoiled(chance: random.Random, message: JSON) -> JSON:
    """The message with something wrong at a few places, but still an object with the same method."""
    spoiled: JSON = copy.deepcopy(message)
    for _ in range(chance.randint(1, 3)):
        inner: Any = spoiled
        while True:
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            keys = [key for key in keys if key != "method"]
            if not keys:
                break
            key = chance.choice(keys)
            if isinstance(inner[key], (dict, list)) and inner[key] and chance.random() < 0.8:
                inner = inner[key]
                continue
            if chance.random() < 0.2:
                del inner[key]
            elif chance.random() < 0.1 and isinstance(inner, dict):
                inner[chance.choice(["", "more", "\ud800"])] = copy.deepcopy(chance.choice(_NONSENSE))
            else:
                inner[key] = copy.deepcopy(chance.choice(_NONSENSE))
            break
    return spoiled


def test_no_client_trips_the_server(tmp_path_factory: pytest.TempPathFactory) -> None:
    AnyClient.place = tmp_path_factory.mktemp("hostile")
    for seed in range(5):
        write_directory(AnyClient.place / "texts" / str(seed), seed)
    found = [path for path in sorted((AnyClient.place / "texts").rglob("*.md")) if path.is_file()]
    read = [path.read_bytes().decode("utf-8-sig", "replace") for path in found if path.stat().st_size < 100_000]
    AnyClient.texts = [*_TEXTS, *(f"{text}{MARK}\n" for text in read)]
    any_number = settings(
        max_examples=10,
        stateful_step_count=_LONGEST,
        deadline=None,
        print_blob=True,
        phases=[Phase.reuse, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    try:
        while AnyClient.steps < _STEPS:
            run_state_machine_as_test(AnyClient, settings=any_number)
    finally:
        if AnyClient.spare is not None:
            AnyClient.spare.end()
            AnyClient.spare = None
