"""How messages travel: over pipes and over TCP, from clients that read late or never, and to the end of either side."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.making import memory, write_files
from tests.server.client import PATIENCE, Client
from tests.server.conftest import Start

INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}


def framed(**message: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@contextmanager
def serving(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A server process with these arguments."""
    command = [sys.executable, "-m", "memory_ls", "serve", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def listening(process: subprocess.Popen[bytes]) -> tuple[str, int]:
    """The address that a server tells."""
    assert process.stderr is not None
    said = process.stderr.readline().decode()
    found = re.fullmatch(r"memory-ls: listening on (.+):(\d+)\n", said)
    assert found, said
    assert found[1].startswith("[") == (":" in found[1])
    return found[1].strip("[]"), int(found[2])


class Peer:
    """A client at the other end of a socket, or of a TCP connection."""

    def __init__(self, where: tuple[str, int] | socket.socket) -> None:
        self.socket = where if isinstance(where, socket.socket) else socket.create_connection(where, PATIENCE)
        self._file = self.socket.makefile("rb")

    def ask(self, number: int, method: str, params: object) -> Any:
        self.socket.sendall(framed(id=number, method=method, params=params))
        while (message := self._next()).get("id") != number:
            continue
        return message

    def _next(self) -> Any:
        length = 0
        while line := self._file.readline().strip():
            length = int(line.partition(b":")[2])
        return json.loads(self._file.read(length))

    def close(self) -> None:
        self._file.close()
        self.socket.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", ""])
def test_serves_one_client_over_tcp(host: str) -> None:
    if host == "[::1]" and not _has_ipv6():
        pytest.skip("there is no IPv6 on this machine")
    with serving("--tcp", f"{host}:0") as process:
        address = listening(process)
        with closing(Peer(address)) as peer:
            assert peer.ask(1, "initialize", INITIALIZE)["result"]["serverInfo"]["name"] == "memory-ls"
            peer.socket.sendall(framed(method="initialized", params={}))
            with pytest.raises(OSError):  # noqa: PT011  (refused, or reset at once)
                closing(Peer(address)).__enter__().ask(1, "initialize", INITIALIZE)
            assert peer.ask(2, "shutdown", None)["result"] is None
            peer.socket.sendall(framed(method="exit"))
            assert process.wait(PATIENCE) == 0


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_ends_when_the_client_over_tcp_leaves() -> None:
    with serving("--tcp", "127.0.0.1:0") as process:
        with closing(Peer(listening(process))) as peer:
            peer.ask(1, "initialize", INITIALIZE)
        assert process.wait(PATIENCE) == 1


@pytest.mark.parametrize(
    "address", ["0.0.0.0:0", "192.0.2.7:2087", "127.0.0.1", "127.0.0.1:99999", "nowhere.invalid:1"]
)
def test_listens_to_this_machine_alone(address: str) -> None:
    with serving("--tcp", address) as process:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2
        assert b"--tcp" in said
        assert b"Traceback" not in said


def test_an_address_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with serving("--tcp", f"127.0.0.1:{taken.getsockname()[1]}") as process:
            _, said = process.communicate(timeout=PATIENCE)
            assert process.returncode == 2
            assert b"in use" in said
            assert b"Traceback" not in said


def test_a_message_in_pieces(start: Start) -> None:
    client = start()
    assert client.process.stdin is not None
    data = framed(id="slow", method="initialize", params=INITIALIZE)
    for number in range(len(data)):
        client.process.stdin.write(data[number : number + 1])
        client.process.stdin.flush()
    assert client.answer("slow")["serverInfo"]["name"] == "memory-ls"


def test_a_client_that_writes_and_never_reads_is_read_on() -> None:
    with serving(stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(framed(id=0, method="initialize", params=INITIALIZE))
        # Far more than two pipes hold, there and back: a server that waits to be read stops reading here.
        for number in range(1, 8_000):
            process.stdin.write(framed(id=number, method="no/such/method/" + "x" * 200, params=None))
        process.stdin.flush()
        process.stdin.close()
        assert process.wait(PATIENCE) == 1


@pytest.mark.parametrize("source", ["file", "nothing"])
def test_standard_input_may_be_anything(tmp_path: Path, source: str) -> None:
    talk = framed(id=1, method="initialize", params=INITIALIZE) + framed(id=2, method="shutdown", params=None)
    (tmp_path / "talk").write_bytes(talk + framed(method="exit") if source == "file" else b"")
    with open(tmp_path / "talk", "rb") as stdin, serving(stdin=stdin, stdout=subprocess.PIPE) as process:
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == (0 if source == "file" else 1)
        assert said.count(b"Content-Length") == (2 if source == "file" else 0)
    with serving(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.wait(PATIENCE) == 1


@pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_from_the_start(closed: str) -> None:
    talk = framed(id=1, method="initialize", params=INITIALIZE) + framed(id=2, method="shutdown", params=None)
    command = f'"{sys.executable}" -m memory_ls serve {closed}'
    ran = subprocess.run(
        command,
        shell=True,
        input=talk + framed(method="exit"),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        timeout=PATIENCE,
    )
    assert ran.returncode == (0 if closed == "2>&-" else 2)
    assert ran.stderr == (b"" if "2>&-" in closed else b"memory-ls: there is no standard input or output\n")
    assert ran.stdout.count(b"Content-Length") == (2 if closed == "2>&-" else 0)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is nothing without end")
def test_a_header_without_end_takes_no_memory() -> None:
    with open("/dev/zero", "rb") as stdin, serving(stdin=stdin, stdout=subprocess.PIPE) as process:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert b"header without an end" in said


@pytest.mark.skipif(os.name == "nt", reason="processes do not inherit such sockets there")
def test_input_and_output_may_be_one_socket() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, serving(stdin=theirs, stdout=theirs) as process:
        theirs.close()
        ours.settimeout(PATIENCE)
        with closing(Peer(ours)) as peer:
            assert "result" in peer.ask(1, "initialize", INITIALIZE)
            peer.socket.sendall(framed(method="initialized", params={}))
            assert peer.ask(2, "shutdown", None)["result"] is None
            peer.socket.sendall(framed(method="exit"))
            assert process.wait(PATIENCE) == 0


def test_a_client_that_never_reads_the_log() -> None:
    with serving(stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(framed(id=0, method="initialize", params=INITIALIZE))
        for _ in range(5_000):  # each is worth a line, and together they are more than a pipe holds
            process.stdin.write(framed(method="textDocument/didOpen", params={}))
        process.stdin.write(framed(id=1, method="shutdown", params=None) + framed(method="exit"))
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.readline().startswith(b"memory-ls: WARNING: A message for")


def test_leaves_when_nobody_reads_any_more() -> None:
    with serving(stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(framed(id=0, method="initialize", params=INITIALIZE))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE) == 1


def test_shutdown_answers_what_is_still_being_worked_on(start: Start, tmp_path: Path) -> None:
    files = {f"n{number}.md": memory(f"n{number}", body="[[nobody]]\n") for number in range(1_500)}
    root = write_files(tmp_path / "memory", {**files, "MEMORY.md": "x\n"})
    client = start()
    client.initialize("vscode", root)
    name = client.open(root / "n1.md")
    waiting = [
        client.ask("textDocument/documentSymbol", {"textDocument": {"uri": name}}),
        client.ask("workspace/symbol", {"query": "n1"}),
        client.ask("workspace/executeCommand", {"command": "memoryLs.list"}),
        client.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "more"}),
    ]
    last = client.ask("shutdown", None)
    client.notify("exit", None)
    assert client.process.wait(PATIENCE) == 0
    assert client.answer(last) is None
    for number in waiting:
        [answer] = client.wait(lambda number=number: client.answers.get(number), f"an answer to {number}")  # type: ignore[misc]
        assert "result" in answer or answer["error"]["code"] == -32800
        assert "<" not in str(answer.get("error"))


@pytest.mark.parametrize("method", ["textDocument/documentSymbol", "workspace/symbol", "workspace/diagnostic"])
def test_a_request_that_is_cancelled_is_answered_once(start: Start, tmp_path: Path, method: str) -> None:
    files = {f"n{number}.md": memory(f"n{number}", body="[[nobody]]\n") for number in range(1_500)}
    root = write_files(tmp_path / "memory", {**files, "MEMORY.md": "x\n"})
    client = start()
    client.initialize("vscode", root)
    params: dict[str, Any] = {
        "textDocument": {"uri": client.open(root / "n1.md")},
        "query": "",
        "previousResultIds": [],
    }
    number = client.ask(method, {**params, "partialResultToken": "more"})
    client.notify("$/cancelRequest", {"id": number})
    client.notify("$/cancelRequest", {"id": number})
    client.wait(lambda: client.answers.get(number), "an answer")
    client.barrier()
    assert [answer["error"]["code"] for answer in client.answers[number]] == [-32800]
    client.notify("$/cancelRequest", {"id": number})  # which is over
    assert client.leave() == 0


def test_what_was_cancelled_just_before_the_end_is_answered(start: Start) -> None:
    client = start()
    client.initialize("vscode")
    number = client.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "more"})
    client.notify("$/cancelRequest", {"id": number})
    client.notify("exit", None)
    assert client.process.wait(PATIENCE) == 1
    client.wait(lambda: client.answers.get(number), "an answer")


