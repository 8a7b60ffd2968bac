"""How messages travel: over standard input and output, or over TCP on this machine.

Writing never waits for the client: one that is itself waiting to be read would wait for ever.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import socket
import stat
import sys
from collections.abc import Callable
from typing import Any

from memory_ls.server.protocol import MemoryProtocol, without_text

log = logging.getLogger(__name__)

# A message larger than this is no document that anybody edits.
_MOST_BYTES = 256 << 20
# A header line longer than this, in bytes, is none.
_LONGEST_HEADER = 1 << 16
# Also behind other text: where a message had no length, the next header stands behind its last character.
_LENGTH = re.compile(rb"(?<![\w-])content-length[ \t]*:[ \t]*(\d{1,15})\s*\Z", re.IGNORECASE)
# How long, in seconds, the client has at the end to take what it has not read yet.
_LAST_READ = 1.0


async def serve_pipes(protocol: MemoryProtocol) -> int:
    """Serves the client at the other end of standard input and output; returns the exit status.

    Raises:
        OSError: there is none, closed by whoever started us.
    """
    if sys.stdin is None or sys.stdout is None:
        raise OSError("there is no standard input or output")
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    # Whatever else writes to standard output would break the protocol.
    sys.stdout = sys.stderr
    if _is_one_socket(stdin, stdout):
        connection = socket.socket(fileno=os.dup(stdin.fileno()))
        reader, stream = await asyncio.open_connection(sock=connection, limit=_LONGEST_HEADER)
        return await _serve_connection(protocol, reader, stream)
    left = asyncio.Event()
    writer = await _writer_of(stdout, left.set)
    protocol.set_writer(writer or _FileWriter(stdout, left.set))
    return await _until_left(protocol, await _reader_of(stdin), writer, left)


async def serve_tcp(protocol: MemoryProtocol, host: str, port: int) -> int:
    """Serves the first client that connects, and nobody else; returns the exit status.

    Raises:
        OSError: the address can't be listened on.
    """
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    connected = asyncio.get_running_loop().create_future()

    def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    listening = await asyncio.start_server(connect, host, port, limit=_LONGEST_HEADER)
    name, number = listening.sockets[0].getsockname()[:2]
    name = f"[{name}]" if ":" in name else name
    print(f"memory-ls: listening on {name}:{number}", file=sys.stderr, flush=True)
    reader, stream = await connected
    listening.close()
    return await _serve_connection(protocol, reader, stream)


async def _serve_connection(
    protocol: MemoryProtocol, reader: asyncio.StreamReader, stream: asyncio.StreamWriter
) -> int:
    """Serves the client at the other end of a socket."""
    writer = _Writer(stream.transport)
    protocol.set_writer(writer)
    # A connection that is lost ends the reading too.
    return await _until_left(protocol, reader, writer, asyncio.Event())


async def _until_left(protocol: MemoryProtocol, reader: Any, writer: _Writer | None, left: asyncio.Event) -> int:
    """Serves until the client says so, or writes no more, or has ``left`` and reads no more."""
    serving = asyncio.ensure_future(_serve(protocol, reader))
    leaving = asyncio.ensure_future(left.wait())
    await asyncio.wait((serving, leaving), return_when=asyncio.FIRST_COMPLETED)
    # Whoever closes a pipe may have said goodbye before; a file is left when it can't be written.
    if not serving.done() or (writer is None and left.is_set()):
        return 1
    if writer is not None:
        await writer.flush()
    return serving.result()


async def _serve(protocol: MemoryProtocol, reader: Any) -> int:
    """Handles messages from a stream until it ends or the client says so; returns the exit status."""
    while protocol.exit_status is None and (body := await _next_body(reader)) is not None:
        try:
            protocol.receive(body)
        except Exception as error:  # one message must never end the server
            log.error("A message could not be handled: %s", without_text(error))
        # An answer must be about the text as it was when it was asked for, so what it takes begins before the next message.
        await asyncio.sleep(0)
    await protocol.last_words()
    return 1 if protocol.exit_status is None else protocol.exit_status


async def _next_body(reader: Any) -> bytes | None:
    """The next message; ``None`` at the end, and where nobody can tell any more where a message begins."""
    try:
        while not (length := await _next_length(reader)):
            if length is None:
                return None
        if length > _MOST_BYTES:
            log.error("A message of %d bytes ends the connection", length)
            return None
        body: bytes = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except ValueError:
        log.error("A header without an end ends the connection")
        return None
    return body if len(body) == length else None


async def _next_length(reader: Any) -> int | None:
    """The length that the next block of headers gives, in bytes; 0 where it gives none, ``None`` at the end."""
    length = 0
    while (header := await reader.readline()).strip():
        if found := _LENGTH.search(header):
            length = int(found[1])
    return length if header else None


async def _reader_of(stdin: Any) -> Any:
    """A reader on the pipe itself, which takes half the time of a thread for each line, where that can be had."""
    reader = asyncio.StreamReader(limit=_LONGEST_HEADER)
    if not _is_pipe(stdin):
        return _ThreadReader(stdin)
    try:
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    except (ValueError, OSError, NotImplementedError, AttributeError):
        return _ThreadReader(stdin)  # a platform without such pipes
    return reader


async def _writer_of(stdout: Any, left: Callable[[], object]) -> _Writer | None:
    """A writer on the pipe itself, where that can be had; ``left`` is called when nobody reads any more."""
    if not _is_pipe(stdout):
        return None
    try:
        transport, _ = await asyncio.get_running_loop().connect_write_pipe(lambda: _Left(left), stdout)
    except (ValueError, OSError, NotImplementedError, AttributeError):
        return None
    return _Writer(transport)


def _is_pipe(stream: Any) -> bool:
    """Whether the event loop can wait for a stream; of a file or `/dev/null` it would never hear."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _is_one_socket(stdin: Any, stdout: Any) -> bool:
    """Whether both are the same socket, as where a server of servers started us: it is read and written as one."""
    read, written = os.fstat(stdin.fileno()), os.fstat(stdout.fileno())
    return stat.S_ISSOCK(read.st_mode) and (read.st_dev, read.st_ino) == (written.st_dev, written.st_ino)


