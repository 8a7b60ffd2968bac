"""Rules about the frontmatter block: its YAML, its keys, their values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from memory_ls.documents.frontmatter import TAB_INDENT, Frontmatter, Key, ValueKind
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, closest
from memory_ls.rules.content import conflict_span
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related
from memory_ls.text import Span

_TEXT_KEYS = ("name", "description", "type")
_OWN_TYPE_USES = 2
# One letter away from a type, and no slip.
_WORDS_OF_THEIR_OWN = frozenset({"preference", "preferences"})
_LATE_BLOCK = re.compile(r"\s+---[ \t]*[\r\n]+[\w\"'-]+[ \t]*:")
_BLANK = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
_CUT = re.compile(r"[ \t]+(#[^\s#][^\r\n]*)")

_CALLED = {
    ValueKind.NULL: "nothing (null)",
    ValueKind.BOOLEAN: "a yes or no",
    ValueKind.INTEGER: "a number",
    ValueKind.NUMBER: "a number",
    ValueKind.DATE: "a date",
    ValueKind.LIST: "a list",
    ValueKind.MAPPING: "a mapping",
}


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the frontmatter of one memory."""
    block = document.frontmatter
    in_conflict = "<<<<<<<" in document.source.text and conflict_span(document) is not None
    if block is None:
        yield from () if in_conflict else _missing(context, document)
        return
    if not block.closed and not in_conflict:
        yield _unclosed(document, block)
    if block.invalid and not in_conflict:
        yield from _invalid(block)
    if block.not_mapping:
        yield RULES["frontmatter-not-mapping"].at(
            _trimmed(document.source.text, block.yaml_span),
            "The frontmatter is not a list of `key: value` lines, so agents find no name and no description in it. "
            "Write each as a line of its own: `name: …`.",
        )
        return
    if not in_conflict:
        yield from _duplicates(document, block)
    if document.is_damaged:
        yield from _damaged(block)
    cuts = list(_cut_values(document))
    yield from cuts
    yield from _types_of_values(document, block)
    if in_conflict:
        return  # what is missing may be in the other version
    yield from _missing_keys(context, document, block, {finding.data["key"] for finding in cuts})
    yield from _type(context, key, document, block)


def _missing(context: Context, document: MemoryDocument) -> Iterator[Diagnostic]:
    text = document.source.text
    if not context.directory.census.most()[0] or not text.strip():
        return
    first = document.source.line_span(0)
    late = late_block(text)
    if late is not None:
        yield RULES["frontmatter-missing"].at(
            Span(0, late + 3),
            "The frontmatter does not begin on the first line, so agents take it for text. "
            "Delete what stands before the first `---`.",
            late=True,
        )
        return
    yield RULES["frontmatter-missing"].at(
        first,
        "This memory has no frontmatter, while its neighbours have: agents choose memories by name and description "
        "and pass it over. Put `---`, `name: …`, `description: …`, `---` on top.",
        late=False,
    )


def late_block(text: str) -> int | None:
    """Where a block begins that stands behind blank lines and so is none; ``None`` when there is no such thing."""
    return text.index("---") if _LATE_BLOCK.match(text) is not None else None


def _unclosed(document: MemoryDocument, block: Frontmatter) -> Diagnostic:
    text = document.source.text
    blank_follows = _BLANK.match(text, block.yaml_span.end) is not None
    return RULES["frontmatter-unclosed"].at(
        block.open_span,
        "The frontmatter that opens here is never closed, so agents read the whole file as text, or not at all. "
        "Put a line `---` behind the last key.",
        insert_at=block.yaml_span.end,
        blank_follows=blank_follows,
    )


def _invalid(block: Frontmatter) -> Iterator[Diagnostic]:
    for problem in block.invalid:
        about = f"The value of `{problem.key}` is not valid YAML: " if problem.key else "This is not valid YAML: "
        cure = "Put the value in quotes." if problem.key else "Mend or delete the line."
        if problem.message == TAB_INDENT:
            cure = "Use spaces."
        yield RULES["frontmatter-invalid"].at(
            problem.span,
            f"{about}{problem.message} Agents that can't parse the block lose the whole memory. {cure}",
            key=problem.key,
            tab=problem.message == TAB_INDENT,
        )


def _duplicates(document: MemoryDocument, block: Frontmatter) -> Iterator[Diagnostic]:
    for keys in (block.keys, *(key.children for key in block.keys if key.children)):
        seen: dict[str, Key] = {}
        for key in keys:
            first = seen.setdefault(key.name, key)
            if first is key or key.name == "<<":
                continue
            text = document.source.text
            same = first.value_span.of(text) == key.value_span.of(text)
            yield RULES["duplicate-key"].at(
                key.span,
                f"`{key.name}` stands twice, and agents keep only one of the two values. Delete the wrong one.",
                related=(Related("", first.span, f"`{key.name}` is first given here"),),
                key=key.name,
                same=same,
            )


def _damaged(block: Frontmatter) -> Iterator[Diagnostic]:
    metadata = block.find("metadata")
    if metadata is not None:
        yield RULES["damaged-metadata"].at(
            metadata.span,
            "`metadata:` is empty and its keys stand below it at the top level, so agents that look for "
            "`metadata.type` find none. Indent those keys by two spaces.",
        )


