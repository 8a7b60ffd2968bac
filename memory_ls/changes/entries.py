"""Memories that come, change, go stale and go: what each operation does to its file and to the index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import TypeVar

from memory_ls.changes.hooks import hook_after
from memory_ls.changes.index_edits import remove_entries
from memory_ls.changes.index_insertion import NEW_INDEX, Insertion, Layout
from memory_ls.changes.index_lines import entries_of, key_of
from memory_ls.changes.plan import GROUND, CannotChangeError, Change, ChangeKind, Plan, combined
from memory_ls.directory.backlinks import Point, links_to_points
from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import one_line
from memory_ls.directory.resolve import TargetKind, resolve, resolve_name
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import style_by
from memory_ls.directory.writing import entry_text, fitting
from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.frontmatter_edits import place_of, remove_key, replace_body, set_value, with_block
from memory_ls.documents.index import INDEX_NAME, IndexEntry
from memory_ls.documents.memory import STALE, UPDATED_KEYS, Dialect, MemoryDocument
from memory_ls.documents.names import (
    MEMORY_TYPES,
    fold,
    fold_path,
    slug,
    stem_of,
    unfit_reason,
    unsafe_reason,
    without_type_prefix,
)
from memory_ls.documents.new_memory import block_text, memory_text
from memory_ls.secret_scan import find_secrets
from memory_ls.settings import Settings

# File systems allow 255 bytes, and programs that replace files add some.
_MOST_STEM_BYTES = 220
_MOST_OF_A_NAME = 60


class Draft:
    """A plan in the making: operations on one snapshot, each numbered, that can be applied together or in part."""

    def __init__(self, directory: MemoryDirectory, settings: Settings, today: date) -> None:
        self._before = directory
        self._after = directory
        self._settings = settings
        self._today = today
        self._style = style_by(directory, settings)
        self._changes: list[Change] = []
        self._insertions: list[tuple[int, str, Insertion]] = []
        self._index_edits: list[tuple[int, tuple[Edit, ...]]] = []
        self._touched: set[str] = set()
        self.warnings: list[str] = []

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self._before)

    @property
    def directory(self) -> MemoryDirectory:
        """The snapshot with the memories that the operations so far bring and change."""
        return self._after

    # ---- operations

    def write(self, operation: int, name: str, kind: str | None, description: str, content: str) -> tuple[str, bool]:
        """Adds a memory, or updates the one that ``name`` means as links do; its name, and whether it is new.

        Raises:
            CannotChangeError: it can't be written; the message says why.
        """
        key = self.find(name)
        if key is not None:
            return self.update(operation, key, kind, description, content), False
        return self.add(operation, name, kind, description, content), True

    def find(self, name: str) -> str | None:
        """The key of the memory that ``name`` means; ``None`` when there is none.

        Raises:
            CannotChangeError: it may mean several.
        """
        target = resolve_name(self._after, name.strip()) if name.strip() else None
        if target is None or target.kind is TargetKind.DEAD:
            return None
        if target.kind is TargetKind.AMBIGUOUS:
            choices = [key.removesuffix(".md") for key in target.keys]
            message = f"`{name}` may mean any of {', '.join(choices)}: say which."
            raise CannotChangeError(message, kind="ambiguous", key="name", choices=choices)
        return target.keys[0] if target.kind is TargetKind.MEMORY else None

    def add(self, operation: int, name: str, kind: str | None, description: str, content: str) -> str:
        """A new memory in the directory's style, with an entry where there is an index; its name.

        The first memory of an empty directory brings the index with it.

        Raises:
            CannotChangeError: the name is not safe or taken, the type is none, or a secret would be written.
        """
        key = self.find(name)
        if key is not None:
            message = f"There is a memory `{one_line(name, 60)}` already: {key}."
            raise CannotChangeError(message, kind="exists", key="name", choices=(key.removesuffix(".md"),))
        self.create(operation, name, kind, description, content)
        return name.strip()

    def fit_name(self, name: str) -> str:
        """A name as a new memory may have it: its words joined by hyphens, where it holds what no file or link can."""
        is_title = self._style.for_new_memory().dialect is Dialect.FLAT
        return name if is_title or unsafe_reason(name) or not unfit_reason(name) else slug(name)

    def create(
        self,
        operation: int,
        name: str,
        kind: str | None,
        description: str,
        content: str,
        *,
        folder: str = "",
        is_listed: bool = True,
    ) -> str:
        """As :meth:`add`, in the sub-directory ``folder`` (with a final ``/``) and listed where that is asked; its key.

        Raises:
            CannotChangeError: as for :meth:`add`.
        """
        name = name.strip()
        kind = _type(kind)
        _refuse_secrets(name=name, description=description, content=content)
        key = self._new_key(name, kind, folder)
        style = self._style.for_new_memory()
        text = memory_text(name, one_line(description), kind, content, style.dialect, style.dates(self._today))
        made = MemoryDocument.parse(text)
        if made.name != name:
            raise CannotChangeError(f"`{one_line(name)}` can't be the name of a memory.", key="name")
        self.put(operation, key, text.replace("\n", style.line_end), is_listed=is_listed)
        return key

    def put(self, operation: int, key: str, text: str, *, is_listed: bool = True) -> None:
        """A new file ``key`` with the whole ``text`` of a memory, and its entry as for :meth:`add`.

        Raises:
            CannotChangeError: no entry can lead to it.
        """
        self._changes.append(Change(operation, key, ChangeKind.CREATE, None, (Edit(0, 0, text),)))
        self._touched.add(key)
        self._after = self._after.with_document(key, text)
        if is_listed:
            self._enter(operation, key)

    def replace(self, operation: int, key: str, edits: tuple[Edit, ...]) -> None:
        """Edits of the memory ``key``, or of the index, as they stand before any operation."""
        if key == INDEX_NAME:
            self._index_edits.append((operation, edits))
        else:
            self._edit(operation, key, self._document(key), edits)

    def update(self, operation: int, key: str, kind: str | None, description: str, content: str) -> str:
        """New content for the memory ``key``, whose name, file, other keys and dates of making stay; its name.

        Type, description and content stay where they are not given. It is no longer stale.

        Raises:
            CannotChangeError: it can't be written without a risk to what stands there.
        """
        document = self._document(key)
        kind = _type(kind) if kind is not None and kind.strip() else None
        _refuse_secrets(description=description, content=content)
        edits = _no_risk(key, lambda: self._updates(key, document, kind, one_line(description), content))
        after = MemoryDocument.parse(applied(document.source.text, edits))
        if document.frontmatter is not None and after.name != document.name:
            raise CannotChangeError(f"{key} can't be updated without changing more of it than was asked for.")
        if edits:
            self._edit(operation, key, document, edits)
            if retold := tuple(self._retold(key, document.description or "", one_line(description))):
                self._index_edits.append((operation, retold))
        return document.name or stem_of(key)

    def mark_stale(self, operation: int, key: str) -> str:
        """The memory ``key`` says of itself that it is stale; its name.

        Raises:
            CannotChangeError: it has no frontmatter that could say so.
        """
        document = self._document(key)
        path = place_of(document, "status")
        if not document.is_marked_stale:
            self._edit(operation, key, document, _no_risk(key, lambda: set_value(document, path, STALE)))
        return document.name or stem_of(key)

    def delete(self, operation: int, keys: Collection[str]) -> None:
        """The memories ``keys`` and their entries go. What else links them is told of in a warning."""
        keys = frozenset(keys)
        for key in sorted(keys):
            text = self._document(key).source.text
            self._changes.append(Change(operation, key, ChangeKind.DELETE, text))
            self._touched.add(key)
        index = self._before.index
        edits = remove_entries(index, entries_of(self._before, keys)) if index is not None else ()
        if edits:
            self._index_edits.append((operation, edits))
        self.warnings.extend(self._dead_links(keys, edits))
        self.warnings.extend(self._unlisted(keys, edits))

    # ---- the plan

    def plan(self, title: str) -> Plan:
        """All operations so far as one plan.

        Raises:
            CannotChangeError: two of them change the same place.
        """
        changes = (*self._changes, *self._index_changes())
        try:
            warnings = (*self.warnings, *self._warnings_of_index(changes))
        except CannotEditError as error:
            raise CannotChangeError(f"The operations can't be done together: {error}") from error
        return Plan(self._before.root, title, changes, tuple(dict.fromkeys(warnings)))

    def _index_changes(self) -> Iterator[Change]:
        before = self._before.index.source.text if self._before.index is not None else None
        if before is None and self._insertions:
            opening = NEW_INDEX.replace("\n", self._style.line_end)
            yield Change(GROUND, INDEX_NAME, ChangeKind.CREATE, None, (Edit(0, 0, opening),))
        ground = tuple(dict.fromkeys(edit for _, _, insertion in self._insertions for edit in insertion.ground))
        if ground:
            yield Change(GROUND, INDEX_NAME, ChangeKind.EDIT, before, ground)
        # What goes to one place is put there in the order of the changes.
        for operation, _, insertion in sorted(self._insertions, key=lambda item: item[2].rank):
            yield Change(operation, INDEX_NAME, ChangeKind.EDIT, before, (insertion.edit,))
        for operation, edits in self._index_edits:
            yield Change(operation, INDEX_NAME, ChangeKind.EDIT, before, edits)

    def _warnings_of_index(self, changes: Iterable[Change]) -> Iterator[str]:
        """What becomes of the load limit, and of entries that can't be read where they had to go."""
        after = next((change.after for change in combined(changes) if change.path == INDEX_NAME), None)
        if after is None:
            return
        listed = self._after.with_document(INDEX_NAME, after)  # of a long index it reads only what is new
        index = listed.index
        assert index is not None
        limits = self._settings.index_max_lines, self._settings.index_max_bytes
        load = index.load(*limits)
        entries = {key_of(listed, entry): entry for entry in index.entries()} if self._insertions else {}
        unlisted: list[str] = []
        unread: list[str] = []
        lost: list[str] = []
        for _, key, insertion in self._insertions:
            name = one_line(self._after.documents[key].name or stem_of(key), _MOST_OF_A_NAME)
            entry = entries.get(key)
            if insertion.is_after_prose:
                unlisted.append(name)
            if entry is None:
                unread.append(name)
            elif load.first_lost is not None and entry.span.start >= load.first_lost:
                lost.append(name)
        if unlisted:
            put = "was" if len(unlisted) == 1 else "were"
            yield f"`{INDEX_NAME}` has no list: {_entries_for(unlisted)} {put} put at its end."
        if unread:
            put = "stands" if len(unread) == 1 else "stand"
            yield f"In `{INDEX_NAME}`, {_entries_for(unread)} {put} where no entry is read."
        was = self._before.index.load(*limits).first_lost if self._before.index is not None else None
        used = f"{load.lines:,} of {limits[0]:,} lines, {load.size:,} of {limits[1]:,} bytes"
        if lost:
            yield f"`{INDEX_NAME}` is longer than agents load ({used}): they never see {_entries_for(lost)}."
        elif self._insertions and load.first_lost is not None and was is None:
            yield f"`{INDEX_NAME}` is now longer than agents load ({used}): its end is never read."

    # ---- parts

    def _document(self, key: str) -> MemoryDocument:
        if key in self._touched:
            raise CannotChangeError(f"{key} is changed by another operation of the same plan.")
        if key not in self._before.documents:
            raise CannotChangeError(f"There is no memory {key}.", kind="notFound", key="name")
        return self._before.documents[key]

    def _edit(self, operation: int, key: str, document: MemoryDocument, edits: tuple[Edit, ...]) -> None:
        text = document.source.text
        self._changes.append(Change(operation, key, ChangeKind.EDIT, text, edits))
        self._touched.add(key)
        self._after = self._after.with_document(key, applied(text, edits))

    def _updates(
        self, key: str, document: MemoryDocument, kind: str | None, description: str, content: str
    ) -> tuple[Edit, ...]:
        edits: list[Edit] = []
        if document.frontmatter is None:
            if kind is not None or description:
                block = block_text(stem_of(key), description, kind or "", self._style.for_new_memory().dialect, {})
                edits.extend(with_block(document, block))
        else:
            if description:
                edits.extend(set_value(document, "description", description))
            if kind is not None and not (document.dialect is Dialect.BARE and document.type is None):
                edits.extend(set_value(document, place_of(document, "type"), kind))
            edits.extend(self._refreshed(key, document))
        if content.strip():
            edits.extend(replace_body(document, content))
        return tuple(edits)

    def _retold(self, key: str, old: str, new: str) -> Iterator[Edit]:
        """Where the index repeats what changes in a description, it says what is so now; other words stay."""
        index = self._before.index
        if index is None or not old or not new:
            return
        text, source = index.source.text, index.source
        for entry in self._entries.get(key, ()):
            span = entry.description_span
            said = one_line(span.of(text))
            told = hook_after(said, one_line(old), one_line(new))
            if told != said:
                used = span.start - source.line_starts[source.line_of(span.start)]
                yield Edit(span.start, span.end, fitting(told, self._style, used))

    @cached_property
    def _entries(self) -> dict[str, list[IndexEntry]]:
        """The entries of each memory."""
        found: dict[str, list[IndexEntry]] = {}
        for entry in self._before.index.entries() if self._before.index is not None else ():
            key = key_of(self._before, entry)
            if key is not None:
                found.setdefault(key, []).append(entry)
        return found

    def _refreshed(self, key: str, document: MemoryDocument) -> Iterator[Edit]:
        """The dates of change that are there say today, and what is up to date is not stale."""
        if document.frontmatter is not None and document.frontmatter.invalid:
            self.warnings.append(f"The frontmatter of {key} is not valid YAML, so its dates were left as they are.")
            return
        for path in UPDATED_KEYS:
            if path in document.date_keys:
                yield from set_value(document, path, self._today.isoformat())
        if document.is_marked_stale:
            yield from remove_key(document, place_of(document, "status"))

    def _new_key(self, name: str, kind: str, folder: str) -> str:
        style = self._style.for_new_memory()
        reason = unfit_reason(name) if style.dialect is not Dialect.FLAT else _unsafe_title(name)
        if name == stem_of(INDEX_NAME):
            reason = "links take it for the index"
        if reason is not None:
            raise CannotChangeError(f"`{one_line(name)}` can't be the name of a memory: {reason}.", key="name")
        stem = self._stem(name, kind)
        if len(stem.encode("utf-8", "replace")) > _MOST_STEM_BYTES:
            raise CannotChangeError("The name is too long for a file: take a shorter one.", key="name")
        taken = {fold(stem_of(path)) for path in self._after.files.names}
        folded = {fold_path(path) for path in self._after.files.names}
        for number in range(1, len(taken) + 3):
            numbered = stem if number == 1 else f"{stem}{style.word_separator}{number}"
            key = f"{folder}{numbered}.md"
            if fold(stem_of(key)) not in taken and fold_path(key) not in folded and fold(stem_of(key)) != "memory":
                return key
        raise CannotChangeError(f"`{one_line(name)}` can't be the name of a memory: it is taken.", key="name")

    def _stem(self, name: str, kind: str) -> str:
        """The stem of a new memory: its name where that is a word already, else a slug, as the directory has them."""
        style = self._style.for_new_memory()
        is_word = unsafe_reason(name) is None and not any(map(str.isspace, name))
        if not style.type_separator:
            stem = name if is_word and style.dialect is not Dialect.FLAT else slug(name)
            return stem.replace("-", "_") if style.word_separator == "_" else stem
        short = without_type_prefix(name) if name.lower().startswith(kind) else None
        words = slug(short or name).replace("-", style.word_separator)
        return f"{kind}{style.type_separator}{words}"

    def _enter(self, operation: int, key: str) -> None:
        """The new memory's entry, if there is an index, or none because there was no memory."""
        if self._before.index is not None:
            opened = {insertion.section for _, _, insertion in self._insertions}
            insertion = _no_risk(key, lambda: self._layout.insertion(self._after, key, self._style, opened=opened))
            self._insertions.append((operation, key, insertion))
        elif INDEX_NAME in self._before.files.names:
            self.warnings.append(f"`{INDEX_NAME}` can't be read, so {key} was not listed in it.")
        elif not self._before.documents:
            entry = entry_text(self._after, key, self._style)
            name = self._after.documents[key].name or stem_of(key)
            edit = Edit(0, 0, f"- {entry}{self._style.line_end}")
            self._insertions.append((operation, key, Insertion(edit, order=fold(name))))

    def _dead_links(self, keys: Collection[str], edits: tuple[Edit, ...]) -> Iterator[str]:
        dead: dict[str, dict[str, None]] = {}
        starts = [edit.start for edit in edits]
        for source, link in links_to_points(self._before, [Point(key) for key in keys]):
            number = bisect_right(starts, link.start) - 1
            is_gone = source == INDEX_NAME and number >= 0 and link.start < edits[number].end
            if source not in keys and not is_gone:
                for key in resolve(self._before, source, link).keys:
                    dead.setdefault(key, {})[source] = None
        for key in sorted(dead.keys() & keys):
            name = self._before.documents[key].name or stem_of(key)
            yield f"Links to `{name}` go dead in {', '.join(dead[key])}."

    def _unlisted(self, gone: Collection[str], edits: tuple[Edit, ...]) -> Iterator[str]:
        """Memories that stay, and that only the entries of those that are ``gone`` mentioned in the index."""
        index = self._before.index
        if index is None or not edits or len(gone) == len(self._before.documents):
            return
        starts = [edit.start for edit in edits]
        keys: set[str] = set()
        for link in index.links():
            number = bisect_right(starts, link.start) - 1
            if number >= 0 and link.start < edits[number].end:
                keys.update(resolve(self._before, INDEX_NAME, link).keys)
        keys.difference_update(gone)
        if not keys:
            return
        after = self._before.with_document(INDEX_NAME, applied(index.source.text, edits))
        for key in sorted(keys & self._before.documents.keys()):
            if not is_listed(after, key):
                name = self._before.documents[key].name or stem_of(key)
                yield f"`{INDEX_NAME}` mentions `{name}` no longer: it stood in an entry that goes."


