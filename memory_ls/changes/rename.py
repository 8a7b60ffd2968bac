"""Renaming a memory: its name, its file where that was made from the name, and every link and label that said so."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice

from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind, Plan
from memory_ls.changes.relink import (
    Moves,
    PathWriting,
    Relinking,
    Way,
    is_inside,
    links_for,
    ways_between,
    written_alike,
)
from memory_ls.directory.backlinks import links_to_points, points_of
from memory_ls.directory.listing import one_line
from memory_ls.directory.loader import is_candidate
from memory_ls.directory.snapshot import MemoryDirectory, name_tokens
from memory_ls.directory.style import Style, style_of
from memory_ls.directory.writing import is_target
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.frontmatter_edits import set_value
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import Dialect, MemoryDocument
from memory_ls.documents.names import fold, fold_path, slug, stem_of, unfit_reason, unsafe_reason, without_type_prefix
from memory_ls.settings import Settings

# ---- what is asked for


def rename_memory(
    directory: MemoryDirectory, key: str, new: str, style: Style, *, by_stem: bool = False
) -> tuple[Change, ...]:
    """The memory ``key`` gets the name ``new``, or with ``by_stem`` its file does; nothing where it has it already.

    The other one follows where it was made from the first. A memory without a name has none afterwards either.

    Raises:
        CannotChangeError: such a name can't be, or is another memory's.
    """
    new = new.strip()
    document = directory.documents.get(key)
    if document is None:
        raise CannotChangeError(f"{key} is no memory that could be renamed.", kind="notFound")
    _refuse_if_unfit(new)
    if by_stem or document.name is None:
        new_key = _in_same_directory(key, new.removesuffix(".md"))
        name = name_for(directory, key, new_key)
    else:
        # Where names are no titles, whoever types the ending means the file.
        name = new if document.dialect is Dialect.FLAT or _without_md(document.name)[1] else _without_md(new)[0]
        _refuse_unsafe_name(document, key, name)
        new_key = _in_same_directory(key, stem_for(directory, key, name))
    _refuse_unsafe_file(directory, key, new_key)
    _refuse_taken(directory, key, new_key, name)
    return _renamed(directory, key, new_key, name, style)


def rename(directory: MemoryDirectory, key: str, new: str, *, settings: Settings) -> Plan:
    """:func:`rename_memory` as a plan of one operation.

    Raises:
        CannotChangeError: as for :func:`rename_memory`.
    """
    changes = rename_memory(directory, key, new, style_of(directory, settings.dialect))
    old = directory.documents[key].name or stem_of(key)
    return Plan(directory.root, f"Rename {one_line(old, 60)} to {one_line(new, 60)}", changes)


def _renamed(directory: MemoryDirectory, key: str, new_key: str, name: str | None, style: Style) -> tuple[Change, ...]:
    """The memory gets another key and name (``None`` for one that stays), and all links go with it."""
    document = directory.documents[key]
    edits = {key: list(name_edits(document, key, name))}
    after = with_files_renamed(directory, {key: new_key}, {key: applied(document.source.text, edits[key])})
    tokens = name_tokens(key, document) | name_tokens(new_key, after.documents[new_key])
    relinking = Relinking(directory, after, Moves({key: new_key}), style)
    for source, edit in chain(relinking.edits(links_for(directory, tokens, ())), relinking.mentions([key])):
        edits.setdefault(source, []).append(edit)
    return text_changes(directory, edits, {key: new_key})


def name_edits(document: MemoryDocument, key: str, name: str | None) -> tuple[Edit, ...]:
    """What gives a memory another name.

    Raises:
        CannotChangeError: its frontmatter can't be written into.
    """
    if name is None or name == document.name:
        return ()
    try:
        return set_value(document, "name", name)
    except CannotEditError as error:
        raise CannotChangeError(f"The name in {key} can't be changed. {error}") from None


def text_changes(
    directory: MemoryDirectory, edits: Mapping[str, list[Edit]], new_keys: Mapping[str, str]
) -> tuple[Change, ...]:
    """``edits`` of documents as changes; those in ``new_keys`` are renamed too."""
    changes = []
    for key in sorted(edits):
        new = new_keys.get(key, key)
        document = directory.document(key) or directory.others[key]
        if new != key:
            changes.append(Change(1, key, ChangeKind.RENAME, document.source.text, tuple(sorted(edits[key])), new))
        elif edits[key]:
            changes.append(Change(1, key, ChangeKind.EDIT, document.source.text, tuple(sorted(edits[key]))))
    return tuple(changes)


def with_files_renamed(
    directory: MemoryDirectory, files: Mapping[str, str], texts: Mapping[str, str]
) -> MemoryDirectory:
    """The directory after ``files`` went elsewhere, the memories among them with ``texts``. All links are as they were."""
    # A line in the index, which may make one a memory, follows later.
    after = replace(directory, lenient=True)
    for key in files:
        after = after.without(key) if files[key] != key else after
    for key, new in files.items():
        if key in texts and is_candidate(new):
            after = after.with_document(new, texts[key])
        elif is_inside(new):
            after = after.with_files((new,))
    return after


# ---- names that no memory has


def rename_dead(directory: MemoryDirectory, source: str, link: Link, new: str) -> tuple[Change, ...]:
    """The dead ``link`` in ``source``, and all that lead to where it would, get the name ``new``.

    Raises:
        CannotChangeError: a link can't hold such a name.
    """
    new = _without_md(new.strip())[0]
    _refuse_if_unfit(new)
    edits: dict[str, list[Edit]] = {}
    for key, other in links_to_points(directory, points_of(directory, source, link, with_anchor=False)):
        if other.kind is LinkKind.REFERENCE:
            continue
        document = directory.document(key)
        assert document is not None
        edits.setdefault(key, []).append(_retargeted(document.source.text, link, other, new))
    return text_changes(directory, edits, {})


def _retargeted(text: str, link: Link, other: Link, new: str) -> Edit:
    if other.kind is LinkKind.WIKI:
        name, suffix = _without_md(other.target)
        target = written_alike(_without_md(link.target)[0], name, new)
        if not is_target(target):
            raise CannotChangeError(f"A link can't lead to `{new}`.", key="name")
        return Edit(*other.target_span, target + suffix)
    if not _is_fit_for_file(new):
        raise CannotChangeError(f"A file can't be called `{new}`.", key="name")
    writing = PathWriting(other, text)
    last, suffix = _without_md(writing.segments[-1])
    target = written_alike(stem_of(link.target), last, new) + suffix
    return Edit(*other.target_span, writing.with_rest(len(writing.segments) - 1, target))


def _without_md(target: str) -> tuple[str, str]:
    return (target[:-3], target[-3:]) if target[-3:].lower() == ".md" else (target, "")


# ---- names and files that were made from each other


def stem_for(directory: MemoryDirectory, key: str, name: str) -> str:
    """The stem of the memory ``key`` once it is called ``name``: its own, where that was not made from its name."""
    document, stem = directory.documents[key], stem_of(key)
    old = document.name
    if old is None:
        return stem
    for lead, short in _parts(stem):
        for old_short, new_short in ((old, name), (without_type_prefix(old), without_type_prefix(name) or name)):
            if old_short is None or not _made_from(old_short, short):
                continue
            if lead and (without_type_prefix(slug(new_short)) and slug(new_short).startswith(fold(lead))):
                lead = ""  # the new name brings it along
            way = _way(directory, document.dialect, old_short, lead, short)
            made = lead + (way(new_short) if way is not None else slug(new_short))
            return made if _is_fit_for_file(made) else lead + slug(new_short)
    return stem


def name_for(directory: MemoryDirectory, key: str, new_key: str) -> str | None:
    """The name of the memory ``key`` once its file is ``new_key``; ``None`` where its name stays.

    It stays where it is a title that nobody could make out of the file's name.
    """
    document, stem, new = directory.documents[key], stem_of(key), stem_of(new_key)
    name = document.name
    if name is None or stem == new:
        return None
    if name == stem:
        return new
    if _is_title(document):
        return None
    for lead, short in _parts(stem):
        for name_lead, name_short in _parts(name):
            way = next(iter(ways_between(short, name_short)), None)
            if way is not None:
                return name_lead + way(new[len(lead) :] if new.startswith(lead) and len(new) > len(lead) else new)
    return None


def _parts(stem: str) -> Iterator[tuple[str, str]]:
    """What stands before the part that was made from a name, and that part: the whole stem, or all but its type."""
    yield "", stem
    short = without_type_prefix(stem)
    if short is not None:
        yield stem[: len(stem) - len(short)], short


def _is_title(document: MemoryDocument) -> bool:
    """Whether the name is for people alone, and not the key under which agents look the memory up."""
    name = document.name or ""
    return document.dialect is Dialect.FLAT and (" " in name or name != name.lower())


def _made_from(name: str, stem: str) -> bool:
    return fold(stem) in (fold(name), fold(slug(name)))


# So many other memories are asked how they write their files.
_SAMPLE = 200


def _way(directory: MemoryDirectory, dialect: Dialect, name: str, lead: str, stem: str) -> Way | None:
    """How ``stem``, behind ``lead``, was made from ``name``. One word does not tell all of it; then the neighbours do."""
    is_of_title = dialect is Dialect.FLAT and (lead or name != stem)
    ways = ways_between(name, stem, slugs_first=lead[-1:] or "-" if is_of_title else None)
    if len(ways) < 2:
        return ways[0] if ways else None
    votes: Counter[int] = Counter()
    alike = (pair for pair in directory.documents.items() if pair[1].dialect is dialect)
    for other, document in islice(alike, _SAMPLE):
        neighbour = document.name
        for _, short in _parts(stem_of(other)) if neighbour else ():
            votes.update(number for number, way in enumerate(ways) if neighbour and way(neighbour) == short)
    return ways[max(range(len(ways)), key=lambda number: (votes[number], -number))]


# ---- what can't be


_MOST_BYTES = 255


def _is_fit_for_file(stem: str) -> bool:
    """Whether a stem is safe, and links in every form can hold it."""
    return unfit_reason(stem) is None


def _refuse_if_unfit(new: str) -> None:
    if not new:
        raise CannotChangeError("A name can't be blank.", key="name")
    if any(unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029" for c in new):
        raise CannotChangeError("A name can't hold control characters or line breaks.", key="name")


def _refuse_unsafe_name(document: MemoryDocument, key: str, name: str) -> None:
    reason = unsafe_reason(name)
    if reason and (document.name == stem_of(key) or not _is_title(document)):
        raise CannotChangeError(f"A memory can't be called `{name}`, because {reason}.", key="name")
    if name == stem_of(INDEX_NAME):
        raise CannotChangeError(f"A memory can't be called `{name}`: that is the index.", key="name")


def _in_same_directory(key: str, stem: str) -> str:
    if "/" in stem:
        raise CannotChangeError(f"A file can't be called `{stem}`, because it holds a path separator.", key="name")
    return f"{key[: len(key) - len(key.rpartition('/')[2])]}{stem}.md"


def _refuse_unsafe_file(directory: MemoryDirectory, key: str, new: str) -> None:
    if new == key:
        return
    stem = stem_of(new)
    reason = unfit_reason(stem)
    if not reason and len(f"{stem}.md".encode("utf-8", "surrogatepass")) > _MOST_BYTES:
        reason = "it is too long"
    if not reason and fold_path(stem) == fold_path(stem_of(INDEX_NAME)):
        reason = "that is the index"
    if not reason and not is_candidate(new):
        reason = "no memory lies there"
    if reason:
        raise CannotChangeError(f"A file can't be called `{one_line(stem, 60)}.md`, because {reason}.", key="name")


def _refuse_taken(directory: MemoryDirectory, key: str, new: str, name: str | None) -> None:
    """Makes sure that no other memory or file is called so, to whoever does not look at case and hyphens."""
    there = directory.files.by_folded.get(fold_path(new))
    if there is not None and there != key:
        raise CannotChangeError(f"There is already a file {there}.", kind="exists", key="name")
    tables = directory.names
    for called in filter(None, (name, stem_of(new))):
        hits: Iterable[str] = (
            *tables.by_folded_name.get(fold(called), ()),
            *tables.by_folded_stem.get(fold(called), ()),
        )
        other = next((hit for hit in hits if hit != key), None)
        if other is not None and called not in (directory.documents[key].name, stem_of(key)):
            raise CannotChangeError(f"There is already a memory called `{called}`: {other}.", kind="exists", key="name")
