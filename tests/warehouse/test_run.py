"""Checked queries run within their budgets, and nothing else runs."""

import hashlib
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from t2s_dbt.catalog import Relation
from t2s_dbt.flow import GUARD_SEAL as SEAL
from t2s_dbt.flow import CheckedSql, Draft, Exposed, Failure, FailureKind, ProposedBy, Rows, Tier
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.warehouse.conftest import PEOPLE, SECRET, checked, unguarded


def _rows(outcome: Rows | Failure) -> Rows:
    assert isinstance(outcome, Rows), outcome
    return outcome


def _failure(outcome: Rows | Failure) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome


def test_rows_have_columns_types_and_values(warehouse: DuckDBWarehouse) -> None:
    rows = _rows(warehouse.run(checked("SELECT id, name, id / 2 AS half FROM people ORDER BY id")))
    assert rows.columns == ("id", "name", "half")
    assert rows.types == ("INTEGER", "VARCHAR", "DOUBLE")
    assert rows.rows == ((1, "Ann", 0.5), (2, "Bob", 1.0), (3, "Bob", 1.5))
    assert not rows.truncated
    assert rows.seconds > 0


@pytest.mark.parametrize(("most", "shown", "cut"), [(2, 2, True), (3, 3, False), (4, 3, False)])
def test_rows_are_cut_at_the_limit_and_said_to_be(
    warehouse: DuckDBWarehouse, most: int, shown: int, cut: bool
) -> None:
    rows = _rows(warehouse.run(checked("SELECT id FROM people", max_rows=most)))
    assert (len(rows.rows), rows.truncated) == (shown, cut)


def test_an_empty_result_keeps_its_columns(warehouse: DuckDBWarehouse) -> None:
    rows = _rows(warehouse.run(checked("SELECT id FROM people WHERE id > 9")))
    assert (rows.columns, rows.rows) == (("id",), ())


def test_odd_names_are_quoted(warehouse: DuckDBWarehouse) -> None:
    odd = warehouse.run(checked('SELECT "47_1_TransId", "a""b" FROM "od""d"'))
    assert _rows(odd).rows == ((5, date(2024, 1, 1)),)
    ordered = warehouse.run(checked('SELECT "order" FROM people ORDER BY "order"'))
    assert _rows(ordered).rows == ((1,), (2,), (3,))


@pytest.mark.parametrize(
    "text", ["SELECT 1", None, Draft("SELECT 1", Tier.SQL, ProposedBy.MODEL), object()]
)
def test_only_checked_sql_runs(warehouse: DuckDBWarehouse, text: Any) -> None:
    with pytest.raises(TypeError, match="CheckedSql"):
        warehouse.run(text)
    with pytest.raises(TypeError, match="CheckedSql"):
        warehouse.explain(text)


@pytest.mark.parametrize("seal", [None, object(), "seal", True])
def test_checked_sql_cannot_be_made_without_the_seal(seal: Any) -> None:
    with pytest.raises(TypeError, match="guard"):
        CheckedSql("SELECT 1", (), 10, seal)


def test_explain_gives_a_plan_and_runs_nothing(warehouse: DuckDBWarehouse) -> None:
    plan = warehouse.explain(checked("SELECT count(*) FROM people, range(100000000000)"))
    assert isinstance(plan, str)
    assert plan.lstrip().startswith("[")
    assert isinstance(warehouse.explain(unguarded("SELECT nope FROM shop.main.people")), Failure)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT email FROM shop.main.people",
        "SELECT p.email FROM shop.main.people p",
        "SELECT * FROM shop.main.people",
        "SELECT * FROM main.people",
        "SELECT to_json(people) FROM shop.main.people",
        "SELECT COLUMNS('.*') FROM shop.main.people",
        "SELECT #3 FROM shop.main.people",
        "SUMMARIZE shop.main.people",
        "SELECT * FROM shop.main.salaries",
        "SELECT * FROM salaries",
        "SELECT * FROM query_table('salaries')",
        "SELECT * FROM query('SELECT email FROM shop.main.people')",
        "SELECT sql FROM duckdb_views()",
        "SELECT * FROM pragma_storage_info('people')",
    ],
)
def test_hidden_values_cannot_be_read_even_without_the_guard(
    warehouse: DuckDBWarehouse, sql: str
) -> None:
    outcome = warehouse.run(unguarded(sql))
    assert SECRET not in str(outcome)


@pytest.mark.parametrize(
    "source",
    [
        "duckdb_databases()",
        "duckdb_views()",
        "duckdb_tables",
        "information_schema.tables",
        "pragma_database_list()",
        "(SHOW ALL TABLES)",
        "read_duckdb('shop.duckdb', table_name = 'people')",
        "read_duckdb(current_setting('allowed_paths')[1], table_name = 'people')",
        "read_blob(current_setting('allowed_paths')[1])",
        "salaries",
        "shop.main.salaries",
    ],
)
def test_the_sandbox_alone_names_nothing_but_what_it_shows(
    warehouse: DuckDBWarehouse, source: str
) -> None:
    refused = _failure(warehouse.run(unguarded(f"SELECT * FROM {source}")))
    assert refused.kind in (FailureKind.NOT_ALLOWED, FailureKind.OTHER)
    assert SECRET not in str(refused)


