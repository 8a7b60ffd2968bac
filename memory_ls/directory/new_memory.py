"""The text of a memory that is yet to be written, as the directory writes its memories."""

from __future__ import annotations

import json
import re
from datetime import date

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.documents import frontmatter
from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.memory import Dialect
from memory_ls.documents.names import fold, stem_of, unsafe_reason, without_type_prefix

# What is left for its author to write.
HOLE = None
Piece = str | None


def new_memory(name: str, kind: str, style: Style, today: date) -> list[Piece]:
    """The pieces of a new memory, with a :data:`HOLE` wherever its author has something to say.

    A directory whose memories have no frontmatter gets the nested one, as an empty one does: an agent chooses by name
    and description.
    """
    dialect = Dialect.NESTED if style.dialect is Dialect.NONE else style.dialect
    dates = style.with_dialect(dialect).date_keys
    pieces: list[Piece] = [f"---\nname: {scalar(name)}\ndescription: ", HOLE, "\n"]
    if dialect is not Dialect.BARE:
        pieces.append(f"metadata:\n  type: {kind}\n" if dialect is Dialect.NESTED else f"type: {kind}\n")
    for inside in (True, False):
        for path in dates:
            is_inside = path.startswith("metadata.") and dialect is Dialect.NESTED
            if is_inside is inside:
                pieces.append(f"{'  ' * inside}{path.rpartition('.')[2]}: {today.isoformat()}\n")
    return [*pieces, "---\n\n", *_body(kind)]


def _body(kind: str) -> list[Piece]:
    if kind == "feedback":  # what helps is why it was given and where it holds
        return [HOLE, "\n\n**Why:** ", HOLE, "\n\n**How to apply:** ", HOLE, "\n"]
    return [HOLE, "\n"]


def new_name(directory: MemoryDirectory, key: str, style: Style) -> str:
    """What a memory in the file ``key`` is called, in a way that no other memory of the directory is."""
    stem = stem_of(key) if key else ""
    short = without_type_prefix(stem) or stem
    names = directory.names.by_name
    if style.dialect is Dialect.FLAT and 2 * sum(" " in name for name in names) > len(names):
        # Titles are what the flat dialect often calls its memories by.
        title = " ".join(short.replace("_", " ").replace("-", " ").split())
        choices = [title[:1].upper() + title[1:], stem]
    else:
        choices = [fold(short), stem]
    choices.append("new-memory" if unsafe_reason(stem) else f"{stem}-2")
    return next((name for name in choices if not unsafe_reason(name) and _is_free(directory, name, key)), choices[-1])


def _is_free(directory: MemoryDirectory, name: str, key: str) -> bool:
    return not set(directory.names.by_folded_name.get(fold(name), ())) - {key}


def scalar(text: str) -> str:
    """``text`` as a YAML value, in quotes where it would be something else without."""
    block = frontmatter.read(f"---\nname: {text}\n---\n")
    key = block.find("name") if block is not None and not block.invalid and len(block.keys) == 1 else None
    is_same = key is not None and key.kind is ValueKind.TEXT and not key.style and key.value == text
    if is_same:
        return text
    # JSON is YAML, but for a few characters that YAML wants escaped too.
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)


_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
