"""What holds whatever a log or a memory says."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls import chats
from memory_ls.chats.message import Message, Role
from memory_ls.documents.names import MEMORY_TYPES, unsafe_reason
from memory_ls.pipeline.offline.consolidator import consolidate
from memory_ls.pipeline.offline.extractor import extract
from memory_ls.pipeline.values import Action, Candidate, Memory
from tests.quality.gold import cases

_SAID = sorted(
    {message.text for case in cases() if len(case.log) < 20_000 for message in chats.read(case.log).messages}
)
_MARKS = st.sampled_from(
    ["\n", "\n\n", " ", ". ", ": ", "。", "```\n", "> ", "- ", "“", '"', "`", "\r\n", "\u2028", ")", "?"]
)
# Pieces of what people say, cut and joined anyhow, and any text at all.
_PIECES = st.builds(
    lambda text, start, end: text[start:end], st.sampled_from(_SAID), st.integers(0, 40), st.integers(0, 300)
)
_TEXTS = st.lists(_PIECES | _MARKS | st.text(max_size=20), min_size=1, max_size=8).map("".join).filter(str.strip)
_TIMES = st.none() | st.datetimes(min_value=datetime(1, 1, 1), timezones=st.just(UTC))
_MESSAGES = st.lists(st.builds(Message, role=st.sampled_from(Role), text=_TEXTS, time=_TIMES), max_size=6)
_MEMORIES = st.lists(
    st.builds(
        Memory,
        name=st.sampled_from(["a", "b", "提交信息", "user-name"]),
        description=_TEXTS | st.just(""),
        type=st.sampled_from([*MEMORY_TYPES, None, "lesson"]),
        content=_TEXTS | st.just(""),
    ),
    max_size=4,
    unique_by=lambda memory: memory.name,
)


@given(_MESSAGES)
@settings(max_examples=300, deadline=None)
def test_what_is_extracted_was_said_by_the_user(messages: list[Message]) -> None:
    extraction = extract(messages)
    assert extraction == extract(messages)
    names = [candidate.name for candidate in extraction.candidates]
    assert len(names) == len(set(names))
    for candidate in extraction.candidates:
        assert candidate.type in MEMORY_TYPES
        assert candidate.content.strip()
        assert "\n" not in candidate.description
        assert candidate.confidence is not None
        assert 0.5 <= candidate.confidence <= 1
        assert unsafe_reason(candidate.name) is None
        assert candidate.evidence
        for evidence in candidate.evidence:
            message = messages[evidence.message - 1]
            assert message.role is Role.USER
            assert evidence.quote
            assert evidence.quote in message.text


@given(_MESSAGES, _MEMORIES)
@settings(max_examples=200, deadline=None)
def test_every_candidate_is_decided_once(messages: list[Message], memories: list[Memory]) -> None:
    candidates = extract(messages).candidates
    consolidation = consolidate(candidates, memories)
    assert consolidation == consolidate(candidates, memories)
    assert [operation.candidate for operation in consolidation.operations] == list(range(1, len(candidates) + 1))
    known = {memory.name for memory in memories}
    for operation in consolidation.operations:
        assert operation.reason
        if operation.action is Action.ADD:
            assert operation.target is None
            assert operation.entry is not None
            assert operation.entry.name not in known
        else:
            assert operation.target in known
        if operation.action is Action.UPDATE:
            assert operation.entry is not None
            assert operation.entry.name == operation.target


@given(_MESSAGES)
@settings(max_examples=200, deadline=None)
def test_what_was_saved_is_not_saved_again(messages: list[Message]) -> None:
    candidates = extract(messages).candidates
    saved = [Memory(each.name, each.description, each.type, each.content) for each in candidates]
    again = consolidate(candidates, saved).operations
    assert [operation.action for operation in again] == [Action.SKIP] * len(candidates)


@given(*[_TEXTS.filter(lambda text: not any(word in text.lower() for word in ("port", "server", "```")))] * 2)
@settings(max_examples=200, deadline=None)
def test_an_update_changes_one_sentence_and_nothing_else(before: str, after: str) -> None:
    candidate = Candidate(
        "project", "port", "The dev server listens on port 8081", "The dev server listens on port 8081."
    )
    content = f"{before}\n\nThe dev server listens on port 8080.\n\n{after}"
    (operation,) = consolidate([candidate], [Memory("port", "", "project", content)]).operations
    assert operation.action is Action.UPDATE
    assert operation.entry is not None
    assert operation.entry.content == content.replace("port 8080", "port 8081")
