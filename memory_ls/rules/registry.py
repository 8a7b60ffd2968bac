"""Every rule by its code, and the diagnostic that a rule gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import NamedTuple

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.settings import Settings
from memory_ls.text import Span


class Severity(Enum):
    """How bad it is. The number is LSP's."""

    ERROR = 1
    WARNING = 2
    INFORMATION = 3
    HINT = 4

    @property
    def word(self) -> str:
        """The severity as settings, JSON and the command line call it."""
        return self.name.lower()


class FixKind(Enum):
    """Whether a rule's finding can be mended by the tool."""

    NONE = "none"
    SAFE = "safe"  # without asking
    ASKED = "asked"  # when one asks for it


class Related(NamedTuple):
    """Another place that belongs to a finding: the key of its document, where in it, and what is there."""

    key: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. ``data`` says in a form for programs what the message says for people."""

    code: str
    severity: Severity
    span: Span
    message: str
    data: Mapping[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()
    deprecated: bool = False

    def __reduce__(self) -> tuple[type[Diagnostic], tuple[object, ...]]:
        """How it travels between processes: what a data class does by itself takes five times as long."""
        return Diagnostic, (
            self.code,
            self.severity,
            self.span,
            self.message,
            self.data,
            self.related,
            self.deprecated,
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """A check that has a name. ``costly`` ones wait, in an editor, until the user pauses."""

    code: str
    severity: Severity
    summary: str
    fix: FixKind = FixKind.NONE
    costly: bool = False

    def at(
        self,
        span: Span,
        message: str,
        *,
        related: tuple[Related, ...] = (),
        deprecated: bool = False,
        **data: object,
    ) -> Diagnostic:
        """A finding of this rule."""
        return Diagnostic(self.code, self.severity, span, message, data, related, deprecated)

    @property
    def page(self) -> str:
        """The rule's page, in markdown."""
        from importlib import resources  # here, since only who asks for a page should wait for it

        return resources.files("memory_ls.rules").joinpath("pages", f"{self.code}.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Context:
    """What a check may look at beside the document itself."""

    directory: MemoryDirectory
    settings: Settings
    today: date


_E, _W, _I, _H = Severity.ERROR, Severity.WARNING, Severity.INFORMATION, Severity.HINT

RULES: Mapping[str, Rule] = {
    rule.code: rule
    for rule in (
        Rule("frontmatter-missing", _W, "a memory without frontmatter among memories that have it", FixKind.ASKED),
        Rule("frontmatter-unclosed", _E, "the frontmatter's closing `---` is missing", FixKind.SAFE),
        Rule("frontmatter-invalid", _E, "the frontmatter is not valid YAML", FixKind.SAFE),
        Rule("frontmatter-not-mapping", _E, "the frontmatter is YAML, but no list of keys and values"),
        Rule("duplicate-key", _W, "a frontmatter key stands twice", FixKind.SAFE),
        Rule("damaged-metadata", _W, "`metadata:` is empty and its keys stand at the top level", FixKind.SAFE),
        Rule("value-cut", _W, "a name or description loses its text from ` #` on", FixKind.SAFE),
        Rule("value-type", _E, "a name, description or type that YAML does not read as text", FixKind.SAFE),
        Rule("name-missing", _E, "the memory has no name", FixKind.SAFE),
        Rule("name-unsafe", _E, "the name can't be the name of a file", FixKind.ASKED),
        Rule("name-not-kebab", _H, "the name is not words joined by hyphens", FixKind.ASKED),
        Rule("name-differs-from-file", _H, "the name and the file name are not alike", FixKind.ASKED),
        Rule("duplicate-name", _E, "two memories have the same name"),
        Rule("description-missing", _W, "the memory has no description", FixKind.ASKED),
        Rule("description-long", _H, "the description is longer than `descriptionLength`"),
        Rule("type-missing", _H, "the memory has no type", FixKind.ASKED),
        Rule("type-unknown", _E, "the type is none that agents know", FixKind.ASKED),
        Rule("type-conflict", _W, "the type at the top level and the one in `metadata` differ", FixKind.ASKED),
        Rule("date-invalid", _W, "a date key holds no date"),
        Rule("date-order", _W, "the memory was changed before it was made"),
        Rule("date-future", _H, "a date lies in the future"),
        Rule("index-dead-link", _E, "the index links a file or memory that is not there", FixKind.ASKED),
        Rule("index-duplicate-entry", _W, "the index lists the same memory twice", FixKind.SAFE),
        Rule("index-over-limit", _E, "the end of the index is never loaded", FixKind.ASKED),
        Rule("index-near-limit", _I, "the index is close to the limit of what is loaded"),
        Rule("index-line-long", _I, "an index line is longer than `indexLineLength`"),
        Rule("index-content", _I, "the index holds content that belongs into a memory", FixKind.ASKED),
        Rule("index-missing", _H, "several memories and no index", FixKind.ASKED),
        Rule("memory-not-indexed", _W, "the index does not list the memory", FixKind.ASKED),
        Rule("link-dead", _W, "a link names no memory", FixKind.ASKED),
        Rule("link-ambiguous", _W, "a link may mean several memories", FixKind.ASKED),
        Rule("link-dead-file", _W, "a link points at a file that is not there", FixKind.ASKED),
        Rule("link-dead-anchor", _W, "a link points at a heading that is not there", FixKind.ASKED),
        Rule("link-case", _H, "a link is spelt in another case than its target", FixKind.SAFE),
        Rule("link-self", _H, "a memory links itself", FixKind.SAFE),
        Rule("body-empty", _W, "the memory says nothing"),
        Rule("feedback-structure", _H, "feedback with neither why nor how to apply it", FixKind.ASKED),
        Rule("relative-date", _H, "a date that is only right on the day it was written", FixKind.ASKED),
        Rule("stale", _H, "the memory is old, or marked as stale", costly=True),
        Rule("near-duplicate", _I, "two memories say nearly the same", costly=True),
        Rule("secret", _E, "a password, key or token", costly=True),
        Rule("grants-permission", _W, "text that gives an agent permission or claims consent"),
        Rule("conflict-marker", _E, "an unresolved merge conflict"),
        Rule("file-encoding", _E, "the file is not UTF-8 text"),
        Rule("file-too-large", _W, "the file is too large to be a memory"),
        Rule("file-unreadable", _E, "the file can't be read"),
        Rule("mojibake", _W, "text that was read in the wrong encoding", FixKind.SAFE),
        Rule("sync-copy", _I, "a copy that a synchronisation program left behind"),
        Rule("line-endings-mixed", _H, "two kinds of line end in one file", FixKind.SAFE),
        Rule("setting-invalid", _W, "a setting in `.memory-ls.toml` is wrong"),
        Rule("setting-not-trusted", _W, "a setting that `.memory-ls.toml` may not set"),
    )
}
