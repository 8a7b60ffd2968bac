"""Fixes of links: another target, or none."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from memory_ls.directory.resolve import TargetKind, resolve
from memory_ls.directory.style import style_by
from memory_ls.directory.writing import heading_texts, link_text, path_text
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.edits import CannotEditError, Edit
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import stem_of
from memory_ls.rules.fixes.creating import create
from memory_ls.rules.fixes.fix import Fix, document_of, edit_fix
from memory_ls.rules.registry import Context, Diagnostic

# Of more, a list would be no help.
_MOST_CHOICES = 5


def link_in(context: Context, key: str, finding: Diagnostic) -> Link | None:
    """The link that a finding is about."""
    document = document_of(context, key)
    span = finding.span
    links = document.body.links if isinstance(document, MemoryDocument) else document.links_near(span)
    return next((link for link in links if span in (link.target_span, link.anchor_span, link.span)), None)


def dead(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The memory that was meant; else the words without a link."""
    link = link_in(context, key, finding)
    if link is None:
        return
    meant = finding.data.get("meant")
    if isinstance(meant, str) and meant != key:
        yield retarget(context, key, link, meant, f"Change to `{stem_of(meant)}`")
    yield from create(context, key, link)
    yield from unlink(context, key, link)


def ambiguous(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """Each of the memories that may be meant."""
    link = link_in(context, key, finding)
    choices = finding.data.get("choices")
    if link is None or not isinstance(choices, list):
        return
    for meant in [choice for choice in choices if choice != key][:_MOST_CHOICES]:
        yield retarget(context, key, link, str(meant), f"Link `{meant}`", is_choice=True)


def dead_anchor(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The heading that was meant; else the memory without a heading."""
    link = link_in(context, key, finding)
    if link is None:
        return
    meant = finding.data.get("meant")
    if isinstance(meant, str):
        yield edit_fix(context, key, f"Change to `{meant}`", lambda: [_anchor(context, key, link, meant)])
    text = document_of(context, key).source.text
    if link.target and text[link.anchor_start - 1 : link.anchor_start] == "#":
        without = Edit(link.anchor_start - 1, link.anchor_end, "")
        yield edit_fix(context, key, "Link the memory without a heading", lambda: [without])
    else:
        yield from unlink(context, key, link)


def _anchor(context: Context, key: str, link: Link, meant: str) -> Edit:
    target = context.directory.document(resolve(context.directory, key, link).keys[0])
    by_slug = link.kind is not LinkKind.WIKI
    for heading, text in heading_texts(target.headings, by_slug=by_slug) if target is not None else ():
        if heading.text == meant:
            return Edit(*link.anchor_span, text)
    raise CannotEditError("No link can name this heading.")


def wrong_case(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The target as it is spelt."""
    link = link_in(context, key, finding)
    if link is None:
        return
    spelling = str(finding.data["spelling"])
    title = f"Change to `{spelling}`"
    if link.kind is LinkKind.WIKI:
        suffix = link.target[-3:] if link.target.lower().endswith(".md") and not spelling.endswith(".md") else ""
        yield edit_fix(context, key, title, lambda: [Edit(*link.target_span, spelling + suffix.lower())], safe=True)
        return
    target = resolve(context.directory, key, link).keys[0]
    # Where the index has an entry of the right spelling too, one of the two is too many.
    index = context.directory.index if key == INDEX_NAME else None
    safe = index is None or (False, target) not in index.linked
    yield retarget(context, key, link, target, title, safe=safe)


def to_itself(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The words without a link."""
    link = link_in(context, key, finding)
    if link is not None:
        yield from unlink(context, key, link, safe=True)


def unlink(context: Context, key: str, link: Link, *, safe: bool = False) -> Iterator[Fix]:
    """The words of a link without it, where it has any; unless that is safe, it is for its author to choose."""
    text = document_of(context, key).source.text
    words = (link.label_span if link.label_start < link.label_end else link.target_span).of(text)
    if link.kind in (LinkKind.WIKI, LinkKind.INLINE) and words.strip():
        edit = Edit(*link.span, words)
        yield edit_fix(
            context, key, "Remove the link and keep its words", lambda: [edit], safe=safe, is_choice=not safe
        )


def retarget(
    context: Context, key: str, link: Link, target: str, title: str, *, safe: bool = False, is_choice: bool = False
) -> Fix:
    """A fix that has ``link`` in the document ``key`` lead to the file ``target``, written as the link is."""

    def edits() -> Iterator[Edit]:
        source = document_of(context, key).source.text
        yield Edit(*link.target_span, target_text(context, key, source, link, target))

    return edit_fix(context, key, title, edits, safe=safe, is_choice=is_choice)


def target_text(context: Context, key: str, source: str, link: Link, target: str) -> str:
    """How ``link`` in the document ``key`` with the text ``source`` has to name the file ``target``.

    Raises:
        CannotEditError: no name finds just this memory.
    """
    if link.kind is LinkKind.WIKI:
        style = style_by(context.directory, context.settings)
        # A name that several memories might go by is told by its file.
        is_ambiguous = resolve(context.directory, key, link).kind is TargetKind.AMBIGUOUS
        text = link_text(context.directory, target, replace(style, by_stem=True) if is_ambiguous else style)
        if text is None:
            raise CannotEditError(f"No name finds just {target}.")
        return text
    path = posixpath.relpath(target, posixpath.dirname(key) or ".")
    raw = link.target_span.of(source)
    if raw.startswith("./"):
        path = f"./{path}"
    if not link.target.lower().endswith(".md"):
        path = path.removesuffix(".md")
    if link.kind is LinkKind.CODE:
        return path
    in_angles = source[link.target_start - 1 : link.target_start] == "<"
    written = path_text(path, in_angles=in_angles)
    return written[1:-1] if in_angles else written
