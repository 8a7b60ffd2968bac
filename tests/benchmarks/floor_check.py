"""The least that a check of a memory directory can cost in Python: read, compose the YAML, parse the markdown.

Usage: ``python floor_check.py DIRECTORY``. It judges nothing; what it prints proves that the work was done.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import pyromark
import yaml

# The same extensions that memory-ls reads.
_MARKDOWN = pyromark.Markdown(
    options=pyromark.Options.ENABLE_WIKILINKS
    | pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_FOOTNOTES
)


def main() -> None:
    """Reads and parses every file."""
    files = events = 0
    for entry in os.scandir(sys.argv[1]):
        with open(entry.path, "rb") as file:
            text = file.read().decode()
        files += 1
        events += sum(1 for _ in _MARKDOWN.events_with_range(_body(text)))
    print(f"{files} files, {events} events")


def _body(text: str) -> str:
    """What stands below the frontmatter, after composing that."""
    end = text.find("\n---", 3) if text.startswith("---") else -1
    if end < 0:
        return text
    with suppress(yaml.YAMLError):  # some of the samples are faulty on purpose
        yaml.compose(text[4:end], Loader=yaml.CSafeLoader)
    return text[end + 4 :]


if __name__ == "__main__":
    main()
