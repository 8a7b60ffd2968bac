"""Plans that are made anew for texts that have changed since."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_ls.changes.entries import Draft
from memory_ls.changes.plan import GROUND, Change, ChangeKind, Plan, combined
from memory_ls.changes.rebase import outdated, rebased, text_of
from memory_ls.directory.listed import is_listed
from memory_ls.documents.edits import Edit, applied
from memory_ls.documents.index import INDEX_NAME
from tests.changes.making import INDEXES, after
from tests.making import DEFAULTS, ROOT, TODAY, directory_of

FERRY = """---
name: ferry
description: The boat
metadata:
  type: project
  updatedAt: 2026-01-01
---

It leaves at six.

It takes bicycles.

The tide decides.
"""
INDEX = "# Index\n\n- [ferry](ferry.md) — The boat\n"
FILES = {"MEMORY.md": INDEX, "ferry.md": FERRY}


def adding(files: Mapping[str, str], *names: str) -> Plan:
    draft = Draft(directory_of(files), DEFAULTS, TODAY)
    for number, name in enumerate(names, 1):
        draft.add(number, name, "project", f"About {name}", "It is so.")
    return draft.plan(f"Add {', '.join(names)}")


def updating(files: Mapping[str, str], content: str, description: str = "") -> Plan:
    draft = Draft(directory_of(files), DEFAULTS, TODAY)
    draft.update(1, "ferry.md", None, description, content)
    return draft.plan("Update ferry")


def done(files: Mapping[str, str], plan: Plan) -> dict[str, str]:
    """The files after a plan that was made anew for them."""
    return after(files, rebased(plan, directory_of(files), DEFAULTS).changes)


def body_of(text: str) -> str:
    return text.partition("\n---\n\n")[2]


def is_left(plan: Plan, files: Mapping[str, str]) -> bool:
    """Whether nothing of the plan can be placed in these files."""
    anew = rebased(plan, directory_of(files), DEFAULTS)
    texts = {change.path: files.get(change.path) for change in anew.changes}
    return anew.changes == plan.changes and outdated(anew, texts) == plan.operations


class TestEntries:
    def test_two_plans_that_add_to_one_index_are_both_done(self) -> None:
        first, second = adding(FILES, "anchors"), adding(FILES, "zones", "buoys")
        expected = "# Index\n\n" + "".join(
            f"- [{name}]({name}.md) — {told}\n"
            for name, told in (
                ("anchors", "About anchors"),
                ("buoys", "About buoys"),
                ("ferry", "The boat"),
                ("zones", "About zones"),
            )
        )
        assert done(done(FILES, first), second)[INDEX_NAME] == expected
        assert done(done(FILES, second), first)[INDEX_NAME] == expected

    def test_the_first_memories_of_two_plans_share_the_index_that_one_of_them_makes(self) -> None:
        first, second = adding({}, "漢字"), adding({}, "日本")
        for plans in ((first, second), (second, first)):
            files = done(done({}, plans[0]), plans[1])
            assert files.keys() == {"MEMORY.md", "漢字.md", "日本.md"}
            assert files[INDEX_NAME].count("# Memory Index") == 1
            assert {"- [漢字](漢字.md) — About 漢字", "- [日本](日本.md) — About 日本"} <= set(
                files[INDEX_NAME].split("\n")
            )

    def test_an_index_that_was_written_anew_by_hand_gets_the_entry(self) -> None:
        plan = adding(FILES, "buoys")
        theirs = "Notizen\r\n\r\n* [ferry](ferry.md): anders\r\n\r\nEnde"
        assert done({**FILES, INDEX_NAME: theirs}, plan)[INDEX_NAME] == (
            "Notizen\r\n\r\n* [buoys](buoys.md): About buoys\r\n* [ferry](ferry.md): anders\r\n\r\nEnde"
        )

    def test_an_entry_that_somebody_wrote_meanwhile_is_not_doubled(self) -> None:
        plan = adding(FILES, "buoys")
        theirs = f"{INDEX}- [buoys](buoys.md): to come\n"
        files = done({**FILES, INDEX_NAME: theirs}, plan)
        assert (files[INDEX_NAME], "buoys.md" in files) == (theirs, True)

    def test_a_part_of_the_operations_can_be_left_out(self) -> None:
        plan = adding(FILES, "anchors", "buoys", "zones")
        theirs = {**FILES, INDEX_NAME: f"{INDEX}Mine.\n"}
        anew = rebased(plan, directory_of(theirs), DEFAULTS)
        files = after(theirs, anew.changes, {1, 3})
        assert "buoys" not in files[INDEX_NAME]
        assert anew.operations == plan.operations
        assert "Mine.\n" in files[INDEX_NAME]

    def test_a_plan_for_the_texts_that_are_there_stays_as_it_is(self) -> None:
        plan = adding(FILES, "buoys")
        assert rebased(plan, directory_of(FILES), DEFAULTS) == plan

    def test_an_index_that_is_gone_stays_gone(self) -> None:
        plan = adding(FILES, "buoys")
        assert done({"ferry.md": FERRY}, plan).keys() == {"ferry.md", "buoys.md"}

    @settings(deadline=None)
    @given(INDEXES, INDEXES, st.permutations(["anchors", "buoys", "zones", "潮位"]), st.integers(0, 4))
    def test_whoever_is_first_both_are_listed_and_what_was_written_by_hand_stays(
        self, index: str, theirs: str, names: list[str], cut: int
    ) -> None:
        files = {INDEX_NAME: index, "ferry.md": FERRY}
        first, second = adding(files, *names[:cut]), adding(files, *names[cut:])
        by_hand = {**done(files, first), INDEX_NAME: theirs}
        for plan in (first, second):
            anew = rebased(plan, directory_of(by_hand), DEFAULTS)
            for change in combined(anew.changes):
                assert change.before is None or change.before == by_hand.get(change.path)
        anew = rebased(second, directory_of(by_hand), DEFAULTS)
        edits = [edit for change in anew.changes if change.path == INDEX_NAME for edit in change.edits]
        assert all(edit.start == edit.end for edit in edits)
        result = after(by_hand, anew.changes)
        assert set(result) == {INDEX_NAME, "ferry.md", *(f"{name}.md" for name in names)}
        read = directory_of(result)
        warned = " ".join(anew.warnings)
        for name in names[cut:]:
            assert is_listed(read, f"{name}.md") or f"The entry for `{name}`" in warned

    @settings(deadline=None)
    @given(INDEXES, st.booleans(), st.integers(0, 30), st.sampled_from(["Mine.\n", "- mine\r\n", "\n", "漢字😀\n"]))
    def test_both_memories_come_in_either_order_and_what_was_put_in_between_stays(
        self, index: str, is_turned: bool, at: int, mine: str
    ) -> None:
        files = {INDEX_NAME: index, "ferry.md": FERRY}
        plans = [adding(files, "anchors"), adding(files, "zones")]
        first, second = reversed(plans) if is_turned else plans
        now = done(files, first)
        lines = re.findall(r"[^\n]*\n", now[INDEX_NAME])
        at %= len(lines) + 1
        by_hand = "".join([*lines[:at], mine]) + now[INDEX_NAME][len("".join(lines[:at])) :]
        anew = rebased(second, directory_of({**now, INDEX_NAME: by_hand}), DEFAULTS)
        edits = [edit for change in anew.changes if change.path == INDEX_NAME for edit in change.edits]
        assert edits
        assert all(edit.start == edit.end for edit in edits)  # so each byte of it is still there
        result = after({**now, INDEX_NAME: by_hand}, anew.changes)
        for plan in plans:
            (made,) = (change for change in combined(plan.changes) if change.path != INDEX_NAME)
            assert result[made.path] == made.after
            assert f"]({made.path})" in result[INDEX_NAME] or f"[[{made.path[:-3]}]]" in result[INDEX_NAME]


class TestOtherEdits:
    def test_lines_that_still_stand_are_changed_and_those_of_others_stay(self) -> None:
        plan = updating(FILES, body_of(FERRY).replace("six", "seven"), "The big boat")
        theirs = FERRY.replace("It takes bicycles.", "It takes no bicycles.") + "\nMine.\n"
        files = done({**FILES, "ferry.md": theirs}, plan)
        assert files["ferry.md"] == theirs.replace("six", "seven").replace("The boat", "The big boat").replace(
            "2026-01-01", TODAY.isoformat()
        )

    def test_two_updates_of_one_memory_are_both_done_where_they_change_other_lines(self) -> None:
        first = updating(FILES, body_of(FERRY).replace("six", "seven"))
        second = updating(FILES, body_of(FERRY).replace("The tide", "The wind"))
        expected = FERRY.replace("six", "seven").replace("The tide", "The wind").replace("2026-01-01", "2026-08-10")
        assert done(done(FILES, first), second)["ferry.md"] == expected
        assert done(done(FILES, second), first)["ferry.md"] == expected

    @pytest.mark.parametrize(
        "theirs",
        [
            FERRY.replace("six", "eight"),
            FERRY.replace("It leaves at six.\n\n", ""),
            f"{FERRY}\nIt leaves at six.\n",
            FERRY.replace("\n", "\r\n"),
            FERRY.replace("2026-01-01", "2026-02-02"),
            "",
        ],
        ids=["other words", "gone", "twice", "other line ends", "another day", "empty"],
    )
    def test_what_has_no_sure_place_is_left(self, theirs: str) -> None:
        plan = updating(FILES, body_of(FERRY).replace("six", "seven"))
        assert is_left(plan, {**FILES, "ferry.md": theirs})

    def test_what_is_gone_is_left(self) -> None:
        assert is_left(updating(FILES, "All new."), {INDEX_NAME: INDEX})

    def test_lines_are_put_in_only_between_those_that_they_stood_between(self) -> None:
        text = FERRY.replace("\n", "\r\n")
        files = {**FILES, "ferry.md": text}
        plan = updating(files, body_of(FERRY).replace("bicycles.", "bicycles.\n\nAnd dogs."))
        top = text.replace("It leaves at six.", "It leaves at six.\r\nOr so.")
        assert done({**files, "ferry.md": top}, plan)["ferry.md"].endswith(
            "six.\r\nOr so.\r\n\r\nIt takes bicycles.\r\n\r\nAnd dogs.\r\n\r\nThe tide decides.\r\n"
        )
        assert is_left(plan, {**files, "ferry.md": text.replace("It takes bicycles.\r\n", "")})

    def test_an_update_is_left_where_it_would_make_the_frontmatter_mean_something_else(self) -> None:
        plan = updating(FILES, "", "The big boat")
        theirs = FERRY.replace("description: The boat\n", "note: |\n  x\ndescription: The boat\n  of Mara\n")
        assert is_left(plan, {**FILES, "ferry.md": theirs})

    def test_of_two_operations_the_one_that_has_a_place_gets_it(self) -> None:
        draft = Draft(directory_of(FILES), DEFAULTS, TODAY)
        draft.add(1, "buoys", "project", "About buoys", "It is so.")
        draft.update(2, "ferry.md", None, "", "All new.")
        plan = draft.plan("Both")
        files = {INDEX_NAME: f"{INDEX}Mine.\n", "ferry.md": FERRY.replace("six", "eight")}
        anew = rebased(plan, directory_of(files), DEFAULTS)
        texts = {change.path: text_of(directory_of(files), change.path) for change in anew.changes}
        assert outdated(anew, texts) == (2,)
        assert set(after(files, anew.changes, {1})) == {INDEX_NAME, "ferry.md", "buoys.md"}

    def test_other_edits_of_the_index_move_with_their_lines(self) -> None:
        index = f"{INDEX}- [x](gone.md)\n"
        at = index.index("- [x]")
        change = Change(1, INDEX_NAME, ChangeKind.EDIT, index, (Edit(at, len(index), ""),))
        plan = Plan(ROOT, "Repair", (change,))
        files = {INDEX_NAME: f"Top.\n{index}Mine.\n", "ferry.md": FERRY}
        assert done(files, plan)[INDEX_NAME] == f"Top.\n{INDEX}Mine.\n"
        assert is_left(plan, {INDEX_NAME: f"{index}- [x](gone.md)\n", "ferry.md": FERRY})

    @settings(deadline=None)
    @given(st.lists(st.sampled_from(["a\n", "b\n", "\n", "c\r\n"]), max_size=6), st.sampled_from(["", "d"]), st.data())
    def test_no_line_of_others_is_lost(self, lines: list[str], last: str, data: st.DataObject) -> None:
        """Whatever was put in by others between lines is still there, whole and in order."""
        before = "".join([*lines, last])
        start = data.draw(st.integers(0, len(before)))
        end = data.draw(st.integers(start, len(before)))
        edit = Edit(start, end, data.draw(st.sampled_from(["", "X\n", "Y"])))
        at = data.draw(st.integers(0, len(lines)))
        theirs = "".join([*lines[:at], "THEIRS\n", *lines[at:], last])
        plan = Plan(ROOT, "", (Change(1, "a.md", ChangeKind.EDIT, before, (edit,)),))
        anew = rebased(plan, directory_of({"a.md": theirs}), DEFAULTS)
        assume(anew.changes != plan.changes)
        result = applied(theirs, anew.changes[0].edits)
        assert result.count("THEIRS\n") == 1
        assert result.replace("THEIRS\n", "") == applied(before, (edit,))


def test_what_entries_stand_on_counts_for_each_of_them_and_for_no_other_operation() -> None:
    create = Change(GROUND, INDEX_NAME, ChangeKind.CREATE, None, (Edit(0, 0, "# Index\n"),))
    entry = Change(2, INDEX_NAME, ChangeKind.EDIT, None, (Edit(0, 0, "- [a](a.md)\n"),))
    files = [
        Change(number, f"{name}.md", ChangeKind.CREATE, None, (Edit(0, 0, "x"),))
        for number, name in ((2, "a"), (3, "b"))
    ]
    plan = Plan(ROOT, "", (create, entry, *files))
    assert outdated(plan, {INDEX_NAME: INDEX, "a.md": None, "b.md": None}) == (2,)


@pytest.mark.parametrize("description", ["", "The big boat"])
def test_an_update_does_not_wait_for_what_an_entry_beside_it_stood_on(description: str) -> None:
    files = {INDEX_NAME: "# Index\n\nSee [ferry](ferry.md), The boat.", "ferry.md": FERRY}
    draft = Draft(directory_of(files), DEFAULTS, TODAY)
    draft.add(1, "anchors", "project", "About anchors", "It is so.")
    draft.update(2, "ferry.md", None, description, "It leaves at seven.")
    plan = draft.plan("")
    assert GROUND in {change.operation for change in plan.changes}
    first = [change for change in plan.changes if change.operation in (GROUND, 1)]
    now = after(files, first)
    left = Plan(ROOT, "", tuple(change for change in plan.changes if change.operation in (GROUND, 2)))
    anew = rebased(left, directory_of(now), DEFAULTS)
    assert outdated(anew, {change.path: now.get(change.path) for change in anew.changes}) == ()
    assert {change.operation for change in anew.changes} == {2}
    assert after(now, anew.changes)[INDEX_NAME] == now[INDEX_NAME]


def test_an_update_is_done_also_where_somebody_has_put_the_entry_in_other_words() -> None:
    plan = updating(FILES, body_of(FERRY).replace("six", "seven"), "The big boat")
    assert done(FILES, plan)[INDEX_NAME] == INDEX.replace("The boat", "The big boat")
    assert done({**FILES, INDEX_NAME: f"Top.\n{INDEX}"}, plan)[INDEX_NAME] == f"Top.\n{INDEX}".replace("The", "The big")
    theirs = INDEX.replace("The boat", "Ours")
    files = done({**FILES, INDEX_NAME: theirs}, plan)
    assert files[INDEX_NAME] == theirs
    assert "seven" in files["ferry.md"]
