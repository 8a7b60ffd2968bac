"""Rough traffic: whatever comes in, each request gets one answer, and the server lives on."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_ls.server.app import create
from memory_ls.server.features import hover
from memory_ls.server.protocol import MemoryProtocol
from tests.making import memory, write_files
from tests.server.client import PATIENCE, Answer, Client, uri
from tests.server.conftest import Start
from tests.server.positions import covered, position

SECRET = "the words of a memory that no log may show"

PLACE = {"textDocument": {"uri": "untitled:x"}, "position": {"line": 0, "character": 0}}


def code(client: Client, method: str, params: object, **more: Any) -> int | None:
    """The code of the error that a request is answered with, ``None`` for a result."""
    try:
        client.answer(client.ask(method, params, **more))
    except Answer as error:
        return error.code
    return None


@pytest.fixture(scope="module")
def rough(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server that takes all the blows of this module; its log may complain, but must not tell."""
    client = Client(tmp_path_factory.mktemp("home"))
    client.initialize("neovim")
    yield client
    try:
        client.barrier()
        assert client.leave() == 0
        client.check(quiet=False)
        assert SECRET not in client.log()
        assert "Traceback" not in client.log()
    finally:
        client.end()


def lives(client: Client) -> None:
    client.barrier()
    name = client.open("untitled:alive", memory("alive"))
    assert client.at("hover", name, 1, 1) is not None
    client.close(name)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"a": ' * 50_000,
        b"[" * 100_000,
        b"1" * 10_000,
        b'"\\ud8',
        b" ",
        b"NaN",
        b'{"jsonrpc": "2.0", "id": 1, "method": "no/such", "params": [-Infinity]}',
    ],
    ids=range(10),
)
def test_what_is_no_json(rough: Client, body: bytes) -> None:
    before = len(rough.nameless)
    rough.send_bytes(body)
    rough.wait(lambda: len(rough.nameless) > before, "an answer")
    assert rough.nameless[-1]["error"]["code"] in (-32700, -32600)
    lives(rough)


@pytest.mark.parametrize(
    "message",
    [
        [],
        7,
        "text",
        None,
        {},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "1.0", "method": "textDocument/didOpen", "params": {"text": SECRET}},
        {"method": "textDocument/hover", "params": {"text": SECRET}},
        {"jsonrpc": "2.0", "method": 7, "params": {"text": SECRET}},
        {"jsonrpc": "2.0", "id": None, "method": "textDocument/hover", "params": PLACE},
        {"jsonrpc": "2.0", "id": [1], "method": "textDocument/hover", "params": PLACE},
        {"jsonrpc": "2.0", "id": True, "method": "textDocument/hover", "params": PLACE},
        [{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}],
    ],
    ids=range(13),
)
def test_what_is_no_message(rough: Client, message: Any) -> None:
    before = len(rough.nameless)
    rough.send(message)
    rough.wait(lambda: len(rough.nameless) > before, "an answer")
    assert rough.nameless[-1]["error"]["code"] == -32600
    lives(rough)


def test_a_request_of_another_version_is_answered_by_its_id(rough: Client) -> None:
    assert code(rough, "textDocument/hover", PLACE, jsonrpc="1.0") == -32600


_WRONG: list[Any] = [
    None,
    [],
    7,
    "text",
    {},
    {"textDocument": None, "position": None},
    {"textDocument": {"uri": 7}, "position": {"line": 0, "character": 0}},
    {"textDocument": {"uri": "untitled:x"}, "position": {"line": "a", "character": 0}},
    {"textDocument": {"uri": "untitled:x"}, "position": {"line": -1, "character": -5}},
    {"textDocument": {"uri": "untitled:x"}, "position": {"line": 1.5, "character": 0}},
    {"textDocument": {"uri": "untitled:x"}, "position": {"line": 2**40, "character": 2**80}},
    {"textDocument": [SECRET], "position": SECRET},
]


