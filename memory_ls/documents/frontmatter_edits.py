"""Lossless edits of a memory: its keys one by one, its body, and a block on top of a file without one.

Each edit is tried before it is handed out: the text is parsed again, and if the wanted value is not there, or any
other value, comment or character of the body moved, the edit is refused. A block that does not parse is never
written into, but to mend a value of it (:func:`quote_value`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.frontmatter import Frontmatter, Key, ValueKind
from memory_ls.documents.memory import DATE_NAMES, Dialect, MemoryDocument
from memory_ls.documents.values import quoted, scalar
from memory_ls.text import Span

_METADATA = "metadata"
# Behind which keys a new one goes, the first that is there; others go to the end.
_BEHIND: dict[str, tuple[str, ...]] = {
    "name": (),
    "description": ("name",),
    "type": ("description", "name"),
    "status": ("type", "description", "name"),
    "metadata.type": ("node_type",),
    "metadata.status": ("type", "node_type"),
}
_FIRST = frozenset({"name", "description", "metadata.type"})

_COLLECTIONS = (ValueKind.LIST, ValueKind.MAPPING)
_LINE_END = re.compile(r"\r\n|\n|\r")
_REST_OF_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
# An anchor and a tag before a value.
_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)*")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)?")
_COMMENT = re.compile(r"(?:^|[ \t])#", re.MULTILINE)


def place_of(document: MemoryDocument, name: str) -> str:
    """The dotted path of the key ``name`` (``type``, ``status``): where it stands, else where the dialect keeps it."""
    inside = f"{_METADATA}.{name}"
    if document.key_at(inside) is not None:
        return inside
    if document.key_at(name) is not None:
        return name
    return inside if document.dialect is Dialect.NESTED else name


def line_end(text: str) -> str:
    """The line end that ``text`` uses, going by its first line."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


# ---- values


def set_value(document: MemoryDocument, path: str, value: str) -> tuple[Edit, ...]:
    """The text ``value`` for the key with the dotted ``path``; the key is put in where it is missing.

    Raises:
        CannotEditError: the block can't be read, or something else would change with it.
    """
    block = _parsed(document)
    if path == _METADATA:
        raise CannotEditError("`metadata` holds other keys and can't be a text.")
    key = document.key_at(path)
    if key is None:
        return _inserted(document, block, path, value)
    kinds = _kinds_for(path)
    if key.value == value and key.kind in kinds:
        return ()
    metadata = block.find(_METADATA)
    if path.startswith(f"{_METADATA}.") and metadata is not None:
        _refuse_anchors(document.source.text, metadata)
    edit = _replaced(document, path, key, value)
    _verify(document, (edit,), without=key, path=path, value=value)
    return (edit,)


def _kinds_for(path: str) -> frozenset[ValueKind]:
    is_date = path.removeprefix(f"{_METADATA}.") in DATE_NAMES
    return frozenset({ValueKind.TEXT, ValueKind.DATE} if is_date else {ValueKind.TEXT})


def _replaced(document: MemoryDocument, path: str, key: Key, value: str) -> Edit:
    text = document.source.text
    start, end = key.value_span
    written = scalar(value, key.style, in_flow=_in_flow(document, path), kinds=_kinds_for(path))
    if start == end:
        return _behind_colon(text, start, written)
    if key.kind in _COLLECTIONS and text[start] != "*":
        if _COMMENT.search(text, start, end):
            raise CannotEditError(f"`{path}` is a list or a mapping with comments in it, which would be lost.")
        if _LINE_END.search(text, key.end, start):
            start = text.index(":", key.end) + 1
            return Edit(start, end, f" {written}")
        return Edit(start, end, written)
    start += len(_properties(text, start, end))
    header = _BLOCK_HEADER.match(text, start, end) if key.style in ("|", ">") else None
    return Edit(start, end, written + (header.group(1) or "" if header else ""))


def _properties(text: str, start: int, end: int) -> str:
    found = _PROPERTIES.match(text, start, end)
    return found.group() if found else ""


