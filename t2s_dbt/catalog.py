"""The nouns: what a project's tables, columns, joins, metrics, dimensions and terms are.

A `Catalog` is made once by `project/`, after policy has taken out what is hidden, and never
changes.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from t2s_dbt.kinds import Aggregate, Kind, kind_of


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """A table or view as the database names it."""

    database: str | None
    schema: str
    identifier: str

    def __str__(self) -> str:
        return ".".join(part for part in (self.database, self.schema, self.identifier) if part)

    @property
    def key(self) -> tuple[str, str]:
        """Schema and identifier, lower-cased: what two spellings of one relation share."""
        return self.schema.lower(), self.identifier.lower()


@dataclass(frozen=True, slots=True)
class Location:
    """Where in the project something is defined; `path` is relative to the project folder."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(frozen=True, slots=True, order=True)
class Attribute:
    """A column of a table, or a dimension that is computed over it."""

    table: str
    name: str

    def __str__(self) -> str:
        return f"{self.table}.{self.name}"


@dataclass(frozen=True, slots=True)
class Column:
    """One visible column of a table; one that is `required` is never NULL, by its tests."""

    name: str
    data_type: str | None = None
    description: str = ""
    synonyms: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    unit: str | None = None
    unique: bool = False
    required: bool = False

    @property
    def kind(self) -> Kind:
        """What sort of values it holds."""
        return kind_of(self.data_type)


class Layer(StrEnum):
    """How near a table is to the people who ask; earlier is nearer."""

    MART = "mart"
    STAGING = "staging"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Table:
    """A model, seed, snapshot or source.

    One that is not `askable` (a calendar, a private model) is read by metrics only. Where
    `columns_known` is False, only the YAML has been seen: there may be more columns.
    """

    name: str
    unique_id: str
    relation: Relation
    columns: tuple[Column, ...] = ()
    description: str = ""
    synonyms: tuple[str, ...] = ()
    layer: Layer = Layer.MART
    default_time: str | None = None
    location: Location | None = None
    askable: bool = True
    columns_known: bool = True

    def column(self, name: str) -> Column | None:
        """The column of that name, in any case."""
        wanted = name.lower()
        return next((column for column in self.columns if column.name.lower() == wanted), None)

    @property
    def keys(self) -> tuple[Column, ...]:
        """Columns whose values the project's tests say are unique."""
        return tuple(column for column in self.columns if column.unique)

    @property
    def key(self) -> Column | None:
        """The column that identifies a row: unique, and an id where there are several."""
        return min(
            self.keys, key=lambda c: not c.name.lower().endswith(("id", "key")), default=None
        )

    @property
    def label(self) -> Column | None:
        """The text column by which people call a row: its name or title."""
        texts = [column for column in self.columns if column.kind is Kind.TEXT]
        for ending in ("name", "title", "label"):
            named = [c for c in texts if c.name.lower().split("_")[-1] == ending]
            if named:
                return min(named, key=lambda c: len(c.name))
        return None


@dataclass(frozen=True, slots=True)
class Join:
    """Many rows of `many` belong to at most one row of `one`."""

    many: Attribute
    one: Attribute
    evidence: str


class MetricType(StrEnum):
    """MetricFlow's kinds of metric."""

    SIMPLE = "simple"
    RATIO = "ratio"
    DERIVED = "derived"
    CUMULATIVE = "cumulative"
    CONVERSION = "conversion"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of the semantic layer.

    `models` are the tables whose rows it is made of, `reads` those and the ones that its filters
    look into; `filters` the conditions its definition, and
    those of its inputs, put on them; `counts` the table it counts the rows of, when that is all it
    does. One that `looks_back` (cumulative, offset, conversion) reads rows from before the period
    it is shown for; `aggregate` is how a simple metric makes one value of many.
    """

    name: str
    type: MetricType
    label: str = ""
    description: str = ""
    synonyms: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    unit: str | None = None
    filters: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    time: Attribute | None = None
    location: Location | None = None
    counts: str | None = None
    shows_period_start: bool = False
    looks_back: bool = False
    aggregate: Aggregate | None = None
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dimension:
    """A dimension of a semantic model; `column` is set when it is a plain column of its table."""

    name: str
    table: str
    semantic_model: str
    is_time: bool = False
    grain: str | None = None
    column: str | None = None
    label: str = ""
    description: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def attribute(self) -> Attribute:
        """Its column, or itself where it is computed."""
        return Attribute(self.table, self.column or self.name)


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing that rows are about; `table` and `column` are where it is the primary key."""

    name: str
    table: str
    column: str | None = None