@pytest.mark.parametrize("method", ["hover", "definition", "completion"])
@pytest.mark.parametrize("params", _WRONG, ids=range(len(_WRONG)))
def test_wrong_parameters_of_a_request(rough: Client, method: str, params: object) -> None:
    assert code(rough, f"textDocument/{method}", params) in (None, -32602)
    lives(rough)


def test_parameters_that_are_left_out(rough: Client) -> None:
    for method in ("textDocument/hover", "completionItem/resolve", "workspace/executeCommand"):
        rough.send({"jsonrpc": "2.0", "id": f"without-{method}", "method": method})
        with pytest.raises(Answer) as caught:
            rough.answer(f"without-{method}")
        assert caught.value.code == -32602


@pytest.mark.parametrize(
    "params", [*_WRONG, {"textDocument": {"uri": "untitled:y", "version": 1, "text": 7}}], ids=range(13)
)
@pytest.mark.parametrize(
    "method",
    ["textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "workspace/didChangeWatchedFiles",
     "workspace/didChangeConfiguration", "$/cancelRequest", "$/setTrace", "initialized"],
)  # fmt: skip
def test_wrong_parameters_of_a_notification(rough: Client, method: str, params: object) -> None:
    rough.notify(method, params)
    rough.barrier()


def test_unknown_methods(rough: Client) -> None:
    for method in ("no/such", "$/no/such", "textDocument/typeDefinition", "", "textDocument/foldingRange"):
        assert code(rough, method, {"text": SECRET}) == -32601
        rough.send({"jsonrpc": "2.0", "id": f"bare{method}", "method": method})
        with pytest.raises(Answer) as caught:
            rough.answer(f"bare{method}")
        assert caught.value.code == -32601
        rough.notify(method, {"text": SECRET})
        rough.send({"jsonrpc": "2.0", "method": method})
    lives(rough)


def test_unknown_commands(rough: Client) -> None:
    assert code(rough, "workspace/executeCommand", {"command": "no.such", "arguments": [SECRET]}) == -32602
    assert code(rough, "workspace/executeCommand", {"command": "no.such"}) == -32602


def test_answers_to_what_was_never_asked(rough: Client) -> None:
    rough.send({"jsonrpc": "2.0", "id": 77_777, "result": SECRET})
    rough.send({"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": SECRET}})
    rough.send({"jsonrpc": "2.0", "id": 1})
    rough.notify("$/cancelRequest", {"id": 99_999})
    lives(rough)


def test_a_request_survives_an_answer_with_its_id(start: Start) -> None:
    client = start()
    client.initialize("vscode")
    params = {"previousResultIds": [], "partialResultToken": "parts"}  # answered when it is cancelled, and not before
    stream = client.ask("workspace/diagnostic", params)
    client.send({"jsonrpc": "2.0", "id": stream, "result": None})
    client.send({"jsonrpc": "2.0", "id": stream, "error": {"code": 1, "message": "no"}})
    client.barrier()
    assert stream not in client.answers
    client.notify("$/cancelRequest", {"id": None})
    client.barrier()
    assert stream not in client.answers
    client.notify("$/cancelRequest", {"id": stream})
    with pytest.raises(Answer) as caught:
        client.answer(stream)
    assert caught.value.code == -32800


def test_each_of_two_requests_with_one_id_is_answered(start: Start) -> None:
    client = start(quiet=False)
    client.initialize("vscode")
    stream = {"previousResultIds": [], "partialResultToken": "parts"}
    client.send({"jsonrpc": "2.0", "id": "twin", "method": "workspace/diagnostic", "params": stream})
    client.send({"jsonrpc": "2.0", "id": "twin", "method": "textDocument/hover", "params": PLACE})
    assert client.answer("twin") is None
    assert client.leave() == 0
    client.wait(lambda: len(client.answers["twin"]) == 2, "the other answer")
    assert client.answers["twin"][1]["error"]["code"] == -32800
    client.faults = []


