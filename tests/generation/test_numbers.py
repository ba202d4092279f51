"""Numbers in digits and in words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2s_dbt.generation.rules.numbers import read_number
from t2s_dbt.linking.words import tokenize


def read(text: str) -> float | None:
    """The number that a whole text is."""
    tokens = tokenize(text)
    found = read_number(tokens, 0)
    return found[0] if found and found[1] == len(tokens) else None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("007", 7),
        ("1.5", 1.5),
        ("1,200", 1200),
        ("1,200,000", 1_200_000),
        ("1200.50", 1200.5),
        ("10k", 10_000),
        ("10K", 10_000),
        ("2.5m", 2_500_000),
        ("1.2B", 1_200_000_000),
        ("3bn", 3_000_000_000),
        ("3 million", 3_000_000),
        ("1 billion", 1_000_000_000),
        ("2 hundred", 200),
        ("15%", 0.15),
        ("15 percent", 0.15),
        ("zero", 0),
        ("fifteen", 15),
        ("twenty five", 25),
        ("twenty-five", 25),
        ("two hundred", 200),
        ("two thousand five hundred", 2500),
        ("one million", 1_000_000),
    ],
)
def test_a_number_is_read(text: str, value: float) -> None:
    assert read(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["€500", "$500", "500€", "500 euros", "500 EUR", "500 dollars"])
def test_a_currency_only_repeats_the_unit(text: str) -> None:
    assert read(text) == 500


@pytest.mark.parametrize("text", ["Berlin", "hundred", "a dozen", "1e6", "2024-03-05", "k", ","])
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert read_number(tokenize(text), 0) is None


@pytest.mark.parametrize("text", ["1,2,3", "12,50", "10 k", "5 stores"])
def test_what_goes_on_is_not_a_whole_number(text: str) -> None:
    assert read(text) is None


@settings(deadline=None, database=None)
@given(st.integers(0, 10**9))
def test_a_number_with_commas_is_the_number(value: int) -> None:
    assert read(f"{value:,}") == value
    assert read(str(value)) == value


def test_a_negative_number_keeps_its_sign() -> None:
    assert read("-5") in (-5, None)


def test_a_percent_sign_may_stand_apart() -> None:
    assert read("15 %") == pytest.approx(0.15)


def test_percent_is_read_behind_words() -> None:
    assert read("ten percent") == pytest.approx(0.1)


def test_and_goes_on_with_a_number_in_words() -> None:
    assert read("two hundred and fifty") == 250
