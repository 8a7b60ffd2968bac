"""The bytes of a markdown file, told from what is known of it or read from the disk."""

from __future__ import annotations

import os
from enum import Enum

from memory_ls.directory.loader import BOM, most_bytes, read_file
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory


class Unknown(Enum):
    """Of a file that could not be read as text, nobody can tell the bytes from its text."""

    UNKNOWN = "unknown"


# ``None`` where there is no such file.
Content = bytes | None | Unknown


def content_of(directory: MemoryDirectory, key: str) -> Content:
    """The bytes of the file ``key``, from what the snapshot has of it."""
    document = directory.document(key) or directory.others.get(key)
    if document is None:
        return Unknown.UNKNOWN if key in directory.files.names else None
    return _content(document.source.text, directory.facts.get(key) or FileFacts())


def content_on_disk(directory: MemoryDirectory, key: str) -> Content:
    """The bytes of the file ``key`` that the disk has now."""
    path = directory.path_of(key)
    text, facts = read_file(path, most=most_bytes(key))
    if text is None:
        return Unknown.UNKNOWN if os.path.lexists(path) else None
    return _content(text, facts)


def _content(text: str, facts: FileFacts) -> Content:
    if facts.bad_byte is not None:
        return Unknown.UNKNOWN
    return (BOM if facts.has_bom else b"") + text.encode("utf-8", "surrogatepass")


def text_in(content: Content) -> str | None:
    """The text that bytes of a file are, without a byte order mark; ``None`` where there are none."""
    if content is None or isinstance(content, Unknown):
        return None
    return content.removeprefix(BOM).decode("utf-8", "surrogatepass")
