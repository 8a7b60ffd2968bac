"""The markdown of a document: its links, headings, code and comments, each with its place.

pyromark does the parsing. It tells the range of a whole link, in bytes; what in that range is the
destination, the anchor and the label is worked out here, in one function per way of linking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyromark

from memory_ls.text import ByteOffsets, Span, without_surrogates

# Without YAML metadata blocks: they match anywhere in a text and swallow the links between two rules.
_MARKDOWN = pyromark.Markdown(
    options=pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
)


class LinkKind(Enum):
    """How a link is written."""

    WIKI = "wiki"  # [[target|label]]
    INLINE = "inline"  # [label](target)
    IMAGE = "image"  # ![label](target)
    REFERENCE = "reference"  # [label][ref], [ref][], [ref]
    DEFINITION = "definition"  # [ref]: target
    CODE = "code"  # `target.md`: only an index uses this


class Link(NamedTuple):
    """One link.

    ``target`` is what it points at, decoded, without the anchor; ``anchor`` is ``None`` when there
    is no ``#``. ``target_span`` and ``anchor_span`` are where they stand (for a reference: the
    name of its definition). ``label_span`` is empty, at the target's end, when there is no label.
    ``block`` counts the text blocks (list item, table row, paragraph, heading) of the document from 0.
    """

    kind: LinkKind
    span: Span
    target: str
    target_span: Span
    anchor: str | None
    anchor_span: Span
    label_span: Span
    block: int

    def shifted(self, by: int) -> Link:
        """The same link, ``by`` characters further on."""
        return self._replace(
            span=self.span.shifted(by),
            target_span=self.target_span.shifted(by),
            anchor_span=self.anchor_span.shifted(by),
            label_span=self.label_span.shifted(by),
        )

    @property
    def destination_span(self) -> Span:
        """Target and anchor together: what a diagnostic about the destination underlines."""
        return Span(self.target_span.start, max(self.target_span.end, self.anchor_span.end))


class Heading(NamedTuple):
    """A heading: its level from 1, its plain text, its line (``span``) and where its text stands."""

    level: int
    text: str
    span: Span
    text_span: Span


class BlockKind(Enum):
    """The kinds of block that hold text of their own."""

    ITEM = "item"
    ROW = "row"
    PARAGRAPH = "paragraph"
    HEADING = "heading"


class Block(NamedTuple):
    """A block that holds text. A paragraph in a list item counts as the item's."""

    kind: BlockKind
    span: Span


class Comment(NamedTuple):
    """An HTML comment; ``is_block`` when it stands alone, as those do that loaders strip."""

    span: Span
    text: str
    is_block: bool


@dataclass(frozen=True, slots=True)
class Body:
    """What a markdown text holds. All spans are in the whole text, in the order of the text."""

    links: tuple[Link, ...] = ()
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()
    code: tuple[Span, ...] = ()
    comments: tuple[Comment, ...] = ()

    def link_at(self, offset: int) -> Link | None:
        """The innermost link that a cursor at ``offset`` touches."""
        found = None
        for link in self.links:
            if link.span.touches(offset):
                found = link
        return found

    def in_code(self, offset: int) -> bool:
        """Whether the character at ``offset`` is code."""
        return any(span.start <= offset < span.end for span in self.code)


_HEADING_LEVELS = {f"H{level}": level for level in range(1, 7)}
_TEXT_BLOCKS = {"Item": BlockKind.ITEM, "TableRow": BlockKind.ROW, "TableHead": BlockKind.ROW}
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_DEFINITION_START = re.compile(r"\[(?:[^\\\[\]]|\\.)+\]:\s*", re.DOTALL)
_HAS_DEFINITION = re.compile(r"^[ >]*\[[^\]\n]+\]:", re.MULTILINE)


def read(text: str, start: int = 0) -> Body:
    """The markdown of ``text`` from offset ``start`` on. Never raises."""
    markdown = without_surrogates(text[start:])
    if not markdown:
        return Body()
    return _Reader(text, start, markdown).body()


