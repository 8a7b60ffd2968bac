"""The rules about the index, and about memories and the index together."""

from __future__ import annotations

import pytest

from memory_ls.rules.registry import Severity
from memory_ls.settings import Settings
from tests.making import assert_found, assert_quiet, checked, codes_in, directory_of, findings, memory

INDEX = "MEMORY.md"


def _with(index: str, *names: str, **texts: str) -> dict[str, str]:
    made = {f"{name}.md": memory(name.rpartition("/")[2]) for name in names}
    return {INDEX: index, **made, **{f"{key}.md": text for key, text in texts.items()}}


class TestIndexDeadLink:
    def test_a_file_that_is_not_there(self) -> None:
        texts = _with("# Memory\n\n- [Tides](⟪tide.md⟫) — when\n- [Ports](ports.md)\n", "tides", "ports")
        finding = assert_found("index-dead-link", texts, INDEX, target="tide.md", meant="tides.md")
        assert finding.severity is Severity.ERROR

    @pytest.mark.parametrize(
        "line",
        [
            "- [[⟪gone⟫]] — x\n",
            "| [Gone](⟪gone.md⟫) | x |\n",
            "1. [Gone](./⟪gone.md⟫)\n".replace("./⟪", "⟪./"),
            "- [A](a.md) · [Gone](⟪gone.md⟫)\n",
            "- **[Gone](⟪gone.md⟫)**：停航\n",
            "- 🚢 [Gone](⟪my%20gone.md⟫)\n",
            "See [gone](⟪gone.md⟫) — why.\n",
            "- [Gone](⟪team/gone.md⟫#part)\n",
        ],
    )
    def test_in_every_form_of_an_entry(self, line: str) -> None:
        assert_found("index-dead-link", _with(f"- [A](a.md)\n{line}" if "a.md" not in line else line, "a"), INDEX)

    @pytest.mark.parametrize(
        "line",
        [
            "- [Docs](../../docs/gone.md)\n",
            "- [Site](https://quay.example/gone.md)\n",
            "- [Pictures](../assets/images/)\n",
            "- [Script](tools/run.py)\n",
            "`- [Title](file.md) — one-line hook`\n",
            "<!-- - [Title](slug.md) -->\n",
            "```\n- [Title](slug.md)\n[[other-slug]]\n```\n",
            "See `patterns.md` and patterns.md.\n",
            "- [ ] to do, [x] done, [!NOTE]\n",
            "[[Name]] and [[...]]\n",
        ],
    )
    def test_is_quiet_about_links_out_of_the_directory_and_examples(self, line: str) -> None:
        assert_quiet("index-dead-link", _with(f"- [A](a.md)\n\n{line}", "a"), INDEX)

    def test_is_quiet_about_names_that_resolve_by_name_stem_or_folding(self) -> None:
        index = (
            "- [[Ports we serve]]\n- [[project_ports]]\n- [[ports]]\n- [P](./project_ports.md)\n- [P](project_ports)\n"
        )
        texts = _with(index, project_ports=memory("Ports we serve", nested=False))
        assert_quiet("index-dead-link", texts, INDEX)

    def test_dead_anchors_and_other_spellings_have_codes_of_their_own(self) -> None:
        index = "- [A](a.md#⟪gone⟫)\n- [B](B.md)\n"
        assert_found("link-dead-anchor", _with(index, "a", "b"), INDEX)
        assert codes_in(_with("- [A](a.md#gone)\n- [B](B.md)\n", "a", "b")) == {
            INDEX: ["link-dead-anchor", "link-case"]
        }

    def test_ambiguous_names(self) -> None:
        texts = _with("- [[⟪x⟫]]\n", a=memory("x"), b=memory("x"))
        assert_found("link-ambiguous", texts, INDEX, choices=["a.md", "b.md"])


