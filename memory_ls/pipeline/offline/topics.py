"""Whether two sentences say the same, or something else about the same thing.

Likeness in letters can't tell: "port 8080" and "port 8081" are 97 % alike. So this looks at what is decisive: numbers,
negation, what takes the place of what, and values of which one is chosen out of several.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from memory_ls.pipeline.offline.language import Language


class Relation(Enum):
    """How a new sentence stands to an old one."""

    NONE = "none"
    SAME = "same"  # it says the same, or less
    MORE = "more"  # it says the same and more
    CHANGED = "changed"  # it says something else about the same thing


@dataclass(frozen=True, slots=True)
class Telling:
    """What a sentence says, in the form in which sentences are compared."""

    folded: str
    words: frozenset[str]  # stems without those that carry no topic; of Chinese and Japanese pairs of signs
    numbers: frozenset[str]
    negated: bool
    replaced: frozenset[str]  # what something else takes the place of
    values: frozenset[tuple[str, str]]  # the choices it names: of which kind, and which
    subject: frozenset[str]  # the words before the verb, where it says what something is
    purpose: frozenset[str]  # what something is used for
    charge: tuple[str, frozenset[str]] | None  # who is responsible, and for what
    moved: frozenset[str]  # what is moved or changed to something else
    changing: bool  # whether it says that something was otherwise before
    order: tuple[str, ...]  # the words in their order


_FOLDED_AWAY = re.compile(r"[^\w]+")


def folded(text: str) -> str:
    """``text`` without case, white space and punctuation: two texts that agree in this say the same."""
    return _FOLDED_AWAY.sub("", unicodedata.normalize("NFKC", text).casefold().replace("_", ""))


_TOKEN = re.compile(r"[a-z0-9à-ɏа-яё][\w'+#@-]*(?:[./:][\w+#@-]+)*|[가-힣]+|[ぁ-ヿ㐀-鿿]+")
_NUMBER = re.compile(
    r"(?<![\w.])[v:#]?\d[\d.,:/-]*\d|(?<![\w.])\d+|(?<=[^\W\d_])\d+(?![\w.])|[零一二两三四五六七八九十百千]+(?=[个天周次行点分秒号年月日条名人])"
)
# As stems.
_IN_WORDS = frozenset(
    ["two", "thre", "four", "five", "six", "seven", "eight", "nine", "ten", "twelv", "zwei", "drei", "vier"]
)
_CHINESE_FUNCTION = re.compile(
    r"[的了请要都就也把得着过吧啊呢我你们和与]|推迟到|提前到|延期到|延到|挪到|[一二三四五六七八九十]+(?=[月点号])|以后|今后|从现在起|从现在开始|现在|已经|可以|应该|一律|统一|务必|必须|使用|采用|改用|改成|改到|改为|换成|不用|不再|不要|[用是在写有不别]"
)
_JAPANESE_FUNCTION = re.compile(
    r"です|ます|ました|ません|ください|して|する|した|では|には|から|まで|ている|ています|今後|必ず|[をはがにでのともへ]"
)
_KOREAN_ENDING = re.compile(
    r"(?:입니다|습니다|합니다|하세요|한다|해요|해줘|해|에서|으로|에게|까지|부터|에는|은|는|이|가|을|를|에|로|의|도|만|와|과)$"
)


def telling(text: str, spoken: str, language: Language) -> Telling:
    """What ``text`` says; ``spoken`` is how it was said, with the words that make a memory no better."""
    lowered = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    order = _tokens(lowered, language)
    numbers = frozenset(number.strip(".,:/-#v") for number in _NUMBER.findall(lowered)) | (_IN_WORDS & set(order))
    old = frozenset(
        token
        for match in language.replaced.finditer(lowered)
        for token in _tokens(next(filter(None, match.groups()), "").lower(), language)
    )
    return Telling(
        folded(text),
        frozenset(order),
        numbers,
        language.negations.search(lowered) is not None and not _only_replaces(lowered, language),
        old,
        values_of(lowered),
        _subject(lowered, language),
        _purpose(lowered, language),
        _charge(lowered, language),
        _moved(lowered, language),
        language.changing.search(spoken.lower()) is not None or language.standing.search(spoken.lower()) is not None,
        tuple(order),
    )


def _only_replaces(text: str, language: Language) -> bool:
    """Whether the only negation is that of "X, not Y", which is no prohibition."""
    return language.negations.search(language.replaced.sub(" ", text)) is None


def _tokens(text: str, language: Language) -> list[str]:
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if "ぁ" <= token[0] <= "鿿":
            function = _CHINESE_FUNCTION if language.code == "zh" else _JAPANESE_FUNCTION
            for part in function.split(token):
                found += [part[place : place + 2] for place in range(len(part) - 1)] or ([part] if part else [])
        elif token[0] >= "가":
            stem = _KOREAN_ENDING.sub("", token) or token
            if stem not in language.stop_words and token not in language.stop_words:
                found.append(stem)
        elif token not in language.stop_words and token.strip("'") not in language.stop_words:
            found.append(stem_of(token.strip("'.,:-")))
    return [token for token in found if token]


@lru_cache(maxsize=20_000)
def stem_of(word: str) -> str:
    """A word without the endings that English and its relatives put to it, roughly."""
    word = word.removesuffix("'s")
    if len(word) <= 3 or not word.isalpha():
        return word
    for ending, least in (("erin", 9), ("ies", 5), ("ing", 6), ("ed", 5), ("es", 6), ("s", 4), ("e", 5)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word[: -len(ending)] + {"ies": "y", "erin": "er"}.get(ending, "")
    return word


def relation(new: Telling, old: Telling) -> Relation:
    """How ``new`` stands to ``old``."""
    if new.folded == old.folded:
        return Relation.SAME
    if not new.words or not old.words:
        return Relation.NONE
    shared = new.words & old.words
    only_new, only_old = new.words - old.words - _SAY_LITTLE, old.words - new.words
    smaller = min(len(new.words), len(old.words))
    overlap = len(shared) / smaller
    union = len(shared) / len(new.words | old.words)
    numbers_differ = new.numbers != old.numbers and bool(new.numbers and old.numbers)
    if replaces(new, old):
        return Relation.CHANGED
    if _swaps(new, old):
        return Relation.CHANGED
    if _differ_in_value(new, old) and (_share_topic(new, old) or _about_values_alone(new, old)):
        return Relation.CHANGED
    if new.charge and old.charge and new.charge[1] == old.charge[1] and new.charge[0] != old.charge[0]:
        return Relation.CHANGED
    if _SWITCHES.search(new.folded) and _differ_in_value(new, old) and len(old.words) <= _ABOUT_ONE_THING:
        return Relation.CHANGED
    if new.moved and new.moved <= old.words and (numbers_differ or _differ_in_value(new, old)):
        return Relation.CHANGED
    if new.negated != old.negated:
        return Relation.CHANGED if union >= 0.5 and len(shared) >= 2 else Relation.NONE
    if numbers_differ:
        return Relation.CHANGED if _only_numbers_differ(new, old) else Relation.NONE
    if _brings_back(new, old):
        return Relation.CHANGED
    if not only_new:
        is_known = (union >= 0.5 or _is_within(new, old)) and not new.numbers - old.numbers
        return Relation.SAME if is_known else Relation.NONE
    if union >= 0.5 and any(map(_is_address, shared)):
        return Relation.SAME
    if not only_old and len(shared) >= 2:
        # "The warehouse is BigQuery now, Redshift is gone" names what was, too.
        is_other = new.changing and bool(new.subject) and new.subject == old.subject
        return Relation.CHANGED if is_other else Relation.MORE
    if new.subject and new.subject == old.subject:
        return Relation.CHANGED
    if new.purpose and new.purpose == old.purpose:
        return Relation.CHANGED
    if new.changing and overlap >= 0.5 and len(shared) >= 2 and union >= 0.45:
        return Relation.CHANGED
    if new.changing and overlap >= 0.5 and len(shared) >= 2 and smaller <= 3 and _share_start(new, old):
        return Relation.CHANGED
    return Relation.NONE


_SWITCHES = re.compile("(?:switched|moved|migrated|changed)(?:over)?to")
# Stems of words that a sentence can have more than another and still say the same.
_SAY_LITTLE = frozenset(
    {
        "everyth",
        "anyth",
        "work",
        "run",
        "project",
        "repo",
        "repository",
        "codebas",
        "cod",
        "thing",
        "time",
        "day",
        "way",
        "team",
    }
    | {
        "prefer",
        "lik",
        "favourit",
        "favorit",
        "generally",
        "usually",
        "mostly",
        "normally",
        "everywher",
        "still",
        "already",
    }
    | {
        "called",
        "call",
        "nam",
        "keep",
        "plea",
        "today",
        "doing",
        "go",
        "live",
        "liv",
        "locat",
        "found",
        "store",
        "stor",
    }
)


def _is_within(new: Telling, old: Telling) -> bool:
    """Whether the words of a sentence stand in the other in the same order."""
    rest = iter(old.order)
    return all(word in rest for word in new.order if word not in _SAY_LITTLE)


def _only_numbers_differ(new: Telling, old: Telling) -> bool:
    """Whether two sentences are about the same but for their numbers; with other words in both they are not."""
    plain_new, plain_old = ({word for word in each.words if not _has_digit(word)} for each in (new, old))
    alike = len(plain_new & plain_old) / max(1, len(plain_new | plain_old))
    if new.subject and new.subject == old.subject:
        return True
    if plain_new - plain_old and plain_old - plain_new:
        return alike >= 0.75 or (new.changing and alike >= 0.6)
    return alike >= 0.5 or (new.changing and alike >= 0.34)


def _is_address(word: str) -> bool:
    """Whether a word is a path or an address: two sentences that give the same one say the same."""
    return "/" in word or word.count(".") > 1


def _has_digit(word: str) -> bool:
    return word in _IN_WORDS or any(sign.isdigit() for sign in word)


# A sentence of so many words is about one thing.
_ABOUT_ONE_THING = 6


def replaces(new: Telling, old: Telling) -> bool:
    """Whether ``new`` puts away what ``old`` tells: all of it, and not a word that happens to stand in another matter."""
    if not new.replaced - old.replaced or not new.replaced <= old.words:
        return False
    return len(old.words) <= _ABOUT_ONE_THING or bool(new.words & old.words - new.replaced)


def _brings_back(new: Telling, old: Telling) -> bool:
    """Whether ``new`` is for what ``old`` puts away, and both are about nothing else."""
    is_short = len(new.words) <= _ABOUT_ONE_THING - 2 and len(old.words) <= _ABOUT_ONE_THING
    put_away = old.replaced - _SAY_LITTLE
    return bool(put_away) and len(old.words) > 1 and put_away <= new.words and not new.replaced and is_short


_LIGHT_VERBS = frozenset({"tak", "take", "happen", "com", "hav", "giv", "put", "set"})


def _share_topic(new: Telling, old: Telling) -> bool:
    """Whether two sentences that make one choice otherwise make it in the same matter."""
    mine, others = ({word for word in each.words - _value_words(each) if not _has_digit(word)} for each in (new, old))
    shared = mine & others - _LIGHT_VERBS
    return len(shared) >= 2 or (bool(shared) and 2 * len(shared) >= min(len(mine), len(others)))


def _share_start(new: Telling, old: Telling) -> bool:
    return bool(new.order and old.order and new.order[0] == old.order[0])


def _swaps(new: Telling, old: Telling) -> bool:
    """Whether each puts in place what the other puts away: "tabs instead of spaces" and "spaces instead of tabs"."""
    return bool(new.replaced and old.replaced and new.words == old.words and new.replaced != old.replaced)


# Values of which one is chosen, in several languages: naming another than before is a change, and no second fact.
_CHOICES: dict[str, str] = {
    "package manager": "npm yarn pnpm bun",
    "python packages": "pip poetry uv conda pipenv pdm rye",
    "editor": "vim neovim nvim emacs vscode helix nano sublime intellij pycharm zed",
    "indentation": "tabs/tab/tabulator/tabulatoren/tabulations/tabulaciones/制表符/タブ/탭 "
    "spaces/space/leerzeichen/espaces/espacios/空格/スペース/스페이스",
    "length": "short/brief/concise/terse/kurz/kurze/court/courtes/breve/breves/cortas/简短/简洁/短い/簡潔/짧게/짧은/короткие "
    "long/detailed/verbose/thorough/lengthy/lange/ausführlich/ausführliche/longues/détaillées/largas/detalladas/详细/详尽/詳しい/詳細/자세히/자세한/длинные/подробные",
    "theme": "dark/dunkel/dunkle/sombre/oscuro/深色/暗色/ダーク/다크 light/hell/helle/clair/claro/浅色/亮色/ライト/라이트",
    "day": "monday/mondays/montag/montags/lundi/lundis/lunes/lunedì/segunda/понедельник/понедельникам/月曜/월요일/周一/星期一 "
    "tuesday/tuesdays/dienstag/dienstags/mardi/mardis/martes/martedì/terça/вторник/вторникам/火曜/화요일/周二/星期二 "
    "wednesday/wednesdays/mittwoch/mittwochs/mercredi/mercredis/miércoles/mercoledì/quarta/среду/средам/水曜/수요일/周三/星期三 "
    "thursday/thursdays/donnerstag/donnerstags/jeudi/jeudis/jueves/giovedì/quinta/четверг/четвергам/木曜/목요일/周四/星期四 "
    "friday/fridays/freitag/freitags/vendredi/vendredis/viernes/venerdì/sexta/пятницу/пятницам/金曜/금요일/周五/星期五 "
    "saturday/saturdays/samstag/samstags/samedi/sábado/sabato/субботу/土曜/토요일/周六/星期六 "
    "sunday/sundays/sonntag/sonntags/dimanche/domingo/domenica/воскресенье/日曜/일요일/周日/星期日/星期天",
    "language": "english/englisch/anglais/inglés/inglês/inglese/английском/английский/英文/英语/英語/영어 "
    "german/deutsch/allemand/alemán/alemão/tedesco/немецком/немецкий/德文/德语/ドイツ語/독일어 "
    "french/französisch/français/francés/francês/francese/французском/法文/法语/フランス語/프랑스어 "
    "spanish/spanisch/espagnol/español/espanhol/spagnolo/испанском/西班牙语/スペイン語/스페인어 "
    "chinese/chinesisch/chinois/chino/chinês/cinese/китайском/中文/汉语/中国語/중국어 "
    "japanese/japanisch/japonais/japonés/японском/日文/日语/日本語/일본어 "
    "korean/koreanisch/coréen/coreano/корейском/韩文/韩语/한국어 "
    "portuguese/portugiesisch/portugais/portugués/português/葡萄牙语/ポルトガル語 "
    "italian/italienisch/italien/italiano/итальянском "
    "russian/russisch/russe/ruso/русском/русский/по-русски/俄语/ロシア語 dutch polish",
    "database": "postgres/postgresql mysql/mariadb sqlite mongodb/mongo oracle dynamodb cassandra sqlserver/mssql",
    "test runner": "pytest unittest nose jest vitest mocha jasmine",
    "case": "camelcase/camel/驼峰 snake_case/snake/下划线 kebab-case/kebab pascalcase/pascal",
    "quotes": "single double",
    "merging": "rebase squash merge",
    "forge": "github gitlab bitbucket gitea codeberg",
    "ci": "circleci jenkins travis buildkite teamcity drone actions",
    "cloud": "aws gcp azure hetzner digitalocean heroku 阿里云 腾讯云",
    "docstrings": "google/google-style numpy/numpy-style sphinx restructuredtext",
    "shell": "bash zsh fish powershell",
    "system": "linux/ubuntu/debian/fedora/arch macos/mac windows",
    "state": "enabled/activated/aktiviert/activé/activado/启用/有効 "
    "disabled/deactivated/deaktiviert/désactivé/desactivado/禁用/停用/無効",
    "duty": "required/mandatory/compulsory optional",
    "permission": "allowed/permitted/erlaubt/autorisé/permitido forbidden/prohibited/banned/verboten/interdit/prohibido",
    "address": "formal/sie informal/du/casual",
}  # fmt: skip
_VALUE_OF = {
    spelling: (kind, choice)
    for kind, choices in _CHOICES.items()
    for choice in choices.split()
    for spelling in choice.split("/")
}
_WIDE_VALUES = re.compile(
    "|".join(
        sorted((word for word in _VALUE_OF if not word[0].isascii() and word[0] > "\u2fff"), key=len, reverse=True)
    )
)
_PLAIN_WORD = re.compile(r"[a-zà-ɏа-яё_][\w-]*")


def values_of(text: str) -> frozenset[tuple[str, str]]:
    """The choices that a text in lower case names: of which kind, and which."""
    text = text.replace("visual studio code", "vscode").replace("vs code", "vscode")
    words = _PLAIN_WORD.findall(text) + (_WIDE_VALUES.findall(text) if not text.isascii() else [])
    return frozenset(_VALUE_OF[word] for word in words if word in _VALUE_OF)


def _differ_in_value(new: Telling, old: Telling) -> bool:
    """Whether one kind of choice is made in both, and made otherwise."""
    for kind in {kind for kind, _ in new.values} & {kind for kind, _ in old.values}:
        mine = {choice for its_kind, choice in new.values if its_kind == kind}
        others = {choice for its_kind, choice in old.values if its_kind == kind}
        # Where several stand beside each other, as in a list of languages, none is chosen.
        is_choice = len(others) == 1 or new.replaced
        if is_choice and mine - others and not (others <= mine and not new.replaced):
            return True
    return False


def _value_words(telling_: Telling) -> frozenset[str]:
    """The words of a sentence that are no topic, since they name a choice."""
    spellings = {spelling for choice in telling_.values for spelling, its in _VALUE_OF.items() if its == choice}
    stems = {stem_of(spelling) for spelling in spellings}
    wide = {spelling[place : place + 2] for spelling in spellings for place in range(max(1, len(spelling) - 1))}
    return frozenset(word for word in telling_.words if word in stems or word in wide or word in spellings)


def differs_alone(new: Telling, old: Telling) -> bool:
    """Whether two sentences have the same words but for the choice that they make, or for their numbers."""
    mine, others = ({word for word in each.words - _value_words(each) if not _has_digit(word)} for each in (new, old))
    return bool(mine) and mine == others


def _about_values_alone(new: Telling, old: Telling) -> bool:
    """Whether the choice is all that both speak of: "I prefer tabs" and "the user prefers spaces"."""
    return len(new.words - _value_words(new)) <= 1 and len(old.words - _value_words(old)) <= 1


_VERBS = {
    "en": r"\b(?:is|are|runs?|lives?|listens?|goes|go|uses?|means?|prefers?|happens?|starts?"
    r"|begins?|ends?|needs?|requires?|defaults?|belongs?|points?)\b",
    "de": r"\b(?:ist|sind|läuft|laufen|liegt|heißt|heiße|lauscht|nutzt|findet|beginnt|rollen|bevorzugt)\b",
    "fr": r"\b(?:est|sont|tourne|écoute|s'appelle|m'appelle|utilise|commence|préfère)\b",
    "es": r"\b(?:es|son|está|están|corre|escucha|se\s+llama|me\s+llamo|usa|empieza)\b",
    "pt": r"\b(?:é|são|está|roda|escuta|se\s+chama|me\s+chamo|usa|começa)\b",
    "it": r"(?:\b(?:sono|gira|ascolta|si\s+chiama|mi\s+chiamo|usa|inizia)\b|(?<!\w)è(?!\w))",
    "ru": r"\b(?:находится|слушает|называется|использует|начинается|—)\b",
    "zh": r"(?:部署在|跑在|运行在|放在|改走|改由|改用|改到|改为|改成|换成|位于|地址是|(?<![还但可总])是|在|用|为|叫|走|由|从)",
    "ja": r"(?:は|が)",
    "ko": r"(?:은|는|이|가)\s",
}  # fmt: skip
_VERB = {code: re.compile(text) for code, text in _VERBS.items()}
_PREPOSITION = re.compile(
    r"\s*(?:now\s+|jetzt\s+)?(?P<word>(?:at|on|in|to|by|via|with|under|from|for|auf|unter|im|am|bei|à|sur|dans|en|su|em|no|na"
    r"|\w+(?:ed|en|ing))\b)?"
)
_MOST_SAID = 6
# What somebody is by trade: there is one of it.
_PERSON = re.compile(
    r"(?:i'm|i am|the user is|user is)\s+(?:now\s+)?(?:an?|the)\s+(?:[\w-]+\s+){0,4}?"
    r"(?:engineer|developer|programmer|designer|manager|lead|architect|analyst|scientist|administrator|admin|tester|student|intern"
    r"|researcher|consultant|teacher|maintainer|cto|founder|freelancer|writer)\b"
)


def _subject(text: str, language: Language) -> frozenset[str]:
    """The words before the verb of "the tech lead is Wanda", with the verb: another end of it is a change.

    Empty where more is said than what something is, where, or what it uses.
    """
    person = _PERSON.match(text) if language.code == "en" else None
    if person:
        return frozenset(["=user is a"])
    text = text.replace("现在", "").replace("目前", "")  # in which 在 is no verb
    verb = _VERB[language.code].search(text)
    if verb is None or verb.start() < 2:
        return frozenset()
    words = _tokens(text[: verb.start()], language)
    following = _PREPOSITION.match(text, verb.end()) if language.code not in ("zh", "ja", "ko") else None
    said = text[following.end() if following else verb.end() :]
    if not 1 <= len(words) <= 5 or len(_tokens(said, language)) > _MOST_SAID:
        return frozenset()
    how = _SAME_VERB.get(verb[0].strip(), stem_of(verb[0].strip()))
    where = following["word"] if following and following["word"] not in (None, *_VALUE_OF) else ""
    return frozenset([*words, f"={how} {where}"])


# Verbs that say the same of something before and after it changed.
_SAME_VERB = {"改走": "走", "改由": "由", "改用": "用", "换成": "用", "改成": "是", "改为": "是", "改到": "在"}

_USING = {
    "en": r"use|uses|using|prefer|prefers|choose|chose|with|run|runs|have|write|writes|call|name|names",
    "de": r"nutzen|verwenden|benutzen|nutze|verwende|bevorzuge|nehmen|setzen",
    "fr": r"utilise|utilisons|préfère|avons|prenons",
    "es": r"usamos|usa|utilizamos|prefiero|uso",
    "pt": r"usamos|usa|use|utilizamos|prefiro|uso",
    "it": r"usiamo|usa|utilizziamo|preferisco|uso",
    "ru": r"используем|использует|используй",
}
_FOR = r"for|as|für|als|pour|comme|para|como|per|come|для|как"
_PURPOSE = {
    **{code: re.compile(rf"\b(?:{verbs})\b.{{1,60}}?\s(?:{_FOR})\s+(?P<what>.+)") for code, verbs in _USING.items()},
    "zh": re.compile(r"用\s*[^，,。]{1,20}?(?:做|来做|作为|当|写|管理|存)(?P<what>[^，,。]+)"),
}
_IN_CHARGE = re.compile(
    r"\b(?:owns|leads|maintains|manages|handles|approves|takes\scare\sof|looks\safter|is\s(?:now\s)?(?:responsible|in\scharge|the\s\w+)\s(?:for|of)"
    r"|ist\s(?:jetzt\s)?(?:zuständig|verantwortlich)\sfür|betreut|pflegt|s'occupe\sde|est\sresponsable\sd[eu]|es\sresponsable\sde|cuida\sd[aeo])\s+"
    r"(?P<what>.+)"
)


_ASK = re.compile(
    r"\b(?:ask|contact|ping|call|frag|frage|demande\sà|pregunta\sa|pergunte\sa)\s+(?P<who>\S+)\s+(?:for|about|nach|wegen|pour|sobre)\s+(?P<what>.+)"
)
_MOVED = re.compile(
    r"(?:(?:got|was|were|is|are|has\sbeen|have\sbeen)\s+)?(?:moved|pushed(?:\sback)?|shifted|rescheduled|postponed|changed|bumped|raised|lowered|renamed|upgraded)\s+(?:back\s|up\s|down\s)?to\b"
)

_WE_MOVED = re.compile(
    r"(?:we|i)(?:'ve|\s+have)?\s+(?:just\s+|now\s+)?(?:moved|raised|lowered|increased|reduced|changed|bumped|pushed|shifted|extended|cut)\s+(?P<what>[^,.;]+?)"
    r"\s+(?:from\s+\S+(?:\s\S+)?\s+)?to\s"
)


def _charge(text: str, language: Language) -> tuple[str, frozenset[str]] | None:
    """What "Nadia owns the payments module" is about, and who does: somebody else who does is a change."""
    found = _IN_CHARGE.search(text) or _ASK.search(text)
    if found is None:
        return None
    who = found.groupdict().get("who") or text[: found.start()].strip()
    words = _tokens(_CLAUSE_END.split(found["what"], maxsplit=1)[0], language)
    # Only a name stands before the verb.
    return (who, frozenset(words)) if len(who.split()) <= 2 and 0 < len(words) <= _MOST_OF_PURPOSE else None


def _moved(text: str, language: Language) -> frozenset[str]:
    """What "the standup got pushed to 9:45" or "we moved the standup to 9:45" is about."""
    found = _MOVED.search(text)
    by_us = _WE_MOVED.match(text)
    words = _tokens(by_us["what"] if by_us else text[: found.start()] if found else "", language)
    return frozenset(words if len(words) <= _MOST_OF_PURPOSE else [])


_CLAUSE_END = re.compile(r"[,;.，。；]|\s(?:and|but|because|since|so|instead|from\s+now)\s")
_MOST_OF_PURPOSE = 4


def _purpose(text: str, language: Language) -> frozenset[str]:
    """What "use Sass for styling" is about: another tool for it is a change."""
    expression = _PURPOSE.get(language.code)
    found = expression.search(text) if expression else None
    words = _tokens(_CLAUSE_END.split(found["what"], maxsplit=1)[0], language) if found else []
    return frozenset(words if len(words) <= _MOST_OF_PURPOSE else [])
