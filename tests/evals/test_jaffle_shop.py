"""The jaffle shop: a second project, built from its raw files, whose answers are computed
anew from these files.
"""

from datetime import date
from pathlib import Path

import duckdb
import pytest

from evals.building import ROOT, build
from t2s_dbt import Assistant, Status, open_project
from t2s_dbt.evaluation.compare import same_result

PROJECT = ROOT / "evals" / "projects" / "jaffle_shop"
AS_OF = date(2019, 9, 1)

pytestmark = pytest.mark.slow

# SQL over views of the raw parquet files, in which money is in cents; and the tier that answers.
QUESTIONS = [
    (
        "What was the revenue per month?",
        "metric",
        """
        select date_trunc('month', o.ordered_at), sum(p.price) / 100.0
        from raw_items i join raw_orders o on o.id = i.order_id join raw_products p on p.sku = i.sku
        group by 1 order by 1
        """,
    ),
    (
        "How much revenue did each store make in 2019?",
        "metric",
        """
        select s.name, sum(o.subtotal) / 100.0
        from raw_orders o join raw_stores s on s.id = o.store_id
        where year(o.ordered_at) = 2019 group by 1
        """,
    ),
    (
        "What are the top 5 products by revenue?",
        "metric",
        """
        select trim(p.name), sum(p.price) / 100.0
        from raw_items i join raw_products p on p.sku = i.sku
        group by 1 order by 2 desc limit 5
        """,
    ),
    ("How many customers do we have?", "sql", "select count(*) from raw_customers"),
    (
        "How many different customers ordered in July 2019?",
        "sql",
        """
        select count(distinct customer) from raw_orders
        where ordered_at >= timestamp '2019-07-01' and ordered_at < timestamp '2019-08-01'
        """,
    ),
    (
        "How many orders had an order total above 50 dollars?",
        "sql",
        "select count(*) from raw_orders where order_total > 5000",
    ),
    (
        "List the perishable supplies of the product mel-bun with their unit cost.",
        "sql",
        """
        select u.name, u.cost / 100.0
        from raw_supplies u join raw_products p on p.sku = u.sku
        where p.name = 'mel-bun' and u.perishable
        """,
    ),
    (
        "What is the average order value in Brooklyn?",
        "metric",
        """
        select avg(o.subtotal) / 100.0
        from raw_orders o join raw_stores s on s.id = o.store_id where s.name = 'Brooklyn'
        """,
    ),
    (
        "What is the gross profit of each product?",
        "metric",
        """
        with recipe as (select sku, sum(cost) as cost from raw_supplies group by sku)
        select trim(p.name), sum(p.price - r.cost) / 100.0
        from raw_items i join raw_products p on p.sku = i.sku join recipe r on r.sku = i.sku
        group by 1
        """,
    ),
    (
        "How many orders were placed in Philadelphia in December 2018?",
        "metric",
        """
        select count(*) from raw_orders o join raw_stores s on s.id = o.store_id
        where s.name = 'Philadelphia' and date_trunc('month', o.ordered_at) = timestamp '2018-12-01'
        """,
    ),
    (
        "What is the average price of a beverage?",
        "sql",
        "select avg(price) / 100.0 from raw_products where type = 'beverage'",
    ),
]


@pytest.fixture(scope="module")
def raw(shared_data: Path) -> Path:
    """The folder of raw parquet files."""
    folder = shared_data / "jaffle_shop"
    if not folder.is_dir():
        pytest.skip(f"the raw files of the jaffle shop are not in {folder}")
    return folder


@pytest.fixture(scope="module")
def jaffle(raw: Path) -> Assistant:
    """An assistant over the built jaffle shop."""
    build(
        PROJECT,
        PROJECT / "jaffle_shop.duckdb",
        ("--vars", f"{{raw_dir: '{raw.resolve()}'}}"),
    )
    return open_project(PROJECT, settings={"trace": False}, environment={})


@pytest.mark.parametrize(("question", "tier", "gold"), QUESTIONS, ids=[q for q, _, _ in QUESTIONS])
def test_answers_agree_with_the_raw_files(
    question: str, tier: str, gold: str, jaffle: Assistant, raw: Path
) -> None:
    answer = jaffle.ask(question, AS_OF)
    assert answer.status is Status.ANSWERED, answer.text
    assert answer.tier == tier
    connection = duckdb.connect()
    for path in raw.glob("*.parquet"):
        connection.execute(f"create view {path.stem} as select * from '{path}'")
    rows = connection.execute(gold).fetchall()
    connection.close()
    assert same_result(answer.rows, rows, ordered="order by" in gold)
