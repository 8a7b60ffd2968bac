"""Finds memories by what somebody typed of their names, the best first."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.names import loosely, stem_of

# Who types more than this has not typed letters here and there of a name.
_MOST_LETTERS = 40


class Found(NamedTuple):
    """The best of what was found, and whether there is more."""

    keys: list[str]
    more: bool


def memories(directory: MemoryDirectory, typed: str, fits: Callable[[str], bool], most: int) -> Found:
    """Of the memories that fit, the ``most`` that are best meant by what was typed of a name, stem or path.

    Where no name holds it: those with its letters in this order, else the one whose name is closest and those whose
    description holds it.
    """
    wanted = loosely(typed.strip())
    if not wanted:
        return _first(filter(fits, directory.sorted_keys), most)
    found = _first(filter(fits, _best(wanted, directory.names.searched)), most)
    return found if found.keys else _first(filter(fits, _found_otherwise(directory, typed.strip())), most)


def is_called(directory: MemoryDirectory, key: str, typed: str) -> bool:
    """Whether just what was typed is the name or stem of a memory."""
    names = (directory.documents[key].name, stem_of(key))
    return loosely(typed.strip()) in {loosely(name) for name in names if name}


def texts(choices: Iterable[tuple[str, str]], typed: str, most: int) -> Found:
    """Of keys with their texts, the ``most`` whose text fits best; in their own order when nothing was typed."""
    wanted = loosely(typed.strip())
    if not wanted:
        return _first((key for key, _ in choices), most)
    keys: dict[str, tuple[str, ...]] = {}
    for key, text in choices:
        loose = loosely(text)
        keys[loose] = (*keys.get(loose, ()), key)
    return _first(_best(wanted, keys), most)


def _first(keys: Iterable[str], most: int) -> Found:
    found = list(islice(dict.fromkeys(islice(keys, 3 * most + 1)), most + 1))
    return Found(found[:most], len(found) > most)


def _best(wanted: str, keys: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """The keys of every text that holds ``wanted``, the best first.

    Best is a text that is just it or begins with it, then one in which a word does, then any other; of these, the one
    that holds the least besides. Where none holds it, those that have its letters in this order, with others between.
    Worked out as far as it is asked for.
    """
    names = [name for name in keys if wanted in name]
    if not names and len(wanted) <= _MOST_LETTERS:
        scattered = re.compile("".join(f"[^{sign}]*+{sign}" for sign in map(re.escape, wanted)))
        names = list(filter(scattered.match, keys))
    for group in _groups(wanted, names):
        for name in sorted(group, key=len):
            yield from keys[name]


def _groups(wanted: str, names: list[str]) -> Iterator[list[str]]:
    yield [name for name in names if name.startswith(wanted)]
    inside = [name for name in names if not name.startswith(wanted)]
    at_word = re.compile(rf"(?:\b|_){re.escape(wanted)}")
    yield [name for name in inside if at_word.search(name)]
    yield [name for name in inside if not at_word.search(name)]


def _found_otherwise(directory: MemoryDirectory, typed: str) -> Iterator[str]:
    """Memories whose name is close to what was typed, and those whose description holds it."""
    close = directory.names.closest(typed)
    if close:
        yield close
    wanted = unicodedata.normalize("NFKC", typed).lower()
    for key in directory.sorted_keys:
        description = directory.documents[key].description
        if key != close and description and wanted in description.lower():
            yield key
