"""Finds secrets in a text: keys, tokens, private keys and passwords, with their exact place.

It is for the rule ``secret`` and for whatever else must not pass a secret on. All of them want the same answer, and
would rather miss a doubtful case than accuse a slug, a variable or a placeholder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import log2
from typing import AnyStr, NamedTuple

# Why the table is our own. Measured with Python 3.11 on the two tables of tests/test_secret_scan.py as they were first
# written, 54 texts with a secret and 56 without; the time is for 1.4 KB of a markdown file that holds none:
#
#   detector                         found  false alarms  a clean text   at start  brings
#   detect-secrets 1.5.0, defaults   37     18            14,000 us        110 ms  requests and four more, PyYAML
#     only its 23 named plugins      26      6               640 us
#   bc-detect-secrets 1.5.52         32     20            11,000 us        180 ms  the same and unidiff
#   agentsweep 0.1.9                 33     10               860 us         85 ms  rich, pyahocorasick
#   kingfisher-secret-scanner 1.5.0  34      4                14 us      4,700 ms  a binary of 36 MB
#   this module                      54      0                15 us          2 ms  nothing
#
# (The last line is no surprise: it was written against these texts. In 44,000 source and documentation files, 500 MB,
# that came with Python, Node, Debian and the AWS CLI, it told 61 values, nearly all of them samples that look as real
# as any.) detect-secrets, the one widely used, yields values without their place, reads line by line, so that a PEM
# block is its BEGIN line, and has no plugin for Anthropic, Hugging Face, Google or fine-grained GitHub tokens; its last
# release is of May 2024. credsweeper would bring 400 MB (onnxruntime, pandas). So no kind is taken from a library; the
# prefixes and lengths below are facts that the services publish.
#
# How it stays fast: a text is flattened to one byte a character, so offsets agree and CJK costs no more than ASCII.
# Byte searches in C look for runs of 16 key characters and for a few names ("pass", "token", …). Regular expressions
# run only at those places, are compiled when first needed, and are bounded, so the time stays linear.


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret lies and what it is; never the value itself, so that no log and no repr can leak it.

    kind: words for people, such as "GitHub token" or "password".
    start, end: character offsets into the scanned text, end exclusive; exactly the value, without name and quotes.
    """

    kind: str
    start: int
    end: int


def shown(secret_text: str) -> str:
    """The only form in which a secret may be shown: its first four characters (one, if it has fewer than 8) and "…"."""
    return secret_text[: 4 if len(secret_text) >= 8 else 1] + "…"


def find_secrets(text: str) -> list[Secret]:
    """All secrets in the text, in order of place, none overlapping another. Never raises, whatever the text holds."""
    flat = text.encode("ascii", "replace")  # one byte a character: what is not ASCII becomes "?"
    hits: list[_Hit] = list(_keys(text, flat))
    lowered = flat.lower()
    for anchor, finder in _ANCHORS.items():
        if anchor in lowered:
            for place in _places(lowered, anchor):
                hits.extend(finder(text, place))
    if not text.isascii():
        for character, names in _CJK_NAMES.items():
            if character in text:
                for name, kind in names:
                    for place in _places(text, name):
                        hits.extend(_cjk_named(text, place, place + len(name), kind))
    if b"@" in flat:
        for place in _places(flat, b"://"):
            hits.extend(_url_password(text, place))
    return _without_overlaps(hits) if hits else []


class _Hit(NamedTuple):
    """A candidate that passed its checks. Of two that overlap the lower rank is told."""

    start: int
    rank: int
    end: int
    kind: str


# Ranks: a whole key block, a value known by its shape, a value known by the name before it.
_BLOCK, _SHAPED, _NAMED = range(3)


def _without_overlaps(hits: list[_Hit]) -> list[Secret]:
    kept: list[_Hit] = []
    for hit in sorted(hits):
        if not kept or hit.start >= kept[-1].end:
            kept.append(hit)
        elif hit.rank < kept[-1].rank:  # "password = pypi-Ag…": the shape says more than the name
            kept[-1] = hit
    return [Secret(hit.kind, hit.start, hit.end) for hit in kept]


def _places(text: AnyStr, needle: AnyStr) -> Iterator[int]:
    """Every place of the needle, without overlaps."""
    place = text.find(needle)
    while place >= 0:
        yield place
        place = text.find(needle, place + len(needle))


@cache
def _regex(source: str) -> re.Pattern[str]:
    """Compiled when first needed: compiling them all would cost 15 ms at import, and most texts need none."""
    return re.compile(source, re.ASCII)


# --- Keys known by their shape ----------------------------------------------------------------------------------------

_K = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_RUN_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_RUN_MAP = bytes(ord("k") if byte in _RUN_BYTES else ord(" ") for byte in range(256))
_SHORTEST_RUN = b"k" * 16
_LONGEST_RUN = 4096  # characters; anything longer is an embedded file, not a key


class _Shape(NamedTuple):
    """How the keys of one service look: the group ``body`` must be random, or ``check`` is asked about the whole."""

    kind: str
    source: str
    check: Callable[[str], bool] | None = None


def _from_base64(value: str) -> bytes:
    """The bytes of a base64 text in either alphabet, padded or not; none when it is no base64."""
    from base64 import b64decode  # here, since few texts need it and every start of the program would pay

    try:
        return b64decode(value.replace("-", "+").replace("_", "/") + "=" * (-len(value) % 4))
    except ValueError:
        return b""


