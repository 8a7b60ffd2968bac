"""Rules about the index, and about memories and the index together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from memory_ls.directory.listed import is_listed, points_at_memories
from memory_ls.directory.resolve import TargetKind, is_meant, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Link, LinkKind, is_external
from memory_ls.documents.index import INDEX_NAME, Chunk, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of
from memory_ls.rules.content import check_text
from memory_ls.rules.links import ambiguous, dead_anchor, wrong_case
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related
from memory_ls.text import Span

_NEAR = 0.9
# A bullet shorter than this is a label for what stands below it, not content.
_CONTENT_CHARACTERS = 30
_ENOUGH_FOR_INDEX = 3


def check(context: Context, index: IndexDocument) -> Iterator[Diagnostic]:
    """All findings about the index."""
    yield from _links(context.directory, index)
    yield from _duplicates(context.directory, index)
    yield from _limits(context, index)
    yield from _long_lines(context, index)
    if context.directory.documents:
        yield from _content(index)
    yield from check_text(index)


def _links(directory: MemoryDirectory, index: IndexDocument) -> Iterator[Diagnostic]:
    files = directory.files.names
    for start, chunk in index.placed_chunks():
        # Nearly all are paths to a file that is there: what is left over is looked at closely.
        if chunk.paths is not None and chunk.paths <= files:
            continue
        for link in chunk.body.links:
            if link.target in files and link.anchor is None:
                continue
            if link.kind is LinkKind.REFERENCE or not link.target or is_external(link.target):
                continue
            yield from _link(directory, link.shifted(start))


def _link(directory: MemoryDirectory, link: Link) -> Iterator[Diagnostic]:
    target = resolve(directory, INDEX_NAME, link)
    if target.kind is TargetKind.DEAD:
        if is_meant(link) and link.kind is not LinkKind.IMAGE:
            yield _dead(directory, link)
    elif target.kind is TargetKind.AMBIGUOUS:
        yield ambiguous(directory, link, target)
    elif target.kind is not TargetKind.ELSEWHERE:
        yield from wrong_case(link, target)
        yield from dead_anchor(directory, link, target)


def _dead(directory: MemoryDirectory, link: Link) -> Diagnostic:
    file = directory.names.closest(stem_of(link.target))
    cure = f"Did you mean `{file}`?" if file else "Correct the link, or remove the line."
    what = "memory" if link.kind is LinkKind.WIKI else "file"
    return RULES["index-dead-link"].at(
        link.target_span,
        f"The {what} `{link.target}` does not exist: agents load this line in every session and find nothing behind "
        f"it. {cure}",
        target=link.target,
        meant=file,
    )


# An entry: where its chunk begins, the chunk, and which of its entries it is.
_Place = tuple[int, Chunk, int]


def _duplicates(directory: MemoryDirectory, index: IndexDocument) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, str | None], _Place] = {}
    equal: dict[tuple[str, str | None], dict[str, _Place]] = {}
    for start, chunk in _chunks_that_may_repeat(index):
        for number, entry in enumerate(chunk.entries):
            link = entry.link
            path = entry.path or _key_of(directory, link)
            if not path:
                continue
            first = seen.setdefault((path, link.anchor), (start, chunk, number))
            if first == (start, chunk, number):
                continue
            # An equal line is the one that makes this one needless, also where the first one reads otherwise.
            lines = equal.setdefault((path, link.anchor), {_line_of(first): first})
            like = lines.setdefault(_line_of((start, chunk, number)), (start, chunk, number))
            # Two links in one line are no two equal lines.
            same = like != (start, chunk, number) and _span_of(like) != _span_of((start, chunk, number))
            first_start, first_chunk, first_number = like if same else first
            first_entry = first_chunk.entries[first_number]
            yield RULES["index-duplicate-entry"].at(
                link.target_span.shifted(start),
                f"`{link.target}` is already listed above. Each line of the index is loaded in every session: "
                f"{'delete this one' if same else 'keep the better of the two'}.",
                related=(Related(INDEX_NAME, first_entry.link.target_span.shifted(first_start), "first listed here"),),
                same=same,
            )


def _span_of(place: _Place) -> Span:
    start, chunk, number = place
    return chunk.entries[number].span.shifted(start)


def _line_of(place: _Place) -> str:
    _, chunk, number = place
    return chunk.entries[number].span.of(chunk.text)


def _chunks_that_may_repeat(index: IndexDocument) -> list[tuple[int, Chunk]]:
    """The chunks with an entry that may stand elsewhere too: of an index of paths, those with one that does."""
    chunks = list(index.placed_chunks())
    if not all(chunk.lists_only_paths for _, chunk in chunks):
        return chunks
    counts = Counter(item for _, chunk in chunks for item in chunk.listed)
    repeated = {item for item, count in counts.items() if count > 1}
    return [(start, chunk) for start, chunk in chunks if not repeated.isdisjoint(chunk.listed)] if repeated else []


def _key_of(directory: MemoryDirectory, link: Link) -> str | None:
    target = resolve(directory, INDEX_NAME, link)
    return target.keys[0] if target.kind is TargetKind.MEMORY else None


def _limits(context: Context, index: IndexDocument) -> Iterator[Diagnostic]:
    max_lines, max_bytes = context.settings.index_max_lines, context.settings.index_max_bytes
    load = index.load(max_lines, max_bytes)
    used = f"{load.lines:,} of {max_lines:,} lines and {load.size:,} of {max_bytes:,} bytes"
    data: dict[str, Any] = {"lines": load.lines, "bytes": load.size, "maxLines": max_lines, "maxBytes": max_bytes}
    if load.first_lost is not None:
        source = index.source
        yield RULES["index-over-limit"].at(
            source.line_span(source.line_of(load.first_lost)),
            f"Agents load the index up to here and never see this line and those below it: the index has {used}. "
            "Shorten it, or move lines that matter above this one.",
            **data,
        )
    elif load.lines > _NEAR * max_lines or load.size > _NEAR * max_bytes:
        end = len(index.source.text.rstrip())
        yield RULES["index-near-limit"].at(
            index.source.line_span(index.source.line_of(end)),
            f"The index has {used}: what is added behind the limit is never loaded. Shorten it while there is time.",
            **data,
        )


def _long_lines(context: Context, index: IndexDocument) -> Iterator[Diagnostic]:
    limit = context.settings.index_line_length
    for start, chunk in index.placed_chunks():
        for line_start, length in chunk.lines_over(limit) if chunk.longest_line > limit else ():
            line = Span(start + line_start, start + line_start + length)
            yield RULES["index-line-long"].at(
                Span(line.start + limit, line.end),
                f"This line has {length} characters; {limit} are meant. The index is loaded in every session: keep "
                "here what helps to choose the memory, and move the rest into it.",
                length=length,
            )


def _content(index: IndexDocument) -> Iterator[Diagnostic]:
    found: list[Span] = []
    for start, chunk in index.placed_chunks():
        found.extend(span.shifted(start) for span in chunk.bare_items if span.end - span.start >= _CONTENT_CHARACTERS)
    if found:
        more = f", as {len(found) - 1} more" if len(found) > 1 else ""
        yield RULES["index-content"].at(
            found[0],
            f"This line holds content and links no memory{more}. Agents drop the end of a long index first: put the "
            "fact into a memory of its own and link it here.",
            count=len(found),
        )


def check_memory(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """Whether the index knows of one memory."""
    directory = context.directory
    span = document.name_span
    if directory.index is None:
        is_first = directory.sorted_keys[0] == key
        if is_first and len(directory.documents) >= _ENOUGH_FOR_INDEX and INDEX_NAME not in directory.facts:
            yield RULES["index-missing"].at(
                span,
                f"The directory has {len(directory.documents)} memories and no index `{INDEX_NAME}`. Agents that load the "
                "index first do not know of them.",
            )
        return
    # In a directory of other things too, what lies in its sub-directories may have an index of its own kind.
    is_expected = directory.lenient or "/" not in key
    if is_expected and points_at_memories(directory) and not is_listed(directory, key):
        yield RULES["memory-not-indexed"].at(
            span,
            f"`{INDEX_NAME}` does not list this memory, so agents that load the index never learn that it exists. Add a "
            f"line `- [{document.title or stem_of(key)}]({key}) — …`.",
        )
