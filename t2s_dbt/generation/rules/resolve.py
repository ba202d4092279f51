"""Makes readings of a sketch: over metrics where it names some, else over a table."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from t2s_dbt.catalog import Attribute, Catalog, Metric, MetricType
from t2s_dbt.generation.rules.chart import Kind
from t2s_dbt.generation.rules.choose import (
    DOUBT_COST,
    FAR_COST,
    HOP_COST,
    VAGUE,
    Reach,
    default_time,
)
from t2s_dbt.generation.rules.frame import MOST_FRAMES, frames
from t2s_dbt.generation.rules.sketch import Sketch, Unreadable
from t2s_dbt.kinds import Aggregate
from t2s_dbt.kinds import Kind as ColumnKind
from t2s_dbt.ports import GroupByItem, SemanticLayer
from t2s_dbt.reading import Measure, Operator, Order, Reading


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reading and what it costs: hops between tables, and doubt about names."""

    reading: Reading
    cost: float


def resolve(sketch: Sketch, catalog: Catalog, layer: SemanticLayer) -> list[Resolved]:
    """The readings of a sketch; raises Unreadable with a reason when there is none."""
    reasons: list[str] = []
    found: list[Resolved] = []
    starts = _metric_starts(sketch, catalog) if sketch.metrics else _table_starts(sketch)
    for names, doubt in starts:
        try:
            about = (
                _with_metrics(sketch, names, catalog, layer)
                if sketch.metrics
                else _about(sketch, names[0], catalog)
            )
            found += [replace(resolved, cost=resolved.cost + doubt) for resolved in about]
        except Unreadable as unreadable:
            reasons.append(str(unreadable))
    if not found:
        raise Unreadable(reasons[0] if reasons else "I do not see what to count or list")
    return found


# --- metrics
# -----------------------------------------------------------------------------------------


def _metric_starts(sketch: Sketch, catalog: Catalog) -> Iterator[tuple[tuple[str, ...], float]]:
    """The metrics that the question may ask for, each choice with the doubt about it."""
    measured = sketch.counts or sketch.aggregates or sketch.distinct_counts or sketch.counted
    if measured or sketch.subject:
        raise Unreadable("metrics and other measures in one question are not read yet")
    if sketch.related or sketch.shown or sketch.newest or sketch.asks_time:
        raise Unreadable("a metric cannot be listed, and other tables' rows are no condition on it")
    for picked in islice(product(*(item.candidates for item in sketch.metrics)), MOST_FRAMES):
        names = tuple(dict.fromkeys(candidate.name for candidate in picked))
        for aggregate, item in sketch.metric_aggregates:
            place = next(p for p, metric in enumerate(sketch.metrics) if metric is item)
            _check_aggregate(aggregate, catalog.metric(picked[place].name))
        for item in (*sketch.counted_metrics, *sketch.amounts):
            place = next(p for p, metric in enumerate(sketch.metrics) if metric is item)
            _check_sort(catalog.metric(picked[place].name), counted=item in sketch.counted_metrics)
        yield names, sum((1 - candidate.score) * DOUBT_COST for candidate in picked)


def _check_aggregate(aggregate: Aggregate, metric: Metric) -> None:
    """Raises Unreadable unless a metric is that aggregate already, or a sum that is called a
    total.
    """
    if metric.aggregate is aggregate:
        return
    if aggregate is not Aggregate.SUM:
        raise Unreadable(f"the {aggregate} of the metric {metric.name} is not read yet")
    additive = metric.aggregate in (None, Aggregate.COUNT)
    if metric.type is MetricType.RATIO or not additive:
        raise Unreadable(f"{metric.name} is no sum, so it has no total")


def _check_accumulation(sketch: Sketch, names: tuple[str, ...], catalog: Catalog) -> None:
    """Raises Unreadable for what accumulates within a period, when it is not said up to which
    day.
    """
    grained = any(item.kind is Kind.GRAIN for item in sketch.groups)
    for name in names:
        if catalog.metric(name).type is MetricType.CUMULATIVE and sketch.times and not grained:
            raise Unreadable(f"{name} accumulates, so say by which day or month to show it")


def _check_sort(metric: Metric, *, counted: bool) -> None:
    """Raises Unreadable where "how many" asks for an amount, or "the value of" for a number."""
    if counted and metric.unit is not None:
        raise Unreadable(f"{metric.name} is an amount in {metric.unit}, not a number of things")
    if not counted and metric.unit is None:
        raise Unreadable(f"{metric.name} is a number of things, not an amount")


