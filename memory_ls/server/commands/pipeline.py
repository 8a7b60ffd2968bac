"""The commands from a chat log to memories."""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_ls import chats
from memory_ls.changes.plan import Plan, Report
from memory_ls.directory.listing import one_line
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.pipeline.drafting import Drafted
from memory_ls.pipeline.logs import LogFile, find_logs, read_log
from memory_ls.pipeline.manager import Manager, Proposal, alone_with
from memory_ls.pipeline.models.model import ModelError
from memory_ls.pipeline.portion import as_part
from memory_ls.pipeline.prompts import estimated
from memory_ls.pipeline.providers import Provider, provider_for
from memory_ls.pipeline.screening import invalid
from memory_ls.pipeline.values import Candidate, Dropped, InvalidValueError
from memory_ls.server import progress, writer
from memory_ls.server.commands.errors import CommandError, failed, refused, wrong_argument
from memory_ls.server.commands.journal import refusals_as_json
from memory_ls.server.commands.targets import Arguments, pipeline_target
from memory_ls.server.convert import path_of
from memory_ls.server.editor_model import EditorModel
from memory_ls.server.held import Held
from memory_ls.server.session import Session
from memory_ls.store.store import Store
from memory_ls.store.watermarks import BusyError
from memory_ls.text import without_surrogates

_MOST_OF_A_NAME = 80
_MODES = ("preview", "apply", "dryRun")


async def extract_and_consolidate(session: Session, arguments: Arguments) -> object:
    """Proposes memories from a chat log, has them wait or applies them, and reports."""
    mode = _mode(arguments)
    log, name = await _log(session, arguments)
    held = await pipeline_target(session, arguments, log.working_directory)
    manager = await _manager(session, held, arguments)
    async with _at_work(session, "consolidating"), _alone(manager, log, mode):
        proposal = await manager.propose(log, from_start=_from_start(arguments), is_part=_is_part(arguments))
        return await _settled(session, held, manager, proposal, mode, name)


async def extract(session: Session, arguments: Arguments) -> object:
    """The candidates in a chat log; nothing is written, and the log does not count as read."""
    log, _ = await _log(session, arguments)
    held = await pipeline_target(session, arguments, log.working_directory)
    manager = await _manager(session, held, arguments)
    async with _at_work(session, "extracting"):
        found = await manager.extract(log, from_start=_from_start(arguments))
    return {**found.as_json(), "provider": manager.provider.name}


async def prompts(session: Session, arguments: Arguments) -> object:
    """What a model would be sent of a log, redacted, and about what it costs; offline nothing is sent."""
    log, _ = await _log(session, arguments)
    held = await pipeline_target(session, arguments, log.working_directory)
    manager = await _manager(session, held, arguments)
    asked = await manager.prompts(log, from_start=_from_start(arguments))
    cost = estimated(asked, held.settings.max_tokens)
    return {
        "provider": manager.provider.name,
        "prompts": [each.shown() for each in asked],
        "estimate": {"calls": cost.calls, "inputTokens": cost.input_tokens, "outputTokens": cost.output_tokens},
    }


async def consolidate(session: Session, arguments: Arguments) -> object:
    """Proposes what to make of candidates, has it wait or applies it, and reports."""
    mode = _mode(arguments)
    if "candidates" not in arguments:
        hint = "memoryLs.extract answers such a list."
        raise wrong_argument("candidates", "candidates must be given, a list.", hint=hint)
    candidates: list[Candidate] = []
    dropped: list[Dropped] = []
    doubtful: set[Candidate] = set()
    for value in arguments["candidates"]:
        try:
            candidates.append(Candidate.from_json(value))
            if value.get("unverified") is not False:  # nobody can look into the log here
                doubtful.add(candidates[-1])
        except InvalidValueError as error:
            dropped.append(invalid(value, error))
    held = await pipeline_target(session, arguments)
    manager = await _manager(session, held, arguments)
    async with _at_work(session, "consolidating"):
        proposal = await manager.propose_candidates(candidates, dropped, doubtful)
        return await _settled(session, held, manager, proposal, mode, "")


async def chat_logs(session: Session, arguments: Arguments) -> object:
    """The chat logs of the workspace's folders in the agents' usual places, the newest first."""
    found: dict[Path, LogFile] = {}
    for folder in session.workspace.folders:
        for log in await asyncio.to_thread(find_logs, folder):
            found.setdefault(log.path, log)
    return [log.as_json() for log in sorted(found.values(), key=lambda log: log.time, reverse=True)]


# ---- the log


async def _log(session: Session, arguments: Arguments) -> tuple[chats.ChatLog, str]:
    """The chat log of the argument, and what it is called."""
    given = arguments.get("log")
    if not isinstance(given, Mapping):
        raise wrong_argument("log", "log must be given: {uri}, {text, format?} or {messages}.")
    format = given.get("format")
    if format is not None and format not in chats.FORMATS:
        raise wrong_argument("log", f"format must be one of {', '.join(chats.FORMATS)}.", choices=list(chats.FORMATS))
    match given:
        case {"uri": str(uri)}:
            return await _log_at(session, uri, format)
        case {"text": str(text)}:
            read = _part if _is_part(arguments) else chats.read
            return await asyncio.to_thread(read, text, format), ""
        case {"messages": list(messages)}:
            log = await asyncio.to_thread(chats.from_messages, messages)
            return (await asyncio.to_thread(as_part, log) if _is_part(arguments) else log), ""
    raise wrong_argument("log", "log must hold one of uri, text and messages.")


def _is_part(arguments: Arguments) -> bool:
    """Whether the log is what a user has chosen of one, which is then read whole."""
    return "minMessages" in arguments and "uri" not in arguments["log"]


