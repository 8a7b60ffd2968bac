"""The rules about files; what a damaged file gives end to end stands in tests/directory/test_loader.py."""

from __future__ import annotations

import pytest

from memory_ls.directory.snapshot import FileFacts, Trouble
from memory_ls.rules.check import check_document
from memory_ls.rules.registry import Context, Diagnostic, Severity
from memory_ls.settings import Settings
from memory_ls.text import Span
from tests.making import DEFAULTS, TODAY, assert_found, assert_quiet, directory_of, memory


def _found(
    key: str, facts: FileFacts, texts: dict[str, str] | None = None, settings: Settings = DEFAULTS
) -> list[Diagnostic]:
    value = directory_of(texts or {}, files=[key], facts={key: facts})
    return check_document(Context(value, settings, TODAY), key)


class TestAFileThatCanNotBeRead:
    @pytest.mark.parametrize(
        ("trouble", "code", "severity"),
        [
            (Trouble.TOO_LARGE, "file-too-large", Severity.WARNING),
            (Trouble.DANGLING, "file-unreadable", Severity.ERROR),
            (Trouble.NOT_A_FILE, "file-unreadable", Severity.ERROR),
            (Trouble.UNREADABLE, "file-unreadable", Severity.ERROR),
        ],
    )
    @pytest.mark.parametrize("key", ["tides.md", "MEMORY.md"])
    def test_has_one_finding_at_its_start(self, trouble: Trouble, code: str, severity: Severity, key: str) -> None:
        (finding,) = _found(key, FileFacts(2_000_000, trouble=trouble))
        assert (finding.code, finding.severity, finding.span) == (code, severity, Span(0, 0))
        assert ("index" in finding.message) == (key == "MEMORY.md") or trouble is Trouble.DANGLING

    def test_can_be_turned_off_and_set_to_another_severity(self) -> None:
        facts = FileFacts(trouble=Trouble.UNREADABLE)
        assert _found("a.md", facts, settings=Settings(rules=(("file-unreadable", "off"),))) == []
        (finding,) = _found("a.md", facts, settings=Settings(rules=(("file-unreadable", "hint"),)))
        assert finding.severity is Severity.HINT

    def test_is_no_finding_where_the_facts_are_in_order(self) -> None:
        assert _found("a.md", FileFacts(10, 10), {"a.md": memory("a")}) == []


class TestFileEncoding:
    def test_hides_all_other_findings_since_the_text_is_not_known(self) -> None:
        (finding,) = _found("a.md", FileFacts(bad_byte=0), {"a.md": "\ufffd---\nname: a: b\n---\n[[gone]]\n"})
        assert (finding.code, finding.span, finding.severity) == ("file-encoding", Span(0, 1), Severity.ERROR)

    def test_a_nul_is_told_at_its_place(self) -> None:
        assert_found("file-encoding", {"a.md": memory("a", body="x⟪\0⟫y\n")}, "a.md")

    def test_is_quiet_about_a_replacement_character_in_good_text(self) -> None:
        assert_quiet("file-encoding", {"a.md": memory("a", body="The sign \ufffd means a lost character.\n")}, "a.md")


class TestSyncCopy:
    @pytest.mark.parametrize(
        "stem",
        [
            "tides (Ann's conflicted copy 2026-08-01)",
            "tides (conflicted copy)",
            "tides.sync-conflict-20260801-101010-ABCDEFG",
            "tides (conflict 2026-08-01)",
        ],
    )
    def test_a_name_that_only_synchronising_gives(self, stem: str) -> None:
        assert_found("sync-copy", {f"{stem}.md": f"⟪---⟫\n{memory('x').partition(chr(10))[2]}"}, f"{stem}.md")

    @pytest.mark.parametrize(
        "stem",
        ["tides 2", "tides (1)", "tides copy", "tides copy 2", "tides - Copy", "tides 副本", "team/tides - 사본"],
    )
    def test_a_copy_beside_its_original(self, stem: str) -> None:
        folder = "team/" if stem.startswith("team/") else ""
        texts = {f"{stem}.md": f"⟪---⟫\n{memory('x').partition(chr(10))[2]}", f"{folder}tides.md": memory("tides")}
        assert_found("sync-copy", texts, f"{stem}.md")
        assert_quiet("sync-copy", texts, f"{folder}tides.md")

    @pytest.mark.parametrize("stem", ["tides 2", "release 2026", "how to copy", "hard copy", "tides (1)"])
    def test_is_quiet_about_such_a_name_without_an_original(self, stem: str) -> None:
        assert_quiet("sync-copy", {f"{stem}.md": memory("x"), "team/tides.md": memory("tides")}, f"{stem}.md")
