"""Code actions over the wire: what mends a finding, in every editor's own terms, applied as that editor would."""

from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.making import memory, write_files
from tests.server.client import JSON, Answer, Client, recording
from tests.server.conftest import Start
from tests.server.editor import apply_edit
from tests.server.generated import write_directory
from tests.server.positions import position

FILES = {
    "ferry.md": memory("ferry", "See #3 for more", body="😀 é 漢 [[tide-tabels]] and [[Tide]] and cafÃ©.\r\n"),
    "tide-tables.md": memory("tide-tables", body="Wet.\n"),
    "tide.md": memory("tide", body="😀 See [[no-such]].\n"),
    "a-rota.md": memory("a-rota", body="Who works.\n"),
    "MEMORY.md": "- [ferry](ferry.md)\n- [tide](tide.md)\n- [tide-tables](tide-tables.md)\n- [x](gone.md) — gone\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def asked(
    client: Client, path: Path, marked: str, *, only: Iterable[str] | None = None, shown: bool = True
) -> list[JSON]:
    """The actions at the ``‸`` in what of the file is ``marked``; with the findings that the client shows there."""
    name = client.open(path)
    client.wait(lambda: client.published(path), "the directory")
    text = path.read_bytes().decode("utf-8-sig")
    where = position(text, text.index(marked.replace("‸", "")) + marked.index("‸"), client.encoding)
    diagnostics = client.diagnostics(path) if shown else []
    context: JSON = {"diagnostics": [item for item in diagnostics if item["range"]["start"]["line"] == where["line"]]}
    if only is not None:
        context["only"] = list(only)
    params = {"textDocument": {"uri": name}, "range": {"start": where, "end": where}, "context": context}
    return client.request("textDocument/codeAction", params) or []


def chosen(client: Client, actions: list[JSON], title: str) -> JSON:
    """The action with this title, with its edit."""
    action = next(action for action in actions if action["title"] == title)
    return action if "edit" in action else client.request("codeAction/resolve", _as_kept(action))


def _as_kept(value: Any) -> Any:
    """What an editor has of a value once it stored it: Neovim loses the keys that are null."""
    if isinstance(value, dict):
        return {key: _as_kept(item) for key, item in value.items() if item is not None}
    return [_as_kept(item) for item in value] if isinstance(value, list) else value


def carried_out(client: Client, action: JSON, *open_paths: Path) -> None:
    known = {path.as_uri(): (1, path.read_bytes().decode("utf-8-sig")) for path in open_paths}
    apply_edit(action["edit"], client.encoding, known)


def test_the_name_that_was_meant(client: Client, directory: Path) -> None:
    path = directory / "ferry.md"
    actions = asked(client, path, "[[tide-‸tabels")
    first = actions[0]
    assert (first["title"], first["kind"], first.get("isPreferred")) == ("Change to `tide-tables`", "quickfix", True)
    assert [item["code"] for item in first["diagnostics"]] == ["link-dead"]
    carried_out(client, chosen(client, actions, "Change to `tide-tables`"), path)
    assert path.read_bytes().decode() == FILES["ferry.md"].replace("tide-tabels", "tide-tables")


def test_what_the_client_shows_on_the_line_counts_too(client: Client, directory: Path) -> None:
    titles = [action["title"] for action in asked(client, directory / "ferry.md", "‸😀")]
    assert "Change to `tide-tables`" in titles
    assert "Change to `tide-tables`" not in [
        action["title"] for action in asked(client, directory / "ferry.md", "‸😀", shown=False)
    ]


def test_everything_that_is_safe_in_a_file(client: Client, directory: Path) -> None:
    path = directory / "ferry.md"
    for only in (["source.fixAll"], ["source"], ["source.fixAll.memory-ls"]):
        [action] = asked(client, path, "name‸", only=only)
        assert action["kind"] == "source.fixAll.memory-ls"
    carried_out(client, chosen(client, [action], action["title"]), path)
    fixed = FILES["ferry.md"].replace("See #3 for more", '"See #3 for more"').replace("cafÃ©", "café")
    assert path.read_bytes().decode() == fixed.replace("[[Tide]]", "[[tide]]").replace("\r\n", "\n")


@pytest.mark.parametrize("only", [["refactor"], ["quickfi"], ["source.organizeImports"]])
def test_other_kinds_are_not_offered(client: Client, directory: Path, only: list[str]) -> None:
    assert asked(client, directory / "ferry.md", "[[tide-‸tabels", only=only) == []


def test_a_rule_is_silenced(client: Client, directory: Path) -> None:
    path = directory / "tide.md"
    actions = asked(client, path, "no-‸such")
    carried_out(client, chosen(client, actions, "Silence `link-dead` on this line"), path)
    line = "😀 See [[no-such]]. <!-- memory-ls-disable-line link-dead -->\n"
    assert path.read_text() == FILES["tide.md"].replace("😀 See [[no-such]].\n", line)


def test_the_memory_that_a_link_names_is_made_where_the_client_can(client: Client, directory: Path) -> None:
    path = directory / "tide.md"
    actions = asked(client, path, "no-‸such")
    title = "Create the memory `no-such.md`"
    can = "create" in client.capabilities["workspace"]["workspaceEdit"].get("resourceOperations", [])
    assert (title in [action["title"] for action in actions if "disabled" not in action]) == can
    if can:
        carried_out(client, chosen(client, actions, title), path)
        assert (directory / "no-such.md").read_text().startswith("---\nname: no-such\n")
        assert "(no-such.md)" in (directory / "MEMORY.md").read_text()


