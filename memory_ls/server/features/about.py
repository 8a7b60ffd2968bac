"""What is told about a memory, a heading, another file or the index: in hovers and beside what is completed.

Texts are markdown; what a client gets that shows none is for :mod:`memory_ls.server.markup`.
"""

from __future__ import annotations

from datetime import date
from pathlib import PurePath

from memory_ls.directory.backlinks import count_linking, linking_memories
from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import one_line, summary
from memory_ls.directory.resolve import find_heading, resolve
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.documents.body import Heading
from memory_ls.documents.index import INDEX_NAME, IndexDocument, IndexLoad
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import closest, fold
from memory_ls.server.markup import bold, code, cut
from memory_ls.server.session import Place
from memory_ls.text import estimated_tokens

_BODY_CHARACTERS = 3_000
# Of a description, and of a file that is no memory.
_OTHER_CHARACTERS = 600
# Of what a user said that a memory rests on, so many quotes.
_QUOTES = 3
_QUOTE_CHARACTERS = 200
# Up to so many memories that link one are looked at, to tell the first few by name.
_FEW = 20
_NAMED = 3

TYPE_TEXTS = {
    "user": "Who the user is: role, knowledge, what they like and how they work.",
    "feedback": "How to work: corrections and confirmed ways of working, with why and how to apply them.",
    "project": "What is going on: decisions, constraints and state that the code does not tell.",
    "reference": "Where to find things: systems, documents and people outside of the project.",
}

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


def about_document(place: Place, key: str, anchor: str | None = None) -> str | None:
    """A file of the directory for people, or with ``anchor`` a heading of it and what stands below."""
    if key == INDEX_NAME and place.directory.index is not None and not anchor:
        return about_index(place)
    document = place.document if key == place.key else place.directory.document(key) or place.directory.others.get(key)
    if document is None:
        return None
    if anchor:
        heading = find_heading(document.headings, anchor)
        if heading is not None:
            return _about_section(place, key, document, heading)
    if isinstance(document, IndexDocument) or (key not in place.directory.documents and key != place.key):
        return _about_other(key, document)
    return _about_memory(place, key, document, anchor)


def _about_memory(place: Place, key: str, document: MemoryDocument, anchor: str | None) -> str:
    item = summary(key, document)
    facts = [item.type or "", age(document), _where(place, key)]
    parts = [bold(item.name), " · ".join(filter(None, facts)), cut(item.description, _OTHER_CHARACTERS)]
    if anchor:
        parts.append(_no_heading(document, anchor))
    parts.append(_links_here(place, key))
    parts.append(comes_from(place, key))
    body = cut(document.body_text.strip("\r\n").rstrip(), _BODY_CHARACTERS)
    return "\n\n".join(filter(None, [*parts, *(("---", body) if body.strip() else ())]))


def comes_from(place: Place, key: str) -> str:
    """The words of chat logs that a memory rests on; "" where none are known."""
    quotes = place.evidence.get(key, ())
    said = " ".join(f"“{cut(one_line(quote), _QUOTE_CHARACTERS)}”" for quote in quotes[:_QUOTES])
    return f"From: {said}" if said else ""


def _about_section(place: Place, key: str, document: MemoryDocument | IndexDocument, heading: Heading) -> str:
    name = summary(key, document).name if isinstance(document, MemoryDocument) else "The index"
    text = cut(section(document, heading), _BODY_CHARACTERS)
    return "\n\n".join(filter(None, (bold(name), _where(place, key), "---", text)))


def _about_other(key: str, document: MemoryDocument | IndexDocument) -> str:
    title = document.title if isinstance(document, MemoryDocument) else None
    body = document.body_text if isinstance(document, MemoryDocument) else document.source.text
    parts = [bold(title or key), f"{code(key)}, which is no memory", "---", cut(body.strip(), _OTHER_CHARACTERS)]
    return "\n\n".join(filter(None, parts))


def _where(place: Place, key: str) -> str:
    """The file, and the last two names of the directory's path, since most are called the same."""
    return f"{code(key)} in {code('/'.join(PurePath(place.directory.root).parts[-2:]))}" if key else ""


def _no_heading(document: MemoryDocument, anchor: str) -> str:
    texts = {fold(heading.text): heading.text for heading in document.headings}
    meant = texts.get(closest(anchor, texts) or "")
    return f"There is no heading {code(anchor)} in it.{f' Did you mean {code(meant)}?' if meant else ''}"


