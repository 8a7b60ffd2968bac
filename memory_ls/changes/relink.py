"""What becomes of links when memories get other names and files other places: each keeps meaning what it meant.

A link is rewritten only when what it was resolved by changed, and in the way in which it was written. Where the new
text would mean another memory, or several, the link is written by another form.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from memory_ls.changes.plan import CannotChangeError
from memory_ls.directory.backlinks import links_in
from memory_ls.directory.resolve import TargetKind, memories_called, resolve, resolve_name, resolve_path, root_of
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import Style
from memory_ls.directory.writing import finds, is_plain, label_text, link_text, path_text
from memory_ls.documents.body import Link, LinkKind, is_external
from memory_ls.documents.edits import Edit
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.names import fold, slug, stem_of, without_type_prefix

# ---- names that are written in a way of their own

Way = Callable[[str], str]


def _as_it_is(name: str) -> str:
    return name


def _way(base: Way, case: Way, separator: str | None) -> Way:
    def written(name: str) -> str:
        text = base(name)
        return case(text if separator is None else _SEPARATORS.sub(separator, text))

    return written


_SEPARATORS = re.compile("[-_ ]")
_CASES: tuple[Way, ...] = (_as_it_is, str.lower, str.upper, str.capitalize, str.title)
_WORDS = tuple(_way(_as_it_is, case, separator) for case in _CASES for separator in (None, "-", "_", " "))
_SLUGS = {
    mark: tuple(_way(slug, case, separator) for case in _CASES for separator in (mark, "-", "_", " ")) for mark in "-_ "
}


def ways_between(name: str, written: str, *, slugs_first: str | None = None) -> list[Way]:
    """The ways of writing names by which ``name`` becomes ``written``: as it is, as a slug, with ``_``, in capitals …

    The likeliest first: the words as they are; with ``slugs_first`` a slug whose words that character joins.
    """
    if fold(written) not in (fold(name), fold(slug(name))):
        return []
    ways = (*_WORDS, *_SLUGS["-"]) if slugs_first is None else (*_SLUGS[slugs_first], *_WORDS)
    return [way for way in ways if way(name) == written]


def written_alike(old: str, written: str, new: str) -> str:
    """``new`` in the way in which ``written`` stands for ``old``; as it is, where that way is unknown."""
    if old == written:
        return new
    return next(iter(ways_between(old, written)), _as_it_is)(new)


# ---- places


class Moves:
    """Where files and directories go, all paths relative to the memory directory."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        self._moved = {posixpath.normpath(old): posixpath.normpath(new) for old, new in moved.items()}

    def __call__(self, path: str) -> str:
        """Where ``path`` is afterwards."""
        if path in self._moved or not self._moved:
            return self._moved.get(path, path)
        at = path
        while at not in ("", ".", "/", ".."):
            at = posixpath.dirname(at) or "."
            if at in self._moved:
                rest = path if at == "." else path[len(at) + 1 :]
                return posixpath.normpath(posixpath.join(self._moved[at], rest))
        return path


def is_inside(path: str) -> bool:
    """Whether a path relative to the directory is of a file in it."""
    return path not in (".", "..") and not path.startswith(("../", "/"))


# ---- where to look


def links_for(directory: MemoryDirectory, tokens: frozenset[str], whole: Collection[str]) -> Iterator[tuple[str, Link]]:
    """At least every link that looks for one of the folded names ``tokens``, and all in the documents ``whole``.

    Also those of files that are no memories: they link memories too.
    """
    sources = set(whole).union(*(directory.sources.get(token, ()) for token in tokens))
    sources |= {key for key, other in directory.others.items() if not tokens.isdisjoint(other.link_tokens)}
    for source in sorted(sources - {INDEX_NAME}):
        document = directory.documents.get(source) or directory.others.get(source)
        for link in links_in(document) if document is not None else ():
            yield source, link
    index = directory.index
    if index is not None:
        for link in index.links() if INDEX_NAME in whole else index.links_for(tokens):
            yield INDEX_NAME, link


# ---- links


