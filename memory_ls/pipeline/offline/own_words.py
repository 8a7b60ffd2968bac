"""What a user's message says in the user's own words, sentence by sentence.

Code, quotations, pasted logs and what stands behind "the ticket says:" are somebody else's words: whatever they ask to
remember is no wish of the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Longer ones are pasted, whatever they look like.
_LONGEST_MESSAGE = 40_000
_LONGEST_SENTENCE = 500

# What hides the words of a quotation from the rules; no rule matches it, and offsets stay.
HIDDEN = "\u2063"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a message: ``text`` is the message's from ``start`` to ``end`` (characters).

    ``plain`` is as long, with :data:`HIDDEN` for what is quoted and ``X`` for code and quoted names. Sentences of one
    ``paragraph`` stand together.
    ``intro`` is the line with a colon that opens the list or block in which the sentence stands.
    """

    text: str
    plain: str
    start: int
    end: int
    paragraph: int
    intro: Sentence | None = None


@dataclass(slots=True)
class _Line:
    text: str
    start: int
    own: bool = True


def sentences(text: str) -> list[Sentence]:
    """The user's own sentences in the order of the message."""
    if len(text) > _LONGEST_MESSAGE:
        return []
    lines = _lines(text)
    _leave_fences(lines)
    _leave_tagged(lines)
    for line in lines:
        line.own = line.own and not _FOREIGN_LINE.match(line.text)
    _leave_logs(lines)
    _leave_letters(lines)
    _leave_introduced(lines)
    return list(_sentences(text, _hidden(text), lines))


def _lines(text: str) -> list[_Line]:
    lines, start = [], 0
    for piece in text.split("\n"):
        lines.append(_Line(piece.rstrip("\r"), start))
        start += len(piece) + 1
    return lines


_FENCE = re.compile(r"\s{0,3}(?:[-*+]\s+)?(`{3,}|~{3,})")


def _leave_fences(lines: list[_Line]) -> None:
    fence = ""
    for line in lines:
        mark = _FENCE.match(line.text)
        if fence:
            line.own = False
            if mark and mark[1].startswith(fence) and not line.text[mark.end() :].strip():
                fence = ""
        elif mark:
            line.own = False
            fence = mark[1]


_TAG_OPEN = re.compile(r"\s*<([A-Za-z][\w.-]{0,40})(?:\s[^<>]{0,200})?>")


def _leave_tagged(lines: list[_Line]) -> None:
    """Blocks in tags are put there by programs, or are markup."""
    closing = ""
    for line in lines:
        if closing:
            line.own = False
        elif tag := _TAG_OPEN.match(line.text):
            closing = f"</{tag[1]}>"
            line.own = False
        if closing and closing in line.text:
            closing = ""


# Quoted lines, tables, indented code, diffs, prompts of a shell, and lines that end as only code does.
_FOREIGN_LINE = re.compile(
    r"""
        \s*>|\s*\||(?:\ {4,}|\t)(?!\s*(?:[-*+•]|\d+[.)])\s)|diff\ --git|@@\ |\+\+\+\ |---\ \S|[+-](?=[^\s\d+-])
        (?!\w+\b[^=;(){}]*$)|\s*(?:\$|%|❯|➜|>>>|PS\ [A-Z]:|\w+@[\w.-]+[:~][^$#]{0,60}[$#])\s|.*(?:[{};]|=>
        |\)\ ?:)\s*$|\s*(?:import\ [\w.]+\s*$|from\ \S+\ import\b|def\ \w+\(|class\ \w+[(:]|func\ \w+\(
        |\#include\b)|\s*(?:const|let|var)\ \w+\s*(?::\s*\w+\s*)?=|\s*(?://|/\*|\#!|<!--|\{|\}|\])
    """,
    re.VERBOSE,
)

_LOG_LINE = re.compile(
    r"""
        \s*[\[(]?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\s*[\[(]?\d\d:\d\d:\d\d\b|\s*\[?(?:DEBUG|INFO|WARN|WARNING
        |ERROR|FATAL|TRACE|CRITICAL)\b|Traceback\ |\s+File\ "|\s*at\ \S+[(:]|\s*[\w.]*(?:Error|Exception|Warning
        |Panic):|\s*\S+:\d+(?::\d+)?:\s|\s*(?:npm|yarn|pip|cargo|fatal|error|warning|hint|remote|panic|FAILED
        |PASSED|FAIL|PASS)\b[^a-z]*[:!]|\s*(?:\$|❯|➜|>>>)\s|E\s{2,}|\s*[=*_-]{5,}
    """,
    re.VERBOSE,
)


