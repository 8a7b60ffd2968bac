"""The log of a running server, on standard error. It waits for nobody: some clients never read it."""

from __future__ import annotations

import logging
import os
import select
import sys

# A pipe that takes anything takes this much at once, in bytes.
_PIECE = getattr(select, "PIPE_BUF", 512)


def log_to_stderr() -> None:
    """Sends what all loggers have to say to standard error."""
    handler = _Handler(sys.stderr.fileno())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, format="memory-ls: %(levelname)s: %(message)s")
    # pygls logs parameters and whole messages, and they hold the text of memories.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)


class _Handler(logging.Handler):
    """Writes to a file descriptor; what does not fit into a pipe that nobody empties is lost."""

    def __init__(self, file: int) -> None:
        super().__init__()
        self._file = file

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a record."""
        data = f"{self.format(record)}\n".encode("utf-8", "backslashreplace")
        try:
            for start in range(0, len(data), _PIECE):
                if not self._takes_more():
                    return
                os.write(self._file, data[start : start + _PIECE])
        except OSError:
            return  # nobody is there any more

    def _takes_more(self) -> bool:
        if not hasattr(select, "poll"):
            return True  # Windows can't tell
        poll = select.poll()
        poll.register(self._file, select.POLLOUT)
        return bool(poll.poll(0))
