"""Runs the rules over the directories that are held: the quick ones at once, the costly ones when the user pauses."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Collection, Generator, Mapping
from datetime import date

from memory_ls.directory.style import style_of
from memory_ls.rules.check import all_keys, check_alike, check_costly, check_document
from memory_ls.rules.registry import Context
from memory_ls.server.background import Background
from memory_ls.server.convert import Findings, source_of
from memory_ls.server.held import Held, OpenText

# How long the user must pause, in seconds, before the costly rules run.
_IDLE = 0.35
# So many memories are not edited at once: they are looked at for the first time.
_MANY = 256


class Checker:
    """Checks documents, and publishes what is found where that is news.

    ``settled`` hears when the user has paused. ``held`` are the directories by root, and ``open_at`` the open
    documents by root and key, as the session has them at any time.
    """

    def __init__(
        self,
        publish: Callable[[Findings], None],
        settled: Callable[[], None],
        background: Background,
        held: Mapping[str, Held],
        open_at: Mapping[tuple[str, str], OpenText],
    ) -> None:
        self._publish = publish
        self._settled = settled
        self._background = background
        self._held = held
        self._open_at = open_at
        self.idle: asyncio.TimerHandle | None = None
        self._costly: asyncio.Task[None] | None = None

    def close(self) -> None:
        """Begins nothing any more."""
        if self.idle is not None:
            self.idle.cancel()

    async def check_all(self, held: Held) -> None:
        """Checks every document of a directory, and takes back what was told about others."""
        assert held.directory is not None
        keys = {*all_keys(self._context(held)), *held.published}
        # Whoever has one open is told even that there is nothing, as after each edit.
        await self.check_some(held, keys, edited={key for root, key in self._open_at if root == held.root})
        held.costly_due |= keys | held.twins.keys()
        self.wake()

    async def check_some(self, held: Held, keys: Collection[str], *, edited: Collection[str]) -> None:
        """Checks documents of a directory between messages; ``edited`` are those with another text than before."""
        held.unchecked.update(keys)
        # What is on the screen first, and what was edited next, since that is what the user looks at.
        order = sorted(keys, key=lambda key: ((held.root, key) not in self._open_at, key not in edited))
        await self._background.in_slices(self._check_in_steps(held, order, edited))

    def _check_in_steps(self, held: Held, keys: list[str], edited: Collection[str]) -> Generator[None, None, None]:
        for key in keys:
            if key in held.unchecked and self._held.get(held.root) is held:
                self.check(held, key, edited=key in edited)
            yield

    def _context(self, held: Held) -> Context:
        assert held.directory is not None
        return Context(held.directory, held.settings, date.today())

    def check(self, held: Held, key: str, *, edited: bool = False, by_client: bool = False) -> None:
        """Runs the quick rules over one document, and tells what is new.

        ``edited`` when its text is another than before, ``by_client`` when the client itself has just sent it.
        """
        context = self._context(held)
        held.unchecked.discard(key)
        held.quick[key] = check_document(context, key)
        if context.directory.document(key) is None:
            held.costly.pop(key, None)
            held.alike.pop(key, None)
        self._tell(held, key, edited=edited, by_client=by_client)

    def _tell(self, held: Held, key: str, *, edited: bool = False, by_client: bool = False) -> None:
        """Publishes what is known about one document, when that differs from what the client was told.

        After an edit the same offsets may be other lines, so findings are told again then.
        """
        if self._held.get(held.root) is not held or key in held.unchecked:
            return  # dropped while it was being checked, or told as soon as the quick rules have looked at it again
        diagnostics = held.diagnostics(key)
        opened = self._open_at.get((held.root, key))
        if held.settings.diagnostic_scope == "open" and opened is None:
            diagnostics = []
        if diagnostics == held.published.get(key, []) and not (edited and (opened or diagnostics)):
            return
        held.published[key] = diagnostics
        version = opened.version if opened else None
        source = source_of(held.directory, key)
        told = Findings(held.uri_of(key), version, source, diagnostics, held.directory, held.uri_of)
        self._publish(told._replace(answers_edit=by_client))

    # ---- costly rules, when idle

    def wake(self) -> None:
        """Puts the costly rules off until the user has paused; what they were at stops, and goes on then."""
        if self.idle is not None:
            self.idle.cancel()
        if self._costly is not None:
            self._costly.cancel()
        self.idle = asyncio.get_running_loop().call_later(_IDLE, self._start_costly)

    def _start_costly(self) -> None:
        self._settled()
        self._costly = self._background.run(self.check_costly())

    async def check_costly(self) -> None:
        """Has the costly rules look at all that they still have to."""
        for held in list(self._held.values()):
            if held.directory is not None and (held.costly_due or held.alike_due):
                await self._background.in_slices(self._costly_in_steps(held))

    def _costly_in_steps(self, held: Held) -> Generator[None, None, None]:
        if held.directory is not None:
            held.style = style_of(held.directory)
        is_first = len(held.costly_due) > _MANY
        while held.costly_due and held.directory is not None:
            key = held.costly_due.pop()
            document = held.directory.documents.get(key)
            held.costly[key] = check_costly(self._context(held), key)
            held.alike_due |= held.twins.put(key, document)
            self._tell(held, key)
            yield
        while held.alike_due and held.directory is not None:
            key = held.alike_due.pop()
            held.alike[key] = check_alike(self._context(held), held.twins, key)
            self._tell(held, key)
            yield
        if is_first:
            gc.freeze()  # what a look at all memories leaves behind stays as well
