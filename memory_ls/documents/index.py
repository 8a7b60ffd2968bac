"""The index, ``MEMORY.md``: which lines of it point at memories, and how much of it an agent loads.

An index can be thousands of lines long and is edited a line at a time, so it is held as *chunks*
that are parsed by themselves. A chunk begins at a line that begins a new markdown block whatever
stands before it; after an edit only the chunks that the edit touched are read again.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

from memory_ls.documents import body as markdown
from memory_ls.documents import frontmatter
from memory_ls.documents.body import Block, BlockKind, Body, Link, LinkKind, is_external, may_define
from memory_ls.documents.frontmatter import Frontmatter
from memory_ls.documents.names import tokens_of
from memory_ls.text import PositionEncoding, SourceText, Span, unchanged_ends, unit_length

INDEX_NAME = "MEMORY.md"


class IndexEntry(NamedTuple):
    """A line of the index, wrapped or not, that links a memory.

    ``path`` is the link's path relative to the directory with ``.`` and ``..`` worked out, empty
    for ``[[names]]``. ``span`` is the text of the whole entry, ``description_span`` what follows
    ``separator``. A line with several links joined by ``·`` or a comma is an entry for each.
    """

    link: Link
    path: str
    span: Span
    separator: str
    description_span: Span

    def shifted(self, by: int) -> IndexEntry:
        """The same entry, ``by`` characters further on."""
        return IndexEntry(
            self.link.shifted(by), self.path, self.span.shifted(by), self.separator, self.description_span.shifted(by)
        )


@dataclass(frozen=True)
class Chunk:
    """Some lines of an index. All spans count from the chunk's own first character."""

    text: str
    body: Body
    entries: tuple[IndexEntry, ...]
    bare_items: tuple[Span, ...]
    mentions: frozenset[str]

    @classmethod
    def parse(cls, text: str) -> Chunk:
        """Reads the lines ``text``, which must be blocks of their own."""
        body = markdown.read(text, blocks=True)
        entries: list[IndexEntry] = []
        bare_items: list[Span] = []
        links_of: dict[int, list[Link]] = {}
        for link in body.links:
            if link.target and not is_external(link.target) and link.kind is not LinkKind.DEFINITION:
                links_of.setdefault(link.block, []).append(link)
        for number, block in enumerate(body.blocks):
            span = _own_span(text, body.blocks, number)
            links = links_of.get(number) or _code_links(text, body, block, span, number)
            entries.extend(_entries(text, span, links))
            if not links and block.kind is BlockKind.ITEM and not _holds_blocks(body.blocks, number):
                bare_items.append(span)
        return cls(text, body, tuple(entries), tuple(bare_items), frozenset(_FILE_NAME.findall(text)))

    @cached_property
    def lists_only_paths(self) -> bool:
        """Whether no entry here is a ``[[name]]``."""
        return all(entry.path for entry in self.entries)

    @cached_property
    def paths(self) -> frozenset[str] | None:
        """The targets of the links here, when all are paths without an anchor, as in most lists; else ``None``."""
        plain = all(link.anchor is None and link.kind is LinkKind.INLINE for link in self.body.links)
        return frozenset(link.target for link in self.body.links) if plain else None

    @cached_property
    def size(self) -> int:
        """The size of the text in bytes."""
        return _bytes(self.text)

    @cached_property
    def longest_line(self) -> int:
        """The length of the longest line here, in characters."""
        return max(length for _, length in self.lines_over(-1))

    def lines_over(self, limit: int) -> Iterator[tuple[int, int]]:
        """Start and length of each line with more than ``limit`` characters, its line end not counted."""
        for line in _LINE.finditer(self.text):
            length = len(line.group().rstrip("\r\n"))
            if length > limit:
                yield line.start(), length

    @cached_property
    def listed(self) -> tuple[tuple[str, str | None], ...]:
        """Path and anchor of each entry."""
        return tuple((entry.path, entry.link.anchor) for entry in self.entries)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Every link, a file name in backticks that is an entry among them, in the order of the text."""
        code = [entry.link for entry in self.entries if entry.link.kind is LinkKind.CODE]
        return tuple(sorted([*self.body.links, *code], key=attrgetter("start"))) if code else self.body.links

    @cached_property
    def link_tokens(self) -> frozenset[str]:
        """The names that the links look for, as :func:`tokens_of` has them."""
        return tokens_of(*(link.target for link in self.links if link.target))

    @cached_property
    def linked(self) -> frozenset[tuple[bool, str]]:
        """What the links here point at: (True, name) for ``[[names]]``, (False, path) for paths."""
        found = {(False, entry.path) for entry in self.entries if entry.path}
        for link in self.body.links:
            if link.kind is LinkKind.WIKI:
                found.add((True, link.target))
            elif link.target and not is_external(link.target):
                found.add((False, _normal(link.target)))
        return frozenset(found)

    @cached_property
    def targets(self) -> frozenset[tuple[bool, str]]:
        """As :attr:`linked`, and every file that is named here without a link."""
        return self.linked | {(False, _normal(name)) for name in self.mentions}


@dataclass(frozen=True)
class IndexDocument:
    """The index as its text has it. ``starts`` holds the offset of each chunk's first character."""

    source: SourceText
    frontmatter: Frontmatter | None
    chunks: tuple[Chunk, ...]
    starts: tuple[int, ...]

    @classmethod
    def parse(cls, text: str, previous: IndexDocument | None = None) -> IndexDocument:
        """Reads ``text``; with ``previous``, the same index before an edit, only what changed. Never raises."""
        block = frontmatter.read(text)
        start = block.body_start if block else 0
        ends = unchanged_ends(previous.source.text, text) if previous else (0, 0)
        kept = _kept(text, start, previous, *ends) if previous else None
        if kept is None:
            chunks, starts, _ = _read_chunks(text, start, len(text))
            return cls(SourceText(text), block, tuple(chunks), tuple(starts))
        before, after, region_end = kept
        assert previous is not None
        region_start = previous.starts[before - 1] + len(previous.chunks[before - 1].text) if before else start
        chunks, starts, closed = _read_chunks(text, region_start, region_end)
        if not closed or may_define(text, region_start, region_end):
            return cls.parse(text)
        shift = len(text) - len(previous.source.text)
        edited = cls(
            previous.source.edited(text, *ends),
            block,
            (*previous.chunks[:before], *chunks, *previous.chunks[after:]),
            (*previous.starts[:before], *starts, *(at + shift for at in previous.starts[after:])),
        )
        edited._take_over(previous, previous.chunks[before:after], chunks)
        return edited

    def _take_over(self, previous: IndexDocument, old: Iterable[Chunk], new: Iterable[Chunk]) -> None:
        """Takes what the index points at from ``previous``, where the chunks ``old`` became ``new`` and point at the same.

        The very same set, so that whoever compares the two need not look into it.
        """
        for name in ("linked", "targets"):
            known = previous.__dict__.get(name)
            if known is not None and _union(getattr(c, name) for c in old) == _union(getattr(c, name) for c in new):
                self.__dict__[name] = known

    def placed_chunks(self) -> Iterator[tuple[int, Chunk]]:
        """Each chunk with the offset of its first character."""
        return zip(self.starts, self.chunks, strict=True)

    def entries(self) -> Iterator[IndexEntry]:
        """Every entry, with spans in the whole text."""
        for start, chunk in self.placed_chunks():
            yield from (entry.shifted(start) for entry in chunk.entries)

    def links(self) -> Iterator[Link]:
        """Every link, with spans in the whole text."""
        return self.links_near(Span(0, len(self.source)))

    def links_near(self, span: Span) -> Iterator[Link]:
        """At least every link that touches ``span``, with spans in the whole text."""
        for start, chunk in self.placed_chunks():
            if start <= span.end and start + len(chunk.text) >= span.start:
                yield from (link.shifted(start) for link in chunk.links)

    def links_for(self, tokens: frozenset[str]) -> Iterator[Link]:
        """At least every link that looks for one of the folded names ``tokens``, with spans in the whole text."""
        for start, chunk in self.placed_chunks():
            if not tokens.isdisjoint(chunk.link_tokens):
                yield from (link.shifted(start) for link in chunk.links)

    def link_at(self, offset: int) -> Link | None:
        """The link that a cursor at ``offset`` touches."""
        for start, chunk in self._chunks_at(offset):
            link = chunk.body.link_at(offset - start)
            if link is not None:
                return link.shifted(start)
        return None

    def _chunks_at(self, offset: int) -> Iterator[tuple[int, Chunk]]:
        """The chunk that holds ``offset``, and the one before: a cursor at the first character touches that too."""
        number = bisect_right(self.starts, offset) - 1
        for candidate in (number, number - 1):
            if candidate >= 0:
                yield self.starts[candidate], self.chunks[candidate]

    def entry_at(self, offset: int) -> IndexEntry | None:
        """The entry whose text holds ``offset``."""
        for start, chunk in self._chunks_at(offset):
            for entry in chunk.entries:
                if entry.span.touches(offset - start):
                    return entry.shifted(start)
        return None

    def in_code(self, offset: int) -> bool:
        """Whether the character at ``offset`` is code."""
        number = bisect_right(self.starts, offset) - 1
        return number >= 0 and self.chunks[number].body.in_code(offset - self.starts[number])

    @cached_property
    def headings(self) -> tuple[markdown.Heading, ...]:
        """Every heading, with spans in the whole text."""
        return tuple(
            heading._replace(span=heading.span.shifted(start), text_span=heading.text_span.shifted(start))
            for start, chunk in self.placed_chunks()
            for heading in chunk.body.headings
        )

    @cached_property
    def comments(self) -> tuple[markdown.Comment, ...]:
        """Every HTML comment, with spans in the whole text."""
        return tuple(
            comment._replace(span=comment.span.shifted(start))
            for start, chunk in self.placed_chunks()
            for comment in chunk.body.comments
        )

    @cached_property
    def linked(self) -> frozenset[tuple[bool, str]]:
        """What the index links, as :attr:`Chunk.linked`."""
        return _union(chunk.linked for chunk in self.chunks)

    @cached_property
    def targets(self) -> frozenset[tuple[bool, str]]:
        """What the index points at, as :attr:`Chunk.targets`."""
        return _union(chunk.targets for chunk in self.chunks)

    @cached_property
    def body_start(self) -> int:
        """The offset of the first character behind the frontmatter."""
        return self.frontmatter.body_start if self.frontmatter else 0

    def load(self, max_lines: int, max_bytes: int) -> IndexLoad:
        """How much of the index an agent loads that stops after ``max_lines`` lines or ``max_bytes`` bytes."""
        source, text = self.source, self.source.text
        stripped = [comment.span for comment in self.comments if comment.is_block]
        start, end = self._outer_text()
        last = source.line_of(end)
        lines = size = 0
        first_lost: int | None = None
        for number in range(source.line_of(start), last + 1 if end > start else 0):
            if first_lost is not None and not stripped:
                # Past the limit only the totals are left to tell, and they need no line by line count.
                lines += last + 1 - number
                size += self._bytes_from(source.line_starts[number], end) + 1
                break
            span = source.line_span(number)
            if stripped and _covered(text, span, stripped):
                continue
            lines += 1
            size += _bytes(text[span.start : min(span.end, end)]) + 1
            # The line end behind the last loaded character does not count against the limit.
            if first_lost is None and (lines > max_lines or size - 1 > max_bytes):
                first_lost = span.start
        return IndexLoad(lines, max(size - 1, 0), first_lost)

    def _outer_text(self) -> tuple[int, int]:
        """Where what stands behind the frontmatter begins and ends, blank lines around it left out."""
        text, start, end = self.source.text, self.body_start, len(self.source.text)
        while end > start and text[end - 1].isspace():
            end -= 1
        first = _NOT_BLANK.search(text, start)
        return (first.start() if first else start), end

    def _bytes_from(self, start: int, end: int) -> int:
        """The size in bytes of the text from ``start`` to ``end``, by chunks that know theirs."""
        number = bisect_right(self.starts, start)
        if number >= len(self.starts):
            return _bytes(self.source.text[start:end])
        size = _bytes(self.source.text[start : self.starts[number]])
        return size + sum(chunk.size for chunk in self.chunks[number:]) - _bytes(self.source.text[end:])


