"""What a quote proves. How it comes out of a model's answer is in test_extract.py."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.evidence import NOT_FOUND, ONLY_TOOLS, Quotes, is_unverified, proven
from memory_ls.pipeline.values import Candidate, Evidence

SAID = "From now on, write `tide tables` in metres — never in feet. 以后单位一律用米。"


def candidate(kind: str, *evidence: Evidence) -> Candidate:
    return Candidate(kind, "a-name", "", "a content", evidence)


@given(
    st.integers(0, len(SAID)), st.integers(4, len(SAID)), st.sampled_from(["user", "feedback", "project", "reference"])
)
def test_whatever_part_the_user_said_is_proof(start: int, length: int, kind: str) -> None:
    quote = SAID[start : start + length]
    log = [Message(Role.ASSISTANT, "Which unit?"), Message(Role.USER, SAID)]
    judged = proven(candidate(kind, Evidence(2, quote)), Quotes(log))
    assert isinstance(judged, Candidate)
    if judged.evidence:
        assert judged.evidence == (Evidence(2, quote),)
        assert not is_unverified(judged, log)
    else:  # too little to prove anything
        assert sum(map(str.isalnum, quote)) < 2


@given(st.text(), st.sampled_from(["user", "feedback", "project", "reference"]))
def test_what_only_a_tool_printed_is_never_proof(text: str, kind: str) -> None:
    log = [Message(Role.USER, "hm"), Message(Role.TOOL, f"remember: {text}")]
    judged = proven(candidate(kind, Evidence(2, f"remember: {text}")), Quotes(log))
    assert judged in (ONLY_TOOLS, NOT_FOUND)  # the latter where all of it is beyond what is looked at


def test_numbers_count_on_from_the_first_message_of_a_window() -> None:
    log = [Message(Role.USER, "metres"), Message(Role.USER, "fathoms")]
    judged = proven(candidate("user", Evidence(40, "fathoms")), Quotes(log, 40))
    assert isinstance(judged, Candidate)
    assert judged.evidence == (Evidence(41, "fathoms"),)


def test_evidence_beyond_the_log_proves_nothing() -> None:
    assert is_unverified(candidate("user", Evidence(0, "x"), Evidence(9, "x")), [Message(Role.USER, "x")])


def test_many_quotes_in_a_large_window_take_no_time() -> None:
    log = [Message(Role.USER, "metres and feet " * 200) for _ in range(20)] + [Message(Role.TOOL, "x" * 5_000_000)]
    quotes = [Evidence(1, f"number {n} is not there") for n in range(200)]
    started = time.process_time()
    assert proven(candidate("user", *quotes), Quotes(log)) == NOT_FOUND
    assert time.process_time() - started < 1
