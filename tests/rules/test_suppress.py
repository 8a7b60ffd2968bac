"""Comments that silence rules, in every form."""

from __future__ import annotations

import pytest

from tests.making import codes_in, findings, memory


def _dead(text: str) -> int:
    return len(findings("link-dead", {"tides.md": text}, "tides.md"))


def _body(body: str) -> int:
    return _dead(memory("tides", body=body))


class TestForTheWholeFile:
    @pytest.mark.parametrize(
        "comment",
        [
            "<!-- memory-ls-disable link-dead -->",
            "<!--memory-ls-disable link-dead-->",
            "<!-- memory-ls-disable link-case, link-dead -->",
            "<!-- memory-ls-disable link-case link-dead -->",
            "<!-- memory-ls-disable LINK-DEAD -->",
            "<!-- memory-ls-disable -->",
            "<!-- memory-ls-disable link-dead -- they are written later -->",
            "<!--\n  memory-ls-disable\n  link-dead\n-->",
        ],
    )
    @pytest.mark.parametrize("above", [True, False])
    def test_wherever_the_comment_stands(self, comment: str, above: bool) -> None:
        assert _body(f"{comment}\n\n[[gone]]\n" if above else f"[[gone]]\n\n{comment}\n") == 0

    @pytest.mark.parametrize(
        "comment",
        [
            "<!-- memory-ls-disable link-case -->",
            "<!-- memory-ls-disabled link-dead -->",
            "<!-- memory-ls-disable-all link-dead -->",
            "<!-- do not memory-ls-disable link-dead -->",
            "<!-- memory-ls-disable link-case -- not link-dead -->",
            "<!-- memory-ls-disable link-deadly -->",
            "`<!-- memory-ls-disable link-dead -->`",
            "```\n<!-- memory-ls-disable link-dead -->\n```",
            "memory-ls-disable link-dead",
        ],
    )
    def test_not_by_another_code_in_code_or_without_a_comment(self, comment: str) -> None:
        assert _body(f"{comment}\n\n[[gone]]\n") == 1


class TestForOneLine:
    def test_on_the_line_itself(self) -> None:
        comment = "<!-- memory-ls-disable-line link-dead -->"
        assert _body(f"[[gone]] {comment}\n[[other]]\n") == 1
        assert _body(f"{comment} [[gone]]\n\n[[other]]\n") == 1
        assert _body(f"x {comment} [[gone]]\n\n[[other]]\n") == 1

    def test_on_the_next_line(self) -> None:
        comment = "<!-- memory-ls-disable-next-line link-dead -->"
        assert _body(f"{comment}\n[[gone]]\n\n[[other]]\n") == 1
        assert _body(f"Text. {comment}\n[[gone]]\n[[other]]\n") == 1
        assert _body(f"{comment}\n\n[[other]]\n") == 1

    def test_behind_a_comment_of_several_lines(self) -> None:
        body = "Text <!-- memory-ls-disable-next-line\nlink-dead\n-->\n[[gone]]\n[[other]]\n"
        assert _body(body) == 1

    def test_with_crlf(self) -> None:
        text = memory("tides", body="Text. <!-- memory-ls-disable-next-line -->\n[[gone]]\n[[other]]\n").replace(
            "\n", "\r\n"
        )
        assert _dead(text) == 1


class TestInFrontmatter:
    def _missing(self, extra: str, lead: str = "") -> list[str]:
        text = f"---\n{lead}name: tides\ndescription: d\ntype: feedbak{extra}\n---\n\nText.\n"
        return codes_in({"tides.md": text}).get("tides.md", [])

    def test_on_the_line_itself(self) -> None:
        assert self._missing("") == ["type-unknown"]
        assert self._missing(" # memory-ls-disable-line type-unknown") == []
        assert self._missing(" # memory-ls-disable-line name-unsafe") == ["type-unknown"]

    def test_on_the_next_line_and_for_the_file(self) -> None:
        assert self._missing("", lead="# memory-ls-disable\n") == []
        assert self._missing("", lead="# memory-ls-disable type-unknown: ours\n") == []
        assert self._missing("", lead="# memory-ls-disable-next-line type-unknown\n") == ["type-unknown"]
        text = "---\nname: tides\ndescription: d\n# memory-ls-disable-next-line type-unknown\ntype: feedbak\n---\n\nText.\n"
        assert codes_in({"tides.md": text}) == {}

    def test_holds_for_the_body_too(self) -> None:
        assert _dead(memory("tides", body="[[gone]]\n", extra="# memory-ls-disable link-dead\n")) == 0

    def test_is_no_comment_inside_a_quoted_value_or_a_word(self) -> None:
        assert _dead(memory("tides", '"a #memory-ls-disable"', body="[[gone]]\n")) == 1
        assert _dead(memory("tides", '"say # memory-ls-disable"', body="[[gone]]\n")) == 1

    def test_is_none_in_the_body(self) -> None:
        assert _body("# memory-ls-disable link-dead\n\n[[gone]]\n") == 1


class TestElsewhere:
    def test_in_the_index(self) -> None:
        texts = {"MEMORY.md": "- [A](gone.md) <!-- memory-ls-disable-line -->\n- [B](away.md)\n"}
        assert codes_in(texts) == {"MEMORY.md": ["index-dead-link"]}
        assert codes_in({"MEMORY.md": f"<!-- memory-ls-disable index-dead-link -->\n\n{texts['MEMORY.md']}"}) == {}

    def test_silences_costly_rules_and_those_that_compare(self) -> None:
        body = "The night boat to the outer island leaves from berth four.\n" * 9
        silent = memory("a", body=f"{body}\n<!-- memory-ls-disable near-duplicate -->\n")
        assert codes_in({"a.md": silent, "b.md": memory("b", body=body)}) == {"b.md": ["near-duplicate"]}
        assert codes_in({"a.md": memory("a", extra="status: stale # memory-ls-disable-line stale\n")}) == {}

    def test_can_be_overruled(self) -> None:
        texts = {"tides.md": memory("tides", body="[[gone]] <!-- memory-ls-disable-line -->\n")}
        assert len(findings("link-dead", texts, "tides.md", suppressions=False)) == 1

    def test_a_file_that_is_damaged_can_not_be_silenced(self) -> None:
        assert codes_in({"a.md": "<!-- memory-ls-disable -->\n\0\n"}) == {"a.md": ["file-encoding"]}
