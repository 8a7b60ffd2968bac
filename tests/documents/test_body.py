"""Links, headings, code and comments of markdown, each with its exact place."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_ls.documents.body import (
    BlockKind,
    Body,
    Link,
    LinkKind,
    anchors,
    heading_slug,
    is_external,
    may_define,
    may_hold_anchors,
    read,
)
from memory_ls.text import Span
from tests.growth import assert_grows_linearly

WIKI, INLINE, IMAGE = LinkKind.WIKI, LinkKind.INLINE, LinkKind.IMAGE
REFERENCE, DEFINITION = LinkKind.REFERENCE, LinkKind.DEFINITION


def places(text: str, link: Link) -> tuple[str, str, str, str]:
    """What stands in the places of a link: all of it, its target, its anchor, its label."""
    spans = (link.span, link.target_span, link.anchor_span, link.label_span)
    whole, target, anchor, label = (span.of(text) for span in spans)
    return whole, target, anchor, label


def targets(text: str) -> list[str]:
    return [link.target for link in read(text).links]


# --- one link ---------------------------------------------------------------------------------------

# text; kind, target, anchor; whole, target, anchor and label as they stand there
LINKS = [
    ("[[a]]", WIKI, "a", None, ("[[a]]", "a", "", "")),
    ("[[a|b]]", WIKI, "a", None, ("[[a|b]]", "a", "", "b")),
    ("[[a\\|b]]", WIKI, "a", None, ("[[a\\|b]]", "a", "", "b")),
    ("[[a|b|c]]", WIKI, "a", None, ("[[a|b|c]]", "a", "", "b|c")),
    ("[[a#h]]", WIKI, "a", "h", ("[[a#h]]", "a", "h", "")),
    ("[[a#Head ing|b]]", WIKI, "a", "Head ing", ("[[a#Head ing|b]]", "a", "Head ing", "b")),
    ("[[#here]]", WIKI, "", "here", ("[[#here]]", "", "here", "")),
    ("[[note.md#Head ing]]", WIKI, "note.md", "Head ing", ("[[note.md#Head ing]]", "note.md", "Head ing", "")),
    ("[[ a b | c ]]", WIKI, "a b", None, ("[[ a b | c ]]", "a b", "", " c ")),
    ("[[v1.2 notes]]", WIKI, "v1.2 notes", None, ("[[v1.2 notes]]", "v1.2 notes", "", "")),
    ("[[a\nb]]", WIKI, "a b", None, ("[[a\nb]]", "a\nb", "", "")),
    ("![[a]]", WIKI, "a", None, ("![[a]]", "a", "", "")),
    ("[[漢字|라벨 😀]]", WIKI, "漢字", None, ("[[漢字|라벨 😀]]", "漢字", "", "라벨 😀")),
    ("[[https://x.y]]", WIKI, "https://x.y", None, ("[[https://x.y]]", "https://x.y", "", "")),
    ("[[x\\|y#z]]", WIKI, "x", None, ("[[x\\|y#z]]", "x", "", "y#z")),
    ("[t](a.md)", INLINE, "a.md", None, ("[t](a.md)", "a.md", "", "t")),
    ("[](a.md)", INLINE, "a.md", None, ("[](a.md)", "a.md", "", "")),
    ("[t]()", INLINE, "", None, ("[t]()", "", "", "t")),
    ("[t](note)", INLINE, "note", None, ("[t](note)", "note", "", "t")),
    ("[t](./a/../b.md)", INLINE, "./a/../b.md", None, ("[t](./a/../b.md)", "./a/../b.md", "", "t")),
    ("[t](/abs/path.md)", INLINE, "/abs/path.md", None, ("[t](/abs/path.md)", "/abs/path.md", "", "t")),
    ("[t](a.md#head-ing)", INLINE, "a.md", "head-ing", ("[t](a.md#head-ing)", "a.md", "head-ing", "t")),
    ("[t](#here)", INLINE, "", "here", ("[t](#here)", "", "here", "t")),
    ("[t](a.md#)", INLINE, "a.md", "", ("[t](a.md#)", "a.md", "", "t")),
    ("[t](a.md?raw=1)", INLINE, "a.md", None, ("[t](a.md?raw=1)", "a.md", "", "t")),
    ("[t](a.md?raw=1#h)", INLINE, "a.md", "h", ("[t](a.md?raw=1#h)", "a.md", "h", "t")),
    ("[t](my%20note.md)", INLINE, "my note.md", None, ("[t](my%20note.md)", "my%20note.md", "", "t")),
    ("[t](a.md#h%C3%A9)", INLINE, "a.md", "hé", ("[t](a.md#h%C3%A9)", "a.md", "h%C3%A9", "t")),
    ("[t](<my note.md>)", INLINE, "my note.md", None, ("[t](<my note.md>)", "my note.md", "", "t")),
    ("[t](<my note.md#h>)", INLINE, "my note.md", "h", ("[t](<my note.md#h>)", "my note.md", "h", "t")),
    ("[t](<v1.2 notes>)", INLINE, "v1.2 notes", None, ("[t](<v1.2 notes>)", "v1.2 notes", "", "t")),
    ("[t](<a\\>b.md>)", INLINE, "a>b.md", None, ("[t](<a\\>b.md>)", "a\\>b.md", "", "t")),
    ("[t](<>)", INLINE, "", None, ("[t](<>)", "", "", "t")),
    ('[t](a.md "ti")', INLINE, "a.md", None, ('[t](a.md "ti")', "a.md", "", "t")),
    ("[t](a.md\n'ti')", INLINE, "a.md", None, ("[t](a.md\n'ti')", "a.md", "", "t")),
    ('[t](a.md "[[no]] (b.md)")', INLINE, "a.md", None, ('[t](a.md "[[no]] (b.md)")', "a.md", "", "t")),
    ("[t]( a.md )", INLINE, "a.md", None, ("[t]( a.md )", "a.md", "", "t")),
    ("[t](a(1).md)", INLINE, "a(1).md", None, ("[t](a(1).md)", "a(1).md", "", "t")),
    ("[t](a\\).md)", INLINE, "a).md", None, ("[t](a\\).md)", "a\\).md", "", "t")),
    ("[t](a&amp;b.md)", INLINE, "a&b.md", None, ("[t](a&amp;b.md)", "a&amp;b.md", "", "t")),
    ("[t](a%23b.md)", INLINE, "a#b.md", None, ("[t](a%23b.md)", "a%23b.md", "", "t")),
    ("[t](100%.md)", INLINE, "100%.md", None, ("[t](100%.md)", "100%.md", "", "t")),
    ("[t](\u3000a.md)", INLINE, "\u3000a.md", None, ("[t](\u3000a.md)", "\u3000a.md", "", "t")),
    ("[é](漢.md#é)", INLINE, "漢.md", "é", ("[é](漢.md#é)", "漢.md", "é", "é")),
    ("[**b** c](a.md)", INLINE, "a.md", None, ("[**b** c](a.md)", "a.md", "", "**b** c")),
    ("[`]( ` c](a.md)", INLINE, "a.md", None, ("[`]( ` c](a.md)", "a.md", "", "`]( ` c")),
    ("[a [b] c](a.md)", INLINE, "a.md", None, ("[a [b] c](a.md)", "a.md", "", "a [b] c")),
    ("[a\\]](a.md)", INLINE, "a.md", None, ("[a\\]](a.md)", "a.md", "", "a\\]")),
    ("[a\nb](a.md)", INLINE, "a.md", None, ("[a\nb](a.md)", "a.md", "", "a\nb")),
    ("![t](p.png)", IMAGE, "p.png", None, ("![t](p.png)", "p.png", "", "t")),
    ("[t](https://x.y/a#b)", INLINE, "https://x.y/a#b", None, ("[t](https://x.y/a#b)", "https://x.y/a#b", "", "t")),
    ("[t](mailto:a@b.c)", INLINE, "mailto:a@b.c", None, ("[t](mailto:a@b.c)", "mailto:a@b.c", "", "t")),
    ("[t](magnet:?x=1)", INLINE, "magnet:?x=1", None, ("[t](magnet:?x=1)", "magnet:?x=1", "", "t")),
]


AROUND = [("", ""), ("😀 é 漢 ", " 끝."), ("# 제목 ", ""), ("- 항목\r\n- ", "\r\n")]


@pytest.mark.parametrize(("written", "kind", "target", "anchor", "parts"), LINKS, ids=[link[0] for link in LINKS])
def test_a_link_is_read_with_all_its_places(
    written: str, kind: LinkKind, target: str, anchor: str | None, parts: tuple[str, str, str, str]
) -> None:
    # A heading, or an item without indentation, ends at the line's end.
    for before, after in AROUND[:2] if "\n" in written else AROUND:
        text = before + written + after
        (link,) = read(text).links
        assert (link.kind, link.target, link.anchor) == (kind, target, anchor)
        assert places(text, link) == parts
        assert link.start == len(before)
        assert read(text).link_at(link.start) == read(text).link_at(link.end) == link


def test_without_an_anchor_its_place_is_the_targets_end() -> None:
    (link,) = read("x [t](a.md)").links
    assert link.anchor_span == Span(link.target_end, link.target_end)
    (link,) = read("x [[a|b]]").links
    assert link.anchor_span == Span(link.target_end, link.target_end)


@pytest.mark.parametrize(
    "text",
    [
        "[t](my note.md)",
        "[x] and [!NOTE] and [ ]",
        "- [ ] open\n- [x] done\n",
        "> [!NOTE]\n> text",
        "[[]]",
        "[[  ]]",
        "[[foo",
        "[[foo\n\nbar]]",
        "\\[[x]]",
        "[[x][y]]",
        "`[[x]]`",
        "``a ` [[x]]``",
        "```\n[[x]]\n```",
        "~~~\n[[x]]\n~~~",
        "```\n[[x]]\n\n[t](a.md)",
        "~~~md\n[[x]]\n```\n[[y]]",
        "````\n```\n[[x]]\n```\n[[y]]\n````",
        "1. ```\n   [[x]]\n   ```",
        "- a\n\n  ~~~\n  [[x]]\n  ~~~",
        "> ```\n> [[x]]\n> ```",
        "    [[x]]\n",
        "\t[[x]]\n",
        "<!-- [[x]] -->",
        "<!--\n[[x]]\n\n[t](a.md)\n-->",
        "text <!-- [[x]] --> text",
        "<div>[[x]]</div>",
        "<https://x.y> <a@b.c>",
        'if [[ -f x ]]; then [[ $a == b ]] || [[ "$a" ]] fi',
        "tags: [a, b]",
    ],
)
def test_what_only_looks_like_a_link_is_none(text: str) -> None:
    assert read(text).links == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\`[[x]]\\`", ["x"]),
        ("\\\\[[x]] \\![[y]]", ["x", "y"]),
        ("1. ```\n   [[no]]\n   ```\n   [[yes]]", ["yes"]),
        ("````\n```\n[[no]]\n```\n````\n[[yes]]", ["yes"]),
        ("~~~\n[[no]]\n~~~~\n[[yes]]", ["yes"]),
        ("text\n    [[yes]]", ["yes"]),
        ("```a`b\n[[yes]]", ["yes"]),
        ("<!-- [[no]] -->\n\n[[yes]]", ["yes"]),
        ("a <!-- [[no]] --> [[yes]]", ["yes"]),
        ("<b>[[yes]]</b>", ["yes"]),
        ("---\n[[yes]]\n\n---\n[[too]]\n", ["yes", "too"]),
        ("[[[x]]]", ["x"]),
        ("[a](a.md)[b](b.md)", ["a.md", "b.md"]),
        ("[[a]](b.md)", ["a"]),
        ("*[[a]]* **[t](b.md)** ~~[[c]]~~", ["a", "b.md", "c"]),
        ("[^1] text\n\n[^1]: see [[x]]", ["x"]),
        ("| a |\n|---|\n| [[x]] |\n| `[[no]]` |", ["x"]),
        ("> quote [[x]]\n> > deeper [[y]]", ["x", "y"]),
    ],
)
def test_the_links_beside_code_html_and_escapes(text: str, expected: list[str]) -> None:
    assert targets(text) == expected
    assert targets(text.replace("\n", "\r\n")) == expected
    assert targets(text.replace("\n", "\r")) == expected


def test_in_a_table_the_escaped_pipe_is_no_part_of_the_target() -> None:
    text = "| x | y |\n|---|---|\n| [[é\\|b]] | [t](u\\|v.md) |\n| [[c#h\\|d]] | `e` |\n"
    found = [(link.target, link.anchor, places(text, link)) for link in read(text).links]
    assert found == [
        ("é", None, ("[[é\\|b]]", "é", "", "b")),
        ("u|v.md", None, ("[t](u\\|v.md)", "u\\|v.md", "", "t")),
        ("c", "h", ("[[c#h\\|d]]", "c", "h", "d")),
    ]


def test_an_image_in_a_link_is_a_link_of_its_own_and_the_innermost_at_the_cursor() -> None:
    text = "[![i](p.png)](t.md)"
    body = read(text)
    assert [(link.kind, places(text, link)) for link in body.links] == [
        (INLINE, (text, "t.md", "", "![i](p.png)")),
        (IMAGE, ("![i](p.png)", "p.png", "", "i")),
    ]
    inner, outer = body.link_at(text.index("p.png")), body.link_at(text.index("t.md"))
    assert inner is not None
    assert outer is not None
    assert (inner.kind, outer.kind) == (IMAGE, INLINE)
    assert read("a [[b]]").link_at(0) is None


def test_reference_links_and_their_definitions() -> None:
    text = '[é r][R] [r][] [r] ![i][r] [none][x]\n\n[r]: <my file.md#h> "t"\n> [q]: d.md\n- [p\\]:]: p.md\n[Q]'
    assert [(link.kind, link.target, link.anchor, places(text, link)) for link in read(text).links] == [
        (REFERENCE, "my file.md", "h", ("[é r][R]", "R", "", "é r")),
        (REFERENCE, "my file.md", "h", ("[r][]", "r", "", "r")),
        (REFERENCE, "my file.md", "h", ("[r]", "r", "", "r")),
        (REFERENCE, "my file.md", "h", ("![i][r]", "r", "", "i")),
        (DEFINITION, "my file.md", "h", ('[r]: <my file.md#h> "t"', "my file.md", "h", "r")),
        (DEFINITION, "d.md", None, ("[q]: d.md", "d.md", "", "q")),
        (DEFINITION, "p.md", None, ("[p\\]:]: p.md", "p.md", "", "p\\]:")),
        (REFERENCE, "d.md", None, ("[Q]", "Q", "", "Q")),
    ]


@pytest.mark.parametrize("text", ["[a]: b", "\ufeff[a]: b", "x\r\r[a]: b", "- [a]: b", "> 1. [a\nc]: b", "[a\\]]: b"])
def test_a_definition_is_noticed_in_every_place_it_can_stand(text: str) -> None:
    assert may_define(text, 0, len(text))
    assert [link.kind for link in read(text).links] == [DEFINITION]


@pytest.mark.parametrize("text", ["", "a [b]: c", "- [[x]]: d", "[a](b): c", "[f.md](f.md): d"])
def test_what_defines_nothing_is_not_noticed(text: str) -> None:
    assert not may_define(text, 0, len(text))


@pytest.mark.parametrize(
    ("destination", "external"),
    [
        ("https://a.b", True),
        ("mailto:a@b", True),
        ("magnet:?x", True),
        ("file:///x", True),
        ("//host/x", True),
        ("\\\\host\\x", True),
        ("C:\\x.md", True),
        ("a.md", False),
        ("a/b:c.md", False),
        ("./a:b.md", False),
        ("错误:信息.md", False),
        ("#h", False),
        ("/abs.md", False),
        ("", False),
    ],
)
def test_external_destinations(destination: str, external: bool) -> None:
    assert is_external(destination) is external


def test_a_shifted_link_keeps_everything_but_its_place() -> None:
    text = "[t](a.md#h) [[b|c]]"
    for link in read(text).links:
        moved = link.shifted(5)
        assert places("12345" + text, moved) == places(text, link)
        assert moved[:4] == link[:4]


# --- headings -------------------------------------------------------------------------------------------


def test_headings_with_level_text_and_place() -> None:
    text = (
        "# A `c` *b*\nTitle\n===\nSub 漢\n---\n> ## quoted ##\n- # in an item\n#no\n####### seven\n\t# code\n"
        "#\n\n###  Spaced   ###  \n# 漢字 😀 [[x]]\n# [L](l.md)\n#hash tag\n===\n  ## [r] <br>\n"
    )
    expected = [
        (1, "A c b", "# A `c` *b*", "A `c` *b*"),
        (1, "Title", "Title\n===", "Title"),
        (2, "Sub 漢", "Sub 漢\n---", "Sub 漢"),
        (2, "quoted", "## quoted ##", "quoted"),
        (1, "in an item", "# in an item", "in an item"),
        (1, "", "#", ""),
        (3, "Spaced", "###  Spaced   ###  ", "Spaced"),
        (1, "漢字 😀 x", "# 漢字 😀 [[x]]", "漢字 😀 [[x]]"),
        (1, "L", "# [L](l.md)", "[L](l.md)"),
        (1, "#hash tag", "#hash tag\n===", "#hash tag"),
        (2, "[r]", "## [r] <br>", "[r] <br>"),
    ]
    found = [(h.level, h.text, h.span.of(text), h.text_span.of(text)) for h in read(text).headings]
    assert [heading[:2] for heading in found] == [heading[:2] for heading in expected]
    assert found[5:6] + found[:5] + found[6:] == expected[5:6] + expected[:5] + expected[6:]


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_a_headings_place_ends_before_its_line_end(eol: str) -> None:
    text = f"# Één{eol}{eol}text{eol}## Twee{eol}"
    assert [h.span.of(text) for h in read(text).headings] == ["# Één", "## Twee"]
    assert [h.text_span.of(text) for h in read(text).headings] == ["Één", "Twee"]


def test_a_bom_is_no_part_of_the_first_heading() -> None:
    text = "\ufeff# Title\n[[a]]"
    (heading,) = read(text).headings
    assert heading.span == Span(1, 8)
    assert read(text).links[0].span.of(text) == "[[a]]"


def test_comments_and_tags_of_frontmatter_are_no_part_of_the_body() -> None:
    text = "---\n# comment [[no]]\ntags: [a, b]\n---\n# Heading\n[[yes]]\n"
    body = read(text, text.index("# Heading"))
    assert [heading.text for heading in body.headings] == ["Heading"]
    assert [link.span.of(text) for link in body.links] == ["[[yes]]"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Head ing", "head-ing"),
        ("  What's new? (v1.2) ", "whats-new-v12"),
        ("错误 信息", "错误-信息"),
        ("한국어 제목!", "한국어-제목"),
        ("a_b - c", "a_b---c"),
        ("😀 x", "-x"),
        ("Één", "één"),
    ],
)
def test_heading_slugs(text: str, slug: str) -> None:
    assert heading_slug(text) == slug


def test_repeated_headings_get_numbered_anchors() -> None:
    body = read("# A\n## a\n# B\n# A\n")
    assert [(slug, heading.level) for slug, heading in anchors(body.headings)] == [
        ("a", 1),
        ("a-1", 2),
        ("b", 1),
        ("a-2", 1),
    ]


# --- code, comments, blocks -------------------------------------------------------------------------------


def test_code_is_told_with_its_fences() -> None:
    text = "`é` ``a ` b``\n\n```py\nx\n```\n\n    indented\n\ntext\n\n~~~\nnever closed\n"
    assert [span.of(text) for span in read(text).code] == [
        "`é`",
        "``a ` b``",
        "```py\nx\n```",
        "indented\n",
        "~~~\nnever closed\n",
    ]
    body = read(text)
    assert body.in_code(text.index("never"))
    assert body.in_code(0)
    assert not body.in_code(text.index("text"))
    assert not body.in_code(3)


def test_a_return_alone_ends_indented_code_and_html() -> None:
    text = "    code\r[[a]]\r\r<!-- c -->\r[[b]]\r\r- - -\r\t- tab\r- [[d]]\r"
    body = read(text)
    assert [link.target for link in body.links] == ["a", "b", "d"]
    assert [comment.span.of(text) for comment in body.comments] == ["<!-- c -->"]


def test_comments_with_place_text_and_whether_they_stand_alone() -> None:
    text = (
        "<!-- one -->\n\nword <!-- two --> word\n\n<!-- three\n\nstill 漢\n-->\n\n"
        "- item\n\n  <!-- four\n  more -->\n\n> <!-- five\n> more -->\n\n<div>\n<!-- six --> <!-- seven -->\n</div>\n"
        "\n<!-- never closed\n\n[[x]]\n"
    )
    assert [(c.span.of(text), c.text, c.is_block) for c in read(text).comments] == [
        ("<!-- one -->", " one ", True),
        ("<!-- two -->", " two ", False),
        ("<!-- three\n\nstill 漢\n-->", " three\n\nstill 漢\n", True),
        ("<!-- four\n  more -->", " four\n  more ", True),
        ("<!-- five\n> more -->", " five\n> more ", True),
        ("<!-- six -->", " six ", True),
        ("<!-- seven -->", " seven ", True),
        ("<!-- never closed\n\n[[x]]\n", " never closed\n\n[[x]]\n", True),
    ]


@pytest.mark.parametrize(
    "text", ["`<!-- a -->`", "```\n<!-- a -->\n```", "    <!-- a -->", "\\<!-- a --\\>", "a <!- b ->"]
)
def test_what_only_looks_like_a_comment_is_none(text: str) -> None:
    assert read(text).comments == ()


def test_blocks_are_told_when_asked_for() -> None:
    text = "# H\n\npara\ngoes on\n\n- item\n\n  more\n  - inner\n1. one\n\n| a |\n|---|\n| b |\n"
    body = read(text, blocks=True)
    assert [(block.kind, block.span.of(text)) for block in body.blocks] == [
        (BlockKind.HEADING, "# H\n"),
        (BlockKind.PARAGRAPH, "para\ngoes on\n"),
        (BlockKind.ITEM, "- item\n\n  more\n  - inner\n"),
        (BlockKind.ITEM, "- inner\n"),
        (BlockKind.ITEM, "1. one\n\n"),
        (BlockKind.ROW, "| a |\n"),
        (BlockKind.ROW, "| b |\n"),
    ]
    assert read(text).blocks == ()


# --- any text -----------------------------------------------------------------------------------------------

MARKDOWN = [
    *[
        "# H [[a]]\n",
        "Title\n===\n",
        "- [t](a.md) x\n",
        "  - [[b]]\n",
        "1. ",
        "> ",
        "```\n",
        "~~~\n",
        "    ",
        "\t",
        "`",
        "``",
    ],
    *[
        "[r]: t.md\n",
        "[r][]",
        "[x][r]",
        "[[a#b|c]]",
        "[[",
        "]]",
        "[",
        "](",
        ")",
        "](<",
        ">)",
        "![",
        "<!--",
        "-->",
        "<div>\n",
    ],
    *[
        "| a | b |\n|---|---|\n",
        "|",
        "\\",
        "\\|",
        "#",
        "?",
        "%20",
        "&amp;",
        "*",
        "_",
        "---\n",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
    ],
    *[
        "é漢한😀",
        "\u2028",
        "\x0c",
        "\0",
        "\ud800",
        "\ufeff",
        "\u3000",
        "https://x.y ",
        "text ",
        "[^1]",
        "[^1]: f\n",
        "<b",
        '"t"',
    ],
]
BODIES = st.lists(
    st.sampled_from(MARKDOWN) | st.text(st.characters(exclude_categories=()), max_size=3), max_size=14
).map("".join)


def spans_of(body: Body) -> list[Span]:
    spans = [*body.code]
    for link in body.links:
        spans += [link.span, link.target_span, link.anchor_span, link.label_span]
    for heading in body.headings:
        spans += [heading.span, heading.text_span]
    spans += [comment.span for comment in body.comments]
    return spans + [block.span for block in body.blocks]


@given(BODIES, st.integers(0, 5))
@example("[[\\|]]", 0)
@example("[]: x\n[a]:", 0)
@example("![[#]]", 0)
def test_no_text_raises_and_every_span_lies_inside(text: str, start: int) -> None:
    start = min(start, len(text))
    body = read(text, start, blocks=True)
    for span in spans_of(body):
        assert start <= span.start <= span.end <= len(text)
    for link in body.links:
        assert link.start <= link.target_start <= link.target_end <= link.end
        assert link.target_end <= link.anchor_start <= link.anchor_end <= link.end or link.kind is REFERENCE
        assert link.start <= link.label_start <= link.label_end <= link.end
    for parts in (body.links, body.headings, body.comments, body.code):
        starts = [part.start if isinstance(part, Link | Span) else part.span.start for part in parts]
        assert starts == sorted(starts)


@given(BODIES)
def test_links_begin_and_end_with_their_signs(text: str) -> None:
    for link in read(text).links:
        whole = link.span.of(text)
        if link.kind is WIKI:
            assert whole.removeprefix("!").startswith("[[")
            assert whole.endswith("]]")
        elif link.kind in (INLINE, IMAGE):
            assert whole.startswith("[" if link.kind is INLINE else "![")
            assert whole.endswith(")")
            assert text[link.label_end : link.label_end + 2] == "]("
        else:
            assert "[" in whole


@given(BODIES, BODIES)
def test_reading_from_an_offset_is_reading_the_rest(before: str, text: str) -> None:
    if text.startswith("\ufeff"):
        return
    whole, rest = read(before + text, len(before), blocks=True), read(text, blocks=True)
    by = len(before)
    assert [link.shifted(by) for link in rest.links] == list(whole.links)
    assert [span.shifted(by) for span in rest.code] == list(whole.code)
    assert [heading.span.shifted(by) for heading in rest.headings] == [heading.span for heading in whole.headings]
    assert [comment.span.shifted(by) for comment in rest.comments] == [comment.span for comment in whole.comments]


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
@given(
    lines=st.lists(st.sampled_from([piece for piece in MARKDOWN if not set(piece) & set("\r\x0c\u2028")]), max_size=12)
)
@example(lines=["`", "# H [[a]]\n", "`", "Title\n===\n"])
def test_line_endings_change_no_meaning(eol: str, lines: list[str]) -> None:
    text = "".join(lines)
    plain, other = read(text), read(text.replace("\n", eol))
    assert [(link.kind, link.target, link.anchor) for link in plain.links] == [
        (link.kind, link.target, link.anchor) for link in other.links
    ]
    assert [(heading.level, heading.text) for heading in plain.headings] == [
        (heading.level, heading.text) for heading in other.headings
    ]
    assert len(plain.code) == len(other.code)


# --- bounds ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("piece", "size"),
    [
        ("a", 500_000),
        ("[", 500_000),
        ("[[", 50_000),
        ("](", 50_000),
        ("![", 50_000),
        ("<", 50_000),
        ("&", 100_000),
        ("`", 100_000),
        ("*é", 15_000),
        ("\r", 100_000),
        ("[[é]] ", 5_000),
        ("- [é](a.md) — d\n", 3_000),
        ("# é [x](y.md)\n", 2_000),
        ("<!-- é -->\n", 5_000),
        ("<!--\n", 100_000),
        ("a <!-- ", 50_000),
        ("> ", 10_000),
        ("- ", 10_000),
        ("[a](", 20_000),
        ("| é ", 20_000),
    ],
)
def test_repeated_pieces_take_bounded_time(piece: str, size: int) -> None:
    assert_grows_linearly(lambda n: read(piece * n + "é", blocks=True), size)


def test_many_definitions_behind_wide_characters_take_bounded_time() -> None:
    assert_grows_linearly(lambda n: read("".join(f"[é{i}]: t.md\n" for i in range(n))), 2_000)


def test_nested_images_take_bounded_time() -> None:
    assert_grows_linearly(lambda n: read("![" * n + "é" + "](x)" * n), 2_000)


def test_a_hundred_thousand_links_are_all_found() -> None:
    assert len(read("[[é]] " * 100_000).links) == 100_000


@pytest.mark.parametrize(
    "text",
    ["[[a#b]]", "[[#b]]", "[[a\n#b]]", "[[a #b|c]]", "![[a#b]]", "[x](a#b)", "[x](#b)", "[x](\n<a b#c>)", "[x](a(b)#c)",
     "[x][y]\n\n[y]:\n a#b", "[[ [[a#b]]", "[x](a](b)#c)"],
)  # fmt: skip
def test_a_link_with_an_anchor_is_never_missed_by_a_glance(text: str) -> None:
    assert any(link.anchor is not None for link in read(text).links)
    assert may_hold_anchors(text)


@pytest.mark.parametrize("text", ["", "# Heading", "[[a]] # b", "[x](a)\n# b", "a#b"])
def test_a_glance_sees_that_there_is_no_anchor(text: str) -> None:
    assert not may_hold_anchors(text)


@given(st.lists(st.sampled_from(["[[", "]]", "[", "]", "(", ")", "#", "a", " ", "\n", "<", ">", ":", "|", "!", "\r"])))
def test_the_glance_never_contradicts_the_parser(pieces: list[str]) -> None:
    text = "".join(pieces)
    if any(link.anchor is not None for link in read(text).links):
        assert may_hold_anchors(text)


@pytest.mark.parametrize("piece", ["[[", "](", "]:", "[x]("])
def test_a_glance_takes_bounded_time(piece: str) -> None:
    assert_grows_linearly(lambda n: may_hold_anchors("# " + piece * n), 100_000)
