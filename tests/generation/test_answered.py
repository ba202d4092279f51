"""Questions that the rules read, each with SQL over the built models that says what is right."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import duckdb
import pytest

from evals.building import EXAMPLE_DATABASE
from t2s_dbt import Assistant, Status
from t2s_dbt.evaluation.compare import same_result
from t2s_dbt.flow import Tier

AS_OF = date(2024, 11, 15)


@dataclass(frozen=True, slots=True)
class Case:
    """A question of one group, the tier that should answer it, and the SQL that is right."""

    group: str
    question: str
    tier: Tier
    sql: str
    ordered: bool = False


CASES = (
    Case(
        "count",
        "How many products do we have?",
        Tier.SQL,
        "select count(*) from dim_products",
    ),
    Case(
        "count",
        "number of suppliers",
        Tier.SQL,
        "select count(*) from dim_suppliers",
    ),
    Case(
        "count",
        "count of stores",
        Tier.SQL,
        "select count(*) from dim_stores",
    ),
    Case(
        "count",
        "How many customers are there?",
        Tier.SQL,
        "select count(*) from dim_customers",
    ),
    Case(
        "count",
        "How many orders were placed in 2023?",
        Tier.METRIC,
        "select count(*) from fct_orders where year(ordered_at)=2023",
    ),
    Case(
        "count",
        "How many support tickets were opened in March 2024?",
        Tier.METRIC,
        "select count(*) from fct_support_tickets where opened_at>='2024-03-01' and "
        "opened_at<'2024-04-01'",
    ),
    Case(
        "count",
        "how many promotions",
        Tier.SQL,
        "select count(*) from dim_promotions",
    ),
    Case(
        "count",
        "number of web sessions from mobile",
        Tier.METRIC,
        "select count(*) from fct_web_sessions where device='mobile'",
    ),
    Case(
        "distinct",
        "How many different brands are there?",
        Tier.SQL,
        "select count(distinct brand) from dim_products",
    ),
    Case(
        "distinct",
        "how many unique carriers",
        Tier.SQL,
        "select count(distinct carrier) from fct_shipments",
    ),
    Case(
        "distinct",
        "how many different customer cities",
        Tier.SQL,
        "select count(distinct city) from dim_customers",
    ),
    Case(
        "distinct",
        "which brands do we carry?",
        Tier.SQL,
        "select distinct brand from dim_products",
    ),
    Case(
        "aggregate",
        "average list price",
        Tier.SQL,
        "select avg(list_price) from dim_products",
    ),
    Case(
        "aggregate",
        "What is the average list price of products?",
        Tier.SQL,
        "select avg(list_price) from dim_products",
    ),
    Case(
        "aggregate",
        "median list price",
        Tier.SQL,
        "select median(list_price) from dim_products",
    ),
    Case(
        "aggregate",
        "maximum list price",
        Tier.SQL,
        "select max(list_price) from dim_products",
    ),
    Case(
        "aggregate",
        "minimum unit cost",
        Tier.SQL,
        "select min(unit_cost) from dim_products",
    ),
    Case(
        "aggregate",
        "total shipping cost",
        Tier.METRIC,
        "select sum(shipping_cost) from fct_shipments",
    ),
    Case(
        "aggregate",
        "average shipping fee of orders",
        Tier.SQL,
        "select avg(shipping_fee) from fct_orders",
    ),
    Case(
        "aggregate",
        "average transit days by carrier",
        Tier.SQL,
        "select carrier,avg(transit_days) from fct_shipments group by 1",
    ),
    Case(
        "aggregate",
        "average satisfaction score",
        Tier.METRIC,
        "select avg(satisfaction_score) from fct_support_tickets",
    ),
    Case(
        "aggregate",
        "average order value",
        Tier.METRIC,
        "select sum(line_amount)/count(distinct order_id) from fct_order_items join "
        "fct_orders using(order_id) where order_status<>'cancelled'",
    ),
    Case(
        "aggregate",
        "average list price of discontinued products",
        Tier.SQL,
        "select avg(list_price) from dim_products where is_discontinued",
    ),
    Case(
        "aggregate",
        "maximum list price per brand",
        Tier.SQL,
        "select brand,max(list_price) from dim_products group by 1",
    ),
    Case(
        "aggregate",
        "average discount percent of promotions by type",
        Tier.SQL,
        "select promotion_type,avg(discount_percent) from dim_promotions group by 1",
    ),
    Case(
        "aggregate",
        "average satisfaction score by topic in 2024",
        Tier.METRIC,
        "select topic,avg(satisfaction_score) from fct_support_tickets where "
        "year(opened_at)=2024 group by 1",
    ),
    Case(
        "value",
        "stores in the UK",
        Tier.SQL,
        "select store_name from dim_stores where country = 'United Kingdom'",
    ),
    Case(
        "value",
        "suppliers from Great Britain",
        Tier.SQL,
        "select supplier_name from dim_suppliers where country = 'United Kingdom'",
    ),
    Case(
        "top",
        "top 4 products by list price",
        Tier.SQL,
        "select product_name, list_price from dim_products order by 2 desc limit 4",
    ),
    Case(
        "distinct",
        "How many categories do we have?",
        Tier.SQL,
        "select count(distinct category) from dim_products",
    ),
    Case(
        "grouping",
        "How many products per category?",
        Tier.SQL,
        "select category,count(*) from dim_products group by 1",
    ),
    Case(
        "grouping",
        "number of stores per country",
        Tier.SQL,
        "select country,count(*) from dim_stores group by 1",
    ),
    Case(
        "grouping",
        "number of customers by country and segment",
        Tier.SQL,
        "select country,segment,count(*) from dim_customers group by 1,2",
    ),
    Case(
        "grouping",
        "revenue by brand",
        Tier.METRIC,
        "select p.brand,sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' group by 1",
    ),
    Case(
        "grouping",
        "orders by channel",
        Tier.METRIC,
        "select channel,count(*) from fct_orders group by 1",
    ),
    Case(
        "grouping",
        "orders for each store format",
        Tier.METRIC,
        "select s.store_format,count(*) from fct_orders left join dim_stores s "
        "using(store_id) group by 1",
    ),
    Case(
        "grouping",
        "returns by return reason",
        Tier.METRIC,
        "select return_reason,count(*) from fct_returns group by 1",
    ),
    Case(
        "grouping",
        "average list price per brand",
        Tier.SQL,
        "select brand,avg(list_price) from dim_products group by 1",
    ),
    Case(
        "grouping",
        "shipments by carrier",
        Tier.METRIC,
        "select carrier,count(*) from fct_shipments group by 1",
    ),
    Case(
        "grouping",
        "number of suppliers by country",
        Tier.SQL,
        "select country,count(*) from dim_suppliers group by 1",
    ),
    Case(
        "grouping",
        "refunds by return reason in 2023",
        Tier.METRIC,
        "select return_reason,sum(refund_amount) from fct_returns where "
        "year(returned_at)=2023 group by 1",
    ),
    Case(
        "value",
        "How many customers live in Vienna?",
        Tier.SQL,
        "select count(*) from dim_customers where city='Vienna'",
    ),
    Case(
        "value",
        "customers in Kraków",
        Tier.SQL,
        "select customer_id,customer_name from dim_customers where city='Kraków'",
    ),
    Case(
        "value",
        "How many customers live in krakow?",
        Tier.SQL,
        "select count(*) from dim_customers where city='Kraków'",
    ),
    Case(
        "value",
        "online orders in 2024",
        Tier.METRIC,
        "select count(*) from fct_orders where channel='online' and year(ordered_at)=2024",
    ),
    Case(
        "value",
        "number of platinum customers",
        Tier.SQL,
        "select count(*) from dim_customers where loyalty_tier='platinum'",
    ),
    Case(
        "value",
        "how many corporate customers",
        Tier.SQL,
        "select count(*) from dim_customers where segment='corporate'",
    ),
    Case(
        "value",
        "products of O'Neil & Sons",
        Tier.SQL,
        "select product_id,product_name from dim_products where brand='O''Neil & Sons'",
    ),
    Case(
        "value",
        "revenue of Velora in 2023",
        Tier.METRIC,
        "select sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' and p.brand='Velora' and year(i.ordered_at)=2023",
    ),
    Case(
        "value",
        "flagship stores",
        Tier.SQL,
        "select store_id,store_name from dim_stores where store_format='flagship'",
    ),
    Case(
        "value",
        "orders of small business customers",
        Tier.METRIC,
        "select count(*) from fct_orders join dim_customers using(customer_id) where "
        "segment='small business'",
    ),
    Case(
        "value",
        "How many tickets came by phone?",
        Tier.METRIC,
        "select count(*) from fct_support_tickets where lower(channel)='phone'",
    ),
    Case(
        "value",
        "cancelled orders in 2022",
        Tier.METRIC,
        "select count(*) from fct_orders where order_status='cancelled' and year(ordered_at)=2022",
    ),
    Case(
        "value",
        "parcels sent with SwiftPost in 2024",
        Tier.METRIC,
        "select count(*) from fct_shipments where carrier='SwiftPost' and year(shipped_at)=2024",
    ),
    Case(
        "value",
        "lost parcels",
        Tier.METRIC,
        "select count(*) from fct_shipments where shipment_status='lost'",
    ),
    Case(
        "value",
        "orders with promotion Black Friday 2023",
        Tier.METRIC,
        "select count(*) from fct_orders join dim_promotions using(promotion_id) where "
        "promotion_name='Black Friday 2023'",
    ),
    Case(
        "value",
        "revenue for Paris stores",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using(order_id) "
        "join dim_stores s on s.store_id=i.store_id where order_status<>'cancelled' and "
        "s.city='Paris'",
    ),
    Case(
        "value list",
        "How many customers live in Berlin, Munich or Hamburg?",
        Tier.SQL,
        "select count(*) from dim_customers where city in ('Berlin','Munich','Hamburg')",
    ),
    Case(
        "value list",
        "number of gold and platinum customers",
        Tier.SQL,
        "select count(*) from dim_customers where loyalty_tier in ('gold','platinum')",
    ),
    Case(
        "value list",
        "How many products are in Toys or Garden?",
        Tier.SQL,
        "select count(*) from dim_products where category in ('Toys','Garden')",
    ),
    Case(
        "value list",
        "revenue of Velora and Nordlys",
        Tier.METRIC,
        "select sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' and p.brand in ('Velora','Nordlys')",
    ),
    Case(
        "value list",
        "number of orders from gold or platinum customers in 2024",
        Tier.METRIC,
        "select count(*) from fct_orders join dim_customers using(customer_id) where "
        "loyalty_tier in('gold','platinum') and year(ordered_at)=2024",
    ),
    Case(
        "number",
        "How many products have a list price over 100?",
        Tier.SQL,
        "select count(*) from dim_products where list_price>100",
    ),
    Case(
        "number",
        "products with a list price of at least 200",
        Tier.SQL,
        "select product_id,product_name from dim_products where list_price>=200",
    ),
    Case(
        "number",
        "How many orders have a net amount under 50?",
        Tier.SQL,
        "select count(*) from fct_orders where net_amount<50",
    ),
    Case(
        "number",
        "How many orders with an order total above 1k?",
        Tier.SQL,
        "select count(*) from fct_orders where order_total>1000",
    ),
    Case(
        "number",
        "tickets with a satisfaction score of exactly 5",
        Tier.SQL,
        "select ticket_id from fct_support_tickets where satisfaction_score=5",
    ),
    Case(
        "number",
        "how many promotions with a discount percent of at least 25?",
        Tier.SQL,
        "select count(*) from dim_promotions where discount_percent>=25",
    ),
    Case(
        "number",
        "number of products with unit cost over 50 and list price under 120",
        Tier.SQL,
        "select count(*) from dim_products where unit_cost>50 and list_price<120",
    ),
    Case(
        "number",
        "orders with delivery days over 7",
        Tier.SQL,
        "select order_id from fct_orders where delivery_days>7",
    ),
    Case(
        "number",
        "markets with vat percent above 20",
        Tier.SQL,
        "select market_code from dim_markets where vat_percent>20",
    ),
    Case(
        "range",
        "How many products have a list price between 50 and 100?",
        Tier.SQL,
        "select count(*) from dim_products where list_price between 50 and 100",
    ),
    Case(
        "range",
        "How many orders with an order total between 100 and 200 euros?",
        Tier.SQL,
        "select count(*) from fct_orders where order_total between 100 and 200",
    ),
    Case(
        "pattern",
        "products whose product name starts with Tern",
        Tier.SQL,
        "select product_id,product_name from dim_products where product_name ilike 'tern%'",
    ),
    Case(
        "pattern",
        'how many customers whose customer name contains "frost"?',
        Tier.SQL,
        "select count(*) from dim_customers where customer_name ilike '%frost%'",
    ),
    Case(
        "pattern",
        "products ending with Boot",
        Tier.SQL,
        "select product_id,product_name from dim_products where product_name ilike '%boot'",
    ),
    Case(
        "missing",
        "How many customers have no loyalty tier?",
        Tier.SQL,
        "select count(*) from dim_customers where loyalty_tier is null",
    ),
    Case(
        "missing",
        "how many tickets with a missing satisfaction score",
        Tier.SQL,
        "select count(*) from fct_support_tickets where satisfaction_score is null",
    ),
    Case(
        "flag",
        "How many products are discontinued?",
        Tier.SQL,
        "select count(*) from dim_products where is_discontinued",
    ),
    Case(
        "flag",
        "discontinued products",
        Tier.SQL,
        "select product_id,product_name from dim_products where is_discontinued",
    ),
    Case(
        "flag",
        "how many products are not discontinued?",
        Tier.SQL,
        "select count(*) from dim_products where not is_discontinued",
    ),
    Case(
        "flag",
        "how many customers do not accept marketing?",
        Tier.SQL,
        "select count(*) from dim_customers where not accepts_marketing",
    ),
    Case(
        "flag",
        "How many orders were late in 2024?",
        Tier.METRIC,
        "select count(*) from fct_orders where is_late and year(ordered_at)=2024",
    ),
    Case(
        "flag",
        "open tickets by priority",
        Tier.METRIC,
        "select priority,count(*) from fct_support_tickets where is_open group by 1",
    ),
    Case(
        "flag",
        "Which brands have discontinued products?",
        Tier.SQL,
        "select distinct brand from dim_products where is_discontinued",
    ),
    Case(
        "negation",
        "How many customers are not in Germany?",
        Tier.SQL,
        "select count(*) from dim_customers where country<>'Germany' or country is null",
    ),
    Case(
        "negation",
        "revenue by channel excluding marketplace",
        Tier.METRIC,
        "select o.channel,sum(i.line_amount) from fct_order_items i join fct_orders o using"
        " (order_id) where o.order_status <> 'cancelled' and o.channel<>'marketplace' group"
        " by 1",
    ),
    Case(
        "negation",
        "How many customers live neither in Berlin nor Munich?",
        Tier.SQL,
        "select count(*) from dim_customers where city not in ('Berlin','Munich') or city is null",
    ),
    Case(
        "negation",
        "number of stores outside Germany",
        Tier.SQL,
        "select count(*) from dim_stores where country<>'Germany'",
    ),
    Case(
        "negation",
        "number of products except Toys",
        Tier.SQL,
        "select count(*) from dim_products where category<>'Toys'",
    ),
    Case(
        "negation",
        "How many orders are not cancelled?",
        Tier.METRIC,
        "select count(*) from fct_orders where order_status<>'cancelled'",
    ),
    Case(
        "negation",
        "which suppliers are not in Italy?",
        Tier.SQL,
        "select supplier_id,supplier_name from dim_suppliers where country<>'Italy'",
    ),
    Case(
        "negation",
        "how many parcels were not delivered?",
        Tier.METRIC,
        "select count(*) from fct_shipments where shipment_status<>'delivered'",
    ),
    Case(
        "negation",
        "how many gold customers in France are not in Paris",
        Tier.SQL,
        "select count(*) from dim_customers where loyalty_tier='gold' and country='France' "
        "and city<>'Paris'",
    ),
    Case(
        "negation",
        "How many consumer customers outside Germany and France?",
        Tier.SQL,
        "select count(*) from dim_customers where segment='consumer' and country not in "
        "('Germany','France')",
    ),
    Case(
        "negation",
        "orders not online",
        Tier.METRIC,
        "select count(*) from fct_orders where channel<>'online'",
    ),
    Case(
        "negation",
        "orders that are neither cancelled nor returned",
        Tier.METRIC,
        "select count(*) from fct_orders where order_status not in ('cancelled','returned')",
    ),
    Case(
        "negation",
        "non cancelled orders",
        Tier.METRIC,
        "select count(*) from fct_orders where order_status<>'cancelled'",
    ),
    Case(
        "anti-join",
        "How many customers have never placed an order?",
        Tier.SQL,
        "select count(*) from dim_customers c where not exists (select 1 from fct_orders o "
        "where o.customer_id = c.customer_id)",
    ),
    Case(
        "anti-join",
        "customers without orders",
        Tier.SQL,
        "select c.customer_id,customer_name from dim_customers c where not exists (select 1"
        " from fct_orders o where o.customer_id = c.customer_id)",
    ),
    Case(
        "anti-join",
        "how many customers in Italy without any orders",
        Tier.SQL,
        "select count(*) from dim_customers c where country='Italy' and not exists (select "
        "1 from fct_orders o where o.customer_id = c.customer_id)",
    ),
    Case(
        "anti-join",
        "How many customers did not order in 2024?",
        Tier.SQL,
        "select count(*) from dim_customers c where not exists (select 1 from fct_orders o "
        "where o.customer_id=c.customer_id and year(o.ordered_at)=2024)",
    ),
    Case(
        "anti-join",
        "promotions without orders",
        Tier.SQL,
        "select promotion_id,promotion_name from dim_promotions p where not exists (select "
        "1 from fct_orders o where o.promotion_id=p.promotion_id)",
    ),
    Case(
        "anti-join",
        "how many stores had no orders in 2024",
        Tier.SQL,
        "select count(*) from dim_stores s where not exists (select 1 from fct_orders o "
        "where o.store_id=s.store_id and year(ordered_at)=2024)",
    ),
    Case(
        "semi-join",
        "How many customers have support tickets?",
        Tier.SQL,
        "select count(*) from dim_customers c where exists (select 1 from "
        "fct_support_tickets t where t.customer_id=c.customer_id)",
    ),
    Case(
        "semi-join",
        "How many customers ordered in December 2023?",
        Tier.SQL,
        "select count(*) from dim_customers c where exists (select 1 from fct_orders o "
        "where o.customer_id=c.customer_id and o.ordered_at>='2023-12-01' and "
        "o.ordered_at<'2024-01-01')",
    ),
    Case(
        "top",
        "top 3 brands by revenue",
        Tier.METRIC,
        "select p.brand,sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' group by 1 order by 2 desc limit 3",
        ordered=True,
    ),
    Case(
        "top",
        "bottom 2 categories by units sold in 2024",
        Tier.METRIC,
        "select p.category,sum(i.quantity) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' and year(i.ordered_at)=2024 group by 1 order by 2 "
        "limit 2",
        ordered=True,
    ),
    Case(
        "top",
        "top 5 stores by orders",
        Tier.METRIC,
        "select store_name,count(*) from fct_orders join dim_stores using(store_id) group "
        "by 1 order by 2 desc limit 5",
        ordered=True,
    ),
    Case(
        "superlative",
        "Which brand had the highest revenue in 2023?",
        Tier.METRIC,
        "select p.brand,sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' and year(i.ordered_at)=2023 group by 1 order by 2 desc"
        " limit 1",
    ),
    Case(
        "superlative",
        "Which carrier has the fewest shipments?",
        Tier.METRIC,
        "select carrier,count(*) from fct_shipments group by 1 order by 2 limit 1",
    ),
    Case(
        "superlative",
        "which category has the lowest margin rate?",
        Tier.METRIC,
        "select p.category,sum(line_amount-cost_amount)/sum(line_amount) from "
        "fct_order_items i join dim_products p using(product_id) join fct_orders o "
        "using(order_id) where o.order_status<>'cancelled' group by 1 order by 2 limit 1",
    ),
    Case(
        "superlative",
        "Which quarter of 2023 had the highest revenue?",
        Tier.METRIC,
        "select date_trunc('quarter',i.ordered_at),sum(i.line_amount) from fct_order_items "
        "i join fct_orders o using (order_id) where o.order_status <> 'cancelled' and "
        "year(i.ordered_at)=2023 group by 1 order by 2 desc limit 1",
    ),
    Case(
        "newest",
        "the newest store",
        Tier.SQL,
        "select store_name from dim_stores order by opened_on desc limit 1",
    ),
    Case(
        "newest",
        "the 3 newest stores",
        Tier.SQL,
        "select store_name from dim_stores order by opened_on desc limit 3",
    ),
    Case(
        "newest",
        "the 5 latest orders",
        Tier.SQL,
        "select order_id from fct_orders order by ordered_at desc limit 5",
    ),
    Case(
        "newest",
        "earliest order",
        Tier.SQL,
        "select order_id from fct_orders order by ordered_at limit 1",
    ),
    Case(
        "grain",
        "orders per quarter in 2023",
        Tier.METRIC,
        "select date_trunc('quarter',ordered_at),count(*) from fct_orders where "
        "year(ordered_at)=2023 group by 1",
    ),
    Case(
        "grain",
        "weekly orders in 2024",
        Tier.METRIC,
        "select date_trunc('week',ordered_at),count(*) from fct_orders where "
        "year(ordered_at)=2024 group by 1",
    ),
    Case(
        "grain",
        "yearly revenue",
        Tier.METRIC,
        "select date_trunc('year',i.ordered_at),sum(i.line_amount) from fct_order_items i "
        "join fct_orders o using (order_id) where o.order_status <> 'cancelled' group by 1",
    ),
    Case(
        "grain",
        "revenue over time in 2022",
        Tier.METRIC,
        "select date_trunc('month',i.ordered_at),sum(i.line_amount) from fct_order_items i "
        "join fct_orders o using (order_id) where o.order_status <> 'cancelled' and "
        "year(i.ordered_at)=2022 group by 1",
    ),
    Case(
        "grain",
        "daily orders in January 2024",
        Tier.METRIC,
        "select date_trunc('day',ordered_at),count(*) from fct_orders where "
        "ordered_at>='2024-01-01' and ordered_at<'2024-02-01' group by 1",
    ),
    Case(
        "grain",
        "support tickets by month and priority in 2024",
        Tier.METRIC,
        "select date_trunc('month',opened_at),priority,count(*) from fct_support_tickets "
        "where year(opened_at)=2024 group by 1,2",
    ),
    Case(
        "grain",
        "sign-ups by month in 2023",
        Tier.METRIC,
        "select date_trunc('month',signed_up_on),count(*) from dim_customers where "
        "year(signed_up_on)=2023 group by 1",
    ),
    Case(
        "grain",
        "revenue and orders by month in 2023",
        Tier.METRIC,
        "select date_trunc('month',o.ordered_at), sum(line_amount), (select count(*) from "
        "fct_orders q where "
        "date_trunc('month',q.ordered_at)=date_trunc('month',o.ordered_at)) from "
        "fct_order_items i join fct_orders o using (order_id) where o.order_status <> "
        "'cancelled' and year(o.ordered_at)=2023 group by 1",
    ),
    Case(
        "grain",
        "revenue by customer segment and year",
        Tier.METRIC,
        "select segment,date_trunc('year',i.ordered_at),sum(line_amount) from "
        "fct_order_items i join fct_orders o using(order_id) join dim_customers c on "
        "c.customer_id=i.customer_id where order_status<>'cancelled' group by 1,2",
    ),
    Case(
        "grain",
        "tickets about billing by month in 2024",
        Tier.METRIC,
        "select date_trunc('month',opened_at),count(*) from fct_support_tickets where "
        "topic='billing' and year(opened_at)=2024 group by 1",
    ),
    Case(
        "grain",
        "units sold of Alder Parka by year",
        Tier.METRIC,
        "select date_trunc('year',i.ordered_at),sum(quantity) from fct_order_items i join "
        "dim_products p using(product_id) join fct_orders o using(order_id) where "
        "order_status<>'cancelled' and product_name='Alder Parka' group by 1",
    ),
    Case(
        "fiscal",
        "revenue by fiscal quarter",
        Tier.METRIC,
        "select t.fiscal_quarter,sum(i.line_amount) from fct_order_items i join fct_orders "
        "o using(order_id) join time_spine_daily t on t.date_day=cast(i.ordered_at as date)"
        " where o.order_status<>'cancelled' group by 1",
    ),
    Case(
        "fiscal",
        "orders per fiscal year",
        Tier.METRIC,
        "select t.fiscal_year,count(*) from fct_orders o join time_spine_daily t on "
        "t.date_day=cast(o.ordered_at as date) group by 1",
    ),
    Case(
        "date role",
        "How many orders were delivered in March 2024?",
        Tier.METRIC,
        "select count(*) from fct_orders where delivered_at>='2024-03-01' and "
        "delivered_at<'2024-04-01'",
    ),
    Case(
        "date role",
        "how many products were launched in 2023?",
        Tier.SQL,
        "select count(*) from dim_products where year(launched_on)=2023",
    ),
    Case(
        "date role",
        "How many customers signed up in 2023?",
        Tier.SQL,
        "select count(*) from dim_customers where year(signed_up_on)=2023",
    ),
    Case(
        "date role",
        "stores opened before 2019",
        Tier.SQL,
        "select store_id,store_name from dim_stores where opened_on<'2019-01-01'",
    ),
    Case(
        "date role",
        "How many tickets were resolved in June 2024?",
        Tier.METRIC,
        "select count(*) from fct_support_tickets where resolved_at>='2024-06-01' and "
        "resolved_at<'2024-07-01'",
    ),
    Case(
        "date role",
        "number of stores opened since 2018 by country",
        Tier.SQL,
        "select country,count(*) from dim_stores where opened_on>='2018-01-01' group by 1",
    ),
    Case(
        "date role",
        "revenue of products launched in 2023",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "order_status<>'cancelled' and year(launched_on)=2023",
    ),
    Case(
        "date role",
        "revenue from customers who signed up in 2023",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join dim_customers c on "
        "c.customer_id=i.customer_id join fct_orders o using(order_id) where "
        "order_status<>'cancelled' and year(signed_up_on)=2023",
    ),
    Case(
        "date role",
        "orders delivered in March 2024 by channel",
        Tier.METRIC,
        "select channel,count(*) from fct_orders where delivered_at>='2024-03-01' and "
        "delivered_at<'2024-04-01' group by 1",
    ),
    Case(
        "order",
        "products of Velora ordered by list price",
        Tier.SQL,
        "select product_name,list_price from dim_products where brand='Velora' order by 2",
        ordered=True,
    ),
    Case(
        "order",
        "revenue by category from highest to lowest",
        Tier.METRIC,
        "select p.category,sum(i.line_amount) from fct_order_items i join dim_products p "
        "using(product_id) join fct_orders o using(order_id) where "
        "o.order_status<>'cancelled' group by 1 order by 2 desc",
        ordered=True,
    ),
    Case(
        "period",
        "revenue last month",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and i.ordered_at>='2024-10-01' and "
        "i.ordered_at<'2024-11-01'",
    ),
    Case(
        "period",
        "orders in the last 7 days",
        Tier.METRIC,
        "select count(*) from fct_orders where ordered_at>='2024-11-08' and "
        "ordered_at<'2024-11-15'",
    ),
    Case(
        "period",
        "orders yesterday",
        Tier.METRIC,
        "select count(*) from fct_orders where ordered_at>='2024-11-14' and "
        "ordered_at<'2024-11-15'",
    ),
    Case(
        "period",
        "revenue since June 2024",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and i.ordered_at>='2024-06-01'",
    ),
    Case(
        "period",
        "revenue from Q1 2023 to Q2 2024",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and i.ordered_at>='2023-01-01' and "
        "i.ordered_at<'2024-07-01'",
    ),
    Case(
        "period",
        "orders by week from 3 October 2024 to 20 October 2024",
        Tier.METRIC,
        "select date_trunc('week',ordered_at),count(*) from fct_orders where "
        "ordered_at>='2024-10-03' and ordered_at<'2024-10-21' group by 1",
    ),
    Case(
        "period",
        "revenue in H1 2023",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and i.ordered_at>='2023-01-01' and "
        "i.ordered_at<'2023-07-01'",
    ),
    Case(
        "period",
        "revenue this year",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and i.ordered_at>='2024-01-01' and "
        "i.ordered_at<'2024-11-16'",
    ),
    Case(
        "period",
        "orders before 2023",
        Tier.METRIC,
        "select count(*) from fct_orders where ordered_at<'2023-01-01'",
    ),
    Case(
        "period",
        "orders after 15 December 2024",
        Tier.METRIC,
        "select count(*) from fct_orders where ordered_at>='2024-12-16'",
    ),
    Case(
        "period",
        "orders in march",
        Tier.METRIC,
        "select count(*) from fct_orders where ordered_at>='2024-03-01' and "
        "ordered_at<'2024-04-01'",
    ),
    Case(
        "period",
        "orders on 5 March 2024",
        Tier.METRIC,
        "select count(*) from fct_orders where cast(ordered_at as date)='2024-03-05'",
    ),
    Case(
        "period",
        "revenue 2 years ago",
        Tier.METRIC,
        "select sum(line_amount) from fct_order_items i join fct_orders o using (order_id) "
        "where o.order_status <> 'cancelled' and year(i.ordered_at)=2022",
    ),
    Case(
        "look-up",
        "when was Alder Parka launched?",
        Tier.SQL,
        "select launched_on from dim_products where product_name='Alder Parka'",
    ),
    Case(
        "look-up",
        "what is the list price of the Alder Parka?",
        Tier.SQL,
        "select list_price from dim_products where product_name='Alder Parka'",
    ),
    Case(
        "look-up",
        "which brand is the Alder Parka?",
        Tier.SQL,
        "select brand from dim_products where product_name='Alder Parka'",
    ),
    Case(
        "look-up",
        "which city is the store Navigli in?",
        Tier.SQL,
        "select city from dim_stores where store_name='Navigli'",
    ),
    Case(
        "look-up",
        "list all stores with their city and country",
        Tier.SQL,
        "select store_name,city,country from dim_stores",
    ),
)


QUICK = 4  # of each group; the others are marked as slow


def case_of(case: Case) -> object:
    """A case as a parameter, marked as slow when its group has enough before it."""
    marks = []
    group = [other for other in CASES if other.group == case.group]
    if group.index(case) >= QUICK:
        marks.append(pytest.mark.slow)
    return pytest.param(case, id=f"{case.group}: {case.question}", marks=marks)


@pytest.fixture(scope="module")
def database(example: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    del example
    connection = duckdb.connect(str(EXAMPLE_DATABASE), read_only=True)
    yield connection
    connection.close()


@pytest.mark.parametrize("case", [case_of(case) for case in CASES])
def test_a_question_is_answered_as_its_sql_says(
    case: Case, assistant: Assistant, database: duckdb.DuckDBPyConnection
) -> None:
    answer = assistant.ask(case.question, AS_OF)
    assert answer.status is Status.ANSWERED or answer.rows == (), answer.text
    gold = database.execute(case.sql).fetchall()
    assert same_result(answer.rows, gold, ordered=case.ordered), answer.understood
    assert answer.tier is case.tier
    assert answer.reading is not None


def test_every_group_of_questions_has_several() -> None:
    groups = [case.group for case in CASES]
    assert len({case.question for case in CASES}) == len(CASES)
    assert all(groups.count(group) >= 2 for group in groups)
