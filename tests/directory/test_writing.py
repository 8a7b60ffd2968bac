"""What is written as a link, an anchor, a path or an entry means just what it is for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.resolve import TargetKind, find_heading, resolve, resolve_name
from memory_ls.directory.style import Style
from memory_ls.directory.writing import entry_text, heading_texts, link_text, path_text
from memory_ls.documents import body as markdown
from memory_ls.documents.index import IndexDocument
from tests.making import directory_of, memory

_CHARACTERS = st.sampled_from(list("abA1é漢😀") + list(" -_./#|[](){}<>%&\\`*:\"'~!?\u00a0"))
_NAME = st.text(_CHARACTERS, min_size=1, max_size=8) | st.sampled_from(
    [
        "a",
        "A",
        "user_a",
        "a b",
        "a-b",
        "MEMORY",
        "https://x",
        "C: a",
        "a.md",
        "a/b",
        "./a",
        "`a`",
        "*a*",
        "a|b",
        "a#b",
        "&amp;",
    ]
)
_STEM = st.text(_CHARACTERS.filter(lambda c: c not in "/\0"), min_size=1, max_size=6).filter(
    lambda s: not s.startswith(".")
)
_KEY = st.builds("{}{}.md".format, st.sampled_from(["", "", "team/", "a/"]), _STEM)


@given(st.dictionaries(_KEY, _NAME, min_size=1, max_size=6), st.booleans(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_inserted_link_means_its_memory(names: dict[str, str], by_stem: bool, is_wiki: bool) -> None:
    texts = {key: f"---\nname: {name!r}\n---\n" if "'" not in name else "---\n---\n" for key, name in names.items()}
    directory = directory_of({**texts, "MEMORY.md": "# Index\n"})
    style = Style(by_stem=by_stem, is_wiki=is_wiki)
    for key in directory.documents:
        target = link_text(directory, key, style)
        if target is not None:
            found = resolve_name(directory, target)
            assert (found.kind, found.keys) == (TargetKind.MEMORY, (key,))
        entry = entry_text(directory, key, style)
        if entry is not None:
            [parsed] = list(IndexDocument.parse(f"- {entry}\n").entries())
            found = resolve(directory, "MEMORY.md", parsed.link)
            assert (found.kind, found.keys) == (TargetKind.MEMORY, (key,))


@given(st.dictionaries(_KEY, st.sampled_from(["ferry", "Ferry", "a-b", "role"]), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_plain_name_can_always_be_linked(names: dict[str, str]) -> None:
    """With stems of letters, there is a form for each memory, however many are called the same."""
    plain = {f"{'team/' * ('/' in key)}s{number}.md": name for number, (key, name) in enumerate(names.items())}
    directory = directory_of({key: memory(name) for key, name in plain.items()})
    assert all(link_text(directory, key, Style()) is not None for key in directory.documents)


@given(st.lists(st.text(_CHARACTERS, max_size=8), max_size=6), st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_anchor_means_its_heading(texts: list[str], by_slug: bool) -> None:
    headings = markdown.read("".join(f"## {text}\n\n" for text in texts)).headings
    for heading, anchor in heading_texts(headings, by_slug=by_slug):
        assert find_heading(headings, anchor) == heading
        [link] = markdown.read(f"[[a#{anchor}]]").links
        assert link.anchor == anchor


def test_a_heading_is_called_by_its_words_or_its_slug() -> None:
    headings = markdown.read("# How to\n\n# Why?\n\n# How to\n\n# a | b\n\n# …\n").headings
    assert [text for _, text in heading_texts(headings, by_slug=False)] == ["How to", "Why?", "how-to-1", "a--b"]
    assert [text for _, text in heading_texts(headings, by_slug=True)] == ["how-to", "why", "how-to-1", "a--b"]


@given(_KEY, st.booleans())
@settings(max_examples=200, deadline=None)
def test_every_path_means_its_file(key: str, in_angles: bool) -> None:
    written = path_text(key, in_angles=in_angles)
    directory = directory_of({}, files=[key])
    for text in (f"`a [t]({written}) b` [t]({written})", f"| a |\n|---|\n| [t]({written}) |"):
        found = [resolve(directory, "writing.md", link).keys for link in markdown.read(text).links]
        assert found == [(key,)]


# Made up, and put together here so that no scanner of repositories takes it for a real one.
_TOKEN = "ghp_" + "x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi"


@pytest.mark.parametrize("description", [f"The token is {_TOKEN}", "caf\ufffd"])
def test_an_entry_copies_no_secret_and_nothing_that_could_not_be_read(description: str) -> None:
    directory = directory_of({"tide.md": memory("tide", description), "MEMORY.md": "# Index\n"})
    assert entry_text(directory, "tide.md", Style()) == "[tide](tide.md)"