class _Reader:
    """Walks pyromark's events once and gathers what a body holds."""

    def __init__(self, text: str, start: int, markdown: str) -> None:
        self._text = text
        self._base = start
        self._markdown = markdown
        self._bytes = None if markdown.isascii() else ByteOffsets(markdown.encode("utf-8"))
        self.links: list[Link] = []
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.code: list[Span] = []
        self.comments: list[Comment] = []

    def body(self) -> Body:
        self._walk()
        if "]:" in self._markdown and _HAS_DEFINITION.search(self._markdown):
            self._read_definitions()
        return Body(
            tuple(self.links), tuple(self.headings), tuple(self.blocks), tuple(self.code), tuple(self.comments)
        )

    def _span(self, byte_range: dict[str, int]) -> Span:
        start, end = byte_range["start"], byte_range["end"]
        if self._bytes is None:
            return Span(self._base + start, self._base + end)
        return Span(self._base + self._bytes.character(start), self._base + self._bytes.character(end))

    def _walk(self) -> None:
        open_links: list[tuple[dict[str, Any], dict[str, int], int]] = []  # link, range, where its label ends
        heading: tuple[int, dict[str, int], list[str], list[int]] | None = None
        depth = 0  # of list items and table rows: a paragraph inside one is not a block of its own
        for event, byte_range in _MARKDOWN.events_with_range(self._markdown):
            if type(event) is str:
                if heading is not None and event in ("SoftBreak", "HardBreak"):
                    heading[2].append(" ")
                continue
            ((kind, value),) = event.items()
            if kind == "Text" or kind == "Code":
                if heading is not None:
                    heading[2].append(value)
                    heading[3].append(byte_range["end"])
                if open_links:
                    link, whole, _ = open_links[-1]
                    open_links[-1] = (link, whole, byte_range["end"])
                if kind == "Code":
                    self.code.append(self._span(byte_range))
            elif kind == "Start":
                if type(value) is str:
                    block = _TEXT_BLOCKS.get(value)
                    if block is not None:
                        depth += 1
                        self.blocks.append(Block(block, self._span(byte_range)))
                    elif value == "Paragraph" and not depth:
                        self.blocks.append(Block(BlockKind.PARAGRAPH, self._span(byte_range)))
                elif "Link" in value or "Image" in value:
                    open_links.append((value, byte_range, byte_range["start"] + 1))
                elif "Heading" in value:
                    heading = (_HEADING_LEVELS[value["Heading"]["level"]], byte_range, [], [])
                    self.blocks.append(Block(BlockKind.HEADING, self._span(byte_range)))
                elif "CodeBlock" in value:
                    self.code.append(self._span(byte_range))
            elif kind == "End":
                if type(value) is str:
                    if value in _TEXT_BLOCKS:
                        depth -= 1
                    elif value == "Link" or value == "Image":
                        link, whole, label_end = open_links.pop()
                        self._add_link(link, whole, label_end)
                        if open_links:
                            open_links[-1] = (*open_links[-1][:2], byte_range["end"])
                elif "Heading" in value and heading is not None:
                    self._add_heading(*heading)
                    heading = None
            elif kind == "InlineHtml":
                self._add_comments(self._span(byte_range), is_block=False)
            elif kind == "Html":
                self._add_html(byte_range)
        self._join_block_html()
        if len(self.links) > 1:
            self.links.sort(key=lambda link: link.span)

    def _add_heading(self, level: int, whole: dict[str, int], texts: list[str], ends: list[int]) -> None:
        span = self._span(whole)
        line = self._text[span.start : span.end]
        stripped = line.rstrip("\r\n")
        span = Span(span.start, span.start + len(stripped))
        lead = re.match(r"[ >]*#{1,6}[ \t]*", stripped)
        start = span.start + (lead.end() if lead else 0)
        end = self._span({"start": ends[-1], "end": ends[-1]}).start if ends else start
        self.headings.append(Heading(level, "".join(texts).strip(), span, Span(start, max(start, end))))

    def _add_html(self, byte_range: dict[str, int]) -> None:
        # pyromark tells an HTML block line by line; the pieces are joined once all are known.
        self.comments.append(Comment(self._span(byte_range), "", True))

    def _join_block_html(self) -> None:
        pieces = self.comments
        if not pieces:
            return
        self.comments = []
        joined: Span | None = None
        for piece in pieces:
            if not piece.is_block:
                self.comments.append(piece)
            elif joined is not None and joined.end == piece.span.start:
                joined = Span(joined.start, piece.span.end)
            else:
                if joined is not None:
                    self._add_comments(joined, is_block=True)
                joined = piece.span
        if joined is not None:
            self._add_comments(joined, is_block=True)
        self.comments.sort(key=lambda comment: comment.span)

    def _add_comments(self, span: Span, *, is_block: bool) -> None:
        for match in _COMMENT.finditer(self._text, span.start, span.end):
            self.comments.append(Comment(Span(*match.span()), match.group(1), is_block))

    def _add_link(self, event: dict[str, Any], whole: dict[str, int], label_end: int) -> None:
        is_image = "Image" in event
        details = event["Image"] if is_image else event["Link"]
        link_type = details["link_type"]
        span = self._span(whole)
        block = len(self.blocks) - 1
        link: Link | None = None
        if type(link_type) is dict:
            link = _wiki_link(self._text, span, block)
        elif link_type == "Inline":
            start = self._span({"start": label_end, "end": label_end}).start
            link = _inline_link(self._text, span, start, details["dest_url"], is_image, block)
        elif link_type in ("Reference", "Collapsed", "Shortcut"):
            link = _reference_link(self._text, span, details["dest_url"], block)
        if link is not None:
            self.links.append(link)

    def _read_definitions(self) -> None:
        for definition in _MARKDOWN.reference_definitions(self._markdown).values():
            span = self._span(definition["span"])
            opening = _DEFINITION_START.match(self._text, span.start, span.end)
            if opening is None:
                continue
            raw_span = _destination_span(self._text, opening.end(), span.end)
            target, anchor, target_span, anchor_span = _split_destination(self._text, raw_span, definition["dest"])
            label = Span(span.start + 1, self._text.index("]:", span.start, span.end))
            self.links.append(
                Link(LinkKind.DEFINITION, span, target, target_span, anchor, anchor_span, label, len(self.blocks) - 1)
            )
        self.links.sort(key=lambda link: link.span)


