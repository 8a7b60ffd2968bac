"""The YAML block on top of a memory: its keys and values, each with the place where it stands.

Reading composes YAML nodes and never constructs values, since constructing raises on dates that do
not exist, huge numbers and foreign tags. When the block does not parse, each key is read by itself,
so that one faulty value does not hide the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.resolver import Resolver

from memory_ls.text import Span, without_surrogates

try:
    from yaml._yaml import CParser as _Parser
except ImportError:  # PyYAML built without libyaml: right all the same, only slower
    from yaml import SafeLoader as _Parser  # type: ignore[assignment]


class ValueKind(Enum):
    """What YAML makes of a value."""

    TEXT = "text"
    NULL = "null"
    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    LIST = "list"
    MAPPING = "mapping"
    INVALID = "invalid"


class Key(NamedTuple):
    """One key of the block and its value.

    ``value`` is the text of a scalar, empty for lists and mappings; where the value is invalid it
    is what stands there. ``style`` is the quote or block sign YAML found, or ``""``.
    """

    name: str
    start: int
    end: int
    kind: ValueKind
    value: str
    value_start: int
    value_end: int
    style: str = ""
    children: tuple[Key, ...] = ()

    @property
    def span(self) -> Span:
        """The key itself, without its colon."""
        return Span(self.start, self.end)

    @property
    def value_span(self) -> Span:
        """The value with its quotes; empty, just behind the colon, when there is none."""
        return Span(self.value_start, self.value_end)


class Problem(NamedTuple):
    """A place where the block is not what it should be, in plain words."""

    span: Span
    message: str
    key: str | None = None


class Frontmatter(NamedTuple):
    """The block between two ``---`` lines.

    All spans are in the text the block was read from. ``yaml_span`` is what lies between the
    delimiter lines, ``body_start`` the offset of the first character behind the block.
    """

    open_span: Span
    close_span: Span | None
    yaml_span: Span
    body_start: int
    keys: tuple[Key, ...] = ()
    invalid: tuple[Problem, ...] = ()
    not_mapping: bool = False

    @property
    def closed(self) -> bool:
        """Whether the closing ``---`` is there."""
        return self.close_span is not None

    def find(self, name: str) -> Key | None:
        """The last top-level key called ``name``: the one a YAML reader would keep."""
        found = None
        for key in self.keys:
            if key.name == name:
                found = key
        return found

    def find_metadata(self, name: str) -> Key | None:
        """The last key called ``name`` inside ``metadata``."""
        metadata = self.find("metadata")
        found = None
        for key in metadata.children if metadata else ():
            if key.name == name:
                found = key
        return found

    def walk(self) -> Iterator[tuple[str, Key]]:
        """Every key with its dotted path, in the order of the text."""
        for key in self.keys:
            yield key.name, key
            for child in key.children:
                yield f"{key.name}.{child.name}", child


_OPEN = re.compile(r"\ufeff?(---)[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"(?<![^\r\n])---[ \t]*(?=[\r\n]|\Z)")
_LINE_END = re.compile(r"\r\n|\n|\r|\Z")
_ALIAS = re.compile(r"\s*(\*[^\s,\[\]{}]+)")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_KEY_LINE = re.compile(
    # Each run of spaces is tried once, from the character before it, or a long one would cost its square.
    r"([ \t]*)((?:[^\s:#\-?\[\]{},&*!|>%@`'\"]|-[^\s:])(?:[^:\r\n]*[^: \t\r\n])?|\"[^\"\r\n]*\"|'[^'\r\n]*')"
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)

# A line that YAML can read in one way only: a key, and a value that stands in quotes without escapes, or begins with
# nothing that has a meaning. The characters listed are those that YAML forbids or may take for a line end.
_NOT_PLAIN = "\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\uf8ff\ufeff\ufffe\uffff"
_PLAIN_LINE = re.compile(
    r"^( *)([A-Za-z_][A-Za-z0-9_-]*)(: *)"
    rf"((?:\"[^\"\\{_NOT_PLAIN}]*\" *|'[^'{_NOT_PLAIN}]*' *|[^\s:#\-?\[\]{{}},&*!|>%@`'\"{_NOT_PLAIN}][^{_NOT_PLAIN}]*)?)\n",
    re.MULTILINE,
)

# YAML 1.1 ends a line at these, LSP, Markdown and YAML 1.2 do not. They are read as private
# characters and put back, so that a value with one of them stays one value. So is a BOM, which
# libyaml drops without counting it.
_BREAKS = {0x85: 0xE085, 0x2028: 0xE028, 0x2029: 0xE029, 0xFEFF: 0xE0FF}
_BREAKS_BACK = {stand_in: real for real, stand_in in _BREAKS.items()}

_KINDS = {
    "str": ValueKind.TEXT,
    "null": ValueKind.NULL,
    "bool": ValueKind.BOOLEAN,
    "int": ValueKind.INTEGER,
    "float": ValueKind.NUMBER,
    "timestamp": ValueKind.DATE,
    "seq": ValueKind.LIST,
    "map": ValueKind.MAPPING,
    "merge": ValueKind.TEXT,
    "value": ValueKind.TEXT,
}
_TAG = "tag:yaml.org,2002:"

# A block with more faulty pieces than this is not frontmatter that anybody would mend by hand.
_MOST_PIECES = 500
_MOST_PROBLEMS = 20


class _Composer(_Parser):
    """Composes nodes and leaves scalars without a tag.

    What YAML would make of a scalar is asked only of the few values that matter (:func:`_kind_of`):
    asking for every key and value takes a quarter of the whole reading.
    """

    def descend_resolver(self, parent: object, index: object) -> None:
        """Nothing here depends on a node's path."""

    def ascend_resolver(self) -> None:
        """Nothing here depends on a node's path."""

    def resolve(self, kind: type[yaml.Node], value: object, implicit: object) -> str:
        """The tag of a node that has none of its own."""
        return _COLLECTIONS.get(kind, "")


