"""Runs commands as a client does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.client import JSON, Answer, Client


def run(client: Client, command: str, *arguments: object) -> Any:
    """The answer of a command."""
    params = {"command": f"memoryLs.{command}", "arguments": list(arguments)}
    return client.request("workspace/executeCommand", params)


def refused(client: Client, command: str, *arguments: object) -> tuple[int, JSON]:
    """Code and data of the error that a command is answered with."""
    with pytest.raises(Answer) as error:
        run(client, command, *arguments)
    assert str(error.value)
    return error.value.code, error.value.data
