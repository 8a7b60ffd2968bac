"""What the index says of a memory, when the description changes that it repeats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# A word, a sign of a script without spaces, or a punctuation mark.
_TOKEN = re.compile(r"[ぁ-ヿ㐀-鿿]|[^\Wぁ-ヿ㐀-鿿]+|[^\w\s]")
_WORD = re.compile(r"\w")
# So many words are told from others by themselves; fewer need one beside them that is the same.
_ENOUGH_WORDS = 3
# So much of a description that was cut tells it from others.
_LEAST_CUT = 20
# What could make something else of a line of the index.
_NOT_IN_HOOK = re.compile(r"[\[\]|<>\\\ufffd]")


def hook_after(hook: str, old: str, new: str) -> str:
    """What a hook becomes that repeats a description, or the words of it that change; as it is, where it does neither."""
    if not hook or not old or old == new or not _WORD.search(new) or _NOT_IN_HOOK.search(new):
        return hook
    end = hook[len(hook.rstrip(".。")) :]
    if hook.removesuffix(end).casefold() == old.rstrip(".。").casefold():
        return new.rstrip(".。") + end
    if hook.endswith("…") and len(hook) > _LEAST_CUT and old.startswith(hook[:-1].rstrip()):
        return new
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
    followed = hook[:start] + new[come[0].start() : come[-1].end()] + hook[end_at:]
    return followed if followed.count("`") % 2 == 0 else hook


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
