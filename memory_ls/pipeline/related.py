"""Which of the existing memories a candidate may have to do with. It chooses what is looked at, and decides nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from math import log

from memory_ls.pipeline.values import Candidate, Memory

MOST_RELATED = 8
# So many are compared closely; those beyond share hardly anything with the candidate.
_MOST_COMPARED = 40
# So many characters of all memories together are looked at, that it takes a twentieth of a second; of each its name and
# description and the beginning of its body, between these bounds.
_LOOKED_AT = 2_000_000
_LEAST_OF_BODY, _MOST_OF_BODY = 80, 2000
_MOST_OF_DESCRIPTION = 200
_MOST_OF_CANDIDATE = 2000
# A word that more than one memory in so many has says little; in a small directory every word counts.
_COMMON_FROM = 200
_COMMON_PART = 20

_PUNCTUATION = "\t\n\r!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_APART = {ord(sign): " " for sign in _PUNCTUATION}
_PUNCTUATION_ELSEWHERE = "\n\t.,:;!?()/-_`'\"*#[]。，、：；！？（）「」“”’—–"
# Scripts without spaces, or whose words change their ends: of these, pairs of signs are looked for.
_WIDE = re.compile("[ぁ-ヿ㐀-鿿가-힣]+")
_COMMON_WORDS = """
    the a an and or of to in on at for with is are be we you i it this that user users s always never not no use uses when
    from by as our my do don t will should must
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# The texts of so many memories are searched in one go, in which no other thread gets its turn.
_AT_ONCE = 1000
# Stands between the texts of two memories.
_END = "\0"

_Holders = dict[str, list[int]]


def related(candidates: Sequence[Candidate], existing: Sequence[Memory], most: int = MOST_RELATED) -> list[list[int]]:
    """For each candidate the places in ``existing`` of the ``most`` memories that share most with it, the best first."""
    wanted = [_wanted(candidate) for candidate in candidates]
    holders = _holders(frozenset().union(*wanted), existing)
    return [_best(*pair, existing, holders, most) for pair in zip(candidates, wanted, strict=True)]


def _wanted(candidate: Candidate) -> frozenset[str]:
    """The words of a candidate, in the forms in which a memory may have them."""
    text = f"{candidate.name} {candidate.description} {candidate.content}"[:_MOST_OF_CANDIDATE].lower()
    words = _apart(text.replace(_END, " ")).split()
    words = [word for word in words if word not in _COMMON] or words
    plain = (form for word in words if not _WIDE.search(word) for form in _forms(word))
    pairs = (pair for run in _WIDE.findall(text) for pair in map(str.__add__, run, run[1:]))
    return frozenset([*plain, *pairs])


@lru_cache(maxsize=4096)
def _forms(word: str) -> tuple[str, ...]:
    """A word with the endings that it may have elsewhere."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return (word,)
    endings = ("ing", "ed", "es", "s", "e")
    stem = next((word[: -len(end)] for end in endings if word.endswith(end) and len(word) - len(end) > 2), word)
    return tuple({word, stem, *(stem + end for end in ("s", "es", "e", "ed", "ing", "d"))})


def _holders(wanted: frozenset[str], existing: Sequence[Memory]) -> _Holders:
    """For each of the words the places of the memories that have it: an index of what is looked for alone."""
    holders: _Holders = {}
    of_body = min(max(_LOOKED_AT // (len(existing) + 1) - 120, _LEAST_OF_BODY), _MOST_OF_BODY)
    texts = [_looked_at(memory, of_body) for memory in existing]
    ascii_places = [place for place, text in enumerate(texts) if text.isascii()]
    other_places = [place for place, text in enumerate(texts) if not text.isascii()]
    for places, find in ((ascii_places, _words_among), (other_places, _words_among), (other_places, _pairs_among)):
        for first in range(0, len(places), _AT_ONCE):
            some = places[first : first + _AT_ONCE]
            for word, number in find(wanted, f" {_END} ".join([texts[place] for place in some]).lower()):
                listed = holders.setdefault(word, [])
                if not listed or listed[-1] != some[number]:
                    listed.append(some[number])
    return holders


def _looked_at(memory: Memory, of_body: int) -> str:
    return f"{memory.name} {memory.description[:_MOST_OF_DESCRIPTION]} {memory.content[:of_body]}".replace(_END, " ")


def _apart(text: str) -> str:
    """A text in lower case with spaces in place of punctuation."""
    if text.isascii():
        return text.translate(_APART)  # fast for ASCII alone
    for sign in _PUNCTUATION_ELSEWHERE:
        text = text.replace(sign, " ")
    return text


def _words_among(wanted: frozenset[str], text: str) -> Iterator[tuple[str, int]]:
    """Each of the words wherever it stands in joined texts, with the number of the text."""
    sought = wanted | {_END}
    number = 0
    for word in [word for word in _apart(text).split() if word in sought]:
        if word == _END:
            number += 1
        else:
            yield word, number


def _pairs_among(wanted: frozenset[str], text: str) -> Iterator[tuple[str, int]]:
    """The same for pairs of signs."""
    pairs = [word for word in wanted if len(word) == 2 and _WIDE.match(word)]
    if not pairs:
        return
    ends = list(accumulate(len(each) + 1 for each in text.split(_END)))
    firsts = re.escape("".join(sorted({pair[0] for pair in pairs})))
    for found in re.finditer(f"[{firsts}](?=(.))", text, re.DOTALL):
        pair = found[0] + found[1]
        if pair in wanted:
            yield pair, bisect_right(ends, found.start())


def _best(
    candidate: Candidate, wanted: Iterable[str], existing: Sequence[Memory], holders: _Holders, most: int
) -> list[int]:
    shared = {word: holders[word] for word in sorted(wanted) if word in holders}
    total = len(existing) + 1
    telling = {
        word: places for word, places in shared.items() if total < _COMMON_FROM or len(places) * _COMMON_PART <= total
    }
    scores: Counter[int] = Counter()
    for places in (telling or shared).values():
        weight = round(1000 * (log(total / len(places)) + 0.1))
        scores.update(dict.fromkeys(places, weight))
    compared = sorted(scores, key=lambda place: (-scores[place], place))[:_MOST_COMPARED]
    likeness = partial(_likeness, f"{candidate.description} {candidate.content}"[:_MOST_OF_CANDIDATE].lower(), existing)
    return _sorted_by(compared, lambda place: scores[place] * (1 + likeness(place)))[:most]


def _sorted_by(places: list[int], score: Callable[[int], float]) -> list[int]:
    scored = {place: score(place) for place in places}
    return sorted(places, key=lambda place: (-scored[place], place))


def _likeness(text: str, existing: Sequence[Memory], place: int) -> float:
    """How much a text and a memory are alike in letters, from 0 to 1."""
    from rapidfuzz import fuzz

    memory = existing[place]
    return fuzz.token_set_ratio(text, f"{memory.description} {memory.content[:500]}".lower()) / 100
