"""The logical form of a question: what a reader of it understood, with types.

A `Reading` is what the offline provider searches for, what becomes a metric query or SQL, what is
told back in English with every answer, and what says which words were left over.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from t2s_dbt.catalog import Attribute
from t2s_dbt.kinds import Aggregate

Scalar = str | int | float | bool | date


class Operator(StrEnum):
    """How an attribute is compared."""

    EQ = "="
    NE = "<>"
    IN = "in"
    NOT_IN = "not in"
    GT = ">"
    GE = ">="
    LT = "<"
    LE = "<="
    CONTAINS = "contains"
    STARTS_WITH = "starts with"
    ENDS_WITH = "ends with"
    IS_NULL = "is null"
    NOT_NULL = "is not null"


class Grain(StrEnum):
    """Calendar grains, named as MetricFlow names them."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class Measure:
    """Something to compute: a metric by name, or an aggregate over an attribute or a table's
    rows.
    """

    metric: str | None = None
    aggregate: Aggregate | None = None
    attribute: Attribute | None = None
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """One part of the result's key: an attribute, or time cut to a grain.

    `grain` is a `Grain`'s value or a custom grain of the project's time spine; an `attribute` of
    None with a grain is the measures' own time.
    """

    attribute: Attribute | None = None
    grain: str | None = None


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on an attribute; `values` has one member, or several for IN and NOT IN."""

    attribute: Attribute
    operator: Operator
    values: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `start` to `end`, both included; None leaves that side open."""

    start: date | None
    end: date | None
    words: str = ""

    @property
    def after_end(self) -> date | None:
        """The first day that is no longer in it."""
        return self.end + timedelta(days=1) if self.end else None


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """A period on a time attribute; None is the measures' own time."""

    period: Period
    attribute: Attribute | None = None


@dataclass(frozen=True, slots=True)
class Related:
    """A condition that rows of another table exist, or that none do."""

    table: str
    negated: bool = False
    filters: tuple[Predicate, ...] = ()
    times: tuple[TimeFilter, ...] = ()


@dataclass(frozen=True, slots=True)
class Having:
    """A condition on a measure after grouping."""

    measure: Measure
    operator: Operator
    value: float


@dataclass(frozen=True, slots=True)
class Order:
    """What the rows are sorted by: one of the reading's measures, or an attribute."""

    measure: Measure | None = None
    attribute: Attribute | None = None
    descending: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole meaning of a question.

    `subject` is the table that is listed or counted when no metric is asked; `shown` are the
    attributes of a list. `superlative` marks "which … the most", whose answer is one row in a
    sentence.
    """

    measures: tuple[Measure, ...] = ()
    groups: tuple[Grouping, ...] = ()
    filters: tuple[Predicate, ...] = ()
    times: tuple[TimeFilter, ...] = ()
    related: tuple[Related, ...] = ()
    having: tuple[Having, ...] = ()
    subject: str | None = None
    shown: tuple[Attribute, ...] = ()
    distinct: bool = False
    order: Order | None = None
    limit: int | None = None
    superlative: bool = False
    assumptions: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def rows_needed(self) -> int | None:
        """The rows to ask for: of a ranking one more than is shown, so that a tie can be told."""
        ranks = self.order is not None and self.order.measure is not None
        return self.limit + 1 if self.limit is not None and ranks else self.limit

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics it computes."""
        return tuple(m.metric for m in self.measures if m.metric is not None)
