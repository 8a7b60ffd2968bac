"""What the pipeline asks of a language model, and how one says that it can't answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Literal, Protocol

from memory_ls.secret_scan import find_secrets

ModelErrorKind = Literal[
    "noKey",
    "wrongKey",
    "rateLimited",
    "overloaded",
    "unknownModel",
    "contextTooLong",
    "refused",
    "cut",
    "network",
    "notFound",  # the program of a command
    "failed",  # anything else
]


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls have cost. Tokens are 0 where nobody counted them."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
        )

    def as_json(self) -> dict[str, int]:
        """As a report has it."""
        return {"calls": self.calls, "inputTokens": self.input_tokens, "outputTokens": self.output_tokens}


class StopReason(Enum):
    """Why an answer ended."""

    END = "end"
    CUT = "cut"  # at the most tokens that it might have


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to one prompt. ``model`` is who gave it, where it is known."""

    text: str
    usage: Usage = Usage(1)
    stop_reason: StopReason = StopReason.END
    model: str | None = None


class ModelError(Exception):
    """A model did not answer. The message says why and the hint what to do; neither holds a word of the prompt.

    ``usage`` is what the attempt has cost all the same.
    """

    def __init__(self, kind: ModelErrorKind, message: str, hint: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.usage = usage or Usage(1)


class Model(Protocol):
    """A language model. Cancelling the task that waits for it ends the work on it."""

    async def complete(self, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """The answer to ``prompt``: JSON of the form ``schema``, as well as the model can, in ``max_tokens`` tokens.

        Raises:
            ModelError: there is no answer.
        """
        ...


class Meter:
    """A model that passes every prompt on to another, and adds up what the calls cost."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.usage = Usage()
        self.model_name: str | None = None

    async def complete(self, system: str, prompt: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """As the model does it."""
        self.usage += Usage(1)  # also where the caller gives up
        try:
            completion = await self._model.complete(system, prompt, schema, max_tokens)
        except ModelError as error:
            self._add(error.usage)
            raise
        self._add(completion.usage)
        self.model_name = completion.model or self.model_name
        return completion

    def _add(self, usage: Usage) -> None:
        self.usage += replace(usage, calls=usage.calls - 1)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, rather too many: four ASCII characters or one other to a token."""
    others = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - others) * 10 // 36) + others


# So many characters in a row are never the same by chance.
_TELLING = 12
_MOST_QUOTED = 160


def quotable(text: str, *private: str) -> str:
    """The last line of what a program or a server said of its failure, shortened; "" where it repeats what is private.

    Those who fail like to repeat what they were given, and nothing of that may get into an error or a log.
    """
    lines = [line for line in (" ".join(each.split()) for each in text[-4000:].splitlines()) if line]
    line = lines[-1][:400] if lines else ""
    if find_secrets(line):
        return ""
    folded = ["".join(each.split()).casefold() for each in private]
    bare = "".join(line.split()).casefold()
    runs = (bare[at : at + _TELLING] for at in range(max(1, len(bare) - _TELLING + 1)))
    if any(run in each for run in runs if len(run) == _TELLING for each in folded):
        return ""
    if len(bare) < _TELLING and any(bare in each for each in folded):
        return ""
    return line if len(line) <= _MOST_QUOTED else f"{line[: _MOST_QUOTED - 1]}…"
