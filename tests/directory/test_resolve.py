"""What a link means, step by step."""

from __future__ import annotations

import pytest

from memory_ls.directory.resolve import (
    Target,
    TargetKind,
    find_heading,
    relative_key,
    resolve,
    resolve_name,
    resolve_path,
)
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from tests.making import directory_of, memory

_DEAD = TargetKind.DEAD


def _value(names: dict[str, str | None], *, files: tuple[str, ...] = (), index: str | None = None) -> MemoryDirectory:
    texts = {key: memory(f'"{name}"' if name is not None else None, nested=False) for key, name in names.items()}
    return directory_of(texts | ({INDEX_NAME: index} if index is not None else {}), files=files)


def _link(value: MemoryDirectory, text: str, source: str = "source.md") -> Target:
    (link,) = MemoryDocument.parse(f"See {text}.\n").body.links
    return resolve(value, source, link)


class TestNames:
    def test_the_first_step_that_finds_any_decides(self) -> None:
        steps = {
            "by-name.md": "Role",
            "Role.md": "x1",
            "by-folded-name.md": "ROLE",
            "role.md": "x2",
            "user_role.md": "x3",
        }
        left = dict(steps)
        for key in ("by-name.md", "Role.md", "by-folded-name.md", "role.md", "user_role.md"):
            assert resolve_name(_value(dict(left)), "Role").keys == (key,)
            del left[key]
        assert resolve_name(_value(dict(left)), "Role").kind is _DEAD

    def test_folding_takes_hyphen_underscore_space_case_and_composition_as_alike(self) -> None:
        value = _value({"tide-tables.md": None, "caf\u00e9.md": None})
        for name in ("tide_tables", "Tide Tables", "TIDE-TABLES"):
            assert resolve_name(value, name).keys == ("tide-tables.md",)
        assert resolve_name(value, "cafe\u0301").keys == ("caf\u00e9.md",)

    def test_the_type_in_front_is_dropped_of_the_target_and_never_of_the_link(self) -> None:
        assert resolve_name(_value({"user_role.md": None}), "role").keys == ("user_role.md",)
        assert resolve_name(_value({"a.md": "feedback-role"}), "Role").keys == ("a.md",)
        assert resolve_name(_value({"role.md": None}), "user_role").kind is _DEAD
        assert resolve_name(_value({"project_role.md": None}), "user_role").kind is _DEAD

    def test_several_hits_at_one_step_are_ambiguous(self) -> None:
        value = _value({"user_role.md": None, "project_role.md": None})
        assert resolve_name(value, "role") == Target(TargetKind.AMBIGUOUS, ("project_role.md", "user_role.md"))

    def test_a_name_used_twice_is_ambiguous_and_the_file_name_is_not(self) -> None:
        value = _value({"a.md": "foo", "b.md": "foo"})
        assert resolve_name(value, "foo").kind is TargetKind.AMBIGUOUS
        assert resolve_name(value, "a").keys == ("a.md",)

    def test_a_memory_with_the_same_name_and_stem_is_one_hit(self) -> None:
        assert resolve_name(_value({"foo.md": "foo"}), "foo").keys == ("foo.md",)

    def test_a_spelling_is_given_only_where_case_alone_differs(self) -> None:
        value = _value({"tide-tables.md": None})
        assert resolve_name(value, "Tide-Tables").spelling == "tide-tables"
        assert resolve_name(value, "tide_tables").spelling is None
        assert resolve_name(value, "tide-tables").spelling is None

    def test_md_at_the_end_may_be_there(self) -> None:
        value = _value({"tides.md": None, "x.md": "notes.md", "notes.md": None})
        assert resolve_name(value, "tides.md").keys == ("tides.md",)
        assert resolve_name(value, "notes.md").keys == ("x.md",)

    def test_other_dots_are_no_extension(self) -> None:
        value = _value({"v1.2 notes.md": None})
        assert resolve_name(value, "v1.2 notes").keys == ("v1.2 notes.md",)
        assert resolve_name(value, "v1").kind is _DEAD

    def test_a_title_may_hold_a_slash_or_a_colon(self) -> None:
        value = _value({"a.md": "CI/CD setup", "b.md": "Rule: tides first"})
        assert resolve_name(value, "CI/CD setup").keys == ("a.md",)
        assert resolve_name(value, "Rule: tides first").keys == ("b.md",)

    def test_an_address_is_elsewhere(self) -> None:
        value = _value({"a.md": None})
        assert resolve_name(value, "https://quay.example/a").kind is TargetKind.ELSEWHERE
        assert resolve_name(value, "mailto:desk@quay.example").kind is TargetKind.ELSEWHERE

    def test_memory_is_the_index_where_there_is_one(self) -> None:
        assert resolve_name(_value({}, index="# Index\n"), "MEMORY") == Target(TargetKind.INDEX, (INDEX_NAME,))
        assert resolve_name(_value({}, index="# Index\n"), "MEMORY.md").kind is TargetKind.INDEX
        assert resolve_name(_value({"a.md": None}), "MEMORY").kind is _DEAD

    def test_a_path_in_double_brackets_counts_from_the_directory(self) -> None:
        value = _value({"team/rota.md": "x", "a.md": None})
        assert resolve_name(value, "team/rota", "team/rota.md").keys == ("team/rota.md",)
        assert resolve_name(value, "team/gone").kind is _DEAD

    def test_a_file_that_is_no_memory_can_be_meant(self) -> None:
        value = directory_of({"README.md": "# Read me\n"})
        assert resolve_name(value, "README") == Target(TargetKind.FILE, ("README.md",))

    def test_no_name_is_the_document_itself(self) -> None:
        assert resolve_name(_value({"a.md": None}), "", "a.md").keys == ("a.md",)

    @pytest.mark.parametrize("text", ["[[role]]", "[[role|my role]]", "[[role#Why]]", "[[ role ]]", "[[role.md|x]]"])
    def test_every_form_of_double_brackets_means_the_same(self, text: str) -> None:
        assert _link(_value({"role.md": None}), text).keys == ("role.md",)


