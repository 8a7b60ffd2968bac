"""Which memory directories a command is about, and the settings that hold there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from memory_ls.directory import discover, loader
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.documents.index import INDEX_NAME
from memory_ls.rules.registry import RULES
from memory_ls.settings import LoadedSettings, load


class Failure(click.ClickException):
    """Something that can't be done; the exit status is 2."""

    exit_code = 2

    def format_message(self) -> str:
        """The message, fit for a terminal whatever the names of files in it hold."""
        from memory_ls.cli.report import printable

        return "\n".join(map(printable, self.message.split("\n")))


def settings_for(directory: Path, config: Path | None, overrides: Mapping[str, object] | None = None) -> LoadedSettings:
    """The settings that hold for a memory directory. ``overrides`` are those of the command line.

    Outside of a git repository the current directory is the project, so its settings file counts too.
    """
    in_git = any(os.path.exists(parent / ".git") for parent in (directory, *directory.parents))
    return load(
        directory,
        stop=None if in_git else Path.cwd(),
        config_file=config,
        overrides=overrides,
        known_rules=RULES.keys(),
        overrides_source="command line",
    )


def load_directory(root: Path, config: Path | None) -> MemoryDirectory:
    """The memory directory at ``root``, the same for every command.

    Raises:
        Failure: it can't be read.
    """
    # Whoever names a directory without an index means all that is in it.
    lenient = discover.is_lenient(root, named_directories(config)) or not os.path.exists(root / INDEX_NAME)
    try:
        return loader.load(root, lenient=lenient)
    except OSError as error:
        raise Failure(f"{root}: can't be read: {error.strerror}.") from error


def named_directories(config: Path | None) -> tuple[Path, ...]:
    """The memory directories that the settings name."""
    return discover.named_by(settings_for(Path.cwd(), config).settings, Path.cwd())


def exclusion(config: Path | None) -> discover.Exclusion:
    """What the settings leave out."""
    return discover.Exclusion(settings_for(Path.cwd(), config).settings.exclude, Path.cwd())


def default_directories(config: Path | None) -> list[Path]:
    """The memory directories that a command without a path is about.

    The one around the current directory; else those below it; else the project's in the agents' home.
    """
    here = Path.cwd()
    named, excluded = named_directories(config), exclusion(config)
    around = discover.directory_of(here / INDEX_NAME, named, excluded)
    if around is not None and discover.is_memory_directory(around, named):
        return [around]
    below = discover.directories_below(here, named, excluded)
    project = discover.project_directory(here)
    if not below and project not in excluded and discover.is_memory_directory(project, named):
        return [project]
    return below or [path for path in named if os.path.isdir(path) and path not in excluded]


def one_directory(directory: Path | None, config: Path | None) -> Path:
    """The one memory directory that a command is about.

    Raises:
        Failure: there is none, or there are several to choose from.
    """
    if directory is not None and not os.path.isdir(directory):
        raise Failure(f"{directory}: no such directory.")
    found = directories_in(directory, config) if directory is not None else default_directories(config)
    if not found and directory is not None:
        return Path(os.path.realpath(directory))  # an empty one can still be meant
    if not found:
        raise Failure(NOTHING_FOUND)
    if directory is not None and Path(os.path.realpath(directory)) in found:
        return Path(os.path.realpath(directory))
    if len(found) > 1:
        lines = "\n".join(f"  {shown(path)}" for path in found)
        raise Failure(f"There are several memory directories here. Choose one with --directory:\n{lines}")
    return found[0]


NOTHING_FOUND = (
    "No memory directory found here. One is a directory with an index MEMORY.md, or a place that agents use "
    "(.claude/memory, .agents/memory …). Name it: memory-ls check PATH."
)


def directories_in(path: Path, config: Path | None) -> list[Path]:
    """The memory directories that the directory ``path``, named outright, stands for."""
    path = Path(os.path.realpath(path))
    below = discover.directories_below(path, named_directories(config), exclusion(config))
    if below:
        return below
    # Whoever names a directory means it: any with markdown will do.
    return [path] if discover.holds_markdown(path) else []


def around_part(path: Path, config: Path | None) -> Path | None:
    """The memory directory that ``path`` is only a sub-directory of; ``None`` when it is one, or holds some, itself."""
    path = Path(os.path.realpath(path))
    named = named_directories(config)
    if discover.is_memory_directory(path, named):
        return None
    around = discover.directory_of(path / INDEX_NAME, named)
    return around if around is not None and discover.is_memory_directory(around, named) else None


def shown(path: str | Path) -> str:
    """A path as it is printed: relative to the current directory, with ``/``; absolute only on another drive."""
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive
        return str(path).replace(os.sep, "/")
    return relative.replace(os.sep, "/")
