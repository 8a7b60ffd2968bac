"""Sentences that are about the chat itself: about what both look at, or what one of them has just done."""

from __future__ import annotations

import re

# What begins so is about what both look at, or is a story.
_OF_CHAT = re.compile(
    r"""
    (?:(?:and|so|just|also|ok)[,\s]+)*(?:yes|no|thanks|thank|good|nice|great|perfect|cool|fine|morning|hello|hi|hey|bye
    |it|this|that|these|those|there|he|she|they|who|what|which|why|how|when\si|where|maybe|could|would|nothing|something|someone|somebody
    |i(?:'ve|\shave)?\s(?:(?:only|just|already|also|never|\w+ly)\s)*(?:\w+ed|seen|been)|i\s(?:tried|saw|got|ran|found|thought|think|guess|see|hope|wonder|mean|know|just|was|had|don't\s(?:think|know|see|understand|get)|need|can\ssee)
    |i'll|we'll|i'm\s(?:\w+ing|not\ssure|back|off|out|done|here)|we're\s\w+ing|i\sam\s\w+ing|you\shave|you(?:'re|'ve|'ll|\s(?:are|were|did|forgot|missed|broke|\w+ed|just|put|wrote|made|got|left|took)))\b
    |(?:帮我|麻烦|请帮|把|给我|将|改|加|删|写|跑|看|查|修|试|先|再|继续|那就|这|那|它|他|她|谢|好|行|嗯|哈|哎|唉|我(?:先|再|刚|去|看|想|觉得|试|忘|还|在|也|就)|你)
""",
    re.IGNORECASE | re.VERBOSE,
)


def is_of_chat(plain: str) -> bool:
    """Whether a sentence is about what both look at, or tells what happened."""
    return _OF_CHAT.match(plain) is not None
