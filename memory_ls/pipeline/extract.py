"""Finds with a language model what is worth remembering in a chat log, and takes only what the log really says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from memory_ls.chats.message import Message
from memory_ls.directory.listing import MemorySummary, one_line
from memory_ls.pipeline import prompts
from memory_ls.pipeline.evidence import Quotes, proven
from memory_ls.pipeline.known import Known
from memory_ls.pipeline.models.model import Model, ModelError, StopReason, Usage
from memory_ls.pipeline.prompts import Prompt
from memory_ls.pipeline.replies import UnreadableReplyError, begun_in, listed_in
from memory_ls.pipeline.screening import doubt, invalid, objection, tellable
from memory_ls.pipeline.values import Candidate, Dropped, Extraction, InvalidValueError
from memory_ls.pipeline.window import Window, windows_of
from memory_ls.settings import Settings

# Is told how many windows are done, and how many there are.
Progress = Callable[[int, int], None]

# Where it is no answer at all, the report says so by itself.
UNREADABLE = "The model's answer about a part of the log could not be read."
# An answer that is cut even for an eighth of a window will not get better.
_MOST_HALVINGS = 3
# The part of a window that known memories may take beside it.
_KNOWN_SHARE = 4


@dataclass(frozen=True, slots=True)
class _Windows:
    """What is asked about: the windows, and how many of the messages they show, ``None`` for all."""

    windows: tuple[Window, ...]
    read: int | None


class ModelExtractor:
    """Asks a model about each window of a log, several at once."""

    def __init__(self, model: Model, settings: Settings, progress: Progress | None = None) -> None:
        self._model = model
        self._settings = settings
        self._progress = progress or (lambda done, total: None)

    async def extract(self, messages: Sequence[Message], known: Sequence[MemorySummary]) -> Extraction:
        """The candidates in ``messages``. Where a window fails, those before it count, and ``read`` says how far.

        Raises:
            ModelError: not even the first window was answered.
        """
        # Heavy, and pure: in a thread, the loop stays free.
        cut = await asyncio.to_thread(self._cut, messages)
        listed = await asyncio.to_thread(Known, known, self._settings.window_characters // _KNOWN_SHARE)
        done = 0

        async def ask(window: Window) -> Extraction:
            nonlocal done
            found = await self._ask(window, messages, listed, _MOST_HALVINGS)
            done += 1
            self._progress(done, len(cut.windows))
            return found

        answers = await _before_a_failure(ask, cut.windows, self._settings.concurrency)
        found = [each for each in answers if isinstance(each, Extraction)]
        read, warnings = cut.read, []
        if cut.read is not None:
            warnings.append("The log is too long for one run: the rest of it is left for the next.")
        if len(found) < len(cut.windows):
            error = answers[-1]
            read = cut.windows[len(found)].first - 1
            if not isinstance(error, Extraction) and read == 0:
                raise error
            warnings.append(f"Only a part of the log was read. {error} {getattr(error, 'hint', '')}".strip())
        joined = _joined(found, warnings)
        return joined if joined.read == 0 else replace(joined, read=read)

    def prompts(self, messages: Sequence[Message], known: Sequence[MemorySummary]) -> list[Prompt]:
        """What would be asked, in this order."""
        listed = Known(known, self._settings.window_characters // _KNOWN_SHARE)
        return [_prompt(window, listed) for window in self._cut(messages).windows]

    def _cut(self, messages: Sequence[Message]) -> _Windows:
        most = self._settings.max_windows
        windows = tuple(islice(windows_of(messages, self._settings.window_characters), most + 1))
        if len(windows) <= most:
            return _Windows(windows, None)
        # A message that is longer than all windows of a run is not begun again for ever.
        return _Windows(windows[:most], max(windows[most].first - 1, 1))

    async def _ask(self, window: Window, messages: Sequence[Message], known: Known, halvings: int) -> Extraction:
        prompt = await asyncio.to_thread(_prompt, window, known)
        answer = await self._model.complete(prompt.system, prompt.text, prompt.schema, self._settings.max_tokens)
        warnings = []
        if answer.stop_reason is StopReason.CUT:
            halves = window.halves() if halvings else None
            if halves is not None:
                return _joined([await self._ask(half, messages, known, halvings - 1) for half in halves])
            items = begun_in(answer.text, "candidates")
            if not items:
                raise ModelError(
                    "cut", "The model's answer was cut before it said anything.", "Raise `maxTokens`.", Usage()
                )
            warnings.append("The model's answer was cut, and what came after is lost. Raise `maxTokens`.")
        else:
            try:
                items = await asyncio.to_thread(listed_in, answer.text, "candidates")
            except UnreadableReplyError:
                return Extraction(warnings=(UNREADABLE,), read=0)
        quotes = Quotes(messages[window.first - 1 : window.last], window.first)
        judged = await asyncio.to_thread(lambda: [self._judged(item, quotes) for item in items])
        return Extraction(
            tuple(each for each in judged if isinstance(each, Candidate)),
            tuple(each for each in judged if isinstance(each, Dropped)),
            tuple(warnings),
        )

    def _judged(self, item: Any, quotes: Quotes) -> Candidate | Dropped:
        """What the model proposes, as a candidate, or why it is none."""
        try:
            candidate = Candidate.from_json(item)
        except InvalidValueError as error:
            return invalid(item, error)
        candidate = replace(candidate, description=one_line(candidate.description))
        reason = doubt(candidate, self._settings.min_confidence) or objection(candidate)
        if reason is not None:
            return Dropped(tellable(candidate.name), reason)
        judged = proven(candidate, quotes)
        return Dropped(candidate.name, judged) if isinstance(judged, str) else judged


def _prompt(window: Window, known: Known) -> Prompt:
    lines, left_out = known.lines_for(each.text for each in window.shown)
    return prompts.extraction(window, lines, left_out)


def _joined(parts: Sequence[Extraction], warnings: Sequence[str] = ()) -> Extraction:
    return Extraction(
        tuple(candidate for part in parts for candidate in part.candidates),
        tuple(dropped for part in parts for dropped in part.dropped),
        tuple(dict.fromkeys([*(warning for part in parts for warning in part.warnings), *warnings])),
        0 if parts and all(part.read == 0 for part in parts) else None,  # nothing that could be understood came of it
    )


async def _before_a_failure(
    ask: Callable[[Window], Awaitable[Extraction]], windows: Sequence[Window], concurrency: int
) -> list[Extraction | ModelError]:
    """What comes of asking about the windows, so many at once, in their order: up to a failure, and that one last.

    What comes after a failure does not count, and is given up at once.
    """
    room = asyncio.Semaphore(concurrency)

    async def one(window: Window) -> Extraction:
        async with room:
            return await ask(window)

    tasks = [asyncio.create_task(one(window)) for window in windows]

    def give_up_the_rest(task: asyncio.Task[Extraction]) -> None:
        if task.cancelled() or task.exception() is not None:
            for later in tasks[tasks.index(task) + 1 :]:
                later.cancel()

    for task in tasks:
        task.add_done_callback(give_up_the_rest)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    answers: list[Extraction | ModelError] = []
    for result in results:
        if isinstance(result, Extraction):
            answers.append(result)
            continue
        if not isinstance(result, ModelError):
            raise result
        answers.append(result)
        break
    return answers