def test_an_entry_is_added_to_the_index(client: Client, directory: Path) -> None:
    path = directory / "a-rota.md"
    actions = asked(client, path, "name: ‸a-rota")
    carried_out(client, chosen(client, actions, "Add it to `MEMORY.md`"), path)
    assert "- [a-rota](a-rota.md)" in (directory / "MEMORY.md").read_text()
    assert path.read_text() == FILES["a-rota.md"]


def test_the_index_is_organised(client: Client, directory: Path) -> None:
    path = directory / "MEMORY.md"
    [action] = asked(client, path, "‸", only=["source.organizeIndex"])
    carried_out(client, chosen(client, [action], action["title"]), path)
    assert "gone.md" not in path.read_text()
    assert "a-rota.md" in path.read_text()


def test_nothing_is_changed_from_an_older_text(start: Start, directory: Path) -> None:
    client = start(quiet=False)
    client.initialize("vscode", directory)
    path = directory / "ferry.md"
    action = asked(client, path, "[[tide-‸tabels")[0]
    client.change(path.as_uri(), FILES["ferry.md"].replace("See", "Look at"))
    with pytest.raises(Answer) as error:
        client.request("codeAction/resolve", action)
    assert error.value.code == -32801


def test_a_finding_that_is_not_ours_has_no_fix(start: Start, directory: Path) -> None:
    client = start()
    client.initialize("vscode", directory)
    path = directory / "a-rota.md"
    name = client.open(path)
    where = {"start": {"line": 7, "character": 0}, "end": {"line": 7, "character": 3}}
    stale = {"range": where, "message": "x", "code": "link-dead", "source": "memory-ls"}
    context = {"diagnostics": [stale, {**stale, "code": 7}], "only": ["quickfix"]}
    params = {"textDocument": {"uri": name}, "range": where, "context": context}
    assert client.request("textDocument/codeAction", params) == []


def test_a_client_that_knows_commands_alone_is_offered_nothing(start: Start, directory: Path) -> None:
    client = start()
    capabilities = copy.deepcopy(recording("vscode")["capabilities"])
    del capabilities["textDocument"]["codeAction"]
    result = client.initialize("vscode", directory, capabilities=capabilities)
    assert not result["capabilities"].get("codeActionProvider")
    assert asked(client, directory / "ferry.md", "[[tide-‸tabels") == []


@pytest.mark.parametrize("seed", range(0, 24, 4))
def test_an_editor_that_fixes_all_files_makes_what_the_command_line_makes(
    emacs: Client, tmp_path: Path, seed: int
) -> None:
    here = write_directory(tmp_path / "here" / "memory", seed)
    shutil.rmtree(here / "team", ignore_errors=True)  # a directory of its own, in some
    there = Path(shutil.copytree(here, tmp_path / "there" / "memory", symlinks=True))
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "s"),
        "PYTHONPATH": os.getcwd(),
    }
    command = [sys.executable, "-m", "memory_ls", "check", "--fix", "--format", "json", str(there)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    for _ in range(3):  # one file can make room for a fix in another
        for path in sorted(here.rglob("*.md")):
            _fix_all(emacs, path)
    assert _bytes(here) == _bytes(there)


def _fix_all(client: Client, path: Path) -> None:
    if not path.is_file() or path.stat().st_size > 100_000:
        return
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    name = client.open(path, text)
    start = {"line": 0, "character": 0}
    context = {"diagnostics": [], "only": ["source.fixAll.memory-ls"]}
    params = {"textDocument": {"uri": name}, "range": {"start": start, "end": start}, "context": context}
    for action in client.request("textDocument/codeAction", params) or []:
        apply_edit(chosen(client, [action], action["title"])["edit"], client.encoding, {name: (1, text)})
    client.close(name)
    client.watched(path)
    client.barrier()


def _bytes(root: Path) -> dict[str, bytes]:
    """The files of a directory. An editor keeps byte order marks by itself; the one here has none."""
    files = [path for path in sorted(root.rglob("*.md")) if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes().removeprefix(b"\xef\xbb\xbf") for path in files}


def test_an_entry_below_the_limit_is_moved_up(start: Start, tmp_path: Path) -> None:
    entries = [f"- [t{number}](t{number}.md)\n" for number in range(205)]
    files = {f"t{number}.md": memory(f"t{number}") for number in range(205)}
    directory = write_files(tmp_path / "memory", {**files, "MEMORY.md": "".join(entries)})
    client = start()
    client.initialize("vscode", directory)
    path = directory / "MEMORY.md"
    client.wait_for_code(path, "index-over-limit")
    actions = asked(client, path, "[t203‸]")
    carried_out(client, chosen(client, actions, "Move this entry up, above the limit"), path)
    assert path.read_text() == "".join([entries[203], *entries[:203], entries[204]])


@pytest.mark.parametrize(
    "data",
    [None, 7, {}, {"uri": 3}, {"span": ["a", "b"]}, {"span": [0, 1], "finding": [1, "a", {}]}, {"span": [True, 0]}],
)
def test_an_action_that_was_never_offered_is_refused(emacs: Client, directory: Path, data: object) -> None:
    name = emacs.open(directory / "ferry.md")
    if isinstance(data, dict) and "uri" not in data:
        data = {"uri": name, **data}
    with pytest.raises(Answer) as error:
        emacs.request("codeAction/resolve", {"title": "x", "kind": "quickfix", "data": data})
    assert error.value.code == -32801
