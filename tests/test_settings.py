"""Settings: the table, what is accepted, where problems are, which source wins."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
import tomllib
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_ls import settings as module
from memory_ls.settings import (
    MAX_FILE_BYTES,
    SETTINGS,
    SEVERITIES,
    Kind,
    LoadedSettings,
    Setting,
    SettingProblem,
    Settings,
    find_file,
    from_mapping,
    from_toml,
    json_schema,
    load,
    main,
    markdown_table,
    property_schema,
    user_file,
)
from memory_ls.text import Span

BY_KEY = {setting.key: setting for setting in SETTINGS}
RULES = ("link-dead", "link-case", "stale", "type-unknown")

TRUSTED = {"provider", "model", "command", "baseUrl", "directory", "directories", "exclude"}

DEFAULTS = {
    "directory": None,
    "directories": (),
    "exclude": (),
    "dialect": "auto",
    "provider": "auto",
    "model": None,
    "baseUrl": None,
    "command": (),
    "minMessages": 4,
    "maxTokens": 2048,
    "temperature": None,
    "minConfidence": 0.5,
    "windowCharacters": 60000,
    "maxWindows": 20,
    "concurrency": 3,
    "timeoutSeconds": 60,
    "maxInjected": 30,
    "injection": "summaries",
    "staleDays": 180,
    "indexMaxLines": 200,
    "indexMaxBytes": 25000,
    "indexLineLength": 200,
    "descriptionLength": 200,
    "rules": (),
    "markdownLinks": "auto",
    "diagnosticScope": "directory",
    "journalDays": 30,
}


def read_mapping(
    values: object, base: Settings | None = None, *, trusted: bool = True, known_rules: tuple[str, ...] = ()
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    return from_mapping(values, base or Settings(), source="editor", trusted=trusted, known_rules=known_rules)


def read_toml(
    text: str, base: Settings | None = None, *, trusted: bool = True, known_rules: tuple[str, ...] = ()
) -> tuple[Settings, tuple[SettingProblem, ...]]:
    return from_toml(text, base or Settings(), source="x.toml", trusted=trusted, known_rules=known_rules)


def only(problems: tuple[SettingProblem, ...]) -> SettingProblem:
    assert len(problems) == 1, problems
    return problems[0]


# --- The table


def test_table_has_every_setting_in_order_with_its_default() -> None:
    assert [(setting.key, setting.default) for setting in SETTINGS] == list(DEFAULTS.items())


def test_table_and_class_are_in_step() -> None:
    assert [setting.attribute for setting in SETTINGS] == [each.name for each in fields(Settings)]
    for setting in SETTINGS:
        assert getattr(Settings(), setting.attribute) == setting.default


def test_trusted_settings_are_those_that_could_do_harm() -> None:
    assert {setting.key for setting in SETTINGS if setting.trusted} == TRUSTED


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_each_setting_is_described_and_its_default_is_allowed(setting: Setting) -> None:
    assert setting.text.endswith(".")
    assert setting.text[0].isupper()
    assert (setting.minimum is not None and setting.maximum is not None) == (
        "number" in setting.kind.value or setting.kind is Kind.INTEGER
    )
    assert bool(setting.choices) == (setting.kind in (Kind.CHOICE, Kind.RULES))
    default = {} if setting.kind is Kind.RULES else setting.default
    assert read_mapping({setting.key: default}) == (Settings(), ())


def test_settings_can_be_hashed_and_compared() -> None:
    one, _ = read_mapping({"rules": {"stale": "off", "link-dead": "hint"}, "exclude": ["a"]})
    two, _ = read_mapping({"exclude": ["a"], "rules": {"link-dead": "hint", "stale": "off"}})
    assert one == two
    assert hash(one) == hash(two)


def test_importing_settings_loads_nothing_heavy() -> None:
    code = "import sys, memory_ls.settings; print(*{'tomllib', 'json', 'difflib', 'platformdirs'} & set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(module.__file__).parent.parent)},
    )
    assert run.stdout.strip() == ""


# --- Accepted values


@pytest.mark.parametrize(
    ("key", "value", "held"),
    [
        ("directory", "~/memory", "~/memory"),
        ("directories", ["a", "b"], ("a", "b")),
        ("exclude", [], ()),
        ("command", ("agent", "--tools", ""), ("agent", "--tools", "")),
        ("dialect", "flat", "flat"),
        ("provider", "offline", "offline"),
        ("minMessages", 10, 10),
        ("staleDays", 90.0, 90),
        ("temperature", 0, 0.0),
        ("minConfidence", 1, 1.0),
        ("timeoutSeconds", 2.5, 2.5),
        ("rules", {"stale": "off"}, (("stale", "off"),)),
    ],
)
def test_allowed_value_is_taken(key: str, value: object, held: object) -> None:
    settings, problems = read_mapping({key: value})
    assert problems == ()
    got = getattr(settings, BY_KEY[key].attribute)
    assert got == held
    assert type(got) is type(held)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_null_means_not_set(setting: Setting) -> None:
    base = Settings(directory="d", model="m", stale_days=7, rules=(("stale", "off"),), temperature=0.5)
    assert read_mapping({setting.key: None}, base) == (base, ())


def test_no_settings_at_all_change_nothing() -> None:
    assert read_mapping(None) == (Settings(), ())
    assert read_mapping({}) == (Settings(), ())


def test_blank_text_means_not_set() -> None:
    base = Settings(directory="d")
    assert read_mapping({"directory": " ", "model": ""}, base) == (base, ())


def test_rules_are_merged_into_those_set_before() -> None:
    base = Settings(rules=(("link-dead", "error"), ("stale", "off")))
    settings, problems = read_mapping({"rules": {"stale": "hint", "link-dead": None, "secret": "warning"}}, base)
    assert problems == ()
    assert settings.rules == (("link-dead", "error"), ("secret", "warning"), ("stale", "hint"))


def test_severity_of_a_rule_that_is_not_set_is_none() -> None:
    settings = Settings(rules=(("stale", "off"),))
    assert settings.severity_of("stale") == "off"
    assert settings.severity_of("link-dead") is None


# --- Refused values


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("staleDays", True, "staleDays must be a whole number from 1 to 36500, not true. The default, 180, is kept."),
        ("staleDays", 0, "staleDays must be a whole number from 1 to 36500, not 0. The default, 180, is kept."),
        ("staleDays", 1.5, "staleDays must be a whole number from 1 to 36500, not 1.5. The default, 180, is kept."),
        ("staleDays", "4", 'staleDays must be a whole number from 1 to 36500, not "4". The default, 180, is kept.'),
        (
            "staleDays",
            10**400,
            "staleDays must be a whole number from 1 to 36500, not a huge number. The default, 180, is kept.",
        ),
        ("minConfidence", math.nan, "minConfidence must be a number from 0 to 1, not nan. The default, 0.5, is kept."),
        ("temperature", [], "temperature must be a number from 0 to 2, not a list. The default is kept."),
        ("directory", {"a": 1}, "directory must be a text, not a table. The default is kept."),
        ("model", "a\0b", "model must be a text, not a text with characters that cannot be used. The default is kept."),
        (
            "exclude",
            ["a", 3],
            'exclude must be a list of texts, such as ["one", "two"], not one whose item 2 is 3. The default is kept.',
        ),
        (
            "command",
            "agent --key topsecret",
            'command must be a list of texts, such as ["one", "two"], not a text. The default is kept.',
        ),
        (
            "dialect",
            "Nested",
            "dialect must be one of auto, nested, flat, bare, none, "
            'not "Nested". The default, auto, is kept. Did you mean "nested"?',
        ),
        (
            "exclude",
            3,
            'exclude must be a list of texts, such as ["one", "two"], not 3. The default is kept.',
        ),
        ("rules", "off", 'rules must be a table of rule codes and severities, not "off". The default is kept.'),
    ],
)
def test_wrong_value_is_told_in_plain_words(key: str, value: object, message: str) -> None:
    settings, problems = read_mapping({key: value})
    assert settings == Settings()
    problem = only(problems)
    assert problem == SettingProblem("setting-invalid", key, message, None, "editor")


def test_number_too_long_to_print_is_a_problem() -> None:
    assert only(read_mapping({"staleDays": 10**5000})[1]).message.endswith(
        "not a huge number. The default, 180, is kept."
    )


def test_text_that_no_file_system_takes_is_a_problem() -> None:
    settings, problems = read_mapping({"directory": "a\ud800", "exclude": ["\ud800"], "\ud800": 1})
    assert settings == Settings()
    assert [problem.key for problem in problems] == ["directory", "exclude", "\ufffd"]


def test_wrong_value_keeps_what_was_set_before() -> None:
    base = Settings(stale_days=90, command=("agent",))
    settings, problems = read_mapping({"staleDays": -1, "command": [1]}, base)
    assert settings == base
    assert [problem.message.split(". ", 1)[1] for problem in problems] == [
        "The earlier value, 90, is kept.",
        "The earlier value is kept.",
    ]


def test_wrong_severity_does_not_spoil_the_other_rules() -> None:
    settings, problems = read_mapping({"rules": {"stale": "warn", "link-dead": "off", "link-case": 1}})
    assert settings.rules == (("link-dead", "off"),)
    assert [problem.key for problem in problems] == ["rules.stale", "rules.link-case"]
    assert problems[0].message == (
        "rules.stale must be one of off, hint, information, warning, error, "
        'not "warn". The rule\'s own severity is kept. Did you mean "warning"?'
    )


def test_wrong_severity_keeps_the_one_set_before() -> None:
    base = Settings(rules=(("stale", "off"),))
    settings, problems = read_mapping({"rules": {"stale": 3}}, base)
    assert settings == base
    assert only(problems).message.endswith("not 3. The earlier value, off, is kept.")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("min_messages", 'There is no setting "min_messages". It is ignored. Did you mean "minMessages"?'),
        ("staledays", 'There is no setting "staledays". It is ignored. Did you mean "staleDays"?'),
        ("zzzzzz", 'There is no setting "zzzzzz". It is ignored.'),
        ("a\nb", 'There is no setting "a\ufffdb". It is ignored.'),
        (
            "memoryLs",
            'There is no setting "memoryLs". It is ignored. Settings stand at the top level, not below a name.',
        ),
        (
            "apiKey",
            'There is no setting "apiKey". It is ignored. '
            "The key of an API is never a setting; it comes from the environment.",
        ),
    ],
)
def test_unknown_setting_is_told_with_the_one_that_was_meant(key: str, message: str) -> None:
    settings, problems = read_mapping({key: "sk-topsecret"})
    assert settings == Settings()
    assert only(problems).message == message


def test_unknown_rule_is_told_when_the_rules_are_known() -> None:
    settings, problems = read_mapping({"rules": {"link-daed": "off", "stale": "off"}}, known_rules=RULES)
    assert settings.rules == (("stale", "off"),)
    problem = only(problems)
    assert (problem.key, problem.code) == ("rules.link-daed", "setting-invalid")
    assert problem.message == 'There is no rule "link-daed". It is ignored. Did you mean "link-dead"?'


def test_any_rule_is_taken_when_the_rules_are_not_known() -> None:
    settings, problems = read_mapping({"rules": {"whatever": "off"}})
    assert (settings.severity_of("whatever"), problems) == ("off", ())


def test_setting_below_the_rules_is_told_where_it_belongs() -> None:
    _, problems = read_toml('[rules]\nstale = "off"\nstaleDays = 10\n')
    problem = only(problems)
    assert problem.key == "rules.staleDays"
    assert problem.message.endswith("write it above the line [rules].")


@pytest.mark.parametrize(
    ("values", "wrong"), [([], "a list"), ("x", "a text"), (3, "3"), (False, "false"), ([{"model": "m"}], "a list")]
)
def test_settings_that_are_no_table_are_one_problem(values: object, wrong: str) -> None:
    settings, problems = read_mapping(values)
    assert settings == Settings()
    problem = only(problems)
    assert (problem.key, problem.message) == ("", f"Settings must be a table of keys and values, not {wrong}.")


@pytest.mark.parametrize("key", sorted(TRUSTED))
def test_source_that_is_not_trusted_cannot_set_what_could_do_harm(key: str) -> None:
    value: object = ["x"] if BY_KEY[key].kind is Kind.STRINGS else "offline"
    settings, problems = read_mapping({key: value, "staleDays": 3}, trusted=False)
    assert settings == Settings(stale_days=3)
    problem = only(problems)
    assert (problem.code, problem.key) == ("setting-not-trusted", key)
    assert read_mapping({key: value})[1] == ()


def test_thousands_of_faults_are_told_as_a_hundred_and_in_good_time() -> None:
    began = time.perf_counter()
    settings, problems = read_mapping({**{f"key{number}": 1 for number in range(50_000)}, "staleDays": 3})
    assert len(problems) == 100
    assert settings.stale_days == 3
    assert time.perf_counter() - began < 5


# --- Properties

scalars: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-3, 100_000)
    | st.just(10**400)
    | st.floats()
    | st.floats(0, 2)
    | st.text(st.characters(), max_size=8)
    | st.sampled_from([choice for setting in SETTINGS for choice in setting.choices])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from([*BY_KEY, "minMesages", "apiKey"]) | st.text(max_size=12)
rule_tables = st.dictionaries(st.sampled_from(RULES) | st.text(max_size=8), st.sampled_from(SEVERITIES) | json_values)
mappings = st.dictionaries(keys, json_values | rule_tables, max_size=8)


@given(values=mappings | json_values, trusted=st.booleans(), known_rules=st.sampled_from([(), RULES]))
def test_reading_never_raises(values: object, trusted: bool, known_rules: tuple[str, ...]) -> None:
    settings, problems = read_mapping(values, trusted=trusted, known_rules=known_rules)
    hash(settings)
    for problem in problems:
        assert problem.message.isprintable()
        assert problem.key.isprintable()
        assert len(problem.message) < 400


def schema_accepts(value: object, setting: Setting) -> bool:
    validator = import_module("jsonschema").Draft202012Validator(property_schema(setting))
    return bool(validator.is_valid(value))


@given(setting=st.sampled_from(SETTINGS), value=json_values | rule_tables | st.lists(st.text(max_size=3), max_size=3))
def test_value_is_refused_exactly_when_the_schema_refuses_it(setting: Setting, value: Any) -> None:
    assume(value is not None)  # "not set", for every setting
    assume(value == value)  # the schema's minimum and maximum let NaN pass
    texts = [value, *(value if isinstance(value, list) else []), *(value if isinstance(value, dict) else [])]
    assume(not any(isinstance(text, str) and ("\0" in text or text in BY_KEY) for text in texts))
    if isinstance(value, dict):
        assume(None not in value.values())
    settings, problems = read_mapping({setting.key: value})
    assert (problems == ()) == schema_accepts(value, setting)
    if problems and setting.kind is not Kind.RULES:
        assert settings == Settings()


@given(setting=st.sampled_from(SETTINGS), value=json_values, other=st.sampled_from([1, 50, 300]))
def test_wrong_value_keeps_the_base_and_every_other_setting(setting: Setting, value: object, other: int) -> None:
    base = Settings(journal_days=7, dialect="flat", rules=(("stale", "off"),), exclude=("x",), temperature=1.0)
    companion = "maxInjected" if setting.key != "maxInjected" else "staleDays"
    settings, problems = read_mapping({setting.key: value, companion: other}, base)
    changed: dict[str, Any] = {BY_KEY[companion].attribute: other}
    expected = replace(base, **changed)
    if problems and setting.kind is not Kind.RULES:
        assert settings == expected
        assert only(problems).key == setting.key
    else:
        attribute = setting.attribute
        assert replace(settings, **{attribute: getattr(base, attribute)}) == expected


# --- Places in TOML


def marked(text: str) -> tuple[str, list[Span]]:
    """The text without its « and » marks, and the places that were marked."""
    plain, spans, start = "", list[Span](), 0
    for character in text:
        if character == "«":
            start = len(plain)
        elif character == "»":
            spans.append(Span(start, len(plain)))
        else:
            plain += character
    return plain, spans


@pytest.mark.parametrize(
    "text",
    [
        "staleDays = «0»\n",
        "staleDays=«-1»# why",
        "  staleDays\t=\t«1.5»   # why",
        '"staleDays" = «"x"»',
        "'staleDays' = «'''x'''»",
        '"stale\\u0044ays" = «true»',
        "staleDays = «1979-05-27 07:32:00»  \r\nmaxWindows = 3\r\n",
        "staleDays = «1979-05-27T07:32:00.5+01:00»",
        "staleDays = «07:32:00»",
        'dialect = «"""\n# not = "a comment" \\""" yet""""»\nstaleDays = «0»',
        "dialect = «'''\nstaleDays = 0'''''»\nstaleDays = «0»",
        '# staleDays = 0\n\n# "\nstaleDays = «0»',
        "staleDays = «[ 1, # ]\n 2 ]»\nmaxWindows = «[]»",
        "staleDays = «{ a = 1, b.c = '}' }»",
        "exclude = [ 'a', # ,\n  «3» , ]",
        'exclude = [\n"]", «[ "#" ]» , "b"]',
        "exclude = [«{ a = 1 }»]",
        "exclude = «'a'»",
        "«exlude» = ['a']",
        '«"ex lude"» = 1\n«mdl»."x" = 2\nstaleDays = «0»',
        "[«tool».memory-ls]\nstaleDays = 0",
        "[ «other» . 'x' ]\nstaleDays = 0\n[[«more»]]\na = 1\n[[more]]\na = 2",
        "«model».x = 1",
        "[«model»]\nx = 1",
        "[[«exclude»]]\nx = 1",
        "[rules]\nstale = «'loud'»\nlink-dead = «3»\nlink-case = 'off'\n«nosuch» = 'off'",
        '["rules"]\n"stale" = «0»',
        "rules.stale = «1»\n  rules . 'link-dead' =  «2»",
        'rules = { stale = "off", link-dead = «"x"», «nosuch» = "off" }',
        "rules = «['stale']»",
        "[[«rules»]]\nstale = 'off'",
        "[rules.«stale»]\nx = 1",
        "[rules]\n«stale».x = 1",
        "[rules]\n«'a.b'» = 'off'\n«\"\"» = 'off'",
        "[rules]\nstale = 'off'\n«staleDays» = 3",
        "\ufeffstaleDays = «0»",
        "model = '𝔘𝔫𝔦'\nstaleDays = «0» # 𝔘",
    ],
)
def test_problem_is_at_the_faulty_value_or_the_unknown_key(text: str) -> None:
    plain, spans = marked(text)
    _, problems = read_toml(plain, known_rules=RULES)
    assert [problem.span for problem in problems] == spans


