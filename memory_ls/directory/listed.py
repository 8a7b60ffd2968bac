"""Which memories the index leads an agent to."""

from __future__ import annotations

import posixpath
from functools import lru_cache

from memory_ls.directory.resolve import resolve, resolve_name, resolve_path
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.names import fold, stem_of


def points_at_memories(directory: MemoryDirectory) -> bool:
    """Whether there is an index and any line of it means a memory; one of prose alone is no list."""
    names = directory.names
    return directory.index is not None and any(
        target in directory.documents
        if not is_name
        else bool(names.by_folded_stem.get(fold(target)) or names.by_folded_name.get(fold(target)))
        for is_name, target in directory.index.targets
    )


def is_listed(directory: MemoryDirectory, key: str) -> bool:
    """Whether the index links the memory ``key``, names its file, or links the sub-directory it lies in."""
    if directory.index is None:
        return False
    targets = directory.index.targets
    if (False, key) in targets or (False, key.rpartition("/")[2]) in targets or (False, key[:-3]) in targets:
        return True
    parent = posixpath.dirname(key)
    while parent:
        if (False, parent) in targets:
            return True
        parent = posixpath.dirname(parent)
    return key in listed_otherwise(directory)


@lru_cache(maxsize=2)  # every memory of one value asks, and an edit compares two of them
def listed_otherwise(directory: MemoryDirectory) -> frozenset[str]:
    """The memories that the index lists by name, by a path in another spelling, or through an index of its own."""
    return frozenset(_listed_otherwise(directory, directory.index)) if directory.index is not None else frozenset()


def _listed_otherwise(directory: MemoryDirectory, index: IndexDocument) -> set[str]:
    keys: set[str] = set()
    parts: set[str] = set()
    for is_name, text in index.targets:
        if is_name:
            keys.update(resolve_name(directory, text).keys)
        elif text not in directory.documents:
            keys.update(resolve_path(directory, INDEX_NAME, text).keys)
        elif is_part_of_index(text):
            parts.add(text)
    for key in [*parts, *filter(is_part_of_index, keys)]:
        part = directory.documents.get(key) or directory.others.get(key)
        for link in part.body.links if part is not None else ():
            keys.update(resolve(directory, key, link).keys)
    return keys


def is_part_of_index(key: str) -> bool:
    """Whether a file is by its name an index for a part of the memories: what it links counts as listed."""
    return "index" in stem_of(key).lower()