_WIKI_PIPE = re.compile(r"\\?\|")


def _wiki_link(text: str, span: Span, block: int) -> Link | None:
    """``[[target#anchor|label]]``; in a table, and there only by need, the pipe is written ``\\|``."""
    start = text.index("[[", span.start, span.end) + 2
    end = span.end - 2
    inner = text[start:end]
    pipe = _WIKI_PIPE.search(inner)
    label_span = Span(start + pipe.end(), end) if pipe else Span(end, end)
    destination = inner[: pipe.start()] if pipe else inner
    if "](" in destination or "][" in destination or not destination.strip() or _looks_like_shell(destination):
        return None
    name, hash_sign, anchor = destination.partition("#")
    target_span = _stripped(text, start, start + len(name))
    anchor_start = start + len(name) + 1
    anchor_span = (
        _stripped(text, anchor_start, anchor_start + len(anchor)) if hash_sign else Span(target_span.end, target_span.end)
    )
    target = " ".join(target_span.of(text).split())
    return Link(
        LinkKind.WIKI,
        span,
        target,
        target_span,
        anchor_span.of(text) if hash_sign else None,
        anchor_span,
        label_span,
        block,
    )


def _looks_like_shell(destination: str) -> bool:
    """Whether ``[[ -f x ]]`` or ``[[ $a == b ]]`` of a shell was taken for a link."""
    return destination[0].isspace() and (destination.lstrip()[0] in "-$!\"'" or "==" in destination)


