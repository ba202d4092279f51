-- What was settled for an order is what the customer had to pay, to the cent.
with settled as (

    select
        order_id,
        sum(amount) as paid_amount
    from {{ ref('fct_payments') }}
    where payment_status = 'settled'
    group by order_id

)

select
    orders.order_id,
    orders.order_status,
    orders.order_total,
    settled.paid_amount
from {{ ref('fct_orders') }} as orders
left join settled on orders.order_id = settled.order_id
where
    orders.order_status in ('shipped', 'completed', 'returned')
    and orders.order_total is distinct from settled.paid_amount
