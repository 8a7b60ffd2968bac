"""What the server sent and the client never said that it understands. Written from LSP 3.17, not from the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

JSON = dict[str, Any]

# The kinds of a symbol that a client knows that does not say which (LSP 3.17, symbolKind).
_OLDEST_SYMBOLS = list(range(1, 19))
# The kinds of a completion item that a client knows that does not say which (LSP 3.17, completionItemKind).
_OLDEST_KINDS = list(range(1, 19))
_SNIPPET = 2


def undeclared(method: str, value: Any, capabilities: JSON) -> list[str]:
    """What is wrong with a notification's or a request's parameters, or with a request's result."""
    declared = capabilities.get("textDocument", {})
    if method in _ONLY_WHERE_DECLARED and not _has(capabilities, _ONLY_WHERE_DECLARED[method]):
        return [f"{method} itself"]
    if method == "client/registerCapability":
        return [fault for item in value["registrations"] for fault in _registration(item, capabilities)]
    if method == "$/progress":
        value = {"items": []} if "kind" in value["value"] else value["value"]
    check = {
        "textDocument/publishDiagnostics": lambda params, declared: _diagnostics(params["diagnostics"], declared),
        "textDocument/diagnostic": lambda report, declared: _diagnostics(report.get("items", ()), declared),
        "workspace/diagnostic": _reports,
        "$/progress": _reports,
        "textDocument/completion": _completion,
        "completionItem/resolve": _resolved,
        "textDocument/hover": _hover,
        "textDocument/definition": _definition,
        "textDocument/documentLink": _document_links,
        "textDocument/documentSymbol": _document_symbols,
        "textDocument/codeLens": _code_lenses,
        "codeLens/resolve": _code_lens,
        "textDocument/inlayHint": _inlay_hints,
        "textDocument/codeAction": _code_actions,
        "codeAction/resolve": _code_action,
    }.get(method)
    if method in ("textDocument/rename", "workspace/willRenameFiles", "workspace/willDeleteFiles") and value:
        return [f"{method}: {fault}" for fault in workspace_edit(value, capabilities)]
    if method in ("textDocument/codeAction", "codeAction/resolve"):
        edits = [item["edit"] for item in (value if isinstance(value, list) else [value or {}]) if "edit" in item]
        faults = [f"{method}: {fault}" for edit in edits for fault in workspace_edit(edit, capabilities)]
        if faults:
            return faults
    return [f"{method}: {fault}" for fault in check(value, declared)] if check is not None and value else []


# What the server may send by its own accord, and what the client must have said for that.
_ONLY_WHERE_DECLARED = {
    "workspace/configuration": "workspace.configuration",
    "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
    "window/workDoneProgress/create": "window.workDoneProgress",
}
_REGISTRATIONS = {
    "workspace/didChangeWatchedFiles": "workspace.didChangeWatchedFiles.dynamicRegistration",
    "workspace/didChangeConfiguration": "workspace.didChangeConfiguration.dynamicRegistration",
}


def _has(capabilities: JSON, path: str) -> Any:
    found: Any = capabilities
    for part in path.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def pulls(client: JSON) -> bool:
    """Whether findings wait for the client to ask, since it said that it does, and that it can be told to.

    ``client`` is its name and its capabilities, as it initializes a server. Neovim would ask, and drop some of the answers.
    """
    capabilities = client["capabilities"]
    return bool(
        _has(capabilities, "textDocument.diagnostic")
        and _has(capabilities, "workspace.diagnostics.refreshSupport")
        and _has(client, "clientInfo.name") != "Neovim"
    )


def _registration(item: JSON, capabilities: JSON) -> Iterator[str]:
    if not _has(capabilities, _REGISTRATIONS.get(item["method"], "nothing")):
        yield f"a registration for {item['method']}"
    for watcher in item["registerOptions"].get("watchers", ()):
        if not isinstance(watcher["globPattern"], str) and not _has(
            capabilities, "workspace.didChangeWatchedFiles.relativePatternSupport"
        ):
            yield "a relative pattern"


def workspace_edit(edit: JSON, capabilities: JSON) -> Iterator[str]:
    """What is wrong with an edit of the workspace."""
    support = _has(capabilities, "workspace.workspaceEdit") or {}
    operations = support.get("resourceOperations", [])
    if "documentChanges" in edit and not (support.get("documentChanges") or operations):
        yield "document changes"
    for part in edit.get("documentChanges", ()):
        if "kind" in part and part["kind"] not in operations:
            yield f"{part['kind']} of a file"
    annotated = "changeAnnotations" in edit or any("annotationId" in part for part in edit.get("documentChanges", ()))
    if annotated and not support.get("changeAnnotationSupport"):
        yield "change annotations"


def _reports(result: JSON, declared: JSON) -> Iterator[str]:
    for report in result["items"]:
        yield from _diagnostics(report.get("items", ()), declared)


