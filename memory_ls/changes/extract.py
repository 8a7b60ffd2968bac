"""A part of a memory or of the index becomes a memory of its own, and a link stands where it was."""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterable
from datetime import date

from memory_ls.changes.entries import Draft
from memory_ls.changes.index_insertion import type_in
from memory_ls.changes.index_lines import LEAD
from memory_ls.changes.plan import CannotChangeError, Plan
from memory_ls.directory.listing import one_line
from memory_ls.directory.resolve import TargetKind, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style, style_by
from memory_ls.directory.writing import entry_link, entry_text, link_text
from memory_ls.documents import body as markdown
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.edits import Edit, applied
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import slug
from memory_ls.settings import Settings
from memory_ls.text import Span

_OPERATION = 1
_OTHERWISE = "project"
_MOST_WORDS = 6
_MOST_CHARACTERS = 48
_MOST_DESCRIBED = 120
# Of a line no more is read than a name and a description need.
_MOST_READ = 500


def extract(directory: MemoryDirectory, key: str, span: Span, *, settings: Settings, today: date) -> Plan:
    """What stands at ``span`` of the document ``key`` (the index too) becomes a memory beside it.

    A bullet of the index that the selection lies in goes as a whole, and an entry takes its place.

    Raises:
        CannotChangeError: nothing is selected, or something that can't be taken out; the message says why.
    """
    document = directory.document(key)
    if document is None:
        raise CannotChangeError(f"There is no memory {key}.", kind="notFound", key="name")
    text = document.source.text
    bullet = bare_bullet_at(document, span) if isinstance(document, IndexDocument) else None
    selected = _trimmed(text, bullet or span)
    if selected.start < document.body_start:
        raise CannotChangeError("Frontmatter can't become a memory of its own: select text below it.")
    if selected.start == selected.end:
        raise CannotChangeError("Select the text that is to become a memory.")
    if cuts_a_link(document, selected):
        raise CannotChangeError("The selection begins or ends within a link: select all of it, or none of it.")
    lead = LEAD.match(text, selected.start, selected.end) if bullet is not None else None
    start = lead.end() if lead is not None else selected.start
    content = _dedented(text, start, selected.end)
    draft = Draft(directory, settings, today)
    style = style_by(directory, settings)
    kind = _kind(directory, key, selected)
    name = _free_name(draft, _name(content, directory, style))
    folder = key[: len(key) - len(key.rpartition("/")[2])]
    made = draft.create(
        _OPERATION, name, kind, _described(content), content, folder=folder, is_listed=key != INDEX_NAME
    )
    after = draft.directory
    if key == INDEX_NAME:
        is_lines = bullet is None and _is_whole_lines(text, selected)
        link = entry_text(after, made, style) if bullet is not None or is_lines else entry_link(after, made, style)
        link = f"- {link}" if is_lines and link is not None else link
    else:
        link = _link(directory, after, key, made, style)
    if link is None:
        raise CannotChangeError(f"No link can mean {made} and nothing else.")
    edit = Edit(start, selected.end, link)
    _refuse_other_links(document, edit)
    draft.replace(_OPERATION, key, (edit,))
    return draft.plan(f"Extract {one_line(name, 60)}")


def cuts_a_link(document: MemoryDocument | IndexDocument, span: Span) -> bool:
    """Whether ``span`` begins or ends within a link: a new link there would break it."""
    if isinstance(document, IndexDocument):
        links: Iterable[Link] = document.links_near(span)
    else:
        links = document.body.links
    return any(
        link.start < span.end and span.start < link.end and not (span.start <= link.start and link.end <= span.end)
        for link in links
    )


def _refuse_other_links(document: MemoryDocument | IndexDocument, edit: Edit) -> None:
    """Makes sure that the new link is read as one, and that all links around it are read as before.

    Raises:
        CannotChangeError: a part of a code block or of a comment would be taken out, or a link put there.
    """
    text = applied(document.source.text, [edit])
    after = IndexDocument.parse(text) if isinstance(document, IndexDocument) else MemoryDocument.parse(text)
    kept = [
        (link.kind, link.target, link.anchor)
        for link in _links_of(document)
        if link.end <= edit.start or edit.end <= link.start
    ]
    end = edit.start + len(edit.text)
    is_new = [edit.start <= link.start and link.end <= end for link in _links_of(after)]
    others = [
        (link.kind, link.target, link.anchor) for link, new in zip(_links_of(after), is_new, strict=True) if not new
    ]
    if kept != others or sum(is_new) != 1:
        raise CannotChangeError("A link can't stand there: select text outside of code and comments, or all of them.")


def _links_of(document: MemoryDocument | IndexDocument) -> list[Link]:
    return list(document.links() if isinstance(document, IndexDocument) else document.body.links)


