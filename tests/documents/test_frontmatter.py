"""The YAML block: where it is, what its keys say, where each stands, and what is wrong with it."""

from __future__ import annotations

import frontmatter as library
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_ls.documents import frontmatter as module
from memory_ls.documents.frontmatter import Frontmatter, FrontmatterHandler, Key, ValueKind, explain, read
from memory_ls.text import Span, without_surrogates
from tests.growth import assert_grows_linearly


def block_of(text: str) -> Frontmatter:
    block = read(text)
    assert block is not None
    return block


def key_of(text: str, path: str) -> Key:
    return dict(block_of(text).walk())[path]


def in_block(lines: str) -> str:
    return f"---\n{lines}\n---\nbody\n"


def told(text: str) -> dict[str, tuple[ValueKind, str, str]]:
    """Each key's kind and value, and the value as it stands in the text."""
    return {path: (key.kind, key.value, key.value_span.of(text)) for path, key in block_of(text).walk()}


# --- where the block is ---------------------------------------------------------------------------


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_every_line_ending_and_a_bom_are_recognised(eol: str, bom: str) -> None:
    text = bom + eol.join(["---", "name: 한국어", "description: 메모 😀", "---", "본문", ""])
    block = block_of(text)
    assert block.closed
    assert block.open_span == Span(len(bom), len(bom) + 3)
    assert block.close_span is not None
    assert block.close_span.of(text) == "---"
    assert block.yaml_span.of(text) == f"name: 한국어{eol}description: 메모 😀{eol}"
    assert text[block.body_start :] == f"본문{eol}"
    assert told(text) == {
        "name": (ValueKind.TEXT, "한국어", "한국어"),
        "description": (ValueKind.TEXT, "메모 😀", "메모 😀"),
    }
    assert not block.invalid


def test_a_crlf_block_over_an_lf_body_and_the_other_way_round() -> None:
    for text in ("---\r\nname: a\r\n---\r\nbody\nmore\n", "---\nname: a\n---\nbody\r\nmore\r\n"):
        assert key_of(text, "name").value_span.of(text) == "a"
        assert text[block_of(text).body_start :].startswith("body")


def test_a_second_bom_behind_the_opening_line_moves_nothing() -> None:
    text = "\ufeff---\n\ufeffname: x\ndescription: d\ufeffd\n---\n"
    assert told(text) == {"name": (ValueKind.TEXT, "x", "x"), "description": (ValueKind.TEXT, "d\ufeffd", "d\ufeffd")}
    assert key_of(text, "name").span.of(text) == "name"


@pytest.mark.parametrize("text", ["---\n---\nbody", "---\r\n---\r\nbody"])
def test_an_empty_block_is_frontmatter_and_leaves_the_body_in_place(text: str) -> None:
    block = block_of(text)
    assert block.keys == ()
    assert not block.not_mapping
    assert not block.invalid
    assert block.yaml_span.start == block.yaml_span.end
    assert text[block.body_start :] == "body"


@pytest.mark.parametrize("inside", ["# only a comment\n", "\n", "  \n"])
def test_a_block_without_keys_is_an_empty_mapping(inside: str) -> None:
    text = f"---\n{inside}---\nbody"
    block = block_of(text)
    assert (block.keys, block.not_mapping, block.invalid) == ((), False, ())
    assert text[block.body_start :] == "body"


def test_spaces_behind_the_delimiters_are_no_part_of_them() -> None:
    text = "--- \t\nname: x\n---  \nbody"
    block = block_of(text)
    assert block.open_span.of(text) == "---"
    assert block.close_span is not None
    assert block.close_span.of(text) == "---"
    assert text[block.body_start :] == "body"


def test_the_closing_line_may_end_the_file() -> None:
    text = "---\nname: x\n---"
    block = block_of(text)
    assert block.closed
    assert block.body_start == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "----\nname: x\n----\n",
        " ---\nname: x\n---\n",
        "\n---\nname: x\n---\n",
        "--- name: x\n---\n",
        "# Title\n\n---\nname: x\n---\n",
        "name: x\n---\n",
        "\ufeff\ufeff---\nname: x\n---\n",
    ],
)
def test_what_does_not_begin_with_a_delimiter_line_has_no_block(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nProse of a body.\n\n---\n\n[[a]]\n",
        "---\n\n첫 문단입니다.\n둘째 줄.\n\n---\nrest",
        "---\n\nThe port: it is 80.\nAnd more.\n\n---\nrest",
        "---\n\nNote: look at [[a]].\n\n---\nrest",
        "---\nOne paragraph.\n\nAnother one.\n---\n",
        "---\n\n[[a]] and [[b]]\n\n---\n",
        "---\n\n- [a](a.md)\n\n---\n",
    ],
)
def test_thematic_breaks_around_prose_are_no_block(text: str) -> None:
    assert read(text) is None


