"""The rules about the frontmatter block."""

from __future__ import annotations

import time

import pytest

from memory_ls.rules.registry import Severity
from memory_ls.settings import Settings
from tests.making import assert_found, assert_quiet, checked, codes_in, directory_of, findings, memory, unmarked

_NEIGHBOURS = {f"neighbour-{number}.md": memory(f"neighbour-{number}", f"Number {number}") for number in range(3)}


def _one(text: str) -> dict[str, str]:
    return {"tides.md": text}


def _block(lines: str, body: str = "\nText.\n") -> str:
    return f"---\n{lines}---\n{body}"


class TestFrontmatterMissing:
    def test_a_memory_without_among_memories_with_it(self) -> None:
        texts = {**_NEIGHBOURS, "tides.md": "⟪The tides turn at six.⟫\n\nMore.\n"}
        assert_found("frontmatter-missing", texts, "tides.md", late=False)

    def test_a_block_that_begins_too_late(self) -> None:
        texts = {**_NEIGHBOURS, "tides.md": "⟪\n---⟫\nname: tides\n---\n\nText.\n"}
        assert_found("frontmatter-missing", texts, "tides.md", late=True)

    def test_is_quiet_where_most_have_none(self) -> None:
        texts = {"a.md": memory("a"), "tides.md": "Text.\n", "ports.md": "Text.\n"}
        assert_quiet("frontmatter-missing", texts, "tides.md")

    def test_is_quiet_about_an_empty_file_and_a_readme(self) -> None:
        texts = {**_NEIGHBOURS, "tides.md": "\n \n", "README.md": "# Read me\n"}
        assert codes_in(texts) == {"neighbour-0.md": ["index-missing"], "tides.md": ["body-empty"]}

    def test_is_quiet_about_the_index(self) -> None:
        texts = {**_NEIGHBOURS, "MEMORY.md": "".join(f"- [N]({key})\n" for key in _NEIGHBOURS)}
        assert codes_in(texts) == {}


class TestFrontmatterUnclosed:
    def test_with_a_blank_line_behind_the_last_key(self) -> None:
        text = "⟪---⟫\nname: tides\ndescription: When\n\nThe tides turn.\n"
        finding = assert_found("frontmatter-unclosed", _one(text), "tides.md", blank_follows=True)
        insert_at = finding.data["insert_at"]
        assert isinstance(insert_at, int)
        assert unmarked(text)[0][:insert_at].endswith("description: When\n")

    def test_with_text_right_behind_the_last_key(self) -> None:
        text = "⟪---⟫\nname: tides\nThe tides turn.\n"
        assert_found("frontmatter-unclosed", _one(text), "tides.md", blank_follows=False)

    def test_when_a_rule_of_the_body_stands_where_the_end_might_be(self) -> None:
        text = "⟪---⟫\nname: tides\n\nThe tides turn at six.\n\n---\n\nMore.\n"
        assert_found("frontmatter-unclosed", _one(text), "tides.md")

    def test_at_the_end_of_the_file(self) -> None:
        assert_found("frontmatter-unclosed", _one("⟪---⟫\nname: tides\n"), "tides.md")

    def test_the_keys_are_still_understood(self) -> None:
        value = directory_of(_one("---\nname: tides\ntype: user\n\nText.\n"))
        assert (value.documents["tides.md"].name, value.documents["tides.md"].type) == ("tides", "user")

    @pytest.mark.parametrize(
        "text",
        [
            "---\n\nA rule, and no frontmatter.\n",
            "---\nProse under a rule.\n",
            memory("tides", body="Above.\n\n---\n\nBelow.\n"),
            memory("tides", body="```yaml\n---\nname: x\n```\n"),
            "---\r\nname: tides\r\n---\r\n\r\nText.\r\n",
            "---   \nname: tides\n---\t\nText.\n",
        ],
    )
    def test_is_quiet_about_a_closed_block_and_about_rules(self, text: str) -> None:
        assert_quiet("frontmatter-unclosed", _one(text), "tides.md")