def test_setting_that_is_not_trusted_is_marked_at_its_key() -> None:
    plain, spans = marked("«command» = ['x']\n«provider» = 'auto'\nstaleDays = 3\n")
    settings, problems = read_toml(plain, trusted=False)
    assert settings == Settings(stale_days=3)
    assert [problem.span for problem in problems] == spans
    assert {problem.code for problem in problems} == {"setting-not-trusted"}


@pytest.mark.parametrize(
    "text",
    [
        "model = «???»\nstaleDays = 3",
        "staleDays = 3\r\n«model =»\r\n",
        '  «model = "abc»\nstaleDays = 3',
        "staleDays = 3\n«staleDays = 4»\n",
        "staleDays = 3 «4»",
        "# one\n\n«exclude = ['a',»\n\n",
        "a = 1«\rb = 2»",
        "«\ufffd = 1»",
        "\ufeff«= 1»",
    ],
)
def test_text_that_is_not_toml_is_one_problem_at_its_place(text: str) -> None:
    plain, spans = marked(text)
    settings, problems = read_toml(plain)
    problem = only(problems)
    assert settings == Settings()
    assert (problem.code, problem.key, problem.source) == ("setting-invalid", "", "x.toml")
    assert problem.message.startswith("This file cannot be used. It is not valid TOML: ")
    assert "line" not in problem.message.split(": ", 1)[1].split(".")[0] or "newline" in problem.message
    assert [problem.span] == spans


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a = " + "9" * 5000, id="number of 5000 digits"),
        pytest.param("a = " + "[" * 100_000, id="open brackets"),
        pytest.param("a = " + "[" * 450 + "]" * 450, id="nested lists"),
        pytest.param("a." * 100_000 + "a = 1", id="key of many parts"),
    ],
)
def test_monstrous_toml_is_a_problem_and_not_an_accident(text: str) -> None:
    began = time.perf_counter()
    settings, problems = read_toml(text)
    assert settings == Settings()
    assert only(problems).code == "setting-invalid"
    assert time.perf_counter() - began < 5