class TestIndexDuplicateEntry:
    def test_the_later_of_two_equal_lines(self) -> None:
        finding = assert_found(
            "index-duplicate-entry",
            _with("- [A](a.md) — x\n- [B](b.md)\n- [A](⟪a.md⟫) — x\n", "a", "b"),
            INDEX,
            same=True,
        )
        assert [related.key for related in finding.related] == [INDEX]

    def test_an_equal_line_below_one_that_differs(self) -> None:
        texts = _with("- [A](a.md) — x\n- [A](⟪a.md⟫) — y\n- [A](⟪a.md⟫) — y\n", "a")
        assert_found("index-duplicate-entry", texts, INDEX, same=False)
        second, third = findings("index-duplicate-entry", texts, INDEX)
        assert third.data["same"]
        assert [related.span for related in third.related] == [second.span]

    def test_two_lines_that_differ_and_two_spellings_of_one_target(self) -> None:
        assert_found("index-duplicate-entry", _with("- [A](a.md) — x\n- [A](⟪./a.md⟫) — y\n", "a"), INDEX, same=False)
        assert_found("index-duplicate-entry", _with("- [A](a.md)\n- [[⟪a⟫]]\n", "a"), INDEX)

    def test_far_apart(self) -> None:
        filler = "".join(f"- [[n{number}]]\n" for number in range(300))
        found = findings("index-duplicate-entry", _with(f"- [A](a.md)\n{filler}- [A](a.md)\n", "a"), INDEX)
        assert len(found) == 1

    @pytest.mark.parametrize(
        "index",
        [
            "- [A](a.md) — see also [B](b.md)\n- [B](b.md) — x\n",
            "- [A](a.md#one)\n- [A](a.md#two)\n",
            "- [A](a.md)\n\nSome prose about nothing.\n",
            "```\n- [A](a.md)\n```\n- [A](a.md)\n",
        ],
    )
    def test_is_quiet_about_mentions_and_other_headings(self, index: str) -> None:
        texts = _with(index, b=memory("b"), a=memory("a", body="# One\n\n# Two\n"))
        assert_quiet("index-duplicate-entry", texts, INDEX)


class TestTheLoadLimit:
    def test_is_told_at_the_first_line_that_is_lost(self) -> None:
        lines = [f"- [N](n{number}.md)\n" for number in range(203)]
        lines[200] = f"⟪{lines[200].rstrip()}⟫\n"
        texts = _with("".join(lines), *(f"n{number}" for number in range(203)))
        finding = assert_found("index-over-limit", texts, INDEX, lines=203, maxLines=200, maxBytes=25_000)
        assert "203 of 200 lines" in finding.message
        assert "of 25,000 bytes" in finding.message

    def test_counts_bytes_and_not_characters(self) -> None:
        index = f"- [A](a.md)\n{'潮' * 4_000}\n⟪{'汐' * 5_000}⟫\n"
        finding = assert_found("index-over-limit", _with(index, "a"), INDEX)
        assert finding.data["bytes"] == len(index.replace("⟪", "").replace("⟫", "").encode()) - 1

    def test_is_quiet_about_exactly_as_much_as_is_loaded(self) -> None:
        index = "- [A](a.md)\n" + "x\n" * 199
        assert_quiet("index-over-limit", _with(index, "a"), INDEX)
        assert_quiet("index-over-limit", _with("- [A](a.md)\n" + "x" * (25_000 - 12), "a"), INDEX)
        assert findings("index-over-limit", _with("- [A](a.md)\n" + "x" * (25_000 - 11), "a"), INDEX)

    def test_comments_and_frontmatter_do_not_count(self) -> None:
        comment = "<!--\n" + "words\n" * 300 + "-->\n\n"
        assert_quiet("index-over-limit", _with(f"---\ntitle: x\n---\n{comment}- [A](a.md)\n", "a"), INDEX)

    def test_follows_the_settings(self) -> None:
        texts = _with("- [A](a.md)\nx\n⟪y⟫\n", "a")
        assert_found("index-over-limit", texts, INDEX, settings=Settings(index_max_lines=2))

    def test_near_the_limit_is_information(self) -> None:
        index = "- [A](a.md)\n" + "x\n" * 180
        (finding,) = findings("index-near-limit", _with(index, "a"), INDEX)
        assert finding.severity is Severity.INFORMATION
        assert "181 of 200" in finding.message
        assert_quiet("index-near-limit", _with("- [A](a.md)\n" + "x\n" * 179, "a"), INDEX)

    def test_over_the_limit_is_not_near_it_too(self) -> None:
        assert_quiet("index-near-limit", _with("- [A](a.md)\n" + "x\n" * 300, "a"), INDEX)


