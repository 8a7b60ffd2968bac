"""What a text begins by saying, in plain words."""

from __future__ import annotations

import re
from typing import Any, cast

import pyromark

from memory_ls.text import without_surrogates

_MARKDOWN = pyromark.Markdown(
    options=pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
)
# A full stop before a lower-case letter ends an abbreviation.
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[^\sa-z])|[。！？][」』”’）]*")
# Enough to find a first sentence in, however long the text is.
_MOST = 20_000


def first_sentence(text: str, most: int) -> str | None:
    """The first sentence of a markdown text without its marks and its full stop, cut to ``most`` characters.

    A heading counts when nothing else is there. ``None`` when there is nothing to read.
    """
    words = _first_words(text[:_MOST])
    if words is None:
        return None
    end = _SENTENCE_END.search(words)
    sentence = words[: end.end()] if end is not None else words
    sentence = sentence.rstrip(" .。:：")
    if len(sentence) > most:
        sentence = f"{sentence[: most - 1].rpartition(' ')[0] or sentence[: most - 1]}…"
    return sentence or None


def _first_words(text: str) -> str | None:
    """The words of the first paragraph or list item, else of the first heading."""
    heading: str | None = None
    words: list[str] = []
    unread = 0  # depth in blocks that hold no sentences
    in_heading = False
    for event in cast("list[Any]", _MARKDOWN.events(without_surrogates(text))):
        kind, value = next(iter(event.items())) if isinstance(event, dict) else (event, None)
        name = next(iter(value)) if isinstance(value, dict) else value
        if kind in ("Start", "End"):
            if name in ("CodeBlock", "HtmlBlock", "Table", "FootnoteDefinition"):
                unread += 1 if kind == "Start" else -1
            ends_block = name in ("Paragraph", "Item", "List", "Heading", "BlockQuote")
            said = " ".join("".join(words).split())
            if ends_block and said:
                if not in_heading:
                    return said
                heading = heading or said
                words = []
            if name == "Heading":
                in_heading = kind == "Start"
        elif unread:
            continue
        elif kind in ("Text", "Code"):
            words.append(str(value))
        elif kind in ("SoftBreak", "HardBreak"):
            words.append(" ")
    said = " ".join("".join(words).split())
    return said or heading
