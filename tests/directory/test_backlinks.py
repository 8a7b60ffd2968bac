"""The links of a directory, followed backwards."""

from __future__ import annotations

import pytest

from memory_ls.directory import backlinks
from memory_ls.directory.backlinks import (
    Backlink,
    Point,
    count_linking,
    find_heading_at,
    heading_point,
    linking_memories,
    links_by_heading,
    links_to,
    links_to_points,
    only_to_points,
    points_of,
)
from memory_ls.directory.snapshot import MemoryDirectory
from tests.making import directory_of, memory

TEXTS = {
    "ferry.md": memory(
        "ferry", "The boat", body="[[ferry]] [[#Why 漢]]\n\n## Why 漢\n\nTides.\n\n## Why 漢\n\n## Other\n"
    ),
    "user_role.md": memory("user_role", "Who", body="[[FERRY|the boat]] and [x][one]\n\n[one]: ferry.md#why-漢\n"),
    "one.md": memory("same-name", "One", body="[[same-name]] `[[ferry]]` [[gone]]\n"),
    "two.md": memory("same-name", "Two", body="![[ferry]] [[role]] [x](gone.md) [y](<Gone.md>)\n"),
    "team/rota.md": memory("rota", "Who works", body="[up](../ferry.md#why-漢-1) [r](../README.md) [g](../gone)\n"),
    "README.md": "# Readme\n",
    "MEMORY.md": "# Index\n\n- [ferry](ferry.md) — the boat\n- `user_role.md` — who\n- [[team/rota]]\n- [[#Index]] [[gone]]\n",
}


@pytest.fixture
def directory() -> MemoryDirectory:
    return directory_of(TEXTS)


def shown(directory: MemoryDirectory, found: list[Backlink]) -> list[str]:
    """Each link as it is written, behind its document."""
    texts = {key: document.source.text for key, document in directory.documents.items()}
    texts["MEMORY.md"] = directory.index.source.text if directory.index else ""
    return [f"{place.source}: {place.link.span.of(texts[place.source])}" for place in found]


def test_links_of_every_kind_lead_to_a_memory(directory: MemoryDirectory) -> None:
    assert shown(directory, links_to(directory, "ferry.md")) == [
        "MEMORY.md: [ferry](ferry.md)",
        "ferry.md: [[ferry]]",
        "team/rota.md: [up](../ferry.md#why-漢-1)",
        "two.md: ![[ferry]]",
        "user_role.md: [[FERRY|the boat]]",
        "user_role.md: [x][one]",
        "user_role.md: [one]: ferry.md#why-漢",
    ]


def test_a_name_without_its_type_and_a_file_name_in_backticks_count(directory: MemoryDirectory) -> None:
    assert shown(directory, links_to(directory, "user_role.md")) == ["MEMORY.md: `user_role.md`", "two.md: [[role]]"]


def test_an_ambiguous_link_leads_to_all_it_may_mean(directory: MemoryDirectory) -> None:
    for key in ("one.md", "two.md"):
        assert shown(directory, links_to(directory, key)) == ["one.md: [[same-name]]"]


def test_the_index_and_files_that_are_no_memories_are_linked_too(directory: MemoryDirectory) -> None:
    texts = {**TEXTS, "x.md": memory("x", body="[[MEMORY]] [m](MEMORY.md#index)\n")}
    directory = directory_of(texts)
    assert shown(directory, links_to(directory, "MEMORY.md")) == ["x.md: [[MEMORY]]", "x.md: [m](MEMORY.md#index)"]
    assert shown(directory, links_to(directory, "README.md")) == ["team/rota.md: [r](../README.md)"]


def test_links_to_a_heading_count_repeated_ones_apart(directory: MemoryDirectory) -> None:
    first, second, other = directory.documents["ferry.md"].headings
    assert shown(directory, links_to_points(directory, [heading_point(directory, "ferry.md", first)])) == [
        "ferry.md: [[#Why 漢]]",
        "user_role.md: [x][one]",
        "user_role.md: [one]: ferry.md#why-漢",
    ]
    assert shown(directory, links_to_points(directory, [heading_point(directory, "ferry.md", second)])) == [
        "team/rota.md: [up](../ferry.md#why-漢-1)"
    ]
    assert links_to_points(directory, [heading_point(directory, "ferry.md", other)]) == []
    assert {slug: len(links) for slug, links in links_by_heading(directory, "ferry.md").items()} == {
        "why-漢": 3,
        "why-漢-1": 1,
    }


def test_a_heading_of_the_index(directory: MemoryDirectory) -> None:
    assert directory.index is not None
    assert shown(
        directory, links_to_points(directory, [heading_point(directory, "MEMORY.md", directory.index.headings[0])])
    ) == ["MEMORY.md: [[#Index]]"]


def test_a_point_and_its_heading_find_each_other(directory: MemoryDirectory) -> None:
    for heading in directory.documents["ferry.md"].headings:
        assert find_heading_at(directory, heading_point(directory, "ferry.md", heading)) == heading
    assert find_heading_at(directory, Point("ferry.md", "nowhere")) is None
    assert find_heading_at(directory, Point("nowhere.md", "why")) is None


def test_dead_links_that_one_new_memory_would_mend_share_their_point(directory: MemoryDirectory) -> None:
    links = directory.documents["one.md"].body.links
    points = points_of(directory, "one.md", links[-1], with_anchor=True)
    assert points == (Point("gone", is_dead=True),)
    assert shown(directory, links_to_points(directory, points)) == [
        "MEMORY.md: [[gone]]",
        "one.md: [[gone]]",
        "team/rota.md: [g](../gone)",
        "two.md: [x](gone.md)",
        "two.md: [y](<Gone.md>)",
    ]
    places = [Backlink("one.md", link) for link in links]
    assert shown(directory, only_to_points(directory, places, points)) == ["one.md: [[gone]]"]


def test_a_link_that_leads_out_has_no_point() -> None:
    directory = directory_of({"a.md": memory("a", body="[w](https://quay.example) [u](../../up.md) [t](team/)\n")})
    for link in directory.documents["a.md"].body.links[:2]:
        assert points_of(directory, "a.md", link, with_anchor=True) == ()


def test_the_memories_that_link_are_told_without_the_memory_itself(directory: MemoryDirectory) -> None:
    assert linking_memories(directory, "ferry.md") == ["team/rota.md", "two.md", "user_role.md"]
    assert count_linking(directory, "ferry.md") == 3
    assert count_linking(directory, "README.md") == 1


def test_many_are_counted_by_the_table(directory: MemoryDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlinks, "_MANY", 3)
    assert count_linking(directory, "ferry.md") == 4  # one of them in code


def test_only_memories_that_may_hold_such_a_link_are_parsed() -> None:
    directory = directory_of({**TEXTS, **{f"m{n}.md": memory(f"m{n}", body="[[role]]\n") for n in range(50)}})
    links_to(directory, "ferry.md")
    assert [key for key, document in directory.documents.items() if "body" in vars(document) and key[0] == "m"] == []
