"""What readings of metrics and of tables share: groupings, conditions and periods, resolved."""

from collections.abc import Iterable, Iterator
from itertools import islice, product

from t2s_dbt.catalog import Attribute
from t2s_dbt.generation.rules.chart import Item, Kind
from t2s_dbt.generation.rules.choose import FAR_COST, Choice, Reach, default_time
from t2s_dbt.generation.rules.conditions import check_either, check_joined, merged, predicate
from t2s_dbt.generation.rules.related import RelatedRows
from t2s_dbt.generation.rules.sketch import Sketch, TimeCondition, Unreadable
from t2s_dbt.reading import Grouping, Predicate, Reading, TimeFilter

MOST_FRAMES = 6


def frames(sketch: Sketch, reach: Reach, subject: str | None) -> Iterator[tuple[Reading, float]]:
    """Readings without their measures, each with its cost: one for each way to settle a tie.

    Raises:
        Unreadable: no way to settle makes sense; with the first reason.
    """
    slots = [item for item in sketch.groups if item.kind is not Kind.GRAIN]
    slots += [condition.item for condition in sketch.conditions]
    slots += [time.role for time in sketch.times if time.role and time.within is None]
    options = [reach.choices(item) for item in slots]
    reasons: list[Unreadable] = []
    found = False
    for picked in islice(product(*options), MOST_FRAMES):
        chosen = dict(zip(map(id, slots), picked, strict=True))
        try:
            reading = _Frame(sketch, reach, chosen, subject).reading(picked)
        except Unreadable as unreadable:
            reasons.append(unreadable)
            continue
        found = True
        yield reading, sum(c.cost for c in picked) + FAR_COST * len(reading.related)
    if not found and reasons:
        raise reasons[0]


class _Frame:
    """One way to settle which attribute each word means."""

    def __init__(
        self, sketch: Sketch, reach: Reach, chosen: dict[int, Choice], subject: str | None
    ) -> None:
        self._sketch, self._reach, self._subject = sketch, reach, subject
        self._catalog, self._chosen = reach.catalog, chosen

    def reading(self, picked: Iterable[Choice]) -> Reading:
        """The reading that this choice of attributes gives."""
        sketch = self._sketch
        rows = RelatedRows(self._reach, self._subject)
        for place, condition in enumerate(sketch.conditions):
            check_either(condition, self._chosen)
            check_joined(condition, sketch.conditions[:place], self._chosen)
        inside = [(c, self._chosen[id(c.item)]) for c in sketch.conditions]
        own = [*rows.nouns(sketch.related, inside, sketch.times)]
        filters = [*self._filters(rows), *own]
        times = [*self._times(rows)]
        return Reading(
            groups=tuple(self._groups()),
            filters=merged(filters),
            times=tuple(times),
            related=rows.made(),
            limit=1 if sketch.limit is None and self._singles_out() else sketch.limit,
            superlative=sketch.superlative,
            assumptions=tuple(_assumptions(picked)),
        )

    def _singles_out(self) -> bool:
        sketch = self._sketch
        return sketch.superlative and (sketch.order is not None or bool(sketch.groups))

    def _groups(self) -> Iterator[Grouping]:
        """Groupings; rows of a table by key and name, where the name alone would mix namesakes."""
        for item in self._sketch.groups:
            if item.kind is Kind.GRAIN:
                yield Grouping(grain=item.grain)
                continue
            choice = self._chosen[id(item)]
            attribute = choice.attribute
            if choice.far:
                raise Unreadable("a grouping on the many side would count rows repeatedly")
            if self._catalog.kind(attribute).is_time:
                raise Unreadable(f"it is not said by which periods of {attribute.name} to group")
            if item.kind is Kind.TABLE:
                yield from self._key(attribute)
            yield Grouping(attribute)

    def _key(self, label: Attribute) -> Iterator[Grouping]:
        table = self._catalog.table(label.table)
        column = table.column(label.name)
        if table.key and column and not column.unique:
            key = Attribute(table.name, table.key.name)
            if self._reach.near(key) is not None:
                yield Grouping(key)

    def _filters(self, rows: RelatedRows) -> Iterator[Predicate]:
        """The conditions on the rows themselves; those on related rows go there."""
        for condition in self._sketch.conditions:
            choice = self._chosen[id(condition.item)]
            if choice.far:
                rows.add_filter(condition, choice)
            else:
                yield predicate(condition, choice, self._catalog)

    def _times(self, rows: RelatedRows) -> Iterator[TimeFilter]:
        """The periods on the rows themselves; those on related rows go there."""
        plain = 0
        for time in self._sketch.times:
            if rows.takes(time, self._table_after(time)):
                continue
            plain += 1
            if plain > 1:
                raise Unreadable("two periods are not compared yet")
            yield TimeFilter(time.period, self._date(time))

    def _table_after(self, time: TimeCondition) -> str | None:
        """The table of the noun that stands before a period."""
        noun = time.after
        if noun is None:
            return None
        if noun.kind is Kind.TABLE:
            return noun.candidates[0].name
        choice = self._chosen.get(id(noun)) or self._chosen_for(noun)
        return choice.attribute.table if choice else None

    def _chosen_for(self, noun: Item) -> Choice | None:
        """The choice for a noun whose item was narrowed after it was seen."""
        for condition in self._sketch.conditions:
            if (condition.item.first, condition.item.last) == (noun.first, noun.last):
                return self._chosen[id(condition.item)]
        return None

    def _date(self, time: TimeCondition) -> Attribute | None:
        """The date that a period on the rows themselves is about; None is the metrics' own."""
        if time.role is None:
            return default_time(self._subject, self._catalog) if self._subject else None
        if time.within is not None:
            return self._reach.one(time.role)
        choice = self._chosen[id(time.role)]
        if choice.far:
            raise Unreadable(f"{choice.attribute} is no date of what is asked")
        return choice.attribute


def _assumptions(picked: Iterable[Choice]) -> Iterator[str]:
    for choice in picked:
        if choice.candidate.evidence.startswith("close to "):
            shown = ", ".join(choice.candidate.values)
            yield f"'{shown}' is what the question's spelling is closest to"
