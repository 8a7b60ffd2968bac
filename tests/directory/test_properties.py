"""What must hold for any directory and any edits: a value kept up edit by edit equals one made from scratch.

The server keeps a directory up with each keystroke and checks again only what :func:`affected` names, so a
document that it forgets keeps a wrong diagnostic until the editor is started again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.affected import affected
from memory_ls.directory.snapshot import FileFacts, MemoryDirectory, Trouble
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import all_keys, check_document
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.settings import Settings

_ROOT = "/w/quay/memory"
_TODAY = date(2026, 8, 10)

_KEYS = (
    "ferry.md",
    "Ferry.md",
    "role.md",
    "user_role.md",
    "user-role.md",
    "project_ferry.md",
    "team/ferry.md",
    "team/rota.md",
    "team/deep/rota.md",
    "team/README.md",
    "README.md",
    "CLAUDE.md",
    "ferry copy.md",
    "ferry 2.md",
    "my-index.md",
    "team/index.md",
    "停航.md",
    "v1.2 notes.md",
    "notes.md",
)
_OTHER_FILES = ("plan.png", "team/plan.png", "team/data.json", "attic/tide.txt", "Ferry.MD")
_NAMES = (
    "ferry",
    "Ferry",
    "ferrys",
    "role",
    "Role",
    "user role",
    "user_role",
    "rota",
    "CI/CD setup",
    "Rule: tides",
    "notes.md",
    "停航",
    "my-index",
    "MEMORY",
    "123",
)
_TYPES = ("user", "feedback", "feedbak", "decision", "convention", "team")
_LINKS = (
    "[[ferry]]",
    "[[Ferry]]",
    "[[ferri]]",
    "[[ferry.md]]",
    "[[ferry|the boat]]",
    "[[ferry#Why]]",
    "[[ferry#Wyh]]",
    "[[#Why]]",
    "[[role]]",
    "[[Role]]",
    "[[user role]]",
    "[[user_rol]]",
    "[[project_ferry]]",
    "[[rota]]",
    "[[team/rota]]",
    "[[team/]]",
    "[[team/deep]]",
    "[[attic/]]",
    "[[README]]",
    "[[MEMORY]]",
    "[[MEMORY#Index]]",
    "[[CI/CD setup]]",
    "[[ci/cd setup]]",
    "[[CI/CD setp]]",
    "[[Rule: tides]]",
    "[[notes.md]]",
    "[[notes]]",
    "[[v1.2 notes]]",
    "[[停航]]",
    "[[停航#理由]]",
    "[x](ferry.md)",
    "[x](FERRY.md)",
    "[x](ferry)",
    "[x](./ferry.md#why)",
    "[x](ferry.md#wyh)",
    "[x](team/ferry.md)",
    "[x](../ferry.md)",
    "[x](rota.md)",
    "[x](deep/rota.md)",
    "[x](<ferry copy.md>)",
    "[x](README.md)",
    "[x](MEMORY.md#index)",
    "[x](/role.md)",
    "[x](my-index.md)",
    "[x](%E5%81%9C%E8%88%AA.md)",
    "![x](plan.png)",
    "![x](paln.png)",
    "[x][port]\n\n[port]: rota.md#why",
    "`[[ferry]]`",
    "https://quay.example/a",
)
_PARAGRAPHS = (
    "The last boat leaves at six.\n",
    "## Why\n",
    "## Wyh\n",
    "## 理由\n",
    "## Index\n",
    "**Why:** the tide.\n",
    "```\n[[ferry]]\n```\n",
    "<!-- memory-ls-disable link-dead -->\n",
    "\r\n",
    "Yesterday it rained.\n",
)
_INDEX_LINES = (
    "# Index\n",
    "## Why\n",
    "- [Ferry](ferry.md) — the boat\n",
    "- [Ferry](./ferry.md) — the boat again\n",
    "- [Ferry](Ferry.md) — the boat\n",
    "- [Ferry](FERRY.md) — the boat\n",
    "- [Ferry](ferry) — the boat\n",
    "- [Role](user_role.md) — me\n",
    "- [Role](user_role.md#why) — me\n",
    "- [Rota](team/rota.md), [Ferry](team/ferry.md) — desk\n",
    "- [Rota](rota.md) — desk\n",
    "- [Team](team/) — all of them\n",
    "- [Deep](team/deep) — all of them\n",
    "- [[ferry]]\n",
    "- [[role]] — me\n",
    "- [[user rol]] — me\n",
    "- [[my-index]]\n",
    "- [[CI/CD setup]]\n",
    "- [[README]]\n",
    "- [[Rule: tides]]\n",
    "- [More](my-index.md)\n",
    "- [More](team/index.md)\n",
    "- [R](README.md) — how we work\n",
    "- [C](CLAUDE.md) — how we work\n",
    "- `notes.md` — odds and ends\n",
    "- See team/README.md for the rest.\n",
    "- [停航](停航.md) — 风大停航\n",
    "- The harbour master answers on channel 12 until six.\n",
    "- [Gone](gone.md) — no more\n",
    "- [x](ferry%20copy.md)\n",
    "| [Notes](v1.2%20notes.md) | x |\n",
    "```\n- [Ferry](ferry.md)\n```\n",
    "[port]: ferry.md\n",
    # Long ones, since an index is read in pieces, and what opens without closing reaches over the next.
    f"- [Ferry](ferry.md) — {'tide ' * 180}\n",
    f"- [[role]] — {'ebb ' * 250}\n",
    f"## Ports\n\n{'The ports we serve. ' * 60}\n\n",
    "```\n",
    "<!--\n",
    "-->\n",
    "  ~~~\n",
    "<details>\n",
    "---\n",
    "title: x\n",
    "<!-- memory-ls-disable index-dead-link -->\n",
)


@st.composite
def _memory_texts(draw: st.DrawFn) -> str:
    name = draw(st.none() | st.sampled_from(_NAMES))
    kind = draw(st.none() | st.sampled_from(_TYPES))
    described = draw(st.booleans())
    lead = "description: a: b\n" if draw(st.integers(0, 9)) == 0 else "description: tides\n" if described else ""
    dialect = draw(st.sampled_from(("none", "flat", "flat", "nested", "nested", "empty", "unclosed")))
    head = ""
    if dialect == "flat":
        head = "---\n" + lead + (f"name: {name}\n" if name else "") + (f"type: {kind}\n" if kind else "") + "---\n"
    elif dialect == "nested":
        head = "---\n" + (f"name: {name}\n" if name is not None else "name:\n") + lead
        head += (f"metadata:\n  type: {kind}\n" if kind else "metadata:\n") + "---\n"
    elif dialect == "empty":
        head = "---\n---\n"
    elif dialect == "unclosed":
        head = f"---\nname: {name}\n\n"
    parts = draw(
        st.lists(st.sampled_from(_LINKS).map(lambda link: f"{link}\n") | st.sampled_from(_PARAGRAPHS), max_size=5)
    )
    return head + "\n".join(parts)


_INDEX_TEXTS = st.lists(st.sampled_from(_INDEX_LINES), max_size=9).map("".join)
_FACTS = st.none() | st.builds(FileFacts, st.integers(0, 9), st.integers(0, 9)) | st.just(FileFacts(9, bad_byte=2))
_TROUBLES = st.sampled_from([FileFacts(trouble=trouble) for trouble in Trouble])


@dataclass
class _Disk:
    """What the directory is made of: the plain truth that the value is compared with."""

    lenient: bool
    texts: dict[str, str] = field(default_factory=dict)
    troubled: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)
    facts: dict[str, FileFacts] = field(default_factory=dict)

    def value(self) -> MemoryDirectory:
        candidates = {key: MemoryDocument.parse(self.texts[key]) for key in sorted(self.texts) if key != INDEX_NAME}
        index = IndexDocument.parse(self.texts[INDEX_NAME]) if INDEX_NAME in self.texts else None
        files = self.troubled | self.others
        return MemoryDirectory.of(_ROOT, candidates, index, files=files, facts=dict(self.facts), lenient=self.lenient)


@dataclass(frozen=True)
class _Write:
    key: str
    text: str
    facts: FileFacts | None

    def on_disk(self, disk: _Disk) -> None:
        disk.troubled.discard(self.key)
        disk.texts[self.key] = self.text
        disk.facts.pop(self.key, None)
        if self.facts is not None:
            disk.facts[self.key] = self.facts

    def on(self, directory: MemoryDirectory) -> MemoryDirectory:
        return directory.with_document(self.key, self.text, self.facts)


@dataclass(frozen=True)
class _Delete:
    key: str

    def on_disk(self, disk: _Disk) -> None:
        disk.troubled.discard(self.key)
        disk.texts.pop(self.key, None)
        disk.facts.pop(self.key, None)

    def on(self, directory: MemoryDirectory) -> MemoryDirectory:
        return directory.without(self.key)


@dataclass(frozen=True)
class _Spoil:
    key: str
    facts: FileFacts

    def on_disk(self, disk: _Disk) -> None:
        disk.texts.pop(self.key, None)
        disk.troubled.add(self.key)
        disk.facts[self.key] = self.facts

    def on(self, directory: MemoryDirectory) -> MemoryDirectory:
        return directory.with_trouble(self.key, self.facts)


@dataclass(frozen=True)
class _OtherFile:
    key: str
    is_there: bool

    def on_disk(self, disk: _Disk) -> None:
        if self.is_there:
            disk.others.add(self.key)
        else:
            disk.others.discard(self.key)

    def on(self, directory: MemoryDirectory) -> MemoryDirectory:
        return directory.with_files(added=(self.key,)) if self.is_there else directory.with_files(removed=(self.key,))


_Edit = _Write | _Delete | _Spoil | _OtherFile

_SOME_KEY = st.sampled_from(_KEYS)
_KEY_OR_INDEX = st.sampled_from((*_KEYS, INDEX_NAME, INDEX_NAME, INDEX_NAME))
_WRITES = st.builds(_Write, _SOME_KEY, _memory_texts(), _FACTS)
_INDEX_WRITES = st.builds(_Write, st.just(INDEX_NAME), _INDEX_TEXTS, _FACTS)
_EDITS: st.SearchStrategy[_Edit] = st.one_of(
    _WRITES,
    _WRITES,
    _INDEX_WRITES,
    st.builds(_Delete, _KEY_OR_INDEX),
    st.builds(_Spoil, _KEY_OR_INDEX, _TROUBLES),
    st.builds(_OtherFile, st.sampled_from(_OTHER_FILES), st.booleans()),
)


@st.composite
def _disks(draw: st.DrawFn) -> _Disk:
    disk = _Disk(draw(st.booleans()))
    for edit in draw(st.lists(st.one_of(_WRITES, _WRITES, _WRITES, _INDEX_WRITES, _EDITS), max_size=9)):
        edit.on_disk(disk)
    return disk


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


@settings(max_examples=250, deadline=None)
@given(_disks(), st.lists(_EDITS, min_size=1, max_size=8))
def test_a_value_kept_up_by_edits_equals_one_made_from_scratch(disk: _Disk, edits: list[_Edit]) -> None:
    value = disk.value()
    for edit in edits:
        value = edit.on(value)
        edit.on_disk(disk)
        _assert_same(value, disk.value())


@settings(max_examples=350, deadline=None)
@given(_disks(), st.lists(st.lists(_EDITS, min_size=1, max_size=3), min_size=1, max_size=5))
def test_checking_only_affected_documents_again_finds_what_checking_all_finds(
    disk: _Disk, batches: list[list[_Edit]]
) -> None:
    value = disk.value()
    diagnostics = _all_diagnostics(value)
    for batch in batches:
        before = value
        for edit in batch:
            value = edit.on(value)
            edit.on_disk(disk)
        diagnostics = _kept_up(diagnostics, before, value, [edit.key for edit in batch])
        assert diagnostics == _all_diagnostics(disk.value())
