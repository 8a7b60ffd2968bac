"""Fixes of the frontmatter block, by example: what was there, and what is there afterwards, to the byte."""

from __future__ import annotations

import pytest

from memory_ls.documents.edits import CannotEditError
from memory_ls.rules.fixes.fix_all import fix_all
from tests.making import memory
from tests.rules.fixes.applying import after, changed, context_of, fixes, titles

_KEY = "tide-tables.md"


def block(lines: str, body: str = "\nOn the wall.\n", *, end: str = "---\n") -> str:
    return f"---\n{lines}{end}{body}"


def mended(code: str, text: str, title: str | None = None) -> str:
    return after(code, {_KEY: text, **_OTHERS}, _KEY, title)


_OTHERS = {f"{name}.md": memory(name) for name in ("ferry", "berth", "quay")}


class TestValuesInQuotes:
    @pytest.mark.parametrize(
        ("value", "fixed"),
        [
            ("Use when: the user asks", '"Use when: the user asks"'),
            ('"Foo" bar', "'\"Foo\" bar'"),
            ('it\'s "so": yes', '"it\'s \\"so\\": yes"'),
            ("@home", '"@home"'),
            ("`make check` runs all", '"`make check` runs all"'),
            ("%d of them", '"%d of them"'),
            ("[draft] tables", '"[draft] tables"'),
            ("- a dash", '"- a dash"'),
            ('"never closed', '"never closed"'),
            ("停航：船长决定: 是", '"停航：船长决定: 是"'),
            ("C:\\tide: x", "'C:\\tide: x'"),
            ("foo: bar  # a comment", '"foo: bar"  # a comment'),
            ("ticket: #318", '"ticket: #318"'),
            ("!important", '"!important"'),
        ],
    )
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_an_invalid_value(self, value: str, fixed: str, end: str) -> None:
        text = block(f"name: tide-tables\ndescription: {value}\nextra:   kept # so\ntype: project\n")
        text = text.replace("\n", end)
        assert mended("frontmatter-invalid", text) == text.replace(value, fixed)

    def test_every_value_by_itself(self) -> None:
        text = block("name: a: b\ndescription: c: d\ntype: project\n")
        first, second = (after("frontmatter-invalid", {_KEY: text}, _KEY, number=number) for number in (0, 1))
        assert first == text.replace("a: b", '"a: b"')
        assert second == text.replace("c: d", '"c: d"')

    def test_in_metadata(self) -> None:
        text = block("name: tide-tables\ndescription: x\nmetadata:\n  type: project\n  source: chat: 3\n")
        assert mended("frontmatter-invalid", text) == text.replace("chat: 3", '"chat: 3"')

    def test_an_open_list_is_no_text_unasked(self) -> None:
        text = block("name: tide-tables\ndescription: x\ntags: [a, b\ntype: project\n")
        assert [fix.safe for fix in fixes("frontmatter-invalid", {_KEY: text}, _KEY)] == [False]

    @pytest.mark.parametrize(
        ("line", "fixed"),
        [
            ("description: Ask in #auth first", 'description: "Ask in #auth first"'),
            ("description: #auth", 'description: "#auth"'),
            ("description:  see   #3, not #4", 'description:  "see   #3, not #4"'),
            ("description: 票 #3", 'description: "票 #3"'),
        ],
    )
    def test_a_value_that_is_cut(self, line: str, fixed: str) -> None:
        text = block(f"name: tide-tables\n{line}\ntype: project\n")
        assert mended("value-cut", text) == text.replace(line, fixed)

    def test_no_key_is_taken_into_the_value_above_it(self) -> None:
        text = block("name: tide-tables\ndescription: Use when: asked\n  node_type: memory\n  type: user\n")
        assert fixes("frontmatter-invalid", {_KEY: text, **_OTHERS}, _KEY) == []

    @pytest.mark.parametrize(
        ("link", "safe"), [("[[dock]]", False), ("[[tide-tables]]", True), ("[t](tide-tables.md)", True)]
    )
    def test_a_name_that_was_cut_is_left_where_links_look_for_what_is_left(self, link: str, safe: bool) -> None:
        texts = {_KEY: block("name: dock #3\ndescription: x\ntype: project\n"), "a.md": memory("a", body=f"{link}\n")}
        [fix] = fixes("value-cut", texts, _KEY)
        assert fix.safe == safe
        assert 'name: "dock #3"\n' in changed(texts, fix.changes())[_KEY]

    @pytest.mark.parametrize("value", ["yes", "123", "2026-04-01", "1.5"])
    def test_a_value_of_another_kind(self, value: str) -> None:
        text = block(f"name: tide-tables\ndescription: {value}\ntype: project\n")
        [fix] = fixes("value-type", {_KEY: text}, _KEY)
        assert fix.safe
        assert mended("value-type", text) == text.replace(f" {value}", f' "{value}"')

    def test_a_list_may_have_been_meant(self) -> None:
        text = block("name: tide-tables\ndescription: [a, b]\ntype: project\n")
        [fix] = fixes("value-type", {_KEY: text}, _KEY)
        assert not fix.safe
        assert mended("value-type", text) == text.replace("[a, b]", '"[a, b]"')

    def test_a_type_is_chosen_instead(self) -> None:
        text = block("name: tide-tables\ndescription: x\nmetadata:\n  type: 3\n")
        assert mended("value-type", text, "Make it a project memory") == text.replace("type: 3", "type: project")


