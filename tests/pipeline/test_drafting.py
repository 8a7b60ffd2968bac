"""Whatever was decided, each candidate has one decision, and the plan does what the decisions say."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from memory_ls.changes.plan import combined
from memory_ls.documents.index import INDEX_NAME
from memory_ls.pipeline.drafting import Judgement, drafted, memories_of
from memory_ls.pipeline.values import Action, Candidate, Operation
from memory_ls.settings import Settings
from tests.making import directory_of, memory

TODAY = date(2026, 11, 30)
DIRECTORY = directory_of(
    {
        "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — the boat\n",
        "ferry.md": memory("ferry", "The boat", body="It leaves at six.\n"),
        "user_role.md": memory("user_role", "A role", kind="user"),
        "bare.md": "No frontmatter here.\n",
        "broken.md": "---\nname: broken\ntype: [\n---\n\nText.\n",
        "one/twin.md": memory("twin", "One"),
        "two/twin.md": memory("twin", "Another"),
    }
)
NAMES = st.sampled_from(
    [
        "ferry",
        "Ferry",
        "role",
        "bare",
        "broken",
        "twin",
        "new",
        "New",
        "潮位",
        "../up",
        "MEMORY",
        "",
        "a b",
        "x" * 300,
        "con",
    ]
)
SECRET = "ghp_" + "9fK2mQ7xWv4TzB8nRc1LpYd6HsJ3aGeU5kXo"
TEXTS = st.sampled_from(
    ["It leaves at six.", "It leaves at seven.", "高\r\n低", "", " ", "---\nname: x\n---", SECRET, "# T\n\n- [[ferry]]"]
)
ENTRIES = st.builds(
    Candidate,
    st.sampled_from(["user", "feedback", "project", "reference"]),
    NAMES,
    TEXTS,
    TEXTS,
    st.just(()),
    st.none(),
)
DECIDED = st.tuples(st.sampled_from(Action), st.none() | NAMES, st.none() | ENTRIES)


@given(st.lists(DECIDED, max_size=7))
def test_each_candidate_has_one_decision_that_the_plan_carries_out(
    decided: list[tuple[Action, str | None, Candidate | None]],
) -> None:
    candidates = tuple(Candidate("user", f"c{number}", "", "Text.") for number in range(len(decided)))
    operations = tuple(Operation(number, *each) for number, each in enumerate(decided, 1))
    made = drafted(Judgement(candidates, operations, DIRECTORY), DIRECTORY, Settings(), TODAY)
    assert [each.candidate for each in made.decisions] == list(range(1, len(decided) + 1))
    done = {each.operation for each in made.decisions if each.operation is not None}
    assert done == set(made.plan.operations)
    for each in made.decisions:
        assert (each.action is Action.SKIP) == (each.operation is None)
        assert each.reason or each.action is not Action.SKIP or not operations[each.candidate - 1].reason
    files = {change.path: change for change in combined(made.plan.changes)}
    assert SECRET not in "".join(change.after or "" for change in files.values())
    added = {each.name for each in made.decisions if each.action is Action.ADD}
    assert len(added) == sum(change.before is None and path != INDEX_NAME for path, change in files.items())


@given(st.lists(DECIDED, min_size=1, max_size=5))
def test_what_is_left_out_of_a_plan_takes_nothing_else_with_it(
    decided: list[tuple[Action, str | None, Candidate | None]],
) -> None:
    candidates = tuple(Candidate("user", f"c{number}", "", "Text.") for number in range(len(decided)))
    operations = tuple(Operation(number, *each) for number, each in enumerate(decided, 1))
    plan = drafted(Judgement(candidates, operations, DIRECTORY), DIRECTORY, Settings(), TODAY).plan
    for number in plan.operations:
        paths = {change.path for change in combined(plan.changes, [number])}
        assert paths <= {change.path for change in combined(plan.changes)}
        assert paths - {INDEX_NAME}


def test_memories_are_read_in_full() -> None:
    by_name = {each.name: each for each in memories_of(DIRECTORY)}
    assert by_name["ferry"].content == "It leaves at six."
    assert (by_name["bare"].description, by_name["bare"].type) == ("", None)
    assert len(memories_of(DIRECTORY)) == len(DIRECTORY.documents)
