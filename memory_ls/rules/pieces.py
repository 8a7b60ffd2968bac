"""Looks at a long document piece by piece, and at each piece once.

What stands in a chunk of an index can be told from the chunk alone, and an edit leaves all chunks but
one as they were. So a search over an index of thousands of lines costs what the edit touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeVar

from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument

_Found = TypeVar("_Found")
# Chunks have about 2,000 characters, so this remembers a few megabytes at the most.
_REMEMBERED = 2_048

Search = Callable[[str], tuple[_Found, ...]]


def piecewise(search: Search[_Found]) -> Callable[[MemoryDocument | IndexDocument], Iterator[tuple[int, _Found]]]:
    """Makes of a search in a text one in a document: what is found, each with the offset of its piece."""
    remembered = lru_cache(maxsize=_REMEMBERED)(search)
    # A memory is a single piece, and is asked about several times in a row.
    recent = lru_cache(maxsize=4)(search)

    def search_document(document: MemoryDocument | IndexDocument) -> Iterator[tuple[int, _Found]]:
        text = document.source.text
        if isinstance(document, MemoryDocument):
            yield from ((0, found) for found in recent(text))
            return
        yield from ((0, found) for found in search(text[: document.body_start]))
        for start, chunk in document.placed_chunks():
            for found in remembered(chunk.text):
                yield start, found

    return search_document
