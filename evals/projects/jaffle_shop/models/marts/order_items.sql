select
    item.order_item_id,
    item.order_id,
    item.product_id,
    receipt.customer_id,
    receipt.store_id,
    receipt.order_date,
    product.product_type = 'jaffle' as is_food,
    product.product_type = 'beverage' as is_drink,
    product.price,
    product.supply_cost
from {{ ref('stg_items') }} as item
inner join {{ ref('stg_orders') }} as receipt on item.order_id = receipt.order_id
inner join {{ ref('products') }} as product on item.product_id = product.product_id
