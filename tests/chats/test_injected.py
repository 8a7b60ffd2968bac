"""What agents put into messages."""

from __future__ import annotations

import pytest

from memory_ls.chats.injected import is_summary, said, without_data, without_memory

MEMORY = "# Persistent Memory\n\nThe following memories were saved.\n\n## likes-vim\nLikes vim"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (MEMORY, ""),
        (f"You help.\n\n{MEMORY}", "You help."),
        (f"You help.\n\n{MEMORY}\n\n# Tools\n\nUse them.", "You help.\n\n# Tools\n\nUse them."),
        (f"{MEMORY}\n\n# Rules\n\n{MEMORY}", "# Rules"),
        (f"You help.\n<memory>\n{MEMORY}\n</memory>\nBe brief.", "You help.\n\nBe brief."),
        ("You help.\n<memory>\n- [a](a.md) — cut he", "You help."),
        ("The heading `# Persistent Memory` is ours.", "The heading `# Persistent Memory` is ours."),
        ("# Persistent Memory usage\nfine", "# Persistent Memory usage\nfine"),
    ],
)
def test_memory_is_cut_out_of_what_the_system_said(text: str, left: str) -> None:
    assert without_memory(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (MEMORY, ""),
        (f"<memory>\n{MEMORY}\n</memory>\n\n以后用中文", "以后用中文"),
        ("<system-reminder>\na\n</system-reminder>\nb\n<system-reminder>\nc\n</system-reminder>", "b"),
        ("Fix it.<system-reminder>a</system-reminder>", "Fix it."),
        ("<user_query>\nFix it.\n</user_query>", "Fix it."),
        ("<user-memory-input>Use tabs.</user-memory-input>", "Use tabs."),
        ("<persistent_memory>\na\n</persistent_memory> Fix it.", "Fix it."),
        ("<session-start-hook>\na\n</session-start-hook>", ""),
        ("<environment_details>\nalways\n</environment_details>\nGo.", "Go."),
        ("<system-reminder>\nnever ends", ""),
        # What people say of such things stays.
        (
            "Always close `<system-reminder>` with `</system-reminder>`.",
            "Always close `<system-reminder>` with `</system-reminder>`.",
        ),
        ("Never write <memory> without </memory>, please.", "Never write <memory> without </memory>, please."),
        ("Always start with <system-reminder> here", "Always start with <system-reminder> here"),
        (f"Our README says:\n{MEMORY}", f"Our README says:\n{MEMORY}"),
        ("if a < b and c > d: always", "if a < b and c > d: always"),
        ("<div>always</div>", "<div>always</div>"),
        ("<instructions>Always use tabs.</instructions>", "<instructions>Always use tabs.</instructions>"),
    ],
)
def test_what_the_user_said_is_what_is_left(text: str, left: str) -> None:
    assert said(text) == left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[Conversation Summary] a", True),
        ("\n[Conversation Summary]\na", True),
        ("This session is being continued from a previous conversation that ran out of context.", True),
        ("Write a [Conversation Summary]", False),
        ("", False),
    ],
)
def test_summaries(text: str, expected: bool) -> None:
    assert is_summary(text) is expected


def test_only_long_data_is_dropped() -> None:
    assert without_data("See data:image/png;base64,iVBORw0KGgo= here") == "See data:image/png;base64,iVBORw0KGgo= here"
    assert without_data(f"See data:image/png;base64,{'A' * 100} here") == "See [data] here"
