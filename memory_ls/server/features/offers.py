"""What a code action is before it is told: what was asked for, and what is offered for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import NamedTuple

from lsprotocol import types

from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.server.session import Place
from memory_ls.text import Span

QUICK_FIX = types.CodeActionKind.QuickFix.value
EXTRACT = types.CodeActionKind.RefactorExtract.value
REWRITE = types.CodeActionKind.RefactorRewrite.value


class Asked(NamedTuple):
    """What code actions are asked for: a place in a document, what is found in it, and which kinds are wanted.

    ``only`` is ``None`` for all kinds. ``shown`` are the findings that the client shows there, by code and place.
    """

    place: Place
    findings: Sequence[Diagnostic]
    span: Span
    only: Sequence[str] | None = None
    shown: frozenset[tuple[str, Span]] = frozenset()

    @property
    def context(self) -> Context:
        """What the fixes are made from."""
        return Context(self.place.directory, self.place.settings, date.today())

    def wants(self, kind: str) -> bool:
        """Whether actions of this kind are asked for, by it or by one that it belongs to (LSP 3.17, CodeActionKind)."""
        return self.only is None or any(not only or f"{kind}.".startswith(f"{only}.") for only in self.only)

    def here(self) -> list[Diagnostic]:
        """The findings that stand where actions are asked for, or are shown there.

        What is found about the word under the cursor comes before what is found about its line.
        """
        shown = [finding for finding in self.findings if self.is_here(finding)]
        return sorted(shown, key=lambda finding: (not self._touches(finding), finding.span.end - finding.span.start))

    def is_here(self, finding: Diagnostic) -> bool:
        """Whether a finding stands where actions are asked for, or is one of those that are shown there."""
        return self._touches(finding) or (finding.code, finding.span) in self.shown

    def _touches(self, finding: Diagnostic) -> bool:
        return finding.span.start <= self.span.end and self.span.start <= finding.span.end


class Offer(NamedTuple):
    """One code action before it is told: a fix, of what kind, and the finding that it mends."""

    kind: str
    fix: Fix
    finding: Diagnostic | None = None
    is_preferred: bool = False


# What offers actions; refactorings come from here too.
Provider = Callable[[Asked], Iterator[Offer]]
