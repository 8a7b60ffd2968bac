"""Every setting, in one table, and how settings are read.

The table is the class :class:`Settings`: each field carries its type, default and text. The README's
table, the editors' settings and the JSON schema of ``.memory-ls.toml`` are generated from it.
Reading never raises: a wrong value becomes a :class:`SettingProblem` and what was set before stays.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

from memory_ls.text import Span

PROJECT_FILE = ".memory-ls.toml"
USER_FILE = "memory-ls.toml"
MAX_FILE_BYTES = 1024 * 1024

Dialect = Literal["auto", "nested", "flat", "bare", "none"]
Provider = Literal["auto", "anthropic", "command", "editor", "offline"]
Injection = Literal["summaries", "index"]
MarkdownLinks = Literal["auto", "on", "off"]
DiagnosticScope = Literal["directory", "open"]
Severity = Literal["off", "hint", "information", "warning", "error"]

ProblemCode = Literal["setting-invalid", "setting-not-trusted"]

SEVERITIES: tuple[Severity, ...] = get_args(Severity)

# A file of garbage has thousands of faults; nobody reads more than these, and each costs a search
# for the name that was meant.
_MAX_PROBLEMS = 100


class Kind(Enum):
    """What sort of value a setting takes."""

    NULLABLE_STRING = "nullable string"
    INTEGER = "integer"
    NUMBER = "number"
    NULLABLE_NUMBER = "nullable number"
    STRINGS = "list of strings"
    CHOICE = "choice"
    RULES = "rules map"


# --- The table


# What a field of Settings says about itself, beside its name, type and default.


def _text(text: str) -> dict[str, object]:
    return {"kind": Kind.NULLABLE_STRING, "text": text}


def _texts(text: str) -> dict[str, object]:
    return {"kind": Kind.STRINGS, "text": text}


def _choice(literal: object, text: str, kind: Kind = Kind.CHOICE) -> dict[str, object]:
    return {"kind": kind, "text": text, "choices": get_args(literal)}


def _number(minimum: int, maximum: int, text: str, kind: Kind = Kind.INTEGER) -> dict[str, object]:
    return {"kind": kind, "text": text, "minimum": minimum, "maximum": maximum}


def _trusted(about: dict[str, object]) -> dict[str, object]:
    return {**about, "trusted": True}


@dataclass(frozen=True, slots=True)
class Settings:
    """The value of every setting; ``Settings()`` holds the defaults.

    The constructor does not check ranges: values from outside come in through :func:`load`,
    :func:`from_toml` or :func:`from_mapping`.
    """

    directory: str | None = field(
        default=None,
        metadata=_trusted(
            _text("The memory directory that new memories go to. Without it, the project's own is used.")
        ),
    )
    directories: tuple[str, ...] = field(
        default=(), metadata=_trusted(_texts("More memory directories, beside those that are found by themselves."))
    )
    exclude: tuple[str, ...] = field(
        default=(),
        metadata=_trusted(
            _texts(
                "Directories that are left out, with all below them, when memory directories are looked for: paths, in "
                "which `*` is any one name and `**` any number of directories or none, or names without a `/`."
            )
        ),
    )
    dialect: Dialect = field(
        default="auto",
        metadata=_choice(
            Dialect, "How new memories write their frontmatter. With `auto` they do as their neighbours do."
        ),
    )
    provider: Provider = field(
        default="auto",
        metadata=_trusted(
            _choice(
                Provider,
                "Who extracts and consolidates memories. With `auto` it is the first that is configured of "
                "`anthropic`, `command` and `editor`, else `offline`, which uses no language model.",
            )
        ),
    )
    model: str | None = field(
        default=None, metadata=_trusted(_text("The language model to ask. Without it, the provider's default is used."))
    )
    base_url: str | None = field(
        default=None,
        metadata=_trusted(
            _text("The address of a server with the same API as Anthropic's, for the provider `anthropic`.")
        ),
    )
    command: tuple[str, ...] = field(
        default=(),
        metadata=_trusted(
            _texts(
                "The program, and its arguments, that the provider `command` runs. "
                "It takes a prompt on standard input and answers on standard output, and runs in an empty directory. "
                "`claude`, `codex` or `gemini` alone stands for that agent's command line with the right arguments."
            )
        ),
    )
    min_messages: int = field(
        default=4, metadata=_number(1, 10_000, "A chat log with fewer new messages than this is left for later.")
    )
    max_tokens: int = field(
        default=2048,
        metadata=_number(1, 1_000_000, "The longest answer, in tokens, that a language model may give to one prompt."),
    )
    temperature: float | None = field(
        default=None,
        metadata=_number(
            0, 2, "The temperature that is sent to the language model. Without it, none is sent.", Kind.NULLABLE_NUMBER
        ),
    )
    min_confidence: float = field(
        default=0.5,
        metadata=_number(0, 1, "A fact that was extracted with less confidence than this is dropped.", Kind.NUMBER),
    )
    window_characters: int = field(
        default=60_000, metadata=_number(1_000, 10_000_000, "How many characters of a chat log go into one prompt.")
    )
    max_windows: int = field(default=20, metadata=_number(1, 10_000, "How many prompts one chat log may take."))
    concurrency: int = field(default=3, metadata=_number(1, 64, "How many prompts are sent at the same time."))
    timeout_seconds: float = field(
        default=60,
        metadata=_number(1, 3_600, "How long, in seconds, to wait for the answer to one prompt.", Kind.NUMBER),
    )
    max_injected: int = field(
        default=30, metadata=_number(1, 10_000, "How many memories are put into an agent's system prompt.")
    )
    injection: Injection = field(
        default="summaries",
        metadata=_choice(
            Injection,
            "What is put into an agent's system prompt: the name and description of each memory, or the index.",
        ),
    )
    stale_days: int = field(
        default=180,
        metadata=_number(1, 36_500, "A memory that was not updated for more days than this counts as stale."),
    )
    index_max_lines: int = field(
        default=200, metadata=_number(1, 1_000_000, "How many lines of MEMORY.md the agent loads.")
    )
    index_max_bytes: int = field(
        default=25_000, metadata=_number(1, 100_000_000, "How many bytes of MEMORY.md the agent loads.")
    )
    index_line_length: int = field(
        default=200, metadata=_number(1, 100_000, "A line of MEMORY.md with more characters than this is reported.")
    )
    description_length: int = field(
        default=200, metadata=_number(1, 100_000, "A description with more characters than this is reported.")
    )
    rules: tuple[tuple[str, Severity], ...] = field(
        default=(),
        metadata=_choice(
            Severity, "The severity of single rules, by code. With `off` a rule is not checked.", Kind.RULES
        ),
    )
    markdown_links: MarkdownLinks = field(
        default="auto",
        metadata=_choice(
            MarkdownLinks,
            "Whether ordinary markdown links are completed and followed. "
            "With `auto` they are, except in VS Code, which does so by itself.",
        ),
    )
    diagnostic_scope: DiagnosticScope = field(
        default="directory",
        metadata=_choice(
            DiagnosticScope,
            "Whether problems are shown for every file of a memory directory or only for files open in the editor.",
        ),
    )
    journal_days: int = field(
        default=30,
        metadata=_number(
            1,
            36_500,
            "How many days a change can be undone, and the evidence for it and how far chat logs were read are kept.",
        ),
    )

    def severity_of(self, code: str) -> Severity | None:
        """The severity that was set for the rule ``code``; None when the rule's own holds."""
        return next((severity for rule, severity in self.rules if rule == code), None)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: what it is called, what it may be, and what it is for.

    ``trusted`` marks a setting that only a trusted source may give, since it decides what is run,
    which files are read and written, or where their text is sent.
    """

    key: str
    attribute: str
    kind: Kind
    default: object
    text: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    trusted: bool = False


def _camel_case(attribute: str) -> str:
    first, *rest = attribute.split("_")
    return first + "".join(word.capitalize() for word in rest)


SETTINGS: tuple[Setting, ...] = tuple(
    Setting(key=_camel_case(each.name), attribute=each.name, default=each.default, **each.metadata)
    for each in fields(Settings)
)

_BY_KEY = {setting.key: setting for setting in SETTINGS}


# --- What can be wrong


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A setting that was not taken, and why.

    ``code`` is the rule under which it is shown, ``key`` the setting with dots (``rules.link-dead``;
    empty when the whole source is meant), ``span`` the place in the TOML text where one is known,
    ``source`` the file's path or a word such as "editor".
    """

    code: ProblemCode
    key: str
    message: str
    span: Span | None
    source: str


