"""What changes make of a directory of texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from memory_ls.changes.plan import Change, ChangeKind, combined


def after(
    texts: Mapping[str, str], changes: Iterable[Change], operations: Collection[int] | None = None
) -> dict[str, str]:
    """The texts after the ``operations`` (all, by default) of ``changes``."""
    files = dict(texts)
    for change in combined(changes, operations):
        assert files.get(change.path) == change.before
        assert (change.before is None) == (change.kind is ChangeKind.CREATE)
        del_path = files.pop(change.path, None)
        assert del_path is None or change.before is not None
        if change.after is not None:
            files[change.new_path or change.path] = change.after
    return files
