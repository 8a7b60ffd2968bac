"""How findings are printed: nothing lost, nothing out of place, nothing that should not be seen."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from wcwidth import wcswidth

from memory_ls.cli import report
from memory_ls.cli.report import FileFindings
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.registry import RULES, Diagnostic, Related
from memory_ls.secret_scan import find_secrets
from memory_ls.text import SourceText, Span
from tests.cli.conftest import Run, memory, write_files
from tests.making import unmarked

FORMATS = ("text", "json", "sarif", "github")

# --- A finding at a marked place


def finding_in(marked: str, path: str = "a.md", code: str = "link-dead", message: str = "Told.") -> FileFindings:
    """A file in which the rule ``code`` found what stands between ⟪ and ⟫."""
    text, [span] = unmarked(marked)
    return FileFindings(str(Path.cwd() / path), SourceText(text), [RULES[code].at(span, message)], None)


def printed(output_format: str, capfd: pytest.CaptureFixture[str], *files: FileFindings) -> str:
    report.FORMATS[output_format](list(files))
    out: str = capfd.readouterr().out
    return out


def underlined(out: str) -> str:
    """What stands above the carets, by columns of a terminal."""
    lines = out.splitlines()
    at = next(number for number, line in enumerate(lines) if re.fullmatch(r" +\| +\^+", line) or "| ^" in line)
    source, carets = lines[at - 1], lines[at]
    assert source.index("|") == carets.index("|")
    first, last = carets.index("^"), len(carets)
    source = source.ljust(last)
    ends = [number for number in range(len(source) + 1) if wcswidth(source[:number]) == first]
    stops = [number for number in range(len(source) + 1) if wcswidth(source[:number]) == last]
    return source[ends[-1] : stops[-1]]


# --- Text


@pytest.mark.parametrize(
    ("marked", "above"),
    [
        ("See ⟪[[nowhere]]⟫ first.", "[[nowhere]]"),
        ("参见⟪潮汐表⟫，然后出航。", "潮汐表"),
        ("부두의 ⟪조석표⟫를 보라", "조석표"),
        ("\tSee\t⟪the\ttable⟫ first.", "the table"),
        ("🌊 ⟪wave⟫", "wave"),
        ("the ⟪🌊🌊⟫ wave", "🌊🌊"),
        ("👩‍🚀 on ⟪duty⟫ 👍🏽", "duty"),
        ("cafe\u0301 ⟪cafe\u0301⟫ open", "cafe\u0301"),
        ("ｆｕｌｌ ⟪ｗｉｄｅ⟫ text", "ｗｉｄｅ"),
        ("⟪⟫nothing is marked", "n"),
        ("조석표⟪⟫", " "),
        ("the end⟪⟫", " "),
        ("the end ⟪of the line\nand the next⟫ one", "of the line"),
        ("one\r\ntwo ⟪three\r⟫\nfour", "three"),
        ("a\u2028b ⟪c\x0cd⟫ e", "c d"),
    ],
)
def test_caret_stands_under_the_exact_place(marked: str, above: str, capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("text", capfd, finding_in(f"a line before\n{marked}\na line after\n"))
    assert "before" not in out
    assert "after" not in out
    assert underlined(out) == above


@pytest.mark.parametrize("filler", ["word ", "潮汐", "🌊", "a\tb", "e\u0301"])
@pytest.mark.parametrize("before", [0, 10, 60, 500, 20_000])
@pytest.mark.parametrize("after", [0, 10, 500, 20_000])
def test_long_line_is_cut_around_the_place(
    filler: str, before: int, after: int, capfd: pytest.CaptureFixture[str]
) -> None:
    out = printed("text", capfd, finding_in(f"{filler * before}⟪[[표류]]⟫{filler * after}"))
    source = out.splitlines()[2]
    assert underlined(out) == "[[표류]]"
    assert wcswidth(source) < 130
    assert ("…" in source) == (before + after > 300 or wcswidth(filler.replace("\t", " ")) * (before + after) > 93)


def test_long_place_is_cut(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("text", capfd, finding_in(f"see ⟪{'조석표' * 50_000}⟫ here"))
    marked = underlined(out)
    assert marked.startswith("조석표조석표")
    assert marked.endswith("…")
    assert wcswidth(out.splitlines()[2]) < 130


def test_many_findings_in_one_very_long_line_take_no_time(capfd: pytest.CaptureFixture[str]) -> None:
    text = "표류 " * 200_000
    findings = [RULES["link-dead"].at(Span(at, at + 2), "Told.") for at in range(0, len(text), 600)]
    out = printed("text", capfd, FileFindings("/a.md", SourceText(text), findings, None))
    assert out.count("^^^^") == 1000


def test_blank_line_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert "|" not in printed("text", capfd, finding_in("one\n⟪⟫\nthree"))
    assert "|" not in printed("text", capfd, finding_in("⟪⟫"))


def test_place_counts_from_1_in_characters(capfd: pytest.CaptureFixture[str]) -> None:
    assert "a.md:2:4: warning[link-dead]\n" in printed("text", capfd, finding_in("x\r\n🌊표 ⟪x⟫"))


def test_related_place_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    other = memory(name="other")
    directory = MemoryDirectory(str(Path.cwd())).with_document("team/other.md", other)
    here, there = Related("", Span(2, 3), "first here"), Related("team/other.md", Span(10, 15), "the other")
    finding = RULES["duplicate-key"].at(Span(0, 1), "Told.", related=(here, there))
    out = printed("text", capfd, FileFindings(str(Path.cwd() / "a.md"), SourceText("x\ny"), [finding], directory))
    assert "  see a.md:2:1: first here\n" in out
    assert "  see team/other.md:2:7: the other\n" in out


def test_summary_counts_by_severity(capfd: pytest.CaptureFixture[str]) -> None:
    files = [
        finding_in("⟪x⟫", code=code)
        for code in ("link-dead", "link-dead", "link-self", "index-content", "index-near-limit", "secret")
    ]
    assert printed("text", capfd, *files).splitlines()[-1] == (
        "Found 1 error, 2 warnings, 2 information, 1 hint in 6 files."
    )


def test_nothing_found_is_said_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    file = FileFindings("/a.md", SourceText(""), [], None)
    assert printed("text", capfd, file) == "Checked 1 file: nothing to report.\n"
    assert printed("text", capfd) == "Checked 0 files: nothing to report.\n"


# --- What must not reach a terminal

# Steers a terminal, hides text or turns its direction round; C1 controls and tags are such too.
STEERING = "\x1b[31m\x07\x08\x7f\x9b\u202e\u2066\u200f\u061c\u200b\ufeff\U000e0041"


def steers(text: str) -> list[str]:
    return [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\u200d"]


@pytest.mark.parametrize("output_format", FORMATS)
def test_what_steers_a_terminal_is_never_printed_raw(output_format: str, capfd: pytest.CaptureFixture[str]) -> None:
    text = f"before {STEERING} ⟪{STEERING}[[x]]⟫ after {STEERING}\u2028"
    file = finding_in(text, path=f"a{STEERING}b.md", message=f"Told {STEERING} of\r\n{STEERING}\x85it.")
    related = Related("", Span(0, 1), f"see {STEERING}")
    file.diagnostics.append(RULES["link-self"].at(Span(0, 3), "Told.", related=(related,)))
    assert steers(printed(output_format, capfd, file)) == []


def test_line_break_in_a_file_name_makes_no_line_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("text", capfd, finding_in("⟪x⟫", path="a\nFound 0 errors.md"))
    assert out.startswith("a Found 0 errors.md:1:1: ")
    out = printed("github", capfd, finding_in("⟪x⟫", path="a\n::error::b.md"))
    assert out.startswith("::warning file=a%0A%3A%3Aerror%3A%3Ab.md,line=1")
    assert out.count("\n") == 1


def test_escapes_in_json_say_what_was_there(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("json", capfd, finding_in("⟪x⟫", message=f"조석표 {STEERING}"))
    assert "조석표" in out
    assert json.loads(out)["diagnostics"][0]["message"] == f"조석표 {STEERING}"


# --- Secrets

TOKEN = "ghp_" + "x7Kd02mQvT9sLwZ4aRbN1cYeUo3HpJf6GiXk"
PASSWORD = "hK4$vN8zRt2w"
KEY_LINES = [
    "MIICXAIBAAKBgQDKp3wT9sLwZ4aRbN1cYeUo3HpJf6GiXkd02mQvT9sLwZ4aRbN1",
    "cYeUo3HpJf6GiXkd02mQvx7Kd02mQvT9sLwZ4aRbN1cYeUo3HpJf6GiXkQz8Wb5Y",
    "n2VtR0uSgDqFhPjMlAoCiKxEyBzTsWvUrNpLmKjHgFdSaQ1w2e3r4t5y6u7i8o9p",
]


def test_secrets_here_are_found() -> None:
    assert len(find_secrets(f"{TOKEN} password: {PASSWORD}")) == 2
    assert len(find_secrets(pem())) == 1


def pem() -> str:
    return "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *KEY_LINES, "-----END RSA PRIVATE KEY-----"])


@pytest.fixture
def leaky(clean: Path) -> Path:
    """A directory in which many rules have reason to quote a secret."""
    return write_files(
        clean,
        {
            "MEMORY.md": f"- [Tide tables](tide-tables.md) — [[{TOKEN}]]\n- [x]({TOKEN}.md) password: {PASSWORD}\n"
            f"- {TOKEN} is a token that stands in the index itself\n",
            "tide-tables.md": f"---\nname: {TOKEN}\ndescription: x #{TOKEN}\ntype: {TOKEN}\n"
            f"metadata:\n  type: user\n---\n[[{TOKEN}]] [[by {TOKEN}]] [b]({TOKEN}.md) [c](tide-tables.md#{TOKEN}) password: "
            f"{PASSWORD} [[{PASSWORD}]]\n\nThe user has granted token {TOKEN} full access.\n",
            "no-name.md": f"---\ndescription: x\n---\n# {TOKEN}\n\nText.\n",
            "twin-a.md": memory(name=TOKEN),
            "unread.md": f"---\nname: @{TOKEN}\nupdated: {TOKEN}\n---\nText.\n",
        },
    )


@pytest.mark.parametrize("output_format", FORMATS)
def test_no_format_shows_a_secret_whole(run: Run, leaky: Path, output_format: str) -> None:
    outcome = run("check", "--format", output_format)
    assert outcome.status == 1
    for code in (
        "secret",
        "name-not-kebab",
        "link-dead-anchor",
        "link-ambiguous",
        "type-conflict",
        "duplicate-name",
        "index-dead-link",
    ):
        assert code in outcome.out
    for secret in (TOKEN, PASSWORD):
        assert secret[:4] in outcome.out
        assert secret[:7] not in outcome.out
        assert secret[4:10] not in outcome.out


def test_key_over_several_lines_is_masked_in_each_of_them(run: Run, clean: Path) -> None:
    write_files(
        clean,
        {
            "MEMORY.md": f"- [Tide tables](tide-tables.md)\n\n{pem()}\n",
            ".memory-ls.toml": "indexLineLength = 40\n",
        },
    )
    out = run("check", "--select", "index-line-long").out
    assert out.count("index-line-long") == 3
    for line in KEY_LINES:
        assert line[4:12] not in out
        assert line[-8:] not in out


def test_secret_of_a_file_is_masked_where_its_line_alone_does_not_tell(
    run: Run, clean: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = f"| user | password | see |\n|---|---|---|\n| kim | {PASSWORD} | [[nowhere]] |\n"
    write_files(clean, {"tide-tables.md": memory(body=table)})
    assert find_secrets(table)
    assert not find_secrets(table.splitlines()[2])
    out = run("check", "--select", "link-dead").out
    assert "hK4$…" in out
    assert PASSWORD not in out


def test_masked_line_keeps_the_caret_in_place(capfd: pytest.CaptureFixture[str]) -> None:
    assert underlined(printed("text", capfd, finding_in(f"token {TOKEN} and ⟪[[x]]⟫"))) == "[[x]]"


# --- JSON

POSITION = {
    "type": "object",
    "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}},
    "required": ["line", "column"],
    "additionalProperties": False,
}
RANGE = {
    "type": "object",
    "properties": {"start": POSITION, "end": POSITION},
    "required": ["start", "end"],
    "additionalProperties": False,
}
RELATED = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "range": RANGE, "message": {"type": "string"}},
    "required": ["path", "range", "message"],
    "additionalProperties": False,
}
FIX = {
    "type": ["object", "null"],
    "properties": {"title": {"type": "string"}, "safe": {"type": "boolean"}},
    "required": ["title", "safe"],
    "additionalProperties": False,
}
JSON_SCHEMA = {
    "type": "object",
    "properties": {
        "version": {"const": 1},
        "filesChecked": {"type": "integer", "minimum": 0},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "pattern": r"^[^\\]+$"},
                    "range": RANGE,
                    "severity": {"enum": ["error", "warning", "information", "hint"]},
                    "code": {"enum": list(RULES)},
                    "message": {"type": "string", "minLength": 1},
                    "fix": FIX,
                    "related": {"type": "array", "items": RELATED},
                },
                "required": ["path", "range", "severity", "code", "message", "fix", "related"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["version", "filesChecked", "diagnostics"],
    "additionalProperties": False,
}


def test_json_has_the_promised_shape(run: Run, leaky: Path) -> None:
    document = json.loads(run("check", "--format", "json").out)
    jsonschema.validate(document, JSON_SCHEMA)
    assert document["filesChecked"] == 5
    assert any(finding["related"] for finding in document["diagnostics"])


def test_json_of_nothing_found_is_whole(run: Run, clean: Path) -> None:
    document = json.loads(run("check", "--format", "json").out)
    assert document == {"version": 1, "filesChecked": 2, "diagnostics": []}


@pytest.mark.parametrize(
    ("marked", "start", "end"),
    [
        ("⟪x⟫", (1, 1), (1, 2)),
        ("a\n  ⟪[[x]]⟫", (2, 3), (2, 8)),
        ("🌊 ⟪조석표⟫", (1, 3), (1, 6)),
        ("a\r\n\r\n⟪b\r\nc⟫d", (3, 1), (4, 2)),
        ("a\rb\u2028⟪c⟫", (2, 3), (2, 4)),
        ("a⟪⟫", (1, 2), (1, 2)),
    ],
)
def test_json_counts_from_1_in_characters_with_the_end_behind(
    marked: str, start: tuple[int, int], end: tuple[int, int], capfd: pytest.CaptureFixture[str]
) -> None:
    [finding] = json.loads(printed("json", capfd, finding_in(marked)))["diagnostics"]
    assert finding["range"] == {
        "start": {"line": start[0], "column": start[1]},
        "end": {"line": end[0], "column": end[1]},
    }


def test_json_is_sorted_by_path_then_start_then_code(run: Run, leaky: Path) -> None:
    write_files(leaky, {"a/z.md": "[[nowhere]]\n", "Z.md": "[[nowhere]]\n", "조.md": "[[nowhere]]\n"})
    findings = json.loads(run("check", "--format", "json").out)["diagnostics"]
    places = [(f["path"], f["range"]["start"]["line"], f["range"]["start"]["column"], f["code"]) for f in findings]
    assert places == sorted(places)
    assert len({path for path, *_ in places}) == 8


def test_json_tells_related_places(run: Run, clean: Path) -> None:
    write_files(clean, {"MEMORY.md": "- [a](tide-tables.md) — a\n- [b](tide-tables.md) — b\n"})
    [finding] = json.loads(run("check", "--format", "json").out)["diagnostics"]
    assert finding["related"] == [
        {
            "path": ".claude/memory/MEMORY.md",
            "range": {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 21}},
            "message": "first listed here",
        }
    ]


# --- SARIF

# What code scanning needs of SARIF 2.1.0.
TEXT = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
PLACE = {
    "type": "object",
    "properties": {
        "physicalLocation": {
            "type": "object",
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "properties": {"uri": {"type": "string", "pattern": r"^[!-~]+$"}},
                    "required": ["uri"],
                },
                "region": {
                    "type": "object",
                    "properties": {
                        name: {"type": "integer", "minimum": 1}
                        for name in ("startLine", "startColumn", "endLine", "endColumn")
                    },
                    "required": ["startLine", "startColumn", "endLine", "endColumn"],
                },
            },
            "required": ["artifactLocation", "region"],
        },
        "message": TEXT,
    },
    "required": ["physicalLocation"],
}
LEVEL = {"enum": ["error", "warning", "note"]}
SARIF_SCHEMA = {
    "type": "object",
    "properties": {
        "$schema": {"type": "string", "pattern": "^https://.*sarif-2.1.0.json$"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "columnKind": {"const": "unicodeCodePoints"},
                    "tool": {
                        "type": "object",
                        "properties": {
                            "driver": {
                                "type": "object",
                                "properties": {
                                    "name": {"const": "memory-ls"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "properties": {
                                                "id": {"enum": list(RULES)},
                                                "shortDescription": TEXT,
                                                "help": TEXT,
                                                "defaultConfiguration": {
                                                    "type": "object",
                                                    "properties": {"level": LEVEL},
                                                    "required": ["level"],
                                                },
                                            },
                                            "required": ["id", "shortDescription", "help", "defaultConfiguration"],
                                        },
                                    },
                                },
                                "required": ["name", "version", "rules"],
                            }
                        },
                        "required": ["driver"],
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "ruleId": {"enum": list(RULES)},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": LEVEL,
                                "message": TEXT,
                                "locations": {"type": "array", "minItems": 1, "items": PLACE},
                                "relatedLocations": {"type": "array", "minItems": 1, "items": PLACE},
                            },
                            "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
                        },
                    },
                },
                "required": ["tool", "results", "columnKind"],
            },
        },
    },
    "required": ["$schema", "version", "runs"],
}


def sarif(run: Run) -> dict[str, Any]:
    document = json.loads(run("check", "--format", "sarif").out)
    jsonschema.validate(document, SARIF_SCHEMA)
    only: dict[str, Any] = document["runs"][0]
    return only


def test_sarif_tells_what_json_tells(run: Run, leaky: Path) -> None:
    expected = json.loads(run("check", "--format", "json").out)["diagnostics"]
    results = sarif(run)["results"]
    assert [result["ruleId"] for result in results] == [finding["code"] for finding in expected]
    assert [result["message"]["text"] for result in results] == [finding["message"] for finding in expected]
    for result, finding in zip(results, expected, strict=True):
        place = result["locations"][0]["physicalLocation"]
        start, end = finding["range"]["start"], finding["range"]["end"]
        assert place["artifactLocation"] == {"uri": finding["path"]}
        assert place["region"] == {
            "startLine": start["line"],
            "startColumn": start["column"],
            "endLine": end["line"],
            "endColumn": end["column"],
        }
        assert len(result.get("relatedLocations", [])) == len(finding["related"])


def test_sarif_describes_each_rule_once_and_always_alike(run: Run, leaky: Path) -> None:
    first = sarif(run)
    rules = first["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in first["results"]})
    for result in first["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in rules:
        assert rule["help"] == {"text": RULES[rule["id"]].page, "markdown": RULES[rule["id"]].page}
        assert rule["shortDescription"] == {"text": RULES[rule["id"]].summary}
    # A level from the settings is the finding's and not the rule's.
    write_files(leaky, {".memory-ls.toml": '[rules]\nlink-dead = "hint"\n'})
    second = sarif(run)
    assert second["tool"]["driver"]["rules"] == rules
    assert {result["level"] for result in second["results"] if result["ruleId"] == "link-dead"} == {"note"}


def test_sarif_of_nothing_found_is_whole(run: Run, clean: Path) -> None:
    only = sarif(run)
    assert only["results"] == only["tool"]["driver"]["rules"] == []


def test_sarif_addresses_are_percent_encoded(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("sarif", capfd, finding_in("⟪x⟫", path="두 단어/50%\n#?.md"))
    place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "%EB%91%90%20%EB%8B%A8%EC%96%B4/50%25%0A%23%3F.md"


# --- GitHub


def test_github_annotation_has_place_and_title(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("github", capfd, finding_in("x\n🌊 ⟪[[표]]⟫"))
    assert out == "::warning file=a.md,line=2,endLine=2,col=3,endColumn=8,title=link-dead::Told.\n"


@pytest.mark.parametrize(
    ("code", "level"),
    [("secret", "error"), ("link-dead", "warning"), ("index-content", "notice"), ("link-self", "notice")],
)
def test_github_levels(code: str, level: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert printed("github", capfd, finding_in("⟪x⟫", code=code)).startswith(f"::{level} ")


def test_github_columns_are_left_out_over_several_lines(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("github", capfd, finding_in("⟪x\ny⟫"))
    assert out == "::warning file=a.md,line=1,endLine=2,title=link-dead::Told.\n"


def test_github_escapes_what_would_end_a_field(capfd: pytest.CaptureFixture[str]) -> None:
    out = printed("github", capfd, finding_in("⟪x⟫", path="a,b: 100%.md", message="50% of: a, b\r\n::error::c"))
    assert out.startswith("::warning file=a%2Cb%3A 100%25.md,line=1,")
    assert out.endswith("::50%25 of: a, b%0D%0A::error::c\n")


def test_github_of_nothing_found_is_empty(run: Run, clean: Path) -> None:
    outcome = run("check", "--format", "github")
    assert (outcome.status, outcome.out) == (0, "")


# --- The same in every format


@pytest.mark.parametrize("output_format", FORMATS)
def test_every_format_ends_with_the_same_status(run: Run, faulty: Path, output_format: str) -> None:
    assert run("check", "--format", output_format).status == 1
    assert run("check", "--format", output_format, "--select", "stale").status == 0


def test_severity_word_is_the_settings(capfd: pytest.CaptureFixture[str]) -> None:
    finding = Diagnostic("link-dead", RULES["index-content"].severity, Span(0, 1), "Told.")
    out = printed("text", capfd, FileFindings("/a.md", SourceText("x"), [finding], None))
    assert "information[link-dead]" in out
