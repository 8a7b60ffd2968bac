"""The memories as a part of a system prompt."""

from __future__ import annotations

import pytest

from memory_ls import chats
from memory_ls.agents.injection import injection
from memory_ls.settings import Settings
from tests.making import directory_of, memory

DIRECTORY = directory_of(
    {
        "MEMORY.md": "---\nkind: index\n---\n# Index\n\n- [ferry](ferry.md) — the boat\n- [tide](tide.md)\n",
        "ferry.md": memory("ferry", "The boat\n  and its crew"),
        "tide.md": memory("tide", None),
        "潮位.md": memory("潮位", "高"),
    }
)


def test_summaries_tell_names_and_descriptions_and_how_to_read_more() -> None:
    text = injection(DIRECTORY, Settings())
    assert text.startswith("# Persistent Memory\n\n")
    assert "\n## ferry\nThe boat and its crew\n\n## tide\n\n## 潮位\n高\n" in text
    assert "memory_read" in text.splitlines()[-1]


@pytest.mark.parametrize(("limit", "told"), [(0, 0), (1, 1), (3, 3), (None, 2)])
def test_there_are_at_most_so_many(limit: int | None, told: int) -> None:
    assert injection(DIRECTORY, Settings(max_injected=2), limit=limit).count("\n## ") == told


def test_nothing_is_said_where_nothing_is_known() -> None:
    assert injection(directory_of({}), Settings()) == ""
    assert injection(directory_of({}), Settings(injection="index")) == ""
    assert injection(directory_of({"MEMORY.md": "\n \n"}), Settings(), "index") == ""


def test_the_index_is_given_as_far_as_agents_load_it() -> None:
    text = injection(DIRECTORY, Settings(injection="index"))
    assert text.startswith("<memory>\n")
    assert text.endswith("- [tide](tide.md)\n</memory>\n")
    short = injection(DIRECTORY, Settings(index_max_lines=3), "index")
    assert "ferry.md" in short
    assert "tide.md" not in short


@pytest.mark.parametrize("form", ["summaries", "index"])
def test_what_is_injected_is_no_part_of_a_log(form: str) -> None:
    text = injection(DIRECTORY, Settings(), form)
    log = chats.from_messages(
        [{"role": "system", "content": f"You help.\n\n{text}"}, {"role": "user", "content": "Hello"}]
    )
    assert not any("ferry" in message.text for message in log.messages)
