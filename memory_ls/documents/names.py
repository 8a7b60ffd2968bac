"""Names of memories: when two count as the same, and which are safe to use.

A memory is called by its frontmatter ``name`` and by its *stem*, the file name without ``.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

MEMORY_TYPES = ("user", "feedback", "project", "reference")

_TYPE_PREFIX = re.compile(rf"(?:{'|'.join(MEMORY_TYPES)})[-_ ](?=.)", re.IGNORECASE)
# Likeness in per cent from which on a name is offered as "did you mean".
_CLOSE = 78
_ALIKE = str.maketrans({"_": "-", " ": "-"})

# Names that Windows gives to devices, with any extension ("Naming Files, Paths, and Namespaces").
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³")}


def fold(name: str) -> str:
    """``name`` in the form that alike names share: NFC, no case, ``-`` for ``_`` and space."""
    if name.isascii():
        return name.lower().translate(_ALIKE)
    return unicodedata.normalize("NFC", name).casefold().translate(_ALIKE)


# Accents of Latin, Greek and Cyrillic letters. In other scripts such marks are letters of their own.
_ACCENTS = re.compile("[\u0300-\u036f]+")


def loosely(name: str) -> str:
    """``name`` in the form in which it is searched: as :func:`fold`, without accents, wide letters made narrow."""
    if name.isascii():
        return fold(name)
    parts = unicodedata.normalize("NFKD", name.casefold())
    return _ACCENTS.sub("", parts).casefold().translate(_ALIKE)


def nfc(text: str) -> str:
    """``text`` with its accents put together in one way: systems differ in how they write file names."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def fold_path(path: str) -> str:
    """``path`` in the form that paths share which differ in case or in how accents are put together alone."""
    return nfc(path).casefold()


def without_type_prefix(name: str) -> str | None:
    """``role`` for ``user_role``; ``None`` when the name does not begin with a memory type."""
    prefix = _TYPE_PREFIX.match(name)
    return name[prefix.end() :] if prefix else None


def stem_of(path: str) -> str:
    """The last part of ``path`` (with ``/``), without a final ``.md`` in any case. Other dots are no extension."""
    last = path.rpartition("/")[2]
    return last[:-3] if last[-3:].lower() == ".md" else last


# How programs call the copy they make of a file that is already there.
_COPY = re.compile(r"(?: \(\d+\)| \d+| copy(?: \d+)?| - copy(?: \(\d+\))?| 副本| - 사본)\Z", re.IGNORECASE)


def copied_from(path: str) -> str | None:
    """The path of the file that ``path`` is a copy of by its name (``a 2.md`` of ``a.md``), there or not."""
    copy = _COPY.search(path, 0, len(path) - 3) if path.endswith(".md") else None
    return f"{path[: copy.start()]}.md" if copy else None


# Vowel signs and accents, which letters of many scripts carry.
_MARKS = ("Mn", "Mc")
_ASCII_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


def is_kebab(name: str) -> bool:
    """Whether a name is words of lower-case letters (of any script) and digits joined by single ``-``."""
    if _ASCII_KEBAB.match(name):
        return True
    return name == name.lower() and all(
        part and all(c.isalnum() or unicodedata.category(c) in _MARKS for c in part) for part in name.split("-")
    )


_NOT_IN_WORD = re.compile(r"[^\w]|_")
_APOSTROPHES = re.compile("['’`´]")
# File systems allow 255 bytes; a type before and `.md` behind must have room.
_MOST_SLUG_BYTES = 200


def slug(text: str) -> str:
    """The words of ``text`` as the name of a file: in lower case, joined by ``-``; letters of every script stay.

    Never empty and always safe, but maybe another memory's already.
    """
    kept = _APOSTROPHES.sub("", nfc(text).lower())
    words = "".join(c if not _NOT_IN_WORD.match(c) or unicodedata.category(c) in _MARKS else "-" for c in kept)
    name = "-".join(filter(None, words.split("-")))
    name = name.encode("utf-8", "replace")[:_MOST_SLUG_BYTES].decode("utf-8", "ignore").rstrip("-")
    # A file `memory.md` is the index where case does not count.
    return f"note-{name}".rstrip("-") if unsafe_reason(name) or name == "memory" else name


def unsafe_reason(name: str) -> str | None:
    """Why ``name`` can't be the name of a file on every system, in words; ``None`` when it is safe."""
    if not name.strip():
        return "it is blank"
    if "/" in name or "\\" in name:
        return "it holds a path separator"
    if not name.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029" for c in name):
        return "it holds a control character or a line break"
    if name.startswith("."):
        return "it begins with a dot, which hides the file"
    if name.split(".")[0].strip().lower() in _DEVICES:
        return "it is the name of a device on Windows"
    return None


# What not every system has in the name of a file, or what ends a link or means something else in it.
_NOT_IN_FILE = frozenset('#|[]<>"*?:\\^`')


def unfit_reason(name: str) -> str | None:
    """Why ``name`` can't be that of a file and stand in every kind of link, in words; ``None`` when it can."""
    held = _NOT_IN_FILE.intersection(name)
    return unsafe_reason(name) or (f"it holds `{min(held)}`, which not every system and link can" if held else None)


def tokens_of(*names: str) -> frozenset[str]:
    """Names and paths in the forms in which a link and what it means are sure to meet.

    A path means its last part; a name may hold a ``/`` or end in ``.md`` and mean the whole.
    """
    tokens: set[str] = set()
    for name in names:
        stem = stem_of(name.rstrip("/"))
        tokens.add(fold(stem))
        if len(stem) != len(name):
            tokens.add(fold(name))
    return frozenset(tokens)


def closest(name: str, known: Iterable[str]) -> str | None:
    """The one of the folded names ``known`` that ``name`` was most likely meant to be, or ``None``."""
    from rapidfuzz import fuzz, process

    match = process.extractOne(fold(name), list(known), scorer=fuzz.ratio, score_cutoff=_CLOSE)
    return match[0] if match else None


def all_close(name: str, known: Collection[str]) -> list[str]:
    """Those of the folded names ``known`` for which the folded ``name`` may be the one that was meant."""
    if not known:
        return []
    from rapidfuzz import fuzz, process

    matches = process.extract(name, known, scorer=fuzz.ratio, score_cutoff=_CLOSE, limit=None)
    return [match[0] for match in matches]
