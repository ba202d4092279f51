"""Each hostile statement alone against the guard, alone against the sandbox, and against both.

Whatever a wall claims, no file changes and no secret is told; and where a wall does not claim to
show names, everything it says is the same of two shops that differ in their secrets only.
"""

import re
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from t2s_dbt.flow import Failure
from t2s_dbt.guard.check import check
from tests.walls.harm import unharmed
from tests.walls.statements import Statement, statements, written
from tests.walls.ways import MAX_ROWS, SECONDS, Outcome
from tests.walls.worlds import CANARY, CATALOG, HIDDEN_NAMES, Worlds

STATEMENTS = statements()
RANDOM_NAME = re.compile(r"w[0-9a-f]{16}")
PATIENCE = SECONDS + 1  # what opening, stopping and closing may take on top of the query's time
# The kinds that are after something that differs between the two worlds.
TELLING = {"hidden columns", "hidden tables", "files", "text as SQL", "several statements"}
canary_frame = [CANARY]  # what a replacement scan would find


@pytest.fixture(autouse=True)
def _nobody_calls(listener: socket.socket) -> Iterator[None]:
    yield
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.fixture
def port(listener: socket.socket) -> str:
    """The port that an address in a statement names."""
    return str(listener.getsockname()[1])


def _outcome(
    way: str, statement: Statement, port: str, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> Outcome:
    """How a statement ends, after it was seen to tell the same of both worlds."""
    sql = statement.sql.replace("$PORT", port)
    outcome = unharmed(way, sql, worlds.real, worlds, monkeypatch)
    if statement.kind in TELLING:
        assert unharmed(way, sql, worlds.twin, worlds, monkeypatch) == outcome
    if way != "sandbox" or statement.sandbox != "names":
        assert not RANDOM_NAME.search(outcome.text)
    return outcome


def _tells_no_name(outcome: Outcome, sql: str) -> bool:
    return not any(n in outcome.text.lower() and n not in sql.lower() for n in HIDDEN_NAMES)


def test_the_file_is_read_whole() -> None:
    counts = Counter(statement.kind for statement in STATEMENTS)
    assert len(STATEMENTS) == written() >= 110
    assert len({str(statement) for statement in STATEMENTS}) == len(STATEMENTS)
    assert counts["hidden columns"] >= 45
    assert len(counts) == 16


def test_the_page_on_safety_has_a_line_for_each_kind() -> None:
    page = (Path(__file__).parents[2] / "docs" / "safety.md").read_text(encoding="utf-8")
    counts = Counter(statement.kind for statement in STATEMENTS)
    assert f"{len(STATEMENTS)} statements" in page
    for kind, count in counts.items():
        assert f"| {kind} | {count} | stops" in page


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_guard_alone(
    statement: Statement, port: str, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = _outcome("guard", statement, port, worlds, monkeypatch)
    assert outcome.verdict == statement.guard
    assert _tells_no_name(outcome, statement.sql)


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_sandbox_alone(
    statement: Statement, port: str, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.perf_counter()
    outcome = _outcome("sandbox", statement, port, worlds, monkeypatch)
    assert outcome.verdict == ("stopped" if statement.sandbox == "stopped" else "runs")
    assert statement.sandbox == "names" or _tells_no_name(outcome, statement.sql)
    # One call that makes a huge value is stopped by the guard: DuckDB does not interrupt it.
    bounded = statement.kind == "resource" and statement.guard != "TOO_LARGE"
    assert not bounded or time.perf_counter() - started < PATIENCE


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_both(
    statement: Statement, port: str, worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = time.perf_counter()
    outcome = _outcome("both", statement, port, worlds, monkeypatch)
    assert outcome.verdict == "stopped" or statement.guard == "passes"
    assert _tells_no_name(outcome, statement.sql)
    assert statement.kind != "resource" or time.perf_counter() - started < PATIENCE


@pytest.mark.parametrize("statement", STATEMENTS, ids=str)
def test_a_rejection_as_hidden_does_not_say_the_name(statement: Statement) -> None:
    outcome = check(statement.sql, CATALOG, max_rows=MAX_ROWS)
    if isinstance(outcome, Failure) and outcome.code == "hidden":
        said = (outcome.message, outcome.subject, *outcome.candidates, outcome.hint)
        assert not any(name in text.lower() for name in HIDDEN_NAMES for text in said)


def test_no_rejection_at_all_says_the_name() -> None:
    outcomes = [check(statement.sql, CATALOG, max_rows=MAX_ROWS) for statement in STATEMENTS]
    said = [
        (failure.message, failure.subject, *failure.candidates)
        for failure in outcomes
        if isinstance(failure, Failure)
    ]
    names = re.compile(r"\b(" + "|".join(HIDDEN_NAMES) + r")\b")
    assert [texts for texts in said if any(names.search(text.lower()) for text in texts)] == []
