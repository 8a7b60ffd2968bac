"""What belongs to a memory directory that the server holds, and what the disk says of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_ls.directory.loader import load
from memory_ls.directory.snapshot import MemoryDirectory, Trouble
from memory_ls.directory.style import style_of
from memory_ls.documents.memory import Dialect
from memory_ls.rules.registry import Diagnostic, Severity
from memory_ls.server.held import Held, changed_on_disk, from_disk, with_text
from memory_ls.settings import Settings
from memory_ls.text import Span
from tests.making import memory, write_files
from tests.server.client import uri

FILES = {
    "MEMORY.md": "- [ferry](ferry.md)\n",
    "ferry.md": memory("ferry"),
    "team/rota.md": memory("rota"),
    "plan.png": "x",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


@pytest.fixture
def held(root: Path) -> Held:
    found = Held(os.path.realpath(root), root)
    found.directory = load(root)
    return found


# ---- which files are its own


def test_keys_are_paths_below_the_directory(held: Held, root: Path, tmp_path: Path) -> None:
    assert held.key_of(root / "ferry.md") == "ferry.md"
    assert held.key_of(root / "team/new.md") == "team/new.md"
    assert held.key_of(root / "MEMORY.md") == "MEMORY.md"
    for other in ("plan.png", "logs/a.md", "team/MEMORY.md", "a/b/c/d.md", ".hidden.md", ".x/a.md"):
        assert held.key_of(root / other) is None
    for outside in (tmp_path / "ferry.md", tmp_path / "memory2/ferry.md", root):
        assert held.key_of(outside) is None


def test_the_way_to_a_file_does_not_matter(tmp_path: Path) -> None:
    real = write_files(tmp_path / "real", FILES)
    (tmp_path / "link").symlink_to(real)
    held = Held(str(real), tmp_path / "link")
    for path in (real / "ferry.md", tmp_path / "link/ferry.md", real / "gone.md", tmp_path / "link/gone.md"):
        assert held.key_of(path) == path.name
    (tmp_path / "other.md").symlink_to(real / "ferry.md")
    assert held.key_of(tmp_path / "other.md") == "ferry.md"
    # One that leads out is known by its own name.
    write_files(tmp_path, {"outside.md": memory("outside")})
    (real / "in.md").symlink_to(tmp_path / "outside.md")
    assert held.key_of(tmp_path / "link/in.md") == "in.md"
    assert held.uri_of("ferry.md") == uri(tmp_path / "link/ferry.md")
    held.uris["ferry.md"] = "file:///as/the/client/says"
    assert held.uri_of("ferry.md") == "file:///as/the/client/says"


def test_an_event_about_the_directory_concerns_all_its_files(held: Held, root: Path, tmp_path: Path) -> None:
    assert held.keys_at(root / "ferry.md") == {"ferry.md"}
    assert held.keys_at(root / "team") == {"team"}
    for path in (root, tmp_path, tmp_path.parent, Path(root.anchor)):
        assert held.keys_at(path) >= {"MEMORY.md", "ferry.md", "team/rota.md", "plan.png"}
    for path in (tmp_path / "elsewhere", tmp_path / "mem", tmp_path / "memory2"):
        assert held.keys_at(path) == set()
    held.directory = None
    assert "MEMORY.md" in held.keys_at(root)


def test_an_event_by_the_real_path_concerns_a_directory_behind_a_symlink(tmp_path: Path) -> None:
    real = write_files(tmp_path / "there/real", FILES)
    (tmp_path / "link").symlink_to(real)
    held = Held(str(real), tmp_path / "link")
    for path in (tmp_path / "link", real, real.parent):
        assert "MEMORY.md" in held.keys_at(path)


def test_every_directory_with_something_to_see_is_watched(held: Held, root: Path, tmp_path: Path) -> None:
    (root / "team/empty").mkdir()
    (root / ".git").mkdir()
    held.settings_places = (root, tmp_path, tmp_path.parent)
    watched = held.places_to_watch()
    assert watched == set(map(str, (root, root / "team", root / "team/empty", tmp_path, tmp_path.parent)))
    (root / "MEMORY.md").unlink()
    root.rename(tmp_path / "away")
    assert str(tmp_path) in held.places_to_watch()  # where it would come again


# ---- what the disk says


def test_one_file_is_looked_at_again(held: Held, root: Path) -> None:
    directory = held.directory
    assert directory is not None
    write_files(root, {"ferry.md": memory("skiff"), "new.md": memory("new"), "map.png": "x", "logs/a.md": "log\n"})
    (root / "team/rota.md").unlink()
    for key in ("ferry.md", "new.md", "map.png", "logs/a.md", "team/rota.md", "never.md"):
        directory = from_disk(directory, key)
    assert same(directory, load(root))


def test_a_file_that_can_not_be_read_is_known_to_be_there(held: Held, root: Path) -> None:
    directory = held.directory
    assert directory is not None
    (root / "huge.md").write_bytes(b"x" * (1 << 20) + b"y")
    (root / "loop.md").symlink_to(root / "gone-for-good.md")
    (root / "dir.md").mkdir()
    (root / "bytes.md").write_bytes(b"---\nname: bytes\n---\n\xff\xfe\n")
    for key in ("huge.md", "loop.md", "dir.md", "bytes.md"):
        directory = from_disk(directory, key)
    assert directory.facts["huge.md"].trouble is Trouble.TOO_LARGE
    assert directory.facts["loop.md"].trouble is Trouble.DANGLING
    assert directory.facts["dir.md"].trouble is Trouble.NOT_A_FILE
    assert directory.documents["bytes.md"].name == "bytes"
    assert same(directory, load(root))


def test_files_below_a_memory_directory_of_its_own_are_not_ours(held: Held, root: Path) -> None:
    directory = held.directory
    assert directory is not None
    write_files(root, {"team/MEMORY.md": "x\n"})
    for key in ("team/MEMORY.md", "team/rota.md"):
        directory = from_disk(directory, key)
    assert "team/rota.md" not in directory.documents
    assert same(directory, load(root))


def same(one: MemoryDirectory, other: MemoryDirectory) -> bool:
    def parts(directory: MemoryDirectory) -> object:
        texts = {key: document.source.text for key, document in directory.documents.items()}
        others = {key: document.source.text for key, document in directory.others.items()}
        return texts, others, directory.files.names, directory.index and directory.index.source.text

    return parts(one) == parts(other)


def test_what_changed_is_found_by_size_and_time(held: Held, root: Path) -> None:
    directory = held.directory
    assert directory is not None
    assert changed_on_disk(root, directory) == set()
    write_files(root, {"ferry.md": memory("longer-than-before"), "new.md": "", "team/pic.png": ""})
    same_size = (root / "MEMORY.md").read_text().replace("ferry]", "FERRY]")
    write_files(root, {"MEMORY.md": same_size})
    os.utime(root / "MEMORY.md", ns=(1, 1))
    (root / "team/rota.md").unlink()
    changed = changed_on_disk(root, directory)
    assert changed == {"ferry.md", "new.md", "team/pic.png", "MEMORY.md", "team/rota.md"}
    for key in changed:
        directory = from_disk(directory, key)
    assert changed_on_disk(root, directory) == set()
    assert same(directory, load(root))


def test_a_directory_that_is_gone_is_all_changed(held: Held, root: Path, tmp_path: Path) -> None:
    directory = held.directory
    assert directory is not None
    root.rename(tmp_path / "away")
    every = {"MEMORY.md", "ferry.md", "team/rota.md", "plan.png"}
    assert changed_on_disk(root, directory) == every
    write_files(tmp_path, {"memory": "a file of that name\n"})
    assert changed_on_disk(root, directory) == every


def test_an_open_text_over_the_limit_is_not_read(held: Held) -> None:
    directory = held.directory
    assert directory is not None
    large = with_text(directory, "ferry.md", memory("ferry", body="é" * (1 << 19)))
    assert "ferry.md" not in large.documents
    assert large.facts["ferry.md"].trouble is Trouble.TOO_LARGE
    small = with_text(large, "ferry.md", memory("ferry", body="é" * (1 << 18)))
    assert small.facts["ferry.md"].trouble is None
    assert small.documents["ferry.md"].name == "ferry"
    assert with_text(small, "ferry.md", small.documents["ferry.md"].source.text) is small
    surrogate = with_text(directory, "ferry.md", memory("ferry", body="\ud83d" * (1 << 19)))
    assert surrogate.facts["ferry.md"].trouble is Trouble.TOO_LARGE


# ---- what was found


def found(start: int, end: int) -> Diagnostic:
    return Diagnostic("stale", Severity.HINT, Span(start, end), "Old.")


def test_findings_move_with_the_text_until_they_are_looked_for_again(held: Held) -> None:
    old = "one two three four"
    held.costly["ferry.md"] = [found(0, 3), found(4, 7), found(14, 18)]
    held.alike["ferry.md"] = [found(8, 13)]
    held.carry("ferry.md", old, "one 2 three four")
    assert [item.span for item in held.costly["ferry.md"]] == [Span(0, 3), Span(12, 16)]
    assert [item.span for item in held.alike["ferry.md"]] == [Span(6, 11)]
    held.carry("ferry.md", "one 2 three four", "")
    assert held.costly["ferry.md"] == held.alike["ferry.md"] == []


def test_findings_stay_inside_the_text(held: Held) -> None:
    for old, new in (("aaaa", "aa"), ("aa", "aaaa"), ("abab", "ab"), ("", "x"), ("x", ""), ("aXa", "aa")):
        held.costly["ferry.md"] = [found(start, end) for end in range(len(old) + 1) for start in range(end + 1)]
        held.carry("ferry.md", old, new)
        for item in held.costly["ferry.md"]:
            assert 0 <= item.span.start <= item.span.end <= len(new)


def test_all_findings_in_the_order_of_the_text(held: Held) -> None:
    held.quick["ferry.md"] = [found(5, 6)]
    held.costly["ferry.md"] = [found(1, 2)]
    held.alike["ferry.md"] = [found(3, 4)]
    assert [item.span.start for item in held.diagnostics("ferry.md")] == [1, 3, 5]
    assert held.diagnostics("never.md") == []


def test_the_dialect_of_the_settings_wins(held: Held) -> None:
    assert held.directory is not None
    held.style = style_of(held.directory)
    used = [held.style_in_use.dialect]
    held.settings = Settings(dialect="flat")
    used += [held.style_in_use.dialect, held.style.dialect]
    assert used == [Dialect.NESTED, Dialect.FLAT, Dialect.NESTED]
