"""Frontmatter: the keys that are missing, and the values of those that have few."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from lsprotocol import types

from memory_ls.documents.memory import CREATED_KEYS, UPDATED_KEYS, Dialect
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.about import KEY_TEXTS, TYPE_TEXTS
from memory_ls.server.features.completion.offer import Offer, documentation
from memory_ls.server.session import Place
from memory_ls.text import SourceText, Span

_VALUE = re.compile(r"([ \t]*)([\w-]+):[ \t]*[\"']?([\w-]*)\Z")
_KEY_START = re.compile(r"([ \t]*)([\w-]*)\Z")
_REST_OF_WORD = re.compile(r"[\w-]*")
_REST_OF_VALUE = re.compile(r"[^\s#\"']*")
_REST_OF_LINE_IS_BLANK = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_ENDS_BLOCK = re.compile(r"\n---|\n[ \t]*\r?\n|\r[ \t]*\r")
_DATES = frozenset(path.rpartition(".")[2] for path in (*CREATED_KEYS, *UPDATED_KEYS))


def is_in_frontmatter(place: Place, offset: int) -> bool:
    """Whether a key or a value of frontmatter may be typed at ``offset``."""
    block = place.document.frontmatter
    if block is not None and block.closed:
        return block.yaml_span.start <= offset < block.yaml_span.end
    text = place.document.source.text
    # A block that is being typed has no end yet, and its keys may be no YAML.
    return text.lstrip("\ufeff").startswith("---") and offset > 3 and not _ENDS_BLOCK.search(text, 3, offset)


def complete_frontmatter(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """Values behind a key, else the keys that are not there yet."""
    source = place.document.source
    line = source.line_of(offset)
    before = source.text[source.line_starts[line] : offset]
    match = _VALUE.match(before) or _KEY_START.match(before)
    if match is None:
        return None
    is_inside = bool(match.group(1))
    if is_inside and not _is_in_metadata(source, line):
        return None
    typed = Span(offset - len(match[match.re.groups]), offset)
    if match.re is _VALUE:
        return _values(place, match.group(2), typed, support)
    return _keys(place, typed, support, is_inside=is_inside)


def _is_in_metadata(source: SourceText, line: int) -> bool:
    """Whether an indented line belongs to ``metadata``."""
    for number in range(line - 1, -1, -1):
        above = source.line_span(number).of(source.text)
        if above.strip() and not above.startswith((" ", "\t", "#")):
            return above.partition(":")[0].rstrip() == "metadata"
    return False


def _values(place: Place, key: str, typed: Span, support: ClientSupport) -> types.CompletionList | None:
    text = place.document.source.text
    rest = _REST_OF_VALUE.match(text, typed.end)
    offer = Offer(place, Span(typed.start, rest.end() if rest else typed.end), typed.end, support)
    space = " " if text[typed.start - 1] == ":" else ""
    for value, meaning in _values_of(key):
        item = offer.add(value, f"{space}{value}", types.CompletionItemKind.Value)
        item.documentation = documentation(meaning, support)
    return offer.result()


def _values_of(key: str) -> Iterator[tuple[str, str]]:
    if key == "type":
        yield from TYPE_TEXTS.items()
    elif key == "status":
        yield "stale", KEY_TEXTS["status"]
    elif key in _DATES:
        yield date.today().isoformat(), "Today."


def _keys(place: Place, typed: Span, support: ClientSupport, *, is_inside: bool) -> types.CompletionList | None:
    block, text = place.document.frontmatter, place.document.source.text
    rest = _REST_OF_WORD.match(text, typed.end)
    end = rest.end() if rest else typed.end
    # The key at the cursor is being renamed, and counts as absent.
    present = {path for path, key in block.walk() if key.start != typed.start} if block else set()
    colon = "" if text.startswith(":", end) else ": "
    stands_alone = _REST_OF_LINE_IS_BLANK.match(text, end) is not None
    offer = Offer(place, Span(typed.start, end), typed.end, support)
    missing = _missing_inside(place, present) if is_inside else _missing(place, present, stands_alone)
    for key in missing:
        inserted = "metadata:\n  type: " if key == "metadata" else f"{key}{colon}"
        item = offer.add(key, inserted, types.CompletionItemKind.Property)
        item.documentation = documentation(KEY_TEXTS[key], support)
    return offer.result()


def _missing_inside(place: Place, present: set[str]) -> Iterator[str]:
    """The keys of ``metadata`` that are not there yet."""
    dates = [path.rpartition(".")[2] for path in place.style.date_keys] or ["createdAt", "updatedAt"]
    for key in ("type", *dates):
        if f"metadata.{key}" not in present:
            yield key


def _missing(place: Place, present: set[str], stands_alone: bool) -> Iterator[str]:
    """The keys at the top level that are not there yet."""
    has_metadata, dialect = "metadata" in present, place.style.dialect
    for key in ("name", "description"):
        if key not in present:
            yield key
    if not has_metadata and "type" not in present and dialect in (Dialect.NESTED, Dialect.NONE):
        if stands_alone:
            yield "metadata"
    elif not has_metadata:
        if "type" not in present:
            yield "type"
        for path in place.style.date_keys:
            if "." not in path and path not in present:
                yield path