_COLLECTIONS: dict[type[yaml.Node], str] = {yaml.SequenceNode: f"{_TAG}seq", yaml.MappingNode: f"{_TAG}map"}


def _kind_of(node: yaml.Node) -> ValueKind:
    tag: str = node.tag
    if not tag:
        is_quoted = isinstance(node, yaml.ScalarNode) and node.style
        return ValueKind.TEXT if is_quoted else _kind_of_plain(node.value)
    return _KINDS.get(tag[len(_TAG) :], ValueKind.INVALID) if tag.startswith(_TAG) else ValueKind.INVALID


def _kind_of_plain(value: str) -> ValueKind:
    """What YAML makes of a scalar without quotes: it has patterns for the first characters that may mean more than text."""
    return _kind_by_pattern(value) if value[:1] in Resolver.yaml_implicit_resolvers else ValueKind.TEXT


@lru_cache(maxsize=4096)
def _kind_by_pattern(value: str) -> ValueKind:
    for tag, pattern in Resolver.yaml_implicit_resolvers[value[:1]]:
        if pattern.match(value):
            return _KINDS.get(tag[len(_TAG) :], ValueKind.INVALID)
    return ValueKind.TEXT


# Said in one place, since the cure is another than for other faults.
TAB_INDENT = "the line is indented with a tab; YAML allows only spaces."
_NO_SPACE = re.compile(r"[ \t]*[A-Za-z_][\w-]*:\S")


