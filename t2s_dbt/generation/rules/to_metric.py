"""A reading of metrics as a query to the semantic layer."""

from collections.abc import Iterator

from t2s_dbt.catalog import Attribute
from t2s_dbt.flow import MetricPredicate, MetricQuery
from t2s_dbt.generation.rules.resolve import nearest_items
from t2s_dbt.ports import GroupByItem, SemanticLayer
from t2s_dbt.reading import Grouping, Operator, Period, Predicate, Reading

METRIC_TIME = "metric_time"


def metric_query(reading: Reading, layer: SemanticLayer) -> MetricQuery:
    """The query of a reading whose attributes all its metrics can be grouped by."""
    items = nearest_items(layer.group_bys(reading.metrics))
    group_by = tuple(_item(group, items) for group in reading.groups)
    where = [_predicate(predicate, items) for predicate in reading.filters]
    start = end = None
    for time in reading.times:
        if time.attribute is not None:
            where += _period(time.period, items[time.attribute].name)
        else:
            start, end = time.period.start, time.period.end
    return MetricQuery(
        metrics=reading.metrics,
        group_by=group_by,
        where=tuple(where),
        start=start,
        end=end,
        order_by=tuple(_order(reading, items, group_by)),
        limit=reading.rows_needed,
        reading=reading,
    )


def _item(group: Grouping, items: dict[Attribute, GroupByItem]) -> str:
    if group.attribute is None:
        return f"{METRIC_TIME}__{group.grain}"
    name = items[group.attribute].name
    return f"{name}__{group.grain}" if group.grain else name


def _predicate(predicate: Predicate, items: dict[Attribute, GroupByItem]) -> MetricPredicate:
    item = items[predicate.attribute]
    return MetricPredicate(item.name, item.kind, predicate.operator, predicate.values)


def _period(period: Period, item: str) -> Iterator[MetricPredicate]:
    if period.start:
        yield MetricPredicate(item, "time", Operator.GE, (period.start,))
    if period.end:
        yield MetricPredicate(item, "time", Operator.LE, (period.end,))


def _order(
    reading: Reading, items: dict[Attribute, GroupByItem], group_by: tuple[str, ...]
) -> Iterator[str]:
    """What was asked for, and then the groups, time first: one question has one order of rows."""
    order = reading.order
    first = ""
    if order is not None and order.measure is not None:
        first = str(order.measure.metric)
    elif order is not None and order.attribute is not None:
        first = items[order.attribute].name
    if order is not None and first:
        yield f"-{first}" if order.descending else first
    times_first = sorted(group_by, key=lambda name: not name.startswith(f"{METRIC_TIME}__"))
    yield from (name for name in times_first if name != first)
