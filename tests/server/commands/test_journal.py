"""History, undo and pending plans over the protocol; the plans are applied by the store that the server has."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from memory_ls.changes.plan import Change, ChangeKind, Plan, Report
from memory_ls.documents.edits import Edit
from memory_ls.store.store import Store
from tests.server.client import Answer, Client, uri
from tests.server.commands.asking import refused, run
from tests.server.commands.conftest import FILES, contents

FAILED = types.LSPErrorCodes.RequestFailed.value
INVALID = types.ErrorCodes.InvalidParams.value


def plan_of(root: Path) -> Plan:
    """A new memory with its line in the index, and by a second operation a word more in another."""
    index, ferry = FILES["MEMORY.md"], FILES["ferry.md"]
    at = ferry.index("six")
    return Plan(
        str(root),
        "Two things",
        (
            Change(1, "潮位.md", ChangeKind.CREATE, None, (Edit(0, 0, "---\nname: 潮位\n---\n\n高。\n"),)),
            Change(1, "MEMORY.md", ChangeKind.EDIT, index, (Edit(len(index), len(index), "- [潮位](潮位.md)\n"),)),
            Change(2, "ferry.md", ChangeKind.EDIT, ferry, (Edit(at, at + 3, "seven"),)),
        ),
    )


def test_history_tells_what_was_applied_and_undo_takes_it_back(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    before = contents(root)
    assert run(shared, "history") == []
    outcome = store.apply(plan_of(root))
    [entry] = run(shared, "history", {"directory": str(root)})
    assert (entry["id"], entry["title"], entry["source"], entry["undone"]) == (
        outcome.journal_id,
        "Two things",
        "plan",
        False,
    )
    kinds = {(file["path"], file["kind"]) for file in entry["files"]}
    assert kinds == {("潮位.md", "create"), ("MEMORY.md", "edit"), ("ferry.md", "edit")}
    [shown] = run(shared, "history", {"journalId": entry["id"]})
    diffs = {file["path"]: file["diff"] for file in shown["files"]}
    assert "-It leaves at six.\n+It leaves at seven.\n" in diffs["ferry.md"]
    assert "+- [潮位](潮位.md)\n" in diffs["MEMORY.md"]
    texts = {file["path"]: (file["before"], file["after"]) for file in shown["files"]}
    assert texts["潮位.md"] == (None, (root / "潮位.md").read_text())
    assert texts["MEMORY.md"] == (before["MEMORY.md"].decode(), (root / "MEMORY.md").read_text())

    undone = run(shared, "undo")
    assert (undone["undone"], undone["title"], undone["directory"]) == (entry["id"], "Two things", str(root))
    assert {file["path"] for file in undone["files"]} == {"潮位.md", "MEMORY.md", "ferry.md"}
    assert contents(root) == before
    assert [(each["source"], each["undone"]) for each in run(shared, "history")] == [("undo", False), ("plan", True)]
    # The undo of an undo does it again.
    run(shared, "undo", {"journalId": undone["journalId"]})
    assert contents(root) != before
    run(shared, "undo", {"journalId": run(shared, "history")[0]["id"]})
    assert contents(root) == before


def test_undo_refuses_over_later_edits_and_unsaved_text(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    assert refused(shared, "undo")[1]["kind"] == "notFound"
    store.apply(plan_of(root))
    changed = (root / "ferry.md").read_text()
    name = shared.open(root / "ferry.md", changed)
    shared.change(name, changed + "Unsaved.\n")
    code, data = refused(shared, "undo")
    assert (code, data["kind"]) == (FAILED, "unsaved")
    shared.close(name)
    (root / "ferry.md").write_text("Later.\n")
    state = contents(root)
    code, data = refused(shared, "undo")
    assert (code, data["kind"]) == (FAILED, "changed")
    assert data["hint"]
    assert contents(root) == state


def test_what_another_program_changes_is_in_the_history_and_can_be_undone(
    shared: Client, work: Path, store: Store
) -> None:
    root = work / "one/memory"
    shared.wait_for_code(root / "team/user_rota.md", "link-dead")
    (root / "ferry.md").write_text("Somebody else.\n")
    shared.watched(root / "ferry.md")
    entries = shared.wait(lambda: run(shared, "history"), "the change in the history")
    assert [(each["source"], [file["path"] for file in each["files"]]) for each in entries] == [
        ("external", ["ferry.md"])
    ]
    # It is not the last change of ours.
    assert refused(shared, "undo")[1]["kind"] == "notFound"
    run(shared, "undo", {"journalId": entries[0]["id"]})
    assert (root / "ferry.md").read_text() == FILES["ferry.md"]


def test_a_pending_plan_is_shown_and_applied_in_part(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    plan = plan_of(root)
    store.save_plan(plan, Report("planned", added=("潮位",), updated=("ferry",)).as_json())
    [shown] = run(shared, "plans")
    assert (shown["planId"], shown["title"], shown["added"]) == (plan.id, "Two things", ["潮位"])
    assert [(each["operation"], each["path"]) for each in shown["changes"]] == [
        (1, "潮位.md"),
        (1, "MEMORY.md"),
        (2, "ferry.md"),
    ]
    assert run(shared, "status")["pendingPlans"] == [{"planId": plan.id, "title": "Two things", "directory": str(root)}]
    before = contents(root)
    [one] = run(shared, "plans", {"planId": plan.id})
    assert {key: value for key, value in one.items() if key != "files"} == shown
    texts = {each["path"]: (each["kind"], each["before"], each["after"]) for each in one["files"]}
    [part] = run(shared, "plans", {"planId": plan.id, "only": [2]})
    assert [each["path"] for each in part["files"]] == ["ferry.md"]
    assert run(shared, "plans", {"planId": plan.id, "only": []})[0]["files"] == []
    report = run(shared, "applyPlan", {"planId": plan.id, "only": ["ferry.md"]})
    assert (report["status"], report["planId"], report["refused"]) == ("applied", None, [])
    assert [each["path"] for each in report["changes"]] == ["ferry.md"]
    assert {name for name, data in contents(root).items() if data != before.get(name)} == {"ferry.md"}
    assert texts["ferry.md"] == ("edit", FILES["ferry.md"], contents(root)["ferry.md"].decode())
    assert (texts["潮位.md"][:2], texts["MEMORY.md"][:2]) == (("create", None), ("edit", FILES["MEMORY.md"]))
    assert "潮位.md" in texts["MEMORY.md"][2]
    assert run(shared, "plans") == []
    assert run(shared, "history")[0]["id"] == report["journalId"]


def test_the_server_sees_what_it_applied_at_once(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    shared.wait_for_code(root / "team/user_rota.md", "link-dead")
    plan = plan_of(root)
    store.save_plan(plan, {})
    run(shared, "applyPlan", {"planId": plan.id})
    assert "潮位" in [each["name"] for each in run(shared, "list")]


def test_a_plan_is_refused_where_the_editor_has_unsaved_text(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    plan = plan_of(root)
    store.save_plan(plan, {})
    name = shared.open(root / "MEMORY.md", FILES["MEMORY.md"] + "- mine\n")
    report = run(shared, "applyPlan", {"planId": plan.id})
    assert [(each["operation"], each["path"], each["kind"]) for each in report["refused"]] == [
        (1, "MEMORY.md", "unsaved")
    ]
    assert not (root / "潮位.md").exists()
    assert "seven" in (root / "ferry.md").read_text()
    shared.close(name)


def test_a_plan_that_can_not_be_applied_at_all_stays(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    plan = plan_of(root)
    store.save_plan(plan, {})
    for name in ("MEMORY.md", "ferry.md"):
        (root / name).write_text("Another text.\n")
    (root / "潮位.md").write_text("Somebody was faster.\n")
    code, data = refused(shared, "applyPlan", {"planId": plan.id})
    assert (code, data["kind"], data["hint"]) == (FAILED, "exists", "Make a new plan.")
    [waiting] = run(shared, "plans")
    assert (waiting["planId"], waiting["outdated"]) == (plan.id, [1, 2])
    assert run(shared, "discardPlan", {"planId": plan.id})["title"] == "Two things"
    assert run(shared, "plans") == []
    assert refused(shared, "discardPlan", {"planId": plan.id})[1]["kind"] == "notFound"


def test_a_plan_is_shown_and_applied_for_what_is_there_now(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    plan = plan_of(root)
    store.save_plan(plan, {})
    theirs = "Mine.\r\n" + FILES["MEMORY.md"] + "- [Buoy](Buoy.md)\n\nEnde"
    (root / "MEMORY.md").write_text(theirs, newline="")
    (root / "ferry.md").write_text(FILES["ferry.md"] + "Mine.\n")
    [shown] = run(shared, "plans", {"planId": plan.id})
    assert (shown["planId"], shown["outdated"]) == (plan.id, [])
    texts = {each["path"]: (each["before"], each["after"]) for each in shown["files"]}
    assert texts["MEMORY.md"][0] == theirs
    report = run(shared, "applyPlan", {"planId": plan.id})
    assert (report["refused"], report["leftPlanId"]) == ([], None)
    after = contents(root)
    assert {path: after[path].decode() for path in texts} == {path: text for path, (_, text) in texts.items()}
    line = next(line for line in after["MEMORY.md"].decode().splitlines(keepends=True) if "潮位" in line)
    assert after["MEMORY.md"].decode().replace(line, "") == theirs
    assert after["ferry.md"].decode() == FILES["ferry.md"].replace("six", "seven") + "Mine.\n"


def test_nothing_that_a_person_is_told_names_a_command(shared: Client, work: Path) -> None:
    """Clients call commands by other names, so these stand in the hint alone."""
    for command, argument in (
        ("undo", {}),
        ("undo", {"journalId": "3-abcd"}),
        ("applyPlan", {"planId": "0123456789abcdef"}),
        ("applyPlan", {}),
        ("consolidate", {}),
        ("read", {"name": "nobody"}),
    ):
        with pytest.raises(Answer) as error:
            run(shared, command, argument)
        assert "memoryLs" not in str(error.value)
        assert "3-abcd" not in str(error.value)
        assert "0123456789abcdef" not in str(error.value)
        assert "memoryLs." in error.value.data["hint"]


def test_undo_says_what_can_be_done_once(shared: Client, work: Path, store: Store) -> None:
    root = work / "one/memory"
    store.apply(plan_of(root))
    for name in ("MEMORY.md", "潮位.md"):
        (root / name).write_text("Mine.\n")
    with pytest.raises(Answer) as error:
        run(shared, "undo")
    assert str(error.value).count("nothing was undone") == 1
    assert "MEMORY.md and 潮位.md" in str(error.value)
    assert "by hand" in error.value.data["hint"]


def test_arguments_that_can_not_be_taken(shared: Client, work: Path, store: Store) -> None:
    assert refused(shared, "applyPlan", {})[1]["key"] == "planId"
    assert refused(shared, "applyPlan", {"planId": "../../x"})[1]["kind"] == "notFound"
    assert refused(shared, "plans", {"planId": "none"})[1]["kind"] == "notFound"
    assert refused(shared, "undo", {"journalId": 3})[1]["key"] == "journalId"
    assert refused(shared, "undo", {"journalId": "3-abcd"})[1]["kind"] == "notFound"
    plan = plan_of(work / "one/memory")
    store.save_plan(plan, {})
    assert refused(shared, "applyPlan", {"planId": plan.id, "only": [True]})[1]["key"] == "only"
    assert refused(shared, "plans", {"planId": plan.id, "only": ["ferry.md"]})[1]["key"] == "only"
    assert refused(shared, "applyPlan", {"planId": plan.id, "only": ["nowhere.md"]})[1]["kind"] == "notFound"
    code, data = refused(shared, "history", {"directory": uri(work)})
    assert (code, data["key"]) == (INVALID, "directory")
