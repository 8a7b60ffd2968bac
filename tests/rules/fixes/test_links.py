"""Fixes of links, by example."""

from __future__ import annotations

import pytest

from memory_ls.documents.edits import CannotEditError
from tests.making import memory
from tests.rules.fixes.applying import after, changed, fixes, titles

_OTHERS = {
    "tide-tables.md": memory("tide-tables", body="## Why so\n\nIt is wet.\n"),
    "user_role.md": memory("role", kind="user"),
    "team/user_role.md": memory("her role", kind="user"),
    "a b.md": memory("a-b"),
    "停航.md": memory("停航"),
    "team/seat-hold.md": memory("seat-hold"),
}


def mended(code: str, body: str, title: str | None = None, key: str = "source.md") -> str:
    head = memory("source", body="‸")
    text = head.replace("‸", body)
    fixed = after(code, {**_OTHERS, key: text}, key, title)
    before, _, behind = head.partition("‸")
    assert fixed.startswith(before)
    assert fixed.endswith(behind)
    return fixed[len(before) : len(fixed) - len(behind)]


def offered(code: str, body: str, key: str = "source.md") -> list[str]:
    return titles(code, {**_OTHERS, key: memory("source", body=body)}, key)


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("😀 é 漢 [[tide-tabels]] [[tide-tables]]", "😀 é 漢 [[tide-tables]] [[tide-tables]]"),
        ("[[tide-tabels|the tables]]\r\n", "[[tide-tables|the tables]]\r\n"),
        ("[[tide-tabels#Why so]]", "[[tide-tables#Why so]]"),
        ("| a |\n|---|\n| [[tide-tabels\\|x]] |", "| a |\n|---|\n| [[tide-tables\\|x]] |"),
    ],
)
def test_a_name_that_was_meant(body: str, fixed: str) -> None:
    assert offered("link-dead", body)[::2] == ["Change to `tide-tables`", "Remove the link and keep its words"]
    assert mended("link-dead", body) == fixed


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("[t](tide-tabels.md)", "[t](tide-tables.md)"),
        ("[t](./tide-tabels.md#why-so 'T')", "[t](./tide-tables.md#why-so 'T')"),
        ("[t](<a  b.md>)", "[t](<a b.md>)"),
        ("[t](a%20%20b.md)", "[t](a%20b.md)"),
        ("[t](seat-hold.md)", "[t](team/seat-hold.md)"),
    ],
)
def test_a_file_that_was_meant(body: str, fixed: str) -> None:
    assert mended("link-dead-file", body) == fixed


def test_a_path_counts_from_its_own_directory() -> None:
    assert mended("link-dead-file", "[t](tide-tabels.md)", key="team/source.md") == "[t](../tide-tables.md)"


@pytest.mark.parametrize(
    ("code", "body", "fixed"),
    [
        ("link-dead", "See [[no-such]] now.", "See no-such now."),
        ("link-dead", "See [[no-such|it]].", "See it."),
        ("link-dead", "See [[no\nsuch]].", "See no\nsuch."),
        ("link-dead-file", "See [*it*](nowhere.md 'T').", "See *it*."),
        ("link-self", "See [[source]].", "See source."),
        ("link-self", "See [this](source.md).", "See this."),
    ],
)
def test_the_words_without_a_link(code: str, body: str, fixed: str) -> None:
    assert mended(code, body, "Remove the link and keep its words") == fixed


def test_a_memory_that_a_link_may_mean_is_chosen() -> None:
    body = "See [[user_role]]."
    assert offered("link-ambiguous", body) == ["Link `team/user_role.md`", "Link `user_role.md`"]
    assert mended("link-ambiguous", body, "Link `team/user_role.md`") == "See [[her role]]."
    assert mended("link-ambiguous", body, "Link `user_role.md`") == "See [[role]]."


@pytest.mark.parametrize(
    ("body", "title", "fixed"),
    [
        ("[[tide-tables#Wy so]]", "Change to `Why so`", "[[tide-tables#Why so]]"),
        ("[t](tide-tables.md#wy-so)", "Change to `Why so`", "[t](tide-tables.md#why-so)"),
        ("[t](tide-tables.md#nowhere)", "Link the memory without a heading", "[t](tide-tables.md)"),
        ("[[tide-tables#nowhere|x]]", "Link the memory without a heading", "[[tide-tables|x]]"),
        ("[[#nowhere]]", "Remove the link and keep its words", ""),
    ],
)
def test_a_heading(body: str, title: str, fixed: str) -> None:
    if fixed:
        assert mended("link-dead-anchor", body, title) == fixed
    else:
        assert offered("link-dead-anchor", body) == []


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("[[Tide-Tables]]", "[[tide-tables]]"),
        ("[[Tide-Tables.md|x]]", "[[tide-tables.md|x]]"),
        ("[t](TIDE-tables.md)", "[t](tide-tables.md)"),
        ("[t](./Tide-Tables)", "[t](./tide-tables)"),
        ("[t](<A B.md>)", "[t](<a b.md>)"),
        ("[t](A%20B.md)", "[t](a%20b.md)"),
    ],
)
def test_the_case_of_the_target(body: str, fixed: str) -> None:
    [fix] = fixes("link-case", {**_OTHERS, "source.md": memory("source", body=body)}, "source.md")
    assert fix.safe
    assert mended("link-case", body) == fixed


def test_the_case_of_a_target_in_another_directory() -> None:
    assert mended("link-case", "[t](../Tide-Tables.md)", key="team/source.md") == "[t](../tide-tables.md)"


def test_the_index_is_not_given_a_second_entry_unasked() -> None:
    index = "- [T](tide-tables.md) — the tables\n- [T](Tide-Tables.md) — again\n"
    [fix] = fixes("link-case", {**_OTHERS, "MEMORY.md": index}, "MEMORY.md")
    assert not fix.safe


def test_a_memory_that_no_name_finds_is_not_linked() -> None:
    texts = {"a/x.md": memory("x"), "b/x.md": memory("x"), "source.md": memory("source", body="[[x]]")}
    for fix in fixes("link-ambiguous", texts, "source.md"):
        try:
            [change] = fix.changes()
        except CannotEditError:
            continue
        assert change.edits[0].text in ("a/x", "b/x")


@pytest.mark.parametrize(
    ("target", "nested", "name"),
    [
        ("night boat", True, "night-boat"),
        ("night boat", False, "night boat"),
        ("Night Boat", True, "Night Boat"),
        ("夜 船", True, "夜-船"),
    ],
)
def test_a_memory_that_is_created_is_called_as_others_are_where_the_link_finds_it(
    target: str, nested: bool, name: str
) -> None:
    texts = {"a.md": memory("a", body=f"See [[{target}]].\n", nested=nested), "b.md": memory("b", nested=nested)}
    fix = next(fix for fix in fixes("link-dead", texts, "a.md") if fix.title.startswith("Create"))
    [created] = [text for key, text in changed(texts, fix.changes()).items() if key not in texts]
    assert f"\nname: {name}\n" in created
