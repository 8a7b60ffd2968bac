"""Diagnostics by pull: in as few words as may be, and never pushed as well."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.registry import Diagnostic, Severity
from memory_ls.server import diagnostics as module
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import Findings
from memory_ls.server.diagnostics import PulledDiagnostics
from memory_ls.text import SourceText, Span
from tests.making import directory_of, memory, write_files
from tests.server.client import CLIENTS, JSON, PATIENCE, Answer, Client, recording, uri
from tests.server.conftest import Start
from tests.server.declared import pulls

FERRY = memory("ferry", "The boat", body="See [[rota]].\n")
FILES = {
    "MEMORY.md": "- [ferry](ferry.md)\n- [rota](rota.md)\n- [quay](quay.md)\n",
    "ferry.md": FERRY,
    "rota.md": memory("rota", body="[[nobody]]\n"),
    "quay.md": memory("quay", "A quay", extra="status: stale\n", body="It was closed.\n"),
}
REFRESH = "workspace/diagnostic/refresh"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client that pulls when it is told to, and asks for nothing by itself."""
    client = Client(tmp_path_factory.mktemp("home"))
    client.initialize("vscode", is_asking=False)
    yield client
    try:
        assert client.leave() == 0
        client.check()
        assert client.told == []  # nothing was pushed to it
    finally:
        client.end()


@pytest.fixture
def work(shared: Client, tmp_path: Path) -> Iterator[Path]:
    """A memory directory in a folder of the workspace, read and looked at by all rules."""
    root = write_files(tmp_path / "work/memory", FILES)
    shared.change_folders(added=[tmp_path / "work"])
    until(lambda: shown(shared, root) == {"rota.md": ["link-dead"], "quay.md": ["stale"]})
    yield root
    shared.change_folders(removed=[tmp_path / "work"])
    until(lambda: not any(shown(shared, tmp_path).values()))