def test_comment_of_many_dots_is_a_comment() -> None:
    assert read_toml(f"# {'.' * 500}\nstaleDays = 3\n") == (Settings(stale_days=3), ())


toml_words = st.sampled_from(["staleDays", "rules", "exclude", "stale", '"""', "'''", "1979-05-27", "true"])
toml_pieces = toml_words | st.sampled_from("=.,[]{}\"'\\#1-xé \n\r\ufeff\ud800\0")


@given(st.lists(toml_pieces, max_size=25).map("".join) | st.text(max_size=30))
def test_reading_toml_never_raises_and_points_into_the_text(text: str) -> None:
    _, problems = read_toml(text, trusted=False, known_rules=RULES)
    for problem in problems:
        if problem.span is not None:
            assert 0 <= problem.span.start <= problem.span.end <= len(text)


blanks = st.sampled_from(["", " ", "\t", "  "])
gaps = st.sampled_from(["", " ", "\n", "\r\n  ", " # ] } , = \" '''\n", "\n# x\n\n"])
bare_keys = st.text("abAB01-_", min_size=1, max_size=4)
plain_texts = st.text("ab#,=.[]{}é𝔘 ", max_size=6)
basic_strings = plain_texts.map(lambda text: f'"{text}"') | st.sampled_from([r'"\""', r'"\\"', r'"\u00e9"'])
literal_strings = plain_texts.map(lambda text: f"'{text}'")
long_strings = st.tuples(
    st.sampled_from(['"""', "'''"]), st.text("a#=]}\n", max_size=6), st.sampled_from(["", "x", "xx"])
).map(lambda parts: parts[0] + parts[1] + parts[2].replace("x", parts[0][0]) + parts[0])
toml_keys = bare_keys | basic_strings | literal_strings
dotted_keys = st.lists(st.tuples(blanks, toml_keys, blanks).map("".join), min_size=1, max_size=3).map(".".join)
toml_scalars = (
    basic_strings
    | literal_strings
    | long_strings
    | st.sampled_from(["0", "-1_0", "0xF", "1.5", "1e3", "-inf", "true", "1979-05-27 07:32:00.5", "07:32:00"])
)


