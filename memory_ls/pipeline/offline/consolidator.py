"""Decides without a model how candidates come together with what is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memory_ls.documents.names import fold
from memory_ls.pipeline.extract import Progress
from memory_ls.pipeline.offline import wording
from memory_ls.pipeline.offline.clauses import CLAUSE, tellings_of
from memory_ls.pipeline.offline.language import Language
from memory_ls.pipeline.offline.languages import language_of
from memory_ls.pipeline.offline.progress import from_thread, told
from memory_ls.pipeline.offline.topics import Relation, Telling, folded, relation, telling
from memory_ls.pipeline.related import related
from memory_ls.pipeline.values import Action, Candidate, Consolidation, Memory, Operation


class OfflineConsolidator:
    """Skips what is known, updates what is said otherwise now, adds the rest. ``progress`` hears of what is decided."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress

    async def consolidate(self, candidates: Sequence[Candidate], existing: Sequence[Memory]) -> Consolidation:
        """One operation for each candidate, in their order. Works in a thread, so that nobody waits for it."""
        import asyncio

        return await asyncio.to_thread(consolidate, candidates, existing, from_thread(self._progress))


def consolidate(
    candidates: Sequence[Candidate], existing: Sequence[Memory], progress: Progress | None = None
) -> Consolidation:
    """The same at once."""
    if not candidates:
        return Consolidation()
    memories = list(existing)
    taken = {fold(memory.name) for memory in memories}
    operations = []
    near = list(zip(candidates, related(candidates, existing), strict=True))
    for number, (candidate, places) in told(near, progress):
        operation = _decided(number, candidate, [(place, memories[place]) for place in places], memories)
        if operation.action is Action.ADD and operation.entry is not None:
            entry = replace(operation.entry, name=_free(operation.entry.name, taken))
            taken.add(fold(entry.name))
            operation = replace(operation, entry=entry)
        operations.append(operation)
    return Consolidation(tuple(operations))