_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    """A problem before it has a place: ``path`` leads to the value, an int being an item of a list."""

    path: _Path
    message: str
    at_key: bool = False
    code: ProblemCode = "setting-invalid"

    def problem(self, source: str, span: Span | None) -> SettingProblem:
        key = ".".join(_printable(part, 200) for part in self.path if isinstance(part, str))
        return SettingProblem(self.code, key, self.message, span, source)


# --- Words for messages


def _printable(text: str, limit: int = 40) -> str:
    """``text`` fit for a one-line message: cut, and without control characters and surrogates."""
    cut = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(character if character.isprintable() else "\ufffd" for character in cut)


def _described(value: object, *, quoted: bool = True) -> str:
    """``value`` as a message shows it: short, and on one line; without its text when not ``quoted``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{_printable(value)}"' if quoted else "a text"
    if isinstance(value, int | float):
        # str() of an int with more than 4300 digits raises.
        return "a huge number" if isinstance(value, int) and abs(value) >= 10**15 else str(value)
    if isinstance(value, list | tuple):
        return "a list"
    return "a table" if isinstance(value, Mapping) else "a date or time"


def _expected(setting: Setting) -> str:
    """What ``setting`` may be, in words that follow "must be"."""
    match setting.kind:
        case Kind.NULLABLE_STRING:
            return "a text"
        case Kind.INTEGER:
            return f"a whole number from {setting.minimum} to {setting.maximum}"
        case Kind.NUMBER | Kind.NULLABLE_NUMBER:
            return f"a number from {setting.minimum} to {setting.maximum}"
        case Kind.STRINGS:
            return 'a list of texts, such as ["one", "two"]'
        case Kind.CHOICE:
            return _one_of(setting.choices)
        case Kind.RULES:
            return "a table of rule codes and severities"


def _one_of(choices: Iterable[str]) -> str:
    return "one of " + ", ".join(choices)


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def _did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question that names the known word nearest to ``name``, with a space before it; or nothing."""
    from difflib import get_close_matches

    by_folded = {_folded(word): word for word in sorted(known)}
    nearest = get_close_matches(_folded(name[:100]), by_folded, n=1)
    return f' Did you mean "{by_folded[nearest[0]]}"?' if nearest else ""


