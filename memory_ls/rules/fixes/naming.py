"""Fixes of names: another one, which all links to the memory follow, or a file that is called so."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from memory_ls.changes.plan import ChangeKind
from memory_ls.changes.rename import rename_memory, stem_for
from memory_ls.directory.new_memory import new_name
from memory_ls.directory.style import Style, style_by
from memory_ls.documents.names import slug, stem_of
from memory_ls.rules.fixes.fix import Fix, memory_of
from memory_ls.rules.fixes.keys import is_writable
from memory_ls.rules.naming import alike
from memory_ls.rules.registry import Context, Diagnostic


def not_kebab(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The name as words joined by hyphens."""
    document = memory_of(context, key)
    if document.name is not None and is_writable(document):
        yield from _renamed(context, key, slug(document.name))


def unsafe(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The name that the file has; or the name as words joined by hyphens."""
    document = memory_of(context, key)
    if document.name is not None and is_writable(document):
        for name in dict.fromkeys((_name_of_file(context, key), slug(document.name))):
            yield from _renamed(context, key, name)


def differs_from_file(context: Context, key: str, finding: Diagnostic) -> Iterator[Fix]:
    """The name that the file has; or a file that is called as the memory is."""
    document = memory_of(context, key)
    if document.name is None or not is_writable(document):
        return
    name = _name_of_file(context, key)
    if alike(name, stem_of(key)):  # it is not where another memory has it
        yield from _renamed(context, key, name)
    stem = slug(document.name)
    if posixpath.join(posixpath.dirname(key), f"{stem}.md") in context.directory.files.names:
        return
    yield Fix(
        f"Rename the file to `{stem}.md`",
        lambda: rename_memory(context.directory, key, stem, _style(context), by_stem=True),
        is_choice=True,
        needs=ChangeKind.RENAME,
    )


def _name_of_file(context: Context, key: str) -> str:
    return new_name(context.directory, key, Style(dialect=memory_of(context, key).dialect))


def _renamed(context: Context, key: str, name: str) -> Iterator[Fix]:
    if name == memory_of(context, key).name:
        return
    takes_file_along = stem_for(context.directory, key, name) != stem_of(key)
    yield Fix(
        f"Name it `{name}`, also in all links",
        lambda: rename_memory(context.directory, key, name, _style(context)),
        needs=ChangeKind.RENAME if takes_file_along else ChangeKind.EDIT,
    )


def _style(context: Context) -> Style:
    return style_by(context.directory, context.settings)
