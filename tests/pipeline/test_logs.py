"""Chat logs on the disk."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from memory_ls.directory.discover import agents_key
from memory_ls.pipeline.logs import LogFile, find_logs, read_log, read_stream
from tests.chats.making import claude, lines_of, said
from tests.chats.samples import AIDER, CURSOR, GEMINI, GEMINI_LINES, SPECSTORY
from tests.cli.conftest import write_files


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "quay"
    path.mkdir(parents=True)
    return path


def claude_log(text: str, cwd: Path | str | None, **more: object) -> str:
    return lines_of(
        {"type": "summary", "summary": "x"},
        claude("user", "u-1", None, text, **({"cwd": str(cwd)} if cwd else {}), **more),
    )


def codex_log(text: str, cwd: Path | str, **more: object) -> str:
    told = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
    }
    return lines_of(
        {"type": "session_meta", "payload": {"id": "s", "cwd": str(cwd), **more, "base_instructions": "x" * 20_000}},
        {"type": "response_item", "payload": told},
        {"type": "event_msg", "payload": {"type": "user_message", "message": text}},
    )


def copilot_log(text: str) -> str:
    return json.dumps({"requests": [{"requestId": "r", "message": {"text": text}, "response": []}]})


def titles(folder: Path, home: Path) -> list[str]:
    return [log.title for log in find_logs(folder, home)]


def test_logs_are_found_in_every_usual_place(folder: Path, home: Path) -> None:
    (folder / "README.md").write_text("# Quay\n", encoding="utf-8")
    project = hashlib.sha256(str(folder).encode()).hexdigest()
    write_files(
        home,
        {
            f".claude/projects/{agents_key(folder)}/a.jsonl": claude_log("Von Claude", folder),
            ".codex/sessions/2026/08/10/rollout-1.jsonl": codex_log("De Codex", folder),
            f".gemini/tmp/{project}/chats/session-1.json": GEMINI.replace("Prefer small PRs", "Da Gemini"),
            ".gemini/tmp/quay/.project_root": str(folder),
            ".gemini/tmp/quay/chats/session-2.jsonl": GEMINI_LINES.replace("Prefer small PRs", "Gemini から"),
            ".gemini/projects.json": json.dumps({"projects": {str(folder): "quay-1"}}),
            ".gemini/tmp/quay-1/chats/session-3.jsonl": GEMINI_LINES.replace("Prefer small PRs", "Gemini 的"),
            ".config/Code/User/workspaceStorage/1/workspace.json": json.dumps({"folder": folder.as_uri()}),
            ".config/Code/User/workspaceStorage/1/chatSessions/1.json": copilot_log("Copilot에서"),
        },
    )
    write_files(
        folder,
        {
            ".specstory/history/2026.md": SPECSTORY.replace("Always answer in French.", "来自 SpecStory"),
            ".aider.chat.history.md": AIDER.replace("always use tabs", "from aider"),
            "cursor_tides.md": CURSOR.replace("Siempre escribe los nombres en español.", "De Cursor"),
        },
    )
    assert {log.format: log.title for log in find_logs(folder, home) if log.format != "gemini"} == {
        "claude-code": "Von Claude",
        "codex": "De Codex",
        "copilot": "Copilot에서",
        "specstory": "来自 SpecStory",
        "aider": "from aider in Makefiles too",
        "cursor": "De Cursor",
    }
    assert {log.title for log in find_logs(folder, home) if log.format == "gemini"} == {
        "Da Gemini",
        "Gemini から",
        "Gemini 的",
    }


def test_logs_of_other_projects_are_not_found(folder: Path, home: Path) -> None:
    beside = folder.with_name("quay-side")
    write_files(
        home,
        {
            f".claude/projects/{agents_key(beside)}/a.jsonl": claude_log("beside", beside),
            f".claude/projects/{agents_key(folder)}/b.jsonl": claude_log(
                "of another path with this key", f"{folder.parent}.quay"
            ),
            ".codex/sessions/2026/08/10/rollout-1.jsonl": codex_log("beside", beside),
            ".gemini/tmp/quay-side/.project_root": str(beside),
            ".gemini/tmp/quay-side/chats/session-2.jsonl": GEMINI_LINES,
            ".gemini/tmp/none/chats/session-2.jsonl": GEMINI_LINES,
            ".config/Code/User/workspaceStorage/1/workspace.json": json.dumps({"folder": beside.as_uri()}),
            ".config/Code/User/workspaceStorage/1/chatSessions/1.json": copilot_log("beside"),
            ".config/Code/User/workspaceStorage/2/workspace.json": "[" * 10_000,
            ".config/Code/User/workspaceStorage/3/workspace.json": '{"folder": 7}',
        },
    )
    assert titles(folder, home) == []


def test_logs_of_directories_below_are_found(folder: Path, home: Path) -> None:
    write_files(
        home,
        {
            f".claude/projects/{agents_key(folder / 'src')}/a.jsonl": claude_log("below", folder / "src"),
            ".codex/sessions/2026/08/10/rollout-1.jsonl": codex_log("below too", folder / "ü"),
            ".codex/archived_sessions/rollout-2.jsonl": codex_log("put away", folder),
        },
    )
    assert sorted(titles(folder, home)) == ["below", "below too", "put away"]


def test_a_log_that_does_not_say_where_it_was_made_belongs_to_its_place(folder: Path, home: Path) -> None:
    write_files(
        home,
        {
            f".claude/projects/{agents_key(folder)}/a.jsonl": claude_log("mine", None),
            f".claude/projects/{agents_key(folder)}-x/a.jsonl": claude_log("whose", None),
        },
    )
    assert titles(folder, home) == ["mine"]


def test_a_project_with_a_very_long_path_is_found(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    write_files(home, {f".claude/projects/{agents_key(folder)[:200]}-9x8y/a.jsonl": claude_log("long", folder)})
    assert titles(folder, home) == ["long"]


def test_the_newest_come_first_with_time_and_size(folder: Path, home: Path) -> None:
    text = claude_log("old", folder)
    root = write_files(
        home / ".claude" / "projects" / agents_key(folder), {"a.jsonl": text, "b.jsonl": claude_log("new", folder)}
    )
    os.utime(root / "a.jsonl", (1_755_347_728, 1_755_347_728))
    assert titles(folder, home) == ["new", "old"]
    old = find_logs(folder, home)[1]
    assert old.as_json() == {
        "path": str(root / "a.jsonl"),
        "format": "claude-code",
        "title": "old",
        "time": "2025-08-16T12:35:28+00:00",
        "size": len(text),
    }
    assert [log.title for log in find_logs(folder, home, most=1)] == ["new"]


def test_the_title_is_what_the_user_said_first_in_one_line(folder: Path, home: Path) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD3fG6"
    long = f"Réserve\n\n  le quai with {secret} " + "z" * 500
    rows = claude("user", "u-0", None, "<command-name>/clear</command-name>"), claude("user", "u-1", "u-0", long)
    write_files(home / ".claude" / "projects" / agents_key(folder), {"a.jsonl": lines_of(*rows)})
    (title,) = titles(folder, home)
    assert title.startswith("Réserve le quai with ghp_… zzz")
    assert len(title) == 100
    assert title.endswith("…")


def test_logs_in_which_nobody_speaks_and_those_of_subagents_are_left_out(folder: Path, home: Path) -> None:
    write_files(
        home / ".claude" / "projects" / agents_key(folder),
        {
            "a.jsonl": lines_of({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
            "b.jsonl": "",
            "c.jsonl": claude_log("of a subagent", folder, isSidechain=True),
            "agent-1.jsonl": claude_log("of a subagent", folder),
            "d.txt": claude_log("no log", folder),
        },
    )
    write_files(
        home,
        {
            ".codex/sessions/2026/08/10/rollout-1.jsonl": codex_log(
                "of a subagent", folder, source={"subagent": "review"}
            )
        },
    )
    assert titles(folder, home) == []


def test_only_the_head_of_a_large_log_is_read(folder: Path, home: Path) -> None:
    root = write_files(home / ".claude" / "projects" / agents_key(folder), {"a.jsonl": claude_log("first", folder)})
    with open(root / "a.jsonl", "a", encoding="utf-8") as file:
        file.truncate(5_000_000_000)  # sparse
    (log,) = find_logs(folder, home)
    assert (log.title, log.size) == ("first", 5_000_000_000)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is unreadable for this user")
def test_what_cannot_be_read_is_passed_over(folder: Path, home: Path) -> None:
    root = write_files(home / ".claude" / "projects" / agents_key(folder), {"a.jsonl": claude_log("x", folder)})
    (root / "a.jsonl").chmod(0)
    assert titles(folder, home) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_broken_links_are_passed_over(folder: Path, home: Path) -> None:
    root = home / ".claude" / "projects" / agents_key(folder)
    root.mkdir(parents=True)
    os.mkfifo(root / "pipe.jsonl")
    (root / "gone.jsonl").symlink_to(root / "nowhere")
    (root / "directory.jsonl").mkdir()
    os.mkfifo(folder / "pipe.md")
    assert titles(folder, home) == []


def test_a_folder_behind_a_link_has_the_logs_of_both_paths(folder: Path, home: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    write_files(
        home,
        {
            f".claude/projects/{agents_key(folder)}/a.jsonl": claude_log("real", folder),
            f".claude/projects/{agents_key(link)}/a.jsonl": claude_log("linked", link),
        },
    )
    assert sorted(titles(link, home)) == ["linked", "real"]


def test_no_homes_of_agents_give_no_logs(folder: Path, home: Path) -> None:
    assert find_logs(folder, home) == []


# --- Reading


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_log_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes("用户：用 tabs\r\n\r\n助手：好\r\n".encode(encoding))
    assert said(read_log(path)) == ["用 tabs", "好"]


def test_bytes_that_are_no_text_lose_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"User: caf\xe9 tabs\nAssistant: Yes\xff\n")
    assert said(read_log(path)) == ["caf\ufffd tabs", "Yes\ufffd"]


def test_what_is_no_text_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tide.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    with pytest.raises(OSError, match="no text"):
        read_log(path)


def test_zeros_that_a_crash_left_lose_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"User: tabs\n" + bytes(100) + b"\nUser: spaces\n")
    assert said(read_log(path))[-1] == "spaces"


def test_a_stream_is_read_and_left_open() -> None:
    reading, writing = os.pipe()
    with open(writing, "wb") as sender:
        sender.write(b"User: tabs\n")
    with open(reading, "rb") as stream:
        assert said(read_stream(stream)) == ["tabs"]
        assert not stream.closed


def test_a_log_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_log(tmp_path / "gone.jsonl")


def test_a_log_is_a_value(folder: Path, home: Path) -> None:
    write_files(home / ".claude" / "projects" / agents_key(folder), {"a.jsonl": claude_log("x", folder)})
    assert isinstance(find_logs(folder, home)[0], LogFile)
    assert find_logs(folder, home) == find_logs(folder, home)
