"""What memories rest on: words of the chat logs that they come from, kept beside the journal and as long as it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from memory_ls.store import files
from memory_ls.store.state import DamagedError, StateDirectory, as_json, names_in, read_json

_FOLDER = "evidence"
_FORM = "evidence"
_END = ".json"

# The quotes for each file, by its path relative to the directory.
Quotes = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an entry of the journal rests on. ``log`` tells which chat log that was, in a few words."""

    log: str
    quotes: Quotes


class EvidenceFiles:
    """The evidence for the changes of one memory directory: a file for each entry of the journal."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state

    def save(self, journal_id: str, grounds: Grounds) -> None:
        """Keeps what an entry rests on.

        Raises:
            OSError: it can't be written.
        """
        value = {"log": grounds.log, "quotes": {path: list(quotes) for path, quotes in grounds.quotes.items()}}
        self._state.write(self._state.made_folder(_FOLDER) / f"{journal_id}{_END}", as_json(_FORM, value))

    def ids(self) -> set[str]:
        """The entries of the journal that there is evidence for."""
        names = names_in(self._state.folder(_FOLDER))
        return {name.removesuffix(_END) for name in names if name.endswith(_END)}

    def load(self, journal_id: str) -> Grounds | None:
        """What an entry rests on; ``None`` where that is not known."""
        path = self._state.folder(_FOLDER) / f"{journal_id}{_END}"
        try:
            value = read_json(path.read_bytes(), _FORM)
            quotes = {str(key): tuple(map(str, each)) for key, each in value["quotes"].items()}
            return Grounds(str(value["log"]), quotes)
        except OSError:
            return None
        except (DamagedError, KeyError, TypeError, ValueError, AttributeError) as error:
            self._state.set_aside(path, str(error) if isinstance(error, DamagedError) else "The file is damaged.")
            return None

    def move(self, moves: Mapping[str, str]) -> None:
        """Has the evidence for files that were moved belong to their new paths.

        Raises:
            OSError: it can't be written.
        """
        for journal_id in sorted(self.ids()):
            grounds = self.load(journal_id)
            if grounds is not None and moves.keys() & grounds.quotes.keys():
                quotes = {moves.get(path, path): quotes for path, quotes in grounds.quotes.items()}
                self.save(journal_id, replace(grounds, quotes=quotes))

    def keep_only(self, journal_ids: Collection[str]) -> None:
        """Removes the evidence of all other entries.

        Raises:
            OSError: it can't be removed.
        """
        for journal_id in self.ids() - set(journal_ids):
            files.remove(str(self._state.folder(_FOLDER) / f"{journal_id}{_END}"))
