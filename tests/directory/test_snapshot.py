"""The memory directory as a value: what belongs to it, what it shares, what an edit leaves alone."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from memory_ls.directory.snapshot import (
    Census,
    FileFacts,
    FileTable,
    MemoryDirectory,
    Trouble,
    changed_tokens,
    is_member,
    name_tokens,
)
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import tokens_of
from tests.making import directory_of, memory

_PLAIN = "Text without frontmatter.\n"


def _value(**extra: str) -> MemoryDirectory:
    return directory_of(
        {
            "tides.md": memory("tides", body="See [[ports]].\n"),
            "ports.md": memory("ports"),
            INDEX_NAME: "- [Tides](tides.md)\n- [Ports](ports.md)\n",
            **extra,
        }
    )


class TestAnEdit:
    def test_leaves_the_old_value_as_it_was(self) -> None:
        old = _value()
        new = old.with_document("tides.md", memory("ebb")).without("ports.md")
        assert list(old.documents) == ["ports.md", "tides.md"]
        assert old.names.by_name["tides"] == ("tides.md",)
        assert list(new.documents) == ["tides.md"]

    def test_shares_what_it_does_not_touch(self) -> None:
        old = _value()
        new = old.with_document("tides.md", memory("tides", body="See [[ports]] again.\n"))
        assert new.documents["ports.md"] is old.documents["ports.md"]
        assert new.names is old.names
        assert new.files is old.files
        assert new.index is old.index

    def test_can_t_be_made_in_place(self) -> None:
        with pytest.raises(FrozenInstanceError):
            _value().root = "/elsewhere"  # type: ignore[misc]

    def test_of_a_file_that_is_not_there_changes_nothing(self) -> None:
        old = _value()
        new = old.without("gone.md")
        assert new.documents is old.documents
        assert new.files is old.files

    def test_that_renames_a_memory_moves_it_in_every_table(self) -> None:
        new = _value().with_document("tides.md", memory("user_Ebb Flow"))
        assert "tides" not in new.names.by_name
        assert new.names.by_name["user_Ebb Flow"] == ("tides.md",)
        assert new.names.by_folded_name["user-ebb-flow"] == ("tides.md",)
        assert new.names.by_unprefixed["ebb-flow"] == ("tides.md",)
        assert new.names.by_stem["tides"] == ("tides.md",)

    def test_that_spoils_a_memory_keeps_its_file_and_its_trouble(self) -> None:
        facts = FileFacts(trouble=Trouble.UNREADABLE)
        new = _value().with_trouble("tides.md", facts)
        assert "tides.md" not in new.documents
        assert "tides.md" in new.files.names
        assert new.facts["tides.md"] == facts
        mended = new.with_document("tides.md", memory("tides"))
        assert "tides.md" in mended.documents
        assert "tides.md" not in mended.facts

    def test_that_spoils_the_index_leaves_the_memories(self) -> None:
        new = _value().with_trouble(INDEX_NAME, FileFacts(trouble=Trouble.NOT_A_FILE))
        assert new.index is None
        assert len(new.documents) == 2

    def test_of_other_files_touches_only_the_files(self) -> None:
        old = _value()
        new = old.with_files(["plan.png", "a/b.txt"])
        assert new.files.names - old.files.names == {"plan.png", "a/b.txt"}
        assert new.files.directories == {"a"}
        assert new.documents is old.documents
        assert new.without("plan.png").files.names == old.files.names | {"a/b.txt"}

    def test_follows_who_links_what(self) -> None:
        value = _value()
        assert value.sources == {"ports": frozenset({"tides.md"})}
        more = value.with_document("new.md", memory("new", body="[[Ports]] and [[tides]].\n"))
        assert more.sources == {"ports": frozenset({"tides.md", "new.md"}), "tides": frozenset({"new.md"})}
        assert more.without("new.md").sources == value.sources


class TestMembershipThatTheIndexDecides:
    def test_a_file_comes_in_with_its_entry_and_goes_with_it(self) -> None:
        value = directory_of({"guide.md": _PLAIN, INDEX_NAME: ""}, lenient=False)
        assert (list(value.documents), list(value.others)) == ([], ["guide.md"])
        listed = value.with_document(INDEX_NAME, "- [Guide](guide.md)\n")
        assert (list(listed.documents), list(listed.others)) == (["guide.md"], [])
        assert listed.names.by_stem["guide"] == ("guide.md",)
        assert listed.with_document(INDEX_NAME, "").others.keys() == {"guide.md"}
        assert listed.without(INDEX_NAME).others.keys() == {"guide.md"}

    def test_a_readme_with_other_keys_than_a_name_goes_with_its_entry(self) -> None:
        value = directory_of({"README.md": "---\ntitle: x\n---\n", INDEX_NAME: "- [R](README.md)\n"})
        assert list(value.documents) == ["README.md"]
        assert value.with_document(INDEX_NAME, "").documents == {}

    def test_a_file_that_is_only_talked_about_stays_out(self) -> None:
        text = "Read README.md first.\n"
        assert directory_of({"README.md": _PLAIN, INDEX_NAME: text}).documents == {}
        assert directory_of({"README.md": _PLAIN}).with_document(INDEX_NAME, text).documents == {}

    def test_an_edit_of_the_file_itself_can_bring_it_in(self) -> None:
        value = directory_of({"README.md": _PLAIN})
        named = value.with_document("README.md", memory("read-me"))
        assert list(named.documents) == ["README.md"]
        assert named.with_document("README.md", _PLAIN).others.keys() == {"README.md"}


@pytest.mark.parametrize(
    ("key", "text", "listed", "lenient", "expected"),
    [
        ("a.md", _PLAIN, False, True, True),
        ("a.md", _PLAIN, False, False, False),
        ("a.md", _PLAIN, True, False, True),
        ("a.md", "---\ntitle: x\n---\n", False, False, True),
        ("README.md", _PLAIN, False, True, False),
        ("README.md", _PLAIN, True, False, True),
        ("readme.md", "---\ntitle: x\n---\n", False, True, False),
        ("README.md", "---\nname: x\n---\n", False, False, True),
        ("README.md", "---\nname:\n---\n", False, False, True),
        ("team/CLAUDE.md", _PLAIN, False, True, False),
        ("READMES.md", _PLAIN, False, True, True),
    ],
)
def test_what_makes_a_file_a_memory(key: str, text: str, listed: bool, lenient: bool, expected: bool) -> None:
    assert is_member(key, MemoryDocument.parse(text), listed, lenient) is expected


class TestNames:
    def test_two_memories_with_one_name_are_both_kept(self) -> None:
        value = directory_of({"b.md": memory("x"), "a.md": memory("x")})
        assert value.names.by_name["x"] == ("a.md", "b.md")
        assert value.without("a.md").names.by_name["x"] == ("b.md",)
        assert value.with_document("c.md", memory("x")).names.by_name["x"] == ("a.md", "b.md", "c.md")

    def test_the_closest_name_is_offered_and_the_same_one_every_time(self) -> None:
        names = directory_of({"tide-tables.md": memory(None), "tide-table.md": memory(None)}).names
        assert names.closest("tide-tabels") == "tide-tables.md"
        assert names.closest("tide-tabl") == "tide-table.md"
        assert names.closest("harbour") is None
        alike = directory_of({f"rota-{letter}.md": memory(None) for letter in "dbeca"}).names
        assert alike.closest("rota-x") == "rota-a.md"

    def test_a_name_that_comes_is_offered_from_then_on(self) -> None:
        value = directory_of({"a.md": memory("a")})
        assert value.names.closest("harbor") is None
        assert value.with_document("harbour.md", memory("harbour")).names.closest("harbor") == "harbour.md"


class TestTokens:
    def test_a_name_and_a_link_meet_whatever_the_name_holds(self) -> None:
        for name in ("CI/CD setup", "notes.md", "user_Role", "停航", "a/b.md", "v1.2 notes"):
            document = MemoryDocument.parse(memory(f'"{name}"', nested=False))
            link = MemoryDocument.parse(f"[[{name}]]\n")
            assert name_tokens("x.md", document) & link.link_tokens, name

    def test_a_path_means_its_last_part(self) -> None:
        assert tokens_of("team/Ferry Rota.md") == {"ferry-rota", "team/ferry-rota.md"}
        assert tokens_of("team/") == {"team", "team/"}

    def test_a_change_of_case_alone_is_a_change(self) -> None:
        before, after = (MemoryDocument.parse(memory(name)) for name in ("ferry", "Ferry"))
        assert name_tokens("x.md", before) == name_tokens("x.md", after)
        assert changed_tokens("x.md", before, after) == {"ferry"}
        assert changed_tokens("x.md", before, before) == frozenset()
        assert changed_tokens("x.md", None, after) == {"ferry", "x"}


class TestTheCensus:
    def test_counts_what_the_memories_have(self) -> None:
        value = directory_of({"a.md": memory(), "b.md": memory(kind=None, nested=False), "c.md": _PLAIN})
        assert value.census == Census(3, 2, 2, 2, 1)
        assert value.without("a.md").census == Census(2, 1, 1, 1, 0)

    def test_half_is_most_and_none_is_not(self) -> None:
        assert Census(2, 1, 1, 1, 0).most() == (True, True, True, False)
        assert Census(9, 3, 0, 0, 0).most() == (False, False, False, False)
        assert Census().most()[0] is False

    def test_one_or_two_memories_without_a_name_show_no_habit(self) -> None:
        assert Census(2, 2, 0, 0, 0).most() == (True, True, True, False)


class TestTheFileTable:
    def test_knows_every_directory_above_a_file(self) -> None:
        assert FileTable(["a/b/c.md", "d.md"]).directories == {"a", "a/b"}

    def test_finds_a_path_in_another_case_the_first_of_several(self) -> None:
        assert FileTable(["b.md", "B.md"]).by_folded == {"b.md": "B.md"}

    def test_is_the_same_when_nothing_changes(self) -> None:
        table = FileTable(["a.md"])
        assert table.changed(added=["a.md"], removed=["b.md"]) is table


def test_a_document_is_found_by_key_and_has_a_path() -> None:
    value = _value()
    assert value.document(INDEX_NAME) is value.index
    assert value.document("tides.md") is value.documents["tides.md"]
    assert value.document("gone.md") is None
    assert value.path_of("team/a.md") == "/w/quay/memory/team/a.md"
    assert value.sorted_keys == ("ports.md", "tides.md")