def _behind_colon(text: str, place: int, written: str) -> Edit:
    """``written`` as the value of a key that has none; spaces at the end of the line stay behind it."""
    if text[place : place + 1] == " " and text[place : place + 4].lstrip(" \t")[:1] not in ("#",):
        rest = _REST_OF_LINE.match(text, place)
        if rest is not None and not rest.group().strip():
            return Edit(place + 1, place + 1, written)
    return Edit(place, place, f" {written}")


def _inserted(document: MemoryDocument, block: Frontmatter, path: str, value: str) -> tuple[Edit, ...]:
    parent, dot, name = path.rpartition(".")
    if dot and parent != _METADATA:
        raise CannotEditError(f"`{path}` is no place for a value in a memory.")
    in_flow = _in_flow(document, path)
    line = f"{name}: {scalar(value, in_flow=in_flow, kinds=_kinds_for(path))}"
    edit = _into_metadata(document, block, path, line) if dot else _into_block(document, block, path, line)
    _verify(document, (edit,), added=True, path=path, value=value)
    return (edit,)


def _into_block(document: MemoryDocument, block: Frontmatter, path: str, lines: str) -> Edit:
    """``lines`` (with ``\\n``) as lines of their own behind the natural neighbour of the key ``path``."""
    text = document.source.text
    lead = _line_lead(text, block.keys[0]) if block.keys else ""
    if lead is None:
        raise CannotEditError("The frontmatter is written between braces, where no key can be added safely.")
    neighbour = _neighbour(path, block.find)
    if neighbour is not None:
        place = _end_of_lines(document, neighbour)
    else:
        place = block.yaml_span.start if path in _FIRST else block.yaml_span.end
    return _as_lines(text, place, [f"{lead}{line}" for line in lines.split("\n")])


def _into_metadata(document: MemoryDocument, block: Frontmatter, path: str, line: str) -> Edit:
    text = document.source.text
    metadata = block.find(_METADATA)
    if metadata is None:
        return _into_block(document, block, _METADATA, f"{_METADATA}:\n  {line}")
    _refuse_anchors(text, metadata)
    if metadata.kind is ValueKind.NULL and metadata.value_start == metadata.value_end:
        outer = _line_lead(text, metadata) or ""
        return _as_lines(text, _end_of_lines(document, metadata), [f"{outer}  {line}"])
    if metadata.kind is not ValueKind.MAPPING:
        raise CannotEditError("`metadata` holds something else than keys, so none can be put into it.")
    if text[metadata.value_start] == "{":
        return _into_braces(text, metadata, path, line)
    lead = _line_lead(text, metadata.children[0]) if metadata.children else None
    if lead is None:
        raise CannotEditError("`metadata` is written in a way in which no key can be added safely.")
    neighbour = _neighbour(path, block.find_metadata)
    if neighbour is None and path in _FIRST:
        place = document.source.line_starts[document.source.line_of(metadata.children[0].start)]
    else:
        place = _end_of_lines(document, neighbour or metadata.children[-1])
    return _as_lines(text, place, [f"{lead}{line}"])


def _into_braces(text: str, metadata: Key, path: str, line: str) -> Edit:
    if not metadata.children:
        return Edit(metadata.value_start + 1, metadata.value_start + 1, line)
    if path in _FIRST:
        return Edit(metadata.children[0].start, metadata.children[0].start, f"{line}, ")
    place = metadata.children[-1].value_end
    return Edit(place, place, f", {line}")


def _neighbour(path: str, find: Callable[[str], Key | None]) -> Key | None:
    found = (find(name) for name in _BEHIND.get(path, ()))
    return next((key for key in found if key is not None), None)


def _line_lead(text: str, key: Key) -> str | None:
    """The white space before a key; ``None`` when something else stands before it in its line."""
    start = max(text.rfind("\n", 0, key.start), text.rfind("\r", 0, key.start)) + 1
    lead = text[start : key.start].removeprefix("\ufeff")
    return lead if not lead.strip(" ") else None


def _end_of_lines(document: MemoryDocument, key: Key) -> int:
    """Where the last line of a key and its value ends, its line end included."""
    rest = _REST_OF_LINE.match(document.source.text, max(key.value_end, key.end))
    assert rest is not None
    return rest.end()