def arrays(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    items = st.lists(st.tuples(gaps, inner, gaps).map("".join), max_size=3)
    return st.tuples(items.map(",".join), gaps).map(lambda parts: f"[{parts[0]}{parts[1]}]")


def inline_tables(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(dotted_keys, blanks, inner, blanks).map(lambda parts: f"{parts[0]}={parts[1]}{parts[2]}{parts[3]}")
    return st.lists(pair, max_size=3).map(lambda pairs: "{" + ",".join(pairs) + "}")


toml_values = st.recursive(toml_scalars, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=5)
pairs = st.tuples(dotted_keys, blanks, toml_values).map(lambda parts: f"{parts[0]}={parts[1]}{parts[2]}")
statements = (
    pairs | pairs | dotted_keys.map(lambda key: f"[{key}]") | dotted_keys.map(lambda key: f"[[{key}]]") | st.just("")
)
lines = st.tuples(blanks, statements, st.sampled_from(["", " ", " # x = [", "\t#'''"])).map("".join)
documents = st.lists(lines, min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(parts))
)


def leaves(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], object]]:
    """Every value that has text of its own, with its path; tables in lists are left out."""
    if isinstance(value, dict) and value:
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    if isinstance(value, list) and not any(isinstance(item, dict) for item in value):
        items = [leaf for index, item in enumerate(value) for leaf in leaves(item, (*path, index))]
        return [(path, value), *items]
    return [(path, value)] if not isinstance(value, dict | list) else []


