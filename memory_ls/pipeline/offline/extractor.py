"""Finds what a user states outright in a chat log, without a model.

It would rather miss something than make a memory of a question, an idea or a passing wish: nobody trusts a memory
that holds things they never said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from memory_ls.chats.message import Message, Role
from memory_ls.directory.listing import MemorySummary
from memory_ls.pipeline.extract import Progress
from memory_ls.pipeline.offline import wording
from memory_ls.pipeline.offline.clauses import tellings_of
from memory_ls.pipeline.offline.days import with_dates
from memory_ls.pipeline.offline.language import Kind, Language
from memory_ls.pipeline.offline.languages import language_of
from memory_ls.pipeline.offline.of_chat import is_of_chat
from memory_ls.pipeline.offline.own_words import Sentence, sentences
from memory_ls.pipeline.offline.progress import from_thread, told
from memory_ls.pipeline.offline.statement import Reading, Refusal, Statement, asked_for, read, tentative
from memory_ls.pipeline.offline.topics import Relation, Telling, differs_alone, relation, replaces, stem_of, telling
from memory_ls.pipeline.redact import REDACTED
from memory_ls.pipeline.values import Candidate, Dropped, Evidence, Extraction
from memory_ls.secret_scan import find_secrets

# How much of a message helps to tell the language of its sentences, in characters.
_AROUND = 2000
# A joke that is no longer than this ("just kidding") is about what stands before it.
_SHORT_JOKE = 30
_SHORTEST_CONTENT = 4


class OfflineExtractor:
    """Takes what is stated outright in the user's own words. ``progress`` hears of the messages that are read."""

    def __init__(self, progress: Progress | None = None) -> None:
        self._progress = progress

    async def extract(self, messages: Sequence[Message], known: Sequence[MemorySummary]) -> Extraction:
        """The candidates in ``messages``. What says otherwise what is ``known`` is one also in plain words.

        Works in a thread, so that nobody waits for it.
        """
        import asyncio

        return await asyncio.to_thread(extract, messages, known, from_thread(self._progress))


def extract(
    messages: Sequence[Message], known: Sequence[MemorySummary] = (), progress: Progress | None = None
) -> Extraction:
    """The same at once."""
    gathering = _Gathering(_Known(known))
    previous = 0
    for number, message in told(messages, progress):
        if message.role is Role.USER:
            _gather(_spoken(message, number), previous, gathering)
            previous = number
    return Extraction(tuple(gathering.candidates()), tuple(gathering.dropped))


@dataclass(frozen=True, slots=True)
class _Found:
    """A candidate from the message of that number, with what tells whether a later one takes its place."""

    candidate: Candidate
    telling: Telling
    clauses: tuple[Telling, ...]
    number: int


# With so many of the latest statements that share a word with it a new one is compared: in a log made to be slow, all do.
_MOST_COMPARED = 40