@dataclass(frozen=True)
class Relinking:
    """A directory before and after memories were renamed and files moved, in both of which all links are as they were.

    ``style`` tells how links are written where they can't stay as they are.
    """

    before: MemoryDirectory
    after: MemoryDirectory
    moves: Moves
    style: Style

    def edits(self, places: Iterable[tuple[str, Link]]) -> Iterator[tuple[str, Edit]]:
        """What has to change in the links ``places``, as edits of the documents by their old keys.

        Raises:
            CannotChangeError: a link can't be written so that it means what it did.
        """
        for source, link in places:
            target = self._target(source, link)
            if target is not None and target != link.target_span.of(self._text_of(source)):
                yield source, Edit(*link.target_span, target)
            if source == INDEX_NAME:
                yield from ((source, edit) for edit in self._label(link))

    def _text_of(self, source: str) -> str:
        document = self.before.document(source) or self.before.others[source]
        return document.source.text

    def _target(self, source: str, link: Link) -> str | None:
        """The target as it has to stand in the link; ``None`` where it stays as it is."""
        # A reference is written by its definition, and what is an anchor alone stays in its file.
        if link.kind is LinkKind.REFERENCE or not link.target:
            return None
        if link.kind is LinkKind.WIKI and not self._is_path(link.target):
            return self._name(source, link.target)
        return self._path(source, link)

    # ---- [[names]]

    def _is_path(self, target: str) -> bool:
        """Whether a ``[[target]]`` is resolved as a path from the directory."""
        return "/" in target and not any(memories_called(self.before, name)[0] for name in _with_and_without_md(target))

    def _name(self, source: str, target: str) -> str | None:
        found = resolve_name(self.before, target, source)
        if found.kind not in (TargetKind.MEMORY, TargetKind.FILE) or len(found.keys) != 1:
            return None  # what it means is not known, or was not known before
        old, new = found.keys[0], self.moves(found.keys[0])
        if new not in self.after.files.names:
            return None  # it left the directory, and no name finds it
        text = self._renamed(target, old, new)
        if text == target and resolve_name(self.after, text).keys == (new,):
            return None
        return text if self._means(text, new) else self._other_form(source, new)

    def _means(self, text: str, key: str) -> bool:
        if key in self.after.documents:
            return finds(self.after, text, key)
        return is_plain(text) and resolve_name(self.after, text).keys == (key,)

    def _other_form(self, source: str, key: str) -> str:
        text = link_text(self.after, key, self.style) if key in self.after.documents else f"./{key}"
        if text is None or not self._means(text, key):
            raise CannotChangeError(f"No link could mean {key} alone, as one in {source} has to.")
        return text

    def _renamed(self, target: str, old: str, new: str) -> str:
        """``target`` with the name or stem by which it found ``old`` as it is now; in the steps of resolution."""
        for name in _with_and_without_md(target):
            for before, after in self._steps(old, new, name):
                if before is not None:
                    return target if before == after else written_alike(before, name, after) + target[len(name) :]
        return target

    def _steps(self, old: str, new: str, name: str) -> Iterator[tuple[str | None, str]]:
        """What ``name`` found the memory by, and what that is now; the first that is not ``None`` counts."""
        pairs = self._names(old, new)
        for before, after in pairs:
            yield before if before == name else None, after
        for before, after in pairs:
            yield before if fold(before) == fold(name) else None, after
        for before, after in pairs:
            short = without_type_prefix(before)
            is_it = short is not None and fold(short) == fold(name)
            yield short if is_it else None, without_type_prefix(after) or after

    def _names(self, old: str, new: str) -> list[tuple[str, str]]:
        """Name and stem, as they were and as they are."""
        before, after = self.before.documents.get(old), self.after.documents.get(new)
        stems = (stem_of(old), stem_of(new))
        if before is None or before.name is None:
            return [stems]
        # A memory that left is called what it was.
        return [(before.name, (after.name or stems[1]) if after is not None else before.name), stems]

    # ---- paths

    def _path(self, source: str, link: Link) -> str | None:
        if is_external(link.target) or link.target.startswith("~"):
            return None
        is_wiki = link.kind is LinkKind.WIKI
        # A path in `[[…]]` counts from the directory.
        base, new_base = ("./", f"{self.moves('.')}/") if is_wiki else (source, self.moves(source))
        old = self._file(base, link.target)
        new = self.moves(old)
        if new == old and posixpath.dirname(base) == posixpath.dirname(new_base):
            return None
        writing = PathWriting(link, self._text_of(source))
        if link.target.startswith("/"):
            return None if new == old else writing.with_rest(0, self._absolute(link.target, new))
        stays = self.moves(posixpath.dirname(old) or ".") == (posixpath.dirname(new) or ".")
        count, rest = self._split(writing.segments, base, new_base, new, may_go_round=stays)
        if rest == ".":
            return None
        for last in (last_alike(writing.segments[-1], old, rest), rest):
            target = "/".join((*writing.segments[:count], last))
            now = resolve_name(self.after, target) if is_wiki else resolve_path(self.after, new_base, target)
            if now.keys == (new,) or not is_inside(new):
                return writing.with_rest(count, last)
        return writing.with_rest(0, f"./{new}") if is_wiki else writing.with_rest(count, rest)

    def _file(self, base: str, target: str) -> str:
        """The file or directory that the path ``target`` in ``base`` means, there or not, relative to the directory."""
        found = resolve_path(self.before, base, target).keys
        if found:
            return found[0]
        path = self._joined(base, (target,))
        return next((each for each in (path, f"{path}.md") if self.moves(each) != each), path)

    def _split(
        self, segments: Sequence[str], base: str, new_base: str, new: str, *, may_go_round: bool
    ) -> tuple[int, str]:
        """How many segments of a path stay, as many as can, and what has to follow them to lead to ``new``.

        Not those that lead upwards where a shorter path does not, unless it ``may_go_round`` as before.
        """
        shortest = self._relative(new, posixpath.dirname(new_base))
        for count in reversed(range(len(segments))):
            was, now = self._joined(base, segments[:count]), self._joined(new_base, segments[:count])
            rest = self._relative(new, now)
            is_round = ".." in segments[:count] and count + rest.count("/") > shortest.count("/")
            leads_out = is_inside(new) and now.split("/")[0] == ".."
            if (
                self.moves(was) == now
                and rest.split("/")[0] != ".."
                and not leads_out
                and (may_go_round or not is_round)
            ):
                return count, rest
        is_dotted = segments[0] == "." and shortest.split("/")[0] != ".."
        return 0, f"./{shortest}" if is_dotted else shortest

    def _joined(self, base: str, segments: Sequence[str]) -> str:
        return self._relative(posixpath.join(posixpath.dirname(base), *segments), "")

    def _relative(self, path: str, start: str) -> str:
        root = root_of(self.before)
        return posixpath.relpath(posixpath.join(root, path), posixpath.join(root, start))

    def _absolute(self, target: str, new: str) -> str:
        """Where ``new`` is, told as ``target`` tells it: as a path of this machine, or from the directory."""
        root = root_of(self.before)
        is_machine = target.startswith(f"{root}/") or not is_inside(new)
        return posixpath.normpath(posixpath.join(root, new)) if is_machine else f"/{new}"

    # ---- the index

    def mentions(self, files: Iterable[str]) -> Iterator[tuple[str, Edit]]:
        """What the index says of ``files`` in backticks without linking them: agents are led to a file by that too."""
        renamed = {old: self.moves(old) for old in files}
        short = {posixpath.basename(old): posixpath.basename(new) for old, new in renamed.items()}
        renamed |= {old: new for old, new in short.items() if old not in self.before.files.names}
        renamed = {old: new for old, new in renamed.items() if old != new}
        index = self.before.index
        for start, chunk in index.placed_chunks() if index is not None else ():
            if chunk.mentions.isdisjoint(renamed):
                continue
            linked = {link.target_start for link in chunk.links if link.kind is LinkKind.CODE}
            for code in chunk.body.code:
                written = code.of(chunk.text)
                name = written.strip("`").strip()
                at = code.start + written.find(name)
                if name in renamed and at not in linked:
                    yield INDEX_NAME, Edit(at, at + len(name), renamed[name]).shifted(start)

    def _label(self, link: Link) -> Iterator[Edit]:
        """A new label, where it is nothing but what the memory was called, in whatever decoration."""
        found = resolve(self.before, INDEX_NAME, link).keys
        is_shared = link.kind is LinkKind.REFERENCE and link.label_span == link.target_span
        if link.label_start == link.label_end or len(found) != 1 or is_shared or link.kind is LinkKind.DEFINITION:
            return
        old, new = found[0], self.moves(found[0])
        names = self._names(old, new)
        files = [(f"{before}.md", f"{after}.md") for before, after in names[-1:]]
        label = link.label_span.of(self._text_of(INDEX_NAME))
        # Beside the index a path is a file's name, and that is what a label more often means.
        paths = [(old, new), *files] if "/" in old else [*files, (old, new)]
        for before, after in (*paths, *names):
            for written in (before, label_text(before)):
                at = label.find(written)
                if at >= 0 and not any(c.isalnum() for c in label[:at] + label[at + len(written) :]):
                    start = link.label_start + at
                    text = _in_label(after, link, label[:at], is_escaped=written != before)
                    if before != after and text is not None:
                        yield Edit(start, start + len(written), text)
                    return


