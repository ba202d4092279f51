"""Metric queries: typed conditions as filters, compiled by MetricFlow, run on the real database."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest

from evals.building import EXAMPLE_DATABASE
from t2s_dbt import Assistant, Status, metrics
from t2s_dbt.catalog import Catalog
from t2s_dbt.evaluation.compare import same_result
from t2s_dbt.flow import (
    Draft,
    Failure,
    FailureKind,
    MetricPredicate,
    MetricQuery,
    ProposedBy,
    Rows,
    Tier,
)
from t2s_dbt.metrics import MetricFlowLayer
from t2s_dbt.reading import Operator, Scalar

AS_OF = date(2024, 11, 15)
SALES = (
    "from fct_order_items i join fct_orders o using (order_id) "
    "join dim_products p using (product_id) join dim_suppliers s using (supplier_id) "
    "left join dim_customers c on c.customer_id = i.customer_id "
    "where o.order_status <> 'cancelled'"
)
Where = tuple[MetricPredicate, ...]
Sql = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def sql(example: Path) -> Sql:
    """Runs plain SQL over the built models."""
    del example

    def run(text: str) -> list[tuple[Any, ...]]:
        connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
        try:
            return connection.execute(text).fetchall()
        finally:
            connection.close()

    return run


def rows_of(query: MetricQuery, assistant: Assistant) -> tuple[tuple[Any, ...], ...]:
    """The rows of a query, compiled, checked and run."""
    compiled = assistant.layer.compile(query)
    assert isinstance(compiled, str), compiled
    checked = assistant.check(Draft(compiled, Tier.METRIC, ProposedBy.RULES))
    assert not isinstance(checked, Failure), checked
    found = assistant.warehouse.run(checked)
    assert isinstance(found, Rows), found
    return found.rows


def on(item: str, operator: Operator, *values: Scalar, kind: str = "dimension") -> MetricPredicate:
    """A condition."""
    return MetricPredicate(item, kind, operator, values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("predicate", "condition"),
    [
        (on("product__brand", Operator.EQ, "Velora"), "brand = 'Velora'"),
        (on("product__brand", Operator.EQ, "O'Neil & Sons"), "brand = 'O''Neil & Sons'"),
        (on("product__brand", Operator.NE, "Velora"), "brand <> 'Velora'"),
        (on("product__brand", Operator.IN, "Velora", "Delta"), "brand in ('Velora', 'Delta')"),
        (on("product__category", Operator.NOT_IN, "Toys"), "category <> 'Toys'"),
        (on("product__brand", Operator.CONTAINS, "TWIG"), "brand ilike '%twig%'"),
        (on("product__brand", Operator.STARTS_WITH, "o'n"), "brand ilike 'o''n%'"),
        (on("product__brand", Operator.ENDS_WITH, "A"), "brand ilike '%a'"),
        (on("product__product_name", Operator.CONTAINS, "_"), "contains(product_name, '_')"),
        (on("product__brand", Operator.CONTAINS, "%"), "contains(brand, '%')"),
        (on("customer__loyalty_tier", Operator.IS_NULL), "loyalty_tier is null"),
        (on("customer__loyalty_tier", Operator.NOT_NULL), "loyalty_tier is not null"),
        (
            on("customer__loyalty_tier", Operator.NE, "gold"),
            "loyalty_tier is distinct from 'gold'",
        ),
        (
            on("customer__loyalty_tier", Operator.NOT_IN, "gold", "silver"),
            "(loyalty_tier not in ('gold', 'silver') or loyalty_tier is null)",
        ),
        (on("product__is_discontinued", Operator.EQ, True), "is_discontinued"),
        (on("product__is_discontinued", Operator.EQ, False), "not is_discontinued"),
        (on("product__supplier__country", Operator.EQ, "Italy"), "s.country = 'Italy'"),
        (on("customer", Operator.EQ, 74, kind="entity"), "i.customer_id = 74"),
        (on("customer", Operator.LT, 100, kind="entity"), "i.customer_id < 100"),
        (
            on("product__launched_on", Operator.GE, date(2023, 1, 1), kind="time"),
            "launched_on >= '2023-01-01'",
        ),
        (
            on("order_id__customer__signed_up_on", Operator.LT, date(2022, 1, 1), kind="time"),
            "signed_up_on < '2022-01-01'",
        ),
        (
            on("metric_time", Operator.LE, date(2022, 3, 31), kind="time"),
            "i.ordered_at < '2022-04-01'",
        ),
    ],
)
def test_a_condition_keeps_the_rows_that_it_says(
    predicate: MetricPredicate, condition: str, assistant: Assistant, sql: Sql
) -> None:
    found = rows_of(MetricQuery(("revenue",), where=(predicate,)), assistant)
    gold = sql(f"select sum(i.line_amount) {SALES} and {condition}")
    assert same_result(found, gold, ordered=False)


@pytest.mark.parametrize(
    "value",
    [
        "1=1) OR (1=1",
        "x' OR '1'='1",
        "x'; DROP TABLE fct_orders; --",
        "{{ x }}",
        "{% for x in y %}",
        "}}",
        "{# comment",
        "{{ Dimension('product__brand') }}",
        '"',
        "\\' OR 1=1 --",
        "' || (select email from dim_customers limit 1) || '",
    ],
)
@pytest.mark.parametrize("operator", [Operator.EQ, Operator.IN, Operator.CONTAINS])
def test_a_value_is_never_more_than_a_value(
    value: str, operator: Operator, assistant: Assistant
) -> None:
    query = MetricQuery(("revenue",), where=(on("product__brand", operator, value),))
    assert rows_of(query, assistant) == ((None,),)


def test_a_value_with_braces_arrives_as_it_is(assistant: Assistant) -> None:
    condition = on("product__brand", Operator.NE, "{{ a }} {% b %} 'c'")
    compiled = assistant.layer.compile(MetricQuery(("revenue",), where=(condition,)))
    assert isinstance(compiled, str)
    assert "'{{ a }} {% b %} ''c'''" in compiled


def test_a_name_is_never_more_than_a_name(assistant: Assistant) -> None:
    name = "customer') }} IS NOT NULL OR {{ Entity('customer"
    query = MetricQuery(("revenue",), where=(on(name, Operator.EQ, -1, kind="entity"),))
    assert isinstance(assistant.layer.compile(query), Failure)


def test_an_item_over_two_entities_groups_right(assistant: Assistant, sql: Sql) -> None:
    query = MetricQuery(("revenue",), ("product__supplier__country",), order_by=("-revenue",))
    gold = sql(f"select s.country, sum(i.line_amount) {SALES} group by 1 order by 2 desc")
    assert same_result(rows_of(query, assistant), gold, ordered=True)


def test_a_limit_and_an_order_are_kept(assistant: Assistant, sql: Sql) -> None:
    query = MetricQuery(("units_sold",), ("product__category",), order_by=("-units_sold",), limit=3)
    gold = sql(f"select category, sum(quantity) {SALES} group by 1 order by 2 desc limit 3")
    assert same_result(rows_of(query, assistant), gold, ordered=True)


def test_both_days_of_a_period_are_in_it(assistant: Assistant, sql: Sql) -> None:
    query = MetricQuery(("orders",), start=date(2024, 3, 1), end=date(2024, 3, 31))
    gold = sql(
        "select count(*) from fct_orders "
        "where ordered_at >= '2024-03-01' and ordered_at < '2024-04-01'"
    )
    assert same_result(rows_of(query, assistant), gold, ordered=False)


def test_weeks_that_a_period_cuts_hold_its_days_only(assistant: Assistant, sql: Sql) -> None:
    question = "orders by week from 2024-10-03 to 2024-10-20"
    answer = assistant.ask(question, AS_OF)
    gold = sql(
        "select date_trunc('week', ordered_at), count(*) from fct_orders "
        "where ordered_at >= '2024-10-03' and ordered_at < '2024-10-21' group by 1 order by 1"
    )
    assert len(gold) == 3
    assert same_result(answer.rows, gold, ordered=True)


@pytest.mark.parametrize("grain", ["month", "quarter"])
def test_longer_spans_that_a_period_cuts_hold_its_days_only(
    grain: str, assistant: Assistant, sql: Sql
) -> None:
    answer = assistant.ask(f"revenue by {grain} from 2024-02-10 to 2024-05-20", AS_OF)
    gold = sql(
        f"select date_trunc('{grain}', i.ordered_at), sum(i.line_amount) {SALES} "
        "and i.ordered_at >= '2024-02-10' and i.ordered_at < '2024-05-21' group by 1 order by 1"
    )
    assert same_result(answer.rows, gold, ordered=True)


@pytest.mark.parametrize("metric", ["revenue_growth_mom", "revenue_ytd", "revenue_last_year"])
def test_a_metric_that_needs_a_time_says_so(metric: str, assistant: Assistant) -> None:
    failure = assistant.layer.compile(MetricQuery((metric,)))
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.NEEDS_TIME


def test_a_metric_that_needs_a_time_is_asked_by_month_and_says_so(
    assistant: Assistant, sql: Sql
) -> None:
    answer = assistant.ask("revenue a year earlier by category in 2024", AS_OF)
    assert answer.status is Status.ANSWERED
    first, second = answer.attempts
    assert first.failure is not None
    assert first.failure.kind is FailureKind.NEEDS_TIME
    assert second.failure is None
    assert answer.reading is not None
    assert any("month" in assumption for assumption in answer.reading.assumptions)
    assert answer.confidence is not None
    assert answer.confidence.level.value != "high"
    gold = sql(
        "select date_trunc('month', i.ordered_at) + interval 1 year, category, "
        f"sum(i.line_amount) {SALES} and year(i.ordered_at) = 2023 group by 1, 2"
    )
    assert same_result(answer.rows, gold, ordered=False)


@pytest.mark.parametrize(
    "query",
    [
        MetricQuery(("nonsense",)),
        MetricQuery(("revenue", "nonsense")),
        MetricQuery(("revenue",), ("nonsense",)),
        MetricQuery(("revenue",), ("customer__email",)),
        MetricQuery(("revenue",), ("metric_time__decade",)),
        MetricQuery(("revenue",), where=(on("customer__email", Operator.EQ, "x"),)),
        MetricQuery(("revenue",), order_by=("orders",)),
        MetricQuery(("revenue",), limit=-1),
        MetricQuery(("revenue_target",), ("metric_time__day",)),
        MetricQuery(()),
    ],
    ids=str,
)
def test_a_query_that_is_not_accepted_is_a_failure_with_a_short_reason(
    query: MetricQuery, assistant: Assistant
) -> None:
    failure = assistant.layer.compile(query)
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.METRIC_QUERY
    assert 10 < len(failure.message) <= 500
    assert "\n" not in failure.message
    assert "Traceback" not in failure.message


def test_an_unknown_metric_is_answered_with_those_near_it(assistant: Assistant) -> None:
    failure = assistant.layer.compile(MetricQuery(("revenu",)))
    assert isinstance(failure, Failure)
    assert "revenue" in failure.candidates


def test_items_name_their_columns_and_how_far_they_are(assistant: Assistant) -> None:
    items = {item.name: item for item in assistant.layer.group_bys(["revenue"])}
    assert items["metric_time"].grains[:3] == ("day", "week", "month")
    assert "fiscal_quarter" in items["metric_time"].grains
    assert str(items["product__brand"].attribute) == "dim_products.brand"
    assert items["product__brand"].hops == 1
    assert items["product__supplier__country"].hops == 2
    assert items["order_item__is_returned"].hops == 0
    hops = [item.hops for item in assistant.layer.group_bys(["revenue"])]
    assert hops == sorted(hops)


def test_no_item_is_a_hidden_column(assistant: Assistant) -> None:
    hidden = {(h.table, h.column) for h in assistant.catalog.hidden}
    for metric in assistant.catalog.metrics:
        for item in assistant.layer.group_bys([metric.name]):
            if item.attribute is not None:
                assert (item.attribute.table, item.attribute.name) not in hidden


def test_metrics_are_grouped_by_what_they_share(assistant: Assistant) -> None:
    both = {item.name for item in assistant.layer.group_bys(["revenue", "stock_on_hand"])}
    assert "product__brand" in both
    assert "customer__country" not in both
    assert assistant.layer.group_bys(["signups", "revenue_target"]) == ()
    assert assistant.layer.group_bys([]) == ()


def test_the_order_of_metrics_does_not_matter(assistant: Assistant) -> None:
    layer = assistant.layer
    assert layer.group_bys(["revenue", "orders"]) == layer.group_bys(["orders", "revenue"])


def test_without_a_semantic_manifest_nothing_can_be_asked() -> None:
    layer = MetricFlowLayer(None, Catalog())
    assert layer.group_bys(["revenue"]) == ()
    failure = layer.compile(MetricQuery(("revenue",)))
    assert isinstance(failure, Failure)
    assert "dbt parse" in failure.hint


def test_a_period_that_begins_before_2000_is_kept(assistant: Assistant) -> None:
    query = MetricQuery(("revenue",), start=date(1995, 1, 1), end=date(2024, 12, 31))
    compiled = assistant.layer.compile(query)
    assert isinstance(compiled, str)
    assert "1995-01-01" in compiled


def test_what_was_compiled_is_not_kept_when_queries_are_rendered_otherwise(
    assistant: Assistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = metrics.cache_key("{}", assistant.catalog)
    monkeypatch.setattr(metrics, "RENDERING", metrics.RENDERING + 1)
    assert metrics.cache_key("{}", assistant.catalog) != before
