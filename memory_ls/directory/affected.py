"""Which documents can look different after an edit: what has to be checked again, and nothing more."""

from __future__ import annotations

from collections.abc import Iterable

from memory_ls.directory.resolve import resolve_name
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, fold, stem_of


def affected(old: MemoryDirectory, new: MemoryDirectory, changed: Iterable[str]) -> frozenset[str]:
    """The keys of all documents whose diagnostics may differ between two values of one directory.

    ``changed`` are the files that were written, made or deleted between the two. The costly rules,
    which compare memories with each other, are not covered.
    """
    keys = set(changed)
    if old.index is not new.index:
        keys |= _membership_changed(old, new)
    touched = set(keys)
    tokens: set[str] = set()
    came_or_went = False
    for key in keys - {INDEX_NAME}:
        before, after = old.documents.get(key), new.documents.get(key)
        came_or_went |= (before is None) != (after is None)
        tokens |= _tokens_to_follow(key, before, after)
        touched |= _namesakes(old, new, before, after)
        touched |= _same_kind(new, before, after)
    if old.files is not new.files:
        tokens |= {fold(stem_of(name)) for name in old.files.names ^ new.files.names}
    for token in tokens:
        touched |= old.sources.get(token, frozenset()) | new.sources.get(token, frozenset())
    if tokens or came_or_went:
        touched.add(INDEX_NAME)
    if old.index is not new.index:
        touched.add(INDEX_NAME)
        touched |= _listing_changed(old, new)
    if old.census.most() != new.census.most():
        # Memories are judged by what most of their neighbours do.
        touched |= new.documents.keys()
    if came_or_went or (old.index is None) != (new.index is None):
        # The one memory that says on behalf of all that there is no index.
        touched.update(old.sorted_keys[:1], new.sorted_keys[:1])
    return frozenset(touched)


def _membership_changed(old: MemoryDirectory, new: MemoryDirectory) -> set[str]:
    if old.documents is new.documents:
        return set()
    return set(old.documents.keys() ^ new.documents.keys())


def _tokens_to_follow(key: str, before: MemoryDocument | None, after: MemoryDocument | None) -> frozenset[str]:
    """The names whose links mean something else now: all, when the headings changed too."""
    if before is not None and after is not None:
        old, new = name_tokens(key, before), name_tokens(key, after)
        same_headings = [h.text for h in before.body.headings] == [h.text for h in after.body.headings]
        return old ^ new if same_headings else old | new
    return name_tokens(key, before or after) if before or after else frozenset()  # type: ignore[arg-type]


def _namesakes(
    old: MemoryDirectory, new: MemoryDirectory, before: MemoryDocument | None, after: MemoryDocument | None
) -> set[str]:
    names = {document.name for document in (before, after) if document is not None and document.name}
    if before is not None and after is not None and before.name == after.name:
        return set()
    return {key for name in names for table in (old.names, new.names) for key in table.by_name.get(name, ())}


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


def _listing_changed(old: MemoryDirectory, new: MemoryDirectory) -> set[str]:
    before = old.index.targets if old.index else frozenset()
    after = new.index.targets if new.index else frozenset()
    if bool(before) != bool(after):
        return set(new.documents)
    touched: set[str] = set()
    for is_name, target in before ^ after:
        if is_name:
            touched.update(resolve_name(new, target).keys)
        elif target in new.documents:
            touched.add(target)
        else:
            touched.update(new.names.by_stem.get(target[:-3], ()))
    return touched & new.documents.keys()
