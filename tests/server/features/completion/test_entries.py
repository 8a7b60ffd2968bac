"""Completion of whole entries in the index."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.making import write_files
from tests.server.client import Client
from tests.server.features.completion.asking import complete, inserted, labels


@pytest.mark.parametrize(
    ("index", "typed", "entry"),
    [
        ("- [ferry](ferry.md) — the boat\n", "- ‸", "- [berth-codes](berth-codes.md) — What a code means"),
        ("* [ferry](ferry.md): the boat\n", "* ber‸", "* [berth-codes](berth-codes.md): What a code means"),
        ("- [ferry.md](./ferry.md) - x\n", "- [ber‸]", "- [berth-codes.md](./berth-codes.md) - What a code means"),
        ("- [[ferry]] – the boat\n", "- ‸", "- [[berth-codes]] – What a code means"),
        ("1. [ferry](ferry.md) — the boat\n", "2. ‸", "2. [berth-codes](berth-codes.md) — What a code means"),
    ],
)
def test_entries_are_written_as_the_index_writes_them(
    emacs: Client, directory: Path, index: str, typed: str, entry: str
) -> None:
    write_files(directory, {"MEMORY.md": index})
    marked = f"{index}{typed}\n"
    result = complete(emacs, directory / "MEMORY.md", marked)
    assert result is not None
    assert "ferry" not in labels(result)
    [item] = [item for item in result["items"] if item["label"] == "berth-codes"]
    assert inserted(emacs, marked, item) == f"{index}{entry}\n"


@pytest.mark.parametrize(
    "typed", ["- ‸ some text", "- [‸](berth-codes.md)", "```\n- ‸\n```", "‸", "berth‸", "<!--\n- ‸\n-->"]
)
def test_no_entry_where_none_can_begin(emacs: Client, directory: Path, typed: str) -> None:
    assert labels(complete(emacs, directory / "MEMORY.md", f"# Index\n\n{typed}\n")) == []
