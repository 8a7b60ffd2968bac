"""The index put right: repaired, organised, or written anew from the memories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from memory_ls.changes.index_edits import remove_entries
from memory_ls.changes.index_insertion import NEW_INDEX, Insertion, Layout
from memory_ls.changes.index_lines import (
    LEAD,
    EntryLine,
    Order,
    entry_lines,
    key_of,
    likeliest_order,
    lists_of,
    sort_key,
)
from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind, Plan
from memory_ls.directory.listed import is_listed
from memory_ls.directory.listing import one_line
from memory_ls.directory.resolve import TargetKind, is_meant, resolve
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style, style_by
from memory_ls.directory.writing import entry_text
from memory_ls.documents.body import BlockKind, Link, LinkKind
from memory_ls.documents.edits import CannotEditError, Edit, applied, edits_between
from memory_ls.documents.frontmatter_edits import line_end
from memory_ls.documents.index import INDEX_NAME, IndexDocument, IndexEntry
from memory_ls.documents.names import fold, stem_of
from memory_ls.settings import Settings

_Step = Callable[[MemoryDirectory, Style], tuple[str, list[str]]]


def repair(directory: MemoryDirectory, *, settings: Settings) -> Plan:
    """Memories that are missing in the index come in, dead entries and repeated lines go. All else stays as it is.

    Raises:
        CannotChangeError: the index can't be read.
    """
    return _plan(directory, settings, "Repair the index", _repaired)


def organise(directory: MemoryDirectory, *, settings: Settings) -> Plan:
    """As :func:`repair`; then each list is sorted, and where sections are by type, every entry stands in its own.

    No line of the index is lost: prose, comments, headings and lines that link nothing stay where they are.

    Raises:
        CannotChangeError: the index can't be read.
    """
    return _plan(directory, settings, "Organise the index", _organised)


def regenerate(directory: MemoryDirectory, *, settings: Settings) -> Plan:
    """The index is written anew: its first heading, and an entry for each memory, sorted.

    What the index says of a memory is kept; all else that stood in it goes, and a warning says so.

    Raises:
        CannotChangeError: the index can't be read.
    """
    return _plan(directory, settings, "Write the index anew", _regenerated)


def _plan(directory: MemoryDirectory, settings: Settings, title: str, step: _Step) -> Plan:
    if directory.index is None and INDEX_NAME in directory.files.names:
        raise CannotChangeError(f"`{INDEX_NAME}` can't be read, so it can't be put right.", kind="changed")
    if directory.index is None and not directory.documents:
        return Plan(directory.root, title, ())
    style = style_by(directory, settings)
    after, warnings = step(directory, style)
    if directory.index is None:
        change = Change(1, INDEX_NAME, ChangeKind.CREATE, None, (Edit(0, 0, after),))
        return Plan(directory.root, title, (change,), (*warnings, *_limit(None, after, settings)))
    before = directory.index.source.text
    edits = edits_between(before, after)
    changes = (Change(1, INDEX_NAME, ChangeKind.EDIT, before, edits),) if edits else ()
    return Plan(directory.root, title, changes, (*warnings, *_limit(directory.index, after, settings)))


def _limit(before: IndexDocument | None, after: str, settings: Settings) -> Iterator[str]:
    """A warning where more stands behind the load limit than before."""
    limits = settings.index_max_lines, settings.index_max_bytes
    load = IndexDocument.parse(after).load(*limits)
    old = before.load(*limits) if before is not None else None
    grew = old is None or old.first_lost is None or load.lines > old.lines or load.size > old.size
    if load.first_lost is not None and grew:
        yield (
            f"`{INDEX_NAME}` is longer than agents load ({load.lines:,} of {limits[0]:,} lines, {load.size:,} of "
            f"{limits[1]:,} bytes): its end is never read."
        )


# ---- repair


def _repaired(directory: MemoryDirectory, style: Style) -> tuple[str, list[str]]:
    index = directory.index
    if index is None:
        entries = sorted((fold(directory.documents[key].name or stem_of(key)), key) for key in directory.documents)
        lines = (entry_text(directory, key, style) for _, key in entries)
        opening = NEW_INDEX.replace("\n", style.line_end)
        return opening + "".join(f"- {line}{style.line_end}" for line in lines if line is not None), []
    dropped: list[IndexEntry] = []
    text = index.source.text
    while (gone := list(_to_drop(directory, index))) and len(dropped) < _MOST_DROPPED:
        # What is left may read otherwise without the lines that stood between.
        dropped += gone
        text = applied(text, remove_entries(index, gone))
        directory = directory.with_document(INDEX_NAME, text)
        assert directory.index is not None
        index = directory.index
    warnings = [f"Entries without a memory, or told twice, were dropped: {_shown(dropped)}."] if dropped else []
    insertions = list(_missing(directory, style, warnings))
    if any(insertion.is_after_prose for insertion in insertions):
        warnings.append(f"`{INDEX_NAME}` has no list: the entries were put at its end.")
    ground = dict.fromkeys(edit for insertion in insertions for edit in insertion.ground)
    insertions.sort(key=lambda insertion: insertion.rank)
    return applied(text, (*ground, *(insertion.edit for insertion in insertions))), warnings


# Each round drops one at least; this many are more than any index has.
_MOST_DROPPED = 1_000_000


def _shown(entries: list[IndexEntry]) -> str:
    names = list(dict.fromkeys(one_line(entry.link.target, 60) for entry in entries))
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more


def _to_drop(directory: MemoryDirectory, index: IndexDocument) -> Iterator[IndexEntry]:
    """Entries of lists and tables that are dead, or say word for word what one before says."""
    seen: set[tuple[str | None, str | None, str]] = set()
    text = index.source.text
    for line in entry_lines(index):
        for entry in line.entries if line.kind in (BlockKind.ITEM, BlockKind.ROW) else ():
            target = resolve(directory, INDEX_NAME, entry.link)
            is_dead = target.kind is TargetKind.DEAD and is_meant(_as_path(entry))
            key = entry.path or (target.keys[0] if target.kind is TargetKind.MEMORY else None)
            said = key, entry.link.anchor, entry.span.of(text)
            is_repeated = key is not None and said in seen and len(line.entries) == 1
            seen.add(said)
            if is_dead or is_repeated:
                yield entry


def _as_path(entry: IndexEntry) -> Link:
    """The link of an entry, a file name in backticks as a path."""
    return entry.link._replace(kind=LinkKind.INLINE) if entry.link.kind is LinkKind.CODE else entry.link


def _missing(directory: MemoryDirectory, style: Style, warnings: list[str]) -> Iterator[Insertion]:
    layout = Layout(directory)
    opened: set[str] = set()
    for key in directory.sorted_keys:
        # In a directory of other things too, what lies in its sub-directories may have an index of its own kind.
        if is_listed(directory, key) or not (directory.lenient or "/" not in key):
            continue
        try:
            insertion = layout.insertion(directory, key, style, opened=opened)
        except CannotEditError as error:
            warnings.append(str(error))
            continue
        opened.add(insertion.section)
        yield insertion


# ---- organise


def _organised(directory: MemoryDirectory, style: Style) -> tuple[str, list[str]]:
    text, warnings = _repaired(directory, style)
    repaired = directory.with_document(INDEX_NAME, text)
    is_open = bool(text) and not text.endswith(("\n", "\r"))
    eol = line_end(text)
    organised = _grouped(repaired.with_document(INDEX_NAME, text + eol if is_open else text))
    organised = _sorted(organised)
    organised = organised.removesuffix(eol) if is_open else organised
    if _links_in(text) != _links_in(organised):
        return text, [*warnings, f"`{INDEX_NAME}` is written in a way in which its lines can't be moved safely."]
    return organised, warnings


def _links_in(text: str) -> Counter[tuple[str, str]]:
    index = IndexDocument.parse(text)
    return Counter((link.span.of(text), link.target) for link in index.links())


def _grouped(directory: MemoryDirectory) -> str:
    """The text of the index with each entry in the section of its type, if sections are by type."""
    index = directory.index
    assert index is not None
    text = index.source.text
    layout = Layout(directory)
    homes = {kind: lines for lines, kind in zip(layout.lists, layout.types, strict=True) if kind and _is_plain(lines)}
    edits: list[Edit] = []
    for lines, kind in zip(layout.lists, layout.types, strict=True):
        for line in lines if kind and _is_plain(lines) else ():
            home = homes.get(_type_of(directory, line) or "", lines)
            if home[0].list != lines[0].list and _bullet(text, home[-1]) == _bullet(text, line):
                end = home[-1].end
                edits += (Edit(line.start, line.end, ""), Edit(end, end, text[line.start : line.end]))
    return applied(text, edits)


def _is_plain(lines: list[EntryLine]) -> bool:
    """Whether a list is a list of items that nothing holds."""
    return lines[0].kind is BlockKind.ITEM and lines[0].list[1] == -1


def _type_of(directory: MemoryDirectory, line: EntryLine) -> str | None:
    """The type of the memories that a line links, if it is one."""
    keys = [key_of(directory, entry) for entry in line.entries]
    types = {directory.documents[key].type if key is not None else None for key in keys}
    return types.pop() if len(types) == 1 else None


def _sorted(text: str) -> str:
    """The index ``text`` with its lists sorted, the inner ones before those that hold them."""
    order: Order | None = None
    for _ in range(_DEEPEST):
        index = IndexDocument.parse(text)
        runs = [run for lines in lists_of(entry_lines(index)) for run in _runs(index, lines)]
        if order is None:
            order = likeliest_order(index, runs)
        edits: list[Edit] = []
        for edit in sorted(_sortings(text, runs, order), key=lambda edit: edit.end - edit.start):
            if all(edit.end <= other.start or other.end <= edit.start for other in edits):
                edits.append(edit)
        if not edits:
            break
        text = applied(text, edits)
    return text


_DEEPEST = 12


def _runs(index: IndexDocument, lines: list[EntryLine]) -> Iterator[list[EntryLine]]:
    """The lines of a list that follow each other with nothing but blank lines between.

    One that stands below a comment stays there, since the comment may be about it.
    """
    text = index.source.text
    ends = {index.source.line_of(comment.span.end) for comment in index.comments}
    run: list[EntryLine] = []
    for line in lines:
        is_below_comment = index.source.line_of(line.start) - 1 in ends
        is_other = bool(run) and (
            text[run[-1].end : line.start].strip() or _bullet(text, run[-1]) != _bullet(text, line)
        )
        if run and (is_below_comment or is_other):
            yield run
            run = []
        run.append(line)
        if is_below_comment:
            yield run
            run = []
    if run:
        yield run


def _bullet(text: str, line: EntryLine) -> tuple[str, str]:
    """A line's indentation and kind of bullet, by which markdown tells lists apart that follow each other."""
    lead = LEAD.match(text, line.start)
    return (lead.group(1), (lead.group(2) or "").strip()[-1:]) if lead else ("", "")


