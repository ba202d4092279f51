"""A reading over tables as SQL, built as a tree.

Tables are joined only from many to one, so no row of the subject is ever repeated; what lies on the
many side is asked with EXISTS.
"""

from collections.abc import Iterator

from sqlglot import exp

from t2s_dbt.catalog import Attribute, Catalog, Join, Table
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import (
    Measure,
    Operator,
    Predicate,
    Reading,
    Related,
    Scalar,
    TimeFilter,
)

_FUNCTIONS = {
    Aggregate.SUM: exp.Sum,
    Aggregate.AVERAGE: exp.Avg,
    Aggregate.MEDIAN: exp.Median,
    Aggregate.MIN: exp.Min,
    Aggregate.MAX: exp.Max,
}
_COMPARISONS: dict[Operator, type[exp.Binary]] = {
    Operator.EQ: exp.EQ,
    Operator.GT: exp.GT,
    Operator.GE: exp.GTE,
    Operator.LT: exp.LT,
    Operator.LE: exp.LTE,
}
_PATTERNS = {
    Operator.CONTAINS: "contains",
    Operator.STARTS_WITH: "starts_with",
    Operator.ENDS_WITH: "suffix",
}
MOST_LISTED_COLUMNS = 8


def sql_of(reading: Reading, catalog: Catalog, dialect: str = "duckdb") -> str:
    """The SQL of a reading that has a subject."""
    return _Builder(reading, catalog).select().sql(dialect=dialect, pretty=True)


class _Joined:
    """A FROM clause that grows a LEFT JOIN for every table that something is asked of."""

    def __init__(self, catalog: Catalog, start: str) -> None:
        self._catalog, self.start = catalog, start
        self._joins: dict[str, Join] = {}

    def column(self, attribute: Attribute) -> exp.Column:
        """The column, with the joins that lead to its table."""
        path = self._catalog.path_to_one(self.start, attribute.table)
        assert path is not None, f"{attribute.table} is not reachable from {self.start}"
        for join in path:
            self._joins.setdefault(join.one.table, join)
        return _column(self._alias(attribute.table), attribute.name)

    def apply(self, select: exp.Select) -> exp.Select:
        """The select over the tables asked for so far."""
        select = select.from_(_table(self._catalog.table(self.start), self._alias(self.start)))
        for join in self._joins.values():
            on = exp.EQ(
                this=_column(self._alias(join.many.table), join.many.name),
                expression=_column(self._alias(join.one.table), join.one.name),
            )
            table = _table(self._catalog.table(join.one.table), self._alias(join.one.table))
            select = select.join(table, on=on, join_type="left")
        return select

    def _alias(self, table: str) -> str:
        return table.replace(".", "_")


