"""Questions that were or are misread: each must be answered right, or not at all."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import pytest

from evals.building import EXAMPLE_DATABASE
from t2s_dbt import Assistant, Status
from t2s_dbt.evaluation.compare import same_result

AS_OF = date(2024, 11, 15)
BY_CATEGORY = (
    "from fct_order_items i join fct_orders o using (order_id) join dim_products p "
    "using (product_id) where o.order_status <> 'cancelled'"
)


def mended(reason: str, question: str, sql: str) -> object:
    """A case that once went wrong, and how."""
    assert reason
    return pytest.param(question, sql, id=question)


@pytest.fixture(scope="module")
def database(example: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    del example
    connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("question", "sql"),
    [
        mended(
            "'by category' is taken for the value 'category' of promotion_type",
            "products other than Shoes and Garden by category",
            "select category, count(*) from dim_products "
            "where category not in ('Shoes', 'Garden') group by 1",
        ),
        mended(
            "'orders' is taken for the column dim_categories.order",
            "how many orders with returns",
            "select count(distinct order_id) from fct_returns",
        ),
        mended(
            "'orders' is taken for the column dim_categories.order, 'number' for line_number",
            "number of orders over 500 euros",
            "select count(*) from fct_orders where order_total > 500",
        ),
        mended(
            "the many side is listed with the supplier's name, not the suppliers",
            "suppliers with discontinued products",
            "select distinct s.supplier_id, supplier_name from dim_suppliers s "
            "join dim_products using (supplier_id) where is_discontinued",
        ),
        mended(
            "the many side is listed with the store's name, not the stores",
            "stores with returns in December 2024",
            "select distinct s.store_id, store_name from dim_stores s join fct_returns "
            "using (store_id) where returned_at >= '2024-12-01' and returned_at < '2025-01-01'",
        ),
        mended(
            "'per order' is taken for a grouping by rpt_daily_revenue.order_date",
            "average revenue per order",
            "select sum(line_amount) / count(distinct order_id) from fct_order_items "
            "join fct_orders using (order_id) where order_status <> 'cancelled'",
        ),
        mended(
            "a column of a report is taken where a metric of that name is meant",
            "median revenue",
            "select median(net_amount) from fct_orders where order_status <> 'cancelled'",
        ),
        mended(
            "'per category' behind 'top N' is read as one more grouping, not a ranking in each",
            "top 2 products per category by revenue",
            f"select p.category, p.product_name {BY_CATEGORY} group by 1, 2 qualify "
            "row_number() over (partition by p.category order by sum(line_amount) desc) <= 2",
        ),
        mended(
            "'in each quarter' behind 'top N' is read as one more grouping",
            "top 3 products by units sold in each quarter of 2024",
            "select date_trunc('quarter', i.ordered_at), p.product_name "
            f"{BY_CATEGORY} and year(i.ordered_at) = 2024 group by 1, 2 qualify row_number() "
            "over (partition by 1 order by sum(quantity) desc) <= 3",
        ),
        mended(
            "'day of week' is read as the grains day and week",
            "orders by day of week",
            "select dayofweek(ordered_at), count(*) from fct_orders group by 1",
        ),
        mended(
            "'month of year' is read as the grains month and year",
            "orders by month of year",
            "select month(ordered_at), count(*) from fct_orders group by 1",
        ),
        mended(
            "'week day' is read as the grains week and day",
            "orders per week day",
            "select dayofweek(ordered_at), count(*) from fct_orders group by 1",
        ),
        mended(
            "a limit on a single total is kept and means nothing",
            "5 orders",
            "select order_id from fct_orders limit 5",
        ),
        mended(
            "'delivery month' becomes a target month and the ticket topic 'delivery'",
            "orders by delivery month",
            "select date_trunc('month', delivered_at), count(*) from fct_orders group by 1",
        ),
        mended(
            "'shipped' is taken for the order status although 'shipped by' names the carrier",
            "how many orders were shipped by Relay",
            "select count(distinct order_id) from fct_shipments where carrier = 'Relay'",
        ),
        mended(
            "'not delivered' becomes 'with no shipments'",
            "how many orders have been shipped but not delivered?",
            "select count(*) from fct_orders "
            "where order_status = 'shipped' and delivered_at is null",
        ),
        mended(
            "the period goes to the sign-up date, though the order is what was in 2024",
            "customers whose first order was in 2024",
            "select customer_id from fct_orders where is_first_order and year(ordered_at) = 2024",
        ),
        mended(
            "distinct values of a flag are counted where its rows are meant",
            "how many first orders in 2024",
            "select count(*) from fct_orders where is_first_order and year(ordered_at) = 2024",
        ),
        mended(
            "'ending in 2023' is a pattern on the name, though promotions have an end date",
            "promotions ending in 2023",
            "select promotion_id from dim_promotions where year(ends_on) = 2023",
        ),
        mended(
            "a value on the many side of a customer is a condition on orders",
            "orders by mobile and tablet",
            "select device, count(*) from fct_web_sessions group by 1",
        ),
        mended(
            "'list the distinct' is counted",
            "list the distinct return reasons",
            "select distinct return_reason from fct_returns",
        ),
        mended(
            "a number is compared with the text column product_name, which fails in the database",
            "how many brands have more than 5 products",
            "select count(*) from (select brand from dim_products group by 1 having count(*) > 5)",
        ),
        mended(
            "'or' between conditions on two columns is read as 'and'",
            "products in Toys or with list price over 300",
            "select product_id from dim_products where category = 'Toys' or list_price > 300",
        ),
        mended(
            "'or' between values of two columns is read as 'and'",
            "customers in Berlin or gold",
            "select customer_id from dim_customers where city = 'Berlin' or loyalty_tier = 'gold'",
        ),
        mended(
            "'or' between a value and a period is read as 'and'",
            "orders online or in 2023",
            "select count(*) from fct_orders where channel = 'online' or year(ordered_at) = 2023",
        ),
        mended(
            "'or' between conditions on a metric is read as 'and'",
            "revenue of Velora or in Paris stores",
            "select sum(i.line_amount) from fct_order_items i join fct_orders o using (order_id) "
            "join dim_products p using (product_id) join dim_stores s on s.store_id = i.store_id "
            "where o.order_status <> 'cancelled' and (p.brand = 'Velora' or s.city = 'Paris')",
        ),
        mended(
            "'or' between a missing value and a value is read as 'and'",
            "orders with no promotion or online",
            "select count(*) from fct_orders where promotion_id is null or channel = 'online'",
        ),
        mended(
            "'have not ordered' becomes 'no order items' and, beside it, 'with orders in 2024'",
            "how many customers have not ordered in 2024",
            "select count(*) from dim_customers c where not exists (select 1 from fct_orders o "
            "where o.customer_id = c.customer_id and year(o.ordered_at) = 2024)",
        ),
        mended(
            "'no orders' and 'with online orders' are both asked, so nothing can be found",
            "how many customers did not order online",
            "select count(*) from dim_customers c where not exists (select 1 from fct_orders o "
            "where o.customer_id = c.customer_id and o.channel = 'online')",
        ),
        mended(
            "'no order items' and 'with products in Shoes' are both asked",
            "which customers never ordered Shoes?",
            "select customer_id from dim_customers c where not exists (select 1 "
            "from fct_order_items i join dim_products p using (product_id) "
            "where i.customer_id = c.customer_id and p.category = 'Shoes')",
        ),
        mended(
            "'no tickets' and 'with tickets about billing' are both asked",
            "customers without tickets about billing",
            "select customer_id from dim_customers c where not exists (select 1 "
            "from fct_support_tickets t where t.customer_id = c.customer_id "
            "and topic = 'billing')",
        ),
        mended(
            "'without discontinued products' becomes 'is_discontinued is missing'",
            "suppliers without discontinued products",
            "select supplier_id from dim_suppliers s where not exists (select 1 "
            "from dim_products p where p.supplier_id = s.supplier_id and is_discontinued)",
        ),
        mended(
            "'without late orders' becomes orders whose is_late is missing",
            "stores without late orders",
            "select store_id from dim_stores s where not exists (select 1 "
            "from fct_orders o where o.store_id = s.store_id and is_late)",
        ),
        mended(
            "a period behind the related rows goes to the sign-up date of the customers",
            "how many customers with cancelled orders in 2024",
            "select count(distinct customer_id) from fct_orders "
            "where order_status = 'cancelled' and year(ordered_at) = 2024",
        ),
        mended(
            "a second counted thing becomes a condition (the channel 'store')",
            "number of customers and stores",
            "select (select count(*) from dim_customers), (select count(*) from dim_stores)",
        ),
        mended(
            "a percentage is always divided by 100, also where the column holds percents",
            "markets with vat percent above 20%",
            "select market_code from dim_markets where vat_percent > 20",
        ),
        mended(
            "a percentage is always divided by 100, also where the column holds percents",
            "promotions with a discount percent of at least 25 percent",
            "select promotion_id from dim_promotions where discount_percent >= 25",
        ),
        mended(
            "the sign of a number is lost with the tokens",
            "how many tickets with a satisfaction score above -3",
            "select count(*) from fct_support_tickets where satisfaction_score > -3",
        ),
        mended(
            "the first month of a range takes the present year, so the range runs backwards",
            "orders between January and March 2023",
            "select count(*) from fct_orders "
            "where ordered_at >= '2023-01-01' and ordered_at < '2023-04-01'",
        ),
        mended(
            "a number is compared with the text column brand, which fails in the database",
            "brands with revenue over 10000",
            f"select p.brand {BY_CATEGORY} group by 1 having sum(line_amount) > 10000",
        ),
        mended(
            "a grouping by the column that a negated value is in is dropped",
            "number of products other than Shoes and Garden by category",
            "select category, count(*) from dim_products "
            "where category not in ('Shoes', 'Garden') group by 1",
        ),
        mended(
            "'when did … sign up' is taken for the metric sign-ups",
            "when did Carmen Campos sign up",
            "select signed_up_on from dim_customers where customer_name = 'Carmen Campos'",
        ),
        mended(
            "'by' behind a noun of action names who did it, it does not group",
            "orders by customers who signed up in 2023",
            "select count(*) from fct_orders join dim_customers using (customer_id) "
            "where year(signed_up_on) = 2023",
        ),
        mended(
            "a lone word of counting is taken for the column line_number",
            "number",
            "select 1 where false",
        ),
        mended(
            "'returned' and 'Shoes' are asked of two rows that may be different ones",
            "customers who returned Shoes",
            "select distinct customer_id from fct_returns join dim_products using (product_id) "
            "where category = 'Shoes'",
        ),
    ],
)
def test_a_question_is_answered_right_or_not_at_all(
    question: str, sql: str, assistant: Assistant, database: duckdb.DuckDBPyConnection
) -> None:
    answer = assistant.ask(question, AS_OF)
    if answer.status in (Status.REFUSED, Status.CLARIFY):
        return
    gold = database.execute(sql).fetchall()
    assert same_result(answer.rows, gold, ordered=False), answer.understood
