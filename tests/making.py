"""Makes memory directories out of texts, and asks what the rules find in them.

In a text that is to be checked, ``⟪`` and ``⟫`` stand around what a finding must underline; they are
taken out before the text is read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory_ls.directory.snapshot import FileFacts, MemoryDirectory
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.check import check_directory
from memory_ls.rules.registry import RULES, Context, Diagnostic, Severity
from memory_ls.settings import Settings
from memory_ls.text import Span

ROOT = "/w/quay/memory"
TODAY = date(2026, 8, 10)
DEFAULTS = Settings()

Texts = Mapping[str, str]


def directory_of(
    texts: Texts,
    *,
    files: Iterable[str] = (),
    facts: Mapping[str, FileFacts] | None = None,
    lenient: bool = True,
) -> MemoryDirectory:
    """The directory that holds ``texts`` by key, and ``files`` that are no markdown."""
    documents = {key: MemoryDocument.parse(text) for key, text in sorted(texts.items()) if key != INDEX_NAME}
    index = IndexDocument.parse(texts[INDEX_NAME]) if INDEX_NAME in texts else None
    return MemoryDirectory.of(ROOT, documents, index, files=files, facts=facts, lenient=lenient)


def checked(
    directory: MemoryDirectory, *, settings: Settings = DEFAULTS, today: date = TODAY, suppressions: bool = True
) -> dict[str, list[Diagnostic]]:
    """Everything that all rules, quick and costly, find in ``directory``, by document."""
    found = check_directory(Context(directory, settings, today), suppressions=suppressions)
    return {key: diagnostics for key, diagnostics in found.items() if diagnostics}


def unmarked(text: str) -> tuple[str, list[Span]]:
    """``text`` without its marks, and the spans that they stood around."""
    spans: list[Span] = []
    plain = ""
    for number, part in enumerate(text.replace("⟫", "⟪").split("⟪")):
        if number % 2:
            spans.append(Span(len(plain), len(plain) + len(part)))
        plain += part
    return plain, spans


def findings(
    code: str,
    texts: Texts,
    key: str,
    *,
    files: Iterable[str] = (),
    lenient: bool = True,
    settings: Settings = DEFAULTS,
    today: date = TODAY,
    suppressions: bool = True,
) -> list[Diagnostic]:
    """What the rule ``code`` finds in the document ``key``."""
    assert code in RULES
    plain = {name: unmarked(text)[0] for name, text in texts.items()}
    directory = directory_of(plain, files=files, lenient=lenient)
    found = checked(directory, settings=settings, today=today, suppressions=suppressions).get(key, [])
    return [diagnostic for diagnostic in found if diagnostic.code == code]


def assert_found(
    code: str,
    texts: Texts,
    key: str,
    /,
    *,
    severity: Severity | None = None,
    files: Iterable[str] = (),
    lenient: bool = True,
    settings: Settings = DEFAULTS,
    today: date = TODAY,
    **data: object,
) -> Diagnostic:
    """The first finding of ``code`` in ``key``, after making sure that they stand exactly where the marks are.

    ``severity`` is the rule's own unless given; ``data`` is what the first must hold.
    """
    spans = unmarked(texts[key])[1]
    assert spans, "nothing is marked"
    found = findings(code, texts, key, files=files, lenient=lenient, settings=settings, today=today)
    assert [diagnostic.span for diagnostic in found] == spans
    for diagnostic in found:
        assert diagnostic.severity is (severity or RULES[code].severity)
        assert diagnostic.message.endswith((".", "?"))
    assert {name: found[0].data.get(name) for name in data} == data
    return found[0]


def assert_quiet(
    code: str,
    texts: Texts,
    key: str,
    *,
    files: Iterable[str] = (),
    lenient: bool = True,
    settings: Settings = DEFAULTS,
    today: date = TODAY,
) -> None:
    """Makes sure that ``code`` finds nothing in ``key``."""
    found = findings(code, texts, key, files=files, lenient=lenient, settings=settings, today=today)
    assert [diagnostic.message for diagnostic in found] == []


def codes_in(texts: Texts, *, lenient: bool = True) -> dict[str, list[str]]:
    """The codes of everything found, by document."""
    found = checked(directory_of(texts, lenient=lenient))
    return {key: [diagnostic.code for diagnostic in diagnostics] for key, diagnostics in found.items()}


def memory(
    name: str | None = "tide-tables",
    description: str | None = "",
    kind: str | None = "project",
    body: str = "",
    *,
    nested: bool = True,
    extra: str = "",
) -> str:
    """The text of a memory in the nested dialect, or else the flat one; ``extra`` are more lines of frontmatter.

    Without a description or a body it gets one that no other memory has.
    """
    words = (name or "something").strip("\"'⟪⟫")
    description = f"Notes on {words}" if description == "" else description
    lines = ["---"]
    if name is not None:
        lines.append(f"name: {name}")
    if description is not None:
        lines.append(f"description: {description}")
    if kind is not None:
        lines.extend(["metadata:", f"  type: {kind}"] if nested else [f"type: {kind}"])
    return "\n".join([*lines, f"{extra}---", "", body or f"{words.capitalize()}.\n"])


def refuse_all_in(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the system refuse to tell anything of what lies in ``directory``, also to root."""
    for name in ("stat", "lstat", "scandir", "listdir"):
        monkeypatch.setattr(os, name, _refusing(getattr(os, name), directory, lists=name in ("scandir", "listdir")))


def _refusing(real: Callable[..., Any], closed: Path, *, lists: bool) -> Callable[..., Any]:
    def refusing(path: Any = ".", *arguments: Any, **options: Any) -> Any:
        if not isinstance(path, int):
            asked = Path(os.path.abspath(os.fsdecode(path)))
            if closed in asked.parents or (lists and asked == closed):
                raise PermissionError(13, "Permission denied", str(path))
        return real(path, *arguments, **options)

    return refusing


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Writes ``files`` below ``root`` and returns it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root
