"""Memories are found by what may be typed for them, the best first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.directory import search
from memory_ls.documents.names import loosely
from tests.making import directory_of, memory

DIRECTORY = directory_of(
    {
        "ferry.md": memory("ferry", "The boat that leaves at six"),
        "ferry-rota.md": memory("ferry-rota", "Who works"),
        "night-ferry.md": memory("night-ferry", "After ten"),
        "offerryoff.md": memory("offerryoff", "No word of its own"),
        "feedback_no-mocks.md": memory("No Mocks", "Use the real thing", "feedback", nested=False),
        "café-plan.md": memory("café-plan", "Menü"),
        "부두 연락망.md": memory("부두 연락망", "전화"),
        "停航规则.md": memory("停航规则", "船长决定"),
        "team/rota.md": memory("rota", "Of the team"),
    }
)


def found(typed: str, most: int = 9) -> list[str]:
    return search.memories(DIRECTORY, typed, lambda key: True, most).keys


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("ferry", ["ferry.md", "ferry-rota.md", "night-ferry.md", "offerryoff.md"]),
        ("FERRY_R", ["ferry-rota.md"]),
        ("rota", ["team/rota.md", "ferry-rota.md"]),
        ("team/r", ["team/rota.md"]),
        ("no mocks", ["feedback_no-mocks.md"]),
        ("mocks", ["feedback_no-mocks.md"]),
        ("cafe", ["café-plan.md"]),
        ("CAFÉ", ["café-plan.md"]),
        ("cafe\u0301", ["café-plan.md"]),
        ("ｆｅｒｒｙ", ["ferry.md", "ferry-rota.md", "night-ferry.md", "offerryoff.md"]),
        ("연락", ["부두 연락망.md"]),
        ("부두연락망", ["부두 연락망.md"]),
        ("规则", ["停航规则.md"]),
        ("ferri", ["ferry.md"]),
        ("boat", ["ferry.md"]),
        ("ＢＯＡＴ", ["ferry.md"]),
        ("船长", ["停航规则.md"]),
        ("zebra", []),
    ],
)
def test_finds_by_name_then_by_likeness_and_description(typed: str, keys: list[str]) -> None:
    assert found(typed) == keys


def test_without_anything_typed_all_in_order() -> None:
    assert found("  ", 99) == sorted(DIRECTORY.documents)


def test_tells_that_there_is_more() -> None:
    for typed in ("", "ferry"):
        assert search.memories(DIRECTORY, typed, lambda key: True, 3).more
    assert not search.memories(DIRECTORY, "ferry", lambda key: True, 4).more
    assert not search.memories(DIRECTORY, "ferry", lambda key: key == "ferry.md", 1).more


def test_only_what_fits() -> None:
    assert search.memories(DIRECTORY, "ferry", lambda key: key != "ferry.md", 1).keys == ["ferry-rota.md"]
    assert search.memories(DIRECTORY, "boat", lambda key: key != "ferry.md", 1).keys == []


def test_texts_are_found_like_names() -> None:
    texts = [("3", "The plan"), ("1", "Plan B"), ("2", "Airplanes"), ("4", "Über")]
    assert search.texts(texts, "plan", 9) == search.Found(["1", "3", "2"], False)
    assert search.texts(texts, "", 2) == search.Found(["3", "1"], True)
    assert search.texts(texts, "uber", 9).keys == ["4"]


def test_a_changed_name_is_found_at_once() -> None:
    changed = DIRECTORY.with_document("ferry.md", memory("barge", "The boat"))
    assert search.memories(changed, "barge", lambda key: True, 9).keys == ["ferry.md"]


@given(st.text(max_size=8))
def test_a_name_is_found_by_itself(name: str) -> None:
    assert loosely(loosely(name)) == loosely(name) or not name.isascii()
    directory = directory_of(
        {"x.md": "---\nname: y\n---\n", f"a{name.replace('/', '').replace(chr(0), '')}.md": "T.\n"}
    )
    key = next(key for key in directory.documents if key != "x.md")
    assert search.memories(directory, key.removesuffix(".md"), lambda key: True, 9).keys[:1] == [key]
