"""Fixes of name, description and type, by example."""

from __future__ import annotations

import pytest

from tests.making import memory
from tests.rules.fixes.applying import after, fixes, titles

_NESTED = {f"{name}.md": memory(name) for name in ("ferry", "berth", "quay")}
_FLAT = {f"user_{name}.md": memory(f"The {name}", kind="user", nested=False) for name in ("ferry", "berth", "quay")}


class TestName:
    @pytest.mark.parametrize(
        ("key", "name"),
        [
            ("seat-hold.md", "seat-hold"),
            ("user_Role.md", "role"),
            ("停航规则.md", "停航规则"),
            ("v1.2 notes.md", "v1.2-notes"),
        ],
    )
    def test_comes_from_the_file(self, key: str, name: str) -> None:
        text = memory(None, "x")
        [fix] = fixes("name-missing", {**_NESTED, key: text}, key)
        assert fix.safe
        assert after("name-missing", {**_NESTED, key: text}, key) == text.replace("---\n", f"---\nname: {name}\n", 1)

    def test_fills_the_one_that_is_empty(self) -> None:
        text = memory('""', "x").replace("\n", "\r\n")
        fixed = text.replace('name: ""', 'name: "seat-hold"')
        assert after("name-missing", {**_NESTED, "seat-hold.md": text}, "seat-hold.md") == fixed

    def test_is_none_that_another_memory_has(self) -> None:
        text = memory(None, "x")
        assert "name: ferry-2\n" in after("name-missing", {**_NESTED, "team/ferry.md": text}, "team/ferry.md")

    def test_is_a_title_where_the_others_have_titles(self) -> None:
        text = memory(None, "x", nested=False)
        assert "name: Seat hold\n" in after("name-missing", {**_FLAT, "user_seat_hold.md": text}, "user_seat_hold.md")

    def test_of_null_is_asked_for(self) -> None:
        text = memory("~", "x")
        [fix] = fixes("value-type", {**_NESTED, "seat-hold.md": text}, "seat-hold.md")
        assert not fix.safe
        assert "name: seat-hold\n" in after("value-type", {**_NESTED, "seat-hold.md": text}, "seat-hold.md")


class TestDescription:
    def test_is_the_first_sentence(self) -> None:
        text = memory("seat-hold", None, body="# Holds\n\nA **seat** waits for [ten](x.md) minutes. Then it is free.\n")
        fixed = text.replace("name: seat-hold\n", "name: seat-hold\ndescription: A seat waits for ten minutes\n")
        [fix] = fixes("description-missing", {**_NESTED, "seat-hold.md": text}, "seat-hold.md")
        assert not fix.safe
        assert after("description-missing", {**_NESTED, "seat-hold.md": text}, "seat-hold.md") == fixed

    def test_is_quoted_where_it_has_to_be(self) -> None:
        text = memory("seat-hold", None, body="注意: 停航。\n")
        fixed = after("description-missing", {**_NESTED, "seat-hold.md": text}, "seat-hold.md")
        assert 'description: "注意: 停航"\n' in fixed

    def test_never_holds_a_secret(self) -> None:
        text = memory("seat-hold", None, body="token: ghp_x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi\n")
        assert titles("description-missing", {**_NESTED, "seat-hold.md": text}, "seat-hold.md") == []


class TestType:
    def test_is_chosen(self) -> None:
        text = memory("seat-hold", "x", None, extra="metadata:\n  node_type: memory\n")
        texts = {**_NESTED, "seat-hold.md": text}
        assert titles("type-missing", texts, "seat-hold.md") == [
            f"Make it a {kind} memory" for kind in ("user", "feedback", "project", "reference")
        ]
        assert all(fix.is_choice for fix in fixes("type-missing", texts, "seat-hold.md"))
        fixed = text.replace("node_type: memory\n", "node_type: memory\n  type: reference\n")
        assert after("type-missing", texts, "seat-hold.md", "Make it a reference memory") == fixed

    def test_of_the_file_comes_first(self) -> None:
        text = memory("seat-hold", "x", None, extra="metadata:\n  node_type: memory\n")
        first = fixes("type-missing", {**_NESTED, "reference_seat-hold.md": text}, "reference_seat-hold.md")[0]
        assert (first.title, first.is_choice, first.safe) == ("Make it a reference memory", False, False)

    def test_that_was_meant_comes_first(self) -> None:
        text = memory("seat-hold", "x", "projct")
        texts = {**_NESTED, "seat-hold.md": text}
        assert titles("type-unknown", texts, "seat-hold.md")[0] == "Change to `project`"
        assert after("type-unknown", texts, "seat-hold.md") == text.replace("projct", "project")

    def test_stands_once_after_a_conflict(self) -> None:
        text = memory("seat-hold", "x", "project", extra="type: user\n")
        texts = {**_NESTED, "seat-hold.md": text}
        assert after("type-conflict", texts, "seat-hold.md", "Keep `project`") == text.replace("type: user\n", "")
        kept = text.replace("  type: project", "  type: user").replace("\ntype: user\n", "\n")
        assert after("type-conflict", texts, "seat-hold.md", "Keep `user`") == kept


class TestFrontmatter:
    def test_comes_on_top(self) -> None:
        text = "# Holds\r\n\r\nA seat waits for ten minutes.\r\n"
        texts = {**_NESTED, "project_seat-hold.md": text}
        assert titles("frontmatter-missing", texts, "project_seat-hold.md") == [
            "Put frontmatter of a project memory on top"
        ]
        block = "---\nname: seat-hold\ndescription: A seat waits for ten minutes\nmetadata:\n  type: project\n---\n\n"
        assert after("frontmatter-missing", texts, "project_seat-hold.md") == block.replace("\n", "\r\n") + text

    def test_describes_by_the_file_what_says_nothing_in_words(self) -> None:
        texts = {**_NESTED, "project_seat-hold.md": "```\ncode\n```\n"}
        assert "description: project seat hold\n" in after("frontmatter-missing", texts, "project_seat-hold.md")

    def test_is_of_a_type_that_is_chosen(self) -> None:
        texts = {**_FLAT, "seat-hold.md": "A seat waits.\n"}
        fixed = after("frontmatter-missing", texts, "seat-hold.md", "Put frontmatter of a reference memory on top")
        assert fixed == "---\nname: Seat hold\ndescription: A seat waits\ntype: reference\n---\n\nA seat waits.\n"

    def test_that_begins_too_late_loses_what_stands_before_it(self) -> None:
        text = memory("seat-hold", "x")
        assert after("frontmatter-missing", {**_NESTED, "seat-hold.md": f"\n \n{text}"}, "seat-hold.md") == text
