"""Which provider the settings choose."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.models.model import Completion, ModelError, Usage
from memory_ls.pipeline.providers import configured, provider_for, provider_name
from memory_ls.settings import Settings


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)


class Nothing:
    """A model that finds nothing."""

    async def complete(self, system: str, prompt: str, schema: Any, max_tokens: int) -> Completion:
        return Completion('{"candidates": []}', Usage(1, 10, 2), model="quay-1")


def test_first_that_is_configured_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Settings(command=("claude",))
    assert provider_name(Settings()) == "offline"
    assert provider_name(Settings(), has_editor=True) == "editor"
    assert provider_name(program, has_editor=True) == "command"
    assert provider_name(program, key="sk-x", has_editor=True) == "anthropic"
    assert provider_name(Settings(base_url="http://localhost:11434")) == "anthropic"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-x")
    assert provider_name(program) == "anthropic"


def test_what_is_configured_is_told_in_the_order_of_preference() -> None:
    assert configured(Settings()) == ("offline",)
    program = Settings(command=("claude",), provider="offline")
    assert configured(program, key="sk-x", has_editor=True) == ("anthropic", "command", "editor", "offline")


def test_named_provider_is_taken_at_its_word() -> None:
    assert provider_name(Settings(provider="offline"), key="sk-x", has_editor=True) == "offline"
    assert provider_name(Settings(provider="command")) == "command"


def test_untrusted_workspace_asks_no_model() -> None:
    settings = Settings(provider="anthropic", command=("claude",), base_url="http://localhost:1")
    assert provider_name(settings, key="sk-x", has_editor=True, is_trusted=False) == "offline"
    assert provider_for(settings, key="sk-x", editor=Nothing(), is_trusted=False).meter is None


@pytest.mark.parametrize("name", ["anthropic", "command", "editor"])
def test_provider_with_a_model_has_a_meter(name: Any) -> None:
    assert provider_for(Settings(provider=name), editor=Nothing()).meter is not None


def test_what_the_editors_model_costs_is_counted() -> None:
    provider = provider_for(Settings(), editor=Nothing())
    found = asyncio.run(provider.extractor.extract([Message(Role.USER, "Metres, please.")], []))
    assert found.candidates == ()
    assert provider.meter is not None
    assert (provider.name, provider.meter.usage, provider.meter.model_name) == ("editor", Usage(1, 10, 2), "quay-1")


def test_editor_that_is_not_there_is_told() -> None:
    with pytest.raises(ModelError) as caught:
        provider_for(Settings(provider="editor"))
    assert caught.value.hint.endswith(".")


def test_offline_finds_what_is_said_outright() -> None:
    provider = provider_for(Settings())
    found = asyncio.run(
        provider.extractor.extract([Message(Role.USER, "Always run make check before you commit.")], [])
    )
    assert [each.type for each in found.candidates] == ["feedback"]
    operations = asyncio.run(provider.consolidator.consolidate(found.candidates, [])).operations
    assert [each.action.value for each in operations] == ["add"]
