"""Banks of questions with hand-written SQL, and what the product makes of them.

`python -m evals.bank [FILE…]` asks every question of the banks in `evals/cases/` and prints how
many came out right, wrong, refused, asked back and failed, by tag.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import yaml

from t2s_dbt import Answer, Assistant, Status, open_project
from t2s_dbt.evaluation.compare import same_result

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "evals" / "cases"
NOT_ANSWERED = frozenset({Status.CLARIFY, Status.REFUSED})


class Verdict(StrEnum):
    """What became of a question; `withheld` is one that must not be answered, and was not."""

    RIGHT = "right"
    WITHHELD = "withheld"
    WRONG = "wrong"
    REFUSED = "refused"
    CLARIFIED = "clarified"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and the SQL whose rows answer it or that it must not be answered."""

    id: str
    question: str
    as_of: date
    tags: tuple[str, ...]
    gold_sql: str = ""
    ordered: bool = False
    expect: str = "answered"


def read_cases(path: Path) -> list[Case]:
    """The cases of a bank."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        Case(
            id=case["id"],
            question=case["question"],
            as_of=case.get("as_of", data["as_of"]),
            tags=tuple(case.get("tags", ())),
            gold_sql=case.get("gold_sql", ""),
            ordered=case.get("ordered", False),
            expect=case.get("expect", "answered"),
        )
        for case in data["cases"]
    ]


def gold_rows(case: Case, database: Path) -> list[tuple[Any, ...]]:
    """The rows of a case's own SQL."""
    return _connection(database).execute(case.gold_sql).fetchall()


@cache
def _connection(database: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(database), read_only=True)


def judge(case: Case, answer: Answer, database: Path) -> Verdict:
    """What became of a question."""
    if case.expect != "answered":
        accepted = {Status.REFUSED} if case.expect == "refused" else NOT_ANSWERED
        return Verdict.WITHHELD if answer.status in accepted else Verdict.WRONG
    match answer.status:
        case Status.REFUSED:
            return Verdict.REFUSED
        case Status.CLARIFY:
            return Verdict.CLARIFIED
        case Status.FAILED:
            return Verdict.FAILED
    same = same_result(answer.rows, gold_rows(case, database), ordered=case.ordered)
    return Verdict.RIGHT if same else Verdict.WRONG


def run(
    assistant: Assistant, cases: Sequence[Case], database: Path
) -> Iterator[tuple[Case, Answer, Verdict]]:
    """Asks each case."""
    for case in cases:
        answer = assistant.ask(case.question, case.as_of)
        yield case, answer, judge(case, answer, database)


def main(arguments: Sequence[str] | None = None) -> int:
    """Asks the banks and prints what came of it; the exit status is 1 when an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(CASES.glob("*.yml")))
    parser.add_argument("--verbose", "-v", action="store_true", help="print what was not right")
    options = parser.parse_args(arguments)
    project = ROOT / "example_project"
    assistant = open_project(project, settings={"trace": False})
    verdicts: Counter[Verdict] = Counter()
    by_tag: dict[str, Counter[Verdict]] = {}
    for path in options.files:
        for case, answer, verdict in run(assistant, read_cases(path), project / "retail.duckdb"):
            verdicts[verdict] += 1
            for tag in case.tags:
                by_tag.setdefault(tag, Counter())[verdict] += 1
            if options.verbose and verdict not in (Verdict.RIGHT, Verdict.WITHHELD):
                sys.stdout.write(f"{verdict:9} {case.id}: {case.question}\n")
                sys.stdout.write(f"          {answer.understood or ''} | {answer.text}\n")
                for option in answer.options:
                    sys.stdout.write(f"            - {option}\n")
    for name, counted in [("all", verdicts), *sorted(by_tag.items())]:
        figures = "  ".join(f"{verdict} {counted[verdict]:3}" for verdict in Verdict)
        sys.stdout.write(f"{name:16} {figures}\n")
    return 1 if verdicts[Verdict.WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
