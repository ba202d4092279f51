"""Conditions that rows of another table exist for a row of the subject, or that none do.

`customers with returns`, `who never ordered Shoes`, `stores with returns in December`: the noun or
event names a table on the many side, and what stands behind it may be a condition on those rows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from t2s_dbt.catalog import Attribute
from t2s_dbt.generation.rules.chart import Candidate
from t2s_dbt.generation.rules.choose import Choice, Reach, default_time
from t2s_dbt.generation.rules.conditions import merged, predicate
from t2s_dbt.generation.rules.sketch import Condition, RelatedNoun, TimeCondition, Unreadable
from t2s_dbt.reading import Operator, Predicate, Related, TimeFilter

Inside = Iterable[tuple[Condition, Choice]]


@dataclass
class _Rows:
    """The rows of one table that must exist, or must not."""

    table: str
    negated: bool = False
    date: Attribute | None = None
    filters: list[Predicate] = field(default_factory=list)
    times: list[TimeFilter] = field(default_factory=list)


class RelatedRows:
    """Gathers the related rows of one frame."""

    def __init__(self, reach: Reach, subject: str | None) -> None:
        self._reach, self._subject, self._catalog = reach, subject, reach.catalog
        self._by_noun: dict[int, _Rows] = {}
        self._by_table: dict[str, _Rows] = {}

    def made(self) -> tuple[Related, ...]:
        """The conditions, once everything was given to them."""
        for table, own in list(self._by_table.items()):
            lower = next((t for t in self._by_table if t != table and self._leads(t, table)), None)
            if lower is not None:  # one row's conditions, not those of two
                self._by_table[lower].filters += own.filters
                self._by_table[lower].times += own.times
                del self._by_table[table]
            elif not self._is_below(table):
                raise Unreadable("I do not see what the subject has to do with that value")
        rows = [*self._by_noun.values(), *self._by_table.values()]
        return tuple(Related(r.table, r.negated, merged(r.filters), tuple(r.times)) for r in rows)

    def _is_below(self, table: str) -> bool:
        """Whether only joins down to the many side lead to a table; else it must be named by
        what.
        """
        here = self._subject or ""
        for join in self._catalog.path_to_many(here, table) or ():
            if join.one.table != here:
                return False
            here = join.many.table
        return True

    def _leads(self, start: str, goal: str) -> bool:
        return self._catalog.path_to_one(start, goal) is not None

    def nouns(
        self, nouns: Iterable[RelatedNoun], inside: Inside, times: Iterable[TimeCondition]
    ) -> Iterator[Predicate]:
        """Opens the rows of each related noun; one that is the subject's own column is a predicate.

        `orders without a promotion`: an order has at most one, so its key is missing.
        """
        far = [
            (condition.within, choice.attribute.table) for condition, choice in inside if choice.far
        ]
        dated = {id(time.role) for time in times}
        for noun in nouns:
            if self._subject is None:
                raise Unreadable("other tables' rows are no condition on a metric")
            needed = {table for within, table in far if within is noun}
            own = self._own(noun)
            if own is None:
                candidate, table = self._nearest(noun, needed)
                self._by_noun[id(noun)] = _Rows(table, noun.negated, candidate.attribute)
            elif needed:
                raise Unreadable("a condition on what a row belongs to is not read there")
            elif id(noun.item) not in dated:
                yield Predicate(own, Operator.IS_NULL if noun.negated else Operator.NOT_NULL)
            elif noun.negated:
                raise Unreadable("a period on a date that is negated is not read yet")

    def _own(self, noun: RelatedNoun) -> Attribute | None:
        """The subject's own column for a noun: the key of what it belongs to, or a date."""
        assert self._subject is not None
        for candidate in noun.item.candidates:
            if candidate.attribute is not None:
                if self._reach.near(candidate.attribute) is not None:
                    return candidate.attribute
                continue
            path = self._catalog.path_to_one(self._subject, candidate.name)
            if path is not None and len(path) == 1:
                return path[0].many
        return None

    def _nearest(self, noun: RelatedNoun, needed: set[str]) -> tuple[Candidate, str]:
        """The nearest table that a noun names, from which all that it is conditioned on is
        reached.
        """
        assert self._subject is not None
        found: list[tuple[float, str, Candidate]] = []
        for candidate in noun.item.candidates:
            table = candidate.name or (candidate.attribute.table if candidate.attribute else "")
            distance = self._reach.many_side(self._subject, table)
            reaches = all(self._catalog.path_to_one(table, other) is not None for other in needed)
            if distance is not None and reaches:
                found.append((distance - candidate.score, table, candidate))
        if not found:
            raise Unreadable(f"I do not see how {self._subject} and that belong together")
        _, table, candidate = min(found, key=lambda entry: entry[:2])
        return candidate, table

    def add_filter(self, condition: Condition, choice: Choice) -> None:
        """Gives a condition to the related noun before it, or to rows of its own table."""
        rows = self._by_noun.get(id(condition.within))
        if rows is None:
            if condition.negated or condition.either is not None:
                raise Unreadable("it is not said whether none or not all are meant")
            table = choice.attribute.table
            if table not in self._reach.named:
                raise Unreadable(f"it is not said what of {self._subject} is meant")
            rows = self._by_table.setdefault(table, _Rows(table))
        elif self._catalog.path_to_one(rows.table, choice.attribute.table) is None:
            raise Unreadable(f"{choice.attribute} is no condition on {rows.table}")
        made = predicate(condition, choice, self._catalog)
        if any(made.attribute == other.attribute for other in rows.filters) and condition.joined:
            raise Unreadable("it is not said whether one of them or each of them must be there")
        rows.filters.append(made)

    def takes(self, time: TimeCondition, table_before: str | None) -> bool:
        """Whether a period is about related rows; then it is given to them."""
        rows = self._by_noun.get(id(time.within))
        if rows is None and time.role is None and time.within is None and table_before:
            rows = self._by_table.get(table_before)
        if rows is None:
            return False
        if rows.times:
            raise Unreadable("two periods of the same rows are not read yet")
        date = rows.date if time.role is not None else None
        rows.times.append(TimeFilter(time.period, date or default_time(rows.table, self._catalog)))
        return True
