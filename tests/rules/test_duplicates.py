"""The rule about memories that say nearly the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.duplicates import Twins, find, find_of
from memory_ls.rules.registry import Diagnostic
from tests.making import assert_found, directory_of, findings, memory

_LONG = "The night boat to the outer island leaves from berth four and takes no cars before Easter.\n"


def _pair(first: str, second: str) -> dict[str, str]:
    return {"a.md": memory("⟪a⟫", body=first), "b.md": memory("⟪b⟫", body=second)}


def _alike(value: MemoryDirectory) -> set[str]:
    return set(find(value))


class TestNearDuplicate:
    def test_is_told_on_both_with_the_other_as_related(self) -> None:
        texts = _pair(f"{_LONG}Mind the ramp.\n", f"{_LONG}Mind the ramps!\n")
        first = assert_found("near-duplicate", texts, "a.md", other="b.md")
        second = assert_found("near-duplicate", texts, "b.md", other="a.md")
        assert first.related[0][:2] == ("b.md", second.span)
        likeness = first.data["likeness"]
        assert isinstance(likeness, int)
        assert 90 <= likeness <= 100

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("停航时先通知码头值班人员，再通知乘客。\n", "停航时先通知码头值班人员，再通知乘客！\n"),
            ("야간 배는 사번 부두에서 출발한다. 차는 싣는다.\n", "야간 배는 사번 부두에서 출발한다. 차는 싣는다!\n"),
        ],
    )
    def test_in_other_scripts(self, first: str, second: str) -> None:
        assert_found("near-duplicate", _pair(first, second), "a.md")

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("The desk listens on port 8080.\n", "The desk listens on port 8081.\n"),
            (
                "Always run the harbour check before a release of any kind.\n",
                "Never run the harbour check before a release of any kind.\n",
            ),
            ("This is allowed in the harbour at night.\n", "This is not allowed in the harbour at night.\n"),
            ("停航时通知码头值班人员。\n", "停航时不通知码头值班人员。\n"),
        ],
    )
    def test_is_quiet_when_a_number_or_a_negation_differs(self, first: str, second: str) -> None:
        shared = f"{_LONG}\n"
        assert not findings("near-duplicate", _pair(shared + first, shared + second), "a.md")

    def test_is_quiet_about_a_shared_sentence_in_different_memories(self) -> None:
        texts = _pair(
            f"{_LONG}It is painted blue each spring by the crew.\n",
            f"{_LONG}Tickets are sold on board, in cash and by card.\n",
        )
        assert not findings("near-duplicate", texts, "a.md")

    def test_is_quiet_about_a_part_of_another(self) -> None:
        assert not findings("near-duplicate", _pair(_LONG, _LONG + "And much more besides. " * 10), "a.md")

    def test_is_quiet_about_empty_bodies(self) -> None:
        assert not findings(
            "near-duplicate", {"a.md": memory("a", "d", body="\n"), "b.md": memory("b", "d", body="\n")}, "a.md"
        )

    def test_is_quiet_about_what_is_only_alike_in_words_of_the_form(self) -> None:
        form = "**Why:** the harbour asks for it every single year.\n"
        texts = {f"{name}.md": memory(name, body=f"{form}{name * 20}\n") for name in ("ab", "cd", "ef")}
        assert _alike(directory_of(texts)) == set()

    def test_same_name_but_for_the_type_in_front_is_compared(self) -> None:
        texts = {
            "tides.md": memory("x", body="Ebb at six\nport side"),
            "user_tides.md": memory("y", body="Ebb at six\nport sides"),
        }
        assert _alike(directory_of(texts)) == {"tides.md", "user_tides.md"}

    def test_one_of_many_copies_is_not_told_a_hundred_times(self) -> None:
        texts = {f"n{number}.md": memory(f"n{number}", body=_LONG) for number in range(100)}
        assert all(len(found) <= 10 for found in find(directory_of(texts)).values())


_SENTENCES = tuple(f"Boat number {word} leaves from the old berth at noon.\n" for word in ("one", "two", "three"))
_BODIES = st.lists(st.sampled_from(_SENTENCES), min_size=1, max_size=4).map("".join)
_EDITS = st.tuples(
    st.sampled_from([f"{letter}.md" for letter in "abcdefghijkl"] + ["user_a.md"]),
    st.none() | st.tuples(_BODIES, st.booleans()),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_EDITS, min_size=1, max_size=25))
def test_twins_kept_up_edit_by_edit_find_what_a_look_at_all_finds(
    edits: list[tuple[str, tuple[str, bool] | None]],
) -> None:
    value = directory_of({})
    twins = Twins()
    found: dict[str, list[Diagnostic]] = {}
    for key, edit in edits:
        if edit is None:
            value = value.without(key)
        else:
            body, moved = edit
            value = value.with_document(
                key, memory(key[:-3], "same for all", body=body, extra="# x\n" if moved else "")
            )
        for touched in twins.put(key, value.documents.get(key)):
            found[touched] = find_of(value, twins, touched)
        assert {name: diagnostics for name, diagnostics in found.items() if diagnostics} == find(value)
