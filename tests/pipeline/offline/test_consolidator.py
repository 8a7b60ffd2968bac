from __future__ import annotations

import asyncio

import pytest

from memory_ls.pipeline.offline import OfflineConsolidator
from memory_ls.pipeline.offline.consolidator import consolidate
from memory_ls.pipeline.values import Action, Candidate, Consolidation, Evidence, Memory, Operation


def _candidate(text: str, name: str = "a-name", said: str = "") -> Candidate:
    return Candidate("project", name, text.rstrip("."), text, (Evidence(1, said or text),), 0.8)


def _memory(text: str, name: str = "known", description: str = "", kind: str | None = "project") -> Memory:
    return Memory(name, description, kind, text)


def _decided(said: str, known: str) -> Operation:
    (operation,) = consolidate([_candidate(said)], [_memory(known)]).operations
    return operation


def test_without_candidates_nothing_is_decided() -> None:
    assert asyncio.run(OfflineConsolidator().consolidate([], [_memory("x")])) == Consolidation()


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Always run make check.", "always run `make check`"),
        ("We use pnpm,  not npm!", "We use pnpm, not npm."),
        ("我们用pnpm，不用npm", "我们用 pnpm，不用 npm。"),
        ("Run make check.", "Run make check before each commit, and after each merge."),
        ("The user prefers vim.", "The user prefers vim as editor; it is set up in ~/.vimrc."),
        ("Always run make check.", "Commits are signed.\nAlways run make check.\nTags are signed."),
    ],
)
def test_what_is_known_is_skipped(said: str, known: str) -> None:
    operation = _decided(said, known)
    assert (operation.action, operation.target, operation.entry) == (Action.SKIP, "known", None)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (
            "Refunds are free until 36 hours before departure, not 24.",
            "Refunds are free until 24 hours before departure.",
        ),
        ("Seats are held for 20 minutes, not 15.", "- Seats are held for 15 minutes. Vehicles are held for 30."),
        ("候补座位保留 30 分钟，不是 10 分钟。", "候补座位保留 10 分钟。过时自动给下一位。"),
        ("Das Zeitlimit liegt bei 5 Sekunden statt 3.", "Das Zeitlimit liegt bei 3 Sekunden."),
        ("Lint Python code with ruff instead of flake8.", "Lint Python code with flake8."),
    ],
)
def test_what_was_updated_already_is_known_when_it_is_read_again(said: str, known: str) -> None:
    first = _decided(said, known)
    assert first.action is Action.UPDATE
    assert first.entry is not None
    again = _decided(said, first.entry.content)
    assert (again.action, again.reason) == (Action.SKIP, "`known` says so already.")


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (
            "Refunds are free until 36 hours before departure, not 24.",
            "Refunds are free until 24 hours before departure, not 36.",
        ),
        ("Lint Python code with ruff instead of flake8.", "Lint Python code with ruff and flake8."),
    ],
)
def test_what_still_names_the_old_is_not_taken_for_changed(said: str, known: str) -> None:
    assert _decided(said, known).action is Action.UPDATE


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("The dev server listens on port 8081.", "The dev server listens on port 8080."),
        ("Never catch broad exceptions.", "Always catch broad exceptions."),
        ("Don't use emojis in release notes.", "Use emojis in release notes."),
        ("Use pnpm instead of npm.", "We use npm for all packages."),
        ("The tech lead is Wanda.", "The tech lead is Tomas."),
        ("The user prefers long answers.", "The user prefers short answers."),
        ("Releases go out on Tuesdays.", "Releases go out on Thursdays."),
        ("We use plain CSS for styling.", "We use Sass for styling."),
        ("Every pull request needs two reviewers.", "Every pull request needs one reviewer."),
        ("Write comments in English.", "Write comments in German."),
        ("数据库改用 PostgreSQL 了，不再用 MySQL。", "项目的数据库用 MySQL 8。"),
        ("接口超时时间是 5 秒。", "接口超时时间是 3 秒。"),
        ("Wir rollen montags aus.", "Wir rollen donnerstags aus."),
        ("배포는 매주 화요일에 한다.", "배포는 매주 목요일에 한다."),
        ("In the importer, prefer asyncio to threads.", "Prefer threads to asyncio in the importer."),
        ("Auto-merge is disabled for dependency updates.", "Auto-merge is enabled for dependency updates."),
        ("We raised the memory limit of the workers to 1 GB.", "Workers have a memory limit of 512 MB."),
    ],
)
def test_what_is_otherwise_now_is_an_update(said: str, known: str) -> None:
    operation = _decided(said, known)
    assert (operation.action, operation.target) == (Action.UPDATE, "known")
    assert operation.entry is not None
    assert operation.entry.content == said
    assert operation.entry.name == "known"


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Run make lint before each commit.", "Run make test before each commit."),
        ("The metrics server listens on port 9090.", "The staging server listens on port 8080."),
        ("We use RabbitMQ for messaging.", "We use Redis for caching."),
        ("Never push to a release branch.", "Never rewrite the history of main."),
        ("Our frontend is written in TypeScript.", "Our backend is written in Go."),
        ("The user prefers short commit messages.", "The user prefers dark themes."),
        ("Database backups run at 3.", "Log rotation runs weekly."),
        ("消息队列用 Kafka。", "缓存用 Redis。"),
    ],
)
def test_what_stands_beside_it_is_added(said: str, known: str) -> None:
    operation = _decided(said, known)
    assert (operation.action, operation.target) == (Action.ADD, None)
    assert operation.entry is not None
    assert operation.entry.content == said


