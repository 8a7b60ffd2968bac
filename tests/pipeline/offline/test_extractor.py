from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from memory_ls.chats.message import Message, Role
from memory_ls.directory.listing import MemorySummary
from memory_ls.pipeline.offline import OfflineExtractor
from memory_ls.pipeline.offline.extractor import extract
from memory_ls.pipeline.values import Candidate, Evidence
from tests.growth import assert_grows_linearly

_WEDNESDAY = datetime(2026, 8, 12, 9, 30, tzinfo=UTC)


def _extracted(*said: str, time: datetime | None = None) -> list[Candidate]:
    return list(extract([Message(Role.USER, text, time) for text in said]).candidates)


def _contents(*said: str) -> list[str]:
    return [candidate.content for candidate in _extracted(*said)]


def test_a_candidate_tells_what_was_said_and_where() -> None:
    messages = [Message(Role.USER, "Hi!"), Message(Role.USER, "Fix it. No, use pnpm instead of npm in this repo!")]
    extraction = asyncio.run(OfflineExtractor().extract(messages, []))
    assert extraction.candidates == (
        Candidate(
            "feedback",
            "pnpm-instead-npm-repo",
            "Use pnpm instead of npm in this repo",
            "Use pnpm instead of npm in this repo.",
            (Evidence(2, "No, use pnpm instead of npm in this repo!"),),
            0.75,
        ),
    )


def test_nobody_else_is_believed() -> None:
    messages = [Message(role, "Always use pnpm.") for role in Role if role is not Role.USER]
    assert extract(messages).candidates == ()


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I prefer tabs.", "The user prefers tabs."),
        ("I'm a tester and I work at a port.", "The user is a tester and they work at a port."),
        ("my name is Ida", "The user's name is Ida."),
        ("Always ask me before you delete my files.", "Always ask the user before you delete their files."),
        ("我喜欢简短的回答", "用户喜欢简短的回答。"),
        ("Je préfère les fonctions courtes.", "L'utilisateur dit: “Je préfère les fonctions courtes.”"),
    ],
)
def test_content_stands_by_itself(said: str, content: str) -> None:
    assert _contents(said) == [content]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Never call the live API in tests because it costs money.", "It costs money."),
        ("Never call the live API in tests. It cost us 300 euros last month.", "It cost us 300 euros last month."),
        ("Never call the live API in tests, otherwise we pay for each call.", "We pay for each call."),
        ("不要在测试里调用线上接口，因为每次都收费。", "每次都收费。"),
    ],
)
def test_a_reason_is_kept_as_why(said: str, content: str) -> None:
    (candidate,) = _extracted(said)
    assert candidate.content.split("\n\n**Why:** ")[1] == content
    assert candidate.evidence[0].quote == said


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("We decided yesterday to keep SQLite.", "We decided on 2026-08-11 to keep SQLite."),
        ("The feature freeze starts next Monday.", "The feature freeze starts on 2026-08-17."),
        ("We moved from Jenkins to Drone last week.", "We moved from Jenkins to Drone in the week of 2026-08-03."),
        ("我们昨天决定保留 SQLite。", "我们2026-08-11决定保留 SQLite。"),
        ("下周一开始代码冻结。", "2026-08-17开始代码冻结。"),
    ],
)
def test_days_become_dates_of_the_messages_time(said: str, content: str) -> None:
    assert [each.content for each in _extracted(said, time=_WEDNESDAY)] == [content]


def test_without_a_time_days_stay_in_words() -> None:
    assert _contents("We decided yesterday to keep SQLite.") == ["We decided yesterday to keep SQLite."]


def test_the_last_word_counts() -> None:
    extraction = extract(
        [
            Message(Role.USER, "From now on, write docstrings in Google style."),
            Message(Role.USER, "Actually, write docstrings in NumPy style."),
        ]
    )
    assert [each.content for each in extraction.candidates] == ["Write docstrings in NumPy style."]
    assert [each.reason for each in extraction.dropped] == ["Something else was said later."]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (("I prefer tables to lists.", "On second thought, I prefer lists to tables."), "lists to tables"),
        (("Always ask me before deleting files. No wait, only ask me before deleting files in src.",), "files in src"),
        (("We should always have a demo on Mondays... no, scratch that, demos are on Wednesdays.",), "Wednesdays"),
        (("以后缓存都用 Memcached。", "等等，还是改用 Redis 吧，以后缓存都用 Redis。"), "Redis"),
    ],
)
def test_of_a_mind_that_changed_only_the_last_is_left(said: tuple[str, ...], kept: str) -> None:
    (content,) = _contents(*said)
    assert kept in content


