"""The session: whatever happens in whatever order, in the end the client knows what a new session would tell it."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_ls.directory.loader import load_in_steps
from memory_ls.server import background, checker, witness
from memory_ls.server import session as session_module
from memory_ls.server.convert import Findings
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from tests.making import memory, write_files
from tests.server.client import uri


class Told:
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        self.newest: dict[str, Findings] = {}
        self.all: list[Findings] = []

    def __call__(self, findings: Findings) -> None:
        self.newest[findings.uri] = findings
        self.all.append(findings)

    def everything(self) -> dict[str, list[tuple[object, ...]]]:
        """What the client shows now, by file."""
        return {
            name: [(d.code, d.span, d.severity, d.message, d.related) for d in findings.diagnostics]
            for name, findings in sorted(self.newest.items())
            if findings.diagnostics
        }

    def codes(self, path: Path | str) -> list[str]:
        findings = self.newest.get(path if isinstance(path, str) else uri(path))
        return [diagnostic.code for diagnostic in findings.diagnostics] if findings else []


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Idle time is over at once, and nobody's own memories are looked at."""
    monkeypatch.setattr(checker, "_IDLE", 0.0)
    monkeypatch.setattr(background, "_ASIDE", 0.0)
    monkeypatch.setattr(witness, "_PAUSE", 0.0)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


async def settled(session: Session) -> None:
    """Waits until the session has nothing left to do."""
    while True:
        tasks = [task for task in session._background.tasks if not task.done()]
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)
        elif (
            session._checker.idle is not None
            and session._checker.idle.when() >= asyncio.get_running_loop().time() - 1
            and not _is_over(session)
        ):
            await asyncio.sleep(0)
        else:
            await asyncio.sleep(0)
            if not session._background.tasks:
                return


def _is_over(session: Session) -> bool:
    """Whether the costly rules have nothing left to look at."""
    return not any(held.costly_due or held.alike_due for held in session._held.values() if held.directory is not None)