def _is_jwt(value: str) -> bool:
    """Three parts of which the first two are JSON, signed, and not one that everybody may know."""
    import json

    header, payload, _signature = value.split(".")
    try:
        head, claims = json.loads(_from_base64(header)), json.loads(_from_base64(payload))
    except (ValueError, RecursionError):
        return False
    if not isinstance(head, dict) or not isinstance(claims, dict):
        return False
    if not isinstance(head.get("alg"), str) or head["alg"].lower() == "none":
        return False
    # The example of jwt.io and of most tutorials, and Supabase's key for browsers, are public on purpose.
    return claims.get("sub") != "1234567890" and claims.get("name") != "John Doe" and claims.get("role") != "anon"


def _is_aws_id(value: str) -> bool:
    """Sixteen capitals and digits after ``AKIA``; one in thirty has no digit, so that says nothing."""
    return len(set(value[4:])) >= 7 and not _is_wordy(value[4:]) and not _is_placeholder(value)


def _is_discord_token(value: str) -> bool:
    """A Discord token begins with the bot's id, 17 to 20 digits, in base64: nothing else looks like that."""
    digits = _from_base64(value.partition(".")[0])
    return 17 <= len(digits) <= 20 and digits.isdigit()


_AWS_ID, _AWS_SECRET = "AWS access key id", "AWS secret access key"
_SLACK_PARTS = rf"(?:{_ALNUM}{{1,20}}-){{0,4}}(?P<body>{_ALNUM}{{16,}})"
_ROUTE = r"\.[0-9a-z]{2}\.?[0-9a-z]{7,9}"  # what GitLab's newer tokens end with
# By the first two characters of a run of key characters. Stripe's test and publishable keys, AWS ids of users and
# roles (AIDA, AROA) and Twilio's account ids open nothing, so they are not here.
_SHAPES: dict[bytes, list[_Shape]] = {}
for _first, _kind, _source in (
    ("gh", "GitHub token", rf"gh[pour]_(?P<body>{_ALNUM}{{36,255}})(?!{_ALNUM})"),
    ("gh", "GitHub token", rf"ghs_(?P<body>[A-Za-z0-9._-]{{35,2000}}{_K})"),  # since 2026: an app id and a JWT
    ("gi", "GitHub token", rf"github_pat_(?P<body>{_ALNUM}{{22}}_{_ALNUM}{{59}})"),
    ("gl", "GitLab token", rf"gl(?:pat|[drf]t|rtr|ptt|cbt|soat|oas|agent|imt)-(?P<body>{_K}{{20,300}}(?:{_ROUTE})?)"),
    ("GR", "GitLab runner token", rf"GR1348941(?P<body>{_K}{{20}})(?!{_K})"),
    ("sk", "Anthropic API key", rf"sk-ant-(?:[a-z]{{2,8}}[0-9]{{2}}-)?(?P<body>{_K}{{20,}})"),
    ("sk", "OpenAI API key", rf"sk-(?:proj|svcacct|admin|None)-(?P<body>{_K}{{20,}})"),
    ("sk", "OpenAI API key", rf"sk-(?P<body>{_ALNUM}{{20}}T3BlbkFJ{_ALNUM}{{20}})(?!{_K})"),
    ("sk", "OpenRouter API key", rf"sk-or-v1-(?P<body>[0-9a-f]{{64}})(?!{_K})"),
    ("sk", "API key", rf"sk-(?P<body>{_ALNUM}{{20,}})(?!{_K})"),  # OpenAI's older keys and its imitators
    ("sk", "Stripe secret key", rf"sk_live_(?P<body>{_ALNUM}{{16,}})"),
    ("rk", "Stripe restricted key", rf"rk_live_(?P<body>{_ALNUM}{{16,}})"),
    ("wh", "webhook signing secret", r"whsec_(?P<body>[A-Za-z0-9+/]{24,}={0,2})"),
    ("xo", "Slack token", rf"xox[abeoprs]-{_SLACK_PARTS}"),
    ("xa", "Slack token", r"xapp-[0-9]-[A-Z0-9]{8,}-[0-9]{8,}-(?P<body>[0-9a-f]{32,})"),
    ("AI", "Google API key", rf"AIza(?P<body>{_K}{{35}})(?!{_K})"),
    ("GO", "Google OAuth client secret", rf"GOCSPX-(?P<body>{_K}{{28}})(?!{_K})"),
    ("np", "npm token", rf"npm_(?P<body>{_ALNUM}{{36}})(?!{_K})"),
    ("py", "PyPI token", rf"pypi-(?P<body>Ag{_K}{{50,}})"),
    ("SK", "Twilio API key", rf"SK(?P<body>[0-9a-f]{{32}})(?!{_K})"),
    ("hf", "Hugging Face token", rf"hf_(?P<body>{_ALNUM}{{34,40}})(?!{_K})"),
    ("AG", "age private key", r"AGE-SECRET-KEY-(?P<body>1[A-Z0-9]{58})"),
    ("do", "DigitalOcean token", r"do[opr]_v1_(?P<body>[0-9a-f]{64})"),
    ("gs", "Groq API key", rf"gsk_(?P<body>{_ALNUM}{{40,60}})(?!{_K})"),
    ("xa", "xAI API key", rf"xai-(?P<body>{_ALNUM}{{70,90}})(?!{_K})"),
    ("pp", "Perplexity API key", rf"pplx-(?P<body>{_ALNUM}{{40,60}})(?!{_K})"),
    ("r8", "Replicate token", rf"r8_(?P<body>{_ALNUM}{{37}})(?!{_K})"),
    ("sb", "Supabase key", rf"sb(?:p|_secret)_(?P<body>{_K}{{30,60}})"),
    ("sh", "Shopify token", r"shp(?:at|ca|pa|ss)_(?P<body>[0-9a-fA-F]{32})"),
    ("li", "Linear API key", rf"lin_(?:api|oauth)_(?P<body>{_ALNUM}{{40,64}})(?!{_K})"),
    ("nt", "Notion token", rf"ntn_(?P<body>{_ALNUM}{{40,50}})(?!{_K})"),
    ("dc", "Docker Hub token", rf"dckr_(?:pat|oat)_(?P<body>{_K}{{27,32}})(?!{_K})"),
    ("da", "Databricks token", r"dapi(?P<body>[0-9a-f]{32})(?:-[0-9])?"),
):
    _SHAPES.setdefault(_first.encode(), []).append(_Shape(_kind, _source))
