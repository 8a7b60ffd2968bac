"""Puts the date for words such as "yesterday", which are only right on the day they were said."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

# From Monday to Sunday, in one language a line.
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "понедельник вторник среду четверг пятницу субботу воскресенье",
    "月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日",
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    "周一 周二 周三 周四 周五 周六 周日",
    "星期一 星期二 星期三 星期四 星期五 星期六 星期日",
    "礼拜一 礼拜二 礼拜三 礼拜四 礼拜五 礼拜六 礼拜天",
)
_DAY_OF = {name: number for names in _WEEKDAYS for number, name in enumerate(names.split())}
_NAMES = "|".join(sorted(_DAY_OF, key=len, reverse=True))
_COUNTS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "a couple of": 2,
    "一": 1,
    "两": 2,
    "二": 2,
    "三": 3,
    "四": 4,
}
_COUNT = r"(?P<count>\d{1,3}|a couple of|an?|one|two|three|four|[一两二三四])"
_UNIT_DAYS = {"day": 1, "week": 7, "天": 1, "周": 7, "个星期": 7}

_Told = Callable[["re.Match[str]", date], str]


def _plus(days: int, before: str = "") -> _Told:
    return lambda match, day: f"{before}{day + timedelta(days)}"


def _weekday(weeks: int) -> _Told:
    """The day of that name in a week; 0 is the week of the message."""

    def told(match: re.Match[str], day: date) -> str:
        monday = day - timedelta(day.weekday())
        return f"{_on(match)}{monday + timedelta(7 * weeks + _DAY_OF[match['day'].lower()])}"

    return told


def _next_weekday(match: re.Match[str], day: date) -> str:
    """The next day of that name, as people mean it; a week later where the week's own is still to come and near."""
    ahead = (_DAY_OF[match["day"].lower()] - day.weekday() - 1) % 7 + 1
    return f"{_on(match)}{day + timedelta(ahead)}"


def _last_weekday(match: re.Match[str], day: date) -> str:
    return f"{_on(match)}{day - timedelta((day.weekday() - _DAY_OF[match['day'].lower()] - 1) % 7 + 1)}"


def _on(match: re.Match[str]) -> str:
    return "on " if match["day"].isascii() and not match.groupdict().get("on") else match.groupdict().get("on") or ""


def _week(weeks: int) -> _Told:
    return lambda match, day: f"in the week of {day - timedelta(day.weekday()) + timedelta(7 * weeks)}"


def _chinese_week(weeks: int) -> _Told:
    return lambda match, day: f"{day - timedelta(day.weekday()) + timedelta(7 * weeks)} 那周"


def _month(months: int, form: str) -> _Told:
    def told(match: re.Match[str], day: date) -> str:
        number = day.year * 12 + day.month - 1 + months
        return form.format(f"{number // 12:04d}-{number % 12 + 1:02d}")

    return told


def _counted(sign: int, form: str) -> _Told:
    def told(match: re.Match[str], day: date) -> str:
        count = match["count"].lower()
        days = (_COUNTS.get(count) or int(count)) * _UNIT_DAYS[match["unit"].lower()]
        return form.format(day + timedelta(sign * days))

    return told


def _rule(text: str, told: _Told) -> tuple[re.Pattern[str], _Told]:
    return re.compile(text, re.IGNORECASE), told


