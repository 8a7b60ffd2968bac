"""The house stands as it was drawn: nothing imports upwards, and heavy libraries load only where they are used."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "memory_ls"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each floor may import what lies below it, and its own part of the house. Some parts are still to come.
FLOORS = (
    {"settings", "text", "secret_scan"},
    {"documents", "chats"},
    {"directory"},
    {"changes"},
    {"rules", "store"},
    {"pipeline"},
    {"agents"},  # what agents are given, the server and the command line give too
    {"server", "cli"},
)
FLOOR_OF = {part: number for number, floor in enumerate(FLOORS) for part in floor}
PROTOCOL = {"pygls", "lsprotocol"}


class Import(NamedTuple):
    """One import: where it is written, in which function, and what it names."""

    module: str
    line: int
    function: str | None
    target: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> Iterator[Import]:
    """Every import in a module, those in functions and in ``if TYPE_CHECKING`` too."""
    yield from _imports_in(ast.parse(path.read_text(encoding="utf-8")), path, None)


def _imports_in(node: ast.AST, path: Path, function: str | None) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(name_of(path), child.lineno, function, alias.name)
        elif isinstance(child, ast.ImportFrom):
            base = child.module or ""
            if child.level:
                package = name_of(path).split(".")
                package = package[: len(package) - child.level + (path.name == "__init__.py")]
                base = ".".join([*package, *([base] if base else [])])
            for alias in child.names:
                yield Import(name_of(path), child.lineno, function, f"{base}.{alias.name}")
        inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        yield from _imports_in(child, path, inner)


def part_of(module: str) -> str | None:
    """The part of the house that a module of ours belongs to; ``None`` for the package itself and for libraries."""
    parts = module.split(".")
    return parts[1] if parts[0] == "memory_ls" and len(parts) > 1 and parts[1] in FLOOR_OF else None


ALL = [each for path in MODULES for each in imports_of(path)]


def test_imports_are_seen() -> None:
    assert any(each.function and each.target.startswith("rapidfuzz") for each in ALL)
    assert any(part_of(each.target) for each in ALL)


def test_every_module_has_a_floor() -> None:
    parts = {name_of(path).split(".")[1] for path in MODULES if path.parent != PACKAGE or path.stem[0] != "_"}
    assert parts <= FLOOR_OF.keys()


def test_nothing_imports_upwards() -> None:
    upwards = []
    for each in ALL:
        own, target = part_of(each.module), part_of(each.target)
        if own and target and FLOOR_OF[target] > FLOOR_OF[own]:
            upwards.append(str(each))
    assert upwards == []


def test_parts_of_one_floor_do_not_lean_on_each_other() -> None:
    sideways = []
    for each in ALL:
        own, target = part_of(each.module), part_of(each.target)
        is_beside = own and target and own != target and FLOOR_OF[own] == FLOOR_OF[target]
        if is_beside and FLOOR_OF[own or ""] > 0 and (own, target, each.function) != ("cli", "server", "serve"):
            sideways.append(str(each))
    assert sideways == []


def test_only_the_server_knows_the_protocols_library() -> None:
    found = [str(each) for each in ALL if each.target.split(".")[0] in PROTOCOL and part_of(each.module) != "server"]
    assert found == []


def test_command_line_imports_the_server_only_to_serve() -> None:
    found = {
        (each.module, each.function)
        for each in ALL
        if part_of(each.module) == "cli" and part_of(each.target) == "server"
    }
    assert found == {("memory_ls.cli.main", "serve")}


def test_documents_know_no_file_and_no_clock() -> None:
    forbidden = {"os", "pathlib", "io", "time", "shutil", "tempfile", "subprocess", "socket"}
    pure = {"documents", "chats", "changes", "text", "secret_scan"}
    found = [str(each) for each in ALL if part_of(each.module) in pure and each.target.split(".")[0] in forbidden]
    assert found == []


HEAVY = {"pygls", "lsprotocol", "anthropic", "rich", "mcp", "asyncio"}


@pytest.mark.parametrize("arguments", [["check"], ["check", "--format", "json"], ["list"], ["rules"], ["logs"]])
def test_heavy_libraries_are_not_loaded_without_need(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("- [x](x.md)\n- [표](gone.md)\n", encoding="utf-8")
    (tmp_path / "memory" / "x.md").write_text("---\nname: X\n---\nSee [[ex]], cafÃ©.\n", encoding="utf-8")
    environment = {**os.environ, "HOME": str(tmp_path / "home"), "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "memory_ls", *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == (1 if "check" in arguments else 0)
    loaded = {
        line.rpartition("|")[2].strip().split(".")[0]
        for line in done.stderr.decode().splitlines()
        if line.startswith("import time:")
    }
    assert "click" in loaded
    assert loaded & HEAVY == set()