def test_a_block_may_begin_with_a_blank_line_and_hold_blank_lines() -> None:
    text = "---\n\nname: x\n\ndescription: y\n---\nb"
    assert told(text) == {"name": (ValueKind.TEXT, "x", "x"), "description": (ValueKind.TEXT, "y", "y")}


def test_a_later_thematic_break_or_block_belongs_to_the_body() -> None:
    text = "---\nname: a\n---\ntext\n\n---\nname: b\n---\n"
    block = block_of(text)
    assert [key.value for key in block.keys] == ["a"]
    assert text[block.body_start :] == "text\n\n---\nname: b\n---\n"


def test_dashes_inside_a_value_do_not_close_the_block() -> None:
    text = "---\ndescription: |\n  ---\n  text\nname: x --- y\n---\nbody"
    assert told(text) == {
        "description": (ValueKind.TEXT, "---\ntext\n", "|\n  ---\n  text"),
        "name": (ValueKind.TEXT, "x --- y", "x --- y"),
    }


@pytest.mark.parametrize("inside", ["- a\n- b\n", "Just a line\n", "[a, b]\n", '"quoted"\n'])
def test_a_block_that_is_no_mapping_is_told_as_such(inside: str) -> None:
    block = block_of(f"---\n{inside}---\nbody")
    assert block.not_mapping
    assert block.keys == ()


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_without_a_closing_line_the_keys_count_up_to_the_blank_line(eol: str) -> None:
    text = eol.join(["---", "name: a", "metadata:", "  type: user", "", "Body text [[b]].", ""])
    block = block_of(text)
    assert not block.closed
    assert block.close_span is None
    assert block.yaml_span.of(text) == f"name: a{eol}metadata:{eol}  type: user{eol}"
    assert text[block.body_start :] == f"{eol}Body text [[b]].{eol}"
    assert key_of(text, "metadata.type").value_span.of(text) == "user"


def test_a_thematic_break_of_the_body_does_not_close_an_unclosed_block() -> None:
    text = "---\nname: a\ndescription: d\n\nSome prose, no key.\n\n---\n\n[[b]]\n"
    block = block_of(text)
    assert not block.closed
    assert text[block.body_start :] == "\nSome prose, no key.\n\n---\n\n[[b]]\n"
    assert [key.name for key in block.keys] == ["name", "description"]


def test_an_unclosed_block_ends_at_a_line_that_no_mapping_holds() -> None:
    text = "---\nname: a\nJust prose here\nmore: of it\n"
    block = block_of(text)
    assert not block.closed
    assert text[block.body_start :] == "Just prose here\nmore: of it\n"


def test_an_unclosed_block_at_the_end_of_the_file() -> None:
    text = "---\nname: a\ndescription: x: y"
    block = block_of(text)
    assert not block.closed
    assert block.body_start == len(text)
    assert key_of(text, "description").value_span.of(text) == "x: y"


# --- keys and values --------------------------------------------------------------------------------


def test_flat_dialect() -> None:
    text = in_block("name: Prefers short answers\ndescription: d\ntype: user\noriginSessionId: 0a1b")
    assert told(text) == {
        "name": (ValueKind.TEXT, "Prefers short answers", "Prefers short answers"),
        "description": (ValueKind.TEXT, "d", "d"),
        "type": (ValueKind.TEXT, "user", "user"),
        "originSessionId": (ValueKind.TEXT, "0a1b", "0a1b"),
    }


def test_nested_dialect_with_a_trailing_space_behind_metadata() -> None:
    text = in_block(
        "name: seat-hold\ndescription: 좌석 보류\nmetadata: \n  node_type: memory\n  type: project\n"
        "  modified: 2026-04-01T10:00:00Z\n  pinned: true"
    )
    inner = "node_type: memory\n  type: project\n  modified: 2026-04-01T10:00:00Z\n  pinned: true"
    assert told(text) == {
        "name": (ValueKind.TEXT, "seat-hold", "seat-hold"),
        "description": (ValueKind.TEXT, "좌석 보류", "좌석 보류"),
        "metadata": (ValueKind.MAPPING, "", inner),
        "metadata.node_type": (ValueKind.TEXT, "memory", "memory"),
        "metadata.type": (ValueKind.TEXT, "project", "project"),
        "metadata.modified": (ValueKind.DATE, "2026-04-01T10:00:00Z", "2026-04-01T10:00:00Z"),
        "metadata.pinned": (ValueKind.BOOLEAN, "true", "true"),
    }
    assert key_of(text, "metadata.type").span.of(text) == "type"


