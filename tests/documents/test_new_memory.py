"""New memories read back as what they were made of."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.new_memory import block_text, memory_text

DAY = date(2026, 8, 10)
NESTED_DATES = {"metadata.createdAt": DAY, "metadata.updatedAt": DAY}


@pytest.mark.parametrize(
    ("dialect", "dates", "lines"),
    [
        (Dialect.NESTED, NESTED_DATES, "metadata:\n  type: user\n  createdAt: 2026-08-10\n  updatedAt: 2026-08-10\n"),
        (Dialect.NESTED, {"modified": DAY}, "metadata:\n  type: user\nmodified: 2026-08-10\n"),
        (Dialect.NONE, {}, "metadata:\n  type: user\n"),
        (Dialect.FLAT, {"created": DAY}, "type: user\ncreated: 2026-08-10\n"),
        (Dialect.BARE, {}, ""),
    ],
)
def test_each_dialect_has_its_keys_in_order(dialect: Dialect, dates: dict[str, date], lines: str) -> None:
    block = f"---\nname: quay\ndescription: Who came 🚢\n{lines}---\n"
    assert block_text("quay", "Who came 🚢", "user", dialect, dates) == block
    assert memory_text("quay", "Who came 🚢", "user", "a\r\nb\rc\n\n", dialect, dates) == f"{block}\na\nb\nc\n"


@pytest.mark.parametrize("dialect", [Dialect.NESTED, Dialect.FLAT, Dialect.BARE])
def test_without_a_type_there_is_no_key_for_it(dialect: Dialect) -> None:
    assert block_text("quay", "d", "", dialect, {}) == "---\nname: quay\ndescription: d\n---\n"


def test_a_long_description_stays_on_its_line() -> None:
    description = "Who came: " + "ship " * 200 + "漢"
    assert f"description: '{description}'\n" in block_text("quay", description, "user", Dialect.FLAT, {})


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(TEXT, TEXT, TEXT, st.sampled_from([Dialect.NESTED, Dialect.FLAT]))
@example("a\u2028b", "\x85", "", Dialect.NESTED)
@settings(deadline=None)
def test_what_goes_in_is_read_back(name: str, description: str, content: str, dialect: Dialect) -> None:
    made = MemoryDocument.parse(memory_text(name, description, "user", content, dialect, {}))
    assert made.frontmatter is not None
    assert not made.frontmatter.invalid
    assert made.name_key is not None
    assert made.description_key is not None
    assert (made.name_key.value, made.description_key.value, made.type) == (name, description, "user")
    assert made.body_text.split() == content.split()
