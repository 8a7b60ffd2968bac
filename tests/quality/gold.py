"""The gold set: conversations, and what should become of them. ``README.md`` tells what the keys of the files mean."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from memory_ls.directory.listing import MemorySummary
from memory_ls.pipeline.values import Memory
from tests.quality.formats import Turn, written

HERE = Path(__file__).parent / "gold"
SPLITS = ("dev", "held", "later", "fresh")
_START = "2026-08-12T09:30:00Z"


@dataclass(frozen=True)
class Want:
    """A memory that should come out. ``must`` are words of it, ``never`` words that it must not hold."""

    must: tuple[str, ...]
    never: tuple[str, ...]
    types: frozenset[str]
    outright: bool
    update: str | None

    def fits(self, text: str) -> bool:
        """Whether a memory's text tells it."""
        text = folded(text)
        return all(folded(word) in text for word in self.must)


@dataclass(frozen=True)
class Distractor:
    """What must not come out: of which kind it is, and words that are together in no memory."""

    kind: str
    words: tuple[str, ...]

    def is_in(self, text: str) -> bool:
        """Whether a memory's text tells it."""
        text = folded(text)
        return all(folded(word) in text for word in self.words)


@dataclass(frozen=True)
class Case:
    """One conversation."""

    id: str
    split: str
    format: str
    log: str
    known: tuple[Memory, ...]
    wants: tuple[Want, ...]
    distractors: tuple[Distractor, ...]
    known_again: tuple[str, ...]

    @property
    def summaries(self) -> list[MemorySummary]:
        """What extraction is told of the memories that exist."""
        return [MemorySummary(f"{each.name}.md", each.name, each.description, each.type) for each in self.known]


def folded(text: str) -> str:
    """A text as words are looked for in it: without case, on one line."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@cache
def cases(split: str | None = None) -> tuple[Case, ...]:
    """All conversations, or one half of them."""
    return tuple(case for name in SPLITS if split in (None, name) for case in _read(name))


def _read(split: str) -> Iterator[Case]:
    noise = yaml.safe_load((HERE / "noise.yaml").read_text(encoding="utf-8"))
    for raw in yaml.safe_load((HERE / f"{split}.yaml").read_text(encoding="utf-8")):
        turns = [next(iter(turn.items())) for turn in raw["log"]]
        turns = list(
            _with_noise(turns, raw.get("noise", 0), noise[raw["id"].split("-")[0]]) if "noise" in raw else turns
        )
        start = datetime.fromisoformat(str(raw.get("date", _START)))
        yield Case(
            raw["id"],
            split,
            raw["format"],
            written(turns, raw["format"], start),
            tuple(
                Memory(each["name"], each["description"], each["type"], each["content"])
                for each in raw.get("known", ())
            ),
            tuple(map(_want, raw.get("want", ()))),
            tuple(Distractor(kind, tuple(words)) for each in raw.get("not", ()) for kind, words in each.items()),
            tuple(raw.get("known-again", ())),
        )


def _want(raw: Mapping[str, Any]) -> Want:
    types = frozenset(raw["type"].split("/")) if "type" in raw else frozenset[str]()
    must, never = (tuple(str(word) for word in raw.get(key, ())) for key in ("must", "not"))
    return Want(must, never, types, raw.get("outright", True), raw.get("update"))


def _with_noise(turns: list[Turn], count: int, noise: list[dict[str, str]]) -> Iterator[Turn]:
    """``count`` turns of everyday work around and between those that matter."""
    filler = [turn for exchange in noise for turn in exchange.items()]
    each = count // (len(turns) + 1)
    at = 0
    for turn in [*turns, None]:
        for _ in range(each):
            who, text = filler[at % len(filler)]
            yield who[0], text.replace("{n}", str(at))
            at += 1
        if turn is not None:
            yield turn