# --- Checking values


def _accepted_text(value: object) -> str | None:
    """``value`` when it is a text that a file system and a program's arguments can take."""
    if not isinstance(value, str) or "\0" in value:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _accepted_number(setting: Setting, value: object) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low = -math.inf if setting.minimum is None else setting.minimum
    high = math.inf if setting.maximum is None else setting.maximum
    if not low <= value <= high:  # also refuses NaN
        return None
    if setting.kind is not Kind.INTEGER:
        return float(value)
    # As in JSON Schema, 4.0 is a whole number: some clients know no other.
    return int(value) if value == int(value) else None


def _accepted_texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple):
        return None
    texts = tuple(text for item in value if (text := _accepted_text(item)) is not None)
    return texts if len(texts) == len(value) else None


def _accepted(setting: Setting, value: object) -> object | None:
    """``value`` as Settings holds it, or None when ``setting`` cannot be that."""
    match setting.kind:
        case Kind.NULLABLE_STRING:
            return _accepted_text(value)
        case Kind.INTEGER | Kind.NUMBER | Kind.NULLABLE_NUMBER:
            return _accepted_number(setting, value)
        case Kind.STRINGS:
            return _accepted_texts(value)
        case Kind.CHOICE:
            return value if isinstance(value, str) and value in setting.choices else None
        case Kind.RULES:
            return value if isinstance(value, Mapping) else None


def _is_unset(setting: Setting, value: object) -> bool:
    """Whether ``value`` says that nothing is set: null, or the blank text of a cleared field."""
    return value is None or (setting.kind is Kind.NULLABLE_STRING and isinstance(value, str) and not value.strip())


