"""What holds of every rename, in directories of all styles and scripts: there and back gives the same bytes, and every
link means what it meant."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_ls.changes.plan import CannotChangeError
from memory_ls.changes.rename import rename_memory
from memory_ls.directory.snapshot import MemoryDirectory
from memory_ls.directory.style import style_of
from memory_ls.documents.index import INDEX_NAME
from memory_ls.documents.names import slug, without_type_prefix
from tests.changes.applying import applied_to, codes, meanings
from tests.making import directory_of

# Two words each, so that they tell how words are joined.
_WORDS = (
    ("ferry", "times"), ("停航", "通知"), ("배", "시간표"), ("чайка", "порт"), ("école", "été"), ("straße", "am"),
    ("tide", "tables"), ("v2", "plan"), ("कल", "नाव"), ("λιμάνι", "πλοίο"), ("role", "captain"), ("ma\u0301s", "x"),
)  # fmt: skip
_FRESH = (("night", "boats"), ("新", "船"), ("mar", "año"), ("новый", "рейс"), ("v3", "boats"))
_TYPES = ("user", "feedback", "project", "reference")


class _Form(NamedTuple):
    """How a memory is called, and its file."""

    dialect: str
    name: Callable[[tuple[str, ...]], str]
    stem: Callable[[tuple[str, ...], str], str]


def _kebab(words: tuple[str, ...]) -> str:
    return "-".join(words)


def _title(words: tuple[str, ...]) -> str:
    return " ".join(words).capitalize()


_FORMS = (
    _Form("nested", _kebab, lambda words, kind: "-".join(words)),
    _Form("nested", _kebab, lambda words, kind: "_".join(words)),
    _Form("nested", _kebab, lambda words, kind: f"{kind}_{'-'.join(words)}"),
    _Form("nested", _kebab, lambda words, kind: f"{kind}_{'_'.join(words)}"),
    _Form("nested", lambda words: "_".join(words), lambda words, kind: "_".join(words)),
    _Form("nested", lambda words: " ".join(words), lambda words, kind: " ".join(words)),
    _Form("flat", _title, lambda words, kind: f"{kind}_{slug('_'.join(words)).replace('-', '_')}"),
    _Form("flat", _title, lambda words, kind: "something else"),
    _Form("bare", _kebab, lambda words, kind: "-".join(words)),
    _Form("none", _kebab, lambda words, kind: "-".join(words)),
)


class _Memory(NamedTuple):
    name: str
    stem: str
    kind: str
    form: _Form
    folder: str

    @property
    def key(self) -> str:
        return f"{self.folder}{self.stem}.md"

    def text(self, body: str, eol: str) -> str:
        name, kind = f'"{self.name}"' if self.name[0] in "0-" else self.name, self.kind
        block = {
            "nested": f"---\nname: {name}\ndescription: d\nmetadata: \n  type: {kind} # sure\n---\n\n",
            "flat": f"---\nname: '{name}'\ndescription: d\ntype: {kind}\n---\n",
            "bare": f"---\n# mine\nname:   {name}   \ndescription: d\n---\n\n",
            "none": "",
        }[self.form.dialect]
        return (block + body).replace("\n", eol)


def _wiki_texts(memory: _Memory) -> list[str]:
    names = [memory.name, memory.stem] if memory.form.dialect != "none" else [memory.stem]
    swapped = [name.replace("-", "_") if "-" in name else name.replace("_", "-") for name in names]
    cased = [name.upper() for name in names] + [name.title() for name in names]
    shorts = [short for name in names if (short := without_type_prefix(name))]
    return [*names, *swapped, *cased, *shorts, *(f"{name}.md" for name in names), memory.key.removesuffix(".md")]


def _links(memory: _Memory, source_folder: str) -> st.SearchStrategy[str]:
    up = "../" * source_folder.count("/")
    path = up + memory.key if memory.folder != source_folder or up else memory.key
    path = memory.key.removeprefix(source_folder) if source_folder and memory.folder == source_folder else path
    encoded, spaces = quote(path), path.replace(" ", "%20")
    wiki = st.sampled_from(_wiki_texts(memory)).flatmap(
        lambda text: st.sampled_from(
            [
                f"[[{text}]]",
                f"[[{text}|label]]",
                f"![[{text}]]",
                f"[[ {text} ]]",
                f"[[{text}#Why]]",
                f"| [[{text}\\|x]] |",
            ]
        )
    )
    paths = st.sampled_from(
        [
            f"[t]({encoded})", f"[t]({spaces})", f"[t](<{path}>)", f"![i](./{spaces})", f"[t]({spaces} 'T')",
            f"[t]({spaces}#why)", f"[t]({spaces.removesuffix('.md')})", f"[t](../memory/{source_folder}{spaces})",
        ]
    )  # fmt: skip
    return wiki | paths | st.just(f"`[[{memory.name}]]`") | st.just(f"[[{memory.name} or so]]")


def _index_lines(memory: _Memory) -> st.SearchStrategy[str]:
    key, spaces = memory.key, memory.key.replace(" ", "%20")
    name = memory.stem if memory.form.dialect == "none" else memory.name
    return st.sampled_from(
        [
            f"- [{name}]({spaces}) — d", f"- [**{name}**](./{spaces}) - d", f"* [{memory.stem}.md](<{key}>): d",
            f"- [`{memory.stem}`]({quote(key)})", f"- `{key}` — d", f"- [[{memory.stem}]] — d", f"| [{name}]({spaces}) | d |",
            f"- [🚢 {name}]({spaces}) · [[{memory.stem}|{memory.stem}]]", f"- [By hand]({spaces})",
            f"- [{name}][r{len(name)}]\n\n[r{len(name)}]: {spaces}\n",
        ]
    )  # fmt: skip


Drawn = tuple[dict[str, str], str, str, bool]


@st.composite
def directories(draw: st.DrawFn) -> Drawn:
    """The texts of a directory, the memory to rename, its new name, and whether it is the file that is renamed."""
    memories = []
    form = draw(st.sampled_from(_FORMS))
    for words in draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5, unique=True)):
        kind = draw(st.sampled_from(_TYPES))
        folder = draw(st.sampled_from(("", "", "", "team/")))
        each = draw(st.sampled_from((form, form, *_FORMS)))
        memories.append(_Memory(each.name(words), each.stem(words, kind), kind, each, folder))
    assume(len({memory.stem for memory in memories}) == len(memories))
    texts = {}
    for memory in memories:
        lines = [draw(_links(draw(st.sampled_from(memories)), memory.folder)) for _ in range(draw(st.integers(0, 5)))]
        if draw(st.booleans()):
            lines.append(f"[r]: <{'../' * memory.folder.count('/')}{memories[0].key}>\n\n[t][r]")
        eol = draw(st.sampled_from(("\n", "\r\n")))
        texts[memory.key] = memory.text("\n\n".join([*lines, "## Why", "End"]), eol)
    if draw(st.booleans()):
        lines = draw(st.lists(st.sampled_from(memories).flatmap(_index_lines), max_size=6))
        texts[INDEX_NAME] = "# Index\n\n" + "\n\n".join(lines) + "\n"
    old = memories[0]
    # A name of ASCII alone does not tell whether other letters are percent-encoded here.
    fresh = [words for words in _FRESH if not "".join(words).isascii()]
    words = draw(st.sampled_from(fresh if re.search("%[C-F]", str(texts)) else _FRESH))
    by_stem = draw(st.booleans())
    new = old.form.stem(words, old.kind) if by_stem else old.form.name(words)
    return texts, old.key, new, by_stem


def _renamed(directory: MemoryDirectory, texts: dict[str, str], key: str, new: str, *, by_stem: bool) -> dict[str, str]:
    return applied_to(texts, rename_memory(directory, key, new, style_of(directory), by_stem=by_stem))


def _new_key(texts: dict[str, str], now: dict[str, str], key: str) -> str:
    return next(iter(now.keys() - texts.keys()), key)


@settings(max_examples=150, deadline=None)
@given(directories())
def test_there_and_back_gives_the_same_bytes(drawn: Drawn) -> None:
    texts, key, new, by_stem = drawn
    assume("新" not in new)  # which has no capitals, and so does not tell what is written in them
    directory = directory_of(texts)
    name = directory.documents[key].name
    old = key.rpartition("/")[2].removesuffix(".md") if by_stem or name is None else name
    now = _renamed(directory, texts, key, new, by_stem=by_stem)
    back = _renamed(directory_of(now), now, _new_key(texts, now, key), old, by_stem=by_stem)
    assert back == texts


@settings(max_examples=150, deadline=None)
@given(directories(), st.booleans())
def test_every_link_means_what_it_meant(drawn: Drawn, lenient: bool) -> None:
    texts, key, new, by_stem = drawn
    directory = directory_of(texts, lenient=lenient)
    assume(key in directory.documents)
    now = _renamed(directory, texts, key, new, by_stem=by_stem)
    new_key = _new_key(texts, now, key)
    renamed = directory_of(now, lenient=lenient)
    before, after = meanings(directory), meanings(renamed)
    assert {new_key if source == key else source for source in before} == after.keys()
    for source, found in before.items():
        expected = [
            (kind, tuple(new_key if each == key else each for each in keys), anchor) for kind, keys, anchor in found
        ]
        assert after[new_key if source == key else source] == expected
    # What is found is no more than before.
    assert codes(renamed) <= codes(directory)


_ANY_NAME = st.text(
    st.sampled_from("aZ漢é -_./\\#|[]()<>:`'\"*%&?!~\t") | st.characters(exclude_categories=["Cs"]),
    min_size=1,
    max_size=8,
)


@settings(max_examples=150, deadline=None)
@given(directories(), _ANY_NAME)
def test_any_name_is_refused_or_found_by_every_link(drawn: Drawn, new: str) -> None:
    texts, key, _, by_stem = drawn
    directory = directory_of(texts)
    try:
        now = _renamed(directory, texts, key, new, by_stem=by_stem)
    except CannotChangeError:
        return
    new_key = _new_key(texts, now, key)
    before, after = meanings(directory), meanings(directory_of(now))
    for source, found in before.items():
        for (kind, keys, _), (now_kind, now_keys, _) in zip(
            found, after[new_key if source == key else source], strict=True
        ):
            if kind != "dead":  # which the new name may be what was meant by
                assert (now_kind, now_keys) == (kind, tuple(new_key if each == key else each for each in keys))