class TestIndexLineLong:
    def test_the_rest_of_the_line(self) -> None:
        line = "- [A](a.md) — " + "词" * 186
        assert_found("index-line-long", _with(f"{line}⟪{'x' * 5}⟫\n", "a"), INDEX, length=205)

    def test_is_quiet_at_the_limit_and_follows_the_setting(self) -> None:
        texts = _with("- [A](a.md) — " + "词" * 186 + "\r\n", "a")
        assert_quiet("index-line-long", texts, INDEX)
        assert len(findings("index-line-long", texts, INDEX, settings=Settings(index_line_length=100))) == 1

    def test_is_information_since_most_indexes_have_such_lines(self) -> None:
        assert (
            findings("index-line-long", _with("- [A](a.md) " + "x" * 300 + "\n", "a"), INDEX)[0].severity
            is Severity.INFORMATION
        )


class TestIndexContent:
    def test_a_bullet_that_links_nothing_once(self) -> None:
        index = "- [A](a.md)\n- ⟪The harbour master answers on channel twelve.⟫\n- Another fact that only the index holds here.\n"
        index = index.replace("- ⟪The", "⟪- The")
        assert_found("index-content", _with(index, "a"), INDEX, count=2)

    @pytest.mark.parametrize(
        "index",
        [
            "# Memory\n\nThis is the index of what we know about the ferry service.\n\n- [A](a.md)\n",
            "- Short label:\n  - [A](a.md)\n",
            "- A label that is long enough to be content, but holds entries:\n  - [A](a.md)\n",
            "- [A](a.md) — a description that goes on\n  and is wrapped to a second line of words\n",
            "- `a.md` — what the file holds, in quite a few words\n",
            "```\n- The harbour master answers on channel twelve.\n```\n",
            "| Memory | What it holds, in some words of its own |\n|---|---|\n| [A](a.md) | x |\n",
        ],
    )
    def test_is_quiet_about_headings_prose_labels_and_entries(self, index: str) -> None:
        assert_quiet("index-content", _with(index, "a"), INDEX)

    def test_is_quiet_about_an_index_that_is_all_there_is(self) -> None:
        assert codes_in({INDEX: "# Reviewer\n\n- The harbour master answers on channel twelve.\n\nMore prose.\n"}) == {}


class TestIndexMissing:
    def test_on_the_first_of_several_memories(self) -> None:
        texts = {"b.md": memory("b"), "a.md": memory("⟪a⟫"), "c.md": memory("c")}
        assert_found("index-missing", texts, "a.md")
        assert codes_in({**texts, "a.md": memory("a")}) == {"a.md": ["index-missing"]}

    def test_is_quiet_about_two_memories_and_about_any_index(self) -> None:
        assert codes_in({"a.md": memory("a"), "b.md": memory("b")}) == {}
        assert_quiet("index-missing", _with("", "a", "b", "c"), "a.md")