class _Reader:
    """Reads one source on top of ``base`` and collects what is wrong with it."""

    def __init__(self, base: Settings, *, trusted: bool, known_rules: Collection[str]) -> None:
        self._base = base
        self._trusted = trusted
        self._known_rules = known_rules
        self.findings: list[_Finding] = []

    def read(self, values: object) -> Settings:
        """The settings with what ``values`` sets; a mapping is wanted, anything else is reported."""
        if values is None:
            return self._base
        if not isinstance(values, Mapping):
            wrong = _described(values, quoted=False)
            self.findings.append(_Finding((), f"Settings must be a table of keys and values, not {wrong}."))
            return self._base
        changes = dict(self._changes(values))
        return replace(self._base, **changes) if changes else self._base

    def _changes(self, values: Mapping[object, object]) -> Iterator[tuple[str, Any]]:
        for key, value in values.items():
            setting = _BY_KEY.get(str(key))
            if setting is None:
                self._report((str(key),), partial(self._unknown_setting, str(key)), at_key=True)
            elif _is_unset(setting, value):
                continue
            elif setting.trusted and not self._trusted:
                self._report((setting.key,), partial(_untrusted, setting), at_key=True, code="setting-not-trusted")
            elif (accepted := _accepted(setting, value)) is None:
                self._report(*self._refused(setting, value))
            elif isinstance(accepted, Mapping):
                yield setting.attribute, self._merged_rules(accepted)
            else:
                yield setting.attribute, accepted

    def _report(
        self, path: _Path, message: Callable[[], str], *, at_key: bool = False, code: ProblemCode = "setting-invalid"
    ) -> None:
        if len(self.findings) < _MAX_PROBLEMS:
            self.findings.append(_Finding(path, message(), at_key, code))

    def _unknown_setting(self, key: str) -> str:
        message = f'There is no setting "{_printable(key)}". It is ignored.'
        if _folded(key) == "memoryls":
            return message + " Settings stand at the top level, not below a name."
        if _folded(key).endswith("apikey"):
            return message + " The key of an API is never a setting; it comes from the environment."
        return message + _did_you_mean(key, _BY_KEY)

    def _refused(self, setting: Setting, value: object) -> tuple[_Path, Callable[[], str]]:
        """Where and why ``value`` is refused; in a list it is the first faulty item that is pointed at."""
        wrong = _described(value)
        path: _Path = (setting.key,)
        if setting.kind is Kind.STRINGS:
            wrong = _described(value, quoted=False)
            if isinstance(value, list | tuple):
                at = next(index for index, item in enumerate(value) if _accepted_text(item) is None)
                path = (setting.key, at)
                wrong = f"one whose item {at + 1} is {_unusable(value[at])}"
        elif isinstance(value, str) and setting.kind is Kind.NULLABLE_STRING:
            wrong = _unusable(value)
        return path, partial(self._refusal, setting, value, wrong)

    def _refusal(self, setting: Setting, value: object, wrong: str) -> str:
        message = f"{setting.key} must be {_expected(setting)}, not {wrong}. {self._kept(setting)}"
        if setting.kind is Kind.CHOICE and isinstance(value, str):
            message += _did_you_mean(value, setting.choices)
        return message

    def _kept(self, setting: Setting) -> str:
        """Which value holds instead of a refused one."""
        before: object = getattr(self._base, setting.attribute)
        which = "default" if before == setting.default else "earlier value"
        # Texts and lists are not repeated: they may be long, or private to the user.
        shown = f", {before}," if isinstance(before, int | float) or setting.kind is Kind.CHOICE else ""
        return f"The {which}{shown} is kept."

    def _merged_rules(self, values: Mapping[object, object]) -> tuple[tuple[str, Severity], ...]:
        """The severities of ``base``, each replaced where ``values`` has a usable one for its rule."""
        merged = dict(self._base.rules)
        for code, value in values.items():
            if value is None:
                continue
            severity = next((known for known in SEVERITIES if known == value), None)
            if str(code) in _BY_KEY or (self._known_rules and code not in self._known_rules):
                self._report(("rules", str(code)), partial(self._unknown_rule, str(code)), at_key=True)
            elif severity is None:
                self._report(("rules", str(code)), partial(self._refused_severity, str(code), value))
            else:
                merged[str(code)] = severity
        return tuple(sorted(merged.items()))

    def _unknown_rule(self, code: str) -> str:
        if code in _BY_KEY:
            # In TOML, everything below the line [rules] belongs to it: easily overlooked.
            return f"{code} is a setting, not a rule. It is ignored here; write it above the line [rules]."
        message = f'There is no rule "{_printable(code)}". It is ignored.'
        return message + _did_you_mean(code, self._known_rules)

    def _refused_severity(self, code: str, value: object) -> str:
        before = self._base.severity_of(code)
        kept = "The rule's own severity" if before is None else f"The earlier value, {before},"
        message = f"rules.{_printable(code)} must be {_one_of(SEVERITIES)}, not {_described(value)}. {kept} is kept."
        return message + (_did_you_mean(value, SEVERITIES) if isinstance(value, str) else "")


