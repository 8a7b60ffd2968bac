"""The markdown of a document: its links, headings, code and comments, each with its place.

pyromark does the parsing. It tells the range of a whole link, in bytes; what in that range is the
destination, the anchor and the label is worked out here, in one function per way of linking.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple, cast
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
    is no ``#``. ``block`` counts the text blocks (list item, table row, paragraph, heading) of the
    document from 0. The offsets are held flat, since a directory has many thousand links and most
    of them are never asked for their places.
    """

    kind: LinkKind
    target: str
    anchor: str | None
    block: int
    start: int
    end: int
    target_start: int
    target_end: int
    anchor_start: int
    anchor_end: int
    label_start: int
    label_end: int

    def shifted(self, by: int) -> Link:
        """The same link, ``by`` characters further on."""
        return Link(*self[:4], *(offset + by for offset in self[4:]))

    @property
    def span(self) -> Span:
        """The whole link."""
        return Span(self.start, self.end)

    @property
    def target_span(self) -> Span:
        """Where the target stands; for a reference, the name of its definition."""
        return Span(self.target_start, self.target_end)

    @property
    def anchor_span(self) -> Span:
        """Where the anchor stands, behind its ``#``; empty, at the target's end, without one."""
        return Span(self.anchor_start, self.anchor_end)

    @property
    def destination_span(self) -> Span:
        """Target and anchor together, as far as they are there."""
        return Span(self.target_start, max(self.target_end, self.anchor_end))

    @property
    def label_span(self) -> Span:
        """Where the label stands; empty when there is none."""
        return Span(self.label_start, self.label_end)


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
_LONE_RETURN = re.compile(r"\r(?!\n)")
# `[label]:` at the start of a line, be it of a quote or a list item.
_MAY_DEFINE = re.compile(r"(?<![^\r\n\ufeff])[ \t>\-*+.)\d]*\[(?:[^\\\[\]]|\\.)+\]:", re.DOTALL)


def may_define(text: str, start: int, end: int) -> bool:
    """Whether ``[label]: target`` may stand between ``start`` and ``end``."""
    return text.find("]:", start, end) >= 0 and _MAY_DEFINE.search(text, start, end) is not None


def read(text: str, start: int = 0, *, blocks: bool = False) -> Body:
    """The markdown of ``text`` from offset ``start`` on. Never raises.

    Blocks are told only when asked for, since only an index needs them.
    """
    if start == 0 and text.startswith("\ufeff"):
        start = 1  # a BOM is not text: the line behind it may be a heading
    markdown = without_surrogates(text[start:])
    if not markdown:
        return Body()
    if "\r" in markdown:
        # pyromark does not see the end of an indented code or HTML block at a `\r` alone.
        markdown = _LONE_RETURN.sub("\n", markdown)
    return _Reader(text, start, markdown, blocks).body()


