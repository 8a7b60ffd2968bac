"""What must hold for any directory and any edits: a value kept up edit by edit equals one made from scratch.

The server keeps a directory up with each keystroke and checks again only what :func:`affected` names, so a
document that it forgets keeps a wrong diagnostic until the editor is started again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.affected import affected
from memory_ls.directory.backlinks import heading_point, links_by_heading, links_to, links_to_points
from memory_ls.directory.resolve import find_heading, resolve
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.documents.body import Link, anchors
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import all_keys, check_document
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.settings import Settings

_ROOT = "/w/quay/memory"
_TODAY = date(2026, 8, 10)


@dataclass(frozen=True)
class _Topic:
    """Fragments that have to do with each other: drawn from one or two topics, a small directory is full of clashes."""

    keys: tuple[str, ...]
    names: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    types: tuple[str, ...] = ("user",)

    def and_(self, other: _Topic) -> _Topic:
        """Both together."""
        return _Topic(
            self.keys + other.keys,
            self.names + other.names,
            self.links + other.links,
            self.lines + other.lines,
            self.files + other.files,
            self.types + other.types,
        )


_TOPICS = (
    _Topic(  # one name in many spellings, and links that nearly mean it
        ("ferry.md", "Ferry.md", "project_ferry.md", "team/ferry.md", "log.md"),
        ("ferry", "Ferry", "ferrys", "project ferry"),
        (
            "[[ferry]]",
            "[[Ferry]]",
            "[[ferri]]",
            "[[ferry.md]]",
            "[[ferry|the boat]]",
            "[[project_ferry]]",
            "[x](ferry.md)",
            "[x](FERRY.md)",
            "[x](ferry)",
            "[x](ferri.md)",
            "[x](../ferry.md)",
            "[x](team/ferry.md)",
        ),
        (
            "- [Ferry](ferry.md) — the boat\n",
            "- [Ferry](./ferry.md) — the boat again\n",
            "- [Ferry](Ferry.md) — the boat\n",
            "- [Ferry](ferry) — the boat\n",
            "- [Ferry](ferri.md)\n",
            "- [Log](log.md)\n",
            "- [[ferry]]\n",
            "- [[ferrys]]\n",
        ),
        ("Ferry.MD",),
    ),
    _Topic(  # names with a type in front
        ("role.md", "user_role.md", "user-role.md", "a.md"),
        ("role", "Role", "user role", "user_role", "roles"),
        ("[[role]]", "[[Role]]", "[[user role]]", "[[user_rol]]", "[[rol]]", "[x](role.md)", "[[roles]]"),
        ("- [Role](user_role.md) — me\n", "- [[role]] — me\n", "- [[user rol]] — me\n", "- [Role](role.md)\n"),
    ),
    _Topic(  # headings and anchors
        ("tides.md", "ebb.md", "flow.md"),
        ("tides", "ebb"),
        (
            "[[tides#Why]]",
            "[[tides#Wyh]]",
            "[[#Why]]",
            "[x](tides.md#why)",
            "[x](ebb.md#why)",
            "[[MEMORY#Index]]",
            "[[MEMORY]]",
            "[x](MEMORY.md#index)",
            "[x](MEMORY.md)",
            "[x][port]\n\n[port]: tides.md#why",
            "## Why",
            "## Wyh",
            "## 理由",
        ),
        ("# Index\n", "# Idnex\n", "## Why\n", "- [T](tides.md#why)\n", "- [[ebb#Why]]\n", "- [[ebb]]\n"),
    ),
    _Topic(  # sub-directories
        ("team/rota.md", "rota.md", "team/deep/rota.md", "desk.md"),
        ("rota", "desk"),
        (
            "[[rota]]",
            "[[team/rota]]",
            "[[team/]]",
            "[[team]]",
            "[[team/deep]]",
            "[[attic/]]",
            "[[attic/tide]]",
            "[x](rota.md)",
            "[x](deep/rota.md)",
            "[x](/rota.md)",
            "![x](plan.png)",
            "![x](paln.png)",
        ),
        (
            "- [Rota](team/rota.md), [Desk](desk.md) — x\n",
            "- [Rota](rota.md) — desk\n",
            "- [Team](team/) — all of them\n",
            "- [Deep](team/deep) — all of them\n",
            "- [Desk](desk.md)\n",
            "- [[team/rota]]\n",
        ),
        ("plan.png", "team/plan.png", "attic/tide.txt", "attic/tide.png"),
        ("team", "rota", "user"),
    ),
    _Topic(  # files that are memories only while the index links them
        ("README.md", "team/README.md", "CLAUDE.md", "quay.md"),
        ("quay",),
        ("[[README]]", "[x](README.md)", "[x](README.md#why)", "[[CLAUDE]]", "## Why", "[[quay]]"),
        (
            "- [R](README.md) — how we work\n",
            "- [[README]]\n",
            "- [C](CLAUDE.md)\n",
            "See README.md.\n",
            "- `quay.md` — x\n",
            "- [Q](quay.md)\n",
        ),
    ),
    _Topic(  # an index in parts
        ("my-index.md", "one.md", "two.md"),
        ("my-index", "one", "two", "part"),
        ("[[one]]", "[[two]]", "[x](one.md)", "[x](two.md)", "[[my-index]]"),
        ("- [More](my-index.md)\n", "- [[my-index]]\n", "- [[part]]\n", "- [One](one.md)\n"),
    ),
    _Topic(  # names that look like something else
        ("x.md", "notes.md", "v1.2 notes.md", "停航.md"),
        ("CI/CD setup", "ci/cd setup", "notes.md", "Rule: tides", "停航", "MEMORY", "123"),
        (
            "[[CI/CD setup]]",
            "[[CI/CD setp]]",
            "[[Rule: tides]]",
            "[[notes.md]]",
            "[[notes]]",
            "[[v1.2 notes]]",
            "[[停航]]",
            "[x](%E5%81%9C%E8%88%AA.md)",
            "`[[x]]`",
            "https://quay.example/a",
        ),
        ("- [[CI/CD setup]]\n", "- [[Rule: tides]]\n", "- `notes.md` — odds\n", "- [停航](停航.md)\n", "- [x](x.md)\n"),
    ),
    _Topic(  # copies
        ("plan.md", "plan copy.md", "plan 2.md", "team/plan 2.md", "team/plan.md"),
        ("plan", "plan-2"),
        ("[[plan]]", "[x](<plan copy.md>)"),
        ("- [x](plan%20copy.md)\n", "- [P](plan.md)\n"),
    ),
    _Topic(  # types of one's own
        ("c.md", "d.md", "decisions/e.md", "f.md"),
        ("c",),
        ("[[c]]",),
        ("- [C](c.md)\n",),
        (),
        ("decision", "feedbak", "convention", "feedback"),
    ),
)
_ANY_PARTS = (
    "The last boat leaves at six.",
    "**Why:** the tide.",
    "<!-- memory-ls-disable link-dead -->",
    "Yesterday it rained.\r",
    "```\n[[ferry]]\n```",
)
_ANY_LINES = (
    "Prose about the quay.\n",
    "- [Gone](gone.md) — no more\n",
    "- The harbour master answers on channel 12 until six.\n",
    "<!-- memory-ls-disable index-dead-link -->\n",
    # Long ones, since an index is read in pieces, and what opens without closing reaches over the next.
    f"- [[gone]] — {'tide ' * 180}\n",
    f"## Ports\n\n{'The ports we serve. ' * 60}\n\n",
    "```\n",
    "<!--\n",
    "-->\n",
    "<details>\n",
    "---\n",
    "[port]: ferry.md\n",
)


@dataclass(frozen=True)
class _Memory:
    """A memory before it is written out, so that an edit can change one thing of it."""

    dialect: str = "flat"
    name: str | None = None
    kind: str | None = None
    has_title: bool = False
    has_description: bool = True
    parts: tuple[str, ...] = ()

    def text(self) -> str:
        """The file."""
        if self.dialect == "none":
            return self._body()
        if self.dialect == "empty":
            return f"---\n---\n{self._body()}"
        lines = ["---", *(["title: t"] if self.has_title else [])]
        lines += [f"name: {self.name}"] if self.name is not None else []
        lines += ["description: a: b" if self.dialect == "broken" else "description: d"] if self.has_description else []
        if self.kind is not None:
            lines += ["metadata:", f"  type: {self.kind}"] if self.dialect == "nested" else [f"type: {self.kind}"]
        return "\n".join([*lines, "" if self.dialect == "unclosed" else "---", self._body()])

    def _body(self) -> str:
        return "".join(f"{part}\n\n" for part in self.parts)


_DIALECTS = ("flat", "flat", "nested", "nested", "none", "empty", "unclosed", "broken")


def _memories(topic: _Topic) -> st.SearchStrategy[_Memory]:
    return st.builds(
        _Memory,
        st.sampled_from(_DIALECTS),
        st.none() | st.sampled_from(topic.names),
        st.none() | st.sampled_from(topic.types),
        st.booleans(),
        st.booleans(),
        st.lists(st.sampled_from(topic.links + topic.links + _ANY_PARTS), max_size=4).map(tuple),
    )


_FACTS = st.none() | st.builds(FileFacts, st.integers(0, 9), st.integers(0, 9)) | st.just(FileFacts(9, bad_byte=2))
_TROUBLES = st.sampled_from([FileFacts(trouble=trouble) for trouble in Trouble])


@dataclass
class _Disk:
    """What the directory is made of: the plain truth that the value is compared with."""

    lenient: bool
    memories: dict[str, _Memory] = field(default_factory=dict)
    index: tuple[str, ...] | None = None
    others: set[str] = field(default_factory=set)
    facts: dict[str, FileFacts] = field(default_factory=dict)

    def value(self) -> MemoryDirectory:
        """The directory, made from scratch."""
        troubled = {key for key, facts in self.facts.items() if facts.trouble is not None}
        return MemoryDirectory.of(
            _ROOT,
            {key: MemoryDocument.parse(self.memories[key].text()) for key in sorted(self.memories)},
            IndexDocument.parse("".join(self.index)) if self.index is not None else None,
            files=troubled | self.others,
            facts=dict(self.facts),
            lenient=self.lenient,
        )


class _Edit:
    """One thing that happens to a file: on the disk, and to the value that is kept up."""

    key: str

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        raise NotImplementedError


@dataclass(frozen=True)
class _Write(_Edit):
    """A memory is made, or written anew."""

    key: str
    memory: _Memory
    facts: FileFacts | None = None

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        disk.memories[self.key] = self.memory
        disk.facts.pop(self.key, None)
        if self.facts is not None:
            disk.facts[self.key] = self.facts
        return value.with_document(self.key, self.memory.text(), self.facts)


@dataclass(frozen=True)
class _Change(_Edit):
    """One thing of a memory is changed, as an author does it."""

    key: str
    changes: tuple[tuple[str, object], ...]

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        memory = disk.memories.get(self.key, _Memory())
        for what, to in self.changes:
            if what == "part":
                parts = [part for part in memory.parts if part != to]
                memory = replace(memory, parts=tuple(parts if len(parts) < len(memory.parts) else [*parts, str(to)]))
            else:
                memory = replace(memory, **{what: to})  # type: ignore[arg-type]
        return _Write(self.key, memory).apply(disk, value)


@dataclass(frozen=True)
class _IndexLine(_Edit):
    """A line of the index comes, or goes if it is there."""

    line: str
    at: int
    key: str = INDEX_NAME

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        lines = list(disk.index or ())
        if self.line in lines:
            lines.remove(self.line)
        else:
            lines.insert(self.at, self.line)
        disk.index = tuple(lines)
        disk.facts.pop(INDEX_NAME, None)
        return value.with_document(INDEX_NAME, "".join(lines))


@dataclass(frozen=True)
class _Delete(_Edit):
    """A file goes away, if it is there."""

    key: str

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        disk.facts.pop(self.key, None)
        if self.key == INDEX_NAME:
            disk.index = None
        else:
            disk.memories.pop(self.key, None)
        return value.without(self.key)


@dataclass(frozen=True)
class _Spoil(_Edit):
    """A file can't be read any more."""

    key: str
    facts: FileFacts

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        _Delete(self.key).apply(disk, value)
        disk.facts[self.key] = self.facts
        return value.with_trouble(self.key, self.facts)