class TermMeaning(StrEnum):
    """The one thing a glossary term may mean."""

    METRIC = "metric"
    DIMENSION = "dimension"
    MODEL = "model"
    COLUMN = "column"
    FILTER = "filter"
    EXPRESSION = "expression"
    VALUE = "value"
    INSTRUCTION = "instruction"


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the business and what it means here.

    `target` is a metric, dimension (`entity__name`), model or `model.column`; `text` is the SQL of
    a filter or expression over `target`, the value of a value term, or an instruction.
    """

    name: str
    meaning: TermMeaning
    target: str = ""
    text: str = ""
    synonyms: tuple[str, ...] = ()
    definition: str = ""
    owner: str = ""
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class HiddenColumn:
    """A column that policy took out, and by which rule; for `debug` and the second wall only."""

    relation: Relation
    table: str
    column: str
    reason: str


@dataclass(frozen=True)
class Catalog:
    """Everything a question may speak of, and the record of what it may not.

    `withheld` names the models and metrics that policy or the audience keeps back.
    """

    tables: tuple[Table, ...] = ()
    joins: tuple[Join, ...] = ()
    metrics: tuple[Metric, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    entities: tuple[Entity, ...] = ()
    terms: tuple[Term, ...] = ()
    fiscal_grains: tuple[str, ...] = ()
    hidden: tuple[HiddenColumn, ...] = ()
    withheld: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _names: Mapping[str, Table] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_names", {table.name: table for table in self.tables})

    def table(self, name: str) -> Table:
        """The table of that model name; KeyError when there is none."""
        return self._names[name]

    def has_table(self, name: str) -> bool:
        """Whether a table of that name can be asked."""
        return name in self._names

    def column(self, attribute: Attribute) -> Column | None:
        """The column behind an attribute; None when it is a computed dimension."""
        table = self._names.get(attribute.table)
        return table.column(attribute.name) if table else None

    def kind(self, attribute: Attribute) -> Kind:
        """What sort of values an attribute holds."""
        column = self.column(attribute)
        if column is not None:
            return column.kind
        timely = any(d.is_time and d.attribute == attribute for d in self.dimensions)
        return Kind.DATE if timely else Kind.TEXT

    def metric(self, name: str) -> Metric:
        """The metric of that name; KeyError when there is none."""
        return self._metrics[name]

    @cached_property
    def _metrics(self) -> dict[str, Metric]:
        return {metric.name: metric for metric in self.metrics}

    @cached_property
    def askable(self) -> "Catalog":
        """The same catalog with only the tables that free SQL may read."""
        return self.narrowed(table.name for table in self.tables if table.askable)

    @cached_property
    def by_relation(self) -> dict[tuple[str, str], Table]:
        """Tables by schema and identifier, lower-cased."""
        return {table.relation.key: table for table in self.tables}

    @cached_property
    def hidden_columns(self) -> dict[tuple[str, str], frozenset[str]]:
        """Lower-cased names of hidden columns by relation key."""
        found: dict[tuple[str, str], set[str]] = {}
        for hidden in self.hidden:
            found.setdefault(hidden.relation.key, set()).add(hidden.column.lower())
        return {key: frozenset(names) for key, names in found.items()}

    @cached_property
    def hidden_names(self) -> frozenset[str]:
        """Lower-cased names that only hidden columns have."""
        visible = {column.name.lower() for table in self.tables for column in table.columns}
        return frozenset(hidden.column.lower() for hidden in self.hidden) - visible

    @cached_property
    def _neighbours(self) -> dict[str, list[tuple[Join, bool]]]:
        around: dict[str, list[tuple[Join, bool]]] = {}
        for join in self.joins:
            around.setdefault(join.many.table, []).append((join, True))
            around.setdefault(join.one.table, []).append((join, False))
        return around

    def path_to_one(self, start: str, goal: str, limit: int = 3) -> tuple[Join, ...] | None:
        """The shortest chain of many-to-one joins from `start` to `goal`; None when there is none.

        Following only that direction never repeats a row of `start`.
        """
        return self._search(start, goal, limit, towards_one_only=True)

    def path(self, start: str, goal: str, limit: int = 4) -> tuple[Join, ...] | None:
        """The shortest chain of joins in any direction; it may repeat rows of `start`."""
        return self._search(start, goal, limit, towards_one_only=False)

    def path_to_many(self, start: str, goal: str, limit: int = 4) -> tuple[Join, ...] | None:
        """The shortest chain that goes down to the many side first, and then only from many to one.

        It leads to what a row of `start` has: a customer's orders, their items, these items'
        products.
        """
        queue: deque[tuple[str, tuple[Join, ...], bool]] = deque([(start, (), True)])
        seen = {(start, True)}
        while queue:
            here, path, going_down = queue.popleft()
            if here == goal and path:
                return path
            for join, to_one in self._neighbours.get(here, ()) if len(path) < limit else ():
                there = join.one.table if to_one else join.many.table
                allowed = (to_one and path) or (going_down and not to_one)
                state = (there, not to_one)
                if allowed and there != start and state not in seen:
                    seen.add(state)
                    queue.append((there, (*path, join), not to_one))
        return None

    def _search(
        self, start: str, goal: str, limit: int, *, towards_one_only: bool
    ) -> tuple[Join, ...] | None:
        seen = {start}
        queue: deque[tuple[str, tuple[Join, ...]]] = deque([(start, ())])
        while queue:
            here, path = queue.popleft()
            if here == goal:
                return path
            if len(path) == limit:
                continue
            for join, to_one in self._neighbours.get(here, ()):
                there = join.one.table if to_one else join.many.table
                if there not in seen and (to_one or not towards_one_only):
                    seen.add(there)
                    queue.append((there, (*path, join)))
        return None

    def narrowed(self, names: Iterable[str]) -> "Catalog":
        """The same catalog with only these tables, their joins, and the metrics that read them."""
        kept = set(names)
        return Catalog(
            tables=tuple(table for table in self.tables if table.name in kept),
            joins=tuple(j for j in self.joins if j.many.table in kept and j.one.table in kept),
            metrics=tuple(m for m in self.metrics if kept.issuperset(m.models)),
            dimensions=tuple(d for d in self.dimensions if d.table in kept),
            entities=tuple(entity for entity in self.entities if entity.table in kept),
            terms=self.terms,
            fiscal_grains=self.fiscal_grains,
            hidden=self.hidden,
            withheld=self.withheld,
            notes=self.notes,
        )
