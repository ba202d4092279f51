"""What the linker finds of a question in the example project."""

from datetime import date

import pytest

from t2s_dbt import Assistant
from t2s_dbt.catalog import Attribute, Layer
from t2s_dbt.flow import (
    AttributeTarget,
    Linked,
    Mention,
    MetricTarget,
    Question,
    TableTarget,
    Target,
    TermTarget,
    ValueTarget,
)


def link(assistant: Assistant, text: str) -> Linked:
    """What a question mentions."""
    return assistant.linker.link(Question(text, date(2024, 11, 15)))


def found(linked: Linked, words: str) -> list[Mention]:
    """The mentions of exactly these words."""
    return [
        mention
        for mention in linked.mentions
        if " ".join(t.text for t in linked.tokens[mention.first : mention.last]) == words
    ]


def score(linked: Linked, words: str, target: Target) -> float:
    """How surely words mean a target; 0 when they do not."""
    return max((m.score for m in found(linked, words) if m.target == target), default=0.0)


def column(table: str, name: str) -> AttributeTarget:
    return AttributeTarget(Attribute(table, name))


def value(table: str, name: str, text: str) -> ValueTarget:
    return ValueTarget(Attribute(table, name), text)


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("revenue", MetricTarget("revenue")),
        ("net sales", MetricTarget("revenue")),
        ("turnover", MetricTarget("revenue")),
        ("conversion rate", MetricTarget("session_conversion_rate")),
        ("orders", TableTarget("fct_orders")),
        ("customers", TableTarget("dim_customers")),
        ("shops", TableTarget("dim_stores")),
        ("help desk requests", TableTarget("fct_support_tickets")),
        ("brand", column("dim_products", "brand")),
        ("supplier country", column("dim_suppliers", "country")),
        ("courier", column("fct_shipments", "carrier")),
        ("sales country", column("dim_markets", "country")),
        ("discontinued", column("dim_products", "is_discontinued")),
        ("Velora", value("dim_products", "brand", "Velora")),
        ("Café Lumière", value("dim_products", "brand", "Café Lumière")),
        ("wrong size", value("fct_returns", "return_reason", "wrong size")),
        ("the British", value("dim_customers", "country", "United Kingdom")),
        ("VIPs", TermTarget("loyal customers")),
    ],
)
def test_words_are_linked_to_what_they_name(
    words: str, target: Target, assistant: Assistant
) -> None:
    assert score(link(assistant, f"show {words}"), words, target) >= 0.9


def test_a_value_is_found_without_its_signs(assistant: Assistant) -> None:
    linked = link(assistant, "sales of O'Neil & Sons")
    brand = value("dim_products", "brand", "O'Neil & Sons")
    assert score(linked, "O'Neil Sons", brand) == 1.0


def test_number_matters_little_and_another_form_more(assistant: Assistant) -> None:
    exact = score(link(assistant, "list price"), "list price", column("dim_products", "list_price"))
    plural = score(
        link(assistant, "list prices"), "list prices", column("dim_products", "list_price")
    )
    reason = value("fct_returns", "return_reason", "wrong size")
    stemmed = score(link(assistant, "the wrong sizes"), "wrong sizes", reason)
    assert exact > plural > stemmed > 0


def test_a_name_is_surer_than_its_end_and_a_generic_end_least_sure(assistant: Assistant) -> None:
    tier = column("dim_customers", "loyalty_tier")
    name = column("dim_customers", "customer_name")
    whole = score(link(assistant, "by loyalty tier"), "loyalty tier", tier)
    bare = score(link(assistant, "by name"), "name", name)
    assert whole == 1.0
    assert 0 < bare < whole


def test_a_date_role_is_meant_in_exactly_its_words(assistant: Assistant) -> None:
    ordered = column("fct_orders", "ordered_at")
    assert score(link(assistant, "who ordered in 2024"), "ordered", ordered) > 0
    assert score(link(assistant, "orders in 2024"), "orders", ordered) == 0
    assert score(link(assistant, "an order in 2024"), "order", ordered) == 0