def test_a_request_with_the_method_of_a_notification_is_answered(rough: Client) -> None:
    for method in ("textDocument/didOpen", "initialized", "$/cancelRequest", "window/workDoneProgress/cancel"):
        assert code(rough, method, {"textDocument": {"uri": "untitled:x"}, "id": 1, "token": 1}) == -32600
    lives(rough)


@pytest.mark.parametrize("data", [b"1e999", b'{"a":' * 900 + b"1" + b"}" * 900], ids=["endless", "deep"])
def test_an_answer_that_no_json_can_hold(rough: Client, data: bytes) -> None:
    # What the client keeps with an item goes back to it.
    head = b'{"jsonrpc":"2.0","id":"%d","method":"completionItem/resolve","params":{"label":"x","data":' % len(data)
    rough.send_bytes(head + data + b"}}")
    try:
        answer = rough.answer(str(len(data)))
        assert json.dumps(answer["data"], separators=(",", ":")).encode() == data
    except Answer as error:
        assert error.code == -32803  # noqa: PT017
    lives(rough)


@pytest.mark.parametrize("token", [[], {}, True, 1.5])
def test_what_is_no_token_of_progress(rough: Client, token: object) -> None:
    params = {"command": "memoryLs.status", "workDoneToken": token}
    assert code(rough, "workspace/executeCommand", params) == -32602
    params = {"previousResultIds": [], "partialResultToken": token}
    assert code(rough, "workspace/diagnostic", params) in (-32601, -32602)
    rough.notify("window/workDoneProgress/cancel", {"token": token})
    lives(rough)


def test_notebooks_are_none_of_ours(rough: Client) -> None:
    rough.notify("notebookDocument/didChange", {"notebookDocument": {"uri": "x", "version": 1}, "change": {}})
    rough.notify("notebookDocument/didClose", {"notebookDocument": {"uri": "x"}, "cellTextDocuments": []})
    assert code(rough, "notebookDocument/didClose", {}) == -32601
    lives(rough)


@pytest.mark.parametrize("directory", ["\0", "\ud800", "file:///a%00b", "x" * 5000])
def test_a_directory_that_no_system_has(rough: Client, directory: str) -> None:
    params = {"command": "memoryLs.list", "arguments": [{"directory": directory}]}
    assert code(rough, "workspace/executeCommand", params) == -32602


def test_an_answer_with_an_empty_error_is_an_answer(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    client = start()
    client.replies["workspace/configuration"] = {"result": [{"rules": {"link-dead": "off"}}], "error": None}
    client.initialize("vscode", root)
    name = client.open(root / "a.md", memory("a", body="[[nobody]]\n"))
    client.wait_for_codes(name)


def test_a_second_initialize(rough: Client) -> None:
    assert code(rough, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}) == -32600


def test_ids_may_be_text(rough: Client) -> None:
    rough.send({"jsonrpc": "2.0", "id": "漢 😀", "method": "textDocument/hover", "params": PLACE})
    assert rough.answer("漢 😀") is None


