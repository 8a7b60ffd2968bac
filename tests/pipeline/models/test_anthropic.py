"""Anthropic's own library against a server that speaks the API."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from memory_ls.pipeline.models.anthropic import AnthropicModel, is_configured
from memory_ls.pipeline.models.model import Completion, ModelError, StopReason, Usage
from memory_ls.settings import Settings
from tests.pipeline.messages_api import KEY, MessagesApi, Reply, failure

SYSTEM = "Find what is worth remembering."
PROMPT = "USER: the harbour master wants tide tables in metres, never in feet"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"candidates": {"type": "array", "items": {"type": "string"}}},
    "required": ["candidates"],
    "additionalProperties": False,
}


def model_at(api: MessagesApi, key: str | None = None, **settings: Any) -> AnthropicModel:
    return AnthropicModel(Settings(base_url=api.url, **settings), key)


def complete(model: AnthropicModel, max_tokens: int = 2048) -> Completion:
    return asyncio.run(model.complete(SYSTEM, PROMPT, SCHEMA, max_tokens))


def failing(model: AnthropicModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        complete(model)
    error = caught.value
    for text in (error.message, error.hint, str(error), repr(error)):
        assert KEY not in text
        assert "harbour" not in text
    assert error.message.endswith(".")
    assert error.hint.endswith(".")
    return error


def test_answer_comes_with_what_it_cost(api: MessagesApi) -> None:
    api.replies.append(Reply('{"candidates": []}'))
    assert complete(model_at(api)) == Completion(
        '{"candidates": []}', Usage(1, 125, 30), StopReason.END, "claude-sonnet-5-5"
    )
    (request,) = api.requests
    assert request["body"]["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert request["body"]["max_tokens"] == 2048
    assert request["body"]["thinking"] == {"type": "between_tools"}
    assert "temperature" not in request["body"]


def test_settings_choose_the_model_and_the_temperature(api: MessagesApi) -> None:
    assert complete(model_at(api, model="claude-haiku-5-5", temperature=0.3)).model == "claude-haiku-5-5"
    assert api.requests[0]["body"]["temperature"] == 0.3


def test_key_that_is_given_comes_before_the_environments(api: MessagesApi) -> None:
    api.key = "sk-ant-given-1"
    complete(model_at(api, key="sk-ant-given-1"))


def test_server_without_schemas_is_asked_without(api: MessagesApi) -> None:
    api.takes_schemas = False
    api.answer = lambda request: Reply("plain")
    model = model_at(api)
    assert complete(model).text == "plain"
    assert complete(model).text == "plain"
    assert ["output_config" in each["body"] for each in api.requests] == [True, False, False]


@pytest.mark.parametrize("key", ["sk-ant\nx", "sk-аnt", "sk ant\x07"])
def test_key_that_can_be_none_is_told_and_not_sent(api: MessagesApi, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    error = failing(model_at(api))
    assert (error.kind, error.usage.calls, api.requests) == ("wrongKey", 0, [])
    assert key not in error.message + error.hint


def test_space_around_a_key_does_not_matter(api: MessagesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", f" {KEY}\n")
    assert complete(model_at(api)).text == "{}"


@pytest.mark.parametrize(
    ("name", "tries", "thinking", "effort"),
    [
        ("claude-sonnet-5-5", 1, {"type": "between_tools"}, None),
        ("claude-haiku-5-5", 1, {"type": "disabled"}, None),
        ("claude-opus-5-5", 2, None, "low"),
        ("claude-opus-3", 3, None, None),
    ],
)
def test_thinking_is_turned_off_where_it_can_be(
    api: MessagesApi, name: str, tries: int, thinking: Any, effort: str | None
) -> None:
    api.answer = lambda request: Reply("{}")
    model = model_at(api, model=name)
    complete(model)
    assert len(api.requests) == tries
    complete(model)
    assert len(api.requests) == tries + 1  # what was found out is remembered
    body = api.requests[-1]["body"]
    assert body.get("thinking") == thinking
    assert body["output_config"].get("effort") == effort
    assert "format" in body["output_config"]


def test_calls_at_the_same_time_find_out_the_same(api: MessagesApi) -> None:
    api.answer = lambda request: Reply("{}")
    api.takes_schemas = False
    model = model_at(api, model="claude-opus-3")

    async def three() -> None:
        await asyncio.gather(*(model.complete(SYSTEM, PROMPT, SCHEMA, 10) for _ in range(3)))

    asyncio.run(three())
    before = len(api.requests)
    complete(model)
    assert len(api.requests) == before + 1
    assert api.requests[-1]["body"].keys() == {"model", "max_tokens", "system", "messages"}


def test_what_a_model_thinks_is_no_part_of_its_answer(api: MessagesApi) -> None:
    body = json.loads(Reply("the answer").encoded("claude-sonnet-5-5"))
    body["content"].insert(0, {"type": "thinking", "thinking": "hm", "signature": "x"})
    api.replies.append(Reply(body=body))
    assert complete(model_at(api)).text == "the answer"


def test_server_of_ones_own_needs_no_key(api: MessagesApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    api.key = None
    api.replies.append(Reply("hello"))
    assert complete(model_at(api)).text == "hello"


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/messages"])
def test_address_may_have_the_librarys_path(api: MessagesApi, path: str) -> None:
    api.replies.append(Reply("hello"))
    assert complete(AnthropicModel(Settings(base_url=api.url + path))).text == "hello"


def test_without_a_key_nothing_is_sent(api: MessagesApi, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path))
    error = failing(AnthropicModel(Settings()))
    assert (error.kind, error.usage.calls) == ("noKey", 0)
    assert "ANTHROPIC_API_KEY" in error.hint


@pytest.mark.parametrize(
    ("reply", "kind", "advice"),
    [
        (failure(401, "authentication_error", "invalid x-api-key"), "wrongKey", "ANTHROPIC_API_KEY"),
        (failure(403, "permission_error", "Your key may not use this"), "wrongKey", "model"),
        (failure(404, "not_found_error", "model: claude-sonnet-5-5"), "unknownModel", "model"),
        (failure(404, "not_found_error", "File Not Found"), "network", "baseUrl"),
        (failure(413, "request_too_large", "Request exceeds the maximum size"), "contextTooLong", "windowCharacters"),
        (failure(400, "invalid_request_error", "prompt is too long: 2 > 1"), "contextTooLong", "windowCharacters"),
        (failure(400, "invalid_request_error", "Your credit balance is too low"), "failed", "balance"),
        (failure(400, "invalid_request_error", "temperature: not supported"), "failed", "temperature"),
        (failure(400, "invalid_request_error", f"messages.0: {PROMPT}"), "failed", "model"),
        (failure(429, "rate_limit_error", "slow down", retry_after="900"), "rateLimited", "900 seconds"),
        (failure(529, "overloaded_error", "Overloaded", retry_after="900"), "overloaded", "again"),
        (Reply("I can't", stop_reason="refusal"), "refused", "offline"),
        (Reply("", stop_reason="model_context_window_exceeded"), "contextTooLong", "windowCharacters"),
        (Reply(body=b"<html>It works</html>", content_type="text/html"), "network", "baseUrl"),
        (Reply(body=b"{not json"), "network", "baseUrl"),
        (Reply(body={"choices": []}), "network", "baseUrl"),
        (Reply(body=[1, 2]), "network", "baseUrl"),
    ],
)
def test_failure_is_told_with_what_to_do(api: MessagesApi, reply: Reply, kind: str, advice: str) -> None:
    api.replies.append(reply)
    error = failing(model_at(api))
    assert error.kind == kind
    assert advice in error.hint
    assert len(api.requests) == 1


def test_what_the_server_says_is_told_where_it_repeats_nothing(api: MessagesApi) -> None:
    api.replies.append(failure(400, "invalid_request_error", "temperature: not supported here"))
    assert "temperature: not supported here" in failing(model_at(api)).message


def test_refusal_and_what_it_cost_are_counted(api: MessagesApi) -> None:
    api.replies.append(Reply("no", stop_reason="refusal"))
    assert failing(model_at(api)).usage == Usage(1, 125, 30)


@pytest.mark.parametrize(("status", "kind"), [(429, "rateLimited"), (529, "overloaded"), (500, "overloaded")])
def test_passing_failures_are_tried_again(api: MessagesApi, status: int, kind: str) -> None:
    passing = failure(status, "error", "not now", retry_after="0.01")
    api.replies += [passing, passing, Reply("at last")]
    assert complete(model_at(api)).text == "at last"
    api.replies += [passing, passing, passing]
    assert failing(model_at(api)).kind == kind
    assert len(api.requests) == 6


def test_wait_that_would_last_too_long_is_not_begun(api: MessagesApi) -> None:
    api.replies.append(failure(429, "rate_limit_error", "slow down", retry_after="20"))
    started = time.monotonic()
    assert failing(model_at(api, timeout_seconds=5)).kind == "rateLimited"
    assert time.monotonic() - started < 4


def test_max_tokens_cut_an_answer(api: MessagesApi) -> None:
    api.replies.append(Reply('{"candidates": [', stop_reason="max_tokens"))
    assert complete(model_at(api), 10).stop_reason is StopReason.CUT
    assert api.requests[0]["body"]["max_tokens"] == 10


def test_slow_answer_is_given_up(api: MessagesApi) -> None:
    api.answer = lambda request: Reply("late", seconds=30)
    started = time.monotonic()
    error = failing(model_at(api, timeout_seconds=1))
    assert error.kind == "network"
    assert "timeoutSeconds" in error.hint
    assert time.monotonic() - started < 4


def test_connection_that_is_cut_is_tried_again(api: MessagesApi) -> None:
    api.replies += [Reply("half", cut=True), Reply("whole")]
    assert complete(model_at(api)).text == "whole"
    api.answer = lambda request: Reply("half", cut=True)
    assert failing(model_at(api)).kind == "network"


def test_no_server_is_no_network() -> None:
    error = failing(AnthropicModel(Settings(base_url="http://127.0.0.1:9"), KEY))
    assert error.kind == "network"
    assert "baseUrl" in error.hint


def test_address_that_is_none_is_told() -> None:
    assert failing(AnthropicModel(Settings(base_url="localhost:11434"), KEY)).kind == "network"
    assert failing(AnthropicModel(Settings(base_url="http://[broken"), KEY)).kind == "network"


def test_cancel_hangs_up_at_once(api: MessagesApi) -> None:
    api.answer = lambda request: Reply("late", seconds=30)

    async def cancelled() -> float:
        task = asyncio.create_task(model_at(api).complete(SYSTEM, PROMPT, SCHEMA, 100))
        while not api.requests:
            await asyncio.sleep(0.01)
        started = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return time.monotonic() - started

    assert asyncio.run(cancelled()) < 1
    assert api.gone.wait(2)


def test_loop_stays_free_while_the_library_is_imported(api: MessagesApi) -> None:
    """In a process of its own, where nothing is imported yet."""
    import subprocess
    import sys

    code = f"""
