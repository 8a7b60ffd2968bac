"""The commands that tell and change nothing."""

from __future__ import annotations

from collections import Counter

from memory_ls import __version__
from memory_ls.directory.listing import as_agents_read, summaries
from memory_ls.rules.registry import Severity
from memory_ls.server import writer
from memory_ls.server.commands.targets import Arguments, described_in, directories_of, named_memory
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from memory_ls.store.store import Store


async def status(session: Session, arguments: Arguments) -> object:
    """What the server holds, at once, however far it is."""
    settings = session.workspace.settings
    return {
        "version": __version__,
        "trusted": session.workspace.is_trusted,
        "provider": settings.provider if session.workspace.is_trusted else "offline",
        "directories": [_status_of(held) for held in session.held()],
        "work": ["reading" for held in session.held() if held.is_reading],
        "pendingPlans": [
            {"planId": pending.id, "title": pending.plan.title, "directory": str(held.path)}
            for held in session.held()
            for pending in await writer.asked(session, held, Store.plans)
        ],
    }


def _status_of(held: Held) -> dict[str, object]:
    directory, settings = held.directory, held.settings
    index = None
    if directory is not None and directory.index is not None:
        load = directory.index.load(settings.index_max_lines, settings.index_max_bytes)
        index = {
            "lines": load.lines,
            "maxLines": settings.index_max_lines,
            "bytes": load.size,
            "maxBytes": settings.index_max_bytes,
        }
    counts = Counter(found.severity for diagnostics in held.published.values() for found in diagnostics)
    return {
        "path": str(held.path),
        "reading": held.is_reading,
        "memories": len(directory.documents) if directory is not None else 0,
        "index": index,
        "findings": {severity.word: counts[severity] for severity in Severity},
    }


async def list_memories(session: Session, arguments: Arguments) -> object:
    """The summaries of all memories."""
    return [
        {**described_in(held, item.key), "uri": held.uri_of(item.key)}
        for held in await directories_of(session, arguments)
        if held.directory is not None
        for item in summaries(held.directory)
    ]


async def read(session: Session, arguments: Arguments) -> object:
    """Memories as agents read them: the one with a name, or all."""
    found = await directories_of(session, arguments)
    places = [(held, item.key) for held in found if held.directory is not None for item in summaries(held.directory)]
    if "name" in arguments:
        places = [named_memory(found, arguments["name"])]
    return [
        {**described_in(held, key), "text": as_agents_read(key, held.directory.documents[key])}
        for held, key in places
        if held.directory is not None
    ]
