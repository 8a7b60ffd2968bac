"""Markdown is cut, escaped and made plain so that people see what is meant."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_ls.documents import body as markdown
from memory_ls.server.markup import bold, code, cut, plain


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("short", "short"),
        ("first words\n\nsecond words", "first words\n\n… (25 characters)"),
        ("first word\nsecond words", "first word\n\n… (23 characters)"),
        ("first word. Second words", "first word.\n\n… (24 characters)"),
        ("一二三四五六七八九。十百千万亿一二三四五六七八", "一二三四五六七八九。\n\n… (23 characters)"),
        ("漢" * 30, "漢" * 16 + "\n\n… (30 characters)"),
        ("```\nfirst words\nsecond words\n```", "```\nfirst words\n```\n\n… (32 characters)"),
        ("~~~~ x\nfirst wo\nsecond words\n~~~~", "~~~~ x\nfirst wo\n~~~~\n\n… (33 characters)"),
        ("a <!-- first\nsecond words -->", "a <!-- first -->\n\n… (29 characters)"),
        ("first words\r\n\r\nsecond words", "first words\n\n… (25 characters)"),
    ],
)
def test_a_text_is_cut_where_it_may_be(text: str, kept: str) -> None:
    assert cut(text, 16) == kept


@given(st.text(st.sampled_from(list("ab `~\n>#漢")), max_size=80))
def test_no_block_of_code_is_left_open(text: str) -> None:
    kept = cut(text, 20)
    assert kept.startswith(text.rstrip()[:5])
    if len(text) > 20:
        assert markdown.read(f"{kept}\n\nAfter [[x]].").links


# ---- plain text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("**ferry**", "ferry"),
        ("It **leaves** at __six__.", "It leaves at six."),
        ("2 ** 3 ** 4 and snake__case__name", "2 ** 3 ** 4 and snake__case__name"),
        ("Run `make **all**` now", "Run make **all** now"),
        ("`` a ` b ``", "a ` b"),
        (
            "See [the boat](ferry.md#why) and [[role]] or [[role|hers]] or [[role\\|x]]",
            "See the boat and role or hers or x",
        ),
        ("![a map](map.png)", "a map"),
        ("## Why ##", "Why"),
        ("#hashtag", "#hashtag"),
        ("## Use `# `", "Use # "),
        ("```py\nx = [a](b) ** `2`\n# no heading\n```\nafter **it**", "x = [a](b) ** `2`\n# no heading\nafter it"),
        ("a \\* b \\[x\\]", "a * b [x]"),
        ("- [ ] task", "- [ ] task"),
    ],
)
def test_plain_text_has_the_words_and_not_the_marks(text: str, words: str) -> None:
    assert plain(text) == words


@given(st.text(max_size=20).filter(lambda name: not set(name) & set("\n\r")))
@example("# ")
def test_a_name_is_shown_as_it_is(name: str) -> None:
    if "`" not in name and name.strip():
        assert plain(code(name)) == name
    if not set(name) & set("_]*`") and name.strip() == name and name and not name.startswith("#"):
        assert plain(bold(name)) == name
