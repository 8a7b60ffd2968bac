"""``memory-ls check --fix`` and ``--diff``: what is mended, what is shown, and what is left."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Run, memory, write_files

CUT = memory(description="See #3 for the tables")
MENDED = memory(description='"See #3 for the tables"')
SECRET = "ghp_" + "x8Kq2mZ7vR4tLw9Yb3Nc6Hd1Jf5Gs0PaQeUi"


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def cut(clean: Path) -> Path:
    """A memory directory with one value that is cut, and a dead link that nobody can mend unasked."""
    return write_files(clean, {"tide-tables.md": f"{CUT}See [[no-such]].\n"})


def test_what_is_safe_is_mended_and_the_rest_is_told(run: Run, cut: Path) -> None:
    outcome = run("check", "--fix")
    assert (cut / "tide-tables.md").read_text() == f"{MENDED}See [[no-such]].\n"
    assert outcome.out.startswith("Mended 1 finding in 1 file: 1 value-cut.\n")
    assert "warning[link-dead]" in outcome.out
    assert "value-cut]" not in outcome.out
    assert outcome.status == 1


def test_when_nothing_is_left_the_status_is_0(run: Run, clean: Path) -> None:
    write_files(clean, {"tide-tables.md": CUT})
    outcome = run("check", "--fix")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == "Mended 1 finding in 1 file: 1 value-cut.\nChecked 2 files: nothing to report.\n"


def test_when_nothing_can_be_mended_it_is_a_check(run: Run, faulty: Path) -> None:
    before = {path: path.read_bytes() for path in faulty.iterdir()}
    assert run("check", "--fix") == run("check")
    assert {path: path.read_bytes() for path in faulty.iterdir()} == before


def test_a_check_tells_how_much_could_be_mended(run: Run, cut: Path) -> None:
    assert run("check").out.endswith("\n1 can be mended with --fix; --diff shows how.\n")
    finding = next(item for item in json.loads(run("check", "--format", "json").out)["diagnostics"] if item["fix"])
    assert finding["fix"] == {"title": "Put the value in quotes", "safe": True}


def test_json_is_what_is_left_and_nothing_else(run: Run, cut: Path) -> None:
    outcome = run("check", "--fix", "--format", "json")
    assert [item["code"] for item in json.loads(outcome.out)["diagnostics"]] == ["link-dead"]
    assert outcome.err == "Mended 1 finding in 1 file: 1 value-cut.\n"


def test_diff_shows_what_would_change_and_changes_nothing(run: Run, cut: Path) -> None:
    for options in (("--diff",), ("--fix", "--diff")):
        outcome = run("check", *options)
        assert outcome.status == 1
        assert outcome.out == (
            "--- a/.claude/memory/tide-tables.md\n"
            "+++ b/.claude/memory/tide-tables.md\n"
            "@@ -1,6 +1,6 @@\n"
            " ---\n"
            " name: tide-tables\n"
            "-description: See #3 for the tables\n"
            '+description: "See #3 for the tables"\n'
            " metadata:\n"
            "   type: project\n"
            " ---\n"
        )
    assert (cut / "tide-tables.md").read_text() == f"{CUT}See [[no-such]].\n"


def test_diff_without_anything_to_mend_is_status_0(run: Run, faulty: Path) -> None:
    outcome = run("check", "--diff")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")


def test_the_diff_makes_of_the_files_what_fix_makes(run: Run, cut: Path, project: Path) -> None:
    write_files(cut, {"漢字.md": "---\r\nname: b\r\ndescription: it is: so\r\n---\r\nThe cafÃ©."})
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    patch = run("check", "--diff").out
    before = {path: path.read_bytes() for path in cut.iterdir()}
    run("check", "--fix")
    fixed = {path: path.read_bytes() for path in cut.iterdir()}
    for path, data in before.items():
        path.write_bytes(data)
    subprocess.run(["git", "apply"], cwd=project, input=patch.encode(), check=True)
    assert {path: path.read_bytes() for path in cut.iterdir()} == fixed != before


def test_a_byte_order_mark_stays(run: Run, clean: Path) -> None:
    write_files(clean, {"tide-tables.md": b"\xef\xbb\xbf" + CUT.replace("\n", "\r\n").encode()})
    run("check", "--fix")
    assert (clean / "tide-tables.md").read_bytes() == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()


def test_select_and_ignore_say_what_is_mended(run: Run, cut: Path) -> None:
    write_files(cut, {"tide-tables.md": f"{CUT}The cafÃ©.\n"})
    run("check", "--fix", "--ignore", "value-cut")
    assert (cut / "tide-tables.md").read_text() == f"{CUT}The café.\n"
    run("check", "--fix", "--select", "mojibake")
    assert (cut / "tide-tables.md").read_text() == f"{CUT}The café.\n"
    run("check", "--fix", "--select", "value-cut")
    assert (cut / "tide-tables.md").read_text() == f"{MENDED}The café.\n"


def test_only_the_file_that_is_named_is_mended(run: Run, cut: Path) -> None:
    write_files(cut, {"other.md": memory("other", "See #4 for more")})
    run("check", "--fix", ".claude/memory/other.md")
    assert (cut / "other.md").read_text() == memory("other", '"See #4 for more"')
    assert (cut / "tide-tables.md").read_text() == f"{CUT}See [[no-such]].\n"


def test_what_is_silenced_is_not_mended(run: Run, clean: Path) -> None:
    text = CUT.replace("description", "# memory-ls-disable-next-line value-cut\ndescription")
    write_files(clean, {"tide-tables.md": text})
    for options in ((), ("--no-suppressions",)):
        run("check", "--fix", *options)
        assert (clean / "tide-tables.md").read_text() == text


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_told(run: Run, cut: Path) -> None:
    (cut / "tide-tables.md").chmod(stat.S_IRUSR)
    outcome = run("check", "--fix")
    assert "tide-tables.md may not be written" in outcome.err
    assert "value-cut]" in outcome.out
    assert outcome.status == 1


def test_no_secret_is_shown_in_a_diff(run: Run, clean: Path) -> None:
    write_files(clean, {"tide-tables.md": memory(description=f"{SECRET} #3 is it")})
    outcome = run("check", "--diff")
    assert SECRET not in outcome.out
    assert "ghp_…" in outcome.out


def test_a_diff_has_no_other_format(run: Run, cut: Path) -> None:
    outcome = run("check", "--diff", "--format", "json")
    assert outcome.status == 2
    assert "--diff" in outcome.err


def test_a_large_directory_is_mended_too(command: Command, clean: Path, project: Path) -> None:
    cut = {f"m{number}.md": memory(f"m{number}", f"Number #{number} of them") for number in range(40)}
    whole = {f"n{number}.md": memory(f"n{number}", f"Number {number} of them") for number in range(1_000)}
    write_files(clean, {**cut, **whole})
    outcome = command("check", "--fix", cwd=project)
    assert outcome.out.startswith("Mended 40 findings in 40 files: 40 value-cut.\n")
    assert (clean / "m7.md").read_text() == memory("m7", '"Number #7 of them"')


def test_sarif_tells_what_fix_would_do(run: Run, cut: Path) -> None:
    results = json.loads(run("check", "--format", "sarif").out)["runs"][0]["results"]
    fixes = {result["ruleId"]: result.get("fixes") for result in results}
    [fix] = fixes["value-cut"]
    [change] = fix["artifactChanges"]
    assert fixes["link-dead"] is None
    assert fix["description"] == {"text": "Put the value in quotes"}
    assert change["artifactLocation"] == {"uri": ".claude/memory/tide-tables.md"}
    region = {"startLine": 3, "startColumn": 14, "endLine": 3, "endColumn": 35}
    text = '"See #3 for the tables"'
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": text}}]
