"""The plan that makes a memory directory: its index."""

from __future__ import annotations

from memory_ls.changes.index_insertion import NEW_INDEX
from memory_ls.changes.plan import Change, ChangeKind, Plan
from memory_ls.documents.edits import Edit
from memory_ls.documents.index import INDEX_NAME


def init(root: str, shown: str) -> Plan:
    """A memory directory is made at ``root``, an absolute path, which people are told as ``shown``."""
    change = Change(1, INDEX_NAME, ChangeKind.CREATE, None, (Edit(0, 0, NEW_INDEX),))
    return Plan(root, f"Make the memory directory {shown}", (change,))