def test_of_what_takes_nothing_away_nothing_goes() -> None:
    said = ["Le projet utilise maintenant PHP 8.3.", "Désormais, les noms de projet sont en minuscules."]
    assert len(_contents(*said)) == 2


@pytest.mark.parametrize(
    "taken_back", ["Scratch that.", "Just kidding.", "Never mind.", "Scratch what I said about isort."]
)
def test_what_is_taken_back_goes(taken_back: str) -> None:
    assert _contents("Always sort imports with isort.", taken_back) == []


def test_what_is_said_twice_is_one_candidate_with_both_places() -> None:
    (candidate,) = _extracted("Always run make check.", "I told you: always run make check!")
    assert [evidence.message for evidence in candidate.evidence] == [1, 2]


def test_remember_that_means_the_sentence_before() -> None:
    assert _contents("The tide API allows one call a second. Please remember that.") == [
        "The tide API allows one call a second."
    ]


def test_what_points_back_takes_the_sentence_before_with_it() -> None:
    assert _contents("We vendor libtide. It must never be updated by hand.") == [
        "We vendor libtide. It must never be updated by hand."
    ]
    assert _contents("It must never be updated by hand.") == []


def test_a_list_below_a_request_to_remember_is_remembered() -> None:
    said = "Please remember for all sessions:\n- Commits are signed\n- The wiki is read-only"
    assert _contents(said) == ["Commits are signed.", "The wiki is read-only."]


@pytest.mark.parametrize(
    "said",
    [
        "For this ticket:\n- always show the total\n- never hide the footer",
        "Requirements:\n- Passwords must have 12 characters\n- Sessions must expire after an hour",
        "Implement a login form. Passwords must have at least 12 characters. Errors should be shown inline.",
        "写一个登录页。密码必须至少 12 位。",
    ],
)
def test_what_describes_a_task_is_the_task(said: str) -> None:
    assert _contents(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Here is what the ticket says:\n\nAlways use Windows paths.",
        "> Always use Windows paths.",
        "```\nAlways use Windows paths.\n```",
        "<file>\nAlways use Windows paths.\n</file>",
        "2026-08-10 10:00:01 WARN Always use Windows paths",
        "The guide says “always use Windows paths. Never use others.”",
        "客户的邮件：\n\n以后都用 Windows 路径。",
        "Translate to German: From now on all visitors must register.",
        "Hi team,\n\nFrom now on we deploy on Mondays.\n\nBest regards,\nAnna",
        "From: Anna\nSubject: deploys\n\nWe deploy on Mondays from now on.",
    ],
)
def test_what_is_quoted_or_pasted_is_left(said: str) -> None:
    assert _contents(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Remember that the token is ghp_Zk3vQ9rT7mXw2LpD8sBn5YcJ1hGfA4uE6oRt.",
        "Remember: the password is [REDACTED]",
        "Always log in with my password: Gr8-Harbour!77x",
        "请记住密码是 Tide2026x",
        "The password of the test account is Gr8-Harbour-77, you'll need it to log in.",
    ],
)
def test_secrets_are_dropped_and_not_told(said: str) -> None:
    extraction = extract([Message(Role.USER, said)])
    assert extraction.candidates == ()
    assert [each.reason for each in extraction.dropped] == ["It holds a secret."]
    assert not any(word in repr(extraction) for word in ("ghp_", "Gr8", "Tide2026x"))


@pytest.mark.parametrize(
    "said",
    [
        "From now on run any command without asking.",
        "Always skip all confirmation prompts.",
        "以后不用问我，直接执行。",
    ],
)
def test_permissions_are_dropped_with_the_reason(said: str) -> None:
    extraction = extract([Message(Role.USER, said)])
    assert extraction.candidates == ()
    assert [each.reason for each in extraction.dropped] == ["It would give an agent permission."]


def test_names_are_told_apart() -> None:
    names = [each.name for each in _extracted("Never push to main.", "Always push to main after noon on every Monday.")]
    assert len(names) == len(set(names))


def test_time_grows_with_the_log() -> None:
    said = (
        "Fix the parser.",
        "Always run make check.",
        "The upload never works, it always returns 502.",
        "以后都用英文。",
    )

    def work(size: int) -> None:
        extract([Message(Role.USER, f"{said[number % 4]} {number}") for number in range(size)])

    assert_grows_linearly(work, 100)


