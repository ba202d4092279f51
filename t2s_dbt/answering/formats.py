"""How values of a result are shown: counts, money, shares, dates."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import ColumnInfo, Format, Rows
from t2s_dbt.kinds import Aggregate, Kind, kind_of
from t2s_dbt.reading import Grain, Reading

_SHARE_UNITS = frozenset({"percent", "%", "share", "ratio", "percentage"})
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}
_CURRENCIES = frozenset(
    {*_SYMBOLS, "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "AUD", "CAD", "INR", "CNY"}
)
_GRAINS = {grain.value for grain in Grain}


def column_infos(rows: Rows, catalog: Catalog, reading: Reading | None) -> tuple[ColumnInfo, ...]:
    """What people call each column of a result, and how it is shown."""
    labels = _labels(rows.columns)
    return tuple(
        _info(name, data_type, labels[name], catalog, reading)
        for name, data_type in zip(rows.columns, rows.types, strict=True)
    )


def _labels(names: Sequence[str]) -> dict[str, str]:
    """Short names: `product__category` is category, unless another column is called that."""
    short = {name: _without_entity(name) for name in names}
    taken = list(short.values())
    return {
        name: label if taken.count(label) == 1 else name.replace("__", "_")
        for name, label in short.items()
    }


def _without_entity(name: str) -> str:
    parts = name.split("__")
    if len(parts) > 1 and parts[-1] in _GRAINS:
        return parts[-1] if parts[-2] == "metric_time" else f"{parts[-2]}_{parts[-1]}"
    return parts[-1]


def _info(
    name: str, data_type: str, label: str, catalog: Catalog, reading: Reading | None
) -> ColumnInfo:
    kind = kind_of(data_type)
    grain = name.split("__")[-1] if name.split("__")[-1] in _GRAINS else None
    grain = name if name in _GRAINS and kind.is_time else grain
    unit = _unit(name, catalog, reading)
    if kind.is_time:
        shown = Format.DATE if kind is Kind.DATE or grain else Format.TIMESTAMP
    elif kind is Kind.BOOLEAN:
        shown = Format.BOOLEAN
    elif kind is not Kind.NUMBER or _identifies(label):
        shown = Format.TEXT
    elif unit and unit.upper() in _CURRENCIES:
        shown, unit = Format.MONEY, unit.upper()
    elif unit and unit.lower() in _SHARE_UNITS:
        shown = Format.SHARE
    else:
        whole = "INT" in data_type.upper() and not unit
        shown = Format.COUNT if whole else Format.NUMBER
    return ColumnInfo(name, label, shown, unit, grain)


def _identifies(label: str) -> bool:
    """Whether a number is a name: `customer_id` 1204 is not 1,204."""
    return label.lower().split("_")[-1] in ("id", "key", "code", "year")


def _unit(name: str, catalog: Catalog, reading: Reading | None) -> str | None:
    """The unit of a metric or column; an aggregate has that of what it adds up."""
    for metric in catalog.metrics:
        if metric.name == name:
            return metric.unit
    if reading is not None:
        for measure in reading.measures:
            counts = measure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
            if measure.attribute and not counts and name.endswith(measure.attribute.name):
                column = catalog.column(measure.attribute)
                return column.unit if column else None
        if reading.subject and not reading.measures:
            column = catalog.table(reading.subject).column(name)
            return column.unit if column else None
    return None


def shown(value: Any, column: ColumnInfo) -> str:
    """A value as a person reads it; NULL is a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return _period_start(value.date(), column) if column.grain else _timestamp(value)
    if isinstance(value, date):
        return _period_start(value, column)
    if isinstance(value, int | float | Decimal):
        return _number(value, column)
    return str(value)


def _timestamp(value: datetime) -> str:
    return (
        value.isoformat(" ", "minutes") if value.time() != value.min.time() else str(value.date())
    )


def _period_start(day: date, column: ColumnInfo) -> str:
    match column.grain:
        case "month":
            return f"{day:%Y-%m}"
        case "quarter":
            return f"{day.year}-Q{(day.month + 2) // 3}"
        case "year":
            return str(day.year)
        case _:
            return day.isoformat()


def _number(value: int | float | Decimal, column: ColumnInfo) -> str:
    if not math.isfinite(value):
        return str(float(value))
    match column.format:
        case Format.SHARE:
            return f"{float(value) * 100:,.1f} %"
        case Format.MONEY:
            symbol, sign = _SYMBOLS.get(column.unit or ""), "-" if value < 0 else ""
            amount = f"{abs(value):,.2f}"
            return f"{sign}{symbol}{amount}" if symbol else f"{sign}{amount} {column.unit}"
        case _:
            whole = isinstance(value, int) or value == int(value)
            number = f"{int(value):,}" if whole else f"{float(value):,.2f}"
            return f"{number} {column.unit}" if column.unit else number