@given(documents)
def test_every_place_in_a_document_holds_the_value_that_was_parsed(text: str) -> None:
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError):
        assume(False)
        return
    places = module._Places(text)
    for path, value in leaves(values):
        span = places.span(path, at_key=False)
        assert span is not None
        assert repr(tomllib.loads(f"v = {span.of(text)}")["v"]) == repr(value)
        if isinstance(path[-1], str):
            key = places.span(path, at_key=True)
            assert key is not None
            assert tomllib.loads(f"{key.of(text)} = 1") == {path[-1]: 1}


# --- Files


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the user's own settings, for these tests only."""
    directory = tmp_path / "config"
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: directory / "memory-ls")
    return directory


def test_nearest_project_file_is_found(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    outer = write(tmp_path / ".memory-ls.toml")
    inner = write(tmp_path / "a" / ".memory-ls.toml")
    (tmp_path / "a" / "b").mkdir()
    (tmp_path / "c").mkdir()
    assert find_file(tmp_path / "a" / "b", None) == inner
    assert find_file(tmp_path / "c", None) == outer
    assert find_file(tmp_path / "c" / "not-there", None) == outer


def test_project_file_is_found_from_a_file_beside_it(tmp_path: Path) -> None:
    file = write(tmp_path / ".memory-ls.toml")
    assert find_file(write(tmp_path / "MEMORY.md"), None) == file


def test_search_ends_at_the_workspace_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".memory-ls.toml")
    start = tmp_path / "workspace" / "a"
    start.mkdir(parents=True)
    assert find_file(start, tmp_path / "workspace") is None
    file = write(tmp_path / "workspace" / ".memory-ls.toml")
    assert find_file(start, tmp_path / "workspace") == file


