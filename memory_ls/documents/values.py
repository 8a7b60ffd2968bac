"""How a text is written as a YAML value, so that it reads back as just that text."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

from memory_ls.documents import frontmatter
from memory_ls.documents.frontmatter import ValueKind

# What YAML forbids, or what some reader of YAML takes for a line end.
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_NOT_IN_SINGLE_QUOTES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_TEXT = frozenset({ValueKind.TEXT})


def scalar(text: str, style: str = "", *, in_flow: bool = False, kinds: Collection[ValueKind] = _TEXT) -> str:
    """``text`` as a YAML value, in quotes where it would be something else without.

    ``style`` is the quote that stood there before, kept where it can be; ``in_flow`` tells whether the value stands
    between braces. Without quotes YAML must read it as one of ``kinds``.
    """
    if style not in ("'", '"') and _is_plain(text, in_flow, kinds):
        return text
    return single_quoted(text) if style == "'" and can_be_single_quoted(text) else double_quoted(text)


def quoted(text: str) -> str:
    """``text`` in quotes: in those that need no escapes, if there are such."""
    has_escapes = ('"' in text or "\\" in text) and "'" not in text
    return single_quoted(text) if has_escapes and can_be_single_quoted(text) else double_quoted(text)


def can_be_single_quoted(text: str) -> bool:
    """Whether no character of ``text`` needs an escape, for which single quotes have no way."""
    return _NOT_IN_SINGLE_QUOTES.search(text) is None


def single_quoted(text: str) -> str:
    """``text`` in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def double_quoted(text: str) -> str:
    """``text`` in double quotes."""
    # JSON is YAML, but for a few characters that YAML wants escaped too.
    written = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match.group()):04x}", written)


def _is_plain(text: str, in_flow: bool, kinds: Collection[ValueKind]) -> bool:
    if _NOT_IN_YAML.search(text):
        return False
    lines = f"metadata: {{name: {text}}}" if in_flow else f"name: {text}"
    block = frontmatter.read(f"---\n{lines}\n---\n")
    if block is None or block.invalid or len(block.keys) != 1:
        return False
    key = block.find_metadata("name") if in_flow else block.find("name")
    if key is None or (in_flow and len(block.keys[0].children) != 1):
        return False
    return key.kind in kinds and not key.style and key.value == text
