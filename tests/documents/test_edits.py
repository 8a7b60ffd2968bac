"""Edits are applied to the text that they count in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.documents.edits import CannotEditError, Edit, applied, edits_between

LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "a\r\n", "b\r", "\n", "漢😀\n", "c", "- a\n", "- b\n"]), max_size=8
).map("".join)


@given(LINES, LINES)
@settings(deadline=None)
def test_edits_between_two_texts_make_the_one_of_the_other(old: str, new: str) -> None:
    edits = edits_between(old, new)
    assert applied(old, edits) == new
    assert (edits == ()) == (old == new)


def test_lines_that_both_texts_have_are_left_alone() -> None:
    assert edits_between("- a\n- c\n", "- a\n- b\n- c\n") == (Edit(4, 4, "- b\n"),)
    assert edits_between("- a\n- b\n- c\n", "- a\n- c\n") == (Edit(4, 8, ""),)


def test_edits_of_one_place_are_refused_and_equal_ones_count_once() -> None:
    assert applied("abc", [Edit(1, 2, ""), Edit(1, 2, "")]) == "ac"
    assert applied("abc", [Edit(1, 1, "x"), Edit(1, 1, "x")]) == "axxbc"
    with pytest.raises(CannotEditError):
        applied("abc", [Edit(0, 2, ""), Edit(1, 3, "")])
