"""When two texts count as the same: for quotes that are looked up, and for memories that are already known."""

from __future__ import annotations

import re
import unicodedata

_DASHES = re.compile(r"\s*[-\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]+\s*")
_QUOTATION_MARKS = re.compile("[\"'`´\u2018-\u201f\u2039\u203a«»「」『』〝〞〟＂＇]+")
_ELLIPSES = re.compile(r"\A(?:\s|…|\.\.\.)+|(?:\s|…|\.\.\.)+\Z")
_SPACE = re.compile(r"\s+")

# Scripts that put no spaces between words, so that one more or less says nothing.
_DENSE = "\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60"
_BESIDE_DENSE = re.compile(f"(?<=[{_DENSE}]) | (?=[{_DENSE}])")

# Punctuation says something inside a word or a number (1.2, -5, C++, .env) and nothing around one.
_AROUND_WORDS = re.compile(r"(?:(?<=\s)|\A)[,;:!?*_~()\[\]{}<>]+(?=\s|\w|\Z)|[.,;:!?*_~()\[\]{}<>…]+(?=\s|\Z)")
_LINE_MARKS = re.compile(r"^[ \t]*(?:[-*+>]|#{1,6})[ \t]+", re.MULTILINE)
_DENSE_PUNCTUATION = re.compile("[。，、；：！？…（）《》〈〉【】·～]+")


def folded_quote(text: str) -> str:
    """``text`` in the form that a quote of it shares.

    It has no case, one sort of dash, no quotation marks or backticks, and single spaces.
    """
    text = _QUOTATION_MARKS.sub("", _DASHES.sub("-", _normal(text)))
    return _BESIDE_DENSE.sub("", _SPACE.sub(" ", text)).strip()


def without_ellipses(quote: str) -> str:
    """A quote without what says that it goes on."""
    return _ELLIPSES.sub("", quote)


def folded_text(text: str) -> str:
    """``text`` in the form in which texts are equal that differ in case, white space and punctuation alone."""
    text = _DENSE_PUNCTUATION.sub(" ", folded_quote(_LINE_MARKS.sub("", text)))
    return _BESIDE_DENSE.sub("", _SPACE.sub(" ", _AROUND_WORDS.sub(" ", text))).strip()


def _normal(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
