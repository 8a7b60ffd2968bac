"""Code actions: what mends the findings at a place, all that is safe at once, and refactorings.

An editor asks at every move of the cursor, so only titles are made then; the edit follows when one is chosen, where
the editor can ask for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from memory_ls.changes.plan import CannotChangeError, ChangeKind
from memory_ls.documents.edits import CannotEditError
from memory_ls.documents.index import INDEX_NAME
from memory_ls.rules.fixes.fix import Fix
from memory_ls.rules.fixes.fix_all import fix_all, fix_kind
from memory_ls.rules.fixes.fixes_of import fixes_of, preferred_fix
from memory_ls.rules.fixes.index import moving_up, organising
from memory_ls.rules.fixes.silencing import silencing
from memory_ls.rules.registry import RULES, Context, Diagnostic, FixKind
from memory_ls.server import convert
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.convert import UriOf
from memory_ls.server.features import refactorings
from memory_ls.server.features.offers import EXTRACT, QUICK_FIX, REWRITE, Asked, Offer, Provider
from memory_ls.server.session import Place
from memory_ls.server.workspace_edit import VersionOf, refused, workspace_edit
from memory_ls.text import Span

FIX_ALL = "source.fixAll.memory-ls"

ORGANISE_INDEX = "source.organizeIndex.memory-ls"

KINDS = (QUICK_FIX, EXTRACT, REWRITE, FIX_ALL, ORGANISE_INDEX)


def _quick_fixes(asked: Asked) -> Iterator[Offer]:
    if not asked.wants(QUICK_FIX):
        return
    context, key = asked.context, asked.place.key
    here = asked.here()
    for finding in here:
        for number, fix in enumerate(fixes_of(context, key, finding)):
            yield Offer(QUICK_FIX, fix, finding, number == 0 and not fix.is_choice)
    counts = Counter(finding.code for finding in asked.findings)
    for code, finding in {finding.code: finding for finding in here}.items():
        if (
            counts[code] > 1
            and RULES[code].fix is not FixKind.NONE
            and preferred_fix(context, key, finding) is not None
        ):
            yield Offer(QUICK_FIX, _whole_kind(context, key, code), finding)
    for finding in here:
        for fix in silencing(context, key, finding):
            yield Offer(QUICK_FIX, fix, finding)


def _whole_kind(context: Context, key: str, code: str) -> Fix:
    return Fix(f"Mend all `{code}` in this file", lambda: fix_kind(context, key, code).changes)


def _all_that_is_safe(asked: Asked) -> Iterator[Offer]:
    context, key = asked.context, asked.place.key
    if not asked.wants(FIX_ALL):
        return
    may_be_safe = (finding for finding in asked.findings if RULES[finding.code].fix is FixKind.SAFE)
    if any(fix.safe for finding in may_be_safe for fix in fixes_of(context, key, finding)):
        fix = Fix("Mend all that is safe to mend in this file", lambda: fix_all(context, [key]).changes)
        yield Offer(FIX_ALL, fix)


def _entry_further_up(asked: Asked) -> Iterator[Offer]:
    """The entry under the cursor above the load limit; of the first that is not loaded a quick fix does it."""
    index = asked.place.directory.index
    lost = next((finding for finding in asked.findings if finding.code == "index-over-limit"), None)
    if index is None or lost is None or asked.place.key != INDEX_NAME or not asked.wants(REWRITE):
        return
    entry = index.entry_at(asked.span.start)
    if entry is not None and entry.span.start > lost.span.end:
        yield Offer(REWRITE, moving_up(asked.context, index, entry.span.start))


def _organised_index(asked: Asked) -> Iterator[Offer]:
    if asked.wants(ORGANISE_INDEX) and asked.place.key == INDEX_NAME:
        yield Offer(ORGANISE_INDEX, organising(asked.context))


PROVIDERS: tuple[Provider, ...] = (
    refactorings.follow_moves,
    _quick_fixes,
    refactorings.extract_selection,
    refactorings.merge_twins,
    _all_that_is_safe,
    _organised_index,
    _entry_further_up,
)


class Client(NamedTuple):
    """What it takes to tell the client of actions."""

    support: ClientSupport
    uri_of: UriOf
    version_of: VersionOf


def asked_by(
    place: Place, findings: Sequence[Diagnostic], params: types.CodeActionParams, support: ClientSupport
) -> Asked:
    """What a client asks for. Of its findings only those count that are ours, and still so."""
    source, encoding = place.document.source, support.encoding

    def span_of(where: types.Range) -> Span:
        return Span(*(convert.to_offset(source, at, encoding) for at in (where.start, where.end)))

    shown = frozenset((str(item.code), span_of(item.range)) for item in params.context.diagnostics)
    only = None if params.context.only is None else [_word(kind) for kind in params.context.only]
    return Asked(place, findings, span_of(params.range), only, shown)


def _word(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else str(kind)


def code_actions(asked: Asked, diagnostics: Sequence[types.Diagnostic], client: Client) -> list[types.CodeAction]:
    """The actions that are asked for. ``diagnostics`` are the client's own, which each action is shown with."""
    if not client.support.code_action_kinds:
        return []
    found = []
    for provider in PROVIDERS:
        for offer in provider(asked):
            # What takes long and has a kind of its own is not worked out on the chance that it is chosen.
            is_late = offer.kind.startswith("source.") and asked.only is None and not client.support.resolves_actions
            action = None if is_late else _action(asked, offer, client)
            if action is not None:
                action.diagnostics = _shown_with(asked, offer, diagnostics, client)
                found.append(action)
    return found


