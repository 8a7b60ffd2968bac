"""What belongs to an entry's lines, and how lists are sorted."""

from __future__ import annotations

import pytest

from memory_ls.changes.index_lines import Order, entry_lines, lists_of, order_of, outer_lists, place_in
from memory_ls.documents.index import IndexDocument


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("- [a](z.md)\n- [b](y.md)\n", Order.LABEL),
        ("- [b](x.md)\n- [a](y.md)\n", Order.PATH),
        ("- [b](y.md)\n- [a](x.md)\n", None),
        ("- [a](a.md)\n", Order.LABEL),
        ("## A\n- [b](b.md)\n## B\n- [a](a.md)\n", Order.LABEL),
        ("".join(f"- [{c}]({c}.md)\n" for c in "abcdefghijkla"), Order.LABEL),
        ("- **[B](x.md)**\n- 🚩 [a](y.md)\n", Order.PATH),
        ("- [[a]]\n- [[B]]\n", Order.LABEL),
    ],
)
def test_by_what_an_index_is_sorted(text: str, order: Order | None) -> None:
    index = IndexDocument.parse(text)
    assert order_of(index, lists_of(entry_lines(index))) is order


def test_lines_of_an_entry() -> None:
    text = "# H\n\n- [a](a.md) — x\n  wrapped\n  - [b](b.md)\n\n    more\n- [c](c.md) · [d](d.md)\n\nEnd.\n"
    index = IndexDocument.parse(text)
    lines = entry_lines(index)
    assert [text[line.start : line.own_end] for line in lines] == [
        "- [a](a.md) — x\n  wrapped\n",
        "  - [b](b.md)\n\n    more\n",
        "- [c](c.md) · [d](d.md)\n",
    ]
    assert text[lines[0].start : lines[0].end] == text[lines[0].start : lines[2].start]
    assert [len(line.entries) for line in lines] == [1, 1, 2]
    outer = outer_lists(lists_of(lines))
    assert outer == [[lines[0], lines[2]]]


@pytest.mark.parametrize(
    ("keys", "key", "place"),
    [("acd", "b", 1), ("", "b", 0), ("abc", "d", 3), ("bcd", "a", 0), ("zabcd", "c", 4), ("abcda", "c", 3), ("abbb", "b", 4)],
)  # fmt: skip
def test_a_place_among_sorted_keys_bears_slips(keys: str, key: str, place: int) -> None:
    assert place_in(list(keys), key) == place
