"""An entry more, less or elsewhere, and nothing else of the index changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.changes.index_edits import Layout, entries_of, move_entry, place_in, remove_entries
from memory_ls.directory.style import style_of
from memory_ls.documents.edits import CannotEditError, applied
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from tests.making import directory_of, memory

TYPES = {
    "ferry": "project",
    "no-mocks": "feedback",
    "quay-log": "project",
    "tide-tables": "reference",
    "user-role": "user",
}
FILES = {f"{name}.md": memory(name, f"About {name}", kind) for name, kind in TYPES.items()}


def added(index: str, key: str = "quay-log.md", files: dict[str, str] = FILES) -> str:
    directory = directory_of({**files, INDEX_NAME: index})
    insertion = Layout(directory).insertion(directory, key, style_of(directory))
    return applied(index, (*insertion.ground, insertion.edit))


def removed(index: str, *keys: str, files: dict[str, str] = FILES) -> str:
    directory = directory_of({**files, INDEX_NAME: index})
    assert directory.index is not None
    return applied(index, remove_entries(directory.index, entries_of(directory, keys)))


FERRY = "- [ferry](ferry.md) — About ferry\n"
LOG = "- [quay-log](quay-log.md) — About quay-log\n"
TIDES = "- [tide-tables](tide-tables.md) — About tide-tables\n"
MOCKS = "- [no-mocks](no-mocks.md) — About no-mocks\n"
ROLE = "- [user-role](user-role.md) — About user-role\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # where it goes
        (f"# Memory Index\n\n{FERRY}{TIDES}", f"# Memory Index\n\n{FERRY}{LOG}{TIDES}"),
        (f"# Memory Index\n\n{TIDES}", f"# Memory Index\n\n{LOG}{TIDES}"),
        (f"{FERRY}{MOCKS}\nThe end.\n", f"{FERRY}{MOCKS}{LOG}\nThe end.\n"),
        (f"{ROLE}{FERRY}{TIDES}", f"{ROLE}{FERRY}{TIDES}{LOG}"),
        (f"{FERRY}\n{TIDES}", f"{FERRY}\n{LOG}\n{TIDES}"),
        (f"{FERRY}\n{MOCKS}", f"{FERRY}\n{MOCKS}\n{LOG}"),
        (f"{FERRY}  more\n  - [user-role](user-role.md)\n{TIDES}", f"{FERRY}  more\n  - [user-role](user-role.md)\n{LOG}{TIDES}"),
        # no end of the last line, CRLF
        (f"{FERRY}{MOCKS[:-1]}", f"{FERRY}{MOCKS}{LOG[:-1]}"),
        (f"{FERRY}{TIDES}".replace("\n", "\r\n"), f"{FERRY}{LOG}{TIDES}".replace("\n", "\r\n")),
        # which section
        (f"## User\n{ROLE}\n## Project\n{FERRY}\n## Reference\n{TIDES}",
         f"## User\n{ROLE}\n## Project\n{FERRY}{LOG}\n## Reference\n{TIDES}"),
        (f"## Gear\n{FERRY}\n## Ways\n{MOCKS}", f"## Gear\n{FERRY}{LOG}\n## Ways\n{MOCKS}"),
        (f"## 用户记忆\n{ROLE}\n## 项目\n{FERRY}\n## 反馈\n{MOCKS}",
         f"## 用户记忆\n{ROLE}\n## 项目\n{FERRY}{LOG}\n## 反馈\n{MOCKS}"),
        (f"## 用户\n{ROLE}\n## 反馈\n{MOCKS}", f"## 用户\n{ROLE}\n## 反馈\n{MOCKS}\n## 项目\n\n{LOG}"),
        (f"## The quay\n{MOCKS}\n## The ferry project\n{FERRY}\n## Else\n{TIDES}",
         f"## The quay\n{MOCKS}{LOG}\n## The ferry project\n{FERRY}\n## Else\n{TIDES}"),
        (f"## One\n{MOCKS}\n## Two\n{FERRY}\n## Three\n- [b](ferry.md)\n",
         f"## One\n{MOCKS}\n## Two\n{FERRY}\n## Three\n- [b](ferry.md)\n{LOG}"),
        (f"## Ways\n{MOCKS}\n## Archive\n{TIDES}", f"## Ways\n{MOCKS}{LOG}\n## Archive\n{TIDES}"),
        (f"## User\n\n{ROLE}\n## References\n\n{TIDES}", f"## User\n\n{ROLE}\n## References\n\n{TIDES}\n## Projects\n\n{LOG}"),
        # how it is written
        ("* [Ferry](./ferry.md): x\n* [Tides](./tide-tables.md): y\n",
         "* [Ferry](./ferry.md): x\n* [quay-log](./quay-log.md): About quay-log\n* [Tides](./tide-tables.md): y\n"),
        ("- [ferry.md](ferry.md) - x\n", "- [ferry.md](ferry.md) - x\n- [quay-log.md](quay-log.md) - About quay-log\n"),
        ("- [[ferry]] – x\n", "- [[ferry]] – x\n- [[quay-log]] – About quay-log\n"),
        ("- **[ferry](ferry.md)** — x\n", "- **[ferry](ferry.md)** — x\n- **[quay-log](quay-log.md)** — About quay-log\n"),
        ("1. [ferry](ferry.md)\n2. [no-mocks](no-mocks.md)\n",
         "1. [ferry](ferry.md)\n2. [no-mocks](no-mocks.md)\n3. [quay-log](quay-log.md) — About quay-log\n"),
        ("> - [ferry](ferry.md)\n", "> - [ferry](ferry.md)\n> - [quay-log](quay-log.md) — About quay-log\n"),
        ("| File | Type | About |\n|---|---|---|\n| [ferry](ferry.md) | project | Boats there |\n",
         "| File | Type | About |\n|---|---|---|\n| [ferry](ferry.md) | project | Boats there |\n"
         "| [quay-log](quay-log.md) | project | About quay-log |\n"),
        ("| File | About |\n|---|---|\n| `ferry.md` | Boats |\n",
         "| File | About |\n|---|---|\n| `ferry.md` | Boats |\n| `quay-log.md` | About quay-log |\n"),
        # where there is no list
        ("", LOG),
        ("# Memory Index\n", f"# Memory Index\n\n{LOG}"),
        ("# Memory Index\n\n", f"# Memory Index\n\n{LOG}"),
        ("# 索引\r\n\r\n这里没有列表。", f"# 索引\r\n\r\n这里没有列表。\r\n\r\n{LOG[:-1]}"),
    ],
)  # fmt: skip
def test_an_entry_goes_where_the_index_would_have_it(old: str, new: str) -> None:
    assert added(old) == new


def test_prose_without_a_list_is_told() -> None:
    directory = directory_of({**FILES, INDEX_NAME: "Some prose.\n"})
    assert Layout(directory).insertion(directory, "ferry.md", style_of(directory)).is_after_prose
    directory = directory_of({**FILES, INDEX_NAME: "# Memory Index\n"})
    assert not Layout(directory).insertion(directory, "ferry.md", style_of(directory)).is_after_prose


@pytest.mark.parametrize(
    ("old", "keys", "new"),
    [
        (f"# H\n\n{FERRY}{LOG}{TIDES}", ["quay-log.md"], f"# H\n\n{FERRY}{TIDES}"),
        (f"{FERRY}  and more\nlazily\n{TIDES}", ["ferry.md"], TIDES),
        (f"{FERRY}{LOG}".replace("\n", "\r\n"), ["quay-log.md"], FERRY.replace("\n", "\r\n")),
        (f"{FERRY}{LOG[:-1]}", ["quay-log.md"], FERRY[:-1]),
        (f"{FERRY}{LOG[:-1]}", ["ferry.md"], LOG[:-1]),
        (f"{FERRY}{LOG}{TIDES[:-1]}", ["quay-log.md", "tide-tables.md"], FERRY[:-1]),
        (f"{FERRY}{LOG[:-1]}", ["ferry.md", "quay-log.md"], ""),
        (f"## A\n\n{FERRY}\n## B\n\n{LOG}", ["ferry.md"], f"## A\n\n\n## B\n\n{LOG}"),
        (f"{FERRY}\n{LOG}\n{TIDES}", ["quay-log.md"], f"{FERRY}\n{TIDES}"),
        (f"{FERRY}\n{LOG}", ["quay-log.md"], FERRY),
        ("- [a](ferry.md) · [b](quay-log.md) · [c](tide-tables.md) — all\n", ["ferry.md"],
         "- [b](quay-log.md) · [c](tide-tables.md) — all\n"),
        ("- [a](ferry.md) · [b](quay-log.md) · [c](tide-tables.md) — all\n", ["quay-log.md", "tide-tables.md"],
         "- [a](ferry.md) — all\n"),
        ("- [a](ferry.md) · [b](quay-log.md) — all\n", ["quay-log.md", "ferry.md"], ""),
        ("| F | A |\n|---|---|\n| [a](ferry.md) | x |\n| `quay-log.md` | y |\n", ["quay-log.md"],
         "| F | A |\n|---|---|\n| [a](ferry.md) | x |\n"),
        (f"{FERRY}    - [q](quay-log.md)\n      more\n{TIDES}", ["ferry.md"], f"- [q](quay-log.md)\n  more\n{TIDES}"),
        (f"{FERRY}  - [q](quay-log.md)\n{TIDES}", ["quay-log.md"], f"{FERRY}{TIDES}"),
        ("See [ferry](ferry.md) for boats.\n", ["ferry.md"], "See ferry for boats.\n"),
        ("## [Ferry](ferry.md)\n\nWords.\n", ["ferry.md"], "## Ferry\n\nWords.\n"),
        ("[Ferry](ferry.md) — x\nmore\n\n[Log](quay-log.md)\n", ["ferry.md"], "\n[Log](quay-log.md)\n"),
        ("- [[ferry]] — x\n- [[Quay Log]] — y\n", ["quay-log.md"], "- [[ferry]] — x\n"),
        (f"{FERRY}- [x](ferry.md) again\n{LOG}", ["ferry.md"], LOG),
        (FERRY, [], FERRY),
    ],
)  # fmt: skip
def test_an_entry_goes_and_nothing_else(old: str, keys: list[str], new: str) -> None:
    assert removed(old, *keys) == new


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"# H\n\n{FERRY}{TIDES}{LOG}", f"# H\n\n{LOG}{FERRY}{TIDES}"),
        (f"{FERRY}{TIDES}{LOG[:-1]}", f"{LOG}{FERRY}{TIDES[:-1]}"),
        (f"{FERRY}{LOG}  - nested\n{TIDES}", f"{LOG}  - nested\n{FERRY}{TIDES}"),
    ],
)
def test_an_entry_moves_with_what_belongs_to_it(old: str, new: str) -> None:
    directory = directory_of({**FILES, INDEX_NAME: old})
    assert directory.index is not None
    (log,), (ferry,) = (entries_of(directory, [key]) for key in ("quay-log.md", "ferry.md"))
    assert applied(old, move_entry(directory.index, log, ferry)) == new
    assert move_entry(directory.index, ferry, ferry) == ()


def test_an_entry_does_not_move_into_itself_or_into_prose() -> None:
    for text in (f"{FERRY}  - [q](quay-log.md)\n", f"{FERRY}\nSee [q](quay-log.md).\n"):
        index = IndexDocument.parse(text)
        first, second = index.entries()
        with pytest.raises(CannotEditError):
            move_entry(index, first, second)


@pytest.mark.parametrize(
    ("keys", "key", "place"),
    [("acd", "b", 1), ("", "b", 0), ("abc", "d", 3), ("bcd", "a", 0), ("zabcd", "c", 4), ("abcda", "c", 3), ("abbb", "b", 4)],
)  # fmt: skip
def test_a_place_among_sorted_keys_bears_slips(keys: str, key: str, place: int) -> None:
    assert place_in(list(keys), key) == place


PIECES = st.sampled_from(
    [
        *[FERRY, TIDES, MOCKS, ROLE, "## User\n", "## Project\n\n", "\n", "\nSome prose.\n", "<!-- note -->\n"],
        "  wrapped\n",
        *["- no entry\n", "  - [user-role](user-role.md)\n", "- [x](gone.md)\n", "* [no-mocks](no-mocks.md): x\n"],
        "```\ncode\n```\n",
        *["\n| A | B |\n|---|---|\n| [ferry](ferry.md) | x |\n", "1. [ferry](ferry.md)\n"],
        "- [[tide-tables]] · [[ferry]] — 潮汐 😀\n",
    ]
)  # fmt: skip
INDEXES = st.builds(
    lambda pieces, eol, is_open: "".join(pieces).removesuffix("\n" if is_open else "").replace("\n", eol),
    st.lists(PIECES, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)


@given(INDEXES)
def test_what_is_put_in_is_an_entry_and_everything_else_stays(old: str) -> None:
    new = added(old)
    directory = directory_of({**FILES, INDEX_NAME: new})
    assert directory.index is not None
    (log,) = entries_of(directory, ["quay-log.md"])
    before = IndexDocument.parse(old)
    others = [entry.span.of(new) for entry in directory.index.entries() if entry != log]
    assert others == [entry.span.of(old) for entry in before.entries()]
    assert len(directory.index.headings) - len(before.headings) in (0, 1)


@given(INDEXES)
def test_an_entry_put_into_a_list_and_taken_out_leaves_the_same_bytes(old: str) -> None:
    has_list = any(line.lstrip().startswith(("-", "*", "1.", "|")) and ".md" in line for line in old.splitlines())
    new = added(old)
    if has_list and len(IndexDocument.parse(new).headings) == len(IndexDocument.parse(old).headings):
        assert removed(new, "quay-log.md") == old


@given(INDEXES, st.lists(st.sampled_from(sorted(FILES)), max_size=3))
def test_what_is_taken_out_is_gone_and_all_other_entries_stay(old: str, keys: list[str]) -> None:
    directory = directory_of({**FILES, INDEX_NAME: old})
    gone = {entry.link.start for entry in entries_of(directory, keys)}
    assert directory.index is not None
    kept = [e.link.span.of(old) for e in directory.index.entries() if e.link.start not in gone]
    new = removed(old, *keys)
    assert [e.link.span.of(new) for e in IndexDocument.parse(new).entries()] == kept
    assert new.count("prose") == old.count("prose")
    assert new.count("note") == old.count("note")
