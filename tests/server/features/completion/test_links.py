"""Completion of links, as the client gets it; and that what it inserts means what it shows."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.resolve import find_heading, resolve
from memory_ls.documents.body import Link, LinkKind
from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.server.capabilities import ClientSupport
from memory_ls.server.features.completion.offer import MOST_ITEMS
from memory_ls.settings import Settings
from tests.making import directory_of, memory, write_files
from tests.server.client import Client, recording
from tests.server.conftest import Start
from tests.server.features.completion.asking import ENCODINGS, FILES, Desk, body, complete, inserted, labels


def test_offers_names_with_what_they_are(client: Client, directory: Path) -> None:
    result = complete(client, directory / "writing.md", body("See [[‸"))
    assert result is not None
    assert labels(result) == ["berth-codes", "ferry", "user_role", "停航"]
    assert not result["isIncomplete"]
    ferry = result["items"][1]
    assert ferry["detail"] == "project"
    assert ferry["kind"] == 18
    assert ferry["textEdit"]["newText"] == "ferry]]"


def test_resolving_gives_the_text(client: Client, directory: Path) -> None:
    result = complete(client, directory / "writing.md", body("See [[fer‸"))
    assert result is not None
    assert "documentation" not in result["items"][0]
    resolved = client.request("completionItem/resolve", result["items"][0])
    assert "It leaves at six." in resolved["documentation"]["value"]
    assert resolved["textEdit"] == result["items"][0]["textEdit"]
    # Whatever comes back, an item is answered.
    for data in (None, 7, {}, {"uri": 1, "key": 2}, {"uri": "x:", "key": "gone.md"}):
        assert client.request("completionItem/resolve", {"label": "x", "data": data})["label"] == "x"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("See [[fer‸", "See [[ferry]]"),
        ("See [[fer‸]]", "See [[ferry]]"),
        ("See [[fer‸]", "See [[ferry]]"),
        ("See [[‸ry]] and", "See [[ferry]] and"),
        ("See [[fer‸|the boat]]", "See [[ferry|the boat]]"),
        ("See [[fer‸#Why]]", "See [[ferry#Why]]"),
        ("| [[fer‸\\|boat]] |", "| [[ferry\\|boat]] |"),
        ("See [[fer‸ and [[role]]", "See [[ferry]] and [[role]]"),
        ("`code` [[fer‸", "`code` [[ferry]]"),
        ("a <!-- c --> [[fer‸", "a <!-- c --> [[ferry]]"),
    ],
)
def test_inserts_one_whole_link(emacs: Client, directory: Path, marked: str, expected: str) -> None:
    result = complete(emacs, directory / "writing.md", body(marked))
    assert result is not None
    [item] = [item for item in result["items"] if item["label"] == "ferry"]
    assert expected in inserted(emacs, body(marked), item)


@pytest.mark.parametrize(
    "marked",
    [
        "`[[fer‸`",
        "```\n[[fer‸\n```",
        "```\n[[fer‸",
        "~~~\n[[fer‸]]\n~~~",
        "    [[fer‸",
        "<!-- [[fer‸ -->",
        "<!-- [[fer‸",
        "<!--\n[[fer‸]]\n-->",
        "<!-- c --> [[fer‸",  # all of the line is HTML
        "[fer‸",
        "[[ferry]]‸",
        "[[ferry|fer‸",
        "[[ferry#zzz‸",
        "[[no-such#‸",
        "list[[fer‸",
        "\\[[fer‸",
        "<div>\n[[fer‸",
        "fer‸",
    ],
)
def test_offers_nothing_where_no_link_can_be(emacs: Client, directory: Path, marked: str) -> None:
    assert labels(complete(emacs, directory / "writing.md", body(marked))) == []


@pytest.mark.parametrize("typed", ["BERTH", "berth_c", "berth c", "erth-co", "codes", "berthcodes", "code means"])
def test_finds_a_name_by_what_may_be_typed_for_it(emacs: Client, directory: Path, typed: str) -> None:
    result = complete(emacs, directory / "writing.md", body(f"[[{typed}‸"))
    assert result is not None
    assert labels(result)[0] == "berth-codes"
    # Editors drop what does not match the typed text, and must ask again once it is longer.
    assert typed in result["items"][0]["filterText"]
    assert result["isIncomplete"]


def test_more_than_a_list_holds_is_asked_for_again(emacs: Client, tmp_path: Path) -> None:
    files = {f"note-{number:03}.md": memory(f"note-{number:03}", body="N.\n") for number in range(MOST_ITEMS + 5)}
    listed = "".join(f"- [note-{number:03}](note-{number:03}.md)\n" for number in range(MOST_ITEMS + 3))
    root = write_files(tmp_path / "memory", {**files, "MEMORY.md": listed})
    result = complete(emacs, root / "writing.md", body("[[‸"))
    assert result is not None
    assert (len(result["items"]), result["isIncomplete"]) == (MOST_ITEMS, True)
    result = complete(emacs, root / "writing.md", body("[[note-05‸"))
    assert result is not None
    assert (len(result["items"]), result["isIncomplete"]) == (5, False)
    # The few that the index lacks are found behind the many that it has.
    result = complete(emacs, root / "MEMORY.md", f"{listed}- ‸\n")
    assert labels(result) == ["note-053", "note-054", "writing"]


def test_of_names_alike_each_gets_a_form_that_means_it(emacs: Client, tmp_path: Path) -> None:
    root = write_files(
        tmp_path / "memory",
        {
            "a.md": memory("same", body="A.\n"),
            "b.md": memory("same", body="B.\n"),
            "same.md": memory("other", body="C.\n"),
            "team/a.md": memory("team/a", body="D.\n"),
            "MEMORY.md": "x\n",
        },
    )
    result = complete(emacs, root / "writing.md", body("[[‸"))
    assert sorted(labels(result)) == ["./a", "b", "other", "team/a"] or sorted(labels(result)) == [
        "a",
        "b",
        "other",
        "team/a",
    ]


def test_in_the_index_names_are_offered_too(client: Client, directory: Path) -> None:
    assert "berth-codes" in labels(complete(client, directory / "MEMORY.md", FILES["MEMORY.md"] + "- [[‸\n"))


# ---- what the client declared


def test_beside_a_name_stands_its_type_alone_and_the_description_is_told_of_the_one_item(
    start: Start, directory: Path
) -> None:
    capabilities = copy.deepcopy(recording("vscode")["capabilities"])
    capabilities["textDocument"]["completion"]["completionItem"]["documentationFormat"] = ["plaintext"]
    client = start()
    client.initialize("vscode", capabilities=capabilities)
    result = complete(client, directory / "writing.md", body("[[fer‸"))
    assert result is not None
    assert result["items"][0]["detail"] == "project"
    assert "labelDetails" not in result["items"][0]
    resolved = client.request("completionItem/resolve", result["items"][0])
    assert resolved["documentation"]["kind"] == "plaintext"
    assert "The boat that leaves at six" in resolved["documentation"]["value"]
    assert "**" not in resolved["documentation"]["value"]


def test_a_text_with_spaces_is_a_snippet_where_the_client_knows_them(client: Client, directory: Path) -> None:
    # Neovim inserts of a plain text what stands before its first space.
    write_files(directory, {"prices.md": memory("Costs $5 {net} \\ each", "In cents", nested=False)})
    result = complete(client, directory / "writing.md", body("See [[Costs‸"))
    assert result is not None
    item = result["items"][0]
    if item.get("insertTextFormat") == 2:
        assert item["textEdit"]["newText"] == "Costs \\$5 {net\\} \\\\ each]]"
    else:
        assert item["textEdit"]["newText"] == "Costs $5 {net} \\ each]]"
    declares = client.capabilities["textDocument"]["completion"]["completionItem"].get("snippetSupport", False)
    assert (item.get("insertTextFormat") == 2) == declares


def test_a_text_without_spaces_is_none(client: Client, directory: Path) -> None:
    result = complete(client, directory / "writing.md", body("See [[ferry‸"))
    assert result is not None
    assert result["items"][0].get("insertTextFormat") in (None, 1)


# ---- headings

LOG = """## Why

