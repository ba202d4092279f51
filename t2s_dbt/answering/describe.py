"""Tells a reading back in English, so that a person can see what was understood."""

from collections.abc import Iterator

from t2s_dbt.catalog import Attribute, Catalog
from t2s_dbt.kinds import Aggregate, Kind
from t2s_dbt.reading import (
    Grouping,
    Having,
    Measure,
    Operator,
    Period,
    Predicate,
    Reading,
    Related,
    Scalar,
    TimeFilter,
)

_PREFIXES = ("dim_", "fct_", "fact_", "stg_", "int_", "mart_", "rpt_")
_AGGREGATES = {
    Aggregate.SUM: "total",
    Aggregate.AVERAGE: "average",
    Aggregate.MEDIAN: "median",
    Aggregate.MIN: "lowest",
    Aggregate.MAX: "highest",
    Aggregate.COUNT_DISTINCT: "number of different",
}
_OPERATORS = {
    Operator.EQ: "is",
    Operator.NE: "is not",
    Operator.IN: "is",
    Operator.NOT_IN: "is not",
    Operator.GT: "over",
    Operator.GE: "at least",
    Operator.LT: "under",
    Operator.LE: "at most",
    Operator.CONTAINS: "contains",
    Operator.STARTS_WITH: "starts with",
    Operator.ENDS_WITH: "ends with",
    Operator.IS_NULL: "is missing",
    Operator.NOT_NULL: "is known",
}


def describe(reading: Reading, catalog: Catalog) -> str:
    """One sentence: what is computed, by what, under which conditions, in which order."""
    teller = _Teller(catalog)
    parts = [teller.head(reading)]
    parts += [teller.predicate(predicate) for predicate in reading.filters]
    parts += [teller.having(having) for having in reading.having]
    parts += [teller.time(time, reading) for time in reading.times]
    parts += [teller.related(related) for related in reading.related]
    if reading.metrics and not reading.times:
        parts.append("all time")
    parts += list(teller.tail(reading))
    text = ", ".join(parts)
    return text[0].upper() + text[1:]


def metric_label(name: str, catalog: Catalog) -> str:
    """What people call a metric: its label, or its name in words."""
    label = catalog.metric(name).label if any(m.name == name for m in catalog.metrics) else ""
    return label or words(name)


def attribute_label(attribute: Attribute, catalog: Catalog) -> str:
    """An attribute with the thing it belongs to: `customer country`, `order status`."""
    noun, name = table_noun(attribute.table, catalog), words(attribute.name)
    return name if name.split()[0] == noun.split()[0] else f"{noun} {name}"


def table_noun(table: str, catalog: Catalog) -> str:
    """The singular noun of a table's rows: its entity, or its name without prefix and plural."""
    for entity in catalog.entities:
        if entity.table == table:
            return words(entity.name.removesuffix("_id").removesuffix("_key"))
    name = table.rsplit(".", 1)[-1]
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return words(name[:-3] + "y" if name.endswith("ies") else name.removesuffix("s"))