def _with_metrics(
    sketch: Sketch, names: tuple[str, ...], catalog: Catalog, layer: SemanticLayer
) -> Iterator[Resolved]:
    items = layer.group_bys(names)
    if not items:
        raise Unreadable(f"the metrics {', '.join(names)} share nothing to be grouped by")
    nearest = nearest_items(items)

    def near(attribute: Attribute) -> float | None:
        item = nearest.get(attribute)
        return item.hops * HOP_COST if item else None

    shown = " and ".join(name.replace("_", " ") for name in names)
    reason = f"{shown} cannot be broken down or filtered by"
    models = frozenset(model for name in names for model in catalog.metric(name).models)
    reach = Reach(catalog, near, lambda _: None, reason, models, _named(sketch))
    measures = tuple(Measure(metric=name) for name in names)
    _check_accumulation(sketch, names, catalog)
    for frame, cost in frames(sketch, reach, None):
        check_contexts(sketch, frame, models)
        order = _metric_order(sketch, measures, frame)
        yield Resolved(replace(frame, measures=measures, order=order), cost)


def _metric_order(sketch: Sketch, measures: tuple[Measure, ...], frame: Reading) -> Order | None:
    if sketch.order is None:
        ranks = sketch.groups and sketch.descending is not None
        return Order(measures[0], None, bool(sketch.descending)) if ranks else None
    if not frame.groups:
        raise Unreadable("there is nothing to rank")
    if sketch.order.kind is Kind.METRIC:
        names = {candidate.name for candidate in sketch.order.candidates}
        measure = next(m for m in measures if m.metric in names)
        return Order(measure, None, sketch.descending is not False)
    wanted = {candidate.attribute for candidate in sketch.order.candidates}
    for group in frame.groups:
        if group.attribute in wanted:
            return Order(None, group.attribute, sketch.descending is True)
    raise Unreadable("it can only be sorted by what is shown")


def nearest_items(items: tuple[GroupByItem, ...]) -> dict[Attribute, GroupByItem]:
    """The item with the fewest hops for each attribute."""
    nearest: dict[Attribute, GroupByItem] = {}
    for item in items:
        if item.attribute is not None:
            known = nearest.get(item.attribute)
            if known is None or item.hops < known.hops:
                nearest[item.attribute] = item
    return nearest


# --- tables
# ------------------------------------------------------------------------------------------


def _table_starts(sketch: Sketch) -> Iterator[tuple[tuple[str, ...], float]]:
    """The tables that the question may be about, each with the doubt about it."""
    if sketch.subject and sketch.counts:
        raise Unreadable("a list and a count in one question are not read yet")
    named = sketch.counts[:1] or ([sketch.subject] if sketch.subject else [])
    measured = [item for _, item in sketch.aggregates]
    measured += sketch.distinct_counts + sketch.counted + sketch.shown
    starts: dict[str, float] = {}
    for candidate in (c for item in (named or measured)[:1] for c in item.candidates):
        if candidate.score < VAGUE:
            continue
        table = candidate.attribute.table if candidate.attribute else candidate.name
        starts.setdefault(table, (1 - candidate.score) * DOUBT_COST)
    yield from (((table,), doubt) for table, doubt in starts.items())


def _about(sketch: Sketch, subject: str, catalog: Catalog) -> Iterator[Resolved]:
    def near(attribute: Attribute) -> float | None:
        path = catalog.path_to_one(subject, attribute.table)
        reached = path is not None and catalog.column(attribute) is not None
        return len(path) * HOP_COST if reached and path is not None else None

    named = sketch.subject is not None or bool(sketch.counts)

    def far(attribute: Attribute) -> float | None:
        path = catalog.path_to_many(subject, attribute.table) if named else None
        return None if path is None else len(path) * HOP_COST + FAR_COST

    reason = f"{subject} has nothing to do with"
    reach = Reach(catalog, near, far, reason, frozenset({subject}), _named(sketch))
    for frame, cost in frames(sketch, reach, subject):
        measures = tuple(_measures(sketch, subject, reach))
        if not measures and sketch.subject and _is_breakdown(sketch, frame, catalog):
            measures = (Measure(aggregate=Aggregate.COUNT, table=subject),)
        if measures and (sketch.shown or sketch.asks_time):
            raise Unreadable("a list and a measure in one question are not read yet")
        if not measures and frame.groups:
            raise Unreadable("it is not said what to compute for each group")
        reading = replace(
            frame,
            measures=measures,
            subject=subject,
            shown=tuple(reach.one(item) for item in sketch.shown),
            distinct=not measures and sketch.subject is None,
            order=_table_order(sketch, measures, reach, subject),
            limit=1 if sketch.newest and frame.limit is None else frame.limit,
        )
        _check_shown(sketch, reading, catalog)
        check_contexts(sketch, reading, reach.own)
        yield Resolved(reading, cost)


