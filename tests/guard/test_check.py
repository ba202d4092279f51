"""What the guard does to a statement that it lets pass, and how quickly it refuses one."""

import time

import pytest
from sqlglot import exp, parse_one

from t2s_dbt.catalog import Catalog, Column, HiddenColumn, Relation, Table
from t2s_dbt.flow import CheckedSql, Failure, Rows
from t2s_dbt.guard.check import check
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.guard.conftest import CATALOG


def _checked(sql: str, max_rows: int = 100, catalog: Catalog = CATALOG) -> CheckedSql:
    outcome = check(sql, catalog, max_rows=max_rows)
    assert isinstance(outcome, CheckedSql), outcome
    return outcome


def _flat(checked: CheckedSql) -> str:
    return " ".join(checked.sql.split())


def _code(sql: str, catalog: Catalog = CATALOG) -> str:
    outcome = check(sql, catalog, max_rows=100)
    assert isinstance(outcome, Failure), outcome
    return outcome.code


def _outer_limit(checked: CheckedSql) -> str:
    limit = parse_one(checked.sql, dialect="duckdb").args["limit"]
    assert isinstance(limit, exp.Limit)
    return str(limit.expression.sql("duckdb"))


@pytest.mark.parametrize(
    ("sql", "limit"),
    [
        ("SELECT * FROM orders", "101"),
        ("SELECT * FROM orders LIMIT 5", "5"),
        ("SELECT * FROM orders LIMIT 101", "101"),
        ("SELECT * FROM orders LIMIT 102", "101"),
        ("SELECT * FROM orders LIMIT 99999999999999999999", "101"),
        ("SELECT * FROM orders OFFSET 5", "101"),
        ("SELECT 1 UNION ALL SELECT 2", "101"),
        ("SELECT 1 UNION ALL SELECT 2 LIMIT 500", "101"),
        ("(SELECT * FROM orders)", "101"),
        ("WITH a AS (SELECT * FROM orders LIMIT 500) SELECT * FROM a", "101"),
        ("SELECT * FROM orders LIMIT 100 + 100", "101"),
        ("SELECT * FROM orders LIMIT (SELECT 500)", "101"),
        ("SELECT * FROM orders LIMIT NULL", "101"),
        ("SELECT * FROM orders FETCH FIRST 500 ROWS ONLY", "101"),
    ],
)
def test_the_outermost_limit_is_one_more_than_may_be_shown(sql: str, limit: str) -> None:
    checked = _checked(sql)
    assert _outer_limit(checked) == limit
    assert checked.limited_to == 100


def test_inner_limits_are_left_alone() -> None:
    text = _flat(_checked("SELECT sum(amount) FROM (SELECT amount FROM orders LIMIT 5000)"))
    assert "LIMIT 5000 )" in text


@pytest.mark.parametrize("limit", ["90 PERCENT", "90%"])
def test_a_share_of_the_rows_is_no_number_of_rows(shop: DuckDBWarehouse, limit: str) -> None:
    assert "LIMIT 101" in _flat(_checked(f"SELECT * FROM orders LIMIT {limit}"))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT order_id FROM orders ORDER BY order_id DESC",
        "SELECT order_id FROM orders ORDER BY order_id DESC LIMIT 5000",
        "SELECT order_id FROM orders ORDER BY order_id DESC LIMIT 1000 + 1000",
        "(SELECT order_id FROM orders ORDER BY order_id DESC)",
        "SELECT order_id FROM orders UNION ALL SELECT -1 ORDER BY order_id DESC LIMIT 5000",
    ],
)
def test_the_order_is_kept(shop: DuckDBWarehouse, sql: str) -> None:
    rows = shop.run(_checked(sql, max_rows=3))
    assert isinstance(rows, Rows)
    assert (rows.rows, rows.truncated) == (((299,), (298,), (297,)), True)


def test_names_become_full_names_and_qualifiers_stay_valid(shop: DuckDBWarehouse) -> None:
    checked = _checked(
        "SELECT legacy.id, o.amount, customers.name FROM legacy, orders o "
        "JOIN customers ON customers.customer_id = o.customer_id"
    )
    text = _flat(checked)
    assert '"shop"."main"."orders_old" AS legacy' in text
    assert '"shop"."main"."orders" AS o' in text
    assert 'FROM "shop"."main"."customers" ) AS "customers" ON customers.customer_id' in text
    assert isinstance(shop.run(checked), Rows)


def test_what_is_read_is_named_once_with_its_visible_columns() -> None:
    checked = _checked("SELECT * FROM customers a JOIN customers b USING (customer_id)")
    (exposed,) = checked.exposed
    assert (exposed.table, exposed.columns) == ("customers", ("customer_id", "name", "country"))