def _unusable(value: object) -> str:
    return "a text with characters that cannot be used" if isinstance(value, str) else _described(value)


def _untrusted(setting: Setting) -> str:
    return (
        f"{setting.key} is not read from here: it bears on which program runs, which files are touched or where text "
        "is sent, and a project's file may come from others. Set it in the editor or in your own settings file."
    )


def from_mapping(
    values: object,
    base: Settings,
    *,
    source: str,
    trusted: bool,
    known_rules: Collection[str] = (),
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """``base`` with what ``values`` sets, and what is wrong with it.

    ``values`` maps keys as the table has them to values as JSON or TOML has them; None anywhere
    means "not set". The rules are merged into those of ``base``, everything else replaces. A
    setting that needs trust is ignored and reported when ``trusted`` is false. With ``known_rules``,
    codes that are not among them are ignored and reported. Never raises on JSON-like values.
    """
    reader = _Reader(base, trusted=trusted, known_rules=known_rules)
    settings = reader.read(values)
    return settings, tuple(finding.problem(source, None) for finding in reader.findings)


# --- Places in TOML

# tomllib tells no positions. The one library that does (spanned-toml, a copy of it from 2022) is not kept up,
# and tree-sitter brings two compiled packages; so the places are found here, in a text that tomllib
# has accepted. That makes it easy: only the ends of tokens are looked for, nothing is checked again.
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*+")
_KEY_PART = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'')
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_STRING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'  # the text may end in one or two quotes of its own
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_BARE_VALUE = re.compile(r"[^\n,\]}#]+")


class _Place:
    """Where a key and its value stand. A table that has no brackets of its own is where its name is."""

    __slots__ = ("key", "value")

    def __init__(self, key: Span, value: Span) -> None:
        self.key = key
        self.value = value


class _Lost(Exception):
    """The scanner met something it does not know; what it has found so far holds."""


