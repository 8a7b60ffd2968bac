"""What has to be checked again after an edit: a table of edits, each with who else is touched by it.

That nothing is ever forgotten is a property, in test_properties.py; here stands what each kind of edit
touches, and that most edits touch nothing else.
"""

from __future__ import annotations

import pytest

from memory_ls.directory.affected import affected
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.documents.index import INDEX_NAME
from tests.making import directory_of, memory

_BASE = {
    "ferry.md": memory("ferry", body="## Why\n\nTides.\n"),
    "tides.md": memory("tides", body="See [[ferry]] and [[ferry#Why]].\n"),
    "ports.md": memory("ports", body="Three of them.\n"),
    "team/rota.md": memory("rota", body="See [the boat](../ferry.md) and [[habour]].\n"),
    INDEX_NAME: "- [Ferry](ferry.md)\n- [Tides](tides.md)\n- [Ports](ports.md)\n- [Team](team/)\n",
}


def _after(old: MemoryDirectory, **texts: str | None) -> frozenset[str]:
    new = old
    names = {f"{key.replace('__', '/')}.md": text for key, text in texts.items()}
    for key, text in names.items():
        new = new.without(key) if text is None else new.with_document(key, text)
    return affected(old, new, names)


@pytest.fixture
def base() -> MemoryDirectory:
    return directory_of(_BASE)


class TestMostEdits:
    def test_of_a_body_touch_the_memory_alone(self, base: MemoryDirectory) -> None:
        assert _after(base, ferry=memory("ferry", body="## Why\n\nTides, and [[ports]].\n")) == {"ferry.md"}

    def test_of_a_description_touch_the_memory_alone(self, base: MemoryDirectory) -> None:
        assert _after(base, ferry=memory("ferry", "Another", body="## Why\n")) == {"ferry.md"}

    def test_of_the_index_touch_the_index_and_what_it_lists_no_more(self, base: MemoryDirectory) -> None:
        text = _BASE[INDEX_NAME]
        assert _after(base, MEMORY=f"{text}\nMore words.\n") == {INDEX_NAME}
        assert _after(base, MEMORY=text.replace("- [Ports](ports.md)\n", "")) == {INDEX_NAME, "ports.md"}
        assert _after(base, MEMORY=text.replace("team/", "teem/")) == {INDEX_NAME, "team/rota.md"}


class TestARename:
    def test_touches_who_links_the_name_and_the_index(self, base: MemoryDirectory) -> None:
        assert _after(base, ferry=memory("boat", body="## Why\n")) == {
            "ferry.md",
            "tides.md",
            "team/rota.md",
            INDEX_NAME,
        }

    def test_in_case_alone_touches_who_links_the_name(self, base: MemoryDirectory) -> None:
        assert "tides.md" in _after(base, ferry=memory("Ferry", body="## Why\n"))

    def test_touches_whose_dead_link_may_have_meant_it(self, base: MemoryDirectory) -> None:
        assert _after(base, ports=memory("harbour")) == {"ports.md", "team/rota.md", INDEX_NAME}

    def test_touches_who_has_the_same_name(self, base: MemoryDirectory) -> None:
        assert "tides.md" in _after(base, ports=memory("tides"))

    def test_touches_who_links_the_other_memory_of_that_name(self) -> None:
        old = directory_of(
            {"a.md": memory("CI/CD setup", nested=False), "b.md": "[[CI/CD setup]]\n", "c.md": "[[x]]\n"}
        )
        assert _after(old, a=memory("CI setup", nested=False)) >= {"a.md", "b.md"}


class TestAMovedName:
    def test_touches_its_namesake_which_tells_its_place(self) -> None:
        old = directory_of({"a.md": memory("x"), "b.md": memory("x")})
        assert _after(old, a=memory("x", body="Other.\n")) == {"a.md"}
        assert _after(old, a=memory("x").replace("name:", "title: t\nname:")) == {"a.md", "b.md"}


