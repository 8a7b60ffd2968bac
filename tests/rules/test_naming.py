"""The rules about names."""

from __future__ import annotations

import pytest

from tests.making import assert_found, assert_quiet, codes_in, findings, memory, unmarked


class TestNameUnsafe:
    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("a/b", "path separator"),
            ("../x", "path separator"),
            ("'a\\b'", "path separator"),
            (".hidden", "dot"),
            ("CON", "device"),
            ("nul.txt", "device"),
            ("com¹", "device"),
            ('"a\\tb"', "control character"),
            ('"a\\u2028b"', "control character"),
        ],
    )
    def test_where_the_name_is_the_key(self, name: str, reason: str) -> None:
        finding = assert_found("name-unsafe", {"tides.md": memory(f"⟪{name}⟫")}, "tides.md")
        assert reason in str(finding.data["reason"])

    def test_a_title_with_a_line_break(self) -> None:
        text = memory('⟪"Tides\\nand ports"⟫', nested=False)
        assert_found("name-unsafe", {"tides.md": text}, "tides.md")

    @pytest.mark.parametrize(
        "name", ["CI/CD setup", ".NET upgrade", "CON", "C:\\work", "Who? *Me*", "My (Claude's) habits"]
    )
    def test_is_quiet_about_titles(self, name: str) -> None:
        assert_quiet("name-unsafe", {"tides.md": memory(name, nested=False)}, "tides.md")

    @pytest.mark.parametrize("name", ["tide-tables", "潮汐表", "조석표", "v1.2-notes", "console", "a..b"])
    def test_is_quiet_about_safe_keys(self, name: str) -> None:
        assert_quiet("name-unsafe", {"tides.md": memory(name)}, "tides.md")


class TestNameNotKebab:
    @pytest.mark.parametrize("name", ["Tide-tables", "tide_tables", "Tide tables", "tide--tables", "-tides", "tides!"])
    def test_in_the_nested_dialect(self, name: str) -> None:
        assert_found("name-not-kebab", {"tide-tables.md": memory(f"⟪{name}⟫")}, "tide-tables.md")

    @pytest.mark.parametrize("name", ["tide-tables", "tides2", "2-tides", "潮汐-表", "조석표", "café-kai", "हिन्दी"])
    def test_is_quiet_about_words_and_hyphens_in_any_script(self, name: str) -> None:
        assert_quiet("name-not-kebab", {"tides.md": memory(name)}, "tides.md")

    @pytest.mark.parametrize("name", ["Tide Tables", "한자 사용 금지", "tide_tables", "Ψ-EMA weekly θ rolling-lag fix"])
    def test_is_quiet_in_the_other_dialects(self, name: str) -> None:
        assert codes_in({"tides.md": memory(name, nested=False)}) == {}
        assert codes_in({"tides.md": memory(name, kind=None)}) == {}


class TestNameDiffersFromFile:
    def test_when_neither_contains_the_other(self) -> None:
        finding = assert_found(
            "name-differs-from-file", {"ports.md": memory("⟪tide-tables⟫")}, "ports.md", stem="ports"
        )
        assert "ports.md" in finding.message

    @pytest.mark.parametrize(
        ("key", "name"),
        [
            ("tide-tables.md", "tide-tables"),
            ("tide_tables.md", "tide-tables"),
            ("Tide-Tables.md", "tide-tables"),
            ("project_tide-tables.md", "tide-tables"),
            ("project-tide_tables.md", "tide-tables"),
            ("tide-tables.md", "project-tide-tables"),
            ("team/tide-tables.md", "tide-tables"),
            ("feedback_branch-policy.md", "branch-policy"),
            ("停航规则.md", "停航规则"),
        ],
    )
    def test_is_quiet_when_they_are_alike(self, key: str, name: str) -> None:
        assert_quiet("name-differs-from-file", {key: memory(name)}, key)

    @pytest.mark.parametrize("name", ["Tide tables", "潮汐表挂在哪里"])
    def test_is_quiet_about_titles(self, name: str) -> None:
        assert_quiet("name-differs-from-file", {"user_x.md": memory(name, nested=False)}, "user_x.md")
        assert_quiet("name-differs-from-file", {"x-y.md": memory(name, kind=None)}, "x-y.md")


class TestDuplicateName:
    def test_is_told_on_each_with_the_other_as_related(self) -> None:
        texts = {"a.md": memory("⟪tides⟫"), "team/b.md": memory("⟪tides⟫", nested=False)}
        first = assert_found("duplicate-name", texts, "a.md", others=["team/b.md"])
        second = assert_found("duplicate-name", texts, "team/b.md", others=["a.md"])
        ((key, span, _),) = first.related
        assert (key, span) == ("team/b.md", second.span)
        assert "`team/b.md` has" in first.message

    def test_is_one_finding_however_many_there_are(self) -> None:
        texts = {f"{letter}.md": memory("⟪tides⟫", body=f"{letter * 9}\n") for letter in "abcdefgh"}
        finding = assert_found("duplicate-name", texts, "a.md")
        assert "and 4 more have" in finding.message
        assert len(finding.related) == 5

    def test_is_quiet_about_names_that_differ(self) -> None:
        texts = {"a.md": memory("tides"), "b.md": memory("tides-2"), "c.md": memory(None)}
        assert not findings("duplicate-name", texts, "a.md")

    def test_is_quiet_about_a_name_that_is_another_s_file_name(self) -> None:
        assert_quiet("duplicate-name", {"a.md": memory("b"), "b.md": memory("c")}, "a.md")

    def test_is_quiet_about_missing_names(self) -> None:
        assert_quiet("duplicate-name", {"a.md": memory('""'), "b.md": memory('""')}, "a.md")

    def test_is_quiet_about_titles_of_other_scripts(self) -> None:
        texts = {"a.md": memory("한자 금지", nested=False), "b.md": memory("한자 사용", nested=False)}
        assert codes_in(texts) == {}


def test_what_people_name_memories_gives_no_error_or_warning() -> None:
    """The share of names that a rule "kebab and equal to the file" would refuse is a half of all."""
    pairs = [
        ("user_kkoma.md", memory("user-kkoma")),
        ("reference_ports.md", memory("Ports we serve", nested=False)),
        ("project_停航.md", memory("停航规则", nested=False)),
        ("tsetenv.md", memory("t.Setenv vs. unset", kind=None)),
        ("antipatterns.md", memory("My (Claude's) anti-patterns to enforce", nested=False)),
        ("ci.md", memory("CI/CD: what runs when".replace(": ", " - "), nested=False)),
    ]
    assert codes_in({key: unmarked(text)[0] for key, text in pairs}) == {"antipatterns.md": ["index-missing"]}