def test_search_ends_at_the_git_root(tmp_path: Path) -> None:
    write(tmp_path / ".memory-ls.toml")
    write(tmp_path / "project" / ".git", "gitdir: elsewhere")
    assert find_file(tmp_path / "project", None) is None
    assert find_file(tmp_path / "project", tmp_path) is None


def test_without_a_boundary_only_the_directory_itself_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path / ".memory-ls.toml")
    start = tmp_path / "a"
    start.mkdir()
    assert find_file(start, None) is None
    assert find_file(start, tmp_path / "elsewhere") is None
    assert find_file(start, tmp_path) == tmp_path / ".memory-ls.toml"
    assert find_file(tmp_path, None) == tmp_path / ".memory-ls.toml"


def test_directory_of_that_name_is_no_project_file(tmp_path: Path) -> None:
    (tmp_path / ".memory-ls.toml").mkdir()
    assert find_file(tmp_path, tmp_path) is None


def test_user_file_lies_in_the_users_configuration(home: Path) -> None:
    assert user_file() == home / "memory-ls" / "memory-ls.toml"


def test_later_source_wins(tmp_path: Path) -> None:
    user = write(user_file(), "staleDays = 1\nmaxWindows = 1\nmaxInjected = 1\nmodel = 'm'\nrules.stale = 'hint'\n")
    project = write(tmp_path / ".memory-ls.toml", "maxWindows = 2\nmaxInjected = 2\nrules.link-dead = 'off'\n")
    loaded = load(tmp_path, stop=tmp_path, overrides={"maxInjected": 3, "rules": {"stale": "error"}})
    expected = Settings(
        stale_days=1, max_windows=2, max_injected=3, model="m", rules=(("link-dead", "off"), ("stale", "error"))
    )
    assert loaded == LoadedSettings(expected, (), (user, project))


