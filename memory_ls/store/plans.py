"""Plans that wait to be looked at and applied: a file each, in the state directory."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_ls.changes.plan import Change, ChangeKind, Plan, digest_of
from memory_ls.documents.edits import Edit
from memory_ls.store.state import DamagedError, StateDirectory, as_json, names_in, read_json
from memory_ls.store.watermarks import Watermark

_FOLDER = "plans"
_FORM = "plan"
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class PendingPlan:
    """A plan that was made and is not applied yet, with the report that its maker gave.

    ``mark`` is how far the chat log that it comes from was read for it, ``log`` what that log is in a few words, and
    ``quotes`` are the words of it that each operation rests on.
    """

    time: datetime
    plan: Plan
    report: Mapping[str, Any]
    mark: Watermark | None = None
    log: str = ""
    quotes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The plan's own id."""
        return self.plan.id


class PendingPlans:
    """The pending plans of one memory directory."""

    def __init__(self, state: StateDirectory) -> None:
        self._state = state

    @property
    def path(self) -> Path:
        """The folder they lie in; it need not be there."""
        return self._state.folder(_FOLDER)

    def save(self, pending: PendingPlan) -> None:
        """Keeps a plan; the same plan again, and any other from the same chat log, takes its place.

        Raises:
            OSError: it can't be written.
        """
        value = {
            "time": pending.time.isoformat(),
            "report": dict(pending.report),
            "mark": pending.mark.as_json() if pending.mark else None,
            "log": pending.log,
            "quotes": {str(number): list(quotes) for number, quotes in pending.quotes.items()},
            **_plan_as_json(pending.plan),
        }
        self._state.write(self._state.made_folder(_FOLDER) / f"{pending.id}.json", as_json(_FORM, value))
        if pending.mark:
            self.discard_from(pending.mark.key, but=pending.id)

    def all(self) -> list[PendingPlan]:
        """All that can be read, the newest first."""
        names = [name for name in names_in(self.path) if name.endswith(".json")]
        found = [plan for name in names if (plan := self.load(name.removesuffix(".json"))) is not None]
        return sorted(found, key=lambda pending: (pending.time, pending.id), reverse=True)

    def load(self, plan_id: str) -> PendingPlan | None:
        """One of them; ``None`` when there is none of that id, or it can't be read."""
        path = self._path(plan_id)
        if path is None:
            return None
        try:
            return _pending_of(path.read_bytes())
        except OSError:
            return None
        except DamagedError as error:
            self._state.set_aside(path, str(error))
            return None

    def discard(self, plan_id: str) -> bool:
        """Forgets one, and says whether there was one."""
        path = self._path(plan_id)
        try:
            if path is not None:
                os.unlink(path)
        except OSError:
            return False
        return path is not None

    def discard_from(self, log_key: str, *, but: str | None = None) -> None:
        """Forgets those that come from the chat log of that key."""
        for pending in self.all():
            if pending.mark is not None and pending.mark.key == log_key and pending.id != but:
                self.discard(pending.id)

    def _path(self, plan_id: str) -> Path | None:
        return self.path / f"{plan_id}.json" if _ID.fullmatch(plan_id) else None


def _plan_as_json(plan: Plan) -> dict[str, Any]:
    # Many operations share a text, such as the index's, which may be long.
    texts: dict[str, str] = {}
    changes = []
    for change in plan.changes:
        digest = digest_of(change.before)
        if digest is not None and change.before is not None:
            texts[digest] = change.before
        changes.append(
            {
                "operation": change.operation,
                "path": change.path,
                "kind": change.kind.value,
                "before": digest,
                "edits": [list(edit) for edit in change.edits],
                "newPath": change.new_path,
            }
        )
    return {
        "directory": plan.directory,
        "title": plan.title,
        "warnings": list(plan.warnings),
        "texts": texts,
        "changes": changes,
    }


def _pending_of(data: bytes) -> PendingPlan:
    value = read_json(data, _FORM)
    try:
        changes = tuple(_change_of(change, value["texts"]) for change in value["changes"])
        plan = Plan(value["directory"], value["title"], changes, tuple(value["warnings"]))
        mark = Watermark.from_json(value["mark"]) if value.get("mark") else None
        quotes = {int(number): tuple(map(str, each)) for number, each in value.get("quotes", {}).items()}
        time = datetime.fromisoformat(value["time"])
        return PendingPlan(time, plan, value["report"], mark, str(value.get("log", "")), quotes)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise DamagedError("The file is damaged.") from None


def _change_of(value: Mapping[str, Any], texts: Mapping[str, str]) -> Change:
    return Change(
        value["operation"],
        value["path"],
        ChangeKind(value["kind"]),
        None if value["before"] is None else texts[value["before"]],
        tuple(Edit(*edit) for edit in value["edits"]),
        value["newPath"],
    )