def _union(sets: Iterable[frozenset[tuple[bool, str]]]) -> frozenset[tuple[bool, str]]:
    return frozenset().union(*sets)


class IndexLoad(NamedTuple):
    """What counts of an index against the load limit, and the offset of the first line not loaded, if any."""

    lines: int
    size: int
    first_lost: int | None


def _bytes(text: str) -> int:
    return unit_length(text, PositionEncoding.UTF8)


def _covered(text: str, line: Span, comments: list[Span]) -> bool:
    content = line.of(text)
    start = line.start + len(content) - len(content.lstrip())
    number = bisect_right(comments, (start, 1 << 62)) - 1
    return number >= 0 and comments[number].end >= line.start + len(content.rstrip())


_NOT_BLANK = re.compile(r"\S")
# It begins where no such character stands before it: else a megabyte of "a" would be tried from each of them.
_FILE_NAME = re.compile(r"(?<![\w\-./])[\w\-./]+\.md\b")
_CODE_PATH = re.compile(r"`{1,2} ?([^`\s][^`]*?\.md) ?`{1,2}\Z", re.IGNORECASE)
_JOINER = re.compile(r"[\s·•,、，/|+&;]*\Z")
_SEPARATOR = re.compile(r"[\s*_)\]]*(—|–|--|-|:|：|·|\|)\s*")
_LEAD = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])?\s*(?:\[[ xX]\])?\s*[*_~|]*\s*")


