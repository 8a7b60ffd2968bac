"""What the server does for the journals of the directories that it serves."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from memory_ls.server.session import Keeper
from memory_ls.server.witness import Changed
from memory_ls.settings import Settings
from memory_ls.store.state import LockedError
from memory_ls.store.store import Store

log = logging.getLogger(__name__)


class JournalKeeper(Keeper):
    """Keeps journals: takes back what was left unfinished, forgets what is old, notes what other programs change.

    ``tell`` tells the user a sentence.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    def begin(self, directory: Path, settings: Settings) -> list[str]:
        """Takes back what was cut off, and forgets what is older than the settings say."""
        store = Store(directory)
        sentences = store.recover()
        try:
            store.purge(settings.journal_days)
        except (LockedError, OSError) as error:
            log.warning("Old entries of a journal could not be removed: %s", type(error).__name__)
        return sentences

    def evidence(self, directory: Path) -> Mapping[str, Sequence[str]]:
        """The words of chat logs that memories rest on, by key."""
        return Store(directory).evidence()

    def moved(self, directory: Path, moves: Mapping[str, str]) -> None:
        """What memories rest on goes with them."""
        try:
            Store(directory).move_evidence(moves)
        except (LockedError, OSError) as error:
            log.warning("Evidence could not follow memories that were moved: %s", type(error).__name__)

    def tell(self, sentences: Iterable[str]) -> None:
        """Tells the user what was taken back."""
        for sentence in sentences:
            self._tell(sentence)

    def keep(self, directory: Path, files: Mapping[str, Changed]) -> None:
        """Notes what other programs changed."""
        Store(directory).note_external(files)
