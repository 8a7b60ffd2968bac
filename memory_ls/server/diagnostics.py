"""How findings reach the client: pushed to it, or kept until it asks for them. Never both.

Pull (LSP 3.17, "Pull Diagnostics") is for clients that can be asked to ask again, since what is found in
one file changes with others. The session tells either of them whenever something is new.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple

from lsprotocol import types

from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import Findings

# How long, in seconds, news is gathered before the client hears that there is some.
_PAUSE = 0.05


def converted(findings: Findings, support: ClientSupport) -> list[types.Diagnostic]:
    """The findings as LSP has them."""
    return [convert.to_diagnostic(findings, item, support) for item in findings.diagnostics]


class _Kept(NamedTuple):
    result_id: str
    findings: Findings


class PulledDiagnostics:
    """Findings that wait for the client to ask, by URI. Each set of them has a result id of its own.

    ``refresh`` asks the client to ask again for what it has open.
    """

    def __init__(self, support: ClientSupport, refresh: Callable[[], None]) -> None:
        self._support = support
        self._refresh = refresh
        self._kept: dict[str, _Kept] = {}
        # An id of another run of the server must not be taken for one of this.
        self._run = os.urandom(4).hex()
        self._numbers = count(1)
        self._news = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None

    def __call__(self, findings: Findings) -> None:
        """Keeps the findings in place of those that were there."""
        self._kept[findings.uri] = _Kept(f"{self._run}-{next(self._numbers)}", findings)
        self._news.set()
        # Whoever edits a document asks for its findings anyway.
        if findings.version is not None and not findings.answers_edit and self._due is None:
            self._due = asyncio.get_running_loop().call_later(_PAUSE, self._ask_to_ask)

    def _ask_to_ask(self) -> None:
        self._due = None
        self._refresh()

    def document(
        self, uri: str, previous: str | None
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        """What is known of one document, in as few words as the client's ``previous`` result id allows."""
        kept = self._kept.get(uri)
        if kept is None:
            return types.RelatedFullDocumentDiagnosticReport(items=[])
        if kept.result_id == previous:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=kept.result_id)
        items = converted(kept.findings, self._support)
        return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=kept.result_id)

    def workspace(self, previous: Mapping[str, str]) -> list[types.WorkspaceDocumentDiagnosticReport]:
        """What is known of all documents, given the result ids that the client has."""
        reports: list[types.WorkspaceDocumentDiagnosticReport] = [
            types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[]) for uri in previous if uri not in self._kept
        ]
        for uri, (result_id, findings) in self._kept.items():
            if previous.get(uri) == result_id:
                reports.append(
                    types.WorkspaceUnchangedDocumentDiagnosticReport(
                        uri=uri, result_id=result_id, version=findings.version
                    )
                )
            elif findings.diagnostics or uri in previous:
                items = converted(findings, self._support)
                reports.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri=uri, items=items, version=findings.version, result_id=result_id
                    )
                )
        return reports

    async def stream(
        self, previous: Mapping[str, str], send: Callable[[list[types.WorkspaceDocumentDiagnosticReport]], None]
    ) -> None:
        """Sends what is known, and from then on what is new, until cancelled: nothing has to be asked again."""
        known = dict(previous)
        while True:
            self._news.clear()
            news = [report for report in self.workspace(known) if report.kind != "unchanged"]
            if news:
                send(news)
            for report in news:
                if report.result_id is None:
                    known.pop(report.uri, None)
                else:
                    known[report.uri] = report.result_id
            await self._news.wait()
            await asyncio.sleep(_PAUSE)