@pytest.mark.skipif(sys.platform != "linux", reason="a file that nobody ever writes to")
@pytest.mark.parametrize("by", ["pipe", "editor"])
def test_leaves_while_a_thread_hangs_in_the_system(start: Start, tmp_path: Path, by: str) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "x\n"})
    os.mkfifo(tmp_path / "silent")
    hangs = f"w.Workspace.look = lambda self: open({str(tmp_path / 'silent')!r}).read()"
    code = f"import sys\nif 'serve' in sys.orig_argv:\n    import memory_ls.server.workspace as w\n    {hangs}\n"
    site = write_files(tmp_path / "site", {"sitecustomize.py": code})
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = start(environment={"PYTHONPATH": f"{site}{os.pathsep}{os.getcwd()}"})
    try:
        client.initialize("vscode", root, process_id=editor.pid)
        client.barrier()
        begin = time.monotonic()
        if by == "pipe":
            assert client.process.stdin is not None
            client.process.stdin.close()
        else:
            editor.kill()
        client.process.wait(PATIENCE)
        assert time.monotonic() - begin < 3  # a second or so, on a machine that is busy too
    finally:
        editor.kill()
        editor.wait()
        assert editor.stdin is not None
        editor.stdin.close()


def test_ten_thousand_edits_leave_memory_as_it_was(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {"MEMORY.md": "- [a](a.md)\n", "a.md": memory("a")})
    for kind in ("neovim", "vscode"):
        client = start()
        client.initialize(kind, root)
        name = client.open(root / "a.md")
        _edit(client, name, range(2, 2_000))
        before = _resident(client)
        _edit(client, name, range(2_000, 12_000))
        assert _resident(client) < 1.1 * before
        assert client.leave() == 0


def _edit(client: Client, name: str, versions: range) -> None:
    for version in versions:
        client.change(name, memory("a", body=f"[[nobody]] {'x' * (version % 50)}\n"), version)
        if version % 100 == 0:
            client.barrier()
            client.told.clear()


def _resident(client: Client) -> int:
    client.barrier()
    time.sleep(0.5)  # what the last edit was the reason for is done
    try:
        status = Path(f"/proc/{client.process.pid}/status").read_text(encoding="ascii")
    except OSError:
        pytest.skip("this system does not tell how much memory a process has")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1])
