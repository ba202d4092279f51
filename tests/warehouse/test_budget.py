"""What a query may use is held, nothing of a sandbox is left, and attached files are read when they
are needed.
"""

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from t2s_dbt.catalog import Relation
from t2s_dbt.errors import DatabaseMissingError, WarehouseError
from t2s_dbt.flow import GUARD_SEAL as SEAL
from t2s_dbt.flow import CheckedSql, Exposed, Failure, FailureKind, Rows
from t2s_dbt.project.discover import Flags, find_project
from t2s_dbt.project.profile import read_target
from t2s_dbt.warehouse.budget import (
    BudgetExceededError,
    fetched,
    limited_in_time,
    size_of,
)
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.warehouse.conftest import BUDGET, PEOPLE, SECRET, checked, unguarded

RANDOM_NAME = re.compile(r"w[0-9a-f]{16}")
# Both need more than 30 MB, and get along with it where they may write temporary files.
SORT = (
    "SELECT max(t) FROM (SELECT t FROM (SELECT repeat('ab', 30) || (i * 7919 % 500000) AS t "
    "FROM range(500000) AS r(i)) ORDER BY t OFFSET 10)"
)
DISTINCT = "SELECT count(DISTINCT repeat('ab', 30) || i) FROM range(500000) AS r(i)"

Limited = Callable[..., DuckDBWarehouse]


@pytest.fixture
def limited(file: Path) -> Limited:
    """Makes a warehouse over the file with some limits of its own."""
    return lambda **limits: DuckDBWarehouse({"shop": str(file)}, replace(BUDGET, **limits))


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which temporary files are made; nothing else is there."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_rows_beyond_the_bytes_are_cut_and_said_to_be(limited: Limited) -> None:
    sql = "SELECT i, repeat('x', 1000) AS t FROM range(100) AS r(i) ORDER BY i"
    rows = limited(result_bytes=10_000).run(checked(sql, max_rows=100))
    assert isinstance(rows, Rows)
    assert rows.truncated
    assert [row[0] for row in rows.rows] == list(range(9))


def test_one_row_that_is_too_large_is_a_failure(limited: Limited) -> None:
    failure = limited(result_bytes=10_000).run(checked("SELECT repeat('x', 20000)"))
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.OUT_OF_MEMORY
    assert "20,016" in failure.message
    assert "10,000" in failure.message
    assert "max_bytes" in failure.hint


def test_a_large_row_behind_small_ones_cuts_there(limited: Limited) -> None:
    sql = "SELECT repeat('x', [1, 1, 20000, 1][i + 1]) FROM range(4) AS r(i) ORDER BY i"
    rows = limited(result_bytes=10_000).run(checked(sql))
    assert isinstance(rows, Rows)
    assert (len(rows.rows), rows.truncated) == (2, True)


@pytest.mark.parametrize(
    ("most_rows", "most_bytes", "kept", "cut"),
    [(600, 10**6, 600, True), (1000, 10**6, 1000, False), (1000, 16 * 300, 300, True)],
)
def test_both_budgets_hold_over_several_fetches(
    most_rows: int, most_bytes: int, kept: int, cut: bool
) -> None:
    with duckdb.connect(":memory:") as connection:
        cursor = connection.execute("SELECT i FROM range(1000) AS r(i)")
        rows, was_cut = fetched(cursor, most_rows, most_bytes)
        assert (len(rows), was_cut) == (kept, cut)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (None, 8),
        (True, 8),
        (10**30, 8),
        (1.5, 8),
        (Decimal("1.5"), 8),
        (date(2024, 1, 1), 8),
        ("", 8),
        ("four", 12),
        (b"\x00\x01", 10),
        ([], 8),
        ([1, 2], 24),
        (("ab", None), 26),
        ({"a": 1}, 25),
        ({"a": ["xyz", {"b": b"12"}]}, 8 + 9 + 8 + 11 + 8 + 9 + 10),
    ],
)
def test_the_size_of_a_value(value: Any, size: int) -> None:
    assert size_of(value) == size


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(hash(i)) FROM range(1000000000000) AS r(i)",
        "SELECT count(*) FROM range(1000000) AS a(i), range(1000000) AS b(j) WHERE i * j = 7",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
    ],
)
def test_time_is_up_and_the_warehouse_can_be_used_right_after(limited: Limited, sql: str) -> None:
    warehouse = limited(seconds=0.2)
    started = time.perf_counter()
    failure = warehouse.run(checked(sql))
    assert time.perf_counter() - started < 2
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.TIMEOUT
    assert "0.2 seconds" in failure.message
    rows = warehouse.run(checked("SELECT count(*) FROM people"))
    assert isinstance(rows, Rows)
    assert rows.rows == ((3,),)