def _as_lines(text: str, place: int, lines: list[str]) -> Edit:
    eol = line_end(text)
    before = "" if place == 0 or text[place - 1] in "\r\n" else eol
    after = eol if before == "" or place < len(text) else ""
    return Edit(place, place, before + eol.join(lines) + after)


def _in_flow(document: MemoryDocument, path: str) -> bool:
    metadata = document.key_at(_METADATA)
    if not path.startswith(f"{_METADATA}.") or metadata is None or metadata.kind is not ValueKind.MAPPING:
        return False
    return document.source.text[metadata.value_start] == "{"


def _refuse_anchors(text: str, metadata: Key) -> None:
    if text[metadata.value_start : metadata.value_start + 1] in ("&", "*"):
        raise CannotEditError("`metadata` is shared with another key by an anchor, which would change too.")


# ---- keys that go


def remove_key(document: MemoryDocument, path: str, key: Key | None = None) -> tuple[Edit, ...]:
    """The key with the dotted ``path`` goes, with its lines; ``key`` tells which one, where it stands twice.

    A ``metadata`` that would be left empty goes too, if no comment stands in it.

    Raises:
        CannotEditError: the block can't be read, or something else would change with it.
    """
    block = _parsed(document)
    key = key or document.key_at(path)
    if key is None:
        return ()
    gone = key
    metadata = block.find(_METADATA)
    if path.startswith(f"{_METADATA}.") and metadata is not None:
        text = document.source.text
        _refuse_anchors(text, metadata)
        is_last = len(metadata.children) == 1
        around = text[metadata.end : key.start], text[key.value_end : _end_of_lines(document, metadata)]
        if is_last and not any(map(_COMMENT.search, around)):
            gone = metadata
        elif text[metadata.value_start] == "{":
            edit = _without_in_braces(text, metadata, key)
            _verify(document, (edit,), without=key)
            return (edit,)
    start = document.source.line_starts[document.source.line_of(gone.start)]
    if _line_lead(document.source.text, gone) is None:
        raise CannotEditError(f"`{path}` shares its line with another key, so it can't be taken out safely.")
    edit = Edit(start, _end_of_lines(document, gone), "")
    _verify(document, (edit,), without=key)
    return (edit,)


def _without_in_braces(text: str, metadata: Key, key: Key) -> Edit:
    number = metadata.children.index(key)
    if len(metadata.children) == 1:
        return Edit(metadata.value_start + 1, key.value_end, "")
    if number == 0:
        return Edit(key.start, metadata.children[1].start, "")
    return Edit(metadata.children[number - 1].value_end, key.value_end, "")


# ---- quotes


def quote_value(document: MemoryDocument, key: Key) -> tuple[Edit, ...]:
    """The value of ``key`` as it stands in the file, in quotes, so that it reads as its author meant.

    Also where YAML can't read it (``Use when: …``, ``"Foo" bar``, ``@home``) or cuts it off at `` #``. A value that is
    in quotes already is left alone.

    Raises:
        CannotEditError: it is not one value, or something else would change with it.
    """
    text = document.source.text
    if key.style and key.kind is ValueKind.TEXT and key.value_start != key.value_end:
        return ()
    span = _as_it_stands(document, key)
    if key.name == _METADATA or (key.name not in _TEXT_KEYS and text[span.start] in "[{"):
        raise CannotEditError(f"`{key.name}` is meant to hold other things than a text: close what it opens.")
    meant = _meant(span.of(text))
    edit = Edit(span.start, span.end, quoted(meant))
    if span.start and text[span.start - 1] == ":":
        edit = Edit(span.start, span.end, f" {edit.text}")
    path = next((path for path, each in _walk(document) if each == key), key.name)
    _verify(document, (edit,), without=key, path=path, value=meant, mends=True)
    return (edit,)


# Their values are text, also where they look like a list.
_TEXT_KEYS = frozenset({"name", "description", "type", "title", "status"})

# A comment that is no part of what was cut off: a space stands behind its sign.
_TRAILING_COMMENT = re.compile(r"(?<![ \t])[ \t]+#(?=[ \t]|$).*\Z")


