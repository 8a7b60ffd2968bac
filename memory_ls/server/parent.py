"""Ends the server when the editor that started it is gone, whatever else the server is busy with."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

_PAUSE = 0.5


def watch(process_id: int | None) -> None:
    """Ends this process soon after the process ``process_id``, the editor, has ended.

    An editor that is killed closes our standard input, and that is noticed anyway, unless another
    process holds the other end of the pipe. A number that names no process here (the editor runs in
    another container) is no reason to leave. Windows has no cheap way to ask, and leaves by the pipe.
    """
    if process_id is None or os.name == "nt" or not _is_alive(process_id):
        return
    threading.Thread(target=_wait_for, args=(process_id,), daemon=True).start()


def _wait_for(process_id: int) -> None:
    while _is_alive(process_id):
        time.sleep(_PAUSE)
    os._exit(1)


def _is_alive(process_id: int) -> bool:
    if process_id <= 0:
        return False
    try:
        os.kill(process_id, 0)
    except PermissionError:
        return True  # somebody else's process, but there
    except (ProcessLookupError, OverflowError):
        return False
    return not _is_zombie(process_id)


def _is_zombie(process_id: int) -> bool:
    """Whether a process has ended and waits for its parent to take note; only Linux tells."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return False
    # The name before the state stands in parentheses, and may hold some itself.
    return stat.rpartition(b")")[2].split()[:1] == [b"Z"]
