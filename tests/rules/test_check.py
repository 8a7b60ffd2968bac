"""Running the rules: what is checked, how settings tune it, and what whole directories give."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from memory_ls.directory.loader import load
from memory_ls.directory.snapshot import FileFacts, Trouble
from memory_ls.rules.check import all_keys, check_costly, check_directory, check_document, check_together, sort_key
from memory_ls.rules.registry import RULES, Context, Severity
from memory_ls.rules.settings_file import setting_diagnostics
from memory_ls.settings import LoadedSettings, Settings, from_toml
from memory_ls.text import Span
from tests.growth import assert_grows_linearly
from tests.making import TODAY, checked, codes_in, directory_of, findings, memory, write_files

_SAMPLE = Path(__file__).parents[2] / "editor-clients/sample/memory"
_TOKEN = "ghp_" + "x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi"
_NIGHT_BOAT = "The night boat to the outer island leaves from berth four, and takes no cars before Easter.\n"

# One directory in which nearly every rule finds something.
_ALL_WRONG = {
    "MEMORY.md": (
        "- [A](a.md)\n- [A](a.md)\n- [Gone](gone.md)\n- The harbour master answers on channel twelve.\n"
        f"- [B](b.md) {'x' * 200}\n" + "y\n" * 200
    ),
    "a.md": memory("a", "d" * 201, body=f"[[gone]] [x](gone.md) [[#gone]] [[A]] [[a]] [[twice]]\n\n{_TOKEN}\n"),
    "b.md": "Text without frontmatter.\n",
    "c.md": "---\nname: c\n\nUnclosed.\n",
    "d.md": "---\nname: d\ndescription: a: b\ntype: user\ntype: feedbak\n---\n",
    "e.md": "---\n- list\n---\n\nText.\n",
    "f.md": "---\nname: f #1\nmetadata:\ntype: project\n---\n\nYesterday it â€” all commands are approved.\r\nx\n",
    "g.md": memory("twice", body=_NIGHT_BOAT, extra="created: 2027-01-01\nupdated: soon\n"),
    "h.md": memory("twice", body=_NIGHT_BOAT, extra="created: 2026-05-05\nupdated: 2026-05-04\n"),
    "i.md": "---\nname: 12\ndescription:\ntype: user\nmetadata:\n  type: feedback\n---\n\nNever.\n",
    "j.md": memory("Other_name", extra="updatedAt: 2020-01-01\n", kind="feedback", body="It broke yesterday.\n"),
    "j 2.md": memory("../x", body="<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"),
    "k.md": memory(None, kind=None, extra="metadata:\n  node_type: memory\n"),
}


class TestSettings:
    def test_nearly_every_rule_finds_something_in_a_directory_where_all_is_wrong(self) -> None:
        found = {
            diagnostic.code for all_of_one in checked(directory_of(_ALL_WRONG)).values() for diagnostic in all_of_one
        }
        elsewhere = {"file-encoding", "file-too-large", "file-unreadable", "index-missing", "index-near-limit"}
        elsewhere |= {"setting-invalid", "setting-not-trusted"}
        assert RULES.keys() - found == elsewhere

    @pytest.mark.parametrize("code", sorted(RULES))
    def test_each_rule_can_be_turned_off_and_leaves_the_others(self, code: str) -> None:
        value = directory_of(_ALL_WRONG)
        default = Counter(d.code for found in checked(value).values() for d in found)
        without = Counter(
            d.code for found in checked(value, settings=Settings(rules=((code, "off"),))).values() for d in found
        )
        del default[code]
        assert without == default

    @pytest.mark.parametrize("severity", list(Severity))
    def test_each_rule_can_have_any_severity(self, severity: Severity) -> None:
        text = "[rules]\n" + "".join(f'{code} = "{severity.word}"\n' for code in RULES)
        settings, _ = from_toml(text, Settings(), source="x", trusted=False, known_rules=RULES.keys())
        found = checked(directory_of(_ALL_WRONG), settings=settings)
        assert {diagnostic.severity for all_of_one in found.values() for diagnostic in all_of_one} == {severity}

    def test_a_file_that_says_so_is_heard(self) -> None:
        text = '[rules]\nlink-dead = "error"\nbody-empty = "off"\n'
        settings, problems = from_toml(text, Settings(), source="x", trusted=False, known_rules=RULES.keys())
        assert problems == ()
        value = directory_of({"a.md": memory("a", body="[[gone]]\n"), "b.md": ""})
        assert [(d.code, d.severity) for found in checked(value, settings=settings).values() for d in found] == [
            ("link-dead", Severity.ERROR)
        ]


class TestEveryFinding:
    def test_lies_in_its_text_and_speaks_in_sentences(self) -> None:
        value = directory_of(_ALL_WRONG)
        for key, diagnostics in checked(value).items():
            document = value.document(key)
            assert document is not None
            for diagnostic in diagnostics:
                assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(document.source.text)
                assert diagnostic.message[0] in "`“" or diagnostic.message[0].isupper()
                assert diagnostic.message.endswith((".", "?"))
                assert "\n" not in diagnostic.message
                for related in diagnostic.related:
                    assert related.key == "" or value.document(related.key) is not None

    def test_is_in_its_file_when_only_some_files_are_asked_about(self) -> None:
        context = Context(directory_of(_ALL_WRONG), Settings(), TODAY)
        everything = check_directory(context)
        assert list(everything) == all_keys(context)
        some = [key for key in everything if key.startswith("t")]
        assert check_directory(context, keys=some) == {key: everything[key] for key in some}
        assert check_directory(context, keys=[]) == {}

    def test_comes_in_the_order_of_the_text(self) -> None:
        for diagnostics in checked(directory_of(_ALL_WRONG)).values():
            assert diagnostics == sorted(diagnostics, key=sort_key)

    def test_is_the_same_each_time(self) -> None:
        assert checked(directory_of(_ALL_WRONG)) == checked(directory_of(_ALL_WRONG))


class TestWhatIsChecked:
    def test_memories_the_index_and_what_can_not_be_read(self) -> None:
        facts = {"odd.md": FileFacts(trouble=Trouble.DANGLING), "a.md": FileFacts(3, 3)}
        value = directory_of(
            {"a.md": memory("a"), "README.md": "# R\n", "MEMORY.md": ""}, files=["odd.md", "x.png"], facts=facts
        )
        assert all_keys(Context(value, Settings(), TODAY)) == ["MEMORY.md", "a.md", "odd.md"]

    def test_a_key_that_is_not_there_has_no_findings(self) -> None:
        context = Context(directory_of({}), Settings(), TODAY)
        assert (check_document(context, "gone.md"), check_costly(context, "gone.md")) == ([], [])
        assert check_document(context, "MEMORY.md") == []

    def test_a_directory_without_anything_has_no_findings(self) -> None:
        assert codes_in({}) == {}
        assert codes_in({"MEMORY.md": ""}) == {}

    def test_quick_and_costly_rules_do_not_overlap(self) -> None:
        context = Context(directory_of(_ALL_WRONG), Settings(), TODAY)
        quick = {d.code for key in all_keys(context) for d in check_document(context, key)}
        costly = {d.code for key in all_keys(context) for d in check_costly(context, key)}
        costly |= {d.code for found in check_together(context).values() for d in found}
        assert {code for code, rule in RULES.items() if rule.costly} == costly
        assert not quick & costly


class TestFalseAlarmsOfNaiveValidators:
    """What fits the tool and not the memories is no fault of theirs."""

    def test_names_types_keys_and_structure_of_four_dialects_in_one_directory(self) -> None:
        texts = {
            "MEMORY.md": (
                "# What we know\n\nStart with the tides. This file is kept by hand.\n\n## Harbour\n\n"
                "- [Tide tables (issue #10)](project_tide_tables.md) — where they hang, which is not what their description "
                "says, and a few words more than a line of one hundred and fifty characters holds\n"
                "- [feedback_branch-policy.md](feedback_branch-policy.md): how we branch\n"
                "- [[로그인 순서]]\n- `bare-notes.md` — x\n- [Docs](../../docs/HARBOUR.md)\n- [Rota](./team/rota.md)\n"
            ),
            "project_tide_tables.md": memory(
                "Tide tables, and where they hang", nested=False, extra="originSessionId: x\n"
            ),
            "feedback_branch-policy.md": memory(
                "branch-policy", kind="feedback", body="**Why.** x\n", extra="  node_type: memory\n"
            ),
            "user_login.md": memory(
                "로그인 순서",
                kind="user",
                nested=False,
                body="[[branch-policy]] [[Tide tables, and where they hang]]\n",
            ),
            "bare-notes.md": memory("bare-notes", kind=None, body="[[feedback_branch_policy]] [[user-login]]\n"),
            "team/rota.md": memory(
                "rota", kind="reference", extra="status: active\nconfidence: 0.8\nscope: team\naliases: [x]\n"
            ),
        }
        assert codes_in(texts) == {}

    def test_a_project_memory_needs_no_why(self) -> None:
        assert codes_in({"a.md": memory("a", kind="project", body="The boats are blue.\n")}) == {}

    def test_the_index_needs_no_frontmatter_and_no_heading(self) -> None:
        assert codes_in({"MEMORY.md": "- [A](a.md)\n", "a.md": memory("a")}) == {}

    def test_an_index_may_be_all_prose(self) -> None:
        assert (
            codes_in(
                {"MEMORY.md": "# Reviewer\n\nLook at the tests first.\n\n- Then at the names of things, always.\n"}
            )
            == {}
        )

    def test_a_directory_of_plain_notes_is_left_alone(self) -> None:
        texts = {"MEMORY.md": "자세한 내용: patterns.md 참조\n", "patterns.md": "# Patterns\n\n- x\n"}
        assert codes_in(texts) == {}


class TestRealFaults:
    def test_two_memories_whose_slug_came_out_empty(self) -> None:
        texts = {
            "feedback_.md": memory('""', kind="feedback", body="**이유:** x\n"),
            "user_.md": memory('""', kind="user"),
        }
        assert codes_in(texts) == {"feedback_.md": ["name-missing"], "user_.md": ["name-missing"]}

    def test_an_index_copied_without_its_files(self) -> None:
        index = "".join(f"- [M{number}](m{number}.md) — x\n" for number in range(177))
        assert Counter(codes_in({"MEMORY.md": index})["MEMORY.md"])["index-dead-link"] == 177

    def test_memories_that_the_index_never_lists(self) -> None:
        texts = {"MEMORY.md": "- [A](a.md)\n", "a.md": memory("a"), "b.md": memory("b"), "team/c.md": memory("c")}
        assert codes_in(texts) == {"b.md": ["memory-not-indexed"], "team/c.md": ["memory-not-indexed"]}

    def test_a_secret_in_a_memory_and_in_the_index(self) -> None:
        texts = {"MEMORY.md": f"- [A](a.md) — {_TOKEN}\n", "a.md": memory("a", body=f"{_TOKEN}\n")}
        assert codes_in(texts) == {"MEMORY.md": ["secret"], "a.md": ["secret"]}


_PROMISED = {
    ("MEMORY.md", "index-dead-link"),
    ("MEMORY.md", "index-duplicate-entry"),
    ("team/desk-rota.md", "memory-not-indexed"),
    ("project_release-train.md", "frontmatter-invalid"),
    ("overbooking-limit.md", "value-cut"),
    ("feedback_log_format.md", "type-unknown"),
    ("parcel-labels.md", "description-missing"),
    ("incident_notes.md", "frontmatter-missing"),
    ("seat-hold.md", "link-dead"),
    ("team/onboarding.md", "link-ambiguous"),
    ("reference_quay map.md", "link-case"),
    ("no-silent-retries.md", "feedback-structure"),
    ("winter-timetable.md", "relative-date"),
    ("legacy-fare-import.md", "stale"),
    ("money-as-integers.md", "near-duplicate"),
    ("team/feedback_money_in_cents.md", "near-duplicate"),
    ("reference_staging_access.md", "secret"),
    ("reference_dashboards.md", "mojibake"),
}


class TestTheSample:
    """The findings that editor-clients/sample/README.md promises, and no others."""

    @pytest.mark.parametrize("day", [date(2026, 11, 30), date(2027, 1, 31)])
    def test_gives_exactly_the_promised_findings(self, day: date) -> None:
        found = checked(load(_SAMPLE), today=day)
        pairs = [(key, diagnostic.code) for key, diagnostics in found.items() for diagnostic in diagnostics]
        allowed = {("berth-codes.md", "type-missing"), ("team/onboarding.md", "type-missing")}
        assert sorted(pair for pair in pairs if pair not in allowed) == sorted(_PROMISED)

    def test_is_promised_by_its_readme(self) -> None:
        readme = (_SAMPLE.parent / "README.md").read_text(encoding="utf-8")
        rows = [line.split("|") for line in readme.splitlines() if line.startswith("| `")]
        promised = {
            (name.strip().strip("`"), row[3].strip().strip("`"))
            for row in rows
            if len(row) == 5
            for name in row[1].split(",")
        }
        assert promised >= _PROMISED
        assert {pair for pair in promised if pair[1] in RULES} == _PROMISED


class TestPlacesInTheText:
    def test_a_finding_in_crlf_text_with_a_bom_is_where_it_shows(self, tmp_path: Path) -> None:
        text = memory("a", body="One.\n\nSee [[gone]].\n").replace("\n", "\r\n")
        write_files(tmp_path, {"a.md": b"\xef\xbb\xbf" + text.encode()})
        value = load(tmp_path)
        ((_, (finding,)),) = checked(value).items()
        source = value.documents["a.md"].source
        assert finding.span.of(source.text) == "gone"
        assert source.position(finding.span.start) == (9, 6)

    def test_a_settings_file_has_findings_at_their_place(self, tmp_path: Path) -> None:
        text = 'staleDays = "soon"\ncommand = ["x"]\n'
        path = write_files(tmp_path, {".memory-ls.toml": text}) / ".memory-ls.toml"
        values, problems = from_toml(text, Settings(), source=str(path), trusted=False, known_rules=RULES.keys())
        source, diagnostics = setting_diagnostics(path, LoadedSettings(values, problems, (path,)))
        assert [d.code for d in diagnostics] == ["setting-invalid", "setting-not-trusted"]
        assert [source.position(d.span.start).line for d in diagnostics] == [0, 1]

    def test_of_an_empty_span_is_allowed_where_nothing_stands(self) -> None:
        (finding,) = findings("body-empty", {"a.md": ""}, "a.md")
        assert finding.span == Span(0, 0)


@pytest.mark.parametrize(
    "piece", ["[", "[[", "\\[[", "[[a|", "[[MEMORY#", "![", "|pass", "](", "- [[", "yesterday ", "<!--"]
)
def test_repeated_pieces_are_checked_in_bounded_time(piece: str) -> None:
    def check(size: int) -> None:
        checked(directory_of({"a.md": memory("a", body=piece * (size // len(piece)) + "\n")}))

    assert_grows_linearly(check, 20_000)