def _as_it_stands(document: MemoryDocument, key: Key) -> Span:
    text = document.source.text
    start, end = key.value_span
    if key.kind is not ValueKind.INVALID:
        start += len(_properties(text, start, end))
    if key.kind in _COLLECTIONS and (_LINE_END.search(text, start, end) or _LINE_END.search(text, key.end, start)):
        raise CannotEditError(f"`{key.name}` is a list or a mapping of several lines, which quotes don't make a text.")
    if start == end:
        start += len(text[start:]) - len(text[start:].lstrip(" \t"))
        end = max(start, end)
    rest = _REST_OF_LINE.match(text, end)
    assert rest is not None
    if _in_flow_at(document, key):
        return Span(start, end)
    line = rest.group().rstrip("\r\n")
    tail = _TRAILING_COMMENT.search(line)
    kept = line[: tail.start()] if tail else line
    end += len(kept.rstrip())
    if key.kind is ValueKind.INVALID:
        tail = _TRAILING_COMMENT.search(text[start:end])
        end = start + len((text[start:end][: tail.start()] if tail else text[start:end]).rstrip())
    if start >= end:
        raise CannotEditError(f"`{key.name}` has no value that could be put in quotes.")
    return Span(start, end)


def _in_flow_at(document: MemoryDocument, key: Key) -> bool:
    metadata = document.key_at(_METADATA)
    if metadata is None or not metadata.value_start < key.start < metadata.value_end:
        return False
    return document.source.text[metadata.value_start] == "{"


def _meant(raw: str) -> str:
    """The text that the author of the value ``raw`` had in mind."""
    line = " ".join(piece.strip() for piece in _LINE_END.split(raw) if piece.strip())
    quote = line[:1]
    if quote not in ("'", '"'):
        return line
    inner = line[1:-1]
    if len(line) > 1 and line[-1] == quote and _is_one_quotation(inner, quote):
        return inner.replace('\\"', '"').replace("\\\\", "\\") if quote == '"' else inner.replace("''", "'")
    if quote == '"' and '"' not in line[1:]:
        return line[1:]  # never closed
    return line


def _is_one_quotation(inner: str, quote: str) -> bool:
    """Whether the first and the last quote of a value belong together, whatever stands between them."""
    at = inner.find(quote)
    while at > 0 and inner[at - 1] == "\\":
        at = inner.find(quote, at + 1)
    if at < 0:
        return True
    # What opens inside, or is an apostrophe, ends nothing.
    return at == 0 or inner[at - 1].isspace() or inner[at + 1 : at + 2].isalnum()


# ---- the body, and a block on top


def replace_body(document: MemoryDocument, content: str) -> tuple[Edit, ...]:
    """``content`` as the whole body. The blank lines around it and the file's line ends stay as they were.

    Raises:
        CannotEditError: what is written would be read as frontmatter, or change it.
    """
    text = document.source.text
    old = document.body_text
    # A body may end its lines otherwise than the block above it.
    eol = line_end(old if _LINE_END.search(old) else text)
    written = eol.join(_LINE_END.split(_trimmed(content)))
    start, end = document.body_start, len(text)
    if old.strip():
        start += len(old) - len(_without_blank_lines(old))
        end -= len(old) - len(old.rstrip())
    elif written:
        written = f"{_lead_of_first_body(document)}{written}{eol}"
    else:
        return ()
    if text[start:end] == written:
        return ()
    edit = Edit(start, end, written)
    body = applied(text, (edit,))[document.body_start :]
    if document.frontmatter is not None and not text.endswith(("\n", "\r")) and start == len(text):
        body = body.removeprefix(line_end(text))  # it ends the line of the `---`
    _verify(document, (edit,), body=body)
    return (edit,)


def _lead_of_first_body(document: MemoryDocument) -> str:
    text = document.source.text
    if document.frontmatter is None:
        return "\ufeff" if text.startswith("\ufeff") else ""
    eol = line_end(text)
    return eol if text.endswith(("\n", "\r")) else eol * 2


def _trimmed(content: str) -> str:
    return _without_blank_lines(content).rstrip()


_BLANK_LINES = re.compile(r"\ufeff?(?:[ \t]*(?:\r\n|\n|\r))*")


