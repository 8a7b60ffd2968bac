"""The protocol's ground rules, where pygls leaves them open: what a message is, and what answers it gets.

pygls keeps the texts of documents in a workspace of its own that breaks lines where LSP does not, so
that workspace is left unused: :mod:`memory_ls.server.session` holds the texts.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
import uuid
from collections.abc import Awaitable, Callable, Generator, Iterable
from concurrent.futures import Future
from typing import Any, TypeGuard

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from memory_ls.server.greeting import understood

log = logging.getLogger(__name__)

# What these tell, pygls would keep in a workspace of its own; of notebooks nobody asks.
_KEPT_BY_PYGLS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_SAVE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
# Where parameters have a token.
_TOKENS = ("token", "workDoneToken", "partialResultToken")
# How long requests that were cut off by the end have for their answer, in seconds.
_LAST_WORDS = 1.0


def converter() -> Converter:
    """Between JSON and LSP's types; where those want a text, nothing else is made into one, as ``null`` into `None`."""
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    made.register_structure_hook(str, _text)
    return made


def _text(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


class _InFlight:
    """One request of the client's that waits for its answer.

    Its id alone would not tell it from a request of ours, nor from another of the client's with the same id.
    """

    def __init__(self, message_id: int | str) -> None:
        self.id = message_id


class MemoryProtocol(LanguageServerProtocol):
    """LSP over JSON-RPC, with an answer for every request.

    ``offer`` may change the capabilities that are told to the client, ``execute`` runs a command, and
    ``cancel_progress`` hears which progress the user wants to end. ``exit_status`` is set at the end.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        for method in _KEPT_BY_PYGLS:
            self.fm.builtin_features.pop(method, None)
        self._initialized = False
        self._asked: dict[str, str] = {}  # the methods of our own requests, by id
        self.exit_status: int | None = None
        self.offer: Callable[[types.ServerCapabilities], None] | None = None
        self.execute: Callable[[types.ExecuteCommandParams], Awaitable[Any]] | None = None
        self.cancel_progress: Callable[[int | str], None] | None = None

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Initializes, and lets the server have its say on what it offers this client."""
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        if self.offer is not None:
            self.offer(result.capabilities)
        self._initialized = True
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """Ends what is going on. Each request that is cut off is told so; pygls would stumble over the first."""
        yield self.fm.features[types.SHUTDOWN], args, None
        self._shutdown = True
        for _, future in self._in_flight():
            future.cancel()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        """Notes the exit status; whoever reads the messages then leaves."""
        self.exit_status = 0 if self._shutdown else 1

    def _in_flight(self) -> list[tuple[int | str, asyncio.Future[Any]]]:
        """The client's requests that wait for their answer, by id, with what will give it."""
        futures: Iterable[tuple[object, object]] = self._request_futures.items()
        return [
            (key.id, future)
            for key, future in futures
            if isinstance(key, _InFlight) and isinstance(future, asyncio.Future)
        ]

    async def last_words(self) -> None:
        """Waits, not long, until whatever was cut off has its answer."""
        if pending := self._in_flight():
            await asyncio.wait([future for _, future in pending], timeout=_LAST_WORDS)
        await asyncio.sleep(0)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Runs a command; pygls would keep the progress token to itself."""
        assert self.execute is not None
        return await self.execute(params)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """Hands the notification on."""
        if self.cancel_progress is not None:
            self.cancel_progress(params.token)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: int | str | None = None,
    ) -> Future[Any]:
        """Asks the client, and remembers what."""
        message_id = str(uuid.uuid4()) if msg_id is None else msg_id
        self._asked[str(message_id)] = method
        return super().send_request(method, params, callback, message_id)

    def receive(self, body: bytes) -> None:
        """Handles one message as it came. Whatever it holds, a request in it gets exactly one answer."""
        try:
            raw = json.loads(body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            self._answer_error(None, types.ErrorCodes.ParseError, "The message is not JSON.")
            return
        if not isinstance(raw, dict):
            self._answer_error(None, types.ErrorCodes.InvalidRequest, "A message must be a JSON object.")
            return
        message_id = _usable_id(raw)
        method = raw.get("method")
        if raw.get("jsonrpc") != self.VERSION or not _is_well_formed(raw):
            self._answer_error(message_id, types.ErrorCodes.InvalidRequest, "This is no message of JSON-RPC 2.0.")
            return
        refusal = self._refusal(method, "id" in raw) if isinstance(method, str) else None
        if refusal is not None:
            if "id" in raw:
                self._answer_error(message_id, *refusal)
            return
        asked = self._asked.pop(raw["id"], None) if method is None and isinstance(raw.get("id"), str) else None
        try:
            _check_tokens(raw.get("params"))
            _check_answer(asked, raw.get("result"))
            message = self._structured(_completed(raw, asked))
        except Exception:  # whatever the library stumbles over, the message is at fault
            if method is None:
                log.warning("The client's answer to %s is none that LSP gives it", asked or "what was never asked")
                self._handle_response(raw["id"], error=JsonRpcInvalidParams().to_response_error())
                return
            log.warning("A message for %.100r does not have the parameters that LSP gives it", method)
            if message_id is not None:
                self._answer_error(message_id, types.ErrorCodes.InvalidParams, f"Invalid parameters for {method}.")
            return
        self.handle_message(message)

    def _refusal(self, method: str, is_request: bool) -> tuple[types.ErrorCodes, str] | None:
        """Why a message with this method can't be handled: not now, by LSP's life cycle of a server, or never."""
        if method == types.EXIT:
            return None
        if self._shutdown:
            return types.ErrorCodes.InvalidRequest, "The server has been shut down."
        if self._initialized and method == types.INITIALIZE:
            return types.ErrorCodes.InvalidRequest, "The server is initialized already."
        if not self._initialized and method != types.INITIALIZE:
            return types.ErrorCodes.ServerNotInitialized, "The server is not initialized yet."
        if not (method == types.CANCEL_REQUEST or method in self.fm.builtin_features or method in self.fm.features):
            return types.ErrorCodes.MethodNotFound, f"This server has no method {method}."
        if is_request and self.get_result_type(method) is None:
            return types.ErrorCodes.InvalidRequest, f"{method} is a notification, which has no id."
        return None

    def _structured(self, raw: dict[str, Any]) -> Any:
        """The message as an object of the library's; of an initialize request at least what can be understood."""
        params = raw.get("params")
        if raw.get("method") != types.INITIALIZE or self._fits(raw) or not isinstance(params, dict):
            return self.structure_message(raw)
        if not isinstance(params.get("capabilities"), dict):
            return self.structure_message(raw)
        log.warning("Not all that the client tells of itself is understood")
        return self.structure_message({**raw, "params": understood(params, lambda p: self._fits({**raw, "params": p}))})

    def _fits(self, raw: dict[str, Any]) -> bool:
        try:
            self.structure_message(raw)
        except Exception:  # see above
            return False
        return True

    def _execute_handler(self, msg_id: Any, handler: Any, callback: Any, args: Any = None, kwargs: Any = None) -> None:
        """Runs a handler, and forgets it when it is done; pygls remembers each notification for ever."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        future = self._request_futures.get(msg_id)

        def forget(_: object) -> None:
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]

        if future is not None:
            future.add_done_callback(forget)

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        in_flight: Any = _InFlight(msg_id)
        super()._handle_request(in_flight, method_name, params)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """Cancels a request, which is answered once it has stopped; pygls would lose sight of it until then."""
        for message_id, future in self._in_flight():
            if message_id == msg_id:
                future.cancel()

    def _handle_response(self, msg_id: Any, result: Any = None, error: types.ResponseError | None = None) -> None:
        """Hands an answer of the client's to what waits for it; nothing may, since any client can send one."""
        # Our ids are text, and so are some that the client has for its own requests.
        future = self._request_futures.pop(msg_id, None) if isinstance(msg_id, str) else None
        if not isinstance(future, Future) or future.done():
            return
        self._result_types.pop(msg_id, None)
        if error is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(result)

    def _send_response(self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None) -> None:
        """Answers a request; of a fault of ours the client is told that there was one, since clients log answers."""
        message_id = msg_id.id if isinstance(msg_id, _InFlight) else msg_id
        if error is not None:
            if error.code == types.ErrorCodes.InternalError.value:
                error = types.ResponseError(error.code, "memory-ls failed at this. Its log tells where.")
            elif error.code == types.LSPErrorCodes.RequestCancelled.value:
                error = types.ResponseError(error.code, "The request was cancelled.")
            self._send_data(types.ResponseErrorMessage(message_id, error))
            return
        answer = JsonRPCResponseMessage(message_id, self.VERSION, result)
        try:
            self._send_text(self._as_json(answer))
        except (ValueError, RecursionError):
            # It holds what the client sent: a number without end, or a depth that we can read but not write.
            self._answer_error(message_id, types.LSPErrorCodes.RequestFailed, "No JSON can hold the answer.")

    def _send_data(self, data: Any) -> None:
        """Sends a message; never anything that is no JSON."""
        self._send_text(self._as_json(data))

    def _as_json(self, message: object) -> str:
        return json.dumps(message, default=self._serialize_message, allow_nan=False)

    def _send_text(self, body: str) -> None:
        assert self.writer is not None
        # The text is ASCII, so its characters are bytes.
        self.writer.write(f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii"))

    def _answer_error(self, message_id: Any, code: types.ErrorCodes | types.LSPErrorCodes, text: str) -> None:
        # One without an id says so; lsprotocol would leave it out.
        self._send_data({"jsonrpc": self.VERSION, "id": message_id, "error": {"code": code.value, "message": text}})


def _refuse_constant(name: str) -> None:
    """``NaN`` and ``Infinity``, which Python reads and JSON has not."""
    raise ValueError


def _usable_id(raw: dict[str, Any]) -> int | str | None:
    """The id of a request, in so far as it may be one; ``None`` for whatever wants no answer."""
    given = raw.get("id") if "method" in raw else None
    return given if _is_number_or_text(given) else None


def _is_number_or_text(value: object) -> TypeGuard[int | str]:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _is_well_formed(raw: dict[str, Any]) -> bool:
    if "method" not in raw:
        return "id" in raw
    return isinstance(raw["method"], str) and ("id" not in raw or _usable_id(raw) is not None)


def _check_tokens(params: object) -> None:
    """Makes sure that the tokens of progress are such, since the library takes anything for one."""
    for name in _TOKENS:
        token = params.get(name) if isinstance(params, dict) else None
        if token is not None and not _is_number_or_text(token):
            raise ValueError


def _check_answer(asked: str | None, result: object) -> None:
    """Makes sure that settings come in a list, since the library takes a text for one of letters."""
    if asked == types.WORKSPACE_CONFIGURATION and not isinstance(result, (list, type(None))):
        raise TypeError


def _completed(raw: dict[str, Any], asked: str | None) -> dict[str, Any]:
    """The message with what some clients leave out, and without what others add, since pygls insists.

    ``asked`` is the method of the request of ours that the message answers.
    """
    if asked == types.WORKSPACE_CONFIGURATION and raw.get("result") is None and raw.get("error") is None:
        return {"jsonrpc": raw["jsonrpc"], "id": raw["id"], "result": []}  # nothing is set
    if raw.get("method") == types.INITIALIZED:
        return {**raw, "params": {}}
    if raw.get("method") in (types.SHUTDOWN, types.EXIT):
        return {name: value for name, value in raw.items() if name != "params"}
    if "method" not in raw and raw.get("error") is None:
        return {name: value for name, value in raw.items() if name != "error"}
    return raw


def without_text(error: BaseException) -> str:
    """An error for the log: its kind and where it came from, but not its message, which may hold a memory's text."""
    if isinstance(error, JsonRpcException) and isinstance(error.data, dict):
        # pygls keeps the kind of the original in the message, and its traceback as the data.
        return "\n".join([error.message.partition(":")[0], *error.data.get("traceback", ())])
    return "".join([f"{type(error).__name__}\n", *traceback.format_tb(error.__traceback__)]).rstrip()