def test_metadata_in_one_line() -> None:
    text = in_block("name: a\nmetadata: {type: user, createdAt: 2026-01-02}")
    assert key_of(text, "metadata").value_span.of(text) == "{type: user, createdAt: 2026-01-02}"
    assert key_of(text, "metadata.type").value_span.of(text) == "user"
    assert key_of(text, "metadata.createdAt").value == "2026-01-02"


def test_other_mappings_are_not_looked_into() -> None:
    text = in_block("scope:\n  type: user\nname: a")
    assert list(told(text)) == ["scope", "name"]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_damaged_nested_block_has_an_empty_metadata(eol: str) -> None:
    text = eol.join(["---", "name: a", "metadata:", "type: user", "---", ""])
    metadata = key_of(text, "metadata")
    assert (metadata.kind, metadata.value, metadata.children) == (ValueKind.NULL, "", ())
    assert metadata.value_start == metadata.value_end == text.index("metadata:") + len("metadata:")
    assert key_of(text, "type").value_span.of(text) == "user"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("yes", ValueKind.BOOLEAN),
        ("No", ValueKind.BOOLEAN),
        ("off", ValueKind.BOOLEAN),
        ("On", ValueKind.BOOLEAN),
        ("true", ValueKind.BOOLEAN),
        ("null", ValueKind.NULL),
        ("NULL", ValueKind.NULL),
        ("~", ValueKind.NULL),
        ("123", ValueKind.INTEGER),
        ("0x1F", ValueKind.INTEGER),
        ("-7", ValueKind.INTEGER),
        ("1.5", ValueKind.NUMBER),
        (".inf", ValueKind.NUMBER),
        ("2026-04-01", ValueKind.DATE),
        ("2026-02-31", ValueKind.DATE),
        ("2026-04-01 10:00:00", ValueKind.DATE),
        ("[a, b]", ValueKind.LIST),
        ("[WIP]", ValueKind.LIST),
        ("{a: b}", ValueKind.MAPPING),
        ("text", ValueKind.TEXT),
        ("2026-4-1x", ValueKind.TEXT),
        ("yes please", ValueKind.TEXT),
        ("v1.2", ValueKind.TEXT),
        ("错误信息", ValueKind.TEXT),
        ("9" * 5000, ValueKind.INTEGER),
        ("!!str 123", ValueKind.TEXT),
    ],
)
def test_a_value_is_kept_as_text_and_told_as_what_yaml_makes_of_it(value: str, kind: ValueKind) -> None:
    text = in_block(f"name: {value}\ntype: user")
    key = key_of(text, "name")
    assert key.kind is kind
    assert key.value_span.of(text) == value
    if kind not in (ValueKind.LIST, ValueKind.MAPPING):
        assert key.value == value.removeprefix("!!str ")
    assert not block_of(text).invalid
    assert key_of(text, "type").value == "user"


