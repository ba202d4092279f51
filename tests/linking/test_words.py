"""Words: how a question is cut, and what makes two words one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2s_dbt.linking.words import fold, name_words, same_but_number, stem, tokenize, value_words


def texts(question: str) -> list[str]:
    """The words of a question."""
    return [token.text for token in tokenize(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("revenue by month?", ["revenue", "by", "month", "?"]),
        ("over 1,200 and under 10.5%", ["over", "1,200", "and", "under", "10.5%"]),
        ("10k, 2.5m or 3bn", ["10k", ",", "2.5m", "or", "3bn"]),
        ("on 2024-03-05 or 3/5/2024", ["on", "2024-03-05", "or", "3/5/2024"]),
        ("in 2024-03", ["in", "2024-03"]),
        ("Q3-2024", ["Q3", "2024"]),
        ("the King's Cross store", ["the", "King's", "Cross", "store"]),
        ("O'Neil & Sons' tea", ["O'Neil", "Sons", "tea"]),
        ("€500 or $5 or 7€", ["500", "or", "5", "or", "7"]),
        ("a >= 5, b != 3; c<2", ["a", ">=", "5", ",", "b", "!=", "3", ";", "c", "<", "2"]),
        ("order_items", ["order", "items"]),
        ("Café Lumière", ["Café", "Lumière"]),
        ("naïve—dash", ["naïve", "dash"]),
        ("", []),
        ("  \t ", []),
    ],
)
def test_a_question_is_cut_in_words(question: str, expected: list[str]) -> None:
    assert texts(question) == expected


@pytest.mark.parametrize(
    "question", ['the "Black Friday" sale', "the “Black Friday” sale", "the 'Black Friday' sale"]
)
def test_a_quoted_text_is_one_word_and_marked(question: str) -> None:
    the, quoted, sale = tokenize(question)
    assert (quoted.text, quoted.quoted) == ("Black Friday", True)
    assert not the.quoted
    assert not sale.quoted


@settings(deadline=None, database=None)
@given(st.text(max_size=80))
def test_each_word_stands_where_it_says(question: str) -> None:
    last = 0
    for token in tokenize(question):
        assert token.start >= last
        assert token.text in question[token.start : token.end]
        last = token.end


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("orders", "order"),
        ("categories", "category"),
        ("bought", "buy"),
        ("sold", "sell"),
        ("people", "person"),
        ("children", "child"),
        ("customer's", "customer"),
        ("Customers’s", "customers"),
        ("Kraków", "krakow"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(("one", "other"), [("order", "border"), ("revenue", "return")])
def test_other_words_do_not(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("orders", "order"),
        ("categories", "category"),
        ("movies", "movie"),
        ("boxes", "box"),
        ("addresses", "address"),
        ("churches", "church"),
        ("deliveries", "delivery"),
        ("company's", "company"),
    ],
)
def test_a_regular_plural_is_the_same_but_for_number(plural: str, one: str) -> None:
    assert same_but_number(plural, one)


@pytest.mark.parametrize(
    ("one", "other"), [("glass", "glas"), ("ordered", "orders"), ("gas", "ga"), ("ship", "shipped")]
)
def test_other_words_are_not(one: str, other: str) -> None:
    assert not same_but_number(one, other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Kraków", "krakow"), ("O'Neil", "oneil"), ("King’s", "kings"), ("STRASSE", "strasse")],
)
def test_case_accents_and_apostrophes_are_folded(text: str, expected: str) -> None:
    assert fold(text) == expected


def test_folding_twice_changes_nothing() -> None:
    for code in range(0x250):  # all Latin letters
        assert fold(fold(chr(code))) == fold(chr(code))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order_items", ("order", "items")),
        ("orderItemId", ("order", "item", "id")),
        ("Net amount", ("net", "amount")),
        ("fct-orders", ("fct", "orders")),
        ("", ()),
    ],
)
def test_a_name_is_cut_in_words_however_it_is_written(name: str, expected: tuple[str, ...]) -> None:
    assert name_words(name) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("O'Neil & Sons", ("oneil", "sons")),
        ("wrong size", ("wrong", "size")),
        ("Members' Week 2022", ("members", "week", "2022")),
        ("10% off!", ("10%", "off")),
    ],
)
def test_a_value_is_found_by_its_folded_words(value: str, expected: tuple[str, ...]) -> None:
    assert value_words(value) == expected
