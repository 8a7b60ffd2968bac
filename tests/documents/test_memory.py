"""A memory: what its frontmatter and body say it is."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.memory import Dialect, MemoryDocument
from tests.growth import assert_grows_linearly

FLAT = "---\nname: Prefers short answers\ndescription: 짧은 답변 😀\ntype: user\noriginSessionId: 0a1b\n---\n\nBody.\n"
NESTED = (
    "---\nname: seat-hold\ndescription: d\nmetadata: \n  node_type: memory\n  type: project\n"
    "  modified: 2026-04-02T10:00:00Z\n---\n\n# Seats\n\n[[quay]]\n"
)
CAT_CODE = (
    "---\nname: a\ndescription: d\nmetadata:\n  type: feedback\n"
    "  createdAt: 2026-01-02\n  updatedAt: 2026-03-04\n---\ntext\n"
)


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (FLAT, Dialect.FLAT),
        (NESTED, Dialect.NESTED),
        (NESTED.replace("\n", "\r\n"), Dialect.NESTED),
        (CAT_CODE, Dialect.NESTED),
        ("---\nname: a\nmetadata: {type: user}\n---\n", Dialect.NESTED),
        ("---\nname: a\nmetadata:\ntype: user\n---\n", Dialect.NESTED),
        ("---\nname: a\ndescription: x: y\nmetadata:\n  type: user\n---\n", Dialect.NESTED),
        ("---\nname: a\ndescription: d\n---\n", Dialect.BARE),
        ("---\nname: a\nmetadata:\n  pinned: true\n---\n", Dialect.BARE),
        ("---\nname: a\nmetadata:\n---\n", Dialect.BARE),
        ("---\nname: a\ntype: user\nmetadata:\n---\n", Dialect.FLAT),
        ("---\n---\n", Dialect.BARE),
        ("# Title\n", Dialect.NONE),
        ("", Dialect.NONE),
        ("---\n\nProse.\n\n---\n", Dialect.NONE),
    ],
)
def test_the_dialect_is_a_property_of_the_file(text: str, dialect: Dialect) -> None:
    assert MemoryDocument.parse(text).dialect is dialect


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("---\nname: quay\n---\n", "quay"),
        ('---\nname: "부두"\n---\n', '"부두"'),
        ("---\ntype: user\n---\n", "---"),
        ("# Title\n", "# Title"),
        ("", ""),
    ],
)
def test_the_place_of_the_name_is_its_value_or_else_the_first_line(text: str, shown: str) -> None:
    assert MemoryDocument.parse(text).name_span.of(text) == shown


@pytest.mark.parametrize(
    ("text", "damaged"),
    [
        ("---\nname: a\nmetadata:\ntype: user\n---\n", True),
        ("---\nname: a\nmetadata: \nnode_type: memory\ntype: user\n---\n", True),
        ("---\r\nmetadata:\r\nname: a\r\nmodified: 2026-01-01\r\n---\r\n", True),
        ("---\nname: a\ntype: user\nmetadata:\n---\n", False),
        ("---\nmetadata:\nname: a\ntags: [x]\n---\n", False),
        (NESTED, False),
        (FLAT, False),
        ("text", False),
    ],
)
def test_a_damaged_nested_block_is_noticed(text: str, damaged: bool) -> None:
    assert MemoryDocument.parse(text).is_damaged is damaged


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_name_description_and_type_with_their_places(bom: str, eol: str) -> None:
    for source, name, description, kind in (
        (FLAT, "Prefers short answers", "짧은 답변 😀", "user"),
        (NESTED, "seat-hold", "d", "project"),
    ):
        text = bom + source.replace("\n", eol)
        document = MemoryDocument.parse(text)
        assert (document.name, document.description, document.type) == (name, description, kind)
        for key, value in (
            (document.name_key, name),
            (document.description_key, description),
            (document.type_key, kind),
        ):
            assert key is not None
            assert key.value_span.of(text) == value


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("123", "123"),
        ("yes", "yes"),
        ("2026-04-01", "2026-04-01"),
        ("null", None),
        ("", None),
        ('""', None),
        ("'  '", None),
        ("[a]", None),
        ("{a: b}", None),
        ("a: b", "a: b"),
        ('"a" more', '"a" more'),
        ('"a\\qb"', "a\\qb"),
        ("cut #here", "cut"),
        ('" x "', "x"),
    ],
)
def test_a_name_of_the_wrong_type_or_with_a_fault_is_still_understood(value: str, name: str | None) -> None:
    document = MemoryDocument.parse(f"---\nname: {value}\ntype: user\n---\n")
    assert document.name == name
    assert document.name_key is not None
    assert document.type == "user"


def test_of_two_types_the_one_in_metadata_counts() -> None:
    document = MemoryDocument.parse("---\nname: a\ntype: user\nmetadata:\n  type: project\n---\n")
    assert document.type == "project"
    key = document.key_at("type")
    assert key is not None
    assert key.value == "user"


def test_keys_are_found_by_their_path() -> None:
    document = MemoryDocument.parse("---\nname: a\na.b: c\nmetadata:\n  type: project\n---\n")
    found = {path: document.key_at(path) for path in ("name", "a.b", "metadata.type", "type", "metadata.x", "metadata")}
    assert {path: key.value for path, key in found.items() if key is not None} == {
        "name": "a",
        "a.b": "c",
        "metadata.type": "project",
        "metadata": "",
    }
    assert MemoryDocument.parse("text").key_at("name") is None


@pytest.mark.parametrize(
    ("lines", "created", "updated"),
    [
        ("metadata:\n  createdAt: 2026-01-02\n  updatedAt: 2026-03-04", date(2026, 1, 2), date(2026, 3, 4)),
        ("created: 2026-01-02", date(2026, 1, 2), date(2026, 1, 2)),
        ("updated: 2026-03-04", None, date(2026, 3, 4)),
        ("modified: 2026-05-06\nmetadata:\n  modified: 2026-07-08", None, date(2026, 7, 8)),
        ("updated: 2026-01-01\nmodified: 2026-05-06", None, date(2026, 5, 6)),
        ("updatedAt: 2026-02-31\ncreatedAt: 2026-01-01", date(2026, 1, 1), date(2026, 1, 1)),
        ("updatedAt: soon", None, None),
        ("updatedAt:", None, None),
        ("metadata:\n  modified: x: y\n  updatedAt: 2026-02-03", None, date(2026, 2, 3)),
        ("other:\n  updatedAt: 2026-02-03", None, None),
    ],
)
def test_the_most_trusted_date_counts(lines: str, created: date | None, updated: date | None) -> None:
    document = MemoryDocument.parse(f"---\nname: a\n{lines}\n---\n")
    assert (document.created, document.updated) == (created, updated)


def test_date_keys_tell_where_dates_stand() -> None:
    document = MemoryDocument.parse(CAT_CODE)
    assert {path: key.value_span.of(CAT_CODE) for path, key in document.date_keys.items()} == {
        "metadata.createdAt": "2026-01-02",
        "metadata.updatedAt": "2026-03-04",
    }
    assert MemoryDocument.parse("text").date_keys == {}
    assert MemoryDocument.parse("text").updated is None


def test_the_body_begins_behind_the_frontmatter_and_spans_are_in_the_whole_text() -> None:
    document = MemoryDocument.parse(NESTED)
    assert document.body_text == "\n# Seats\n\n[[quay]]\n"
    assert [link.span.of(NESTED) for link in document.body.links] == ["[[quay]]"]
    assert [heading.span.of(NESTED) for heading in document.body.headings] == ["# Seats"]


def test_the_body_of_an_empty_block_is_not_shifted() -> None:
    text = "---\n---\n[[a]]\n"
    assert [link.span.of(text) for link in MemoryDocument.parse(text).body.links] == ["[[a]]"]


def test_comments_and_lists_of_the_frontmatter_are_nothing_of_the_body() -> None:
    text = '---\nname: a\n# not a heading [[no]]\ntags: [a, b]\nrelated: "[[no]]"\n---\n# 제목\n'
    body = MemoryDocument.parse(text).body
    assert [heading.text for heading in body.headings] == ["제목"]
    assert body.links == ()


def test_without_frontmatter_the_whole_text_is_the_body() -> None:
    text = "\ufeff# 메모\n\n[[a]] `code`\n"
    document = MemoryDocument.parse(text)
    assert (document.frontmatter, document.name, document.title) == (None, None, "메모")
    assert document.body_text == text
    assert document.in_code(text.index("code"))
    assert not document.in_code(text.index("[[a]]"))


def test_the_title_is_the_name_or_the_first_heading() -> None:
    assert MemoryDocument.parse(NESTED).title == "seat-hold"
    assert MemoryDocument.parse('---\nname: ""\n---\n# 错误信息\n## x\n').title == "错误信息"
    assert MemoryDocument.parse("text").title is None


def test_a_missing_closing_line_leaves_name_and_body_understood() -> None:
    text = "---\nname: a\ndescription: d\n\nBody [[b]].\n"
    document = MemoryDocument.parse(text)
    assert (document.name, document.description) == ("a", "d")
    assert [link.span.of(text) for link in document.body.links] == ["[[b]]"]


PIECES = [
    *[
        "---\n",
        "---",
        "name: a\n",
        "name: x: y\n",
        "type: user\n",
        "metadata:\n",
        "  type: user\n",
        "createdAt: 2026-02-31\n",
    ],
    *[
        "  updatedAt: 2026-01-01\n",
        "- [a](b.md)\n",
        "# H\n",
        "```\n",
        "~~~\n",
        "    x\n",
        "\tx\n",
        "`c`",
        "``",
        "[[a|b]]",
    ],
    *[
        "<!-- c -->\n",
        "<!--",
        "-->",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\ufeff",
        "\0",
        "\ud800",
        "\u2028",
        "漢한😀",
        "[r]: t\n",
        "> ",
        "1. ",
    ],
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(st.characters(exclude_categories=()))


@given(TEXTS, st.sampled_from(["", "---\nname: a\n---\n"]))
def test_no_text_raises_and_every_span_lies_inside(text: str, lead: str) -> None:
    text = lead + text
    document = MemoryDocument.parse(text)
    assert isinstance(document.dialect, Dialect)
    assert isinstance(document.is_damaged, bool)
    assert document.title is None or document.title
    for key in (document.name_key, document.description_key, document.type_key, *document.date_keys.values()):
        if key is not None:
            assert 0 <= key.start <= key.end <= key.value_start <= key.value_end <= len(text)
    assert document.updated is None or isinstance(document.updated, date)
    spans = [link.span for link in document.body.links] + list(document.body.code)
    start = document.frontmatter.body_start if document.frontmatter else 0
    assert all(start <= span.start <= span.end <= len(text) for span in spans)


@given(TEXTS)
def test_every_offset_is_code_exactly_where_the_body_has_code(text: str) -> None:
    document = MemoryDocument.parse(text)
    for offset in range(len(text)):
        assert document.in_code(offset) == any(span.start <= offset < span.end for span in document.body.code)


def test_a_date_that_does_not_exist_or_a_huge_number_raises_nothing() -> None:
    document = MemoryDocument.parse(f"---\nname: 2026-02-31\ndescription: {'9' * 6000}\ncreatedAt: {'9' * 13}\n---\n")
    assert document.name == "2026-02-31"
    assert document.description == "9" * 6000
    assert document.created == date(2286, 11, 20)
    assert document.name_key is not None
    assert document.name_key.kind is ValueKind.DATE


def test_a_long_memory_is_read_in_bounded_time() -> None:
    assert_grows_linearly(lambda n: MemoryDocument.parse(NESTED + "설명 [[é]] `c` <!-- x -->\n\n" * n).body, 2_000)