class TestPaths:
    def test_count_from_the_file_they_stand_in(self) -> None:
        value = _value({"rota.md": None, "team/rota.md": None})
        assert resolve_path(value, "a.md", "rota.md").keys == ("rota.md",)
        assert resolve_path(value, "team/a.md", "rota.md").keys == ("team/rota.md",)
        assert resolve_path(value, "team/a.md", "../rota.md").keys == ("rota.md",)
        assert resolve_path(value, "team/a.md", "./rota.md").keys == ("team/rota.md",)

    @pytest.mark.parametrize(
        "text", ["[t](my%20note.md)", "[t](<my note.md>)", "[t](my%20note)", "[t](my%20note.md 'T')"]
    )
    def test_may_be_encoded_or_in_angle_brackets(self, text: str) -> None:
        assert _link(_value({"my note.md": None}), text).keys == ("my note.md",)

    def test_are_paths_and_never_names_or_headings(self) -> None:
        value = directory_of({"SPEC.md": memory("x"), "b.md": memory("SPEC", body="## Spec\n")})
        assert _link(value, "[s](./SPEC.md)").keys == ("SPEC.md",)
        assert _link(_value({"a.md": "role"}), "[s](role.md)").kind is _DEAD

    def test_out_of_the_directory_are_not_ours_to_judge(self) -> None:
        value = _value({"a.md": None})
        for target in (
            "../CLAUDE.md",
            "../../docs/x.md",
            "~/notes.md",
            "/etc/hosts",
            "https://quay.example",
            "C:/a.md",
        ):
            assert resolve_path(value, "a.md", target).kind is TargetKind.ELSEWHERE, target

    def test_a_path_that_leaves_and_comes_back_is_followed(self) -> None:
        assert resolve_path(_value({"a.md": None}), "b.md", "../memory/a.md").keys == ("a.md",)

    def test_an_absolute_path_is_this_machines_or_counts_from_the_directory(self) -> None:
        value = _value({"team/a.md": None})
        assert resolve_path(value, "b.md", "/w/quay/memory/team/a.md").keys == ("team/a.md",)
        assert resolve_path(value, "b.md", "/team/a.md").keys == ("team/a.md",)
        assert resolve_path(value, "b.md", "/w/quay/memory/gone.md").kind is _DEAD

    def test_only_markdown_may_leave_out_its_ending(self) -> None:
        value = _value({"a.md": None}, files=("plan.png",))
        assert resolve_path(value, "b.md", "a").keys == ("a.md",)
        assert resolve_path(value, "b.md", "plan.png") == Target(TargetKind.FILE, ("plan.png",))
        assert resolve_path(value, "b.md", "plan").kind is _DEAD

    def test_a_directory_and_the_root_are_there(self) -> None:
        value = _value({"team/a.md": None})
        assert resolve_path(value, "b.md", "team/").kind is TargetKind.FILE
        assert resolve_path(value, "b.md", ".").kind is TargetKind.FILE
        assert resolve_path(value, "b.md", "crew/").kind is _DEAD

    def test_in_another_case_is_found_and_its_spelling_told(self) -> None:
        value = _value({"Note.md": None, "team/Rota.md": None})
        assert resolve_path(value, "b.md", "NOTE.md") == Target(TargetKind.MEMORY, ("Note.md",), "Note.md")
        assert resolve_path(value, "b.md", "note") == Target(TargetKind.MEMORY, ("Note.md",), "Note")

    def test_the_exact_spelling_wins_over_another_case(self) -> None:
        value = _value({"note.md": None, "Note.md": None})
        assert resolve_path(value, "b.md", "note.md") == Target(TargetKind.MEMORY, ("note.md",))

    def test_to_the_index_and_to_no_memory(self) -> None:
        value = directory_of({"README.md": "# R\n", INDEX_NAME: ""})
        assert resolve_path(value, "a.md", "MEMORY.md").kind is TargetKind.INDEX
        assert resolve_path(value, "a.md", "README.md").kind is TargetKind.FILE

    def test_a_reference_means_its_definition(self) -> None:
        value = _value({"a.md": None})
        document = MemoryDocument.parse("See [t][r].\n\n[r]: a.md#why\n")
        assert {resolve(value, "b.md", link).keys for link in document.body.links} == {("a.md",)}

    def test_an_empty_one_is_the_document_itself(self) -> None:
        assert resolve_path(_value({"a.md": None}), "a.md", "").keys == ("a.md",)

    def test_relative_to_the_directory(self) -> None:
        value = _value({"team/a.md": None})
        assert relative_key(value, "team/a.md", "..") == "."
        assert relative_key(value, "team/a.md", "../..") is None
        assert relative_key(value, "a.md", "team//a.md") == "team/a.md"
        assert relative_key(value, "a.md", "/elsewhere.md") is None


class TestHeadings:
    _TEXT = "# The tides\n\n## Why?\n\n## Why?\n\n## 停航 规则\n\n## `code` and *more*\n"

    @pytest.mark.parametrize(
        ("anchor", "expected"),
        [
            ("the-tides", 0),
            ("The tides", 0),
            ("why", 1),
            ("Why?", 1),
            ("why-1", 2),
            ("停航-规则", 3),
            ("停航 规则", 3),
            ("code-and-more", 4),
            ("wyh", None),
            ("why-2", None),
        ],
    )
    def test_are_found_by_slug_or_by_their_own_words(self, anchor: str, expected: int | None) -> None:
        headings = MemoryDocument.parse(self._TEXT).body.headings
        found = find_heading(headings, anchor)
        assert found == (None if expected is None else headings[expected])
