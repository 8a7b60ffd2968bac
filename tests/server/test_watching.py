"""What changes on the disk shows by itself, for clients that watch nothing: real files, the real watch."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from memory_ls.directory.discover import project_directory
from memory_ls.server.watching import Watcher
from tests.making import memory, write_files
from tests.server.client import PATIENCE, Client, uri
from tests.server.conftest import Start

INDEX = "# Memory Index\n\n- [ferry](ferry.md) — the boat\n- [rota](rota.md) — who works\n"
FERRY = memory("ferry", "The boat", body="See [[rota]].\n")
ROTA = memory("rota", "Who works", body="Ida, then Bo.\n")
FILES = {"MEMORY.md": INDEX, "ferry.md": FERRY, "rota.md": ROTA}
DEAD = "Nobody knows [[the-way-there]].\n"


@pytest.fixture(scope="module")
def watching(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client that watches nothing, with a server that the tests of this module share."""
    client = Client(tmp_path_factory.mktemp("home"))
    client.initialize("neovim")
    yield client
    try:
        assert client.requested("client/registerCapability") == []
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


@pytest.fixture
def work(watching: Client, tmp_path: Path) -> Iterator[Path]:
    """A workspace folder that holds a memory directory ``memory`` and is watched already."""
    folder = tmp_path / "work"
    write_files(folder / "memory", FILES)
    watching.change_folders(added=[folder])
    probe = write_files(folder / "memory", {"probe.md": memory("probe", body=DEAD)}) / "probe.md"
    watching.wait_for_code(probe, "link-dead")
    probe.unlink()
    watching.wait_for_codes(probe)
    yield folder
    watching.change_folders(removed=[folder])
    below = uri(tmp_path) + "/"
    watching.wait(lambda: not [name for name in watching.all_published() if name.startswith(below)], "an empty screen")


def test_a_file_that_is_made_changed_and_deleted(watching: Client, work: Path) -> None:
    path = work / "memory/tide.md"
    write_files(path.parent, {"tide.md": memory("tide", body=DEAD)})
    watching.wait_for_codes(path, "memory-not-indexed", "link-dead")
    write_files(path.parent, {"tide.md": memory("tide", body="It turns at noon.\n")})
    watching.wait_for_codes(path, "memory-not-indexed")
    path.unlink()
    watching.wait_for_codes(path)


def test_a_file_that_is_saved_by_putting_another_in_its_place(watching: Client, work: Path) -> None:
    root = work / "memory"
    for body, codes in ((DEAD, ["link-dead"]), ("Ida.\n", []), (DEAD, ["link-dead"])):
        write_files(root, {".rota.md.swp": memory("rota", body=body)})
        (root / ".rota.md.swp").replace(root / "rota.md")
        watching.wait_for_codes(root / "rota.md", *codes)
    # As `vim` does it: the old file goes out of the way first.
    (root / "rota.md").rename(root / "rota.md~")
    write_files(root, {"rota.md": ROTA})
    (root / "rota.md~").unlink()
    watching.wait_for_codes(root / "rota.md")


def test_a_file_that_is_renamed(watching: Client, work: Path) -> None:
    root = work / "memory"
    (root / "rota.md").rename(root / "shifts.md")
    watching.wait_for_codes(root / "MEMORY.md", "index-dead-link")
    watching.wait_for_code(root / "shifts.md", "name-differs-from-file")
    (root / "shifts.md").rename(root / "rota.md")
    watching.wait_for_codes(root / "MEMORY.md")
    watching.wait_for_codes(root / "shifts.md")


def test_a_directory_of_memories_that_comes_is_renamed_and_goes(watching: Client, work: Path, tmp_path: Path) -> None:
    root = work / "memory"
    write_files(tmp_path / "made", {"tide.md": memory("tide", body=DEAD), "deep/ebb.md": memory("ebb", body=DEAD)})
    (tmp_path / "made").rename(root / "coast")
    codes = ("memory-not-indexed", "link-dead")
    watching.wait_for_codes(root / "coast/tide.md", *codes)
    watching.wait_for_codes(root / "coast/deep/ebb.md", *codes)
    (root / "coast").rename(root / "shore")
    for name in ("tide.md", "deep/ebb.md"):
        watching.wait_for_codes(root / "shore" / name, *codes)
        watching.wait_for_codes(root / "coast" / name)
    # It is watched under its new name, too.
    write_files(root / "shore/deep", {"ebb.md": memory("ebb", body="Low.\n")})
    watching.wait_for_codes(root / "shore/deep/ebb.md", "memory-not-indexed")
    shutil.rmtree(root / "shore")
    for name in ("tide.md", "deep/ebb.md"):
        watching.wait_for_codes(root / "shore" / name)


