"""What models reply, in all the ways in which they do."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.pipeline.replies import UnreadableReplyError, begun_in, listed_in

ITEM = {"name": "tide-tables", "content": "Metres, never feet."}
WHOLE = json.dumps({"candidates": [ITEM]})


@pytest.mark.parametrize(
    "reply",
    [
        WHOLE,
        f"```json\n{WHOLE}\n```",
        f"```\n{WHOLE}\n```\n",
        f"Here is what I found in the log [of today]:\n\n{WHOLE}\n\nLet me know!",
        f"<thinking>The user said {{maybe}} something.</thinking>{WHOLE}",
        f'First {{"candidates": []}}, and after another look:\n{WHOLE}',
        json.dumps([ITEM]),
        f"```json\n{json.dumps([ITEM])}\n```",
        '{"candidates": [{"name": "tide-tables", "content": "Metres, never feet.",},],}',
        "\ufeff" + WHOLE,
        WHOLE.replace('", "', '",\r\n\t"'),
    ],
)
def test_list_is_found_whatever_stands_around_it(reply: str) -> None:
    assert listed_in(reply, "candidates") == [ITEM]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "There is nothing worth remembering.",
        "null",
        '{"memories": []}',
        '{"candidates": "none"}',
        '{"candidates": [{"name": "a", "evidence": []',
        '{"candidates": [{"name": "a", "evidence": [{"message": 1}], "content": oops}]}',
        "[1, 2]",
        "{" * 5_000,
        "[" * 200_000,
        '{"a":' * 50_000,
        '{"candidates": [' + "9" * 5_000 + "]}",
    ],
)
def test_reply_without_a_list_is_unreadable(reply: str) -> None:
    with pytest.raises(UnreadableReplyError):
        listed_in(reply, "candidates")


def test_nothing_is_an_answer_too() -> None:
    assert listed_in('{"candidates": []}', "candidates") == []
    assert listed_in("[]", "candidates") == []


def test_comma_within_a_text_stays() -> None:
    assert listed_in('{"candidates": [{"content": "a,] b,}"},]}', "candidates") == [{"content": "a,] b,}"}]


def test_characters_that_no_file_takes_are_left_out() -> None:
    reply = '{"candidates": [{"content": "a\\u0000b\\ud800c\\r\\nd\\te"}]}'
    assert listed_in(reply, "candidates") == [{"content": "ab\ufffdc\nd\te"}]


def test_line_breaks_within_a_text_are_read() -> None:
    assert listed_in('{"candidates": [{"content": "a\nb"}]}', "candidates") == [{"content": "a\nb"}]


def test_whole_items_of_a_cut_reply_are_read() -> None:
    cut = json.dumps({"candidates": [ITEM, ITEM, ITEM]})[:-30]
    assert begun_in(cut, "candidates") == [ITEM, ITEM]
    assert begun_in('{"candidates": [', "candidates") == []
    assert begun_in('{"candi', "candidates") == []


@given(st.text(alphabet='{}[],:"\\ ncandidates0é潮\n`', max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(UnreadableReplyError):
        assert isinstance(listed_in(text, "candidates"), list)
    assert isinstance(begun_in(text, "candidates"), list)


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.none())), st.text(alphabet="abc .!\n`"))
def test_what_is_written_is_read(items: list[dict[str, object]], prose: str) -> None:
    assert len(listed_in(f"{prose}{json.dumps({'candidates': items})}{prose}", "candidates")) == len(items)


@pytest.mark.parametrize("unit", ["{", '{"candidates": [{', '"', "\\", '{"a": "', ",]"])
def test_garbage_takes_no_time(unit: str) -> None:
    started = time.process_time()
    with pytest.raises(UnreadableReplyError):
        listed_in(unit * (400_000 // len(unit)), "candidates")
    assert time.process_time() - started < 2
