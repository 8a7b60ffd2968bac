from __future__ import annotations

import random
import time

import pytest

from memory_ls.pipeline.related import related
from memory_ls.pipeline.values import Candidate, Memory

_SYLLABLES = [first + second for first in "bdfgklmnprst" for second in "aeiou"]


def _memories(count: int, wide: float = 0.0) -> list[Memory]:
    """Made-up memories of usual size; ``wide`` is the share of those in Chinese signs."""
    chance = random.Random(7)
    words = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(5000)]
    signs = [chr(0x4E00 + number) for number in range(1500)]

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))

    def signs_of(length: int) -> str:
        return "".join(chance.choices(signs, k=length))

    return [
        Memory(f"记忆-{number}", signs_of(30), "project", "。".join(signs_of(40) for _ in range(10)))
        if chance.random() < wide
        else Memory(f"{text(1)}-{number}", text(16), "project", ". ".join(text(14) for _ in range(18)))
        for number in range(count)
    ]


def _candidate(text: str) -> Candidate:
    return Candidate("project", "a-name", text, text)


def test_the_most_alike_come_first() -> None:
    existing = [
        Memory("lint", "Lint with ruff", "feedback", "Lint with ruff."),
        Memory("port", "The dev server listens on port 8080", "project", "The dev server listens on port 8080."),
        Memory("server", "The mail server is postfix", "project", "The mail server is postfix."),
    ]
    assert related([_candidate("The dev server listens on port 8081.")], existing) == [[1, 2]]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("部署改到周五。", "我们每周三部署。"),
        ("インデントはスペース。", "インデントはタブ。"),
        ("배포는 화요일에 한다.", "배포는 목요일에 한다."),
        ("Releases go out weekly.", "A release goes out each month."),
        ("Сервер слушает порт 8001.", "Сервер слушает порт 8000."),
    ],
)
def test_one_is_found_among_many_in_every_script(said: str, known: str) -> None:
    existing = [*_memories(300, 0.3), Memory("x", "", None, known)]
    assert related([_candidate(said)], existing)[0][0] == 300


def test_no_more_are_chosen_than_asked_for() -> None:
    existing = [Memory(str(number), "port", None, "The port") for number in range(50)]
    assert related([_candidate("The port")], existing, most=3) == [[0, 1, 2]]


def test_nothing_is_related_to_nothing() -> None:
    assert related([_candidate("port")], []) == [[]]
    assert related([], _memories(3)) == []
    assert related([_candidate("?!")], _memories(3)) == [[]]


def test_a_sign_that_stands_between_texts_confuses_nothing() -> None:
    existing = [Memory("a", "\0 \0", None, "x\0y"), Memory("b", "harbour", None, "")]
    assert related([_candidate("harbour")], existing) == [[1]]


@pytest.mark.parametrize("wide", [0.0, 0.3, 1.0])
def test_choosing_among_ten_thousand_is_quick(wide: float) -> None:
    existing = _memories(10_000, wide)
    candidates = [_candidate(existing[number * 1000].description + " 端口改成") for number in range(8)]
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        chosen = related(candidates, existing)
        best = min(best, time.process_time() - start)
    assert [places[0] for places in chosen] == [number * 1000 for number in range(8)]
    assert best < 0.2, best  # a twentieth of a second on a machine of its own
