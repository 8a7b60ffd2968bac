"""New memories are named and quoted so that nothing is wrong with them."""

from __future__ import annotations

from datetime import date

import pytest

from memory_ls.directory.new_memory import HOLE, new_memory, new_name
from memory_ls.directory.style import Style
from memory_ls.documents.memory import Dialect
from tests.making import directory_of, memory

DAY = date(2026, 8, 10)


def text(kind: str, style: Style) -> str:
    return "".join("…" if piece is HOLE else piece or "" for piece in new_memory("quay", kind, style, DAY))


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (Style(), "metadata:\n  type: user\n  createdAt: 2026-08-10\n  updatedAt: 2026-08-10\n"),
        (Style(date_keys=()), "metadata:\n  type: user\n"),
        (
            Style(date_keys=("metadata.createdAt", "modified")),
            "metadata:\n  type: user\n  createdAt: 2026-08-10\nmodified: 2026-08-10\n",
        ),
        (Style(Dialect.FLAT, date_keys=("created",)), "type: user\ncreated: 2026-08-10\n"),
        (Style(Dialect.BARE, date_keys=("updated",)), "updated: 2026-08-10\n"),
        (Style().with_dialect(Dialect.FLAT), "type: user\ncreatedAt: 2026-08-10\nupdatedAt: 2026-08-10\n"),
    ],
)  # fmt: skip
def test_frontmatter_in_each_dialect(style: Style, expected: str) -> None:
    assert text("user", style) == f"---\nname: quay\ndescription: …\n{expected}---\n\n…\n"


def test_feedback_says_why_and_how_to_apply() -> None:
    assert text("feedback", Style()).endswith("---\n\n…\n\n**Why:** …\n\n**How to apply:** …\n")


TITLES = {f"user_{name}.md": memory(f"The {name}", nested=False) for name in "abc"}
SLUGS = {f"{name}.md": memory(name) for name in ("ferry", "tide-tables", "no-mocks")}


@pytest.mark.parametrize(
    ("key", "texts", "dialect", "name"),
    [
        ("quay-log.md", SLUGS, Dialect.NESTED, "quay-log"),
        ("Quay Log.md", SLUGS, Dialect.NESTED, "quay-log"),
        ("user_quay_log.md", SLUGS, Dialect.NESTED, "quay-log"),
        ("feedback_no-mocks.md", SLUGS, Dialect.NESTED, "feedback_no-mocks"),
        ("team/ferry.md", SLUGS, Dialect.NESTED, "ferry-2"),
        ("停航规则.md", SLUGS, Dialect.NESTED, "停航规则"),
        ("CON.md", SLUGS, Dialect.NESTED, "new-memory"),
        ("", {}, Dialect.NESTED, "new-memory"),
        ("feedback_quay_log.md", TITLES, Dialect.FLAT, "Quay log"),
        ("team/user_a.md", {"user_the_a.md": memory("The a", nested=False), **TITLES}, Dialect.FLAT, "A"),
        ("user_the_a.md", TITLES, Dialect.FLAT, "user_the_a"),
    ],
)  # fmt: skip
def test_the_name_comes_from_the_file(key: str, texts: dict[str, str], dialect: Dialect, name: str) -> None:
    assert new_name(directory_of({**texts, key: ""} if key else texts), key, Style(dialect)) == name
