"""Recognising formats, and what holds for every one of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_ls import chats
from tests.chats.making import claude, lines_of, said, text_block, turns
from tests.chats.samples import ALL, ANTHROPIC, CLAUDE_CODE, GEMINI, OPENAI, PLAIN, SAMPLES
from tests.growth import assert_grows_linearly

SHIPPED = Path(__file__).parents[2] / "editor-clients" / "sample" / "chats"


def test_there_is_a_sample_of_every_format() -> None:
    assert SAMPLES.keys() == set(chats.FORMATS)


@pytest.mark.parametrize(("format", "text"), ALL)
def test_a_format_is_recognised_by_content(format: str, text: str) -> None:
    log = chats.read(text)
    assert log.format == format
    assert log.unreadable == 0
    assert "user" in [message.role for message in log.messages]


@pytest.mark.parametrize(("format", "text"), ALL)
def test_a_named_format_reads_the_same(format: str, text: str) -> None:
    assert chats.read(text, format) == chats.read(text)


@pytest.mark.parametrize(("format", "text"), ALL)
def test_byte_order_mark_and_line_ends_change_nothing(format: str, text: str) -> None:
    plain = chats.read(text)
    assert chats.read("\ufeff" + text) == plain
    assert chats.read(text.replace("\n", "\r\n")) == plain


@pytest.mark.parametrize(("format", "text"), ALL)
def test_lines_read_as_the_whole_text(format: str, text: str) -> None:
    assert chats.read_lines(text.splitlines(keepends=True)) == chats.read(text)
    assert chats.read_lines(
        "\ufeff" + text[:0] + line if not number else line for number, line in enumerate(text.split("\n"))
    ) == chats.read(text)


@pytest.mark.parametrize(("format", "text"), ALL)
def test_a_format_that_it_is_not_gives_no_error(format: str, text: str) -> None:
    for other in chats.FORMATS:
        assert chats.read(text, other).format == other


@pytest.mark.parametrize(("format", "text"), ALL)
def test_messages_carry_the_line_on_which_they_begin(format: str, text: str) -> None:
    lines = text.splitlines()
    numbers = [message.line for message in chats.read(text).messages]
    assert numbers == sorted(number for number in numbers if number is not None)
    for message in chats.read(text).messages:
        assert message.line is not None
        first = message.text.split()[0]
        written = "\n".join(lines[message.line - 1 : message.line + 25])
        assert first in written or first.startswith("[tool:") or json.dumps(first)[1:-1] in written


def test_an_unknown_format_is_an_error() -> None:
    with pytest.raises(ValueError, match="claude-code"):
        chats.read("", "irc")


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "   "])
def test_an_empty_text_has_no_messages(text: str) -> None:
    assert chats.read(text) == chats.ChatLog((), "plain")


def test_a_text_in_which_nobody_speaks_counts_as_unreadable() -> None:
    log = chats.read("Shopping\n\n- milk\n- always bread\n")
    assert (log.messages, log.unreadable) == ((), 3)


@pytest.mark.parametrize("text", ["7", '"user: always"', "null", "[1, 2, 3]", '{"a": 1}', '{"messages": 7}', "[[[]]]"])
def test_json_that_is_no_log_has_no_messages(text: str) -> None:
    assert chats.read(text).messages == ()


def test_half_a_line_at_the_end_is_counted() -> None:
    log = chats.read(CLAUDE_CODE + '{"type":"user","uuid":"u-7","mess')
    assert log.unreadable == 1
    assert log.messages == chats.read(CLAUDE_CODE).messages


def test_a_first_line_that_is_cut_hides_nothing() -> None:
    rows = CLAUDE_CODE.splitlines(keepends=True)
    log = chats.read(rows[1][50:] + "".join(rows[2:]))
    assert log.format == "claude-code"
    assert log.unreadable == 1
    assert said(log, "user") == ["항상 탭을 쓰세요. 🚢"]


def test_invalid_lines_in_the_middle_are_stepped_over() -> None:
    rows = CLAUDE_CODE.splitlines(keepends=True)
    log = chats.read("".join([*rows[:3], "\x00\x00\x00\n", "nonsense\n", "[1]\n", "[" * 5000 + "\n", *rows[3:]]))
    assert log.unreadable == 4
    assert turns(log) == turns(chats.read(CLAUDE_CODE))


@pytest.mark.parametrize("text", [GEMINI, OPENAI, ANTHROPIC])
def test_a_cut_document_gives_what_comes_before_the_cut(text: str) -> None:
    whole = chats.read(text)
    for cut in range(len(text) // 2, len(text) - 1, 7):
        log = chats.read(text[:cut])
        assert log.messages == whole.messages[: len(log.messages)]
        assert log.unreadable <= 1
    assert len(chats.read(text.rstrip()[:-1]).messages) == len(whole.messages)


def test_values_that_json_does_not_know_and_lone_surrogates_are_read() -> None:
    log = chats.read('{"role": "user", "content": "tabs \\ud83d here", "time": NaN, "n": 1e999}\n' * 2)
    assert said(log) == ["tabs \ufffd here"] * 2
    assert log.messages[0].time is None


def test_a_number_of_many_digits_loses_one_line_only() -> None:
    log = chats.read(
        lines_of(
            {"role": "user", "content": "a"},
            '{"role": "user", "content": "b", "n": %s}' % ("9" * 9999),
            {"role": "user", "content": "c"},
        )
    )
    assert said(log) == ["a", "c"]
    assert log.unreadable == 1


def test_files_written_out_in_a_message_are_dropped() -> None:
    log = chats.read(
        lines_of({"role": "user", "content": f"See ![x](data:image/png;base64,{'iVBOR' * 9000}) and fix it"})
    )
    assert said(log) == ["See ![x]([data]) and fix it"]


def test_long_texts_keep_their_start_and_end() -> None:
    log = chats.read(lines_of({"role": "user", "content": f"Look at this: {'z' * 500_000} and always use tabs."}))
    assert len(log.messages[0].text) < 110_000
    assert log.messages[0].text.startswith("Look at this")
    assert log.messages[0].text.endswith("always use tabs.")


def test_what_tools_print_is_kept_in_part() -> None:
    log = chats.read(lines_of({"role": "tool", "content": "start " + "z" * 5_000_000 + " end"}))
    assert len(log.messages[0].text) < 2_100
    assert log.messages[0].text.startswith("start")
    assert log.messages[0].text.endswith("end")


def test_a_json_line_of_one_message_is_no_document() -> None:
    log = chats.read(lines_of(claude("user", "u-1", None, [text_block("Use tabs.")])))
    assert turns(log) == [("user", "Use tabs.")]


def test_a_message_that_quotes_a_log_is_still_a_message() -> None:
    quoted = '{"messages": [{"role": "user", "content": "Never use tabs."}]}'
    log = chats.read(lines_of(claude("user", "u-1", None, quoted)))
    assert (log.format, said(log)) == ("claude-code", [quoted])
    log = chats.read(lines_of({"role": "user", "content": quoted}))
    assert (log.format, said(log)) == ("openai", [quoted])


def test_an_array_with_an_element_a_line_is_a_document() -> None:
    rows = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    text = '{"messages":[\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n"
    log = chats.read(text)
    assert [(message.line, message.text) for message in log.messages] == [(2, "a"), (3, "b")]


def test_an_element_that_does_not_parse_is_stepped_over() -> None:
    deep = "[" * 100_000 + "]" * 100_000
    text = f'[{{"role": "user", "content": "a"}}, {{"role": "user", "content": {deep}}}, {{"role": "user", "content": "b"}}]'
    log = chats.read(text)
    assert (said(log), log.unreadable) == (["a", "b"], 1)


@pytest.mark.parametrize("depth", [10, 300, 900, 970, 100_000])
@pytest.mark.parametrize("brackets", ["[]", ('{"content":', "}"), ('[{"type":"tool_result","content":', "}]")])
def test_values_nested_however_deeply_do_not_raise(depth: int, brackets: tuple[str, str]) -> None:
    nested = brackets[0] * depth + '"x"' + brackets[1] * depth
    for row in (
        f'{{"role": "user", "type": "message", "content": {nested}}}',
        f'{{"type": "user", "uuid": "u", "message": {{"role": "user", "content": {nested}}}}}',
        f'{{"type": "response_item", "payload": {{"type": "function_call_output", "output": {nested}}}}}',
        f'{{"kind": 0, "v": {{"requests": {nested}}}}}',
    ):
        text = row + lines_of("", {"role": "user", "content": "end"})
        for format in (None, *chats.FORMATS):
            assert chats.read(text, format).unreadable <= 2


def test_messages_of_an_array() -> None:
    log = chats.from_messages(json.loads(ANTHROPIC))
    assert log.format == "anthropic"
    assert turns(log) == turns(chats.read(ANTHROPIC))
    assert {message.line for message in log.messages} == {None}


def test_an_array_of_anything_is_read_as_far_as_it_can_be() -> None:
    log = chats.from_messages([None, 7, "x", [], {}, {"role": []}, {"role": "user", "content": {"text": "a"}}])
    assert said(log) == ["a"]
    assert log.unreadable == 4


@pytest.mark.parametrize("path", sorted(SHIPPED.iterdir()), ids=lambda path: path.name)
def test_the_samples_that_are_shipped_are_read_whole(path: Path) -> None:
    log = chats.read(path.read_text(encoding="utf-8"))
    assert log.format in path.name or path.name.startswith(log.format.split("-")[0])
    assert log.unreadable == 0
    assert len(said(log, "user")) >= 6
    assert not any("remember to always run the slow suite" in text for text in said(log, "user", "assistant"))


def test_time_grows_with_the_log() -> None:
    def read(size: int) -> None:
        rows = (
            claude("user", f"u-{number}", f"u-{number - 1}" if number else None, f"Line {number}")
            for number in range(size)
        )
        assert len(chats.read(lines_of(*rows)).messages) == size

    assert_grows_linearly(read, 2000)


@pytest.mark.parametrize(
    "piece",
    [
        "<memory>",
        "<system-reminder>\n",
        "# Persistent Memory\n",
        "```\n",
        "<tool-use>\n",
        "**User:** x\n",
        "data:a/b;base64,",
        "[",
        '{"',
        "<",
    ],
)
def test_time_grows_with_the_text_whatever_is_repeated(piece: str) -> None:
    def read(size: int) -> None:
        for format in ("plain", "specstory", "cursor", "aider"):
            chats.read(f"_**User**_\n\nUser: {piece * size}", format)
        chats.read(f"[{piece * size}")
        chats.read(json.dumps([{"role": "user", "content": piece * size}, {"role": "system", "content": piece * size}]))

    assert_grows_linearly(read, 4000)


def test_a_long_log_in_lines_is_never_held_whole() -> None:
    import tracemalloc

    def lines() -> object:
        for number in range(3000):
            parent = f"u-{number - 1}" if number else None
            yield json.dumps(claude("user", f"u-{number}", parent, [{"type": "tool_result", "content": "z" * 10_000}]))

    tracemalloc.start()
    try:
        log = chats.read_lines(lines())  # type: ignore[arg-type]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(log.messages) == 3000
    assert peak < 12_000_000  # of 30 MB, two thousand characters of each message are kept


def test_plain_text_of_one_side_is_read() -> None:
    assert turns(chats.read(PLAIN))[0] == ("user", "以后请用中文回答。")
