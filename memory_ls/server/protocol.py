"""The protocol's ground rules, where pygls leaves them open: what a message is, and what answers it gets.

pygls keeps the texts of documents in a workspace of its own that breaks lines where LSP does not, so
that workspace is left unused: :mod:`memory_ls.server.session` holds the texts.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams
from pygls.io_ import StdinAsyncReader
from pygls.protocol import LanguageServerProtocol, lsp_method

log = logging.getLogger(__name__)

# A message larger than this is no document that anybody edits.
_MOST_BYTES = 256 << 20


class MemoryProtocol(LanguageServerProtocol):
    """LSP over JSON-RPC, with an answer for every request."""

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Hands the notification on, without a copy in pygls' workspace."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Hands the notification on, without a copy in pygls' workspace."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Hands the notification on, without a copy in pygls' workspace."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    def receive(self, body: bytes) -> None:
        """Handles one message as it came. Whatever it holds, a request in it gets exactly one answer."""
        try:
            raw = json.loads(body)
        except (ValueError, RecursionError):
            self._answer_error(None, types.ErrorCodes.ParseError, "The message is not JSON.")
            return
        if not isinstance(raw, dict):
            self._answer_error(None, types.ErrorCodes.InvalidRequest, "A message must be a JSON object.")
            return
        message_id = raw.get("id") if "method" in raw else None
        try:
            message = self.structure_message(raw)
        except JsonRpcException:
            method = raw.get("method")
            log.warning("A message for %r does not have the parameters that LSP gives it", method)
            if message_id is not None:
                self._answer_error(message_id, types.ErrorCodes.InvalidParams, f"Invalid parameters for {method}.")
            return
        if isinstance(message, dict):
            self._answer_error(message_id, types.ErrorCodes.InvalidRequest, 'The message lacks "jsonrpc".')
            return
        self.handle_message(message)

    def _answer_error(self, message_id: Any, code: types.ErrorCodes, text: str) -> None:
        self._send_data(
            {"jsonrpc": self.VERSION, "id": message_id, "error": {"code": code.value, "message": text}},
        )

    def structure_message(self, data: dict[str, Any]) -> Any:
        """As pygls has it, without its log of what was received: that holds the text of memories."""
        previous = logging.getLogger("pygls.protocol.json_rpc").level
        logging.getLogger("pygls.protocol.json_rpc").setLevel(logging.CRITICAL)
        try:
            return super().structure_message(data)
        except JsonRpcException:
            raise
        except Exception as error:
            raise JsonRpcInvalidParams from error
        finally:
            logging.getLogger("pygls.protocol.json_rpc").setLevel(previous)


async def serve(protocol: MemoryProtocol, stdin: Any) -> None:
    """Handles messages from ``stdin`` until it ends."""
    reader = await _reader(stdin)
    length = 0
    while header := await reader.readline():
        name, _, value = header.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value) if value.strip().isdigit() else 0
        elif not header.strip():
            if not 0 < length <= _MOST_BYTES:
                log.error("A message without a usable Content-Length ends the connection")
                return
            try:
                body = await reader.readexactly(length)
            except asyncio.IncompleteReadError:
                return
            if len(body) < length:
                return
            length = 0
            try:
                protocol.receive(body)
            except (BrokenPipeError, SystemExit):
                raise
            except Exception as error:  # one message must never end the server
                log.error("A message could not be handled: %s", type(error).__name__)


async def _reader(stdin: Any) -> Any:
    """A reader on the pipe itself, which takes half the time of pygls' thread for each line, where that can be had."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 16)
    try:
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    except (ValueError, OSError, NotImplementedError, AttributeError):
        return StdinAsyncReader(stdin)  # a file, or a platform without such pipes
    return reader


def internal_error() -> JsonRpcInternalError:
    """The error for a fault of ours, without the details, which may hold a memory's text."""
    log.error("A request failed", exc_info=sys.exc_info())
    return JsonRpcInternalError(message="memory-ls failed to answer. Its log says more.")
