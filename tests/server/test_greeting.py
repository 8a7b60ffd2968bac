"""An initialize request that is not all understood: the client has a server all the same."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.server.client import JSON, recording
from tests.server.conftest import Start


def _with(path: str, value: object) -> JSON:
    """VS Code's parameters with one of them set."""
    recorded = copy.deepcopy(recording("vscode"))
    params: JSON = {"processId": None, "rootUri": None, **recorded}
    inner: Any = params
    *parents, last = path.split("/")
    for part in parents:
        inner = inner.setdefault(part, {})
    inner[last] = value
    return params


_ODD = [
    ("capabilities/textDocument/hover/contentFormat", ["html", "markdown"]),
    ("capabilities/textDocument/completion/completionItem/documentationFormat", ["asciidoc", "markdown"]),
    ("capabilities/textDocument/completion/completionItem/insertTextModeSupport/valueSet", [1, 2, 3]),
    ("capabilities/textDocument/documentSymbol/symbolKind/valueSet", [1, 27]),
    ("capabilities/textDocument/publishDiagnostics/tagSupport", True),
    ("capabilities/textDocument/publishDiagnostics/tagSupport/valueSet", [1, 2, 3]),
    ("capabilities/textDocument/rename/prepareSupportDefaultBehavior", 2),
    ("capabilities/textDocument/semanticTokens", {"dynamicRegistration": True}),
    ("capabilities/textDocument/hover", True),
    ("capabilities/textDocument", 7),
    ("capabilities/workspace/workspaceEdit/resourceOperations", ["create", "teleport"]),
    ("capabilities/workspace/workspaceEdit/failureHandling", "hope"),
    ("capabilities/workspace/workspaceEdit/changeAnnotationSupport", True),
    ("capabilities/workspace/executeCommand", True),
    ("capabilities/workspace/fileOperations", True),
    ("capabilities/general/regularExpressions", {}),
    ("capabilities/general/markdown", {}),
    ("capabilities/general/staleRequestSupport", {"cancel": True}),
    ("capabilities/window/showDocument", {}),
    ("capabilities/notebookDocument", {}),
    ("capabilities/unheardOf", [1]),
    ("trace", "compact"),
    ("clientInfo", {}),
    ("clientInfo", {"name": 7}),
    ("processId", "none"),
    ("rootUri", 7),
    ("workspaceFolders", [{"uri": "file:///w"}, 7]),
    ("locale", []),
]


@pytest.mark.parametrize(("path", "value"), _ODD)
def test_what_is_not_understood_costs_nothing_else(start: Start, path: str, value: object) -> None:
    client = start(quiet=False)
    client.capabilities = recording("vscode")["capabilities"]
    params = _with(path, value)
    result = client.request("initialize", params)
    assert result["capabilities"]["positionEncoding"] == "utf-16"
    if not path.startswith("capabilities/textDocument") or path.count("/") > 2:
        assert result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] is True
    assert client.leave() == 0
    assert "Traceback" not in client.log()


def test_folders_without_a_name_count(start: Start) -> None:
    client = start(quiet=False)
    client.capabilities = recording("vscode")["capabilities"]
    client.request("initialize", _with("workspaceFolders", [{"uri": "file:///w"}]))
    client.notify("initialized", {})
    client.barrier()
    assert client.leave() == 0


def test_whatever_is_spoiled_the_client_has_a_server(start: Start) -> None:
    chance = random.Random(4)
    for _ in range(6):
        client = start(quiet=False)
        params = _with("locale", "en")
        for _ in range(12):
            inner: Any = params["capabilities"]
            while isinstance(inner, dict) and inner:
                key = chance.choice(list(inner))
                if not isinstance(inner[key], dict) or not inner[key] or chance.random() < 0.2:
                    inner[key] = chance.choice([None, True, 7, "x", [], {}, [7, "x"], {"a": {}}])
                    break
                inner = inner[key]
        assert client.request("initialize", params)["serverInfo"]["name"] == "memory-ls"
        assert client.leave() == 0


def test_capabilities_that_are_none_are_refused(start: Start) -> None:
    client = start(quiet=False)
    client.send({"jsonrpc": "2.0", "id": "x", "method": "initialize", "params": {"capabilities": 7}})
    assert client.wait(lambda: client.answers.get("x"))[0]["error"]["code"] == -32602
