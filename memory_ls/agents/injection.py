"""The memories of a directory as an agent is given them at the start: a part of its system prompt."""

from __future__ import annotations

from memory_ls.directory.listing import MemorySummary, one_line, summaries
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.settings import Settings

TITLE = "# Persistent Memory"
FORMS = ("summaries", "index")

_ABOUT = "What is known from earlier conversations. Keep to it, and say so where it no longer holds."
_MORE = "Read a memory in full with the tool memory_read, its name as the argument, or with: memory-ls read NAME"


def injection(directory: MemoryDirectory, settings: Settings, form: str | None = None, limit: int | None = None) -> str:
    """The text for a system prompt, in the ``form`` that the settings say by default; "" when nothing is known.

    ``limit`` is how many memories are told at most, ``maxInjected`` by default.
    """
    if (form or settings.injection) == "index":
        return _index(directory, settings)
    most = settings.max_injected if limit is None else limit
    return _summaries(_fresh_first(directory), most)


def _fresh_first(directory: MemoryDirectory) -> list[MemorySummary]:
    """All memories by name; those that are marked as stale come last, and say so."""
    fresh, stale = [], []
    for each in summaries(directory):
        if directory.documents[each.key].is_marked_stale:
            stale.append(each._replace(description=f"(may no longer hold) {each.description}".strip()))
        else:
            fresh.append(each)
    return fresh + stale


def _summaries(found: list[MemorySummary], most: int) -> str:
    shown = found[: max(most, 0)]
    if not shown:
        return ""
    parts = [f"{TITLE}\n\n{_ABOUT}"]
    parts += ["\n".join(filter(None, (f"## {one_line(each.name)}", one_line(each.description)))) for each in shown]
    if len(found) > len(shown):
        names = "1 more memory is" if len(found) == len(shown) + 1 else f"{len(found) - len(shown):,} more memories are"
        parts.append(f"{names} not listed here: memory_read without a name, or `memory-ls list`, tells all.")
    return "\n\n".join([*parts, _MORE]) + "\n"


def _index(directory: MemoryDirectory, settings: Settings) -> str:
    """The index as far as agents load it."""
    if directory.index is None:
        return ""
    text = directory.index.source.text
    lost = directory.index.load(settings.index_max_lines, settings.index_max_bytes).first_lost
    loaded = (text if lost is None else text[:lost]).strip()
    return f"<memory>\n{loaded}\n</memory>\n" if loaded else ""