def _action(asked: Asked, offer: Offer, client: Client) -> types.CodeAction | None:
    """An offer as the client takes it; ``None`` for what it can't do, unless it shows why."""
    support = client.support
    action = types.CodeAction(offer.fix.title, kind=offer.kind)
    if offer.is_preferred and support.preferred_actions:
        action.is_preferred = True
    try:
        if not _is_able(support, offer.fix.needs):
            raise refused(f"This editor can't {offer.fix.needs.value} files for a language server.")
        if support.resolves_actions:
            action.data = _data(asked, offer)
        else:
            action.edit = _edit(asked.place, offer.fix, client)
    except JsonRpcException as error:
        if not support.disabled_actions:
            return None
        action.is_preferred, action.disabled = None, types.CodeActionDisabled(error.message)
    return action


def _is_able(support: ClientSupport, needs: ChangeKind) -> bool:
    return {
        ChangeKind.CREATE: support.creates_files,
        ChangeKind.RENAME: support.renames_files,
        ChangeKind.DELETE: support.deletes_files,
    }.get(needs, True)


def _shown_with(
    asked: Asked, offer: Offer, diagnostics: Sequence[types.Diagnostic], client: Client
) -> list[types.Diagnostic] | None:
    if offer.finding is None or not diagnostics:
        return None
    where = convert.to_range(asked.place.document.source, offer.finding.span, client.support.encoding)
    return [item for item in diagnostics if item.code == offer.finding.code and item.range == where] or None


def _edit(place: Place, fix: Fix, client: Client) -> types.WorkspaceEdit:
    try:
        changes = fix.changes()
    except (CannotEditError, CannotChangeError) as error:
        raise refused(str(error)) from None
    return workspace_edit(changes, place.directory, client.support, client.uri_of, client.version_of)


# ---- resolve


def _data(asked: Asked, offer: Offer) -> dict[str, object]:
    """What finds an offer again, when the client asks for its edit."""
    data: dict[str, object] = {"uri": asked.place.uri, "span": list(asked.span), "title": offer.fix.title}
    if offer.finding is not None:  # and no null where there is none, since some editors lose it on the way
        data["finding"] = [offer.finding.code, *offer.finding.span]
    return data


def resolve(
    place: Place | None, findings: Sequence[Diagnostic], action: types.CodeAction, client: Client
) -> types.CodeAction:
    """The action with its edit, made from what the document is now.

    Raises:
        JsonRpcException: there is no such action any more, or it can't be carried out.
    """
    data = action.data if isinstance(action.data, dict) else {}
    span, found = _span_in(data.get("span")), data.get("finding")
    if place is not None and span is not None and action.kind is not None:
        where = _span_in(found[1:]) if isinstance(found, list) else None
        shown = frozenset([(str(found[0]), where)]) if isinstance(found, list) and where is not None else frozenset()
        asked = Asked(place, findings, span, [_word(action.kind)], shown)
        for provider in PROVIDERS:
            for offer in provider(asked):
                if _data(asked, offer) == data and offer.kind == _word(action.kind):
                    action.edit = _edit(place, offer.fix, client)
                    return action
    raise JsonRpcException(
        "The text has changed since this was offered. Ask again.", types.LSPErrorCodes.ContentModified.value
    )


def _span_in(value: object) -> Span | None:
    """The span that a client sent back, where it is one."""
    is_span = isinstance(value, list) and len(value) == 2 and all(type(item) is int for item in value)
    return Span(*value) if is_span and isinstance(value, list) else None
