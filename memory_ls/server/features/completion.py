"""Completion: names in ``[[…]]``, frontmatter keys and types, and entries of the index."""

from __future__ import annotations

import re
from collections.abc import Iterator
from heapq import nsmallest

from lsprotocol import types

from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import summary
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, fold, stem_of
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.hover import KEY_TEXTS, memory_text, plain
from memory_ls.server.session import Place
from memory_ls.text import Span

# A list of this length reaches the user at once; a longer one costs more to send than to ask for again.
MOST_ITEMS = 50
_OPEN_LINK = re.compile(r"\[\[([^\[\]|#\r\n]*)\Z")
_ENTRY_START = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[?([^\[\]()]*)\Z")
_TYPE_VALUE = re.compile(r"(\s*)type:[ \t]*([\w-]*)\Z")
_KEY_START = re.compile(r"([ \t]*)([\w-]*)\Z")


def complete(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """The items that fit at ``offset``, the best first."""
    source = place.document.source
    line = source.line_of(offset)
    start = source.line_starts[line]
    before = source.text[start:offset]
    if _is_in_frontmatter(place, offset):
        items = list(_in_frontmatter(place, offset, before, support))
        return types.CompletionList(is_incomplete=False, items=items) if items else None
    link = _OPEN_LINK.search(before)
    if link is not None:
        if place.document.in_code(offset) or place.document.in_code(offset - 1):
            return None
        return _names(place, Span(start + link.start(1), offset), link.group(1), support)
    if isinstance(place.document, IndexDocument):
        entry = _ENTRY_START.match(before)
        if entry is not None and not place.document.in_code(offset):
            return _entries(place, Span(start + entry.end(1), offset), entry.group(2), support)
    return None


# ---- names


def _names(place: Place, span: Span, typed: str, support: ClientSupport) -> types.CompletionList:
    directory = place.directory
    found, more = _best(directory, typed, place.key)
    source = place.document.source
    end = _behind_closing(source.text, span.end)
    replaced = convert.to_range(source, Span(span.start, end), support.encoding)
    items = []
    for number, key in enumerate(found):
        target = _link_text(directory, key, place.style)
        item = _item(directory, key, target, number, support)
        item.kind = types.CompletionItemKind.Reference
        # The editor filters by this text, and would drop what was found by its description.
        item.filter_text = target if target.startswith(typed) else f"{typed} {target}"
        item.text_edit = types.TextEdit(replaced, f"{target}]]")
        item.data = {"uri": place.uri, "key": key}
        items.append(item)
    return types.CompletionList(is_incomplete=more, items=items)


def _item(
    directory: MemoryDirectory, key: str, label: str, number: int, support: ClientSupport
) -> types.CompletionItem:
    item = summary(key, directory.documents[key])
    completion = types.CompletionItem(label=label, sort_text=f"{number:03}")
    completion.detail = item.type
    if support.label_details:
        completion.label_details = types.CompletionItemLabelDetails(description=_short(item.description) or None)
    return completion


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


def _link_text(directory: MemoryDirectory, key: str, style: Style) -> str:
    """The name or stem, as the directory links, by which a link finds just this memory."""
    name, stem = directory.documents[key].name, stem_of(key)
    both = (stem, name) if style.by_stem else (name, stem)
    names = directory.names
    for text in both:
        if text and not set(text) & set("[]|#\n") and (names.by_name.get(text) or names.by_stem.get(text)) == (key,):
            return text
    return key[: -len(".md")]


def _best(directory: MemoryDirectory, typed: str, excluded: str = "") -> tuple[list[str], bool]:
    """The keys of the memories that what was typed means best, and whether there are more."""
    wanted = fold(typed.strip())
    if not wanted:
        keys = [key for key in directory.sorted_keys[: MOST_ITEMS + 2] if key != excluded]
        return keys[:MOST_ITEMS], len(keys) > MOST_ITEMS
    ranks: dict[str, tuple[int, int, str]] = {}
    for table in (directory.names.by_folded_name, directory.names.by_folded_stem):
        for name in [name for name in table if wanted in name]:
            at = name.index(wanted)
            rank = (0 if at == 0 else 1 if name[at - 1] == "-" else 2, len(name), name)
            for key in table[name]:
                if rank < ranks.get(key, (9, 0, "")):
                    ranks[key] = rank
    ranks.pop(excluded, None)
    best = nsmallest(MOST_ITEMS, ranks, key=lambda key: (ranks[key], key))
    if not best:
        best = [key for key in _found_otherwise(directory, typed.strip()) if key != excluded]
    return best, len(ranks) > MOST_ITEMS


def _found_otherwise(directory: MemoryDirectory, typed: str) -> list[str]:
    """Memories whose name is close to what was typed, and those whose description holds it."""
    close = directory.names.closest(typed)
    found = {close: None} if close else {}
    wanted = typed.lower()
    for key in directory.sorted_keys:
        description = directory.documents[key].description
        if description and wanted in description.lower():
            found[key] = None
            if len(found) >= MOST_ITEMS:
                break
    return list(found)


def _behind_closing(text: str, end: int) -> int:
    """The place behind the brackets that the editor closed by itself."""
    closing = re.compile(r"\]{1,2}").match(text, end)
    return closing.end() if closing else end


# ---- frontmatter


def _is_in_frontmatter(place: Place, offset: int) -> bool:
    block = place.document.frontmatter
    if isinstance(place.document, IndexDocument):
        return False
    if block is not None and block.closed:
        return block.yaml_span.start <= offset <= block.yaml_span.end
    text = place.document.source.text
    # A block that is being typed has no end yet, and its keys may be no YAML.
    return (
        text.lstrip("\ufeff").startswith("---") and offset > 3 and not re.search(r"\n---|\n[ \t]*\r?\n", text[3:offset])
    )


def _in_frontmatter(place: Place, offset: int, before: str, support: ClientSupport) -> Iterator[types.CompletionItem]:
    assert isinstance(place.document, MemoryDocument)
    value = _TYPE_VALUE.match(before)
    if value is not None:
        yield from _type_items(place, Span(offset - len(value.group(2)), offset), support)
        return
    start = _KEY_START.match(before)
    if start is None:
        return
    indented = bool(start.group(1))
    block = place.document.frontmatter
    typed = start.group(2)
    replaced = convert.to_range(place.document.source, Span(offset - len(typed), offset), support.encoding)
    colon = "" if place.document.source.text[offset : offset + 1] == ":" else ": "
    present = {path for path, _ in block.walk()} if block else set()
    for number, (key, text) in enumerate(_missing_keys(place, present, indented)):
        item = types.CompletionItem(label=key, kind=types.CompletionItemKind.Property, sort_text=f"{number:03}")
        item.documentation = _documentation(KEY_TEXTS[key], support)
        item.text_edit = types.TextEdit(replaced, text if key == "metadata" else f"{text}{colon}")
        yield item


def _missing_keys(place: Place, present: set[str], indented: bool) -> Iterator[tuple[str, str]]:
    """The keys that are not there yet, each with what is inserted for it."""
    has_nested = "metadata" in present
    nested = has_nested or ("type" not in present and place.style.dialect is Dialect.NESTED)
    if indented:
        if has_nested:
            for key in ("type", "createdAt", "updatedAt"):
                if f"metadata.{key}" not in present:
                    yield key, key
        return
    for key in ("name", "description"):
        if key not in present:
            yield key, key
    if nested and not has_nested:
        yield "metadata", "metadata:\n  type: "
    elif not nested and "type" not in present:
        yield "type", "type"


def _type_items(place: Place, span: Span, support: ClientSupport) -> Iterator[types.CompletionItem]:
    replaced = convert.to_range(place.document.source, span, support.encoding)
    needs_space = place.document.source.text[span.start - 1 : span.start] == ":"
    for number, kind in enumerate(MEMORY_TYPES):
        item = types.CompletionItem(label=kind, kind=types.CompletionItemKind.EnumMember, sort_text=f"{number:03}")
        item.text_edit = types.TextEdit(replaced, f" {kind}" if needs_space else kind)
        yield item


# ---- entries of the index


def _entries(place: Place, span: Span, typed: str, support: ClientSupport) -> types.CompletionList | None:
    directory = place.directory
    index = place.document
    assert isinstance(index, IndexDocument)
    source = index.source
    found, more = _best(directory, typed)
    end = _behind_closing(source.text, span.end)
    replaced = convert.to_range(source, Span(span.start, end), support.encoding)
    typed_all = span.of(source.text)
    items = []
    for number, key in enumerate(found):
        if is_listed(directory, key):
            continue
        text = entry_text(directory, key, place.style)
        item = _item(directory, key, summary(key, directory.documents[key]).name, number, support)
        item.kind = types.CompletionItemKind.File
        item.filter_text = f"{typed_all}{item.label}"
        item.text_edit = types.TextEdit(replaced, text)
        item.data = {"uri": place.uri, "key": key}
        items.append(item)
    return types.CompletionList(is_incomplete=more, items=items) if items or more else None


def entry_text(directory: MemoryDirectory, key: str, style: Style) -> str:
    """The entry for a memory as this index writes them, without the bullet."""
    item = summary(key, directory.documents[key])
    label = item.name if style.label == "name" else key
    path = re.sub(r"[ ()<>]", lambda match: f"%{ord(match.group()):02X}", key)
    description = f"{style.separator}{item.description}" if item.description else ""
    escaped = re.sub(r"([\[\]])", r"\\\1", label)
    return f"[{escaped}]({'./' if style.dot_slash else ''}{path}){description}"


# ---- resolve


def resolve(place: Place, item: types.CompletionItem, support: ClientSupport) -> types.CompletionItem:
    """The item with its memory's text."""
    key = item.data.get("key") if isinstance(item.data, dict) else None
    document = place.directory.documents.get(key) if isinstance(key, str) else None
    if document is not None and isinstance(key, str):
        item.documentation = _documentation(memory_text(key, document), support)
    return item


def _documentation(text: str, support: ClientSupport) -> types.MarkupContent:
    if support.markdown_documentation:
        return types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.MarkupContent(types.MarkupKind.PlainText, plain(text))
