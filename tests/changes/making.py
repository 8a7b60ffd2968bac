"""A small directory with indexes of all kinds, and what changes make of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from hypothesis import strategies as st

from memory_ls.changes.index_insertion import Layout
from memory_ls.changes.plan import Change, ChangeKind, combined
from memory_ls.directory.style import style_of
from memory_ls.documents.edits import applied
from memory_ls.documents.index import INDEX_NAME
from tests.making import directory_of, memory


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


TYPES = {
    "ferry": "project",
    "no-mocks": "feedback",
    "quay-log": "project",
    "tide-tables": "reference",
    "user-role": "user",
}
FILES = {f"{name}.md": memory(name, f"About {name}", kind) for name, kind in TYPES.items()}
FERRY = "- [ferry](ferry.md) — About ferry\n"
LOG = "- [quay-log](quay-log.md) — About quay-log\n"
TIDES = "- [tide-tables](tide-tables.md) — About tide-tables\n"
MOCKS = "- [no-mocks](no-mocks.md) — About no-mocks\n"
ROLE = "- [user-role](user-role.md) — About user-role\n"

PIECES = st.sampled_from(
    [
        *[FERRY, TIDES, MOCKS, ROLE, "## User\n", "## Project\n\n", "\n", "\nSome prose.\n", "<!-- note -->\n"],
        "  wrapped\n",
        *["- no entry\n", "  - [user-role](user-role.md)\n", "- [x](gone.md)\n", "* [no-mocks](no-mocks.md): x\n"],
        "```\ncode\n```\n",
        *["\n| A | B |\n|---|---|\n| [ferry](ferry.md) | x |\n", "1. [ferry](ferry.md)\n"],
        "- [[tide-tables]] · [[ferry]] — 潮汐 😀\n",
    ]
)  # fmt: skip
INDEXES = st.builds(
    lambda pieces, eol, is_open: "".join(pieces).removesuffix("\n" if is_open else "").replace("\n", eol),
    st.lists(PIECES, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)


def added(index: str, key: str = "quay-log.md", files: dict[str, str] = FILES) -> str:
    directory = directory_of({**files, INDEX_NAME: index})
    insertion = Layout(directory).insertion(directory, key, style_of(directory))
    return applied(index, (*insertion.ground, insertion.edit))
