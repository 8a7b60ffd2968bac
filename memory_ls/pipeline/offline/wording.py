"""Puts a statement into the words of a memory: content that stands by itself, a description in a line, a name."""

from __future__ import annotations

import re

from memory_ls.directory.listing import shortened
from memory_ls.documents.names import slug
from memory_ls.pipeline.offline.language import Kind, Language, words

_LONGEST_DESCRIPTION = 140
_MOST_NAME_WORDS = 6
_MOST_NAME_SIGNS = 14
_CJK = re.compile("[ぁ-ヿ㐀-鿿가-힣]")
_ENDS = ".!?…。！？"
# What is said to the listener at the end, and says nothing.
_CLOSING = re.compile(
    r"""
    [\s,;，、—–-]+(?:
        please|pls|thanks|thank\syou|thx|ok(?:ay)?|right|got\sit|remember|by\sthe\sway|btw|again|fyi|for\syour\sinformation
        |from\snow\son|these\sdays|nowadays|actually|(?<!\bnot\s)now|just\sso\syou\sknow|as\s(?:always|usual|ever|you\s(?:already\s)?know)
        |(?<=[,\s])(?:too|as\swell)|as\si\s(?:already\s)?(?:said|told\syou|mentioned)(?:\s(?:before|last\s\w+|earlier))?
        |bitte|danke|wie\s(?:gesagt|immer|üblich)|s'il\ste\splaît|stp|svp|merci|comme\s(?:toujours|d'habitude)
        |por\sfavor|gracias|como\ssiempre|obrigad[oa]|como\ssempre|per\sfavore|grazie|come\ssempre
        |пожалуйста|спасибо|как\sвсегда|谢谢|你知道的|别忘了|拜托了?|我说过(?:的|了)?
    )\s*[.!。！]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# When something begins to hold says nothing once it does.
_FROM_NOW = re.compile(
    r"""
    ,?\s*\b(?:from\s(?:now|here|today)\son(?:wards?)?|going\sforward|henceforth|as\sof\snow|starting\snow|effective\simmediately
        |ab\s(?:jetzt|sofort)|von\sjetzt\san|künftig|in\szukunft|désormais|dorénavant|à\spartir\sde\s(?:maintenant|désormais)
        |a\spartir\sde\s(?:ahora|agora)|de\s(?:ahora\sen\sadelante|agora\sem\sdiante)|daqui\s(?:pra|para\sa|em)\s(?:frente|diante)|d'ora\sin\s(?:poi|avanti)
        |отныне|впредь|с\sэтого\sмомента)\b,?(?=\s|[.!;:)]|$)
    |(?:(?<=[，,。；])|^)\s*(?:以后|今后|从现在(?:起|开始)|从今(?:以后|往后|天起)|今後は?|これからは?|앞으로는?|이제부터는?)[，,、]?\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What is said to the listener in the middle.
