"""The rules about the links in a memory."""

from __future__ import annotations

import pytest

from memory_ls.directory.snapshot import FileFacts
from memory_ls.rules.check import check_document
from memory_ls.rules.registry import Context
from memory_ls.settings import Settings
from memory_ls.text import PositionEncoding, Span
from tests.making import TODAY, assert_found, assert_quiet, codes_in, directory_of, findings, memory

_LINK_CODES = ("link-dead", "link-ambiguous", "link-dead-file", "link-dead-anchor", "link-case", "link-self")


def _with(body: str, **others: str) -> dict[str, str]:
    return {"source.md": memory("source", body=body), **{f"{key}.md": text for key, text in others.items()}}


def _quiet(texts: dict[str, str], *, files: tuple[str, ...] = ()) -> None:
    for code in _LINK_CODES:
        assert_quiet(code, texts, "source.md", files=files)


class TestLinkDead:
    def test_no_memory_of_that_name(self) -> None:
        texts = _with("See [[⟪tide-tabels⟫]] and [[⟪harbour⟫|the port]].\n", **{"tide-tables": memory("tide-tables")})
        finding = assert_found("link-dead", texts, "source.md", target="tide-tabels", meant="tide-tables.md")
        assert "Did you mean `tide-tables`?" in finding.message

    def test_the_place_is_right_in_every_encoding(self) -> None:
        text = memory("source", body="😀 é 漢 [[missing]]\n")
        (finding,) = findings("link-dead", {"source.md": text}, "source.md")
        source = directory_of({"source.md": text}).documents["source.md"].source
        columns = [source.position(finding.span.start, encoding).column for encoding in PositionEncoding]
        assert columns == [len("😀 é 漢 [[".encode()), 9, 8]

    def test_the_line_is_right_behind_other_separators(self) -> None:
        body = "one\u2028two\x0cthree\x85four\n\nSee [[missing]].\n"
        text = memory("source", body=body)
        (finding,) = findings("link-dead", {"source.md": text}, "source.md")
        source = directory_of({"source.md": text}).documents["source.md"].source
        assert source.position(finding.span.start) == (text[: text.index("[[missing")].count("\n"), 6)

    @pytest.mark.parametrize(
        "body",
        [
            "| a |\n|---|\n| [[⟪gone⟫\\|label]] |\n",
            "Escaped: \\`[[⟪gone⟫]]\\`.\n",
            "### [[⟪gone⟫]]\n",
            "- [ ] [[⟪gone⟫#part]]\n",
            "> [[⟪gone⟫]]\n",
            "\r\n[[⟪gone⟫]]\r\n",
        ],
    )
    def test_wherever_a_link_can_stand(self, body: str) -> None:
        assert_found("link-dead", _with(body), "source.md", target="gone")

    @pytest.mark.parametrize(
        "body",
        [
            "`[[gone]]` and ``[[gone]]``\n",
            "```\n[[gone]]\n```\n",
            "~~~\n[[gone]]\n~~~\n",
            "1. x\n   ```\n   [[gone]]\n   ```\n",
            "````\n```\n[[gone]]\n```\n````\n",
            "Text.\n\n    [[gone]]\n",
            "<!-- [[gone]] -->\n",
            "Open:\n```\n[[gone]]\n",
            "if [[ -f x ]]; then [[ $a == b ]]; fi\n",
            "[[ ]] and [[]] and [[unclosed\n",
            "[ ] todo, [x] done, [!NOTE], [plain], [0][1]\n",
            "[[...]] [[name]] [[<slug>]] [[${name}]] [[1, 2], [3, 4]]\n",
            "https://quay.example/[[x]] is not one we made up: `a[[1]]`\n",
            "[[https://quay.example]]\n",
            "Match [[:space:]] and [[:alpha:]_]; [[tool.uv.index]] of TOML; [[nodiscard]] of C++.\n",
        ],
    )
    def test_is_quiet_about_what_is_no_link(self, body: str) -> None:
        _quiet(_with(body))

    @pytest.mark.parametrize(
        "name", ["user-kkoma", "user_kkoma", "kkoma", "Kkoma Im", "KKOMA-IM", "v1.2 notes", "README", "MEMORY"]
    )
    def test_is_quiet_about_every_way_to_name_a_memory(self, name: str) -> None:
        texts = {
            "source.md": memory("source", body=f"See [[{name}]].\n"),
            "user_kkoma.md": memory("kkoma-im"),
            "v1.2 notes.md": memory("Notes", nested=False),
            "README.md": "# Read me\n",
            "MEMORY.md": "- [a](source.md)\n- [b](user_kkoma.md)\n- [c](<v1.2 notes.md>)\n",
        }
        assert_quiet("link-dead", texts, "source.md")
        assert_quiet("link-ambiguous", texts, "source.md")

    def test_is_quiet_about_keys_of_the_frontmatter(self) -> None:
        assert codes_in({"a.md": memory("a", extra='related: ["[[X]]", "[[Y]]"]\ntags: [a, b]\n')}) == {}

    def test_of_a_hundred_links_each_is_one_finding(self) -> None:
        assert len(findings("link-dead", _with("[[gone]]\n" * 100), "source.md")) == 100