class TestMemoryNotIndexed:
    def test_where_the_index_points_at_memories(self) -> None:
        texts = _with("- [A](a.md)\n", "a", b=memory("⟪b⟫"))
        finding = assert_found("memory-not-indexed", texts, "b.md")
        assert "`- [b](b.md) — …`" in finding.message

    def test_in_a_sub_directory_and_without_a_name(self) -> None:
        texts = _with("- [A](a.md)\n", "a") | {"team/b.md": "⟪Text.⟫\n"}
        assert_found("memory-not-indexed", texts, "team/b.md")

    @pytest.mark.parametrize(
        "line",
        [
            "- [B](team/b.md)\n",
            "- [B](./team/b.md)\n",
            "- [B](team/b)\n",
            "- [B](TEAM/B.md)\n",
            "- [[b]]\n",
            "- [[bee]]\n",
            "- [[Bee|b]]\n",
            "- [B](team/b.md#part)\n",
            "- `team/b.md` — x\n",
            "자세한 내용: team/b.md 참조\n",
            "See b.md.\n",
            "- [Team](team/)\n",
            "- [Team](team)\n",
            "| [b.md](team/b.md) | x |\n",
            "[B][ref]\n\n[ref]: team/b.md\n",
        ],
    )
    def test_is_quiet_about_every_way_to_list_a_memory(self, line: str) -> None:
        texts = _with(f"- [A](a.md)\n\n{line}", "a") | {"team/b.md": memory("bee", body="# Part\n")}
        assert_quiet("memory-not-indexed", texts, "team/b.md")

    def test_is_quiet_about_memories_that_a_listed_part_lists(self) -> None:
        part = memory("team-index", body="- [B](team/b.md)\n- [[c]]\n")
        texts = _with("- [Team](team-index.md)\n", "team/b", "c") | {"team-index.md": part}
        assert codes_in(texts) == {}

    @pytest.mark.parametrize(
        "index", ["", "# Reviewer\n\nProse without a link.\n", "- [Docs](../docs/x.md)\n", "_(none yet …)_\n"]
    )
    def test_is_quiet_where_the_index_is_prose(self, index: str) -> None:
        assert_quiet("memory-not-indexed", _with(index, "a", "b"), "a.md")

    def test_is_quiet_about_sub_directories_of_a_project(self) -> None:
        texts = _with("- [A](a.md)\n", "a", "b", "skills/tides/steps")
        found = checked(directory_of(texts, lenient=False))
        assert {key: [item.code for item in items] for key, items in found.items()} == {"b.md": ["memory-not-indexed"]}

    def test_is_quiet_about_files_that_are_no_memory(self) -> None:
        texts = _with("- [A](a.md)\n", "a") | {"README.md": "# Read me\n"}
        assert codes_in(texts) == {}


class TestIndexesAsPeopleWriteThem:
    @pytest.mark.parametrize(
        "index",
        [
            "- [A](a.md) — x\n- [B](b.md) – x\n- [C](team/c.md) - x\n",
            "- [a.md](a.md): x\n- [b.md](b.md)：说明\n- [C](team/c.md) · x\n",
            "# Memory Index\n\n## Feedback\n\n- [A](a.md)\n\n## Team\n\n- [B](b.md)\n- [C](team/c.md)\n",
            "| File | Type | What |\n|---|---|---|\n| [a.md](a.md) | user | x |\n| `b.md` | x | y |\n| [[c]] | x | y |\n",
            "1. [A](a.md)\n2. [B](b.md)\n3. [C](team/c.md)\n",
            "- [A](a.md) · [B](b.md) · [C](team/c.md)\n",
            "<!-- keep sorted -->\n- [[a]]\n- [[b]]\n- [[c]]\n",
            "- **[A](a.md)** — x\n- ⚓ [B](b.md) — y\n- ~~[C](team/c.md)~~\n",
            "See [a](a.md), [b](b.md) and [c](team/c.md).\n",
            '## 2026-08-01\n\n- [Summary in the label (PR #52)](a.md)\n- [t.Setenv("K","") does not](b.md)\n- [C](team/c.md)\n',
            "\ufeff- [A](a.md)\r\n- [B](b.md)\r\n- [C](team/c.md)\r\n",
        ],
    )
    def test_have_no_findings(self, index: str) -> None:
        assert codes_in(_with(index, "a", "b", "team/c")) == {}

    def test_a_conflict_is_an_error(self) -> None:
        index = (
            "- [A](a.md)\n⟪<<<<<<< Updated upstream⟫\n- [B](b.md)\n=======\n- [B](b.md) — x\n>>>>>>> Stashed changes\n"
        )
        assert_found("conflict-marker", _with(index, "a", "b"), INDEX)
