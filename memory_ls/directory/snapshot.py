"""A memory directory as one immutable value.

Every edit makes a new value that shares all that the edit did not touch, so whoever holds one may
keep it as long as it likes. Keys are paths relative to the directory, with ``/``.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeVar

from memory_ls.directory.steps import result_of
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import closest, fold, fold_path, loosely, stem_of, tokens_of, without_type_prefix

# Files that projects keep beside their memories; a memory only when the file or the index says so.
_PROJECT_FILES = frozenset({"readme", "claude", "agents", "gemini", "changelog"})


class Trouble(Enum):
    """Why a file is there and could not be read as text."""

    TOO_LARGE = "too large"
    NOT_A_FILE = "not a file"
    DANGLING = "dangling"
    UNREADABLE = "unreadable"


class FileFacts(NamedTuple):
    """What the file system says of one file: size in bytes, time of last change in nanoseconds.

    ``bad_byte`` is the offset in bytes of the first one that is not UTF-8, ``None`` when all are.
    ``detail`` is the operating system's own word for what went wrong.
    """

    size: int = 0
    modified_ns: int = 0
    trouble: Trouble | None = None
    bad_byte: int | None = None
    has_bom: bool = False
    detail: str = ""


class FileTable:
    """Every file in the directory, memory or not; shared between snapshots until one comes or goes."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)

    @cached_property
    def directories(self) -> frozenset[str]:
        """Every sub-directory that holds a file."""
        found: set[str] = set()
        for name in self.names:
            parent = posixpath.dirname(name) if "/" in name else ""
            while parent and parent not in found:
                found.add(parent)
                parent = posixpath.dirname(parent)
        return frozenset(found)

    @cached_property
    def by_folded(self) -> Mapping[str, str]:
        """Each file by its path without regard to case, and to how accents are put together."""
        return {fold_path(name): name for name in sorted(self.names, reverse=True)}

    def changed(self, added: Iterable[str] = (), removed: Iterable[str] = ()) -> FileTable:
        """The table with some files more or less; itself when that changes nothing."""
        added = [name for name in added if name not in self.names]
        removed = [name for name in removed if name in self.names]
        return FileTable((self.names | frozenset(added)) - frozenset(removed)) if added or removed else self


_Table = Mapping[str, tuple[str, ...]]
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class NameTables:
    """Which memories a name may mean, one table for each step of resolution, in the order of the steps."""

    by_name: _Table = field(default_factory=dict)
    by_stem: _Table = field(default_factory=dict)
    by_folded_name: _Table = field(default_factory=dict)
    by_folded_stem: _Table = field(default_factory=dict)
    by_unprefixed: _Table = field(default_factory=dict)
    _meant: dict[str, str | None] = field(default_factory=dict, init=False, compare=False, repr=False)

    def closest(self, target: str) -> str | None:
        """The key of the memory whose name or stem ``target`` was most likely meant to be, or ``None``.

        Kept for as long as no name changes: a dead link is asked about at every keystroke.
        """
        if target not in self._meant:
            names = self._by_first.get(fold(target)[:1], ())
            name = closest(target, names)
            keys = (self.by_folded_stem.get(name) or self.by_folded_name.get(name)) if name else None
            self._meant[target] = keys[0] if keys else None
        return self._meant[target]

    @cached_property
    def _by_first(self) -> Mapping[str, list[str]]:
        """Every folded name and stem by its first character, which a slip of the finger seldom hits."""
        found: dict[str, list[str]] = {}
        # In order, so that of two names alike the same one is offered every time.
        for name in sorted(self.by_folded_stem.keys() | self.by_folded_name.keys()):
            found.setdefault(name[:1], []).append(name)
        return found

    @cached_property
    def searched(self) -> Mapping[str, tuple[str, ...]]:
        """The memories by every name, stem and path, in the form in which they are searched."""
        found: dict[str, tuple[str, ...]] = {}
        for table in (self.by_folded_stem, self.by_folded_name):
            for name, keys in table.items():
                loose = name if name.isascii() else loosely(name)
                known = found.get(loose, ())
                found[loose] = keys if not known or known == keys else (*known, *keys)
        for keys in self.by_stem.values():
            for key in keys:
                if "/" in key:
                    path = loosely(key.removesuffix(".md"))
                    found[path] = (*found.get(path, ()), key)
        return found

    @classmethod
    def of(cls, documents: Mapping[str, MemoryDocument]) -> NameTables:
        """The tables of a whole directory."""
        tables: tuple[dict[str, list[str]], ...] = ({}, {}, {}, {}, {})
        by_name, by_stem, by_folded_name, by_folded_stem, by_unprefixed = tables
        for key, document in documents.items():
            # As _names_of, without the sets: most names equal their stem.
            name, stem = document.name, stem_of(key)
            folded = fold(stem)
            by_stem.setdefault(stem, []).append(key)
            by_folded_stem.setdefault(folded, []).append(key)
            if name:
                by_name.setdefault(name, []).append(key)
                by_folded_name.setdefault(folded if name == stem else fold(name), []).append(key)
            for short in _unprefixed(name, stem):
                by_unprefixed.setdefault(short, []).append(key)
        return cls(*({name: tuple(keys) for name, keys in table.items()} for table in tables))

    def changed(self, key: str, old: MemoryDocument | None, new: MemoryDocument | None) -> NameTables:
        """The tables after the memory ``key`` changed from ``old`` to ``new``; itself when no name did."""
        before = _names_of(key, old) if old else _NO_NAMES
        after = _names_of(key, new) if new else _NO_NAMES
        if before == after:
            return self
        tables = (self.by_name, self.by_stem, self.by_folded_name, self.by_folded_stem, self.by_unprefixed)
        return NameTables(
            *(
                table if old_names == new_names else _retabled(table, key, old_names, new_names)
                for table, old_names, new_names in zip(tables, before, after, strict=True)
            )
        )