def _sortings(text: str, runs: Iterable[list[EntryLine]], order: Order) -> Iterator[Edit]:
    for run in runs:
        wanted = sorted(run, key=lambda line: sort_key(text, line.entries[0], order))
        if wanted == run:
            continue
        between = [text[a.end : b.start] for a, b in pairwise(run)] + [""]
        lines = [_in_place_of(text, slot, line) for slot, line in zip(run, wanted, strict=True)]
        yield Edit(run[0].start, run[-1].end, "".join(map("".join, zip(lines, between, strict=True))))


def _in_place_of(text: str, slot: EntryLine, line: EntryLine) -> str:
    """The line of an entry as it stands at the place of another: in a numbered list with the number of that."""
    written = text[line.start : line.end]
    old, new = LEAD.match(text, line.start), LEAD.match(text, slot.start)
    if old is None or new is None or old.group(3) is None or new.group(3) is None:
        return written
    number = new.group(3)
    if len(number) != len(old.group(3)) and line.end > line.own_end:
        return written  # what is nested below it counts on the width
    start, end = (place - line.start for place in old.span(3))
    return f"{written[:start]}{number}{written[end:]}"


# ---- regenerate


def _regenerated(directory: MemoryDirectory, style: Style) -> tuple[str, list[str]]:
    index = directory.index
    if index is None:
        return _repaired(directory, style)
    text = index.source.text
    eol = line_end(text)
    kept = _curated(directory, index, style)
    entries: list[tuple[str, str]] = []
    warnings = []
    for key, document in directory.documents.items():
        entry = kept.get(key) or entry_text(directory, key, style)
        if entry is None:
            warnings.append(f"No link in the index can mean {key} and nothing else.")
            continue
        entries.append((fold(document.name or stem_of(key)), f"- {entry}{eol}"))
    heading = next((heading.span.of(text) for heading in index.headings if heading.level == 1), NEW_INDEX.strip())
    new = f"{text[: index.body_start]}{heading}{eol}{eol}{''.join(entry for _, entry in sorted(entries))}"
    dead = [entry for entry in index.entries() if key_of(directory, entry) is None]
    if dead:
        warnings.append(f"Entries that link no memory are left out: {_shown(dead)}.")
    lost = _lost_lines(index, heading)
    if lost:
        warnings.append(f"{lost} lines of `{INDEX_NAME}` that are no entries are left out.")
    return new, warnings


