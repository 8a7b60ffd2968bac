"""Where memory directories are: below a folder, above a file, and in the agents' home.

The rules are in `tests/directory/discovery_cases.json`, one table that every client's tests share.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeAlias

from memory_ls.documents.index import INDEX_NAME
from memory_ls.settings import Settings

# Below a project or a home directory; `*` is any one name without a dot in front.
KNOWN_PLACES = (
    (".claude", "memory"),
    (".agents", "memory"),
    (".cat-code", "memory"),
    (".claude", "agent-memory", "*"),
    (".claude", "agent-memory-local", "*"),
    (".claude", "projects", "*", "memory"),
)
LEVELS_UP = 4
DEPTH_DOWN = 6
MOST_ENTRIES = 20_000
_NEVER = frozenset({".git", "node_modules", "__pycache__", "venv", ".venv", "env", "site-packages", ".tox", ".hg"})
_DOT_PLACES = frozenset(place[0] for place in KNOWN_PLACES)
KEY_LENGTH = 200
# For each of some parts of a path that follow each other, whether it is as wanted.
_Run: TypeAlias = tuple[Callable[[str], object], ...]


def is_known_place(path: Path) -> bool:
    """Whether an agent keeps memories in directories with such a path."""
    return any(
        len(path.parts) > len(place) and all(map(_fits, place, path.parts[-len(place) :])) for place in KNOWN_PLACES
    )


def _fits(want: str, part: str) -> bool:
    return want == part or (want == "*" and not part.startswith("."))


def is_lenient(path: Path, named: Collection[Path] = ()) -> bool:
    """Whether every markdown file in the memory directory ``path`` counts as a memory, with frontmatter or not."""
    return path.name == "memory" or is_known_place(path) or path in named


def is_memory_directory(path: Path, named: Collection[Path] = ()) -> bool:
    """Whether ``path`` is a memory directory: named in the settings, with an index, or a known place with markdown."""
    return path in named or os.path.isfile(path / INDEX_NAME) or (is_known_place(path) and holds_markdown(path))


def too_wide(path: Path) -> str | None:
    """Why the root of a disk, or the user's home, is no memory directory; ``None`` for any other."""
    real = Path(os.path.realpath(path))
    if real not in (Path(real.anchor), Path(os.path.realpath(Path.home()))):
        return None
    return "holds far more than memories: every markdown file in it would count as one. Name a directory in it."


def holds_markdown(path: Path) -> bool:
    """Whether a file in ``path`` has a markdown file's name."""
    try:
        with os.scandir(path) as entries:
            return any(entry.name.endswith(".md") for entry in entries)
    except OSError:
        return False


def named_by(settings: Settings, base: Path) -> tuple[Path, ...]:
    """The memory directories that the settings name, as real paths; relative ones count from ``base``."""
    names = [*settings.directories, *([settings.directory] if settings.directory else [])]
    return tuple(Path(os.path.realpath(base / os.path.expanduser(name))) for name in names)


class Exclusion:
    """The directories that the setting ``exclude`` leaves out; asked with ``in``.

    A pattern is a path, and stands for all that lies below it too: absolute, from the home directory (``~``), or
    from ``base``. Its parts may hold ``*``, ``?`` and ``[…]``; the part ``**`` is any number of directories, or none.
    Without a ``/`` it is a name, anywhere below ``base`` and in whatever lies elsewhere, but not in the path to ``base``.
    """

    def __init__(self, patterns: Iterable[str], base: Path) -> None:
        # A directory may be asked for by its real path, when `base` leads through a link.
        self._bases = tuple(dict.fromkeys((base, Path(os.path.realpath(base)))))
        literal = [Path(glob.escape(str(each))) for each in self._bases]
        self._names: list[Callable[[str], object]] = []
        self._paths: list[list[_Run]] = []
        for pattern in patterns:
            if "/" in pattern.rstrip("/") or pattern.startswith("~"):
                inside = os.path.expanduser(pattern)
                self._paths += (_runs(Path(os.path.normpath(each / inside)).parts) for each in literal)
            elif pattern.strip():
                name = pattern.rstrip("/")
                self._names.append(_wanted(name))
                self._paths += (_runs((*each.parts, "**", name)) for each in literal)

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, Path):
            return False
        if any(_is_at_or_below(path.parts, pattern) for pattern in self._paths):
            return True
        if not self._names or any(base == path or base in path.parents for base in self._bases):
            return False
        return any(fits(part) for fits in self._names for part in path.parts)


def _runs(pattern: tuple[str, ...]) -> list[_Run]:
    """What the parts of a pattern between those that are ``**`` want; of several in a row, one counts."""
    stars = [-1, *(number for number, part in enumerate(pattern) if part == "**"), len(pattern)]
    runs = (tuple(map(_wanted, pattern[before + 1 : after])) for before, after in pairwise(stars))
    return [run for run in runs if run]


def _wanted(pattern: str) -> Callable[[str], object]:
    """Tells whether one part of a path is as a part of a pattern wants it."""
    # Most are no patterns, and many directories are asked about.
    return re.compile(fnmatch.translate(pattern)).match if re.search(r"[*?[]", pattern) else pattern.__eq__


