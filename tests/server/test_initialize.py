"""What the server says of itself, to each client."""

from __future__ import annotations

import pytest

from memory_ls import __version__
from tests.server.client import CLIENTS, ENCODINGS, recording
from tests.server.conftest import Start


@pytest.mark.parametrize("name", CLIENTS)
def test_tells_what_it_offers(start: Start, name: str) -> None:
    client = start()
    result = client.initialize(name)
    assert result["serverInfo"] == {"name": "memory-ls", "version": __version__}
    offered = result["capabilities"]
    assert offered["positionEncoding"] == ENCODINGS[name]
    sync = offered["textDocumentSync"]
    assert (sync["openClose"], sync["change"]) == (True, 1)
    assert offered["completionProvider"]["resolveProvider"] is True
    assert "[" in offered["completionProvider"]["triggerCharacters"]
    assert offered["hoverProvider"]
    assert offered["definitionProvider"]
    for doubled in ("foldingRangeProvider", "selectionRangeProvider", "documentFormattingProvider"):
        assert doubled not in offered
    assert "semanticTokensProvider" not in offered
    assert client.leave() == 0


def test_takes_any_initialization_options(start: Start) -> None:
    client = start(quiet=False)
    client.initialize(
        options={"nonsense": {"a": [1]}, "complete": True, "rules": 7, "directories": 3, "indexMaxLines": "x"}
    )
    client.barrier()
    assert "indexMaxLines" in client.log()


def test_takes_a_client_that_says_next_to_nothing(start: Start) -> None:
    client = start()
    result = client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    client.send({"jsonrpc": "2.0", "method": "initialized"})
    client.barrier()
    assert client.leave() == 0


def test_the_recordings_are_what_they_are_taken_for() -> None:
    assert recording("vscode")["clientInfo"]["name"].startswith("Visual Studio Code")
    for name, encoding in ENCODINGS.items():
        general = recording(name)["capabilities"].get("general", {})
        assert general.get("positionEncodings", ["utf-16"])[0] == encoding
