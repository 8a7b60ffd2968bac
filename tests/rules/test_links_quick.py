"""The glance that spares most memories their parsing must never change what is found."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents import body
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules import links
from memory_ls.rules.registry import Context
from tests.making import DEFAULTS, TODAY, directory_of

_KEY = "quay.md"
_NEIGHBOURS = {
    "ferry.md": "---\nname: ferry\ndescription: d\n---\n# Fares\n",
    "Tide.md": "---\nname: tide table\ndescription: d\n---\nText.\n",
    "twin-a.md": "---\nname: twin\ndescription: d\n---\nText.\n",
    "twin-b.md": "---\nname: twin\ndescription: d\n---\nText.\n",
    "user_role.md": "---\nname: user_role\ndescription: d\n---\nText.\n",
    "team/crew.md": "---\nname: crew\ndescription: d\n---\n[up](../ferry.md)\n",
    "MEMORY.md": "- [ferry](ferry.md)\n",
}

_targets = st.sampled_from(
    [
        "ferry",
        "tide table",
        "Tide",
        "twin",
        "twin-a",
        "role",
        "crew",
        "quay",
        "MEMORY",
        "nowhere",
        "FERRY",
        "ferry.md",
        "ferry#fares",
        "ferry#no",
        "ferry|label",
        " ferry ",
        "a  b",
        "",
        "$x == y",
        "team/crew",
        "#h",
    ]
)
_paths = st.sampled_from(
    [
        "ferry.md",
        "FERRY.md",
        "Tide.md",
        "quay.md",
        "team/crew.md",
        "MEMORY.md",
        "nowhere.md",
        "./ferry.md",
        "ferry",
        "https://example.org/a?b#c",
        "<ferry.md>",
        'ferry.md "title"',
        "ferry.md#fares",
        "a b.md",
        "%66erry.md",
        "",
        "#h",
    ]
)
_links = st.one_of(
    st.builds("[[{}]]".format, _targets),
    st.builds("[label]({})".format, _paths),
    st.builds("![image]({})".format, _paths),
)
_bits = st.one_of(
    _links,
    _links,
    st.sampled_from(
        [
            "[[",
            "]]",
            "[",
            "]",
            "](",
            ")",
            "`",
            "``",
            "```\n",
            "\n```\n",
            "\n```sh\n",
            "\n~~~\n",
            "\n\n",
            "\n",
            "\r\n",
            "\r",
            "    ",
            "\t",
            "- ",
            "> ",
            "| a | b |\n|---|---|\n",
            "<div>\n",
            "<!--",
            "-->",
            "<pre>\n",
            "\\",
            "!",
            "[a]: b.md\n",
            "word ",
            "é",
            "漢字",
            "\ud800",
            "\u2028",
            "# Head\n",
            "[^1]",
            "[x]",
            "<https://example.org>",
        ]
    ),
)
_bodies = st.lists(_bits, max_size=14).map("".join)


def _findings(directory: MemoryDirectory, key: str, text: str) -> list[object]:
    changed = directory.with_document(key, text)
    document = changed.documents[key]
    return list(links.check(Context(changed, DEFAULTS, TODAY), key, document))


@given(_bodies, st.sampled_from([_KEY, "team/rota.md"]))
@example("```\n[[nowhere]]\n```\n[[ferry]]", _KEY)
@example("- item\n```\n[[nowhere]]\n```\n", _KEY)
@example("<pre>\n```\n[[nowhere]]\n```\n", _KEY)
@example("[[ferry [[twin-a]]", _KEY)
@example("[[[ferry]]](nowhere.md)", _KEY)
def test_a_glance_finds_what_parsing_finds(text: str, key: str) -> None:
    directory = directory_of(_NEIGHBOURS)
    text = f"---\nname: rota\ndescription: d\n---\n{text}"
    with pytest.MonkeyPatch.context() as patch:
        quick = _findings(directory, key, text)
        patch.setattr(links, "_all_lead_to_others", lambda *_: False)
        assert quick == _findings(directory, key, text)


def test_a_memory_whose_links_are_plain_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "See [[ferry]], [the tide](Tide.md) and [a page](https://example.org/).\n\n```sh\n[[ -f x ]]\n```\n"
    directory = directory_of({**_NEIGHBOURS, _KEY: text})
    monkeypatch.setattr(body, "read", lambda *_, **__: pytest.fail("the body was parsed"))
    assert list(links.check(Context(directory, DEFAULTS, TODAY), _KEY, directory.documents[_KEY])) == []


@given(_bodies, st.data())
def test_what_is_plainly_prose_is_no_code(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, max(len(text) - 1, 0)))
    if body.is_plainly_prose(text, 0, offset):
        assert not MemoryDocument.parse(text).body.in_code(offset)
