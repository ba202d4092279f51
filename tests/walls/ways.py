"""The ways of a statement: through the guard alone, the sandbox alone, and both."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from t2s_dbt.flow import GUARD_SEAL, CheckedSql, Exposed, Failure, Rows
from t2s_dbt.guard.check import check
from t2s_dbt.guard.plan import judge_plan
from t2s_dbt.warehouse.budget import Budget
from t2s_dbt.warehouse.duckdb import DuckDBWarehouse
from tests.walls.worlds import CATALOG

MAX_ROWS = 100
SECONDS = 0.5
MAX_PLAN_ROWS = 10_000_000_000
BUDGET = Budget(SECONDS, "200MB", 2, lock_wait=1)


@dataclass(frozen=True)
class Outcome:
    """How a way ended in one word, and everything that it said."""

    verdict: str
    text: str


Way = Callable[[str, Path], Outcome]


def guard_alone(sql: str, folder: Path) -> Outcome:
    """The guard's code; what passes runs on a plain connection that may do everything."""
    checked = check(sql, CATALOG, max_rows=MAX_ROWS)
    if isinstance(checked, Failure):
        return _told(checked.code.upper(), checked, folder)
    config: dict[str, str | bool | int | float | list[str]] = {"memory_limit": BUDGET.memory}
    with duckdb.connect(str(folder / "shop.duckdb"), config=config) as connection:
        timer = threading.Timer(SECONDS, connection.interrupt)
        timer.start()
        try:
            plan = connection.execute(f"EXPLAIN (FORMAT json) {checked.sql}").fetchall()[0][1]
            if absurd := judge_plan(plan, MAX_PLAN_ROWS):
                return _told("plan", absurd, folder)
            rows = connection.execute(checked.sql).fetchmany(MAX_ROWS)
            return _told("passes", (connection.description, _sorted(sql, rows)), folder)
        except duckdb.Error as error:
            return _told("passes", str(error), folder)
        finally:
            timer.cancel()


def sandbox_alone(sql: str, folder: Path) -> Outcome:
    """What the sandbox does with a statement that no guard has seen, with every table shown."""
    shown = tuple(
        Exposed(table.name, table.relation, tuple(column.name for column in table.columns))
        for table in CATALOG.tables
    )
    return _run(CheckedSql(sql, shown, MAX_ROWS, GUARD_SEAL), folder)


def both(sql: str, folder: Path) -> Outcome:
    """What a question gets."""
    checked = check(sql, CATALOG, max_rows=MAX_ROWS)
    if isinstance(checked, Failure):
        return _told("stopped", checked, folder)
    plan = _warehouse(folder).explain(checked)
    absurd = plan if isinstance(plan, Failure) else judge_plan(plan, MAX_PLAN_ROWS)
    return _told("stopped", absurd, folder) if absurd else _run(checked, folder)


WAYS: dict[str, Way] = {"guard": guard_alone, "sandbox": sandbox_alone, "both": both}


def _warehouse(folder: Path) -> DuckDBWarehouse:
    return DuckDBWarehouse({"shop": str(folder / "shop.duckdb")}, BUDGET)


def _run(checked: CheckedSql, folder: Path) -> Outcome:
    outcome = _warehouse(folder).run(checked)
    if isinstance(outcome, Rows):
        rows = _sorted(checked.sql, outcome.rows)
        return _told("runs", (outcome.columns, outcome.types, rows), folder)
    return _told("stopped", outcome, folder)


def _sorted(sql: str, rows: Iterable[object]) -> list[str]:
    """The rows as texts, in an order of their own where the query asks for none."""
    texts = [repr(row) for row in rows]
    return texts if "order by" in sql.lower() else sorted(texts)


def _told(verdict: str, said: object, folder: Path) -> Outcome:
    return Outcome(verdict, repr(said).replace(str(folder), "$DIR"))
