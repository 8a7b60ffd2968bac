"""What the client said of the world: its workspace folders and its settings, and where memories are by them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from memory_ls.directory import discover
from memory_ls.rules.registry import RULES
from memory_ls.settings import LoadedSettings, SettingProblem, Settings, directories_searched, user_file
from memory_ls.settings import load as load_settings

log = logging.getLogger(__name__)

# The section under which a client keeps our settings.
SECTION = "memoryLs"
# What comes with the settings at the start and is no setting.
_NOT_SETTINGS = frozenset({"complete", "apiKey", "apiKeys", "trusted", "showReferences", "tellChanges"})
# So many directories of the workspace folders are watched for new memory directories.
_MOST_WATCHED = 2_000


class Workspace:
    """The folders, the settings, and which directories they make memory directories.

    ``named`` are the memory directories that the settings name, as real paths. ``completes`` tells that the client can
    run a language model, and ``key`` is one for Anthropic's API that it has kept.
    """

    def __init__(self) -> None:
        self.folders: list[Path] = []
        self.is_trusted = True
        self.completes = False
        self.key: str | None = None
        self.named: tuple[Path, ...] = ()
        self.excluded = discover.Exclusion((), Path.cwd())
        self.settings = Settings()
        self._initial: Mapping[str, object] = {}
        self._later: Mapping[str, object] = {}
        self._problems: list[SettingProblem] = []

    def configure(self, folders: Iterable[Path], options: object) -> None:
        """Takes the folders and the initialization options."""
        self.folders = list(dict.fromkeys(folders))
        given = options if isinstance(options, Mapping) else {}
        self.is_trusted = given.get("trusted", True) is not False
        self.completes = given.get("complete") is True
        self.key = _key_in(given)
        self._initial = _settings_in(given)
        self._read()

    def change_settings(self, given: object) -> None:
        """Takes settings that the client sent later; they win over those it began with.

        They may stand under their section or by themselves. Anything else, null above all, changes none of them;
        the settings files are read again in any case.
        """
        if isinstance(given, Mapping) and isinstance(given.get(SECTION), Mapping):
            given = given[SECTION]
        if isinstance(given, Mapping) and SECTION not in given:
            if isinstance(trusted := given.get("trusted"), bool):
                self.is_trusted = trusted
            self._later = _settings_in(given)
        self._read()

    def change_folders(self, added: Iterable[Path], removed: Iterable[Path]) -> None:
        """Takes folders in and lets others go."""
        gone = set(removed)
        self.folders = list(dict.fromkeys([*(folder for folder in self.folders if folder not in gone), *added]))
        self._read()

    def settings_for(self, path: Path) -> LoadedSettings:
        """The settings that hold in the directory ``path``."""
        options = {**self._initial, **self._later}
        return load_settings(path, stop=self._folder_of(path), overrides=options, known_rules=RULES.keys())

    def settings_places(self, path: Path) -> tuple[Path, ...]:
        """The directories in which a settings file would hold for the directory ``path``."""
        return tuple(directories_searched(path, self._folder_of(path)))

    def _folder_of(self, path: Path) -> Path | None:
        # A folder that is a memory directory itself lies in a project, and that is where its settings end.
        return next((folder for folder in self.folders if folder in path.parents), None)

    def _read(self) -> None:
        base = self.folders[0] if self.folders else Path.cwd()
        loaded = self.settings_for(base)
        # Those in files are told at their place.
        problems = [problem for problem in loaded.problems if not os.path.isabs(problem.source)]
        if problems != self._problems:
            self._problems = problems
            for problem in problems:
                log.warning("%s: %s", problem.source, problem.message)
        self.settings = loaded.settings
        self.excluded = discover.Exclusion(loaded.settings.exclude, base)
        self.named = discover.named_by(loaded.settings, base)

    @property
    def target(self) -> Path | None:
        """The memory directory that new memories go to, where the settings say so; it need not be there."""
        return self.named[-1] if self.settings.directory else None

    def directory_of(self, file: Path) -> Path | None:
        """The memory directory that a markdown file lies in; ``None`` when in none."""
        found = discover.directory_of(file, self.named, self.excluded)
        return found or discover.directory_of(Path(os.path.realpath(file)), self.named, self.excluded)

    def look(self) -> list[Path]:
        """Every memory directory of the folders and of the settings. Takes a while: it reads the disk."""
        found = list(self.named)
        for folder in list(self.folders):
            found += discover.directories_below(folder, self.named, self.excluded)
            found.append(discover.project_directory(folder))
        return [path for path in dict.fromkeys(found) if self.is_memory_directory(path)]

    def is_memory_directory(self, path: Path) -> bool:
        """Whether ``path`` is there and counts as a memory directory."""
        return os.path.isdir(path) and path not in self.excluded and discover.is_memory_directory(path, self.named)

    def places_to_watch(self) -> set[str]:
        """Where a new memory directory or settings file would show, as directories that are there."""
        places = {_there(user_file().parent)}
        for folder in self.folders:
            places.add(_there(folder))
            places.update(map(str, discover.places_below(folder, self.excluded, most=_MOST_WATCHED)))
            places.add(_there(discover.project_directory(folder)))
        places.update(_there(path.parent) for path in self.named)
        return set(filter(os.path.isdir, places))


def _there(path: Path) -> str:
    """The directory ``path``, or the nearest above it that is there: in that one the next part of the path would show."""
    return str(next(each for each in (path, *path.parents) if os.path.isdir(each)))


def _key_in(given: Mapping[str, object]) -> str | None:
    """The key that an editor has kept for its user, if it gave one."""
    keys = given.get("apiKeys")
    key = keys.get("anthropic") if isinstance(keys, Mapping) else given.get("apiKey")
    return key if isinstance(key, str) and key.strip() else None


def _settings_in(given: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in given.items() if key not in _NOT_SETTINGS}
