"""Refactorings: a part of a text becomes a memory, two memories that say the same become one, links follow a memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from memory_ls.changes.extract import bare_bullet_at, cuts_a_link, extract
from memory_ls.changes.merge import merge
from memory_ls.changes.moves import follow
from memory_ls.changes.plan import ChangeKind
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.names import stem_of, tokens_of
from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.registry import Diagnostic
from memory_ls.server.features.definition import link_at
from memory_ls.server.features.offers import EXTRACT, QUICK_FIX, REWRITE, Asked, Offer

_DEAD = frozenset({"link-dead", "link-dead-file", "index-dead-link"})
_TWINS = "near-duplicate"


def extract_selection(asked: Asked) -> Iterator[Offer]:
    """What is selected as a memory of its own; in the index also the bullet around the cursor that links none."""
    place, document = asked.place, asked.place.document
    if not asked.wants(EXTRACT) or not place.key or place.directory.document(place.key) is not document:
        return
    is_bullet = isinstance(document, IndexDocument) and bare_bullet_at(document, asked.span) is not None
    is_selected = bool(asked.span.of(document.source.text).strip()) and asked.span.start >= document.body_start
    if is_selected and not is_bullet:
        is_selected = not cuts_a_link(document, asked.span)
    if is_selected or is_bullet:
        yield Offer(EXTRACT, _extracted(asked, "bullet" if is_bullet else "selection"))


def _extracted(asked: Asked, what: str) -> Fix:
    place, today = asked.place, asked.context.today
    return Fix(
        f"Extract the {what} into a memory",
        lambda: extract(place.directory, place.key, asked.span, settings=place.settings, today=today).changes,
        needs=ChangeKind.CREATE,
    )


def merge_twins(asked: Asked) -> Iterator[Offer]:
    """On a memory: to merge one into it that says nearly the same; at the finding that tells so as a quick fix too."""
    for finding in asked.findings:
        if finding.code == _TWINS and asked.place.key in asked.place.directory.documents:
            fix = _merged(asked, str(finding.data["other"]))
            if asked.is_here(finding) and asked.wants(QUICK_FIX):
                yield Offer(QUICK_FIX, fix, finding)
            elif asked.wants(REWRITE):
                yield Offer(REWRITE, fix)


def _merged(asked: Asked, other: str) -> Fix:
    place, today = asked.place, asked.context.today
    return Fix(
        f"Merge `{other}` into this memory",
        lambda: merge(place.directory, place.key, other, place.style, today),
        is_choice=True,
        needs=ChangeKind.DELETE,
    )


def follow_moves(asked: Asked) -> Iterator[Offer]:
    """At a link that is dead since its memory was moved without a word: to bring all links to it back to life."""
    if not asked.wants(QUICK_FIX) or not asked.place.moved_away:
        return
    for finding in asked.findings:
        if finding.code in _DEAD and asked.is_here(finding):
            yield from (Offer(QUICK_FIX, fix, finding) for fix in _followed(asked, finding))


def _followed(asked: Asked, finding: Diagnostic) -> Iterator[Fix]:
    place = asked.place
    link = link_at(place, finding.span.start)
    if link is None:
        return
    wanted = tokens_of(link.target)
    for old, new in place.moved_away.items():
        if not wanted.isdisjoint(tokens_of(old)) and new in place.directory.documents:
            changes = follow(place.directory, old, new, place.style)
            here = (edit.span for change in changes if change.path == place.key for edit in change.edits)
            if link.target_span in here:
                yield Fix(f"Let all links to `{stem_of(old)}` follow it to `{new}`", partial(tuple, changes))
