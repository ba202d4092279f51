"""A small shop as a DuckDB file, and the catalog that shows part of it."""

from pathlib import Path

import duckdb
import pytest

from t2s_dbt.catalog import Catalog, Column, HiddenColumn, Relation, Table
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse


def _table(name: str, columns: str, schema: str = "main", identifier: str | None = None) -> Table:
    shown = tuple(
        Column(column.replace("~", " "), data_type)
        for column, data_type in (part.split(":") for part in columns.split())
    )
    relation = Relation("shop", schema, identifier or name)
    return Table(name, f"model.shop.{name}", relation, shown)


TABLES = (
    _table("customers", "customer_id:INTEGER name:VARCHAR country:VARCHAR"),
    _table(
        "orders",
        "order_id:INTEGER customer_id:INTEGER amount:DOUBLE ordered_at:TIMESTAMP tags:VARCHAR[]",
    ),
    _table("odd", "order:INTEGER group:VARCHAR 47_1_Id:INTEGER two~words:INTEGER", "Odd Schema"),
    _table("legacy", "id:INTEGER", identifier="orders_old"),
)
CATALOG = Catalog(
    tables=TABLES,
    hidden=(HiddenColumn(TABLES[0].relation, "customers", "email", "flagged in its YAML"),),
)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> DuckDBWarehouse:
    """The warehouse over the shop's file."""
    path: Path = tmp_path_factory.mktemp("shop") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            """
            CREATE TABLE customers (customer_id INT, name VARCHAR, country VARCHAR, email VARCHAR);
            INSERT INTO customers VALUES
                (1, 'Ann', 'DE', 'top-secret@1'), (2, 'Bob', 'FR', 'top-secret@2'),
                (3, NULL, NULL, NULL);
            CREATE TABLE orders (
                order_id INT, customer_id INT, amount DOUBLE, ordered_at TIMESTAMP, tags VARCHAR[]
            );
            INSERT INTO orders
                SELECT i, i % 3 + 1, i * 1.5,
                    TIMESTAMP '2024-01-01' + INTERVAL 1 DAY * i, ['a', 'b']
                FROM range(300) AS r(i);
            CREATE SCHEMA "Odd Schema";
            CREATE TABLE "Odd Schema".odd AS
                SELECT 1 AS "order", 'x' AS "group", 2 AS "47_1_Id", 3 AS "two words";
            CREATE TABLE orders_old AS SELECT 7 AS id;
            CREATE TABLE salaries AS SELECT 'top-secret@3' AS amount;
            """
        )
    return DuckDBWarehouse({"shop": str(path)}, Budget(5, "500MB", 2, 1))