class TestFrontmatterInvalid:
    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ("Use when: the tide turns", "colon followed by a space"),
            ("2026-05-14: do not sail", "colon followed by a space"),
            ("ends in a colon:", "colon"),
            ('"Foo" bar', "text follows the closing quote"),
            ("'Foo' bar", "text follows the closing quote"),
            ('"통과" 한마디면 병합', "text follows the closing quote"),
            ('"never closed', "never closed"),
            ('"a \\d b"', "backslash"),
            ("@mention first", "`@`"),
            ("`code` first", "backtick"),
            ("%d boats", "`%`"),
            ("*bold* first", "`*`"),
            ("[draft] of it", "list"),
            ("{x} of it", "mapping"),
            ("- of it", "list"),
            ("| of it", "block of lines"),
            ("> of it", "block of lines"),
            (", of it", "comma"),
            ("] of it", "`]`"),
        ],
    )
    def test_a_value_is_told_at_its_place_in_plain_words(self, value: str, reason: str) -> None:
        text = _block(f"name: tides\ndescription: ⟪{value}⟫\ntype: user\n")
        finding = assert_found("frontmatter-invalid", _one(text), "tides.md", key="description")
        assert reason in finding.message

    @pytest.mark.parametrize("value", ["&ref of it", "!tag of it"])
    def test_an_anchor_or_a_tag_takes_text_away_or_gives_it_a_type(self, value: str) -> None:
        found = checked(directory_of(_one(_block(f"name: tides\ndescription: {value}\n"))))
        assert [d.code for d in found.get("tides.md", [])] in (["frontmatter-invalid"], [])

    def test_one_faulty_value_is_one_finding_and_hides_no_other_key(self) -> None:
        texts = _one(_block("name: tides\ndescription: Use when: needed\nmetadata:\n  type: user\n"))
        assert codes_in(texts) == {"tides.md": ["frontmatter-invalid"]}
        document = directory_of(texts).documents["tides.md"]
        assert (document.name, document.type, document.description) == ("tides", "user", "Use when: needed")

    def test_a_faulty_name_is_still_a_name(self) -> None:
        texts = {
            "tides.md": _block("name: Rule: tides\ndescription: d\n"),
            "b.md": memory("b", body="[[Rule: tides]]\n"),
        }
        assert codes_in(texts) == {"tides.md": ["frontmatter-invalid"]}

    def test_several_faulty_values_are_told_each(self) -> None:
        text = _block("name: ⟪@x⟫\ndescription: ⟪a: b⟫\ntype: user\n")
        assert_found("frontmatter-invalid", _one(text), "tides.md", key="name")

    def test_inside_metadata(self) -> None:
        text = _block("name: tides\ndescription: d\nmetadata:\n  type: user\n  source: ⟪chat: of May⟫\n")
        assert_found("frontmatter-invalid", _one(text), "tides.md", key="source")
        assert directory_of(_one(unmarked(text)[0])).documents["tides.md"].type == "user"

    def test_a_tab_in_front_of_a_key(self) -> None:
        text = _block("name: tides\ndescription: d\nmetadata:\n\ttype: ⟪user⟫\n")
        finding = assert_found("frontmatter-invalid", _one(text), "tides.md", key="type")
        assert "tab" in finding.message

    def test_a_line_that_is_no_key(self) -> None:
        text = _block("name: tides\n⟪some words⟫\ndescription: d\n")
        found = findings("frontmatter-invalid", _one(text), "tides.md")
        assert len(found) == 1

    @pytest.mark.parametrize(
        "value",
        [
            "Runs at 12:30, see http://quay.example/a:b",
            '"Use when: the tide turns"',
            "'Use when: it''s due'",
            "a [draft] of {it} & more *here* @desk!",
            "${TIDE} and <name>",
            "a \\n b",
            "说明：何时启航",
            '"say \\"go\\" first"',
            "|\n  Use when: the tide turns\n  and more",
            ">-\n  Use when: needed",
        ],
    )
    def test_is_quiet_about_values_that_only_look_odd(self, value: str) -> None:
        assert_quiet(
            "frontmatter-invalid", _one(_block(f"name: tides\ndescription: {value}\ntype: user\n")), "tides.md"
        )

    def test_a_line_separator_in_a_value_is_part_of_it(self) -> None:
        texts = _one(_block("name: tides\ndescription: one\u2028two\u0085three\ntype: user\n"))
        assert codes_in(texts) == {}
        assert directory_of(texts).documents["tides.md"].description == "one\u2028two\u0085three"

    def test_a_bomb_of_aliases_takes_no_time(self) -> None:
        lines = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n'
        lines += "".join(
            f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
        started = time.perf_counter()
        checked(directory_of(_one(_block(f"name: tides\n{lines}"))))
        checked(directory_of(_one(_block(f"name: {'[' * 5_000}\n"))))
        assert time.perf_counter() - started < 10  # it would take for ever

    def test_merge_conflict_markers_are_one_finding(self) -> None:
        text = _block(
            "name: tides\n<<<<<<< ours\ndescription: a\n=======\ndescription: b\n>>>>>>> theirs\ntype: user\n"
        )
        assert codes_in(_one(text)) == {"tides.md": ["conflict-marker"]}


class TestFrontmatterNotMapping:
    @pytest.mark.parametrize("lines", ["⟪- tides\n- ports⟫\n", "⟪just words⟫\n", "⟪[a, b]⟫\n"])
    def test_a_list_or_words_in_place_of_keys(self, lines: str) -> None:
        assert_found("frontmatter-not-mapping", _one(_block(lines)), "tides.md")
        assert codes_in(_one(_block(unmarked(lines)[0]))) == {"tides.md": ["frontmatter-not-mapping"]}

    @pytest.mark.parametrize(
        "text", ["---\n---\n\nText.\n", "---\n# only a comment\n---\n\nText.\n", "---\n\nText.\n\n---\n"]
    )
    def test_is_quiet_about_an_empty_block_and_about_two_rules(self, text: str) -> None:
        assert_quiet("frontmatter-not-mapping", _one(text), "tides.md")


class TestDuplicateKey:
    def test_with_two_values(self) -> None:
        text = _block("name: tides\ndescription: a\n⟪description⟫: b\n")
        finding = assert_found("duplicate-key", _one(text), "tides.md", key="description", same=False)
        assert [(r.key, r.span.of(unmarked(text)[0])) for r in finding.related] == [("", "description")]

    def test_with_one_value_twice(self) -> None:
        assert_found("duplicate-key", _one(_block("name: tides\n⟪name⟫: tides\n")), "tides.md", same=True)

    def test_inside_metadata(self) -> None:
        text = _block("name: tides\nmetadata:\n  type: user\n  ⟪type⟫: project\n")
        assert_found("duplicate-key", _one(text), "tides.md", key="type", same=False)

    def test_is_quiet_about_the_same_key_at_two_levels(self) -> None:
        assert_quiet("duplicate-key", _one(_block("name: tides\nmetadata:\n  name: tides\n  type: user\n")), "tides.md")


class TestDamagedMetadata:
    def test_empty_metadata_with_its_keys_below(self) -> None:
        text = _block("name: tides\ndescription: d\n⟪metadata⟫: \nnode_type: memory\ntype: user\n")
        assert_found("damaged-metadata", _one(text), "tides.md")
        assert codes_in(_one(unmarked(text)[0])) == {"tides.md": ["damaged-metadata"]}

    @pytest.mark.parametrize(
        "lines",
        [
            "name: tides\ndescription: d\nmetadata: \n  node_type: memory\n  type: user\n",
            "name: tides\ndescription: d\nmetadata:\n",
            "name: tides\ndescription: d\nmetadata: {type: user}\n",
            "name: tides\ndescription: d\ntype: user\nmetadata:\n",
            "name: tides\ndescription: d\nmetadata:\ntags: [a]\n",
        ],
    )
    def test_is_quiet_about_whole_metadata_and_about_none(self, lines: str) -> None:
        assert_quiet("damaged-metadata", _one(_block(lines)), "tides.md")


class TestValueCut:
    def test_text_behind_a_number_sign_is_lost(self) -> None:
        text = _block("name: RSS feed (issue ⟪#10)⟫\ndescription: d\n")
        assert_found("value-cut", _one(text), "tides.md", key="name")

    def test_the_whole_text_may_be_lost(self) -> None:
        text = _block("name: tides\ndescription: ⟪#34 brings the feed⟫\n")
        finding = assert_found("value-cut", _one(text), "tides.md", key="description")
        assert finding.data["value_start"] == text.index("description:") + len("description:")
        assert codes_in(_one(unmarked(text)[0])) == {"tides.md": ["value-cut"]}

    @pytest.mark.parametrize(
        "line",
        ["a # a comment", '"a #10"', "a#10", "C#sharp", "'a #10'", '"a" #10', "|\n  a #10"],
    )
    def test_is_quiet_about_comments_and_quoted_values(self, line: str) -> None:
        assert_quiet("value-cut", _one(_block(f"name: tides\ndescription: {line}\n")), "tides.md")

    def test_is_quiet_about_other_keys(self) -> None:
        assert_quiet("value-cut", _one(_block("name: tides\ndescription: d\nsource: chat #10\n")), "tides.md")


class TestValueType:
    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ("123", "integer"),
            ("1.5", "number"),
            ("yes", "boolean"),
            ("off", "boolean"),
            ("true", "boolean"),
            ("null", "null"),
            ("~", "null"),
            ("2026-04-01", "date"),
            ("2026-02-31", "date"),
            ("[a, b]", "list"),
            ("{a: b}", "mapping"),
            ("0x1F", "integer"),
        ],
    )
    @pytest.mark.parametrize("key", ["name", "description", "type"])
    def test_a_value_that_yaml_does_not_read_as_text(self, key: str, value: str, kind: str) -> None:
        keys = {"name": "tides", "description": "d", "type": "user"} | {key: f"⟪{value}⟫"}
        text = _block("".join(f"{name}: {given}\n" for name, given in keys.items()))
        assert_found("value-type", _one(text), "tides.md", key=key, kind=kind)
        assert "must be a string" in findings("value-type", _one(text), "tides.md")[0].message

    def test_of_a_list_on_lines_of_its_own(self) -> None:
        text = _block("name: tides\ndescription:\n  ⟪- a\n  - b⟫\n")
        assert_found("value-type", _one(text), "tides.md", kind="list")

    def test_of_a_number_of_five_thousand_digits(self) -> None:
        assert_found("value-type", _one(_block(f"name: ⟪{'9' * 5_000}⟫\ndescription: d\n")), "tides.md")

    @pytest.mark.parametrize(
        "value", ['"123"', "'yes'", "12 boats", "v1.5", "2026-04-01 plan", "yes, do", "nulls", "|\n  123"]
    )
    def test_is_quiet_about_text(self, value: str) -> None:
        assert_quiet("value-type", _one(_block(f"name: {value}\ndescription: {value}\n")), "tides.md")

    def test_is_quiet_about_other_keys(self) -> None:
        lines = "name: tides\ndescription: d\npinned: true\nconfidence: 0.9\ntags: [a]\ncreated: 2026-04-01\nexpires:\n"
        assert codes_in(_one(_block(lines))) == {}

    def test_is_quiet_about_a_name_that_is_missing(self) -> None:
        assert_quiet("value-type", _one(_block("name:\ndescription: d\n")), "tides.md")