@pytest.mark.parametrize("value", ["yes", "null", "123", "2026-04-01", "a: b", "x # y", "- x", "@x"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_make_any_value_text(value: str, quote: str) -> None:
    text = in_block(f"name: {quote}{value}{quote}")
    key = key_of(text, "name")
    assert (key.kind, key.value, key.style) == (ValueKind.TEXT, value, quote)
    assert key.value_span.of(text) == f"{quote}{value}{quote}"


def test_quoting_inside_values_is_undone_and_spans_hold_the_quotes() -> None:
    text = in_block('name: \'it\'\'s\'\ndescription: "a \\"b\\" \\u00e9 \\t"\nother: a "b" c')
    assert told(text) == {
        "name": (ValueKind.TEXT, "it's", "'it''s'"),
        "description": (ValueKind.TEXT, 'a "b" é \t', '"a \\"b\\" \\u00e9 \\t"'),
        "other": (ValueKind.TEXT, 'a "b" c', 'a "b" c'),
    }


@pytest.mark.parametrize("after", ["", " ", "   ", " # why"])
def test_a_missing_value_stands_empty_behind_the_colon(after: str) -> None:
    text = in_block(f"name:{after}\ndescription: d")
    key = key_of(text, "name")
    assert (key.kind, key.value) == (ValueKind.NULL, "")
    assert key.value_span == Span(text.index(":") + 1, text.index(":") + 1)
    assert key_of(text, "description").value_span.of(text) == "d"


def test_a_missing_value_at_the_end_of_the_block() -> None:
    for text in ("---\nname:\n---\n", "---\nname:", "---\nname: \n\n"):
        key = key_of(text, "name")
        assert key.value_span == Span(9, 9)


def test_an_empty_string_is_text() -> None:
    text = in_block("name: \"\"\ndescription: ''")
    assert told(text) == {"name": (ValueKind.TEXT, "", '""'), "description": (ValueKind.TEXT, "", "''")}


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: fix issue #12", "fix issue"),
        ("description: 도크 #3번 확인", "도크"),
        ("description: c# and a#b", "c# and a#b"),
        ("description: a   # why", "a"),
    ],
)
def test_an_unquoted_value_is_cut_at_a_space_and_a_hash(line: str, value: str) -> None:
    text = in_block(f"{line}\ntype: user")
    key = key_of(text, "description")
    assert (key.kind, key.value, key.value_span.of(text)) == (ValueKind.TEXT, value, value)
    assert not block_of(text).invalid


def test_a_comment_is_no_key_and_moves_nothing() -> None:
    text = in_block("# name: not this\nname: a # nor: this\n  # indented: neither\ndescription: b")
    assert told(text) == {"name": (ValueKind.TEXT, "a", "a"), "description": (ValueKind.TEXT, "b", "b")}


def test_values_over_several_lines() -> None:
    text = in_block(
        'name: a\n  b\n\n  c\nx: |\n  t\n  u\n\ny: >-\n  v\n  w\nz: "p\n  q"\nlist:\n  - i\n  - j\nflow: [k,\n  l]'
    )
    assert told(text) == {
        "name": (ValueKind.TEXT, "a b\nc", "a\n  b\n\n  c"),
        "x": (ValueKind.TEXT, "t\nu\n", "|\n  t\n  u"),
        "y": (ValueKind.TEXT, "v w", ">-\n  v\n  w"),
        "z": (ValueKind.TEXT, "p q", '"p\n  q"'),
        "list": (ValueKind.LIST, "", "- i\n  - j"),
        "flow": (ValueKind.LIST, "", "[k,\n  l]"),
    }


def test_a_list_may_stand_at_the_depth_of_its_key() -> None:
    text = in_block("tags:\n- a\n- b\nname: x")
    assert told(text) == {"tags": (ValueKind.LIST, "", "- a\n- b"), "name": (ValueKind.TEXT, "x", "x")}


@pytest.mark.parametrize("break_", ["\u2028", "\u2029", "\x85"])
def test_characters_that_only_yaml_takes_for_line_ends_stay_in_the_value(break_: str) -> None:
    text = in_block(f"name: a{break_}b: c\ntype: user")
    faulty = key_of(text, "name")
    assert (faulty.kind, faulty.value) == (ValueKind.INVALID, f"a{break_}b: c")
    text = in_block(f"description: 漢{break_}字\n{break_}k: a: b")
    key = key_of(text, "description")
    assert (key.value, key.value_span.of(text)) == (f"漢{break_}字", f"漢{break_}字")
    assert key_of(text, f"{break_}k").span.of(text) == f"{break_}k"


def test_wide_characters_before_a_key_do_not_move_it() -> None:
    text = in_block("설명: 😀😀 漢\nname: é\n\"q'é\": 😀\n'k''': v")
    assert told(text) == {
        "설명": (ValueKind.TEXT, "😀😀 漢", "😀😀 漢"),
        "name": (ValueKind.TEXT, "é", "é"),
        "q'é": (ValueKind.TEXT, "😀", "😀"),
        "k'": (ValueKind.TEXT, "v", "v"),
    }
    assert key_of(text, "q'é").span.of(text) == '"q\'é"'


def test_a_lone_surrogate_is_read_as_a_replacement_of_the_same_length() -> None:
    text = in_block("name: a\ud83db\ndescription: d")
    assert key_of(text, "name").value_span.of(text) == "a\ud83db"
    assert key_of(text, "description").value_span.of(text) == "d"


