"""Reading a directory from the disk, whatever lies in it."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

import pytest

from memory_ls.directory import loader
from memory_ls.directory.loader import is_candidate, list_files, load, load_in_steps, read_file
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.documents.index import INDEX_NAME
from memory_ls.rules.check import all_keys, check_costly, check_document, check_together
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.settings import Settings
from memory_ls.text import Span
from tests.making import memory, write_files

_GOOD = memory("tides", body="See [[ports]].\n")
_PORTS = memory("ports", "Which ports are served", body="Three.\n")
_INDEX = "- [Tides](tides.md) — when\n- [Ports](ports.md) — where\n"


def _found(value: MemoryDirectory) -> dict[str, list[Diagnostic]]:
    context = Context(value, Settings(), date(2026, 8, 10))
    found = {key: check_document(context, key) + check_costly(context, key) for key in all_keys(context)}
    for key, more in check_together(context).items():
        found[key] = found[key] + more
    return {key: diagnostics for key, diagnostics in found.items() if diagnostics}


def _only(value: MemoryDirectory, key: str) -> Diagnostic:
    """The one diagnostic about ``key``, after making sure that it is the only one and all else is served."""
    found = _found(value)
    assert list(found) == [key]
    assert len(found[key]) == 1, [diagnostic.code for diagnostic in found[key]]
    return found[key][0]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", {"MEMORY.md": _INDEX, "tides.md": _GOOD, "ports.md": _PORTS})


def _listed(root: Path, name: str) -> None:
    (root / INDEX_NAME).write_text(f"{_INDEX}- [Odd](<{name}>) — odd\n", encoding="utf-8")


class TestADirectoryInOrder:
    def test_has_its_memories_its_index_and_its_files(self, root: Path) -> None:
        write_files(root, {"plan.png": b"\x89PNG", "team/data.json": "{}", "README.md": "# Read me\n"})
        value = load(root)
        assert list(value.documents) == ["ports.md", "tides.md"]
        assert value.index is not None
        assert list(value.others) == ["README.md"]
        assert value.files.names == {
            "MEMORY.md",
            "README.md",
            "plan.png",
            "ports.md",
            "team/data.json",
            "tides.md",
        }
        assert value.root == str(root)
        assert _found(value) == {}

    def test_knows_size_and_time_of_each_markdown_file(self, root: Path) -> None:
        os.utime(root / "tides.md", ns=(5, 1_700_000_000_000_000_000))
        facts = load(root).facts
        assert facts.keys() == {"MEMORY.md", "ports.md", "tides.md"}
        assert facts["tides.md"] == FileFacts(len(_GOOD.encode()), 1_700_000_000_000_000_000)

    def test_is_read_in_steps_that_say_how_far_they_are(self, tmp_path: Path) -> None:
        write_files(tmp_path, {f"n{number:03}.md": _GOOD for number in range(130)})
        assert list(load_in_steps(tmp_path)) == [0, 64, 128]

    def test_that_is_empty_has_nothing(self, tmp_path: Path) -> None:
        value = load(tmp_path)
        assert (value.documents, value.index, value.files.names) == ({}, None, frozenset())

    def test_that_is_not_there_raises(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            load(tmp_path / "gone")

    def test_is_lenient_by_its_own_name_unless_told(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"docs/MEMORY.md": "", "docs/a.md": "Text.\n"})
        assert list(load(tmp_path / "docs").documents) == []
        assert list(load(tmp_path / "docs", lenient=True).documents) == ["a.md"]


class TestTextThatIsNoUtf8:
    def test_is_told_once_at_the_byte_and_the_rest_is_served(self, root: Path) -> None:
        (root / "odd.md").write_bytes(b"---\nname: odd\n---\n\nCaf\xe9 am Kai\n")
        _listed(root, "odd.md")
        value = load(root)
        finding = _only(value, "odd.md")
        assert (finding.code, finding.span, finding.data) == ("file-encoding", Span(22, 23), {"byte": 22})
        assert value.documents["odd.md"].name == "odd"

    def test_is_told_at_the_bad_byte_and_not_at_a_replacement_character_of_the_authors(self, root: Path) -> None:
        text = "---\nname: 古い\n---\n\nA \ufffd of our own, then "
        (root / "odd.md").write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\xff.\n")
        _listed(root, "odd.md")
        finding = _only(load(root), "odd.md")
        assert finding.span == Span(len(text), len(text) + 1)
        assert finding.data == {"byte": 3 + len(text.encode())}

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_in_wide_characters_is_told_once(self, root: Path, encoding: str) -> None:
        (root / "odd.md").write_bytes(_GOOD.replace("tides", "odd").encode(encoding))
        _listed(root, "odd.md")
        assert _only(load(root), "odd.md").code == "file-encoding"

    def test_in_utf_16_with_a_mark_is_called_that(self, root: Path) -> None:
        (root / "odd.md").write_bytes("---\nname: odd\n---\n\nText.\n".encode("utf-16"))
        _listed(root, "odd.md")
        assert "UTF-16" in _only(load(root), "odd.md").message

    def test_with_a_nul_is_told_there(self, root: Path) -> None:
        (root / "odd.md").write_bytes(b"---\nname: odd\n---\n\nText\0 more\0\n")
        _listed(root, "odd.md")
        finding = _only(load(root), "odd.md")
        assert (finding.code, finding.span) == ("file-encoding", Span(23, 24))

    def test_in_the_index_is_told_once_and_the_memories_are_served(self, root: Path) -> None:
        (root / INDEX_NAME).write_bytes(_INDEX.encode() + b"- caf\xe9 by the quay, open until six in the evening\n")
        value = load(root)
        assert _only(value, INDEX_NAME).code == "file-encoding"
        assert len(value.documents) == 2

    def test_cut_off_within_its_last_character_is_told(self, root: Path) -> None:
        (root / "odd.md").write_bytes("---\nname: odd\ndescription: d\n---\n\n潮".encode()[:-1])
        _listed(root, "odd.md")
        assert _only(load(root), "odd.md").code == "file-encoding"


class TestABom:
    def test_is_no_part_of_the_text_and_remembered(self, root: Path) -> None:
        (root / "tides.md").write_bytes(b"\xef\xbb\xbf" + _GOOD.encode())
        value = load(root)
        assert value.facts["tides.md"].has_bom
        assert value.documents["tides.md"].source.text == _GOOD
        assert _found(value) == {}


class TestAFileThatIsTooLarge:
    def test_is_not_read_and_told_once(self, root: Path) -> None:
        with (root / "odd.md").open("wb") as file:
            file.truncate(50 << 20)
        _listed(root, "odd.md")
        value = load(root)
        finding = _only(value, "odd.md")
        assert (finding.code, finding.span) == ("file-too-large", Span(0, 0))
        assert finding.data == {"size": 50 << 20}
        assert "1,048,576" in finding.message
        assert "odd.md" not in value.documents

    def test_may_have_a_mebibyte(self, root: Path) -> None:
        text = memory("odd", body="")
        (root / "odd.md").write_text(text + "a\n" * (((1 << 20) - len(text)) // 2), encoding="utf-8")
        assert "odd.md" in load(root).documents

    def test_the_index_may_have_more(self, root: Path) -> None:
        (root / INDEX_NAME).write_text(_INDEX + "\n" * (2 << 20), encoding="utf-8")
        assert load(root).index is not None
        with (root / INDEX_NAME).open("wb") as file:
            file.truncate(50 << 20)
        value = load(root)
        assert value.index is None
        assert _only(value, INDEX_NAME).code == "file-too-large"


class TestWhatIsNoFile:
    def test_a_link_to_nothing(self, root: Path) -> None:
        (root / "odd.md").symlink_to("gone.md")
        _listed(root, "odd.md")
        finding = _only(load(root), "odd.md")
        assert (finding.code, finding.data) == ("file-unreadable", {"reason": "dangling"})

    def test_links_in_a_ring(self, root: Path) -> None:
        (root / "odd.md").symlink_to("even.md")
        (root / "even.md").symlink_to("odd.md")
        value = load(root)
        found = _found(value)
        assert {(key, d.code) for key, diagnostics in found.items() for d in diagnostics} == {
            ("odd.md", "file-unreadable"),
            ("even.md", "file-unreadable"),
        }
        assert len(value.documents) == 2

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
    def test_a_named_pipe_is_not_waited_for(self, root: Path) -> None:
        os.mkfifo(root / "odd.md")
        _listed(root, "odd.md")
        finding = _only(load(root), "odd.md")
        assert (finding.code, finding.data) == ("file-unreadable", {"reason": "not a file"})

    def test_a_directory_called_like_a_memory(self, root: Path) -> None:
        write_files(root, {"odd.md/inner.md": memory("inner", "Of the inner harbour", body="Deep.\n")})
        (root / INDEX_NAME).write_text(f"{_INDEX}- [Inner](odd.md/inner.md)\n", encoding="utf-8")
        value = load(root)
        finding = _only(value, "odd.md")
        assert (finding.code, finding.data) == ("file-unreadable", {"reason": "not a file"})
        assert "odd.md/inner.md" in value.documents

    def test_a_directory_called_like_the_index(self, root: Path) -> None:
        (root / INDEX_NAME).unlink()
        (root / INDEX_NAME).mkdir()
        value = load(root)
        finding = _only(value, INDEX_NAME)
        assert (finding.code, finding.data) == ("file-unreadable", {"reason": "not a file"})
        assert "index" in finding.message
        assert len(value.documents) == 2


class TestAFileThatMayNotBeRead:
    def test_is_told_once_with_the_systems_word(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_files(root, {"odd.md": _GOOD})
        really = os.open

        def refusing(path: str, *rest: int) -> int:
            if str(path).endswith("odd.md"):
                raise PermissionError(13, "Permission denied")
            return really(path, *rest)

        monkeypatch.setattr(os, "open", refusing)
        value = load(root)
        finding = _only(value, "odd.md")
        assert (finding.code, finding.data) == ("file-unreadable", {"reason": "unreadable"})
        assert "Permission denied" in finding.message

    def test_is_told_once_when_reading_breaks_off(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_: object) -> bytes:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(os, "read", broken)
        text, facts = read_file(str(root / "tides.md"))
        assert (text, facts.trouble, facts.detail) == (None, Trouble.UNREADABLE, "Input/output error")

    def test_that_went_away_after_it_was_listed_is_told(self, root: Path) -> None:
        steps = load_in_steps(root)
        next(steps)
        (root / "tides.md").unlink()
        with pytest.raises(StopIteration) as done:
            next(steps)
        value = done.value.value
        assert value.facts["tides.md"].trouble is Trouble.UNREADABLE
        assert list(value.documents) == ["ports.md"]


class TestAFileThatGrowsOrShrinksWhileItIsRead:
    def test_is_read_to_its_end(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        text = memory("tides", body="a" * 100_000)
        (root / "tides.md").write_text(text, encoding="utf-8")
        really = os.read
        monkeypatch.setattr(os, "read", lambda descriptor, count: really(descriptor, min(count, 1_000)))
        assert read_file(str(root / "tides.md"))[0] == text


class TestAllAtOnce:
    def test_each_trouble_has_one_diagnostic_and_the_rest_is_served(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write_files(
            root, {"latin.md": b"---\nname: latin\n---\n\xe9\n", "wide.md": _GOOD.encode("utf-16"), "nul.md": b"a\0"}
        )
        with (root / "large.md").open("wb") as file:
            file.truncate(50 << 20)
        (root / "gone.md").symlink_to("nowhere")
        (root / "ring.md").symlink_to("ring.md")
        (root / "around").symlink_to("..")
        os.mkfifo(root / "pipe.md")
        (root / "folder.md").mkdir()
        value = load(root)
        found = _found(value)
        assert {key: [d.code for d in diagnostics] for key, diagnostics in found.items()} == {
            "latin.md": ["file-encoding"],
            "wide.md": ["file-encoding"],
            "nul.md": ["file-encoding"],
            "large.md": ["file-too-large"],
            "gone.md": ["file-unreadable"],
            "ring.md": ["file-unreadable"],
            "pipe.md": ["file-unreadable"],
            "folder.md": ["file-unreadable"],
        }
        assert {"tides.md", "ports.md"} <= value.documents.keys()


class TestTheListing:
    @pytest.mark.parametrize("link", ["b.md", "z.md"])
    def test_serves_a_file_that_several_links_lead_to_once_under_the_first(self, tmp_path: Path, link: str) -> None:
        write_files(tmp_path, {"memory/a.md": _GOOD, "common/b.md": _GOOD})
        (tmp_path / "memory/ours").symlink_to("../common")
        (tmp_path / "memory" / link).symlink_to("../common/b.md")
        listing = list_files(tmp_path / "memory")
        assert listing.candidates == ["a.md", min(link, "ours/b.md")]
        assert sorted(listing.files) == sorted(["a.md", link, "ours/b.md"])

    def test_never_leaves_by_a_link_that_leads_up(self, tmp_path: Path) -> None:
        write_files(tmp_path, {"quay/memory/a.md": _GOOD, "quay/other.md": _GOOD, "quay/docs/more.md": _GOOD})
        for name, target in {"up": "..", "top": str(tmp_path), "all": "/", "self": "."}.items():
            (tmp_path / "quay/memory" / name).symlink_to(target)
        listing = list_files(tmp_path / "quay/memory")
        assert listing.candidates == ["a.md"]
        assert sorted(listing.files) == ["a.md", "all", "self", "top", "up"]

    def test_stops_at_a_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_files(tmp_path, {f"n{number}.md": "" for number in range(9)})
        monkeypatch.setattr(loader, "MOST_ENTRIES", 5)
        assert len(list_files(tmp_path).files) == 5

    def test_knows_files_deeper_than_members_so_that_links_to_them_live(self, tmp_path: Path) -> None:
        write_files(
            tmp_path, {"a/b/c/d.md": "", "logs/e.md": "", "archive/f.md": "", "team/MEMORY.md": "", "team/g.md": ""}
        )
        listing = list_files(tmp_path)
        assert sorted(listing.files) == ["a/b/c/d.md", "archive/f.md", "logs/e.md", "team/MEMORY.md", "team/g.md"]
        assert listing.candidates == []

    def test_takes_names_that_are_no_utf_8(self, tmp_path: Path) -> None:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text(memory("café", body="Kai.\n"), encoding="utf-8")
        value = load(tmp_path)
        assert len(value.documents) == 1
        assert isinstance(_found(value), dict)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a.md", True),
        ("team/deep/a.md", True),
        ("停航 规则.md", True),
        ("MEMORY.md", False),
        ("team/MEMORY.md", False),
        (".a.md", False),
        (".team/a.md", False),
        ("logs/a.md", False),
        ("team/archive/a.md", False),
        ("node_modules/a.md", False),
        ("a/b/c/d.md", False),
        ("a.txt", False),
        ("a.MD", False),
    ],
)
def test_whether_a_path_can_be_a_memory(key: str, expected: bool) -> None:
    assert is_candidate(key) is expected


def test_the_path_alone_says_the_same_as_the_walk(tmp_path: Path) -> None:
    names = [
        "a.md",
        "team/a.md",
        "team/deep/a.md",
        "a/b/c/d.md",
        "logs/a.md",
        "t/archive/a.md",
        ".a.md",
        ".t/a.md",
        "a.txt",
    ]
    write_files(tmp_path, dict.fromkeys(names, ""))
    assert list_files(tmp_path).candidates == sorted(filter(is_candidate, names))
