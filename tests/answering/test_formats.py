"""How values are shown, and what each column of a result is called."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from t2s_dbt import Assistant
from t2s_dbt.answering.formats import column_infos, shown
from t2s_dbt.catalog import Attribute
from t2s_dbt.flow import ColumnInfo, Format, Rows
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import Measure, Reading


def column(kind: Format, unit: str | None = None, grain: str | None = None) -> ColumnInfo:
    return ColumnInfo("c", "c", kind, unit, grain)


@pytest.mark.parametrize(
    ("value", "info", "expected"),
    [
        (None, column(Format.MONEY, "EUR"), "–"),
        (True, column(Format.BOOLEAN), "yes"),
        (False, column(Format.BOOLEAN), "no"),
        (1234567, column(Format.COUNT), "1,234,567"),
        (3.0, column(Format.NUMBER), "3"),
        (1234.567, column(Format.NUMBER), "1,234.57"),
        (Decimal("1234.50"), column(Format.NUMBER), "1,234.50"),
        (Decimal("7.00"), column(Format.NUMBER), "7"),
        (4.5, column(Format.NUMBER, "hours"), "4.50 hours"),
        (Decimal("1234.5"), column(Format.MONEY, "EUR"), "€1,234.50"),
        (10, column(Format.MONEY, "USD"), "$10.00"),
        (10, column(Format.MONEY, "CHF"), "10.00 CHF"),
        (0.1234, column(Format.SHARE), "12.3 %"),
        (Decimal("1.5"), column(Format.SHARE), "150.0 %"),
        (date(2024, 3, 5), column(Format.DATE), "2024-03-05"),
        (date(2024, 3, 1), column(Format.DATE, grain="month"), "2024-03"),
        (date(2024, 4, 1), column(Format.DATE, grain="quarter"), "2024-Q2"),
        (date(2024, 12, 1), column(Format.DATE, grain="quarter"), "2024-Q4"),
        (date(2024, 1, 1), column(Format.DATE, grain="year"), "2024"),
        (date(2024, 3, 4), column(Format.DATE, grain="week"), "2024-03-04"),
        (datetime(2024, 3, 1), column(Format.DATE, grain="month"), "2024-03"),
        (datetime(2024, 3, 5), column(Format.TIMESTAMP), "2024-03-05"),
        (datetime(2024, 3, 5, 14, 30, 15), column(Format.TIMESTAMP), "2024-03-05 14:30"),
        ("O'Neil & Sons", column(Format.TEXT), "O'Neil & Sons"),
    ],
)
def test_a_value_is_shown(value: Any, info: ColumnInfo, expected: str) -> None:
    assert shown(value, info) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_no_number_can_be_shown(value: float) -> None:
    assert shown(value, column(Format.SHARE))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN")])
def test_no_number_can_be_shown_without_a_unit(value: float) -> None:
    assert shown(value, column(Format.NUMBER))


def infos(
    assistant: Assistant, names: tuple[str, ...], types: tuple[str, ...], reading: Reading | None
) -> tuple[ColumnInfo, ...]:
    """The columns of an empty result."""
    return column_infos(Rows(names, types, ()), assistant.catalog, reading)


def test_labels_are_without_entities_unless_two_would_be_the_same(assistant: Assistant) -> None:
    names = ("product__category", "customer__country", "store__country", "metric_time__month")
    types = ("VARCHAR", "VARCHAR", "VARCHAR", "TIMESTAMP")
    labels = [info.label for info in infos(assistant, names, types, None)]
    assert labels == ["category", "customer_country", "store_country", "month"]


@pytest.mark.parametrize(
    ("name", "data_type", "kind", "unit"),
    [
        ("revenue", "DECIMAL(38,2)", Format.MONEY, "EUR"),
        ("return_rate", "DOUBLE", Format.SHARE, "percent"),
        ("orders", "HUGEINT", Format.COUNT, None),
        ("metric_time__month", "TIMESTAMP", Format.DATE, None),
        ("ordered_at", "TIMESTAMP", Format.TIMESTAMP, None),
        ("opened_on", "DATE", Format.DATE, None),
        ("is_late", "BOOLEAN", Format.BOOLEAN, None),
        ("brand", "VARCHAR", Format.TEXT, None),
        ("rating", "ENUM('A', 'B')", Format.TEXT, None),
    ],
)
def test_a_column_is_shown_by_its_metric_and_type(
    name: str, data_type: str, kind: Format, unit: str | None, assistant: Assistant
) -> None:
    (info,) = infos(assistant, (name,), (data_type,), None)
    assert (info.format, info.unit) == (kind, unit)


def test_a_cut_time_keeps_its_grain(assistant: Assistant) -> None:
    cut, plain = infos(
        assistant, ("metric_time__quarter", "month"), ("TIMESTAMP", "TIMESTAMP"), None
    )
    assert (cut.grain, plain.grain) == ("quarter", "month")


def test_a_count_of_values_has_no_unit_of_theirs(assistant: Assistant) -> None:
    price = Attribute("dim_products", "list_price")
    reading = Reading(measures=(Measure(aggregate=Aggregate.COUNT_DISTINCT, attribute=price),))
    (info,) = infos(assistant, ("distinct_list_price",), ("BIGINT",), reading)
    assert info.unit is None
