"""Measures how long a hover takes while a long chat log becomes memories: nothing that goes on may hold it up.

``python -m tests.benchmarks.hovers`` prints a line for each way of doing it, with the memories that are there already.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.client import Client, python
from tests.benchmarks.generate import Sample, generate
from tests.benchmarks.measure import OUR_SERVER, open_memory, percentile
from tests.pipeline.messages_api import KEY, MessagesApi, Reply

# At most so long may a hover take, in milliseconds; once, while the library of a model is imported, twice as long.
MOST = 50.0
_QUIET = 4.0
_WAYS = (
    ("offline", "dryRun"),
    ("offline", "preview"),
    ("offline", "apply"),
    ("anthropic", "dryRun"),
    ("anthropic", "apply"),
)
_TALK = (
    "the harbour office counts boats twice when the tide turns so the ledger is read before the crane moves and after "
    "each buoy was painted the pilot writes a line into the rota which nobody may delete before the winter comes"
)


def long_log(messages: int) -> list[dict[str, str]]:
    """A chat of so many messages: small talk, code, a secret now and then, and rarely something to remember."""
    chance = random.Random(7)
    words = _TALK.split()
    log = []
    for number in range(messages):
        text = " ".join(chance.choices(words, k=chance.randint(4, 60)))
        if number % 1000 == 10:
            text = f"Always put berth {number} first in the list of the {chance.choice(words)}."
        elif number % 501 == 0:
            text += f" API_TOKEN=ghp_{''.join(chance.choices('abcdefghijkLMNOP0123456789', k=36))}"
        log.append({"role": "user" if number % 2 == 0 else "assistant", "content": text})
    return log


def hovers_during(client: Client, sample: Sample, given: dict[str, Any]) -> tuple[list[float], float, Any]:
    """How long each hover took until the command was answered, how long that took, in milliseconds, and the answer."""
    document = open_memory(client, sample)
    document.set("See [[" + sample.names[0] + "]]")
    document.wait()
    for _ in range(20):
        client.timed_request("textDocument/hover", document.at(8))
    took = []
    begun = perf_counter()
    number = client.begin(
        "workspace/executeCommand", {"command": "memoryLs.extractAndConsolidate", "arguments": [given]}
    )
    while number not in client.ended:
        milliseconds, _ = client.timed_request("textDocument/hover", document.at(8))
        took.append(milliseconds)
        time.sleep(0.002)
    answer = client.ended[number]
    return took, (answer.at - begun) * 1e3, answer.result


def measured(sample: Sample, place: Path, provider: str, mode: str, messages: int) -> tuple[list[float], float, Any]:
    """One run in a server of its own, in which nothing is imported yet."""
    log = place / "log.json"
    log.write_text(json.dumps(long_log(messages)), encoding="utf-8")
    with (
        tempfile.TemporaryDirectory() as home,
        _asking(provider),
        Client(OUR_SERVER, sample.root.parent, Path(home)) as client,
    ):
        client.initialize()
        client.notify("initialized", {})
        while client.next_published(_QUIET) is not None:
            pass
        given = {"log": {"uri": log.as_uri()}, "directory": str(sample.root), "mode": mode}
        found = hovers_during(client, sample, given)
        client.shutdown()
    return found


@contextmanager
def _asking(provider: str) -> Iterator[None]:
    """The environment in which a server that is started has this provider."""
    names = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        if provider == "offline":
            yield
        else:
            # In a process of its own, or it would take the time of the client that measures.
            with subprocess.Popen(python("-m", __spec__.name, "--serve"), stdout=subprocess.PIPE, text=True) as api:
                try:
                    assert api.stdout is not None
                    url = api.stdout.readline().strip()
                    os.environ |= {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, "NO_PROXY": "127.0.0.1"}
                    yield
                finally:
                    api.terminate()
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ |= before


def _serve() -> None:
    """Answers as the Messages API does, until the process is ended."""
    with MessagesApi.running() as api:
        api.answer = _answered
        print(api.url, flush=True)
        threading.Event().wait()


def _answered(request: dict[str, Any]) -> Reply:
    """Two facts from each window, all of which are new."""
    prompt = request["messages"][0]["content"]
    size = len(prompt)
    if "operations" not in request["output_config"]["format"]["schema"]["properties"]:
        facts = [_fact(f"quay-{size}-{each}") | {"evidence": [], "confidence": 0.9} for each in range(2)]
        return Reply(json.dumps({"candidates": facts}))
    decision = {"action": "add", "target": None, "reason": "It is new."}
    numbers = [int(each) for each in re.findall(r"^<<<[0-9a-f]+ candidate (\d+)>>>", prompt, re.MULTILINE)]
    decided = [decision | {"candidate": each, "entry": _fact(f"berth-{size}-{each}")} for each in numbers]
    return Reply(json.dumps({"operations": decided}))


def _fact(name: str) -> dict[str, Any]:
    return {"type": "project", "name": name, "description": f"About {name}", "content": f"The {name} is closed."}


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", help="provider or mode")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    if given.serve:
        _serve()
    with tempfile.TemporaryDirectory(prefix="memory-ls-benchmark-") as scratch:
        for number in range(given.rounds):
            for provider, mode in _WAYS:
                if given.only and given.only not in (provider, mode):
                    continue
                place = Path(os.path.realpath(scratch)) / f"{number}-{provider}-{mode}"
                sample = generate(place / "memory", given.memories)
                took, whole, report = measured(sample, place, provider, mode, given.messages)
                over = sorted((round(each) for each in took if each > MOST), reverse=True)
                print(
                    f"{provider:<10}{mode:<8} {whole:>6.0f} ms, {len(took):>5} hovers: p50 {percentile(took, 0.5):.1f}, "
                    f"p95 {percentile(took, 0.95):.1f}, worst {max(took):.1f} ms, over {MOST:g}: {over[:8]}; "
                    f"{report['candidatesFound']} candidates",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
