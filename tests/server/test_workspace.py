"""Folders that come and go and settings given at run time, as the client sees what becomes of them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_ls.server.workspace import Workspace
from memory_ls.settings import Settings
from tests.making import memory, write_files
from tests.server.client import CLIENTS, Client, uri
from tests.server.conftest import Start

DEAD = memory("tide", "When it turns", body="[[nobody]]\n")
# Two findings of rules with settings of their own, and one costly one.
FILES = {
    "MEMORY.md": "- [tide](tide.md)\n- [quay](quay.md)\n",
    "tide.md": DEAD,
    "quay.md": memory("quay", "A quay", extra="status: stale\n", body="It was closed.\n"),
}


@pytest.fixture(scope="module", params=["neovim", "vscode"])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One that takes what it is told and one that asks, each with a server that the tests of this module share."""
    client = Client(tmp_path_factory.mktemp("home"))
    client.initialize(request.param)
    yield client
    try:
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


def wait_until_empty(client: Client, below: Path) -> None:
    """Waits until nothing is shown for files below a directory."""
    prefix = uri(below) + "/"
    client.wait(lambda: not [name for name in client.all_published() if name.startswith(prefix)], "an empty screen")


def directories(client: Client) -> list[str]:
    """The memory directories that the server holds."""
    status = client.request("workspace/executeCommand", {"command": "memoryLs.status"})
    return sorted(each["path"] for each in status["directories"])


# ---- folders


def test_findings_go_with_their_folder(shared: Client, tmp_path: Path) -> None:
    one = write_files(tmp_path / "one/memory", FILES)
    two = write_files(tmp_path / "two/memory", FILES)
    shared.change_folders(added=[tmp_path / "one", tmp_path / "two"])
    for root in (one, two):
        shared.wait_for_codes(root / "tide.md", "link-dead")
        shared.wait_for_codes(root / "quay.md", "stale")
    shared.change_folders(removed=[tmp_path / "one"])
    wait_until_empty(shared, one)
    assert shared.codes(two / "tide.md") == ["link-dead"]
    assert directories(shared) == [str(two)]
    shared.change_folders(removed=[tmp_path / "two"])
    wait_until_empty(shared, two)
    assert directories(shared) == []


def test_what_is_open_stays_when_its_folder_goes(shared: Client, tmp_path: Path) -> None:
    root = write_files(tmp_path / "one/memory", FILES)
    shared.change_folders(added=[tmp_path / "one"])
    name = shared.open(root / "quay.md")
    shared.wait_for_codes(name, "stale")
    shared.wait_for_codes(root / "tide.md", "link-dead")
    shared.change_folders(removed=[tmp_path / "one"])
    shared.change(name, memory("quay", body="[[nobody]] [[nothing]]\n"))
    shared.wait_for_codes(name, "link-dead", "link-dead")
    assert directories(shared) == [str(root)]
    shared.close(name)
    wait_until_empty(shared, root)
    assert directories(shared) == []


def test_a_directory_outside_goes_with_the_last_file_open_in_it(shared: Client, tmp_path: Path) -> None:
    root = write_files(tmp_path / "elsewhere", FILES)
    names = [shared.open(root / "tide.md"), shared.open(root / "MEMORY.md")]
    shared.wait_for_codes(root / "quay.md", "stale")
    shared.close(names[0])
    shared.change(names[1], "- [tide](tide.md)\n- [quay](quay.md)\n- [[gone]]\n")
    shared.wait_for_codes(names[1], "index-dead-link")
    assert shared.codes(root / "quay.md") == ["stale"]
    shared.close(names[1])
    wait_until_empty(shared, root)
    assert directories(shared) == []
    shared.close(shared.open(root / "tide.md"))  # before it can have been read
    wait_until_empty(shared, root)
    shared.barrier()
    assert directories(shared) == []


def test_folders_in_folders(shared: Client, tmp_path: Path) -> None:
    inner = write_files(tmp_path / "app/part/memory", FILES)
    outer = write_files(tmp_path / "app/memory", FILES)
    shared.change_folders(added=[tmp_path / "app", tmp_path / "app/part", tmp_path / "app/part"])
    for root in (inner, outer):
        shared.wait_for_codes(root / "tide.md", "link-dead")
    shared.change_folders(removed=[tmp_path / "app"])
    wait_until_empty(shared, outer)
    assert shared.codes(inner / "tide.md") == ["link-dead"]
    shared.change_folders(added=[tmp_path / "app"], removed=[tmp_path / "app/part"])
    shared.wait_for_codes(outer / "tide.md", "link-dead")
    assert shared.codes(inner / "tide.md") == ["link-dead"]
    shared.change_folders(removed=[tmp_path / "app"])
    wait_until_empty(shared, tmp_path)
    assert directories(shared) == []


