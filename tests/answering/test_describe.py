"""Readings told back in words: each part of one leaves its trace."""

from dataclasses import replace
from datetime import date

import pytest

from t2s_dbt import Assistant
from t2s_dbt.answering.describe import describe, period_text, plural, table_noun
from t2s_dbt.catalog import Attribute
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import (
    Grouping,
    Having,
    Measure,
    Operator,
    Order,
    Period,
    Predicate,
    Reading,
    Related,
    Scalar,
    TimeFilter,
)

REVENUE = Measure(metric="revenue")
COUNTRY = Attribute("dim_customers", "country")
PRICE = Attribute("dim_products", "list_price")
YEAR = Period(date(2024, 1, 1), date(2024, 12, 31), "2024")


def told(reading: Reading, assistant: Assistant) -> str:
    """A reading in lower case words."""
    return describe(reading, assistant.catalog).lower()


def test_a_metric_without_a_period_says_all_time(assistant: Assistant) -> None:
    assert told(Reading(measures=(REVENUE,)), assistant) == "revenue, all time"


def test_a_metric_is_called_by_its_label(assistant: Assistant) -> None:
    reading = Reading(measures=(Measure(metric="revenue_growth_mom"),))
    assert "month over month" in told(reading, assistant)


def test_a_period_is_told_with_its_dates_and_the_date_it_is_about(assistant: Assistant) -> None:
    text = told(Reading(measures=(REVENUE,), times=(TimeFilter(YEAR),)), assistant)
    assert "2024-01-01" in text
    assert "2024-12-31" in text
    assert "ordered 2024" in text
    assert "all time" not in text


def test_a_named_date_is_told_instead_of_the_own_one(assistant: Assistant) -> None:
    role = Attribute("fct_orders", "delivered_at")
    text = told(Reading(measures=(REVENUE,), times=(TimeFilter(YEAR, role),)), assistant)
    assert "delivered 2024" in text


@pytest.mark.parametrize(
    ("aggregate", "word"),
    [
        (Aggregate.SUM, "total"),
        (Aggregate.AVERAGE, "average"),
        (Aggregate.MEDIAN, "median"),
        (Aggregate.MIN, "lowest"),
        (Aggregate.MAX, "highest"),
        (Aggregate.COUNT_DISTINCT, "different"),
    ],
)
def test_an_aggregate_is_told(aggregate: Aggregate, word: str, assistant: Assistant) -> None:
    measure = Measure(aggregate=aggregate, attribute=PRICE)
    text = told(Reading(measures=(measure,), subject="dim_products"), assistant)
    assert word in text
    assert "list price" in text


def test_a_count_names_the_things_that_are_counted(assistant: Assistant) -> None:
    measure = Measure(aggregate=Aggregate.COUNT, table="fct_order_items")
    text = told(Reading(measures=(measure,), subject="fct_order_items"), assistant)
    assert text == "number of order items"


def test_groupings_are_told_in_order(assistant: Assistant) -> None:
    groups = (Grouping(grain="month"), Grouping(Attribute("dim_products", "brand")))
    text = told(Reading(measures=(REVENUE,), groups=groups), assistant)
    assert "by month and product brand" in text


def test_a_custom_grain_is_told_in_words(assistant: Assistant) -> None:
    reading = Reading(measures=(REVENUE,), groups=(Grouping(grain="fiscal_quarter"),))
    assert "by fiscal quarter" in told(reading, assistant)


def test_the_grain_of_a_named_date_is_told(assistant: Assistant) -> None:
    group = Grouping(Attribute("dim_stores", "opened_on"), "year")
    measure = Measure(aggregate=Aggregate.COUNT, table="dim_stores")
    text = told(Reading(measures=(measure,), groups=(group,), subject="dim_stores"), assistant)
    assert "year of" in text
    assert "opened on" in text