_ASIDE = re.compile(r",?\s(?:btw|by\sthe\sway|fyi|pls|plz|please)(?=\s*[,;.!])", re.IGNORECASE)
# Who decided it, and that something changes, are no part of what holds.
_DECIDED = re.compile(
    r"""
    (?:(?:that|this|it)\s(?:changes|changed|has\schanged)\b[^:.,]{0,40}:\s*)?
    (?:(?:we|i|they|it|the\s[\w-]+(?:\s[\w-]+)?|our\s[\w-]+)(?:'ve|\shave|\shas|\swas|\shas\sbeen)?\s(?:just\s|now\s|finally\s)?(?:decided|agreed)
        (?:\s(?:yesterday|today|last\s\w+|in\s[\w'\s]{3,40}))?(?:\sthat\s|\s?:\s+))?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_EMOTICON = re.compile(r"\s*(?:[:;]-?[()DP]+|[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?)\s*$")


def sentence(text: str) -> str:
    """``text`` on one line, with a capital letter and a full stop."""
    line = " ".join(text.split())
    line = line[_decided_end(line) :]
    left = _FROM_NOW.sub(_kept_comma, line)
    line = left if len(left) >= _LEAST_LEFT else line
    line = _ASIDE.sub("", line)
    line = _CLOSING.sub("", _EMOTICON.sub("", line)).strip(" ,;:—–-，、；：")
    # A quotation mark or bracket whose other half was left behind.
    for pair in ("()", "（）", "“”", "「」", "『』"):
        if pair[0] in line and pair[1] not in line:
            line = line.replace(pair[0], "")
        elif pair[1] in line and pair[0] not in line:
            line = line.replace(pair[1], "")
    line = line.rstrip("!！").rstrip() if line.rstrip("!！") else line
    if not line:
        return ""
    is_plain = not _CJK.search(line) and not _is_code_word(line.split()[0])
    first = line[0].upper() if line[0].islower() and is_plain else line[0]
    line = first + line[1:]
    if line[-1] in _ENDS or (line[-1] in "\"'”’」』)）`" and line[-2:-1] in _ENDS):
        return line
    return line + ("。" if _WIDE.search(line[-_NEAR_END:]) else ".")


# A line of fewer signs says nothing any more.
_LEAST_LEFT = 8


_CONTRAST_NEXT = re.compile(r"[,，]\s*(?:(?:and\s)?not|nicht|et\snon|y\sno|e\snão|而?不是)\b", re.IGNORECASE)


def _kept_comma(found: re.Match[str]) -> str:
    """The comma of ", not 15", which what goes out of the sentence takes with it."""
    comma = found[0][-1]
    return comma if _CONTRAST_NEXT.match(comma + found.string[found.end() :]) and found[0][0] != comma else ""


def _decided_end(line: str) -> int:
    decided = _DECIDED.match(line)
    return decided.end() if decided and len(line) - decided.end() >= _LEAST_LEFT else 0


def without_old(statement: str, old: str) -> str:
    """A statement without its ", not 15", where that is what ``old`` said."""
    contrast = _CONTRAST.search(statement)
    if contrast is None or contrast["old"].strip().casefold() not in old.casefold():
        return statement
    return _without(statement, contrast)


def without_contrast(statement: str, known: str) -> str:
    """A statement without its ", not 15", where ``known`` no longer says that; "" where it has none, or it does."""
    contrast = _CONTRAST.search(statement) or _CONTRAST_OF_A_WORD.search(statement)
    if contrast is None or contrast["old"].strip().casefold() in known.casefold():
        return ""
    return _without(statement, contrast)


def _without(statement: str, contrast: re.Match[str]) -> str:
    return sentence(statement[: contrast.start()] + statement[contrast.end() :])


_NOT = r"""
    \s*[,，(（]?\s*(?:(?<![^\s,(])(?:and\s)?not|instead\sof|rather\sthan|no\slonger|nicht(?:\smehr)?|statt|et\snon|au\slieu\sd[eu]|y\sno|en\slugar\sde|e\snão|em\svez\sde
        |而不是|不是|不再是)\s*
"""
_NOT_END = r"(?:\s(?:any\s?more|as\sbefore))?\s*[)）]?(?=[.。!！]*\s*$)"
_CONTRAST = re.compile(
    rf"{_NOT}(?P<old>\b[^,，.。;；()（）]{{0,20}}\d[^,，.。;；()（）]{{0,20}}?){_NOT_END}", re.IGNORECASE | re.VERBOSE
)
_CONTRAST_OF_A_WORD = re.compile(
    rf"{_NOT}(?P<old>\b[^\s,，.。;；()（）]{{1,20}}){_NOT_END}", re.IGNORECASE | re.VERBOSE
)


_WIDE = re.compile("[ぁ-ヿ㐀-鿿]")
# So near to its end tells which full stop a sentence has: "现在用 Vitest".
_NEAR_END = 16


def _is_code_word(word: str) -> bool:
    """``iOS`` and ``src/app.py`` keep their case."""
    return any(c.isupper() or c in "/_\\`" or c.isdigit() for c in word) or "." in word[:-1]


def content(text: str, kind: Kind, language: Language) -> str:
    """What the user said, as a memory that others read: of "the user" instead of "I" where that can be told."""
    line = sentence(text.rstrip("?？ "))  # what was asked to be remembered
    if language.code == "en":
        return sentence(_third_person(_spelled_out(line)))
    if language.code == "zh":
        return sentence(re.sub(r"(?<![自本])我(?!们|們|司|方|国)", "用户", line))
    if kind is Kind.PERSON:
        return f"{language.says}: “{line}”"
    return line


# What is typed in a hurry.
_SPELLED = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "doesnt": "doesn't",
    "cant": "can't",
    "wont": "won't",
    "isnt": "isn't",
    "u": "you",
    "ur": "your",
}
_HASTY = re.compile(rf"(?<![\w/.`'-])(?:{'|'.join(_SPELLED)})(?![\w/.`'-])")


def _spelled_out(line: str) -> str:
    return _HASTY.sub(lambda match: _SPELLED[match[0]], line)


_VERB_FORMS = {
    "am": "is", "'m": " is", "have": "has", "'ve": " has", "haven't": "hasn't", "do": "does", "don't": "doesn't",
    "'d": " would", "'ll": " will", "were": "was", "go": "goes",
}  # fmt: skip
_FIRST_PERSON = re.compile(
    r"""
    \bI(?P<short>['’](?:m|ve|d|ll))\b
    |\bI(?P<adverbs>(?:\s+(?:really|strongly|much|generally|usually|normally|typically|mostly|always|also|still|actually
        |personally|now|currently|only|just|mainly|never|exclusively|absolutely|already|often))*)
        \s+(?P<verb>[a-z]+(?:['’]t)?)\b
    |\b(?P<plain>I|me|my|mine|myself)\b(?![/`-]|\.\w)
    """,
    re.VERBOSE,
)


def _third_person(line: str) -> str:
    """The first "I" becomes "the user", those that follow "they"."""
    line = re.sub(r"(?<![\w/.`'-])i(?=(?:['’](?:m|ve|d|ll))?\s)", "I", line)
    line = re.sub(r"^My\b", "my", line)
    line = re.sub(r"^(?:Call|Address) me\b", lambda match: match[0].replace("me", "the user"), line)
    named = [bool(re.search(r"\b[Tt]he user\b", line))]
    return _FIRST_PERSON.sub(lambda match: _replaced(match, named), line)


def _replaced(match: re.Match[str], named: list[bool]) -> str:
    again, named[0] = named[0], True
    subject = "they" if again else "the user"
    if match["plain"]:
        forms = {
            "I": ("the user", "they"),
            "me": ("the user", "them"),
            "my": ("the user's", "their"),
            "mine": ("the user's", "theirs"),
        }
        return forms.get(match["plain"], ("themselves", "themselves"))[again]
    if match["short"]:
        short = match["short"].replace("’", "'")
        plural = {"'m": "'re", "'ve": "'ve", "'d": "'d", "'ll": "'ll"}
        return subject + (plural[short] if again else _VERB_FORMS[short])
    verb = match["verb"]
    if again:
        return f"{subject}{match['adverbs']} {'are' if verb == 'am' else verb}"
    return f"{subject}{match['adverbs']} {_of_one(verb)}"


# Verbs that are the same whoever does it.
_SAME_FORM = words(
    """can can't cannot will won't would wouldn't should shouldn't could couldn't must mustn't might may had hadn't did
    didn't was wasn't never always wrote said built led made ran went came saw knew taught got chose left grew spent"""
)


def _of_one(verb: str) -> str:
    if verb in _VERB_FORMS:
        return _VERB_FORMS[verb]
    if verb in _SAME_FORM:
        return verb
    if verb.endswith("ed") or (verb.endswith("s") and not verb.endswith("ss")):
        return verb
    if re.search(r"(?:s|x|ch|sh)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def description(text: str) -> str:
    """The first sentence in a line, cut at a word where it is too long, without its full stop."""
    line = " ".join(text.split("\n", 1)[0].split())
    return line.rstrip(".。") if len(line) <= _LONGEST_DESCRIPTION else shortened(line, _LONGEST_DESCRIPTION)


_NAME_WORD = re.compile(r"[a-zA-ZÀ-ɏ\u0400-\u04ff\d][\w'’.+#/@-]*|[\uac00-\ud7a3]+|[ぁ-ヿ㐀-鿿]+")
_WITHIN_NAME = re.compile(
    r"[的了请都把吧啊呢]|以后|今后|用户|我们|他们|可以|应该|一律|统一|务必|必须|使用|です|ます|ください|して|する|では|には|から|まで|を|は|が|に|で|の|と|も|へ"
)
# Words that carry no topic, but that a name needs to say the right thing.
_KEPT_IN_NAMES = {"no", "not", "never", "always", "without", "before", "after", "over", "instead"}
_LEFT_OUT = {"user", "user's", "says", "they", "they're", "it's", "there's", "that's", "we're", "https", "http", "www"}


_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_WIDE_CLAUSE = re.compile(r"[^，；。、\n]*[㐀-鿿ぁ-ヿ][^，；。、\n]{5,}(?=[，；。])")


def name(text: str, language: Language) -> str:
    """A slug of the words that carry the meaning."""
    first = _ADDRESS.sub(" ", text.split("\n", 1)[0])
    wide = _WIDE_CLAUSE.match(first)
    first = wide[0] if wide else first
    kept: list[str] = []
    signs = 0
    for word in _NAME_WORD.findall(first):
        if _CJK.match(word) and not "가" <= word[0] <= "힣":
            for part in filter(None, _WITHIN_NAME.split(word)):
                if signs < _MOST_NAME_SIGNS:
                    kept.append(part[: _MOST_NAME_SIGNS - signs])
                    signs += len(kept[-1])
            continue
        lowered = word.lower().strip("'’.-/")
        if lowered in ("don't", "dont", "avoid"):
            kept.append("no")
        elif lowered in _KEPT_IN_NAMES or (lowered not in language.stop_words and lowered not in _LEFT_OUT and lowered):
            kept.append(lowered)
    kept = kept[:_MOST_NAME_WORDS]
    while len(kept) > 1 and kept[-1] in _KEPT_IN_NAMES:
        kept.pop()
    return slug(" ".join(kept) or first)
