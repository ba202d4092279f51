"""Questions that must not be answered: a wrong confident answer costs more than none."""

from datetime import date

import pytest

from t2s_dbt import Answer, Assistant, Status

AS_OF = date(2024, 11, 15)


def ask(assistant: Assistant, question: str) -> Answer:
    """What comes of a question, without running anything."""
    return assistant.ask(question, AS_OF, run=False)


@pytest.mark.parametrize(
    "question",
    [
        "Delete all orders of 2022",
        "update the list price of Alder Parka to 10",
        "please drop the customers table",
        "Insert a new supplier called Acme",
        "could you truncate fct_orders",
        "TRUNCATE TABLE fct_orders; select 1",
        "remove customers from Berlin",
        "rename the brand Velora to Velvet",
        "drop",
    ],
)
def test_a_request_to_write_is_refused_by_name(question: str, assistant: Assistant) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.REFUSED
    assert answer.attempts == ()
    assert "change data" in answer.text


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("revenue by zodiac sign of customers", "zodiac"),
        ("revenue of the unicorn department", "unicorn"),
        ("how many frobnicated orders in 2024", "frobnicated"),
        ("number of employees by store", "employees"),
        ("orders by weather", "weather"),
        ("funky products", "funky"),
        ("revenue for Moonbase Alpha", "Moonbase"),
        ("revenue of brand Gucci", "Gucci"),
        ("customers named Zorblax", "Zorblax"),
        ("revenue by product by unknownthing", "unknownthing"),
        ("what is the meaning of life", "meaning"),
        ("who is our CEO", "CEO"),
        ("customers who may churn", "churn"),
        ("stores near Paris", "near"),
        ("orders at weekends", "weekends"),
        ("correlation between discount and revenue", "correlation"),
    ],
)
def test_an_unknown_word_is_named(question: str, word: str, assistant: Assistant) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.REFUSED
    assert f"'{word}'" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "best store",
        "worst category",
        "which is the strongest brand?",
        "top 5 products",
        "top 10 customers",
        "cheap products",
        "big customers",
        "top revenue",
        "most orders",
        "largest",
    ],
)
def test_a_vague_superlative_is_not_guessed(question: str, assistant: Assistant) -> None:
    assert ask(assistant, question).status in (Status.REFUSED, Status.CLARIFY)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("revenue in Germany", {"customer country", "store country", "market country"}),
        ("orders from Germany in 2023", {"customer country", "store country"}),
        ("revenue in Berlin", {"customer city", "store city"}),
        ("revenue without Germany", {"customer country", "store country"}),
    ],
)
def test_an_ambiguous_place_is_asked_back_with_its_readings(
    question: str, options: set[str], assistant: Assistant
) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.CLARIFY
    assert len(answer.options) >= 2
    for option in options:
        assert any(option in shown for shown in answer.options), answer.options


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("forecast revenue for 2026", "forecast"),
        ("predict orders next quarter", "forecast"),
        ("what will revenue be next year?", "forecast"),
        ("revenue next month", "forecast"),
        ("why did revenue fall in 2023?", "why"),
        ("how come returns went up?", "why"),
        ("what if we raised prices by 10%", "what-if"),
        ("should we close the Berlin store?", "should"),
    ],
)
def test_what_no_query_answers_is_refused_with_the_reason(
    question: str, reason: str, assistant: Assistant
) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.REFUSED
    assert reason in answer.text.lower()


@pytest.mark.parametrize(
    "question",
    [
        "how many different emails do we have",
        "birth date of the oldest customer",
        "customers sorted by birth date",
        "contact of the urgent tickets",
        "revenue by email",
        "the email",
    ],
)
def test_a_hidden_column_is_refused_by_policy(question: str, assistant: Assistant) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.REFUSED
    assert "policy" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "email addresses of customers",
        "list customer phone numbers",
        "customers with a gmail email",
        "how many customers with no phone",
        "average age of customers by birth date",
    ],
)
def test_nothing_about_a_hidden_column_is_answered(question: str, assistant: Assistant) -> None:
    answer = ask(assistant, question)
    assert answer.status is Status.REFUSED
    assert answer.sql is None


@pytest.mark.parametrize(
    "question",
    [
        "revenue not by channel",
        "orders not in 2023",
        "revenue except last month",
        "not revenue",
        "number of orders that are not",
        "customers who did not",
        "revenue by month except",
        "orders without revenue",
        "How many customers ordered in 2023 but not in 2024?",
    ],
)
def test_a_negation_that_has_no_place_is_not_dropped(question: str, assistant: Assistant) -> None:
    assert ask(assistant, question).status in (Status.REFUSED, Status.CLARIFY)


@pytest.mark.parametrize(
    "question",
    [
        "orders over",
        "revenue over 500",
        "products between 10",
        "orders 5",
        "orders between Berlin and Paris",
        "revenue last 3 blue moons",
        "total margin rate",
        "orders containing Shoes",
        "hello",
        "2024",
        "Germany",
        "select * from fct_orders",
        "'; drop table fct_orders; --",
        "orders where 1=1",
    ],
)
def test_what_is_left_over_makes_no_answer(question: str, assistant: Assistant) -> None:
    answer = ask(assistant, question)
    assert answer.status in (Status.REFUSED, Status.CLARIFY)
    assert answer.sql is None


def test_a_count_does_not_turn_a_hidden_column_into_a_value(assistant: Assistant) -> None:
    assert ask(assistant, "how many customers have a phone").status is Status.REFUSED