for _first in ("AK", "AS"):
    _SHAPES[_first.encode()] = [_Shape(_AWS_ID, rf"A[KS]IA[A-Z0-9]{{16}}(?!{_K})", _is_aws_id)]
_SHAPES[b"ey"] = [_Shape("JWT", rf"eyJ{_K}{{8,}}+\.eyJ{_K}{{8,}}+\.{_K}{{20,}}+", _is_jwt)]
for _first in ("MT", "MD", "Mj", "Mz", "NT", "ND", "Nj", "Nz", "OT", "OD", "Oj", "Oz"):  # digits in base64
    _SHAPES[_first.encode()] = [_Shape("Discord token", rf"{_K}{{23,28}}\.{_K}{{6}}\.{_K}{{27,}}", _is_discord_token)]


class _LedShape(NamedTuple):
    """A key known by what stands before its longest run. The group ``lead``, if there is one, belongs to the secret."""

    kind: str
    before: str
    source: str


# By the character before the run. The host of a webhook is no secret, the path is.
_LED_SHAPES = {
    b".": (
        _LedShape("SendGrid API key", r"(?P<lead>\bSG\.)$", rf"(?P<body>{_K}{{22}}\.{_K}{{43}})(?!{_K})"),
        _LedShape("Google access token", r"(?P<lead>\bya29\.)$", rf"(?P<body>{_K}{{30,}})"),
        _LedShape("Vault token", r"(?P<lead>\bhv[sb]\.)$", rf"(?P<body>{_K}{{24,}})"),
        _LedShape("Slack token", r"(?P<lead>\bxoxe\.)$", rf"xox[bp]-{_SLACK_PARTS}"),
    ),
    b":": (_LedShape("Telegram bot token", r"\b(?P<lead>[0-9]{8,10}:)$", rf"AA(?P<body>{_K}{{33}})(?!{_K})"),),
    b"/": (
        _LedShape(
            "Slack webhook",
            r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<lead>[A-Z0-9]{8,12}/[A-Z0-9]{8,20}/)$",
            rf"(?P<body>{_ALNUM}{{24,32}})(?!{_K})",
        ),
        _LedShape("Discord webhook", r"/api/webhooks/[0-9]{17,20}/$", rf"(?P<body>{_K}{{60,80}})(?!{_K})"),
        _LedShape("Google refresh token", r"\b(?P<lead>1//)$", rf"(?P<body>0{_K}{{30,}})"),
    ),
}
_FURTHEST_LEAD = 80  # characters before a run that may name its service


def _keys(text: str, flat: bytes) -> Iterator[_Hit]:
    """Keys of known shape: every run of at least 16 key characters, asked by how it begins or what leads to it."""
    runs = flat.translate(_RUN_MAP)
    begin = runs.find(_SHORTEST_RUN)
    while begin >= 0:
        end = runs.find(b" ", begin + len(_SHORTEST_RUN))
        if end < 0:
            end = len(runs)
        if end - begin <= _LONGEST_RUN:
            before = flat[begin - 1 : begin]
            start = begin
            if before == b"\\":  # JSON within JSON: "\nghp_…" or "\u003dghp_…" ended with the escape
                start += 5 if text[begin] == "u" else 1
            elif before == b"%":  # percent-encoded: "%3DAIza…"
                start += 2
            elif flat[begin] in b"-_":  # emphasis, a list bullet, a flag
                start = end - len(flat[begin:end].lstrip(b"-_"))
            if shapes := _SHAPES.get(flat[start : start + 2]):
                yield from _shaped(text, start, shapes)
            if before == b" ":
                if flat[start - 6 : start].lower() in (b"earer ", b"basic "):
                    yield from _authorization(text, start)
            elif led := _LED_SHAPES.get(before):
                yield from _led(text, begin, led)
        begin = runs.find(_SHORTEST_RUN, end)


def _shaped(text: str, start: int, shapes: list[_Shape]) -> Iterator[_Hit]:
    for shape in shapes:
        match = _regex(shape.source).match(text, start)
        if match is None:
            continue
        if shape.check(match[0]) if shape.check else _is_drawn(match["body"]):
            yield _Hit(start, _SHAPED, match.end(), shape.kind)
            if shape.kind == _AWS_ID:
                yield from _aws_secret_beside(text, start, match.end())
        return


