"""Lines, spans, the three position units, and bytes to characters."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_ls.text import (
    ByteOffsets,
    Position,
    PositionEncoding,
    SourceText,
    Span,
    estimated_tokens,
    unchanged_ends,
    unit_length,
    without_surrogates,
)
from tests.growth import assert_grows_linearly

UTF8, UTF16, UTF32 = PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32
ENCODINGS = tuple(PositionEncoding)

# Every character that some splitlines breaks at, wide ones of each UTF-8 length, and lone surrogates.
TEXTS = st.text(
    st.sampled_from("\r\n\n\r\u2028\u2029\x85\v\f\x1c\x1e\0 ab\té漢한😀\U0010ffff\ufeff\ud83d\ude00\udfff")
    | st.characters(),
    max_size=40,
)


def reference_lines(text: str) -> list[tuple[int, int]]:
    """Start and end of each LSP line, found one character at a time."""
    lines = []
    start = at = 0
    while at < len(text):
        if text[at] == "\r" and at + 1 < len(text) and text[at + 1] == "\n":
            lines.append((start, at))
            at += 2
            start = at
        elif text[at] in "\r\n":
            lines.append((start, at))
            at += 1
            start = at
        else:
            at += 1
    lines.append((start, len(text)))
    return lines


def units(character: str, encoding: PositionEncoding) -> int:
    """How many units one character takes, from the tables of the Unicode standard."""
    code = ord(character)
    if encoding is UTF32:
        return 1
    if encoding is UTF16:
        return 2 if code >= 0x10000 else 1
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def reference_position(text: str, offset: int, encoding: PositionEncoding) -> tuple[int, int]:
    lines = reference_lines(text)
    line = max(number for number, (start, _) in enumerate(lines) if start <= offset)
    start, end = lines[line]
    return line, sum(units(character, encoding) for character in text[start : min(offset, end)])


def reference_offset(text: str, line: int, column: int, encoding: PositionEncoding) -> int:
    lines = reference_lines(text)
    if line < 0:
        return 0
    if line >= len(lines):
        return len(text)
    start, end = lines[line]
    at = start
    while at < end and column >= units(text[at], encoding):
        column -= units(text[at], encoding)
        at += 1
    return at


@given(TEXTS)
@example("a\r\n\r\r\n\n")
@example("\u2028\n\x85\r\v\f")
def test_lines_end_where_lsp_says_and_nowhere_else(text: str) -> None:
    source = SourceText(text)
    expected = reference_lines(text)
    assert source.line_count == len(expected)
    assert source.line_starts == [start for start, _ in expected]
    for number, (start, end) in enumerate(expected):
        assert source.line_span(number) == Span(start, end)
    assert len(source) == len(text)


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_position_equals_the_reference_at_every_offset(text: str, encoding: PositionEncoding) -> None:
    source = SourceText(text)
    for offset in range(len(text) + 1):
        assert source.position(offset, encoding) == reference_position(text, offset, encoding)


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_offset_goes_back_to_where_position_came_from(text: str, encoding: PositionEncoding) -> None:
    source = SourceText(text)
    for offset in range(len(text) + 1):
        back = source.offset(source.position(offset, encoding), encoding)
        within_line_end = text[max(offset - 1, 0) : offset + 1] == "\r\n"
        assert back == (offset - 1 if within_line_end else offset)


@given(TEXTS, st.integers(-2, 8), st.integers(-3, 90), st.sampled_from(ENCODINGS))
def test_offset_equals_the_reference_for_any_position(
    text: str, line: int, column: int, encoding: PositionEncoding
) -> None:
    source = SourceText(text)
    assert source.offset((line, column), encoding) == reference_offset(text, line, column, encoding)


@pytest.mark.parametrize(
    ("encoding", "column"),
    [(UTF8, 4 + 1 + 2 + 1 + 3 + 1), (UTF16, 2 + 1 + 1 + 1 + 1 + 1), (UTF32, 6)],
)
def test_a_link_behind_wide_characters_has_its_column_in_the_clients_units(
    encoding: PositionEncoding, column: int
) -> None:
    text = "first\n😀 é 漢 [[missing]]"
    source = SourceText(text)
    assert source.position(text.index("[["), encoding) == Position(1, column)
    assert source.offset((1, column), encoding) == text.index("[[")


def test_a_column_inside_a_character_means_its_start() -> None:
    source = SourceText("a😀b")
    assert [source.offset((0, column), UTF16) for column in range(5)] == [0, 1, 1, 2, 3]
    assert [source.offset((0, column), UTF8) for column in range(7)] == [0, 1, 1, 1, 1, 2, 3]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_places_outside_the_text_are_moved_to_the_nearest(encoding: PositionEncoding) -> None:
    source = SourceText("ab\r\n한국")
    assert source.offset((0, 99), encoding) == 2
    assert source.offset((1, 99), encoding) == 6
    assert source.offset((2, 0), encoding) == source.offset((99, 99), encoding) == 6
    assert source.offset((-1, 5), encoding) == source.offset((0, -5), encoding) == 0
    assert source.position(-3, encoding) == Position(0, 0)
    assert source.position(99, encoding) == source.position(6, encoding)
    assert source.position(3, encoding) == Position(0, 2), "between \\r and \\n is the end of the line"


def test_an_empty_text_has_one_empty_line() -> None:
    source = SourceText("")
    assert (source.line_count, source.line_span(0)) == (1, Span(0, 0))
    assert source.position(0, UTF16) == Position(0, 0)
    assert source.offset((0, 0), UTF16) == 0


def test_a_final_line_end_begins_an_empty_line() -> None:
    for text in ("a\n", "a\r", "a\r\n"):
        source = SourceText(text)
        assert source.line_count == 2
        assert source.position(len(text), UTF16) == Position(1, 0)


def test_line_of_tells_the_line_at_each_offset() -> None:
    source = SourceText("a\r\nb\n\nc")
    assert [source.line_of(offset) for offset in range(len(source) + 1)] == [0, 0, 0, 1, 1, 2, 3, 3]


@given(st.text(st.characters(exclude_categories=()), max_size=30), st.sampled_from(ENCODINGS))
def test_unit_length_is_the_sum_of_its_characters(text: str, encoding: PositionEncoding) -> None:
    assert unit_length(text, encoding) == sum(units(character, encoding) for character in text)


@given(st.text(st.characters(exclude_categories=()), max_size=30))
def test_without_surrogates_keeps_length_and_can_be_encoded(text: str) -> None:
    clean = without_surrogates(text)
    clean.encode("utf-8")
    assert len(clean) == len(text)
    assert unit_length(clean, UTF16) == unit_length(text, UTF16)
    assert all(a == b or 0xD800 <= ord(b) <= 0xDFFF for a, b in zip(clean, text, strict=True))


@given(st.text(max_size=60), st.lists(st.integers(0, 60), max_size=30))
def test_byte_offsets_agree_with_encoding_in_any_order(text: str, offsets: list[int]) -> None:
    data = text.encode()
    places = ByteOffsets(data)
    for offset in (min(offset, len(text)) for offset in offsets):
        assert places.character(len(text[:offset].encode())) == offset


def test_byte_offsets_agree_with_encoding_over_far_steps() -> None:
    dice = random.Random(7)
    text = "".join(dice.choice(["a", "é", "漢", "😀", "\n", "x" * 50]) for _ in range(4_000))
    places = ByteOffsets(text.encode())
    for offset in (0, len(text), 0, *(dice.randrange(len(text) + 1) for _ in range(500)), len(text)):
        assert places.character(len(text[:offset].encode())) == offset


def test_byte_offsets_go_there_and_back_in_bounded_time() -> None:
    def walk(size: int) -> None:
        data = ("é" * size).encode()
        places = ByteOffsets(data)
        for byte in range(0, size, 2):
            places.character(byte)
            places.character(len(data))

    assert_grows_linearly(walk, 3_000)


@given(st.integers(0, 9), st.integers(0, 9), st.integers(-3, 9))
def test_a_span_slices_shifts_and_is_touched_at_its_edges(start: int, length: int, by: int) -> None:
    span = Span(start, start + length)
    text = "0123456789가나다라마바사아자차"
    assert span.of(text) == text[start : start + length]
    assert span.shifted(by) == (start + by, start + length + by)
    assert [span.touches(offset) for offset in range(20)] == [start <= at <= start + length for at in range(20)]


def test_lines_of_a_long_text_are_found_in_bounded_time() -> None:
    def convert(size: int) -> None:
        source = SourceText("漢字 😀 text\r\n" * size)
        for line in range(0, size, 7):
            source.position(source.offset((line, 4), UTF16), UTF8)

    assert_grows_linearly(convert, 5_000)


@given(st.data())
def test_line_starts_carried_over_an_edit_are_those_of_the_new_text(data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(["\n", "\n\n", "a", "漢", "😀", "- x\n", "\r\n", "\u2028"]), max_size=12).map(
        "".join
    )
    head, old, new, tail = (data.draw(pieces) for _ in range(4))
    before = SourceText(head + old + tail)
    assert before.line_starts
    after = head + new + tail
    assert before.edited(after, *unchanged_ends(before.text, after)).line_starts == SourceText(after).line_starts


@given(st.text("ab\n"), st.text("ab\n"))
def test_unchanged_ends_are_equal_do_not_overlap_and_are_as_long_as_can_be(old: str, new: str) -> None:
    start, end = unchanged_ends(old, new)
    assert old[:start] == new[:start]
    assert old[len(old) - end :] == new[len(new) - end :]
    assert start + end <= min(len(old), len(new))
    assert old[start : start + 1] != new[start : start + 1] or start == min(len(old), len(new))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("ferries leave", 4),
        ("停航规则", 4),
        ("부두", 2),
        ("паром", 3),
        ("ferry 停航", 4),
        ("x" * 4_000, 1_000),
    ],
)
def test_tokens_are_estimated_by_script(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


@given(TEXTS)
def test_an_estimate_is_never_more_than_the_characters(text: str) -> None:
    assert 0 <= estimated_tokens(text) <= len(text)