class _Places:
    """The places of all keys and values of a TOML text that tomllib has accepted."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[_Path, _Place] = {}
        with suppress(_Lost):
            self._scan()

    def span(self, path: _Path, *, at_key: bool) -> Span | None:
        """The place of the key or value at ``path``; when unknown, of the nearest key around it."""
        place = self._found.get(path)
        if place is not None:
            return place.key if at_key else place.value
        return self.span(path[:-1], at_key=True) if path else None

    def _scan(self) -> None:
        table: _Path = ()
        while self._skip(_BLANK) < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> _Path:
        """Reads ``[a.b]`` or ``[[a.b]]``. Tables of a list share one path: no setting has any."""
        brackets = 2 if self._text.startswith("[[", self._at) else 1
        self._at += brackets
        path, _ = self._key(())
        self._skip(_BLANK)
        self._at += brackets
        return path

    def _pair(self, table: _Path) -> None:
        path, key = self._key(table)
        self._expect(_EQUALS)
        value = self._value(path)
        self._found[path] = _Place(key, value)

    def _key(self, table: _Path) -> tuple[_Path, Span]:
        """Reads a dotted key below ``table``; gives its whole path and the place of its last part."""
        self._skip(_BLANK)
        path = table
        while True:
            part = Span(self._at, self._expect(_KEY_PART))
            path = (*path, _decoded_key(part.of(self._text)))
            self._found.setdefault(path, _Place(part, part))
            if not _DOT.match(self._text, self._at):
                return path, part
            self._skip(_DOT)

    def _value(self, path: _Path) -> Span:
        start = self._at
        match self._text[start : start + 1]:
            case "[":
                self._inside("]", lambda index: self._item((*path, index)))
            case "{":
                self._inside("}", lambda index: self._pair(path))
            case '"' | "'":
                self._expect(_STRING)
            case _:
                end = self._expect(_BARE_VALUE)
                return Span(start, start + len(self._text[start:end].rstrip()))
        return Span(start, self._at)

    def _item(self, path: _Path) -> None:
        value = self._value(path)
        self._found[path] = _Place(value, value)

    def _inside(self, closing: str, read: Callable[[int], None]) -> None:
        """Reads what stands between brackets, separated by commas."""
        self._at += 1
        index = 0
        while True:
            self._skip(_BLANK)
            if self._text.startswith(closing, self._at):
                self._at += 1
                return
            read(index)
            index += 1
            self._skip(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1

    def _skip(self, pattern: re.Pattern[str]) -> int:
        if match := pattern.match(self._text, self._at):
            self._at = match.end()
        return self._at

    def _expect(self, pattern: re.Pattern[str]) -> int:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise _Lost
        self._at = match.end()
        return self._at


def _decoded_key(written: str) -> str:
    """The key that is ``written`` bare or in quotes."""
    if written.startswith("'"):
        return written[1:-1]
    if written.startswith('"') and "\\" in written:
        import tomllib

        return str(tomllib.loads(f"key = {written}")["key"])
    return written.strip('"')


# --- Reading TOML

_PLACE_IN_MESSAGE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

# tomllib takes time in the square of the number of parts of a dotted key, so that a line of 80 kB
# holds everything up for half a minute. No setting has more than one dot.
_MAX_DOTS = 200


def from_toml(
    text: str,
    base: Settings,
    *,
    source: str,
    trusted: bool,
    known_rules: Collection[str] = (),
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    """``base`` with what the TOML ``text`` sets, and what is wrong with it, at its place.

    As :func:`from_mapping`; when ``text`` is not TOML, one problem says so and ``base`` comes back.
    """
    import tomllib

    if text.startswith("\ufeff"):
        text = " " + text[1:]  # a byte order mark; a space keeps the places of all the rest
    if dots := _line_of_dots(text):
        return base, (_whole_file("It holds a line with too many dots", source, dots),)
    reader = _Reader(base, trusted=trusted, known_rules=known_rules)
    try:
        settings = reader.read(tomllib.loads(text))
        places = _Places(text) if reader.findings else None
    except RecursionError:
        return base, (_whole_file("It is nested too deeply", source),)
    except ValueError as error:  # tomllib's own, and int()'s at 4300 digits
        return base, (_whole_file(*_syntax_error(text, str(error), source)),)
    return settings, tuple(
        finding.problem(source, places.span(finding.path, at_key=finding.at_key) if places else None)
        for finding in reader.findings
    )


def _whole_file(reason: str, source: str, span: Span | None = None) -> SettingProblem:
    message = f"This file cannot be used. {reason}. None of its settings are read."
    return SettingProblem("setting-invalid", "", message, span, source)


def _line_of_dots(text: str) -> Span | None:
    """The first line that could be a key of very many parts."""
    if text.count(".") <= _MAX_DOTS:
        return None
    start = 0
    for line in text.split("\n"):
        if line.count(".") > _MAX_DOTS and not line.lstrip().startswith("#"):
            return Span(start, start + len(line.rstrip()))
        start += len(line) + 1
    return None


def _syntax_error(text: str, message: str, source: str) -> tuple[str, str, Span | None]:
    place = _PLACE_IN_MESSAGE.search(message)
    if place is None:
        return f"It is not valid TOML: {_printable(message, 200)}", source, None
    reason = f"It is not valid TOML: {message[: place.start()]}"
    if place[1] is None:
        return reason, source, _visible_from(text, len(text))
    return reason, source, _visible_from(text, _line_start(text, int(place[1])) + int(place[2]) - 1)


def _line_start(text: str, line: int) -> int:
    """Where line ``line``, from 1, begins as tomllib counts: a lone carriage return ends no line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start