class TestUnclosed:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_behind_the_last_key(self, end: str) -> None:
        text = "---\nname: tide-tables\ndescription: 潮\ntype: project\n\nText.\n".replace("\n", end)
        fixed = "---\nname: tide-tables\ndescription: 潮\ntype: project\n---\n\nText.\n".replace("\n", end)
        [fix] = fixes("frontmatter-unclosed", {_KEY: text}, _KEY)
        assert fix.safe
        assert mended("frontmatter-unclosed", text) == fixed

    def test_only_when_asked_where_text_follows_at_once(self) -> None:
        text = "---\nname: tide-tables\ndescription: x\nSome text.\n"
        [fix] = fixes("frontmatter-unclosed", {_KEY: text}, _KEY)
        assert not fix.safe
        assert mended("frontmatter-unclosed", text) == "---\nname: tide-tables\ndescription: x\n---\nSome text.\n"

    def test_at_the_end_of_a_file_without_a_last_line_end(self) -> None:
        text = "---\nname: tide-tables\ndescription: x"
        assert mended("frontmatter-unclosed", text) == f"{text}\n---\n"


class TestLines:
    def test_tabs_become_spaces(self) -> None:
        text = block("name: tide-tables\ndescription: x\nmetadata:\n\ttype: project\n\tcreatedAt: 2026-01-01\n")
        assert mended("frontmatter-invalid", text) == text.replace("\t", "  ")

    def test_tabs_become_what_the_neighbours_have(self) -> None:
        text = block("name: tide-tables\ndescription: x\nmetadata:\n    type: project\n\tcreatedAt: 2026-01-01\n")
        assert mended("frontmatter-invalid", text) == text.replace("\t", "    ")

    def test_a_space_behind_the_colon(self) -> None:
        text = block("name:tide-tables\ndescription: x\ntype: project\n")
        assert mended("frontmatter-invalid", text) == text.replace("name:", "name: ")

    def test_the_second_of_two_equal_keys_goes(self) -> None:
        text = block("name: tide-tables\ndescription: x\nstatus: open\nother: 1\nstatus: open\n")
        [fix] = fixes("duplicate-key", {_KEY: text}, _KEY)
        assert fix.safe
        assert mended("duplicate-key", text) == text.replace("other: 1\nstatus: open\n", "other: 1\n")

    def test_all_that_repeat_the_first_go(self) -> None:
        text = block("name: tide-tables\ndescription: x\nstatus: open\nstatus: open\nstatus: open\n")
        context = context_of({_KEY: text})
        assert changed({_KEY: text}, fix_all(context, [_KEY]).changes)[_KEY] == text.replace("status: open\n", "", 2)

    def test_of_three_the_last_may_count(self) -> None:
        text = block("name: tide-tables\ndescription: x\nstatus: open\nstatus: done\nstatus: open\n")
        assert not any(
            fix.safe for number in (0, 1) for fix in fixes("duplicate-key", {_KEY: text}, _KEY, number=number)
        )

    def test_metadata_that_stands_twice(self) -> None:
        text = block("name: tide-tables\ndescription: x\nmetadata:\n  type: user\nmetadata:\n  type: user\n")
        assert mended("duplicate-key", text) == text.replace("metadata:\n  type: user\n", "", 1)

    def test_a_line_that_is_no_part_of_the_value_is_not_taken_for_one(self) -> None:
        text = block("name: tide-tables\n- a stray item\ndescription: x\n")
        assert titles("frontmatter-invalid", {_KEY: text}, _KEY) == []

    def test_one_of_two_different_keys_is_chosen(self) -> None:
        text = block("name: tide-tables\ndescription: old\ndescription: new\ntype: project\n")
        assert titles("duplicate-key", {_KEY: text}, _KEY) == [
            "Keep the first value, `old`",
            "Keep the second value, `new`",
        ]
        assert not any(fix.safe for fix in fixes("duplicate-key", {_KEY: text}, _KEY))
        assert mended("duplicate-key", text, "Keep the first value, `old`") == text.replace("description: new\n", "")
        assert mended("duplicate-key", text, "Keep the second value, `new`") == text.replace("description: old\n", "")

    def test_keys_move_into_metadata(self) -> None:
        lines = "name: tide-tables\ndescription: x\nmetadata: \ntype: project\ncreatedAt: 2026-01-01 # so\n"
        fixed = "name: tide-tables\ndescription: x\nmetadata: \n  type: project\n  createdAt: 2026-01-01 # so\n"
        assert mended("damaged-metadata", block(lines)) == block(fixed)

    def test_keys_move_past_others(self) -> None:
        lines = "name: tide-tables\nmetadata:\ndescription: x\ntype: project\n"
        fixed = "name: tide-tables\nmetadata:\n  type: project\ndescription: x\n"
        assert mended("damaged-metadata", block(lines)) == block(fixed)

    def test_what_is_not_understood_is_mended_first(self) -> None:
        text = block("name: a: b\ndescription: x\nmetadata:\ntype: project\n")
        assert titles("damaged-metadata", {_KEY: text}, _KEY) == []

    def test_keys_between_braces_are_left_alone(self) -> None:
        text = block("{name: tide-tables, description: x, description: x}\n")
        [fix] = fixes("duplicate-key", {_KEY: text}, _KEY)
        with pytest.raises(CannotEditError):
            fix.changes()
