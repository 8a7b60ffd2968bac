"""Rules about names: safe, alike with the file, and each used once."""

from __future__ import annotations

from collections.abc import Iterator

from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import fold, is_kebab, stem_of, unsafe_reason, without_type_prefix
from memory_ls.rules.registry import RULES, Context, Diagnostic, Related


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """All findings about the name of one memory."""
    name, name_key = document.name, document.name_key
    if name is None or name_key is None or name_key.kind is ValueKind.INVALID:
        return
    yield from _duplicate(context, key, document, name)
    is_key = document.dialect is Dialect.NESTED
    reason = unsafe_reason(name)
    # In the other dialects the name is a title: it may hold anything that fits on one line.
    if reason and ((is_key and " " not in name) or "control character" in reason):
        yield RULES["name-unsafe"].at(
            name_key.value_span,
            f"The name can't be the name of a file, because {reason}: agents that write `<name>.md` fail or write "
            "somewhere else. Use words joined by hyphens.",
            reason=reason,
        )
        return
    if not is_key:
        return
    if not is_kebab(name):
        yield RULES["name-not-kebab"].at(
            name_key.value_span,
            "Names in this form are usually lower-case words joined by hyphens, which links to them then repeat.",
        )
    stem = stem_of(key)
    if not alike(name, stem):
        yield RULES["name-differs-from-file"].at(
            name_key.value_span,
            f"The memory calls itself `{name}` and its file `{stem}.md`: whoever looks for one does not find the other.",
            stem=stem,
        )


def alike(name: str, stem: str) -> bool:
    """Whether a name and a file are called the same, but for case, hyphens and a type in front."""
    if name == stem:
        return True
    names = {fold(name), fold(without_type_prefix(name) or name)}
    return fold(stem) in names or fold(without_type_prefix(stem) or stem) in names


def _duplicate(context: Context, key: str, document: MemoryDocument, name: str) -> Iterator[Diagnostic]:
    keys = context.directory.names.by_name.get(name, ())
    if keys == (key,):
        return
    others = [other for other in keys if other != key]
    if not others:
        return
    related = []
    for other in others[:5]:
        other_key = context.directory.documents[other].name_key
        if other_key is not None:
            related.append(Related(other, other_key.value_span, "the same name"))
    assert document.name_key is not None
    yield RULES["duplicate-name"].at(
        document.name_key.value_span,
        f"{_listed(others)} {'has' if len(others) == 1 else 'have'} the same name, so a link to it may mean either, and "
        "an agent that updates one by name may change the other. Rename one of them.",
        related=tuple(related),
        others=others,
    )


def _listed(keys: list[str]) -> str:
    shown = ", ".join(f"`{key}`" for key in keys[:3])
    return f"{shown} and {len(keys) - 3} more" if len(keys) > 3 else shown
