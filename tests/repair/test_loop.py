"""When the loop of attempts ends."""

import pytest

from t2s_dbt.flow import Attempt, Failure, FailureKind, MetricQuery, Rows, SqlDraft, Tier
from t2s_dbt.repair.loop import may_go_on, repeats

FAILED = Failure(FailureKind.UNKNOWN_COLUMN, "no x", "x")
ROWS = Rows(("n",), ("BIGINT",), ((1,),))


def _sql(sql: str, outcome: Rows | Failure | None = FAILED) -> Attempt:
    return Attempt(SqlDraft(sql), Tier.SQL, sql, outcome)


def _metric(metric: str, sql: str = "") -> Attempt:
    return Attempt(MetricQuery((metric,)), Tier.METRIC, sql, FAILED)


def test_a_failure_that_is_new_may_be_mended() -> None:
    assert may_go_on([_sql("SELECT 1")], 3)
    assert may_go_on([_sql("SELECT 1"), _sql("SELECT 2")], 3)


@pytest.mark.parametrize("outcome", [ROWS, Rows((), (), ()), None])
def test_a_result_ends_the_loop_also_an_empty_one_or_one_not_run(outcome: Rows | None) -> None:
    assert not may_go_on([_sql("SELECT 1", outcome)], 3)


def test_the_cap_ends_the_loop() -> None:
    assert not may_go_on([_sql("SELECT 1")], 1)
    assert not may_go_on([_sql("SELECT 1"), _sql("SELECT 2")], 2)


@pytest.mark.parametrize(
    ("kind", "goes_on"),
    [
        (FailureKind.DRIFT, False),
        (FailureKind.INTERRUPTED, False),
        (FailureKind.NOT_ALLOWED, False),
        (FailureKind.REJECTED, True),
        (FailureKind.SYNTAX, True),
        (FailureKind.TIMEOUT, True),
    ],
)
def test_what_no_other_query_can_mend_ends_the_loop(kind: FailureKind, goes_on: bool) -> None:
    assert may_go_on([_sql("SELECT 1", Failure(kind, "m"))], 3) is goes_on


def test_the_same_sql_again_ends_the_loop_whatever_its_spaces() -> None:
    assert not may_go_on([_sql("SELECT  1"), _sql("SELECT 2"), _sql("SELECT\n1")], 9)


def test_the_same_metric_query_again_ends_the_loop_even_if_compiled_otherwise() -> None:
    assert repeats([_metric("revenue", "SELECT a"), _metric("revenue", "SELECT b")])
    assert not repeats([_metric("revenue"), _metric("orders")])


def test_a_proposal_that_never_became_sql_is_held_against_itself() -> None:
    one = Attempt(SqlDraft("SELECT x"), Tier.SQL, "", FAILED)
    other = Attempt(SqlDraft("SELECT y"), Tier.SQL, "", FAILED)
    assert repeats([one, one])
    assert not repeats([one, other])


def test_a_space_inside_of_a_text_makes_another_query() -> None:
    assert not repeats([_sql("SELECT 'a  b'"), _sql("SELECT 'a b'")])
