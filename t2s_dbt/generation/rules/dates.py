"""Periods in English: a small grammar over calendar words, resolved against a given day.

`last month` is the calendar month before; `last 30 days` ends with the day before, since the given
day is not over; `this year` ends with the given day. Periods are always shown with their dates, so
a reader sees what was taken.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from t2s_dbt.flow import Token
from t2s_dbt.generation.rules.numbers import read_number
from t2s_dbt.reading import Grain, Period

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
            "september sep sept|october oct|november nov|december dec"
        ).split("|"),
        start=1,
    )
    for name in names.split()
}
_GRAINS = {
    **dict.fromkeys(("day", "days"), Grain.DAY),
    **dict.fromkeys(("week", "weeks"), Grain.WEEK),
    **dict.fromkeys(("month", "months"), Grain.MONTH),
    **dict.fromkeys(("quarter", "quarters"), Grain.QUARTER),
    **dict.fromkeys(("year", "years"), Grain.YEAR),
}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_TO_DATE = {"ytd": Grain.YEAR, "qtd": Grain.QUARTER, "mtd": Grain.MONTH, "wtd": Grain.WEEK}
_YEAR = re.compile(r"^(19|20)\d{2}$")
_ISO_DAY = re.compile(r"^(\d{4})-(\d{2})-(\d{2})$")
_ISO_MONTH = re.compile(r"^(\d{4})-(\d{2})$")
_QUARTER = re.compile(r"^q([1-4])$")
_YEAR_QUARTER = re.compile(r"^(?:(\d{4})q([1-4])|q([1-4])(\d{4}))$")
_HALF = re.compile(r"^h([12])$")
_DAY_NUMBER = re.compile(r"^(\d{1,2})(?:st|nd|rd|th)?$")


@dataclass(frozen=True, slots=True)
class Calendar:
    """The day of the question, and on which weekday a week starts (0 is Monday)."""

    today: date
    week_start: int = 0


@dataclass(frozen=True, slots=True)
class _Span:
    """Days from start to end, both included, and the token after the words."""

    start: date
    end: date
    last: int


def read_period(
    tokens: Sequence[Token], first: int, calendar: Calendar
) -> tuple[Period, int] | None:
    """The period that begins at a token, and the token after it; None where there is none."""
    words = [token.lower for token in tokens]
    found = _bounded(words, first, calendar, tokens)
    if found is None:
        return None
    start, end, last = found
    return Period(start, end, " ".join(token.text for token in tokens[first:last])), last


def _bounded(
    words: list[str], first: int, calendar: Calendar, tokens: Sequence[Token]
) -> tuple[date | None, date | None, int] | None:
    """A period with its preposition: since, after, before, until, from … to, between … and."""

    def plain(place: int) -> _Span | None:
        return _plain(words, place, calendar, tokens)

    word = words[first]
    if word in ("between", "from"):
        left = plain(first + 1)
        joiners = ("and",) if word == "between" else ("to", "until", "till", "through")
        if left and left.last < len(words) and words[left.last] in joiners:
            right = plain(left.last + 1)
            if right:
                start = _in_year_of(left, right, words, first + 1)
                return (start, right.end, right.last) if start <= right.end else None
        if left and word == "from" and words[left.last : left.last + 2] in (["on"], ["onwards"]):
            return left.start, None, left.last + 1
        return None
    open_ended: dict[str, Callable[[_Span], tuple[date | None, date | None]]] = {
        "since": lambda span: (span.start, None),
        "starting": lambda span: (span.start, None),
        "after": lambda span: (span.end + timedelta(days=1), None),
        "before": lambda span: (None, span.start - timedelta(days=1)),
        "until": lambda span: (None, span.end),
        "till": lambda span: (None, span.end),
        "through": lambda span: (None, span.end),
    }
    if word in open_ended:
        skip = 2 if words[first + 1 : first + 2] in (["in"], ["from"], ["the"]) else 1
        span = plain(first + skip)
        return (*open_ended[word](span), span.last) if span else None
    span = plain(first)
    if span is None:
        return None
    if span.last + 1 < len(words) and words[span.last] in ("to", "-", "–", "until", "through"):
        right = plain(span.last + 1)
        start = _in_year_of(span, right, words, first) if right else span.start
        if right and start <= right.end:
            return start, right.end, right.last
    return span.start, span.end, span.last


def _in_year_of(left: _Span, right: _Span, words: list[str], first: int) -> date:
    """Where a range starts: `January to March 2023` starts in the year that only its end names."""
    named = any(re.search(r"(19|20)\d{2}", word) for word in words[first : left.last])
    years = 0 if named else right.end.year - left.start.year
    start = shift(left.start, Grain.YEAR, years)
    return start if named or start <= right.end else shift(start, Grain.YEAR, -1)


def _plain(
    words: list[str], first: int, calendar: Calendar, tokens: Sequence[Token]
) -> _Span | None:
    """A period without a preposition, by the first rule that reads it."""
    if first >= len(words) or tokens[first].quoted:
        return None
    if words[first] == "the" and first + 1 < len(words):
        first += 1
    for rule in (_relative, _rolling, _quarter_or_half, _day, _month, _year, _named_day):
        span = rule(words, first, calendar, tokens)
        if span:
            return span
    return None


def _named_day(
    words: list[str], first: int, calendar: Calendar, _: Sequence[Token]
) -> _Span | None:
    days = {"today": 0, "yesterday": 1}
    if words[first] not in days:
        return None
    day = calendar.today - timedelta(days=days[words[first]])
    return _Span(day, day, first + 1)


def _relative(words: list[str], first: int, calendar: Calendar, _: Sequence[Token]) -> _Span | None:
    """Reads `this month`, `last quarter`, `year to date`, `ytd`, `so far this year`."""
    word, today = words[first], calendar.today
    if word in _TO_DATE:
        return _Span(floor(today, _TO_DATE[word], calendar), today, first + 1)
    if (
        word == "so"
        and words[first : first + 3] == ["so", "far", "this"]
        and first + 3 < len(words)
    ):
        grain = _GRAINS.get(words[first + 3])
        return _Span(floor(today, grain, calendar), today, first + 4) if grain else None
    if word in _GRAINS and words[first + 1 : first + 3] == ["to", "date"]:
        return _Span(floor(today, _GRAINS[word], calendar), today, first + 3)
    if first + 1 >= len(words) or words[first + 1] not in _GRAINS:
        return None
    grain, last = _GRAINS[words[first + 1]], first + 2
    if word in ("this", "current"):
        if words[last : last + 2] == ["to", "date"] or words[last : last + 2] == ["so", "far"]:
            last += 2
        return _Span(floor(today, grain, calendar), today, last)
    if word == "past":
        return _Span(shift(today, grain, -1), today - timedelta(days=1), last)
    if word in ("last", "previous", "prior"):
        start = shift(floor(today, grain, calendar), grain, -1)
        return _Span(start, shift(start, grain, 1) - timedelta(days=1), last)
    return None


def _rolling(
    words: list[str], first: int, calendar: Calendar, tokens: Sequence[Token]
) -> _Span | None:
    """`last 30 days`, `past 3 complete months`, `3 weeks ago`."""
    today = calendar.today
    if words[first] in ("last", "past", "previous", "trailing"):
        number = read_number(tokens, first + 1) if first + 1 < len(tokens) else None
        if number is None:
            return None
        count, last = int(number[0]), number[1]
        complete = last < len(words) and words[last] in ("complete", "full", "whole")
        last += complete
        grain = _GRAINS.get(words[last]) if last < len(words) else None
        if grain is None or not 0 < count <= 10_000:
            return None
        if complete:
            end = floor(today, grain, calendar)
            return _Span(shift(end, grain, -count), end - timedelta(days=1), last + 1)
        return _Span(shift(today, grain, -count), today - timedelta(days=1), last + 1)
    number = read_number(tokens, first)
    if number and number[1] + 1 < len(words) and words[number[1] + 1] == "ago":
        grain = _GRAINS.get(words[number[1]])
        if grain and 0 < number[0] <= 10_000:
            start = floor(shift(today, grain, -int(number[0])), grain, calendar)
            return _Span(start, shift(start, grain, 1) - timedelta(days=1), number[1] + 2)
    return None


def _quarter_or_half(
    words: list[str], first: int, calendar: Calendar, _: Sequence[Token]
) -> _Span | None:
    """`Q2 2024`, `2024Q2`, `second quarter of 2024`, `H1`, `first half of 2023`."""
    joined = _YEAR_QUARTER.match(words[first])
    if joined:
        year, number = int(joined[1] or joined[4]), int(joined[2] or joined[3])
        return _months(year, 3 * number - 2, 3, first + 1)
    months, number, last = 0, 0, first + 1
    if found := _QUARTER.match(words[first]):
        months, number = 3, int(found[1])
    elif found := _HALF.match(words[first]):
        months, number = 6, int(found[1])
    elif words[first] in _ORDINALS and last < len(words) and words[last] in ("quarter", "half"):
        months, number = (3 if words[last] == "quarter" else 6), _ORDINALS[words[first]]
        last += 1
    if not number or number * months > 12:
        return None
    year_found = _year_after(words, last)
    if year_found:
        return _months(year_found[0], months * (number - 1) + 1, months, year_found[1])
    year = calendar.today.year
    if date(year, months * (number - 1) + 1, 1) > calendar.today:
        year -= 1
    return _months(year, months * (number - 1) + 1, months, last)


def _day(words: list[str], first: int, calendar: Calendar, _: Sequence[Token]) -> _Span | None:
    """`2024-03-05`, `5 March 2024`, `March 5, 2024`, `Mar 5`."""
    if found := _ISO_DAY.match(words[first]):
        return _one_day(int(found[1]), int(found[2]), int(found[3]), first + 1)
    number = _DAY_NUMBER.match(words[first])
    if number and first + 3 < len(words) and words[first + 1] in ("to", "until", "through"):
        end = _day(words, first + 2, calendar, _)
        if end is not None and end.start == end.end and int(number[1]) <= end.end.day:
            return _Span(end.end.replace(day=int(number[1])), end.end, end.last)
    if number and first + 1 < len(words):
        at = first + 2 if words[first + 1] == "of" else first + 1
        if at < len(words) and words[at] in _MONTHS:
            return _day_of(int(number[1]), _MONTHS[words[at]], words, at + 1, calendar)
    if words[first] in _MONTHS and first + 1 < len(words):
        number = _DAY_NUMBER.match(words[first + 1])
        if number:
            return _day_of(int(number[1]), _MONTHS[words[first]], words, first + 2, calendar)
    return None


def _day_of(day: int, month: int, words: list[str], last: int, calendar: Calendar) -> _Span | None:
    year_found = _year_after(words, last)
    year, last = year_found or (calendar.today.year, last)
    span = _one_day(year, month, day, last)
    if span and not year_found and span.start > calendar.today:
        return _one_day(year - 1, month, day, last)
    return span


def _month(
    words: list[str], first: int, calendar: Calendar, tokens: Sequence[Token]
) -> _Span | None:
    """`March 2024`, `2024-03`, and `March` alone: the most recent one that has begun."""
    if found := _ISO_MONTH.match(words[first]):
        month = int(found[2])
        return _months(int(found[1]), month, 1, first + 1) if 1 <= month <= 12 else None
    if words[first] not in _MONTHS:
        return None
    month = _MONTHS[words[first]]
    year_found = _year_after(words, first + 1)
    if year_found:
        return _months(year_found[0], month, 1, year_found[1])
    if words[first] == "may" and not tokens[first].text[0].isupper():
        return None  # the verb
    year = calendar.today.year - (date(calendar.today.year, month, 1) > calendar.today)
    return _months(year, month, 1, first + 1)


def _year(words: list[str], first: int, _: Calendar, __: Sequence[Token]) -> _Span | None:
    at = first + 1 if words[first] == "year" and first + 1 < len(words) else first
    if not _YEAR.match(words[at]):
        return None
    year = int(words[at])
    return _Span(date(year, 1, 1), date(year, 12, 31), at + 1)


def _year_after(words: list[str], place: int) -> tuple[int, int] | None:
    """A year that follows a month or quarter, and the token after it."""
    for skipped in ("of", ",", "in"):
        if place < len(words) and words[place] == skipped:
            place += 1
            break
    if place < len(words) and _YEAR.match(words[place]):
        return int(words[place]), place + 1
    return None


def _months(year: int, month: int, count: int, last: int) -> _Span:
    start = date(year, month, 1)
    return _Span(start, shift(start, Grain.MONTH, count) - timedelta(days=1), last)


def _one_day(year: int, month: int, day: int, last: int) -> _Span | None:
    try:
        found = date(year, month, day)
    except ValueError:
        return None
    return _Span(found, found, last)


def floor(day: date, grain: Grain, calendar: Calendar) -> date:
    """The first day of the period of that grain in which a day lies."""
    match grain:
        case Grain.DAY:
            return day
        case Grain.WEEK:
            return day - timedelta(days=(day.weekday() - calendar.week_start) % 7)
        case Grain.MONTH:
            return day.replace(day=1)
        case Grain.QUARTER:
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case Grain.YEAR:
            return day.replace(month=1, day=1)


def shift(day: date, grain: Grain, count: int) -> date:
    """A day moved by some periods; the day of the month is clipped to the month it falls in."""
    from dateutil.relativedelta import relativedelta

    match grain:
        case Grain.DAY:
            return day + relativedelta(days=count)
        case Grain.WEEK:
            return day + relativedelta(weeks=count)
        case Grain.MONTH:
            return day + relativedelta(months=count)
        case Grain.QUARTER:
            return day + relativedelta(months=3 * count)
        case Grain.YEAR:
            return day + relativedelta(years=count)