def test_files_are_written_into_a_directory_as_soon_as_it_is_made(watching: Client, work: Path) -> None:
    root = work / "memory"
    written = write_files(root, {f"new-{number}/a.md": memory("a", body=DEAD) for number in range(20)})
    for number in range(20):
        watching.wait_for_code(written / f"new-{number}/a.md", "link-dead")


def test_a_memory_directory_that_is_moved_away_and_back(watching: Client, work: Path) -> None:
    root = work / "memory"
    write_files(root, {"rota.md": memory("rota", body=DEAD)})
    watching.wait_for_codes(root / "rota.md", "link-dead")
    root.rename(work / "archive")
    watching.wait_for_codes(root / "rota.md")
    watching.wait_for_codes(work / "archive/rota.md", "link-dead")  # by its index it is one under any name
    (work / "archive").rename(root)
    watching.wait_for_codes(root / "rota.md", "link-dead")
    watching.wait_for_codes(work / "archive/rota.md")
    write_files(root, {"rota.md": ROTA})
    watching.wait_for_codes(root / "rota.md")


@pytest.mark.parametrize("place", ["memory", "notes"])
def test_a_memory_directory_that_is_deleted_and_made_again(watching: Client, work: Path, place: str) -> None:
    root = write_files(work / place, {**FILES, "rota.md": memory("rota", body=DEAD)})
    watching.wait_for_codes(root / "rota.md", "link-dead")
    shutil.rmtree(root)
    watching.wait_for_codes(root / "rota.md")
    write_files(root, {**FILES, "ferry.md": memory("ferry", body=DEAD)})
    watching.wait_for_codes(root / "ferry.md", "link-dead")
    write_files(root, {"rota.md": memory("rota", body=DEAD)})
    watching.wait_for_codes(root / "rota.md", "link-dead")


def test_a_memory_directory_that_is_replaced_at_one_stroke(watching: Client, work: Path, tmp_path: Path) -> None:
    root = work / "memory"
    for number in range(3):
        write_files(tmp_path / "new", {**FILES, f"n{number}.md": memory(f"n{number}", body=DEAD)})
        root.rename(tmp_path / f"old{number}")
        (tmp_path / "new").rename(root)
        watching.wait_for_code(root / f"n{number}.md", "link-dead")
        if number:
            watching.wait_for_codes(root / f"n{number - 1}.md")


def test_a_new_memory_directory_deep_in_the_workspace(watching: Client, work: Path) -> None:
    at_once = write_files(work / "a/b/c/notes", {"MEMORY.md": "- [x](x.md)\n", "x.md": memory("x", body=DEAD)})
    watching.wait_for_codes(at_once / "x.md", "link-dead")
    bit_by_bit = write_files(work / "d/e/f", {"x.md": memory("x", body=DEAD)})
    write_files(bit_by_bit, {"MEMORY.md": "- [x](x.md)\n"})
    watching.wait_for_codes(bit_by_bit / "x.md", "link-dead")
    known = write_files(work / "a/.agents/memory", {"x.md": memory("x", body=DEAD)})
    watching.wait_for_codes(known / "x.md", "link-dead")
    (bit_by_bit / "MEMORY.md").unlink()
    watching.wait_for_codes(bit_by_bit / "x.md")


@pytest.mark.parametrize("is_agent_known", [True, False])
def test_the_agents_own_memory_of_the_project_comes(start: Start, tmp_path: Path, is_agent_known: bool) -> None:
    work, home = tmp_path / "work", tmp_path / "home0"
    write_files(work, {"README.md": "# Work\n"})
    if is_agent_known:
        (home / ".claude/projects/another").mkdir(parents=True)
    client = start()
    client.initialize("neovim", work)
    root = write_files(project_directory(work, home), {"x.md": memory("x", body=DEAD)})
    client.wait_for_codes(root / "x.md", "link-dead")
    write_files(root, {"x.md": memory("x", body="Here.\n")})
    client.wait_for_codes(root / "x.md")


def severities(client: Client, path: Path) -> list[int]:
    return [item["severity"] for item in client.diagnostics(path)]


