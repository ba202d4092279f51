with items as (

    select * from {{ ref('stg_order_items') }}

),

products as (

    select * from {{ ref('stg_products') }}

),

returns as (

    select
        order_item_id,
        sum(quantity) as returned_quantity,
        sum(refund_amount) as refund_amount
    from {{ ref('stg_returns') }}
    group by order_item_id

)

select
    items.order_item_id,
    items.order_id,
    items.line_number,
    items.product_id,
    items.quantity,
    items.unit_price,
    items.quantity * items.unit_price as gross_amount,
    items.discount_amount,
    items.quantity * items.unit_price - items.discount_amount as line_amount,
    items.quantity * products.unit_cost as cost_amount,
    coalesce(returns.returned_quantity, 0) as returned_quantity,
    coalesce(returns.refund_amount, 0) as refund_amount
from items
inner join products on items.product_id = products.product_id
left join returns on items.order_item_id = returns.order_item_id
