"""What a reader of an answer must be told beside it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from t2s_dbt.answering.describe import metric_label
from t2s_dbt.catalog import Catalog
from t2s_dbt.flow import Notice, Rows
from t2s_dbt.reading import Grain, Reading

_COARSE = frozenset(grain.value for grain in Grain if grain is not Grain.DAY)


def notices(
    reading: Reading | None, rows: Rows | None, catalog: Catalog, as_of: date
) -> tuple[Notice, ...]:
    """The notices of one answer, in the order in which they are shown."""
    found: list[Notice] = []
    if rows is not None and rows.truncated:
        found.append(
            Notice("truncated", f"only the first {len(rows.rows):,} rows are shown; there are more")
        )
    if reading is not None:
        found += _left_out(reading, rows, catalog)
        found += _cumulative(reading, catalog)
        found += _open_period(reading, as_of)
    found += [Notice("stale", note) for note in catalog.notes if "was changed after" in note]
    return tuple(found)


def cut_ranking(reading: Reading | None, rows: Rows) -> tuple[Rows, bool]:
    """A ranking without the row that was read only to see a tie, and whether there is one."""
    if reading is None or reading.limit is None or len(rows.rows) <= reading.limit:
        return rows, False
    shown, rest = rows.rows[: reading.limit], rows.rows[reading.limit :]
    measure = reading.order.measure if reading.order else None
    if measure is None:
        return replace(rows, rows=shown), False
    place = len(rows.columns) - len(reading.measures) + reading.measures.index(measure)
    return replace(rows, rows=shown), bool(shown[-1][place] == rest[0][place])


def tie_notice() -> Notice:
    """What is said of a tie for the last place."""
    return Notice("tie", "at least one other has the same value as the last one shown")


def _left_out(reading: Reading, rows: Rows | None, catalog: Catalog) -> Iterator[Notice]:
    """A list of whole rows shows the first columns only."""
    if rows is None or reading.subject is None or reading.measures or reading.shown:
        return
    table = catalog.table(reading.subject)
    if table.label is None and len(rows.columns) < len(table.columns):
        yield Notice(
            "columns",
            f"{len(rows.columns)} of {len(table.columns)} columns are shown; name those you want",
        )


def _cumulative(reading: Reading, catalog: Catalog) -> Iterator[Notice]:
    grains = [group.grain for group in reading.groups if group.grain in _COARSE]
    for name in reading.metrics:
        if grains and catalog.metric(name).shows_period_start:
            yield Notice(
                "period_start",
                f"{metric_label(name, catalog)} accumulates day by day; by {grains[0]} it shows "
                f"the value on the first day of each {grains[0]} (its `period_agg` is `first`), "
                f"not that of the whole {grains[0]}",
            )


def _open_period(reading: Reading, as_of: date) -> Iterator[Notice]:
    for time in reading.times:
        start, end = time.period.start, time.period.end
        if start and start > as_of:
            yield Notice(
                "outside_data", f"the period begins after {as_of}, the day of the question"
            )
        elif end and end > as_of:
            yield Notice(
                "open_period", f"the period is not over on {as_of}, the day of the question"
            )


def empty_notice(rows: Sequence[Sequence[object]]) -> Iterator[Notice]:
    """A notice for a result that holds nothing."""
    if not rows:
        yield Notice("empty", "no row of the data meets the conditions")
    elif all(value is None for row in rows for value in row):
        yield Notice("empty", "the result is NULL: no row of the data meets the conditions")