def test_a_folder_that_is_given_twice_is_one(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "app/memory", FILES)
    client = start()
    client.initialize("neovim", tmp_path / "app", tmp_path / "app", uri(tmp_path / "app") + "/")
    client.wait_for_codes(root / "quay.md", "stale")
    assert [params["uri"] for params in client.told].count(uri(root / "quay.md")) == 1
    client.change_folders(removed=[tmp_path / "app"])
    wait_until_empty(client, root)


def test_folders_that_are_no_place_to_look(shared: Client, tmp_path: Path) -> None:
    file = write_files(tmp_path, {"plain.md": DEAD}) / "plain.md"
    shared.notify(
        "workspace/didChangeWorkspaceFolders",
        {
            "event": {
                "added": [
                    {"uri": name, "name": ""} for name in ("untitled:a", "vscode-remote://x/y", "file://h/s", "")
                ],
                "removed": [{"uri": uri(tmp_path / "never-there"), "name": "x"}],
            }
        },
    )
    shared.change_folders(added=[tmp_path / "not/yet", file])
    root = write_files(tmp_path / "real/memory", FILES)
    shared.change_folders(added=[tmp_path / "real"])
    shared.wait_for_codes(root / "tide.md", "link-dead")
    shared.change_folders(removed=[tmp_path / "real", tmp_path / "not/yet", file])
    wait_until_empty(shared, root)


def test_directories_that_are_made_later(start: Start, tmp_path: Path) -> None:
    for number, make in enumerate((True, False)):
        folder, notes = tmp_path / f"{number}/not/yet", tmp_path / f"{number}/some/notes"
        client = start()
        client.initialize("neovim" if make else "vscode", folder, options={"directories": [str(notes)]})
        seen = write_files(tmp_path / f"{number}/app/memory", FILES)
        client.change_folders(added=[tmp_path / f"{number}/app"])
        client.wait_for_codes(seen / "tide.md", "link-dead")
        for root in (folder / "memory", notes):
            write_files(root, FILES)
            if not make:
                client.watched(root / "MEMORY.md", root / "tide.md")
            client.wait_for_codes(root / "tide.md", "link-dead")


def test_in_the_home_directory_only_known_places_are_looked_at(start: Start, tmp_path: Path) -> None:
    home = tmp_path / "home0"
    known = write_files(home / ".claude/memory", FILES)
    project = write_files(home / ".claude/projects/-home-ida-app/memory", FILES)
    write_files(home / "notes", FILES)
    client = start()
    client.initialize("neovim", home)
    for root in (known, project):
        client.wait_for_codes(root / "tide.md", "link-dead")
    assert directories(client) == sorted(map(str, (known, project)))
    new = write_files(home / ".agents/memory", FILES)
    client.wait_for_codes(new / "tide.md", "link-dead")


@pytest.mark.parametrize("given", ["rootUri", "rootPath", "both", "none"])
def test_clients_that_know_one_root_alone(start: Start, tmp_path: Path, given: str) -> None:
    root = write_files(tmp_path / "app/memory", FILES)
    write_files(tmp_path / "other/memory", FILES)
    client = start()
    roots: dict[str, Any] = {
        "rootUri": {"rootUri": uri(tmp_path / "app")},
        "rootPath": {"rootUri": None, "rootPath": str(tmp_path / "app")},
        "both": {"rootUri": uri(tmp_path / "app"), "rootPath": str(tmp_path / "other")},
        "none": {"rootUri": None, "rootPath": None},
    }
    client.request("initialize", {"processId": None, "capabilities": {}, **roots[given]})
    client.notify("initialized", {})
    if given == "none":
        name = client.open(root / "tide.md")
        client.wait_for_codes(name, "link-dead")
    client.wait_for_codes(root / "tide.md", "link-dead")
    client.wait_for_codes(root / "quay.md", "stale")
    assert directories(client) == [str(root)]


# ---- settings