def _led(text: str, start: int, shapes: tuple[_LedShape, ...]) -> Iterator[_Hit]:
    for shape in shapes:
        match = _regex(shape.source).match(text, start)
        if match is None or not _is_drawn(match["body"]):
            continue
        lead = _regex(shape.before).search(text[max(0, start - _FURTHEST_LEAD) : start])
        if lead is not None:
            own = len(lead["lead"]) if "lead" in lead.groupdict() else 0
            yield _Hit(start - own, _SHAPED, match.end(), shape.kind)


def _aws_secret_beside(text: str, start: int, end: int) -> Iterator[_Hit]:
    """The secret half has no mark of its own: 40 base64 characters, near an access key id."""
    near = _regex(r"(?<![A-Za-z0-9/+=_.-])[A-Za-z0-9/+]{40}(?!\.?[A-Za-z0-9/+=_-])")
    for match in near.finditer(text, max(0, start - 200), min(len(text), end + 200)):
        if _is_aws_secret(match[0]):
            yield _Hit(match.start(), _SHAPED, match.end(), _AWS_SECRET)


def _is_aws_secret(value: str) -> bool:
    """Base64 of 30 random bytes always mixes both cases; a git SHA or a path in lower case does not."""
    return not value.islower() and not value.isupper() and _is_drawn(value)


def _private_key(text: str, place: int) -> Iterator[_Hit]:
    """A PEM block: from BEGIN to END, or to where it was cut. A BEGIN line with "..." below it is an illustration."""
    label = _regex(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}$").search(text[max(0, place - 48) : place])
    if label is None:
        return
    # Lines may be numbered, quoted, indented, or joined by the "\n" of JSON, also of JSON in JSON. Pieces of 16 characters
    # and more are the key; shorter ones only count before END, for they could be the words that follow a key that was cut.
    between = r"(?:\n[ \t]*+\d{1,6}[\t→:|]|\s|\\{1,4}[nr]|[>|,\"'])"
    block = _regex(
        rf"PRIVATE KEY(?: BLOCK)?-----{between}*+"
        rf"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]{{0,100}}{between}++){{0,5}}"
        rf"(?P<base64>(?:[A-Za-z0-9+/=]{{16,}}+{between}*+)++)"
        rf"(?:(?:[A-Za-z0-9+/=]{{1,15}}+{between}*+){{0,2}}"
        r"(?P<last>-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----))?"
    ).match(text, place)
    if block is None:
        return
    base64 = _regex(rf"{between}+").sub("", block["base64"])
    # The shortest key, an Ed25519 one, has 64 characters; less is an illustration, "MIIEow…".
    if len(base64) < 60 or len(set(base64)) < 16 or "EXAMPLE" in base64 or _is_wordy(base64[:64]):
        return
    end = block.end() if block["last"] else block.start("base64") + len(block["base64"].rstrip(" \t\r\n>|,\"'\\"))
    start = max(0, place - 48) + label.start()
    yield _Hit(start, _BLOCK, end, "private key")


# --- Random or words --------------------------------------------------------------------------------------------------


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The pairs of letters that English words are mostly made of. Random letters hit one of them in a fifth of the cases,
# words (and pinyin, and identifiers) in two thirds or more.
_WORD_PAIRS = _set_of(
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic "
    "ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un "
    "lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev "
    "ay sk ke ey up ap op ag if ck ss gr gi bo ld lu cl do da ba bl ab ui ry ex ue tp ub"
)


def _is_drawn(value: str) -> bool:
    """Whether a key-like value is real: random, and no placeholder."""
    return _is_random(value) and not _is_placeholder(value)


def _is_random(value: str) -> bool:
    """Whether a key-like value was drawn by a machine: many different characters, of several kinds, and no words."""
    length = len(value)
    if length < 12 or not value.isascii():
        return False
    letters = value.lower()
    is_hex = not letters.strip("0123456789abcdef-")
    bits = -sum(n / length * log2(n / length) for n in Counter(value).values())  # Shannon's, a character
    if bits < 0.75 * log2(min(length, 16 if is_hex else 62)):
        return False
    if not any(map(str.isdigit, value)):
        return not is_hex and _is_restless(value) and not _is_wordy(value)
    return any(map(str.isalpha, value)) and (is_hex or not _is_wordy(value))


def _is_wordy(value: str) -> bool:
    """Whether the letters follow each other as in words. The seam of two words, as in ``aB``, counts for neither."""
    pairs = [
        (left + right).lower()
        for left, right in pairwise(value)
        if left.isalpha() and right.isalpha() and not (left.islower() and right.isupper())
    ]
    return len(pairs) >= 6 and sum(pair in _WORD_PAIRS for pair in pairs) > 0.6 * len(pairs)


def _is_restless(value: str) -> bool:
    """Whether letters change their case as often as random ones do: every two or three, CamelCase every five or six."""
    return len(value) < 3.8 * len(_words(value))


# One of these words makes a value a placeholder; a value made of nothing but the others is one too.
_EXAMPLE_WORDS = _set_of(
    "example examples sample placeholder changeme dummy fake test tests testing your yours redacted removed hidden "
    "todo insert replace mock foobar lorem demo"
)
_EMPTY_WORDS = _set_of(
    "my the a new old some user username login name db app pass pw pwd secret key token api access string value here "
    "text foo bar baz xxx abc abcd abcdef abcdefg qwerty letmein hello world postgres mysql mariadb root guest minio"
)


