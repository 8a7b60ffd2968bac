"""How a directory writes: read from what is there, so that what is added looks the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.body import LinkKind
from memory_ls.documents.memory import CREATED_KEYS, UPDATED_KEYS, Dialect
from memory_ls.documents.names import fold, stem_of, without_type_prefix
from memory_ls.settings import Settings


@dataclass(frozen=True, slots=True)
class Style:
    """How memories and the index are written here.

    ``by_stem`` tells whether ``[[links]]`` give file names where name and file differ, ``label`` whether the
    index calls a memory by its ``name``, its ``stem`` or its ``file``, ``is_wiki`` whether it links ``[[names]]``.
    ``date_keys`` are the dotted paths of the dates that memories carry. A file is called as its memory, or, with a
    ``type_separator``, after its type and a slug; the words of a slug are joined by ``word_separator``. ``emphasis``
    stands on both sides of a link in the index, and ``line_end`` ends the lines of most memories. ``line_length`` is
    the most that a new line of the index is to have, where that is set.
    """

    dialect: Dialect = Dialect.NESTED
    by_stem: bool = False
    separator: str = " — "
    label: str = "name"
    dot_slash: bool = False
    is_wiki: bool = False
    date_keys: tuple[str, ...] = ("metadata.createdAt", "metadata.updatedAt")
    type_separator: str = ""
    word_separator: str = "-"
    emphasis: str = ""
    line_end: str = "\n"
    line_length: int | None = None

    def with_dialect(self, dialect: Dialect) -> Style:
        """The same style in another dialect, in which the dates may stand elsewhere."""
        if dialect is self.dialect:
            return self
        names = (path.rpartition(".")[2] for path in self.date_keys)
        paths = tuple(f"metadata.{name}" if dialect is Dialect.NESTED else name for name in names)
        return replace(self, dialect=dialect, date_keys=paths)

    def for_new_memory(self) -> Style:
        """The style in which a new memory is written: it has frontmatter also where the others have none."""
        return self.with_dialect(Dialect.NESTED) if self.dialect is Dialect.NONE else self

    def dates(self, today: date) -> dict[str, date]:
        """The dates that a memory made ``today`` carries, by the dotted path of their key."""
        return dict.fromkeys(self.date_keys, today)


_SAMPLE = 400


# The styles of directories with nothing in them, by dialect.
_EMPTY = {
    Dialect.NESTED: Style(),
    Dialect.FLAT: Style(Dialect.FLAT, date_keys=(), by_stem=True, type_separator="_", word_separator="_"),
    Dialect.BARE: Style(Dialect.BARE, date_keys=()),
    Dialect.NONE: Style(),
}


def style_by(directory: MemoryDirectory, settings: Settings) -> Style:
    """The style of a directory, with what its settings say of it."""
    return replace(style_of(directory, settings.dialect), line_length=settings.index_line_length)


def style_of(directory: MemoryDirectory, setting: str = "auto") -> Style:
    """The style of most of what the directory holds; in an empty one, that of the agent with nested frontmatter.

    ``setting`` is the dialect that somebody chose (``nested`` …), or ``auto``.
    """
    dialect = Dialect(setting) if setting != "auto" else _dialect(directory)
    if not directory.documents:
        return replace(_EMPTY[dialect], **_index_style(directory))
    has_dates = any(document.dialect is dialect for document in directory.documents.values())
    type_separator, word_separator = _file_form(directory)
    return Style(
        dialect,
        _links_by_stem(directory),
        date_keys=_date_keys(directory, dialect) if has_dates and dialect is not Dialect.NONE else Style().date_keys,
        type_separator=type_separator,
        word_separator=word_separator,
        line_end=_line_end(directory),
        **_index_style(directory),
    )


def _dialect(directory: MemoryDirectory) -> Dialect:
    dialects = Counter(document.dialect for document in directory.documents.values())
    best = max(dialects.values(), default=0)
    leading = [dialect for dialect, count in dialects.items() if count == best]
    return leading[0] if len(leading) == 1 else Dialect.NESTED


def _index_style(directory: MemoryDirectory) -> dict[str, Any]:
    """How the entries of the index are written."""
    separators: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    dotted = entries = wiki = bold = 0
    index = directory.index
    for _, chunk in index.placed_chunks() if index else ():
        for entry in chunk.entries:
            if entry.link.kind not in (LinkKind.INLINE, LinkKind.WIKI):
                continue
            entries += 1
            bold += chunk.text[: entry.link.start].endswith("**") and chunk.text.startswith("**", entry.link.end)
            if entry.link.kind is LinkKind.WIKI:
                wiki += 1
            else:
                dotted += entry.link.target.startswith("./")
                labels[_label_kind(directory, entry.path, entry.link.label_span.of(chunk.text))] += 1
            if entry.separator and entry.separator != "|":
                between = chunk.text[entry.link.end : entry.description_span.start].removeprefix("**")
                is_plain = between.strip() == entry.separator and len(between.splitlines()) == 1
                separators[between if is_plain else f" {entry.separator} "] += 1
        if entries >= _SAMPLE:
            break
    return {
        "separator": separators.most_common(1)[0][0] if separators else " — ",
        "label": labels.most_common(1)[0][0] if labels else "name",
        "dot_slash": 2 * dotted > entries,
        "is_wiki": 2 * wiki > entries,
        "emphasis": "**" if 2 * bold > entries else "",
    }


def _file_form(directory: MemoryDirectory) -> tuple[str, str]:
    """What stands between type and slug in the names of most files, if they have one, and between words of a slug."""
    prefixes: Counter[str] = Counter()
    joiners: Counter[str] = Counter()
    typed = 0
    for key, document in islice(directory.documents.items(), _SAMPLE):
        stem = stem_of(key)
        rest = without_type_prefix(stem)
        typed += document.type is not None or rest is not None
        separator = stem[-len(rest) - 1] if rest else ""
        # `user-prefers-vim` is a name that begins with a word; `user_prefers-vim` is a type and a slug.
        is_name = separator == "-" and fold(stem) == fold(document.name or "")
        prefixes["" if is_name else separator] += 1
        slug = rest or stem
        joiners.update({joiner: 1 for joiner in ("-", "_") if joiner in slug})
    separator = max(("_", "-"), key=lambda joiner: prefixes[joiner])
    is_prefixed = 2 * (prefixes["_"] + prefixes["-"]) > typed
    if not joiners:
        return (separator, separator) if is_prefixed else ("", "-")
    return separator if is_prefixed else "", "_" if joiners["_"] > joiners["-"] else "-"


def _line_end(directory: MemoryDirectory) -> str:
    sample = [document.source.text for document in islice(directory.documents.values(), _SAMPLE)]
    crlf = sum("\r\n" in text[:200] for text in sample)
    return "\r\n" if 2 * crlf > len(sample) else "\n"


def _date_keys(directory: MemoryDirectory, dialect: Dialect) -> tuple[str, ...]:
    """The dates that most memories of the dialect carry, the day of making before that of the last change."""
    alike = (document for document in directory.documents.values() if document.dialect is dialect)
    sample = list(islice(alike, _SAMPLE))
    counts = Counter(path for document in sample for path in document.date_keys)
    return tuple(path for path in (*CREATED_KEYS, *UPDATED_KEYS) if 2 * counts[path] > len(sample))


def _label_kind(directory: MemoryDirectory, path: str, label: str) -> str:
    """What the label of an index entry is; a title of the index's own making counts as the name."""
    if label in (path, path.rpartition("/")[2]):
        return "file"
    document = directory.documents.get(path)
    # A memory without a name is called as its file, which tells nothing of the others.
    is_stem = document is not None and label == stem_of(path) != (document.name or label)
    return "stem" if is_stem else "name"


def _links_by_stem(directory: MemoryDirectory) -> bool:
    """Whether links use the file name where it could have been the name; titles are seldom typed into links."""
    by_stem = by_name = 0
    for number, document in enumerate(directory.documents.values()):
        if number >= _SAMPLE:
            break
        for link in document.body.links:
            if link.kind is LinkKind.WIKI:
                is_name = link.target in directory.names.by_name
                is_stem = link.target in directory.names.by_stem
                by_name += is_name and not is_stem
                by_stem += is_stem and not is_name
    if by_stem == by_name:
        titles = sum(" " in name for name in directory.names.by_name)
        return 2 * titles > len(directory.names.by_name)
    return by_stem > by_name
