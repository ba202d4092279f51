"""Throws statements at the guard and the sandbox that a grammar writes, harmless and hostile.

`python -m evals.fuzz [--minutes M] [--seed N]` runs with fresh seeds, and prints how many
statements of each kind were tried, and for each fault a short statement that shows it. The tests
of the guard run the same properties with a fixed seed.
"""

import argparse
import logging
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.guard.test_fuzz import Walls, attacks, harmless, texts

_TOKEN = re.compile(
    r"""--[^\n]*|/\*.*?\*/|\$\$.*?\$\$|E?'(?:[^']|'')*'|"(?:[^"]|"")*"|\s+|\w+|::|\|\||//|<>|[<>]=|.""",
    re.DOTALL,
)


def shortened(sql: str, fails: Callable[[str], bool], seconds: float = 10) -> str:
    """A statement that fails alike, made by leaving out as many words as can be."""
    until, tokens = time.monotonic() + seconds, _TOKEN.findall(sql)
    plain = [" " if re.match(r"\s|--|/\*", token) else token for token in tokens]
    tokens = plain if fails("".join(plain)) else tokens
    length = len(tokens) // 2
    while length and time.monotonic() < until:
        before, place = len(tokens), 0
        while place < len(tokens) and time.monotonic() < until:
            fewer = tokens[:place] + tokens[place + length :]
            if fewer and "".join(fewer).count("()") <= sql.count("()") and fails("".join(fewer)):
                tokens = fewer
            else:
                place += max(length // 2, 1)
        length = length if len(tokens) < before else length // 2
    return "".join(tokens)


def _kind(problem: str | None) -> str:
    """A problem without the names and numbers that differ between statements."""
    return re.sub(r"\b[ackrx]\d+\b|Line \d.*|\d+", "_", problem or "")[:60]


def _judged(judge: Callable[[Any], str | None], tried: Any) -> str | None:
    """What a property says of a statement; an exception is a fault too."""
    try:
        return judge(tried)
    except Exception as error:
        return f"crashed: {type(error).__name__}: {error}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the properties until the time is up; 1 when one of them does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)  # sqlglot tells of each statement that it does not know
    started, turn, found = time.monotonic(), options.seed, dict[str, tuple[Any, str, Any]]()
    with tempfile.TemporaryDirectory() as folder:
        walls = Walls(Path(folder))
        properties: list[tuple[st.SearchStrategy[Any], Callable[[Any], str | None]]] = [
            (harmless(), walls.harmless),
            (attacks(), walls.hostile),
            (attacks(full_names=True), walls.unguarded),
            (texts, walls.any_text),
        ]
        while time.monotonic() - started < options.minutes * 60:
            for strategy, judge in properties:
                _search(strategy, judge, turn, found)
            turn += 1
        _say(f"seeds {options.seed} to {turn - 1}, {time.monotonic() - started:.0f} seconds")
        for kind, number in sorted(walls.seen.items()):
            _say(f"{number:8,} {kind}")
        for tried, problem, judge in found.values():
            alike = _alike(judge, tried, _kind(problem))
            _say(f"\nFAULT {problem[:300]}\n{shortened(tried.sql, alike)}")
    return 1 if found else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _alike(judge: Any, tried: Any, kind: str) -> Callable[[str], bool]:
    return lambda sql: _kind(_judged(judge, tried._replace(sql=sql))) == kind


def _search(
    strategy: st.SearchStrategy[Any],
    judge: Callable[[Any], str | None],
    turn: int,
    found: dict[str, tuple[Any, str, Any]],
) -> None:
    """Tries some statements and keeps the shortest of each kind that fails."""

    @seed(turn)
    @settings(
        max_examples=100,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(tried: Any) -> None:
        problem = _judged(judge, tried)
        kind = _kind(problem)
        if problem and (kind not in found or len(tried.sql) < len(found[kind][0].sql)):
            found[kind] = (tried, problem, judge)

    one()


if __name__ == "__main__":
    sys.exit(main())
