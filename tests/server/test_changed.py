"""A client that lists memories is told when it is to ask for them again, and no other client is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, uri
from tests.server.commands.asking import run
from tests.server.conftest import Start

FILES = {"MEMORY.md": "# Index\n\n- [ferry](ferry.md) — the boat\n", "ferry.md": memory("ferry", "The boat")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def _names(client: Client) -> list[str]:
    return [each["name"] for each in run(client, "list", {})]


def test_it_is_told_of_what_was_read_and_of_what_other_programs_write(start: Start, root: Path) -> None:
    client = start()
    client.initialize("vscode", root.parent, options={"tellChanges": True})
    client.wait(lambda: client.changes, "what was read")
    assert _names(client) == ["ferry"]
    write_files(root, {"潮位.md": memory("潮位", "水位")})
    before = client.changes
    client.watched(root / "潮位.md")
    client.wait(lambda: client.changes > before, "the new memory")
    assert _names(client) == ["ferry", "潮位"]
    # Once more when the history has it: nothing else would tell.
    client.wait(lambda: client.changes > before + 1, "what is kept of it")
    [entry] = run(client, "history")
    assert [file["path"] for file in entry["files"]] == ["潮位.md"]


def test_it_is_told_of_a_directory_that_goes(start: Start, root: Path) -> None:
    client = start()
    client.initialize("vscode", root.parent, options={"tellChanges": True})
    client.wait(lambda: client.changes, "what was read")
    before = client.changes
    client.change_folders(removed=[root.parent])
    client.wait(lambda: client.changes > before, "that it went")
    assert run(client, "status")["directories"] == []


def test_it_is_told_of_a_plan_that_waits(start: Start, root: Path) -> None:
    client = start()
    client.initialize("vscode", root.parent, options={"tellChanges": True})
    client.wait(lambda: client.changes, "what was read")
    client.wait(lambda: _names(client) == ["ferry"], "the memories")
    before = client.changes
    gull = {"name": "gull", "type": "user", "description": "A bird", "content": "It cries."}
    run(client, "consolidate", {"candidates": [gull], "mode": "preview"})
    client.wait(lambda: client.changes > before, "the plan")
    assert len(run(client, "status")["pendingPlans"]) == 1


def test_it_is_told_of_what_another_server_plans_and_discards(start: Start, root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    client, other = (start(environment={"XDG_STATE_HOME": str(state)}) for _ in range(2))
    client.initialize("vscode", root.parent, options={"tellChanges": True})
    other.initialize("vscode", root.parent)
    client.wait(lambda: _names(client) == ["ferry"], "the memories")
    plan = run(other, "markStale", {"names": ["ferry"], "preview": True})["planId"]
    [file] = state.glob(f"memory-ls/directories/*/plans/{plan}.json")
    [watched] = client.registered("workspace/didChangeWatchedFiles").values()
    assert {"baseUri": uri(file.parent), "pattern": "*"} in [each["globPattern"] for each in watched["watchers"]]
    for count in (1, 0):
        before = client.changes
        client.watched(file)
        client.wait(lambda before=before: client.changes > before, "the plan")  # type: ignore[misc]
        assert len(run(client, "status")["pendingPlans"]) == count
        if count:
            run(other, "discardPlan", {"planId": plan})


def test_others_are_not_told(start: Start, root: Path) -> None:
    client = start()
    client.initialize("vscode", root.parent)
    client.wait(lambda: client.requested("workspace/codeLens/refresh"), "what was read")
    client.barrier()
    assert client.changes == 0
