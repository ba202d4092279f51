"""`make demo`: builds the example project with dbt, asks it three questions, and checks the
answers against SQL.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb

from evals.building import EXAMPLE, EXAMPLE_DATABASE, BuildError, build_example
from t2s_dbt import open_project
from t2s_dbt.evaluation.compare import same_result

AS_OF = "2025-01-01"


@dataclass(frozen=True, slots=True)
class Demo:
    """A question, and the SQL over the built models that gives its answer."""

    question: str
    gold_sql: str


DEMOS = (
    Demo(
        "Which product category had the highest return rate in 2024?",
        """
        select p.category, sum(i.returned_quantity) / sum(i.quantity)
        from fct_order_items i
        join dim_products p using (product_id)
        join fct_orders o using (order_id)
        where o.order_status <> 'cancelled' and year(i.ordered_at) = 2024
        group by 1 order by 2 desc limit 1
        """,
    ),
    Demo(
        "What was revenue by month in 2024?",
        """
        select date_trunc('month', i.ordered_at), sum(i.line_amount)
        from fct_order_items i join fct_orders o using (order_id)
        where o.order_status <> 'cancelled' and year(i.ordered_at) = 2024
        group by 1 order by 1
        """,
    ),
    Demo(
        "How many customers in Germany have never placed an order?",
        """
        select count(*) from dim_customers c
        where c.country = 'Germany'
          and not exists (select 1 from fct_orders o where o.customer_id = c.customer_id)
        """,
    ),
)


def main() -> int:
    """Runs the demo; the exit status is 1 when an answer is not what its SQL gives."""
    sys.stdout.write("Building example_project with dbt …\n")
    try:
        build_example()
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    wrong = [demo.question for demo in DEMOS if not _shown_and_right(demo)]
    for question in wrong:
        sys.stderr.write(f"\nThe answer to {question!r} is not what its SQL gives.\n")
    sys.stdout.write(f"\n{len(DEMOS) - len(wrong)} of {len(DEMOS)} answers agree with plain SQL.\n")
    sys.stdout.write('Ask your own, in example_project: ../.venv/bin/dbt-t2s ask "…"\n')
    return 1 if wrong else 0


def _shown_and_right(demo: Demo) -> bool:
    """Asks as a person would, on the command line; and once more as a library, to compare the
    rows.
    """
    sys.stdout.write(f'\n$ dbt-t2s ask "{demo.question}"\n')
    sys.stdout.flush()
    command = Path(sys.executable).with_name("dbt-t2s")
    asked = subprocess.run(
        [command, "ask", demo.question, "--as-of", AS_OF],
        cwd=EXAMPLE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    answer = open_project(EXAMPLE, settings={"trace": False}).ask(demo.question)
    connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
    gold = connection.execute(demo.gold_sql).fetchall()
    connection.close()
    return asked.returncode == 0 and same_result(answer.rows, gold, ordered=True)


if __name__ == "__main__":
    sys.exit(main())