def test_a_verb_is_no_noun(assistant: Assistant) -> None:
    targets = [mention.target for mention in found(link(assistant, "who ordered"), "ordered")]
    assert targets
    assert TableTarget("fct_orders") not in targets
    assert MetricTarget("orders") not in targets


def test_marts_come_before_staging(assistant: Assistant) -> None:
    catalog = assistant.catalog
    linked = link(assistant, "customers by country and loyalty tier in Berlin")
    tables = set()
    for mention in linked.mentions:
        if isinstance(mention.target, TableTarget):
            tables.add(mention.target.table)
        elif isinstance(mention.target, AttributeTarget | ValueTarget):
            tables.add(mention.target.attribute.table)
    assert "dim_customers" in tables
    assert {catalog.table(table).layer for table in tables} == {Layer.MART}


def test_a_staging_model_can_be_named(assistant: Assistant) -> None:
    linked = link(assistant, "rows of stg_customers")
    assert any(m.target == TableTarget("stg_customers") for m in linked.mentions)


def test_a_misspelt_value_is_found_and_says_so(assistant: Assistant) -> None:
    (mention,) = found(link(assistant, "revenue of Velorra"), "Velorra")
    assert mention.target == value("dim_products", "brand", "Velora")
    assert 0 < mention.score < 0.8
    assert "close to 'Velora'" in mention.evidence


@pytest.mark.parametrize("question", ["revenue of velorra", "Velorra revenue", "revenue of Zzyzx"])
def test_only_a_capitalised_word_that_is_close_is_taken_for_a_value(
    question: str, assistant: Assistant
) -> None:
    linked = link(assistant, question)
    assert not any(isinstance(m.target, ValueTarget) for m in linked.mentions)


def test_a_misspelt_value_is_an_assumption_of_the_answer(assistant: Assistant) -> None:
    answer = assistant.ask("revenue of Velorra", date(2024, 11, 15))
    assert answer.reading is not None
    assert any("Velora" in assumption for assumption in answer.reading.assumptions)
    assert answer.confidence is not None
    assert answer.confidence.level.value != "high"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("customers with email", {"email"}),
        ("phone of the customers", {"phone"}),
        ("customers by birth date", {"birth", "date"}),
        ("the contact of tickets", {"contact"}),
        ("revenue by brand", set()),
        ("the date of birth", set()),
    ],
)
def test_words_that_name_a_hidden_column_are_reported(
    question: str, words: set[str], assistant: Assistant
) -> None:
    assert set(link(assistant, question).hidden_words) == words


def test_a_hidden_column_is_never_mentioned(assistant: Assistant) -> None:
    hidden = {(h.table, h.column) for h in assistant.catalog.hidden}
    assert ("dim_customers", "email") in hidden
    names = " ".join(sorted({name.replace("_", " ") for _, name in hidden}))
    linked = link(assistant, f"customers and tickets by {names}")
    for mention in linked.mentions:
        if isinstance(mention.target, AttributeTarget | ValueTarget):
            attribute = mention.target.attribute
            assert (attribute.table, attribute.name) not in hidden
    for table in linked.context.tables:
        assert not {(table.name, c.name) for c in table.columns} & hidden


def test_the_context_holds_the_bridges_between_what_is_mentioned(assistant: Assistant) -> None:
    linked = link(assistant, "suppliers of returns")
    names = {table.name for table in linked.context.tables}
    assert {"dim_suppliers", "fct_returns", "dim_products"} <= names
    path = linked.context.path_to_one("fct_returns", "dim_suppliers")
    assert path is not None
    assert len(path) == 2


def test_the_context_is_only_what_is_mentioned(assistant: Assistant) -> None:
    names = {table.name for table in link(assistant, "stores by store format").context.tables}
    assert "dim_stores" in names
    assert "fct_web_sessions" not in names
    assert link(assistant, "xyzzy").context.tables == ()


def test_quoted_words_name_no_table_but_may_be_a_value(assistant: Assistant) -> None:
    linked = link(assistant, 'customers in "Berlin" with "orders"')
    assert score(linked, "Berlin", value("dim_customers", "city", "Berlin")) == 1.0
    assert not any(m.target == TableTarget("fct_orders") for m in linked.mentions)
