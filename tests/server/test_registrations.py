"""What the server has the client tell it of: each registration once, only where declared, and in time."""

from __future__ import annotations

import fnmatch
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from memory_ls.directory.discover import project_directory
from memory_ls.server.convert import path_of
from memory_ls.server.registrations import Registrations, file_watchers
from tests.making import memory, write_files
from tests.server.client import CLIENTS, JSON, PATIENCE, Client, uri
from tests.server.conftest import Start

FILES = {"MEMORY.md": "- [ferry](ferry.md)\n", "ferry.md": memory("ferry", body="[[nobody]]\n")}
DEAD = memory("tide", body="[[nobody]]\n")
FILE_EVENTS = "workspace/didChangeWatchedFiles"
SETTINGS_EVENTS = "workspace/didChangeConfiguration"


def patterns(client: Client) -> set[tuple[Path, str]]:
    """The base and the pattern of all that is watched, of the one registration there is."""
    [options] = client.registered(FILE_EVENTS).values()
    return {(Path(path_of(each["baseUri"]) or ""), each["pattern"]) for each in map(_glob, options["watchers"])}


def _glob(watcher: JSON) -> JSON:
    assert set(watcher) == {"globPattern"}  # all kinds of events
    glob: JSON = watcher["globPattern"]
    return glob


def is_watched(client: Client, path: Path) -> bool:
    """Whether the client would tell of ``path``, by what is registered."""
    return any(_fits(path, base, pattern) for base, pattern in patterns(client))


def _fits(path: Path, base: Path, pattern: str) -> bool:
    if base not in path.parents:
        return False
    inside = path.relative_to(base)
    if pattern.startswith("**/"):
        return fnmatch.fnmatchcase(path.name, pattern[3:])
    return len(inside.parts) == 1 and fnmatch.fnmatchcase(path.name, pattern)


@pytest.mark.parametrize("name", CLIENTS)
def test_files_are_watched_by_the_client_where_it_can_and_by_the_server_elsewhere(
    start: Start, tmp_path: Path, name: str
) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.initialize(name, tmp_path / "work")
    client.wait_for_codes(root / "ferry.md", "link-dead")
    support = client.capabilities["workspace"].get("didChangeWatchedFiles", {})
    if support.get("dynamicRegistration") and support.get("relativePatternSupport"):
        client.wait(lambda: client.registered(FILE_EVENTS), "what is watched")
        assert not watches_by_itself(client)
    else:
        client.wait(lambda: watches_by_itself(client), "a watch")
        assert client.registered(FILE_EVENTS) == {}
        write_files(root, {"tide.md": DEAD})
        client.wait_for_code(root / "tide.md", "link-dead")
    assert bool(client.registered(SETTINGS_EVENTS)) == bool(
        client.capabilities["workspace"].get("didChangeConfiguration", {}).get("dynamicRegistration")
    )


def watches_by_itself(client: Client) -> bool:
    """Whether the server has the operating system watch directories."""
    files = Path(f"/proc/{client.process.pid}/fd")
    if not files.is_dir():
        pytest.skip("only Linux tells")
    return any("inotify" in os.readlink(each) for each in files.iterdir() if os.path.islink(each))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    write_files(tmp_path / "work/memory", FILES)
    return tmp_path / "work"


@pytest.fixture
def vscode(start: Start, work: Path) -> Client:
    client = start()
    client.initialize("vscode", work)
    client.wait_for_codes(work / "memory/ferry.md", "link-dead")
    client.wait(lambda: (work / "memory", "**/*") in now(client), "what is watched")
    return client


def now(client: Client) -> set[tuple[Path, str]]:
    """As ``patterns``; nothing while one registration takes the place of another."""
    return patterns(client) if len(client.registered(FILE_EVENTS)) == 1 else set()


def test_what_is_watched(vscode: Client, work: Path, tmp_path: Path) -> None:
    root = work / "memory"
    assert patterns(vscode) == {
        (tmp_path / "home0/config/memory-ls", "memory-ls.toml"),
        (work, "**/*.md"),
        (work, "**/.memory-ls.toml"),
        (work, ".memory-ls.toml"),
        (work, "memory"),
        (root, "**/*"),
    }
    for path in (root / "ferry.md", root / "team", root / "team/plan.png", root, work / "a/b/MEMORY.md"):
        assert is_watched(vscode, path), path
    assert not is_watched(vscode, work / "main.py")


