"""What an agent took note of, and did no work for: a sentence that it only acknowledges is no task and no question.

So a statement in plain words is taken where the agent answers no more than "Noted", if it has the form of something that
lasts.
"""

from __future__ import annotations

import re

from memory_ls.pipeline.offline.language import Kind
from memory_ls.pipeline.offline.topics import values_of

_LONGEST_NOTE = 120
_NOTED = re.compile(
    r"""
    \s*(?:ok(?:ay)?|noted|understood|got\sit|gotcha|good\sto\sknow|sure(?:\sthing)?|will\sdo|makes\ssense|of\scourse|al(?:l\s)?right|clear|absolutely
        |certainly|saved|remembered|i(?:'ll|\swill|'ve|\shave)\s(?:remember|note|keep|follow|stick|bear|avoid|saved|remembered|noted)\w*|nice\sto\smeet\syou
        |welcome|hi\s\w+|thanks\sfor\s(?:letting|telling|the\s(?:context|info|background|note|heads))
        |gut|verstanden|notiert|gemerkt|in\sordnung|gerne?|alles\sklar|mach(?:e|\s)ich|d'accord|compris|noté|bien(?:\sreçu)?|entendu
        |de\sacuerdo|entendido|vale|anotado|claro|certo|beleza|capito|va\sbene|ricevuto|d'accordo|понял\w*|хорошо|принято|ок
        |好的?|明白了?|了解了?|知道了|记下了|記下了|记住了|收到|没问题|嗯|はい|分かりました|わかりました|了解(?:です|しました)?|承知|네|넵|알겠습니다)
    (?:[\s,.!。！，、].*)?\Z
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# Words of an answer that tell that something was done.
_DONE = re.compile(
    r"\b(?:done|fixed|changed|renamed|added|removed|moved|updated|wrote|written|here|running|let\sme|fertig|erledigt|geändert|fait|hecho|feito|fatto)\b"
    r"|改好|加好|删|已|完成|変更しました|直し|수정했",
    re.IGNORECASE,
)


def is_noted(answer: str) -> bool:
    """Whether an agent's answer says no more than that it took note."""
    return len(answer) <= _LONGEST_NOTE and _NOTED.match(answer) is not None and _DONE.search(answer) is None


_TASK = r"""
    (?:(?:please|now|then|and|so|just|also|ok|next|first)[,\s]+)*
    (?:(?:fix|rename|add|run|rerun|show|open|check|look|move|make|create|build|update|change|delete|remove|replace|convert|implement|try|revert|undo|commit|push
    |pull|merge|deploy|go|continue|proceed|start|stop|skip|explain|tell|give|list|print|find|search|read|refactor|extract|split|bump|install|close|generate
    |do|put|set|turn|take|let|let's|lets|get|bring|clean|debug|investigate|compare|rewrite|rerun|reorder|export|download|upload|load|wait\s(?:for|until)|leave|copy|paste
    |increase|decrease|raise|lower|swap|reduce|draft|summari[sz]e|translate)\b
    |(?:帮我|请帮|把|给我|改一?下|改成|加[个上一]|删[掉了]|写[个一]|跑[一下个]|看[一下看]|查[一下]|修[一下]|试[一下试]))
"""
_IS_TASK = re.compile(_TASK, re.IGNORECASE | re.VERBOSE)
# What begins so is about what both look at, or is a story.
_OF_CHAT = r"""
    (?:(?:and|so|just|also|ok)[,\s]+)*(?:yes|no|thanks|thank|good|nice|great|perfect|cool|fine|morning|hello|hi|hey|bye
    |it|this|that|these|those|there|he|she|they|who|what|which|why|how|when\si|where|maybe|could|would|nothing|something|someone|somebody
    |i(?:'ve|\shave)?\s(?:(?:only|just|already|also|never|\w+ly)\s)*(?:\w+ed|seen|been)|i\s(?:tried|saw|got|ran|found|thought|think|guess|see|hope|wonder|mean|know|just|was|had|don't\s(?:think|know|see|understand|get)|need|can\ssee)
    |i'll|we'll|i'm\s(?:\w+ing|not\ssure|back|off|out|done|here)|we're\s\w+ing|i\sam\s\w+ing|you\shave|you(?:'re|'ve|'ll|\s(?:are|were|did|forgot|missed|broke|\w+ed|just|put|wrote|made|got|left|took)))\b
    |(?:帮我|麻烦|请帮|把|给我|将|改|加|删|写|跑|看|查|修|试|先|再|继续|那就|这|那|它|他|她|谢|好|行|嗯|哈|哎|唉|我(?:先|再|刚|去|看|想|觉得|试|忘|还|在|也|就)|你)
"""
_IS_OF_CHAT = re.compile(_OF_CHAT, re.IGNORECASE | re.VERBOSE)
_PASSES = re.compile(
    rf"""
    {_TASK}|{_OF_CHAT}
    |(?:mach|schreib|zeig|benenn|lösch|füg|schau|das|es|corrige|ajoute|montre|supprime|c'est|añade|borra|muestra|eso|es\s|adiciona|arruma|mostra|isso)\w*\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TROUBLE = re.compile(
    r"""
    \b(?:crash|fail|error|bug|broke|wrong|slow|hang|stuck|weird|flaky|exception|fall|jump|leak|timeout|blow|miss|duplicate|twice|doesn'?t|isn'?t|didn'?t|won'?t
    |can'?t\s(?:see|find|open|run|log|get)|lost|gone|empty|freez|flicker|stopp?ed|kaput|fehler|hängt|geht\snicht|panne|erreur|plante|falla|erro|quebr)\w*
    |\bthe\s(?:\w+\s)?(?:first|second|third|other|same|latter|former|next)\s(?:one|option|version|approach|variant|suggestion|idea|solution)\b
    |\b(?:by|until|till|bis|before)\s(?:(?:next|this)\s)?(?:mon|tues|wednes|thurs|fri|satur|sun|\d|noon|tonight|end\sof|eod|heute|morgen)
    |\b(?:customer|client|boss|pm|designer|marketing|sales|manager|he|she)\s(?:wants?|asked|needs?|says?|would)\b
    |\ball\s(?:the|my|these|those|of\s(?:the|my|them))\b(?!.*\b(?:must|should|have\sto)\b)|\b(?:tests?|builds?|checks?)\s(?:pass|are|is|run|laufen|läuft)\b
    |\b(?:today|right\snow|at\sthe\smoment|currently|so\sfar|heute|gerade|aujourd'hui|hoy|hoje|left|done|finished|red|green|misaligned|sick)\b
    |[,!]\s(?:super|toll|prima|klasse|great|nice|cool|yay|finally|endlich|génial|genial)\W*$|\b\d+\s?px\b
    |这种|这些|那种|那些|这版|警告|错位|重叠|没反应|点不|打不开|跑不|不动|不见|不出来|设成|设为|调成|调到|换成|改成|今天|现在还|老板|客户|产品说|就好了|烦|^我[^，,]{0,10}了
    |\b(?:diesmal|vorerst|per\sora|stavolta|pour\sl'instant|cette\sfois|esta\svez|por\sahora|desta\svez|por\senquanto|for\snow|this\stime)\b|今回|这次|這次|이번
    |\b(?:tomorrow|tonight|lunch|coffee|weekend|holiday|later|again|monday\smornings?|sleep|tired|haha|lol|wow|damn|hope|love\sit|btw\sthanks)\b
    |报错|失败|崩|卡|慢|挂|异常退出|不对|问题|怎么|为什么|加班|吃饭|周末|热|累|エラー|失敗|落ち|오류|실패|점심
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What a sentence has that is true of more than the moment: a whole class of things, a bound, a choice, a place, a name.
_LASTS = re.compile(
    r"""
    \b(?:every|all|any|each|only|never|always|no|none|anything|everything|nothing|everywhere|throughout|must|mustn't|have\sto|has\sto|should|shouldn't|at\s(?:most|least)
    |minimum|maximum|not|over|rather|instead|first|before|after|between|per|style|spelling|units?|format|target|support|required?|forbidden|no-go|mostly|usually
    |nur|kein\w*|immer|nie|alle|jede\w*|mindestens|höchstens|pas|tous|toutes|chaque|uniquement|solo|todos|todas|cada|nunca|sempre|apenas|só|decidiu|toda)\b
    |\d\s?(?:%|[kmgt]?i?b\b|hz\b|ms\b|s\b|sec|min|hour|day|week|month|year|am\b|pm\b|°|€|\$|char|line|column|people|user|item|uhr\b|tage|stunden|jours|heures|días|horas)
    |\bv?\d+\.\d|\b\d?\d:\d\d\b|(?-i:[A-Z]\w+)\s\d|\d\s?(?:点|号|秒|次|天|月|个月|分钟|小时|行|条|列)|[零一二三四五六七八九十两]+(?:点|个人|次|天)|[\u2063X`]|\w[/_]\w|\w\.\w|(?<=[a-z,]\s)(?-i:[A-Z])\w+
    |都[要用走放由得写在不按归必交]|只[能用在支接允收发有做看]|[由归].{1,8}(?:负责|维护|管|处理)|每[天周月晚早年小季个次]|不能|不超过|至少|最[低高多少]|必须|不许|要求|目录|自己|先.{1,12}再|だけ|のみ|必ず|[はが].{1,20}です|만\s|으로|에서|는\s
    """,
    re.IGNORECASE | re.VERBOSE,
)
# An order is to last only where it is about a whole class of things.
_ORDER = re.compile(
    r"(?:use|call|name|keep|mark|wrap|cap|limit|group|order|sort|test|review|log|format|write|answer|send|store|save|pass|return|handle|catch|throw|raise|cache"
    r"|mock|cover|align|center|hide|display|render|ignore|include|exclude|pin|follow|reuse|prefer|apply|switch|ask|verify|confirm|drop|cut|trim|round)\b"
    r"|[用换取设传叫选]|返回|打印|显示|verwende|nimm|nutze|utilise|prends|usa|utiliza|use\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"\b(?:every\w*|all|any\w*|each|always|never|only|throughout|both|whenever|when|if|unless|before|after|no|\w+s\s+(?:in|with|as|by|under|to|for|at)"
    r"|nur|immer|nie|alle|toujours|tous|toutes|siempre|todos|todas|sempre)\b|[都只]|一律|统一|默认|总|每|所有",
    re.IGNORECASE,
)
_OF_PERSON = re.compile(
    r"(?:i\b|i'm\b|i've\b|my\b|me\b|ich\b|mein|je\b|j'|mon\b|ma\b|yo\b|mi\b|soy\b|eu\b|meu\b|minha\b|sou\b|io\b|я\b|我(?!们|們)|私|僕|저는|나는)|.{0,12}\bhere[.,!]",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|has|have|goes?|runs?|lives?|gets?|comes?|lands?|resets?|belongs?|sits?|takes?|needs?|means?|works?|uses?|\w+s)\b|\b(?:ist|sind|est|sont|es|son|é|são)\b|[在是有由]|支持|です|ます",
    re.IGNORECASE,
)
_LEAST_SIGNS = 8
_KNOWN_WELL = ("en", "zh")
# What is seen on a screen: how it looks is a trouble, how it must look a task.
_SCREEN = re.compile(
    r"""
    (?:(?:the|all|every|each|an?|only|both|our)\s+)*(?:[\w-]+\s+){0,2}?(?:tooltip|button|sidebar|header|footer|menu|icon|logo|banner|modal|dialog|popup|label|tab|page
    |screen|column|row|cell|table\sheader|card|form|input|dropdown|checkbox|toggle|spinner|image|picture|animation|font|colou?r|padding|margin|legend|chart|axis|map
    |marker|cursor|list|link|title|headline|scrollbar|layout)s?\s+(?:should|must|needs?|is|are|has|have|gets?|does|do|only|always|never|looks?|shows?|overlaps?)\b
    |.{0,10}(?:按钮|横幅|弹窗|对话框|输入框|文案|图标|菜单|表格|列|颜色|样式|页面|表单|导航|侧边栏|间距|字号|字体|边框|图片|标题)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FEELS = re.compile(
    r"(?:i|we)\s(?:(?:always|often|usually|sometimes|never|still|really|just|all)\s)*"
    r"(?:get|got|feel|felt|am|was|were|look|seem|forget|forgot|struggle|keep|love|hate|enjoy|spent|spend|wasted?|lost|miss|want|need|wish|like|sat|slept)\b"
    r"|我(?:们)?(?:都|也|总|老|又|还|已经)*(?:试|忘|想|觉得|感觉|累|烦|喜|讨|等|花)",
    re.IGNORECASE,
)
# Who tells something by the way tells it to have it known.
_ASIDE = re.compile(
    r"(?:(?:oh|and|also|ok|so|hey)[,\s]+)*(?:btw|by\sthe\sway|fyi|for\s(?:context|the\srecord|your\sinformation)"
    r"|just\sso\syou\sknow|heads[- ]up|side\snote|for\sbackground)\b"
    r"|.*[,\s](?:btw|by\sthe\sway|fyi|just\sso\syou\sknow)[.!]*$|übrigens\b|au\sfait\b|por\s(?:cierto|sinal)\b|顺便|顺带|对了[，,]|說明一下|说明一下|ちなみに|참고로",
    re.IGNORECASE,
)


def is_task(plain: str) -> bool:
    """Whether a sentence orders something to be done: what stands around it tells what is wrong now."""
    return _IS_TASK.match(plain) is not None


def is_of_chat(plain: str) -> bool:
    """Whether a sentence is about what both look at, or tells what happened."""
    return _IS_OF_CHAT.match(plain) is not None


def is_aside(plain: str) -> bool:
    """Whether a sentence is told by the way."""
    return _ASIDE.match(plain) is not None


def _lasts(plain: str) -> bool:
    return _LASTS.search(plain) is not None or bool(values_of(plain.lower()))


def may_last(plain: str, code: str = "en") -> Kind | None:
    """Of which kind a sentence in plain words is, if it has the form of something that lasts.

    ``code`` is its language: only of some the rules know well enough what passes.
    """
    if (
        code not in _KNOWN_WELL
        or len(plain) < _LEAST_SIGNS
        or _SCREEN.match(plain)
        or _PASSES.match(plain)
        or _TROUBLE.search(plain)
        or not _lasts(plain)
    ):
        return None
    if _ORDER.match(plain) and not _OF_ALL.search(plain):
        return None
    if _FEELS.match(plain):
        return None
    if _OF_PERSON.match(plain):
        return Kind.PERSON
    return Kind.FACT if _VERB.search(plain) else Kind.RULE