def _words(value: str) -> list[str]:
    """The letters of a value as words, in lower case: ``YourPass_123`` gives your, pass."""
    return [word.lower() for word in _regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+").findall(value)]


def _is_only(value: str, words: frozenset[str]) -> bool:
    own = _words(value)
    return bool(own) and words.issuperset(own)


def _is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret instead of being one: EXAMPLE, xxxx, 1234567890, your-key, <…>, ${…}."""
    lowered = value.lower()
    marks = r"[<>{}…•]|\*{3}|\.{3}|x{4}|example|change[_-]?me|placeholder|redacted|passw(?:or)?d|(.)\1{5}"
    return (
        _regex(marks).search(lowered) is not None
        or len(set(lowered)) <= 3
        or _longest_sequence(lowered) >= 8
        or not _EXAMPLE_WORDS.isdisjoint(_words(value))
    )


def _longest_sequence(value: str) -> int:
    """Length of the longest part that counts up or down by one: 6 for ``abcdef``, 10 for ``1234567890``."""
    longest = length = 1
    step = 0
    for left, right in pairwise(value):
        move = 1 if left + right == "90" else ord(right) - ord(left)
        if move in (1, -1):
            length = length + 1 if move == step else 2
            longest = max(longest, length)
        else:
            length = 1
        step = move
    return longest


# --- Values known by the name before them -----------------------------------------------------------------------------

# What may stand between a name and its value. A separator that assigns (a colon, a table cell, 是) lets more pass than
# one that only tells ("is", a particle, a blank before a quote).
_BETWEEN = (
    r"[\\\"'`*_\])]{0,6}"  # what closes the name: quotes, emphasis
    r"(?:[ ]?[(（][^()（）\n]{1,40}[)）])?"  # (staging)
    r"(?:[ ](?:for|of|on|to|in)(?:[ ][\w.@/'-]{1,30}){1,5}?)?"  # for the staging database
    r"[\\\"'`*]{0,4}"
    r"(?:(?P<assigns>[ \t]*(?::=|=>|->|→|[:=：＝>|]{1,2})(?:\*\*|__)?[ \t]*|[ ]?[是为][ ]?[:：]?[ ]?)"
    r"|[ ](?:is|was)(?:[ ](?:now|set[ ]to|currently|still))?:?[ ]|[은는이가は][ ]?|[ ](?=[`\"']))"
)
# A flag, and a user named just before, need nothing but a blank: "--token …", "login kim password …".
_BLANK_IS_ENOUGH = r"(?:--[A-Za-z-]{0,30}|(?:login|user|username|-u)[ :=]+\S{1,40}[ ,]+)$"
_USER_BEFORE = r"(?:user|username|login|account|id)[ ]?[/&+][ ]?$|(?:账号|账户|用户名|아이디|계정)[ ]?[/&+、]?[ ]?$"
_VALUE = r"[^\x00-\x20\x7f-\U0010ffff\"'`\\<>,;|]"  # printable ASCII but blanks, quotes and what ends a value in prose
_LONGEST_VALUE = 256  # characters
_OPENS = {")": "(", "]": "[", "}": "{"}


def _named(text: str, start: int, end: int, kind: str, accepts: Callable[[str, bool], bool]) -> Iterator[_Hit]:
    """The value that follows a name at [start, end), if ``accepts(value, assigned)`` says yes."""
    between = _regex(_BETWEEN).match(text, end)
    if between:
        place, assigned = between.end(), between["assigns"] is not None
        pair = _regex(r"[`*]{0,3}[\w.@-]{1,40}[`*]{0,3}[ ]?/[ ]?").match(text, place)
        if pair and _regex(_USER_BEFORE).search(text[max(0, start - 16) : start].lower()):
            place = pair.end()  # "login/password: admin / …"
    else:
        before = text[max(0, start - 80) : start].lower()
        if not text.startswith(" ", end) or not ("--" in before or "login" in before or "user" in before):
            return
        if not _regex(_BLANK_IS_ENOUGH).search(before):
            return
        place, assigned = end + 1, False
    span = _value_at(text, place)
    if span and accepts(text[span[0] : span[1]], assigned) and not _is_no_name(text, start, end):
        yield _Hit(span[0], _NAMED, span[1], kind)


def _value_at(text: str, place: int) -> tuple[int, int] | None:
    """Start and end of the value at a place, without its quotes and what follows it. A sentence is none."""
    opening = _regex(r"(?:\*\*|__)?\\?[\"'`“‘「]?(?:\*\*)?").match(text, place)
    start = opening.end() if opening else place
    quote = text[start - 1] if start > place else ""
    if quote in ("'", '"', "`"):
        inside = _regex(rf"[^{quote}\\\n]{{1,{_LONGEST_VALUE}}}+(?=\\?{quote})").match(text, start)
        if inside:
            return (start, inside.end()) if _regex(r"[!-~]+").fullmatch(inside[0]) else None
    bare = _regex(rf"{_VALUE}{{1,{_LONGEST_VALUE}}}").match(text, start)
    if bare is None or bare.end() - start == _LONGEST_VALUE:
        return None
    value = bare[0]
    if query := _regex(r"&[\w.-]+=").search(value):  # "?password=…&user=…": the value ends with its parameter
        value = value[: query.start()]
    while value:  # the end of a sentence, of emphasis, of a bracket that opened before
        if value.endswith("**"):
            value = value[:-2]
        elif value[-1] in ".:?" or _OPENS.get(value[-1], value) not in value:
            value = value[:-1]
        else:
            return start, start + len(value)
    return None


def _is_no_name(text: str, start: int, end: int) -> bool:
    """Whether the word at [start, end) is read or part of an address: ``${DB_PASSWORD:-x}``, ``arn:…:secret:…``."""
    before = _regex(r"(\$\{?|%|::?)[A-Za-z0-9_.]{0,40}$").search(text[max(0, start - 44) : start])
    if before is None:
        return False
    if before[1] == ":":  # Ruby's ":password => …" is a name
        return text.startswith(":", end)
    return before[1] != "$" or not text[end : end + 4].lstrip().startswith("=")  # and so is PHP's "$password = …"


# A variable of a shell, a template or a query.
_VARIABLE = (
    r"\$(?:[({@\d]|[A-Z_][A-Z0-9_]*$|[a-z_][a-z0-9_]*$|[a-z]+(?:[A-Z][a-z]+)+\d?$)"
    r"|%\w+%|%[sdr]$|%\(|#\{|:[a-z_]\w*$|[{\[(]"
)
# What stands where a value is expected and is none: it says where the value is, or what it is like.
_REFERENCES = (
    _VARIABLE,
    r"[*&][A-Za-z_]\w*$|~/|\.{0,2}/[A-Za-z.]+(?:/|$)|\.[a-z]|[A-Za-z]:/",  # a YAML anchor, a path
    r"#\d+$|(?:[a-z][\w.-]*|[\w.-]+/[\w.-]+|PR|MR|GH)#\d+$|[A-Z]{2,10}-\d+$",  # an issue, a ticket
    r"!?[A-Za-z_][\w.]*[(\[]",  # get_secret("…"), args[1]
    r"\w+://|[\w.+-]+@[\w-]+(?:\.[\w-]+)+$|@[a-z][a-z0-9_.-]*$|0x[0-9a-f]+$",  # an address, a handle, a number
    r"(?:env|vault|op|file|ref|ssm|keyring|keychain|aws|arn|gcp|azure|sops|secret|sm|enc|pass|sha\d+|md5)[:+]",
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$",  # NAME_OF_A_VARIABLE
    r"\S*\.(?:txt|mdx?|ya?ml|json|env|py|[jt]sx?|toml|ini|kdbx|gpg|asc|pem|key|sh|go|rs|cfg|conf|log|html|csv|sql)$",
)
_DOTTED = r"!?[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+"  # settings.db.password2, process.env.PG_2
# Parts of which a description is made: `aes-256-gcm`, `8-chars-min`, `login-flow-v2`. Words alone make no description.
_WORD = r"\d{1,8}%?|[A-Z]?[a-z]+\d?|[A-Z]+\d?|v\d+"
_TERM = (
    r"(?i:(?:sha|hs|rs|es|ps|aes|rsa|md|blake|argon|bcrypt|scrypt|pbkdf|base|utf|oauth|saml|ed|x|curve|secp|pkcs|ntlmv|"
    r"scram|chacha|salsa|ripemd|hmac|keepass|postgres|mysql|python|node|java|ubuntu|debian|windows|web|ipv|k|s|step|"
    r"phase|stage|level|round|option|version|section|chapter|part|day|week|sprint|page|line|ios|android)"
    r"\d+[a-z]{0,2}\d*|e2e|p2p|b2[bc]|i18n|l10n|a11y|ec2)"
)
_AMOUNT = (
    r"\d{1,5}(?i:(?:char|character|byte|bit|day|hour|hr|min|minute|sec|second|week|month|year|time|digit|letter)s?"
    r"|[kmg]i?b?|h|d|s|ms|px|x|th|st|nd|rd|fa|password)"
)


def _is_reference(value: str) -> bool:
    """Whether a value points to a secret, or describes one: ``$DB_PASS``, ``vault:db``, ``argon2id``, ``8-chars``."""
    if any(_regex(source).match(value) for source in _REFERENCES):
        return True
    parts = _regex(r"[-_./:+=|]+").split(value)
    part_source = rf"{_TERM}|{_AMOUNT}" if len(parts) == 1 else rf"{_TERM}|{_AMOUNT}|{_WORD}"
    return all(not part or _regex(part_source).fullmatch(part) for part in parts)


# --- Passwords --------------------------------------------------------------------------------------------------------


def _is_password(value: str, assigned: bool) -> bool:
    """Whether a value, found where a password is expected, is one: at least 6 characters, of several kinds."""
    if not 6 <= len(value) <= 128 or _is_placeholder(value) or _is_reference(value) or _regex(_DOTTED).fullmatch(value):
        return False
    if _is_only(value, _EMPTY_WORDS) and _regex(r"[A-Za-z_-]+[^A-Za-z]{0,4}").fullmatch(value):
        return False  # my_secret, user123, root!
    letters = any(map(str.isalpha, value))
    if any(map(str.isdigit, value)):
        if letters:  # in a sentence, "mTLS2-protected" is what it is, not what it reads
            return assigned or not _regex(r"(?:.*[-/])?[a-z]{4,}(?:[-/].*)?").fullmatch(value)
        return assigned and _is_pin(value)
    if len(value) < 8 or not assigned:
        return False
    if _regex(r"[!@#$%^&*?+=~]").search(value.strip("!?*")):  # Sommer#Regen, but not yes&no or name@host
        return value.lower() != value != value.upper() and not _regex(r"\w+@\w+").fullmatch(value)
    return len(value) >= 10 and value.replace("-", "").isalpha() and _is_restless(value) and not _is_wordy(value)


def _is_pin(value: str) -> bool:
    """Digits, but no date, no count up and no round number."""
    if not value.isdigit() or _longest_sequence(value) >= len(value) - 1:
        return False
    return not _regex(r"(?:19|20)\d{2}[01]\d[0-3]\d|\d0+").fullmatch(value)


def _is_strong_password(value: str, assigned: bool) -> bool:
    kinds = (str.islower, str.isupper, str.isdigit, lambda character: not character.isalnum())
    return assigned and sum(any(map(kind, value)) for kind in kinds) >= 3 and _is_password(value, assigned)


def _password_named(text: str, place: int) -> Iterator[_Hit]:
    """``password: …`` and its like, a table with a column of them, ``sshpass -p …``."""
    name = _regex(
        r"(?i:pass(?:word|wd|phrase|code|wort)(?:[_-](?:prod|production|dev|staging|stage|live|\d))?|pass)"
    ).match(text, place)
    if name is None or not _ends_name(text, name.end()):
        return
    if len(name[0]) > 4:
        yield from _named(text, place, name.end(), "password", _is_password)
        yield from _password_column(text, place, name.end())
    elif text.startswith("ssh", max(0, place - 3)):
        flag = _regex(r"[ \t]+-p[ \t]*").match(text, name.end())
        span = _value_at(text, flag.end()) if flag else None
        if span and _is_password(text[span[0] : span[1]], assigned=True):
            yield _Hit(span[0], _NAMED, span[1], "password")
    elif place == 0 or not text[place - 1].isalnum():  # "pass" alone is mostly a verb: only a strong value counts
        yield from _named(text, place, name.end(), "password", _is_strong_password)


def _pwd_named(text: str, place: int) -> Iterator[_Hit]:
    inside_word = text[place].islower() and text[place - 1 : place].isalpha()
    if _ends_name(text, place + 3) and not inside_word:
        yield from _named(text, place, place + 3, "password", _is_password)


def _password_column(text: str, start: int, end: int) -> Iterator[_Hit]:
    """Where the name at [start, end) heads a column of a table: the cells below it, for at most 100 rows."""
    rest = _regex(r"[ \t*`]{0,4}\|[^\n]{0,400}\n[ \t]*\|?[ \t]*:?-{3,}[ \t:|-]*\r?\n").match(text, end)
    if rest is None:
        return
    window = text[max(0, start - 400) : start]
    head = window[window.rfind("\n") + 1 :]
    if len(head) == 400 or text[start:end].lower() in head.lower():  # the first such column only: one pass a table
        return
    column = head.count("|")
    row_start = rest.end()
    for _ in range(100):
        row_end = text.find("\n", row_start, row_start + 1000)
        row = text[row_start:row_end] if row_end >= 0 else text[row_start : row_start + 1000]
        if "|" not in row or "---" in row:  # the end, or the head of another table
            return
        cells = row.split("|", column + 1)
        value = cells[column].strip(" \t\r`*") if column < len(cells) else ""
        if " " not in value and _is_password(value, assigned=True):
            value_start = row_start + sum(len(cell) + 1 for cell in cells[:column]) + cells[column].index(value)
            yield _Hit(value_start, _NAMED, value_start + len(value), "password")
        if row_end < 0:
            return
        row_start = row_end + 1


def _curl(text: str, place: int) -> Iterator[_Hit]:
    user = r"(?i:curl)[^\n]{0,300}?[ ](?:-u|--user)[ =]?[\"']?[^\s:\"'`]{1,60}:([^\s\"'`|]{4,128})"
    match = _regex(user).match(text, place)
    if match and _is_password(match[1], assigned=True):
        yield _Hit(match.start(1), _NAMED, match.end(1), "password")


# A database on one's own machine, or on a host of one word, as compose files name them.
_LOCAL_HOST = r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|host\.docker\.internal|[A-Za-z0-9_-]+)(?![A-Za-z0-9_.-])"


def _url_password(text: str, place: int) -> Iterator[_Hit]:
    """What stands between ":" and "@" in a URL; ``postgres:postgres@localhost`` is a default and no secret."""
    match = _regex(r"://([^\s:/?#@\"'`<>\\]{0,100}):([^\s/\"'`<>\\]{4,200})@(?=[A-Za-z0-9\[])").match(text, place)
    if match is None or not match[2].isascii():
        return
    local = _regex(_LOCAL_HOST).match(text, match.end())
    if _is_url_password(match[1], match[2], local[0] if local else ""):
        yield _Hit(match.start(2), _NAMED, match.end(2), "password in a URL")


def _is_url_password(user: str, password: str, local_host: str) -> bool:
    """In a URL the place alone says "password", so a word may be one, except where defaults are the custom."""
    user, lowered = user.lower(), password.lower()
    if local_host:
        return _is_password(password, assigned=True) and not lowered.startswith(user or local_host)
    if _is_placeholder(password) or lowered == user or _regex(_VARIABLE).match(password):
        return False
    return not _is_only(password, _EMPTY_WORDS) and not _regex(r"[A-Z_]+").fullmatch(password)


# --- Keys known by a name ---------------------------------------------------------------------------------------------

# The word before "key" that makes it a secret one; "public key", "cache key" or "primary key" have none of these.
_SECRET_KEYS = tuple(
    _set_of(
        "api access secret private auth client app application signing encryption master service role account storage "
        "shared webhook admin license deploy subscription rest consumer session jwt cookie"
    )
)
_SECRET_TOKENS = ("access", "auth", "api", "bot", "bearer", "refresh", "secret", "deploy", "service", "personal")
_OPEN_TOKENS = tuple(
    _set_of("csrf xsrf page next starting sequence sync change update continuation cursor cancellation design push")
)
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
# Keys that Microsoft publishes for its local emulators (Azurite, Cosmos DB): everybody has them.
_PUBLISHED_KEYS = ("Eby8vdM02xNOcqFlqUwJ", "C2y6yDjf5/R+ob0N8A7C")
_KEY_WORDS = frozenset(("key", "keys", "token", "tokens", "secret", "secrets", "credential", "credentials"))


def _is_named_key(value: str, assigned: bool) -> bool:
    """Whether a value, found where a key or token is expected, was drawn by a machine."""
    if not 16 <= len(value) <= 255 or value.startswith(_PUBLISHED_KEYS) or not _is_drawn(value):
        return False
    if len(value) < 24 and not value.strip("0123456789abcdef"):
        return False  # so few hexadecimal digits are a checksum, an abbreviated commit or an id
    # A value that says what it is names something else: `PrivateKeyTypes`, `export-token-…`.
    return _KEY_WORDS.isdisjoint(_words(value)) and not _is_reference(value)


def _words_before(text: str, place: int) -> str:
    """What leads to a name, in lower case and without the joint: ``AWS_SECRET_ACCESS_`` gives ``aws_secret_access``."""
    return text[max(0, place - 32) : place].lower().rstrip("-_ ")


def _ends_name(text: str, place: int) -> bool:
    """Whether a name ends here: ``token`` does, ``tokens``, ``tokenizer`` and ``token_count`` do not."""
    return not (text[place : place + 1].isalnum() or text.startswith("_", place)) or text.startswith("__", place)


def _key_named(text: str, place: int) -> Iterator[_Hit]:
    if not _ends_name(text, place + 3):
        return
    before = _words_before(text, place)
    if not before.endswith(_SECRET_KEYS):
        return
    if text.startswith("PRIVATE ", max(0, place - 8)):
        yield from _private_key(text, place - 8)
    kind = "API key" if before.endswith("api") else "secret key"
    for hit in _named(text, place, place + 3, kind, _is_named_key):
        length = hit.end - hit.start
        if length == 40 and ("aws" in before or before.endswith(("secret_access", "secret access", "secretaccess"))):
            yield hit._replace(kind=_AWS_SECRET)
        elif length == 88 and before.endswith("account"):
            yield hit._replace(kind="Azure storage key")
        else:
            yield hit


def _secret_named(text: str, place: int) -> Iterator[_Hit]:
    if _ends_name(text, place + 6):
        kind = "client secret" if _words_before(text, place).endswith("client") else "secret"
        yield from _named(text, place, place + 6, kind, _is_named_key)


def _token_named(text: str, place: int) -> Iterator[_Hit]:
    if not _ends_name(text, place + 5):
        return
    before = _words_before(text, place)
    if before.endswith(_OPEN_TOKENS):
        return
    for hit in _named(text, place, place + 5, "token", _is_named_key):
        # A bare "token" with a UUID may well be some id; an "access token" with one is a secret.
        if before.endswith(_SECRET_TOKENS) or not _regex(_UUID).fullmatch(text, hit.start, hit.end):
            yield hit


def _authorization(text: str, start: int) -> Iterator[_Hit]:
    """``Bearer …`` and ``Basic …`` (base64 of a name and a password), as HTTP headers have them."""
    scheme = text[max(0, start - 7) : start].lower()
    if scheme == "bearer ":
        match = _regex(r"[A-Za-z0-9_.~+/-]{20,2000}={0,2}").match(text, start)
        if match and _is_drawn(match[0]):
            yield _Hit(start, _NAMED, match.end(), "bearer token")
    elif scheme.endswith("basic ") and (match := _regex(r"[A-Za-z0-9+/]{12,400}={0,2}").match(text, start)):
        user, _colon, password = _from_base64(match[0]).decode("latin-1").partition(":")
        if _regex(r"[!-~]{4,}").fullmatch(password) and _is_url_password(user, password, local_host=""):
            yield _Hit(start, _NAMED, match.end(), "basic authentication")


# What a text must contain, in lower case, before anything is asked about it.
_ANCHORS: dict[bytes, Callable[[str, int], Iterator[_Hit]]] = {
    b"pass": _password_named,
    b"pwd": _pwd_named,
    b"secret": _secret_named,
    b"token": _token_named,
    b"key": _key_named,
    b"curl ": _curl,
}

# Names in Chinese, Japanese and Korean. They are grouped by a character they share and prose seldom has: looking for
# one character costs a tenth of looking for two.
_CJK_NAMES = {
    "密": (("密码", "password"), ("密碼", "password"), ("密钥", "secret key")),
    "令": (("口令", "password"), ("令牌", "token")),
    "パ": (("パスワード", "password"),),
    "번": (("비밀번호", "password"), ("비번", "password")),
    "패": (("패스워드", "password"),),
    "큰": (("토큰", "token"),),
}


def _cjk_named(text: str, start: int, end: int, kind: str) -> Iterator[_Hit]:
    if kind != "password":
        yield from _named(text, start, end, kind, _is_named_key)
        return
    yield from _named(text, start, end, kind, _is_password)
    yield from _password_column(text, start, end)
    span = _value_at(text, end + 1) if text.startswith(" ", end) else None  # "密码 Abc…" needs no separator
    if span and _is_password(text[span[0] : span[1]], assigned=False):
        yield _Hit(span[0], _NAMED, span[1], kind)
