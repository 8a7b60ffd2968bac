"""What other programs change behind the editor's back is kept; what the editor writes is its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from memory_ls.server import witness
from memory_ls.server.held import Held
from memory_ls.server.session import Keeper, Session
from memory_ls.server.witness import Changed
from tests.making import memory, write_files
from tests.server.client import uri

FERRY = memory("ferry", body="Six o'clock.\n")
ROTA = memory("轮班", body="谁值班。\r\n")
FILES: dict[str, str | bytes] = {
    "MEMORY.md": "- [ferry](ferry.md)\n- [rota](rota.md)\n",
    "ferry.md": FERRY,
    "rota.md": b"\xef\xbb\xbf" + ROTA.encode(),
}


class Watched(Keeper):
    """A session over a directory, and what its witness kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.kept: list[dict[str, Changed]] = []
        self.session = Session(lambda findings: None, keeper=self)
        self.session.configure([root.parent], {})

    def keep(self, directory: Path, files: Mapping[str, Changed]) -> None:
        assert directory == self.root
        self.kept.append(dict(files))

    @property
    def held(self) -> Held:
        [held] = self.session.held()
        return held

    def write(self, **texts: str | bytes | None) -> None:
        """Changes files as another program does, and has the session hear of it."""
        for stem, text in texts.items():
            path = self.root / f"{stem}.md"
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.session.disk_changed([self.root / f"{stem}.md" for stem in texts])

    async def kept_now(self) -> list[dict[str, Changed]]:
        await asyncio.sleep(4 * witness._PAUSE)
        kept, self.kept = self.kept, []
        return kept


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(witness, "_PAUSE", 0.05)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def watching(root: Path, scenario: Callable[[Watched], Awaitable[None]]) -> None:
    async def run() -> None:
        watched = Watched(write_files(root / "memory", FILES))
        watched.session.start()
        await watched.session.ready()
        try:
            await asyncio.wait_for(_awaited(watched), 20)
        finally:
            watched.session.close()

    async def _awaited(watched: Watched) -> None:
        await scenario(watched)

    asyncio.run(run())


def test_keeps_bytes_of_before_and_after(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.write(ferry=FERRY + "More.\n", rota=None, new="# 新\n")
        [kept] = await watched.kept_now()
        assert kept == {
            "ferry.md": (FERRY.encode(), FERRY.encode() + b"More.\n"),
            "rota.md": (b"\xef\xbb\xbf" + ROTA.encode(), None),
            "new.md": (None, "# 新\n".encode()),
        }

    watching(tmp_path, scenario)


def test_keeps_what_comes_in_quick_succession_as_one(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.write(ferry="one\n")
        watched.write(rota="two\n")
        watched.write(ferry="three\n")
        [kept] = await watched.kept_now()
        assert kept["ferry.md"] == (FERRY.encode(), b"three\n")
        watched.write(ferry=FERRY)
        [kept] = await watched.kept_now()
        assert kept == {"ferry.md": (b"three\n", FERRY.encode())}

    watching(tmp_path, scenario)


def test_keeps_many_files_that_changed_at_once(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.write(**{f"tide{number}": f"Tide {number}.\n" for number in range(300)})
        await watched.session.ready()
        kept = await watched.kept_now()
        assert {key: after for files in kept for key, (_, after) in files.items()} == {
            f"tide{number}.md": f"Tide {number}.\n".encode() for number in range(300)
        }

    watching(tmp_path, scenario)


def test_what_the_editor_saves_is_its_own(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        name = uri(watched.root / "ferry.md")
        watched.session.opened(name, 1, FERRY)
        watched.session.changed(name, 2, "Mine.\n")
        watched.write(ferry="Mine.\n")
        watched.session.saved(name)
        assert await watched.kept_now() == []
        # And then another program changes it, while it is open.
        watched.write(ferry="Theirs.\n")
        assert await watched.kept_now() == [{"ferry.md": (b"Mine.\n", b"Theirs.\n")}]

    watching(tmp_path, scenario)


def test_a_reload_in_the_editor_does_not_hide_another_programs_change(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        name = uri(watched.root / "ferry.md")
        watched.session.opened(name, 1, FERRY)
        (watched.root / "ferry.md").write_text("Theirs.\n")
        watched.session.changed(name, 2, "Theirs.\n")
        watched.session.disk_changed([watched.root / "ferry.md"])
        assert await watched.kept_now() == [{"ferry.md": (FERRY.encode(), b"Theirs.\n")}]

    watching(tmp_path, scenario)


def test_closing_without_saving_changes_nothing(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        name = uri(watched.root / "ferry.md")
        watched.session.opened(name, 1, FERRY)
        watched.session.changed(name, 2, "Never saved.\n")
        watched.session.closed(name)
        assert await watched.kept_now() == []

    watching(tmp_path, scenario)


def test_an_edit_that_was_made_for_the_client_is_its_own(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.session.witness.expect(watched.held, {"ferry.md": None, "boat.md": "Boat.\n", "rota.md": "R.\n"})
        watched.write(rota="")  # as it is between the opening of a file and the writing
        watched.write(ferry=None, boat="Boat.\n", rota="R.\n")
        assert await watched.kept_now() == []
        watched.write(boat="Another.\n")
        assert await watched.kept_now() == [{"boat.md": (b"Boat.\n", b"Another.\n")}]

    watching(tmp_path, scenario)


def test_a_file_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.write(ferry=b"\xff\xfe broken")
        assert await watched.kept_now() == []
        watched.write(ferry=FERRY)
        assert await watched.kept_now() == []  # what it was before can't be restored

    watching(tmp_path, scenario)


def test_what_was_seen_last_is_kept_when_the_session_ends(tmp_path: Path) -> None:
    async def scenario(watched: Watched) -> None:
        watched.write(ferry="Last.\n")
        watched.session.close()
        assert watched.kept == [{"ferry.md": (FERRY.encode(), b"Last.\n")}]

    watching(tmp_path, scenario)
    assert not os.path.exists(tmp_path / "home")