def test_an_update_keeps_what_else_the_memory_says() -> None:
    known = "# Server\n\n- The dev server listens on port 8080.\n- Start it with `make serve`.\n\n**Why:** the proxy wants it.\n"
    (operation,) = consolidate(
        [_candidate("The dev server listens on port 8081.")],
        [_memory(known, "port", "The dev server listens on port 8080", "reference")],
    ).operations
    assert operation.entry is not None
    assert operation.entry.content == known.replace("8080", "8081")
    assert operation.entry.description == "The dev server listens on port 8081"
    assert operation.entry.type == "reference"


def test_a_new_reason_takes_the_place_of_the_old() -> None:
    candidate = _candidate("Write comments in English.\n\n**Why:** New people came.")
    (operation,) = consolidate(
        [candidate], [_memory("Write comments in German.\n\n**Why:** All are German.")]
    ).operations
    assert operation.entry is not None
    assert operation.entry.content == "Write comments in English.\n\n**Why:** New people came."


def test_a_description_that_tells_what_is_gone_is_renewed() -> None:
    memory = _memory("Wir rollen donnerstags aus.", description="Ausgerollt wird donnerstags")
    (operation,) = consolidate([_candidate("Wir rollen montags aus.")], [memory]).operations
    assert operation.entry is not None
    assert operation.entry.description == "Wir rollen montags aus"


@pytest.mark.parametrize(
    ("said", "content", "description", "expected"),
    [
        (
            "Refunds are free until 36 hours before departure.",
            "Refunds are free until 24 hours before departure. After that half the fare is kept.",
            "Refunds are free until 24 hours before departure; after that half the fare is kept",
            "Refunds are free until 36 hours before departure; after that half the fare is kept",
        ),
        (
            "Seats are held for 20 minutes while a passenger pays.",
            "Seats are held for 15 minutes while a passenger pays. A vehicle is held for 30.",
            "Seats are held for 15 minutes while a passenger pays; vehicles are held for 30",
            "Seats are held for 20 minutes while a passenger pays; vehicles are held for 30",
        ),
        (
            "候补座位保留 30 分钟，不是 10 分钟。",
            "候补座位保留 10 分钟。过时自动给下一位。",
            "候补座位保留 10 分钟；候补名单按登记时间排序，岛上居民不优先",
            "候补座位保留 30 分钟；候补名单按登记时间排序，岛上居民不优先",
        ),
        (
            "Der Bus fährt montags.",
            "Der Bus fährt donnerstags.\n\nHunde fahren frei.",
            "Hunde fahren frei; der Bus fährt donnerstags",
            "Hunde fahren frei; Der Bus fährt montags",
        ),
        (
            "Piotr owns the payments module.",
            "It is in Go.",
            "Nadia owns the payments module; it is in Go",
            "Piotr owns the payments module; it is in Go",
        ),
    ],
)
def test_of_a_description_only_what_is_no_longer_so_is_renewed(
    said: str, content: str, description: str, expected: str
) -> None:
    candidate = _candidate(said, said=f"以后{said}")
    (operation,) = consolidate([candidate], [_memory(content, description=description)]).operations
    assert operation.entry is not None
    assert operation.entry.description == expected


