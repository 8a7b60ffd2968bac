"""What the index says of a memory, when the description changes that it repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memory_ls.directory.listing import one_line, shortened
from memory_ls.documents.edits import Edit
from memory_ls.documents.index import IndexDocument, IndexEntry

# A word, a sign of a script without spaces, or a punctuation mark.
_TOKEN = re.compile(r"[ぁ-ヿ㐀-鿿]|[^\Wぁ-ヿ㐀-鿿]+|[^\w\s]")
_WORD = re.compile(r"\w")
# So many words are told from others by themselves; fewer need one beside them that is the same.
_ENOUGH_WORDS = 3
# What could make something else of a line of the index.
_NOT_IN_HOOK = re.compile(r"[\[\]|<>\\\ufffd]")


def hook_edits(
    index: IndexDocument, entries: Iterable[IndexEntry], old: str, new: str, line_length: int
) -> Iterator[Edit]:
    """The edits that let the entries of a memory follow its description from ``old`` to ``new``."""
    text = index.source.text
    for entry in entries:
        place = _trimmed(text, entry)
        hook = text[place[0] : place[1]]
        if "\n" in hook or "\r" in hook or _NOT_IN_HOOK.search(new):
            continue
        followed = hook_after(hook, one_line(old), one_line(new))
        if followed != hook and followed.count("`") % 2 == 0:
            line = index.source.line_span(index.source.line_of(place[0]))
            room = line_length - (line.end - line.start - len(hook))
            yield Edit(*place, shortened(followed, max(room, len(hook))))


def _trimmed(text: str, entry: IndexEntry) -> tuple[int, int]:
    start, end = entry.description_span
    told = text[start:end]
    return start + len(told) - len(told.lstrip()), start + len(told.rstrip())


def hook_after(hook: str, old: str, new: str) -> str:
    """What a hook becomes that repeats a description, or the words of it that change; as it is, where it does neither."""
    if not hook or not old or old == new:
        return hook
    end = hook[len(hook.rstrip(".。")) :]
    if hook.removesuffix(end).casefold() == old.rstrip(".。").casefold():
        return new.rstrip(".。") + end
    if hook.endswith("…") and old.startswith(hook[:-1].rstrip()):
        return shortened(new, len(hook))
    olds, news, mine = (list(_TOKEN.finditer(text)) for text in (old, new, hook))
    first, last = _same_ends(_words(olds), _words(news))
    gone, come = olds[first : len(olds) - last], news[first : len(news) - last]
    if not gone or not come:
        return hook
    before = _words(olds[max(first - 1, 0) : first])
    after = _words(olds[len(olds) - last : len(olds) - last + 1])
    places = list(_places(_words(gone), before, after, _words(mine)))
    if len(places) != 1 or len(list(_places(_words(gone), [], [], _words(olds)))) != 1:
        return hook
    start, end_at = mine[places[0]].start(), mine[places[0] + len(gone) - 1].end()
    return hook[:start] + new[come[0].start() : come[-1].end()] + hook[end_at:]


def _words(tokens: Sequence[re.Match[str]]) -> list[str]:
    return [token[0].casefold() for token in tokens]


def _same_ends(old: list[str], new: list[str]) -> tuple[int, int]:
    """How many words two texts share at their start, and how many more at their end."""
    least = min(len(old), len(new))
    first = next((at for at in range(least) if old[at] != new[at]), least)
    last = next((at for at in range(least - first) if old[-1 - at] != new[-1 - at]), least - first)
    return first, last


def _places(gone: list[str], before: list[str], after: list[str], hook: list[str]) -> Iterator[int]:
    """Where the words ``gone`` stand in a hook, beside what stands beside them in the description."""
    is_enough = sum(_WORD.search(word) is not None for word in gone) >= _ENOUGH_WORDS or not (before or after)
    for at in range(len(hook) - len(gone) + 1):
        behind = hook[at + len(gone) : at + len(gone) + 1]
        is_beside = (_is_word(before) and hook[max(at - 1, 0) : at] == before) or (_is_word(after) and behind == after)
        if hook[at : at + len(gone)] == gone and (is_enough or is_beside):
            yield at


def _is_word(tokens: list[str]) -> bool:
    return bool(tokens) and _WORD.search(tokens[0]) is not None