def bare_bullet_at(index: IndexDocument, span: Span) -> Span | None:
    """The bullet of the index around ``span`` that links nothing, without what is nested below it."""
    for start, chunk in index.placed_chunks():
        for item in chunk.bare_items:
            placed = item.shifted(start)
            if placed.start <= span.start and span.end <= placed.end:
                return placed
    return None


def _trimmed(text: str, span: Span) -> Span:
    inside = span.of(text)
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, max(start, span.start + len(inside.rstrip())))


def _is_whole_lines(text: str, span: Span) -> bool:
    before = max(text.rfind("\n", 0, span.start), text.rfind("\r", 0, span.start)) + 1
    return not text[before : span.start].strip() and text[span.end : span.end + 1] in ("", "\n", "\r")


def _dedented(text: str, start: int, end: int) -> str:
    """The text without the indentation that its lines share; that of the first is what stands before it."""
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    lead = text[line:start]
    first, _, rest = text[start:end].replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    if lead.strip():
        return f"{first}\n{textwrap.dedent(rest)}".rstrip()
    return textwrap.dedent(f"{lead}{first}\n{rest}").rstrip()


def _kind(directory: MemoryDirectory, key: str, span: Span) -> str:
    """The type of the memory that it comes from; in the index, the one that the heading above it names."""
    if key != INDEX_NAME:
        return (directory.documents[key].type or _OTHERWISE) if _is_known(directory, key) else _OTHERWISE
    headings = directory.index.headings if directory.index is not None else ()
    number = bisect_right([heading.span.start for heading in headings], span.start)
    return (type_in(headings[number - 1].text) if number else None) or _OTHERWISE


def _is_known(directory: MemoryDirectory, key: str) -> bool:
    return type_in(directory.documents[key].type or "") is not None


_MARKUP = re.compile(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|[*_`~#>]+|<[^>]*>|\[[ xX]\]")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_CLAUSE = re.compile(r"(?<=\S)(?:[.:;,!?](?=\s)|\s[-–—]+\s|[。，：；！？、])")


def _plain(line: str) -> str:
    """A line of markdown as its words alone."""
    start = _BULLET.sub("", line[:_MOST_READ], count=1)
    words = _MARKUP.sub(lambda match: match.group(1) or match.group(2) or "", start)
    return " ".join(words.split())


def _name(content: str, directory: MemoryDirectory, style: Style) -> str:
    """What the new memory is called: after its first heading, else its first words; as the directory names its memories."""
    headings = markdown.read(content).headings
    lines = [heading.text for heading in headings[:1]] + content.split("\n")
    title = next(filter(None, map(_plain, lines)), "")
    if not headings:
        clause = _CLAUSE.split(title)[0]
        title = clause if len(clause.split()) > 1 or not title.isascii() else title
    title = " ".join(title.split()[:_MOST_WORDS])[:_MOST_CHARACTERS].strip().rstrip(".:;,。，：；")
    names = directory.names.by_name
    if style.for_new_memory().dialect is Dialect.FLAT and 2 * sum(" " in name for name in names) > len(names) and title:
        return title[:1].upper() + title[1:]
    return slug(title)


def _free_name(draft: Draft, name: str) -> str:
    number, numbered = 1, name
    while _is_taken(draft, numbered):
        number += 1
        numbered = f"{name} {number}" if " " in name else f"{name}-{number}"
    return numbered


def _is_taken(draft: Draft, name: str) -> bool:
    try:
        return draft.find(name) is not None
    except CannotChangeError:
        return True


def _described(content: str) -> str:
    """The first sentence, for whoever chooses among memories."""
    lines = [line for line in content.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    text = _plain(" ".join(lines[:6]) or content)
    sentence = re.split(r"(?<=[.!?])\s|(?<=[。！？])", text, maxsplit=1)[0]
    return one_line(sentence, _MOST_DESCRIBED)


def _link(before: MemoryDirectory, after: MemoryDirectory, key: str, made: str, style: Style) -> str | None:
    """A link to the new memory ``made``, of the kind that ``key`` or else the others use."""
    if not _links_by_path(before, key):
        target = link_text(after, made, style)
        return f"[[{target}]]" if target is not None else None
    # The two lie in one directory, so the path is the file's name.
    name = made.rpartition("/")[2]
    document = after.documents[made]
    return entry_link(after.with_document(name, document.source.text), name, Style(dot_slash=style.dot_slash))


def _links_by_path(directory: MemoryDirectory, key: str) -> bool:
    """Whether memories are linked by path rather than by name: in ``key``, else in the first that link any."""
    for source in (key, *directory.sorted_keys[:_SAMPLE]):
        kinds = [
            link.kind
            for link in directory.documents[source].body.links
            if link.kind in (LinkKind.WIKI, LinkKind.INLINE)
            and resolve(directory, source, link).kind is TargetKind.MEMORY
        ]
        if kinds:
            return 2 * kinds.count(LinkKind.INLINE) > len(kinds)
    return False


_SAMPLE = 100
