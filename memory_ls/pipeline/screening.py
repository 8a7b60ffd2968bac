"""What must never become a memory, whoever proposes it: an unsafe name, a secret, a permission."""

from __future__ import annotations

from collections.abc import Mapping

from memory_ls.directory.listing import one_line
from memory_ls.documents.names import unsafe_reason
from memory_ls.pipeline.redact import REDACTED, redacted
from memory_ls.pipeline.values import Candidate, Dropped, InvalidValueError
from memory_ls.rules.safety import grants_in
from memory_ls.secret_scan import find_secrets

# A file name has at most 255 bytes, and a type and an ending must have room.
_MOST_NAME_BYTES = 200


def objection(candidate: Candidate) -> str | None:
    """Why the candidate can't become a memory, in words; ``None`` when it can."""
    unsafe = unsafe_reason(candidate.name)
    if unsafe is None and len(candidate.name.encode("utf-8", "replace")) > _MOST_NAME_BYTES:
        unsafe = "it is too long"
    if unsafe is not None:
        return f"Unsafe name: {unsafe}."
    text = f"{candidate.name}\n{candidate.description}\n{candidate.content}"
    if REDACTED in text or find_secrets(text):
        return "It holds a secret."
    if grants_in(text):
        return "It would give an agent permission."
    return None


def doubt(candidate: Candidate, least: float) -> str | None:
    """Why the candidate is too unsure, in words; ``None`` when it is as sure as asked, or nobody said how sure it is."""
    if candidate.confidence is None or candidate.confidence >= least:
        return None
    return f"Confidence {candidate.confidence:g} is below {least:g}."


def invalid(item: object, error: InvalidValueError) -> Dropped:
    """What is no candidate at all, as a report tells it."""
    name = item.get("name") if isinstance(item, Mapping) else None
    return Dropped(tellable(name) if isinstance(name, str) else "", f"Invalid: {error}.")


def tellable(name: str) -> str:
    """A name that may be anything, as a report can tell it."""
    return redacted(one_line(name, 80))
