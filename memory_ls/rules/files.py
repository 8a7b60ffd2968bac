"""Rules about files as the disk has them: readable, text, no stray copies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_ls.directory.loader import most_bytes
from memory_ls.directory.snapshot import FileFacts, Trouble
from memory_ls.documents.index import INDEX_NAME, IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.documents.names import copied_from, stem_of
from memory_ls.rules.registry import RULES, Context, Diagnostic
from memory_ls.text import Span

# Dropbox, Syncthing and Nextcloud.
_SURE_COPY = re.compile(
    r"\((?:[^()]*[ '’]s )?conflicted copy[^()]*\)|\.sync-conflict-\d{8}-|\(conflict[^()]*\)", re.IGNORECASE
)

_START = Span(0, 0)


def check_trouble(key: str, facts: FileFacts) -> Iterator[Diagnostic]:
    """The finding about a file that could not be read."""
    what = "index" if key == INDEX_NAME else "memory"
    if facts.trouble is Trouble.TOO_LARGE:
        yield RULES["file-too-large"].at(
            _START,
            f"The file has {facts.size:,} bytes; up to {most_bytes(key):,} are read. No agent loads so much: split the "
            f"{what}, or move it out of the directory.",
            size=facts.size,
        )
    elif facts.trouble is Trouble.DANGLING:
        yield RULES["file-unreadable"].at(
            _START,
            "This is a symbolic link to a file that is not there. Correct or delete the link.",
            reason="dangling",
        )
    elif facts.trouble is Trouble.NOT_A_FILE:
        yield RULES["file-unreadable"].at(
            _START,
            f"This is no regular file, so no agent can read the {what}. Rename or remove it.",
            reason="not a file",
        )
    elif facts.trouble is Trouble.UNREADABLE:
        yield RULES["file-unreadable"].at(
            _START,
            f"The file can't be read{f' ({facts.detail})' if facts.detail else ''}, so agents lose the {what}. Check its "
            "permissions.",
            reason="unreadable",
        )


def check_encoding(document: MemoryDocument | IndexDocument, facts: FileFacts | None) -> Iterator[Diagnostic]:
    """The finding about a text that is not UTF-8, or holds NUL characters."""
    text = document.source.text
    at = text.find("\0")
    if facts is not None and facts.bad_byte is not None:
        # What stands before the byte was decoded as it is; a U+FFFD in it is the author's own.
        before = text.encode("utf-8", "surrogatepass")[: facts.bad_byte - (3 if facts.has_bom else 0)]
        bad = len(before.decode("utf-8", "replace"))
        looks_wide = text.count("\0") * 3 > len(text)
        kind = "It looks like UTF-16." if looks_wide else "It looks like an older encoding, or is damaged."
        yield RULES["file-encoding"].at(
            Span(bad, min(bad + 1, len(text))),
            f"The file is not UTF-8 from byte {facts.bad_byte} on, and agents read it as nothing else. {kind} "
            "Save it as UTF-8.",
            byte=facts.bad_byte,
        )
    elif at >= 0:
        yield RULES["file-encoding"].at(
            Span(at, at + 1),
            "The text holds a NUL character, which no text has: the file is damaged, or is no text. Delete it.",
        )


def check(context: Context, key: str, document: MemoryDocument) -> Iterator[Diagnostic]:
    """Whether a file is a copy that a synchronisation program left behind."""
    # Other names mean a copy only when the original lies beside it.
    if _SURE_COPY.search(stem_of(key)) or copied_from(key) in context.directory.files.names:
        yield RULES["sync-copy"].at(
            document.source.line_span(0),
            "By its name this is a copy that a synchronisation program made: agents read both versions. Merge the two "
            "and delete one.",
        )
