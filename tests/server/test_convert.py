"""What a client sends as we have it: the changes of a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lsprotocol import types

from memory_ls.server.convert import with_changes
from memory_ls.text import PositionEncoding
from tests.server.positions import units

Change = types.TextDocumentContentChangePartial | types.TextDocumentContentChangeWholeDocument

TEXTS = st.text(st.sampled_from("\r\n\n\r\u2028\x85 ab\té漢😀\U0010ffff") | st.characters(), max_size=20)
POSITIONS = st.builds(types.Position, st.integers(0, 5), st.integers(0, 12))
CHANGES = st.one_of(
    st.builds(types.TextDocumentContentChangePartial, st.builds(types.Range, POSITIONS, POSITIONS), TEXTS),
    st.builds(types.TextDocumentContentChangeWholeDocument, TEXTS),
)


def _part(start: tuple[int, int], end: tuple[int, int], text: str) -> Change:
    return types.TextDocumentContentChangePartial(types.Range(types.Position(*start), types.Position(*end)), text)


def _before(text: str, at: types.Position, encoding: str) -> str:
    """All that lies before a place, found line by line and character by character."""
    pieces = re.split(r"(\r\n|\n|\r)", text)  # lines, and between them their ends
    if 2 * at.line >= len(pieces):
        return text
    line = pieces[2 * at.line]
    fitting = [line[:count] for count in range(len(line) + 1) if units(line[:count], encoding) <= at.character]
    return "".join(pieces[: 2 * at.line]) + fitting[-1]


def _changed(text: str, changes: list[Change], encoding: str) -> str:
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            text = change.text
        else:
            ends = (_before(text, at, encoding) for at in (change.range.start, change.range.end))
            first, second = sorted(ends, key=len)
            text = first + change.text + text[len(second) :]
    return text


@pytest.mark.parametrize("encoding", PositionEncoding)
@given(TEXTS, st.lists(CHANGES, max_size=4))
@example("", [_part((0, 0), (0, 0), "a\r"), _part((1, 0), (1, 0), "\nb"), _part((1, 0), (1, 9), "é")])
@example("a\r\nb", [_part((0, 1), (1, 0), "")])
@example("a\r\nb", [_part((0, 9), (0, 9), "c"), _part((9, 0), (9, 9), "\n")])
@example("a\u2028😀b", [_part((0, 3), (0, 4), "x"), _part((0, 5), (0, 2), "")])
def test_changes_are_made_one_after_the_other(encoding: PositionEncoding, text: str, changes: list[Change]) -> None:
    assert with_changes(text, changes, encoding) == _changed(text, changes, encoding.value)


@pytest.mark.parametrize(
    ("encoding", "start", "end"),
    [
        (PositionEncoding.UTF8, 8, 12),
        (PositionEncoding.UTF16, 3, 5),
        (PositionEncoding.UTF32, 3, 4),
    ],
)
def test_a_change_counts_as_the_client_does(encoding: PositionEncoding, start: int, end: int) -> None:
    text = "x\r\n漢\u2028é😀!\r\ny"
    assert with_changes(text, [_part((1, start), (1, end), "?")], encoding) == "x\r\n漢\u2028é?!\r\ny"


def test_a_range_that_ends_before_it_starts_is_turned_round() -> None:
    assert with_changes("one two", [_part((0, 7), (0, 4), "three")], PositionEncoding.UTF16) == "one three"


def test_a_place_past_the_end_is_the_end() -> None:
    changes = [_part((0, 99), (0, 99), "!"), _part((7, 0), (8, 3), "three")]
    assert with_changes("one\r\ntwo\n", changes, PositionEncoding.UTF16) == "one!\r\ntwo\nthree"


def test_of_a_text_that_nobody_knows_no_part_can_be_changed() -> None:
    part, whole = _part((0, 0), (0, 1), "x"), types.TextDocumentContentChangeWholeDocument("one")
    assert with_changes(None, [], PositionEncoding.UTF16) is None
    assert with_changes(None, [part], PositionEncoding.UTF16) is None
    assert with_changes(None, [part, whole, part], PositionEncoding.UTF16) == "xne"
