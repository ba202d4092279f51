"""One sentence that answers, made from the rows by a template."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from t2s_dbt.answering.describe import describe, plural, table_noun
from t2s_dbt.answering.formats import shown
from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import ColumnInfo, Format
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import Reading

Row = Sequence[Any]


def sentence(
    reading: Reading | None,
    columns: Sequence[ColumnInfo],
    rows: Sequence[Row],
    catalog: Catalog,
    *,
    truncated: bool,
) -> str:
    """What the rows say; with many rows, how many there are and what the first one is."""
    if not rows or (len(rows) == 1 and all(value is None for value in rows[0])):
        return _nothing(reading, catalog)
    if len(rows) == 1 and len(columns) == 1:
        return _single(reading, columns[0], rows[0][0], catalog)
    if reading is not None and reading.limit == 1 and reading.groups and reading.measures:
        return _first(reading, columns, rows[0])
    counted = f"the first {len(rows):,} rows (there are more)" if truncated else _rows(len(rows))
    if reading is not None and reading.measures and reading.groups and not truncated:
        extremes = _extremes(reading, columns, rows)
        if extremes:
            return f"{_rows(len(rows))}; {extremes}."
    if len(rows) == 1:
        pairs = [f"{c.label} {shown(v, c)}" for c, v in zip(columns, rows[0], strict=True)]
        return f"{', '.join(pairs)}."
    return f"{counted[0].upper()}{counted[1:]}."


def _rows(count: int) -> str:
    return f"{count:,} row" + ("" if count == 1 else "s")


def _nothing(reading: Reading | None, catalog: Catalog) -> str:
    if reading is None:
        return "The query gave no rows."
    return f"There is nothing to show: {describe(reading, catalog)} has no data."


def _single(reading: Reading | None, column: ColumnInfo, value: Any, catalog: Catalog) -> str:
    text = shown(value, column)
    if reading is None or not reading.measures:
        return f"{text}."
    measure = reading.measures[0]
    if measure.aggregate is Aggregate.COUNT:
        noun = table_noun(measure.table or "row", catalog)
        verb, counted = ("is", noun) if value == 1 else ("are", plural(noun))
        return f"There {verb} {text} {counted}{_conditions(reading, catalog)}."
    head, _, rest = describe(reading, catalog).partition(", ")
    conditions = f" ({rest})" if rest and rest != "all time" else ""
    return f"{head}{conditions}: {text}."


def _conditions(reading: Reading, catalog: Catalog) -> str:
    rest = describe(reading, catalog).partition(", ")[2]
    return f" ({rest})" if rest else ""


def _label_place(columns: Sequence[ColumnInfo]) -> int:
    """The column that names a row: the last text before the measures."""
    texts = [place for place, column in enumerate(columns) if column.format is Format.TEXT]
    return texts[-1] if texts else 0


def _extremes(reading: Reading, columns: Sequence[ColumnInfo], rows: Sequence[Row]) -> str:
    """Where the first measure is highest and lowest; empty when no number can be compared."""
    place = len(columns) - len(reading.measures)
    numbered = [row for row in rows if isinstance(row[place], int | float | Decimal)]
    if len(numbered) < 2:
        return ""
    measure = columns[place]

    def named(row: Row) -> str:
        parts = [shown(value, column) for value, column in zip(row[:place], columns, strict=False)]
        return f"{', '.join(parts)} ({shown(row[place], measure)})"

    values = [row[place] for row in numbered]
    label = measure.label.replace("_", " ")
    if min(values) == max(values):
        return f"{label} is {shown(values[0], measure)} in all of them"
    told = []
    for word, extreme in (("highest", max(values)), ("lowest", min(values))):
        rows_there = [row for row in numbered if row[place] == extreme]
        if len(rows_there) == 1:
            told.append(f"{word} for {named(rows_there[0])}")
        else:
            told.append(f"{word} for {len(rows_there)} of them ({shown(extreme, measure)})")
    return f"{label} is {' and '.join(told)}"


def _first(reading: Reading, columns: Sequence[ColumnInfo], row: Row) -> str:
    place = _label_place(columns)
    name = shown(row[place], columns[place])
    superlative = "highest" if reading.order is None or reading.order.descending else "lowest"
    measure = columns[-1]
    when = (
        f" in {reading.times[0].period.words}"
        if reading.times and reading.times[0].period.words
        else ""
    )
    label = measure.label.replace("_", " ")
    return f"{name} had the {superlative} {label}{when}: {shown(row[-1], measure)}."
