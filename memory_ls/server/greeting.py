"""What of an initialize request can be understood, where not all of it can.

A client may know more of LSP than we do, or less, and say so in ways that the library refuses as a whole: a kind of
symbol with a new number, a group of capabilities that is a bare ``true``. It has a server all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

JSON = dict[str, Any]
_Fits = Callable[[JSON], bool]


def understood(params: JSON, fits: _Fits) -> JSON:
    """The parameters without what does not fit; ``fits`` tells whether the library can read parameters."""
    kept = dict(_LEAST)
    for name, value in params.items():
        if name == "workspaceFolders":
            value = [_named(folder) for folder in value] if isinstance(value, list) else value
        part = _fitting(value, lambda part, name=name: fits({**_LEAST, name: part}))  # type: ignore[misc]
        if part is not _NOTHING:
            kept[name] = part
    return kept


_LEAST: JSON = {"processId": None, "rootUri": None, "capabilities": {}}
_NOTHING = object()


def _named(folder: object) -> object:
    """A workspace folder with a name, which some leave out."""
    return {"name": "", **folder} if isinstance(folder, dict) else folder


def _fitting(value: Any, fits: Callable[[Any], bool]) -> Any:
    """The part of a value that fits where the whole stood, ``_NOTHING`` where no part does."""
    if fits(value):
        return value
    if isinstance(value, dict):
        kept = {name: part for name, part in _parts(value, fits) if part is not _NOTHING}
    elif isinstance(value, list):
        kept = [each for each in value if fits([each])]  # type: ignore[assignment]
    else:
        return _NOTHING
    # What needs something that was dropped goes with it.
    return kept if fits(kept) else _NOTHING


def _parts(value: JSON, fits: Callable[[Any], bool]) -> Iterator[tuple[str, Any]]:
    for name, part in value.items():
        yield name, _fitting(part, lambda inner, name=name: fits({name: inner}))  # type: ignore[misc]