class _Reader:
    """Walks pyromark's events once and gathers what a body holds."""

    def __init__(self, text: str, start: int, markdown: str, with_blocks: bool) -> None:
        self._text = text
        self._base = start
        self._markdown = markdown
        self._with_blocks = with_blocks
        self._bytes = None if markdown.isascii() else ByteOffsets(markdown.encode("utf-8"))
        self.links: list[Link] = []
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.code: list[Span] = []
        self.comments: list[Comment] = []

    def body(self) -> Body:
        self._walk()
        if may_define(self._markdown, 0, len(self._markdown)):
            self._read_definitions()
        return Body(tuple(self.links), tuple(self.headings), tuple(self.blocks), tuple(self.code), tuple(self.comments))

    def _offset(self, byte: int) -> int:
        return self._base + (byte if self._bytes is None else self._bytes.character(byte))

    def _span(self, byte_range: dict[str, int]) -> Span:
        start = self._offset(byte_range["start"])
        return Span(start, self._offset(byte_range["end"]))

    def _code_text(self, told: str, byte_range: dict[str, int]) -> str:
        """The text of a code span. pyromark makes two spaces of a line end that has two characters."""
        written = self._span(byte_range).of(self._text)
        if "\r\n" not in written:
            return told
        inner = written.strip("`").replace("\r\n", " ")
        # CommonMark takes a space off at each end where both have one.
        return inner[1:-1] if inner.startswith(" ") and inner.endswith(" ") and inner.strip() else inner

    def _walk(self) -> None:
        # One loop over plain dicts: this is where most of the time of a cold check goes. pyromark's types tell each
        # kind of event apart by its one key, which a type checker can follow only through slower code.
        events = cast("Iterator[tuple[Any, dict[str, int]]]", _MARKDOWN.events_with_range(self._markdown))
        open_links: list[tuple[dict[str, Any], dict[str, int]]] = []
        label_ends: list[int] = []  # of the open links, in bytes
        heading: tuple[int, dict[str, int], list[str], list[int]] | None = None
        with_blocks = self._with_blocks
        depth = 0  # of list items and table rows: a paragraph inside one is not a block of its own
        for event, byte_range in events:
            if type(event) is str:
                if heading is not None and event in _BREAKS:
                    heading[2].append(" ")
            elif "Text" in event or "Code" in event:
                if heading is not None:
                    code = event.get("Code")
                    heading[2].append(event.get("Text") or (self._code_text(code, byte_range) if code else ""))
                    heading[3].append(byte_range["end"])
                if label_ends:
                    label_ends[-1] = byte_range["end"]
                if "Code" in event:
                    self.code.append(self._span(byte_range))
            elif "Start" in event:
                value = event["Start"]
                if heading is not None:
                    heading[3].append(byte_range["end"])
                if type(value) is str:
                    if with_blocks:
                        block = _TEXT_BLOCKS.get(value)
                        if block is not None:
                            depth += 1
                            self.blocks.append(Block(block, self._span(byte_range)))
                        elif value == "Paragraph" and not depth:
                            self.blocks.append(Block(BlockKind.PARAGRAPH, self._span(byte_range)))
                    if value == "HtmlBlock":
                        self._add_comments(self._span(byte_range), is_block=True)
                elif "Link" in value or "Image" in value:
                    open_links.append((value, byte_range))
                    label_ends.append(byte_range["start"] + 1)
                elif "Heading" in value:
                    heading = (_HEADING_LEVELS[value["Heading"]["level"]], byte_range, [], [])
                    if with_blocks:
                        self.blocks.append(Block(BlockKind.HEADING, self._span(byte_range)))
                elif "CodeBlock" in value:
                    self.code.append(self._span(byte_range))
            elif "End" in event:
                value = event["End"]
                if type(value) is str:
                    if value == "Link" or value == "Image":
                        self._add_link(*open_links.pop(), label_ends.pop())
                        if label_ends:
                            label_ends[-1] = byte_range["end"]
                    elif with_blocks and value in _TEXT_BLOCKS:
                        depth -= 1
                elif heading is not None and "Heading" in value:
                    self._add_heading(*heading)
                    heading = None
            elif "InlineHtml" in event:
                if heading is not None:
                    heading[3].append(byte_range["end"])
                self._add_comments(self._span(byte_range), is_block=False)
        if len(self.links) > 1:
            self.links.sort(key=_start_of)

    def _add_heading(self, level: int, whole: dict[str, int], texts: list[str], ends: list[int]) -> None:
        span = self._span(whole)
        line = self._text[span.start : span.end]
        stripped = line.rstrip("\r\n")
        span = Span(span.start, span.start + len(stripped))
        lead = re.match(r"[ >]*#{1,6}(?:[ \t]+|\Z)", stripped)
        start = span.start + (lead.end() if lead else 0)
        end = self._offset(max(ends)) if ends else start
        self.headings.append(Heading(level, "".join(texts).strip(), span, Span(start, max(start, end))))

    def _add_comments(self, span: Span, *, is_block: bool) -> None:
        for match in _COMMENT.finditer(self._text, span.start, span.end):
            self.comments.append(Comment(Span(*match.span()), match.group(1), is_block))

    def _add_link(self, event: dict[str, Any], byte_range: dict[str, int], label_byte: int) -> None:
        is_image = "Image" in event
        details = event["Image"] if is_image else event["Link"]
        link_type = details["link_type"]
        start = self._offset(byte_range["start"])
        last_byte = byte_range["end"]
        block = len(self.blocks) - 1
        link: Link | None = None
        if type(link_type) is dict:
            link = _wiki_link(self._text, start, self._offset(last_byte), block)
        elif link_type == "Inline":
            label_end = self._offset(label_byte)
            end = self._offset(last_byte)
            kind = LinkKind.IMAGE if is_image else LinkKind.INLINE
            link = _inline_link(self._text, start, end, label_end, details["dest_url"], kind, block)
        elif link_type in ("Reference", "Collapsed", "Shortcut"):
            end = self._offset(last_byte)
            if link_type == "Collapsed" and self._text.startswith("[]", end):
                end += 2  # pyromark leaves them out
            link = _reference_link(self._text, start, end, details["dest_url"], block)
        if link is not None:
            self.links.append(link)

    def _read_definitions(self) -> None:
        found = _MARKDOWN.reference_definitions(self._markdown).values()  # in no order
        for definition in sorted(found, key=lambda definition: definition["span"]["start"]):
            span = self._span(cast("dict[str, int]", definition["span"]))
            opening = _DEFINITION_START.match(self._text, span.start, span.end)
            if opening is None:
                continue
            start, end = _destination(self._text, opening.end(), span.end)
            target, anchor, places = _split_destination(self._text, start, end, definition["dest"])
            label_end = self._text.rindex("]:", span.start, opening.end())
            self.links.append(Link(LinkKind.DEFINITION, target, anchor, -1, *span, *places, span.start + 1, label_end))
        self.links.sort(key=_start_of)


