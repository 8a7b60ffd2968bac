"""The content of a message as chat APIs have it: a text, a block, or a list of blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from memory_ls.chats.conversation import MOST_TOOL_CHARACTERS
from memory_ls.chats.injected import said, without_memory
from memory_ls.chats.message import Role, tool_call
from memory_ls.chats.values import mapping, sequence, string, words

_TEXT_TYPES = frozenset({None, "text", "input_text", "output_text"})
_CALL_TYPES = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "function_call"})
_RESULT_TYPES = frozenset({"tool_result", "tool-result", "web_search_tool_result", "mcp_tool_result"})
_FILE_TYPES = frozenset({"image", "image_url", "input_image", "document"})
# Under one of these stands the text of a result, or what holds it; the last is looked at first.
_RESULT_KEYS = ("stdout", "output", "content", "text")
# Around an image that was sent.
_IMAGE_TAG = re.compile(r"\s*</?image\b[^<>\n]*>\s*\Z")


def _typed(text: str) -> str:
    return "" if _IMAGE_TAG.match(text) else said(text)


_CLEANING: dict[Role | None, Callable[[str], str]] = {Role.USER: _typed, Role.SYSTEM: without_memory}


def blocks_of(content: object) -> list[dict[str, Any]]:
    """The blocks of a content, a bare text among them as a block of its own."""
    several = content if isinstance(content, list) else [content]
    return [{"text": each} if isinstance(each, str) else each for each in several if isinstance(each, str | dict)]


def kind_of(block: dict[str, Any]) -> str | None:
    """The type of a block; ``None`` for one that has none."""
    kind = block.get("type")
    return kind if isinstance(kind, str) or kind is None else ""


def is_call(block: dict[str, Any]) -> bool:
    """Whether a block calls a tool."""
    return kind_of(block) in _CALL_TYPES


def is_result(block: dict[str, Any]) -> bool:
    """Whether a block is what a tool gave back."""
    return kind_of(block) in _RESULT_TYPES


def text_of(block: dict[str, Any]) -> str:
    """What a block says; nothing if it is no text, or a thought."""
    return words(block.get("text")) if kind_of(block) in _TEXT_TYPES and block.get("thought") is not True else ""


def said_in(content: object, role: Role | None = None) -> str:
    """The texts of a content: neither images, nor thoughts, nor what tools were asked or gave back.

    Of each text by itself what an agent put there is left out, as it is for ``role``: it is one block, and what the user
    typed is another.
    """
    clean = _CLEANING.get(role, str.strip)
    return "\n\n".join(text for block in blocks_of(content) if (text := clean(text_of(block))))


def call_in(block: dict[str, Any]) -> str:
    """A block that calls a tool, as it reads in a message."""
    return tool_call(string(block.get("name")) or string(block.get("toolName")) or "?")


def answered_in(content: object) -> str:
    """What an assistant said, and the tools it called, in order."""
    parts = (call_in(block) if is_call(block) else text_of(block).strip() for block in blocks_of(content))
    return "\n\n".join(filter(None, parts))


def result_in(value: object) -> str:
    """What a tool gave back: a text, or the texts in it, and not much more than is kept of one."""
    found: list[str] = []
    left = MOST_TOOL_CHARACTERS
    waiting = [value]
    while waiting and left >= 0:
        each = waiting.pop()
        if isinstance(each, str):
            text = each if len(each) <= 2 * MOST_TOOL_CHARACTERS else _ends(each)
            found.append(text)
            left -= len(text)
        elif isinstance(each, list):
            waiting.extend(reversed(each[:100]))
        elif isinstance(each, dict) and kind_of(each) not in _FILE_TYPES:
            waiting.extend(each[key] for key in _RESULT_KEYS if key in each)
    return "\n".join(found)


def _ends(text: str) -> str:
    return text[:MOST_TOOL_CHARACTERS] + text[-MOST_TOOL_CHARACTERS:]


def names_called(calls: object) -> list[str]:
    """A list of calls beside a message's content, each as it reads in a message."""
    functions = [mapping(call) for call in sequence(calls)]
    return [call_in(mapping(each.get("function")) or each) for each in functions]