class TestNameMissing:
    @pytest.mark.parametrize("value", ["", ' ""', " ''", ' "  "', " # nothing"])
    def test_an_empty_name(self, value: str) -> None:
        assert_found("name-missing", _one(_block(f"⟪name⟫:{value}\ndescription: d\n")), "tides.md", empty=True)

    def test_an_absent_name(self) -> None:
        assert_found("name-missing", _one("⟪---⟫\ndescription: d\n---\n\nText.\n"), "tides.md", empty=False)

    def test_an_empty_block(self) -> None:
        texts = _one("⟪---⟫\n---\nbody\n")
        assert_found("name-missing", texts, "tides.md", empty=False)
        assert directory_of({"a.md": "---\n---\nbody\n"}).documents["a.md"].body_text == "body\n"

    def test_is_quiet_where_most_memories_have_none(self) -> None:
        texts = {
            f"{letter}.md": f"---\ntitle: {letter}\ndescription: d\n---\n\nText of {letter}.\n" for letter in "abcd"
        }
        assert codes_in(texts) == {"a.md": ["index-missing"]}

    def test_is_quiet_about_a_memory_without_frontmatter(self) -> None:
        assert codes_in(_one("Text.\n")) == {}


class TestDescriptionMissing:
    def test_an_empty_or_absent_one(self) -> None:
        assert_found("description-missing", _one(_block("name: tides\n⟪description⟫:\n")), "tides.md", empty=True)
        assert_found("description-missing", _one("⟪---⟫\nname: tides\n---\n\nText.\n"), "tides.md", empty=False)

    def test_is_quiet_where_most_memories_have_none(self) -> None:
        texts = {f"{letter}.md": f"---\nname: {letter}\n---\n\nText of {letter}.\n" for letter in "abcd"}
        assert_quiet("description-missing", texts, "a.md")


