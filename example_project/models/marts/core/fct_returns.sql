select
    returns.return_id,
    returns.order_item_id,
    items.order_id,
    items.product_id,
    orders.customer_id,
    orders.store_id,
    returns.returned_at,
    returns.return_reason,
    returns.quantity as returned_quantity,
    returns.refund_amount,
    returns.refund_amount
    < round(items.line_amount * returns.quantity / items.quantity, 2) - 0.01 as is_partial_refund
from {{ ref('stg_returns') }} as returns
inner join {{ ref('int_order_items_priced') }} as items
    on returns.order_item_id = items.order_item_id
inner join {{ ref('stg_orders') }} as orders
    on items.order_id = orders.order_id
