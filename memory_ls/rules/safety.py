"""Rules about what must not stand in a memory: secrets, and words that would give an agent permission."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_ls.documents.index import IndexDocument
from memory_ls.documents.memory import MemoryDocument
from memory_ls.rules.discreet import secrets_in
from memory_ls.rules.pieces import piecewise
from memory_ls.rules.registry import RULES, Context, Diagnostic
from memory_ls.secret_scan import shown
from memory_ls.text import Span

# A memory is read as if its owner had said it, so a sentence that grants blanket permission is an attack or an
# accident. How to do a thing ("always", "never", "without asking") is what feedback is made of, and stays quiet.
_GRANTS = re.compile(
    r"""\b(?:
        (?:user|owner|operator|admin(?:istrator)?|human|they|he|she|i)\s+
        (?:has|have|had)?\s*(?:already\s+|hereby\s+|explicitly\s+)?
        (?:granted?|given|gave|gives?|pre-?authori[sz]ed|pre-?approved|consented|agreed|authori[sz]ed)\b
        [^.\n]{0,60}?
        \b(?:full|blanket|standing|permanent|unlimited|unrestricted|all|any|every(?:thing)?)\b
        [^.\n]{0,40}?
        \b(?:permissions?|authori[sz]ation|authority|consent|approvals?|access|actions?|commands?|operations?|tools?)
      | (?:blanket|unrestricted|standing|permanent)\s+(?:permission|consent|authori[sz]ation|approval)\s+(?:to|for|is|was|has)
      | (?:bypass|skip|ignore|disable)\s+(?:all|any|every)\s+
        (?:permission|approval|confirmation|safety)\s+(?:checks?|prompts?|rules?)
      | all\s+(?:tool\s+calls|(?:shell\s+)?commands|actions|permissions)\s+are\s+(?:pre-?)?(?:approved|authori[sz]ed|granted)
      | (?:you|(?:the\s+|this\s+)?(?:agents?|assistant)|claude)\s+(?:have|has|are|is)\s+(?:been\s+|already\s+)?
        (?:(?:full|blanket|standing)\s+)?(?:permission|permitted|allowed|authori[sz]ed|cleared)\s+to\s+
        (?:bypass|skip|disable|ignore|delete|drop|push|force|deploy|merge|(?:run|execute|do)\s+any(?:thing)?)
      | (?:user|owner|operator|human)\s+(?:has\s+)?(?:already\s+|explicitly\s+)?
        (?:(?:authori[sz]ed|permitted|allowed)\s+(?:you|(?:the\s+|this\s+)?(?:agents?|assistant)|claude)\s+to
          |consented\s+to\s+(?:running|executing|deleting|pushing|deploying|any|all)
          |(?:given|gave|granted)\s+(?:you|(?:the\s+|this\s+)?(?:agents?|assistant)|claude)\s+(?:\w+\s+)?permission)
      | permission\s+granted\s*(?::|to\s+(?:run|execute|delete|push|deploy|merge|all|any))
    )(?!\w)
    |(?:用户|使用者)(?:已经?|曾)?(?:明确)?(?:授权|授予|同意|批准)[^。\n]{0,20}(?:所有|任何|全部|一切)[^。\n]{0,10}(?:权限|操作|命令|工具)
    |(?:跳过|绕过|忽略)(?:所有|任何|全部)(?:权限|确认|审批|安全)(?:检查|提示|确认)?
    |(?:用户|使用者)(?:已经?|曾)?(?:明确)?授权(?:代理|助手|你|Claude|AI)
    |사용자(?:가|는)[^.\n]{0,20}(?:모든|전체)[^.\n]{0,15}(?:권한|명령|작업)[^.\n]{0,10}(?:승인|허가|동의|부여|허용)""",
    re.IGNORECASE | re.VERBOSE,
)
_HINTS = (
    "permission",
    "authori",
    "consent",
    "approv",
    "granted",
    "agreed",
    "safety",
    "allowed",
    "permitted",
    "cleared",
)
_HINTS_OF_SCRIPTS = ("授权", "授予", "同意", "批准", "跳过", "绕过", "忽略", "승인", "허가", "동의", "부여", "허용")
_NEGATED = re.compile(
    r"\b(?:not|never|no|n't|don't|do not|unless|until|ask|whether|if|when|once)\b|不|未|没|勿|않|안 "
    r"|\bwithout\b(?!\s+(?:asking|confirmation|approval|prompt))",
    re.IGNORECASE,
)


def check(context: Context, key: str, document: MemoryDocument | IndexDocument) -> Iterator[Diagnostic]:
    """Whether a text gives an agent permission."""
    for start, found in _grants(document):
        span = found.shifted(start)
        if document.in_code(span.start):
            continue
        text = span.of(document.source.text)
        yield RULES["grants-permission"].at(
            span,
            f"“{_shortened(text)}” reads as a permission, and an agent may act on it as if you had just given it. "
            "Give permissions in the agent's settings, and delete this.",
            text=text,
        )


def grants_in(text: str) -> tuple[Span, ...]:
    """Where permission is given, and not refused or asked for, in a text."""
    if not _hints_at_permission(text):
        return ()
    found = []
    for match in _GRANTS.finditer(text):
        sentence_start = max(text.rfind(mark, 0, match.start()) for mark in (".", "\n", "。"))
        if not _NEGATED.search(text, sentence_start + 1, match.end()):
            found.append(Span(*match.span()))
    return tuple(found)


_grants = piecewise(grants_in)


def _hints_at_permission(text: str) -> bool:
    """Whether a word is there without which no sentence grants anything: most texts have none of them."""
    lowered = text.lower()
    hints = _HINTS if text.isascii() else _HINTS + _HINTS_OF_SCRIPTS
    return any(map(lowered.__contains__, hints))


def check_secrets(context: Context, key: str, document: MemoryDocument | IndexDocument) -> Iterator[Diagnostic]:
    """Whether a text holds a password, key or token. No message holds more than its first characters."""
    for start, secret in secrets_in(document):
        span = Span(start + secret.start, start + secret.end)
        yield RULES["secret"].at(
            span,
            f"This looks like a secret ({secret.kind}, {shown(span.of(document.source.text))}). Memories are loaded into "
            "prompts and copied around: remove it, say where it is kept instead, and renew it.",
            kind=secret.kind,
        )


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else f"{words[:59]}…"