def section(document: MemoryDocument | IndexDocument, heading: Heading) -> str:
    """A heading and what stands below it, up to the next heading that is not below it itself."""
    text = document.source.text
    ends = (other.span.start for other in document.headings if other.level <= heading.level)
    end = next((end for end in ends if end > heading.span.start), len(text))
    return text[heading.span.start : end].rstrip()


# ---- who links here


def _links_here(place: Place, key: str) -> str:
    """Who links the memory ``key``, and whether the index leads to it."""
    return " · ".join(filter(None, (linked_from(place.directory, key), _listed_at(place, key))))


def linked_from(directory: MemoryDirectory, key: str) -> str:
    """The memories that link the memory ``key``; empty when none does."""
    if key not in directory.documents:
        return ""
    count = count_linking(directory, key)
    if count > _FEW:
        return f"Linked from {count:,} memories"
    sources = linking_memories(directory, key) if count else []
    names = [code(summary(source, directory.documents[source]).name) for source in sources[:_NAMED]]
    more = f" and {len(sources) - _NAMED} more" if len(sources) > _NAMED else ""
    return f"Linked from: {', '.join(names)}{more}" if names else ""


def _listed_at(place: Place, key: str) -> str:
    directory, index = place.directory, place.directory.index
    if index is None or key not in directory.documents:
        return ""
    if not is_listed(directory, key):
        return f"not listed in `{INDEX_NAME}`"
    links = index.links_for(name_tokens(key, directory.documents[key]))
    found = (link.start for link in links if key in resolve(directory, INDEX_NAME, link).keys)
    start = next(found, None)
    if start is None:
        return f"listed in `{INDEX_NAME}`"
    lost = is_lost(index_load(place), start)
    return f"listed in `{INDEX_NAME}`, line {index.source.line_of(start) + 1:,}{', which agents do not load' if lost else ''}"


# ---- the index


def index_load(place: Place) -> IndexLoad:
    """How much of the index an agent loads."""
    index = place.directory.index
    if index is None:
        return IndexLoad(0, 0, None)
    return index.load(place.settings.index_max_lines, place.settings.index_max_bytes)


def is_lost(load: IndexLoad, offset: int) -> bool:
    """Whether agents stop before they reach ``offset`` in the index."""
    return load.first_lost is not None and offset >= load.first_lost


def about_index(place: Place) -> str:
    """How much of the load limit the index uses."""
    index, settings = place.directory.index, place.settings
    assert index is not None
    load = index_load(place)
    loaded = index.source.text[index.body_start : load.first_lost]
    used = (
        f"{load.lines:,} of {settings.index_max_lines:,} lines · {load.size:,} of {settings.index_max_bytes:,} bytes · "
        f"about {estimated_tokens(loaded):,} tokens in each session"
    )
    parts = ["**The index**", f"{len(place.directory.documents):,} memories", used]
    if load.first_lost is not None:
        parts.append(f"Agents do not load what stands from line {index.source.line_of(load.first_lost) + 1:,} on.")
    return "\n\n".join(parts)


# ---- dates in words

_WEEKS_FROM, _MONTHS_FROM, _YEARS_FROM = 14, 60, 730


def age(document: MemoryDocument) -> str:
    """When the memory was last changed and when it was made, as far as it says."""
    created, updated = document.dated
    if updated is None:
        return f"created {_with_age(created[1])}" if created else ""
    made = f", created {created[1].isoformat()}" if created and created[1] != updated[1] else ""
    return f"updated {_with_age(updated[1])}{made}"


def _with_age(day: date) -> str:
    words = ago(day)
    return f"{words} ({day.isoformat()})" if words else day.isoformat()


def ago(day: date) -> str:
    """How long ago a day was, in words; empty for one that is still to come."""
    days = (date.today() - day).days
    if days < 0:
        return ""
    if days < 2:
        return ("today", "yesterday")[days]
    for least, unit, length in ((_YEARS_FROM, "years", 365), (_MONTHS_FROM, "months", 30), (_WEEKS_FROM, "weeks", 7)):
        if days >= least:
            return f"{days // length:,} {unit} ago"
    return f"{days} days ago"
