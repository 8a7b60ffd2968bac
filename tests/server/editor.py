"""An editor that carries out a workspace edit: written from LSP 3.17, apart from the server, and strict about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.server.positions import lines, units

JSON = dict[str, Any]


class EditFault(Exception):
    """An edit that an editor can't carry out as it is meant."""


def path_of(uri: str) -> Path:
    """The file that a URI names."""
    return Path(unquote(urlsplit(uri).path))


def apply_edit(edit: JSON, encoding: str, open_documents: Mapping[str, tuple[int, str]] | None = None) -> set[str]:
    """Carries out ``edit`` on the disk; returns the URIs whose text it changed.

    ``open_documents`` are the version and the text of what is open by its URI; all others must be edited without one.
    """
    known = dict(open_documents or {})
    if ("changes" in edit) == ("documentChanges" in edit):
        raise EditFault("either changes or documentChanges")
    plain = [{"textDocument": {"uri": uri}, "edits": edits} for uri, edits in edit.get("changes", {}).items()]
    edited = set()
    for part in edit.get("documentChanges", plain):
        if "kind" in part:
            _operate(part, known)
        else:
            document = part["textDocument"]
            uri = document["uri"]
            version, text = known.get(uri, (None, None))
            if "documentChanges" in edit and document["version"] != version:
                raise EditFault(f"version {document['version']} of {uri}, which has {version}")
            text = path_of(uri).read_bytes().decode("utf-8") if text is None else text
            bom, text = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
            path_of(uri).write_bytes((bom + edited_text(text, part["edits"], encoding)).encode("utf-8"))
            edited.add(uri)
    return edited


def _operate(part: JSON, known: dict[str, tuple[int, str]]) -> None:
    options = part.get("options", {})
    if part["kind"] == "rename":
        old, new = path_of(part["oldUri"]), path_of(part["newUri"])
        if new.exists() or part["newUri"] in known:
            raise EditFault(f"{new} is there")
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)
        if part["oldUri"] in known:
            known[part["newUri"]] = known.pop(part["oldUri"])
    elif part["kind"] == "create":
        path = path_of(part["uri"])
        if path.exists() and not options.get("ignoreIfExists"):
            raise EditFault(f"{path} is there")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    else:
        assert part["kind"] == "delete"
        path_of(part["uri"]).unlink()


def edited_text(text: str, edits: list[JSON], encoding: str) -> str:
    """``text`` after ``edits``, each of which counts in ``text`` as it was; those at one place keep their order."""
    found = []
    for edit in edits:
        start, end = _offset(text, edit["range"]["start"], encoding), _offset(text, edit["range"]["end"], encoding)
        found.append((start, end, edit["newText"]))
    at, pieces = 0, []
    for start, end, new in sorted(found, key=lambda item: item[:2]):
        if start < at or end < start:
            raise EditFault("edits that overlap")
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _offset(text: str, position: JSON, encoding: str) -> int:
    """A client's position as an offset; it must be a place between two characters that is there."""
    every = lines(text)
    if position["line"] >= len(every):
        raise EditFault("past the last line")
    start = 0
    for line in every[: position["line"]]:
        start += len(line)
        start += 2 if text.startswith("\r\n", start) else 1
    line = every[position["line"]]
    for count in range(len(line) + 1):
        if units(line[:count], encoding) == position["character"]:
            return start + count
    raise EditFault("within a character, or past the end of the line")