import asyncio, sys, time
from memory_ls.pipeline.models.anthropic import AnthropicModel
from memory_ls.settings import Settings
assert "anthropic" not in sys.modules
async def main():
    model = AnthropicModel(Settings(base_url={api.url!r}))
    task = asyncio.create_task(model.complete("s", "p", {SCHEMA!r}, 10))
    longest = 0.0
    while not task.done():
        before = time.perf_counter()
        await asyncio.sleep(0.002)
        longest = max(longest, time.perf_counter() - before)
    await task
    print(longest)
asyncio.run(main())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert float(done.stdout) < 0.5  # on an idle machine 0.07; this one may be busy


def test_nothing_private_is_logged(
    api: MessagesApi, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    api.replies += [failure(500, "api_error", "oops", retry_after="0.01"), Reply("the answer is metres")]
    complete(model_at(api))
    api.replies.append(failure(401, "authentication_error", "no"))
    failing(model_at(api))
    assert KEY not in caplog.text
    assert "harbour" not in caplog.text
    assert "metres" not in caplog.text


def test_key_or_address_configures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert not is_configured(Settings())
    assert is_configured(Settings(), "key")
    assert is_configured(Settings(base_url="http://localhost:11434"))
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", " ")
    assert not is_configured(Settings())
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "x")
    assert is_configured(Settings())
