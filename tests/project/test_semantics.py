"""Metrics, dimensions and entities of the example's semantic layer."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt import Assistant
from t2s_dbt.catalog import Attribute, Catalog, MetricType, Relation
from t2s_dbt.project.artifacts import Artifacts
from t2s_dbt.project.load import make_catalog
from t2s_dbt.project.marks import Marks
from tests.project.conftest import FLAGS

CUSTOMERS = Relation("retail", "main", "dim_customers")


@pytest.fixture(scope="module")
def catalog(assistant: Assistant) -> Catalog:
    """The catalog of the example project."""
    return assistant.catalog


@pytest.fixture(scope="module")
def _raw(example: Path) -> dict[str, Any]:
    text = (example / "target" / "manifest.json").read_text(encoding="utf-8")
    manifest: dict[str, Any] = json.loads(text)
    return manifest


@pytest.fixture
def manifest(_raw: dict[str, Any]) -> dict[str, Any]:
    """A copy of the example's manifest that a test may change."""
    return deepcopy(_raw)


def _catalog(manifest: dict[str, Any], semantic: str | None = "{}") -> Catalog:
    names = ("customer_id", "email", "city", "signed_up_on")
    types = {CUSTOMERS: dict.fromkeys(names, "VARCHAR")}
    artifacts = Artifacts(manifest, semantic, None, ())
    return make_catalog(artifacts, types, dialect="duckdb", marks=Marks.of(FLAGS, ()))


def _customers(manifest: dict[str, Any]) -> dict[str, Any]:
    model: dict[str, Any] = manifest["semantic_models"]["semantic_model.retail.customers"]
    return model


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("revenue", MetricType.SIMPLE),
        ("average_order_value", MetricType.RATIO),
        ("revenue_after_refunds", MetricType.DERIVED),
        ("revenue_ytd", MetricType.CUMULATIVE),
        ("session_conversion_rate", MetricType.CONVERSION),
    ],
)
def test_each_metric_has_its_type(catalog: Catalog, name: str, kind: MetricType) -> None:
    assert catalog.metric(name).type is kind


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("orders", "fct_orders"),
        ("signups", "dim_customers"),
        ("completed_orders", None),
        ("revenue", None),
        ("active_customers", None),
        ("cancelled_orders", None),
    ],
)
def test_a_metric_counts_a_table_only_if_it_does_nothing_else(
    catalog: Catalog, name: str, table: str | None
) -> None:
    assert catalog.metric(name).counts == table


def test_filters_are_those_of_the_metric_and_its_inputs(catalog: Catalog) -> None:
    not_cancelled = "{{ Dimension('order_id__order_status') }} != 'cancelled'"
    assert catalog.metric("revenue").filters == (not_cancelled,)
    assert set(catalog.metric("online_share").filters) == {
        not_cancelled,
        "{{ Dimension('order_id__channel') }} = 'online'",
    }
    assert catalog.metric("orders").filters == ()


def test_the_time_is_the_parts_own_where_they_agree(catalog: Catalog) -> None:
    assert catalog.metric("revenue").time == Attribute("fct_order_items", "ordered_at")
    assert catalog.metric("delivered_orders").time == Attribute("fct_orders", "delivered_at")
    assert catalog.metric("tickets_per_order").time is None


@pytest.mark.parametrize(
    ("name", "looks_back"),
    [
        ("revenue", False),
        ("cancellation_rate", False),
        ("revenue_after_refunds", False),
        ("revenue_ytd", True),
        ("revenue_last_year", True),
        ("revenue_growth_yoy", True),
        ("session_conversion_rate", True),
    ],
)
def test_looking_back_is_told(catalog: Catalog, name: str, looks_back: bool) -> None:
    assert catalog.metric(name).looks_back is looks_back


def test_models_are_those_whose_rows_are_read(catalog: Catalog) -> None:
    assert catalog.metric("tickets_per_order").models == ("fct_support_tickets", "fct_orders")


