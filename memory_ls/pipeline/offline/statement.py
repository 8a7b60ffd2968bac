"""What a sentence of the user's states outright that lasts; or that it states nothing of the kind, and why not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memory_ls.pipeline.offline.language import Kind, Language
from memory_ls.pipeline.offline.own_words import HIDDEN, Sentence

_ASKED_TO_REMEMBER = 0.95
_STANDING = 0.85
_WORD = re.compile(r"\w+")
_CJK = re.compile("[ぁ-ヿ㐀-鿿가-힣]")
# A clause further on is taken only on a clear cue, since what comes before may change what it means.
_CLEAR = 0.65
_LATER_CLAUSE = 0.05
# A clause of fewer words ("never from main") goes on with the one before.
_WHOLE_CLAUSE = 5


class Refusal(Enum):
    """Why a sentence is no memory."""

    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    PASSING = "one-off"
    JOKING = "joke"
    REPORTED = "somebody else's words"
    REFUSED = "not to be remembered"
    GRANTING = "permission grant"
    NARRATING = "story"


@dataclass(frozen=True, slots=True)
class Statement:
    """What is stated: the sentence's text from ``start`` on, up to ``end`` (characters within the sentence)."""

    kind: Kind
    start: int
    end: int
    confidence: float
    asked: bool = False  # whether to remember it was asked for


@dataclass(frozen=True, slots=True)
class Reading:
    """What comes out of one sentence. ``retracts`` names what is taken back; empty: what was said last."""

    statement: Statement | None = None
    refusal: Refusal | None = None
    retracts: str | None = None
    remember_before: bool = False  # "Remember that.": the sentence before is meant


def read(sentence: Sentence, language: Language) -> Reading:
    """Reads one sentence by the rules of its language."""
    plain = sentence.plain
    if 2 * plain.count(HIDDEN) >= len(plain):
        return Reading(refusal=Refusal.REPORTED)
    retracts, start = _retraction(plain, language)
    if retracts is not None and not _WORD.search(plain, start):
        return Reading(retracts=retracts)
    refusal = _intro_refusal(sentence.intro, language) or _always_refused(plain, start, language)
    label = _LABEL.match(plain, start)
    if refusal is Refusal.PASSING and label and _holds_until(plain, label.end(), language):
        return Reading(asked_for(plain, label.end(), language), retracts=retracts)
    if refusal:
        apart = None
        if refusal is Refusal.PASSING and sentence.intro is None:
            apart = _before_consequence(plain, start, language) or _apart(plain, start, language)
        return Reading(apart, None if apart else refusal, retracts)
    asked = language.remember.match(plain, start)
    if asked is None:
        begin = _opening_end(plain, start, language)
        asked = language.remember.match(plain, begin)
    before = language.remember_before.search(plain, start)
    if before:
        if _size(plain[start : before.start()]) < 2:
            return Reading(retracts=retracts, remember_before=True)
        begin = _opening_end(plain, start, language)
        kind, _ = _kind(plain, begin, language)
        return Reading(Statement(kind, begin, before.start(), _ASKED_TO_REMEMBER, asked=True), retracts=retracts)
    if asked and asked.end() > asked.start():
        if _size(plain[asked.end() :]) < (3 if plain.startswith("to ", asked.end()) else 2):
            return Reading(retracts=retracts, remember_before=True)
        return Reading(asked_for(plain, asked.end(), language), retracts=retracts)
    if label:
        return Reading(asked_for(plain, label.end(), language), retracts=retracts)
    if sentence.intro and _asks_for_all(sentence.intro, language):
        return Reading(asked_for(plain, start, language), retracts=retracts)
    refusal = _refused(plain, language)
    if refusal:
        apart = _before_consequence(plain, start, language)
        if apart is None and refusal is Refusal.NARRATING:
            apart = _apart(plain, start, language)
        return Reading(apart, None if apart else refusal, retracts)
    return Reading(_stated(plain, start, language), retracts=retracts)


def _retraction(plain: str, language: Language) -> tuple[str | None, int]:
    match = language.retracted.match(plain)
    if not match or not match[0].strip():
        return None, 0
    named = next((value for value in match.groupdict().values() if value), "")
    return named.strip(), match.end()


def _always_refused(plain: str, start: int, language: Language) -> Refusal | None:
    """What is no memory even when the user asks to remember it."""
    if language.refused.search(plain, start):
        return Refusal.REFUSED
    if language.question.search(plain) and not language.asking.match(plain, start):
        return Refusal.QUESTION
    if language.joking.search(plain):
        return Refusal.JOKING
    if _is_passing(plain, start, language):
        return Refusal.PASSING
    if language.granting.search(plain):
        return Refusal.GRANTING
    return None


