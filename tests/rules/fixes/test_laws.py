"""What must hold of every fix, whatever stands around the fault.

After a fix its finding is gone and no new one came, but for what the fault had hidden; all that is safe, made twice,
is what it is made once; and what a fix is not about stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.plan import CannotChangeError, Change, ChangeKind
from memory_ls.documents.edits import CannotEditError
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import all_keys
from memory_ls.rules.fixes.fix_all import fix_all
from memory_ls.rules.fixes.fixes_of import fixes_of
from memory_ls.rules.fixes.silencing import silencing
from memory_ls.rules.registry import Context
from tests.making import DEFAULTS, TODAY
from tests.rules.fixes.applying import context_of, counted, found_in, with_changes

_NAMES = (
    "tide-tables",
    "Tide Tables",
    "a/b",
    "CON",
    "123",
    "~",
    '""',
    "see #3",
    "a: b",
    "'it''s'",
    "停航",
    "café",
    "ferry",
)
_DESCRIPTIONS = (
    "Where they hang", "Use when: asked", '"Foo" bar', "lost #here", "yes", "2026-04-01", '""', "[a, b]", "[draft] x",
    "@home", "漢字: 潮 # a comment", "'open", "two\n  lines: of it", "|\n  a block\n  of #lines", "x # a comment",
)  # fmt: skip
_TYPES = ("project", "user", "projct", "feedback", "3", "", "decision")
_TYPED = ("metadata:\n  type: ?\n", "type: ?\n", "metadata: \ntype: ?\n", "metadata:\n\ttype: ?\n", "")
_TYPED = ("metadata:\n  type: ?\n", "type: ?\n", "metadata: \ntype: ?\n", "metadata:\n\ttype: ?\n", "")
_EXTRAS = (
    "", "# a comment\n", "tags: [a, b]\n", "status: open\nstatus: open\n", "source: a\nsource: b\n", "created: 2026-01-05\n",
    "updated: 2026-02-03 # so\n", "originSessionId: 7\n", "\n", "name:again\n", "tags: [a\n",
)  # fmt: skip
_LINES = (
    "Plain text.", "See [[tide-tabels]], [[Tide-Tables]] and [[gone|it]].", "[x](TIDE-tables.md) [y](./no.md) [z](<a b.md>)",
    "[[tide-tables#Wy]] [q](ferry.md#why)", "The cafÃ© isnâ€™t 漢 open.", "It sank yesterday; next Friday too. 昨天",
    "```\n[[code]]\n```", "- item\n- **b** [[ferry]]", "| a | b |\n|---|---|\n| [[tide-tabels\\|x]] | c |", "## Why", "[[mine]]",
    "<!-- [[comment]] -->", "> quoted [[gone]]", "[ref][r]\n\n[r]: nowhere.md",
)  # fmt: skip
_ENTRIES = (
    "- [Tide](tide-tables.md) — when", "- [Ferry](ferry.md): 船", "- [Gone](gone.md) — lost", "- [[ferri]]", "* `mine.md` - x",
    "- [T](TIDE-TABLES.md)", "## Section", "- [a](ferry.md), [b](tide-tables.md)", "\nProse [x](gone.md).\n",
    "- What no link carries, and long enough to be a memory of its own.",
    "\n| a | b |\n|---|---|\n| [M](mine.md) | x |\n",
    "- [Gone](gone.md) — lost",
)  # fmt: skip

_GOOD = {
    "tide-tables.md": "---\nname: tide-tables\ndescription: When it is wet\nmetadata:\n  type: project\n---\n\n## Why\n\nWet.\n",
    "ferry.md": "---\nname: ferry\ndescription: The boat\nmetadata:\n  type: reference\n---\n\nIt floats.\n",
    "a b.md": "---\nname: a-b\ndescription: Both\nmetadata:\n  type: user\n---\n\nBoth of them.\n",
}


@st.composite
def _memories(draw: st.DrawFn) -> str:
    body = "\n\n".join(draw(st.lists(st.sampled_from(_LINES), max_size=4)))
    if draw(st.integers(0, 9)) == 0:
        text = f"{body}\n"
    else:
        name, description, kind = (draw(st.sampled_from(pieces)) for pieces in (_NAMES, _DESCRIPTIONS, _TYPES))
        typed = draw(st.sampled_from(_TYPED)).replace("?", kind)
        lines = [f"name: {name}\n", f"description: {description}\n", typed, draw(st.sampled_from(_EXTRAS))]
        kept = [line for line in lines if draw(st.integers(0, 9))]
        closing = draw(st.sampled_from(("---\n", "---\n", "---\n", "---  \n", "\n")))
        text = f"---\n{''.join(kept)}{closing}{body}{draw(st.sampled_from(('', chr(10), chr(10) * 3)))}"
    return _ended(draw, text)


def _ended(draw: st.DrawFn, text: str) -> str:
    end = draw(st.sampled_from(("\n", "\n", "\r\n", "\r\n", "mixed")))
    if end == "mixed":
        first, _, rest = text.partition("\n")
        return f"{first}\n{rest}".replace("\n", "\r\n", 1)
    return text.replace("\n", end)


@st.composite
def _directories(draw: st.DrawFn) -> dict[str, str]:
    texts = dict(_GOOD)
    keys = st.sampled_from(("mine.md", "user_role.md", "team/ferry.md", "停航.md"))
    for key in draw(st.lists(keys, min_size=1, max_size=2, unique=True)):
        texts[key] = draw(_memories())
    if draw(st.booleans()):
        entries = "\n".join(draw(st.lists(st.sampled_from(_ENTRIES), max_size=7)))
        texts["MEMORY.md"] = _ended(draw, f"# Index\n\n{entries}\n")
    return texts


# What a fault hides: it is there before, and told only when the fault is mended.
_OF_A_NAME = {
    "name-not-kebab", "name-differs-from-file", "name-unsafe", "duplicate-name", "link-ambiguous", "link-case", "link-self",
    "link-dead-anchor", "memory-not-indexed", "index-duplicate-entry",
}  # fmt: skip
_OF_A_TARGET = {"link-self", "link-dead-anchor", "index-duplicate-entry", "memory-not-indexed", "index-missing"}
_OF_A_TYPE = {"feedback-structure", "type-unknown"}
_OF_KEYS = {
    "value-type",
    "value-cut",
    "name-missing",
    "description-missing",
    "type-missing",
    "type-conflict",
    "damaged-metadata",
}
_REVEALED: Mapping[str, set[str]] = {
    "frontmatter-invalid": {*_OF_A_NAME, *_OF_A_TYPE, *_OF_KEYS, "duplicate-key", "description-long", "date-order"},
    "frontmatter-missing": {*_OF_A_NAME, *_OF_A_TYPE, *_OF_KEYS, "relative-date", "mojibake"},
    "frontmatter-unclosed": {"body-empty"},
    "duplicate-key": {*_OF_A_NAME, *_OF_KEYS, *_OF_A_TYPE},
    "damaged-metadata": {"type-conflict"},
    "value-cut": {*_OF_A_NAME, "description-long"},
    "value-type": {*_OF_A_NAME, *_OF_A_TYPE, "mojibake", "relative-date"},
    "name-missing": _OF_A_NAME,
    "name-unsafe": _OF_A_NAME,
    "name-not-kebab": _OF_A_NAME,
    "name-differs-from-file": _OF_A_NAME,
    "description-missing": {"mojibake"},
    "type-missing": _OF_A_TYPE,
    "type-unknown": _OF_A_TYPE,
    "type-conflict": _OF_A_TYPE,
    "index-dead-link": _OF_A_TARGET,
    "index-duplicate-entry": {"memory-not-indexed"},
    "memory-not-indexed": {"index-line-long"},
    "link-dead": {*_OF_A_TARGET, "feedback-structure"},
    "link-dead-file": {*_OF_A_TARGET, "feedback-structure"},
    "link-ambiguous": _OF_A_TARGET,
    "link-dead-anchor": {*_OF_A_TARGET, "feedback-structure"},
    "link-case": _OF_A_TARGET,
    "line-endings-mixed": {"conflict-marker", "index-duplicate-entry"},
    "mojibake": {"mojibake"},
}
# A new memory has things left to say, and whatever else its name brings up.
_OF_A_NEW_MEMORY = {"description-missing", "body-empty", "near-duplicate", "feedback-structure", *_OF_A_NAME}


@settings(max_examples=150, deadline=None)
@given(_directories())
def test_after_a_fix_its_finding_is_gone_and_no_new_one_came(texts: dict[str, str]) -> None:
    context = context_of(texts)
    found = found_in(context)
    before = counted(found)
    for key, findings in found.items():
        for finding in islice(findings, 12):
            for fix in fixes_of(context, key, finding):
                try:
                    changes = fix.changes()
                except (CannotEditError, CannotChangeError):
                    continue
                if any(change.new_path for change in changes):
                    continue  # what is found in the file is found elsewhere now
                after = counted(found_in(_after(context, changes)))
                # The next line is over the limit then, or the next one that holds content is told of.
                is_told_once = finding.code in ("index-over-limit", "index-content")
                assert is_told_once or after[key, finding.code] < before[key, finding.code], fix.title
                hidden = _OF_A_NEW_MEMORY if fix.needs is ChangeKind.CREATE else _REVEALED.get(finding.code, set())
                # What two memories no longer have in their faults can make twins of them.
                assert {code for _, code in after - before} <= {*hidden, "near-duplicate"}, (finding.code, fix.title)


@settings(max_examples=150, deadline=None)
@given(_directories())
def test_all_that_is_safe_is_made_once(texts: dict[str, str]) -> None:
    context = context_of(texts)
    once = fix_all(context, all_keys(context), may_change=lambda key: True)
    again = Context(once.directory, DEFAULTS, TODAY)
    assert fix_all(again, all_keys(again), may_change=lambda key: True).changes == ()
    assert {change.kind for change in once.changes} <= {ChangeKind.EDIT}


@settings(max_examples=150, deadline=None)
@given(_directories())
def test_what_a_safe_fix_is_not_about_stays(texts: dict[str, str]) -> None:
    context = context_of(texts)
    once = fix_all(context, all_keys(context), may_change=lambda key: True)
    for key, document in context.directory.documents.items():
        after = once.directory.documents[key]
        assert _words(after.body_text) == _words(document.body_text)
        for path, value in _values(document).items():
            assert any(value in other for other in _values(after).values()), path


def _words(text: str) -> list[str]:
    """What a body says, without the marks and the case of links, and without what was garbled."""
    plain = text.replace("cafÃ©", "café").replace("isnâ€™t", "isn’t").casefold()
    for mark in ("[[", "]]"):
        plain = plain.replace(mark, "")
    return plain.split()


def _values(document: MemoryDocument) -> dict[str, str]:
    """The values that were understood before, by path."""
    block = document.frontmatter
    keys = block.walk() if block is not None else ()
    return {path: key.value for path, key in keys if key.kind.value == "text" and key.value and path not in ("name",)}


@settings(max_examples=60, deadline=None)
@given(_directories())
def test_a_silenced_finding_is_gone_and_nothing_else(texts: dict[str, str]) -> None:
    context = context_of(texts)
    found = found_in(context)
    before = counted(found)
    for key, findings in found.items():
        for finding in islice(findings, 6):
            for fix in silencing(context, key, finding):
                try:
                    changes = fix.changes()
                except CannotEditError:
                    continue
                after = counted(found_in(_after(context, changes)))
                assert after[key, finding.code] < before[key, finding.code]
                assert {code for _, code in after - before} <= {
                    "index-line-long",
                    "line-endings-mixed",
                    "frontmatter-missing",  # of a file in which nothing stood
                    "feedback-structure",
                }


def _after(context: Context, changes: Iterable[Change]) -> Context:
    return Context(with_changes(context.directory, changes), DEFAULTS, TODAY)
