"""``memory-ls rules``: the list of rules, and the page of one."""

from __future__ import annotations

import click

from memory_ls.cli.report import json_bytes
from memory_ls.cli.targets import Failure
from memory_ls.documents.names import closest
from memory_ls.rules.registry import RULES


def run(code: str | None, output_format: str) -> None:
    """Prints the list, or the page of ``code``."""
    if code is not None and code not in RULES:
        meant = closest(code, RULES.keys())
        raise Failure(
            f"There is no rule {code}. " + (f"Did you mean {meant}?" if meant else "`memory-ls rules` lists them.")
        )
    shown = [RULES[code]] if code else list(RULES.values())
    if output_format == "json":
        items = [
            {"code": r.code, "severity": r.severity.word, "fix": r.fix.value, "summary": r.summary, "page": r.page}
            for r in shown
        ]
        click.echo(json_bytes(items))
    elif code is not None:
        click.echo(RULES[code].page.rstrip())
    else:
        longest = max(len(rule.code) for rule in shown)
        for rule in shown:
            click.echo(f"{rule.code:<{longest}}  {rule.severity.word:<11}  {rule.summary}")
        click.echo("\n`memory-ls rules CODE` explains one.")
