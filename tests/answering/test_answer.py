"""What stands beside the rows: confidence with its reasons, notices, filters, sources."""

from dataclasses import replace
from datetime import date

import pytest

from t2s_dbt import Assistant, Status
from t2s_dbt.answering.confidence import judge
from t2s_dbt.answering.notices import empty_notice, notices
from t2s_dbt.catalog import Catalog, Metric, MetricType
from t2s_dbt.flow import (
    Attempt,
    Level,
    MetricQuery,
    Notice,
    ProposedBy,
    Rows,
    SqlDraft,
    Tier,
)
from t2s_dbt.reading import Grouping, Measure, Period, Reading, TimeFilter

AS_OF = date(2024, 11, 15)
ROWS = Rows(("n",), ("BIGINT",), ((1,),))
ATTEMPT = Attempt(SqlDraft("select 1"), Tier.SQL, "select 1", ROWS)


def test_a_first_query_without_doubts_is_sure() -> None:
    sure = judge(Reading(subject="t"), Tier.METRIC, (ATTEMPT,), ())
    assert sure.level is Level.HIGH
    assert "every word" in " ".join(sure.reasons)
    assert "metric" in " ".join(sure.reasons)
    assert "metric" not in " ".join(judge(Reading(), Tier.SQL, (ATTEMPT,), ()).reasons)


@pytest.mark.parametrize(
    ("reading", "attempts", "told", "reason"),
    [
        (None, 1, (), "not read back"),
        (Reading(assumptions=("'Velora' is meant",)), 1, (), "Velora"),
        (Reading(unused=("blue", "moon")), 1, (), "blue, moon"),
        (Reading(), 2, (), "2 attempts"),
        (Reading(), 1, (Notice("empty", "nothing was found"),), "nothing was found"),
        (Reading(), 1, (Notice("stale", "a file was changed"),), "a file was changed"),
    ],
)
def test_one_doubt_makes_it_medium_and_is_the_reason(
    reading: Reading | None, attempts: int, told: tuple[Notice, ...], reason: str
) -> None:
    found = judge(reading, Tier.SQL, (ATTEMPT,) * attempts, told)
    assert found.level is Level.MEDIUM
    assert reason in " ".join(found.reasons)


def test_two_doubts_make_it_low() -> None:
    found = judge(Reading(unused=("x",), assumptions=("y",)), Tier.SQL, (ATTEMPT,), ())
    assert found.level is Level.LOW
    assert len(found.reasons) == 2


def test_a_cut_result_lowers_nothing() -> None:
    cut = Notice("truncated", "only the first row is shown")
    assert judge(Reading(), Tier.SQL, (ATTEMPT,), (cut,)).level is Level.HIGH


def codes(reading: Reading | None, rows: Rows | None, catalog: Catalog) -> list[str]:
    return [notice.code for notice in notices(reading, rows, catalog, AS_OF)]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (date(2024, 1, 1), date(2024, 12, 31), ["open_period"]),
        (date(2024, 1, 1), date(2024, 11, 15), []),
        (date(2023, 1, 1), date(2023, 12, 31), []),
        (date(2025, 1, 1), date(2025, 12, 31), ["outside_data"]),
        (date(2024, 1, 1), None, []),
        (None, date(2023, 1, 1), []),
    ],
)
def test_a_period_that_is_not_over_is_told(
    start: date | None, end: date | None, expected: list[str], assistant: Assistant
) -> None:
    reading = Reading(times=(TimeFilter(Period(start, end)),))
    assert codes(reading, None, assistant.catalog) == expected


def test_a_cut_result_is_told_with_its_length(assistant: Assistant) -> None:
    rows = Rows(("n",), ("BIGINT",), ((1,), (2,)), truncated=True)
    (notice,) = notices(None, rows, assistant.catalog, AS_OF)
    assert notice.code == "truncated"
    assert "first 2 rows" in notice.message


def test_a_stale_project_is_told() -> None:
    catalog = Catalog(notes=("models/a.sql was changed after dbt ran", "another note"))
    assert codes(None, None, catalog) == ["stale"]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ["empty"]),
        ([(None, None)], ["empty"]),
        ([(None,), (None,)], ["empty"]),
        ([(0,)], []),
        ([(None, "a")], []),
    ],
)
def test_a_result_without_a_value_is_empty(
    rows: list[tuple[object, ...]], expected: list[str]
) -> None:
    assert [notice.code for notice in empty_notice(rows)] == expected


def test_a_moving_metric_by_month_says_which_day_it_shows() -> None:
    moving = Metric("running", MetricType.CUMULATIVE, label="Running", shows_period_start=True)
    catalog = Catalog(metrics=(moving, Metric("ytd", MetricType.CUMULATIVE)))
    monthly = Reading(measures=(Measure(metric="running"),), groups=(Grouping(grain="month"),))
    assert codes(monthly, None, catalog) == ["period_start"]
    assert codes(replace(monthly, groups=(Grouping(grain="day"),)), None, catalog) == []
    assert codes(replace(monthly, measures=(Measure(metric="ytd"),)), None, catalog) == []


def test_an_answer_from_a_metric_names_it_with_its_place_and_filters(assistant: Assistant) -> None:
    answer = assistant.ask("revenue by month in 2023", AS_OF)
    (used,) = answer.metrics
    path, _, line = used.location.rpartition(":")
    assert used.name == "revenue"
    defined = (assistant.opened.project.folder / path).read_text(encoding="utf-8").splitlines()
    assert "revenue" in defined[int(line) - 1]
    assert {model.name for model in answer.models} == {"fct_order_items", "fct_orders"}
    (condition,) = answer.filters
    assert "order_status" in condition
    assert "cancelled" in condition


def test_a_metric_without_a_filter_has_none(assistant: Assistant) -> None:
    assert assistant.ask("orders by channel", AS_OF).filters == ()


def test_an_answer_from_tables_names_its_models_only(assistant: Assistant) -> None:
    answer = assistant.ask("How many products are discontinued?", AS_OF)
    assert answer.tier is Tier.SQL
    assert answer.metrics == ()
    assert answer.filters == ()
    assert [model.name for model in answer.models] == ["dim_products"]
    assert answer.models[0].location.startswith("models/")


def test_a_model_that_only_a_metric_may_read_is_not_named(assistant: Assistant) -> None:
    answer = assistant.ask("orders per fiscal year", AS_OF)
    assert answer.status is Status.ANSWERED
    assert "time_spine_daily" not in {model.name for model in answer.models}


def test_an_answer_has_its_records_by_column_name(assistant: Assistant) -> None:
    answer = assistant.ask("orders by channel", AS_OF)
    assert len(answer.records) == len(answer.rows) == 3
    assert set(answer.records[0]) == {column.name for column in answer.columns}


def test_an_empty_answer_is_no_high_confidence(assistant: Assistant) -> None:
    answer = assistant.ask("revenue in 1999", AS_OF)
    assert answer.status is Status.EMPTY
    assert answer.confidence is not None
    assert answer.confidence.level is not Level.HIGH
    assert answer.proposed_by is ProposedBy.RULES


def test_a_plan_alone_has_no_rows_and_no_confidence(assistant: Assistant) -> None:
    answer = assistant.ask("revenue in 2023", AS_OF, run=False)
    assert answer.status is Status.EXPLAINED
    assert answer.sql
    assert answer.rows == ()
    assert answer.confidence is None
    (attempt,) = answer.attempts
    assert isinstance(attempt.proposal, MetricQuery)
    assert attempt.outcome is None
