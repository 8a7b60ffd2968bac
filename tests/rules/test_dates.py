"""The rules about dates, and about age."""

from __future__ import annotations

from datetime import date

import pytest

from memory_ls.settings import Settings
from tests.making import TODAY, assert_found, assert_quiet, codes_in, memory

_DATED = "updatedAt: 2026-08-01\n"


def _one(text: str) -> dict[str, str]:
    return {"tides.md": text}


def _dated(body: str, key: str = _DATED) -> dict[str, str]:
    return _one(memory("tides", body=body, extra=key))


class TestDateInvalid:
    @pytest.mark.parametrize(
        ("line", "path"),
        [
            ("updatedAt: ⟪soon⟫", "updatedAt"),
            ("created: ⟪2026-02-31⟫", "created"),
            ("modified: ⟪2026-13-01⟫", "modified"),
            ('updated: ⟪"next week"⟫', "updated"),
        ],
    )
    def test_a_key_without_a_date(self, line: str, path: str) -> None:
        assert_found("date-invalid", _one(memory("tides", extra=f"{line}\n")), "tides.md", key=path)

    def test_inside_metadata(self) -> None:
        text = memory("tides", extra="  updatedAt: ⟪whenever⟫\n")
        assert_found("date-invalid", _one(text), "tides.md", key="metadata.updatedAt")

    @pytest.mark.parametrize(
        "value",
        [
            "2026-04-01",
            "2026-04-01T10:00:00.000Z",
            "'2026-04-01 10:00'",
            "2026/04/01",
            "2026-04",
            "20260401",
            "1775000000000",
            "April 2026",
            "3.4.26",
            "2026年4月1日",
            "",
        ],
    )
    def test_is_quiet_about_dates_in_any_form(self, value: str) -> None:
        assert_quiet("date-invalid", _one(memory("tides", extra=f"updatedAt: {value}\n")), "tides.md")

    def test_is_quiet_about_other_keys(self) -> None:
        assert codes_in(_one(memory("tides", extra="expires: never\nlast_used: long ago\ndate: soon\n"))) == {}


class TestDateOrder:
    def test_changed_before_it_was_made(self) -> None:
        text = memory("tides", extra="createdAt: 2026-05-02\nupdatedAt: ⟪2026-05-01⟫\n")
        finding = assert_found("date-order", _one(text), "tides.md")
        assert len(finding.related) == 1

    @pytest.mark.parametrize(
        ("created", "updated"),
        [
            ("2026-05-01", "2026-05-01"),
            ("2026-05-02", "2026-05"),
            ("2026-05-02", "2026-05-01T22:10:00.000Z"),
            ("x", "2026-05-01"),
        ],
    )
    def test_is_quiet_about_the_same_day_and_a_month(self, created: str, updated: str) -> None:
        text = memory("tides", extra=f"created: {created}\nupdated: {updated}\n")
        assert_quiet("date-order", _one(text), "tides.md")


class TestDateFuture:
    def test_after_tomorrow(self) -> None:
        assert_found("date-future", _one(memory("tides", extra="modified: ⟪2026-08-12⟫\n")), "tides.md", key="modified")

    @pytest.mark.parametrize("day", ["2026-08-11", "2026-08-10"])
    def test_is_quiet_about_tomorrow_which_is_today_elsewhere(self, day: str) -> None:
        assert_quiet("date-future", _one(memory("tides", extra=f"modified: {day}\n")), "tides.md")


class TestRelativeDate:
    @pytest.mark.parametrize(
        "body",
        [
            "It broke ⟪yesterday⟫.\n",
            "⟪Today⟫ it rained.\n",
            "Decided ⟪last week⟫, due ⟪next Thursday⟫.\n",
            "Changed ⟪three days ago⟫ and ⟪2 weeks ago⟫.\n",
            "⟪今天⟫发布，⟪下周⟫停航。\n",
            "⟪어제⟫ 정했다. ⟪다음 주⟫에 바꾼다.\n",
            "⟪昨日⟫決めた。\n",
            "⟪Gestern⟫ beschlossen.\n",
            "Se decidió ⟪ayer⟫.\n",
            "😀 é 漢 ⟪yesterday⟫\n",
        ],
    )
    def test_where_the_memory_is_dated(self, body: str) -> None:
        assert_found("relative-date", _dated(body), "tides.md", written="2026-08-01")

    @pytest.mark.parametrize(
        "body",
        [
            "The layer and the player are gray.\n",
            "As of today it holds; until today it held.\n",
            "The rota of `today` and `git log --since=yesterday`.\n",
            "```\ndate --date yesterday\n```\n",
            'Never write "yesterday" in a memory.\n',
            "Avoid “today” and 「今天」.\n",
            "today-button, today_view and today's list.\n",
            "The agonist; cargo; a lastweek.txt.\n",
            "Decided on 2026-08-01, the day before 2026-08-02.\n",
            "The next tide and the last boat, this port.\n",
            "¡Mayer, bayer!\n",
        ],
    )
    def test_is_quiet_about_words_that_are_no_date(self, body: str) -> None:
        assert_quiet("relative-date", _dated(body), "tides.md")

    def test_is_quiet_where_no_date_is_known(self) -> None:
        assert_quiet("relative-date", _one(memory("tides", body="It broke yesterday.\n")), "tides.md")
        assert_quiet("relative-date", _one("It broke yesterday.\n"), "tides.md")
        assert_quiet("relative-date", _dated("It broke yesterday.\n", "updatedAt: soon\n"), "tides.md")

    def test_is_quiet_about_the_frontmatter(self) -> None:
        text = memory("tides", "Broke yesterday", extra=_DATED)
        assert_quiet("relative-date", _one(text), "tides.md")


class TestStale:
    def test_marked_as_stale(self) -> None:
        finding = assert_found("stale", _one(memory("tides", extra="status: ⟪stale⟫\n")), "tides.md", marked=True)
        assert finding.deprecated
        assert_found("stale", _one(memory("tides", extra="  status: ⟪Stale⟫\n")), "tides.md", marked=True)

    def test_older_than_the_setting(self) -> None:
        texts = _one(memory("tides", extra="updatedAt: ⟪2026-02-10⟫\n"))
        finding = assert_found("stale", texts, "tides.md", marked=False, days=181)
        assert not finding.deprecated
        assert_quiet("stale", texts, "tides.md", settings=Settings(stale_days=181))
        assert_quiet("stale", texts, "tides.md", today=date(2026, 8, 9))

    def test_the_date_of_the_last_change_counts(self) -> None:
        text = memory("tides", extra="  createdAt: 2020-01-01\n  modified: 2026-08-01T00:00:00Z\n")
        assert_quiet("stale", _one(text), "tides.md")

    @pytest.mark.parametrize("extra", ["status: active\n", "status:\n", "", "date: 2020-01-01\n"])
    def test_is_quiet_about_other_states_and_where_no_date_is_known(self, extra: str) -> None:
        assert_quiet("stale", _one(memory("tides", extra=extra)), "tides.md", today=TODAY)
