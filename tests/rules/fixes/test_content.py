"""Fixes of the text of a memory, by example."""

from __future__ import annotations

import pytest

from memory_ls.documents.edits import CannotEditError
from tests.making import memory
from tests.rules.fixes.applying import after, fixes


def test_mojibake_becomes_what_was_meant() -> None:
    text = memory("a", body="The cafÃ© isnâ€™t open.\n")
    texts = {"a.md": text}
    assert all(fixes("mojibake", texts, "a.md", number=number)[0].safe for number in (0, 1))
    assert after("mojibake", texts, "a.md") == text.replace("cafÃ©", "café")
    assert after("mojibake", texts, "a.md", number=1) == text.replace("isnâ€™t", "isn’t")


def test_mojibake_in_a_name_or_a_link_is_mended_only_when_asked() -> None:
    name = memory("cafÃ©", "x")
    link = memory("b", body="[[cafÃ©]]\n")
    assert not fixes("mojibake", {"a.md": name}, "a.md")[0].safe
    assert not fixes("mojibake", {"a.md": name, "b.md": link}, "b.md")[0].safe


@pytest.mark.parametrize(("most", "few"), [("\n", "\r\n"), ("\r\n", "\n"), ("\n", "\r")])
def test_all_lines_end_as_most_do(most: str, few: str) -> None:
    text = memory("a", body="漢字\nx\n\nend\n").replace("\n", most)
    mixed = text.replace(f"漢字{most}", f"漢字{few}")
    [fix] = fixes("line-endings-mixed", {"a.md": mixed}, "a.md")
    assert fix.safe
    assert after("line-endings-mixed", {"a.md": mixed}, "a.md") == text


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("Use tabs.\n", "Use tabs.\n\n**Why:**\n\n**How to apply:**\n"),
        ("Use tabs.", "Use tabs.\n\n**Why:**\n\n**How to apply:**"),
        ("Use tabs.\n\n\n", "Use tabs.\n\n**Why:**\n\n**How to apply:**\n\n\n"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_feedback_gets_its_labels_at_the_end(body: str, fixed: str, end: str) -> None:
    text, wanted = (memory("a", kind="feedback", body=each).replace("\n", end) for each in (body, fixed))
    assert after("feedback-structure", {"a.md": text}, "a.md") == wanted


@pytest.mark.parametrize("body", ["```\ncode\n", "<!-- a comment\n"])
def test_labels_are_not_put_into_code(body: str) -> None:
    [fix] = fixes("feedback-structure", {"a.md": memory("a", kind="feedback", body=body)}, "a.md")
    with pytest.raises(CannotEditError):
        fix.changes()