def test_what_the_description_tells_in_a_part_is_renewed_in_the_content_too() -> None:
    known = _memory(
        "Seats are held for 15 minutes. A vehicle is held for 30, since it has to be typed in.",
        description="Seats are held for 15 minutes while a passenger pays; vehicles are held for 30",
    )
    candidate = _candidate("Seats are held for 20 minutes while a passenger pays.")
    (operation,) = consolidate([candidate], [known]).operations
    assert operation.entry is not None
    assert operation.entry.content == known.content.replace("15", "20")
    assert operation.entry.description == known.description.replace("15", "20")


def test_a_description_about_something_else_stays() -> None:
    memory = _memory("Write in German.\n\nThe dev server listens on port 8080.", description="Notes on the harbour")
    (operation,) = consolidate([_candidate("The dev server listens on port 8081.")], [memory]).operations
    assert operation.entry is not None
    assert operation.entry.description == "Notes on the harbour"


def test_what_is_added_gets_a_free_name() -> None:
    candidates = [_candidate("Tides are in metres.", "Known"), _candidate("Ports have a code.", "known-2")]
    operations = consolidate(candidates, [_memory("Boats are blue.", "known")]).operations
    assert [operation.entry.name for operation in operations if operation.entry] == ["Known-2", "known-2-2"]


def test_two_updates_of_one_memory_build_on_each_other() -> None:
    known = "The dev server listens on port 8080.\nThe tech lead is Tomas."
    said = ["The dev server listens on port 8081.", "The tech lead is Wanda."]
    last = consolidate([_candidate(text) for text in said], [_memory(known)]).operations[-1]
    assert last.entry is not None
    assert last.entry.content == "The dev server listens on port 8081.\nThe tech lead is Wanda."


def test_a_new_number_leaves_the_rest_of_a_longer_sentence() -> None:
    candidate = _candidate("候补座位保留 30 分钟，不是 10 分钟。", said="以后候补座位保留 30 分钟，不是 10 分钟。")
    known = _memory("座位空出来以后，候补座位保留 10 分钟，过时自动给下一位。")
    (operation,) = consolidate([candidate], [known]).operations
    assert operation.entry is not None
    assert operation.entry.content == "座位空出来以后，候补座位保留 30 分钟，过时自动给下一位。"


def test_the_part_after_a_semicolon_stays() -> None:
    operation = _decided("Piotr owns the payments module.", "Nadia owns the payments module; ask before changing it.")
    assert operation.entry is not None
    assert operation.entry.content == "Piotr owns the payments module; ask before changing it."


def test_code_in_a_memory_is_no_sentence() -> None:
    known = "Start the server.\n\n```sh\n# one store in the test, about four seconds\nmake test\n```\n"
    assert _decided("We store the test results for about five seconds.", known).action is Action.ADD


def test_who_does_it_now_is_an_update() -> None:
    assert _decided("Ask Tomás for design reviews.", "Ask Lena for design reviews.").action is Action.UPDATE
    assert (
        _decided("Standup got pushed to 9:45.", "The daily standup is at 9:15 in the Blue room.").action
        is Action.UPDATE
    )
