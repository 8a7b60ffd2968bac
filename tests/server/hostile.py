"""A client that keeps to no rule, and what it may expect all the same."""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from tests.server.client import JSON, Client
from tests.server.positions import place

# What stands in every text and must stand in no log.
MARK = "tide-mark-9041"
# How long a server may take that shares its machine with others, in seconds.
_PATIENCE = 60.0
# A request may be answered with a fault of ours only where the answer holds what the client sent and no JSON can hold.
_INTERNAL_ERROR = -32603
_STREAM = "partialResultToken"


class _Answered(NamedTuple):
    """A result that is to be looked at: what it is about, and how many of that document's texts were gone by then."""

    method: str
    uri: str | None
    since: int
    result: Any


class Hostile(Client):
    """Sends anything in any way, keeps count of what must be answered, and remembers every text there ever was."""

    def __init__(self, home: Path) -> None:
        self.temper = "kind"
        self.chance = random.Random(0)
        self.wanted: Counter[int | str] = Counter()  # how many answers each id must get
        self.nameless_wanted = 0
        self.streams: set[int | str] = set()  # requests that are only answered when cancelled
        self.unresolved: dict[str, list[JSON]] = {
            "completionItem/resolve": [],
            "codeLens/resolve": [],
            "codeAction/resolve": [],
        }
        self.deep: set[int | str] = set()  # requests that hold what may be too deep to be written back
        self.sent: list[str] = []  # the beginning of each message, for whoever reads of a failure
        self.texts: dict[str, list[str]] = {}
        self._about: dict[int | str, tuple[str, str | None, int]] = {}
        self._answered: list[_Answered] = []
        self._kept: list[bytes] = []
        self._is_kept = False
        super().__init__(home)

    # ---- sending

    def send_bytes(self, body: bytes) -> None:
        self.send_frames(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send_frames(self, data: bytes, piece: int = 0) -> None:
        """Sends bytes as they are: at once, ``piece`` by piece, or with the next ones when they are kept back."""
        self.sent.append(repr(data[:300]))
        with self._sending:
            self._kept.append(data)
            if self._is_kept and threading.current_thread() is not self._reader:
                return
            self._flush(piece)

    def _flush(self, piece: int = 0) -> None:
        assert self.process.stdin is not None
        data, self._kept = b"".join(self._kept), []
        for start in range(0, len(data), piece or len(data) or 1):
            self.process.stdin.write(data[start : start + (piece or len(data))])
            self.process.stdin.flush()

    def keep_back(self, keep: bool) -> None:
        """Gathers messages for one write, or sends those that were gathered."""
        with self._sending:
            self._is_kept = keep
            if not keep:
                self._flush()

    def ask(self, method: str, params: object, *, pull: str | None = None, **more: object) -> int:
        with self._change:
            self._number += 1
            number = self._number
            if pull is not None:
                self._pulls[number] = pull, self._open.get(pull)
        self.call({"jsonrpc": "2.0", "id": number, "method": method, "params": params, **more}, pull)
        return number

    def call(self, message: object, uri: str | None = None) -> None:
        """Sends a message of any kind, and notes what it must be answered with."""
        self.expect(message, uri)
        self.send(message)

    def expect(self, message: object, uri: str | None = None) -> None:
        number: Any = message.get("id") if isinstance(message, dict) and "method" in message else None
        with self._change:
            if not isinstance(message, dict) or not _is_message(message):
                self.nameless_wanted += number is None or not _is_id(number)
            if not _is_id(number):
                return
            assert isinstance(message, dict)
            self.wanted[number] += 1
            method, params = message["method"], message.get("params")
            is_own = (
                method in self.unresolved and params not in self.unresolved[method]
            )  # its answer is the client's too
            if self.wanted[number] == 1 and isinstance(method, str) and not is_own:
                self._asked[number] = method
                self._about[number] = method, uri, len(self.texts.get(_file(uri), ())) if uri else 0
            else:  # whatever comes for it now may be about either of them
                self._asked.pop(number, None)
                self._about.pop(number, None)
                self._pulls.pop(number, None)
            params = message.get("params")
            if (
                message["method"] == "workspace/diagnostic"
                and isinstance(params, dict)
                and params.get(_STREAM) is not None
            ):
                self.streams.add(number)

    def remember(self, uri: str, text: str) -> None:
        """Notes a text that a document has from now on, or a file on the disk."""
        with self._change:
            for file in _files(uri):
                self.texts.setdefault(file, []).append(text)

    # ---- what comes back

    def _take(self, message: JSON) -> None:
        try:
            super()._take(message)
        except Exception as error:  # the thread that reads must live
            self.faults.append(f"{type(error).__name__} {error} over {str(message)[:500]}")
        with self._change:
            number = message.get("id")
            if "method" in message:
                self._look_at_findings(message)
            elif number in self._about:
                if "result" in message:
                    method, uri, since = self._about[number]
                    # Those hold ranges that the client sent.
                    if method not in self.unresolved and method != "textDocument/codeAction":
                        self._answered.append(_Answered(method, uri, since, message["result"]))
                    self._keep_unresolved(method, message["result"])
                elif message["error"]["code"] == _INTERNAL_ERROR and number not in self.deep:
                    self.faults.append(f"a fault at {self._about[number]}")

    def _keep_unresolved(self, method: str, result: Any) -> None:
        if method == "textDocument/completion" and result:
            self.unresolved["completionItem/resolve"] += result["items"][:2]
        if method == "textDocument/codeLens" and result:
            self.unresolved["codeLens/resolve"] += result[:2]
        if method == "textDocument/codeAction" and result:
            self.unresolved["codeAction/resolve"] += result[:4]

    def _look_at_findings(self, message: JSON) -> None:
        params = message.get("params") or {}
        if message["method"] == "textDocument/publishDiagnostics":
            self._answered.append(_Answered(message["method"], params["uri"], 0, params["diagnostics"]))
        elif message["method"] == "$/progress" and "items" in params["value"]:
            for report in params["value"]["items"]:
                self._answered.append(_Answered(message["method"], report["uri"], 0, report.get("items", [])))

    def _answer(self, message: JSON) -> None:
        """Answers a request of the server's, more or less."""
        reply: JSON = {"jsonrpc": "2.0", "id": message["id"]}
        odd: Any = self.chance.choice(
            [None, 7, "text", [], {}, [None], [7], [[]], {"a": "quay"}, [{"rules": "quay"}], True]
        )
        if self.temper == "silent":
            return
        if self.temper == "kind":
            reply["result"] = [None] if message["method"] == "workspace/configuration" else None
        elif self.temper == "refuses":
            reply["error"] = {"code": -32601, "message": MARK}
        elif self.temper == "confused":
            reply |= self.chance.choice(
                [{"error": odd}, {"result": odd, "error": None}, {}, {"error": {"code": "x"}}, {"error": None}]
            )
        else:
            reply["result"] = odd
        for _ in range(2 if self.temper == "twice" else 1):
            try:
                self.send(reply)
            except (BrokenPipeError, ValueError):
                return

    # ---- what must hold

    def look(self) -> None:
        """What can be told at any time: the server lives, and did not send what nobody may."""
        assert self.process.poll() is None, self._story("The server ended")
        with self._change:
            faults = self._true_faults()
        assert faults == [], self._story("What no client may see")

    def _true_faults(self) -> list[str]:
        """The faults, without the second answers that were asked for by a second request with the same id."""
        if not self.faults:
            return []
        reused = {f"a second answer to {number}" for number, count in self.wanted.items() if count > 1}
        return [fault for fault in self.faults if fault not in reused]

    def settle(self) -> None:
        """Waits until everything is answered, and looks at all answers."""
        self.keep_back(False)
        self._end_streams()
        self.barrier()
        try:
            self.wait(lambda: not self._unanswered(), "all answers", _PATIENCE)
        except AssertionError as error:
            raise AssertionError(self._story("Some requests have no answer")) from error
        self.look()
        with self._change:
            wrong = {number: len(found) for number, found in self.answers.items() if len(found) != self.wanted[number]}
            nameless = len(self.nameless)
            answered, self._answered = self._answered, []
        assert wrong == {}, self._story("Answers that nobody asked for")
        assert nameless == self.nameless_wanted, self._story("Answers without a name")
        for each in answered:
            self._look_at_ranges(each)
        log = self.log()
        assert MARK not in log, self._story("A memory's text in the log")
        assert "Traceback" not in log, self._story("A traceback in the log")
        assert '  File "' not in log, self._story("A fault in the log")

    def _end_streams(self) -> None:
        with self._change:
            streams, self.streams = self.streams, set()
        for number in streams:
            self.notify("$/cancelRequest", {"id": number})

    def barrier(self) -> None:
        self._number += 1
        number = f"barrier-{self._number}"
        self.call({"jsonrpc": "2.0", "id": number, "method": "memoryLs/none"})
        self.wait(lambda: self.answers.get(number), "a sign of life", _PATIENCE)

    def _unanswered(self) -> list[int | str]:
        return [
            number
            for number, count in self.wanted.items()
            if number not in self.streams and len(self.answers.get(number, ())) < count
        ]

    def _look_at_ranges(self, answered: _Answered) -> None:
        """Every range must lie in a text that its document had since it was asked about, all of them in the same."""
        by_file: dict[str, list[JSON]] = {}
        for uri, found in ranges(answered.result, answered.uri):
            if uri is not None:
                by_file.setdefault(uri, []).append(found)
        for uri, places in by_file.items():
            texts = self._texts_of(uri)
            assert any(_fit(places, text, self.encoding) for text in ["", *texts]), self._story(
                f"{answered.method} about {answered.uri}: {places} in {uri} with {[text[:200] for text in texts]}"
            )

    def _texts_of(self, uri: str) -> list[str]:
        with self._change:
            return [text for file in _files(uri) for text in self.texts.get(file, ())]

    def _story(self, what: str) -> str:
        last = "\n".join(self.sent[-40:])
        unanswered = [(number, self._asked.get(number)) for number in self._unanswered()]
        return (
            f"{what}. Faults: {self._true_faults()[:5]}. Without an answer: {unanswered[:10]}. "
            f"The server's log:\n{self.log()}\nThe last of what was sent:\n{last}"
        )

    def end_in_peace(self) -> None:
        """Shuts the server down and lets it go."""
        self.keep_back(False)
        self.call({"jsonrpc": "2.0", "id": "the end", "method": "shutdown"})
        self.send({"jsonrpc": "2.0", "method": "exit"})
        begin = time.monotonic()
        assert self.process.wait(_PATIENCE) == 0, self._story("A bad end")
        self._reader.join(_PATIENCE)
        self.streams.clear()  # those too are answered at the end
        assert not self._unanswered(), self._story(f"Requests that the end cut off, {time.monotonic() - begin:.1f} s")


def _is_id(value: object) -> bool:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _is_message(message: JSON) -> bool:
    """Whether JSON-RPC knows such a message, be it a request, a notification or an answer."""
    if message.get("jsonrpc") != "2.0":
        return False
    if "method" not in message:
        return "id" in message
    return isinstance(message["method"], str) and ("id" not in message or _is_id(message["id"]))


def _file(uri: str) -> str:
    """What a document is called, however its URI is spelled."""
    if not uri.lower().startswith("file://"):
        return uri
    path = re.sub(r"(?i)^file://(localhost)?", "", uri)
    return os.path.normpath(os.fsdecode(unquote_to_bytes(re.split("[?#]", path)[0].encode("utf-8", "surrogatepass"))))


def _files(uri: str) -> set[str]:
    """The document, and what a symlink makes of it."""
    file = _file(uri)
    try:
        return {file, os.path.realpath(file)} if os.path.isabs(file) else {file}
    except (ValueError, OSError):
        return {file}


def _fit(found: list[JSON], text: str, encoding: str) -> bool:
    try:
        return all(place(text, each["start"], encoding) <= place(text, each["end"], encoding) for each in found)
    except (AssertionError, IndexError, UnicodeDecodeError):
        return False


def ranges(answer: Any, uri: str | None) -> Iterator[tuple[str | None, JSON]]:
    """Every range in an answer about a document, with the document that it is in."""
    if isinstance(answer, list):
        for item in answer:
            yield from ranges(item, uri)
    elif isinstance(answer, dict):
        here = answer.get("uri", uri)
        for key, value in answer.items():
            if key in ("targetRange", "targetSelectionRange"):
                yield answer["targetUri"], value
            elif key in ("data", "arguments"):
                continue
            elif isinstance(value, dict) and value.keys() == {"start", "end"}:
                yield here, value
            elif key == "position" and isinstance(value, dict):
                yield here, {"start": value, "end": value}
            else:
                yield from ranges(value, here)
