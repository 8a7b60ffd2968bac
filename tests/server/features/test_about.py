"""What is told of memories, in words."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memory_ls.documents.memory import MemoryDocument
from memory_ls.server.features.about import age, ago, section

TODAY = date.today()


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, ""), (0, "today"), (1, "yesterday"), (2, "2 days ago"), (13, "13 days ago"), (14, "2 weeks ago"),
        (59, "8 weeks ago"), (60, "2 months ago"), (729, "24 months ago"), (730, "2 years ago"), (4_000, "10 years ago"),
    ],
)  # fmt: skip
def test_age_in_words(days: int, words: str) -> None:
    assert ago(TODAY - timedelta(days=days)) == words


def test_age_of_a_memory() -> None:
    def of(**dates: str) -> str:
        lines = "".join(f"{name}: {day}\n" for name, day in dates.items())
        return age(MemoryDocument.parse(f"---\nname: a\n{lines}---\n"))

    assert of() == ""
    assert of(created="2020-01-02").startswith("created ")
    assert of(updated=str(TODAY)) == f"updated today ({TODAY})"
    assert of(updated=str(TODAY), created="2020-01-02") == f"updated today ({TODAY}), created 2020-01-02"
    assert of(updated="9000-01-01") == "updated 9000-01-01"


def test_a_section_ends_before_the_next_that_is_not_below_it() -> None:
    document = MemoryDocument.parse("Before.\n\n## One\n\na\n\n### Below\n\nb\n\n## Two\n\nc\n")
    texts = [section(document, heading) for heading in document.headings]
    assert texts == ["## One\n\na\n\n### Below\n\nb", "### Below\n\nb", "## Two\n\nc"]