@pytest.mark.parametrize("place", ["memory", "."])
def test_the_settings_of_a_project_come_change_and_go(watching: Client, work: Path, place: str) -> None:
    path = work / "memory/rota.md"
    file = work / place / ".memory-ls.toml"
    write_files(path.parent, {"rota.md": memory("rota", body=DEAD)})
    watching.wait_for_codes(path, "link-dead")
    for text, severity in (('link-dead = "error"', 1), ('link-dead = "hint"', 4)):
        file.write_text(f"[rules]\n{text}\n")
        watching.wait(lambda severity=severity: severities(watching, path) == [severity], "the severity")  # type: ignore[misc]
    file.write_text("[rules]\nlink-daed = 1\n")
    watching.wait_for_codes(file, "setting-invalid")
    file.unlink()
    watching.wait(lambda: severities(watching, path) == [2], "the usual severity")
    watching.wait_for_codes(file)


@pytest.mark.parametrize("is_there", [True, False])
def test_the_users_own_settings_come_change_and_go(start: Start, tmp_path: Path, is_there: bool) -> None:
    work, home = tmp_path / "work", tmp_path / "home0"
    path = write_files(work / "memory", {**FILES, "rota.md": memory("rota", body=DEAD)}) / "rota.md"
    own = home / "config/memory-ls/memory-ls.toml"
    if is_there:
        own.parent.mkdir(parents=True)
    client = start()
    client.initialize("neovim", work)
    client.wait_for_codes(path, "link-dead")
    for text, severity in (('link-dead = "error"', 1), ('link-dead = "hint"', 4)):
        write_files(own.parent, {own.name: f"[rules]\n{text}\n"})
        client.wait(lambda severity=severity: severities(client, path) == [severity], "the severity")  # type: ignore[misc]
    own.unlink()
    client.wait(lambda: severities(client, path) == [2], "the usual severity")


def test_a_checkout_of_another_branch(watching: Client, work: Path) -> None:
    root = work / "memory"

    def git(*arguments: str) -> None:
        own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        command = ["git", "-c", "user.name=Ida", "-c", "user.email=ida@localhost", *arguments]
        subprocess.run(command, cwd=work, check=True, capture_output=True, env={**os.environ, **own})

    def shown() -> set[str]:
        below = uri(root) + "/"
        return {name.removeprefix(below) for name in watching.all_published() if name.startswith(below)}

    names = [f"n{number:04}.md" for number in range(1000)]
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "few")
    git("checkout", "-qb", "many")
    write_files(root, {name: memory(name.removesuffix(".md"), body=DEAD) for name in names})
    git("add", ".")
    git("commit", "-qm", "many")
    watching.wait(lambda: shown() == set(names), "a thousand files")
    git("checkout", "-q", "main")
    watching.wait(lambda: shown() == set(), "none of them")
    git("checkout", "-q", "many")
    watching.wait(lambda: shown() == set(names), "a thousand files again")
    for name in names[::2]:
        write_files(root, {name: memory(name.removesuffix(".md"), body="Here.\n")})
    git("rm", "-qf", *(f"memory/{name}" for name in names[1::2]), "memory/MEMORY.md")
    watching.wait(lambda: shown() == set(), "none of them")


def test_what_changes_while_the_directory_is_read(start: Start, tmp_path: Path) -> None:
    names = [f"n{number:04}" for number in range(1000)]
    root = write_files(tmp_path / "memory", {f"{name}.md": memory(name) for name in names} | {"MEMORY.md": "# I\n"})
    client = start()
    client.initialize("neovim", tmp_path / "memory")
    changed = names[::100]
    for name in changed:  # some before, some while, some after it is read
        write_files(root, {f"{name}.md": memory(name, body=DEAD)})
        client.barrier()
    for name in changed:
        client.wait_for_code(root / f"{name}.md", "link-dead")
    (root / f"{changed[0]}.md").unlink()
    client.wait_for_codes(root / f"{changed[0]}.md")


def test_a_memory_directory_behind_a_symlink(watching: Client, tmp_path: Path) -> None:
    real = write_files(tmp_path / "elsewhere/memory", FILES)
    (tmp_path / "app").mkdir()
    (tmp_path / "app/memory").symlink_to(real)
    name = watching.open(tmp_path / "app/memory/ferry.md")
    watching.wait_for_codes(name)
    write_files(real, {"rota.md": memory("rota", body=DEAD)})
    watching.wait_for_codes(tmp_path / "app/memory/rota.md", "link-dead")
    (real / "rota.md").unlink()
    watching.wait_for_codes(tmp_path / "app/memory/rota.md")
    watching.wait_for_codes(name, "link-dead")
    watching.close(name)
    watching.wait_for_codes(name)


