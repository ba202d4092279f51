-- Orders whose subtotal is not the sum of their items, or whose total is not subtotal plus tax.
with items as (
    select order_id, sum(price) as amount
    from {{ ref('order_items') }}
    group by order_id
)

select receipt.order_id
from {{ ref('orders') }} as receipt
left join items on receipt.order_id = items.order_id
where receipt.subtotal <> coalesce(items.amount, 0)
   or receipt.order_total <> receipt.subtotal + receipt.tax_paid
