"""Fixes of the frontmatter block: its YAML, its keys, their values.

Each is read again before it is handed out: when any other value moved, it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from memory_ls.directory.backlinks import Point, links_to_points
from memory_ls.directory.resolve import resolve
from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.frontmatter import Frontmatter, Key, ValueKind
from memory_ls.documents.frontmatter_edits import quote_value, remove_key
from memory_ls.documents.memory import METADATA_KEYS, MemoryDocument
from memory_ls.rules.fixes.fix import Fix, edit_fix, line_end_of, memory_of
from memory_ls.rules.fixes.keys import instead_of_value, is_writable
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.text import Span

# What may stand behind a value on its line.
_REST = re.compile(r"[ \t]*(?:\r\n|\n|\r|\Z)")
_REST_WITH_COMMENT = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?:\r\n|\n|\r|\Z)")
_LINE_ENDS = re.compile(r"\r\n|\n|\r")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_TEXT_KEYS = ("name", "description", "type")
_OUR_KEY = re.compile(rf"[ \t]*(?:{'|'.join(sorted({*_TEXT_KEYS, *METADATA_KEYS}))}):(?:[ \t]|\Z)")


def unclosed(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The line that closes the block, behind the last key."""
    at = finding.data["insert_at"]
    assert isinstance(at, int)

    def edits() -> list[Edit]:
        document = memory_of(context, key)
        text = document.source.text
        end = line_end_of(text)
        lead = "" if text[at - 1 : at] in ("\n", "\r") else end
        return _verified(document, [Edit(at, at, f"{lead}---{end}")])

    title = "Close the frontmatter behind the last key"
    yield edit_fix(context, key, title, edits, safe=bool(finding.data["blank_follows"]))


# ---- values