def test_users_file_is_trusted_and_the_projects_is_not(tmp_path: Path) -> None:
    write(user_file(), "command = ['mine']\n")
    project = write(tmp_path / ".memory-ls.toml", "command = ['theirs']\n")
    loaded = load(tmp_path, stop=tmp_path)
    assert loaded.settings.command == ("mine",)
    problem = only(loaded.problems)
    assert (problem.code, problem.source, problem.span) == ("setting-not-trusted", str(project), Span(0, 7))


def test_named_file_replaces_the_projects_and_is_trusted(tmp_path: Path) -> None:
    write(tmp_path / ".memory-ls.toml", "staleDays = 1\n")
    named = write(tmp_path / "named.toml", "command = ['mine']\n")
    loaded = load(tmp_path, stop=tmp_path, config_file=named)
    assert loaded == LoadedSettings(Settings(command=("mine",)), (), (named,))


def test_problems_name_their_source(tmp_path: Path) -> None:
    user = write(user_file(), "staleDays = 0\n")
    loaded = load(tmp_path, overrides={"rules": {"nosuch": "off"}}, overrides_source="command line", known_rules=RULES)
    assert [problem.source for problem in loaded.problems] == [str(user), "command line"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"model = '\xff'", "It is not UTF-8."),
        (b"# " + b"x" * MAX_FILE_BYTES, "It is larger than 1 MiB."),
        (b"model", "It is not valid TOML: "),
    ],
)
def test_file_that_cannot_be_used_is_a_problem(tmp_path: Path, content: bytes, reason: str) -> None:
    project = tmp_path / ".memory-ls.toml"
    project.write_bytes(content)
    loaded = load(tmp_path, stop=tmp_path, overrides={"staleDays": 3})
    assert loaded.settings == Settings(stale_days=3)
    problem = only(loaded.problems)
    assert (problem.code, problem.key, problem.source) == ("setting-invalid", "", str(project))
    assert reason in problem.message


