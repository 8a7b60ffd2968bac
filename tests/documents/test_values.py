"""Values are written so that YAML reads just them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.documents import frontmatter
from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.values import scalar


@given(st.text(max_size=12))
@settings(deadline=None)
def test_a_value_is_read_as_it_was_written(value: str) -> None:
    block = frontmatter.read(f"---\nname: {scalar(value)}\n---\n")
    assert block is not None
    key = block.find("name")
    assert key is not None
    if not any("\ud800" <= character <= "\udfff" for character in value):
        assert (key.kind, key.value) == (ValueKind.TEXT, value)


def test_a_plain_value_stays_plain() -> None:
    for value in ("quay-log", "No mocks", "停航规则", "don't"):
        assert scalar(value) == value
    for value in ("123", "no", "a: b", "x #y", "", "2026-01-02", "- a", '"x"'):
        assert scalar(value) != value