def test_a_change_of_what_was_never_opened(rough: Client, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    rough.change(uri(root / "a.md"), memory("a", body=f"[[nobody]] {SECRET}\n"), 9)
    rough.wait_for_codes(root / "a.md", "link-dead")
    rough.close(uri(root / "a.md"))
    rough.close(uri(root / "a.md"))
    rough.wait_for_codes(root / "a.md")


def test_changes_of_ranges_are_made_one_after_the_other(client: Client, tmp_path: Path) -> None:
    text = memory("tide", body="\U0001f6a2 漢\u2028 [[tide]] é\n").replace("\n", "\r\n")
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    name = client.open(root / "tide.md", text)
    changes = []
    for old, new in (
        ("[[tide", "[[\U0001f41f-no\U0001f41f"),
        ("no\U0001f41f]] é", "two]] [[gone]]"),
        ("\U0001f41f-two", "tide"),
    ):
        at = text.index(old)
        span = {
            "start": position(text, at, client.encoding),
            "end": position(text, at + len(old), client.encoding),
        }
        changes.append({"range": span, "text": new})
        text = text[:at] + new + text[at + len(old) :]
    client.change_parts(name, changes)
    found = client.wait_for_codes(name, "link-self", "link-dead")
    assert [covered(text, each["range"], client.encoding) for each in found] == ["[[tide]]", "gone"]
    client.close(name)


def test_a_change_of_a_part_of_what_is_not_open_is_ignored(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    client = start(quiet=False)
    client.initialize("neovim")
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 9}}
    name = uri(root / "tide.md")
    client.change_parts(name, [{"range": span, "text": SECRET}])
    client.barrier()
    line = "memory-ls: WARNING: A change of a part of a document that is not open was ignored\n"
    client.wait(lambda: client.log() == line, "the warning")
    client.change_parts(name, [{"range": span, "text": SECRET}, {"text": memory("tide", body="[[nobody]]\n")}])
    client.wait_for_codes(name, "link-dead")
    assert client.log().count("\n") == 1


def test_a_change_without_changes(rough: Client) -> None:
    name = rough.open("untitled:same", memory("same"))
    rough.notify("textDocument/didChange", {"textDocument": {"uri": name, "version": 2}, "contentChanges": []})
    assert rough.at("hover", name, 1, 1) is not None


@pytest.mark.parametrize("text", [None, True, 7, [], {}])
def test_what_is_no_text_is_not_made_into_one(rough: Client, text: object) -> None:
    name = rough.open("untitled:same", memory("same"))
    rough.notify("textDocument/didOpen", {"textDocument": {"uri": name, "languageId": "x", "version": 1, "text": text}})
    rough.notify(
        "textDocument/didChange", {"textDocument": {"uri": name, "version": 2}, "contentChanges": [{"text": text}]}
    )
    assert rough.at("hover", name, 1, 1) is not None