def run(scenario: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        return await asyncio.wait_for(_awaited(scenario), 30)

    return asyncio.run(bounded())


async def _awaited(scenario: Callable[[], Awaitable[Any]]) -> Any:
    return await scenario()


FERRY = memory("ferry", body="[[rota]] [[nobody]]\n")
FILES = {
    "MEMORY.md": "- [ferry](ferry.md)\n- [rota](rota.md)\n",
    "ferry.md": FERRY,
    "rota.md": memory("rota", body="R.\n"),
}


def test_tells_each_thing_once(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        await settled(session)
        assert [findings.uri for findings in told.all] == [uri(root / "ferry.md")]
        session.disk_changed([root / "ferry.md", root / "rota.md", root / "MEMORY.md"])
        await settled(session)
        assert len(told.all) == 1

    run(scenario)


def test_what_changes_while_the_directory_is_read_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_files(tmp_path / "memory", FILES)
    told = Told()
    session = Session(told)

    def overtaken(*args: Any, **more: Any) -> Generator[int, None, object]:
        steps: Any = load_in_steps(*args, **more)
        directory = yield from steps
        (root / "ferry.md").unlink()
        write_files(root, {"rota.md": memory("rota", body="[[somebody]]\n")})
        session.disk_changed([root / "ferry.md", root / "rota.md"])
        return directory

    async def scenario() -> None:
        monkeypatch.setattr(session_module, "load_in_steps", overtaken)
        session.configure([root], {})
        session.start()
        await settled(session)
        assert told.codes(root / "rota.md") == ["link-dead"]
        assert told.codes(root / "MEMORY.md") == ["index-dead-link"]
        assert told.codes(root / "ferry.md") == []

    run(scenario)


def test_what_an_editor_still_shows_of_a_file_that_is_gone_is_no_memory_until_it_is_edited(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)
    told = Told()
    session = Session(told)
    ferry = root / "ferry.md"

    async def scenario() -> None:
        def is_a_memory() -> bool:
            (directory,) = session.loaded()
            there = "ferry.md" in directory.documents
            assert there == (session.place(uri(ferry)) is not None) == ("ferry.md" in directory.files.names)
            return there

        session.configure([root], {})
        session.start()
        session.opened(uri(ferry), 1, FERRY)
        await settled(session)
        assert told.codes(ferry) == ["link-dead"]
        ferry.unlink()
        session.disk_changed([ferry])
        await settled(session)
        assert not is_a_memory()
        assert (told.codes(ferry), told.codes(root / "MEMORY.md")) == ([], ["index-dead-link"])
        session.changed(uri(ferry), 2, FERRY + "More.\n")
        await settled(session)
        assert is_a_memory()
        assert (told.codes(ferry), told.codes(root / "MEMORY.md")) == (["link-dead"], [])
        session.changed(uri(ferry), 3, FERRY)
        assert not is_a_memory()
        write_files(root, {"ferry.md": FERRY})
        session.saved(uri(ferry))
        assert is_a_memory()
        ferry.unlink()
        session.disk_changed([root])
        await settled(session)
        assert not is_a_memory()
        write_files(root, {"ferry.md": FERRY})
        session.disk_changed([ferry])
        assert is_a_memory()
        session.opened(uri(root / "new.md"), 1, memory("new"))
        session.disk_changed([root / "new.md"])
        assert "new.md" in session.loaded()[0].documents, "what never had a file is what its editor shows"

    run(scenario)


def test_a_directory_inside_that_loses_its_index_is_the_outer_ones_again(tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "memory", {**FILES, "team/MEMORY.md": "x\n", "team/a.md": memory("a", body="[[none]]\n")}
    )

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        await settled(session)
        assert told.codes(root / "team/a.md") == ["link-dead"]
        (root / "team/MEMORY.md").unlink()
        session.disk_changed([root / "team/MEMORY.md"])
        await settled(session)
        assert told.codes(root / "team/a.md") == ["memory-not-indexed", "link-dead"]

    run(scenario)


@pytest.mark.parametrize("place", ["memory", "notes", ".claude/memory"])
def test_a_memory_directory_that_is_moved_away_and_back(tmp_path: Path, place: str) -> None:
    root = write_files(tmp_path / "work" / place, FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path / "work"], {})
        session.start()
        await settled(session)
        root.rename(tmp_path / "away")
        session.disk_changed([root])
        await settled(session)
        assert told.everything() == {}
        (tmp_path / "away").rename(root)
        session.disk_changed([root])
        await settled(session)
        assert list(told.everything()) == [uri(root / "ferry.md")]

    run(scenario)


def test_every_file_of_a_directory_counts_as_soon_as_the_settings_name_it(tmp_path: Path) -> None:
    root = write_files(tmp_path / "notes", {"MEMORY.md": "# Index\n", "plain.md": "See [[nobody-here]].\n"})

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path], {})
        session.start()
        for is_settled in (True, False):  # and while it is read
            await settled(session) if is_settled else session.rescan()
            session.settings_given({"directories": ["notes"]})
            await settled(session)
            assert "link-dead" in told.codes(root / "plain.md")
            session.settings_given({})
            await settled(session)
            assert told.everything() == {}

    run(scenario)


@pytest.mark.parametrize("gone", [".", "ferry.md"])
def test_a_known_place_without_memories_is_none_that_is_held(tmp_path: Path, gone: str) -> None:
    root = write_files(tmp_path / "work/.claude/memory", {"ferry.md": FERRY})

    async def scenario() -> None:
        session = Session(Told())
        session.configure([tmp_path / "work"], {})
        session.start()
        await settled(session)
        assert [held.path for held in session.held()] == [root]
        (root / "ferry.md").unlink()
        if gone == ".":
            root.rmdir()
        session.disk_changed([root / gone])
        await settled(session)
        assert session.held() == []

    run(scenario)


def test_an_unreadable_directory_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_files(tmp_path / "memory", FILES)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    async def scenario() -> None:
        monkeypatch.setattr(session_module, "load_in_steps", refuse)
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        session.opened(uri(root / "ferry.md"), 1, FERRY)
        await settled(session)
        assert told.all == []
        assert session.place(uri(root / "ferry.md")) is None
        session.changed(uri(root / "ferry.md"), 2, FERRY)
        session.closed(uri(root / "ferry.md"))

    run(scenario)


