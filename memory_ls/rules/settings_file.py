"""Findings about a settings file: what `settings` could not use, as diagnostics at their place."""

from __future__ import annotations

from pathlib import Path

from memory_ls.directory.loader import read_file
from memory_ls.rules.check import tuned
from memory_ls.rules.registry import RULES, Diagnostic
from memory_ls.settings import LoadedSettings
from memory_ls.text import SourceText, Span


def setting_diagnostics(path: Path, loaded: LoadedSettings) -> tuple[SourceText, list[Diagnostic]]:
    """The text of the settings file ``path`` and the findings about it, in the order of the text."""
    text, _ = read_file(str(path))
    found = [
        RULES[problem.code].at(problem.span or Span(0, 0), problem.message, key=problem.key)
        for problem in loaded.problems
        if problem.source == str(path)
    ]
    return SourceText(text or ""), sorted(tuned(loaded.settings, found), key=lambda diagnostic: diagnostic.span)