def _visible_from(text: str, offset: int) -> Span:
    """From ``offset`` to the end of its line; where nothing is left there, the last line with text up to it."""
    end = text.find("\n", offset)
    rest = text[offset : len(text) if end < 0 else end]
    if rest.strip():
        return Span(offset, offset + len(rest.rstrip()))
    before = text[:offset].rstrip()
    line = before[before.rfind("\n") + 1 :].lstrip()
    return Span(len(before) - len(line), len(before))


# --- Files


def user_file() -> Path:
    """The user's own settings file, whether or not it is there."""
    from platformdirs import user_config_path

    return user_config_path("memory-ls", appauthor=False) / USER_FILE


def find_file(start: Path, stop: Path | None) -> Path | None:
    """The nearest ``.memory-ls.toml`` in ``start`` or above it.

    The search ends with the first directory that is the workspace folder ``stop`` or holds
    ``.git``. Where there is neither, only ``start`` itself is looked at: a file further up, such as
    in a temporary directory that everyone may write to, does not belong to the project.
    """
    for directory in directories_searched(start, stop):
        file = directory / PROJECT_FILE
        if os.path.isfile(file):
            return file
    return None


def directories_searched(start: Path, stop: Path | None) -> list[Path]:
    """Where :func:`find_file` looks, in this order."""
    # Paths are compared as they are written: resolving links could lead out of the workspace.
    first = Path(os.path.abspath(start))
    if os.path.isfile(first):
        first = first.parent
    last = None if stop is None else Path(os.path.abspath(stop))
    chain: list[Path] = []
    for directory in (first, *first.parents):
        chain.append(directory)
        if directory == last or os.path.exists(directory / ".git"):
            return chain
    return chain[:1]


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings from all their sources: the values, what is wrong, and the files that were read."""

    settings: Settings
    problems: tuple[SettingProblem, ...]
    files: tuple[Path, ...]


def load(
    start: Path,
    *,
    stop: Path | None = None,
    overrides: Mapping[str, object] | None = None,
    overrides_source: str = "editor",
    config_file: Path | None = None,
    known_rules: Collection[str] = (),
) -> LoadedSettings:
    """The settings for the directory ``start``, from every source; a later one wins.

    First the defaults, then the user's file, then the project's (:func:`find_file`, not trusted),
    or ``config_file`` in its place (trusted, since the user named it), then ``overrides``.
    """
    sources: list[tuple[Path, bool]] = []
    if os.path.isfile(user := user_file()):
        sources.append((user, True))
    if config_file is not None:
        sources.append((config_file, True))
    elif project := find_file(start, stop):
        sources.append((project, False))

    settings, problems, files = Settings(), list[SettingProblem](), list[Path]()
    for path, trusted in sources:
        text = _text_of(path)
        if isinstance(text, SettingProblem):
            problems.append(text)
            continue
        settings, found = from_toml(text, settings, source=str(path), trusted=trusted, known_rules=known_rules)
        problems += found
        files.append(path)
    settings, found = from_mapping(overrides, settings, source=overrides_source, trusted=True, known_rules=known_rules)
    return LoadedSettings(settings, (*problems, *found), tuple(files))


def _text_of(path: Path) -> str | SettingProblem:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            return _whole_file("It is larger than 1 MiB", str(path))
        return data.decode()
    except UnicodeDecodeError:
        return _whole_file("It is not UTF-8", str(path))
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return _whole_file(f"It cannot be read: {reason}", str(path))


# --- What is generated from the table


def _plain(default: object) -> object:
    """``default`` as JSON has it."""
    return list(default) if isinstance(default, tuple) else default


def property_schema(setting: Setting) -> dict[str, object]:
    """The JSON schema of one setting's value, with its default and text."""
    note = f" Not read from a project's {PROJECT_FILE}." if setting.trusted else ""
    default = {} if setting.kind is Kind.RULES else _plain(setting.default)
    return {**_value_schema(setting), "default": default, "description": setting.text.replace("`", '"') + note}