def test_a_huge_message(rough: Client, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    name = rough.open(root / "huge.md", memory("huge", body=f"{SECRET} 漢 [[nobody]]\n" * 200_000))
    rough.wait_for_codes(name, "file-too-large")
    rough.change(name, memory("huge", body="[[nobody]]\n"))
    rough.wait_for_codes(name, "link-dead")


def test_lone_surrogates(rough: Client, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    broken = "\ud83d [[a\udc00b]] 漢 [[no\ud83dbody]] \ud800"
    text = memory('"\ud800"', f'"{SECRET} \udfff"', body=f"{broken}\n\n| {broken} |\n|---|\n")
    name = rough.open(root / "odd.md", text)
    rough.wait_for_code(name, "link-dead")
    for line, row in enumerate(text.split("\n")):
        for character in range(0, len(row), 5):
            for method in ("hover", "definition", "completion"):
                rough.at(method, name, line, character)
    index = rough.open(root / "MEMORY.md", f"- [\ud800](odd.md) — {broken}\n- \n")
    rough.at("completion", index, 1, 2)
    rough.open(f"untitled:\ud800{SECRET}", text)
    rough.open(f"file:///\ud800{SECRET}.md", text)
    lives(rough)


def test_header_fields_of_any_kind(rough: Client) -> None:
    assert rough.process.stdin is not None
    body = json.dumps({"jsonrpc": "2.0", "id": "header", "method": "no/such"}).encode()
    head = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  %d \r\n\r\n" % len(body)
    rough.process.stdin.write(head + body)
    rough.process.stdin.flush()
    with pytest.raises(Answer):
        rough.answer("header")


class Written:
    """What a server in this process writes."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def write(self, data: bytes) -> None:
        self.messages.append(json.loads(data.partition(b"\r\n\r\n")[2]))

    def close(self) -> None:
        """Nothing to close."""


def test_a_fault_of_ours_is_answered_and_told_without_a_memorys_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise KeyError(SECRET)

    monkeypatch.setattr(hover, "hover", fail)
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # as the server does
    written = Written()

    async def talk() -> None:
        protocol = create().protocol
        assert isinstance(protocol, MemoryProtocol)
        protocol.set_writer(written)
        text = {"uri": "untitled:x", "languageId": "markdown", "version": 1, "text": SECRET}
        for message in (
            {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
            {"method": "textDocument/didOpen", "params": {"textDocument": text}},
            {"id": 2, "method": "textDocument/hover", "params": PLACE},
            {"id": 3, "method": "textDocument/definition", "params": PLACE},
        ):
            protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())
            await asyncio.sleep(0)
        await protocol.last_words()

    asyncio.run(talk())
    assert [message.get("id") for message in written.messages] == [1, 2, 3]
    assert written.messages[1]["error"]["code"] == -32603
    assert SECRET not in json.dumps(written.messages)  # clients log what they are answered
    assert written.messages[2]["result"] is None
    assert "KeyError" in caplog.text
    assert "in fail" in caplog.text
    assert SECRET not in caplog.text


# ---- the life cycle


def test_before_initialize_and_after_shutdown(start: Start) -> None:
    client = start()
    assert code(client, "textDocument/hover", PLACE) == -32002
    assert code(client, "shutdown", None) == -32002
    assert code(client, "no/such", None) == -32002
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:x"}})
    assert code(client, "initialize", {"capabilities": 7}) == -32602
    client.initialize("vscode")
    client.barrier()
    client.send({"jsonrpc": "2.0", "id": "end", "method": "shutdown", "params": {}})
    assert client.answer("end") is None
    assert code(client, "textDocument/hover", PLACE) == -32600
    assert code(client, "shutdown", None) == -32600
    assert code(client, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}) == -32600
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "untitled:x"}})
    client.send({"jsonrpc": "2.0", "method": "exit", "params": {}})
    assert client.process.wait(PATIENCE) == 0
    client.faults = []
    assert "memory-ls: WARNING" in client.log()  # of the broken initialize
    client._stderr.truncate(0)


@pytest.mark.parametrize("initialized", [True, False])
def test_exit_without_shutdown(start: Start, initialized: bool) -> None:
    client = start()
    if initialized:
        client.initialize()
    client.notify("exit", None)
    assert client.process.wait(PATIENCE) == 1


def ends_soon(process: subprocess.Popen[bytes]) -> None:
    begin = time.monotonic()
    process.wait(PATIENCE)
    assert time.monotonic() - begin < 5  # a second or so, on a machine that is busy too


def test_leaves_when_its_input_ends(start: Start, tmp_path: Path) -> None:
    files = {f"n{number}.md": memory(f"n{number}", body="N.\n") for number in range(500)}
    root = write_files(tmp_path / "memory", {**files, "MEMORY.md": "x\n"})
    client = start()
    client.initialize("vscode", root)
    assert client.process.stdin is not None
    client.process.stdin.close()
    ends_soon(client.process)


def test_leaves_in_the_middle_of_a_message(start: Start) -> None:
    client = start()
    client.initialize("vscode")
    assert client.process.stdin is not None
    client.process.stdin.write(b"Content-Length: 100\r\n\r\n{")
    client.process.stdin.close()
    ends_soon(client.process)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 12a\r\n\r\n",
        b"rubbish\r\n\r\n",
        b"\r\n",
        b"\r\n\r\n\n",
        b'Content-Type: x\r\n\r\n{"jsonrpc": "2.0", "method": "lost"}',
        b'{"jsonrpc": "2.0", "method": "lost"}',
    ],
)
def test_reads_on_behind_what_is_no_message(rough: Client, rubbish: bytes) -> None:
    assert rough.process.stdin is not None
    rough.process.stdin.write(rubbish)
    rough.process.stdin.flush()
    lives(rough)


@pytest.mark.parametrize("head", [b"Content-Length: 99999999999\r\n\r\n", b"x" * 100_000])
def test_leaves_when_nobody_can_tell_where_a_message_begins(start: Start, head: bytes) -> None:
    client = start(quiet=False)
    assert client.process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        client.process.stdin.write(head)
        client.process.stdin.flush()
    ends_soon(client.process)
    assert "ends the connection" in client.log()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no file that is always full")
@pytest.mark.parametrize("says_goodbye", [True, False])
def test_leaves_with_one_line_when_its_output_cannot_be_written(tmp_path: Path, says_goodbye: bool) -> None:
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
    ]
    if says_goodbye:
        messages += [{"id": 2, "method": "shutdown"}, {"method": "exit"}]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    with open("/dev/full", "wb") as full:
        server = subprocess.Popen(
            [sys.executable, "-m", "memory_ls", "serve"],
            stdin=subprocess.PIPE,
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.getcwd()},
        )
    assert server.stdin is not None
    assert server.stderr is not None
    with contextlib.suppress(BrokenPipeError):
        for body in bodies:
            server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            server.stdin.flush()
    ends_soon(server)
    log = server.stderr.read().decode()
    server.stderr.close()
    with contextlib.suppress(BrokenPipeError):
        server.stdin.close()
    assert server.returncode == 1
    assert log == f"memory-ls: ERROR: Standard output can't be written: {os.strerror(errno.ENOSPC)}\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows leaves by the pipe alone")
def test_leaves_when_the_editor_is_killed(start: Start) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = start()
    client.initialize("vscode", process_id=editor.pid)
    client.barrier()
    # The other end of the pipe stays open, as where another child of the editor's has it too.
    editor.send_signal(signal.SIGKILL)
    editor.wait()
    assert editor.stdin is not None
    editor.stdin.close()
    ends_soon(client.process)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a zombie from the living")
def test_leaves_when_the_editor_is_killed_and_nobody_takes_note_of_it(start: Start) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = start()
    client.initialize("vscode", process_id=editor.pid)
    client.barrier()
    assert client.process.poll() is None
    editor.kill()
    ends_soon(client.process)
    os.kill(editor.pid, 0)  # a zombie still has its number
    editor.wait()
    assert editor.stdin is not None
    editor.stdin.close()


def test_stays_when_the_editor_is_not_to_be_seen(start: Start) -> None:
    client = start()
    client.initialize("vscode", process_id=2**22 + 5)  # more than Linux gives
    client.barrier()
    assert client.leave() == 0


# ---- what is kept


def test_nothing_is_kept_of_what_is_done() -> None:
    written = Written()

    async def talk() -> dict[Any, Any]:
        protocol = create().protocol
        assert isinstance(protocol, MemoryProtocol)
        protocol.set_writer(written)

        def say(**message: object) -> None:
            protocol.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

        say(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
        say(method="initialized", params={})
        text = {"uri": "untitled:x", "languageId": "markdown", "version": 1, "text": "x"}
        say(method="textDocument/didOpen", params={"textDocument": text})
        for version in range(2, 50):
            document = {"uri": "untitled:x", "version": version}
            say(method="textDocument/didChange", params={"textDocument": document, "contentChanges": [{"text": "y"}]})
            say(method="$/setTrace", params={"value": "off"})
            say(id=version, method="textDocument/hover", params=PLACE)
            say(id=f"{version}", method="workspace/executeCommand", params={"command": "memoryLs.status"})
            say(method="$/cancelRequest", params={"id": version})
            await asyncio.sleep(0)
        say(method="textDocument/didClose", params={"textDocument": {"uri": "untitled:x"}})
        await protocol.last_words()
        await asyncio.sleep(0.01)
        return protocol._request_futures

    assert asyncio.run(talk()) == {}
