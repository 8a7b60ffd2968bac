"""What a directory's memories look like to whoever uses them: summaries, and the text an agent reads."""

from __future__ import annotations

from typing import NamedTuple

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of


class MemorySummary(NamedTuple):
    """One memory in a line. ``name`` is the stem where the file gives none."""

    key: str
    name: str
    description: str
    type: str | None


def summaries(directory: MemoryDirectory) -> list[MemorySummary]:
    """Every memory of the directory, sorted by name."""
    found = [summary(key, document) for key, document in directory.documents.items()]
    return sorted(found, key=lambda item: (item.name.casefold(), item.key))


def summary(key: str, document: MemoryDocument) -> MemorySummary:
    """The summary of one memory."""
    return MemorySummary(key, document.name or stem_of(key), document.description or "", document.type)


def one_line(text: str, most: int | None = None) -> str:
    """A text on one line, cut to ``most`` characters where it is longer."""
    line = " ".join(text.split())
    return line if most is None or len(line) <= most else f"{line[: most - 1]}…"


def shortened(text: str, most: int) -> str:
    """A line cut to ``most`` characters where it is longer, at the end of a word where one is near."""
    if len(text) <= most:
        return text
    cut = text[: max(most - 1, 0)]
    space = cut.rfind(" ")
    return f"{(cut[:space] if space > most // 2 else cut).rstrip()}…"


def described(item: MemorySummary) -> dict[str, str | None]:
    """The summary as JSON has it; ``path`` is relative to the directory."""
    return {"name": item.name, "description": item.description, "type": item.type, "path": item.key}


def as_agents_read(key: str, document: MemoryDocument) -> str:
    """The memory as the read tool gives it to an agent: name and type, description, body."""
    head = summary(key, document)
    title = f"## {head.name} ({head.type})" if head.type else f"## {head.name}"
    lines = [title, *([head.description] if head.description else []), "", document.body_text.strip()]
    return "\n".join(lines).rstrip()