@dataclass(slots=True)
class _Gathering:
    """What was found so far, by a number that grows. The last word counts."""

    known: _Known
    found: dict[int, _Found] = field(default_factory=dict)
    dropped: list[Dropped] = field(default_factory=list)
    _by_word: dict[object, list[int]] = field(default_factory=dict)
    _next: int = 0

    def put(self, new: _Found) -> None:
        """Adds what was said. What it changes goes; what it says again gets its evidence."""
        for key in self._near(new.telling):
            old = self.found[key]
            how = relation(new.telling, old.telling)
            if how is Relation.NONE and any(relation(part, old.telling) is Relation.CHANGED for part in new.clauses):
                how = Relation.CHANGED
            if how in (Relation.SAME, Relation.MORE):
                fuller = new if how is Relation.MORE or _says_why(new) > _says_why(old) else old
                evidence = (*old.candidate.evidence, *new.candidate.evidence)
                self.found[key] = replace(fuller, candidate=replace(fuller.candidate, evidence=evidence))
                self._index(key, new.telling)
                return
            if how is Relation.CHANGED and (
                new.telling.changing or replaces(new.telling, old.telling) or differs_alone(new.telling, old.telling)
            ):
                self._remove(key, "Something else was said later.")
                break
        self._next += 1
        self.found[self._next] = new
        self._index(self._next, new.telling)

    def _index(self, key: int, told: Telling) -> None:
        for word in _signs(told):
            self._by_word.setdefault(word, []).append(key)

    def _near(self, told: Telling) -> list[int]:
        keys = {key for word in _signs(told) for key in self._by_word.get(word, ())[-_MOST_COMPARED:]}
        return sorted(key for key in keys if key in self.found)

    def otherwise_than(self, told: Telling) -> Kind | None:
        """Of which kind is what was said before and ``told`` says otherwise or puts more closely, if anything is."""
        for key in self._near(told):
            if relation(told, self.found[key].telling) in (Relation.CHANGED, Relation.MORE):
                return Kind(self.found[key].candidate.type)
        return None

    def take_back(self, named: str, language: Language, numbers: tuple[int, int], spoken: str) -> None:
        """Takes back what is named, or else the last that was said in one of the messages of these ``numbers``.

        With nothing said there, it is what was said last if the sentence that is ``spoken`` has a word of it.
        """
        wanted = telling(named, named, language).words
        if named and not wanted:
            return
        for key, each in reversed(self.found.items()):
            is_meant = 2 * len(wanted & each.telling.words) >= len(wanted) if wanted else each.number in numbers
            if is_meant:
                self._remove(key, "The user took it back.")
                return
        for key in list(self.found)[-1:] if not named else ():
            if telling(spoken, spoken, language).words & self.found[key].telling.words:
                self._remove(key, "The user took it back.")

    def take_back_of(self, number: int, *, only_last: bool = False) -> None:
        """Takes back what was said in the message of that number."""
        keys = [key for key, each in self.found.items() if each.number == number]
        for key in keys[-1:] if only_last else keys:
            self._remove(key, "The user took it back.")

    def forget(self, number: int, text: str) -> None:
        """Leaves what came from ``text`` of that message: it is told again with more."""
        for key, each in list(self.found.items()):
            if each.number == number and text in each.candidate.evidence[0].quote:
                del self.found[key]

    def _remove(self, key: int, reason: str) -> None:
        self.dropped.append(Dropped(self.found.pop(key).candidate.name, reason))

    def candidates(self) -> Iterator[Candidate]:
        """What was found, each under a name of its own."""
        taken: Counter[str] = Counter()
        for each in self.found.values():
            name = each.candidate.name
            while name in taken:
                taken[each.candidate.name] += 1
                name = f"{each.candidate.name}-{taken[each.candidate.name]}"
            taken[name] += 1
            yield replace(each.candidate, name=name)


class _Known:
    """What the descriptions of the memories that exist tell, found by the words that they share with a sentence.

    Only those that share some are read closely: there may be ten thousand.
    """

    def __init__(self, memories: Sequence[MemorySummary]) -> None:
        self._memories = memories
        self._tellings: dict[int, Telling] = {}
        self._by_word: dict[str, list[int]] | None = None

    def otherwise_than(self, told: Telling) -> Kind | None:
        """Of which kind is the memory that ``told`` says otherwise, if one is."""
        shared = Counter(place for word in told.words for place in self._holding(word))
        for place, count in shared.most_common(_MOST_COMPARED):
            old = self._telling(place)
            if count < _SHARED_WITH_KNOWN and old.subject != told.subject:
                continue
            if relation(told, old) is Relation.CHANGED:
                kind = self._memories[place].type
                return Kind(kind) if kind in {each.value for each in Kind} else Kind.FACT
        return None

    def _holding(self, word: str) -> set[int]:
        """The places of the memories that have a word, or a part of it: those of ``auto-merge``."""
        parts = [word[:_STEM]] if word.isalpha() else _roughly(word)
        holders = (self._holders().get(part, ()) for part in parts)
        return {place for places in holders if len(places) <= _MOST_HOLDERS for place in places}

    def _telling(self, place: int) -> Telling:
        if place not in self._tellings:
            text = self._memories[place].description
            self._tellings[place] = telling(text, text, language_of(text))
        return self._tellings[place]

    def _holders(self) -> dict[str, list[int]]:
        if self._by_word is None:
            self._by_word = {}
            for place, memory in enumerate(self._memories):
                for word in set(_roughly(memory.description)):
                    self._by_word.setdefault(word, []).append(place)
        return self._by_word