def _entries_for(names: Sequence[str]) -> str:
    return f"the entry for `{names[0]}`" if len(names) == 1 else f"the entries for {len(names):,} new memories"


def _type(kind: str | None) -> str:
    wanted = (kind or "").strip().lower()
    if wanted not in MEMORY_TYPES:
        what = f"`{one_line(kind or '', 40)}` is no type of memory" if wanted else "A new memory needs a type"
        raise CannotChangeError(f"{what}: say one of {', '.join(MEMORY_TYPES)}.", key="type", choices=MEMORY_TYPES)
    return wanted


def _unsafe_title(name: str) -> str | None:
    """Why ``name`` can't be a title, which may hold what a file name may not."""
    if not name:
        return "it is blank"
    return unsafe_reason(f"x{name.replace('/', ' ').replace(chr(92), ' ')}")


def _refuse_secrets(**texts: str) -> None:
    for key, text in texts.items():
        for secret in find_secrets(text):
            message = f"The {key} holds a secret ({secret.kind}), which has no place in a memory. Leave it out."
            raise CannotChangeError(message, kind="secret", key=key)


_Result = TypeVar("_Result")


def _no_risk(key: str, make: Callable[[], _Result]) -> _Result:
    try:
        return make()
    except CannotEditError as error:
        raise CannotChangeError(f"{key} can't be changed: {error}") from error


