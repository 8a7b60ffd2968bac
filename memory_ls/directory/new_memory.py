"""The text of a memory that is yet to be written, as the directory writes its memories."""

from __future__ import annotations

from datetime import date

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.documents.memory import Dialect
from memory_ls.documents.names import fold, stem_of, unsafe_reason, without_type_prefix
from memory_ls.documents.new_memory import memory_text

# What is left for its author to write.
HOLE = None
Piece = str | None
# Stands for a hole while the text is made: YAML needs no quotes for it, and nobody writes it.
_HELD = "\uf8ff"


def new_memory(name: str, kind: str, style: Style, today: date) -> list[Piece]:
    """The pieces of a new memory, with a :data:`HOLE` wherever its author has something to say.

    A directory whose memories have no frontmatter gets the nested one, as an empty one does: an agent chooses by name
    and description.
    """
    style = style.for_new_memory()
    content = _HELD
    if kind == "feedback":  # what helps is why it was given and where it holds
        content = f"{_HELD}\n\n**Why:** {_HELD}\n\n**How to apply:** {_HELD}"
    text = memory_text(name.replace(_HELD, ""), _HELD, kind, content, style.dialect, style.dates(today))
    pieces: list[Piece] = []
    for part in text.split(_HELD):
        pieces += (HOLE, part)
    return pieces[1:]


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
