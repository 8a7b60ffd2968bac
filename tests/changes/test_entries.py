"""Memories come, change, go stale and go, and nothing else changes."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.changes.entries import Draft, clear, delete, mark_stale, write
from memory_ls.changes.plan import CannotChangeError, Plan
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.memory import MemoryDocument
from memory_ls.settings import Settings
from tests.changes.making import after
from tests.making import DEFAULTS, TODAY, codes_in, directory_of, memory

LISTED = {
    INDEX_NAME: "# Memory Index\n\n- [ferry](ferry.md) — Boats\n- [tide-tables](tide-tables.md) — Tides\n",
    "ferry.md": memory("ferry", "Boats", "project", "The ferry leaves at nine.\n"),
    "tide-tables.md": memory("tide-tables", "Tides", "reference", "See [[ferry]].\n"),
}


def written(
    texts: dict[str, str],
    name: str,
    kind: str | None = "project",
    description: str = "D",
    content: str = "C",
    **settings: str | int,
) -> dict[str, str]:
    plan = write(directory_of(texts), name, kind, description, content, settings=Settings(**settings), today=TODAY)  # type: ignore[arg-type]
    return after(texts, plan.changes)


def changed(before: dict[str, str], now: dict[str, str]) -> dict[str, str | None]:
    return {key: now.get(key) for key in sorted(before.keys() | now.keys()) if before.get(key) != now.get(key)}


# --- a new memory ------------------------------------------------------------------------------------


def test_the_first_memory_of_an_empty_directory_brings_the_index() -> None:
    assert written({}, "user-prefers-vim", "user", "用户偏好 vim 编辑器", "配置在 ~/.vimrc。") == {
        "user-prefers-vim.md": "---\nname: user-prefers-vim\ndescription: 用户偏好 vim 编辑器\nmetadata:\n  type: user\n"
        "  createdAt: 2026-08-10\n  updatedAt: 2026-08-10\n---\n\n配置在 ~/.vimrc。\n",
        INDEX_NAME: "# Memory Index\n\n- [user-prefers-vim](user-prefers-vim.md) — 用户偏好 vim 编辑器\n",
    }


def test_in_an_empty_directory_the_setting_decides() -> None:
    files = written({}, "No mocks", "feedback", "Use the database", "Why not.", dialect="flat")
    assert files["feedback_no_mocks.md"].startswith(
        "---\nname: No mocks\ndescription: Use the database\ntype: feedback\n---\n"
    )
    assert "- [No mocks](feedback_no_mocks.md) — Use the database\n" in files[INDEX_NAME]


def test_a_new_memory_is_listed_where_the_index_has_it() -> None:
    now = changed(LISTED, written(LISTED, "quay-log", description="Who came"))
    assert now[INDEX_NAME] == LISTED[INDEX_NAME].replace("- [tide", "- [quay-log](quay-log.md) — Who came\n- [tide")
    assert now["quay-log.md"] == "---\nname: quay-log\ndescription: Who came\nmetadata:\n  type: project\n---\n\nC\n"


def test_a_directory_with_memories_and_no_index_keeps_none() -> None:
    texts = {"ferry.md": LISTED["ferry.md"]}
    assert list(changed(texts, written(texts, "quay-log"))) == ["quay-log.md"]


TITLES = {f"user_{n}.md": memory(f"The {n}", kind="user", nested=False) for n in ("a", "b")}


@pytest.mark.parametrize(
    ("texts", "name", "kind", "key"),
    [
        (TITLES, "Quay log", "project", "project_quay_log.md"),
        ({f"user_the-{n}.md": memory(f"The {n}", kind="user", nested=False) for n in ("a", "b")}, "Quay log", "project",
         "project_quay-log.md"),
        ({f"feedback-{n}.md": memory(n, kind="feedback") for n in ("ab", "cd")}, "quay-log", "user", "user-quay-log.md"),
        ({f"feedback_{n}.md": memory(n, kind="feedback") for n in ("ab", "cd")}, "feedback_quay", "feedback", "feedback_quay.md"),
        ({f"{n}.md": memory(n) for n in ("a_b", "c_d")}, "quay-log", "user", "quay_log.md"),
        ({f"{n}.md": memory(n) for n in ("a-b", "c-d")}, "停航规则", "user", "停航规则.md"),
        ({f"{n}.md": memory(n) for n in ("a-b", "c-d")}, "The Quay Log", "user", "the-quay-log.md"),
        (TITLES, "停航/规则", "user", "user_停航_规则.md"),
        ({f"{n}.md": memory(n) for n in ("a-b", "c-d")} | {"Quay-Log.md": memory("other")}, "quay", "user", "quay.md"),
    ],
)  # fmt: skip
def test_the_file_is_called_as_its_neighbours_are(texts: dict[str, str], name: str, kind: str, key: str) -> None:
    assert list(changed(texts, written(texts, name, kind))) == [key]


def test_a_title_whose_file_is_taken_gets_a_number() -> None:
    texts = {
        "user_the_a.md": memory("Else", kind="user", nested=False),
        "user_b.md": memory("The b", kind="user", nested=False),
    }
    assert "user_quay_log.md" in written(texts, "Quay, log", "user")
    texts["user_quay_log.md"] = memory("Other", kind="user", nested=False)
    assert "user_quay_log_2.md" in written(texts, "Quay! log!", "user")


def test_a_new_memory_ends_its_lines_as_most_do() -> None:
    texts = {key: text.replace("\n", "\r\n") for key, text in LISTED.items()}
    now = changed(texts, written(texts, "quay-log", content="a\nb\r\nc"))
    assert all(not {"\n", "\r"} & set((text or "").replace("\r\n", "")) for text in now.values())


@pytest.mark.parametrize(
    ("name", "kind", "key"),
    [
        ("../x", "user", "name"), ("a/b", "user", "name"), ("", "user", "name"), (" ", "user", "name"),
        (".hidden", "user", "name"), ("CON", "user", "name"), ("a\nb", "user", "name"), ("x" * 300, "user", "name"),
        ("\ud800", "user", "name"), ("MEMORY", "user", "name"),
        ("fine", None, "type"), ("fine", "preference", "type"), ("fine", "", "type"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("texts", [{}, LISTED])
def test_an_unsafe_name_or_a_wrong_type_is_refused(
    texts: dict[str, str], name: str, kind: str | None, key: str
) -> None:
    with pytest.raises(CannotChangeError) as caught:
        written(texts, name, kind)
    assert caught.value.key == key


@pytest.mark.parametrize("sign", list('#|[]<>"*?:^`'))
def test_a_name_that_no_link_or_file_can_hold_is_refused_and_a_title_gets_another_file(sign: str) -> None:
    with pytest.raises(CannotChangeError, match=f"holds `{re.escape(sign)}`, which not every system and link can"):
        written(LISTED, f"a{sign}b", "user")
    files = written({"user_x.md": memory("X y", kind="user", nested=False)}, f"a{sign}b", "user")
    assert {"user_a_b.md", "user_ab.md"} & files.keys()


def test_a_secret_is_refused_and_not_repeated() -> None:
    secret = "ghp_" + "a8Kd92LmQx7Rz1Wv5Tb3Yc6Ne0Hf4Jg2Sp9U"
    for texts in ({}, LISTED):
        for name in ("quay-log", "ferry"):
            with pytest.raises(CannotChangeError) as caught:
                written(texts, name, content=f"The token is {secret}.")
            assert (caught.value.kind, caught.value.key) == ("secret", "content")
            assert secret[4:] not in str(caught.value)


def test_a_title_with_a_colon_reads_back() -> None:
    files = written({"user_x.md": memory("X y", kind="user", nested=False)}, "a: b #c", "user", '"Foo" bar: x')
    made = MemoryDocument.parse(files["user_a_b_c.md"])
    assert (made.name, made.description) == ("a: b #c", '"Foo" bar: x')


@pytest.mark.parametrize("kind", ["user", "feedback", "project", "reference"])
def test_nothing_is_wrong_with_a_new_memory(kind: str) -> None:
    content = "What.\n\n**Why:** so.\n\n**How to apply:** thus.\n"
    assert codes_in(written({}, "quay-log", kind, "Who came", content)) == {}
    assert codes_in(written(LISTED, "quay-log", kind, "Who came", content)) == {}


# --- an update ---------------------------------------------------------------------------------------

RICH = (
    "---\n# ours\nname: ferry\ndescription: \"Boats\" # short\nmetadata: \n  node_type: memory\n  type: project\n"
    "  status: stale\n  createdAt: 2026-01-02\n  modified: 2026-01-03\n  confidence: 0.9\ntags: [a, b]\n---\n\nOld.\n"
)  # fmt: skip


def test_an_update_keeps_what_it_is_not_about() -> None:
    texts = {**LISTED, "ferry.md": RICH}
    now = changed(texts, written(texts, "Ferry", None, "", "New.\n\nText."))
    assert now == {
        "ferry.md": RICH.replace("  status: stale\n", "")
        .replace("modified: 2026-01-03", "modified: 2026-08-10")
        .replace("Old.", "New.\n\nText.")
    }


def test_an_update_changes_type_and_description_where_they_are_given() -> None:
    now = changed(LISTED, written(LISTED, "ferry", "user", "Ships: big ones", ""))
    expected = (
        LISTED["ferry.md"].replace("description: Boats", 'description: "Ships: big ones"').replace("project", "user")
    )
    index = LISTED[INDEX_NAME].replace("Boats", "Ships: big ones")
    assert now == {"ferry.md": expected, INDEX_NAME: index}


def test_an_update_of_a_memory_without_frontmatter_adds_what_is_given() -> None:
    texts = {"ferry.md": "Old.\n"}
    assert written(texts, "ferry", None, "", "New.") == {"ferry.md": "New.\n"}
    assert written(texts, "ferry", "user", "Boats", "New.")["ferry.md"] == (
        "---\nname: ferry\ndescription: Boats\nmetadata:\n  type: user\n---\n\nNew.\n"
    )


def test_frontmatter_that_does_not_parse_is_not_written_into() -> None:
    texts = {"ferry.md": memory("ferry", "Boats: big", body="Old.\n")}
    with pytest.raises(CannotChangeError, match="mend it first"):
        written(texts, "ferry", None, "New description", "")
    plan = write(directory_of(texts), "ferry", None, "", "New.", settings=DEFAULTS, today=TODAY)
    assert after(texts, plan.changes) == {"ferry.md": texts["ferry.md"].replace("Old.", "New.")}
    assert "not valid YAML" in plan.warnings[0]


def test_a_name_that_may_mean_two_memories_is_refused_with_the_choices() -> None:
    texts = {"a/ferry.md": memory("ferry"), "b/ferry.md": memory("ferry")}
    with pytest.raises(CannotChangeError) as caught:
        written(texts, "ferry")
    assert (caught.value.kind, caught.value.choices) == ("ambiguous", ("a/ferry", "b/ferry"))


def test_an_update_that_changes_nothing_is_no_change() -> None:
    plan = write(
        directory_of(LISTED), "ferry", "project", "Boats", "The ferry leaves at nine.", settings=DEFAULTS, today=TODAY
    )
    assert plan.changes == ()


# --- several at once ---------------------------------------------------------------------------------


def drafted(texts: dict[str, str], *names: str, kind: str = "project") -> Plan:
    draft = Draft(directory_of(texts), DEFAULTS, TODAY)
    for number, name in enumerate(names, 1):
        draft.write(number, name, kind, f"About {name}", f"On {name}.")
    return draft.plan("Several")


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_several_new_entries_at_one_place_stand_in_order(end: str, eol: str) -> None:
    texts = {**LISTED, INDEX_NAME: (LISTED[INDEX_NAME].rstrip("\n") + end).replace("\n", eol)}
    plan = drafted(texts, "zoo", "quay", "yard", "port", "ferry")
    names = ["ferry", "port", "quay", "tide-tables", "yard", "zoo"]
    index = after(texts, plan.changes)[INDEX_NAME]
    assert [line.split("]")[0][3:] for line in index.splitlines()[2:]] == names
    assert index.endswith(eol) == bool(end)
    assert index.count("\n") == index.count(eol)
    only = after(texts, plan.changes, {2, 3})
    assert [line.split("]")[0][3:] for line in only[INDEX_NAME].splitlines()[2:]] == [
        "ferry",
        "quay",
        "tide-tables",
        "yard",
    ]
    assert "zoo.md" not in only


@pytest.mark.parametrize("index", [None, "", "# Memory Index\n", "# Memory Index", "Some prose.", "Some prose.\n\n"])
def test_several_new_entries_make_one_list(index: str | None) -> None:
    texts = {} if index is None else {INDEX_NAME: index}
    plan = drafted(texts, "quay", "port")
    both = after(texts, plan.changes)[INDEX_NAME]
    assert both.count("- [") == 2
    assert "\n\n- [" not in both.partition("- [")[2]
    assert both.startswith(index or "")
    for operation in plan.operations:
        assert after(texts, plan.changes, {operation})[INDEX_NAME].count("- [") == 1


def test_one_new_section_serves_all_that_need_it() -> None:
    index = "## User\n\n- [a](a.md)\n\n## Reference\n\n- [b](b.md)\n"
    texts = {INDEX_NAME: index, "a.md": memory("a", kind="user"), "b.md": memory("b", kind="reference")}
    draft = Draft(directory_of(texts), DEFAULTS, TODAY)
    for number, (name, kind) in enumerate(
        [("p", "project"), ("f", "feedback"), ("q", "project"), ("z", "reference")], 1
    ):
        draft.write(number, name, kind, "", "x")
    assert after(texts, draft.plan("x").changes)[INDEX_NAME] == (
        index + "- [z](z.md)\n\n## Feedback\n\n- [f](f.md)\n\n## Project\n\n- [p](p.md)\n- [q](q.md)\n"
    )


def test_two_operations_on_one_memory_are_refused() -> None:
    for names in (["ferry", "ferry"], ["quay", "quay"]):
        with pytest.raises(CannotChangeError, match="another operation"):
            drafted(LISTED, *names)


def test_a_name_that_is_taken_is_not_added_again() -> None:
    draft = Draft(directory_of(LISTED), DEFAULTS, TODAY)
    with pytest.raises(CannotChangeError) as caught:
        draft.add(1, "Ferry", "user", "", "x")
    assert (caught.value.kind, caught.value.choices) == ("exists", ("ferry",))


def test_names_that_fold_to_one_get_files_of_their_own() -> None:
    draft = Draft(directory_of({}), Settings(dialect="flat"), TODAY)
    draft.add(1, "Quay log", "user", "", "x")
    draft.add(2, "Quay: log", "user", "", "y")
    assert {"user_quay_log.md", "user_quay_log_2.md"} <= after({}, draft.plan("x").changes).keys()


# --- warnings ----------------------------------------------------------------------------------------


def test_an_entry_beyond_the_load_limit_is_told() -> None:
    settings = Settings(index_max_lines=4)
    plan = write(directory_of(LISTED), "zoo", "user", "", "x", settings=settings, today=TODAY)
    assert any("they never see the entry for `zoo`" in warning for warning in plan.warnings)
    plan = write(directory_of(LISTED), "abc", "user", "", "x", settings=settings, today=TODAY)
    assert len(plan.warnings) == 1
    assert "its end is never read" in plan.warnings[0]
    assert write(directory_of(LISTED), "abc", "user", "", "x", settings=DEFAULTS, today=TODAY).warnings == ()


def test_many_entries_beyond_the_load_limit_are_told_in_a_sentence() -> None:
    draft = Draft(directory_of(LISTED), Settings(index_max_lines=4), TODAY)
    for number in range(1, 13):
        draft.add(number, f"zoo-{number}", "user", "", "x")
    (warning,) = draft.plan("Add").warnings
    assert warning == (
        "`MEMORY.md` is longer than agents load (16 of 4 lines, 333 of 25,000 bytes): they never see the entries for "
        "12 new memories."
    )


def test_an_entry_behind_prose_is_told() -> None:
    plan = write(directory_of({INDEX_NAME: "Prose.\n"}), "zoo", "user", "", "x", settings=DEFAULTS, today=TODAY)
    assert any("has no list" in warning for warning in plan.warnings)
    plan = write(directory_of({INDEX_NAME: "```\ncode\n"}), "zoo", "user", "", "x", settings=DEFAULTS, today=TODAY)
    assert any("where no entry is read" in warning for warning in plan.warnings)


# --- delete, clear, stale ----------------------------------------------------------------------------


def test_a_memory_goes_with_its_entry_and_dead_links_are_told() -> None:
    plan = delete(directory_of(LISTED), "Ferry", settings=DEFAULTS, today=TODAY)
    expected = {**LISTED, INDEX_NAME: LISTED[INDEX_NAME].replace("- [ferry](ferry.md) — Boats\n", "")}
    del expected["ferry.md"]
    assert after(LISTED, plan.changes) == expected
    assert plan.warnings == ("Links to `ferry` go dead in tide-tables.md.",)
    assert plan.operations == (1,)


def test_a_memory_that_only_the_entry_of_another_mentioned_is_told() -> None:
    texts = {
        INDEX_NAME: "- [ferry](ferry.md) — Boats · [Tide](tide.md) — wet, see [Quay](quay.md)\n- [quay](quay.md)\n",
        **{f"{name}.md": memory(name) for name in ("ferry", "tide", "quay")},
    }
    plan = delete(directory_of(texts), "ferry", settings=DEFAULTS, today=TODAY)
    assert plan.warnings == ("`MEMORY.md` mentions `tide` no longer: it stood in an entry that goes.",)
    assert after(texts, plan.changes)[INDEX_NAME] == "- [quay](quay.md)\n"


def test_a_mention_in_prose_of_the_index_is_told() -> None:
    texts = {
        **LISTED,
        INDEX_NAME: f"{LISTED[INDEX_NAME]}\nFor boats, and for [ferries](ferry.md#times) too, see below.\n",
    }
    plan = delete(directory_of(texts), "ferry", settings=DEFAULTS, today=TODAY)
    assert "For boats, and for ferries too, see below." in after(texts, plan.changes)[INDEX_NAME]


def test_a_name_that_means_nothing_is_told_with_a_guess() -> None:
    with pytest.raises(CannotChangeError, match="Did you mean `tide-tables`") as caught:
        delete(directory_of(LISTED), "tide-table", settings=DEFAULTS, today=TODAY)
    assert caught.value.kind == "notFound"


def test_clear_leaves_headings_prose_and_other_files() -> None:
    texts = {
        **LISTED,
        INDEX_NAME: f"{LISTED[INDEX_NAME]}\n<!-- note -->\nProse.\n- [else](../x.md)\n",
        "README.md": "Read me.\n",
    }
    plan = clear(directory_of(texts), settings=DEFAULTS, today=TODAY)
    assert after(texts, plan.changes) == {
        INDEX_NAME: "# Memory Index\n\n\n<!-- note -->\nProse.\n- [else](../x.md)\n",
        "README.md": "Read me.\n",
    }
    assert plan.warnings == ()
    assert clear(directory_of({}), settings=DEFAULTS, today=TODAY).changes == ()


def test_stale_is_said_where_the_dialect_keeps_the_type() -> None:
    texts = {
        "a.md": memory("a", extra="  updatedAt: 2025-01-01\n"),
        "b.md": memory("b", nested=False, extra="updated: 2025-01-01\n"),
        "c.md": memory("c", extra="  updatedAt: 2026-08-01\n"),
        "d.md": memory("d", extra="  updatedAt: 2025-01-01\n  status: stale\n"),
        "e.md": memory("e", extra="  updatedAt: 2025-01-01\n  x: @y\n"),
    }
    plan = mark_stale(directory_of(texts), settings=DEFAULTS, today=TODAY)
    assert changed(texts, after(texts, plan.changes)) == {
        "a.md": texts["a.md"].replace("  type: project\n", "  type: project\n  status: stale\n"),
        "b.md": texts["b.md"].replace("type: project\n", "type: project\nstatus: stale\n"),
    }
    assert plan.operations == (1, 2)
    assert len(plan.warnings) == 1
    named = mark_stale(directory_of(texts), settings=DEFAULTS, today=TODAY, names=["c", "C"])
    assert list(changed(texts, after(texts, named.changes))) == ["c.md"]
    with pytest.raises(CannotChangeError):
        mark_stale(directory_of(texts), settings=DEFAULTS, today=TODAY, names=["e"])


# --- laws --------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    NAMES,
    st.sampled_from(["user", "feedback"]),
    TEXTS,
    TEXTS,
    st.sampled_from([{}, LISTED]),
    st.sampled_from(["nested", "flat"]),
)
@settings(deadline=None)
def test_what_was_written_is_read_back_and_deleting_it_gives_the_first_state(
    name: str, kind: str, description: str, content: str, texts: dict[str, str], dialect: str
) -> None:
    directory = directory_of(texts)
    if Draft(directory, DEFAULTS, TODAY).find(name) is not None:
        return
    try:
        files = written(texts, name, kind, description, content, dialect=dialect)
    except CannotChangeError:
        return
    (key,) = files.keys() - texts.keys() - {INDEX_NAME}
    made = MemoryDocument.parse(files[key])
    assert (made.name, made.type) == (name.strip(), kind)
    assert (made.description or "").split() == description.split()
    assert made.body_text.split() == content.split()
    draft = Draft(directory_of(files), DEFAULTS, date(2026, 8, 11))
    draft.delete(1, (key,))
    back = after(files, draft.plan("x").changes)
    assert back == (texts or {INDEX_NAME: "# Memory Index\n\n"})


@pytest.mark.parametrize(
    "index",
    [
        "# Index\n\n- [ferry](ferry.md) — Boats\n",
        "# Index\n\n12. [ferry](ferry.md) — Boats\n",
        "# Index\n\n| Memory | What |\n|---|---|\n| [ferry](ferry.md) | Boats, and more of them |\n",
    ],
)
@pytest.mark.parametrize("description", ["Where the boats lie " * 20, "甲" * 300, "a | b " + "boats " * 60])
def test_a_long_description_is_cut_in_the_index(index: str, description: str) -> None:
    now = written({INDEX_NAME: index, "ferry.md": memory("ferry")}, "quay-log", "user", description)
    line = next(line for line in now[INDEX_NAME].split("\n") if "quay-log" in line)
    assert 150 < len(line) <= 200
    assert "…" in line
    assert "index-line-long" not in codes_in(now).get(INDEX_NAME, ())
    assert description.strip() in now["quay-log.md"]


def test_a_line_of_the_index_that_the_settings_allow_is_whole() -> None:
    description = "Where the boats lie " * 20
    now = written(LISTED, "quay-log", "user", description, index_line_length=1000)
    assert description.strip() in now[INDEX_NAME]


def test_an_updated_description_is_told_in_the_index_where_that_had_the_old_one() -> None:
    long = "Boats of every kind, and where each of them lies when the tide is low, and who may take it out. " * 3
    for old, new in (("Boats", "Big boats"), (long, "Boats"), ("Boats", long), ("Boote, 船", "船 😀")):
        texts = {"ferry.md": memory("ferry", old), INDEX_NAME: "# Index\n\n- [tides](tides.md) — Boats\n"}
        listed = written(texts, "anchors", description=old, content="C")
        now = written(listed, "anchors", None, new, "")
        line = next(line for line in now[INDEX_NAME].split("\n") if "anchors" in line)
        assert line.startswith(f"- [anchors](anchors.md) — {new[:100].strip()}")
        assert len(line) <= 200
        assert now[INDEX_NAME].replace(line, "") == listed[INDEX_NAME].replace(
            next(line for line in listed[INDEX_NAME].split("\n") if "anchors" in line), ""
        )


@pytest.mark.parametrize("said", ["the boats", "Boats!", "", "Boats of Mara", "…"])
def test_what_somebody_wrote_of_it_in_the_index_stays(said: str) -> None:
    index = f"# Index\n\n- [ferry](ferry.md) — {said}\n"
    texts = {**LISTED, INDEX_NAME: index}
    now = written(texts, "ferry", None, "Big boats", "")
    assert now[INDEX_NAME] == index
