"""Completion: names in ``[[…]]``, frontmatter keys and types, and entries of the index."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from heapq import nsmallest
from itertools import islice

from lsprotocol import types

from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import summary
from memory_ls.directory.resolve import TargetKind, resolve_name
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.documents import body as markdown
from memory_ls.documents.body import Comment, LinkKind, is_external
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
# What stands behind the cursor in a link: the rest of a name, and its end or what follows the name.
_REST_OF_LINK = re.compile(r"[^\[\]|#\\\r\n]*(?:(?P<closing>\]\])|(?=(?:#|\\?\|)[^\[\]\r\n]*\]\]))")
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
    if _is_literal(place.document, offset):
        return None
    link = _OPEN_LINK.search(before)
    if link is not None:
        return _names(place, Span(start + link.start(1), offset), link.group(1), support)
    if isinstance(place.document, IndexDocument):
        entry = _ENTRY_START.match(before)
        if entry is not None and _CLOSING_ONLY.match(source.text, offset):
            return _entries(place, Span(start + entry.end(1), offset), entry.group(2), support)
    return None


def _is_literal(document: MemoryDocument | IndexDocument, offset: int) -> bool:
    """Whether what is typed at ``offset`` is code or a comment, where no link is a link."""
    comments = document.body.comments if isinstance(document, MemoryDocument) else document.comments
    if any(
        comment.span.start < offset < comment.span.end or _is_open(document, comment, offset) for comment in comments
    ):
        return True
    return document.in_code(offset) or document.in_code(offset - 1)


def _is_open(document: MemoryDocument | IndexDocument, comment: Comment, offset: int) -> bool:
    """Whether a comment that nobody has closed yet reaches to ``offset``."""
    return comment.span.end == offset and not comment.span.of(document.source.text).endswith("-->")


def _replace_by(item: types.CompletionItem, replaced: types.Range, text: str, support: ClientSupport) -> None:
    """Makes ``text`` what the item puts in place of ``replaced``.

    Neovim inserts of a plain text only what stands before its first space, and all of a snippet.
    """
    if support.snippets and any(map(str.isspace, text)):
        item.insert_text_format = types.InsertTextFormat.Snippet
        text = _SNIPPET_SIGN.sub(_ESCAPED, text)
    item.text_edit = types.TextEdit(replaced, text)


# ---- names


def _names(place: Place, span: Span, typed: str, support: ClientSupport) -> types.CompletionList:
    directory = place.directory
    found, more = _best(directory, typed, lambda key: key != place.key)
    source = place.document.source
    rest = _REST_OF_LINK.match(source.text, span.end)
    end = rest.end() if rest else _behind_closing(source.text, span.end)
    closing = "" if rest and not rest["closing"] else "]]"
    replaced = convert.to_range(source, Span(span.start, end), support.encoding)
    items = []
    for number, key in enumerate(found):
        target = link_text(directory, key, place.style)
        if target is None:
            continue
        item = _item(directory, key, target, number, support)
        item.kind = types.CompletionItemKind.Reference
        if not target.startswith(typed):
            # The editor filters by this text, and would drop what was found by another spelling or its description;
            # for the same reason it must ask again when more is typed.
            item.filter_text = f"{typed} {target}"
            more = True
        _replace_by(item, replaced, f"{target}{closing}", support)
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


def link_text(directory: MemoryDirectory, key: str, style: Style) -> str | None:
    """The name, stem or path, as the directory links, by which a link finds just this memory; ``None`` if none does."""
    name, stem, path = directory.documents[key].name, stem_of(key), key.removesuffix(".md")
    both = (stem, name) if style.by_stem else (name, stem)
    return next((text for text in (*both, path, f"./{path}") if text and _finds(directory, text, key)), None)


_PLAIN_NAME = re.compile(r"[\w./-]+(?: [\w./-]+)*\Z")


def _finds(directory: MemoryDirectory, text: str, key: str) -> bool:
    """Whether ``[[text]]`` is a link, and means the memory ``key`` and no other."""
    target = resolve_name(directory, text)
    if target.keys != (key,) or target.kind is not TargetKind.MEMORY:
        return False
    if _PLAIN_NAME.match(text):
        return True
    # A title may hold what markdown takes for something else.
    links = markdown.read(f"- [[{text}]]").links
    return [(link.kind, link.target, link.anchor, link.label_start) for link in links] == [
        (LinkKind.WIKI, text, None, len(text) + 4)
    ]


def _best(directory: MemoryDirectory, typed: str, fits: Callable[[str], bool]) -> tuple[list[str], bool]:
    """Of the memories that fit, those that what was typed means best, and whether there are more."""
    wanted = fold(typed.strip())
    found: Iterator[str]
    if wanted:
        ranks = _ranks(directory, wanted)
        best = nsmallest(MOST_ITEMS + 1, filter(fits, ranks), key=lambda key: (ranks[key], key))
        found = iter(best or filter(fits, _found_otherwise(directory, typed.strip())))
    else:
        found = filter(fits, directory.sorted_keys)
    keys = list(islice(found, MOST_ITEMS + 1))
    return keys[:MOST_ITEMS], len(keys) > MOST_ITEMS


def _ranks(directory: MemoryDirectory, wanted: str) -> dict[str, tuple[int, int, str]]:
    """How well each memory whose name or stem holds the folded text fits, the smallest best."""
    ranks: dict[str, tuple[int, int, str]] = {}
    for table in (directory.names.by_folded_name, directory.names.by_folded_stem):
        for name in [name for name in table if wanted in name]:
            at = name.index(wanted)
            rank = (0 if at == 0 else 1 if name[at - 1] == "-" else 2, len(name), name)
            for key in table[name]:
                if rank < ranks.get(key, (9, 0, "")):
                    ranks[key] = rank
    return ranks


def _found_otherwise(directory: MemoryDirectory, typed: str) -> Iterator[str]:
    """Memories whose name is close to what was typed, and those whose description holds it."""
    close = directory.names.closest(typed)
    if close:
        yield close
    wanted = typed.lower()
    for key in directory.sorted_keys:
        description = directory.documents[key].description
        if key != close and description and wanted in description.lower():
            yield key


_CLOSING = re.compile(r"\]{1,2}")
_CLOSING_ONLY = re.compile(r"\]{0,2}[ \t]*(?:[\r\n]|\Z)")


def _behind_closing(text: str, end: int) -> int:
    """The place behind the brackets that the editor closed by itself."""
    closing = _CLOSING.match(text, end)
    return closing.end() if closing else end


# ---- frontmatter


def _is_in_frontmatter(place: Place, offset: int) -> bool:
    block = place.document.frontmatter
    if isinstance(place.document, IndexDocument):
        return False
    if block is not None and block.closed:
        return block.yaml_span.start <= offset < block.yaml_span.end
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
        _replace_by(item, replaced, text if key == "metadata" else f"{text}{colon}", support)
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
        # A kind of the oldest set, which every client knows.
        item = types.CompletionItem(label=kind, kind=types.CompletionItemKind.Value, sort_text=f"{number:03}")
        _replace_by(item, replaced, f" {kind}" if needs_space else kind, support)
        yield item


# ---- entries of the index


def _entries(place: Place, span: Span, typed: str, support: ClientSupport) -> types.CompletionList | None:
    directory = place.directory
    index = place.document
    assert isinstance(index, IndexDocument)
    source = index.source
    found, more = _best(directory, typed, lambda key: not is_listed(directory, key))
    end = _behind_closing(source.text, span.end)
    replaced = convert.to_range(source, Span(span.start, end), support.encoding)
    typed_all = span.of(source.text)
    items = []
    for number, key in enumerate(found):
        text = entry_text(directory, key, place.style)
        if text is None:
            continue
        item = _item(directory, key, _one_line(summary(key, directory.documents[key]).name), number, support)
        item.kind = types.CompletionItemKind.File
        item.filter_text = f"{typed_all}{item.label}"
        _replace_by(item, replaced, text, support)
        item.data = {"uri": place.uri, "key": key}
        items.append(item)
    # What is typed next is no part of the texts that the editor filters by, so it must ask again.
    return types.CompletionList(is_incomplete=more or bool(typed), items=items) if items or more else None


def entry_text(directory: MemoryDirectory, key: str, style: Style) -> str | None:
    """The entry for a memory as this index writes them, without the bullet."""
    item = summary(key, directory.documents[key])
    description = f"{style.separator}{_one_line(item.description)}" if item.description.strip() else ""
    if style.is_wiki:
        target = link_text(directory, key, style)
        if target is not None and is_external(target):  # a title like `Note: x` is no entry
            target = link_text(directory, key, replace(style, by_stem=True))
        return f"[[{target}]]{description}" if target is not None and not is_external(target) else None
    label = {"name": item.name, "stem": stem_of(key)}.get(style.label, key.rpartition("/")[2])
    path = _NOT_IN_PATH.sub(lambda match: f"%{ord(match.group()):02X}", key)
    dot = "./" if style.dot_slash or key.startswith("~") or is_external(key) else ""
    return f"[{_IN_LABEL.sub(_ESCAPED, _one_line(label))}]({dot}{path}){description}"


# What means something in a snippet (LSP 3.17, "Snippet Syntax").
_SNIPPET_SIGN = re.compile(r"[\\$}]")
_IN_LABEL = re.compile(r"[\[\]\\`<]")
_ESCAPED = r"\\\g<0>"
# What would end a path, begin an anchor or a query, or mean another character.
_NOT_IN_PATH = re.compile(r"[\x00-\x20()<>%#?\\:&]")


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
