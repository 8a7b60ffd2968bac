"""What is read out of a client's capabilities."""

from __future__ import annotations

import pytest
from lsprotocol import converters, types
from pygls.capabilities import ServerCapabilitiesBuilder

from memory_ls.server.capabilities import ClientSupport
from memory_ls.text import PositionEncoding
from tests.server.client import CLIENTS, JSON, recording


def support_of(capabilities: JSON, name: str | None = "Some editor") -> ClientSupport:
    params = {"processId": None, "rootUri": None, "clientInfo": name and {"name": name}, "capabilities": capabilities}
    return ClientSupport.of(converters.get_converter().structure(params, types.InitializeParams))


@pytest.mark.parametrize(
    ("offered", "agreed"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-16"], "utf-16"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-32", "utf-16"], "utf-32"),
        (["utf-7"], "utf-16"),
    ],
)
def test_counts_in_the_first_encoding_that_both_know(offered: list[str] | None, agreed: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    assert support_of(general).encoding is PositionEncoding(agreed)
    # The library tells the client; the two must never differ.
    capabilities = converters.get_converter().structure(general, types.ClientCapabilities)
    assert ServerCapabilitiesBuilder.choose_position_encoding(capabilities) == agreed


def test_a_client_that_says_nothing_is_promised_nothing() -> None:
    assert support_of({}) == ClientSupport()


def test_a_tag_counts_only_by_name() -> None:
    def tags(*values: int) -> JSON:
        return {"textDocument": {"publishDiagnostics": {"tagSupport": {"valueSet": values}}}}

    assert support_of(tags(1, 2)).deprecated_tag
    assert not support_of(tags(1)).deprecated_tag


@pytest.mark.parametrize("client", CLIENTS)
def test_only_vs_code_follows_path_links_itself(client: str) -> None:
    recorded = recording(client)
    support = support_of(recorded["capabilities"], (recorded["clientInfo"] or {}).get("name"))
    assert support.has_markdown_features is client.startswith("vscode")


@pytest.mark.parametrize("name", ["Visual Studio Code - Insiders", "Visual Studio Code"])
def test_knows_vs_code_by_its_names(name: str) -> None:
    assert support_of({}, name).has_markdown_features