@pytest.mark.parametrize(
    ("params", "shows"),
    [({}, True), ({"period_agg": "first"}, True), ({"period_agg": "last"}, False)],
)
def test_a_cumulative_metric_shows_the_periods_start_unless_told_otherwise(
    manifest: dict[str, Any], params: dict[str, str], shows: bool
) -> None:
    node = manifest["metrics"]["metric.retail.revenue_ytd"]
    inner = node["type_params"]["cumulative_type_params"]
    inner.pop("period_agg", None)
    inner.update(params)
    catalog = _catalog(manifest)
    assert catalog.metric("revenue_ytd").shows_period_start is shows
    assert not catalog.metric("revenue").shows_period_start


def test_without_a_semantic_manifest_there_are_no_metrics(manifest: dict[str, Any]) -> None:
    assert _catalog(manifest, semantic=None).metrics == ()


def test_private_and_hidden_metrics_are_not_offered(manifest: dict[str, Any]) -> None:
    metrics = manifest["metrics"]
    metrics["metric.retail.orders"]["type_params"]["is_private"] = True
    metrics["metric.retail.signups"]["config"]["meta"] = {"t2s": {"hidden": True}}
    offered = {metric.name for metric in _catalog(manifest).metrics}
    assert not offered & {"orders", "signups"}
    assert "cancellation_rate" in offered


def test_metrics_that_lead_in_a_circle_end(manifest: dict[str, Any]) -> None:
    node = manifest["metrics"]["metric.retail.revenue_after_refunds"]
    node["type_params"]["metrics"] = [{"name": "revenue_after_refunds"}]
    metric = _catalog(manifest).metric("revenue_after_refunds")
    assert (metric.models, metric.looks_back) == ((), False)


def test_a_plain_dimension_is_its_column(catalog: Catalog) -> None:
    (country,) = (
        d for d in catalog.dimensions if d.attribute == Attribute("dim_stores", "country")
    )
    assert (country.column, country.is_time) == ("country", False)


def test_a_time_dimension_has_its_grain(catalog: Catalog) -> None:
    (month,) = (d for d in catalog.dimensions if d.name == "target_month")
    assert (month.is_time, month.grain) == (True, "month")


def test_a_computed_dimension_is_no_column(manifest: dict[str, Any]) -> None:
    _customers(manifest)["dimensions"].append(
        {"name": "initial", "type": "categorical", "expr": "left(city, 1)"}
    )
    (initial,) = (d for d in _catalog(manifest).dimensions if d.name == "initial")
    assert initial.column is None
    assert initial.attribute == Attribute("dim_customers", "initial")


@pytest.mark.parametrize("expr", ["email", "EMAIL", '"email"'])
def test_a_dimension_that_is_a_hidden_column_is_not_offered(
    manifest: dict[str, Any], expr: str
) -> None:
    _customers(manifest)["dimensions"].append(
        {"name": "contact", "type": "categorical", "expr": expr}
    )
    assert "contact" not in {d.name for d in _catalog(manifest).dimensions}


def test_a_dimension_computed_of_a_hidden_column_is_not_offered(manifest: dict[str, Any]) -> None:
    _customers(manifest)["dimensions"].append(
        {"name": "mail_host", "type": "categorical", "expr": "split_part(email, '@', 2)"}
    )
    assert "mail_host" not in {d.name for d in _catalog(manifest).dimensions}


def test_a_metric_over_a_hidden_column_is_blocked_and_said_to_be(manifest: dict[str, Any]) -> None:
    params = manifest["metrics"]["metric.retail.signups"]["type_params"]
    aggregation = params.get("metric_aggregation_params")
    if aggregation:
        params["expr"] = "email"
    for measure in _customers(manifest).get("measures") or ():
        measure["expr"] = "lower(email)"
    catalog = _catalog(manifest)
    assert "signups" not in {metric.name for metric in catalog.metrics}
    assert any("metric signups reads a hidden column" in note for note in catalog.notes)


def test_entities_are_offered_where_they_are_keys(catalog: Catalog) -> None:
    found = {entity.name: (entity.table, entity.column) for entity in catalog.entities}
    assert found["customer"] == ("dim_customers", "customer_id")
    assert found["order_id"] == ("fct_orders", "order_id")


def test_custom_granularities_are_the_fiscal_grains(catalog: Catalog) -> None:
    assert set(catalog.fiscal_grains) == {"fiscal_quarter", "fiscal_year"}
