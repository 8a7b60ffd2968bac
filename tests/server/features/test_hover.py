"""Hover: what stands at the other end of a link."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.making import memory, write_files
from tests.server.client import Client, recording
from tests.server.conftest import Start
from tests.server.positions import covered, position

DAY = date.today() - timedelta(days=3)
FERRY = memory("ferry", "The boat", extra=f"updated: {DAY}\n", body="It **leaves** at six.\n\n## Why\n\nTides.\n")
INDEX = (
    "# Index\n\n- [ferry](ferry.md) — the boat\n- `rota.md` — the rota\n- [[停航]]\n"
    "| [map](<quay map.md>) | [[ferry\\|x]] |\n- [gone](gone.md)\n\nprose with `ferry.md` in it\n"
)
FILES = {
    "ferry.md": FERRY,
    "rota.md": memory("rota", "Who works", body="Anna.\n"),
    "停航.md": memory("停航", "船长决定", body="停。\n"),
    "quay map.md": memory("quay-map", "Where the ramps are", body="North.\n"),
    "feedback_rota.md": memory("same-name", "One", "feedback", body="One.\n"),
    "project_rota.md": memory("same-name", "Two", body="Two.\n"),
    "MEMORY.md": INDEX,
    "notes/plan.txt": "x",
}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_files(tmp_path / "memory", FILES)


def hover(client: Client, path: Path, marked: str) -> str | None:
    """What is shown at the ``‸`` in a text."""
    offset = marked.index("‸")
    text = marked.replace("‸", "")
    name = client.open(path, text)
    client.wait(lambda: client.published(path), "the directory")
    where = position(text, offset, client.encoding)
    answer = client.at("hover", name, where["line"], where["character"])
    shown: str | None = answer and answer["contents"]["value"]
    return shown


def body(text: str) -> str:
    return memory("writing", body=f"{text}\n")


def test_shows_the_memory(client: Client, directory: Path) -> None:
    shown = hover(client, directory / "writing.md", body("See [[fer‸ry]]."))
    assert shown is not None
    is_plain = client.name == "eglot"  # the one that takes plain text alone
    strong, tick = ("", "") if is_plain else ("**", "`")
    assert shown.startswith(f"{strong}ferry{strong}\n")
    where = f"{tick}ferry.md{tick} in {tick}{directory.parent.name}/memory{tick}"
    assert f"project · updated 3 days ago ({DAY}) · {where}" in shown
    assert "The boat" in shown
    assert f"It {strong}leaves{strong} at six." in shown


@pytest.mark.parametrize(
    ("link", "file"),
    [
        ("[[ferry‸]]", "ferry.md"),
        ("[[‸Ferry|the boat]]", "ferry.md"),
        ("[[ferry#Why‸]]", "ferry.md"),
        ("![[ferry‸]]", "ferry.md"),
        ("[the ‸boat](ferry.md)", "ferry.md"),
        ("[b](./fer‸ry.md#why)", "ferry.md"),
        ("[b](<quay‸ map.md>)", "quay map.md"),
        ("[b](quay%20m‸ap.md)", "quay map.md"),
        ("[b](%E5%81%9C‸%E8%88%AA.md)", "停航.md"),
        ("[b][on‸e]\n\n[one]: ferry.md", "ferry.md"),
        ("[b][one]\n\n[one]: fer‸ry.md", "ferry.md"),
        ("| a |\n|---|\n| [[ferry\\|‸x]] |", "ferry.md"),
        ("[[quay_‸map]]", "quay map.md"),
    ],
)
def test_on_every_kind_of_link(emacs: Client, directory: Path, link: str, file: str) -> None:
    shown = hover(emacs, directory / "writing.md", body(link))
    assert shown is not None
    assert f"`{file}`" in shown


@pytest.mark.parametrize(
    ("cursor", "file"),
    [
        ("- [fer‸ry](ferry.md)", "ferry.md"),
        ("(ferry‸.md)", "ferry.md"),
        ("`ro‸ta.md`", "rota.md"),
        ("[[停‸航]]", "停航.md"),
        ("<quay m‸ap.md>", "quay map.md"),
        ("[[ferry\\|‸x]]", "ferry.md"),
    ],
)
def test_in_the_index(emacs: Client, directory: Path, cursor: str, file: str) -> None:
    marked = INDEX.replace(cursor.replace("‸", ""), cursor, 1)
    shown = hover(emacs, directory / "MEMORY.md", marked)
    assert shown is not None
    assert f"`{file}`" in shown


@pytest.mark.parametrize("cursor", ["(gone‸.md)", "prose with `ferry‸.md`", "— the ‸boat"])
def test_nothing_in_the_index_where_there_is_nothing(emacs: Client, directory: Path, cursor: str) -> None:
    assert hover(emacs, directory / "MEMORY.md", INDEX.replace(cursor.replace("‸", ""), cursor, 1)) is None


def test_on_an_ambiguous_link_the_choices(emacs: Client, directory: Path) -> None:
    shown = hover(emacs, directory / "writing.md", body("[[same‸-name]]"))
    assert shown is not None
    assert shown.splitlines()[2:] == ["- `feedback_rota.md` — One", "- `project_rota.md` — Two"]


@pytest.mark.parametrize(
    "text",
    ["[[no‸where]]", "[x](no‸where.md)", "[x](https‸://quay.example)", "[x](notes/pl‸an.txt)", "`[[fer‸ry]]`", "pla‸in",
     "<!-- [[fer‸ry]] -->", "```\n[[fer‸ry]]\n```"],
)  # fmt: skip
def test_nothing_on_what_leads_to_no_memory(emacs: Client, directory: Path, text: str) -> None:
    assert hover(emacs, directory / "writing.md", body(text)) is None


def test_on_a_link_to_the_index_what_is_used_of_the_limit(emacs: Client, directory: Path) -> None:
    shown = hover(emacs, directory / "writing.md", body("[[MEM‸ORY]]"))
    assert shown is not None
    assert "7 memories" in shown
    assert "9 of 200 lines" in shown
    assert "about 42 tokens" in shown


def test_on_the_title_of_the_index_what_is_used_of_the_limit(client: Client, directory: Path) -> None:
    shown = hover(client, directory / "MEMORY.md", INDEX.replace("Index", "In‸dex"))
    assert shown is not None
    assert "6 memories" in shown
    assert "of 25,000 bytes" in shown


def test_beyond_the_limit_of_the_index(emacs: Client, directory: Path) -> None:
    write_files(directory, {".memory-ls.toml": "indexMaxLines = 4\n"})
    shown = hover(emacs, directory / "MEMORY.md", INDEX.replace("[gone]", "‸[gone]"))
    assert shown == "Agents do not load this line: it lies beyond the limit of the index."
    shown = hover(emacs, directory / "MEMORY.md", INDEX.replace("[[停", "[[‸停"))
    assert shown is not None
    assert shown.startswith("Agents do not load this line")
    assert "船长决定" in shown
    shown = hover(emacs, directory / "MEMORY.md", INDEX.replace("[ferry](", "[fe‸rry]("))
    assert shown is not None
    assert not shown.startswith("Agents do not load this line")
    shown = hover(emacs, directory / "MEMORY.md", INDEX.replace("# I", "# ‸I"))
    assert shown is not None
    assert "Agents do not load what stands from line 5 on." in shown
    shown = hover(emacs, directory / "writing.md", body("[[停‸航]]"))
    assert shown is not None
    assert "line 5, which agents do not load" in shown


# ---- who links


def test_tells_who_links_here(client: Client, directory: Path) -> None:
    sources = {f"n{number}.md": memory(f"n{number}", body="On [[ferry]].\n") for number in range(5)}
    write_files(directory, {**sources, "team/x.md": memory("x", body="[f](../ferry.md)\n")})
    shown = hover(client, directory / "writing.md", body("[[fer‸ry#nothing]]"))
    assert shown is not None
    tick = "" if client.name == "eglot" else "`"
    linked = f"Linked from: {tick}n0{tick}, {tick}n1{tick}, {tick}n2{tick} and 4 more"
    assert f"{linked} · listed in {tick}MEMORY.md{tick}, line 3" in shown
    shown = hover(client, directory / "ferry.md", FERRY.replace("name: fer", "name: fe‸r"))
    assert shown == linked
    shown = hover(client, directory / "n1.md", sources["n1.md"].replace("name: n", "name: ‸n"))
    assert shown == "No memory links here."


def test_of_many_that_link_the_count(emacs: Client, directory: Path) -> None:
    write_files(directory, {f"n{number}.md": memory(f"n{number}", body="[[rota]]\n") for number in range(30)})
    shown = hover(emacs, directory / "writing.md", body("[[ro‸ta]]"))
    assert shown is not None
    assert "Linked from 31 memories" in shown


# ---- headings and other files


@pytest.mark.parametrize("link", ["[[ferry#W‸hy]]", "[b](ferry.md#wh‸y)", "[b](fer‸ry.md#why)"])
def test_on_a_link_to_a_heading_what_stands_below_it(client: Client, directory: Path, link: str) -> None:
    shown = hover(client, directory / "writing.md", body(link))
    assert shown is not None
    assert "Tides." in shown
    assert "at six" not in shown


@pytest.mark.parametrize("link", ["[[#He‸re]]", "[x](#h‸ere)"])
def test_on_a_link_to_a_heading_of_the_same_file(client: Client, directory: Path, link: str) -> None:
    shown = hover(client, directory / "writing.md", body(f"{link}\n\n## Here\n\nThis.\n\n## There\n\nThat."))
    assert shown is not None
    assert "This." in shown
    assert "That." not in shown
    name = client.open("untitled:Untitled-2", "[[#Tides]]\n\n# Tides\n\nAt six.\n")
    assert "At six." in client.at("hover", name, 0, 4)["contents"]["value"]


def test_on_a_link_to_a_heading_that_is_not_there_the_one_that_may_be_meant(emacs: Client, directory: Path) -> None:
    shown = hover(emacs, directory / "writing.md", body("[[ferry#Wy‸]]"))
    assert shown is not None
    assert "There is no heading `Wy` in it. Did you mean `Why`?" in shown


def test_on_a_dead_link_the_memory_that_may_be_meant(emacs: Client, directory: Path) -> None:
    for link in ("[[fery‸]]", "[f](fery‸.md)"):
        assert hover(emacs, directory / "writing.md", body(link)) == "**Did you mean**\n\n`ferry.md` — The boat"


def test_on_a_file_that_is_no_memory_its_first_lines(emacs: Client, directory: Path) -> None:
    write_files(directory, {"README.md": "# Read me\n\nHow these came about.\n"})
    shown = hover(emacs, directory / "writing.md", body("[r](READ‸ME.md)"))
    assert shown is not None
    assert shown.startswith("**Read me**\n\n`README.md`, which is no memory")
    assert "How these came about." in shown


# ---- frontmatter


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("type: feed‸back", "**feedback**"),
        ("type: ‸banana", None),
        (f"updated: {DAY.isoformat()[:5]}‸{DAY.isoformat()[5:]}", "3 days ago"),
        ("created: so‸on", None),
        ("description: wo‸rds", None),
        ("sta‸tus: stale", "**status**"),
        ("colour: re‸d", None),
        ("colo‸ur: red", None),
    ],
)
def test_on_a_value_what_it_means(emacs: Client, directory: Path, line: str, shown: str | None) -> None:
    found = hover(emacs, directory / "writing.md", f"---\nname: writing\n{line}\n---\n\nText.\n")
    assert (found.partition("\n")[0] if found else None) == shown


def test_what_is_shown_covers_what_it_is_about(client: Client, directory: Path) -> None:
    text = body("😀 é 漢 [[ferry]] 尾")
    name = client.open(directory / "writing.md", text)
    client.wait(lambda: client.published(directory / "writing.md"), "the directory")
    where = position(text, text.index("ferry"), client.encoding)
    answer = client.at("hover", name, where["line"], where["character"])
    assert covered(text, answer["range"], client.encoding) == "[[ferry]]"


@pytest.mark.parametrize("key", ["name", "description", "metadata", "type"])
def test_on_a_key_what_it_means(emacs: Client, directory: Path, key: str) -> None:
    shown = hover(emacs, directory / "writing.md", body("x").replace(f"{key}:", f"{key[:2]}‸{key[2:]}:", 1))
    assert shown is not None
    assert shown.startswith(f"**{key}**")


def test_a_long_body_is_cut(emacs: Client, directory: Path) -> None:
    write_files(directory, {"long.md": memory("long", body="word " * 2_000)})
    shown = hover(emacs, directory / "writing.md", body("[[lo‸ng]]"))
    assert shown is not None
    assert len(shown) < 3_500
    assert "9,999 characters" in shown


def test_plain_text_for_a_client_without_markdown(start: Start, directory: Path) -> None:
    capabilities = {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}}
    client = start()
    client.initialize("emacs", capabilities=capabilities, info=recording("emacs")["clientInfo"])
    shown = hover(client, directory / "writing.md", body("[[ro‸ta]]"))
    assert shown is not None
    assert shown.startswith("rota\n")
    assert "`" not in shown
    shown = hover(client, directory / "writing.md", body("[[fer‸ry]]"))
    assert shown is not None
    assert "It leaves at six.\n\nWhy\n\nTides." in shown