def _normal(path: str) -> str:
    """``path`` with ``.`` and ``..`` worked out."""
    return path if path.endswith(".md") and "/" not in path else posixpath.normpath(path)


def _own_span(text: str, blocks: tuple[Block, ...], number: int) -> Span:
    """The text of a block without the blocks inside it and without white space around it."""
    start, end = blocks[number].span
    if number + 1 < len(blocks) and blocks[number + 1].span.start < end:
        end = blocks[number + 1].span.start
    return Span(start, start + len(text[start:end].rstrip()))


def _holds_blocks(blocks: tuple[Block, ...], number: int) -> bool:
    return number + 1 < len(blocks) and blocks[number + 1].span.start < blocks[number].span.end


def _code_links(text: str, body: Body, block: Block, span: Span, number: int) -> list[Link]:
    """`` `file.md` `` at the start of a bullet or alone in a table's cell, as a link."""
    if block.kind not in (BlockKind.ITEM, BlockKind.ROW):
        return []
    for at in range(bisect_left(body.code, (span.start,)), len(body.code)):
        code = body.code[at]
        if code.start >= span.end:
            break
        path = _CODE_PATH.match(code.of(text))
        lead = _LEAD.match(text, span.start)
        at_start = lead is not None and lead.end() == code.start
        in_cell = block.kind is BlockKind.ROW and text[span.start : code.start].rstrip(" *_").endswith("|")
        if path and (at_start or in_cell):
            target = Span(code.start + path.start(1), code.start + path.end(1))
            return [Link(LinkKind.CODE, path.group(1), None, number, *code, *target, *((target.end,) * 4))]
    return []


