"""The sentence that an answer is: it says what the rows say."""

from datetime import date
from typing import Any

import pytest

from t2s_dbt import Answer, Assistant, Status
from t2s_dbt.answering.sentence import sentence
from t2s_dbt.flow import ColumnInfo, Format
from t2s_dbt.kinds import Aggregate
from t2s_dbt.reading import Grouping, Measure, Order, Reading

AS_OF = date(2024, 11, 15)
NAME = ColumnInfo("brand", "brand", Format.TEXT)
MONEY = ColumnInfo("revenue", "revenue", Format.MONEY, "EUR")
REVENUE = Measure(metric="revenue")
BY_MONTH = Reading(measures=(REVENUE,), groups=(Grouping(grain="month"),))


def say(
    reading: Reading | None,
    columns: tuple[ColumnInfo, ...],
    rows: list[tuple[Any, ...]],
    assistant: Assistant,
    *,
    truncated: bool = False,
) -> str:
    return sentence(reading, columns, rows, assistant.catalog, truncated=truncated)


def test_a_single_value_is_said_with_what_it_is(assistant: Assistant) -> None:
    text = say(Reading(measures=(REVENUE,)), (MONEY,), [(1234.5,)], assistant)
    assert text.startswith("Revenue")
    assert "€1,234.50" in text
    assert "all time" not in text


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "are 0 stores"), (1, "is 1 store"), (2, "are 2 stores"), (1800, "are 1,800 stores")],
)
def test_a_count_agrees_in_number(count: int, expected: str, assistant: Assistant) -> None:
    measure = Measure(aggregate=Aggregate.COUNT, table="dim_stores")
    column = ColumnInfo("count", "count", Format.NUMBER)
    text = say(Reading(measures=(measure,), subject="dim_stores"), (column,), [(count,)], assistant)
    assert expected in text
    assert text.endswith(("store.", "stores."))


@pytest.mark.parametrize(("descending", "word"), [(True, "highest"), (False, "lowest")])
def test_the_first_of_a_ranking_is_named(descending: bool, word: str, assistant: Assistant) -> None:
    brand = Grouping(grain="month")
    reading = Reading(
        measures=(REVENUE,), groups=(brand,), order=Order(REVENUE, None, descending), limit=1
    )
    text = say(reading, (NAME, MONEY), [("Velora", 10)], assistant)
    assert text.startswith("Velora")
    assert word in text
    assert "€10.00" in text


def test_a_series_says_where_it_is_highest_and_lowest(assistant: Assistant) -> None:
    month = ColumnInfo("metric_time__month", "month", Format.DATE, grain="month")
    rows = [(date(2024, 1, 1), 5), (date(2024, 2, 1), 9), (date(2024, 3, 1), None)]
    text = say(BY_MONTH, (month, MONEY), rows, assistant)
    assert "3 rows" in text
    assert text.index("highest") < text.index("2024-02") < text.index("lowest")
    assert text.index("lowest") < text.index("2024-01")
    assert "2024-03" not in text


def test_extremes_are_those_of_the_first_measure(assistant: Assistant) -> None:
    margin = ColumnInfo("margin", "margin", Format.NUMBER)
    reading = Reading(measures=(REVENUE, Measure(metric="margin")), groups=BY_MONTH.groups)
    rows = [("a", 1, 99), ("b", 2, 50)]
    text = say(reading, (NAME, MONEY, margin), rows, assistant)
    assert "highest for b" in text


def test_a_cut_result_says_so_and_no_extremes(assistant: Assistant) -> None:
    text = say(BY_MONTH, (NAME, MONEY), [("a", 1), ("b", 2)], assistant, truncated=True)
    assert "first 2 rows" in text
    assert "more" in text
    assert "highest" not in text


@pytest.mark.parametrize("rows", [[], [(None,)], [(None, None)]])
def test_nothing_is_said_to_be_nothing(rows: list[tuple[Any, ...]], assistant: Assistant) -> None:
    text = say(Reading(measures=(REVENUE,)), (MONEY,), rows, assistant)
    assert "no data" in text
    assert "Revenue" in text


def test_rows_without_a_reading_are_counted(assistant: Assistant) -> None:
    assert say(None, (NAME,), [("a",), ("b",)], assistant) == "2 rows."
    assert say(None, (NAME,), [("a",)], assistant) == "a."
    assert say(None, (NAME,), [], assistant)


def test_one_row_of_a_list_is_spelled_out(assistant: Assistant) -> None:
    text = say(Reading(subject="dim_products"), (NAME, MONEY), [("Velora", 3)], assistant)
    assert "brand Velora" in text
    assert "€3.00" in text


def ask(assistant: Assistant, question: str) -> Answer:
    answer = assistant.ask(question, AS_OF)
    assert answer.status is Status.ANSWERED
    return answer


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many stores are there?", ("18 stores",)),
        ("Which brand had the highest revenue in 2023?", ("highest", "in 2023", "€")),
        ("revenue by month in 2023", ("12 rows", "highest", "lowest")),
        ("Which carrier has the fewest shipments?", ("Relay", "lowest")),
    ],
)
def test_the_sentence_of_a_real_answer(
    question: str, words: tuple[str, ...], assistant: Assistant
) -> None:
    text = ask(assistant, question).text
    for word in words:
        assert word in text
