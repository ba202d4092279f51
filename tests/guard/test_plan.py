"""Plans that DuckDB really made, judged: what explodes is refused, what is only large is not."""

import json
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from t2s_dbt.flow import Failure, FailureKind
from t2s_dbt.guard.plan import judge_plan

MOST = 10_000_000_000  # as `max_plan_rows` has it by default


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Orders and visits that are large, customers and stores that are small."""
    with duckdb.connect(":memory:", config={"memory_limit": "1GB", "threads": 2}) as opened:
        opened.execute(
            """
            CREATE TABLE orders AS
                SELECT i AS order_id, i % 1000 AS customer_id, i % 7 AS store_id, i * 1.5 AS amount,
                    TIMESTAMP '2024-01-01' + INTERVAL 1 MINUTE * i AS ordered_at
                FROM range(1000000) AS r(i);
            CREATE TABLE visits AS
                SELECT i AS visit_id, i % 1000 AS customer_id, i % 7 AS store_id, i * 2.5 AS score,
                    TIMESTAMP '2024-01-01' + INTERVAL 1 MINUTE * i AS visited_at
                FROM range(500000) AS r(i);
            CREATE TABLE customers AS
                SELECT i AS customer_id, 'n' || i AS name, i % 20 AS country
                FROM range(1000) AS r(i);
            CREATE TABLE stores AS SELECT i AS store_id, 's' || i AS title FROM range(7) AS r(i);
            """
        )
        yield opened


def plan_of(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """What DuckDB plans to do; it does nothing of it."""
    row = connection.execute(f"EXPLAIN (FORMAT json) {sql}").fetchone()
    assert row is not None
    return str(row[1])


def step(name: str, rows: Any = None, *inputs: dict[str, Any], table: str = "") -> dict[str, Any]:
    """A step of a plan, written as DuckDB writes it."""
    info = {} if rows is None else {"Estimated Cardinality": rows}
    return {
        "name": name,
        "children": list(inputs),
        "extra_info": {**info, **({"Table": table} if table else {})},
    }


CROSS = "without any condition"
UNEQUAL = "without a condition that equates columns"


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT count(*) FROM orders, visits", CROSS),
        ("SELECT * FROM orders CROSS JOIN visits LIMIT 10", CROSS),
        ("SELECT * FROM orders, visits ORDER BY amount LIMIT 1", CROSS),
        ("SELECT count(*) FROM orders o, (SELECT * FROM visits WHERE score > 0) v", CROSS),
        ("SELECT count(*) FROM (VALUES (1), (2)) AS a(x), orders, visits", CROSS),
        ("SELECT count(*) FROM orders o JOIN visits v ON o.amount > v.score", UNEQUAL),
        ("SELECT count(*) FROM orders o LEFT JOIN visits v ON o.amount > v.score", UNEQUAL),
        (
            "SELECT count(*) FROM orders o JOIN visits v "
            "ON o.ordered_at > v.visited_at AND o.amount < v.score",
            UNEQUAL,
        ),
        (
            "SELECT count(*) FROM orders o JOIN visits v "
            "ON o.customer_id = v.customer_id OR o.store_id = v.store_id",
            UNEQUAL,
        ),
        ("SELECT count(*) FROM orders o JOIN visits v ON o.amount || '' LIKE v.score || '%'", ""),
        ("SELECT count(*) FROM orders o JOIN visits v ON o.store_id = v.store_id", "the join of"),
        ("SELECT sum(amount * score) FROM orders JOIN visits USING (store_id)", "the join of"),
        (
            "SELECT count(*) FROM stores JOIN orders USING (store_id) JOIN visits USING (store_id)",
            "",
        ),
    ],
)
def test_a_join_that_explodes_is_refused_and_both_tables_are_named(
    connection: duckdb.DuckDBPyConnection, sql: str, why: str
) -> None:
    failure = judge_plan(plan_of(connection, sql), MOST)
    assert failure is not None
    assert (failure.kind, failure.code) == (FailureKind.REJECTED, "plan")
    assert "orders" in failure.message
    assert "visits" in failure.message
    assert why in failure.message
    assert "at most 10,000,000,000" in failure.message
    assert set(failure.subject.split(", ")) >= {"orders", "visits"}
    assert failure.hint


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(100000000000)",
        "SELECT sum(i) FROM range(100000000000) AS r(i)",
        "SELECT * FROM generate_series(1, 100000000000) LIMIT 5",
        "SELECT count(*) FROM range(100000000000) AS r(i), stores",
    ],
)
def test_rows_out_of_nothing_are_refused(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    failure = judge_plan(plan_of(connection, sql), MOST)
    assert failure is not None
    assert "100,000,000,000 rows" in failure.message


def test_a_table_without_end_joined_with_itself_is_named_twice(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    failure = judge_plan(plan_of(connection, "SELECT count(*) FROM orders a, orders b"), MOST)
    assert failure is not None
    assert "orders is joined with orders" in failure.message
    assert failure.subject == "orders"


def test_rows_of_a_function_that_are_joined_are_said_to_be_that(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    sql = "SELECT count(*) FROM orders, range(1000000) AS r(i)"
    failure = judge_plan(plan_of(connection, sql), MOST)
    assert failure is not None
    assert "orders" in failure.message
    assert "rows made by a function" in failure.message


def test_tables_behind_a_cte_are_named_too(connection: duckdb.DuckDBPyConnection) -> None:
    sql = "WITH o AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM o AS a, o AS b"
    failure = judge_plan(plan_of(connection, sql), MOST)
    assert failure is not None
    assert "orders" in failure.message


def test_the_innermost_step_is_the_one_that_is_told(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    sql = (
        "SELECT country, sum(amount) FROM (SELECT o.* FROM orders o, visits) AS o "
        "JOIN customers USING (customer_id) GROUP BY country ORDER BY 2"
    )
    failure = judge_plan(plan_of(connection, sql), MOST)
    assert failure is not None
    assert CROSS in failure.message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders",
        "SELECT * FROM orders ORDER BY amount",
        "SELECT DISTINCT customer_id, store_id FROM orders",
        "SELECT o.*, c.name FROM orders o JOIN customers c USING (customer_id)",
        "SELECT * FROM orders o LEFT JOIN customers c ON c.customer_id = o.customer_id",
        "SELECT * FROM orders o FULL JOIN visits v ON o.order_id = v.visit_id",
        "SELECT * FROM orders o JOIN customers USING (customer_id) JOIN stores USING (store_id)",
        "SELECT count(*) FROM orders o JOIN visits v USING (customer_id)",
        "SELECT * FROM customers a, customers b",
        "SELECT count(*) FROM customers, stores",
        "SELECT count(*) FROM orders o JOIN stores s ON o.amount > s.store_id",
        "SELECT * FROM orders o ASOF JOIN visits v "
        "ON o.customer_id = v.customer_id AND o.ordered_at >= v.visited_at",
        "SELECT * FROM orders o ASOF JOIN visits v ON o.ordered_at >= v.visited_at",
        "SELECT amount / total FROM orders, (SELECT sum(amount) AS total FROM orders)",
        "SELECT * FROM orders CROSS JOIN (SELECT max(visited_at) AS last FROM visits)",
        "SELECT amount - (SELECT avg(score) FROM visits) FROM orders",
        "SELECT name, (SELECT max(amount) FROM orders o WHERE o.customer_id = c.customer_id) "
        "FROM customers c",
        "SELECT order_id FROM orders o WHERE amount > "
        "(SELECT avg(amount) FROM orders i WHERE i.customer_id = o.customer_id)",
        "SELECT name FROM customers c WHERE EXISTS "
        "(SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
        "SELECT order_id FROM orders WHERE customer_id IN (SELECT customer_id FROM visits)",
        "SELECT order_id FROM orders WHERE order_id NOT IN (SELECT visit_id FROM visits)",
        "SELECT c.name, v.score FROM customers c, LATERAL "
        "(SELECT score FROM visits v WHERE v.customer_id = c.customer_id ORDER BY 1 LIMIT 3) v",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 100) "
        "SELECT count(*) FROM t",
        "WITH RECURSIVE t(d) AS (SELECT min(ordered_at) FROM orders UNION ALL "
        "SELECT d + INTERVAL 1 DAY FROM t WHERE d < '2025-01-01') "
        "SELECT d, count(*) FROM t LEFT JOIN orders ON ordered_at::DATE = d::DATE GROUP BY 1",
        "SELECT order_id, row_number() OVER (PARTITION BY customer_id ORDER BY ordered_at) "
        "FROM orders",
        "SELECT sum(amount) OVER (ORDER BY ordered_at) FROM orders",
        "SELECT * FROM orders QUALIFY rank() OVER (PARTITION BY store_id ORDER BY amount) = 1",
        "SELECT store_id, customer_id, sum(amount) FROM orders GROUP BY CUBE (1, 2)",
        "SELECT order_id FROM orders UNION ALL SELECT visit_id FROM visits",
        "WITH o AS (SELECT customer_id, sum(amount) AS a FROM orders GROUP BY 1) "
        "SELECT x.a / y.a FROM o x JOIN o y USING (customer_id)",
        "SELECT count(*) FROM range(1000000)",
        "SELECT 1",
    ],
)
def test_what_is_only_large_passes(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert judge_plan(plan_of(connection, sql), MOST) is None


@pytest.mark.parametrize(("most", "passes"), [(999_999, False), (1_000_000, True)])
def test_the_limit_is_the_most_that_passes(
    connection: duckdb.DuckDBPyConnection, most: int, passes: bool
) -> None:
    plan = plan_of(connection, "SELECT count(*) FROM customers a, customers b")
    failure = judge_plan(plan, most)
    assert (failure is None) is passes
    assert failure is None or f"at most {most:,}" in failure.message


def test_a_hundred_times_the_largest_table_is_never_absurd(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    large = "SELECT count(*) FROM orders, (SELECT * FROM customers LIMIT {}) c"
    assert judge_plan(plan_of(connection, large.format(100)), 1000) is None
    assert judge_plan(plan_of(connection, large.format(101)), 1000) is not None


@pytest.mark.parametrize(
    "rows", ["", "many", "-5", "nan", "~1", "1,000", "0x10", "--", " ", "1e5 rows"]
)
def test_a_number_that_is_none_counts_for_what_stands_below(rows: str) -> None:
    scan = step("SEQ_SCAN", "10", table="orders")
    assert judge_plan(json.dumps([step("PROJECTION", rows, scan)]), 1000) is None
    exploding = step("HASH_JOIN", "1e15", step("PROJECTION", rows, scan), scan)
    assert isinstance(judge_plan(json.dumps([exploding]), 1000), Failure)


@pytest.mark.parametrize("rows", [None, [], {}, ["10"]])
def test_a_number_of_another_type_does_not_raise(rows: Any) -> None:
    node = step("SEQ_SCAN", "10", table="orders")
    node["extra_info"]["Estimated Cardinality"] = rows
    assert judge_plan(json.dumps([node]), 1000) is None


@pytest.mark.parametrize("rows", ["inf", "1e400", "1e308"])
def test_a_number_beyond_all_others_is_refused(rows: str) -> None:
    failure = judge_plan(json.dumps([step("SEQ_SCAN", rows)]), 1000)
    assert failure is not None
    assert failure.message


@pytest.mark.parametrize(
    "node",
    [
        {},
        {"name": None},
        {"name": "SEQ_SCAN", "extra_info": None, "children": None},
        {"name": "CROSS_PRODUCT", "children": []},
        {"name": "CROSS_PRODUCT", "children": [{}, {}]},
        {"name": "HASH_JOIN", "extra_info": {"Table": 7}, "children": [{"name": 5}]},
    ],
)
def test_a_step_that_lacks_everything_passes(node: dict[str, Any]) -> None:
    assert judge_plan(json.dumps([node]), 1000) is None
    assert judge_plan("[]", 1000) is None
