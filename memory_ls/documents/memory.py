"""One memory file: its frontmatter, its body, and what the two say it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from memory_ls.documents import body as markdown
from memory_ls.documents import frontmatter
from memory_ls.documents.body import Body, Heading
from memory_ls.documents.dates import read_date_or_none
from memory_ls.documents.frontmatter import Frontmatter, Key, ValueKind
from memory_ls.documents.names import tokens_of
from memory_ls.text import SourceText, Span


class Dialect(Enum):
    """How a file writes its frontmatter."""

    NESTED = "nested"  # name, description, metadata: {type, …}
    FLAT = "flat"  # name, description, type
    BARE = "bare"  # name, description
    NONE = "none"  # no frontmatter


# Where a memory may say when it was last known to be right, the most trusted first.
UPDATED_KEYS = ("metadata.modified", "modified", "metadata.updatedAt", "updatedAt", "metadata.updated", "updated")
CREATED_KEYS = ("metadata.createdAt", "createdAt", "metadata.created", "created")
# What the key `status` says of a memory that no longer holds.
STALE = "stale"
# Each of these also stands in `metadata`.
DATE_NAMES = frozenset(path for path in (*UPDATED_KEYS, *CREATED_KEYS) if "." not in path)
# The keys that the nested dialect keeps in `metadata`.
METADATA_KEYS = frozenset({"type", "node_type", "createdAt", "updatedAt", "modified", "originSessionId"})


class Dated(NamedTuple):
    """The keys that say when a memory was made and when it was last changed, each with the day it says."""

    created: tuple[Key, date] | None
    updated: tuple[Key, date] | None

    @property
    def last(self) -> tuple[Key, date] | None:
        """The last change; else the making."""
        return self.updated or self.created


@dataclass(frozen=True, eq=False)
class MemoryDocument:
    """One memory as its text has it.

    ``name``, ``description`` and ``type`` are text even where YAML takes the value for something else, and
    ``None`` when absent or empty; the keys beside them tell where they stand. Of two types the one in
    ``metadata`` counts; it is as written, and not always one of the four. The rest is worked out when asked for.
    """

    source: SourceText
    frontmatter: Frontmatter | None
    name_key: Key | None = None
    description_key: Key | None = None
    type_key: Key | None = None
    name: str | None = None
    description: str | None = None
    type: str | None = None

    @classmethod
    def parse(cls, text: str) -> MemoryDocument:
        """Reads ``text``. Never raises: what can't be read is kept as a problem with its place."""
        block = frontmatter.read(text)
        if block is None:
            return cls(SourceText(text), None)
        name, description = block.find("name"), block.find("description")
        kind = block.find_metadata("type") or block.find("type")
        texts = map(_text_of, (name, description, kind))
        return cls(SourceText(text), block, name, description, kind, *texts)

    @cached_property
    def body(self) -> Body:
        """The markdown behind the frontmatter; read when first asked for, since names need none of it."""
        return markdown.read(self.source.text, self.body_start)

    @property
    def headings(self) -> tuple[Heading, ...]:
        """The headings of the body, in the order of the text."""
        return self.body.headings

    @cached_property
    def link_tokens(self) -> frozenset[str]:
        """The names that the links look for, as :func:`tokens_of` has them, and maybe some that stand in code."""
        plain = markdown.plain_targets(self.source.text, self.body_start)
        if plain is not None:
            return tokens_of(*plain[0], *plain[1])
        return tokens_of(*(link.target for link in self.body.links if link.target))

    @cached_property
    def may_link_headings(self) -> bool:
        """Whether a glance at the body can't rule out that a link in it names a heading."""
        return markdown.may_hold_anchors(self.source.text, self.body_start)

    @property
    def name_span(self) -> Span:
        """Where the name stands; the first line when there is none."""
        return self.name_key.value_span if self.name_key else self.source.line_span(0)

    @property
    def is_damaged(self) -> bool:
        """Whether ``metadata:`` stands empty while keys that belong into it follow at the top level."""
        block = self.frontmatter
        metadata = block.find("metadata") if block else None
        if block is None or metadata is None or metadata.kind is not ValueKind.NULL:
            return False
        return any(key.name in METADATA_KEYS and key.span.start > metadata.span.start for key in block.keys)

    @cached_property
    def dialect(self) -> Dialect:
        """How this file writes its frontmatter."""
        block = self.frontmatter
        if block is None:
            return Dialect.NONE
        metadata = block.find("metadata")
        if self.is_damaged or (metadata and any(child.name in METADATA_KEYS for child in metadata.children)):
            return Dialect.NESTED
        return Dialect.FLAT if block.find("type") else Dialect.BARE

    @property
    def status_key(self) -> Key | None:
        """The key that says what has become of the memory."""
        return self.key_at("metadata.status") or self.key_at("status")

    @property
    def is_marked_stale(self) -> bool:
        """Whether the memory says of itself that it is stale."""
        return self.status_key is not None and self.status_key.value.strip().lower() == STALE

    def key_at(self, path: str) -> Key | None:
        """The key with the dotted path ``path`` (``type``, ``metadata.type``)."""
        if self.frontmatter is None:
            return None
        parent, dot, name = path.partition(".")
        return self.frontmatter.find_metadata(name) if dot and parent == "metadata" else self.frontmatter.find(path)

    @cached_property
    def date_keys(self) -> dict[str, Key]:
        """The keys that hold dates, by their dotted path."""
        if self.frontmatter is None:
            return {}
        found = {}
        for key in self.frontmatter.keys:
            if key.name in DATE_NAMES and key.value:
                found[key.name] = key
            for child in key.children:
                if child.name in DATE_NAMES and child.value:
                    found[f"{key.name}.{child.name}"] = child
        return found

    def dates(self, paths: tuple[str, ...]) -> Iterator[tuple[Key, date]]:
        """The keys among ``paths`` that hold a real date, in the order of ``paths``."""
        for path in paths:
            key = self.date_keys.get(path)
            day = read_date_or_none(key.value) if key else None
            if key is not None and day is not None:
                yield key, day

    @cached_property
    def dated(self) -> Dated:
        """When the memory was made and last changed, and the most trusted keys that say so."""
        if not self.date_keys:
            return Dated(None, None)
        return Dated(next(self.dates(CREATED_KEYS), None), next(self.dates(UPDATED_KEYS), None))

    @property
    def created(self) -> date | None:
        """The day the memory says it was made."""
        created = self.dated.created
        return created[1] if created else None

    @property
    def updated(self) -> date | None:
        """The day the memory says it was last changed; else the day it was made."""
        last = self.dated.last
        return last[1] if last else None

    def in_code(self, offset: int) -> bool:
        """Whether the character at ``offset`` is code."""
        return not markdown.is_plainly_prose(self.source.text, self.body_start, offset) and self.body.in_code(offset)

    @property
    def body_start(self) -> int:
        """The offset of the first character behind the frontmatter."""
        return self.frontmatter.body_start if self.frontmatter else 0

    @property
    def body_text(self) -> str:
        """The text behind the frontmatter."""
        return self.source.text[self.body_start :]

    @cached_property
    def title(self) -> str | None:
        """What a person would call it: the name, else the first heading."""
        return self.name or next((heading.text for heading in self.headings), None)


def _text_of(key: Key | None) -> str | None:
    if key is None or key.kind in (ValueKind.NULL, ValueKind.LIST, ValueKind.MAPPING):
        return None
    value = key.value.strip()
    if key.kind is ValueKind.INVALID and len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value or None
