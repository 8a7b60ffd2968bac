"""Laws that hold for any sequence of plans, undos and changes by others."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory_ls.changes.plan import Change, Plan
from memory_ls.directory.loader import decode
from memory_ls.directory.snapshot import FileFacts
from memory_ls.store.journal import Entry, Source
from memory_ls.store.store import Outcome, Store
from tests.making import write_files
from tests.store.changing import bytes_in, create, delete, edit, rename

PATHS = ("MEMORY.md", "a.md", "A.md", "b.md", "漢字.md", "sub/c.md", "sub/er/d.md")
BYTES = st.sampled_from(
    (b"", b"x\n", b"\xef\xbb\xbfx\r\ny", b"\xef\xbb\xbf", "漢字\n😀".encode(), b"caf\xe9\n", b"one\ntwo\nthree\n" * 40)
)
TEXTS = st.sampled_from(("", "x\n", "\ufeff", "漢字\r\n", "one\ntwo\nthree\n" * 40, "\ud83d"))
paths = st.sampled_from(PATHS)


class Undoing(RuleBasedStateMachine):
    """Plans, undos and what others write, in any order; each state is remembered by the plan that made it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name, "memory")
        self.store = Store(self.root, Path(self.folder.name, "state"))
        self.expected: dict[str, bytes] = {}
        self.is_stack = True  # whether what was undone was always what was done last

    def teardown(self) -> None:
        self.folder.cleanup()

    @initialize(files=st.dictionaries(paths, BYTES))
    def start(self, files: dict[str, bytes]) -> None:
        self.first = self.expected = bytes_in(write_files(self.root, files))

    @rule(
        wishes=st.lists(
            st.tuples(st.integers(1, 4), st.sampled_from("cedrm"), paths, paths, TEXTS), min_size=1, max_size=6
        ),
        unsaved=st.sets(paths, max_size=1),
    )
    def apply(self, wishes: list[tuple[int, str, str, str, str]], unsaved: set[str]) -> None:
        made = Plan(str(self.root), "A plan", tuple(self.change(*wish) for wish in wishes))
        outcome = self.store.apply(made, unsaved=unsaved)
        done, refused = set(outcome.applied), {refusal.operation for refusal in outcome.refused}
        assert done | refused == set(made.operations)
        assert not done & refused
        assert not any(refusal.kind == "failed" for refusal in outcome.refused)
        touched = {path for each in outcome.files for path in (each.path, each.new_path) if path is not None}
        assert not touched & unsaved
        self.take(outcome, touched)

    def change(self, operation: int, kind: str, path: str, other: str, text: str) -> Change:
        data = self.expected.get(path)
        before = "not this\n" if data is None else decode(data, FileFacts())[0]
        if kind == "c":
            return create(operation, path, text)
        if kind == "e":
            return edit(operation, path, before, text)
        if kind == "d":
            return delete(operation, path, before)
        return rename(operation, path, other, before, text if kind == "m" else None)

    def take(self, outcome: Outcome, touched: set[str]) -> None:
        """What is there now is expected from now on, once it is sure that nothing else was touched."""
        now = bytes_in(self.root)
        assert {path for path in {*now, *self.expected} if now.get(path) != self.expected.get(path)} <= touched
        if outcome.journal_id is None:
            assert now == self.expected
        self.expected = now

    def standing(self) -> list[Entry]:
        """What was done and not undone, the newest first."""
        return [each for each in self.store.history() if each.source is not Source.UNDO and not each.undone]

    @rule()
    def undo(self) -> None:
        standing, outcome = self.standing(), self.store.undo()
        if outcome.journal_id is not None and self.store.history()[0].undoes != standing[0].id:
            self.is_stack = False
        self.take(outcome, {path for each in outcome.files for path in (each.path, each.new_path) if path is not None})

    @rule(number=st.integers(0, 5))
    def undo_any(self, number: int) -> None:
        entries = self.store.history()
        if entries:
            outcome = self.store.undo(entries[number % len(entries)].id)
            self.is_stack = self.is_stack and outcome.journal_id is None
            self.take(outcome, set(PATHS))

    @rule(path=paths, data=st.none() | BYTES)
    def others_write(self, path: str, data: bytes | None) -> None:
        before = self.expected.get(path)
        if data is None:
            (self.root / path).unlink(missing_ok=True)
        else:
            write_files(self.root, {path: data})
        self.store.note_external({path: (before, data)})
        self.expected = bytes_in(self.root)

    @invariant()
    def nothing_else_is_there(self) -> None:
        assert bytes_in(self.root) == self.expected

    @invariant()
    def going_back_through_everything_leads_to_the_first_state(self) -> None:
        if not hasattr(self, "first"):
            return
        states = dict(self.expected)
        for entry in self.store.history():
            for step in self.store._journal.steps(entry):
                assert states.get(step.path) == step.new, (entry.title, step.path)
                if step.old is None:
                    states.pop(step.path, None)
                else:
                    states[step.path] = step.old
        assert states == self.first

    @precondition(lambda self: self.is_stack)
    @rule()
    def undo_all(self) -> None:
        """Undoing what stands, the newest first, gives the first state byte for byte."""
        for entry in self.standing():
            assert self.store.undo(entry.id).refused == ()
        assert bytes_in(self.root) == self.first
        self.expected = self.first


TestUndoing = Undoing.TestCase
TestUndoing.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
