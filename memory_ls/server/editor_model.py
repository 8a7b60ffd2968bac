"""A language model that the client runs: it is asked with a request of ours, `memoryLs/complete`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, get_args

from pygls.exceptions import JsonRpcException

from memory_ls.pipeline.models.model import Completion, ModelError, ModelErrorKind, Usage, quotable

METHOD = "memoryLs/complete"

# Sends a request, and gives its answer; when the waiting task is cancelled the client is told to stop.
Ask = Callable[[str, object], Awaitable[object]]


class EditorModel:
    """Asks the client, which declared with ``initializationOptions.complete`` that it can answer.

    It has ``timeout`` seconds for each answer.
    """

    def __init__(self, ask: Ask, timeout: float) -> None:
        self._ask = ask
        self._timeout = timeout

    async def complete(self, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """The client's answer.

        Raises:
            ModelError: the client gave none.
        """
        params = {"system": system, "prompt": prompt, "schema": schema, "maxTokens": max_tokens}
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._ask(METHOD, params)
        except TimeoutError:
            message = f"The editor's model did not answer within {self._timeout:g} seconds."
            raise ModelError("network", message, "Try again, or raise `timeoutSeconds`.", Usage(1)) from None
        except JsonRpcException as error:
            said = quotable(str(error), system, prompt)
            message = f"The editor's model did not answer{f': {said}' if said else '.'}"
            hint = "Look at the editor's own messages, or choose another `provider`."
            raise ModelError(_kind_of(error), message, hint, Usage(1)) from None
        text, model = _member(answer, "text"), _member(answer, "model")
        if not isinstance(text, str):
            hint = "The editor's client for memory-ls has to answer {text, model}."
            raise ModelError("failed", "The editor's answer holds no text.", hint, Usage(1))
        return Completion(text, Usage(1), model=model if isinstance(model, str) and model else None)


def _kind_of(error: JsonRpcException) -> ModelErrorKind:
    """What kind of failure the client says that it was, if it does."""
    said = _member(error.data, "kind")
    return next((kind for kind in get_args(ModelErrorKind) if kind == said), "failed")


def _member(answer: object, name: str) -> object:
    """A member of an answer, which the library gives as an object of its own or as it came."""
    return answer.get(name) if isinstance(answer, Mapping) else getattr(answer, name, None)
