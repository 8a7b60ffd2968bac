"""What a language's rules are made of: by which words a sentence states something that lasts, and by which it does not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a statement is about, which decides its type."""

    RULE = "feedback"  # how to work
    PERSON = "user"  # who the user is and what they like
    FACT = "project"  # how things are here, and what was decided
    POINTER = "reference"  # where something is found


NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cue:
    """Words by which a statement is known, looked for from the start of what is left of the sentence."""

    kind: Kind
    pattern: re.Pattern[str]
    confidence: float


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of one language. Those without a comment are looked for anywhere in the sentence.

    ``opening`` is what a sentence may begin with before it says anything (``No, please``), ``correcting`` that of it
    which puts something right, ``standing`` what makes an order last (``from now on``), ``changing`` what says that
    something was otherwise before, ``asking`` a wish that is put as a question.
    """

    code: str
    question: re.Pattern[str]
    hypothetical: re.Pattern[str]
    passing: re.Pattern[str]
    joking: re.Pattern[str]
    reported: re.Pattern[str]
    refused: re.Pattern[str]
    retracted: re.Pattern[str]  # at the start; the group `what`, if any, says what is taken back
    granting: re.Pattern[str]
    narrating: re.Pattern[str]
    opening: re.Pattern[str]  # at the start
    correcting: re.Pattern[str]  # at the start
    remember: re.Pattern[str]  # at the start
    remember_before: re.Pattern[str]  # the whole sentence, or its end; what is meant stands before
    standing: re.Pattern[str]
    changing: re.Pattern[str]
    because: re.Pattern[str]  # group `reason`
    cues: tuple[Cue, ...]
    stop_words: frozenset[str]
    negations: re.Pattern[str]
    replaced: re.Pattern[str]  # group `old`: what something else takes the place of
    explaining: re.Pattern[str]  # at the start of a sentence that tells why the one before holds
    asking: re.Pattern[str] = NOTHING  # at the start
    pointing_back: re.Pattern[str] = NOTHING  # at the start: it can't be understood without the sentence before
    says: str = "The user says"  # before words of the user's own that can't be put into the third person


def pattern(text: str) -> re.Pattern[str]:
    """A verbose expression that takes no notice of case."""
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())
