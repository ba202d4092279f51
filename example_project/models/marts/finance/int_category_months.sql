{{ config(materialized='view', access='private') }}

select
    date_trunc('month', items.ordered_at) as order_month,
    products.category,
    sum(items.line_amount) as revenue,
    sum(items.cost_amount) as cost_amount,
    sum(items.refund_amount) as refund_amount
from {{ ref('fct_order_items') }} as items
inner join {{ ref('fct_orders') }} as orders on items.order_id = orders.order_id
inner join {{ ref('dim_products') }} as products on items.product_id = products.product_id
where orders.order_status != 'cancelled'
group by
    date_trunc('month', items.ordered_at),
    products.category
