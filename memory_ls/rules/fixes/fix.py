"""What mends a finding, and how most of it is made: edits of the one document in which the finding is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memory_ls.changes.plan import Change, ChangeKind
from memory_ls.documents.edits import Edit, in_order
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.registry import Context, Diagnostic


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a finding.

    ``title`` says in a few words what it does. What it changes is worked out when :meth:`changes` is asked, since
    editors ask for titles at every move of the cursor. A ``safe`` one is made without asking. A ``is_choice`` is one of
    several of which none can be told to be right. ``needs`` is the most that it does to a file.
    """

    title: str
    make: Callable[[], Iterable[Change]]
    safe: bool = False
    is_choice: bool = False
    needs: ChangeKind = ChangeKind.EDIT

    def changes(self) -> tuple[Change, ...]:
        """What it changes.

        Raises:
            CannotEditError: the text can't be changed there without a risk for something else.
            CannotChangeError: the files can't.
        """
        return tuple(self.make())


# What makes the fixes of a finding in the document with this key, the preferred one first.
Maker = Callable[[Context, str, Diagnostic], Iterator[Fix]]


def edit_fix(
    context: Context,
    key: str,
    title: str,
    make_edits: Callable[[], Iterable[Edit]],
    *,
    safe: bool = False,
    is_choice: bool = False,
) -> Fix:
    """A fix that changes the document ``key`` alone."""

    def make() -> Iterator[Change]:
        edits = in_order(make_edits())
        if edits:
            yield edit_change(context, key, edits)

    return Fix(title, make, safe, is_choice)


def edit_change(context: Context, key: str, edits: Iterable[Edit]) -> Change:
    """A change of the text of the document ``key``."""
    return Change(1, key, ChangeKind.EDIT, document_of(context, key).source.text, tuple(edits))


def document_of(context: Context, key: str) -> MemoryDocument | IndexDocument:
    """The document ``key``, in which something was found."""
    document = context.directory.document(key)
    assert document is not None
    return document


def memory_of(context: Context, key: str) -> MemoryDocument:
    """The memory ``key``, in which something was found."""
    return context.directory.documents[key]


def line_end_of(text: str, offset: int = 0) -> str:
    """How lines end at ``offset``: as its own does, else as the first of the text does."""
    for start in (offset, 0):
        ends = [at for at in (text.find("\n", start), text.find("\r", start)) if at >= 0]
        if ends:
            at = min(ends)
            return "\r\n" if text.startswith("\r\n", at) else text[at]
    return "\n"
