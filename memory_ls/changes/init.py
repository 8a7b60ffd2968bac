"""The plan that makes a memory directory: its index."""

from __future__ import annotations

import os
from pathlib import Path

from memory_ls.changes.index_insertion import NEW_INDEX
from memory_ls.changes.plan import Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.documents.index import INDEX_NAME


def too_wide(path: Path) -> str | None:
    """Why the root of a disk, or the user's home, is no memory directory; ``None`` for any other."""
    real = Path(os.path.realpath(path))
    if real not in (Path(real.anchor), Path(os.path.realpath(Path.home()))):
        return None
    return "holds far more than memories: every markdown file in it would count as one. Name a directory in it."


def init(root: str, shown: str) -> Plan:
    """A memory directory is made at ``root``, an absolute path, which people are told as ``shown``."""
    change = Change(1, INDEX_NAME, ChangeKind.CREATE, None, (Edit(0, 0, NEW_INDEX),))
    return Plan(root, f"Make the memory directory {shown}", (change,))