@dataclass(frozen=True)
class _OtherFile(_Edit):
    """A file that is no memory comes, or goes if it is there."""

    key: str

    def apply(self, disk: _Disk, value: MemoryDirectory) -> MemoryDirectory:
        if self.key in disk.others:
            disk.others.remove(self.key)
            return value.without(self.key)
        disk.others.add(self.key)
        return value.with_files((self.key,))


def _edits(topic: _Topic) -> st.SearchStrategy[_Edit]:
    key = st.sampled_from(topic.keys)
    any_key = st.sampled_from((*topic.keys, INDEX_NAME))
    change: st.SearchStrategy[tuple[str, object]] = st.one_of(
        st.tuples(st.just("name"), st.none() | st.sampled_from(topic.names)),
        st.tuples(st.just("kind"), st.none() | st.sampled_from(topic.types)),
        st.tuples(st.just("has_title"), st.booleans()),
        st.tuples(st.just("dialect"), st.sampled_from(_DIALECTS)),
        st.tuples(st.just("part"), st.sampled_from(topic.links)),
        st.tuples(st.just("part"), st.sampled_from(topic.links + _ANY_PARTS)),
    )
    line = st.builds(_IndexLine, st.sampled_from(topic.lines + topic.lines + _ANY_LINES), st.integers(0, 3))
    kinds: list[st.SearchStrategy[_Edit]] = [
        st.builds(_Change, key, st.tuples(change)),
        st.builds(_Change, key, st.tuples(change)),
        st.builds(_Change, key, st.tuples(change, change)),
        line,
        line,
        st.builds(_Delete, key),
        st.builds(_Delete, any_key),
        st.builds(_Write, key, _memories(topic), _FACTS),
        st.builds(_Spoil, any_key, _TROUBLES),
        *([st.builds(_OtherFile, st.sampled_from(topic.files))] if topic.files else []),
    ]
    return st.one_of(kinds)