@pytest.mark.parametrize("name", ["missing.toml", "", "nul\0l"])
def test_named_file_that_cannot_be_read_is_a_problem(tmp_path: Path, name: str) -> None:
    loaded = load(tmp_path, config_file=tmp_path / name)
    assert loaded.settings == Settings()
    assert loaded.files == ()
    assert "It cannot be read: " in only(loaded.problems).message


def test_largest_allowed_file_is_read(tmp_path: Path) -> None:
    text = "staleDays = 3\n"
    write(tmp_path / ".memory-ls.toml", text + "#" * (MAX_FILE_BYTES - len(text)))
    assert load(tmp_path, stop=tmp_path).settings.stale_days == 3


# --- What is generated


def test_schema_is_a_valid_schema_and_accepts_a_settings_file() -> None:
    validators = import_module("jsonschema")
    validators.Draft202012Validator.check_schema(json_schema())
    validator = validators.Draft202012Validator(json_schema())
    assert validator.is_valid(tomllib.loads("staleDays = 3\nexclude = ['a']\n[rules]\nstale = 'off'\n"))
    assert not validator.is_valid({"staledays": 3})
    assert not validator.is_valid({"rules": {"stale": "loud"}})


def test_schema_tells_which_settings_a_project_cannot_give() -> None:
    for setting in SETTINGS:
        told = "Not read from a project's .memory-ls.toml." in str(property_schema(setting)["description"])
        assert told == setting.trusted


def test_markdown_table_has_a_row_for_every_setting() -> None:
    rows = [line for line in markdown_table().splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == [setting.key for setting in SETTINGS]
    assert {row.count(" | ") for row in rows} == {2}
    assert (
        "| `staleDays` | `180` | A memory that was not updated for more days than this counts as stale. "
        "From 1 to 36500. |" in rows
    )
    assert any(row.startswith("| `command` † | `[]` | ") for row in rows)


@pytest.mark.parametrize(
    ("argument", "start"), [("schema", "{\n"), ("table", "| setting | default | meaning |\n"), ("vscode", "{\n")]
)
def test_command_prints_what_is_asked_for(argument: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument]) == 0
    assert capsys.readouterr().out.startswith(start)


@pytest.mark.parametrize("arguments", [[], ["other"], ["schema", "table"]])
def test_command_explains_itself_when_misused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == "usage: python -m memory_ls.settings schema|table|vscode\n"