# What stands in a log that is written for programs.
_OF_PROGRAMS = re.compile(r"""\A\s*[\[{<]|"(?:role|type|content|text|message)"\s*:""")


def _part(text: str, format: str | None) -> chats.ChatLog:
    """What is chosen of a log. Sentences without a speaker are the user's, who has chosen them."""
    log = chats.read(text, format)
    if not log.messages and format is None and text.strip() and _OF_PROGRAMS.search(text) is None:
        log = chats.from_messages([{"role": "user", "content": text}])
    return as_part(log)


def _from_start(arguments: Arguments) -> bool:
    return _is_part(arguments) or bool(arguments.get("fromStart", False))


async def _log_at(session: Session, uri: str, format: str | None) -> tuple[chats.ChatLog, str]:
    text, path, name = session.text_of(uri), path_of(uri), name_of(uri)
    if text is not None:
        return await asyncio.to_thread(chats.read, text, format), name
    if path is None:
        raise wrong_argument("log", "uri must name a file.")
    try:
        return await asyncio.to_thread(_read_file, path, format), name
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it can't have such a name"
        raise failed("notFound", f"The chat log can't be read: {reason}.", "Choose another file.") from error


def name_of(uri: str) -> str:
    """What a file is called, as every client can show it: a name on the disk need not be text."""
    path = path_of(uri)
    return without_surrogates(one_line(path.name, _MOST_OF_A_NAME)) if path is not None else ""


def _read_file(path: Path, format: str | None) -> chats.ChatLog:
    """The chat log in a file; what is no file, as a pipe or a device, may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "It is no file")
    return read_log(path, format)


# ---- the work


def _mode(arguments: Arguments) -> str:
    mode = arguments.get("mode", "preview")
    if mode not in _MODES:
        raise wrong_argument("mode", f"mode must be one of {', '.join(_MODES)}.", choices=list(_MODES))
    return str(mode)


async def _manager(session: Session, held: Held, arguments: Arguments) -> Manager:
    settings = held.settings
    if (least := arguments.get("minMessages")) is not None:
        if least < 1:
            raise wrong_argument("minMessages", "minMessages must not be less than 1.")
        settings = replace(settings, min_messages=least)

    def snapshot() -> MemoryDirectory:
        # Anew each time: a directory may be read again while a model thinks.
        return session.as_on_disk(session.held_at(held.path))[0]

    return Manager(Store(held.path), settings, await _provider(session, held), snapshot)


async def _provider(session: Session, held: Held) -> Provider:
    def telling(word: str) -> Callable[[int, int], None]:
        return lambda done, total: progress.tell(f"{word} {done:,} of {total:,}", done, total)

    complete = session.complete
    try:
        # What it needs is imported by then, which takes a moment.
        return await asyncio.to_thread(
            provider_for,
            held.settings,
            key=session.workspace.key,
            editor=EditorModel(complete, held.settings.timeout_seconds) if complete is not None else None,
            is_trusted=session.workspace.is_trusted,
            extracting=telling("Read"),
            consolidating=telling("Decided on"),
        )
    except ModelError as error:
        raise _model_failed(error) from error


@asynccontextmanager
async def _at_work(session: Session, word: str) -> AsyncIterator[None]:
    """Work that the status tells of, and whose failure is told as a command's."""
    session.work.append(word)
    try:
        yield
    except ModelError as error:
        raise _model_failed(error) from error
    except OSError as error:
        raise failed(
            "readOnly", f"It could not be written down: {error.strerror}.", "Look at the state directory."
        ) from error
    finally:
        session.work.remove(word)


def _model_failed(error: ModelError) -> CommandError:
    return failed(error.kind, error.message, error.hint)


@asynccontextmanager
async def _alone(manager: Manager, log: chats.ChatLog, mode: str) -> AsyncIterator[None]:
    try:
        async with alone_with(manager.store, log, writes=mode != "dryRun"):
            yield
    except BusyError:
        message = "This log is being read into this memory directory already."
        raise failed("busy", message, "Try again when that is done.") from None


async def _settled(
    session: Session, held: Held, manager: Manager, proposal: Proposal, mode: str, name: str
) -> dict[str, Any]:
    """What becomes of a proposal in a mode, as a report."""
    if mode == "dryRun":
        return await _told(proposal.report("dryRun"), held)
    if mode == "preview":
        report = await writer.to_its_end(lambda: manager.keep(proposal, name))
        return await _told(report, held)
    if not proposal.plan.changes:
        warnings = await writer.to_its_end(lambda: manager.settle(proposal))
        report = proposal.report("skipped")
        return await _told(replace(report, warnings=(*report.warnings, *warnings)), held)
    return await _applied(session, held, manager, proposal, name)


async def _applied(session: Session, held: Held, manager: Manager, proposal: Proposal, name: str) -> dict[str, Any]:
    made: list[Drafted] = []

    def make(directory: MemoryDirectory) -> Plan:
        made.append(manager.drafted_again(proposal, directory))
        return made[-1].plan

    _, outcome = await writer.carry_out(session, session.held_at(held.path), make)
    done = replace(proposal, drafted=made[-1])
    if outcome.journal_id is None and outcome.refused:
        raise refused(outcome, is_new=True)
    warnings = await writer.to_its_end(lambda: manager.settle(done, outcome, name))
    session.read_evidence(session.held_at(held.path))
    if outcome.journal_id is None:
        return await _told(done.report("skipped"), held)
    report = done.applied(outcome)
    report = replace(report, warnings=(*report.warnings, *warnings))
    return {**await _told(report, held), "refused": refusals_as_json(outcome)}


async def _told(report: Report, held: Held) -> dict[str, Any]:
    # Diffs of a long index take their time.
    return {**await asyncio.to_thread(report.as_json), "directory": str(held.path)}
