"""From a chat log to memories over the protocol, with the offline provider and with an editor's model."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from memory_ls.server.commands.pipeline import name_of
from tests.making import memory, write_files
from tests.server.client import JSON, Client, uri
from tests.server.commands.asking import refused, run
from tests.server.commands.conftest import contents

FAILED = types.LSPErrorCodes.RequestFailed.value
INVALID = types.ErrorCodes.InvalidParams.value
CANCELLED = types.LSPErrorCodes.RequestCancelled.value

CHAT = [
    {"role": "user", "content": "The banner is late again."},
    {"role": "assistant", "content": "I looked: it waits for the tide table."},
    {"role": "user", "content": "Always write dates as day, month, year in the notices. What time is it there?"},
    {"role": "assistant", "content": "Noted. It is six."},
    {"role": "user", "content": "Never delete a booking of the harbour office."},
    {"role": "assistant", "content": "I will not."},
]


def consolidated(client: Client, work: Path, messages: list[JSON] = CHAT, **more: object) -> Any:
    given = {"log": {"messages": messages}, "directory": str(work / "one/memory"), **more}
    return run(client, "extractAndConsolidate", given)


def accounted(report: JSON) -> bool:
    """Whether every candidate appears once."""
    lists = [report[name] for name in ("added", "updated", "skipped", "stale")]
    numbers = [each["candidate"] for each in report["decisions"]]
    return report["candidatesFound"] == len(numbers) == sum(map(len, lists)) and sorted(numbers) == list(
        range(1, len(numbers) + 1)
    )


def test_a_preview_waits_and_is_applied_in_part(shared: Client, work: Path) -> None:
    before = contents(work / "one/memory")
    report = consolidated(shared, work)
    assert (report["status"], report["provider"], report["model"]) == ("planned", "offline", None)
    assert accounted(report)
    assert len(report["added"]) == 2
    assert contents(work / "one/memory") == before
    assert [each["planId"] for each in run(shared, "status")["pendingPlans"]] == [report["planId"]]
    first, second = report["decisions"]
    assert first["evidence"] == [
        {"message": 3, "quote": "Always write dates as day, month, year in the notices."},
    ]
    applied = run(shared, "applyPlan", {"planId": report["planId"], "only": [second["operation"]]})
    assert (applied["status"], applied["added"], applied["skipped"]) == ("applied", [second["name"]], [first["name"]])
    assert accounted(applied)
    assert applied["decisions"][0]["reason"] == "It was not chosen."
    assert set(contents(work / "one/memory")) - set(before) == {
        change["path"] for change in applied["changes"] if change["kind"] == "create"
    }
    assert run(shared, "status")["pendingPlans"] == []
    # The log counts as read, also what was left out.
    again = consolidated(shared, work)
    assert (again["status"], again["candidatesFound"]) == ("skipped", 0)
    assert "nothing new" in again["skippedReason"]
    whole = consolidated(shared, work, fromStart=True)
    assert (whole["added"], whole["skipped"]) == ([first["name"]], [second["name"]])


def test_two_logs_that_add_are_both_applied_and_what_was_written_between_stays(shared: Client, work: Path) -> None:
    other = [
        {"role": "user", "content": "Always count the seagulls at dusk."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Never feed the seals."},
        {"role": "assistant", "content": "I will not."},
    ]
    index = work / "one/memory/MEMORY.md"
    plans = [consolidated(shared, work), consolidated(shared, work, other)]
    for number, report in enumerate(plans):
        index.write_text(f"Mine {number}.\n\n{index.read_text()}")
        applied = run(shared, "applyPlan", {"planId": report["planId"]})
        assert (applied["added"], applied["refused"]) == (report["added"], [])
    listed = [each["name"] for each in run(shared, "list", {"directory": str(work / "one/memory")})]
    assert {name for report in plans for name in report["added"]} <= set(listed)
    text = index.read_text()
    assert text.startswith("Mine 1.\n\nMine 0.\n\n# Index\n\n- [")
    assert all(text.count(f"]({name}.md)") == 1 for report in plans for name in report["added"])


def test_a_part_of_a_log_takes_nothing_from_the_whole(shared: Client, work: Path) -> None:
    log = work / "chat.jsonl"
    lines = [json.dumps(each) + "\n" for each in CHAT]
    log.write_text("".join(lines))
    whole = {"log": {"uri": uri(log)}, "directory": str(work / "one/memory")}
    of_all = run(shared, "extractAndConsolidate", whole)
    part = {**whole, "log": {"text": "".join(lines[:3])}, "minMessages": 1, "fromStart": True}
    of_part = run(shared, "extractAndConsolidate", part)
    assert (len(of_all["added"]), len(of_part["added"])) == (2, 1)
    waiting = {each["planId"]: each["log"] for each in run(shared, "plans")}
    assert waiting == {of_all["planId"]: "chat.jsonl", of_part["planId"]: ""}
    run(shared, "applyPlan", {"planId": of_part["planId"]})
    run(shared, "discardPlan", {"planId": of_all["planId"]})
    assert "nothing new" in run(shared, "extractAndConsolidate", whole)["skippedReason"]


def test_what_is_refused_waits_on_and_is_found_again(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    ferry = root / "ferry.md"
    ferry.write_text(memory("ferry", "The boat", body="The boat to the island leaves at 15:00.\n"))
    shared.watched(ferry)
    chat = [*CHAT, {"role": "user", "content": "From now on the boat to the island leaves at 20:00, not 15:00."}]
    report = consolidated(shared, work, chat)
    assert report["updated"] == ["ferry"]
    ferry.write_text(ferry.read_text().replace("15:00.", "16:00, as I know."))
    applied = run(shared, "applyPlan", {"planId": report["planId"]})
    assert (applied["added"], applied["updated"], applied["skipped"]) == (report["added"], [], ["ferry"])
    assert [each["kind"] for each in applied["refused"]] == ["changed"]
    assert any("1 change was left out and waits still." in each for each in applied["warnings"])
    history = run(shared, "history", {"directory": str(root)})
    assert "ferry" not in history[0]["title"]
    [left] = run(shared, "plans")
    assert (left["planId"], left["title"], left["updated"], left["added"]) == (
        applied["leftPlanId"],
        "Update ferry",
        ["ferry"],
        [],
    )
    assert left["outdated"] == [left["decisions"][0]["operation"]]
    assert left["decisions"][0]["evidence"]
    # Read again, the log proposes it for what is there now, and it alone.
    again = consolidated(shared, work, chat)
    assert (again["status"], again["added"], again["updated"]) == ("planned", [], ["ferry"])
    assert [each["planId"] for each in run(shared, "plans")] == [again["planId"]]
    run(shared, "applyPlan", {"planId": again["planId"]})
    assert "20:00" in ferry.read_text()
    assert run(shared, "plans") == []
    assert "nothing new" in consolidated(shared, work, chat)["skippedReason"]


def test_what_was_left_can_be_applied_later(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    report = consolidated(shared, work)
    path = next(each["path"] for each in report["changes"] if each["kind"] == "create")
    name = shared.open(root / path, "Mine.\n")
    applied = run(shared, "applyPlan", {"planId": report["planId"]})
    assert [each["kind"] for each in applied["refused"]] == ["unsaved"]
    shared.close(name)
    last = run(shared, "applyPlan", {"planId": applied["leftPlanId"]})
    assert sorted([*applied["added"], *last["added"]]) == sorted(report["added"])
    assert run(shared, "plans") == []
    assert "nothing new" in consolidated(shared, work)["skippedReason"]


def test_a_discarded_plan_is_not_proposed_again(shared: Client, work: Path) -> None:
    report = consolidated(shared, work)
    run(shared, "discardPlan", {"planId": report["planId"]})
    assert consolidated(shared, work)["status"] == "skipped"


def test_a_preview_takes_the_place_of_the_one_before_it_from_the_same_log(shared: Client, work: Path) -> None:
    consolidated(shared, work)
    more = [
        *CHAT,
        {"role": "user", "content": "From now on answer in Korean."},
        {"role": "assistant", "content": "Yes."},
    ]
    report = consolidated(shared, work, more)
    assert [each["planId"] for each in run(shared, "plans")] == [report["planId"]]
    assert len(report["added"]) == 3


def test_only_what_is_new_is_read_and_a_rewritten_log_from_the_start(shared: Client, work: Path) -> None:
    assert consolidated(shared, work, mode="apply")["status"] == "applied"
    more = [
        *CHAT,
        {"role": "user", "content": "From now on answer in Korean."},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Thanks."},
        {"role": "assistant", "content": "Gladly."},
    ]
    report = consolidated(shared, work, more[:7])
    assert "minMessages" in report["skippedReason"]
    report = consolidated(shared, work, more)
    assert (report["messages"], report["candidatesFound"]) == ({"total": 10, "new": 4, "unreadable": 0}, 1)
    [change] = [each for each in report["changes"] if each["kind"] == "create"]
    rewritten = [CHAT[0], {"role": "assistant", "content": "Something else."}, *more[2:]]
    report = consolidated(shared, work, rewritten, mode="dryRun")
    assert report["messages"]["new"] == 10
    assert any("read from the start" in warning for warning in report["warnings"])
    assert change["path"]


def test_a_dry_run_and_extract_leave_no_trace(shared: Client, work: Path) -> None:
    before = contents(work / "one/memory")
    given = {"log": {"text": "".join(f"{each['role'].title()}: {each['content']}\n\n" for each in CHAT)}}
    found = run(shared, "extract", {**given, "directory": str(work / "one/memory")})
    assert len(found["candidates"]) == 2
    assert {each["message"] for candidate in found["candidates"] for each in candidate["evidence"]} == {3, 5}
    assert consolidated(shared, work, mode="dryRun")["status"] == "dryRun"
    assert run(shared, "plans") == []
    assert len(consolidated(shared, work, mode="dryRun")["added"]) == 2
    assert contents(work / "one/memory") == before


def test_candidates_of_extract_are_consolidated(shared: Client, work: Path) -> None:
    given = {"log": {"messages": CHAT}, "directory": str(work / "one/memory")}
    found = run(shared, "extract", given)["candidates"]
    bad = [{"type": "nonsense", "name": "x", "description": "", "content": "y"}, "text"]
    unsafe = {"type": "user", "name": "../../x", "description": "d", "content": "Text."}
    argument = {"candidates": [*found, *bad, unsafe], "directory": str(work / "one/memory")}
    report = run(shared, "consolidate", {**argument, "mode": "apply"})
    assert (report["status"], len(report["added"]), len(report["dropped"])) == ("applied", 2, 3)
    assert accounted(report)
    assert any("Unsafe name" in each["reason"] for each in report["dropped"])
    again = run(shared, "consolidate", {**argument, "mode": "apply"})
    assert (again["status"], len(again["skipped"])) == ("skipped", 2)


def test_whether_the_user_said_so_is_told_also_of_candidates_that_come_back(shared: Client, work: Path) -> None:
    where = {"directory": str(work / "one/memory")}
    [first, second] = run(shared, "extract", {"log": {"messages": CHAT}, **where})["candidates"]
    assert (first["unverified"], second["unverified"]) == (False, False)
    del second["unverified"]  # from somebody else, whose log nobody can look into
    report = run(shared, "consolidate", {"candidates": [first, second], "mode": "dryRun", **where})
    assert [each["unverified"] for each in report["decisions"]] == [False, True]


def test_evidence_is_shown_where_a_memory_is_hovered(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    report = consolidated(shared, work, mode="apply")
    path = next(each["path"] for each in report["changes"] if each["kind"] == "create")
    name = shared.open(root / "MEMORY.md")
    line = next(n for n, text in enumerate((root / "MEMORY.md").read_text().split("\n")) if path in text)

    def hovered() -> str | None:
        answer = shared.at("hover", name, line, 4)
        text = str(answer["contents"]["value"]) if answer else ""
        return text if "From: “Always write dates" in text else None

    end = time.monotonic() + 5
    while hovered() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert hovered()
    shared.close(name)
    run(shared, "undo")


def test_evidence_goes_with_a_memory_that_is_renamed(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    report = consolidated(shared, work, mode="apply")
    [old, *_] = [each["path"] for each in report["changes"] if "dates" in each["path"]]

    def hovered(path: Path) -> str | None:
        name = shared.open(path)
        line = next(n for n, text in enumerate(path.read_text().split("\n")) if text.startswith("name:"))
        answer = shared.at("hover", name, line, 8)
        shared.close(name)
        return "From: “Always write dates" if answer and "From: “Always write dates" in str(answer) else None

    shared.wait(lambda: hovered(root / old), "the evidence")
    # Another name in the file and for the file, as a rename makes it.
    text = (root / old).read_text().replace(f"name: {old.removesuffix('.md')}", "name: dates-in-notices")
    (root / old).unlink()
    (root / "dates-in-notices.md").write_text(text)
    shared.watched(root / old, root / "dates-in-notices.md")
    shared.wait(lambda: hovered(root / "dates-in-notices.md"), "the evidence under the new name")


def test_the_text_of_an_open_log_wins_over_the_disk(shared: Client, work: Path) -> None:
    path = work / "chat.json"
    path.write_text(json.dumps(CHAT[:2]))
    name = shared.open(path, json.dumps(CHAT))
    report = consolidated(shared, work, log={"uri": name}, mode="dryRun")
    assert report["messages"]["total"] == 6
    shared.close(name)
    assert consolidated(shared, work, log={"uri": uri(path)}, mode="dryRun")["messages"]["total"] == 2


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({}, "log"),
        ({"log": {}}, "log"),
        ({"log": "text"}, "log"),
        ({"log": {"text": "a", "format": "no"}}, "log"),
        ({"log": {"text": 5}}, "log"),
        ({"log": {"text": "a"}, "mode": "now"}, "mode"),
        ({"log": {"text": "a"}, "fromStart": 1}, "fromStart"),
    ],
)
def test_wrong_arguments_are_named(shared: Client, work: Path, given: JSON, key: str) -> None:
    code, data = refused(shared, "extractAndConsolidate", given)
    assert (code, data["key"]) == (INVALID, key)


def test_a_log_that_is_not_there_and_an_empty_one(shared: Client, work: Path) -> None:
    where = {"directory": str(work / "one/memory")}
    for path in (work / "none.jsonl", work, Path(os.devnull)):
        code, data = refused(shared, "extractAndConsolidate", {"log": {"uri": uri(path)}, **where})
        assert (code, data["kind"]) == (FAILED, "notFound")
    report = run(shared, "extractAndConsolidate", {"log": {"text": ""}, **where})
    assert (report["status"], report["skippedReason"]) == ("skipped", "No messages were found in the log.")


def test_unsaved_text_keeps_its_memory_from_being_written(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    name = shared.open(root / "MEMORY.md")
    shared.change(name, "# Index\n\nUnsaved\n")
    code, data = refused(
        shared, "extractAndConsolidate", {"log": {"messages": CHAT}, "directory": str(root), "mode": "apply"}
    )
    assert (code, data["kind"]) == (FAILED, "unsaved")
    shared.close(name)
    # It failed, so it is read once more.
    assert len(consolidated(shared, work, mode="apply")["added"]) == 2


def test_injection_gives_summaries_or_the_index(shared: Client, work: Path) -> None:
    where = {"directory": str(work / "one/memory")}
    text = run(shared, "injection", where)
    assert text.startswith("# Persistent Memory\n")
    assert "## ferry\nThe boat\n" in text
    assert "memory_read" in text
    few = run(shared, "injection", {**where, "limit": 1})
    assert (few.count("\n## "), "2 more memories are not listed here" in few) == (1, True)
    index = run(shared, "injection", {**where, "form": "index"})
    assert index == "<memory>\n# Index\n\n- [ferry](ferry.md)\n</memory>\n"
    assert refused(shared, "injection", {"form": "all"})[1]["key"] == "form"


def test_the_logs_of_the_workspace_are_listed(shared: Client, work: Path, home: Path) -> None:
    folder = str(work / "one")
    rows = [
        {
            "type": "user",
            "sessionId": "s1",
            "cwd": folder,
            "uuid": "u1",
            "parentUuid": None,
            "message": {"role": "user", "content": "Hello boat"},
        },
    ]
    key = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in folder)
    write_files(home / ".claude/projects" / key, {"s1.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    [log] = run(shared, "chatLogs")
    assert (log["format"], log["title"]) == ("claude-code", "Hello boat")


# ---- an editor's model


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Client]:
    """A server whose client runs the model; its directory is ``project/memory``."""
    write_files(tmp_path / "project/memory", {"MEMORY.md": "# Index\n", "ferry.md": memory("ferry", "The boat")})
    client = Client(tmp_path / "home")
    client.initialize("vscode", tmp_path / "project", options={"complete": True})
    yield client
    try:
        client.leave()
        client.check()
    finally:
        client.end()


def candidates(*values: JSON) -> JSON:
    return {"result": {"text": json.dumps({"candidates": list(values)}), "model": "harbour-1"}}


VIM = {
    "type": "user",
    "name": "user-prefers-vim",
    "description": "The user edits with vim",
    "content": "The user edits with vim.",
    "evidence": [{"message": 1, "quote": "banner is late"}],
    "confidence": 0.9,
}


def test_the_editors_model_is_asked(asked: Client) -> None:
    assert run(asked, "status")["provider"] == "editor"
    asked.replies["memoryLs/complete"] = candidates()
    secret = "ghp_" + "9fK2mQ7xWv4TzB8nRc1LpYd6HsJ3aGeU5kXo"
    chat = [*CHAT, {"role": "user", "content": f"The key is {secret}, never show it."}]
    report = run(asked, "extractAndConsolidate", {"log": {"messages": chat}})
    assert (report["status"], report["provider"], report["model"]) == ("skipped", "editor", "harbour-1")
    assert report["usage"]["calls"] == 1
    [params] = asked.requested("memoryLs/complete")
    assert set(params) == {"system", "prompt", "schema", "maxTokens"}
    assert secret not in json.dumps(params)
    assert "[REDACTED]" in params["prompt"]


def test_what_would_be_sent_is_told_redacted_and_asks_no_model(asked: Client) -> None:
    secret = "ghp_" + "9fK2mQ7xWv4TzB8nRc1LpYd6HsJ3aGeU5kXo"
    chat = [*CHAT, {"role": "user", "content": f"钥匙是 {secret}"}]
    told = run(asked, "prompts", {"log": {"messages": chat}})
    assert (told["provider"], told["estimate"]["calls"]) == ("editor", 1)
    [prompt] = told["prompts"]
    assert "Always write dates as day, month, year" in prompt
    assert secret not in prompt
    assert told["estimate"]["inputTokens"] > len(prompt) / 8
    assert asked.requested("memoryLs/complete") == []
    short = run(asked, "prompts", {"log": {"messages": CHAT[:1]}})
    assert (short["prompts"], short["estimate"]["calls"]) == ([], 0)


def test_a_part_of_a_log_may_be_short(shared: Client, work: Path) -> None:
    few = {"log": {"text": "User: Always write dates as day, month, year.\n"}, "directory": str(work / "one/memory")}
    assert run(shared, "extractAndConsolidate", few)["status"] == "skipped"
    assert run(shared, "extractAndConsolidate", {**few, "minMessages": 1})["candidatesFound"] == 1
    assert refused(shared, "extract", {**few, "minMessages": 0})[1]["key"] == "minMessages"


def test_sentences_that_are_selected_without_a_speaker_are_the_users(shared: Client, work: Path) -> None:
    given = {"directory": str(work / "one/memory"), "minMessages": 1}
    sentence = "Remember that the ticket printer needs 80 mm paper."
    report = run(shared, "extractAndConsolidate", {**given, "log": {"text": sentence}})
    assert [each["evidence"][0]["quote"] for each in report["decisions"]] == [sentence]
    # A piece of a log for programs tells who speaks, and not where it is cut.
    piece = f'"role": "tool", "content": "{sentence}"}}'
    report = run(shared, "extractAndConsolidate", {**given, "log": {"text": piece}})
    assert report["skippedReason"].startswith("No messages were found in the log: a message begins with who speaks")
    assert report["warnings"] == []
    # All of a text may be anything.
    report = run(shared, "extractAndConsolidate", {"directory": given["directory"], "log": {"text": sentence}})
    assert report["status"] == "skipped"


def test_what_agents_would_not_load_is_told_before_and_not_where_it_is_left_out(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    index = root / "MEMORY.md"
    index.write_text("# Index\n" + "\n" * 197 + "- [ferry](ferry.md)\n", encoding="utf-8")
    shared.wait(lambda: "index-near-limit" in str(run(shared, "check", {"directory": str(root)})), "the long index")
    report = consolidated(shared, work)
    assert len(report["added"]) == 2
    [warning] = report["warnings"]
    assert warning.startswith("`MEMORY.md` is longer than agents load")
    first = report["decisions"][0]["operation"]
    assert run(shared, "applyPlan", {"planId": report["planId"], "only": [first]})["warnings"] == []


def test_a_part_of_a_log_leaves_what_is_pending_of_all_of_it(shared: Client, work: Path) -> None:
    texts = [
        f"User: Never delete a booking of the harbour office.\n\nAssistant: I will not.\n\nUser: {more}\n\nAssistant: Yes.\n"
        for more in ("Always write dates as day, month, year.", "Always name tests after the behaviour.")
    ]
    given: JSON = {"directory": str(work / "one/memory")}
    whole = run(shared, "extractAndConsolidate", {**given, "log": {"text": texts[0]}})
    part = {**given, "log": {"text": texts[0].partition("\n\n")[0]}, "minMessages": 1}
    chosen = run(shared, "extractAndConsolidate", part)

    def waiting() -> set[str]:
        return {each["planId"] for each in run(shared, "status")["pendingPlans"]}

    assert waiting() == {whole["planId"], chosen["planId"]}
    again = run(shared, "extractAndConsolidate", {**given, "log": {"text": texts[1]}})
    assert waiting() == {again["planId"], chosen["planId"]}
    # What was chosen is read also where it was read before.
    run(shared, "discardPlan", {"planId": chosen["planId"]})
    assert run(shared, "extractAndConsolidate", part)["planId"] == chosen["planId"]


def test_offline_nothing_would_be_sent(shared: Client, work: Path) -> None:
    told = run(shared, "prompts", {"log": {"messages": CHAT}, "directory": str(work / "one/memory")})
    assert (told["provider"], told["prompts"]) == ("offline", [])


def test_garbage_and_errors_of_the_editors_model_are_told(asked: Client) -> None:
    for reply in (
        {"error": {"code": -32603, "message": "No model is signed in"}},
        {"result": {"model": 5}},
        {"result": None},
    ):
        asked.replies["memoryLs/complete"] = reply
        code, data = refused(asked, "extractAndConsolidate", {"log": {"messages": CHAT}})
        assert (code, data["kind"]) == (FAILED, "failed")
        assert data["hint"]
    asked.replies["memoryLs/complete"] = {"error": {"code": 1, "message": "No quota", "data": {"kind": "rateLimited"}}}
    code, data = refused(asked, "extractAndConsolidate", {"log": {"messages": CHAT}})
    assert (code, data["kind"]) == (FAILED, "rateLimited")
    assert run(asked, "plans") == []
    # It failed, so nothing counts as read.
    asked.replies["memoryLs/complete"] = candidates()
    assert run(asked, "extractAndConsolidate", {"log": {"messages": CHAT}})["messages"]["new"] == 6


def test_a_second_run_on_the_same_log_is_busy_and_a_cancel_ends_the_first(asked: Client) -> None:
    asked.silent_on.add("memoryLs/complete")
    params = {"command": "memoryLs.extractAndConsolidate", "arguments": [{"log": {"messages": CHAT}}]}
    number = asked.ask("workspace/executeCommand", params)
    asked.wait(lambda: asked.requested("memoryLs/complete"), "the question to the editor")
    assert run(asked, "status")["work"] == ["consolidating"]
    code, data = refused(asked, "extractAndConsolidate", {"log": {"messages": CHAT}})
    assert (code, data["kind"]) == (FAILED, "busy")
    begun = time.monotonic()
    asked.notify("$/cancelRequest", {"id": number})
    answer = asked.wait(lambda: asked.answers.get(number), "the end")
    assert answer[0]["error"]["code"] == CANCELLED
    assert time.monotonic() - begun < 1
    assert run(asked, "status")["work"] == []
    asked.silent_on.clear()
    asked.replies["memoryLs/complete"] = candidates()
    assert run(asked, "extractAndConsolidate", {"log": {"messages": CHAT}})["status"] == "skipped"


def test_an_editors_model_that_never_answers_is_given_up(tmp_path: Path) -> None:
    write_files(tmp_path / "project/memory", {"MEMORY.md": "# Index\n"})
    client = Client(tmp_path / "home")
    try:
        client.initialize("vscode", tmp_path / "project", options={"complete": True, "timeoutSeconds": 1})
        client.silent_on.add("memoryLs/complete")
        code, data = refused(client, "extractAndConsolidate", {"log": {"messages": CHAT}})
        assert (code, data["kind"]) == (FAILED, "network")
        assert "timeoutSeconds" in data["hint"]
        client.leave()
        client.check()
    finally:
        client.end()


def test_an_untrusted_workspace_asks_no_model(tmp_path: Path) -> None:
    write_files(tmp_path / "project/memory", {"MEMORY.md": "# Index\n"})
    client = Client(tmp_path / "home")
    try:
        client.initialize("vscode", tmp_path / "project", options={"complete": True, "trusted": False})
        report = run(client, "extractAndConsolidate", {"log": {"messages": CHAT}})
        assert (report["provider"], client.requested("memoryLs/complete")) == ("offline", [])
        client.leave()
        client.check()
    finally:
        client.end()


def test_a_project_without_memories_gets_its_first_ones(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    client = Client(tmp_path / "home")
    try:
        client.initialize("vscode", tmp_path / "project")
        report = run(client, "extractAndConsolidate", {"log": {"messages": CHAT}})
        root = Path(report["directory"])
        assert (report["status"], root.exists()) == ("planned", False)
        # The plan is found by its directory too, which is still to be made.
        plan = {"planId": report["planId"], "directory": report["directory"]}
        assert [each["planId"] for each in run(client, "plans", {"directory": str(root)})] == [report["planId"]]
        assert [file["path"] for file in run(client, "plans", plan)[0]["files"] if file["before"] is not None] == []
        run(client, "applyPlan", plan)
        assert (root / "MEMORY.md").is_file()
        client.wait(lambda: run(client, "list"), "the new memories")
        assert {each["name"] for each in run(client, "list")} == set(report["added"])
        client.leave()
        client.check()
    finally:
        client.end()


def test_progress_tells_the_log_and_how_far_it_is_read_also_without_a_model(shared: Client, work: Path) -> None:
    turns = [turn for at in range(60) for turn in (f"User: Gate {at} has {at + 2} berths in all.", "Assistant: Noted.")]
    log = work / "gates.txt"
    log.write_text("\n\n".join(turns), encoding="utf-8")
    shared.heard["read"] = []
    given = {"log": {"uri": uri(log)}, "directory": str(work / "one/memory")}
    params = {"command": "memoryLs.extractAndConsolidate", "arguments": [given], "workDoneToken": "read"}
    number = shared.ask("workspace/executeCommand", params)
    shared.wait(lambda: number in shared.answers, "the answer")
    begin, *reports, end = shared.heard.pop("read")
    assert (begin["title"], end["kind"]) == ("Consolidating a chat log: gates.txt", "end")
    read = [each for each in reports if each["message"].startswith("Read")]
    assert [each["message"] for each in read] == [f"Read {count} of 120" for count in range(20, 121, 20)]
    assert [each["percentage"] for each in read] == sorted(each["percentage"] for each in read)
    assert read[-1]["percentage"] == 100


def test_progress_tells_how_many_windows_are_read(asked: Client) -> None:
    asked.replies["memoryLs/complete"] = candidates()
    chat = [{"role": each["role"], "content": each["content"] * 900} for each in CHAT]
    asked.heard["work"] = []
    params = {"command": "memoryLs.extractAndConsolidate", "arguments": [{"log": {"messages": chat}}]}
    report = asked.request("workspace/executeCommand", {**params, "workDoneToken": "work"})
    count = report["usage"]["calls"]
    assert count > 1
    kinds = [each["kind"] for each in asked.heard["work"]]
    assert kinds == ["begin", *["report"] * count, "end"]
    last = asked.heard["work"][-2]
    assert (last["message"], last["percentage"]) == (f"Read {count} of {count}", 100)


def test_what_the_editors_model_says_is_saved(asked: Client, tmp_path: Path) -> None:
    entry = {key: VIM[key] for key in ("type", "name", "description", "content")}
    operation = {"candidate": 1, "action": "add", "target": None, "entry": entry, "reason": "new"}
    both = {"candidates": [VIM, {**VIM, "name": "made-up", "evidence": [{"message": 1, "quote": "I love emacs"}]}]}
    asked.replies["memoryLs/complete"] = {
        "result": {"text": json.dumps({**both, "operations": [operation]}), "model": "harbour-1"}
    }
    report = run(asked, "extractAndConsolidate", {"log": {"messages": CHAT}, "mode": "apply"})
    assert (report["status"], report["added"], report["usage"]["calls"]) == ("applied", ["user-prefers-vim"], 2)
    assert report["dropped"] == [{"name": "made-up", "reason": "Its quote is not in the log."}]
    assert accounted(report)
    assert "The user edits with vim." in (tmp_path / "project/memory/user-prefers-vim.md").read_text()
    # The next chat is told.
    asked.wait(lambda: "user-prefers-vim" in run(asked, "injection"), "the new memory")


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("file:///w/chat.txt", "chat.txt"),
        ("file:///w/a%0Ab.txt", "a b.txt"),
        ("file:///w/%FF.txt", "\ufffd.txt"),
        ("file:///", ""),
        ("untitled:chat", ""),
    ],
)
def test_a_log_is_called_by_what_every_client_can_show(given: str, name: str) -> None:
    assert name_of(given) == name