def _is_breakdown(sketch: Sketch, frame: Reading, catalog: Catalog) -> bool:
    """Whether `stores by country` counts: it is no list, and what it is broken down by repeats."""
    kinds = [catalog.kind(group.attribute) for group in frame.groups if group.attribute]
    return not sketch.listed and bool(frame.groups) and ColumnKind.NUMBER not in kinds


def _check_shown(sketch: Sketch, reading: Reading, catalog: Catalog) -> None:
    """Raises Unreadable for numbers of many rows that are only shown, or a "when" without a
    date.
    """
    kinds = [catalog.kind(attribute) for attribute in reading.shown]
    if sketch.asks_time and not any(kind.is_time for kind in kinds):
        raise Unreadable("no date is named that could say when")
    table = catalog.table(reading.subject or "")
    names = {column.name for column in (table.key, table.label) if column}
    one = any(p.operator is Operator.EQ and p.attribute.name in names for p in reading.filters)
    if reading.distinct and ColumnKind.NUMBER in kinds and not one:
        raise Unreadable("it is not said how to add up the numbers")


def _named(sketch: Sketch) -> frozenset[str]:
    """Tables that are named beside what is asked."""
    return frozenset(c.name for item in sketch.contexts for c in item.candidates)


def check_contexts(sketch: Sketch, reading: Reading, own: frozenset[str]) -> None:
    """Raises Unreadable for a table that is named and plays no part: nothing is dropped
    silently.
    """
    used = own | {group.attribute.table for group in reading.groups if group.attribute}
    used |= {predicate.attribute.table for predicate in reading.filters}
    used |= {time.attribute.table for time in reading.times if time.attribute}
    used |= {attribute.table for attribute in reading.shown}
    for related in reading.related:
        used |= {related.table, *(predicate.attribute.table for predicate in related.filters)}
    for item in sketch.contexts:
        names = {candidate.name for candidate in item.candidates}
        if not names & used:
            raise Unreadable(f"I do not see what part {min(names)} plays")


def _measures(sketch: Sketch, subject: str, reach: Reach) -> Iterator[Measure]:
    if len(sketch.counts) > 1:
        raise Unreadable("counts of two things in one question are not read yet")
    for _ in sketch.counts:
        yield Measure(aggregate=Aggregate.COUNT, table=subject)
    for item in (*sketch.distinct_counts, *sketch.counted):
        attribute = reach.one(item)
        if item in sketch.counted and not _names_kinds(attribute, reach.catalog):
            raise Unreadable(f"it is not said whether to add up or to count different {item.text}")
        yield Measure(aggregate=Aggregate.COUNT_DISTINCT, attribute=attribute)
    for aggregate, item in sketch.aggregates:
        attribute = reach.one(item)
        if attribute.table != subject:
            raise Unreadable("an aggregate over a joined table would count its rows repeatedly")
        numeric = reach.catalog.kind(attribute) is ColumnKind.NUMBER
        if not numeric and aggregate not in (Aggregate.MIN, Aggregate.MAX):
            raise Unreadable(f"{attribute.name} holds no numbers")
        yield Measure(aggregate=aggregate, attribute=attribute)


def _names_kinds(attribute: Attribute, catalog: Catalog) -> bool:
    """Whether the values of an attribute are kinds of things (brands, countries), which one
    counts.
    """
    column = catalog.column(attribute)
    if column is None or column.kind is not ColumnKind.TEXT:
        return False
    return bool(column.values) or any(d.attribute == attribute for d in catalog.dimensions)


def _table_order(
    sketch: Sketch, measures: tuple[Measure, ...], reach: Reach, subject: str
) -> Order | None:
    descending = sketch.descending is not False
    if sketch.newest:
        return Order(None, default_time(subject, reach.catalog), descending)
    if sketch.order is None:
        ranks = sketch.groups and sketch.descending is not None and measures
        return Order(measures[0], None, descending) if ranks else None
    if sketch.order.kind is Kind.TABLE:
        return Order(measures[0], None, descending)
    attribute = reach.one(sketch.order)
    single_out = sketch.superlative or sketch.limit is not None
    return Order(None, attribute, descending if single_out else sketch.descending is True)
