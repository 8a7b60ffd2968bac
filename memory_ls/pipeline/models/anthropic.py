"""Claude, or another model behind the same API, through Anthropic's own library.

The library is imported when a model is first called, and in a thread: that takes more than a second.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memory_ls.pipeline.models.model import Completion, ModelError, ModelErrorKind, StopReason, Usage, quotable
from memory_ls.settings import Settings

if TYPE_CHECKING:
    import anthropic

DEFAULT_MODEL = "claude-sonnet-5-5"
KEY_VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
_ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL"

# A server of one's own asks for no key, but the library will not send anything without one.
_NO_KEY = "none"

# Newer models think before they answer, at the cost of the tokens that the answer may have, and the prompts need none
# of it. How it is turned off differs: what is not accepted is followed by the next. Some can't but be asked for little.
_THINKING: tuple[Mapping[str, Any], ...] = ({"type": "between_tools"}, {"type": "disabled"}, {})
_LITTLE = "low"

_TOO_LONG = ("too long", "context window", "context length", "context size", "maximum context", "too many tokens")
_NO_SCHEMA = ("output_config", "output_format", "structured output", "output format", "json_schema")


def is_configured(settings: Settings, key: str | None = None) -> bool:
    """Whether somebody has said that this API is to be used: by a key or by the address of a server."""
    return bool(key or settings.base_url or _environment_has_key())


def _environment_has_key() -> bool:
    return any(os.environ.get(name, "").strip() for name in KEY_VARIABLES)


class AnthropicModel:
    """A model behind the Messages API. ``key`` comes before those of the environment, and is never shown."""

    def __init__(self, settings: Settings, key: str | None = None) -> None:
        self.name = settings.model or DEFAULT_MODEL
        self._base_url = _without_path(settings.base_url)
        self._temperature = settings.temperature
        self._timeout = settings.timeout_seconds
        self._key = key.strip() if key else None
        self._form = _Form(0 if self.name == DEFAULT_MODEL else 1)

    async def complete(self, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """The answer to ``prompt``, within ``timeoutSeconds`` with all that the library tries again.

        Raises:
            ModelError: there is no answer.
        """
        request: dict[str, Any] = {
            "model": self.name,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": prompt}],
        }
        if self._temperature is not None:
            request["extra_body"] = {"temperature": self._temperature}
        return self._completion(await self._asked(request, schema, prompt))

    async def _asked(self, request: dict[str, Any], schema: Mapping[str, Any], prompt: str) -> object:
        """What the server answers, or why it does not. Each question has a connection of its own, closed at the end."""
        attempts = _Attempts()
        token = _attempts.set(attempts)
        try:
            async with await asyncio.to_thread(self._client) as client:
                attempts.deadline = asyncio.get_running_loop().time() + self._timeout
                async with asyncio.timeout_at(attempts.deadline):
                    return await self._create(client, request, schema)
        except TimeoutError:
            raise self._too_slow(attempts) from None
        except Exception as error:
            raise self._told(error, prompt) from None
        finally:
            _attempts.reset(token)

    async def _create(
        self, client: anthropic.AsyncAnthropic, request: dict[str, Any], schema: Mapping[str, Any]
    ) -> object:
        while True:
            form = self._form
            try:
                return await client.messages.create(**request, **form.options(schema))
            except Exception as error:
                plainer = form.after(error)
                if plainer is None:
                    raise
                if self._form == form:  # another call may have found it out already
                    self._form = plainer

    def _client(self) -> anthropic.AsyncAnthropic:
        import anthropic  # in a thread, since this takes more than a second

        for name in ("anthropic", "httpx2", "httpcore2"):  # they would log what is sent
            logging.getLogger(name).setLevel(logging.WARNING)
        key = self._key or os.environ.get(KEY_VARIABLES[0], "").strip() or None
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ModelError(
                "wrongKey",
                "The key holds characters that no key has.",
                f"Copy it again into {KEY_VARIABLES[0]}.",
                Usage(0),
            )
        if not self._has_key() and (self._base_url or os.environ.get(_ADDRESS_VARIABLE)):
            key = _NO_KEY
        return anthropic.AsyncAnthropic(
            api_key=key,
            base_url=self._base_url,
            timeout=self._timeout,
            middleware=[_watch],
            open_telemetry=False,  # it could carry the text of prompts to others
        )

    # --- What came back

    def _completion(self, answer: object) -> Completion:
        """The answer as ours. Servers that only look like this API send anything."""
        blocks = getattr(answer, "content", None)
        reason = getattr(answer, "stop_reason", None)
        if not isinstance(blocks, list):
            raise self._no_api()
        texts = [block.text for block in blocks if isinstance(getattr(block, "text", None), str)]
        usage = _usage(getattr(answer, "usage", None))
        if reason == "refusal":
            raise ModelError(
                "refused",
                "The model refused to answer.",
                "Something in the chat log has met its safety rules. Choose another `model`, or the provider `offline`.",
                usage,
            )
        if reason == "model_context_window_exceeded":
            raise _context_too_long(usage)
        stop = StopReason.CUT if reason == "max_tokens" else StopReason.END
        name = getattr(answer, "model", None)
        return Completion("".join(texts), usage, stop, name if isinstance(name, str) and name else self.name)

    # --- What went wrong

    def _told(self, error: Exception, prompt: str) -> ModelError:
        """What the library raised, in our words."""
        import anthropic

        match error:
            case ModelError():
                return error
            case anthropic.APIStatusError():
                return self._status(error, prompt)
            case anthropic.APITimeoutError():
                return self._too_slow(_Attempts())
            case anthropic.APIConnectionError():
                return self._no_network()
            case anthropic.CredentialsError():
                return _no_key()
            case TypeError() if "authentication" in str(error):
                return _no_key()
            case json.JSONDecodeError() | anthropic.APIResponseValidationError():
                return self._no_api()
            case _ if isinstance(error, ValueError | TypeError) and self._base_url:
                return ModelError("network", "The address in `baseUrl` can't be used.", "Correct `baseUrl`.")
            case _:
                return ModelError("failed", f"The request failed ({type(error).__name__}).", "Try again.")

    def _status(self, error: anthropic.APIStatusError, prompt: str) -> ModelError:
        status, said = error.status_code, (error.api_message or "")
        match status:
            case 401 if not self._has_key():
                return _no_key()
            case 401:
                return ModelError(
                    "wrongKey", "The server does not accept the key.", "Look at ANTHROPIC_API_KEY, or make a new key."
                )
            case 403:
                return ModelError(
                    "wrongKey",
                    f"This key may not use the model {self.name}.",
                    "Use a key that may, or choose another `model`.",
                )
            case 404:
                return self._not_found(said)
            case 413:
                return _context_too_long()
            case 429:
                return _rate_limited()
            case 400 | 422 if any(words in said.lower() for words in _TOO_LONG):
                return _context_too_long()
            case _ if status >= 500:
                return _overloaded(status)
        reason = quotable(said, prompt, self._key or "")
        return ModelError(
            "failed",
            f"The server did not take the request ({status}{f': {reason}' if reason else ''}).",
            _advice(status, said),
        )

    def _not_found(self, said: str) -> ModelError:
        if "model" not in said.lower():
            return self._no_api()
        return ModelError(
            "unknownModel",
            f"The server knows no model {self.name}.",
            "Correct `model`, or leave it out for the default.",
        )

    def _no_api(self) -> ModelError:
        return ModelError(
            "network",
            "What answered does not speak the Messages API.",
            f"Correct {self._address_setting()}: it is the address before `/v1/messages`.",
        )

    def _no_network(self) -> ModelError:
        return ModelError(
            "network",
            "The server can't be reached, or the connection was cut.",
            f"Look at the network, at a proxy, and at {self._address_setting()}.",
        )

    def _address_setting(self) -> str:
        return "`baseUrl`" if self._base_url or _ADDRESS_VARIABLE not in os.environ else _ADDRESS_VARIABLE

    def _too_slow(self, attempts: _Attempts) -> ModelError:
        """The error for time that ran out: what kept us waiting, if the server said it."""
        if attempts.last_status == 429:
            return _rate_limited()
        if attempts.last_status >= 500:
            return _overloaded(attempts.last_status)
        return ModelError(
            "network",
            f"There was no answer within {self._timeout:g} seconds.",
            "Try again, or raise `timeoutSeconds`.",
        )

    def _has_key(self) -> bool:
        return bool(self._key) or _environment_has_key()


@dataclass(frozen=True, slots=True)
class _Form:
    """What a model is asked for besides the answer. Older models, and other servers, take only a part of it."""

    thinking: int = 0
    has_effort: bool = True
    has_schema: bool = True

    def options(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call."""
        options: dict[str, Any] = {}
        output: dict[str, Any] = {}
        if thinking := _THINKING[self.thinking]:
            options["thinking"] = thinking
        elif self.has_effort:
            output["effort"] = _LITTLE
        if self.has_schema:
            output["format"] = {"type": "json_schema", "schema": dict(schema)}
        return {**options, "output_config": output} if output else options

    def after(self, error: Exception) -> _Form | None:
        """The form to try where a server does not take this one; ``None`` where that is not why it failed."""
        if getattr(error, "status_code", None) not in (400, 422):
            return None
        said = str(getattr(error, "api_message", None) or "").lower()
        can_think = self.thinking < len(_THINKING) - 1
        if "thinking" in said and can_think:
            return replace(self, thinking=self.thinking + 1)
        if "effort" in said and self.has_effort and not can_think:
            return replace(self, has_effort=False)
        if self.has_schema and any(words in said for words in _NO_SCHEMA):
            return replace(self, has_schema=False, has_effort=False)
        return None


