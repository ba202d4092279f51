"""A hidden column is as if it were not there: harmless queries give what they give without it."""

from pathlib import Path

import duckdb
import pytest

from t2s_dbt.flow import CheckedSql, Rows
from t2s_dbt.guard.check import check
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.walls.ways import BUDGET, MAX_ROWS
from tests.walls.worlds import CATALOG, Worlds

HARMLESS = Path(__file__).with_name("harmless.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory, _built: Worlds) -> Path:
    """The shop's database without its hidden columns."""
    file: Path = tmp_path_factory.mktemp("without") / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"ATTACH '{_built.real / 'shop.duckdb'}' AS whole (READ_ONLY)")
        for table, hidden in (("customers", "email"), ("customer_contacts", "contact")):
            connection.execute(
                f"CREATE TABLE {table} AS SELECT * EXCLUDE ({hidden}) FROM whole.main.{table}"
            )
        connection.execute("CREATE TABLE orders AS FROM whole.main.orders")
    return file


def _rows(file: Path, sql: str) -> tuple[list[str], list[str]]:
    with duckdb.connect(str(file), read_only=True) as connection:
        cursor = connection.execute(sql)
        return _shown([column[0] for column in cursor.description or ()], cursor.fetchall())


def _shown(columns: list[str], rows: list[tuple[object, ...]]) -> tuple[list[str], list[str]]:
    return columns, sorted(map(repr, rows))


def test_there_are_enough() -> None:
    assert len(set(HARMLESS)) == len(HARMLESS) >= 40


@pytest.mark.parametrize("sql", HARMLESS)
def test_a_harmless_query_gives_the_same(sql: str, without: Path, worlds: Worlds) -> None:
    expected = _rows(without, sql)
    checked = check(sql, CATALOG, max_rows=MAX_ROWS)
    assert isinstance(checked, CheckedSql), checked
    file = worlds.real / "shop.duckdb"
    assert _rows(file, checked.sql)[1] == expected[1]
    found = DuckDBWarehouse({"shop": str(file)}, BUDGET).run(checked)
    assert isinstance(found, Rows), found
    assert _shown(list(found.columns), list(found.rows))[1] == expected[1]
