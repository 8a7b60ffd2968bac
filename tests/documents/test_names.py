"""Names: alike or not, safe or not, kebab or not."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.documents.names import (
    all_close,
    closest,
    copied_from,
    fold,
    is_kebab,
    slug,
    stem_of,
    unsafe_reason,
    without_type_prefix,
)

NAMES = st.text(st.sampled_from("aAbß -_.é漢한İſΣς") | st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Seat Hold", "seat-hold"),
        ("seat_hold", "seat-hold"),
        ("CAFÉ", "cafe\u0301"),
        ("Straße", "STRASSE"),
        ("한국_어", unicodedata.normalize("NFD", "한국-어")),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
    ],
)
def test_alike_names_fold_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"), [("a", "b"), ("a-b", "ab"), ("a.b", "a-b"), ("用户", "用戶"), ("cafe", "café")]
)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@given(NAMES)
def test_separators_and_the_case_of_ascii_letters_fold_away(name: str) -> None:
    assert fold(name) == fold(name.replace("-", "_")) == fold(name.replace("_", " "))
    assert fold(name.encode("ascii", "ignore").decode().upper()) == fold(name.encode("ascii", "ignore").decode())


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("user_role", "role"),
        ("feedback-no-mocks", "no-mocks"),
        ("Project x", "x"),
        ("reference_错误", "错误"),
        ("user_", None),
        ("user", None),
        ("username", None),
        ("my_user_role", None),
        ("", None),
    ],
)
def test_a_type_in_front_is_taken_off(name: str, rest: str | None) -> None:
    assert without_type_prefix(name) == rest


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a.md", "a"),
        ("team/a.md", "a"),
        ("a.MD", "a"),
        ("v1.2 notes.md", "v1.2 notes"),
        ("v1.2 notes", "v1.2 notes"),
        ("a.md.md", "a.md"),
        ("a.txt", "a.txt"),
        ("终.md", "终"),
        (".md", ""),
        ("", ""),
    ],
)
def test_the_stem_is_the_last_part_without_md(path: str, stem: str) -> None:
    assert stem_of(path) == stem


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("a 2.md", "a.md"),
        ("a (1).md", "a.md"),
        ("team/a copy.md", "team/a.md"),
        ("a copy 3.md", "a.md"),
        ("a - Copy.md", "a.md"),
        ("a - Copy (2).md", "a.md"),
        ("메모 - 사본.md", "메모.md"),
        ("笔记 副本.md", "笔记.md"),
        ("a.md", None),
        ("a2.md", None),
        ("photocopy.md", None),
        ("a 2.txt", None),
    ],
)
def test_copies_are_known_by_their_name(path: str, original: str | None) -> None:
    assert copied_from(path) == original


@pytest.mark.parametrize("name", ["a", "a-b", "a1-2b", "é-漢", "한국-어", "错误信息", "नमस्ते-x", "2026"])
def test_kebab_names_of_every_script(name: str) -> None:
    assert is_kebab(name)


@pytest.mark.parametrize("name", ["", "A-b", "a_b", "a b", "a--b", "-a", "a-", "a.b", "É", "a—b", "a-😀"])
def test_what_is_no_kebab_name(name: str) -> None:
    assert not is_kebab(name)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("", "blank"),
        (" \t", "blank"),
        ("\u3000", "blank"),
        ("a/b", "separator"),
        ("../x", "separator"),
        ("a\\b", "separator"),
        ("a\nb", "control"),
        ("a\x00b", "control"),
        ("a\x85b", "control"),
        ("a\u2028b", "control"),
        ("a\ud800b", "control"),
        (".hidden", "dot"),
        ("..", "dot"),
        ("CON", "device"),
        ("con.txt", "device"),
        ("Com1", "device"),
        ("lpt³", "device"),
        ("nul .x", "device"),
    ],
)
def test_unsafe_names_are_told_why(name: str, part: str) -> None:
    reason = unsafe_reason(name)
    assert reason is not None
    assert part in reason


@pytest.mark.parametrize(
    "name", ["a", "Seat Hold", "v1.2 x", "错误", "부두 연락망", "😀", "console", "com10", "a.", "x.con"]
)
def test_safe_names(name: str) -> None:
    assert unsafe_reason(name) is None


@given(st.text(st.characters(exclude_categories=()), max_size=10))
def test_a_safe_name_can_be_written_and_is_its_own_stem(name: str) -> None:
    if unsafe_reason(name) is None:
        name.encode("utf-8")
        assert stem_of(f"dir/{name}.md") == name
        assert len(f"x{name}".splitlines()) == 1


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("CI: Quay (new)", "ci-quay-new"),
        ("Don't sail_at night", "dont-sail-at-night"),
        ("停航 通知!", "停航-通知"),
        ("हिन्दी भाषा", "हिन्दी-भाषा"),
        ("CAFE\u0301", "café"),
        ("!?", "note"),
        ("", "note"),
        ("con", "note-con"),
        ("Memory", "note-memory"),
    ],
)
def test_the_slug_of_a_title(title: str, name: str) -> None:
    assert slug(title) == name


@given(st.text(max_size=40) | st.text("漢aé", min_size=200, max_size=400))
def test_a_slug_is_safe_and_its_own_slug(title: str) -> None:
    name = slug(title)
    assert unsafe_reason(name) is None
    assert len(name.encode()) < 240
    assert slug(name) == name
    assert " " not in name


def test_the_closest_name_is_offered_and_a_far_one_is_not() -> None:
    known = ["seat-hold", "refund-window", "错误信息"]
    assert closest("seat_hodl", known) == "seat-hold"
    assert closest("Refund Windw", known) == "refund-window"
    assert closest("something-else", known) is None
    assert closest("x", []) is None


def test_all_close_names_are_told() -> None:
    known = ["seat-hold", "seat-holds", "refund-window"]
    assert set(all_close("seat-hodl", known)) == {"seat-hold", "seat-holds"}
    assert all_close("x", []) == []
