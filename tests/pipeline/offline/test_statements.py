"""Sentences that state something lasting, and sentences that do not, in ten languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.offline.extractor import extract

SAID = Path(__file__).parent / "said"


def _sentences(kind: str) -> list[str]:
    return [line for path in sorted(SAID.glob(f"*.{kind}.txt")) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("sentence", _sentences("stated"))
def test_what_is_stated_outright_is_found(sentence: str) -> None:
    (candidate,) = extract([Message(Role.USER, sentence)]).candidates
    assert candidate.evidence[0].quote in sentence


@pytest.mark.parametrize("sentence", _sentences("not_stated"))
def test_what_is_not_stated_is_left(sentence: str) -> None:
    assert extract([Message(Role.USER, sentence)]).candidates == ()


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.USER])
def test_only_the_user_is_believed(role: Role) -> None:
    for sentence in _sentences("stated"):
        assert extract([Message(role, sentence)]).candidates == ()
