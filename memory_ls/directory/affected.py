"""Which documents can look different after an edit: what has to be checked again, and nothing more."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memory_ls.directory.listed import is_part_of_index, listed_otherwise, points_at_memories
from memory_ls.directory.snapshot import MemoryDirectory, changed_tokens, name_tokens
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, all_close, copied_from, stem_of, tokens_of


def affected(old: MemoryDirectory, new: MemoryDirectory, changed: Iterable[str]) -> frozenset[str]:
    """The keys of all documents whose diagnostics may differ between two values of one directory.

    ``changed`` are the files that were written, made or deleted between the two. The costly rules,
    which compare memories with each other, are not covered.
    """
    keys = set(changed)
    if old.index is not new.index:
        keys |= _membership_changed(old, new)
    touched = set(keys)
    renamed: set[str] = set()  # names that mean something else now
    followed: set[str] = set()  # names whose links lead to other headings now
    came_or_went = listing_moved = False
    for key in keys - {INDEX_NAME}:
        before, after = old.documents.get(key), new.documents.get(key)
        came_or_went |= (before is None) != (after is None)
        listing_moved |= is_part_of_index(key)
        renamed |= changed_tokens(key, before, after)
        if before is not None and after is not None and _headings(before) != _headings(after):
            followed |= name_tokens(key, after)
        touched |= _namesakes(old, new, before, after)
        touched |= _same_kind(new, before, after)
    if old.files is not new.files:
        came = old.files.names ^ new.files.names
        renamed |= tokens_of(*came, *(old.files.directories ^ new.files.directories))
        touched |= {key for key in new.documents if copied_from(key) in came}
    if _headings(old.index) != _headings(new.index):
        followed |= tokens_of(INDEX_NAME)
    for token in renamed | followed | _close_by(renamed, old, new):
        touched |= old.sources.get(token, frozenset()) | new.sources.get(token, frozenset())
    if old.index is not new.index or renamed or followed or came_or_went:
        touched.add(INDEX_NAME)
    touched |= _listing_changed(old, new, listing_moved or bool(renamed))
    if old.census.most() != new.census.most():
        # Memories are judged by what most of their neighbours do.
        touched |= new.documents.keys()
    if came_or_went or _has_index(old) != _has_index(new):
        # The one memory that says on behalf of all that there is no index.
        touched.update(old.sorted_keys[:1], new.sorted_keys[:1])
    return frozenset(touched)


def _membership_changed(old: MemoryDirectory, new: MemoryDirectory) -> set[str]:
    if old.documents is new.documents:
        return set()
    return set(old.documents.keys() ^ new.documents.keys())


def _headings(document: MemoryDocument | IndexDocument | None) -> list[str] | None:
    return None if document is None else [heading.text for heading in document.headings]


def _has_index(directory: MemoryDirectory) -> bool:
    """Whether there is an index, if only one that can't be read."""
    return directory.index is not None or INDEX_NAME in directory.facts


def _close_by(renamed: Collection[str], old: MemoryDirectory, new: MemoryDirectory) -> set[str]:
    """What dead links look for and what a renamed memory may have been offered for, or may be now."""
    if not renamed:
        return set()
    dead: dict[str, list[str]] = {}
    for directory in (old, new) if old.documents is not new.documents else (new,):
        known = directory.names
        for token in directory.sources:
            if token not in known.by_folded_stem and token not in known.by_folded_name:
                dead.setdefault(token[:1], []).append(token)
    return {token for name in renamed for token in all_close(name, dead.get(name[:1], ()))}


def _namesakes(
    old: MemoryDirectory, new: MemoryDirectory, before: MemoryDocument | None, after: MemoryDocument | None
) -> set[str]:
    """The memories that have the same name, and say where this one has it."""
    if before is not None and after is not None and before.name == after.name and _place(before) == _place(after):
        return set()
    names = {document.name for document in (before, after) if document is not None and document.name}
    return {key for name in names for table in (old.names, new.names) for key in table.by_name.get(name, ())}


def _place(document: MemoryDocument) -> object:
    return document.name_key and document.name_key.value_span


def _same_kind(new: MemoryDirectory, before: MemoryDocument | None, after: MemoryDocument | None) -> set[str]:
    """Memories of the same type, where that is one of the directory's own and counts by being used."""
    touched: set[str] = set()
    old_type, new_type = before and before.type, after and after.type
    if old_type == new_type:
        return touched
    types = {kind for kind in (old_type, new_type) if kind and kind not in MEMORY_TYPES}
    if types:
        touched |= {key for key, document in new.documents.items() if document.type in types}
    return touched


def _listing_changed(old: MemoryDirectory, new: MemoryDirectory, names_changed: bool) -> set[str]:
    """The memories that the index lists now and did not before, or the other way round."""
    if old.index is new.index and old.documents is new.documents and not names_changed:
        return set()
    if points_at_memories(old) != points_at_memories(new):
        return set(new.documents)
    before = old.index.targets if old.index else frozenset()
    after = new.index.targets if new.index else frozenset()
    touched: set[str] = set()
    if before is not after and before != after:
        names_changed = True
        for is_name, target in before ^ after:
            if not is_name:
                touched.update(new.names.by_stem.get(stem_of(target), ()), new.names.by_stem.get(target, ()))
                if target in new.files.directories:
                    touched.update(key for key in new.documents if key.startswith(f"{target}/"))
    if names_changed:
        touched |= listed_otherwise(old) ^ listed_otherwise(new)
    return touched & new.documents.keys()