def test_the_last_of_two_equal_keys_counts_and_both_are_told() -> None:
    text = in_block("name: a\nmetadata:\n  type: user\n  type: project\nname: b")
    block = block_of(text)
    assert [key.value for key in block.keys if key.name == "name"] == ["a", "b"]
    found = block.find("name")
    inner = block.find_metadata("type")
    assert found is not None
    assert found.value_start == text.rindex("b\n---")
    assert inner is not None
    assert inner.value == "project"
    assert block.find("absent") is None
    assert block.find_metadata("absent") is None


def test_an_alias_stands_where_it_is_written() -> None:
    text = in_block("name: &n a-b\ndescription: *n\nother:   *n # why\nlast: x")
    assert told(text) == {
        "name": (ValueKind.TEXT, "a-b", "&n a-b"),
        "description": (ValueKind.TEXT, "a-b", "*n"),
        "other": (ValueKind.TEXT, "a-b", "*n"),
        "last": (ValueKind.TEXT, "x", "x"),
    }


def test_walk_gives_the_keys_in_the_order_of_the_text() -> None:
    text = in_block("z: 1\nmetadata:\n  b: 2\n  a: 3\na: 4")
    assert [path for path, _ in block_of(text).walk()] == ["z", "metadata", "metadata.b", "metadata.a", "a"]


# --- what is wrong ----------------------------------------------------------------------------------

FAULTS = [
    ("Use when: the user asks", "colon followed by a space"),
    ("Use when:", "colon followed by a space"),
    ("사용 시점: 요청이 있을 때", "colon followed by a space"),
    ("说明: 部署: 两步", "colon followed by a space"),
    ('"a" more', "text follows the closing quote"),
    ('"Foo" bar "baz"', "text follows the closing quote"),
    ("'it's'", "text follows the closing quote"),
    ('"never closed', "never closed"),
    ("'never closed", "never closed"),
    ('"a\\qb"', "backslash"),
    ("@here look", "`@`"),
    ("`code` first", "backtick"),
    ("%d seats", "`%`"),
    ("*bold* word", "`*`"),
    ("*", "`*`"),
    ("&amp; more", "`&`"),
    ("!important thing", "tag"),
    ("! wait", "tag"),
    ("[WIP] x", "`[`"),
    ("[open", "`[`"),
    ("{x} y", "`{`"),
    ("{open", "`{`"),
    ("- x", "`- `"),
    ("? x", "`? `"),
    ("| x", "`|`"),
    ("> x", "`>`"),
    (", x", "comma"),
    ("] x", "`]`"),
    ("} x", "`}`"),
]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(("value", "reason"), FAULTS, ids=[value for value, _ in FAULTS])
def test_a_faulty_value_is_told_at_its_place_and_hides_no_other(value: str, reason: str, eol: str) -> None:
    text = eol.join(["---", "name: 이름", f"description: {value}", "metadata: ", "  type: user", "---", "body", ""])
    block = block_of(text)
    key = key_of(text, "description")
    assert (key.kind, key.value, key.value_span.of(text)) == (ValueKind.INVALID, value, value)
    (problem,) = block.invalid
    assert (problem.key, problem.span.of(text)) == ("description", value)
    assert reason in problem.message
    assert key.span.of(text) == "description"
    assert key_of(text, "name").value_span.of(text) == "이름"
    assert key_of(text, "metadata.type").value_span.of(text) == "user"
    assert text[block.body_start :] == f"body{eol}"


def test_every_faulty_value_is_told() -> None:
    text = in_block("name: a: b\ndescription: @x\ntype: user\nother: 'y' z")
    assert [(problem.key, problem.span.of(text)) for problem in block_of(text).invalid] == [
        ("name", "a: b"),
        ("description", "@x"),
        ("other", "'y' z"),
    ]
    assert key_of(text, "type").value == "user"


def test_a_fault_inside_metadata_hides_no_other() -> None:
    for lead in ("metadata:", "metadata: ", "metadata: # mine"):
        text = in_block(f"name: a\n{lead}\n  type: user\n  source: x: y\n  modified: 2026-01-01\ndescription: d")
        assert key_of(text, "metadata").value_span.of(text) == "type: user\n  source: x: y\n  modified: 2026-01-01"
        assert key_of(text, "metadata.type").value_span.of(text) == "user"
        assert key_of(text, "metadata.source").kind is ValueKind.INVALID
        assert key_of(text, "metadata.source").value_span.of(text) == "x: y"
        assert key_of(text, "metadata.modified").kind is ValueKind.DATE
        assert key_of(text, "description").value == "d"


