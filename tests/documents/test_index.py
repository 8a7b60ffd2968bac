"""The index: its entries, how much of it is loaded, and that reading an edit is reading it anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_ls.documents import body as markdown
from memory_ls.documents import index as module
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.index import IndexDocument, IndexEntry, IndexLoad
from memory_ls.text import Span
from tests.growth import assert_grows_linearly

Entry = tuple[str, str, str, str]


def entries_of(text: str) -> list[Entry]:
    """Target, whole entry, separator and description of each entry."""
    return [
        (entry.link.target, entry.span.of(text), entry.separator, entry.description_span.of(text))
        for entry in IndexDocument.parse(text).entries()
    ]


def bare_items_of(text: str) -> list[str]:
    return [
        span.shifted(start).of(text)
        for start, chunk in IndexDocument.parse(text).placed_chunks()
        for span in chunk.bare_items
    ]


# --- the shapes of entries -------------------------------------------------------------------------------

SHAPES = [
    ("- [T](t.md) — d", "t.md", "—", "d"),
    ("- [T](t.md) – d", "t.md", "–", "d"),
    ("- [T](t.md) - d", "t.md", "-", "d"),
    ("- [T](t.md) -- d", "t.md", "--", "d"),
    ("- [T](t.md): d", "t.md", ":", "d"),
    ("- [T](t.md)：说明", "t.md", "：", "说明"),
    ("- [T](t.md) · d", "t.md", "·", "d"),
    ("- [T](t.md) | d", "t.md", "|", "d"),
    ("- [T](t.md)— d", "t.md", "—", "d"),
    ("- [T](t.md) - a - b: c", "t.md", "-", "a - b: c"),
    ("- [T](t.md) — ", "t.md", "—", ""),
    ("- [T](t.md)", "t.md", "", ""),
    ("- [T](t.md) (old) — d", "t.md", "", ""),
    ("- [t.md](t.md): d", "t.md", ":", "d"),
    ("- [T](./t.md) - d", "./t.md", "-", "d"),
    ("- [T](../../X.md)", "../../X.md", "", ""),
    ("- [T](my%20t.md) — d", "my t.md", "—", "d"),
    ("- [T](<my t.md>) — d", "my t.md", "—", "d"),
    ("- [T](t.md#h): d", "t.md", ":", "d"),
    ("- [[x]]", "x", "", ""),
    ("- [[x|X]] – d", "x", "–", "d"),
    ("* [T](t.md) — d", "t.md", "—", "d"),
    ("+ [T](t.md) — d", "t.md", "—", "d"),
    ("1. [T](t.md) — d", "t.md", "—", "d"),
    ("12) [T](t.md) — d", "t.md", "—", "d"),
    ("- ⭐ [T](t.md) — d", "t.md", "—", "d"),
    ("- [⚠️ T](t.md) — d", "t.md", "—", "d"),
    ("- **[T](t.md)** — d", "t.md", "—", "d"),
    ("- [**T**](t.md) — d", "t.md", "—", "d"),
    ("- **note** [T](t.md) — d", "t.md", "—", "d"),
    ("- [ ] [T](t.md) — d", "t.md", "—", "d"),
    ("- ![i](i.png) [T](t.md) — d", "t.md", "—", "d"),
    ("- `t.md` — d", "t.md", "—", "d"),
    ("- **`t.md`**: d", "t.md", ":", "d"),
    ("- `t.md`", "t.md", "", ""),
    ("See [t](t) — d", "t", "—", "d"),
    ("See [[t]] for d", "t", "", ""),
    ("## [T](t.md) — d", "t.md", "—", "d"),
    ("> [T](t.md) — d", "t.md", "—", "d"),
    ("- [한글 제목](한글.md) — 설명 😀 漢", "한글.md", "—", "설명 😀 漢"),
]


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("line", "target", "separator", "description"), SHAPES, ids=[shape[0] for shape in SHAPES])
def test_every_shape_of_a_line_is_an_entry(line: str, target: str, separator: str, description: str, eol: str) -> None:
    text = eol.join(["# Memory Index 😀", "", line, ""])
    ((found, whole, sign, rest),) = entries_of(text)
    assert (found, sign, rest) == (target, separator, description)
    assert whole == line.rstrip().removeprefix("> ")
    document = IndexDocument.parse(text)
    (entry,) = document.entries()
    assert document.entry_at(entry.span.start) == document.entry_at(entry.span.end) == entry
    if entry.link.kind is not LinkKind.CODE:  # a file name in code is an entry, and no link of the markdown
        assert document.link_at(entry.link.start) == document.link_at(entry.link.end) == entry.link
    assert document.entry_at(0) is None


@pytest.mark.parametrize(
    ("target", "path"),
    [("./a.md", "a.md"), ("a/../b.md", "b.md"), ("../../X.md", "../../X.md"), ("team//c.md", "team/c.md"), ("a", "a")],
)
def test_an_entrys_path_is_worked_out(target: str, path: str) -> None:
    (entry,) = IndexDocument.parse(f"- [T]({target})").entries()
    assert (entry.path, entry.link.target) == (path, target)


def test_an_entry_by_name_has_no_path() -> None:
    (entry,) = IndexDocument.parse("- [[a]]").entries()
    assert entry.path == ""


def test_a_wrapped_entry_goes_on_to_its_last_line() -> None:
    text = "- [A](a.md) — d\n  wrapped 漢\n  and here\n- [B](b.md)\nlazy\n\n- [C](c.md) — d\r\n  more\r\n- [D](d.md)"
    assert entries_of(text) == [
        ("a.md", "- [A](a.md) — d\n  wrapped 漢\n  and here", "—", "d\n  wrapped 漢\n  and here"),
        ("b.md", "- [B](b.md)\nlazy", "", ""),
        ("c.md", "- [C](c.md) — d\r\n  more", "—", "d\r\n  more"),
        ("d.md", "- [D](d.md)", "", ""),
    ]


def links_of(document: IndexDocument) -> list[Link]:
    return [link.shifted(start) for start, chunk in document.placed_chunks() for link in chunk.body.links]


def code_in(document: IndexDocument) -> tuple[Span, ...]:
    return tuple(span.shifted(start) for start, chunk in document.placed_chunks() for span in chunk.body.code)


def test_links_joined_on_one_line_are_an_entry_each_and_the_last_has_the_description() -> None:
    for joiner in (" · ", ", ", "、", " / ", " | ", " + ", " & ", "; "):
        line = f"- [A](a.md){joiner}[[b]]{joiner}[C](c.md) — d"
        assert entries_of(line) == [("a.md", line, "", ""), ("b", line, "", ""), ("c.md", line, "—", "d")]


def test_a_link_in_the_description_is_no_entry() -> None:
    text = "- [A](a.md) — see [[b]] and [C](c.md)\n- [D](d.md) and [E](e.md)\n"
    assert [entry[0] for entry in entries_of(text)] == ["a.md", "d.md"]
    assert [link.target for link in links_of(IndexDocument.parse(text))] == ["a.md", "b", "c.md", "d.md", "e.md"]


def test_the_rows_of_a_table_are_entries() -> None:
    text = (
        "| Name | File |\n|---|:--|\n| [T](t.md) | 说明 |\n| U | `u.md` |\n| `v.md` | d |\n"
        "| [[w\\|W]] | d |\n| plain | x |\n| **`x.md`** | d |\n"
    )
    assert entries_of(text) == [
        ("t.md", "| [T](t.md) | 说明", "|", "说明"),
        ("u.md", "| U | `u.md`", "", ""),
        ("v.md", "| `v.md` | d", "|", "d"),
        ("w", "| [[w\\|W]] | d", "|", "d"),
        ("x.md", "| **`x.md`** | d", "|", "d"),
    ]


def test_a_file_name_in_code_counts_only_at_the_start_of_a_bullet_or_alone_in_a_cell() -> None:
    text = "- see `a.md`\n- `x y`\n- `b.md` then `c.md`\n\n`d.md` in prose\n\n- ``e.md`` — d\n"
    found = IndexDocument.parse(text)
    assert [entry.link.target for entry in found.entries()] == ["b.md", "e.md"]
    assert {entry.link.kind for entry in found.entries()} == {LinkKind.CODE}
    assert [entry.link.target_span.of(text) for entry in found.entries()] == ["b.md", "e.md"]
    assert [entry.link.span.of(text) for entry in found.entries()] == ["`b.md`", "``e.md``"]


def test_what_no_memory_is_linked_by_is_no_entry() -> None:
    text = (
        "- [u](https://x.y) — d\n- <https://x.y>\n- [m](mailto:a@b.c)\n- ![i](i.png)\n<!-- [T](t.md) -->\n\n"
        "```\n- [C](c.md)\n```\n\n- \\[[x]]\n- [d](<>)\n## 2026-04-01\n"
    )
    assert entries_of(text) == []


def test_nested_bullets_are_entries_without_those_below_them() -> None:
    text = "- Group\n  - [A](a.md) — d\n  - plain\n- [B](b.md)\n  - [C](c.md)\n"
    assert entries_of(text) == [
        ("a.md", "- [A](a.md) — d", "—", "d"),
        ("b.md", "- [B](b.md)", "", ""),
        ("c.md", "- [C](c.md)", "", ""),
    ]
    assert bare_items_of(text) == ["- plain"]


def test_bullets_without_a_link_are_bare() -> None:
    text = "- 내용만 있는 줄\r\n- [u](https://x.y) — d\r\n- [A](a.md)\r\n- [x] done\r\n1. eins\r\n"
    assert bare_items_of(text) == ["- 내용만 있는 줄", "- [u](https://x.y) — d", "- [x] done", "1. eins"]


def test_reference_links_are_entries() -> None:
    text = "- [A][a] — d\n- [b] — e\n\n[a]: a.md\n[b]: <b b.md>\n"
    assert entries_of(text) == [("a.md", "- [A][a] — d", "—", "d"), ("b b.md", "- [b] — e", "—", "e")]


def test_headings_comments_and_code_have_their_places_in_the_whole_text() -> None:
    text = "# I\n\n" + "- [é](a.md) — 漢\n" * 200 + "## Später `c`\n<!-- note -->\n\n```\nx\n```\n"
    document = IndexDocument.parse(text)
    assert len(document.chunks) > 1
    assert [heading.span.of(text) for heading in document.headings] == ["# I", "## Später `c`"]
    assert [heading.text_span.of(text) for heading in document.headings] == ["I", "Später `c`"]
    assert [comment.span.of(text) for comment in document.comments] == ["<!-- note -->"]
    assert [span.of(text) for span in code_in(document)] == ["`c`", "```\nx\n```"]
    assert document.in_code(text.index("`c`"))
    assert not document.in_code(text.index("<!--"))
    assert {link.span.of(text) for link in links_of(document)} == {"[é](a.md)"}


def test_a_cursor_between_two_chunks_touches_the_link_before_it() -> None:
    text = ("- x [A](a.md)" + " " * 0 + "\n") * 400
    document = IndexDocument.parse(text)
    for start in document.starts[1:]:
        assert document.link_at(start - 1) is not None
        assert document.link_at(start) is None


def test_frontmatter_a_bom_and_nothing_at_all() -> None:
    assert entries_of("---\nname: i\n---\n- [T](t.md) — d\n") == [("t.md", "- [T](t.md) — d", "—", "d")]
    text = "\ufeff# Memory Index\n- [T](t.md)\n"
    assert [heading.text for heading in IndexDocument.parse(text).headings] == ["Memory Index"]
    assert entries_of("\ufeff- [T](t.md) — d") == [("t.md", "- [T](t.md) — d", "—", "d")]
    for empty in ("", "\ufeff", "\n\n", "---\nname: i\n---\n"):
        document = IndexDocument.parse(empty)
        assert not list(document.entries())
        assert not links_of(document)
        assert (document.headings, document.targets, document.link_at(0), document.entry_at(0)) == (
            (),
            frozenset(),
            None,
            None,
        )
        assert not document.in_code(0)


def test_prose_without_a_link_is_an_index_without_entries() -> None:
    text = "# Notes of the agent\n\nThe port is 8080. 코드 검토는 두 명.\n\n- one fact\n"
    assert entries_of(text) == []
    assert IndexDocument.parse(text).targets == frozenset()


def test_targets_hold_names_paths_and_files_only_mentioned() -> None:
    text = "- [A](./a.md)\n- [[b|B]]\n- see `c.md`, team/d.md\n- [u](https://x.y/e)\n\n[r]: f.md\n"
    targets = IndexDocument.parse(text).targets
    assert {(False, "a.md"), (True, "b"), (False, "c.md"), (False, "team/d.md"), (False, "f.md")} <= targets
    assert (False, "https://x.y/e") not in targets


# --- how much is loaded --------------------------------------------------------------------------------------


def test_all_of_a_short_index_is_loaded() -> None:
    text = "# I\n\n- [A](a.md)\n"
    assert IndexDocument.parse(text).load(200, 25_000) == IndexLoad(3, len(text.rstrip()), None)


def test_the_first_line_over_the_limit_of_lines_is_lost() -> None:
    text = "".join(f"- [A{number}](a{number}.md)\n" for number in range(250))
    load = IndexDocument.parse(text).load(200, 25_000)
    assert (load.lines, load.first_lost) == (250, text.index("- [A200]"))
    assert load.size == len(text) - 1
    assert IndexDocument.parse(text).load(250, 25_000).first_lost is None


def test_bytes_are_counted_and_not_characters() -> None:
    line = "- [漢](漢.md) — 😀é"
    size = len(line.encode())
    text = f"{line}\n{line}\n{line}\n"
    document = IndexDocument.parse(text)
    assert document.load(200, 3 * size + 2) == IndexLoad(3, 3 * size + 2, None)
    assert document.load(200, 3 * size + 1) == IndexLoad(3, 3 * size + 2, 2 * (len(line) + 1))
    assert document.load(200, 2 * size + 1).first_lost == 2 * (len(line) + 1)
    assert document.load(200, 2 * size).first_lost == len(line) + 1


def test_frontmatter_and_block_comments_do_not_count_against_the_limit() -> None:
    text = (
        "---\nname: index\ndescription: d\n---\n\n<!-- one -->\n- [A](a.md)\n<!--\nmany\n\nlines 漢\n-->\n  <!-- in -->\n"
        "- [B](b.md) <!-- inline -->\n"
    )
    loaded = "- [A](a.md)\n- [B](b.md) <!-- inline -->"
    load = IndexDocument.parse(text).load(200, 25_000)
    assert load == IndexLoad(2, len(loaded), None)
    assert IndexDocument.parse(text).load(1, 25_000).first_lost == text.index("- [B]")


def test_nothing_is_loaded_of_an_empty_index() -> None:
    for text in ("", "\n\n", "<!-- a -->\n"):
        assert IndexDocument.parse(text).load(200, 25_000) == IndexLoad(0, 0, None)


# --- edits and chunks: the same as reading it all anew ---------------------------------------------------------

FRAGMENTS = [
    *["- [A](a.md) — first\n", "- [B](b.md): x\n", "- [[c]] - y\n", "* [D](<d d.md>)\n", "- plain\n", "- `g.md` — d\n"],
    *[
        "  wrapped [E](e.md)\n",
        "    indented [[x]]\n",
        "\t- tab [T](tt.md)\n",
        "  - nest [M](m.md)\n",
        "1. [N](n.md)\n",
    ],
    *[
        "10) x\n",
        "+ [P](p.md) · [Q](q.md)\n",
        "- [ ] task [[w]]\n",
        "\n",
        "\n",
        "# Heading\n",
        "## H [L](l.md)\n",
        "#\n",
    ],
    *[
        "```\n",
        "````\n",
        "~~~\n",
        "```py\n",
        "```a`b\n",
        "  ```\n",
        "    ```\n",
        "- ```\n",
        "> ```\n",
        "`code\n",
        "`\n",
    ],
    *[
        "> quote [[q]]\n",
        "<!-- one [[k]] -->\n",
        "<!-- open\n",
        "-->\n",
        "  <!-- open\n",
        "text --> more\n",
        "- x <!-- \n",
    ],
    *[
        "<div>\n",
        "</div>\n",
        "<b\n",
        "<pre>\n",
        "</pre>\n",
        "</PRE>\n",
        "<?x\n",
        "?>\n",
        "<![CDATA[\n",
        "]]>\n",
        "<!X\n",
    ],
    *[
        "[ref]: target.md\n",
        "[ref]\n",
        "- [A][ref] — d\n",
        "- [a]: t.md\n",
        "> [a]: t3.md\n",
        "[a]\n",
        "[a\n",
        "b]: c.md\n",
    ],
    *[
        "| a | b |\n|---|---|\n",
        "| [T](t.md) | `x.md` |\n",
        "|---|---|\n",
        "---\n",
        "===\n",
        "- - -\n",
        "* * *\n",
        "-\n",
    ],
    *[
        "[[multi\n",
        "line]]\n",
        "para [x](y\n",
        "z)\n",
        "text\n",
        "[^1]: foot [[f]]\n",
        "[^1]\n",
        "- [^1](x.md)\n",
        "\\\n",
    ],
    *[
        "é漢😀 [[漢字]]\n",
        "- 항목 [[한글]] — 설명\n",
        "\u2028- [[u]]\n",
        "\x0c- [[ff]]\n",
        "\x00",
        "\ud800",
        "name: x\n",
    ],
]
BITS = ["-->", "<", "`", "-", " ", "- ", "[", "]:", "```", "    ", "\ufeff", "---", "\r", "\n", "漢"]
EOLS = st.sampled_from(["\n", "\n", "\r\n", "\r"])


@st.composite
def index_texts(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.sampled_from(FRAGMENTS), max_size=14))
    lead = draw(st.sampled_from(["", "", "", "---\nname: i\n---\n", "\ufeff"]))
    return (lead + "".join(pieces)).replace("\n", draw(EOLS))


@st.composite
def edits(draw: st.DrawFn) -> tuple[float, int, str]:
    """Where an edit begins (as a part of the text's length), how much it deletes, what it puts there."""
    inserted = draw(st.sampled_from(["", *BITS, *FRAGMENTS]) | index_texts())
    return draw(st.floats(0, 1)), draw(st.sampled_from([0, 0, 1, 1, 2, 5, 20])), inserted.replace("\n", draw(EOLS))


def without_block(link: Link) -> Link:
    """A block is counted within its chunk, and where chunks are cut is no part of the meaning."""
    return link._replace(block=0)


def meaning(document: IndexDocument) -> list[object]:
    entries = [entry._replace(link=without_block(entry.link)) for entry in document.entries()]
    bare = [span.shifted(start) for start, chunk in document.placed_chunks() for span in chunk.bare_items]
    return [
        document.frontmatter,
        entries,
        [without_block(link) for link in links_of(document)],
        document.headings,
        document.comments,
        code_in(document),
        document.targets,
        bare,
    ]


def spans_of(entries: Iterator[IndexEntry]) -> list[Span]:
    return [span for entry in entries for span in (entry.span, entry.description_span, entry.link.span)]


@pytest.fixture(autouse=True, scope="module")
def _small_chunks_in_properties() -> Iterator[None]:
    """Chunks of a few lines, so that short texts have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK_CHARACTERS", 12)
        yield


@settings(max_examples=300)
@given(index_texts(), st.lists(edits(), min_size=1, max_size=5))
@example("- [A](a.md) — first\n- [B](b.md): x\n", [(0.48, 1, "")])
def test_reading_after_an_edit_equals_reading_anew(text: str, changes: list[tuple[float, int, str]]) -> None:
    document = IndexDocument.parse(text)
    for at, deleted, inserted in changes:
        start = int(at * len(text))
        text = text[:start] + inserted + text[start + deleted :]
        document = IndexDocument.parse(text, document)
        assert document.source.text == text
        assert text[document.body_start :] == "".join(chunk.text for chunk in document.chunks)
        assert meaning(document) == meaning(IndexDocument.parse(text))


@settings(max_examples=600)
@given(index_texts())
@example("    <!--\n```\n-->\n- [A](a.md) — first\n- [B](b.md): x\n")
@example("text\n<b\n```\n\n- [A](a.md) — first\n- [B](b.md): x\n```\n")
@example("```a`b\n```\n- [A](a.md) — first\n- [B](b.md): x\n```\n")
@example("```\n    ```\n- [A](a.md) — first\n- [B](b.md): x\n")
@example("[a] and more text\n- item one\n- item two\n- [a]: t.md\n")
@example("- [A](a.md) — first\n- - -\r\t- tab [T](tt.md)\r- [[c]] - y\r> ```\r")
def test_reading_in_chunks_equals_reading_the_whole(text: str) -> None:
    document = IndexDocument.parse(text)
    whole = markdown.read(text, document.body_start)
    assert [without_block(link) for link in links_of(document)] == [without_block(link) for link in whole.links]
    assert document.headings == whole.headings
    assert document.comments == whole.comments
    assert code_in(document) == whole.code
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK_CHARACTERS", 1_000_000)
        assert meaning(document) == meaning(IndexDocument.parse(text))


@given(index_texts() | st.text(st.characters(exclude_categories=())), st.integers(0, 300), st.integers(0, 2_000))
def test_no_text_raises_and_every_span_lies_inside(text: str, max_lines: int, max_bytes: int) -> None:
    document = IndexDocument.parse(text)
    for span in spans_of(document.entries()):
        assert 0 <= span.start <= span.end <= len(text)
    for entry in document.entries():
        assert entry.span.start <= entry.link.start <= entry.link.end <= entry.span.end
        assert entry.link.end <= entry.description_span.start <= entry.description_span.end <= entry.span.end
    assert all(document.starts[number] < at for number, at in enumerate(document.starts[1:]))
    load = document.load(max_lines, max_bytes)
    assert (load.first_lost is not None) == (load.lines > max_lines or load.size > max_bytes)
    for offset in (0, len(text) // 2, len(text)):
        document.link_at(offset)
        document.entry_at(offset)
        document.in_code(offset)


@given(index_texts(), st.integers(0, 400))
def test_the_link_at_a_cursor_is_one_that_it_touches(text: str, offset: int) -> None:
    document = IndexDocument.parse(text)
    found = document.link_at(offset)
    touching = [link for link in links_of(document) if link.span.touches(offset)]
    assert (found is None) == (not touching)
    assert found is None or without_block(found) in [without_block(link) for link in touching]


def test_an_edit_reads_only_the_chunks_it_touches() -> None:
    text = "# I\n" + "".join(f"- [T{number}](t{number}.md) — 설명\n" for number in range(200))
    before = IndexDocument.parse(text)
    at = text.index("T100") + 1
    after = IndexDocument.parse(text[:at] + "é" + text[at:], before)
    kept = {id(chunk) for chunk in before.chunks} & {id(chunk) for chunk in after.chunks}
    assert len(before.chunks) - len(kept) <= 2
    assert [link.target for link in links_of(after)] == [f"t{number}.md" for number in range(200)]


def test_an_edit_of_the_frontmatter_is_read_too() -> None:
    text = "---\nname: i\n---\n- [A](a.md)\n- [B](b.md) — d\n"
    before = IndexDocument.parse(text)
    for edited in ("---\nname: ii\n---\n- [A](a.md)\n- [B](b.md) — d\n", text[4:], "\n" + text):
        assert meaning(IndexDocument.parse(edited, before)) == meaning(IndexDocument.parse(edited))


# --- bounds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lead", "piece", "size"),
    [
        ("", "a", 500_000),
        ("", "a.", 20_000),
        ("", ".md", 20_000),
        ("", "[", 100_000),
        ("", "- [é](a.md) — d\n", 2_000),
        ("", "- `a.md` é\n", 2_000),
        ("[a]: b.md\n\n", "- x `c` é\n", 3_000),
        ("[a]: b.md\n\n| a | b |\n|---|---|\n", "| `x.md` | é |\n", 2_000),
        ("  ```\n  ```\n", "- x `a` é\n", 3_000),
        ("é ", "- ", 10_000),
        ("é", "<!-- c -->\n", 5_000),
        ("- ", "[a](b.md) · ", 3_000),
        ("", "- [x]\n  ", 5_000),
        ("```\n", "- [x](y.md)\n", 10_000),
    ],
)
def test_reading_takes_bounded_time(lead: str, piece: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK_CHARACTERS", 2_000)
        assert_grows_linearly(lambda n: IndexDocument.parse(lead + piece * n), size)


def test_telling_the_load_takes_bounded_time() -> None:
    def load(size: int) -> None:
        document = IndexDocument.parse("- [é](a.md) — d\n<!-- c -->\n" * size)
        document.load(200, 25_000)
        document.load(10**9, 10**9)

    assert_grows_linearly(load, 1_000)


def test_equal_documents_are_equal() -> None:
    document = IndexDocument.parse("- [A](a.md)\n")
    assert replace(document) == document