# Memories that stay as they are, so that what most of a directory does seldom changes: that would touch all of it.
_STEADY = {
    f"a{number}.md": _Memory("flat", f"steady-{number}", "user", parts=(f"Fact {number}.",)) for number in range(6)
}
_STEADY_LINE = "".join(f"- [S]({key})\n" for key in _STEADY)


def _disk(
    lenient: bool, memories: dict[str, _Memory], index: tuple[str, ...] | None, others: set[str], steady: int
) -> _Disk:
    if not steady:
        return _Disk(lenient, memories, index, others)
    return _Disk(lenient, {**_STEADY, **memories}, None if index is None else (_STEADY_LINE, *index), others)


def _disks(topic: _Topic) -> st.SearchStrategy[_Disk]:
    lines = st.lists(st.sampled_from(topic.lines + topic.lines + _ANY_LINES), max_size=5).map(tuple)
    return st.builds(
        _disk,
        st.sampled_from([True, True, False]),
        st.dictionaries(st.sampled_from(topic.keys), _memories(topic), max_size=5),
        st.one_of(lines, lines, st.none()),
        st.sets(st.sampled_from(topic.files), max_size=2) if topic.files else st.builds(set),
        st.integers(0, 3),
    )


_History = tuple[_Disk, list[list[_Edit]]]


