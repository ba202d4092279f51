"""Whether two results are the same: rows as a multiset, columns by content, numbers within a
tolerance.

Rows count in any order unless `ordered`. Columns are matched by what they hold, not by name.
*Strict* wants the same number of columns; *lenient* allows the result to have more than the gold.
"""

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

RELATIVE, ABSOLUTE = 1e-4, 0.005
MOST_TRIES = 20_000

Row = Sequence[Any]


def same_result(
    predicted: Sequence[Row], gold: Sequence[Row], *, ordered: bool, lenient: bool = True
) -> bool:
    """Whether `predicted` holds what `gold` does."""
    if len(predicted) != len(gold):
        return False
    if not gold:
        return True
    width, gold_width = len(predicted[0]), len(gold[0])
    if width < gold_width or (not lenient and width != gold_width):
        return False
    return _Matcher(predicted, gold, ordered=ordered).match()


class _Matcher:
    """Looks for a predicted column for each gold column, such that the rows agree."""

    def __init__(self, predicted: Sequence[Row], gold: Sequence[Row], *, ordered: bool) -> None:
        self._predicted = [[_plain(value) for value in row] for row in predicted]
        self._gold = [[_plain(value) for value in row] for row in gold]
        self._ordered = ordered
        self._tries = 0

    def match(self) -> bool:
        """Whether some choice of columns makes the rows agree."""
        columns = list(zip(*self._predicted, strict=True))
        options = [
            [place for place, column in enumerate(columns) if _may_be(column, gold)]
            for gold in zip(*self._gold, strict=True)
        ]
        return all(options) and self._choose(options, [])

    def _choose(self, options: list[list[int]], chosen: list[int]) -> bool:
        self._tries += 1
        if len(chosen) == len(options):
            return self._rows_agree(chosen)
        return any(
            self._choose(options, [*chosen, place])
            for place in options[len(chosen)]
            if place not in chosen and self._tries < MOST_TRIES
        )

    def _rows_agree(self, chosen: list[int]) -> bool:
        picked = [[row[place] for place in chosen] for row in self._predicted]
        if self._ordered:
            return all(_rows_equal(a, b) for a, b in zip(picked, self._gold, strict=True))
        return _same_rows(picked, self._gold)


def _same_rows(ours: list[list[Any]], theirs: list[list[Any]]) -> bool:
    """Whether each row has a partner: rows that agree but for their numbers are paired greedily."""
    waiting: dict[tuple[Any, ...], list[list[Any]]] = {}
    for row in theirs:
        waiting.setdefault(_without_numbers(row), []).append(row)
    for row in sorted(ours, key=_numbers):
        partners = waiting.get(_without_numbers(row), [])
        near = min(
            (other for other in partners if _rows_equal(row, other)),
            key=lambda other: _distance(row, other),
            default=None,
        )
        if near is None:
            return False
        partners.remove(near)
    return True


def _without_numbers(row: Row) -> tuple[Any, ...]:
    return tuple("number" if isinstance(value, float) else str(value) for value in row)


def _numbers(row: Row) -> list[float]:
    return [value for value in row if isinstance(value, float)]


def _distance(one: Row, other: Row) -> float:
    pairs = zip(_numbers(one), _numbers(other), strict=True)
    return sum(abs(a - b) for a, b in pairs if not math.isnan(a))


def _plain(value: Any) -> Any:
    """Values that mean the same, as one: decimals as floats, midnight as its day."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.date() if value.time() == value.min.time() else value.replace(tzinfo=None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return float(value)


def _may_be(column: Sequence[Any], gold: Sequence[Any]) -> bool:
    """Whether two columns hold the same values, whatever the order; a cheap test before the
    exact one.
    """
    ours, theirs = Counter(map(_coarse, column)), Counter(map(_coarse, gold))
    return ours == theirs or _sums_agree(column, gold)


def _coarse(value: Any) -> str:
    return f"{value:.2g}" if isinstance(value, float) else repr(value)


def _sums_agree(column: Sequence[Any], gold: Sequence[Any]) -> bool:
    ours = [value for value in column if isinstance(value, float)]
    theirs = [value for value in gold if isinstance(value, float)]
    if len(ours) != len(theirs) or not ours:
        return False
    return math.isclose(sum(ours), sum(theirs), rel_tol=0.01, abs_tol=ABSOLUTE * len(ours))


def _rows_equal(one: Row, other: Row) -> bool:
    return all(_equal(a, b) for a, b in zip(one, other, strict=True))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        if math.isnan(one) or math.isnan(other):
            return math.isnan(one) and math.isnan(other)
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    if isinstance(one, date) and isinstance(other, date):
        return str(one) == str(other)
    return bool(one == other)
