"""Asks for the fixes of a finding, and applies them as an editor or the command line would."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from memory_ls.changes.plan import Change, ChangeKind, combined
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.rules.check import check_directory
from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.fixes.fixes_of import fixes_of
from memory_ls.rules.registry import Context, Diagnostic
from memory_ls.settings import Settings
from tests.making import DEFAULTS, TODAY, Texts, directory_of


def context_of(texts: Texts, *, files: Iterable[str] = (), settings: Settings = DEFAULTS) -> Context:
    """What a check of the directory that holds ``texts`` looks at."""
    return Context(directory_of(texts, files=files), settings, TODAY)


def found_in(context: Context) -> dict[str, list[Diagnostic]]:
    """All that is found in a directory, by document."""
    return check_directory(context)


def fixes(
    code: str, texts: Texts, key: str, *, number: int = 0, files: Iterable[str] = (), settings: Settings = DEFAULTS
) -> list[Fix]:
    """The fixes of the finding ``number`` of the rule ``code`` in the document ``key``."""
    context = context_of(texts, files=files, settings=settings)
    found = [finding for finding in found_in(context).get(key, ()) if finding.code == code]
    return fixes_of(context, key, found[number])


def titles(code: str, texts: Texts, key: str) -> list[str]:
    """What the fixes of the first finding of ``code`` say that they do."""
    return [fix.title for fix in fixes(code, texts, key)]


def after(
    code: str,
    texts: Texts,
    key: str,
    title: str | None = None,
    *,
    number: int = 0,
    files: Iterable[str] = (),
    settings: Settings = DEFAULTS,
) -> str:
    """The text of ``key`` after the fix with this title, else the preferred one, of a finding of ``code``."""
    offered = fixes(code, texts, key, number=number, files=files, settings=settings)
    fix = next(fix for fix in offered if title in (None, fix.title))
    [change] = fix.changes()
    assert change.path == key
    return changed(texts, [change])[key]


def changed(texts: Texts, changes: Iterable[Change]) -> dict[str, str]:
    """The texts of a directory after some changes."""
    left = dict(texts)
    for file in combined(changes):
        if file.before is not None:
            assert left[file.path] == file.before
            del left[file.path]
        if file.after is not None:
            left[file.new_path or file.path] = file.after
    return left


def with_changes(directory: MemoryDirectory, changes: Iterable[Change]) -> MemoryDirectory:
    """The directory after some changes."""
    for file in combined(changes):
        if file.kind in (ChangeKind.DELETE, ChangeKind.RENAME):
            directory = directory.without(file.path)
        if file.after is not None:
            directory = directory.with_document(file.new_path or file.path, file.after)
    return directory


def counted(found: dict[str, list[Diagnostic]]) -> Counter[tuple[str, str]]:
    """How often each rule finds something in each document."""
    return Counter((key, finding.code) for key, findings in found.items() for finding in findings)
