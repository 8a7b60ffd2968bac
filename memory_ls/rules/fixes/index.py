"""Fixes of the index: entries that go, come, move, or lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from memory_ls.changes.extract import extract
from memory_ls.changes.index_edits import move_entry, remove_entries
from memory_ls.changes.index_lines import entry_lines
from memory_ls.changes.plan import Change, ChangeKind
from memory_ls.changes.reindex import organise, repair
from memory_ls.documents.edits import CannotEditError, Edit
from memory_ls.documents.index import INDEX_NAME, IndexDocument, IndexEntry
from memory_ls.documents.names import stem_of
from memory_ls.rules.fixes.creating import create, listing
from memory_ls.rules.fixes.fix import Fix, edit_fix
from memory_ls.rules.fixes.links import link_in, retarget, unlink
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.text import Span


def dead_link(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The memory that was meant; else no entry, or the memory that is not there yet."""
    index, link = context.directory.index, link_in(context, key, finding)
    if index is None or link is None:
        return
    meant = finding.data.get("meant")
    # Where it is listed already, one of the two entries would be too many.
    if isinstance(meant, str) and (False, meant) not in index.linked:
        yield retarget(context, key, link, meant, f"Change to `{stem_of(meant)}`")
    entry = _entry(index, finding.span)
    if entry is None:
        yield from unlink(context, key, link)
    else:
        yield edit_fix(context, key, "Remove the entry", lambda: remove_entries(index, [entry]))
    yield from create(context, key, link, entry)


def duplicate_entry(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """One of two entries of the same memory: either, when both are equal."""
    index = context.directory.index
    if index is None:
        return
    if finding.data["same"]:
        make = partial(_without_line, index, finding.span)
        yield edit_fix(context, key, "Delete this entry", make, safe=True)
        return
    first = finding.related[0].span
    for title, span in (("Delete this entry", finding.span), ("Delete the first entry", first)):
        yield edit_fix(context, key, title, partial(_without_entry, index, span), is_choice=True)


def _without_line(index: IndexDocument, span: Span) -> tuple[Edit, ...]:
    """The entry at ``span`` goes, and with it all that share its line: they too stand elsewhere."""
    entry = _entry(index, span)
    return remove_entries(index, [each for each in _near(index, span) if entry is not None and each.span == entry.span])


def _without_entry(index: IndexDocument, span: Span) -> tuple[Edit, ...]:
    entry = _entry(index, span)
    return remove_entries(index, [entry] if entry is not None else [])


def _entry(index: IndexDocument, target_span: Span) -> IndexEntry | None:
    """The entry whose link has its target at ``target_span``."""
    return next((entry for entry in _near(index, target_span) if entry.link.target_span == target_span), None)


def _near(index: IndexDocument, span: Span) -> Iterable[IndexEntry]:
    for start, chunk in index.placed_chunks():
        if start <= span.start < start + len(chunk.text):
            yield from (entry.shifted(start) for entry in chunk.entries)


def over_limit(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The first entry that is not loaded, further up."""
    index = context.directory.index
    if index is not None:
        yield moving_up(context, index, finding.span.start)
        yield organising(context)


def moving_up(context: Context, index: IndexDocument, offset: int) -> Fix:
    """The entry at ``offset``, or the next one, above the load limit."""
    first_lost = index.load(context.settings.index_max_lines, context.settings.index_max_bytes).first_lost or offset
    return edit_fix(
        context, INDEX_NAME, "Move this entry up, above the limit", lambda: _moved_up(index, offset, first_lost)
    )


def _moved_up(index: IndexDocument, offset: int, first_lost: int) -> tuple[Edit, ...]:
    """The entry at ``offset``, or the next one, before the first of its list; of another, when all of it is lost."""
    lines = entry_lines(index)
    line = next((each for each in lines if each.end > offset), None)
    if line is None:
        raise CannotEditError("No entry stands below the limit. Shorten what is there.")
    loaded = [each for each in lines if each.start < first_lost and each is not line and each.kind is line.kind]
    before = next((each for each in loaded if each.list == line.list), next(iter(loaded), None))
    if before is None:
        raise CannotEditError("No list stands above the limit that it could be moved to.")
    return move_entry(index, line.entries[0], before.entries[0])


def organising(context: Context) -> Fix:
    """The index in order: what is missing in it, what is dead in it, and how its lists are sorted."""
    return Fix("Organise the index", lambda: organise(context.directory, settings=context.settings).changes)


def content(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """A memory with what the line says, and a link to it in its place."""

    def make() -> Iterable[Change]:
        plan = extract(context.directory, key, finding.span, settings=context.settings, today=context.today)
        return plan.changes

    yield Fix("Move this into a memory of its own", make, needs=ChangeKind.CREATE)


def not_indexed(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """An entry for the memory."""
    yield Fix(f"Add it to `{INDEX_NAME}`", lambda: listing(context, context.directory, key))


def missing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """An index with an entry for each memory."""
    yield Fix(
        f"Create the index `{INDEX_NAME}`",
        lambda: repair(context.directory, settings=context.settings).changes,
        needs=ChangeKind.CREATE,
    )