def until(condition: Callable[[], bool]) -> None:
    """Asks until it is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def pull(client: Client, name: str, previous: str | None = None) -> JSON:
    params: JSON = {"textDocument": {"uri": name}, "identifier": "memory-ls"}
    report: JSON = client.request(
        "textDocument/diagnostic", {**params, **({"previousResultId": previous} if previous else {})}
    )
    return report


def pull_all(client: Client, previous: dict[str, str] | None = None) -> dict[str, JSON]:
    ids = [{"uri": name, "value": value} for name, value in (previous or {}).items()]
    found = client.request("workspace/diagnostic", {"identifier": "memory-ls", "previousResultIds": ids})["items"]
    assert len({item["uri"] for item in found}) == len(found)
    return {item["uri"]: item for item in found}


def codes(report: JSON) -> list[str]:
    return [item["code"] for item in report["items"]]


def shown(client: Client, below: Path) -> dict[str, list[str]]:
    prefix = uri(below) + "/"
    return {
        name.removeprefix(prefix): codes(report)
        for name, report in pull_all(client).items()
        if name.startswith(prefix) and report["items"]
    }


def kinds(client: Client, below: Path, previous: dict[str, str]) -> dict[str, str]:
    prefix = uri(below) + "/"
    found = pull_all(client, previous).items()
    return {name.removeprefix(prefix): report["kind"] for name, report in found if name.startswith(prefix)}


def ids(client: Client, below: Path) -> dict[str, str]:
    reports = pull_all(client).items()
    return {name: report["resultId"] for name, report in reports if name.startswith(uri(below) + "/")}


# ---- one document


def test_what_is_unchanged_is_not_told_again(shared: Client, work: Path) -> None:
    name = shared.open(work / "rota.md")
    first = pull(shared, name)
    assert codes(first) == ["link-dead"]
    again = pull(shared, name, first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    shared.change(name, memory("rota", body="[[nobody]] [[nothing]]\n"))
    changed = pull(shared, name, first["resultId"])
    assert changed["kind"] == "full"
    assert codes(changed) == ["link-dead", "link-dead"]
    assert changed["resultId"] != first["resultId"]
    shared.change(name, memory("rota", body="At six.\n"), 3)
    empty = pull(shared, name, changed["resultId"])
    assert (empty["kind"], empty["items"]) == ("full", [])
    assert pull(shared, name, empty["resultId"])["kind"] == "unchanged"
    shared.close(name)


@pytest.mark.parametrize("alias", ["%61.md", "./a.md", "b/../a.md"])
def test_a_document_has_one_identity_however_its_uri_is_written(shared: Client, work: Path, alias: str) -> None:
    write_files(work, {"a.md": memory("a", body="[[nobody]]\n")})
    shared.watched(work / "a.md")
    name = f"{uri(work)}/{alias}"
    until(lambda: sorted(codes(pull(shared, name))) == ["link-dead", "memory-not-indexed"])


def test_nothing_is_kept_of_a_directory_as_it_was() -> None:
    async def scenario() -> None:
        pulled = PulledDiagnostics(ClientSupport(), lambda: None)
        for number in range(20):
            directory = directory_of({"ferry.md": FERRY})
            seen.append(weakref.ref(directory))
            found = [Diagnostic("link-dead", Severity.WARNING, Span(0, 1), "dead")]
            pulled(Findings(f"file:///{number}.md", None, SourceText("x"), found, directory))
            del directory
        assert len(pulled.workspace({})) == 20

    seen: list[weakref.ref[MemoryDirectory]] = []
    asyncio.run(scenario())
    gc.collect()
    assert [each() for each in seen if each() is not None] == []


def test_ids_of_another_run_of_the_server_are_not_taken(start: Start, tmp_path: Path) -> None:
    root = write_files(tmp_path / "work/memory", FILES)
    known: dict[str, str] = {}
    for _ in range(2):
        client = start()
        client.initialize("vscode", tmp_path / "work", is_asking=False)
        until(lambda client=client: shown(client, root) == {"rota.md": ["link-dead"], "quay.md": ["stale"]})  # type: ignore[misc]
        name = client.open(root / "rota.md")
        assert pull(client, name, known.get(name))["kind"] == "full"
        assert kinds(client, root, known) == {"rota.md": "full", "quay.md": "full"}
        known = ids(client, root)


@pytest.mark.parametrize("name", ["untitled:x", "git:/a/b.md", "file:///nowhere/x.md", "file:///c%3A/x.md", "", "x"])
def test_a_document_of_which_nothing_is_known(shared: Client, name: str) -> None:
    assert pull(shared, name) == {"kind": "full", "items": []}
    assert pull(shared, name, "some-id") == {"kind": "full", "items": []}


def test_a_document_is_answered_when_its_directory_is_read(start: Start, tmp_path: Path) -> None:
    many = {f"n{number:03}.md": memory(f"n{number:03}", body="[[gone]]\n") for number in range(500)}
    root = write_files(tmp_path / "memory", {**many, **FILES})
    client = start()
    client.initialize("vscode", is_asking=False)
    name = client.open(root / "rota.md")
    assert codes(pull(client, name)) == ["link-dead"]


def test_a_closed_document_is_answered_too(shared: Client, work: Path) -> None:
    name = uri(work / "rota.md")
    report = pull(shared, name)
    assert codes(report) == ["link-dead"]
    assert pull(shared, name, report["resultId"])["kind"] == "unchanged"


def test_costly_findings_arrive_later(shared: Client, work: Path) -> None:
    name = shared.open(work / "rota.md")
    before = len(shared.requested(REFRESH))
    shared.change(name, memory("rota", "Who works", extra="status: stale\n", body="At six.\n"))
    first = pull(shared, name)
    assert codes(first) == []
    shared.wait(lambda: len(shared.requested(REFRESH)) > before, "word of something new")
    assert codes(pull(shared, name, first["resultId"])) == ["stale"]
    shared.close(name)


# ---- all documents


def test_all_documents_at_once(shared: Client, work: Path) -> None:
    known = ids(shared, work)
    assert set(known) == {uri(work / "rota.md"), uri(work / "quay.md")}
    assert kinds(shared, work, known) == {"rota.md": "unchanged", "quay.md": "unchanged"}
    write_files(work, {"rota.md": memory("rota", body="At six.\n"), "ferry.md": memory("ferry", body="[[nowhere]]\n")})
    shared.watched(work / "rota.md", work / "ferry.md")
    until(lambda: kinds(shared, work, known) == {"rota.md": "full", "quay.md": "unchanged", "ferry.md": "full"})
    reports = pull_all(shared, known)
    assert codes(reports[uri(work / "rota.md")]) == []
    assert codes(reports[uri(work / "ferry.md")]) == ["link-dead"]


def test_versions_are_those_of_open_documents(shared: Client, work: Path) -> None:
    name = shared.open(work / "rota.md", version=4)
    reports = pull_all(shared)
    assert reports[name]["version"] == 4
    assert reports[uri(work / "quay.md")].get("version") is None
    shared.change(name, memory("rota", body="[[nothing]]\n"), 9)
    assert pull_all(shared)[name]["version"] == 9
    assert pull_all(shared, {name: pull_all(shared)[name]["resultId"]})[name]["version"] == 9
    shared.close(name)
    assert pull_all(shared)[name].get("version") is None


def test_files_that_go(shared: Client, work: Path) -> None:
    known = ids(shared, work)
    (work / "rota.md").unlink()
    shared.watched(work / "rota.md")
    until(lambda: "rota.md" not in shown(shared, work))
    report = pull_all(shared, known)[uri(work / "rota.md")]
    assert (report["kind"], report["items"]) == ("full", [])
    # Whoever knows that there is nothing is not told so for ever.
    assert kinds(shared, work, {uri(work / "rota.md"): report["resultId"]})["rota.md"] == "unchanged"
    assert uri(work / "rota.md") not in pull_all(shared)


def test_what_the_client_knows_of_files_that_are_unknown_here_is_taken_back(shared: Client, work: Path) -> None:
    report = pull_all(shared, {uri(work / "never.md"): "old-7"})[uri(work / "never.md")]
    assert (report["kind"], report["items"]) == ("full", [])


def test_faulty_settings_files_are_among_them(shared: Client, work: Path) -> None:
    file = write_files(work, {".memory-ls.toml": '[rules]\nlinkdead = "off"\n'}) / ".memory-ls.toml"
    shared.watched(file)
    until(lambda: shown(shared, work).get(".memory-ls.toml") == ["setting-invalid"])
    name = shared.open(file)
    assert codes(pull(shared, name)) == ["setting-invalid"]
    shared.close(name)
    file.unlink()
    shared.watched(file)
    until(lambda: ".memory-ls.toml" not in shown(shared, work))


def test_without_a_token_the_answer_comes_when_all_is_read(start: Start, tmp_path: Path) -> None:
    many = {f"n{number:03}.md": memory(f"n{number:03}", body="[[gone]]\n") for number in range(500)}
    one, two = (write_files(tmp_path / name / "memory", {**many, "MEMORY.md": "# I\n"}) for name in ("one", "two"))
    client = start()
    client.initialize("vscode", tmp_path / "one", tmp_path / "two", is_asking=False)
    found = pull_all(client)  # at once, and it is all there
    assert {uri(root / name) for root in (one, two) for name in many} <= found.keys()


# ---- in parts


def test_a_stream_tells_what_is_new(shared: Client, work: Path) -> None:
    known = ids(shared, work)
    items = [{"uri": name, "value": value} for name, value in known.items()]
    parts: list[JSON] = []
    shared.heard["the-stream"] = parts
    number = shared.ask("workspace/diagnostic", {"previousResultIds": items, "partialResultToken": "the-stream"})
    name = uri(work / "ferry.md")
    for body, expected in (("[[nowhere]]", ["link-dead"]), ("At six.", []), ("[[nothing]]", ["link-dead"])):
        write_files(work, {"ferry.md": memory("ferry", body=f"{body}\n")})
        shared.watched(work / "ferry.md")
        shared.wait(
            lambda expected=expected: [codes(each) for each in told(parts, name)][-1:] == [expected],  # type: ignore[misc]
            f"{expected} in a part",
        )
    # What the client had, and what did not change, is not told.
    assert told(parts, uri(work / "rota.md")) == []
    assert all(report["kind"] == "full" for report in reports(parts))
    assert len(told(parts, name)) == 3
    shared.notify("$/cancelRequest", {"id": number})
    with pytest.raises(Answer) as error:
        shared.answer(number)
    assert error.value.code == -32800
    before = len(parts)
    write_files(work, {"ferry.md": FERRY})
    shared.watched(work / "ferry.md")
    until(lambda: "ferry.md" not in shown(shared, work))
    assert len(parts) == before


def reports(parts: list[JSON]) -> list[JSON]:
    return [report for part in parts for report in part["items"]]


def told(parts: list[JSON], name: str) -> list[JSON]:
    return [report for report in reports(parts) if report["uri"] == name]


def test_a_stream_takes_back_what_the_client_had_from_before(shared: Client, work: Path) -> None:
    parts: list[JSON] = []
    shared.heard["another"] = parts
    previous = [{"uri": uri(work / "long-gone.md"), "value": "other-run-3"}]
    number = shared.ask("workspace/diagnostic", {"previousResultIds": previous, "partialResultToken": "another"})
    shared.wait(lambda: len(told(parts, uri(work / "quay.md"))) == 1, "all that is known")
    assert [codes(each) for each in told(parts, uri(work / "long-gone.md"))] == [[]]
    shared.notify("$/cancelRequest", {"id": number})
    with pytest.raises(Answer):
        shared.answer(number)


def test_the_end_of_the_server_ends_a_stream(start: Start, tmp_path: Path) -> None:
    client = start()
    client.initialize("vscode", tmp_path, is_asking=False)
    number = client.ask("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": 7})
    client.barrier()
    assert client.leave() == 0
    assert "error" in client.answers[number][0]


# ---- who is asked to ask again


def refreshes(client: Client) -> int:
    """How often the client was asked to ask again, when all that could be the cause is over."""
    client.barrier()
    return len(client.requested(REFRESH))


def test_ones_own_edits_are_no_reason_to_ask_again(shared: Client, work: Path) -> None:
    name = shared.open(work / "ferry.md")
    pull(shared, name)
    before = refreshes(shared)
    for version in range(2, 6):
        shared.change(name, memory("ferry", body=f"[[nobody-{version}]]\n"), version)
        assert codes(pull(shared, name)) == ["link-dead"]
    time.sleep(0.5)  # longer than a pause of the user's, when costly rules run
    assert refreshes(shared) == before
    shared.close(name)


def test_files_that_are_not_open_are_no_reason_to_ask_again(shared: Client, work: Path) -> None:
    name = shared.open(work / "quay.md")
    pull(shared, name)
    before = refreshes(shared)
    write_files(work, {"ferry.md": memory("ferry", body="[[nobody]]\n")})
    shared.watched(work / "ferry.md")
    until(lambda: shown(shared, work).get("ferry.md") == ["link-dead"])
    time.sleep(0.5)
    assert refreshes(shared) == before
    shared.close(name)


def test_what_changes_an_open_document_from_elsewhere_is_a_reason_once(shared: Client, work: Path) -> None:
    name = shared.open(work / "ferry.md")
    first = pull(shared, name)
    before = refreshes(shared)
    (work / "rota.md").unlink()
    shared.watched(work / "rota.md")
    shared.wait(lambda: len(shared.requested(REFRESH)) > before, "word of something new")
    second = pull(shared, name, first["resultId"])
    assert codes(second) == ["link-dead"]
    other = shared.open(work / "rota.md", memory("rota", body="Ida.\n"))
    pull(shared, other)
    shared.wait(lambda: len(shared.requested(REFRESH)) > before + 1, "word of something new")
    assert codes(pull(shared, name, second["resultId"])) == []
    time.sleep(0.5)
    assert refreshes(shared) == before + 2
    shared.close(other)
    shared.close(name)


def test_an_edit_that_changes_other_open_documents_is_a_reason(shared: Client, work: Path) -> None:
    ferry = shared.open(work / "ferry.md", memory("ferry", body="See [[shifts]].\n"))
    rota = shared.open(work / "rota.md", memory("shifts", body="Ida.\n"))
    known = {name: pull(shared, name)["resultId"] for name in (ferry, rota)}
    before = refreshes(shared)
    shared.change(rota, memory("rota", body="Ida.\n"))
    shared.wait(lambda: len(shared.requested(REFRESH)) > before, "word of something new")
    assert codes(pull(shared, ferry, known[ferry])) == ["link-dead"]
    shared.close(ferry)
    shared.close(rota)


# ---- who pulls, and who does not


@pytest.mark.parametrize("name", [name for name in CLIENTS if not pulls(recording(name))])
def test_clients_that_are_told_need_not_ask(servers: Callable[[str], Client], name: str) -> None:
    client = servers(name)
    for method, params in (
        ("textDocument/diagnostic", {"textDocument": {"uri": "file:///w/memory/a.md"}}),
        ("workspace/diagnostic", {"previousResultIds": []}),
        ("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": "x"}),
    ):
        with pytest.raises(Answer) as error:
            client.request(method, params)
        assert error.value.code == -32601


@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_offered(start: Start, name: str) -> None:
    client = start()
    offered = client.initialize(name)["capabilities"].get("diagnosticProvider")
    if client.is_pulling:
        assert offered == {
            "identifier": "memory-ls",
            "interFileDependencies": True,
            "workspaceDiagnostics": True,
        }
    else:
        assert offered is None


# ---- without a server


def findings(name: str, count: int, version: int | None = None, *, answers_edit: bool = False) -> Findings:
    found = [Diagnostic("link-dead", Severity.WARNING, Span(0, 1), f"No {number}.") for number in range(count)]
    return Findings(name, version, SourceText("x\n"), found, answers_edit=answers_edit)


def kept(scenario: Callable[[PulledDiagnostics, list[None]], Any]) -> None:
    async def awaited() -> None:
        asked: list[None] = []
        await scenario(PulledDiagnostics(ClientSupport(), lambda: asked.append(None)), asked)

    asyncio.run(awaited())


async def awaits(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)


def test_much_news_is_one_reason_to_ask_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.001)

    async def scenario(pulled: PulledDiagnostics, asked: list[None]) -> None:
        for number in range(100):
            pulled(findings(f"file:///{number % 7}.md", number % 3, version=1))
        await awaits(lambda: len(asked) == 1)
        pulled(findings("file:///1.md", 1, version=1, answers_edit=True))
        pulled(findings("file:///2.md", 1))
        await asyncio.sleep(0.05)
        assert len(asked) == 1
        pulled(findings("file:///1.md", 2, version=1))
        await awaits(lambda: len(asked) == 2)

    kept(scenario)


def test_a_stream_gathers_what_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.01)

    async def scenario(pulled: PulledDiagnostics, asked: list[None]) -> None:
        parts: list[list[Any]] = []
        stream = asyncio.create_task(pulled.stream({}, parts.append))
        await asyncio.sleep(0.02)
        assert parts == []  # nothing is no news
        for number in range(300):
            pulled(findings(f"file:///{number}.md", 1))
            pulled(findings(f"file:///{number}.md", 2))
        await awaits(lambda: sum(map(len, parts)) == 300)
        assert len(parts) <= 3
        parts.clear()
        pulled(findings("file:///1.md", 0))
        await awaits(lambda: len(parts) == 1)
        [[last]] = parts
        assert (last.uri, last.items) == ("file:///1.md", [])
        stream.cancel()

    kept(scenario)


def test_news_costs_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    looked_at: list[int] = []
    newer_than = PulledDiagnostics._newer_than

    def counted(pulled: PulledDiagnostics, number: int) -> Any:
        newer = newer_than(pulled, number)
        looked_at.append(len(newer))
        return newer

    monkeypatch.setattr(PulledDiagnostics, "_newer_than", counted)

    async def scenario(pulled: PulledDiagnostics, asked: list[None]) -> None:
        parts: list[list[Any]] = []
        for number in range(1000):
            pulled(findings(f"file:///{number}.md", number % 2))
        # Two clients' worth of streams: neither takes the other's news away.
        streams = [asyncio.create_task(pulled.stream({}, parts.append)) for _ in range(2)]
        await awaits(lambda: sum(map(len, parts)) == 2 * 500)
        assert all(len(part) <= 200 for part in parts)
        assert looked_at == [1000, 1000]
        parts.clear()
        for name in ("file:///7.md", "file:///7.md", "file:///8.md"):
            before = len(parts)
            pulled(findings(name, 3))
            await awaits(lambda before=before: len(parts) == before + 2)  # type: ignore[misc]
        assert [(part[0].uri, len(part)) for part in parts[::2]] == [
            ("file:///7.md", 1),
            ("file:///7.md", 1),
            ("file:///8.md", 1),
        ]
        assert looked_at[2:] == [1] * 6
        for stream in streams:
            stream.cancel()

    kept(scenario)
