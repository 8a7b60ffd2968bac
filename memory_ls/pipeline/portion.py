"""What of a chat log is new since it was last read into a memory directory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_ls.chats.message import ChatLog, Message, Role
from memory_ls.pipeline.redact import redacted_messages
from memory_ls.store.watermarks import Watermark

# Those whose messages count: a run of tool calls alone is nothing new to learn from.
_SPEAKERS = (Role.USER, Role.ASSISTANT)
_REWRITTEN = "The log is not as it was when it was last read, so it was read from the start."


@dataclass(frozen=True, slots=True)
class Portion:
    """The new messages of a log, without the secrets in them. ``start`` is how many messages lie before them."""

    log: ChatLog
    key: str
    start: int
    messages: tuple[Message, ...]
    warnings: tuple[str, ...] = ()

    @property
    def spoken(self) -> int:
        """How many of the messages are the user's and the assistant's."""
        return sum(message.role in _SPEAKERS for message in self.messages)

    def mark(self, read: int | None = None) -> Watermark:
        """Where the log is read to with so many of the messages; by default with all of them."""
        count = self.start + (len(self.messages) if read is None else read)
        return Watermark(self.key, count, digest_of(self.log.messages[:count]))

    def counts(self) -> dict[str, int]:
        """As a report tells it."""
        return {"total": len(self.log.messages), "new": len(self.messages), "unreadable": self.log.unreadable}


def key_of(log: ChatLog) -> str:
    """What tells a log from others, also when it has grown: its session, else its first message."""
    if log.session_id:
        return f"session {log.session_id}"
    return f"first {digest_of(log.messages[:1])}"


def as_part(log: ChatLog) -> ChatLog:
    """What a user has chosen of a log, as a log of its own: what is known and pending of the whole one stays."""
    return replace(log, session_id=f"part {digest_of(log.messages)}")


def digest_of(messages: Sequence[Message]) -> str:
    """What tells these messages from others."""
    digest = hashlib.sha256()
    for message in messages:
        text = message.text.encode("utf-8", "replace")
        digest.update(f"{message.role.value} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()


def portion_of(log: ChatLog, mark: Watermark | None, *, from_start: bool = False) -> Portion:
    """The messages behind the watermark, or all of them. Takes a while with a long log."""
    warnings = []
    start = 0
    if mark is not None and not from_start:
        if mark.count <= len(log.messages) and digest_of(log.messages[: mark.count]) == mark.digest:
            start = mark.count
        else:
            warnings.append(_REWRITTEN)
    if log.unreadable and log.messages:  # else all of it could not be read, which is told anyhow
        parts = "1 part" if log.unreadable == 1 else f"{log.unreadable:,} parts"
        warnings.append(f"{parts} of the log could not be read.")
    return Portion(log, key_of(log), start, redacted_messages(log.messages[start:]), tuple(warnings))
