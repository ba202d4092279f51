"""Whether two results are the same, whatever the order of rows and columns."""

import random
import time
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2s_dbt.evaluation.compare import same_result

Rows = list[tuple[Any, ...]]

_NUMBERS = st.integers(-1000, 1000) | st.sampled_from([0.5, 1.25, -3.75, 1e6])
_VALUES = st.none() | st.booleans() | _NUMBERS | st.sampled_from(["a", "b", "", "1"])
_DAYS = st.dates(date(2020, 1, 1), date(2020, 1, 5))


@st.composite
def _tables(draw: st.DrawFn) -> Rows:
    width = draw(st.integers(1, 4))
    row = st.tuples(*[_VALUES | _DAYS for _ in range(width)])
    return draw(st.lists(row, min_size=1, max_size=8))


def _same(one: Rows, other: Rows, *, ordered: bool = False, lenient: bool = True) -> bool:
    return same_result(one, other, ordered=ordered, lenient=lenient)


@settings(max_examples=40, deadline=None)
@given(_tables(), st.randoms(use_true_random=False), st.booleans())
def test_rows_may_come_in_any_order(rows: Rows, chance: random.Random, lenient: bool) -> None:
    shuffled = chance.sample(rows, len(rows))
    assert _same(shuffled, rows, lenient=lenient)


@settings(max_examples=40, deadline=None)
@given(_tables(), st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_columns_may_come_in_any_order(
    rows: Rows, chance: random.Random, lenient: bool, ordered: bool
) -> None:
    places = chance.sample(range(len(rows[0])), len(rows[0]))
    permuted = [tuple(row[place] for place in places) for row in rows]
    assert _same(permuted, rows, lenient=lenient, ordered=ordered)


@settings(max_examples=40, deadline=None)
@given(_tables())
def test_one_more_column_is_the_same_only_leniently(rows: Rows) -> None:
    wider = [("x", *row) for row in rows]
    assert _same(wider, rows)
    assert not _same(wider, rows, lenient=False)
    assert not _same(rows, wider)


@settings(max_examples=40, deadline=None)
@given(_tables(), st.data())
def test_duplicates_count(rows: Rows, data: st.DataObject) -> None:
    again = data.draw(st.sampled_from(rows))
    assert not _same([*rows, again], rows)
    assert not _same(rows, [*rows, again])


@settings(max_examples=40, deadline=None)
@given(_tables(), st.data())
def test_a_value_that_becomes_another_is_seen(rows: Rows, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(rows) - 1))
    changed = [*rows]
    changed[place] = ("another value", *rows[place][1:])
    assert not _same(changed, rows)
    assert not _same(rows, changed)


def test_a_multiset_of_duplicates_is_no_set() -> None:
    assert not _same([("a",), ("a",), ("b",)], [("a",), ("b",), ("b",)])


@pytest.mark.parametrize("value", [0, "", False, 0.0, "None"])
def test_null_is_nothing_else(value: object) -> None:
    assert not _same([(None,)], [(value,)])
    assert not _same([(1, None), (2, value)], [(1, value), (2, None)])


def test_nulls_are_the_same() -> None:
    assert _same([(None, 1)], [(1, None)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1.5, Decimal("1.5"), True),
        (0.333, 1 / 3, True),
        (1000.0, 1000.05, True),
        (1000.0, 1001.0, False),
        (0.10, 0.12, False),
        (0, 0.004, True),
        (1, "1", False),
        (1, True, False),
        ("a", "A", False),
        ("a", "a ", False),
        (date(2024, 1, 1), datetime(2024, 1, 1), True),
        (date(2024, 1, 1), datetime(2024, 1, 1, 5), False),
        (date(2024, 1, 1), date(2024, 1, 2), False),
        (date(2024, 1, 1), "2024-01-01", False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        (float("inf"), float("inf"), True),
    ],
)
def test_values_are_held_against_each_other_within_a_tolerance(
    one: object, other: object, same: bool
) -> None:
    assert _same([(one,)], [(other,)]) is same
    assert _same([(other,)], [(one,)]) is same


def test_order_counts_only_when_it_is_asked_for() -> None:
    gold, turned = [(1,), (2,), (3,)], [(3,), (2,), (1,)]
    assert _same(turned, gold)
    assert not _same(turned, gold, ordered=True)
    assert _same(gold, gold, ordered=True)


def test_values_must_stand_together_in_their_rows() -> None:
    assert not _same([("a", 1), ("b", 2)], [("a", 2), ("b", 1)])


def test_one_column_is_not_taken_twice() -> None:
    assert not _same([(1, 5)], [(1, 1)])


def test_empty_results_are_the_same_and_an_empty_one_is_no_other() -> None:
    assert _same([], [])
    assert not _same([], [(1,)])
    assert not _same([(1,)], [])


def test_many_equal_columns_end_in_time() -> None:
    rows = [(*[1] * 9, "a")] * 3
    started = time.perf_counter()
    assert not _same([(*row[:-1], "b") for row in rows], rows, lenient=False)
    assert time.perf_counter() - started < 0.2


def test_numbers_on_both_sides_of_a_rounding_edge_are_still_close() -> None:
    assert _same([(1.0049, "b"), (1.0051, "a")], [(1.0051, "b"), (1.0049, "a")])


def test_a_result_with_nan_is_the_same_as_itself() -> None:
    assert _same([(float("nan"), 1)], [(float("nan"), 1)])