def test_a_text_that_is_no_file_touches_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([], {})
        touched: list[object] = []
        for module, name in (
            (os, "stat"),
            (os, "lstat"),
            (os, "open"),
            (os, "scandir"),
            (os.path, "realpath"),
            (Path, "open"),
        ):
            monkeypatch.setattr(module, name, lambda *args, **_: touched.append(args))
        for name in (
            "untitled:notes.md",
            "git:/w/memory/a.md?x",
            "file:///c%3A/w/memory/a.md",
            "file://host/memory/a.md",
        ):
            session.opened(name, 1, "[[a]]")
            session.changed(name, 2, "[[b]] [c](d.md)")
            session.place(name)
            session.closed(name)
        monkeypatch.undo()
        assert touched == []
        assert told.all == []

    run(scenario)


@pytest.mark.parametrize("place", ["memory", "notes"])
def test_an_index_that_goes_while_the_directory_is_read(tmp_path: Path, place: str) -> None:
    root = write_files(tmp_path / "work" / place, FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path / "work"], {})
        session.start()
        session.opened(uri(root / "MEMORY.md"), 1, FILES["MEMORY.md"])
        (root / "MEMORY.md").unlink()
        session.disk_changed([root / "MEMORY.md"])
        await settled(session)
        assert told.everything() == {}

    run(scenario)


def test_an_index_that_a_directory_takes_the_place_of(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path], {"directories": [str(root)]})
        session.start()
        await settled(session)
        (root / "MEMORY.md").unlink()
        write_files(root, {"MEMORY.md/inside.md": memory("inside", body="[[nobody]]\n")})
        for _ in range(2):
            session.disk_changed([root / "MEMORY.md"])
            await settled(session)  # once, and not for ever
        assert told.codes(root / "ferry.md") == ["link-dead"]
        assert told.codes(root / "MEMORY.md") == ["file-unreadable"]
        assert told.codes(root / "MEMORY.md" / "inside.md") == []

    run(scenario)


def test_what_is_excluded_is_left_alone(tmp_path: Path) -> None:
    kept = write_files(tmp_path / "work/memory", FILES)
    left = write_files(tmp_path / "work/third-party/memory", FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path / "work"], {"exclude": ["third-party"]})
        session.start()
        session.opened(uri(left / "ferry.md"), 1, FERRY)
        await settled(session)
        assert list(told.everything()) == [uri(kept / "ferry.md")]

    run(scenario)


def test_thousands_of_changes_on_the_disk(tmp_path: Path) -> None:
    files = {f"n{number:04}.md": memory(f"n{number:04}", body="[[nobody]]\n") for number in range(400)}
    root = write_files(tmp_path / "memory", {**files, "MEMORY.md": "# Index\n"})

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        await settled(session)
        assert len(told.everything()) == 400
        for key in files:
            (root / key).unlink()
        session.disk_changed([root / key for key in files])
        await settled(session)
        assert told.everything() == {}

    run(scenario)


# ---- any order of anything

# How many orders, in which anything may happen, are tried for each place; many more where somebody looks for faults.
EXAMPLES = int(os.environ.get("MEMORY_LS_EXAMPLES", "150"))

