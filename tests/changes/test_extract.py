"""A part of a text becomes a memory, and nothing of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.extract import extract
from memory_ls.changes.plan import CannotChangeError
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.text import Span
from tests.changes.making import after
from tests.making import DEFAULTS, TODAY, checked, directory_of, memory, unmarked

INDEX = "# Memory Index\n\n- [ferry](ferry.md) — Boats\n"


def extracted(texts: dict[str, str], key: str) -> dict[str, str]:
    """The files that change when what stands between ``⟪`` and ``⟫`` in ``key`` is taken out."""
    plain, (span,) = unmarked(texts[key])
    texts = {**texts, key: plain}
    plan = extract(directory_of(texts), key, span, settings=DEFAULTS, today=TODAY)
    now = after(texts, plan.changes)
    return {path: text for path, text in now.items() if texts.get(path) != text}


def test_a_selection_becomes_a_memory_with_a_link_in_its_place() -> None:
    body = "The ferry leaves at nine.\n\n⟪## Tide tables\n\nThey hang on the quay. Read them.\n⟫\nThe end.\n"
    now = extracted({INDEX_NAME: INDEX, "ferry.md": memory("ferry", "Boats", "reference", body)}, "ferry.md")
    assert now == {
        "ferry.md": memory("ferry", "Boats", "reference", "The ferry leaves at nine.\n\n[[tide-tables]]\n\nThe end.\n"),
        "tide-tables.md": "---\nname: tide-tables\ndescription: They hang on the quay.\nmetadata:\n  type: reference\n---\n\n"
        "## Tide tables\n\nThey hang on the quay. Read them.\n",
        INDEX_NAME: f"{INDEX}- [tide-tables](tide-tables.md) — They hang on the quay.\n",
    }


def test_a_bullet_of_the_index_becomes_a_memory_and_an_entry() -> None:
    index = f"{INDEX}\n## Feedback\n\n* Never mock the database: tests passed\n  and the ⟪mi⟫gration failed.\n* Other\n"
    now = extracted({INDEX_NAME: index, "ferry.md": memory("ferry")}, INDEX_NAME)
    assert now == {
        INDEX_NAME: f"{INDEX}\n## Feedback\n\n* [never-mock-the-database](never-mock-the-database.md) — Never mock the database: "
        "tests passed and the migration failed.\n* Other\n",
        "never-mock-the-database.md": "---\nname: never-mock-the-database\ndescription: 'Never mock the database: tests passed "
        "and the migration failed.'\nmetadata:\n  type: feedback\n---\n\nNever mock the database: tests passed\n"
        "and the migration failed.\n",
    }


def test_a_paragraph_of_the_index_becomes_an_entry() -> None:
    now = extracted(
        {INDEX_NAME: f"{INDEX}\n⟪Ships wait for the tide.\n⟫\nEnd.\n", "ferry.md": memory("ferry")}, INDEX_NAME
    )
    assert now[INDEX_NAME] == (
        f"{INDEX}\n- [ships-wait-for-the-tide](ships-wait-for-the-tide.md) — Ships wait for the tide.\n\nEnd.\n"
    )


TITLES = {f"user_{n}.md": memory(f"The {n}", kind="user", nested=False) for n in "abc"}


@pytest.mark.parametrize(
    ("neighbours", "text", "key", "name"),
    [
        ({}, "Use **tabs**, not spaces.", "use-tabs.md", "use-tabs"),
        ({}, "- [ ] `make check` runs all tests there are in the house", "make-check-runs-all-tests-there.md",
         "make-check-runs-all-tests-there"),
        ({}, "渡轮九点开，风暴时停航。", "渡轮九点开.md", "渡轮九点开"),
        ({}, "***", "note.md", "note"),
        ({}, "Boats", "boats.md", "boats"),
        ({"boats.md": memory("boats")}, "Boats", "boats-2.md", "boats-2"),
        (TITLES, "use the quay", "project_use_the_quay.md", "Use the quay"),
    ],
)  # fmt: skip
def test_it_is_called_after_its_first_words(neighbours: dict[str, str], text: str, key: str, name: str) -> None:
    source = memory("ferry", nested=neighbours is not TITLES, body=f"First.\n\n⟪{text}⟫\n")
    path = "project_ferry.md" if neighbours is TITLES else "ferry.md"
    now = extracted({**neighbours, path: source}, path)
    assert MemoryDocument.parse(now[key]).name == name


def test_links_are_made_as_others_are() -> None:
    texts = {
        "team/ferry.md": memory("ferry", body="See [log](log.md).\n\nWords and ⟪more words⟫.\n"),
        "team/log.md": memory("log"),
    }
    now = extracted(texts, "team/ferry.md")
    assert "Words and [more-words](more-words.md).\n" in now["team/ferry.md"]
    assert "team/more-words.md" in now


def test_line_ends_of_the_source_stay() -> None:
    source = memory("ferry", body="a\n\n⟪b\nc⟫\n").replace("\n", "\r\n")
    now = extracted({"ferry.md": source}, "ferry.md")
    assert now["ferry.md"].endswith("a\r\n\r\n[[b]]\r\n")
    assert now["b.md"].endswith("---\r\n\r\nb\r\nc\r\n")


@pytest.mark.parametrize("body", ["⟪⟫text\n", "text⟪  \n ⟫"])
def test_nothing_selected_is_refused(body: str) -> None:
    with pytest.raises(CannotChangeError, match="Select"):
        extracted({"ferry.md": memory("ferry", body=body)}, "ferry.md")


@pytest.mark.parametrize(
    "body",
    [
        "See [the tide](⟪tide.md⟫).\n",
        "See [the ⟪tide⟫](tide.md).\n",
        "See [[⟪tide⟫]].\n",
        "⟪See [[ti⟫de]].\n",
        "See [[ti⟪de]] and more.⟫\n",
        "```\nmake ⟪all⟫\n```\n",
        "<!-- a ⟪note⟫ -->\n",
        "Text ⟪one\n\n```\nmake\n⟫```\n\nSee [[ferry]].\n",
        "`a ⟪b⟫ c`\n",
    ],
)
def test_where_no_link_can_stand_nothing_is_taken_out(body: str) -> None:
    texts = {"tide.md": memory("tide"), "ferry.md": memory("ferry", body=body)}
    with pytest.raises(CannotChangeError, match="select"):
        extracted(texts, "ferry.md")


@pytest.mark.parametrize(
    "line", ["| [Tide](⟪tide.md⟫) | high |", "- [Tide](⟪tide.md⟫) — high", "- `⟪tide.md⟫` — high", "- [[⟪tide⟫]]: high"]
)
def test_no_part_of_an_entry_s_link_is_taken_out(line: str) -> None:
    texts = {INDEX_NAME: f"# Index\n\n| a | b |\n|---|---|\n{line}\n", "tide.md": memory("tide")}
    with pytest.raises(CannotChangeError, match="within a link"):
        extracted(texts, INDEX_NAME)


def test_a_whole_link_or_a_whole_block_of_code_can_be_taken_out() -> None:
    body = "One.\n\n⟪See [[tide]].\n\n```\nmake\n```⟫\n"
    now = extracted({"tide.md": memory("tide"), "ferry.md": memory("ferry", body=body)}, "ferry.md")
    assert now["ferry.md"].endswith("One.\n\n[[see-tide]]\n")


def test_frontmatter_is_refused() -> None:
    with pytest.raises(CannotChangeError, match="below"):
        extracted({"ferry.md": "---\nname: ⟪ferry⟫\n---\n\nx\n"}, "ferry.md")


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(
        lambda text: text.strip(" \t\r\n\ufeff")
    )
)
@settings(deadline=None)
def test_any_selection_is_kept_word_for_word_and_linked(text: str) -> None:
    source = memory("ferry", "Boats", body="First.\n\nHere. ") + text + " There.\n"
    directory = directory_of({"ferry.md": source})
    start = len(memory("ferry", "Boats", body="First.\n\nHere. "))
    try:
        plan = extract(directory, "ferry.md", Span(start, start + len(text)), settings=DEFAULTS, today=TODAY)
    except CannotChangeError:
        return
    now = after({"ferry.md": source}, plan.changes)
    (key,) = now.keys() - {"ferry.md"}
    assert MemoryDocument.parse(now[key]).body_text.split() == text.split()
    found = checked(directory_of(now))
    assert not [
        finding
        for findings in found.values()
        for finding in findings
        if finding.code.startswith(("link-dead", "name-"))
    ]
