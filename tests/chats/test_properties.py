"""Laws that hold for any text: nothing raises, and what is read is fit for all that comes after."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_ls import chats
from tests.chats.samples import ALL, CLAUDE_CODE, CODEX

_FORMATS = st.sampled_from([None, *chats.FORMATS])
_JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(
        ["user", "assistant", "u-1", "m-1", "2026-08-10T12:00:00Z", "0001-01-01T00:00:00+14:00", 10**400, 1e308]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "role", "content", "text", "message", "messages", "kind", "k", "v", "id"]), inner
        )
    ),
    max_leaves=12,
)
_PIECES = st.lists(
    st.sampled_from(
        [
            "\n", "\n\n", "---\n", "```\n", "_**User**_\n", "_**Agent (m)**_\n", "**User**\n", "**Cursor**\n", "User: ",
            "Assistant: ", "## User\n", "用户：", "#### ", "> ", "# aider chat started at 2026-08-10 12:00:00\n", "<memory>\n",
            "</memory>", "<system-reminder>", "</system-reminder>", "# Persistent Memory\n", "<tool-use>", "</tool-use>",
            '{"messages": [', '{"role": "user", "content": "x"}', "]", "}", ",", "[", '"', "\ud83d", "\r", "\u2028", "always\n",
        ]
    )
    | st.text(st.characters(), max_size=5),
    max_size=30,
).map("".join)  # fmt: skip


def _is_fit(log: chats.ChatLog) -> None:
    assert log.format in chats.FORMATS
    assert log.unreadable >= 0
    for text in (log.session_id, log.working_directory):
        assert text is None or text.encode()
    for message in log.messages:
        assert isinstance(message.role, chats.Role)
        assert message.text.strip()
        assert message.text.encode()  # no lone surrogates
        assert message.time is None or message.time.astimezone(UTC)
        assert message.id is None or message.id.encode()
        assert message.line is None or message.line >= 1


@settings(deadline=None)
@given(st.text(st.characters()) | _PIECES, _FORMATS)
def test_no_text_raises(text: str, format: str | None) -> None:
    _is_fit(chats.read(text, format))


@settings(deadline=None)
@given(_JUNK, _FORMATS, st.sampled_from([None, 1]))
def test_no_json_raises(value: object, format: str | None, indent: int | None) -> None:
    _is_fit(chats.read(json.dumps(value, indent=indent), format))


@settings(deadline=None)
@given(st.lists(_JUNK, max_size=5))
def test_no_array_of_messages_raises(values: list[object]) -> None:
    _is_fit(chats.from_messages(values))


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value that can be set."""
    found = []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += [(value, key), *_places(inner)]
    return found


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([text for _, text in ALL if text.lstrip()[0] in "{["]), st.data())
def test_a_log_with_values_of_wrong_types_does_not_raise(text: str, data: st.DataObject) -> None:
    try:
        values = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.splitlines()]
    for _ in range(data.draw(st.integers(1, 4))):
        places = _places(values)
        owner, key = data.draw(st.sampled_from(places))
        owner[key] = data.draw(_JUNK)
    mutated = "\n".join(json.dumps(value) for value in values)
    _is_fit(chats.read(mutated))
    _is_fit(chats.read(mutated, data.draw(_FORMATS)))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_a_log_that_was_cut_and_patched_does_not_raise(sample: tuple[str, str], data: st.DataObject) -> None:
    text = sample[1]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    patched = text[:start] + data.draw(st.text(st.characters(), max_size=5) | _PIECES) + text[end:]
    _is_fit(chats.read(patched))
    _is_fit(chats.read(patched, sample[0]))


@settings(deadline=None)
@given(_PIECES, _FORMATS)
def test_lines_read_as_the_whole(text: str, format: str | None) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert chats.read_lines(lines, format) == chats.read(text, format)


@settings(deadline=None)
@given(st.sampled_from([CLAUDE_CODE, CODEX]), st.data())
def test_a_log_that_grows_keeps_its_messages(text: str, data: st.DataObject) -> None:
    rows = text.splitlines(keepends=True)
    earlier = chats.read("".join(rows[: data.draw(st.integers(0, len(rows)))])).messages
    # The last one may have been only half said.
    assert chats.read(text).messages[: max(0, len(earlier) - 1)] == earlier[:-1]
