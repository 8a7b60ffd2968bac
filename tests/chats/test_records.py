"""JSON as a stream of records."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.chats.records import CONTAINERS, Record, Records, from_document, from_lines, from_values


def test_a_line_is_a_record() -> None:
    records = Records(from_lines(['{"a": 1}', "", "  ", "half {", "[1]", '{"b": 2}']))
    assert list(records) == [Record(1, {"a": 1}), Record(6, {"b": 2})]
    assert records.unreadable == 2


def test_a_value_is_a_record_without_a_line() -> None:
    records = Records(from_values([{"a": 1}, None, "x"]))
    assert list(records) == [Record(None, {"a": 1})]
    assert records.unreadable == 2


def test_keys_and_elements_of_an_object_are_records_in_order() -> None:
    text = '{\n "a": 1,\n "messages": [\n  {"b": 2},\n  7,\n  {"c": 3}\n ],\n "d": {"messages": []}\n}'
    assert list(from_document(text)) == [
        Record(2, {"a": 1}),
        Record(4, {"b": 2}, "messages"),
        None,
        Record(6, {"c": 3}, "messages"),
        Record(8, {"d": {"messages": []}}),
    ]


def test_an_empty_container_is_told() -> None:
    assert list(from_document('{"requests": [ ]}')) == [Record(1, {"requests": []})]


@pytest.mark.parametrize(
    "text", ["", "7", '"x"', "{", "[", "{7: 8}", '{"a"}', '{"a": }', '[{"a"', "[}", "]", "nonsense"]
)
def test_what_does_not_parse_is_told_once(text: str) -> None:
    found = list(from_document(text))
    assert found.count(None) == (1 if text.strip() else 0)


def test_a_broken_element_is_stepped_over_with_its_brackets_and_strings() -> None:
    text = '[{"a": 1}, {"b": nonsense, "c": "]}\\"", "d": [{}]}, {"e": 2}]'
    assert list(from_document(text)) == [Record(1, {"a": 1}), None, Record(1, {"e": 2})]


def test_broken_elements_without_end_are_given_up() -> None:
    assert len(list(from_document("[" + "{x}," * 1000 + "]"))) < 100


_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text() | st.sampled_from(sorted(CONTAINERS)), _VALUES), st.sampled_from([None, 1]))
def test_nothing_of_an_object_is_lost(value: dict[str, Any], indent: int | None) -> None:
    lists = {key: inner for key, inner in value.items() if key in CONTAINERS and isinstance(inner, list)}
    found: dict[str, Any] = {key: [] for key in lists}
    dropped = 0
    for record in from_document(json.dumps(value, indent=indent)):
        if record is None:
            dropped += 1
        elif record.container is None:
            found.update(record.value)
        else:
            found[record.container].append(record.value)
    objects = {key: [each for each in inner if isinstance(each, dict)] for key, inner in lists.items()}
    assert found == {**value, **objects}
    assert dropped == sum(map(len, lists.values())) - sum(map(len, objects.values()))
