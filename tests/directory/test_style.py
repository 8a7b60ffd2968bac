"""A style is what most of a directory does."""

from __future__ import annotations

import pytest

from memory_ls.directory.style import Style, style_of
from memory_ls.documents.memory import Dialect
from tests.making import directory_of, memory

DATED = "  createdAt: 2026-01-02\n  updatedAt: 2026-01-03\n"


@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        ({}, ("metadata.createdAt", "metadata.updatedAt")),
        ({"a.md": "Free text.\n"}, ("metadata.createdAt", "metadata.updatedAt")),
        ({"a.md": memory("a", extra=DATED), "b.md": memory("b", extra=DATED)}, ("metadata.createdAt", "metadata.updatedAt")),
        ({"a.md": memory("a"), "b.md": memory("b"), "c.md": memory("c", extra=DATED)}, ()),
        ({"a.md": memory("a", extra="modified: 2026-01-02\n"), "b.md": memory("b", nested=False, extra="created: 2026-01-02\n")},
         ("modified",)),
        ({"a.md": memory("a", nested=False, extra="updated: 2026-01-02\ncreated: 2026-01-02\n")}, ("created", "updated")),
    ],
)  # fmt: skip
def test_the_dates_are_those_of_most_memories_of_the_dialect(texts: dict[str, str], keys: tuple[str, ...]) -> None:
    assert style_of(directory_of(texts)).date_keys == keys


def test_in_another_dialect_the_dates_stand_elsewhere() -> None:
    nested = Style()
    flat = nested.with_dialect(Dialect.FLAT)
    assert flat.date_keys == ("createdAt", "updatedAt")
    assert flat.with_dialect(Dialect.NESTED) == nested
    assert nested.with_dialect(Dialect.NESTED) is nested