class FrontmatterHandler(YAMLHandler):
    """A python-frontmatter handler that knows where every key and value stands."""

    def detect(self, text: str) -> bool:
        """Whether ``text`` begins with a frontmatter block."""
        return read(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """The YAML between the delimiters, and the body behind them, both unchanged."""
        block = read(text)
        if block is None:
            return "", text
        return block.yaml_span.of(text), text[block.body_start :]

    def export(self, metadata: dict[str, object], **options: object) -> str:
        """The lines of a new block: the keys in the order given, each value on one line."""
        return str(super().export(metadata, **{"Dumper": _Dumper, "sort_keys": False, "width": _WIDTH, **options}))


# Longer than any value, which would be wrapped.
_WIDTH = 1 << 30


# Not the dumper in C, which turns some characters, such as emoji, into escapes.
class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        """Two keys with one value get it twice."""
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """What some reader takes for a line end is escaped: as it stands it would be written on two lines."""
        style = '"' if _OTHER_LINE_ENDS.search(text) else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_OTHER_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_Dumper.add_representer(str, _Dumper.represent_text)


def read(text: str) -> Frontmatter | None:
    """The frontmatter block at the start of ``text``, or ``None`` when there is none. Never raises."""
    opening = _OPEN.match(text)
    if opening is None:
        return None
    start = opening.end()
    closing = _closing(text, start)
    if closing is None:
        return _unclosed(text, opening) if _starts_with_key(text, start) else None
    yaml_text = text[start : closing.start()]
    line_end = _LINE_END.match(text, closing.end())
    body_start = line_end.end() if line_end else len(text)
    keys, problems, is_mapping = _read_yaml(yaml_text, start)
    if _is_prose(yaml_text, keys, is_mapping):
        return None
    if problems and _ends_before(yaml_text):
        return _unclosed(text, opening)
    return Frontmatter(
        Span(*opening.span(1)),
        Span(closing.start(), closing.start() + 3),
        Span(start, closing.start()),
        body_start,
        keys,
        problems,
        not is_mapping,
    )


def _closing(text: str, start: int) -> re.Match[str] | None:
    """The first line ``---`` from ``start`` on; ten times as fast as searching for the expression."""
    at = text.find("---", start)
    while at >= 0:
        closing = _CLOSE.match(text, at)
        if closing is not None:
            return closing
        at = text.find("---", at + 1)
    return None


def _starts_with_key(text: str, start: int) -> bool:
    return _KEY_LINE.match(text, start) is not None


_MEMORY_KEYS = frozenset({"name", "description", "type", "metadata"})


def _is_prose(yaml_text: str, keys: tuple[Key, ...], is_mapping: bool) -> bool:
    """Whether two thematic breaks at the top of a body were taken for a block."""
    if not yaml_text.strip():
        return False
    if yaml_text.lstrip(" \t")[:1] in "\r\n":
        return not any(key.name in _MEMORY_KEYS for key in keys)  # "Note: …" in prose looks like a key
    return not is_mapping and _BLANK_LINE.search(yaml_text) is not None


def _ends_before(yaml_text: str) -> bool:
    """Whether the keys end at a blank line and prose follows: the ``---`` found belongs to the body."""
    at = _leading_keys(yaml_text, 0)
    while 0 < at < len(yaml_text):
        line = _LINE.match(yaml_text, at)
        content = line.group() if line else ""
        if content.strip() and content[0] not in " \t#":
            return at != _leading_keys(yaml_text, 0) and _KEY_LINE.match(content) is None
        at += len(content)  # blank, a comment, or the rest of a value with a blank line in it
    return False


def _leading_keys(text: str, start: int) -> int:
    """Where the run of key lines from ``start`` ends: at a blank line, or at one that no mapping can hold."""
    at = start
    while at < len(text):
        line = _LINE.match(text, at)
        content = line.group() if line else ""
        if not content.strip():
            break
        if content[0] not in " \t#-]}" and _KEY_LINE.match(content) is None:
            break
        at += len(content)
    return at


def _unclosed(text: str, opening: re.Match[str]) -> Frontmatter:
    end = _leading_keys(text, opening.end())
    keys, problems, _ = _read_yaml(text[opening.end() : end], opening.end())
    return Frontmatter(Span(*opening.span(1)), None, Span(opening.end(), end), end, keys, problems)


def _read_yaml(yaml_text: str, base: int) -> tuple[tuple[Key, ...], tuple[Problem, ...], bool]:
    """Keys and problems of a block that starts at offset ``base``, and whether it is a mapping."""
    if yaml_text.startswith("\ufeff"):
        yaml_text, base = yaml_text[1:], base + 1
    keys = _read_plain(yaml_text, base)
    if keys is not None:
        return keys, (), True
    plain = yaml_text
    if not yaml_text.isascii():
        plain = without_surrogates(yaml_text).translate(_BREAKS)
    try:
        node = _compose(plain)
    except yaml.YAMLError as error:
        found, problems = _recover(plain, base, error, 0)
        return tuple(found), tuple(problems[:_MOST_PROBLEMS]), True
    if node is None or (isinstance(node, yaml.ScalarNode) and not plain.strip()):
        return (), (), True
    if not isinstance(node, yaml.MappingNode):
        return (), (), False
    problems = []
    found = _keys_of(node, plain, base, problems, nested=True)
    return tuple(found), tuple(problems), True


def _read_plain(yaml_text: str, base: int) -> tuple[Key, ...] | None:
    """The keys of a block of plain lines, as YAML has them; ``None`` when YAML has to be asked.

    Nearly all frontmatter is plain, and this reads it in a quarter of the time.
    """
    keys: list[Key] = []
    children: list[Key] = []
    may_indent = False
    indent = ""
    at = base
    for lead, name, colon, padded in _PLAIN_LINE.findall(yaml_text):
        raw = padded.rstrip(" ")
        value = _plain_value(colon, raw)
        if value is None:
            return None
        start = at + len(lead)
        end = start + len(name)
        place = end + (len(colon) if raw else 1)
        at = end + len(colon) + len(padded) + 1
        key = Key(name, start, end, value[0], value[1], place, place + len(raw), value[2])
        if lead:
            if not may_indent or (children and lead != indent):
                return None
            indent = lead
            children.append(key)
            continue
        if children:
            keys[-1] = _mapping(keys[-1], children, yaml_text, base)
            children = []
        keys.append(key)
        may_indent = not raw and name == "metadata"
    if children:
        keys[-1] = _mapping(keys[-1], children, yaml_text, base)
    return tuple(keys) if keys and at == base + len(yaml_text) else None


def _plain_value(colon: str, raw: str) -> tuple[ValueKind, str, str] | None:
    """Kind, text and quote of the value ``raw`` behind ``colon``; ``None`` when it is not plain."""
    if not raw:
        return ValueKind.NULL, "", ""
    if colon == ":":
        return None
    if raw[0] in "\"'":
        return ValueKind.TEXT, raw[1:-1], raw[0]
    if ": " in raw or " #" in raw or raw[-1] == ":":
        return None
    return _kind_of_plain(raw), raw, ""


def _mapping(key: Key, children: list[Key], yaml_text: str, base: int) -> Key:
    """``key`` with the lines below it as its value."""
    start = children[0].start
    end = start + len(yaml_text[start - base : children[-1].value_end - base].rstrip())
    return Key(key.name, key.start, key.end, ValueKind.MAPPING, "", start, end, "", tuple(children))


def _compose(text: str) -> yaml.Node | None:
    composer = _Composer(text)
    try:
        return composer.get_single_node()
    finally:
        composer.dispose()


def _keys_of(node: yaml.MappingNode, text: str, base: int, problems: list[Problem], *, nested: bool) -> list[Key]:
    keys = []
    for key_node, value_node in node.value:
        key_start, key_end = key_node.start_mark.index, key_node.end_mark.index
        is_scalar = isinstance(key_node, yaml.ScalarNode)
        name = _restored(key_node.value) if is_scalar else text[key_start:key_end]
        start, end = value_node.start_mark.index, value_node.end_mark.index
        kind = _kind_of(value_node)
        if text.startswith("! ", start):  # valid, and loses the exclamation mark
            kind = ValueKind.INVALID
        value, style = "", ""
        children: tuple[Key, ...] = ()
        if isinstance(value_node, yaml.ScalarNode):
            value, style = _restored(value_node.value), value_node.style or ""
            if style in ("|", ">"):
                end = start + len(text[start:end].rstrip())
        else:
            end = start + len(text[start:end].rstrip())
            if nested and name == "metadata" and isinstance(value_node, yaml.MappingNode):
                children = tuple(_keys_of(value_node, text, base, problems, nested=False))
        if start < key_end:
            start, end = _alias(text, key_end)
        elif start == end:
            # Where a value is missing libyaml puts it at the next token: say "behind the colon".
            start = end = _behind_colon(text, key_end)
        if kind is ValueKind.INVALID:
            value = text[start:end]
            span = Span(base + start, base + end)
            problems.append(
                Problem(span, f"`{value_node.tag or '!'}` is a tag that gives the value a type of its own.", name)
            )
        keys.append(Key(name, base + key_start, base + key_end, kind, value, base + start, base + end, style, children))
    return keys


def _behind_colon(text: str, key_end: int) -> int:
    colon = text.find(":", key_end)
    return key_end if colon < 0 else colon + 1


def _alias(text: str, key_end: int) -> tuple[int, int]:
    """Where ``*name`` stands behind a key; of the value it means, YAML tells only the first place."""
    alias = _ALIAS.match(text, _behind_colon(text, key_end))
    return alias.span(1) if alias else (key_end, key_end)


def _restored(value: str) -> str:
    return value if value.isascii() else value.translate(_BREAKS_BACK)


def _recover(text: str, base: int, error: yaml.YAMLError, depth: int) -> tuple[list[Key], list[Problem]]:
    """Reads each key of a block that does not parse by itself; ``error`` is what the whole block raised."""
    keys: list[Key] = []
    problems: list[Problem] = []
    for count, (start, end) in enumerate(_pieces(text)):
        if count >= _MOST_PIECES or len(problems) >= _MOST_PROBLEMS:
            break
        _recover_piece(text[start:end], base + start, keys, problems, depth)
    if not problems:
        place = min(_place_of(error), max(len(text.rstrip()) - 1, 0))
        problems.append(Problem(Span(base + place, base + place + 1), _in_words(error)))
    return keys, problems


def _recover_piece(piece: str, base: int, keys: list[Key], problems: list[Problem], depth: int) -> None:
    try:
        node = _compose(piece)
        if node is None:
            return
        if isinstance(node, yaml.MappingNode):
            keys.extend(_keys_of(node, piece, base, problems, nested=depth == 0))
            return
        error = yaml.YAMLError("this line is not `key: value`")
    except yaml.YAMLError as raised:
        error = raised
    match = _KEY_LINE.match(piece)
    if match is None:
        stripped = piece.strip("\r\n")
        reason = "a space is missing behind the colon." if _NO_SPACE.match(piece) else _in_words(error)
        problems.append(Problem(Span(base, base + max(len(stripped.rstrip()), 1)), reason))
        return
    name = _restored(match.group(2))
    if name[0] in "\"'":
        name = name[1:-1]
    span = Span(base + match.start(2), base + match.end(2))
    first_line_end = _LINE_END.search(piece, match.end())
    line_end = first_line_end.start() if first_line_end else len(piece)
    opens_block = piece[match.end() : line_end].lstrip()[:1] in ("", "#")
    if depth == 0 and name == "metadata" and opens_block and piece[line_end:].strip():
        sub_start = first_line_end.end() if first_line_end else len(piece)
        children, sub_problems = _recover(piece[sub_start:], base + sub_start, error, 1)
        problems.extend(sub_problems)
        place = base + match.end()
        value_span = Span(children[0].start, base + len(piece.rstrip())) if children else Span(place, place)
        keys.append(Key(name, *span, ValueKind.MAPPING, "", *value_span, "", tuple(children)))
        return
    value = piece[match.end() :]
    value_start = match.end() + (len(value) - len(value.lstrip(" \t\r\n")) if value.strip() else 0)
    value_span = Span(base + value_start, base + max(len(piece.rstrip()), value_start))
    raw = piece[value_start:].rstrip()
    keys.append(Key(name, *span, ValueKind.INVALID, _restored(raw), *value_span))
    why = TAB_INDENT if "\t" in match.group(1) else explain(raw)
    problems.append(Problem(value_span, why or _in_words(error), name))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each key with the lines that belong to it, by indentation alone."""
    start = end = 0
    indent: int | None = None
    for match in _LINE.finditer(text):
        line = match.group()
        body = line.lstrip(" ")
        depth = len(line) - len(body)
        if not body.strip() or (body[0] == "#" and (indent is None or depth <= indent)):
            continue
        if indent is None:
            indent, start = depth, match.start()
        elif depth <= indent and not body.startswith(("- ", "-\n", "-\r", "]", "}")):
            yield start, end
            start = match.start()
        end = match.end()
    if text[start:end].strip():
        yield start, end


def _place_of(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        return int(mark.index)
    position: Any = getattr(error, "position", 0)
    return position if isinstance(position, int) else 0


def _in_words(error: yaml.YAMLError) -> str:
    character = getattr(error, "character", None)
    if isinstance(character, int):
        return f"it holds the control character U+{character:04X}, which YAML does not allow."
    problem = getattr(error, "problem", None) or str(error)
    return f"YAML says: {problem}."


_STARTS = {
    "@": "an `@`",
    "`": "a backtick",
    "%": "a `%`",
    "*": "a `*`, which YAML reads as the name of an anchor",
    "&": "an `&`, which YAML reads as the name of an anchor",
    "!": "a `!`, which YAML reads as a tag",
    "|": "a `|`, which YAML reads as the start of a block of lines",
    ">": "a `>`, which YAML reads as the start of a block of lines",
    "[": "a `[`, which YAML reads as the start of a list",
    "{": "a `{`, which YAML reads as the start of a mapping",
    ",": "a comma",
    "]": "a `]`",
    "}": "a `}`",
}


def explain(raw: str) -> str | None:
    """Why YAML can't read the value ``raw``, in plain words; ``None`` when no common reason fits."""
    first = raw[:1]
    if first in ('"', "'"):
        closing = _closing_quote(raw)
        if closing is None:
            return f"the quote that opens it ({first}) is never closed."
        if raw[closing + 1 :].strip():
            return "text follows the closing quote."
        return "a backslash in double quotes starts an escape that YAML does not know." if first == '"' else None
    if first in "[{" and first and not raw.rstrip().endswith(("]", "}")) and not set(raw) & set("]}"):
        return f"it opens a {'list' if first == '[' else 'mapping'} with `{first}` and never closes it."
    if first in _STARTS:
        return f"it begins with {_STARTS[first]}."
    if raw.startswith(("- ", "? ")):
        return f"it begins with `{raw[:2]}`, which YAML reads as the start of a list or a key."
    if re.search(r":(?:\s|\Z)", raw):
        return "it holds a colon followed by a space, which YAML reads as the end of another key."
    return None


def _closing_quote(raw: str) -> int | None:
    quote, at = raw[0], 1
    while at < len(raw):
        if quote == '"' and raw[at] == "\\":
            at += 2
            continue
        if raw[at] == quote:
            if quote == "'" and raw[at + 1 : at + 2] == "'":
                at += 2
                continue
            return at
        at += 1
    return None