@pytest.mark.skipif(os.name == "nt" or getattr(os, "geteuid", lambda: 1)() == 0, reason="nothing is closed to root")
def test_a_directory_that_may_not_be_read(watching: Client, work: Path) -> None:
    closed = write_files(work / "memory/closed", {"x.md": memory("x", body=DEAD)})
    watching.wait_for_code(closed / "x.md", "link-dead")
    closed.chmod(0)
    try:
        write_files(work / "memory", {"rota.md": memory("rota", body=DEAD)})
        watching.wait_for_codes(work / "memory/rota.md", "link-dead")
    finally:
        closed.chmod(0o700)


def test_an_open_document_wins_over_the_disk(watching: Client, work: Path) -> None:
    root = work / "memory"
    name = watching.open(root / "rota.md", memory("rota", body=f"{DEAD}{DEAD}"))
    watching.wait_for_codes(name, "link-dead", "link-dead")
    write_files(root, {"rota.md": memory("rota", body="[[another]] [[one]] [[each]]\n"), "ferry.md": DEAD})
    watching.wait_for_code(root / "ferry.md", "frontmatter-missing")
    assert watching.codes(name) == ["link-dead", "link-dead"]
    (root / "rota.md").unlink()
    write_files(root, {"ferry.md": FERRY})
    watching.wait_for_codes(root / "ferry.md")  # the open document is there to be linked
    write_files(root, {"rota.md": memory("rota", body=DEAD)})
    watching.close(name)
    watching.wait_for_codes(name, "link-dead")
    write_files(root, {"rota.md": ROTA})
    watching.wait_for_codes(name)


def test_a_burst_of_changes_leaves_the_server_at_ease(watching: Client, work: Path) -> None:
    root = work / "memory"
    name = watching.open(root / "ferry.md")
    paths = [root / f"n{number:03}.md" for number in range(500)]

    def write_all() -> None:
        for turn in range(10):
            for path in paths:
                path.write_text(memory(path.stem, body=f"[[nobody-{turn}]]\n"))

    writing = threading.Thread(target=write_all)
    writing.start()
    answered = 0
    end = time.monotonic() + 3 * PATIENCE
    while writing.is_alive() or not all("nobody-9" in str(watching.published(path)) for path in paths):
        assert watching.at("hover", name, 1, 1) is not None
        answered += writing.is_alive()
        assert time.monotonic() < end
    writing.join()
    watching.close(name)
    assert answered >= 10  # while files came all the time


