"""What the client can do, asked once and answered by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from memory_ls.text import PositionEncoding

# VS Code and the editors made from it, as they call themselves.
_VS_CODES = ("Visual Studio Code", "Code - OSS", "VSCodium", "Cursor", "Windsurf")


@dataclass(frozen=True, slots=True)
class ClientSupport:
    """The answers that the features need."""

    encoding: PositionEncoding = PositionEncoding.UTF16
    snippets: bool = False
    replaces_behind_cursor: bool = False
    markdown_documentation: bool = False
    markdown_hover: bool = False
    definition_links: bool = False
    link_tooltips: bool = False
    nested_symbols: bool = False
    shows_references: bool = False
    hears_changes: bool = False
    related_information: bool = False
    deprecated_tag: bool = False
    code_descriptions: bool = False
    diagnostic_data: bool = False
    has_markdown_features: bool = False
    pulls_diagnostics: bool = False
    watches_files: bool = False
    has_configuration: bool = False
    registers_configuration: bool = False
    refreshes_code_lenses: bool = False
    refreshes_inlay_hints: bool = False
    shows_progress: bool = False
    versioned_edits: bool = False
    creates_files: bool = False
    renames_files: bool = False
    deletes_files: bool = False
    annotates_changes: bool = False
    code_action_kinds: bool = False
    preferred_actions: bool = False
    disabled_actions: bool = False
    resolves_actions: bool = False

    @classmethod
    def of(cls, params: types.InitializeParams) -> ClientSupport:
        """Reads the client's capabilities."""
        caps = params.capabilities
        name = params.client_info.name if params.client_info else ""
        is_neovim = name == "Neovim"

        def has(path: str) -> bool:
            return bool(get_capability(caps, path))

        def among(path: str) -> list[Any]:
            return list(get_capability(caps, path) or [])

        operations = among("workspace.workspace_edit.resource_operations")

        def prefers_markdown(path: str) -> bool:
            return types.MarkupKind.Markdown in among(path)

        return cls(
            encoding=_encoding(caps),
            snippets=has("text_document.completion.completion_item.snippet_support"),
            # Whoever tells inserting from replacing takes an edit that reaches behind the cursor at its word. Neovim's own
            # completion leaves what stands there, also since 0.12, which tells them apart.
            replaces_behind_cursor=has("text_document.completion.completion_item.insert_replace_support")
            and not is_neovim,
            markdown_documentation=prefers_markdown("text_document.completion.completion_item.documentation_format"),
            markdown_hover=prefers_markdown("text_document.hover.content_format"),
            definition_links=has("text_document.definition.link_support"),
            link_tooltips=has("text_document.document_link.tooltip_support"),
            nested_symbols=has("text_document.document_symbol.hierarchical_document_symbol_support"),
            # A command and a notification of the client's own, which the protocol has no capability for.
            shows_references=_option(params, "showReferences") is True,
            hears_changes=_option(params, "tellChanges") is True,
            related_information=has("text_document.publish_diagnostics.related_information"),
            deprecated_tag=types.DiagnosticTag.Deprecated
            in among("text_document.publish_diagnostics.tag_support.value_set"),
            code_descriptions=has("text_document.publish_diagnostics.code_description_support"),
            diagnostic_data=has("text_document.publish_diagnostics.data_support"),
            # What these tell, path links and headings above all, would be shown twice if we told it too.
            has_markdown_features=name.startswith(_VS_CODES),
            # What is found in one file changes with others, so only those who can be asked to ask again may ask. Neovim
            # 0.12 asks again then, and makes nothing of what it is told about files that are open.
            pulls_diagnostics=has("text_document.diagnostic")
            and has("workspace.diagnostics.refresh_support")
            and not is_neovim,
            # Memory directories may lie outside of the workspace, and only such patterns reach there.
            watches_files=has("workspace.did_change_watched_files.dynamic_registration")
            and has("workspace.did_change_watched_files.relative_pattern_support"),
            has_configuration=has("workspace.configuration"),
            registers_configuration=has("workspace.did_change_configuration.dynamic_registration"),
            refreshes_code_lenses=has("workspace.code_lens.refresh_support"),
            refreshes_inlay_hints=has("workspace.inlay_hint.refresh_support"),
            shows_progress=has("window.work_done_progress"),
            # Files are renamed, made and deleted in no other form of an edit, so who does that takes this form too.
            # Neovim says no more than that.
            versioned_edits=has("workspace.workspace_edit.document_changes") or bool(operations),
            creates_files=types.ResourceOperationKind.Create in operations,
            renames_files=types.ResourceOperationKind.Rename in operations,
            deletes_files=types.ResourceOperationKind.Delete in operations,
            annotates_changes=has("workspace.workspace_edit.change_annotation_support"),
            # Without it a client knows commands alone.
            code_action_kinds=has("text_document.code_action.code_action_literal_support"),
            preferred_actions=has("text_document.code_action.is_preferred_support"),
            disabled_actions=has("text_document.code_action.disabled_support"),
            resolves_actions=has("text_document.code_action.data_support")
            and "edit" in among("text_document.code_action.resolve_support.properties"),
        )


def _option(params: types.InitializeParams, name: str) -> object:
    options = params.initialization_options
    return options.get(name) if isinstance(options, Mapping) else None


def _encoding(caps: types.ClientCapabilities) -> PositionEncoding:
    """The first encoding of the client's list that we know; UTF-16 where it has none (LSP 3.17)."""
    offered = caps.general.position_encodings if caps.general else None
    known = {encoding.value: encoding for encoding in PositionEncoding}
    for encoding in offered or []:
        name = encoding.value if isinstance(encoding, types.PositionEncodingKind) else str(encoding)
        if name in known:
            return known[name]
    return PositionEncoding.UTF16
