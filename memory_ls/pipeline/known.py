"""Which existing memories are named to a model beside a window: all, or those that the window may be about."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from memory_ls.directory.listing import MemorySummary
from memory_ls.pipeline.prompts import known_line

_WORDS = re.compile(r"[^\W_]{2,}")
_DENSE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")
# A word in more memories than this part of them says nothing about one of them.
_COMMON = 20


class Known:
    """The lines about ``memories`` for which ``budget`` characters have room."""

    def __init__(self, memories: Sequence[MemorySummary], budget: int) -> None:
        self._memories = memories
        self._budget = budget
        self._fits = sum(len(each.name) + len(each.description) + 5 for each in memories) <= budget
        self._lines = [known_line(each) for each in memories] if self._fits else []
        self._holders: dict[str, list[int]] = {}
        if not self._fits:
            for number, each in enumerate(memories):
                for word in set(words_of(f"{each.name} {each.description}")):
                    self._holders.setdefault(word, []).append(number)

    def lines_for(self, texts: Iterable[str]) -> tuple[list[str], int]:
        """The lines, those that share the rarest words with ``texts`` first, and how many are left out."""
        if self._fits:
            return self._lines, 0
        most = max(len(self._memories) // _COMMON, 8)
        scores: dict[int, float] = defaultdict(float)
        for word in {word for text in texts for word in words_of(text)}:
            holders = self._holders.get(word, ())
            if len(holders) <= most:
                for number in holders:
                    scores[number] += 1 / len(holders)
        lines: list[str] = []
        room = self._budget
        for number in sorted(scores, key=lambda number: (-scores[number], number)):
            line = known_line(self._memories[number])
            room -= len(line) + 1
            if room < 0:
                break
            lines.append(line)
        return lines, len(self._memories) - len(lines)


def words_of(text: str) -> Iterator[str]:
    """The words of a text, folded; of scripts without spaces every two characters."""
    for word in _WORDS.findall(text.casefold()):
        dense = _DENSE.search(word)
        if dense is None:
            yield word
        else:
            yield from (word[at : at + 2] for at in range(len(word) - 1))
