"""The rule about memories that say nearly the same: it looks at all memories at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, stem_of, without_type_prefix
from memory_ls.rules.registry import RULES, Diagnostic, Related

# Likeness of two bodies in per cent. Made-up and real pairs that people would merge lie above it.
_ALIKE = 90
_SHORTEST_SENTENCE = 25
# A sentence in more memories than this is a form that they share, not a copy.
_COMMON = 8
_SENTENCE_END = re.compile(r"[\n.。!?！？]+")
_WORDS = re.compile(r"\w+")
# "Port 8080" and "port 8081" are 97 % alike and not the same; nor are "always" and "never".
_DECISIVE = re.compile(
    r"\d+|\b(?:not|never|no|don't|without|always|only|must|except)\b|不|没|勿|未|别|只|안 |않|말|없", re.IGNORECASE
)


def find(directory: MemoryDirectory) -> dict[str, list[Diagnostic]]:
    """For each memory that has a near twin, the findings about it."""
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for key, other in sorted(_pairs(directory.documents)):
        likeness = _likeness(directory.documents[key], directory.documents[other])
        if likeness is not None:
            found[key].append(_finding(directory, key, other, likeness))
            found[other].append(_finding(directory, other, key, likeness))
    return dict(found)


def _pairs(documents: Mapping[str, MemoryDocument]) -> set[tuple[str, str]]:
    """The pairs worth comparing: those that share a sentence, a description or a name."""
    holders: dict[object, list[str]] = defaultdict(list)
    for key, document in documents.items():
        for token in _tokens(key, document):
            holders[token].append(key)
    return {
        (min(a, b), max(a, b))
        for keys in holders.values()
        if 1 < len(keys) <= _COMMON
        for number, a in enumerate(keys)
        for b in keys[number + 1 :]
    }


def _tokens(key: str, document: MemoryDocument) -> Iterator[object]:
    sentences = {part.strip().lower() for part in _SENTENCE_END.split(document.body_text)}
    for sentence in sentences:
        if len(sentence) >= _SHORTEST_SENTENCE or (len(sentence) >= 10 and not sentence.isascii()):
            yield hash(sentence)
    stem = stem_of(key)
    yield ("name", fold(without_type_prefix(stem) or stem))
    if document.description:
        yield ("description", document.description.lower())


def _likeness(a: MemoryDocument, b: MemoryDocument) -> float | None:
    """How alike two bodies are, in per cent; ``None`` when they are not alike enough."""
    first, second = (" ".join(_WORDS.findall(document.body_text.lower())) for document in (a, b))
    longer = max(len(first), len(second))
    if not longer or min(len(first), len(second)) < 0.7 * longer:
        return None
    if _DECISIVE.findall(a.body_text.lower()) != _DECISIVE.findall(b.body_text.lower()):
        return None
    from rapidfuzz import fuzz

    likeness = fuzz.ratio(first, second, score_cutoff=_ALIKE)
    return likeness or None


def _finding(directory: MemoryDirectory, key: str, other: str, likeness: float) -> Diagnostic:
    document, twin = directory.documents[key], directory.documents[other]
    span = document.name_key.value_span if document.name_key else document.source.line_span(0)
    place = twin.name_key.value_span if twin.name_key else twin.source.line_span(0)
    return RULES["near-duplicate"].at(
        span,
        f"This memory and `{other}` say nearly the same ({likeness:.0f} % alike): agents load both, and update only one "
        "of them. Merge the two.",
        related=(Related(other, place, "the other memory"),),
        other=other,
        likeness=round(likeness),
    )