def test_what_only_a_cte_is_called_is_not_exposed() -> None:
    assert _checked("WITH salaries AS (SELECT 1 AS a) SELECT * FROM salaries").exposed == ()


def test_comments_do_not_reach_the_database() -> None:
    assert "hush" not in _checked("SELECT 1 /* hush */ -- hush").sql


def _twin_catalog() -> Catalog:
    columns = (Column("id", "INTEGER"),)
    return Catalog(
        tables=tuple(
            Table(f"t_{schema}", f"model.{schema}", Relation("shop", schema, "twin"), columns)
            for schema in ("one", "two")
        )
    )


def test_an_identifier_of_two_schemas_is_ambiguous_until_qualified() -> None:
    catalog = _twin_catalog()
    assert _code("SELECT * FROM twin", catalog) == "ambiguous_relation"
    assert '"two"."twin"' in _flat(_checked("SELECT * FROM two.twin", catalog=catalog))
    assert '"one"."twin" AS t_one' in _flat(_checked("SELECT * FROM t_one", catalog=catalog))


def test_a_column_hidden_here_and_visible_there_may_be_read_there() -> None:
    plain = Table(
        "staff", "model.staff", Relation("shop", "main", "staff"), (Column("email", "VARCHAR"),)
    )
    catalog = Catalog(tables=(*CATALOG.tables, plain), hidden=CATALOG.hidden)
    _checked("SELECT s.email FROM staff s, customers c", catalog=catalog)


def test_the_message_about_a_hidden_column_does_not_name_it() -> None:
    outcome = check("SELECT email FROM customers", CATALOG, max_rows=100)
    assert isinstance(outcome, Failure)
    assert "email" not in outcome.message + outcome.subject + "".join(outcome.candidates)


def test_an_alias_that_pretends_to_be_a_hidden_column_reads_nothing(shop: DuckDBWarehouse) -> None:
    outcome = check("SELECT email AS email FROM customers", CATALOG, max_rows=100)
    ran = shop.run(outcome) if isinstance(outcome, CheckedSql) else outcome
    assert isinstance(ran, Failure)
    assert "top-secret" not in str(ran)


@pytest.mark.parametrize(
    "sql",
    [
        "WITH c(email) AS (SELECT name FROM customers) SELECT email FROM c",
        "SELECT t.email FROM customers, (VALUES (1)) t(email)",
    ],
)
def test_a_column_that_the_query_names_like_a_hidden_one_may_be_read(sql: str) -> None:
    _checked(sql)


@pytest.mark.parametrize("name", ["getenv", "current_setting", "write_log", "error"])
def test_a_cte_cannot_lend_its_name_to_a_function(name: str) -> None:
    assert _code(f"WITH {name}(a) AS (SELECT 1) SELECT {name}('HOME')") == "function"


@pytest.mark.parametrize(
    "sample",
    ["USING SAMPLE 10%", "USING SAMPLE 5 ROWS", "TABLESAMPLE reservoir(5)", "TABLESAMPLE 10%"],
)
def test_a_sample_may_be_drawn(sample: str) -> None:
    _checked(f"SELECT * FROM orders {sample}")


def test_every_hidden_column_counts_whatever_the_case_of_its_relation() -> None:
    table = Table("t", "model.t", Relation("shop", "Main", "T"), (Column("a", "INTEGER"),))
    hidden = HiddenColumn(Relation("shop", "MAIN", "t"), "t", "Secret", "flagged")
    catalog = Catalog(tables=(table,), hidden=(hidden,))
    assert _code("SELECT secret FROM t", catalog) == "hidden"


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("SELECT '" + "x" * 1_000_000 + "'", "too_long"),
        ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000, "too_deep"),
        ("SELECT " + "[" * 10_000 + "1" + "]" * 10_000, "too_deep"),
        ("(" * 10_000, "too_deep"),
        ("SELECT " + "NOT " * 10_000 + "true", None),
        ("SELECT " + "- " * 10_000 + "1", None),
        ("SELECT " + " + ".join(["1"] * 10_000), None),
        ("SELECT " + "CASE WHEN true THEN " * 5_000 + "1" + " END" * 5_000, None),
        (" UNION ALL ".join(["SELECT 1"] * 3_000), None),
        ("SELECT 1" + ";" * 10_000, None),
    ],
    ids=["1MB", "brackets", "lists", "open", "not", "minus", "plus", "case", "union", "semicolons"],
)
def test_long_and_deep_statements_end_quickly_and_without_a_crash(
    sql: str, code: str | None
) -> None:
    started = time.perf_counter()
    outcome = check(sql, CATALOG, max_rows=100)
    assert time.perf_counter() - started < 5
    if code is not None:
        assert isinstance(outcome, Failure)
        assert outcome.code == code
