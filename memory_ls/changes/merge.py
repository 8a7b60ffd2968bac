"""Two memories become one: the kept one gets what the other says, and everything that led to the other leads to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from memory_ls.changes.index_edits import remove_entries
from memory_ls.changes.index_lines import entries_of, entry_lines
from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.changes.relink import Moves, Relinking, links_for
from memory_ls.changes.rename import text_changes
from memory_ls.directory.listed import is_listed
from memory_ls.directory.resolve import resolve
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.directory.style import Style
from memory_ls.documents.body import BlockKind
from memory_ls.documents.dates import read_date_or_none
from memory_ls.documents.edits import CannotEditError, Edit, applied, in_order
from memory_ls.documents.frontmatter_edits import line_end, set_value
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import UPDATED_KEYS

_LINE_END = re.compile(r"\r\n|\n|\r")


def merge(directory: MemoryDirectory, kept: str, other: str, style: Style, today: date) -> tuple[Change, ...]:
    """The body of the memory ``other`` goes behind that of ``kept``, whole, and its file and entry go.

    So does its description, where the bodies do not say the same. The memory was made when the older of the two was.

    Raises:
        CannotChangeError: the two can't be put together without a risk to what they say.
    """
    if kept == other or not {kept, other} <= directory.documents.keys():
        raise CannotChangeError("It takes two memories to merge them.", kind="notFound")
    edits = _redirected(directory, kept, other, style)
    addition = list(_addition(directory, other, edits.pop(other, []), kept))
    edits[kept] = [*edits.get(kept, ()), *addition, *_date_edits(directory, kept, other, today)]
    if addition:
        _refuse_other_meanings(directory, kept, other, edits[kept])
    gone = Change(1, other, ChangeKind.DELETE, directory.documents[other].source.text)
    return (*text_changes(directory, edits, {}), gone)


def _redirected(directory: MemoryDirectory, kept: str, other: str, style: Style) -> dict[str, list[Edit]]:
    """The links to ``other`` as links to ``kept``; its entry goes, or becomes that of ``kept`` where that has none."""
    edits: dict[str, list[Edit]] = {}
    dropped: tuple[Edit, ...] = ()
    if directory.index is not None and is_listed(directory, kept):
        lines = {line.start for line in entry_lines(directory.index) if line.kind is not BlockKind.PARAGRAPH}
        starts = directory.index.source.line_starts
        own = entries_of(directory, {other})
        listed = [entry for entry in own if starts[directory.index.source.line_of(entry.span.start)] in lines]
        dropped = remove_entries(directory.index, listed)
    document = directory.documents[other]
    after = directory.without(other)
    relinking = Relinking(directory, after, Moves({other: kept}), style)
    for source, edit in relinking.edits(links_for(directory, name_tokens(other, document), (other,))):
        if source != INDEX_NAME or not any(edit.start < gone.end and gone.start < edit.end for gone in dropped):
            edits.setdefault(source, []).append(edit)
    if dropped:
        edits.setdefault(INDEX_NAME, []).extend(dropped)
    return edits


def _addition(directory: MemoryDirectory, other: str, links: list[Edit], kept: str) -> Iterator[Edit]:
    """What the other memory says, behind the text of the kept one."""
    document, target = directory.documents[other], directory.documents[kept]
    body = applied(document.source.text, in_order(links))[document.body_start :].strip("\ufeff \t\r\n")
    described = document.description or ""
    paragraphs = [text for text in (described, body) if text and text not in target.source.text]
    if described in body:
        paragraphs = [text for text in paragraphs if text != described]
    if paragraphs:
        text = target.source.text
        eol = line_end(text)
        place = len(text.rstrip()) if text.strip() else len(text)
        lines = _LINE_END.split("\n\n".join(paragraphs))
        yield Edit(place, place, (eol * 2 if place else "") + eol.join(lines))


def _date_edits(directory: MemoryDirectory, kept: str, other: str, today: date) -> Iterator[Edit]:
    """The day of making is the older one; the days of change that are there are ``today``."""
    document = directory.documents[kept]
    made, older = document.dated.created, directory.documents[other].dated.created
    try:
        for path, key in document.date_keys.items():
            if path in UPDATED_KEYS and read_date_or_none(key.value) != today:
                yield from set_value(document, path, today.isoformat())
            elif made is not None and older is not None and key == made[0] and older[1] < made[1]:
                yield from set_value(document, path, older[0].value)
    except CannotEditError as error:
        raise CannotChangeError(f"The dates in {kept} can't be changed. {error}") from None


def _refuse_other_meanings(directory: MemoryDirectory, kept: str, other: str, edits: list[Edit]) -> None:
    """Makes sure that no link means something else in the new text: code may never end, definitions may clash."""
    text = applied(directory.documents[kept].source.text, edits)
    after = directory.without(other).with_document(kept, text)
    both = [
        tuple(kept if key == other else key for key in resolve(directory, source, link).keys)
        for source in (kept, other)
        for link in directory.documents[source].body.links
    ]
    now = [resolve(after, kept, link).keys for link in after.documents[kept].body.links]
    if now != both:
        raise CannotChangeError(
            f"{other} can't be put behind {kept} without a link in it coming to mean something else."
        )