QUIET = {"rules": {"link-dead": "off"}}


@pytest.fixture
def work(shared: Client, tmp_path: Path) -> Iterator[tuple[Client, Path]]:
    """A client, and a memory directory in a folder of its workspace."""
    root = write_files(tmp_path / "work/memory", FILES)
    shared.change_folders(added=[tmp_path / "work"])
    shared.wait_for_codes(root / "tide.md", "link-dead")
    shared.wait_for_codes(root / "quay.md", "stale")
    yield shared, root
    configure(shared, {})
    shared.change_folders(removed=[tmp_path / "work"])
    wait_until_empty(shared, tmp_path)


def configure(client: Client, settings: object) -> None:
    client.notify("workspace/didChangeConfiguration", {"settings": settings})


@pytest.mark.parametrize("is_flat", [False, True])
def test_severities_change_and_change_back(work: tuple[Client, Path], is_flat: bool) -> None:
    client, root = work

    def give(settings: object) -> None:
        configure(client, settings if is_flat else {"memoryLs": settings, "editor": {"rules": {"stale": "off"}}})

    give({"rules": {"link-dead": "off"}})
    client.wait_for_codes(root / "tide.md")
    give({"rules": {"link-dead": "error", "stale": "off"}})
    client.wait_for_codes(root / "quay.md")
    assert client.wait_for_code(root / "tide.md", "link-dead")["severity"] == 1
    give({})
    client.wait_for_codes(root / "quay.md", "stale")
    client.wait(lambda: [item["severity"] for item in client.diagnostics(root / "tide.md")] == [2], "the default")


@pytest.mark.parametrize("settings", [None, [], "off", 3, True, [QUIET], {"memoryLs": None}, {"memoryLs": "off"}])
def test_what_are_no_settings_changes_none(work: tuple[Client, Path], settings: object) -> None:
    client, root = work
    configure(client, QUIET)
    client.wait_for_codes(root / "tide.md")
    configure(client, settings)
    # What comes after it is in force, and so is what came before.
    write_files(root, {"new.md": memory("new", body="[[nobody]]\n")})
    client.watched(root / "new.md")
    client.wait_for_codes(root / "new.md", "memory-not-indexed")
    assert client.codes(root / "tide.md") == []


def test_only_open_documents_and_all_again(work: tuple[Client, Path]) -> None:
    client, root = work
    name = client.open(root / "tide.md")
    configure(client, {"diagnosticScope": "open"})
    client.wait_for_codes(root / "quay.md")
    client.wait_for_codes(name, "link-dead")
    client.close(name)
    client.wait_for_codes(name)
    configure(client, {})
    client.wait_for_codes(root / "quay.md", "stale")
    client.wait_for_codes(root / "tide.md", "link-dead")


def test_directories_are_named_and_no_longer(work: tuple[Client, Path], tmp_path: Path) -> None:
    client, root = work
    inside = write_files(tmp_path / "work/jottings", {"tide.md": DEAD})
    outside = write_files(tmp_path / "elsewhere/jottings", {"tide.md": DEAD})
    configure(client, {"directories": ["jottings", str(outside)]})
    for each in (inside, outside):
        client.wait_for_codes(each / "tide.md", "link-dead")
    configure(client, {"directory": str(outside)})
    client.wait_for_codes(inside / "tide.md")
    assert directories(client) == sorted(map(str, (root, outside)))
    configure(client, {})
    client.wait_for_codes(outside / "tide.md")
    assert directories(client) == [str(root)]


def test_directories_are_excluded_and_no_longer(work: tuple[Client, Path], tmp_path: Path) -> None:
    client, root = work
    configure(client, {"exclude": ["memory"]})
    wait_until_empty(client, root)
    assert directories(client) == []
    configure(client, {"exclude": ["somewhere-else"]})
    client.wait_for_codes(root / "tide.md", "link-dead")
    name = client.open(root / "tide.md")
    configure(client, {"exclude": [str(tmp_path / "work")]})
    wait_until_empty(client, root)
    configure(client, {})
    client.wait_for_codes(name, "link-dead")
    client.close(name)


def test_the_limit_of_the_index(work: tuple[Client, Path]) -> None:
    client, root = work
    configure(client, {"indexMaxLines": 1})
    client.wait_for_code(root / "MEMORY.md", "index-over-limit")
    status = client.request("workspace/executeCommand", {"command": "memoryLs.status"})
    assert [each["index"]["maxLines"] for each in status["directories"]] == [1]
    configure(client, {})
    client.wait_for_codes(root / "MEMORY.md")