@dataclass
class _Attempts:
    """What is known of the tries at one prompt: until when there is time, and what the server said last."""

    deadline: float = 0
    last_status: int = 0


_attempts: ContextVar[_Attempts | None] = ContextVar("attempts", default=None)


async def _watch(request: Any, call_next: Any) -> Any:
    """Gives up at once where the server wants us to wait longer than there is time: the library would wait."""
    response = await call_next(request)
    attempts = _attempts.get()
    if attempts is not None:
        attempts.last_status = response.status_code
        wait = _seconds(response.headers.get("retry-after"))
        if response.status_code in (429, 503, 529) and wait > attempts.deadline - asyncio.get_running_loop().time():
            raise _rate_limited(wait) if response.status_code == 429 else _overloaded(response.status_code)
    return response


def _without_path(address: str | None) -> str | None:
    """The address of a server without what the library adds to it."""
    return address.strip().rstrip("/").removesuffix("/messages").removesuffix("/v1") if address else None


def _seconds(header: str | None) -> float:
    try:
        return float(header or 0)
    except ValueError:
        return 0  # a date, which the library reads


def _usage(usage: object) -> Usage:
    counts = [
        getattr(usage, name, None)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    ]
    *given, output = [count if isinstance(count, int) and count > 0 else 0 for count in counts]
    return Usage(1, sum(given), output)


