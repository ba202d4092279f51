"""Chooses which attribute a word means: of those that can be reached, the nearest.

Being reached and near depends on what the question measures or lists, so a `Reach` is made for each
of these: the semantic layer's items for metrics, many-to-one joins from the subject for tables.
"""

from collections.abc import Callable
from dataclasses import dataclass

from t2s_dbt.catalog import Attribute, Catalog
from t2s_dbt.generation.rules.chart import Candidate, Item, Kind
from t2s_dbt.generation.rules.sketch import Unreadable

HOP_COST, DOUBT_COST, FAR_COST = 0.25, 2.0, 0.5
NAMED_BONUS = 0.3
VAGUE = 0.6
TIE = 0.05


@dataclass(frozen=True, slots=True)
class Choice:
    """An attribute for a word, what it costs, and whether it lies on the many side."""

    attribute: Attribute
    candidate: Candidate
    cost: float
    far: bool = False


@dataclass(frozen=True)
class Reach:
    """How far attributes are from what is asked.

    `near` gives the cost of an attribute that belongs to each row, None when there is no such way;
    `far` that of one that rows on the many side have; `reason` is told when a word cannot be
    reached at all; `named` are tables that the question names beside, whose attributes are meant
    first.
    """

    catalog: Catalog
    near: Callable[[Attribute], float | None]
    far: Callable[[Attribute], float | None]
    reason: str
    own: frozenset[str]
    named: frozenset[str] = frozenset()

    def many_side(self, subject: str, table: str) -> int | None:
        """How many joins lead from a subject down to rows that it has; None when it has none
        such.
        """
        if self.catalog.path_to_one(subject, table) is not None:
            return None
        path = self.catalog.path_to_many(subject, table)
        return len(path) if path else None

    def choices(self, item: Item) -> list[Choice]:
        """The nearest attributes that an item may mean: one, or several that are equally near.

        Raises:
            Unreadable: none can be reached.

        """
        found = [choice for c in item.candidates if (choice := self._choice(item, c)) is not None]
        if not found:
            raise Unreadable(f"{self.reason} '{item.text}'")
        nearest = min(choice.cost for choice in found)
        return [choice for choice in found if choice.cost <= nearest + TIE]

    def one(self, item: Item) -> Attribute:
        """The nearest attribute that belongs to each row."""
        near = [choice for choice in self.choices(item) if not choice.far]
        if not near:
            raise Unreadable(f"{self.reason} '{item.text}'")
        return near[0].attribute

    def _choice(self, item: Item, candidate: Candidate) -> Choice | None:
        attribute = candidate.attribute or label_of(candidate.name, self.catalog)
        if attribute is None:
            return None
        if candidate.score < VAGUE and attribute.table not in self.own | self.named:
            return None
        doubt = (1 - candidate.score) * DOUBT_COST
        if attribute.table in self.named:
            doubt -= NAMED_BONUS
        cost = self.near(attribute)
        if cost is not None:
            return Choice(attribute, candidate, cost + doubt)
        far = self.far(attribute) if item.kind is not Kind.TABLE else None
        return None if far is None else Choice(attribute, candidate, far + doubt, far=True)


def label_of(table: str, catalog: Catalog) -> Attribute | None:
    """The attribute by which rows of a table are called."""
    if not catalog.has_table(table):
        return None
    label = catalog.table(table).label
    return Attribute(table, label.name) if label else None


def default_time(table: str, catalog: Catalog) -> Attribute:
    """The time of a table's rows; raises Unreadable when it has none, or several and no default."""
    found = catalog.table(table)
    times = [column.name for column in found.columns if column.kind.is_time]
    name = found.default_time or (times[0] if len(times) == 1 else None)
    if name is None:
        several = (
            "has several dates, and it is not said which one is meant" if times else "has no date"
        )
        raise Unreadable(f"{table} {several}")
    return Attribute(table, name)
