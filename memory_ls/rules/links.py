"""Rules about the links in a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_ls.directory.resolve import Target, TargetKind, find_heading, is_meant, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import Link, LinkKind, plain_targets
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import closest, fold, stem_of
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related
from memory_ls.text import Span

# Places in a file other than headings: Obsidian's blocks, lines of code, text fragments.
_NO_HEADING = re.compile(r"\^|L\d+|:~:|\Z")


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the links of one memory."""
    if _all_lead_to_others(context.directory, key, document):
        return
    for link in document.body.links:
        if link.kind is LinkKind.REFERENCE:
            continue  # its definition is looked at instead
        if not link.target and link.anchor is None:
            continue
        target = resolve(context.directory, key, link)
        if target.kind is TargetKind.ELSEWHERE:
            continue
        if target.kind is TargetKind.DEAD:
            yield from dead(context.directory, link)
        elif target.kind is TargetKind.AMBIGUOUS:
            yield ambiguous(context.directory, link, target)
        else:
            yield from _live(context.directory, key, link, target)


def _all_lead_to_others(directory: MemoryDirectory, key: str, document: MemoryDocument) -> bool:
    """Whether a glance at the text shows that no link can be at fault, so that it need not be parsed.

    Parsing is what a check of a whole directory spends most of its time on, and most memories need none.
    """
    targets = plain_targets(document.source.text, document.body_start)
    if targets is None:
        return False
    names, paths = targets
    if paths and "/" in key:
        return False  # paths count from the sub-directory
    by_name, by_stem = directory.names.by_name, directory.names.by_stem
    for name in names:
        keys = by_name.get(name) or by_stem.get(name, ())
        if len(keys) != 1 or keys[0] == key:
            return False
    return all(path in directory.documents and path != key for path in paths)


def dead(directory: MemoryDirectory, link: Link) -> Iterator[Diagnostic]:
    """The finding about a link that leads nowhere; none where it was never meant for a memory."""
    if not is_meant(link):
        return
    if link.kind is LinkKind.WIKI:
        meant = directory.names.closest(link.target)
        yield RULES["link-dead"].at(
            link.target_span,
            f"No memory is called `{link.target}`, so an agent that follows this link finds nothing. {_cure(meant)}",
            target=link.target,
            meant=meant,
        )
        return
    meant = directory.names.closest(stem_of(link.target))
    yield RULES["link-dead-file"].at(
        link.target_span,
        f"The file `{link.target}` does not exist, so an agent that follows this link finds nothing. {_cure(meant)}",
        target=link.target,
        meant=meant,
    )


def _cure(meant: str | None) -> str:
    if meant is None:
        return "Correct the name, write the memory, or remove the link."
    return f"Did you mean `{stem_of(meant)}`?"


def ambiguous(directory: MemoryDirectory, link: Link, target: Target) -> Diagnostic:
    """The finding about a link that may mean several memories."""
    shown = ", ".join(f"`{key}`" for key in target.keys[:3])
    return RULES["link-ambiguous"].at(
        link.target_span,
        f"`{link.target}` may mean {shown}{' and others' if len(target.keys) > 3 else ''}, and an agent picks any of "
        "them. Link the one you mean by its file name.",
        related=tuple(Related(key, Span(0, 0), "may be meant") for key in target.keys[:5]),
        choices=list(target.keys),
    )


def _live(directory: MemoryDirectory, key: str, link: Link, target: Target) -> Iterator[Diagnostic]:
    yield from wrong_case(link, target)
    if link.anchor is not None:
        yield from dead_anchor(directory, link, target)
    elif target.keys == (key,) and link.target:
        yield RULES["link-self"].at(link.span, "This memory links itself. Remove the link, or name the one you mean.")


def wrong_case(link: Link, target: Target) -> Iterator[Diagnostic]:
    """The finding about a link that differs in case alone from how its target is spelt."""
    if target.spelling is not None:
        yield RULES["link-case"].at(
            link.target_span,
            f"This is spelt `{target.spelling}`. The link works where case does not matter and is dead elsewhere.",
            spelling=target.spelling,
        )


def dead_anchor(directory: MemoryDirectory, link: Link, target: Target) -> Iterator[Diagnostic]:
    """The finding about a link to a heading that the target does not have."""
    if not link.anchor or _NO_HEADING.match(link.anchor):
        return
    document = directory.document(target.keys[0])
    if document is None or find_heading(document.headings, link.anchor) is not None:
        return
    texts = {fold(heading.text): heading.text for heading in document.headings}
    meant = texts.get(closest(link.anchor, texts) or "")
    cure = f"Did you mean `{meant}`?" if meant else "Link the memory without `#…`, or add the heading."
    yield RULES["link-dead-anchor"].at(
        link.anchor_span if link.anchor_start < link.anchor_end else link.target_span,
        f"`{target.keys[0]}` has no heading `{link.anchor}`. {cure}",
        anchor=link.anchor,
        meant=meant,
    )
