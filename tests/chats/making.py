"""Makes chat logs out of values, and tells what was read in a form that is easy to compare."""

from __future__ import annotations

import json
from typing import Any

from memory_ls.chats import ChatLog


def lines_of(*rows: object) -> str:
    """JSON lines; a text among ``rows`` is a line as it is."""
    return "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)


def said(log: ChatLog, *roles: str) -> list[str]:
    """The texts of a log, of these roles only if any is named."""
    return [message.text for message in log.messages if not roles or message.role in roles]


def turns(log: ChatLog) -> list[tuple[str, str]]:
    """Who said what."""
    return [(message.role.value, message.text) for message in log.messages]


def claude(kind: str, uuid: str, parent: str | None, content: object, **more: Any) -> dict[str, Any]:
    """A line of Claude Code's: of the user's, or of the assistant's."""
    message: dict[str, Any] = {"role": kind, "content": content}
    if "message_id" in more:
        message["id"] = more.pop("message_id")
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s-1", "message": message, **more}


def text_block(text: str) -> dict[str, str]:
    """A block of text."""
    return {"type": "text", "text": text}
