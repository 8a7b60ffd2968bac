"""What holds of every move that a client tells: links mean what they meant, and there and back gives the same bytes."""

from __future__ import annotations

import posixpath

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memory_ls.changes.moves import moved
from memory_ls.changes.relink import Moves
from memory_ls.directory.style import style_of
from memory_ls.documents.index import INDEX_NAME
from tests.changes.applying import applied_to, codes, meanings
from tests.changes.test_rename_laws import directories
from tests.making import directory_of, memory

_Texts = dict[str, str]


def _moved(texts: _Texts, paths: dict[str, str]) -> _Texts:
    """The files after the client took the edits, and then moved them."""
    directory = directory_of(texts)
    edited = applied_to(texts, moved(directory, paths, style_of(directory)))
    return {Moves(paths)(key): text for key, text in edited.items()}


@st.composite
def _moves(draw: st.DrawFn) -> tuple[_Texts, dict[str, str]]:
    texts, key, _, _ = draw(directories())
    last = posixpath.basename(key)
    places = [f"team/{last}", last, f"crew/deep/{last}"]
    paths = {draw(st.sampled_from([key, *texts])): draw(st.sampled_from(places))}
    if any(each.startswith("team/") for each in texts) and draw(st.booleans()):
        paths = {"team": draw(st.sampled_from(["crew", "a/b", "mi equipo"]))}
    assume(INDEX_NAME not in paths)
    paths = {
        old: new for old, new in paths.items() if old == "team" or posixpath.basename(new) == posixpath.basename(old)
    }
    assume(paths and all(old != new and new not in texts for old, new in paths.items()))
    return texts, paths


@settings(max_examples=150, deadline=None)
@given(_moves())
def test_links_mean_what_they_meant(drawn: tuple[_Texts, dict[str, str]]) -> None:
    texts, paths = drawn
    now, moves = _moved(texts, paths), Moves(paths)
    before, after = directory_of(texts), directory_of(now)
    known, found = meanings(before), meanings(after)
    for source, meant in known.items():
        expected = [(kind, tuple(map(moves, keys)), anchor) for kind, keys, anchor in meant]
        assert found[moves(source)] == expected
    assert codes(after) <= codes(before)


@settings(max_examples=150, deadline=None)
@given(_moves())
@example(
    (
        {
            "MEMORY.md": "# Index\n\n* [ferry-times.md](<team/ferry-times.md>): d\n",
            "team/ferry-times.md": memory("ferry-times"),
        },
        {"team/ferry-times.md": "ferry-times.md"},
    )
)
def test_there_and_back_gives_the_same_bytes(drawn: tuple[_Texts, dict[str, str]]) -> None:
    texts, paths = drawn
    # What says more than it has to is written shorter where it must be written anew.
    assume(not any(detour in str(texts) for detour in ("](./", "../memory", "../team", "[[team/")))
    assert _moved(_moved(texts, paths), {new: old for old, new in paths.items()}) == texts