_KEYS = ("ferry.md", "Ferry.md", "user_rota.md", "team/rota.md", "README.md", "停航.md")
_TEXTS = (
    FERRY,
    memory("ferry", body="The last boat leaves the quay at six in the evening, and waits for nobody at all.\n"),
    memory("skiff", body="The last boat leaves the quay at six in the evening, and waits for nobody at all.\n"),
    memory("rota", "Who works", body="[[ferry#Why]] [x](ferry.md) [[Ferry]] [x](team/rota.md) ![x](plan.png)\n"),
    memory("停航", kind="feedbak", body="token: ghp_0123456789abcdefghijABCDEFGHIJ012345\n\n## Why\n"),
    memory("old", body="x\n", extra="status: stale\n"),
    memory("flat", nested=False, body="[[user_rota]] [[rota]] [[README]]\n"),
    "# No frontmatter\n\n[[ferry]]\n",
    "---\nname: [\n---\n[[ferry]]\n",
    "",
    "\ufeff" + FERRY.replace("\n", "\r\n"),
)
_INDEXES = (
    "- [ferry](ferry.md)\n- [[rota]]\n",
    "- [ferry](ferry.md)\n- [ferry](ferry.md)\n- [gone](gone.md)\n",
    "# Prose alone\n",
    "- [a](README.md)\n- [team](team/)\n- [停航](停航.md)\n",
    "",
)
_SETTINGS: tuple[object, ...] = (
    None,
    {},
    {"rules": {"link-dead": "error", "memory-not-indexed": "off"}},
    {"memoryLs": {"diagnosticScope": "open"}},
    {"directories": ["spare"], "staleDays": 1},
    {"exclude": ["team", "spare"]},
    {"dialect": "flat", "nonsense": 1},
)
_PLACES = (*_KEYS, "MEMORY.md", "team/MEMORY.md", "team", "plan.png", ".memory-ls.toml")
# Relative to the workspace: other memory directories, and settings that hold above all of them.
_ELSEWHERE = ("spare", "spare/old.md", "spare/MEMORY.md", ".memory-ls.toml", ".agents/memory/hint.md", ".agents")

_FILE = st.one_of(
    st.tuples(st.sampled_from(_KEYS), st.sampled_from(_TEXTS)),
    st.tuples(st.sampled_from(["MEMORY.md", "team/MEMORY.md"]), st.sampled_from(_INDEXES)),
    st.just(("plan.png", "x")),
    st.tuples(st.just(".memory-ls.toml"), st.sampled_from(['[rules]\nlink-dead = "off"\n', "nonsense = 1\n", ""])),
    st.tuples(st.sampled_from(["../spare/old.md", "../.agents/memory/hint.md"]), st.sampled_from(_TEXTS)),
    st.tuples(st.just("../spare/MEMORY.md"), st.sampled_from(_INDEXES)),
    st.just(("../.memory-ls.toml", '[rules]\nlink-dead = "hint"\ntypo = "off"\n')),
)
_ANY_PLACE = st.sampled_from([*_PLACES, *(f"../{place}" for place in _ELSEWHERE)])
_TOLD = st.sampled_from(["", "", "silently"])
_step = st.one_of(
    st.tuples(st.sampled_from(["open", "change"]), _FILE.filter(lambda file: file[0].endswith(".md"))),
    st.tuples(st.just("close"), st.sampled_from([*_KEYS, "MEMORY.md", "../spare/old.md"])),
    st.tuples(st.just("write"), _FILE, _TOLD),
    st.tuples(st.just("delete"), st.one_of(_ANY_PLACE, st.just(".")), _TOLD),
    st.tuples(st.just("rename"), _ANY_PLACE, _ANY_PLACE, _TOLD),
    st.tuples(st.just("folders"), st.sampled_from(["", ".", "spare", "memory"]), st.sampled_from(["", ".", "spare"])),
    st.tuples(st.just("settings"), st.sampled_from(_SETTINGS)),
    st.tuples(st.sampled_from(["settle", "breathe", "breathe", "rescan"])),
)


