"""Times the guard: `python -m evals.bench.guard` prints milliseconds of CPU time by statement.

The limits that are held: 5 ms for a query of ordinary size, 60 ms for one of 300 lines, and 200 ms
until an absurd one is refused. Exit status 1 when a median is above its limit.
"""

import gc
import statistics
import sys
import time
from collections.abc import Callable

from evals.building import build_example
from t2s_dbt.flow import CheckedSql, Failure
from t2s_dbt.opening import open_guard

RUNS = 15
ORDINARY, LONG, ABSURD = 5.0, 60.0, 200.0


def _long(parts: int = 32) -> str:
    """About 300 lines: CTEs with a case and a subquery each, joined and added up."""
    ctes = ",\n".join(
        f"c{n} AS (\n  SELECT\n    o.order_id,\n    o.store_id,\n    o.order_total * {n} AS v,\n"
        f"    CASE WHEN o.order_total > {n} THEN 'a' ELSE 'b' END AS k\n  FROM fct_orders AS o\n"
        f"  WHERE o.order_id IN (SELECT order_id FROM fct_order_items WHERE quantity > {n})\n)"
        for n in range(parts)
    )
    joins = "\n".join(f"LEFT JOIN c{n} ON c{n}.order_id = c0.order_id" for n in range(1, parts))
    sums = ", ".join(f"sum(c{n}.v)" for n in range(parts))
    return f"WITH {ctes}\nSELECT {sums}\nFROM c0\n{joins}"


STATEMENTS: dict[str, tuple[str, float]] = {
    "count by country": ("SELECT country, count(*) FROM dim_customers GROUP BY ALL", ORDINARY),
    "top stores": (
        "SELECT s.store_name, sum(o.order_total) AS total FROM fct_orders AS o "
        "JOIN dim_stores AS s USING (store_id) WHERE o.ordered_at >= DATE '2024-01-01' "
        "GROUP BY ALL ORDER BY total DESC LIMIT 10",
        ORDINARY,
    ),
    "window and CTE": (
        "WITH m AS (SELECT date_trunc('month', ordered_at) AS month, sum(order_total) AS total "
        "FROM fct_orders GROUP BY 1) SELECT month, total, total - lag(total) OVER (ORDER BY month) "
        "FROM m ORDER BY month",
        ORDINARY,
    ),
    "300 lines": (_long(), LONG),
    "1 MB": ("SELECT '" + "x" * 1_000_000 + "'", ABSURD),
    "10,000 deep": ("SELECT " + "(" * 10_000 + "1" + ")" * 10_000, ABSURD),
    "10,000 subqueries": ("SELECT * FROM (" * 10_000 + "SELECT 1" + ")" * 10_000, ABSURD),
}


def milliseconds(check: Callable[[str], CheckedSql | Failure], sql: str) -> list[float]:
    """The CPU times of some checks of one statement, the first left out."""
    check(sql)
    times = []
    for _ in range(RUNS):
        started = time.process_time()
        check(sql)
        times.append((time.process_time() - started) * 1000)
    return times


def main() -> int:
    """Prints the table; returns the exit status."""
    check = open_guard(build_example(), environment={})
    gc.freeze()  # the project's manifest is no garbage that the guard makes
    slow = 0
    print(f"{'statement':<20}{'lines':>6}{'median':>9}{'most':>9}{'limit':>8}  verdict")
    for name, (sql, limit) in STATEMENTS.items():
        times = milliseconds(check, sql)
        outcome = check(sql)
        verdict = "allowed" if isinstance(outcome, CheckedSql) else outcome.code
        median, lines = statistics.median(times), sql.count("\n") + 1
        slow += median > limit
        print(f"{name:<20}{lines:>6}{median:>9.2f}{max(times):>9.2f}{limit:>8.0f}  {verdict}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
