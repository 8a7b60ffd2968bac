"""Edits of a text that changed several times, as edits of the text that it was at first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_ls.documents.edits import Edit, applied
from memory_ls.rules.fixes.followed import Followed


def test_what_was_put_in_and_taken_out_again_is_no_edit() -> None:
    followed = Followed("abc")
    followed.take([Edit(1, 1, "x")])
    followed.take([Edit(1, 2, "")])
    assert followed.edits() == ()


def test_an_edit_in_what_an_edit_put_in() -> None:
    followed = Followed("abc")
    followed.take([Edit(1, 2, "xyz")])
    followed.take([Edit(2, 3, "ÿ")])
    assert followed.edits() == (Edit(1, 2, "xÿz"),)


@st.composite
def _rounds(draw: st.DrawFn) -> tuple[str, list[list[Edit]]]:
    text = first = draw(st.text("abc漢\n", max_size=20))
    rounds = []
    for _ in range(draw(st.integers(0, 4))):
        places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
        pairs = zip(places[::2], places[1::2], strict=False)
        edits = [Edit(start, end, draw(st.text("xyz", max_size=3))) for start, end in pairs]
        rounds.append(edits)
        text = applied(text, edits)
    return first, rounds


@given(_rounds())
def test_the_edits_together_make_what_the_rounds_made(case: tuple[str, list[list[Edit]]]) -> None:
    first, rounds = case
    followed, text = Followed(first), first
    for edits in rounds:
        followed.take(edits)
        text = applied(text, edits)
    assert applied(first, followed.edits()) == text