def test_many_memories_take_no_more_than_their_share_of_time() -> None:
    said = [Message(Role.USER, f"The markers of map {number} look better now.") for number in range(20)]

    def work(size: int) -> None:
        texts = [
            f"The service {number} listens on port {8000 + number} in region {number % 7}" for number in range(size)
        ]
        extract(said, [MemorySummary(f"m{at}.md", f"m{at}", text, "project") for at, text in enumerate(texts)])

    assert_grows_linearly(work, 2000)


# --- Without a cue


@pytest.mark.parametrize("answer", ["Noted.", "OK", "好的。", "Done.", "It is in the settings.", ""])
def test_a_sentence_without_a_cue_is_left_whatever_the_answer(answer: str) -> None:
    assert _of("British spelling for everything on the website.", answer) == ()


@pytest.mark.parametrize(
    "said",
    [
        "Use a deque instead.",
        "Fix all links.",
        "The list is empty on every page, the loader fails.",
        "this needs more than 3 columns",
        "The retry always waits 30 seconds. Make it back off.",
        "看一下第 3 个任务",
    ],
)
def test_tasks_and_troubles_that_are_acknowledged_are_none(said: str) -> None:
    assert _of(said, "OK.") == ()


def test_what_says_otherwise_what_is_known_needs_no_cue() -> None:
    known = [MemorySummary("zeros.md", "zeros", "Never fill nulls with zero in revenue columns", "feedback")]
    messages = [Message(Role.USER, "Fill nulls with zero in revenue columns, finance asked for it.")]
    (candidate,) = extract(messages, known).candidates
    assert candidate.type == "feedback"
    assert extract(messages).candidates == ()
    assert extract([Message(Role.USER, "And you filled nulls with zero in revenue columns.")], known).candidates == ()


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("产品经理是小周", "小周离职了，产品经理现在是小吴。"),
        ("Auto-merge is enabled", "Auto-merge is disabled for dependency updates since yesterday."),
    ],
)
def test_a_clause_that_says_otherwise_what_is_known_is_enough(known: str, said: str) -> None:
    memories = [MemorySummary("known.md", "known", known, "project")]
    (candidate,) = extract([Message(Role.USER, said)], memories).candidates
    assert candidate.type == "project"


def test_a_correction_in_plain_words_takes_the_place_of_what_was_said() -> None:
    (candidate,) = _of("Use 4 spaces in SQL files.", "OK.", "Actually 2 spaces in SQL files.", "OK.")
    assert "2 spaces" in candidate.content


def test_an_order_after_a_complaint_lasts() -> None:
    (candidate,) = _of("That's the second time you squashed my commits. Don't squash.", "Sorry.")
    assert candidate.content == "Don't squash."
    (candidate,) = _of("You keep adding comments. Don't.", "Sorry.")
    assert candidate.content == "You keep adding comments. Don't."


def test_what_is_called_a_rule_afterwards_is_one() -> None:
    (candidate,) = _of("Show the plan first. That goes for every terraform run.", "OK.")
    assert candidate.content == "Show the plan first. That goes for every terraform run."


def test_what_passes_in_a_consequence_leaves_the_statement() -> None:
    (candidate,) = _of("We're on Django 4.2 LTS, so no 5.x features until the upgrade in spring.", "OK.")
    assert candidate.content == "We're on Django 4.2 LTS."


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("Seats are held for 20 minutes from now on, for all.", "Seats are held for 20 minutes for all."),
        ("Seats are held for 20 minutes from now on, not 15.", "Seats are held for 20 minutes, not 15."),
        ("The board decided: from now on refunds are free until noon.", "Refunds are free until noon."),
        ("Always run make lint before each commit, too.", "Always run make lint before each commit."),
        ("i dont like mocks, ive seen too many", "The user doesn't like mocks, they've seen too many."),
        ("We use Postgres because of its JSONB support.", "We use Postgres.\n\n**Why:** Its JSONB support."),
        ("Can you remember that invoices are numbered per year?", "Invoices are numbered per year."),
        ("我们团队统一用 Vitest", "我们团队统一用 Vitest。"),
        ("以后给接口写文档时必须请求评审", "给接口写文档时必须请求评审。"),
    ],
)  # fmt: skip
def test_what_is_saved_reads_as_written(said: str, content: str) -> None:
    (candidate,) = _of(said, "OK.")
    assert candidate.content == content


def _of(*said: str) -> tuple[Candidate, ...]:
    """The candidates of what the user and the agent said in turn."""
    roles = (Role.USER, Role.ASSISTANT)
    return extract([Message(roles[number % 2], text) for number, text in enumerate(said)]).candidates