class TestHeadings:
    def test_that_change_touch_who_links_the_memory(self, base: MemoryDirectory) -> None:
        assert _after(base, ferry=memory("ferry", body="## Wherefore\n")) == {
            "ferry.md",
            "tides.md",
            "team/rota.md",
            INDEX_NAME,
        }

    def test_of_the_index_touch_who_links_the_index(self) -> None:
        old = directory_of({"a.md": "[[MEMORY#Ports]]\n", "b.md": "Text.\n", INDEX_NAME: "# Ports\n"})
        assert _after(old, MEMORY="# Harbours\n") == {INDEX_NAME, "a.md"}


class TestAFile:
    def test_that_comes_touches_its_dead_links_and_the_index(self, base: MemoryDirectory) -> None:
        new = base.with_files(["habour/a.txt"])
        assert affected(base, new, ["habour/a.txt"]) >= {"team/rota.md"}
        assert "ports.md" not in affected(base, new, ["habour/a.txt"])

    def test_that_goes_touches_who_links_it(self, base: MemoryDirectory) -> None:
        assert _after(base, ferry=None) >= {"ferry.md", "tides.md", "team/rota.md", INDEX_NAME}

    def test_with_a_copy_touches_the_copy(self) -> None:
        old = directory_of({"team/rota 2.md": memory("rota-2"), "rota 2.md": memory("rota-3"), "b.md": memory("b")})
        touched = _after(old, team__rota=memory("rota"))
        assert "team/rota 2.md" in touched
        assert "b.md" not in touched - {old.sorted_keys[0]}


class TestTheIndex:
    def test_that_goes_touches_what_it_listed_and_the_first_memory(self, base: MemoryDirectory) -> None:
        assert _after(base, MEMORY=None) >= {INDEX_NAME, *base.documents}

    def test_that_can_t_be_read_any_more_touches_the_first_memory(self) -> None:
        old = directory_of({key: memory(key) for key in ("a.md", "b.md", "c.md")})
        new = old.with_trouble(INDEX_NAME, FileFacts(trouble=Trouble.UNREADABLE))
        assert affected(old, new, [INDEX_NAME]) >= {INDEX_NAME, "a.md"}

    def test_that_begins_to_point_at_memories_touches_all(self) -> None:
        old = directory_of({"a.md": memory("a"), "b.md": memory("b"), INDEX_NAME: "Prose.\n"})
        assert _after(old, MEMORY="- [A](a.md)\n") == {"a.md", "b.md", INDEX_NAME}

    def test_whose_last_listed_memory_goes_touches_all(self) -> None:
        old = directory_of({"a.md": memory("a"), "b.md": memory("b"), "c.md": memory("c"), INDEX_NAME: "- [A](a.md)\n"})
        assert _after(old, a=None) == {"a.md", "b.md", "c.md", INDEX_NAME}

    def test_that_makes_a_file_a_memory_touches_the_file_and_who_links_it(self) -> None:
        old = directory_of(
            {"README.md": "Text.\n", "a.md": "[[README]]\n", "b.md": "Text.\n", INDEX_NAME: "- [A](a.md)\n"}
        )
        assert _after(old, MEMORY="- [A](a.md)\n- [R](README.md)\n") == {"README.md", "a.md", INDEX_NAME}

    def test_in_parts_touches_what_a_part_lists(self) -> None:
        old = directory_of(
            {
                "a.md": memory("a"),
                "b.md": memory("b"),
                "c-index.md": memory("c-index", body="[[a]]\n"),
                INDEX_NAME: "- [C](c-index.md)\n",
            }
        )
        assert _after(old, **{"c-index": memory("c-index", body="[[b]]\n")}) == {"a.md", "b.md", "c-index.md"}


class TestWhatMostMemoriesDo:
    def test_touches_all_when_it_changes(self) -> None:
        old = directory_of({"a.md": memory("a"), "b.md": "Text.\n", "c.md": "Text.\n"})
        assert _after(old, b=memory("b")) == {"a.md", "b.md", "c.md", INDEX_NAME}

    def test_touches_the_memories_of_a_type_of_ones_own(self) -> None:
        old = directory_of(
            {"a.md": memory("a", kind="decision"), "b.md": memory("b"), "c.md": memory("c", kind="decision")}
        )
        assert _after(old, c=memory("c")) == {"a.md", "c.md"}
        assert _after(old, b=memory("b", kind="user")) == {"b.md"}