def _is_passing(plain: str, start: int, language: Language) -> bool:
    """Whether something holds for now only. "From today on" and the like are no sign of it."""
    lasting = [match.span() for match in language.standing.finditer(plain, start)]
    return any(
        not any(first < match.end() and match.start() < last for first, last in lasting)
        for match in language.passing.finditer(plain, start)
    )


def _holds_until(plain: str, start: int, language: Language) -> bool:
    """Whether all that passes in what is called a rule is that it ends some day."""
    passing = list(language.passing.finditer(plain))
    return all(match.start() >= start and _UNTIL.match(match[0]) for match in passing)


_UNTIL = re.compile(r"until|till|bis|jusqu|hasta|até|fino|直到|まで", re.IGNORECASE)


def _refused(plain: str, language: Language) -> Refusal | None:
    if language.hypothetical.search(plain):
        return Refusal.HYPOTHETICAL
    if language.reported.search(plain):
        return Refusal.REPORTED
    if language.narrating.search(plain):
        return Refusal.NARRATING
    return None


def _intro_refusal(intro: Sentence | None, language: Language) -> Refusal | None:
    """ "For this PR:" holds for every item of the list below it."""
    if intro is None:
        return None
    plain = intro.plain
    if language.refused.search(plain):
        return Refusal.REFUSED
    if language.passing.search(plain):
        return Refusal.PASSING
    if _asks_for_all(intro, language):
        return None
    return Refusal.PASSING if _TASKS.search(plain) else _refused(plain, language)


# A list below these is what is to be done.
_TASKS = re.compile(
    r"\b(?:requirements?|acceptance|criteria|spec|specification|user\sstor(?:y|ies)|to-?\s?dos?|tasks?|steps?|checklist|features?|implement|build"
    r"|create|add|fix|need|needs|wants?|should|plan|anforderungen|aufgaben|schritte|exigences|tâches|étapes|requisitos|tareas|pasos|tarefas"
    r"|requisiti|compiti|требования|задачи|шаги)\b|需求|任务|步骤|功能|要做|实现|验收|待办|要件|タスク|手順|요구|작업|단계",
    re.IGNORECASE,
)


_RULES = re.compile(
    r"\b(?:rules?|conventions?|guidelines?|preferences?|house\s+style|regeln|konventionen|vorlieben|règles|préférences|conventions|reglas|preferencias"
    r"|regras|preferências|regole|preferenze|правила|предпочтения)\b|规则|规范|规矩|原则|约定|偏好|习惯|規則|ルール|規約|好み|규칙|선호",
    re.IGNORECASE,
)


# "Our conventions: feature branches start with feat/"
_LABEL = re.compile(
    rf"(?:[\w'’-]+\s+){{0,4}}(?:{_RULES.pattern})(?:\s+\w+){{0,4}}?(?:\s+(?:are|is))?\s*[:：]\s*(?=\S+\s*\S)",
    re.IGNORECASE,
)


def _asks_for_all(intro: Sentence, language: Language) -> bool:
    """Whether the line above a list asks to remember the items, or calls them rules."""
    plain = intro.plain
    opened = _opening_end(plain, 0, language)
    return bool(
        language.remember.match(plain)
        or language.remember.match(plain, opened)
        or language.standing.search(plain)
        or _RULES.search(plain)
    )


def asked_for(plain: str, start: int, language: Language) -> Statement:
    """What the user asks to remember, which stands from ``start`` on."""
    begin = _opening_end(plain, start, language)
    kind, confidence = _kind(plain, begin, language)
    if not confidence and _FIRST_PERSON.match(plain, begin):
        kind = Kind.PERSON
    return Statement(kind, begin, len(plain), _ASKED_TO_REMEMBER, asked=True)


_FIRST_PERSON = re.compile(
    r"(?:i|my|ich|mein\w*|je|j'|mon|ma|mes|yo|mi|mis|eu|meu|minha|io|mio|mia|я|мой|моя)\b|我(?!们|們)|私|僕|나는|저는|내\s|제\s",
    re.IGNORECASE,
)


def tentative(plain: str, language: Language) -> int:
    """Where a sentence begins that states nothing by itself: it may still say otherwise what is known."""
    retracts = language.retracted.match(plain)
    return _opening_end(plain, retracts.end() if retracts else 0, language)


def _opening_end(plain: str, start: int, language: Language) -> int:
    """Where a sentence begins to say something, behind "No, please, from now on"."""
    while True:
        before = start
        for opening in (language.opening, language.standing):
            match = opening.match(plain, start)
            if match and _WORD.search(plain, match.end()) and not _SAYS_SOMETHING.search(match[0]):
                start = match.end()
                while start < len(plain) and plain[start] in " ,:;，：、—–-":
                    start += 1
        if start == before:
            return start


