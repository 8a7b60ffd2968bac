"""Files and directories that the editor moves or deletes, and those that somebody moved without a word.

All paths are relative to the memory directory, with ``/``; one that leads out of it begins with ``../``.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from urllib.parse import quote

from memory_ls.changes.index_edits import remove_entries
from memory_ls.changes.index_lines import entries_of
from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.changes.relink import Moves, Relinking, is_inside, links_for
from memory_ls.changes.rename import name_edits, name_for, text_changes, with_files_renamed
from memory_ls.directory.loader import is_candidate
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.directory.style import Style
from memory_ls.documents.edits import Edit, applied
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, tokens_of

# More files than so many are sooner put into the directory all at once.
_MANY = 8


def moved(directory: MemoryDirectory, paths: Mapping[str, str], style: Style) -> tuple[Change, ...]:
    """What has to change in texts so that links stay alive when files and directories go from ``paths`` to elsewhere.

    The changes are of the files under their old paths, and move none. A name that was made from its file's follows
    it, unless another memory has the new one.

    Raises:
        CannotChangeError: a link can't be written so that it means what it did.
    """
    moves = Moves(paths)
    gone = {name: new for name in directory.files.names if (new := moves(name)) != name}
    edits = {key: list(_name_edits(directory, key, new)) for key, new in gone.items() if key in directory.documents}
    texts = {key: applied(directory.documents[key].source.text, edits[key]) for key in edits}
    after = _after(directory, gone, texts)
    after = after.with_files(new for new in map(posixpath.normpath, paths.values()) if is_inside(new))
    tokens = _tokens(directory, after, {**paths, **gone})
    elsewhere = [key for key, new in gone.items() if posixpath.dirname(new) != posixpath.dirname(key)]
    relinking = Relinking(directory, after, moves, style)
    places = links_for(directory, tokens, {*elsewhere, *_naming(directory, paths)})
    for source, edit in chain(relinking.edits(places), relinking.mentions(gone) if INDEX_NAME not in gone else ()):
        edits.setdefault(source, []).append(edit)
    return text_changes(directory, edits, {})


def _name_edits(directory: MemoryDirectory, key: str, new: str) -> tuple[Edit, ...]:
    """What gives a memory the name that goes with its file's new one, if that is another and free."""
    name = name_for(directory, key, new) if is_candidate(new) else None
    if name is None:
        return ()
    tables = directory.names
    if {*tables.by_folded_name.get(fold(name), ()), *tables.by_folded_stem.get(fold(name), ())} - {key}:
        return ()
    try:
        return name_edits(directory.documents[key], key, name)
    except CannotChangeError:
        return ()  # the file moves all the same, and its links can follow


def _after(directory: MemoryDirectory, gone: Mapping[str, str], texts: Mapping[str, str]) -> MemoryDirectory:
    """The directory with files in other places; all links are as they were."""
    if len(gone) <= _MANY:
        return with_files_renamed(directory, gone, texts)
    members = {
        new: MemoryDocument.parse(texts[key])
        if texts.get(key, document.source.text) != document.source.text
        else document
        for key, document in directory.documents.items()
        if is_candidate(new := gone.get(key, key))
    }
    files = (new for name in directory.files.names if is_inside(new := gone.get(name, name)))
    index = None if INDEX_NAME in gone else directory.index
    after = MemoryDirectory.of(directory.root, members, index, files=files, lenient=True)
    return replace(after, others={key: other for key, other in directory.others.items() if key not in gone})


def _naming(directory: MemoryDirectory, paths: Iterable[str]) -> Iterator[str]:
    """The documents that name a directory outside of this one: nobody here knows which files are in that."""
    outside = [posixpath.basename(path) for path in paths if not is_inside(path) and not path.endswith(".md")]
    names = {name for base in outside if base not in ("", ".", "..") for name in (base, quote(base))}
    if not names:
        return
    for key, document in {**directory.documents, **directory.others, INDEX_NAME: directory.index}.items():
        if document is not None and any(name in document.source.text for name in names):
            yield key


def _tokens(directory: MemoryDirectory, after: MemoryDirectory, paths: Mapping[str, str]) -> frozenset[str]:
    """What links may look for that find something else now."""
    tokens = set(tokens_of(*paths, *paths.values()))
    for old, new in paths.items():
        for key, documents in ((old, directory.documents), (new, after.documents)):
            if key in documents:
                tokens |= name_tokens(key, documents[key])
    return frozenset(tokens)


def deleted(directory: MemoryDirectory, paths: Collection[str]) -> tuple[Change, ...]:
    """The entries of the index go for the memories that are deleted, alone or with the directory they lie in."""
    index = directory.index
    gone = Moves({path: f"../{path}" for path in paths})
    if index is None or gone(INDEX_NAME) != INDEX_NAME:
        return ()
    keys = {key for key in directory.documents if gone(key) != key}
    edits = remove_entries(index, entries_of(directory, keys)) if keys else ()
    return (Change(1, INDEX_NAME, ChangeKind.EDIT, index.source.text, edits),) if edits else ()


# ---- what was moved without a word


def moved_away(before: MemoryDirectory, after: MemoryDirectory) -> dict[str, str]:
    """The memories that went while one with the same text, or else the same name, came: old and new keys."""
    gone = {key: before.documents[key] for key in before.documents.keys() - after.documents.keys()}
    came = {key: after.documents[key] for key in after.documents.keys() - before.documents.keys()}
    return moves_between(gone, came)


def moves_between(gone: Mapping[str, MemoryDocument], came: Mapping[str, MemoryDocument]) -> dict[str, str]:
    """Which of the memories that came is which of those that went: the one with its text, or else its body or its name."""
    found: dict[str, str] = {}
    for what in (_text_of, _body_of, _name_of):
        old, new = _by(what, gone, found), _by(what, came, found.values())
        found |= {old[mark]: new[mark] for mark in old.keys() & new.keys() if mark}
    return found


def _text_of(document: MemoryDocument) -> str:
    return document.source.text.strip()


def _body_of(document: MemoryDocument) -> str:
    return document.body_text.strip()


def _name_of(document: MemoryDocument) -> str:
    return document.name or ""


def _by(
    what: Callable[[MemoryDocument], str], documents: Mapping[str, MemoryDocument], known: Iterable[str]
) -> dict[str, str]:
    """The documents that are not known yet by text or name, where that is one's alone."""
    left_out = set(known)
    marks = {key: what(document) for key, document in documents.items() if key not in left_out}
    counts = Counter(marks.values())
    return {mark: key for key, mark in marks.items() if counts[mark] == 1}


def follow(directory: MemoryDirectory, old: str, new: str, style: Style) -> tuple[Change, ...]:
    """What brings the links back to life that still lead to ``old``, the place that the memory ``new`` had before.

    Raises:
        CannotChangeError: a link can't be written so that it means the memory.
    """
    if old in directory.files.names or new not in directory.documents:
        return ()
    text = directory.documents[new].source.text
    back = replace(directory, lenient=True).without(new).with_document(old, text)
    changes = moved(back, {old: new}, style)
    return tuple(replace(change, path=new) if change.path == old else change for change in changes)