def _advice(status: int, said: str) -> str:
    lowered = said.lower()
    if status == 402 or "credit" in lowered or "billing" in lowered:
        return "Look at the plan and the balance of the account."
    if "temperature" in lowered:
        return "Leave `temperature` out: newer models take none."
    if "max_tokens" in lowered:
        return "Lower `maxTokens`."
    return "Look at `model`, `maxTokens` and `temperature`."


def _no_key() -> ModelError:
    return ModelError(
        "noKey",
        "There is no key for Anthropic's API.",
        "Set ANTHROPIC_API_KEY in the environment, or choose the provider `command`, which runs a coding agent's own "
        "command line, or `offline`, which needs nothing.",
        Usage(0),
    )


def _context_too_long(usage: Usage | None = None) -> ModelError:
    return ModelError(
        "contextTooLong", "The prompt is longer than the model can take.", "Lower `windowCharacters`.", usage
    )


def _rate_limited(wait: float = 0) -> ModelError:
    when = f"in {wait:.0f} seconds" if wait else "in a minute"
    return ModelError(
        "rateLimited", "The server's limit of requests is reached.", f"Try again {when}, or lower `concurrency`."
    )


def _overloaded(status: int) -> ModelError:
    kind: ModelErrorKind = "overloaded"
    if status in (503, 529):
        return ModelError(kind, "The server has too much to do at the moment.", "Try again in a few minutes.")
    return ModelError(kind, f"The server failed ({status}).", "Try again in a few minutes.")
