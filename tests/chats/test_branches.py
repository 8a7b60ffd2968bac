"""What was taken back in Claude Code's transcripts."""

from __future__ import annotations

import pytest

from memory_ls import chats
from tests.chats.making import claude, lines_of, said


def read(*rows: object) -> chats.ChatLog:
    return chats.read(lines_of(*rows), "claude-code")


def test_a_prompt_that_was_taken_back_is_dropped_with_all_that_hangs_on_it() -> None:
    log = read(
        claude("user", "u-1", None, "Hello."),
        claude("assistant", "u-2", "u-1", "Hi."),
        claude("user", "u-3", "u-2", "Always use spaces."),
        claude("assistant", "u-4", "u-3", "Spaces, then."),
        claude("user", "u-5", "u-4", "And two of them."),
        claude("user", "u-6", "u-2", "Always use tabs."),
        claude("assistant", "u-7", "u-6", "Tabs, then."),
    )
    assert said(log) == ["Hello.", "Hi.", "Always use tabs.", "Tabs, then."]


def test_who_goes_back_to_an_older_branch_drops_the_newer() -> None:
    log = read(
        claude("user", "u-1", None, "Hello."),
        claude("user", "u-2", "u-1", "Use spaces."),
        claude("user", "u-3", "u-1", "Use tabs."),
        claude("assistant", "u-4", "u-2", "Spaces, then."),
    )
    assert said(log) == ["Hello.", "Use spaces.", "Spaces, then."]


@pytest.mark.parametrize("parent", ["u-3", "u-4"])
def test_bookkeeping_that_comes_late_does_not_bring_a_branch_back(parent: str) -> None:
    log = read(
        claude("user", "u-1", None, "Hello."),
        claude("user", "u-2", "u-1", "Use spaces."),
        claude("assistant", "u-3", "u-2", "Spaces."),
        claude("user", "u-4", "u-1", "Use tabs."),
        {"type": "progress", "uuid": "p-1", "parentUuid": parent},
        {"type": "system", "subtype": "turn_duration", "uuid": "p-2", "parentUuid": "p-1"},
    )
    assert said(log) == ["Hello.", "Use tabs."]


def test_the_very_first_prompt_can_be_taken_back() -> None:
    log = read(
        claude("user", "u-1", None, "Use spaces."),
        claude("assistant", "u-2", "u-1", "Spaces."),
        claude("user", "u-3", None, "Use tabs."),
        claude("assistant", "u-4", "u-3", "Tabs."),
        claude("user", "u-5", "u-4", "Thanks."),
    )
    assert said(log) == ["Use tabs.", "Tabs.", "Thanks."]


def test_prompts_that_are_linked_to_nothing_all_count() -> None:
    log = read(
        claude("user", "u-1", None, "Use tabs."),
        claude("assistant", "u-2", "u-1", "Tabs."),
        claude("user", "u-3", None, "Be brief."),
        claude("assistant", "u-4", "u-3", "Yes."),
    )
    assert len(log.messages) == 4
    unlinked = [{"type": "user", "message": {"role": "user", "content": f"Line {number}"}} for number in range(4)]
    assert len(read(*unlinked).messages) == 4


def test_results_of_parallel_calls_stay() -> None:
    log = read(
        claude("user", "u-1", None, "Look."),
        claude("assistant", "u-2", "u-1", [{"type": "tool_use", "id": "t-1", "name": "Read"}], message_id="m-1"),
        claude("assistant", "u-3", "u-2", [{"type": "tool_use", "id": "t-2", "name": "Grep"}], message_id="m-1"),
        claude("user", "u-4", "u-2", [{"type": "tool_result", "tool_use_id": "t-1", "content": "one"}]),
        claude("user", "u-5", "u-3", [{"type": "tool_result", "tool_use_id": "t-2", "content": "two"}]),
        claude("assistant", "u-6", "u-5", "Found.", message_id="m-2"),
        claude("user", "u-7", "u-6", "Good."),
    )
    assert said(log) == ["Look.", "[tool: Read]\n\n[tool: Grep]", "one", "two", "Found.", "Good."]


def test_the_way_leads_through_lines_of_bookkeeping() -> None:
    log = read(
        claude("user", "u-1", None, "Use tabs."),
        {"type": "progress", "uuid": "u-2", "parentUuid": "u-1"},
        {"type": "attachment", "uuid": "u-3", "parentUuid": "u-2", "attachment": {"type": "hook_success"}},
        {"type": "system", "subtype": "turn_duration", "uuid": "u-4", "parentUuid": "u-3"},
        claude("user", "u-5", "u-4", "Be brief."),
    )
    assert said(log) == ["Use tabs.", "Be brief."]


def test_a_line_that_is_lost_loses_nothing_else() -> None:
    log = read(
        claude("user", "u-1", None, "Use tabs."),
        '{"type":"assistant","uuid":"u-2","parentUuid":"u-1","mess',
        claude("user", "u-3", "u-2", "Be brief."),
        claude("assistant", "u-4", "u-3", "Yes."),
    )
    assert said(log) == ["Use tabs.", "Be brief.", "Yes."]
    assert log.unreadable == 1


def test_a_line_that_comes_twice_counts_once() -> None:
    row = claude("user", "u-1", None, "Use tabs.")
    assert said(read(row, row, claude("user", "u-2", "u-1", "Be brief."))) == ["Use tabs.", "Be brief."]


def test_lines_in_a_circle_are_read() -> None:
    log = read(claude("user", "u-1", "u-2", "a"), claude("user", "u-2", "u-1", "b"), claude("user", "u-3", "u-3", "c"))
    assert said(log) == ["a", "b", "c"]


def test_children_before_their_parents_are_read() -> None:
    log = read(claude("user", "u-2", "u-1", "b"), claude("user", "u-1", None, "a"), claude("user", "u-3", "u-2", "c"))
    assert said(log) == ["b", "a", "c"]


def test_a_very_long_conversation_is_no_deep_one() -> None:
    rows = [
        claude("user", f"u-{number}", f"u-{number - 1}" if number else None, f"Line {number}") for number in range(5000)
    ]
    assert len(read(*rows).messages) == 5000
    assert len(read(*reversed(rows)).messages) == 5000