class TestLinkAmbiguous:
    def test_two_memories_of_one_name(self) -> None:
        texts = _with("See [[⟪tides⟫]].\n", a=memory("tides"), b=memory("tides"))
        finding = assert_found("link-ambiguous", texts, "source.md", choices=["a.md", "b.md"])
        assert [related.key for related in finding.related] == ["a.md", "b.md"]

    def test_is_quiet_where_an_earlier_step_decides(self) -> None:
        texts = _with("See [[tides]].\n", user_tides=memory("x"), project_tides=memory("y"), tides=memory("z"))
        _quiet(texts)

    def test_is_quiet_about_an_explicit_path(self) -> None:
        texts = _with("[s](./SPEC.md)\n", SPEC=memory("x"), a=memory("SPEC", body="## Spec\n"), b=memory("spec"))
        _quiet(texts)


class TestLinkDeadFile:
    def test_a_markdown_file_that_is_not_there(self) -> None:
        texts = _with("[t](⟪tide-tabels.md⟫), [u](⟪team/gone.md⟫#part)\n", **{"tide-tables": memory("tide-tables")})
        assert_found("link-dead-file", texts, "source.md", target="tide-tabels.md", meant="tide-tables.md")

    def test_in_the_definition_of_a_reference_once(self) -> None:
        assert_found("link-dead-file", _with("[t][r] and [r]\n\n[r]: ⟪gone.md⟫\n"), "source.md")

    def test_a_picture_beside_the_memory(self) -> None:
        assert_found("link-dead-file", _with("![p](⟪plan.png⟫)\n"), "source.md")

    def test_encoded_and_in_angle_brackets(self) -> None:
        texts = _with("[t](⟪my%20gone.md⟫) [u](<⟪my gone.md⟫>)\n")
        assert_found("link-dead-file", texts, "source.md", target="my gone.md")

    @pytest.mark.parametrize(
        "body",
        [
            "[a](https://quay.example/x.md) [b](mailto:a@quay.example) [c](file:///x.md) [d](magnet:?x) <https://x.example>\n",
            "[a](../../docs/gone.md) [b](../gone.md) [c](~/gone.md)\n",
            "[a](/etc/gone.md)\n",
            "[a](src/app.py) [b](data.json) [c](commands/run)\n",
            "[t](my note.md)\n",
            "@docs/design/login.html\n",
            "![p](../plan.png) ![q](img/plan.png) ![r](https://x.example/a.png)\n",
            "`[t](gone.md)`\n",
            "[^1]\n\n[^1]: gone.md\n",
        ],
    )
    def test_is_quiet_about_what_is_not_ours_or_no_markdown(self, body: str) -> None:
        _quiet(_with(body))

    @pytest.mark.parametrize(
        "body",
        [
            "[t](my%20note.md)",
            "[t](<my note.md>)",
            "[t](./my%20note)",
            "![p](plan.png)",
            "[l](logs/a.md)",
            "[d](team/)",
        ],
    )
    def test_is_quiet_about_what_is_there(self, body: str) -> None:
        _quiet(_with(body, **{"my note": memory("my-note")}), files=("plan.png", "logs/a.md", "team/x.txt"))

    def test_is_quiet_about_a_file_that_is_there_and_can_t_be_read(self) -> None:
        facts = {"odd.md": FileFacts(bad_byte=1)}
        value = directory_of(_with("[t](odd.md)\n"), files=["odd.md"], facts=facts)
        found = check_document(Context(value, Settings(), TODAY), "source.md")
        assert found == []


