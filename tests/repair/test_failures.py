"""What the next attempt is told of a failure."""

import pytest

from t2s_dbt.catalog import Catalog, Column, Relation, Table
from t2s_dbt.flow import Failure, FailureKind, Tier
from t2s_dbt.repair.failures import diagnose


def _table(name: str, *columns: str) -> Table:
    shown = tuple(Column(column) for column in columns)
    return Table(name, f"model.shop.{name}", Relation("shop", "main", name), shown)


CATALOG = Catalog(
    tables=(
        _table("orders", "order_id", "amount", "customer_id"),
        _table("customers", "customer_id", "country"),
        _table("returns", "order_id", "reason"),
    )
)


def _unknown_column(name: str) -> Failure:
    return Failure(FailureKind.UNKNOWN_COLUMN, f"no {name}", name, ("from_duckdb",))


def test_an_unknown_column_is_looked_for_in_other_tables() -> None:
    found = diagnose(_unknown_column("country"), CATALOG, Tier.SQL)
    assert found.candidates[0] == "customers.country"


def test_an_unknown_column_brings_those_with_near_names() -> None:
    found = diagnose(_unknown_column("amont"), CATALOG, Tier.SQL)
    assert found.candidates == ("amount",)
    assert (found.kind, found.message) == (FailureKind.UNKNOWN_COLUMN, "no amont")


def test_a_column_like_no_other_has_no_candidates() -> None:
    assert diagnose(_unknown_column("zzz"), CATALOG, Tier.SQL).candidates == ()


def test_no_candidate_stands_twice() -> None:
    candidates = diagnose(_unknown_column("order_id"), CATALOG, Tier.SQL).candidates
    assert candidates[:2] == ("orders.order_id", "returns.order_id")
    assert len(candidates) == len(set(candidates))


@pytest.mark.parametrize(
    "failure",
    [
        Failure(FailureKind.UNKNOWN_TABLE, "m", "ordrs"),
        Failure(FailureKind.REJECTED, "m", "main.ordrs", code="relation"),
    ],
)
def test_an_unknown_table_brings_those_with_near_names(failure: Failure) -> None:
    assert diagnose(failure, CATALOG, Tier.SQL).candidates[0] == "orders"


def test_duckdbs_candidates_stay_when_nothing_is_nearer() -> None:
    failure = Failure(FailureKind.UNKNOWN_TABLE, "m", "zzz", ("offered",))
    assert diagnose(failure, CATALOG, Tier.SQL).candidates == ("offered",)


@pytest.mark.parametrize("tier", [Tier.SQL, Tier.METRIC, Tier.VERIFIED])
@pytest.mark.parametrize(
    "failure",
    [
        Failure(FailureKind.TIMEOUT, "m"),
        Failure(FailureKind.CONVERSION, "m", "x"),
        Failure(FailureKind.REJECTED, "m", "f", code="function"),
    ],
)
def test_other_failures_stay_as_they_are(failure: Failure, tier: Tier) -> None:
    assert diagnose(failure, CATALOG, tier) is failure


@pytest.mark.parametrize(
    "failure",
    [
        Failure(FailureKind.UNKNOWN_COLUMN, "no x", "x"),
        Failure(FailureKind.UNKNOWN_TABLE, "no x", "x"),
        Failure(FailureKind.REJECTED, "no x", "x", code="relation"),
    ],
)
def test_a_metric_that_does_not_bind_is_drift_with_the_command(failure: Failure) -> None:
    found = diagnose(failure, CATALOG, Tier.METRIC)
    assert found.kind is FailureKind.DRIFT
    assert "dbt build" in found.hint
    assert "no x" in found.message
