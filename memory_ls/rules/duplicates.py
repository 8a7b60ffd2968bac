"""The rule about memories that say nearly the same: it looks at all memories at once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Set
from itertools import combinations

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import fold, stem_of, without_type_prefix
from memory_ls.rules.registry import RULES, Diagnostic, Related

# Likeness of two bodies in per cent. Made-up and real pairs that people would merge lie above it.
_ALIKE = 90
# Of two texts that are so much alike, the shorter has at least this part of the longer's length.
_LENGTHS_ALIKE = 0.7
_SHORTEST_SENTENCE = 25
# A sentence in more memories than this is a form that they share, not a copy.
_COMMON = 8
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_LINK = re.compile(r"\[\[[^\[\]]*\]\]")
# A memory of so many sentences that one of them can be another's by chance.
_MANY = 6
_WORDS = re.compile(r"\w+")
# "Port 8080" and "port 8081" are 97 % alike and not the same; nor are "always" and "never".
_DECISIVE = re.compile(
    r"\d+|\b(?:not|never|no|don't|without|always|only|must|except)\b|不|没|勿|未|别|只|안 |않|말|없", re.IGNORECASE
)


class Twins:
    """Which memories are worth comparing: those that share a sentence, a description or a name.

    Kept up memory by memory, so that an edit in a large directory costs what the edit touches.
    """

    def __init__(self) -> None:
        self._tokens: dict[str, frozenset[int]] = {}
        self._holders: dict[int, set[str]] = {}

    def put(self, key: str, document: MemoryDocument | None) -> set[str]:
        """Takes the memory ``key`` as it is now, ``None`` when it is gone.

        Returns the keys of all memories whose findings may have changed by that, itself among them.
        """
        before = self._tokens.pop(key, _NO_TOKENS)
        after = _tokens(key, document) if document is not None else _NO_TOKENS
        if document is not None:
            self._tokens[key] = after
        touched = {key}
        for token in before & after:
            touched |= self._worth(token)
        for token in before - after:
            # One holder less can make a sentence that was too common worth a look.
            touched |= self._worth(token)
            self._holders[token].discard(key)
            touched |= self._worth(token)
            if not self._holders[token]:
                del self._holders[token]
        for token in after - before:
            touched |= self._worth(token)
            self._holders.setdefault(token, set()).add(key)
            touched |= self._worth(token)
        return touched

    def keys(self) -> Set[str]:
        """The memories that are known."""
        return self._tokens.keys()

    def of_key(self, key: str) -> set[str]:
        """The memories worth comparing with the memory ``key``."""
        found: set[str] = set()
        for token in self._tokens.get(key, ()):
            found |= self._worth(token)
        return {other for other in found if other != key and _are_close(self._tokens[key], self._tokens[other])}

    def _worth(self, token: int) -> set[str]:
        holders = self._holders.get(token)
        return holders if holders is not None and len(holders) <= _COMMON else set()


_NO_TOKENS: frozenset[int] = frozenset()


def find(directory: MemoryDirectory) -> dict[str, list[Diagnostic]]:
    """For each memory that has a near twin, the findings about it."""
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for key, other in sorted(_pairs(directory.documents)):
        likeness = _likeness(directory.documents[key], directory.documents[other])
        if likeness is not None:
            found[key].append(_finding(directory, key, other, likeness))
            found[other].append(_finding(directory, other, key, likeness))
    return {key: sorted(findings, key=_by_other) for key, findings in found.items()}


def _pairs(documents: Mapping[str, MemoryDocument]) -> set[tuple[str, str]]:
    """All pairs worth comparing, each in order: as :class:`Twins` has them, told once and without what edits need."""
    tokens = {key: _tokens(key, document) for key, document in documents.items()}
    first: dict[int, str] = {}
    shared: dict[int, list[str]] = {}
    for key, its_tokens in tokens.items():
        for token in its_tokens:
            holder = first.setdefault(token, key)
            if holder != key:
                shared.setdefault(token, [holder]).append(key)
    pairs = {pair for keys in shared.values() if len(keys) <= _COMMON for pair in combinations(sorted(keys), 2)}
    return {(key, other) for key, other in pairs if _are_close(tokens[key], tokens[other])}


def _are_close(first: frozenset[int], second: frozenset[int]) -> bool:
    """Whether two memories that share something share enough of it: one sentence out of many is a phrase."""
    return min(len(first), len(second)) < _MANY or len(first & second) > 1


def find_of(directory: MemoryDirectory, twins: Twins, key: str) -> list[Diagnostic]:
    """The findings about the memory ``key``: for it, the same as :func:`find` has."""
    document = directory.documents.get(key)
    found = []
    for other in sorted(twins.of_key(key) & directory.documents.keys()) if document is not None else ():
        likeness = _likeness(*(directory.documents[name] for name in sorted((key, other))))
        if likeness is not None:
            found.append(_finding(directory, key, other, likeness))
    return found


def _by_other(diagnostic: Diagnostic) -> str:
    return str(diagnostic.data["other"])


def _tokens(key: str, document: MemoryDocument) -> frozenset[int]:
    """Hashes, since a sentence itself takes more room; a clash of two costs one comparison in vain."""
    stem = stem_of(key)
    tokens = {
        hash(sentence)
        for sentence in map(_told, _sentences(document.body_text.lower()))
        if len(sentence) >= _SHORTEST_SENTENCE or (len(sentence) >= 10 and not sentence.isascii())
    }
    tokens.add(hash(("name", fold(without_type_prefix(stem) or stem))))
    if document.description:
        tokens.add(hash(("description", document.description.lower())))
    return frozenset(tokens)


def _told(sentence: str) -> str:
    """A sentence without its links: many memories share a line that only points at the same place."""
    return _LINK.sub("", sentence).strip() if "[[" in sentence else sentence.strip()


def _sentences(text: str) -> list[str]:
    """The sentences and lines of a text. Replacing takes a fifth of the time that a regular expression takes."""
    for end in _SENTENCE_ENDS[:3] if text.isascii() else _SENTENCE_ENDS:
        text = text.replace(end, "\n")
    return text.split("\n")


def _likeness(a: MemoryDocument, b: MemoryDocument) -> float | None:
    """How alike two bodies are, in per cent; ``None`` when they are not alike enough."""
    texts = [document.body_text.lower() for document in (a, b)]
    if _differ_in_length(*texts):  # as they stand, with room for what is left out below
        return None
    first, second = (" ".join(_WORDS.findall(text)) for text in texts)
    if not first or _differ_in_length(first, second):
        return None
    from rapidfuzz import fuzz

    likeness = fuzz.ratio(first, second, score_cutoff=_ALIKE)
    if not likeness or _DECISIVE.findall(texts[0]) != _DECISIVE.findall(texts[1]):
        return None
    return likeness


def _differ_in_length(first: str, second: str) -> bool:
    return min(len(first), len(second)) < _LENGTHS_ALIKE * max(len(first), len(second))


def _finding(directory: MemoryDirectory, key: str, other: str, likeness: float) -> Diagnostic:
    document, twin = directory.documents[key], directory.documents[other]
    return RULES["near-duplicate"].at(
        document.name_span,
        f"This memory and `{other}` say nearly the same ({likeness:.0f} % alike): agents load both, and update only one "
        "of them. Merge the two.",
        related=(Related(other, twin.name_span, "the other memory"),),
        other=other,
        likeness=round(likeness),
    )