_BREAKS = frozenset({"SoftBreak", "HardBreak"})
_start_of = attrgetter("start")
_WIKI_PIPE = re.compile(r"\\?\|")
# A wiki link's inside that is its target and nothing else, as nearly all are.
_PLAIN_NAME = re.compile(r"[^\s|#\\\[\]]+(?: [^\s|#\\\[\]]+)*\Z")
# A destination that stands in the text as it is meant.
_PLAIN_PATH = re.compile(r"[^\s<>()#%?:\\&\ud800-\udfff]+\Z")
_WEB_ADDRESS = re.compile(r"https?://[^\s<>()\\]*\Z")


def plain_targets(text: str, start: int = 0) -> tuple[list[str], list[str]] | None:
    """The names and paths that the links of a body lead to, told without parsing it; ``None`` when that takes parsing.

    Some may stand in code and be no links, but every link is among them, and none has an anchor. Addresses in the web
    are left out.
    """
    body = text[start:]
    if "]:" in body:
        return None  # a definition, maybe
    if "```" in body:
        body = _without_fences(body)
    names, paths = [], []
    for piece in body.split("[[")[1:]:
        end = piece.find("]]")
        if end < 0 or not _PLAIN_NAME.match(piece[:end]):
            return None
        names.append(piece[:end])
    for piece in body.split("](")[1:]:
        end = piece.find(")")
        if end >= 0 and _PLAIN_PATH.match(piece[:end]):
            paths.append(piece[:end])
        elif end < 0 or not _WEB_ADDRESS.match(piece[:end]):
            return None
    return names, paths


def may_hold_anchors(text: str, start: int = 0) -> bool:
    """Whether a link with an anchor may stand behind ``start``; told without parsing, and never wrong to say no."""
    body = text[start:]
    if "#" not in body:
        return False
    if any("#" in piece.partition("]]")[0] for piece in body.split("[[")[1:]):
        return True
    # A path is on one line, if not on the one of its opening.
    return any("#" in piece.lstrip().partition("\n")[0] for sign in ("](", "]:") for piece in body.split(sign)[1:])


_OPENS_HTML = re.compile(r"^[ \t]*<", re.MULTILINE)


def _without_fences(body: str) -> str:
    """``body`` without its blocks of code, where it is plain which they are; else as it is.

    It is when every fence begins its line, so that no list or quote holds it, and every second one ends a block.
    """
    if "~~~" in body or "\r" in body or ("<" in body and _OPENS_HTML.search(body)):
        return body
    pieces = f"\n{body}".split("\n```")
    prose, code = pieces[::2], pieces[1::2]
    if len(prose) == len(code) or len(pieces) - 1 != body.count("```"):
        return body
    if any("`" in block.partition("\n")[0] for block in code):
        return body
    if any(rest.partition("\n")[0].strip(" \t") for rest in prose[1:]):
        return body
    return "\n".join(prose)


def is_plainly_prose(text: str, start: int, offset: int) -> bool:
    """Whether a glance shows that ``offset``, in a body that begins at ``start``, is not in code.

    Code in a line does not reach over an empty line. A block of it begins with a fence, or is indented.
    """
    paragraph = max(text.rfind("\n\n", start, offset), start)
    end = text.find("\n\n", offset)
    line_end = text.find("\n", offset)
    line_end = len(text) if line_end < 0 else line_end
    # The whole line, since it may be the fence or the indentation that the offset is in; an empty one may lie in a block.
    line = text[max(text.rfind("\n", start, offset) + 1, start) : line_end]
    return (
        line.strip() != ""
        and text.find("`", paragraph, len(text) if end < 0 else end) < 0
        and text.find("```", start, line_end) < 0
        and text.find("~~~", start, line_end) < 0
        and "    " not in line
        and not any(blank in line for blank in "\t\r")
    )