class World:
    """A disk, a client, and a session that is told of what they do."""

    def __init__(self, base: Path, root: Path) -> None:
        self.base = base
        self.root = root
        self.told = Told()
        self.watched: frozenset[str] = frozenset()
        self.session = Session(self.told, self._watch)
        self.open: dict[str, str] = {}
        self.folders = [base]
        self.settings: object = None
        self._is_all_told = True
        self._writes = 0

    def _watch(self, directories: frozenset[str]) -> None:
        self.watched = directories

    def start(self) -> None:
        self.session.configure(self.folders, {})
        self.session.start()

    async def do(self, action: str, *more: Any) -> None:
        if action == "settle":
            await settled(self.session)
        elif action == "breathe":
            await asyncio.sleep(0)
        elif action == "rescan":
            self.rescan()
        else:
            getattr(self, f"_{action}")(*more)

    def rescan(self) -> None:
        """Has the session find out what nobody told it of."""
        if not self._is_all_told:
            self._is_all_told = True
            self.session.rescan()

    def _path(self, key: str) -> Path:
        # What lies elsewhere is reached by way of the workspace, however deep the memory directory lies in it.
        return self.base / key[3:] if key.startswith("../") else self.root / key

    def _open(self, file: tuple[str, str]) -> None:
        name = uri(self._path(file[0]))
        self.open[name] = file[1]
        self.session.opened(name, 1, file[1])

    def _change(self, file: tuple[str, str]) -> None:
        name = uri(self._path(file[0]))
        self.open[name] = file[1]
        self.session.changed(name, 2, file[1])

    def _close(self, key: str) -> None:
        name = uri(self._path(key))
        self.open.pop(name, None)
        self.session.closed(name)

    def _write(self, file: tuple[str, str], told: str) -> None:
        key, text = file
        path = self._path(key)
        if path.is_dir() or any(parent.is_file() for parent in path.parents):
            return
        made = [parent for parent in path.parents if not parent.exists()]
        write_files(path.parent, {path.name: text})
        # A file of the same size is another by its time.
        self._writes += 1
        os.utime(path, ns=(self._writes * 1_000_000, self._writes * 1_000_000))
        self._tell(told, *made, path)

    def _delete(self, key: str, told: str) -> None:
        path = self._path(key)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        self._tell(told, path)

    def _rename(self, key: str, new_key: str, told: str) -> None:
        path, new = self._path(key), self._path(new_key)
        if not path.exists() or new.is_dir() or path in new.parents or not new.parent.is_dir():
            return
        if path.is_dir() and new.exists():
            return
        path.rename(new)
        self._tell(told, path, new)

    def _tell(self, told: str, *paths: Path) -> None:
        if told:
            self._is_all_told = False
        else:
            self.session.disk_changed(paths)

    def _folders(self, added: str, removed: str) -> None:
        gone = [self.base / removed] if removed else []
        come = [self.base / added] if added else []
        self.folders = list(dict.fromkeys([*(folder for folder in self.folders if folder not in gone), *come]))
        self.session.folders_changed(come, gone)

    def _settings(self, given: object) -> None:
        if given is not None:
            self.settings = given
        self.session.settings_given(given)

    async def again(self) -> World:
        """The same world, with a new session in it."""
        new = World(self.base, self.root)
        new.session.configure(self.folders, {})
        new.session.settings_given(self.settings)
        new.session.start()
        await settled(new.session)
        for name, text in self.open.items():
            # What is left of a file that is gone counts as little as what nobody has open.
            if not self.session._open[name].is_left:
                new.session.opened(name, 1, text)
        await settled(new.session)
        new.session.close()
        return new

    def kept(self) -> dict[str, object]:
        """All that the session holds: by directory, and of open texts and settings files."""
        return {
            **{held.root: _kept(held) for held in self.session.held()},
            "places": {name: opened.place for name, opened in self.session._open.items() if not opened.is_left},
            "open": {place: opened.uri for place, opened in self.session._open_at.items() if not opened.is_left},
            "settings files": {path: text for path, (text, _) in self.session._faulty_settings.items()},
            "tasks": [task for task in self.session._background.tasks if not task.done()],
        }


def _kept(held: Held) -> dict[str, object]:
    directory = held.directory
    assert directory is not None
    told = {key: found for key, found in held.published.items() if found}
    texts = {key: document.source.text for key, document in directory.documents.items()}
    others = {key: document.source.text for key, document in directory.others.items()}
    return {
        "texts": texts,
        "others": others,
        "index": directory.index and directory.index.source.text,
        "files": set(directory.files.names),
        "lenient": directory.lenient,
        "settings": held.settings,
        "settings files": held.settings_places,
        "style": held.style,
        "told": {key: [(d.code, d.span) for d in found] for key, found in told.items()},
        "left to do": (held.unchecked, held.costly_due, held.alike_due, held.missed, held.due, held.is_reading),
        "looked at": {key for each in (held.quick, held.costly, held.alike) for key, found in each.items() if found},
    }


