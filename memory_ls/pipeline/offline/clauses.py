"""What a sentence says as a whole, and in each of its clauses: "Oskar left, the release manager is Leila now"."""

from __future__ import annotations

import re

from memory_ls.pipeline.offline.language import Language
from memory_ls.pipeline.offline.topics import Telling, folded, telling

CLAUSE = re.compile(r"[,;.]\s|\s[–—-]\s|[，；。]|\sso\s(?=(?:i|we|they|the)\b)")
_SHORTEST_CLAUSE = 6
_MOST_CLAUSES = 4
_CLAUSE_WORDS = 3


def tellings_of(statement: str, spoken: str, language: Language) -> list[Telling]:
    """What ``statement`` says and, where it has several, what its clauses say; ``spoken`` is how it was said."""
    clauses = [each for each in CLAUSE.split(statement) if folded(each)][:_MOST_CLAUSES]
    clauses = [each for each in clauses if len(clauses) > 1 and len(folded(each)) >= _SHORTEST_CLAUSE]
    told = [telling(text, spoken, language) for text in clauses]
    # A clause of a word or two that has no subject says nothing: "not in the report" stands to whatever has a report.
    return [
        telling(statement, spoken, language),
        *(each for each in told if len(each.words) >= (2 if each.subject else _CLAUSE_WORDS)),
    ]
