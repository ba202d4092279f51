"""DuckDB's exceptions, really raised, as failures."""

from collections.abc import Iterator

import duckdb
import pytest

from t2s_dbt.flow import FailureKind
from t2s_dbt.warehouse.faults import BY_CLASS, fault

# The classes of Python's database API, which DuckDB only derives from.
ABSTRACT = {
    "Error",
    "DatabaseError",
    "DataError",
    "IntegrityError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with two tables."""
    with duckdb.connect(":memory:") as opened:
        opened.execute("CREATE TABLE orders (id INT, amount DOUBLE, day VARCHAR)")
        opened.execute("INSERT INTO orders VALUES (1, 2, 'x')")
        opened.execute("CREATE TABLE customers (id INT, name VARCHAR)")
        yield opened


def _raised(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Error:
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(sql).fetchall()
    return caught.value


def _classes() -> dict[str, type]:
    found = {name: value for name, value in vars(duckdb).items() if isinstance(value, type)}
    return {
        name: cls
        for name, cls in found.items()
        if issubclass(cls, duckdb.Error) and name not in ABSTRACT
    }


@pytest.mark.parametrize("name", sorted(_classes()))
def test_every_class_of_exception_is_in_the_table(name: str) -> None:
    assert _classes()[name] in BY_CLASS


def test_the_table_holds_no_abstract_class() -> None:
    assert {cls.__name__ for cls in BY_CLASS} <= set(_classes())


@pytest.mark.parametrize(
    ("sql", "kind", "subject", "candidate"),
    [
        ("SELECT amont FROM orders", FailureKind.UNKNOWN_COLUMN, "amont", "amount"),
        ("SELECT o.amont FROM orders o", FailureKind.UNKNOWN_COLUMN, "amont", "amount"),
        ('SELECT "a b" FROM orders', FailureKind.UNKNOWN_COLUMN, "a b", None),
        ("SELECT * FROM ordrs", FailureKind.UNKNOWN_TABLE, "ordrs", "orders"),
        ("SELECT x.amount FROM orders o", FailureKind.UNKNOWN_TABLE, "x", None),
        ("SELECT sume(amount) FROM orders", FailureKind.UNKNOWN_FUNCTION, "sume", "sum"),
        ("SELECT id FROM orders, customers", FailureKind.AMBIGUOUS_COLUMN, "id", None),
        ("SELECT day, sum(amount) FROM orders", FailureKind.GROUPING, "day", None),
        ("SELECT day::INT FROM orders", FailureKind.CONVERSION, "", None),
        ("SELECT 'abc'::DATE", FailureKind.CONVERSION, "", None),
        ("SELECT sum(day) FROM orders", FailureKind.TYPE_MISMATCH, "sum", None),
        ("SELECT 1 +", FailureKind.SYNTAX, "", None),
        ("SELEC 1", FailureKind.SYNTAX, "", None),
        ("SELECT 9223372036854775807 + 1", FailureKind.OUT_OF_RANGE, "", None),
        ("SELECT strptime('a', '%Y')", FailureKind.CONVERSION, "", None),
    ],
)
def test_a_fault_has_its_kind_its_subject_and_what_duckdb_offers(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    kind: FailureKind,
    subject: str,
    candidate: str | None,
) -> None:
    failure = fault(_raised(connection, sql))
    assert (failure.kind, failure.subject) == (kind, subject)
    if candidate is not None:
        assert candidate in failure.candidates


def test_the_message_leaves_out_the_echo_of_the_query(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    message = fault(_raised(connection, "SELECT amont FROM orders")).message
    assert "LINE 1" not in message
    assert "amont" in message


def test_a_subclass_counts_as_the_class_it_is_made_of() -> None:
    class Newer(duckdb.ConversionException):
        pass

    assert fault(Newer("m")).kind is FailureKind.CONVERSION


def test_an_operator_over_the_wrong_types_is_a_type_mismatch(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    failure = fault(_raised(connection, "SELECT day + 1 FROM orders"))
    assert (failure.kind, failure.subject) == (FailureKind.TYPE_MISMATCH, "+")


@pytest.mark.parametrize(
    ("sql", "candidates"),
    [
        ("SELECT ordr.id FROM orders", {"orders"}),
        ("SELECT id FROM orders, customers", {"orders.id", "customers.id"}),
    ],
)
def test_tables_and_qualified_columns_that_duckdb_offers_are_candidates(
    connection: duckdb.DuckDBPyConnection, sql: str, candidates: set[str]
) -> None:
    assert set(fault(_raised(connection, sql)).candidates) == candidates


def test_the_subject_of_a_missing_schema_is_not_quoted(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    assert fault(_raised(connection, "SELECT * FROM nowhere.orders")).subject == "nowhere.orders"


@pytest.mark.parametrize("sql", ["SELECT 'x'::no_such_type", "SELECT nextval('no_such_sequence')"])
def test_an_unknown_type_or_sequence_is_no_unknown_table(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> None:
    assert fault(_raised(connection, sql)).kind is not FailureKind.UNKNOWN_TABLE


def test_the_subject_of_a_comparison_is_a_type(connection: duckdb.DuckDBPyConnection) -> None:
    error = _raised(connection, "SELECT 1 FROM orders WHERE day > 5 AND day = DATE '2024-01-01'")
    assert "cast" not in fault(error).subject
