"""Edits of a memory change what they are for, and not a character else."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_ls.documents.edits import CannotEditError, Edit, applied
from memory_ls.documents.frontmatter import ValueKind
from memory_ls.documents.frontmatter_edits import (
    place_of,
    quote_value,
    remove_key,
    replace_body,
    set_value,
    with_block,
)
from memory_ls.documents.memory import MemoryDocument
from tests.growth import assert_grows_linearly


def in_block(lines: str, body: str = "body\n") -> str:
    return f"---\n{lines}\n---\n{body}"


def after(text: str, edits: tuple[Edit, ...]) -> str:
    return applied(text, edits)


def set_in(text: str, path: str, value: str) -> str:
    return after(text, set_value(MemoryDocument.parse(text), path, value))


# --- a value in place of another ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "path", "value", "new"),
    [
        ("name: a", "name", "b", "name: b"),
        ("name: a  # why", "name", "b", "name: b  # why"),
        ("name: a   ", "name", "b", "name: b   "),
        ('name: "a"', "name", "b c", 'name: "b c"'),
        ("name: 'a'", "name", "don't", "name: 'don''t'"),
        ("name: 'a'", "name", "two\nlines", 'name: "two\\nlines"'),
        ("name: a", "name", "Use when: x", 'name: "Use when: x"'),
        ("name: a", "name", "123", 'name: "123"'),
        ("name: a", "name", "no", 'name: "no"'),
        ("name: a", "name", "x #y", 'name: "x #y"'),
        ("name: a", "name", "漢字😀", "name: 漢字😀"),
        ("name: a", "name", "", 'name: ""'),
        ("name: a\u2028b", "name", "c\u2028d", 'name: "c\\u2028d"'),
        ("name:", "name", "b", "name: b"),
        ("name: ", "name", "b", "name: b"),
        ("name:   ", "name", "b", "name: b  "),
        ("name: # why", "name", "b", "name: b # why"),
        ("name:\ndescription: d", "name", "b", "name: b\ndescription: d"),
        ("name: null", "name", "b", "name: b"),
        ("name: |\n  a\n  b\ndescription: d", "name", "c", "name: c\ndescription: d"),
        ("name: > # why\n  a\n\n  b\ndescription: d", "name", "c", "name: c # why\ndescription: d"),
        ("name: a\n  b\ndescription: d", "name", "c", "name: c\ndescription: d"),
        ('name: "a\n  b" # x\ndescription: d', "name", "c", 'name: "c" # x\ndescription: d'),
        ("name: [a, b] # x", "name", "c", "name: c # x"),
        ("type:\n  - user\nname: a", "type", "user", "type: user\nname: a"),
        ("name: &n a", "name", "b", "name: &n b"),
        ("name: !!str 5", "name", "6", 'name: !!str "6"'),
        ("metadata: \n  type: user\n  x: y", "metadata.type", "project", "metadata: \n  type: project\n  x: y"),
        ("metadata: {type: user, x: y}", "metadata.type", "a, b", 'metadata: {type: "a, b", x: y}'),
        ("metadata:\n  updatedAt: 2026-01-02", "metadata.updatedAt", "2026-02-03", "metadata:\n  updatedAt: 2026-02-03"),
        ("updated: '2026-01-02'", "updated", "2026-02-03", "updated: '2026-02-03'"),
        ("name: a\nname: b", "name", "c", "name: a\nname: c"),
        ("# a\n\nname: a\n# b\n", "name", "c", "# a\n\nname: c\n# b\n"),
        ('"name" : a', "name", "b", '"name" : b'),
        ("base: &b a\nname: *b", "name", "c", "base: &b a\nname: c"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_value_is_replaced_where_it_stands(old: str, path: str, value: str, new: str, eol: str) -> None:
    text, expected = (in_block(lines).replace("\n", eol) for lines in (old, new))
    assert set_in(text, path, value) == expected
    assert set_value(MemoryDocument.parse(expected), path, value) == ()


@pytest.mark.parametrize(
    ("lines", "path", "value", "why"),
    [
        ("name: a: b", "description", "d", "mend it first"),
        ("- a\n- b", "name", "d", "not a list of keys"),
        ("name: [a, # b\n c]", "name", "d", "comments"),
        ("metadata: &m\n  type: user\nx: *m", "metadata.type", "project", "anchor"),
        ("x: &m\n  type: user\nmetadata: *m", "metadata.status", "stale", "anchor"),
        ("name: &n a\nx: *n", "name", "b", "else"),
        ("{name: a}", "description", "b", "braces"),
        ("metadata: text", "metadata.type", "user", "something else"),
        ("metadata:\n  type: user", "metadata", "user", "other keys"),
        ("name: a", "name", "\ud800", "can't be written"),
        ("name: a", "a.b", "c", "no place"),
    ],
)  # fmt: skip
def test_what_might_change_something_else_is_refused(lines: str, path: str, value: str, why: str) -> None:
    with pytest.raises(CannotEditError, match=why):
        set_in(in_block(lines), path, value)


def test_a_file_without_frontmatter_is_not_written_into() -> None:
    with pytest.raises(CannotEditError, match="no frontmatter"):
        set_in("body\n", "name", "a")


# --- a key that is not there -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "path", "value", "new"),
    [
        ("description: d", "name", "a", "name: a\ndescription: d"),
        ("# memory-ls-disable x\ndescription: d", "name", "a", "name: a\n# memory-ls-disable x\ndescription: d"),
        ("name: a\ntype: user", "description", "d", "name: a\ndescription: d\ntype: user"),
        ("type: user", "description", "d", "description: d\ntype: user"),
        ("name: a # x\ndescription: d\nage: 3", "type", "user", "name: a # x\ndescription: d\ntype: user\nage: 3"),
        ("name: a\ntype: user\nage: 3", "status", "stale", "name: a\ntype: user\nstatus: stale\nage: 3"),
        ("name: a\ndescription: >\n  d\n  e\nage: 3", "type", "user", "name: a\ndescription: >\n  d\n  e\ntype: user\nage: 3"),
        ("name: a\nmetadata: \n  node_type: memory\n  x: y", "metadata.type", "user",
         "name: a\nmetadata: \n  node_type: memory\n  type: user\n  x: y"),
        ("metadata:\n    # c\n    x: y", "metadata.type", "user", "metadata:\n    # c\n    type: user\n    x: y"),
        ("metadata:\n  type: user\n  x: y\nage: 3", "metadata.status", "stale",
         "metadata:\n  type: user\n  status: stale\n  x: y\nage: 3"),
        ("metadata: {type: user}", "metadata.status", "stale", "metadata: {type: user, status: stale}"),
        ("metadata: {x: y}", "metadata.type", "user", "metadata: {type: user, x: y}"),
        ("metadata: {}", "metadata.type", "user", "metadata: {type: user}"),
        ("metadata: \nname: a", "metadata.type", "user", "metadata: \n  type: user\nname: a"),
        ("name: a", "metadata.type", "user", "name: a\nmetadata:\n  type: user"),
        ("name: a", "updated", "2026-02-03", "name: a\nupdated: 2026-02-03"),
        ("  name: a", "description", "d", "  name: a\n  description: d"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_missing_key_is_put_behind_its_neighbour(old: str, path: str, value: str, new: str, eol: str) -> None:
    text, expected = (in_block(lines).replace("\n", eol) for lines in (old, new))
    assert set_in(text, path, value) == expected


def test_a_key_goes_into_an_empty_block_and_one_that_is_not_closed() -> None:
    assert set_in("---\n---\nbody\n", "name", "a") == "---\nname: a\n---\nbody\n"
    assert set_in("\ufeff---\r\nname: a\r\n", "description", "d") == "\ufeff---\r\nname: a\r\ndescription: d\r\n"
    assert set_in("---\nname: a", "description", "d") == "---\nname: a\ndescription: d"


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("name: a\nmetadata:\n  type: user", "metadata.status"),
        ("name: a\ntype: user", "status"),
        ("name: a", "status"),
        ("name: a\nstatus: x\nmetadata:\n  type: user", "status"),
    ],
)
def test_where_the_dialect_keeps_a_key(lines: str, place: str) -> None:
    assert place_of(MemoryDocument.parse(in_block(lines)), "status") == place


# --- keys that go ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "path", "new"),
    [
        ("name: a\nstatus: stale # since May\nage: 3", "status", "name: a\nage: 3"),
        ("name: a\nmetadata:\n  type: user\n  status: stale", "metadata.status", "name: a\nmetadata:\n  type: user"),
        ("name: a\nmetadata:\n  status: stale", "metadata.status", "name: a"),
        ("name: a\nmetadata:\n  # keep\n  status: stale", "metadata.status", "name: a\nmetadata:\n  # keep"),
        ("metadata: {type: user, status: stale}", "metadata.status", "metadata: {type: user}"),
        ("metadata: {status: stale, type: user}", "metadata.status", "metadata: {type: user}"),
        ("name: a\nmetadata: {status: stale}", "metadata.status", "name: a"),
        ("description: >\n  d\n\n  e\nname: a", "description", "name: a"),
        ("tags:\n- a\n- b\nname: a", "tags", "name: a"),
        ("name: a", "status", "name: a"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_key_goes_with_its_lines(old: str, path: str, new: str, eol: str) -> None:
    text, expected = (in_block(lines).replace("\n", eol) for lines in (old, new))
    assert after(text, remove_key(MemoryDocument.parse(text), path)) == expected


def test_one_of_two_equal_keys_goes() -> None:
    text = in_block("name: a\ndescription: d\nname: a")
    document = MemoryDocument.parse(text)
    assert document.frontmatter is not None
    first = document.frontmatter.keys[0]
    assert after(text, remove_key(document, "name", first)) == in_block("description: d\nname: a")
    assert after(text, remove_key(document, "name")) == in_block("name: a\ndescription: d")


def test_an_anchor_that_is_used_elsewhere_stays() -> None:
    with pytest.raises(CannotEditError, match="else"):
        remove_key(MemoryDocument.parse(in_block("a: &x 1\nb: *x")), "a")


# --- quotes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("Use when: the user asks", '"Use when: the user asks"', "Use when: the user asks"),
        ('Use when: "x" is', "'Use when: \"x\" is'", 'Use when: "x" is'),
        ("It's \"x\": y", '"It\'s \\"x\\": y"', "It's \"x\": y"),
        ('"Foo" bar', "'\"Foo\" bar'", '"Foo" bar'),
        ('"Foo" and "bar"', "'\"Foo\" and \"bar\"'", '"Foo" and "bar"'),
        ('"say "hi" now"', "'say \"hi\" now'", 'say "hi" now'),
        ("'it's here'", '"it\'s here"', "it's here"),
        ('"Foo: bar', '"Foo: bar"', "Foo: bar"),
        ("'tis: so", '"\'tis: so"', "'tis: so"),
        ('"C:\\dir"', "'C:\\dir'", "C:\\dir"),
        ("@home", '"@home"', "@home"),
        ("`x` first", '"`x` first"', "`x` first"),
        ("%x", '"%x"', "%x"),
        ("*star", '"*star"', "*star"),
        ("!important this", '"!important this"', "!important this"),
        ("! this", '"! this"', "! this"),
        ("[WIP] x", '"[WIP] x"', "[WIP] x"),
        ("[WIP]", '"[WIP]"', "[WIP]"),
        ("{x} y", '"{x} y"', "{x} y"),
        ("- x", '"- x"', "- x"),
        ("| x", '"| x"', "| x"),
        ("> x", '"> x"', "> x"),
        ("Fix #12 now", '"Fix #12 now"', "Fix #12 now"),
        ("#12 now", '"#12 now"', "#12 now"),
        ("Use: this # note", '"Use: this" # note', "Use: this"),
        ("123", '"123"', "123"),
        ("yes # x", '"yes" # x', "yes"),
        ("2026-02-03", '"2026-02-03"', "2026-02-03"),
        ("~", '"~"', "~"),
        ("Use: a\n  and b", '"Use: a and b"', "Use: a and b"),
        ("요약: 메모", '"요약: 메모"', "요약: 메모"),
        ('"fine"', '"fine"', "fine"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_value_in_quotes_reads_as_it_was_meant(old: str, new: str, value: str, eol: str) -> None:
    text, expected = (in_block(f"name: n\ndescription: {raw}\ntype: user").replace("\n", eol) for raw in (old, new))
    document = MemoryDocument.parse(text)
    assert document.description_key is not None
    found = after(text, quote_value(document, document.description_key))
    assert found == expected
    key = MemoryDocument.parse(found).description_key
    assert key is not None
    assert (key.kind, key.value) == (ValueKind.TEXT, value)


def test_each_of_two_faulty_values_is_mended_by_itself() -> None:
    text = in_block("name: @a\nmetadata:\n  note: b: c\n  type: user")
    document = MemoryDocument.parse(text)
    name, note = document.key_at("name"), document.key_at("metadata.note")
    assert name is not None
    assert note is not None
    both = (*quote_value(document, name), *quote_value(document, note))
    assert after(text, both) == in_block('name: "@a"\nmetadata:\n  note: "b: c"\n  type: user')


@pytest.mark.parametrize("filling", [" ", " #", "\t#x", "'", '\\"', "&a "])
def test_the_time_to_quote_a_value_grows_with_its_length(filling: str) -> None:
    def quote(length: int) -> None:
        document = MemoryDocument.parse(in_block(f"name: a: b{filling * length}x\ntype: user"))
        assert document.name_key is not None
        quote_value(document, document.name_key)

    assert_grows_linearly(quote, 4_000)


@pytest.mark.parametrize("lines", ["metadata: {type: user, note: @x}", "tags: [a, b", "name: a\nrelated: {a: @b}"])
def test_what_is_meant_for_a_list_or_a_mapping_is_not_made_a_text(lines: str) -> None:
    document = MemoryDocument.parse(in_block(lines))
    assert document.frontmatter is not None
    (problem,) = document.frontmatter.invalid
    key = document.key_at(problem.key or "")
    assert key is not None
    with pytest.raises(CannotEditError, match="other things than a text"):
        quote_value(document, key)


def test_a_list_of_lines_is_not_put_in_quotes() -> None:
    document = MemoryDocument.parse(in_block("name:\n  - a\n  - b"))
    assert document.name_key is not None
    with pytest.raises(CannotEditError, match="several lines"):
        quote_value(document, document.name_key)


# --- the body, and a block on top --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "content", "new"),
    [
        ("---\nname: a\n---\n\nold\n", "new\n", "---\nname: a\n---\n\nnew\n"),
        ("---\nname: a\n---\nold", "\n\nnew\n\n", "---\nname: a\n---\nnew"),
        ("---\nname: a\n---\n \n\nold\n\n\n", "new", "---\nname: a\n---\n \n\nnew\n\n\n"),
        ("---\r\nname: a\r\n---\r\n\r\nold\r\n", "a\nb\r\nc", "---\r\nname: a\r\n---\r\n\r\na\r\nb\r\nc\r\n"),
        ("---\nname: a\n---\n    code\n", "  indented\n", "---\nname: a\n---\n  indented\n"),
        ("---\nname: a\n---\n", "new", "---\nname: a\n---\n\nnew\n"),
        ("---\nname: a\n---", "new", "---\nname: a\n---\n\nnew\n"),
        ("---\nname: a\n---\n\nold\n", "", "---\nname: a\n---\n\n\n"),
        ("---\r\nname: a\r\n---\r\nold\nolder\n", "a\r\nb", "---\r\nname: a\r\n---\r\na\nb\n"),
        ("\ufeffold\n", "new", "\ufeffnew\n"),
        ("", "new", "new\n"),
    ],
)
def test_the_body_is_replaced_and_what_is_around_it_stays(old: str, content: str, new: str) -> None:
    assert after(old, replace_body(MemoryDocument.parse(old), content)) == new
    assert replace_body(MemoryDocument.parse(new), content) == ()


@pytest.mark.parametrize(
    ("text", "content"),
    [("old\n", "---\nname: a\n---\n"), ("---\nname: a\n\nold\n", "new: x\n---\n")],
)
def test_a_body_that_would_be_read_as_frontmatter_is_refused(text: str, content: str) -> None:
    with pytest.raises(CannotEditError):
        replace_body(MemoryDocument.parse(text), content)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("body\n", "---\nname: a\n---\n\nbody\n"),
        ("\r\nbody\r\n", "---\r\nname: a\r\n---\r\n\r\nbody\r\n"),
        ("\ufeffbody", "\ufeff---\nname: a\n---\n\nbody"),
        ("", "---\nname: a\n---\n"),
        ("---\nA rule.\n\n---\n", "---\nname: a\n---\n\n---\nA rule.\n\n---\n"),
    ],
)
def test_a_block_is_put_on_top(old: str, new: str) -> None:
    assert after(old, with_block(MemoryDocument.parse(old), "---\nname: a\n---\n")) == new


def test_a_second_block_is_refused() -> None:
    with pytest.raises(CannotEditError, match="already"):
        with_block(MemoryDocument.parse(in_block("name: a")), "---\nname: a\n---\n")


# --- any frontmatter ---------------------------------------------------------------------------------

LINES = [
    *["name: a", "name: 'it''s'", 'name: "q\\"" # why', "name:", "name: ", "name: 5", "name: *x", "name: &x n", "名前: 漢😀"],
    *["description: Use when: x", "description: >\n  a\n\n  b\n", "description: |-\n  a: b\n  # none"],
    *["description: a\n  b", "description: |+\n  a\n\n"],
    *["description: Fix #12 in x # y", 'description: "Foo" bar', "description: [WIP] x", "description: [a, # c\n  b]"],
    *["type: user", "type:\n  - user", "type: [user]", "status: stale", "status: stale   ", "updated: 2026-01-02"],
    *["metadata: \n  type: user\n  node_type: memory", "metadata:\n    # c\n    type: 'user'", "metadata: {type: user, x: [a]}"],
    *["metadata: {}", "metadata:", "metadata: # c", "metadata: &m\n  type: user", "metadata: text", "metadata:\n  status: stale"],
    *["metadata:\n  deep:\n    type: x\n  type: user", "x: *m", "y: *x", "# comment", "", "  # indented", "tags: [a, b]"],
    *["tags:\n- a # one\n- b", "z: !!str 5", "? k\n: v", '"quoted key": v', "name : spaced", "a: b\u2028c", "...", "@x: y"],
]  # fmt: skip
BLOCKS = st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
VALUES = st.one_of(
    st.sampled_from(
        ["stale", "project", "a b", "Use when: x", '"Foo" bar', "x #y", "", "123", "no", "漢字 😀", "- a", "a, b}"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)
PATHS = st.sampled_from(["name", "description", "type", "status", "metadata.type", "metadata.status", "other"])
BODIES = st.sampled_from(["", "body\n", "\n# body\n\n", "\nfirst\n---\nsecond", "- a: b\n"])
EOLS = st.sampled_from(["\n", "\r\n", "\r"])


def values_of(text: str) -> object:
    """The block as another reader of YAML has it, all values as text."""
    block = MemoryDocument.parse(text).frontmatter
    assert block is not None
    try:
        return yaml.load(block.yaml_span.of(text), yaml.BaseLoader) or {}
    except (yaml.YAMLError, ValueError, TypeError):
        return None


def without(values: object, path: str) -> object:
    if not isinstance(values, dict):
        return values
    parent, _, name = path.rpartition(".")
    left = {key: value for key, value in values.items() if parent or key != name}
    inner = left.pop("metadata", None)
    if isinstance(inner, dict):
        inner = {key: value for key, value in inner.items() if not parent or key != name}
    return left | ({"metadata": inner} if inner else {})


def comments_of(text: str) -> int:
    return text.count("#")


@given(BLOCKS, BODIES, PATHS, VALUES, EOLS)
@settings(deadline=None)
@example("name: a", "", "name", "a\n---\nb", "\n")
def test_after_setting_a_value_it_is_there_and_all_others_are_as_before(
    lines: str, body: str, path: str, value: str, eol: str
) -> None:
    text = in_block(lines, body).replace("\n", eol)
    document = MemoryDocument.parse(text)
    try:
        edits = set_value(document, path, value)
    except CannotEditError:
        return
    new = after(text, edits)
    key = MemoryDocument.parse(new).key_at(path)
    assert key is not None
    assert (key.kind, key.value) == (ValueKind.TEXT, value)
    assert new.endswith(document.body_text)
    assert (eol == "\n") == ("\r" not in new.replace(value, ""))
    before = values_of(text)
    if before is not None:
        assert without(values_of(new), path) == without(before, path)
    old_value = document.key_at(path)
    if old_value is None:
        assert comments_of(new) >= comments_of(text)
    assert set_value(MemoryDocument.parse(new), path, value) == ()


@given(BLOCKS, BODIES, PATHS, VALUES, EOLS)
@settings(deadline=None)
def test_a_key_that_was_put_in_and_taken_out_leaves_the_same_bytes(
    lines: str, body: str, path: str, value: str, eol: str
) -> None:
    text = in_block(lines, body).replace("\n", eol)
    document = MemoryDocument.parse(text)
    metadata = document.key_at("metadata")
    if document.key_at(path) is not None or (metadata and not metadata.children and path.startswith("metadata.")):
        return
    try:
        added = after(text, set_value(document, path, value))
        removed = after(added, remove_key(MemoryDocument.parse(added), path))
    except CannotEditError:
        return
    assert removed == text


@given(BLOCKS, BODIES, PATHS, EOLS)
@settings(deadline=None)
def test_after_taking_a_key_out_all_others_are_as_before(lines: str, body: str, path: str, eol: str) -> None:
    text = in_block(lines, body).replace("\n", eol)
    document = MemoryDocument.parse(text)
    keys = [each for each, _ in document.frontmatter.walk()] if document.frontmatter else []
    try:
        new = after(text, remove_key(document, path))
    except CannotEditError:
        return
    assert new.endswith(document.body_text)
    before = values_of(text)
    if keys.count(path) < 2 and before is not None:
        assert without(values_of(new), path) == without(before, path)
        assert MemoryDocument.parse(new).key_at(path) is None


@given(BLOCKS, BODIES, EOLS)
@settings(deadline=None)
def test_any_value_in_quotes_is_text_and_all_others_are_as_before(lines: str, body: str, eol: str) -> None:
    text = in_block(lines, body).replace("\n", eol)
    document = MemoryDocument.parse(text)
    for path, key in document.frontmatter.walk() if document.frontmatter else ():
        try:
            edits = quote_value(document, key)
        except CannotEditError:
            continue
        new = MemoryDocument.parse(after(text, edits))
        assert new.body_text == document.body_text
        assert new.frontmatter is not None
        assert any(each == path and found.kind is ValueKind.TEXT for each, found in new.frontmatter.walk())
        before, now = values_of(text), values_of(new.source.text)
        if before is not None and path.count(".") < 2:
            assert without(now, path) == without(before, path)


@given(BLOCKS, BODIES, st.text(st.characters(exclude_categories=["Cs"]), max_size=20), EOLS)
@settings(deadline=None)
def test_a_new_body_is_read_back_and_the_frontmatter_stays(lines: str, body: str, content: str, eol: str) -> None:
    text = in_block(lines, body).replace("\n", eol)
    document = MemoryDocument.parse(text)
    try:
        new = MemoryDocument.parse(after(text, replace_body(document, content)))
    except CannotEditError:
        return
    assert new.source.text.startswith(text[: document.body_start])
    assert new.body_text.split() == content.split()
    assert replace_body(new, content) == ()