@pytest.mark.parametrize("name", ["shop.duckdb", "duckdb_databases", "duckdb_tables"])
def test_a_cte_lends_its_name_to_nothing_outside_of_its_scope(
    warehouse: DuckDBWarehouse, file: Path, name: str
) -> None:
    target = str(file) if name == "shop.duckdb" else name
    kelvin = target.replace("k", "\u212a", 1)  # Python folds it to a k, DuckDB does not
    for sql in (
        f'WITH "{kelvin}" AS (SELECT 1) SELECT * FROM "{target}"',
        f'SELECT (WITH "{target}" AS (SELECT 1) SELECT 1) FROM "{target}"',
        f'WITH "{target}" AS (SELECT * FROM "{target}") SELECT 1 FROM "{target}"',
        f'WITH RECURSIVE "{target}" AS (SELECT * FROM "{target}") SELECT * FROM "{target}"',
    ):
        refused = _failure(warehouse.run(unguarded(sql)))
        assert SECRET not in str(refused)


def test_a_long_chain_of_operators_runs(warehouse: DuckDBWarehouse) -> None:
    for sign in ("+", "*"):
        assert _rows(warehouse.run(checked(f"SELECT {sign.join(['1'] * 250)}"))).rows


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO shop.main.people VALUES (9, 'x', 1)",
        "UPDATE shop.main.people SET id = 0",
        "DELETE FROM shop.main.people",
        "DROP TABLE shop.main.people",
        "DROP VIEW shop.main.people",
        "CREATE TABLE shop.main.x AS SELECT 1",
        "CREATE OR REPLACE TEMP MACRO count(x) AS 42",
        "ATTACH '{folder}/other.duckdb' AS other",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "COPY shop.main.people TO '{folder}/out.parquet'",
        "EXPORT DATABASE '{folder}/out'",
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "PRAGMA threads = 64",
        "INSTALL httpfs",
        "LOAD httpfs",
        "CALL enable_logging()",
        "SELECT 1; SELECT 2",
        "EXPLAIN ANALYZE SELECT 1",
        "SELECT * FROM read_text('{folder}/secret.txt')",
        "SELECT * FROM read_csv('{folder}/secret.txt')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT getenv('HOME')",
        "SELECT * FROM '{folder}/shop.duckdb'",
        "PIVOT shop.main.people ON name USING count(*)",
        "not even SQL",
        "",
    ],
)
def test_what_slipped_through_the_guard_changes_nothing_and_reads_nothing(
    warehouse: DuckDBWarehouse, file: Path, sql: str
) -> None:
    for name in ("secret.txt", "secret.csv"):
        (file.parent / name).write_text(f"a\n{SECRET}\n", encoding="utf-8")
    files = sorted(path.name for path in file.parent.iterdir())
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    outcome = warehouse.run(unguarded(sql.format(folder=file.parent)))
    assert isinstance(outcome, Failure)
    assert SECRET not in str(outcome)
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in file.parent.iterdir()) == files


def test_a_runaway_query_is_stopped_in_time_and_the_next_one_runs(file: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file)}, Budget(0.3, "500MB", 2, 0.3))
    started = time.perf_counter()
    failure = _failure(warehouse.run(checked("SELECT count(*) FROM range(1000000000000)")))
    assert time.perf_counter() - started < 2
    assert failure.kind is FailureKind.TIMEOUT
    assert "0.3 seconds" in failure.message
    assert failure.hint
    assert isinstance(warehouse.run(checked("SELECT 1")), Rows)


def test_a_recursion_without_end_is_stopped(file: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file)}, Budget(0.3, "500MB", 2, 0.3))
    sql = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    assert _failure(warehouse.run(checked(sql))).kind is FailureKind.TIMEOUT


def test_a_query_that_needs_too_much_memory_fails_by_its_kind(file: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file)}, Budget(10, "50MB", 2, 0.3))
    sql = "SELECT len(list(i)) FROM range(100000000) AS t(i)"
    assert _failure(warehouse.run(checked(sql))).kind is FailureKind.OUT_OF_MEMORY


def test_two_columns_of_one_name_are_both_there(warehouse: DuckDBWarehouse) -> None:
    assert _rows(warehouse.run(checked("SELECT 1 AS a, 2 AS a"))).rows == ((1, 2),)


def test_a_column_that_is_gone_does_not_bring_up_hidden_names(warehouse: DuckDBWarehouse) -> None:
    outcome = warehouse.run(unguarded("SELECT emai FROM shop.main.people", ("id", "emai")))
    assert _failure(outcome).kind is FailureKind.UNKNOWN_COLUMN
    assert "email" not in str(outcome)


def test_a_table_that_is_gone_is_an_unknown_table(warehouse: DuckDBWarehouse) -> None:
    gone = Exposed("gone", Relation("shop", "main", "gone"), ("id",))
    failure = _failure(warehouse.run(CheckedSql("SELECT 1", (gone,), 10, SEAL)))
    assert failure.kind is FailureKind.UNKNOWN_TABLE


def test_rows_of_a_table_without_visible_columns_can_be_counted(warehouse: DuckDBWarehouse) -> None:
    exposed = Exposed("people", PEOPLE, ())
    sql = "SELECT count(*) FROM shop.main.people"
    assert _rows(warehouse.run(CheckedSql(sql, (exposed,), 10, SEAL))).rows == ((3,),)