class TestLinkDeadAnchor:
    def test_a_heading_that_is_not_there(self) -> None:
        texts = _with("[[tides#⟪Then⟫]] [t](tides.md#⟪then⟫)\n", tides=memory("tides", body="## Why\n"))
        assert_found("link-dead-anchor", texts, "source.md", anchor="Then", meant=None)

    def test_with_did_you_mean(self) -> None:
        texts = _with("[[tides#⟪Why it maters⟫]]\n", tides=memory("tides", body="## Why it matters\n"))
        assert_found("link-dead-anchor", texts, "source.md", meant="Why it matters")

    def test_in_the_memory_itself(self) -> None:
        assert_found("link-dead-anchor", _with("[[#⟪gone⟫]] [t](#⟪gone⟫)\n"), "source.md")

    def test_in_the_index(self) -> None:
        texts = {**_with("[[MEMORY#⟪gone⟫]]\n"), "MEMORY.md": "# Index\n- [s](source.md)\n"}
        assert_found("link-dead-anchor", texts, "source.md")

    @pytest.mark.parametrize(
        "link",
        [
            "[[tides#Why it matters?]]",
            "[[tides#why-it-matters]]",
            "[t](tides.md#why-it-matters)",
            "[t](tides#why-it-matters)",
            "[[tides#why-it-matters-1]]",
            "[[tides#停航 规则]]",
            "[t](tides.md#停航-规则)",
            "[t](tides.md#%E5%81%9C%E8%88%AA-%E8%A7%84%E5%88%99)",
            "[[tides#^block]]",
            "[t](tides.md#L12)",
            "[t](tides.md#:~:text=x)",
            "[t](tides.md#)",
            "[[tides.md#Why it matters]]",
        ],
    )
    def test_is_quiet_about_headings_that_are_there_and_other_places(self, link: str) -> None:
        tides = memory("tides", body="## Why it matters?\n\n## Why it matters?\n\n## 停航 规则\n")
        _quiet(_with(f"{link}\n", tides=tides))

    def test_is_quiet_about_files_that_are_no_memory(self) -> None:
        _quiet(_with("[r](README.md#gone) [p](page.html#gone)\n", README="# R\n"), files=("page.html",))

    def test_a_dead_link_with_an_anchor_is_one_finding(self) -> None:
        assert codes_in(_with("[[gone#part]] [t](gone.md#part)\n")) == {"source.md": ["link-dead", "link-dead-file"]}


class TestLinkCase:
    def test_another_case_than_the_file_or_name(self) -> None:
        texts = _with("[n](⟪NOTE.md⟫) [[⟪note⟫]]\n", Note=memory("x"))
        assert_found("link-case", texts, "source.md", spelling="Note.md")

    def test_the_verdict_is_a_hint_and_the_link_is_not_dead(self) -> None:
        texts = _with("[n](NOTE.md)\n", Note=memory("x", kind="user", nested=False))
        assert codes_in(texts) == {"source.md": ["link-case"]}

    def test_is_quiet_about_the_same_case_and_about_hyphens(self) -> None:
        _quiet(_with("[[tide_tables]] [[tide tables]] [t](tide-tables.md)\n", **{"tide-tables": memory("tide-tables")}))


class TestLinkSelf:
    def test_a_link_to_the_memory_it_stands_in(self) -> None:
        assert_found("link-self", _with("See ⟪[[source]]⟫ and ⟪[me](source.md)⟫.\n"), "source.md")

    def test_is_quiet_about_a_heading_of_its_own(self) -> None:
        _quiet(_with("# Top\n\n[[source#Top]] [[#Top]] [t](#top)\n"))


class TestDirectoriesWithSymlinksAndCase:
    def test_an_absolute_path_counts_from_the_directory_or_is_not_ours(self) -> None:
        _quiet(_with("[t](/tides.md) [p](/w/quay/memory/tides.md) [e](/abs/path.md)\n", tides=memory("tides")))

    def test_the_whole_span_of_a_link_with_emoji_in_it(self) -> None:
        texts = _with("😀[[source]]\n")
        (finding,) = findings("link-self", texts, "source.md")
        start = texts["source.md"].index("[[source]]")
        assert finding.span == Span(start, start + 10)


@pytest.mark.parametrize(
    "body",
    [
        'df[["tide"]].mean()',
        "rows[[index]]",
        "list_of[[0]]",
        "[['a', 'b']]",
        "![[map.png]]",
        "[[settings.toml]] is read first",
    ],
)
def test_programs_and_pictures_in_double_brackets_are_no_dead_links(body: str) -> None:
    assert_quiet("link-dead", {"a.md": memory("a", body=f"{body}\n")}, "a.md")


@pytest.mark.parametrize("body", ["参见[[⟪没有⟫]]。", "See [[⟪Decision: use the ferry⟫]].", "([[⟪nobody⟫]])"])
def test_dead_links_behind_any_script_and_with_a_colon_are_found(body: str) -> None:
    assert_found("link-dead", {"a.md": memory("a", body=f"{body}\n")}, "a.md")


def test_a_file_name_with_accents_put_together_otherwise_is_the_same_file() -> None:
    composed, decomposed = "\u00e9mile.md", "e\u0301mile.md"
    texts = {
        "MEMORY.md": f"- [E]({composed}) — who\n",
        decomposed: memory("\u00e9mile"),
        "b.md": memory("b", body="x\n"),
    }
    texts["MEMORY.md"] += f"- [B](b.md) — see [e]({composed})\n"
    assert codes_in(texts) == {}


def test_of_one_kind_no_more_than_anybody_would_mend_are_told() -> None:
    found = findings("link-dead", {"a.md": memory("a", body="[[gone]] " * 1_500 + "\n")}, "a.md")
    assert len(found) == 1_000
    assert found[-1].message.endswith("The file has 500 more findings of this kind.")
    assert "more findings" not in found[-2].message