def _histories(together: int) -> st.SearchStrategy[_History]:
    """A directory and what happens to it; up to ``together`` edits come at once."""
    topics = [*_TOPICS * 6, *(one.and_(other) for one, other in combinations(_TOPICS, 2))]
    histories: list[st.SearchStrategy[_History]] = []
    for topic in topics:
        batches = st.lists(st.lists(_edits(topic), min_size=1, max_size=together), min_size=1, max_size=8)
        histories.append(st.tuples(_disks(topic), batches))
    return st.one_of(histories)


def _all_diagnostics(directory: MemoryDirectory) -> dict[str, list[Diagnostic]]:
    context = Context(directory, Settings(), _TODAY)
    return {key: found for key in all_keys(context) if (found := check_document(context, key))}


def _kept_up(
    diagnostics: dict[str, list[Diagnostic]], old: MemoryDirectory, new: MemoryDirectory, changed: Sequence[str]
) -> dict[str, list[Diagnostic]]:
    context = Context(new, Settings(), _TODAY)
    again = {key: check_document(context, key) for key in affected(old, new, changed)}
    return {key: found for key, found in (diagnostics | again).items() if found}


def _texts(documents: object) -> dict[str, str]:
    assert isinstance(documents, dict)
    return {key: document.source.text for key, document in documents.items()}