# ---- plans of one thing


def write(
    directory: MemoryDirectory,
    name: str,
    kind: str | None,
    description: str,
    content: str,
    *,
    settings: Settings,
    today: date,
) -> Plan:
    """Adds a memory, or updates the one that ``name`` means.

    Raises:
        CannotChangeError: it can't be written; the message says why.
    """
    draft = Draft(directory, settings, today)
    written, _ = draft.write(1, name, kind, description, content)
    return draft.plan(f"Write {one_line(written, 60)}")


def delete(directory: MemoryDirectory, name: str, *, settings: Settings, today: date) -> Plan:
    """The memory that ``name`` means and its entry go.

    Raises:
        CannotChangeError: there is none, or there are several.
    """
    draft = Draft(directory, settings, today)
    key = draft.find(name)
    if key is None:
        raise not_found(directory, name)
    draft.delete(1, (key,))
    return draft.plan(f"Delete {one_line(directory.documents[key].name or stem_of(key), 60)}")


def clear(directory: MemoryDirectory, *, settings: Settings, today: date) -> Plan:
    """All memories and their entries go, in one operation. What else stands in the index stays, and other files do."""
    draft = Draft(directory, settings, today)
    if directory.documents:
        draft.delete(1, tuple(directory.documents))
    return draft.plan(f"Clear {_counted(len(directory.documents))}")


