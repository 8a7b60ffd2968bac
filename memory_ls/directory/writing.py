"""How links and entries are written, so that each means just the memory, file or heading that it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from memory_ls.directory.listing import one_line, shortened, summary
from memory_ls.directory.resolve import TargetKind, resolve_name
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.documents import body as markdown
from memory_ls.documents.body import Heading, LinkKind, anchors, heading_slug, is_external
from memory_ls.documents.names import stem_of
from memory_ls.secret_scan import find_secrets

# ---- names


def link_text(directory: MemoryDirectory, key: str, style: Style) -> str | None:
    """The name, stem or path, as the directory links, by which a link finds just this memory; ``None`` if none does."""
    name, stem, path = directory.documents[key].name, stem_of(key), key.removesuffix(".md")
    both = (stem, name) if style.by_stem else (name, stem)
    return next((text for text in (*both, path, f"./{path}") if text and finds(directory, text, key)), None)


_PLAIN_NAME = re.compile(r"[\w./-]+(?: [\w./-]+)*\Z")


def is_plain(text: str) -> bool:
    """Whether a name or a heading's words hold nothing that markdown may take for something else."""
    return _PLAIN_NAME.match(text) is not None


def finds(directory: MemoryDirectory, text: str, key: str) -> bool:
    """Whether ``[[text]]`` is a link, and means the memory ``key`` and no other."""
    target = resolve_name(directory, text)
    return target.keys == (key,) and target.kind is TargetKind.MEMORY and is_target(text)


def is_target(text: str) -> bool:
    """Whether ``[[text]]`` is a link to just ``text``."""
    if is_plain(text):
        return True
    # A title may hold what markdown takes for something else.
    links = markdown.read(f"- [[{text}]]").links
    return [(link.kind, link.target, link.anchor, link.label_start) for link in links] == [
        (LinkKind.WIKI, text, None, len(text) + 4)
    ]


# ---- headings


def heading_texts(headings: tuple[Heading, ...], *, by_slug: bool) -> Iterator[tuple[Heading, str]]:
    """Each heading with the anchor that finds it in a link: its own words or its slug, whichever is wanted.

    The other one where the first would find another heading. Without the headings that no anchor finds, and those
    that have no slug, since programs differ in what they take for one.
    """
    numbers: dict[str, int] = {}
    slugs = [slug for slug, _ in anchors(headings)]
    for number, slug in enumerate(slugs):
        numbers.setdefault(slug, number)
    for number, heading in enumerate(headings):
        words, slug = heading.text, slugs[number]
        for text in (slug, words) if by_slug else (words, slug):
            # As find_heading looks, without a walk over all headings for each of them.
            found = [numbers[wanted] for wanted in (text, heading_slug(text)) if wanted in numbers]
            if slug and found and min(found) == number and _is_anchor(text):
                yield heading, text
                break


def _is_anchor(text: str) -> bool:
    """Whether ``[[#text]]`` is a link to the heading ``text``."""
    if is_plain(text):
        return True
    links = markdown.read(f"- [[#{text}]]").links
    return [(link.kind, link.anchor, link.label_start) for link in links] == [(LinkKind.WIKI, text, len(text) + 5)]


# ---- paths

# What would end a path, begin an anchor or a query, mean another character, or belong to something around the link (code,
# a table); in `<…>` a few of these mean nothing.
_NOT_IN_PATH = re.compile(r"[\x00-\x20()<>%#?\\:&`|\[\]\x7f]")
_NOT_IN_ANGLES = re.compile(r"[\x00-\x1f<>%#?\\:&`|\[\]\x7f]")


def path_text(path: str, *, in_angles: bool = False) -> str:
    """A path as it stands in a link, percent-encoded where it has to be, or ``in_angles``, which keep spaces."""
    dot = "./" if path.startswith("~") or is_external(path) else ""
    if in_angles:
        return f"<{dot}{_encoded(_NOT_IN_ANGLES, path)}>"
    return f"{dot}{_encoded(_NOT_IN_PATH, path)}"


def is_encoded(path: str) -> bool:
    """Whether a path can't stand in a link as it is."""
    return _NOT_IN_PATH.search(path) is not None


def _encoded(pattern: re.Pattern[str], path: str) -> str:
    return pattern.sub(lambda match: f"%{ord(match.group()):02X}", path)


# ---- entries of the index


# Room for the mark of a list, and what little of a description still tells something.
_BULLET = 4
_LEAST_TOLD = 20


def entry_text(directory: MemoryDirectory, key: str, style: Style) -> str | None:
    """The entry for a memory as this index writes them, without the bullet; ``None`` where no link can mean it.

    The description is cut where the line would be too long.
    """
    item = summary(key, directory.documents[key])
    told = one_line(item.description)
    # Nothing is copied that could not be read as UTF-8, and no secret.
    is_fit = told and "\ufffd" not in told and not find_secrets(told)
    link = entry_link(directory, key, style)
    if link is None or not is_fit:
        return link and f"{style.emphasis}{link}{style.emphasis}"
    lead = f"{style.emphasis}{link}{style.emphasis}{style.separator}"
    return f"{lead}{fitting(told, style, len(lead) + _BULLET)}"


def fitting(text: str, style: Style, used: int) -> str:
    """A description cut to what a line of the index has room for, of which so many characters are ``used``."""
    return text if style.line_length is None else shortened(text, max(style.line_length - used, _LEAST_TOLD))


def entry_link(directory: MemoryDirectory, key: str, style: Style) -> str | None:
    """The link alone of a memory's entry."""
    item = summary(key, directory.documents[key])
    if style.is_wiki:
        target = link_text(directory, key, style)
        if target is not None and is_external(target):  # a title like `Note: x` is no entry
            target = link_text(directory, key, replace(style, by_stem=True))
        return f"[[{target}]]" if target is not None and not is_external(target) else None
    label = {"name": item.name, "stem": stem_of(key)}.get(style.label, key.rpartition("/")[2])
    path = path_text(key)
    dot = "./" if style.dot_slash and not path.startswith("./") else ""
    return f"[{label_text(one_line(label))}]({dot}{path})"


def label_text(label: str) -> str:
    """A label as it stands in a link, with a backslash before what would end it or be taken for something else."""
    return _IN_LABEL.sub(_ESCAPED, label)


_IN_LABEL = re.compile(r"[\[\]\\`<]")
_ESCAPED = r"\\\g<0>"