_Names = tuple[frozenset[str], ...]
_NO_NAMES: _Names = (frozenset(),) * 5


def _names_of(key: str, document: MemoryDocument) -> _Names:
    stem = stem_of(key)
    names = [document.name] if document.name else []
    return (
        frozenset(names),
        frozenset((stem,)),
        frozenset(map(fold, names)),
        frozenset((fold(stem),)),
        _unprefixed(document.name, stem),
    )


def _unprefixed(name: str | None, stem: str) -> frozenset[str]:
    shorts = {without_type_prefix(stem)}
    if name and name != stem:
        shorts.add(without_type_prefix(name))
    return frozenset(fold(short) for short in shorts if short)


def _copied(table: Mapping[str, _Value]) -> dict[str, _Value]:
    """A copy that may be changed. Of a table that a key went from, its own way makes one many times as fast."""
    return table.copy() if isinstance(table, dict) else dict(table)


def _retabled(table: _Table, key: str, old: frozenset[str], new: frozenset[str]) -> _Table:
    changed = _copied(table)
    for name in old - new:
        rest = tuple(other for other in changed.get(name, ()) if other != key)
        if rest:
            changed[name] = rest
        else:
            changed.pop(name, None)
    for name in new - old:
        changed[name] = tuple(sorted((*changed.get(name, ()), key)))
    return changed


def name_tokens(key: str, document: MemoryDocument) -> frozenset[str]:
    """Every folded name under which a link may find the memory ``key``."""
    return tokens_of(*(name for names in _names_of(key, document) for name in names))


def changed_tokens(key: str, old: MemoryDocument | None, new: MemoryDocument | None) -> frozenset[str]:
    """The folded names that find something else since the memory ``key`` changed from ``old`` to ``new``.

    Also where only the step at which they find it differs: of ``ferry`` and ``Ferry`` one is exact.
    """
    before = _names_of(key, old) if old else _NO_NAMES
    after = _names_of(key, new) if new else _NO_NAMES
    return tokens_of(*(name for names in map(frozenset.symmetric_difference, before, after) for name in names))


# From this many memories on, what most of them do is their author's habit.
_A_HABIT = 3


class Census(NamedTuple):
    """How many of a directory's memories do a thing: what most of them do is what its author means to do."""

    memories: int = 0
    with_frontmatter: int = 0
    with_name: int = 0
    with_description: int = 0
    with_type: int = 0

    def plus(self, document: MemoryDocument | None, sign: int = 1) -> Census:
        """The census with one memory more, or with ``sign`` -1 one less."""
        if document is None:
            return self
        block = document.frontmatter is not None
        found = (True, block, document.name_key is not None, document.description_key is not None, document.type_key)
        return Census(*(count + sign * bool(is_so) for count, is_so in zip(self, found, strict=True)))

    def most(self) -> tuple[bool, bool, bool, bool]:
        """Whether most memories have frontmatter, and of those with it a name, a description, a type."""
        # One or two that leave a key out show no habit.
        least = 0 if self.with_frontmatter < _A_HABIT else self.with_frontmatter
        return (
            2 * self.with_frontmatter >= self.memories and self.with_frontmatter > 0,
            2 * self.with_name >= least,
            2 * self.with_description >= least,
            2 * self.with_type >= self.with_frontmatter,
        )


