"""How findings reach the client: pushed to it, or kept until it asks for them. Never both.

Pull (LSP 3.17, "Pull Diagnostics") is for clients that can be asked to ask again, since what is found in
one file changes with others. The session tells either of them whenever something is new.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from itertools import count, takewhile
from typing import NamedTuple

from lsprotocol import types

from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import Findings

# How long, in seconds, news is gathered before the client hears that there is some.
_PAUSE = 0.05
# So many reports are sent at once; other messages are answered between.
_PART = 200

_Reports = list[types.WorkspaceDocumentDiagnosticReport]


def converted(findings: Findings, support: ClientSupport) -> list[types.Diagnostic]:
    """The findings as LSP has them."""
    return [convert.to_diagnostic(findings, item, support) for item in findings.diagnostics]


class _Kept(NamedTuple):
    """What is told about one document. Not the findings themselves, which hold the directory as it was."""

    number: int
    result_id: str
    uri: str
    version: int | None
    items: list[types.Diagnostic]


class PulledDiagnostics:
    """Findings that wait for the client to ask, by URI. Each set of them has a result id of its own.

    ``refresh`` asks the client to ask again for what it has open.
    """

    def __init__(self, support: ClientSupport, refresh: Callable[[], None]) -> None:
        self._support = support
        self._refresh = refresh
        # What came last stands last.
        self._kept: dict[str, _Kept] = {}
        # An id of another run of the server must not be taken for one of this.
        self._run = os.urandom(4).hex()
        self._numbers = count(1)
        self._news = asyncio.Event()
        self._due: asyncio.TimerHandle | None = None

    def __call__(self, findings: Findings) -> None:
        """Keeps the findings in place of those that were there."""
        number = next(self._numbers)
        self._kept.pop(findings.uri, None)
        items = converted(findings, self._support)
        self._kept[findings.uri] = _Kept(number, f"{self._run}-{number}", findings.uri, findings.version, items)
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
        return types.RelatedFullDocumentDiagnosticReport(items=kept.items, result_id=kept.result_id)

    def workspace(self, previous: Mapping[str, str]) -> _Reports:
        """What is known of all documents, given the result ids that the client has."""
        reports = self._unknown(previous)
        for uri, kept in self._kept.items():
            if previous.get(uri) == kept.result_id:
                version = kept.version
                reports.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, kept.result_id, version=version))
            elif kept.items or uri in previous:
                reports.append(_full(kept))
        return reports

    async def stream(self, previous: Mapping[str, str], send: Callable[[_Reports], None]) -> None:
        """Sends what is known, and from then on what is new, until cancelled: nothing has to be asked again."""
        known = dict(previous)
        if unknown := self._unknown(known):
            send(unknown)
        seen = 0
        while True:
            self._news.clear()
            news = self._newer_than(seen)
            for start in range(0, len(news), _PART):
                part = [
                    kept
                    for kept in news[start : start + _PART]
                    if kept.items or kept.uri in known
                    if known.get(kept.uri) != kept.result_id
                ]
                if part:
                    send([_full(kept) for kept in part])
                known.update((kept.uri, kept.result_id) for kept in part)
                await asyncio.sleep(0)
            seen = news[-1].number if news else seen
            await self._news.wait()
            await asyncio.sleep(_PAUSE)

    def _newer_than(self, number: int) -> list[_Kept]:
        """What came after the set of findings with this number. Costs as much as that is, however much is kept."""
        newer = list(takewhile(lambda kept: kept.number > number, reversed(self._kept.values())))
        return newer[::-1]

    def _unknown(self, previous: Mapping[str, str]) -> _Reports:
        """Takes back what the client has of documents of which nothing is known."""
        return [types.WorkspaceFullDocumentDiagnosticReport(uri, []) for uri in previous if uri not in self._kept]


def _full(kept: _Kept) -> types.WorkspaceFullDocumentDiagnosticReport:
    return types.WorkspaceFullDocumentDiagnosticReport(
        kept.uri, kept.items, version=kept.version, result_id=kept.result_id
    )