_STEM = 5
# A word that more memories have says nothing.
_MOST_HOLDERS = 1000
_ROUGH_WORD = re.compile(r"[ぁ-ヿ㐀-鿿]+|[^\W_]+")


def _roughly(text: str) -> Iterator[str]:
    """The beginnings of the words of a text; of Chinese and Japanese pairs of signs."""
    for word in _ROUGH_WORD.findall(text.lower()):
        if word[0] >= "ぁ" and not "가" <= word[0] <= "힣":
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield stem_of(word)[:_STEM]


# A sentence that has fewer words in common with what a memory tells is about something else.
_SHARED_WITH_KNOWN = 2


def _signs(told: Telling) -> set[object]:
    """What two statements on one matter share at least one of."""
    return {told.folded, *told.words, *(kind for kind, _ in told.values)}


def _says_why(found: _Found) -> bool:
    return "\n" in found.candidate.content


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A message of the user's, read sentence by sentence; ``number`` counts from 1."""

    message: Message
    number: int
    sentences: list[Sentence]
    languages: list[Language]
    readings: list[Reading]

    def together(self, place: int) -> bool:
        """Whether the sentence at ``place`` stands in one paragraph with the one before it."""
        return place > 0 and self.sentences[place].paragraph == self.sentences[place - 1].paragraph


def _spoken(message: Message, number: int) -> _Spoken:
    own = sentences(message.text)
    languages = [language_of(sentence.plain, message.text[:_AROUND]) for sentence in own]
    return _Spoken(message, number, own, languages, [read(*pair) for pair in zip(own, languages, strict=True)])


def _gather(spoken: _Spoken, previous: int, gathering: _Gathering) -> None:
    """Takes what one message states; ``previous`` is the number of the user's message before it."""
    for place, reading in enumerate(spoken.readings):
        sentence, language = spoken.sentences[place], spoken.languages[place]
        # What is said in place of something is known by what it takes the place of: read before that is taken back.
        stated = _stated(spoken, place) or _said_otherwise(spoken, place, gathering)
        if reading.retracts is not None:
            gathering.take_back(reading.retracts, language, (previous, spoken.number), sentence.plain)
        if reading.refusal is Refusal.REFUSED:
            gathering.take_back_of(spoken.number)
            if sentence.text.endswith((":", "：")):
                return  # "Don't remember this:" is about all that follows
        if reading.refusal is Refusal.JOKING and len(sentence.text) < _SHORT_JOKE:
            gathering.take_back_of(spoken.number, only_last=True)
        if reading.refusal is Refusal.GRANTING and _would_last(sentence, language):
            gathering.dropped.append(
                Dropped(wording.name(sentence.text, language), "It would give an agent permission.")
            )
        if stated is not None:
            _take(spoken, *stated, gathering)


def _would_last(sentence: Sentence, language: Language) -> bool:
    """Whether a refused sentence has the form of a rule, so that it is worth telling why it was left."""
    plain = sentence.plain
    rules = (cue.pattern for cue in language.cues if cue.kind is Kind.RULE)
    return any(words.match(plain) for words in (language.remember, *rules)) or bool(language.standing.search(plain))


def _stated(spoken: _Spoken, place: int) -> tuple[int, Statement] | None:
    """What the sentence at ``place`` makes a statement of: itself, or the one before ("Remember that.")."""
    reading = spoken.readings[place]
    if _makes_rule(spoken, place):
        before = spoken.readings[place - 1]
        is_new = before.statement is None and before.refusal in _MAY_BE_REMEMBERED
        return (place, Statement(Kind.RULE, 0, len(spoken.sentences[place].plain), _ASKED)) if is_new else None
    if reading.remember_before:
        before = spoken.readings[place - 1] if place else reading
        if place == 0 or before.statement is not None or before.refusal not in _MAY_BE_REMEMBERED:
            return None
        return place - 1, asked_for(spoken.sentences[place - 1].plain, 0, spoken.languages[place - 1])
    if reading.statement is None and _is_complained_of(spoken, place):
        return place, Statement(Kind.RULE, 0, len(spoken.sentences[place].plain), _PLAIN_WORDS)
    if reading.statement is None or _follows_joke(spoken, place) or _follows_task(spoken, place):
        return None
    return place, reading.statement


