"""What one round measures: a check as a whole process, and a session of a user with a server.

Latencies are in milliseconds, memory is in megabytes. Ours and the floor are measured by the same code.
"""

from __future__ import annotations

import json
import math
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from tests.benchmarks.client import Client, Document, environment, python
from tests.benchmarks.generate import Sample

HERE = Path(__file__).parent
OUR_SERVER = python("-m", "memory_ls", "serve")
OUR_CHECK = python("-m", "memory_ls", "check")
FLOOR_SERVER = python(str(HERE / "floor_server.py"))
FLOOR_CHECK = python(str(HERE / "floor_check.py"))

# A server that has published nothing for so long, in seconds, will publish nothing more.
_QUIET = 10.0
# What is typed into a memory: words, and a link that is dead until its name is complete.
_TEXT = "the second review of the release took longer than planned, see [[{name}]] for what was agreed; "
_PREFIX = 8

Metrics = dict[str, float]


@dataclass(frozen=True, slots=True)
class Effort:
    """How often each thing is done in one round."""

    keystrokes: int = 200
    index_keystrokes: int = 40
    resumed: int = 6
    names: int = 12
    requests: int = 100
    files: int = 10


QUICK = Effort(keystrokes=12, index_keystrokes=6, resumed=1, names=2, requests=6, files=2)


@dataclass(slots=True)
class Typist:
    """A user who types on when the answer is there: 3 to 5 ms between an answer and the next key."""

    random: random.Random = field(default_factory=lambda: random.Random(5))

    def pause(self) -> None:
        """Lets the server rest between two keys."""
        time.sleep(self.random.uniform(0.003, 0.005))


# ---- whole processes