def _cut_values(document: MemoryDocument) -> Iterator[Diagnostic]:
    text = document.source.text
    for name, key in (("name", document.name_key), ("description", document.description_key)):
        if key is None or key.style or key.kind in (ValueKind.LIST, ValueKind.MAPPING, ValueKind.INVALID):
            continue
        match = _CUT.match(text, key.value_end)
        if match is not None:
            yield RULES["value-cut"].at(
                Span(*match.span(1)),
                f"YAML takes this for a comment, because a space stands before the `#`: agents never see this part of "
                f"the {name}. Put the whole value in quotes.",
                key=name,
                value_start=key.value_start,
            )


def _types_of_values(document: MemoryDocument, block: Frontmatter) -> Iterator[Diagnostic]:
    for name, key in zip(_TEXT_KEYS, (document.name_key, document.description_key, document.type_key), strict=True):
        if key is None or key.kind not in _CALLED or key.value_start == key.value_end:
            continue
        is_scalar = key.kind not in (ValueKind.LIST, ValueKind.MAPPING)
        cure = "Put it in quotes." if is_scalar and key.kind is not ValueKind.NULL else "Write it as text."
        yield RULES["value-type"].at(
            key.value_span,
            f"`{name}` must be a string, but YAML reads this as {_CALLED[key.kind]}, and agents that expect text "
            f"drop it or fail. {cure}",
            key=name,
            kind=key.kind.value,
        )


def _is_empty(key: Key | None) -> bool:
    return key is None or (
        key.kind in (ValueKind.NULL, ValueKind.TEXT)
        and not key.value.strip()
        and (key.value_start == key.value_end or bool(key.style))
    )


def _missing_keys(
    context: Context, document: MemoryDocument, block: Frontmatter, cut: set[object]
) -> Iterator[Diagnostic]:
    _, most_named, most_described, most_typed = context.directory.census.most()
    if not block.closed and not block.keys:
        return
    name, description, kind = document.name_key, document.description_key, document.type_key
    if _is_empty(name) and "name" not in cut and (most_named or name is not None):
        yield RULES["name-missing"].at(
            name.span if name else block.open_span,
            f"The memory has {'an empty' if name else 'no'} name, so nothing can refer to it and agents may overwrite it. "
            "Give it a `name`, which must be a string: the file name without `.md` will do.",
            empty=name is not None,
        )
    if _is_empty(description) and "description" not in cut and (most_described or description is not None):
        yield RULES["description-missing"].at(
            description.span if description else block.open_span,
            f"The memory has {'an empty' if description else 'no'} description. Agents decide by the description whether "
            "to read a memory, so this one is seldom read. Say in one line what it holds.",
            empty=description is not None,
        )
    if _is_empty(kind) and (kind is not None or (most_typed and document.dialect is not Dialect.BARE)):
        yield RULES["type-missing"].at(
            kind.span if kind else block.open_span,
            f"The memory has {'an empty' if kind else 'no'} type. Say whether it is about the user, feedback, "
            "the project or a reference.",
            empty=kind is not None,
        )
    limit = context.settings.description_length
    if description is not None and document.description and len(document.description) > limit:
        yield RULES["description-long"].at(
            description.value_span,
            f"The description has {len(document.description)} characters; {limit} are meant. It is loaded in every "
            "session, so keep it to what helps to choose the memory and move the rest into the body.",
            length=len(document.description),
        )


def _type(context: Context, path: str, document: MemoryDocument, block: Frontmatter) -> Iterator[Diagnostic]:
    key = document.type_key
    top, nested = block.find("type"), block.find_metadata("type")
    if top is not None and nested is not None and top.value != nested.value:
        yield RULES["type-conflict"].at(
            top.value_span,
            f"The memory says here that it is of type `{top.value}` and under `metadata` that it is `{nested.value}`. "
            "Agents differ in which of the two they believe: keep one.",
            related=(Related("", nested.value_span, f"`metadata.type` is `{nested.value}`"),),
            top=top.value,
            nested=nested.value,
        )
    if key is None or key.kind is not ValueKind.TEXT or not key.value.strip() or key.value in MEMORY_TYPES:
        return
    meant = closest(key.value, MEMORY_TYPES) if key.value.lower() not in _WORDS_OF_THEIR_OWN else None
    if meant is None and _is_own_type(context, path, key.value):
        return
    hint = f"Did you mean `{meant}`?" if meant else "Choose one of these."
    yield RULES["type-unknown"].at(
        key.value_span,
        f"`{_shortened(key.value)}` is no type that agents know: they know user, feedback, project and reference, and "
        f"ignore others. {hint}",
        type=key.value,
        meant=meant,
    )


def _is_own_type(context: Context, key: str, kind: str) -> bool:
    """Whether the directory has made this type its own: it is used again, or a folder is called after it."""
    word = kind.lower().rstrip("s")
    if any(folder.lower().rstrip("s") == word for folder in key.split("/")[:-1]):
        return True
    uses = (other for other in context.directory.documents.values() if other.type == kind)
    return sum(1 for _ in islice(uses, _OWN_TYPE_USES)) >= _OWN_TYPE_USES


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"


def _trimmed(text: str, span: Span) -> Span:
    inner = span.of(text)
    start = span.start + len(inner) - len(inner.lstrip())
    return Span(start, max(start, span.start + len(inner.rstrip())))
