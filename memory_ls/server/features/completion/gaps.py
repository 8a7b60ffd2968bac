"""Which part of a link is being typed: from the text around the cursor, which is no link yet."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple
from urllib.parse import unquote

from memory_ls.documents import body as markdown
from memory_ls.documents.body import Link, is_external
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.text import Span


class Gap(NamedTuple):
    """The part of a link that is being typed.

    ``span`` is what an item replaces: what is typed before the cursor, the rest of it behind the cursor, and the
    brackets that the editor may have closed by itself. ``closing`` is what an item has to end with for a whole link,
    ``target`` what stands before the ``#`` when an anchor is typed, ``in_angles`` whether a path is in ``<…>``.
    """

    span: Span
    cursor: int
    closing: str
    target: str | None = None
    in_angles: bool = False

    def typed(self, text: str) -> str:
        """What stands before the cursor."""
        return text[self.span.start : self.cursor]

    def without_brackets_behind(self, text: str) -> Gap:
        """The same for a client that leaves what stands behind the cursor: an item need not write it once more."""
        behind = text[self.cursor : self.span.end]
        if not behind or not self.closing.endswith(behind):
            return self
        closing = self.closing.removesuffix(behind)
        return self._replace(span=Span(self.span.start, self.cursor), closing=closing)


def link_with(document: MemoryDocument | IndexDocument, span: Span, text: str) -> Link | None:
    """The link that ``text`` in place of ``span`` would be the target or the anchor of; ``None`` if of none."""
    if isinstance(document, IndexDocument):
        number = max(bisect_right(document.starts, span.start) - 1, 0)
        start = document.starts[number] if document.starts else document.body_start
        end = start + len(document.chunks[number].text) if document.starts else len(document.source.text)
    else:
        start, end = document.body_start, len(document.source.text)
    whole = document.source.text
    changed = whole[start : span.start] + text + whole[span.end : max(end, span.end)]
    at = span.start - start + text.startswith("<")
    found = (link for link in markdown.read(changed).links if at in (link.target_start, link.anchor_start))
    link = next(found, None)
    return link.shifted(start) if link is not None else None


# ---- [[names]]

_OPEN_WIKI = re.compile(r"\[\[[ \t]*([^\[\]|#\r\n]*)(?:#[ \t]*([^\[\]|\r\n]*))?\Z")
# What stands behind the cursor in a link: the rest of a name or an anchor, and its end or what follows it.
_REST_OF_NAME = re.compile(r"[^\[\]|#\\\r\n]*(?:(?P<closing>\]\])|(?=(?:#|\\?\|)[^\[\]\r\n]*\]\]))")
_REST_OF_ANCHOR = re.compile(r"[^\[\]|\\\r\n]*(?:(?P<closing>\]\])|(?=\\?\|[^\[\]\r\n]*\]\]))")
_CLOSING = re.compile(r"\]{1,2}")


def wiki_gap(text: str, line_start: int, offset: int) -> Gap | None:
    """The name or the anchor that is typed at ``offset``, in a ``[[`` on its line."""
    opening = text.rfind("[[", line_start, offset)
    opened = _OPEN_WIKI.match(text, opening, offset) if opening >= 0 else None
    if opened is None:
        return None
    in_anchor = opened.group(2) is not None
    rest = (_REST_OF_ANCHOR if in_anchor else _REST_OF_NAME).match(text, offset)
    end = rest.end() if rest else behind_closing(text, offset)
    closing = "" if rest and not rest["closing"] else "]]"
    span = Span(opened.start(2) if in_anchor else opened.start(1), end)
    return Gap(span, offset, closing, " ".join(opened.group(1).split()) if in_anchor else None)


def behind_closing(text: str, end: int) -> int:
    """The place behind the brackets that the editor closed by itself."""
    closing = _CLOSING.match(text, end)
    return closing.end() if closing else end


# ---- paths

_OPEN_DEFINITION = re.compile(r"[ \t>]*\[(?:[^\\\[\]\r\n]|\\[^\r\n])++\]:")
_BLANKS = re.compile(r"[ \t]*")
# A destination that nothing has ended yet; brackets in it come in pairs.
_TYPED_PATH = re.compile(r"<[^<>\r\n]*\Z|[^\s()<>]*+(?:\([^\s()<>]*+\)[^\s()<>]*+)*+(?:\([^\s()<>]*+)?\Z")
_REST_OF_PATH = re.compile(
    r"[^\s()<>#?\"']*+(?:(?P<closing>\))|(?=[#?][^\s()<>]*+\)|(?:#[^\s()<>]*+)?[ \t]+[\"'][^\r\n]*\)))"
)
_REST_IN_ANGLES = re.compile(r"[^<>\r\n#?]*+(?:>(?P<closing>\)?)|(?=[#?][^<>\r\n]*+>))")
_REST_OF_PATH_ANCHOR = re.compile(r"[^\s()<>\"']*+(?:(?P<closing>\))|(?=[ \t]+[\"'][^\r\n]*\)))")
_REST_OF_DEFINITION = re.compile(r"[^\s<>#?]*+")


def path_gap(text: str, line_start: int, offset: int) -> Gap | None:
    """The path or the anchor that is typed at ``offset``, behind a ``](`` or a ``[ref]:`` on its line."""
    opening = text.rfind("](", line_start, offset)
    is_definition = opening < 0
    if is_definition:
        opened = _OPEN_DEFINITION.match(text, line_start, offset)
        opening = opened.end() - 2 if opened is not None else -1
    if opening < 0:
        return None
    blanks = _BLANKS.match(text, opening + 2, offset)
    start = blanks.end() if blanks else offset
    typed = text[start:offset]
    if not _TYPED_PATH.match(typed) or is_external(typed.lstrip("<")):
        return None
    in_angles = typed.startswith("<")
    path, hash_sign, _ = typed.partition("#")
    if "?" in path:
        return None
    end, closing = _rest_of_path(text, offset, in_angles, bool(hash_sign), is_definition)
    if hash_sign:
        return Gap(Span(start + len(path) + 1, end), offset, closing, decoded(path), in_angles)
    return Gap(Span(start, end), offset, closing, None, in_angles)


def _rest_of_path(text: str, offset: int, in_angles: bool, in_anchor: bool, is_definition: bool) -> tuple[int, str]:
    """Where the rest of what is typed ends, behind the brackets that close it, and what has to close it."""
    end_sign = "" if is_definition else ")"
    if in_angles:
        rest = _REST_IN_ANGLES.match(text, offset)
        if rest is None:
            return offset, f">{end_sign}"
        if rest["closing"] is None:  # an anchor follows
            return rest.end(), ""
        return (rest.end() - len(rest["closing"]) if is_definition else rest.end()), f">{end_sign}"
    if is_definition:
        definition = _REST_OF_DEFINITION.match(text, offset)
        return (definition.end() if definition else offset), ""
    rest = (_REST_OF_PATH_ANCHOR if in_anchor else _REST_OF_PATH).match(text, offset)
    if rest is None:
        return offset, end_sign
    return rest.end(), end_sign if rest["closing"] else ""


_BACKSLASHED = re.compile(r"\\([!-/:-@\[-`{-~])")


def decoded(path: str) -> str:
    """The beginning of a path in a link as it is meant."""
    return unquote(_BACKSLASHED.sub(r"\1", path.removeprefix("<")))