Tides.

## How to `apply`

First.

### Why

Second.

## 停航 | 规则

## [x] *y*

## ???
"""
HEADINGS = {
    "log.md": memory("log", body=LOG),
    "the log.md": memory("The Log", body="## One\n"),
    "README.md": "# Read me\n\n## Set up\n",
    "MEMORY.md": "# Index\n\n## Team\n\n- [log](log.md)\n",
}


def at(marked: str, *, support: ClientSupport = ClientSupport(snippets=True)) -> Desk:  # noqa: B008
    return Desk("writing.md", body(marked), HEADINGS, files=["map.png"], support=support)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[[log#‸", ["Why", "How to apply", "why-1", "停航--规则", "x-y"]),
        ("[[log#‸]]", ["Why", "How to apply", "why-1", "停航--规则", "x-y"]),
        ("[[Log#wh‸]]", ["Why", "why-1"]),
        ("[[log#规‸]]", ["停航--规则"]),
        ("[[log#to-ap‸]]", ["How to apply"]),
        ("[[The Log#‸", ["One"]),
        ("[[README#‸", ["Read me", "Set up"]),
        ("[[MEMORY#‸", ["Index", "Team"]),
        ("[[#‸\n\n# Here\n", ["Here"]),
        ("| [[log#ap‸\\|x]] |", ["How to apply"]),
        ("[t](log.md#‸)", ["why", "how-to-apply", "why-1", "停航--规则", "x-y"]),
        ("[t](log#app‸", ["how-to-apply"]),
        ("[t](<the log.md#‸>)", ["one"]),
        ("[t](the%20log.md#‸)", ["one"]),
        ("[t](#‸)\n\n# Here\n", ["here"]),
        ("[r]: log.md#wh‸", ["why", "why-1"]),
        ("[t](map.png#‸)", []),
        ("`[[log#‸`", []),
        ("[t](https://quay.example/log.md#‸)", []),
    ],
)
def test_headings_of_what_is_linked(marked: str, expected: list[str]) -> None:
    assert at(marked).labels == expected


@pytest.mark.parametrize(
    ("marked", "label", "expected"),
    [
        ("[[log#‸", "Why", "[[log#Why]]"),
        ("[[log#wh‸]] and", "Why", "[[log#Why]] and"),
        ("[[log#wh‸y|label]] and", "Why", "[[log#Why|label]] and"),
        ("| [[log#ho‸\\|x]] |", "How to apply", "| [[log#How to apply\\|x]] |"),
        ("[[log#ho‸ and [[log]]", "How to apply", "[[log#How to apply]] and [[log]]"),
        ("[t](log.md#‸)", "why-1", "[t](log.md#why-1)"),
        ("[t](log.md#ho‸w) and", "how-to-apply", "[t](log.md#how-to-apply) and"),
        ('[t](log.md#‸ "title")', "why", '[t](log.md#why "title")'),
        ("[t](<the log.md#‸>) x", "one", "[t](<the log.md#one>) x"),
        ("[t](<the log.md#‸", "one", "[t](<the log.md#one>)"),
        ("[r]: log.md#w‸", "why", "[r]: log.md#why"),
        ("😀 é 漢 [[log#停‸ 尾", "停航--规则", "😀 é 漢 [[log#停航--规则]] 尾"),
    ],
)
def test_a_chosen_heading_makes_a_whole_link(marked: str, label: str, expected: str) -> None:
    for encoding in ENCODINGS:
        for is_able in (False, True):
            support = ClientSupport(encoding=encoding, snippets=is_able, replaces_behind_cursor=is_able)
            assert at(marked, support=support).line_after(label) == expected


def test_headings_are_named_as_the_memory_names_them() -> None:
    assert "how-to-apply" in at("[[log#how-to-apply]]\n\n[[log#‸").labels
    assert "How to apply" in at("[[log#How to apply]] [[log#why]]\n\n[[log#‸").labels


@pytest.mark.parametrize(
    ("marked", "label", "new", "behind"),
    [
        ("[[fer‸]] x", "ferry", "ferry", "]] x"),
        ("[[fer‸] x", "ferry", "ferry]", "] x"),
        ("[[fer‸ x", "ferry", "ferry]]", " x"),
        ("[[ferry#‸]]", "Why", "Why", "]]"),
        ("[t](fer‸)", "ferry.md", "ferry.md", ")"),
        ("[t](<fer‸>)", "ferry.md", "<ferry.md", ">)"),
        ("[t](ferry.md#‸)", "why", "why", ")"),
    ],
)
def test_brackets_that_a_client_leaves_are_not_written_twice(marked: str, label: str, new: str, behind: str) -> None:
    """As Neovim does: it puts the new text before the cursor, wherever the range ends."""
    desk = Desk("writing.md", body(marked), FILES)
    edit = desk.item(label).text_edit
    assert edit is not None
    assert edit.new_text == new
    assert marked.partition("‸")[2] == behind
    covering = Desk("writing.md", body(marked), FILES, support=ClientSupport(replaces_behind_cursor=True))
    assert covering.line_after(label) == desk.line_after(label)


def test_resolving_a_heading_gives_what_stands_below(client: Client, directory: Path) -> None:
    result = complete(client, directory / "writing.md", body("[[ferry#‸]]"))
    assert labels(result) == ["Why"]
    assert result is not None
    resolved = client.request("completionItem/resolve", result["items"][0])
    shown = resolved["documentation"]["value"]
    assert "Tides." in shown
    assert "It leaves at six." not in shown


# ---- paths

PATHS = {
    "ferry.md": memory("ferry", "The boat"),
    "my note.md": memory("A note of mine"),
    "停航.md": memory("停航"),
    "team/rota.md": memory("rota", "Who works"),
    "README.md": "# Read me\n",
    "MEMORY.md": "# Index\n",
}
OTHERS = ("plans/map (1).png", ".hidden.txt", "team/notes.txt")


def paths(key: str, marked: str, *, support: ClientSupport = ClientSupport(snippets=True)) -> Desk:  # noqa: B008
    return Desk(key, body(marked), PATHS, files=OTHERS, support=support)


@pytest.mark.parametrize(
    ("key", "marked", "expected"),
    [
        ("writing.md", "[t](‸", ["ferry.md", "my note.md", "team/rota.md", "停航.md", "MEMORY.md", "README.md",
                                "plans/map (1).png", "team/notes.txt", "plans/", "team/"]),
        ("writing.md", "[t](fer‸)", ["ferry.md"]),
        ("writing.md", "[t](ferry.m‸)", ["ferry.md"]),
        ("writing.md", "![t](map‸)", ["plans/map (1).png"]),
        ("writing.md", "[t](note of‸)", []),
        ("writing.md", "[t](MEM‸)", ["MEMORY.md"]),
        ("writing.md", "[t](team/‸)", ["team/rota.md", "team/notes.txt"]),
        ("writing.md", "[t](./team/r‸)", ["./team/rota.md"]),
        ("writing.md", "[t](.‸)", ["./ferry.md", "./my note.md", "./team/rota.md", "./停航.md", "./MEMORY.md",
                                  "./README.md", "./plans/map (1).png", "./team/notes.txt", "./plans/", "./team/"]),
        ("writing.md", "[t](my%20n‸)", ["my note.md"]),
        ("writing.md", "[t](<my n‸>)", ["my note.md"]),
        ("writing.md", "[t](../‸)", []),
        ("writing.md", "[t](/‸)", []),
        ("team/writing.md", "[t](fer‸)", ["../ferry.md"]),
        ("team/writing.md", "[t](../fe‸)", ["../ferry.md"]),
        ("team/writing.md", "[t](ro‸)", ["rota.md"]),
        ("team/writing.md", "[t](../../‸)", []),
        ("team/rota.md", "[t](rota‸)", []),
        ("writing.md", "[r]: fer‸", ["ferry.md"]),
        ("writing.md", "> [r]: fer‸", ["ferry.md"]),
        ("writing.md", "- [ ](fer‸", ["ferry.md"]),
        ("writing.md", "`[t](fer‸`", []),
        ("writing.md", "```\n[t](fer‸\n```", []),
        ("writing.md", "    [t](fer‸", []),
        ("writing.md", "<!-- [t](fer‸ -->", []),
        ("writing.md", "[t](https://fer‸", []),
        ("writing.md", "[t](ferry.md) fer‸", []),
        ("writing.md", "[t] (fer‸", []),
        ("writing.md", "\\[t](fer‸", []),
        ("writing.md", "[t](fer x‸", []),
    ],
)  # fmt: skip
def test_files_of_the_directory(key: str, marked: str, expected: list[str]) -> None:
    assert paths(key, marked).labels == expected


@pytest.mark.parametrize(
    ("marked", "label", "expected"),
    [
        ("[t](‸", "ferry.md", "[t](ferry.md)"),
        ("[t](‸)", "ferry.md", "[t](ferry.md)"),
        ("[t](fer‸ry.md) and (x)", "ferry.md", "[t](ferry.md) and (x)"),
        ("[t](fer‸ and more", "ferry.md", "[t](ferry.md) and more"),
        ("[t](fer‸#why)", "ferry.md", "[t](ferry.md#why)"),
        ('[t](fer‸ "a title")', "ferry.md", '[t](ferry.md "a title")'),
        ("[t](fer‸#why 'a title')", "ferry.md", "[t](ferry.md#why 'a title')"),
        ("[t](‸)", "my note.md", "[t](my%20note.md)"),
        ("[t](<‸>)", "my note.md", "[t](<my note.md>)"),
        ("[t](<my‸", "my note.md", "[t](<my note.md>)"),
        ("[t](<my n‸#x>)", "my note.md", "[t](<my note.md#x>)"),
        ("![t](‸)", "plans/map (1).png", "![t](plans/map%20%281%29.png)"),
        ("[t](‸)", "team/", "[t](team/)"),
        ("[t](./‸)", "./停航.md", "[t](./停航.md)"),
        ("[r]: fe‸rry.md", "ferry.md", "[r]: ferry.md"),
        ("| [t](fer‸) | x |", "ferry.md", "| [t](ferry.md) | x |"),
        ("😀 é 漢 [漢](停‸) 尾", "停航.md", "😀 é 漢 [漢](停航.md) 尾"),
    ],
)
def test_a_chosen_path_makes_a_whole_link(marked: str, label: str, expected: str) -> None:
    for encoding in ENCODINGS:
        for line_end in ("\n", "\r\n"):
            support = ClientSupport(encoding=encoding, replaces_behind_cursor=line_end == "\n")
            desk = Desk("writing.md", body(marked).replace("\n", line_end), PATHS, files=OTHERS, support=support)
            assert desk.line_after(label) == expected


def test_paths_are_written_as_the_memory_writes_them() -> None:
    assert "[t](./ferry.md)" in paths("writing.md", "[x](./停航.md)\n\n[t](fer‸)").after("./ferry.md")
    assert "[t](<my note.md>)" in paths("writing.md", "[x](<my note.md>)\n\n[t](my‸)").after("my note.md")
    assert "[t](my%20note.md)" in paths("writing.md", "[x](my%20note.md)\n\n[t](my‸)").after("my note.md")


def test_paths_are_written_as_the_index_writes_them_where_the_memory_has_none() -> None:
    texts = {**PATHS, "MEMORY.md": "- [ferry](./ferry.md)\n"}
    assert Desk("writing.md", body("[t](fer‸)"), texts).labels == ["./ferry.md"]


def test_paths_are_left_to_an_editor_that_completes_them_itself() -> None:
    support = ClientSupport(has_markdown_features=True)
    for marked in ("[t](fer‸)", "[t](ferry.md#‸)", "[r]: fer‸"):
        text = body(marked)
        assert not Desk("writing.md", text, FILES, support=support).items
        assert Desk("writing.md", text, FILES, support=support, settings=replace(Settings(), markdown_links="on")).items
        assert not Desk("writing.md", text, FILES, settings=replace(Settings(), markdown_links="off")).items
    assert Desk("writing.md", body("[[fer‸"), FILES, support=support).items


def test_in_a_text_that_is_no_file_its_own_headings_are_there_and_no_paths(emacs: Client) -> None:
    name = emacs.open("untitled:Untitled-1", "# Tides\n\n[[#\n[t](\n")
    assert labels(emacs.at("completion", name, 2, 3)) == ["Tides"]
    assert emacs.at("completion", name, 3, 4) is None


# ---- whatever is offered means what it says

_CHARACTERS = st.sampled_from(list("abA1é漢😀") + list(" -_.#|[](){}<>%&\\`*:\"'~!?\u00a0"))
_STEM = st.text(_CHARACTERS, min_size=1, max_size=6).filter(lambda stem: not stem.startswith("."))
_FILE = st.builds("{}{}{}".format, st.sampled_from(["", "", "team/", "a b/"]), _STEM, st.sampled_from([".md", ".txt"]))
_WORDS = st.text(_CHARACTERS, min_size=1, max_size=8)
_TYPED = st.text(st.sampled_from(list("aA1é漢 -_./<#")), max_size=3)
_REST = st.sampled_from(["", " and", ")", "]]", ") x", "]] x", "|label]]", "#Why)", ' "t")', ">)", "b.md)", "\\|x]] |"])
_OPENED = st.sampled_from(
    ["[[", "[[#", "[[a#", "[t](", "[t](<", "[t](#", "[t](a.md#", "![t](", "[r]: ", "| [[", "`", "\\[["]
)


@given(
    st.dictionaries(_FILE, _WORDS, min_size=1, max_size=5),
    st.lists(_WORDS, max_size=3),
    st.tuples(_OPENED, _TYPED, _REST),
    st.sampled_from(ENCODINGS),
    st.booleans(),
    st.sampled_from(["", "team/"]),
)
@settings(max_examples=400, deadline=None)
def test_every_chosen_link_leads_where_it_says(
    files: dict[str, str],
    headings: list[str],
    typed: tuple[str, str, str],
    encoding: object,
    is_able: bool,
    folder: str,
) -> None:
    below = "".join(f"\n\n## {heading}" for heading in headings)
    texts = {key: f"---\nname: {name!r}\n---\nText.{below}\n" for key, name in files.items() if key.endswith(".md")}
    texts = {"a.md": memory("a", body=f"A.{below}\n"), "MEMORY.md": "# Index\n", **texts}
    support = ClientSupport(encoding=encoding, snippets=is_able, replaces_behind_cursor=is_able)  # type: ignore[arg-type]
    key = f"{folder}writing-here.md"
    marked = body(f"漢 😀\n\n{typed[0]}{typed[1]}‸{typed[2]}{below}")
    desk = Desk(key, marked, texts, files=files, support=support)
    for item in desk.items:
        text = desk.after(item)
        directory = directory_of({**desk.texts, key: text}, files=files)
        document = directory.documents[key]
        assert item.data is not None
        link = _link_on_line(document, item.text_edit.range.start.line)  # type: ignore[union-attr]
        target = resolve(directory, key, link)
        assert target.keys == (item.data["key"],)
        if "anchor" in item.data:
            there = document if item.data["key"] == key else directory.document(item.data["key"])
            assert there is not None
            assert link.anchor is not None
            assert item.detail is not None
            heading = find_heading(there.headings, link.anchor)
            assert heading is not None
            assert item.detail.endswith(heading.text)


def _link_on_line(document: MemoryDocument | IndexDocument, line: int) -> Link:
    assert isinstance(document, MemoryDocument)
    links = [link for link in document.body.links if document.source.line_of(link.start) == line]
    return next(link for link in links if link.kind is not LinkKind.REFERENCE)


@given(
    st.sampled_from(["", "# T\n\n", "```\n", "<!--", "> ", "- ", "| a |\n|---|\n| ", "<div>\n"]), _OPENED, _TYPED, _REST
)
@settings(max_examples=200, deadline=None)
def test_where_no_link_can_be_none_is_offered(before: str, opened: str, typed: str, rest: str) -> None:
    desk = Desk("writing.md", body(f"{before}{opened}{typed}‸{rest}"), FILES)
    for item in desk.items:
        directory = directory_of({**desk.texts, "writing.md": desk.after(item)})
        links = directory.documents["writing.md"].body.links
        assert any(item.data["key"] in resolve(directory, "writing.md", link).keys for link in links)  # type: ignore[index]
