"""Keeps secrets out of messages: a rule that quotes a name or a link must not repeat the key that stands in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.pieces import piecewise
from memory_ls.rules.registry import Diagnostic
from memory_ls.secret_scan import Secret, find_secrets, shown

# So many characters of a secret are never there by chance.
_TELLING = 8


@piecewise
def secrets_in(text: str) -> tuple[Secret, ...]:
    """The secrets in a document."""
    return tuple(find_secrets(text))


def discreet(document: MemoryDocument | IndexDocument, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The findings in ``document`` with each secret of it cut, in every message, to what may be shown of it."""
    if not diagnostics:
        return diagnostics
    values = _values(document)
    return [_without(values, diagnostic) for diagnostic in diagnostics] if values else diagnostics


def told(document: MemoryDocument | IndexDocument, texts: Iterable[str]) -> list[str]:
    """What is said about ``document``, with each secret of it cut to what may be shown of it."""
    values = _values(document)
    return [reduce(_cut_out, values, text) for text in texts]


def _values(document: MemoryDocument | IndexDocument) -> list[str]:
    """The secrets of a document, the longest first, since one may be a part of another."""
    text = document.source.text
    found = {text[start + secret.start : start + secret.end] for start, secret in secrets_in(document)}
    return sorted(found, key=lambda value: (-len(value), value))


def _without(values: Iterable[str], diagnostic: Diagnostic) -> Diagnostic:
    message, related = diagnostic.message, diagnostic.related
    for value in values:
        message = _cut_out(message, value)
        related = tuple(other._replace(message=_cut_out(other.message, value)) for other in related)
    if message == diagnostic.message and related == diagnostic.related:
        return diagnostic
    return replace(diagnostic, message=message, related=related)


def _cut_out(message: str, value: str) -> str:
    """``message`` without ``value``, nor what is left of it where a long quotation was cut."""
    lead = value[:_TELLING]
    at = message.find(lead)
    while at >= 0:
        length = len(lead)
        while length < len(value) and message[at + length : at + length + 1] == value[length]:
            length += 1
        message = f"{message[:at]}{shown(value)}{message[at + length :].removeprefix('…')}"
        at = message.find(lead, at + 1)
    return message
