"""The rules about the text of a memory."""

from __future__ import annotations

import pytest

from tests.making import assert_found, assert_quiet, codes_in, memory


def _one(text: str) -> dict[str, str]:
    return {"tides.md": text}


def _with(body: str) -> dict[str, str]:
    return _one(memory("tides", body=body))


class TestBodyEmpty:
    @pytest.mark.parametrize("rest", ["", "\n", "\n \t\n\n"])
    def test_nothing_below_the_frontmatter(self, rest: str) -> None:
        assert_found("body-empty", _one(f"---\nname: tides\ndescription: d\n⟪---⟫{rest}"), "tides.md")

    def test_an_empty_file(self) -> None:
        assert codes_in(_one("")) == {"tides.md": ["body-empty"]}

    @pytest.mark.parametrize("body", ["x\n", "[[tides]]", "---\n", "潮"])
    def test_is_quiet_about_any_text(self, body: str) -> None:
        assert_quiet("body-empty", _with(body), "tides.md")


class TestFeedbackStructure:
    @pytest.mark.parametrize("nested", [True, False])
    def test_neither_why_nor_how(self, nested: bool) -> None:
        text = memory("tides", kind="⟪feedback⟫", body="Never sail at ebb.\n", nested=nested)
        assert_found("feedback-structure", _one(text), "tides.md")

    @pytest.mark.parametrize(
        "body",
        [
            "**Why:** the tide.\n\n**How to apply:** look it up.\n",
            "**Why**: x\n",
            "**Why.** x\n",
            "**Why it matters:** x\n",
            "**Why**： x\n",
            "## Why\n\nx\n",
            "How to apply: x\n",
            "Never sail at ebb, because the pier is dry.\n",
            "**Rationale:** x\n",
            "**为什么：** 水浅。\n",
            "**原因**：水浅。\n",
            "**如何应用**：先查潮汐表。\n",
            "**이유:** 얕다.\n",
            "**적용 방법:** 먼저 확인한다.\n",
            "**なぜ**: 浅い。\n",
            "**Por qué:** x\n",
            "**Cómo aplicar:** x\n",
            "**Warum:** x\n",
            "**Comment l'appliquer :** x\n",
        ],
    )
    def test_is_quiet_about_either_in_any_spelling(self, body: str) -> None:
        assert_quiet("feedback-structure", _one(memory("tides", kind="feedback", body=body)), "tides.md")

    @pytest.mark.parametrize("kind", ["project", "user", "reference", None])
    def test_is_quiet_about_the_other_types(self, kind: str | None) -> None:
        assert_quiet("feedback-structure", _one(memory("tides", kind=kind, body="Never.\n")), "tides.md")

    def test_is_quiet_about_an_empty_memory_which_has_a_finding(self) -> None:
        assert codes_in(_one(memory("tides", kind="feedback", body="\n"))) == {"tides.md": ["body-empty"]}


class TestConflictMarker:
    _CONFLICT = "⟪<<<<<<< HEAD⟫\nSix.\n=======\nSeven.\n>>>>>>> theirs\n"

    def test_in_the_body(self) -> None:
        assert_found("conflict-marker", _with(f"It turns at\n{self._CONFLICT}"), "tides.md")

    def test_with_crlf(self) -> None:
        text = memory("tides", body=self._CONFLICT).replace("\n", "\r\n")
        assert_found("conflict-marker", _one(text), "tides.md")

    def test_with_a_base_between(self) -> None:
        body = "⟪<<<<<<< ours⟫\na\n||||||| base\nb\n=======\nc\n>>>>>>> theirs\n"
        assert_found("conflict-marker", _with(body), "tides.md")

    @pytest.mark.parametrize(
        "body",
        [
            "```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n```\n",
            "Search for `<<<<<<<` before you commit.\n",
            "<<<<<<< HEAD\n\nonly the first line is here\n",
            "A title\n=======\n\n>>>>>>> quoted\n",
            "<<<<<<<<<<<< a\n=======\n>>>>>>> b\n",
        ],
    )
    def test_is_quiet_about_code_and_halves(self, body: str) -> None:
        assert_quiet("conflict-marker", _with(body), "tides.md")

    def test_one_in_code_does_not_hide_one_in_the_text(self) -> None:
        code = self._CONFLICT.replace("⟪", "").replace("⟫", "")
        assert_found("conflict-marker", _with(f"```\n{code}```\n\n{self._CONFLICT}"), "tides.md")


class TestMojibake:
    @pytest.mark.parametrize(
        ("garbled", "meant"),
        [("â†’", "→"), ("Ã©", "é"), ("â€”", "—"), ("â€œ", "“"), ("æ½®æ±\x90", "潮汐"), ("Ã\xa0", "à"), ("ðŸš¢", "🚢")],
    )
    def test_utf_8_that_was_read_as_another_encoding(self, garbled: str, meant: str) -> None:
        assert_found("mojibake", _with(f"It goes ⟪{garbled}⟫ there.\n"), "tides.md", meant=meant)

    def test_in_the_frontmatter_and_in_the_index(self) -> None:
        assert_found("mojibake", _one(memory("tides", "Caf⟪Ã©⟫ am Kai")), "tides.md")
        assert_found("mojibake", {"MEMORY.md": "- [A](a.md) ⟪â€”⟫ x\n", "a.md": memory("a")}, "MEMORY.md")

    @pytest.mark.parametrize(
        "body",
        [
            "Café, naïve, Âge, À côté, Ångström, São Paulo.\n",
            "A → B — “C” … d’e ×2 ±1 §3 ©\n",
            "ÂÂÂ Ä Ö Ü ß ÃO\n",
            "`â†’` is what a wrong encoding makes of an arrow.\n",
            "```\nâ€”\n```\n",
            "潮汐表 조석표 🚢\n",
            "Ñandú · Ðingo\n",
            "«CAFÉ», »MENÜ«, “café”—and “ÉLAN”… ROSÉ™\n",
        ],
    )
    def test_is_quiet_about_accents_signs_and_code(self, body: str) -> None:
        assert_quiet("mojibake", _with(body), "tides.md")


class TestLineEndingsMixed:
    def test_the_first_line_of_the_rarer_kind(self) -> None:
        text = memory("tides", body="one\ntwo\n⟪three⟫\r\nfour\n")
        assert_found("line-endings-mixed", _one(text), "tides.md", ending="\n")

    def test_lf_text_below_crlf_frontmatter(self) -> None:
        text = "---\r\nname: tides\r\ndescription: d\r\n---\r\n⟪⟫\n\r\nText.\r\n"
        assert_found("line-endings-mixed", _one(text), "tides.md", ending="\r\n")

    @pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
    def test_is_quiet_about_one_kind(self, ending: str) -> None:
        text = memory("tides", body="one\ntwo\n").replace("\n", ending)
        assert codes_in(_one(text)) == {}