def test_a_faulty_value_that_begins_on_the_next_line_or_goes_on_there() -> None:
    text = in_block("name:   \n  a: b: c\ndescription: x: y\n  and z\ntype: user")
    assert told(text) == {
        "name": (ValueKind.INVALID, "a: b: c", "a: b: c"),
        "description": (ValueKind.INVALID, "x: y\n  and z", "x: y\n  and z"),
        "type": (ValueKind.TEXT, "user", "user"),
    }


def test_valid_values_keep_their_place_beside_a_fault() -> None:
    text = in_block('tags: [a, b]\nlines: |\n  one\n\n  two\nlist:\n- x\n- y\nname: "q"\ndescription: a: b')
    assert told(text) == {
        "tags": (ValueKind.LIST, "", "[a, b]"),
        "lines": (ValueKind.TEXT, "one\n\ntwo\n", "|\n  one\n\n  two"),
        "list": (ValueKind.LIST, "", "- x\n- y"),
        "name": (ValueKind.TEXT, "q", '"q"'),
        "description": (ValueKind.INVALID, "a: b", "a: b"),
    }


def test_a_fault_above_a_blank_line_and_a_comment_does_not_end_the_block() -> None:
    text = in_block("name: a: b\n\n# why it is here\ndescription: d")
    assert block_of(text).closed
    assert told(text) == {"name": (ValueKind.INVALID, "a: b", "a: b"), "description": (ValueKind.TEXT, "d", "d")}


@pytest.mark.parametrize("above", ["# a comment\n", "\n", "  # a comment\n\n# another\n"])
def test_a_comment_or_blank_line_above_a_faulty_value_is_no_part_of_it(above: str) -> None:
    text = in_block(f"{above}name: a: b\ntype: user")
    assert told(text) == {"name": (ValueKind.INVALID, "a: b", "a: b"), "type": (ValueKind.TEXT, "user", "user")}
    (problem,) = block_of(text).invalid
    assert (problem.key, problem.span.of(text)) == ("name", "a: b")


def test_a_line_that_is_no_key_is_told_at_its_place() -> None:
    text = in_block("name: a\nno key here\ndescription: d")
    (problem,) = block_of(text).invalid
    assert (problem.key, problem.span.of(text)) == (None, "no key here")
    assert [key.value for key in block_of(text).keys] == ["a", "d"]


def test_a_missing_space_behind_the_colon_is_told() -> None:
    text = in_block("name:x\ndescription: y")
    (problem,) = block_of(text).invalid
    assert problem.span.of(text) == "name:x"
    assert key_of(text, "description").value == "y"


def test_a_tab_for_indentation_is_told_and_the_key_understood() -> None:
    text = in_block("name: a\nmetadata:\n\ttype: user")
    (problem,) = block_of(text).invalid
    assert "tab" in problem.message
    assert key_of(text, "type").value_span.of(text) == "user"
    assert key_of(text, "name").value == "a"


def test_conflict_markers_leave_the_keys_of_both_sides_understood() -> None:
    text = in_block("<<<<<<< HEAD\nname: a\n=======\nname: b\n>>>>>>> other\ndescription: d")
    block = block_of(text)
    assert [(key.name, key.value) for key in block.keys] == [("name", "a"), ("name", "b"), ("description", "d")]
    assert [problem.span.of(text) for problem in block.invalid] == ["<<<<<<< HEAD", "=======", ">>>>>>> other"]


def test_a_control_character_is_named() -> None:
    text = in_block("name: a\x00b\ndescription: d")
    (problem,) = block_of(text).invalid
    assert "U+0000" in problem.message
    assert problem.span.of(text) == "a\x00b"
    assert key_of(text, "description").value == "d"


def test_foreign_tags_and_odd_keys_raise_nothing() -> None:
    text = in_block("name: !!python/object:os.system x\n[a, b]: c\n{d: e}: f\n? g\n: h\n<<: *nothing\n1: 2\ntrue: no")
    assert key_of(text, "name").kind is ValueKind.INVALID
    assert key_of(text, "1").kind is ValueKind.INTEGER


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        ("a: b", "colon"),
        ("a:", "colon"),
        ("plain", None),
        ("a:b", None),
        ('"ok"', "backslash"),
        ("'ok'", None),
        ("", None),
    ],
)
def test_explain_names_the_reason_or_none(raw: str, part: str | None) -> None:
    reason = explain(raw)
    assert (reason is None) if part is None else (reason is not None and part in reason)


