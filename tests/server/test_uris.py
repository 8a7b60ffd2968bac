"""URIs as clients write them: one file under any spelling, and the client's own spelling comes back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_ls.server.convert import path_of, uri_of
from tests.making import memory, write_files
from tests.server.client import Client, uri
from tests.server.conftest import Start

FERRY = memory("ferry", body="[[rota]] [[停航]]\n")
INDEX = "- [ferry](ferry.md)\n- [rota](rota.md)\n- [停航](停航.md)\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(
        tmp_path / "memory",
        {
            "MEMORY.md": INDEX,
            "ferry.md": FERRY,
            "rota.md": memory("rota", body="R.\n"),
            "停航.md": memory("停航", body="停.\n"),
        },
    )


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("file:///w/a.md", "/w/a.md"),
        ("FILE:///w/a.md", "/w/a.md"),
        ("file:/w/a.md", "/w/a.md"),
        ("file://localhost/w/a.md", "/w/a.md"),
        ("file:///w/a%20b%23%3F%25.md", "/w/a b#?%.md"),
        ("file:///w/a;b&c=d.md", "/w/a;b&c=d.md"),
        ("file:///w/%E5%81%9C%E8%88%AA.md", "/w/停航.md"),
        ("file:///w/停航.md", "/w/停航.md"),
        ("file:///w/./x/../a.md", "/w/a.md"),
        ("file:///w//a.md", "/w/a.md"),
        ("file:///w/%FF.md", "/w/\udcff.md"),
        ("file:///c%3A/Users/a.md", None),
        ("file:///C:/Users/a.md", None),
        ("file://server/share/a.md", None),
        ("file://[/a.md", None),
        ("file:a.md", None),
        ("file:", None),
        ("file:///w/a%00.md", None),
        ("untitled:Untitled-1", None),
        ("git:/w/a.md?ref", None),
        ("vscode-notebook-cell:/w/a.md#1", None),
        ("", None),
        ("/w/a.md", None),
        ("file:///w/\ud800.md", None),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="paths of this kind")
def test_the_path_in_a_uri(given: str, path: str | None) -> None:
    assert path_of(given) == (None if path is None else Path(path))


@pytest.mark.parametrize("path", ["/w/a b.md", "/w/停航 #1?.md", "/w/50%.md", "/w/\udcff.md", "/w/a;b.md"])
def test_a_path_comes_back_from_its_uri(path: str) -> None:
    assert str(path_of(uri_of(path))) == path


def spelt_otherwise(path: Path) -> str:
    return uri(path).replace("/memory/", "/%6Demory/").replace("rota", "%72ota")


def test_the_spelling_of_the_client_comes_back(client: Client, directory: Path) -> None:
    write_files(directory, {"rota.md": memory("rota", body="[[nobody-here]]\n")})
    name = client.open(directory / "ferry.md")
    client.wait_for_codes(directory / "rota.md", "link-dead")
    other = spelt_otherwise(directory / "rota.md")
    client.open(other, memory("rota", body="[[nobody-here]]\n"), version=4)
    client.wait_for_codes(other, "link-dead")
    # Told once: under the other name it is taken back.
    client.wait_for_codes(directory / "rota.md")
    [found] = client.at("definition", name, 7, 3)
    assert found["targetUri"] == other
    client.close(other)
    client.barrier()
    assert client.codes(other) == ["link-dead"]


def test_one_file_open_under_two_spellings(client: Client, directory: Path) -> None:
    one, two = uri(directory / "rota.md"), spelt_otherwise(directory / "rota.md")
    client.open(one, memory("rota", body="[[first-text]]\n"))
    [found] = client.wait_for_codes(one, "link-dead")
    client.open(two, memory("rota", body="[[second-text]]\n"))
    [found] = client.wait_for_codes(two, "link-dead")
    assert "second" in found["message"]
    client.close(two)
    [found] = client.wait_for_codes(one, "link-dead")
    assert "first" in found["message"]
    client.close(one)
    client.wait_for_codes(one)


@pytest.mark.parametrize(
    "name",
    [
        "untitled:Untitled-1",
        "git:/w/memory/a.md?%7B%22ref%22%3A%22HEAD%22%7D",
        "vscode-notebook-cell:/w/n.ipynb#W0",
        "x",
    ],
)
def test_a_text_that_is_no_file(client: Client, name: str) -> None:
    client.open(name, memory("draft", kind=None, body="# Why\n\n[[#Why]] [[nobody]] [t](/etc/passwd)\n"))
    assert client.at("hover", name, 1, 1)["contents"]["value"].count("Links find it by this name")
    assert client.at("hover", name, 7, 12) is None
    assert client.at("definition", name, 7, 12) in (None, [])
    assert client.at("definition", name, 7, 32) in (None, [])
    client.change(name, "---\nname: draft\n\n---\n")
    assert [item["label"] for item in client.at("completion", name, 2, 0)["items"]] == ["description", "metadata"]
    client.close(name)
    client.barrier()
    assert client.diagnostics(name) == []


@pytest.mark.parametrize(
    "name", ["file:///c%3A/Users/mara/memory/a.md", "file:///C:/Users/mara/memory/a.md", "file://quay/memory/a.md"]
)
def test_a_file_of_another_system(client: Client, name: str) -> None:
    client.open(name, FERRY)
    client.change(name, FERRY)
    client.at("hover", name, 1, 1)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": name, "type": 3}]})
    client.close(name)
    client.barrier()


def test_markdown_that_is_no_memory_is_left_alone(client: Client, tmp_path: Path) -> None:
    post = write_files(tmp_path / "blog", {"post.md": "---\nname: a post\n\n---\n\n[[x]] [y](z.md)\n"}) / "post.md"
    name = client.open(post)
    assert client.at("hover", name, 1, 1) is None
    assert client.at("completion", name, 2, 0) is None
    assert client.at("definition", name, 5, 3) is None
    client.barrier()
    assert client.diagnostics(name) == []


def test_a_root_behind_a_symlink(start: Start, directory: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(directory.parent / "memory", target_is_directory=True)
    write_files(directory, {"rota.md": memory("rota", body="[[nobody-here]]\n")})
    client = start()
    client.initialize("neovim", link)
    client.wait_for_codes(link / "rota.md", "link-dead")
    name = client.open(link / "ferry.md", FERRY + "[[nobody-here]]\n")
    client.wait_for_codes(name, "link-dead")
    [found] = client.at("definition", name, 7, 3)
    assert found["targetUri"] == uri(link / "rota.md")
    # The same file by its real path is the same file.
    client.open(directory / "ferry.md", FERRY)
    client.wait_for_codes(name)
    assert all(not name.startswith(uri(directory)) for name in client.all_published())


def test_a_symlink_to_a_memory_is_that_memory(client: Client, directory: Path) -> None:
    alias = directory / "alias.md"
    alias.symlink_to(directory / "rota.md")
    name = client.open(alias, memory("rota", body="[[nobody-here]]\n"))
    client.wait_for_codes(name, "link-dead")
    client.wait(lambda: client.codes(directory / "rota.md") == [], "one identity")
    client.close(name)
    client.wait_for_codes(name)


def test_a_file_whose_name_is_no_text(client: Client, directory: Path) -> None:
    path = os.fsencode(directory) + b"/\xff\xfe.md"
    with open(path, "wb") as file:
        file.write(memory("odd", body="[[nobody-here]]\n").encode())
    client.open(directory / "ferry.md")
    odd = Path(os.fsdecode(path))
    client.wait_for_code(odd, "link-dead")
    assert uri(odd).endswith("%FF%FE.md")
