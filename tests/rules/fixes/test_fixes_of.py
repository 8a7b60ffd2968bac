"""Every rule that says that it can be mended has fixes, and no other."""

from __future__ import annotations

import pytest

from memory_ls.rules.fixes.fixes_of import has_fixes
from memory_ls.rules.registry import RULES, FixKind
from tests.making import memory
from tests.rules.fixes.applying import fixes, titles

_TOKEN = "ghp_" + "x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi"


@pytest.mark.parametrize("code", RULES)
def test_what_can_be_mended_has_fixes(code: str) -> None:
    assert has_fixes(code) == (RULES[code].fix is not FixKind.NONE)


def test_no_title_tells_a_secret() -> None:
    text = memory("a", extra=f"token: {_TOKEN}\ntoken: other\n")
    shown = titles("duplicate-key", {"a.md": text}, "a.md")
    assert not any(_TOKEN in title for title in shown)
    assert any("ghp_…" in title for title in shown)


def test_titles_are_told_without_working_out_the_edits() -> None:
    text = memory("a", extra="x: {a: 1, a: 1}\n", body="[[no-such]]\n")
    assert [fix.title for fix in fixes("link-dead", {"a.md": text}, "a.md")]
