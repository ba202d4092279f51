{{ config(alias='orders_legacy') }}

-- What the reports of the old warehouse read. Amounts are cents and include shipping.
select
    order_id as id,
    customer_id as cust_id,
    upper(order_status) as status,
    cast(ordered_at as date) as dt,
    cast(order_total * 100 as bigint) as amount
from {{ ref('fct_orders') }}
