"""Commands over the protocol: what they answer, and what they say of what they can't do."""

from __future__ import annotations

import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory_ls import __version__
from memory_ls.server.commands import COMMANDS
from tests.making import memory, write_files
from tests.server.client import CLIENTS, Client, uri
from tests.server.commands.asking import refused, run
from tests.server.conftest import Start

# ---- status


def test_status_tells_what_is_held(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    shared.wait_for_code(root / "team/user_rota.md", "link-dead")
    shared.wait_for_code(root / "Buoy.md", "memory-not-indexed")
    status = run(shared, "status", {})
    assert (status["version"], status["trusted"], status["provider"]) == (__version__, True, "offline")
    assert status["configured"] == ["offline"]
    assert (status["work"], status["pendingPlans"]) == ([], [])
    [one, two] = status["directories"]
    assert (one["path"], two["path"]) == (str(root), str(work / "two/notes"))
    assert (one["memories"], two["memories"]) == (3, 1)
    assert one["index"] == {"lines": 3, "maxLines": 200, "bytes": 28, "maxBytes": 25000}
    shown = [
        item
        for name, each in shared.all_published().items()
        if name.startswith(uri(root))
        for item in each["diagnostics"]
    ]
    words = dict(enumerate(("error", "warning", "information", "hint"), 1))
    counted = {word: sum(words[item["severity"]] == word for item in shown) for word in words.values()}
    assert one["findings"] == counted
    assert counted["warning"] >= 2


def test_status_answers_while_directories_are_read(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "memory", {f"n{number:04}.md": memory(f"n{number:04}") for number in range(3000)})
    write_files(root, {"MEMORY.md": "# I\n"})
    client = start()
    client.initialize("neovim", root)
    seen = [run(client, "status")]
    while not seen[-1]["directories"] or any(each["reading"] for each in seen[-1]["directories"]):
        seen.append(run(client, "status"))
    reading = [status for status in seen if status["work"]]
    assert reading
    for status in reading:
        assert status["work"] == ["reading"]
        assert [(each["reading"], each["memories"]) for each in status["directories"]] == [(True, 0)]
    assert [(each["reading"], each["memories"]) for each in seen[-1]["directories"]] == [(False, 3000)]


@pytest.mark.parametrize("arguments", [[], [None], [{}], [{"directory": None}]])
def test_a_command_that_needs_nothing_may_be_given_nothing(shared: Client, work: Path, arguments: list[Any]) -> None:
    assert len(run(shared, "list", *arguments)) == 4


@pytest.mark.parametrize("name", CLIENTS)
def test_every_client_is_offered_all_commands(start: Start, name: str) -> None:
    client = start()
    offered = client.initialize(name)["capabilities"]["executeCommandProvider"]
    assert offered == {"commands": list(COMMANDS), "workDoneProgress": True}
    assert all(command.startswith("memoryLs.") for command in offered["commands"])
    assert run(client, "status")["directories"] == []


# ---- list and read


def test_list_tells_all_memories_by_name(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    found = run(shared, "list", {"directory": str(root)})
    assert [item["name"] for item in found] == ["Buoy", "ferry", "停航"]
    assert found[1] == {
        "name": "ferry",
        "description": "The boat",
        "type": "reference",
        "path": "ferry.md",
        "directory": str(root),
        "uri": uri(root / "ferry.md"),
        "updated": None,
        "stale": False,
    }
    assert found[2]["path"] == "team/user_rota.md"
    assert [item["directory"] for item in run(shared, "list")] == [str(root)] * 3 + [str(work / "two/notes")]


def test_list_tells_the_day_of_the_last_change_and_what_is_stale(shared: Client, work: Path) -> None:
    recent = (date.today() - timedelta(days=3)).isoformat()
    root = write_files(
        work / "three/memory",
        {
            "MEMORY.md": "# Index\n",
            "a.md": f"---\nname: a\ndescription: 新\nupdated: {recent}\n---\n\nX.\n",
            "b.md": "---\nname: b\ndescription: alt\ncreated: 2020-02-03\n---\n\nX.\n",
            "c.md": f"---\nname: c\ndescription: d\nupdated: {recent}\nstatus: stale\n---\n\nX.\n",
        },
    )
    shared.change_folders(added=[work / "three"])
    try:
        found = run(shared, "list", {"directory": str(root)})
        told = [(each["name"], each["updated"], each["stale"]) for each in found]
        assert told == [("a", recent, False), ("b", "2020-02-03", True), ("c", recent, True)]
    finally:
        shared.change_folders(removed=[work / "three"])


# ---- check


@pytest.mark.parametrize("name", CLIENTS)
def test_check_tells_what_is_found_also_where_only_open_files_are_told_of(
    start: Start, tmp_path: Path, name: str
) -> None:
    before = "Mia sagt: 😀 é [["
    texts = {
        "MEMORY.md": "- [ferry](ferry.md)\n- [buoy](buoy.md)\n",
        "buoy.md": memory("buoy", "灯", body=f"{before}nobody]]\n"),
        "ferry.md": memory("ferry", "The boat"),
    }
    root = write_files(tmp_path / "memory", texts)
    client = start()
    encoding = client.initialize(name, root, options={"diagnosticScope": "open"})["capabilities"]["positionEncoding"]
    [checked] = run(client, "check")
    assert (checked["directory"], checked["memories"]) == (str(root), 2)
    [dead] = [each for each in checked["findings"] if each["code"] == "link-dead"]
    line = texts["buoy.md"].split("\n").index(f"{before}nobody]]")
    width = int(encoding.removeprefix("utf-")) // 8
    start_at = len(before.encode(f"{encoding}{'-le' if width > 1 else ''}")) // width
    assert dead["range"] == {
        "start": {"line": line, "character": start_at},
        "end": {"line": line, "character": start_at + len("nobody")},
    }
    assert (dead["path"], dead["uri"], dead["severity"]) == ("buoy.md", uri(root / "buoy.md"), "warning")
    assert "nobody" in dead["message"]
    assert not any(each["diagnostics"] for each in client.all_published().values())


def test_check_waits_for_the_costly_rules(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    write_files(root, {"old.md": "---\nname: old\ndescription: d\nupdated: 2020-01-01\n---\n\nX.\n"})
    shared.wait(lambda: any(each["name"] == "old" for each in run(shared, "list")), "the new file")
    [checked] = run(shared, "check", {"directory": str(root)})
    assert "stale" in {each["code"] for each in checked["findings"] if each["path"] == "old.md"}


# ---- what is not saved


def test_open_texts_count_and_keep_their_uris(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    spelling = uri(root).replace("memory", "%6Demory") + "/ferry.md"
    shared.open(spelling, memory("skiff", "A small boat", body="Unsaved.\n"))
    try:
        [found] = [item for item in run(shared, "list", {"directory": str(root)}) if item["path"] == "ferry.md"]
        assert (found["name"], found["description"], found["uri"]) == ("skiff", "A small boat", spelling)
        [read] = run(shared, "read", {"name": "skiff"})
        assert read["text"].endswith("Unsaved.")
    finally:
        shared.close(spelling)


def test_read_gives_what_an_agent_would_see(shared: Client, work: Path) -> None:
    root = work / "one/memory"
    [read] = run(shared, "read", {"name": "ferry", "directory": str(root)})
    assert read == {
        "name": "ferry",
        "description": "The boat",
        "type": "reference",
        "path": "ferry.md",
        "directory": str(root),
        "text": "## ferry (reference)\nThe boat\n\nIt leaves at six.\n\n## Why\n\nThe tide.",
    }
    assert [item["name"] for item in run(shared, "read", {"directory": str(root)})] == ["Buoy", "ferry", "停航"]
    assert len(run(shared, "read")) == 4


@pytest.mark.parametrize("name", ["停航", "user_rota", "User-Rota", "user rota", "rota"])
def test_names_mean_what_they_mean_in_links(shared: Client, work: Path, name: str) -> None:
    assert [item["path"] for item in run(shared, "read", {"name": name})] == ["team/user_rota.md"]


def test_the_directory_may_be_a_path_or_a_uri(shared: Client, work: Path) -> None:
    notes = work / "two/notes"
    (work / "link").symlink_to(notes)
    for given in (str(notes), uri(notes), f"{uri(notes)}/", str(work / "link"), f"{work}/two/../two/notes/"):
        [found] = run(shared, "list", {"directory": given})
        assert found["description"] == "Another boat"
        # What is given back is what the directory is known by.
        assert found["directory"] == str(notes)


def test_a_directory_with_a_colon_in_its_name(shared: Client, work: Path) -> None:
    root = write_files(work / "one/a:b", {"MEMORY.md": "", "x.md": memory("x", "With a colon")})
    shared.watched(root / "MEMORY.md")
    shared.wait(lambda: len(run(shared, "status")["directories"]) == 3, "the third directory")
    for given in (str(root), uri(root)):
        assert [item["description"] for item in run(shared, "list", {"directory": given})] == ["With a colon"]
    shutil.rmtree(root)
    shared.watched(root)


# ---- what they refuse


def test_a_name_that_may_mean_several(shared: Client, work: Path) -> None:
    code, data = refused(shared, "read", {"name": "Ferry"})
    assert code == -32602
    assert data["key"] == "name"
    assert [(item["directory"], item["path"]) for item in data["choices"]] == [
        (str(work / "one/memory"), "ferry.md"),
        (str(work / "two/notes"), "ferry.md"),
    ]
    for choice in data["choices"]:  # each of which says enough to ask again
        [read] = run(shared, "read", {"name": choice["name"], "directory": choice["directory"]})
        assert {key: read[key] for key in choice} == choice


@pytest.mark.parametrize("name", ["nobody", "", " ", "README", "MEMORY", "../x", "ferry.md#Why", "\0", "x" * 100_000])
def test_a_name_that_nothing_has(shared: Client, work: Path, name: str) -> None:
    code, data = refused(shared, "read", {"name": name})
    assert (code, data["kind"]) == (-32803, "notFound")
    assert data["hint"]


def test_a_directory_that_is_none(shared: Client, work: Path) -> None:
    for given in (str(work), "memory", "", "untitled:x", "file://elsewhere/x", "\0", "\ud800", uri(work / "one")):
        for command in ("list", "read"):
            code, data = refused(shared, command, {"directory": given})
            assert (code, data["key"]) == (-32602, "directory"), given
            assert data["choices"] == [str(work / "one/memory"), str(work / "two/notes")]


def test_without_any_directory(start: Start, tmp_path: Path) -> None:
    client = start()
    client.initialize("emacs", tmp_path)
    for command, argument in (("list", {}), ("read", {}), ("read", {"name": "ferry"})):
        code, data = refused(client, command, argument)
        assert (code, data["kind"]) == (-32803, "noDirectory")
        assert data["hint"]
    assert refused(client, "list", {"directory": str(tmp_path)})[0] == -32602


@pytest.mark.parametrize(
    ("command", "arguments", "key"),
    [
        ("none", [], "command"),
        ("status", [{"verbose": True}], "verbose"),
        ("list", [{"name": "ferry"}], "name"),
        ("list", [{"directory": 3}], "directory"),
        ("read", [{"name": ["ferry"]}], "name"),
        ("read", [{"name": "ferry", "Name": "x"}], "Name"),
        ("read", ["ferry"], "arguments"),
        ("read", [[]], "arguments"),
        ("read", [{}, {}], "arguments"),
        ("read", [False], "arguments"),
        ("read", [{"": 1}], ""),
    ],
)
def test_wrong_arguments(shared: Client, command: str, arguments: list[object], key: str) -> None:
    code, data = refused(shared, command, *arguments)
    assert (code, data["key"]) == (-32602, key)


def test_answers_wait_until_all_is_read(start: Start, tmp_path: Path) -> None:
    many = {f"n{number:03}.md": memory(f"n{number:03}") for number in range(500)}
    for name in ("one", "two"):
        write_files(tmp_path / name / "memory", {**many, "MEMORY.md": "# I\n"})
    client = start()
    client.initialize("neovim", tmp_path)
    assert len(refused(client, "read", {"name": "n007"})[1]["choices"]) == 2
    assert len(run(client, "list")) == 1000
