"""The pipeline as a whole, for one directory: with the real library before a server of ours, and without a model."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory_ls.changes.plan import Report
from memory_ls.chats.message import ChatLog, Message, Role
from memory_ls.directory import loader
from memory_ls.directory.listing import MemorySummary
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.pipeline.manager import Manager, Proposal, alone_with
from memory_ls.pipeline.models.model import ModelError
from memory_ls.pipeline.providers import Provider, provider_for
from memory_ls.pipeline.values import Action, Candidate, Consolidation, Evidence, Extraction, Memory, Operation
from memory_ls.settings import Settings
from memory_ls.store.store import Store
from memory_ls.store.watermarks import BusyError
from tests.making import memory, write_files
from tests.pipeline.messages_api import MessagesApi, Reply, failure

TODAY = date(2026, 11, 30)


def log_of(*texts: str, session: str | None = "s1", **more: Any) -> ChatLog:
    """What the user and the assistant said by turns."""
    roles = (Role.USER, Role.ASSISTANT)
    messages = tuple(Message(roles[number % 2], text) for number, text in enumerate(texts))
    return ChatLog(messages, "plain", session, **more)


CHAT = log_of(
    "The banner is late again.",
    "It waits for the tide table.",
    "I edit everything in vim, keep to its settings.",
    "I will.",
    "Boats are never overbooked by more than 4 seats.",
    "Understood.",
)


def candidate(name: str, content: str, message: int = 0, quote: str = "", kind: str = "feedback") -> Candidate:
    evidence = (Evidence(message, quote),) if quote else ()
    return Candidate(kind, name, content.rstrip("."), content, evidence, 0.9)


class Said:
    """An extractor and a consolidator that say what a test wants, whatever they are asked."""

    def __init__(self, extraction: Extraction, operations: Sequence[Operation]) -> None:
        self.extraction, self.operations = extraction, tuple(operations)
        self.messages: list[Message] = []

    async def extract(self, messages: Sequence[Message], known: Sequence[MemorySummary]) -> Extraction:
        self.messages = list(messages)
        return self.extraction

    async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
        return Consolidation(self.operations)


def manager_of(root: Path, provider: Provider, settings: Settings | None = None) -> Manager:
    def snapshot() -> MemoryDirectory:
        return loader.load(root, lenient=True) if root.is_dir() else MemoryDirectory(str(root))

    return Manager(Store(root, root.parent / "state"), settings or Settings(), provider, snapshot, TODAY)


def saying(root: Path, candidates: Sequence[Candidate], operations: Sequence[Operation], **more: Any) -> Manager:
    said = Said(Extraction(tuple(candidates), **more), operations)
    return manager_of(root, Provider("offline", said, said))


def proposed(manager: Manager, log: ChatLog = CHAT, **more: Any) -> Proposal:
    return asyncio.run(manager.propose(log, **more))


def applied(manager: Manager, proposal: Proposal) -> Report:
    outcome = manager.store.apply(proposal.plan)
    assert manager.settle(proposal, outcome) == []
    return proposal.applied(outcome)


def accounted(report: Report) -> bool:
    numbers = [each["candidate"] for each in report.decisions]
    lists = (report.added, report.updated, report.skipped, report.stale)
    return numbers == list(range(1, report.candidates_found + 1)) and sum(map(len, lists)) == report.candidates_found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(
        tmp_path / "memory",
        {
            "MEMORY.md": "# Index\n\n- [ferry](ferry.md)\n- [tide](tide.md)\n",
            "ferry.md": memory("ferry", "The boat", body="It leaves at six.\n"),
            "tide.md": memory("tide", "The tide", body="It turns at noon.\n"),
        },
    )


# ---- what becomes of candidates


def test_each_decision_is_carried_out_and_told_once(root: Path) -> None:
    found = [
        candidate("editor", "The user edits in vim.", 3, "I edit everything in vim", "user"),
        candidate("ferry-time", "The ferry leaves at seven.", 5, "Boats are never"),
        candidate("tide-gone", "There is no tide any more.", 5, "Boats"),
        candidate("banner", "The banner is late.", 1, "banner is late"),
    ]
    operations = [
        Operation(1, Action.ADD, None, found[0], "new"),
        Operation(2, Action.UPDATE, "ferry", replace(found[1], name="ferry"), "later now"),
        Operation(3, Action.STALE, "tide", None, "no tide"),
        Operation(4, Action.SKIP, None, None, "passing"),
    ]
    manager = saying(root, found, operations)
    proposal = proposed(manager)
    assert (proposal.report("planned").status, proposal.plan.title) == (
        "planned",
        "Add editor; update ferry; mark as stale tide",
    )
    report = applied(manager, proposal)
    assert accounted(report)
    assert (report.added, report.updated, report.stale, report.skipped) == (
        ("editor",),
        ("ferry",),
        ("tide",),
        ("banner",),
    )
    assert "The user edits in vim." in (root / "editor.md").read_text()
    assert "The ferry leaves at seven." in (root / "ferry.md").read_text()
    assert "status: stale" in (root / "tide.md").read_text()
    assert "editor" in (root / "MEMORY.md").read_text()
    assert manager.store.evidence() == {
        "editor.md": ["I edit everything in vim"],
        "ferry.md": ["Boats are never"],
        "tide.md": ["Boats"],
    }


def test_an_operation_that_cannot_be_done_is_skipped_with_the_reason(root: Path) -> None:
    found = [candidate(name, "Some text.", 1, "banner") for name in ("one", "two", "three", "four", "five")]
    operations = [
        Operation(1, Action.ADD, None, None),
        Operation(2, Action.UPDATE, None, None),
        Operation(3, Action.STALE, "nobody", None),
        Operation(4, Action.ADD, None, replace(found[3], name="../up")),
    ]
    report = proposed(saying(root, found, operations)).report("planned")
    assert (report.status, accounted(report), len(report.skipped)) == ("skipped", True, 5)
    reasons = [each["reason"] for each in report.decisions]
    assert all(reasons)
    assert "no memory `nobody`" in reasons[2]
    assert reasons[4] == "No decision was made on it."


def test_two_candidates_for_one_memory_become_one_change(root: Path) -> None:
    first = candidate("ferry", "It leaves at seven.", 1, "banner is late")
    both = candidate("ferry", "It leaves at seven, from the new quay.", 5, "never overbooked")
    new = candidate("quay", "The new quay is green.", 3, "vim")
    newer = candidate("quay", "The new quay is green, and long.", 3, "everything in vim")
    operations = [
        Operation(1, Action.UPDATE, "ferry", first),
        Operation(2, Action.UPDATE, "ferry", both),
        Operation(3, Action.ADD, None, new),
        Operation(4, Action.UPDATE, "quay", newer),
    ]
    manager = saying(root, [first, both, new, newer], operations)
    report = applied(manager, proposed(manager))
    assert accounted(report)
    assert (report.added, report.updated) == (("quay",), ("ferry", "ferry", "quay"))
    assert "from the new quay" in (root / "ferry.md").read_text()
    assert (root / "quay.md").read_text().count("green, and long") == 2  # description and body
    assert manager.store.evidence()["ferry.md"] == ["banner is late", "never overbooked"]


def test_an_update_of_what_is_not_there_adds_it_and_an_add_of_what_is_there_updates_it(root: Path) -> None:
    found = [candidate("quay", "The quay is green."), candidate("Ferry", "It leaves at seven.")]
    operations = [
        Operation(1, Action.UPDATE, "harbour", found[0]),
        Operation(2, Action.ADD, None, found[1]),
    ]
    manager = saying(root, found, operations)
    report = applied(manager, proposed(manager))
    assert (report.added, report.updated) == (("harbour",), ("ferry",))
    assert report.decisions[0]["unverified"]


def test_a_name_that_no_file_and_link_can_hold_is_put_otherwise(root: Path) -> None:
    found = [candidate("quay: north|south?", "The quay is green."), candidate("ferry#", "It leaves at seven.")]
    operations = [Operation(number, Action.ADD, None, each) for number, each in enumerate(found, 1)]
    manager = saying(root, found, operations)
    report = applied(manager, proposed(manager))
    assert (report.added, report.updated) == (("quay-north-south",), ("ferry",))
    assert "](quay-north-south.md)" in (root / "MEMORY.md").read_text()


def test_what_changed_while_it_was_decided_is_left_as_it_is(root: Path) -> None:
    found = [candidate("ferry", "It leaves at seven."), candidate("quay", "The quay is green.")]
    operations = [Operation(1, Action.UPDATE, "ferry", found[0]), Operation(2, Action.ADD, None, found[1])]

    class Slow(Said):
        async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
            (root / "ferry.md").write_text(memory("ferry", "The boat", body="Somebody wrote this.\n"))
            return await super().consolidate(candidates, existing)

    said = Slow(Extraction(tuple(found)), operations)
    manager = manager_of(root, Provider("offline", said, said))
    report = applied(manager, proposed(manager))
    assert (report.added, report.skipped) == (("quay",), ("ferry",))
    assert "has changed" in report.decisions[0]["reason"]
    assert "Somebody wrote this." in (root / "ferry.md").read_text()
    # What was not saved is looked for again.
    assert any("will be looked at again" in each for each in report.warnings)
    assert asyncio.run(manager.portion(CHAT)).start == 0


def test_a_log_of_which_something_was_refused_is_looked_at_again(root: Path) -> None:
    found = [candidate("ferry", "It leaves at seven."), candidate("quay", "The quay is green.")]
    operations = [Operation(1, Action.UPDATE, "ferry", found[0]), Operation(2, Action.ADD, None, found[1])]
    manager = saying(root, found, operations)
    manager.keep(proposed(manager))
    proposal = proposed(manager)
    (root / "ferry.md").write_text("Somebody wrote this.\n")
    (root / "MEMORY.md").write_text("Somebody wrote this.\n")
    proposal = manager.as_of_now(proposal)
    outcome = manager.store.apply(proposal.plan)
    assert (outcome.applied, [each.path for each in outcome.refused]) == ((2,), ["ferry.md"])
    assert (root / "MEMORY.md").read_text().startswith("Somebody wrote this.\n\n- [")
    [told] = manager.settle(proposal, outcome)
    assert "will be looked at again" in told
    assert asyncio.run(manager.portion(CHAT)).start == 0
    assert manager.store.plans() == []


def test_what_must_not_be_saved_is_dropped_whoever_found_it(root: Path) -> None:
    secret = "ghp_" + "9fK2mQ7xWv4TzB8nRc1LpYd6HsJ3aGeU5kXo"
    found = [
        candidate("../../etc", "Text."),
        candidate("key", f"The key is {secret}."),
        replace(candidate("doubtful", "Perhaps."), confidence=0.2),
        candidate("good", "The quay is green."),
    ]
    report = proposed(saying(root, found, [Operation(1, Action.ADD, None, found[3])])).report("planned")
    assert (report.added, len(report.dropped)) == (("good",), 3)
    assert secret not in json.dumps(report.as_json())


# ---- how far a log was read


def test_a_log_is_read_once_and_then_only_what_is_new(root: Path) -> None:
    nothing = saying(root, [], [])
    first = proposed(nothing)
    assert (first.report("planned").status, first.report("planned").skipped_reason) == (
        "skipped",
        "Nothing was found that is worth saving.",
    )
    nothing.keep(first)
    longer = replace(CHAT, messages=(*CHAT.messages, *log_of("a b", "c", "d e", "f").messages))
    proposed(nothing, longer)
    said = nothing.provider.extractor
    assert isinstance(said, Said)
    assert [message.text for message in said.messages] == ["a b", "c", "d e", "f"]
    assert proposed(nothing, longer, from_start=True).report("planned").messages["new"] == 10


def test_evidence_counts_the_messages_of_the_whole_log(root: Path) -> None:
    manager = saying(root, [], [])
    manager.keep(proposed(manager))
    longer = replace(CHAT, messages=(*CHAT.messages, *log_of("I use vim.", "c", "d", "e").messages))
    later = saying(root, [candidate("vim", "Vim.", 1, "I use vim")], [])
    found = asyncio.run(later.extract(longer))
    assert found.candidates[0].evidence == (Evidence(7, "I use vim"),)
    assert found.unverified == frozenset()


def test_a_log_that_was_only_partly_read_goes_on_there(root: Path) -> None:
    manager = saying(root, [], [], read=2)
    manager.keep(proposed(manager))
    assert proposed(manager).report("planned").messages["new"] == 4


def test_nothing_moves_on_failure_dry_run_or_extract(root: Path) -> None:
    manager = saying(root, [], [])
    proposed(manager).report("dryRun")
    asyncio.run(manager.extract(CHAT))
    assert asyncio.run(manager.portion(CHAT)).start == 0
    assert not (root.parent / "state").exists()


@pytest.mark.parametrize("answer", ["I found nothing.", '{"candidates": [{]}', ""])
def test_a_log_whose_answers_could_not_be_read_is_looked_at_again(root: Path, api: MessagesApi, answer: str) -> None:
    api.answer = lambda request: Reply(answer)
    manager = asking(root, api)
    report = manager.keep(proposed(manager))
    assert report.status == "skipped"
    assert "will be looked at again" in report.skipped_reason
    assert "choose another model" in report.skipped_reason
    assert report.warnings == ()  # it is told once
    assert proposed(manager).report("planned").messages["new"] == 6


def test_a_log_on_which_nothing_could_be_decided_is_looked_at_again(root: Path) -> None:
    found = [candidate("quay", "The quay is green."), candidate("ferry", "It leaves at seven.")]

    class Undecided(Said):
        async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
            return replace(await super().consolidate(candidates, existing), undecided=frozenset({1}))

    skipped = [Operation(1, Action.SKIP, reason="The model left it out.")]
    said = Undecided(Extraction(tuple(found)), skipped)
    manager = manager_of(root, Provider("offline", said, said))
    report = manager.keep(proposed(manager))
    assert (report.status, len(report.skipped)) == ("skipped", 2)
    assert "will be looked at again" in report.skipped_reason
    assert asyncio.run(manager.portion(CHAT)).start == 0
    # What was saved in part counts as read.
    said.operations = (*skipped, Operation(2, Action.UPDATE, "ferry", found[1]))
    assert accounted(applied(manager, proposed(manager)))
    assert asyncio.run(manager.portion(CHAT)).start == 6


def test_what_was_saved_leaves_no_older_proposal_from_the_log(root: Path) -> None:
    found = [candidate("quay", "The quay is green.")]
    manager = saying(root, found, [Operation(1, Action.ADD, None, found[0])])
    manager.keep(proposed(manager))
    longer = replace(CHAT, messages=(*CHAT.messages, *log_of("a b", "c").messages))
    applied(manager, proposed(manager, longer))
    assert manager.store.plans() == []
    assert asyncio.run(manager.portion(longer)).start == 8


def test_logs_are_told_apart_by_session_or_else_by_how_they_begin(root: Path) -> None:
    manager = saying(root, [], [])
    manager.keep(proposed(manager))
    assert proposed(manager, replace(CHAT, session_id="s2")).report("planned").messages["new"] == 6
    nameless = replace(CHAT, session_id=None)
    manager.keep(proposed(manager, nameless))
    assert proposed(manager, nameless).report("planned").messages["new"] == 0
    assert proposed(manager, log_of("Other", *["x"] * 5, session=None)).report("planned").messages["new"] == 6


def test_a_short_log_is_left_for_later(root: Path) -> None:
    manager = saying(root, [], [])
    proposal = proposed(manager, log_of("Hello", "Hi"))
    assert "2 new messages" in proposal.report("planned").skipped_reason
    manager.keep(proposal)
    assert asyncio.run(manager.portion(log_of("Hello", "Hi"))).start == 0
    tools = ChatLog(tuple(Message(Role.TOOL, "x") for _ in range(9)), "plain")
    assert proposed(manager, tools).report("planned").status == "skipped"


def test_warnings_tell_of_what_could_not_be_read_and_of_another_project(root: Path) -> None:
    manager = saying(root, [], [])
    log = replace(CHAT, unreadable=3, working_directory="/home/mara/elsewhere")
    warnings = proposed(manager, log).report("planned").warnings
    assert warnings == (
        "3 parts of the log could not be read.",
        "The log is from another project: /home/mara/elsewhere.",
    )
    inside = replace(CHAT, working_directory=str(root.parent))
    assert proposed(manager, inside).report("planned").warnings == ()


def test_two_runs_on_one_log_exclude_each_other_and_other_logs_do_not(root: Path) -> None:
    manager = saying(root, [], [])

    async def twice() -> None:
        async with alone_with(manager.store, CHAT):
            with pytest.raises(BusyError):
                async with alone_with(manager.store, CHAT):
                    pass
            async with alone_with(manager.store, replace(CHAT, session_id="s2")):
                pass
        async with alone_with(manager.store, CHAT):
            pass

    asyncio.run(twice())


# ---- with a model


def asking(root: Path, api: MessagesApi, **more: Any) -> Manager:
    settings = Settings(provider="anthropic", base_url=api.url, **more)
    return manager_of(root, provider_for(settings), settings)


def extracted(*values: Mapping[str, Any]) -> Reply:
    return Reply(json.dumps({"candidates": list(values)}))


def decided(*values: Mapping[str, Any]) -> Reply:
    return Reply(json.dumps({"operations": list(values)}))


VIM = {
    "type": "user",
    "name": "user-prefers-vim",
    "description": "The user edits in vim",
    "content": "The user edits in vim, and wants its settings kept.",
    "evidence": [{"message": 3, "quote": "I edit everything in vim"}],
    "confidence": 1,
}
SEATS = {
    "type": "project",
    "name": "overbooking",
    "description": "At most 4 seats",
    "content": "Boats are overbooked by at most 4 seats.",
    "evidence": [{"message": 2, "quote": "It waits for the tide table"}],
    "confidence": 0.8,
}


def test_a_model_is_asked_twice_and_what_it_says_is_saved(root: Path, api: MessagesApi) -> None:
    entry = {key: VIM[key] for key in ("type", "name", "description", "content")}
    api.replies.extend(
        [
            extracted(VIM, SEATS, {**VIM, "name": "made-up", "evidence": [{"message": 3, "quote": "I love emacs"}]}),
            decided(
                {"candidate": 1, "action": "add", "target": None, "entry": entry, "reason": "new"},
                {"candidate": 1, "action": "skip", "target": None, "entry": None, "reason": "twice"},
            ),
        ]
    )
    manager = asking(root, api)
    report = applied(manager, proposed(manager))
    assert (report.added, report.skipped, report.candidates_found) == (("user-prefers-vim",), ("overbooking",), 2)
    assert report.dropped == ({"name": "made-up", "reason": "Its quote is not in the log."},)
    assert report.decisions[1]["reason"] == "The model left it out."
    assert [each["unverified"] for each in report.decisions] == [False, True]
    assert (report.provider, report.model) == ("anthropic", "claude-sonnet-5-5")
    assert report.usage == {"calls": 2, "inputTokens": report.usage["inputTokens"], "outputTokens": 60}
    assert report.usage["inputTokens"] >= 240
    assert any("decided twice" in warning for warning in report.warnings)
    assert "wants its settings kept" in (root / "user-prefers-vim.md").read_text()


def test_a_model_that_fails_leaves_everything_as_it_was(root: Path, api: MessagesApi) -> None:
    api.replies.append(failure(401, "authentication_error", "invalid x-api-key"))
    manager = asking(root, api)
    with pytest.raises(ModelError) as error:
        proposed(manager)
    assert error.value.kind == "wrongKey"
    assert not (root.parent / "state").exists()
    # Also when only the second question fails.
    api.replies.extend([extracted(VIM), failure(401, "authentication_error", "invalid x-api-key")])
    with pytest.raises(ModelError):
        proposed(manager)
    assert asyncio.run(manager.portion(CHAT)).start == 0


def test_a_cancel_ends_the_call_within_a_second(root: Path, api: MessagesApi) -> None:
    api.replies.append(Reply("{}", seconds=30))
    manager = asking(root, api)

    async def cancelled() -> float:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(manager.propose(CHAT))
            while not api.requests:
                await asyncio.sleep(0.01)
            begun = time.monotonic()
            task.cancel()
        return time.monotonic() - begun

    assert asyncio.run(cancelled()) < 1
    assert api.gone.wait(2)
    assert not (root.parent / "state").exists()


def test_no_secret_of_a_log_is_sent_or_told(root: Path, api: MessagesApi) -> None:
    secret = "ghp_" + "9fK2mQ7xWv4TzB8nRc1LpYd6HsJ3aGeU5kXo"
    log = log_of(f"Remember: the token is {secret}.", f"Noted, {secret}.", "Go on.", "Yes.")
    api.replies.append(extracted({**VIM, "content": "The token is [REDACTED].", "evidence": []}))
    manager = asking(root, api)
    report = proposed(manager, log).report("planned")
    assert report.dropped == ({"name": "user-prefers-vim", "reason": "It holds a secret."},)
    assert secret not in api.sent + json.dumps(report.as_json())


# ---- a long log


def test_a_long_log_is_made_ready_in_time_and_does_not_hold_the_loop(root: Path) -> None:
    lines = [f"We look at boat {number} and its {number % 97} seats, then at the tide." for number in range(10_000)]
    manager = saying(root, [], [])

    async def worst() -> tuple[float, float]:
        late, running = 0.0, True

        async def watch() -> None:
            nonlocal late
            while running:
                begun = time.monotonic()
                await asyncio.sleep(0.005)
                late = max(late, time.monotonic() - begun - 0.005)

        watching = asyncio.create_task(watch())
        begun = time.monotonic()
        await manager.propose(log_of(*lines))
        took = time.monotonic() - begun
        running = False
        await watching
        return took, late

    took, late = asyncio.run(worst())
    assert took < 4  # 2 s on a machine that has nothing else to do
    assert late < 0.25
