"""Hover: what a link points at, and what a frontmatter key means."""

from __future__ import annotations

import re
from datetime import date

from lsprotocol import types

from memory_ls.directory.listing import summary
from memory_ls.directory.resolve import Target, TargetKind, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.frontmatter import Key
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.definition import link_at
from memory_ls.server.session import Place
from memory_ls.text import Span

_BODY_CHARACTERS = 3_000

KEY_TEXTS = {
    "name": "What the memory is called. Links find it by this name or by the file name.",
    "description": "One line that tells an agent when to read the memory. It is loaded in every session.",
    "type": "What the memory is about: `user` (who they are, what they like), `feedback` (corrections and confirmed "
    "ways of working), `project` (decisions, constraints, state) or `reference` (where to find things).",
    "metadata": "What programs note about the memory: its type and dates.",
    "createdAt": "The day the memory was made.",
    "created": "The day the memory was made.",
    "updatedAt": "The day the memory was last known to be right.",
    "updated": "The day the memory was last known to be right.",
    "modified": "When the memory was last changed, as the agent notes it.",
    "originSessionId": "The session in which the agent wrote the memory.",
    "node_type": "Marks the file as a memory for the agent that wrote it.",
    "status": "`stale` marks a memory that should no longer be relied on.",
}


def hover(place: Place, offset: int, support: ClientSupport) -> types.Hover | None:
    """What to show for the place at ``offset``."""
    link = link_at(place, offset)
    if link is not None:
        text = _of_target(place, resolve(place.directory, place.key, link))
        return _hover(place, link.span, text, support) if text else None
    key = _key_at(place, offset)
    if key is not None and key.name in KEY_TEXTS:
        return _hover(place, key.span, f"**{key.name}**\n\n{KEY_TEXTS[key.name]}", support)
    return None


def _hover(place: Place, span: Span, text: str, support: ClientSupport) -> types.Hover:
    markdown = support.markdown_hover
    content = types.MarkupContent(
        types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText, text if markdown else plain(text)
    )
    return types.Hover(content, convert.to_range(place.document.source, span, support.encoding))


def plain(text: str) -> str:
    """Markdown of ours for a client that shows only plain text."""
    return re.sub(r"\*\*(.+?)\*\*", r"\1", text)


def _key_at(place: Place, offset: int) -> Key | None:
    block = place.document.frontmatter
    if block is None:
        return None
    return next((key for _, key in block.walk() if key.span.touches(offset)), None)


def _of_target(place: Place, target: Target) -> str | None:
    if target.kind is TargetKind.AMBIGUOUS:
        choices = "\n".join(f"- {_line(place.directory, key)}" for key in target.keys)
        return f"**May mean any of these memories**\n\n{choices}"
    if target.kind is TargetKind.MEMORY:
        return memory_text(target.keys[0], place.directory.documents[target.keys[0]])
    if target.kind is TargetKind.INDEX and place.directory.index is not None:
        return index_text(place)
    return None


def _line(directory: MemoryDirectory, key: str) -> str:
    item = summary(key, directory.documents[key])
    return f"`{key}`{f' — {item.description}' if item.description else ''}"


def memory_text(key: str, document: MemoryDocument) -> str:
    """A memory for people: name, type, age, description, and its body."""
    item = summary(key, document)
    facts = [part for part in (item.type, _age(document), f"`{key}`") if part]
    parts = [f"**{item.name}**", " · ".join(facts)]
    if item.description:
        parts.append(item.description)
    body = document.body_text.strip()
    if len(body) > _BODY_CHARACTERS:
        body = f"{body[:_BODY_CHARACTERS].rstrip()}\n\n… ({len(body):,} characters)"
    return "\n\n".join(parts) + (f"\n\n---\n\n{body}" if body else "")


def _age(document: MemoryDocument) -> str:
    if document.updated is None:
        return ""
    days = (date.today() - document.updated).days
    if days < 0:
        return f"updated {document.updated.isoformat()}"
    when = "today" if days == 0 else "yesterday" if days == 1 else f"{days:,} days ago"
    return f"updated {when} ({document.updated.isoformat()})"


def index_text(place: Place) -> str:
    """How much of the load limit the index uses."""
    index = place.directory.index
    assert index is not None
    settings = place.settings
    load = index.load(settings.index_max_lines, settings.index_max_bytes)
    return (
        f"**The index**\n\n{len(place.directory.documents):,} memories · {load.lines:,} of {settings.index_max_lines:,} "
        f"lines · {load.size:,} of {settings.index_max_bytes:,} bytes that agents load"
    )
