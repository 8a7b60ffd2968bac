"""Keeps what other programs changed behind the editor's back, so that it can be seen and undone.

What the editor itself writes is none of it: it says what it saved, and the edits that were made for it are known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memory_ls.directory.content import Content, Unknown, content_of
from memory_ls.directory.loader import BOM
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.server.background import Background
from memory_ls.server.held import Held

# The bytes of a file before and after; ``None`` where there is none.
Changed = tuple[bytes | None, bytes | None]

# Changes that come within so many seconds are one: a program seldom writes a single file.
_PAUSE = 1.0
# So many edits that were made for the client are remembered until it has written them.
_MOST_EXPECTED = 10_000


class Witness:
    """Collects what changed on the disk, and hands it to ``keep`` once nothing has come for a while.

    ``keep`` takes a directory and its files, and runs in a thread; ``kept`` hears when that is done.
    """

    def __init__(
        self,
        background: Background,
        keep: Callable[[Path, Mapping[str, Changed]], None],
        kept: Callable[[], None] = lambda: None,
    ) -> None:
        self._background = background
        self._keep = keep
        self._kept = kept
        self._seen: dict[Path, dict[str, Changed]] = {}
        self._expected: dict[tuple[str, str], bytes | None] = {}
        self._waiting: asyncio.Task[None] | None = None
        self._last = 0.0

    def saw(self, held: Held, old: MemoryDirectory, new: MemoryDirectory, keys: Iterable[str]) -> None:
        """Some files of a directory changed on the disk, from what ``old`` has to what ``new`` has."""
        for key in keys:
            self.saw_content(held, key, content_of(old, key), content_of(new, key))

    def saw_content(self, held: Held, key: str, before: Content, after: Content) -> None:
        """The file ``key`` changed on the disk."""
        if isinstance(before, Unknown) or isinstance(after, Unknown) or before == after:
            return
        if self._is_expected(held, key, after):
            self.forget(held, key)  # a file may be seen half written before
            return
        files = self._seen.setdefault(held.path, {})
        files[key] = (files[key][0] if key in files else before, after)
        self._last = asyncio.get_running_loop().time()
        if self._waiting is None or self._waiting.done():
            self._waiting = self._background.run(self._wait())

    def expect(self, held: Held, texts: Mapping[str, str | None]) -> None:
        """The client is about to give these files these texts, or to delete them (``None``)."""
        for key, text in texts.items():
            wanted = text.encode("utf-8", "surrogatepass") if text is not None else None
            self._expected[held.root, key] = wanted
            seen = self._seen.get(held.path, {}).get(key)
            if seen is not None and _without_bom(seen[1]) == wanted:
                self.forget(held, key)
        while len(self._expected) > _MOST_EXPECTED:
            del self._expected[next(iter(self._expected))]

    def forget(self, held: Held, key: str) -> None:
        """What was seen of a file is the client's own doing."""
        self._seen.get(held.path, {}).pop(key, None)

    def _is_expected(self, held: Held, key: str, after: bytes | None) -> bool:
        place = (held.root, key)
        return place in self._expected and self._expected[place] == _without_bom(after)

    async def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        while (left := self._last + _PAUSE - loop.time()) > 0:
            await asyncio.sleep(left)
        await loop.run_in_executor(None, self._keep_all, self._taken())
        self._kept()

    def close(self) -> None:
        """Keeps what was seen and waits for more no longer."""
        self._keep_all(self._taken())

    def _taken(self) -> dict[Path, dict[str, Changed]]:
        seen, self._seen = self._seen, {}
        return seen

    def _keep_all(self, seen: Mapping[Path, Mapping[str, Changed]]) -> None:
        for path, files in seen.items():
            if files:
                self._keep(path, files)


def _without_bom(content: bytes | None) -> bytes | None:
    return content.removeprefix(BOM) if content is not None else None