def test_directories_that_come_and_go_are_watched_and_no_longer(vscode: Client, work: Path) -> None:
    notes = write_files(work / "notes[1]", FILES)
    vscode.watched(notes / "MEMORY.md")
    vscode.wait_for_codes(notes / "ferry.md", "link-dead")
    vscode.wait(lambda: (notes, "**/*") in now(vscode), "the new directory")
    assert (work, "notes?1?") in patterns(vscode)  # the name itself, and no class of characters
    assert is_watched(vscode, notes)
    shutil.rmtree(notes)
    vscode.watched(notes)
    vscode.wait_for_codes(notes / "ferry.md")
    vscode.wait(lambda: now(vscode) and (notes, "**/*") not in now(vscode), "the end of the directory")
    assert (work / "memory", "**/*") in patterns(vscode)


def test_folders_that_come_and_go_are_watched_and_no_longer(vscode: Client, work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    vscode.change_folders(added=[other])
    vscode.wait(lambda: (other, "**/*.md") in now(vscode), "the new folder")
    vscode.change_folders(removed=[other, work])
    vscode.wait(lambda: {base for base, _ in now(vscode)} == {tmp_path / "home0/config/memory-ls"}, "no folder")


def test_a_directory_outside_of_the_workspace_is_watched_too(vscode: Client, tmp_path: Path) -> None:
    outside = write_files(tmp_path / "elsewhere/.claude/memory", {"tide.md": memory("tide", body="Low.\n")})
    name = vscode.open(outside / "tide.md")
    vscode.wait(lambda: (outside, "**/*") in now(vscode), "the directory outside")
    write_files(outside, {"ebb.md": memory("ebb", body="[[nobody]]\n")})
    vscode.watched(outside / "ebb.md")
    vscode.wait_for_codes(outside / "ebb.md", "link-dead")
    vscode.close(name)
    vscode.wait_for_codes(outside / "ebb.md")
    vscode.wait(lambda: now(vscode) and (outside, "**/*") not in now(vscode), "the end of it")


def test_the_agents_own_memory_is_watched_when_it_comes(vscode: Client, work: Path, tmp_path: Path) -> None:
    root = write_files(project_directory(work, tmp_path / "home0"), {"x.md": DEAD})
    vscode.watched(root / "x.md")
    vscode.wait_for_code(root / "x.md", "link-dead")
    vscode.wait(lambda: (root, "**/*") in now(vscode), "its own directory")


def test_what_happened_before_the_client_began_to_watch_is_found(start: Start, work: Path) -> None:
    client = start()
    client.initialize("vscode", work)
    client.wait_for_codes(work / "memory/ferry.md", "link-dead")
    # Nobody tells of it, and it shows: the server looks again once the client has answered.
    write_files(work / "memory", {"ferry.md": memory("ferry", body="Six.\n")})
    other = work / "other"
    other.mkdir()
    client.change_folders(added=[other])
    client.wait_for_codes(work / "memory/ferry.md")


def test_events_about_files_directories_and_what_is_none_of_ours(vscode: Client, work: Path, tmp_path: Path) -> None:
    root = work / "memory"
    write_files(root, {"team/tide.md": DEAD})
    vscode.watched(root / "team")
    vscode.wait_for_codes(root / "team/tide.md", "memory-not-indexed", "link-dead")
    (root / "team").rename(root / "crew")
    vscode.watched(root / "team", root / "crew")
    vscode.wait_for_codes(root / "team/tide.md")
    vscode.wait_for_codes(root / "crew/tide.md", "memory-not-indexed", "link-dead")
    told = len(vscode.told)
    odd = [
        "untitled:x.md",
        "file:///nowhere/at/all.md",
        "git:/a.md",
        "file://elsewhere/a.md",
        "file:///%00",
        "",
        "file:",
    ]
    vscode.notify(FILE_EVENTS, {"changes": [{"uri": name, "type": kind} for name in odd for kind in (1, 2, 3)]})
    vscode.notify(FILE_EVENTS, {"changes": []})
    write_files(tmp_path, {"outside.md": DEAD, "work/src/plain.md": DEAD})
    vscode.watched(tmp_path / "outside.md", work / "src/plain.md", work / "src", tmp_path, Path("/"))
    write_files(root, {"ferry.md": memory("ferry", body="Six.\n")})
    vscode.watched(root / "ferry.md")
    vscode.wait_for_codes(root / "ferry.md")
    assert {params["uri"] for params in vscode.told[told:]} == {uri(root / "ferry.md")}


def test_thousands_of_events_leave_the_server_at_ease(start: Start, tmp_path: Path) -> None:
    for number in range(10):
        write_files(tmp_path / f"work/d{number}/memory", FILES)
    client = start()
    client.initialize("vscode", tmp_path / "work")
    root = tmp_path / "work/d0/memory"
    name = client.open(root / "ferry.md")
    client.wait_for_codes(tmp_path / "work/d9/memory/ferry.md", "link-dead")
    paths = [root / f"n{number:04}.md" for number in range(2500)]
    outside = [write_files(tmp_path / "work/src", {path.name: "Plain.\n"}) / path.name for path in paths]
    for path in paths:
        path.write_text(memory(path.stem, body="[[nobody]]\n"))
    client.watched(*outside, *paths)
    answered = 0
    end = time.monotonic() + 3 * PATIENCE
    while time.monotonic() < end and not client.codes(paths[-1]):
        assert client.at("hover", name, 1, 1) is not None
        answered += 1
    assert answered >= 3  # while all of that was read
    client.wait(lambda: all(client.codes(path) for path in paths), "all of them")
    told = [params["uri"] for params in client.told]
    assert max(told.count(uri(path)) for path in paths[::100]) <= 2
    assert not any(uri(path) in told for path in outside[::100])


# ---- without a server


def test_where_the_client_refuses_the_server_watches_itself(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.replies["client/registerCapability"] = {"error": {"code": -32601, "message": "not here"}}
    client.initialize("vscode", tmp_path / "work")
    client.wait_for_codes(root / "ferry.md", "link-dead")
    client.wait(lambda: client.registered(FILE_EVENTS), "the registration")
    write_files(root, {"nobody.md": memory("nobody")})
    client.wait_for_codes(root / "ferry.md")


def test_where_the_client_does_not_answer_the_server_watches_itself(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.silent_on = {"client/registerCapability"}
    client.initialize("vscode", tmp_path / "work")
    client.wait_for_codes(root / "ferry.md", "link-dead")
    write_files(root, {"nobody.md": memory("nobody")})
    client.wait_for_codes(root / "ferry.md")


class Asked:
    """A client that answers nothing before it is told to."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, Any]] = []
        self.answers: list[Callable[[Any], None] | None] = []

    def __call__(
        self,
        method: str,
        params: object,
        then: Callable[[Any], None] | None,
        refused: Callable[[], None] | None,
    ) -> None:
        self.sent.append((method, params))
        self.answers.append(then)


def test_a_registration_takes_the_place_of_the_one_before() -> None:
    asked, heard = Asked(), list[object]()
    registrations = Registrations(asked)
    registrations.register("workspace/a", "one", heard.append)
    registrations.register("workspace/b", "other")
    registrations.register("workspace/a", "two")
    methods = [method for method, _ in asked.sent]
    assert methods == ["client/registerCapability"] * 3 + ["client/unregisterCapability"]
    [[first], [second], [third]] = [params.registrations for _, params in asked.sent[:3]]
    assert [each.register_options for each in (first, second, third)] == ["one", "other", "two"]
    assert len({first.id, second.id, third.id}) == 3
    assert asked.sent[3][1].unregisterations == [types.Unregistration(first.id, "workspace/a")]
    assert heard == []
    assert asked.answers[0] is not None
    asked.answers[0](None)
    assert heard == [None]


@pytest.mark.parametrize("name", ["plain", "a*b", "what?", "{x,y}", "[ab]", "ünï — 記憶"])
def test_a_directory_of_any_name_is_watched_by_that_name(tmp_path: Path, name: str) -> None:
    watchers = file_watchers([], [tmp_path / name])
    globs = [watcher.glob_pattern for watcher in watchers]
    [pattern] = [
        glob.pattern
        for glob in globs
        if isinstance(glob, types.RelativePattern) and glob.base_uri == uri(tmp_path) and glob.pattern[0] != "."
    ]
    assert fnmatch.fnmatchcase(name, pattern)
    assert not set(pattern) & set("*{}[]")


def test_nothing_is_named_twice(tmp_path: Path) -> None:
    watchers = file_watchers([tmp_path, tmp_path], [tmp_path, tmp_path / "memory", tmp_path / "memory"])
    assert len(watchers) == len({str(watcher) for watcher in watchers})
