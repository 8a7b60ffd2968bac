"""Runs the rules: over one document, or over a directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from memory_ls.directory.snapshot import FileFacts
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules import content, dates, duplicates, files, frontmatter, index, links, naming, safety
from memory_ls.rules.discreet import discreet
from memory_ls.rules.duplicates import Twins
from memory_ls.rules.registry import Context, Diagnostic, Severity
from memory_ls.rules.suppress import unsuppressed
from memory_ls.settings import Settings

# What these find depends on the memory alone, what those find also on the rest of the directory.
_ALONE = (dates.check, content.check, safety.check)
_AMONG_OTHERS = (frontmatter.check, naming.check, links.check, index.check_memory, files.check)
_COSTLY_ALONE = (safety.check_secrets, dates.check_age)

# Of one rule in one file: nobody mends more by hand, and a client chokes on them.
_MOST_OF_A_RULE = 1_000

_SEVERITIES = {severity.word: severity for severity in Severity}


def check_document(context: Context, key: str, *, suppressions: bool = True) -> list[Diagnostic]:
    """What the quick rules find in the document ``key`` (a memory, the index, or a file that can't be read)."""
    found = check_among_others(context, key, suppressions=suppressions)
    document = context.directory.documents.get(key)
    if document is None:
        return found
    return found + check_alone(context, key, document, context.directory.facts.get(key), suppressions=suppressions)


def check_among_others(context: Context, key: str, *, suppressions: bool = True) -> list[Diagnostic]:
    """What of :func:`check_document` takes more than the memory itself; for anything but a memory, all of it."""
    directory = context.directory
    facts = directory.facts.get(key)
    document = directory.document(key)
    if document is None:
        return tuned(context.settings, files.check_trouble(key, facts)) if facts is not None else []
    encoding = list(files.check_encoding(document, facts))
    if encoding:
        # What the bytes were meant to say is not known, so nothing else is.
        return tuned(context.settings, encoding)
    found: Iterable[Diagnostic]
    if isinstance(document, IndexDocument):
        found = chain(index.check(context, document), safety.check(context, key, document))
    else:
        found = chain.from_iterable(check(context, key, document) for check in _AMONG_OTHERS)
    return _finished(context, document, found, suppressions)


def check_alone(
    context: Context, key: str, document: MemoryDocument, facts: FileFacts | None, *, suppressions: bool = True
) -> list[Diagnostic]:
    """What of :func:`check_document` depends on a memory alone; the context's directory is not looked at."""
    if any(files.check_encoding(document, facts)):
        return []
    found = chain.from_iterable(check(context, key, document) for check in _ALONE)
    return _finished(context, document, found, suppressions)


def check_costly(context: Context, key: str, *, suppressions: bool = True) -> list[Diagnostic]:
    """What the costly rules find in the document ``key`` by itself."""
    document = context.directory.document(key)
    if document is None:
        return []
    if isinstance(document, IndexDocument):
        return _finished(context, document, safety.check_secrets(context, key, document), suppressions)
    return check_costly_alone(context, key, document, suppressions=suppressions)


def check_costly_alone(
    context: Context, key: str, document: MemoryDocument, *, suppressions: bool = True
) -> list[Diagnostic]:
    """As :func:`check_costly`, of a memory; the context's directory is not looked at."""
    found = chain.from_iterable(check(context, key, document) for check in _COSTLY_ALONE)
    return _finished(context, document, found, suppressions)


def check_together(context: Context, *, suppressions: bool = True) -> dict[str, list[Diagnostic]]:
    """What the rules find that compare all memories with each other, by document."""
    found = duplicates.find(context.directory)
    return {
        key: kept
        for key, diagnostics in found.items()
        if (kept := _finished(context, context.directory.documents[key], diagnostics, suppressions))
    }


def check_directory(
    context: Context, *, keys: Iterable[str] | None = None, suppressions: bool = True
) -> dict[str, list[Diagnostic]]:
    """What all rules find, by document and in the order in which it is shown; of ``keys`` alone where they are given."""
    together = check_together(context, suppressions=suppressions)
    return {
        key: sorted(
            [
                *check_document(context, key, suppressions=suppressions),
                *check_costly(context, key, suppressions=suppressions),
                *together.get(key, ()),
            ],
            key=sort_key,
        )
        for key in (all_keys(context) if keys is None else keys)
    }


def check_alike(context: Context, twins: Twins, key: str) -> list[Diagnostic]:
    """What :func:`check_together` finds in the document ``key``, from twins that are kept up."""
    document = context.directory.documents.get(key)
    if document is None:
        return []
    return _finished(context, document, duplicates.find_of(context.directory, twins, key), True)


def all_keys(context: Context) -> list[str]:
    """The keys of everything that may have findings: memories, the index, files that can't be read; sorted."""
    directory = context.directory
    troubled = {key for key, facts in directory.facts.items() if facts.trouble is not None}
    return sorted({*directory.documents, *troubled, *((INDEX_NAME,) if directory.index else ())})


def sort_key(diagnostic: Diagnostic) -> tuple[int, str, int, str]:
    """Diagnostics of one document in the order they are shown: by place, then code."""
    return diagnostic.span.start, diagnostic.code, diagnostic.span.end, diagnostic.message


def _finished(
    context: Context,
    document: MemoryDocument | IndexDocument,
    found: Iterable[Diagnostic],
    suppressions: bool,
) -> list[Diagnostic]:
    diagnostics = _capped(found)
    if suppressions:
        diagnostics = unsuppressed(document, diagnostics)
    return discreet(document, tuned(context.settings, diagnostics))


def _capped(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings, of each rule no more than anybody would look at; the last of them tells how many more there are."""
    kept: list[Diagnostic] = []
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    for diagnostic in found:
        counts[diagnostic.code] += 1
        if counts[diagnostic.code] <= _MOST_OF_A_RULE:
            last[diagnostic.code] = len(kept)
            kept.append(diagnostic)
    for code, count in counts.items():
        if count > _MOST_OF_A_RULE:
            diagnostic = kept[last[code]]
            more = f" The file has {count - _MOST_OF_A_RULE:,} more findings of this kind."
            kept[last[code]] = replace(diagnostic, message=diagnostic.message + more)
    return kept


def tuned(settings: Settings, found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings with the severities that the settings ask for, without those that are off."""
    wanted = dict(settings.rules)
    if not wanted:
        return list(found)
    kept = []
    for diagnostic in found:
        severity = wanted.get(diagnostic.code)
        if severity == "off":
            continue
        kept.append(replace(diagnostic, severity=_SEVERITIES[severity]) if severity else diagnostic)
    return kept
