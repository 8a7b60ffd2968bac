"""Names of memories: when two count as the same, and which are safe to use.

A memory is called by its frontmatter ``name`` and by its *stem*, the file name without ``.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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


def without_type_prefix(name: str) -> str | None:
    """``role`` for ``user_role``; ``None`` when the name does not begin with a memory type."""
    prefix = _TYPE_PREFIX.match(name)
    return name[prefix.end() :] if prefix else None


def stem_of(path: str) -> str:
    """The last part of ``path`` (with ``/``), without a final ``.md`` in any case. Other dots are no extension."""
    last = path.rpartition("/")[2]
    return last[:-3] if last[-3:].lower() == ".md" else last


def is_kebab(name: str) -> bool:
    """Whether a name is words of lower-case letters (of any script) and digits joined by single ``-``."""
    return name == name.lower() and all(
        part and all(c.isalnum() or unicodedata.combining(c) for c in part) for part in name.split("-")
    )


def unsafe_reason(name: str) -> str | None:
    """Why ``name`` can't be the name of a file on every system, in words; ``None`` when it is safe."""
    if not name.strip():
        return "it is blank"
    if "/" in name or "\\" in name:
        return "it holds a path separator"
    if any(unicodedata.category(c) in ("Cc", "Cs") or c in "\u2028\u2029" for c in name):
        return "it holds a control character or a line break"
    if name.startswith("."):
        return "it begins with a dot, which hides the file"
    if name.split(".")[0].strip().lower() in _DEVICES:
        return "it is the name of a device on Windows"
    return None


def closest(name: str, known: Iterable[str]) -> str | None:
    """The one of the folded names ``known`` that ``name`` was most likely meant to be, or ``None``."""
    from rapidfuzz import fuzz, process

    match = process.extractOne(fold(name), list(known), scorer=fuzz.ratio, score_cutoff=_CLOSE)
    return match[0] if match else None