def plural(noun: str) -> str:
    """A regular plural: order, orders; category, categories."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def words(name: str) -> str:
    """A name in snake case as words."""
    return name.replace("_", " ").strip()


def period_text(period: Period) -> str:
    """The dates of a period, both included."""
    if period.start and period.end:
        same = period.start == period.end
        return str(period.start) if same else f"{period.start} to {period.end}"
    return f"from {period.start}" if period.start else f"until {period.end}"


class _Teller:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def head(self, reading: Reading) -> str:
        """What is computed or listed, and by what."""
        if reading.measures:
            what = _and([self.measure(measure) for measure in reading.measures])
        elif reading.distinct and reading.shown:
            what = "different " + _and([plural(self._attribute(a)) for a in reading.shown])
        else:
            what = plural(table_noun(reading.subject or "rows", self._catalog))
            if reading.shown:
                what += " showing " + _and([words(attribute.name) for attribute in reading.shown])
        groups = [self.group(group) for group in self._told_groups(reading)]
        return f"{what} by {_and(groups)}" if groups else what

    def _told_groups(self, reading: Reading) -> Iterator[Grouping]:
        """Groupings without the key that stands beside a name only to keep namesakes apart."""
        for place, group in enumerate(reading.groups):
            named = [g.attribute for g in reading.groups[place + 1 : place + 2] if g.attribute]
            key = group.attribute
            if not (key and named and named[0].table == key.table and self._is_key(key)):
                yield group

    def _is_key(self, attribute: Attribute) -> bool:
        key = self._catalog.table(attribute.table).key
        return key is not None and key.name == attribute.name

    def measure(self, measure: Measure) -> str:
        """A measure by name."""
        if measure.metric:
            return metric_label(measure.metric, self._catalog)
        if measure.aggregate is Aggregate.COUNT:
            return "number of " + plural(table_noun(measure.table or "row", self._catalog))
        assert measure.aggregate is not None
        assert measure.attribute is not None
        name = self._attribute(measure.attribute)
        different = measure.aggregate is Aggregate.COUNT_DISTINCT
        return f"{_AGGREGATES[measure.aggregate]} {plural(name) if different else name}"

    def group(self, group: Grouping) -> str:
        """A grouping by name."""
        if group.attribute is None:
            return words(group.grain or "time")
        name = self._attribute(group.attribute)
        return f"{words(group.grain)} of {name}" if group.grain else name

    def predicate(self, predicate: Predicate) -> str:
        """A condition in words."""
        name = self._attribute(predicate.attribute)
        if predicate.values and isinstance(predicate.values[0], bool):
            negation = "" if predicate.values[0] else "not "
            return negation + words(predicate.attribute.name.removeprefix("is_"))
        shown = _or([_value(value) for value in predicate.values])
        return f"{name} {_OPERATORS[predicate.operator]} {shown}".rstrip()

    def having(self, having: Having) -> str:
        """A condition on a measure."""
        return (
            f"{self.measure(having.measure)} {_OPERATORS[having.operator]} {_value(having.value)}"
        )

    def time(self, time: TimeFilter, reading: Reading) -> str:
        """A period with the date it is about."""
        attribute = time.attribute or self._own_time(reading)
        dates = period_text(time.period)
        return f"{_event(attribute)} {dates}" if attribute else dates

    def related(self, related: Related) -> str:
        """A condition on rows of another table."""
        noun = plural(table_noun(related.table, self._catalog))
        conditions = [self.predicate(predicate) for predicate in related.filters]
        conditions += [self.related_time(time) for time in related.times]
        start = "with no" if related.negated else "with"
        return f"{start} {noun}" + (f" ({_and(conditions)})" if conditions else "")

    @staticmethod
    def related_time(time: TimeFilter) -> str:
        """A period on rows of another table."""
        date = _event(time.attribute) if time.attribute else "dated"
        return f"{date} {period_text(time.period)}"

    def tail(self, reading: Reading) -> Iterator[str]:
        """Order and limit."""
        order = reading.order
        if order is not None:
            time = order.attribute is not None and self._catalog.kind(order.attribute).is_time
            first = ("newest", "oldest") if time else ("highest", "lowest")
            text = order.attribute is not None and self._catalog.kind(order.attribute) is Kind.TEXT
            first = ("Z to A", "A to Z") if text else first
            name = f"by {words(order.attribute.name)} " if order.attribute else ""
            direction = first[0] if order.descending else first[1]
            yield f"{name}{direction}" if text else f"{name}{direction} first"
        if reading.limit:
            yield f"top {reading.limit}" if order is not None else f"any {reading.limit}"

    def _attribute(self, attribute: Attribute) -> str:
        return attribute_label(attribute, self._catalog)

    def _own_time(self, reading: Reading) -> Attribute | None:
        times = {self._catalog.metric(name).time for name in reading.metrics}
        return times.pop() if len(times) == 1 else None


def _event(attribute: Attribute) -> str:
    """A date's name before dates: `ordered_at` is ordered 2024-01-01 to 2024-12-31."""
    return words(attribute.name).removesuffix(" at").removesuffix(" on")


def _value(value: Scalar) -> str:
    if isinstance(value, float) and value.is_integer():
        return f"{int(value):,}"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _and(parts: list[str]) -> str:
    return _listed(parts, "and")


def _or(parts: list[str]) -> str:
    return _listed(parts, "or")


def _listed(parts: list[str], word: str) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}"