# --- as a handler of python-frontmatter ----------------------------------------------------------------


def test_the_handler_splits_without_changing_anything() -> None:
    handler = FrontmatterHandler()
    text = "\ufeff---\r\nname: a\r\n---\r\n\r\n body \r\n"
    assert handler.detect(text)
    assert handler.split(text) == ("name: a\r\n", "\r\n body \r\n")
    assert not handler.detect("body")
    assert handler.split("body") == ("", "body")


def test_the_handler_writes_new_files_that_read_back() -> None:
    post = library.Post("본문\n", name="a", description="x: y # z")
    text = library.dumps(post, handler=FrontmatterHandler(), sort_keys=False)
    assert {key.name: key.value for key in block_of(text).keys} == {"name": "a", "description": "x: y # z"}
    assert text[block_of(text).body_start :].strip() == "본문"


# --- any text ----------------------------------------------------------------------------------------------

FRAGMENTS = [
    *["---", "--- ", "name: a", "name:", "description: x: y", "type: user", "metadata:", "metadata: ", "  type: user"],
    *[
        "\ttype: x",
        "  - a",
        "- b",
        "k: |",
        "k: >-",
        "  text",
        "    more",
        "",
        "# c",
        "x: 'it''s'",
        'y: "a\\x"',
        'y: "q" z',
    ],
    *["z: *al", "z: &al v", "<<: *al", "? k", ": v", "[a, b]: c", "{a: b}", "tags: [a,", "b]", "date: 2026-02-31"],
    *["!!python/x y: z", "t: !foo {a: b}", "名前: 漢😀", "이름: yes", "...", "%YAML 1.1", "a: b #c", "<<<<<<< HEAD"],
    *["=======", "prose here.", '"q: q": v', "m: {type: user, q: [1,", "&a k: v"],
]
PIECES = st.one_of(
    st.sampled_from([f"{fragment}\n" for fragment in FRAGMENTS]),
    st.sampled_from([*"\0\ud800\ufeff\u2028\x85\"'{[:#- \t|>&*!%@`", "---", ": ", "- "]),
    st.text(st.characters(exclude_categories=()), max_size=4),
)


@st.composite
def blocks(draw: st.DrawFn) -> str:
    """Texts like frontmatter, in each line ending, closed or not."""
    lead = draw(st.sampled_from(["---\n", "---\n", "\ufeff---\n", ""]))
    tail = draw(st.sampled_from(["---\n", "---\nbody\n", "", "\nbody\n---\n"]))
    eol = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return (lead + "".join(draw(st.lists(PIECES, max_size=9))) + tail).replace("\n", eol)


@given(blocks() | st.text(st.characters(exclude_categories=())))
@example("---\nname: a\r---")
@example("---\n\x85: a: b\n---")
@example("---\n: \n---")
def test_no_text_raises_and_every_span_lies_inside_and_in_order(text: str) -> None:
    block = read(text)
    if block is None:
        return
    assert block.open_span.of(text) == "---"
    assert block.open_span.end < block.yaml_span.start <= block.yaml_span.end <= block.body_start <= len(text)
    if block.close_span is not None:
        assert block.close_span.of(text) == "---"
        assert block.yaml_span.end == block.close_span.start < block.body_start
    for path, key in block.walk():
        assert (
            block.yaml_span.start <= key.start <= key.end <= key.value_start <= key.value_end <= block.yaml_span.end
        ), path
        written = key.value_span.of(text)
        assert written == written.strip(" \t\r\n")
    for problem in block.invalid:
        assert block.yaml_span.start <= problem.span.start <= problem.span.end <= len(text)


@given(blocks())
@example("---\n\ud801name: a\n---\n")
def test_plain_keys_and_values_of_one_line_are_what_stands_there(text: str) -> None:
    block = read(text)
    for _, key in block.walk() if block else ():
        written = key.span.of(text)
        # A lone surrogate, which no file can hold, is read as U+FFFD.
        if written[:1] not in "\"'!&*?[{|>" and not set(written) & set("\r\n"):
            assert key.name == without_surrogates(written)
        value = key.value_span.of(text)
        scalar = key.kind not in (ValueKind.LIST, ValueKind.MAPPING) and not key.style
        if scalar and value[:1] not in "!&*\"'|>" and not set(value) & set("\r\n"):
            assert without_surrogates(key.value) == without_surrogates(value)


