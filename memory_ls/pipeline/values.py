"""What travels through the pipeline: memories as it reads them, candidates, operations, and the two seams.

Each value is frozen. Candidates and operations have one form in JSON, in which commands give and take them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, Protocol, TypeGuard

from memory_ls.chats.message import Message
from memory_ls.directory.listing import MemorySummary
from memory_ls.documents.names import MEMORY_TYPES


class InvalidValueError(ValueError):
    """JSON is no candidate or operation; the message says in words what is wrong with it."""


class Action(Enum):
    """The decision of consolidation on one candidate."""

    ADD = "add"
    UPDATE = "update"
    SKIP = "skip"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory that exists, in full. ``type`` is as written, and not always one of the four; ``content`` is the body."""

    name: str
    description: str
    type: str | None
    content: str
    created: date | None = None
    updated: date | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Where a candidate comes from: the number of a message, from 1 in the log, and words of it. 0: it names none."""

    message: int
    quote: str

    def as_json(self) -> dict[str, Any]:
        """As commands give it."""
        return {"message": self.message, "quote": self.quote}

    @classmethod
    def from_json(cls, value: object) -> Evidence:
        """Reads what :meth:`as_json` gives. A bare text is a quote of an unnamed message.

        Raises:
            InvalidValueError: it is neither.
        """
        if isinstance(value, str):
            return cls(0, value)
        if not isinstance(value, Mapping):
            raise InvalidValueError("evidence is no object")
        number = value.get("message")
        return cls(number if _is_integer(number) and number > 0 else 0, _text(value, "quote"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact proposed by extraction. ``type`` is one of the four; ``confidence`` lies between 0 and 1, if any is given."""

    type: str
    name: str
    description: str
    content: str
    evidence: tuple[Evidence, ...] = ()
    confidence: float | None = None

    def as_json(self) -> dict[str, Any]:
        """As commands give it."""
        return {
            "type": self.type,
            "name": self.name,
            "description": self.description,
            "content": self.content,
            "evidence": [each.as_json() for each in self.evidence],
            "confidence": self.confidence,
        }

    @classmethod
    def from_json(cls, value: object) -> Candidate:
        """Reads what :meth:`as_json` gives, whoever wrote it: the type in any case, evidence and confidence if there.

        Raises:
            InvalidValueError: it is no candidate.
        """
        if not isinstance(value, Mapping):
            raise InvalidValueError("a candidate is no object")
        kind = _text(value, "type").strip().lower()
        if kind not in MEMORY_TYPES:
            raise InvalidValueError(f"the type is none of {', '.join(MEMORY_TYPES)}")
        name, content = _text(value, "name").strip(), _text(value, "content").strip()
        if not name or not content:
            raise InvalidValueError("the name is empty" if not name else "the content is empty")
        description = _text(value, "description", "").strip()
        evidence = value.get("evidence")
        listed = evidence if isinstance(evidence, list) else [] if evidence is None else [evidence]
        return cls(
            kind,
            name,
            description,
            content,
            tuple(map(Evidence.from_json, listed)),
            _confidence(value.get("confidence")),
        )


@dataclass(frozen=True, slots=True)
class Operation:
    """The decision on the candidate of that number, from 1. ``entry`` is the memory as it is to be, for add and update."""

    candidate: int
    action: Action
    target: str | None = None
    entry: Candidate | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """As commands give it."""
        return {
            "candidate": self.candidate,
            "action": self.action.value,
            "target": self.target,
            "entry": self.entry.as_json() if self.entry else None,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, value: object) -> Operation:
        """Reads what :meth:`as_json` gives; the action in any case.

        Raises:
            InvalidValueError: it is no operation.
        """
        if not isinstance(value, Mapping):
            raise InvalidValueError("an operation is no object")
        number = value.get("candidate")
        if not _is_integer(number):
            raise InvalidValueError("an operation names no candidate by its number")
        action = _text(value, "action").strip().lower()
        if action not in {each.value for each in Action}:
            raise InvalidValueError("the action is none of add, update, skip, stale")
        target, entry = value.get("target"), value.get("entry")
        return cls(
            number,
            Action(action),
            target.strip() or None if isinstance(target, str) else None,
            Candidate.from_json(entry) if entry is not None else None,
            _text(value, "reason", ""),
        )


@dataclass(frozen=True, slots=True)
class Dropped:
    """A fact that was found and not made a candidate, and why. ``name`` is what is known of its name."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found.

    ``read`` is how many of the messages it has gone through, from the first on; ``None``: all of them.
    """

    candidates: tuple[Candidate, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    read: int | None = None


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidator decided: on every candidate once, in their order.

    ``undecided`` are the numbers of those that were skipped since no decision could be had.
    """

    operations: tuple[Operation, ...] = ()
    warnings: tuple[str, ...] = ()
    undecided: frozenset[int] = frozenset()


class Extractor(Protocol):
    """Finds what is worth remembering."""

    async def extract(self, messages: Sequence[Message], known: Sequence[MemorySummary]) -> Extraction:
        """The candidates in ``messages``, whose evidence counts them from 1. ``known`` need not be found again."""
        ...


class Consolidator(Protocol):
    """Decides how candidates come together with what is known."""

    async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
        """One operation for each candidate, in their order."""
        ...


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _confidence(value: object) -> float | None:
    """A number between 0 and 1, also written as text; ``None`` for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return min(max(number, 0.0), 1.0) if number == number else None


def _text(value: Mapping[Any, Any], key: str, default: str | None = None) -> str:
    text = value.get(key, default)
    if text is None and default is not None:
        return default
    if not isinstance(text, str):
        raise InvalidValueError(f"`{key}` is missing" if text is None else f"`{key}` is no text")
    return text