def test_a_connection_that_was_stopped_in_time_goes_on() -> None:
    with duckdb.connect(":memory:") as connection:
        with pytest.raises(BudgetExceededError), limited_in_time(connection, 0.1):
            connection.execute("SELECT sum(hash(i)) FROM range(1000000000000) AS r(i)").fetchall()
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_a_block_that_ends_in_time_is_not_interrupted_later() -> None:
    with duckdb.connect(":memory:") as connection:
        with limited_in_time(connection, 0.05):
            connection.execute("SELECT 1").fetchall()
        started = time.perf_counter()
        while time.perf_counter() - started < 0.15:
            connection.execute("SELECT count(*) FROM range(100000)").fetchall()


def test_an_interrupt_of_somebody_else_is_one_of_the_keyboard() -> None:
    with duckdb.connect(":memory:") as opened, pytest.raises(KeyboardInterrupt):  # noqa: SIM117
        with limited_in_time(opened, 60):
            raise duckdb.InterruptException("Interrupted!")


@pytest.mark.parametrize("sql", [SORT, DISTINCT], ids=["sort", "distinct"])
def test_what_spills_fails_where_no_temporary_files_may_be(
    limited: Limited, scratch: Path, sql: str
) -> None:
    failure = limited(memory="30MB", temporary="0GB").run(checked(sql))
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.OUT_OF_MEMORY
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("sql", [SORT, DISTINCT], ids=["sort", "distinct"])
def test_what_spills_passes_where_they_may_and_none_is_left(
    limited: Limited, scratch: Path, sql: str
) -> None:
    rows = limited(memory="30MB", temporary="1GB", seconds=60).run(checked(sql))
    assert isinstance(rows, Rows)
    assert list(scratch.iterdir()) == []


def test_a_query_that_is_stopped_while_it_spills_leaves_nothing(
    limited: Limited, scratch: Path
) -> None:
    sql = SORT.replace("500000", "5000000")
    failure = limited(memory="30MB", temporary="1GB", seconds=0.7).run(checked(sql))
    assert isinstance(failure, Failure)
    assert failure.kind is FailureKind.TIMEOUT
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM nope",
        "SELECT * FROM shop.main.peple",
        "SELECT * FROM shop.nowhere.people",
        "SELECT email FROM shop.main.people",
        "SELECT p.nam FROM shop.main.people AS p",
        "SELECT name::INT FROM shop.main.people",
        "SELECT sum(name) FROM shop.main.people",
        "SELECT nope(id) FROM shop.main.people",
        "SELECT id, count(*) FROM shop.main.people",
        "SELECT FROM WHERE",
        "SELECT error(string_agg(database_name, ',')) FROM duckdb_databases()",
        "SELECT string_agg(database_name, ',')::INT FROM duckdb_databases()",
        "SELECT string_agg(sql, ',')::INT FROM duckdb_views()",
        "SELECT error(current_setting('search_path'))",
        "SELECT error(current_setting('temp_directory'))",
        "SELECT * FROM read_text('shop.duckdb')",
        "SELECT * FROM query_table('nope')",
    ],
)
def test_no_failure_tells_a_random_name(warehouse: DuckDBWarehouse, sql: str) -> None:
    for outcome in (warehouse.run(unguarded(sql)), warehouse.explain(unguarded(sql))):
        if isinstance(outcome, Failure):
            assert not RANDOM_NAME.search(str(outcome))
        assert SECRET not in str(outcome)


