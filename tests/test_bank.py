"""The example project's bank: nothing is answered wrongly, and what was right stays right."""

from pathlib import Path

import pytest

from evals.bank import CASES, Verdict, gold_rows, judge, read_cases
from evals.building import EXAMPLE_DATABASE
from t2s_dbt import Assistant
from t2s_dbt.flow import CheckedSql, Rows
from t2s_dbt.guard.check import check

BANKS = sorted(CASES.glob("*.yml"))
AT_LEAST_RIGHT = {"example_project": 65, "example_project_new_user": 8}


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: bank.stem)
def test_nothing_is_answered_wrongly(bank: Path, assistant: Assistant) -> None:
    wrong, right = [], 0
    for case in read_cases(bank):
        answer = assistant.ask(case.question, case.as_of)
        verdict = judge(case, answer, EXAMPLE_DATABASE)
        right += verdict is Verdict.RIGHT
        if verdict in (Verdict.WRONG, Verdict.FAILED):
            wrong.append(f"{case.id}: {answer.understood} | {answer.text}")
    assert not wrong
    assert right >= AT_LEAST_RIGHT[bank.stem]


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: bank.stem)
def test_every_gold_query_gives_rows(bank: Path, example: Path) -> None:
    del example
    cases = read_cases(bank)
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        if case.gold_sql:
            assert gold_rows(case, EXAMPLE_DATABASE), case.id


@pytest.mark.parametrize("bank", BANKS, ids=lambda bank: bank.stem)
def test_the_guard_accepts_every_gold_query_and_changes_no_row(
    bank: Path, assistant: Assistant
) -> None:
    for case in read_cases(bank):
        if case.gold_sql:
            checked = check(case.gold_sql, assistant.catalog, max_rows=100_000)
            assert isinstance(checked, CheckedSql), (case.id, checked)
            rows = assistant.warehouse.run(checked)
            assert isinstance(rows, Rows), (case.id, rows)
            assert sorted(map(str, rows.rows)) == sorted(
                str(row) for row in gold_rows(case, EXAMPLE_DATABASE)
            ), case.id