# A letter of a program's name, not of a script that is written without spaces.
_ENDS_WORD = re.compile(r"[A-Za-z0-9_]")


def _wiki_link(text: str, start: int, end: int, block: int) -> Link | None:
    """``[[target#anchor|label]]``; in a table, and there only by need, the pipe is written ``\\|``."""
    inner_start = text.index("[[", start, end) + 2
    inner_end = end - 2
    inner = text[inner_start:inner_end]
    if inner[:1] in "\"'" or _ENDS_WORD.match(text, max(start - 1, 0)):
        return None  # `df[["a"]]` and `list[[0]]` are programs
    if _PLAIN_NAME.match(inner):
        ends = (inner_end,) * 5
        return Link(LinkKind.WIKI, inner, None, block, start, end, inner_start, *ends)
    pipe = _WIKI_PIPE.search(inner)
    label_start = inner_start + pipe.end() if pipe else inner_end
    destination = inner[: pipe.start()] if pipe else inner
    if "]" in destination or not destination.strip() or _looks_like_shell(destination):
        return None
    name, hash_sign, anchor = destination.partition("#")
    target_span = _stripped(text, inner_start, inner_start + len(name))
    anchor_start = inner_start + len(name) + 1
    anchor_span = (
        _stripped(text, anchor_start, anchor_start + len(anchor))
        if hash_sign
        else Span(target_span.end, target_span.end)
    )
    return Link(
        LinkKind.WIKI,
        " ".join(target_span.of(text).split()),
        anchor_span.of(text) if hash_sign else None,
        block,
        start,
        end,
        *target_span,
        *anchor_span,
        label_start,
        inner_end,
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


def _inline_link(
    text: str, start: int, end: int, label_end: int, destination: str, kind: LinkKind, block: int
) -> Link | None:
    """``[label](destination "title")``; ``label_end`` is a place at or before the label's end."""
    bracket = text.find("](", label_end, end)
    if bracket < 0:
        return None
    label_start = start + (2 if kind is LinkKind.IMAGE else 1)
    if end - bracket - 3 == len(destination) and _PLAIN_PATH.match(destination):
        last = end - 1
        return Link(kind, destination, None, block, start, end, bracket + 2, last, last, last, label_start, bracket)
    raw_start, raw_end = _destination(text, bracket + 2, end - 1)
    target, anchor, places = _split_destination(text, raw_start, raw_end, destination)
    return Link(kind, target, anchor, block, start, end, *places, label_start, max(label_start, bracket))


def _destination(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the destination stands that begins, after white space, at ``start``; without ``<`` and ``>``."""
    while start < end and text[start] in " \t\r\n":
        start += 1
    if text[start : start + 1] == "<":
        at = start + 1
        while at < end and text[at] != ">":
            at += 2 if text[at] == "\\" else 1
        return start + 1, max(start + 1, min(at, end))
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
    return start, max(start, min(at, end))


def _split_destination(
    text: str, start: int, end: int, destination: str
) -> tuple[str, str | None, tuple[int, int, int, int]]:
    """Target and anchor, decoded, of ``destination``, and where the two stand between ``start`` and ``end``."""
    if is_external(destination):
        return destination, None, (start, end, end, end)
    path, hash_sign, anchor = destination.partition("#")
    hash_at = text.find("#", start, end) if hash_sign else end
    hash_at = end if hash_at < 0 else hash_at
    path, query_sign, _ = path.partition("?")
    path_end = text.find("?", start, hash_at) if query_sign else hash_at
    path_end = hash_at if path_end < 0 else path_end
    if not hash_sign:
        return unquote(path), None, (start, path_end, path_end, path_end)
    return unquote(path), unquote(anchor), (start, path_end, min(hash_at + 1, end), end)


def _reference_link(text: str, whole_start: int, end: int, destination: str, block: int) -> Link:
    """``[label][ref]``, ``[ref][]`` or ``[ref]``: the place of its target is the name of its definition."""
    start = text.index("[", whole_start)  # behind an image's `!`
    whole = text[start:end]
    split = whole.rfind("][")
    label = (start + 1, start + split if split > 0 else end - 1)
    name = label if split <= 0 or whole.endswith("[]") else (start + split + 2, end - 1)
    target, anchor, _ = _split_destination(text, 0, 0, destination)
    return Link(LinkKind.REFERENCE, target, anchor, block, whole_start, end, *name, name[1], name[1], *label)


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