@pytest.mark.parametrize(
    ("relation", "columns"),
    [
        (Relation("shop", "main", "gone"), ("id",)),
        (Relation("shop", "nowhere", "people"), ("id",)),
        (PEOPLE, ("id", "gone")),
        (Relation(None, "main", "gone"), ("id",)),
    ],
)
def test_neither_does_one_of_a_relation_that_has_changed(
    warehouse: DuckDBWarehouse, relation: Relation, columns: tuple[str, ...]
) -> None:
    shown = CheckedSql("SELECT 1", (Exposed("t", relation, columns),), 10, SEAL)
    failure = warehouse.run(shown)
    assert isinstance(failure, Failure)
    assert str(relation) in failure.message
    assert failure.hint == "Run `dbt build`."
    assert not RANDOM_NAME.search(str(failure))
    assert "email" not in str(failure)


def test_a_broken_view_is_told_without_a_random_name(file: Path, warehouse: Any) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE base AS SELECT 1 AS id")
        connection.execute("CREATE VIEW over_base AS SELECT id FROM base; DROP TABLE base")
    exposed = Exposed("over_base", Relation("shop", "main", "over_base"), ("id",))
    failure = warehouse.run(CheckedSql("SELECT 1", (exposed,), 10, SEAL))
    assert isinstance(failure, Failure)
    assert not RANDOM_NAME.search(str(failure))


@pytest.mark.parametrize("kept", [100, 5000, 20_000])
def test_a_file_that_was_cut_is_told_without_a_random_name(file: Path, kept: int) -> None:
    file.write_bytes(file.read_bytes()[:kept])
    warehouse = DuckDBWarehouse({"shop": str(file)}, BUDGET)
    try:
        told = str(warehouse.run(checked("SELECT id FROM people")))
    except WarehouseError as error:
        told = f"{error} {error.hint}"
    assert not RANDOM_NAME.search(told)