class TestDescriptionLong:
    def test_over_the_limit(self) -> None:
        long = "潮" * 201
        assert_found("description-long", _one(memory("tides", f"⟪{long}⟫")), "tides.md", length=201)

    def test_is_quiet_at_the_limit_and_follows_the_setting(self) -> None:
        assert_quiet("description-long", _one(memory("tides", "潮" * 200)), "tides.md")
        assert_found(
            "description-long", _one(memory("tides", '⟪"12345"⟫')), "tides.md", settings=Settings(description_length=4)
        )


class TestTypeMissing:
    def test_in_metadata_without_one(self) -> None:
        texts = {
            **_NEIGHBOURS,
            "tides.md": "⟪---⟫\nname: tides\ndescription: d\nmetadata:\n  node_type: memory\n---\n\nText.\n",
        }
        assert_found("type-missing", texts, "tides.md", empty=False)

    def test_an_empty_one(self) -> None:
        assert_found("type-missing", _one(_block("name: tides\ndescription: d\n⟪type⟫:\n")), "tides.md", empty=True)

    def test_is_quiet_about_the_bare_dialect(self) -> None:
        bare = memory("tides", kind=None)
        assert_quiet("type-missing", {**_NEIGHBOURS, "tides.md": bare}, "tides.md")
        assert_quiet(
            "type-missing", _one(_block("name: tides\ndescription: d\nmetadata:\n  pinned: true\n")), "tides.md"
        )