def test_the_clients_settings_win_over_the_projects(work: tuple[Client, Path]) -> None:
    client, root = work
    file = root.parent / ".memory-ls.toml"
    file.write_text('[rules]\nlink-dead = "hint"\nstale = "off"\n')
    client.watched(file)
    client.wait_for_codes(root / "quay.md")
    assert client.wait_for_code(root / "tide.md", "link-dead")["severity"] == 4
    configure(client, {"rules": {"link-dead": "error"}})
    client.wait(lambda: [item["severity"] for item in client.diagnostics(root / "tide.md")] == [1], "the client's")
    assert client.codes(root / "quay.md") == []
    file.unlink()
    client.watched(file)
    client.wait_for_codes(root / "quay.md", "stale")


def test_options_at_the_start_stay_below_what_comes_later(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.initialize("neovim", tmp_path / "work", options={"rules": {"stale": "off"}, "indexMaxLines": 1})
    client.wait_for_code(root / "MEMORY.md", "index-over-limit")
    client.wait_for_codes(root / "tide.md", "link-dead")
    configure(client, {"indexMaxLines": 200})
    client.wait_for_codes(root / "MEMORY.md")
    configure(client, {"rules": {"stale": "error"}})
    client.wait_for_code(root / "MEMORY.md", "index-over-limit")
    assert client.wait_for_code(root / "quay.md", "stale")["severity"] == 1


def test_wrong_values_are_told_in_the_log_once(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start(quiet=False)
    client.initialize("neovim", tmp_path / "work", options={"indexMaxLines": "many", "rules": {"link-dead": "error"}})
    assert client.wait_for_code(root / "tide.md", "link-dead")["severity"] == 1  # the rest counts
    for _ in range(3):
        configure(client, None)
        client.change_folders(added=[tmp_path / "other"], removed=[tmp_path / "another"])
    client.barrier()
    assert client.log().count("indexMaxLines") == 1
    configure(client, {"dialect": "yodel"})
    client.barrier()
    assert client.log().count("dialect") == 1


# ---- settings that the server asks for


def asks(client: Client) -> int:
    return len(client.requested("workspace/configuration"))


@pytest.mark.parametrize("name", CLIENTS)
def test_settings_are_asked_for_where_the_client_has_them(start: Start, tmp_path: Path, name: str) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.replies["workspace/configuration"] = {"result": [QUIET]}
    client.initialize(name, tmp_path / "work")
    client.wait_for_codes(root / "quay.md", "stale")
    assert client.capabilities["workspace"]["configuration"]
    client.wait(lambda: not client.diagnostics(root / "tide.md"), "the client's settings")
    assert client.requested("workspace/configuration") == [{"items": [{"section": "memoryLs"}]}]
    client.replies["workspace/configuration"] = {"result": [{"rules": {"stale": "off"}}]}
    configure(client, None)
    client.wait_for_codes(root / "quay.md")
    client.wait_for_codes(root / "tide.md", "link-dead")
    assert asks(client) == 2


def test_nothing_is_asked_of_a_client_that_has_no_settings(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()
    client.initialize("neovim", tmp_path / "work", capabilities={})
    configure(client, QUIET)
    client.wait_for_codes(root / "quay.md", "stale")
    assert client.requests == []


def test_an_answer_that_holds_no_settings_changes_none(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start(quiet=False)
    client.initialize("eglot", tmp_path / "work", options=QUIET)
    client.wait_for_codes(root / "quay.md", "stale")
    results: list[object] = [[None], [], None, [[QUIET]], ["off"], {}, "off", [{"memoryLs": None}]]
    replies: list[dict[str, object]] = [{"result": result} for result in results]
    replies.append({"error": {"code": -32603, "message": "no such section"}})
    for number, reply in enumerate(replies, 2):
        client.replies["workspace/configuration"] = reply
        configure(client, None)
        client.wait(lambda number=number: asks(client) == number, "the question")  # type: ignore[misc]
        client.barrier()
    assert client.codes(root / "tide.md") == []
    client.replies["workspace/configuration"] = {"result": [{"rules": {"stale": "off", "link-dead": "error"}}]}
    configure(client, None)
    client.wait_for_codes(root / "quay.md")
    assert client.wait_for_code(root / "tide.md", "link-dead")["severity"] == 1
    assert "Traceback" not in client.log()


@pytest.mark.parametrize("reply", [{"result": None}, {"error": None}, {"result": [None]}, {"result": []}])
def test_a_client_that_answers_null_has_set_nothing(start: Start, tmp_path: Path, reply: dict[str, object]) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    client = start()  # whose log stays empty
    client.replies["workspace/configuration"] = reply
    client.initialize("eglot", tmp_path / "work", options=QUIET)
    client.wait_for_codes(root / "quay.md", "stale")
    configure(client, None)
    client.wait(lambda: asks(client) == 2, "the question")
    client.barrier()
    assert client.codes(root / "tide.md") == []


@pytest.mark.parametrize("result", [{"the words": "of a memory"}, "the words of a memory", 7, True])
def test_an_answer_that_is_none_is_logged_with_what_was_asked(start: Start, tmp_path: Path, result: object) -> None:
    client = start(quiet=False)
    client.replies["workspace/configuration"] = {"result": result}
    client.initialize("eglot", tmp_path)
    client.wait(lambda: asks(client) == 1, "the question")
    client.barrier()
    told = "memory-ls: WARNING: The client's answer to {} is none that LSP gives it\n"
    assert client.log() == told.format("workspace/configuration")
    client.send({"jsonrpc": "2.0", "id": "nobody's", "error": "the words of a memory"})
    client.barrier()
    assert client.log() == told.format("workspace/configuration") + told.format("what was never asked")


# ---- trust


def test_in_a_workspace_that_is_not_trusted_there_is_no_provider(start: Start, tmp_path: Path) -> None:
    client = start()
    client.initialize("vscode", tmp_path, options={"trusted": False, "provider": "anthropic"})

    def status() -> tuple[bool, str]:
        told = client.request("workspace/executeCommand", {"command": "memoryLs.status"})
        return told["trusted"], told["provider"]

    assert status() == (False, "offline")
    configure(client, {"trusted": True, "provider": "command"})
    assert status() == (True, "command")
    configure(client, {"provider": "command"})
    assert status() == (True, "command")
    configure(client, {"trusted": False})
    assert status() == (False, "offline")
    configure(client, {"trusted": "yes"})
    assert status()[0] is False


def test_a_client_that_says_nothing_of_trust_is_trusted() -> None:
    workspace = Workspace()
    for options in (None, {}, {"trusted": True}, {"trusted": None}):
        workspace.configure([], options)
        assert workspace.is_trusted


# ---- without a server


@pytest.mark.parametrize("options", [None, [], "x", 3, {"rules": {}}, {"memoryLs": QUIET}, {"rules": [], "": 1}])
def test_options_of_any_kind_at_the_start(options: object) -> None:
    workspace = Workspace()
    workspace.configure([], options)
    assert workspace.settings == Settings()


@pytest.fixture(autouse=True)
def nobody_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def test_a_problem_that_comes_again_is_told_again(caplog: pytest.LogCaptureFixture) -> None:
    workspace = Workspace()
    with caplog.at_level(logging.WARNING):
        for settings in ({"staleDays": -1}, {"staleDays": -1}, {}, {"staleDays": -1}):
            workspace.change_settings(settings)
    assert len(caplog.records) == 2


def test_keys_that_are_no_settings_are_no_problem(caplog: pytest.LogCaptureFixture) -> None:
    workspace = Workspace()
    secrets = {"apiKey": "k-1", "apiKeys": {"anthropic": "k-2"}}
    workspace.configure([], {"complete": True, "trusted": True, "showReferences": True, **secrets})
    assert caplog.records == []


def test_only_what_is_there_is_a_place_to_watch(tmp_path: Path) -> None:
    workspace = Workspace()
    workspace.configure([tmp_path / "app", tmp_path / "not/yet"], {"directory": str(tmp_path / "gone/notes")})
    (tmp_path / "app/src/.git").mkdir(parents=True)
    (tmp_path / "app/node_modules/x").mkdir(parents=True)
    places = workspace.places_to_watch()
    assert {str(tmp_path), str(tmp_path / "app"), str(tmp_path / "app/src")} <= places
    assert all(Path(place).is_dir() for place in places)
    assert not any("node_modules" in place or ".git" in place for place in places)