class _ThreadReader:
    """Reads in a thread what the event loop can't wait for."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        """The next line.

        Raises:
            ValueError: it has no end.
        """
        line = await self._in_thread(self._stream.readline, _LONGEST_HEADER)
        if len(line) == _LONGEST_HEADER:
            raise ValueError
        return line

    async def readexactly(self, length: int) -> bytes:
        """So many bytes; fewer at the end."""
        return await self._in_thread(self._stream.read, length)

    async def _in_thread(self, read: Callable[[int], bytes], length: int) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(None, read, length)


class _Left(asyncio.BaseProtocol):
    """Hears when the other end of a pipe is closed."""

    def __init__(self, left: Callable[[], object]) -> None:
        self._left = left

    def connection_lost(self, exc: Exception | None) -> None:
        self._left()


class _FileWriter:
    """Standard output that the event loop cannot wait for, as pygls wants its writer to be.

    ``left`` is called when it can't be written, and that is the end of writing.
    """

    def __init__(self, stdout: Any, left: Callable[[], object]) -> None:
        self._stdout = stdout
        self._left = left
        self._has_failed = False

    def write(self, data: bytes) -> None:
        """Writes the bytes now."""
        if self._has_failed:
            return
        try:
            self._stdout.write(data)
            self._stdout.flush()
        except OSError as error:
            self._has_failed = True
            log.error("Standard output can't be written: %s", error.strerror)
            self._left()

    def close(self) -> None:
        """Leaves the file open: it is the process's, and ends with it."""


class _Writer:
    """A transport as pygls wants its writer to be. What is written goes out when the other side takes it."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        """Sends the bytes, now or later."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Sends what is left, and then no more."""
        self._transport.close()

    async def flush(self) -> None:
        """Waits, not long, until all is sent."""
        end = asyncio.get_running_loop().time() + _LAST_READ
        while self._transport.get_write_buffer_size() and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.005)
