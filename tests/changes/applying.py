"""What changes make of a directory, worked out in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from memory_ls.changes.plan import Change, combined
from memory_ls.directory.resolve import resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.index import INDEX_NAME
from tests.making import checked

Texts = Mapping[str, str]


def applied_to(texts: Texts, changes: Iterable[Change]) -> dict[str, str]:
    """The files after ``changes``, each of which must have been made from what is there."""
    now = dict(texts)
    for file in combined(changes):
        assert now.pop(file.path, None) == file.before
        if file.after is not None:
            path = file.new_path or file.path
            assert path not in now
            now[path] = file.after
    return now


def links_of(directory: MemoryDirectory) -> dict[str, list[Link]]:
    """Every link, by the document it is in; also those of files that are no memories."""
    found = {key: list(document.body.links) for key, document in {**directory.documents, **directory.others}.items()}
    if directory.index is not None:
        found[INDEX_NAME] = list(directory.index.links())
    return found


def meanings(directory: MemoryDirectory) -> dict[str, list[tuple[str, tuple[str, ...], bool]]]:
    """What every link means: kind, keys, and whether it has an anchor."""
    return {
        key: [
            (target.kind.value, target.keys, link.anchor is not None and link.kind is not LinkKind.REFERENCE)
            for link in links
            for target in (resolve(directory, key, link),)
        ]
        for key, links in links_of(directory).items()
    }


def codes(directory: MemoryDirectory) -> Counter[str]:
    """How often each rule finds something; without likeness, which any other name changes."""
    found = Counter(found.code for diagnostics in checked(directory).values() for found in diagnostics)
    del found["near-duplicate"]
    return found