def check_times(command: list[str], sample: Sample) -> Metrics:
    """The wall time of one check, from nothing to the end of the process, and the processor time of all it started."""
    with tempfile.TemporaryDirectory() as home:
        before, processor = perf_counter(), _children_seconds()
        run = subprocess.run(
            [*command, str(sample.root)],
            cwd=sample.root.parent,
            env=environment(Path(home)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        took = {"check": (perf_counter() - before) * 1e3, "check cpu": (_children_seconds() - processor) * 1e3}
    if run.returncode not in (0, 1):  # 1: something was found
        raise RuntimeError(f"{command} failed: {run.stderr.decode(errors='replace')[-2000:]}")
    return took


def _children_seconds() -> float:
    """The processor time of all processes that we started and that have ended; zero on Windows."""
    times = os.times()
    return times.children_user + times.children_system


def expected_findings(sample: Sample) -> dict[str, int]:
    """How many findings our check has in each document, by URI: what a server has published when it is done."""
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            [*OUR_CHECK, "--format", "json", str(sample.root)],
            cwd=sample.root.parent,
            env=environment(Path(home)),
            stdout=subprocess.PIPE,
            check=False,
        )
    counts: dict[str, int] = {}
    for finding in json.loads(run.stdout)["diagnostics"]:
        uri = (sample.root.parent / finding["path"]).as_uri()
        counts[uri] = counts.get(uri, 0) + 1
    return counts


# ---- a session


def session(command: list[str], sample: Sample, effort: Effort, expected: Mapping[str, int] | None) -> Metrics:
    """Starts a server, waits until it is ready, types, asks and ends it.

    ``expected`` are the findings of the whole directory, by URI; ``None`` when it is not to be waited for.
    """
    metrics: Metrics = {}
    typist = Typist()
    with tempfile.TemporaryDirectory() as home, Client(command, sample.root.parent, Path(home)) as client:
        metrics["init"] = (client.initialize().at - client.started_at) * 1e3
        document = _ready(client, sample, expected, metrics)
        keys = _type(document, _memory_text(sample), effort.keystrokes, typist)
        metrics["key p50"], metrics["key p95"] = percentile(keys, 0.5), percentile(keys, 0.95)
        metrics["key after pause"] = max(_type_after_pauses(document, effort.resumed))
        _put(metrics, "completion", _complete(client, document, sample.names[: effort.names], typist))
        _put(metrics, "hover", _ask(client, document, sample, "textDocument/hover", effort, typist))
        _put(metrics, "definition", _ask(client, document, sample, "textDocument/definition", effort, typist))
        _put(metrics, "references", _ask(client, document, sample, "textDocument/references", effort, typist))
        _put(metrics, "outline", _outline(client, document, effort, typist))
        _put(metrics, "search", _search(client, sample.names[: effort.names], typist))
        _put(metrics, "told", _disk(client, document, sample, effort.files, is_told=True))
        if expected is not None:  # the floor watches nothing
            _put(metrics, "seen", _disk(client, document, sample, effort.files, is_told=False))
        index = open_index(client, sample)
        _put(metrics, "index key", _type(index, "words at the end of a line ", effort.index_keystrokes, typist))
        peak = client.peak_megabytes()
        metrics["peak"] = math.nan if peak is None else peak
        client.shutdown()
    return metrics


def open_memory(client: Client, sample: Sample) -> Document:
    """Opens the memory into which the user types: a new paragraph after the first."""
    text = sample.opened.read_text(encoding="utf-8")
    at = text.index("\n\n", text.index("\n---\n") + 6) + 2
    return Document(client, sample.opened, text[:at], "\n\n" + text[at:])


def open_index(client: Client, sample: Sample) -> Document:
    """Opens the index, in which the user types at the end of the line in the middle, and waits for its findings."""
    text = sample.index.read_text(encoding="utf-8")
    at = text.index("\n", len(text) // 2)
    document = Document(client, sample.index, text[:at], text[at:])
    document.wait()
    return document


def _ready(client: Client, sample: Sample, expected: Mapping[str, int] | None, metrics: Metrics) -> Document:
    start = client.notify("initialized", {})
    document = open_memory(client, sample)
    metrics["ready"] = (document.wait().at - start) * 1e3
    if expected is not None:
        settled, unlike = _settled(client, expected)
        metrics["settled"], metrics["unlike"] = (settled - start) * 1e3, unlike
    return document


def _settled(client: Client, expected: Mapping[str, int]) -> tuple[float, int]:
    """When the last document got the findings that the check has, and in how many they still differ."""
    counts = {uri: len(published.diagnostics) for uri, published in client.published.items()}
    unlike = {uri for uri in expected.keys() | counts.keys() if counts.get(uri, 0) != expected.get(uri, 0)}
    last = max((published.at for published in client.published.values()), default=client.started_at)
    while unlike and (published := client.next_published(_QUIET)) is not None:
        last = published.at
        (unlike.discard if len(published.diagnostics) == expected.get(published.uri, 0) else unlike.add)(published.uri)
    return last, len(unlike)


def _memory_text(sample: Sample) -> str:
    return "".join(_TEXT.format(name=name) for name in sample.names)


def keystroke(document: Document, character: str) -> float:
    """Types one character; returns how long its diagnostics took."""
    before = document.set(document.typed + character)
    return (document.wait().at - before) * 1e3


def _type(document: Document, text: str, count: int, typist: Typist) -> list[float]:
    """Types ``count`` characters of ``text``; returns how long the diagnostics of each took."""
    took = []
    for number in range(count):
        took.append(keystroke(document, text[number % len(text)]))
        typist.pause()
    return took


def _type_after_pauses(document: Document, count: int) -> list[float]:
    """Types a character after pauses in which a server may have begun its costly work."""
    took = []
    for number in range(count):
        time.sleep(0.38 + 0.04 * number)
        took.append(keystroke(document, "x"))
    return took


def _complete(client: Client, document: Document, names: Iterable[str], typist: Typist) -> list[float]:
    """Types links, and asks for names with each key as an editor does; from the change to the list."""
    took = []
    for name in names:
        document.set("see ")
        document.wait()
        for character in f"[[{name[:_PREFIX]}":
            before = document.set(document.typed + character)
            if document.typed == "see [":
                continue
            params = {**document.at(len(document.typed)), "context": {"triggerKind": 1}}
            answer = client.request("textDocument/completion", params)
            took.append((answer.at - before) * 1e3)
            if not answer.result or not answer.result["items"]:
                raise RuntimeError(f"No completion after {document.typed!r}")
            typist.pause()
    return took


def _ask(
    client: Client, document: Document, sample: Sample, method: str, effort: Effort, typist: Typist
) -> list[float]:
    """Asks about links, one after the other."""
    names = sample.names[:5]
    document.set(" ".join(f"[[{name}]]" for name in names))
    document.wait()
    took = []
    for number in range(effort.requests):
        offset = document.typed.index(names[number % len(names)]) + 2
        # The context is for references; other methods have none.
        params = {**document.at(offset), "context": {"includeDeclaration": True}}
        milliseconds, result = client.timed_request(method, params)
        if not result:
            raise RuntimeError(f"{method} has no answer")
        took.append(milliseconds)
        typist.pause()
    return took


def _outline(client: Client, document: Document, effort: Effort, typist: Typist) -> list[float]:
    """Asks for the outline of the memory after each key."""
    took = []
    for _ in range(effort.requests):
        keystroke(document, "x")
        params = {"textDocument": {"uri": document.uri}}
        milliseconds, result = client.timed_request("textDocument/documentSymbol", params)
        if not result:
            raise RuntimeError("The memory has no outline")
        took.append(milliseconds)
        typist.pause()
    return took


def _search(client: Client, names: Iterable[str], typist: Typist) -> list[float]:
    """Searches for memories, asking with each key as an editor does."""
    took = []
    for name in names:
        for length in range(_PREFIX + 1):
            milliseconds, result = client.timed_request("workspace/symbol", {"query": name[:length]})
            if not result:
                raise RuntimeError(f"Nothing is found for {name[:length]!r}")
            took.append(milliseconds)
            typist.pause()
    return took


def _disk(client: Client, document: Document, sample: Sample, count: int, *, is_told: bool) -> list[float]:
    """Makes the memory that a dead link names, and takes it away; from then to the new findings where the link is.

    Either the client tells of the file, or the server is to see it by itself.
    """
    file = sample.root / "a-memory-that-was-missing.md"
    document.set(f"see [[{file.stem}]]")
    document.wait()
    took = []
    for number in range(count):
        time.sleep(0.2)  # what came of the last change is over
        before = perf_counter()
        if number % 2:
            file.unlink()
        else:
            file.write_text(f"---\nname: {file.stem}\ndescription: found again\ntype: project\n---\n\nHere it is.\n")
        if is_told:
            change = {"uri": file.as_uri(), "type": 3 if number % 2 else 1}
            client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        while (found := client.next_published(_QUIET)) is None or found.uri != document.uri:
            if found is None:
                raise RuntimeError("The file on the disk is not noticed")
        took.append((found.at - before) * 1e3)
    file.unlink(missing_ok=True)
    time.sleep(0.2)
    return took


def _put(metrics: Metrics, what: str, took: list[float]) -> None:
    metrics[f"{what} p50"], metrics[f"{what} p95"] = percentile(took, 0.5), percentile(took, 0.95)


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that is not exceeded by ``share`` of all."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


# ---- growth


def growth(small: Sample, large: Sample, rounds: int, keystrokes: int) -> list[float]:
    """How many times as long a keystroke takes (p50) in the larger directory, for each round.

    The keys go to both servers in turn, so that noise meets both, and neither takes up its idle work.
    """
    with ExitStack() as stack:
        documents = [_open_settled(stack, sample) for sample in (small, large)]
        texts = [_memory_text(sample) for sample in (small, large)]
        return [_growth_once(documents, texts, keystrokes) for _ in range(rounds)]


def _open_settled(stack: ExitStack, sample: Sample) -> Document:
    home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    client = stack.enter_context(Client(OUR_SERVER, sample.root.parent, home))
    client.initialize()
    return _ready(client, sample, expected_findings(sample), {})


def _growth_once(documents: list[Document], texts: list[str], keystrokes: int) -> float:
    typist = Typist()
    took: list[list[float]] = [[] for _ in documents]
    for number in range(keystrokes):
        for document, text, times in zip(documents, texts, took, strict=True):
            times.append(keystroke(document, text[number % len(text)]))
            typist.pause()
    small, large = map(statistics.median, took)
    return large / small


# ---- rounds


@dataclass(slots=True)
class Series:
    """The values of every round of ours and of the floor, by what was measured."""

    ours: dict[str, list[float]] = field(default_factory=dict)
    floor: dict[str, list[float]] = field(default_factory=dict)


def rounds(sample: Sample, count: int, effort: Effort, tell: Callable[[str], None]) -> Series:
    """Measures ours and the floor in turn, ``count`` times each; who begins changes with each round."""
    series = Series()
    expected = expected_findings(sample)
    for number in range(count):
        tell(f"round {number + 1} of {count}")
        both = [
            (series.ours, OUR_CHECK, OUR_SERVER, expected),
            (series.floor, FLOOR_CHECK, FLOOR_SERVER, None),
        ]
        for values, check, server, wanted in both[:: -1 if number % 2 else 1]:
            found = check_times(check, sample) | session(server, sample, effort, wanted)
            for what, value in found.items():
                values.setdefault(what, []).append(value)
    return series
