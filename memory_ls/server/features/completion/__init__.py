"""Completion: names in ``[[…]]``, paths, headings, frontmatter, entries of the index, and whole new memories."""

from __future__ import annotations

from lsprotocol import types

from memory_ls.documents.index import IndexDocument
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.about import about_document
from memory_ls.server.features.completion import frontmatter, links
from memory_ls.server.features.completion.entries import complete_entry
from memory_ls.server.features.completion.new_memories import complete_new_memory
from memory_ls.server.features.completion.offer import documentation
from memory_ls.server.session import Place

# `:` for the types and dates of frontmatter, `-` for the `---` on top of a new memory.
TRIGGERS = ("[", "(", "/", "#", ":", "-")


def complete(place: Place, offset: int, support: ClientSupport) -> types.CompletionList | None:
    """The items that fit at ``offset``, the best first."""
    if isinstance(place.document, IndexDocument):
        return links.complete_link(place, offset, support) or complete_entry(place, offset, support)
    if frontmatter.is_in_frontmatter(place, offset):
        return frontmatter.complete_frontmatter(place, offset, support)
    return links.complete_link(place, offset, support) or complete_new_memory(place, offset, support)


def resolve(place: Place, item: types.CompletionItem, support: ClientSupport) -> types.CompletionItem:
    """The item with the text of what it stands for."""
    data = item.data if isinstance(item.data, dict) else {}
    key, anchor = data.get("key"), data.get("anchor")
    if isinstance(key, str):
        text = about_document(place, key, anchor if isinstance(anchor, str) else None)
        if text is not None:
            item.documentation = documentation(text, support)
    return item