def _said_otherwise(spoken: _Spoken, place: int, gathering: _Gathering) -> tuple[int, Statement] | None:
    """A sentence in plain words that says otherwise what is known or was said before."""
    sentence, language, reading = spoken.sentences[place], spoken.languages[place], spoken.readings[place]
    if (
        reading.statement
        or reading.refusal
        or reading.remember_before
        or sentence.intro
        or _follows_joke(spoken, place)
    ):
        return None
    start = tentative(sentence.plain, language)
    told = telling(sentence.text[start:], sentence.plain, language)
    if len(told.words) < _SHARED_WITH_KNOWN or is_of_chat(sentence.plain[start:]):
        return None
    kinds = map(gathering.known.otherwise_than, tellings_of(sentence.text[start:], sentence.plain, language))
    kind = next(filter(None, kinds), None)
    if kind is None and (told.changing or _corrects(spoken, place)):
        kind = gathering.otherwise_than(replace(told, changing=True))
    return (place, Statement(kind, start, len(sentence.plain), _PLAIN_WORDS)) if kind else None


def _corrects(spoken: _Spoken, place: int) -> bool:
    """Whether a sentence, or one before it in the message, takes back something: "Wait, there is only npm. Use npm." """
    read_so_far = zip(spoken.languages[: place + 1], spoken.sentences, strict=False)
    return any(language.correcting.match(sentence.plain) for language, sentence in read_so_far)


_PLAIN_WORDS = 0.6
_ASKED = 0.9