def _stripped(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _inline_link(text: str, span: Span, label_end: int, destination: str, is_image: bool, block: int) -> Link | None:
    """``[label](destination "title")``; ``label_end`` is a place at or before the label's end."""
    bracket = text.find("](", label_end, span.end)
    if bracket < 0:
        return None
    label_start = span.start + (2 if is_image else 1)
    raw_span = _destination_span(text, bracket + 2, span.end - 1)
    target, anchor, target_span, anchor_span = _split_destination(text, raw_span, destination)
    return Link(
        LinkKind.IMAGE if is_image else LinkKind.INLINE,
        span,
        target,
        target_span,
        anchor,
        anchor_span,
        Span(label_start, max(label_start, bracket)),
        block,
    )


def _destination_span(text: str, start: int, end: int) -> Span:
    """Where the destination stands that begins, after white space, at ``start``; without ``<`` and ``>``."""
    while start < end and text[start].isspace():
        start += 1
    if text[start : start + 1] == "<":
        at = start + 1
        while at < end and text[at] != ">":
            at += 2 if text[at] == "\\" else 1
        return Span(start + 1, min(at, end))
    at, depth = start, 0
    while at < end:
        character = text[at]
        if character == "\\":
            at += 2
            continue
        if character in " \t\r\n" or (character == ")" and depth == 0):
            break
        depth += (character == "(") - (character == ")")
        at += 1
    return Span(start, min(at, end))


def _split_destination(text: str, raw_span: Span, destination: str) -> tuple[str, str | None, Span, Span]:
    """Target and anchor, decoded, of ``destination``, and where each stands within ``raw_span``."""
    if is_external(destination):
        return destination, None, raw_span, Span(raw_span.end, raw_span.end)
    path, hash_sign, anchor = destination.partition("#")
    path = path.partition("?")[0]
    if not hash_sign:
        return unquote(path), None, raw_span, Span(raw_span.end, raw_span.end)
    hash_at = text.find("#", raw_span.start, raw_span.end)
    hash_at = raw_span.end if hash_at < 0 else hash_at
    return unquote(path), unquote(anchor), Span(raw_span.start, hash_at), Span(min(hash_at + 1, raw_span.end), raw_span.end)


def _reference_link(text: str, span: Span, destination: str, block: int) -> Link:
    """``[label][ref]``, ``[ref][]`` or ``[ref]``: the place of its target is the name of its definition."""
    whole = span.of(text)
    split = whole.rfind("][")
    first = Span(span.start + 1, span.start + split) if split > 0 else Span(span.start + 1, span.end - 1)
    name = first
    if split > 0 and not whole.endswith("[]"):
        name = Span(span.start + split + 2, span.end - 1)
    external = is_external(destination)
    path, hash_sign, anchor = (destination, "", "") if external else destination.partition("#")
    return Link(
        LinkKind.REFERENCE,
        span,
        path if external else unquote(path.partition("?")[0]),
        name,
        unquote(anchor) if hash_sign else None,
        Span(name.end, name.end),
        first,
        block,
    )


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|\\\\")


def is_external(destination: str) -> bool:
    """Whether a destination has a scheme (``https:``, ``mailto:``, ``C:``) or names a host (``//…``)."""
    return _SCHEME.match(destination) is not None


_NOT_IN_SLUG = re.compile(r"[^\w\- ]")


def heading_slug(text: str) -> str:
    """The anchor of a heading as GitHub and VS Code make it: lower case, punctuation dropped, spaces to ``-``."""
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def anchors(headings: tuple[Heading, ...]) -> Iterator[tuple[str, Heading]]:
    """Every heading with its anchor; a repeated one gets ``-1``, ``-2`` … as GitHub counts them."""
    seen: dict[str, int] = {}
    for heading in headings:
        slug = heading_slug(heading.text)
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        yield (f"{slug}-{count}" if count else slug), heading
