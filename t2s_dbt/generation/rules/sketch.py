"""What a cover of a question says, before anyone knows which column a word means."""

from dataclasses import dataclass, field

from t2s_dbt.generation.rules.chart import Item
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import Operator, Period


class Unreadable(Exception):
    """A cover that says nothing consistent; its text is the reason a person may be told."""


@dataclass(frozen=True, slots=True, eq=False)
class RelatedNoun:
    """Things or events that the subject has, or has none of: `with returns`, `who never
    ordered`.
    """

    item: Item
    negated: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A condition on the attribute that an item names, or that holds the value an item names.

    `within` is the related noun that stands before it and may be what it is a condition on;
    `either` the condition that an "or" ties it to.
    """

    item: Item
    operator: Operator = Operator.EQ
    numbers: tuple[float, ...] = ()
    percent: bool = False
    text: str = ""
    negated: bool = False
    within: RelatedNoun | None = None
    either: "Condition | None" = None
    joined: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TimeCondition:
    """A period; `role` names its date when the question does, `after` is the noun before it."""

    period: Period
    role: Item | None = None
    within: RelatedNoun | None = None
    after: Item | None = None


@dataclass
class Sketch:
    """Items by the part they play."""

    metrics: list[Item] = field(default_factory=list)
    counts: list[Item] = field(default_factory=list)
    distinct_counts: list[Item] = field(default_factory=list)
    counted: list[Item] = field(default_factory=list)
    aggregates: list[tuple[Aggregate, Item]] = field(default_factory=list)
    groups: list[Item] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    times: list[TimeCondition] = field(default_factory=list)
    related: list[RelatedNoun] = field(default_factory=list)
    contexts: list[Item] = field(default_factory=list)
    shown: list[Item] = field(default_factory=list)
    subject: Item | None = None
    order: Item | None = None
    descending: bool | None = None
    limit: int | None = None
    superlative: bool = False
    newest: bool = False
    counted_metrics: list[Item] = field(default_factory=list)
    amounts: list[Item] = field(default_factory=list)
    metric_aggregates: list[tuple[Aggregate, Item]] = field(default_factory=list)
    listed: bool = False
    asks_time: bool = False
    trend: bool = False
