"""Makes a memory directory for the benchmarks, alike in kind and size to those that agents keep.

The same count, seed and day always give the same bytes. As a command, for a look or a profile:
``python tests/benchmarks/generate.py DIRECTORY --files 1000``.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path


def _split(words: str) -> list[str]:
    return words.split()


_MEDIAN_BYTES, _SPREAD, _LEAST_BYTES, _MOST_BYTES = 1_500, 0.75, 350, 24_000
_FAULTY = 0.04
_LONG_LINE = 0.02
_KINDS = (("project", 55), ("feedback", 33), ("reference", 8), ("user", 4))
_DIALECTS = (("nested", 66), ("flat", 29), ("bare", 4), ("none", 1))
_SCRIPTS = (("latin", 62), ("korean", 25), ("chinese", 13))
_EMOJI = "✅🚀🧭📌🪝🔥🧪"
_GLUE = {
    "latin": _split("the of and to in is for that with on it as not when before after because by at from this"),
    "korean": _split("그리고 하지만 항상 먼저 다음에 때문에 그래서 우리는 이것은 아직"),
    "chinese": _split("因为 所以 但是 必须 不要 首先 然后 总是 我们 需要"),
}
_PARTS = {
    "latin": _split("ba ker lo min ta sho ren dal vi co pur est gan mol fi tra lum ne sko ry ham del por wi sta"),
    "korean": list("가나다라마바사아자차카타파하고노도로모보소오조초구누두루무부수우주기니디리미비시이지"),
    "chinese": list("库缓存测试部署分支配置接口服务日志索引队列密钥节点缺陷版本构建评审数据迁移回滚端口"),
}
_SUBJECTS = _split("lock tide crane ledger quay buoy cargo pilot mooring beacon hatch barge dock rudder harbour winch")
_ASPECTS = _split("limits owner retries layout habits review format quirks schedule wording access cleanup")
_HEADINGS = ("Why", "How to apply", "Background", "Open points", "How it was found", "See also")


@dataclass(frozen=True, slots=True)
class Sample:
    """A memory directory that was made: what the benchmark opens in it, and names that its links may use."""

    root: Path
    opened: Path
    names: tuple[str, ...]

    @property
    def index(self) -> Path:
        """The index file."""
        return self.root / "MEMORY.md"


@dataclass(frozen=True, slots=True)
class _Fact:
    """What a memory is to be, before its text is written."""

    key: str
    name: str
    dialect: str
    kind: str
    script: str
    fault: str


class _Words:
    """Words as a language has them: a few often, thousands seldom, so that texts differ as real ones do."""

    def __init__(self, rng: random.Random, script: str) -> None:
        parts, joint = _PARTS[script], 3 if script == "latin" else 2
        coined = {"".join(rng.choices(parts, k=rng.randint(1, joint))) for _ in range(4_000)}
        self._words = _GLUE[script] + sorted(coined)
        self._weights = list(accumulate(1 / (rank + 4) for rank in range(len(self._words))))

    def take(self, rng: random.Random, count: int) -> list[str]:
        return rng.choices(self._words, cum_weights=self._weights, k=count)


class _Writer:
    """Writes the texts of all memories and of the index."""

    def __init__(self, count: int, seed: int, today: date) -> None:
        self._rng = random.Random(seed)
        self._today = today
        self._words = {script: _Words(self._rng, script) for script, _ in _SCRIPTS}
        self.facts = [self._fact(number) for number in range(count)]

    def _pick(self, weighted: Sequence[tuple[str, int]]) -> str:
        return self._rng.choices([item for item, _ in weighted], [weight for _, weight in weighted])[0]

    def _fact(self, number: int) -> _Fact:
        rng = self._rng
        slug = f"{rng.choice(_SUBJECTS)}-{rng.choice(_ASPECTS)}-{number}"
        dialect, kind, script = self._pick(_DIALECTS), self._pick(_KINDS), self._pick(_SCRIPTS)
        fault = rng.choice(list(_FAULTS)) if rng.random() < _FAULTY else ""
        if number == 0:  # the one that is opened: a finding shows when a server has looked at it
            dialect, script, fault = "nested", "latin", "dead link"
        if dialect == "flat":
            title = " ".join(self._words[script].take(rng, 3)).capitalize()
            return _Fact(f"{kind}_{slug.replace('-', '_')}.md", f"{title} {number}", dialect, kind, script, fault)
        key = f"{slug}.md" if rng.random() < 0.6 else f"{kind}_{slug}.md"
        return _Fact(key, slug, dialect, kind, script, fault)

    # ---- a memory

    def memory(self, fact: _Fact) -> str:
        size = min(_MOST_BYTES, max(_LEAST_BYTES, self._rng.lognormvariate(math.log(_MEDIAN_BYTES), _SPREAD)))
        if fact is self.facts[0]:
            size = _MEDIAN_BYTES
        head = self._frontmatter(fact)
        text = head + self._body(fact, int(size) - len(head.encode()))
        if fact.fault:
            text = text.replace(*_FAULTS[fact.fault], 1)
        return text.replace("\n", "\r\n") if fact.fault == "" and self._rng.random() < 0.01 else text

    def sentence(self, script: str, count: int) -> str:
        words = self._words[script].take(self._rng, count)
        if self._rng.random() < 0.15:
            words.insert(self._rng.randrange(count), f"`{'_'.join(self._words['latin'].take(self._rng, 2))}`")
        if self._rng.random() < 0.04:
            words.append(self._rng.choice(_EMOJI))
        text = ("" if script == "chinese" else " ").join(words)
        return text[:1].upper() + text[1:] + ("。" if script == "chinese" else ".")

    def _frontmatter(self, fact: _Fact) -> str:
        if fact.dialect == "none":
            return ""
        description = self.sentence(fact.script, self._rng.randint(8, 20)).replace("`", "")
        if self._rng.random() < 0.35:
            description = f'"{description}"'
        head = f"---\nname: {fact.name}\ndescription: {description}\n"
        if fact.dialect == "flat":
            head += f"type: {fact.kind}\n"
        elif fact.dialect == "nested":
            days = self._rng.randint(200, 500) if self._rng.random() < 0.02 else self._rng.randint(0, 150)
            changed = self._today - timedelta(days)
            head += f"metadata: \n  node_type: memory\n  type: {fact.kind}\n  modified: {changed}T08:15:00.000Z\n"
        return head + "---\n\n"

    def _body(self, fact: _Fact, size: int) -> str:
        blocks = [self._block(fact)]
        written = len(blocks[0].encode())
        links = self._rng.randint(3, 6)
        if fact.kind == "feedback":
            blocks += [f"**{label}:** {self.sentence(fact.script, 12)}" for label in ("Why", "How to apply")]
        while written < size or links:
            block = self._block(fact)
            if links:
                block += self._link()
                links -= 1
            blocks.append(block)
            written += len(block.encode()) + 2
        return "\n\n".join(blocks) + "\n"

    def _block(self, fact: _Fact) -> str:
        chance, count = self._rng.random(), self._rng.randint(5, 16)
        if chance < 0.10:
            return f"## {self._rng.choice(_HEADINGS)}\n\n{self.sentence(fact.script, count)}"
        if chance < 0.30:
            return "\n".join(f"- {self.sentence(fact.script, count)}" for _ in range(self._rng.randint(1, 3)))
        if chance < 0.38:
            command = " ".join(self._words["latin"].take(self._rng, 3))
            return f"```sh\necho '[[not-a-link]]'\n./run {command}\n```\n\n{self.sentence(fact.script, 5)}"
        return self.sentence(fact.script, count)

    def _link(self) -> str:
        target = self._rng.choice(self.facts)
        chance = self._rng.random()
        if chance < 0.55:
            link = f"[[{target.name}]]"
        elif chance < 0.70:
            link = f"[[{target.key[:-3]}]]"
        else:
            link = f"[{target.name}]({target.key})"
        # Some links are a sentence of their own, which memories about one thing then share.
        said = "" if self._rng.random() < 0.3 else f", and {self.sentence('latin', 6).lower()}"
        return f" See {link}{said or '.'}"

    # ---- the index

    def index(self) -> str:
        lines = ["# Memory Index", ""]
        listed = [fact for fact in self.facts if fact.fault != "not listed"]
        for fact in listed:
            length = 230 if self._rng.random() < _LONG_LINE else int(self._rng.triangular(90, 196, 134))
            head = f"- [{fact.name}]({fact.key}) — "
            words = self.sentence(fact.script, 60).rstrip(".。")
            lines.append((head + words)[: max(length, len(head) + 8)].rstrip().replace("`", ""))
        lines.insert(2 + len(lines) // 3, "- [Gone](gone-long-ago.md) — a line whose memory was deleted")
        lines.insert(2 + len(lines) // 2, lines[-1])
        return "\n".join(lines) + "\n"


# What is wrong with some memories: the text to replace, and by what.
_FAULTS = {
    "not YAML": ("description: ", "description: note: "),
    "not closed": ("\n---\n\n", "\n\n"),
    "unknown type": ("type: ", "type: x"),
    "no description": ("description: ", "about: "),
    "dead link": (" See [", " See [[no-such-memory]] and ["),
    "dead path": (" See [", " See [this](no_such_file.md) and ["),
    "cut value": ("description: ", "description: see #"),
    "conflict": ("\n\n", "\n\n<<<<<<< ours\none\n=======\nother\n>>>>>>> theirs\n\n"),
    "not listed": ("", ""),
}


def generate(root: Path, count: int, *, seed: int = 11, today: date | None = None) -> Sample:
    """Writes ``count`` memories and an index into the new directory ``root``.

    The ages of memories are counted from ``today``, so that as few are stale tomorrow as today.
    """
    root.mkdir(parents=True)
    writer = _Writer(count, seed, today or date.today())
    for fact in writer.facts:
        (root / fact.key).write_bytes(writer.memory(fact).encode())
    (root / "MEMORY.md").write_bytes(writer.index().encode())
    names = [fact.name for fact in writer.facts[1:] if fact.dialect == "nested" and not fact.fault]
    step = max(1, len(names) // 40)
    return Sample(root, root / writer.facts[0].key, tuple(names[::step]))


def main() -> None:
    """Makes a directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--files", type=int, default=1_000)
    given = parser.parse_args()
    sample = generate(given.directory, given.files)
    print(f"{given.files:,} memories in {sample.root}")


if __name__ == "__main__":
    main()
