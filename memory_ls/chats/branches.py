"""The branches of a Claude Code transcript: which lines were taken back when the user went back and said something else."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from memory_ls.chats.values import string

_NONE = -1


class Tree:
    """Which line of a log follows which, by number; ``prompts`` are those that the user typed."""

    def __init__(self) -> None:
        self.prompts: set[int] = set()
        self._messages: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._parents: list[int | str | None] = []  # by number where it is known
        self._sessions: list[str | None] = []
        self._known_sessions: dict[str | None, str | None] = {}

    def add(self, row: dict[str, Any]) -> int | None:
        """The number of a line; ``None`` if one with the same id, other than an assistant's, was there before."""
        uuid = string(row.get("uuid"))
        if uuid is not None and uuid in self._numbers:
            return self._numbers[uuid] if row.get("type") == "assistant" else None
        number = len(self._parents)
        if row.get("type") in ("user", "assistant"):
            self._messages.add(number)
        if uuid is not None:
            self._numbers[uuid] = number
        parent = string(row.get("parentUuid")) or string(row.get("logicalParentUuid"))
        self._parents.append(self._numbers.get(parent, parent) if parent else None)
        session = string(row.get("sessionId"))
        self._sessions.append(self._known_sessions.setdefault(session, session))
        return number

    def taken_back(self, answers: set[int]) -> set[int]:
        """The lines on branches that were left: prompts that don't lead to the last line, and all that hangs on them."""
        parents = [self._number_of(parent) for parent in self._parents]
        self._join_first_prompts(parents, answers)
        roots = _roots(parents)
        current = self._current(parents, roots)
        known: dict[int, bool] = {}
        for start in range(len(parents)):
            way: list[int] = []
            node = start
            while node != _NONE and node not in known:
                known[node] = False  # also ends a circle
                way.append(node)
                node = parents[node]
            is_dropped = node != _NONE and known[node]
            for each in reversed(way):
                is_dropped = each not in current and (is_dropped or each in self.prompts)
                known[each] = is_dropped
        return {each for each, is_dropped in known.items() if is_dropped}

    def _number_of(self, parent: int | str | None) -> int:
        return parent if isinstance(parent, int) else self._numbers.get(parent, _NONE) if parent else _NONE

    def _join_first_prompts(self, parents: list[int], answers: set[int]) -> None:
        """Makes the first prompts of a session branches of one tree: who takes back the very first starts anew.

        Only where the log links its lines: other first prompts than one that was taken back are all that some have.
        """
        if not any(parents[each] != _NONE for each in self.prompts) or any(parents[each] == _NONE for each in answers):
            return
        first: dict[object, int] = {}
        for number, parent in enumerate(list(parents)):
            if parent == _NONE and number in self.prompts and self._parents[number] is None:
                session = self._sessions[number]
                if session not in first:
                    first[session] = len(parents)
                    parents.append(_NONE)
                parents[number] = first[session]

    def _current(self, parents: list[int], roots: list[int]) -> set[int]:
        """The lines on the way from the last message of each tree that none follows to the first.

        Lines of bookkeeping may come late, and of a branch that was left.
        """
        inner = self._followed(parents)
        lines = range(len(self._parents) - 1, -1, -1)
        current: set[int] = set()
        seen: set[int] = set()
        for node in chain((node for node in lines if node in self._messages and node not in inner), lines):
            if roots[node] not in seen:
                seen.add(roots[node])
                current.update(_way_up(node, parents))
        return current

    def _followed(self, parents: list[int]) -> set[int]:
        """The lines that a message follows, through others that are none too."""
        followed: set[int] = set()
        for node in self._messages:
            parent = parents[node]
            while parent != _NONE and parent not in followed:
                followed.add(parent)
                parent = _NONE if parent in self._messages else parents[parent]
        return followed


def _way_up(node: int, parents: list[int]) -> Iterator[int]:
    seen: set[int] = set()
    while node != _NONE and node not in seen:
        seen.add(node)
        yield node
        node = parents[node]


def _roots(parents: list[int]) -> list[int]:
    """For each line the first of its tree."""
    roots = [_NONE] * len(parents)
    for start in range(len(parents)):
        way: list[int] = []
        node = start
        while roots[node] == _NONE:
            roots[node] = start  # until it is known; also ends a circle
            way.append(node)
            if parents[node] == _NONE:
                break
            node = parents[node]
        root = node if parents[node] == _NONE else roots[node]
        for each in way:
            roots[each] = root
    return roots