def _value_schema(setting: Setting) -> dict[str, object]:
    limits = {"minimum": setting.minimum, "maximum": setting.maximum}
    match setting.kind:
        case Kind.NULLABLE_STRING:
            return {"type": ["string", "null"]}
        case Kind.INTEGER:
            return {"type": "integer", **limits}
        case Kind.NUMBER:
            return {"type": "number", **limits}
        case Kind.NULLABLE_NUMBER:
            return {"type": ["number", "null"], **limits}
        case Kind.STRINGS:
            return {"type": "array", "items": {"type": "string"}}
        case Kind.CHOICE:
            return {"type": "string", "enum": list(setting.choices)}
        case Kind.RULES:
            return {"type": "object", "additionalProperties": {"type": "string", "enum": list(setting.choices)}}


def json_schema() -> dict[str, object]:
    """The JSON schema (draft 2020-12) of a settings file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "memory-ls settings",
        "description": f"A project's {PROJECT_FILE}, or the user's own {USER_FILE}.",
        "type": "object",
        "additionalProperties": False,
        "properties": {setting.key: property_schema(setting) for setting in SETTINGS},
    }


def json_schema_text() -> str:
    """The JSON schema as the file ``settings.schema.json`` holds it."""
    import json

    return json.dumps(json_schema(), indent=2) + "\n"


# Paths and programs, which are others on the machine that a window is connected to.
_OF_THE_MACHINE = frozenset({"directory", "directories", "command"})


def vscode_settings() -> dict[str, object]:
    """What the VS Code extension's ``package.json`` says of settings.

    ``properties`` are those it contributes, ``restricted`` those that no workspace may give that the
    user does not trust.
    """
    return {
        "properties": {_vscode_key(each): _vscode_schema(each, order) for order, each in enumerate(SETTINGS, 1)},
        "restricted": [_vscode_key(setting) for setting in SETTINGS if setting.trusted],
    }


def _vscode_key(setting: Setting) -> str:
    return f"memoryLs.{setting.key}"


def _vscode_schema(setting: Setting, order: int) -> dict[str, object]:
    schema = {key: value for key, value in property_schema(setting).items() if key != "description"}
    note = f" Not read from a project's `{PROJECT_FILE}`." if setting.trusted else ""
    scope = {"scope": "machine-overridable"} if setting.key in _OF_THE_MACHINE else {}
    # VS Code has a field to type into for a text alone; an empty one says as little as null.
    text = {"type": "string", "default": ""} if setting.kind is Kind.NULLABLE_STRING else {}
    # By itself, VS Code would list them by name.
    return {**schema, **text, **scope, "order": order, "markdownDescription": setting.text + note}


def vscode_settings_text() -> str:
    """The same as JSON, for the script that writes it into ``package.json``."""
    import json

    return json.dumps(vscode_settings(), indent=2) + "\n"


def markdown_table() -> str:
    """The README's table: each setting, its default, what it means and what it may be."""
    rows = ["| setting | default | meaning |", "|---|---|---|", *map(_markdown_row, SETTINGS)]
    return "\n".join(rows) + f"\n\n† Never read from a project's `{PROJECT_FILE}`.\n"


def _markdown_row(setting: Setting) -> str:
    import json

    default = json.dumps(property_schema(setting)["default"])
    meaning = f"{setting.text} {_markdown_values(setting)}".strip().replace("|", "\\|")
    mark = " †" if setting.trusted else ""
    return f"| `{setting.key}`{mark} | `{default}` | {meaning} |"


def _markdown_values(setting: Setting) -> str:
    """The sentence that tells which values are allowed, where the default does not show it."""
    if setting.choices:
        return (
            ("Each is one of " if setting.kind is Kind.RULES else "One of ")
            + ", ".join(f"`{choice}`" for choice in setting.choices)
            + "."
        )
    if setting.minimum is not None:
        return f"From {setting.minimum} to {setting.maximum}."
    return ""


def main(arguments: list[str]) -> int:
    """Prints what is generated: ``schema`` the JSON schema, ``table`` the README's table, ``vscode`` for VS Code."""
    import sys

    outputs = {"schema": json_schema_text, "table": markdown_table, "vscode": vscode_settings_text}
    if len(arguments) != 1 or arguments[0] not in outputs:
        sys.stderr.write("usage: python -m memory_ls.settings schema|table|vscode\n")
        return 2
    sys.stdout.write(outputs[arguments[0]]())
    return 0


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))
