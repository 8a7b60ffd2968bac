"""A style is what most of a directory does."""

from __future__ import annotations

import pytest

from memory_ls.directory.style import Style, style_of
from memory_ls.documents.index import INDEX_NAME
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


@pytest.mark.parametrize(
    ("texts", "form"),
    [
        ({}, ("", "-")),
        ({"ferry.md": memory("ferry")}, ("", "-")),
        ({"user-prefers-vim.md": memory("user-prefers-vim"), "project-api-style.md": memory("project-api-style")}, ("", "-")),
        ({"user_role.md": memory("Role", nested=False)}, ("_", "_")),
        ({"user_role.md": memory("user_role"), "project_tide-tables.md": memory("project_tide-tables")}, ("_", "-")),
        ({"feedback-no-mocks.md": memory("no-mocks"), "feedback-quay.md": memory("quay")}, ("-", "-")),
        ({"tide_tables.md": memory("tide_tables"), "quay-log.md": memory("quay-log"), "a_b.md": memory("a_b")}, ("", "_")),
        ({"user_role.md": memory("Role", nested=False), "a.md": memory("a"), "b.md": memory("b")}, ("", "-")),
    ],
)  # fmt: skip
def test_how_files_are_called(texts: dict[str, str], form: tuple[str, str]) -> None:
    style = style_of(directory_of(texts))
    assert (style.type_separator, style.word_separator) == form


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("", Style()),
        ("- [a](a.md) - x\n- [b](./b.md): y\n- [c](c.md) - z\n", Style(separator=" - ")),
        ("- **[a](a.md)**: x\n", Style(separator=": ", emphasis="**")),
        ("- [[a]] · x\n", Style(separator=" · ", is_wiki=True)),
        ("- [a](a.md)\n  – x\n", Style(separator=" – ")),
        ("- [a.md](./a.md)\n", Style(label="file", dot_slash=True)),
    ],
)
def test_how_the_index_writes_its_entries(index: str, expected: Style) -> None:
    style = style_of(directory_of({INDEX_NAME: index}))
    assert style == expected


def test_the_setting_decides_on_the_dialect() -> None:
    texts = {"a.md": memory("a", extra=DATED), "b.md": memory("b", nested=False, extra="updated: 2026-01-02\n")}
    assert style_of(directory_of(texts), "flat").dialect is Dialect.FLAT
    assert style_of(directory_of(texts), "flat").date_keys == ("updated",)
    assert style_of(directory_of({}), "flat").type_separator == "_"
    assert style_of(directory_of({}), "bare").date_keys == ()


def test_lines_end_as_most_memories_end_theirs() -> None:
    crlf = memory("a").replace("\n", "\r\n")
    assert style_of(directory_of({"a.md": crlf, "b.md": crlf, "c.md": memory("c")})).line_end == "\r\n"
    assert style_of(directory_of({"a.md": crlf, "c.md": memory("c")})).line_end == "\n"
