"""Renaming a heading, and with it every link that leads to it or to one whose number changes with it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from urllib.parse import quote

from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.changes.relink import links_for
from memory_ls.directory.resolve import find_heading, resolve
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.directory.writing import heading_texts, label_text
from memory_ls.documents.body import Heading, Link, LinkKind, anchors, heading_slug
from memory_ls.documents.edits import Edit, applied
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import tokens_of


def rename_heading(directory: MemoryDirectory, key: str, heading: Heading, new: str) -> tuple[Change, ...]:
    """The heading of the document ``key`` gets the text ``new``, as markdown; nothing where it has it already.

    Links keep naming headings by their words or by their slugs, as they did.

    Raises:
        CannotChangeError: such a heading can't be, or a link to it can't be written.
    """
    document = directory.document(key) or directory.others[key]
    new = new.strip()
    edit = Edit(*heading.text_span, new)
    if new == heading.text_span.of(document.source.text):
        return ()
    headings = document.headings
    renamed = _headings_after(document, edit, headings.index(heading))
    edits = {key: [edit]}
    for source, each in _anchor_edits(directory, key, headings, renamed):
        if not _overlaps(each, edit, source == key):
            edits.setdefault(source, []).append(each)
    return tuple(
        Change(1, source, ChangeKind.EDIT, (directory.document(source) or directory.others[source]).source.text,
               tuple(sorted(edits[source])))
        for source in sorted(edits)
    )  # fmt: skip


def _overlaps(one: Edit, other: Edit, in_same: bool) -> bool:
    """Whether an edit lies in the heading itself, which is written anew with all that it holds."""
    return in_same and one.start < other.end and other.start < one.end


def _headings_after(document: MemoryDocument | IndexDocument, edit: Edit, number: int) -> tuple[Heading, ...]:
    """The headings once one of them is renamed, all others being what they were."""
    if not edit.text:
        raise CannotChangeError("A heading can't be blank.", key="name")
    if any(unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029" for c in edit.text):
        raise CannotChangeError("A heading can't hold control characters or line breaks.", key="name")
    text = applied(document.source.text, (edit,))
    parse = IndexDocument.parse if isinstance(document, IndexDocument) else MemoryDocument.parse
    after = parse(text).headings
    others = [(each.level, each.text) for each in document.headings]
    now = [(each.level, each.text) for each in after]
    is_whole = len(now) == len(others) and after[number].text_span.of(text) == edit.text
    if not is_whole or now[:number] + now[number + 1 :] != others[:number] + others[number + 1 :]:
        raise CannotChangeError(f"Markdown would not take `{edit.text}` for the text of this heading.", key="name")
    return after


def _anchor_edits(
    directory: MemoryDirectory, key: str, before: tuple[Heading, ...], after: tuple[Heading, ...]
) -> Iterator[tuple[str, Edit]]:
    document = directory.documents.get(key)
    tokens = name_tokens(key, document) if document is not None else tokens_of(key)
    numbers = {heading.span.start: number for number, heading in enumerate(before)}
    slugs = [slug for slug, _ in anchors(before)]
    written = {
        by_slug: {heading.span.start: text for heading, text in heading_texts(after, by_slug=by_slug)}
        for by_slug in (True, False)
    }
    for source, link in links_for(directory, tokens, (key,)):
        if link.anchor is None or (link.target and resolve(directory, source, link).keys != (key,)):
            continue
        if not link.target and source != key:
            continue
        old = find_heading(before, link.anchor)
        if old is None or link.kind is LinkKind.REFERENCE:
            continue
        number = numbers[old.span.start]
        if not link.target and source == key:
            yield from ((source, edit) for edit in _contents_edit(directory, key, link, old, after[number]))
        now = find_heading(after, link.anchor)
        is_same_text = before[number].text == after[number].text
        if is_same_text and now is not None and after.index(now) == number:
            continue
        by_slug = link.kind is not LinkKind.WIKI or (link.anchor == slugs[number] and link.anchor != old.text)
        text = written[by_slug].get(after[number].span.start)
        if text is None or (link.kind is not LinkKind.WIKI and text != heading_slug(text)):
            raise CannotChangeError(f"No link could lead to this heading alone, as one in {source} has to.", key="name")
        raw = link.anchor_span.of((directory.document(source) or directory.others[source]).source.text)
        yield source, Edit(*link.anchor_span, _encoded_alike(raw, link, text))


def _encoded_alike(raw: str, link: Link, anchor: str) -> str:
    """An anchor as it stands in a link that wrote its old one as ``raw``."""
    if link.kind is LinkKind.WIKI:
        return anchor
    return quote(anchor) if raw != link.anchor and raw == quote(link.anchor or "") else anchor


def _contents_edit(directory: MemoryDirectory, key: str, link: Link, old: Heading, new: Heading) -> Iterator[Edit]:
    """In a table of contents, the label that repeats the heading."""
    document = directory.document(key) or directory.others[key]
    label = link.label_span.of(document.source.text)
    if link.kind is LinkKind.INLINE and old.text != new.text and label in (old.text, label_text(old.text)):
        yield Edit(*link.label_span, label_text(new.text))
