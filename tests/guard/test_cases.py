"""Statements from `cases.txt` through the guard; the harmless ones also on a real database."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from t2s_dbt.flow import CheckedSql, Failure, FailureKind, Rows
from t2s_dbt.guard.check import check
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.guard.conftest import CATALOG


@dataclass(frozen=True)
class Case:
    """One block of the file."""

    title: str
    sql: str
    expected: str


def _cases() -> list[Case]:
    text = (Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")
    found = re.findall(r"^# (.+?)\n(.*?)\n=> (\w+)\n", text, re.DOTALL | re.MULTILINE)
    return [Case(*parts) for parts in found]


CASES = _cases()
HOSTILE = [case for case in CASES if case.expected != "ok"]
HARMLESS = [case for case in CASES if case.expected == "ok"]


def test_the_file_is_read_whole() -> None:
    text = (Path(__file__).parent / "cases.txt").read_text(encoding="utf-8")
    assert len(CASES) == len(re.findall(r"^=> ", text, re.MULTILINE))
    assert min(len(HOSTILE), len(HARMLESS)) >= 60
    assert len({case.title for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.title)
def test_a_hostile_statement_is_rejected_with_its_code(case: Case) -> None:
    outcome = check(case.sql, CATALOG, max_rows=100)
    assert isinstance(outcome, Failure)
    assert (outcome.kind, outcome.code) == (FailureKind.REJECTED, case.expected.lower())
    assert outcome.message


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.title)
def test_a_harmless_statement_passes_and_runs(case: Case, shop: DuckDBWarehouse) -> None:
    checked = check(case.sql, CATALOG, max_rows=100)
    assert isinstance(checked, CheckedSql)
    rows = shop.run(checked)
    assert isinstance(rows, Rows)
    assert "top-secret" not in str(rows.rows)


@pytest.mark.parametrize("case", HARMLESS, ids=lambda case: case.title)
def test_what_was_rendered_passes_again(case: Case) -> None:
    once = check(case.sql, CATALOG, max_rows=100)
    assert isinstance(once, CheckedSql)
    again = check(once.sql, CATALOG, max_rows=100)
    assert isinstance(again, CheckedSql)
    assert again.exposed == once.exposed