class TestTypeUnknown:
    @pytest.mark.parametrize(
        ("given", "meant"),
        [
            ("feedbak", "feedback"),
            ("projects", "project"),
            ("Reference", "reference"),
            ("usr", "user"),
            ("banana", None),
        ],
    )
    def test_with_did_you_mean(self, given: str, meant: str | None) -> None:
        for nested in (True, False):
            text = memory("tides", kind=f"⟪{given}⟫", nested=nested)
            finding = assert_found("type-unknown", _one(text), "tides.md", type=given, meant=meant)
            assert (f"Did you mean `{meant}`" in finding.message) is (meant is not None)

    def test_a_preference_is_not_a_misspelt_reference(self) -> None:
        assert_found("type-unknown", _one(memory(kind="⟪preference⟫")), "tides.md", meant=None)

    @pytest.mark.parametrize("kind", ["user", "feedback", "project", "reference", '"user"'])
    def test_is_quiet_about_the_four(self, kind: str) -> None:
        assert_quiet("type-unknown", _one(memory(kind=kind, body="**Why:** x\n")), "tides.md")

    def test_is_quiet_about_a_type_that_the_directory_made_its_own(self) -> None:
        texts = {"a.md": memory("a", kind="decision"), "b.md": memory("b", kind="decision")}
        assert_quiet("type-unknown", texts, "a.md")
        assert_quiet("type-unknown", {"decisions/a.md": memory("a", kind="decision")}, "decisions/a.md")
        preferences = {"a.md": memory("a", kind="preference"), "b.md": memory("b", kind="preference")}
        assert_quiet("type-unknown", preferences, "a.md")

    def test_a_slip_made_twice_is_still_a_slip(self) -> None:
        texts = {"a.md": memory("a", kind="⟪feedbak⟫"), "b.md": memory("b", kind="feedbak")}
        assert_found("type-unknown", texts, "a.md")


