"""A memory that a dead link names and that is not there: a new file, with what is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from memory_ls.changes.index_insertion import Layout
from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.directory.listed import is_listed, points_at_memories
from memory_ls.directory.loader import is_candidate
from memory_ls.directory.resolve import TargetKind, relative_key, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import style_by
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.edits import Edit
from memory_ls.documents.index import INDEX_NAME, IndexEntry
from memory_ls.documents.memory import Dialect
from memory_ls.documents.names import (
    MEMORY_TYPES,
    fold,
    slug,
    stem_of,
    unfit_reason,
    unsafe_reason,
    without_type_prefix,
)
from memory_ls.documents.new_memory import memory_text
from memory_ls.rules.fixes.fix import Fix, document_of, edit_change
from memory_ls.rules.registry import Context
from memory_ls.secret_scan import find_secrets


def create(context: Context, key: str, link: Link, entry: IndexEntry | None = None) -> Iterator[Fix]:
    """The memory that the dead ``link`` in the document ``key`` names; ``entry`` is the one in the index that links it."""
    new = _key_for(context.directory, key, link)
    if new is not None:
        title = f"Create the memory `{new}`"
        yield Fix(title, lambda: _created(context, key, link, new, entry), is_choice=True, needs=ChangeKind.CREATE)


def _key_for(directory: MemoryDirectory, key: str, link: Link) -> str | None:
    """The file that the memory would lie in; ``None`` where none can be."""
    if link.kind is LinkKind.WIKI:
        if "/" in link.target:
            return None
        target = stem_of(link.target)
        new: str | None = f"{target if _is_stem(target) else slug(target)}.md"
    elif link.kind in (LinkKind.INLINE, LinkKind.CODE, LinkKind.DEFINITION):
        new = relative_key(directory, key, link.target)
    else:
        return None
    if new is None or not new.endswith(".md") or not is_candidate(new) or unsafe_reason(stem_of(new)):
        return None
    return None if new in directory.files.names or new == INDEX_NAME else new


def _is_stem(target: str) -> bool:
    return unfit_reason(target) is None and not any(map(str.isspace, target))


def _created(context: Context, key: str, link: Link, new: str, entry: IndexEntry | None) -> Iterator[Change]:
    directory, text = context.directory, document_of(context, key).source.text
    style = style_by(directory, context.settings).for_new_memory()
    name = _name_for(link, new, is_title=style.dialect is Dialect.FLAT)
    said = " ".join(entry.description_span.of(text).split()) if entry is not None else ""
    if find_secrets(said):
        raise CannotChangeError("What the index says of it holds a secret, which has no place in a memory.")
    written = memory_text(name, said, _kind_of(directory, new), said, style.dialect, style.dates(context.today))
    written = written.replace("\n", style.line_end)
    after = directory.with_document(new, written)
    if resolve(after, key, link).kind is not TargetKind.MEMORY:
        raise CannotChangeError(f"No memory that the link finds can be called `{link.target}`.")
    yield Change(1, new, ChangeKind.CREATE, None, (Edit(0, 0, written),))
    if entry is None and points_at_memories(directory) and not is_listed(after, new):
        yield from listing(context, after, new)


def listing(context: Context, after: MemoryDirectory, key: str) -> Iterator[Change]:
    """The entry for the memory ``key`` in the index; ``after`` is the directory with it, and the same index."""
    style = style_by(context.directory, context.settings)
    insertion = Layout(context.directory).insertion(after, key, style)
    yield edit_change(context, INDEX_NAME, (*insertion.ground, insertion.edit))


def _name_for(link: Link, new: str, *, is_title: bool) -> str:
    """The name that ``link`` finds; where names are no titles as words joined by hyphens, which it finds just as well."""
    if link.kind is not LinkKind.WIKI:
        return slug(without_type_prefix(stem_of(new)) or stem_of(new))
    target = stem_of(link.target)
    hyphenated = slug(target)
    # A link finds a name also with spaces for hyphens, but not another case without a hint.
    return hyphenated if not is_title and fold(target) == hyphenated and target == target.lower() else target


def _kind_of(directory: MemoryDirectory, key: str) -> str:
    """The type that the file's name begins with; else the one that most memories have."""
    stem = stem_of(key).lower()
    if without_type_prefix(stem) is not None:
        return next(kind for kind in MEMORY_TYPES if stem.startswith(kind))
    kinds = Counter(document.type for document in directory.documents.values() if document.type in MEMORY_TYPES)
    return kinds.most_common(1)[0][0] or "project" if kinds else "project"
