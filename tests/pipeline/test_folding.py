"""When quotes and memories count as the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.pipeline.folding import folded_quote, folded_text, without_ellipses


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Always run `make check`", "always run make check"),
        ("never — ever — use feet", "never - ever - use feet"),
        ("it’s “metres”", 'it\'s "metres"'),
        ("one\n  two\tthree", "one two three"),
        ("以后都用 pnpm，\n不要用npm", "以后都用pnpm，不要用 npm"),
        ("« Toujours en mètres »", "toujours en mètres"),
        ("e\u0301te\u0301", "été"),
        ("uv--not pip", "uv–not pip"),
    ],
)
def test_quote_is_the_same_whatever_the_keyboard(said: str, quoted: str) -> None:
    assert folded_quote(said) == folded_quote(quoted)


@pytest.mark.parametrize(
    ("one", "other"),
    [("port 8080", "port 8081"), ("use it", "never use it"), ("1.2", "12"), ("C++", "C"), ("-5", "5"), (".env", "env")],
)
def test_what_says_another_thing_is_not_the_same(one: str, other: str) -> None:
    assert folded_quote(one) != folded_quote(other)
    assert folded_text(one) != folded_text(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs, not spaces.", "use tabs not spaces"),
        ("- Use **tabs**\n- Not spaces", "Use tabs\n\nNot spaces!"),
        ("使用 pnpm。", "使用pnpm"),
        ("Port: 8080", "port 8080"),
        ("(metres)", "Metres"),
    ],
)
def test_texts_are_the_same_whatever_the_punctuation(one: str, other: str) -> None:
    assert folded_text(one) == folded_text(other)


def test_ellipses_only_say_that_a_quote_goes_on() -> None:
    assert without_ellipses("… always metres ...") == "always metres"
    assert without_ellipses("a … b") == "a … b"


@given(st.text())
def test_what_is_folded_stays(text: str) -> None:
    assert folded_quote(folded_quote(text)) == folded_quote(text)


@given(st.text(min_size=1), st.text(), st.text())
def test_part_of_a_text_is_found_in_it(quote: str, before: str, after: str) -> None:
    said = f"{before}\n{quote}\n{after}"
    if folded_quote(quote) not in ("", "-"):
        assert folded_quote(quote).strip("- ") in folded_quote(said)