@pytest.mark.parametrize("place", ["memory", "notes", ".claude/memory"])
@given(
    steps=st.lists(_step, max_size=14),
    start=st.dictionaries(st.sampled_from(_KEYS), st.sampled_from(_TEXTS), max_size=4),
    few=st.sampled_from([0, 1, session_module._FEW]),
    portion=st.sampled_from([1, 2, session_module._PORTION]),
)
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_in_the_end_the_client_knows_what_a_new_session_would_tell(
    place: str, steps: list[tuple[Any, ...]], start: dict[str, str], few: int, portion: int
) -> None:
    async def scenario() -> None:
        world = World(base, root)
        world.start()
        for step in steps:
            await world.do(*step)
        world.rescan()
        await settled(world.session)
        world.session.close()
        again = await world.again()
        assert world.told.everything() == again.told.everything()
        assert world.kept() == again.kept()
        assert set(filter(os.path.isdir, world.watched)) == set(filter(os.path.isdir, again.watched))

    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_module, "_FEW", few)
        patch.setattr(session_module, "_PORTION", portion)
        base = Path(os.path.realpath(name))
        root = write_files(base / place, {"MEMORY.md": _INDEXES[0], **start})
        run(scenario)


def test_a_file_that_another_directory_takes_over_keeps_what_that_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "_FEW", 0)
    monkeypatch.setattr(session_module, "_PORTION", 1)
    root = write_files(tmp_path / "memory", {"MEMORY.md": "- [ferry](ferry.md)\n", "team/rota.md": FERRY})

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path], {})
        session.start()
        await settled(session)
        (root / "team/MEMORY.md").write_text("- [rota](rota.md)\n")
        session.rescan()
        await settled(session)
        assert "name-differs-from-file" in told.codes(root / "team/rota.md")
        (root / "team/MEMORY.md").unlink()
        (root / "team/rota.md").unlink()
        session.rescan()
        await settled(session)
        assert told.codes(root / "team/rota.md") == []
        session.close()

    run(scenario)


def test_findings_are_told_again_when_the_same_offsets_are_other_lines(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES | {"ferry.md": memory("ferry", body="One.\nsee [[nobody]]\n")})

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        await settled(session)
        before = told.all[-1]
        write_files(root, {"ferry.md": memory("ferry", body="\nOne.see [[nobody]]\n")})
        session.disk_changed([root / "ferry.md"])
        await settled(session)
        after = told.all[-1]
        assert after is not before
        span = after.diagnostics[0].span
        assert span == before.diagnostics[0].span
        assert after.source.position(span.start) != before.source.position(span.start)

    run(scenario)