def _is_at_or_below(parts: tuple[str, ...], runs: list[_Run]) -> bool:
    """Whether a path begins as a pattern wants: with the first run, and with each of the others somewhere behind."""
    at = 0
    for number, run in enumerate(runs):
        last = len(parts) - len(run) if number else 0
        # The first place is as good as any, since whatever follows a run may begin anywhere behind it.
        starts = range(at, last + 1)
        at = next(
            (start for start in starts if all(fits(part) for fits, part in zip(run, parts[start:], strict=False))),
            len(parts),
        ) + len(run)
        if at > len(parts):
            return False
    return True


def directory_of(file: Path, named: Collection[Path] = (), excluded: Container[Path] = ()) -> Path | None:
    """The memory directory that the markdown file ``file`` lies in, looked for upwards; ``None`` when in none.

    The file itself need not exist yet: a new file in a known place makes it a memory directory.
    """
    for parent in list(file.parents)[:LEVELS_UP]:
        if parent in excluded:
            return None
        if parent in named or os.path.isfile(parent / INDEX_NAME) or is_known_place(parent):
            return parent
    return None


def directories_below(root: Path, named: Collection[Path] = (), excluded: Container[Path] = ()) -> list[Path]:
    """Every memory directory at or below ``root``, sorted. Nothing is followed through symlinked directories.

    In the home directory or ``/`` only the known places are looked at.
    """
    found = {path for path in named if os.path.isdir(path) and (path == root or root in path.parents)}
    walk = _known_places_below(root) if root in (Path.home(), Path(root.anchor)) else _walk(root, excluded)
    found.update(path for path in walk if is_memory_directory(path, named))
    return sorted(path for path in found if path not in excluded)


def places_below(root: Path, excluded: Container[Path] = (), *, most: int) -> list[Path]:
    """The directories at or below ``root`` in which a memory directory could come into being, the nearest first.

    Of those that :func:`directories_below` looks into, at most ``most``.
    """
    if root in (Path.home(), Path(root.anchor)):
        starts = (place[:depth] for place in KNOWN_PLACES for depth in range(len(place)) if "*" not in place[:depth])
        return sorted(filter(os.path.isdir, {root.joinpath(*start) for start in starts}))
    return list(islice(_walk(root, excluded), most))


def _known_places_below(root: Path) -> Iterator[Path]:
    for place in KNOWN_PLACES:
        yield from (path for path in _matching(root, place) if is_known_place(path))


def _matching(root: Path, place: tuple[str, ...]) -> list[Path]:
    """The directories below ``root`` that a known place stands for, without those that may not be looked at."""
    found = [root]
    for part in place:
        found = [path for parent in found for path in (_entries(parent) if part == "*" else [parent / part])]
    return list(filter(os.path.isdir, found))


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory / name for name in os.listdir(directory))
    except OSError:
        return []


def _walk(root: Path, excluded: Container[Path]) -> Iterator[Path]:
    """The directories below ``root`` worth a look, breadth first, so that a limit cuts the deepest."""
    level, seen = [root], 0
    for depth in range(DEPTH_DOWN + 1):
        below: list[Path] = []
        for directory in level:
            yield directory
            if depth == DEPTH_DOWN or seen > MOST_ENTRIES:
                continue
            try:
                with os.scandir(directory) as entries:
                    names = []
                    for entry in entries:
                        seen += 1
                        if entry.is_dir(follow_symlinks=False) and not _is_skipped(directory, entry.name, root):
                            names.append(entry.name)
            except OSError:
                continue
            below.extend(path for name in sorted(names) if (path := directory / name) not in excluded)
        level = below


def _is_skipped(parent: Path, name: str, root: Path) -> bool:
    if name in _NEVER:
        return True
    if name.startswith(".") and name not in _DOT_PLACES:
        return True
    if os.path.exists(os.path.join(parent, name, "pyvenv.cfg")):
        return True
    # Inside `.claude` and the like only what leads to a known place.
    inside = parent.relative_to(root).parts
    start = next((number for number, part in enumerate(inside) if part in _DOT_PLACES), None)
    if start is None:
        return False
    parts = (*inside[start:], name)
    return not any(
        all(map(_fits, place, parts))  # as far as both go
        for place in KNOWN_PLACES
    )


def project_directory(folder: Path, home: Path | None = None) -> Path:
    """Where Claude Code keeps the memories of the project in ``folder``; the path need not exist."""
    key = agents_key(_common_root(folder))
    projects = (home or Path.home()) / ".claude" / "projects"
    if len(key) > KEY_LENGTH:
        # Longer keys are cut and given a hash whose making is not documented: find it by what was kept.
        kept = key[:KEY_LENGTH]
        longer = [path for path in _entries(projects) if path.name.startswith(kept) and os.path.isdir(path)]
        return (longer[0] if longer else projects / kept) / "memory"
    return projects / key / "memory"


def agents_key(directory: Path) -> str:
    """The name under which Claude Code files what belongs to a directory, before it is cut."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(directory))


def _common_root(folder: Path) -> Path:
    """The main work tree of the git repository that ``folder`` is in, also from a linked one; else ``folder``."""
    for directory in (folder, *folder.parents):
        git = directory / ".git"
        if os.path.isdir(git):
            return directory
        if os.path.isfile(git):
            try:
                pointer = git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
                common = (directory / pointer / "commondir").read_text(encoding="utf-8").strip()
            except (OSError, ValueError):
                return directory
            return Path(os.path.normpath(directory / pointer / common)).parent
    return folder
