"""What the index says of a memory follows the description that it repeats, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.changes.entries import Draft, write
from memory_ls.changes.hooks import hook_after
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.settings import Settings
from tests.changes.making import after
from tests.making import DEFAULTS, TODAY, directory_of, memory

WAIT = "候补座位保留 10 分钟；候补名单按登记时间排序"
REFUND = "Refunds are free until 24 hours before departure; after that half the fare is kept"


@pytest.mark.parametrize(
    ("hook", "old", "new", "wanted"),
    [
        ("The boat.", "The boat", "The ship", "The ship."),
        ("按登记时间，保留 10 分钟", WAIT, WAIT.replace("10", "30"), "按登记时间，保留 30 分钟"),
        ("free until 24 hours ahead", REFUND, REFUND.replace("24", "36"), "free until 36 hours ahead"),
        ("Refunds are free until 24 hours…", REFUND, REFUND.replace("24", "36"), REFUND.replace("24", "36")),
        ("we run tests with Jest", "Run tests with Jest", "Run tests with Vitest", "we run tests with Vitest"),
        ("Freigabe montags um 9", "Freigaben: montags um 9", "Freigaben: freitags um 9", "Freigabe freitags um 9"),
        # It says something else.
        ("how long a refund is free", REFUND, REFUND.replace("24", "36"), "how long a refund is free"),
        ("24 berths", REFUND, REFUND.replace("24", "36"), "24 berths"),
        ("", REFUND, "Refunds are never free", ""),
        ("The boat", "The boat", "...", "The boat"),
        # It can't be told which of two is meant.
        ("24 hours or 24 hours", REFUND, REFUND.replace("24", "36"), "24 hours or 24 hours"),
        (
            "held 24 hours",
            "Held 24 hours, told 24 hours before",
            "Held 36 hours, told 24 hours before",
            "held 24 hours",
        ),
    ],
)
def test_a_hook_follows_the_description_that_it_repeats(hook: str, old: str, new: str, wanted: str) -> None:
    assert hook_after(hook, old, new) == wanted


def test_all_entries_of_a_memory_follow_and_the_rest_of_the_index_stays() -> None:
    index = (
        "# Index\n\n- [ferry](ferry.md) — leaves at 6:00 sharp\n- [tide](tide.md) — leaves at 6:00\n\n## More\n\n"
        "| memory | when |\n| --- | --- |\n| [ferry](ferry.md) | it leaves at 6:00 |\n"
    )
    texts = {
        INDEX_NAME: index,
        "ferry.md": memory("ferry", "The boat leaves at 6:00"),
        "tide.md": memory("tide", "The tide leaves at 6:00"),
    }
    plan = write(directory_of(texts), "ferry", None, "The boat leaves at 7:00", "", settings=DEFAULTS, today=TODAY)
    now = after(texts, plan.changes)[INDEX_NAME]
    assert now == index.replace("6:00 sharp", "7:00 sharp").replace("it leaves at 6:00", "it leaves at 7:00")


def test_a_hook_does_not_grow_beyond_a_line() -> None:
    texts = {INDEX_NAME: "- [ferry](ferry.md) — The boat\n", "ferry.md": memory("ferry", "The boat")}
    new = "The boat leaves every morning at six from the old quay"
    plan = write(directory_of(texts), "ferry", None, new, "", settings=Settings(index_line_length=50), today=TODAY)
    assert after(texts, plan.changes)[INDEX_NAME] == "- [ferry](ferry.md) — The boat leaves every…\n"


def test_what_could_make_something_else_of_the_line_is_not_repeated() -> None:
    texts = {INDEX_NAME: "- [ferry](ferry.md) — The boat\n", "ferry.md": memory("ferry", "The boat")}
    plan = write(
        directory_of(texts), "ferry", None, "The boat, see [tide](tide.md)", "", settings=DEFAULTS, today=TODAY
    )
    assert [change.path for change in plan.changes] == ["ferry.md"]


def test_an_operation_that_is_left_out_leaves_its_hook() -> None:
    index = "- [ferry](ferry.md) — The boat\n- [tide](tide.md) — The tide\n"
    texts = {INDEX_NAME: index, "ferry.md": memory("ferry", "The boat"), "tide.md": memory("tide", "The tide")}
    draft = Draft(directory_of(texts), DEFAULTS, TODAY)
    draft.update(1, "ferry.md", None, "The ship", "")
    draft.update(2, "tide.md", None, "The ebb", "")
    changes = [change for change in draft.plan("Update").changes if change.operation == 2]
    assert after(texts, changes)[INDEX_NAME] == index.replace("The tide", "The ebb")


_TEXT = st.text("ab 12候;,", max_size=12)


@given(_TEXT, _TEXT, _TEXT)
def test_no_hook_breaks_its_line(hook: str, old: str, new: str) -> None:
    followed = hook_after(" ".join(hook.split()), " ".join(old.split()), " ".join(new.split()))
    assert "\n" not in followed
    (entry,) = IndexDocument.parse(f"- [x](x.md) — {followed}\n").entries()
    assert entry.path == "x.md"