def _assert_same(value: MemoryDirectory, scratch: MemoryDirectory) -> None:
    assert _texts(value.documents) == _texts(scratch.documents)
    assert _texts(value.others) == _texts(scratch.others)
    assert value.names == scratch.names
    assert value.census == scratch.census
    assert value.sources == scratch.sources
    assert value.files.names == scratch.files.names
    assert value.facts == scratch.facts
    assert value.sorted_keys == scratch.sorted_keys
    assert (value.index is None) == (scratch.index is None)
    if value.index is not None and scratch.index is not None:
        assert value.index.source.text == scratch.index.source.text
        assert value.index.targets == scratch.index.targets
        assert [entry.span for entry in value.index.entries()] == [entry.span for entry in scratch.index.entries()]


@settings(max_examples=200, deadline=None)
@given(_histories(together=1))
def test_a_value_kept_up_by_edits_equals_one_made_from_scratch(history: _History) -> None:
    disk, batches = history
    value = disk.value()
    for (edit,) in batches:
        value = edit.apply(disk, value)
        _assert_same(value, disk.value())


def _assert_kept_up(disk: _Disk, batches: list[list[_Edit]]) -> None:
    value = disk.value()
    diagnostics = _all_diagnostics(value)
    for batch in batches:
        before = value
        for edit in batch:
            value = edit.apply(disk, value)
        diagnostics = _kept_up(diagnostics, before, value, [edit.key for edit in batch])
        assert diagnostics == _all_diagnostics(disk.value())


@settings(max_examples=1200, deadline=None)
@given(_histories(together=1))
def test_checking_only_affected_documents_again_finds_what_checking_all_finds(
    history: _History,
) -> None:
    _assert_kept_up(*history)


@settings(max_examples=200, deadline=None)
@given(_histories(together=4))
def test_the_same_holds_for_several_edits_at_once(history: _History) -> None:
    _assert_kept_up(*history)


def _all_links(directory: MemoryDirectory) -> list[tuple[str, Link]]:
    found = [(key, link) for key, document in directory.documents.items() for link in document.body.links]
    found += [(INDEX_NAME, link) for link in (directory.index.links() if directory.index else ())]
    return sorted(found, key=lambda place: (place[0], place[1].start))


@settings(max_examples=400, deadline=None)
@given(_histories(together=1))
def test_links_found_through_the_table_are_those_found_by_looking_at_all(history: _History) -> None:
    disk, batches = history
    directory = disk.value()
    _ = directory.sources  # known, so that the edits keep it up
    for (edit,) in batches:
        directory = edit.apply(disk, directory)
    every = _all_links(directory)
    keys = {*directory.documents, *directory.others, *directory.files.names, INDEX_NAME}
    for key in keys - directory.files.directories:
        meant = [place for place in every if key in resolve(directory, *place).keys]
        assert links_to(directory, key) == [(source, link) for source, link in meant if link.target]
        document = directory.document(key) or directory.others.get(key)
        if document is None:
            continue
        by_heading = links_by_heading(directory, key)
        for slug, heading in anchors(document.headings):
            here = [
                (source, link)
                for source, link in meant
                if link.anchor is not None and find_heading(document.headings, link.anchor) == heading
            ]
            assert links_to_points(directory, [heading_point(directory, key, heading)]) == here
            assert by_heading.get(slug, []) == here
