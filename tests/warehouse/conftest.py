"""A small database file, and ways to run SQL on it with and without the guard."""

import shutil
from pathlib import Path

import duckdb
import pytest

from t2s_dbt.catalog import Catalog, Column, HiddenColumn, Relation, Table
from t2s_dbt.flow import GUARD_SEAL, CheckedSql, Exposed
from t2s_dbt.guard.check import check
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse

PEOPLE = Relation("shop", "main", "people")
ODD = Relation("shop", "Odd Schema", 'od"d')
SECRET = "top-secret-value"
BUDGET = Budget(seconds=5, memory="500MB", threads=2, lock_wait=0.3)


def catalog() -> Catalog:
    """What may be seen of the file: everything but people's mail."""
    people = Table(
        "people",
        "model.people",
        PEOPLE,
        (Column("id", "INTEGER"), Column("name", "VARCHAR"), Column("order", "INTEGER")),
    )
    odd = Table("odd", "model.odd", ODD, (Column("47_1_TransId", "INTEGER"), Column('a"b', "DATE")))
    hidden = HiddenColumn(PEOPLE, "people", "email", "flagged in its YAML")
    return Catalog(tables=(people, odd), hidden=(hidden,))


def checked(sql: str, max_rows: int = 10) -> CheckedSql:
    """What the guard makes of a statement."""
    outcome = check(sql, catalog(), max_rows=max_rows)
    assert isinstance(outcome, CheckedSql), outcome
    return outcome


def unguarded(sql: str, columns: tuple[str, ...] = ("id", "name", "order")) -> CheckedSql:
    """A statement that no guard has seen."""
    return CheckedSql(sql, (Exposed("people", PEOPLE, columns),), 10, GUARD_SEAL)


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("made") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            f"""
            CREATE TABLE people (id INT, name VARCHAR, email VARCHAR, "order" INT);
            INSERT INTO people VALUES
                (1, 'Ann', '{SECRET}', 3), (2, 'Bob', '{SECRET}', 2), (3, 'Bob', NULL, 1);
            CREATE TABLE salaries AS SELECT '{SECRET}' AS amount;
            CREATE SCHEMA "Odd Schema";
            CREATE TABLE "Odd Schema"."od""d" ("47_1_TransId" INT, "a""b" DATE);
            INSERT INTO "Odd Schema"."od""d" VALUES (5, '2024-01-01');
            """
        )
    return path


@pytest.fixture
def file(_made: Path, tmp_path: Path) -> Path:
    """A database file with three people, and a table with odd names."""
    return Path(shutil.copy(_made, tmp_path))


@pytest.fixture
def warehouse(file: Path) -> DuckDBWarehouse:
    """The warehouse over that file."""
    return DuckDBWarehouse({"shop": str(file)}, BUDGET)