# "By default" is no opening: without it something else is said.
_SAYS_SOMETHING = re.compile(
    "先.{1,12}再|default|默认|默認|standard|défaut|defecto|padrão|умолчанию|デフォルト|기본", re.IGNORECASE
)


def _stated(plain: str, start: int, language: Language) -> Statement | None:
    begin = _opening_end(plain, start, language)
    kind, confidence = _kind(plain, begin, language)
    if confidence:
        return Statement(kind, begin, len(plain), confidence)
    if language.standing.search(plain) and _size(plain[begin:]) >= 2:
        return Statement(Kind.RULE, begin, len(plain), _STANDING)
    if language.asking.match(plain, start):
        return Statement(Kind.RULE, begin, len(plain), _STANDING)
    return _in_later_clause(plain, begin, language)


# What stands behind these is a statement of its own: "Leave it for now, but from today on always …"
_OWN_PART = re.compile(r";\s|\s[—–]\s|,?\s(?:but|aber|mais|pero|mas|ma|но)\s|；|[，,](?:但是?|不过|可是)")
_SURE = 0.8


def _apart(plain: str, start: int, language: Language) -> Statement | None:
    """A sure statement in the last part of a sentence whose other parts are refused."""
    parts = list(_OWN_PART.finditer(plain, start))
    if not parts:
        return None
    first = parts[-1].end()
    rest = plain[first:]
    if _always_refused(rest, 0, language) or _refused(rest, language):
        return None
    statement = _stated(rest, 0, language)
    if statement is None or statement.confidence < _SURE:
        return None
    return Statement(statement.kind, first + statement.start, len(plain), statement.confidence)


# What follows these is why something holds or what comes of it, and may be a story or hold for now.
_CONSEQUENCE = re.compile(
    r"""
    [,;]?\s+(?P<why>otherwise|because|since|or\selse)\b|,\s+(?:so|then)\s(?!(?:please|always|never)\b)|;\s|\s[—–]\s
    |,\s+(?P<reason>sonst|weil|denn|sinon|car|parce|porque|si\sno|senão|altrimenti|perché|иначе|потому)\b
    |,\s+(?:also|deshalb|donc|así\sque|então|entonces|quindi|поэтому)\b|[，；](?P<wide>否则|不然|因为|毕竟)|[，；](?:所以|因此)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _before_consequence(plain: str, start: int, language: Language) -> Statement | None:
    """A clear statement in the first part of a sentence of which only what comes of it is refused."""
    tail = _CONSEQUENCE.search(plain, start + _WHOLE_CLAUSE)
    if tail is None:
        return None
    head = plain[: tail.start()]
    if _always_refused(head, start, language) or _refused(head, language):
        return None
    begin = _opening_end(head, start, language)
    kind, confidence = _kind(head, begin, language)
    if not confidence and language.standing.search(head):
        kind, confidence = Kind.RULE, _STANDING
    if confidence < _CLEAR - _LATER_CLAUSE:
        return None
    tells_why = any(tail[group] for group in ("why", "reason", "wide"))
    return Statement(kind, begin, len(plain) if tells_why else tail.start(), confidence)


_CLAUSE = re.compile(
    r"(?:[,;:]|\s[—–-])\s+(?:(?:and|but|so|also|und|aber|et|mais|y|pero|e|mas|ma|и|но)\s+)?|[，；：、]\s*|\s(?:but|aber|mais|pero|mas|ma|но)\s"
)


def _in_later_clause(plain: str, begin: int, language: Language) -> Statement | None:
    for clause in _CLAUSE.finditer(plain, begin):
        start = _opening_end(plain, clause.end(), language)
        kind, confidence = _kind(plain, start, language)
        if confidence >= _CLEAR:
            first = begin if _size(plain[start:]) < _WHOLE_CLAUSE else start
            return Statement(kind, first, len(plain), confidence - _LATER_CLAUSE)
    return None


def _kind(plain: str, start: int, language: Language) -> tuple[Kind, float]:
    """What a statement is about and how sure it is one: the surest cue decides."""
    kind, confidence = Kind.FACT, 0.0
    for cue in language.cues:
        if cue.confidence > confidence and cue.pattern.match(plain, start):
            kind, confidence = cue.kind, cue.confidence
    return kind, confidence


def _size(text: str) -> int:
    """How many words a text has; in scripts without spaces every two characters count."""
    wide = len(_CJK.findall(text))
    return len(_WORD.findall(_CJK.sub(" ", text))) + (wide + 1) // 2
