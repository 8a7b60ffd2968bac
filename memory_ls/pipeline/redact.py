"""Takes the secrets out of texts, before anything else of the pipeline sees them or any of them leaves the machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory_ls.chats.message import Message
from memory_ls.secret_scan import find_secrets

REDACTED = "[REDACTED]"

# What is taken out can bring together what stood around it, and that can look like a secret.
_MOST_PASSES = 4


def redacted(text: str) -> str:
    """``text`` with :data:`REDACTED` in the place of each secret. Doing it again changes nothing."""
    for _ in range(_MOST_PASSES):
        secrets = find_secrets(text)
        if not secrets:
            return text
        text = _without(text, ((each.start, each.end) for each in secrets))
    # A text that has secrets after that is made to have them: then all that was found has to go.
    return REDACTED if find_secrets(text) else text


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, end = [], 0
    for start, stop in spans:
        pieces += [text[end:start], REDACTED]
        end = stop
    return "".join([*pieces, text[end:]])


def redacted_messages(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages without their secrets."""
    return tuple(_redacted_message(each) for each in messages)


def _redacted_message(message: Message) -> Message:
    text = redacted(message.text)
    return message if text is message.text else replace(message, text=text)
