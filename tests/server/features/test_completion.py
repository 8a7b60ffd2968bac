"""Completion, as the client gets it; and that what it inserts means what it shows."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_ls.directory.resolve import TargetKind, resolve, resolve_name
from memory_ls.directory.style import Style
from memory_ls.directory.writing import entry_text, link_text
from memory_ls.documents.index import IndexDocument
from memory_ls.server.features.completion.offer import MOST_ITEMS
from tests.making import directory_of, memory, write_files
from tests.server.client import JSON, Client, recording
from tests.server.conftest import Start
from tests.server.positions import lines, place, position

FERRY = memory("ferry", "The boat that leaves at six", body="It leaves at six.\n")
FILES = {
    "ferry.md": FERRY,
    "user_role.md": memory("user_role", "Who she is", "user", body="She leads.\n"),
    "berth-codes.md": memory("berth-codes", "What a code means", "reference", body="Two letters.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "MEMORY.md": "- [ferry](ferry.md) — the boat\n- [user_role](user_role.md)\n- [停航](停航.md)\n",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def complete(client: Client, path: Path, marked: str) -> JSON | None:
    """What is offered at the ``‸`` in a text."""
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = position(text, offset, client.encoding)
    result: JSON | None = client.at("completion", name, where["line"], where["character"])
    return result


def labels(result: JSON | None) -> list[str]:
    return [item["label"] for item in result["items"]] if result else []


def inserted(client: Client, marked: str, item: JSON) -> str:
    """The text after an item was chosen."""
    text = marked.replace("‸", "")
    edit = item["textEdit"]
    line, start = place(text, edit["range"]["start"], client.encoding)
    _, end = place(text, edit["range"]["end"], client.encoding)
    rows = lines(text)
    rows[line] = rows[line][:start] + edit["newText"] + rows[line][end:]
    return "\n".join(rows)


def body(text: str) -> str:
    return memory("writing", body=f"{text}\n")


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
        "[[ferry#fer‸",
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


@pytest.mark.parametrize(
    ("index", "typed", "entry"),
    [
        ("- [ferry](ferry.md) — the boat\n", "- ‸", "- [berth-codes](berth-codes.md) — What a code means"),
        ("* [ferry](ferry.md): the boat\n", "* ber‸", "* [berth-codes](berth-codes.md): What a code means"),
        ("- [ferry.md](./ferry.md) - x\n", "- [ber‸]", "- [berth-codes.md](./berth-codes.md) - What a code means"),
        ("- [[ferry]] – the boat\n", "- ‸", "- [[berth-codes]] – What a code means"),
        ("1. [ferry](ferry.md) — the boat\n", "2. ‸", "2. [berth-codes](berth-codes.md) — What a code means"),
    ],
)
def test_entries_are_written_as_the_index_writes_them(
    emacs: Client, directory: Path, index: str, typed: str, entry: str
) -> None:
    write_files(directory, {"MEMORY.md": index})
    marked = f"{index}{typed}\n"
    result = complete(emacs, directory / "MEMORY.md", marked)
    assert result is not None
    assert "ferry" not in labels(result)
    [item] = [item for item in result["items"] if item["label"] == "berth-codes"]
    assert inserted(emacs, marked, item) == f"{index}{entry}\n"


@pytest.mark.parametrize(
    "typed", ["- ‸ some text", "- [‸](berth-codes.md)", "```\n- ‸\n```", "‸", "berth‸", "<!--\n- ‸\n-->"]
)
def test_no_entry_where_none_can_begin(emacs: Client, directory: Path, typed: str) -> None:
    assert labels(complete(emacs, directory / "MEMORY.md", f"# Index\n\n{typed}\n")) == []


# ---- frontmatter


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("---\n‸\n---\n", ["name", "description", "metadata"]),
        ("---\nname: a\n‸\n---\n", ["description", "metadata"]),
        ("---\nname: a\ndesc‸\n---\n", ["description", "metadata"]),
        ("---\nname: a\ntype: user\n‸\n---\n", ["description"]),
        ("---\nname: a\nmetadata:\n  ‸\n---\n", ["type", "createdAt", "updatedAt"]),
        ("---\nname: a\nmetadata:\n  type: user\n  ‸\n---\n", ["createdAt", "updatedAt"]),
        ("---\nna‸", ["name", "description", "metadata"]),
        ("---\nname: a\n‸", ["description", "metadata"]),
        ("---\nname: a\ntype: ‸\n---\n", ["user", "feedback", "project", "reference"]),
        ("---\nname: a\nmetadata:\n  type: us‸\n---\n", ["user", "feedback", "project", "reference"]),
        ("---\nname: ‸\n---\n", []),
        ("---\nname: a\n‸---\n", []),
        ("---\nname: a\n---\n‸\n", []),
        ("text\n---\n‸\n---\n", []),
    ],
)
def test_keys_that_are_missing(emacs: Client, directory: Path, marked: str, expected: list[str]) -> None:
    assert labels(complete(emacs, directory / "writing.md", marked)) == expected


def test_keys_of_the_flat_dialect(emacs: Client, tmp_path: Path) -> None:
    flat = {f"{name}.md": memory(name, nested=False, body="T.\n") for name in ("one", "two")}
    root = write_files(tmp_path / "memory", {**flat, "MEMORY.md": "x\n"})
    result = complete(emacs, root / "writing.md", "---\nname: a\n‸\n---\n")
    assert labels(result) == ["description", "type"]
    assert result is not None
    assert result["items"][0]["textEdit"]["newText"] == "description: "


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_chosen_type_stands_behind_one_space(emacs: Client, directory: Path, ending: str) -> None:
    marked = "---\nname: a\ntype:‸\n---\n".replace("\n", ending)
    result = complete(emacs, directory / "writing.md", marked)
    assert result is not None
    assert "type: user" in inserted(emacs, marked, result["items"][0])


# ---- what the client declared


def test_descriptions_stand_beside_the_name_where_the_client_can(start: Start, directory: Path) -> None:
    capabilities = copy.deepcopy(recording("vscode")["capabilities"])
    item = capabilities["textDocument"]["completion"]["completionItem"]
    item["labelDetailsSupport"] = True
    item["documentationFormat"] = ["plaintext"]
    client = start()
    client.initialize("vscode", capabilities=capabilities)
    result = complete(client, directory / "writing.md", body("[[fer‸"))
    assert result is not None
    assert result["items"][0]["labelDetails"] == {"description": "The boat that leaves at six"}
    resolved = client.request("completionItem/resolve", result["items"][0])
    assert resolved["documentation"]["kind"] == "plaintext"
    assert "**" not in resolved["documentation"]["value"]


# ---- what is inserted means what is shown

_CHARACTERS = st.sampled_from(list("abA1é漢😀") + list(" -_./#|[](){}<>%&\\`*:\"'~!?\u00a0"))
_NAME = st.text(_CHARACTERS, min_size=1, max_size=8) | st.sampled_from(
    [
        "a",
        "A",
        "user_a",
        "a b",
        "a-b",
        "MEMORY",
        "https://x",
        "C: a",
        "a.md",
        "a/b",
        "./a",
        "`a`",
        "*a*",
        "a|b",
        "a#b",
        "&amp;",
    ]
)
_STEM = st.text(_CHARACTERS.filter(lambda c: c not in "/\0"), min_size=1, max_size=6).filter(
    lambda s: not s.startswith(".")
)
_KEY = st.builds("{}{}.md".format, st.sampled_from(["", "", "team/", "a/"]), _STEM)


@given(st.dictionaries(_KEY, _NAME, min_size=1, max_size=6), st.booleans(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_every_inserted_link_means_its_memory(names: dict[str, str], by_stem: bool, is_wiki: bool) -> None:
    texts = {key: f"---\nname: {name!r}\n---\n" if "'" not in name else "---\n---\n" for key, name in names.items()}
    directory = directory_of({**texts, "MEMORY.md": "# Index\n"})
    style = Style(by_stem=by_stem, is_wiki=is_wiki)
    for key in directory.documents:
        target = link_text(directory, key, style)
        if target is not None:
            found = resolve_name(directory, target)
            assert (found.kind, found.keys) == (TargetKind.MEMORY, (key,))
        entry = entry_text(directory, key, style)
        if entry is not None:
            [parsed] = list(IndexDocument.parse(f"- {entry}\n").entries())
            found = resolve(directory, "MEMORY.md", parsed.link)
            assert (found.kind, found.keys) == (TargetKind.MEMORY, (key,))


@given(st.dictionaries(_KEY, st.sampled_from(["ferry", "Ferry", "a-b", "role"]), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_plain_name_can_always_be_linked(names: dict[str, str]) -> None:
    """With stems of letters, there is a form for each memory, however many are called the same."""
    plain = {f"{'team/' * ('/' in key)}s{number}.md": name for number, (key, name) in enumerate(names.items())}
    directory = directory_of({key: memory(name) for key, name in plain.items()})
    assert all(link_text(directory, key, Style()) is not None for key in directory.documents)


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


def test_the_dialect_of_the_settings_wins_over_that_of_the_neighbours(client: Client, directory: Path) -> None:
    write_files(directory, {".memory-ls.toml": 'dialect = "flat"\n'})
    result = complete(client, directory / "writing.md", "---\nname: x\n‸\n---\n")
    assert "type" in labels(result)
    assert "metadata" not in labels(result)
