"""The index of values: what it finds, what it keeps, and what never gets into it."""

import csv
import json
from datetime import date
from pathlib import Path

import pytest

from evals.building import EXAMPLE
from t2s_dbt import Assistant, Status, open_project
from t2s_dbt.catalog import Attribute
from t2s_dbt.linking.values import (
    MOST_WORDS,
    Value,
    ValueIndex,
    index_values,
    read_values,
    values_text,
)

CITY = Attribute("shops", "city")
CHANNEL = Attribute("tickets", "channel")


@pytest.fixture
def index() -> ValueIndex:
    """Values of two columns, one of them stored in several spellings."""
    return index_values(
        {
            CITY: ("Kraków", "New York", "Bath", "Room 12"),
            CHANNEL: ("Email", "email", "phone calls"),
        }
    )


@pytest.mark.parametrize(
    ("words", "text"), [(("krakow",), "Kraków"), (("new", "york"), "New York"), (("bath",), "Bath")]
)
def test_a_value_is_found_by_its_folded_words(
    words: tuple[str, ...], text: str, index: ValueIndex
) -> None:
    values, exact = index.find(words)
    assert list(values) == [Value(CITY, text)]
    assert exact


def test_another_form_is_found_by_its_stem_and_marked(index: ValueIndex) -> None:
    values, exact = index.find(("phone", "call"))
    assert [value.text for value in values] == ["phone calls"]
    assert not exact


def test_all_spellings_of_a_value_are_found(index: ValueIndex) -> None:
    values, _ = index.find(("email",))
    assert [value.text for value in values] == ["Email", "email"]


def test_a_value_that_ends_in_a_number_is_found_exactly_or_not_at_all(index: ValueIndex) -> None:
    assert index.find(("room", "12"))[1]
    assert not index.find(("rooms", "12"))[0]


def test_a_part_of_a_value_is_not_the_value(index: ValueIndex) -> None:
    assert list(index.find(("york",))[0]) == []


def test_a_value_of_many_words_is_left_out() -> None:
    long = " ".join(["word"] * (MOST_WORDS + 1))
    assert index_values({CITY: (long, "", "&")}).exact == {}


@pytest.mark.parametrize(("word", "text"), [("krakov", "Kraków"), ("krakow", "Kraków")])
def test_a_close_spelling_is_found_with_its_closeness(word: str, text: str) -> None:
    values, closeness = index_values({CITY: ("Kraków", "Bath")}).near(word, cutoff=80)
    assert [value.text for value in values] == [text]
    assert 80 <= closeness <= 100


def test_a_short_or_distant_spelling_is_not(index: ValueIndex) -> None:
    assert list(index.near("baht")[0]) == []
    assert list(index.near("madrid")[0]) == []


def test_what_is_kept_is_what_was_indexed(index: ValueIndex, tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text(values_text(index, "key"), encoding="utf-8")
    kept = read_values(path, "key")
    assert kept is not None
    assert kept.exact == index.exact
    assert kept.stemmed == index.stemmed


def test_what_was_kept_under_another_key_is_not_used(index: ValueIndex, tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text(values_text(index, "key"), encoding="utf-8")
    assert read_values(path, "another") is None
    assert read_values(tmp_path / "none.json", "key") is None


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"format": 99, "key": "key"}',
        '{"format": 1, "key": "key"}',
        '{"format": 1, "key": "key", "attributes": [], "values": [[5, "x"]]}',
        '{"format": 1, "key": "key", "attributes": [["t"]], "values": []}',
    ],
)
def test_a_damaged_file_counts_as_none(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_text(damage, encoding="utf-8")
    assert read_values(path, "key") is None


def test_a_file_of_other_bytes_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / "values.json"
    path.write_bytes(b"\xff\xfe\x00garbage")
    assert read_values(path, "key") is None


@pytest.mark.parametrize("damage", ["{broken", '{"format": 1, "key": "of another day"}'])
def test_a_damaged_or_outdated_file_is_written_anew(damage: str, example_copy: Path) -> None:
    path = example_copy / "target" / "t2s" / "values.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(damage, encoding="utf-8")
    assistant = open_project(example_copy, settings={"trace": False}, environment={})
    answer = assistant.ask("How many customers live in Vienna?", date(2024, 11, 15))
    assert answer.status is Status.ANSWERED
    assert len(json.loads(path.read_text(encoding="utf-8"))["values"]) > 100


def test_a_cache_is_used_until_the_database_changes(example_copy: Path) -> None:
    path = example_copy / "target" / "t2s" / "values.json"
    open_project(example_copy, settings={"trace": False}, environment={})
    written = path.stat().st_mtime_ns
    open_project(example_copy, settings={"trace": False}, environment={})
    assert path.stat().st_mtime_ns == written
    (example_copy / "retail.duckdb").touch()
    open_project(example_copy, settings={"trace": False}, environment={})
    assert path.stat().st_mtime_ns != written


def test_values_of_hidden_columns_are_kept_nowhere(assistant: Assistant) -> None:
    del assistant  # opening the project writes the file
    kept = (EXAMPLE / "target" / "t2s" / "values.json").read_text(encoding="utf-8").lower()
    with (EXAMPLE / "seeds" / "raw_customers.csv").open(encoding="utf-8", newline="") as seeds:
        customers = list(csv.DictReader(seeds))
    assert len(customers) > 800
    assert json.dumps(customers[0]["city"]).lower() in kept
    for customer in customers:
        for hidden in ("email", "phone", "birth_date"):
            if customer[hidden]:
                assert json.dumps(customer[hidden]).lower()[1:-1] not in kept
