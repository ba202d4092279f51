{{ config(materialized='ephemeral') }}

select
    customer_id,
    min(order_id) as first_order_id
from {{ ref('stg_orders') }}
where order_status != 'cancelled'
group by customer_id
