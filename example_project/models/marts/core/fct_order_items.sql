with items as (

    select * from {{ ref('int_order_items_priced') }}

),

orders as (

    select * from {{ ref('stg_orders') }}

),

stores as (

    select * from {{ ref('stg_stores') }}

)

select
    items.order_item_id,
    items.order_id,
    items.line_number,
    items.product_id,
    orders.customer_id,
    orders.store_id,
    stores.market_code,
    orders.promotion_id,
    orders.ordered_at,
    items.quantity,
    items.unit_price,
    items.gross_amount,
    items.discount_amount,
    items.line_amount,
    items.cost_amount,
    items.returned_quantity > 0 as is_returned,
    items.returned_quantity,
    items.refund_amount
from items
inner join orders on items.order_id = orders.order_id
inner join stores on orders.store_id = stores.store_id
