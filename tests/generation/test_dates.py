"""Periods in English, read on Friday 15 November 2024."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2s_dbt.generation.rules.dates import Calendar, floor, read_period, shift
from t2s_dbt.linking.words import tokenize
from t2s_dbt.reading import Grain, Period

TODAY = date(2024, 11, 15)
CALENDAR = Calendar(TODAY)

WHOLE = {
    "today": ("2024-11-15", "2024-11-15"),
    "yesterday": ("2024-11-14", "2024-11-14"),
    "this week": ("2024-11-11", "2024-11-15"),
    "this month": ("2024-11-01", "2024-11-15"),
    "current month": ("2024-11-01", "2024-11-15"),
    "this quarter": ("2024-10-01", "2024-11-15"),
    "this year": ("2024-01-01", "2024-11-15"),
    "last week": ("2024-11-04", "2024-11-10"),
    "last month": ("2024-10-01", "2024-10-31"),
    "previous month": ("2024-10-01", "2024-10-31"),
    "last quarter": ("2024-07-01", "2024-09-30"),
    "last year": ("2023-01-01", "2023-12-31"),
    "prior year": ("2023-01-01", "2023-12-31"),
    "last 7 days": ("2024-11-08", "2024-11-14"),
    "past 30 days": ("2024-10-16", "2024-11-14"),
    "previous 2 weeks": ("2024-11-01", "2024-11-14"),
    "the last 3 months": ("2024-08-15", "2024-11-14"),
    "last twelve months": ("2023-11-15", "2024-11-14"),
    "trailing 12 months": ("2023-11-15", "2024-11-14"),
    "last 5 years": ("2019-11-15", "2024-11-14"),
    "last 3 full months": ("2024-08-01", "2024-10-31"),
    "past 2 complete quarters": ("2024-04-01", "2024-09-30"),
    "last 4 whole weeks": ("2024-10-14", "2024-11-10"),
    "week to date": ("2024-11-11", "2024-11-15"),
    "month to date": ("2024-11-01", "2024-11-15"),
    "quarter to date": ("2024-10-01", "2024-11-15"),
    "year to date": ("2024-01-01", "2024-11-15"),
    "YTD": ("2024-01-01", "2024-11-15"),
    "mtd": ("2024-11-01", "2024-11-15"),
    "so far this year": ("2024-01-01", "2024-11-15"),
    "this month so far": ("2024-11-01", "2024-11-15"),
    "2023": ("2023-01-01", "2023-12-31"),
    "the year 2022": ("2022-01-01", "2022-12-31"),
    "March": ("2024-03-01", "2024-03-31"),
    "December": ("2023-12-01", "2023-12-31"),
    "May": ("2024-05-01", "2024-05-31"),
    "Sept 2023": ("2023-09-01", "2023-09-30"),
    "february of 2024": ("2024-02-01", "2024-02-29"),
    "2024-03": ("2024-03-01", "2024-03-31"),
    "Q2": ("2024-04-01", "2024-06-30"),
    "Q4 2023": ("2023-10-01", "2023-12-31"),
    "2024Q3": ("2024-07-01", "2024-09-30"),
    "second quarter of 2024": ("2024-04-01", "2024-06-30"),
    "H1 2023": ("2023-01-01", "2023-06-30"),
    "second half of 2023": ("2023-07-01", "2023-12-31"),
    "2024-03-05": ("2024-03-05", "2024-03-05"),
    "5 March 2024": ("2024-03-05", "2024-03-05"),
    "5th of March 2024": ("2024-03-05", "2024-03-05"),
    "March 5, 2024": ("2024-03-05", "2024-03-05"),
    "Mar 5": ("2024-03-05", "2024-03-05"),
    "December 25": ("2023-12-25", "2023-12-25"),
    "between 2024-01-10 and 2024-02-20": ("2024-01-10", "2024-02-20"),
    "between January and March 2024": ("2024-01-01", "2024-03-31"),
    "from Q1 2023 to Q2 2024": ("2023-01-01", "2024-06-30"),
    "from March 2024 until May 2024": ("2024-03-01", "2024-05-31"),
    "from 2022 to 2023": ("2022-01-01", "2023-12-31"),
    "from December to February 2024": ("2023-12-01", "2024-02-29"),
    "January to March 2024": ("2024-01-01", "2024-03-31"),
    "since March": ("2024-03-01", None),
    "since Q3 2023": ("2023-07-01", None),
    "since last month": ("2024-10-01", None),
    "from June 2024 onwards": ("2024-06-01", None),
    "starting in June 2024": ("2024-06-01", None),
    "until June 2024": (None, "2024-06-30"),
    "until yesterday": (None, "2024-11-14"),
    "through June 2024": (None, "2024-06-30"),
    "before June 2024": (None, "2024-05-31"),
    "before 15 March 2024": (None, "2024-03-14"),
    "before today": (None, "2024-11-14"),
    "after June 2024": ("2024-07-01", None),
    "after 5 March 2024": ("2024-03-06", None),
    "after Q2": ("2024-07-01", None),
    "5 days ago": ("2024-11-10", "2024-11-10"),
    "3 weeks ago": ("2024-10-21", "2024-10-27"),
    "two quarters ago": ("2024-04-01", "2024-06-30"),
    "1 year ago": ("2023-01-01", "2023-12-31"),
}

NO_DATE = (
    "customers who may churn",
    "last order",
    "the second store",
    "this product",
    "three stores",
    "quarter",
    "a month",
    "first 5 orders",
    "before delivery",
    "since launch",
    "between 10 and 20",
    "from Berlin to Paris",
    "tomorrow",
    "2024-13",
    "2024-02-30",
    "1899",
    "last 0 days",
    '"2024"',
)


def read(text: str, calendar: Calendar = CALENDAR) -> Period | None:
    """The period that a whole text is, from its first word to its last."""
    tokens = tokenize(text)
    found = read_period(tokens, 0, calendar)
    return found[0] if found and found[1] == len(tokens) else None


@pytest.mark.parametrize("text", WHOLE)
def test_a_text_is_read_as_its_period(text: str) -> None:
    start, end = WHOLE[text]
    period = read(text)
    assert period is not None
    assert period.start == (date.fromisoformat(start) if start else None)
    assert period.end == (date.fromisoformat(end) if end else None)
    assert period.words.lower().split()[0] == text.lower().split()[0]


@pytest.mark.parametrize("text", NO_DATE)
def test_a_text_without_a_date_has_no_period(text: str) -> None:
    tokens = tokenize(text)
    assert all(read_period(tokens, place, CALENDAR) is None for place in range(len(tokens)))


def test_a_week_starts_on_the_day_that_is_set() -> None:
    sunday = read("this week", Calendar(TODAY, week_start=6))
    assert sunday is not None
    assert sunday.start == date(2024, 11, 10)


def test_a_month_that_has_not_begun_is_that_of_last_year() -> None:
    on_new_year = Calendar(date(2025, 1, 1))
    january, february = read("January", on_new_year), read("February", on_new_year)
    assert january == Period(date(2025, 1, 1), date(2025, 1, 31), "January")
    assert february == Period(date(2024, 2, 1), date(2024, 2, 29), "February")


def test_the_day_of_the_month_is_clipped() -> None:
    assert shift(date(2024, 3, 31), Grain.MONTH, -1) == date(2024, 2, 29)
    assert shift(date(2024, 2, 29), Grain.YEAR, 1) == date(2025, 2, 28)


@settings(deadline=None, database=None)
@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.sampled_from(Grain))
def test_a_day_lies_in_the_period_that_it_is_floored_to(day: date, grain: Grain) -> None:
    start = floor(day, grain, CALENDAR)
    assert start <= day < shift(start, grain, 1)
    assert floor(start, grain, CALENDAR) == start


@settings(deadline=None, database=None)
@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.sampled_from(sorted(WHOLE)))
def test_no_day_makes_a_single_period_run_backwards(today: date, text: str) -> None:
    # Ranges of two named years are fixed, whatever the day; those of bare months are not.
    if text.startswith(("from December", "between January", "January to")):
        return
    period = read(text, Calendar(today))
    assert period is not None
    assert period.start is None or period.end is None or period.start <= period.end


@pytest.mark.parametrize(
    "text",
    ["between January and March 2023", "from January to March 2023", "January to March 2023"],
)
def test_a_range_of_months_shares_its_year(text: str) -> None:
    period = read(text)
    assert period is not None
    assert (period.start, period.end) == (date(2023, 1, 1), date(2023, 3, 31))


@pytest.mark.parametrize("text", ["from 2024 to 2022", "between March 2024 and January 2024"])
def test_a_range_that_runs_backwards_is_no_period(text: str) -> None:
    assert read(text) is None


def test_a_dash_joins_a_range() -> None:
    assert read("Jan - Mar 2024") is not None
