"""Plain blocks are read without YAML's parser, which must be nothing but faster."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_ls.documents import frontmatter

_names = st.sampled_from(
    ["name", "description", "type", "metadata", "createdAt", "a-b", "_x", "null", "yes", "<<", "é", "1"]
)
_values = st.one_of(
    st.sampled_from(
        [
            "",
            "word",
            "two words",
            '"quoted: yes"',
            "'single # yes'",
            "2026-01-02",
            "2026-01-02T08:00:00Z",
            "12",
            "1.5",
            "~",
            "null",
            "yes",
            "0x1f",
            "1:30",
            "=",
            "a: b",
            "a #b",
            "a#b",
            "a:b",
            "end:",
            "[a]",
            "{}",
            "- x",
            "&a",
            "*a",
            "!t",
            "|",
            '"open',
            '"a\\n"',
            "'it''s'",
            '"a" b',
            "漢字",
            "😀",
            "é\u3000",
            "\xa0",
            "\x85",
            "a\u2028b",
            "\ufeff",
            "\ud800",
            "\x07",
        ]
    ),
    st.text(max_size=8),
)
_lines = st.builds(
    "{}{}:{}{}{}".format,
    st.sampled_from(["", "", "", "  ", "  ", "    ", " ", "\t"]),
    _names,
    st.sampled_from([" ", " ", " ", "  ", "", "\t"]),
    _values,
    st.sampled_from(["", "", "", " ", "  ", "\t", " # comment"]),
)
_blocks = st.builds(
    "{}{}".format,
    st.lists(
        st.one_of(_lines, st.sampled_from(["metadata:", "  type: user", "", "# c", "...", "- a"])), max_size=7
    ).map("\n".join),
    st.sampled_from(["\n", "\n", "\n", "", "\r\n"]),
)


@given(_blocks)
@example("metadata:\n  type: user\u3000\nname: a\n")
@example("metadata:\n  type:\nname: a\n")
def test_a_plain_block_is_read_as_yaml_reads_it(block: str) -> None:
    text = f"---\n{block}---\nBody.\n"
    quick = frontmatter.read(text)
    with patch.object(frontmatter, "_read_plain", return_value=None):
        assert quick == frontmatter.read(text)


@pytest.mark.parametrize(
    "block",
    [
        "name: quay\ndescription: Where boats lie.\ntype: project\n",
        'name: quay\ndescription: "Two: one # not"\nmetadata:\n  type: project\n  createdAt: 2026-01-02T08:00:00Z\n',
    ],
)
def test_usual_blocks_are_plain(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontmatter, "_compose", lambda _: pytest.fail("YAML's parser was asked"))
    read = frontmatter.read(f"---\n{block}---\n")
    assert read is not None
    assert read.find("name") is not None