def test_where_directories_are_looked_at_as_the_user_wants_it(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start(environment={"WATCHFILES_FORCE_POLLING": "1"})
    client.initialize("neovim", tmp_path / "work")
    for number in range(6):  # faster than once in a second
        write_files(root, {"rota.md": memory("rota", body=f"[[nobody-{number}]]\n")})
        client.wait(lambda number=number: f"nobody-{number}" in str(client.published(root / "rota.md")), "the change")  # type: ignore[misc]
    new = write_files(tmp_path / "work/notes", {"MEMORY.md": "- [x](x.md)\n", "x.md": memory("x", body=DEAD)})
    client.wait_for_codes(new / "x.md", "link-dead")
    shutil.rmtree(root)
    client.wait_for_codes(root / "rota.md")


# ---- the watch itself


class Heard:
    """What a watch told of, on its event loop."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.starts = self.times = 0
        self.at_start: Callable[[], None] = lambda: None
        self.watcher = Watcher(self._changed, self._started)

    def _changed(self, paths: Iterable[Path]) -> None:
        self.paths += paths
        self.times += 1

    def _started(self) -> None:
        self.starts += 1
        self.at_start()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await asyncio.sleep(0.01)


def touch(paths: Iterable[Path]) -> None:
    for path in paths:
        path.touch()


def run(scenario: Callable[[Heard], Any]) -> None:
    async def awaited() -> None:
        heard = Heard()
        try:
            await scenario(heard)
        finally:
            heard.watcher.close()

    asyncio.run(awaited())
    for thread in threading.enumerate():
        if thread.name == "watching":
            thread.join(PATIENCE)
            assert not thread.is_alive()


def test_only_the_directories_themselves_are_watched(tmp_path: Path) -> None:
    (tmp_path / "in/below").mkdir(parents=True)

    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path / "in")}))
        await heard.until(lambda: heard.starts == 1)
        write_files(tmp_path / "in", {"below/a.md": "", "b.md": ""})
        await heard.until(lambda: tmp_path / "in/b.md" in heard.paths)
        assert tmp_path / "in/below/a.md" not in heard.paths

    run(scenario)


def test_a_burst_of_changes_is_told_of_in_few_words(tmp_path: Path) -> None:
    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path)}))
        await heard.until(lambda: heard.starts == 1)
        written = {tmp_path / f"n{number:04}.md" for number in range(5000)}
        await asyncio.to_thread(touch, written)
        await heard.until(lambda: written <= set(heard.paths))
        assert heard.times < 50

    run(scenario)


def test_no_change_is_missed_between_one_watch_and_the_next(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / str(number)).mkdir()

    async def scenario(heard: Heard) -> None:
        # Whoever hears that a watch has begun looks at what is there.
        heard.at_start = lambda: heard.paths.extend((tmp_path / "0").iterdir())
        written: list[Path] = []
        for number in range(1, 6):
            heard.watcher.watch(frozenset(str(tmp_path / str(each)) for each in range(number)))
            for _ in range(20):
                written.append(tmp_path / f"0/n{len(written):03}.md")
                written[-1].touch()
                await asyncio.sleep(0.005)
        await heard.until(lambda: set(written) <= set(heard.paths))
        # The last of them is the one that goes on, and the only one.
        await heard.until(lambda: sum(thread.name == "watching" for thread in threading.enumerate()) == 1)
        (tmp_path / "4/last.md").touch()
        await heard.until(lambda: tmp_path / "4/last.md" in heard.paths)

    run(scenario)


def test_a_directory_that_comes_again_is_watched_again(tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()

    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path), str(inner)}))
        await heard.until(lambda: heard.starts == 1)
        for number in range(3):
            before = heard.starts
            shutil.rmtree(inner)
            inner.mkdir()
            await heard.until(lambda before=before: heard.starts > before)  # type: ignore[misc]
            file = inner / f"n{number}.md"
            # More than one watch may begin, since it went and came.
            for _ in range(100):
                file.touch()
                if file in heard.paths:
                    break
                await asyncio.sleep(0.05)
            assert file in heard.paths

    run(scenario)


def test_directories_that_are_not_there_hinder_nobody(tmp_path: Path) -> None:
    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path / "gone"), str(tmp_path)}))
        await heard.until(lambda: heard.starts == 1)
        (tmp_path / "a.md").touch()
        await heard.until(lambda: tmp_path / "a.md" in heard.paths)
        heard.watcher.watch(frozenset())
        await heard.until(lambda: heard.starts == 2)

    run(scenario)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are text")
def test_a_directory_whose_name_is_no_text_hinders_nobody(tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    odd.mkdir()

    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(odd), str(tmp_path)}))
        await heard.until(lambda: heard.starts == 1)
        (tmp_path / "a.md").touch()
        await heard.until(lambda: tmp_path / "a.md" in heard.paths)

    run(scenario)


def test_after_the_end_nothing_is_told(tmp_path: Path) -> None:
    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path)}))
        await heard.until(lambda: heard.starts == 1)
        heard.watcher.close()
        (tmp_path / "a.md").touch()
        await heard.until(lambda: not any(thread.name == "watching" for thread in threading.enumerate()))
        assert heard.paths == []

    run(scenario)


def test_what_the_system_can_not_watch_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watch = watchfiles.watch

    def limited(*paths: Any, force_polling: bool | None = None, **more: Any) -> Any:
        if force_polling is None:
            raise OSError(28, "OS file watch limit reached")
        return watch(*paths, force_polling=force_polling, **more)

    monkeypatch.setattr(watchfiles, "watch", limited)

    async def scenario(heard: Heard) -> None:
        sizes: list[int] = []
        heard.at_start = lambda: sizes.extend(file.stat().st_size for file in tmp_path.iterdir())
        heard.watcher.watch(frozenset({str(tmp_path)}))
        await heard.until(lambda: heard.starts == 1)
        write_files(tmp_path, {"a.md": "One.\n"})
        await heard.until(lambda: tmp_path / "a.md" in heard.paths)
        # In the same second, most likely, and then nobody sees it; whoever looks later does.
        write_files(tmp_path, {"a.md": "Two, and more.\n"})
        await heard.until(lambda: len("Two, and more.\n") in sizes)
        heard.paths.clear()
        (tmp_path / "a.md").unlink()
        await heard.until(lambda: tmp_path / "a.md" in heard.paths)

    run(scenario)
    assert [record.getMessage() for record in caplog.records] == [
        "The system can't watch 1 directories, so they are looked at instead"
    ]


def test_a_system_that_lets_nobody_watch_is_told_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*paths: Any, **more: Any) -> Any:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(watchfiles, "watch", refuse)

    async def scenario(heard: Heard) -> None:
        heard.watcher.watch(frozenset({str(tmp_path)}))
        await heard.until(lambda: "can't be watched" in caplog.text)
        assert heard.paths == []

    run(scenario)
