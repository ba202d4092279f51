select
    order_item_id,
    order_id,
    line_number,
    product_id,
    quantity,
    unit_price,
    discount_amount
from {{ ref('raw_order_items') }}
