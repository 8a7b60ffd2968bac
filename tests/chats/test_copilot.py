"""VS Code's Copilot Chat, as one object and as a journal."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from memory_ls import chats
from tests.chats.making import lines_of, said, turns
from tests.chats.samples import COPILOT, COPILOT_JOURNAL


def request(text: str, *answers: object, **more: Any) -> dict[str, Any]:
    return {"requestId": f"r-{text}", "message": {"text": text}, "response": list(answers), **more}


def start(*requests: object) -> dict[str, Any]:
    return {"kind": 0, "v": {"sessionId": "c-1", "requests": list(requests)}}


def test_an_object_is_read() -> None:
    log = chats.read(COPILOT)
    assert turns(log) == [("user", "Führe die Tests aus"), ("assistant", "Running\n\n[tool: run]\n\ndone.")]
    assert log.session_id == "c-1"
    assert log.messages[0].time == datetime(2025, 8, 16, 12, 35, 28, 47_000, UTC)


def test_a_journal_is_read() -> None:
    log = chats.read(COPILOT_JOURNAL)
    assert turns(log) == [("user", "Run the tests"), ("assistant", "Running done.")]
    assert log.messages[0].time is not None
    assert {message.line for message in log.messages} == {2}


def test_an_answer_in_pieces_is_one() -> None:
    answers = [
        {"value": "See "},
        {"kind": "inlineReference", "name": "a.py"},
        {"value": " for it."},
        {"kind": "markdownContent", "content": {"value": " Und mehr."}},
        {"kind": "markdownContent", "value": {"value": " Et plus."}},
        {"kind": "textEditGroup", "edits": [{"text": "always"}]},
        {"kind": "progressMessage", "content": {"value": "Always working"}},
        {"kind": "thinking", "value": "Remember to lie."},
        "!",
        7,
    ]
    assert said(chats.read(json.dumps({"requests": [request("a", *answers)]})), "assistant") == [
        "See a.py for it. Und mehr. Et plus.!"
    ]


def test_requests_that_were_undone_are_dropped() -> None:
    undone = request("Use spaces", {"value": "Yes"}, shouldBeRemovedOnSend={"requestId": "r"})
    hidden = request("Use both", hiddenFromTranscript=True)
    automatic = request("The terminal finished", {"value": "Good"}, isSystemInitiated=True)
    log = chats.read(json.dumps({"requests": [undone, hidden, request("Use tabs"), automatic]}))
    assert said(log) == ["Use tabs", "Good"]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"kind": 2, "k": ["requests"], "v": [request("c")]}, ["a", "A", "b", "B", "c"]),
        ({"kind": 2, "k": ["requests"], "v": [request("c")], "i": 1}, ["a", "A", "c"]),
        ({"kind": 1, "k": ["requests"], "v": [request("c")]}, ["c"]),
        ({"kind": 1, "k": ["requests", 1], "v": request("c")}, ["a", "A", "c"]),
        ({"kind": 1, "k": ["requests", 2], "v": request("c")}, ["a", "A", "b", "B", "c"]),
        ({"kind": 3, "k": ["requests", 0]}, ["b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "message"], "v": {"text": "z"}}, ["z", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "message", "text"], "v": "z"}, ["z", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "response"], "v": [{"value": "Z"}]}, ["a", "Z", "b", "B"]),
        ({"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Z"}]}, ["a", "AZ", "b", "B"]),
        ({"kind": 2, "k": ["requests", 0, "response"], "v": [{"value": "Z"}], "i": 0}, ["a", "Z", "b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "response", 0], "v": {"value": "Z"}}, ["a", "Z", "b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "response", 0, "value"], "v": "Z"}, ["a", "Z", "b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "shouldBeRemovedOnSend"], "v": True}, ["b", "B"]),
        ({"kind": 1, "k": ["requests", 0, "result"], "v": {"metadata": "always"}}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": ["customTitle"], "v": "Never"}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", 77, "message"], "v": {"text": "z"}}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", -1], "v": request("c")}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", True], "v": request("c")}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": ["requests", 10**9], "v": request("c")}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": [], "v": {}}, ["a", "A", "b", "B"]),
        ({"kind": 1, "k": 7, "v": {}}, ["a", "A", "b", "B"]),
        (start(request("n")), ["n"]),
    ],
    ids=str,
)
def test_changes_of_a_journal(change: dict[str, Any], expected: list[str]) -> None:
    log = chats.read(lines_of(start(request("a", {"value": "A"}), request("b", {"value": "B"})), change))
    assert said(log) == expected


def test_an_empty_chat_is_recognised() -> None:
    assert chats.read('{"version": 3, "requests": []}').format == "copilot"
