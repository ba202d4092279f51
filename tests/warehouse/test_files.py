"""Opening files: missing, foreign, locked; and what the warehouse tells of their content."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from t2s_dbt.catalog import Relation
from t2s_dbt.errors import (
    AdapterUnsupportedError,
    DatabaseLockedError,
    DatabaseMissingError,
    WarehouseError,
)
from t2s_dbt.flow import Rows
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse, check_adapter
from tests.warehouse.conftest import BUDGET, ODD, PEOPLE, SECRET, checked

_WRITER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
connection.close()
print("closed", flush=True)
"""


@contextmanager
def _writer(file: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the file open for writing until a line is sent to it."""
    command = [sys.executable, "-c", _WRITER, str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.communicate("\n", timeout=10)


def _end(writer: subprocess.Popen[str]) -> None:
    assert writer.stdin is not None
    writer.stdin.write("\n")
    writer.stdin.flush()


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(tmp_path / "none.duckdb")}, BUDGET)
    with pytest.raises(DatabaseMissingError, match=r"none\.duckdb") as caught:
        warehouse.run(checked("SELECT 1"))
    assert "dbt build" in caught.value.hint
    with pytest.raises(DatabaseMissingError):
        warehouse.state()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"hello", b"SQLite format 3\x00" + b"\x00" * 5000])
def test_a_file_that_is_no_database_is_said(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "shop.duckdb"
    path.write_bytes(data)
    with pytest.raises(WarehouseError, match=r"shop\.duckdb"):
        DuckDBWarehouse({"shop": str(path)}, BUDGET).describe([PEOPLE])
    assert path.read_bytes() == data


def test_a_writer_that_stays_is_waited_for_and_then_said(
    warehouse: DuckDBWarehouse, file: Path
) -> None:
    with _writer(file):
        started = time.monotonic()
        with pytest.raises(DatabaseLockedError, match=r"shop\.duckdb") as caught:
            warehouse.run(checked("SELECT id FROM people"))
        assert 0.3 <= time.monotonic() - started < 2
    assert "lock_wait" in caught.value.hint
    assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)


def test_a_writer_that_ends_in_time_costs_the_wait_only(file: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file)}, Budget(5, "500MB", 2, lock_wait=10))
    with _writer(file) as writer:
        threading.Timer(0.3, _end, [writer]).start()
        started = time.monotonic()
        assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)
        assert time.monotonic() - started >= 0.3


def test_an_idle_warehouse_blocks_no_writer(warehouse: DuckDBWarehouse, file: Path) -> None:
    warehouse.run(checked("SELECT id FROM people"))
    warehouse.describe([PEOPLE])
    with _writer(file):
        pass


def test_other_readers_do_not_matter(warehouse: DuckDBWarehouse, file: Path) -> None:
    with duckdb.connect(str(file), read_only=True):
        assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)


def test_describe_gives_names_and_types_in_order_of_what_exists(warehouse: DuckDBWarehouse) -> None:
    gone = Relation("shop", "main", "gone")
    found = warehouse.describe([PEOPLE, ODD, gone])
    assert set(found) == {PEOPLE, ODD}
    assert list(found[PEOPLE].items()) == [
        ("id", "INTEGER"),
        ("name", "VARCHAR"),
        ("email", "VARCHAR"),
        ("order", "INTEGER"),
    ]
    assert dict(found[ODD]) == {"47_1_TransId": "INTEGER", 'a"b': "DATE"}


def test_describe_does_not_mind_the_case_of_a_relation(warehouse: DuckDBWarehouse) -> None:
    shouted = Relation("SHOP", "MAIN", "PEOPLE")
    assert set(warehouse.describe([shouted])) == {shouted}
    assert warehouse.describe([Relation("other", "main", "people")]) == {}


@pytest.fixture
def two(file: Path, tmp_path: Path) -> DuckDBWarehouse:
    """A warehouse with a second file attached that also has people."""
    side = tmp_path / "side.duckdb"
    with duckdb.connect(str(side)) as connection:
        connection.execute("CREATE TABLE people (code INT); INSERT INTO people VALUES (7)")
        connection.execute("CREATE TABLE only_here AS SELECT 8 AS id")
    return DuckDBWarehouse({"shop": str(file), "side": str(side)}, BUDGET)


def test_an_attached_file_is_described_by_its_name(two: DuckDBWarehouse) -> None:
    only_here = Relation("side", "main", "only_here")
    assert two.describe([only_here]) == {only_here: {"id": "INTEGER"}}


def test_one_name_in_two_databases_is_described_twice(two: DuckDBWarehouse) -> None:
    other = Relation("side", "main", "people")
    found = two.describe([PEOPLE, other])
    assert set(found) == {PEOPLE, other}


def test_profile_gives_values_most_frequent_first_without_null(warehouse: DuckDBWarehouse) -> None:
    found = warehouse.profile({PEOPLE: ["name", "order"]}, most=10)
    assert found[PEOPLE]["name"].values == ("Bob", "Ann")
    assert found[PEOPLE]["order"].values == ("1", "2", "3")


def test_profile_gives_none_above_the_bound(warehouse: DuckDBWarehouse) -> None:
    assert warehouse.profile({PEOPLE: ["name"]}, most=2)[PEOPLE]["name"].values == ("Bob", "Ann")
    assert warehouse.profile({PEOPLE: ["name"]}, most=1)[PEOPLE]["name"].values is None


def test_profile_quotes_odd_names(warehouse: DuckDBWarehouse) -> None:
    found = warehouse.profile({ODD: ["47_1_TransId", 'a"b']}, most=5)
    assert found[ODD]["47_1_TransId"].values == ("5",)
    assert found[ODD]['a"b'].values == ("2024-01-01",)


def test_profile_reads_only_the_columns_it_was_given(warehouse: DuckDBWarehouse) -> None:
    assert SECRET not in str(warehouse.profile({PEOPLE: ["id", "name", "order"]}, most=10))


def test_state_changes_with_the_file_only(warehouse: DuckDBWarehouse, file: Path) -> None:
    before = warehouse.state()
    warehouse.run(checked("SELECT id FROM people"))
    assert warehouse.state() == before
    with duckdb.connect(str(file)) as connection:
        connection.execute("INSERT INTO people SELECT i, 'x', 'y', 1 FROM range(9999) AS r(i)")
    assert warehouse.state() != before


@pytest.mark.parametrize("path", ["md:shop", "motherduck:shop", ":memory:"])
def test_a_place_that_is_no_local_file_is_refused(path: str) -> None:
    with pytest.raises(AdapterUnsupportedError) as caught:
        DuckDBWarehouse({"shop": path}, BUDGET)
    assert caught.value.hint


@pytest.mark.parametrize("adapter", ["postgres", "snowflake", ""])
def test_another_adapter_is_refused(adapter: str) -> None:
    with pytest.raises(AdapterUnsupportedError):
        check_adapter(adapter)
    check_adapter("duckdb")


def test_a_memory_limit_that_duckdb_cannot_read_is_a_warehouse_error(file: Path) -> None:
    warehouse = DuckDBWarehouse({"shop": str(file)}, Budget(5, "lots", 2, 0.3))
    with pytest.raises(WarehouseError):
        warehouse.describe([PEOPLE])


def test_a_quote_in_the_files_name_does_no_harm(file: Path) -> None:
    odd = file.with_name("it's.duckdb")
    file.rename(odd)
    warehouse = DuckDBWarehouse({"shop": str(odd)}, BUDGET)
    assert isinstance(warehouse.run(checked("SELECT id FROM people")), Rows)