class _Builder:
    def __init__(self, reading: Reading, catalog: Catalog) -> None:
        assert reading.subject is not None
        self._reading, self._catalog = reading, catalog
        self._subject = catalog.table(reading.subject)
        self._joined = _Joined(catalog, reading.subject)

    def select(self) -> exp.Select:
        """The whole query."""
        reading = self._reading
        outputs = list(self._outputs())
        select = exp.Select(expressions=[expression for _, expression in outputs])
        conditions = [
            *(_condition(p, self._joined.column(p.attribute)) for p in reading.filters),
            *(c for time in reading.times for c in self._period(time, self._joined)),
            *(self._exists(related) for related in reading.related),
        ]
        order = list(self._order(outputs))
        select = self._joined.apply(select)
        for condition in conditions:
            select = select.where(condition)
        if reading.measures and reading.groups:
            keys = range(1, len(self._reading.groups) + 1)
            select = select.group_by(*(exp.Literal.number(key) for key in keys))
        if reading.distinct:
            select = select.distinct()
        if order:
            select = select.order_by(*order)
        return select.limit(reading.rows_needed) if reading.rows_needed else select

    def _outputs(self) -> Iterator[tuple[object, exp.Expr]]:
        """What is selected, each with the group, measure or attribute that it is."""
        names: set[str] = set()

        def named(
            key: object, expression: exp.Expr, name: str, table: str
        ) -> tuple[object, exp.Expr]:
            unique = name if name not in names else f"{table}_{name}"
            names.add(unique)
            return key, exp.alias_(expression, unique, quoted=True)

        for group in self._reading.groups:
            if group.attribute is not None and group.grain is None:
                column = self._joined.column(group.attribute)
                yield named(group.attribute, column, group.attribute.name, group.attribute.table)
            elif group.grain is not None:
                attribute = group.attribute or self._time()
                cut = exp.func(
                    "date_trunc", exp.Literal.string(group.grain), self._joined.column(attribute)
                )
                yield named(group, cut, group.grain, attribute.table)
        for measure in self._reading.measures:
            yield named(measure, self._measure(measure), _measure_name(measure), self._subject.name)
        if not self._reading.measures:
            for attribute in self._listed():
                column = self._joined.column(attribute)
                yield named(attribute, column, attribute.name, attribute.table)

    def _time(self) -> Attribute:
        table = self._subject
        times = [column.name for column in table.columns if column.kind.is_time]
        return Attribute(table.name, table.default_time or times[0])

    def _measure(self, measure: Measure) -> exp.Expr:
        if measure.aggregate is Aggregate.COUNT:
            return exp.Count(this=exp.Star())
        assert measure.attribute is not None
        column = self._joined.column(measure.attribute)
        if measure.aggregate is Aggregate.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[column]))
        assert measure.aggregate is not None
        return _FUNCTIONS[measure.aggregate](this=column)

    def _listed(self) -> list[Attribute]:
        """The columns of a list: those asked for, or else the key, the name, and what the question
        speaks of.
        """
        reading, table = self._reading, self._subject
        own = [Attribute(table.name, c.name) for c in (table.key, table.label) if c is not None]
        asked = [predicate.attribute for predicate in reading.filters]
        asked += [time.attribute for time in reading.times if time.attribute]
        if reading.order and reading.order.attribute:
            asked.append(reading.order.attribute)
        if reading.shown:
            names = [] if reading.distinct else own[-1:]
            return list(dict.fromkeys((*names, *reading.shown)))
        if table.label is not None:
            return list(dict.fromkeys((*own, *asked)))
        columns = [Attribute(table.name, column.name) for column in table.columns]
        return list(dict.fromkeys((*own, *asked, *columns)))[: max(MOST_LISTED_COLUMNS, len(asked))]

    def _order(self, outputs: list[tuple[object, exp.Expr]]) -> Iterator[exp.Expr]:
        """What was asked for, and then the groups, time first: one question has one order of
        rows.
        """
        order = self._reading.order
        wanted: object = (order.measure or order.attribute) if order else None
        if order is not None:
            named = [e.alias for key, e in outputs if key == wanted]
            if named:
                target: exp.Expr = exp.to_identifier(named[0], quoted=True)
            else:
                assert order.attribute is not None
                target = self._joined.column(order.attribute)
            yield exp.Ordered(this=target, desc=order.descending, nulls_first=False)
        groups = list(zip(self._reading.groups, outputs, strict=False))  # they are selected first
        for _, (key, expression) in sorted(groups, key=lambda pair: pair[0].grain is None):
            if key != wanted:
                name = exp.to_identifier(expression.alias, quoted=True)
                yield exp.Ordered(this=name, nulls_first=False)

    def _period(self, time: TimeFilter, joined: "_Joined | _Inside") -> Iterator[exp.Expr]:
        """Half-open bounds, so that a timestamp on the last day is inside."""
        attribute = time.attribute or self._time()
        if time.period.start:
            low = exp.cast(exp.Literal.string(time.period.start.isoformat()), "date")
            yield exp.GTE(this=joined.column(attribute), expression=low)
        if time.period.after_end:
            high = exp.cast(exp.Literal.string(time.period.after_end.isoformat()), "date")
            yield exp.LT(this=joined.column(attribute), expression=high)

    def _exists(self, related: Related) -> exp.Expr:
        """Whether rows of another table exist for a row of the subject."""
        path = self._catalog.path_to_many(self._subject.name, related.table)
        assert path, f"{related.table} is not related to {self._subject.name}"
        here, inside = self._subject.name, _Inside(self._catalog)
        for join in path:
            near, there = (
                (join.many, join.one) if join.many.table == here else (join.one, join.many)
            )
            here = there.table
            if inside.tables:
                inside.join(there, near)
            else:
                inside.start(there, self._joined.column(near))
        for attribute in _attributes(related):
            inside.reach(attribute.table)
        conditions = [_condition(p, inside.column(p.attribute)) for p in related.filters]
        conditions += [c for time in related.times for c in self._period(time, inside)]
        exists = exp.Exists(this=inside.select(conditions))
        return exp.Not(this=exists) if related.negated else exists


