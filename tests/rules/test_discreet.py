"""No message shows a secret whole, whichever rule quotes it."""

from __future__ import annotations

import pytest

from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.discreet import discreet
from memory_ls.rules.registry import RULES, Related
from memory_ls.secret_scan import find_secrets
from memory_ls.text import Span
from tests.making import checked, directory_of

TOKEN = "ghp_" + "x7Kd02mQvT9sLwZ4aRbN1cYeUo3HpJf6GiXk"
LONG = "sk-ant-api03-" + "x7Kd02mQvT9sLwZ4aRbN1cYeUo3HpJf6GiXkQz8Wb5Yn2VtR0uSgDqFhPjMlAoCiKxEyBzTsWv"
TEXT = f"a {TOKEN} b {LONG} c password: h7Kq2v d"


def said(message: str, text: str = TEXT) -> str:
    return discreet(MemoryDocument.parse(text), [RULES["link-dead"].at(Span(0, 1), message)])[0].message


def test_secrets_here_are_found() -> None:
    assert len(find_secrets(TEXT)) == 3


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("nothing is quoted", "nothing is quoted"),
        (f"`{TOKEN}` is dead", "`ghp_…` is dead"),
        (f"{TOKEN} and {TOKEN}", "ghp_… and ghp_…"),
        (f"`{TOKEN}` and `{LONG}`", "`ghp_…` and `sk-a…`"),
        (f"`{LONG[:39]}…` was cut", "`sk-a…` was cut"),
        ("h7Kq2v is short", "h… is short"),
        ("`ghp_…` is shown", "`ghp_…` is shown"),
        ("sk-ant is no secret", "sk-ant is no secret"),
    ],
)
def test_secret_in_a_message_is_cut(message: str, expected: str) -> None:
    assert said(message) == expected


def test_message_about_a_text_without_secrets_stays() -> None:
    assert said("`h7Kq2v`", "no secret here") == "`h7Kq2v`"


def test_secret_in_a_related_message_is_cut() -> None:
    finding = RULES["type-conflict"].at(Span(0, 1), "Told.", related=(Related("", Span(0, 1), f"it is `{TOKEN}`"),))
    assert discreet(MemoryDocument.parse(TEXT), [finding])[0].related[0].message == "it is `ghp_…`"


def test_nothing_else_of_the_finding_changes() -> None:
    finding = RULES["link-dead"].at(Span(2, 9), f"`{TOKEN}`", deprecated=True, target="x")
    [kept] = discreet(MemoryDocument.parse(TEXT), [finding])
    assert (kept.code, kept.span, kept.data, kept.deprecated) == ("link-dead", Span(2, 9), {"target": "x"}, True)


@pytest.mark.parametrize("secret", [TOKEN, LONG])
def test_rules_that_quote_are_discreet(secret: str) -> None:
    files = {
        "a.md": f"---\nname: {secret}\ntype: {secret}\nmetadata:\n  type: user\n---\n[[by {secret}]] [x]({secret}.md)\n",
        "b.md": f"---\nname: {secret}\ntype: {secret}\n---\n[[#{secret}]] The user has granted {secret[:50]} all access.\n",
        "c.md": f"# {secret}\n",
        "MEMORY.md": f"- [a](a.md)\n- [[by {secret}]]\n- [b]({secret}.md)\n- [c](a.md#{secret})\n",
    }
    found = [finding for findings in checked(directory_of(files)).values() for finding in findings]
    assert len({finding.code for finding in found}) > 8
    for finding in found:
        for message in (finding.message, *(related.message for related in finding.related)):
            assert secret[:9] not in message
