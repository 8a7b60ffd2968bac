"""The log of a running server, on standard error. Nothing waits for it: some clients never read it."""

from __future__ import annotations

import logging
import queue
import sys
import time
from logging.handlers import QueueHandler, QueueListener
from typing import Any

# So many records wait at most for somebody to read them; those after that are lost.
_MOST_WAITING = 1_000
# How long, in seconds, the end waits for what was not read yet.
_LAST_READ = 0.2


class Log:
    """Hands the records of all loggers to a thread that writes them."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Any] = queue.Queue(_MOST_WAITING)
        writer = logging.StreamHandler(sys.stderr)
        writer.setFormatter(logging.Formatter("memory-ls: %(levelname)s: %(message)s"))
        # Its thread is a daemon, and does not hold up the end.
        QueueListener(self._waiting, writer).start()
        logging.basicConfig(handlers=[_Handler(self._waiting)], level=logging.WARNING, format="%(message)s")
        # pygls logs parameters and whole messages, and they hold the text of memories.
        logging.getLogger("pygls").setLevel(logging.CRITICAL)

    def end(self) -> None:
        """Waits, not long, until all is written."""
        until = time.monotonic() + _LAST_READ
        while self._waiting.unfinished_tasks and time.monotonic() < until:
            time.sleep(0.005)


class _Handler(QueueHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Loses the record; telling of that would need somebody who reads."""