def test_a_directory_that_came_while_its_parent_was_read_is_not_lost(tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", FILES)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        while not any(held.is_reading for held in session._held.values()):
            await asyncio.sleep(0)
        write_files(root, {"team/new.md": memory("new", body="[[nowhere]]\n")})
        session.disk_changed([root / "team"])
        await settled(session)
        assert uri(root / "team" / "new.md") in {findings.uri for findings in told.all}
        (held,) = session._held.values()
        assert held.directory is not None
        assert "team" not in held.directory.files.names

    run(scenario)


def test_a_fault_while_reading_is_told_without_text_and_reading_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = write_files(tmp_path / "memory", FILES)
    words = " ".join(["the", "tide", "turns"])

    def fault(*arguments: object, **options: object) -> Any:
        raise RuntimeError(words)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        with monkeypatch.context() as patch:
            patch.setattr(session_module, "load_in_steps", fault)
            session.start()
            await settled(session)
        assert "RuntimeError" in caplog.text
        assert words not in caplog.text
        assert told.all == []
        session.start()
        await settled(session)
        assert [findings.uri for findings in told.all] == [uri(root / "ferry.md")]

    run(scenario)


# ---- many changes at once


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A directory that counts by its index alone, with so many memories that those of a third are taken in portions."""
    names = [f"buoy-{number:03}" for number in range(600)]
    return write_files(tmp_path / "notes", {f"{name}.md": memory(name) for name in names} | {"MEMORY.md": "# Index\n"})


def change_many(root: Path, body: str = "[[nobody]]\n") -> list[Path]:
    """Writes 200 memories."""
    return [
        write_files(root, {f"buoy-{number:03}.md": memory(f"buoy-{number:03}", body=body)}) / f"buoy-{number:03}.md"
        for number in range(200)
    ]


async def started(root: Path, told: Told) -> Session:
    """A session that has looked at the directory, and found nothing."""
    session = Session(told)
    session.configure([root], {})
    session.start()
    await settled(session)
    assert told.everything() == {}
    told.all.clear()
    return session


def test_many_changes_on_the_disk_let_messages_in(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_SLICE", 0.0)  # however quick the machine

    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        (held,) = session.held()
        texts: list[str] = []
        between = 0
        paths = change_many(many)
        session.disk_changed(paths)
        assert told.all == []
        while len(told.all) < len(paths):
            place = session.place(uri(paths[-1]))
            assert place is not None
            texts.append(place.document.source.text)
            between += bool(told.all)
            await asyncio.sleep(0)
        assert "nobody" not in texts[0]
        assert "nobody" in texts[-1]
        assert between >= len(paths)
        await settled(session)
        assert {findings.uri for findings in told.all} == set(map(uri, paths))
        assert len(told.all) == len(paths)  # each told once
        assert held.due == set()

    run(scenario)


def test_who_waits_until_all_is_looked_at_waits_for_many_changes(many: Path) -> None:
    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        paths = change_many(many)
        session.disk_changed(paths)
        await session.ready()
        assert all(told.codes(path) == ["link-dead"] for path in paths)
        session.close()

    run(scenario)


def test_many_changes_show_while_somebody_types(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_ASIDE", 0.02)

    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        typed = uri(many / "buoy-500.md")
        session.opened(typed, 1, "")
        paths = change_many(many)
        session.disk_changed(paths)
        version = 1
        while not all(told.codes(path) for path in paths):
            version += 1
            session.changed(typed, version, "x" * (version % 5))
            await asyncio.sleep(0.005)
        session.close()

    run(scenario)


def test_what_changes_twice_while_many_changes_are_taken(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_SLICE", 0.0)

    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        paths = change_many(many)
        session.disk_changed(paths)
        for _ in range(20):
            await asyncio.sleep(0)
        opened, written = paths[0], paths[1]
        assert (held := session.held()[0]).due
        assert opened.name not in held.due  # taken, and not looked at yet
        session.opened(uri(opened), 1, memory("buoy-000", body="Ida, then Bo.\n"))
        session.opened(uri(paths[-1]), 1, memory("buoy-199", body="Bo, then Ida.\n"))
        write_files(many, {written.name: memory("buoy-001", body="The tide turns.\n")})
        session.disk_changed([written])
        await settled(session)
        calm = {opened, written, paths[-1]}
        assert {path for path in paths if not told.codes(path)} == calm
        session.closed(uri(opened))
        session.closed(uri(paths[-1]))
        await settled(session)
        assert [path for path in paths if not told.codes(path)] == [written]

    run(scenario)


def test_a_reading_takes_over_what_is_left_of_many_changes(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_SLICE", 0.0)

    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        (held,) = session.held()
        paths = change_many(many)
        session.disk_changed(paths)
        await asyncio.sleep(0)
        write_files(many, {"team/new.md": memory("new", body="[[nowhere]]\n")})
        session.disk_changed([many / "team"])
        assert held.is_reading
        assert held.due == set()
        assert len(held.missed) > 100
        await settled(session)
        assert all(told.codes(path) == ["link-dead"] for path in paths)
        assert "link-dead" in told.codes(many / "team/new.md")

    run(scenario)


def test_a_directory_that_goes_while_many_changes_are_taken(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_SLICE", 0.0)

    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        (held,) = session.held()
        session.disk_changed(change_many(many))
        while not told.all:
            await asyncio.sleep(0)
        (many / "MEMORY.md").unlink()
        session.disk_changed([many / "MEMORY.md"])
        assert held.due == set()
        await settled(session)
        assert session.held() == []
        assert told.everything() == {}

    run(scenario)


def test_the_index_goes_among_many_changes(many: Path) -> None:
    async def scenario() -> None:
        told = Told()
        session = await started(many, told)
        paths = change_many(many)
        (many / "MEMORY.md").unlink()
        session.disk_changed([*paths, many / "MEMORY.md"])
        await settled(session)
        assert session.held() == []
        assert told.everything() == {}

    run(scenario)


def test_many_changes_at_once_are_read_in_one_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"buoy-{number}" for number in range(session_module._MANY + 2)]
    root = write_files(tmp_path / "memory", {f"{name}.md": memory(name) for name in names} | {"MEMORY.md": ""})
    reads: list[object] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        reads.append(arguments)
        return load_in_steps(*arguments, **options)

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([root], {})
        session.start()
        await settled(session)
        monkeypatch.setattr(session_module, "load_in_steps", counted)
        for name in names[1:]:
            (root / f"{name}.md").unlink()
        write_files(root, {"buoy-0.md": memory("buoy-0", body="[[gone]]\n")})
        session.disk_changed([root / f"{name}.md" for name in names])
        await settled(session)
        assert len(reads) == 1
        shown = {name: [code for code, *_ in found] for name, found in told.everything().items()}
        assert shown == {uri(root / "buoy-0.md"): ["link-dead"]}

    run(scenario)


def test_events_in_a_burst_start_no_more_than_one_more_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "memory", FILES)
    looks: list[object] = []
    look = Session._discover

    async def counted(session: Session) -> None:
        looks.append(session)
        await look(session)

    async def scenario() -> None:
        session = Session(Told())
        session.configure([tmp_path], {})
        session.start()
        await settled(session)
        monkeypatch.setattr(Session, "_discover", counted)
        for number in range(50):
            write_files(tmp_path / f"new-{number}", {"a.md": ""})
            session.disk_changed([tmp_path / f"new-{number}"])
        await settled(session)
        assert 1 <= len(looks) <= 2

    run(scenario)


def test_relative_directories_count_from_the_workspace_folder(tmp_path: Path) -> None:
    write_files(tmp_path / "app" / "notes", {"ferry.md": memory("ferry", body="[[nobody]]\n")})

    async def scenario() -> None:
        told = Told()
        session = Session(told)
        session.configure([tmp_path / "app"], {"directories": ["notes"]})
        session.start()
        await settled(session)
        assert [findings.uri for findings in told.all] == [uri(tmp_path / "app" / "notes" / "ferry.md")]

    run(scenario)


def test_the_newest_set_of_directories_to_watch_has_the_last_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path / "first/memory", FILES)
    write_files(tmp_path / "second/memory", FILES)
    asked: list[threading.Event] = []
    places_to_watch = Held.places_to_watch

    def slow_at_first(held: Held) -> set[str]:
        places = places_to_watch(held)
        asked.append(threading.Event())
        if len(asked) == 1:
            asked[0].wait(5)
        return places

    async def scenario() -> None:
        watched: list[frozenset[str]] = []
        session = Session(Told(), watched.append)
        session.configure([tmp_path / "first"], {})
        with monkeypatch.context() as patch:
            patch.setattr(Held, "places_to_watch", slow_at_first)
            session.start()
            while not asked:
                await asyncio.sleep(0)
            session.folders_changed([tmp_path / "second"], [])
            while len(session.held()) < 2 or any(held.is_reading for held in session.held()):
                await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.1, asked[0].set)
            await settled(session)
        assert {str(tmp_path / "first/memory"), str(tmp_path / "second/memory")} <= watched[-1]

    run(scenario)


def test_a_file_that_belongs_to_no_directory_has_none_held(tmp_path: Path) -> None:
    async def scenario() -> None:
        session = Session(Told())
        session.configure([], {})
        session.opened(uri(tmp_path / ".claude/memory/team/MEMORY.md"), 1, "- [a](a.md)\n")
        await settled(session)
        assert session.held() == []

    run(scenario)
