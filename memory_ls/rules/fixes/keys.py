"""Fixes of the keys that every memory should have: its name, its description and its type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from memory_ls.directory.new_memory import new_name
from memory_ls.directory.style import Style, style_of
from memory_ls.documents.edits import Edit
from memory_ls.documents.frontmatter_edits import place_of, remove_key, set_value, with_block
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import MEMORY_TYPES, fold, stem_of, without_type_prefix
from memory_ls.documents.new_memory import block_text
from memory_ls.documents.prose import first_sentence
from memory_ls.rules.fixes.fix import Fix, edit_fix, memory_of
from memory_ls.rules.frontmatter import late_block
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.secret_scan import find_secrets


def name_missing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The name that the file gives it."""
    document = memory_of(context, key)
    if is_writable(document):
        name = new_name(context.directory, key, Style(dialect=document.dialect))
        yield edit_fix(context, key, f"Name it `{name}`", lambda: set_value(document, "name", name), safe=True)


def description_missing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The first sentence of the text."""
    document = memory_of(context, key)
    description = _described(context, document)
    if description is not None and is_writable(document):
        yield edit_fix(
            context,
            key,
            "Describe it by the first sentence of its text",
            lambda: set_value(document, "description", description),
        )


def type_missing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """Each type, the one that the file's name begins with first."""
    document = memory_of(context, key)
    if not is_writable(document):
        return
    path = place_of(document, "type")
    known = _type_in_file(key)
    for kind in types_for(key):
        yield _with_type(context, key, path, kind, f"Make it a {kind} memory", is_choice=kind != known)


def type_unknown(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The type that was meant, then the others."""
    document = memory_of(context, key)
    if not is_writable(document):
        return
    path = place_of(document, "type")
    meant = finding.data.get("meant") or _type_in_file(key)
    for kind in dict.fromkeys((*([str(meant)] if meant else ()), *types_for(key))):
        yield _with_type(context, key, path, kind, f"Change to `{kind}`", is_choice=kind != meant)


def type_conflict(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The type in ``metadata`` alone, with either of the two values."""
    document = memory_of(context, key)
    if not is_writable(document):
        return
    nested, top = str(finding.data["nested"]), str(finding.data["top"])

    for value in filter(str.strip, (nested, top)):
        yield edit_fix(context, key, f"Keep `{value[:40]}`", partial(_keep_type, document, value), is_choice=True)


def _keep_type(document: MemoryDocument, value: str) -> list[Edit]:
    return [*set_value(document, "metadata.type", value), *remove_key(document, "type")]


def instead_of_value(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """A value in place of one that means nothing, or of a type that is no text."""
    name, is_null = finding.data["key"], finding.data["kind"] == "null"
    if name == "type":
        yield from type_missing(context, key, finding)
    elif is_null and name == "name":
        yield from (replace(fix, safe=False) for fix in name_missing(context, key, finding))
    elif is_null:
        yield from description_missing(context, key, finding)


def frontmatter_missing(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """A block on top; where there is one that begins too late, nothing before it."""
    document = memory_of(context, key)
    if finding.data["late"]:
        edit = Edit(0, late_block(document.source.text) or 0, "")
        yield edit_fix(context, key, "Delete what stands before the frontmatter", lambda: [edit])
        return
    description = _described(context, document) or " ".join(fold(stem_of(key)).split("-")).strip()
    _, _, _, most_typed = context.directory.census.most()
    known = _type_in_file(key)
    kinds = (known,) if known else MEMORY_TYPES if most_typed else ("",)
    for kind in kinds:
        what = f"frontmatter of a {kind} memory" if kind else "frontmatter"

        make = partial(_block, context, key, description, kind)
        yield edit_fix(context, key, f"Put {what} on top", make, is_choice=len(kinds) > 1)


def _block(context: Context, key: str, description: str, kind: str) -> tuple[Edit, ...]:
    dialect = style_of(context.directory, context.settings.dialect).for_new_memory().dialect if kind else Dialect.BARE
    name = new_name(context.directory, key, Style(dialect=dialect))
    return with_block(memory_of(context, key), block_text(name, description, kind, dialect, {}))


def is_writable(document: MemoryDocument) -> bool:
    """Whether all of the block is understood, so that keys can be put into it; what is not has to be mended first."""
    block = document.frontmatter
    return block is not None and not block.invalid and not block.not_mapping


def types_for(key: str) -> tuple[str, ...]:
    """The types of memory, the one that the file's name begins with first."""
    known = _type_in_file(key)
    return tuple(dict.fromkeys((*((known,) if known else ()), *MEMORY_TYPES)))


def _type_in_file(key: str) -> str | None:
    stem = stem_of(key)
    if without_type_prefix(stem) is None:
        return None
    return next(kind for kind in MEMORY_TYPES if stem.lower().startswith(kind))


def _with_type(context: Context, key: str, path: str, kind: str, title: str, *, is_choice: bool) -> Fix:
    document = memory_of(context, key)
    return edit_fix(context, key, title, lambda: set_value(document, path, kind), is_choice=is_choice)


def _described(context: Context, document: MemoryDocument) -> str | None:
    """What the text of a memory says first; ``None`` when that must not be loaded in every session."""
    description = first_sentence(document.body_text, context.settings.description_length)
    return description if description is not None and not find_secrets(description) else None
