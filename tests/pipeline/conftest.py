"""What tests of the pipeline share: a server for models to ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.pipeline.messages_api import KEY, MessagesApi


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    """A server that is asked by the real library, with its key in the environment."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with MessagesApi.running() as running:
        yield running
