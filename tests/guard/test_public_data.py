"""Public sets: every gold query is accepted, and no hostile case gets through both walls."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from t2s_dbt.catalog import Catalog, Column, HiddenColumn, Relation, Table
from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.guard.check import check
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.conftest import SHARED_DATA

SETS = ("spider", "defog", "bird_superhero", "mf_demo")
_CASES = SHARED_DATA / "safety" / "guard_cases.json"
CASES: list[dict[str, str]] = json.loads(_CASES.read_bytes()) if _CASES.is_file() else []
SECRET = "top-secret-value"
# What the cases themselves list as harmless reads of visible columns.
HARMLESS = {"g171", "g172", "g176", "g178", "g179", "g180"}


@cache
def _catalog(path: Path) -> Catalog:
    tables: dict[str, Any] = json.loads(path.read_bytes())["tables"]
    return Catalog(
        tables=tuple(
            Table(
                name,
                f"model.{name}",
                Relation("db", "main", name),
                tuple(Column(column["name"], column["type"]) for column in table["columns"]),
            )
            for name, table in tables.items()
        )
    )


@pytest.mark.parametrize("name", SETS)
def test_every_gold_query_is_accepted(shared_data: Path, name: str) -> None:
    lines = (shared_data / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rejected = []
    for question in map(json.loads, lines):
        catalog = _catalog(shared_data / name / "db" / question["db"] / "schema.json")
        for sql in (question["gold_sql"], *question.get("also_accepted", ())):
            outcome = check(sql, catalog, max_rows=1000)
            if isinstance(outcome, Failure):
                rejected.append((question["id"], outcome.message))
    assert lines
    assert rejected == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the hostile cases are after, and the shop's database."""
    place = tmp_path_factory.mktemp("safety")
    with duckdb.connect(str(place / "shop.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE customers (customer_id INT, name VARCHAR, email VARCHAR);"
            f"INSERT INTO customers VALUES (1, 'Ann', '{SECRET}');"
            "CREATE TABLE orders (order_id INT, customer_id INT, amount INT, ordered_at DATE);"
            "INSERT INTO orders VALUES (1, 1, 5, '2024-01-01')"
        )
        connection.execute(f"COPY (SELECT '{SECRET}' AS a) TO '{place}/s.parquet'")
    with duckdb.connect(str(place / "other.duckdb")) as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{SECRET}' AS a")
    for name in ("secret.csv", "secret.txt"):
        (place / name).write_text(f"user\n{SECRET}\n", encoding="utf-8")
    (place / "s.json").write_text(json.dumps({"a": SECRET}), encoding="utf-8")
    return place


def _shop() -> Catalog:
    customers, orders = Relation("shop", "main", "customers"), Relation("shop", "main", "orders")
    names = ("order_id", "customer_id", "amount", "ordered_at")
    return Catalog(
        tables=(
            Table("customers", "c", customers, (Column("customer_id"), Column("name"))),
            Table("orders", "o", orders, tuple(map(Column, names))),
        ),
        hidden=(HiddenColumn(customers, "customers", "email", "flagged"),),
    )


def _state(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file()
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']}-{case['category']}")
def test_a_case_is_rejected_or_does_no_harm(folder: Path, case: dict[str, str]) -> None:
    before = _state(folder)
    warehouse = DuckDBWarehouse(
        {"shop": str(folder / "shop.duckdb")}, Budget(0.5, "200MB", 2, lock_wait=1)
    )
    outcome = check(case["sql"].replace("$DIR", str(folder)), _shop(), max_rows=100)
    if isinstance(outcome, CheckedSql):
        assert case["category"] == "resource" or case["id"] in HARMLESS
        assert SECRET not in str(warehouse.run(outcome))
    assert _state(folder) == before


def test_most_cases_never_reach_the_database(shared_data: Path) -> None:
    passed = {
        c["id"] for c in CASES if isinstance(check(c["sql"], _shop(), max_rows=9), CheckedSql)
    }
    assert len(CASES) >= 100
    assert len(passed) <= 12