def test_nothing_is_left_in_the_working_directory(
    limited: Limited, tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    warehouse = limited(memory="30MB", temporary="1GB")
    warehouse.run(checked("SELECT id FROM people"))
    warehouse.run(checked(DISTINCT))
    warehouse.run(unguarded("CREATE TABLE x AS SELECT 1"))
    warehouse.run(unguarded("SELECT * FROM nope"))
    warehouse.explain(checked("SELECT id FROM people"))
    warehouse.describe([PEOPLE])
    warehouse.profile({PEOPLE: ["name"]}, most=5)
    assert list(here.iterdir()) == []
    assert list(scratch.iterdir()) == []


def _of(database: str, table: str = "people") -> CheckedSql:
    """A query on a relation of one of the attached databases."""
    exposed = Exposed(table, Relation(database, "main", table), ("id",))
    return CheckedSql(f'SELECT id FROM "{database}".main.{table}', (exposed,), 10, SEAL)


def test_an_attached_file_that_is_missing_matters_to_its_own_queries_only(
    file: Path, tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone.duckdb")
    warehouse = DuckDBWarehouse({"shop": str(file), "side": gone}, BUDGET)
    assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)
    assert isinstance(warehouse.explain(checked("SELECT id FROM people")), str)
    assert warehouse.profile({PEOPLE: ["name"]}, most=5)[PEOPLE]["name"].values is not None
    with pytest.raises(DatabaseMissingError, match=r"gone\.duckdb"):
        warehouse.run(_of("side"))


def test_only_the_databases_of_a_query_are_opened(file: Path, tmp_path: Path) -> None:
    side, junk = tmp_path / "side.duckdb", tmp_path / "junk.duckdb"
    with duckdb.connect(str(side)) as connection:
        connection.execute("CREATE TABLE things AS SELECT 8 AS id")
    junk.write_bytes(b"no database")
    warehouse = DuckDBWarehouse({n.stem: str(n) for n in (file, side, junk)}, BUDGET)
    assert _rows(warehouse.run(_of("side", "things"))) == ((8,),)
    exposed = (
        Exposed("people", PEOPLE, ("id",)),
        Exposed("things", Relation("side", "main", "things"), ("id",)),
    )
    both = "SELECT p.id, t.id FROM shop.main.people AS p, side.main.things AS t ORDER BY 1 LIMIT 1"
    assert _rows(warehouse.run(CheckedSql(both, exposed, 10, SEAL))) == ((1, 8),)
    with pytest.raises(WarehouseError, match=r"junk\.duckdb"):
        warehouse.run(_of("junk"))


def _rows(outcome: Rows | Failure) -> tuple[tuple[Any, ...], ...]:
    assert isinstance(outcome, Rows), outcome
    return outcome.rows


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("sqlite:crm.db", "'sqlite'"),
        ("postgres:dbname=crm host=127.0.0.1", "'postgres'"),
        ("mysql:crm", "'mysql'"),
        ("md:crm", "MotherDuck"),
        ("motherduck:crm", "MotherDuck"),
        (":memory:", "in memory"),
        ("https://example.com/crm.duckdb", "'https'"),
        ("s3://bucket/crm.duckdb", "'s3'"),
    ],
)
def test_a_foreign_database_is_refused_where_a_query_needs_it(
    file: Path, path: str, kind: str
) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file), "crm": path}, BUDGET)
    assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)
    assert set(warehouse.describe([PEOPLE, Relation("crm", "main", "people")])) == {PEOPLE}
    assert warehouse.state().startswith("shop:")
    with pytest.raises(WarehouseError) as caught:
        warehouse.run(_of("crm"))
    assert "crm.main.people" in str(caught.value)
    assert kind in str(caught.value)
    assert caught.value.hint


def test_a_database_that_no_profile_attaches_is_said(warehouse: DuckDBWarehouse) -> None:
    with pytest.raises(WarehouseError, match="elsewhere") as caught:
        warehouse.run(_of("elsewhere"))
    assert "attach" in caught.value.hint


@pytest.mark.parametrize(
    ("attached", "name", "kind"),
    [
        ("{path: crm.db, type: sqlite}", "crm", "'sqlite'"),
        ("{path: crm.db, type: SQLite, alias: old}", "old", "'sqlite'"),
        ("{path: 'dbname=crm', type: postgres, alias: pg}", "pg", "'postgres'"),
        ("{path: 'md:crm', alias: cloud}", "cloud", "MotherDuck"),
        ("{path: 'md:crm'}", "crm", "MotherDuck"),
        ("'sqlite:crm.db'", "crm", "'sqlite'"),
    ],
)
def test_a_foreign_database_of_a_profile_keeps_its_name_and_kind(
    file: Path, attached: str, name: str, kind: str
) -> None:
    folder = file.parent
    (folder / "dbt_project.yml").write_text("name: shop\nprofile: shop\n", encoding="utf-8")
    output = f"{{type: duckdb, path: shop.duckdb, attach: [{attached}]}}"
    profiles = f"shop: {{target: dev, outputs: {{dev: {output}}}}}\n"
    (folder / "profiles.yml").write_text(profiles, encoding="utf-8")
    target = read_target(find_project(folder, Flags(), {}), folder, Flags(), {})
    warehouse = DuckDBWarehouse(target.databases, BUDGET)
    assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)
    with pytest.raises(WarehouseError) as caught:
        warehouse.run(_of(name))
    assert kind in str(caught.value)