def invalid(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The value in quotes; a tab as spaces; the space that is missing behind a colon."""
    document = memory_of(context, key)
    assert document.frontmatter is not None
    if finding.data["tab"]:
        yield edit_fix(context, key, "Indent with spaces", lambda: _untabbed(document), safe=True)
        return
    if finding.data["key"] is None:
        yield from _missing_space(context, key, finding)
        return
    value = next((each for _, each in document.frontmatter.walk() if each.value_span == finding.span), None)
    if value is not None and _is_one_value(document, value):
        # A list that is not closed is one all the same, and quotes would make a text of it.
        safe = value.name in _TEXT_KEYS or value.value[:1] not in ("[", "{")
        yield _in_quotes(context, key, value, safe=safe)


def _is_one_value(document: MemoryDocument, key: Key) -> bool:
    """Whether what stands behind a key is its value to the eye too: on its line, or further in than the key.

    A line further in that begins with a key of ours has lost the one that it belongs to, and is no part of the value.
    """
    text, source = document.source.text, document.source
    depth = key.start - source.line_span(source.line_of(key.start)).start
    lines = _LINE_ENDS.split(text[key.end : key.value_end])[1:]
    if any(_OUR_KEY.match(line) for line in lines):
        return False
    return all(len(line) - len(line.lstrip(" ")) > depth for line in lines if line.strip())


def value_cut(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The whole value in quotes; of a name unasked only where no link looks for what is left of it."""
    value = _text_key(context, key, finding)
    if value is not None:
        yield _in_quotes(context, key, value, safe=value.name != "name" or _keeps_links(context, key, value))


def _keeps_links(context: Context, key: str, name: Key) -> bool:
    """Whether every link to the memory still finds it when its name is put in quotes."""
    directory, document = context.directory, memory_of(context, key)
    try:
        text = applied(document.source.text, quote_value(document, name))
    except CannotEditError:
        return False
    after = directory.with_document(key, text)
    links = links_to_points(directory, [Point(key)])
    return all(resolve(after, source, link) == resolve(directory, source, link) for source, link in links)


def value_type(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The value in quotes, which make a text of a number, a date, a yes or no."""
    value = _text_key(context, key, finding)
    if value is None:
        return
    if value.name == "type" or value.kind is ValueKind.NULL:
        yield from instead_of_value(context, key, finding)  # quotes would make it no better
        return
    text = memory_of(context, key).source.text
    is_scalar = value.kind not in (ValueKind.LIST, ValueKind.MAPPING)
    if not is_scalar and _LINE_ENDS.search(text, value.end, value.value_end):
        return  # quotes make no text of several lines of keys or items
    # Whoever gave it a tag or an anchor wanted more than a text; a list may have been meant.
    yield _in_quotes(context, key, value, safe=value.value_span.of(text) == value.value)


def _text_key(context: Context, key: str, finding: Diagnostic) -> Key | None:
    document = memory_of(context, key)
    keys = {"name": document.name_key, "description": document.description_key, "type": document.type_key}
    return keys[str(finding.data["key"])]


def _in_quotes(context: Context, key: str, value: Key, *, safe: bool) -> Fix:
    document = memory_of(context, key)
    return edit_fix(context, key, "Put the value in quotes", lambda: quote_value(document, value), safe=safe)


# ---- lines


def _untabbed(document: MemoryDocument) -> list[Edit]:
    """Every line of the block that a tab indents, as far in as the line above that spaces indent, else by two spaces."""
    block = document.frontmatter
    assert block is not None
    text = document.source.text
    edits, above = [], ""
    for match in _LINE.finditer(text, block.yaml_span.start, block.yaml_span.end):
        line = match.group()
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if not line.strip():
            continue
        if "\t" not in indent:
            above = indent
            continue
        new = (above or "  ") if len(indent.expandtabs(4)) <= 4 else (above or "  ") * indent.count("\t")
        edits.append(Edit(match.start(), match.start() + len(indent), new))
    after = _read(document, edits)
    if any(value not in after.values for value in _Reading(document).leaves) or after.block.invalid:
        raise CannotEditError("It can't be told how far in these lines belong.")
    return edits


def _missing_space(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    document = memory_of(context, key)
    found = re.match(r"[ \t]*([A-Za-z_][\w-]*):(?=\S)", finding.span.of(document.source.text))
    if found is None:
        return
    at = finding.span.start + found.end()
    yield edit_fix(
        context,
        key,
        "Put a space behind the colon",
        lambda: _verified(document, [Edit(at, at, " ")], but=(found.group(1), f"metadata.{found.group(1)}")),
        safe=found.group(1) in (*_TEXT_KEYS, *METADATA_KEYS),
    )


def duplicate_key(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """One of the two values: either, when both are equal."""
    document = memory_of(context, key)
    found = _alike(document.frontmatter, finding.span) if document.frontmatter is not None else None
    if found is None or not is_writable(document):
        return
    path, keys = found
    this = next(other for other in keys if other.span == finding.span)

    if finding.data["same"]:
        rest = _REST.match(document.source.text, this.value_end)
        values = {other.value_span.of(document.source.text) for other in keys}
        # Of three the one between may count where the last goes.
        is_safe = rest is not None and len(values) == 1
        yield edit_fix(context, key, "Delete this one", lambda: _repeated(document, path, this), safe=is_safe)
        return
    for kept in (keys[0], this):
        value = " ".join(kept.value_span.of(document.source.text).split())
        which = "first" if kept is keys[0] else "second" if len(keys) == 2 else "other"
        title = f"Keep the {which} value, `{value[:40]}{'…' * (len(value) > 40)}`"
        gone = [other for other in keys if other is not kept]
        yield edit_fix(context, key, title, partial(_without, document, path, gone), is_choice=True)


def _repeated(document: MemoryDocument, path: str, key: Key) -> Sequence[Edit]:
    """A key goes that says what one before it says."""
    if not key.children:
        return remove_key(document, path, key)
    edits = [Edit(*_lines_of(document, key), "")]
    if set(_Reading(document).by_path) != set(_read(document, edits).by_path):
        raise CannotEditError("Another value would change.")
    return edits


def _without(document: MemoryDocument, path: str, keys: Iterable[Key]) -> list[Edit]:
    return [edit for each in keys for edit in remove_key(document, path, each)]


def _alike(block: Frontmatter, span: Span) -> tuple[str, list[Key]] | None:
    """The keys that share the name of the one at ``span``, and their path."""
    levels = [("", block.keys), *((f"{key.name}.", key.children) for key in block.keys)]
    for prefix, keys in levels:
        name = next((key.name for key in keys if key.span == span), None)
        if name is not None:
            return f"{prefix}{name}", [key for key in keys if key.name == name]
    return None


def _lines_of(document: MemoryDocument, key: Key) -> Span:
    """The lines that a key and its value take, the end of the last among them.

    Raises:
        CannotEditError: something else stands on them.
    """
    text = document.source.text
    start = document.source.line_span(document.source.line_of(key.start)).start
    rest = _REST_WITH_COMMENT.match(text, key.value_end)
    if text[start : key.start].strip(" ") or rest is None:
        raise CannotEditError("Something else stands on the same line.")
    return Span(start, rest.end())


def damaged_metadata(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The keys that belong into ``metadata``, indented below it."""
    document = memory_of(context, key)
    if not is_writable(document):
        return
    yield edit_fix(context, key, "Indent the keys below `metadata`", lambda: _indented(document), safe=True)


def _indented(document: MemoryDocument) -> list[Edit]:
    block = document.frontmatter
    metadata = block.find("metadata") if block is not None else None
    assert block is not None
    assert metadata is not None
    text = document.source.text
    edits = [Edit(*metadata.value_span, "")] if metadata.value_start < metadata.value_end else []
    following = [other for other in block.keys if other.start > metadata.start]
    run = []
    for other in following:
        if other.name not in METADATA_KEYS:
            break
        run.append(other)
    lines_of = {other: _lines_of(document, other) for other in following if other.name in METADATA_KEYS}
    for other in run:
        edits.extend(Edit(start, start, "  ") for start, _ in _lines(text, lines_of[other]))
    line = document.source.line_of(metadata.start)
    at = lines_of[run[-1]].end if run else document.source.line_starts[line + 1]
    for other in following:
        if other.name in METADATA_KEYS and other not in run:
            span = lines_of[other]
            moved = "".join(f"  {content}" for _, content in _lines(text, span))
            edits += [Edit(at, at, moved), Edit(*span, "")]
    after = _read(document, edits)
    wanted = {("metadata." if path in METADATA_KEYS else "") + path for path, _ in block.walk()} - {"metadata"}
    if after.block.invalid or wanted - {path for path, _ in after.block.walk()}:
        raise CannotEditError("The keys can't be moved without changing them.")
    if sorted(after.leaves) != sorted(_Reading(document).leaves):
        raise CannotEditError("The keys can't be moved without changing them.")
    return edits


def _lines(text: str, span: Span) -> Iterator[tuple[int, str]]:
    for match in _LINE.finditer(text, *span):
        if match.group().strip():
            yield match.start(), match.group()


# ---- reading again


class _Reading:
    """What a block says, to be compared with what it says after an edit.

    ``values`` are all values by their dotted path, ``leaves`` by their own name alone.
    """

    def __init__(self, document: MemoryDocument) -> None:
        assert document.frontmatter is not None
        self.block = document.frontmatter
        self.body = document.body_text
        text = document.source.text
        found = [(path, key) for path, key in self.block.walk() if not key.children]
        self.by_path = [(path, _meaning(text, key)) for path, key in found]
        self.leaves = [
            (key.name, key.value) for path, key in found if key.kind is not ValueKind.NULL or path != "metadata"
        ]
        self.values = set(self.leaves)


def _meaning(text: str, key: Key) -> tuple[ValueKind, str]:
    is_whole = key.kind in (ValueKind.LIST, ValueKind.MAPPING)
    return key.kind, key.value_span.of(text) if is_whole else key.value


def _read(document: MemoryDocument, edits: Iterable[Edit]) -> _Reading:
    after = MemoryDocument.parse(applied(document.source.text, edits))
    if after.frontmatter is None:
        raise CannotEditError("The block can't be read any more after this.")
    return _Reading(after)


def _verified(document: MemoryDocument, edits: list[Edit], *, but: Collection[str] = ()) -> list[Edit]:
    """The edits, after making sure that they change no value but those at the paths ``but``, and make none invalid.

    Raises:
        CannotEditError: they do.
    """
    before, after = _Reading(document), _read(document, edits)
    same = [value for value in before.by_path if value[0] not in but]
    if same != [value for value in after.by_path if value[0] not in but] or before.body != after.body:
        raise CannotEditError("Another value would change.")
    if any(kind is ValueKind.INVALID for path, (kind, _) in after.by_path if path in but):
        raise CannotEditError("The value would still not be valid.")
    return edits
