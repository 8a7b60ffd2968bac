"""What the server asks the client to tell it of, at run time (LSP 3.17, "Register Capability")."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from lsprotocol import types

from memory_ls.server.convert import uri_of
from memory_ls.settings import PROJECT_FILE, user_file


class Registrations:
    """What is registered, one registration for a method.

    ``ask`` sends a request, with what is done at its answer, and at an error in place of one.
    """

    def __init__(
        self, ask: Callable[[str, object, Callable[[Any], None] | None, Callable[[], None] | None], None]
    ) -> None:
        self._ask = ask
        self._ids: dict[str, str] = {}
        self._numbers = count(1)

    def register(
        self,
        method: str,
        options: object,
        then: Callable[[Any], None] | None = None,
        refused: Callable[[], None] | None = None,
    ) -> None:
        """Registers for a method, in place of what was registered for it before."""
        before = self._ids.get(method)
        self._ids[method] = f"memory-ls-{next(self._numbers)}"
        registration = types.Registration(self._ids[method], method, options)
        self._ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]), then, refused)
        # Only now, so that nothing is missed between.
        if before is not None:
            old = types.Unregistration(before, method)
            self._ask(types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams([old]), None, None)


def file_watchers(
    folders: Iterable[Path], roots: Iterable[Path], flat: Iterable[Path] = ()
) -> list[types.FileSystemWatcher]:
    """The files of which a client is to tell: what could begin or settle a memory directory, and all that is in one.

    Of the directories ``flat`` it is what lies in them, and nothing below.
    """
    own = user_file()
    patterns = {(own.parent, _literal(own.name))}
    for folder in folders:
        patterns.update((folder, pattern) for pattern in ("**/*.md", f"**/{PROJECT_FILE}"))
    for root in roots:
        # Of a directory that goes, a client tells by its own name alone.
        patterns.update({(root, "**/*"), (root.parent, _literal(root.name)), (root.parent, PROJECT_FILE)})
    patterns.update((folder, "*") for folder in flat)
    return [types.FileSystemWatcher(types.RelativePattern(uri_of(base), pattern)) for base, pattern in sorted(patterns)]


def _literal(name: str) -> str:
    """A glob pattern that means just this name."""
    return re.sub(r"[*?{}\[\]]", "?", name)