PLAIN_TOKENS = "name description metadata type a-b _x k9 text é漢 😀 yes 12 2026-04-01 ~ \" ' \"q\" 'q' # - \\ : :"
PLAIN_LINES = "name: a|description: b c|metadata:|metadata: |  type: user|  modified: 2026-01-01"
PLAIN_SPACES = [": ", ":  ", "\n", "\n", "\n  ", "\n    ", " ", " #", "- ", "\t", "a b"]
PLAIN_PIECES = st.sampled_from(
    [*PLAIN_TOKENS.split(" "), *(f"{line}\n" for line in PLAIN_LINES.split("|")), *PLAIN_SPACES]
)


@settings(max_examples=400)
@given(st.lists(PLAIN_PIECES, max_size=14).map("".join))
def test_the_quick_way_for_plain_blocks_says_what_yaml_says(lines: str) -> None:
    text = in_block(lines)
    quick = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_read_plain", lambda yaml_text, base: None)
        assert quick == read(text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\ufeff")))
def test_any_text_in_single_quotes_is_read_back(value: str) -> None:
    text = in_block(f"name: '{value.replace(chr(39), chr(39) * 2)}'\ndescription: d")
    key = key_of(text, "name")
    assert key.kind is ValueKind.TEXT
    assert key.value_span.of(text) == f"'{value.replace(chr(39), chr(39) * 2)}'"
    assert key.value == value
    assert key_of(text, "description").value == "d"


# --- bounds ---------------------------------------------------------------------------------------------------


def bomb(size: int) -> str:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, size))]
    return in_block("\n".join(lines))


@pytest.mark.parametrize(
    ("make", "size"),
    [
        pytest.param(bomb, 300, id="alias bomb"),
        pytest.param(lambda n: in_block("a: " + "[" * n), 50_000, id="unclosed depth"),
        pytest.param(lambda n: in_block("a: " + "[" * n + "]" * n), 50_000, id="closed depth"),
        pytest.param(lambda n: in_block("a: " + "{" * n), 50_000, id="mappings in mappings"),
        pytest.param(lambda n: in_block("- " * n), 50_000, id="lists in lists"),
        pytest.param(lambda n: in_block("a" * n), 500_000, id="one word"),
        pytest.param(lambda n: "---\nx" + " " * n, 100_000, id="spaces that no colon ends"),
        pytest.param(lambda n: in_block("garbage é\n" * n), 150_000, id="garbage"),
        pytest.param(lambda n: in_block("ga rb: a: é\n" * n), 10_000, id="faulty keys"),
        pytest.param(lambda n: in_block("a: é\n" * n + "b: c: d"), 2_000, id="one fault in many keys"),
        pytest.param(lambda n: in_block('a: "' + "x\n" * n), 50_000, id="unclosed quote"),
        pytest.param(lambda n: in_block('"a\n' * n), 50_000, id="unclosed quoted keys"),
        pytest.param(lambda n: "---\n" + "a: b\n" * n, 3_000, id="never closed"),
        pytest.param(lambda n: "---\n" * n, 50_000, id="delimiters"),
        pytest.param(lambda n: "---\n" + "\n" * n + "text\n\n---", 100_000, id="blank lines"),
    ],
)
def test_reading_takes_bounded_time(make: object, size: int) -> None:
    assert callable(make)
    assert_grows_linearly(lambda n: read(make(n)), size)


@pytest.mark.parametrize(("depth", "kind"), [(300, ValueKind.MAPPING), (100_000, ValueKind.INVALID)])
def test_deep_nesting_is_read_or_refused_and_never_raises(depth: int, kind: ValueKind) -> None:
    block = block_of(in_block("a: " + "{a: " * depth + "}" * depth))
    assert block.keys[0].kind is kind
    assert bool(block.invalid) is (kind is ValueKind.INVALID)


def test_deep_indentation_never_raises() -> None:
    block = block_of(in_block("".join(" " * depth + "a:\n" for depth in range(1_100))))
    assert block.keys[0].span == Span(4, 5)


def test_a_block_of_garbage_tells_few_problems() -> None:
    block = block_of(in_block("ga rb: a: é\n" * 10_000))
    assert 0 < len(block.invalid) <= 20
