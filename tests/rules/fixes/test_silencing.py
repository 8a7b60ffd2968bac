"""Comments that silence a finding: where they stand, and that they change nothing else."""

from __future__ import annotations

import pytest

from memory_ls.documents.edits import CannotEditError
from memory_ls.rules.fixes.silencing import silencing
from tests.making import Texts, memory
from tests.rules.fixes.applying import changed, context_of, found_in

_OTHERS = {f"{name}.md": memory(name) for name in ("berth", "ferry", "quay")}


def silenced(code: str, texts: Texts, key: str, *, in_file: bool = False) -> str:
    """The text of ``key`` after the first finding of ``code`` was silenced, which it then is."""
    context = context_of(texts)
    finding = next(finding for finding in found_in(context)[key] if finding.code == code)
    count = sum(finding.code == code for finding in found_in(context)[key])
    fix = list(silencing(context, key, finding))[in_file]
    new = changed(texts, fix.changes())
    left = [finding.code for finding in found_in(context_of(new)).get(key, ())]
    assert left.count(code) == (0 if in_file else count - 1)
    return new[key]


@pytest.mark.parametrize(
    ("body", "fixed"),
    [
        ("See [[gone]].\n", "See [[gone]]. <!-- memory-ls-disable-line link-dead -->\n"),
        ("See [[gone]].  \nmore\n", "See [[gone]]. <!-- memory-ls-disable-line link-dead -->  \nmore\n"),
        (
            "See [[gone]]. <!-- memory-ls-disable-line mojibake -- it is so -->\n",
            "See [[gone]]. <!-- memory-ls-disable-line mojibake, link-dead -- it is so -->\n",
        ),
        (
            "<!-- memory-ls-disable-next-line mojibake -->\nSee [[gone]].\n",
            "<!-- memory-ls-disable-next-line mojibake, link-dead -->\nSee [[gone]].\n",
        ),
        ("- 漢 [[gone]]\n- b\n", "- 漢 [[gone]] <!-- memory-ls-disable-line link-dead -->\n- b\n"),
        ("See [[gone]].", "See [[gone]]. <!-- memory-ls-disable-line link-dead -->"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_of_the_body(body: str, fixed: str, end: str) -> None:
    text, wanted = (memory("a", body=each).replace("\n", end) for each in (body, fixed))
    assert silenced("link-dead", {**_OTHERS, "a.md": text}, "a.md") == wanted


def test_a_line_of_the_frontmatter() -> None:
    text = memory("a", "See #3").replace("metadata:\n", "metadata:\n  # mine\n")
    fixed = text.replace("description:", "# memory-ls-disable-next-line value-cut\ndescription:")
    assert silenced("value-cut", {**_OTHERS, "a.md": text}, "a.md") == fixed


def test_a_line_that_is_nested() -> None:
    text = memory("a", kind="feedbak")
    fixed = text.replace("  type:", "  # memory-ls-disable-next-line type-unknown\n  type:")
    assert silenced("type-unknown", {**_OTHERS, "a.md": text}, "a.md") == fixed


def test_a_whole_memory() -> None:
    text = memory("a", body="[[gone]] [[too]]\n")
    fixed = text.replace("---\n", "---\n# memory-ls-disable link-dead\n", 1)
    assert silenced("link-dead", {**_OTHERS, "a.md": text}, "a.md", in_file=True) == fixed


def test_a_whole_memory_without_frontmatter() -> None:
    text = "\ufeff# 漢\n\nText.\n"
    fixed = "\ufeff<!-- memory-ls-disable frontmatter-missing -->\n\n# 漢\n\nText.\n"
    assert silenced("frontmatter-missing", {**_OTHERS, "a.md": text}, "a.md", in_file=True) == fixed


def test_one_more_rule_in_a_whole_file() -> None:
    text = memory("a", body="[[gone]]\n").replace("---\n", "---\n# memory-ls-disable mojibake -- so\n", 1)
    fixed = text.replace("mojibake -- so", "mojibake, link-dead -- so")
    assert silenced("link-dead", {**_OTHERS, "a.md": text}, "a.md", in_file=True) == fixed


def test_the_index() -> None:
    index = "# Index\n\n- [Gone](gone.md) — x\n- [Berth](berth.md)\n"
    texts = {**_OTHERS, "MEMORY.md": index}
    line = "- [Gone](gone.md) — x <!-- memory-ls-disable-line index-dead-link -->\n"
    assert silenced("index-dead-link", texts, "MEMORY.md") == index.replace("- [Gone](gone.md) — x\n", line)
    top = f"<!-- memory-ls-disable index-dead-link -->\n\n{index}"
    assert silenced("index-dead-link", texts, "MEMORY.md", in_file=True) == top


def test_no_comment_is_put_where_it_would_be_text() -> None:
    text = memory("a", body='```\nkey = "ghp_x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi"\n```\n')
    context = context_of({**_OTHERS, "a.md": text})
    finding = next(finding for finding in found_in(context)["a.md"] if finding.code == "secret")
    on_line, in_file = silencing(context, "a.md", finding)
    with pytest.raises(CannotEditError):
        on_line.changes()
    assert in_file.changes()


def test_what_no_comment_silences_is_not_offered() -> None:
    context = context_of({**_OTHERS, "a.md": memory("a", body="a\0b\n")})
    finding = next(finding for finding in found_in(context)["a.md"] if finding.code == "file-encoding")
    assert list(silencing(context, "a.md", finding)) == []