def _entries(text: str, span: Span, links: list[Link]) -> list[IndexEntry]:
    """The links of one block that are entries: the first, and those joined to it by nothing but a joiner."""
    joined: list[Link] = []
    for link in links:
        if link.kind is LinkKind.IMAGE:
            continue
        if joined and not _JOINER.match(text[joined[-1].end : link.start]):
            break
        joined.append(link)
    found = []
    if text.endswith("|", span.start, span.end):  # a table's row
        span = Span(span.start, span.start + len(span.of(text).rstrip("| \t")))
    for number, link in enumerate(joined):
        is_last = number + 1 == len(joined)
        separator = _SEPARATOR.match(text, link.end, span.end) if is_last else None
        start = separator.end() if separator else span.end if is_last else link.end
        description = Span(start, max(start, span.end)) if is_last else Span(start, start)
        path = "" if link.kind is LinkKind.WIKI else _normal(link.target)
        found.append(IndexEntry(link, path, span, separator.group(1) if separator else "", description))
    return found


# Lines that begin a new block whatever stands before them, outside fences and HTML: a bullet with
# text (it may interrupt a paragraph) and an ATX heading.
_BLOCK_LINE = re.compile(r"[-*+] \S|#{1,6} ")
_BLOCK_LINE_LENGTH = 8
_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})")
_CHUNK_CHARACTERS = 2_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")


