"""``memory-ls rules``: the list of rules, and the page of one."""

from __future__ import annotations

import json

import pytest

from memory_ls.rules.registry import RULES
from tests.cli.conftest import Command, Run


def test_every_rule_is_listed_with_its_severity_and_summary(run: Run) -> None:
    outcome = run("rules")
    assert outcome.status == 0
    lines = outcome.out.splitlines()
    assert len(lines) == len(RULES) + 2
    for rule, line in zip(RULES.values(), lines, strict=False):
        code, severity, summary = line.split(maxsplit=2)
        assert (code, severity, summary) == (rule.code, rule.severity.word, rule.summary)
    assert lines[-1] == "`memory-ls rules CODE` explains one."


def test_columns_of_the_list_are_aligned(run: Run) -> None:
    lines = run("rules").out.splitlines()[: len(RULES)]
    assert len({line.index(line.split()[1]) for line in lines}) == 1
    assert all(len(line) <= 120 for line in lines)


@pytest.mark.parametrize("code", RULES)
def test_page_of_a_rule_is_printed(run: Run, code: str) -> None:
    outcome = run("rules", code)
    assert (outcome.status, outcome.out) == (0, RULES[code].page)


def test_list_as_json_has_every_page(run: Run) -> None:
    items = json.loads(run("rules", "--format", "json").out)
    assert [item["code"] for item in items] == list(RULES)
    for item in items:
        rule = RULES[item["code"]]
        assert item == {
            "code": rule.code,
            "severity": rule.severity.word,
            "fix": rule.fix.value,
            "summary": rule.summary,
            "page": rule.page,
        }


def test_one_rule_as_json(run: Run) -> None:
    [item] = json.loads(run("rules", "link-dead", "--format", "json").out)
    assert item["code"] == "link-dead"


def test_unknown_rule_is_status_2_and_names_the_one_meant(run: Run) -> None:
    outcome = run("rules", "dead-link")
    assert outcome.status == 2
    assert outcome.out == ""
    outcome = run("rules", "link_ded")
    assert outcome.err == "Error: There is no rule link_ded. Did you mean link-dead?\n"


def test_unknown_rule_like_no_other_points_to_the_list(run: Run) -> None:
    assert run("rules", "zzz").err == "Error: There is no rule zzz. `memory-ls rules` lists them.\n"


def test_pages_are_read_from_wherever_the_command_runs(command: Command) -> None:
    outcome = command("rules", "link-dead", environment={"PYTHONIOENCODING": "ascii"})
    assert outcome.status == 0
    assert outcome.out.startswith("# link-dead\n")
    assert outcome.err == ""
