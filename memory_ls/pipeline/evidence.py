"""What a candidate rests on: who said it, and whether it was said at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.folding import folded_quote, without_ellipses
from memory_ls.pipeline.values import Candidate, Evidence

# Who may speak for a memory of the user: the user alone. A summary retells what the user said.
_OF_THE_USER = ("user", "feedback")
_ABOUT_THE_USER = (Role.USER, Role.SUMMARY)
_ABOUT_THE_WORK = (Role.USER, Role.ASSISTANT, Role.SUMMARY)

# Tool output and the like speak for nothing, and are only looked at to say so.
_MOST_OF_OTHERS = 2_000
# So many letters or digits a quote must have.
_LEAST_QUOTE = 2

NOT_FOUND = "Its quote is not in the log."
NOT_THE_USER = "No message of the user says so."
ONLY_TOOLS = "Only the output of a tool says so."


class Quotes:
    """The messages of a window, in which quotes are looked up. ``first`` is the number of the first of them."""

    def __init__(self, messages: Sequence[Message], first: int = 1) -> None:
        self._messages = messages
        self._first = first
        self._folded: dict[int, str] = {}

    def found(self, evidence: Evidence, witnesses: Collection[Role]) -> Evidence | None:
        """The evidence with the number of the message in which its words are; ``None`` where nobody said them.

        The message that it names comes first, if one of the ``witnesses`` speaks there; then the user's others.
        """
        quote = _bare(evidence.quote)
        named = evidence.message - self._first
        if 0 <= named < len(self._messages) and self._messages[named].role in witnesses and quote in self._text(named):
            return evidence
        places = [place for place in range(len(self._messages)) if quote in self._text(place)]
        if not places:
            return None
        best = min(places, key=lambda place: (_RANKS[self._messages[place].role], abs(place - named)))
        return replace(evidence, message=best + self._first)

    def role(self, evidence: Evidence) -> Role:
        """Who said what was found."""
        return self._messages[evidence.message - self._first].role

    def _text(self, place: int) -> str:
        if place not in self._folded:
            message = self._messages[place]
            text = message.text if message.role in _ABOUT_THE_WORK else message.text[:_MOST_OF_OTHERS]
            self._folded[place] = folded_quote(text)
        return self._folded[place]


def _bare(quote: str) -> str:
    """A quote as it is looked up; "" where too little is left to say anything."""
    bare = folded_quote(without_ellipses(quote))
    return bare if sum(map(str.isalnum, bare)) >= _LEAST_QUOTE else ""


_RANKS = {Role.USER: 0, Role.SUMMARY: 1, Role.ASSISTANT: 2, Role.SYSTEM: 3, Role.TOOL: 4}


def proven(candidate: Candidate, quotes: Quotes) -> Candidate | str:
    """The candidate with the evidence that holds, or why it can't be taken.

    Without any quote it is taken as it is: it counts as unverified.
    """
    given = [each for each in candidate.evidence if _bare(each.quote)]
    if not given:
        return replace(candidate, evidence=())
    witnesses = _ABOUT_THE_USER if candidate.type in _OF_THE_USER else _ABOUT_THE_WORK
    found = [each for each in (quotes.found(each, witnesses) for each in given) if each is not None]
    if not found:
        return NOT_FOUND
    if not any(quotes.role(each) in witnesses for each in found):
        return ONLY_TOOLS if all(quotes.role(each) is Role.TOOL for each in found) else NOT_THE_USER
    return replace(candidate, evidence=tuple(each for each in found if quotes.role(each) in witnesses))


def is_unverified(candidate: Candidate, messages: Sequence[Message]) -> bool:
    """Whether no message of the user is quoted for it. Evidence counts ``messages`` from 1."""
    return not any(
        0 < each.message <= len(messages) and messages[each.message - 1].role is Role.USER
        for each in candidate.evidence
    )