def _read_chunks(text: str, start: int, end: int) -> tuple[list[Chunk], list[int], bool]:
    """The chunks from ``start`` to ``end``, where each begins, and whether the last leaves nothing open."""
    if may_define(text, start, end):
        # A link definition holds for the whole text, so the text is one chunk.
        return ([Chunk.parse(text[start:end])], [start], False) if start < end else ([], [], True)
    starts, closed = _split(text, start, end)
    edges = [*starts, end]
    return [Chunk.parse(text[a:b]) for a, b in pairwise(edges)], starts, closed


def _split(text: str, start: int, end: int) -> tuple[list[int], bool]:
    """Where chunks may begin between ``start`` and ``end``, and whether no fence or HTML is open at the end."""
    if start >= end:
        return [], True
    starts = [start]
    fence = html_end = ""
    at = start + text.startswith("\ufeff", start)
    while at < end:
        line_match = _LINE.match(text, at, end)
        line = line_match.group() if line_match else text[at:end]
        if fence:
            closing = _FENCE.match(line)
            if closing and closing.group(2).startswith(fence) and not line[closing.end() :].strip(" \t\r\n"):
                fence = ""
        elif html_end:
            if html_end in line if html_end != "\n" else not line.strip(" \t\r\n"):
                html_end = ""
            elif html_end == "\n" and (_FENCE.match(line) or _html_end(line) not in ("", "\n")):
                # What a tag opens depends on what stands around it, and with it whether this opens something.
                return starts, False
        elif (opening := _FENCE.match(line)) is not None:
            if opening.group(1):
                # It may belong to a list item, and then its end is not where it seems: split no further.
                return starts, False
            fence = opening.group(2)
        elif line.lstrip(" \t").startswith("<"):
            html_end = _html_end(line)
            if line[0] != "<" and html_end not in ("", "\n"):
                return starts, False  # as with a fence
        elif at - starts[-1] >= _CHUNK_CHARACTERS and _BLOCK_LINE.match(line):
            starts.append(at)
        at += len(line)
    return starts, not fence and not html_end


def _html_end(line: str) -> str:
    """What ends the HTML block that ``line`` opens (CommonMark 0.31, 4.6), or ``""`` when the line itself does."""
    opening = line.lstrip(" \t").lower()
    for begin, finish in (("<!--", "-->"), ("<?", "?>"), ("<![cdata[", "]]>"), ("<!", ">")):
        if opening.startswith(begin):
            return "" if finish in opening else finish
    for tag in ("pre", "script", "style", "textarea"):
        if opening.startswith(f"<{tag}"):
            return "" if f"</{tag}>" in opening else f"</{tag}>"
    return "\n"


def _kept(text: str, start: int, previous: IndexDocument, prefix: int, suffix: int) -> tuple[int, int, int] | None:
    """What of ``previous`` still holds for ``text``: ``chunks[:before]``, ``chunks[after:]``, and where the latter begin.

    ``prefix`` and ``suffix`` are how many characters the two share at their ends.
    """
    old = previous.source.text
    if start != previous.body_start or not previous.chunks or text[:start] != old[:start]:
        return None
    # The chunk before the edit is kept when the line that ends it is still the same block line.
    before = bisect_right(previous.starts, prefix - _BLOCK_LINE_LENGTH) - 1
    before = max(before, 0)
    after = next(
        # The line end before its first character must be the same too, or it begins no line any more.
        (number for number in range(before + 1, len(previous.starts)) if previous.starts[number] > len(old) - suffix),
        len(previous.starts),
    )
    shift = len(text) - len(old)
    region_end = previous.starts[after] + shift if after < len(previous.starts) else len(text)
    return before, after, region_end
