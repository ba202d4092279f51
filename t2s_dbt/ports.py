"""What the steps need of each other, as protocols: they meet here and never import one another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from t2s_dbt.catalog import Attribute, Relation
from t2s_dbt.flow import (
    Attempt,
    CheckedSql,
    Failure,
    ItemKind,
    Linked,
    MetricQuery,
    Proposal,
    ProposedBy,
    Rows,
)


@dataclass(frozen=True, slots=True)
class GroupByItem:
    """Something that some metrics can be grouped or filtered by.

    `name` is MetricFlow's (`order__customer__country`, without a grain), `attribute` the column
    behind it, `hops` how many entities it leads over, `grains` what a time item can be cut to.
    """

    name: str
    attribute: Attribute | None
    kind: ItemKind
    hops: int
    grains: tuple[str, ...] = ()


class SemanticLayer(Protocol):
    """What can be grouped by what, and the SQL of a metric query."""

    def group_bys(self, metrics: Sequence[str]) -> tuple[GroupByItem, ...]:
        """The items that all these metrics can be grouped by; empty when they share none."""
        ...

    def compile(self, query: MetricQuery) -> str | Failure:
        """The query as MetricFlow writes it."""
        ...


class Provider(Protocol):
    """Turns a linked question into a proposal; a later call sees what became of the earlier
    ones.
    """

    name: str
    proposed_by: ProposedBy

    def propose(self, linked: Linked, attempts: tuple[Attempt, ...]) -> Proposal:
        """The next proposal. Never raises for a question it can't read: that is a Refusal."""
        ...


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What a column holds: distinct values, most frequent first; None when there are too many."""

    values: tuple[str, ...] | None


class Warehouse(Protocol):
    """The database, as far as the product may reach it."""

    def describe(self, relations: Iterable[Relation]) -> Mapping[Relation, Mapping[str, str]]:
        """Column names and type names of each relation that exists."""
        ...

    def profile(
        self, columns: Mapping[Relation, Sequence[str]], most: int
    ) -> Mapping[Relation, Mapping[str, ColumnProfile]]:
        """The distinct values of text columns of some relations, up to `most` of them each."""
        ...

    def state(self) -> str:
        """A text that changes whenever the data may have."""
        ...

    def explain(self, checked: CheckedSql) -> str | Failure:
        """The database's plan for a checked query, which is not run."""
        ...

    def run(self, checked: CheckedSql) -> Rows | Failure:
        """The rows of a checked query, within the budgets the warehouse was opened with."""
        ...


class Cache(Protocol):
    """Where derived things are kept between asks; values are what JSON can hold."""

    def get(self, name: str) -> Any:
        """The value kept under a name; None when there is none."""
        ...

    def put(self, name: str, value: Any) -> None:
        """Keeps a value."""
        ...


class Trace(Protocol):
    """Where asks are recorded."""

    def record(self, entry: Mapping[str, Any]) -> str | None:
        """Appends one entry; returns why it could not, or None."""
        ...