def _diagnostics(items: Iterable[JSON], declared: JSON) -> Iterator[str]:
    support = declared.get("publishDiagnostics", {})
    tags = support.get("tagSupport", {}).get("valueSet", [])
    for item in items:
        if "relatedInformation" in item and not support.get("relatedInformation"):
            yield "related information"
        if "codeDescription" in item and not support.get("codeDescriptionSupport"):
            yield "code description"
        if "data" in item and not support.get("dataSupport"):
            yield "data"
        if not set(item.get("tags", [])) <= set(tags):
            yield "tags"


def _completion(result: Any, declared: JSON) -> Iterator[str]:
    for item in result["items"] if isinstance(result, dict) else result:
        yield from _resolved(item, declared)
    if isinstance(result, dict) and "itemDefaults" in result:
        yield "item defaults"


def _resolved(item: JSON, declared: JSON) -> Iterator[str]:
    completion = declared.get("completion", {})
    support = completion.get("completionItem", {})
    if item.get("insertTextFormat") == _SNIPPET and not support.get("snippetSupport"):
        yield "snippet"
    if "labelDetails" in item and not support.get("labelDetailsSupport"):
        yield "label details"
    if "commitCharacters" in item and not support.get("commitCharactersSupport"):
        yield "commit characters"
    if "tags" in item and not support.get("tagSupport"):
        yield "tags"
    if "insert" in item.get("textEdit", {}):
        yield "insert and replace edits"
    if item.get("kind", 1) not in completion.get("completionItemKind", {}).get("valueSet", _OLDEST_KINDS):
        yield f"kind {item['kind']}"
    documentation = item.get("documentation")
    kind = documentation["kind"] if isinstance(documentation, dict) else "plaintext"
    if kind not in ("plaintext", *support.get("documentationFormat", [])):
        yield f"{kind} in the documentation"


def _hover(result: JSON, declared: JSON) -> Iterator[str]:
    kind = result["contents"]["kind"]
    if kind != "plaintext" and kind not in declared.get("hover", {}).get("contentFormat", []):
        yield f"{kind} in a hover"


def _definition(result: Any, declared: JSON) -> Iterator[str]:
    if any("targetUri" in item for item in result) and not declared.get("definition", {}).get("linkSupport"):
        yield "location links"


def _document_links(result: Any, declared: JSON) -> Iterator[str]:
    if any("tooltip" in item for item in result) and not declared.get("documentLink", {}).get("tooltipSupport"):
        yield "tooltips"


def _document_symbols(result: Any, declared: JSON) -> Iterator[str]:
    support = declared.get("documentSymbol", {})
    kinds = support.get("symbolKind", {}).get("valueSet", _OLDEST_SYMBOLS)
    for item in result:
        if "selectionRange" in item and not support.get("hierarchicalDocumentSymbolSupport"):
            yield "a tree of symbols"
        if "tags" in item and not support.get("tagSupport"):
            yield "tags"
        if item["kind"] not in kinds:
            yield f"kind {item['kind']}"
        # Editors refuse the whole answer for one such symbol.
        if not item["name"].strip():
            yield "a symbol without a name"
        if "selectionRange" in item and not _holds(item["range"], item["selectionRange"]):
            yield "a selection range outside its range"
        children = item.get("children", [])
        if not all(_holds(item["range"], child["range"]) for child in children):
            yield "a child outside its parent"
        yield from _document_symbols(children, declared)


def _holds(outer: JSON, inner: JSON) -> bool:
    start, end, inner_start, inner_end = (
        (place["line"], place["character"]) for place in (outer["start"], outer["end"], inner["start"], inner["end"])
    )
    return start <= inner_start <= inner_end <= end


def _code_lenses(result: Any, declared: JSON) -> Iterator[str]:
    for item in result:
        yield from _code_lens(item, declared)


def _code_lens(item: JSON, declared: JSON) -> Iterator[str]:
    if item["range"]["start"]["line"] != item["range"]["end"]["line"]:
        yield "a lens on several lines"
    command = item.get("command")
    if command is not None and not command["title"].strip():
        yield "a lens without a title"


def _code_actions(result: Any, declared: JSON) -> Iterator[str]:
    for item in result:
        yield from _code_action(item, declared)


def _code_action(item: JSON, declared: JSON) -> Iterator[str]:
    support = declared.get("codeAction", {})
    if not support.get("codeActionLiteralSupport"):
        yield "an action that is no command"
    if not item["title"].strip():
        yield "an action without a title"
    if "isPreferred" in item and not support.get("isPreferredSupport"):
        yield "a preferred action"
    if "disabled" in item and not support.get("disabledSupport"):
        yield "a disabled action"
    if "data" in item and not support.get("dataSupport"):
        yield "data"
    is_whole = "edit" in item or "disabled" in item
    if not is_whole and "edit" not in support.get("resolveSupport", {}).get("properties", []):
        yield "an action that does nothing"


def _inlay_hints(result: Any, declared: JSON) -> Iterator[str]:
    for item in result:
        label = item["label"]
        if not (label if isinstance(label, str) else "".join(part["value"] for part in label)).strip():
            yield "a hint without a label"
        # What is there at once needs no declaration; the client declares what it can ask for later.
        lazy = declared.get("inlayHint", {}).get("resolveSupport", {}).get("properties", [])
        if "data" in item and not lazy:
            yield "a hint to be resolved"
