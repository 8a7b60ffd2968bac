"""The registry: every rule, its severity, its page."""

from __future__ import annotations

import re

import pytest

from memory_ls.rules.registry import RULES, FixKind, Severity
from memory_ls.text import Span

# Every rule: its code, its severity, whether a fix is safe (S), asked for (A) or none (-).
_EVERY = """
frontmatter-missing W A; frontmatter-unclosed E S; frontmatter-invalid E S; frontmatter-not-mapping E -;
duplicate-key W S; damaged-metadata W S; value-cut W S; value-type E S; name-missing E S; name-unsafe E A;
name-not-kebab H A; name-differs-from-file H A; duplicate-name E -; description-missing W A; description-long H -;
type-missing H A; type-unknown E A; type-conflict W A; date-invalid W -; date-order W -; date-future H -;
index-dead-link E A; index-duplicate-entry W S; index-over-limit E A; index-near-limit I -; index-line-long I -;
index-content I A; index-missing H A; memory-not-indexed W A; link-dead W A; link-ambiguous W A; link-dead-file W A;
link-dead-anchor W A; link-case H S; link-self H S; body-empty W -; feedback-structure H A; relative-date H A;
stale H -; near-duplicate I -; secret E -; grants-permission W -; conflict-marker E -; file-encoding E -;
file-too-large W -; file-unreadable E -; mojibake W S; sync-copy I -; line-endings-mixed H S; setting-invalid W -;
setting-not-trusted W -
"""
_FIXES = {"S": FixKind.SAFE, "A": FixKind.ASKED, "-": FixKind.NONE}


def test_the_rules_are_these_with_their_severities_and_fixes() -> None:
    expected = {}
    for row in _EVERY.split(";"):
        code, severity, fix = row.split()
        expected[code] = (severity, _FIXES[fix])
    assert {rule.code: (rule.severity.name[0], rule.fix) for rule in RULES.values()} == expected


@pytest.mark.parametrize("code", RULES)
def test_a_code_is_words_and_hyphens_and_a_summary_is_one_clause(code: str) -> None:
    rule = RULES[code]
    assert rule.code == code
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert rule.summary
    assert not rule.summary.endswith(".")


@pytest.mark.parametrize("code", RULES)
def test_every_rule_has_a_page_that_begins_with_its_code(code: str) -> None:
    assert RULES[code].page.startswith(f"# {code}\n")


def test_only_what_compares_or_takes_long_is_costly() -> None:
    assert {code for code, rule in RULES.items() if rule.costly} == {"stale", "near-duplicate", "secret"}


def test_a_finding_has_its_rules_code_and_severity() -> None:
    finding = RULES["stale"].at(Span(1, 2), "Old.", deprecated=True, days=3)
    assert (finding.code, finding.severity, finding.span) == ("stale", Severity.HINT, Span(1, 2))
    assert (finding.data, finding.related, finding.deprecated) == ({"days": 3}, (), True)


def test_the_numbers_of_severities_are_those_of_the_protocol() -> None:
    assert [(severity.word, severity.value) for severity in Severity] == [
        ("error", 1),
        ("warning", 2),
        ("information", 3),
        ("hint", 4),
    ]
