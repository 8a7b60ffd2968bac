"""Commands that change memories: what they write, what they answer, and what they refuse without any effect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lsprotocol import types

from memory_ls.store.store import Store
from tests.making import memory
from tests.server.client import CLIENTS, Answer, Client, uri
from tests.server.commands.asking import refused, run
from tests.server.commands.conftest import FILES, contents

FAILED = types.LSPErrorCodes.RequestFailed.value
INVALID = types.ErrorCodes.InvalidParams.value
SECRET = "ghp_" + "a8Kd02mXzQpLrT7vWnYbCeFgHjUiOs35Nx4B"


def in_one(work: Path, **more: object) -> dict[str, object]:
    return {"directory": str(work / "one/memory"), **more}


def with_link(shared: Client, work: Path) -> Path:
    """The directory, with one more memory in it that links to the ferry."""
    root = work / "one/memory"
    (root / "Buoy.md").write_text(memory("Buoy", body="As [[ferry]] says.\n"))
    shared.watched(root / "Buoy.md")
    return root


def test_a_new_memory_is_written_as_its_neighbours_are_and_listed(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    answer = run(
        shared,
        "write",
        in_one(work, name="潮位-table", type="reference", description="When it is high: 水位", content="六点。"),
    )
    assert answer["added"] == ["潮位-table"]
    assert sorted(answer["files"]) == ["MEMORY.md", "潮位-table.md"]
    text = (root / "潮位-table.md").read_text()
    assert text.startswith("---\nname: 潮位-table\n")
    assert "metadata:\n  type: reference\n" in text
    assert text.endswith("\n六点。\n")
    assert (root / "MEMORY.md").read_text() == FILES[
        "MEMORY.md"
    ] + "- [潮位-table](潮位-table.md) — When it is high: 水位\n"
    # Seen at once, and to be undone.
    assert "潮位-table" in [each["name"] for each in run(shared, "list", in_one(work))]
    assert run(shared, "history")[0]["id"] == answer["journalId"]
    run(shared, "undo")
    assert contents(root) == {name: text.encode() for name, text in FILES.items()}


def test_writing_under_a_name_that_is_there_updates_and_keeps_all_else(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    (root / "ferry.md").write_bytes(
        b"---\r\nname: ferry # the boat\r\ndescription: 'The boat'\r\ncustom: [a, b]\r\n"
        b"metadata: \r\n  type: reference\r\n---\r\n\r\nIt leaves at six.\r\n"
    )
    shared.watched(root / "ferry.md")
    answer = run(shared, "write", in_one(work, name="FERRY", content="It leaves at seven.\nTide permitting."))
    assert (answer["updated"], answer["added"]) == (["ferry"], [])
    assert (root / "ferry.md").read_bytes() == (
        b"---\r\nname: ferry # the boat\r\ndescription: 'The boat'\r\ncustom: [a, b]\r\n"
        b"metadata: \r\n  type: reference\r\n---\r\n\r\nIt leaves at seven.\r\nTide permitting.\r\n"
    )
    assert (root / "MEMORY.md").read_text() == FILES["MEMORY.md"]


def test_a_file_that_was_just_changed_behind_our_back_is_planned_anew(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    shared.wait_for_code(root / "team/user_rota.md", "link-dead")
    (root / "MEMORY.md").write_text("# Other\n\n- [ferry](ferry.md)\n- more, by an agent\n")
    run(shared, "write", in_one(work, name="winch", type="project", description="W", content="W."))
    index = (root / "MEMORY.md").read_text()
    assert "# Other" in index
    assert "- more, by an agent\n" in index
    assert "(winch.md)" in index


def test_a_memory_directory_is_made_once_and_can_be_taken_back(shared: Client, work: Path) -> None:
    root = work / "one/notes/新"
    (work / "one/notes").mkdir()
    done = run(shared, "init", {"directory": uri(root)})
    assert (done["directory"], done["files"]) == (str(root), ["MEMORY.md"])
    assert (root / "MEMORY.md").read_text("utf-8").startswith("# ")
    for again in (str(root), uri(root)):
        code, data = refused(shared, "init", {"directory": again})
        assert (code, data["kind"]) == (FAILED, "exists")
    run(shared, "undo", {"journalId": done["journalId"], "directory": str(root)})
    assert not (root / "MEMORY.md").exists()


def test_a_memory_directory_needs_a_place(shared: Client, work: Path, home: Path) -> None:
    code, data = refused(shared, "init", {"directory": "memory"})
    assert (code, data["key"]) == (INVALID, "directory")
    (work / "file").write_text("x")
    code, data = refused(shared, "init", {"directory": str(work / "file")})
    assert (code, data["kind"]) == (FAILED, "exists")
    for wide in (Path(work.anchor), home, home / "x/.."):
        code, data = refused(shared, "init", {"directory": str(wide)})
        assert (code, data["kind"]) == (FAILED, "outside")
        assert not (wide / "MEMORY.md").exists()
    # Of several projects one has to be chosen.
    code, data = refused(shared, "init")
    assert (code, data["key"], len(data["choices"])) == (INVALID, "directory", 2)


def test_delete_takes_the_file_and_its_entry_and_warns_of_dead_links(shared: Client, work: Path) -> None:
    root = with_link(shared, work)
    answer = run(shared, "delete", in_one(work, name="ferry"))
    assert not (root / "ferry.md").exists()
    assert (root / "MEMORY.md").read_text() == "# Index\n\n"
    assert any("Buoy.md" in warning for warning in answer["warnings"])
    assert answer["journalId"]


def test_a_memory_that_is_new_in_an_editor_is_to_be_saved_first(shared: Client, work: Path) -> None:
    name = shared.open(work / "one/memory/new.md", memory("new"))
    for command, more in (("delete", {}), ("rename", {"to": "newer"}), ("rename", {"to": "newer", "dryRun": True})):
        code, data = refused(shared, command, in_one(work, name="new", **more))
        assert (code, data["kind"], data["hint"]) == (FAILED, "unsaved", "Save it or take it back, then try again.")
    shared.close(name)


def test_a_memory_is_renamed_with_its_file_its_links_and_its_entry(shared: Client, work: Path) -> None:
    root = with_link(shared, work)
    before = contents(root)
    planned = run(shared, "rename", in_one(work, name="./ferry.md", to="渡船", dryRun=True))
    assert sorted(planned["files"]) == ["Buoy.md", "MEMORY.md", "ferry.md"]
    assert contents(root) == before
    done = run(shared, "rename", in_one(work, name="./ferry.md", to="渡船"))
    assert done["title"] == "Rename ferry to 渡船"
    assert done["renamed"] == {"ferry.md": "渡船.md"}
    assert not (root / "ferry.md").exists()
    assert (root / "渡船.md").read_text("utf-8") == FILES["ferry.md"].replace("name: ferry", "name: 渡船")
    assert "[[渡船]]" in (root / "Buoy.md").read_text("utf-8")
    assert "(渡船.md)" in (root / "MEMORY.md").read_text("utf-8")
    run(shared, "undo", {"journalId": done["journalId"], "directory": str(root)})
    assert contents(root) == before


def test_a_memory_keeps_its_name_where_another_can_not_be(shared: Client, work: Path) -> None:
    before = contents(work)
    for to, words in (("../up", "path separator"), ("停航", "already"), ("MEMORY", "the index")):
        for dry in (True, False):
            with pytest.raises(Answer, match=re.escape(words)) as error:
                run(shared, "rename", in_one(work, name="ferry", to=to, dryRun=dry))
            assert error.value.data["key"] == "to"
    assert refused(shared, "rename", in_one(work, name="ferry", to=" "))[1]["key"] == "to"
    assert refused(shared, "rename", in_one(work, name="nobody", to="x"))[1]["kind"] == "notFound"
    assert run(shared, "rename", in_one(work, name="ferry", to="ferry"))["files"] == []
    assert contents(work) == before


def test_clear_needs_to_be_confirmed_and_leaves_what_is_no_memory(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    before = contents(root)
    for arguments in ({}, {"confirm": False}):
        assert refused(shared, "clear", in_one(work, **arguments))[1]["key"] == "confirm"
    assert contents(root) == before
    run(shared, "clear", in_one(work, confirm=True))
    assert contents(root) == {"MEMORY.md": b"# Index\n\n", "README.md": FILES["README.md"].encode()}
    run(shared, "undo", {"directory": str(root)})
    assert contents(root) == before


def test_what_would_be_done_is_told_and_not_done(shared: Client, work: Path) -> None:
    root = with_link(shared, work)
    before = contents(root)
    new = run(shared, "write", in_one(work, name="tide", type="user", dryRun=True))
    assert (new["added"], new["updated"], new["directory"]) == (["tide"], [], str(root))
    assert run(shared, "write", in_one(work, name="FERRY", content="Now.", dryRun=True))["updated"] == ["ferry"]
    code, data = refused(shared, "write", in_one(work, name="a/b", type="user", dryRun=True))
    assert (code, data["key"]) == (INVALID, "name")
    deleted = run(shared, "delete", in_one(work, name="ferry", dryRun=True))
    assert sorted(deleted["files"]) == ["MEMORY.md", "ferry.md"]
    assert any("Buoy.md" in warning for warning in deleted["warnings"])
    cleared = run(shared, "clear", in_one(work, dryRun=True))
    assert sorted(cleared["files"]) == ["Buoy.md", "MEMORY.md", "ferry.md", "team/user_rota.md"]
    assert {answer["journalId"] for answer in (new, deleted, cleared)} == {None}
    assert contents(root) == before
    assert run(shared, "history", in_one(work)) == []


def test_stale_memories_are_marked_or_planned(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    before = contents(root)
    told = run(shared, "markStale", in_one(work, names=["ferry"], dryRun=True))
    assert (told["status"], told["planId"], told["stale"]) == ("dryRun", None, ["ferry"])
    assert run(shared, "plans", in_one(work)) == []
    planned = run(shared, "markStale", in_one(work, names=["ferry", "buoy"], preview=True))
    assert (planned["status"], sorted(planned["stale"])) == ("planned", ["Buoy", "ferry"])
    assert planned["directory"] == str(root)
    assert contents(root) == before
    report = run(shared, "applyPlan", {"planId": planned["planId"]})
    assert sorted(report["stale"]) == ["Buoy", "ferry"]
    assert "  status: stale\n" in (root / "ferry.md").read_text()
    done = run(shared, "markStale", in_one(work, names=["ferry"]))
    assert (done["status"], done["stale"], done["journalId"]) == ("skipped", [], None)
    assert done["directory"] == str(root)
    assert refused(shared, "markStale", in_one(work, names=["nobody"]))[1]["key"] == "names"
    assert refused(shared, "markStale", in_one(work, names=[3]))[1]["key"] == "names"
    assert refused(shared, "markStale", in_one(work, olderThanDays=-1))[1]["key"] == "olderThanDays"


def test_unsaved_text_in_the_editor_is_never_written_over(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    name = shared.open(root / "ferry.md", FILES["ferry.md"] + "Unsaved.\n")
    before = contents(root)
    code, data = refused(shared, "write", in_one(work, name="ferry", content="New."))
    assert (code, data["kind"]) == (FAILED, "unsaved")
    for command, more in (
        ("write", {"name": "ferry", "content": "New."}),
        ("delete", {"name": "ferry"}),
        ("rename", {"name": "ferry", "to": "boat"}),
        ("clear", {"confirm": True}),
    ):
        for dry in (True, False):  # who asks first what would be done is told so first
            code, data = refused(shared, command, in_one(work, **more, dryRun=dry))
            assert (code, data["kind"], data["hint"]) == (FAILED, "unsaved", "Save it or take it back, then try again.")
    code, data = refused(shared, "markStale", in_one(work, names=["ferry"], preview=True))
    assert (code, data["kind"]) == (FAILED, "unsaved")
    assert run(shared, "write", in_one(work, name="tide", type="user", dryRun=True))["added"] == ["tide"]
    assert contents(root) == before
    shared.close(name)


def test_a_file_that_is_open_and_saved_is_written(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    name = shared.open(root / "ferry.md", FILES["ferry.md"])
    run(shared, "write", in_one(work, name="ferry", content="New."))
    assert (root / "ferry.md").read_text().endswith("\nNew.\n")
    shared.close(name)


def test_a_buffer_that_lags_behind_the_disk_holds_nothing_that_could_be_lost(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    name = shared.open(root / "ferry.md", FILES["ferry.md"])
    run(shared, "write", in_one(work, name="ferry", content="New."))
    # The editor has not read the file again, and its user has typed nothing.
    run(shared, "write", in_one(work, name="ferry", content="Newer."))
    run(shared, "undo", {"directory": str(root)})
    assert (root / "ferry.md").read_text().endswith("\nNew.\n")
    shared.change(name, FILES["ferry.md"] + "Typed now.\n")
    code, data = refused(shared, "undo", {"directory": str(root)})
    assert (code, data["kind"]) == (FAILED, "unsaved")
    # Saved over what the disk had: nothing is unsaved any more, but undo would lose it.
    (root / "ferry.md").write_text(FILES["ferry.md"] + "Typed now.\n")
    shared.notify("textDocument/didSave", {"textDocument": {"uri": name}})
    assert refused(shared, "undo", {"directory": str(root)})[1]["kind"] == "changed"
    shared.close(name)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"name": ""}, "name"),
        ({}, "name"),
        ({"name": "../up", "type": "user"}, "name"),
        ({"name": "a/b", "type": "user"}, "name"),
        ({"name": "CON", "type": "user"}, "name"),
        ({"name": "new"}, "type"),
        ({"name": "new", "type": "opinion"}, "type"),
        ({"name": "new", "type": "user", "content": f"The token is {SECRET}"}, "content"),
        ({"name": "new", "type": "user", "confidence": 1}, "confidence"),
        ({"name": 3}, "name"),
    ],
)
def test_what_can_not_be_written_is_refused_without_effect(
    shared: Client, work: Path, arguments: dict[str, object], key: str
) -> None:
    before = contents(work)
    code, data = refused(shared, "write", in_one(work, **arguments))
    assert (code, data["key"]) == (INVALID, key)
    assert SECRET not in str(data)
    assert contents(work) == before


def test_of_several_directories_one_has_to_be_named(shared: Client, work: Path) -> None:
    code, data = refused(shared, "write", {"name": "new", "type": "user"})
    assert (code, data["key"]) == (INVALID, "directory")
    assert len(data["choices"]) == 2
    code, data = refused(shared, "delete", {"name": "ferry"})
    assert (code, data["key"]) == (INVALID, "name")
    run(shared, "delete", {"name": "Buoy"})  # there is only one
    assert not (work / "one/memory/Buoy.md").exists()


def test_the_setting_names_a_directory_that_is_still_to_be_made(tmp_path: Path) -> None:
    client = Client(tmp_path / "home")
    try:
        root = tmp_path / "project/.claude/memory"
        root.parent.mkdir(parents=True)
        client.initialize("neovim", tmp_path / "project", options={"directory": str(root)})
        run(client, "write", {"name": "ferry", "type": "project", "description": "The boat", "content": "Six."})
        assert (root / "MEMORY.md").read_text() == "# Memory Index\n\n- [ferry](ferry.md) — The boat\n"
        client.wait(lambda: [each["name"] for each in run(client, "list")] == ["ferry"], "the new directory")
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_can_write_and_undo(name: str, tmp_path: Path) -> None:
    client = Client(tmp_path / "home")
    try:
        root = tmp_path / "memory"
        root.mkdir()
        (root / "MEMORY.md").write_text("- [ferry](ferry.md)\n")
        (root / "ferry.md").write_text(FILES["ferry.md"])
        client.initialize(name, tmp_path)
        before = contents(root)
        run(client, "write", {"name": "ferry", "content": "😀 漢"})
        assert (root / "ferry.md").read_text().endswith("\n😀 漢\n")
        run(client, "undo")
        assert contents(root) == before
        assert client.leave() == 0
        client.check()
    finally:
        client.end()


def test_the_index_is_repaired_on_demand_and_shown_before(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    (root / "MEMORY.md").write_text(FILES["MEMORY.md"] + "- [Gone](gone.md) — no more\n")
    shared.watched(root / "MEMORY.md")
    before = contents(root)
    planned = run(shared, "reindex", in_one(work, preview=True))
    assert (planned["status"], [change["path"] for change in planned["changes"]]) == ("planned", ["MEMORY.md"])
    assert "-- [Gone](gone.md) — no more\n" in planned["changes"][0]["diff"]
    assert contents(root) == before
    report = run(shared, "reindex", in_one(work))
    assert (report["status"], report["refused"]) == ("applied", [])
    index = (root / "MEMORY.md").read_text()
    assert "- [ferry](ferry.md)\n" in index
    assert "gone.md" not in index
    assert "(Buoy.md)" in index
    assert "(team/user_rota.md)" in index
    assert run(shared, "reindex", in_one(work))["status"] == "skipped"
    assert refused(shared, "reindex", in_one(work, mode="burn"))[1]["choices"] == ["repair", "organise", "regenerate"]
