"""The text of a memory that is yet to be written."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import frontmatter

from memory_ls.documents.frontmatter import FrontmatterHandler
from memory_ls.documents.memory import Dialect


def memory_text(
    name: str,
    description: str,
    kind: str,
    content: str,
    dialect: Dialect,
    dates: Mapping[str, date],
) -> str:
    """A whole new memory with ``\\n`` as its line end.

    ``dates`` are by the dotted path of their key; without a ``kind`` there is no type. A memory always has frontmatter,
    since agents choose by name and description: where its neighbours have none it is the nested one.
    """
    body = content.replace("\r\n", "\n").replace("\r", "\n")
    post = frontmatter.Post(body, **_metadata(name, description, kind, dialect, dates))
    return f"{frontmatter.dumps(post, FrontmatterHandler()).rstrip()}\n"


def block_text(name: str, description: str, kind: str, dialect: Dialect, dates: Mapping[str, date]) -> str:
    """The frontmatter of :func:`memory_text` alone, with its two ``---`` lines."""
    return memory_text(name, description, kind, "", dialect, dates)


def _metadata(name: str, description: str, kind: str, dialect: Dialect, dates: Mapping[str, date]) -> dict[str, Any]:
    values: dict[str, Any] = {"name": name, "description": description}
    inside: dict[str, Any] = {}
    if dialect in (Dialect.NESTED, Dialect.NONE):
        inside = values["metadata"] = {"type": kind} if kind else {}
    elif dialect is Dialect.FLAT and kind:
        values["type"] = kind
    for path, day in dates.items():
        parent, _, key = path.rpartition(".")
        (inside if parent and "metadata" in values else values)[key] = day
    return {name: value for name, value in values.items() if value != {}}
