"""Diagnostics as the client gets them: when, with what, and when they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_ls.rules.registry import RULES
from tests.making import memory, write_files
from tests.server.client import ENCODINGS, Client, recording, uri
from tests.server.conftest import Start

INDEX = (
    "# Memory Index\n\n- [tide-tables](tide-tables.md) — where the tables are kept\n- [ferry](ferry.md) — the boat\n"
)
FERRY = memory("ferry", "The boat", body="It leaves at six. See [[tide-tables]].\n")
TIDES = memory("tide-tables", body="The tables hang beside the door.\n")
FILES = {"MEMORY.md": INDEX, "ferry.md": FERRY, "tide-tables.md": TIDES}
STALE = memory("old-quay", "A quay", extra="status: stale\n", body="It was closed.\n")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def test_come_for_all_members_open_or_not(client: Client, directory: Path) -> None:
    write_files(directory, {"ferry.md": FERRY.replace("tide-tables", "tide-tabels")})
    name = client.open(directory / "tide-tables.md", TIDES.replace("beside", "[[besides-the-sea]]"), version=7)
    [dead] = client.wait_for_codes(name, "link-dead")
    client.wait_for_codes(directory / "ferry.md", "link-dead")
    opened, unopened = client.published(name), client.published(directory / "ferry.md")
    assert opened is not None
    assert unopened is not None
    assert opened["version"] == 7
    assert unopened.get("version") is None
    assert dead["source"] == "memory-ls"
    assert dead["severity"] == 2


def test_carry_what_the_client_can_use(client: Client, directory: Path) -> None:
    support = client.capabilities["textDocument"]["publishDiagnostics"]
    twice = TIDES.replace("name: tide-tables", "name: ferry")
    client.open(directory / "tide-tables.md", twice)
    found = client.wait_for_code(directory / "tide-tables.md", "duplicate-name")
    if support.get("codeDescriptionSupport"):
        page = Path(found["codeDescription"]["href"].removeprefix("file://"))
        assert page.read_text().startswith("#")
        assert page.stem == found["code"]
    if support.get("relatedInformation"):
        [other] = found["relatedInformation"]
        assert other["location"]["uri"] == uri(directory / "ferry.md")
        assert other["location"]["range"]["start"]["line"] == 1
    client.change(uri(directory / "tide-tables.md"), TIDES.replace("beside", "[[tide-tabels]]"))
    dead = client.wait_for_code(directory / "tide-tables.md", "link-dead")
    if support.get("dataSupport"):
        assert dead["data"] == {"target": "tide-tabels", "meant": "tide-tables.md"}


def test_a_stale_memory_is_struck_through(client: Client, directory: Path) -> None:
    stale = write_files(directory, {"old-quay.md": STALE}) / "old-quay.md"
    client.open(stale)
    assert client.wait_for_code(stale, "stale")["tags"] == [2]


def test_go_when_the_fault_is_mended(client: Client, directory: Path) -> None:
    name = client.open(directory / "ferry.md", FERRY.replace("[[tide-tables]]", "[[tide]]"))
    client.wait_for_codes(name, "link-dead")
    client.change(name, FERRY, version=3)
    client.wait_for_codes(name)
    params = client.published(name)
    assert params is not None
    assert params["version"] == 3


def test_go_when_the_file_is_deleted(client: Client, directory: Path) -> None:
    bad = write_files(directory, {"bad.md": memory("bad", body="[[nowhere-at-all]]\n")}) / "bad.md"
    client.open(directory / "ferry.md")
    client.wait_for_code(bad, "link-dead")
    bad.unlink()
    client.watched(bad)
    client.wait_for_codes(bad)


def test_closing_without_saving_goes_back_to_the_disk(client: Client, directory: Path) -> None:
    name = client.open(directory / "ferry.md", FERRY.replace("name: ferry", "name: skiff"))
    client.wait_for_code(directory / "ferry.md", "name-differs-from-file")
    client.close(name)
    client.wait_for_codes(name)
    params = client.published(name)
    assert params is not None
    assert params.get("version") is None


def test_a_new_file_that_was_never_saved_leaves_no_trace(client: Client, directory: Path) -> None:
    write_files(directory, {"tide-tables.md": TIDES + "\n[[new-one]]\n"})
    client.open(directory / "tide-tables.md")
    client.wait_for_codes(directory / "tide-tables.md", "link-dead")
    name = client.open(directory / "new-one.md", memory("new-one", body="Text.\n"))
    client.wait_for_codes(directory / "tide-tables.md")
    client.wait_for_codes(name, "memory-not-indexed")
    client.close(name)
    client.wait_for_codes(directory / "tide-tables.md", "link-dead")
    client.wait_for_codes(name)


def test_renaming_a_memory_kills_links_elsewhere(client: Client, directory: Path) -> None:
    renamed = memory("harbour-master", "Who it is", body="He sits upstairs.\n")
    write_files(directory, {"tide.md": renamed, "ferry.md": FERRY.replace("[[tide-tables]]", "[[harbour-master]]")})
    write_files(directory, {"MEMORY.md": INDEX + "- [[harbour-master]]\n"})
    name = client.open(directory / "tide.md")
    client.wait_for_codes(name, "name-differs-from-file")
    assert client.codes(directory / "ferry.md") == []
    client.change(name, renamed.replace("harbour-master", "tide"))
    client.wait_for_codes(directory / "ferry.md", "link-dead")
    client.wait_for_codes(directory / "MEMORY.md", "index-dead-link")
    client.wait_for_codes(name, "memory-not-indexed")
    client.change(name, renamed, 3)
    client.wait_for_codes(directory / "ferry.md")
    client.wait_for_codes(directory / "MEMORY.md")


def test_an_edit_of_the_index_changes_what_is_said_of_memories(client: Client, directory: Path) -> None:
    name = client.open(directory / "MEMORY.md", INDEX.replace("- [ferry](ferry.md) — the boat\n", ""))
    client.wait_for_codes(directory / "ferry.md", "memory-not-indexed")
    client.change(name, INDEX)
    client.wait_for_codes(directory / "ferry.md")


def test_the_newest_text_wins_in_a_burst(client: Client, directory: Path) -> None:
    name = client.open(directory / "ferry.md")
    for version in range(2, 201):
        client.change(name, FERRY.replace("[[tide-tables]]", f"[[nothing-{version}]]"), version)
    client.change(name, FERRY.replace("[[tide-tables]]", "[[the-last]]"), 201)
    client.wait(lambda: (client.published(name) or {}).get("version") == 201, "the last version")
    [found] = client.wait_for_codes(name, "link-dead")
    assert "the-last" in found["message"]
    client.barrier()
    assert (client.published(name) or {})["version"] == 201


def test_costly_findings_move_with_the_text(client: Client, directory: Path) -> None:
    write_files(directory, {"old-quay.md": STALE})
    name = client.open(directory / "old-quay.md")
    before = client.wait_for_code(name, "stale")
    client.change(name, STALE.replace("description:", "# one more line\n# and another\ndescription:"))
    client.wait(lambda: (client.published(name) or {}).get("version") == 2, "the change")
    # At once, and not only when the costly rules have run again.
    first = next(item for item in client.told if item["uri"] == name and item.get("version") == 2)
    [after] = [item for item in first["diagnostics"] if item["code"] == "stale"]
    assert after["range"]["start"]["line"] == before["range"]["start"]["line"] + 2
    assert after["range"]["start"]["character"] == before["range"]["start"]["character"]


def test_no_false_alarm_before_the_directory_is_loaded(start: Start, tmp_path: Path) -> None:
    files = {f"note-{number:04}.md": memory(f"note-{number:04}", body=f"Number {number}.\n") for number in range(600)}
    linking = memory("linking", body="".join(f"[[note-{number:04}]]\n" for number in range(600)))
    root = write_files(tmp_path / "memory", {**files, "linking.md": linking, "MEMORY.md": "# Index\n\n[[linking]]\n"})
    client = start()
    client.initialize("neovim", root)
    name = client.open(root / "linking.md")
    client.wait_for_code(root / "note-0599.md", "memory-not-indexed")
    client.wait_for_codes(name)
    assert not any(item["code"] == "link-dead" for params in client.told for item in params["diagnostics"])


def test_a_known_place_that_is_not_there_yet(client: Client, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    name = client.open(tmp_path / ".claude/memory/first.md", memory("first", body="[[nobody-here]]\n"))
    client.wait_for_codes(name, "link-dead")


def test_a_directory_that_comes_and_goes(start: Start, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    client = start()
    client.initialize("vscode", work)
    client.barrier()
    root = write_files(work / "notes", {"one.md": memory("one", body="[[nobody-here]]\n"), "MEMORY.md": "[[one]]\n"})
    client.watched(root / "one.md", root / "MEMORY.md")
    client.wait_for_codes(root / "one.md", "link-dead")
    (root / "MEMORY.md").unlink()
    client.watched(root / "MEMORY.md")
    client.wait_for_codes(root / "one.md")


def test_a_directory_inside_gets_an_index_of_its_own(client: Client, directory: Path) -> None:
    inner = write_files(directory, {"team/rota.md": memory("rota", body="[[ferry]]\n")}) / "team/rota.md"
    name = client.open(inner)
    client.wait_for_codes(name, "memory-not-indexed")
    (directory / "team/MEMORY.md").write_text("- [rota](rota.md)\n")
    client.watched(directory / "team/MEMORY.md")
    client.wait_for_codes(name, "link-dead")
    (directory / "team/MEMORY.md").unlink()
    client.watched(directory / "team/MEMORY.md")
    client.wait_for_codes(name, "memory-not-indexed")


def test_a_whole_directory_is_deleted_or_moved_in(client: Client, directory: Path, tmp_path: Path) -> None:
    write_files(directory, {"team/rota.md": memory("rota", body="[[nobody-here]]\n")})
    client.open(directory / "ferry.md")
    rota = directory / "team/rota.md"
    client.wait_for_codes(rota, "memory-not-indexed", "link-dead")
    (directory / "team").rename(tmp_path / "elsewhere")
    client.watched(directory / "team")
    client.wait_for_codes(rota)
    (tmp_path / "elsewhere").rename(directory / "team")
    client.watched(directory / "team")
    client.wait_for_codes(rota, "memory-not-indexed", "link-dead")


def test_files_that_are_no_memories_count_as_targets(client: Client, directory: Path) -> None:
    name = client.open(directory / "ferry.md", FERRY + "\n![The boat](boat.png)\n")
    client.wait_for_codes(name, "link-dead-file")
    (directory / "boat.png").write_bytes(b"\x89PNG")
    client.watched(directory / "boat.png")
    client.wait_for_codes(name)


def test_only_open_documents_where_the_user_wants_it_so(start: Start, directory: Path) -> None:
    write_files(directory, {"tide-tables.md": TIDES + "[[nobody-here]]\n"})
    client = start()
    client.initialize("vscode", directory, options={"diagnosticScope": "open"})
    name = client.open(directory / "ferry.md", FERRY + "[[nobody-here]]\n")
    client.wait_for_codes(name, "link-dead")
    assert set(client.all_published()) == {name}
    tides = client.open(directory / "tide-tables.md")
    client.wait_for_codes(tides, "link-dead")
    client.close(tides)
    client.wait_for_codes(tides)


def test_settings_of_the_client_and_of_the_project(start: Start, directory: Path) -> None:
    project = directory.parent
    (project / ".memory-ls.toml").write_text(
        '[rules]\nlink-dead = "hint"\nname-differs-from-file = "off"\nlinkdead = "off"\n'
    )
    client = start()
    options = {"rules": {"memory-not-indexed": "off"}}
    client.initialize("vscode", project, options=options)
    text = memory("skiff", body="[[nobody-here]]\n")
    name = client.open(directory / "boat.md", text)
    [dead] = client.wait_for_codes(name, "link-dead")
    assert dead["severity"] == 4
    [wrong] = client.wait_for_codes(project / ".memory-ls.toml", "setting-invalid")
    assert wrong["range"]["start"]["line"] == 3
    (project / ".memory-ls.toml").write_text('[rules]\nlink-dead = "error"\n')
    client.watched(project / ".memory-ls.toml")
    client.wait(lambda: [item["severity"] for item in client.diagnostics(name)] == [4, 1], "the new severity")
    client.wait_for_codes(project / ".memory-ls.toml")
    (project / ".memory-ls.toml").unlink()
    client.watched(project / ".memory-ls.toml")
    client.wait(lambda: [item["severity"] for item in client.diagnostics(name)] == [4, 2], "the usual severity")


def test_directories_that_the_settings_name(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "notes", {"one.md": memory("one", body="[[nobody-here]]\n")})
    client = start()
    client.initialize("neovim", options={"directories": [str(root)]})
    client.wait_for_codes(root / "one.md", "link-dead")


def test_every_code_is_text_and_has_a_page(client: Client) -> None:
    for params in client.told:
        for item in params["diagnostics"]:
            assert item["code"] in RULES
            assert item["message"]


def test_the_clients_count_in_three_ways(client: Client) -> None:
    assert client.encoding in ENCODINGS.values()
    assert len(set(ENCODINGS.values())) == 3
    names = {(recording(name)["clientInfo"] or {}).get("name") for name in ENCODINGS}
    assert names >= {"Neovim", "Visual Studio Code"}