# "That goes for every run.": what stands before is a rule.
_RULE_BEFORE = re.compile(
    r"""
    (?:(?:and|yes)[,\s]+)?(?:that|this|the\ssame)(?:'s|\s(?:is|goes|holds|applies|counts))?\s(?:(?:true|valid)\s)?
        (?:(?:for|to|in)\s(?:every|each|all|any)\b|our\s(?:rule|convention|policy|standard)\b|(?:a|the)\s(?:rule|convention|policy|must)\b
        |how\swe\s(?:do|work)\b)
    |das\s(?:gilt|ist\seine?\sregel)\b|(?:ça|cela)\svaut\spour\b|(?:esto|eso)\svale\spara\b|isso\svale\spara\b|(?:这|以上)(?:对|适用于)(?:所有|每)
    |(?:这是|都是)(?:我们的?)?(?:规矩|规定|约定|规范|惯例)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "That's the second time …": the order that follows is no passing one.
_COMPLAINT = re.compile(
    r"""
    \b(?:(?:second|third|fourth|fifth|\d+(?:nd|rd|th))\stime|again\sand\sagain|over\sand\sover|how\s(?:many\stimes|often)|keep\s\w+ing|every\s(?:single\s)?time|drives?\sme\s\w+|hate\s(?:it\s)?when
        |i\s(?:already\s)?(?:told|said|asked)|zum\s(?:zweiten|dritten)\smal|schon\swieder|encore\sune\sfois|otra\svez|de\snovo)\b
    |第[二三四五]次|又(?:一次|来|忘)|说过(?:很多|多少|好几)?次|何度|또\s
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PROHIBITS = re.compile(
    r"(?:do\snot|don'?t|no\b|never|stop|nicht\s\w+|keine?\s|ne\s\w+\spas|no\s\w+|não\s\w+|别|不要|禁止)", re.IGNORECASE
)


def _says_only_dont(spoken: _Spoken, place: int) -> bool:
    """Whether what must not be done stands in the sentence before: "You keep adding comments. Don't." """
    return _ONLY_DONT.match(spoken.sentences[place].plain) is not None and _is_complained_of(spoken, place)


_ONLY_DONT = re.compile(
    r"(?:please\s)?(?:do\snot|don'?t|stop(?:\sit)?|lass\sdas|别|不要)(?:\s(?:do\s)?(?:it|that))?\s*(?:[,.!。，！—-]|$)",
    re.IGNORECASE,
)


def _makes_rule(spoken: _Spoken, place: int) -> bool:
    return spoken.together(place) and _RULE_BEFORE.match(spoken.sentences[place].plain) is not None


def _is_complained_of(spoken: _Spoken, place: int) -> bool:
    """Whether a sentence forbids what the one before complains of."""
    return (
        spoken.together(place)
        and spoken.readings[place].refusal is None
        and _COMPLAINT.search(spoken.sentences[place - 1].plain) is not None
        and _PROHIBITS.match(spoken.sentences[place].plain) is not None
    )


# What is left alone unless the user asks to remember it.
_MAY_BE_REMEMBERED = (None, Refusal.REPORTED, Refusal.NARRATING, Refusal.HYPOTHETICAL)
_SERIOUS = re.compile(
    r"\b(?:serious(?:ly)?|anyway|for\sreal|im\sernst|ernsthaft|sérieusement|bref|en\sserio|sério|sul\sserio|серьёзно)\b"
    r"|说正事|认真|好了|真面目|진지",
    re.IGNORECASE,
)


def _follows_joke(spoken: _Spoken, place: int) -> bool:
    """Whether an order stands behind a joke, as more of the same; one that is to last is meant."""
    sentence, statement = spoken.sentences[place], spoken.readings[place].statement
    if statement is None or statement.asked or statement.kind is not Kind.RULE:
        return False
    if spoken.languages[place].standing.search(sentence.plain) or _SERIOUS.search(sentence.plain):
        return False
    return any(
        reading.refusal is Refusal.JOKING and other.paragraph == sentence.paragraph
        for other, reading in zip(spoken.sentences[:place], spoken.readings[:place], strict=True)
    )


_TASK = re.compile(
    r"(?:(?:please|now|then|ok|next|and|can\syou|could\syou|let's)[,\s]+)*(?:implement|build|create|add|write|make|design|generate|develop|scaffold"
    r"|draw|set\sup|extend|implementiere|baue|erstelle|schreibe?|implémente|crée|ajoute|implementa|crea|añade|adiciona|crie|aggiungi)\s+(?!it\b|them\b|that\b|this\b|das\b|es\b)\w"
    r"|(?:请|帮我|麻烦|再|给我)*(?:实现|写一?个|做一?个|搭一?个|创建|新建|开发|加一?个|增加|设计一|生成)",
    re.IGNORECASE,
)
# Of what a task is described by ("Passwords must have 12 signs") no cue is surer than this.
_SURE = 0.7


def _follows_task(spoken: _Spoken, place: int) -> bool:
    """Whether a sentence goes on to say what is to be built, in one paragraph with the order to build it."""
    sentence, statement = spoken.sentences[place], spoken.readings[place].statement
    if statement is None or statement.asked or statement.confidence > _SURE or statement.kind is not Kind.RULE:
        return False
    if spoken.languages[place].standing.search(sentence.plain):
        return False
    return any(_TASK.match(other.plain) and other.paragraph == sentence.paragraph for other in spoken.sentences[:place])


def _take(spoken: _Spoken, place: int, statement: Statement, gathering: _Gathering) -> None:
    """Makes a candidate of a statement and puts it to the others."""
    sentence, language = spoken.sentences[place], spoken.languages[place]
    first, lead = place, ""
    if language.pointing_back.match(sentence.plain, statement.start) or _says_only_dont(spoken, place):
        is_told = (
            spoken.readings[place - 1].refusal is None or _makes_rule(spoken, place) or _says_only_dont(spoken, place)
        )
        if not spoken.together(place) or not is_told:
            return  # nobody could tell what "it" is
        first, lead = place - 1, _told(spoken, place - 1)
        gathering.forget(spoken.number, spoken.sentences[first].text)
    text, reason = _without_reason(sentence, statement, language)
    text = _CONCERNS_NOW.sub("", text)
    last = place
    if not reason and _explains(spoken, place + 1):
        last, reason = place + 1, spoken.sentences[place + 1].text
    quote = spoken.message.text[spoken.sentences[first].start : spoken.sentences[last].end]
    if _is_secret(quote):
        gathering.dropped.append(Dropped("a secret", "It holds a secret."))
        return
    day = spoken.message.time.date() if spoken.message.time else None
    kind = _kind(statement, sentence)
    body = wording.content(with_dates(f"{lead}{text}", day), kind, language)
    if len(body) < _SHORTEST_CONTENT:
        return
    why = f"\n\n**Why:** {_reason(with_dates(reason, day), language)}" if reason else ""
    candidate = Candidate(
        kind.value,
        wording.name(f"{lead}{text}" if body.startswith(language.says) else body, language),
        wording.description(body),
        body + why,
        (Evidence(spoken.number, quote),),
        statement.confidence,
    )
    told, *clauses = tellings_of(body, sentence.plain, language)
    if _corrects(spoken, place):
        told = replace(told, changing=True)
    gathering.put(_Found(candidate, told, tuple(clauses), spoken.number))


# "…, so I can fix it myself": what comes of it now.
_CONCERNS_NOW = re.compile(r",?\sso\si(?:'ll|\s(?:can|could|will|know|may|might))\b[^.]*", re.IGNORECASE)


def _told(spoken: _Spoken, place: int) -> str:
    """A sentence that the next one points back to."""
    statement = spoken.readings[place].statement
    return wording.sentence(spoken.sentences[place].text[statement.start if statement else 0 :]) + " "


def _without_reason(sentence: Sentence, statement: Statement, language: Language) -> tuple[str, str]:
    """The statement without its "because …", and the reason, if it gives one."""
    because = language.because.search(sentence.plain, statement.start, statement.end)
    if because is None or because.start("lead") - statement.start < _SHORTEST_CONTENT + 2:
        return sentence.text[statement.start : statement.end], ""
    reason = sentence.text[because.start("reason") : because.end("reason")]
    return sentence.text[statement.start : because.start("lead")], reason


_EXPLAINS_NOTHING = (Refusal.QUESTION, Refusal.JOKING, Refusal.REFUSED)


def _explains(spoken: _Spoken, place: int) -> bool:
    """Whether the sentence at ``place`` tells why the one before it holds."""
    if place >= len(spoken.sentences) or not spoken.together(place):
        return False
    plain, language, reading = spoken.sentences[place].plain, spoken.languages[place], spoken.readings[place]
    if reading.refusal in _EXPLAINS_NOTHING:
        return False
    if reading.statement is not None and not language.because.match(f" {plain}"):
        return False
    return language.explaining.match(plain) is not None


def _reason(reason: str, language: Language) -> str:
    line = wording.sentence(reason)
    because = language.because.match(f" {line}")
    return wording.content(_OF.sub("", because["reason"] if because else line, count=1), Kind.RULE, language)


# "because of its JSONB support"
_OF = re.compile(r"\Aof\s(?=\S)", re.IGNORECASE)
_PLACES = re.compile(
    r"https?://|\bwww\.|\b(?:dashboard|wiki|runbook|confluence|notion|jira|linear|grafana|sentry|slack\schannel"
    r"|bug\stracker|issue\stracker)\b|\btracked\sin\b|看板|飞书|语雀|知识库|仪表盘|监控面板|工单系统",
    re.IGNORECASE,
)


def _kind(statement: Statement, sentence: Sentence) -> Kind:
    """A fact about where something is found is a pointer."""
    return Kind.POINTER if statement.kind is Kind.FACT and _PLACES.search(sentence.text) else statement.kind


# "My password is …": whatever follows, unless it says where or how the secret is kept.
_TELLS_SECRET = re.compile(
    r"""
    \b(?:passwords?|passwd|passphrase|api[\s-]?keys?|tokens?|secrets?|pin(?:\scode)?|credentials?|passwort|kennwort
        |mot\sde\spasse|contraseña|senha|пароль)(?:\s+(?:(?:of|for|to|von|für|de|du|pour|para)\s[^.,;:=]{1,40}?|here|there|now))?\s*(?:is|are|=|:|lautet|ist|est|es|é|—)\s*
        (?!(?:in|at|on|under|from|by|not|never|always|the|a|an|stored|kept|managed|rotated|required|generated|called|named
            |set|read|loaded|encrypted|hashed|optional|valid|shared|nowhere|im|unter|auf|dans|en|no|na)\b)\S
    |(?:密码|口令|密钥|令牌|パスワード|비밀번호)\s*(?:是|改?[为成]|换成|设[为成]|：|:|=|は|는|은)\s*[A-Za-z0-9]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _is_secret(text: str) -> bool:
    return REDACTED in text or bool(find_secrets(text)) or _TELLS_SECRET.search(text) is not None
