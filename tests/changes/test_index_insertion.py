"""A new entry stands where its neighbours would have put it, and looks as they do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from memory_ls.changes.index_insertion import Layout, type_in
from memory_ls.changes.index_lines import entries_of
from memory_ls.directory.style import style_of
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from tests.changes.making import FERRY, FILES, INDEXES, LOG, MOCKS, ROLE, TIDES, added
from tests.making import directory_of


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
        (f"# H\n\n{FERRY[:-1]}\r\n{TIDES}", f"# H\n\n{FERRY[:-1]}\r\n{LOG[:-1]}\r\n{TIDES}"),
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
        (f"## Feedback\n{MOCKS}\n## Project\n\n## Reference\n", f"## Feedback\n{MOCKS}\n## Project\n{LOG}\n## Reference\n"),
        (f"## Feedback\n{MOCKS}\n## Project\n\n\n## Reference\n", f"## Feedback\n{MOCKS}\n## Project\n\n{LOG}\n## Reference\n"),
        ("## User\n\n## Project\n", f"## User\n\n## Project\n\n{LOG}"),
        ("## User\n\n## Project\n\n", f"## User\n\n## Project\n\n{LOG}"),
        ("## User\n\n## Project", f"## User\n\n## Project\n\n{LOG[:-1]}"),
        ("## Project\n\nWords.\n\n## User\n", f"## Project\n\nWords.\n\n{LOG}\n## User\n"),
        ("## Project\n- A fact.\n\n## User\n", f"## Project\n- A fact.\n{LOG}\n## User\n"),
        ("## Project\n## User\n", f"## Project\n{LOG}## User\n"),
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
    ("heading", "kind"),
    [
        ("Project", "project"), ("Project memories", "project"), ("📌 Users", "user"), ("The ferry project", None),
        ("Notes", None),
        ("User & feedback", None), ("프로젝트", "project"), ("项目", "project"),
        ("User Preferences", "user"), ("", None),
    ],
)  # fmt: skip
def test_a_heading_names_a_type_if_it_names_nothing_else(heading: str, kind: str | None) -> None:
    assert type_in(heading) == kind


@given(INDEXES)
@settings(deadline=None)
def test_what_is_put_in_is_an_entry_and_everything_else_stays(old: str) -> None:
    new = added(old)
    directory = directory_of({**FILES, INDEX_NAME: new})
    assert directory.index is not None
    (log,) = entries_of(directory, ["quay-log.md"])
    before = IndexDocument.parse(old)
    others = [entry.span.of(new) for entry in directory.index.entries() if entry != log]
    assert others == [entry.span.of(old) for entry in before.entries()]
    assert len(directory.index.headings) - len(before.headings) in (0, 1)
