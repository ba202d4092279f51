"""Makes predicates of conditions whose attributes are chosen."""

from collections.abc import Iterable

from t2s_dbt.catalog import Attribute, Catalog
from t2s_dbt.generation.rules.choose import Choice
from t2s_dbt.generation.rules.sketch import Condition, Unreadable
from t2s_dbt.kinds import Kind as ColumnKind
from t2s_dbt.reading import Operator, Predicate, Scalar

_NEGATED = {
    Operator.EQ: Operator.NE,
    Operator.IN: Operator.NOT_IN,
    Operator.GT: Operator.LE,
    Operator.GE: Operator.LT,
    Operator.LT: Operator.GE,
    Operator.LE: Operator.GT,
}
_JOINED = {
    Operator.EQ: Operator.IN,
    Operator.IN: Operator.IN,
    Operator.NE: Operator.NOT_IN,
    Operator.NOT_IN: Operator.NOT_IN,
}
_SHARE_UNITS = frozenset({"percent", "%", "share", "ratio"})
_PERCENT_NAMES = ("percent", "pct", "percentage")


def predicate(condition: Condition, choice: Choice, catalog: Catalog) -> Predicate:
    """The predicate of a condition; raises Unreadable when it does not fit its attribute."""
    attribute = choice.attribute
    operator, values = _comparison(condition, choice, catalog)
    if not condition.negated:
        return Predicate(attribute, operator, values)
    if values == (True,):
        return Predicate(attribute, operator, (False,))
    if operator not in _NEGATED:
        raise Unreadable("that condition cannot be negated yet")
    return Predicate(attribute, _NEGATED[operator], values)


def _comparison(
    condition: Condition, choice: Choice, catalog: Catalog
) -> tuple[Operator, tuple[Scalar, ...]]:
    kind = catalog.kind(choice.attribute)
    if condition.text:
        if kind is not ColumnKind.TEXT:
            raise Unreadable(f"{choice.attribute.name} holds no text")
        return condition.operator, (condition.text,)
    if condition.numbers:
        if kind is not ColumnKind.NUMBER:
            raise Unreadable(f"{choice.attribute.name} holds no numbers")
        return condition.operator, _numbers(condition, choice.attribute, catalog)
    if condition.operator in (Operator.IS_NULL, Operator.NOT_NULL):
        column = catalog.column(choice.attribute)
        if column is not None and column.required:
            raise Unreadable(f"{column.name} is never missing")
        return condition.operator, ()
    if choice.candidate.values:
        many = len(choice.candidate.values) > 1
        return Operator.IN if many else Operator.EQ, choice.candidate.values
    if kind is not ColumnKind.BOOLEAN:
        raise Unreadable(f"it is not said what {choice.attribute.name} should be")
    return Operator.EQ, (True,)


def _numbers(condition: Condition, attribute: Attribute, catalog: Catalog) -> tuple[float, ...]:
    """The numbers in the column's own scale: `20%` is 0.2 of a share, and 20 of a percentage."""
    if not condition.percent:
        return condition.numbers
    column = catalog.column(attribute)
    if column is not None and column.unit in _SHARE_UNITS:
        return condition.numbers
    if any(part in _PERCENT_NAMES for part in attribute.name.lower().split("_")):
        return tuple(round(number * 100, 9) for number in condition.numbers)
    raise Unreadable(f"it is not known whether {attribute.name} holds shares or percentages")


def check_either(condition: Condition, chosen: dict[int, Choice]) -> None:
    """Raises Unreadable for an "or" that is not between values of one column."""
    other = condition.either
    if other is None:
        return
    one, two = chosen[id(condition.item)], chosen[id(other.item)]
    alike = one.attribute == two.attribute and condition.negated == other.negated
    values = one.candidate.values and two.candidate.values
    if not (alike and values):
        raise Unreadable("an 'or' is read between values of one column only")


def check_joined(
    condition: Condition, before: Iterable[Condition], chosen: dict[int, Choice]
) -> None:
    """Raises Unreadable for two values of one column that are not joined, one right behind the
    other.

    `in A with X and in B with Y` is no `in A or B with X or Y`.
    """
    if condition.negated or not chosen[id(condition.item)].candidate.values:
        return
    attribute = chosen[id(condition.item)].attribute
    choices = [chosen[id(other.item)] for other in before]
    alike = [c.attribute == attribute and bool(c.candidate.values) for c in choices]
    if any(alike) and not (condition.joined and alike[-1]):
        raise Unreadable(f"two values of {attribute.name} stand apart")


def merged(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Equalities on one attribute as one IN: on one column `or` is meant, across columns `and`."""
    kept: dict[tuple[Attribute, Operator | int], Predicate] = {}
    for position, one in enumerate(predicates):
        many = _JOINED.get(one.operator)
        key = (one.attribute, many or position)
        known = kept.get(key)
        if known and many:
            values = tuple(dict.fromkeys((*known.values, *one.values)))
            kept[key] = Predicate(one.attribute, many, values)
        else:
            kept[key] = one
    return tuple(kept.values())