class _Inside:
    """The tables of an EXISTS, tied to a column outside."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.tables: list[str] = []
        self._select = exp.select("1")

    def start(self, attribute: Attribute, outside: exp.Column) -> None:
        """Begins with a table whose attribute equals a column outside."""
        self.tables.append(attribute.table)
        tied = exp.EQ(this=self.column(attribute), expression=outside)
        self._select = self._select.from_(self._table(attribute.table)).where(tied)

    def join(self, attribute: Attribute, to: Attribute) -> None:
        """Adds a table whose attribute equals one of a table that is there."""
        self.tables.append(attribute.table)
        on = exp.EQ(this=self.column(attribute), expression=self.column(to))
        self._select = self._select.join(self._table(attribute.table), on=on)

    def reach(self, table: str) -> None:
        """Adds the tables between one that is there and another, from many to one."""
        if table in self.tables:
            return
        paths = [self._catalog.path_to_one(start, table) for start in self.tables]
        path = min((path for path in paths if path is not None), key=len)
        for join in path:
            if join.one.table not in self.tables:
                self.join(join.one, join.many)

    def column(self, attribute: Attribute) -> exp.Column:
        """A column of a table that is there."""
        return _column(self._alias(attribute.table), attribute.name)

    def select(self, conditions: list[exp.Expr]) -> exp.Select:
        """The whole query with its conditions."""
        for condition in conditions:
            self._select = self._select.where(condition)
        return self._select

    def _table(self, name: str) -> exp.Table:
        return _table(self._catalog.table(name), self._alias(name))

    @staticmethod
    def _alias(table: str) -> str:
        return "related_" + table.replace(".", "_")


def _attributes(related: Related) -> Iterator[Attribute]:
    """Everything that related rows are conditioned on."""
    yield from (predicate.attribute for predicate in related.filters)
    yield from (time.attribute for time in related.times if time.attribute)


def _table(table: Table, alias: str) -> exp.Table:
    relation = table.relation
    return exp.Table(
        this=exp.to_identifier(relation.identifier, quoted=True),
        db=exp.to_identifier(relation.schema, quoted=True),
        catalog=exp.to_identifier(relation.database, quoted=True) if relation.database else None,
        alias=exp.TableAlias(this=exp.to_identifier(alias)),
    )


def _column(alias: str, name: str) -> exp.Column:
    return exp.Column(this=exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias))


def _measure_name(measure: Measure) -> str:
    if measure.aggregate is Aggregate.COUNT:
        return "count"
    assert measure.aggregate is not None
    assert measure.attribute is not None
    prefix = (
        "distinct" if measure.aggregate is Aggregate.COUNT_DISTINCT else measure.aggregate.value
    )
    return f"{prefix}_{measure.attribute.name}"


def _condition(predicate: Predicate, column: exp.Column) -> exp.Expr:
    values = [_literal(value) for value in predicate.values]
    null = exp.Is(this=column.copy(), expression=exp.Null())
    match predicate.operator:
        case Operator.IS_NULL:
            return null
        case Operator.NOT_NULL:
            return exp.Not(this=null)
        case Operator.IN:
            return exp.In(this=column, expressions=values)
        case Operator.NOT_IN:
            return exp.Or(
                this=exp.Not(this=exp.In(this=column, expressions=values)), expression=null
            )
        case Operator.NE:
            return exp.Or(this=exp.NEQ(this=column, expression=values[0]), expression=null)
        case Operator.CONTAINS | Operator.STARTS_WITH | Operator.ENDS_WITH:
            name = _PATTERNS[predicate.operator]
            return exp.func(name, exp.Lower(this=column), exp.Lower(this=values[0]))
        case operator:
            return _COMPARISONS[operator](this=column, expression=values[0])


def _literal(value: Scalar) -> exp.Expr:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int | float):
        number = int(value) if float(value).is_integer() else value
        return exp.Literal.number(number)
    if isinstance(value, str):
        return exp.Literal.string(value)
    return exp.cast(exp.Literal.string(value.isoformat()), "date")
