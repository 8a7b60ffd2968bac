"""Markdown for people: names in it as they are, long texts cut, and all of it as plain text where a client shows no other."""

from __future__ import annotations

import re

_MARK = re.compile(r"[\\`*\[<]")
_ESCAPED = r"\\\g<0>"


def bold(text: str) -> str:
    """``text`` in bold, with nothing in it taken for markdown."""
    return f"**{_MARK.sub(_ESCAPED, text)}**"


def code(text: str) -> str:
    """``text`` as code, be there backticks in it or not."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(.*)")
_BORDERS = ("\n\n", "\n", "。", ". ", " ")


def cut(text: str, most: int) -> str:
    """At most ``most`` characters of a markdown text, with a word on how many there are; what is open is closed."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) <= most:
        return text
    borders = (text.rfind(border, most // 2, most) + len(border.rstrip()) for border in _BORDERS if border in text)
    end = next((border for border in borders if border > most // 2), most)
    kept = text[:end].rstrip()
    fence = _open_fence(kept)
    if fence:
        kept += f"\n{fence}"
    elif kept.rfind("<!--") > kept.rfind("-->"):
        kept += " -->"
    return f"{kept}\n\n… ({len(text):,} characters)"


def _open_fence(text: str) -> str:
    """The fence of the block of code that is still open at the end of a text, or nothing."""
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            continue
        marks, rest = found.groups()
        if not fence:
            fence = marks if marks[0] == "~" or "`" not in rest else ""
        elif marks.startswith(fence) and not rest.strip():
            fence = ""
    return fence


_WIKI = re.compile(r"!?\[\[([^\[\]|\n]+?)(?:\\?\|([^\[\]\n]+))?\]\]")
_LINK = re.compile(r"!?\[([^\[\]\n]+)\]\([^()\n]*\)")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*|(?<!\w)__(?=\S)(.+?)(?<=\S)__(?!\w)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*\Z")
_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """Markdown as plain text: the words of links, bold, headings and code, without the marks around them."""
    lines = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is not None and (not fence or (found.group(1).startswith(fence) and not found.group(2).strip())):
            fence = "" if fence else found.group(1)
        else:
            lines.append(line if fence else _plain_line(line))
    return "\n".join(lines)


def _plain_line(line: str) -> str:
    heading = _HEADING.match(line)
    line = heading.group(1) if heading else line
    pieces = []
    at = 0
    for found in _CODE.finditer(line):  # in code nothing is a mark
        words = found.group(2)
        # The spaces keep backticks apart.
        inner = words[1:-1] if words[0] == words[-1] == " " and words.strip() else words
        pieces += [_plain_words(line[at : found.start()]), inner]
        at = found.end()
    pieces.append(_plain_words(line[at:]))
    return "".join(pieces)


def _plain_words(text: str) -> str:
    text = _WIKI.sub(lambda match: match.group(2) or match.group(1), text)
    text = _LINK.sub(r"\1", text)
    text = _BOLD.sub(r"\1\2", text)
    return _BACKSLASH.sub(r"\1", text)