def _without_blank_lines(text: str) -> str:
    blank = _BLANK_LINES.match(text)
    return text[blank.end() :] if blank else text


def with_block(document: MemoryDocument, block: str) -> tuple[Edit, ...]:
    """The frontmatter ``block`` (two ``---`` lines and what stands between them) on top of a file without one.

    Raises:
        CannotEditError: the file has one, or the block is none.
    """
    text = document.source.text
    if document.frontmatter is not None:
        raise CannotEditError("The file has frontmatter already.")
    eol = line_end(text)
    place = 1 if text.startswith("\ufeff") else 0
    gap = "" if not text[place:] or text[place] in "\r\n" else eol
    edit = Edit(place, place, eol.join(_LINE_END.split(block.rstrip())) + eol + gap)
    after = MemoryDocument.parse(applied(text, (edit,)))
    found = after.frontmatter
    if found is None or not found.closed or found.invalid or after.body_text != gap + text[place:]:
        raise CannotEditError("The text begins in a way that can't be told from frontmatter.")
    return (edit,)


# ---- making sure


class _Fact(NamedTuple):
    """What must not change of a key that an edit is not about."""

    path: str
    kind: ValueKind
    value: str
    raw: str


def _parsed(document: MemoryDocument) -> Frontmatter:
    block = document.frontmatter
    if block is None:
        raise CannotEditError("The file has no frontmatter to write into.")
    if block.invalid:
        raise CannotEditError(
            "The frontmatter is not valid YAML, so nothing can be written into it safely: mend it first."
        )
    if block.not_mapping:
        raise CannotEditError("The frontmatter is not a list of keys, so nothing can be written into it safely.")
    return block


def _walk(document: MemoryDocument) -> Iterator[tuple[str, Key]]:
    return document.frontmatter.walk() if document.frontmatter else iter(())


def _facts(document: MemoryDocument, without: Iterable[int]) -> list[_Fact]:
    """What the keys say but for those that begin at one of the offsets ``without``, and for ``metadata`` itself."""
    left_out = set(without)
    text = document.source.text
    return [
        _Fact(path, key.kind, key.value, key.value_span.of(text))
        for path, key in _walk(document)
        if key.start not in left_out and not (path == _METADATA and key.kind in (ValueKind.MAPPING, ValueKind.NULL))
    ]


def _verify(
    document: MemoryDocument,
    edits: tuple[Edit, ...],
    *,
    without: Key | None = None,
    added: bool = False,
    path: str | None = None,
    value: str | None = None,
    body: str | None = None,
    mends: bool = False,
) -> None:
    """Parses the text with ``edits``, and refuses them unless just what is wanted changed."""
    old, new = document, MemoryDocument.parse(applied(document.source.text, edits))
    key = new.key_at(path) if path else None
    if path is not None and without is not None and key is not None:
        # Where the key stands twice, the one meant is the one before which nothing moved.
        key = next((each for each_path, each in _walk(new) if each_path == path and each.start == without.start), None)
    if path is not None and (key is None or key.value != value or key.kind not in _kinds_for(path)):
        raise CannotEditError(f"`{path}` can't be written here so that it reads as it should.")
    before = _facts(old, [without.start] if without else [])
    after = _facts(new, [key.start] if key is not None and (without or added) else [])
    if mends:
        before = [fact for fact in before if fact.kind is not ValueKind.INVALID]
        known = set(before)
        after = [fact for fact in after if fact in known]
    problems = len(new.frontmatter.invalid) if new.frontmatter else 0
    was = len(old.frontmatter.invalid) if old.frontmatter else 0
    is_same_block = (old.frontmatter is None) == (new.frontmatter is None) and _closed(old) == _closed(new)
    mended = mends and without is not None and without.kind is ValueKind.INVALID
    if before != after or not is_same_block or problems > was - mended:
        raise CannotEditError("Something else in the frontmatter would change with it.")
    if new.body_text != (old.body_text if body is None else body):
        raise CannotEditError("The text below the frontmatter would change with it.")


def _closed(document: MemoryDocument) -> bool:
    return document.frontmatter is not None and document.frontmatter.closed