def test_a_key_that_stands_beside_its_name_is_not_told(assistant: Assistant) -> None:
    groups = tuple(
        Grouping(Attribute("dim_products", name)) for name in ("product_id", "product_name")
    )
    text = told(Reading(measures=(REVENUE,), groups=groups), assistant)
    assert "product name" in text
    assert "product id" not in text


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        (Operator.EQ, ("Germany",), "customer country is germany"),
        (Operator.NE, ("Germany",), "customer country is not germany"),
        (Operator.IN, ("Italy", "Spain", "France"), "customer country is italy, spain or france"),
        (Operator.NOT_IN, ("Italy", "Spain"), "customer country is not italy or spain"),
        (Operator.CONTAINS, ("land",), "customer country contains land"),
        (Operator.STARTS_WITH, ("A",), "customer country starts with a"),
        (Operator.ENDS_WITH, ("y",), "customer country ends with y"),
        (Operator.IS_NULL, (), "customer country is missing"),
        (Operator.NOT_NULL, (), "customer country is known"),
    ],
)
def test_a_condition_is_told(
    operator: Operator, values: tuple[Scalar, ...], expected: str, assistant: Assistant
) -> None:
    reading = Reading(subject="dim_customers", filters=(Predicate(COUNTRY, operator, values),))
    assert told(reading, assistant).endswith(expected)


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (Operator.GT, 1500.0, "over 1,500"),
        (Operator.GE, 20, "at least 20"),
        (Operator.LT, 9.5, "under 9.5"),
        (Operator.LE, 0, "at most 0"),
        (Operator.EQ, 7.0, "is 7"),
    ],
)
def test_a_comparison_is_told_with_its_number(
    operator: Operator, value: float, expected: str, assistant: Assistant
) -> None:
    reading = Reading(subject="dim_products", filters=(Predicate(PRICE, operator, (value,)),))
    assert told(reading, assistant).endswith(expected)


@pytest.mark.parametrize(("value", "expected"), [(True, ", disc"), (False, ", not disc")])
def test_a_flag_is_told_as_what_it_says(value: bool, expected: str, assistant: Assistant) -> None:
    flag = Predicate(Attribute("dim_products", "is_discontinued"), Operator.EQ, (value,))
    assert expected in told(Reading(subject="dim_products", filters=(flag,)), assistant)


@pytest.mark.parametrize(("negated", "expected"), [(True, "with no orders"), (False, "with ord")])
def test_related_rows_are_told_with_their_conditions(
    negated: bool, expected: str, assistant: Assistant
) -> None:
    status = Predicate(Attribute("fct_orders", "order_status"), Operator.EQ, ("cancelled",))
    ordered = TimeFilter(YEAR, Attribute("fct_orders", "ordered_at"))
    related = Related("fct_orders", negated, filters=(status,), times=(ordered,))
    text = told(Reading(subject="dim_customers", related=(related,)), assistant)
    assert text.startswith("customers")
    assert expected in text
    assert "order status is cancelled" in text
    assert "2024-12-31" in text


def test_a_condition_on_a_measure_is_told(assistant: Assistant) -> None:
    having = Having(REVENUE, Operator.GT, 1000.0)
    reading = Reading(measures=(REVENUE,), groups=(Grouping(COUNTRY),), having=(having,))
    assert "revenue over 1,000" in told(reading, assistant)


def test_order_and_limit_are_told(assistant: Assistant) -> None:
    ranked = Reading(
        measures=(REVENUE,), groups=(Grouping(COUNTRY),), order=Order(REVENUE), limit=3
    )
    assert "highest first, top 3" in told(ranked, assistant)
    lowest = replace(ranked, order=Order(REVENUE, descending=False))
    assert "lowest first" in told(lowest, assistant)
    assert "any 3" in told(replace(ranked, order=None), assistant)


def test_time_is_ordered_from_new_to_old(assistant: Assistant) -> None:
    opened = Attribute("dim_stores", "opened_on")
    stores = Reading(subject="dim_stores", order=Order(attribute=opened))
    assert "newest first" in told(stores, assistant)
    oldest = replace(stores, order=Order(attribute=opened, descending=False))
    assert "oldest first" in told(oldest, assistant)


def test_a_list_names_what_it_shows(assistant: Assistant) -> None:
    listed = Reading(subject="dim_products", shown=(PRICE,))
    assert told(listed, assistant) == "products showing list price"
    assert "different" in told(replace(listed, distinct=True), assistant)


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        (YEAR, "2024-01-01 to 2024-12-31"),
        (Period(date(2024, 5, 1), date(2024, 5, 1)), "2024-05-01"),
        (Period(date(2024, 5, 1), None), "from 2024-05-01"),
        (Period(None, date(2024, 5, 1)), "until 2024-05-01"),
    ],
)
def test_the_dates_of_a_period_are_told(period: Period, expected: str) -> None:
    assert period_text(period) == expected


@pytest.mark.parametrize(
    ("table", "noun"),
    [
        ("dim_categories", "category"),
        ("fct_order_items", "order item"),
        ("dim_customers", "customer"),
        ("stg_orders", "order"),
    ],
)
def test_rows_of_a_table_have_a_noun(table: str, noun: str, assistant: Assistant) -> None:
    assert table_noun(table, assistant.catalog) == noun


@pytest.mark.parametrize(
    ("noun", "expected"),
    [("order", "orders"), ("category", "categories"), ("day", "days"), ("box", "boxes")],
)
def test_a_noun_has_a_plural(noun: str, expected: str) -> None:
    assert plural(noun) == expected