_RULES = (
    _rule(r"\bthe day before yesterday\b", _plus(-2, "on ")),
    _rule(r"\bthe day after tomorrow\b", _plus(2, "on ")),
    _rule(r"\byesterday\b(?!['’])", _plus(-1, "on ")),
    _rule(r"\b(?<!as of )(?<!from )(?<!starting )(?<!until )(?<!by )tomorrow\b(?!['’])", _plus(1, "on ")),
    _rule(r"\btomorrow\b(?!['’])", _plus(1)),
    _rule(r"\b(?:as of|from|starting|effective) (?:today|now)\b(?! on)", _plus(0, "as of ")),
    _rule(r"\btoday\b(?!['’])", _plus(0, "on ")),
    _rule(rf"\b(?P<on>on |by |until |from |before |after |since )?next (?P<day>{_NAMES})\b(?! of)", _next_weekday),
    _rule(rf"\b(?P<on>on |by |until |from |before |after |since )?last (?P<day>{_NAMES})\b(?! of)", _last_weekday),
    _rule(rf"\b(?P<on>on |by |until |from |before |after |since )?this (?P<day>{_NAMES})\b", _weekday(0)),
    _rule(rf"\b(?P<on>since )(?P<day>{_NAMES})\b", _last_weekday),
    _rule(r"\bnext week\b", _week(1)),
    _rule(r"\blast week\b", _week(-1)),
    _rule(r"\bthis week\b", _week(0)),
    _rule(r"\bnext month\b", _month(1, "in {}")),
    _rule(r"\blast month\b", _month(-1, "in {}")),
    _rule(r"\bthis month\b", _month(0, "in {}")),
    _rule(rf"\bin {_COUNT} (?P<unit>day|week)s?\b(?! of)", _counted(1, "on {}")),
    _rule(rf"\b{_COUNT} (?P<unit>day|week)s? ago\b", _counted(-1, "on {}")),
    _rule("大前天", _plus(-3)),
    _rule("前天", _plus(-2)),
    _rule("昨天|昨日", _plus(-1)),
    _rule("今天(?!起)", _plus(0)),
    _rule("今天起", lambda match, day: f"{day} 起"),
    _rule("明天|明日", _plus(1)),
    _rule("大后天", _plus(3)),
    _rule("后天|後天", _plus(2)),
    _rule(r"下(?:个)?(?P<day>(?:周|星期|礼拜)[一二三四五六日天])", _weekday(1)),
    _rule(r"上(?:个)?(?P<day>(?:周|星期|礼拜)[一二三四五六日天])", _weekday(-1)),
    _rule(r"(?:本|这)(?:个)?(?P<day>(?:周|星期|礼拜)[一二三四五六日天])", _weekday(0)),
    _rule(r"下(?:个?星期|周)", _chinese_week(1)), _rule(r"上(?:个?星期|周)", _chinese_week(-1)),
    _rule(r"(?:本|这)(?:个?星期|周)", _chinese_week(0)),
    _rule(r"下个?月", _month(1, "{}")),
    _rule(r"上个?月", _month(-1, "{}")),
    _rule(r"(?:本|这个?)月", _month(0, "{}")),
    _rule(rf"{_COUNT}(?P<unit>天|周|个星期)(?:之)?前", _counted(-1, "{}")),
    _rule(rf"{_COUNT}(?P<unit>天|周|个星期)(?:之)?后", _counted(1, "{}")),
    _rule(r"\bvorgestern\b", _plus(-2, "am ")),
    _rule(r"\bgestern\b", _plus(-1, "am ")),
    _rule(r"\bheute\b", _plus(0, "am ")),
    _rule(r"\bübermorgen\b", _plus(2, "am ")),
    _rule(rf"\b(?:nächsten|kommenden) (?P<day>{_NAMES})\b", lambda m, d: "am " + _next_weekday(m, d)[3:]),
    _rule(r"\bavant-hier\b", _plus(-2, "le ")),
    _rule(r"\bhier\b(?= (?:nous|on|j['’ae]|soir|matin|l['’]|\w+é))", _plus(-1, "le ")),
    _rule(r"\baujourd['’]hui\b", _plus(0, "le ")),
    _rule(r"\bdemain\b", _plus(1, "le ")),
    _rule(rf"\b(?P<day>{_NAMES}) prochain\b", lambda m, d: "le " + _next_weekday(m, d)[3:]),
    _rule(r"\banteayer\b", _plus(-2, "el ")),
    _rule(r"\bayer\b", _plus(-1, "el ")),
    _rule(r"\bhoy\b", _plus(0, "el ")),
    _rule(rf"\bel (?:próximo (?P<day>{_NAMES}))\b", lambda m, d: "el " + _next_weekday(m, d)[3:]),
    _rule(r"\bontem\b", _plus(-1, "em ")), _rule(r"\bhoje\b", _plus(0, "em ")), _rule(r"\bamanhã\b", _plus(1, "em ")),
    _rule(r"\bieri\b", _plus(-1, "il ")), _rule(r"\boggi\b", _plus(0, "il ")), _rule(r"\bdomani\b", _plus(1, "il ")),
    _rule(r"\bпозавчера\b", _plus(-2)),
    _rule(r"\bвчера\b", _plus(-1)),
    _rule(r"\bсегодня\b", _plus(0)),
    _rule(r"\bзавтра\b", _plus(1)),
    _rule("一昨日|おととい", _plus(-2)),
    _rule("きのう", _plus(-1)),
    _rule("今日(?!は天気)|本日", _plus(0)),
    _rule("明後日|あさって", _plus(2)),
    _rule("あした", _plus(1)),
    _rule(r"来週の?(?P<day>\w曜日)", _weekday(1)), _rule(r"先週の?(?P<day>\w曜日)", _weekday(-1)),
    _rule("그저께", _plus(-2)),
    _rule("어제", _plus(-1)),
    _rule("오늘", _plus(0)),
    _rule("모레", _plus(2)),
    _rule("내일", _plus(1)),
    _rule(r"다음 ?주 (?P<day>\w요일)", _weekday(1)), _rule(r"지난 ?주 (?P<day>\w요일)", _weekday(-1)),
)  # fmt: skip


def with_dates(text: str, day: date | None) -> str:
    """``text`` with the dates that its words mean when they were said on ``day``; as it is where that is not known.

    A date that the calendar has no room for stays in words.
    """
    if day is None:
        return text
    for words, told in _RULES:
        try:
            text = words.sub(lambda match, told=told: told(match, day), text)  # type: ignore[misc]
        except (OverflowError, ValueError):
            continue
    return text
