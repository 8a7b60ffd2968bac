"""Fixes of the index, by example."""

from __future__ import annotations

import pytest

from memory_ls.changes.plan import ChangeKind
from memory_ls.settings import Settings
from tests.making import memory
from tests.rules.fixes.applying import after, changed, fixes, titles

_KEY = "MEMORY.md"
_MEMORIES = {f"{name}.md": memory(name) for name in ("berth", "ferry", "tide")}
_HEAD = "# Index\n\n- [Berth](berth.md) — where\n- [Ferry](ferry.md) — when\n"


def mended(code: str, index: str, title: str | None = None, *, settings: Settings | None = None) -> str:
    texts = {**_MEMORIES, _KEY: index}
    return after(code, texts, _KEY, title, settings=settings or Settings())


class TestDeadLink:
    def test_the_file_that_was_meant(self) -> None:
        index = f"{_HEAD}- [Tide](./tides.md) — 潮\n"
        assert mended("index-dead-link", index) == index.replace("tides", "tide")

    def test_not_one_that_is_listed_already(self) -> None:
        texts = {**_MEMORIES, _KEY: f"{_HEAD}- [Ferry](ferri.md) — again\n"}
        assert titles("index-dead-link", texts, _KEY) == ["Remove the entry", "Create the memory `ferri.md`"]

    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_the_entry_goes(self, end: str) -> None:
        index = f"{_HEAD}- [Gone](no-such.md) — it is\n  no more\n- [Tide](tide.md)\n".replace("\n", end)
        fixed = f"{_HEAD}- [Tide](tide.md)\n".replace("\n", end)
        assert mended("index-dead-link", index, "Remove the entry") == fixed

    def test_the_memory_comes_with_what_the_index_says_of_it(self) -> None:
        texts = {**_MEMORIES, _KEY: f"{_HEAD}- [Gone](user_no_such.md) — it is back\n"}
        fix = next(fix for fix in fixes("index-dead-link", texts, _KEY) if fix.title.startswith("Create"))
        assert (fix.safe, fix.is_choice, fix.needs) == (False, True, ChangeKind.CREATE)
        new = changed(texts, fix.changes())["user_no_such.md"]
        assert "description: it is back\n" in new
        assert "  type: user\n" in new
        assert new.endswith("---\n\nit is back\n")
        assert changed(texts, fix.changes())[_KEY] == texts[_KEY]


class TestDuplicateEntry:
    def test_the_second_of_two_equal_lines_goes(self) -> None:
        index = f"{_HEAD}- [Ferry](ferry.md) — when\n- [Tide](tide.md)\n"
        [fix] = fixes("index-duplicate-entry", {**_MEMORIES, _KEY: index}, _KEY)
        assert fix.safe
        assert mended("index-duplicate-entry", index) == f"{_HEAD}- [Tide](tide.md)\n"

    def test_one_of_two_different_lines_is_chosen(self) -> None:
        index = f"{_HEAD}- [The ferry](ferry.md) — more\n"
        assert not any(fix.safe for fix in fixes("index-duplicate-entry", {**_MEMORIES, _KEY: index}, _KEY))
        assert mended("index-duplicate-entry", index, "Delete this entry") == _HEAD
        kept = index.replace("- [Ferry](ferry.md) — when\n", "")
        assert mended("index-duplicate-entry", index, "Delete the first entry") == kept

    def test_two_links_in_one_line_are_no_two_lines(self) -> None:
        index = "- [a](tide.md), [b](tide.md)\n"
        assert not any(fix.safe for fix in fixes("index-duplicate-entry", {**_MEMORIES, _KEY: index}, _KEY))
        assert mended("index-duplicate-entry", index, "Delete this entry") == "- [a](tide.md)\n"

    def test_equal_lines_of_several_links_go_as_a_whole(self) -> None:
        line = "- [a](ferry.md) · [b](tide.md) — both\n"
        assert mended("index-duplicate-entry", f"{line}{line}") == line


class TestOthers:
    def test_an_entry_moves_above_the_limit(self) -> None:
        index = f"{_HEAD}- [Tide](tide.md) — wet\n"
        fixed = "# Index\n\n- [Tide](tide.md) — wet\n- [Berth](berth.md) — where\n- [Ferry](ferry.md) — when\n"
        settings = Settings(index_max_lines=4)
        assert mended("index-over-limit", index, "Move this entry up, above the limit", settings=settings) == fixed

    def test_an_entry_is_added_where_it_belongs(self) -> None:
        texts = {**_MEMORIES, "cove.md": memory("cove", "Where it is"), _KEY: f"{_HEAD}- [Tide](tide.md)\n"}
        [fix] = fixes("memory-not-indexed", texts, "cove.md")
        assert not fix.safe
        index = changed(texts, fix.changes())[_KEY]
        assert index == texts[_KEY].replace("- [Ferry]", "- [cove](cove.md) — Where it is\n- [Ferry]")

    def test_an_index_is_made(self) -> None:
        [fix] = fixes("index-missing", _MEMORIES, "berth.md")
        assert fix.needs is ChangeKind.CREATE
        index = changed(_MEMORIES, fix.changes())[_KEY]
        assert [line.partition("]")[0] for line in index.splitlines()[2:]] == ["- [berth", "- [ferry", "- [tide"]

    def test_content_becomes_a_memory(self) -> None:
        line = "- The harbour office opens at six in the morning and closes at nine."
        texts = {**_MEMORIES, _KEY: f"{_HEAD}{line}\n- [Tide](tide.md)\n"}
        [fix] = fixes("index-content", texts, _KEY)
        assert fix.needs is ChangeKind.CREATE
        new = changed(texts, fix.changes())
        [key] = new.keys() - texts.keys()
        assert line[2:] in new[key]
        assert line not in new[_KEY]
        assert f"]({key})" in new[_KEY]
