"""Progress that the client shows, and what the user ends by it (LSP 3.17, "Work Done Progress")."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

from lsprotocol import types

# Tells how far the work is that the task is at.
_teller: ContextVar[Callable[[str, int, int], None]] = ContextVar("teller")


def tell(message: str, done: int, total: int) -> None:
    """Tells whoever watches the work of this task how far it is."""
    teller = _teller.get(None)
    if teller is not None:
        teller(message, done, total)


# How long work goes on, in seconds, before a user wants to know about it who did not ask to.
_LONG = 0.5


class ProgressReports:
    """All progress under way. ``notify`` sends a notification, ``ask`` a request, with what is done at its answer."""

    def __init__(
        self, notify: Callable[[str, object], None], ask: Callable[[str, object, Callable[[Any], None]], None]
    ) -> None:
        self.is_shown = False
        self._notify = notify
        self._ask = ask
        self._tasks: dict[int | str, asyncio.Task[Any]] = {}
        self._numbers = count(1)

    @asynccontextmanager
    async def of(self, title: str, token: int | str | None = None, *, cancellable: bool = True) -> AsyncIterator[None]:
        """Shows that the work inside goes on. Where it can be cancelled and the user does that, the task is cancelled.

        With the client's ``token`` it shows from the start, and without one where the client offered to
        show progress and the work takes long.
        """
        task = asyncio.current_task() if cancellable else None
        begun: list[int | str] = []

        def begin(chosen: int | str) -> None:
            if done:
                return
            begun.append(chosen)
            if task is not None:
                self._tasks[chosen] = task
            self._send(chosen, types.WorkDoneProgressBegin(title=title, cancellable=cancellable))

        def tell_client(message: str, done: int, total: int) -> None:
            report = types.WorkDoneProgressReport(
                message=message, percentage=100 * done // total if total else None, cancellable=cancellable
            )
            for chosen in begun:
                self._send(chosen, report)

        def create() -> None:
            chosen = f"memory-ls-{next(self._numbers)}"
            parameters = types.WorkDoneProgressCreateParams(chosen)
            self._ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, parameters, lambda _: begin(chosen))

        done = False
        timer = None
        reset = _teller.set(tell_client)
        if token is not None:
            begin(token)
        elif self.is_shown:
            timer = asyncio.get_running_loop().call_later(_LONG, create)
        try:
            yield
        finally:
            done = True
            _teller.reset(reset)
            if timer is not None:
                timer.cancel()
            for chosen in begun:
                if self._tasks.get(chosen) is task:  # a client may use a token twice
                    self._tasks.pop(chosen, None)
                self._send(chosen, types.WorkDoneProgressEnd())

    def cancel(self, token: int | str) -> None:
        """The user ended the work behind a token; one that is unknown is over already."""
        task = self._tasks.pop(token, None)
        if task is not None:
            task.cancel()

    def _send(
        self,
        token: int | str,
        value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
    ) -> None:
        self._notify(types.PROGRESS, types.ProgressParams(token, value))
