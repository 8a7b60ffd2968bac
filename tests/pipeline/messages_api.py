"""A server on this machine that speaks Anthropic's Messages API, and is strict about how it is asked."""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-ant-api03-quay-" + "Zx81Kq" * 12
# The models there are, each with the sorts of thinking that it takes, and whether it can do with little effort.
MODELS = {
    "claude-sonnet-5-5": ({"adaptive", "between_tools"}, True),
    "claude-haiku-5-5": ({"adaptive", "disabled"}, True),
    "claude-opus-5-5": ({"adaptive"}, True),
    "claude-opus-3": (set[str](), False),
}

_FIELDS = {"model", "max_tokens", "system", "messages", "output_config", "temperature", "thinking"}
# What a schema of a structured output may use.
_KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}


@dataclass
class Reply:
    """What the server does with a request. ``text`` becomes a message, unless ``body`` is given."""

    text: str = ""
    stop_reason: str = "end_turn"
    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0
    cut: bool = False  # half of the answer, and then no connection
    content_type: str = "application/json"

    def encoded(self, model: str) -> bytes:
        body = self.body
        if body is None:
            body = {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": [{"type": "text", "text": self.text}],
                "stop_reason": self.stop_reason,
                "stop_sequence": None,
                "usage": {"input_tokens": 120, "output_tokens": 30, "cache_read_input_tokens": 5},
            }
        return body if isinstance(body, bytes) else json.dumps(body).encode()


def failure(status: int, kind: str, message: str, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(status=status, body=error, headers=named)


Answer = Callable[[dict[str, Any]], Reply]


class MessagesApi:
    """The server. It gives ``replies`` one by one, and then what ``answer`` makes of a request."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.replies: deque[Reply] = deque()
        self.answer: Answer = lambda request: Reply("{}")
        self.gone = threading.Event()  # a client hung up before its answer
        self.key: str | None = KEY
        self.takes_schemas = True
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def sent(self) -> str:
        """All that was ever sent here, headers too."""
        return json.dumps(self.requests, ensure_ascii=False)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                with suppress(ConnectionError):  # a client may hang up whenever it likes
                    super().handle()

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                api.handle(self, data)

            def log_message(self, format: str, *args: Any) -> None:
                """Nobody reads it."""

        return Handler

    def handle(self, http: BaseHTTPRequestHandler, data: bytes) -> None:
        body = json.loads(data)
        headers = {name.lower(): value for name, value in http.headers.items()}
        self.requests.append({"path": http.path, "headers": headers, "body": body})
        reply = self._refusal(http.path, headers, body) or (
            self.replies.popleft() if self.replies else self.answer(body)
        )
        self._send(http, reply, body)

    def _refusal(self, path: str, headers: Mapping[str, str], body: dict[str, Any]) -> Reply | None:
        if path != "/v1/messages":
            return Reply(status=404, body=b"<html>404 Not Found</html>", content_type="text/html")
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if self.key is not None and given != self.key:
            return failure(401, "authentication_error", "invalid x-api-key")
        if body.get("model") not in MODELS:
            return failure(404, "not_found_error", f"model: {body.get('model')}")
        unknown = _not_taken(body, self.takes_schemas)
        if unknown:
            return failure(400, "invalid_request_error", unknown)
        found = list(_faults(headers, body))
        self.faults += found
        return failure(400, "invalid_request_error", "; ".join(found)) if found else None

    def _send(self, http: BaseHTTPRequestHandler, reply: Reply, body: dict[str, Any]) -> None:
        data = reply.encoded(str(body.get("model")))
        until = time.monotonic() + reply.seconds
        while time.monotonic() < until:
            if _hung_up(http.connection):
                self.gone.set()
                http.close_connection = True
                return
            time.sleep(0.01)
        http.send_response(reply.status)
        http.send_header("content-type", reply.content_type)
        http.send_header("content-length", str(len(data)))
        for name, value in reply.headers.items():
            http.send_header(name, value)
        http.end_headers()
        http.wfile.write(data[: len(data) // 2] if reply.cut else data)
        if reply.cut:
            http.wfile.flush()
            http.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            http.connection.close()
            http.close_connection = True

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[MessagesApi]:
        """The server while it runs; what it was asked in a wrong way fails the test."""
        api = cls()
        thread = threading.Thread(target=api._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield api
        finally:
            api._server.shutdown()
            api._server.server_close()
            thread.join()
        assert api.faults == []


def _hung_up(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.setblocking(True)


def _not_taken(body: dict[str, Any], takes_schemas: bool) -> str | None:
    """What a model does not take, though others do."""
    sorts, has_effort = MODELS[body["model"]]
    if (sort := body.get("thinking", {}).get("type", "adaptive")) not in sorts and "thinking" in body:
        return f'"thinking.type.{sort}" is not supported for this model. Use "output_config.effort".'
    if "effort" in body.get("output_config", {}) and not has_effort:
        return "This model does not support the effort parameter."
    if "output_config" in body and not takes_schemas:
        return "output_config: Extra inputs are not permitted"
    return None


def _faults(headers: Mapping[str, str], body: dict[str, Any]) -> Iterator[str]:
    """What is wrong with a request."""
    if headers.get("content-type") != "application/json":
        yield "content-type"
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", headers.get("anthropic-version", "")):
        yield "anthropic-version"
    for name in body.keys() - _FIELDS:
        yield f"{name}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Input should be a positive integer"
    if not isinstance(body.get("system"), str) or not body["system"].strip():
        yield "system: Input should be text"
    messages = body.get("messages")
    if not isinstance(messages, list) or [each.get("role") for each in messages] != ["user"]:
        yield "messages: one message of the user is expected"
    elif not isinstance(messages[0].get("content"), str) or not messages[0]["content"].strip():
        yield "messages.0.content: Input should be text"
    output = body.get("output_config")
    if output is not None:
        if output.keys() - {"format", "effort"} or not output:
            yield "output_config: Extra inputs are not permitted"
        elif output.get("effort", "low") not in ("low", "medium", "high"):
            yield "output_config.effort"
        elif "format" not in output:
            pass
        elif output["format"].keys() != {"type", "schema"}:
            yield "output_config.format: Extra inputs are not permitted"
        elif output["format"]["type"] != "json_schema":
            yield "output_config.format.type"
        else:
            yield from _schema_faults(output["format"]["schema"], "schema")


def _schema_faults(schema: dict[str, Any], path: str) -> Iterator[str]:
    for keyword in schema.keys() - _KEYWORDS:
        yield f"{path}: {keyword} is not supported"
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{path}: additionalProperties must be false"
        if set(schema.get("required", [])) != schema.get("properties", {}).keys():
            yield f"{path}: every property must be required"
        for name, each in schema.get("properties", {}).items():
            yield from _schema_faults(each, f"{path}.{name}")
    elif schema.get("type") == "array":
        yield from _schema_faults(schema["items"], f"{path}[]")
    for number, each in enumerate(schema.get("anyOf", ())):
        yield from _schema_faults(each, f"{path}|{number}")