def _curated(directory: MemoryDirectory, index: IndexDocument, style: Style) -> dict[str, str]:
    """What the index says of each memory that it lists, on one line."""
    text = index.source.text
    found: dict[str, str] = {}
    for entry in index.entries():
        key = key_of(directory, entry)
        description = one_line(entry.description_span.of(text))
        if key is None or key in found or not description or entry.link.kind not in (LinkKind.INLINE, LinkKind.WIKI):
            continue
        if entry.separator == "|":
            continue
        link = f"{style.emphasis}{entry.link.span.of(text)}{style.emphasis}"
        found[key] = f"{one_line(link)}{style.separator}{description}"
    return found


def _lost_lines(index: IndexDocument, heading: str) -> int:
    """How many lines that hold something are no part of an entry, and not the heading."""
    source = index.source
    entries: set[int] = set()
    for line in entry_lines(index):
        entries.update(range(source.line_of(line.start), source.line_of(max(line.own_end - 1, line.start)) + 1))
    numbers = range(source.line_of(index.body_start), source.line_count)
    texts = (source.line_span(number).of(source.text).strip() for number in numbers if number not in entries)
    return sum(bool(each) and each != heading.strip() for each in texts)


# What an index can be put through, by the name that commands have for it.
MODES: Mapping[str, Callable[..., Plan]] = {"repair": repair, "organise": organise, "regenerate": regenerate}