def _free(name: str, taken: set[str]) -> str:
    """``name``, with a number where a memory is called so that says something else."""
    free, count = name, 2
    while fold(free) in taken:
        free, count = f"{name}-{count}", count + 1
    return free


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a memory: where in its content, from ``start`` to ``end``; ``None`` for its description.

    With ``is_part``, ``telling`` is that of its first clause, which stands for the sentence up to a semicolon.
    """

    text: str
    telling: Telling
    start: int | None = None
    end: int = 0
    is_part: bool = False


_RANK = {Relation.SAME: 3, Relation.CHANGED: 2, Relation.MORE: 1, Relation.NONE: 0}


def _decided(number: int, candidate: Candidate, near: list[tuple[int, Memory]], memories: list[Memory]) -> Operation:
    tellings = _tellings_of(candidate)
    best: tuple[float, Relation, int, _Piece] | None = None
    for place, memory in near:
        if _is_known(candidate, memory):
            return Operation(number, Action.SKIP, memory.name, reason=f"`{memory.name}` says so already.")
        for piece in _pieces(memory, tellings[0]):
            if _is_settled(candidate, piece):
                return Operation(number, Action.SKIP, memory.name, reason=f"`{memory.name}` says so already.")
            how, new = _relation(tellings, piece)
            if how is Relation.NONE or (piece.is_part and not _changes_part(how, new, piece.telling)):
                continue
            score = _RANK[how] + len(new.words & piece.telling.words) / max(1, len(new.words | piece.telling.words))
            score += 0.05 if piece.start is not None else 0.0
            score += 0.2 if piece.is_part else 0.0  # the less is replaced, the better
            if best is None or score > best[0]:
                best = score, how, place, piece
    if best is None:
        return Operation(number, Action.ADD, None, candidate, "Nothing like it is known yet.")
    _, how, place, piece = best
    memory = memories[place]
    if how is Relation.SAME:
        return Operation(number, Action.SKIP, memory.name, reason=f"`{memory.name}` says so already.")
    entry = _merged(candidate, tellings[0], memory, piece)
    memories[place] = replace(memory, content=entry.content, description=entry.description)
    told = "The chat adds to what it says." if how is Relation.MORE else "The chat says otherwise now."
    return Operation(number, Action.UPDATE, memory.name, entry, told)


def _is_settled(candidate: Candidate, piece: _Piece) -> bool:
    """Whether a sentence was changed already to what a candidate says: of "36 hours, not 24" it says "36 hours"."""
    statement = wording.without_contrast(_split_reason(candidate.content)[0], piece.text)
    return bool(statement) and relation(_told(statement), piece.telling) is Relation.SAME


def _tellings_of(candidate: Candidate) -> list[Telling]:
    statement = _split_reason(candidate.content)[0]
    spoken = " ".join(evidence.quote for evidence in candidate.evidence) or statement
    return tellings_of(statement, spoken, language_of(statement))


_LEAST_SHARED = 2
# Of fewer words that are new, "as you know" is made, and no news.
_MORE_WORDS = 3


def _relation(tellings: list[Telling], piece: _Piece) -> tuple[Relation, Telling]:
    """How a candidate stands to a sentence that is known; with a clause that is known it says more."""
    for new in tellings:
        how = relation(new, piece.telling)
        if how is Relation.CHANGED and _is_known_by_a_clause(tellings, piece.telling):
            return Relation.SAME, new
        if how is not Relation.CHANGED and new is not tellings[0]:
            shared = new.words & piece.telling.words
            if len(shared) < min(_LEAST_SHARED, len(piece.telling.words)):
                continue  # a clause has one word in common with anything
        if how is not Relation.NONE:
            if how is Relation.SAME and len(tellings[0].words - new.words) >= _MORE_WORDS:
                how = Relation.MORE
            return how, new
    return Relation.NONE, tellings[0]


def _is_known_by_a_clause(tellings: list[Telling], old: Telling) -> bool:
    """Whether a clause with all the numbers says what is known, and the rest is a word or two: "at 4 am, I checked"."""
    whole = tellings[0]
    return bool(whole.numbers) and any(
        each.numbers == whole.numbers == old.numbers
        and len(whole.words - each.words) < _MORE_WORDS
        and relation(each, old) is Relation.SAME
        for each in tellings[1:]
    )


def _changes_part(how: Relation, new: Telling, old: Telling) -> bool:
    """Whether the first clause of a sentence is changed: it shares a word with many that add nothing to it."""
    return how is Relation.CHANGED and len(new.words & old.words) >= min(_LEAST_SHARED, len(old.words) - 1)


_WHY = re.compile(r"\n\s*\n?\*\*Why", re.IGNORECASE)


def _split_reason(content: str) -> tuple[str, str]:
    why = _WHY.search(content)
    return (content[: why.start()].strip(), content[why.start() :].strip()) if why else (content.strip(), "")


def _is_known(candidate: Candidate, memory: Memory) -> bool:
    statement = folded(_split_reason(candidate.content)[0])
    return bool(statement) and (
        statement in (folded(memory.content), folded(memory.description))
        or statement in {folded(text) for text, _, _ in _sentences(memory.content)}
    )


_LONGEST_CONTENT = 20_000
_MOST_SENTENCES = 60
_END = re.compile(r"[.!?]+[\"'”»)*_`]*(?=\s|\Z)|[。！？；]+[”」』）*_]*|\n+")
_MARK = re.compile(r"\s*(?:#{1,6}\s+|[-*+•]\s+|\d{1,2}[.)]\s+|>\s+)?")
_LABEL = re.compile(r"\*\*(?:why|how to apply|原因|应用)", re.IGNORECASE)


_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1", re.MULTILINE | re.DOTALL)


def _sentences(content: str) -> list[tuple[str, int, int]]:
    """The sentences of a memory with their places, without marks of lists, and without why and how."""
    found = []
    start = 0
    text = content[:_LONGEST_CONTENT]
    fenced = [match.span() for match in _FENCED.finditer(text)]
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        mark = _MARK.match(text, start, end)
        first = mark.end() if mark else start
        piece = text[first:end]
        is_code = any(opened <= first < closed for opened, closed in fenced)
        if (
            piece.strip() and not is_code and not _LABEL.match(piece) and not piece.startswith("|")
        ):  # nor rows of a table
            found.append((piece.strip(), first, first + len(piece.rstrip())))
        start = end
    return found


def _pieces(memory: Memory, new: Telling) -> Iterator[_Piece]:
    """What a memory says, sentence by sentence, and its description as a whole; not what has nothing of ``new``."""
    language = language_of(f"{memory.description} {memory.content[:300]}")
    for text, start, end in _sentences(memory.content)[:_MOST_SENTENCES]:
        if _may_touch(new, text):
            its = language if text.isascii() else language_of(text, memory.content)
            yield _Piece(text, telling(text, text, its), start, end)
            if part := _first_part(text, its):
                yield _Piece(text, part, start, start + len(text.split(";", 1)[0]), is_part=True)
    if memory.description.strip() and _may_touch(new, memory.description):
        yield _Piece(memory.description, telling(memory.description, memory.description, language))


def _first_part(text: str, language: Language) -> Telling | None:
    clause = CLAUSE.split(text, maxsplit=1)[0]
    told = telling(clause, clause, language) if clause != text else None
    return told if told and len(told.words) >= _LEAST_SHARED else None


def _may_touch(new: Telling, text: str) -> bool:
    lowered = text.lower()
    return bool(new.values) or any(word in lowered for word in new.words) or new.folded == folded(text)


def _merged(candidate: Candidate, new: Telling, memory: Memory, piece: _Piece) -> Candidate:
    """The memory with the changed sentence in place of the old one, and all else as it was."""
    if piece.start is None:
        piece = _touched_part(new, memory.description)
    statement, reason = _split_reason(candidate.content)
    said, statement = statement, wording.without_old(statement, piece.text)
    if said != statement and candidate.description == wording.description(said):
        candidate = replace(candidate, description=wording.description(statement))
    content = _content(statement, new, memory, piece)
    if reason:
        old_reason = re.search(r"(?:\A|\n)\*\*Why:?\*\*:?[^\n]*", content)
        content = content.rstrip()
        if old_reason:
            lead = "\n" if old_reason[0].startswith("\n") else ""
            content = content[: old_reason.start()] + lead + reason + content[old_reason.end() :]
        else:
            content = f"{content}\n\n{reason}"
    return Candidate(
        memory.type if memory.type in ("user", "feedback", "project", "reference") else candidate.type,
        memory.name,
        _description(candidate, new, memory, piece, _changed_number(_told(statement), piece.telling)),
        content,
        candidate.evidence,
        candidate.confidence,
    )


def _touched_part(new: Telling, description: str) -> _Piece:
    """The part of a description that has most of what is said now."""
    language = language_of(description)
    parts = [_Piece(text, telling(text, text, language)) for text in _PARTS.split(description)[::2]]
    return max(parts, key=lambda part: len(part.telling.words & new.words))


def _content(statement: str, new: Telling, memory: Memory, piece: _Piece) -> str:
    if piece.start is not None:
        statement = _with_its_number(statement, piece) or statement
        if memory.content[piece.end : piece.end + 1] == ";":
            statement = statement.rstrip(".。")
        return memory.content[: piece.start] + statement + memory.content[piece.end :]
    # Only the description gave it away: what of the content is about the same goes, if anything is.
    for text, start, end in _sentences(memory.content):
        told = telling(text, text, language_of(text, memory.description))
        if len(told.words & piece.telling.words) * 2 > len(piece.telling.words):
            change = _changed_number(_told(statement), piece.telling)
            renewed = (_with_number(text, *change) if change is not None else "") or statement
            return memory.content[:start] + renewed + memory.content[end:]
    return f"{memory.content.rstrip()}\n\n{statement}" if memory.content.strip() else statement


def _with_its_number(statement: str, piece: _Piece) -> str:
    """The old sentence with the new number in it, where that is all that is new and the old one says more; else nothing."""
    told = _told(statement)
    change = _changed_number(told, piece.telling)
    if change is None or piece.is_part:
        return ""
    gone, come = change
    words = {word for word in told.words if word != come}
    return _with_number(piece.text, gone, come) if words < piece.telling.words - {gone} else ""


def _told(statement: str) -> Telling:
    return telling(statement, statement, language_of(statement))


def _changed_number(new: Telling, old: Telling) -> tuple[str, str] | None:
    """The one number that goes, and the one that comes for it."""
    gone, come = old.numbers - new.numbers, new.numbers - old.numbers
    return (next(iter(gone)), next(iter(come))) if len(gone) == 1 and len(come) == 1 else None


def _with_number(text: str, gone: str, come: str) -> str:
    """A text with another number, where the old one stands in it once; else nothing."""
    number = re.compile(rf"(?<![\w.]){re.escape(gone)}(?![\w.])")
    return number.sub(lambda match: come, text) if len(number.findall(text)) == 1 else ""


_PARTS = re.compile(r"([;；]\s*|(?<=[.。!?！？])\s+)")


def _description(
    candidate: Candidate, new: Telling, memory: Memory, piece: _Piece, change: tuple[str, str] | None
) -> str:
    """The old description with the part renewed that told what is no longer so; what else it says stays."""
    renewed = candidate.description or wording.description(candidate.content)
    if not memory.description.strip():
        return candidate.description
    parts = _PARTS.split(memory.description)
    language = language_of(memory.description)
    told = [telling(part, part, language) for part in parts[::2]]
    touched = [each for each in told if piece.start is None or _is_touched(each, new, piece)]
    if not touched:
        return memory.description
    most = max(touched, key=lambda each: len(each.words & piece.telling.words))
    at = 2 * told.index(most)
    parts[at] = (_with_number(parts[at], *change) if change is not None else "") or renewed
    return "".join(parts)


def _is_touched(old: Telling, new: Telling, piece: _Piece) -> bool:
    """Whether a part of a description tells what a changed sentence told."""
    is_summary = len(old.words & piece.telling.words) * 2 >= max(1, len(old.words))
    is_outdated = bool(old.words & (piece.telling.words - new.words))
    return is_summary or is_outdated or relation(replace(new, changing=True), old) in (Relation.CHANGED, Relation.MORE)