def _leave_logs(lines: list[_Line]) -> None:
    """A block with lines that only programs write is a program's, with all that stands between."""
    for block in _blocks(lines):
        logged = [line for line in block if _LOG_LINE.match(line.text)]
        for line in block if 3 * len(logged) >= len(block) else logged:
            line.own = False


def _blocks(lines: list[_Line]) -> Iterator[list[_Line]]:
    block: list[_Line] = []
    for line in lines:
        if line.text.strip():
            block.append(line)
        elif block:
            yield block
            block = []
    if block:
        yield block


# Where the words behind a colon come from, and what makes them the user's own all the same.
_FROM_ELSEWHERE = re.compile(
    r"""
        \b(?:translate|summari[sz]e|proofread|rephrase|paraphrase|übersetze|traduis|traduce|traduza|traduci|переведи
        |output|logs?|errors?|stack\ ?trace|traceback|tickets?|issues?|e-?mails?|mails?|readme|docs?
        |documentation|wiki|articles?|blog|pages?|posts?|specs?|reviews?|reviewer|thread|transcript|paste[ds]?
        |text|description|snippet|customers?|clients?|vendor|colleagues?|coworker|boss|manager|says?|said|wrote
        |writes|reads|states|told|answer(?:ed|s)?|replied|slack|stack\ ?overflow|chatgpt|prompt|diff|message
        |following\ code|contents?|file|screenshot|response|ausgabe|fehler|meldung|doku(?:mentation)?|schreibt
        |schrieb|sagt|steht|kunde|kollege|seite|nachricht|antwort|sortie|erreur|courriel|dit|écrit|client
        |collègue|réponse|journal|salida|correo|dice|escribió|cliente|respuesta|registro|saída|erro|diz|escreveu
        |mensagem|errore|dice|scrive|messaggio|вывод|ошибка|лог|пишет|написал|сообщение|письмо|клиент)\b|翻译|润色|改写|校对|翻訳|要約|번역|요약|日志|输出
        |报错|文档|邮件|内容|原文|说道?|写着|写道|提到|消息|回复|工单|客户|同事|如下代码|ログ|出力|エラー|メール|文書|ドキュメント|によると|返信|로그|출력|오류|메일|문서|메시지|답변
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OWN_ALL_THE_SAME = re.compile(
    r"""
        \b(?:rules?|conventions?|guidelines?|preferences?|remember|reminders?|keep\ in\ mind|from\ now\ on
        |notes?\b|requirements|regeln|konventionen|merk|règles|préférences|retiens|reglas|recuerda|regras|lembre
        |regole|ricorda|правила|запомни)\b|规则|规范|约定|偏好|记住|要求|注意|ルール|規約|覚え|규칙|기억
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _leave_introduced(lines: list[_Line]) -> None:
    """What follows "the ticket says:", up to the end; only the code or log, where that is what follows."""
    for number, line in enumerate(lines):
        if not line.own or not line.text.rstrip().endswith((":", "：")):
            continue
        if not _FROM_ELSEWHERE.search(line.text) or _OWN_ALL_THE_SAME.search(line.text):
            continue
        following = [each for each in lines[number + 1 :] if each.text.strip()]
        if following and following[0].own:
            for each in following:
                each.own = False
            return


_LETTER_HEAD = re.compile(
    r"\s*(?:From|To|Cc|Subject|Sent|Date|Von|An|Betreff|De|À|Objet|Para|Asunto|发件人|收件人|主题|日期)\s*[:：]\s*\S"
)
_GREETING = re.compile(
    r"""\s*(?:dear|hi|hello|hey|hallo|liebe[rs]?|sehr\sgeehrte|bonjour|cher|chère|hola|estimad[oa]|尊敬的|各位)\b
    .{0,40}[,，:：!！]\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_FAREWELL = re.compile(
    r"""\s*(?:(?:best|kind|warm)\s(?:regards|wishes)|regards|sincerely|cheers|mit\sfreundlichen\sgrüßen|viele\sgrüße
    |cordialement|saludos|此致|祝好)\s*[,，.!]?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)


def _leave_letters(lines: list[_Line]) -> None:
    """A letter, which has a head or begins and ends as letters do, is somebody's; what stands before it is not."""
    heads = [number for number, line in enumerate(lines) if _LETTER_HEAD.match(line.text)]
    start = heads[0] if len(heads) > 1 and heads[1] == heads[0] + 1 else None
    if start is None and any(_FAREWELL.match(line.text) for line in lines):
        start = next((number for number, line in enumerate(lines) if _GREETING.match(line.text)), 0)
    for line in lines[start:] if start is not None else ():
        line.own = False


_BULLET = re.compile(r"\s*(?:[-*+•・]|\d{1,2}[.)、]|[a-z]\)|\([0-9a-z]\))\s*(?:\[[ xX]\]\s+)?(?=\S)")
_HEADING = re.compile(r"#{1,6}\s+")
_ABBREVIATIONS = re.compile(
    r"""
        (?:\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|st|no|nr|approx|incl|min|max|resp|cf|z\.\s?b|d\.\s?h|u\.\s?a|bzw
        |ca|usw|p\.\ ?ex|ej|p\.\s?ej|sr|sra|т\.\s?е|т\.\s?д|напр)|(?<!\w)\w)\Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|\Z)|[。！？；]+[”’」』）]*|[.!?](?=[\u3040-\u9fff\uac00-\ud7af])")


def _sentences(text: str, plain: str, lines: list[_Line]) -> Iterator[Sentence]:
    paragraph = 0
    intro: Sentence | None = None
    in_list = False
    for start, end, is_item, breaks in _runs(lines):
        paragraph += breaks
        if not is_item and in_list:
            intro, in_list = None, False
        if breaks and not is_item and intro is not None and paragraph > intro.paragraph + 1:
            intro = None
        in_list = in_list or is_item
        heading = _HEADING.match(text, start, end)
        for first, last in _split(plain, start, end):
            sentence = _sentence(text, plain, first, last, paragraph, intro)
            if sentence is None:
                continue
            if last == end and not is_item and (heading or sentence.text.endswith((":", "："))):
                intro = sentence
            else:
                yield sentence


def _runs(lines: list[_Line]) -> Iterator[tuple[int, int, bool, bool]]:
    """Stretches of own text that stand together: an item of a list, or lines of which each goes on the one before.

    For each its start and end, whether it is an item, and whether a blank or foreign line stands before it.
    """
    run: tuple[int, int, bool, bool] | None = None
    breaks = True
    for line in lines:
        if not line.own or not line.text.strip():
            breaks = True
            continue
        bullet = _BULLET.match(line.text)
        begin = line.start + (bullet.end() if bullet else len(line.text) - len(line.text.lstrip()))
        end = line.start + len(line.text.rstrip())
        if run and not breaks and not bullet and _goes_on(line.text):
            run = (run[0], end, run[2], run[3])
            continue
        if run:
            yield run
        run = (begin, end, bullet is not None, breaks)
        breaks = False
    if run:
        yield run


def _goes_on(line: str) -> bool:
    """Whether a line goes on with the sentence before it: people wrap lines, and seldom begin in lower case."""
    return line.lstrip()[:1].islower()


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for stop in _ENDS.finditer(text, start, end):
        if stop[0][0] == "." and _ABBREVIATIONS.search(text, max(first, stop.start() - 8), stop.start()):
            continue
        yield first, stop.end()
        first = stop.end()
    yield first, end


def _sentence(text: str, plain: str, start: int, end: int, paragraph: int, intro: Sentence | None) -> Sentence | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if heading := _HEADING.match(piece):
        start, piece = start + heading.end(), piece[heading.end() :]
    if not 2 <= len(piece) <= _LONGEST_SENTENCE:
        return None
    end = start + len(piece)
    return Sentence(piece, plain[start:end], start, end, paragraph, intro)


# What is quoted, and to the end of the line what is not closed.
_QUOTED = re.compile(
    r"""“[^”\n]{0,600}(?:”|$)|„[^“”\n]{0,600}(?:[“”]|$)|«[^»\n]{0,600}(?:»|$)|「[^」\n]{0,600}(?:」|$)|『[^』\n]{0,600}(?:』|$)
    |《[^》\n]{0,100}》|"[^"\n]{0,600}(?:"|$)|`[^`\n]+`|(?<!\w)['‘][^'’\n]{2,400}['’](?!\w)|\]\([^)\s]*\)""",
    re.VERBOSE | re.MULTILINE,
)


def _hidden(text: str) -> str:
    text = text.replace("’", "'") if "’" in text and "‘" not in text else text
    return _QUOTED.sub(_stand_in, text)


def _stand_in(quoted: re.Match[str]) -> str:
    """Code and a quoted name are a word of the sentence; a longer quotation is somebody's saying."""
    inner = quoted[0].strip("`\"'“”„«»「」『』《》‘’ ")
    is_name = quoted[0].startswith("`") or (len(inner.split()) <= 2 and len(inner.encode()) <= 24)
    return ("X" if is_name else HIDDEN) * len(quoted[0])
