"""The rules by language, and which of them a sentence is read by."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import import_module

from memory_ls.pipeline.offline.language import Language

# How a text in one of these languages is known, by words or by what comes nearest to them; those in Latin letters are
# told apart by their frequent words.
_KANA = re.compile("[ぁ-んァ-ヴ]")
_HANGUL = re.compile("[가-힣]+")
_HAN = re.compile("[\u3400-\u9fff]")
_CYRILLIC = re.compile("[а-яё]+", re.IGNORECASE)
_LATIN = ("english", "german", "french", "spanish", "portuguese", "italian")


@cache
def rules_of(name: str) -> Language:
    """The rules of the language of that English name; worked out when first needed, since that takes its time."""
    module = import_module(f"{__name__}.{name}")
    rules: Language = getattr(module, name.upper())
    return rules


def language_of(text: str, around: str = "") -> Language:
    """The language a sentence is most likely in; ``around``, the message it stands in, helps with short ones."""
    mine, others = _counts(text), _counts(around)
    for script, name in ((_KANA, "japanese"), (_HANGUL, "korean"), (_HAN, "chinese"), (_CYRILLIC, "russian")):
        written = len(script.findall(text))
        # A sentence in Latin letters may name something in others: "remember that the north quay is called 北码头".
        if written and max(mine) < max(3, written):
            return rules_of(name)
    counts = [count + 0.3 * min(other, 5) for count, other in zip(mine, others, strict=True)]
    counts[0] += 0.5  # names and commands, of which chats are full, are no sign of any other
    return rules_of(_LATIN[counts.index(max(counts))])


# Paths, addresses and names of machines, whose parts are words of no language.
_NAMES = re.compile(r"\S*\w[-./_@:]\w\S*")


@cache
def _words_of(name: str) -> re.Pattern[str]:
    return re.compile(_FREQUENT[name], re.IGNORECASE)


@lru_cache(maxsize=64)
def _counts(text: str) -> tuple[int, ...]:
    """How many frequent words of each language in Latin letters a text has."""
    plain = _NAMES.sub(" ", text[:600])
    return tuple(len(_words_of(name).findall(plain)) for name in _LATIN)


# Without the words that English has too, and of English without those of the others.
_FREQUENT = {
    "english": r"\b(?:the|and|is|are|to|of|we|you|it|for|with|not|don't|never|always|please|my|our|this|that|be|have|"
    r"from|now|all|at|remember|when|should|must|i'm|it's|i|every|instead)\b",
    "german": r"\b(?:der|das|und|ist|nicht|wir|ich|ein|eine|einen|bitte|immer|nie|niemals|kein|keine|statt|mit|für|auf|den|"
    r"dem|im|zu|sind|jetzt|ab|mir|dir|dass|bei|wie|vor|nach|nur|auch|aber|heute|unser|unsere|heiße|bin|alle|jede|jeder|"
    r"verwende|nutze|müssen|steht|haben)\b|[äöüß]",
    "french": r"\b(?:le|la|les|des|du|une|est|et|pas|ne|je|nous|vous|tu|pour|dans|avec|sur|que|qui|au|aux|ce|cette|toujours|"
    r"jamais|mais|mes|mon|ma|par|sans|désormais|suis|avons|utilise|notre|avant|chaque|sont|lieu)\b|\b[ldjncs]['’]|[êèàçœ]",
    "spanish": r"\b(?:el|la|los|las|una|es|y|que|de|en|para|con|por|nunca|siempre|yo|nosotros|mi|mis|del|al|lo|esta|este|"
    r"pero|usamos|está|soy|como|prefiero|ahora|odio|nuestro|nuestra|usamos|hemos|decidimos)\b|[ñ¿¡]",
    "portuguese": r"\b(?:os|um|uma|é|e|não|que|de|da|dos|das|na|em|para|com|por|nunca|sempre|eu|nós|meu|minha|ao|mas|usamos|"
    r"está|você|sou|prefiro|agora|vez|nosso|nossa)\b|[ãõ]",
    "italian": r"\b(?:il|lo|la|gli|le|una|uno|è|e|non|che|di|del|della|nel|per|con|da|mai|sempre|io|noi|mio|mia|mi|al|questo|"
    r"questa|ma|usiamo|più|sono|dei|delle|poi|preferisco|invece|nostro|nostra|usa)\b|\bd['’]ora\b",
}