class TestTypeConflict:
    def test_top_level_and_metadata_disagree(self) -> None:
        text = _block("name: tides\ndescription: d\ntype: ⟪user⟫\nmetadata:\n  type: project\n")
        finding = assert_found("type-conflict", _one(text), "tides.md", top="user", nested="project")
        assert len(finding.related) == 1

    def test_is_quiet_when_they_agree(self) -> None:
        text = _block("name: tides\ndescription: d\ntype: user\nmetadata:\n  type: user\n")
        assert codes_in(_one(text)) == {}


class TestWhatIsRight:
    @pytest.mark.parametrize(
        "text",
        [
            memory("tide-tables"),
            memory("Tide tables, and where they hang", nested=False),
            memory("tide-tables", kind=None),
            "\ufeff" + memory("tide-tables"),
            memory("tide-tables").replace("\n", "\r\n"),
            memory("tide-tables").replace("metadata:", "metadata: "),
            memory("tide-tables", extra="# a comment\ntags: [a, b]\nmodified: 2026-04-01T10:00:00.000Z\n"),
            memory("tide-tables", extra="# 1. Not a heading\naliases:\n- x\n- y\n"),
            memory("tide-tables", '"a \\"quoted\\" word: and more"'),
            memory("潮汐表", "潮汐表挂在哪里", body="挂在门边。\n"),
            memory("조석표", "조석표 위치", body="문 옆.\n"),
            memory("tide-tables", body="```astro\n---\nimport x\n---\n```\n\n---\n\nEnd.\n"),
            memory("tide-tables").removesuffix("\n"),
            "---\nname: tide-tables\ndescription: d\ntype: user\n---\nNo blank line above.\n",
        ],
        ids=lambda text: text[:30].replace("\n", " "),
    )
    def test_has_no_findings(self, text: str) -> None:
        assert (
            codes_in({"tide-tables.md": text}) == {}
            or codes_in({"潮汐表.md": text}) == {}
            or codes_in({"조석표.md": text}) == {}
        )

    def test_severity_words(self) -> None:
        assert [severity.word for severity in Severity] == ["error", "warning", "information", "hint"]


def test_a_block_in_two_versions_has_no_other_finding() -> None:
    conflict = "<<<<<<< ours\n---\nname: a\n---\n\nOne.\n=======\n---\nname: b\n---\n\nTwo.\n>>>>>>> theirs\n"
    texts = {"a.md": conflict, "b.md": memory("b")}
    assert codes_in(texts) == {"a.md": ["conflict-marker"]}


def test_a_tab_is_cured_by_spaces() -> None:
    [invalid] = findings(
        "frontmatter-invalid",
        {"a.md": "---\nname: a\ndescription: d\nmetadata:\n\ttype: project\n---\n\nText.\n"},
        "a.md",
    )
    assert invalid.message.endswith("Use spaces.")


def test_a_list_that_is_never_closed_is_called_so() -> None:
    [invalid] = findings(
        "frontmatter-invalid", {"a.md": "---\nname: a\ndescription: d\ntags: [a, b\n---\n\nText.\n"}, "a.md"
    )
    assert "never closes it" in invalid.message


def test_a_missing_space_behind_the_colon_is_called_so() -> None:
    found = findings("frontmatter-invalid", {"a.md": "---\nname:a\ndescription: d\n---\n\nText.\n"}, "a.md")
    assert any("a space is missing behind the colon" in finding.message for finding in found)
