"""Completion of whole new memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.style import Style
from memory_ls.documents.memory import Dialect
from memory_ls.rules.registry import Severity
from memory_ls.server.capabilities import ClientSupport
from tests.making import checked, directory_of, memory
from tests.server.features.completion.asking import ENCODINGS, FILES, Desk

ALL = ["New user memory", "New feedback memory", "New project memory", "New reference memory"]
TODAY = date.today().isoformat()


@pytest.mark.parametrize(
    "marked", ["‸", "---‸", "-‸", "new‸", "\n\n‸", "  \n‸\n\n", "‸# Title\n", "---‸\nprose\n", "\ufeff‸"]
)
def test_on_top_of_a_file_without_frontmatter(marked: str) -> None:
    assert Desk("quay-log.md", marked, FILES).labels == ALL


@pytest.mark.parametrize(
    "marked",
    ["some prose‸", "new‸ prose", "# Title\n‸", "---‸ x", "----‸", "---\nname: x\n---\n‸", "‸---\nname: x\n---\n", "- ‸",
     "```\n‸"],
)  # fmt: skip
def test_nowhere_else(marked: str) -> None:
    assert not [label for label in Desk("quay-log.md", marked, FILES).labels if label in ALL]
    assert not [label for label in Desk("MEMORY.md", "‸", {}).labels if label in ALL]


def test_the_editor_keeps_it_while_the_block_is_begun() -> None:
    for typed in ("-", "--", "---"):
        assert all(item.filter_text.startswith("---") for item in Desk("x.md", f"{typed}‸", FILES).items)  # type: ignore[union-attr]


def test_a_type_that_the_file_is_named_after_comes_first() -> None:
    assert Desk("feedback_no-mocks.md", "‸", FILES).labels[0] == "New feedback memory"


def test_it_is_the_nested_dialect_of_the_neighbours() -> None:
    extra = "  createdAt: 2026-01-02\n  updatedAt: 2026-01-03\n"
    texts = {f"{name}.md": memory(name, extra=extra) for name in "abc"}
    desk = Desk("quay log.md", "---‸", texts, support=ClientSupport())
    assert desk.after("New project memory") == (
        "---\nname: quay-log\ndescription: \nmetadata:\n  type: project\n"
        f"  createdAt: {TODAY}\n  updatedAt: {TODAY}\n---\n\n\n"
    )


def test_it_is_the_flat_dialect_of_the_neighbours() -> None:
    texts = {
        f"user_{name}.md": memory(f"The {name}", kind="user", nested=False, extra="created: 2026-01-02\n")
        for name in "abc"
    }
    desk = Desk("feedback_no-mocks.md", "‸", texts, support=ClientSupport())
    assert desk.after("New feedback memory") == (
        f"---\nname: No mocks\ndescription: \ntype: feedback\ncreated: {TODAY}\n---\n\n"
        "\n\n**Why:** \n\n**How to apply:** \n"
    )


def test_it_is_the_bare_dialect_of_the_neighbours() -> None:
    texts = {f"{name}.md": memory(name, kind=None) for name in "abc"}
    desk = Desk("quay.md", "‸", texts, support=ClientSupport())
    assert desk.labels == ["New memory"]
    assert desk.after("New memory") == "---\nname: quay\ndescription: \n---\n\n\n"


def test_in_an_empty_directory_it_is_nested_with_dates() -> None:
    for style in (Style(), Style(Dialect.NONE)):
        desk = Desk("quay.md", "‸", {}, support=ClientSupport(), style=style)
        assert f"metadata:\n  type: user\n  createdAt: {TODAY}\n" in desk.after(ALL[0])


def test_as_a_snippet_it_has_stops_where_there_is_something_to_say() -> None:
    desk = Desk("a $1 {b}.md", "‸", {}, style=replace(Style(), date_keys=()))
    edit = desk.item("New feedback memory").text_edit
    assert edit is not None
    assert edit.new_text == (
        "---\nname: a-\\$1-{b\\}\ndescription: $1\nmetadata:\n  type: feedback\n---\n\n"
        "$2\n\n**Why:** $3\n\n**How to apply:** $0\n"
    )


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    desk = Desk("team/ferry.md", "‸", FILES, support=ClientSupport())
    assert "name: ferry-2\n" in desk.after(ALL[0])


def test_line_ends_are_those_of_the_file() -> None:
    desk = Desk("x.md", "‸\r\n\r\n", FILES, support=ClientSupport())
    edit = desk.items[0].text_edit
    assert edit is not None
    assert edit.new_text.count("\n") == edit.new_text.count("\r\n") > 5


_STEM = st.text(
    st.sampled_from(list("abA1é漢😀 -_.#|[](){}<>%&\\`*:\"'~!?@,$\u00a0\u2028\x07")), min_size=1, max_size=6
).filter(lambda stem: not stem.strip().startswith(".")) | st.sampled_from(
    ["123", "no", "null", "2026-01-02", "CON", "user_x", "- a", "a: b", "~", "feedback_", "1e3", "0x1"]
)


@given(
    _STEM,
    st.sampled_from(["", "team/"]),
    st.sampled_from(["‸", "---‸", "\n \n‸\n", "‸\nprose\n", "\ufeff‸"]),
    st.sampled_from(list(Dialect)),
    st.booleans(),
    st.sampled_from(ENCODINGS),
    st.sampled_from([(), ("metadata.createdAt", "metadata.updatedAt"), ("created", "updated"), ("modified",)]),
)
@settings(max_examples=200, deadline=None)
def test_nothing_is_wrong_with_any_new_memory(
    stem: str, folder: str, marked: str, dialect: Dialect, snippets: bool, encoding: object, dates: tuple[str, ...]
) -> None:
    key = f"{folder}{stem}.md"
    support = ClientSupport(encoding=encoding, snippets=snippets)  # type: ignore[arg-type]
    desk = Desk(key, marked, FILES, support=support, style=Style(dialect, date_keys=dates))
    assert desk.items
    for item in desk.items:
        directory = directory_of({**desk.texts, key: desk.after(item)})
        document = directory.documents[key]
        assert document.frontmatter is not None
        assert document.frontmatter.closed
        assert document.name
        wanted = Dialect.NESTED if dialect is Dialect.NONE else dialect
        assert document.dialect is wanted
        found = checked(directory, today=date.today()).get(key, [])
        faults = {finding.code for finding in found if finding.severity is Severity.ERROR}
        assert faults <= ({"name-unsafe"} if "\x07" in stem else set())
        assert not {finding.code for finding in found} & {
            "type-missing",
            "date-invalid",
            "feedback-structure",
            "date-order",
        }
