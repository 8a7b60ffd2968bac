"""Any operations that are planned together can be applied together and each by itself."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.entries import Draft
from memory_ls.changes.index_lines import entries_of
from memory_ls.changes.plan import CannotChangeError, changes_as_json
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from tests.changes.making import FILES, INDEXES, after
from tests.making import DEFAULTS, TODAY, directory_of

NEW = ("anchor", "quay-mile", "zebra", "潮汐")
ADDED = st.lists(
    st.sampled_from([(name, kind) for name in NEW for kind in ("user", "project")]), unique_by=lambda item: item[0]
)
OTHERS = st.lists(
    st.tuples(st.sampled_from(sorted(FILES)), st.sampled_from(["update", "stale", "delete"])),
    unique_by=lambda item: item[0],
)


@given(st.one_of(st.none(), INDEXES), ADDED, OTHERS, st.sets(st.integers(1, 9)))
@settings(deadline=None)
def test_any_part_of_a_plan_can_be_applied(
    index: str | None, added: list[tuple[str, str]], others: list[tuple[str, str]], only: set[int]
) -> None:
    texts = FILES if index is None else {**FILES, INDEX_NAME: index}
    draft = Draft(directory_of(texts), DEFAULTS, TODAY)
    done: dict[int, tuple[str, str]] = {}
    for number, (name, kind) in enumerate([*added, *others], 1):
        if name in NEW:
            draft.add(number, name, kind, f"On {name}", "New.")
            done[number] = (f"{name}.md", "add")
            continue
        done[number] = (name, kind)
        if kind == "update":
            draft.update(number, name, None, "", "New.")
        elif kind == "stale":
            draft.mark_stale(number, name)
        else:
            draft.delete(number, (name,))
    try:
        plan = draft.plan("All")
    except CannotChangeError:
        # Links that share a line can't go by operations of their own; nor can the only line end there is be shared.
        assert sum(kind == "delete" for _, kind in others) > (index or "").endswith("\n")
        return
    assert len(changes_as_json(plan.changes)) == len(plan.changes)
    for operations in (set(done), only & set(done)):
        now = after(texts, plan.changes, operations)
        listed = directory_of(now)
        for number, (key, kind) in done.items():
            if number not in operations:
                assert now.get(key) == texts.get(key)
            elif kind == "delete":
                assert key not in now
            elif kind == "stale":
                assert "  status: stale\n" in now[key]
            else:
                assert MemoryDocument.parse(now[key]).body_text.strip() == "New."
                assert kind != "add" or index is None or entries_of(listed, (key,))
        if index is not None and not any(done[number][1] == "delete" for number in operations):
            before, lines = (Counter(text.splitlines()) for text in (index, now[INDEX_NAME]))
            assert not before - lines
