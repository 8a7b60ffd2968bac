"""The commands that tell and change nothing."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import date

from memory_ls import __version__
from memory_ls.agents.injection import FORMS
from memory_ls.agents.injection import injection as text_for_prompt
from memory_ls.directory.listing import MemorySummary, as_agents_read, described, summaries
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.pipeline.providers import configured, provider_name
from memory_ls.rules.registry import Severity
from memory_ls.server.commands.errors import wrong_argument
from memory_ls.server.commands.journal import pending_plans
from memory_ls.server.commands.targets import (
    Arguments,
    described_in,
    directories_of,
    named_memory,
    possible_directories,
)
from memory_ls.server.convert import source_of, to_range
from memory_ls.server.held import Held
from memory_ls.server.session import Session


async def status(session: Session, arguments: Arguments) -> object:
    """What the server holds, at once, however far it is."""
    settings = session.workspace.settings
    return {
        "version": __version__,
        "trusted": session.workspace.is_trusted,
        "provider": provider_name(
            settings,
            key=session.workspace.key,
            has_editor=session.complete is not None,
            is_trusted=session.workspace.is_trusted,
        ),
        "configured": configured(settings, key=session.workspace.key, has_editor=session.complete is not None),
        "directories": [_status_of(held) for held in session.held()],
        "work": [*("reading" for held in session.held() if held.is_reading), *session.work],
        "pendingPlans": [
            {"planId": plan.id, "title": plan.plan.title, "directory": str(path)}
            for path, plan in await pending_plans(session, possible_directories(session))
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
        # What is found is counted as far as it was looked for.
        "reading": held.is_reading or bool(held.unchecked or held.costly_due or held.alike_due),
        "memories": len(directory.documents) if directory is not None else 0,
        "index": index,
        "findings": {severity.word: counts[severity] for severity in Severity},
    }


async def injection(session: Session, arguments: Arguments) -> object:
    """The memories as a part of a system prompt: of the directory that is named, or of all one after the other."""
    form, limit = arguments.get("form"), arguments.get("limit")
    if form is not None and form not in FORMS:
        raise wrong_argument("form", f"form must be one of {', '.join(FORMS)}.", choices=list(FORMS))
    if limit is not None and limit < 0:
        raise wrong_argument("limit", "limit must not be negative.")
    await session.ready()
    if "directory" not in arguments and not session.held():
        return ""
    texts = [
        text_for_prompt(held.directory, held.settings, form, limit)
        for held in await directories_of(session, arguments)
        if held.directory is not None
    ]
    return "\n".join(filter(None, texts))


async def check(session: Session, arguments: Arguments) -> object:
    """What is found in each directory, also in files that no editor has open; ranges are as the client counts."""
    found = await directories_of(session, arguments)
    await session.all_checked()
    return [_checked(session, held) for held in found if held.directory is not None]


def _checked(session: Session, held: Held) -> dict[str, object]:
    directory = held.directory
    assert directory is not None
    findings = [
        {
            "path": key,
            "uri": held.uri_of(key),
            "range": to_range(source_of(directory, key), each.span, session.encoding),
            "severity": each.severity.word,
            "code": each.code,
            "message": each.message,
        }
        for key in sorted(held.quick)
        for each in held.diagnostics(key)
    ]
    return {"directory": str(held.path), "memories": len(directory.documents), "findings": findings}


async def list_memories(session: Session, arguments: Arguments) -> object:
    """The summaries of all memories, with the day each was last touched and whether it counts as stale."""
    found = await directories_of(session, arguments)
    # Of many memories it takes its while, and the user may be typing.
    return await asyncio.to_thread(lambda: [memory for held in found for memory in _all_listed(held)])


def _all_listed(held: Held) -> list[dict[str, object]]:
    directory = held.directory  # as it is now: by the end it may be another
    if directory is None:
        return []
    return [_listed(held, directory, item) for item in summaries(directory)]


def _listed(held: Held, directory: MemoryDirectory, item: MemorySummary) -> dict[str, object]:
    document = directory.documents[item.key]
    touched = document.updated
    is_old = touched is not None and (date.today() - touched).days > held.settings.stale_days
    return {
        **described(item),
        "directory": str(held.path),
        "uri": held.uri_of(item.key),
        "updated": touched.isoformat() if touched is not None else None,
        "stale": document.is_marked_stale or is_old,
    }


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