def mark_stale(
    directory: MemoryDirectory,
    *,
    settings: Settings,
    today: date,
    names: Collection[str] = (),
    older_than_days: int | None = None,
) -> Plan:
    """The memories ``names``, or those not touched for ``older_than_days``, are marked as stale, each an operation.

    With neither, those older than the setting ``staleDays``.

    Raises:
        CannotChangeError: a name means no memory, or several.
    """
    draft = Draft(directory, settings, today)
    keys = []
    for name in names:
        key = draft.find(name)
        if key is None:
            raise not_found(directory, name)
        keys.append(key)
    if not names:
        days = settings.stale_days if older_than_days is None else older_than_days
        keys = [key for key in directory.sorted_keys if _age(directory.documents[key], today) > days]
    operation = 0
    for key in dict.fromkeys(keys):
        if directory.documents[key].is_marked_stale:
            continue
        try:
            draft.mark_stale(operation + 1, key)
            operation += 1
        except CannotChangeError as error:
            if names:
                raise
            draft.warnings.append(str(error))
    return draft.plan(f"Mark {_counted(operation)} as stale")


def _counted(number: int) -> str:
    return "1 memory" if number == 1 else f"{number:,} memories"


def _age(document: MemoryDocument, today: date) -> int:
    """How many days ago a memory was last touched; -1 when it does not say."""
    return (today - document.updated).days if document.updated is not None else -1


def not_found(directory: MemoryDirectory, name: str) -> CannotChangeError:
    """The refusal of a name that means no memory, with the one that was most likely meant."""
    meant = directory.names.closest(name)
    hint = f" Did you mean `{stem_of(meant)}`?" if meant is not None else ""
    choices = [stem_of(meant)] if meant is not None else []
    message = f"There is no memory `{one_line(name, 60)}`.{hint}"
    return CannotChangeError(message, kind="notFound", key="name", choices=choices)
