"""Secrets are gone before anything else sees a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_ls.chats.message import Message, Role
from memory_ls.pipeline.redact import REDACTED, redacted, redacted_messages
from memory_ls.secret_scan import find_secrets

GITHUB = "ghp_" + "k3Zt9QwB7xLm2VfR8yPd5NcJ1hGs6TaW0eUo"
PASSWORD = "Kettle7!harbour"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"use {GITHUB} for it", f"use {REDACTED} for it"),
        (f"password: {PASSWORD}\nand more", f"password: {REDACTED}\nand more"),
        (f"密码：{PASSWORD}，请记住", f"密码：{REDACTED}，请记住"),
        (f"{GITHUB} {GITHUB}", f"{REDACTED} {REDACTED}"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_value_alone_is_taken_out(text: str, left: str) -> None:
    assert redacted(text) == left


@given(
    st.lists(
        st.sampled_from(["password", ":", "=", " ", "\n", GITHUB, PASSWORD, REDACTED, "token", "://u:", "@h", "潮"])
    )
)
def test_nothing_is_left_and_again_changes_nothing(parts: list[str]) -> None:
    once = redacted("".join(parts))
    assert find_secrets(once) == []
    assert redacted(once) == once


def test_messages_keep_all_but_their_secrets() -> None:
    messages = [
        Message(Role.USER, "use tabs", id="u-1", line=3),
        Message(Role.TOOL, f"TOKEN={GITHUB}", id="t-1", line=4),
    ]
    assert redacted_messages(messages) == (
        messages[0],
        Message(Role.TOOL, f"TOKEN={REDACTED}", id="t-1", line=4),
    )