_NOT_IN_WIKI_LABEL = frozenset("[]|\\`<")


def _in_label(name: str, link: Link, lead: str, *, is_escaped: bool) -> str | None:
    """A name as it stands in a label behind ``lead``; ``None`` where it can't."""
    if link.kind is LinkKind.WIKI:
        return name if not _NOT_IN_WIKI_LABEL.intersection(name) else None
    if lead.endswith("`"):
        return None if "`" in name else name
    return label_text(name)


def _with_and_without_md(target: str) -> tuple[str, ...]:
    return (target, target[:-3]) if target.lower().endswith(".md") else (target,)


# ---- paths in the way in which they were written


class PathWriting:
    """How a link writes its path: in ``<…>``, percent-encoded, or as it is."""

    def __init__(self, link: Link, text: str) -> None:
        raw = link.target_span.of(text)
        self.segments = link.target.split("/")
        self._raw = raw.split("/") if raw.count("/") == link.target.count("/") else None
        ways = _PLAIN_WAYS
        if link.kind in (LinkKind.WIKI, LinkKind.CODE):
            ways = (_as_it_is,)
        elif text.startswith("<", link.target_start - 1):
            ways = (_in_angles, *_PLAIN_WAYS)
        pairs = list(zip(self.segments, self._raw or (), strict=False))
        self._written = next((way for way in ways if all(way(path) == raw for path, raw in pairs)), ways[0])

    def with_rest(self, count: int, rest: str) -> str:
        """The first ``count`` segments as they stand, and ``rest`` behind them."""
        lead = self._raw[:count] if self._raw is not None else [self._written(each) for each in self.segments[:count]]
        return "/".join((*lead, self._written(rest)))


def _in_angles(path: str) -> str:
    return path_text(path, in_angles=True)[1:-1]


def _with_parentheses(path: str) -> str:
    written = path_text(path)
    # Those that close in the order in which they open need no encoding.
    return written.replace("%28", "(").replace("%29", ")") if _BALANCED.match(path) else written


def _wholly_encoded(path: str) -> str:
    return quote(path_text(path), safe="/%!$'*+,;=@~")


_BALANCED = re.compile(r"(?:[^()]|\([^()]*\))*\Z")
_PLAIN_WAYS: tuple[Way, ...] = (path_text, _wholly_encoded, _with_parentheses)


def last_alike(segment: str, old: str, new: str) -> str:
    """The path ``new`` with its last segment as ``segment`` wrote that of ``old``: with or without ``.md``, in its case."""
    if segment == "":
        return f"{new}/"
    stem, new_stem = stem_of(segment), stem_of(new)
    if old[-3:].lower() != ".md" or new[-3:].lower() != ".md":
        return new
    lead = new[: len(new) - len(new.rpartition("/")[2])]
    return lead + written_alike(stem_of(old), stem, new_stem) + segment[len(stem) :]