@dataclass(frozen=True, eq=False)
class MemoryDirectory:
    """One value of a memory directory, equal to no other.

    ``root`` is its absolute path. ``documents`` are its memories; ``others`` are markdown files in it
    that are none (a README), kept since an edit of the index can make them memories. ``lenient`` tells
    that every markdown file counts, as in a known place or a directory called ``memory``.
    """

    root: str
    lenient: bool = True
    documents: Mapping[str, MemoryDocument] = field(default_factory=dict)
    others: Mapping[str, MemoryDocument] = field(default_factory=dict)
    index: IndexDocument | None = None
    files: FileTable = field(default_factory=lambda: FileTable(()))
    facts: Mapping[str, FileFacts] = field(default_factory=dict)
    names: NameTables = field(default_factory=NameTables)
    census: Census = field(default_factory=Census)
    known_sources: Mapping[str, frozenset[str]] | None = None

    @classmethod
    def of(
        cls,
        root: str,
        candidates: Mapping[str, MemoryDocument],
        index: IndexDocument | None,
        *,
        files: Iterable[str] = (),
        facts: Mapping[str, FileFacts] | None = None,
        lenient: bool = True,
    ) -> MemoryDirectory:
        """The directory with these files; ``candidates`` are its markdown files, memories or not."""
        table = FileTable({*files, *candidates, *((INDEX_NAME,) if index else ())})
        empty = cls(root, lenient, index=index, files=table, facts=facts or {})
        listed = empty._listed_paths()
        members = {key: doc for key, doc in candidates.items() if is_member(key, doc, key in listed, lenient)}
        return replace(
            empty,
            documents=members,
            others={key: doc for key, doc in candidates.items() if key not in members},
            names=NameTables.of(members),
            census=_count(members),
        )

    def document(self, key: str) -> MemoryDocument | IndexDocument | None:
        """The document ``key``: a memory or the index."""
        return self.index if key == INDEX_NAME else self.documents.get(key)

    @cached_property
    def sources(self) -> Mapping[str, frozenset[str]]:
        """Which memories hold a link that looks for a folded name.

        Worked out when first asked for, since it takes every body; from then on kept up with each edit.
        """
        if self.known_sources is not None:
            return self.known_sources
        return result_of(self.sources_in_steps())

    def with_sources(self) -> MemoryDirectory:
        """The directory with :attr:`sources` worked out, so that from now on edits keep them up."""
        return replace(self, known_sources=self.sources)

    def sources_in_steps(self) -> Generator[None, None, Mapping[str, frozenset[str]]]:
        """Works out :attr:`sources`, a memory at a time, for whoever has other things to do between."""
        sources: dict[str, set[str]] = {}
        for key, document in self.documents.items():
            for token in document.link_tokens:
                sources.setdefault(token, set()).add(key)
            yield
        for chunk in self.index.chunks if self.index is not None else ():
            _ = chunk.link_tokens  # whoever asks which memories link a name asks whether the index does
            yield
        return {token: frozenset(keys) for token, keys in sources.items()}

    @cached_property
    def sorted_keys(self) -> tuple[str, ...]:
        """The keys of all memories, in order."""
        return tuple(sorted(self.documents))

    def path_of(self, key: str) -> str:
        """The absolute path of the file ``key``."""
        return os.path.join(self.root, *key.split("/"))

    def with_document(self, key: str, text: str, facts: FileFacts | None = None) -> MemoryDirectory:
        """The directory after the file ``key`` was given ``text``."""
        if key == INDEX_NAME:
            changed = replace(self, index=IndexDocument.parse(text, self.index), files=self.files.changed((key,)))
            return changed._with_facts(key, facts)._with_members_of_index(self)
        return self._with_candidate(key, MemoryDocument.parse(text))._with_facts(key, facts)

    def without(self, key: str) -> MemoryDirectory:
        """The directory after the file ``key`` went away."""
        gone = replace(self, files=self.files.changed(removed=(key,)))._with_facts(key, None)
        if key == INDEX_NAME:
            return replace(gone, index=None)._with_members_of_index(self)
        return gone._with_candidate(key, None)

    def with_trouble(self, key: str, facts: FileFacts) -> MemoryDirectory:
        """The directory with the file ``key`` there and not readable as text."""
        there = replace(self, files=self.files.changed((key,)))
        if key == INDEX_NAME:
            return replace(there, index=None)._with_facts(key, facts)._with_members_of_index(self)
        return there._with_candidate(key, None)._with_facts(key, facts)

    def with_files(self, added: Iterable[str]) -> MemoryDirectory:
        """The directory after files that are no markdown came."""
        return replace(self, files=self.files.changed(added))

    def _with_facts(self, key: str, facts: FileFacts | None) -> MemoryDirectory:
        if facts == self.facts.get(key):
            return self
        changed = _copied(self.facts)
        if facts is None:
            changed.pop(key, None)
        else:
            changed[key] = facts
        return replace(self, facts=changed)

    def _with_candidate(self, key: str, new: MemoryDocument | None) -> MemoryDirectory:
        old = self.documents.get(key)
        member = new is not None and is_member(key, new, key in self._listed_paths(key), self.lenient)
        changed = self
        if new is not None:
            changed = replace(changed, files=self.files.changed((key,)))
        if (key in self.others) or (new is not None and not member):
            others = _copied(self.others)
            others.pop(key, None)
            if new is not None and not member:
                others[key] = new
            changed = replace(changed, others=others)
        return changed._with_member(key, old, new if member else None)

    def _with_member(self, key: str, old: MemoryDocument | None, new: MemoryDocument | None) -> MemoryDirectory:
        if old is None and new is None:
            return self
        documents = _copied(self.documents)
        if new is None:
            documents.pop(key, None)
        else:
            documents[key] = new
        # Kept up where they are known; until somebody asks, it would take every body to know them.
        sources = self.known_sources if self.known_sources is not None else self.__dict__.get("sources")
        before = old.link_tokens if old and sources is not None else frozenset()
        after = new.link_tokens if new and sources is not None else frozenset()
        if sources is not None and before != after:
            tokens = _copied(sources)
            for token in before - after:
                rest = tokens[token] - {key}
                if rest:
                    tokens[token] = rest
                else:
                    del tokens[token]
            for token in after - before:
                tokens[token] = tokens.get(token, frozenset()) | {key}
            sources = tokens
        return replace(
            self,
            documents=documents,
            names=self.names.changed(key, old, new),
            census=self.census.plus(old, -1).plus(new),
            known_sources=sources,
        )

    def _with_members_of_index(self, before: MemoryDirectory) -> MemoryDirectory:
        """Moves files in or out that are memories only while the index lists them."""
        old, new = (directory.index.linked if directory.index else None for directory in (before, self))
        if old is not None and (old is new or old == new):
            return self
        listed = self._listed_paths()
        changed = self
        for key, document in [*self.others.items(), *self._conditional_members()]:
            if is_member(key, document, key in listed, self.lenient) != (key in self.documents):
                changed = changed._with_candidate(key, document)
        return changed

    def _conditional_members(self) -> Iterator[tuple[str, MemoryDocument]]:
        for key, document in self.documents.items():
            if not is_member(key, document, False, self.lenient):
                yield key, document

    def _listed_paths(self, key: str | None = None) -> frozenset[str]:
        """The paths that the index links; with ``key``, at least that one is right."""
        if self.index is None:
            return frozenset()
        targets = self.index.linked
        if key is not None:
            return frozenset((key,)) if (False, key) in targets or (True, stem_of(key)) in targets else frozenset()
        paths = {target for is_name, target in targets if not is_name}
        stems = {target for is_name, target in targets if is_name}
        return frozenset(paths | {name for name in self.files.names if stem_of(name) in stems} if stems else paths)


def _count(documents: Mapping[str, MemoryDocument]) -> Census:
    members = documents.values()
    return Census(
        len(documents),
        sum(document.frontmatter is not None for document in members),
        sum(document.name_key is not None for document in members),
        sum(document.description_key is not None for document in members),
        sum(document.type_key is not None for document in members),
    )


def is_member(key: str, document: MemoryDocument, listed: bool, lenient: bool) -> bool:
    """Whether a markdown file of the directory is a memory.

    ``listed`` tells whether the index links it, ``lenient`` whether the directory is one of memories
    only, so that any markdown file counts.
    """
    if listed:
        return True
    if stem_of(key).lower() in _PROJECT_FILES:
        return document.frontmatter is not None and document.frontmatter.find("name") is not None
    return lenient or document.frontmatter is not None
