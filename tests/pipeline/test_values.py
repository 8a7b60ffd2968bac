from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.documents.names import MEMORY_TYPES
from memory_ls.pipeline.values import Action, Candidate, Evidence, InvalidValueError, Operation

_WORDS = st.text(min_size=1).filter(str.strip).map(str.strip)
_CANDIDATES = st.builds(
    Candidate,
    type=st.sampled_from(MEMORY_TYPES),
    name=_WORDS,
    description=st.text().map(str.strip),
    content=_WORDS,
    evidence=st.lists(st.builds(Evidence, st.integers(0), st.text())).map(tuple),
    confidence=st.none() | st.floats(0, 1),
)
_OPERATIONS = st.builds(
    Operation,
    candidate=st.integers(),
    action=st.sampled_from(Action),
    target=st.none() | _WORDS,
    entry=st.none() | _CANDIDATES,
    reason=st.text(),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from([*Candidate.__slots__, *Operation.__slots__]), inner)
    ),
)


@given(_CANDIDATES)
def test_a_candidate_reads_what_it_writes(candidate: Candidate) -> None:
    assert Candidate.from_json(candidate.as_json()) == candidate


@given(_OPERATIONS)
def test_an_operation_reads_what_it_writes(operation: Operation) -> None:
    assert Operation.from_json(operation.as_json()) == operation


@given(_JSON)
def test_other_json_is_refused_in_one_way(value: object) -> None:
    for kind in (Candidate, Operation):
        with contextlib.suppress(InvalidValueError):
            kind.from_json(value)


def test_the_type_counts_in_any_case() -> None:
    value = {"type": " Feedback", "name": "a", "content": "b"}
    assert Candidate.from_json(value) == Candidate("feedback", "a", "", "b")


@pytest.mark.parametrize("gone", ["type", "name", "content"])
def test_a_candidate_needs_type_name_and_content(gone: str) -> None:
    value = {"type": "user", "name": "a", "description": "c", "content": "b"}
    with pytest.raises(InvalidValueError, match=gone):
        Candidate.from_json({**value, gone: None})
    with pytest.raises(InvalidValueError, match=gone):
        Candidate.from_json({**value, gone: " "})


def test_evidence_may_be_one_object_or_a_bare_quote() -> None:
    value = {"type": "user", "name": "a", "content": "b"}
    assert Candidate.from_json({**value, "evidence": "said so"}).evidence == (Evidence(0, "said so"),)
    one = {"message": 3, "quote": "said so"}
    assert Candidate.from_json({**value, "evidence": one}).evidence == (Evidence(3, "said so"),)


@pytest.mark.parametrize(
    ("given", "read"),
    [(None, None), ("0.7", 0.7), (7, 1.0), (-1, 0.0), ("high", None), (True, None), (float("nan"), None)],
)
def test_confidence_is_a_number_between_0_and_1_or_none(given: object, read: float | None) -> None:
    value = {"type": "user", "name": "a", "content": "b", "confidence": given}
    assert Candidate.from_json(value).confidence == read


def test_an_unknown_action_is_told() -> None:
    with pytest.raises(InvalidValueError, match="add, update, skip, stale"):
        Operation.from_json({"candidate": 1, "action": "merge"})
